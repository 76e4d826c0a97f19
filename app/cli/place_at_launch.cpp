// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/place_at_launch.h"

#include <QFileInfo>
#include <algorithm>

#include "app/measured_exchanges.h"
#include "launcher/engine/hosts.h"

namespace tutti::app {

using namespace tutti::launcher;

namespace {

constexpr int mostNodes = 100000;

/// The nodes that options and the job around this process mean; nothing: hosts of the file.
tl::expected<std::optional<PlacementNodes>, QString> nodesFor(const PlaceOptions& options,
                                                              const Deployment& deployment) {
  auto inside = options.inThisJob ? nodesOfJob(deployment)
                                  : tl::expected<std::optional<PlacementNodes>, QString>();
  if (!inside) return inside;
  if (*inside && !options.partition.isEmpty())
    return tl::unexpected(QStringLiteral("This is inside the Slurm job %1, whose %2 nodes are the "
                                         "hosts. Leave --partition and --nodes away.")
                              .arg((*inside)->job)
                              .arg((*inside)->nodes));
  if (*inside || options.partition.isEmpty()) return inside;
  return PlacementNodes{options.cluster, options.partition, options.nodes};
}

}  // namespace

tl::expected<std::optional<PlaceOptions>, QString> PlaceOptions::take(Invocation& invocation) {
  const bool place = invocation.takeFlag(QStringLiteral("--place"));
  PlaceOptions options;
  options.declared = invocation.takeFlag(QStringLiteral("--declared"));
  const auto partition = invocation.takeOption(QStringLiteral("--partition"));
  const auto nodes = invocation.takeOption(QStringLiteral("--nodes"));
  if (!place) {
    if (options.declared || partition || nodes)
      return tl::unexpected(
          QStringLiteral("--declared, --partition and --nodes say how to --place: add it"));
    return std::nullopt;
  }
  if (partition) {
    const auto slash = partition->lastIndexOf(u'/');
    options.cluster = partition->left(slash);
    options.partition = partition->mid(slash + 1);
    if (slash < 1 || options.partition.isEmpty())
      return tl::unexpected(QStringLiteral("--partition is CLUSTER/PARTITION"));
  }
  if (nodes) {
    bool isNumber = false;
    options.nodes = nodes->toInt(&isNumber);
    if (!isNumber || options.nodes < 1 || options.nodes > mostNodes)
      return tl::unexpected(QStringLiteral("--nodes is a whole number of at least 1"));
    if (!partition)
      return tl::unexpected(QStringLiteral("--nodes are those of a --partition: name it"));
  }
  return options;
}

nlohmann::json PlacedLaunch::toJson() const {
  return placementJson(found.placement, found.input, measured);
}

void PlacedLaunch::print(QTextStream& out) const {
  printPlacement(out, found.placement, found.input, measured);
}

void PlacedLaunch::record(LaunchPlan& plan) const {
  for (PlannedFederate& one : plan.federates) {
    const auto chosen = found.chosen.find(one.federate);
    if (chosen != found.chosen.end()) one.placedBecause = chosen->second;
  }
}

QString PlacedLaunch::refusals() const {
  QStringList lines;
  for (const RefusedFederate& each : found.placement.refused)
    lines << QStringLiteral("%1 cannot be placed. %2").arg(each.federate, each.reason);
  return lines.join(u'\n');
}

tl::expected<PlacedLaunch, QString> placeAtLaunch(const composer::Composition& composition,
                                                  const composer::Catalog& catalog,
                                                  const QString& file, const QString& hostsFile,
                                                  const PlaceOptions& options) {
  const QString path = QFileInfo(file).absoluteFilePath();
  const QString described = hostsFile.isEmpty() ? hostsFileOf(path) : hostsFile;
  if (described.isEmpty())
    return tl::unexpected(QStringLiteral("--place needs hosts, and there is no *.hosts.json beside "
                                         "%1. Name one with --hosts FILE.")
                              .arg(file));
  auto deployment = Deployment::read(described);
  if (!deployment) return tl::unexpected(deployment.error().message());
  const auto nodes = nodesFor(options, *deployment);
  if (!nodes) return tl::unexpected(nodes.error());
  if (!*nodes && deployment->hosts.empty())
    return tl::unexpected(
        QStringLiteral("%1 describes no hosts. Add some%2.")
            .arg(described, deployment->clusters.empty()
                                ? QString()
                                : QStringLiteral(", or name a partition of its clusters with "
                                                 "--partition CLUSTER/PARTITION")));
  describeThisMachine(*deployment);
  MeasuredExchanges last;
  if (!options.declared) last = lastExchanges(path, composition);
  auto found = placeForLaunch(composition, catalog, *deployment, *nodes, last.exchanges);
  if (!found) return tl::unexpected(found.error());
  PlacedLaunch result;
  result.measured = {last.run, found->measuredPairs};
  result.found = std::move(*found);
  return result;
}

}  // namespace tutti::app
