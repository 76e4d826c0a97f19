// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <vector>

#include "app/cli/batch_following.h"
#include "app/cli/run_follower.h"
#include "app/cli/run_reach.h"
#include "launcher/engine/kept_runs.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/unseen_end.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::RelayLink;
using launcher::Run;
using nlohmann::json;

/// One that goes on, here or on another machine, as the list has it.
struct Listed {
  QString run;
  QString federation;
  int federates = 0;
  int hosts = 1;
  bool attended = false;
  bool kept = false;
  QString folder;
};

int list(Invocation& invocation, const std::vector<Listed>& runs, const QString& machine,
         const launcher::OwnBatchJobs& jobs = {}) {
  json array = json::array();
  for (const Listed& each : runs) {
    if (invocation.json) {
      array.push_back({{"run", each.run.toStdString()},
                       {"federation", each.federation.toStdString()},
                       {"federates", each.federates},
                       {"hosts", each.hosts},
                       {"attended", each.attended},
                       {"kept", each.kept},
                       {"folder", each.folder.toStdString()}});
      if (!machine.isEmpty()) array.back()["on"] = machine.toStdString();
      continue;
    }
    const QString how = each.attended ? each.kept ? QStringLiteral("attended, goes on without that")
                                                  : QStringLiteral("attended")
                                      : QStringLiteral("left alone");
    const auto counted = [](int count, const char* noun) {
      return QStringLiteral("%1 %2%3").arg(count).arg(QLatin1String(noun),
                                                      count == 1 ? QString() : QStringLiteral("s"));
    };
    invocation.out << QStringLiteral("%1  %2  %3, %4  %5")
                          .arg(each.run, each.federation, counted(each.federates, "federate"),
                               counted(each.hosts, "host"), how)
                   << '\n';
  }
  for (const auto& each : jobs.jobs) {
    if (invocation.json)
      array.push_back(asJson(each));
    else
      invocation.out << lineOf(each) << '\n';
  }
  for (const auto& each : jobs.errors) invocation.err << each.message() << Qt::endl;
  if (invocation.json)
    invocation.print(array);
  else if (runs.empty() && jobs.jobs.empty())
    invocation.out << (machine.isEmpty()
                           ? QStringLiteral("No run is active on this machine.")
                           : QStringLiteral("No run of this account is active on %1.").arg(machine))
                   << '\n';
  invocation.out.flush();
  return Ok;
}

int listHere(Invocation& invocation) {
  launcher::recordUnseenEnds();
  std::vector<Listed> runs;
  for (const auto& each : launcher::goingRuns())
    runs.push_back({each.plan.run, each.plan.federation, static_cast<int>(each.federates),
                    static_cast<int>(each.plan.hosts.size()) + 1, each.attended, each.kept,
                    each.plan.folder});
  return list(invocation, runs, {}, launcher::ownBatchJobs());
}

QString sentence(const launcher::Agent::Loss& loss) {
  return QStringLiteral("%1: %2. %3").arg(loss.where, loss.why, loss.next).trimmed();
}

/// `words`: the run, and what of it is meant; empty: the runs there are listed.
int runElsewhere(Invocation& invocation, const QString& machine, const QString& hostsFile,
                 QStringList words, const QString& pattern) {
  const auto host = launcher::hostNamed(machine, hostsFile);
  if (!host) return invocation.fail(host.error());
  const auto runs = launcher::runsOn(*host);
  if (!runs) return invocation.fail(sentence(runs.error()));
  if (words.isEmpty()) {
    std::vector<Listed> listed;
    for (const auto& each : *runs)
      listed.push_back({each.run, each.federation, each.federates, each.hosts, each.attended,
                        each.kept, each.folder});
    return list(invocation, listed, machine);
  }
  const auto meant = launcher::findFarRun(*runs, words.takeFirst(), machine);
  if (!meant) return invocation.fail(meant.error());

  const int ends = signalsToEnd();
  const auto link = std::make_shared<RelayLink>(*host, meant->run);
  int signalled = 0;
  const auto plan = openLink(*link, ends, signalled);
  if (!plan) {
    ::close(ends);
    return invocation.fail(signalled != 0
                               ? QStringLiteral("Ended before %1 had answered.").arg(machine)
                               : sentence(link->whyLost()));
  }
  Run followed(*plan);
  QStringList federates;
  if (!words.isEmpty()) {
    // Those that have come to it since are not in its plan: their names are taken as they are.
    federates = launcher::processesNamed(*plan, words).value_or(words);
  }
  RunFollower follower(invocation, federates, pattern);
  follower.listenTo(followed);
  follower.listenTo(*link);
  followed.watchThrough(link);
  const int signal = follower.follow(followed, ends, [&](int /*number*/) { follower.leave(); });
  ::close(ends);
  return outcomeOf(invocation, followed, signal);
}

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("attach");
  const bool own = invocation.takeFlag(QStringLiteral("--own"));
  const bool keep = invocation.takeFlag(QStringLiteral("--keep"));
  const auto machine = invocation.takeOption(QStringLiteral("--on"));
  const QString pattern = invocation.takeOption(QStringLiteral("--grep")).value_or(QString());
  const auto ofJob = JobWords::take(invocation);
  if (!ofJob) return invocation.usage(verb, ofJob.error());
  const auto hostsFile =
      machine ? invocation.takeOption(QStringLiteral("--hosts")) : std::optional<QString>();
  QStringList words = invocation.arguments;
  for (const QString& word : words) {
    if (word.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(word));
  }
  if (keep && !own)
    return invocation.usage(verb, QStringLiteral("--keep is for --own: a run that is only watched "
                                                 "goes on in any case"));
  if (*ofJob && (machine || own))
    return invocation.usage(verb, QStringLiteral("--job names a run by itself; such a run is only "
                                                 "watched"));
  if (*ofJob) return followJob(invocation, **ofJob, words, pattern);
  if (machine && own)
    return invocation.usage(verb, QStringLiteral("--own is for runs of this machine: log in at "
                                                 "the other one to take a run over"));
  if (machine)
    return runElsewhere(invocation, *machine, hostsFile.value_or(QString()), words, pattern);
  if (words.isEmpty()) return listHere(invocation);
  auto plan = launcher::findGoingRun(words.takeFirst());
  if (!plan) return invocation.fail(plan.error());
  auto federates = launcher::processesNamed(*plan, words);
  if (!federates) {
    // It may have come to the run since that began, which its supervisors know.
    RunReach reach(*plan);
    if (reach.watch()) federates = launcher::processesNamed(reach.run().plan(), words);
  }
  if (!federates) return invocation.fail(federates.error());

  const int ends = signalsToEnd();
  Run followed(*plan);
  RunFollower follower(invocation, words.isEmpty() ? QStringList() : *federates, pattern);
  follower.listenTo(followed);
  std::optional<launcher::RunRecording> recording;
  if (own) recording.emplace(followed);
  if (own)
    followed.attach(keep);
  else
    followed.watch(true);
  const int signal = follower.follow(followed, ends, [&](int number) {
    if (own && !(followed.isKept() && (keep || number == SIGHUP)))
      followed.stop(number == SIGINT ? QStringLiteral("Ctrl+C") : QStringLiteral("asked"));
    else
      follower.leave();
  });
  if (followed.isOver() && recording) follower.await(*recording, ends);
  ::close(ends);
  return outcomeOf(invocation, followed, signal);
}

const RegisterVerb registered{
    {QStringLiteral("attach"),
     QStringLiteral("[--on HOST [--hosts FILE]] [RUN [FEDERATE|@GROUP ...] [--grep TEXT] [--own "
                    "[--keep]]] | --job JOB [--cluster NAME] [--hosts FILE] [FEDERATE|@GROUP ...] "
                    "[--grep TEXT]"),
     QStringLiteral("List the active runs, or follow one"),
     QStringLiteral(
         "Without RUN: the active runs of this user on this machine, whoever started them, and "
         "those of tutti\n"
         "submit that wait or run as jobs of Slurm.\n"
         "With RUN: its state, what its supervisors still have of its output (the last 8 MiB each; "
         "all of it is\n"
         "in the log files), and then everything that happens, on all its hosts, until it ends or "
         "Ctrl+C. The\n"
         "run does not notice.\n"
         "  --on HOST    the runs of this account on another machine: a name that ssh knows, or "
         "one "
         "of --hosts\n"
         "               FILE. It is reached with ssh and your own keys, and Tutti has to be there "
         "too. Such a run\n"
         "               is only watched; what changes it is done there: ssh HOST tutti stop RUN. "
         "A "
         "connection that\n"
         "               is lost is made anew, and no line is missing or shown twice\n"
         "  --job JOB    a run that was submitted as a job (tutti submit): its place in the queue, "
         "then state and\n"
         "               log to the end, and of the job that continues it; over Slurm, on the "
         "job's first node.\n"
         "               Ctrl+C leaves it alone, in the queue too\n"
         "  --grep TEXT  of what federates write only lines with this text\n"
         "  --own        take over a run that was left alone (tutti run --keep, or a console that "
         "was closed):\n"
         "               Ctrl+C stops it then, unless --keep is given\n"
         "  --json       one event a line, numbered by host; launcher/engine/supervisor/README.md "
         "lists them.\n"
         "               connection and trouble (what, where, why, next) are of this command "
         "itself\n"
         "RUN is its identifier, the beginning of it, or the name of its federation.\n"
         "Exit code 1: a federate died; 2: there is no such run or machine, or the run could not "
         "be "
         "taken over."),
     &run}};

}  // namespace
