// SPDX-License-Identifier: Apache-2.0
// Time management: on one host it costs no message, only looks at the others' time slots.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/federate.h"
#include "core/records.h"
#include "fabric/futex.h"
#include "fabric/inbound_rings.h"

namespace tutti::core {
namespace {

using fabric::TimeAdvance;
namespace flag = fabric::timeFlag;

/// TAR and NMR: nothing of the granted time can come after the grant.
bool isStrict(TimeAdvance advance) {
  return advance == TimeAdvance::TimeAdvanceRequest || advance == TimeAdvance::NextMessageRequest;
}

/// How often a flush of the queue looks for a better bound than the one that is always true.
constexpr unsigned flushLooks = 8;
/// Among so few others a federate that polls looks at their slots by itself; else, and before it
/// sleeps, it asks for their doorbell.
constexpr std::size_t fewOthers = WatchedSlots::most;

}  // namespace

// --- slots ---------------------------------------------------------------------------------------

void Federate::publishTime() {
  fabric::TimeSlot& slot = block_->time;
  const std::uint64_t sequence = slot_.sequence;
  fabric::TimeState& state = slot.states[(sequence + 1) & 1];
  std::uint32_t flags = 0;
  if (time_.regulating) flags |= flag::regulating;
  if (time_.constrained) flags |= flag::constrained;
  if (time_.regulationPending) flags |= flag::regulationPending;
  if (time_.constrainedPending) flags |= flag::constrainedPending;
  if (time_.kind.integer) flags |= flag::integerTime;
  if (!timestamped_.empty()) flags |= flag::queueHasStamp;
  if (time_.exclusive) flags |= flag::exclusive;
  if (!time_.galt.isNone()) flags |= flag::galtValid;
  if (time_.strict) flags |= flag::strict;
  if (time_.floor != TimeBound{}) flags |= flag::hasFloor;
  constexpr auto relaxed = std::memory_order_relaxed;
  state.flags.store(flags, relaxed);
  state.advance.store(static_cast<std::uint32_t>(time_.advance), relaxed);
  state.logicalTime.store(time_.regulationPending ? time_.regulationFrom : time_.logical, relaxed);
  state.requestedTime.store(time_.requested, relaxed);
  state.lookahead.store(time_.lookahead, relaxed);
  if (!timestamped_.empty()) {
    state.leastStamp.store(time_.kind.bits(timestamped_.front().key), relaxed);
  }
  state.galt.store(time_.kind.bits(time_.galt.key), relaxed);
  time_.publishedGalt = time_.galt;
  state.outputFloor.store(time_.kind.bits(time_.floor.key), relaxed);
  // Sequentially consistent: a grant is announced before the others' slots are read again, and
  // before waitsForTime of the others is looked at.
  slot_.sequence = sequence + 1;
  slot.sequence.store(sequence + 1, std::memory_order_seq_cst);
}

void Federate::listOthers() {
  others_.clear();
  for (const auto& [federate, member] : members_) {
    if (federate != self_) others_.push_back({federate, member.block});
  }
  othersStale_ = false;
}

void Federate::tellTimeWaiters() {
  for (const Other& other : others()) {
    if (other.block->waitsForTime.load(std::memory_order_seq_cst) != 0) {
      fabric::ringDoorbell(*other.block);
    }
  }
}

/// True when the others did not know before that they have to ring the doorbell: then what a grant
/// depends on has to be looked at once more.
bool Federate::askForDoorbell() {
  if (block_->waitsForTime.load(std::memory_order_relaxed) != 0) return false;
  block_->waitsForTime.store(1, std::memory_order_seq_cst);
  advanceAgain_ = true;
  return true;
}

WatchedSlots Federate::watchedSlots() {
  WatchedSlots slots;
  if (time_.advance == TimeAdvance::None ||
      block_->waitsForTime.load(std::memory_order_relaxed) != 0 ||
      others().size() > WatchedSlots::most || sequences_.size() != others_.size()) {
    return slots;
  }
  for (const Other& other : others_) {
    slots.add(other.block->time.sequence, sequences_[slots.count]);
  }
  return slots;
}

TimeView Federate::readSlot(const fabric::TimeSlot& slot, std::uint64_t& sequence) const {
  constexpr auto relaxed = std::memory_order_relaxed;
  TimeView view;
  for (;;) {
    sequence = slot.sequence.load(std::memory_order_seq_cst);
    const fabric::TimeState& state = slot.states[sequence & 1];
    const std::uint32_t flags = state.flags.load(relaxed);
    view.regulationPending = (flags & flag::regulationPending) != 0;
    view.regulating = (flags & flag::regulating) != 0 || view.regulationPending;
    view.constrained = (flags & (flag::constrained | flag::constrainedPending)) != 0;
    view.exclusive = (flags & flag::exclusive) != 0;
    view.strict = (flags & flag::strict) != 0;
    view.advance = static_cast<TimeAdvance>(state.advance.load(relaxed));
    view.logical = time_.kind.key(state.logicalTime.load(relaxed));
    view.requested = time_.kind.key(state.requestedTime.load(relaxed));
    view.lookahead = state.lookahead.load(relaxed);
    view.floor = {};
    if ((flags & flag::hasFloor) != 0) {
      view.floor.key = time_.kind.key(state.outputFloor.load(relaxed));
    }
    view.leastStamp.reset();
    if ((flags & flag::queueHasStamp) != 0) {
      view.leastStamp = time_.kind.key(state.leastStamp.load(relaxed));
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    // Only a second change meanwhile reaches the version that was read.
    if (slot.sequence.load(relaxed) == sequence) return view;
  }
}

void Federate::readSlots() {
  views_.clear();
  sequences_.clear();
  for (const Other& other : others()) {
    std::uint64_t sequence = 0;
    views_.push_back(readSlot(other.block->time, sequence));
    views_.back().federate = other.federate;
    sequences_.push_back(sequence);
  }
}

bool Federate::slotsUnchanged() {
  if (sequences_.size() != others().size()) return false;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].block->time.sequence.load(std::memory_order_seq_cst) != sequences_[i]) {
      return false;
    }
  }
  return true;
}

bool Federate::messagesInFlightTo(const fabric::FederateBlock& block) const {
  return fabric::anyInbound(
      *arena_, block,
      [](FederateNumber, std::uint64_t sent, std::uint64_t taken) { return sent != taken; });
}

TimeView Federate::ownView() const {
  TimeView view;
  view.regulating = time_.regulating || time_.regulationPending;
  view.constrained = time_.constrained;
  view.advance = time_.advance;
  view.exclusive = time_.exclusive;
  view.floor = time_.floor;
  // About to regulate, it counts from where it will begin, as its slot says.
  view.logical = time_.kind.key(time_.regulationPending ? time_.regulationFrom : time_.logical);
  view.requested = time_.kind.key(time_.requested);
  view.lookahead = time_.lookahead;
  if (!timestamped_.empty()) view.leastStamp = timestamped_.front().key;
  return view;
}

TimeBound Federate::computeBound() {
  boundIsSettled_ = true;
  // Read first, drain after: whatever may still come from a federate was bound by what was read.
  readSlots();
  drainAll();
  bool next = false;
  for (const TimeView& view : views_) {
    next = next || (view.regulating && view.constrained && asksForNext(view.advance));
  }
  if (!next) return greatestAvailable(views_, nullptr, time_.kind);

  // A request for a next message depends on what is on its way to that federate. When all slots and
  // counts agree between two readings, they were true together at one moment.
  bool consistent = views_.size() == others().size();
  for (std::size_t i = 0; consistent && i < views_.size(); ++i) {
    const TimeView& view = views_[i];
    if (view.regulating && view.constrained && asksForNext(view.advance) &&
        messagesInFlightTo(*others_[i].block)) {
      consistent = false;
    }
  }
  if (consistent && slotsUnchanged()) {
    const TimeView self = ownView();
    return greatestAvailable(views_, &self, time_.kind);
  }
  advanceAgain_ = true;
  boundIsSettled_ = false;
  return conservativeAvailable(views_, time_.kind);
}

// --- grants --------------------------------------------------------------------------------------

bool Federate::covers(TimeBound bound, TimeKey target, bool available) const {
  if (bound.isNone() || bound.key > target) return true;
  return bound.key == target && (available || bound.exclusive);
}

/// The last time that is granted now (pause, step, stop time). Read in one order with what this
/// federate has published of its time and the RTI node with the ceiling it has stored: one of the
/// two sees the other's, so that nobody waits for a doorbell that has rung.
TimeKey Federate::ceiling() const {
  const auto& header = arena_->header();
  const std::uint32_t active = header.ceilingActive.load(std::memory_order_seq_cst);
  if (active == 0) return ~TimeKey{0};
  std::uint64_t bits = header.ceiling.load(std::memory_order_acquire);
  if ((active & fabric::ceilingOf::inOwnTimes) != 0 && time_.kind.integer) {
    bits = fabric::integerTimeAt(std::bit_cast<double>(bits));
  }
  return time_.kind.key(bits);
}

bool Federate::advanceTime() {
  if (time_.advance == TimeAdvance::None && !time_.regulationPending && !time_.constrainedPending) {
    return false;
  }
  // Whoever changes something that a grant depends on rings the doorbell, when asked to. The limit
  // is for what shows in no doorbell, such as a count that a dying federate was about to tell of.
  constexpr unsigned longestRest = 64;
  const bool looks = block_->waitsForTime.load(std::memory_order_relaxed) == 0;
  if (doorbell_ == advanceDoorbell_ && !advanceAgain_ && !(looks && !slotsUnchanged()) &&
      ++advanceRests_ < longestRest) {
    return false;
  }
  advanceDoorbell_ = doorbell_;
  advanceAgain_ = false;
  advanceRests_ = 0;

  const std::size_t queuedBefore = queue_.size();
  const bool constrainedNow = time_.constrained || time_.constrainedPending;
  const TimeBound bound = constrainedNow ? computeBound() : TimeBound::none();
  time_.galt = bound;

  if (time_.regulationPending) return finishRegulation() || queue_.size() != queuedBefore;

  if (time_.constrainedPending) {
    if (!covers(bound, time_.kind.key(time_.logical), true)) return queue_.size() != queuedBefore;
    time_.constrainedPending = false;
    time_.constrained = true;
    // What was on its way before may be of the past: it comes in receive order.
    if (const TimeKey now = time_.kind.key(time_.logical); now != 0) {
      releaseTimestamped(now - 1, false);
    }
    block_->waitsForTime.store(0, std::memory_order_relaxed);
    publishTime();
    tellTimeWaiters();
    Queued item;
    item.effect = [this, time = time_.logical] {
      time_.constrainedTold = true;
      time_.told = time;
    };
    item.call = [time = time_.logical](Callbacks& c) { c.timeConstrainedEnabled(time); };
    queue_.push_back(std::move(item));
    return true;
  }

  TimeKey target = time_.kind.key(time_.requested);
  const bool flushes = time_.advance == TimeAdvance::FlushQueueRequest;
  if ((asksForNext(time_.advance) || flushes) && !timestamped_.empty()) {
    target = std::min(target, timestamped_.front().key);
  }
  if (flushes && bound.key < target) {
    // What was seen of the others need not have been true at one moment; then less is sure.
    if (!boundIsSettled_ && ++flushLooks_ < flushLooks) return queue_.size() != queuedBefore;
    target = std::max(bound.key, time_.kind.key(time_.logical));
  }
  if (target > ceiling()) {
    // Nothing will be granted: how far the others let it go is all that the node can see.
    if (time_.galt != time_.publishedGalt) publishTime();
    askForDoorbell();
    return queue_.size() != queuedBefore;
  }
  if (save_.scheduled && holdsForSave(target, bound)) return queue_.size() != queuedBefore;
  if (!flushes && !covers(bound, target, !isStrict(time_.advance))) {
    return queue_.size() != queuedBefore;
  }
  return commitGrant(target) || queue_.size() != queuedBefore;
}

bool Federate::commitGrant(TimeKey target) {
  const Time before = time_;
  const TimeAdvance how = time_.advance;
  time_.advance = TimeAdvance::None;
  time_.logical = time_.kind.bits(target);
  // What was promised for this very time by an earlier grant stays promised.
  const bool stays = target == time_.kind.key(before.logical);
  time_.strict = isStrict(how) || (stays && before.strict);
  time_.exclusive =
      (isStrict(how) && time_.kind.isZero(time_.lookahead)) || (stays && before.exclusive);
  publishTime();
  if (time_.constrained) {
    // One who is about to regulate either saw this announcement, or is seen here, even if it has
    // joined only just now, or regulates by now.
    const fabric::LogNumber applied = log_.applied;
    applyLog();
    // Mostly all is as it was when the bound was computed.
    if (log_.applied != applied || !slotsUnchanged()) {
      std::vector<FederateNumber>& counted = regulators_;
      counted.clear();
      for (const TimeView& view : views_) {
        if (view.regulating && !view.regulationPending) counted.push_back(view.federate);
      }
      readSlots();
      for (const TimeView& view : views_) {
        if (std::binary_search(counted.begin(), counted.end(), view.federate)) continue;
        if (!covers(conservativeAvailable({&view, 1}, time_.kind), target, !isStrict(how))) {
          time_ = before;
          publishTime();
          return false;
        }
      }
    }
  }
  stopAskingForDoorbell();
  // The bound of a granted TAR or TARA is the one that its request announced.
  const bool flushed = how == TimeAdvance::FlushQueueRequest;
  if (asksForNext(how) || flushed) tellTimeWaiters();
  releaseTimestamped(flushed ? ~TimeKey{0} : target, true);
  if (!deleted_.empty()) forgetDeletions(false);
  auto& grants = block_->counters.timeAdvanceGrants;
  grants.store(grants.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  endAdvancing();
  if (queue_.empty()) {
    grantNow_ = true;
    return true;
  }
  Queued item;
  item.effect = [this, time = time_.logical] { endAdvance(time); };
  item.call = [time = time_.logical](Callbacks& c) { c.timeAdvanceGranted(time); };
  queue_.push_back(std::move(item));
  return true;
}

void Federate::uncountQueued(std::uint64_t bytes) {
  auto& counter = block_->counters.queuedBytes;
  counter.store(counter.load(std::memory_order_relaxed) - bytes, std::memory_order_relaxed);
}

void Federate::releaseTimestamped(TimeKey upTo, bool granted) {
  while (!timestamped_.empty() && timestamped_.front().key <= upTo) {
    std::pop_heap(timestamped_.begin(), timestamped_.end(), std::greater<>{});
    Queued item;
    item.record = std::move(timestamped_.back().record);
    uncountQueued(item.record.size());
    item.sender = timestamped_.back().sender;
    item.granted = granted;
    timestamped_.pop_back();
    queue_.push_back(std::move(item));
  }
  if (!timestamped_.empty()) {
    block_->counters.leastQueuedStamp.store(time_.kind.bits(timestamped_.front().key),
                                            std::memory_order_relaxed);
  }
  block_->counters.timestampOrderQueued.store(timestamped_.size(), std::memory_order_relaxed);
}

void Federate::releaseHeld() {
  if (held_.empty()) return;
  for (const Queued& item : held_) uncountQueued(item.record.size());
  queue_.insert(queue_.begin(), std::make_move_iterator(held_.begin()),
                std::make_move_iterator(held_.end()));
  held_.clear();
  block_->counters.receiveOrderQueued.store(0, std::memory_order_relaxed);
}

// --- services ------------------------------------------------------------------------------------

void Federate::checkNotAdvancing() const {
  if (time_.advancing) {
    fail(Fault::InTimeAdvancingState, "A time advance is already being waited for.");
  }
}

void Federate::checkRegulationNotPending() const {
  if (time_.regulating != time_.regulationTold || time_.regulationPending) {
    fail(Fault::RequestForTimeRegulationPending,
         "Time regulation is being enabled: wait for the timeRegulationEnabled callback.");
  }
}

void Federate::checkConstrainedNotPending() const {
  if (time_.constrained != time_.constrainedTold || time_.constrainedPending) {
    fail(Fault::RequestForTimeConstrainedPending,
         "Time constrained is being enabled: wait for the timeConstrainedEnabled callback.");
  }
}

void Federate::requireCanRegulate() {
  requireJoined();
  applyLog();
  if (time_.regulationTold) {
    fail(Fault::TimeRegulationAlreadyEnabled, "This federate is already time-regulating.");
  }
  checkRegulationNotPending();
  checkNotAdvancing();
}

void Federate::enableTimeRegulation(std::uint64_t lookahead) {
  requireCanRegulate();
  time_.lookahead = lookahead;
  time_.floor = {};
  time_.regulationPending = true;
  time_.regulationConfirmed = false;
  time_.regulationFrom = time_.logical;
  time_.exclusive = false;
  advanceAgain_ = true;
  publishTime();
  block_->waitsForTime.store(1, std::memory_order_seq_cst);
  finishRegulation();
}

bool Federate::finishRegulation() {
  // Our bound is out; whoever is granted from now on sees it. Nobody granted before may get a
  // message from his past, whoever has joined only just now included.
  applyLog();
  if (router_ != 0 && !time_.regulationConfirmed) {
    // The same between hosts: each has seen our bound, and what was granted there before is here.
    connection_.tell(fabric::Request::Confirm, fabric::FederationNameRequest{});
    time_.regulationConfirmed = true;
    applyLog();
  }
  readSlots();
  TimeBound needed;
  for (const TimeView& view : views_) {
    if (view.constrained) needed = std::max(needed, TimeBound{view.logical, view.strict});
  }
  const TimeKey from =
      regulationStart(std::max(time_.kind.key(time_.regulationFrom), time_.kind.key(time_.logical)),
                      time_.lookahead, needed, time_.kind);
  if (from != time_.kind.key(time_.regulationFrom)) {
    time_.regulationFrom = time_.kind.bits(from);
    publishTime();
    tellTimeWaiters();
  }
  if (time_.constrained && from > time_.kind.key(time_.logical)) {
    // Regulating moves this federate's own time: as an advance to it would.
    const TimeBound bound = computeBound();
    if (!covers(bound, from, true)) return false;
    releaseTimestamped(from, true);
  }
  time_.exclusive = time_.kind.isZero(time_.lookahead) && from == needed.key && needed.exclusive;
  if (from != time_.kind.key(time_.logical)) time_.strict = false;
  time_.logical = time_.kind.bits(from);
  time_.regulationPending = false;
  time_.regulating = true;
  block_->waitsForTime.store(0, std::memory_order_relaxed);
  publishTime();
  tellTimeWaiters();
  Queued item;
  item.effect = [this, time = time_.logical] {
    time_.regulationTold = true;
    time_.told = time;
  };
  item.call = [time = time_.logical](Callbacks& c) { c.timeRegulationEnabled(time); };
  queue_.push_back(std::move(item));
  return true;
}

void Federate::disableTimeRegulation() {
  requireJoined();
  if (!time_.regulationTold) {
    fail(Fault::TimeRegulationIsNotEnabled, "This federate is not time-regulating.");
  }
  time_.regulating = time_.regulationTold = false;
  time_.floor = {};
  forgetOwnMessages();
  publishTime();
  tellTimeWaiters();
}

void Federate::enableTimeConstrained() {
  requireJoined();
  applyLog();
  if (time_.constrainedTold) {
    fail(Fault::TimeConstrainedAlreadyEnabled, "This federate is already time-constrained.");
  }
  checkConstrainedNotPending();
  checkNotAdvancing();
  // What was taken out of the rings and not delivered yet is still to come, so it comes in its
  // order; but for what this federate's time has passed.
  const TimeKey now = time_.kind.key(time_.logical);
  std::erase_if(queue_, [&](Queued& item) {
    fabric::RecordHead head{};
    if (item.granted || item.record.size() < sizeof head) return false;
    std::memcpy(&head, item.record.data(), sizeof head);
    const bool ordered = (head.flags & fabric::recordFlag::timestampOrder) != 0 &&
                         head.type != fabric::RecordType::Retract;
    if (!ordered || time_.kind.key(head.stamp) < now) return false;
    uncountQueued(0 - item.record.size());
    timestamped_.push_back(
        {time_.kind.key(head.stamp), item.sender, ++timestampedSequence_, std::move(item.record)});
    std::push_heap(timestamped_.begin(), timestamped_.end(), std::greater<>{});
    return true;
  });
  if (!timestamped_.empty()) {
    block_->counters.leastQueuedStamp.store(time_.kind.bits(timestamped_.front().key),
                                            std::memory_order_relaxed);
    block_->counters.timestampOrderQueued.store(timestamped_.size(), std::memory_order_relaxed);
  }
  time_.constrainedPending = true;
  advanceAgain_ = true;
  publishTime();
  block_->waitsForTime.store(1, std::memory_order_seq_cst);
}

void Federate::disableTimeConstrained() {
  requireJoined();
  if (!time_.constrainedTold) {
    fail(Fault::TimeConstrainedIsNotEnabled, "This federate is not time-constrained.");
  }
  time_.constrained = time_.constrainedTold = false;
  releaseHeld();
  releaseTimestamped(~TimeKey{0}, false);
  advanceAgain_ = true;  // nothing holds what was asked for any more
  publishTime();
  tellTimeWaiters();
}

void Federate::requireTimeGranted() {
  requireJoined();
  applyLog();
  checkConstrainedNotPending();
  checkRegulationNotPending();
  checkNotAdvancing();
}

void Federate::requestTime(TimeAdvance how, std::uint64_t time) {
  if (time_.kind.key(time) < time_.kind.key(time_.logical)) {
    fail(Fault::LogicalTimeAlreadyPassed,
         "The requested time lies before this federate's logical time.");
  }
  flushLooks_ = 0;
  if (!deleted_.empty()) forgetDeletions(false);
  time_.advancing = true;
  block_->counters.advancingSince.store(
      block_->counters.lastCallNanoseconds.load(std::memory_order_relaxed),
      std::memory_order_relaxed);
  time_.requestedHow = time_.advance = how;
  time_.requested = time;
  advanceAgain_ = true;
  publishTime();
  if (others().size() > fewOthers) block_->waitsForTime.store(1, std::memory_order_seq_cst);
  tellTimeWaiters();
  releaseHeld();
}

void Federate::setAsynchronousDelivery(bool enabled) {
  requireJoined();
  if (enabled == time_.asynchronousDelivery) {
    fail(enabled ? Fault::AsynchronousDeliveryAlreadyEnabled
                 : Fault::AsynchronousDeliveryAlreadyDisabled,
         enabled ? "Asynchronous delivery is already enabled."
                 : "Asynchronous delivery is already disabled.");
  }
  time_.asynchronousDelivery = enabled;
  setSwitch(fabric::federateSwitch::asynchronousDelivery, enabled);
  if (enabled) releaseHeld();
}

TimeBound Federate::sendBound() const {
  TimeView view = ownView();
  if (time_.advancing) {
    // The request itself promises that nothing earlier follows until its grant (6.10).
    view.advance = time_.requestedHow == TimeAdvance::FlushQueueRequest
                       ? TimeAdvance::TimeAdvanceRequestAvailable
                       : time_.requestedHow;
    view.requested = time_.kind.key(time_.requested);
    view.leastStamp.reset();
  }
  return ownBound(view, time_.kind);
}

void Federate::checkStamp(const std::uint64_t* time) const {
  if (time == wrongTime()) {
    fail(Fault::InvalidLogicalTime, "The time is of another representation than the " +
                                        timeImplementation_ +
                                        " that this federation execution uses.");
  }
  if (time == nullptr || !time_.regulationTold) return;
  const TimeBound bound = sendBound();
  const TimeKey key = time_.kind.key(*time);
  if (key < bound.key || (key == bound.key && bound.exclusive)) {
    fail(
        Fault::InvalidLogicalTime,
        "The timestamp lies before this federate's logical time (or the one it asked for) plus its "
        "lookahead.");
  }
}

std::optional<std::uint64_t> Federate::queryGALT() {
  requireJoined();
  applyLog();
  const TimeBound bound = computeBound();
  if (bound.isNone()) return std::nullopt;
  return time_.kind.bits(bound.key);
}

std::optional<std::uint64_t> Federate::queryLITS() {
  requireJoined();
  applyLog();
  TimeBound bound = computeBound();
  if (!timestamped_.empty()) bound = std::min(bound, TimeBound{timestamped_.front().key, false});
  if (bound.isNone()) return std::nullopt;
  return time_.kind.bits(bound.key);
}

std::uint64_t Federate::queryLogicalTime() {
  requireJoined();
  return time_.told;
}

std::uint64_t Federate::queryLookahead() {
  requireJoined();
  if (!time_.regulationTold) {
    fail(Fault::TimeRegulationIsNotEnabled, "This federate is not time-regulating.");
  }
  // 8.19: a decrease takes effect as logical time comes closer to what was promised before.
  const TimeKey from = time_.kind.key(time_.told);
  if (time_.floor.key > time_.kind.keyAfter(from, time_.lookahead)) {
    return time_.kind.distance(time_.told, time_.kind.bits(time_.floor.key));
  }
  return time_.lookahead;
}

void Federate::requireCanModifyLookahead() {
  requireJoined();
  applyLog();
  if (!time_.regulationTold) {
    fail(Fault::TimeRegulationIsNotEnabled, "This federate is not time-regulating.");
  }
  checkNotAdvancing();
}

void Federate::modifyLookahead(std::uint64_t lookahead) {
  requireCanModifyLookahead();
  const TimeBound promised = ownBound(ownView(), time_.kind);
  time_.lookahead = lookahead;
  time_.floor = {};
  if (ownBound(ownView(), time_.kind) < promised) time_.floor = promised;
  publishTime();
  tellTimeWaiters();
}

}  // namespace tutti::core
