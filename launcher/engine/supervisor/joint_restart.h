// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tutti::launcher {

/// Processes that are restarted together: none of them starts before the last has ended.
///
/// The client may hold a start for longer, until the supervisors of other hosts have ended theirs;
/// who holds it is any pointer that identifies that client. `ending` are the processes that were
/// asked to end and are still there.
class JointRestarts {
 public:
  /// An empty key: nobody holds the start.
  void begin(std::set<std::string> ids, std::string key = {}, const void* holder = nullptr);
  /// The start with this key is held no longer.
  void release(const std::string& key);
  /// Likewise all starts of a client, which has gone.
  void releaseOf(const void* holder);
  /// Whether that process must not start yet, as of the last review.
  [[nodiscard]] bool holdsBack(const std::string& id) const;
  /// Whether review() would tell or let go anything.
  [[nodiscard]] bool isDue(const std::set<std::string>& ending) const;
  [[nodiscard]] bool isEmpty() const { return restarts_.empty(); }

  /// Forgets the restarts whose processes have all ended and may start now. Returns the keys of
  /// those that are held and have ended since the last review, with their processes.
  struct Ended {
    std::string key;
    std::set<std::string> ids;
  };
  std::vector<Ended> review(const std::set<std::string>& ending);

 private:
  struct Restart {
    std::set<std::string> ids;
    std::string key;
    const void* holder;
    bool told = false;  ///< That all have ended.

    [[nodiscard]] bool hasEnded(const std::set<std::string>& ending) const;
    [[nodiscard]] bool isHeld() const { return holder != nullptr; }
  };
  std::vector<Restart> restarts_;
};

}  // namespace tutti::launcher
