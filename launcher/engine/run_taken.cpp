// SPDX-License-Identifier: GPL-3.0-or-later
// A run that was there before: it is taken over, or watched, on this machine or through a link to
// another.
#include <sys/file.h>

#include <algorithm>
#include <map>
#include <utility>

#include "launcher/engine/host_supervisor.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/run.h"
#include "launcher/engine/supervisor/run_socket.h"

namespace tutti::launcher {

namespace {

using State = ProcessStatus::State;

constexpr int longestSearchMs = 60000;  ///< for the connection to a supervisor that goes on
constexpr int searchPauseMs = 1000;
/// Then what is only watched is told not to be seen, and is sought more seldom: it may go on for
/// as long as the line is cut.
constexpr int longestSeenMs = 15000;
constexpr int unseenPauseMs = 5000;
/// Within which the supervisors of all hosts of a run have been started.
constexpr int startMs = 30000;

}  // namespace

void Run::attach(bool kept) {
  staysKept_ = kept;
  takePart(true);
}

void Run::watch(bool begins) {
  begins_ = begins;
  takePart(false);
}

void Run::watchThrough(std::shared_ptr<RelayLink> link) {
  link_ = std::move(link);
  begins_ = true;
  connect(link_.get(), &RelayLink::reopened, this, [this] {
    for (auto& part : parts_) {
      // One whose end was told is sought again by itself.
      if (!part->over && part->agent->isConnected())
        part->agent->send(
            {{"do", "attach"}, {"after", part->lastNumber}, {"state", !part->stated}});
    }
  });
  takePart(false);
}

void Run::takePart(bool own) {
  if (phase_ != Phase::NotStarted) return;
  watches_ = !own;
  setPhase(Phase::Preflight);
  clock_.start();
  if (!joinedSource_) joinedSource_ = joinedAtNode(plan_.designator(), plan_.federation);
  QStringList names{QString()};
  for (const auto& one : plan_.hosts) names << one.host.name;
  for (const QString& name : names) addPart(name).plan = plan_.planOf(name);
  for (auto& part : parts_) {
    if (!isOver()) reach(*part);
  }
}

void Run::reach(Part& part) {
  const auto* host = plan_.host(part.agent->host());
  if (link_) {
    part.agent->attachThrough(*link_);
  } else if (host == nullptr) {
    part.agent->attach(QString::fromStdString(runSocketName(plan_.run.toStdString())));
  } else {
    part.agent->attachOn(host->host, attachCommand(*host, plan_.run), silenceHere(plan_));
  }
  if (part.over) return;
  part.attached = false;
  part.agent->send(
      {{"do", "attach"}, {"own", !watches_}, {"after", part.lastNumber}, {"state", !part.stated}});
}

bool Run::seeksAgain(Part& part, const Agent::Loss& loss) {
  if (part.saidItsEnd || heldByAnother_ || isOver()) return false;
  // Who watches a run that has just begun is there before the supervisors of other hosts.
  const bool mayCome = begins_ && part.pid == 0 && part.gone && !part.agent->host().isEmpty() &&
                       before_ + clock_.elapsed() < startMs;
  if (!mayCome && (part.gone || part.pid == 0 || !(part.kept || watches_))) return false;
  if (link_ && link_->state() == RelayLink::State::Over) return false;
  if (part.agent->host().isEmpty() && !watches_) return false;
  if (!part.lostSince.isValid()) part.lostSince.start();
  const bool mayGoOn = watches_ && part.pid != 0 && !part.agent->host().isEmpty();
  if (!mayGoOn && part.lostSince.elapsed() > longestSearchMs + qint64(1000 * plan_.longestWait))
    return false;
  part.over = part.gone = false;
  setHostState(part.agent->host(), HostStatus::State::Unreachable);
  if (mayGoOn && part.lostSince.elapsed() > longestSeenMs) setUnseen(part, true, loss);
  const int pauseMs = part.unseen ? unseenPauseMs : searchPauseMs;
  QTimer::singleShot(pauseMs, this, [this, &part, host = part.agent->host()] {
    if (isOver()) return;
    part.agent = std::make_unique<Agent>(host);
    listenTo(part);
    reach(part);
  });
  return true;
}

void Run::setUnseen(Part& part, bool unseen, const Agent::Loss& why) {
  if (std::exchange(part.unseen, unseen) == unseen) return;
  const QString name = part.agent->host();
  const QDateTime seen = unseen ? part.heard : QDateTime();
  for (auto& one : processes_) {
    const bool mayHaveEnded = one.alive() || one.restartAt || one.state == State::Waiting;
    if (one.host != name || one.unseen == unseen || (unseen && !mayHaveEnded)) continue;
    one.unseen = unseen;
    one.seen = seen;
    emit processChanged(one.id);
  }
  for (auto& one : hosts_) {
    if (one.name != name) continue;
    one.unseen = unseen;
    one.seen = seen;
    one.whyUnseen = why.why;
    emit hostChanged(name);
  }
  if (!unseen) return;
  noteTaken();
  reviewPhase();
}

void Run::hostUnseen(const Part& part, const Agent::Loss& loss) {
  const QString host = part.agent->host();
  for (auto& one : hosts_) one.unseen |= one.name == host;
  setHostState(host, HostStatus::State::Unreachable);
  addTrouble({{},
              QStringLiteral("What runs on %1 cannot be watched").arg(host),
              host,
              loss.why,
              loss.next});
  for (auto& one : processes_) {
    if (one.host != host || one.state != State::Waiting) continue;
    one.unseen = true;
    emit processChanged(one.id);
  }
  noteTaken();
  reviewPhase();
  endWhenAllPartsHave();
}

void Run::handleAttached(Part& part, const QJsonObject& event) {
  part.attached = part.stated = true;
  part.lostSince.invalidate();
  setUnseen(part, false);
  // The state, which has just been told, is that of before this event: those that it covers come
  // again to who asks for what followed the last line.
  part.lastNumber = std::max(part.lastNumber, event["next"].toInteger() - 1);
  setHostState(part.agent->host(), HostStatus::State::Up);
  if (phase_ == Phase::Stopping) {
    // What it was told when it was out of reach it has not heard.
    if (!watches_) part.agent->send({{"do", "stop"}, {"grace_s", graceSeconds()}});
    return;
  }
  if (!watches_) {
    keepPart(part, staysKept_ || part.kept);
    for (const auto& one : processes_) tellElsewhere(one.id, prospectOf(one));
  }
  if (phase_ != Phase::Preflight) return;
  if (part.agent->host().isEmpty()) {
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    before_ = now - std::clamp<qint64>(event["started_ms"].toInteger(now), 0, now);
    held_.setFileName(plan_.planFile());
    if (!link_ && held_.open(QIODevice::ReadOnly)) ::flock(held_.handle(), LOCK_SH | LOCK_NB);
  }
  noteTaken();
}

void Run::handleMissed(Part& part, const QJsonObject& event) {
  const qint64 from = std::max<qint64>(1, event["from"].toInteger());
  const qint64 to = event["to"].toInteger();
  if (to < from) return;
  // Over the next connection they are not missed again.
  part.lastNumber = std::max(part.lastNumber, to);
  emit eventsMissed(part.agent->host(), to - from + 1);
}

bool Run::isFlooded(const QString& kind) {
  // Each is shown and kept, and the other machine may be anybody's.
  constexpr int mostErrors = 2000;
  constexpr std::size_t mostChanges = 20000;
  if (!link_ || errors_ > mostErrors) return link_ != nullptr;
  if (kind == QStringLiteral("error")) ++errors_;
  if (changes_.size() > mostChanges) errors_ = mostErrors + 1;
  if (errors_ <= mostErrors) return false;
  // From the loop: this comes from a channel that goes.
  QMetaObject::invokeMethod(
      this,
      [this] {
        link_->close({link_->host().name,
                      QStringLiteral("it tells of more errors or changes than a run can have"),
                      QStringLiteral("See what the run's supervisors do there.")});
      },
      Qt::QueuedConnection);
  return true;
}

Agent::Loss Run::whyEnded(const Part& part, const Agent::Loss& loss) {
  if (part.refusal.isEmpty()) return loss;
  return {loss.where, part.refusal,
          QStringLiteral("End others that watch it: consoles, and tutti attach.")};
}

/// All supervisors have told what there is, or will not tell it any more.
void Run::noteTaken() {
  if (phase_ != Phase::Preflight ||
      !std::all_of(parts_.begin(), parts_.end(),
                   [](const auto& each) { return each->attached || each->over || each->unseen; }))
    return;
  setPhase(Phase::Starting);
  // Until now one that has moved from a host could be taken for one that was lost with it.
  std::map<QString, QStringList> needed;  // by host
  QString why;
  for (const auto& one : processes_) {
    const bool isLost = one.state == State::Lost || one.state == State::NotStarted;
    if (watches_ || one.isNode || !isLost || !one.required || one.endAsked) continue;
    for (const auto& host : hosts_) {
      if (host.name != one.host || host.state != HostStatus::State::Lost) continue;
      needed[host.name] << one.id;
      why = one.detail;
    }
  }
  for (const auto& [host, those] : needed) {
    if (phase_ == Phase::Starting) goOnWithout(host, those, why);
  }
  reviewPhase();
}

}  // namespace tutti::launcher
