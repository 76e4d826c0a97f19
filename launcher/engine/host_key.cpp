// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/host_key.h"

#include <QProcess>
#include <QRegularExpression>

#include "launcher/engine/ssh.h"

namespace tutti::launcher {

namespace {

constexpr int longestMs = 10000;
constexpr qint64 mostWords = 1024 * 1024;

}  // namespace

QString hostKeyIn(const QByteArray& words) {
  static const QRegularExpression shown(
      QStringLiteral("Server host key: ([A-Za-z0-9@.-]+) (SHA256:[A-Za-z0-9+/]+)"));
  // Those of the machines that the connection jumps over come first.
  QRegularExpressionMatch match;
  for (auto all = shown.globalMatch(QString::fromLatin1(words)); all.hasNext();) match = all.next();
  if (!match.hasMatch()) return {};
  QString type = match.captured(1);
  if (type.startsWith(QStringLiteral("ssh-"))) type = type.mid(4).toUpper();
  return type + u' ' + match.captured(2);
}

void showHostKey(const Host& host, Agent::Loss& loss, const std::stop_token& stop) {
  if (host.jobNode || !loss.why.contains(QStringLiteral("host key is not known"))) return;
  QProcess ssh;
  ssh.setStandardInputFile(QProcess::nullDevice());
  ssh.start(QStringLiteral("ssh"), QStringList{QStringLiteral("-v")} + sshArguments(host) +
                                       QStringList{QStringLiteral("true")});
  if (!ssh.waitForStarted(longestMs)) return;
  if (!waitForEnd(ssh, longestMs, stop, mostWords)) {
    ssh.kill();
    ssh.waitForFinished(1000);
  }
  const QString key = hostKeyIn(ssh.readAllStandardError());
  if (!key.isEmpty()) loss.why += QStringLiteral(" (it shows %1)").arg(key);
}

}  // namespace tutti::launcher
