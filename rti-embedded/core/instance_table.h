// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/callbacks.h"
#include "core/connection.h"
#include "fabric/mapping.h"

namespace tutti::core {

/// A row of somebody's instance table, as read at one moment.
struct InstanceEntry {
  ObjectInstance instance = 0;
  ObjectClass objectClass = 0;
  std::string name;  ///< empty: the generated one
  std::uint32_t row = 0;
  std::vector<Attribute> owned;  ///< by its registrant, at first
};

/// Where a table gets its memory from.
using Allocate = std::function<fabric::AllocateReply(const fabric::AllocateRequest&)>;

/// The instances that this federate registered, in shared memory, for those who subscribe later.
class InstanceTable {
 public:
  void open(Connection& connection, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// For whoever shows the table of a federate of another host.
  void open(Allocate allocate, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// The row's number. Throws RTIinternalError when memory is refused; then nothing is registered.
  /// `beforeVisible` is called with that number while nobody can see the row yet.
  std::uint32_t add(ObjectInstance instance, ObjectClass objectClass, std::string_view name,
                    const std::vector<Attribute>& owned,
                    const std::function<void(std::uint32_t)>& beforeVisible = {});
  /// Nobody finds the instance any more; its row is not used again before release().
  void clear(std::uint32_t row);
  void release(std::uint32_t row);
  std::string nameIn(std::uint32_t row);  ///< empty: the generated one
  /// Fills a row of a restored table, where the others look for it. In any order, before add().
  void place(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
             std::string_view name, const std::vector<Attribute>& owned);

 private:
  struct Place {
    fabric::InstanceBlock* block;
    std::uint32_t first;  ///< number of its first row
    // What the block says too, which everyone may write.
    std::uint32_t capacity;
    std::uint32_t used = 0;
  };
  bool has(std::uint32_t row) const;
  fabric::InstanceRow& rowAt(std::uint32_t row);
  /// The next row that was never used; makes a block when there is none.
  std::uint32_t takeRow();
  void fill(std::uint32_t row, ObjectInstance instance, ObjectClass objectClass,
            std::string_view name, fabric::Offset nameAt, fabric::Offset ownedAt);
  fabric::Offset store(const void* data, std::size_t bytes);
  /// 0 for none.
  fabric::Offset storeName(std::string_view name);
  fabric::Offset storeOwned(const std::vector<Attribute>& owned);

  Allocate allocate_;
  const fabric::Arena* arena_ = nullptr;
  fabric::FederateBlock* owner_ = nullptr;
  std::vector<Place> blocks_;
  std::vector<std::uint32_t> freeRows_;
  std::uint64_t nextBytes_ = 4096;
  fabric::Offset nameExtent_ = 0;  ///< names, and what belongs to many rows
  std::uint64_t nameUsed_ = 0;
  std::uint64_t nameBytes_ = 0;
  /// Where the names of rows lie; not looked up in the rows, which others may write to.
  struct NamePlace {
    fabric::Offset at;
    std::uint64_t bytes;
  };
  std::unordered_map<std::uint32_t, NamePlace> nameOfRow_;
  /// Of rows that were used again, by their size.
  std::map<std::uint64_t, std::vector<fabric::Offset>> freeNames_;
  std::map<std::vector<Attribute>, fabric::Offset> owned_;  ///< what is stored already
};

/// Calls `visit` for each live row of the table that starts at `first`. A row that changes while it
/// is read is left out: its registrant sees the reader's subscription and tells it directly.
void visitInstances(const fabric::Arena& arena, fabric::Offset first,
                    const std::function<void(InstanceEntry)>& visit);

/// The same for those of the first rows of which `wanted` holds true.
void visitInstances(const fabric::Arena& arena, fabric::Offset first,
                    const std::vector<bool>& wanted,
                    const std::function<void(InstanceEntry)>& visit);
/// Whether a row is alive and of this instance: it may be the row of another one by now.
bool holdsInstance(const fabric::Arena& arena, fabric::Offset first, std::uint32_t row,
                   ObjectInstance instance);
/// How many rows the table has, used now or before.
std::size_t instanceRows(const fabric::Arena& arena, fabric::Offset first);

/// One row, when it is alive and of this instance.
std::optional<InstanceEntry> findInstance(const fabric::Arena& arena, fabric::Offset first,
                                          std::uint32_t row, ObjectInstance instance);

}  // namespace tutti::core
