// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/time_control.h"

#include <algorithm>

namespace tutti::monitor {

namespace {

using Advance = TimeReading::Advance;

bool mayBeGrantedEarly(Advance advance) {
  return advance == Advance::NextMessageRequest ||
         advance == Advance::NextMessageRequestAvailable || advance == Advance::FlushQueueRequest;
}

double target(const TimeReading& time) {
  const bool early = mayBeGrantedEarly(time.advance) && time.leastStamp.has_value();
  return early ? std::min(time.requestedTime, std::max(*time.leastStamp, time.logicalTime))
               : time.requestedTime;
}

}  // namespace

bool waitsForPace(const Reading& reading, const FederateReading& federate) {
  return reading.paced && !reading.held && federate.time.advance != Advance::None &&
         target(federate.time) > reading.ceiling;
}

bool managesTime(const FederateReading& federate) {
  return federate.membership == Membership::Joined &&
         (federate.time.regulating || federate.time.constrained ||
          federate.time.advance != Advance::None || federate.counters.timeAdvanceGrants > 0);
}

std::optional<double> pauseCeiling(const Reading& reading) {
  std::optional<double> least;
  for (const FederateReading& each : reading.federates) {
    if (managesTime(each))
      least = std::min(least.value_or(each.time.logicalTime), each.time.logicalTime);
  }
  return least;
}

std::optional<double> stepCeiling(const Reading& reading) {
  std::optional<double> next;
  for (const FederateReading& each : reading.federates) {
    if (each.membership != Membership::Joined || each.time.advance == Advance::None) continue;
    const double wanted = target(each.time);
    // Granted already, as far as the ceiling goes.
    if (reading.held && wanted <= reading.ceiling) continue;
    next = std::min(next.value_or(wanted), wanted);
  }
  return next;
}

}  // namespace tutti::monitor
