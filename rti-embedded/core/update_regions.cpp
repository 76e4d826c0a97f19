// SPDX-License-Identifier: Apache-2.0
#include "core/update_regions.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <thread>

#include "core/table_block.h"

namespace tutti::core {
namespace {

using fabric::UpdateRegionBlock;
using fabric::UpdateRegionRow;

/// A block of somebody's table, checked once: all of its rows are backed by memory.
struct CheckedBlock {
  UpdateRegionBlock* block = nullptr;  ///< null: there is none
  std::uint32_t rows = 0;
};

/// `left` bytes of blocks are still to be believed: a chain that comes round again ends there.
CheckedBlock blockAt(const fabric::Arena& arena, fabric::Offset offset, std::size_t& left) {
  auto* block = arena.as<UpdateRegionBlock>(offset);
  if (block == nullptr) return {};
  const std::uint32_t rows = std::atomic_ref(block->rows).load(std::memory_order_relaxed);
  const std::size_t bytes = sizeof(UpdateRegionBlock) + std::size_t{rows} * sizeof(UpdateRegionRow);
  if (bytes > left || arena.at(offset, bytes) == nullptr) return {};
  left -= bytes;
  return {block, rows};
}

UpdateRegionRow* rowsOf(UpdateRegionBlock* block) {
  return reinterpret_cast<UpdateRegionRow*>(reinterpret_cast<std::byte*>(block) +
                                            sizeof(UpdateRegionBlock));
}

/// Reads somebody's table from its beginning to its end, and sets as they are met.
class Reader {
 public:
  Reader(const fabric::Arena& arena, fabric::Offset first)
      : arena_(arena), left_(arena.whole().size()) {
    append(first);
  }

  void visit(const std::function<void(const ShownInstance&)>& visit) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      UpdateRegionBlock* const block = places_[i].block;
      const std::uint32_t used =
          std::min(block->used.load(std::memory_order_acquire), places_[i].rows);
      for (std::uint32_t row = 0; row < used; ++row) visitRow(rowsOf(block)[row], visit);
      if (i + 1 == places_.size()) append(block->next.load(std::memory_order_acquire));
    }
  }

 private:
  struct Place {
    UpdateRegionBlock* block;
    std::uint32_t first;
    std::uint32_t rows;
  };
  struct Set {
    std::uint64_t state = 0;  ///< of its first part: another one if it is another set
    const AttributeRegions* regions = nullptr;
  };

  void append(fabric::Offset offset) {
    const auto [block, rows] = blockAt(arena_, offset, left_);
    if (block == nullptr) return;
    const std::uint32_t first = places_.empty() ? 0 : places_.back().first + places_.back().rows;
    places_.push_back({block, first, rows});
  }

  const UpdateRegionRow* rowAt(std::uint32_t row) {
    while (!places_.empty() && row >= places_.back().first + places_.back().rows) {
      const std::size_t before = places_.size();
      append(places_.back().block->next.load(std::memory_order_acquire));
      if (places_.size() == before) return nullptr;
    }
    const auto after =
        std::upper_bound(places_.begin(), places_.end(), row,
                         [](std::uint32_t r, const Place& place) { return r < place.first; });
    if (after == places_.begin()) return nullptr;
    return &rowsOf((after - 1)->block)[row - (after - 1)->first];
  }

  /// Null: it is not whole.
  const AttributeRegions* setAt(std::uint32_t first) {
    const UpdateRegionRow* part = rowAt(first);
    if (part == nullptr) return nullptr;
    const std::uint64_t state = part->state.load(std::memory_order_acquire);
    if ((state & UpdateRegionRow::alive) == 0) return nullptr;
    Set& known = sets_[first];
    if (known.regions != nullptr && known.state == state) return known.regions;
    AttributeRegions regions;
    constexpr std::size_t most = 1 << 16;  // a chain that is being changed may have no end
    while (regions.size() < most) {
      regions.push_back({part->attribute.load(std::memory_order_relaxed), 0,
                         part->region.load(std::memory_order_relaxed)});
      const std::uint32_t next = part->row.load(std::memory_order_relaxed);
      if (next == UpdateRegionRow::none) {
        std::atomic_thread_fence(std::memory_order_acquire);
        known = {state, &kept_.emplace_back(std::move(regions))};
        return known.regions;
      }
      part = rowAt(next);
      if (part == nullptr) break;
    }
    return nullptr;
  }

  void visitRow(const UpdateRegionRow& row,
                const std::function<void(const ShownInstance&)>& visit) {
    // Its writer may be killed while it changes the row.
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const std::uint64_t before = row.state.load(std::memory_order_seq_cst);
      if ((before & UpdateRegionRow::changing) != 0) {
        if (attempt > 10) std::this_thread::yield();
        continue;
      }
      if ((before & UpdateRegionRow::alive) == 0) return;
      const ObjectInstance instance = row.instance.load(std::memory_order_relaxed);
      if (instance == 0) return;
      const std::uint32_t number = row.row.load(std::memory_order_relaxed);
      const AttributeRegions* const regions = setAt(row.set());
      std::atomic_thread_fence(std::memory_order_acquire);
      if (row.state.load(std::memory_order_relaxed) != before) continue;
      if (regions != nullptr) visit({instance, number, *regions});
      return;
    }
  }

  const fabric::Arena& arena_;
  std::size_t left_;
  std::vector<Place> places_;
  std::unordered_map<std::uint32_t, Set> sets_;  ///< by their first row
  std::deque<AttributeRegions> kept_;
};

}  // namespace

void add(AttributeRegions& regions, const AttributesWithRegions& more) {
  for (const Attribute attribute : more.attributes) {
    for (const Region region : more.regions) {
      const AttributeRegion one{attribute, 0, region};
      const auto place = std::lower_bound(regions.begin(), regions.end(), one);
      if (place == regions.end() || *place != one) regions.insert(place, one);
    }
  }
}

void remove(AttributeRegions& regions, const AttributesWithRegions& some) {
  for (const Attribute attribute : some.attributes) {
    for (const Region region : some.regions) {
      std::erase(regions, AttributeRegion{attribute, 0, region});
    }
  }
}

// --- the table -----------------------------------------------------------------------------------

void UpdateRegionTable::open(Connection& connection, const fabric::Arena& arena,
                             fabric::FederateBlock& block) {
  open(memoryOf(connection), arena, block);
}

void UpdateRegionTable::open(Allocate allocate, const fabric::Arena& arena,
                             fabric::FederateBlock& block) {
  *this = {};
  allocate_ = std::move(allocate);
  arena_ = &arena;
  owner_ = &block;
}

UpdateRegionRow& UpdateRegionTable::rowAt(std::uint32_t row) {
  const auto after = std::upper_bound(places_.begin(), places_.end(), row,
                                      [](std::uint32_t r, const Place& p) { return r < p.first; });
  const Place& place = *(after - 1);
  return rowsOf(place.block)[row - place.first];
}

void UpdateRegionTable::grow() {
  const auto [block, reply] = allocateBlock<UpdateRegionBlock>(
      allocate_, *arena_, nextBytes_, sizeof(UpdateRegionBlock) + sizeof(UpdateRegionRow));
  const auto rows = static_cast<std::uint32_t>((reply.bytes - sizeof(UpdateRegionBlock)) /
                                               sizeof(UpdateRegionRow));
  block->rows = rows;
  const std::uint32_t first = places_.empty() ? 0 : places_.back().end();
  if (places_.empty()) {
    owner_->updateRegions.store(reply.extent, std::memory_order_release);
  } else {
    places_.back().block->next.store(reply.extent, std::memory_order_release);
  }
  places_.push_back({block, first, rows});
}

std::uint32_t UpdateRegionTable::take() {
  if (!freeRows_.empty()) {
    const std::uint32_t row = freeRows_.back();
    freeRows_.pop_back();
    return row;
  }
  if (places_.empty() || places_.back().used == places_.back().rows) grow();
  Place& last = places_.back();
  const std::uint32_t inBlock = last.used++;
  last.block->used.store(last.used, std::memory_order_release);
  return last.first + inBlock;
}

void UpdateRegionTable::write(std::uint32_t row, const UpdateRegion& entry) {
  UpdateRegionRow& place = rowAt(row);
  const std::uint64_t version =
      place.state.load(std::memory_order_relaxed) >> UpdateRegionRow::versionShift;
  place.state.store(((version + 1) << UpdateRegionRow::versionShift) | UpdateRegionRow::changing,
                    std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  place.instance.store(entry.instance, std::memory_order_relaxed);
  place.region.store(entry.region, std::memory_order_relaxed);
  place.attribute.store(entry.attribute, std::memory_order_relaxed);
  place.row.store(entry.row, std::memory_order_relaxed);
  // Sequentially consistent: what follows is a look at the log for new subscribers.
  place.state.store(((version + 2) << UpdateRegionRow::versionShift) | UpdateRegionRow::alive,
                    std::memory_order_seq_cst);
  if (onChange) onChange(row);
}

void UpdateRegionTable::clear(std::uint32_t row) {
  UpdateRegionRow& place = rowAt(row);
  const std::uint64_t version =
      place.state.load(std::memory_order_relaxed) >> UpdateRegionRow::versionShift;
  place.state.store((version + 1) << UpdateRegionRow::versionShift, std::memory_order_seq_cst);
  if (onChange) onChange(row);
}

std::uint32_t UpdateRegionTable::addSet(const AttributeRegions& regions) {
  std::vector<std::uint32_t> rows;
  try {
    for (std::size_t i = 0; i < regions.size(); ++i) rows.push_back(take());
  } catch (...) {
    freeRows_.insert(freeRows_.end(), rows.begin(), rows.end());
    throw;
  }
  std::uint32_t next = none;
  for (std::size_t i = regions.size(); i-- > 0;) {
    write(rows[i], {0, regions[i].region, regions[i].attribute, next});
    next = rows[i];
  }
  return next;
}

void UpdateRegionTable::removeSet(std::uint32_t first) {
  // Everyone may write the rows: what is no row of this table, or too many of them, is left alone.
  std::uint32_t left = places_.empty() ? 0 : places_.back().end();
  for (std::uint32_t row = first; row != none && left-- != 0 && row < places_.back().end();) {
    const std::uint32_t next = rowAt(row).row.load(std::memory_order_relaxed);
    remove(row);
    row = next;
  }
}

std::uint32_t UpdateRegionTable::add(ObjectInstance instance, std::uint32_t set,
                                     std::uint32_t instanceRow) {
  const std::uint32_t row = take();
  write(row, {instance, std::uint64_t{set} + 1, 0, instanceRow});
  return row;
}

void UpdateRegionTable::change(std::uint32_t row, std::uint32_t set, std::uint32_t instanceRow) {
  write(row, {rowAt(row).instance.load(std::memory_order_relaxed), std::uint64_t{set} + 1, 0,
              instanceRow});
}

void UpdateRegionTable::remove(std::uint32_t row) {
  clear(row);
  freeRows_.push_back(row);
}

std::optional<UpdateRegion> UpdateRegionTable::entryIn(std::uint32_t row) {
  const UpdateRegionRow& place = rowAt(row);
  if ((place.state.load(std::memory_order_relaxed) & UpdateRegionRow::alive) == 0) {
    return std::nullopt;
  }
  return UpdateRegion{
      place.instance.load(std::memory_order_relaxed), place.region.load(std::memory_order_relaxed),
      place.attribute.load(std::memory_order_relaxed), place.row.load(std::memory_order_relaxed)};
}

bool UpdateRegionTable::show(std::uint32_t row, const UpdateRegion* entry) {
  constexpr std::uint32_t most = std::uint32_t{1} << 28;
  if (row > most) return false;
  while (places_.empty() || row >= places_.back().end()) {
    if (entry == nullptr) return true;
    grow();
  }
  // Those in front of it are free until they are shown: the memory is zero.
  for (Place& place : places_) {
    const std::uint32_t end = std::min(row + 1, place.end());
    if (end > place.first && end - place.first > place.used) {
      place.used = end - place.first;
      place.block->used.store(place.used, std::memory_order_release);
    }
  }
  if (entry != nullptr) {
    write(row, *entry);
  } else {
    clear(row);
  }
  return true;
}

void visitRows(const fabric::Arena& arena, fabric::Offset first,
               const std::function<void(const UpdateRegion&, std::uint32_t)>& visit) {
  std::uint32_t number = 0;
  std::size_t left = arena.whole().size();
  for (auto [block, rows] = blockAt(arena, first, left); block != nullptr;) {
    const std::uint32_t used = std::min(block->used.load(std::memory_order_acquire), rows);
    for (std::uint32_t i = 0; i < used; ++i) {
      const UpdateRegionRow& row = rowsOf(block)[i];
      const std::uint64_t before = row.state.load(std::memory_order_seq_cst);
      if ((before & UpdateRegionRow::alive) == 0) continue;
      const UpdateRegion entry{
          row.instance.load(std::memory_order_relaxed), row.region.load(std::memory_order_relaxed),
          row.attribute.load(std::memory_order_relaxed), row.row.load(std::memory_order_relaxed)};
      std::atomic_thread_fence(std::memory_order_acquire);
      if (row.state.load(std::memory_order_relaxed) == before) visit(entry, number + i);
    }
    number += rows;
    const CheckedBlock next = blockAt(arena, block->next.load(std::memory_order_acquire), left);
    block = next.block;
    rows = next.rows;
  }
}

void visitUpdateRegions(const fabric::Arena& arena, fabric::Offset first,
                        const std::function<void(const ShownInstance&)>& visit) {
  Reader(arena, first).visit(visit);
}

// --- sets ----------------------------------------------------------------------------------------

void RegionSets::open(Connection& connection, const fabric::Arena& arena,
                      fabric::FederateBlock& block) {
  sets_.clear();
  table_.open(connection, arena, block);
}

RegionSet* RegionSets::take(const AttributeRegions& regions) {
  if (regions.empty()) return nullptr;
  const auto [place, isNew] = sets_.try_emplace(regions);
  if (isNew) place->second.regions = regions;
  ++place->second.references;
  return &place->second;
}

void RegionSets::release(RegionSet* set) {
  if (set == nullptr || --set->references != 0) return;
  if (set->row != UpdateRegionTable::none) table_.removeSet(set->row);
  sets_.erase(AttributeRegions(set->regions));
}

std::uint32_t RegionSets::rowOf(RegionSet& set) {
  if (set.row == UpdateRegionTable::none) set.row = table_.addSet(set.regions);
  return set.row;
}

// --- bounds of others ----------------------------------------------------------------------------

bool RegionWatch::changed(const fabric::Arena& arena) {
  bool any = false;
  for (Watched& one : watched_) {
    if (one.row == nullptr) {
      one.row = findRegion(arena, one.first->load(std::memory_order_acquire), one.region);
      if (one.row == nullptr) continue;
    }
    const std::uint64_t sequence = one.row->sequence.load(std::memory_order_seq_cst);
    const bool isThere = one.row->region.load(std::memory_order_seq_cst) == one.region;
    if (sequence == one.sequence && isThere == one.isThere) continue;
    one.sequence = sequence;
    one.isThere = isThere;
    any = true;
  }
  return any;
}

}  // namespace tutti::core
