// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/other_program.h"

#include <QDeadlineTimer>
#include <QProcess>
#include <QStandardPaths>

namespace tutti::launcher {

namespace {

constexpr qsizetype mostErrors = 4096;

}  // namespace

QString ProgramAnswer::lastError() const {
  const QByteArray all = errors.trimmed();
  return QString::fromUtf8(all.mid(all.lastIndexOf('\n') + 1)).trimmed();
}

tl::expected<ProgramAnswer, composer::Error> askProgram(const QString& program,
                                                        const QStringList& arguments,
                                                        int milliseconds, qsizetype most,
                                                        const std::stop_token& stop) {
  const auto failed = [](const QString& what, const QString& next = {}) {
    return tl::unexpected(composer::Error{{}, 0, {}, what, next});
  };
  const QString path = QStandardPaths::findExecutable(program);
  if (path.isEmpty()) {
    return failed(QStringLiteral("There is no program %1 on this machine's PATH.").arg(program));
  }
  QProcess process;
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
  process.setProcessEnvironment(environment);
  process.setStandardInputFile(QProcess::nullDevice());
  process.start(path, arguments);
  ProgramAnswer answer;
  const QDeadlineTimer deadline(milliseconds);
  const auto gather = [&] {
    answer.output += process.readAllStandardOutput();
    answer.errors = (answer.errors + process.readAllStandardError()).right(mostErrors);
    return answer.output.size() <= most;
  };
  while (process.state() != QProcess::NotRunning && gather() && !deadline.hasExpired() &&
         !stop.stop_requested())
    process.waitForFinished(50);
  const bool isSmall = gather();
  if (process.state() != QProcess::NotRunning || !isSmall) {
    process.kill();
    process.waitForFinished(5000);
    if (stop.stop_requested())
      return failed(QStringLiteral("%1 was not waited for any longer.").arg(program));
    return isSmall
               ? failed(QStringLiteral("%1 has not answered within %2 s.")
                            .arg(program)
                            .arg(milliseconds / 1000.0))
               : failed(
                     QStringLiteral("%1 answers with more than %2 bytes.").arg(program).arg(most));
  }
  if (process.error() == QProcess::FailedToStart)
    return failed(QStringLiteral("%1 could not be started: %2.").arg(path, process.errorString()));
  if (process.exitStatus() != QProcess::NormalExit)
    return failed(QStringLiteral("%1 crashed.").arg(path));
  answer.exitCode = process.exitCode();
  return answer;
}

}  // namespace tutti::launcher
