// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/compare.h"

namespace tutti::bench {
namespace {

/// The line of `result` that is the same as `series` of another result.
const Series* sameIn(const Result& result, const Series& series) {
  if (const Series* same = result.find(series.id)) return same;
  // Results once had a single line of the RTI, by another name.
  const auto isOld = [](const QString& id) { return id == QStringLiteral("tutti-shm"); };
  const auto isUsual = [](const QString& id) { return id == QStringLiteral("rti/reliable"); };
  for (const Series& each : result.series) {
    if ((isOld(each.id) && isUsual(series.id)) || (isUsual(each.id) && isOld(series.id))) {
      return &each;
    }
  }
  return nullptr;
}

/// A line by what sets it apart from the others of its result.
QString lineName(const Series& series) {
  if (series.isYardstick()) return series.label.left(1).toLower() + series.label.mid(1);
  QString label = series.label;
  label.remove(QStringLiteral(", shared memory"));
  const QString own = label.section(QStringLiteral(", "), 1);
  return own.isEmpty() ? label : own;
}

bool sameSettings(const Settings& a, const Settings& b) {
  return a.pinning == b.pinning && a.wait == b.wait && a.count == b.count && a.warmUp == b.warmUp &&
         a.cycles == b.cycles && a.step == b.step && a.ack == b.ack && a.fresh == b.fresh &&
         a.pairs == b.pairs && a.receivers == b.receivers && a.burst == b.burst &&
         a.sequence == b.sequence && a.architectures == b.architectures && a.hosts == b.hosts;
}

}  // namespace

std::vector<Change> changesOf(const Result& before, const Result& after) {
  std::vector<Change> result;
  for (const Series& now : after.series) {
    const Series* old = sameIn(before, now);
    if (old == nullptr) continue;
    for (const Point& point : now.points) {
      const Point* was = old->at(point.at);
      if (was == nullptr) continue;
      Change change;
      change.at = point.at;
      change.line = lineName(now);
      if (change.line == after.rti.name && before.rti.name != after.rti.name) {
        change.line = QStringLiteral("RTI");
      }
      change.before = was->medians();
      change.after = point.medians();
      change.difference = compare(change.before, change.after, lowerIsBetter(after.settings.kind));
      result.push_back(std::move(change));
    }
  }
  return result;
}

QStringList otherDifferences(const Result& before, const Result& after) {
  QStringList result;
  if (before.machine.host != after.machine.host ||
      before.machine.processor != after.machine.processor) {
    result << QStringLiteral("machine");
  }
  if (before.settings.seed != after.settings.seed) result << QStringLiteral("seed");
  if (!sameSettings(before.settings, after.settings)) result << QStringLiteral("settings");
  if (before.rti.name != after.rti.name) {
    result << QStringLiteral("RTI (%1 and %2)").arg(before.rti.name, after.rti.name);
  }
  if (before.build.type != after.build.type) result << QStringLiteral("build type");
  return result;
}

QString headlineOf(const std::vector<Change>& changes, Kind kind) {
  if (changes.empty()) return {};
  using Verdict = Difference::Verdict;
  int better = 0;
  int worse = 0;
  int few = 0;
  for (const Change& each : changes) {
    better += each.difference.verdict == Verdict::Better;
    worse += each.difference.verdict == Verdict::Worse;
    few += each.difference.verdict == Verdict::TooFew;
  }
  const int real = better + worse;
  const bool times = lowerIsBetter(kind);
  const QString faster = times ? QStringLiteral("faster") : QStringLiteral("more");
  const QString slower = times ? QStringLiteral("slower") : QStringLiteral("less");
  if (few == static_cast<int>(changes.size())) {
    return QStringLiteral("Too few repeats to tell a change from noise: 4 of each are needed.");
  }
  if (real == 0) return QStringLiteral("No change is real: all are inside the noise.");
  QString which;
  if (worse == 0) {
    which = real == 1 ? faster : QStringLiteral("all %1").arg(faster);
  } else if (better == 0) {
    which = real == 1 ? slower : QStringLiteral("all %1").arg(slower);
  } else {
    which = QStringLiteral("%1 %2, %3 %4").arg(better).arg(faster).arg(worse).arg(slower);
  }
  return QStringLiteral("%1 of %2 %3 real, %4.")
      .arg(real)
      .arg(changes.size())
      .arg(real == 1 ? QStringLiteral("changes is") : QStringLiteral("changes are"), which);
}

}  // namespace tutti::bench
