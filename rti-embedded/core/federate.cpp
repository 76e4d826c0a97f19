// SPDX-License-Identifier: Apache-2.0
#include "core/federate.h"

#include <sched.h>
#include <time.h>

#include <utility>

#include "fabric/futex.h"

namespace tutti::core {

using fabric::Request;

Federate::~Federate() {
  if (joined()) {
    try {
      neighbours_.leave();
      inbox_.close();
    } catch (...) {
    }
  }
}

void Federate::requireConnected() {
  if (connection_.lost()) {
    fail(Fault::NotConnected, "The connection to the RTI node shm:" + connection_.nodeName() +
                                  " is lost: the node has ended. Connect and join again.");
  }
  if (!connection_.isOpen()) {
    if (forked_) {
      fail(Fault::NotConnected,
           "This process was forked from a federate; the connection to the RTI stays with its "
           "parent. Call connect to take part as another federate.");
    }
    fail(Fault::NotConnected, "This federate is not connected to an RTI: call connect first.");
  }
}

void Federate::requireJoined() {
  requireMember();
  checkNoSaveNorRestore();
}

void Federate::requireMember() {
  requireConnected();
  if (block_ == nullptr) {
    fail(Fault::FederateNotExecutionMember,
         "This federate is not joined to a federation execution: call joinFederationExecution "
         "first.");
  }
  touch();
}

void Federate::touch() {
  block_->counters.lastCallNanoseconds.store(connection_.lastAsked(), std::memory_order_relaxed);
}

// --- connection
// ------------------------------------------------------------------------------------

void Federate::requireNotConnected() {
  if (!connection_.isOpen() || connection_.lost()) return;
  fail(Fault::AlreadyConnected,
       "This ambassador is already connected to shm:" + connection_.nodeName() + ".");
}

void Federate::requireNotJoined() {
  requireConnected();
  if (block_ == nullptr) return;
  fail(Fault::FederateAlreadyExecutionMember, "This ambassador is already joined to '" +
                                                  federation_ + "' as '" + members_[self_].name +
                                                  "'.");
}

void Federate::requireNoFederation(const std::string& federation) {
  const auto reply = connection_.ask<fabric::ListFederationsReply>(Request::ListFederations,
                                                                   fabric::FederationNameRequest{});
  for (const auto& one : reply.federations) {
    if (one.federation != federation) continue;
    fail(Fault::FederationExecutionAlreadyExists,
         "The federation execution '" + federation + "' exists already: join it.");
  }
}

void Federate::connect(const std::string& designator) {
  requireNotConnected();
  leave();
  connection_.close();
  connection_.open(parseDesignator(designator));
  forked_ = false;
}

void Federate::closeInherited() noexcept {
  connection_.closeInherited();
  LocalFederates::forget();
}

void Federate::disconnect() {
  requireConnected();
  if (block_ != nullptr) {
    fail(Fault::FederateIsExecutionMember,
         "This federate is joined to '" + federation_ + "': resign before disconnecting.");
  }
  leave();
  connection_.close();
}

// --- federation executions
// ---------------------------------------------------------------------------

void Federate::createFederation(const fabric::CreateFederationRequest& request) {
  requireConnected();
  connection_.tell(Request::CreateFederation, request);
}

void Federate::destroyFederation(const std::string& federation) {
  requireConnected();
  connection_.tell(Request::DestroyFederation, fabric::FederationNameRequest{federation});
}

void Federate::listFederations() {
  requireConnected();
  auto reply = connection_.ask<fabric::ListFederationsReply>(Request::ListFederations,
                                                             fabric::FederationNameRequest{});
  queueCall([executions = std::move(reply.federations)](Callbacks& c) {
    c.federationExecutionsReported(executions);
  });
}

FederateNumber Federate::join(const fabric::JoinRequest& request) {
  requireNotJoined();
  const auto reply = connection_.ask<fabric::JoinReply>(Request::Join, request);
  federation_ = request.federation;
  enter(reply, nullptr);
  touch();
  return self_;
}

void Federate::enter(const fabric::JoinReply& reply, const fabric::Bytes* restored) {
  const auto descriptors = std::move(connection_.descriptors());
  connection_.descriptors().clear();
  if (descriptors.size() != 2) {
    fail(Fault::RTIinternalError, "The RTI node sent no shared memory with the join.");
  }
  auto arena = fabric::Arena::open({descriptors[0].get(), descriptors[1].get(),
                                    reply.publishedBytes, reply.arenaBytes});
  if (!arena) fail(Fault::RTIinternalError, arena.error());
  arena_ = std::make_shared<const fabric::Arena>(std::move(*arena));
  auto* block = arena_->as<fabric::FederateBlock>(reply.block);
  const std::byte* snapshot = arena_->at(reply.snapshot, reply.snapshotBytes);
  if (block == nullptr || block->magic != fabric::FederateBlock::magicValue ||
      (snapshot == nullptr && reply.snapshotBytes != 0)) {
    fail(Fault::RTIinternalError, "The shared memory of '" + federation_ +
                                      "' cannot be read: its page for this federate is missing.");
  }
  timeImplementation_ = reply.timeImplementation;
  self_ = reply.federate;
  time_ = {};
  try {
    time_.kind.integer = callbacks_.countsInIntegers(timeImplementation_);
  } catch (const ServiceFault&) {
    constexpr std::uint32_t noAction = 5;
    connection_.tell(Request::Resign, fabric::ResignRequest{noAction, false});
    throw;
  }
  loadModel(reply.model, reply.modelBytes);
  objectAdvisory_ = model_->switches().objectClassRelevanceAdvisory;
  interactionAdvisory_ = model_->switches().interactionRelevanceAdvisory;
  automaticResignAction_ = block->automaticResignAction.load(std::memory_order_acquire);

  mom_.autoProvide = model_->switches().autoProvide;
  block_ = block;
  slot_ = {block->time.sequence.load(std::memory_order_acquire), 0, {}};
  setReporting(model_->switches().serviceReporting && !mom_.serving,
               model_->switches().exceptionReporting && !mom_.serving);
  setSwitch(fabric::federateSwitch::conveyRegionDesignatorSets,
            model_->switches().conveyRegionDesignatorSets);
  setSwitch(fabric::federateSwitch::conveyProducingFederate,
            model_->switches().conveyProducingFederate);
  inbox_.open(*arena_, *block_);
  // The node's own member never polls: the processors are the federates'.
  const std::uint32_t spinner =
      mom_.serving ? fabric::SpinPage::spinWords * 64 : connection_.number();
  waiter_ = fabric::Waiter(connection_.hostPage(), connection_.spinPage(), spinner, block_,
                           &arena_->header());
  doorbell_ = waiter_.doorbell();
  table_.open(connection_, *arena_, *block_);
  regionTable_.open(connection_, *arena_, *block_);
  regionSets_.open(connection_, *arena_, *block_);
  regionSets_.table().onChange = [this](std::uint32_t row) { unshown_.push_back({0, row}); };
  noRegions_ = {};
  regionWatch_.clear();
  watchedEpoch_ = 0;
  scopeAdvisory_ = model_->switches().attributeScopeAdvisory;
  updateAdvisory_ = model_->switches().attributeRelevanceAdvisory;
  outbox_.open({.connection = &connection_,
                .arena = arena_.get(),
                .counters = &block_->counters,
                .dropped = &block_->dropped,
                .neighbours = &neighbours_,
                .self = self_,
                .spills = mom_.serving,
                .blockOf = [this](FederateNumber federate) -> fabric::FederateBlock* {
                  const auto found = members_.find(federate);
                  return found == members_.end() ? nullptr : found->second.block;
                },
                .whileBlocked =
                    [this](FederateNumber receiver) {
                      LocalFederates::makeRoom();
                      const auto found = members_.find(receiver);
                      if (found == members_.end() ||
                          found->second.block->state.load(std::memory_order_acquire) !=
                              static_cast<std::uint32_t>(fabric::FederateState::Joined)) {
                        return false;
                      }
                      if (connection_.lost()) {
                        fail(Fault::NotConnected, "The connection to the RTI node shm:" +
                                                      connection_.nodeName() + " is lost.");
                      }
                      timespec pause{0, 20000};
                      nanosleep(&pause, nullptr);
                      return true;
                    }});
  neighbours_.join(connection_.nodeName() + "/" + std::to_string(reply.execution), self_, inbox_);
  // A restored federate's time comes first: its slot is valid and has to stay so.
  fabric::Bytes deferred;
  if (restored != nullptr) {
    deferred = takeState(*restored);
  } else {
    publishTime();
  }
  if (reply.snapshotBytes != 0) applyRecords({snapshot, reply.snapshotBytes});
  applyRecords(deferred);
  log_ = {reply.logBlock, reply.logAt, reply.logNumber};
  block_->appliedLog.store(log_.applied, std::memory_order_release);
  connection_.findDamage = [this] { return findDamage(); };
}

std::string Federate::findDamage() {
  // What the log told while a save or restore kept everything as it was is still to be applied: of
  // those who have left the memory may have been given back.
  if (block_ == nullptr || save_.frozen() || !save_.deferred.empty()) return {};
  if (std::string damage = inbox_.findDamage(); !damage.empty()) return damage;
  if (std::string damage = outbox_.findDamage(); !damage.empty()) return damage;
  const auto state = block_->state.load(std::memory_order_acquire);
  if (block_->magic != fabric::FederateBlock::magicValue || block_->federate != self_ ||
      block_->via != 0 || state == static_cast<std::uint32_t>(fabric::FederateState::Free) ||
      state > static_cast<std::uint32_t>(fabric::FederateState::Lost) ||
      block_->appliedLog.load(std::memory_order_relaxed) > log_.applied) {
    return "somebody else has written the page of this federate";
  }
  // The words of the slot are compared with those that were there when it was last looked at.
  const fabric::TimeSlot& slot = block_->time;
  bool same = slot.sequence.load(std::memory_order_relaxed) == slot_.sequence;
  const bool comparable = !slot_.seen.empty() && slot_.seenSequence == slot_.sequence;
  std::size_t index = 0;
  fabric::TimeState::eachWord(slot.states[slot_.sequence & 1], [&](const auto& word) {
    const std::uint64_t value = word.load(std::memory_order_relaxed);
    if (index == slot_.seen.size()) slot_.seen.push_back(value);
    if (comparable && slot_.seen[index] != value) same = false;
    slot_.seen[index++] = value;
  });
  if (!same) return "somebody else has written the time of this federate";
  slot_.seenSequence = slot_.sequence;
  return {};
}

void Federate::leave() {
  connection_.findDamage = nullptr;
  // Nobody waits when this follows a resignation: the page may be somebody else's by now.
  if (waiting_) interruptWait();
  neighbours_.leave();
  inbox_.close();
  outbox_.close();
  declarations_.clear();
  declarations_.setModel(nullptr);
  members_.clear();
  othersStale_ = true;
  router_ = 0;
  formerNames_.clear();
  adoptedTables_.clear();
  instances_.clear();
  instanceByName_.clear();
  traded_.clear();
  sought_.clear();
  soughtSerial_ = 0;
  offered_.clear();
  turnedOn_.clear();
  advisedEpoch_ = advisedGeneration_ = 0;
  removed_.clear();
  awaited_.clear();
  reservedNames_.clear();
  forgotOwn_ = false;
  regions_.clear();
  unshown_.clear();
  regionSets_ = {};
  conveyed_.clear();
  inScope_.clear();
  lastSent_.clear();
  regionsMoved_ = scopesChanged_ = false;
  queue_.clear();
  held_.clear();
  timestamped_.clear();
  messageSerial_ = restoredSerial_ = 0;
  retractable_.clear();
  deleted_.clear();
  delivered_.clear();
  interactionKinds_.clear();
  transportations_.clear();
  changingAttributes_.clear();
  changingInteractions_.clear();
  registrationTold_.clear();
  interactionsTold_.clear();
  instanceCounter_ = 0;
  model_.reset();
  time_ = {};
  save_ = {};
  mom_ = {};
  callbacks_.reportingSet(false, false);
  interactionCounts_.clear();
  block_ = nullptr;
  self_ = 0;
  waiter_ = {};
  arena_.reset();
}

void Federate::resign(std::uint32_t action) {
  requireMember();
  applyLog();
  checkResign(action);
  forgetDeletions(true);
  // DELETE_OBJECTS, DELETE_OBJECTS_THEN_DIVEST, CANCEL_THEN_DELETE_THEN_DIVEST
  const bool deletes = action == 1 || action == 3 || action == 4;
  // Afterwards there is nobody whose service could be reported.
  reportService("resignFederationExecution", 0, true, {std::to_string(action)}, {}, {});
  inbox_.keepChunk();
  outbox_.dropKept();
  // First, for once the node has answered the rings may soon be another federate's, and whoever of
  // this process waits for room empties those of all neighbours.
  neighbours_.leave();
  try {
    connection_.tell(Request::Resign, fabric::ResignRequest{action, deletes});
  } catch (const ServiceFault&) {
    neighbours_.rejoin(self_, inbox_);
    throw;
  }
  leave();
}

void Federate::registerSynchronizationPoint(const std::string& label,
                                            std::span<const std::byte> tag,
                                            const std::vector<FederateNumber>* set) {
  requireJoined();
  applyLog();  // what was announced before comes first
  fabric::RegisterSynchronizationPointRequest request;
  request.label = label;
  request.tag.assign(tag.begin(), tag.end());
  // An empty set means every federate, now and later (4.11.2).
  request.everyone = set == nullptr || set->empty();
  if (!request.everyone) request.set = *set;
  const auto reply = connection_.ask<fabric::RegisterSynchronizationPointReply>(
      Request::RegisterSynchronizationPoint, request);
  if (reply.registered) {
    queueCall([label](Callbacks& c) { c.synchronizationPointRegistered(label); });
  } else {
    queueCall(
        [label, why = reply.reason](Callbacks& c) { c.synchronizationPointRefused(label, why); });
  }
  applyLog();
}

void Federate::synchronizationPointAchieved(const std::string& label, bool successfully) {
  requireJoined();
  connection_.tell(Request::SynchronizationPointAchieved,
                   fabric::SynchronizationPointAchievedRequest{label, successfully});
  applyLog();
}

// --- support
// -----------------------------------------------------------------------------------------

void Federate::setAutomaticResignAction(std::uint32_t action) {
  requireMember();
  automaticResignAction_ = action;
  block_->automaticResignAction.store(action, std::memory_order_release);
}

std::uint32_t Federate::automaticResignAction() {
  requireMember();
  return automaticResignAction_;
}

const Model& Federate::model() {
  requireMember();
  applyLog();
  return *model_;
}

std::optional<FederateNumber> Federate::federateByName(const std::string& name) {
  requireMember();
  applyLog();
  for (const auto& [number, member] : members_) {
    if (member.name == name && !member.hidden) return number;
  }
  return std::nullopt;
}

std::string Federate::federateName(FederateNumber federate) {
  requireMember();
  applyLog();
  if (const auto found = members_.find(federate);
      found != members_.end() && !found->second.hidden) {
    return found->second.name;
  }
  if (const auto found = formerNames_.find(federate); found != formerNames_.end()) {
    return found->second;
  }
  return {};
}

bool Federate::wasJoined(FederateNumber federate) {
  requireMember();
  applyLog();
  if (const auto found = members_.find(federate); found != members_.end()) {
    return !found->second.hidden;
  }
  // Numbers ascend: also who left before this federate came had a lower one.
  FederateNumber last = members_.rbegin()->first;
  if (!formerNames_.empty()) last = std::max(last, formerNames_.rbegin()->first);
  return federate != 0 && federate <= last;
}

bool Federate::hasPending() const {
  if (save_.frozen()) return !save_.calls.empty() || !mom_.commands.empty();
  return !queue_.empty() ||
         (block_ != nullptr &&
          (block_->readySummary.load(std::memory_order_acquire) != 0 || inbox_.hasNews()));
}

// --- waiting
// -----------------------------------------------------------------------------------------

void Federate::wait(Lock& lock, Clock::time_point deadline) {
  if (block_ == nullptr) {
    lock.unlock();
    timespec pause{0, 2000000};
    nanosleep(&pause, nullptr);
    lock.lock();
    return;
  }
  // What was news when deliverOne() looked is in doorbell_. Another thread may resign meanwhile:
  // the memory stays mapped until this thread has seen that.
  fabric::Waiter waiter = waiter_;
  const std::uint32_t doorbell = doorbell_;
  const fabric::LogNumber applied = log_.applied;
  const auto keepArena = arena_;
  const auto keepPage = connection_.keepHostPages();
  if (endingWait_) {
    // Not back to the caller with the lock: it would come again, and endWait() never get the lock.
    lock.unlock();
    sched_yield();
    lock.lock();
    return;
  }
  waiting_ = true;
  const fabric::WatchedTail watched = inbox_.watched();
  const WatchedSlots slots = watchedSlots();
  lock.unlock();
  const bool news =
      waiter.poll(doorbell, applied, [&] { return watched.hasNews() || slots.hasNews(); });
  lock.lock();
  // The ring watched may have changed hands meanwhile: only under the lock is it ours.
  const bool advancing = block_ != nullptr && time_.advance != fabric::TimeAdvance::None;
  if (!news && block_ != nullptr && !(advancing && askForDoorbell()) && inbox_.prepareSleep()) {
    lock.unlock();
    waiter.sleep(doorbell, applied, deadline);
    lock.lock();
    inbox_.wakeUp();
  }
  waiting_ = false;
  if (block_ != nullptr) waiter_ = waiter;
}

void Federate::glance(Lock& lock) {
  if (block_ == nullptr || !waiter_.shouldYield()) return;
  lock.unlock();
  sched_yield();
  lock.lock();
}

void Federate::endWait(Lock& lock) {
  endingWait_ = true;
  while (waiting_ && block_ != nullptr) {
    fabric::ringDoorbell(*block_);
    lock.unlock();
    sched_yield();
    lock.lock();
  }
  endingWait_ = false;
}

void Federate::tellWaiterOfNews() {
  const bool timeChanges = time_.advance != fabric::TimeAdvance::None || time_.regulationPending ||
                           time_.constrainedPending;
  if (!queue_.empty() || (advanceAgain_ && timeChanges)) interruptWait();
}

void Federate::interruptWait() {
  if (block_ != nullptr) fabric::ringDoorbell(*block_);
}

}  // namespace tutti::core
