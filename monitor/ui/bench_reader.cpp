// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_reader.h"

#include <utility>

namespace tutti::monitor {

namespace {

BenchReader::Stored readFrom(const QString& path) {
  BenchReader::Stored stored;
  const auto store = RunStore::open(path, BenchReader::patience);
  if (!store) {
    stored.problem = store.error();
    return stored;
  }
  const auto records = (*store)->benchmarks();
  if (!records) {
    stored.problem = records.error();
    return stored;
  }
  for (const BenchmarkRecord& record : *records) {
    auto result = bench::resultFromJson(record.document);
    // A result of a newer Tutti is left alone; it is still in the file.
    if (!result) continue;
    stored.results.push_back(
        std::make_shared<StoredResult>(StoredResult{record.id, std::move(*result)}));
  }
  if (!records->empty()) stored.newest = records->front().id;
  return stored;
}

}  // namespace

BenchReader::BenchReader(const QString& path, QObject* parent) : QObject(parent), path_(path) {
  pool_.setMaxThreadCount(1);
}

BenchReader::~BenchReader() { pool_.waitForDone(); }

void BenchReader::read() {
  if (reading_) {
    again_ = true;
    return;
  }
  begin();
}

void BenchReader::begin() {
  reading_ = true;
  clock_.start();
  pool_.start([this, path = path_] {
    auto stored = readFrom(path);
    QMetaObject::invokeMethod(
        this,
        [this, stored = std::move(stored)] {
          reading_ = false;
          // What was asked for meanwhile may be in the file only now.
          if (std::exchange(again_, false)) {
            begin();
          } else {
            emit arrived(stored);
          }
        },
        Qt::QueuedConnection);
  });
}

}  // namespace tutti::monitor
