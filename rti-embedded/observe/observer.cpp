// SPDX-License-Identifier: Apache-2.0
#include "observe/observer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <ctime>
#include <set>
#include <utility>

namespace tutti::observe {

using fabric::Arena;
using fabric::Counters;
using fabric::FederateBlock;
using fabric::FederateState;
using fabric::InboundBlock;
using fabric::InboundEntry;
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
  auto status = client_.status();
  if (!status) {
    problem_ = client_.connected() ? status.error()
                                   : "the RTI node '" + client_.nodeName() + "' (process " +
                                         std::to_string(status_.pid) + ") has gone";
    return false;
  }
  status_ = std::move(*status);

  std::set<std::uint64_t> present;
  for (const auto& federation : status_.federations) present.insert(federation.execution);
  std::erase_if(arenas_, [&](const auto& item) { return !present.contains(item.first); });
  mapProblem_.clear();
  for (const auto& federation : status_.federations) {
    if (arenas_.contains(federation.execution)) continue;
    auto memory = client_.observe(federation.federation);
    if (!memory) {
      mapProblem_ = memory.error();
      continue;
    }
    auto arena =
        Arena::open(memory->first.get(), memory->second, fabric::Mapping::Access::ReadOnly);
    if (arena) {
      arenas_.emplace(federation.execution, std::move(*arena));
    } else {
      mapProblem_ = arena.error();
    }
  }
  return true;
}

Snapshot Observer::sample() const {
  Snapshot snapshot;
  snapshot.monotonicNanoseconds = monotonicNow();
  snapshot.nodeName = client_.nodeName();
  snapshot.nodePid = status_.pid;
  snapshot.problem = problem_;
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

  for (const auto& status : status_.federations) {
    FederationSample federation;
    federation.name = status.federation;
    federation.timeImplementation = status.timeImplementation;
    federation.modules = status.modules;
    federation.logNumber = status.logNumber;
    federation.committedBytes = status.committedBytes;
    for (const auto& point : status.synchronizationPoints) {
      federation.synchronizationPoints.push_back({point.label, point.waitingFor});
    }
    const auto found = arenas_.find(status.execution);
    const Arena* arena = found == arenas_.end() ? nullptr : &found->second;
    if (arena != nullptr) {
      const auto& header = arena->header();
      federation.logNumber = header.logTail.load(std::memory_order_acquire);
      federation.committedBytes = header.committed.load(std::memory_order_acquire);
      federation.held = header.ceilingActive.load(std::memory_order_acquire) != 0;
      federation.ceiling = decoded(header.ceiling.load(std::memory_order_acquire),
                                   status.timeImplementation == "HLAinteger64Time");
    }
    for (const auto& federate : status.federates) {
      federation.federates.push_back(sampleFederate(arena, federate));
      if (arena != nullptr && federation.federates.back().live) {
        sampleLinks(*arena, federate, federation.links);
      }
    }
    std::sort(federation.links.begin(), federation.links.end(),
              [](const LinkSample& a, const LinkSample& b) {
                return std::pair(a.sender, a.receiver) < std::pair(b.sender, b.receiver);
              });
    snapshot.federations.push_back(std::move(federation));
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
  if (arena == nullptr || sample.state != FederateState::Joined) return sample;
  const auto* block = arena->as<FederateBlock>(status.block);
  if (block == nullptr || block->magic != FederateBlock::magicValue ||
      block->federate != status.federate) {
    return sample;
  }
  sample.counters = read(block->counters);
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
