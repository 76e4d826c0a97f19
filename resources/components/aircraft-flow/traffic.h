// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <random>
#include <string>
#include <vector>

#include "common/air_traffic.h"
#include "common/airports.h"

namespace samples {

/// Where flights start from: all airports, or those north or south of 48 degrees.
enum class Region { Everywhere, North, South };

/// One flight along the great circle between two airports. Its altitude and speed follow from how
/// far it has come: a climb, a cruise at a level of its direction (semicircular rule), a descent at
/// three degrees.
class PlannedFlight {
 public:
  PlannedFlight(const Airport& origin, const Airport& destination, std::string callsign,
                double cruiseAltitude);

  /// Flies on for that long, s.
  void fly(double seconds);
  /// Starts in mid-air, at that share of the way, in [0, 1).
  void startAt(double share);
  bool arrived() const { return flown_ >= length_; }
  /// m along the great circle.
  double length() const { return length_; }
  double flown() const { return flown_; }
  const FlightState& state() const { return state_; }

  void write(std::ostream& to) const;
  static PlannedFlight read(std::istream& from);

  /// ft, by what has been flown and what is left, m.
  static double altitudeAt(double flown, double left, double cruiseAltitude);
  /// kt over ground, by altitude in ft.
  static double speedAt(double altitude);

 private:
  void locate();

  GeoPoint from_;
  GeoPoint to_;
  double length_;
  double cruiseAltitude_;
  double flown_ = 0.0;
  FlightState state_;
};

/// A number of flights in the air at any time. The same settings give the same flights.
class Traffic {
 public:
  struct Settings {
    int flights = 200;
    Region region = Region::Everywhere;
    std::uint32_t seed = 1;
  };

  /// All flights are somewhere on their way.
  explicit Traffic(const Settings& settings);

  /// Flies all flights on by that long, s. Those that arrive are replaced by new ones at their
  /// departure; the indexes of these are returned.
  std::vector<std::size_t> advance(double seconds);
  const std::vector<PlannedFlight>& flights() const { return flights_; }

  /// The flights, and those that would come next; read by one of the same settings.
  void write(std::ostream& to) const;
  void read(std::istream& from);

  /// Shortest way that is worth a flight, m.
  static constexpr double kShortest = 250e3;

 private:
  PlannedFlight plan();
  double uniform();
  std::size_t below(std::size_t count);

  Settings settings_;
  std::mt19937 random_;
  std::vector<const Airport*> departures_;
  std::uint32_t number_ = 0;
  std::vector<PlannedFlight> flights_;
};

}  // namespace samples
