// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>

namespace tutti::launcher {

/// A federate that has come to a run, or left it, since the run began.
struct RunChange {
  enum class Kind { Added, Removed };
  Kind kind = Kind::Added;
  QString federate;
  QString host;  ///< Empty: this machine.
  QDateTime time;
  friend bool operator==(const RunChange&, const RunChange&) = default;
};

}  // namespace tutti::launcher
