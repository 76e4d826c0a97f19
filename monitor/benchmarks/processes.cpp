// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/processes.h"

#include <sys/prctl.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QThread>
#include <csignal>

namespace tutti::bench {

Processes::Processes(const QString& folder, const QString& federation, const QString& designator)
    : folder_(folder), environment_(QProcessEnvironment::systemEnvironment()) {
  if (designator.isEmpty()) {
    environment_.insert(QStringLiteral("TUTTI_RTI"), QStringLiteral("shm:") + federation);
  } else {
    environment_.remove(QStringLiteral("TUTTI_RTI"));
  }
}

Processes::~Processes() { killAll(); }

QString Processes::newFederationName() {
  static int run = 0;
  return QStringLiteral("bench-%1-%2").arg(QCoreApplication::applicationPid()).arg(++run);
}

void Processes::start(const Program& program) {
  auto process = std::make_unique<QProcess>();
  process->setProgram(folder_ + u'/' + program.name);
  process->setArguments(program.arguments);
  process->setProcessEnvironment(environment_);
  process->setStandardInputFile(QProcess::nullDevice());
  // Whoever kills the runner ends what it started.
  process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  process->start();
  processes_.push_back(std::move(process));
}

void Processes::killAll() {
  for (auto& process : processes_) process->kill();
  for (auto& process : processes_) process->waitForFinished(2000);
}

tl::expected<std::vector<Report>, RunError> Processes::finish(
    const std::function<bool()>& cancelled, int limitSeconds) {
  const QDeadlineTimer limit(limitSeconds * 1000);
  tl::expected<std::vector<Report>, RunError> result;
  for (;;) {
    bool running = false;
    for (auto& process : processes_) {
      // Also moves what was printed, so that no pipe fills up.
      if (process->state() != QProcess::NotRunning) process->waitForFinished(running ? 0 : 20);
      running = running || process->state() != QProcess::NotRunning;
      const QString program = QFileInfo(process->program()).fileName();
      if (process->error() == QProcess::FailedToStart) {
        result = tl::unexpected(RunError{RunError::Kind::Missing,
                                         QStringLiteral("%1 could not be started: %2.")
                                             .arg(process->program(), process->errorString())});
      } else if (process->state() == QProcess::NotRunning &&
                 (process->exitStatus() != QProcess::NormalExit || process->exitCode() != 0)) {
        QString why =
            QString::fromUtf8(process->readAllStandardError()).trimmed().section(u'\n', -1);
        if (why.isEmpty()) {
          why = process->exitStatus() == QProcess::CrashExit
                    ? QStringLiteral("it crashed")
                    : QStringLiteral("exit code %1").arg(process->exitCode());
        }
        if (why.startsWith(program + QStringLiteral(": "))) why = why.mid(program.size() + 2);
        result = tl::unexpected(RunError{RunError::Kind::Failed,
                                         QStringLiteral("%1 ended early: %2").arg(program, why)});
      } else if (limit.hasExpired() && running) {
        result = tl::unexpected(
            RunError{RunError::Kind::Failed,
                     QStringLiteral("%1 did not end within %2 s.").arg(program).arg(limitSeconds)});
      }
      if (!result) break;
    }
    if (result && cancelled()) {
      result = tl::unexpected(RunError{RunError::Kind::Cancelled, QStringLiteral("Cancelled.")});
    }
    if (!result || !running) break;
  }
  if (!result) {
    killAll();
    return result;
  }
  for (auto& process : processes_) result->push_back(parseReport(process->readAllStandardOutput()));
  processes_.clear();
  return result;
}

int processorOf(Pinning pinning, int number) {
  const int processors = QThread::idealThreadCount();
  switch (pinning) {
    case Pinning::OwnCores:
      return number == 0 || processors < 2
                 ? std::max(processors - 2, 0)
                 : (processors - 1 + (number - 1) % (processors - 1)) % processors;
    case Pinning::OneCore:
      return processors - 1;
    case Pinning::Free:
      break;
  }
  return -1;
}

}  // namespace tutti::bench
