// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QStringList>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// A script for sbatch that asks for the nodes a plan names and runs `command` on the first of
/// them. A run of that plan that is started there finds the job (SLURM_JOB_ID) and uses its nodes,
/// so that it needs no console; federates without a host are on the first node. Its output goes to
/// FEDERATION-JOB.log in the folder it is submitted from. Pure. An error when the plan names no
/// nodes, or those of several partitions, which no job has.
tl::expected<QByteArray, composer::Error> sbatchScript(const LaunchPlan& plan,
                                                       const QStringList& command);

}  // namespace tutti::launcher
