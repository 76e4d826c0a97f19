// SPDX-License-Identifier: Apache-2.0
#include "router/neighbour_figures.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::router {

namespace {

/// No counter of a node that runs for years comes to this; sums of two such still are numbers.
constexpr std::uint64_t mostCounted = std::uint64_t{1} << 56;

bool isPlausible(const NeighbourFigures& one) {
  const auto counts = {one.messagesSent, one.bytesSent, one.datagramMessagesSent,
                       one.datagramBytesSent};
  return one.way <= fabric::NeighbourWay::Broken &&
         std::all_of(counts.begin(), counts.end(),
                     [](std::uint64_t count) { return count <= mostCounted; });
}

}  // namespace

NeighboursTold nextTold(std::vector<NeighbourFigures> all, NodeId& last) {
  std::sort(all.begin(), all.end(),
            [](const auto& one, const auto& other) { return one.node < other.node; });
  const auto next = std::find_if(all.begin(), all.end(),
                                 [&](const NeighbourFigures& one) { return one.node > last; });
  std::rotate(all.begin(), next, all.end());
  if (all.size() > NeighboursTold::mostTold) all.resize(NeighboursTold::mostTold);
  if (!all.empty()) last = all.back().node;
  return {std::move(all)};
}

fabric::NeighbourEnd endOf(const NeighbourFigures& figures, std::chrono::milliseconds age) {
  fabric::NeighbourEnd end;
  end.told = true;
  end.ageMilliseconds = static_cast<std::uint64_t>(age.count());
  end.way = figures.way;
  end.awayMilliseconds = figures.awayMilliseconds;
  end.messagesSent = figures.messagesSent + figures.datagramMessagesSent;
  end.bytesSent = figures.bytesSent + figures.datagramBytesSent;
  end.keptBytes = figures.keptBytes;
  end.keptLimitBytes = figures.keptLimitBytes;
  end.roundTripMicroseconds = figures.roundTripMicroseconds;
  end.datagrams = figures.datagrams;
  end.lossesKnown = figures.lossesKnown;
  end.lost = figures.lost;
  return end;
}

tl::expected<void, std::string> NeighbourTable::take(NodeId from, const NeighboursTold& told,
                                                     const Look& look,
                                                     pipes::Clock::time_point now) {
  if (told.links.size() > NeighboursTold::mostTold) {
    return tl::unexpected("it tells of " + std::to_string(told.links.size()) +
                          " links to others at once");
  }
  std::set<NodeId> named;
  for (const NeighbourFigures& one : told.links) {
    if (one.node == from || look(one.node) == Whose::Never) {
      return tl::unexpected("it tells of a link to node " + std::to_string(one.node) +
                            ", which it cannot have");
    }
    if (!named.insert(one.node).second || !isPlausible(one)) {
      return tl::unexpected("it tells figures of its link to node " + std::to_string(one.node) +
                            " that cannot be");
    }
  }
  for (const NeighbourFigures& one : told.links) {
    if (look(one.node) == Whose::Linked) told_[{from, one.node}] = {one, now};
  }
  return {};
}

void NeighbourTable::ended(NodeId node) {
  std::erase_if(told_, [node](const auto& item) {
    return item.first.first == node || item.first.second == node;
  });
}

std::vector<NeighbourTable::Link> NeighbourTable::links(pipes::Clock::time_point now) const {
  std::map<std::pair<NodeId, NodeId>, Link> byNodes;
  for (const auto& [ends, told] : told_) {
    const auto& [from, to] = ends;
    Link& link = byNodes[std::minmax(from, to)];
    std::tie(link.first, link.second) = std::minmax(from, to);
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::max(now - told.at, pipes::Clock::duration::zero()));
    (from < to ? link.firstEnd : link.secondEnd) = endOf(told.figures, age);
  }
  std::vector<Link> links;
  for (auto& [ends, link] : byNodes) links.push_back(link);
  return links;
}

}  // namespace tutti::router
