// SPDX-License-Identifier: Apache-2.0
#include "executive/pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tutti::executive {

namespace {

using Seconds = std::chrono::duration<double>;

/// Shorter waits than a node can make.
constexpr std::chrono::milliseconds shortest{1};

}  // namespace

std::string Pace::whatIsWrong(double perSecond) {
  if (perSecond == 0) return "a pace of 0 would never advance: hold the time instead (pause)";
  if (perSecond >= least && perSecond <= most) return {};
  return "a pace is a number of logical seconds per second, from 0.000001 to 1000000";
}

void Pace::anchor(double time, Clock::time_point now) {
  anchored_ = true;
  anchorTime_ = time;
  anchorAt_ = now;
}

double Pace::earned(Clock::time_point now) const {
  return anchorTime_ + perSecond_ * Seconds(now - anchorAt_).count();
}

void Pace::change(double perSecond, Clock::time_point now) {
  // Not what was earned and not yet given: at another pace that is worth something else.
  if (anchored_ && !suspended_) anchor(std::min(ceiling_, earned(now)), now);
  perSecond_ = perSecond;
}

void Pace::suspend(Clock::time_point now) {
  if (anchored_ && !suspended_) anchor(std::min(earned(now), ceiling_), now);
  suspended_ = true;
}

void Pace::resume(Clock::time_point now) {
  if (!suspended_) return;
  suspended_ = false;
  resumed_ = true;
  if (anchored_) anchor(anchorTime_, now);
}

Pace::Clock::time_point Pace::look(const Standing& standing, Clock::time_point now) {
  if (!standing.any) {
    // Who joins finds a ceiling, whatever it asks for before the next look.
    anchored_ = begun_ = false;
    ceiling_ = position_ = -std::numeric_limits<double>::infinity();
    return now + looks;
  }
  // Begun at this look at the earliest: who asks has not waited before.
  if (!anchored_ || !begun_ || !standing.begun) anchor(standing.least, now);
  begun_ = standing.begun;
  if (std::exchange(resumed_, false) && standing.least > anchorTime_) anchor(standing.least, now);

  // Where the federation is: those that only the ceiling keeps back are not held up by one that
  // is behind them and computes, or never advances.
  double due = earned(now);
  double next = std::numeric_limits<double>::infinity();
  double from = next;
  for (const Waiter& waiter : standing.waiters) {
    next = std::min(next, waiter.target);
    if (waiter.target <= due) from = std::min(from, waiter.logical);
  }
  const double position = std::isfinite(from) ? std::max(standing.least, from) : standing.least;
  const double mayCatchUp = perSecond_ * Seconds(slack).count();
  // It was late: from here on it goes at the pace again, but for what the ceiling has let through.
  if (position > position_ && due > position + mayCatchUp) {
    anchor(std::max(position, ceiling_), now);
    due = anchorTime_;
  }
  position_ = position;
  // Beyond the slack only up to a time that nothing else keeps back: one long step is granted when
  // it is due, and many short ones that follow it are not.
  ceiling_ = position + mayCatchUp;
  if (next <= due) ceiling_ = std::max(ceiling_, next);
  ceiling_ = std::min(ceiling_, due);

  Clock::time_point then = now + looks;
  if (next > due && std::isfinite(next)) {
    const double left = (next - due) / perSecond_;
    if (left < Seconds(looks).count()) {
      then = now +
             std::max<Clock::duration>(shortest, std::chrono::ceil<Clock::duration>(Seconds(left)));
    }
  }
  return then;
}

}  // namespace tutti::executive
