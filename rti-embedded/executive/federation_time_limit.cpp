// SPDX-License-Identifier: Apache-2.0
// Up to where federates are granted: a hold (pause, step), and the stop time of the run.
#include <bit>

#include "executive/federation_execution.h"

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
  const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
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

}  // namespace

bool FederationExecution::hasOwnTimes() const {
  return timeImplementation_ != "HLAinteger64Time" && timeImplementation_ != "HLAfloat64Time";
}

bool FederationExecution::isLater(std::uint64_t a, std::uint64_t b) const {
  return timeImplementation_ == "HLAinteger64Time"
             ? std::bit_cast<std::int64_t>(a) > std::bit_cast<std::int64_t>(b)
             : std::bit_cast<double>(a) > std::bit_cast<double>(b);
}

void FederationExecution::limitTime(double limit) {
  limit_ = timeImplementation_ == "HLAinteger64Time" ? integerTimeAt(limit)
                                                     : std::bit_cast<std::uint64_t>(limit);
  placeCeiling();
}

void FederationExecution::holdTime(std::uint64_t ceiling) {
  hold_ = ceiling;
  placeCeiling();
}

void FederationExecution::releaseTime() {
  hold_.reset();
  placeCeiling();
}

void FederationExecution::placeCeiling() {
  ArenaHeader& header = arena_->header();
  if (hold_ || limit_) {
    const std::uint64_t ceiling = !limit_                              ? *hold_
                                  : !hold_ || isLater(*hold_, *limit_) ? *limit_
                                                                       : *hold_;
    // The ceiling first: whoever finds it active finds it whole.
    header.ceiling.store(ceiling, std::memory_order_release);
  }
  std::uint32_t active = (hold_ ? ceilingOf::hold : 0) | (limit_ ? ceilingOf::stopTime : 0);
  if (active != 0 && hasOwnTimes()) active |= ceilingOf::inOwnTimes;
  header.ceilingActive.store(active, std::memory_order_seq_cst);
  tellTimeWaiters();
}

bool FederationExecution::isAtTimeLimit() const {
  if (!limit_) return false;
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
