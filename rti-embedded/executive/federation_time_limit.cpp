// SPDX-License-Identifier: Apache-2.0
// Up to where federates are granted: a hold (pause, step), a pace, and the stop time of the run.
#include <algorithm>
#include <bit>
#include <cmath>

#include "executive/federation_execution.h"
#include "fabric/futex.h"

namespace tutti::executive {

using namespace fabric;

namespace {

/// The state of a time slot whose writer may be at work; nothing while it is.
struct Standing {
  std::uint32_t flags = 0;
  TimeAdvance advance = TimeAdvance::None;
  std::uint64_t logical = 0, requested = 0, leastStamp = 0, galt = 0;
};

std::optional<Standing> standingOf(const TimeSlot& slot) {
  // Behind the store of the ceiling in one order of all: see Federate::ceiling().
  const std::uint64_t sequence = slot.sequence.load(std::memory_order_seq_cst);
  const TimeState& state = slot.states[sequence & 1];
  Standing standing;
  standing.flags = state.flags.load(std::memory_order_acquire);
  standing.advance = static_cast<TimeAdvance>(state.advance.load(std::memory_order_acquire));
  standing.logical = state.logicalTime.load(std::memory_order_acquire);
  standing.requested = state.requestedTime.load(std::memory_order_acquire);
  standing.leastStamp = state.leastStamp.load(std::memory_order_acquire);
  standing.galt = state.galt.load(std::memory_order_acquire);
  if (slot.sequence.load(std::memory_order_acquire) != sequence) return std::nullopt;
  return standing;
}

/// The time as a double, of an integer time no less than it.
double numberOf(std::uint64_t time, bool integer) {
  if (!integer) return std::bit_cast<double>(time);
  const auto whole = std::bit_cast<std::int64_t>(time);
  const auto number = static_cast<double>(whole);
  // Where a double is coarser than the integer, the next one: a ceiling there lets the time pass.
  constexpr double exact = 9007199254740992.0;
  return std::abs(number) < exact || number > 9.2e18 || static_cast<std::int64_t>(number) >= whole
             ? number
             : std::nextafter(number, HUGE_VAL);
}

/// The time that its federate is granted when nothing keeps it back.
double targetOf(const Standing& standing, bool integer) {
  const bool flushes = standing.advance == TimeAdvance::FlushQueueRequest;
  const bool mayBeEarly = flushes || standing.advance == TimeAdvance::NextMessageRequest ||
                          standing.advance == TimeAdvance::NextMessageRequestAvailable;
  double target = numberOf(standing.requested, integer);
  if (mayBeEarly && (standing.flags & timeFlag::queueHasStamp) != 0) {
    target = std::min(target, numberOf(standing.leastStamp, integer));
  }
  return target;
}

}  // namespace

bool FederationExecution::hasOwnTimes() const {
  return timeImplementation_ != "HLAinteger64Time" && timeImplementation_ != "HLAfloat64Time";
}

bool FederationExecution::isLater(std::uint64_t a, std::uint64_t b) const {
  return timeImplementation_ == "HLAinteger64Time"
             ? std::bit_cast<std::int64_t>(a) > std::bit_cast<std::int64_t>(b)
             : std::bit_cast<double>(a) > std::bit_cast<double>(b);
}

std::uint64_t FederationExecution::timeAt(double time) const {
  return timeImplementation_ == "HLAinteger64Time" ? integerTimeAt(time)
                                                   : std::bit_cast<std::uint64_t>(time);
}

void FederationExecution::limitTime(double limit) {
  limit_ = timeAt(limit);
  placeCeiling();
}

void FederationExecution::holdTime(std::uint64_t ceiling, Pace::Clock::time_point now) {
  hold_ = ceiling;
  if (pace_) pace_->suspend(now);
  placeCeiling();
}

void FederationExecution::releaseTime(Pace::Clock::time_point now) {
  hold_.reset();
  if (pace_) pace_->resume(now);
  placeCeiling();
}

void FederationExecution::keepPace(double perSecond, Pace::Clock::time_point now) {
  if (!(perSecond > 0)) {
    pace_.reset();
  } else if (pace_) {
    pace_->change(perSecond, now);
  } else {
    pace_.emplace(perSecond);
    if (hold_) pace_->suspend(now);
    // They are somewhere already: from there on, without a stop until the next look.
    if (!hold_) pace_->look(standingForPace(), now);
  }
  arena_->header().pace.store(std::bit_cast<std::uint64_t>(pace()), std::memory_order_relaxed);
  placeCeiling();
}

Pace::Standing FederationExecution::standingForPace() const {
  Pace::Standing result;
  const bool integerTimes = timeImplementation_ == "HLAinteger64Time";
  const double ceiling = pace_->ceiling();
  const double limit = limit_ ? numberOf(*limit_, integerTimes) : HUGE_VAL;
  // The greatest time of all, of those that have begun, and of those among them that regulate: what
  // they let the others do has to last.
  std::optional<double> all, begun, regulating;
  const auto greatest = [](std::optional<double>& of, double time) {
    of = std::max(of.value_or(time), time);
  };
  for (const auto& [federate, member] : members_) {
    const FederateBlock& block = blockOf(member);
    std::optional<Standing> standing = standingOf(block.time);
    // One that advances without a pause may do so within each reading.
    for (int again = 0; !standing && again < 8; ++again) standing = standingOf(block.time);
    if (!standing) {
      result.whole = false;
      continue;
    }
    const bool hasBegun = standing->advance != TimeAdvance::None ||
                          block.counters.timeAdvanceGrants.load(std::memory_order_relaxed) != 0;
    const bool takesPart = (standing->flags & (timeFlag::regulating | timeFlag::constrained)) != 0;
    if (!takesPart && !hasBegun) continue;
    const bool integer = integerTimes || (standing->flags & timeFlag::integerTime) != 0;
    const double logical = numberOf(standing->logical, integer);
    // What a federate writes may be anything.
    if (!std::isfinite(logical)) continue;
    greatest(all, logical);
    if (!hasBegun) continue;
    greatest(begun, logical);
    if ((standing->flags & timeFlag::regulating) != 0) greatest(regulating, logical);
    if (standing->advance == TimeAdvance::None) continue;

    const bool bounded = (standing->flags & timeFlag::constrained) != 0 &&
                         (standing->flags & timeFlag::galtValid) != 0;
    const double galt = bounded ? numberOf(standing->galt, integer) : HUGE_VAL;
    double target = targetOf(*standing, integer);
    if (standing->advance == TimeAdvance::FlushQueueRequest) target = std::min(target, galt);
    // Beyond the stop time nobody is granted; up to it, what is due.
    target = std::max(std::min(target, limit), logical);
    // What it waits for is only the ceiling: its GALT is as it was when it last met that.
    if (target > ceiling && galt >= target) result.targets.push_back(target);
  }
  result.any = all.has_value();
  result.begun = begun.has_value();
  result.foremost = regulating.value_or(begun.value_or(all.value_or(0)));
  return result;
}

FederationExecution::PaceLook FederationExecution::followPace(Pace::Clock::time_point now) {
  if (!pace_ || pace_->isSuspended()) return {};
  const auto next = pace_->look(standingForPace(), now);
  const std::atomic<std::uint64_t>& ceiling = arena_->header().ceiling;
  const std::uint64_t before = ceiling.load(std::memory_order_relaxed);
  if (setCeiling()) {
    tellTimeWaiters();
    return {next, true};
  }
  const std::uint64_t after = ceiling.load(std::memory_order_relaxed);
  if (after != before) tellTimeWaiters(before, after);
  return {next, after != before};
}

void FederationExecution::tellTimeWaiters(std::uint64_t from, std::uint64_t to) const {
  const bool integerTimes = timeImplementation_ == "HLAinteger64Time";
  for (const auto& [federate, member] : members_) {
    FederateBlock& block = blockOf(member);
    if (block.waitsForTime.load(std::memory_order_seq_cst) == 0) continue;
    if (const auto standing = standingOf(block.time)) {
      const bool integer = integerTimes || (standing->flags & timeFlag::integerTime) != 0;
      const double target = targetOf(*standing, integer);
      // A flush may be granted at any time before what it asks for.
      const bool waits =
          standing->advance == TimeAdvance::FlushQueueRequest ||
          (standing->advance != TimeAdvance::None && target > numberOf(from, integerTimes) &&
           target <= numberOf(to, integerTimes));
      if (!waits) continue;
    }
    ringDoorbell(block);
  }
}

bool FederationExecution::setCeiling() {
  ArenaHeader& header = arena_->header();
  std::uint32_t active = 0;
  std::optional<std::uint64_t> least;
  const auto add = [&](const std::optional<std::uint64_t>& one, std::uint32_t whose) {
    if (!one) return;
    active |= whose;
    if (!least || isLater(*least, *one)) least = one;
  };
  add(hold_, ceilingOf::hold);
  add(limit_, ceilingOf::stopTime);
  // A step leads as far as somebody asks for, at once.
  if (pace_ && !hold_) add(timeAt(pace_->ceiling()), ceilingOf::pace);
  if (active != 0 && hasOwnTimes()) active |= ceilingOf::inOwnTimes;
  // The ceiling first: whoever finds it active finds it whole.
  if (least) header.ceiling.store(*least, std::memory_order_release);
  const bool others = header.ceilingActive.load(std::memory_order_relaxed) != active;
  header.ceilingActive.store(active, std::memory_order_seq_cst);
  return others;
}

void FederationExecution::placeCeiling() {
  setCeiling();
  tellTimeWaiters();
}

bool FederationExecution::isAtTimeLimit() const {
  if (!limit_) return false;
  // Those that ask for a time beyond it wait until it is due.
  if (pace_ && !hold_ && isLater(*limit_, timeAt(pace_->ceiling()))) return false;
  bool any = false;
  for (const auto& [federate, member] : members_) {
    const FederateBlock& block = blockOf(member);
    auto standing = standingOf(block.time);
    if (!standing) return false;
    if (hasOwnTimes() && (standing->flags & timeFlag::integerTime) != 0) {
      for (auto* time :
           {&standing->logical, &standing->requested, &standing->leastStamp, &standing->galt}) {
        *time =
            std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<std::int64_t>(*time)));
      }
    }
    const auto [flags, advance, logical, requested, leastStamp, galt] = *standing;
    const bool takesPart = (flags & (timeFlag::regulating | timeFlag::constrained)) != 0 ||
                           advance != TimeAdvance::None ||
                           block.counters.timeAdvanceGrants.load(std::memory_order_relaxed) != 0;
    if (!takesPart) continue;
    any = true;
    if (!isLater(*limit_, logical)) continue;
    // A flush is granted whatever was asked for: only where it has come to counts.
    if (advance == TimeAdvance::None || advance == TimeAdvance::FlushQueueRequest) return false;
    const bool next = advance == TimeAdvance::NextMessageRequest ||
                      advance == TimeAdvance::NextMessageRequestAvailable;
    if (!isLater(requested, *limit_)) return false;
    if (next && (flags & timeFlag::queueHasStamp) != 0 && !isLater(leastStamp, *limit_)) {
      return false;
    }
    // As long as the others may send something earlier, that may still come.
    if ((flags & timeFlag::galtValid) != 0 && !isLater(galt, *limit_)) return false;
  }
  return any;
}

}  // namespace tutti::executive
