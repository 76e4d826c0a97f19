// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/run.h"

namespace tutti::launcher {

/// Names of the enabled federates of a composition that a run does not have, in start order.
QStringList federatesNotIn(const LaunchPlan& run, const composer::Composition& composition);

/// Of these the ones that a person means: the name of a federate, of a box, "@" and the name of a
/// group.
QStringList federatesNotIn(const LaunchPlan& run, const composer::Composition& composition,
                           const QString& word);

/// Federates that are to join a going run: with how they are started, and what would stop them.
struct PreparedAdditions {
  std::vector<Addition> additions;     ///< Empty when a check is an error.
  std::vector<PreflightCheck> checks;  ///< Errors first.
};

/// Expands federates of a composition for a run that goes on: in its federation, at its RTI nodes,
/// with its architecture. Waits for federates that the run does not have are waits for those they
/// wait for. The errors say of each why it cannot join. `names`: of federatesNotIn().
tl::expected<std::vector<Addition>, std::vector<composer::Error>> planAdditions(
    const LaunchPlan& run, const composer::Composition& composition,
    const composer::Catalog& catalog, const LaunchPlan::Options& options, const QStringList& names);

/// How a federate of a run that goes on would be started on another host of it: as it was planned
/// for its first. `additions`: how those are that came to the run since. The error is a sentence.
/// Reads the plans that the run keeps; any thread.
tl::expected<Addition, QString> planMove(const LaunchPlan& run,
                                         const std::map<QString, PlannedProcess>& additions,
                                         const QString& federate, const QString& host);

/// Likewise on a spare of the run, where its files were before the run started: ready to be added
/// there, and no host is asked.
tl::expected<Addition, QString> planOnSpare(const LaunchPlan& run,
                                            const std::map<QString, PlannedProcess>& additions,
                                            const QString& federate, const QString& spare);

/// Looks whether they can be started where they are placed, and copies to other hosts of the run
/// what they lack for them; nothing is started. Blocks; any thread. `progress` is called with one
/// line at a time.
PreparedAdditions prepareAdditions(const LaunchPlan& run, std::vector<Addition> additions,
                                   const std::function<void(const QString&)>& progress = {},
                                   const std::stop_token& stop = {});

}  // namespace tutti::launcher
