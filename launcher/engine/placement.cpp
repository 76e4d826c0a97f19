// SPDX-License-Identifier: GPL-3.0-or-later
// Several greedy placements, each improved by moves and swaps in the manner of Kernighan and Lin
// (the best change first, even a bad one; then back to the best state on the way), and last a
// search with branch and bound that proves, for few federates, that nothing is better.
#include "launcher/engine/placement.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "launcher/engine/placement_state.h"

namespace tutti::launcher {

namespace {

/// Changes that the improvement of all starts may look at: some tenths of a second.
constexpr qint64 mostLooks = 20'000'000;
constexpr int starts = 6;
/// Changes after each other that may pass without a better state.
constexpr int patience = 24;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

/// The least useful order for a greedy placement last: what has few hosts to go to, then what is
/// large.
std::vector<int> orderBySize(const PlacementProblem& problem) {
  std::vector<int> order(index(problem.federates));
  std::iota(order.begin(), order.end(), 0);
  const auto hosts = [&](int federate) {
    const auto& may = problem.may[index(federate)];
    return std::count(may.begin(), may.end(), char{1});
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    if (hosts(a) != hosts(b)) return hosts(a) < hosts(b);
    if (problem.cores[index(a)] != problem.cores[index(b)])
      return problem.cores[index(a)] > problem.cores[index(b)];
    return problem.memory[index(a)] > problem.memory[index(b)];
  });
  return order;
}

/// Each federate after one it exchanges much with, from the first of `order` on.
std::vector<int> orderByExchange(const PlacementProblem& problem, const std::vector<int>& order) {
  std::vector<int> result;
  std::vector<qint64> pull(index(problem.federates));
  std::vector<char> taken(index(problem.federates));
  while (result.size() < order.size()) {
    int next = nowhere;
    for (const int each : order) {
      if (taken[index(each)]) continue;
      if (next == nowhere || pull[index(each)] > pull[index(next)]) next = each;
    }
    taken[index(next)] = 1;
    result.push_back(next);
    for (const auto& [other, weight] : problem.neighbours[index(next)])
      pull[index(other)] += weight;
  }
  return result;
}

void placeGreedily(PlacementState& state, const std::vector<int>& order) {
  for (const int federate : order) {
    int best = nowhere;
    PlacementCost bestCost = state.cost();
    for (int host = 0; host < state.problem().hosts; ++host) {
      if (!state.fits(federate, host)) continue;
      const PlacementCost cost = state.costOfMove(federate, host);
      if (cost >= bestCost) continue;
      best = host;
      bestCost = cost;
    }
    state.move(federate, best);
  }
}

/// Makes room for a federate without a host by moving one other elsewhere.
bool makeRoom(PlacementState& state, qint64& looks) {
  const PlacementProblem& problem = state.problem();
  for (int federate = 0; federate < problem.federates; ++federate) {
    if (state.hostOf(federate) != nowhere) continue;
    for (int other = 0; other < problem.federates; ++other) {
      const int host = state.hostOf(other);
      if (host == nowhere || !problem.may[index(federate)][index(host)]) continue;
      if (--looks < 0) return false;
      state.move(other, nowhere);
      const bool fits = state.fits(federate, host);
      if (fits) state.move(federate, host);
      for (int to = 0; fits && to < problem.hosts; ++to) {
        if (to == host || !state.fits(other, to)) continue;
        state.move(other, to);
        return true;
      }
      if (fits) state.move(federate, nowhere);
      state.move(other, host);
    }
  }
  return false;
}

/// A move of `one` to `host`, or a swap with `other`.
struct Change {
  int one = nowhere;
  int host = nowhere;
  int other = nowhere;
  PlacementCost cost;
};

/// The change of federates that are not held that leads to the least cost.
Change bestChange(const PlacementState& state, const std::vector<char>& held, qint64& looks) {
  const PlacementProblem& problem = state.problem();
  Change best;
  const auto consider = [&](const Change& change) {
    if (best.one == nowhere || change.cost < best.cost) best = change;
  };
  for (int one = 0; one < problem.federates; ++one) {
    if (held[index(one)]) continue;
    for (int host = 0; host < problem.hosts; ++host) {
      if (host != state.hostOf(one) && state.fits(one, host))
        consider({one, host, nowhere, state.costOfMove(one, host)});
    }
    for (int other = one + 1; other < problem.federates; ++other) {
      if (!held[index(other)] && state.canSwap(one, other))
        consider({one, nowhere, other, state.costOfSwap(one, other)});
    }
    looks -= problem.hosts + problem.federates - one;
    if (looks < 0) break;
  }
  return best;
}

/// One pass: every federate is changed at most once. True when the state is better than before.
bool improve(PlacementState& state, qint64& looks) {
  PlacementState best = state;
  std::vector<char> held(index(state.problem().federates));
  bool better = false;
  for (int since = 0; since < patience && looks > 0; ++since) {
    const Change change = bestChange(state, held, looks);
    if (change.one == nowhere) break;
    held[index(change.one)] = 1;
    if (change.other == nowhere) {
      state.move(change.one, change.host);
    } else {
      held[index(change.other)] = 1;
      state.swap(change.one, change.other);
    }
    if (state.cost() >= best.cost()) continue;
    best = state;
    better = true;
    since = -1;
  }
  state = best;
  return better;
}

/// Tries all hosts for each federate in turn, and leaves a branch whose cost is not below the best.
class ExactSearch {
 public:
  ExactSearch(const PlacementProblem& problem, PlacementState best, int steps)
      : best_(std::move(best)),
        state_(problem),
        order_(orderByExchange(problem, orderBySize(problem))),
        steps_(steps) {}

  /// True when the search came to its end: best() is then proven.
  bool run() {
    descend(0, 0);
    return steps_ >= 0;
  }
  [[nodiscard]] const PlacementState& best() const { return best_; }

 private:
  /// No cost of `state_` shrinks when a further federate gets a host, but for the refusals that
  /// are counted before all have been tried.
  void descend(std::size_t depth, int refused) {
    if (--steps_ < 0) return;
    PlacementCost bound = state_.cost();
    bound.refused = refused;
    if (bound >= best_.cost()) return;
    if (depth == order_.size()) {
      best_ = state_;
      return;
    }
    const int federate = order_[depth];
    for (int host = 0; host < state_.problem().hosts && steps_ >= 0; ++host) {
      if (!state_.fits(federate, host)) continue;
      state_.move(federate, host);
      descend(depth + 1, refused);
      state_.move(federate, nowhere);
    }
    descend(depth + 1, refused + 1);
  }

  PlacementState best_;
  PlacementState state_;
  std::vector<int> order_;
  int steps_;
};

PlacementState search(const PlacementProblem& problem) {
  qint64 looks = mostLooks;
  std::vector<int> order = orderBySize(problem);
  std::mt19937 random{1};  // the same numbers on every machine, so the same placement
  PlacementState best{problem};
  for (int start = 0; start < starts; ++start) {
    PlacementState state{problem};
    placeGreedily(state, start % 2 == 0 ? orderByExchange(problem, order) : order);
    do {
      while (state.cost().refused > 0 && looks > 0 && makeRoom(state, looks)) {
      }
    } while (looks > 0 && improve(state, looks));
    if (start == 0 || state.cost() < best.cost()) best = state;
    if (start % 2 == 0) continue;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  }
  return best;
}

}  // namespace

QString Placement::hostOf(const QString& federate) const {
  for (const PlacedFederate& each : placed) {
    if (each.federate == federate) return each.host;
  }
  return {};
}

Placement place(const PlacementInput& input) {
  const PlacementProblem problem{input};
  PlacementState state = search(problem);
  Placement placement;
  if (input.exactSteps > 0) {
    ExactSearch exact{problem, state, input.exactSteps};
    placement.exact = exact.run();
    state = exact.best();
  }
  placement.cost = state.cost();
  placement.between = double(state.cost().between) / 1000;
  for (int one = 0; one < problem.federates; ++one) {
    for (const auto& [other, weight] : problem.neighbours[index(one)]) {
      if (other > one && state.hostOf(one) != nowhere && state.hostOf(other) != nowhere)
        placement.total += double(weight) / 1000;
    }
  }
  explain(input, state, placement);
  return placement;
}

}  // namespace tutti::launcher
