// SPDX-License-Identifier: Apache-2.0
// Federates of other hosts: the router that takes what is for them, pages that stand in for them,
// and the replica of an execution that another node decides on.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

#include "executive/federation_execution.h"
#include "fabric/futex.h"

namespace tutti::executive {

using namespace fabric;

namespace {

/// What a replica needs to know of the object model: nothing but its bytes.
class ReplicatedModel final : public FederationModel {
 public:
  explicit ReplicatedModel(Bytes compact) : compact_(std::move(compact)) {}

  const Bytes& compact() const override { return compact_; }
  std::vector<std::string> modules() const override { return {}; }
  ModelHistory history() const override { return {}; }
  // Each page says it for itself.
  std::uint32_t automaticResignAction() const override { return 0; }
  std::uint32_t privilegeToDelete() const override { return 0; }
  Answer<std::shared_ptr<const FederationModel>> extended(
      const std::vector<ModuleBytes>&) const override {
    return refuse(Refusal::Internal, "a replica was asked to decide on an object model");
  }

 private:
  Bytes compact_;
};

tl::unexpected<Refused> noMemory(std::string message) {
  return refuse(Refusal::OutOfMemory, std::move(message));
}

}  // namespace

// --- the router ----------------------------------------------------------------------------------

Answer<void> FederationExecution::openRouter() {
  if (!routers_.empty()) return {};
  auto extent = arena_->allocate(sizeof(FederateBlock), lastFederate_ + 1, "the router");
  if (!extent) return noMemory(extent.error());
  const FederateNumber federate = ++lastFederate_;
  if (auto placed = placeRouter(federate, extent->offset); !placed) return placed;
  const FederateJoinedRecord joined{federate, extent->offset, {}, {}, true, {}, true};
  if (auto number = log_.append(LogRecordType::FederateJoined, joined); !number) {
    routers_.clear();
    arena_->release(extent->offset);
    return noMemory(number.error());
  }
  log_.addReader(federate, *routerPage());
  return {};
}

Answer<void> FederationExecution::placeRouter(FederateNumber federate, Offset page) {
  // A connection past the last bit of the spin page: it never polls.
  const Joiner node{0, SpinPage::spinWords * 64};
  FederateBlock& block = setUpBlock({page, pageBytes}, federate, node, 0);
  // Whoever changes its time slot rings here: the other hosts have to know.
  block.waitsForTime.store(1, std::memory_order_relaxed);
  routers_.try_emplace(federate, *arena_, federate, page);
  return {};
}

FederateBlock* FederationExecution::routerPage() const {
  return routers_.empty() ? nullptr : &blockOf(routers_.begin()->second);
}

void FederationExecution::standIn(FederateBlock& block, Offset page) const {
  block.via = router();
  auto* ring = new (arena_->at(page + standInRing, sizeof(RingHeader))) RingHeader{};
  ring->magic = RingHeader::magicValue;
  ring->sender = ring->receiver = block.federate;
  block.inbound.entries[0].ring.store(page + standInRing, std::memory_order_relaxed);
  block.inbound.entries[0].sender.store(block.federate, std::memory_order_relaxed);
  // What this host's federates have sent and the router has not yet taken may be for it.
  block.inbound.next.store(routers_.begin()->second.block + offsetof(FederateBlock, inbound),
                           std::memory_order_release);
}

std::vector<FederationExecution::Page> FederationExecution::pages() const {
  std::vector<Page> result;
  for (const auto* members : {&members_, &management_}) {
    for (const auto& [federate, member] : *members) result.push_back({federate, &blockOf(member)});
  }
  return result;
}

void FederationExecution::announce(FederateNumber sender) {
  forEachMember([&](FederateNumber other, const Member& receiver) {
    if (other != sender) receiver.inbound.announce(sender);
  });
}

ReplicaStart FederationExecution::replicaStart() const {
  ReplicaStart start;
  start.name = name_;
  start.timeImplementation = timeImplementation_;
  start.model = model_->compact();
  start.logNumber = log_.tail();
  for (const auto* members : {&members_, &management_, &routers_}) {
    for (const auto& [federate, member] : *members) {
      start.members.push_back({federate,
                               member.block,
                               member.name,
                               member.type,
                               members != &members_,
                               {},
                               members == &routers_});
    }
  }
  for (const AdoptedTable& table : adopted_) {
    start.adopted.push_back({table.federate, table.name, savedInstances(table.instances)});
  }
  return start;
}

ReplicaStart FederationExecution::restoredStart() const {
  ReplicaStart start = replicaStart();
  for (const auto& [federate, member] : members_) {
    const FederateBlock& block = blockOf(member);
    RestoredPage page{federate, block.automaticResignAction.load(std::memory_order_relaxed), {}};
    const TimeSlot& slot = block.time;
    TimeState::eachWord(slot.states[slot.sequence.load(std::memory_order_acquire) & 1],
                        [&](const auto& word) { page.time.push_back(word.load()); });
    start.pages.push_back(std::move(page));
  }
  const std::byte* snapshot = arena_->at(returnSnapshot_.offset, returnSnapshot_.bytes);
  start.snapshot.assign(snapshot, snapshot + returnSnapshot_.bytes);
  return start;
}

// --- the replica ---------------------------------------------------------------------------------

Answer<std::unique_ptr<FederationExecution>> FederationExecution::replica(const ReplicaStart& start,
                                                                          Budget& budget) {
  auto execution = create(start.name, start.timeImplementation,
                          std::make_shared<const ReplicatedModel>(start.model), budget);
  if (!execution) return execution;
  FederationExecution& made = **execution;
  made.log_.startAfter(start.logNumber);
  // Pages of others refer to that of the router.
  for (const bool router : {true, false}) {
    for (const FederateJoinedRecord& member : start.members) {
      if (member.router != router) continue;
      auto extent = made.arena_->allocate(sizeof(FederateBlock), member.federate, "a federate");
      if (!extent) return noMemory(extent.error());
      if (router) {
        if (auto placed = made.placeRouter(member.federate, extent->offset); !placed) {
          return tl::unexpected(placed.error());
        }
        continue;
      }
      const bool returns = std::any_of(
          start.returning.begin(), start.returning.end(),
          [&](const ReturningFederate& one) { return one.federate == member.federate; });
      const Joiner here{0, SpinPage::spinWords * 64};
      FederateBlock& block =
          made.setUpBlock(*extent, member.federate, returns ? here : Joiner{0, 0, true}, 0);
      for (const RestoredPage& page : start.pages) {
        if (page.federate != member.federate) continue;
        block.automaticResignAction.store(page.automaticResignAction, std::memory_order_relaxed);
        std::size_t i = 0;
        TimeState::eachWord(block.time.states[0], [&](auto& word) {
          using Word = std::remove_reference_t<decltype(word)>::value_type;
          if (i < page.time.size()) word.store(static_cast<Word>(page.time[i]));
          ++i;
        });
      }
      if (returns) made.log_.addReader(member.federate, block);
      Member& kept =
          (member.hidden ? made.management_ : made.members_)
              .try_emplace(member.federate, *made.arena_, member.federate, extent->offset)
              .first->second;
      kept.name = member.name;
      kept.type = member.type;
    }
  }
  if (made.routers_.empty()) {
    return refuse(Refusal::Internal, "a federation execution of another host came without router");
  }
  for (const SavedTable& adopted : start.adopted) {
    const auto placed = made.placeTable(adopted.instances);
    if (!placed) return tl::unexpected(placed.error());
    if (*placed != 0) made.adopted_.push_back({adopted.registrant, *placed, adopted.name});
  }
  if (!start.snapshot.empty()) {
    auto open = made.openForReturns(made.ownSnapshot(start.snapshot));
    if (!open) return tl::unexpected(open.error());
  }
  return execution;
}

Answer<void> FederationExecution::replicateJoined(const FederateJoinedRecord& record,
                                                  const Joiner* joiner,
                                                  std::uint32_t automaticResignAction) {
  auto extent =
      arena_->allocate(sizeof(FederateBlock), record.federate, "federate '" + record.name + "'");
  if (!extent) return noMemory(extent.error());
  FederateBlock& block =
      setUpBlock(*extent, record.federate, joiner != nullptr ? *joiner : Joiner{0, 0, true},
                 automaticResignAction);
  Member& member = (record.hidden ? management_ : members_)
                       .try_emplace(record.federate, *arena_, record.federate, extent->offset)
                       .first->second;
  ++membership_;
  member.name = record.name;
  member.type = record.type;
  if (joiner != nullptr) member.process = *joiner;
  FederateJoinedRecord own = record;
  own.block = extent->offset;
  const auto number = log_.append(LogRecordType::FederateJoined, own, ControlLog::Urgency::Urgent);
  if (!number) return noMemory(number.error());
  if (joiner != nullptr) log_.addReader(record.federate, block);
  return {};
}

Answer<void> FederationExecution::replicateResigned(const FederateResignedRecord& record) {
  const bool hidden = management_.contains(record.federate);
  if (!hidden && !members_.contains(record.federate)) {
    return refuse(Refusal::Internal, "a federate left that was not there");
  }
  Member& member = memberOf(record.federate);
  FederateBlock& block = blockOf(member);
  log_.removeReader(record.federate);
  block.state.store(
      static_cast<std::uint32_t>(record.lost ? FederateState::Lost : FederateState::Resigned),
      std::memory_order_seq_cst);
  announce(record.federate);
  const auto number =
      log_.append(LogRecordType::FederateResigned, record, ControlLog::Urgency::Urgent);
  if (!number) return noMemory(number.error());
  if (record.keepsTable) {
    adoptTable(record.federate, member, block.instances.load(std::memory_order_acquire), true);
  }
  retireMember(record.federate, member, *number);
  (hidden ? management_ : members_).erase(record.federate);
  reclaim();
  return {};
}

Answer<void> FederationExecution::replicateModel(const Bytes& compact) {
  auto extent = arena_->publish(compact.size(), "the object model");
  if (!extent) return noMemory(extent.error());
  std::copy(compact.begin(), compact.end(), arena_->at(extent->offset, compact.size()));
  const ModelExtendedRecord record{extent->offset, compact.size()};
  const auto number =
      log_.append(LogRecordType::ModelExtended, record, ControlLog::Urgency::Urgent);
  if (!number) return noMemory(number.error());
  arena_->retire(std::exchange(modelExtent_, extent->offset), *number);
  model_ = std::make_shared<const ReplicatedModel>(compact);
  return {};
}

Answer<void> FederationExecution::replicateRecord(LogRecordType type, const Bytes& body) {
  const auto number = log_.appendBody(type, body, ControlLog::Urgency::Urgent);
  if (!number) return noMemory(number.error());
  return {};
}

void FederationExecution::replicateFreedRow(std::uint64_t instance, std::uint32_t row) {
  InstanceRow* found = rowOf(instance, row);
  if (found == nullptr) return;
  const std::uint64_t version = found->state.load(std::memory_order_relaxed) >> 8;
  found->state.store(((version + 1) << 8) | InstanceRow::free, std::memory_order_seq_cst);
}

Answer<void> FederationExecution::replicateTable(FederateNumber federate,
                                                 const std::vector<SavedInstance>& instances) {
  if (!members_.contains(federate)) {
    return refuse(Refusal::Internal, "a table came of a federate that is not there");
  }
  const auto placed = placeTable(instances);
  if (!placed) return tl::unexpected(placed.error());
  blockOf(members_.at(federate)).instances.store(*placed, std::memory_order_release);
  return {};
}

void FederationExecution::replicateCeiling(std::uint64_t ceiling, std::uint32_t active,
                                           std::uint64_t pace) {
  ArenaHeader& header = arena_->header();
  const bool moves = active == header.ceilingActive.load(std::memory_order_relaxed) &&
                     (active & ceilingOf::pace) != 0;
  const std::uint64_t before = header.ceiling.exchange(ceiling, std::memory_order_acq_rel);
  header.pace.store(pace, std::memory_order_relaxed);
  header.ceilingActive.store(active, std::memory_order_seq_cst);
  if (moves) {
    tellTimeWaiters(before, ceiling);
  } else {
    tellTimeWaiters();
  }
}

/// A snapshot of the deciding node, with the places where things lie here.
Bytes FederationExecution::ownSnapshot(const Bytes& snapshot) const {
  Bytes own;
  for (std::size_t at = 0; at + sizeof(LogRecord) <= snapshot.size();) {
    LogRecord head;
    std::memcpy(&head, snapshot.data() + at, sizeof head);
    if (head.bytes < sizeof head || head.bytes > snapshot.size() - at) break;
    const std::span<const std::byte> body(snapshot.data() + at + sizeof head,
                                          head.bytes - sizeof head);
    const auto type = static_cast<LogRecordType>(head.type);
    FederateJoinedRecord joined;
    InstancesAdoptedRecord adopted;
    if (type == LogRecordType::FederateJoined && fromWire(body, joined)) {
      joined.block = 0;
      for (const auto* members : {&members_, &management_, &routers_}) {
        const auto member = members->find(joined.federate);
        if (member != members->end()) joined.block = member->second.block;
      }
      encodeRecord(own, type, 0, toWire(joined));
    } else if (type == LogRecordType::InstancesAdopted && fromWire(body, adopted)) {
      adopted.instances = tableOf(adopted.federate);
      encodeRecord(own, type, 0, toWire(adopted));
    } else {
      own.insert(own.end(), snapshot.begin() + static_cast<std::ptrdiff_t>(at),
                 snapshot.begin() + static_cast<std::ptrdiff_t>(at + head.bytes));
    }
    at += head.bytes;
  }
  return own;
}

Answer<JoinReply> FederationExecution::replicatedJoin(JoinReply reply, const Bytes& snapshot) {
  const auto found = members_.find(reply.federate);
  if (found == members_.end() || reply.logNumber != log_.tail()) {
    return refuse(Refusal::Internal, "a join was confirmed that the control log does not tell of");
  }
  const Bytes own = ownSnapshot(snapshot);
  auto extent = arena_->publish(own.size(), "what a federate finds");
  if (!extent) return noMemory(extent.error());
  std::copy(own.begin(), own.end(), arena_->at(extent->offset, own.size()));
  arena_->retire(extent->offset, log_.tail());
  const LogPosition end = log_.end();
  reply.arenaBytes = arena_->size();
  reply.publishedBytes = arena_->publishedBytes();
  reply.block = found->second.block;
  reply.model = modelExtent_;
  reply.modelBytes = model_->compact().size();
  reply.snapshot = extent->offset;
  reply.snapshotBytes = own.size();
  reply.logBlock = end.block;
  reply.logAt = end.at;
  return reply;
}

Answer<JoinReply> FederationExecution::replicatedReturn(const JoinReply& reply) const {
  if (!members_.contains(reply.federate) || reply.logNumber != returnAt_.applied) {
    return refuse(Refusal::Internal, "a federate returned to what was not restored here");
  }
  JoinReply own = replyFor(reply.federate, returnSnapshot_, returnAt_);
  own.execution = reply.execution;
  return own;
}

}  // namespace tutti::executive
