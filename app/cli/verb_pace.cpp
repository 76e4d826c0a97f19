// SPDX-License-Identifier: GPL-3.0-or-later
#include <QStringList>
#include <cmath>
#include <optional>

#include "app/cli/running_federation.h"
#include "app/cli/verb.h"
#include "fabric/pace_range.h"
#include "monitor/engine/observe_source.h"
#include "monitor/engine/time_control.h"

namespace {

using namespace tutti;
using namespace tutti::app;

const QString fastest = QStringLiteral("max");

/// 0: as fast as possible. Nothing: it is none.
std::optional<double> paceOf(const QString& word) {
  if (word == fastest) return 0;
  bool valid = false;
  const double pace = word.toDouble(&valid);
  if (!valid || !(pace >= fabric::slowestPace && pace <= fabric::fastestPace)) return std::nullopt;
  return pace;
}

QString textOf(double pace) {
  return pace > 0 ? QStringLiteral("%1× real time").arg(pace)
                  : QStringLiteral("as fast as possible");
}

nlohmann::json jsonOf(double pace) {
  return pace > 0 ? nlohmann::json(pace) : nlohmann::json("max");
}

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("pace");
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(QStringLiteral("--")))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (words.size() > 2)
    return invocation.usage(verb, QStringLiteral("name at most one federation, and one pace"));
  std::optional<double> wanted;
  if (!words.isEmpty()) {
    wanted = paceOf(words.constLast());
    bool number = false;
    words.constLast().toDouble(&number);
    if (!wanted && (words.size() == 2 || number)) {
      return invocation.usage(
          verb, QStringLiteral("%1 is no pace: give units of logical time per second, from "
                               "0.000001 to 1e12, or max for as fast as possible%2")
                    .arg(words.constLast(), words.constLast().toDouble() == 0 && number
                                                ? QStringLiteral(" (tutti pause holds time)")
                                                : QString()));
    }
    if (wanted) words.removeLast();
  }
  const auto target = findFederation(words.value(0), designator);
  if (!target) return invocation.fail(target.error());

  const auto source = monitor::makeObserveSource(target->designator(), target->federation);
  source->refresh();
  const auto before = source->read();
  if (!before) return invocation.fail(before.error());
  const bool managed = std::any_of(before->federates.begin(), before->federates.end(),
                                   [](const auto& each) { return monitor::managesTime(each); });
  if (wanted) {
    if (const auto set = source->setPace(*wanted); !set) return invocation.fail(set.error());
  }
  const double now = wanted.value_or(before->pace);
  if (invocation.json) {
    invocation.print({{"federation", target->federation.toStdString()},
                      {"rti", target->designator().toStdString()},
                      {"pace", jsonOf(now)},
                      {"before", jsonOf(before->pace)},
                      {"held", before->held},
                      {"timeManaged", managed}});
    return Ok;
  }
  invocation.out << (wanted ? QStringLiteral("%1 goes on %3%2, before %4.")
                                  .arg(target->federation, textOf(now),
                                       now > 0 ? QStringLiteral("at ") : QString(),
                                       textOf(before->pace))
                            : QStringLiteral("%1 goes %3%2.")
                                  .arg(target->federation, textOf(now),
                                       now > 0 ? QStringLiteral("at ") : QString()))
                 << Qt::endl;
  if (before->held)
    invocation.out << QStringLiteral("Its time is held now; the pace counts when it goes on.")
                   << Qt::endl;
  if (!managed)
    invocation.out << QStringLiteral(
                          "No federate takes part in logical time yet. Components that never do "
                          "keep the pace they were started with.")
                   << Qt::endl;
  return Ok;
}

const RegisterVerb registered{
    {QStringLiteral("pace"), QStringLiteral("[FEDERATION] [N | max] [--rti shm:NAME]"),
     QStringLiteral("Change the pace of a running federation"),
     QStringLiteral(
         "From now on the RTI grants N units of logical time per second of wall clock and no\n"
         "more; max: as fast as the federates can. Without N, prints the pace that holds. It stays "
         "when\n"
         "this command has ended, until somebody sets another. A pause earns nothing: time goes\n"
         "on from where it was held. Federates that take no part in logical time are not held.\n"
         "Exit code 0: it holds; 2: there is no such federation, or N is no pace."),
     &run}};

}  // namespace
