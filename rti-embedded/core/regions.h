// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "core/callbacks.h"
#include "core/connection.h"
#include "core/instance_table.h"
#include "fabric/mapping.h"
#include "fabric/region_layout.h"
#include "omt/compact_model.h"

/// Regions (IEEE 1516.1-2010, 9.1.1) and how they lie in shared memory.
namespace tutti::core {

using Dimension = std::uint32_t;

/// [lower, upper) in one dimension.
struct Range {
  Dimension dimension = 0;
  std::uint32_t lower = 0;
  std::uint32_t upper = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Attributes and regions that belong together (9.5 to 9.9).
struct AttributesWithRegions {
  std::vector<Attribute> attributes;
  std::vector<Region> regions;
};

/// A region specification: at most one range for a dimension, ascending by dimension.
using Ranges = std::vector<Range>;

/// One side of an overlap: what a class attribute or an interaction is subscribed or sent with.
struct Realization {
  std::span<const Dimension> available;  ///< dimensions of the class attribute or interaction
  const Ranges* ranges = nullptr;        ///< null: the default region
};

/// Whether two regions overlap (9.1.2): they have a dimension in common, and in each common one
/// their ranges overlap. An available dimension that a region leaves out has the default range that
/// the object model names for it, or is none of the region's when that says Excluded. The default
/// region has all dimensions of the object model.
bool overlap(const omt::CompactModel& model, const Realization& a, const Realization& b);

/// The regions that this federate created, in shared memory for those who send to it or receive
/// from it.
class RegionTable {
 public:
  void open(Connection& connection, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// For whoever shows the table of a federate of another host.
  void open(Allocate allocate, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// Throws RTIinternalError when memory is refused or there are too many; then nothing is made.
  /// `dimensions` is how many the object model has: none of its regions needs room for more.
  Region add(const Ranges& ranges, std::size_t dimensions);
  /// Makes one again that was saved, under its number.
  void place(Region region, const Ranges& ranges, std::size_t dimensions);
  /// Makes new bounds known, of the same dimensions.
  void commit(Region region, const Ranges& ranges);
  void remove(Region region);

  /// The block that a region lies in.
  struct Room {
    std::uint32_t first = 0;  ///< slot of its first row
    std::uint32_t rows = 0;
    std::uint32_t dimensions = 0;
  };
  Room roomOf(Region region) const;
  /// Shows a region as its creator does on another host, where it lies in `room`: made, moved, or
  /// with nothing in `ranges` deleted. False: there can be no such region.
  bool show(Region region, const Ranges* ranges, const Room& room);

 private:
  struct Place {
    fabric::RegionBlock* block;
    std::uint32_t first;  ///< slot of its first row
    // What the block says too, which everyone may write.
    std::uint32_t rows;
    std::uint32_t dimensions;
    std::uint32_t used = 0;
    std::deque<std::uint32_t> free{};  ///< slots, the longest unused first
  };
  Place& placeOf(std::uint32_t slot);
  Place& placeFor(std::size_t needed, std::size_t dimensions);
  Place& grow(std::size_t dimensions, std::uint32_t rows = 0);
  static void write(Place& place, Region region, const Ranges& ranges);

  Allocate allocate_;
  const fabric::Arena* arena_ = nullptr;
  fabric::FederateBlock* owner_ = nullptr;
  std::deque<Place> places_;
  std::uint64_t nextBytes_ = fabric::pageBytes;
  std::uint32_t uses_ = 0;
};

/// The committed ranges of a region in the table that starts at `first`. False: it was deleted.
/// Never waits for the region's creator; allocates nothing when `ranges` has room.
bool readRegion(const fabric::Arena& arena, fabric::Offset first, Region region, Ranges& ranges);

/// One of the regions that an attribute is updated with.
struct AttributeRegion {
  Attribute attribute = 0;
  std::uint32_t reserved = 0;
  Region region = 0;
  friend auto operator<=>(const AttributeRegion&, const AttributeRegion&) = default;
};
/// Each once, ascending.
using AttributeRegions = std::vector<AttributeRegion>;
void add(AttributeRegions& regions, const AttributesWithRegions& more);
void remove(AttributeRegions& regions, const AttributesWithRegions& some);

/// Where the bounds of a region lie, for whoever has to notice that they change; null: it is not
/// there.
const fabric::RegionRow* findRegion(const fabric::Arena& arena, fabric::Offset first,
                                    Region region);

/// Calls `visit` for each region of the table that starts at `first`.
void visitRegions(
    const fabric::Arena& arena, fabric::Offset first,
    const std::function<void(Region, const Ranges&, const RegionTable::Room&)>& visit);

}  // namespace tutti::core
