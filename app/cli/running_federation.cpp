// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/running_federation.h"

#include <QStringList>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "fabric/layout.h"
#include "launcher/engine/kept_runs.h"
#include "observe/node_client.h"

namespace tutti::app {

namespace {

bool isJoined(const fabric::FederateStatus& federate) {
  return federate.state == static_cast<std::uint32_t>(fabric::FederateState::Joined);
}

}  // namespace

tl::expected<RunningFederation, QString> findFederation(const QString& wanted,
                                                        const QString& designator) {
  std::vector<std::string> nodes = observe::runningNodes();
  if (!designator.isEmpty()) {
    const auto name = observe::nodeNameOf(designator.toStdString());
    if (!name) return tl::unexpected(QString::fromStdString(name.error()));
    nodes = {*name};
  }
  std::vector<RunningFederation> found;
  std::vector<RunningFederation> joined;  // of those, with federates in them
  QStringList names;
  for (const std::string& node : nodes) {
    auto client = observe::NodeClient::connect(node);
    if (!client) {
      if (!designator.isEmpty()) return tl::unexpected(QString::fromStdString(client.error()));
      continue;
    }
    const auto status = client->status();
    if (!status) continue;
    for (const auto& federation : status->federations) {
      const QString name = QString::fromStdString(federation.federation);
      names << QStringLiteral("%1 at shm:%2").arg(name, QString::fromStdString(node));
      if (!wanted.isEmpty() && wanted != name) continue;
      found.push_back({QString::fromStdString(node), name});
      if (std::any_of(federation.federates.begin(), federation.federates.end(), isJoined))
        joined.push_back(found.back());
    }
  }
  if (found.size() == 1) return found.front();
  // One that its last federate has left stays for a while.
  if (joined.size() == 1) return joined.front();
  if (found.empty()) {
    return tl::unexpected(
        names.isEmpty() ? QStringLiteral("No federation runs on this machine. Start one with tutti "
                                         "run, or in the window.")
                        : QStringLiteral("There is no federation \"%1\" here; there are %2.")
                              .arg(wanted, names.join(QStringLiteral(", "))));
  }
  return tl::unexpected(QStringLiteral("Several federations are meant: %1. Name one, and its node "
                                       "with --rti shm:NAME.")
                            .arg(names.join(QStringLiteral(", "))));
}

tl::expected<Target, QString> findTarget(const QString& wanted, const QString& designator) {
  if (designator.isEmpty()) {
    if (auto run = launcher::findGoingRun(wanted))
      return Target{{run->node, run->federation}, std::move(*run)};
  }
  return findFederation(wanted, designator).transform([](RunningFederation&& found) {
    return Target{std::move(found), std::nullopt};
  });
}

}  // namespace tutti::app
