// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QDateTime>
#include <QDir>
#include <QProcess>
#include <QSet>
#include <QSysInfo>
#include <algorithm>
#include <cmath>
#include <future>
#include <mutex>

#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

namespace {

using Level = PreflightCheck::Level;

constexpr int longestAnswerMs = 30000;
constexpr int longestCopyMs = 600000;
constexpr double bytesPerMb = 1e6;
constexpr double worstClockSeconds = 0.02;

/// What a host is asked: facts a line each, then the check sums of the files that come as its
/// input, at their own paths and below the folder of copies. In one line, as a login shell may take
/// no other.
const QString question = QStringLiteral(
    "files=$(cat); copies=\"${XDG_CACHE_HOME:-$HOME/.cache}/tutti/copies\"; "
    "echo \"machine $(uname -m)\"; echo \"copies $copies\"; "
    "echo \"runs ${XDG_STATE_HOME:-$HOME/.local/state}/tutti/runs\"; "
    "echo \"console ${SSH_CONNECTION%% *}\"; echo \"cores $(nproc)\"; "
    "echo \"load $(cut -d' ' -f1 /proc/loadavg)\"; "
    "echo \"memory $(awk '/^MemAvailable:/{print $2}' /proc/meminfo)\"; "
    "mkdir -p \"$copies\" && chmod 700 \"$copies\"; "
    "echo \"disk $(df -Pk \"$copies\" | awk 'END{print $4}')\"; "
    "echo \"time $(date +%s.%N)\"; "
    "echo same; printf '%s\\n' \"$files\" | xargs -d '\\n' sha256sum 2>/dev/null; "
    "echo copied; cd \"$copies\" && printf '%s\\n' \"$files\" | sed 's|^/||' | "
    "xargs -d '\\n' sha256sum 2>/dev/null; echo end");

/// The value behind `key` at the start of a line.
QString valueOf(const QStringList& lines, const QString& key) {
  for (const QString& line : lines) {
    if (line.startsWith(key + u' ')) return line.mid(key.size() + 1).trimmed();
  }
  return {};
}

/// Paths with their check sums, of lines as sha256sum writes them.
std::map<QString, QByteArray> sums(const QStringList& lines) {
  std::map<QString, QByteArray> result;
  for (const QString& line : lines) {
    const auto gap = line.indexOf(QStringLiteral("  "));
    if (gap > 0) result[line.mid(gap + 2)] = line.left(gap).toLatin1();
  }
  return result;
}

void compare(HostReport& report, const HostFiles& files, const QStringList& same,
             const QStringList& copied) {
  const auto there = sums(same);
  const auto copies = sums(copied);
  report.same = true;
  for (const auto& [path, file] : files.files) {
    const auto own = there.find(path);
    if (!files.ofSystem.contains(path) && (own == there.end() || own->second != file.sha256))
      report.same = false;
    // One of the system's may differ between hosts, but it has to be there.
    if (own == there.end()) report.same = false;
    const auto copy = copies.find(path.mid(1));
    if (copy != copies.end() && copy->second == file.sha256) continue;
    report.toCopy << path;
    report.bytesToCopy += file.size;
  }
  if (!report.same) return;
  report.toCopy.clear();
  report.bytesToCopy = 0;
}

QString megabytes(double bytes) {
  return QStringLiteral("%1 MB").arg(bytes / bytesPerMb, 0, 'f', bytes < 1e7 ? 1 : 0);
}

/// A port that nothing on this machine listens at, for TCP and UDP; 0: none is free.
quint16 freePort(const ListenAddress& listen) {
  for (int port = listen.firstPort; port <= listen.lastPort; ++port) {
    bool isFree = true;
    for (const int kind : {SOCK_STREAM, SOCK_DGRAM}) {
      const Descriptor socket(::socket(AF_INET, kind | SOCK_CLOEXEC, 0));
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(static_cast<quint16>(port));
      address.sin_addr.s_addr = htonl(INADDR_ANY);
      isFree =
          isFree && socket &&
          ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    if (isFree) return static_cast<quint16>(port);
  }
  return 0;
}

PreflightCheck unreached(const HostReport& report) {
  return {QStringLiteral("host-") + report.host,
          Level::Error,
          QStringLiteral("%1 cannot be reached").arg(report.host),
          report.loss.why + QStringLiteral(". ") + report.loss.next,
          report.host,
          {},
          {}};
}

PreflightCheck notCopied(const HostReport& report) {
  PreflightCheck check{
      QStringLiteral("files-") + report.host,
      Level::Error,
      QStringLiteral("Files are missing on %1").arg(report.host),
      QStringLiteral("%1 of the programs, components and object models are not there "
                     "or differ, the first: %2. They are %3 and can be copied to %4.")
          .arg(report.toCopy.size())
          .arg(report.toCopy.front(), megabytes(static_cast<double>(report.bytesToCopy)),
               report.folder),
      report.host,
      {},
      {}};
  check.fixes.push_back(
      {QStringLiteral("Copy them, %1").arg(megabytes(static_cast<double>(report.bytesToCopy))),
       {},
       QStringLiteral("tutti run FILE --hosts HOSTS")});
  return check;
}

void addStateOf(const HostReport& report, const PlannedHost& planned,
                std::vector<PreflightCheck>& checks) {
  const auto warn = [&](const char* id, const QString& title, const QString& detail) {
    checks.push_back({QLatin1String(id) + QStringLiteral("-") + report.host,
                      Level::Warning,
                      title,
                      detail,
                      report.host,
                      {},
                      {}});
  };
  if (report.machine != QSysInfo::currentCpuArchitecture()) {
    checks.push_back(
        {QStringLiteral("machine-") + report.host,
         Level::Error,
         QStringLiteral("%1 is another kind of machine").arg(report.host),
         QStringLiteral("It is %1, and the programs here are for %2. Place its federates "
                        "on another host.")
             .arg(report.machine, QSysInfo::currentCpuArchitecture()),
         report.host,
         {},
         {}});
  }
  if (planned.memoryMb > report.memoryAvailableMb)
    warn("memory", QStringLiteral("Little memory on %1").arg(report.host),
         QStringLiteral("The federates there ask for %1 MB, and %2 MB are available.")
             .arg(planned.memoryMb, 0, 'f', 0)
             .arg(report.memoryAvailableMb, 0, 'f', 0));
  if (planned.cores > report.cores)
    warn("cores",
         QStringLiteral("The federates on %1 ask for more cores than it has").arg(report.host),
         QStringLiteral(
             "They ask for %1 of %2. They share them: the run may be slower than real time.")
             .arg(planned.cores)
             .arg(report.cores));
  if (report.diskFreeMb < 100)
    warn("disk", QStringLiteral("Little room on %1").arg(report.host),
         QStringLiteral("%1 MB are free for %2. When the disk is full, logs end early.")
             .arg(report.diskFreeMb, 0, 'f', 0)
             .arg(report.folder));
  const double ahead = std::abs(report.clockAheadSeconds) - report.clockUncertainSeconds;
  if (ahead > worstClockSeconds)
    warn(
        "clock",
        QStringLiteral("The clock of %1 is %2 s %3")
            .arg(report.host)
            .arg(std::abs(report.clockAheadSeconds), 0, 'f', 2)
            .arg(report.clockAheadSeconds > 0 ? QStringLiteral("ahead") : QStringLiteral("behind")),
        QStringLiteral("The times in its logs are off by that. Let it be set by NTP."));
}

}  // namespace

HostReport askHost(const Host& host, const HostFiles& files, const std::stop_token& stop) {
  HostReport report;
  report.host = host.name;
  QByteArray list;
  for (const auto& [path, file] : files.files) list += path.toUtf8() + '\n';
  const double before = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  const auto answer =
      askOverSsh(host, shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), question}), list,
                 longestAnswerMs, stop);
  const double after = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  report.seconds = answer.seconds;
  report.loss = answer.loss;
  if (!answer.ok) return report;
  const QStringList lines = QString::fromUtf8(answer.output).split(u'\n', Qt::SkipEmptyParts);
  const auto same = lines.indexOf(QStringLiteral("same"));
  const auto copied = lines.indexOf(QStringLiteral("copied"));
  const auto end = lines.lastIndexOf(QStringLiteral("end"));
  if (same < 0 || copied < same || end < copied) {
    report.loss = {
        host.name, QStringLiteral("its answer is not complete: %1").arg(lines.value(0).left(200)),
        QStringLiteral("See what its login shell prints or refuses: ssh %1 true").arg(host.name)};
    return report;
  }
  report.reached = true;
  report.machine = valueOf(lines, QStringLiteral("machine"));
  report.folder = valueOf(lines, QStringLiteral("copies"));
  report.runs = valueOf(lines, QStringLiteral("runs"));
  report.console = valueOf(lines, QStringLiteral("console"));
  report.cores = valueOf(lines, QStringLiteral("cores")).toInt();
  report.load = valueOf(lines, QStringLiteral("load")).toDouble();
  report.memoryAvailableMb =
      valueOf(lines, QStringLiteral("memory")).toDouble() * 1024 / bytesPerMb;
  report.diskFreeMb = valueOf(lines, QStringLiteral("disk")).toDouble() * 1024 / bytesPerMb;
  report.clockAheadSeconds =
      valueOf(lines, QStringLiteral("time")).toDouble() - (before + after) / 2;
  report.clockUncertainSeconds = (after - before) / 2;
  compare(report, files, lines.mid(same + 1, copied - same - 1),
          lines.mid(copied + 1, end - copied - 1));
  return report;
}

tl::expected<HostReport, Agent::Loss> copyToHost(const Host& host, const HostFiles& files,
                                                 const HostReport& report,
                                                 const std::stop_token& stop) {
  if (static_cast<double>(report.bytesToCopy) / bytesPerMb > report.diskFreeMb) {
    return tl::unexpected(
        Agent::Loss{report.folder,
                    QStringLiteral("%1 are to be copied and %2 MB are free")
                        .arg(megabytes(static_cast<double>(report.bytesToCopy)))
                        .arg(report.diskFreeMb, 0, 'f', 0),
                    QStringLiteral("Make room there, or set XDG_CACHE_HOME for its login shell.")});
  }
  QProcess tar;
  QProcess ssh;
  tar.setStandardOutputProcess(&ssh);
  ssh.start(QStringLiteral("ssh"),
            sshArguments(host) + QStringList{shellCommand(
                                     {QStringLiteral("tar"), QStringLiteral("-C"), report.folder,
                                      QStringLiteral("-xf"), QStringLiteral("-")})});
  tar.start(QStringLiteral("tar"),
            {QStringLiteral("-C"), QStringLiteral("/"), QStringLiteral("-ch"),
             QStringLiteral("--verbatim-files-from"), QStringLiteral("--files-from=-")});
  if (!tar.waitForStarted() || !ssh.waitForStarted()) {
    return tl::unexpected(Agent::Loss{host.name,
                                      QStringLiteral("tar or ssh does not start here: %1, %2")
                                          .arg(tar.errorString(), ssh.errorString()),
                                      QStringLiteral("Install tar and the OpenSSH client.")});
  }
  for (const QString& path : report.toCopy) tar.write(path.mid(1).toUtf8() + '\n');
  tar.closeWriteChannel();
  const bool packed = waitForEnd(tar, longestCopyMs, stop) && tar.exitCode() == 0;
  if (!waitForEnd(ssh, longestCopyMs, stop) || ssh.exitCode() != 0)
    return tl::unexpected(sshLoss(host.name, ssh.readAllStandardError(), ssh.exitCode(), false));
  if (!packed) {
    return tl::unexpected(Agent::Loss{host.name,
                                      QString::fromLocal8Bit(tar.readAllStandardError()).trimmed(),
                                      QStringLiteral("See that the files can be read here.")});
  }
  HostReport again = askHost(host, files, stop);
  if (!again.reached) return tl::unexpected(again.loss);
  if (!again.same && !again.toCopy.isEmpty()) {
    return tl::unexpected(Agent::Loss{
        again.folder,
        QStringLiteral("%1 still differs after it was copied").arg(again.toCopy.front()),
        QStringLiteral("See whether somebody else writes there.")});
  }
  return again;
}

HostPreparation prepareHosts(LaunchPlan& plan, bool copy,
                             const std::function<void(const QString&)>& progress,
                             const std::stop_token& stop) {
  HostPreparation result;
  struct One {
    HostReport report;
    std::optional<HostFiles> files;
    std::vector<PreflightCheck> checks;
  };
  std::mutex speaking;
  const auto say = [&](const QString& line) {
    const std::lock_guard guard(speaking);
    if (progress) progress(line);
  };
  const auto prepare = [&](const PlannedHost& planned) {
    One one;
    const QString name = planned.host.name;
    one.report.host = name;
    auto files = HostFiles::of(plan, name);
    if (!files) {
      one.checks.push_back({QStringLiteral("files-") + name,
                            Level::Error,
                            files.error().what,
                            files.error().next,
                            files.error().file,
                            {},
                            {}});
      return one;
    }
    one.files = std::move(*files);
    one.report = askHost(planned.host, *one.files, stop);
    if (!one.report.reached) {
      one.checks.push_back(unreached(one.report));
      return one;
    }
    addStateOf(one.report, planned, one.checks);
    if (one.report.toCopy.isEmpty()) return one;
    if (!copy) {
      one.checks.push_back(notCopied(one.report));
      return one;
    }
    const auto number = one.report.toCopy.size();
    const QString amount = QStringLiteral("%1 %2 (%3)")
                               .arg(number)
                               .arg(number == 1 ? QStringLiteral("file") : QStringLiteral("files"),
                                    megabytes(static_cast<double>(one.report.bytesToCopy)));
    say(QStringLiteral("%1 lacks %2, copied to %3").arg(name, amount, one.report.folder));
    auto copied = copyToHost(planned.host, *one.files, one.report, stop);
    if (!copied) {
      one.checks.push_back({QStringLiteral("files-") + name,
                            Level::Error,
                            QStringLiteral("%1 could not be copied to %2").arg(amount, name),
                            copied.error().why + QStringLiteral(". ") + copied.error().next,
                            copied.error().where,
                            {},
                            {}});
      return one;
    }
    one.report = std::move(*copied);
    return one;
  };
  std::vector<std::future<One>> asked;
  for (const auto& planned : plan.hosts)
    asked.push_back(std::async(std::launch::async, prepare, std::cref(planned)));
  std::vector<One> all;
  for (auto& one : asked) all.push_back(one.get());
  for (auto& one : all) {
    result.checks.insert(result.checks.end(), one.checks.begin(), one.checks.end());
    result.reports.push_back(one.report);
  }
  const quint16 port = plan.hosts.empty() ? 0 : freePort(plan.listen);
  if (!plan.hosts.empty() && port == 0) {
    result.checks.push_back({QStringLiteral("port"),
                             Level::Error,
                             QStringLiteral("No port is free for the RTI node"),
                             QStringLiteral("All from %1 to %2 are taken.")
                                 .arg(plan.listen.firstPort)
                                 .arg(plan.listen.lastPort),
                             {},
                             {},
                             {}});
  }
  std::stable_sort(result.checks.begin(), result.checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  if (!mayRun(result.checks)) return result;
  result.asPlanned = plan;
  QSet<QString> seenAs;
  for (const auto& one : all) {
    const QString home = plan.listen.address.isEmpty() ? one.report.console : plan.listen.address;
    seenAs << home;
    LaunchPlan::Site site;
    site.folder = QDir(one.report.runs).filePath(plan.run);
    site.home = addressWithPort(home, port);
    if (one.report.same) {
      site.supervisor = one.files->supervisor;
      site.there = [](const QString& word) { return word; };
    } else {
      const QString folder = one.report.folder;
      site.supervisor = folder + one.files->supervisor;
      QStringList libraries;
      for (const QString& library : one.files->libraries) libraries << folder + library;
      site.libraries = libraries.join(u':');
      site.there = [files = *one.files, folder](const QString& word) {
        return files.moved(word, folder);
      };
    }
    plan.settle(one.report.host, site);
    result.checks.push_back(
        {QStringLiteral("host-") + one.report.host,
         Level::Passed,
         QStringLiteral("%1 is ready").arg(one.report.host),
         QStringLiteral("It answered in %1 s; %2")
             .arg(one.report.seconds, 0, 'f', 1)
             .arg(one.report.same ? QStringLiteral("it has the same files as this machine")
                                  : QStringLiteral("the files are in %1").arg(one.report.folder)),
         one.report.host,
         {},
         {}});
  }
  plan.prepared = std::make_shared<HostPreparation>(result);
  // The hosts may see this machine at different addresses; the key keeps strangers out.
  plan.listenAt(
      addressWithPort(seenAs.size() == 1 ? *seenAs.begin() : QStringLiteral("0.0.0.0"), port));
  return result;
}

}  // namespace tutti::launcher
