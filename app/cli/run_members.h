// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <tl/expected.hpp>

#include "app/cli/run_reach.h"

namespace tutti::app {

/// Federates that words of a command line mean.
struct RunFederates {
  QStringList there;  ///< In the run.
  QStringList added;  ///< Only in its composition.
};

/// Who is to be started: federates of the run by name, box or group (all when there are no words),
/// and such that only its composition has, as its file is now. The error is a sentence that names
/// some there are.
tl::expected<RunFederates, QString> resolveToStart(const launcher::LaunchPlan& run,
                                                   const QStringList& words);

/// Adds those of `federates` that the run does not have, and waits until its supervisors have them.
/// `hosts`: a hosts file; empty: that beside the composition. The error says why none was added.
tl::expected<void, QString> addToRun(Invocation& invocation, RunReach& reach,
                                     const RunFederates& federates, const QString& hosts);

/// Has them resign, end and leave the run; waits for that and says so. Gives the exit code.
int removeFromRun(Invocation& invocation, RunReach& reach, const QStringList& ids);

/// Writes who has come and gone into the record of a run that no other program writes it of.
void recordChangesOf(Invocation& invocation, const launcher::Run& run);

}  // namespace tutti::app
