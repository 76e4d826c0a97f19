// SPDX-License-Identifier: Apache-2.0
// Save and restore of a federation execution (IEEE 1516.1-2010, 4.16 to 4.32).
#include <algorithm>
#include <new>
#include <unordered_set>
#include <utility>

#include "executive/federation_execution.h"

namespace tutti::executive {

using namespace fabric;

namespace {

tl::unexpected<Refused> noMemory(std::string message) {
  return refuse(Refusal::OutOfMemory, std::move(message));
}

template <class T>
void storeWord(std::atomic<T>& word, std::span<const std::byte>& from) {
  T value{};
  if (from.size() >= sizeof value) {
    std::memcpy(&value, from.data(), sizeof value);
    from = from.subspan(sizeof value);
  }
  word.store(value, std::memory_order_relaxed);
}

}  // namespace

// --- saves ---------------------------------------------------------------------------------------

Answer<void> FederationExecution::tell(LogRecordType type, const auto& record) {
  const auto number = log_.append(type, record, ControlLog::Urgency::Urgent);
  if (!number) return noMemory(number.error());
  return {};
}

Answer<void> FederationExecution::requestSave(FederateNumber, const RequestSaveRequest& request) {
  if (auto idle = saveRestore_.checkIdle(); !idle) return idle;
  if (request.hasTime) {
    const auto& scheduled = saveRestore_.schedule(request.label, request.time);
    return tell(LogRecordType::SaveScheduled, SaveScheduledRecord{scheduled.save, scheduled.time});
  }
  return initiateSave(SaveInitiatedRecord{request.label, false, 0});
}

Answer<void> FederationExecution::initiateSave(const SaveInitiatedRecord& record) {
  saveRestore_.initiateSave(record.label, joinedSet());
  savingAt_ = record.hasTime ? std::optional(record.time) : std::nullopt;
  return tell(LogRecordType::SaveInitiated, record);
}

Answer<void> FederationExecution::initiateScheduledSave() {
  const SaveRestore::Scheduled scheduled = *saveRestore_.scheduled();
  return initiateSave(SaveInitiatedRecord{scheduled.label, true, scheduled.time});
}

Answer<void> FederationExecution::saveTimeReached(FederateNumber federate,
                                                  const SaveTimeReachedRequest& request) {
  if (!saveRestore_.reached(request.save, federate, joinedSet())) return {};
  return initiateScheduledSave();
}

Answer<void> FederationExecution::saveBegun(FederateNumber federate) {
  const auto all = saveRestore_.saveBegun(federate);
  if (!all) return tl::unexpected(all.error());
  return *all ? tell(LogRecordType::SaveBegunByAll, NoArguments{}) : Answer<void>{};
}

Answer<void> FederationExecution::saveCompleted(FederateNumber federate,
                                                const CompletedRequest& request) {
  if (request.successfully) return saveRestore_.saveCompleted(federate);
  if (auto begun = saveRestore_.checkSaveBegun(federate); !begun) return begun;
  return endSave(SaveRestore::SaveFailure::FederateReported, members_.at(federate).name);
}

Answer<bool> FederationExecution::savedState(FederateNumber federate,
                                             const SavedStateRequest& request) {
  return saveRestore_.saved(federate, request);
}

Answer<void> FederationExecution::abortSave() {
  if (auto saving = saveRestore_.checkSaving(); !saving) return saving;
  return endSave(SaveRestore::SaveFailure::Aborted);
}

Answer<void> FederationExecution::endSave(std::optional<SaveRestore::SaveFailure> failure,
                                          const std::string& federate) {
  lastOutcome_ = {lastOutcome_.number + 1,
                  false,
                  saveRestore_.label(),
                  !failure,
                  failure ? static_cast<std::uint32_t>(*failure) : 0,
                  federate};
  if (!failure) {
    lastSave_ = saveRestore_.label();
    lastSaveTime_ = savingAt_;
  }
  saveRestore_.endSave();
  return tell(LogRecordType::SaveEnded,
              EndedRecord{!failure, failure ? static_cast<std::uint32_t>(*failure) : 0});
}

SavedExecution FederationExecution::takeSaved() {
  SavedExecution saved;
  saved.federation = name_;
  saved.label = saveRestore_.label();
  saved.timeImplementation = timeImplementation_;
  saved.model = model_->history();
  saved.lastFederate = lastFederate_;
  saved.management = management();
  auto states = saveRestore_.takeStates();
  for (const auto& [federate, member] : members_) {
    SavedMember one;
    one.federate = federate;
    one.name = member.name;
    one.type = member.type;
    one.automaticResignAction =
        blockOf(member).automaticResignAction.load(std::memory_order_relaxed);
    for (const auto& [key, record] : member.objectClasses) one.objectClasses.push_back(record);
    for (const auto& [key, record] : member.interactions) one.interactions.push_back(record);
    one.onceSubscribed.assign(member.onceSubscribed.begin(), member.onceSubscribed.end());
    for (const auto& [key, record] : member.regions.objectClasses) {
      one.objectClassRegions.push_back(record);
    }
    for (const auto& [key, record] : member.regions.interactions) {
      one.interactionRegions.push_back(record);
    }
    for (const ModuleText& module : member.modules) {
      one.modules.push_back({module.designator, *module.content});
    }
    one.instances = savedInstances(blockOf(member).instances.load(std::memory_order_acquire));
    one.reportPeriod = member.reportPeriod;
    one.own = std::move(states.at(federate));
    saved.members.push_back(std::move(one));
  }
  for (const auto& [name, holder] : names_.all()) saved.names.push_back({name, holder});
  for (const auto& [label, point] : points_.open()) {
    SavedPoint one{
        label, point.tag, point.everyone, {point.members.begin(), point.members.end()}, {}};
    for (const auto& [federate, well] : point.achieved) one.achieved.push_back({federate, well});
    saved.points.push_back(std::move(one));
  }
  if (autoProvide_) saved.autoProvide = *autoProvide_ ? 2 : 1;
  for (const AdoptedTable& table : adopted_) {
    saved.tables.push_back({table.federate, table.name, savedInstances(table.instances)});
  }
  transportations_.visit(
      [&](const auto& record) { saved.attributeTransportations.push_back(record); },
      [&](const auto& record) { saved.interactionTransportations.push_back(record); });
  saved.ownership = savedOwnership();
  return saved;
}

std::vector<SavedInstance> FederationExecution::savedInstances(Offset table) const {
  std::vector<SavedInstance> saved;
  visitRows(table, [&](const InstanceRow& row, std::uint32_t number) {
    saved.push_back({number, row.handle.load(std::memory_order_relaxed),
                     row.objectClass.load(std::memory_order_relaxed), nameIn(row), ownedIn(row)});
    return false;
  });
  return saved;
}

SaveStatusReply FederationExecution::saveStatus() const {
  return {saveRestore_.saveStatus(joinedSet())};
}

// --- restores ------------------------------------------------------------------------------------

std::optional<std::vector<RestoredIdentity>> FederationExecution::identitiesFor(
    const SavedExecution& saved) const {
  std::vector<RestoredIdentity> identities;
  std::set<FederateNumber> taken;
  const auto assign = [&](bool sameName) {
    for (const auto& [federate, member] : members_) {
      const bool has = std::any_of(identities.begin(), identities.end(),
                                   [&](const auto& one) { return one.before == federate; });
      if (has) continue;
      for (const SavedMember& candidate : saved.members) {
        if (taken.contains(candidate.federate) || candidate.type != member.type ||
            (sameName && candidate.name != member.name)) {
          continue;
        }
        identities.push_back({federate, candidate.federate, candidate.name});
        taken.insert(candidate.federate);
        break;
      }
    }
  };
  assign(true);
  assign(false);
  if (identities.size() != members_.size() || identities.size() != saved.members.size()) {
    return std::nullopt;
  }
  return identities;
}

Answer<bool> FederationExecution::beginRestore(const SavedExecution& saved) {
  auto identities = identitiesFor(saved);
  if (!identities) return false;
  saveRestore_.beginRestore(saved.label, *identities);
  auto told = tell(LogRecordType::RestoreBegun, RestoreBegunRecord{saved.label, *identities});
  if (!told) return tl::unexpected(told.error());
  return true;
}

Answer<bool> FederationExecution::restoreCompleted(FederateNumber federate,
                                                   const CompletedRequest& request) {
  auto all = saveRestore_.restoreCompleted(federate);
  if (!all || request.successfully) return all;
  auto ended =
      endRestore(SaveRestore::RestoreFailure::FederateReported, members_.at(federate).name);
  if (!ended) return tl::unexpected(ended.error());
  return false;
}

Answer<void> FederationExecution::abortRestore() {
  if (auto restoring = saveRestore_.checkRestoring(); !restoring) return restoring;
  return endRestore(SaveRestore::RestoreFailure::Aborted);
}

Answer<void> FederationExecution::endRestore(std::optional<SaveRestore::RestoreFailure> failure,
                                             const std::string& federate) {
  lastOutcome_ = {lastOutcome_.number + 1,
                  true,
                  saveRestore_.label(),
                  !failure,
                  failure ? static_cast<std::uint32_t>(*failure) : 0,
                  federate};
  saveRestore_.endRestore();
  return tell(LogRecordType::RestoreEnded,
              EndedRecord{!failure, failure ? static_cast<std::uint32_t>(*failure) : 0});
}

RestoreStatusReply FederationExecution::restoreStatus() const {
  return {saveRestore_.restoreStatus(joinedSet())};
}

SavesReply FederationExecution::saves() const {
  SavesReply reply;
  reply.last = lastOutcome_;
  const auto add = [&](FederateNumber federate, std::uint32_t status) {
    const auto member = members_.find(federate);
    reply.parts.push_back({member == members_.end() ? std::string() : member->second.name, status});
  };
  if (saveRestore_.isSaving()) {
    reply.activity = SaveActivity::Saving;
    for (const auto& one : saveRestore_.saveStatus(joinedSet())) add(one.federate, one.status);
  } else if (saveRestore_.isRestoring()) {
    reply.activity = SaveActivity::Restoring;
    for (const auto& one : saveRestore_.restoreStatus(joinedSet())) add(one.before, one.status);
  }
  if (reply.activity != SaveActivity::None) reply.label = saveRestore_.label();
  return reply;
}

Answer<std::unique_ptr<FederationExecution>> FederationExecution::restore(
    const SavedExecution& saved, std::shared_ptr<const FederationModel> model,
    const std::map<FederateNumber, Joiner>& joiners, Budget& budget) {
  auto made = create(saved.federation, saved.timeImplementation, std::move(model), budget);
  if (!made) return made;
  FederationExecution& execution = **made;
  execution.lastFederate_ = saved.lastFederate;
  if (saved.autoProvide != 0) execution.autoProvide_ = saved.autoProvide == 2;
  for (const SavedTable& table : saved.tables) {
    const auto placed = execution.placeTable(table.instances);
    if (!placed) return tl::unexpected(placed.error());
    if (*placed != 0) execution.adopted_.push_back({table.registrant, *placed, table.name});
  }
  execution.restoreOwnership(saved.ownership);
  for (const SavedName& name : saved.names) execution.names_.reserve(name.holder, {name.name});
  std::map<std::string, SynchronizationPoints::Point> points;
  for (const SavedPoint& point : saved.points) {
    auto& one = points[point.label];
    one = {point.tag, point.everyone, {point.members.begin(), point.members.end()}, {}};
    for (const auto& a : point.achieved) one.achieved[a.federate] = a.successfully;
  }
  execution.points_.restore(std::move(points));
  for (const auto& record : saved.attributeTransportations)
    execution.transportations_.apply(record);
  for (const auto& record : saved.interactionTransportations) {
    execution.transportations_.apply(record);
  }
  const bool linked = std::any_of(joiners.begin(), joiners.end(),
                                  [](const auto& joiner) { return joiner.second.remote; });
  if (linked) {
    if (auto opened = execution.openRouter(); !opened) return tl::unexpected(opened.error());
  }
  for (const SavedMember& member : saved.members) {
    auto placed = execution.placeMember(member, joiners.at(member.federate));
    if (!placed) return tl::unexpected(placed.error());
  }
  execution.lastSave_ = saved.label;
  if (saved.management != 0) {
    if (auto opened = execution.openManagement(saved.management); !opened) {
      return tl::unexpected(opened.error());
    }
  }
  if (auto open = execution.openForReturns(); !open) return tl::unexpected(open.error());
  return made;
}

Answer<Offset> FederationExecution::placeTable(const std::vector<SavedInstance>& instances) {
  if (instances.empty()) return Offset{0};
  std::uint64_t nameBytes = 0;
  std::uint32_t rows = 0;
  for (const SavedInstance& one : instances) {
    rows = std::max(rows, one.row + 1);
    nameBytes += (one.name.size() + 7) & ~std::uint64_t{7};
  }
  const std::string purpose = "object instances of federates that have left";
  auto extent = arena_->allocate(sizeof(InstanceBlock) + rows * sizeof(InstanceRow),
                                 ArenaAllocator::execution, purpose);
  if (!extent) return noMemory(extent.error());
  Offset nameAt = 0;
  if (nameBytes != 0) {
    auto names = arena_->allocate(nameBytes, ArenaAllocator::execution, purpose);
    if (!names) return noMemory(names.error());
    nameAt = names->offset;
  }
  auto* block = new (arena_->at(extent->offset, extent->bytes)) InstanceBlock{};
  block->capacity = rows;
  block->used.store(rows, std::memory_order_relaxed);
  auto* first = reinterpret_cast<InstanceRow*>(
      arena_->at(extent->offset + sizeof(InstanceBlock), rows * sizeof(InstanceRow)));
  for (const SavedInstance& one : instances) {
    InstanceRow& row = first[one.row];
    row.handle.store(one.instance, std::memory_order_relaxed);
    row.objectClass.store(one.objectClass, std::memory_order_relaxed);
    row.nameBytes.store(static_cast<std::uint32_t>(one.name.size()), std::memory_order_relaxed);
    if (!one.name.empty()) {
      std::memcpy(arena_->at(nameAt, one.name.size()), one.name.data(), one.name.size());
      row.name.store(nameAt, std::memory_order_relaxed);
      nameAt += (one.name.size() + 7) & ~std::uint64_t{7};
    }
    row.state.store((1 << 8) | InstanceRow::alive, std::memory_order_release);
  }
  return extent->offset;
}

Answer<void> FederationExecution::placeMember(const SavedMember& saved, const Joiner& joiner) {
  auto extent =
      arena_->allocate(sizeof(FederateBlock), saved.federate, "federate '" + saved.name + "'");
  if (!extent) return noMemory(extent.error());
  FederateJoinedRecord joined{saved.federate, extent->offset, saved.name, saved.type};
  for (const ModuleBytes& module : saved.modules) joined.modules.push_back(module.name);
  if (auto room = log_.reserve(1, toWire(joined).size()); !room) return noMemory(room.error());
  FederateBlock& block = setUpBlock(*extent, saved.federate, joiner, saved.automaticResignAction);
  // The others compute with its time before its library has arrived here.
  std::span<const std::byte> words = saved.own.timeState;
  TimeState::eachWord(block.time.states[0], [&](auto& word) { storeWord(word, words); });

  log_.append(LogRecordType::FederateJoined, joined);
  log_.addReader(saved.federate, block);
  Member& member =
      members_.try_emplace(saved.federate, *arena_, saved.federate, extent->offset).first->second;
  member.name = saved.name;
  member.type = saved.type;
  member.process = joiner;
  for (const auto& record : saved.objectClasses) {
    member.objectClasses[{record.objectClass, record.publish}] = record;
  }
  member.onceSubscribed.insert(saved.onceSubscribed.begin(), saved.onceSubscribed.end());
  for (const auto& record : saved.interactions) {
    member.interactions[{record.interactionClass, record.publish}] = record;
  }
  for (const auto& record : saved.objectClassRegions) member.regions.keep(record);
  for (const auto& record : saved.interactionRegions) member.regions.keep(record);
  member.modules = textsOf(saved.modules);
  member.reportPeriod = saved.reportPeriod;
  member.restoredState = saved.own.state;
  for (const SavedInstance& one : saved.instances) member.restoredInstances[one.instance] = one;
  return {};
}

Answer<void> FederationExecution::openForReturns() { return openForReturns(snapshotFor(nullptr)); }

Answer<void> FederationExecution::openForReturns(const Bytes& snapshot) {
  auto extent = arena_->allocate(snapshot.size(), ArenaAllocator::execution,
                                 "what restored federates find when they return");
  if (!extent) return noMemory(extent.error());
  std::copy(snapshot.begin(), snapshot.end(), arena_->at(extent->offset, snapshot.size()));
  returnSnapshot_ = {extent->offset, snapshot.size()};
  returnAt_ = log_.end();
  // They have applied nothing of this log yet: it stays until the last one is back.
  arena_->retire(extent->offset, returnAt_.applied);
  return {};
}

Answer<EnterRestoredReply> FederationExecution::enterRestored(FederateNumber federate) {
  Member& member = members_.at(federate);
  if (!member.restoredState) {
    return refuse(Refusal::Internal, "federate '" + member.name + "' is not being restored");
  }
  EnterRestoredReply entered;
  entered.join = replyFor(federate, returnSnapshot_, returnAt_);
  entered.state = std::move(*member.restoredState);
  member.restoredState.reset();
  entered.declarationsChanged = declarationsChanged_;
  return entered;
}

Answer<void> FederationExecution::checkOpenForJoin() const {
  if (auto idle = saveRestore_.checkIdle(); !idle) return idle;
  for (const auto& [federate, member] : members_) {
    if (!member.restoredState) continue;
    return refuse(Refusal::RestoreInProgress, "federation execution '" + name_ +
                                                  "' has just been restored and federate '" +
                                                  member.name + "' has not returned yet");
  }
  return {};
}

}  // namespace tutti::executive
