// SPDX-License-Identifier: Apache-2.0
#include "clutter/crowd.h"

#include <algorithm>

namespace samples {

const rti1516e::RegionHandle& Crowd::regionOf(std::size_t cell) {
  if (regions_.empty()) regions_.resize(grid_.count());
  rti1516e::RegionHandle& region = regions_[cell];
  if (!region.isValid()) {
    const int cells = grid_.cells();
    const int column = static_cast<int>(cell) % cells;
    const int row = static_cast<int>(cell) / cells;
    region = movement_.makeRegion(rti_, grid_.bounds(column, movement_.span()),
                                  grid_.bounds(row, movement_.span()));
  }
  return region;
}

bool Crowd::enter(std::size_t atMost) {
  const std::size_t until = std::min(streets_.size(), objects_.size() + atMost);
  objects_.reserve(streets_.size());
  cells_.reserve(streets_.size());
  for (std::size_t i = objects_.size(); i < until; ++i) {
    const Streets::Place place = streets_.place(i);
    const std::size_t cell = grid_.at(place.x, place.y);
    objects_.push_back(rti_.registerObjectInstanceWithRegions(
        streets_.isVehicle(i) ? movement_.vehicle() : movement_.person(),
        movement_.with(regionOf(cell))));
    cells_.push_back(static_cast<std::uint32_t>(cell));
  }
  return objects_.size() < streets_.size();
}

void Crowd::update(std::size_t index, int milliseconds) {
  streets_.move(index, milliseconds);
  const Streets::Place place = streets_.place(index);
  const std::size_t cell = grid_.at(place.x, place.y);
  if (cell != cells_[index]) {
    // First the new one: without any it would be updated with the default region, for everybody.
    rti_.associateRegionsForUpdates(objects_[index], movement_.with(regionOf(cell)));
    rti_.unassociateRegionsForUpdates(objects_[index], movement_.with(regionOf(cells_[index])));
    cells_[index] = static_cast<std::uint32_t>(cell);
    ++crossings_;
  }
  rti_.updateAttributeValues(objects_[index], movement_.encode(place),
                             rti1516e::VariableLengthData());
  ++updates_;
}

}  // namespace samples
