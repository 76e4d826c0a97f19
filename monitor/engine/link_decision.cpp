// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/link_decision.h"

#include <cmath>
#include <cstdint>

#include "fabric/printable.h"
#include "monitor/engine/host_links.h"
#include "observe/node_client.h"

namespace tutti::monitor {

namespace {

using observe::NodeClient;

tl::unexpected<QString> failed(const std::string& why) {
  return tl::unexpected(QString::fromStdString(fabric::printable(why)));
}

tl::expected<NodeClient, QString> clientOf(const QString& node) {
  auto client = NodeClient::connect(node.toStdString());
  if (!client) return failed(client.error());
  if (auto greeted = client->hello("operator"); !greeted) return failed(greeted.error());
  return std::move(*client);
}

}  // namespace

tl::expected<std::vector<SuspectLink>, QString> findSuspectLinks(const QString& node,
                                                                 const QString& host) {
  auto client = clientOf(node);
  if (!client) return tl::unexpected(client.error());
  const auto status = client->statusAndLinks();
  if (!status) return failed(status.error());
  QStringList known;
  QString answers;
  std::vector<SuspectLink> result;
  for (const fabric::LinkStatus& each : status->links) {
    HostLinkView view;
    view.peer = QString::fromStdString(fabric::printable(each.peer));
    view.address = QString::fromStdString(each.node);
    view.toHome = each.toHome;
    const QString name = hostBehind(view);
    const QString shown = each.toHome      ? QStringLiteral("home")
                          : name.isEmpty() ? (view.peer.isEmpty() ? view.address : view.peer)
                                           : name;
    known << shown;
    if (host != shown && host != view.peer && host != view.address) continue;
    if (!each.suspect) {
      answers = shown;
      continue;
    }
    SuspectLink link;
    link.host = shown;
    link.address = view.address;
    link.suspicion = each.suspicions;
    link.leftSeconds = static_cast<double>(each.leftMilliseconds) / 1000;
    link.toHome = each.toHome;
    for (const std::string& one : each.federates)
      link.federates << QString::fromStdString(fabric::printable(one));
    result.push_back(std::move(link));
  }
  if (!result.empty()) return result;
  if (!answers.isEmpty())
    return tl::unexpected(
        QStringLiteral("%1 answers: there is nothing to decide about it.").arg(answers));
  return tl::unexpected(
      known.isEmpty()
          ? QStringLiteral("The RTI node '%1' has no links with other hosts.").arg(node)
          : QStringLiteral("The RTI node '%1' has no link with %2. It has links with: %3.")
                .arg(node, host, known.join(QStringLiteral(", "))));
}

tl::expected<LinkDecision, QString> decideLink(const QString& node, const SuspectLink& link,
                                               std::optional<double> seconds) {
  auto client = clientOf(node);
  if (!client) return tl::unexpected(client.error());
  fabric::OperateLinkRequest request;
  request.node = link.address.toStdString();
  request.suspicion = link.suspicion;
  request.giveUp = !seconds;
  request.milliseconds = static_cast<std::uint64_t>(std::llround(seconds.value_or(0) * 1000));
  const auto reply = client->operateLink(request);
  if (!reply) return failed(reply.error());
  return LinkDecision{static_cast<double>(reply->addedMilliseconds) / 1000,
                      static_cast<double>(reply->leftMilliseconds) / 1000};
}

}  // namespace tutti::monitor
