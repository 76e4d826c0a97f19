// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// The port at which a run's node will listen. No other run of this machine takes it while this
/// object is there, whichever user started it.
class HomePort {
 public:
  /// Takes the first port that is free for TCP and UDP and that no other run is about to use, and
  /// listens there, so that hosts can try whether they reach it.
  explicit HomePort(const ListenAddress& listen);

  /// 0: none is free, or the address is not one of this machine.
  [[nodiscard]] quint16 port() const { return port_; }
  [[nodiscard]] const PreflightCheck& check() const { return check_; }

  /// Stops listening, for the node; the port stays reserved.
  void leaveToNode() { listener_.reset(); }
  /// The run is over: the port is anybody's.
  void release() { reservation_.reset(); }

 private:
  quint16 port_ = 0;
  Descriptor listener_;
  /// A name that only one process of the network namespace can have, and which ends with it.
  Descriptor reservation_;
  PreflightCheck check_;
};

/// A command that lets other hosts through the firewall of this machine to that port; empty: no
/// program for that is installed here.
QString commandThatOpens(quint16 port);

}  // namespace tutti::launcher
