// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/port_use.h"

#include <QDir>
#include <QFile>

namespace tutti::launcher {

namespace {

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

/// "nginx (812)" of the process that holds that socket; empty: none that may be looked at.
QString holderOf(const QByteArray& inode) {
  const QString wanted = QStringLiteral("/socket:[%1]").arg(QString::fromLatin1(inode));
  const QDir proc(QStringLiteral("/proc"));
  for (const QString& pid : proc.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    if (!pid[0].isDigit()) continue;
    const QDir descriptors(proc.filePath(pid + QStringLiteral("/fd")));
    for (const QString& each : descriptors.entryList(QDir::System | QDir::Files | QDir::Dirs)) {
      if (!QFile::symLinkTarget(descriptors.filePath(each)).endsWith(wanted)) continue;
      QFile name(proc.filePath(pid + QStringLiteral("/comm")));
      if (!name.open(QIODevice::ReadOnly)) return {};
      return QStringLiteral("%1 (%2)").arg(QString::fromLocal8Bit(name.readAll()).trimmed(), pid);
    }
  }
  return {};
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

std::optional<QString> listenerAt(quint16 port) {
  auto inode = listeningSocket(QStringLiteral("/proc/net/tcp"), port);
  if (!inode) inode = listeningSocket(QStringLiteral("/proc/net/tcp6"), port);
  if (!inode) return {};
  return holderOf(*inode);
}

}  // namespace tutti::launcher
