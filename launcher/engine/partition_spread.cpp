// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/partition_spread.h"

#include <algorithm>
#include <tuple>

namespace tutti::launcher {

namespace {

QString counted(qsizetype number, const QString& what) {
  return QStringLiteral("%1 %2%3").arg(number).arg(what,
                                                   number == 1 ? QString() : QStringLiteral("s"));
}

/// A node that is being filled.
struct Target {
  double cores = 0;
  int federates = 0;
  QStringList sets;
  void put(const NodeFederate& one) {
    cores += one.need.cores;
    ++federates;
    sets += one.apart;
  }
};

}  // namespace

NodeNeed nodeNeedOf(const composer::Federate& federate, const composer::Manifest* manifest) {
  const composer::Resources one = federate.needs(manifest);
  return {one.cores * federate.count, one.memory * federate.count, one.labels};
}

std::vector<NodeFederate> federatesIn(const composer::Composition& composition,
                                      const composer::Catalog& catalog,
                                      const Deployment& deployment, const QString& cluster,
                                      const QString& partition) {
  std::vector<NodeFederate> result;
  for (const auto& [id, federate] : composition.federates) {
    const auto host = deployment.jobNode(federate.host);
    if (!host || !*host) continue;
    const JobNode& node = *(*host)->jobNode;
    if (node.cluster != cluster || node.partition != partition) continue;
    NodeFederate one{
        id, federate.name, {}, federate.apart, federate.pinned, federate.enabled, node.number};
    if (federate.enabled)
      one.need = nodeNeedOf(federate, catalog.find(federate.component, federate.version));
    result.push_back(std::move(one));
  }
  return result;
}

tl::expected<std::map<QString, int>, QString> spreadOver(const std::vector<NodeFederate>& federates,
                                                         int nodes) {
  std::vector<Target> targets(static_cast<std::size_t>(std::max(nodes, 1)));
  std::vector<const NodeFederate*> movable;
  for (const NodeFederate& one : federates) {
    if (!one.pinned)
      movable.push_back(&one);
    else if (one.number <= nodes)
      targets[static_cast<std::size_t>(one.number - 1)].put(one);
    else
      return tl::unexpected(QStringLiteral("%1 is pinned to node %2. Unpin it to use only %3.")
                                .arg(one.name)
                                .arg(one.number)
                                .arg(counted(nodes, QStringLiteral("node"))));
  }
  const auto isEmpty = [](const Target& each) { return each.federates == 0; };
  if (static_cast<std::ptrdiff_t>(movable.size()) <
      std::count_if(targets.begin(), targets.end(), isEmpty))
    return tl::unexpected(
        QStringLiteral("%1 cannot be spread over %2: a node without a federate is not asked for.")
            .arg(counted(static_cast<qsizetype>(movable.size()), QStringLiteral("federate")),
                 counted(nodes, QStringLiteral("node"))));
  // The largest first, each to where there is least; equal ones by id, so that it is the same
  // again.
  std::stable_sort(
      movable.begin(), movable.end(),
      [](const NodeFederate* a, const NodeFederate* b) { return a->need.cores > b->need.cores; });
  std::map<QString, int> numbers;
  auto left = static_cast<std::ptrdiff_t>(movable.size());
  for (const NodeFederate* one : movable) {
    // Those that remain have to fill the empty ones.
    const bool onlyEmpty = left-- <= std::count_if(targets.begin(), targets.end(), isEmpty);
    Target* best = nullptr;
    const auto rank = [&](const Target& each) {
      const bool meets = std::any_of(one->apart.begin(), one->apart.end(),
                                     [&](const QString& set) { return each.sets.contains(set); });
      return std::tuple(onlyEmpty && each.federates > 0, meets, each.cores, each.federates);
    };
    for (Target& each : targets) {
      if (best == nullptr || rank(each) < rank(*best)) best = &each;
    }
    best->put(*one);
    numbers[one->id] = static_cast<int>(best - targets.data()) + 1;
  }
  return numbers;
}

std::vector<NodeNeed> needsOn(const std::vector<NodeFederate>& federates,
                              const std::map<QString, int>& numbers) {
  std::map<int, NodeNeed> nodes;
  for (const NodeFederate& one : federates) {
    if (!one.enabled) continue;
    const auto moved = numbers.find(one.id);
    NodeNeed& there = nodes[moved == numbers.end() ? one.number : moved->second];
    there.cores += one.need.cores;
    there.memoryMb += one.need.memoryMb;
    there.labels += one.need.labels;
  }
  std::vector<NodeNeed> result;
  for (auto& [number, need] : nodes) result.push_back(std::move(need));
  return result;
}

}  // namespace tutti::launcher
