// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/partition_fit.h"

// Federates on the numbered nodes of one partition, spread over more or fewer of them.
namespace tutti::launcher {

/// A federate on a node of the partition, with what all its instances need.
struct NodeFederate {
  QString id;
  QString name;
  NodeNeed need;      ///< nothing when it is disabled
  QStringList apart;  ///< sets of which no two shall share a node
  bool pinned = false;
  bool enabled = true;
  int number = 1;  ///< of its node now
};

/// What all instances of a federate need of their node; null: its component is not known, which
/// counts as 1 core.
NodeNeed nodeNeedOf(const composer::Federate& federate, const composer::Manifest* manifest);
/// The composition's federates on nodes of a partition, by id.
std::vector<NodeFederate> federatesIn(const composer::Composition& composition,
                                      const composer::Catalog& catalog,
                                      const Deployment& deployment, const QString& cluster,
                                      const QString& partition);
/// Number of its node by federate: evenly by the cores they need; those that are to be kept apart
/// stay apart where that is possible, and pinned ones stay. The error says why not, one sentence.
/// Pure.
tl::expected<std::map<QString, int>, QString> spreadOver(const std::vector<NodeFederate>& federates,
                                                         int nodes);
/// What the enabled ones need on each node that one of them is on, by number.
std::vector<NodeNeed> needsOn(const std::vector<NodeFederate>& federates,
                              const std::map<QString, int>& numbers);

}  // namespace tutti::launcher
