// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/port_use.h"

#include <dirent.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QFile>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>

#include "launcher/engine/supervisor/process_tree.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

constexpr qint64 longestLookMs = 2000;
constexpr int mostGenerations = 64;

/// Whether an address as /proc/net/tcp or tcp6 writes it, in either order of bytes, is one at which
/// readiness is looked for: any, 127.0.0.1, ::1, and the first two written as IPv6.
bool isHere(const QByteArray& address) {
  static const QList<QByteArray> here{"00000000", "0100007F", "7F000001"};
  if (address.size() == 8) return here.contains(address);
  const QByteArray begin = address.left(24);
  const QByteArray end = address.mid(24);
  if (begin == "0000000000000000FFFF0000" || begin == "00000000000000000000FFFF")
    return here.contains(end);
  return begin.count('0') == 24 && (end == "00000000" || end == "01000000" || end == "00000001");
}

/// Inode of the socket that listens there, as /proc/net/tcp or tcp6 writes it.
std::optional<QByteArray> listeningSocket(const QString& table, quint16 port) {
  QFile file(table);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray end = ':' + QByteArray::number(port, 16).rightJustified(4, '0').toUpper();
  for (const QByteArray& line : file.readAll().split('\n')) {
    const auto words = line.simplified().split(' ');
    constexpr int localAddress = 1;
    constexpr int state = 3;
    constexpr int inode = 9;
    const QByteArray local = words.value(localAddress);
    if (local.endsWith(end) && words.value(state) == "0A" && isHere(local.chopped(end.size())))
      return words.value(inode);
  }
  return {};
}

/// Numbers of processes, or of the descriptors of one, as a folder of /proc lists them; nothing is
/// asked of what they stand for.
std::vector<std::string> numbersIn(const std::string& folder) {
  std::vector<std::string> result;
  const std::unique_ptr<DIR, int (*)(DIR*)> listed(::opendir(folder.c_str()), &::closedir);
  if (!listed) return result;
  while (const dirent* entry = ::readdir(listed.get())) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0)
      result.emplace_back(entry->d_name);
  }
  return result;
}

/// The process that holds that socket; an empty one: none that may be looked at.
PortHolder holderOf(const QByteArray& inode) {
  const std::string wanted = "socket:[" + inode.toStdString() + ']';
  QElapsedTimer clock;
  clock.start();
  const std::string proc = "/proc/";
  for (const std::string& process : numbersIn(proc)) {
    const std::string descriptors = proc + process + "/fd/";
    for (const std::string& each : numbersIn(descriptors)) {
      if (clock.elapsed() > longestLookMs) return {};
      char target[64];
      const auto size = ::readlink((descriptors + each).c_str(), target, sizeof target);
      if (size < 0 || std::string_view(target, static_cast<std::size_t>(size)) != wanted) continue;
      const auto pid = static_cast<pid_t>(std::stol(process));
      const auto entry = processEntry(pid);
      if (!entry) return {};
      return {QStringLiteral("%1 (%2)").arg(QString::fromStdString(entry->name)).arg(pid), pid};
    }
  }
  return {};
}

/// The process that listens at the socket of a run of this account; 0: there is none.
pid_t supervisorOf(const QString& run) {
  const auto socket = connectTo(runSocketName(run.toStdString()));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!socket || ::getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.pid;
}

}  // namespace

std::map<quint16, QStringList> portsOf(const LaunchPlan& plan, const QString& host) {
  std::map<quint16, QStringList> result;
  for (const auto& process : plan.plan.processes) {
    const QString id = QString::fromStdString(process.id);
    if (process.ready.when != ReadyWhen::Port || plan.hostOf(id) != host) continue;
    const auto port = QString::fromStdString(process.ready.text).toUShort();
    if (port > 0) result[port] << id;
  }
  return result;
}

std::optional<PortHolder> listenerAt(quint16 port) {
  auto inode = listeningSocket(QStringLiteral("/proc/net/tcp"), port);
  if (!inode) inode = listeningSocket(QStringLiteral("/proc/net/tcp6"), port);
  if (!inode) return {};
  return holderOf(*inode);
}

const GoingRun* runOfProcess(qint64 process, const std::vector<GoingRun>& runs) {
  auto pid = static_cast<pid_t>(process);
  std::map<pid_t, const GoingRun*> supervisors;
  for (const GoingRun& run : runs) {
    if (const pid_t own = supervisorOf(run.plan.run); own > 0) supervisors[own] = &run;
  }
  for (int generations = 0; pid > 1 && generations < mostGenerations; ++generations) {
    if (const auto found = supervisors.find(pid); found != supervisors.end()) return found->second;
    const auto entry = processEntry(pid);
    if (!entry) return nullptr;
    pid = entry->parent;
  }
  return nullptr;
}

const GoingRun* runOfHolder(const Host& host, const PortHolder& holder,
                            const std::vector<GoingRun>& runs) {
  if (holder.designator.isEmpty()) return nullptr;
  const auto isSame = [&](const Host& other) {
    const auto nodeOf = [](const Host& one) { return one.jobNode ? one.jobNode->node : QString(); };
    return other.destination == host.destination && other.port == host.port &&
           other.jobNode.has_value() == host.jobNode.has_value() && nodeOf(other) == nodeOf(host);
  };
  for (const GoingRun& run : runs) {
    for (const PlannedHost& one : run.plan.hosts) {
      if (isSame(one.host) && holder.designator == QStringLiteral("shm:") + one.node) return &run;
    }
  }
  return nullptr;
}

QString runThatHolds(const PreflightCheck& check) {
  if (!check.id.startsWith(QStringLiteral("ports"))) return {};
  for (const PreflightFix& fix : check.fixes) {
    if (fix.command.startsWith(stopCommand)) return fix.command.mid(stopCommand.size());
  }
  return {};
}

}  // namespace tutti::launcher
