// SPDX-License-Identifier: GPL-3.0-or-later
// tutti submit: a run as a batch job of Slurm, which needs no console.
#include <QCoreApplication>
#include <algorithm>

#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "app/cli/verb_run_session.h"
#include "composer/model/composition.h"
#include "launcher/engine/batch_job.h"
#include "launcher/engine/slurm_nodes.h"

namespace {

using namespace tutti;
using namespace tutti::app;

/// Those of `tutti run` in the job.
QStringList optionsOf(const RunOptions& options) {
  QStringList result;
  if (!options.copy) result << QStringLiteral("--no-copy");
  if (!options.table) result << QStringLiteral("--quiet");
  if (!options.record) result << QStringLiteral("--no-record");
  if (options.continues) result << QStringLiteral("--continue");
  if (options.saveBeforeLimit)
    result << QStringLiteral("--save-before-limit") << QString::number(*options.saveBeforeLimit);
  return result;
}

int run(Invocation& invocation) {
  const auto verb = QStringLiteral("submit");
  const auto architecture = invocation.takeOption(QStringLiteral("--architecture"));
  const auto hosts = invocation.takeOption(QStringLiteral("--hosts"));
  const auto folder = invocation.takeOption(QStringLiteral("-o"));
  auto place = PlaceOptions::take(invocation);
  if (!place) return invocation.usage(verb, place.error());
  if (*place) (*place)->inThisJob = false;
  const auto options = RunOptions::take(invocation);
  if (!options) return invocation.usage(verb, options.error());
  if (options->keep)
    return invocation.usage(verb, QStringLiteral("a run in a job is kept in any case: leave --keep "
                                                 "away"));
  if (folder && folder->isEmpty())
    return invocation.usage(verb, QStringLiteral("-o needs a folder"));
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
  const auto refuse = [&](const QString& why) {
    if (invocation.json)
      invocation.print({{"error", why.toStdString()}});
    else
      invocation.err << why << Qt::endl;
    return Usage;
  };
  auto input = readRunInput(invocation.arguments.front(), hosts.value_or(QString()), *place);
  if (!input) return refuse(input.error());
  if (options->seconds) input->plan.stopAfter = options->seconds;

  launcher::BatchRequest request;
  request.architecture = architecture.value_or(QString());
  request.options = optionsOf(*options);
  request.restore = options->restore;
  request.tutti = QCoreApplication::applicationFilePath();
  request.folder = folder.value_or(QString());
  request.plan = std::move(input->plan);
  const auto job = launcher::submitBatchJob(request);
  if (!job) return refuse(job.error().message());
  if (job->jobs.isEmpty()) {
    if (invocation.json)
      invocation.print(
          {{"error", job->doubt.toStdString()}, {"folder", job->folder.toStdString()}});
    else
      invocation.err << job->doubt << Qt::endl;
    return Findings;
  }
  if (!job->doubt.isEmpty()) invocation.err << job->doubt << Qt::endl;
  if (input->placed && !invocation.json && options->table) input->placed->print(invocation.out);
  const qint64 number = job->jobs.front();
  const auto asked = launcher::requestsOf(request.plan).front();
  if (invocation.json) {
    invocation.print({{"job", number},
                      {"cluster", asked.cluster.name.toStdString()},
                      {"partition", asked.partition.toStdString()},
                      {"nodes", asked.nodes},
                      {"federation", request.plan.federation.toStdString()},
                      {"folder", job->folder.toStdString()},
                      {"placement", input->placed ? input->placed->toJson() : nlohmann::json()}});
    return Ok;
  }
  invocation.out
      << QStringLiteral(
             "Job %1: %2 on %3 of %4/%5. It needs this machine no longer.\n"
             "  tutti attach --job %1    follows it, in the queue and running; Ctrl+C leaves it "
             "alone\n"
             "  tutti stop --job %1      takes it out of the queue, or has it end in order\n"
             "Its plans and what it prints: %6")
             .arg(number)
             .arg(request.plan.federation,
                  asked.nodes == 1 ? QStringLiteral("1 node")
                                   : QStringLiteral("%1 nodes").arg(asked.nodes),
                  asked.cluster.name, asked.partition, job->folder)
      << Qt::endl;
  return Ok;
}

const RegisterVerb registered{
    {QStringLiteral("submit"),
     QStringLiteral("FILE [--hosts FILE [--no-copy]] [--place [--declared] [--partition "
                    "CLUSTER/PARTITION [--nodes N]]] [--duration SECONDS] [--architecture NAME] "
                    "[--restore LABEL] [--quiet] [--no-record] [--save-before-limit MINUTES] "
                    "[--continue] [-o FOLDER]"),
     QStringLiteral("Run a federation as a batch job of Slurm"),
     QStringLiteral(
         "FILE is a composition whose federates are placed on nodes of one partition, or a launch "
         "plan of one.\n"
         "Its plans are written to a folder and submitted with sbatch; tutti run starts them on "
         "the first node\n"
         "once the job has its nodes, and needs no console: federates without a host are on that "
         "node too. What\n"
         "the composition and the hosts file say later changes nothing of it; programs and FOM "
         "modules are those\n"
         "that are there when it starts.\n"
         "Prints the number of the job, for tutti attach --job and tutti stop --job.\n"
         "  --duration SECONDS, --architecture, --restore, --no-copy, --quiet, --no-record, "
         "--save-before-limit,\n"
         "               --continue: as of tutti run. A cluster without timeLimit gives the job "
         "the duration and\n"
         "               5 min more\n"
         "  --hosts FILE the hosts that federates are placed on; else as of tutti run\n"
         "  --place, --declared, --partition, --nodes\n"
         "               places those without a host now, as tutti run does; name the partition\n"
         "  -o FOLDER    where the plans, the script and what the job prints are kept; else below\n"
         "               ~/.local/state/tutti/jobs. All nodes of the job see it, as all else that "
         "it needs\n"
         "On a cluster that names a login host the files must be there at the same paths.\n"
         "Exit code 1: Slurm did not say whether it has taken the job; 2: nothing was submitted."),
     &run}};

}  // namespace
