// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_suites.h"

#include <QObject>

#include "resources/theme/delegates.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;

std::vector<BenchSuite> benchSuites() {
  const auto settings = [](Kind kind, std::vector<int> sizes,
                           bench::Pinning pinning = bench::Pinning::OwnCores) {
    bench::Settings result = bench::usualSettings(kind);
    if (!sizes.empty()) result.sizes = std::move(sizes);
    result.pinning = pinning;
    // On one core a poll would take the other's turn.
    result.wait = pinning == bench::Pinning::OneCore;
    return result;
  };
  const std::vector<int> sweep{8, 32, 128, 512, 2048, 8192, 32'768, 131'072, 524'288, 1'048'576};
  bench::Settings longSweep = settings(Kind::Latency, sweep);
  longSweep.count = 2000;
  bench::Settings rates = settings(Kind::Throughput, {8, 32, 128, 512, 2048, 8192, 32'768});
  rates.count = 100'000;
  return {
      {QObject::tr("DMSO"),
       QObject::tr("latency, throughput, grants"),
       {settings(Kind::Latency, {128, 512, 1024, 2048}),
        settings(Kind::Throughput, {128, 512, 1024, 2048}), settings(Kind::TimeAdvance, {})}},
      {QObject::tr("Round-trip sweep"), QObject::tr("8 B to 1 MiB"), {longSweep}},
      {QObject::tr("Throughput sweep"), QObject::tr("8 B to 32 KiB"), {rates}},
      {QObject::tr("One core"),
       QObject::tr("both federates on one processor"),
       {settings(Kind::Latency, {128, 1024}, bench::Pinning::OneCore),
        settings(Kind::Throughput, {128, 1024}, bench::Pinning::OneCore),
        settings(Kind::TimeAdvance, {}, bench::Pinning::OneCore)}},
      {QObject::tr("Time advance"),
       QObject::tr("two federates, lookahead 0.1"),
       {settings(Kind::TimeAdvance, {})}},
  };
}

QVariant SuiteModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Entry& entry = entries_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return entry.title;
    case theme::DetailRole:
      return entry.detail;
    case theme::IconNameRole:
      return QStringLiteral("benchmarks");
    case theme::StateRole:
      return QVariant::fromValue(entry.done ? State::Ok : State::Idle);
    case Qt::ToolTipRole:
      return entry.done ? QStringLiteral("Has results") : QStringLiteral("Has not been run here");
    default:
      return {};
  }
}

}  // namespace tutti::monitor
