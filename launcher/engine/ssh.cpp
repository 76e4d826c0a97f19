// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/ssh.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTimer>

#include "composer/model/command_line.h"
#include "launcher/engine/hosts.h"

namespace tutti::launcher {

namespace {

constexpr int failedConnection = 255;  ///< exit code of ssh for all that is its own
constexpr int signalled = 128;         ///< and beyond: a signal has ended it there

/// The last line that ssh has written, without what it says of itself.
QString lastWords(const QByteArray& words) {
  const QStringList lines = QString::fromLocal8Bit(words).split(u'\n', Qt::SkipEmptyParts);
  for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
    const QString text = line->trimmed();
    if (!text.isEmpty()) return printable(text);
  }
  return {};
}

}  // namespace

QStringList sshArguments(const Host& host) {
  QStringList arguments{QStringLiteral("-T")};
  const auto option = [&](const QString& text) { arguments << QStringLiteral("-o") << text; };
  option(QStringLiteral("BatchMode=yes"));
  option(QStringLiteral("StrictHostKeyChecking=yes"));
  option(QStringLiteral("ConnectTimeout=5"));
  // What it carries is there, and anything else of the user's configuration may hold a port.
  option(QStringLiteral("ClearAllForwardings=yes"));
  if (!host.identityFile.isEmpty()) {
    arguments << QStringLiteral("-i") << host.identityFile;
    option(QStringLiteral("IdentitiesOnly=yes"));
  }
  if (!host.knownHostsFile.isEmpty())
    option(QStringLiteral("UserKnownHostsFile=") + host.knownHostsFile);
  if (host.port > 0) arguments << QStringLiteral("-p") << QString::number(host.port);
  arguments << QStringLiteral("--") << (host.destination.isEmpty() ? host.name : host.destination);
  return arguments;
}

QString shellCommand(const QStringList& words) {
  QStringList quoted;
  for (const QString& word : words) quoted << composer::shellQuoted(word);
  return quoted.join(u' ');
}

QString printable(QString text) {
  for (QChar& c : text) {
    if (!c.isPrint() && !c.isSurrogate()) c = u'?';
  }
  return text;
}

qint64 bytesWaiting(QProcess& process) {
  qint64 result = process.bytesAvailable();
  process.setReadChannel(QProcess::StandardError);
  result += process.bytesAvailable();
  process.setReadChannel(QProcess::StandardOutput);
  return result;
}

bool waitForEnd(QProcess& process, int longestMs, const std::stop_token& stop, qint64 mostBytes) {
  constexpr int sliceMs = 50;
  QElapsedTimer timer;
  timer.start();
  while (process.state() != QProcess::NotRunning) {
    if (stop.stop_requested() || timer.elapsed() >= longestMs) return false;
    if (bytesWaiting(process) > mostBytes) return false;
    process.waitForFinished(sliceMs);
  }
  return true;
}

QString nextWithout(const QString& program) {
  return program == QStringLiteral("ssh")
             ? QStringLiteral("Install the OpenSSH client, and see that PATH has it.")
             : QStringLiteral(
                   "Install Slurm's client, or name the login host of the cluster in "
                   "the hosts file.");
}

namespace {

/// The texts of sshLoss().
Agent::Loss textsOfLoss(const QString& host, const QByteArray& words, int exitCode, bool greeted) {
  const QString all = QString::fromLocal8Bit(words);
  const QString last = lastWords(words);
  const auto says = [&](const char* part) { return all.contains(QLatin1String(part)); };
  if (says("REMOTE HOST IDENTIFICATION HAS CHANGED")) {
    static const QRegularExpression fingerprint(QStringLiteral("SHA256:[A-Za-z0-9+/]+"));
    return {
        host,
        QStringLiteral("its host key is another one than the known one%1: it was installed anew, "
                       "or somebody pretends to be it")
            .arg(fingerprint.match(all).hasMatch()
                     ? QStringLiteral(" (now %1)").arg(fingerprint.match(all).captured())
                     : QString()),
        QStringLiteral("Ask who runs it; if it was installed anew, remove the old key with "
                       "ssh-keygen -R and connect once with ssh to see the new one.")};
  }
  if (says("Host key verification failed"))
    return {host, QStringLiteral("its host key is not known here"),
            QStringLiteral("Connect once with ssh, compare the fingerprint that it shows with the "
                           "one its administrator names, and accept it.")};
  if (says("Permission denied"))
    return {host, QStringLiteral("it accepts none of the keys (%1)").arg(last),
            QStringLiteral("Name the right identityFile in the hosts file, or add the public key "
                           "there with ssh-copy-id.")};
  if (says("Could not resolve hostname"))
    return {host, QStringLiteral("its name is not known (%1)").arg(last),
            QStringLiteral("Correct the name, or its destination in the hosts file.")};
  if (says("Connection refused"))
    return {host, QStringLiteral("no SSH server listens there (%1)").arg(last),
            QStringLiteral("Start sshd there, or correct the port in the hosts file.")};
  if (says("timed out") || says("No route to host") || says("Network is unreachable"))
    return {host, QStringLiteral("it does not answer (%1)").arg(last),
            QStringLiteral("See whether it is switched on and the network reaches it.")};
  if (exitCode == 127)
    return {host, QStringLiteral("the command is not there (%1)").arg(last),
            QStringLiteral("Let Tutti's programs be copied there, or install them.")};
  const QString saying = last.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(last);
  // Of a program that a signal has ended there ssh says nothing; of a lost connection it does.
  const bool isKilled = exitCode == failedConnection ? last.isEmpty() : exitCode > signalled;
  if (greeted && isKilled)
    return {host, QStringLiteral("its supervisor was killed there"),
            QStringLiteral("Its federates have ended with it. See who killed it there: the kernel "
                           "logs what it ends for want of memory. Then run again.")};
  if (greeted && exitCode == failedConnection)
    return {host, QStringLiteral("the connection has ended%1").arg(saying),
            QStringLiteral("Its federates end there by themselves. See whether the host and the "
                           "network are up, and run again.")};
  if (exitCode == failedConnection)
    return {host,
            QStringLiteral("the connection ended before anything was started there%1").arg(saying),
            QStringLiteral("Run again; if it happens again, see what its sshd logs.")};
  return {host,
          QStringLiteral("the command there ended with exit code %1%2").arg(exitCode).arg(saying),
          QStringLiteral("See what its login shell does with commands, and that the file system of "
                         "the copies lets programs be executed.")};
}

}  // namespace

Agent::Loss sshLoss(const QString& host, const QByteArray& words, int exitCode, bool greeted) {
  Agent::Loss loss = textsOfLoss(host, words, exitCode, greeted);
  // With the parenthesis it is ssh's own, which names the ways to log in; files say it without.
  if (words.contains("Host key verification failed") || words.contains("Permission denied ("))
    loss.reason = Agent::Loss::Reason::NotLetIn;
  return loss;
}

void letEnd(std::unique_ptr<QProcess> ssh) {
  constexpr int longestEndMs = 1000;
  // What destroys a QProcess whose process is there waits for that.
  QProcess* const ending = ssh.release();
  ending->disconnect();
  if (ending->state() == QProcess::NotRunning) {
    ending->deleteLater();
    return;
  }
  QObject::connect(ending, &QProcess::finished, ending, &QObject::deleteLater);
  QTimer::singleShot(longestEndMs, ending, &QProcess::kill);
  ending->terminate();
}

}  // namespace tutti::launcher
