// SPDX-License-Identifier: Apache-2.0
#include "core/regions.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "core/table_block.h"

namespace tutti::core {
namespace {

using fabric::RegionBlock;
using fabric::RegionRow;

// --- rows ----------------------------------------------------------------------------------------

std::size_t dimensionBytes(std::uint32_t room) {
  return (std::size_t{room} * 4 + 7) & ~std::size_t{7};
}

struct RowView {
  RegionRow* row;
  std::atomic<std::uint32_t>* dimension;
  std::atomic<std::uint64_t>* range[2];
};

/// Of a block whose rows have `room` for so many dimensions.
RowView rowOf(RegionBlock* block, std::uint32_t room, std::uint32_t index) {
  std::byte* at = reinterpret_cast<std::byte*>(block) + sizeof(RegionBlock) +
                  index * fabric::regionRowBytes(room);
  RowView view{};
  view.row = reinterpret_cast<RegionRow*>(at);
  at += sizeof(RegionRow);
  view.dimension = reinterpret_cast<std::atomic<std::uint32_t>*>(at);
  at += dimensionBytes(room);
  view.range[0] = reinterpret_cast<std::atomic<std::uint64_t>*>(at);
  view.range[1] = view.range[0] + room;
  return view;
}

std::uint64_t packed(const Range& range) {
  return (std::uint64_t{range.upper} << 32) | range.lower;
}

/// A block of somebody's table, checked once: all of its rows are backed by memory.
struct CheckedBlock {
  RegionBlock* block = nullptr;  ///< null: there is none
  std::uint32_t rows = 0;
  std::uint32_t dimensions = 0;

  RowView row(std::uint32_t index) const { return rowOf(block, dimensions, index); }
};

/// `left` bytes of blocks are still to be believed: a chain that comes round again ends there.
CheckedBlock regionBlockAt(const fabric::Arena& arena, fabric::Offset offset, std::size_t& left) {
  auto* block = arena.as<RegionBlock>(offset);
  if (block == nullptr) return {};
  const std::uint32_t rows = std::atomic_ref(block->rows).load(std::memory_order_relaxed);
  const auto dimensions = std::atomic_ref(block->dimensions).load(std::memory_order_relaxed);
  if (rows > fabric::regionSlotLimit || dimensions > fabric::regionSlotLimit) return {};
  const std::size_t bytes = sizeof(RegionBlock) + rows * fabric::regionRowBytes(dimensions);
  if (bytes > left || arena.at(offset, bytes) == nullptr) return {};
  left -= bytes;
  return {block, rows, dimensions};
}

/// The block that has row `slot`, counted over all; `slot` is left as the place in it.
CheckedBlock regionBlockOf(const fabric::Arena& arena, fabric::Offset first, std::uint32_t& slot) {
  std::size_t left = arena.whole().size();
  CheckedBlock at = regionBlockAt(arena, first, left);
  while (at.block != nullptr && slot >= at.rows) {
    slot -= at.rows;
    at = regionBlockAt(arena, at.block->next.load(std::memory_order_acquire), left);
  }
  return at;
}

// --- overlap -------------------------------------------------------------------------------------

using Bounds = std::pair<std::uint32_t, std::uint32_t>;

/// The range that a region with `ranges` has in an available dimension.
std::optional<Bounds> rangeIn(const omt::CompactModel& model, const Ranges& ranges,
                              Dimension dimension) {
  for (const Range& range : ranges) {
    if (range.dimension == dimension) return Bounds{range.lower, range.upper};
  }
  const Bounds unspecified = model.dimensionDefault(dimension);
  if (unspecified.first >= unspecified.second) return std::nullopt;
  return unspecified;
}

bool contains(std::span<const Dimension> dimensions, Dimension dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
}

}  // namespace

bool overlap(const omt::CompactModel& model, const Realization& a, const Realization& b) {
  if (a.ranges == nullptr && b.ranges == nullptr) return true;
  if (a.ranges == nullptr) return overlap(model, b, a);
  bool inCommon = false;
  for (const Dimension dimension : a.available) {
    const auto mine = rangeIn(model, *a.ranges, dimension);
    if (!mine) continue;
    Bounds theirs{0, 0xffffffffu};
    if (b.ranges != nullptr) {
      if (!contains(b.available, dimension)) continue;
      const auto found = rangeIn(model, *b.ranges, dimension);
      if (!found) continue;
      theirs = *found;
    }
    if (mine->first >= theirs.second || theirs.first >= mine->second) return false;
    inCommon = true;
  }
  return inCommon;
}

// --- regions -------------------------------------------------------------------------------------

void RegionTable::open(Connection& connection, const fabric::Arena& arena,
                       fabric::FederateBlock& block) {
  open(memoryOf(connection), arena, block);
}

void RegionTable::open(Allocate allocate, const fabric::Arena& arena,
                       fabric::FederateBlock& block) {
  *this = {};
  allocate_ = std::move(allocate);
  arena_ = &arena;
  owner_ = &block;
}

RegionTable::Place& RegionTable::placeOf(std::uint32_t slot) {
  auto place = places_.begin();
  while (slot - place->first >= place->rows) ++place;
  return *place;
}

RegionTable::Place& RegionTable::placeFor(std::size_t needed, std::size_t dimensions) {
  // Slots that were never used first: a number comes again only after all others of its slot.
  for (Place& place : places_) {
    if (place.dimensions >= needed && place.used < place.rows) return place;
  }
  for (Place& place : places_) {
    if (place.dimensions >= needed && !place.free.empty()) return place;
  }
  return grow(std::max(needed, dimensions));
}

RegionTable::Place& RegionTable::grow(std::size_t dimensions, std::uint32_t rows) {
  const auto room = static_cast<std::uint32_t>(std::max(dimensions, std::size_t{1}));
  const std::size_t rowBytes = fabric::regionRowBytes(room);
  const std::uint32_t first =
      places_.empty() ? 0 : places_.back().first + places_.back().rows;
  if (first >= fabric::regionSlotLimit) {
    fail(Fault::RTIinternalError, "This federate has " + std::to_string(first) +
                                      " regions, which is the limit: delete some first.");
  }
  std::uint64_t exactly = sizeof(RegionBlock) + rows * rowBytes;
  std::uint64_t& bytes = rows != 0 ? exactly : nextBytes_;
  const auto [block, reply] = allocateBlock<RegionBlock>(
      allocate_, *arena_, bytes, sizeof(RegionBlock) + std::max(rows, 1u) * rowBytes);
  const std::uint32_t made =
      rows != 0
          ? rows
          : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                (reply.bytes - sizeof(RegionBlock)) / rowBytes, fabric::regionSlotLimit - first));
  block->rows = made;
  block->dimensions = room;
  if (places_.empty()) {
    owner_->regions.store(reply.extent, std::memory_order_release);
  } else {
    places_.back().block->next.store(reply.extent, std::memory_order_release);
  }
  places_.push_back({block, first, made, room});
  return places_.back();
}

Region RegionTable::add(const Ranges& ranges, std::size_t dimensions) {
  Place& place = placeFor(ranges.size(), dimensions);
  std::uint32_t slot = 0;
  if (place.used < place.rows) {
    slot = place.first + place.used++;
  } else {
    slot = place.free.front();
    place.free.pop_front();
  }
  const Region region = fabric::regionNumber(owner_->federate, ++uses_, slot);
  write(place, region, ranges);
  return region;
}

void RegionTable::place(Region region, const Ranges& ranges, std::size_t dimensions) {
  const std::uint32_t slot = fabric::regionSlot(region);
  while (places_.empty() || slot >= places_.back().first + places_.back().rows) {
    grow(std::max(ranges.size(), dimensions));
  }
  // What lies before it is free unless it is placed as well.
  for (Place& one : places_) {
    const std::uint32_t end = std::min(slot + 1, one.first + one.rows);
    for (; one.first + one.used < end; ++one.used) one.free.push_back(one.first + one.used);
  }
  Place& own = placeOf(slot);
  std::erase(own.free, slot);
  uses_ = std::max(uses_, fabric::regionUse(region));
  write(own, region, ranges);
}

void RegionTable::write(Place& place, Region region, const Ranges& ranges) {
  const RowView view = rowOf(place.block, place.dimensions, fabric::regionSlot(region) - place.first);
  const std::uint64_t sequence = view.row->sequence.load(std::memory_order_relaxed);
  // A reader that sees something new below also sees that the region of before is gone.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    view.dimension[i].store(ranges[i].dimension, std::memory_order_relaxed);
    view.range[sequence & 1][i].store(packed(ranges[i]), std::memory_order_relaxed);
  }
  view.row->dimensions.store(static_cast<std::uint32_t>(ranges.size()), std::memory_order_relaxed);
  view.row->region.store(region, std::memory_order_seq_cst);
}

void RegionTable::commit(Region region, const Ranges& ranges) {
  const std::uint32_t slot = fabric::regionSlot(region);
  Place& place = placeOf(slot);
  const RowView view = rowOf(place.block, place.dimensions, slot - place.first);
  const std::uint64_t sequence = view.row->sequence.load(std::memory_order_relaxed);
  auto* next = view.range[(sequence + 1) & 1];
  // A reader that sees something new below also sees the sequence of now.
  std::atomic_thread_fence(std::memory_order_release);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    next[i].store(packed(ranges[i]), std::memory_order_relaxed);
  }
  // Sequentially consistent: what follows is a look at the regions of the others. Of two that move
  // at the same time, one sees the other's new bounds.
  view.row->sequence.store(sequence + 1, std::memory_order_seq_cst);
}

void RegionTable::remove(Region region) {
  const std::uint32_t slot = fabric::regionSlot(region);
  Place& place = placeOf(slot);
  rowOf(place.block, place.dimensions, slot - place.first).row->region.store(0, std::memory_order_seq_cst);
  place.free.push_back(slot);
}

RegionTable::Room RegionTable::roomOf(Region region) const {
  const std::uint32_t slot = fabric::regionSlot(region);
  for (const Place& place : places_) {
    if (slot - place.first < place.rows) {
      return {place.first, place.rows, place.dimensions};
    }
  }
  return {};
}

bool RegionTable::show(Region region, const Ranges* ranges, const Room& room) {
  const std::uint32_t slot = fabric::regionSlot(region);
  const auto end = [&] {
    return places_.empty() ? 0 : places_.back().first + places_.back().rows;
  };
  if (slot >= end()) {
    if (ranges == nullptr) return true;
    const bool possible = room.first <= slot && slot - room.first < room.rows &&
                          room.first >= end() && room.rows <= fabric::regionSlotLimit &&
                          room.first <= fabric::regionSlotLimit - room.rows &&
                          room.dimensions <= fabric::regionSlotLimit;
    if (!possible) return false;
    if (room.first > end()) grow(room.dimensions, room.first - end());
    grow(room.dimensions, room.rows);
  }
  Place& place = placeOf(slot);
  const RowView view = rowOf(place.block, place.dimensions, slot - place.first);
  if (ranges == nullptr) {
    if (view.row->region.load(std::memory_order_relaxed) == region) {
      view.row->region.store(0, std::memory_order_seq_cst);
    }
    return true;
  }
  if (ranges->size() > place.dimensions) return false;
  if (view.row->region.load(std::memory_order_relaxed) == region) {
    commit(region, *ranges);
  } else {
    view.row->region.store(0, std::memory_order_seq_cst);
    write(place, region, *ranges);
  }
  return true;
}

const RegionRow* findRegion(const fabric::Arena& arena, fabric::Offset first, Region region) {
  std::uint32_t slot = fabric::regionSlot(region);
  const CheckedBlock at = regionBlockOf(arena, first, slot);
  return at.block == nullptr ? nullptr : at.row(slot).row;
}

bool readRegion(const fabric::Arena& arena, fabric::Offset first, Region region, Ranges& ranges) {
  std::uint32_t slot = fabric::regionSlot(region);
  const CheckedBlock at = regionBlockOf(arena, first, slot);
  if (at.block == nullptr) return false;
  const RowView view = at.row(slot);
  for (;;) {
    const std::uint64_t before = view.row->sequence.load(std::memory_order_seq_cst);
    if (view.row->region.load(std::memory_order_seq_cst) != region) return false;
    const std::uint32_t count =
        std::min(view.row->dimensions.load(std::memory_order_relaxed), at.dimensions);
    ranges.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t bounds = view.range[before & 1][i].load(std::memory_order_relaxed);
      ranges[i] = {view.dimension[i].load(std::memory_order_relaxed),
                   static_cast<std::uint32_t>(bounds), static_cast<std::uint32_t>(bounds >> 32)};
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (view.row->region.load(std::memory_order_relaxed) != region) return false;
    if (view.row->sequence.load(std::memory_order_relaxed) == before) return true;
  }
}

void visitRegions(
    const fabric::Arena& arena, fabric::Offset first,
    const std::function<void(Region, const Ranges&, const RegionTable::Room&)>& visit) {
  std::uint32_t number = 0;
  std::size_t left = arena.whole().size();
  Ranges ranges;
  for (CheckedBlock at = regionBlockAt(arena, first, left); at.block != nullptr;
       at = regionBlockAt(arena, at.block->next.load(std::memory_order_acquire), left)) {
    for (std::uint32_t i = 0; i < at.rows; ++i) {
      const Region region = at.row(i).row->region.load(std::memory_order_seq_cst);
      if (region == 0 || !readRegion(arena, first, region, ranges)) continue;
      visit(region, ranges, {number, at.rows, at.dimensions});
    }
    number += at.rows;
  }
}

}  // namespace tutti::core
