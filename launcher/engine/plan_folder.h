// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <map>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

// The two plans of a run and its scripts as files of one folder, to be read, kept, compared and
// changed by hand.

constexpr const char* launchFile = "launch.json";
constexpr const char* connectionsFile = "connections.json";

/// The content of each file of the folder by its name, the same bytes for the same plan, which is
/// not settled and has the run identifier runOfFiles. `architecture`: empty means the first.
std::map<QString, QByteArray> filesOfPlan(const LaunchPlan& plan, const QString& architecture);

/// Writes them; makes the folder when needed and leaves other files there alone. Replaces files of
/// these names only where there is a launch plan; the error names those that are in the way.
tl::expected<void, composer::Error> writePlanFolder(const QString& folder,
                                                    const std::map<QString, QByteArray>& files);

struct PlanOfFolder {
  LaunchPlan plan;  ///< With its connections as the connection plan says, not settled.
  QString architecture;
};

/// Reads both plans. The error names file and line where they contradict each other.
tl::expected<PlanOfFolder, composer::Error> readPlanFolder(const QString& folder);

}  // namespace tutti::launcher
