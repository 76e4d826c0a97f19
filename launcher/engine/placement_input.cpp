// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/placement_input.h"

#include <QSet>
#include <algorithm>
#include <utility>

#include "composer/model/data_flow.h"

namespace tutti::launcher {

namespace {

/// What the publisher sends of the class reaches the subscriber; no attributes means all.
bool overlap(const composer::FlowEnd& publisher, const composer::FlowEnd& subscriber) {
  if (publisher.attributes.isEmpty() || subscriber.attributes.isEmpty()) return true;
  return std::any_of(
      publisher.attributes.begin(), publisher.attributes.end(),
      [&](const QString& attribute) { return subscriber.attributes.contains(attribute); });
}

}  // namespace

PlacementInput placementInput(const composer::Composition& composition,
                              const composer::Catalog& catalog, const Deployment& deployment,
                              const PlacementWishes& wishes) {
  PlacementInput input;
  for (const Host& host : deployment.hosts)
    input.hosts.push_back({host.name, host.cores, host.memoryMb, host.labels});
  for (const composer::Federate* federate : composition.inStartOrder()) {
    if (!federate->enabled) continue;
    PlacementFederate one;
    one.name = federate->name;
    const composer::Resources needs =
        federate->needs(catalog.find(federate->component, federate->version));
    one.cores = needs.cores * federate->count;
    one.memoryMb = needs.memory * federate->count;
    one.labels = needs.labels;
    one.hasOwnNeeds = !federate->resources.isEmpty();
    const auto group = composition.groups.find(federate->group);
    if (group != composition.groups.end()) one.group = group->second.name;
    if (const auto pin = wishes.pins.find(federate->name); pin != wishes.pins.end()) {
      one.pin = pin->second;
    } else if (!federate->host.isEmpty()) {
      if (wishes.keep || federate->pinned) {
        // Which node that is Slurm decides: it is none of the hosts.
        if (const auto node = deployment.jobNode(federate->host); node && *node) continue;
        one.pin = federate->host;
      }
    } else if (federate->pinned) {
      const Host* here = deployment.host({});
      if (here == nullptr) continue;
      one.pin = here->name;
    }
    // Names of sets in files and wishes do not meet.
    for (const QString& set : federate->apart) one.apart << QStringLiteral("=") + set;
    for (std::size_t set = 0; set < wishes.apart.size(); ++set) {
      if (wishes.apart[set].contains(federate->name)) one.apart << QString::number(set);
    }
    input.federates.push_back(std::move(one));
  }
  // Kept free, unless somebody has placed a federate there.
  std::erase_if(input.hosts, [&](const PlacementHost& host) {
    return deployment.restartsOnSpare && deployment.host(host.name)->spare &&
           std::none_of(input.federates.begin(), input.federates.end(),
                        [&](const auto& one) { return one.pin == host.name; });
  });
  const auto nameOf = [&](const QString& id) {
    const composer::Federate* federate = composition.find(id);
    return federate ? federate->name : QString{};
  };
  for (const auto& flow : composer::deriveDataFlow(composition, catalog).flows) {
    for (const auto& publisher : flow.publishers) {
      for (const auto& subscriber : flow.subscribers) {
        if (publisher.federate != subscriber.federate && overlap(publisher, subscriber))
          input.exchanges.push_back({nameOf(publisher.federate), nameOf(subscriber.federate),
                                     publisher.rate.value_or(1.0)});
      }
    }
  }
  return input;
}

int useMeasured(PlacementInput& input, const std::vector<Exchange>& measured) {
  QSet<QString> names;
  for (const PlacementFederate& federate : input.federates) names << federate.name;
  const auto pairOf = [](const Exchange& each) {
    return each.one < each.other ? std::pair(each.one, each.other)
                                 : std::pair(each.other, each.one);
  };
  std::map<std::pair<QString, QString>, double> weights;
  for (const Exchange& each : measured) {
    if (each.one != each.other && names.contains(each.one) && names.contains(each.other))
      weights[pairOf(each)] += each.weight;
  }
  std::erase_if(input.exchanges,
                [&](const Exchange& each) { return weights.count(pairOf(each)) > 0; });
  for (const auto& [pair, weight] : weights)
    input.exchanges.push_back({pair.first, pair.second, weight});
  return static_cast<int>(weights.size());
}

}  // namespace tutti::launcher
