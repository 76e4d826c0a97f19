// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "common/geo.h"

namespace samples {

/// What separation is lost below.
struct Separation {
  double horizontal = 5.0 * kNauticalMile;  ///< m over ground
  double vertical = 1000.0;                 ///< ft
  double floor = 3000.0;                    ///< ft; flights lower than this are the tower's
};

struct Aircraft {
  GeoPoint position;
  double altitude = 0.0;  ///< ft
};

/// True when both are at or above the floor and closer than both limits.
bool inConflict(const Aircraft& a, const Aircraft& b, const Separation& separation);

/// All pairs in conflict, as indexes (smaller first), sorted. Compares neighbours in a grid only:
/// the effort grows with the number of aircraft and of those that are near each other, not with the
/// square.
std::vector<std::pair<std::size_t, std::size_t>> findConflicts(
    const std::vector<Aircraft>& aircraft, const Separation& separation);

}  // namespace samples
