// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_check.h"

#include <QDateTime>
#include <QDir>
#include <QProcess>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <future>
#include <mutex>

#include "launcher/engine/host_findings.h"
#include "launcher/engine/host_key.h"
#include "launcher/engine/kept_runs.h"
#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

using Level = PreflightCheck::Level;

constexpr int longestAnswerMs = 30000;
constexpr int longestCopyMs = 600000;
constexpr double bytesPerMb = 1e6;

/// What a host is asked: facts a line each, then the check sums of the files that come as its
/// input, at their own paths and below the folder of copies. In one line, as a login shell may take
/// no other.
const QString question = QStringLiteral(
    "echo \"began $(date +%s.%N)\"; files=$(cat); "
    "copies=\"${XDG_CACHE_HOME:-$HOME/.cache}/tutti/copies\"; "
    "echo \"machine $(uname -m)\"; echo \"copies $copies\"; "
    "echo \"runs ${XDG_STATE_HOME:-$HOME/.local/state}/tutti/runs\"; "
    "console=${SSH_CONNECTION:-$SLURM_LAUNCH_NODE_IPADDR}; "
    "echo \"console ${console%% *}\"; echo \"cores $(nproc)\"; "
    "echo \"load $(cut -d' ' -f1 /proc/loadavg)\"; "
    "echo \"memory $(awk '/^MemAvailable:/{print $2}' /proc/meminfo)\"; "
    "echo \"installed $(awk '/^MemTotal:/{print $2}' /proc/meminfo)\"; "
    "mkdir -p \"$copies\" && chmod 700 \"$copies\"; "
    "echo \"disk $(df -Pk \"$copies\" | awk 'END{print $4}')\"; "
    "runs=\"${XDG_STATE_HOME:-$HOME/.local/state}\"; mkdir -p \"$runs\"; "
    "echo \"logdisk $(df -Pk \"$runs\" | awk 'END{print $4}')\"; "
    "home=${2:-${console%% *}}; "
    "if [ \"$1\" != 0 ] && command -v bash >/dev/null && command -v timeout >/dev/null; then "
    "if why=$(LC_ALL=C timeout 10 bash -c \": </dev/tcp/$home/$1\" 2>&1); then echo 'home yes'; "
    "elif [ $? = 124 ]; then echo 'home no answer within 10 s'; "
    "else printf '%s\\n' \"$why\" | sed -n '$s/.*: /home /p'; fi; fi; "
    "for port in $3; do "
    "socket=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | "
    "awk -v end=\":$(printf %04X $port)\" "
    // At any address or at loopback only, as listenerAt().
    "'{at = substr($2, 1, length($2) - 5)} "
    "$4 == \"0A\" && substr($2, length($2) - 4) == end && (at ~ "
    "/^(0000000000000000FFFF0000|00000000000000000000FFFF)?(00000000|0100007F|7F000001)$/ || at ~ "
    "/^000000000000000000000000(00000000|01000000|00000001)$/) {print $10; exit}'); "
    "[ -n \"$socket\" ] || continue; "
    "process=$(find /proc/[0-9]*/fd -lname \"socket:?$socket?\" 2>/dev/null | head -n 1 | "
    "cut -d/ -f3); name=; "
    "[ -z \"$process\" ] || name=\"$(head -n 1 /proc/$process/comm) ($process)\"; "
    "echo \"taken $port $name\"; "
    "[ -z \"$process\" ] || echo \"node $port $(cat /proc/$process/environ 2>/dev/null | "
    "tr '\\0' '\\n' | sed -n 's/^TUTTI_RTI=//p' | head -n 1)\"; done; "
    "echo same; printf '%s\\n' \"$files\" | xargs -d '\\n' sha256sum 2>/dev/null; "
    "echo copied; cd \"$copies\" && printf '%s\\n' \"$files\" | sed 's|^/||' | "
    "xargs -d '\\n' sha256sum 2>/dev/null; echo \"ended $(date +%s.%N)\"; echo end");

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
    if (own != there.end() || copy != copies.end()) report.differing << path;
    report.bytesToCopy += file.size;
  }
  if (!report.same) return;
  report.toCopy.clear();
  report.differing.clear();
  report.bytesToCopy = 0;
}

}  // namespace

bool HostReport::isClockOff() const {
  return reached && std::abs(clockAheadSeconds) - clockUncertainSeconds > worstClockSeconds;
}

HostReport askHost(const Host& host, const HostFiles& files, const std::stop_token& stop,
                   quint16 port, const QString& address, const QList<quint16>& federatePorts) {
  HostReport report;
  report.host = host.name;
  report.destination = host.destination;
  report.port = host.port;
  QByteArray list;
  for (const auto& [path, file] : files.files) list += path.toUtf8() + '\n';
  QStringList wanted;
  for (const quint16 one : federatePorts) wanted << QString::number(one);
  const double before = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  const auto answer =
      askOn(host,
            shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), question,
                          QStringLiteral("sh"), QString::number(port), address, wanted.join(u' ')}),
            list, longestAnswerMs, stop);
  const double after = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  report.seconds = answer.seconds;
  report.loss = answer.loss;
  if (!answer.ok) {
    showHostKey(host, report.loss, stop);
    return report;
  }
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
  report.memoryTotalMb = valueOf(lines, QStringLiteral("installed")).toDouble() * 1024 / bytesPerMb;
  report.diskFreeMb = valueOf(lines, QStringLiteral("disk")).toDouble() * 1024 / bytesPerMb;
  report.logDiskFreeMb = valueOf(lines, QStringLiteral("logdisk")).toDouble() * 1024 / bytesPerMb;
  for (const QString& line : lines.mid(0, same)) {
    const QStringList words = line.split(u' ');
    const quint16 at = words.value(1).toUShort();
    if (words[0] == QStringLiteral("taken"))
      report.taken[at].program = words.mid(2).join(u' ').left(80);
    if (words[0] == QStringLiteral("node") && report.taken.contains(at))
      report.taken[at].designator = words.value(2).left(200);
  }
  // Some shells are built without connections of their own.
  if (const QString home = valueOf(lines, QStringLiteral("home"));
      !home.isEmpty() && !home.contains(QStringLiteral("No such file"))) {
    report.reachesHome = home == QStringLiteral("yes");
    if (!*report.reachesHome) report.whyNotHome = home;
  }
  // It began there after it was asked here, and ended there before the answer was here.
  const double most = valueOf(lines, QStringLiteral("began")).toDouble() - before;
  const double least = valueOf(lines, QStringLiteral("ended")).toDouble() - after;
  report.clockAheadSeconds = (most + least) / 2;
  report.clockUncertainSeconds = std::max(0.0, (most - least) / 2);
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
                        .arg(bytesText(static_cast<double>(report.bytesToCopy)))
                        .arg(report.diskFreeMb, 0, 'f', 0),
                    QStringLiteral("Make room there, or set XDG_CACHE_HOME for its login shell.")});
  }
  QProcess tar;
  QProcess ssh;
  tar.setStandardOutputProcess(&ssh);
  QStringList words =
      wordsFor(host, shellCommand({QStringLiteral("tar"), QStringLiteral("-C"), report.folder,
                                   QStringLiteral("-xf"), QStringLiteral("-")}));
  const QString program = words.takeFirst();
  ssh.start(program, words);
  tar.start(QStringLiteral("tar"),
            {QStringLiteral("-C"), QStringLiteral("/"), QStringLiteral("-ch"),
             QStringLiteral("--verbatim-files-from"), QStringLiteral("--files-from=-")});
  if (!tar.waitForStarted() || !ssh.waitForStarted()) {
    return tl::unexpected(Agent::Loss{host.name,
                                      QStringLiteral("tar or %1 does not start here: %2, %3")
                                          .arg(program, tar.errorString(), ssh.errorString()),
                                      QStringLiteral("Install tar. ") + nextWithout(program)});
  }
  for (const QString& path : report.toCopy) tar.write(path.mid(1).toUtf8() + '\n');
  tar.closeWriteChannel();
  const bool packed = waitForEnd(tar, longestCopyMs, stop) && tar.exitCode() == 0;
  if (!waitForEnd(ssh, longestCopyMs, stop) || ssh.exitCode() != 0)
    return tl::unexpected(lossOf(host, ssh.readAllStandardError(), ssh.exitCode(), false));
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

namespace {

enum class Missing { IsCopied, IsAnError, IsAWarning };

/// A run can do without a spare.
void withoutSpare(PreflightCheck& check, const QString& host) {
  if (check.level != Level::Error) return;
  check.level = Level::Warning;
  check.detail += QStringLiteral(" %1 is a spare: the run starts without it.").arg(host);
  check.detail = check.detail.trimmed();
}

HostPreparation prepare(LaunchPlan& plan, Missing missing,
                        const std::function<void(const QString&)>& progress,
                        const std::stop_token& stop,
                        const std::function<void(const QueuePlace&)>& queue = {}) {
  HostPreparation result;
  if (plan.hosts.empty()) return result;
  const auto home = std::make_shared<HomePort>(plan.listen);
  const quint16 port = home->port();
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
  if (auto bound = bindNodes(plan, say, stop, queue)) {
    result.allocations = std::move(*bound);
  } else {
    result.checks = std::move(bound.error());
    return result;
  }
  std::once_flag runsAsked;
  std::vector<GoingRun> runs;
  const auto runsOfThisMachine = [&] {
    std::call_once(runsAsked, [&] { runs = goingRuns(); });
    return runs;
  };
  const auto prepareOne = [&](const PlannedHost& planned) {
    One one;
    const QString name = planned.host.name;
    one.report.host = name;
    auto files = HostFiles::of(plan, name);
    if (!files) {
      one.checks.push_back(unreadFile(name, files.error()));
      return one;
    }
    one.files = std::move(*files);
    QList<quint16> federatePorts;
    for (const auto& [federatePort, names] : portsOf(plan, name)) federatePorts << federatePort;
    one.report = askHost(planned.host, *one.files, stop, port, plan.listen.address, federatePorts);
    if (!one.report.reached) {
      one.checks.push_back(unreachedHost(one.report, planned.host));
      return one;
    }
    const QString& address =
        plan.listen.address.isEmpty() ? one.report.console : plan.listen.address;
    one.checks = stateOfHost(one.report, planned, addressWithPort(address, port));
    const auto going = one.report.taken.empty() ? std::vector<GoingRun>() : runsOfThisMachine();
    for (auto& check : portsOfHost(one.report, planned.host, plan, going))
      one.checks.push_back(std::move(check));
    if (one.report.toCopy.isEmpty()) return one;
    if (missing != Missing::IsCopied || !mayRun(one.checks)) {
      const auto level = missing == Missing::IsAnError ? Level::Error : Level::Warning;
      for (auto& check : filesOfHost(one.report, *one.files, level))
        one.checks.push_back(std::move(check));
      return one;
    }
    const auto number = one.report.toCopy.size();
    const QString amount = QStringLiteral("%1 %2 (%3)")
                               .arg(number)
                               .arg(number == 1 ? QStringLiteral("file") : QStringLiteral("files"),
                                    bytesText(static_cast<double>(one.report.bytesToCopy)));
    say(QStringLiteral("%1 lacks %2, copied to %3").arg(name, amount, one.report.folder));
    auto copied = copyToHost(planned.host, *one.files, one.report, stop);
    if (!copied) {
      one.checks.push_back(failedCopy(planned.host, amount, copied.error()));
      return one;
    }
    one.report = std::move(*copied);
    return one;
  };
  std::vector<std::future<One>> asked;
  for (const auto& planned : plan.hosts)
    asked.push_back(std::async(std::launch::async, prepareOne, std::cref(planned)));
  std::vector<One> all;
  for (auto& one : asked) all.push_back(one.get());
  QStringList unusable;
  for (auto& one : all) {
    const QString& host = one.report.host;
    if (plan.host(host)->spare && !mayRun(one.checks)) {
      unusable << host;
      for (auto& check : one.checks) withoutSpare(check, host);
    }
    result.checks.insert(result.checks.end(), one.checks.begin(), one.checks.end());
    result.reports.push_back(one.report);
  }
  result.checks.push_back(home->check());
  std::stable_sort(result.checks.begin(), result.checks.end(),
                   [](const auto& a, const auto& b) { return a.level > b.level; });
  if (!mayRun(result.checks) || missing == Missing::IsAWarning) return result;
  home->leaveToNode();
  result.homePort = home;
  result.asPlanned = plan;
  for (const QString& host : unusable) plan.dropHost(host);
  QSet<QString> seenAs;
  for (const auto& one : all) {
    if (unusable.contains(one.report.host)) continue;
    const QString address =
        plan.listen.address.isEmpty() ? one.report.console : plan.listen.address;
    seenAs << address;
    LaunchPlan::Site site;
    site.folder = QDir(one.report.runs).filePath(plan.run);
    site.home = addressWithPort(address, port);
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
    for (auto& host : plan.hosts) {
      if (host.host.name != one.report.host || !host.spare) continue;
      host.copies = one.report.same ? QString() : one.report.folder;
      host.roots = one.files->roots;
      if (host.host.cores == 0) host.host.cores = one.report.cores;
      if (host.host.memoryMb == 0) host.host.memoryMb = one.report.memoryAvailableMb;
    }
    result.checks.push_back(
        {QStringLiteral("host-") + one.report.host,
         Level::Passed,
         QStringLiteral("%1 is ready").arg(one.report.host),
         QStringLiteral("It answered in %1 s; %2")
             .arg(one.report.seconds, 0, 'f', 1)
             .arg(one.report.same
                      ? QStringLiteral("it has the same files as this machine, by check sum")
                      : QStringLiteral("the same files as here are in %1").arg(one.report.folder)),
         one.report.host,
         {},
         {}});
  }
  auto settled = std::make_shared<HostPreparation>(result);
  settled->allocations.clear();  // They are whose run it is, not every copy's of the plan.
  plan.prepared = std::move(settled);
  // The hosts may see this machine at different addresses; the key keeps strangers out.
  plan.listenAt(
      addressWithPort(seenAs.size() == 1 ? *seenAs.begin() : QStringLiteral("0.0.0.0"), port));
  return result;
}

}  // namespace

HostPreparation prepareHosts(LaunchPlan& plan, bool copy,
                             const std::function<void(const QString&)>& progress,
                             const std::stop_token& stop,
                             const std::function<void(const QueuePlace&)>& queue) {
  return prepare(plan, copy ? Missing::IsCopied : Missing::IsAnError, progress, stop, queue);
}

HostPreparation lookAtHosts(const LaunchPlan& plan, const std::stop_token& stop) {
  LaunchPlan asked = plan;
  return prepare(asked, Missing::IsAWarning, {}, stop);
}

}  // namespace tutti::launcher
