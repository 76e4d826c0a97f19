// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <random>

#include "common/air_traffic.h"

namespace samples {

/// A rotating surveillance radar: what it sees of a flight and when.
class Antenna {
 public:
  struct Settings {
    GeoPoint site;
    double height = 25.0;  ///< m above mean sea level
    double range = 250e3;  ///< m, slant
    double sweep = 4.0;    ///< s a turn
    std::uint32_t seed = 1;
  };
  /// 1 sigma of the measurements.
  static constexpr double kRangeNoise = 50.0;    ///< m
  static constexpr double kAzimuthNoise = 0.08;  ///< degrees

  explicit Antenna(const Settings& settings);

  /// Azimuth the antenna points to at logical time `seconds`, degrees.
  double azimuthAt(double seconds) const;
  /// The moment in (from, to] at which the antenna points to `azimuth`, if any; the last one where
  /// there are several.
  std::optional<double> hit(double azimuth, double from, double to) const;
  /// What is measured of a flight with that state of logical time `stateTime` while the antenna
  /// turns through (from, to]: nothing when it does not pass the flight, or when the flight is out
  /// of range or below the horizon.
  std::optional<RadarPlot> look(const FlightState& state, double stateTime, double from, double to);

 private:
  double gaussian();

  Settings settings_;
  std::mt19937 random_;
};

}  // namespace samples
