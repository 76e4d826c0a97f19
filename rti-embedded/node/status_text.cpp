// SPDX-License-Identifier: Apache-2.0
#include "node/status_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "executive/budget.h"
#include "fabric/printable.h"
#include "node/link_status.h"

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

std::string reasons(const fabric::DropStatus& drop) {
  if (drop.lost == 0) return fmt::format("{} found no room", drop.dropped);
  if (drop.dropped == 0) return fmt::format("{} lost between hosts", drop.lost);
  return fmt::format("{} found no room, {} lost between hosts", drop.dropped, drop.lost);
}

/// Names come from federates, object models and other hosts.
void makePrintable(StatusReply& status) {
  const auto escape = [](std::string& name) { name = fabric::printable(name); };
  escape(status.nodeName);
  for (auto& way : status.ways) escape(way.node);
  for (FederationStatus& federation : status.federations) {
    escape(federation.federation);
    escape(federation.timeImplementation);
    for (FederateStatus& federate : federation.federates) {
      escape(federate.name);
      escape(federate.type);
      for (auto& drop : federate.drops) escape(drop.className);
      for (auto& fault : federate.faults) {
        for (std::string* words : {&fault.callback, &fault.type, &fault.text}) escape(*words);
      }
    }
    for (auto& point : federation.synchronizationPoints) escape(point.label);
  }
}

/// Leaves the joined ones and the last few of those that have left; of the others the number.
void keepLatest(FederationStatus& federation) {
  constexpr std::size_t shown = 8;
  auto& federates = federation.federates;
  const auto left =
      std::stable_partition(federates.begin(), federates.end(), [](const FederateStatus& federate) {
        return federate.state == static_cast<std::uint32_t>(FederateState::Joined);
      });
  const auto count = static_cast<std::size_t>(federates.end() - left);
  if (count <= shown) return;
  federates.erase(left, left + static_cast<std::ptrdiff_t>(count - shown));
  federation.leftEarlier += count - shown;
}

void makePrintable(std::vector<fabric::LinkStatus>& links) {
  for (auto& link : links) {
    link.peer = fabric::printable(link.peer);
    for (auto* names : {&link.federates, &link.waiting}) {
      for (std::string& name : *names) name = fabric::printable(name);
    }
  }
}

void makePrintable(std::vector<fabric::NeighbourLinkStatus>& links) {
  for (auto& link : links) {
    for (std::string* name : {&link.peer, &link.otherPeer}) *name = fabric::printable(*name);
  }
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
  if (federation.leftEarlier != 0) {
    fmt::format_to(out, "    and {} more that left earlier\n", federation.leftEarlier);
  }
  for (const FederateStatus& federate : federation.federates) {
    for (const auto& fault : federate.faults) {
      fmt::format_to(out, "    '{}', {} {}: {}{}{}\n", federate.name,
                     fault.callback.empty() ? "callbacks that could not be delivered"
                                            : "exceptions out of its callback " + fault.callback,
                     fault.count > 1 ? fmt::format("(at least {})", fault.count) : "(1)",
                     fault.type, fault.text.empty() ? "" : ": ", fault.text);
    }
    for (const auto& drop : federate.drops) {
      fmt::format_to(out, "    '{}', best effort {} that did not arrive: {}\n", federate.name,
                     drop.className.empty() ? "of other classes"
                     : drop.interaction     ? "interactions " + drop.className
                                            : "updates of " + drop.className,
                     reasons(drop));
    }
  }
  for (const auto& point : federation.synchronizationPoints) {
    fmt::format_to(out, "    synchronization point '{}' waits for {}\n", point.label,
                   fmt::join(point.waitingFor, ", "));
  }
}

std::string listText(const std::vector<std::string>& names) {
  return names.empty() ? "nobody" : fmt::format("{}", fmt::join(names, ", "));
}

void describe(std::string& text, const fabric::LinkStatus& link) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  link to {}{}", link.toHome ? "the home, " : "",
                 linkText(link.peer, link.node));
  if (link.suspect) {
    fmt::format_to(out, " is suspect: nothing acknowledged for {:.1f} s, {} kept\n",
                   static_cast<double>(link.suspectMilliseconds) / 1000,
                   bytesText(link.keptBytes));
    fmt::format_to(out, "    waiting for it: {}\n", listText(link.waiting));
    fmt::format_to(out, "    federates {}: {}\n",
                   link.toHome ? "that depend on it" : "behind it", listText(link.federates));
    fmt::format_to(out, "    in {:.1f} s {}\n",
                   static_cast<double>(link.leftMilliseconds) / 1000,
                   link.federates.empty() ? "it is lost"
                   : link.toHome          ? "they lose their connection"
                                          : "they are resigned");
  } else {
    fmt::format_to(out, " is up, {} federates {}", link.federates.size(),
                   link.toHome ? "depend on it" : "behind it");
    if (link.suspicions != 0) {
      fmt::format_to(out, "; suspect {} times so far, {} new connections", link.suspicions,
                     link.resumptions);
    }
    text += "\n";
    const std::string trip =
        link.roundTripMicroseconds == 0
            ? std::string("not known")
            : fmt::format("{:.2f} ms", static_cast<double>(link.roundTripMicroseconds) / 1000);
    fmt::format_to(out, "    sent {} messages, {}; received {}, {}; {} kept; round trip {}\n",
                   link.messagesSent + link.datagramMessagesSent,
                   bytesText(link.bytesSent + link.datagramBytesSent),
                   link.messagesReceived + link.datagramMessagesReceived,
                   bytesText(link.bytesReceived + link.datagramBytesReceived),
                   bytesText(link.keptBytes), trip);
    if (link.lossesKnown) {
      fmt::format_to(out, "    {} deliveries of best effort lost on it\n", link.lost);
    }
  }
}

const char* wayText(fabric::NeighbourWay way) {
  switch (way) {
    case fabric::NeighbourWay::Straight:
      return "direct";
    case fabric::NeighbourWay::NotYet:
      return "past the home, no direct connection so far";
    case fabric::NeighbourWay::Broken:
      return "past the home, the direct connection is broken";
  }
  return "unknown";
}

const char* wayWord(fabric::NeighbourWay way) {
  switch (way) {
    case fabric::NeighbourWay::Straight:
      return "direct";
    case fabric::NeighbourWay::NotYet:
      return "no connection yet";
    case fabric::NeighbourWay::Broken:
      return "broken";
  }
  return "unknown";
}

/// `from` sends it.
void describe(std::string& text, const fabric::NeighbourEnd& end, const std::string& from) {
  if (!end.told) return;
  constexpr std::uint64_t old = 3000;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "    from {}: {}", from, wayText(end.way));
  if (end.way != fabric::NeighbourWay::Straight) {
    fmt::format_to(out, " for {:.1f} s", static_cast<double>(end.awayMilliseconds) / 1000);
  }
  fmt::format_to(out, ", {} messages, {}, {} kept", end.messagesSent, bytesText(end.bytesSent),
                 bytesText(end.keptBytes));
  if (end.roundTripMicroseconds != 0) {
    fmt::format_to(out, ", round trip {:.2f} ms",
                   static_cast<double>(end.roundTripMicroseconds) / 1000);
  }
  if (end.lossesKnown) fmt::format_to(out, ", {} deliveries of best effort lost", end.lost);
  if (end.ageMilliseconds >= old) {
    fmt::format_to(out, "; as told {:.1f} s ago", static_cast<double>(end.ageMilliseconds) / 1000);
  }
  text += "\n";
}

void describe(std::string& text, const fabric::NeighbourLinkStatus& link) {
  const std::string one = link.node.empty() ? "this node" : linkText(link.peer, link.node);
  const std::string other = linkText(link.otherPeer, link.otherNode);
  text += "  link between " + one + " and " + other + "\n";
  describe(text, link.end, one);
  describe(text, link.otherEnd, other);
}

nlohmann::json neighbourEnd(const std::string& node, const std::string& peer,
                            const fabric::NeighbourEnd& end) {
  nlohmann::json json{{"node", node}, {"peer", peer}, {"told", end.told}};
  if (!end.told) return json;
  const auto known = [](std::uint64_t value) {
    return value != 0 ? nlohmann::json(value) : nlohmann::json();
  };
  json.update({{"ageMilliseconds", end.ageMilliseconds},
               {"way", wayWord(end.way)},
               {"awayMilliseconds", end.awayMilliseconds},
               {"messagesSent", end.messagesSent},
               {"bytesSent", end.bytesSent},
               {"keptBytes", end.keptBytes},
               {"keptLimitBytes", known(end.keptLimitBytes)},
               {"roundTripMicroseconds", known(end.roundTripMicroseconds)},
               {"datagrams", end.datagrams},
               {"lost", end.lossesKnown ? nlohmann::json(end.lost) : nlohmann::json()}});
  return json;
}

}  // namespace

std::string statusText(NodeStatus node) {
  makePrintable(node.status);
  makePrintable(node.links);
  makePrintable(node.neighbours);
  for (FederationStatus& federation : node.status.federations) keepLatest(federation);
  const StatusReply& status = node.status;
  std::string text = fmt::format(
      "RTI node '{}' (process {}): {} connections, {} requests answered, {} of {} used\n",
      status.nodeName, status.pid, status.connections, status.requests,
      bytesText(status.committedBytes), bytesText(status.budgetBytes));
  for (const auto& way : status.ways) {
    text += fmt::format("  best effort to the node at {} goes {}\n", way.node,
                        way.direct ? fmt::format("in datagrams of up to {} bytes{}", way.bytes,
                                                 way.multicast ? ", and by multicast" : "")
                                   : "over TCP: no datagrams get through");
  }
  for (const auto& link : node.links) describe(text, link);
  for (const auto& link : node.neighbours) describe(text, link);
  for (const FederationStatus& federation : status.federations) describe(text, federation);
  if (status.federations.empty()) text += "  no federation execution\n";
  return text;
}

std::string statusJson(std::vector<NodeStatus> nodes) {
  using nlohmann::json;
  json list = json::array();
  for (NodeStatus& node : nodes) {
    StatusReply& status = node.status;
    for (FederationStatus& federation : status.federations) keepLatest(federation);
    json federations = json::array();
    for (const FederationStatus& federation : status.federations) {
      json federates = json::array();
      for (const FederateStatus& federate : federation.federates) {
        json drops = json::array();
        for (const auto& drop : federate.drops) {
          drops.push_back({{"class", drop.className},
                           {"interaction", drop.interaction},
                           {"dropped", drop.dropped},
                           {"lost", drop.lost}});
        }
        json faults = json::array();
        for (const auto& fault : federate.faults) {
          faults.push_back({{"callback", fault.callback},
                            {"type", fault.type},
                            {"text", fault.text},
                            {"count", fault.count}});
        }
        federates.push_back({{"handle", federate.federate},
                             {"name", federate.name},
                             {"type", federate.type},
                             {"pid", federate.pid},
                             {"state", stateText(federate.state)},
                             {"bestEffortDrops", std::move(drops)},
                             {"callbackFaults", std::move(faults)}});
      }
      json points = json::array();
      for (const auto& point : federation.synchronizationPoints) {
        points.push_back({{"label", point.label}, {"waitingFor", point.waitingFor}});
      }
      federations.push_back({{"name", federation.federation},
                             {"timeImplementation", federation.timeImplementation},
                             {"modules", federation.modules},
                             {"federates", std::move(federates)},
                             {"leftEarlier", federation.leftEarlier},
                             {"synchronizationPoints", std::move(points)},
                             {"logNumber", federation.logNumber},
                             {"committedBytes", federation.committedBytes}});
    }
    json ways = json::array();
    for (const auto& way : status.ways) {
      ways.push_back({{"node", way.node},
                      {"datagrams", way.direct},
                      {"multicast", way.multicast},
                      {"datagramBytes", way.bytes}});
    }
    json links = json::array();
    const auto known = [](std::uint64_t value) { return value != 0 ? json(value) : json(); };
    for (const auto& link : node.links) {
      links.push_back({{"node", link.node},
                       {"peer", link.peer},
                       {"toHome", link.toHome},
                       {"state", link.suspect ? "suspect" : "up"},
                       {"suspectMilliseconds", link.suspectMilliseconds},
                       {"graceMilliseconds", link.graceMilliseconds},
                       {"leftMilliseconds", link.leftMilliseconds},
                       {"suspicions", link.suspicions},
                       {"resumptions", link.resumptions},
                       {"keptBytes", link.keptBytes},
                       {"waitedMilliseconds", link.waitedMilliseconds},
                       {"longestWaitMilliseconds", link.longestWaitMilliseconds},
                       {"keptLimitBytes", known(link.keptLimitBytes)},
                       {"port", known(link.listenPort)},
                       {"messagesSent", link.messagesSent},
                       {"messagesReceived", link.messagesReceived},
                       {"bytesSent", link.bytesSent},
                       {"bytesReceived", link.bytesReceived},
                       {"roundTripMicroseconds", known(link.roundTripMicroseconds)},
                       {"datagrams", link.datagrams},
                       {"datagramMessagesSent", link.datagramMessagesSent},
                       {"datagramMessagesReceived", link.datagramMessagesReceived},
                       {"datagramBytesSent", link.datagramBytesSent},
                       {"datagramBytesReceived", link.datagramBytesReceived},
                       {"lost", link.lossesKnown ? json(link.lost) : json()},
                       {"federates", link.federates},
                       {"waiting", link.waiting}});
    }
    json between = json::array();
    for (const auto& link : node.neighbours) {
      between.push_back({{"ends",
                          {neighbourEnd(link.node, link.peer, link.end),
                           neighbourEnd(link.otherNode, link.otherPeer, link.otherEnd)}}});
    }
    list.push_back({{"node", status.nodeName},
                    {"pid", status.pid},
                    {"connections", status.connections},
                    {"requests", status.requests},
                    {"budgetBytes", status.budgetBytes},
                    {"committedBytes", status.committedBytes},
                    {"bestEffortTo", std::move(ways)},
                    {"links", std::move(links)},
                    {"neighbourLinks", std::move(between)},
                    {"federations", std::move(federations)}});
  }
  // Names come from federates: what is no UTF-8 is shown as such.
  // JSON leaves some characters as they are that steer a terminal.
  return fabric::printable(
             json{{"nodes", std::move(list)}}.dump(2, ' ', false, json::error_handler_t::replace),
             fabric::Lines::Kept) +
         "\n";
}

}  // namespace tutti::node
