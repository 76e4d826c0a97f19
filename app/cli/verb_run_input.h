// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "app/cli/place_at_launch.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/slurm_nodes.h"
#include "monitor/engine/sample_source.h"

namespace tutti::app {

/// What `tutti run FILE` starts: the plan, and what each federate publishes and subscribes as its
/// component's manifest says, as far as the component is known here.
struct RunInput {
  launcher::LaunchPlan plan;
  std::vector<monitor::Declarations> declarations;
  std::optional<PlacedLaunch> placed{};  ///< where federates were placed for it
};

/// Reads a composition, checks it and makes its plan; or reads a launch plan, with the connection
/// plan beside it if it is one of a folder of `tutti plan`, and makes it a new run's. The error is
/// what a person needs, one or more lines. With `hosts` federates may be placed on the hosts that
/// the file describes. With `place` those of a composition that have no host are placed for this
/// plan only; it is an error when one of them has a need that no host meets.
tl::expected<RunInput, QString> readRunInput(const QString& file, const QString& hosts = {},
                                             const std::optional<PlaceOptions>& place = {});

/// Reads the two plans of a folder of `tutti plan` for a new run.
tl::expected<RunInput, QString> readPlans(const QString& folder);

/// Asks the hosts of a plan that has any and is not settled yet, copies there what they lack if
/// `copy` is set, and settles it. Each warning, and each step that takes time, is said by `tell`
/// from this thread or another. The result holds the nodes of clusters, for Run::hold(). The error
/// is what a person needs; then nothing was started.
tl::expected<launcher::Allocations, QString> settleHosts(
    launcher::LaunchPlan& plan, bool copy, const std::function<void(const QString&)>& tell);

}  // namespace tutti::app
