// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QStringList>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// Where a script and what it writes are kept; empty: wherever somebody submits it from.
struct ScriptPlace {
  QString script;     ///< its own path, absolute; what it writes goes beside it
  QString stateHome;  ///< XDG_STATE_HOME of its run; empty: as it is in the job
};

/// A script for sbatch that asks for the nodes a plan names and runs `command` on the first of
/// them. A run of that plan that is started there finds the job (SLURM_JOB_ID) and uses its nodes,
/// so that it needs no console; federates without a host are on the first node. Its output goes to
/// FEDERATION-JOB.log in the folder it is submitted from, or beside it where its place is known;
/// then it also adds the number of its job to the file "jobs" there. Pure. An error when the plan
/// names no nodes, or those of several partitions, which no job has.
tl::expected<QByteArray, composer::Error> sbatchScript(const LaunchPlan& plan,
                                                       const QStringList& command,
                                                       const ScriptPlace& place = {});

}  // namespace tutti::launcher
