// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

// The end of a job ends whoever watches its run on its first node, too. So a relay there holds a
// lock on a file of the run's folder as long as somebody reads what it tells, and `tutti run` waits
// for that before it ends with its job. The kernel lets go of the lock when a relay is killed.
namespace tutti::launcher {

/// Held by a relay. Without the folder it holds nothing, and nobody waits for it.
class WatchedMark {
 public:
  explicit WatchedMark(const QString& runFolder);
  ~WatchedMark();
  WatchedMark(const WatchedMark&) = delete;
  WatchedMark& operator=(const WatchedMark&) = delete;

 private:
  int fd_ = -1;
};

/// Waits until no relay tells of that run any more, at most so long. False when one still does.
bool awaitUnwatched(const QString& runFolder, int milliseconds);

}  // namespace tutti::launcher
