// SPDX-License-Identifier: Apache-2.0
#include "radar/antenna.h"

#include <cmath>

namespace samples {

Antenna::Antenna(const Settings& settings) : settings_(settings), random_(settings.seed) {}

double Antenna::azimuthAt(double seconds) const {
  const double turns = seconds / settings_.sweep;
  return (turns - std::floor(turns)) * 360.0;
}

std::optional<double> Antenna::pass(double atFrom, double atTo, double from, double to) const {
  // How far the antenna is ahead of the target, in turns: it passes it where this crosses a whole
  // number.
  const double first = from / settings_.sweep - atFrom / 360.0;
  const double last =
      to / settings_.sweep - (atFrom + std::remainder(atTo - atFrom, 360.0)) / 360.0;
  const double turn = std::floor(last);
  if (turn <= std::floor(first)) return std::nullopt;
  return from + (turn - first) / (last - first) * (to - from);
}

// Box and Muller; the library's normal distribution differs between compilers.
double Antenna::gaussian() {
  const double u = (static_cast<double>(random_()) + 1.0) / 4294967297.0;
  const double v = static_cast<double>(random_()) / 4294967296.0;
  return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
}

std::optional<RadarPlot> Antenna::look(const GeoPoint& before, const FlightState& now, double from,
                                       double to) {
  if (!now.located) return std::nullopt;
  const auto moment =
      pass(bearing(settings_.site, before), bearing(settings_.site, now.position), from, to);
  if (!moment) return std::nullopt;
  const double way = distance(before, now.position) * (*moment - from) / (to - from);
  const GeoPoint position = destination(before, bearing(before, now.position), way);
  const double altitude = now.altitude * kFoot;
  const double ground = distance(settings_.site, position);
  if (ground > horizon(settings_.height, altitude)) return std::nullopt;
  const double truth = slantRange(ground, altitude);
  if (truth > settings_.range) return std::nullopt;
  const double range = truth + kRangeNoise * gaussian();
  const double azimuth = bearing(settings_.site, position) + kAzimuthNoise * gaussian();
  if (range > settings_.range || range <= 0.0) return std::nullopt;

  RadarPlot plot;
  plot.callsign = now.callsign;
  plot.time = *moment;
  plot.range = range / 1000.0;
  plot.azimuth = azimuth - 360.0 * std::floor(azimuth / 360.0);
  // Aircraft report their altitude in steps of 100 ft; with it the slant range gives the distance
  // over ground.
  plot.altitude = std::round(now.altitude / 100.0) * 100.0;
  plot.position = destination(settings_.site, plot.azimuth, ground + (range - truth));
  // The radar equation: the echo falls with the fourth power of the distance; 13 dB are left at the
  // edge.
  plot.snr = 13.0 + 40.0 * std::log10(settings_.range / range);
  return plot;
}

}  // namespace samples
