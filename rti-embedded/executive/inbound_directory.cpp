// SPDX-License-Identifier: Apache-2.0
#include "executive/inbound_directory.h"

#include <algorithm>
#include <cstddef>
#include <new>

#include "fabric/futex.h"

namespace tutti::executive {

using fabric::FederateBlock;
using fabric::FederateNumber;
using fabric::InboundBlock;
using fabric::InboundEntry;
using fabric::LogNumber;
using fabric::Offset;
using fabric::RingHeader;

InboundDirectory::InboundDirectory(ArenaAllocator& arena, FederateNumber receiver, Offset block)
    : arena_(arena),
      receiver_(receiver),
      federateBlock_(block),
      blocks_{block + offsetof(FederateBlock, inbound)} {}

const InboundDirectory::Place* InboundDirectory::find(FederateNumber sender) const {
  const auto found = places_.find(sender);
  return found == places_.end() ? nullptr : &found->second;
}

tl::expected<Offset, std::string> InboundDirectory::makeRing(FederateNumber sender,
                                                             std::uint64_t bytes) {
  auto extent = arena_.allocate(bytes, sender,
                                "a ring from federate " + std::to_string(sender) + " to federate " +
                                    std::to_string(receiver_));
  if (!extent) return tl::unexpected(extent.error());
  auto* ring = new (arena_.at(extent->offset, extent->bytes)) RingHeader{};
  ring->magic = RingHeader::magicValue;
  ring->capacity = static_cast<std::uint32_t>(extent->bytes - fabric::ringHeaderBytes);
  ring->sender = sender;
  ring->receiver = receiver_;
  return extent->offset;
}

tl::expected<std::uint32_t, std::string> InboundDirectory::takeEntry() {
  if (!freeEntries_.empty()) {
    return freeEntries_.extract(freeEntries_.begin()).value();
  }
  if (used_ == blocks_.size() * InboundBlock::entryCount) {
    if (spare_.empty()) {
      auto extent =
          arena_.allocate(fabric::pageBytes, receiver_,
                          "the inbound directory of federate " + std::to_string(receiver_));
      if (!extent) return tl::unexpected(extent.error());
      for (std::uint64_t at = 0; at + sizeof(InboundBlock) <= extent->bytes;
           at += sizeof(InboundBlock)) {
        spare_.insert(spare_.begin(), extent->offset + at);
      }
    }
    const Offset next = spare_.back();
    spare_.pop_back();
    new (arena_.at(next, sizeof(InboundBlock))) InboundBlock{};
    arena_.as<InboundBlock>(blocks_.back())->next.store(next, std::memory_order_release);
    blocks_.push_back(next);
  }
  return used_++;
}

InboundEntry& InboundDirectory::entry(std::uint32_t index) const {
  auto* block = arena_.as<InboundBlock>(blocks_[index / InboundBlock::entryCount]);
  return block->entries[index % InboundBlock::entryCount];
}

tl::expected<const InboundDirectory::Place*, std::string> InboundDirectory::open(
    FederateNumber sender, std::uint64_t bytes) {
  auto ring = makeRing(sender, bytes);
  if (!ring) return tl::unexpected(ring.error());
  const auto index = takeEntry();
  if (!index) {
    arena_.release(*ring);
    return tl::unexpected(index.error());
  }
  InboundEntry& target = entry(*index);
  target.ring.store(*ring, std::memory_order_release);
  target.sender.store(sender, std::memory_order_release);

  Place place;
  place.blockIndex = *index / InboundBlock::entryCount;
  place.block = blocks_[place.blockIndex];
  place.entry = *index % InboundBlock::entryCount;
  place.rings = {*ring};
  return &places_.insert_or_assign(sender, std::move(place)).first->second;
}

tl::expected<const InboundDirectory::Place*, std::string> InboundDirectory::replace(
    FederateNumber sender, std::uint64_t bytes) {
  Place& place = places_.at(sender);
  auto ring = makeRing(sender, bytes);
  if (!ring) return tl::unexpected(ring.error());
  place.rings.push_back(*ring);
  return &place;
}

bool InboundDirectory::free(FederateNumber sender, Offset ring, LogNumber next) {
  const auto found = places_.find(sender);
  if (found == places_.end()) return false;
  Place& place = found->second;
  if (ring == place.rings.back() || !std::count(place.rings.begin(), place.rings.end(), ring)) {
    return false;
  }
  if (!place.freed.insert(ring).second) return true;  // and its receiver is still at it
  freedBy_.insert(sender);
  retireFreed(place, next);
  if (place.freed.empty()) freedBy_.erase(sender);
  return true;
}

void InboundDirectory::retireFreed(Place& place, LogNumber next) {
  const std::uint32_t index = place.blockIndex * InboundBlock::entryCount + place.entry;
  const Offset read = entry(index).ring.load(std::memory_order_acquire);
  // Rings are left in the order they were made in.
  while (place.rings.front() != read && place.freed.erase(place.rings.front()) != 0) {
    arena_.retire(place.rings.front(), next);
    place.rings.erase(place.rings.begin());
  }
}

void InboundDirectory::announce(FederateNumber sender) const {
  const Place* place = find(sender);
  if (place == nullptr) return;
  auto* block = arena_.as<InboundBlock>(place->block);
  auto* federate = arena_.as<FederateBlock>(federateBlock_);
  block->ready.fetch_or(std::uint64_t{1} << place->entry, std::memory_order_seq_cst);
  federate->readySummary.fetch_or(std::uint64_t{1} << (place->blockIndex % 64),
                                  std::memory_order_seq_cst);
  fabric::wakeIfSleeping(*federate);
}

void InboundDirectory::retire(FederateNumber sender, LogNumber number) {
  const auto found = places_.find(sender);
  if (found == places_.end()) return;
  const Place& place = found->second;
  for (const Offset ring : place.rings) arena_.retire(ring, number);
  leaving_.push_back({number, static_cast<std::uint32_t>(
                                  place.blockIndex * InboundBlock::entryCount + place.entry)});
  places_.erase(found);
  freedBy_.erase(sender);
}

void InboundDirectory::clear(LogNumber applied, LogNumber next) {
  std::erase_if(freedBy_, [&](FederateNumber sender) {
    Place& place = places_.at(sender);
    retireFreed(place, next);
    return place.freed.empty();
  });
  std::erase_if(leaving_, [&](const Leaving& leaving) {
    if (leaving.number > applied) return false;
    InboundEntry& target = entry(leaving.index);
    target.sender.store(0, std::memory_order_release);
    target.ring.store(0, std::memory_order_release);
    freeEntries_.insert(leaving.index);
    return true;
  });
}

std::vector<FederateNumber> InboundDirectory::senders() const {
  std::vector<FederateNumber> result;
  result.reserve(places_.size());
  for (const auto& [sender, place] : places_) result.push_back(sender);
  return result;
}

}  // namespace tutti::executive
