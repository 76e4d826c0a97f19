// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QMap>
#include <QString>

#include "launcher/engine/host_check.h"
#include "launcher/engine/run.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// Hosts whose part of a watched run was seen, and cannot be for long: since when, and why. What
/// runs there may go on.
QList<theme::RunTrouble> unseenTroubles(const launcher::Run& run);

/// Hosts that a run is on and that have refused a new connection since, while the one that the run
/// uses lives on: what is asked of them next fails, and nothing else does. Whoever asks a host
/// tells. All on the window's thread.
class RefusingHosts {
 public:
  /// What a host has answered. True: troubles() may be others now.
  bool note(const launcher::HostReport& report);
  /// Another run: what was refused before it began counts no more.
  void clear() { refusals_.clear(); }
  QList<theme::RunTrouble> troubles(const launcher::Run& run) const;

 private:
  QMap<QString, launcher::Agent::Loss> refusals_;  ///< by host
};

}  // namespace tutti::app
