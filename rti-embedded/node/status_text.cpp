// SPDX-License-Identifier: Apache-2.0
#include "node/status_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "executive/budget.h"

namespace tutti::node {

using executive::bytesText;
using fabric::FederateState;
using fabric::FederateStatus;
using fabric::FederationStatus;
using fabric::StatusReply;

namespace {

const char* stateText(std::uint32_t state) {
  switch (static_cast<FederateState>(state)) {
    case FederateState::Free:
      break;
    case FederateState::Joined:
      return "joined";
    case FederateState::Resigned:
      return "resigned";
    case FederateState::Lost:
      return "lost";
  }
  return "unknown";
}

void describe(std::string& text, const FederationStatus& federation) {
  const auto out = std::back_inserter(text);
  const auto joined = std::count_if(
      federation.federates.begin(), federation.federates.end(), [](const FederateStatus& federate) {
        return federate.state == static_cast<std::uint32_t>(FederateState::Joined);
      });
  fmt::format_to(out, "  federation execution '{}': {} joined, {}, log {}, {}\n",
                 federation.federation, joined, federation.timeImplementation, federation.logNumber,
                 bytesText(federation.committedBytes));
  if (!federation.federates.empty()) {
    std::size_t width = 4;
    std::size_t typeWidth = 4;
    for (const FederateStatus& federate : federation.federates) {
      width = std::max(width, federate.name.size());
      typeWidth = std::max(typeWidth, federate.type.size());
    }
    fmt::format_to(out, "    {:>6}  {:<{}}  {:<{}}  {:>8}  {}\n", "handle", "name", width, "type",
                   typeWidth, "process", "state");
    for (const FederateStatus& federate : federation.federates) {
      fmt::format_to(out, "    {:>6}  {:<{}}  {:<{}}  {:>8}  {}\n", federate.federate,
                     federate.name, width, federate.type, typeWidth, federate.pid,
                     stateText(federate.state));
    }
  }
  for (const auto& point : federation.synchronizationPoints) {
    fmt::format_to(out, "    synchronization point '{}' waits for {}\n", point.label,
                   fmt::join(point.waitingFor, ", "));
  }
}

}  // namespace

std::string statusText(const StatusReply& status) {
  std::string text = fmt::format(
      "RTI node '{}' (process {}): {} connections, {} requests answered, {} of {} used\n",
      status.nodeName, status.pid, status.connections, status.requests,
      bytesText(status.committedBytes), bytesText(status.budgetBytes));
  for (const FederationStatus& federation : status.federations) describe(text, federation);
  if (status.federations.empty()) text += "  no federation execution\n";
  return text;
}

std::string statusJson(const std::vector<StatusReply>& nodes) {
  using nlohmann::json;
  json list = json::array();
  for (const StatusReply& status : nodes) {
    json federations = json::array();
    for (const FederationStatus& federation : status.federations) {
      json federates = json::array();
      for (const FederateStatus& federate : federation.federates) {
        federates.push_back({{"handle", federate.federate},
                             {"name", federate.name},
                             {"type", federate.type},
                             {"pid", federate.pid},
                             {"state", stateText(federate.state)}});
      }
      json points = json::array();
      for (const auto& point : federation.synchronizationPoints) {
        points.push_back({{"label", point.label}, {"waitingFor", point.waitingFor}});
      }
      federations.push_back({{"name", federation.federation},
                             {"timeImplementation", federation.timeImplementation},
                             {"modules", federation.modules},
                             {"federates", std::move(federates)},
                             {"synchronizationPoints", std::move(points)},
                             {"logNumber", federation.logNumber},
                             {"committedBytes", federation.committedBytes}});
    }
    list.push_back({{"node", status.nodeName},
                    {"pid", status.pid},
                    {"connections", status.connections},
                    {"requests", status.requests},
                    {"budgetBytes", status.budgetBytes},
                    {"committedBytes", status.committedBytes},
                    {"federations", std::move(federations)}});
  }
  // Names come from federates: what is no UTF-8 is shown as such.
  return json{{"nodes", std::move(list)}}.dump(2, ' ', false, json::error_handler_t::replace) +
         "\n";
}

}  // namespace tutti::node
