// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/bench_suites.h"

#include <QObject>

#include "resources/theme/delegates.h"

namespace tutti::monitor {

using bench::Kind;
using theme::State;

std::vector<BenchSuite> benchSuites() {
  const auto usual = [](std::initializer_list<Kind> kinds) {
    std::vector<bench::Settings> result;
    for (const Kind each : kinds) result.push_back(bench::usualSettings(each));
    return result;
  };
  std::vector<bench::Settings> sizes = usual({Kind::Latency, Kind::Throughput});
  for (bench::Settings& each : sizes) each.sizes = {8, 32, 128, 512, 2048, 8192, 32'768};
  sizes[0].count = 2000;
  sizes[1].count = 100'000;
  std::vector<bench::Settings> oneCore =
      usual({Kind::Latency, Kind::Throughput, Kind::TimeAdvance});
  for (bench::Settings& each : oneCore) {
    if (each.kind != Kind::TimeAdvance) each.sizes = {128, 1024};
    each.pinning = bench::Pinning::OneCore;
    // On one core a poll would take the other's turn.
    each.wait = true;
  }
  return {
      {QObject::tr("Against the ring"), QObject::tr("8 B to 64 KiB, grants; 1 to 2 min"),
       usual({Kind::Latency, Kind::Throughput, Kind::TimeAdvance})},
      {QObject::tr("DMSO"), QObject::tr("latency, time advance, throughput"),
       usual({Kind::DmsoLatency, Kind::DmsoTimeAdvance, Kind::DmsoThroughput})},
      {QObject::tr("Round-trip sweep"), QObject::tr("8 B to 1 MiB, both transports"),
       usual({Kind::Sweep})},
      {QObject::tr("RTIBM"), QObject::tr("OWOT, OWIT, RTOL, RTIL from a file"),
       usual({Kind::RtibmOwot})},
      {QObject::tr("DBE"), QObject::tr("4 B to 16 KiB, latency and jitter"), usual({Kind::Dbe})},
      {QObject::tr("rtiperf"), QObject::tr("48 pairs at once"), usual({Kind::Rtiperf})},
      {QObject::tr("Many federates"), QObject::tr("7 subscribers; 20 on two cores"),
       usual({Kind::Fanout, Kind::Oversubscribed})},
      {QObject::tr("Clutter"), QObject::tr("1000 to 1 million instances"), usual({Kind::Clutter})},
      {QObject::tr("Sizes against the ring"), QObject::tr("8 B to 32 KiB"), sizes},
      {QObject::tr("One core"), QObject::tr("both federates on one processor"), oneCore},
      {QObject::tr("Time advance"), QObject::tr("two federates, lookahead 0.1"),
       usual({Kind::TimeAdvance})},
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
