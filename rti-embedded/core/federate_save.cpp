// SPDX-License-Identifier: Apache-2.0
// Save and restore (IEEE 1516.1-2010, 4.16 to 4.32). From initiateFederateSave on nothing else is
// delivered and the log is only looked at: what has to act later is kept as it stands there. So
// the queue holds nothing but messages, which can be written out.
#include <algorithm>
#include <utility>

#include "core/federate.h"
#include "core/records.h"
#include "core/saved_federate.h"

namespace tutti::core {

using fabric::LogRecordType;
using fabric::NoArguments;
using fabric::Request;

namespace {

std::vector<std::byte> timeStateOf(const fabric::TimeSlot& slot) {
  constexpr auto relaxed = std::memory_order_relaxed;
  fabric::Bytes bytes;
  fabric::WireWriter writer(bytes);
  fabric::TimeState::eachWord(slot.states[slot.sequence.load(relaxed) & 1],
                              [&](const auto& word) { writer(word.load(relaxed)); });
  return bytes;
}

template <class Handle>
std::vector<SavedAdvisory> saved(const std::map<Handle, bool>& told) {
  std::vector<SavedAdvisory> list;
  for (const auto& [handle, relevant] : told) list.push_back({handle, relevant});
  return list;
}

}  // namespace

void Federate::checkNoSaveNorRestore() const {
  if (!save_.frozen()) return;
  if (save_.stage >= SaveRestore::Stage::Restoring) {
    fail(Fault::RestoreInProgress, "'" + federation_ +
                                       "' is being restored: wait for federationRestored or "
                                       "federationNotRestored.");
  }
  fail(Fault::SaveInProgress, "'" + federation_ +
                                  "' is being saved: wait for federationSaved or "
                                  "federationNotSaved.");
}

// --- services ------------------------------------------------------------------------------------

void Federate::requestSave(const std::string& label, const std::uint64_t* time) {
  requireJoined();
  applyLog();
  if (time != nullptr) {
    if (!time_.regulationTold) {
      fail(Fault::FederateUnableToUseTime,
           "A save at a time is requested by time-regulating federates only: without one, no time "
           "lies ahead of all others for sure.");
    }
    if (time == wrongTime()) checkStamp(time);
    if (time_.kind.key(*time) <
        time_.kind.keyAfter(time_.kind.key(time_.logical), time_.lookahead)) {
      fail(Fault::LogicalTimeAlreadyPassed,
           "The time of a save is at least this federate's logical time plus its lookahead.");
    }
  }
  connection_.tell(Request::RequestSave,
                   fabric::RequestSaveRequest{label, time != nullptr, time != nullptr ? *time : 0});
  applyLog();
}

void Federate::saveBegun() {
  requireMember();
  if (save_.stage >= SaveRestore::Stage::Restoring) checkNoSaveNorRestore();
  if (isLateFor(SaveRestore::Stage::SaveInitiated, SaveRestore::Stage::Saving)) return;
  if (save_.stage != SaveRestore::Stage::SaveInitiated) {
    fail(Fault::SaveNotInitiated,
         "No save waits for this federate to begin: begin after the initiateFederateSave callback, "
         "once.");
  }
  try {
    connection_.tell(Request::SaveBegun, NoArguments{});
  } catch (const ServiceFault&) {
    // The save may have ended just now.
    if (isLateFor(SaveRestore::Stage::SaveInitiated, SaveRestore::Stage::Saving)) return;
    throw;
  }
  save_.stage = SaveRestore::Stage::Saving;
  applyLog();
}

/// A save may end (by another federate's federateSaveNotComplete, resignation or death, or an
/// abort) before this federate has called what initiateFederateSave asks for. It cannot know until
/// federationNotSaved is delivered: until then the calls are taken, each once, without effect.
bool Federate::isLateFor(SaveRestore::Stage from, SaveRestore::Stage to) {
  applyLog();
  if (save_.stageAtEnd != from) return false;
  save_.stageAtEnd = to;
  return true;
}

void Federate::saveCompleted(bool successfully) {
  requireMember();
  if (save_.stage >= SaveRestore::Stage::Restoring) checkNoSaveNorRestore();
  if (isLateFor(SaveRestore::Stage::Saving, SaveRestore::Stage::SaveComplete)) return;
  if (save_.stage != SaveRestore::Stage::Saving) {
    fail(Fault::FederateHasNotBegunSave,
         "This federate is not saving: call federateSaveBegun after the initiateFederateSave "
         "callback first.");
  }
  try {
    connection_.tell(Request::SaveCompleted, fabric::CompletedRequest{successfully});
  } catch (const ServiceFault&) {
    if (isLateFor(SaveRestore::Stage::Saving, SaveRestore::Stage::SaveComplete)) return;
    throw;
  }
  save_.stage = SaveRestore::Stage::SaveComplete;
  applyLog();
  sendStateWhenDue();
}

void Federate::abortSave() {
  requireMember();
  connection_.tell(Request::AbortSave, NoArguments{});
  applyLog();
}

void Federate::querySaveStatus() {
  requireMember();
  if (save_.stage >= SaveRestore::Stage::Restoring) checkNoSaveNorRestore();
  auto reply = connection_.ask<fabric::SaveStatusReply>(Request::QuerySaveStatus, NoArguments{});
  queueCall(
      [federates = std::move(reply.federates)](Callbacks& c) { c.saveStatusReported(federates); });
}

void Federate::requestRestore(const std::string& label) {
  requireJoined();
  applyLog();  // what was told before comes first
  const auto reply = connection_.ask<fabric::RequestRestoreReply>(
      Request::RequestRestore, fabric::RequestRestoreRequest{label});
  queueCall([label, accepted = reply.accepted](Callbacks& c) {
    c.restoreRequestAnswered(label, accepted);
  });
  applyLog();
}

void Federate::restoreCompleted(bool successfully) {
  requireMember();
  if (save_.frozen() && save_.stage < SaveRestore::Stage::Restoring) checkNoSaveNorRestore();
  if (save_.stage != SaveRestore::Stage::Restoring) {
    fail(Fault::RestoreNotRequested,
         "No restore waits for this federate: complete after the initiateFederateRestore callback, "
         "once.");
  }
  try {
    connection_.tell(Request::RestoreCompleted, fabric::CompletedRequest{successfully});
  } catch (const ServiceFault& fault) {
    if (fault.fault == Fault::NotConnected) throw;
    // The restore may have ended just now, by another federate's death; its callback is on the way.
    applyLog();
    if (save_.frozen()) throw;
    return;
  }
  save_.stage = SaveRestore::Stage::RestoreComplete;
  applyLog();
}

void Federate::abortRestore() {
  requireMember();
  connection_.tell(Request::AbortRestore, NoArguments{});
  applyLog();
}

void Federate::queryRestoreStatus() {
  requireMember();
  if (save_.frozen() && save_.stage < SaveRestore::Stage::Restoring) checkNoSaveNorRestore();
  auto reply =
      connection_.ask<fabric::RestoreStatusReply>(Request::QueryRestoreStatus, NoArguments{});
  queueCall([federates = std::move(reply.federates)](Callbacks& c) {
    c.restoreStatusReported(federates);
  });
}

// --- what the log tells --------------------------------------------------------------------------

bool Federate::defers(LogRecordType type) const {
  return save_.frozen() && type < LogRecordType::SaveScheduled;
}

void Federate::applySaveRecord(LogRecordType type, std::span<const std::byte> body) {
  if (mom_.serving) return;  // the MOM tells of it and takes no part
  switch (type) {
    case LogRecordType::SaveScheduled: {
      fabric::SaveScheduledRecord r;
      if (!fabric::fromWire(body, r)) return;
      save_.scheduled = r;
      save_.reachedTold = false;
      advanceAgain_ = true;
      return;
    }
    case LogRecordType::SaveInitiated: {
      fabric::SaveInitiatedRecord r;
      if (!fabric::fromWire(body, r)) return;
      save_.scheduled.reset();
      drainAll();
      Queued item;
      item.initiatesSave = true;
      item.effect = [this] { save_.stage = SaveRestore::Stage::SaveInitiated; };
      item.call = [r = std::move(r)](Callbacks& c) {
        c.saveInitiated(r.label, r.hasTime ? &r.time : nullptr);
      };
      queue_.push_back(std::move(item));
      return;
    }
    case LogRecordType::SaveBegunByAll:
      save_.begunByAll = true;
      drainAll();
      return;
    case LogRecordType::SaveEnded:
    case LogRecordType::RestoreEnded: {
      fabric::EndedRecord r;
      if (!fabric::fromWire(body, r)) return;
      const bool restore = type == LogRecordType::RestoreEnded;
      if (restore && r.successfully) {
        save_.leaveForRestored = true;
        return;
      }
      advanceAgain_ = true;
      thaw([r, restore](Callbacks& c) { restore ? c.restoreEnded(r) : c.saveEnded(r); }, !restore);
      return;
    }
    case LogRecordType::RestoreBegun: {
      fabric::RestoreBegunRecord r;
      if (!fabric::fromWire(body, r)) return;
      const auto own = std::find_if(r.federates.begin(), r.federates.end(),
                                    [this](const auto& one) { return one.before == self_; });
      if (own == r.federates.end()) return;
      drainAll();
      Queued item;
      item.beginsRestore = true;
      item.effect = [this, label = r.label, identity = *own] {
        save_.stage = SaveRestore::Stage::Restoring;
        save_.calls.push_back([label, identity](Callbacks& c) {
          c.restoreInitiated(label, identity.name, identity.after);
        });
      };
      item.call = [](Callbacks& c) { c.restoreBegun(); };
      queue_.push_back(std::move(item));
      return;
    }
    default:
      return;
  }
}

void Federate::thaw(Call last, bool endsSave) {
  Queued item;
  item.call = std::move(last);
  if (endsSave) item.effect = [this] { save_.stageAtEnd = SaveRestore::Stage::None; };
  const auto begin = std::find_if(queue_.begin(), queue_.end(), [](const Queued& one) {
    return one.initiatesSave || one.beginsRestore;
  });
  if (begin != queue_.end()) {
    // Over before this federate has heard of it: what waits in front may be the end of the former.
    *begin = std::move(item);
  } else {
    // Told before all that was kept back.
    queue_.push_front(std::move(item));
  }
  auto others = std::move(save_.calls);
  const auto deferred = std::move(save_.deferred);
  const auto stageAtEnd = endsSave ? save_.stage : SaveRestore::Stage::None;
  save_ = {};
  save_.stageAtEnd = stageAtEnd;
  for (auto call = others.rbegin(); call != others.rend(); ++call) {
    Queued earlier;
    earlier.call = std::move(*call);
    queue_.push_front(std::move(earlier));
  }
  applyRecords(deferred);
}

// --- the time of a save --------------------------------------------------------------------------

void Federate::scheduledSaveDue() {
  if (save_.reachedTold || time_.constrainedPending) return;
  if (time_.constrained && time_.kind.key(time_.logical) < time_.kind.key(save_.scheduled->time)) {
    return;  // advanceTime() finds out
  }
  save_.reachedTold = true;
  connection_.tell(Request::SaveTimeReached, fabric::SaveTimeReachedRequest{save_.scheduled->save});
}

bool Federate::holdsForSave(TimeKey target, TimeBound bound) {
  const TimeKey time = time_.kind.key(save_.scheduled->time);
  if (!time_.constrained || target <= time) return false;
  if (!save_.reachedTold && covers(bound, time, false)) {
    releaseTimestamped(time, true);
    save_.reachedTold = true;
    connection_.tell(Request::SaveTimeReached,
                     fabric::SaveTimeReachedRequest{save_.scheduled->save});
  }
  return true;
}

// --- while it goes on ----------------------------------------------------------------------------

bool Federate::initiateSave(Queued& item) {
  // Two of these, which only a damaged log has, do not wait for each other.
  const bool othersFirst = std::any_of(queue_.begin(), queue_.end(), [](const Queued& behind) {
    return !behind.initiatesSave && (behind.call != nullptr || behind.effect != nullptr);
  });
  if (othersFirst) queue_.push_back(std::move(item));
  return !othersFirst;
}

bool Federate::deliverFrozen(Lock& lock) {
  if (save_.leaveForRestored) {
    enterRestored();
    return false;
  }
  if (!mom_.commands.empty()) {
    const fabric::MomCommand command = std::move(mom_.commands.front());
    mom_.commands.pop_front();
    performCommand(command);
    return block_ != nullptr && save_.frozen() && deliverFrozen(lock);
  }
  drainAll();
  sendStateWhenDue();
  if (save_.calls.empty()) return false;
  Queued item;
  item.call = std::move(save_.calls.front());
  save_.calls.pop_front();
  return deliver(std::move(item), lock);
}

void Federate::sendStateWhenDue() {
  if (save_.stage != SaveRestore::Stage::SaveComplete || !save_.begunByAll || save_.stateSent) {
    return;
  }
  save_.stateSent = true;
  connection_.tell(Request::SavedState, ownState());
  applyLog();
}

SavedKnownInstance Federate::savedInstance(ObjectInstance instance, const Known& known) const {
  SavedKnownInstance one;
  one.instance = instance;
  one.objectClass = known.objectClass;
  one.registeredClass = known.registeredClass;
  one.producer = known.producer();
  one.row = known.row;
  one.name = known.nameText();
  one.owned = listOf(known.registeredClass, known.owned);
  one.atFirst = listOf(known.registeredClass, known.atFirst);
  if (known.kinds) one.kinds.assign(known.kinds->begin(), known.kinds->end());
  one.counts.assign(known.updates.begin(), known.updates.end());
  one.counts.insert(one.counts.end(), known.reflections.begin(), known.reflections.end());
  return one;
}

Federate::Known Federate::knownInstanceOf(const SavedKnownInstance& saved) const {
  Known known;
  known.instance = saved.instance;
  known.objectClass = saved.objectClass;
  known.registeredClass = saved.registeredClass;
  known.row = saved.row;
  if (instanceOfGeneratedName(saved.name) != saved.instance) known.name = saved.name;
  known.owned = setOf(known.registeredClass, saved.owned);
  known.atFirst = setOf(known.registeredClass, saved.atFirst);
  if (!saved.kinds.empty()) known.kinds.emplace(saved.kinds.begin(), saved.kinds.end());
  if (saved.counts.size() == known.updates.size() + known.reflections.size()) {
    known.updates = {saved.counts[0], saved.counts[1]};
    known.reflections = {saved.counts[2], saved.counts[3]};
  }
  return known;
}

fabric::SavedStateRequest Federate::ownState() {
  SavedFederate s;
  s.time = {time_.regulating,
            time_.constrained,
            time_.regulationPending,
            time_.constrainedPending,
            time_.advancing,
            time_.exclusive,
            time_.strict,
            time_.asynchronousDelivery,
            static_cast<std::uint32_t>(time_.requestedHow),
            static_cast<std::uint32_t>(time_.advance),
            time_.regulationFrom,
            time_.logical,
            time_.requested,
            time_.lookahead,
            time_.kind.bits(time_.floor.key),
            time_.floor.exclusive};
  s.instanceCounter = instanceCounter_;
  s.timestampedSequence = timestampedSequence_;
  s.objectAdvisory = objectAdvisory_;
  s.interactionAdvisory = interactionAdvisory_;
  s.registrationTold = saved(registrationTold_);
  s.interactionsTold = saved(interactionsTold_);
  s.reservedNames.assign(reservedNames_.begin(), reservedNames_.end());
  for (const auto& [instance, known] : instances_) {
    s.instances.push_back(savedInstance(instance, known));
  }
  s.messageSerial = messageSerial_;
  for (const Retractable& one : retractable_) {
    s.retractable.push_back({one.serial, time_.kind.bits(one.key)});
  }
  for (const Deleted& one : deleted_) {
    s.deleted.push_back(
        {one.serial, time_.kind.bits(one.key), savedInstance(one.instance, one.known), one.told});
  }
  for (const Delivered& one : delivered_) {
    s.delivered.push_back({one.sender, one.serial, time_.kind.bits(one.key)});
  }
  for (const auto& [interactionClass, kind] : interactionKinds_) {
    s.interactionKinds.push_back({interactionClass, kind});
  }
  s.regions = savedRegions();
  s.updateAdvisories = savedUpdateAdvisories();
  for (const auto& [federate, name] : formerNames_) s.formerNames.push_back({federate, name});
  visitInstances(
      *arena_, block_->instances.load(std::memory_order_acquire), [&](const InstanceEntry& entry) {
        s.rows.push_back({entry.row, entry.instance, entry.objectClass, entry.name, entry.owned});
      });
  for (const Queued& item : queue_) {
    if (!item.record.empty()) s.queued.push_back({item.record, item.sender, item.granted, 0});
  }
  for (const Queued& item : held_) s.held.push_back({item.record, item.sender, item.granted, 0});
  for (const TimestampedMessage& message : timestamped_) {
    s.timestamped.push_back({message.record, message.sender, true, message.sequence});
  }
  s.soughtSerial = soughtSerial_;
  std::map<ObjectInstance, SavedSought> sought;
  for (const auto& [instance, one] : sought_) {
    for (const auto& [attribute, request] : one) {
      sought[instance].attributes.push_back({attribute, request.serial, request.willing});
    }
  }
  for (const auto& [instance, offered] : offered_) {
    const auto known = instances_.find(instance);
    if (known == instances_.end()) continue;
    sought[instance].offered = listOf(known->second.registeredClass, offered);
  }
  for (auto& [instance, one] : sought) {
    one.instance = instance;
    s.sought.push_back(std::move(one));
  }
  s.deferred = save_.deferred;
  s.management = savedManagement();
  publishTime();
  return {fabric::toWire(s), timeStateOf(block_->time)};
}

// --- the restored execution ----------------------------------------------------------------------

void Federate::enterRestored() {
  const auto reply =
      connection_.ask<fabric::EnterRestoredReply>(Request::EnterRestored, NoArguments{});
  auto others = std::move(save_.calls);
  leave();
  enter(reply.join, &reply.state);
  applyLog();  // what was told since the restore, while this federate had not returned
  tellThenApplyLog([this] {
    visitInstances(*arena_, block_->instances.load(std::memory_order_acquire),
                   [this](const InstanceEntry& entry) {
                     showRow(entry.row, entry.instance, entry.objectClass, entry.name, entry.owned);
                   });
  });
  confirmTables();  // whoever sends from now on finds what is wanted here
  if (reply.declarationsChanged || log_.applied != reply.join.logNumber) announceOwnInstances();
  Queued item;
  item.call = [](Callbacks& c) { c.restoreEnded({true, 0}); };
  queue_.push_front(std::move(item));
  for (auto call = others.rbegin(); call != others.rend(); ++call) {
    Queued earlier;
    earlier.call = std::move(*call);
    queue_.push_front(std::move(earlier));
  }
  touch();
}

// Whoever subscribed before our table was here did not find our instances in it.
void Federate::announceOwnInstances() {
  for (const auto& [instance, known] : instances_) {
    if (known.producer() == self_) announce(instance, known);
  }
}

fabric::Bytes Federate::takeState(const fabric::Bytes& state) {
  SavedFederate s;
  if (!fabric::fromWire(state, s)) {
    fail(Fault::RTIinternalError, "What was saved of this federate in '" + federation_ +
                                      "' cannot be read: restore another save.");
  }
  time_.regulating = s.time.regulating;
  time_.constrained = s.time.constrained;
  time_.regulationPending = s.time.regulationPending;
  time_.constrainedPending = s.time.constrainedPending;
  time_.regulationTold = s.time.regulating;
  time_.constrainedTold = s.time.constrained;
  time_.advancing = s.time.advancing;
  time_.exclusive = s.time.exclusive;
  time_.strict = s.time.strict;
  time_.floor = {time_.kind.key(s.time.floor), s.time.floorExclusive};
  time_.asynchronousDelivery = s.time.asynchronousDelivery;
  time_.requestedHow = static_cast<fabric::TimeAdvance>(s.time.requestedHow);
  time_.advance = static_cast<fabric::TimeAdvance>(s.time.advance);
  time_.regulationFrom = s.time.regulationFrom;
  time_.logical = time_.told = s.time.logical;
  time_.requested = s.time.requested;
  time_.lookahead = s.time.lookahead;
  for (SavedMessage& message : s.timestamped) {
    fabric::RecordHead head;
    if (message.record.size() < sizeof head) continue;
    std::memcpy(&head, message.record.data(), sizeof head);
    timestamped_.push_back(
        {time_.kind.key(head.stamp), message.sender, message.sequence, std::move(message.record)});
  }
  std::make_heap(timestamped_.begin(), timestamped_.end(), std::greater<>{});
  timestampedSequence_ = s.timestampedSequence;
  // The node has set the slot up with the same; from here on it is ours.
  publishTime();
  const bool waits = time_.advance != fabric::TimeAdvance::None || time_.regulationPending ||
                     time_.constrainedPending;
  block_->waitsForTime.store(waits ? 1 : 0, std::memory_order_seq_cst);
  advanceAgain_ = true;

  instanceCounter_ = s.instanceCounter;
  objectAdvisory_ = s.objectAdvisory;
  interactionAdvisory_ = s.interactionAdvisory;
  for (const auto& [handle, relevant] : s.registrationTold) registrationTold_[handle] = relevant;
  for (const auto& [handle, relevant] : s.interactionsTold) interactionsTold_[handle] = relevant;
  reservedNames_.insert(s.reservedNames.begin(), s.reservedNames.end());
  for (const SavedRow& row : s.rows) {
    table_.place(row.row, row.instance, row.objectClass, row.name, row.owned);
  }
  for (const SavedKnownInstance& one : s.instances) {
    if (!model_->hasObjectClass(one.registeredClass)) continue;
    keep(knownInstanceOf(one));
  }
  forgotOwn_ = std::any_of(s.rows.begin(), s.rows.end(), [this](const SavedRow& row) {
    return !instances_.contains(row.instance);
  });
  for (const auto& one : s.deleted) {
    if (!model_->hasObjectClass(one.instance.registeredClass)) continue;
    deleted_.push_back({one.serial, time_.kind.key(one.time), one.instance.instance,
                        knownInstanceOf(one.instance), one.told});
  }
  takeRegions(s.regions);
  takeUpdateAdvisories(s.updateAdvisories);
  for (const SavedName& one : s.formerNames) formerNames_[one.federate] = one.name;
  soughtSerial_ = s.soughtSerial;
  for (const SavedSought& one : s.sought) {
    const auto known = instances_.find(one.instance);
    if (known == instances_.end()) continue;
    if (!one.offered.empty()) {
      offered_[one.instance] = setOf(known->second.registeredClass, one.offered);
    }
    for (const SavedSoughtAttribute& each : one.attributes) {
      sought_[one.instance][each.attribute] = {each.serial, each.willing};
    }
  }
  messageSerial_ = restoredSerial_ = s.messageSerial;
  for (const auto& one : s.retractable) {
    retractable_.push_back({one.serial, time_.kind.key(one.time)});
  }
  for (const auto& one : s.delivered) {
    delivered_.push_back({one.sender, one.serial, time_.kind.key(one.time)});
  }
  for (const auto& one : s.interactionKinds) interactionKinds_[one.interactionClass] = one.kind;
  const auto take = [](std::vector<SavedMessage>& from, std::pmr::deque<Queued>& to) {
    for (SavedMessage& message : from) {
      Queued item;
      item.record = std::move(message.record);
      item.sender = message.sender;
      item.granted = message.granted;
      to.push_back(std::move(item));
    }
  };
  take(s.queued, queue_);
  take(s.held, held_);
  // Numbers of the log before; here everything of then is known from the start.
  const auto renumber = [](std::vector<std::byte>& record) {
    fabric::RecordHead head;
    if (record.size() < sizeof head) return;
    std::memcpy(&head, record.data(), sizeof head);
    head.logNumber = 0;
    std::memcpy(record.data(), &head, sizeof head);
  };
  for (Queued& item : queue_) renumber(item.record);
  for (Queued& item : held_) renumber(item.record);
  for (TimestampedMessage& message : timestamped_) renumber(message.record);
  takeManagement(s.management);
  countDeletable();
  return std::move(s.deferred);
}

}  // namespace tutti::core
