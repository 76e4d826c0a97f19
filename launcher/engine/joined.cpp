// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/joined.h"

#include <algorithm>
#include <memory>
#include <string>

#include "observe/observer.h"

namespace tutti::launcher {

namespace {

QStringList achievedBy(fabric::FederateNumber federate,
                       const observe::FederationSample& execution) {
  QStringList labels;
  for (const auto* points : {&execution.synchronizationPoints, &execution.synchronized}) {
    for (const auto& point : *points) {
      const auto& achieved = point.achieved;
      if (std::find(achieved.begin(), achieved.end(), federate) != achieved.end())
        labels << QString::fromStdString(point.label);
    }
  }
  return labels;
}

}  // namespace

JoinedSource joinedAtNode(const QString& designator, const QString& federation) {
  struct State {
    std::string designator;
    std::string federation;
    std::optional<observe::Observer> observer;
  };
  auto state = std::make_shared<State>();
  state->designator = designator.toStdString();
  state->federation = federation.toStdString();
  return [state]() -> std::optional<std::vector<JoinedFederate>> {
    if (!state->observer || !state->observer->refresh()) {
      state->observer.reset();
      auto connected = observe::Observer::connect(state->designator, "tutti launcher");
      if (!connected) return {};
      state->observer.emplace(std::move(*connected));
      if (!state->observer->refresh()) return {};
    }
    std::vector<JoinedFederate> result;
    for (const auto& execution : state->observer->sample().federations) {
      if (execution.name != state->federation) continue;
      // One that has already resigned was ready too, if only for a moment.
      for (const auto& one : execution.federates)
        result.push_back({QString::fromStdString(one.name), one.pid,
                          one.state == fabric::FederateState::Joined,
                          achievedBy(one.number, execution)});
    }
    return result;
  };
}

}  // namespace tutti::launcher
