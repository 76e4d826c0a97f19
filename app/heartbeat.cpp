// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/heartbeat.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tutti::app {

Heartbeat::Heartbeat(QObject* parent) : QObject(parent) {
  timer_.setTimerType(Qt::PreciseTimer);
  timer_.setInterval(kPeriodMs);
  connect(&timer_, &QTimer::timeout, this, &Heartbeat::tick);
  reset();
  timer_.start();
}

void Heartbeat::reset() {
  ticks_ = 0;
  largest_ = worst_ = 0;
  since_.start();
  report_.start();
}

void Heartbeat::tick() {
  const double elapsed = static_cast<double>(since_.nsecsElapsed()) / 1e6;
  since_.restart();
  const double gap = std::max(0.0, elapsed - kPeriodMs);
  gaps_[static_cast<std::size_t>(ticks_) % gaps_.size()] = static_cast<float>(gap);
  ++ticks_;
  largest_ = std::max(largest_, gap);
  worst_ = std::max(worst_, gap);
  if (report_.elapsed() < 500) return;
  report_.restart();
  Q_EMIT reported(worst_);
  worst_ = 0;
}

double Heartbeat::percentile(double share) const {
  const auto count =
      static_cast<std::size_t>(std::min<int>(ticks_, static_cast<int>(gaps_.size())));
  if (count == 0) return 0;
  std::vector<float> sorted(gaps_.begin(), gaps_.begin() + static_cast<std::ptrdiff_t>(count));
  const auto rank = std::min(
      count - 1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(count))) - 1);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank),
                   sorted.end());
  return static_cast<double>(sorted[rank]);
}

int Heartbeat::countOver(double milliseconds) const {
  const auto count = std::min<std::ptrdiff_t>(ticks_, static_cast<std::ptrdiff_t>(gaps_.size()));
  return static_cast<int>(std::count_if(gaps_.begin(), gaps_.begin() + count, [&](float gap) {
    return static_cast<double>(gap) > milliseconds;
  }));
}

}  // namespace tutti::app
