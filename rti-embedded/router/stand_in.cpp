// SPDX-License-Identifier: Apache-2.0
#include "router/stand_in.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "fabric/futex.h"

namespace tutti::router {

using executive::FederationExecution;
using fabric::FederateNumber;
using fabric::RecordHead;
using fabric::RecordType;

namespace {

constexpr std::uint64_t firstRing = 4096;
constexpr std::uint64_t growthFactor = 8;
constexpr std::uint64_t largestRing = std::uint64_t{4} << 20;
/// A body above this lies in a chunk of its own.
constexpr std::size_t largestInRing = 64 * 1024;

}  // namespace

StandIn::StandIn(FederationExecution& execution, FederateNumber federate,
                 fabric::FederateBlock& page)
    : execution_(execution), federate_(federate) {
  const auto allocate = [this](const fabric::AllocateRequest& request) {
    auto reply = execution_.allocate(federate_, request);
    if (!reply) throw std::bad_alloc();
    return *reply;
  };
  const fabric::Arena& arena = execution_.arena().arena();
  table_.open(allocate, arena, page);
  regions_.open(allocate, arena, page);
  updateRegions_.open(allocate, arena, page);
}

void StandIn::placeRow(const executive::SavedInstance& row) {
  table_.place(row.row, row.instance, row.objectClass, row.name, row.owned);
}

void StandIn::freeRow(std::uint32_t row) { table_.clear(row); }

bool StandIn::showRegion(core::Region region, const core::Ranges* ranges,
                         const core::RegionTable::Room& room) {
  return fabric::regionCreator(region) == federate_ && regions_.show(region, ranges, room);
}

bool StandIn::showUpdateRegion(std::uint32_t row, const core::UpdateRegion* entry) {
  return updateRegions_.show(row, entry);
}

void StandIn::open(Way& way, FederateNumber receiver, std::uint64_t bytes) {
  auto reply = execution_.openRing(federate_, {receiver, bytes, way.offset});
  if (!reply) throw std::bad_alloc();
  const auto& arena = execution_.arena();
  const auto ring = fabric::ringAt(arena.arena(), reply->ring);
  if (!ring) throw std::bad_alloc();
  way.ring = fabric::RingWriter(ring);
  way.offset = reply->ring;
  way.bytes = bytes;
  way.inbound = arena.as<fabric::InboundBlock>(reply->inboundBlock);
  way.readyBit = std::uint64_t{1} << reply->entry;
  way.summaryBit = std::uint64_t{1} << (reply->blockIndex % 64);
}

StandIn::Way& StandIn::wayTo(const FederationExecution::Page& receiver) {
  const auto found = ways_.find(receiver.federate);
  if (found != ways_.end()) return found->second;
  Way way;
  way.block = receiver.block;
  open(way, receiver.federate, firstRing);
  return ways_.emplace(receiver.federate, std::move(way)).first->second;
}

void StandIn::notify(Way& way) {
  if ((way.inbound->ready.load(std::memory_order_seq_cst) & way.readyBit) != 0) return;
  way.inbound->ready.fetch_or(way.readyBit, std::memory_order_seq_cst);
  way.block->readySummary.fetch_or(way.summaryBit, std::memory_order_seq_cst);
  fabric::wakeIfSleeping(*way.block);
}

void StandIn::write(Way& way, FederateNumber receiver, std::span<const std::byte> record,
                    bool timestamped) {
  if (!way.ring.isPlausible()) {
    damaged_ = true;  // there would be one ring more for each record
    return;
  }
  // Room is left for the record that leads to a further ring.
  if (!way.ring.fits(record.size() + 2 * sizeof(RecordHead))) {
    const fabric::RingWriter before = way.ring;
    const fabric::Offset beforeOffset = way.offset;
    open(way, receiver,
         std::max(std::min(way.bytes * growthFactor, largestRing),
                  std::bit_ceil(std::uint64_t{record.size()} * 4)));
    // As in core::Outbox::grow(): positions go on beyond all of the ring before.
    fabric::RingHeader& header = way.ring.header();
    const std::uint64_t start = before.tail() + 2 * std::uint64_t{before.capacity()};
    header.timestampedSent.store(way.timestampedSent, std::memory_order_relaxed);
    header.messages.store(before.header().messages.load(std::memory_order_relaxed),
                          std::memory_order_relaxed);
    header.head.store(start, std::memory_order_relaxed);
    header.chunkHead.store(start, std::memory_order_relaxed);
    header.tail.store(start, std::memory_order_relaxed);
    way.ring = fabric::RingWriter({&header, way.ring.capacity()});
    before.header().successor.store(way.offset, std::memory_order_release);
    RecordHead moved{};
    moved.bytes = sizeof moved;
    moved.type = RecordType::Moved;
    fabric::RingWriter last = before;
    last.tryWrite({reinterpret_cast<const std::byte*>(&moved), sizeof moved}, false);
    way.former.push_back({last, beforeOffset});
  }
  way.ring.tryWrite(record, timestamped);
  if (timestamped) ++way.timestampedSent;
}

void StandIn::deliver(const FederationExecution::Page& receiver,
                      std::span<const std::byte> record) {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const bool timestamped = (head.flags & fabric::recordFlag::timestampOrder) != 0;
  Way& way = wayTo(receiver);
  const std::size_t body = record.size() - sizeof head;
  if (body <= largestInRing) {
    write(way, receiver.federate, record, timestamped);
  } else {
    auto chunk = execution_.allocate(federate_, {body, fabric::Purpose::Chunk});
    if (!chunk) throw std::bad_alloc();
    std::memcpy(execution_.arena().at(chunk->extent, body), record.data() + sizeof head, body);
    struct {
      RecordHead head;
      fabric::ChunkReference reference;
    } small{head, {chunk->extent, body}};
    small.head.bytes = sizeof small;
    small.head.flags |= fabric::recordFlag::chunk;
    write(way, receiver.federate, {reinterpret_cast<const std::byte*>(&small), sizeof small},
          timestamped);
    way.chunks.push_back({way.ring, way.offset, way.ring.tail(), chunk->extent, chunk->bytes});
  }
  notify(way);
}

void StandIn::giveBackRead() {
  for (auto& [receiver, way] : ways_) giveBackRead(way);
}

void StandIn::giveBackRead(Way& way) {
  std::erase_if(way.chunks, [&](Way::Chunk& chunk) {
    if (!chunk.ring.chunkPassed(chunk.position)) return false;
    execution_.free(federate_, {chunk.extent});
    return true;
  });
  std::erase_if(way.former, [&](Way::Former& former) {
    const bool holdsChunk =
        std::any_of(way.chunks.begin(), way.chunks.end(),
                    [&](const Way::Chunk& chunk) { return chunk.ringOffset == former.offset; });
    if (holdsChunk || !former.ring.passed(former.ring.tail())) return false;
    execution_.free(federate_, {former.offset});
    return true;
  });
}

void StandIn::forget(FederateNumber receiver) {
  const auto found = ways_.find(receiver);
  if (found == ways_.end()) return;
  for (const Way::Chunk& chunk : found->second.chunks) execution_.free(federate_, {chunk.extent});
  ways_.erase(found);
}

std::uint64_t StandIn::unread(FederateNumber receiver) const {
  const auto found = ways_.find(receiver);
  if (found == ways_.end()) return 0;
  const Way& way = found->second;
  const auto left = [](const fabric::RingWriter& ring) {
    return ring.tail() - ring.header().head.load(std::memory_order_acquire);
  };
  std::uint64_t bytes = left(way.ring);
  for (const Way::Former& former : way.former) bytes += left(former.ring);
  for (const Way::Chunk& chunk : way.chunks) bytes += chunk.bytes;
  return bytes;
}

}  // namespace tutti::router
