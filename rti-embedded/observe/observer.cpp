// SPDX-License-Identifier: Apache-2.0
#include "observe/observer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <functional>
#include <set>
#include <unordered_set>
#include <utility>

#include "fabric/figures.h"

namespace tutti::observe {

using fabric::Arena;
using fabric::Counters;
using fabric::FederateBlock;
using fabric::FederateState;
using fabric::InboundBlock;
using fabric::InboundEntry;
using fabric::InstanceBlock;
using fabric::InstanceRow;
using fabric::Offset;
using fabric::RingHeader;
using fabric::TimeSlot;
using fabric::TimeState;

namespace {

/// A chain of rings or directory blocks that is longer is not one.
constexpr int longestRingChain = 64;
constexpr int longestDirectory = 4096;

std::int64_t monotonicNow() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

CounterValues read(const Counters& counters) {
  const auto value = [](const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  CounterValues values;
  values.updatesSent = value(counters.updatesSent);
  values.reflectionsReceived = value(counters.reflectionsReceived);
  values.interactionsSent = value(counters.interactionsSent);
  values.interactionsReceived = value(counters.interactionsReceived);
  values.instancesRegistered = value(counters.instancesRegistered);
  values.instancesDeleted = value(counters.instancesDeleted);
  values.instancesDiscovered = value(counters.instancesDiscovered);
  values.instancesRemoved = value(counters.instancesRemoved);
  values.timeAdvanceGrants = value(counters.timeAdvanceGrants);
  values.callbacks = value(counters.callbacks);
  values.bytesSent = value(counters.bytesSent);
  values.bytesReceived = value(counters.bytesReceived);
  values.receiveOrderQueued = value(counters.receiveOrderQueued);
  values.timestampOrderQueued = value(counters.timestampOrderQueued);
  values.queuedBytes = value(counters.queuedBytes);
  values.bestEffortDropped = value(counters.bestEffortDropped);
  values.blockedNanoseconds = value(counters.blockedNanoseconds);
  values.lastCallNanoseconds = value(counters.lastCallNanoseconds);
  return values;
}

double decoded(std::uint64_t bits, bool integer) {
  return integer ? static_cast<double>(std::bit_cast<std::int64_t>(bits))
                 : std::bit_cast<double>(bits);
}

TimeValues read(const TimeSlot& slot) {
  TimeValues values;
  // The writer fills the other state before it moves on: a state is only torn when two changes
  // pass during the reading. Then it is read again, a few times.
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
    const TimeState& state = slot.states[sequence & 1];
    const std::uint32_t flags = state.flags.load(std::memory_order_acquire);
    const std::uint32_t advance = state.advance.load(std::memory_order_acquire);
    const std::uint64_t logical = state.logicalTime.load(std::memory_order_acquire);
    const std::uint64_t requested = state.requestedTime.load(std::memory_order_acquire);
    const std::uint64_t lookahead = state.lookahead.load(std::memory_order_acquire);
    const std::uint64_t leastStamp = state.leastStamp.load(std::memory_order_acquire);
    const std::uint64_t galt = state.galt.load(std::memory_order_acquire);
    if (slot.sequence.load(std::memory_order_acquire) != sequence) continue;

    namespace flag = fabric::timeFlag;
    const bool integer = (flags & flag::integerTime) != 0;
    values.regulating = (flags & flag::regulating) != 0;
    values.constrained = (flags & flag::constrained) != 0;
    values.regulationPending = (flags & flag::regulationPending) != 0;
    values.constrainedPending = (flags & flag::constrainedPending) != 0;
    values.exclusive = (flags & flag::exclusive) != 0;
    if (advance <= static_cast<std::uint32_t>(fabric::TimeAdvance::FlushQueueRequest)) {
      values.advance = static_cast<fabric::TimeAdvance>(advance);
    }
    values.logicalTime = decoded(logical, integer);
    if (values.advance != fabric::TimeAdvance::None) {
      values.requestedTime = decoded(requested, integer);
    }
    if (values.regulating || values.regulationPending) {
      values.lookahead = decoded(lookahead, integer);
    }
    if ((flags & flag::galtValid) != 0) values.galt = decoded(galt, integer);
    if ((flags & flag::queueHasStamp) != 0) values.leastStamp = decoded(leastStamp, integer);
    break;
  }
  return values;
}

/// The ring at `offset` when it is one between these two.
const RingHeader* ringAt(const Arena& arena, Offset offset, fabric::FederateNumber sender,
                         fabric::FederateNumber receiver) {
  const auto* ring = reinterpret_cast<const RingHeader*>(arena.at(offset, fabric::ringHeaderBytes));
  if (ring == nullptr || ring->magic != RingHeader::magicValue || ring->sender != sender ||
      ring->receiver != receiver) {
    return nullptr;
  }
  return ring;
}

/// The page of a federate that was joined at the last refresh, while it is its own.
const FederateBlock* blockOf(const Arena& arena, const fabric::FederateStatus& status) {
  if (status.state != static_cast<std::uint32_t>(FederateState::Joined)) return nullptr;
  const auto* block = arena.as<FederateBlock>(status.block);
  if (block == nullptr || block->magic != FederateBlock::magicValue ||
      block->federate != status.federate) {
    return nullptr;
  }
  return block;
}

/// Calls `found` with the class of each live instance of a table.
void forEachInstance(const Arena& arena, Offset table,
                     const std::function<void(std::uint32_t)>& found) {
  std::unordered_set<Offset> seen;
  for (Offset at = table; at != 0 && seen.insert(at).second;) {
    const auto* block = arena.as<InstanceBlock>(at);
    if (block == nullptr) return;
    const std::size_t rows = std::min(block->capacity, block->used.load(std::memory_order_acquire));
    const auto* bytes = arena.at(at, sizeof(InstanceBlock) + rows * sizeof(InstanceRow));
    if (bytes == nullptr) return;
    const auto* row = reinterpret_cast<const InstanceRow*>(bytes + sizeof(InstanceBlock));
    for (std::size_t i = 0; i < rows; ++i, ++row) {
      const auto state = row->state.load(std::memory_order_acquire);
      if ((state & InstanceRow::phaseMask) != InstanceRow::alive) continue;
      const auto objectClass = row->objectClass.load(std::memory_order_acquire);
      if (row->state.load(std::memory_order_acquire) == state) found(objectClass);
    }
    at = block->next.load(std::memory_order_acquire);
  }
}

}  // namespace

tl::expected<Observer, std::string> Observer::connect(std::string_view designator,
                                                      const std::string& program) {
  const auto name = nodeNameOf(designator);
  if (!name) return tl::unexpected(name.error());
  auto client = NodeClient::connect(*name);
  if (!client) return tl::unexpected(client.error());
  if (auto greeted = client->hello(program); !greeted) return tl::unexpected(greeted.error());
  Observer observer;
  observer.client_ = std::move(*client);
  if (!observer.refresh()) return tl::unexpected(observer.problem_);
  return observer;
}

bool Observer::refresh() {
  if (!problem_.empty()) return false;
  auto node = client_.statusAndLinks();
  if (!node) return failed(node.error());
  take(std::move(*node));
  return true;
}

bool Observer::refreshWithin(std::chrono::milliseconds wait) {
  if (!problem_.empty()) return false;
  auto node = client_.statusWithin(wait);
  if (!node) return failed(node.error());
  if (*node) {
    take(std::move(**node));
    return true;
  }
  const auto since = fabric::Endpoint::Clock::now() - *client_.askedSince();
  if (since >= NodeClient::patience) {
    silence_ = "the RTI node '" + client_.nodeName() + "' (process " + std::to_string(status_.pid) +
               ") has not answered for " +
               std::to_string(std::chrono::duration_cast<std::chrono::seconds>(since).count()) +
               " s: it is stopped or very busy";
  }
  return true;
}

bool Observer::failed(const std::string& why) {
  problem_ = client_.connected() ? why
                                 : "the RTI node '" + client_.nodeName() + "' (process " +
                                       std::to_string(status_.pid) + ") has gone";
  return false;
}

void Observer::take(NodeStatus node) {
  silence_.clear();
  status_ = std::move(node.status);
  links_ = std::move(node.links);
  neighbours_ = std::move(node.neighbours);
  flows_ = std::move(node.flows);
  linksAt_ = monotonicNow();

  std::set<std::uint64_t> present;
  for (const auto& federation : status_.federations) present.insert(federation.execution);
  std::erase_if(watched_, [&](const auto& item) { return !present.contains(item.first); });
  mapProblem_.clear();
  for (const auto& federation : status_.federations) {
    auto found = watched_.find(federation.execution);
    if (found == watched_.end()) {
      auto memory = client_.observe(federation.federation);
      if (!memory) {
        mapProblem_ = memory.error();
        continue;
      }
      auto arena = memory->map();
      if (!arena) {
        mapProblem_ = arena.error();
        continue;
      }
      found = watched_.emplace(federation.execution, Watched{}).first;
      found->second.arena = std::move(*arena);
    }
    readModel(found->second, federation);
  }
}

void Observer::readModel(Watched& watched, const fabric::FederationStatus& status) {
  if (watched.modelAt == status.model) return;
  watched.model.reset();
  watched.modelAt = 0;
  const std::byte* bytes = watched.arena.at(status.model, status.modelBytes);
  if (bytes == nullptr) return;
  watched.modelBytes = std::make_unique<fabric::Bytes>(bytes, bytes + status.modelBytes);
  auto model = omt::CompactModel::open(*watched.modelBytes);
  if (!model) return;  // replaced just now; the next status names the new one
  watched.model.emplace(std::move(*model));
  watched.modelAt = status.model;
}

const fabric::FederationStatus* Observer::find(const std::string& federation) const {
  for (const auto& status : status_.federations) {
    if (status.federation == federation) return &status;
  }
  return nullptr;
}

tl::expected<void, std::string> Observer::holdTime(const std::string& federation, double ceiling) {
  const auto* status = find(federation);
  if (status == nullptr) {
    return tl::unexpected("federation '" + federation + "' is not at the RTI node '" +
                          client_.nodeName() + "', so its time was not held");
  }
  const bool integer = status->timeImplementation == "HLAinteger64Time";
  return client_.holdTime(
      federation, integer ? fabric::integerTimeAt(ceiling) : std::bit_cast<std::uint64_t>(ceiling));
}

tl::expected<void, std::string> Observer::releaseTime(const std::string& federation) {
  return client_.holdTime(federation, std::nullopt);
}

tl::expected<void, std::string> Observer::setPace(const std::string& federation, double perSecond) {
  return client_.setPace(federation, perSecond);
}

std::vector<DeclarationSample> Observer::declarations(const std::string& federation) const {
  std::vector<DeclarationSample> samples;
  const auto* status = find(federation);
  if (status == nullptr) return samples;
  const auto watched = watched_.find(status->execution);
  if (watched == watched_.end() || !watched->second.model) return samples;
  const omt::CompactModel& model = *watched->second.model;
  for (const auto& declaration : status->declarations) {
    DeclarationSample sample;
    sample.federate = declaration.federate;
    sample.className = declaration.interaction ? model.interactionClassName(declaration.classHandle)
                                               : model.objectClassName(declaration.classHandle);
    sample.interaction = declaration.interaction;
    sample.publish = declaration.publish;
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<InstanceSample> Observer::instancesOf(const std::string& federation,
                                                  fabric::FederateNumber federate) const {
  const auto* status = find(federation);
  if (status == nullptr) return {};
  const auto watched = watched_.find(status->execution);
  if (watched == watched_.end() || !watched->second.model) return {};
  struct Count {
    std::uint64_t owned = 0;
    std::uint64_t total = 0;
  };
  std::map<std::uint32_t, Count> counts;
  for (const auto& each : status->federates) {
    const FederateBlock* block = blockOf(watched->second.arena, each);
    if (block == nullptr) continue;
    forEachInstance(watched->second.arena, block->instances.load(std::memory_order_acquire),
                    [&](std::uint32_t objectClass) {
                      Count& count = counts[objectClass];
                      ++count.total;
                      if (each.federate == federate) ++count.owned;
                    });
  }
  std::vector<InstanceSample> samples;
  for (const auto& [objectClass, count] : counts) {
    const std::string name(watched->second.model->objectClassName(objectClass));
    if (count.owned != 0 && !name.empty()) samples.push_back({name, count.owned, count.total});
  }
  return samples;
}

Snapshot Observer::sample() const {
  Snapshot snapshot;
  snapshot.monotonicNanoseconds = monotonicNow();
  snapshot.nodeName = client_.nodeName();
  snapshot.nodePid = status_.pid;
  snapshot.problem = problem_.empty() ? silence_ : problem_;
  if (problem_.empty() && !client_.connected()) {
    snapshot.problem = "the RTI node '" + client_.nodeName() + "' (process " +
                       std::to_string(status_.pid) + ") has gone";
  }
  snapshot.connected = snapshot.problem.empty();
  if (snapshot.problem.empty()) snapshot.problem = mapProblem_;
  snapshot.requests = status_.requests;
  snapshot.budgetBytes = status_.budgetBytes;
  snapshot.committedBytes = status_.committedBytes;
  snapshot.connections = status_.connections;
  snapshot.nodeLinks = links_;
  snapshot.neighbourLinks = neighbours_;
  snapshot.nodeLinksNanoseconds = linksAt_;

  for (const auto& status : status_.federations) {
    FederationSample federation;
    federation.name = status.federation;
    federation.timeImplementation = status.timeImplementation;
    federation.modules = status.modules;
    federation.logNumber = status.logNumber;
    federation.committedBytes = status.committedBytes;
    for (const auto& point : status.synchronizationPoints) {
      federation.synchronizationPoints.push_back({point.label, point.waitingFor, point.achieved});
    }
    for (const auto& point : status.synchronized)
      federation.synchronized.push_back({point.label, {}, point.achieved});
    const auto found = watched_.find(status.execution);
    const Arena* arena = found == watched_.end() ? nullptr : &found->second.arena;
    if (arena != nullptr) {
      const auto& header = arena->header();
      federation.logNumber = header.logTail.load(std::memory_order_acquire);
      federation.committedBytes = header.published.load(std::memory_order_acquire) +
                                  header.committed.load(std::memory_order_acquire) -
                                  arena->firstShared();
      const std::uint32_t active = header.ceilingActive.load(std::memory_order_acquire);
      federation.held = (active & fabric::ceilingOf::hold) != 0;
      federation.paced = (active & fabric::ceilingOf::pace) != 0;
      federation.pace = std::bit_cast<double>(header.pace.load(std::memory_order_relaxed));
      federation.ceiling = decoded(header.ceiling.load(std::memory_order_acquire),
                                   status.timeImplementation == "HLAinteger64Time");
    }
    for (const auto& federate : status.federates) {
      federation.federates.push_back(sampleFederate(arena, federate));
      if (arena != nullptr && federation.federates.back().live) {
        sampleLinks(*arena, federate, federation.links);
      }
    }
    addFlows(status, federation);
    std::sort(federation.links.begin(), federation.links.end(),
              [](const LinkSample& a, const LinkSample& b) {
                return std::pair(a.sender, a.receiver) < std::pair(b.sender, b.receiver);
              });
    snapshot.federations.push_back(std::move(federation));
  }
  for (const auto& status : status_.ended) {
    FederationSample& federation = snapshot.ended.emplace_back();
    federation.name = status.federation;
    federation.timeImplementation = status.timeImplementation;
    federation.modules = status.modules;
    for (const auto& federate : status.federates) {
      federation.federates.push_back(sampleFederate(nullptr, federate));
    }
  }
  return snapshot;
}

FederateSample Observer::sampleFederate(const Arena* arena,
                                        const fabric::FederateStatus& status) const {
  FederateSample sample;
  sample.number = status.federate;
  sample.name = status.name;
  sample.type = status.type;
  sample.pid = status.pid;
  if (status.state <= static_cast<std::uint32_t>(FederateState::Lost)) {
    sample.state = static_cast<FederateState>(status.state);
  }
  for (const auto& fault : status.faults) {
    sample.faults.push_back({fault.callback, fault.type, fault.text, fault.count});
  }
  std::uint64_t lost = 0;
  for (const auto& drop : status.drops) {
    sample.drops.push_back({drop.className, drop.interaction, drop.dropped, drop.lost});
    lost += drop.lost;
  }
  Counters counters{};
  TimeSlot slot{};
  if (sample.state != FederateState::Joined &&
      fabric::placeFigures(status.figures, counters, slot)) {
    sample.counters = read(counters);
    sample.counters.bestEffortLost = lost;
    sample.time = read(slot);
    sample.last = true;
    return sample;
  }
  if (arena == nullptr) return sample;
  const FederateBlock* block = blockOf(*arena, status);
  if (block == nullptr) return sample;
  sample.counters = read(block->counters);
  sample.counters.bestEffortLost = block->lost.all.load(std::memory_order_relaxed);
  sample.time = read(block->time);
  const std::uint32_t state = block->state.load(std::memory_order_acquire);
  // Cleared or given to another in the meantime: what was read is not this federate's.
  if (block->magic != FederateBlock::magicValue || block->federate != status.federate ||
      state == 0 || state > static_cast<std::uint32_t>(FederateState::Lost)) {
    sample.counters = {};
    sample.time = {};
    return sample;
  }
  sample.state = static_cast<FederateState>(state);
  sample.live = true;
  return sample;
}

void Observer::addFlows(const fabric::FederationStatus& status, FederationSample& sample) const {
  if (flows_.empty()) return;
  std::set<fabric::FederateNumber> joined;
  for (const FederateSample& each : sample.federates) {
    if (each.state == FederateState::Joined) joined.insert(each.number);
  }
  // The home takes of a node what is about those behind it only: none of these were read here.
  for (const fabric::FlowStatus& flow : flows_) {
    if (flow.execution != status.execution || !joined.contains(flow.sender) ||
        !joined.contains(flow.receiver))
      continue;
    LinkSample& link = sample.links.emplace_back();
    link.sender = flow.sender;
    link.receiver = flow.receiver;
    link.messages = flow.messages;
  }
}

void Observer::sampleLinks(const Arena& arena, const fabric::FederateStatus& receiver,
                           std::vector<LinkSample>& links) const {
  Offset at = receiver.block + offsetof(FederateBlock, inbound);
  for (int length = 0; at != 0 && length < longestDirectory; ++length) {
    const auto* block = arena.as<InboundBlock>(at);
    if (block == nullptr) return;
    for (const InboundEntry& entry : block->entries) {
      const auto sender = entry.sender.load(std::memory_order_acquire);
      if (sender == 0) continue;
      LinkSample link;
      link.sender = sender;
      link.receiver = receiver.federate;
      Offset ringOffset = entry.ring.load(std::memory_order_acquire);
      bool any = false;
      for (int chain = 0; ringOffset != 0 && chain < longestRingChain; ++chain) {
        const RingHeader* ring = ringAt(arena, ringOffset, sender, receiver.federate);
        if (ring == nullptr) break;
        // The head first: it never passes the tail that is read after it.
        const std::uint64_t head = ring->head.load(std::memory_order_acquire);
        const std::uint64_t tail = ring->tail.load(std::memory_order_acquire);
        const std::uint64_t capacity = ring->capacity;
        link.messages = std::max(link.messages, ring->messages.load(std::memory_order_relaxed));
        link.bytesWaiting += std::min(tail - head, capacity);
        link.capacityBytes += capacity;
        any = true;
        ringOffset = ring->successor.load(std::memory_order_acquire);
      }
      if (any) links.push_back(link);
    }
    at = block->next.load(std::memory_order_acquire);
  }
}

}  // namespace tutti::observe
