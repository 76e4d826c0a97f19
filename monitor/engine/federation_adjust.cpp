// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/federation_adjust.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>

#include "observe/node_client.h"

namespace tutti::monitor {

namespace {

using observe::NodeClient;
namespace adjustment = fabric::adjustment;

constexpr std::chrono::milliseconds pollInterval{20};
constexpr qsizetype mostNamed = 5;

tl::unexpected<QString> failed(const std::string& why) {
  return tl::unexpected(QString::fromStdString(why));
}

QString named(const QStringList& names) {
  const auto first = names.mid(0, mostNamed).join(QStringLiteral(", "));
  return names.size() <= mostNamed
             ? first
             : QStringLiteral("%1 and %2 more").arg(first).arg(names.size() - mostNamed);
}

tl::expected<NodeClient, QString> greeted(const QString& node) {
  auto client = NodeClient::connect(node.toStdString());
  if (!client) return failed(client.error());
  if (auto hello = client->hello("operator"); !hello) return failed(hello.error());
  return std::move(*client);
}

tl::expected<FederationAdjustments, QString> read(NodeClient& client, const QString& federation) {
  const auto reply = client.adjustments(federation.toStdString());
  if (!reply) return failed(reply.error());
  FederationAdjustments result;
  result.autoProvide = reply->autoProvide;
  for (const fabric::AdjustmentPart& part : reply->federates) {
    const auto isOn = [&](std::uint32_t which) { return (part.on & which) != 0; };
    result.federates.push_back(
        {QString::fromStdString(part.name), isOn(adjustment::conveyRegionDesignatorSets),
         isOn(adjustment::conveyProducingFederate), isOn(adjustment::serviceReporting),
         isOn(adjustment::exceptionReporting), static_cast<int>(part.reportPeriod),
         QString::fromStdString(part.refused)});
  }
  std::sort(result.federates.begin(), result.federates.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return result;
}

fabric::OperateAdjustRequest requestOf(const QString& federation, const QStringList& names,
                                       const Adjustment& wanted) {
  fabric::OperateAdjustRequest request;
  request.federation = federation.toStdString();
  for (const QString& name : names) request.federates.push_back(name.toStdString());
  const auto set = [&](std::uint32_t which, const std::optional<bool>& on) {
    if (!on) return;
    request.which |= which;
    if (*on) request.on |= which;
  };
  set(adjustment::autoProvide, wanted.autoProvide);
  set(adjustment::conveyRegionDesignatorSets, wanted.conveyRegionDesignatorSets);
  set(adjustment::conveyProducingFederate, wanted.conveyProducingFederate);
  set(adjustment::serviceReporting, wanted.serviceReporting);
  set(adjustment::exceptionReporting, wanted.exceptionReporting);
  if (wanted.reportPeriod) request.which |= adjustment::reportPeriod;
  request.reportPeriod = wanted.reportPeriod.value_or(0);
  return request;
}

}  // namespace

bool FederateAdjustments::holds(const Adjustment& wanted) const {
  return conveyRegionDesignatorSets ==
             wanted.conveyRegionDesignatorSets.value_or(conveyRegionDesignatorSets) &&
         conveyProducingFederate ==
             wanted.conveyProducingFederate.value_or(conveyProducingFederate) &&
         serviceReporting == wanted.serviceReporting.value_or(serviceReporting) &&
         exceptionReporting == wanted.exceptionReporting.value_or(exceptionReporting) &&
         reportPeriod == wanted.reportPeriod.value_or(reportPeriod);
}

const FederateAdjustments* FederationAdjustments::find(const QString& name) const {
  const auto found = std::find_if(federates.begin(), federates.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == federates.end() ? nullptr : &*found;
}

QString FederationAdjustments::whyNotAll() const {
  QStringList sentences;
  if (!awaited.isEmpty())
    sentences << QStringLiteral(
                     "Told, and not done yet: %1. A federate does it as soon as it evokes "
                     "callbacks.")
                     .arg(named(awaited));
  for (const QString& name : cannot.mid(0, mostNamed)) {
    const auto* one = find(name);
    sentences << QStringLiteral("%1 cannot: %2").arg(name, one ? one->refused : QString());
  }
  if (cannot.size() > mostNamed)
    sentences << QStringLiteral("%1 more cannot either.").arg(cannot.size() - mostNamed);
  return sentences.join(QLatin1Char(' '));
}

tl::expected<FederationAdjustments, QString> adjustmentsOf(const QString& node,
                                                           const QString& federation) {
  auto client = greeted(node);
  if (!client) return tl::unexpected(client.error());
  return read(*client, federation);
}

tl::expected<FederationAdjustments, QString> operateAdjust(
    const QString& node, const QString& federation, const QStringList& names,
    const Adjustment& wanted, std::chrono::milliseconds patience, const std::stop_token& stop) {
  auto client = greeted(node);
  if (!client) return tl::unexpected(client.error());
  if (const auto told = client->operateAdjust(requestOf(federation, names, wanted)); !told)
    return failed(told.error());
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    auto now = read(*client, federation);
    if (!now) return now;
    for (const FederateAdjustments& one : now->federates) {
      if ((!names.isEmpty() && !names.contains(one.name)) || one.holds(wanted)) continue;
      (one.refused.isEmpty() ? now->awaited : now->cannot) << one.name;
    }
    if (now->awaited.isEmpty() || std::chrono::steady_clock::now() >= end || stop.stop_requested())
      return now;
    std::this_thread::sleep_for(pollInterval);
  }
}

}  // namespace tutti::monitor
