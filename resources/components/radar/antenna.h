// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
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
  /// The moment in (from, to] at which the antenna passes a target that is at bearing `atFrom`
  /// first and at `atTo` in the end (degrees, the shorter way between them); the last one where
  /// there are several. Windows that follow each other neither lose a target nor see it twice,
  /// however it moves.
  std::optional<double> pass(double atFrom, double atTo, double from, double to) const;

  /// What is measured of a flight while the antenna turns through (from, to]. `before` is where the
  /// flight was at `from`, `now` its state at `to`. Nothing when the antenna does not pass it, or
  /// when it is out of range or below the horizon.
  std::optional<RadarPlot> look(const GeoPoint& before, const FlightState& now, double from,
                                double to);

  /// The noise that would come next.
  void write(std::ostream& to) const { to << random_ << ' '; }
  void read(std::istream& from) { from >> random_; }

 private:
  double gaussian();

  Settings settings_;
  std::mt19937 random_;
};

}  // namespace samples
