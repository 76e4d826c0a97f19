// SPDX-License-Identifier: Apache-2.0
#include "common/airports.h"

#include <algorithm>

namespace samples {

const std::vector<Airport>& airports() {
  static const std::vector<Airport> table{
      {"EBBR", "Brussels", {50.9014, 4.4844}},
      {"EDDB", "Berlin Brandenburg", {52.3667, 13.5033}},
      {"EDDF", "Frankfurt", {50.0333, 8.5706}},
      {"EDDH", "Hamburg", {53.6304, 9.9882}},
      {"EDDL", "Düsseldorf", {51.2895, 6.7668}},
      {"EDDM", "Munich", {48.3538, 11.7861}},
      {"EDDS", "Stuttgart", {48.6899, 9.2220}},
      {"EFHK", "Helsinki", {60.3172, 24.9633}},
      {"EGCC", "Manchester", {53.3537, -2.2750}},
      {"EGKK", "London Gatwick", {51.1481, -0.1903}},
      {"EGLL", "London Heathrow", {51.4706, -0.4619}},
      {"EGPH", "Edinburgh", {55.9500, -3.3725}},
      {"EHAM", "Amsterdam Schiphol", {52.3086, 4.7639}},
      {"EIDW", "Dublin", {53.4213, -6.2701}},
      {"EKCH", "Copenhagen", {55.6179, 12.6560}},
      {"ELLX", "Luxembourg", {49.6266, 6.2115}},
      {"ENGM", "Oslo Gardermoen", {60.1939, 11.1004}},
      {"EPWA", "Warsaw Chopin", {52.1657, 20.9671}},
      {"ESSA", "Stockholm Arlanda", {59.6519, 17.9186}},
      {"LEBL", "Barcelona", {41.2971, 2.0785}},
      {"LEMD", "Madrid Barajas", {40.4936, -3.5668}},
      {"LEPA", "Palma de Mallorca", {39.5517, 2.7388}},
      {"LFBO", "Toulouse", {43.6291, 1.3638}},
      {"LFLL", "Lyon", {45.7256, 5.0811}},
      {"LFML", "Marseille", {43.4393, 5.2214}},
      {"LFMN", "Nice", {43.6584, 7.2159}},
      {"LFPG", "Paris Charles de Gaulle", {49.0128, 2.5500}},
      {"LFPO", "Paris Orly", {48.7253, 2.3594}},
      {"LGAV", "Athens", {37.9364, 23.9445}},
      {"LHBP", "Budapest", {47.4369, 19.2556}},
      {"LIMC", "Milan Malpensa", {45.6306, 8.7281}},
      {"LIRF", "Rome Fiumicino", {41.8003, 12.2389}},
      {"LKPR", "Prague", {50.1008, 14.2600}},
      {"LOWW", "Vienna", {48.1103, 16.5697}},
      {"LPPT", "Lisbon", {38.7813, -9.1359}},
      {"LROP", "Bucharest", {44.5722, 26.1022}},
      {"LSGG", "Geneva", {46.2381, 6.1089}},
      {"LSZH", "Zurich", {47.4647, 8.5492}},
      {"LTFM", "Istanbul", {41.2753, 28.7519}},
      {"LYBE", "Belgrade", {44.8184, 20.3091}},
  };
  return table;
}

const Airport* findAirport(const std::string& code) {
  const auto& table = airports();
  const auto found = std::lower_bound(
      table.begin(), table.end(), code,
      [](const Airport& airport, const std::string& wanted) { return airport.code < wanted; });
  return found != table.end() && found->code == code ? &*found : nullptr;
}

}  // namespace samples
