// SPDX-License-Identifier: GPL-3.0-or-later
// tutti rerun: starts the plans of an earlier run again, and says what has changed since.
#include <algorithm>

#include "app/cli/past_run.h"
#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "app/cli/verb_run_session.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/unseen_end.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::PastRun;
using launcher::RecordedChange;
using nlohmann::json;

std::string utf8(const QString& text) { return text.toStdString(); }

QString counted(std::size_t number, const char* noun) {
  return QStringLiteral("%1 %2%3").arg(number).arg(QLatin1String(noun), number == 1 ? "" : "s");
}

int list(Invocation& invocation) {
  launcher::recordUnseenEnds();
  const auto runs = launcher::pastRuns();
  if (invocation.json) {
    json array = json::array();
    for (const auto& one : runs) {
      array.push_back({{"run", utf8(one.record.run)},
                       {"federation", utf8(one.record.federation)},
                       {"composition", utf8(one.record.composition)},
                       {"outcome", utf8(outcomeOf(one))},
                       {"started", utf8(one.record.started.toUTC().toString(Qt::ISODate))},
                       {"elapsed", one.record.elapsed},
                       {"hosts", one.record.hosts.size()},
                       {"folder", utf8(one.folder)},
                       {"canRerun", one.canRun}});
    }
    invocation.print(array);
    return Ok;
  }
  if (runs.empty())
    invocation.out << "No run has left a record in " << launcher::runsFolder() << '\n';
  for (const auto& one : runs) {
    invocation.out << one.record.run << "  " << outcomeOf(one).leftJustified(18) << "  "
                   << QStringLiteral("%1 s").arg(one.record.elapsed, 0, 'f', 1).rightJustified(10)
                   << "  " << counted(std::max<std::size_t>(one.record.hosts.size(), 1), "host")
                   << "  " << one.record.federation << (one.canRun ? "" : "  (has no plans)")
                   << '\n';
  }
  invocation.out.flush();
  return Ok;
}

struct Since {
  std::vector<RecordedChange> changes;
  std::size_t files = 0;
  std::size_t hosts = 0;
};

/// What has changed since a run that its plans would use. Asks hosts; copies nothing.
Since changesSince(const launcher::RunRecord& before, const launcher::LaunchPlan& plan) {
  Since since;
  const auto now = launcher::recordedFiles(plan);
  since.changes = launcher::changedFiles(before.files, now);
  since.files = now.size();
  std::vector<launcher::RecordedHost> hosts{launcher::recordedMachine()};
  const auto prepared = launcher::lookAtHosts(plan);
  for (const auto& planned : plan.hosts) {
    for (const auto& report : prepared.reports) {
      if (report.host != planned.host.name) continue;
      if (!report.reached) {
        since.changes.push_back({RecordedChange::Kind::Host,
                                 report.host,
                                 QStringLiteral("cannot be reached: %1").arg(report.loss.why),
                                 {},
                                 {}});
        continue;
      }
      launcher::RecordedHost host;
      host.name = report.host;
      host.hostName = planned.host.destination;
      launcher::describe(host, report);
      hosts.push_back(std::move(host));
    }
  }
  since.hosts = plan.hosts.size() + 1;
  for (auto& one : launcher::changedHosts(before.hosts, hosts))
    since.changes.push_back(std::move(one));
  return since;
}

json asJson(const std::vector<RecordedChange>& changes) {
  using Kind = RecordedChange::Kind;
  json array = json::array();
  for (const auto& one : changes) {
    json entry = {{"kind", one.kind == Kind::Changed ? "changed"
                           : one.kind == Kind::Gone  ? "gone"
                           : one.kind == Kind::New   ? "new"
                                                     : "host"},
                  {"what", utf8(one.what)},
                  {"detail", utf8(one.detail)}};
    for (const auto& [key, file] : {std::pair{"before", one.before}, std::pair{"now", one.now}}) {
      if (file) entry[key] = {{"sha256", file->sha256.toStdString()}, {"size", file->size}};
    }
    array.push_back(std::move(entry));
  }
  return array;
}

void say(Invocation& invocation, const launcher::RunRecord& before, const Since& since) {
  for (const auto& change : before.changes)
    invocation.out << "During " << before.run << ", "
                   << change.time.toLocalTime().toString(QStringLiteral("HH:mm:ss")) << ": "
                   << change.text() << '\n';
  const bool cameOrWent = std::any_of(
      before.changes.begin(), before.changes.end(),
      [](const auto& change) { return change.kind != launcher::RunChange::Kind::Paced; });
  if (cameOrWent)
    invocation.out << "Started are those that were in it last, where they were last.\n";
  const QString looked =
      counted(since.files, "file") + QStringLiteral(" and ") + counted(since.hosts, "host");
  if (since.changes.empty()) {
    invocation.out << "Nothing has changed since " << before.run << ": " << looked << Qt::endl;
    return;
  }
  invocation.out << "Changed since " << before.run << ", of " << looked << ":\n";
  for (const auto& change : since.changes) invocation.out << "  " << change.text() << '\n';
  invocation.out.flush();
}

int rerun(Invocation& invocation) {
  const auto verb = QStringLiteral("rerun");
  if (invocation.takeFlag(QStringLiteral("--list"))) {
    if (!invocation.arguments.isEmpty())
      return invocation.usage(verb, QStringLiteral("--list takes nothing else"));
    return list(invocation);
  }
  const bool changesOnly = invocation.takeFlag(QStringLiteral("--changes"));
  auto options = RunOptions::take(invocation);
  if (!options) return invocation.usage(verb, options.error());
  for (const QString& argument : invocation.arguments) {
    if (argument.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(argument));
  }
  if (invocation.arguments.size() > 1)
    return invocation.usage(verb, QStringLiteral("name at most one run, or the folder of one"));
  const auto refuse = [&](const QString& why) {
    if (invocation.json)
      invocation.print({{"error", utf8(why)}});
    else
      invocation.err << why << Qt::endl;
    return Usage;
  };
  const auto past = findPastRun(invocation.arguments.value(0), true);
  if (!past) return refuse(past.error());
  auto input = readPlans(past->folder);
  if (!input) return refuse(input.error());
  const auto since = changesSince(past->record, input->plan);
  options->more = {{"rerunOf", utf8(past->record.run)}, {"changes", asJson(since.changes)}};
  if (!invocation.json) say(invocation, past->record, since);
  if (changesOnly) {
    if (invocation.json) invocation.print(options->more);
    return since.changes.empty() ? Ok : Findings;
  }
  options->rerunOf = past->record.run;
  return startRun(invocation, std::move(*input), *options);
}

const RegisterVerb registered{
    {QStringLiteral("rerun"),
     QStringLiteral("[RUN|FOLDER] [--changes] [--list] [--duration SECONDS] [--no-copy] [--quiet] "
                    "[--no-record]"),
     QStringLiteral("Start the plans of an earlier run again, and say what has changed"),
     QStringLiteral(
         "RUN is a run identifier or its beginning, by default the newest run; FOLDER that of a "
         "run.\nPrints which executables, libraries, FOM modules, manifests and hosts are not as "
         "they were then,\neach file with its check sums and sizes, and starts the same plans for "
         "a "
         "run of its own.\n"
         "  --changes    says what has changed, and starts nothing: exit code 0: nothing has, 1: "
         "something\n"
         "  --list       the runs that have left a record, newest first\n"
         "The other options are those of tutti run.\n"
         "Exit code 0: it ended in order; 1: a federate died or was never ready; 2: nothing could "
         "be started."),
     &rerun}};

}  // namespace
