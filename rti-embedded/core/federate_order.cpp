// SPDX-License-Identifier: Apache-2.0
// Retraction of messages (8.21, 8.22), changes of order (8.23, 8.24) and transportation (6.23 to
// 6.30).
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/federate.h"
#include "core/records.h"

namespace tutti::core {
namespace {

using fabric::RecordHead;
using fabric::RecordType;
using fabric::Request;

/// Lists of messages are searched for those that have passed when they reach this and have doubled.
constexpr std::size_t leastSweep = 1024;

bool isMessage(const std::vector<std::byte>& record, std::uint64_t serial) {
  RecordHead head;
  if (record.size() < sizeof head + sizeof serial) return false;
  std::memcpy(&head, record.data(), sizeof head);
  if ((head.flags & fabric::recordFlag::timestampOrder) == 0) return false;
  return std::memcmp(record.data() + record.size() - sizeof serial, &serial, sizeof serial) == 0;
}

}  // namespace

// --- what this federate sent ---------------------------------------------------------------------

std::uint64_t Federate::nextMessage(std::uint64_t time) {
  if (retractable_.size() >= retractableSweep_) forgetPassedMessages();
  retractable_.push_back({++messageSerial_, time_.kind.key(time)});
  return messageSerial_;
}

void Federate::forgetPassedMessages() {
  const TimeKey bound = sendBound().key;
  std::erase_if(retractable_, [&](const Retractable& message) { return message.key <= bound; });
  retractableSweep_ = std::max(leastSweep, 2 * retractable_.size());
}

void Federate::forgetDeletions(bool all) {
  if (deleted_.empty()) return;
  const TimeKey bound = sendBound().key;
  std::vector<std::string> names;
  std::erase_if(deleted_, [&](Deleted& deletion) {
    if (!all && deletion.key > bound) return false;
    endTransportation(deletion.instance, deletion.known);
    dropAssociations(deletion.known);
    if (traded_.contains(deletion.instance)) {
      endTradedDeletion(deletion);
      return true;
    }
    std::string name = deletion.known.nameText();
    if (reservedNames_.erase(name) != 0) names.push_back(std::move(name));
    return true;
  });
  if (!names.empty()) connection_.tell(Request::ReleaseNames, fabric::NamesRequest{names});
}

/// Its removal has been on the way for long, but for those who came after.
void Federate::endTradedDeletion(const Deleted& deletion) {
  connection_.tell(Request::DeleteInstance, fabric::DeleteInstanceRequest{deletion.instance});
  RecordWriter writer(outgoing_);
  writer.put(RemoveBody{deletion.instance, 0, Described::No});
  writer.finish(RecordType::Remove, 0, 0, log_.applied, 0);
  receivers_ = declarations_.onceSubscribed(deletion.known.registeredClass, self_);
  std::erase_if(receivers_, [&](FederateNumber receiver) {
    return std::find(deletion.told.begin(), deletion.told.end(), receiver) != deletion.told.end();
  });
  outbox_.send(outgoing_, receivers_);
}

void Federate::forgetOwnMessages() {
  retractable_.clear();
  forgetDeletions(true);
}

bool Federate::isNameOfDeleted(const std::string& name) const {
  return std::any_of(deleted_.begin(), deleted_.end(),
                     [&](const Deleted& deletion) { return deletion.known.nameText() == name; });
}

void Federate::retract(std::uint64_t message) {
  requireJoined();
  applyLog();
  const std::uint64_t serial = serialOf(message);
  if (!time_.regulationTold) {
    fail(Fault::TimeRegulationIsNotEnabled, "This federate is not time-regulating.");
  }
  if (senderOf(message) != self_ || serial == 0 || serial > messageSerial_) {
    fail(Fault::InvalidMessageRetractionHandle,
         "The handle names no message that this federate has sent in timestamp order.");
  }
  const auto found = std::lower_bound(
      retractable_.begin(), retractable_.end(), serial,
      [](const Retractable& one, std::uint64_t wanted) { return one.serial < wanted; });
  if (found == retractable_.end() || found->serial != serial || found->key <= sendBound().key) {
    fail(Fault::MessageCanNoLongerBeRetracted,
         "The message was retracted before, or its timestamp is no longer later than this "
         "federate's logical time (or the one it asked for) plus its lookahead.");
  }
  retractable_.erase(found);
  RecordWriter writer(outgoing_);
  writer.finish(RecordType::Retract, fabric::recordFlag::timestampOrder, 0, log_.applied, 0,
                serial);
  if (serial > restoredSerial_) {
    receivers_ = outbox_.receivers();
  } else {
    // Sent in the execution that was saved, where the ways to the others were other ones.
    receivers_.clear();
    for (const auto& [federate, member] : members_) {
      if (federate != self_) receivers_.push_back(federate);
    }
  }
  outbox_.send(outgoing_, receivers_);
  restoreDeleted(serial);
}

void Federate::restoreDeleted(std::uint64_t serial) {
  const auto found = std::find_if(deleted_.begin(), deleted_.end(),
                                  [&](const Deleted& one) { return one.serial == serial; });
  if (found == deleted_.end()) return;
  const ObjectInstance instance = found->instance;
  Known known = std::move(found->known);
  deleted_.erase(found);
  // It moves with the record that has it: the text stays where it is.
  const std::string_view name = known.ownName();
  const bool isUntraded = !traded_.contains(instance);
  const auto owned = listOf(known.registeredClass, known.owned);
  if (isUntraded) {
    known.atFirst = known.owned;
    known.row = table_.add(instance, known.registeredClass, name, owned, [&](std::uint32_t row) {
      known.row = row;
      associate(known, regionsOf(known));
    });
  }
  const Known& kept = keep(std::move(known));
  countDeletable();
  tellThenApplyLog([&] {
    if (isUntraded) showRow(kept.row, instance, kept.registeredClass, name, owned);
  });
  announce(instance, kept);  // whoever has already removed it discovers it again
}

// --- what others sent ----------------------------------------------------------------------------

void Federate::noteDelivered(const RecordReader& reader, FederateNumber sender, bool granted) {
  const TimeKey key = time_.kind.key(reader.head().stamp);
  // Up to a granted time nothing can be retracted: the grant waited for its senders.
  if (granted && key <= time_.kind.key(time_.logical)) return;
  if (delivered_.size() >= deliveredSweep_) {
    std::erase_if(delivered_, [&](const Delivered& message) {
      const auto found = members_.find(message.sender);
      if (found == members_.end()) return true;
      std::uint64_t sequence = 0;
      const TimeView view = readSlot(found->second.block->time, sequence);
      // Whatever its next grant will be; none: it does not regulate.
      return message.key <= conservativeAvailable({&view, 1}, time_.kind).key;
    });
    deliveredSweep_ = std::max(leastSweep, 2 * delivered_.size());
  }
  delivered_.push_back({sender, reader.serial(), key});
}

void Federate::takeRetraction(std::span<const std::byte> record, FederateNumber sender) {
  const std::uint64_t serial = RecordReader(record).serial();
  const auto isUndelivered = [&](const Queued& item) {
    return item.sender == sender && isMessage(item.record, serial);
  };
  const auto isCounted = [&](const auto& item) {
    if (item.sender != sender || !isMessage(item.record, serial)) return false;
    uncountQueued(item.record.size());
    return true;
  };
  std::erase_if(queue_, isUndelivered);
  if (std::erase_if(held_, isCounted) != 0) {
    block_->counters.receiveOrderQueued.store(held_.size(), std::memory_order_relaxed);
  }
  if (!timestamped_.empty()) {
    const TimeKey least = timestamped_.front().key;
    const auto removed = std::erase_if(timestamped_, isCounted);
    if (removed != 0) {
      std::make_heap(timestamped_.begin(), timestamped_.end(), std::greater<>{});
      block_->counters.timestampOrderQueued.store(timestamped_.size(), std::memory_order_relaxed);
      advanceAgain_ = true;
      const bool isLater = timestamped_.empty() || timestamped_.front().key != least;
      if (isLater && time_.advance != fabric::TimeAdvance::None) {
        publishTime();
        tellTimeWaiters();
      }
    }
  }
  const auto wasDelivered = std::erase_if(delivered_, [&](const Delivered& message) {
    return message.sender == sender && message.serial == serial;
  });
  if (wasDelivered != 0) {
    // As a record, so that it is kept over a save that goes on.
    Queued item;
    item.record.assign(record.begin(), record.end());
    item.sender = sender;
    queue_.push_back(std::move(item));
  }
}

// --- order ---------------------------------------------------------------------------------------

std::uint8_t Federate::interactionKindOf(InteractionClass interactionClass) const {
  if (!interactionKinds_.empty()) {
    const auto found = interactionKinds_.find(interactionClass);
    if (found != interactionKinds_.end()) return found->second;
  }
  const auto& info = model_->interactionClass(interactionClass);
  return static_cast<std::uint8_t>((info.timestampOrder ? MessageKind::timestampOrder : 0) |
                                   (info.bestEffort ? MessageKind::bestEffort : 0));
}

void Federate::setKinds(Known& known, const std::vector<Attribute>& attributes, std::uint8_t mask,
                        std::uint8_t value) {
  const auto& all = model_->objectClass(known.registeredClass).attributes;
  if (!known.kinds) {
    std::vector<std::uint8_t> kinds;
    for (const Attribute attribute : all) kinds.push_back(modelKindOf(attribute));
    known.kinds = std::move(kinds);
  }
  for (const Attribute attribute : attributes) {
    auto& kind =
        (*known.kinds)[static_cast<std::size_t>(model_->indexOf(known.registeredClass, attribute))];
    kind = static_cast<std::uint8_t>((kind & ~mask) | value);
  }
}

void Federate::changeAttributeOrder(ObjectInstance instance,
                                    const std::vector<Attribute>& attributes, bool timestampOrder) {
  requireJoined();
  applyLog();
  Known& known = ownedAttributes(instance, attributes);
  setKinds(known, attributes, MessageKind::timestampOrder,
           timestampOrder ? MessageKind::timestampOrder : std::uint8_t{0});
}

void Federate::changeInteractionOrder(InteractionClass interactionClass, bool timestampOrder) {
  requireJoined();
  applyLog();
  requirePublished(interactionClass);
  std::uint8_t kind = interactionKindOf(interactionClass);
  kind =
      static_cast<std::uint8_t>((kind & ~MessageKind::timestampOrder) |
                                (timestampOrder ? MessageKind::timestampOrder : std::uint8_t{0}));
  interactionKinds_[interactionClass] = kind;
}

Federate::Known& Federate::ownedAttributes(ObjectInstance instance,
                                           const std::vector<Attribute>& attributes) {
  Known& known = knownInstance(instance);
  checkObjectClass(known.objectClass, attributes);
  for (const Attribute attribute : attributes) {
    const int index = model_->indexOf(known.registeredClass, attribute);
    if (!known.owned.test(static_cast<std::size_t>(index))) {
      fail(Fault::AttributeNotOwned, "Attribute " + model_->attribute(attribute).name + " of '" +
                                         known.nameText() + "' is not owned by this federate.");
    }
  }
  return known;
}

void Federate::requireInteractionClass(InteractionClass interactionClass) const {
  if (model_->hasInteractionClass(interactionClass)) return;
  fail(Fault::InteractionClassNotDefined, "Interaction class " + std::to_string(interactionClass) +
                                              " is not in the object model of '" + federation_ +
                                              "'.");
}

void Federate::requirePublished(InteractionClass interactionClass) const {
  requireInteractionClass(interactionClass);
  const auto* own = declarations_.of(self_);
  if (own == nullptr || !own->publishedInteractions.contains(interactionClass)) {
    fail(Fault::InteractionClassNotPublished, "This federate does not publish interaction class " +
                                                  model_->interactionClass(interactionClass).name +
                                                  ".");
  }
}

// --- transportation ------------------------------------------------------------------------------

void Federate::changeAttributeTransportation(ObjectInstance instance,
                                             const std::vector<Attribute>& attributes,
                                             bool bestEffort) {
  requireJoined();
  applyLog();
  ownedAttributes(instance, attributes);
  for (const Attribute attribute : attributes) {
    if (!changingAttributes_.contains({instance, attribute})) continue;
    fail(Fault::AttributeAlreadyBeingChanged,
         "The transportation of attribute " + model_->attribute(attribute).name +
             " is already being changed: wait for the confirmAttributeTransportationTypeChange "
             "callback.");
  }
  if (attributes.empty()) return;
  connection_.tell(Request::ChangeAttributeTransportation,
                   fabric::AttributeTransportationRequest{instance, attributes, bestEffort, false});
  applyLog();
  for (const Attribute attribute : attributes) changingAttributes_.insert({instance, attribute});
  Queued item;
  item.effect = [this, instance, attributes, bestEffort] {
    for (const Attribute attribute : attributes) changingAttributes_.erase({instance, attribute});
    const auto found = instances_.find(instance);
    if (found == instances_.end()) return;
    Known& known = found->second;
    std::vector<Attribute> still;
    for (const Attribute attribute : attributes) {
      const int index = model_->indexOf(known.registeredClass, attribute);
      if (known.owned.test(static_cast<std::size_t>(index))) still.push_back(attribute);
    }
    setKinds(known, still, MessageKind::bestEffort,
             bestEffort ? MessageKind::bestEffort : std::uint8_t{0});
  };
  item.call = [instance, attributes, bestEffort](Callbacks& c) {
    c.attributeTransportationChanged(instance, attributes, bestEffort);
  };
  queue_.push_back(std::move(item));
}

void Federate::queryAttributeTransportation(ObjectInstance instance, Attribute attribute) {
  requireJoined();
  applyLog();
  const Known& known = knownInstance(instance);
  checkObjectClass(known.objectClass, {attribute});
  const auto* changed = transportations_.ofAttribute(instance, attribute);
  const bool bestEffort =
      changed != nullptr ? changed->bestEffort : model_->attribute(attribute).bestEffort;
  queueCall([instance, attribute, bestEffort](Callbacks& c) {
    c.attributeTransportationReported(instance, attribute, bestEffort);
  });
}

void Federate::changeInteractionTransportation(InteractionClass interactionClass, bool bestEffort) {
  requireJoined();
  applyLog();
  requirePublished(interactionClass);
  if (changingInteractions_.contains(interactionClass)) {
    fail(Fault::InteractionClassAlreadyBeingChanged,
         "The transportation of interaction class " +
             model_->interactionClass(interactionClass).name +
             " is already being changed: wait for the confirmInteractionTransportationTypeChange "
             "callback.");
  }
  connection_.tell(Request::ChangeInteractionTransportation,
                   fabric::InteractionTransportationRequest{interactionClass, bestEffort, false});
  applyLog();
  changingInteractions_.insert(interactionClass);
  Queued item;
  item.effect = [this, interactionClass, bestEffort] {
    // Unpublished meanwhile: nothing is sent any more.
    if (changingInteractions_.erase(interactionClass) == 0) return;
    interactionKinds_[interactionClass] =
        static_cast<std::uint8_t>((interactionKindOf(interactionClass) & ~MessageKind::bestEffort) |
                                  (bestEffort ? MessageKind::bestEffort : std::uint8_t{0}));
  };
  item.call = [interactionClass, bestEffort](Callbacks& c) {
    c.interactionTransportationChanged(interactionClass, bestEffort);
  };
  queue_.push_back(std::move(item));
}

void Federate::queryInteractionTransportation(FederateNumber federate,
                                              InteractionClass interactionClass) {
  requireJoined();
  applyLog();
  requireInteractionClass(interactionClass);
  if (const auto found = members_.find(federate);
      found == members_.end() || found->second.hidden) {
    // The service lists no exception for it.
    fail(Fault::RTIinternalError,
         "Federate " + std::to_string(federate) + " is not joined to this federation execution.");
  }
  const bool* changed = transportations_.ofInteraction(federate, interactionClass);
  const bool bestEffort =
      changed != nullptr ? *changed : model_->interactionClass(interactionClass).bestEffort;
  queueCall([federate, interactionClass, bestEffort](Callbacks& c) {
    c.interactionTransportationReported(federate, interactionClass, bestEffort);
  });
}

void Federate::endTransportation(ObjectInstance instance, const Known& known) {
  if (!known.kinds || !transportations_.has(instance)) return;
  connection_.tell(Request::ChangeAttributeTransportation,
                   fabric::AttributeTransportationRequest{instance, {}, false, true});
}

void Federate::endInteractionKind(InteractionClass interactionClass) {
  interactionKinds_.erase(interactionClass);
  changingInteractions_.erase(interactionClass);
  if (transportations_.ofInteraction(self_, interactionClass) == nullptr) return;
  connection_.tell(Request::ChangeInteractionTransportation,
                   fabric::InteractionTransportationRequest{interactionClass, false, true});
}

}  // namespace tutti::core
