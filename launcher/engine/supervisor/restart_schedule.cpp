// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/restart_schedule.h"

#include <algorithm>
#include <cmath>

namespace tutti::launcher {

std::optional<RestartSchedule::Restart> RestartSchedule::afterEnd(bool failed, Duration ran) {
  gaveUp_ = false;
  const bool wanted =
      policy_.when == RestartWhen::Always || (policy_.when == RestartWhen::OnFailure && failed);
  if (!wanted) return std::nullopt;
  if (ran >= helped) restarts_ = 0;
  if (restarts_ >= policy_.limit) {
    gaveUp_ = true;
    return std::nullopt;
  }
  const double seconds =
      std::min(std::ldexp(policy_.backoffSeconds, restarts_), RestartPolicy::longestBackoffSeconds);
  ++restarts_;
  return Restart{restarts_, Duration(std::llround(seconds * 1000))};
}

void RestartSchedule::reset() {
  restarts_ = 0;
  gaveUp_ = false;
}

}  // namespace tutti::launcher
