// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>

#include "launcher/engine/run.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// Hosts whose part of a watched run was seen, and cannot be for long: since when, and why. What
/// runs there may go on.
QList<theme::RunTrouble> unseenTroubles(const launcher::Run& run);

}  // namespace tutti::app
