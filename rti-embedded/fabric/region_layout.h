// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fabric/layout.h"

/// Regions in shared memory (IEEE 1516.1-2010, 9): each federate shows those that it created, and
/// with which of them it updates which instance attributes. It is the only writer of both tables;
/// they are chained blocks that start at its FederateBlock and go when it leaves.
namespace tutti::fabric {

/// Inside of a RegionNumber: | federate 24 | use 20 | slot 20 |. The slot is the row's place in its
/// creator's table, counted over all blocks; `use` differs between regions that follow each other
/// in one slot.
inline constexpr unsigned regionSlotBits = 20;
inline constexpr unsigned regionUseBits = 20;
inline constexpr std::uint32_t regionSlotLimit = std::uint32_t{1} << regionSlotBits;

constexpr FederateNumber regionCreator(RegionNumber region) {
  return static_cast<FederateNumber>(region >> (regionSlotBits + regionUseBits));
}
constexpr std::uint32_t regionSlot(RegionNumber region) {
  return static_cast<std::uint32_t>(region & (regionSlotLimit - 1));
}
constexpr std::uint32_t regionUse(RegionNumber region) {
  return static_cast<std::uint32_t>((region >> regionSlotBits) &
                                    ((std::uint64_t{1} << regionUseBits) - 1));
}
constexpr RegionNumber regionNumber(FederateNumber creator, std::uint32_t use, std::uint32_t slot) {
  const std::uint64_t shortUse = use & ((std::uint64_t{1} << regionUseBits) - 1);
  return (std::uint64_t{creator} << (regionSlotBits + regionUseBits)) |
         (shortUse << regionSlotBits) | slot;
}

/// One region. Behind it lie, each with room for the dimensions of the block:
///
///   dimension[n]    std::atomic<std::uint32_t>, the first `dimensions` count; padding to 8 bytes
///   range[2][n]     std::atomic<std::uint64_t>: lower bound, and above it the upper one
///
/// Committing (9.3) fills range[(sequence + 1) & 1], then adds 1 to sequence; a reader takes
/// range[sequence & 1] and looks at sequence again. A creator that is killed or stopped in between
/// leaves the older, still true bounds, and holds nobody up.
struct RegionRow {
  std::atomic<RegionNumber> region;  ///< 0: free; written last when made, first when deleted
  std::atomic<std::uint32_t> dimensions;
  std::uint32_t reserved;
  std::atomic<std::uint64_t> sequence;
};

struct RegionBlock {
  std::atomic<Offset> next;
  std::uint32_t rows;        ///< before the block is linked
  std::uint32_t dimensions;  ///< for which each row has room
  std::uint64_t reserved[2];
  // rows
};

/// Bytes of a row with room for `dimensions`.
constexpr std::size_t regionRowBytes(std::uint32_t dimensions) {
  return sizeof(RegionRow) + ((std::size_t{dimensions} * 4 + 7) & ~std::size_t{7}) +
         std::size_t{dimensions} * 16;
}

/// With which regions its owner updates an instance: rows of two sorts in one table.
///
///   of an instance   instance, which row has it at its registrant, and the first row of its set
///   a part of a set  instance 0, an attribute with one of its regions, and the next part
///
/// Instances that are updated with the same regions share a set. An attribute that is not in it is
/// updated with the default region. A reader takes `state`, then the rest, a set with it, then
/// `state` again: equal and alive means all of it is true, for a set ends after the last row that
/// refers to it. A row that is changing will be alive again at once, unless its writer was killed.
struct UpdateRegionRow {
  static constexpr std::uint64_t alive = 1;  ///< in state; above the two a growing number
  static constexpr std::uint64_t changing = 2;
  static constexpr unsigned versionShift = 2;
  static constexpr std::uint32_t none = 0xffffffff;  ///< no next part

  std::atomic<std::uint64_t> state;
  std::atomic<std::uint64_t> instance;
  std::atomic<RegionNumber> region;
  std::atomic<std::uint32_t> attribute;
  /// Of the instance, in the table of its registrant; of a part: the next one.
  std::atomic<std::uint32_t> row;

  /// Of an instance, the first row of its set lies in place of a region, and 1 more than it is: a
  /// row in use never has 0 there.
  std::uint32_t set() const {
    return static_cast<std::uint32_t>(region.load(std::memory_order_relaxed)) - 1;
  }
};

struct UpdateRegionBlock {
  std::atomic<Offset> next;
  std::uint32_t rows;               ///< before the block is linked
  std::atomic<std::uint32_t> used;  ///< rows ever used
  std::uint64_t reserved[2];
  // UpdateRegionRow[rows]
};

}  // namespace tutti::fabric
