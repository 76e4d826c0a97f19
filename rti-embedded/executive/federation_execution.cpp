// SPDX-License-Identifier: Apache-2.0
#include "executive/federation_execution.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <unordered_set>

#include "executive/class_drops.h"
#include "fabric/figures.h"
#include "fabric/futex.h"

namespace tutti::executive {

using namespace fabric;

namespace {

constexpr std::size_t keptLeavers = 512;
/// A ring of more would only hide that its reader is stuck; its sender blocks instead.
constexpr std::uint64_t largestRing = std::uint64_t{64} << 20;

/// Values of rti1516e::ResignAction.
bool deletesObjects(std::uint32_t action) { return action == 1 || action == 3 || action == 4; }

/// Gives an extent back unless the operation it was made for is completed.
class PendingExtent {
 public:
  PendingExtent(ArenaAllocator& arena, Offset offset) : arena_(arena), offset_(offset) {}
  ~PendingExtent() {
    if (offset_ != 0) arena_.release(offset_);
  }
  PendingExtent(const PendingExtent&) = delete;
  PendingExtent& operator=(const PendingExtent&) = delete;

  void keep() { offset_ = 0; }

 private:
  ArenaAllocator& arena_;
  Offset offset_;
};

tl::unexpected<Refused> noMemory(std::string message) {
  return refuse(Refusal::OutOfMemory, std::move(message));
}

std::vector<std::string> designatorsOf(const std::vector<ModuleText>& modules) {
  std::vector<std::string> result;
  for (const ModuleText& module : modules) result.push_back(module.designator);
  return result;
}

/// Of modules that are the same, by whatever designators, the first (table of the MOM's
/// HLAFOMmoduleDesignatorList).
JoinRequest withoutRepeats(JoinRequest request) {
  std::set<Bytes> seen;
  std::erase_if(request.modules,
                [&](const ModuleBytes& module) { return !seen.insert(module.content).second; });
  return request;
}

template <class Record>
void addToSnapshot(Bytes& snapshot, LogRecordType type, const Record& record) {
  encodeRecord(snapshot, type, 0, toWire(record));
}

}  // namespace

Answer<std::unique_ptr<FederationExecution>> FederationExecution::create(
    std::string name, std::string timeImplementation, std::shared_ptr<const FederationModel> model,
    Budget& budget) {
  auto arena = ArenaAllocator::make(budget);
  if (!arena) return noMemory(arena.error());
  auto log = ControlLog::make(**arena);
  if (!log) return noMemory(log.error());
  const Bytes& compact = model->compact();
  auto extent = (*arena)->publish(compact.size(), "the object model");
  if (!extent) return noMemory(extent.error());
  std::copy(compact.begin(), compact.end(), (*arena)->at(extent->offset, compact.size()));

  auto execution =
      std::make_unique<FederationExecution>(Made{}, std::move(name), std::move(timeImplementation),
                                            std::move(model), std::move(*arena), std::move(*log));
  execution->modelExtent_ = extent->offset;
  return execution;
}

FederationExecution::FederationExecution(Made, std::string name, std::string timeImplementation,
                                         std::shared_ptr<const FederationModel> model,
                                         std::unique_ptr<ArenaAllocator> arena, ControlLog log)
    : name_(std::move(name)),
      timeImplementation_(std::move(timeImplementation)),
      model_(std::move(model)),
      arena_(std::move(arena)),
      log_(std::move(log)) {
  arena_->onShortage([this] { reclaim(); });
}

FederateBlock& FederationExecution::blockOf(const Member& member) const {
  return *arena_->as<FederateBlock>(member.block);
}

FederationExecution::Member& FederationExecution::memberOf(FederateNumber federate) {
  const auto found = members_.find(federate);
  if (found != members_.end()) return found->second;
  const auto router = routers_.find(federate);
  return router != routers_.end() ? router->second : management_.at(federate);
}

std::vector<std::string> FederationExecution::memberNames() const {
  std::vector<std::string> names;
  for (const auto& [federate, member] : members_) names.push_back(member.name);
  return names;
}

std::set<FederateNumber> FederationExecution::joinedSet() const {
  std::set<FederateNumber> joined;
  for (const auto& [federate, member] : members_) joined.insert(joined.end(), federate);
  return joined;
}

std::string FederationExecution::freeName(const std::string& type, FederateNumber federate) const {
  const std::string stem = (type.empty() ? "federate" : type) + "-";
  const auto names = memberNames();
  for (std::uint64_t suffix = federate;; ++suffix) {
    std::string name = stem + std::to_string(suffix);
    if (std::find(names.begin(), names.end(), name) == names.end()) return name;
  }
}

// --- membership ----------------------------------------------------------------------------------

Answer<JoinReply> FederationExecution::join(const JoinRequest& request, const Joiner& joiner,
                                            const ModelRead* read) {
  if (auto open = checkOpenForJoin(); !open) return tl::unexpected(open.error());
  for (const auto& [federate, member] : members_) {
    if (!request.federateName.empty() && member.name == request.federateName) {
      return refuse(Refusal::FederateNameAlreadyInUse,
                    "federate name '" + request.federateName +
                        "' is in use in federation execution '" + name_ + "' by process " +
                        std::to_string(member.process.pid) +
                        "; join with another name, or with none to get one made");
    }
  }
  std::shared_ptr<const FederationModel> extended;
  if (!request.modules.empty()) {
    const bool isRead = read != nullptr && read->base == model_;
    auto result = isRead ? read->model : model_->extended(request.modules);
    if (!result) return tl::unexpected(result.error());
    extended = std::move(*result);
  }
  const bool mayRepeat = request.modules.size() > 1;
  auto reply = admit(mayRepeat ? withoutRepeats(request) : request, joiner, std::move(extended),
                     false, lastFederate_ + 1);
  // The number of one that was refused would count as that of a federate that was joined once.
  if (reply) ++lastFederate_;
  return reply;
}

Answer<JoinReply> FederationExecution::admit(const JoinRequest& request, const Joiner& joiner,
                                             std::shared_ptr<const FederationModel> extended,
                                             bool hidden, FederateNumber federate) {
  const std::string federateName = request.federateName.empty()
                                       ? freeName(request.federateType, federate)
                                       : request.federateName;
  const std::string purpose = "federate '" + federateName + "'";
  auto blockExtent = arena_->allocate(sizeof(FederateBlock), federate, purpose);
  if (!blockExtent) return noMemory(blockExtent.error());
  PendingExtent pendingBlock(*arena_, blockExtent->offset);

  FederateJoinedRecord joined{federate, blockExtent->offset, federateName, request.federateType,
                              hidden};
  for (const ModuleBytes& module : request.modules) joined.modules.push_back(module.name);
  const Bytes snapshot = snapshotFor(&joined);
  auto snapshotExtent =
      arena_->publish(snapshot.size(), "what " + purpose + " finds when it joins");
  if (!snapshotExtent) return noMemory(snapshotExtent.error());
  PendingExtent pendingSnapshot(*arena_, snapshotExtent->offset);

  const Bytes& compact = extended ? extended->compact() : model_->compact();
  ArenaAllocator::Extent modelExtent{modelExtent_, compact.size()};
  if (extended) {
    auto made = arena_->publish(compact.size(), "the object model with the modules of " + purpose);
    if (!made) return noMemory(made.error());
    modelExtent = *made;
  }
  PendingExtent pendingModel(*arena_, extended ? modelExtent.offset : 0);

  const ModelExtendedRecord extension{modelExtent.offset, compact.size()};
  const std::size_t recordBytes = toWire(joined).size() + toWire(extension).size();
  if (auto room = log_.reserve(2, recordBytes); !room) return noMemory(room.error());

  // Nothing can fail from here on.
  pendingBlock.keep();
  pendingSnapshot.keep();
  pendingModel.keep();
  std::copy(snapshot.begin(), snapshot.end(), arena_->at(snapshotExtent->offset, snapshot.size()));
  if (extended) {
    std::copy(compact.begin(), compact.end(), arena_->at(modelExtent.offset, compact.size()));
    const LogNumber number = *log_.append(LogRecordType::ModelExtended, extension);
    arena_->retire(std::exchange(modelExtent_, modelExtent.offset), number);
    model_ = std::move(extended);
  }
  FederateBlock& block =
      setUpBlock(*blockExtent, federate, joiner, model_->automaticResignAction());
  const LogNumber number = *log_.append(LogRecordType::FederateJoined, joined);
  log_.addReader(federate, block);
  arena_->retire(snapshotExtent->offset, number);
  if (!hidden) points_.joined(federate);
  auto& members = hidden ? management_ : members_;
  Member& member =
      members.try_emplace(federate, *arena_, federate, blockExtent->offset).first->second;
  ++membership_;
  member.modules = textsOf(request.modules);
  member.name = federateName;
  member.type = request.federateType;
  member.process = joiner;

  return replyFor(federate, {snapshotExtent->offset, snapshot.size()}, log_.end());
}

FederateBlock& FederationExecution::setUpBlock(const ArenaAllocator::Extent& extent,
                                               FederateNumber federate, const Joiner& joiner,
                                               std::uint32_t automaticResignAction) {
  auto* block = new (arena_->at(extent.offset, extent.bytes)) FederateBlock{};
  block->magic = FederateBlock::magicValue;
  block->federate = federate;
  block->connection = joiner.connection;
  block->automaticResignAction.store(automaticResignAction, std::memory_order_relaxed);
  if (joiner.remote) standIn(*block, extent.offset);
  block->state.store(static_cast<std::uint32_t>(FederateState::Joined), std::memory_order_release);
  return *block;
}

JoinReply FederationExecution::replyFor(FederateNumber federate,
                                        const ArenaAllocator::Extent& snapshot,
                                        const LogPosition& end) const {
  const Member& member =
      members_.contains(federate) ? members_.at(federate) : management_.at(federate);
  JoinReply reply;
  reply.federate = federate;
  reply.federateName = member.name;
  reply.timeImplementation = timeImplementation_;
  reply.arenaBytes = arena_->size();
  reply.publishedBytes = arena_->publishedBytes();
  reply.block = member.block;
  reply.model = modelExtent_;
  reply.modelBytes = model_->compact().size();
  reply.snapshot = snapshot.offset;
  reply.snapshotBytes = snapshot.bytes;
  reply.logBlock = end.block;
  reply.logAt = end.at;
  reply.logNumber = end.applied;
  return reply;
}

Bytes FederationExecution::snapshotFor(const FederateJoinedRecord* joiner) {
  Bytes snapshot;
  forEachMember([&](FederateNumber federate, const Member& member) {
    addToSnapshot(snapshot, LogRecordType::FederateJoined,
                  FederateJoinedRecord{federate, member.block, member.name, member.type,
                                       !members_.contains(federate), designatorsOf(member.modules),
                                       routers_.contains(federate)});
  });
  if (joiner != nullptr) addToSnapshot(snapshot, LogRecordType::FederateJoined, *joiner);
  forEachMember([&](FederateNumber federate, const Member& member) {
    for (const std::uint32_t objectClass : member.onceSubscribed) {
      if (member.objectClasses.contains({objectClass, false})) continue;
      addToSnapshot(snapshot, LogRecordType::ObjectClassDeclared,
                    ObjectClassDeclaredRecord{federate, objectClass, false, false, {}, {}, {}});
    }
    for (const auto& [key, record] : member.objectClasses) {
      addToSnapshot(snapshot, LogRecordType::ObjectClassDeclared, record);
    }
    for (const auto& [key, record] : member.interactions) {
      addToSnapshot(snapshot, LogRecordType::InteractionClassDeclared, record);
    }
    member.regions.addTo(snapshot);
  });
  if (autoProvide_) {
    addToSnapshot(snapshot, LogRecordType::MomSwitches, MomSwitches{*autoProvide_});
  }
  for (const AdoptedTable& table : adopted_) {
    addToSnapshot(snapshot, LogRecordType::InstancesAdopted,
                  InstancesAdoptedRecord{table.federate, table.instances, table.name});
  }
  for (const auto& [instance, state] : ownership_.instances()) {
    addToSnapshot(snapshot, LogRecordType::OwnershipBegun, Ownership::begun(instance, state));
  }
  transportations_.visit(
      [&](const auto& record) {
        addToSnapshot(snapshot, LogRecordType::AttributeTransportationChanged, record);
      },
      [&](const auto& record) {
        addToSnapshot(snapshot, LogRecordType::InteractionTransportationChanged, record);
      });
  // A federate that is restored has heard of the points, or its library has.
  if (joiner == nullptr) return snapshot;
  for (const auto& [label, point] : points_.open()) {
    SynchronizationPointAnnouncedRecord record{
        label, point.tag, {point.members.begin(), point.members.end()}};
    if (point.everyone && !joiner->hidden) record.set.push_back(joiner->federate);
    addToSnapshot(snapshot, LogRecordType::SynchronizationPointAnnounced, record);
  }
  if (const auto& scheduled = saveRestore_.scheduled()) {
    addToSnapshot(snapshot, LogRecordType::SaveScheduled,
                  SaveScheduledRecord{scheduled->save, scheduled->time});
  }
  return snapshot;
}

Answer<void> FederationExecution::resign(FederateNumber federate, const ResignRequest& request) {
  if (!leave(federate, FederateState::Resigned, request.deletesObjects)) {
    return noMemory("federation execution '" + name_ +
                    "' has no memory left to tell that a federate resigned");
  }
  return {};
}

bool FederationExecution::lose(FederateNumber federate) {
  if (management_.contains(federate)) return leave(federate, FederateState::Resigned, true);
  const Member& member = members_.at(federate);
  const std::uint32_t action =
      blockOf(member).automaticResignAction.load(std::memory_order_relaxed);
  return leave(federate, FederateState::Lost, deletesObjects(action));
}

bool FederationExecution::leave(FederateNumber federate, FederateState state, bool deletes) {
  Member& member = memberOf(federate);
  const bool hidden = management_.contains(federate);
  FederateBlock& block = blockOf(member);

  log_.removeReader(federate);
  block.state.store(static_cast<std::uint32_t>(state), std::memory_order_seq_cst);
  if (state == FederateState::Lost) {
    // It may have died between the tail of a ring and the bit that tells of it.
    forEachMember([&](FederateNumber other, const Member& receiver) {
      if (other != federate) receiver.inbound.announce(federate);
    });
  }
  // What it gives to others by leaving comes before the record of its end, after which all that it
  // still owns is unowned.
  bool told = leaveOwnership(federate, deletes);
  // Its table has no writer any more.
  Offset table = block.instances.load(std::memory_order_acquire);
  std::optional<std::set<std::string>> instances;
  const bool away = isAway(member);
  if (away) {
    std::set<std::string> names;
    const auto placed = placeAwayTable(federate, deletes, names);
    told = placed.has_value() && told;
    if (table = placed.value_or(0); table != 0) instances = std::move(names);
    block.instances.store(table, std::memory_order_release);
  } else {
    instances = liveInstances(member, table);
  }
  FederateResignedRecord record;
  record.federate = federate;
  record.lost = state == FederateState::Lost;
  record.deletesObjects = deletes;
  record.keepsTable = instances.has_value();
  const auto number =
      log_.append(LogRecordType::FederateResigned, record, ControlLog::Urgency::Urgent);
  const LogNumber ended = number ? *number : log_.tail() + 1;
  told = number.has_value() && told;
  transportations_.left(federate);
  for (const FederationSynchronizedRecord& synchronized : points_.left(federate)) {
    told = log_.append(LogRecordType::FederationSynchronized, synchronized,
                       ControlLog::Urgency::Urgent)
               .has_value() &&
           told;
  }

  if (instances) adoptTable(federate, member, table, !away);
  names_.left(federate, instances.value_or(std::set<std::string>{}));

  retireMember(federate, member, ended);
  if (hidden) {
    management_.erase(federate);
    managementReply_.reset();
    reclaim();
    return told;
  }
  FederateStatus status;
  status.federate = federate;
  status.name = member.name;
  status.type = member.type;
  status.pid = member.process.pid;
  status.state = static_cast<std::uint32_t>(state);
  status.figures = figuresOf(block);
  status.drops = dropsOf(block, model_->compact());
  status.faults = std::move(member.faults);
  left_.push_back(std::move(status));
  if (left_.size() > keptLeavers) {
    left_.pop_front();
    ++leftEarlier_;
  }
  const std::string name = member.name;
  members_.erase(federate);
  if (saveRestore_.isSaving()) {
    told = endSave(SaveRestore::SaveFailure::FederateResigned, name).has_value() && told;
  } else if (saveRestore_.isRestoring()) {
    told = endRestore(SaveRestore::RestoreFailure::FederateResigned, name).has_value() && told;
  } else if (saveRestore_.left(federate, joinedSet())) {
    told = initiateScheduledSave().has_value() && told;
  }
  if (members_.empty() && !management_.empty()) {
    leave(management_.begin()->first, FederateState::Resigned, true);
  }
  reclaim();
  return told;
}

void FederationExecution::adoptTable(FederateNumber federate, const Member& member, Offset table,
                                     bool givesExtents) {
  adopted_.push_back({federate, table, member.name});
  for (const auto& [offset, extent] : member.extents) {
    const bool kept = extent.purpose == Purpose::Instances || extent.purpose == Purpose::Names;
    if (kept && givesExtents) arena_->giveTo(offset, ArenaAllocator::execution);
  }
}

void FederationExecution::retireMember(FederateNumber federate, Member& member, LogNumber ended) {
  ++membership_;
  for (const FederateNumber sender : member.inbound.senders()) {
    member.inbound.retire(sender, ended);
  }
  forEachMember([&](FederateNumber other, Member& receiver) {
    if (other != federate) receiver.inbound.retire(federate, ended);
  });
  for (const Offset extent : arena_->ownedBy(federate)) arena_->retire(extent, ended);
}

std::optional<std::set<std::string>> FederationExecution::liveInstances(const Member& member,
                                                                        Offset table) const {
  std::set<std::string> names;
  bool any = false;
  std::unordered_set<Offset> seen;
  for (Offset at = table; at != 0 && seen.insert(at).second;) {
    const auto extent = member.extents.upper_bound(at);
    if (extent == member.extents.begin()) break;
    const auto& [start, own] = *std::prev(extent);
    if (own.purpose != Purpose::Instances || at - start >= own.bytes) break;
    const auto* block = arena_->as<InstanceBlock>(at);
    if (block == nullptr) break;
    const std::size_t rows = std::min(block->capacity, block->used.load(std::memory_order_acquire));
    const std::byte* bytes = arena_->at(at, sizeof(InstanceBlock) + rows * sizeof(InstanceRow));
    if (bytes == nullptr) break;
    const auto* row = reinterpret_cast<const InstanceRow*>(bytes + sizeof(InstanceBlock));
    for (std::size_t i = 0; i < rows; ++i, ++row) {
      if ((row->state.load(std::memory_order_acquire) & InstanceRow::phaseMask) !=
          InstanceRow::alive) {
        continue;
      }
      any = true;
      const std::size_t length = row->nameBytes.load(std::memory_order_relaxed);
      const auto* text = arena_->at(row->name.load(std::memory_order_relaxed), length);
      if (text != nullptr && length <= mostNameBytes)
        names.emplace(reinterpret_cast<const char*>(text), length);
    }
    at = block->next.load(std::memory_order_acquire);
  }
  if (!any) return std::nullopt;
  return names;
}

// --- declarations --------------------------------------------------------------------------------

Answer<void> FederationExecution::declare(FederateNumber federate,
                                          const DeclareObjectClassRequest& request) {
  ObjectClassDeclaredRecord record;
  record.federate = federate;
  record.objectClass = request.objectClass;
  record.publish = request.publish;
  record.passive = request.passive;
  record.attributes = request.attributes;
  record.passiveAttributes = request.passiveAttributes;
  record.updateRates = request.updateRates;

  if (!request.publish && model_->management().objectClasses.contains(request.objectClass)) {
    if (auto open = openManagement(); !open) return open;
  }
  Member& member = memberOf(federate);
  auto& declared = member.objectClasses;
  const std::pair key(request.objectClass, request.publish);
  const auto found = declared.find(key);
  const bool same = found == declared.end()
                        ? record.attributes.empty()
                        : found->second.attributes == record.attributes &&
                              found->second.passive == record.passive &&
                              found->second.passiveAttributes == record.passiveAttributes &&
                              found->second.updateRates == record.updateRates;
  if (same) return {};
  declarationsChanged_ = true;
  const auto number = log_.append(LogRecordType::ObjectClassDeclared, record);
  if (!number) return noMemory(number.error());
  if (record.attributes.empty()) {
    declared.erase(found);
  } else {
    if (!request.publish) member.onceSubscribed.insert(request.objectClass);
    declared.insert_or_assign(key, std::move(record));
  }
  return {};
}

Answer<void> FederationExecution::declare(FederateNumber federate,
                                          const DeclareInteractionClassRequest& request) {
  InteractionClassDeclaredRecord record;
  record.federate = federate;
  record.interactionClass = request.interactionClass;
  record.publish = request.publish;
  record.active = request.active;
  record.passive = request.passive;

  if (request.active &&
      model_->management().interactionClasses.contains(request.interactionClass)) {
    if (auto open = openManagement(); !open) return open;
  }
  auto& declared = memberOf(federate).interactions;
  const std::pair key(request.interactionClass, request.publish);
  const auto found = declared.find(key);
  const bool same = found == declared.end() ? !record.active
                                            : found->second.active == record.active &&
                                                  found->second.passive == record.passive;
  if (same) return {};
  const auto number = log_.append(LogRecordType::InteractionClassDeclared, record);
  if (!number) return noMemory(number.error());
  if (record.active) {
    declared.insert_or_assign(key, record);
  } else {
    declared.erase(found);
  }
  return {};
}

template <class Request>
Answer<void> FederationExecution::declareRegions(FederateNumber federate, LogRecordType type,
                                                 const Request& request) {
  RegionSubscriptions& regions = memberOf(federate).regions;
  if (const auto record = regions.change(federate, request)) {
    declarationsChanged_ = true;
    const auto number = log_.append(type, *record);
    if (!number) return noMemory(number.error());
    regions.keep(*record);
  }
  return {};
}

Answer<void> FederationExecution::declare(FederateNumber federate,
                                          const SubscribeObjectClassWithRegionsRequest& request) {
  if (model_->management().objectClasses.contains(request.objectClass)) {
    if (auto open = openManagement(); !open) return open;
  }
  auto declared = declareRegions(federate, LogRecordType::ObjectClassRegions, request);
  if (declared && !request.attributes.empty()) {
    memberOf(federate).onceSubscribed.insert(request.objectClass);
  }
  return declared;
}

Answer<void> FederationExecution::declare(
    FederateNumber federate, const SubscribeInteractionClassWithRegionsRequest& request) {
  if (model_->management().interactionClasses.contains(request.interactionClass)) {
    if (auto open = openManagement(); !open) return open;
  }
  return declareRegions(federate, LogRecordType::InteractionClassRegions, request);
}

// --- synchronization points ----------------------------------------------------------------------

Answer<void> FederationExecution::changeTransportation(
    FederateNumber federate, const fabric::AttributeTransportationRequest& request) {
  if (request.ends && !transportations_.has(request.instance)) return {};
  const fabric::AttributeTransportationRecord record{federate, request};
  const auto number = log_.append(LogRecordType::AttributeTransportationChanged, record);
  if (!number) return noMemory(number.error());
  transportations_.apply(record);
  return {};
}

Answer<void> FederationExecution::changeTransportation(
    FederateNumber federate, const fabric::InteractionTransportationRequest& request) {
  const fabric::InteractionTransportationRecord record{federate, request};
  const auto number = log_.append(LogRecordType::InteractionTransportationChanged, record);
  if (!number) return noMemory(number.error());
  transportations_.apply(record);
  return {};
}

Answer<RegisterSynchronizationPointReply> FederationExecution::registerSynchronizationPoint(
    FederateNumber, const RegisterSynchronizationPointRequest& request) {
  const auto joined = joinedSet();
  RegisterSynchronizationPointReply reply;
  if (const auto failure = points_.check(request, joined)) {
    reply.reason = static_cast<std::uint32_t>(*failure);
    return reply;
  }
  const std::size_t bytes = request.label.size() + request.tag.size() +
                            (joined.size() + request.set.size()) * sizeof(FederateNumber) + 64;
  if (auto room = log_.reserve(1, bytes); !room) return noMemory(room.error());
  const auto number =
      log_.append(LogRecordType::SynchronizationPointAnnounced, points_.announce(request, joined));
  if (!number) return noMemory(number.error());
  reply.registered = true;
  return reply;
}

Answer<void> FederationExecution::synchronizationPointAchieved(
    FederateNumber federate, const SynchronizationPointAchievedRequest& request) {
  if (!points_.isAnnouncedTo(request.label, federate)) {
    return refuse(Refusal::SynchronizationPointLabelNotAnnounced,
                  "synchronization point '" + request.label + "' of federation execution '" +
                      name_ +
                      "' is not announced to this federate, or everyone has achieved it already");
  }
  if (const auto record = points_.completedBy(request.label, federate, request.successfully)) {
    const auto number = log_.append(LogRecordType::FederationSynchronized, *record);
    if (!number) return noMemory(number.error());
  }
  points_.achieve(request.label, federate, request.successfully);
  return {};
}

// --- names ---------------------------------------------------------------------------------------

ReserveNamesReply FederationExecution::reserveNames(FederateNumber federate,
                                                    const NamesRequest& request) {
  ReserveNamesReply reply;
  reply.taken = names_.taken(request.names);
  reply.reserved = reply.taken.empty();
  if (reply.reserved) names_.reserve(federate, request.names);
  return reply;
}

Answer<void> FederationExecution::releaseNames(FederateNumber federate,
                                               const NamesRequest& request) {
  if (const std::string* name = names_.notHeld(federate, request.names)) {
    return refuse(Refusal::ObjectInstanceNameNotReserved,
                  "object instance name '" + *name + "' is not reserved by this federate");
  }
  names_.release(request.names);
  return {};
}

// --- memory --------------------------------------------------------------------------------------

Answer<OpenRingReply> FederationExecution::openRing(FederateNumber federate,
                                                    const OpenRingRequest& request) {
  if (!members_.contains(request.receiver) && !management_.contains(request.receiver) &&
      !routers_.contains(request.receiver)) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "federate " + std::to_string(request.receiver) +
                      " has left federation execution '" + name_ + "'");
  }
  if (request.receiver == federate) {
    return refuse(Refusal::Internal, "a federate asked for a ring to itself");
  }
  if (request.bytes > largestRing) {
    return refuse(Refusal::OutOfMemory, "a ring of " + bytesText(request.bytes) +
                                            " was asked for; the largest has " +
                                            bytesText(largestRing));
  }
  InboundDirectory& inbound = memberOf(request.receiver).inbound;
  const auto* place = inbound.find(federate);
  if (request.replaces == 0 && place == nullptr) {
    auto opened = inbound.open(federate, request.bytes);
    if (!opened) return noMemory(opened.error());
    place = *opened;
  } else if (request.replaces != 0) {
    if (place == nullptr || place->rings.back() != request.replaces) {
      return refuse(Refusal::Internal,
                    "a ring was to be replaced that is not the newest to federate " +
                        std::to_string(request.receiver));
    }
    auto replaced = inbound.replace(federate, request.bytes);
    if (!replaced) return noMemory(replaced.error());
    place = *replaced;
  }
  OpenRingReply reply;
  reply.ring = place->rings.back();
  reply.inboundBlock = place->block;
  reply.entry = place->entry;
  reply.blockIndex = place->blockIndex;
  return reply;
}

Answer<AllocateReply> FederationExecution::allocate(FederateNumber federate,
                                                    const AllocateRequest& request) {
  const char* what = nullptr;
  switch (request.purpose) {
    case Purpose::Instances:
      what = "object instances";
      break;
    case Purpose::Names:
      what = "object instance names";
      break;
    case Purpose::Chunk:
      what = "message payloads";
      break;
    case Purpose::Regions:
      what = "regions";
      break;
  }
  if (what == nullptr || request.bytes == 0) {
    return refuse(Refusal::Internal, "memory was asked for that has no use");
  }
  Member& member = memberOf(federate);
  auto extent = arena_->allocate(request.bytes, federate,
                                 std::string(what) + " of federate '" + member.name + "'");
  if (!extent) return noMemory(extent.error());
  member.extents.emplace(extent->offset, OwnExtent{extent->bytes, request.purpose});
  return AllocateReply{extent->offset, extent->bytes};
}

Answer<void> FederationExecution::free(FederateNumber federate, const FreeRequest& request) {
  if (!members_.contains(federate) && !routers_.contains(federate) &&
      !management_.contains(federate)) {
    return refuse(Refusal::FederateNotExecutionMember,
                  "federate " + std::to_string(federate) +
                      " has left, and all its memory was given back then");
  }
  Member& member = memberOf(federate);
  if (const auto found = member.extents.find(request.extent); found != member.extents.end()) {
    if (found->second.purpose == Purpose::Chunk) {
      // Its receivers have passed it: the publisher knows by their positions.
      arena_->release(request.extent);
    } else {
      // Others may be walking the table: not once they have applied a record of later.
      arena_->retire(request.extent, log_.tail() + 1);
    }
    member.extents.erase(found);
    return {};
  }
  bool freed = false;
  forEachMember([&](FederateNumber, Member& receiver) {
    freed = freed || receiver.inbound.free(federate, request.extent, log_.tail() + 1);
  });
  // A ring goes with its receiver, whose death its sender may not know of yet; until the sender has
  // applied the record of it, nobody else is given that memory.
  if (freed || !arena_->isInUse(request.extent)) return {};
  return refuse(Refusal::Internal, "federate '" + member.name + "' wants to free memory at " +
                                       std::to_string(request.extent) +
                                       " that is not its own, or is in use");
}

void FederationExecution::tellTimeWaiters() const {
  for (const auto& [federate, member] : members_) {
    FederateBlock& block = blockOf(member);
    if (block.waitsForTime.load(std::memory_order_seq_cst) != 0) ringDoorbell(block);
  }
}

void FederationExecution::reclaim() {
  log_.reclaim();
  const LogNumber applied = log_.applied();
  forEachMember(
      [&](FederateNumber, Member& member) { member.inbound.clear(applied, log_.tail() + 1); });
  arena_->reclaim(applied);
}

bool FederationExecution::hasLeftovers() const {
  const auto leaves = [](const auto& item) { return item.second.inbound.hasLeftovers(); };
  return arena_->hasRetired(log_.tail()) || log_.blockCount() > 1 ||
         std::any_of(members_.begin(), members_.end(), leaves) ||
         std::any_of(management_.begin(), management_.end(), leaves) ||
         std::any_of(routers_.begin(), routers_.end(), leaves);
}

bool FederationExecution::note(FederateNumber federate, const CallbackFault& fault) {
  const auto found = members_.find(federate);
  if (found == members_.end()) return false;
  auto& faults = found->second.faults;
  const auto known = std::find_if(faults.begin(), faults.end(), [&](const CallbackFault& one) {
    return one.callback == fault.callback && one.type == fault.type;
  });
  if (known != faults.end()) {
    known->count = std::max(known->count, fault.count);
    return false;
  }
  if (faults.size() == CallbackFault::mostKinds) return false;
  CallbackFault& kept = faults.emplace_back(fault);
  for (std::string* text : {&kept.callback, &kept.type, &kept.text}) {
    if (text->size() > CallbackFault::longestText) text->resize(CallbackFault::longestText);
  }
  return true;
}

std::string FederationExecution::nameOf(FederateNumber federate) const {
  const auto found = members_.find(federate);
  return found == members_.end() ? std::string() : found->second.name;
}

FederationStatus FederationExecution::status() const {
  FederationStatus status;
  status.federation = name_;
  status.timeImplementation = timeImplementation_;
  status.modules = model_->modules();
  for (const auto& [federate, member] : members_) {
    FederateStatus one;
    one.federate = federate;
    one.name = member.name;
    one.type = member.type;
    one.pid = member.process.pid;
    one.state = static_cast<std::uint32_t>(FederateState::Joined);
    one.block = member.block;
    one.faults = member.faults;
    if (const auto* block = arena_->as<FederateBlock>(member.block)) {
      one.drops = dropsOf(*block, model_->compact());
    }
    status.federates.push_back(std::move(one));
    for (const auto& [key, record] : member.objectClasses) {
      status.declarations.push_back({federate, key.first, false, key.second});
    }
    for (const auto& [key, record] : member.interactions) {
      status.declarations.push_back({federate, key.first, true, key.second});
    }
    for (const auto& [objectClass, record] : member.regions.objectClasses) {
      if (member.objectClasses.contains({objectClass, false})) continue;
      status.declarations.push_back({federate, objectClass, false, false});
    }
    for (const auto& [interactionClass, record] : member.regions.interactions) {
      if (member.interactions.contains({interactionClass, false})) continue;
      status.declarations.push_back({federate, interactionClass, true, false});
    }
  }
  status.federates.insert(status.federates.end(), left_.begin(), left_.end());
  status.leftEarlier = leftEarlier_;
  for (const auto& [label, point] : points_.open()) {
    status.synchronizationPoints.push_back({label, point.waitingFor(), point.succeeded()});
  }
  status.synchronized = points_.closed();
  status.logNumber = log_.tail();
  status.committedBytes = arena_->committed();
  status.model = modelExtent_;
  status.modelBytes = model_->compact().size();
  return status;
}

}  // namespace tutti::executive
