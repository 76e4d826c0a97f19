// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/consequences.h"

#include <QLocale>
#include <algorithm>

namespace tutti::monitor {
namespace {

/// Whether instances of `name` are instances of `ancestor` too; names are dotted paths.
bool isA(const QString& name, const QString& ancestor) {
  return name == ancestor || (name.size() > ancestor.size() && name.startsWith(ancestor) &&
                              name[ancestor.size()] == u'.');
}

bool isJoined(const Reading& reading, const QString& name) {
  return std::any_of(reading.federates.begin(), reading.federates.end(), [&](const auto& each) {
    return each.name == name && each.membership == Membership::Joined;
  });
}

/// Thousands stand apart, as everywhere: "118 000".
QString grouped(std::uint64_t value) {
  QString digits = QString::number(value);
  for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202F));
  return digits;
}

/// "a", "a and b", "a, b and c", "a, b and 4 others".
QString enumerate(const QStringList& names, qsizetype limit = 3) {
  if (names.isEmpty()) return {};
  if (names.size() == 1) return names.front();
  if (names.size() <= limit) {
    return names.mid(0, names.size() - 1).join(QStringLiteral(", ")) + QStringLiteral(" and ") +
           names.back();
  }
  return names.mid(0, limit - 1).join(QStringLiteral(", ")) +
         QStringLiteral(" and %1 others").arg(names.size() - limit + 1);
}

}  // namespace

Consequences consequencesOf(const Reading& reading, std::size_t index, const TimeAnalysis& time,
                            const std::vector<Declarations>& declarations,
                            const std::vector<OwnedInstances>& owned) {
  const FederateReading& federate = reading.federates[index];
  Consequences result;
  result.federate = federate.name;
  result.byClass = owned;
  std::sort(result.byClass.begin(), result.byClass.end(),
            [](const auto& a, const auto& b) { return a.owned > b.owned; });
  for (const OwnedInstances& each : owned) result.instances += each.owned;
  if (owned.empty()) {
    const FederateCounters& counters = federate.counters;
    result.instances = counters.instancesRegistered -
                       std::min(counters.instancesRegistered, counters.instancesDeleted);
  }

  for (const Declarations& mine : declarations) {
    if (mine.federate != federate.name) continue;
    for (const QString& name : mine.publishes) {
      const bool another =
          std::any_of(declarations.begin(), declarations.end(), [&](const Declarations& other) {
            return other.federate != federate.name && isJoined(reading, other.federate) &&
                   std::any_of(other.publishes.begin(), other.publishes.end(),
                               [&](const QString& theirs) { return isA(theirs, name); });
          });
      if (!another && !result.unpublished.contains(name)) result.unpublished << name;
    }
  }
  for (const Declarations& other : declarations) {
    if (other.federate == federate.name || !isJoined(reading, other.federate)) continue;
    Consequences::Silent silent{other.federate, {}, {}};
    for (const QString& name : other.subscribes) {
      for (const QString& lost : result.unpublished) {
        // Who subscribed to a superclass misses the class as well.
        if (isA(lost, name) && !silent.loses.contains(lost)) silent.loses << lost;
      }
      if (!result.unpublished.contains(name)) silent.keeps << name;
    }
    if (!silent.loses.isEmpty()) result.silent.push_back(std::move(silent));
  }

  for (const SynchronizationPoint& point : reading.synchronizationPoints) {
    if (std::find(point.waitingFor.begin(), point.waitingFor.end(), federate.number) !=
        point.waitingFor.end()) {
      result.synchronizationPoints << point.label;
    }
  }

  result.regulating = federate.time.regulating;
  if (const auto bound = outputBound(federate.time, time.galt[index])) {
    result.mayNextSend = bound->time;
  }
  const auto lowest = [](const TimeAnalysis& analysis, std::size_t without) {
    std::optional<double> least;
    for (std::size_t i = 0; i < analysis.galt.size(); ++i) {
      if (i == without || !analysis.galt[i]) continue;
      least = least ? std::min(*least, *analysis.galt[i]) : *analysis.galt[i];
    }
    return least;
  };
  result.othersGalt = lowest(time, index);
  if (federate.time.regulating) {
    std::vector<FederateReading> others = reading.federates;
    others[index].membership = Membership::Lost;
    result.othersGaltWithout = lowest(analyseTime(others), index);
  } else {
    result.othersGaltWithout = result.othersGalt;
  }
  for (const Wait& wait : time.waits) {
    if (wait.root == index) result.freed << reading.federates[wait.waiter].name;
  }
  return result;
}

QString headline(const Consequences& consequences) {
  QStringList parts;
  if (consequences.instances > 0) {
    parts << (consequences.instances == 1
                  ? QStringLiteral("1 object vanishes")
                  : QStringLiteral("%1 objects vanish").arg(grouped(consequences.instances)));
  }
  if (!consequences.unpublished.isEmpty()) {
    parts << (consequences.unpublished.size() == 1
                  ? QStringLiteral("%1 loses its only publisher").arg(consequences.unpublished[0])
                  : QStringLiteral("%1 lose their only publisher")
                        .arg(enumerate(consequences.unpublished)));
  }
  QString text = parts.isEmpty() ? QStringLiteral("Nothing is lost to the others")
                                 : parts.join(QStringLiteral("; "));
  text += u'.';
  if (!consequences.freed.isEmpty()) {
    text +=
        QStringLiteral(" %1 no longer %2 for it.")
            .arg(enumerate(consequences.freed),
                 consequences.freed.size() == 1 ? QStringLiteral("waits") : QStringLiteral("wait"));
  } else if (consequences.regulating) {
    text += QStringLiteral(" Time goes on.");
  }
  return text;
}

QString aftermath(const Consequences& consequences) {
  QStringList parts;
  if (consequences.instances > 0) {
    const QString what = consequences.byClass.size() == 1
                             ? consequences.byClass.front().className + QStringLiteral(" instance")
                             : QStringLiteral("object instance");
    parts << (consequences.instances == 1
                  ? QStringLiteral("1 %1 is gone").arg(what)
                  : QStringLiteral("%1 %2s are gone").arg(grouped(consequences.instances), what));
  }
  if (!consequences.unpublished.isEmpty()) {
    parts << (parts.isEmpty() ? QStringLiteral("Nobody publishes %1")
                              : QStringLiteral("nobody publishes %1"))
                 .arg(enumerate(consequences.unpublished));
  }
  QString text = parts.isEmpty() ? QStringLiteral("Nothing was lost to the others")
                                 : parts.join(QStringLiteral(" and "));
  if (!consequences.silent.empty()) {
    QStringList names;
    for (const auto& each : consequences.silent) names << each.federate;
    text += QStringLiteral("; %1 %2 no more of it")
                .arg(enumerate(names),
                     names.size() == 1 ? QStringLiteral("hears") : QStringLiteral("hear"));
  }
  return text + u'.';
}

}  // namespace tutti::monitor
