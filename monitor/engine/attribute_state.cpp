// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/attribute_state.h"

#include <algorithm>
#include <string>
#include <thread>

#include "observe/node_client.h"

namespace tutti::monitor {

namespace {

using observe::NodeClient;

/// Of the looks whether it is done: most federates evoke callbacks at once, one that hangs for
/// long.
constexpr std::chrono::milliseconds firstInterval{20};
constexpr std::chrono::milliseconds longestInterval{200};

tl::unexpected<QString> failed(const std::string& why) {
  return tl::unexpected(QString::fromStdString(why));
}

/// `place`: where the instance was found, and is now.
tl::expected<AttributeOwner, QString> ownerOf(NodeClient& client, const QString& federation,
                                              const InstanceAttribute& which,
                                              fabric::InstancePlace& place) {
  const auto reply = client.findOwner({federation.toStdString(), which.instance.toStdString(),
                                       which.attribute.toStdString(), place});
  if (!reply) return failed(reply.error());
  place = reply->place;
  return AttributeOwner{reply->isOwned, QString::fromStdString(reply->federate)};
}

/// Why the federate did not do the last thing it was told; empty: it did, or may yet.
tl::expected<QString, QString> refusalOf(NodeClient& client, const QString& federation,
                                         const QString& federate) {
  const auto reply = client.adjustments(federation.toStdString());
  if (!reply) return failed(reply.error());
  const auto one =
      std::find_if(reply->federates.begin(), reply->federates.end(),
                   [&](const auto& part) { return part.name == federate.toStdString(); });
  return one == reply->federates.end() ? QStringLiteral("it has resigned")
                                       : QString::fromStdString(one->refused);
}

}  // namespace

std::optional<InstanceAttribute> InstanceAttribute::parsed(const QString& text) {
  const auto dot = text.lastIndexOf(u'.');
  if (dot <= 0 || dot + 1 == text.size()) return std::nullopt;
  return InstanceAttribute{text.left(dot), text.mid(dot + 1)};
}

QString InstanceAttribute::text() const { return instance + u'.' + attribute; }

QString AttributeOwner::text() const {
  if (!isOwned) return QStringLiteral("nobody");
  return federate.isEmpty() ? QStringLiteral("the RTI") : federate;
}

QString ModifiedAttribute::whyNot(const QString& federate) const {
  if (isDone) return {};
  if (!refused.isEmpty()) return QStringLiteral("%1 cannot: %2").arg(federate, refused);
  return QStringLiteral(
             "%1 has been told, and has not done it yet. It does it as soon as it evokes "
             "callbacks.")
      .arg(federate);
}

tl::expected<ModifiedAttribute, QString> modifyAttributeState(
    const QString& node, const QString& federation, const QString& federate,
    const InstanceAttribute& which, bool owned, std::chrono::milliseconds patience,
    const std::stop_token& stop) {
  auto client = NodeClient::connect(node.toStdString());
  if (!client) return failed(client.error());
  if (auto hello = client->hello("operator"); !hello) return failed(hello.error());
  fabric::InstancePlace place;
  const auto before = ownerOf(*client, federation, which, place);
  if (!before) return tl::unexpected(before.error());
  ModifiedAttribute result;
  result.before = *before;
  if (const auto told = client->modifyAttributeState(
          {federation.toStdString(), federate.toStdString(), which.instance.toStdString(),
           which.attribute.toStdString(), owned, place});
      !told)
    return failed(told.error());
  const auto end = std::chrono::steady_clock::now() + patience;
  for (auto interval = firstInterval;; interval = std::min(2 * interval, longestInterval)) {
    // In this order: what it says of itself is older than who owns it then.
    const auto refused = refusalOf(*client, federation, federate);
    if (!refused) return tl::unexpected(refused.error());
    const auto now = ownerOf(*client, federation, which, place);
    if (!now) return tl::unexpected(now.error());
    result.now = *now;
    result.isDone = (now->isOwned && now->federate == federate) == owned;
    result.refused = result.isDone ? QString() : *refused;
    if (result.isDone || !refused->isEmpty() || std::chrono::steady_clock::now() >= end ||
        stop.stop_requested())
      return result;
    std::this_thread::sleep_for(interval);
  }
}

}  // namespace tutti::monitor
