// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <optional>

#include "launcher/engine/supervisor/plan.h"

namespace tutti::launcher {

/// Counts the restarts of one process and says how long to wait before the next.
///
/// The first restart waits for the policy's back-off, each further one twice as long as the one
/// before, at most RestartPolicy::longestBackoffSeconds. A process that ran for longer than
/// `helped` since its last start begins anew: its restarts so far have helped.
class RestartSchedule {
 public:
  using Duration = std::chrono::milliseconds;
  static constexpr Duration helped{60'000};

  RestartSchedule() = default;
  explicit RestartSchedule(const RestartPolicy& policy) : policy_(policy) {}

  struct Restart {
    int number = 0;  ///< From 1, in a row.
    Duration wait{};
  };
  /// The process has ended after it ran for `ran`, and nobody asked for that. Nothing: it is not
  /// started again, because the policy says so or the limit is reached.
  std::optional<Restart> afterEnd(bool failed, Duration ran);
  /// Whether the last end would have been answered with a restart, were there no limit.
  bool gaveUp() const { return gaveUp_; }
  int restarts() const { return restarts_; }
  /// A person has started it: the restarts so far do not count.
  void reset();

 private:
  RestartPolicy policy_;
  int restarts_ = 0;
  bool gaveUp_ = false;
};

}  // namespace tutti::launcher
