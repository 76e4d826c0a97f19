// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <stop_token>
#include <tl/expected.hpp>

#include "composer/model/error.h"
#include "launcher/engine/slurm_allocation.h"

// One job in the place of another.
namespace tutti::launcher {

/// What another request asks for differently, "nodes: 6, were 8"; empty: nothing. Pure.
QStringList requestChanges(const Allocation::Request& before, const Allocation::Request& after);

/// Waits until a job that is being cancelled neither waits nor runs, and cancels it itself when
/// nobody else does within a few seconds. The error says that it is still there, or that Slurm does
/// not tell, or that `stop` was asked for. Blocks, up to `milliseconds`; any thread.
tl::expected<void, composer::Error> awaitGone(const Cluster& cluster, qint64 job,
                                              const std::stop_token& stop = {},
                                              int milliseconds = 60'000);

}  // namespace tutti::launcher
