// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "composer/model/catalog.h"
#include "launcher/engine/supervisor/keep.h"

namespace tutti::launcher {

namespace {

using State = ProcessStatus::State;

constexpr std::size_t linesKept = 2000;
constexpr std::size_t linesOfADeath = 20;
constexpr int joinedPollMs = 100;
constexpr int longestEndMs = 3000;
constexpr int longestLookMs = 500;
constexpr int runsKept = 100;

QDateTime timeOf(const QJsonObject& event) {
  return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(event["time_ms"].toDouble()));
}

/// Signals that a stop sends, or that somebody sends to stop: anything else on the way down is a
/// crash.
bool isOrderlySignal(int signal) {
  return signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGHUP;
}

/// Why a program that is there does not start.
QString outOfDescriptors() {
  const int any = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (any < 0) return QStringLiteral("no file can be opened: %1").arg(qt_error_string(errno));
  ::close(any);
  return QStringLiteral("no pipes to it or no process can be made");
}

}  // namespace

QString ProcessStatus::description() const {
  switch (state) {
    case State::Waiting:
      return QStringLiteral("waiting");
    case State::Starting:
      return late ? QStringLiteral("not ready in time") : QStringLiteral("starting");
    case State::Running:
      return QStringLiteral("running");
    case State::Exited:
      return QStringLiteral("exit code %1").arg(exitCode);
    case State::Signalled:
      return QStringLiteral("signal %1 (%2)%3")
          .arg(signal)
          .arg(signalName, coreDumped ? QStringLiteral(", core dumped") : QString());
    case State::NotStarted:
      return QStringLiteral("not started");
  }
  return {};
}

QString Trouble::message() const {
  auto result = what;
  if (result.endsWith(u'.')) result.chop(1);
  if (!where.isEmpty() && !what.contains(where)) result += QStringLiteral(" (%1)").arg(where);
  if (!why.isEmpty()) result += QStringLiteral(": ") + why;
  if (!result.endsWith(u'.')) result += u'.';
  if (!next.isEmpty()) result += u' ' + next;
  return result;
}

Run::Run(LaunchPlan plan, QObject* parent) : QObject(parent), plan_(std::move(plan)) {
  for (const auto& planned : plan_.plan.processes) {
    ProcessStatus status;
    status.id = QString::fromStdString(planned.id);
    status.isNode = status.id == plan_.nodeProcess;
    const auto* federate = plan_.federate(status.id);
    status.required = federate == nullptr || federate->required;
    processes_.push_back(status);
    lines_.push_back({status.id, {}});
  }
  supervisor_ = std::make_unique<QProcess>();
  connect(supervisor_.get(), &QProcess::readyReadStandardOutput, this, &Run::readEvents);
  connect(supervisor_.get(), &QProcess::finished, this, &Run::supervisorEnded);
  connect(supervisor_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    // What QProcess says is the error of some earlier call when it could not make its pipes.
    const bool isThere = QFileInfo(supervisor_->program()).isExecutable();
    fail(Outcome::CouldNotStart,
         {{},
          QStringLiteral("The supervisor did not start, so nothing was started"),
          supervisor_->program(), isThere ? outOfDescriptors() : QStringLiteral("it is not there"),
          isThere ? QStringLiteral("Allow more open files (ulimit -n), or close some.")
                  : QStringLiteral("Build tutti-supervisor, or name its folder in TUTTI_BIN.")});
  });
  joinedTimer_.setInterval(joinedPollMs);
  connect(&joinedTimer_, &QTimer::timeout, this, &Run::askWhoJoined);
  lookTimer_.setSingleShot(true);
  lookTimer_.setInterval(longestLookMs);
  connect(&lookTimer_, &QTimer::timeout, this, &Run::sendStop);
  stopTimer_.setSingleShot(true);
  connect(&stopTimer_, &QTimer::timeout, this,
          [this] { stop(QStringLiteral("%1 s have passed").arg(*plan_.stopAfter)); });
}

Run::~Run() {
  if (attached_) {
    disconnect(attached_.get(), nullptr, this, nullptr);
    // The end of the connection is the end of the run, unless it is kept; waited for, as below.
    if (!kept_ && attached_->state() == QLocalSocket::ConnectedState) {
      attached_->write("{\"do\":\"stop\"}\n");
      attached_->flush();
      attached_->waitForDisconnected(longestEndMs);
    }
    return;
  }
  disconnect(supervisor_.get(), nullptr, this, nullptr);
  if (supervisor_->state() == QProcess::NotRunning) return;
  if (kept_) {
    // A QProcess that is destroyed kills its process: this one is left to the end of ours. The
    // supervisor hears at once that its client has gone.
    supervisor_->closeWriteChannel();
    [[maybe_unused]] auto* const leftAlone = supervisor_.release();
    return;
  }
  // The end of its input is all that the supervisor needs; should it hang, killing its guardian
  // makes the worker stop the run too.
  supervisor_->closeWriteChannel();
  if (!supervisor_->waitForFinished(longestEndMs)) supervisor_->kill();
}

double Run::elapsed() const {
  if (elapsedMs_ >= 0) return static_cast<double>(elapsedMs_) / 1000;
  return clock_.isValid() ? static_cast<double>(before_ + clock_.elapsed()) / 1000 : 0;
}

const ProcessStatus* Run::process(const QString& id) const {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [&](const auto& one) { return one.id == id; });
  return found == processes_.end() ? nullptr : &*found;
}

ProcessStatus* Run::find(const QString& id) {
  const auto found = std::find_if(processes_.begin(), processes_.end(),
                                  [&](const auto& one) { return one.id == id; });
  return found == processes_.end() ? nullptr : &*found;
}

std::vector<LogLine> Run::lines(const QString& id, std::size_t most) const {
  std::vector<LogLine> result;
  for (const auto& one : lines_) {
    if (!id.isEmpty() && one.id != id) continue;
    const auto count = std::min(most, one.lines.size());
    result.insert(result.end(), one.lines.end() - static_cast<std::ptrdiff_t>(count),
                  one.lines.end());
  }
  if (id.isEmpty()) {
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
    if (result.size() > most)
      result.erase(result.begin(), result.end() - static_cast<std::ptrdiff_t>(most));
  }
  return result;
}

QString Run::logFile(const QString& id) const {
  const auto* planned = plan_.process(id);
  return planned == nullptr ? QString() : QString::fromStdString(planned->logFile);
}

void Run::setStopAfter(std::optional<double> seconds) {
  plan_.stopAfter = seconds;
  stopTimer_.stop();
  if (phase_ == Phase::Running && seconds)
    stopTimer_.start(
        static_cast<int>(std::max(0.0, *seconds * 1000 - static_cast<double>(before_))));
}

void Run::noteLogicalTime(double least) {
  if (phase_ != Phase::Running || !plan_.stopAtLogicalTime || !(least >= *plan_.stopAtLogicalTime))
    return;
  stopAtItsTime();
}

/// A federate that is stopped and was not ready had its time: its own, or all of the run's.
void Run::noteWhetherReady(const ProcessStatus& process) {
  if (process.state != State::Starting || outcome_ != Outcome::Clean) return;
  if (!process.late && !reachedTime_) return;
  outcome_ = Outcome::NotReady;
  if (process.late) return;  // That was told.
  addTrouble({process.id, QStringLiteral("%1 was not ready when the run ended").arg(process.id),
              logFile(process.id), whyNotReady(process),
              QStringLiteral("Read its log, or let the run last longer.")});
}

QString Run::whyNotReady(const ProcessStatus& process) const {
  if (process.isNode) return QStringLiteral("the RTI node has not said that it is ready");
  const auto* federate = plan_.federate(process.id);
  return federate != nullptr && federate->joins
             ? QStringLiteral("it has not joined %1").arg(plan_.federation)
             : QStringLiteral("it has not said so");
}

void Run::stopAtItsTime() {
  reachedTime_ = true;
  if (!plan_.stopAtLogicalTime) {
    stop(QStringLiteral("it has come to its stop time"));
    return;
  }
  stop(QStringLiteral("all federates have reached logical time %1").arg(*plan_.stopAtLogicalTime));
}

QString Run::outcomeWord() const {
  switch (outcome_) {
    case Outcome::Clean:
      return reachedTime_ || endedByItself_ ? QStringLiteral("finished")
                                            : QStringLiteral("stopped");
    case Outcome::FederateDied:
      return QStringLiteral("federate died");
    case Outcome::NotReady:
      return QStringLiteral("federate not ready");
    case Outcome::CouldNotStart:
      return QStringLiteral("not started");
    case Outcome::SupervisorLost:
      return QStringLiteral("lost");
  }
  return {};
}

// ---- starting ----------------------------------------------------------------------------------

void Run::start() {
  if (phase_ != Phase::NotStarted) return;
  setPhase(Phase::Preflight);
  QThreadPool::globalInstance()->start([plan = plan_, self = QPointer<Run>(this)] {
    auto checks = preflightOfPlan(plan, MachineState::now());
    removeOldRuns(runsKept);
    // Here, as it waits for the disk.
    tl::expected<void, composer::Error> saved;
    if (mayRun(checks)) saved = plan.save();
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, checks = std::move(checks), saved = std::move(saved)] {
          if (!self || self->phase_ != Phase::Preflight) return;
          self->checks_ = checks;
          self->launch(saved);
        },
        Qt::QueuedConnection);
  });
}

void Run::launch(const tl::expected<void, composer::Error>& saved) {
  for (const auto& check : checks_) {
    if (check.level != PreflightCheck::Level::Error) continue;
    const auto next = check.fixes.empty() || check.fixes.front().command.isEmpty()
                          ? QString()
                          : QStringLiteral("Try: %1").arg(check.fixes.front().command);
    addTrouble({check.federates.value(0), check.title, check.where, check.detail, next});
  }
  if (!mayRun(checks_)) {
    outcome_ = Outcome::CouldNotStart;
    setPhase(Phase::Failed);
    emit finished();
    return;
  }
  if (!saved && !QFileInfo(plan_.folder).isDir()) {
    fail(Outcome::CouldNotStart,
         {{}, saved.error().what, saved.error().file, {}, saved.error().next});
    return;
  }
  // Nothing of the run needs the file: on a full disk the run goes on without it.
  if (!saved) {
    addTrouble({{},
                saved.error().what,
                saved.error().file,
                QStringLiteral("the run goes on, and cannot be started again from this file"),
                saved.error().next});
  }
  held_.setFileName(plan_.planFile());
  if (held_.open(QIODevice::ReadOnly)) ::flock(held_.handle(), LOCK_SH | LOCK_NB);
  clock_.start();
  setPhase(Phase::Starting);
  const auto program =
      programOfTutti(QStringLiteral("tutti-supervisor"), composer::Catalog::binaryFolders());
  // A Ctrl+C in our terminal is ours to handle; the supervisor hears of it as a stop.
  supervisor_->setChildProcessModifier([] { ::setsid(); });
  supervisor_->setProcessChannelMode(QProcess::ForwardedErrorChannel);
  supervisor_->start(program.value_or(QStringLiteral("tutti-supervisor")), {});
  auto plan = QJsonDocument::fromJson(plan_.toBytes()).object();
  plan.remove(QStringLiteral("launch"));
  supervisor_->write(QJsonDocument(plan).toJson(QJsonDocument::Compact) + '\n');
  if (!joinedSource_) joinedSource_ = joinedAtNode(plan_.designator(), plan_.federation);
}

void Run::attach() {
  if (phase_ != Phase::NotStarted) return;
  setPhase(Phase::Preflight);
  attached_ = std::make_unique<QLocalSocket>();
  attached_->setSocketOptions(QLocalSocket::AbstractNamespaceOption);
  const auto lost = [this](const QString& why) {
    fail(Outcome::SupervisorLost, {{},
                                   QStringLiteral("The run %1 cannot be taken over").arg(plan_.run),
                                   plan_.folder,
                                   why,
                                   QStringLiteral("It may have ended just now: look at its logs "
                                                  "there, or run again.")});
  };
  connect(attached_.get(), &QLocalSocket::connected, this, [this] {
    clock_.start();
    if (!joinedSource_) joinedSource_ = joinedAtNode(plan_.designator(), plan_.federation);
  });
  connect(attached_.get(), &QLocalSocket::readyRead, this, &Run::readEvents);
  connect(attached_.get(), &QLocalSocket::disconnected, this, [this, lost] {
    if (phase_ == Phase::Preflight)
      lost(QStringLiteral("another window has it, or its supervisor has ended"));
    else
      supervisorEnded();
  });
  connect(attached_.get(), &QLocalSocket::errorOccurred, this,
          [this, lost](QLocalSocket::LocalSocketError error) {
            if (error == QLocalSocket::PeerClosedError || isOver()) return;
            if (attached_->state() != QLocalSocket::ConnectedState) lost(attached_->errorString());
          });
  attached_->connectToServer(QString::fromStdString(keptSocketName(plan_.run.toStdString())));
}

void Run::setKept(bool kept) {
  QJsonObject command{{"do", "keep"}, {"on", kept}};
  if (kept) {
    command["folder"] = plan_.folder;
    QJsonArray required;
    for (const auto& one : processes_) {
      if (one.required || one.isNode) required << one.id;
    }
    command["required"] = required;
    if (stopTimer_.isActive()) command["stop_after_s"] = stopTimer_.remainingTime() / 1000.0;
  }
  send(command);
}

bool Run::isSupervised() const {
  return attached_ ? attached_->state() == QLocalSocket::ConnectedState
                   : supervisor_->state() != QProcess::NotRunning;
}

void Run::fail(Outcome outcome, const Trouble& trouble) {
  outcome_ = outcome;
  addTrouble(trouble);
  elapsedMs_ = clock_.isValid() ? before_ + clock_.elapsed() : 0;
  held_.close();
  joinedTimer_.stop();
  stopTimer_.stop();
  setPhase(Phase::Failed);
  emit finished();
}

// ---- commands ----------------------------------------------------------------------------------

void Run::send(const QJsonObject& command) {
  if (!isSupervised()) return;
  const QByteArray line = QJsonDocument(command).toJson(QJsonDocument::Compact) + '\n';
  if (attached_) {
    attached_->write(line);
  } else {
    supervisor_->write(line);
  }
}

void Run::stop(const QString& reason) {
  if (isOver()) return;
  if (phase_ == Phase::NotStarted || phase_ == Phase::Preflight) {
    stopReason_ = reason;
    setPhase(Phase::Ended);
    emit finished();
    return;
  }
  if (phase_ == Phase::Stopping) {
    // A signal while it stops makes the supervisor kill what is left.
    if (supervisorPid_ > 0) ::kill(static_cast<pid_t>(supervisorPid_), SIGTERM);
    return;
  }
  stopReason_ = reason;
  restarts_.clear();
  stopTimer_.stop();
  joinedTimer_.stop();
  for (auto& one : processes_) {
    if (!one.alive()) continue;
    one.endAsked = true;
    noteWhetherReady(one);
  }
  setPhase(Phase::Stopping);
  if (!lastLook_) {
    sendStop();
    return;
  }
  lookTimer_.start();
  lastLook_([self = QPointer<Run>(this)] {
    if (self) self->sendStop();
  });
}

void Run::sendStop() {
  if (std::exchange(stopSent_, true)) return;
  lookTimer_.stop();
  send({{"do", "stop"}, {"grace_s", plan_.plan.graceSeconds}});
}

void Run::stopProcess(const QString& id) {
  auto* one = find(id);
  if (one == nullptr || !one->alive()) return;
  one->endAsked = true;
  send({{"do", "stop"}, {"id", id}});
}

void Run::killProcess(const QString& id) {
  auto* one = find(id);
  if (one == nullptr || !one->alive()) return;
  one->endAsked = true;
  send({{"do", "kill"}, {"id", id}});
}

void Run::restartProcess(const QString& id) {
  auto* one = find(id);
  if (one == nullptr || phase_ == Phase::Stopping || isOver()) return;
  if (one->alive()) {
    if (!restarts_.contains(id)) restarts_ << id;
    stopProcess(id);
    return;
  }
  one->state = State::Waiting;
  one->detail.clear();
  emit processChanged(id);
  send({{"do", "start"}, {"id", id}});
}

void Run::signalProcess(const QString& id, int signal) {
  send({{"do", "signal"}, {"id", id}, {"signal", signal}});
}

// ---- what the supervisor tells ------------------------------------------------------------------

void Run::readEvents() {
  received_ += attached_ ? attached_->readAll() : supervisor_->readAllStandardOutput();
  const QPointer<Run> self = this;  // A receiver of finished() may delete this object.
  qsizetype begin = 0;
  for (;;) {
    const auto end = received_.indexOf('\n', begin);
    if (end < 0) break;
    const auto event = QJsonDocument::fromJson(received_.mid(begin, end - begin)).object();
    begin = end + 1;
    handleEvent(event);
    if (!self) return;
  }
  received_.remove(0, begin);
}

void Run::handleEvent(const QJsonObject& event) {
  const auto kind = event["event"].toString();
  const auto id = event["id"].toString();
  const auto when = timeOf(event);
  auto* one = find(id);
  if (kind == "hello") {
    supervisorPid_ = static_cast<qint64>(event["pid"].toDouble());
  } else if (kind == "kept") {
    kept_ = event["on"].toBool();
    emit keptChanged(kept_);
  } else if (kind == "attached") {
    const auto started = static_cast<qint64>(event["started_ms"].toDouble());
    before_ = std::max<qint64>(0, QDateTime::currentMSecsSinceEpoch() - started);
    held_.setFileName(plan_.planFile());
    if (held_.open(QIODevice::ReadOnly)) ::flock(held_.handle(), LOCK_SH | LOCK_NB);
    setKept(false);
    setPhase(Phase::Starting);
    reviewPhase();
  } else if (kind == "output") {
    addLine(
        {when, id,
         event["stream"].toString() == "stderr" ? LogLine::Stream::Error : LogLine::Stream::Output,
         event["line"].toString()});
  } else if (kind == "dropped") {
    emit linesDropped(id, static_cast<qint64>(event["lines"].toDouble()));
  } else if (kind == "started" && one != nullptr) {
    const bool wasRequired = one->required;
    const bool node = one->isNode;
    *one = ProcessStatus{};
    one->id = id;
    one->required = wasRequired;
    one->isNode = node;
    one->state = State::Starting;
    one->pid = event["pid"].toInt();
    one->attempt = event["attempt"].toInt();
    one->startedAt = when;
    one->endAsked = phase_ == Phase::Stopping;
    addLine({when, id, LogLine::Stream::Supervisor,
             QStringLiteral("started as process %1: %2").arg(one->pid).arg(plan_.shellLine(id))});
    emit processChanged(id);
    const auto* federate = plan_.federate(id);
    if (federate != nullptr && federate->joins && phase_ != Phase::Stopping) joinedTimer_.start();
  } else if (kind == "ready" && one != nullptr) {
    if (one->state == State::Starting) one->state = State::Running;
    one->late = false;
    emit processChanged(id);
    reviewPhase();
  } else if (kind == "not_ready" && one != nullptr) {
    one->late = true;
    emit processChanged(id);
    addTrouble(
        {id, QStringLiteral("%1 is not ready after %2 s").arg(id).arg(event["after_s"].toDouble()),
         logFile(id), whyNotReady(*one),
         QStringLiteral("Read its log; those that wait for it have not started.")});
    if (one->isNode) {
      outcome_ = Outcome::CouldNotStart;
      stop(QStringLiteral("the RTI node did not get ready"));
    }
    reviewPhase();
  } else if (kind == "blocked" && one != nullptr) {
    one->state = State::NotStarted;
    one->detail = QStringLiteral("waits for %1, which has ended or did not start")
                      .arg(event["by"].toString());
    emit processChanged(id);
    reviewPhase();
  } else if ((kind == "exited" || kind == "signalled") && one != nullptr) {
    handleEnd(*one, event);
  } else if (kind == "error") {
    const Trouble trouble{id, event["what"].toString(), event["where"].toString(),
                          event["why"].toString(), event["next"].toString()};
    addTrouble(trouble);
    if (one != nullptr && one->state == State::Waiting) {
      one->state = State::NotStarted;
      one->detail = trouble.why;
      emit processChanged(id);
      if (one->required && phase_ != Phase::Stopping) {
        outcome_ = Outcome::CouldNotStart;
        stop(QStringLiteral("%1 could not start").arg(id));
      }
      reviewPhase();
    }
  } else if (kind == "all_ended") {
    // A restart may be on its way to the supervisor.
    const bool more = std::any_of(processes_.begin(), processes_.end(), [](const auto& each) {
      return !each.isNode && (each.state == State::Waiting || each.alive());
    });
    if (!more && phase_ != Phase::Stopping) {
      const bool died = !deaths_.empty();
      endedByItself_ = !died;
      stop(died ? QStringLiteral("no federate is left")
                : QStringLiteral("all federates have ended"));
    }
  } else if (kind == "over") {
    if (phase_ != Phase::Stopping && !isOver()) stopAtItsTime();
  } else if (kind == "stopping") {
    // Also when somebody else told the supervisor to stop.
    for (auto& each : processes_) {
      if (each.alive()) each.endAsked = true;
    }
    if (phase_ != Phase::Stopping) {
      stopReason_ = QStringLiteral("the supervisor was told to: %1").arg(event["why"].toString());
      setPhase(Phase::Stopping);
    }
  } else if (kind == "ended") {
    endSeen_ = true;
    for (auto& each : processes_) {
      if (each.state != State::Waiting) continue;
      each.state = State::NotStarted;
      each.detail = QStringLiteral("the run ended before its turn came");
      emit processChanged(each.id);
    }
  }
}

void Run::handleEnd(ProcessStatus& process, const QJsonObject& event) {
  const auto id = process.id;
  process.endedAt = timeOf(event);
  if (event["event"].toString() == "exited") {
    process.state = State::Exited;
    process.exitCode = event["code"].toInt();
  } else {
    process.state = State::Signalled;
    process.signal = event["signal"].toInt();
    process.signalName = event["name"].toString();
    process.coreDumped = event["core"].toBool();
  }
  const bool crashed = process.state == State::Signalled && !isOrderlySignal(process.signal);
  const bool failed = process.state == State::Signalled || process.exitCode != 0 || process.isNode;
  if (event["asked"].toBool()) process.endAsked = true;
  // With whatever code: it is what comes of the RTI node's death.
  const bool lostRti = hasLostRti(process) && process.state == State::Exited;
  const bool died = crashed || (failed && !process.endAsked && !lostRti);
  addLine({process.endedAt, id, LogLine::Stream::Supervisor, process.description()});
  emit processChanged(id);
  if (died) {
    if (outcome_ == Outcome::Clean) outcome_ = Outcome::FederateDied;
    ProcessDeath death{process, process.endedAt, process.description(),
                       lines(id, linesOfADeath + 1), logFile(id)};
    // The last line is the one just added: the cause says the same.
    if (!death.lastLines.empty()) death.lastLines.pop_back();
    deaths_.push_back(death);
    emit processDied(death);
  }
  if (restarts_.removeAll(id) > 0) {
    restartProcess(id);
  } else if (died && phase_ != Phase::Stopping) {
    if (process.isNode)
      stop(QStringLiteral("the RTI node died"));
    else if (process.required)
      stop(QStringLiteral("%1 died").arg(id));
  }
  reviewPhase();
}

bool Run::hasLostRti(const ProcessStatus& process) const {
  if (process.isNode || process.alive() || process.pid == 0) return false;
  if (process.state == State::Signalled && !process.endAsked) return false;
  return std::any_of(deaths_.begin(), deaths_.end(), [&](const ProcessDeath& death) {
    return death.process.isNode && death.when <= process.endedAt;
  });
}

void Run::reviewPhase() {
  if (phase_ != Phase::Starting) return;
  const bool settled = std::all_of(processes_.begin(), processes_.end(), [](const auto& one) {
    return (one.state != State::Waiting && one.state != State::Starting) || one.late;
  });
  if (!settled) return;
  setPhase(Phase::Running);
  setStopAfter(plan_.stopAfter);
}

void Run::askWhoJoined() {
  bool awaited = false;
  for (const auto& one : processes_) {
    const auto* federate = plan_.federate(one.id);
    awaited |= federate != nullptr && federate->joins && one.state == State::Starting;
  }
  if (!awaited) {
    joinedTimer_.stop();
    return;
  }
  if (asking_) return;
  asking_ = true;
  // In a thread of its own: a node that does not answer must not hold up the window.
  QThreadPool::globalInstance()->start([source = joinedSource_, self = QPointer<Run>(this)] {
    auto joined = source();
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [self, joined = std::move(joined)] {
          if (!self) return;
          self->asking_ = false;
          if (joined) self->noteJoined(*joined);
        },
        Qt::QueuedConnection);
  });
}

void Run::noteJoined(const std::vector<JoinedFederate>& joined) {
  for (const auto& one : processes_) {
    const auto* federate = plan_.federate(one.id);
    if (federate == nullptr || !federate->joins || one.state != State::Starting) continue;
    // By process, also when it joins under another name than the plan's; by name when the process
    // that joins is not the one that was started (a script's child), but not by an earlier
    // attempt's.
    const bool there = std::any_of(joined.begin(), joined.end(), [&](const JoinedFederate& each) {
      return each.pid == one.pid || (each.now && each.name == one.id);
    });
    if (there) send({{"do", "ready"}, {"id", one.id}});
  }
}

void Run::supervisorEnded() {
  const QPointer<Run> self = this;
  readEvents();
  if (!self || isOver()) return;
  joinedTimer_.stop();
  stopTimer_.stop();
  if (!endSeen_) {
    for (auto& one : processes_) {
      if (!one.alive()) continue;
      one.state = State::Signalled;
      one.signal = SIGKILL;
      one.signalName = QStringLiteral("SIGKILL");
      one.endedAt = QDateTime::currentDateTime();
      emit processChanged(one.id);
    }
    fail(Outcome::SupervisorLost,
         {{},
          QStringLiteral("The supervisor of this run has ended, so all federates were ended"),
          supervisor_->program(),
          attached_ ? QStringLiteral("its connection has ended")
          : supervisor_->exitStatus() == QProcess::CrashExit || supervisor_->exitCode() > 128
              ? QStringLiteral("somebody killed it (exit code %1)").arg(supervisor_->exitCode())
              : QStringLiteral("exit code %1").arg(supervisor_->exitCode()),
          QStringLiteral("Run again.")});
    return;
  }
  elapsedMs_ = before_ + clock_.elapsed();
  held_.close();
  setPhase(outcome_ == Outcome::CouldNotStart ? Phase::Failed : Phase::Ended);
  emit finished();
}

void Run::addLine(LogLine line) {
  for (auto& one : lines_) {
    if (one.id != line.process) continue;
    one.lines.push_back(line);
    if (one.lines.size() > linesKept) one.lines.pop_front();
  }
  emit lineArrived(line);
}

void Run::addTrouble(Trouble trouble) {
  troubles_.push_back(trouble);
  emit troubled(trouble);
}

void Run::setPhase(Phase phase) {
  if (phase_ == phase) return;
  phase_ = phase;
  emit phaseChanged(phase);
}

}  // namespace tutti::launcher
