// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/processes.h"

#include <sys/prctl.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QThread>
#include <csignal>
#include <cstring>

namespace tutti::bench {

namespace {

/// "signal 11 (SIGSEGV)". Of a process that a signal ended, QProcess has its number as exit code.
QString signalText(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? QStringLiteral("signal %1").arg(signal)
                         : QStringLiteral("signal %1 (SIG%2)").arg(signal).arg(QLatin1String(name));
}

}  // namespace

Processes::Processes(const QString& folder, const QString& federation, const QString& designator)
    : folder_(folder),
      federation_(federation),
      environment_(QProcessEnvironment::systemEnvironment()) {
  if (designator.isEmpty()) {
    environment_.insert(QStringLiteral("TUTTI_RTI"), QStringLiteral("shm:") + federation);
  } else {
    environment_.remove(QStringLiteral("TUTTI_RTI"));
  }
}

Processes::~Processes() {
  killAll();
  if (!home_) return;
  // The nodes that are linked to it end with it.
  home_->terminate();
  if (home_->waitForFinished(5000)) return;
  home_->kill();
  home_->waitForFinished(2000);
}

void Processes::setArchitecture(const QString& architecture) {
  environment_.insert(QStringLiteral("TUTTI_ARCHITECTURE"), architecture);
}

void Processes::setBundling(int microseconds) {
  environment_.insert(QStringLiteral("TUTTI_BUNDLE"), QString::number(microseconds));
}

tl::expected<void, RunError> Processes::startNodes(int hosts) {
  home_ = std::make_unique<QProcess>();
  home_->setProcessEnvironment(environment_);
  home_->setProgram(folder_ + QStringLiteral("/tutti-rti"));
  home_->setArguments({QStringLiteral("--shm"), federation_, QStringLiteral("--listen"),
                       QStringLiteral("127.0.0.1:0")});
  home_->setStandardErrorFile(QProcess::nullDevice());
  home_->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  home_->start();
  QByteArray said;
  while (!said.contains("ready\n") && home_->waitForReadyRead(10'000)) {
    said += home_->readAllStandardOutput();
  }
  const QByteArray start("listens at 127.0.0.1:");
  const auto at = said.indexOf(start);
  if (at < 0) {
    return tl::unexpected(
        RunError{RunError::Kind::Failed,
                 QStringLiteral("%1 could not be started to listen for linked nodes: %2.")
                     .arg(home_->program(), said.isEmpty() ? home_->errorString()
                                                           : QString::fromUtf8(said.trimmed()))});
  }
  const auto from = at + start.size();
  const QString port = QString::fromLatin1(said.mid(from, said.indexOf('\n', from) - from));
  designators_ = {QStringLiteral("shm:") + federation_};
  for (int host = 1; host < hosts; ++host) {
    designators_.push_back(
        QStringLiteral("tcp:127.0.0.1:%1/%2-%3").arg(port, federation_).arg(host));
  }
  return {};
}

QString Processes::newFederationName() {
  static int run = 0;
  return QStringLiteral("bench-%1-%2").arg(QCoreApplication::applicationPid()).arg(++run);
}

void Processes::start(const Program& program) {
  auto process = std::make_unique<QProcess>();
  process->setProgram(folder_ + u'/' + program.name);
  process->setArguments(program.arguments);
  auto environment = environment_;
  if (!designators_.empty()) {
    environment.insert(QStringLiteral("TUTTI_RTI"),
                       designators_[static_cast<std::size_t>(program.host)]);
  }
  process->setProcessEnvironment(environment);
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
                    ? signalText(process->exitCode())
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
