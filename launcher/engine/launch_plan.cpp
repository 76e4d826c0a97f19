// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/launch_plan.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QSaveFile>
#include <QStandardPaths>
#include <QUrl>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "composer/model/catalog.h"
#include "composer/model/command_line.h"
#include "composer/model/composition.h"
#include "composer/model/json_fields.h"
#include "fabric/pace_range.h"
#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/shared_libraries.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using Json = nlohmann::json;

const QString planName = QStringLiteral("plan.json");

std::string bytes(const QString& text) { return text.toStdString(); }
QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// `port`: of a manifest that is ready when its port accepts.
ReadyCondition readyCondition(const composer::ReadyCondition& wanted, int port) {
  using Kind = composer::ReadyCondition::Kind;
  ReadyCondition ready;
  ready.timeoutSeconds = federateReadySeconds;
  switch (wanted.kind) {
    case Kind::Started:
      return {};
    case Kind::Output:
      ready.when = ReadyWhen::Output;
      ready.text = bytes(wanted.detail);
      break;
    case Kind::Joined:
    case Kind::SynchronizationPoint:
      // The run sees in the RTI's slots who has joined, and tells the supervisor.
      ready.when = ReadyWhen::Told;
      break;
    case Kind::Port:
      ready.when = ReadyWhen::Port;
      ready.text = std::to_string(port);
      break;
    case Kind::Delay:
      ready.when = ReadyWhen::Delay;
      ready.delaySeconds = wanted.seconds;
      break;
  }
  return ready;
}

QString groupOf(const composer::Composition& composition, const composer::Federate& federate) {
  const auto group = composition.groups.find(federate.group);
  return group == composition.groups.end() ? QString() : group->second.name;
}

/// Label of the synchronization point that makes it ready; empty: none does.
QString pointOf(const composer::ReadyCondition& wanted) {
  return wanted.kind == composer::ReadyCondition::Kind::SynchronizationPoint ? wanted.detail
                                                                             : QString();
}

/// The port at which a federate accepts when it is ready; 0: its component names none.
tl::expected<int, Error> readyPort(const composer::Federate& federate,
                                   const composer::Manifest& manifest) {
  if (manifest.ready.kind != composer::ReadyCondition::Kind::Port) return 0;
  const double port = manifest.formula(manifest.ready.detail, federate.parameters).value_or(0);
  if (port >= 1 && port <= 65535 && port == std::floor(port)) return static_cast<int>(port);
  return tl::unexpected(
      Error{manifest.file, 0, QStringLiteral("/ready/port"),
            QStringLiteral("%1 is ready when it accepts at port %2, which is no TCP port.")
                .arg(federate.name, manifest.ready.detail),
            QStringLiteral("Give its parameters values that make it a whole number from 1 to "
                           "65535.")});
}

RestartPolicy restartPolicy(const composer::Restart& wanted) {
  using When = composer::Restart::When;
  RestartPolicy policy;
  policy.when = wanted.when == When::Never       ? RestartWhen::Never
                : wanted.when == When::OnFailure ? RestartWhen::OnFailure
                                                 : RestartWhen::Always;
  policy.limit = wanted.limit;
  policy.backoffSeconds = wanted.backoff;
  return policy;
}

/// Ids of the enabled federates that `federate` waits for; a disabled one stands for those it waits
/// for itself, so that disabling one in the middle of a chain keeps the order of the others.
QStringList effectiveWaits(const composer::Composition& composition,
                           const composer::Federate& federate) {
  QStringList result;
  QStringList seen{federate.id};
  QStringList pending = federate.waitsFor;
  while (!pending.isEmpty()) {
    const auto id = pending.takeFirst();
    if (seen.contains(id)) continue;
    seen << id;
    const auto* other = composition.find(id);
    if (other == nullptr) continue;
    if (other->enabled)
      result << id;
    else
      pending << other->waitsFor;
  }
  return result;
}

Json launchPart(const LaunchPlan& plan) {
  Json launch = {{"federation", bytes(plan.federation)},
                 {"node", bytes(plan.node)},
                 {"node_process", bytes(plan.nodeProcess)},
                 {"folder", bytes(plan.folder)},
                 {"memory_mb", plan.memoryMb},
                 {"cores", plan.cores}};
  if (!plan.composition.isEmpty()) launch["composition"] = bytes(plan.composition);
  if (plan.stopAfter) launch["stop_after_s"] = *plan.stopAfter;
  if (plan.stopAtLogicalTime) launch["stop_at_logical_time"] = *plan.stopAtLogicalTime;
  if (!plan.hosts.empty()) launch["hosts"] = hostsPart(plan.hosts);
  if (plan.restartsOnSpare) launch["if_host_lost"] = "restart";
  if (plan.grace != usualGraceSeconds) launch["grace_s"] = plan.grace;
  if (plan.longestWait > 0) launch["longest_wait_s"] = plan.longestWait;
  auto& modules = launch["fom_modules"] = Json::array();
  for (const auto& module : plan.fomModules) modules.push_back(bytes(module));
  auto& federates = launch["federates"] = Json::array();
  for (const auto& one : plan.federates) federates.push_back(toJson(one));
  return launch;
}

void readLaunchPart(const Json& launch, LaunchPlan& plan) {
  const auto string = [](const Json& object, const char* key) {
    return text(object.value(key, std::string()));
  };
  plan.federation = string(launch, "federation");
  plan.node = string(launch, "node");
  plan.nodeProcess = string(launch, "node_process");
  plan.folder = string(launch, "folder");
  plan.composition = string(launch, "composition");
  plan.memoryMb = launch.value("memory_mb", 0.0);
  plan.cores = launch.value("cores", 0.0);
  if (launch.contains("stop_after_s")) plan.stopAfter = launch.at("stop_after_s").get<double>();
  if (launch.contains("stop_at_logical_time"))
    plan.stopAtLogicalTime = launch.at("stop_at_logical_time").get<double>();
  plan.hosts = readHostsPart(launch.value("hosts", Json::array()));
  plan.restartsOnSpare = string(launch, "if_host_lost") == QStringLiteral("restart");
  plan.grace = launch.value("grace_s", usualGraceSeconds);
  plan.longestWait = launch.value("longest_wait_s", 0.0);
  for (const auto& module : launch.value("fom_modules", Json::array()))
    plan.fomModules << text(module.get<std::string>());
  for (const auto& one : launch.value("federates", Json::array()))
    plan.federates.push_back(federateFromJson(one));
}

/// Id of the process that is started as the RTI node of that name; empty: none is.
QString servesAs(const Plan& plan, const QString& node) {
  for (const auto& one : plan.processes) {
    const auto option = std::find(one.command.begin(), one.command.end(), "--shm");
    if (option != one.command.end() && std::next(option) != one.command.end() &&
        *std::next(option) == bytes(node))
      return text(one.id);
  }
  return {};
}

}  // namespace

Json toJson(const PlannedFederate& federate) {
  Json json = {{"name", bytes(federate.name)},           {"federate", bytes(federate.federate)},
               {"component", bytes(federate.component)}, {"version", bytes(federate.version)},
               {"required", federate.required},          {"joins", federate.joins}};
  if (!federate.group.isEmpty()) json["group"] = bytes(federate.group);
  if (!federate.point.isEmpty()) json["point"] = bytes(federate.point);
  if (!federate.host.isEmpty()) json["host"] = bytes(federate.host);
  if (!federate.placedBecause.isEmpty()) json["placed_because"] = bytes(federate.placedBecause);
  if (federate.spareNeeds)
    json["spare_needs"] = {{"cores", federate.spareNeeds->cores},
                           {"memory_mb", federate.spareNeeds->memoryMb},
                           {"labels", composer::stringsJson(federate.spareNeeds->labels)},
                           {"apart", composer::stringsJson(federate.spareNeeds->apart)}};
  return json;
}

PlannedFederate federateFromJson(const Json& json) {
  const auto string = [&](const char* key) { return text(json.value(key, std::string())); };
  PlannedFederate federate{string("name"),
                           string("federate"),
                           string("component"),
                           string("version"),
                           json.value("required", true),
                           json.value("joins", false),
                           string("host"),
                           string("group"),
                           string("point")};
  federate.placedBecause = string("placed_because");
  if (json.contains("spare_needs")) {
    const Json& needs = json.at("spare_needs");
    federate.spareNeeds = {needs.value("cores", 0.0), needs.value("memory_mb", 0.0),
                           textsOf(needs, "labels"), textsOf(needs, "apart")};
  }
  return federate;
}

QString LaunchPlan::planFile() const { return QDir(folder).filePath(planName); }

const PlannedProcess* LaunchPlan::process(const QString& id) const {
  const auto found = std::find_if(plan.processes.begin(), plan.processes.end(),
                                  [&](const auto& one) { return one.id == bytes(id); });
  return found == plan.processes.end() ? nullptr : &*found;
}

const PlannedFederate* LaunchPlan::federate(const QString& name) const {
  const auto found = std::find_if(federates.begin(), federates.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == federates.end() ? nullptr : &*found;
}

QString LaunchPlan::shellLine(const QString& id) const {
  const auto* one = process(id);
  if (one == nullptr) return {};
  composer::Command command;
  command.program = text(one->command.front());
  for (std::size_t index = 1; index < one->command.size(); ++index)
    command.arguments << text(one->command[index]);
  for (const auto& [name, value] : one->env) command.environment[text(name)] = text(value);
  return command.shellLine();
}

tl::expected<LaunchPlan, std::vector<Error>> LaunchPlan::make(
    const composer::Composition& composition, const composer::Catalog& catalog,
    const Options& options) {
  LaunchPlan result;
  std::vector<Error> errors;
  result.run = options.run.isEmpty() ? newRunIdentifier() : options.run;
  result.federation = composition.settings.federation;
  result.composition = options.compositionFile;
  result.node = QStringLiteral("run-") + result.run;
  result.folder = QDir(runsFolder()).filePath(result.run);
  result.stopAfter = composition.settings.stopAfter;
  result.stopAtLogicalTime = composition.settings.stopAtLogicalTime;
  const auto binaryFolders =
      options.binaryFolders.isEmpty() ? composer::Catalog::binaryFolders() : options.binaryFolders;
  const QString rtiLibraries = rtiLibraryFolder(binaryFolders);
  const auto folder = options.folder.isEmpty() ? QDir::currentPath() : options.folder;
  result.fomModules = composer::effectiveModules(composition, catalog, folder);

  QStringList names;
  for (const auto* federate : composition.inStartOrder()) {
    if (federate->enabled) names << federate->instanceNames();
  }
  result.nodeProcess = QStringLiteral("tutti-rti");
  while (names.contains(result.nodeProcess)) result.nodeProcess += u'+';

  PlannedProcess node;
  node.id = bytes(result.nodeProcess);
  const auto nodeProgram = programOfTutti(QStringLiteral("tutti-rti"), binaryFolders);
  if (!nodeProgram) {
    errors.push_back({{},
                      0,
                      {},
                      QStringLiteral("The RTI's program tutti-rti is not there."),
                      QStringLiteral("Build it, or name its folder in TUTTI_BIN.")});
  }
  node.command = {bytes(nodeProgram.value_or(QStringLiteral("tutti-rti"))), "--shm",
                  bytes(result.node), "--stay"};
  if (const double pace = composition.settings.pace; pace > 0) {
    node.command.insert(node.command.end(), {"--pace", bytes(QString::number(pace, 'g', 17))});
    if (pace < fabric::slowestPace || pace > fabric::fastestPace) {
      errors.push_back({options.compositionFile, 0, QStringLiteral("/pace"),
                        QStringLiteral("The RTI keeps no pace of %1.").arg(pace),
                        QStringLiteral("Choose one from 0.000001 to 1e12, or 0 for as fast as "
                                       "possible.")});
    }
  }
  if (result.stopAtLogicalTime) {
    // The RTI itself keeps everybody from going beyond it, and says when all are there.
    node.command.insert(
        node.command.end(),
        {"--stop-time", bytes(QString::number(*result.stopAtLogicalTime, 'g', 17))});
    node.overLine = "stop time reached";
  }
  node.logFile = bytes(logFileIn(result.folder, result.nodeProcess));
  node.ready = {ReadyWhen::Line, "ready", nodeReadySeconds};
  node.stopLast = true;
  node.nice = 0;
  node.startOrder = -1000000;
  result.plan.processes.push_back(std::move(node));

  Placing placing(options);
  for (const auto* federate : composition.inStartOrder()) {
    if (!federate->enabled) continue;
    const auto* manifest = catalog.find(federate->component, federate->version);
    if (manifest == nullptr) {
      errors.push_back(
          {options.compositionFile, 0, QStringLiteral("/federates/") + federate->id,
           QStringLiteral("%1 needs the component %2 %3, which is in no catalog.")
               .arg(federate->name, federate->component, federate->version),
           QStringLiteral("Add its folder to TUTTI_CATALOG, or disable %1.").arg(federate->name)});
      continue;
    }
    auto place = placing.place(*federate, result, names);
    if (!place) {
      // A hosts file that cannot be read is one error, not one for each federate.
      if (errors.empty() || errors.back().message() != place.error().message())
        errors.push_back(place.error());
      continue;
    }
    PlannedHost* const host = *place;
    const auto port = readyPort(*federate, *manifest);
    if (!port) {
      errors.push_back(port.error());
      continue;
    }
    for (const auto& name : federate->instanceNames()) {
      const auto command = composer::commandFor(composition, *federate, name, *manifest,
                                                result.fomModules, binaryFolders);
      if (!command) {
        errors.push_back(command.error());
        break;  // It is the same for all instances.
      }
      PlannedProcess process;
      process.id = bytes(name);
      process.command = {bytes(command->program)};
      for (const auto& argument : command->arguments) process.command.push_back(bytes(argument));
      process.cwd = bytes(command->workingFolder);
      for (const auto& [variable, value] : command->environment)
        process.env[bytes(variable)] = bytes(value);
      process.env["TUTTI_RTI"] =
          bytes(host == nullptr ? result.designator() : QStringLiteral("shm:") + host->node);
      if (const auto path = libraryPathWith(text(process.env["LD_LIBRARY_PATH"]), rtiLibraries);
          !path.isEmpty()) {
        process.env["LD_LIBRARY_PATH"] = bytes(path);
      } else {
        process.env.erase("LD_LIBRARY_PATH");
      }
      process.logFile = bytes(logFileIn(result.folder, name));
      process.startOrder = federate->startOrder;
      process.ready = readyCondition(manifest->ready, *port);
      process.restart = restartPolicy(federate->restart);
      process.waitFor.push_back(bytes(host == nullptr ? result.nodeProcess : host->nodeProcess));
      for (const auto& id : effectiveWaits(composition, *federate)) {
        for (const auto& other : composition.find(id)->instanceNames())
          process.waitFor.push_back(bytes(other));
      }
      result.federates.push_back({name, federate->id, manifest->id, manifest->version,
                                  federate->required, process.ready.when == ReadyWhen::Told,
                                  host == nullptr ? QString() : host->host.name,
                                  groupOf(composition, *federate), pointOf(manifest->ready)});
      result.plan.processes.push_back(std::move(process));
      const composer::Resources needs = federate->needs(manifest);
      (host == nullptr ? result.memoryMb : host->memoryMb) += needs.memory;
      (host == nullptr ? result.cores : host->cores) += needs.cores;
    }
  }
  placing.addSpares(result, composition, catalog, names);
  result.longestWait = placing.longestWait();
  planHostNodes(result);
  result.listen.address = placing.homeAddress();
  if (const QString& way = composition.settings.architecture; !way.isEmpty()) {
    result.setArchitecture(way);
  }
  result.plan.run = bytes(result.run);
  if (result.federates.empty() && errors.empty()) {
    errors.push_back({options.compositionFile, 0, QStringLiteral("/federates"),
                      QStringLiteral("No federate is enabled: there is nothing to run."),
                      QStringLiteral("Add a federate, or enable one.")});
  }
  if (errors.empty()) {
    // Reading it back is the one check of everything else: names twice, circles of waits.
    if (auto sound = planFromJson(planToJson(result.plan)); !sound) {
      errors.push_back({options.compositionFile, 0, QStringLiteral("/federates"),
                        text(sound.error().message) + u'.',
                        QStringLiteral("Correct it on the Compose or Deploy page.")});
    }
  }
  if (!errors.empty()) return tl::unexpected(errors);
  return result;
}

LaunchPlan LaunchPlan::renewed(const QString& newRun) const {
  LaunchPlan result = *this;
  result.run = newRun;
  result.node = QStringLiteral("run-") + newRun;
  result.folder = QDir(runsFolder()).filePath(newRun);
  result.plan.run = bytes(newRun);
  for (auto& one : result.hosts) {
    one.node = hostNode(result.node, one.host.name);
    one.folder.replace(run, newRun);
    // That job is another run's.
    if (one.host.jobNode) {
      one.host.jobNode->job = 0;
      one.host.jobNode->node.clear();
      one.host.jobNode->withHome = false;
    }
  }
  for (auto& one : result.plan.processes) {
    const auto id = text(one.id);
    const auto* there = result.host(hostOf(id));
    const QString before = there == nullptr ? node : host(there->host.name)->node;
    const QString now = there == nullptr ? result.node : there->node;
    if (const auto variable = one.env.find("TUTTI_RTI"); variable != one.env.end())
      variable->second = bytes(QStringLiteral("shm:") + now);
    if (isNode(id)) std::replace(one.command.begin(), one.command.end(), bytes(before), bytes(now));
    if (!one.logFile.empty())
      one.logFile = bytes(logFileIn(there == nullptr ? result.folder : there->folder, id));
  }
  return result;
}

void LaunchPlan::setArchitecture(const QString& name) {
  for (auto& one : plan.processes) {
    if (!one.env.contains("TUTTI_RTI")) continue;
    if (name.isEmpty())
      one.env.erase("TUTTI_ARCHITECTURE");
    else
      one.env["TUTTI_ARCHITECTURE"] = bytes(name);
  }
}

QByteArray LaunchPlan::toBytes() const {
  auto json = planToJson(plan);
  json["launch"] = launchPart(*this);
  return QByteArray::fromStdString(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

tl::expected<LaunchPlan, Error> LaunchPlan::fromBytes(const QByteArray& content,
                                                      const QString& file) {
  const auto next = QStringLiteral("Correct the file, or write a new plan from the composition.");
  const auto json = Json::parse(content.begin(), content.end(), nullptr, false);
  if (json.is_discarded())
    return tl::unexpected(Error{file, 0, {}, QStringLiteral("The launch plan is not JSON."), next});
  auto plan = planFromJson(json);
  if (!plan) return tl::unexpected(Error{file, 0, {}, text(plan.error().message) + u'.', next});
  LaunchPlan result;
  result.run = text(plan->run);
  result.plan = std::move(*plan);
  try {
    if (json.contains("launch")) readLaunchPart(json.at("launch"), result);
  } catch (const Json::exception& error) {
    return tl::unexpected(Error{file, 0, QStringLiteral("/launch"),
                                QStringLiteral("The launch plan is not as Tutti writes it: %1.")
                                    .arg(QLatin1String(error.what())),
                                next});
  }
  if (result.nodeProcess.isEmpty()) {
    result.nodeProcess = servesAs(result.plan, result.node);
  } else if (result.process(result.nodeProcess) == nullptr) {
    return tl::unexpected(
        Error{file, 0, QStringLiteral("/launch/node_process"),
              QStringLiteral("The launch plan names %1 as the process of its RTI node, and has no "
                             "process of that id.")
                  .arg(result.nodeProcess),
              next});
  }
  // A plan written by hand may lack the part of the launch, or some federates of it: every process
  // but the node's is a federate.
  for (const auto& one : result.plan.processes) {
    const QString id = text(one.id);
    if (!result.isNode(id) && result.federate(id) == nullptr)
      result.federates.push_back({id, id, {}, {}, true, false, {}});
  }
  return result;
}

tl::expected<LaunchPlan, Error> LaunchPlan::load(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) {
    return tl::unexpected(
        Error{file,
              0,
              {},
              QStringLiteral("The launch plan cannot be read: %1.").arg(input.errorString()),
              QStringLiteral("Check the path and its rights.")});
  }
  return fromBytes(input.readAll(), QFileInfo(file).absoluteFilePath());
}

tl::expected<void, Error> LaunchPlan::save() const {
  const auto failed = [&](const QString& why) {
    return tl::unexpected(Error{planFile(),
                                0,
                                {},
                                QStringLiteral("The launch plan cannot be written: %1.").arg(why),
                                QStringLiteral("Make room, or set XDG_STATE_HOME to a folder that "
                                               "can be written.")});
  };
  if (auto made = makePrivateFolder(folder); !made) return failed(made.error());
  QSaveFile output(planFile());
  if (!output.open(QIODevice::WriteOnly)) return failed(output.errorString());
  output.write(toBytes());
  if (!output.flush() || !output.commit()) return failed(output.errorString());
  return {};
}

QString newRunIdentifier(const QDateTime& now) {
  return now.toString(QStringLiteral("yyyyMMdd-HHmmss-")) +
         QString::number(QRandomGenerator::system()->generate(), 16).rightJustified(8, u'0');
}

QString runsFolder() {
  auto state = qEnvironmentVariable("XDG_STATE_HOME");
  // As the XDG specification wants it, a relative path counts as not set.
  if (!QDir::isAbsolutePath(state)) state = QDir::homePath() + QStringLiteral("/.local/state");
  return QDir::cleanPath(state + QStringLiteral("/tutti/runs"));
}

tl::expected<void, QString> makePrivateFolder(const QString& folder) {
  const auto why = [&] {
    return QStringLiteral("the folder %1 cannot be made: %2").arg(folder, qt_error_string(errno));
  };
  const QByteArray path = QFile::encodeName(folder);
  if (const auto parent = QFileInfo(folder).absolutePath(); !QDir().mkpath(parent)) {
    return tl::unexpected(why());
  }
  if (::mkdir(path.constData(), 0700) != 0 && errno != EEXIST) return tl::unexpected(why());
  // One that is there already may be open to others: run folders were.
  if (::chmod(path.constData(), 0700) != 0) return tl::unexpected(why());
  return {};
}

int removeOldRuns(int keep, const QString& folder) {
  // Names begin with the time, so that their order is that of the runs.
  auto runs = QDir(folder).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks,
                                     QDir::Name | QDir::Reversed);
  int removed = 0;
  for (auto index = static_cast<qsizetype>(std::max(keep, 0)); index < runs.size(); ++index) {
    QDir run(QDir(folder).filePath(runs.at(index)));
    // Only what is a run, and not one whose client still holds it.
    const int fd = ::open(QFile::encodeName(run.filePath(planName)), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && run.removeRecursively()) ++removed;
    ::close(fd);
  }
  return removed;
}

std::optional<QString> programOfTutti(const QString& name, const QStringList& binaryFolders) {
  for (const auto& folder : binaryFolders) {
    const QFileInfo file(QDir(folder).filePath(name));
    if (file.isFile() && file.isExecutable()) return QDir::cleanPath(file.absoluteFilePath());
  }
  return {};
}

}  // namespace tutti::launcher
