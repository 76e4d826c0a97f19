// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace samples {

/// A place over ground on a spherical earth: degrees, north and east positive.
struct GeoPoint {
  double latitude = 0.0;
  double longitude = 0.0;
};

constexpr double kEarthRadius = 6371008.8;        ///< m, mean radius
constexpr double kNauticalMile = 1852.0;          ///< m
constexpr double kFoot = 0.3048;                  ///< m
constexpr double kKnot = kNauticalMile / 3600.0;  ///< m/s

/// Length of the great circle between two places, m; exact also for places close together.
double distance(const GeoPoint& from, const GeoPoint& to);
/// Direction at `from` of the great circle to `to`, degrees clockwise from true north, in [0, 360).
double bearing(const GeoPoint& from, const GeoPoint& to);
/// The place reached after `metres` along the great circle that starts with that bearing (degrees).
GeoPoint destination(const GeoPoint& from, double bearingDegrees, double metres);
/// Distance along the line of sight to something at `altitude` m whose place is `ground` m away, m.
double slantRange(double ground, double altitude);
/// Greatest distance over ground, m, at which an antenna at `antenna` m sees something at
/// `altitude` m over the horizon of an earth with the usual refraction (4/3 of its radius).
double horizon(double antenna, double altitude);

}  // namespace samples
