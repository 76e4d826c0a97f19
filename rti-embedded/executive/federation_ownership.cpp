// SPDX-License-Identifier: Apache-2.0
// Ownership of instance attributes (IEEE 1516.1-2010, 7) in one federation execution: where the
// rules of Ownership meet the rows of the registrants and the control log.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "executive/federation_execution.h"
#include "fabric/instance_name.h"

namespace tutti::executive {

using namespace fabric;

namespace {

tl::unexpected<Refused> notKnown(std::uint64_t instance) {
  return refuse(Refusal::ObjectInstanceNotKnown,
                "object instance " + std::to_string(instance) +
                    " is deleted already; its removal is on the way to this federate");
}

}  // namespace

Offset FederationExecution::tableOf(FederateNumber registrant) const {
  for (const auto* members : {&members_, &management_}) {
    const auto member = members->find(registrant);
    if (member == members->end()) continue;
    return blockOf(member->second).instances.load(std::memory_order_acquire);
  }
  const auto adopted =
      std::find_if(adopted_.begin(), adopted_.end(),
                   [registrant](const auto& table) { return table.federate == registrant; });
  return adopted == adopted_.end() ? 0 : adopted->instances;
}

InstanceRow* FederationExecution::rowOf(std::uint64_t instance, std::uint32_t number) const {
  std::unordered_set<Offset> seen;
  for (Offset at = tableOf(registrantOf(instance)); at != 0 && seen.insert(at).second;) {
    const auto* block = arena_->as<InstanceBlock>(at);
    if (block == nullptr) return nullptr;
    if (number < block->capacity) {
      std::byte* row = arena_->at(at + sizeof(InstanceBlock) + number * sizeof(InstanceRow),
                                  sizeof(InstanceRow));
      auto* found = reinterpret_cast<InstanceRow*>(row);
      const bool alive = found != nullptr && (found->state.load(std::memory_order_seq_cst) &
                                              InstanceRow::phaseMask) == InstanceRow::alive;
      return alive && found->handle.load(std::memory_order_relaxed) == instance ? found : nullptr;
    }
    number -= block->capacity;
    at = block->next.load(std::memory_order_acquire);
  }
  return nullptr;
}

std::string FederationExecution::nameIn(const InstanceRow& row) const {
  const std::size_t length = row.nameBytes.load(std::memory_order_relaxed);
  const auto* text = arena_->at(row.name.load(std::memory_order_relaxed), length);
  return length == 0 || length > mostNameBytes || text == nullptr
             ? std::string()
             : std::string(reinterpret_cast<const char*>(text), length);
}

void FederationExecution::freeRow(InstanceRow& row, std::uint32_t number) {
  if (const std::string name = nameIn(row); !name.empty()) names_.release({name});
  const std::uint64_t version = row.state.load(std::memory_order_relaxed) >> 8;
  row.state.store(((version + 1) << 8) | InstanceRow::free, std::memory_order_seq_cst);
  if (rowFreed_) rowFreed_(row.handle.load(std::memory_order_relaxed), number);
}

std::vector<std::uint32_t> FederationExecution::ownedIn(const InstanceRow& row) const {
  const Offset owned = row.owned.load(std::memory_order_relaxed);
  auto* list = owned == 0 ? nullptr : arena_->as<OwnedAttributes>(owned);
  if (list == nullptr) return {};
  const std::uint32_t count = std::atomic_ref(list->count).load(std::memory_order_relaxed);
  const std::size_t bytes = sizeof *list + std::size_t{count} * sizeof(std::uint32_t);
  if (arena_->at(owned, bytes) == nullptr) return {};
  const auto* handles = reinterpret_cast<const std::uint32_t*>(list + 1);
  return {handles, handles + count};
}

bool FederationExecution::isAway(const Member& member) const {
  // Its library has placed its rows before it says how far it has read the log.
  return !member.restoredInstances.empty() &&
         blockOf(member).appliedLog.load(std::memory_order_seq_cst) < returnAt_.applied;
}

const SavedInstance* FederationExecution::awayInstance(std::uint64_t instance) {
  const auto found = members_.find(registrantOf(instance));
  if (found == members_.end()) return nullptr;
  Member& registrant = found->second;
  if (!isAway(registrant)) {
    registrant.restoredInstances.clear();
    return nullptr;
  }
  const auto saved = registrant.restoredInstances.find(instance);
  return saved == registrant.restoredInstances.end() ? nullptr : &saved->second;
}

void FederationExecution::endAway(std::uint64_t instance) {
  const SavedInstance* away = awayInstance(instance);
  if (away == nullptr) return;
  if (!away->name.empty()) names_.release({away->name});
  members_.at(registrantOf(instance)).restoredInstances.erase(instance);
}

Answer<Offset> FederationExecution::placeAwayTable(FederateNumber federate, bool deletes,
                                                   std::set<std::string>& names) {
  std::vector<SavedInstance> left;
  for (const auto& [instance, saved] : members_.at(federate).restoredInstances) {
    if (deletes && ownership_.find(instance) == nullptr) continue;
    names.insert(saved.name);
    left.push_back(saved);
  }
  if (tablePlaced_) tablePlaced_(federate, left);
  return placeTable(left);
}

Ownership::Instance FederationExecution::asRegistered(const InstanceRow& row,
                                                      FederateNumber registrant,
                                                      std::uint32_t number) const {
  Ownership::Instance instance;
  instance.row = number;
  if (!members_.contains(registrant) && !management_.contains(registrant)) return instance;
  for (const std::uint32_t attribute : ownedIn(row)) {
    instance.attributes[attribute].owner = registrant;
  }
  return instance;
}

template <class Decide>
Answer<Ownership::Decision> FederationExecution::decideOwnership(std::uint64_t instance,
                                                                 std::uint32_t number,
                                                                 Decide&& decide) {
  const Ownership::Instance* known = ownership_.find(instance);
  InstanceRow* row = nullptr;
  std::uint64_t version = 0;
  Ownership::Instance fresh;
  if (known == nullptr) {
    if (const SavedInstance* away = awayInstance(instance)) {
      fresh.row = away->row;
      for (const std::uint32_t attribute : away->owned) {
        fresh.attributes[attribute].owner = registrantOf(instance);
      }
    } else {
      row = rowOf(instance, number);
      if (row == nullptr) return notKnown(instance);
      version = row->state.load(std::memory_order_seq_cst);
      fresh = asRegistered(*row, registrantOf(instance), number);
    }
  }
  Answer<Ownership::Decision> decision = decide(known != nullptr ? *known : fresh);
  if (!decision || decision->isNothing()) {
    if (decision && known != nullptr) ownership_.keep(instance, decision->instance);
    return decision;
  }
  if (known == nullptr) {
    const auto number1 =
        log_.append(LogRecordType::OwnershipBegun, Ownership::begun(instance, fresh));
    if (!number1) return refuse(Refusal::OutOfMemory, number1.error());
    ownership_.keep(instance, std::move(fresh));
    // Its registrant may be deleting it: it frees the row first and looks into the log after, we
    // do it the other way round, so one of us sees the other.
    // One who was away may be back.
    const bool isEnded =
        row != nullptr ? row->state.load(std::memory_order_seq_cst) != version
                       : awayInstance(instance) == nullptr && rowOf(instance, number) == nullptr;
    if (isEnded) {
      endOwnership(instance, number);
      return notKnown(instance);
    }
  }
  decision->record.instance = instance;
  const auto number2 = log_.append(LogRecordType::OwnershipChanged, decision->record);
  if (!number2) return refuse(Refusal::OutOfMemory, number2.error());
  endTransportations(instance, decision->record);
  ownership_.keep(instance, decision->instance);
  return decision;
}

/// How an attribute is sent is its owner's choice.
void FederationExecution::endTransportations(std::uint64_t instance,
                                             const OwnershipChangedRecord& record) {
  const Ownership::Instance* before = ownership_.find(instance);
  for (const auto& each : record.changes) {
    if (before->owner(each.attribute) != each.owner) transportations_.end(instance, each.attribute);
  }
}

void FederationExecution::endOwnership(std::uint64_t instance, std::uint32_t row) {
  endAway(instance);
  ownership_.end(instance);
  transportations_.apply(AttributeTransportationRecord{0, {instance, {}, false, true}});
  const auto told = log_.append(LogRecordType::OwnershipEnded, OwnershipEndedRecord{instance, row},
                                ControlLog::Urgency::Urgent);
  // Without memory for this nothing else can be told either; the next death ends the execution.
  static_cast<void>(told);
}

Answer<OwnershipReply> FederationExecution::ownership(FederateNumber federate,
                                                      const OwnershipRequest& request) {
  auto decision =
      decideOwnership(request.instance, request.row, [&](const Ownership::Instance& instance) {
        return Ownership::decide(instance, federate, request);
      });
  if (!decision) return tl::unexpected(decision.error());
  return OwnershipReply{std::move(decision->divested)};
}

Answer<void> FederationExecution::unpublishInstances(FederateNumber federate,
                                                     const UnpublishInstancesRequest& request) {
  for (const auto& item : request.instances) {
    const auto decision =
        decideOwnership(item.instance, item.row,
                        [&](const Ownership::Instance& instance) -> Answer<Ownership::Decision> {
                          return Ownership::unpublish(instance, federate, item.attributes);
                        });
    // One that is deleted meanwhile needs no divestiture.
    if (!decision && decision.error().refusal != Refusal::ObjectInstanceNotKnown) {
      return tl::unexpected(decision.error());
    }
  }
  return {};
}

Answer<void> FederationExecution::deleteInstance(FederateNumber federate,
                                                 const DeleteInstanceRequest& request) {
  const Ownership::Instance* known = ownership_.find(request.instance);
  if (known == nullptr) return {};  // was refused when its registrant freed the row
  if (known->owner(model_->privilegeToDelete()) != federate) {
    return refuse(Refusal::DeletePrivilegeNotHeld, "the privilege to delete object instance " +
                                                       std::to_string(request.instance) +
                                                       " is not owned by this federate");
  }
  if (auto room = log_.reserve(1, sizeof(OwnershipEndedRecord) * 2); !room) {
    return refuse(Refusal::OutOfMemory, room.error());
  }
  const std::uint32_t number = known->row;
  if (InstanceRow* row = rowOf(request.instance, number)) freeRow(*row, number);
  endOwnership(request.instance, number);
  return {};
}

bool FederationExecution::leaveOwnership(FederateNumber federate, bool deletes) {
  const std::uint32_t privilege = model_->privilegeToDelete();
  bool told = true;
  std::vector<std::uint64_t> ended;
  std::vector<std::pair<std::uint64_t, Ownership::Decision>> decisions;
  for (const auto& [instance, state] : ownership_.instances()) {
    if (deletes && state.owner(privilege) == federate) {
      ended.push_back(instance);
    } else {
      decisions.emplace_back(instance, Ownership::leave(state, federate));
    }
  }
  for (auto& [instance, decision] : decisions) {
    if (!decision.isNothing()) {
      decision.record.instance = instance;
      told =
          log_.append(LogRecordType::OwnershipChanged, decision.record, ControlLog::Urgency::Urgent)
              .has_value() &&
          told;
      endTransportations(instance, decision.record);
    }
    ownership_.keep(instance, std::move(decision.instance));
  }
  for (const std::uint64_t instance : ended) {
    const std::uint32_t number = ownership_.find(instance)->row;
    if (InstanceRow* row = rowOf(instance, number)) freeRow(*row, number);
    endAway(instance);
    ownership_.end(instance);
  }
  if (deletes) freeUntradedRows(federate);
  return told;
}

std::vector<SavedOwnership> FederationExecution::savedOwnership() const {
  std::vector<SavedOwnership> saved;
  for (const auto& [instance, state] : ownership_.instances()) {
    // The MOM registers its instances anew; nobody else ever owns what is theirs.
    if (management_.contains(registrantOf(instance))) continue;
    SavedOwnership one{instance, state.row, {}};
    for (const auto& [attribute, each] : state.attributes) {
      SavedAttributeOwnership kept{attribute, each.owner, each.divesting, each.offer, {}};
      for (const Ownership::Seeker& seeker : each.seekers) {
        kept.seekers.push_back({seeker.federate, seeker.ifAvailable, seeker.tag, seeker.serial});
      }
      one.attributes.push_back(std::move(kept));
    }
    saved.push_back(std::move(one));
  }
  return saved;
}

void FederationExecution::restoreOwnership(const std::vector<SavedOwnership>& saved) {
  for (const SavedOwnership& one : saved) {
    Ownership::Instance state;
    state.row = one.row;
    for (const SavedAttributeOwnership& kept : one.attributes) {
      Ownership::State& each = state.attributes[kept.attribute];
      each = {kept.owner, kept.divesting, kept.offer, {}};
      for (const SavedSeeker& seeker : kept.seekers) {
        each.seekers.push_back({seeker.federate, seeker.ifAvailable, seeker.tag, seeker.serial});
      }
    }
    ownership_.keep(one.instance, std::move(state));
  }
}

void FederationExecution::freeUntradedRows(FederateNumber registrant) {
  std::unordered_set<Offset> seen;
  std::uint32_t first = 0;
  for (Offset at = tableOf(registrant); at != 0 && seen.insert(at).second;) {
    const auto* block = arena_->as<InstanceBlock>(at);
    if (block == nullptr) return;
    const std::size_t rows = std::min(block->capacity, block->used.load(std::memory_order_acquire));
    std::byte* bytes = arena_->at(at + sizeof(InstanceBlock), rows * sizeof(InstanceRow));
    if (bytes == nullptr) return;
    auto* row = reinterpret_cast<InstanceRow*>(bytes);
    for (std::size_t i = 0; i < rows; ++i, ++row) {
      const bool alive = (row->state.load(std::memory_order_acquire) & InstanceRow::phaseMask) ==
                         InstanceRow::alive;
      const std::uint64_t instance = row->handle.load(std::memory_order_relaxed);
      if (alive && ownership_.find(instance) == nullptr) {
        freeRow(*row, first + static_cast<std::uint32_t>(i));
      }
    }
    first += block->capacity;
    at = block->next.load(std::memory_order_acquire);
  }
}

}  // namespace tutti::executive
