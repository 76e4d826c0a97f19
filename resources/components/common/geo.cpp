// SPDX-License-Identifier: Apache-2.0
#include "common/geo.h"

#include <algorithm>
#include <cmath>

namespace samples {

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180.0;

double normalized(double degrees) {
  const double turned = std::fmod(degrees, 360.0);
  return turned < 0.0 ? turned + 360.0 : turned;
}

}  // namespace

double distance(const GeoPoint& from, const GeoPoint& to) {
  const double sinLatitude = std::sin((to.latitude - from.latitude) * kDegree / 2.0);
  const double sinLongitude = std::sin((to.longitude - from.longitude) * kDegree / 2.0);
  const double haversine = sinLatitude * sinLatitude + std::cos(from.latitude * kDegree) *
                                                           std::cos(to.latitude * kDegree) *
                                                           sinLongitude * sinLongitude;
  return 2.0 * kEarthRadius * std::asin(std::min(1.0, std::sqrt(haversine)));
}

double bearing(const GeoPoint& from, const GeoPoint& to) {
  const double difference = (to.longitude - from.longitude) * kDegree;
  const double east = std::sin(difference) * std::cos(to.latitude * kDegree);
  const double north =
      std::cos(from.latitude * kDegree) * std::sin(to.latitude * kDegree) -
      std::sin(from.latitude * kDegree) * std::cos(to.latitude * kDegree) * std::cos(difference);
  return normalized(std::atan2(east, north) / kDegree);
}

GeoPoint destination(const GeoPoint& from, double bearingDegrees, double metres) {
  const double angle = metres / kEarthRadius;
  const double latitude = from.latitude * kDegree;
  const double course = bearingDegrees * kDegree;
  const double sine = std::sin(latitude) * std::cos(angle) +
                      std::cos(latitude) * std::sin(angle) * std::cos(course);
  const double east = std::sin(course) * std::sin(angle) * std::cos(latitude);
  const double north = std::cos(angle) - std::sin(latitude) * sine;
  const double longitude =
      normalized(from.longitude + std::atan2(east, north) / kDegree + 180.0) - 180.0;
  return {std::asin(std::clamp(sine, -1.0, 1.0)) / kDegree, longitude};
}

double slantRange(double ground, double altitude) {
  // Law of cosines between the antenna at the surface and the target above it.
  const double target = kEarthRadius + altitude;
  return std::sqrt(
      std::max(0.0, kEarthRadius * kEarthRadius + target * target -
                        2.0 * kEarthRadius * target * std::cos(ground / kEarthRadius)));
}

double horizon(double antenna, double altitude) {
  const double radius = kEarthRadius * 4.0 / 3.0;
  return std::sqrt(2.0 * radius * std::max(0.0, antenna)) +
         std::sqrt(2.0 * radius * std::max(0.0, altitude));
}

}  // namespace samples
