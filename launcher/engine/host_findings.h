// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "launcher/engine/host_check.h"
#include "launcher/engine/kept_runs.h"

namespace tutti::launcher {

// What the answer of a host means for a run: findings with what was found, what is needed, and what
// to do. Pure.

/// Free on the disk of the logs of a run, MB (10^6 bytes), or a warning says that they may end
/// early.
constexpr double leastLogDiskMb = 100;
/// A clock that is further off than this, beyond the uncertainty of the measurement, is a warning.
constexpr double worstClockSeconds = 0.02;

/// A file that the host needs cannot be read here, or not be found.
PreflightCheck unreadFile(const QString& host, const composer::Error& error);

/// What the host lacks could not be copied there. `amount`: "3 files (1.2 MB)"
PreflightCheck failedCopy(const Host& host, const QString& amount, const Agent::Loss& loss);

PreflightCheck unreachedHost(const HostReport& report, const Host& host);

/// Kind of machine, way to the home, memory, cores, disks and clock. `home`: "address:port" that
/// the host has tried to reach.
std::vector<PreflightCheck> stateOfHost(const HostReport& report, const PlannedHost& planned,
                                        const QString& home);

/// The ports at which federates are to listen there: one finding for each that is taken, one for
/// all that one of these going runs holds, and one that passed when all are free; nothing when the
/// plan names none there.
std::vector<PreflightCheck> portsOfHost(const HostReport& report, const Host& host,
                                        const LaunchPlan& plan,
                                        const std::vector<GoingRun>& runs = {});

/// What a host lacks or has in another version: Tutti's programs, components, FOM modules. One
/// finding for each of these kinds, which names components with their federates; nothing when it
/// has all. `level`: how grave that is.
std::vector<PreflightCheck> filesOfHost(const HostReport& report, const HostFiles& files,
                                        PreflightCheck::Level level);

/// "52 MB", "1.3 MB", "24 kB", "600 bytes"
QString bytesText(double bytes);

}  // namespace tutti::launcher
