// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_log.h"

#include <QRegularExpression>
#include <QTimer>
#include <algorithm>
#include <chrono>
#include <utility>

#include "monitor/engine/log_line.h"
#include "monitor/engine/recorder.h"
#include "resources/theme/format.h"

namespace tutti::app {

using launcher::LogLine;

namespace {

/// A process whose connection has ended is seen to end within this, if it ends.
constexpr std::chrono::seconds untilEnd{2};

}  // namespace

RunLog::RunLog(launcher::Run& run, monitor::Recorder& recorder, QObject* parent)
    : QObject(parent), run_(run), recorder_(recorder) {
  connect(&run_, &launcher::Run::lineArrived, this, &RunLog::add);
  connect(&run_, &launcher::Run::processDied, this, &RunLog::died);
  connect(&run_, &launcher::Run::linesDropped, this, [this](const QString& id, qint64 count) {
    recorder_.log(
        {QDateTime::currentMSecsSinceEpoch(), monitor::LogLevel::Warning, id,
         tr("%1 more lines are only in %2").arg(theme::formatCount(count), run_.logFile(id))});
  });
}

void RunLog::add(const LogLine& line) {
  const launcher::ProcessStatus* process = run_.process(line.process);
  if (line.stream == LogLine::Stream::Supervisor && process && !process->alive()) {
    // That it has died is told next, if it has.
    ends_.insert(line.process, line);
    QTimer::singleShot(0, this, &RunLog::writeEnds);
    return;
  }
  if (const qint64 pid = process && process->isNode ? lostProcess(line) : 0; pid != 0) {
    losses_.push_back({line, pid, ++lossesSeen_});
    QTimer::singleShot(untilEnd, this, [this, number = lossesSeen_] { writeLoss(number); });
    return;
  }
  write(line);
}

void RunLog::write(const LogLine& line) {
  recorder_.log(monitor::logRecordOf(line.time.toMSecsSinceEpoch(), line.process,
                                     line.stream == LogLine::Stream::Error, line.text));
}

qint64 RunLog::lostProcess(const LogLine& line) const {
  static const QRegularExpression lost(
      QStringLiteral(R"(\] federate \d+ of process (\d+) \(.*\) is lost: )"));
  const QRegularExpressionMatch match = lost.match(line.text);
  return match.hasMatch() ? match.captured(1).toLongLong() : 0;
}

void RunLog::died(const launcher::ProcessDeath& death) {
  ends_.remove(death.process.id);
  std::erase_if(losses_, [&](const Loss& loss) { return loss.pid == death.process.pid; });
  recorder_.died(death.when.toMSecsSinceEpoch(), death.process.id, death.cause);
}

void RunLog::writeEnds() {
  for (const LogLine& line : std::as_const(ends_)) {
    if (killed_.contains(line.process)) continue;
    recorder_.log(
        {line.time.toMSecsSinceEpoch(), monitor::LogLevel::Info, line.process, line.text});
  }
  ends_.clear();
}

void RunLog::writeLoss(quint64 number) {
  const auto loss = std::find_if(losses_.begin(), losses_.end(),
                                 [&](const Loss& one) { return one.number == number; });
  if (loss == losses_.end()) return;
  const auto& deaths = run_.deaths();
  const auto& processes = run_.processes();
  const bool isTold =
      std::any_of(
          deaths.begin(), deaths.end(),
          [&](const launcher::ProcessDeath& death) { return death.process.pid == loss->pid; }) ||
      std::any_of(processes.begin(), processes.end(), [&](const launcher::ProcessStatus& process) {
        return process.pid == loss->pid && killed_.contains(process.id);
      });
  if (!isTold) write(loss->line);
  losses_.erase(loss);
}

void RunLog::finish() {
  writeEnds();
  while (!losses_.empty()) writeLoss(losses_.front().number);
}

}  // namespace tutti::app
