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

}  // namespace

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
    double target = each.time.requestedTime;
    if (mayBeGrantedEarly(each.time.advance) && each.time.leastStamp) {
      target = std::min(target, std::max(*each.time.leastStamp, each.time.logicalTime));
    }
    // Granted already, as far as the ceiling goes.
    if (reading.held && target <= reading.ceiling) continue;
    next = std::min(next.value_or(target), target);
  }
  return next;
}

}  // namespace tutti::monitor
