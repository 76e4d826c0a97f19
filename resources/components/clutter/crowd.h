// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>

#include <cstdint>
#include <vector>

#include "clutter/movement.h"
#include "clutter/streets.h"

namespace samples {

/// The streets' vehicles and people as object instances of one federate. Each is updated with the
/// region of the cell it is in, one region for all in a cell; who goes on into another cell is
/// associated with that one.
class Crowd {
 public:
  Crowd(rti1516e::RTIambassador& rti, MovementClass& movement, const Streets::Settings& settings,
        int cells)
      : rti_(rti), movement_(movement), streets_(settings), grid_(settings.side, cells) {}

  const Streets& streets() const { return streets_; }
  const CellGrid& grid() const { return grid_; }
  std::size_t size() const { return objects_.size(); }
  const rti1516e::ObjectInstanceHandle& object(std::size_t index) const { return objects_[index]; }
  /// Registers up to so many more; false when all are.
  bool enter(std::size_t atMost);
  /// Moves one and updates it.
  void update(std::size_t index, int milliseconds);
  std::uint64_t updates() const { return updates_; }
  std::uint64_t crossings() const { return crossings_; }  ///< from one cell into another

 private:
  const rti1516e::RegionHandle& regionOf(std::size_t cell);

  rti1516e::RTIambassador& rti_;
  MovementClass& movement_;
  Streets streets_;
  CellGrid grid_;
  std::vector<rti1516e::RegionHandle> regions_;  ///< by cell; made when the first one comes
  std::vector<rti1516e::ObjectInstanceHandle> objects_;
  std::vector<std::uint32_t> cells_;
  std::uint64_t updates_ = 0;
  std::uint64_t crossings_ = 0;
};

}  // namespace samples
