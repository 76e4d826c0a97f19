// SPDX-License-Identifier: Apache-2.0
#include "conflict-detector/separation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace samples {

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;

using Cell = std::array<std::int32_t, 3>;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int32_t coordinate : cell)
      hash = (hash ^ static_cast<std::uint32_t>(coordinate)) * 0x9E3779B97F4A7C15ull;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

/// Cubes around the earth's centre: without the seams that degrees have at the poles and the date
/// line. A chord is never longer than its arc, so who is near over ground is in the same or a
/// neighbouring cube.
Cell cellOf(const GeoPoint& point, double size) {
  const double latitude = point.latitude * kDegree;
  const double longitude = point.longitude * kDegree;
  const auto index = [size](double coordinate) {
    return static_cast<std::int32_t>(std::floor(coordinate * kEarthRadius / size));
  };
  return {index(std::cos(latitude) * std::cos(longitude)),
          index(std::cos(latitude) * std::sin(longitude)), index(std::sin(latitude))};
}

}  // namespace

bool inConflict(const Aircraft& a, const Aircraft& b, const Separation& separation) {
  return a.altitude >= separation.floor && b.altitude >= separation.floor &&
         std::abs(a.altitude - b.altitude) < separation.vertical &&
         distance(a.position, b.position) < separation.horizontal;
}

std::vector<std::pair<std::size_t, std::size_t>> findConflicts(
    const std::vector<Aircraft>& aircraft, const Separation& separation) {
  std::unordered_map<Cell, std::vector<std::size_t>, CellHash> cells;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < aircraft.size(); ++i) {
    if (aircraft[i].altitude < separation.floor) continue;
    const Cell cell = cellOf(aircraft[i].position, separation.horizontal);
    // Everybody entered so far is compared with this one, so each pair is met once.
    for (int dx = -1; dx <= 1; ++dx) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dz = -1; dz <= 1; ++dz) {
          const auto found = cells.find({cell[0] + dx, cell[1] + dy, cell[2] + dz});
          if (found == cells.end()) continue;
          for (const std::size_t other : found->second) {
            if (inConflict(aircraft[i], aircraft[other], separation)) pairs.emplace_back(other, i);
          }
        }
      }
    }
    cells[cell].push_back(i);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace samples
