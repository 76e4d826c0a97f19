// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>

namespace tutti::launcher {

/// A federate that has come to a run, or left it, since the run began; or another pace of all.
struct RunChange {
  /// Moved is what Added is, of a federate that was removed from another host for that; Restarted,
  /// of one whose host was lost, on a spare.
  enum class Kind { Added, Removed, Moved, Restarted, Paced };
  Kind kind = Kind::Added;
  QString federate;  ///< Paced: empty.
  QString host;  ///< Empty: this machine.
  QDateTime time;
  QString from{};  ///< Moved, Restarted: the host that it was on.
  QString why{};   ///< Restarted: why that host is lost, and why this one was chosen.
  double pace = 0;  ///< Paced: logical seconds per second, 0: as fast as possible.
  /// "radar-west was moved to tower from this machine"
  [[nodiscard]] QString text() const;
  friend bool operator==(const RunChange&, const RunChange&) = default;
};

}  // namespace tutti::launcher
