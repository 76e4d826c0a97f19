// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/attribute_set.h"
#include "core/callbacks.h"
#include "core/regions.h"
#include "core/sent_regions.h"

/// Which instances are updated with which regions (IEEE 1516.1-2010, 9.5 to 9.7): as their owner
/// keeps it, and as it lies in shared memory.
namespace tutti::core {

/// A row as it stands: what its two sorts have here fabric::UpdateRegionRow says.
struct UpdateRegion {
  ObjectInstance instance = 0;
  Region region = 0;
  Attribute attribute = 0;
  std::uint32_t row = 0;
};

/// Which instances this federate updates with which regions, in shared memory for those who
/// subscribe or move a region later.
class UpdateRegionTable {
 public:
  static constexpr std::uint32_t none = fabric::UpdateRegionRow::none;

  void open(Connection& connection, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// For whoever shows the table of a federate of another host.
  void open(Allocate allocate, const fabric::Arena& arena, fabric::FederateBlock& block);
  /// Called for each row that has changed; null: nobody asks.
  std::function<void(std::uint32_t)> onChange;
  // Rows' numbers. Those that add throw RTIinternalError when memory is refused; then nothing is
  // added.
  std::uint32_t addSet(const AttributeRegions& regions);
  void removeSet(std::uint32_t first);
  std::uint32_t add(ObjectInstance instance, std::uint32_t set, std::uint32_t instanceRow);
  void change(std::uint32_t row, std::uint32_t set, std::uint32_t instanceRow);
  void remove(std::uint32_t row);
  /// What a row says; nothing when it is free.
  std::optional<UpdateRegion> entryIn(std::uint32_t row);
  /// Shows a row as it is on another host; `entry` null: free. False: there can be no such row.
  bool show(std::uint32_t row, const UpdateRegion* entry);

 private:
  struct Place {
    fabric::UpdateRegionBlock* block;
    std::uint32_t first;  ///< number of its first row
    // What the block says too, which everyone may write.
    std::uint32_t rows;
    std::uint32_t used = 0;
    std::uint32_t end() const { return first + rows; }
  };
  fabric::UpdateRegionRow& rowAt(std::uint32_t row);
  std::uint32_t take();
  void grow();
  void write(std::uint32_t row, const UpdateRegion& entry);
  void clear(std::uint32_t row);

  Allocate allocate_;
  const fabric::Arena* arena_ = nullptr;
  fabric::FederateBlock* owner_ = nullptr;
  std::vector<Place> places_;
  std::vector<std::uint32_t> freeRows_;
  std::uint64_t nextBytes_ = fabric::pageBytes;
};

/// Calls `visit` for each row that is in use, with its number: for whoever copies the table. A row
/// that changes while it is read is left out: its writer tells of the change when it is done.
void visitRows(const fabric::Arena& arena, fabric::Offset first,
               const std::function<void(const UpdateRegion&, std::uint32_t)>& visit);

/// An instance as the table of one who updates it shows it.
struct ShownInstance {
  ObjectInstance instance;
  std::uint32_t row;  ///< in the table of its registrant
  /// The same object for all instances that share it, while the table is visited.
  const AttributeRegions& regions;
};

/// Calls `visit` for each instance in the table that starts at `first`.
void visitUpdateRegions(const fabric::Arena& arena, fabric::Offset first,
                        const std::function<void(const ShownInstance&)>& visit);

/// The update regions of instances, those of all their owners together.
using UpdateRegionsByInstance = std::unordered_map<ObjectInstance, AttributeRegions>;

/// Who wants which attributes of instances of a class that are updated with certain regions.
struct ScopedRoutes {
  struct Route {
    FederateNumber receiver;
    AttributeSet attributes;
    friend bool operator==(const Route&, const Route&) = default;
  };
  ObjectClass objectClass = 0;
  std::uint64_t generation = 0;  ///< of all bounds and declarations, when it was worked out
  std::vector<Route> routes;     ///< ascending
  bool rated = false;            ///< something is wanted at a limited rate
};

/// Regions that attributes are updated with, once for all instances that are updated with the same.
struct RegionSet {
  AttributeRegions regions;
  std::uint32_t references = 0;
  std::uint32_t row = UpdateRegionTable::none;  ///< first row that shows it
  std::vector<ObjectInstance> members;          ///< whom the federate has associated with it
  // Worked out again when something has changed:
  std::vector<ScopedRoutes> routes;
  std::uint64_t sentGeneration = 0;
  SentRegions sent;                                         ///< with the bounds of then
  std::vector<std::pair<Attribute, std::uint32_t>> setsOf;  ///< what SentRegions::setOfItem says
};

/// What one instance is updated with, in its KnownInstance.
struct UpdateRegions {
  RegionSet* set = nullptr;    ///< as associated; null: with the default region
  RegionSet* shown = nullptr;  ///< the part of it of attributes that this federate owns
  std::uint32_t place = 0;     ///< in the members of `set`
  std::uint32_t row = UpdateRegionTable::none;
};

/// The sets that are in use, and their rows in shared memory.
class RegionSets {
 public:
  void open(Connection& connection, const fabric::Arena& arena, fabric::FederateBlock& block);
  UpdateRegionTable& table() { return table_; }
  /// Null for no regions. Each is to be released once.
  RegionSet* take(const AttributeRegions& regions);
  void release(RegionSet* set);
  /// The first row that shows it; throws RTIinternalError when memory for it is refused.
  std::uint32_t rowOf(RegionSet& set);

 private:
  UpdateRegionTable table_;
  std::map<AttributeRegions, RegionSet> sets_;
};

/// Notices that regions of other federates get new bounds.
class RegionWatch {
 public:
  void clear() { watched_.clear(); }
  /// `first`: where the creator's table begins, once it has one.
  void add(Region region, const std::atomic<fabric::Offset>& first) {
    watched_.push_back({region, &first});
  }
  /// Whether any has changed since the last call. Costs two loads for each.
  bool changed(const fabric::Arena& arena);

 private:
  struct Watched {
    Region region;
    const std::atomic<fabric::Offset>* first;
    const fabric::RegionRow* row = nullptr;
    std::uint64_t sequence = 0;
    bool isThere = false;
  };
  std::vector<Watched> watched_;
};

}  // namespace tutti::core
