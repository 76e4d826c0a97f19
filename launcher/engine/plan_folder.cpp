// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/plan_folder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <utility>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/command_line.h"
#include "composer/model/json_source.h"
#include "launcher/engine/connection_plan.h"
#include "launcher/engine/run_script.h"
#include "launcher/engine/slurm_script.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::JsonSource;

QStringList jobNodesOf(const LaunchPlan& plan) {
  QStringList names;
  for (const auto& host : plan.hosts) {
    if (host.host.jobNode) names << host.host.name;
  }
  return names;
}

/// For run.sh, which reaches hosts by ssh: a node is known, and may be used, only in a job.
QByteArray refusingScript(const QString& why, const QString& next) {
  return QStringLiteral("#!/bin/sh\n# Written by `tutti plan`.\nprintf '%s\\n' %1 %2 >&2\nexit 2\n")
      .arg(composer::shellQuoted(why), composer::shellQuoted(next))
      .toUtf8();
}

/// The scripts of a plan with federates on nodes of a cluster: `tutti launch` is the job.
void addScriptsOfJob(std::map<QString, QByteArray>& files, const LaunchPlan& plan,
                     const QStringList& nodes) {
  const QString tutti = programOfTutti(QStringLiteral("tutti"), composer::Catalog::binaryFolders())
                            .value_or(QStringLiteral("tutti"));
  const auto job = sbatchScript(plan, {tutti, QStringLiteral("launch"), QStringLiteral(".")});
  const QString here = QStringLiteral("Nothing was started. In this folder: %1tutti launch .")
                           .arg(job ? QStringLiteral("sbatch job.sbatch, or ") : QString());
  files[QStringLiteral("job.sbatch")] =
      job ? *job : refusingScript(job.error().what + u' ' + job.error().next, here);
  files[QStringLiteral("run.sh")] = refusingScript(
      QStringLiteral("run.sh reaches hosts by ssh, and %1 %2 of a Slurm job, which does not "
                     "exist yet.")
          .arg(nodes.join(QStringLiteral(", ")),
               nodes.size() == 1 ? QStringLiteral("is a node") : QStringLiteral("are nodes")),
      here);
}

QByteArray guide(const LaunchPlan& plan, bool isOfJob) {
  const QString text = QStringLiteral(
      "The federation execution %1, planned by `tutti plan`.\n"
      "\n"
      "launch.json       every process: command, host, environment, order, readiness, time-outs\n"
      "connections.json  every RTI node, link and federate's node; where the home listens, the\n"
      "                  architecture, the grace of the links; what ends with which part\n"
      "%3"
      "\n"
      "  tutti launch FOLDER            starts the run as the two plans say\n"
      "  tutti plan FOLDER              says what stands in its way\n"
      "  tutti plan FOLDER -o FOLDER    writes the scripts again after a change of the plans\n"
      "\n"
      "The files hold no times and no identifiers of runs: the same composition gives the same\n"
      "bytes. Paths are absolute. What launch.json calls run-%2 gets a name of its own in each "
      "run.\n");
  const QString scripts =
      isOfJob ? QStringLiteral(
                    "run.sh            says why this run needs a job of Slurm, and starts nothing\n"
                    "job.sbatch        asks for the nodes and starts tutti launch in its job: "
                    "sbatch job.sbatch\n"
                    "                  in this folder\n")
              : QStringLiteral(
                    "run.sh            starts the same run without the console: sh run.sh "
                    "[SECONDS]\n"
                    "job.sbatch        starts run.sh as a job of Slurm: sbatch job.sbatch\n");
  return text.arg(plan.federation, QLatin1String(runOfFiles), scripts).toUtf8();
}

/// Whether there is a launch plan, of whatever version: files beside it are Tutti's.
bool holdsPlan(const QDir& folder) {
  QFile file(folder.filePath(QLatin1String(launchFile)));
  if (!file.open(QIODevice::ReadOnly)) return false;
  const auto json = QJsonDocument::fromJson(file.readAll()).object();
  return json["version"].isDouble() && json["processes"].isArray();
}

/// Names like run.sh and README.txt are those of many a file that somebody wrote by hand.
tl::expected<void, Error> refuseForeignFiles(const QString& folder,
                                             const std::map<QString, QByteArray>& files) {
  const QDir place(folder);
  QStringList there;
  for (const auto& [name, bytes] : files) {
    if (QFileInfo::exists(place.filePath(name))) there << name;
  }
  if (there.isEmpty() || holdsPlan(place)) return {};
  return tl::unexpected(
      Error{folder,
            0,
            {},
            QStringLiteral("The folder holds no launch plan of Tutti's, and %1, which would be "
                           "replaced: nothing was written.")
                .arg(there.join(QStringLiteral(", "))),
            QStringLiteral("Name a new folder, or move what is there away.")});
}

}  // namespace

std::map<QString, QByteArray> filesOfPlan(const LaunchPlan& plan, const QString& architecture) {
  LaunchPlan launch = plan;
  LaunchPlan connected = plan;
  const auto connections = ConnectionPlan::of(plan, architecture);
  // Each thing is said once: these are in the connection plan.
  launch.grace = usualGraceSeconds;
  launch.setArchitecture({});
  connected.setArchitecture(connections.architecture);
  const QStringList nodes = jobNodesOf(plan);
  std::map<QString, QByteArray> files{
      {QLatin1String(launchFile), launch.toBytes()},
      {QLatin1String(connectionsFile), connections.toBytes()},
      {QStringLiteral("README.txt"), guide(plan, !nodes.isEmpty())}};
  if (nodes.isEmpty()) {
    files[QStringLiteral("run.sh")] = runScript(connected);
    files[QStringLiteral("job.sbatch")] = jobScript(connected);
  } else {
    addScriptsOfJob(files, connected, nodes);
  }
  return files;
}

tl::expected<void, Error> writePlanFolder(const QString& folder,
                                          const std::map<QString, QByteArray>& files) {
  if (!QDir().mkpath(folder)) {
    return tl::unexpected(Error{folder,
                                0,
                                {},
                                QStringLiteral("The folder cannot be made."),
                                QStringLiteral("See whether something else has that name, and "
                                               "who may write there.")});
  }
  if (auto refused = refuseForeignFiles(folder, files); !refused) return refused;
  // The launch plan first: by it the others are known to be Tutti's, should one of them fail.
  std::vector<std::pair<QString, QByteArray>> inOrder(files.begin(), files.end());
  std::stable_partition(inOrder.begin(), inOrder.end(),
                        [](const auto& file) { return file.first == QLatin1String(launchFile); });
  for (const auto& [name, bytes] : inOrder) {
    const QString file = QDir(folder).filePath(name);
    if (auto written = composer::replaceFile(file, bytes); !written) return written;
    if (name.endsWith(QStringLiteral(".sh")) || name.endsWith(QStringLiteral(".sbatch")))
      QFile::setPermissions(file, QFile::permissions(file) | QFile::ExeOwner | QFile::ExeUser);
  }
  return {};
}

tl::expected<PlanOfFolder, Error> readPlanFolder(const QString& folder) {
  const QString place = QFileInfo(folder).absoluteFilePath();
  const QString file = QDir(place).filePath(QLatin1String(launchFile));
  auto plan = LaunchPlan::load(file);
  if (!plan) return tl::unexpected(plan.error());
  const auto launch = JsonSource::read(file);
  if (!launch) return tl::unexpected(launch.error());
  const auto connections = JsonSource::read(QDir(place).filePath(QLatin1String(connectionsFile)));
  if (!connections) return tl::unexpected(connections.error());
  PlanOfFolder result{std::move(*plan), {}};
  if (auto applied = applyConnections(result.plan, *launch, *connections); !applied)
    return tl::unexpected(applied.error());
  const auto said = ConnectionPlan::fromSource(*connections);
  if (!said) return tl::unexpected(said.error());
  result.architecture = said->architecture;
  return result;
}

}  // namespace tutti::launcher
