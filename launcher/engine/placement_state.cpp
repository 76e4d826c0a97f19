// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/placement_state.h"

#include <QHash>
#include <algorithm>
#include <cmath>

namespace tutti::launcher {

namespace {

/// In thousandths; what is no sensible number counts as nothing, or as very much.
qint64 thousandths(double value) {
  if (!(value > 0)) return 0;
  return std::llround(std::min(value, 1e9) * 1000);
}

std::size_t index(int number) { return static_cast<std::size_t>(number); }

}  // namespace

PlacementProblem::PlacementProblem(const PlacementInput& input)
    : federates(int(input.federates.size())), hosts(int(input.hosts.size())) {
  const std::size_t count = input.federates.size();
  neighbours.resize(count);
  weight.assign(count, std::vector<qint64>(count));
  rivals.resize(count);
  areRivals.assign(count, std::vector<char>(count));
  QHash<QString, int> numbers;
  QHash<QString, int> groupNumbers;
  QHash<QString, std::vector<int>> sets;
  for (const PlacementHost& host : input.hosts) {
    coresOf.push_back({thousandths(host.cores), thousandths(host.coresInUse)});
    memoryOf.push_back({thousandths(host.memoryMb), thousandths(host.memoryInUseMb)});
  }
  for (int number = 0; number < federates; ++number) {
    const PlacementFederate& federate = input.federates[index(number)];
    numbers.insert(federate.name, number);
    cores.push_back(thousandths(federate.cores));
    memory.push_back(thousandths(federate.memoryMb));
    std::vector<char>& allowed = may.emplace_back();
    for (const PlacementHost& host : input.hosts) {
      const bool labelled =
          std::all_of(federate.labels.begin(), federate.labels.end(),
                      [&](const QString& label) { return host.labels.contains(label); });
      allowed.push_back(labelled && (!federate.pin || *federate.pin == host.name));
    }
    group.push_back(federate.group.isEmpty() ? -1
                    : groupNumbers.contains(federate.group)
                        ? groupNumbers.value(federate.group)
                        : *groupNumbers.insert(federate.group, groups++));
    for (const QString& set : federate.apart) {
      std::vector<int>& members = sets[set];
      if (members.empty() || members.back() != number) members.push_back(number);
    }
  }
  for (const std::vector<int>& members : std::as_const(sets)) {
    for (const int one : members) {
      for (const int other : members) {
        if (one == other || areRivals[index(one)][index(other)]) continue;
        areRivals[index(one)][index(other)] = 1;
        rivals[index(one)].push_back(other);
      }
    }
  }
  for (const Exchange& exchange : input.exchanges) {
    const int one = numbers.value(exchange.one, nowhere);
    const int other = numbers.value(exchange.other, nowhere);
    if (one == nowhere || other == nowhere || one == other) continue;
    weight[index(one)][index(other)] += thousandths(exchange.weight);
    weight[index(other)][index(one)] = weight[index(one)][index(other)];
  }
  for (int one = 0; one < federates; ++one) {
    for (int other = 0; other < federates; ++other) {
      if (const qint64 each = weight[index(one)][index(other)]; each > 0)
        neighbours[index(one)].push_back({other, each});
    }
  }
}

PlacementState::PlacementState(const PlacementProblem& problem)
    : problem_(&problem),
      host_(at(problem.federates), nowhere),
      link_(at(problem.federates), std::vector<qint64>(at(problem.hosts))),
      linkToAll_(at(problem.federates)),
      rivals_(at(problem.federates), std::vector<int>(at(problem.hosts))),
      ofGroup_(at(problem.groups), std::vector<int>(at(problem.hosts))),
      hostsOfGroup_(at(problem.groups)) {
  cost_.refused = problem.federates;
  for (int host = 0; host < problem.hosts; ++host) {
    coresUsed_.push_back(problem.coresOf[at(host)].inUse);
    memoryUsed_.push_back(problem.memoryOf[at(host)].inUse);
    cost_.unevenness += unevenness(host, coresUsed_.back());
  }
}

bool PlacementState::hasRoom(int host, qint64 cores, qint64 memory) const {
  const auto has = [](const PlacementProblem::Room& room, qint64 used, qint64 more) {
    return more <= 0 || room.total == 0 || used + more <= room.total;
  };
  return has(problem_->coresOf[at(host)], coresUsed(host), cores) &&
         has(problem_->memoryOf[at(host)], memoryUsed(host), memory);
}

bool PlacementState::fits(int federate, int host) const {
  return problem_->may[at(federate)][at(host)] && rivalsOn(federate, host) == 0 &&
         hasRoom(host, problem_->cores[at(federate)], problem_->memory[at(federate)]);
}

qint64 PlacementState::unevenness(int host, qint64 used) const {
  // Of a host whose cores are not known little is expected: one.
  constexpr qint64 most = 3'000'000'000;  // its square is a qint64
  const qint64 total = std::max<qint64>(problem_->coresOf[at(host)].total, 1000);
  const qint64 counted = std::min(used, most);
  return counted * counted / total;
}

int PlacementState::splitsByMove(int federate, int from, int to) const {
  const int group = problem_->group[at(federate)];
  if (group < 0) return 0;
  const std::vector<int>& there = ofGroup_[at(group)];
  int before = hostsOfGroup_[at(group)];
  int after = before;
  if (from != nowhere && there[at(from)] == 1) --after;
  if (to != nowhere && there[at(to)] == 0) ++after;
  return std::max(after - 1, 0) - std::max(before - 1, 0);
}

PlacementCost PlacementState::costOfMove(int federate, int host) const {
  const int from = hostOf(federate);
  PlacementCost cost = cost_;
  if (from == host) return cost;
  const qint64 cores = problem_->cores[at(federate)];
  cost.splits += splitsByMove(federate, from, host);
  if (from == nowhere) {
    --cost.refused;
  } else {
    cost.between -= linkToAll(federate) - link(federate, from);
    cost.unevenness +=
        unevenness(from, coresUsed(from) - cores) - unevenness(from, coresUsed(from));
  }
  if (host == nowhere) {
    ++cost.refused;
  } else {
    cost.between += linkToAll(federate) - link(federate, host);
    cost.unevenness +=
        unevenness(host, coresUsed(host) + cores) - unevenness(host, coresUsed(host));
  }
  return cost;
}

void PlacementState::move(int federate, int host) {
  const int from = hostOf(federate);
  if (from == host) return;
  cost_ = costOfMove(federate, host);
  const int group = problem_->group[at(federate)];
  const auto count = [&](int where, int sign) {
    coresUsed_[at(where)] += sign * problem_->cores[at(federate)];
    memoryUsed_[at(where)] += sign * problem_->memory[at(federate)];
    for (const auto& [other, weight] : problem_->neighbours[at(federate)]) {
      link_[at(other)][at(where)] += sign * weight;
      linkToAll_[at(other)] += sign * weight;
    }
    for (const int rival : problem_->rivals[at(federate)]) rivals_[at(rival)][at(where)] += sign;
    if (group < 0) return;
    int& there = ofGroup_[at(group)][at(where)];
    const bool was = there > 0;
    there += sign;
    hostsOfGroup_[at(group)] += int(there > 0) - int(was);
  };
  if (from != nowhere) count(from, -1);
  if (host != nowhere) count(host, 1);
  host_[at(federate)] = host;
}

bool PlacementState::canSwap(int one, int other) const {
  const int hostOfOne = hostOf(one);
  const int hostOfOther = hostOf(other);
  if (hostOfOne == hostOfOther || hostOfOne == nowhere || hostOfOther == nowhere) return false;
  if (!problem_->may[at(one)][at(hostOfOther)] || !problem_->may[at(other)][at(hostOfOne)])
    return false;
  const int each = problem_->areRivals[at(one)][at(other)];
  if (rivalsOn(one, hostOfOther) != each || rivalsOn(other, hostOfOne) != each) return false;
  const qint64 cores = problem_->cores[at(one)] - problem_->cores[at(other)];
  const qint64 memory = problem_->memory[at(one)] - problem_->memory[at(other)];
  return hasRoom(hostOfOther, cores, memory) && hasRoom(hostOfOne, -cores, -memory);
}

PlacementCost PlacementState::costOfSwap(int one, int other) const {
  const int from = hostOf(one);
  const int to = hostOf(other);
  PlacementCost cost = cost_;
  // The weight between the two goes between hosts before and after.
  cost.between += link(one, from) - link(one, to) + link(other, to) - link(other, from) +
                  2 * problem_->weight[at(one)][at(other)];
  if (problem_->group[at(one)] != problem_->group[at(other)])
    cost.splits += splitsByMove(one, from, to) + splitsByMove(other, to, from);
  const qint64 cores = problem_->cores[at(one)] - problem_->cores[at(other)];
  cost.unevenness += unevenness(from, coresUsed(from) - cores) - unevenness(from, coresUsed(from)) +
                     unevenness(to, coresUsed(to) + cores) - unevenness(to, coresUsed(to));
  return cost;
}

void PlacementState::swap(int one, int other) {
  const int from = hostOf(one);
  const int to = hostOf(other);
  move(one, nowhere);
  move(other, from);
  move(one, to);
}

}  // namespace tutti::launcher
