// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <algorithm>
#include <map>

#include "composer/model/catalog.h"
#include "composer/model/json_source.h"
#include "launcher/engine/host_files.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/shared_libraries.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;
using composer::JsonSource;
using Role = RecordedFile::Role;

constexpr int formatOfFile = 1;
constexpr double bytesPerMb = 1e6;
constexpr Role roles[] = {Role::Executable, Role::Library, Role::Module, Role::Manifest};

std::string bytes(const QString& text) { return text.toStdString(); }
QString text(const std::string& utf8) { return QString::fromStdString(utf8); }
QString fromUtf8(const std::string& utf8) { return text(utf8); }
std::string time(const QDateTime& when) {
  return when.isValid() ? bytes(when.toUTC().toString(Qt::ISODateWithMs)) : std::string();
}

Json listOf(const QStringList& texts) {
  Json list = Json::array();
  for (const QString& one : texts) list.push_back(bytes(one));
  return list;
}

Json toJson(const RecordedLog& log) {
  Json json = {{"name", bytes(log.name)}, {"file", bytes(log.file)}, {"size", log.size}};
  if (log.gone) json["gone"] = true;
  return json;
}

Json toJson(const RecordedHost& host) {
  Json logs = Json::array();
  for (const auto& one : host.logs) logs.push_back(toJson(one));
  return {{"name", bytes(host.name)},
          {"hostName", bytes(host.hostName)},
          {"processor", bytes(host.processor)},
          {"system", bytes(host.system)},
          {"cores", host.cores},
          {"memoryMb", host.memoryMb},
          {"folder", bytes(host.folder)},
          {"copies", bytes(host.copies)},
          {"clockAheadSeconds", host.clockAheadSeconds},
          {"clockUncertainSeconds", host.clockUncertainSeconds},
          {"logsFetched", host.logsFetched},
          {"logProblem", bytes(host.logProblem)},
          {"logs", std::move(logs)}};
}

Json toJson(const RecordedFile& file) {
  return {{"path", bytes(file.path)},
          {"role", bytes(roleName(file.role))},
          {"sha256", file.sha256.toStdString()},
          {"size", file.size},
          {"processes", listOf(file.processes)}};
}

Json toJson(const RecordedProcess& process) {
  Json json = {{"id", bytes(process.id)},
               {"host", bytes(process.host)},
               {"state", bytes(process.state)},
               {"starts", process.starts},
               {"startedAt", time(process.startedAt)},
               {"endedAt", time(process.endedAt)}};
  if (process.exitCode) json["exitCode"] = *process.exitCode;
  if (process.signal) json["signal"] = *process.signal;
  return json;
}

/// What is not there, or is of another type, is at its default: nothing depends on a record.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  QString text(const char* key) const {
    const Json* value = find(key);
    return value != nullptr && value->is_string() ? fromUtf8(value->get<std::string>()) : QString();
  }
  double number(const char* key) const {
    const Json* value = find(key);
    return value != nullptr && value->is_number() ? value->get<double>() : 0;
  }
  bool flag(const char* key) const {
    const Json* value = find(key);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  }
  bool has(const char* key) const { return find(key) != nullptr; }
  QDateTime time(const char* key) const {
    return QDateTime::fromString(text(key), Qt::ISODateWithMs);
  }
  const Json& list(const char* key) const {
    static const Json none = Json::array();
    const Json* value = find(key);
    return value != nullptr && value->is_array() ? *value : none;
  }
  QStringList texts(const char* key) const {
    QStringList result;
    for (const Json& one : list(key)) {
      if (one.is_string()) result << fromUtf8(one.get<std::string>());
    }
    return result;
  }

 private:
  const Json* find(const char* key) const {
    const auto found = object_.is_object() ? object_.find(key) : object_.end();
    return object_.is_object() && found != object_.end() ? &*found : nullptr;
  }
  const Json& object_;
};

const char* kindName(RunChange::Kind kind) {
  switch (kind) {
    case RunChange::Kind::Added:
      return "added";
    case RunChange::Kind::Removed:
      return "removed";
    case RunChange::Kind::Moved:
      return "moved";
    case RunChange::Kind::Restarted:
      return "restarted";
    case RunChange::Kind::Paced:
      return "paced";
  }
  return "";
}

QString sized(const RecordedFile& file) {
  if (file.sha256.isEmpty()) return QStringLiteral("unreadable");
  const double mb = static_cast<double>(file.size) / bytesPerMb;
  return QStringLiteral("%1 (%2)").arg(QString::fromLatin1(file.sha256.left(8)),
                                       mb < 0.1 ? QStringLiteral("%1 bytes").arg(file.size)
                                                : QStringLiteral("%1 MB").arg(mb, 0, 'f', 1));
}

/// "executable of radar-west and 2 more"
QString useOf(const RecordedFile& file) {
  if (file.processes.isEmpty()) return roleName(file.role);
  QString users = file.processes.mid(0, 2).join(QStringLiteral(", "));
  if (file.processes.size() > 2)
    users += QStringLiteral(" and %1 more").arg(file.processes.size() - 2);
  return QStringLiteral("%1 of %2").arg(roleName(file.role), users);
}

}  // namespace

QString roleName(RecordedFile::Role role) {
  switch (role) {
    case Role::Executable:
      return QStringLiteral("executable");
    case Role::Library:
      return QStringLiteral("library");
    case Role::Module:
      return QStringLiteral("FOM module");
    case Role::Manifest:
      return QStringLiteral("manifest");
  }
  return {};
}

QByteArray RunRecord::toBytes() const {
  Json json = {{"format", formatOfFile},
               {"run", bytes(run)},
               {"federation", bytes(federation)},
               {"composition", bytes(composition)},
               {"rerunOf", bytes(rerunOf)},
               {"version", bytes(version)},
               {"started", time(started)},
               {"ended", time(ended)},
               {"outcome", bytes(outcome)},
               {"stopReason", bytes(stopReason)},
               {"elapsed", elapsed},
               {"troubles", listOf(troubles)}};
  for (const char* list : {"hosts", "files", "processes"}) json[list] = Json::array();
  for (const auto& one : hosts) json["hosts"].push_back(toJson(one));
  for (const auto& one : files) json["files"].push_back(toJson(one));
  for (const auto& one : processes) json["processes"].push_back(toJson(one));
  for (const auto& one : changes) {
    json["changes"].push_back({{"kind", kindName(one.kind)},
                               {"federate", bytes(one.federate)},
                               {"host", bytes(one.host)},
                               {"time", time(one.time)}});
    const bool isRestarted = one.kind == RunChange::Kind::Restarted;
    if (isRestarted || one.kind == RunChange::Kind::Moved)
      json["changes"].back()["from"] = bytes(one.from);
    if (one.kind == RunChange::Kind::Paced) json["changes"].back()["pace"] = one.pace;
    if (isRestarted) json["changes"].back()["why"] = bytes(one.why);
  }
  return composer::canonicalBytes(json);
}

tl::expected<RunRecord, Error> RunRecord::read(const QString& file) {
  const auto source = JsonSource::read(file);
  if (!source) return tl::unexpected(source.error());
  const Fields fields(source->root());
  if (fields.number("format") != formatOfFile || fields.text("run").isEmpty())
    return tl::unexpected(source->error({}, QStringLiteral("This is no record of a run."),
                                        QStringLiteral("Name the folder of a run.")));
  RunRecord record;
  record.run = fields.text("run");
  record.federation = fields.text("federation");
  record.composition = fields.text("composition");
  record.rerunOf = fields.text("rerunOf");
  record.version = fields.text("version");
  record.started = fields.time("started");
  record.ended = fields.time("ended");
  record.outcome = fields.text("outcome");
  record.stopReason = fields.text("stopReason");
  record.elapsed = fields.number("elapsed");
  record.troubles = fields.texts("troubles");
  for (const Json& json : fields.list("hosts")) {
    const Fields one(json);
    std::vector<RecordedLog> logs;
    for (const Json& each : one.list("logs")) {
      const Fields log(each);
      // Written from what a host has said, and a file here is named by it.
      if (!isLogName(log.text("name")) || !isLogName(log.text("file"))) continue;
      logs.push_back({log.text("name"), log.text("file"), static_cast<qint64>(log.number("size")),
                      log.flag("gone")});
    }
    record.hosts.push_back({one.text("name"), one.text("hostName"), one.text("processor"),
                            one.text("system"), static_cast<int>(one.number("cores")),
                            one.number("memoryMb"), one.text("folder"), one.text("copies"),
                            one.number("clockAheadSeconds"), one.number("clockUncertainSeconds"),
                            one.flag("logsFetched"), one.text("logProblem"), std::move(logs)});
  }
  for (const Json& json : fields.list("files")) {
    const Fields one(json);
    Role role = Role::Executable;
    for (const Role each : roles) {
      if (one.text("role") == roleName(each)) role = each;
    }
    record.files.push_back({one.text("path"), role, one.text("sha256").toLatin1(),
                            static_cast<qint64>(one.number("size")), one.texts("processes")});
  }
  for (const Json& json : fields.list("processes")) {
    const Fields one(json);
    RecordedProcess process{one.text("id"),
                            one.text("host"),
                            one.text("state"),
                            {},
                            {},
                            static_cast<int>(one.number("starts")),
                            one.time("startedAt"),
                            one.time("endedAt")};
    if (one.has("exitCode")) process.exitCode = static_cast<int>(one.number("exitCode"));
    if (one.has("signal")) process.signal = static_cast<int>(one.number("signal"));
    record.processes.push_back(std::move(process));
  }
  for (const Json& json : fields.list("changes")) {
    const Fields one(json);
    auto kind = RunChange::Kind::Added;
    for (const auto each : {RunChange::Kind::Removed, RunChange::Kind::Moved,
                            RunChange::Kind::Restarted, RunChange::Kind::Paced}) {
      if (one.text("kind") == QLatin1String(kindName(each))) kind = each;
    }
    record.changes.push_back({kind, one.text("federate"), one.text("host"), one.time("time"),
                              one.text("from"), one.text("why"), one.number("pace")});
  }
  return record;
}

tl::expected<void, Error> RunRecord::save(const QString& folder) const {
  return composer::replaceFile(QDir(folder).filePath(QLatin1String(recordFile)), toBytes());
}

const RecordedHost* RunRecord::host(const QString& name) const {
  const auto found =
      std::find_if(hosts.begin(), hosts.end(), [&](const auto& one) { return one.name == name; });
  return found == hosts.end() ? nullptr : &*found;
}

std::vector<RecordedFile> recordedFiles(const LaunchPlan& plan) {
  std::map<QString, RecordedFile> files;
  const auto add = [&](const QString& path, Role role, const QString& process) {
    auto& file = files[path];
    if (file.path.isEmpty()) {
      file = {path, role, {}, 0, {}};
      if (const auto seen = HostFiles::look(path)) {
        file.sha256 = seen->sha256;
        file.size = seen->size;
      }
    }
    if (!process.isEmpty() && !file.processes.contains(process)) file.processes << process;
  };
  std::map<std::pair<QString, QString>, QStringList> libraries;
  for (const auto& one : plan.plan.processes) {
    const QString id = text(one.id);
    const auto variable = [&](const char* name) {
      const auto found = one.env.find(name);
      return found != one.env.end() ? text(found->second) : qEnvironmentVariable(name);
    };
    const auto found = findExecutable(one.command.front(), one.cwd, variable("PATH").toStdString());
    const QString program = found ? text(*found) : text(one.command.front());
    add(program, Role::Executable, id);
    const std::pair key(program, variable("LD_LIBRARY_PATH"));
    if (!libraries.contains(key)) libraries[key] = loadedLibraries(key.first, key.second);
    for (const QString& library : libraries[key]) {
      // An RTI that is installed with the system is still one to know.
      const bool isRti = QFileInfo(library).fileName().startsWith(QStringLiteral("librti1516e"));
      if (isRti || !isOfSystem(library)) add(library, Role::Library, id);
    }
    const QString manifest = QDir(text(one.cwd)).filePath(QStringLiteral("component.json"));
    if (!one.cwd.empty() && QFileInfo::exists(manifest)) add(manifest, Role::Manifest, id);
  }
  for (const QString& module : plan.fomModules) add(module, Role::Module, {});
  if (const auto supervisor =
          programOfTutti(QStringLiteral("tutti-supervisor"), composer::Catalog::binaryFolders()))
    add(*supervisor, Role::Executable, {});
  std::vector<RecordedFile> result;
  for (auto& [path, file] : files) result.push_back(std::move(file));
  return result;
}

RecordedHost recordedMachine() {
  const auto machine = MachineState::now();
  RecordedHost host;
  host.hostName = machine.name;
  host.processor = QSysInfo::currentCpuArchitecture();
  host.system =
      QStringLiteral("%1, %2 %3")
          .arg(QSysInfo::prettyProductName(), QSysInfo::kernelType(), QSysInfo::kernelVersion());
  host.cores = machine.cores;
  host.memoryMb = machine.memoryTotalMb;
  return host;
}

QString RecordedChange::text() const {
  switch (kind) {
    case Kind::Changed:
      return QStringLiteral("changed  %1, %2: %3, was %4")
          .arg(what, detail, sized(*now), sized(*before));
    case Kind::Gone:
      return QStringLiteral("gone     %1, %2: was %3").arg(what, detail, sized(*before));
    case Kind::New:
      return QStringLiteral("new      %1, %2: %3").arg(what, detail, sized(*now));
    case Kind::Host:
      return QStringLiteral("host     %1: %2").arg(what, detail);
  }
  return {};
}

std::vector<RecordedChange> changedFiles(const std::vector<RecordedFile>& before,
                                         const std::vector<RecordedFile>& now) {
  std::map<QString, std::pair<const RecordedFile*, const RecordedFile*>> both;
  for (const auto& one : before) both[one.path].first = &one;
  for (const auto& one : now) both[one.path].second = &one;
  std::vector<RecordedChange> changes;
  using Kind = RecordedChange::Kind;
  for (const auto& [path, pair] : both) {
    const auto& [was, is] = pair;
    // One that the plan still names and nobody can read is gone as well.
    const bool isGone = is == nullptr || (is->sha256.isEmpty() && !was->sha256.isEmpty());
    if (was == nullptr)
      changes.push_back({Kind::New, path, useOf(*is), {}, *is});
    else if (isGone)
      changes.push_back({Kind::Gone, path, useOf(*was), *was, {}});
    else if (was->sha256 != is->sha256)
      changes.push_back({Kind::Changed, path, useOf(*is), *was, *is});
  }
  return changes;
}

std::vector<RecordedChange> changedHosts(const std::vector<RecordedHost>& before,
                                         const std::vector<RecordedHost>& now) {
  std::vector<RecordedChange> changes;
  for (const auto& is : now) {
    const auto was = std::find_if(before.begin(), before.end(),
                                  [&](const auto& one) { return one.name == is.name; });
    const QString name = is.name.isEmpty() ? QStringLiteral("this machine") : is.name;
    QStringList words;
    const auto compare = [&](const char* what, const QString& a, const QString& b) {
      if (a != b) words << QStringLiteral("%1 %2, was %3").arg(QLatin1String(what), b, a);
    };
    if (was == before.end()) {
      words << QStringLiteral("was not part of the run");
    } else {
      compare("host name", was->hostName, is.hostName);
      compare("processor", was->processor, is.processor);
      compare("system", was->system, is.system);
      compare("cores", QString::number(was->cores), QString::number(is.cores));
      // What is available changes all the time.
      if (is.name.isEmpty())
        compare("memory", QStringLiteral("%1 MB").arg(was->memoryMb, 0, 'f', 0),
                QStringLiteral("%1 MB").arg(is.memoryMb, 0, 'f', 0));
    }
    if (!words.isEmpty())
      changes.push_back(
          {RecordedChange::Kind::Host, name, words.join(QStringLiteral("; ")), {}, {}});
  }
  return changes;
}

bool runGoesOn(const QString& folder) {
  const QString plan = QDir(folder).filePath(QStringLiteral("plan.json"));
  const int fd = ::open(QFile::encodeName(plan), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool isHeld = ::flock(fd, LOCK_EX | LOCK_NB) != 0;
  ::close(fd);
  return isHeld;
}

std::vector<PastRun> pastRuns(const QString& folder) {
  std::vector<PastRun> result;
  const QDir runs(folder);
  for (const QString& name :
       runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name | QDir::Reversed)) {
    const QDir run(runs.filePath(name));
    auto record = RunRecord::read(run.filePath(QLatin1String(recordFile)));
    if (!record) continue;
    PastRun past{run.path(), std::move(*record), false, false};
    past.canRun =
        run.exists(QLatin1String(launchFile)) && run.exists(QLatin1String(connectionsFile));
    past.goesOn = runGoesOn(past.folder);
    result.push_back(std::move(past));
  }
  return result;
}

}  // namespace tutti::launcher
