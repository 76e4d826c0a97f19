// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/compare.h"

#include <QMap>
#include <algorithm>
#include <cmath>

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

/// The bare limit of a line, in both results; nothing where one of them has none. Between hosts it
/// is the TCP connection, as far as that was measured.
struct Control {
  const Series* before = nullptr;
  const Series* after = nullptr;
};
Control controlOf(const Result& before, const Result& after, const Series& line) {
  const auto control = [&](const char* id) {
    const QString name = QString::fromLatin1(id);
    return Control{before.find(name), after.find(name)};
  };
  const Control tcp = control("tcp");
  const bool betweenHosts = line.id.endsWith(QStringLiteral(" hosts"));
  return betweenHosts && tcp.before != nullptr && tcp.after != nullptr ? tcp : control("ring");
}

/// How many times the bare limit a point is, of each repeat: so each value has the noise of both,
/// and a drift of the machine that lasts longer than a repeat is in both and cancels out. Empty
/// where the repeats cannot be told to belong together.
std::vector<double> ratiosOf(const Point& point, const Point& limit, bool times) {
  const std::vector<double> own = point.medians();
  const std::vector<double> bare = limit.medians();
  if (own.size() != bare.size()) return {};
  std::vector<double> result;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double ratio = times ? own[i] / bare[i] : bare[i] / own[i];
    if (!std::isfinite(ratio) || ratio <= 0) return {};
    result.push_back(ratio);
  }
  return result;
}

/// Whether a bare limit has become so much faster or slower that ratios to it tell nothing: two
/// results of one build, between which a virtual machine's ring became 2.4 to 2.7 times as slow, had
/// ratios 31 to 46 % apart.
bool isTooFar(const Point& before, const Point& after, bool times) {
  constexpr double most = 2;
  const double factor = 1 + compare(before.medians(), after.medians(), times).change;
  return factor > most || factor < 1 / most;
}

/// "−40 %"
QString percent(double share) {
  const double value = share * 100;
  return (value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
         QString::number(std::abs(value), 'f', std::abs(value) < 9.95 ? 1 : 0) +
         QStringLiteral(" %");
}

/// The least and the greatest change, as one where they are alike.
QString range(const std::vector<double>& shares) {
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  const QString from = percent(*least);
  const QString to = percent(*most);
  return from == to ? from : QStringLiteral("%1 to %2").arg(from, to);
}

/// "the bare ring is faster (time −40 %)"; of several limits one behind the other.
QString movesOf(const std::vector<Change>& changes, bool times) {
  QMap<QString, std::vector<double>> moves;
  for (const Change& each : changes) {
    if (each.hasMoved()) moves[each.line].push_back(each.values.change);
  }
  QStringList words;
  for (auto move = moves.begin(); move != moves.end(); ++move) {
    const auto faster = std::count_if(move->begin(), move->end(),
                                      [&](double share) { return (share < 0) == times; });
    const QString direction = faster == std::ssize(*move) ? QStringLiteral("is faster")
                              : faster == 0               ? QStringLiteral("is slower")
                                                          : QStringLiteral("differs");
    words << QStringLiteral("the %1 %2 (%3 %4)")
                 .arg(move.key(), direction,
                      times ? QStringLiteral("time") : QStringLiteral("rate"), range(*move));
  }
  return words.join(QStringLiteral(", "));
}

/// "2 of 5 changes are significant, all faster."
QString countsOf(const std::vector<Change>& changes, const QString& betterWord,
                 const QString& worseWord) {
  using Verdict = Difference::Verdict;
  int judged = 0;
  int better = 0;
  int worse = 0;
  int few = 0;
  for (const Change& each : changes) {
    if (!each.isJudged()) continue;
    ++judged;
    better += each.difference.verdict == Verdict::Better;
    worse += each.difference.verdict == Verdict::Worse;
    few += each.difference.verdict == Verdict::TooFew;
  }
  if (judged == 0) return {};
  if (few == judged) {
    return QStringLiteral("Too few repeats to tell a change from noise: 4 of each are needed.");
  }
  const int significant = better + worse;
  if (significant == 0) return QStringLiteral("No significant change.");
  QString which;
  if (better > 0 && worse > 0) {
    which = QStringLiteral("%1 %2, %3 %4").arg(better).arg(betterWord).arg(worse).arg(worseWord);
  } else {
    const QString word = better > 0 ? betterWord : worseWord;
    which = significant == 1 ? word : QStringLiteral("all %1").arg(word);
  }
  return QStringLiteral("%1 of %2 %3 %4 significant, %5.")
      .arg(significant)
      .arg(judged)
      .arg(judged == 1 ? QStringLiteral("change") : QStringLiteral("changes"),
           significant == 1 ? QStringLiteral("is") : QStringLiteral("are"), which);
}

QString verdictOf(const Comparison& comparison, Kind kind, bool sameSettings) {
  const std::vector<Change>& changes = comparison.changes;
  if (changes.empty()) return QStringLiteral("These two results have nothing in common.");
  const bool times = lowerIsBetter(kind);
  if (!comparison.machineChanged) {
    const QString counts =
        countsOf(changes, times ? QStringLiteral("faster") : QStringLiteral("higher"),
                 times ? QStringLiteral("slower") : QStringLiteral("lower"));
    return counts.isEmpty()
               ? QStringLiteral("These two results have nothing in common but the bare limit.")
               : counts;
  }
  QString counts = countsOf(changes, QStringLiteral("better"), QStringLiteral("worse"));
  counts = counts.isEmpty() ? comparison.changedTooMuch
                                  ? QStringLiteral("That is too much to judge anything: measure both "
                                                   "again, on a quiet machine.")
                                  : QStringLiteral("Nothing can be judged: a result has no bare limit.")
                            : QStringLiteral("Judged by the ratio to the bare limit: ") +
                                  counts.left(1).toLower() + counts.mid(1);
  return QStringLiteral("The machine%1 changed: %2. %3")
      .arg(sameSettings ? QString() : QStringLiteral(" or the settings"), movesOf(changes, times),
           counts);
}

/// What the bare limits say where they say nothing of the machine.
QString limitText(const Comparison& comparison) {
  std::vector<double> shares;
  bool few = false;
  bool notJudged = false;
  bool any = false;
  for (const Change& each : comparison.changes) {
    notJudged = notJudged || each.basis == Change::Basis::NotJudged;
    any = any || each.isJudged();
    if (!each.isControl) continue;
    few = few || each.difference.verdict == Difference::Verdict::TooFew;
    shares.push_back(each.values.change);
  }
  if (comparison.machineChanged) {
    if (!notJudged) return {};
    return comparison.changedTooMuch
               ? QStringLiteral(" Not judged where the bare limit became twice as fast or slow.")
               : QStringLiteral(" Not judged where a result has no bare limit.");
  }
  if (!any || few) return {};
  return shares.empty()
             ? QStringLiteral(
                   " A bare limit was not measured with both: a change of the machine goes "
                   "unnoticed.")
             : QStringLiteral(" The bare limit changed inside its noise (%1).").arg(range(shares));
}

QString warningOf(const Machine& before, const Machine& after) {
  QStringList busy;
  if (before.isBusy()) {
    busy << QStringLiteral("result before (%1)")
                .arg(loadText(before.otherLoad(), before.processors));
  }
  if (after.isBusy()) {
    busy << QStringLiteral("result after (%1)").arg(loadText(after.otherLoad(), after.processors));
  }
  if (busy.isEmpty()) return {};
  return QStringLiteral("Other work kept the processors busy at the %1. Measure again without it.")
      .arg(busy.join(QStringLiteral(" and the ")));
}

}  // namespace

bool Change::isSignificant() const { return isJudged() && isBeyondNoise(difference); }

bool Change::hasMoved() const { return isControl && isBeyondNoise(difference); }

const char* basisName(Change::Basis basis) {
  switch (basis) {
    case Change::Basis::Value:
      return "value";
    case Change::Basis::Ratio:
      return "ratio";
    case Change::Basis::Limit:
      return "limit";
    case Change::Basis::NotJudged:
      return "not judged";
  }
  return "";
}

Comparison compareResults(const Result& before, const Result& after) {
  Comparison result;
  const Kind kind = after.settings.kind;
  const bool times = lowerIsBetter(kind);
  /// What a change is judged by if the machine changed: for each of the changes.
  std::vector<std::pair<std::vector<double>, std::vector<double>>> ratios;
  for (const Series& now : after.series) {
    const Series* old = sameIn(before, now);
    if (old == nullptr) continue;
    const Control control = controlOf(before, after, now);
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
      change.values = compare(change.before, change.after, times);
      change.difference = change.values;
      if (now.isYardstick()) change.basis = Change::Basis::Limit;
      const Point* bareWas = control.before != nullptr ? control.before->at(point.at) : nullptr;
      const Point* bareNow = control.after != nullptr ? control.after->at(point.at) : nullptr;
      ratios.emplace_back();
      if (bareWas != nullptr && bareNow != nullptr && isTooFar(*bareWas, *bareNow, times)) {
        result.changedTooMuch = true;
      } else if (bareWas != nullptr && bareNow != nullptr) {
        ratios.back() = {ratiosOf(*was, *bareWas, times), ratiosOf(point, *bareNow, times)};
      }
      // The ring with the API's arguments builds them with code of the RTI.
      change.isControl = now.id == QStringLiteral("ring") || now.id == QStringLiteral("tcp");
      result.machineChanged = result.machineChanged || change.hasMoved();
      result.changes.push_back(std::move(change));
    }
  }
  result.changedTooMuch = result.changedTooMuch && result.machineChanged;
  for (std::size_t i = 0; result.machineChanged && i < result.changes.size(); ++i) {
    Change& change = result.changes[i];
    if (change.basis == Change::Basis::Limit) continue;
    if (ratios[i].first.empty() || ratios[i].second.empty()) {
      change.basis = Change::Basis::NotJudged;
      change.difference.verdict = Difference::Verdict::Noise;
      continue;
    }
    change.basis = Change::Basis::Ratio;
    change.before = std::move(ratios[i].first);
    change.after = std::move(ratios[i].second);
    change.difference = compare(change.before, change.after, true);
  }
  const QStringList differ = otherDifferences(before, after);
  result.verdict = verdictOf(result, kind, !differ.contains(QStringLiteral("settings")));
  if (!result.changes.empty()) {
    result.warning = warningOf(before.machine, after.machine);
    result.circumstances =
        (differ.isEmpty()
             ? QStringLiteral("Same host, seed and settings.")
             : QStringLiteral("Not the same: %1.").arg(differ.join(QStringLiteral(", ")))) +
        limitText(result);
  }
  return result;
}

QStringList otherDifferences(const Result& before, const Result& after) {
  QStringList result;
  if (before.machine.host != after.machine.host ||
      before.machine.processor != after.machine.processor) {
    result << QStringLiteral("host");
  }
  if (before.settings.seed != after.settings.seed) result << QStringLiteral("seed");
  if (!sameSettings(before.settings, after.settings)) result << QStringLiteral("settings");
  if (before.rti.name != after.rti.name) {
    result << QStringLiteral("RTI (%1 and %2)").arg(before.rti.name, after.rti.name);
  }
  if (before.build.type != after.build.type) result << QStringLiteral("build type");
  return result;
}

}  // namespace tutti::bench
