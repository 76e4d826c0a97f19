// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/launch_placement.h"

#include <QRegularExpression>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "launcher/engine/partition_spread.h"
#include "launcher/engine/slurm.h"

namespace tutti::launcher {

namespace {

/// MiB, which Slurm counts in, as MB.
constexpr double megabytesOfMebibyte = 1.048576;

QString counted(qsizetype number, const QString& what) {
  return QStringLiteral("%1 %2%3").arg(number).arg(what,
                                                   number == 1 ? QString() : QStringLiteral("s"));
}

QString nodeName(const PlacementNodes& nodes, int number) {
  return QStringLiteral("%1/%2/%3").arg(nodes.cluster, nodes.partition).arg(number);
}

/// The fewest of "4(x2),2": what each node of the job has; 0: not known.
int coresOfEach(const QString& list) {
  static const QRegularExpression part{QStringLiteral("^([0-9]+)(\\(x[0-9]+\\))?$")};
  int fewest = 0;
  for (const QString& each : list.split(u',', Qt::SkipEmptyParts)) {
    const auto match = part.match(each);
    if (!match.hasMatch()) return 0;
    const int cores = match.captured(1).toInt();
    fewest = fewest == 0 ? cores : std::min(fewest, cores);
  }
  return fewest;
}

const Partition* partitionOf(const Deployment& deployment, const PlacementNodes& nodes) {
  const Cluster* cluster = deployment.cluster(nodes.cluster);
  if (cluster == nullptr) return nullptr;
  for (const Partition& each : cluster->partitions) {
    if (each.name == nodes.partition) return &each;
  }
  return nullptr;
}

/// What each of so many nodes of the partition has, whichever Slurm gives: the labels of all, and
/// amounts that so many have.
NodeNeed offerOf(const Partition& partition, int nodes) {
  NodeNeed offer = launcher::offerOf(partition);
  if (nodes < 1 || nodes > int(partition.nodes.size())) return offer;
  const auto amongBest = [&](const auto& amount) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    std::vector<double> amounts;
    for (const ClusterNode& node : partition.nodes)
      amounts.push_back(amount(node) > 0 ? double(amount(node)) : unknown);
    std::sort(amounts.begin(), amounts.end(), std::greater<>());
    const double least = amounts[static_cast<std::size_t>(nodes - 1)];
    return least == unknown ? 0 : least;
  };
  offer.cores = amongBest([](const ClusterNode& node) { return node.cores; });
  offer.memoryMb = amongBest([](const ClusterNode& node) { return node.memoryMb; });
  return offer;
}

/// `count` nodes of the partition as hosts.
Deployment asHosts(const PlacementNodes& nodes, int count, const NodeNeed& each) {
  Deployment result;
  for (int number = 1; number <= count; ++number) {
    Host host;
    host.name = nodeName(nodes, number);
    JobNode& node = host.jobNode.emplace();
    node.cluster = nodes.cluster;
    node.partition = nodes.partition;
    node.number = number;
    host.cores = int(std::floor(each.cores));
    host.memoryMb = each.memoryMb;
    host.labels = each.labels;
    result.hosts.push_back(std::move(host));
  }
  return result;
}

bool isKept(const composer::Federate& federate) {
  return !federate.host.isEmpty() || federate.pinned;
}

/// Who stays where it is is never refused: what it needs is in use there.
void keep(PlacementInput& input, const QSet<QString>& kept) {
  std::map<QString, QSet<QString>> setsOn;
  for (PlacementFederate& one : input.federates) {
    if (!one.pin || !kept.contains(one.name)) continue;
    const auto host =
        std::find_if(input.hosts.begin(), input.hosts.end(),
                     [&](const PlacementHost& each) { return each.name == *one.pin; });
    if (host == input.hosts.end()) continue;
    host->coresInUse += one.cores;
    host->memoryInUseMb += one.memoryMb;
    one.cores = 0;
    one.memoryMb = 0;
    one.labels.clear();
    QSet<QString>& sets = setsOn[host->name];
    one.apart.removeIf([&](const QString& set) { return sets.contains(set); });
    sets += QSet<QString>(one.apart.begin(), one.apart.end());
  }
}

class Placer {
 public:
  Placer(const composer::Composition& composition, const composer::Catalog& catalog,
         const std::vector<Exchange>& measured)
      : composition_(composition), catalog_(catalog), measured_(measured) {}

  [[nodiscard]] LaunchPlacement on(const Deployment& hosts) const {
    composer::Composition part = composition_;
    QSet<QString> kept;
    QSet<QString> fixed;
    for (auto& [id, federate] : part.federates) {
      // Where it is nothing is chosen: the plan says what is wrong with the name of a host.
      if (!federate.host.isEmpty() && hosts.host(federate.host) == nullptr)
        federate.enabled = false;
      if (!federate.enabled || !isKept(federate)) continue;
      kept << federate.name;
      if (!federate.pinned) fixed << federate.name;
    }
    PlacementWishes wishes;
    wishes.keep = true;
    LaunchPlacement result;
    result.composition = composition_;
    result.input = placementInput(part, catalog_, hosts, wishes);
    keep(result.input, kept);
    result.measuredPairs = useMeasured(result.input, measured_);
    result.placement = place(result.input);
    for (PlacedFederate& each : result.placement.placed) {
      if (fixed.contains(each.federate))
        each.reason = QStringLiteral("The composition places it there.");
    }
    if (!result.placement.refused.empty()) return result;
    for (const PlacedFederate& each : result.placement.placed) {
      if (kept.contains(each.federate)) continue;
      const Host* host = hosts.host(each.host);
      const QString id = composition_.findByName(each.federate)->id;
      result.composition.federates.at(id).host = host->isThisMachine() ? QString() : host->name;
      result.chosen[id] = each.reason;
    }
    return result;
  }

 private:
  const composer::Composition& composition_;
  const composer::Catalog& catalog_;
  const std::vector<Exchange>& measured_;
};

/// The numbers of nodes of the partition that are tried: from what is placed there, and what all
/// need, up to what can be had.
struct Range {
  int from = 1;
  int to = 1;
};

tl::expected<Range, QString> rangeOf(const composer::Composition& composition,
                                     const composer::Catalog& catalog, const Deployment& deployment,
                                     const PlacementNodes& nodes) {
  const QString where = nodes.cluster + u'/' + nodes.partition;
  int named = 0;
  int federates = 0;
  QString last;
  for (const auto& [id, federate] : composition.federates) {
    if (!federate.enabled) continue;
    federates += isKept(federate) ? 0 : 1;
    const auto host = deployment.jobNode(federate.host);
    if (!host || !*host) continue;
    const JobNode& node = *(*host)->jobNode;
    if (node.cluster != nodes.cluster || node.partition != nodes.partition || node.number <= named)
      continue;
    named = node.number;
    last = federate.name;
  }
  if (nodes.nodes > 0 && named > nodes.nodes)
    return tl::unexpected(
        QStringLiteral("%1 is placed on node %2 of %3, and there are %4. Ask for more, or place it "
                       "on another one.")
            .arg(last)
            .arg(named)
            .arg(where, counted(nodes.nodes, QStringLiteral("node"))));
  const Partition* partition = partitionOf(deployment, nodes);
  const int known = partition == nullptr ? 0 : int(partition->nodes.size());
  if (nodes.job == 0 && known > 0 && std::max(nodes.nodes, named) > known)
    return tl::unexpected(QStringLiteral("%1 has %2, and %3 are asked for. Ask for fewer, or name "
                                         "another partition.")
                              .arg(where, counted(known, QStringLiteral("node")))
                              .arg(std::max(nodes.nodes, named)));
  if (nodes.nodes > 0) return Range{nodes.nodes, nodes.nodes};
  const int most = std::max(named + federates, 1);
  Range range{std::max(named, 1), known > 0 ? std::min(known, most) : most};
  // What cannot be enough need not be tried.
  double cores = 0;
  for (const auto& [id, federate] : composition.federates) {
    if (federate.enabled && !isKept(federate))
      cores += nodeNeedOf(federate, catalog.find(federate.component, federate.version)).cores;
  }
  const double best = partition == nullptr ? 0 : launcher::offerOf(*partition).cores;
  if (best > 0)
    range.from =
        int(std::clamp(std::ceil(cores / best - 1e-9), double(range.from), double(range.to)));
  return range;
}

}  // namespace

tl::expected<std::optional<PlacementNodes>, QString> nodesOfJob(const Deployment& deployment) {
  const qint64 job = qEnvironmentVariable("SLURM_JOB_ID").toLongLong();
  if (job <= 0 || deployment.clusters.empty()) return std::nullopt;
  PlacementNodes nodes;
  nodes.job = job;
  nodes.partition = qEnvironmentVariable("SLURM_JOB_PARTITION");
  nodes.cluster = qEnvironmentVariable("SLURM_CLUSTER_NAME");
  if (deployment.cluster(nodes.cluster) == nullptr && deployment.clusters.size() == 1)
    nodes.cluster = deployment.clusters.front().name;
  if (const auto known = deployment.jobNode(nodeName(nodes, 1)); !known || !*known)
    return tl::unexpected(
        known ? (*known).error().message()
              : QStringLiteral("This is inside the Slurm job %1 of the cluster \"%2\", which %3 "
                               "does not describe. Add it there: tutti hosts import --sinfo.")
                    .arg(job)
                    .arg(nodes.cluster, deployment.file));
  const QStringList names = nodesOfList(qEnvironmentVariable("SLURM_JOB_NODELIST"));
  if (names.isEmpty())
    return tl::unexpected(QStringLiteral("This is inside the Slurm job %1, and SLURM_JOB_NODELIST "
                                         "names no nodes of it.")
                              .arg(job));
  nodes.nodes = int(names.size());
  NodeNeed each;
  each.cores = coresOfEach(qEnvironmentVariable("SLURM_JOB_CPUS_PER_NODE"));
  each.memoryMb = qEnvironmentVariable("SLURM_MEM_PER_NODE").toDouble() * megabytesOfMebibyte;
  // Labels are those that the hosts file knows of all of them.
  std::map<QString, QStringList> labels;
  if (const Partition* partition = partitionOf(deployment, nodes)) {
    for (const ClusterNode& node : partition->nodes) labels[node.name] = node.labels;
  }
  each.labels = labels[names.front()];
  for (const QString& name : names)
    each.labels.removeIf([&](const QString& label) { return !labels[name].contains(label); });
  nodes.of = each;
  return nodes;
}

tl::expected<LaunchPlacement, QString> placeForLaunch(const composer::Composition& composition,
                                                      const composer::Catalog& catalog,
                                                      const Deployment& deployment,
                                                      const std::optional<PlacementNodes>& nodes,
                                                      const std::vector<Exchange>& measured) {
  // The placement names federates by their names.
  std::set<QString> names;
  for (const auto& [id, federate] : composition.federates) {
    if (federate.enabled && !names.insert(federate.name).second)
      return tl::unexpected(
          QStringLiteral("Two federates are called \"%1\". Rename one.").arg(federate.name));
  }
  const Placer placer(composition, catalog, measured);
  if (!nodes) return placer.on(deployment);

  const QString first = nodeName(*nodes, 1);
  if (const auto known = deployment.jobNode(first); !known || !*known)
    return tl::unexpected(known ? (*known).error().message()
                                : QStringLiteral("%1 describes no cluster \"%2\".")
                                      .arg(deployment.file, nodes->cluster));
  const auto range = rangeOf(composition, catalog, deployment, *nodes);
  if (!range) return tl::unexpected(range.error());
  const Partition* partition = partitionOf(deployment, *nodes);
  LaunchPlacement result;
  for (int count = range->from; count <= range->to; ++count) {
    const NodeNeed each = nodes->of              ? *nodes->of
                          : partition == nullptr ? NodeNeed{}
                                                 : offerOf(*partition, count);
    result = placer.on(asHosts(*nodes, count, each));
    if (result.placement.refused.empty()) break;
  }
  if (partition != nullptr && nodes->job == 0 && result.placement.refused.empty()) {
    const auto there =
        federatesIn(result.composition, catalog, deployment, nodes->cluster, nodes->partition);
    if (const QString why = whyNotInPartition(*partition, needsOn(there, {})); !why.isEmpty())
      return tl::unexpected(why);
  }
  return result;
}

}  // namespace tutti::launcher
