// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "app/cli/verb_run_session.h"
#include "composer/model/composition.h"

namespace {

using namespace tutti;
using namespace tutti::app;

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("run");
  const auto architecture = invocation.takeOption(QStringLiteral("--architecture"));
  const auto hosts = invocation.takeOption(QStringLiteral("--hosts"));
  const auto place = PlaceOptions::take(invocation);
  if (!place) return invocation.usage(verb, place.error());
  auto options = RunOptions::take(invocation);
  if (!options) return invocation.usage(verb, options.error());
  const auto isCalled = [&](const composer::Architecture& one) {
    return *architecture == QLatin1String(one.name);
  };
  if (architecture && std::none_of(std::begin(composer::architectures),
                                   std::end(composer::architectures), isCalled))
    return invocation.usage(verb, QStringLiteral("--architecture is decentralized, federated or "
                                                 "centralized"));
  for (const QString& argument : invocation.arguments) {
    if (argument.startsWith(u'-'))
      return invocation.usage(verb, QStringLiteral("there is no option %1").arg(argument));
  }
  if (invocation.arguments.size() != 1)
    return invocation.usage(verb, QStringLiteral("name one composition or launch plan"));
  auto input = readRunInput(invocation.arguments.front(), hosts.value_or(QString()), *place);
  if (!input) {
    if (invocation.json)
      invocation.print({{"error", input.error().toStdString()}});
    else
      invocation.err << input.error() << Qt::endl;
    return Usage;
  }
  if (architecture) input->plan.setArchitecture(*architecture);
  if (input->placed) {
    options->more["placement"] = input->placed->toJson();
    if (!invocation.json && options->table) input->placed->print(invocation.out);
  }
  return startRun(invocation, std::move(*input), *options);
}

const RegisterVerb registered{
    {QStringLiteral("run"),
     QStringLiteral(
         "FILE [--hosts FILE [--no-copy]] [--place [--declared] [--partition CLUSTER/PARTITION "
         "[--nodes N]]] [--duration SECONDS] [--architecture NAME] "
         "[--quiet] [--no-record] [--keep] [--restore LABEL] [--save-before-limit MINUTES] "
         "[--continue]"),
     QStringLiteral("Run a federation on this machine and on others"),
     QStringLiteral(
         "FILE is a composition, or a launch plan (of tutti plan, or the plan.json of an earlier "
         "run).\n"
         "Starts an RTI node and the federates, shows them until they end, --duration has passed "
         "since\n"
         "all were ready, or Ctrl+C stops them (twice: at once). In a terminal a table is kept up "
         "to date,\n"
         "otherwise a line a second is written.\n"
         "  --hosts FILE the hosts that federates are placed on, reached by SSH; else the "
         "*.hosts.json beside FILE\n"
         "               of the same name, or the only one there. What hosts lack is copied to "
         "~/.cache/tutti\n"
         "               there, unless --no-copy is given\n"
         "  --place      places the federates that neither name a host nor are pinned, as tutti "
         "place does, and\n"
         "               says where and why; FILE stays as it is. When no host has what one needs, "
         "nothing is\n"
         "               started. Inside of a Slurm job its nodes are the hosts\n"
         "  --declared   with --place: by the rates that components declare, not those that a run "
         "has measured\n"
         "  --partition CLUSTER/PARTITION, --nodes N\n"
         "               with --place: on so many nodes of a job of that partition, without N on "
         "as "
         "few as are enough\n"
         "  --quiet      only the summary\n"
         "  --no-record  keep no record in the run store\n"
         "  --keep       once all are ready, the run goes on when this command is killed or its "
         "terminal goes;\n"
         "               tutti attach finds it, tutti stop ends it\n"
         "  --restore LABEL\n"
         "               the federation begins as it was at that save: time stands until all have "
         "restored it;\n"
         "               the run ends when they cannot\n"
         "  --save-before-limit MINUTES\n"
         "               in a job of Slurm: the federation is saved so long before the job's time "
         "limit (0: never),\n"
         "               as before-limit-of-job-JOB; instead of saveBeforeLimit of the cluster "
         "(5)\n"
         "  --continue   and goes on from there in another job, when the job has reached its "
         "limit; as continue\n"
         "               of the cluster\n"
         "  --architecture decentralized|federated|centralized\n"
         "               the way of messages: straight into each other's memory, through the node "
         "of "
         "the\n"
         "               host, through one node; instead of what the composition says\n"
         "Exit code 0: it ended in order; 1: a federate died or was never ready; 2: nothing could "
         "be started."),
     &run}};

}  // namespace
