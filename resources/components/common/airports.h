// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/geo.h"

namespace samples {

struct Airport {
  std::string code;  ///< location indicator of ICAO document 7910
  std::string name;
  GeoPoint position;
};

/// The 40 airports of the samples, by code.
const std::vector<Airport>& airports();
/// Null when the samples do not know the code.
const Airport* findAirport(const std::string& code);

}  // namespace samples
