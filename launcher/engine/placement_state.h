// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <vector>

#include "launcher/engine/placement.h"

namespace tutti::launcher {

inline constexpr int nowhere = -1;  ///< the host of a federate that has none

/// The input of place() with numbers instead of names, in whole thousandths: sums do not depend on
/// their order, so that costs can be compared exactly.
struct PlacementProblem {
  explicit PlacementProblem(const PlacementInput& input);

  struct Neighbour {
    int federate;
    qint64 weight;
  };
  struct Room {
    qint64 total = 0;  ///< 0: not known
    qint64 inUse = 0;  ///< by others
  };

  int federates = 0;
  int hosts = 0;
  std::vector<qint64> cores, memory;               ///< needed, by federate
  std::vector<Room> coresOf, memoryOf;             ///< by host
  std::vector<std::vector<char>> may;              ///< [federate][host]: labels and pin allow it
  std::vector<std::vector<Neighbour>> neighbours;  ///< by federate
  std::vector<std::vector<qint64>> weight;         ///< [federate][federate]
  std::vector<std::vector<int>> rivals;            ///< that it must not share a host with
  std::vector<std::vector<char>> areRivals;        ///< [federate][federate]
  std::vector<int> group;                          ///< by federate; -1: none
  int groups = 0;
};

/// A placement that is changed federate by federate, with its cost.
class PlacementState {
 public:
  explicit PlacementState(const PlacementProblem& problem);

  [[nodiscard]] int hostOf(int federate) const { return host_[at(federate)]; }
  [[nodiscard]] const PlacementCost& cost() const { return cost_; }
  [[nodiscard]] const PlacementProblem& problem() const { return *problem_; }
  /// `federate`, which has no host, can go to `host` beside those that are there.
  [[nodiscard]] bool fits(int federate, int host) const;
  /// Moves `federate` to `host`, where it fits, or nowhere.
  void move(int federate, int host);
  /// What move() would make of the cost.
  [[nodiscard]] PlacementCost costOfMove(int federate, int host) const;
  /// Two federates of different hosts can change places.
  [[nodiscard]] bool canSwap(int one, int other) const;
  [[nodiscard]] PlacementCost costOfSwap(int one, int other) const;
  void swap(int one, int other);

  /// Weight between `federate` and those on `host`.
  [[nodiscard]] qint64 link(int federate, int host) const { return link_[at(federate)][at(host)]; }
  [[nodiscard]] int rivalsOn(int federate, int host) const {
    return rivals_[at(federate)][at(host)];
  }
  /// Thousandths in use on `host`, by others and by what is placed.
  [[nodiscard]] qint64 coresUsed(int host) const { return coresUsed_[at(host)]; }
  [[nodiscard]] qint64 memoryUsed(int host) const { return memoryUsed_[at(host)]; }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  [[nodiscard]] bool hasRoom(int host, qint64 cores, qint64 memory) const;
  [[nodiscard]] qint64 unevenness(int host, qint64 used) const;
  [[nodiscard]] int splitsByMove(int federate, int from, int to) const;
  [[nodiscard]] qint64 linkToAll(int federate) const { return linkToAll_[at(federate)]; }

  const PlacementProblem* problem_;
  std::vector<int> host_;
  std::vector<std::vector<qint64>> link_;
  std::vector<qint64> linkToAll_;  ///< to those on any host
  std::vector<std::vector<int>> rivals_;
  std::vector<std::vector<int>> ofGroup_;  ///< [group][host]: how many are there
  std::vector<int> hostsOfGroup_;
  std::vector<qint64> coresUsed_, memoryUsed_;
  PlacementCost cost_;
};

/// Fills `placement.placed` and `.refused` with the sentences for a finished placement.
void explain(const PlacementInput& input, const PlacementState& state, Placement& placement);

}  // namespace tutti::launcher
