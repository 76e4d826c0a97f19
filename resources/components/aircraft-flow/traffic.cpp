// SPDX-License-Identifier: Apache-2.0
#include "aircraft-flow/traffic.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "common/saved_state.h"

namespace samples {

namespace {

constexpr double kClimbGradient = 300.0;    // ft per NM
constexpr double kDescentGradient = 318.0;  // ft per NM, three degrees
constexpr double kNorthSouth = 48.0;        // degrees of latitude

/// Levels of the semicircular rule: odd thousands of feet eastbound, even ones westbound; lower
/// ones on short ways.
double cruiseAltitude(double course, double length, std::size_t choice) {
  const bool east = course < 180.0;
  const double lowest = length < 400e3 ? 17000.0 : length < 800e3 ? 25000.0 : 31000.0;
  return lowest + 2000.0 * static_cast<double>(choice) + (east ? 0.0 : 1000.0);
}

}  // namespace

PlannedFlight::PlannedFlight(const Airport& origin, const Airport& destination,
                             std::string callsign, double cruiseAltitude)
    : from_(origin.position),
      to_(destination.position),
      length_(distance(origin.position, destination.position)),
      cruiseAltitude_(cruiseAltitude) {
  state_.callsign = std::move(callsign);
  state_.origin = origin.code;
  state_.destination = destination.code;
  locate();
}

double PlannedFlight::altitudeAt(double flown, double left, double cruiseAltitude) {
  const double climb = flown / kNauticalMile * kClimbGradient;
  const double descent = left / kNauticalMile * kDescentGradient;
  return std::max(0.0, std::min({climb, cruiseAltitude, descent}));
}

double PlannedFlight::speedAt(double altitude) {
  constexpr double kLow = 10000.0;   // ft
  constexpr double kHigh = 35000.0;  // ft
  if (altitude < kLow) return 140.0 + 150.0 * altitude / kLow;
  return 290.0 + 165.0 * std::min(1.0, (altitude - kLow) / (kHigh - kLow));
}

void PlannedFlight::fly(double seconds) {
  const double before = state_.altitude;
  flown_ = std::min(length_, flown_ + state_.groundSpeed * kKnot * seconds);
  locate();
  if (seconds > 0.0) state_.verticalRate = (state_.altitude - before) / seconds * 60.0;
}

void PlannedFlight::startAt(double share) {
  flown_ = length_ * share;
  locate();
}

void PlannedFlight::write(std::ostream& to) const {
  writeText(to, state_.origin);
  writeText(to, state_.destination);
  writeText(to, state_.callsign);
  writeNumber(to, cruiseAltitude_);
  writeNumber(to, flown_);
  writeNumber(to, state_.verticalRate);
}

PlannedFlight PlannedFlight::read(std::istream& from) {
  const Airport* origin = findAirport(readText(from));
  const Airport* destination = findAirport(readText(from));
  const std::string callsign = readText(from);
  const double altitude = readNumber(from);
  if (origin == nullptr || destination == nullptr)
    throw std::runtime_error("a saved flight is between airports that are not known");
  PlannedFlight flight(*origin, *destination, callsign, altitude);
  flight.flown_ = readNumber(from);
  flight.locate();
  flight.state_.verticalRate = readNumber(from);
  return flight;
}

void PlannedFlight::locate() {
  state_.position = destination(from_, bearing(from_, to_), flown_);
  const double left = length_ - flown_;
  // At the very end the way back to the destination has no direction any more; the course so far
  // stands in.
  state_.heading = left > 1.0 ? bearing(state_.position, to_)
                              : std::fmod(bearing(state_.position, from_) + 180.0, 360.0);
  state_.altitude = altitudeAt(flown_, left, cruiseAltitude_);
  state_.groundSpeed = speedAt(state_.altitude);
  state_.located = true;
}

Traffic::Traffic(const Settings& settings) : settings_(settings), random_(settings.seed) {
  for (const Airport& airport : airports()) {
    const bool north = airport.position.latitude >= kNorthSouth;
    if (settings.region == Region::Everywhere || (settings.region == Region::North) == north)
      departures_.push_back(&airport);
  }
  flights_.reserve(static_cast<std::size_t>(settings.flights));
  for (int i = 0; i < settings.flights; ++i) {
    flights_.push_back(plan());
    flights_.back().startAt(uniform());
  }
}

// The standard's distributions differ between libraries; these two do not, so a seed means the same
// everywhere.
double Traffic::uniform() { return static_cast<double>(random_()) / 4294967296.0; }

std::size_t Traffic::below(std::size_t count) {
  return static_cast<std::size_t>(uniform() * static_cast<double>(count));
}

PlannedFlight Traffic::plan() {
  const Airport& origin = *departures_[below(departures_.size())];
  const Airport* destination = nullptr;
  do {
    destination = &airports()[below(airports().size())];
  } while (distance(origin.position, destination->position) < kShortest);
  static const char* const kPrefix[] = {"TUT", "NOR", "SUD"};
  const std::string callsign = kPrefix[static_cast<int>(settings_.region)] +
                               std::to_string(100 + number_++ % 9900) +
                               static_cast<char>('A' + static_cast<int>(settings_.seed % 26));
  const double course = bearing(origin.position, destination->position);
  const double altitude =
      cruiseAltitude(course, distance(origin.position, destination->position), below(4));
  return PlannedFlight(origin, *destination, callsign, altitude);
}

void Traffic::write(std::ostream& to) const {
  to << random_ << ' ' << number_ << ' ' << flights_.size() << ' ';
  for (const PlannedFlight& flight : flights_) flight.write(to);
}

void Traffic::read(std::istream& from) {
  std::size_t count = 0;
  from >> random_ >> number_ >> count;
  flights_.clear();
  for (std::size_t i = 0; i < count && from; ++i) flights_.push_back(PlannedFlight::read(from));
}

std::vector<std::size_t> Traffic::advance(double seconds) {
  std::vector<std::size_t> replaced;
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    flights_[i].fly(seconds);
    if (!flights_[i].arrived()) continue;
    flights_[i] = plan();
    replaced.push_back(i);
  }
  return replaced;
}

}  // namespace samples
