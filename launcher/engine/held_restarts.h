// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

namespace tutti::launcher {

/// Restarts of federates of several hosts: no host starts one before all hosts have ended theirs.
class HeldRestarts {
 public:
  struct Restart {
    QString key;
    QStringList hosts;  ///< Empty name: this machine.
  };
  void begin(const Restart& restart);
  /// That host has ended its part. Returns what may go on now.
  std::vector<Restart> noteEnded(const QString& host, const QString& key);
  /// That host is lost, and is not waited for. Returns what may go on now.
  std::vector<Restart> noteLost(const QString& host);

 private:
  struct Held {
    Restart restart;
    QStringList awaited;  ///< Hosts that have not ended their part.
  };
  std::vector<Restart> takeEnded();
  std::vector<Held> held_;
};

}  // namespace tutti::launcher
