// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "launcher/engine/hosts.h"

namespace tutti::launcher {

/// What the federates on one named node of a partition need of it together.
struct NodeNeed {
  double cores = 0;
  double memoryMb = 0;
  QStringList labels;
  friend bool operator==(const NodeNeed&, const NodeNeed&) = default;
};

/// Why a partition cannot give these nodes, whatever else runs there; one sentence with what to do;
/// empty when it can, or its nodes are not known. All nodes of a job are asked for alike, with what
/// the neediest needs, and Slurm chooses which ones it gives: so a label that only some nodes have
/// is not enough. Pure.
QString whyNotInPartition(const Partition& partition, const std::vector<NodeNeed>& needs);

/// What every node of a partition has at least, as a host: labels that all of them have, cores and
/// memory of the best one. With no nodes nothing is known.
NodeNeed offerOf(const Partition& partition);

}  // namespace tutti::launcher
