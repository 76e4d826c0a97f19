// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/time_holder.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tutti::monitor {
namespace {

using Advance = TimeReading::Advance;

bool mayBeGrantedEarly(Advance advance) {
  return advance == Advance::NextMessageRequest ||
         advance == Advance::NextMessageRequestAvailable || advance == Advance::FlushQueueRequest;
}

bool isEarlier(const OutputBound& a, const OutputBound& b) {
  return a.time != b.time ? a.time < b.time : (!a.strict && b.strict);
}

/// Whether a message at the bound or later could still have to be delivered before the grant.
bool blocks(const OutputBound& bound, const TimeReading& waiter) {
  const bool available = waiter.advance == Advance::TimeAdvanceRequestAvailable ||
                         waiter.advance == Advance::NextMessageRequestAvailable;
  if (waiter.advance == Advance::FlushQueueRequest) return false;  // granted at once (8.12)
  // The next message comes with its grant, so it need not wait for more than that (8.10, 8.11).
  double wanted = waiter.requestedTime;
  if (mayBeGrantedEarly(waiter.advance) && waiter.leastStamp) {
    wanted = std::min(wanted, *waiter.leastStamp);
  }
  if (bound.time != wanted) return bound.time < wanted;
  return !available && !bound.strict;
}

struct Bounded {
  std::size_t federate = 0;
  OutputBound bound;
};

}  // namespace

std::optional<OutputBound> outputBound(const TimeReading& time, std::optional<double> galt) {
  if (!time.regulating) return std::nullopt;
  OutputBound result;
  if (time.advance == Advance::None) {
    result = {time.logicalTime + time.lookahead, time.exclusive};
    return result;
  }
  double earliest = time.requestedTime;
  if (mayBeGrantedEarly(time.advance)) {
    if (galt) earliest = std::min(earliest, *galt);
    if (time.leastStamp) earliest = std::min(earliest, *time.leastStamp);
    earliest = std::max(earliest, time.logicalTime);
  }
  result.time = earliest + time.lookahead;
  // After TAR or NMR at zero lookahead the next message is strictly later than the grant
  // (8.8, 8.10).
  result.strict = time.lookahead == 0 && (time.advance == Advance::TimeAdvanceRequest ||
                                          time.advance == Advance::NextMessageRequest);
  return result;
}

TimeAnalysis analyseTime(const std::vector<FederateReading>& federates) {
  TimeAnalysis result;
  result.galt.resize(federates.size());

  // The bound of one that may be granted early depends on its own GALT, so on the others' bounds:
  // the greatest fixed point. No bound can fall below the lowest of those that count only what each
  // has asked for, as lookaheads are not negative; so that one stands, and is the others' GALT.
  std::vector<Bounded> settled;
  for (std::size_t i = 0; i < federates.size(); ++i) {
    if (federates[i].membership != Membership::Joined) continue;
    if (const auto bound = outputBound(federates[i].time, std::nullopt)) {
      settled.push_back({i, *bound});
    }
  }
  const auto byBound = [](const Bounded& a, const Bounded& b) {
    return isEarlier(a.bound, b.bound);
  };
  const auto first = std::min_element(settled.begin(), settled.end(), byBound);
  if (first != settled.end()) {
    std::iter_swap(settled.begin(), first);
    const double lowest = settled.front().bound.time;
    for (auto each = settled.begin() + 1; each != settled.end(); ++each) {
      const TimeReading& time = federates[each->federate].time;
      if (time.constrained) each->bound = *outputBound(time, lowest);
    }
    std::sort(settled.begin() + 1, settled.end(), byBound);
  }

  // The lowest bound of all others: the first, or for the first itself the second.
  const auto lowestFor = [&](std::size_t i) -> const Bounded* {
    const std::size_t at = !settled.empty() && settled.front().federate == i ? 1 : 0;
    return at < settled.size() ? &settled[at] : nullptr;
  };
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> cause(federates.size(), none);
  for (std::size_t i = 0; i < federates.size(); ++i) {
    if (federates[i].membership != Membership::Joined) continue;
    const Bounded* lowestOther = lowestFor(i);
    if (lowestOther == nullptr) continue;
    result.galt[i] = lowestOther->bound.time;
    const TimeReading& time = federates[i].time;
    if (time.constrained && time.advance != Advance::None && blocks(lowestOther->bound, time)) {
      cause[i] = lowestOther->federate;
    }
  }

  std::map<std::size_t, Holder> holders;
  for (std::size_t i = 0; i < federates.size(); ++i) {
    if (cause[i] == none) continue;
    std::size_t root = cause[i];
    for (std::size_t steps = 0; cause[root] != none && steps < federates.size(); ++steps) {
      root = cause[root];
    }
    result.waits.push_back({i, cause[i], root});
    if (cause[root] != none) continue;
    Holder& holder = holders[root];
    holder.federate = root;
    holder.grantDue = federates[root].time.advance != Advance::None;
    holder.waiters.push_back(i);
    holder.bound = *outputBound(federates[root].time, result.galt[root]);
  }
  for (auto& entry : holders) result.holders.push_back(std::move(entry.second));
  std::stable_sort(
      result.holders.begin(), result.holders.end(), [](const Holder& a, const Holder& b) {
        if (a.grantDue != b.grantDue) return b.grantDue;
        return a.waiters.size() != b.waiters.size() ? a.waiters.size() > b.waiters.size()
                                                    : isEarlier(a.bound, b.bound);
      });
  return result;
}

}  // namespace tutti::monitor
