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

/// An instance attribute that its owner updates with a region; one row for each of its regions.
/// Without any the attribute is updated with the default region. A reader takes `state`, then the
/// rest, then `state` again: equal and alive means the row is true.
struct UpdateRegionRow {
  static constexpr std::uint64_t alive = 1;  ///< lowest bit of state; above it a growing number

  std::atomic<std::uint64_t> state;
  std::atomic<std::uint64_t> instance;
  std::atomic<RegionNumber> region;
  std::atomic<std::uint32_t> attribute;
  std::atomic<std::uint32_t> row;  ///< of the instance, in the table of its registrant
};

struct UpdateRegionBlock {
  std::atomic<Offset> next;
  std::uint32_t rows;               ///< before the block is linked
  std::atomic<std::uint32_t> used;  ///< rows ever used
  std::uint64_t reserved[2];
  // UpdateRegionRow[rows]
};

}  // namespace tutti::fabric
