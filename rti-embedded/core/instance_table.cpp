// SPDX-License-Identifier: Apache-2.0
#include "core/instance_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tutti::core {
namespace {

using fabric::InstanceBlock;
using fabric::InstanceRow;

InstanceRow* rowsOf(InstanceBlock* block) {
  return reinterpret_cast<InstanceRow*>(reinterpret_cast<std::byte*>(block) +
                                        sizeof(InstanceBlock));
}

/// Walks somebody's blocks, each checked once: all of its rows are backed by memory. A chain that
/// comes round again ends when it has more rows than the arena could hold.
class Blocks {
 public:
  Blocks(const fabric::Arena& arena, fabric::Offset first)
      : arena_(arena), left_(arena.whole().size()) {
    enter(first);
  }
  explicit operator bool() const { return block_ != nullptr; }
  InstanceRow* rows() const { return rowsOf(block_); }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t used() const {
    return std::min(block_->used.load(std::memory_order_acquire), capacity_);
  }
  void next() { enter(block_->next.load(std::memory_order_acquire)); }

 private:
  void enter(fabric::Offset offset) {
    block_ = arena_.as<InstanceBlock>(offset);
    if (block_ == nullptr) return;
    capacity_ = std::atomic_ref(block_->capacity).load(std::memory_order_relaxed);
    const std::size_t bytes = sizeof(InstanceBlock) + std::size_t{capacity_} * sizeof(InstanceRow);
    if (bytes > left_ || arena_.at(offset, bytes) == nullptr) {
      block_ = nullptr;
    } else {
      left_ -= bytes;
    }
  }

  const fabric::Arena& arena_;
  std::size_t left_;
  InstanceBlock* block_ = nullptr;
  std::uint32_t capacity_ = 0;
};

std::optional<InstanceEntry> readRow(const fabric::Arena& arena, const InstanceRow& row,
                                     std::uint32_t number) {
  const std::uint64_t before = row.state.load(std::memory_order_seq_cst);
  if ((before & InstanceRow::phaseMask) != InstanceRow::alive) return std::nullopt;
  InstanceEntry entry;
  entry.instance = row.handle.load(std::memory_order_relaxed);
  entry.objectClass = row.objectClass.load(std::memory_order_relaxed);
  entry.row = number;
  const fabric::Offset name = row.name.load(std::memory_order_relaxed);
  const std::uint32_t nameBytes = row.nameBytes.load(std::memory_order_relaxed);
  if (name != 0) {
    const std::byte* bytes = arena.at(name, nameBytes);
    if (bytes == nullptr) return std::nullopt;
    entry.name.assign(reinterpret_cast<const char*>(bytes), nameBytes);
  }
  const fabric::Offset owned = row.owned.load(std::memory_order_relaxed);
  if (owned != 0) {
    auto* list = arena.as<fabric::OwnedAttributes>(owned);
    if (list == nullptr) return std::nullopt;
    const std::uint32_t count = std::atomic_ref(list->count).load(std::memory_order_relaxed);
    const std::size_t bytes = std::size_t{count} * sizeof(Attribute);
    if (arena.at(owned, sizeof *list + bytes) == nullptr) return std::nullopt;
    const auto* handles = reinterpret_cast<const Attribute*>(list + 1);
    entry.owned.assign(handles, handles + count);
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  if (row.state.load(std::memory_order_relaxed) != before) return std::nullopt;
  return entry;
}

}  // namespace

void InstanceTable::open(Connection& connection, const fabric::Arena& arena,
                         fabric::FederateBlock& block) {
  open(
      [&connection](const fabric::AllocateRequest& request) {
        return connection.ask<fabric::AllocateReply>(fabric::Request::Allocate, request);
      },
      arena, block);
}

void InstanceTable::open(Allocate allocate, const fabric::Arena& arena,
                         fabric::FederateBlock& block) {
  *this = {};
  allocate_ = std::move(allocate);
  arena_ = &arena;
  owner_ = &block;
}

InstanceRow& InstanceTable::rowAt(std::uint32_t row) {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                      [](std::uint32_t r, const Place& p) { return r < p.first; });
  const Place& place = *(after - 1);
  return rowsOf(place.block)[row - place.first];
}

fabric::Offset InstanceTable::store(const void* data, std::size_t bytes) {
  const std::uint64_t need = (bytes + 7) & ~std::uint64_t{7};
  if (nameUsed_ + need > nameBytes_) {
    const auto reply = allocate_(
        fabric::AllocateRequest{std::max<std::uint64_t>(need, 4096), fabric::Purpose::Names});
    nameExtent_ = reply.extent;
    nameBytes_ = reply.bytes;
    nameUsed_ = 0;
  }
  const fabric::Offset at = nameExtent_ + nameUsed_;
  std::byte* place = arena_->at(at, need);
  if (place == nullptr) {
    fail(Fault::RTIinternalError, "The RTI node gave memory outside of the shared memory.");
  }
  std::memcpy(place, data, bytes);
  nameUsed_ += need;
  return at;
}

fabric::Offset InstanceTable::storeOwned(const std::vector<Attribute>& owned) {
  if (owned.empty()) return 0;
  if (const auto found = owned_.find(owned); found != owned_.end()) return found->second;
  std::vector<std::uint32_t> list{static_cast<std::uint32_t>(owned.size())};
  list.insert(list.end(), owned.begin(), owned.end());
  static_assert(sizeof(fabric::OwnedAttributes) == sizeof(std::uint32_t));
  const fabric::Offset at = store(list.data(), list.size() * sizeof(std::uint32_t));
  owned_.emplace(owned, at);
  return at;
}

std::uint32_t InstanceTable::takeRow() {
  if (blocks_.empty() || blocks_.back().used == blocks_.back().capacity) {
    const auto reply = allocate_(fabric::AllocateRequest{nextBytes_, fabric::Purpose::Instances});
    auto* block = arena_->at(reply.extent, reply.bytes) != nullptr
                      ? arena_->as<InstanceBlock>(reply.extent)
                      : nullptr;
    if (block == nullptr) {
      fail(Fault::RTIinternalError, "The RTI node gave memory outside of the shared memory.");
    }
    nextBytes_ = std::min<std::uint64_t>(nextBytes_ * 2, 1 << 20);
    const auto capacity =
        static_cast<std::uint32_t>((reply.bytes - sizeof(InstanceBlock)) / sizeof(InstanceRow));
    block->capacity = capacity;
    const std::uint32_t first =
        blocks_.empty() ? 0 : blocks_.back().first + blocks_.back().capacity;
    if (blocks_.empty()) {
      owner_->instances.store(reply.extent, std::memory_order_release);
    } else {
      blocks_.back().block->next.store(reply.extent, std::memory_order_release);
    }
    blocks_.push_back({block, first, capacity});
  }
  Place& last = blocks_.back();
  const std::uint32_t inBlock = last.used++;
  last.block->used.store(last.used, std::memory_order_release);
  return last.first + inBlock;
}

fabric::Offset InstanceTable::storeName(std::string_view name) {
  if (name.empty()) return 0;
  const auto free = freeNames_.find((name.size() + 7) & ~std::uint64_t{7});
  if (free == freeNames_.end() || free->second.empty()) return store(name.data(), name.size());
  const fabric::Offset at = free->second.back();
  free->second.pop_back();
  // Whoever still reads the row that had it sees from its state, changed before, that it is another.
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(arena_->at(at, name.size()), name.data(), name.size());
  return at;
}

std::uint32_t InstanceTable::add(ObjectInstance instance, ObjectClass objectClass,
                                 std::string_view name, const std::vector<Attribute>& owned,
                                 const std::function<void(std::uint32_t)>& beforeVisible) {
  const fabric::Offset nameAt = storeName(name);
  const fabric::Offset ownedAt = storeOwned(owned);
  std::uint32_t row = 0;
  if (!freeRows_.empty()) {
    row = freeRows_.back();
    freeRows_.pop_back();
  } else {
    row = takeRow();
  }
  if (beforeVisible) {
    try {
      beforeVisible(row);
    } catch (...) {
      freeRows_.push_back(row);
      throw;
    }
  }
  fill(row, instance, objectClass, name, nameAt, ownedAt);
  return row;
}

void InstanceTable::place(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
                          std::string_view name, const std::vector<Attribute>& owned) {
  const fabric::Offset nameAt = storeName(name);
  const fabric::Offset ownedAt = storeOwned(owned);
  while (blocks_.empty() || blocks_.back().first + blocks_.back().used <= row) {
    freeRows_.push_back(takeRow());
  }
  std::erase(freeRows_, row);
  fill(row, instance, objectClass, name, nameAt, ownedAt);
}

void InstanceTable::fill(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
                         std::string_view name, fabric::Offset nameAt, fabric::Offset ownedAt) {
  InstanceRow& place = rowAt(row);
  place.handle.store(instance, std::memory_order_relaxed);
  place.objectClass.store(objectClass, std::memory_order_relaxed);
  place.name.store(nameAt, std::memory_order_relaxed);
  place.nameBytes.store(static_cast<std::uint32_t>(name.size()), std::memory_order_relaxed);
  place.owned.store(ownedAt, std::memory_order_relaxed);
  const std::uint64_t version = place.state.load(std::memory_order_relaxed) >> 8;
  // Sequentially consistent: what follows is a look at the log for new subscribers.
  place.state.store(((version + 1) << 8) | InstanceRow::alive, std::memory_order_seq_cst);
  if (const auto before = nameOfRow_.find(row); before != nameOfRow_.end()) {
    freeNames_[before->second.bytes].push_back(before->second.at);
    nameOfRow_.erase(before);
  }
  if (nameAt != 0) nameOfRow_[row] = {nameAt, (name.size() + 7) & ~std::uint64_t{7}};
}

void InstanceTable::clear(std::uint32_t row) {
  if (!has(row)) return;
  InstanceRow& place = rowAt(row);
  const std::uint64_t version = place.state.load(std::memory_order_relaxed) >> 8;
  place.state.store(((version + 1) << 8) | InstanceRow::free, std::memory_order_seq_cst);
}

bool InstanceTable::has(std::uint32_t row) const {
  return !blocks_.empty() && row < blocks_.back().first + blocks_.back().capacity;
}

void InstanceTable::release(std::uint32_t row) {
  if (!has(row)) return;
  // Of a restored table: the instance ended before the row was placed here.
  const std::uint64_t state = rowAt(row).state.load(std::memory_order_relaxed);
  if ((state & InstanceRow::phaseMask) == InstanceRow::alive) clear(row);
  freeRows_.push_back(row);
}

std::string InstanceTable::nameIn(std::uint32_t row) {
  if (!has(row)) return {};
  const InstanceRow& place = rowAt(row);
  const std::uint32_t bytes = place.nameBytes.load(std::memory_order_relaxed);
  const std::byte* name = arena_->at(place.name.load(std::memory_order_relaxed), bytes);
  return name == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(name), bytes);
}

namespace {

/// Calls `visit` for each row with its number.
template <class Visit>
void visitRows(const fabric::Arena& arena, fabric::Offset first, const Visit& visit) {
  std::uint32_t number = 0;
  for (Blocks block(arena, first); block; block.next()) {
    const std::uint32_t used = block.used();
    for (std::uint32_t i = 0; i < used; ++i) visit(block.rows()[i], number + i);
    number += block.capacity();
  }
}

}  // namespace

void visitInstances(const fabric::Arena& arena, fabric::Offset first,
                    const std::function<void(InstanceEntry)>& visit) {
  visitRows(arena, first, [&](const InstanceRow& row, std::uint32_t number) {
    if (auto entry = readRow(arena, row, number)) visit(std::move(*entry));
  });
}

void visitInstances(const fabric::Arena& arena, fabric::Offset first,
                    const std::vector<bool>& wanted,
                    const std::function<void(InstanceEntry)>& visit) {
  visitRows(arena, first, [&](const InstanceRow& row, std::uint32_t number) {
    if (number >= wanted.size() || !wanted[number]) return;
    if (auto entry = readRow(arena, row, number)) visit(std::move(*entry));
  });
}

bool holdsInstance(const fabric::Arena& arena, fabric::Offset first, std::uint32_t row,
                   ObjectInstance instance) {
  for (Blocks block(arena, first); block; block.next()) {
    if (row < block.capacity()) {
      const InstanceRow& found = block.rows()[row];
      const std::uint64_t state = found.state.load(std::memory_order_seq_cst);
      return (state & InstanceRow::phaseMask) == InstanceRow::alive &&
             found.handle.load(std::memory_order_relaxed) == instance;
    }
    row -= block.capacity();
  }
  return false;
}

std::size_t instanceRows(const fabric::Arena& arena, fabric::Offset first) {
  std::size_t rows = 0;
  visitRows(arena, first, [&](const InstanceRow&, std::uint32_t number) { rows = number + 1; });
  return rows;
}

std::optional<InstanceEntry> findInstance(const fabric::Arena& arena, fabric::Offset first,
                                          std::uint32_t row, ObjectInstance instance) {
  std::uint32_t number = 0;
  for (Blocks block(arena, first); block; block.next()) {
    if (row - number < block.capacity()) {
      auto entry = readRow(arena, block.rows()[row - number], row);
      if (entry && entry->instance == instance) return entry;
      return std::nullopt;
    }
    number += block.capacity();
  }
  return std::nullopt;
}

}  // namespace tutti::core
