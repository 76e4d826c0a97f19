// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/preflight.h"

#include <sched.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QSysInfo>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>

#include "composer/model/command_line.h"
#include "launcher/engine/port_use.h"
#include "launcher/engine/shared_libraries.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

namespace {

using composer::Check;
using composer::Fix;
using composer::Severity;
using Level = PreflightCheck::Level;

constexpr double bytesPerMb = 1e6;
constexpr double leastDiskMb = 200;
constexpr double leastMemoryMb = 64;  ///< The node, its tables and some rings.

QString counted(qsizetype number, const QString& noun) {
  return QStringLiteral("%1 %2%3").arg(number).arg(noun,
                                                   number == 1 ? QString() : QStringLiteral("s"));
}

QString megabytes(double mb) {
  return mb < 10000 ? QStringLiteral("%1 MB").arg(mb, 0, 'f', 0)
                    : QStringLiteral("%1 GB").arg(mb / 1000, 0, 'f', 1);
}

double firstNumber(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) return 0;
  return input.readAll().split(' ').value(0).toDouble();
}

/// The value of a line "Name:   123 kB" of /proc/meminfo, in MB.
double memoryLine(const QByteArray& meminfo, const QByteArray& name) {
  const auto at = meminfo.indexOf(name + ':');
  if (at < 0) return 0;
  const auto line = meminfo.mid(at + name.size() + 1, 40).simplified();
  return line.left(line.indexOf(' ')).toDouble() * 1024 / bytesPerMb;
}

/// The nearest folder on the way up that exists: a run's folder is made only when it starts.
QString existingFolder(const QString& folder) {
  QFileInfo at(folder);
  while (!at.exists() && !at.isRoot()) {
    const QString above = at.absolutePath();
    if (above == at.filePath()) break;  // a relative one, in a working folder that is gone
    at.setFile(above);
  }
  return at.absoluteFilePath();
}

/// Budget of the RTI's shared memory: a quarter of what is available, unless TUTTI_MEMORY says how
/// much (bytes, or with K, M, G).
double sharedMemoryBudgetMb(const MachineState& machine) {
  auto text = qEnvironmentVariable("TUTTI_MEMORY").trimmed();
  if (text.isEmpty()) return machine.memoryAvailableMb / 4;
  double factor = 1;
  if (text.endsWith(u'K', Qt::CaseInsensitive)) factor = 1024;
  if (text.endsWith(u'M', Qt::CaseInsensitive)) factor = 1024 * 1024;
  if (text.endsWith(u'G', Qt::CaseInsensitive)) factor = 1024.0 * 1024 * 1024;
  if (factor > 1) text.chop(1);
  return text.toDouble() * factor / bytesPerMb;
}

PreflightFix elsewhere() {
  return {QStringLiteral("Place federates on another host"), {}, {}, QStringLiteral("elsewhere ")};
}

PreflightCheck checkMemory(const LaunchPlan& plan, const MachineState& machine) {
  const auto budget = sharedMemoryBudgetMb(machine);
  PreflightCheck check{"memory", Level::Passed, "Enough memory", {}, {}, {}, {}};
  check.detail =
      QStringLiteral("The federates need %1, %2 are available; shared memory may take %3")
          .arg(megabytes(plan.memoryMb), megabytes(machine.memoryAvailableMb), megabytes(budget));
  if (plan.memoryMb > machine.memoryAvailableMb) {
    check.level = Level::Warning;
    check.title = QStringLiteral("The federates need more memory than there is");
    check.detail += QStringLiteral(". They would be slow, or the kernel would end one.");
    check.fixes = {elsewhere(),
                   {QStringLiteral("Copy the command that shows what takes it"),
                    {},
                    QStringLiteral("ps -eo pid,user,rss,comm --sort=-rss | head -20")}};
  }
  if (budget < leastMemoryMb) {
    check.level = Level::Error;
    check.title = QStringLiteral("The RTI may not use enough shared memory");
    check.detail = QStringLiteral(
                       "It needs %1 and may take %2: a quarter of the available memory, "
                       "or TUTTI_MEMORY.")
                       .arg(megabytes(leastMemoryMb), megabytes(budget));
    check.fixes.push_back({QStringLiteral("Copy the setting"), {}, "export TUTTI_MEMORY=256M"});
  }
  return check;
}

PreflightCheck checkCores(const LaunchPlan& plan, const MachineState& machine) {
  PreflightCheck check{"cores", Level::Passed, "Enough processor cores", {}, {}, {}, {}};
  check.detail = QStringLiteral("The federates ask for %1 of %2 cores; the load is %3")
                     .arg(plan.cores)
                     .arg(machine.cores)
                     .arg(machine.load, 0, 'f', 1);
  if (plan.cores > machine.cores) {
    check.level = Level::Warning;
    check.title = QStringLiteral("The federates ask for more cores than there are");
    check.detail += QStringLiteral(". They share them: the run may be slower than real time.");
    check.fixes = {elsewhere()};
  }
  return check;
}

PreflightCheck checkDisk(const LaunchPlan& plan) {
  PreflightCheck check{"disk", Level::Passed, "Logs can be written", {}, plan.folder, {}, {}};
  if (plan.folder.isEmpty()) {
    check.level = Level::Error;
    check.title = QStringLiteral("The plan has no folder for logs");
    check.detail = QStringLiteral(
        "The plan of a run names the folder of its logs and records in \"launch\", \"folder\". "
        "Write the plan again, or name a folder there.");
    check.fixes.push_back({QStringLiteral("Copy the command that writes a plan"),
                           {},
                           QStringLiteral("tutti plan COMPOSITION")});
    return check;
  }
  const auto folder = existingFolder(plan.folder);
  struct statvfs info {};
  const bool known = ::statvfs(QFile::encodeName(folder).constData(), &info) == 0;
  const double freeMb =
      known ? static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / bytesPerMb
            : 0;
  check.detail = QStringLiteral("%1 are free for %2").arg(megabytes(freeMb), folder);
  if (!QFileInfo(folder).isWritable() || !QFileInfo(folder).isDir()) {
    check.level = Level::Error;
    check.title = QStringLiteral("Logs cannot be written");
    const QByteArray path = QFile::encodeName(folder);
    const bool denied = ::access(path.constData(), W_OK | X_OK) != 0;
    check.detail =
        !QFileInfo(folder).isDir() ? QStringLiteral("%1 is not a folder.").arg(folder)
        : denied
            ? QStringLiteral("%1 cannot be written to: %2.").arg(folder, qt_error_string(errno))
            : QStringLiteral("%1 cannot be written to.").arg(folder);
    check.fixes.push_back(
        {QStringLiteral("Copy the setting"),
         {},
         "export XDG_STATE_HOME=" + composer::shellQuoted(QDir::tempPath() + "/tutti-state")});
  } else if (known && freeMb < leastDiskMb) {
    check.level = Level::Warning;
    check.title = QStringLiteral("Little room for logs");
    check.detail += QStringLiteral(". When the disk is full, logs end early; the run goes on.");
    check.fixes = {{QStringLiteral("Copy the command that shows what takes the room"),
                    {},
                    "du -xh --max-depth=2 " + composer::shellQuoted(folder) + " | sort -h | tail"}};
  }
  return check;
}

PreflightCheck checkNode(const LaunchPlan& plan) {
  PreflightCheck check{"node", Level::Passed, "RTI node ready to start", {}, {}, {}, {}};
  check.detail = QStringLiteral("The name %1 is free").arg(plan.node);
  if (plan.nodeProcess.isEmpty()) {
    check.detail = QStringLiteral("The plan starts none: its federates find their own");
    return check;
  }
  if (nodeAnswers(plan.node)) {
    check.level = Level::Error;
    check.title = QStringLiteral("An RTI node of this run is there already");
    check.detail = QStringLiteral(
                       "Something answers on %1: the same plan runs in another window or "
                       "terminal.")
                       .arg(plan.designator());
    check.fixes.push_back({QStringLiteral("Copy the command that shows it"),
                           {},
                           composer::shellQuoted(QString::fromStdString(
                               plan.process(plan.nodeProcess)->command.front())) +
                               " --status"});
  }
  return check;
}

/// Its paths are those of another host, where they were looked at.
bool isSettledElsewhere(const LaunchPlan& plan, const QString& process) {
  const auto* host = plan.host(plan.hostOf(process));
  return host != nullptr && !host->folder.isEmpty();
}

/// Names the federate of that process in a check, with the edit that leaves it out; once each.
void concern(PreflightCheck& check, const PlannedFederate* federate, const QString& process) {
  if (federate == nullptr || check.federates.contains(federate->federate)) return;
  check.federates << federate->federate;
  check.fixes.push_back({QStringLiteral("Disable %1").arg(federate->federate),
                         Fix{Fix::Kind::SetEnabled,
                             QStringLiteral("Disable %1").arg(process),
                             federate->federate,
                             {},
                             false},
                         {}});
}

/// Programs and working folders of a plan, one check for all that are there and one for each that
/// is not.
std::vector<PreflightCheck> checkPrograms(const LaunchPlan& plan) {
  std::map<QString, PreflightCheck> broken;  // by what is wrong, so that ten instances are one line
  QStringList present;
  for (const auto& process : plan.plan.processes) {
    const auto id = QString::fromStdString(process.id);
    if (isSettledElsewhere(plan, id)) continue;
    const auto* federate = plan.federate(id);
    const auto path = QString::fromStdString(
        process.env.contains("PATH") ? process.env.at("PATH") : qgetenv("PATH").toStdString());
    const auto file = findExecutable(process.command.front(), process.cwd, path.toStdString());
    const auto cwd = QString::fromStdString(process.cwd);
    const bool cwdMissing = !cwd.isEmpty() && !QFileInfo(cwd).isDir();
    if (file && !cwdMissing) {
      if (!present.contains(QString::fromStdString(*file)))
        present << QString::fromStdString(*file);
      continue;
    }
    const auto where = file ? cwd : QString::fromStdString(file.error().where);
    auto& check = broken[where];
    check.id = QStringLiteral("executables");
    check.level = federate != nullptr && !federate->required ? Level::Warning : Level::Error;
    check.where = where;
    check.title = QStringLiteral("%1 cannot start").arg(id);
    check.detail = file ? QStringLiteral("Its working folder %1 is not there.").arg(cwd)
                        : QStringLiteral("%1: %2. %3")
                              .arg(where, QString::fromStdString(file.error().why),
                                   QString::fromStdString(file.error().next));
    concern(check, federate, id);
    if (!file && file.error().errorNumber == EACCES && where.startsWith(u'/'))
      check.fixes.push_back({QStringLiteral("Copy the command that allows it"),
                             {},
                             "chmod +x " + composer::shellQuoted(where)});
    if (cwdMissing && file)
      check.fixes.push_back({QStringLiteral("Copy the command that makes it"),
                             {},
                             "mkdir -p " + composer::shellQuoted(cwd)});
  }
  std::vector<PreflightCheck> result;
  for (auto& [where, check] : broken) result.push_back(std::move(check));
  if (!present.isEmpty()) {
    result.push_back(
        {"executables",
         Level::Passed,
         "Executables present",
         QStringLiteral("%1 for %2")
             .arg(counted(present.size(), QStringLiteral("program")),
                  counted(static_cast<qsizetype>(plan.plan.processes.size()),
                          QStringLiteral("process"))
                      .replace(QStringLiteral("processs"), QStringLiteral("processes"))),
         {},
         {},
         {}});
  }
  return result;
}

PreflightCheck checkSupervisor(const QStringList& binaryFolders) {
  const auto program = programOfTutti(QStringLiteral("tutti-supervisor"), binaryFolders);
  if (program) return {"supervisor", Level::Passed, "Supervisor present", *program, {}, {}, {}};
  return {"supervisor",
          Level::Error,
          "The program tutti-supervisor is missing",
          QStringLiteral("It starts the federates. It was looked for in %1. Build it, or name its "
                         "folder in TUTTI_BIN.")
              .arg(binaryFolders.join(QStringLiteral(", "))),
          {},
          {},
          fixesOfMissingSupervisor()};
}

/// Shared libraries that programs need, one check for all that find theirs and one for each that
/// does not.
std::vector<PreflightCheck> checkLibraries(const LaunchPlan& plan) {
  std::map<QString, PreflightCheck> broken;  // by program
  QStringList complete;
  for (const auto& process : plan.plan.processes) {
    if (isSettledElsewhere(plan, QString::fromStdString(process.id))) continue;
    const auto variable = [&](const char* name) {
      const auto found = process.env.find(name);
      return found != process.env.end() ? QString::fromStdString(found->second)
                                        : qEnvironmentVariable(name);
    };
    const auto file =
        findExecutable(process.command.front(), process.cwd, variable("PATH").toStdString());
    if (!file) continue;
    const auto program = QString::fromStdString(*file);
    const auto missing = missingLibraries(program, variable("LD_LIBRARY_PATH"));
    if (missing.isEmpty()) {
      if (!complete.contains(program)) complete << program;
      continue;
    }
    const auto id = QString::fromStdString(process.id);
    const auto* federate = plan.federate(id);
    auto& check = broken[program];
    const bool optional = federate != nullptr && !federate->required;
    if (!check.id.isEmpty()) {
      // Another federate of the same program.
      if (!optional) check.level = Level::Error;
      concern(check, federate, id);
      continue;
    }
    check.id = QStringLiteral("libraries");
    check.level = optional ? Level::Warning : Level::Error;
    check.where = program;
    check.title = QStringLiteral("%1 cannot start: %2 is missing").arg(id, missing.front());
    check.detail =
        QStringLiteral(
            "%1 needs %2, and the dynamic loader does not find %3. Install what contains %3, or "
            "name the folder in LD_LIBRARY_PATH under \"environment\" of \"command\" in the "
            "component's component.json.")
            .arg(program, missing.join(QStringLiteral(", ")),
                 missing.size() == 1 ? QStringLiteral("it") : QStringLiteral("them"));
    concern(check, federate, id);
  }
  std::vector<PreflightCheck> result;
  for (auto& [program, check] : broken) result.push_back(std::move(check));
  if (broken.empty() && !complete.isEmpty()) {
    result.push_back(
        {"libraries",
         Level::Passed,
         "Shared libraries present",
         QStringLiteral("For %1").arg(counted(complete.size(), QStringLiteral("program"))),
         {},
         {},
         {}});
  }
  return result;
}

/// What shows a place of a file; of a composition that was never saved there is none.
PreflightFix openingOf(const QString& file, int line) {
  if (file.isEmpty()) return {QStringLiteral("Correct it on Compose"), {}, {}, {}};
  return {
      QStringLiteral("Copy the command that opens it"),
      {},
      QStringLiteral("${EDITOR:-nano} +%1 ").arg(std::max(line, 1)) + composer::shellQuoted(file)};
}

/// The composer's findings of one kind as one check: what passed in one line, what did not one by
/// one.
void addFindings(std::vector<PreflightCheck>& checks, const composer::Composition& composition,
                 const std::vector<composer::Finding>& findings, Check kind, const QString& id,
                 const QString& passedTitle, const QString& passedDetail) {
  bool clean = true;
  for (const auto& finding : findings) {
    if (finding.check != kind || finding.severity == Severity::Info) continue;
    clean = false;
    PreflightCheck check{id,
                         finding.severity == Severity::Error ? Level::Error : Level::Warning,
                         finding.text,
                         finding.why,
                         finding.place(composition),
                         {},
                         {}};
    if (check.title.endsWith(u'.')) check.title.chop(1);
    if (!finding.where.federate.isEmpty()) check.federates << finding.where.federate;
    if (finding.fix) check.fixes.push_back({finding.fix->label, finding.fix, {}});
    // Where nothing better is known, the others can run without it.
    const auto* federate = composition.find(finding.where.federate);
    if (!finding.fix && finding.severity == Severity::Error && federate != nullptr &&
        federate->enabled) {
      const auto label = QStringLiteral("Disable %1").arg(federate->name);
      check.fixes.push_back(
          {label, Fix{Fix::Kind::SetEnabled, label, federate->id, {}, false}, {}});
    }
    if (check.fixes.empty() && !finding.where.federate.isEmpty()) {
      check.fixes.push_back({QStringLiteral("Show it on Compose"),
                             {},
                             {},
                             QStringLiteral("show ") + finding.where.federate});
    }
    if (check.fixes.empty())
      check.fixes.push_back(openingOf(finding.where.file, finding.where.line));
    checks.push_back(std::move(check));
  }
  if (clean) checks.push_back({id, Level::Passed, passedTitle, passedDetail, {}, {}, {}});
}

}  // namespace

namespace {

/// The check is about these federates of that host, and as grave as for the gravest.
void concernAll(PreflightCheck& check, const LaunchPlan& plan, const QStringList& federates,
                const QString& host) {
  for (const QString& name : federates) {
    const auto* federate = plan.federate(name);
    if (federate == nullptr || federate->required) check.level = Level::Error;
    if (host.isEmpty())
      concern(check, federate, name);
    else if (federate != nullptr && !check.federates.contains(federate->federate))
      check.federates << federate->federate;
  }
}

QString namedHost(const QString& host) {
  return host.isEmpty() ? QStringLiteral("this machine") : host;
}

}  // namespace

PreflightCheck takenPort(const LaunchPlan& plan, quint16 port, const QStringList& federates,
                         const QString& host, const QString& holder) {
  PreflightCheck check{QStringLiteral("ports"), Level::Warning, {}, {}, {}, {}, {}};
  check.title = QStringLiteral("Port %1 of %2 is taken on %3")
                    .arg(port)
                    .arg(federates.join(QStringLiteral(", ")), namedHost(host));
  check.detail =
      QStringLiteral("%1 listens there already: %2 could not, and would count as ready at once.")
          .arg(holder.isEmpty() ? QStringLiteral("Another program") : holder,
               federates.join(QStringLiteral(", ")));
  concernAll(check, plan, federates, host);
  return check;
}

PreflightCheck heldPorts(const LaunchPlan& plan, const std::map<quint16, QStringList>& ports,
                         const QString& host, const GoingRun& run) {
  PreflightCheck check{QStringLiteral("ports"), Level::Warning, {}, {}, {}, {}, {}};
  QStringList numbers;
  QStringList federates;
  for (const auto& [port, names] : ports) {
    numbers << QString::number(port);
    federates += names;
  }
  federates.removeDuplicates();
  const QString names = federates.join(QStringLiteral(", "));
  check.title = (ports.size() == 1 ? QStringLiteral("Port %1 of %2 is held by the run %3 on %4")
                                   : QStringLiteral("Ports %1 of %2 are held by the run %3 on %4"))
                    .arg(numbers.join(QStringLiteral(", ")), names, run.plan.run, namedHost(host));
  check.detail =
      QStringLiteral(
          "It is a run of this account%1, and goes on: %2 could not listen, and would count as "
          "ready at once. Stop that run, or wait until it has ended; then check again.")
          .arg(run.plan.federation.isEmpty()
                   ? QString()
                   : QStringLiteral(", of the federation ") + run.plan.federation,
               names);
  check.fixes.push_back(
      {QStringLiteral("Copy the command that stops that run"), {}, stopCommand + run.plan.run});
  concernAll(check, plan, federates, host);
  return check;
}

std::vector<PreflightFix> fixesOfMissingSupervisor() {
  const QString program = QStringLiteral("tutti-supervisor");
  const QString found = QStandardPaths::findExecutable(program);
  if (!found.isEmpty())
    return {{QStringLiteral("Copy the setting"),
             {},
             "export TUTTI_BIN=" + composer::shellQuoted(QFileInfo(found).path())}};
  return {{QStringLiteral("Copy the command that looks for it"),
           {},
           QStringLiteral("find / -xdev -name tutti-supervisor -perm -u+x 2>/dev/null")}};
}

MachineState MachineState::now() {
  MachineState state;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (::sched_getaffinity(0, sizeof usable, &usable) == 0) state.cores = CPU_COUNT(&usable);
  if (state.cores < 1) state.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  state.load = firstNumber(QStringLiteral("/proc/loadavg"));
  QFile meminfo(QStringLiteral("/proc/meminfo"));
  if (meminfo.open(QIODevice::ReadOnly)) {
    const auto content = meminfo.readAll();
    state.memoryTotalMb = memoryLine(content, "MemTotal");
    state.memoryAvailableMb = memoryLine(content, "MemAvailable");
  }
  state.name = QSysInfo::machineHostName();
  return state;
}

bool nodeAnswers(const QString& node) {
  const auto name = QStringLiteral("tutti/%1/%2").arg(::getuid()).arg(node).toUtf8();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() + 1 > static_cast<qsizetype>(sizeof address.sun_path)) return false;
  std::memcpy(address.sun_path + 1, name.constData(), static_cast<std::size_t>(name.size()));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                             static_cast<std::size_t>(name.size()));
  // A node may take packets or a stream; either refuses the other kind without accepting it.
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    const Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 ||
        errno == EAGAIN)
      return true;
  }
  return false;
}

namespace {

/// Whether what should be started again when its host is lost can be.
std::optional<PreflightCheck> checkSpares(const LaunchPlan& plan) {
  if (!plan.restartsOnSpare) return {};
  QStringList again;
  QStringList never;
  PreflightCheck check{QStringLiteral("spares"), Level::Warning, {}, {}, {}, {}, {}};
  for (const auto& one : plan.federates) {
    if (!one.required || one.host.isEmpty()) continue;
    (one.spareNeeds ? again : never) << one.name;
    if (!check.federates.contains(one.federate)) check.federates << one.federate;
  }
  if (again.isEmpty() && never.isEmpty()) return {};
  const auto listed = [](QStringList names) {
    constexpr qsizetype most = 6;
    if (names.size() > most + 1)
      names = names.mid(0, most) << QStringLiteral("%1 more").arg(names.size() - most);
    return names.join(QStringLiteral(", "));
  };
  QStringList spares;
  for (const auto& one : plan.hosts) {
    if (one.spare) spares << one.host.name;
  }
  const PreflightFix addSpare{QStringLiteral("Add a spare host"), {}, {}, "add-spare"};
  const auto restartThem = [&] {
    for (const auto& one : plan.federates) {
      const QString label = QStringLiteral("Restart %1 when it fails").arg(one.federate);
      const auto isSame = [&](const PreflightFix& known) { return known.label == label; };
      if (!one.required || one.host.isEmpty() || one.spareNeeds ||
          std::any_of(check.fixes.begin(), check.fixes.end(), isSame))
        continue;
      const composer::Restart policy{composer::Restart::When::OnFailure};
      check.fixes.push_back(
          {label,
           Fix{Fix::Kind::SetRestart, label, one.federate, {}, policy.word().toStdString()},
           {}});
    }
  };
  const QString whyNever =
      QStringLiteral("Their restart policy is \"never\": %1.").arg(listed(never));
  const QString there =
      QStringLiteral("Started again there when their host is lost: %1.").arg(listed(again));
  if (again.isEmpty()) {
    check.title = QStringLiteral("No federate is started again when its host is lost");
    check.detail = whyNever;
    restartThem();
  } else if (spares.isEmpty()) {
    check.title = QStringLiteral("No spare: a lost host ends the run");
    check.fixes = {addSpare};
    check.detail =
        again.size() == 1
            ? QStringLiteral("1 required federate would have no host: %1.").arg(listed(again))
            : QStringLiteral(
                  "%1 required federates would have no host: "
                  "%2.")
                  .arg(again.size())
                  .arg(listed(again));
  } else if (!never.isEmpty()) {
    check.title = QStringLiteral("Not all required federates are started again on a spare host");
    check.detail = whyNever + u' ' + there;
    restartThem();
  } else {
    check.level = Level::Passed;
    check.title = QStringLiteral("Spare hosts: %1").arg(listed(spares));
    check.detail = there;
  }
  return check;
}

/// Whether the ports at which federates are to listen are free here.
std::vector<PreflightCheck> checkPorts(const LaunchPlan& plan) {
  std::vector<PreflightCheck> checks;
  const auto ports = portsOf(plan, {});
  std::map<quint16, PortHolder> taken;
  for (const auto& [port, federates] : ports) {
    if (auto holder = listenerAt(port)) taken.emplace(port, std::move(*holder));
  }
  const auto runs = taken.empty() ? std::vector<GoingRun>() : goingRuns();
  std::map<const GoingRun*, std::map<quint16, QStringList>> held;
  for (const auto& [port, holder] : taken) {
    const QStringList& federates = ports.at(port);
    if (const GoingRun* run = runOfProcess(holder.process, runs)) {
      held[run][port] = federates;
      continue;
    }
    auto check = takenPort(plan, port, federates, {}, holder.program);
    check.fixes.push_back({QStringLiteral("Copy the command that shows who listens there"),
                           {},
                           QStringLiteral("ss -ltnp 'sport = :%1'").arg(port)});
    checks.push_back(std::move(check));
  }
  for (const auto& [run, ofRun] : held) checks.push_back(heldPorts(plan, ofRun, {}, *run));
  if (checks.empty() && !ports.empty()) {
    QStringList numbers;
    for (const auto& [port, federates] : ports) numbers << QString::number(port);
    checks.push_back({QStringLiteral("ports"),
                      Level::Passed,
                      QStringLiteral("The ports of federates are free"),
                      QStringLiteral("TCP %1").arg(numbers.join(QStringLiteral(", "))),
                      {},
                      {},
                      {}});
  }
  return checks;
}

/// Names the federate of this machine that asks for most, and offers to run fewer of it where that
/// is enough.
void relieve(PreflightCheck& check, const composer::Composition& composition,
             const composer::Catalog& catalog, double tooMuch,
             const std::function<double(const composer::Resources&)>& need) {
  const composer::Federate* most = nullptr;
  double mostOfAll = 0;
  double each = 0;
  for (const auto& [id, federate] : composition.federates) {
    if (!federate.enabled || !federate.host.isEmpty()) continue;
    const auto* manifest = catalog.find(federate.component, federate.version);
    const double one = manifest == nullptr ? 0 : need(federate.needs(manifest));
    if (one * federate.count <= mostOfAll) continue;
    most = &federate;
    mostOfAll = one * federate.count;
    each = one;
  }
  if (most == nullptr) return;
  check.federates << most->id;
  const int fewer = most->count - static_cast<int>(std::ceil(tooMuch / each));
  if (fewer < 1) return;
  const QString label =
      QStringLiteral("Run %1 of %2 instead of %3").arg(fewer).arg(most->name).arg(most->count);
  check.fixes.push_back({label, Fix{Fix::Kind::SetCount, label, most->id, {}, fewer}, {}});
}

}  // namespace

std::vector<PreflightCheck> preflightOfPlan(const LaunchPlan& plan, const MachineState& machine) {
  std::vector<PreflightCheck> checks = checkPrograms(plan);
  for (auto& check : checkLibraries(plan)) checks.push_back(std::move(check));
  checks.push_back(checkSupervisor(composer::Catalog::binaryFolders()));
  checks.push_back(checkNode(plan));
  checks.push_back(checkMemory(plan, machine));
  checks.push_back(checkCores(plan, machine));
  checks.push_back(checkDisk(plan));
  for (auto& check : checkPorts(plan)) checks.push_back(std::move(check));
  if (auto check = checkSpares(plan)) checks.push_back(std::move(*check));
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  return checks;
}

std::vector<PreflightCheck> preflight(const composer::Composition& composition,
                                      const composer::Catalog& catalog,
                                      const std::vector<composer::Finding>& findings,
                                      const LaunchPlan::Options& options,
                                      const MachineState& machine) {
  std::vector<PreflightCheck> checks;
  const auto modules = composer::effectiveModules(
      composition, catalog, options.folder.isEmpty() ? QDir::currentPath() : options.folder);
  const auto enabled = std::count_if(composition.federates.begin(), composition.federates.end(),
                                     [](const auto& entry) { return entry.second.enabled; });
  addFindings(checks, composition, findings, Check::Components, "components", "Components known",
              counted(enabled, QStringLiteral("federate")) + QStringLiteral(" enabled"));
  addFindings(checks, composition, findings, Check::Parameters, "parameters",
              "Parameters have values", {});
  addFindings(checks, composition, findings, Check::ObjectModel, "fom", "FOM modules valid",
              counted(modules.size(), QStringLiteral("module")) +
                  QStringLiteral(", merged with the standard MIM"));
  addFindings(checks, composition, findings, Check::DataFlow, "flow", "Data flows",
              "Every subscription has a publisher");
  addFindings(checks, composition, findings, Check::Time, "time", "Time policies fit", {});
  addFindings(checks, composition, findings, Check::Names, "names", "Names are unique", {});
  addFindings(checks, composition, findings, Check::Start, "start", "Start order works", {});
  if (const auto plan = LaunchPlan::make(composition, catalog, options)) {
    for (auto& check : preflightOfPlan(*plan, machine)) {
      // Names a person knows, instead of ids.
      for (auto& fix : check.fixes) {
        const auto* federate = fix.edit ? composition.find(fix.edit->federate) : nullptr;
        if (federate != nullptr) {
          if (fix.edit->kind == Fix::Kind::SetEnabled)
            fix.label = QStringLiteral("Disable %1").arg(federate->name);
          if (fix.edit->kind == Fix::Kind::SetRestart)
            fix.label = QStringLiteral("Restart %1 when it fails").arg(federate->name);
          fix.edit->label = fix.label;
        }
      }
      if (check.level == Level::Warning && check.id == QStringLiteral("memory"))
        relieve(check, composition, catalog, plan->memoryMb - machine.memoryAvailableMb,
                [](const composer::Resources& needs) { return needs.memory; });
      if (check.level == Level::Warning && check.id == QStringLiteral("cores"))
        relieve(check, composition, catalog, plan->cores - machine.cores,
                [](const composer::Resources& needs) { return needs.cores; });
      checks.push_back(std::move(check));
    }
  } else {
    for (const auto& error : plan.error()) {
      // The composer's checks say most of it already, and with a fix.
      const bool known = std::any_of(checks.begin(), checks.end(),
                                     [](const auto& check) { return check.level == Level::Error; });
      if (known) break;
      PreflightCheck check{"plan",
                           Level::Error,
                           error.what,
                           error.next,
                           error.place(),
                           {},
                           {openingOf(error.file, error.line)}};
      if (check.title.endsWith(u'.')) check.title.chop(1);
      checks.push_back(std::move(check));
    }
    checks.push_back(checkSupervisor(composer::Catalog::binaryFolders()));
  }
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  return checks;
}

bool mayRun(const std::vector<PreflightCheck>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const auto& check) { return check.level == Level::Error; });
}

}  // namespace tutti::launcher
