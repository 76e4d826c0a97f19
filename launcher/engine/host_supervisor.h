// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "launcher/engine/launch_plan.h"

// How the supervisor of a run on another host is reached.
namespace tutti::launcher {

/// What a host is given to execute the supervisor's program there.
QString supervisorCommand(const PlannedHost& host, const QStringList& arguments);

/// Likewise, to be connected to the supervisor of a run that goes on there.
QString attachCommand(const PlannedHost& host, const QString& run);

/// After so many seconds without a word a host of the run is lost.
double silenceHere(const LaunchPlan& plan);

}  // namespace tutti::launcher
