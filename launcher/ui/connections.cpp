// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/connections.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "composer/model/composition.h"
#include "launcher/engine/connection_plan.h"
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

/// "15164", or "15164 to 15264": the first that is free is taken.
QString portsOf(const ListenAddress& listen) {
  return listen.firstPort == listen.lastPort
             ? QString::number(listen.firstPort)
             : tr("%1 to %2").arg(listen.firstPort).arg(listen.lastPort);
}

}  // namespace

Connections connectionsOf(const std::optional<LaunchPlan>& plan, const QString& architecture,
                          const HostWatch& watch) {
  Connections result;
  result.architecture =
      architecture.isEmpty() ? QString::fromLatin1(composer::architectures[0].name) : architecture;
  if (!plan || plan->federates.empty()) {
    result.whyNone =
        plan ? tr("No federate is to start, so nothing is connected.")
             : tr("Connections appear here when the launch plan can be made. Pre-flight "
                  "says what it lacks.");
    return result;
  }
  auto planned = ConnectionPlan::of(*plan, architecture);
  // In the order of the list of hosts; the home, which is none of them, first.
  std::map<QString, std::size_t> places;
  for (const HostView& host : watch.hosts()) places.emplace(host.key, places.size());
  std::stable_sort(planned.nodes.begin(), planned.nodes.end(),
                   [&](const auto& a, const auto& b) { return places[a.host] < places[b.host]; });
  std::stable_sort(planned.risks.begin(), planned.risks.end(), [&](const auto& a, const auto& b) {
    return std::pair(!a.federate.isEmpty(), places[a.host]) <
           std::pair(!b.federate.isEmpty(), places[b.host]);
  });
  std::map<QString, int> numbers;  // by the node's process
  for (const auto& one : planned.nodes) {
    const HostView* host = watch.find(one.host);
    const QString name = host == nullptr ? one.host : host->name;
    const QString shortName =
        host != nullptr && host->isJobNode() ? tr("Node %1").arg(host->host.jobNode->number) : name;
    const bool isHome = one.process == planned.home;
    Connections::Node node{
        one.host, name, shortName, isHome, isHome ? planned.coordination() : QString(), {}};
    for (const auto& member : planned.federates) {
      if (member.node == one.process) node.federates << member.name;
    }
    numbers[one.process] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(std::move(node));
  }
  const QString home = planned.listen ? portsOf(*planned.listen) : QString();
  std::map<QString, bool> federatesLink;  // those of that node
  for (const auto& member : planned.federates) {
    federatesLink[member.node] |=
        std::any_of(planned.links.begin(), planned.links.end(),
                    [&](const auto& link) { return link.from == member.name; });
  }
  for (const auto& link : planned.links) {
    // Both transports between two nodes are one line, and those of federates are said with it.
    if (link.transport == ConnectionPlan::Transport::Udp || !numbers.contains(link.from)) continue;
    const bool toHome = link.to == planned.home;
    const bool hasUdp =
        std::any_of(planned.links.begin(), planned.links.end(), [&](const auto& other) {
          return other.transport == ConnectionPlan::Transport::Udp && other.from == link.from &&
                 other.to == link.to;
        });
    QString transport = hasUdp ? tr("TCP and UDP") : tr("TCP");
    transport += toHome ? u' ' + home : tr(", free ports");
    if (federatesLink[link.from]) transport += tr(", and TCP for each federate");
    const int from = numbers[link.from];
    const int to = numbers[link.to];
    result.links.push_back({std::min(from, to), std::max(from, to), toHome, transport});
  }

  std::stable_sort(result.links.begin(), result.links.end(), [](const auto& a, const auto& b) {
    return std::tuple(!a.toHome, a.one, a.other) < std::tuple(!b.toHome, b.one, b.other);
  });

  QStringList alone;
  for (const auto& risk : planned.risks) {
    if (risk.federate.isEmpty())
      result.singlePoints.push_back({risk.part, risk.consequence, risk.endsRun});
    else
      alone << risk.federate;
  }
  // One is said as it is; of many each line would say the same.
  if (alone.size() == 1)
    result.singlePoints.push_back({planned.risks.back().part, planned.risks.back().consequence,
                                   planned.risks.back().endsRun});
  else if (!alone.isEmpty())
    result.singlePoints.push_back({tr("each of %1")
                                       .arg(theme::formatNoun(alone.size(), tr("required federate"),
                                                              tr("required federates"))),
                                   tr("The run ends with any of them: %1.").arg(listed(alone)),
                                   true});
  std::stable_sort(result.singlePoints.begin(), result.singlePoints.end(),
                   [](const auto& a, const auto& b) { return a.endsRun > b.endsRun; });
  return result;
}

QStringList Connections::lines() const {
  QStringList result;
  for (const Node& node : nodes)
    result << (node.isHome
                   ? tr("%1: RTI node that coordinates, %2. %3")
                         .arg(node.name, federates(node.federates.size()), node.why)
                   : tr("%1: RTI node, %2").arg(node.name, federates(node.federates.size())));
  for (const Link& link : links)
    result << tr("%1 to %2: %3")
                  .arg(nodes[static_cast<std::size_t>(link.other)].name,
                       nodes[static_cast<std::size_t>(link.one)].name, link.transport);
  for (const SinglePoint& point : singlePoints) result << tr("%1: %2").arg(point.what, point.then);
  return result;
}

}  // namespace tutti::launcher
