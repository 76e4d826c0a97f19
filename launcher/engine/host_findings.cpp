// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_findings.h"

#include <QFileInfo>
#include <QSysInfo>
#include <algorithm>
#include <cmath>
#include <map>

#include "composer/model/command_line.h"
#include "launcher/engine/home_port.h"
#include "launcher/engine/port_use.h"

namespace tutti::launcher {

namespace {

using Level = PreflightCheck::Level;

constexpr double bytesPerMb = 1e6;

QString mb(double value) { return QStringLiteral("%1 MB").arg(value, 0, 'f', 0); }

/// What a person types to reach the host as the launch does.
QString sshWords(const Host& host) {
  QStringList words{QStringLiteral("ssh")};
  if (host.port > 0) words << QStringLiteral("-p") << QString::number(host.port);
  if (!host.identityFile.isEmpty())
    words << QStringLiteral("-i") << composer::shellQuoted(host.identityFile);
  if (!host.knownHostsFile.isEmpty())
    words << QStringLiteral("-o")
          << composer::shellQuoted(QStringLiteral("UserKnownHostsFile=") + host.knownHostsFile);
  words << composer::shellQuoted(host.destination.isEmpty() ? host.name : host.destination);
  return words.join(u' ');
}

PreflightCheck finding(const char* id, const HostReport& report, Level level, const QString& title,
                       const QString& detail) {
  return {QLatin1String(id) + QStringLiteral("-") + report.host,
          level,
          title,
          detail,
          report.host,
          {},
          {}};
}

void fix(PreflightCheck& check, const QString& label, const QString& command = {}) {
  if (check.level != Level::Passed) check.fixes.push_back({label, {}, command});
}

PreflightCheck machine(const HostReport& report) {
  const bool same = report.machine == QSysInfo::currentCpuArchitecture();
  auto check = finding("machine", report, same ? Level::Passed : Level::Error,
                       same ? QStringLiteral("%1 is the same kind of machine").arg(report.host)
                            : QStringLiteral("%1 is another kind of machine").arg(report.host),
                       same ? report.machine
                            : QStringLiteral("It is %1, and the programs here are for %2.")
                                  .arg(report.machine, QSysInfo::currentCpuArchitecture()));
  fix(check, QStringLiteral("Place its federates on another host"));
  return check;
}

PreflightCheck wayHome(const HostReport& report, const QString& home) {
  const bool reached = report.reachesHome.value_or(false);
  auto check = finding(
      "home", report, reached ? Level::Passed : Level::Error,
      reached ? QStringLiteral("%1 reaches the home").arg(report.host)
              : QStringLiteral("%1 does not reach the home").arg(report.host),
      reached ? QStringLiteral("At %1").arg(home)
              : QStringLiteral("It cannot connect to %1, TCP, where the RTI node of this machine "
                               "will listen: %2. A firewall here or on the way does not let it "
                               "through, or the address is another one for it.")
                    .arg(home, report.whyNotHome));
  const QString port = home.section(u':', -1);
  fix(check, QStringLiteral("Let TCP and UDP port %1 in").arg(port),
      commandThatOpens(static_cast<quint16>(port.toUInt())));
  return check;
}

PreflightCheck memory(const HostReport& report, const PlannedHost& planned) {
  const bool enough = planned.memoryMb <= report.memoryAvailableMb;
  auto check = finding(
      "memory", report, enough ? Level::Passed : Level::Warning,
      (enough ? QStringLiteral("Enough memory on %1") : QStringLiteral("Little memory on %1"))
          .arg(report.host),
      QStringLiteral("The federates there ask for %1, and %2 are available")
          .arg(mb(planned.memoryMb), mb(report.memoryAvailableMb)));
  fix(check, QStringLiteral("Place federates on another host, or end what uses the memory"),
      sshWords(planned.host) + QStringLiteral(" ps -eo pid,rss,comm --sort=-rss"));
  return check;
}

PreflightCheck cores(const HostReport& report, const PlannedHost& planned) {
  const bool enough = planned.cores <= report.cores;
  auto check = finding(
      "cores", report, enough ? Level::Passed : Level::Warning,
      enough
          ? QStringLiteral("Enough processor cores on %1").arg(report.host)
          : QStringLiteral("The federates on %1 ask for more cores than it has").arg(report.host),
      QStringLiteral("They ask for %1 of %2; the load is %3%4")
          .arg(planned.cores)
          .arg(report.cores)
          .arg(report.load, 0, 'f', 1)
          .arg(enough
                   ? QString()
                   : QStringLiteral(". They share them: the run may be slower than real time.")));
  fix(check, QStringLiteral("Place federates on another host"));
  return check;
}

PreflightCheck disk(const HostReport& report, const PlannedHost& planned) {
  const double toCopy = static_cast<double>(report.bytesToCopy) / bytesPerMb;
  const bool copies = toCopy <= report.diskFreeMb;
  const bool logs = leastLogDiskMb <= report.logDiskFreeMb;
  auto check = finding(
      "disk", report,
      !copies ? Level::Error
      : logs  ? Level::Passed
              : Level::Warning,
      (copies && logs ? QStringLiteral("Enough room on %1") : QStringLiteral("Little room on %1"))
          .arg(report.host),
      QStringLiteral("%1 are to be copied to %2, where %3 MB are free; logs get %4, where %5 MB "
                     "are free%6")
          .arg(bytesText(static_cast<double>(report.bytesToCopy)), report.folder)
          .arg(report.diskFreeMb, 0, 'f', 0)
          .arg(report.runs)
          .arg(report.logDiskFreeMb, 0, 'f', 0)
          .arg(copies && !logs ? QStringLiteral(". When the disk is full, logs end early.")
                               : QString()));
  const QString full = copies ? report.runs : report.folder;
  fix(check, QStringLiteral("Make room there: see what takes it"),
      sshWords(planned.host) + QStringLiteral(" du -sh ") + composer::shellQuoted(full));
  return check;
}

PreflightCheck clock(const HostReport& report, const PlannedHost& planned) {
  const double off = std::abs(report.clockAheadSeconds);
  const bool right = off - report.clockUncertainSeconds <= worstClockSeconds;
  const QString uncertain =
      QStringLiteral("known to within %1 s").arg(report.clockUncertainSeconds, 0, 'f', 3);
  auto check = finding(
      "clock", report, right ? Level::Passed : Level::Warning,
      right ? QStringLiteral("The clock of %1 agrees").arg(report.host)
            : QStringLiteral("The clock of %1 is %2 s %3")
                  .arg(report.host)
                  .arg(off, 0, 'f', 2)
                  .arg(report.clockAheadSeconds > 0 ? QStringLiteral("ahead")
                                                    : QStringLiteral("behind")),
      right ? QStringLiteral("%1 s, %2").arg(report.clockAheadSeconds, 0, 'f', 3).arg(uncertain)
            : QStringLiteral("The times in its logs are off by that, %1.").arg(uncertain));
  fix(check, QStringLiteral("Let NTP set it"),
      sshWords(planned.host) + QStringLiteral(" sudo timedatectl set-ntp true"));
  return check;
}

}  // namespace

QString bytesText(double bytes) {
  if (bytes < 1e3) return QStringLiteral("%1 bytes").arg(bytes, 0, 'f', 0);
  if (bytes < 1e5) return QStringLiteral("%1 kB").arg(bytes / 1e3, 0, 'f', 0);
  return QStringLiteral("%1 MB").arg(bytes / bytesPerMb, 0, 'f', bytes < 1e7 ? 1 : 0);
}

PreflightCheck unreadFile(const QString& host, const composer::Error& error) {
  PreflightCheck check{
      QStringLiteral("files-") + host, Level::Error, error.what, error.next, error.file, {}, {}};
  if (check.title.endsWith(u'.')) check.title.chop(1);
  if (error.file.isEmpty())
    check.fixes = fixesOfMissingSupervisor();
  else
    fix(check, QStringLiteral("Copy the command that shows its rights"),
        QStringLiteral("ls -ld ") + composer::shellQuoted(error.file));
  return check;
}

PreflightCheck failedCopy(const Host& host, const QString& amount, const Agent::Loss& loss) {
  PreflightCheck check{QStringLiteral("files-") + host.name,
                       Level::Error,
                       QStringLiteral("%1 could not be copied to %2").arg(amount, host.name),
                       loss.why + QStringLiteral(". ") + loss.next,
                       loss.where,
                       {},
                       {}};
  const bool isThere = loss.where.startsWith(u'/');
  fix(check, QStringLiteral("Copy the command that shows the room there"),
      sshWords(host) + QStringLiteral(" df -h ") +
          (isThere ? composer::shellQuoted(loss.where) : QStringLiteral(".")));
  fix(check, QStringLiteral("Run again: what has arrived is not copied again"));
  return check;
}

PreflightCheck unreachedHost(const HostReport& report, const Host& host) {
  auto check =
      finding("host", report, Level::Error, QStringLiteral("%1 cannot be reached").arg(report.host),
              report.loss.why + QStringLiteral(". ") + report.loss.next);
  fix(check, QStringLiteral("See what ssh says"), sshWords(host));
  return check;
}

std::vector<PreflightCheck> stateOfHost(const HostReport& report, const PlannedHost& planned,
                                        const QString& home) {
  std::vector<PreflightCheck> checks{machine(report), memory(report, planned),
                                     cores(report, planned), disk(report, planned),
                                     clock(report, planned)};
  if (report.reachesHome) checks.push_back(wayHome(report, home));
  return checks;
}

std::vector<PreflightCheck> portsOfHost(const HostReport& report, const Host& host,
                                        const LaunchPlan& plan, const std::vector<GoingRun>& runs) {
  std::vector<PreflightCheck> checks;
  const auto ports = portsOf(plan, report.host);
  const auto add = [&](PreflightCheck check) {
    check.id += u'-' + report.host;
    check.where = report.host;
    checks.push_back(std::move(check));
  };
  std::map<const GoingRun*, std::map<quint16, QStringList>> held;
  for (const auto& [port, federates] : ports) {
    const auto taken = report.taken.find(port);
    if (taken == report.taken.end()) continue;
    if (const GoingRun* run = runOfHolder(host, taken->second, runs)) {
      held[run][port] = federates;
      continue;
    }
    auto check = takenPort(plan, port, federates, report.host, taken->second.program);
    fix(check, QStringLiteral("Copy the command that shows who listens there"),
        sshWords(host) + QStringLiteral(" \"ss -ltnp 'sport = :%1'\"").arg(port));
    add(std::move(check));
  }
  for (const auto& [run, ofRun] : held) add(heldPorts(plan, ofRun, report.host, *run));
  if (checks.empty() && !ports.empty())
    checks.push_back(
        finding("ports", report, Level::Passed,
                QStringLiteral("The ports of federates are free on %1").arg(report.host), {}));
  return checks;
}

namespace {

/// The first few, and how many more.
QString listed(QStringList names, qsizetype most) {
  names.removeDuplicates();
  if (names.size() > most + 1)
    names = names.mid(0, most) << QStringLiteral("%1 more").arg(names.size() - most);
  return names.join(QStringLiteral(", "));
}

/// Those of the lacking files that are of one kind.
struct Lacking {
  const char* id;
  const char* what;
  QStringList paths{};
  double bytes = 0;
  std::map<QString, QStringList> components{};  ///< with the federates that need them
  QStringList federates{};
};

/// "lab2 lacks the component radar 1.2 (radar-west, radar-east)"
QString titleOf(const Lacking& kind, const HostReport& report) {
  const bool isThere = std::all_of(kind.paths.begin(), kind.paths.end(), [&](const auto& path) {
    return report.differing.contains(path);
  });
  if (kind.components.empty())
    return QStringLiteral("%1 are missing on %2, or others than here")
        .arg(QLatin1String(kind.what), report.host);
  constexpr qsizetype mostFederates = 4;
  constexpr qsizetype mostComponents = 3;
  QStringList parts;
  for (const auto& [component, federates] : kind.components)
    parts << QStringLiteral("%1 (%2)").arg(component, listed(federates, mostFederates));
  const QString noun =
      parts.size() == 1 ? QStringLiteral("component") : QStringLiteral("components");
  return (isThere ? QStringLiteral("%1 has other files of the %2 %3 than here")
                  : QStringLiteral("%1 lacks the %2 %3"))
      .arg(report.host, noun, listed(parts, mostComponents));
}

}  // namespace

std::vector<PreflightCheck> filesOfHost(const HostReport& report, const HostFiles& files,
                                        PreflightCheck::Level level) {
  Lacking kinds[] = {{"programs", "Tutti's programs"},
                     {"modules", "FOM modules"},
                     {"files", "Components"},
                     {"libraries", "Shared libraries"}};
  for (const QString& path : report.toCopy) {
    const QString name = QFileInfo(path).fileName();
    const bool isProgram =
        name == QStringLiteral("tutti-rti") || name == QStringLiteral("tutti-supervisor");
    const auto uses = files.uses.find(path);
    QStringList federates;
    // Those that Tutti's programs load are no component's.
    bool isOfComponent =
        uses == files.uses.end() && !files.libraries.contains(QFileInfo(path).path());
    if (uses != files.uses.end()) {
      for (const auto& use : uses->second) {
        federates << use.federate;
        isOfComponent = isOfComponent || !use.component.isEmpty();
      }
    }
    Lacking& kind = kinds[isProgram ? 0 : files.modules.contains(path) ? 1 : isOfComponent ? 2 : 3];
    kind.paths << path;
    kind.bytes += static_cast<double>(files.files.at(path).size);
    if (isProgram || files.modules.contains(path)) continue;
    kind.federates += federates;
    if (uses == files.uses.end()) continue;
    for (const auto& use : uses->second) {
      if (use.component.isEmpty()) continue;
      auto& names = kind.components[use.component];
      if (!names.contains(use.federate)) names << use.federate;
    }
  }
  std::vector<PreflightCheck> checks;
  for (Lacking& kind : kinds) {
    if (kind.paths.isEmpty()) continue;
    const auto number = kind.paths.size();
    QString detail =
        QStringLiteral("%1 %2 by check sum (SHA-256): %3%4. %5 and can be copied to %6.")
            .arg(number)
            .arg(number == 1 ? QStringLiteral("file") : QStringLiteral("files"))
            .arg(kind.paths.mid(0, 2).join(QStringLiteral(", ")),
                 number > 2 ? QStringLiteral(" and %1 more").arg(number - 2) : QString(),
                 (number == 1 ? QStringLiteral("It has %1") : QStringLiteral("They have %1"))
                     .arg(bytesText(kind.bytes)),
                 report.folder);
    constexpr qsizetype mostNames = 20;
    if (kind.components.empty() && !kind.federates.isEmpty())
      detail += QStringLiteral(" Needed by %1.").arg(listed(kind.federates, mostNames));
    if (kind.components.size() > 1) {
      for (const auto& [component, federates] : kind.components)
        detail += QStringLiteral("\n%1: %2").arg(component, listed(federates, mostNames));
    }
    auto check = finding(kind.id, report, level, titleOf(kind, report), detail);
    fix(check, QStringLiteral("Copy them, %1: run without --no-copy").arg(bytesText(kind.bytes)));
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace tutti::launcher
