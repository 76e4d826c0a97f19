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

/// The block at `offset` when all of its rows are backed by memory.
UpdateRegionBlock* blockAt(const fabric::Arena& arena, fabric::Offset offset) {
  auto* block = arena.as<UpdateRegionBlock>(offset);
  if (block == nullptr) return nullptr;
  const std::size_t bytes =
      sizeof(UpdateRegionBlock) + std::size_t{block->rows} * sizeof(UpdateRegionRow);
  return arena.at(offset, bytes) != nullptr ? block : nullptr;
}

UpdateRegionRow* rowsOf(UpdateRegionBlock* block) {
  return reinterpret_cast<UpdateRegionRow*>(reinterpret_cast<std::byte*>(block) +
                                            sizeof(UpdateRegionBlock));
}

/// Reads somebody's table from its beginning to its end, and sets as they are met.
class Reader {
 public:
  Reader(const fabric::Arena& arena, fabric::Offset first) : arena_(arena) { append(first); }

  void visit(const std::function<void(const ShownInstance&)>& visit) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      UpdateRegionBlock* const block = places_[i].block;
      const std::uint32_t used = std::min(block->used.load(std::memory_order_acquire), block->rows);
      for (std::uint32_t row = 0; row < used; ++row) visitRow(rowsOf(block)[row], visit);
      if (i + 1 == places_.size()) append(block->next.load(std::memory_order_acquire));
    }
  }

 private:
  struct Place {
    UpdateRegionBlock* block;
    std::uint32_t first;
  };
  struct Set {
    std::uint64_t state = 0;  ///< of its first part: another one if it is another set
    const AttributeRegions* regions = nullptr;
  };

  void append(fabric::Offset offset) {
    UpdateRegionBlock* const block = blockAt(arena_, offset);
    if (block == nullptr) return;
    const std::uint32_t first =
        places_.empty() ? 0 : places_.back().first + places_.back().block->rows;
    places_.push_back({block, first});
  }

  const UpdateRegionRow* rowAt(std::uint32_t row) {
    while (!places_.empty() && row >= places_.back().first + places_.back().block->rows) {
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
  block->rows = static_cast<std::uint32_t>((reply.bytes - sizeof(UpdateRegionBlock)) /
                                           sizeof(UpdateRegionRow));
  const std::uint32_t first =
      places_.empty() ? 0 : places_.back().first + places_.back().block->rows;
  if (places_.empty()) {
    owner_->updateRegions.store(reply.extent, std::memory_order_release);
  } else {
    places_.back().block->next.store(reply.extent, std::memory_order_release);
  }
  places_.push_back({block, first});
}

std::uint32_t UpdateRegionTable::take() {
  if (!freeRows_.empty()) {
    const std::uint32_t row = freeRows_.back();
    freeRows_.pop_back();
    return row;
  }
  const auto full = [](const Place& place) {
    return place.block->used.load(std::memory_order_relaxed) == place.block->rows;
  };
  if (places_.empty() || full(places_.back())) grow();
  auto& used = places_.back().block->used;
  const std::uint32_t inBlock = used.load(std::memory_order_relaxed);
  used.store(inBlock + 1, std::memory_order_release);
  return places_.back().first + inBlock;
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
  for (std::uint32_t row = first; row != none;) {
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
  while (places_.empty() || row >= places_.back().first + places_.back().block->rows) {
    if (entry == nullptr) return true;
    grow();
  }
  // Those in front of it are free until they are shown: the memory is zero.
  for (Place& place : places_) {
    const std::uint32_t end = std::min(row + 1, place.first + place.block->rows);
    if (end > place.first && end - place.first > place.block->used.load()) {
      place.block->used.store(end - place.first, std::memory_order_release);
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
  for (UpdateRegionBlock* block = blockAt(arena, first); block != nullptr;
       block = blockAt(arena, block->next.load(std::memory_order_acquire))) {
    const std::uint32_t used = std::min(block->used.load(std::memory_order_acquire), block->rows);
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
    number += block->rows;
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
