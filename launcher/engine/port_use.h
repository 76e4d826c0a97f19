// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

// The TCP ports at which federates are to listen, as their components say of when they are ready.
// A federate whose port is another program's cannot listen, and would count as ready at once.

/// Names of the federates of that host (empty: this machine) by their port.
std::map<quint16, QStringList> portsOf(const LaunchPlan& plan, const QString& host);

/// Who listens at a TCP port of this machine, at any address or at loopback (where readiness is
/// looked for; another address is no hindrance), in this network namespace: "nginx (812)"; empty:
/// it is not known, as for another user's program. Nothing: nobody. Reads /proc; any thread.
std::optional<QString> listenerAt(quint16 port);

}  // namespace tutti::launcher
