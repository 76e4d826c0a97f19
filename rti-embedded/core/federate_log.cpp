// SPDX-License-Identifier: Apache-2.0
// What the control log tells: members, declarations, synchronization points.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/federate.h"
#include "core/records.h"

namespace tutti::core {

using fabric::LogBlock;
using fabric::LogRecord;
using fabric::LogRecordType;

void Federate::loadModel(fabric::Offset offset, std::uint64_t bytes) {
  const std::byte* model = arena_->at(offset, bytes);
  if (model == nullptr) connection_.giveUp("it has no room for the object model that is told of");
  std::unique_ptr<const Model> next;
  try {
    next = std::make_unique<const Model>(std::span<const std::byte>(model, bytes));
  } catch (const ServiceFault& fault) {
    connection_.giveUp(fault.text);
  }
  declarations_.setModel(next.get());
  model_ = std::move(next);
  ++modelGeneration_;
  interactionCounts_.resize(model_->compact().interactionClassCount() + 1);
}

void Federate::applyLog() {
  const fabric::LogNumber tail = arena_->header().logTail.load(std::memory_order_seq_cst);
  if (tail == log_.applied) return;
  while (log_.applied < tail) {
    const std::byte* head = arena_->at(log_.block + log_.at, sizeof(LogRecord));
    if (head == nullptr) break;
    LogRecord record;
    std::memcpy(&record, head, sizeof record);
    if (record.type == static_cast<std::uint16_t>(LogRecordType::EndOfBlock)) {
      const auto* block = arena_->as<LogBlock>(log_.block);
      if (block == nullptr) break;
      log_.block = block->next.load(std::memory_order_acquire);
      log_.at = sizeof(LogBlock);
      continue;
    }
    // Another number: the memory of the record has been given back, as if it had been read here.
    if (record.bytes < sizeof record || record.number != log_.applied + 1 ||
        arena_->at(log_.block + log_.at, record.bytes) == nullptr) {
      break;
    }
    const auto type = static_cast<LogRecordType>(record.type);
    if (defers(type)) {
      save_.deferred.insert(save_.deferred.end(), head, head + record.bytes);
      // The memory of one who has left is freed when its record is passed; what it has done comes
      // before the rest of its end.
      fabric::FederateResignedRecord left;
      if (type == LogRecordType::FederateResigned &&
          fabric::fromWire({head + sizeof record, record.bytes - sizeof record}, left) &&
          left.federate != self_) {
        memoryLeft(left);
      }
    } else {
      applyRecord(type, {head + sizeof record, record.bytes - sizeof record});
    }
    log_.at += record.bytes;
    log_.applied = record.number;
  }
  if (log_.applied < tail) {
    connection_.giveUp("its control log cannot be read at record " +
                       std::to_string(log_.applied + 1));
  }
  tellAppliedLog();
  scopesChanged_ = true;
  if (!save_.frozen()) refreshAdvisories();
}

void Federate::tellAppliedLog() {
  // Memory of one who left is freed behind it: not while a callback reads it.
  if (!readsInPlace_) block_->appliedLog.store(log_.applied, std::memory_order_release);
}

void Federate::applyRecords(std::span<const std::byte> records) {
  while (records.size() >= sizeof(LogRecord)) {
    LogRecord record;
    std::memcpy(&record, records.data(), sizeof record);
    if (record.bytes < sizeof record || record.bytes > records.size()) break;
    applyRecord(static_cast<LogRecordType>(record.type),
                records.subspan(sizeof record, record.bytes - sizeof record));
    records = records.subspan(record.bytes);
  }
  refreshAdvisories();
}

void Federate::applyRecord(LogRecordType type, std::span<const std::byte> body) {
  switch (type) {
    case LogRecordType::FederateJoined: {
      fabric::FederateJoinedRecord r;
      if (!fabric::fromWire(body, r)) return;
      othersStale_ = true;
      members_[r.federate] = {r.name, r.type, arena_->as<fabric::FederateBlock>(r.block), r.hidden};
      if (r.router) {
        router_ = r.federate;
      } else if (r.hidden) {
        mom_.endpoint = r.federate;
      }
      if (members_[r.federate].block == nullptr) members_.erase(r.federate);
      if (onMemberJoined && !r.hidden) onMemberJoined(r);
      return;
    }
    case LogRecordType::FederateResigned: {
      fabric::FederateResignedRecord r;
      if (!fabric::fromWire(body, r)) return;
      if (onMemberLeft) {
        const auto found = members_.find(r.federate);
        if (found != members_.end()) onMemberLeft(r.federate, *found->second.block, r.lost);
      }
      memberLeft(r);
      return;
    }
    case LogRecordType::ObjectClassDeclared: {
      fabric::ObjectClassDeclaredRecord r;
      if (!fabric::fromWire(body, r) || !model_->hasObjectClass(r.objectClass)) return;
      declarations_.declareObjectClass(r.federate, r.objectClass, r.publish,
                                       {std::move(r.attributes), r.passive,
                                        std::move(r.passiveAttributes), std::move(r.updateRates)});
      return;
    }
    case LogRecordType::InteractionClassDeclared: {
      fabric::InteractionClassDeclaredRecord r;
      if (!fabric::fromWire(body, r) || !model_->hasInteractionClass(r.interactionClass)) return;
      declarations_.declareInteractionClass(r.federate, r.interactionClass, r.publish, r.active,
                                            r.passive);
      return;
    }
    case LogRecordType::ObjectClassRegions: {
      fabric::ObjectClassRegionsRecord r;
      if (!fabric::fromWire(body, r) || !model_->hasObjectClass(r.objectClass)) return;
      declarations_.declareRegions(r.federate, r.objectClass, r.attributes);
      return;
    }
    case LogRecordType::InteractionClassRegions: {
      fabric::InteractionClassRegionsRecord r;
      if (!fabric::fromWire(body, r) || !model_->hasInteractionClass(r.interactionClass)) return;
      declarations_.declareRegions(r.federate, r.interactionClass, r.regions);
      return;
    }
    case LogRecordType::SynchronizationPointAnnounced: {
      fabric::SynchronizationPointAnnouncedRecord r;
      if (!fabric::fromWire(body, r)) return;
      if (std::find(r.set.begin(), r.set.end(), self_) == r.set.end()) return;
      queueFromLog(
          [r = std::move(r)](Callbacks& c) { c.synchronizationPointAnnounced(r.label, r.tag); });
      return;
    }
    case LogRecordType::FederationSynchronized: {
      fabric::FederationSynchronizedRecord r;
      if (!fabric::fromWire(body, r)) return;
      if (std::find(r.set.begin(), r.set.end(), self_) == r.set.end()) return;
      queueFromLog(
          [r = std::move(r)](Callbacks& c) { c.federationSynchronized(r.label, r.failed); });
      return;
    }
    case LogRecordType::ModelExtended: {
      fabric::ModelExtendedRecord r;
      if (fabric::fromWire(body, r)) loadModel(r.model, r.bytes);
      return;
    }
    case LogRecordType::InstancesAdopted: {
      fabric::InstancesAdoptedRecord r;
      if (!fabric::fromWire(body, r)) return;
      adoptedTables_[r.federate] = r.instances;
      formerNames_[r.federate] = r.name;
      return;
    }
    case LogRecordType::OwnershipBegun: {
      fabric::OwnershipBegunRecord r;
      if (fabric::fromWire(body, r)) applyOwnershipBegun(r);
      return;
    }
    case LogRecordType::OwnershipChanged: {
      fabric::OwnershipChangedRecord r;
      if (fabric::fromWire(body, r)) applyOwnershipChanged(std::move(r));
      return;
    }
    case LogRecordType::OwnershipEnded: {
      fabric::OwnershipEndedRecord r;
      if (fabric::fromWire(body, r)) applyOwnershipEnded(r);
      return;
    }
    case LogRecordType::SaveScheduled:
    case LogRecordType::SaveInitiated:
    case LogRecordType::SaveBegunByAll:
    case LogRecordType::SaveEnded:
    case LogRecordType::RestoreBegun:
    case LogRecordType::RestoreEnded:
      applySaveRecord(type, body);
      return;
    case LogRecordType::AttributeTransportationChanged: {
      fabric::AttributeTransportationRecord r;
      if (fabric::fromWire(body, r)) transportations_.apply(r);
      return;
    }
    case LogRecordType::InteractionTransportationChanged: {
      fabric::InteractionTransportationRecord r;
      if (fabric::fromWire(body, r)) transportations_.apply(r);
      return;
    }
    case LogRecordType::MomCommand: {
      fabric::MomCommand r;
      if (!fabric::fromWire(body, r) || r.federate != self_) return;
      if (save_.frozen()) {
        mom_.commands.push_back(std::move(r));
        return;
      }
      drainAll();
      Queued item;
      item.effect = [this, r = std::move(r)] { performCommand(r); };
      queue_.push_back(std::move(item));
      return;
    }
    case LogRecordType::MomSwitches: {
      fabric::MomSwitches r;
      if (fabric::fromWire(body, r)) mom_.autoProvide = r.autoProvide;
      return;
    }
    case LogRecordType::MomTiming: {
      fabric::MomTiming r;
      if (onReportPeriod && fabric::fromWire(body, r)) onReportPeriod(r);
      return;
    }
    case LogRecordType::EndOfBlock:
      return;
  }
}

void Federate::memoryLeft(const fabric::FederateResignedRecord& record) {
  const FederateNumber federate = record.federate;
  // Its last data comes before its end.
  drainAll();
  const auto found = members_.find(federate);
  if (found != members_.end()) {
    if (record.keepsTable) {
      adoptedTables_[federate] = found->second.block->instances.load(std::memory_order_acquire);
    }
    if (!found->second.hidden) formerNames_[federate] = found->second.name;
    members_.erase(found);
    othersStale_ = true;
  }
  inbox_.forget(federate);
  outbox_.forget(federate);
}

void Federate::memberLeft(const fabric::FederateResignedRecord& record) {
  const FederateNumber federate = record.federate;
  if (federate == self_) return;
  memoryLeft(record);
  transportations_.left(federate);
  declarations_.remove(federate);
  Queued item;
  item.effect = [this, federate, deletes = record.deletesObjects,
                 gone = ownerLeft(federate, record.deletesObjects)] {
    if (deletes) removeInstances(federate, gone);
    offerAvailableWhere([&](ObjectInstance instance, const Known& known) {
      return traded_.contains(instance) || (known.producer() == federate && !deletes);
    });
  };
  queue_.push_back(std::move(item));
}

/// Those of `federate` that nobody traded, and `gone`.
void Federate::removeInstances(FederateNumber federate, std::vector<ObjectInstance> gone) {
  std::erase_if(gone, [this](ObjectInstance instance) { return !instances_.contains(instance); });
  for (const auto& [instance, known] : instances_) {
    if (known.producer() == federate && !traded_.contains(instance)) gone.push_back(instance);
  }
  std::sort(gone.begin(), gone.end());
  // In front of what came after, in order: removals in receive order, held like those sent.
  for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
    Queued item;
    RecordWriter writer(item.record);
    writer.put(RemoveBody{*it, 0, Described::No});
    const bool fromRti = federate == mom_.endpoint;
    writer.finish(fabric::RecordType::Remove, fromRti ? fabric::recordFlag::fromRti : 0, 0, 0, 0);
    item.sender = federate;
    queue_.push_front(std::move(item));
  }
}

void Federate::setAdvisory(bool object, bool on) {
  requireJoined();
  (object ? objectAdvisory_ : interactionAdvisory_) = on;
  // What changed while nobody was to be told.
  if (on) refreshAdvisories();
}

void Federate::refreshAdvisories() {
  if (updateAdvisory_ && advisedEpoch_ != declarations_.epoch()) refreshUpdateAdvisories();
  const Declarations::Federate* own = declarations_.of(self_);
  if (own == nullptr || (!objectAdvisory_ && !interactionAdvisory_)) return;
  if (objectAdvisory_) {
    for (const auto& [objectClass, declared] : own->published) {
      const bool relevant = declarations_.registrationRelevant(objectClass, self_);
      bool& told = registrationTold_[objectClass];
      if (relevant == told) continue;
      told = relevant;
      queueCall([objectClass = objectClass, relevant](Callbacks& c) {
        c.registrationRelevant(objectClass, relevant);
      });
    }
  }
  if (interactionAdvisory_) {
    for (const auto& [interactionClass, declared] : own->publishedInteractions) {
      const bool relevant = declarations_.interactionRelevant(interactionClass, self_);
      bool& told = interactionsTold_[interactionClass];
      if (relevant == told) continue;
      told = relevant;
      queueCall([interactionClass = interactionClass, relevant](Callbacks& c) {
        c.interactionsRelevant(interactionClass, relevant);
      });
    }
  }
  // A class published anew starts without having been told.
  std::erase_if(registrationTold_,
                [&](const auto& e) { return !own->published.contains(e.first); });
  std::erase_if(interactionsTold_,
                [&](const auto& e) { return !own->publishedInteractions.contains(e.first); });
}

}  // namespace tutti::core
