// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/partition_fit.h"

#include <algorithm>
#include <cmath>

namespace tutti::launcher {

namespace {

/// Needs are sums of what manifests say; Slurm gives whole cores.
constexpr double slack = 1e-9;

QString figure(double value) { return QString::number(value, 'g', 4); }

QString counted(std::size_t number) {
  return number == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(number);
}

}  // namespace

NodeNeed offerOf(const Partition& partition) {
  NodeNeed offer;
  bool first = true;
  for (const ClusterNode& node : partition.nodes) {
    offer.cores = std::max(offer.cores, double(node.cores));
    offer.memoryMb = std::max(offer.memoryMb, node.memoryMb);
    if (first)
      offer.labels = node.labels;
    else
      offer.labels.removeIf([&](const QString& label) { return !node.labels.contains(label); });
    first = false;
  }
  return offer;
}

QString whyNotInPartition(const Partition& partition, const std::vector<NodeNeed>& needs) {
  const auto& nodes = partition.nodes;
  if (nodes.empty() || needs.empty()) return {};
  if (needs.size() > nodes.size())
    return QStringLiteral("%1 has %2, and %3 are named. Name fewer, or another partition.")
        .arg(partition.name, counted(nodes.size()))
        .arg(needs.size());
  NodeNeed neediest;
  for (const NodeNeed& each : needs) {
    neediest.cores = std::max(neediest.cores, each.cores);
    neediest.memoryMb = std::max(neediest.memoryMb, each.memoryMb);
    neediest.labels += each.labels;
  }
  neediest.labels.removeDuplicates();
  for (const QString& label : std::as_const(neediest.labels)) {
    const auto having = static_cast<std::size_t>(
        std::count_if(nodes.begin(), nodes.end(),
                      [&](const ClusterNode& node) { return node.labels.contains(label); }));
    if (having == nodes.size()) continue;
    return having == 0
               ? QStringLiteral("No node of %1 has the label %2. Name another partition or a host.")
                     .arg(partition.name, label)
               : QStringLiteral(
                     "The label %1 is needed, %2 of the %3 of %4 have it, and Slurm "
                     "chooses which ones it gives. Name a partition whose nodes all "
                     "have it.")
                     .arg(label)
                     .arg(having)
                     .arg(counted(nodes.size()), partition.name);
  }
  const auto able = static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [&](const ClusterNode& node) {
        return (node.cores == 0 || node.cores + slack >= neediest.cores) &&
               (node.memoryMb == 0 || node.memoryMb + slack >= neediest.memoryMb);
      }));
  if (able >= needs.size()) return {};
  const QString much = neediest.memoryMb > 0
                           ? QStringLiteral("%1 cores and %2 MB")
                                 .arg(figure(neediest.cores))
                                 .arg(std::llround(neediest.memoryMb))
                           : QStringLiteral("%1 cores").arg(figure(neediest.cores));
  return QStringLiteral(
             "%1 are needed on one node, and %2 of %3 has so much. Spread the federates "
             "over more nodes, or name another partition.")
      .arg(much, able == 0 ? QStringLiteral("no node") : QStringLiteral("only ") + counted(able),
           partition.name);
}

}  // namespace tutti::launcher
