// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <array>
#include <deque>
#include <map>
#include <vector>

#include "monitor/engine/snapshot.h"

namespace tutti::monitor {

/// The quantities that the plots of the page Run show.
enum class RunQuantity { Sent, Received, Processor };
inline constexpr std::array<RunQuantity, 3> runQuantities{RunQuantity::Sent, RunQuantity::Received,
                                                          RunQuantity::Processor};

/// What a run's federates did over its last half hour, one value a second, for plots. A second in
/// which nothing could be read is a gap.
class RunSeries {
 public:
  static constexpr double longest = 1800;  ///< s that are kept

  struct Point {
    double at = 0;                                     ///< s since the epoch
    std::array<float, runQuantities.size()> values{};  ///< unknown: a gap
  };

  /// Takes what a snapshot says, once a second; more often changes nothing. `now`: s since the
  /// epoch.
  void add(const Snapshot& snapshot, double now);
  void clear();

  /// Oldest first; null for a federate that was never seen.
  const std::deque<Point>* of(const QString& federate) const;
  /// Names of those with the largest mean of that quantity within the last `seconds`, at most
  /// `most`, sorted by name.
  std::vector<QString> busiest(RunQuantity quantity, double seconds, std::size_t most) const;
  /// s since the epoch; 0 before the first.
  double newest() const { return newest_; }

 private:
  std::map<QString, std::deque<Point>> points_;
  double newest_ = 0;
};

}  // namespace tutti::monitor
