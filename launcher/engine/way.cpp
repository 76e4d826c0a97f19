// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/way.h"

#include <QElapsedTimer>
#include <QProcess>

#include "launcher/engine/slurm_step.h"
#include "launcher/engine/ssh.h"

namespace tutti::launcher {

QStringList wordsFor(const Host& host, const QString& command) {
  if (host.jobNode) return stepWords(host, command);
  return QStringList{QStringLiteral("ssh")} + sshArguments(host) + QStringList{command};
}

Agent::Loss lossOf(const Host& host, const QByteArray& words, int exitCode, bool greeted) {
  return host.jobNode ? stepLoss(host, words, exitCode, greeted)
                      : sshLoss(host.name, words, exitCode, greeted);
}

HostAnswer askOn(const Host& host, const QString& command, const QByteArray& input, int longestMs,
                 const std::stop_token& stop, qint64 mostBytes) {
  HostAnswer answer;
  QElapsedTimer timer;
  timer.start();
  QProcess process;
  QStringList words = wordsFor(host, command);
  const QString program = words.takeFirst();
  process.start(program, words);
  if (!process.waitForStarted(longestMs)) {
    answer.loss = {program, process.errorString(), nextWithout(program)};
    return answer;
  }
  process.write(input);
  process.closeWriteChannel();
  const bool finished = waitForEnd(process, longestMs, stop, mostBytes);
  answer.seconds = static_cast<double>(timer.elapsed()) / 1000;
  if (bytesWaiting(process) > mostBytes) {
    process.kill();
    process.waitForFinished(1000);
    answer.loss = {host.name,
                   QStringLiteral("it has answered with more than %1 MiB").arg(mostBytes >> 20),
                   QStringLiteral("See what is large there, or what its shell prints at login.")};
    return answer;
  }
  if (!finished) {
    process.kill();
    process.waitForFinished(1000);
    answer.loss = {host.name, QStringLiteral("it did not answer within %1 s").arg(longestMs / 1000),
                   QStringLiteral("See how busy it and the network are, and try again.")};
    return answer;
  }
  answer.output = process.readAllStandardOutput();
  answer.ok = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0;
  if (!answer.ok) {
    answer.exitCode = process.exitCode();
    answer.errors = process.readAllStandardError();
    answer.loss = lossOf(host, answer.errors, answer.exitCode, false);
  }
  return answer;
}

}  // namespace tutti::launcher
