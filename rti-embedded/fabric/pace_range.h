// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti::fabric {

// What the RTI keeps as a pace, in units of logical time per second of wall clock.
inline constexpr double slowestPace = 1e-6;
inline constexpr double fastestPace = 1e12;

}  // namespace tutti::fabric
