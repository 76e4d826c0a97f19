// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/host_pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "monitor/engine/host_links.h"

namespace tutti::monitor {

namespace {

/// Less than one message in this time is nothing that goes between two hosts.
constexpr double leastRate = 0.5;
/// So many times as busy has another pair to be to take the place of one that is drawn.
constexpr double toDisplace = 2;

HostPair pairOf(const HostLinkView& link, const QString& here) {
  return hostPair(linkBegin(link), linkEnd(link), here);
}

}  // namespace

HostPair hostPair(const QString& a, const QString& b, const QString& here) {
  if (a == here || (b != here && a < b)) return {a, b};
  return {b, a};
}

QMap<HostPair, double> HostPairs::rates(const Snapshot& snapshot) {
  QMap<HostPair, double> rates;
  const QString& here = snapshot.host.name;
  for (const LinkView& link : snapshot.links) {
    const QString& from = snapshot.federates[link.sender].host;
    const QString& to = snapshot.federates[link.receiver].host;
    if (from != to) rates[hostPair(from, to, here)] += link.perSecond;
  }
  for (const HostLinkView& link : snapshot.neighbourLinks) {
    if (!std::isnan(link.messagesPerSecond)) rates[pairOf(link, here)] = link.messagesPerSecond;
  }
  return rates;
}

QMap<HostPair, double> HostPairs::broken(const Snapshot& snapshot) {
  QMap<HostPair, double> broken;
  for (const HostLinkView& link : snapshot.neighbourLinks) {
    if (isSilent(link)) broken[pairOf(link, snapshot.host.name)] = link.awaySeconds;
  }
  return broken;
}

void HostPairs::look(const Snapshot& snapshot) {
  const QString& here = snapshot.host.name;
  QSet<QString> present;
  QSet<HostPair> pairs;
  for (const HostView& other : snapshot.otherHosts) {
    if (other.reach == HostReach::Ended) continue;
    present << other.name;
    pairs.insert({here, other.name});
  }
  struct Candidate {
    HostPair pair;
    bool broken = false;
    double weight = 0;
  };
  std::vector<Candidate> candidates;
  auto rates = HostPairs::rates(snapshot);
  const auto broken = HostPairs::broken(snapshot);
  for (const HostPair& pair : broken.keys()) rates.insert(pair, rates.value(pair, 0));
  for (auto rate = rates.cbegin(); rate != rates.cend(); ++rate) {
    const HostPair& pair = rate.key();
    if (!present.contains(pair.second)) continue;
    if (pair.first == here) pairs.insert(pair);
    if (pair.first == here || !present.contains(pair.first)) continue;
    const bool known = drawn_.contains(pair);
    if (*rate < leastRate && !known && !broken.contains(pair)) continue;
    candidates.push_back({pair, broken.contains(pair), *rate * (known ? toDisplace : 1)});
  }
  const auto most = static_cast<std::size_t>(mostBetweenOthers);
  const std::size_t drawn = std::min(candidates.size(), most);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& one, const Candidate& other) {
                     return one.broken != other.broken ? one.broken : one.weight > other.weight;
                   });
  for (std::size_t i = 0; i < drawn; ++i) pairs.insert(candidates[i].pair);
  left_ = 0;
  for (std::size_t i = drawn; i < candidates.size(); ++i) {
    if (candidates[i].weight >= leastRate || candidates[i].broken) ++left_;
  }
  drawn_ = std::move(pairs);
}

}  // namespace tutti::monitor
