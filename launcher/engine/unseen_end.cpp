// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/unseen_end.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <future>
#include <utility>

#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/host_supervisor.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_record.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/supervisor/keep.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "launcher/engine/way.h"

namespace tutti::launcher {

namespace {

using State = ProcessStatus::State;

constexpr int longestAskMs = 30000;

/// The word that the supervisor of a host has left, or else whether it is still there.
const QString question = QStringLiteral(
    "cat \"$1\" 2>/dev/null && exit 0; if sh -c \"$2\" </dev/null >/dev/null 2>&1; then echo "
    "going; else echo gone; fi");

QString endFile(const Plan& part) {
  if (part.processes.empty()) return {};
  const QFileInfo log(QString::fromStdString(part.processes.front().logFile));
  return log.path() + u'/' + log.completeBaseName() + QLatin1String(endOfRun);
}

QDateTime timeOf(const QJsonObject& event) {
  return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(event["time_ms"].toDouble()));
}

/// How the part of a run on one host has ended.
struct PartEnd {
  enum class Kind { Told, Going, Gone, Unreachable };
  Kind kind = Kind::Gone;
  QString problem;  ///< Unreachable: why.
  std::vector<ProcessStatus> processes;
  QString why;  ///< it was stopped
  QDateTime ended;
  bool failed = false;  ///< A process has died.
  bool isOver = false;  ///< The run had come to its stop time.
  QStringList left;     ///< processes that could not be ended

  void take(const QJsonObject& event, const QString& host);
};

void PartEnd::take(const QJsonObject& event, const QString& host) {
  const QString kindOfEvent = event["event"].toString();
  const QString id = event["id"].toString();
  if (!id.isEmpty() && (processes.empty() || processes.back().id != id)) {
    processes.emplace_back();
    processes.back().id = id;
    processes.back().host = host;
  }
  if (kindOfEvent == QStringLiteral("started")) {
    processes.back().attempt = event["attempt"].toInt();
    processes.back().startedAt = timeOf(event);
  } else if (kindOfEvent == QStringLiteral("blocked")) {
    processes.back().state = State::NotStarted;
  } else if (kindOfEvent == QStringLiteral("resigned")) {
    processes.back().resigned = true;
  } else if (kindOfEvent == QStringLiteral("exited")) {
    processes.back().state = State::Exited;
    processes.back().exitCode = event["code"].toInt();
    processes.back().endedAt = timeOf(event);
    failed |= event["failures"].toInt() > 0;
  } else if (kindOfEvent == QStringLiteral("signalled")) {
    auto& one = processes.back();
    one.state = State::Signalled;
    one.signal = event["signal"].toInt();
    one.signalName = event["name"].toString();
    one.coreDumped = event["core"].toBool();
    one.endedAt = timeOf(event);
    failed |= event["failures"].toInt() > 0 || !isOrderlySignal(one.signal);
  } else if (kindOfEvent == QStringLiteral("stopping")) {
    why = event["why"].toString();
    // Which of the two a supervisor notices first when its client is killed is a matter of chance.
    if (why == QStringLiteral("end of input") || why == QStringLiteral("nobody reads the events"))
      why = QStringLiteral("the program that had it has ended");
  } else if (kindOfEvent == QStringLiteral("over")) {
    isOver = true;
  } else if (kindOfEvent == QStringLiteral("ended")) {
    kind = Kind::Told;
    ended = timeOf(event);
    for (const auto& one : event["processes"].toArray())
      left << QStringLiteral("process %1 (%2)")
                  .arg(one.toObject()["pid"].toInt())
                  .arg(one.toObject()["name"].toString());
  }
}

PartEnd readEnd(const QByteArray& text, const QString& host) {
  PartEnd end;
  for (const QByteArray& line : text.split('\n'))
    end.take(QJsonDocument::fromJson(line).object(), host);
  return end;
}

PartEnd askForEnd(const LaunchPlan& plan, const PlannedHost& host) {
  const QString file = endFile(plan.planOf(host.host.name));
  const auto answer =
      askOn(host.host,
            shellCommand({QStringLiteral("sh"), QStringLiteral("-c"), question,
                          QStringLiteral("sh"), file, attachCommand(host, plan.run)}),
            {}, longestAskMs);
  PartEnd end;
  if (!answer.ok) {
    end.kind = PartEnd::Kind::Unreachable;
    end.problem = answer.loss.why;
  } else if (answer.output.trimmed() == "going") {
    end.kind = PartEnd::Kind::Going;
  } else {
    end = readEnd(answer.output, host.host.name);
  }
  return end;
}

RecordedProcess recorded(const ProcessStatus& one) {
  RecordedProcess process{one.id, one.host,    one.description(), {},
                          {},     one.attempt, one.startedAt,     one.endedAt};
  if (one.state == State::Exited) process.exitCode = one.exitCode;
  if (one.state == State::Signalled) process.signal = one.signal;
  return process;
}

/// When the last of its logs was written.
QDateTime lastWritten(const QString& folder) {
  QDateTime last;
  for (const QFileInfo& log : QDir(folder).entryInfoList({QStringLiteral("*.log")}, QDir::Files))
    last = std::max(last, log.lastModified());
  return last;
}

/// Adds what one host has told of the end, or that it has not.
void addPart(RunRecord& record, const LaunchPlan& plan, const PlannedHost* host,
             const PartEnd& end) {
  const QString name = host == nullptr ? QString() : host->host.name;
  const QString machine = host == nullptr ? QStringLiteral("this machine") : name;
  if (end.kind == PartEnd::Kind::Told) {
    for (const auto& one : end.processes) record.processes.push_back(recorded(one));
    for (const QString& one : end.left)
      record.troubles
          << QStringLiteral("On %1 %2 was left and could not be ended.").arg(machine, one);
    return;
  }
  for (const auto& planned : plan.planOf(name).processes) {
    ProcessStatus one;
    one.id = QString::fromStdString(planned.id);
    one.host = name;
    one.state = State::Lost;
    record.processes.push_back(recorded(one));
  }
  const Trouble trouble{
      {},
      end.kind == PartEnd::Kind::Unreachable
          ? QStringLiteral("How what ran on %1 has ended is not known").arg(machine)
          : QStringLiteral("What ran on %1 has ended, and nobody saw how").arg(machine),
      name,
      !end.problem.isEmpty() ? end.problem
                             : QStringLiteral("its supervisor has left no word of it: it was "
                                              "killed, or the machine went down"),
      QStringLiteral("Its logs are in %1 there.")
          .arg(host == nullptr ? plan.folder : host->folder)};
  record.troubles << trouble.message();
}

QString outcomeOf(const PartEnd& home, const std::vector<PartEnd>& others) {
  if (home.kind != PartEnd::Kind::Told) return QStringLiteral("lost");
  const auto isLostOrFailed = [](const PartEnd& one) {
    return one.failed || one.kind != PartEnd::Kind::Told;
  };
  if (home.failed || std::any_of(others.begin(), others.end(), isLostOrFailed))
    return QStringLiteral("federate died");
  const bool byItself = home.isOver || home.why == QStringLiteral("all federates have ended");
  return byItself ? QStringLiteral("finished") : QStringLiteral("stopped");
}

/// Only one program at a time completes a record, and none whose run is held by somebody.
class Hold {
 public:
  explicit Hold(const QString& planFile)
      : fd_(::open(QFile::encodeName(planFile), O_RDONLY | O_CLOEXEC)),
        isHeld_(fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) == 0) {}
  ~Hold() {
    if (fd_ >= 0) ::close(fd_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  explicit operator bool() const { return isHeld_; }

 private:
  int fd_;
  bool isHeld_;
};

}  // namespace

bool recordUnseenEnd(const QString& folder) {
  const QString planFile = QDir(folder).filePath(QStringLiteral("plan.json"));
  const Hold hold(planFile);
  if (!hold) return false;
  auto record = RunRecord::read(QDir(folder).filePath(QLatin1String(recordFile)));
  if (!record || !record->outcome.isEmpty()) return false;
  const auto plan = LaunchPlan::load(planFile);
  if (!plan) return false;
  const auto here = runsHere();
  if (std::find(here.begin(), here.end(), plan->run.toStdString()) != here.end()) return false;

  PartEnd home;
  if (QFile file(endFile(plan->planOf({}))); file.open(QIODevice::ReadOnly))
    home = readEnd(file.readAll(), {});
  std::vector<std::future<PartEnd>> asked;
  for (const auto& host : plan->hosts)
    asked.push_back(std::async(std::launch::async, [&] { return askForEnd(*plan, host); }));
  std::vector<PartEnd> others;
  for (auto& one : asked) others.push_back(one.get());
  // It writes its logs, and ends without its home soon.
  if (std::any_of(others.begin(), others.end(),
                  [](const auto& one) { return one.kind == PartEnd::Kind::Going; }))
    return false;

  record->processes.clear();
  addPart(*record, *plan, nullptr, home);
  for (std::size_t index = 0; index < others.size(); ++index)
    addPart(*record, *plan, &plan->hosts[index], others[index]);
  record->outcome = outcomeOf(home, others);
  record->stopReason = home.why;
  record->ended = home.ended.isValid() ? home.ended : lastWritten(folder);
  if (record->ended.isValid())
    record->elapsed = static_cast<double>(record->started.msecsTo(record->ended)) / 1000;

  QStringList unreachable;
  for (std::size_t index = 0; index < others.size(); ++index) {
    if (others[index].kind != PartEnd::Kind::Unreachable) continue;
    const auto& host = plan->hosts[index];
    unreachable << host.host.name;
    for (auto& one : record->hosts) {
      if (one.name == host.host.name)
        one.logProblem =
            QStringLiteral("The logs of %1 could not be fetched: %2. They are in %1:%3.")
                .arg(host.host.name, others[index].problem, host.folder);
    }
  }
  LaunchPlan ended = *plan;
  ended.folder = folder;
  // Whoever fetches them has read the record before; the next time it is completed.
  if (fetchRunLogs(*record, ended, limitsAtTheEnd, {}, nullptr, unreachable) == FetchedLogs::Busy)
    return false;
  return record->save(folder).has_value();
}

int recordUnseenEnds(const QString& folder) {
  std::vector<std::future<bool>> all;
  for (const auto& run : pastRuns(folder)) {
    if (!run.goesOn && run.record.outcome.isEmpty())
      all.push_back(std::async(std::launch::async, recordUnseenEnd, run.folder));
  }
  int written = 0;
  for (auto& one : all) written += one.get() ? 1 : 0;
  return written;
}

}  // namespace tutti::launcher
