// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// Completes the record of a run that has ended while no program had it, or whose program was
/// killed: its outcome, as its supervisors have left it on their hosts, and the logs of the other
/// hosts. Nothing is done as long as somebody has the run or one of its supervisors is there. True
/// when the record was written. Asks hosts, for up to two minutes; any thread.
bool recordUnseenEnd(const QString& folder);

/// Likewise for all runs, at once. The number of records written.
int recordUnseenEnds(const QString& folder = runsFolder());

}  // namespace tutti::launcher
