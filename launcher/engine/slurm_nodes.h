// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/launch_plan.h"
#include "launcher/engine/preflight.h"
#include "launcher/engine/slurm_allocation.h"

namespace tutti::launcher {

/// The jobs that hold nodes for a run; they end with the last copy of it.
using Allocations = std::vector<std::shared_ptr<Allocation>>;

/// What is to be asked of Slurm for the nodes of clusters that a plan names: one job for each
/// partition. Pure.
std::vector<Allocation::Request> requestsOf(const LaunchPlan& plan);

/// Gives the nodes of jobs to the plan's hosts of clusters: waits for as many nodes of each
/// partition as are named, and binds them in the order of their numbers. Inside a job of Slurm
/// (SLURM_JOB_ID) its nodes are taken and none is asked for. `say` gets lines about the queue,
/// `queue` the places of the jobs that wait, both from other threads, `queue` one call at a time.
/// The errors say why there are no nodes; then all jobs are given back. Blocks; any thread.
tl::expected<Allocations, std::vector<PreflightCheck>> bindNodes(
    LaunchPlan& plan, const std::function<void(const QString&)>& say,
    const std::stop_token& stop = {}, const std::function<void(const QueuePlace&)>& queue = {});

}  // namespace tutti::launcher
