// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// The port at which a run's node will listen, taken until this object goes, so that hosts can try
/// whether they reach it.
class HomePort {
 public:
  /// Takes the first port that is free for TCP and UDP.
  explicit HomePort(const ListenAddress& listen);

  /// 0: none is free, or the address is not one of this machine.
  [[nodiscard]] quint16 port() const { return port_; }
  [[nodiscard]] const PreflightCheck& check() const { return check_; }

 private:
  quint16 port_ = 0;
  Descriptor listener_;
  PreflightCheck check_;
};

/// A command that lets other hosts through the firewall of this machine to that port; empty: no
/// program for that is installed here.
QString commandThatOpens(quint16 port);

}  // namespace tutti::launcher
