// SPDX-License-Identifier: Apache-2.0
// Up to where federates are granted: a hold (pause, step), and the stop time of the run.
#include <algorithm>
#include <bit>
#include <cmath>

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

bool FederationExecution::isLater(std::uint64_t a, std::uint64_t b) const {
  return timeImplementation_ == "HLAinteger64Time"
             ? std::bit_cast<std::int64_t>(a) > std::bit_cast<std::int64_t>(b)
             : std::bit_cast<double>(a) > std::bit_cast<double>(b);
}

void FederationExecution::limitTime(double limit) {
  if (timeImplementation_ == "HLAinteger64Time") {
    constexpr double most = 9.2e18;
    limit_ = std::bit_cast<std::uint64_t>(
        static_cast<std::int64_t>(std::floor(std::clamp(limit, -most, most))));
  } else if (timeImplementation_ == "HLAfloat64Time") {
    limit_ = std::bit_cast<std::uint64_t>(limit);
  } else {
    return;  // only its federates know the order of its times
  }
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
  header.ceilingActive.store((hold_ ? ceilingOf::hold : 0) | (limit_ ? ceilingOf::stopTime : 0),
                             std::memory_order_seq_cst);
  tellTimeWaiters();
}

bool FederationExecution::isAtTimeLimit() const {
  if (!limit_) return false;
  bool any = false;
  for (const auto& [federate, member] : members_) {
    const FederateBlock& block = blockOf(member);
    const auto standing = standingOf(block.time);
    if (!standing) return false;
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
