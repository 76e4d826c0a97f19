// SPDX-License-Identifier: Apache-2.0
// What arrives, in which order it is delivered, and what of it this federate wants.
#include <algorithm>
#include <new>
#include <utility>

#include "core/federate.h"
#include "core/records.h"
#include "core/value_list.h"

namespace tutti::core {
namespace {

using fabric::RecordHead;
using fabric::RecordType;

void count(std::atomic<std::uint64_t>& counter, std::uint64_t amount = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

MessageInfo infoOf(const RecordReader& reader, FederateNumber sender, bool granted) {
  const RecordHead& head = reader.head();
  MessageInfo info;
  info.hasTime = (head.flags & fabric::recordFlag::stamped) != 0;
  info.time = head.stamp;
  info.timestampOrderSent = (head.flags & fabric::recordFlag::timestampOrder) != 0;
  info.timestampOrderReceived = granted;
  info.bestEffort = (head.flags & fabric::recordFlag::bestEffort) != 0;
  info.producer = (head.flags & fabric::recordFlag::fromRti) != 0 ? 0 : sender;
  if (reader.serial() != 0) info.retraction = messageNumber(sender, reader.serial());
  return info;
}

}  // namespace

void Federate::queueCall(Call call) {
  if (save_.frozen()) {
    save_.calls.push_back(std::move(call));
    return;
  }
  Queued item;
  item.call = std::move(call);
  queue_.push_back(std::move(item));
}

bool Federate::tellConnectionLost(Lock& lock) {
  const std::string federation = std::move(federation_);
  const std::string damage = connection_.damage();
  // First, for it gives memory back.
  if (connection_.isOpen()) {
    leave();
    connection_.close();
  }
  const std::string again = "This federate is no longer joined; connect and join again.";
  std::string why;
  if (starved_) {
    why = "This process got no memory for what others send to it, and some of that is missing. " +
          again + " Give the process more memory.";
  } else if (!damage.empty()) {
    why = "The shared memory of federation execution '" + federation + "' is damaged: " + damage +
          ". " + again +
          " One of the federates of that execution writes where it must not: run them with a memory "
          "checker.";
  } else {
    why = "The RTI node shm:" + connection_.nodeName() + " has ended. " + again +
          " The node's log tells why it ended.";
  }
  starved_ = false;
  callOut(lock, [&] { callbacks_.connectionLost(why); });
  return true;
}

bool Federate::deliverOne(Lock& lock) try {
  if (starved_) return tellConnectionLost(lock);
  if (!connection_.isOpen()) return false;
  if (connection_.lost()) return tellConnectionLost(lock);
  if (block_ == nullptr) {
    if (queue_.empty()) return false;
    Queued item = std::move(queue_.front());
    queue_.pop_front();
    return deliver(std::move(item), lock);
  }
  touch();
  while (block_ != nullptr) {
    doorbell_ = waiter_.doorbell();
    applyLog();
    if (save_.frozen()) {
      if (deliverFrozen(lock)) return true;
      if (save_.frozen()) return false;
      continue;
    }
    if (save_.scheduled) scheduledSaveDue();
    if (regionsMoved_) discoverInRegions();
    if (scopesChanged_) refreshScopes();
    if (!queue_.empty()) {
      Queued item = std::move(queue_.front());
      queue_.pop_front();
      if (item.initiatesSave && !initiateSave(item)) continue;
      if (deliver(std::move(item), lock)) return true;
      continue;
    }
    FederateNumber sender = 0;
    Inbox::Source* source = nullptr;
    if (inbox_.nextInPlace(incoming_, sender, source)) {
      const bool inPlace = Inbox::isReference(incoming_) && mayReadInPlace();
      if (queueTimestamped(incoming_, sender, source)) continue;
      if (inPlace ? deliverInPlace(sender, lock) : deliverRecord(incoming_, sender, false, lock)) {
        return true;
      }
      continue;
    }
    if (!advanceTime()) {
      if (updateAdvisory_ && refreshMovedUpdateAdvisories()) continue;
      break;
    }
    if (std::exchange(grantNow_, false)) {
      endAdvance(time_.logical);
      callOut(lock, [this, time = time_.logical] { callbacks_.timeAdvanceGranted(time); });
      return true;
    }
  }
  if (outbox_.keeps()) outbox_.sendKept();
  return false;
} catch (const ServiceFault&) {
  if (connection_.damage().empty()) throw;
  return tellConnectionLost(lock);
} catch (const std::bad_alloc&) {
  if (block_ == nullptr) throw;
  // What could not be taken is missing from now on, and those who send to it would wait for ever.
  if (!lock.owns_lock()) lock.lock();
  starved_ = true;
  return tellConnectionLost(lock);
}

/// Whether the body of `incoming_` can be handed out from its chunk; if not, makes it whole.
bool Federate::mayReadInPlace() {
  RecordHead head;
  std::memcpy(&head, incoming_.data(), sizeof head);
  const bool delivers = head.type == RecordType::Update || head.type == RecordType::Interaction;
  const bool queues = (head.flags & fabric::recordFlag::timestampOrder) != 0 &&
                      (time_.constrained || time_.constrainedPending);
  const bool early = head.logNumber > log_.applied;  // see deliverRecord()
  if (delivers && !queues && !early && !mustHold(incoming_, false)) return true;
  inbox_.makeWhole(incoming_);
  inbox_.release();
  return false;
}

bool Federate::deliverInPlace(FederateNumber sender, Lock& lock) {
  // Who resigns in the callback unmaps the arena.
  const auto keepArena = arena_;
  readsInPlace_ = true;
  struct End {
    Federate& federate;
    ~End() {
      federate.inbox_.release();
      federate.readsInPlace_ = false;
      if (federate.block_ != nullptr) federate.tellAppliedLog();
    }
  } const end{*this};
  return deliverRecord(incoming_, sender, false, lock);
}

void Federate::drainAll() {
  std::vector<std::byte> record;
  FederateNumber sender = 0;
  Inbox::Source* source = nullptr;
  while (inbox_.next(record, sender, source)) {
    if (queueTimestamped(record, sender, source)) continue;
    Queued item;
    item.record = std::move(record);
    item.sender = sender;
    queue_.push_back(std::move(item));
    record = {};
  }
}

void Federate::queueFromLog(Call call) {
  drainAll();
  if (!save_.frozen()) {
    // The record that is being applied has the number after `applied`. Data whose sender had
    // applied it follows its callback: what comes after a synchronization stays behind it.
    const auto place = std::stable_partition(queue_.begin(), queue_.end(), [&](const Queued& item) {
      if (item.record.empty() || item.granted) return true;
      RecordHead head;
      std::memcpy(&head, item.record.data(), sizeof head);
      return head.logNumber <= log_.applied;
    });
    Queued item;
    item.call = std::move(call);
    queue_.insert(place, std::move(item));
    return;
  }
  queueCall(std::move(call));
}

bool Federate::queueTimestamped(std::vector<std::byte>& record, FederateNumber sender,
                                Inbox::Source* source) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  if ((head.flags & fabric::recordFlag::timestampOrder) == 0) return false;
  if (head.type == RecordType::Retract) {
    takeRetraction(record, sender);
    inbox_.countTaken(source);
    return true;
  }
  if (!time_.constrained && !time_.constrainedPending) {
    inbox_.countTaken(source);
    return false;
  }
  const TimeKey key = time_.kind.key(head.stamp);
  const bool least = timestamped_.empty() || key < timestamped_.front().key;
  std::vector<std::byte> copy;
  if (!spareBuffers_.empty()) {
    copy = std::move(spareBuffers_.back());
    spareBuffers_.pop_back();
  }
  copy.swap(record);
  count(block_->counters.queuedBytes, copy.size());
  timestamped_.push_back({key, sender, ++timestampedSequence_, std::move(copy)});
  std::push_heap(timestamped_.begin(), timestamped_.end(), std::greater<>{});
  if (least) block_->counters.leastQueuedStamp.store(head.stamp, std::memory_order_relaxed);
  block_->counters.timestampOrderQueued.store(timestamped_.size(), std::memory_order_relaxed);
  advanceAgain_ = true;
  // The others first see that the stamp is here, then that it is no longer on its way.
  const bool advancing = time_.advance != fabric::TimeAdvance::None;
  if (least && advancing) publishTime();
  inbox_.countTaken(source);
  if (advancing) tellTimeWaiters();
  return true;
}

bool Federate::mustHold(const std::vector<std::byte>& record, bool granted) const {
  if (granted || !time_.constrainedTold || time_.advancing || time_.asynchronousDelivery) {
    return false;
  }
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  return head.type == RecordType::Update || head.type == RecordType::Interaction ||
         head.type == RecordType::Remove;
}

bool Federate::deliver(Queued item, Lock& lock) {
  if (item.effect) item.effect();
  if (item.call) {
    callOut(lock, [&] { item.call(callbacks_); });
    return true;
  }
  if (item.record.empty()) return false;
  const bool done = deliverRecord(item.record, item.sender, item.granted, lock);
  if (spareBuffers_.size() < 256) spareBuffers_.push_back(std::move(item.record));
  return done;
}

bool Federate::deliverRecord(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                             Lock& lock) {
  if (record.size() < sizeof(RecordHead)) return false;
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  if (head.logNumber > log_.applied) {
    if (!granted && arena_->header().logTail.load(std::memory_order_acquire) >= head.logNumber) {
      // Its sender knew what the log tells next, of which this federate may have to hear first.
      Queued item;
      item.record = std::move(record);
      item.sender = sender;
      queue_.push_front(std::move(item));
      record = {};
      applyLog();
      return false;
    }
    applyLog();
  }
  if (mustHold(record, granted)) {
    Queued item;
    inbox_.makeWhole(record);
    count(block_->counters.queuedBytes, record.size());
    item.record = std::move(record);
    item.sender = sender;
    held_.push_back(std::move(item));
    block_->counters.receiveOrderQueued.store(held_.size(), std::memory_order_relaxed);
    record = {};
    return false;
  }
  count(block_->counters.bytesReceived, sizeof head + inbox_.bodyOf(record).size());
  switch (head.type) {
    case RecordType::Update:
      return deliverUpdate(record, sender, granted, lock);
    case RecordType::Interaction:
      return deliverInteraction(record, sender, granted, lock);
    case RecordType::Remove:
      return deliverRemove(record, sender, granted, lock);
    case RecordType::RequestUpdate:
    case RecordType::RequestClassUpdate:
      return deliverRequest(record, lock);
    case RecordType::Discover:
      return deliverDiscover(record, sender, lock);
    case RecordType::Retract:
      return deliverRetraction(record, sender, lock);
    case RecordType::Padding:
    case RecordType::Moved:
    case RecordType::TableRow:
    case RecordType::TableRegion:
    case RecordType::TableUpdateRegion:
      break;
  }
  return false;
}

/// Of a message that was delivered before; others were dealt with on arrival.
bool Federate::deliverRetraction(const std::vector<std::byte>& record, FederateNumber sender,
                                 Lock& lock) {
  const std::uint64_t message = messageNumber(sender, RecordReader(record).serial());
  callOut(lock, [&] { callbacks_.retractionRequested(message); });
  return true;
}

InstanceEntry Federate::takeEntry(RecordReader& reader) {
  DiscoverBody body{};
  reader.take(body);
  const auto name = reader.takeBytes(body.nameBytes);
  InstanceEntry entry{body.instance,
                      body.objectClass,
                      std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                      body.row,
                      {}};
  for (std::uint32_t i = 0; i < body.owned && !reader.failed(); ++i) {
    reader.take(entry.owned.emplace_back());
  }
  return entry;
}

bool Federate::deliverDiscover(std::vector<std::byte>& record, FederateNumber sender, Lock& lock) {
  RecordReader reader(record);
  const InstanceEntry entry = takeEntry(reader);
  AttributeRegions regions;
  for (std::size_t i = 0; i < reader.head().count && !reader.failed(); ++i) {
    reader.take(regions.emplace_back());
  }
  if (reader.failed()) return false;
  if (const auto known = instances_.find(entry.instance); known != instances_.end()) {
    if (known->second.producer() == sender) known->second.row = entry.row;
    scopesChanged_ = true;  // its regions have moved
    return false;
  }
  const auto registrant = registrantOf(entry.instance);
  // Another owner, whose region has moved, may not have been told yet that the instance is deleted.
  if (sender != registrant &&
      !findInstance(*arena_, tableOf(registrant), entry.row, entry.instance)) {
    return false;
  }
  return isDiscoverable(entry, registrant, false, regions) &&
         deliverDiscover(entry, registrant, lock);
}

bool Federate::deliverDiscover(const InstanceEntry& entry, FederateNumber producer, Lock& lock) {
  const ObjectInstance instance = entry.instance;
  const ObjectClass knownAs = declarations_.subscribedAt(self_, entry.objectClass);
  Known known;
  known.instance = instance;
  known.objectClass = knownAs;
  known.registeredClass = entry.objectClass;
  known.row = entry.row;
  if (!entry.name.empty()) known.name = entry.name;
  known.atFirst = setOf(entry.objectClass, entry.owned);
  const std::string told = keep(std::move(known)).nameText();
  scopesChanged_ = true;
  count(block_->counters.instancesDiscovered);
  if (mom_.autoProvide && members_.contains(producer)) {
    Queued item;
    item.effect = [this, instance, knownAs] {
      if (!instances_.contains(instance)) return;
      const auto* own = declarations_.of(self_);
      if (own == nullptr || !own->subscribes(knownAs)) return;
      requestUpdate(instance, declarations_.allSubscribed(self_, knownAs), {});
    };
    queue_.push_front(std::move(item));
  }
  offerAvailable(instance);
  const FederateNumber conveyed = producer == mom_.endpoint ? 0 : producer;
  callOut(lock, [&] { callbacks_.discovered(instance, knownAs, told, conveyed); });
  return true;
}

bool Federate::deliverUpdate(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                             Lock& lock) {
  RecordReader reader(record, inbox_.bodyOf(record));
  UpdateBody body{};
  reader.take(body);
  MessageInfo info = infoOf(reader, sender, granted);
  if (!readValues(reader, reader.head().count, body.tagBytes, values_, info.tag)) return false;
  const bool withRegions = (reader.head().flags & fabric::recordFlag::regions) != 0;
  sent_.clear();
  if (withRegions && !sent_.read(reader)) return false;
  const auto found = instances_.find(body.instance);
  if (found == instances_.end()) {
    // Registered before we subscribed, or known through another federate only: its registrant's
    // table tells. If it is no longer there, it is gone.
    const auto registrant = registrantOf(body.instance);
    const auto entry = entryOf(body.instance, body.row);
    if (!entry || removed_.contains(body.instance) || isDeletedHere(body.instance) ||
        !model_->hasObjectClass(entry->objectClass)) {
      return false;
    }
    const ObjectClass as = declarations_.subscribedAt(self_, entry->objectClass);
    if (as == 0 || !isAnyInScope(as, values_, sent_)) return false;
    Queued again;
    again.record = record;
    inbox_.makeWhole(again.record);
    again.sender = sender;
    again.granted = granted;
    queue_.push_front(std::move(again));
    return deliverDiscover(*entry, registrant, lock);
  }
  const Known& known = found->second;
  const ObjectClass objectClass = known.objectClass;
  if (withRegions || declarations_.anyDetail()) {
    keepInScope(objectClass);
  } else {
    const AttributeSet* subscribed = declarations_.subscription(self_, objectClass);
    std::erase_if(values_, [&](const Value& value) {
      const int index = model_->indexOf(objectClass, value.handle);
      return index < 0 || !subscribed->test(static_cast<std::size_t>(index));
    });
  }
  if (!known.owned.empty()) {
    // Sent before it became ours.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const int index = model_->indexOf(known.registeredClass, values_[i].handle);
      if (index < 0 || known.owned.test(static_cast<std::size_t>(index))) continue;
      values_[kept] = values_[i];
      if (i < sets_.size()) sets_[kept] = sets_[i];
      ++kept;
    }
    values_.resize(kept);
    if (sets_.size() > kept) sets_.resize(kept);
  }
  if (values_.empty()) return false;
  count(block_->counters.reflectionsReceived);
  if (reader.serial() != 0) noteDelivered(reader, sender, granted);
  MessageCounts& reflections = found->second.reflections;
  if (reflections[0] + reflections[1] == 0) count(block_->counters.instancesReflected);
  ++reflections[info.bestEffort ? 1 : 0];
  if (withRegions) divideByRegions(body.instance, objectClass, info);
  callOut(lock, [&] { callbacks_.reflected(body.instance, objectClass, values_, info); });
  return true;
}

/// With Delay Subscription Evaluation: an instance exists here until its removal is delivered, also
/// for who subscribes it only when its registrant has deleted it.
void Federate::visitDeletedLater(
    const std::function<void(const InstanceEntry&, FederateNumber, Described)>& visit) const {
  if (!model_->switches().delaySubscriptionEvaluation) return;
  const auto look = [&](const std::vector<std::byte>& record, FederateNumber sender) {
    RecordReader reader(record);
    if (reader.head().type != RecordType::Remove || reader.serial() == 0) return;
    RemoveBody body{};
    reader.take(body);
    reader.takeBytes(body.tagBytes);
    if (body.described == Described::No) return;
    const InstanceEntry entry = takeEntry(reader);
    if (reader.failed() || entry.instance != body.instance ||
        registrantOf(body.instance) != sender || !model_->hasObjectClass(entry.objectClass)) {
      return;
    }
    visit(entry, sender, body.described);
  };
  for (const TimestampedMessage& message : timestamped_) look(message.record, message.sender);
  for (const Queued& item : queue_) {
    if (item.granted && !item.record.empty()) look(item.record, item.sender);
  }
}

/// Of an instance that this federate does not know; nothing when it is gone.
std::optional<InstanceEntry> Federate::entryOf(ObjectInstance instance, std::uint32_t row) const {
  auto found = findInstance(*arena_, tableOf(registrantOf(instance)), row, instance);
  if (found) return found;
  visitDeletedLater([&](const InstanceEntry& entry, FederateNumber, Described) {
    if (entry.instance == instance) found = entry;
  });
  return found;
}

bool Federate::deliverInteraction(std::vector<std::byte>& record, FederateNumber sender,
                                  bool granted, Lock& lock) {
  RecordReader reader(record, inbox_.bodyOf(record));
  InteractionBody body{};
  reader.take(body);
  MessageInfo info = infoOf(reader, sender, granted);
  if (!readValues(reader, reader.head().count, body.tagBytes, values_, info.tag)) return false;
  if (!model_->hasInteractionClass(body.interactionClass)) return false;
  const InteractionClass as = declarations_.interactionSubscribedAt(self_, body.interactionClass);
  if (as == 0) return false;
  sent_.clear();
  if ((reader.head().flags & fabric::recordFlag::regions) != 0 && !sent_.read(reader)) return false;
  if (!isInteractionInScope(body.interactionClass, as, sent_)) return false;
  if (!sent_.empty()) info.regions = convey(sent_, 1);
  if (as != body.interactionClass) {
    std::erase_if(values_, [&](const Value& v) { return !model_->hasParameter(as, v.handle); });
  }
  info.isServiceReport = mom_.serviceReporting && body.interactionClass == serviceReports();
  count(block_->counters.interactionsReceived);
  if (reader.serial() != 0) noteDelivered(reader, sender, granted);
  ++interactionCounts_[body.interactionClass].received[info.bestEffort ? 1 : 0];
  callOut(lock, [&] { callbacks_.received(as, values_, info); });
  return true;
}

bool Federate::deliverRemove(std::vector<std::byte>& record, FederateNumber sender, bool granted,
                             Lock& lock) {
  RecordReader reader(record);
  RemoveBody body{};
  reader.take(body);
  MessageInfo info = infoOf(reader, sender, granted);
  info.tag = reader.takeBytes(body.tagBytes);
  if (reader.failed()) return false;
  const bool known = instances_.contains(body.instance);
  if (registrantOf(body.instance) != sender) {
    // Its registrant's records come another way: some may be on it that say that it exists.
    drainAll();
    if (!known && !granted && awaited_.insert(body.instance).second) {
      Queued after;
      after.record = record;
      after.sender = sender;
      queue_.push_back(std::move(after));
      return false;
    }
    awaited_.erase(body.instance);
    if (known) {
      removed_.insert(body.instance);
      Queued last;
      last.effect = [this, instance = body.instance] { removed_.erase(instance); };
      queue_.push_back(std::move(last));
    }
  }
  if (!known) return false;
  dropAssociations(instances_.at(body.instance));
  forgetInstance(body.instance);
  count(block_->counters.instancesRemoved);
  if (reader.serial() != 0) noteDelivered(reader, sender, granted);
  callOut(lock, [&] { callbacks_.removed(body.instance, info); });
  return true;
}

bool Federate::deliverRequest(std::vector<std::byte>& record, Lock& lock) {
  RecordReader reader(record);
  RequestBody body{};
  reader.take(body);
  std::vector<Attribute> wanted;
  for (std::size_t i = 0; i < reader.head().count && !reader.failed(); ++i) {
    Attribute attribute = 0;
    reader.take(attribute);
    wanted.push_back(attribute);
  }
  const auto tag = reader.takeBytes(body.tagBytes);
  sent_.clear();
  if ((reader.head().flags & fabric::recordFlag::regions) != 0 && !sent_.read(reader)) return false;
  if (reader.failed()) return false;

  const auto ownedOf = [&](ObjectInstance instance, const Known& known) {
    std::vector<Attribute> owned;
    for (const Attribute attribute : wanted) {
      const int index = model_->indexOf(known.registeredClass, attribute);
      if (index >= 0 && known.owned.test(static_cast<std::size_t>(index)) &&
          attribute != model_->privilegeToDelete() &&
          (sent_.empty() || isRequestInScope(instance, attribute, sent_))) {
        owned.push_back(attribute);
      }
    }
    return owned;
  };
  if (body.instance != 0) {
    const auto found = instances_.find(body.instance);
    if (found == instances_.end()) return false;
    const std::vector<Attribute> owned = ownedOf(body.instance, found->second);
    if (owned.empty()) return false;
    callOut(lock, [&] { callbacks_.updateRequested(body.instance, owned, tag); });
    return true;
  }
  if (!model_->hasObjectClass(body.objectClass)) return false;
  std::vector<std::pair<ObjectInstance, std::vector<Attribute>>> asked;
  for (const auto& [instance, known] : instances_) {
    if (known.owned.empty()) continue;
    ObjectClass c = known.registeredClass;
    while (c != 0 && c != body.objectClass) c = model_->objectClass(c).parent;
    if (c == 0) continue;
    if (auto owned = ownedOf(instance, known); !owned.empty())
      asked.emplace_back(instance, std::move(owned));
  }
  std::sort(asked.begin(), asked.end());
  const std::vector<std::byte> keptTag(tag.begin(), tag.end());
  for (auto it = asked.rbegin(); it != asked.rend(); ++it) {
    Queued item;
    item.call = [instance = it->first, attributes = std::move(it->second), keptTag](Callbacks& c) {
      c.updateRequested(instance, attributes, keptTag);
    };
    queue_.push_front(std::move(item));
  }
  return false;
}

}  // namespace tutti::core
