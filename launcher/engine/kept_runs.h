// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <tl/expected.hpp>
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

/// A run that has a supervisor on this machine, whoever started it.
struct GoingRun {
  LaunchPlan plan;            ///< Only its identifier, if its folder is not where runs are kept.
  std::size_t federates = 0;  ///< That are in it now; its plan has those of its beginning.
  bool attended = false;      ///< Another program has it.
  bool kept = false;          ///< It would go on without that one.
};

/// The runs of this user that go on now on this machine, oldest first. Asks each supervisor, for at
/// most a second; any thread.
std::vector<GoingRun> goingRuns(const QString& folder = runsFolder());

/// The run that a person means: its identifier, the beginning of it, or the name of its federation;
/// when empty the only one there is. The error is a sentence that names those there are.
tl::expected<LaunchPlan, QString> findGoingRun(const QString& wanted,
                                               const QString& folder = runsFolder());

/// Processes of federates by what a person calls them: the name of one, that of a box (all its
/// instances), "@" and the name of a group. Every federate when there are no words. The error is a
/// sentence.
tl::expected<QStringList, QString> processesNamed(const LaunchPlan& plan, const QStringList& words);

}  // namespace tutti::launcher
