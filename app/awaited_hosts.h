// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSet>
#include <QString>

namespace tutti::launcher {
class Run;
}
namespace tutti::monitor {
struct Snapshot;
}

namespace tutti::app {

/// Hosts that an operator has the RTI wait for longer (tutti wait, from wherever): the run does not
/// take them for lost sooner than the RTI does.
class AwaitedHosts {
 public:
  void look(const monitor::Snapshot& snapshot, launcher::Run& run);

 private:
  QSet<QString> awaited_;
};

}  // namespace tutti::app
