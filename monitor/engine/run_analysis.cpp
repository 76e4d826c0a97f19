// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/run_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "monitor/engine/host_links.h"

namespace tutti::monitor {
namespace {

constexpr double nanosecondsPerSecond = 1e9;
/// Processes are looked at in turns, each about twice a second.
constexpr std::size_t probeTurns = 5;
/// Instance tables are counted in turns, each about once a second, or as many rows a turn as this.
constexpr std::size_t ownedTurns = 10;
constexpr std::uint64_t instancesPerTurn = 40'000;
/// Who is there is asked so often, and more often while a link between hosts is suspect.
constexpr double refreshSeconds = 1.0;
constexpr double suspectRefreshSeconds = 0.25;
/// Links are counted every so many samples.
constexpr std::uint64_t linkTurns = 5;

double secondsBetween(std::int64_t from, std::int64_t to) {
  return static_cast<double>(to - from) / nanosecondsPerSecond;
}

/// A process or machine that began anew counts from 0 again; what went before is no rate.
double grown(double from, double to) { return to >= from ? to - from : 0; }

/// Whether a federate has begun to count anew: it was restored to what it was at a save.
bool countsAnew(const FederateCounters& before, const FederateCounters& now) {
  return now.updatesSent < before.updatesSent ||
         now.reflectionsReceived < before.reflectionsReceived ||
         now.interactionsSent < before.interactionsSent ||
         now.interactionsReceived < before.interactionsReceived ||
         now.timeAdvanceGrants < before.timeAdvanceGrants;
}

QString signalName(int signal) {
  static const std::array<std::pair<int, const char*>, 12> names{{{1, "SIGHUP"},
                                                                  {2, "SIGINT"},
                                                                  {3, "SIGQUIT"},
                                                                  {4, "SIGILL"},
                                                                  {6, "SIGABRT"},
                                                                  {7, "SIGBUS"},
                                                                  {8, "SIGFPE"},
                                                                  {9, "SIGKILL"},
                                                                  {11, "SIGSEGV"},
                                                                  {13, "SIGPIPE"},
                                                                  {15, "SIGTERM"},
                                                                  {24, "SIGXCPU"}}};
  for (const auto& [number, name] : names) {
    if (number == signal) return QString::fromLatin1(name);
  }
  return {};
}

QString causeOf(const std::optional<ProcessEnd>& end) {
  if (!end) return QStringLiteral("connection lost");
  if (end->signal != 0) {
    const QString name = signalName(end->signal);
    const QString signal = QStringLiteral("signal %1").arg(end->signal);
    // The part before the bracket stands where there is little room.
    if (end->killed) return QStringLiteral("killed here (%1, %2)").arg(signal, name);
    return name.isEmpty() ? signal : QStringLiteral("%1 (%2)").arg(signal, name);
  }
  return QStringLiteral("exit code %1").arg(end->exitCode);
}

/// Decimals that show `step` exactly, 0 to 6.
int decimalsFor(double step) {
  for (int decimals = 0; decimals < 6; ++decimals) {
    const double scaled = step * std::pow(10.0, decimals);
    if (std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, scaled)) return decimals;
  }
  return 6;
}

}  // namespace

RunAnalysis::RunAnalysis(std::shared_ptr<SampleSource> source, std::shared_ptr<ProcessProbe> probe)
    : source_(std::move(source)), probe_(std::move(probe)) {
  host_.name = probe_->hostName();
}

RunAnalysis::Tracker& RunAnalysis::trackerFor(const QString& name) {
  Tracker& tracker = trackers_[name];
  if (tracker.order == 0) {
    tracker.order = nextOrder_++;
    tracker.view.name = name;
    tracker.view.host = host_.name;
  }
  return tracker;
}

void RunAnalysis::setRoster(std::vector<RosterEntry> roster) {
  for (auto& [name, tracker] : trackers_) tracker.rostered = false;
  for (RosterEntry& entry : roster) {
    Tracker& tracker = trackerFor(entry.name);
    tracker.rostered = true;
    tracker.view.component = entry.component;
    if (!entry.host.isEmpty()) tracker.view.host = entry.host;
    if (entry.pid != 0 && entry.pid != tracker.view.pid) {
      // Started again: its past is over.
      if (tracker.end) {
        tracker.end.reset();
        tracker.joined = false;
        tracker.view.condition = FederateCondition::Starting;
        std::erase_if(deaths_, [&](const Death& death) { return death.federate == entry.name; });
      }
      tracker.view.pid = entry.pid;
      tracker.cpuAt = 0;
      tracker.processGone = false;
      tracker.processState = '?';
    }
  }
  std::erase_if(trackers_, [](const auto& entry) {
    return !entry.second.rostered && entry.second.view.condition == FederateCondition::Starting;
  });
}

void RunAnalysis::setHosts(const std::vector<RosterHost>& hosts) {
  hosts_.set(hosts, probe_->monotonicNanoseconds());
}

void RunAnalysis::noteSample(const HostSample& sample) {
  samples_.take(sample, probe_->monotonicNanoseconds());
}

void RunAnalysis::noteEnd(const QString& federate, const ProcessEnd& end) {
  trackerFor(federate).end = end;
}

void RunAnalysis::noteNodeEnd() {
  for (auto& [name, tracker] : trackers_) {
    if (tracker.joined ||
        (tracker.leftUnread && tracker.view.condition != FederateCondition::Dead)) {
      part(tracker, FederateCondition::LostRti);
    }
  }
}

void RunAnalysis::dismiss(const QString& federate) {
  const auto found = trackers_.find(federate);
  if (found != trackers_.end()) {
    if (isOver(found->second.view.condition)) trackers_.erase(found);
  }
  std::erase_if(deaths_, [&](const Death& death) { return death.federate == federate; });
}

void RunAnalysis::setDeclarations(std::vector<Declarations> declarations) {
  composed_ = std::move(declarations);
}

std::vector<Declarations> RunAnalysis::declarations() const {
  return declared_.empty() ? composed_ : declared_;
}

std::size_t RunAnalysis::indexInReading(const QString& name) const {
  return readingIndex_.value(name, reading_.federates.size());
}

std::optional<Consequences> RunAnalysis::consequences(const QString& federate) const {
  const std::size_t index = indexInReading(federate);
  const auto tracker = trackers_.find(federate);
  if (index == reading_.federates.size() || tracker == trackers_.end() ||
      reading_.federates[index].membership != Membership::Joined) {
    return std::nullopt;
  }
  std::vector<OwnedInstances> owned = tracker->second.owned;
  for (OwnedInstances& mine : owned) {
    if (mine.total != 0) continue;
    for (const auto& [name, other] : trackers_) {
      if (!other.joined) continue;
      for (const OwnedInstances& theirs : other.owned) {
        if (theirs.className == mine.className) mine.total += theirs.owned;
      }
    }
  }
  return consequencesOf(reading_, index, time_, declarations(), owned);
}

void RunAnalysis::probeProcesses(std::int64_t now) {
  std::size_t index = 0;
  const double ticks = static_cast<double>(probe_->ticksPerSecond());
  for (auto& [name, tracker] : trackers_) {
    if (index++ % probeTurns != nextProbe_ && tracker.cpuAt != 0) continue;
    if (tracker.view.pid <= 0 || tracker.processGone) continue;
    if (isOver(tracker.view.condition)) continue;
    const auto process = probe_->process(tracker.view.pid);
    if (!process || process->state == 'Z' || process->state == 'X') {
      tracker.processGone = true;
      tracker.view.cpuUser = tracker.view.cpuSystem = unknown;
      continue;
    }
    tracker.processState = process->state;
    tracker.view.residentBytes = static_cast<double>(process->residentBytes);
    const double seconds = secondsBetween(tracker.cpuAt, now);
    if (tracker.cpuAt != 0 && seconds > 0) {
      tracker.view.cpuUser = grown(static_cast<double>(tracker.cpu.userTicks),
                                   static_cast<double>(process->userTicks)) /
                             ticks / seconds;
      tracker.view.cpuSystem = grown(static_cast<double>(tracker.cpu.systemTicks),
                                     static_cast<double>(process->systemTicks)) /
                               ticks / seconds;
    }
    tracker.cpu = *process;
    tracker.cpuAt = now;
  }
  nextProbe_ = (nextProbe_ + 1) % probeTurns;
}

void RunAnalysis::takeSamples(std::int64_t now) {
  for (auto& [name, tracker] : trackers_) {
    FederateView& view = tracker.view;
    if (view.host == host_.name || view.pid > 0 || isOver(view.condition)) continue;
    const HostSamples::Process* const process = samples_.process(view.host, name, now);
    const HostSamples::Process figures = process != nullptr ? *process : HostSamples::Process{};
    view.cpuUser = figures.cpuUser;
    view.cpuSystem = figures.cpuSystem;
    view.residentBytes = figures.residentBytes;
    tracker.processState = figures.state;
  }
}

void RunAnalysis::sampleHost(std::int64_t now) {
  const double seconds = secondsBetween(hostAt_, now);
  if (hostAt_ != 0 && seconds < 0.5) return;
  const HostReading reading = probe_->host();
  const auto node = reading_.nodePid > 0 ? probe_->process(reading_.nodePid) : std::nullopt;
  host_.processors = reading.processors;
  host_.memoryTotal = static_cast<double>(reading.memoryTotal);
  host_.memoryUsed = static_cast<double>(reading.memoryTotal - reading.memoryAvailable);
  host_.sharedBytes = static_cast<double>(reading_.committedBytes);
  if (hostAt_ != 0) {
    const double user =
        grown(static_cast<double>(lastHost_.userTicks), static_cast<double>(reading.userTicks));
    const double system =
        grown(static_cast<double>(lastHost_.systemTicks), static_cast<double>(reading.systemTicks));
    const double idle =
        grown(static_cast<double>(lastHost_.idleTicks), static_cast<double>(reading.idleTicks));
    const double all = user + system + idle;
    if (all > 0) {
      host_.cpuUser = user / all;
      host_.cpuSystem = system / all;
    }
    host_.networkPerSecond = grown(static_cast<double>(lastHost_.networkBytes),
                                   static_cast<double>(reading.networkBytes)) /
                             seconds;
    if (node && nodeCpu_.state != '?') {
      host_.nodeCpu = grown(static_cast<double>(nodeCpu_.userTicks + nodeCpu_.systemTicks),
                            static_cast<double>(node->userTicks + node->systemTicks)) /
                      static_cast<double>(probe_->ticksPerSecond()) / seconds;
    }
  }
  nodeCpu_ = node.value_or(ProcessReading{});
  if (!node) host_.nodeCpu = unknown;
  lastHost_ = reading;
  hostAt_ = now;
}

void RunAnalysis::follow(Tracker& tracker, const FederateReading& reading, std::int64_t now) {
  FederateView& view = tracker.view;
  const FederateCounters& counters = reading.counters;
  if (!tracker.joined || view.number != reading.number) {
    // New, or the next one of that name.
    tracker.points.clear();
    tracker.joined = true;
    tracker.lastGrants = counters.timeAdvanceGrants;
    tracker.lastCounters = counters;
    tracker.lastRequest = now;
    tracker.lastActivity = now;
    tracker.end.reset();
    tracker.owned.clear();
    view.usualStepSeconds = unknown;
    std::erase_if(deaths_, [&](const Death& death) { return death.federate == view.name; });
    view.condition = FederateCondition::Running;
  }
  if (countsAnew(tracker.lastCounters, counters)) {
    tracker.points.clear();
    tracker.lastGrants = counters.timeAdvanceGrants;
    tracker.lastCounters = counters;
    tracker.lastRequest = now;
    tracker.lastActivity = now;
  }
  view.number = reading.number;
  if (view.component.isEmpty()) view.component = reading.type;
  if (reading.pid > 0 && view.pid != reading.pid) {
    view.pid = reading.pid;
    tracker.cpuAt = 0;
    tracker.processGone = false;
  }

  const Point point{
      now,
      static_cast<double>(counters.updatesSent + counters.interactionsSent),
      static_cast<double>(counters.reflectionsReceived + counters.interactionsReceived),
      static_cast<double>(counters.timeAdvanceGrants),
      static_cast<double>(counters.bytesSent),
      static_cast<double>(counters.bytesReceived)};
  tracker.points.push_back(point);
  while (tracker.points.size() > 2 &&
         secondsBetween(tracker.points[1].at, now) >= rateSeconds - 1e-6) {
    tracker.points.pop_front();
  }
  const Point& oldest = tracker.points.front();
  const double seconds = secondsBetween(oldest.at, now);
  if (seconds > 0) {
    view.sentPerSecond = (point.sent - oldest.sent) / seconds;
    view.receivedPerSecond = (point.received - oldest.received) / seconds;
    view.grantsPerSecond = (point.grants - oldest.grants) / seconds;
    view.bytesSentPerSecond = (point.bytesSent - oldest.bytesSent) / seconds;
    view.bytesReceivedPerSecond = (point.bytesReceived - oldest.bytesReceived) / seconds;
  }

  const bool moved = counters.updatesSent != tracker.lastCounters.updatesSent ||
                     counters.reflectionsReceived != tracker.lastCounters.reflectionsReceived ||
                     counters.interactionsSent != tracker.lastCounters.interactionsSent ||
                     counters.interactionsReceived != tracker.lastCounters.interactionsReceived ||
                     counters.timeAdvanceGrants != tracker.lastCounters.timeAdvanceGrants;
  if (moved) tracker.lastActivity = now;
  tracker.lastActivity = std::max(
      tracker.lastActivity, std::min(static_cast<std::int64_t>(counters.lastCallNanoseconds), now));
  const std::uint64_t grants = counters.timeAdvanceGrants - tracker.lastGrants;
  if (counters.timeAdvanceGrants != tracker.lastGrants) {
    const double step = secondsBetween(tracker.lastRequest, now) / static_cast<double>(grants);
    view.usualStepSeconds =
        std::isnan(view.usualStepSeconds) ? step : 0.8 * view.usualStepSeconds + 0.2 * step;
    tracker.lastGrants = counters.timeAdvanceGrants;
    tracker.lastRequest = now;
    // It took that one; what is due now is the next.
    tracker.dueSince = tracker.pacedSince = 0;
  } else if (reading.time.advance != TimeReading::Advance::None) {
    tracker.lastRequest = now;
  }
  tracker.lastCounters = counters;

  view.counters = counters;
  view.faults = reading.faults;
  view.time = reading.time;
  view.timeManaged = reading.time.regulating || reading.time.constrained;
  view.queued = counters.receiveOrderQueued + counters.timestampOrderQueued;
  view.secondsSinceActivity = secondsBetween(tracker.lastActivity, now);
  view.secondsSinceRequest = secondsBetween(tracker.lastRequest, now);
}

void RunAnalysis::settle(const FederateReading& reading, std::int64_t now) {
  const auto found = trackers_.find(reading.name);
  if (found == trackers_.end()) return;  // nobody of this run
  Tracker& tracker = found->second;
  FederateView& view = tracker.view;
  // A newer one has its name.
  if (tracker.joined || reading.number < view.number) return;
  const bool unseen = reading.number > view.number;
  view.number = reading.number;
  view.counters = reading.counters;
  view.time = reading.time;
  view.timeManaged = reading.time.regulating || reading.time.constrained;
  if (!unseen) return;
  // It came and went between two samples.
  if (view.component.isEmpty()) view.component = reading.type;
  leave(tracker, reading.membership == Membership::Lost, now);
}

tl::expected<void, QString> RunAnalysis::control(TimeControl control) {
  if (control == TimeControl::Resume) return source_->releaseTime();
  const auto now = source_->read();
  if (!now) return tl::unexpected(now.error());
  const std::optional<double> pause = pauseCeiling(*now);
  if (!pause) {
    return tl::unexpected(
        QStringLiteral("No federate of this run takes part in logical time, so there is nothing to "
                       "hold. Stop the run, or stop a federate."));
  }
  if (control == TimeControl::Pause || !now->held) return source_->holdTime(*pause);
  // Those that still compute have not asked: there is nothing to let through yet.
  const std::optional<double> next = stepCeiling(*now);
  return next ? source_->holdTime(*next) : tl::expected<void, QString>{};
}

bool RunAnalysis::endedBadly(const Tracker& tracker) {
  return tracker.end && (tracker.end->signal != 0 || tracker.end->exitCode != 0);
}

bool RunAnalysis::endWasAsked(const Tracker& tracker) {
  return tracker.end && tracker.end->asked && !tracker.end->killed;
}

void RunAnalysis::leave(Tracker& tracker, bool crashed, std::int64_t now) {
  if (crashed && !endWasAsked(tracker)) {
    bury(tracker, now);
    return;
  }
  part(tracker, FederateCondition::Resigned);
}

void RunAnalysis::part(Tracker& tracker, FederateCondition condition) {
  tracker.joined = false;
  tracker.view.condition = condition;
  tracker.view.waiting = false;
  tracker.view.cpuUser = tracker.view.cpuSystem = unknown;
  tracker.view.sentPerSecond = tracker.view.receivedPerSecond = unknown;
  tracker.view.grantsPerSecond = unknown;
  tracker.view.queued = 0;
}

void RunAnalysis::bury(Tracker& tracker, std::int64_t now) {
  FederateView& view = tracker.view;
  view.condition = FederateCondition::Dead;
  view.diedAtMonotonic = now;
  view.waiting = false;
  view.waitsFor.clear();
  view.cpuUser = view.cpuSystem = view.residentBytes = unknown;
  view.sentPerSecond = view.receivedPerSecond = view.grantsPerSecond = unknown;
  view.bytesSentPerSecond = view.bytesReceivedPerSecond = unknown;
  view.queueFill = unknown;
  view.queued = 0;
  Death death;
  death.federate = view.name;
  death.atMonotonic = now;
  death.at = QDateTime::currentDateTime();
  death.cause = causeOf(tracker.end);
  death.endKnown = tracker.end.has_value();
  // reading_ still is the one before it died.
  if (const auto lost = consequences(view.name)) death.lost = *lost;
  death.lost.federate = view.name;
  deaths_.push_back(std::move(death));
  tracker.joined = false;
}

void RunAnalysis::refreshOwned() {
  // Asking for one federate may walk the instances of all. Few are asked for at a time where there
  // are many, and nobody who has none.
  std::uint64_t instances = 1;
  std::size_t owners = 0;
  for (const auto& [name, tracker] : trackers_) {
    const FederateCounters& counters = tracker.view.counters;
    if (!tracker.joined || counters.instancesRegistered == 0) continue;
    ++owners;
    instances += counters.instancesRegistered -
                 std::min(counters.instancesRegistered, counters.instancesDeleted);
  }
  if (owners == 0) return;
  const std::size_t most = std::max<std::size_t>(
      1, std::min<std::size_t>(owners / ownedTurns + 1,
                               static_cast<std::size_t>(instancesPerTurn / instances)));
  for (std::size_t asked = 0; asked < most; ++asked) {
    auto next = trackers_.upper_bound(nextOwned_);
    for (std::size_t i = 0; i <= trackers_.size(); ++i) {
      if (next == trackers_.end()) next = trackers_.begin();
      if (next->second.joined && next->second.view.counters.instancesRegistered > 0) break;
      ++next;
    }
    if (next == trackers_.end()) return;
    nextOwned_ = next->first;
    next->second.owned = source_->instancesOf(next->second.view.number);
  }
}

void RunAnalysis::decideConditions(Snapshot& snapshot, const TimeAnalysis& time, std::int64_t now) {
  QHash<QString, QString> waitsFor;
  for (const Wait& wait : time.waits) {
    waitsFor[reading_.federates[wait.waiter].name] = reading_.federates[wait.root].name;
  }
  const QHash<QString, double> silent = outOfReach(reading_, snapshot.hostLinks);
  std::vector<const Tracker*> ordered;
  for (auto& [name, tracker] : trackers_) {
    FederateView& view = tracker.view;
    view.detail.clear();
    view.waitsForPace = false;
    if (tracker.joined) {
      const std::size_t index = indexInReading(name);
      view.galt = index < time.galt.size() ? time.galt[index] : std::nullopt;
      const auto wait = waitsFor.constFind(name);
      view.waiting = wait != waitsFor.constEnd();
      view.waitsFor = view.waiting ? *wait : QString();
      const double limit =
          std::max(1.0, std::isnan(view.usualStepSeconds) ? 0.0 : 5 * view.usualStepSeconds);
      const auto holder = std::find_if(time.holders.begin(), time.holders.end(),
                                       [&](const Holder& each) { return each.federate == index; });
      const bool holds = holder != time.holders.end();
      const bool isStopped = tracker.processState == 'T' || tracker.processState == 't';
      const bool paced = !isStopped && index < reading_.federates.size() &&
                         waitsForPace(reading_, reading_.federates[index]);
      if (!paced) {
        tracker.pacedSince = 0;
      } else if (tracker.pacedSince == 0) {
        tracker.pacedSince = now;
      }
      if (!holds || !holder->grantDue || reading_.held || paced) {
        tracker.dueSince = 0;
      } else if (tracker.dueSince == 0) {
        tracker.dueSince = now;
      }
      const double due = tracker.dueSince == 0 ? 0 : secondsBetween(tracker.dueSince, now);
      // One that never advanced, and for whom nobody waits, is merely not there yet.
      const bool owesARequest = view.timeManaged && !reading_.held &&
                                view.time.advance == TimeReading::Advance::None &&
                                (view.counters.timeAdvanceGrants > 0 || holds);
      if (const auto since = silent.constFind(name); since != silent.constEnd()) {
        view.condition = FederateCondition::OutOfReach;
        view.detail = QStringLiteral("no answer %1 s").arg(*since, 0, 'f', 1);
        // What it owes is not known; it counts anew when it is back.
        tracker.lastRequest = now;
        tracker.dueSince = 0;
      } else if (isStopped) {
        view.condition = FederateCondition::Stopped;
        view.detail = QStringLiteral("stopped");
      } else if (owesARequest && view.secondsSinceRequest > limit) {
        view.condition = FederateCondition::Late;
        view.detail = QStringLiteral("late %1 s").arg(view.secondsSinceRequest, 0, 'f', 1);
      } else if (due > limit) {
        view.condition = FederateCondition::Late;
        view.detail = QStringLiteral("late %1 s").arg(due, 0, 'f', 1);
      } else if (reading_.held && view.time.advance != TimeReading::Advance::None &&
                 view.time.requestedTime > reading_.ceiling) {
        view.condition = FederateCondition::Held;
        view.detail = QStringLiteral("asks for %1").arg(view.time.requestedTime, 0, 'f', decimals_);
      } else {
        view.condition = FederateCondition::Running;
        if (view.waiting) view.detail = QStringLiteral("waits for %1").arg(view.waitsFor);
        // What passes within a second is how a pace works.
        view.waitsForPace = paced;
        if (paced && secondsBetween(tracker.pacedSince, now) > 1) {
          view.detail = QStringLiteral("waits for the pace, %1×").arg(reading_.pace);
        }
      }
    } else if (view.condition == FederateCondition::Dead) {
      const double seconds = secondsBetween(view.diedAtMonotonic, now);
      QString cause = causeOf(tracker.end);
      // The supervisor's word may come after the RTI noticed.
      for (Death& death : deaths_) {
        if (death.federate != name) continue;
        death.cause = cause;
        death.endKnown = tracker.end.has_value();
      }
      const qsizetype bracket = cause.indexOf(QStringLiteral(" ("));
      if (bracket > 0) cause.truncate(bracket);
      view.detail = QStringLiteral("%1, %2").arg(
          cause, seconds < 120 ? QStringLiteral("%1 s").arg(std::floor(seconds))
                               : QStringLiteral("%1 min").arg(std::floor(seconds / 60)));
    } else if (view.condition == FederateCondition::Resigned) {
      view.detail = QStringLiteral("resigned");
    } else if (view.condition == FederateCondition::LostRti) {
      view.detail = QStringLiteral("lost the RTI");
    } else {
      view.condition = FederateCondition::Starting;
      view.detail = QStringLiteral("starting");
    }
    ordered.push_back(&tracker);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const Tracker* a, const Tracker* b) { return a->order < b->order; });
  snapshot.federates.reserve(ordered.size());
  for (const Tracker* tracker : ordered) snapshot.federates.push_back(tracker->view);
}

void RunAnalysis::findStanding(Snapshot& snapshot, const TimeAnalysis& time, std::int64_t now) {
  double lowest = unknown;
  double smallestStep = unknown;
  for (const FederateReading& each : reading_.federates) {
    if (each.membership != Membership::Joined) continue;
    if (!each.time.regulating && !each.time.constrained) continue;
    if (std::isnan(lowest) || each.time.logicalTime < lowest) lowest = each.time.logicalTime;
    if (each.time.lookahead > 0 && !(each.time.lookahead >= smallestStep)) {
      smallestStep = each.time.lookahead;
    }
  }
  snapshot.logicalTime = lowest;
  if (std::isnan(lowest)) {
    // Nobody is left: how far they came.
    for (const FederateView& each : snapshot.federates) {
      if (!each.timeManaged || each.number == 0) continue;
      if (!(each.time.logicalTime <= snapshot.logicalTime)) {
        snapshot.logicalTime = each.time.logicalTime;
      }
      if (each.time.lookahead > 0 && !(each.time.lookahead >= smallestStep)) {
        smallestStep = each.time.lookahead;
      }
    }
  }
  if (!std::isnan(smallestStep)) decimals_ = std::max(2, decimalsFor(smallestStep));
  snapshot.timeDecimals = decimals_;

  const bool moved = std::isnan(lowest) || std::isnan(lowestTime_) || lowest != lowestTime_;
  if (moved || reading_.held) {
    if (!std::isnan(lowest) && !std::isnan(lowestTime_) && !reading_.held && timeMovedAt_ != 0) {
      const double step = secondsBetween(timeMovedAt_, now);
      usualTimeStep_ = std::isnan(usualTimeStep_) ? step : 0.8 * usualTimeStep_ + 0.2 * step;
    }
    lowestTime_ = lowest;
    timeMovedAt_ = now;
  }

  // Time goes back when the federation execution is restored.
  if (!pacePoints_.empty() && lowest < pacePoints_.back().second) pacePoints_.clear();
  pacePoints_.emplace_back(now, lowest);
  while (pacePoints_.size() > 2 &&
         secondsBetween(pacePoints_[1].first, now) >= rateSeconds - 1e-6) {
    pacePoints_.pop_front();
  }
  const auto& [since, from] = pacePoints_.front();
  if (now > since && !std::isnan(from) && !std::isnan(lowest)) {
    snapshot.pace = std::max(0.0, lowest - from) / secondsBetween(since, now);
  }

  const double stood = secondsBetween(timeMovedAt_, now);
  const double limit = std::max(1.0, std::isnan(usualTimeStep_) ? 0.0 : 5 * usualTimeStep_);
  if (reading_.held || time.holders.empty() || stood <= limit) return;
  // For an instant a grant is due before each is taken: only who leaves it for long holds time.
  const auto found =
      std::find_if(time.holders.begin(), time.holders.end(), [&](const Holder& each) {
        const auto tracker = trackers_.find(reading_.federates[each.federate].name);
        // The suspect link is the cause, and says so.
        if (tracker != trackers_.end() &&
            tracker->second.view.condition == FederateCondition::OutOfReach) {
          return false;
        }
        if (!each.grantDue) return true;
        return tracker != trackers_.end() && tracker->second.dueSince != 0 &&
               secondsBetween(tracker->second.dueSince, now) > limit;
      });
  if (found == time.holders.end()) return;
  const Holder& holder = *found;
  const FederateReading& federate = reading_.federates[holder.federate];
  TimeStanding standing;
  standing.holder = federate.name;
  standing.grantDue = holder.grantDue;
  if (const FederateView* view = snapshot.find(federate.name)) standing.condition = view->condition;
  standing.at = lowest;
  standing.seconds = stood;
  standing.lookahead = federate.time.lookahead;
  standing.bound = holder.bound.time;
  for (const std::size_t waiter : holder.waiters)
    standing.waiters << reading_.federates[waiter].name;
  snapshot.standing = standing;
}

void RunAnalysis::updateLinks(Snapshot& snapshot, std::int64_t now) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(snapshot.federates.size());
  for (const FederateView& each : snapshot.federates) numbers.push_back(each.number);
  // There may be as many links as pairs of federates: they are counted twice a second only.
  if (sequence_ % linkTurns == 1 || numbers != linkNumbers_) {
    QHash<std::uint32_t, std::size_t> place;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != 0) place[numbers[i]] = i;
    }
    std::vector<double> fill(numbers.size(), unknown);
    links_.clear();
    for (const FlowReading& reading : reading_.flows) {
      Flow& flow = flows_[std::uint64_t{reading.sender} << 32 | reading.receiver];
      flow.seen = sequence_;
      const auto& newest = flow.ring[(flow.next + Flow::points - 1) % Flow::points];
      if (flow.used > 0 && reading.messages < newest.second) flow = {.seen = sequence_};
      flow.ring[flow.next] = {now, reading.messages};
      flow.next = (flow.next + 1) % Flow::points;
      flow.used = std::min(flow.used + 1, Flow::points);
      const auto sender = place.constFind(reading.sender);
      const auto receiver = place.constFind(reading.receiver);
      if (sender == place.constEnd() || receiver == place.constEnd()) continue;
      LinkView link;
      link.sender = *sender;
      link.receiver = *receiver;
      const auto& oldest = flow.ring[flow.used < Flow::points ? 0 : flow.next];
      const double seconds = secondsBetween(oldest.first, now);
      if (seconds > 0) {
        link.perSecond =
            grown(static_cast<double>(oldest.second), static_cast<double>(reading.messages)) /
            seconds;
      }
      if (reading.capacityBytes > 0) {
        link.fill =
            static_cast<double>(reading.queuedBytes) / static_cast<double>(reading.capacityBytes);
        if (!(fill[link.receiver] >= link.fill)) fill[link.receiver] = link.fill;
      }
      links_.push_back(link);
    }
    fills_.clear();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::isnan(fill[i])) fills_.emplace_back(static_cast<std::uint32_t>(i), fill[i]);
    }
    linkNumbers_ = std::move(numbers);
    if (flows_.size() > 2 * reading_.flows.size() + 64) {
      std::erase_if(flows_, [&](const auto& entry) { return entry.second.seen != sequence_; });
    }
  }
  for (const auto& [index, fill] : fills_) {
    FederateView& into = snapshot.federates[index];
    if (into.condition != FederateCondition::Dead) into.queueFill = fill;
  }
  snapshot.links = links_;
}

Snapshot RunAnalysis::step() {
  const std::int64_t now = probe_->monotonicNanoseconds();
  Snapshot snapshot;
  snapshot.monotonicNanoseconds = now;
  snapshot.sequence = ++sequence_;
  // Until the node is there it is looked for at every sample: the run may be over in less than a
  // second.
  const double pause = linksSuspect_ ? suspectRefreshSeconds : refreshSeconds;
  if (refreshedAt_ == 0 || secondsBetween(refreshedAt_, now) >= pause || unread_) {
    source_->refresh();
    refreshedAt_ = now;
    declaredAt_ = 0;
  }

  auto read = source_->read();
  unread_ = !read;
  if (!read) {
    snapshot.problem = read.error();
    // Where the RTI can no longer tell, the end of its process does.
    for (auto& [name, tracker] : trackers_) {
      if (!tracker.joined || !tracker.end) continue;
      leave(tracker, endedBadly(tracker), now);
      tracker.leftUnread = true;
    }
  } else {
    // Deaths first, while reading_ is still what it was before.
    std::vector<QString> resigned;
    for (auto& [name, tracker] : trackers_) {
      if (!tracker.joined) continue;
      const FederateReading* found = nullptr;
      for (const FederateReading& each : read->federates) {
        if (each.number == tracker.view.number) found = &each;
      }
      const bool left = found == nullptr || found->membership != Membership::Joined;
      if (!left) continue;
      const bool crashed =
          found != nullptr ? found->membership == Membership::Lost : endedBadly(tracker);
      leave(tracker, crashed, now);
    }
    reading_ = std::move(*read);
    readingIndex_.clear();
    for (std::size_t i = 0; i < reading_.federates.size(); ++i) {
      const FederateReading& each = reading_.federates[i];
      // Those that left may bear the name of one that joined again.
      if (each.membership == Membership::Joined || !readingIndex_.contains(each.name)) {
        readingIndex_[each.name] = i;
      }
      if (each.membership == Membership::Joined) {
        follow(trackerFor(each.name), each, now);
      } else if (each.known) {
        settle(each, now);
      }
    }
    time_ = analyseTime(reading_.federates);
    // Behind the reading: it knows the names.
    if (declaredAt_ == 0) {
      declared_ = source_->declarations();
      declaredAt_ = now;
    }
  }
  // A process that ended before it ever joined.
  for (auto& [name, tracker] : trackers_) {
    if (!tracker.joined && tracker.end && tracker.view.condition == FederateCondition::Starting) {
      if (endedBadly(tracker) && !endWasAsked(tracker)) {
        bury(tracker, now);
      } else {
        tracker.view.condition = FederateCondition::Resigned;
      }
    }
  }
  if (reading_.monotonicNanoseconds != 0) {
    snapshot.ageSeconds = std::max(0.0, secondsBetween(reading_.monotonicNanoseconds, now));
  }
  probeProcesses(now);
  takeSamples(now);
  sampleHost(now);
  refreshOwned();

  if (historyAt_ == 0 || secondsBetween(historyAt_, now) >= History::secondsPerValue - 0.01) {
    for (auto& [name, tracker] : trackers_) {
      FederateView& view = tracker.view;
      const bool fresh = tracker.joined && snapshot.problem.isEmpty() && !tracker.points.empty();
      if (!fresh) {
        view.cpu.push(unknown);
        view.sent.push(unknown);
        view.received.push(unknown);
        continue;
      }
      // The same means as the figures beside the lines: single seconds of a federate that sends
      // once in two would be nothing but ups and downs.
      view.cpu.push(view.cpuUser + view.cpuSystem);
      view.sent.push(view.sentPerSecond);
      view.received.push(view.receivedPerSecond);
    }
    historyAt_ = now;
  }

  snapshot.federation = reading_.federation;
  snapshot.held = reading_.held;
  snapshot.wantedPace = reading_.pace;
  if (reading_.held) snapshot.ceiling = reading_.ceiling;
  snapshot.host = host_;
  if (snapshot.problem.isEmpty()) {
    snapshot.hostLinks = hostLinksOf(reading_, time_, now);
    snapshot.neighbourLinks = neighbourLinksOf(reading_, now);
    linkRates_.look(reading_, snapshot.hostLinks, snapshot.neighbourLinks, now);
  }
  snapshot.otherHosts = hosts_.look(snapshot.hostLinks, samples_, now);
  linksSuspect_ = std::any_of(snapshot.hostLinks.begin(), snapshot.hostLinks.end(),
                              [](const HostLinkView& link) { return link.suspect; });
  decideConditions(snapshot, time_, now);
  updateLinks(snapshot, now);
  if (snapshot.problem.isEmpty()) findStanding(snapshot, time_, now);
  double updates = unknown;
  for (const FederateView& each : snapshot.federates) {
    if (std::isnan(each.sentPerSecond)) continue;
    updates = std::isnan(updates) ? each.sentPerSecond : updates + each.sentPerSecond;
  }
  snapshot.updatesPerSecond = updates;
  snapshot.deaths = deaths_;
  return snapshot;
}

}  // namespace tutti::monitor
