// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"

namespace tutti::launcher {

/// Before the identifier of a run: the command that ends it.
inline const QString stopCommand = QStringLiteral("tutti stop ");

// The TCP ports at which federates are to listen, as their components say of when they are ready.
// A federate whose port is another program's cannot listen, and would count as ready at once.

/// Names of the federates of that host (empty: this machine) by their port.
std::map<quint16, QStringList> portsOf(const LaunchPlan& plan, const QString& host);

/// A program that listens at a port.
struct PortHolder {
  QString program;       ///< "nginx (812)"; empty: not known, as for another user's program
  qint64 process = 0;    ///< of this machine; 0: not known, or of another one
  QString designator{};  ///< its TUTTI_RTI, on another host; empty: it has none, or not known
};

/// Who listens at a TCP port of this machine, at any address or at loopback (where readiness is
/// looked for; another address is no hindrance), in this network namespace. Nothing: nobody. Reads
/// /proc for at most 2 s, and nothing there that waits for a process; any thread.
std::optional<PortHolder> listenerAt(quint16 port);

/// The run of which that process of this machine is: its supervisor is among the ancestors. Null:
/// none of these. Any thread.
const GoingRun* runOfProcess(qint64 process, const std::vector<GoingRun>& runs);

/// The run of which that program of another host is: its environment has the RTI node that the run
/// has there, as every process of a federate and its children have. Null: none of these.
const GoingRun* runOfHolder(const Host& host, const PortHolder& holder,
                            const std::vector<GoingRun>& runs);

/// Ports at which federates (names) are to listen on a host (empty: this machine), and which a run
/// that goes on holds: one finding for all of them.
PreflightCheck heldPorts(const LaunchPlan& plan, const std::map<quint16, QStringList>& ports,
                         const QString& host, const GoingRun& run);

/// Identifier of the run that such a finding says to stop; empty: it is none of heldPorts().
QString runThatHolds(const PreflightCheck& check);

}  // namespace tutti::launcher
