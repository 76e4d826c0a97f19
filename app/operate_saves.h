// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "launcher/engine/federate_move.h"

namespace tutti::app {

/// Saves and restores the federation execution of a run that a federate is moved in. From before
/// the save until after the restore its time is held, so that nothing that federates do in logical
/// time is lost; not where nobody takes part in that, nor where somebody else holds it. The hold
/// ends with what this returns.
launcher::FederateMove::Operate operateSavesOf(const launcher::LaunchPlan& plan);

}  // namespace tutti::app
