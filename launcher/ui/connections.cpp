// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/connections.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>

#include "launcher/engine/host_check.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

constexpr qsizetype namesShown = 3;

QString tr(const char* text) { return QCoreApplication::translate("Connections", text); }

QString federates(qsizetype number) {
  return theme::formatNoun(number, tr("federate"), tr("federates"));
}

QString listed(const QStringList& names) {
  if (names.size() <= namesShown) return names.join(QStringLiteral(", "));
  return tr("%1 and %2 more")
      .arg(names.mid(0, namesShown).join(QStringLiteral(", ")))
      .arg(names.size() - namesShown);
}

}  // namespace

Connections connectionsOf(const composer::Composition& composition, const HostWatch& watch) {
  Connections result;
  result.architecture = composition.settings.architecture.isEmpty()
                            ? QString::fromLatin1(composer::architectures[0].name)
                            : composition.settings.architecture;
  const bool centralized = result.architecture == QStringLiteral("centralized");
  std::map<QString, QStringList> there;
  std::map<QString, QStringList> required;
  std::map<QString, bool> endsRun;  // also when there is a spare
  qsizetype all = 0;
  for (const auto* federate : composition.inStartOrder()) {
    const HostView* host = watch.find(federate->host);
    if (!federate->enabled || host == nullptr) continue;
    there[host->key] << federate->instanceNames();
    if (federate->required) {
      required[host->key] << federate->name;
      endsRun[host->key] |= federate->restart.when == composer::Restart::When::Never;
    }
    all += federate->count;
  }
  if (all == 0) return result;
  for (const HostView& host : watch.hosts()) {
    if (host.isHere() || there.count(host.key) > 0)
      result.nodes.push_back({host.key, host.name, host.isHere(), there[host.key]});
  }
  const Deployment& deployment = watch.deployment();
  const bool hasSpare =
      std::any_of(watch.hosts().begin(), watch.hosts().end(),
                  [&](const HostView& host) {
                    return deployment.isSpare(host.host) && there.count(host.key) == 0;
                  }) ||
      std::any_of(watch.hosts().begin(), watch.hosts().end(), [&](const HostView& host) {
        const auto* cluster = host.isJobNode() && there.count(host.key) > 0
                                  ? deployment.cluster(host.host.jobNode->cluster)
                                  : nullptr;
        return deployment.restartsOnSpare && cluster != nullptr && cluster->spareNodes > 0;
      });
  const QString port = QString::number(ListenAddress{}.firstPort);
  const auto size = static_cast<int>(result.nodes.size());
  for (int node = 1; node < size; ++node) {
    const auto number = result.nodes[static_cast<std::size_t>(node)].federates.size();
    result.links.push_back({0, node, true,
                            centralized && number > 0
                                ? tr("TCP and UDP %1, and TCP for each federate").arg(port)
                                : tr("TCP and UDP %1").arg(port)});
  }
  for (int one = 1; !centralized && one < size; ++one) {
    for (int other = one + 1; other < size; ++other)
      result.links.push_back({one, other, false, tr("TCP and UDP, free ports")});
  }

  result.singlePoints.push_back(
      {result.nodes.front().name,
       size == 1 ? tr("if it goes, all is gone: nothing runs elsewhere")
                 : tr("if it goes, all %1 lose the RTI: its node coordinates").arg(federates(all)),
       true});
  if (centralized && size > 1)
    result.singlePoints.push_back(
        {tr("the network of this machine"),
         tr("all messages go through it, also those between two federates of another host"), true});
  for (int node = 1; node < size; ++node) {
    const auto& one = result.nodes[static_cast<std::size_t>(node)];
    const QStringList& needed = required[one.key];
    if (hasSpare && !needed.isEmpty() && !endsRun[one.key]) {
      result.singlePoints.push_back(
          {one.name, tr("if it goes, a spare host takes %1").arg(listed(needed)), false});
      continue;
    }
    result.singlePoints.push_back(
        {one.name,
         needed.isEmpty() ? tr("if it goes, %1 end; the others go on").arg(listed(one.federates))
                          : tr("if it goes, the run stops: %1 must not end").arg(listed(needed)),
         !needed.isEmpty()});
  }
  std::stable_sort(result.singlePoints.begin(), result.singlePoints.end(),
                   [](const auto& a, const auto& b) { return a.endsRun > b.endsRun; });
  return result;
}

QStringList Connections::lines() const {
  QStringList result;
  for (const Node& node : nodes)
    result << (node.isHome ? tr("%1: RTI node that coordinates, %2") : tr("%1: RTI node, %2"))
                  .arg(node.name, federates(node.federates.size()));
  for (const Link& link : links)
    result << tr("%1 to %2: %3")
                  .arg(nodes[static_cast<std::size_t>(link.other)].name,
                       nodes[static_cast<std::size_t>(link.one)].name, link.transport);
  for (const SinglePoint& point : singlePoints) result << tr("%1: %2").arg(point.what, point.then);
  return result;
}

}  // namespace tutti::launcher
