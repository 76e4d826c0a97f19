// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/partition_fit.h"
#include "launcher/engine/placement.h"
#include "launcher/engine/placement_input.h"

// Hosts for the federates of a composition that name none, at the moment of a launch.
namespace tutti::launcher {

/// Nodes of one partition as the hosts of a placement. All nodes of a job are asked for alike, and
/// Slurm chooses which ones it gives, so one counts as having what each of that many has.
struct PlacementNodes {
  QString cluster;
  QString partition;
  int nodes = 0;                    ///< 0: as few as all fit on
  std::optional<NodeNeed> of = {};  ///< what each node of a job has; nothing: of `deployment`
  /// The job that a run inside of Slurm has its nodes from; 0: none, nodes are to be asked for.
  qint64 job = 0;
};

/// The nodes of the Slurm job that this process is inside of, as its environment says; nothing:
/// it is inside of none, or `deployment` describes no clusters. The error says why they cannot be
/// hosts.
tl::expected<std::optional<PlacementNodes>, QString> nodesOfJob(const Deployment& deployment);

/// A composition with a host for each enabled federate.
struct LaunchPlacement {
  composer::Composition composition;
  PlacementInput input;
  Placement placement;                ///< of `input`; with refusals `composition` is as it was
  std::map<QString, QString> chosen;  ///< the reason, by id, of each that had no host before
  int measuredPairs = 0;              ///< whose rate is a measured one
};

/// Places the enabled federates that neither name a host nor are pinned; the others stay, also
/// where they are too many, and only count. Hosts are those of `deployment`, or the nodes of a
/// partition. Federates on hosts that are not among these take no part. `measured` counts in place
/// of declared rates. The error says why no placement can be made at all. Pure; any thread.
tl::expected<LaunchPlacement, QString> placeForLaunch(const composer::Composition& composition,
                                                      const composer::Catalog& catalog,
                                                      const Deployment& deployment,
                                                      const std::optional<PlacementNodes>& nodes,
                                                      const std::vector<Exchange>& measured);

}  // namespace tutti::launcher
