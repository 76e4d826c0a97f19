// SPDX-License-Identifier: GPL-3.0-or-later
// tutti resign: federates leave their federation execution because the MOM has them do so.
#include "app/cli/interruption.h"
#include "app/cli/run_reach.h"
#include "app/cli/running_federation.h"
#include "launcher/engine/joined.h"
#include "launcher/engine/kept_runs.h"
#include "monitor/engine/federation_resign.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using monitor::ResignProgress;
using nlohmann::json;

/// For supervisors to hear that federates are about to resign.
constexpr int supervisorsMs = 3000;

json listOf(const QStringList& names) {
  json list = json::array();
  for (const QString& name : names) list.push_back(name.toStdString());
  return list;
}

int report(Invocation& invocation, const Target& target, const ResignProgress& outcome,
           const QStringList& stillThere) {
  const QString why = outcome.whyNotAll();
  if (invocation.json) {
    json refused = json::array();
    for (const auto& one : outcome.refused)
      refused.push_back({{"name", one.federate.toStdString()}, {"why", one.why.toStdString()}});
    invocation.print({{"federation", target.federation.federation.toStdString()},
                      {"rti", target.federation.designator().toStdString()},
                      {"resigned", listOf(outcome.resigned)},
                      {"awaited", listOf(outcome.awaited)},
                      {"lost", listOf(outcome.lost)},
                      {"left", listOf(outcome.left)},
                      {"refused", refused},
                      {"processes", listOf(stillThere)}});
    return outcome.isDone() && outcome.left.isEmpty() ? Ok : Findings;
  }
  if (!outcome.resigned.isEmpty())
    invocation.out << QStringLiteral("%1 of %2 federates of %3 %4 resigned: %5")
                          .arg(outcome.resigned.size())
                          .arg(outcome.federates())
                          .arg(target.federation.federation,
                               outcome.resigned.size() == 1 ? QStringLiteral("has")
                                                            : QStringLiteral("have"),
                               outcome.resigned.join(QStringLiteral(", ")))
                   << Qt::endl;
  if (!outcome.lost.isEmpty())
    invocation.out
        << QStringLiteral("died meanwhile: %1").arg(outcome.lost.join(QStringLiteral(", ")))
        << Qt::endl;
  if (!outcome.left.isEmpty())
    invocation.out << QStringLiteral("the RTI node ended before they were seen to resign: %1")
                          .arg(outcome.left.join(QStringLiteral(", ")))
                   << Qt::endl;
  if (!stillThere.isEmpty())
    invocation.out
        << QStringLiteral(
               "still running: %1. Each is told to end 10 s after it has resigned; tutti "
               "stop %2 does it now.")
               .arg(stillThere.join(QStringLiteral(", ")), target.run->run)
        << Qt::endl;
  if (!why.isEmpty()) invocation.err << why << Qt::endl;
  return outcome.isDone() && outcome.left.isEmpty() ? Ok : Findings;
}

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("resign");
  const QString designator = invocation.takeOption(QStringLiteral("--rti")).value_or(QString());
  const auto actionName = invocation.takeOption(QStringLiteral("--action"));
  const auto timeout = invocation.takeOption(QStringLiteral("--timeout"));
  double seconds = 10;
  if (timeout) {
    bool valid = false;
    seconds = timeout->toDouble(&valid);
    if (!valid || !(seconds > 0 && seconds <= 1e6))
      return invocation.usage(
          verb, QStringLiteral("--timeout needs seconds, above 0 and at most 1000000"));
  }
  std::optional<int> action;
  if (actionName) {
    action = monitor::resignActionOf(*actionName);
    if (!action)
      return invocation.usage(verb, QStringLiteral("--action is one of %1")
                                        .arg(monitor::resignActions().join(QStringLiteral(", "))));
  }
  QStringList names = invocation.arguments;
  for (const QString& word : names) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  const QString wanted = names.isEmpty() ? QString() : names.takeFirst();
  const auto target = findTarget(wanted, designator);
  if (!target) return invocation.fail(target.error());
  const auto& federation = target->federation;

  std::unique_ptr<RunReach> reach;
  QStringList processes;
  QHash<QString, QString> processOf;
  if (target->run) {
    reach = std::make_unique<RunReach>(*target->run);
    if (!reach->watch()) return invocation.fail(reach->why());
    const auto joined =
        launcher::joinedAtNode(federation.designator(), federation.federation)().value_or(
            std::vector<launcher::JoinedFederate>());
    if (!names.isEmpty()) {
      // Boxes and groups are of the run; a federate that joined by itself is not.
      if (const auto ids = launcher::processesNamed(reach->run().plan(), names)) {
        names = reach->run().federatesOf(joined, *ids);
        if (names.isEmpty())
          return invocation.fail(
              QStringLiteral("None of them is joined to %1.").arg(federation.federation));
      }
    }
    processes = reach->run().processesOf(joined, names);
    processOf = reach->run().processByFederate(joined);
    reach->run().expectResign(processes);
    // A host that is out of reach does not hold the others up.
    reach->await([&] { return reach->run().isAwaitingResign(processes); }, supervisorsMs);
  }

  const Interruption interruption;
  const auto tell = [&](const ResignProgress& progress) {
    if (invocation.json || progress.awaited.isEmpty() || progress.elapsed < 1) return;
    invocation.err << QStringLiteral("%1 s: waits for %2 of %3 federates: %4")
                          .arg(progress.elapsed, 0, 'f', 0)
                          .arg(progress.awaited.size())
                          .arg(progress.federates())
                          .arg(progress.awaited.mid(0, 5).join(QStringLiteral(", ")))
                   << Qt::endl;
  };
  auto outcome = monitor::operateResign(
      federation.node, federation.federation, names, action,
      std::chrono::milliseconds(static_cast<qint64>(seconds * 1000)), tell, interruption.token());
  if (!reach)
    return outcome ? report(invocation, *target, *outcome, {}) : invocation.fail(outcome.error());
  launcher::Run& going = reach->run();
  if (!outcome) {
    going.noteResigned({}, processes);
    return invocation.fail(outcome.error());
  }
  if (!outcome->left.isEmpty()) {
    // An end in order of the run means that they have resigned.
    reach->await([&] { return going.isOver(); });
    if (going.isOver() && going.outcome() == launcher::Run::Outcome::Clean)
      outcome->resigned << std::exchange(outcome->left, {});
  }
  const auto of = [&](const QStringList& federates) {
    QStringList ids;
    for (const QString& federate : federates) {
      if (const auto one = processOf.constFind(federate); one != processOf.cend()) ids << *one;
    }
    return ids;
  };
  QStringList refused;
  for (const auto& one : outcome->refused) refused << one.federate;
  const QStringList resigned = of(outcome->resigned);
  going.noteResigned(resigned, of(refused));
  const auto isNoted = [&](const QString& id) {
    const auto* one = going.process(id);
    return one == nullptr || one->resigned;
  };
  reach->await([&] { return std::all_of(resigned.begin(), resigned.end(), isNoted); });
  QStringList stillThere;
  for (const QString& id : resigned) {
    const auto* one = going.process(id);
    if (one != nullptr && one->alive()) stillThere << id;
  }
  return report(invocation, *target, *outcome, stillThere);
}

const RegisterVerb registered{
    {QStringLiteral("resign"),
     QStringLiteral("[RUN|FEDERATION] [FEDERATE|@GROUP ...] [--action ACTION] [--rti shm:NAME] "
                    "[--timeout SECONDS]"),
     QStringLiteral("Have federates resign from a running federation execution"),
     QStringLiteral(
         "Makes all federates resign, or those that are named, through the MOM (IEEE 1516.1-2010, "
         "11.4,\n"
         "HLAresignFederationExecution): wherever they run, whoever started them. To the others it "
         "is as if they had\n"
         "resigned by themselves; the next service that such a federate calls throws "
         "FederateNotExecutionMember.\n"
         "ACTION is UnconditionallyDivestAttributes, DeleteObjects, "
         "CancelPendingOwnershipAcquisitions,\n"
         "DeleteObjectsThenDivest, CancelThenDeleteThenDivest or NoAction; without it each "
         "federate's automatic resign\n"
         "directive (10.3). A federate that hangs holds nobody up: it is named after --timeout "
         "(10 s), and resigns when it\n"
         "evokes callbacks again.\n"
         "In a run of tutti the end of these processes does not count as a death, and no policy "
         "starts them again; one that\n"
         "has not ended by itself 10 s after its federate has resigned gets SIGTERM.\n"
         "Exit code 0: all have resigned; 1: one has not; 2: there is nobody to resign."),
     &run}};

}  // namespace
