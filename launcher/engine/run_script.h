// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

// Scripts that start a launch plan without the console and without `tutti`. Both are the same bytes
// for the same plan, which is not settled, and whose connections have been applied. Pure.

/// A shell script (POSIX sh, coreutils, setsid, ssh): it starts the RTI nodes and federates in
/// order on all hosts, waits, and ends all of it when it ends. Hosts need the same files at the
/// same paths: it copies itself and the run's key, nothing else.
QByteArray runScript(const LaunchPlan& plan);

/// A batch script for Slurm that runs the shell script on one node with what the components ask
/// for.
QByteArray jobScript(const LaunchPlan& plan);

}  // namespace tutti::launcher
