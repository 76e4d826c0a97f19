// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextStream>
#include <nlohmann/json.hpp>

#include "launcher/engine/hosts.h"
#include "launcher/engine/placement.h"

namespace tutti::app {

/// Of which pairs of federates the rate is one that a run has measured.
struct MeasuredRates {
  qint64 run = 0;
  int pairs = 0;
};

/// A placement as verbs say it to scripts and to people: each federate with its host and the
/// reason.
nlohmann::json placementJson(const launcher::Placement& placement,
                             const launcher::PlacementInput& input, const MeasuredRates& measured);
void printPlacement(QTextStream& out, const launcher::Placement& placement,
                    const launcher::PlacementInput& input, const MeasuredRates& measured);

/// Gives this machine, where the file describes it without them, its cores and its memory.
void describeThisMachine(launcher::Deployment& deployment);

}  // namespace tutti::app
