// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/launch_plan.h"
#include "monitor/engine/sample_source.h"

namespace tutti::app {

/// What `tutti run FILE` starts: the plan, and what each federate publishes and subscribes as its
/// component's manifest says (nothing for a plan of an earlier run).
struct RunInput {
  launcher::LaunchPlan plan;
  std::vector<monitor::Declarations> declarations;
};

/// Reads a composition, checks it and makes its plan; or reads a launch plan and makes it a new
/// run's. The error is what a person needs, one or more lines.
tl::expected<RunInput, QString> readRunInput(const QString& file);

}  // namespace tutti::app
