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
#include <QRandomGenerator>
#include <QSet>
#include <QThreadPool>
#include <QUuid>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "composer/model/catalog.h"
#include "launcher/engine/host_check.h"
#include "launcher/engine/host_supervisor.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/slurm.h"
#include "launcher/engine/ssh.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

using State = ProcessStatus::State;

constexpr std::size_t linesKept = 2000;
constexpr std::size_t linesOfADeath = 20;
constexpr int joinedPollMs = 100;
constexpr int longestEndMs = 3000;
/// More than a cable that is plugged in again at once.
constexpr double stoppingSilenceSeconds = 6;
constexpr int longestLookMs = 500;
constexpr int runsKept = 100;

QDateTime timeOf(const QJsonObject& event) {
  return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(event["time_ms"].toDouble()));
}

/// The command that hands a new key of the run to a supervisor, as tutti-rti reads keys.
QByteArray newKeyLine() {
  std::array<quint32, 8> words{};
  QRandomGenerator::system()->fillRange(words.data(), words.size());
  const QByteArray key(reinterpret_cast<const char*>(words.data()), sizeof words);
  return "{\"do\":\"key\",\"key\":\"tutti-key-1 " + key.toHex() + "\\n\"}";
}

/// It runs, or is to be started again.
bool mayBeEnded(const ProcessStatus& process) {
  return process.alive() || process.restartAt ||
         (process.state == State::Waiting && process.pid != 0);
}

/// The same process as if it were not to be started again.
ProcessStatus withoutRestart(ProcessStatus process) {
  process.restartAt.reset();
  return process;
}

}  // namespace

bool isOrderlySignal(int signal) {
  return signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGHUP;
}

QString ProcessStatus::description() const {
  if (unseen && seen.isValid())
    return QStringLiteral("not seen since %1, for %2")
        .arg(seen.toString(QStringLiteral("HH:mm:ss")),
             durationText(double(seen.secsTo(QDateTime::currentDateTime()))));
  switch (state) {
    case State::Waiting:
      return unseen ? QStringLiteral("not known") : QStringLiteral("waiting");
    case State::Starting:
      return late ? QStringLiteral("not ready in time") : QStringLiteral("starting");
    case State::Running:
      return resigned ? QStringLiteral("resigned") : QStringLiteral("running");
    case State::Exited:
    case State::Signalled: {
      auto text =
          state == State::Exited
              ? QStringLiteral("exit code %1").arg(exitCode)
              : QStringLiteral("signal %1 (%2)%3")
                    .arg(signal)
                    .arg(signalName, coreDumped ? QStringLiteral(", core dumped") : QString());
      if (resigned) text = QStringLiteral("resigned, ") + text;
      if (restartAt) text += QStringLiteral(", ") + restartText();
      return text;
    }
    case State::NotStarted:
      return QStringLiteral("not started");
    case State::Lost:
      return spare.isEmpty() ? QStringLiteral("lost with its host")
                             : QStringLiteral("lost with its host, starts again on %1").arg(spare);
  }
  return {};
}

QString ProcessStatus::restartText(const QDateTime& now) const {
  if (!restartAt) return {};
  const qint64 left = std::max<qint64>(0, now.msecsTo(*restartAt));
  // Rounded up: "in 0 s" would be now.
  return QStringLiteral("again in %1 s, restart %2 of %3")
      .arg((left + 999) / 1000)
      .arg(restart)
      .arg(restartLimit);
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

QString Trouble::detail() const {
  QString result = why;
  if (result.endsWith(u'.')) result.chop(1);
  if (!where.isEmpty() && !what.contains(where) && !why.contains(where))
    result += result.isEmpty() ? where : QStringLiteral(" (%1)").arg(where);
  QStringList sentences;
  if (!result.isEmpty()) sentences << result + u'.';
  if (!next.isEmpty()) sentences << next;
  return sentences.join(u' ');
}

Run::Run(LaunchPlan plan, QObject* parent)
    : QObject(parent), plan_(std::move(plan)), spares_(*this) {
  connect(&spares_, &SpareRestart::failed, this,
          [this](const QString& id, const QString& host, const QString& why) {
            auto* one = find(id);
            if (one == nullptr || one->alive()) return;
            one->spare.clear();
            one->detail = why;
            tellElsewhere(id, "never");
            emit processChanged(id);
            if (phase_ == Phase::Stopping || isOver()) return;
            stop(QStringLiteral("%1 is lost, and %2 is needed. %3").arg(host, id, why));
          });
  for (const auto& planned : plan_.plan.processes) {
    ProcessStatus status;
    status.id = QString::fromStdString(planned.id);
    status.host = plan_.hostOf(status.id);
    status.isNode = plan_.isNode(status.id);
    const auto* federate = plan_.federate(status.id);
    status.required = federate == nullptr ? status.id == plan_.nodeProcess : federate->required;
    processes_.push_back(status);
    lines_.push_back({status.id, {}});
  }
  for (const auto& one : plan_.hosts)
    hosts_.push_back(
        {one.host.name, HostStatus::State::Connecting, 0, QDateTime::currentDateTime()});
  joinedTimer_.setInterval(joinedPollMs);
  connect(&joinedTimer_, &QTimer::timeout, this, &Run::askWhoJoined);
  lookTimer_.setSingleShot(true);
  lookTimer_.setInterval(longestLookMs);
  connect(&lookTimer_, &QTimer::timeout, this, &Run::sendStop);
  homeTimer_.setSingleShot(true);
  connect(&homeTimer_, &QTimer::timeout, this, &Run::stopHome);
  stopTimer_.setSingleShot(true);
  connect(&stopTimer_, &QTimer::timeout, this,
          [this] { stop(QStringLiteral("%1 s have passed").arg(*plan_.stopAfter)); });
}

Run::~Run() {
  for (auto& part : parts_) {
    disconnect(part->agent.get(), nullptr, this, nullptr);
    // All at once; each is waited for when it is destroyed.
    if (watches_ || (kept_ && !isOver()))
      part->agent->leave();
    else
      part->agent->beginEnd();
  }
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
  // The supervisors of a kept run mind it too.
  if (phase_ == Phase::Running && staysKept_) setKept(true);
}

void Run::noteLogicalTime(double least) {
  if (watches_ || phase_ != Phase::Running || !plan_.stopAtLogicalTime ||
      !(least >= *plan_.stopAtLogicalTime))
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
  if (federate != nullptr && federate->joins) {
    return process.joined && !federate->point.isEmpty()
               ? QStringLiteral(
                     "it has joined %1 and not achieved the synchronization point \"%2\"")
                     .arg(plan_.federation, federate->point)
               : QStringLiteral("it has not joined %1").arg(plan_.federation);
  }
  const auto* planned = plan_.process(process.id);
  if (planned != nullptr && planned->ready.when == ReadyWhen::Port)
    return QStringLiteral("it does not accept at port %1")
        .arg(QString::fromStdString(planned->ready.text));
  return QStringLiteral("it has not said so");
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
    finish(Phase::Failed);
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
  beginAgents();
  if (!joinedSource_) joinedSource_ = joinedAtNode(plan_.designator(), plan_.federation);
}

Run::Part& Run::addPart(const QString& host) {
  parts_.push_back(std::make_unique<Part>());
  Part& part = *parts_.back();
  part.agent = std::make_unique<Agent>(host);
  listenTo(part);
  return part;
}

void Run::listenTo(Part& part) {
  const QString host = part.agent->host();
  const Agent* agent = part.agent.get();
  part.agent->wantSamples(wantsSamples_);
  connect(agent, &Agent::received, this,
          [this, &part](const QJsonObject& event) { handleEvent(part, event); });
  connect(agent, &Agent::ended, this,
          [this, &part](const Agent::Loss& loss) { partEnded(part, loss); });
  connect(agent, &Agent::failed, this, [this, &part](const Agent::Loss& loss) {
    part.gone |= part.agent->isAttached() && part.agent->host().isEmpty();
    partEnded(part, loss);
  });
  connect(agent, &Agent::reachableChanged, this, [this, host](bool reachable) {
    setHostState(host, reachable ? HostStatus::State::Up : HostStatus::State::Unreachable);
  });
}

void Run::beginAgents() {
  const QString program =
      programOfTutti(QStringLiteral("tutti-supervisor"), composer::Catalog::binaryFolders())
          .value_or(QStringLiteral("tutti-supervisor"));
  QStringList names{QString()};
  for (const auto& one : plan_.hosts) names << one.host.name;
  const QByteArray key = names.size() > 1 ? newKeyLine() : QByteArray();
  for (const QString& name : names) addPart(name).plan = plan_.planOf(name);
  for (auto& part : parts_) {
    const auto* host = plan_.host(part->agent->host());
    if (host == nullptr) {
      part->agent->start(program, {});
    } else {
      part->agent->startOn(host->host, supervisorCommand(*host, {}), silenceHere(plan_));
    }
    if (!key.isEmpty()) part->agent->sendLine(key);
    part->agent->sendLine(QByteArray::fromStdString(
        planToJson(part->plan).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
}

void Run::awaitHost(const QString& host, double seconds) {
  if (stopSent_) return;
  for (const auto& part : parts_) {
    if (part->agent->host() == host && !host.isEmpty()) part->agent->await(seconds);
  }
}

void Run::setKept(bool kept) {
  const bool usesJob = std::any_of(plan_.hosts.begin(), plan_.hosts.end(),
                                   [](const auto& one) { return one.host.jobNode.has_value(); });
  if (kept && usesJob) {
    addTrouble({{},
                QStringLiteral("This run cannot go on without the program that started it"),
                {},
                QStringLiteral("it uses nodes of a Slurm job, which ends with that program"),
                QStringLiteral("Leave it open; or submit the run as a job, which needs no console: "
                               "tutti submit %1")
                    .arg(plan_.composition.isEmpty() ? QStringLiteral("FILE")
                                                     : shellCommand({plan_.composition}))});
    return;
  }
  staysKept_ = kept;
  if (watches_) return;
  for (auto& part : parts_) {
    if (!part->over) keepPart(*part, kept);
  }
}

void Run::keepPart(Part& part, bool kept) {
  QJsonObject command{{"do", "keep"}, {"on", kept}};
  if (kept) {
    const QString host = part.agent->host();
    const auto* other = plan_.host(host);
    command["folder"] = other == nullptr ? plan_.folder : other->folder;
    QJsonArray required;
    for (const auto& one : processes_) {
      if (one.host == host && (one.required || one.isNode)) required << one.id;
    }
    command["required"] = required;
    if (stopTimer_.isActive()) command["stop_after_s"] = stopTimer_.remainingTime() / 1000.0;
  }
  part.agent->send(command);
}

void Run::noteKept() {
  const bool all = std::all_of(parts_.begin(), parts_.end(),
                               [](const auto& part) { return part->kept || part->over; });
  if (std::exchange(kept_, all) != all) emit keptChanged(all);
}

void Run::fail(Outcome outcome, const Trouble& trouble) {
  outcome_ = outcome;
  addTrouble(trouble);
  elapsedMs_ = clock_.isValid() ? before_ + clock_.elapsed() : 0;
  held_.close();
  joinedTimer_.stop();
  stopTimer_.stop();
  // Federates that still run in them end now.
  for (const auto& one : allocations_) one->end();
  finish(Phase::Failed);
}

// ---- commands ----------------------------------------------------------------------------------

Run::Part* Run::partOf(const QString& process) {
  const QString host = plan_.hostOf(process);
  for (auto& part : parts_) {
    if (part->agent->host() == host) return part.get();
  }
  return nullptr;
}

void Run::send(const QString& process, const char* verb, QJsonObject more) {
  more["do"] = QLatin1String(verb);
  more["id"] = process;
  if (Part* const part = partOf(process)) part->agent->send(more);
}

void Run::stop(const QString& reason) {
  if (isOver()) return;
  if (watches_) {
    askToStop();
    return;
  }
  if (phase_ == Phase::NotStarted || (phase_ == Phase::Preflight && parts_.empty())) {
    stopReason_ = reason;
    finish(Phase::Ended);
    return;
  }
  if (phase_ == Phase::Stopping) {
    // A signal while it stops makes the supervisor kill what is left; that of another host hears
    // the end of its channel instead.
    for (auto& part : parts_) {
      if (part->over) continue;
      if (!part->agent->host().isEmpty())
        part->agent->beginEnd();
      else if (part->pid > 0)
        ::kill(static_cast<pid_t>(part->pid), SIGTERM);
    }
    return;
  }
  stopReason_ = reason;
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

void Run::kill(const QString& reason) {
  grace_ = 0;
  stop(reason);
}

void Run::askToStop() {
  // Who has the run ends all of it; where nobody has it each supervisor is told.
  for (auto& part : parts_) {
    if (part->over) continue;
    part->agent->send({{"do", "stop"}, {"grace_s", graceSeconds()}});
    if (part->attended && part->agent->host().isEmpty()) break;
  }
}

void Run::sendStop() {
  if (std::exchange(stopSent_, true)) return;
  lookTimer_.stop();
  // The run's node ends last: federates of other hosts leave through it.
  const bool others = std::any_of(parts_.begin(), parts_.end(), [](const auto& part) {
    return !part->over && !part->agent->host().isEmpty();
  });
  for (auto& part : parts_) {
    QJsonObject command{{"do", "stop"}, {"grace_s", graceSeconds()}};
    if (others && part->agent->host().isEmpty()) command["hold_last"] = true;
    part->agent->send(command);
    // What runs on a host that is silent ends there by itself, and is not worth the whole wait;
    // what is kept there would go on, and is sought again to tell it.
    part->agent->limitSilence(std::max(stoppingSilenceSeconds, graceSeconds()));
  }
  if (others) homeTimer_.start(static_cast<int>(1000 * graceSeconds()) + longestLookMs);
}

void Run::stopHome() {
  homeTimer_.stop();
  for (auto& part : parts_) {
    if (part->agent->host().isEmpty()) part->agent->send({{"do", "stop"}});
  }
}

void Run::sendAll(const QStringList& processes, const char* verb) {
  for (auto& part : parts_) {
    QJsonArray ids;
    for (const QString& id : processes) {
      if (partOf(id) == part.get()) ids << id;
    }
    if (!ids.isEmpty()) part->agent->send({{"do", QLatin1String(verb)}, {"ids", ids}});
  }
}

void Run::stopProcesses(const QStringList& ids) {
  QStringList those;
  for (const QString& id : ids) {
    auto* one = find(id);
    if (one == nullptr || !mayBeEnded(*one)) continue;
    one->endAsked = true;
    those << id;
  }
  sendAll(those, "stop");
}

void Run::killProcesses(const QStringList& ids) {
  QStringList those;
  for (const QString& id : ids) {
    auto* one = find(id);
    if (one == nullptr || !mayBeEnded(*one)) continue;
    one->endAsked = true;
    those << id;
  }
  sendAll(those, "kill");
}

void Run::restartProcesses(const QStringList& ids) {
  if (phase_ == Phase::Stopping || isOver()) return;
  QStringList those;
  QSet<QString> outOfReach;
  bool someRun = false;
  for (const QString& id : ids) {
    auto* one = find(id);
    const Part* const part = partOf(id);
    if (one == nullptr || part == nullptr || part->over) continue;
    // The others would wait for the end of what its supervisor has not been told to end.
    if (!part->agent->isConnected()) {
      outOfReach << part->agent->host();
      continue;
    }
    those << id;
    if (one->alive()) {
      one->endAsked = true;
      someRun = true;
      continue;
    }
    one->state = State::Waiting;
    one->restartAt.reset();
    one->restart = 0;
    one->detail.clear();
    tellElsewhere(id, "awaited");
    emit processChanged(id);
  }
  for (const QString& host : std::as_const(outOfReach))
    addTrouble({{},
                QStringLiteral("Nothing was restarted on %1")
                    .arg(host.isEmpty() ? QStringLiteral("this machine") : host),
                host,
                QStringLiteral("its supervisor is not reached at the moment"),
                QStringLiteral("Restart its federates when it answers again.")});
  sendRestart(those, someRun);
}

void Run::sendRestart(const QStringList& processes, bool someRun) {
  std::vector<std::pair<Part*, QStringList>> shares;
  for (auto& part : parts_) {
    QStringList ids;
    for (const QString& id : processes) {
      if (partOf(id) == part.get()) ids << id;
    }
    if (!ids.isEmpty()) shares.emplace_back(part.get(), ids);
  }
  HeldRestarts::Restart held;
  if (someRun && shares.size() > 1) {
    held.key = QUuid::createUuid().toString(QUuid::WithoutBraces);
    for (const auto& [part, ids] : shares) held.hosts << part->agent->host();
    heldRestarts_.begin(held);
  }
  for (const auto& [part, ids] : shares) {
    QJsonArray others;
    for (const QString& id : processes) {
      if (!ids.contains(id)) others << id;
    }
    QJsonObject command{
        {"do", "restart"}, {"ids", QJsonArray::fromStringList(ids)}, {"with", others}};
    if (!held.key.isEmpty()) command["hold"] = held.key;
    part->agent->send(command);
  }
}

void Run::letStart(const std::vector<HeldRestarts::Restart>& restarts) {
  for (const auto& one : restarts) {
    for (auto& part : parts_) {
      if (one.hosts.contains(part->agent->host()))
        part->agent->send({{"do", "release"}, {"hold", one.key}});
    }
  }
}

void Run::startProcesses(const QStringList& ids) {
  QStringList those;
  for (const QString& id : ids) {
    const auto* one = process(id);
    if (one != nullptr && !one->alive()) those << id;
  }
  restartProcesses(those);
}

void Run::signalProcess(const QString& id, int signal) { send(id, "signal", {{"signal", signal}}); }

// ---- what the supervisor tells ------------------------------------------------------------------

void Run::handleEvent(Part& part, const QJsonObject& event) {
  const auto kind = event["event"].toString();
  const auto id = event["id"].toString();
  const auto when = timeOf(event);
  auto* one = find(id);
  // What a host says of one that has left it for another is about its past there.
  if (one != nullptr && one->host != part.agent->host()) one = nullptr;
  if (kind == "hello") {
    // Each supervisor counts its own events.
    const qint64 pid = event["pid"].toInteger();
    if (part.pid != 0 && pid != part.pid) {
      part.lastNumber = 0;
      part.stated = false;
    }
    part.pid = pid;
    part.refusal.clear();
  }
  if (const qint64 number = event["n"].toInteger(); number > 0) {
    // Asked for twice it comes twice.
    if (number <= part.lastNumber) return;
    part.lastNumber = number;
  }
  if (isFlooded(kind)) return;
  part.heard = QDateTime::currentDateTime();
  emit eventArrived(part.agent->host(), event);
  if (kind == "hello") {
    part.attended = event["attended"].toBool();
    setHostState(part.agent->host(), HostStatus::State::Up);
  } else if (kind == "busy") {
    if (watches_)
      part.refusal = event["why"].toString();
    else
      heldByAnother_ = true;
  } else if (kind == "gone") {
    part.gone = true;
  } else if (kind == "missed") {
    handleMissed(part, event);
  } else if (kind == "alive") {
    for (auto& host : hosts_) {
      if (host.name != part.agent->host()) continue;
      host.load = event["load"].toDouble();
      emit hostChanged(host.name);
    }
  } else if (kind == "kept") {
    part.kept = event["on"].toBool();
    noteKept();
  } else if (kind == "attached") {
    handleAttached(part, event);
  } else if (kind == "output") {
    addLine(
        {when, id,
         event["stream"].toString() == "stderr" ? LogLine::Stream::Error : LogLine::Stream::Output,
         event["line"].toString()});
  } else if (kind == "dropped") {
    emit linesDropped(id, event["lines"].toInteger());
  } else if (kind == "started" && one != nullptr && event["attempt"].toInt() > one->attempt) {
    ProcessStatus fresh;
    fresh.id = id;
    fresh.host = one->host;
    fresh.isNode = one->isNode;
    fresh.required = one->required;
    fresh.restart = one->restart;
    fresh.restartLimit = one->restartLimit;
    *one = fresh;
    one->state = State::Starting;
    one->pid = event["pid"].toInt();
    one->attempt = event["attempt"].toInt();
    one->startedAt = when;
    one->endAsked = phase_ == Phase::Stopping;
    addLine({when, id, LogLine::Stream::Supervisor,
             QStringLiteral("started as process %1: %2").arg(one->pid).arg(plan_.shellLine(id))});
    emit processChanged(id);
    const auto* federate = plan_.federate(id);
    if (federate != nullptr && federate->joins && phase_ != Phase::Stopping && !watches_)
      joinedTimer_.start();
  } else if (kind == "ready" && one != nullptr) {
    if (one->state == State::Starting) one->state = State::Running;
    one->late = false;
    tellElsewhere(id, "ready");
    emit processChanged(id);
    reviewPhase();
  } else if ((kind == "resigning" || kind == "remains") && one != nullptr) {
    one->resigning = kind == "resigning";
    emit processChanged(id);
  } else if (kind == "resigned" && one != nullptr) {
    one->resigned = true;
    if (one->alive())
      addLine({when, id, LogLine::Stream::Supervisor,
               QStringLiteral("made to resign; its process has %1 s to end by itself")
                   .arg(event["ends_in_s"].toDouble())});
    emit processChanged(id);
  } else if (kind == "not_ready" && one != nullptr) {
    one->late = true;
    emit processChanged(id);
    addTrouble(
        {id, QStringLiteral("%1 is not ready after %2 s").arg(id).arg(event["after_s"].toDouble()),
         logFile(id), whyNotReady(*one),
         QStringLiteral("Read its log; those that wait for it have not started."), true});
    if (one->isNode && !isIdleSpare(one->host)) {
      outcome_ = Outcome::CouldNotStart;
      stop(one->host.isEmpty()
               ? QStringLiteral("the RTI node did not get ready")
               : QStringLiteral("the RTI node of %1 did not get ready").arg(one->host));
    }
    reviewPhase();
  } else if (kind == "blocked" && one != nullptr) {
    one->state = State::NotStarted;
    one->detail = QStringLiteral("waits for %1, which has ended or did not start")
                      .arg(event["by"].toString());
    tellElsewhere(id, "never");
    emit processChanged(id);
    reviewPhase();
  } else if ((kind == "exited" || kind == "signalled") && one != nullptr && one->alive()) {
    handleEnd(*one, event);
  } else if (kind == "exited" || kind == "signalled") {
    for (auto& gone : removed_) {
      if (gone.id == id && gone.host == part.agent->host() && gone.alive()) noteEnd(gone, event);
    }
  } else if (kind == "held") {
    letStart(heldRestarts_.noteEnded(part.agent->host(), event["hold"].toString()));
  } else if (kind == "restarting" && one != nullptr) {
    handleRestart(*one, event);
  } else if (kind == "gave_up" && one != nullptr) {
    handleGivenUp(*one, event["why"].toString());
  } else if (kind == "error") {
    const QString host = part.agent->host();
    const QString place = event["where"].toString();
    const Trouble trouble{id, event["what"].toString(),
                          host.isEmpty() ? place : host + QLatin1Char(':') + place,
                          event["why"].toString(), event["next"].toString()};
    addTrouble(trouble);
    if (id.isEmpty() && trouble.what == QStringLiteral("no federate was added") &&
        entering_.awaited.contains(host))
      takeBackAdditions(host, trouble.why);
    else if (id.isEmpty() && trouble.what == QStringLiteral("no federate was added"))
      spares_.noteRefused(host, trouble.why);
    if (one != nullptr && one->state == State::Waiting) {
      one->state = State::NotStarted;
      one->detail = trouble.why;
      tellElsewhere(id, "never");
      emit processChanged(id);
      if (one->required && phase_ != Phase::Stopping) {
        outcome_ = Outcome::CouldNotStart;
        stop(QStringLiteral("%1 could not start").arg(id));
      }
      reviewPhase();
    } else if (one != nullptr && one->restartAt) {
      handleGivenUp(*one, trouble.why);
    }
  } else if (kind == "added") {
    handleAdded(part, event);
  } else if (kind == "removed") {
    handleRemoved(part, event);
  } else if (kind == "required" && one != nullptr) {
    handleRequired(id, event["on"].toBool());
  } else if (kind == "all_ended") {
    stopWhenNobodyIsLeft();
  } else if (kind == "over") {
    if (!watches_ && phase_ != Phase::Stopping && !isOver()) stopAtItsTime();
  } else if (kind == "stopping") {
    // Also when somebody else told the supervisor to stop.
    for (auto& each : processes_) {
      if (each.alive() && each.host == part.agent->host()) each.endAsked = true;
    }
    if (watches_ && part.agent->host().isEmpty()) {
      stopReason_ = event["why"].toString();
      setPhase(Phase::Stopping);
    } else if (phase_ != Phase::Stopping && !part.agent->host().isEmpty()) {
      for (auto& each : hosts_) {
        if (each.name == part.agent->host()) each.toldToEnd = timeOf(event);
      }
      const auto* planned = plan_.host(part.agent->host());
      part.isTaken = planned != nullptr && planned->host.jobNode.has_value();
      hostStops(part, event["why"].toString());
    } else if (phase_ != Phase::Stopping) {
      stopReason_ = QStringLiteral("the supervisor was told to: %1").arg(event["why"].toString());
      setPhase(Phase::Stopping);
      if (!hosts_.empty()) sendStop();
    }
  } else if (kind == "ended") {
    part.saidItsEnd = true;
    for (auto& each : processes_) {
      if (each.state != State::Waiting || each.host != part.agent->host()) continue;
      each.state = State::NotStarted;
      each.detail = QStringLiteral("the run ended before its turn came");
      tellElsewhere(each.id, "never");
      emit processChanged(each.id);
    }
  }
}

void Run::noteEnd(ProcessStatus& process, const QJsonObject& event) {
  process.endedAt = timeOf(event);
  if (event["event"].toString() == "exited") {
    process.state = State::Exited;
    process.exitCode = event["code"].toInt();
    process.signal = 0;
    process.signalName.clear();
  } else {
    process.state = State::Signalled;
    process.signal = event["signal"].toInt();
    process.signalName = event["name"].toString();
    process.coreDumped = event["core"].toBool();
  }
}

void Run::handleEnd(ProcessStatus& process, const QJsonObject& event) {
  const auto id = process.id;
  noteEnd(process, event);
  const bool crashed = process.state == State::Signalled && !isOrderlySignal(process.signal);
  const bool failed = process.state == State::Signalled || process.exitCode != 0 || process.isNode;
  if (event["asked"].toBool()) process.endAsked = true;
  if (event["resigned"].toBool()) process.resigned = true;
  // With whatever code: it is what comes of the RTI node's death.
  const bool lostRti = hasLostRti(process) && process.state == State::Exited;
  const bool died = crashed || (failed && !process.endAsked && !lostRti);
  const bool restarts = event["restarts"].toBool();
  if (!restarts) tellElsewhere(id, "never");
  // How long it waits for that is said next.
  const bool byPolicy = restarts && !event["asked"].toBool();
  if (byPolicy) process.restartAt = process.endedAt;
  const QString cause = withoutRestart(process).description();
  addLine({process.endedAt, id, LogLine::Stream::Supervisor, cause});
  if (!byPolicy) emit processChanged(id);
  if (died) {
    if (outcome_ == Outcome::Clean && !isIdleSpare(process.host)) outcome_ = Outcome::FederateDied;
    ProcessDeath death{process, process.endedAt, cause, lines(id, linesOfADeath + 1), logFile(id)};
    // The last line is the one just added: the cause says the same.
    if (!death.lastLines.empty()) death.lastLines.pop_back();
    deaths_.push_back(death);
    emit processDied(death);
  }
  if (restarts && event["asked"].toBool()) {
    process.state = State::Waiting;
    tellElsewhere(id, "awaited");
    emit processChanged(id);
  } else if (died && !restarts && !event["given_up"].toBool()) {
    stopWithout(process);
  }
  reviewPhase();
}

void Run::stopWithout(const ProcessStatus& process) {
  // Before all is told, its supervisor has minded that already.
  if (watches_ || phase_ == Phase::Preflight) return;
  if (phase_ == Phase::Stopping || isOver()) return;
  if (process.isNode && process.host.isEmpty())
    stop(QStringLiteral("the RTI node died"));
  else if (process.isNode)
    nodeOfHostEnded(process);
  else if (process.required)
    stop(QStringLiteral("%1 died").arg(process.id));
}

void Run::handleRestart(ProcessStatus& process, const QJsonObject& event) {
  process.restart = event["attempt"].toInt();
  process.restartLimit = event["of"].toInt();
  process.restartAt =
      timeOf(event).addMSecs(static_cast<qint64>(std::lround(1000 * event["in_s"].toDouble())));
  tellElsewhere(process.id, "awaited");
  addLine(
      {timeOf(event), process.id, LogLine::Stream::Supervisor, process.restartText(timeOf(event))});
  emit processChanged(process.id);
  emit restartPlanned(process.id);
}

void Run::handleGivenUp(ProcessStatus& process, const QString& why) {
  process.restartAt.reset();
  // It was stopped while it waited for others of its restart: its last end stands.
  if (process.state == State::Waiting)
    process.state = process.signal != 0 ? State::Signalled : State::Exited;
  tellElsewhere(process.id, "never");
  addLine({QDateTime::currentDateTime(), process.id, LogLine::Stream::Supervisor,
           QStringLiteral("not started again: %1").arg(why)});
  emit processChanged(process.id);
  if (process.endAsked || phase_ == Phase::Stopping || isOver()) return;
  addTrouble({process.id, QStringLiteral("%1 is not started again").arg(process.id),
              logFile(process.id), why,
              QStringLiteral("Read its log, correct what makes it fail, and start it again.")});
  if (process.state == State::Signalled || process.exitCode != 0) stopWithout(process);
}

bool Run::hasLostRti(const ProcessStatus& process) const {
  if (process.isNode || process.alive() || process.pid == 0) return false;
  if (process.state == State::Signalled && !process.endAsked) return false;
  return std::any_of(deaths_.begin(), deaths_.end(), [&](const ProcessDeath& death) {
    const bool its = death.process.host.isEmpty() || death.process.host == process.host;
    return death.process.isNode && its && death.when <= process.endedAt;
  });
}

void Run::nodeOfHostEnded(const ProcessStatus& node) {
  const PlannedHost* planned = plan_.host(node.host);
  if (planned != nullptr && planned->spare)
    noteSpareLost(node.host, QStringLiteral("its RTI node has ended"));
  for (const auto& one : processes_) {
    if (one.host != node.host || one.isNode || !one.required || !one.alive()) continue;
    stop(QStringLiteral("the RTI node of %1 died, and %2 is needed there").arg(node.host, one.id));
    return;
  }
}

void Run::tellElsewhere(const QString& id, const char* state) {
  if (watches_) return;
  const std::string key = id.toStdString();
  for (auto& part : parts_) {
    const auto& ids = part->plan.elsewhere;
    if (std::find(ids.begin(), ids.end(), key) != ids.end())
      part->agent->send({{"do", "elsewhere"}, {"id", id}, {"state", QLatin1String(state)}});
  }
}

void Run::setHostState(const QString& host, HostStatus::State state) {
  for (auto& one : hosts_) {
    if (one.name != host || one.state == state) continue;
    one.state = state;
    one.since = QDateTime::currentDateTime();
    emit hostChanged(host);
  }
}

void Run::reviewPhase() {
  if (phase_ != Phase::Starting) return;
  const bool settled = std::all_of(processes_.begin(), processes_.end(), [](const auto& one) {
    return (one.state != State::Waiting && one.state != State::Starting && one.spare.isEmpty()) ||
           one.late || one.unseen;
  });
  if (!settled) return;
  setPhase(Phase::Running);
  if (!watches_) setStopAfter(plan_.stopAfter);
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
  for (auto& one : processes_) {
    const auto* federate = plan_.federate(one.id);
    if (federate == nullptr || !federate->joins || one.state != State::Starting) continue;
    // By process, also when it joins under another name than the plan's; by name when the process
    // that joins is not the one that was started (a script's child, one of another host, whose
    // number says nothing here), but not by an earlier attempt's.
    bool ready = false;
    for (const JoinedFederate& each : joined) {
      const bool its =
          (one.host.isEmpty() && each.pid == one.pid) || (each.now && each.name == one.id);
      one.joined |= its;
      ready |= its && (federate->point.isEmpty() || each.achieved.contains(federate->point));
    }
    if (ready) send(one.id, "ready");
  }
}

void Run::partEnded(Part& part, const Agent::Loss& ended) {
  part.over = true;
  letStart(heldRestarts_.noteLost(part.agent->host()));
  const Agent::Loss loss = whyEnded(part, ended);
  const bool unreachable = loss.bySlurm || loss.reason == Agent::Loss::Reason::Silent;
  part.whyUnreachable = unreachable ? loss.why : QString();
  if (!isOver() && entering_.awaited.contains(part.agent->host()))
    takeBackAdditions(part.agent->host(), loss.why);
  if (isOver() || seeksAgain(part, loss)) return;
  if (link_ && link_->state() == RelayLink::State::Over && !part.saidItsEnd) {
    // Of no host anything is known any more.
    fail(
        Outcome::SupervisorLost,
        {{},
         link_->isGone() ? QStringLiteral("The run %1 has ended, and nobody saw how").arg(plan_.run)
                         : QStringLiteral("The run %1 can no longer be watched").arg(plan_.run),
         link_->whyLost().where,
         link_->whyLost().why,
         link_->whyLost().next});
    return;
  }
  if (!part.agent->host().isEmpty()) {
    if (watches_ && part.pid == 0 && !part.gone)
      hostUnseen(part, loss);
    else
      hostLost(part, loss);
    return;
  }
  joinedTimer_.stop();
  stopTimer_.stop();
  if (part.saidItsEnd) {
    endWhenAllPartsHave();
    return;
  }
  if (watches_ && phase_ != Phase::Preflight) {
    fail(Outcome::SupervisorLost,
         {{},
          QStringLiteral("The supervisor of %1 has ended").arg(plan_.run),
          plan_.folder,
          loss.why,
          QStringLiteral("What it had started has ended with it. Look at its logs there.")});
    return;
  }
  for (auto& one : processes_) {
    if (!one.alive() || !one.host.isEmpty()) continue;
    one.state = State::Signalled;
    one.signal = SIGKILL;
    one.signalName = QStringLiteral("SIGKILL");
    one.endedAt = QDateTime::currentDateTime();
    emit processChanged(one.id);
  }
  if (part.agent->isAttached() && phase_ == Phase::Preflight) {
    fail(Outcome::SupervisorLost,
         {{},
          (watches_ ? QStringLiteral("The run %1 cannot be watched")
                    : QStringLiteral("The run %1 cannot be taken over"))
              .arg(plan_.run),
          plan_.folder,
          heldByAnother_ ? QStringLiteral("another program has it") : loss.why,
          heldByAnother_ ? QStringLiteral("Watch it (tutti attach %1), or end the other program.")
                               .arg(plan_.run)
          : !part.refusal.isEmpty()
              ? loss.next
              : QStringLiteral("It may have ended just now: look at its logs there, or run "
                               "again.")});
    return;
  }
  if (part.pid == 0 && !part.agent->isAttached()) {
    fail(Outcome::CouldNotStart,
         {{},
          QStringLiteral("The supervisor did not start, so nothing was started"),
          loss.where,
          loss.why,
          loss.next});
    return;
  }
  fail(Outcome::SupervisorLost,
       {{},
        QStringLiteral("The supervisor of this run has ended, so all federates were ended"),
        loss.where,
        loss.why,
        loss.next.isEmpty() ? QStringLiteral("Run again.") : loss.next});
}

void Run::hostStops(Part& part, const QString& why) {
  const QString host = part.agent->host();
  if (!part.isTaken)
    addTrouble({{},
                QStringLiteral("The supervisor of %1 ends what runs there").arg(host),
                host,
                why,
                QStringLiteral("The other hosts go on, unless a federate there is needed.")});
  for (const auto& one : processes_) {
    const bool isBetweenStarts = one.state == State::Waiting && one.pid != 0;
    // Who was to start there only could have come to a spare.
    const bool counts = one.alive() || isBetweenStarts ||
                        (plan_.hasSpares() && (one.restartAt || one.state == State::Waiting));
    if (one.host == host && one.required && !one.isNode && counts) part.needed << one.id;
  }
  if (watches_ || part.needed.isEmpty() || plan_.hasSpares()) return;
  stop(QStringLiteral("%1 is ended on %2, and is needed").arg(part.needed.front(), host));
}

void Run::stopWhenNobodyIsLeft() {
  // A restart may be on its way to the supervisor.
  const bool more = std::any_of(processes_.begin(), processes_.end(), [](const auto& each) {
    return !each.isNode && (each.state == State::Waiting || each.alive() || each.restartAt ||
                            !each.spare.isEmpty());
  });
  const bool mayComeBack =
      plan_.hasSpares() && std::any_of(parts_.begin(), parts_.end(),
                                       [](const auto& part) { return !part->needed.isEmpty(); });
  if (more || mayComeBack || watches_ || phase_ == Phase::Stopping) return;
  const bool well = deaths_.empty() && outcome_ == Outcome::Clean;
  const bool resigned = std::any_of(processes_.begin(), processes_.end(),
                                    [](const auto& each) { return each.resigned; });
  endedByItself_ = well && !resigned;
  stop(well && resigned ? QStringLiteral("its federates were made to resign")
       : well           ? QStringLiteral("all federates have ended")
                        : QStringLiteral("no federate is left"));
}

void Run::hostLost(Part& part, const Agent::Loss& loss) {
  const QString host = part.agent->host();
  setUnseen(part, false);
  setHostState(host, part.saidItsEnd ? HostStatus::State::Ended : HostStatus::State::Lost);
  reachedJobLimit_ |= loss.atLimit;
  if (part.saidItsEnd && (part.isTaken || loss.bySlurm)) {
    if (const QString what = sayingOf(host, loss); !what.isEmpty())
      addTrouble({{}, what, host, loss.why, loss.next});
    if (outcome_ == Outcome::Clean) outcome_ = Outcome::FederateDied;
  }
  if (part.saidItsEnd && !watches_ && phase_ != Phase::Stopping) {
    noteSpareLost(host, QStringLiteral("its supervisor has ended"));
    const QStringList needed = std::exchange(part.needed, {});
    if (!needed.isEmpty() && loss.atLimit)
      stop(QStringLiteral("%1 is ended on %2, and is needed").arg(needed.front(), host));
    else if (!needed.isEmpty())
      goOnWithout(host, needed,
                  loss.why.isEmpty() ? QStringLiteral("its supervisor has ended") : loss.why);
  }
  if (!part.saidItsEnd) {
    const bool came = part.pid != 0 || part.agent->isAttached();
    const QString what =
        part.gone ? QStringLiteral("What ran on %1 has ended, and nobody saw how").arg(host)
        : came
            ? sayingOf(host, loss)
            : QStringLiteral("The host %1 cannot be used, so nothing was started there").arg(host);
    if (!what.isEmpty())
      addTrouble({{},
                  what,
                  host,
                  part.gone ? QStringLiteral("its supervisor is there no longer") : loss.why,
                  part.gone
                      ? QStringLiteral("Its logs are in %1 there.").arg(plan_.host(host)->folder)
                      : loss.next});
    const bool isIdle = isIdleSpare(host);
    // It may have said that it ends, and whom with it, before it broke off.
    QStringList needed = std::exchange(part.needed, {});
    needed.removeIf([&](const QString& id) {
      const auto* one = find(id);
      return one == nullptr || one->host != host;
    });
    QStringList gone;
    for (auto& one : processes_) {
      const bool goesOn = one.alive() || one.restartAt;
      if (one.host != host || !(goesOn || one.state == State::Waiting)) continue;
      if (one.required && !one.isNode && !one.endAsked && !needed.contains(one.id))
        needed << one.id;
      gone << one.id;
      one.state = came && goesOn ? State::Lost : State::NotStarted;
      one.restartAt.reset();
      one.detail = loss.why;
      one.endedAt = QDateTime::currentDateTime();
    }
    noteSpareLost(host, loss.why);
    if (phase_ != Phase::Stopping) {
      if (!came && !needed.isEmpty()) outcome_ = Outcome::CouldNotStart;
      if (outcome_ == Outcome::Clean && !isIdle)
        outcome_ = came ? Outcome::FederateDied : Outcome::NotReady;
      // Whoever has the run minds what it needs.
      if (phase_ == Phase::Preflight)
        noteTaken();
      else if (!needed.isEmpty() && !watches_ && loss.atLimit)
        stop(QStringLiteral("%1 was on %2, and is needed").arg(needed.front(), host));
      else if (!needed.isEmpty() && !watches_)
        goOnWithout(host, needed, loss.why);
      else
        stopWhenNobodyIsLeft();
      reviewPhase();
    }
    for (const QString& id : std::as_const(gone)) {
      const auto* one = find(id);
      if (one == nullptr) continue;
      tellElsewhere(id, prospectOf(*one));
      emit processChanged(id);
    }
  }
  endWhenAllPartsHave();
}

QString Run::sayingOf(const QString& host, const Agent::Loss& loss) {
  constexpr qsizetype mostNamed = 4;
  const PlannedHost* planned = plan_.host(host);
  const auto told = [](const QString& name) {
    return QStringLiteral("The host %1 is lost").arg(name);
  };
  const QString one = told(host);
  if (planned == nullptr || !planned->host.jobNode) return one;
  std::map<int, QString> nodes;  // of its job, by number
  for (const PlannedHost& each : plan_.hosts) {
    const auto& node = each.host.jobNode;
    if (node && node->cluster == planned->host.jobNode->cluster &&
        node->job == planned->host.jobNode->job)
      nodes[node->number] = each.host.name;
  }
  QStringList names;  // of the nodes that have not been told of one by one
  for (const auto& [number, name] : nodes) {
    if (std::none_of(troubles_.begin(), troubles_.end(),
                     [&](const Trouble& each) { return each.what == told(name); }))
      names << name;
  }
  // Of the other nodes Slurm may say why in other words, also because the run stops by then.
  const QString job =
      planned->host.jobNode->cluster + u'/' + QString::number(planned->host.jobNode->job);
  if (takenJobs_.contains(job)) return {};
  if (!loss.takesJob) return one;
  takenJobs_ << job;
  if (names.size() < 2) return one;
  const qsizetype more = names.size() - mostNamed;
  const QString last = more > 1 ? QStringLiteral("%1 others").arg(more) : names.takeLast();
  return QStringLiteral("The hosts %1 and %2 are lost")
      .arg(names.mid(0, more > 1 ? mostNamed : names.size()).join(QStringLiteral(", ")), last);
}

void Run::noteSpareLost(const QString& host, const QString& why) {
  spares_.noteLost(host, why);
  for (auto& one : processes_) {
    if (!one.spare.isEmpty()) one.spare = spares_.spareOf(one.id);
  }
}

void Run::goOnWithout(const QString& host, const QStringList& needed, const QString& why) {
  const QString what = QStringLiteral("%1 is lost, and %2 is needed").arg(host, needed.back());
  if (!plan_.hasSpares()) {
    stop(what);
    return;
  }
  if (const QString whyNot = spares_.begin(host, needed, why); !whyNot.isEmpty()) {
    stop(what + QStringLiteral(". ") + whyNot);
    return;
  }
  for (const QString& id : needed) {
    auto* one = find(id);
    one->state = State::Lost;
    one->spare = spares_.spareOf(id);
    addLine({QDateTime::currentDateTime(), id, LogLine::Stream::Supervisor, one->description()});
    tellElsewhere(id, "awaited");
    emit processChanged(id);
  }
}

bool Run::isIdleSpare(const QString& host) const {
  const auto* planned = plan_.host(host);
  return planned != nullptr && planned->spare &&
         std::none_of(processes_.begin(), processes_.end(),
                      [&](const auto& one) { return one.host == host && !one.isNode; });
}

void Run::endWhenAllPartsHave() {
  if (isOver()) return;
  if (watches_ && parts_.front()->over && parts_.front()->saidItsEnd) {
    for (auto& part : parts_) part->over = true;
  }
  const auto isHome = [](const auto& part) { return part->agent->host().isEmpty(); };
  const bool othersLeft = std::any_of(
      parts_.begin(), parts_.end(), [&](const auto& part) { return !isHome(part) && !part->over; });
  if (othersLeft) return;
  if (phase_ == Phase::Stopping && homeTimer_.isActive()) stopHome();
  if (std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return !part->over; }))
    return;
  elapsedMs_ = before_ + clock_.elapsed();
  held_.close();
  finish(outcome_ == Outcome::CouldNotStart ? Phase::Failed : Phase::Ended);
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

void Run::finish(Phase phase) {
  setPhase(phase);
  const QPointer<Run> self = this;  // A receiver may delete this object.
  emit finished();
  if (!self) return;
  for (const auto& one : allocations_) one->end();
}

QHash<QString, QString> Run::unreachableHosts() const {
  QHash<QString, QString> result;
  for (const auto& part : parts_) {
    if (part->over && !part->whyUnreachable.isEmpty())
      result[part->agent->host()] = part->whyUnreachable;
  }
  return result;
}

void Run::setPhase(Phase phase) {
  if (phase_ == phase) return;
  phase_ = phase;
  if (isOver()) {
    if (plan_.prepared && plan_.prepared->homePort) plan_.prepared->homePort->release();
  }
  emit phaseChanged(phase);
}

}  // namespace tutti::launcher
