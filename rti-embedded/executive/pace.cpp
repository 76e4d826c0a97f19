// SPDX-License-Identifier: Apache-2.0
#include "executive/pace.h"

#include <algorithm>
#include <cmath>

#include "fabric/pace_range.h"

namespace tutti::executive {

namespace {

using Seconds = std::chrono::duration<double>;

/// Shorter waits than a node can make.
constexpr std::chrono::milliseconds shortest{1};

}  // namespace

std::string Pace::whatIsWrong(double perSecond) {
  if (perSecond == 0) return "a pace of 0 would never advance: hold the time instead (pause)";
  if (perSecond >= fabric::slowestPace && perSecond <= fabric::fastestPace) return {};
  return "a pace is a number of units of logical time per second, from 0.000001 to 1e12";
}

void Pace::anchor(double time, Clock::time_point now) {
  anchored_ = true;
  anchorTime_ = time;
  anchorAt_ = now;
}

double Pace::due(Clock::time_point now) const {
  return suspended_ ? anchorTime_ : anchorTime_ + perSecond_ * Seconds(now - anchorAt_).count();
}

void Pace::change(double perSecond, Clock::time_point now) {
  if (anchored_) anchor(due(now), now);
  perSecond_ = perSecond;
}

void Pace::suspend(Clock::time_point now) {
  if (anchored_) anchor(due(now), now);
  suspended_ = true;
}

void Pace::resume(Clock::time_point now) {
  if (anchored_) anchor(due(now), now);
  suspended_ = false;
}

Pace::Clock::time_point Pace::look(const Standing& standing, Clock::time_point now) {
  if (!standing.any) {
    // There may be one, and what it was let go on to stays.
    if (!standing.whole) return now + shortest;
    // Who joins finds a ceiling, whatever it asks for before the next look.
    anchored_ = begun_ = false;
    ceiling_ = -std::numeric_limits<double>::infinity();
    return now + looks;
  }
  // Begun at this look at the earliest: who asks has not waited before.
  if (!anchored_ || !begun_) {
    anchor(standing.foremost, now);
    ceiling_ = standing.foremost;
  }
  begun_ = begun_ || standing.begun;
  // Steps in a pause have led there: what is granted is not waited for again.
  if (standing.foremost > due(now)) anchor(standing.foremost, now);

  double last = -std::numeric_limits<double>::infinity();
  double next = -last;
  for (const double target : standing.targets) {
    if (target <= due(now)) {
      last = std::max(last, target);
    } else {
      next = std::min(next, target);
    }
  }
  const double mayCatchUp = perSecond_ * Seconds(slack).count();
  // All that is due was granted at the look before, so whoever asks for it has come late. It is
  // granted now; from here on the federation goes at the pace again.
  if (std::isfinite(last) && due(now) > last + mayCatchUp) anchor(last, now);
  // Beyond the slack only up to a time that nothing else keeps back: one long step is granted when
  // it is due, and the many short ones of a federate that was late are not. Never back: those who
  // were let go on have what they were let.
  ceiling_ = std::max(ceiling_, std::min(due(now), std::max(standing.foremost + mayCatchUp, last)));

  Clock::time_point then = now + looks;
  if (std::isfinite(next)) {
    const double left = (next - due(now)) / perSecond_;
    if (left < Seconds(looks).count()) {
      then = now +
             std::max<Clock::duration>(shortest, std::chrono::ceil<Clock::duration>(Seconds(left)));
    }
  }
  return then;
}

}  // namespace tutti::executive
