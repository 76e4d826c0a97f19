// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <vector>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// A run that goes on without a window.
struct KeptRun {
  LaunchPlan plan;
  QDateTime since;  ///< when it was left alone
};

/// The runs that supervisors keep now, newest first. Marks of such that have ended, killed or not,
/// are taken away. Reads files; any thread.
std::vector<KeptRun> keptRuns(const QString& folder = runsFolder());

}  // namespace tutti::launcher
