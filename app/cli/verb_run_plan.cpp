// SPDX-License-Identifier: GPL-3.0-or-later
// tutti plan: what the Deploy page shows, on the command line.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <map>

#include "app/cli/place_at_launch.h"
#include "app/cli/verb.h"
#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/json_source.h"
#include "composer/model/object_models.h"
#include "launcher/engine/connection_plan.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/preflight.h"

namespace {

using namespace tutti;
using namespace tutti::app;
using launcher::LaunchPlan;
using launcher::PreflightCheck;

QString levelName(PreflightCheck::Level level) {
  switch (level) {
    case PreflightCheck::Level::Passed:
      return QStringLiteral("passed");
    case PreflightCheck::Level::Warning:
      return QStringLiteral("warning");
    case PreflightCheck::Level::Error:
      return QStringLiteral("error");
  }
  return {};
}

nlohmann::json asJson(const PreflightCheck& check) {
  nlohmann::json fixes = nlohmann::json::array();
  for (const auto& fix : check.fixes)
    fixes.push_back({{"label", fix.label.toStdString()}, {"command", fix.command.toStdString()}});
  return {{"check", check.id.toStdString()},    {"level", levelName(check.level).toStdString()},
          {"title", check.title.toStdString()}, {"detail", check.detail.toStdString()},
          {"where", check.where.toStdString()}, {"fixes", fixes}};
}

/// What there is to say about one plan, and to write.
struct Planned {
  std::vector<PreflightCheck> checks;
  std::optional<LaunchPlan> plan;
  std::map<QString, QByteArray> files;  ///< of a folder of plans
  std::optional<PlacedLaunch> placed{};
};

/// The composition's checks and plan.
tl::expected<Planned, QString> planComposition(const QString& file, const QString& hosts,
                                               const std::optional<PlaceOptions>& place) {
  auto composition = composer::Composition::load(file);
  if (!composition) return tl::unexpected(composition.error().message());
  // A file that is named is there, whether a federate is placed by it or not.
  if (!hosts.isEmpty()) {
    if (const auto read = launcher::Deployment::read(hosts); !read)
      return tl::unexpected(read.error().message());
  }
  const auto catalog = composer::Catalog::readDefault();
  // What is written is the same for the same composition, so it names no run.
  const LaunchPlan::Options options{QLatin1String(launcher::runOfFiles),
                                    QFileInfo(file).absoluteFilePath(),
                                    QFileInfo(file).absolutePath(),
                                    {},
                                    hosts};
  const auto objectModel =
      composer::examineModules(composer::effectiveModules(*composition, catalog, options.folder));
  const auto findings = composer::checkComposition(
      *composition, catalog, {options.folder, composer::Catalog::binaryFolders(), &objectModel});
  Planned result;
  if (place) {
    auto placed = placeAtLaunch(*composition, catalog, file, hosts, *place);
    if (!placed) return tl::unexpected(placed.error());
    *composition = placed->found.composition;
    result.placed = std::move(*placed);
  }
  // A run of the plan has a name of its own, and so do the checks.
  auto ofARun = options;
  ofARun.run.clear();
  result.checks =
      launcher::preflight(*composition, catalog, findings, ofARun, launcher::MachineState::now());
  if (result.placed && !result.placed->refusals().isEmpty()) {
    for (const auto& refused : result.placed->found.placement.refused) {
      result.checks.insert(result.checks.begin(),
                           {QStringLiteral("placement"),
                            PreflightCheck::Level::Error,
                            QStringLiteral("%1 cannot be placed").arg(refused.federate),
                            refused.reason,
                            {},
                            {composition->findByName(refused.federate)->id},
                            {}});
    }
    return result;  // without a host for each there is no plan
  }
  if (auto made = LaunchPlan::make(*composition, catalog, options)) {
    if (result.placed) result.placed->record(*made);
    result.files = launcher::filesOfPlan(*made, composition->settings.architecture);
    result.plan = std::move(*made);
  }
  return result;
}

/// The checks of plans that are there, and their scripts.
tl::expected<Planned, QString> planFolder(const QString& folder) {
  const auto read = launcher::readPlanFolder(folder);
  if (!read) return tl::unexpected(read.error().message());
  Planned result;
  result.plan = read->plan;
  result.checks = launcher::preflightOfPlan(read->plan.renewed(launcher::newRunIdentifier()),
                                            launcher::MachineState::now());
  result.files = launcher::filesOfPlan(read->plan, read->architecture);
  // The plans stay as a person has written them.
  for (const char* name : {launcher::launchFile, launcher::connectionsFile}) {
    QFile file(QDir(folder).filePath(QLatin1String(name)));
    if (!file.open(QIODevice::ReadOnly)) return tl::unexpected(file.errorString());
    result.files[QLatin1String(name)] = file.readAll();
  }
  return result;
}

QString coordinationOf(const LaunchPlan& plan) {
  return launcher::ConnectionPlan::of(plan, {}).coordination();
}

/// A file of that name gets the launch plan alone, anything else is a folder.
bool isOneFile(const QString& output) {
  return QFileInfo(output).isFile() ||
         (output.endsWith(QStringLiteral(".json")) && !QFileInfo(output).isDir());
}

int plan(Invocation& invocation) {
  const auto verb = QStringLiteral("plan");
  auto output = invocation.takeOption(QStringLiteral("--output"));
  if (const auto brief = invocation.takeOption(QStringLiteral("-o"))) output = brief;
  const auto hosts = invocation.takeOption(QStringLiteral("--hosts"));
  const bool ask = invocation.takeFlag(QStringLiteral("--ask-hosts"));
  const auto place = PlaceOptions::take(invocation);
  if (!place) return invocation.usage(verb, place.error());
  if (output && output->isEmpty())
    return invocation.usage(verb, QStringLiteral("-o needs a folder, or a file *.json"));
  if (invocation.arguments.size() != 1)
    return invocation.usage(verb, QStringLiteral("name one composition, or a folder of plans"));
  const auto& file = invocation.arguments.front();
  const auto refuse = [&](const QString& message) {
    if (invocation.json)
      invocation.print({{"error", message.toStdString()}});
    else
      invocation.err << message << Qt::endl;
    return Usage;
  };
  const bool isFolder = QFileInfo(file).isDir();
  if (isFolder && *place)
    return refuse(QStringLiteral("%1 has plans, whose federates have their hosts. --place is for "
                                 "compositions.")
                      .arg(file));
  auto planned =
      isFolder ? planFolder(file) : planComposition(file, hosts.value_or(QString()), *place);
  if (!planned) return refuse(planned.error());
  const auto& made = planned->plan;
  if (ask && made) {
    for (auto& check : launcher::lookAtHosts(*made).checks)
      planned->checks.push_back(std::move(check));
    std::stable_sort(planned->checks.begin(), planned->checks.end(),
                     [](const auto& a, const auto& b) { return a.level > b.level; });
  }
  const bool oneFile = output && isOneFile(*output);
  if (output && made && oneFile) {
    if (const auto written = composer::replaceFile(*output, made->toBytes()); !written)
      return refuse(written.error().message());
  } else if (output && made) {
    if (const auto written = launcher::writePlanFolder(*output, planned->files); !written)
      return refuse(written.error().message());
  }
  const bool mayRun = launcher::mayRun(planned->checks) && made.has_value();
  if (invocation.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& check : planned->checks) list.push_back(asJson(check));
    nlohmann::json result{{"mayRun", mayRun}, {"preflight", list}};
    if (planned->placed) result["placement"] = planned->placed->toJson();
    if (made) {
      result["plan"] = nlohmann::json::parse(made->toBytes().toStdString());
      result["connections"] = nlohmann::json::parse(
          planned->files.at(QLatin1String(launcher::connectionsFile)).toStdString());
      result["coordination"] = coordinationOf(*made).toStdString();
    }
    if (output && made) result[oneFile ? "file" : "folder"] = output->toStdString();
    invocation.print(result);
    return mayRun ? Ok : Findings;
  }
  for (const auto& check : planned->checks) {
    invocation.out << levelName(check.level).leftJustified(9) << check.title;
    if (!check.detail.isEmpty()) invocation.out << ". " << check.detail;
    invocation.out << '\n';
    for (const auto& fix : check.fixes) {
      invocation.out << QString(9, u' ')
                     << "Fix: " << (fix.command.isEmpty() ? fix.label : fix.command) << '\n';
    }
  }
  if (planned->placed) {
    invocation.out << '\n';
    planned->placed->print(invocation.out);
  }
  if (output && planned->placed && !planned->placed->refusals().isEmpty())
    invocation.err << "tutti plan: nothing was written, because not every federate has a host"
                   << Qt::endl;
  if (made) {
    if (const QString sentence = coordinationOf(*made); !sentence.isEmpty())
      invocation.out << '\n' << sentence << '\n';
    invocation.out << '\n';
    for (const auto& process : made->plan.processes) {
      const auto id = QString::fromStdString(process.id);
      invocation.out << id << ": " << made->shellLine(id) << '\n';
    }
    if (output)
      invocation.out << "\nWrote " << *output << ". Start it with: tutti "
                     << (oneFile ? "run " : "launch ") << composer::shellQuoted(*output) << '\n';
  }
  invocation.out.flush();
  return mayRun ? Ok : Findings;
}

const RegisterVerb registered{
    {QStringLiteral("plan"),
     QStringLiteral("FILE|FOLDER [-o FOLDER|FILE] [--hosts FILE] [--ask-hosts] [--place "
                    "[--declared] [--partition CLUSTER/PARTITION [--nodes N]]]"),
     QStringLiteral("Show what a run would start, and what stands in its way"),
     QStringLiteral(
         "Prints the pre-flight checks with their fixes and the command of each process of a "
         "composition, or\nof a folder of plans.\n"
         "  -o FOLDER    writes launch.json (each process), connections.json (each RTI node and "
         "link), run.sh\n"
         "               and job.sbatch (the same run without Tutti's console); the same "
         "composition "
         "gives the\n"
         "               same bytes. tutti launch FOLDER runs it. Of a FOLDER of plans the scripts "
         "are written\n"
         "               again\n"
         "  -o FILE      a name that ends with .json: the launch plan alone, which tutti run "
         "reads\n"
         "  --output     the same as -o\n"
         "  --hosts FILE the hosts that federates are placed on; else as tutti run finds it\n"
         "  --place, --declared, --partition, --nodes\n"
         "               places the federates of a composition that have no host, for this plan "
         "only, as tutti run does\n"
         "  --ask-hosts  asks all hosts as well, at once: whether they answer and reach the home, "
         "their files by\n               check sum, memory, cores, disk, clock and the ports of "
         "federates; changes nothing there\n"
         "Exit code 0: it may run; 1: something stops it; 2: the file could not be read."),
     &plan}};

}  // namespace
