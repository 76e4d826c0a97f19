// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <compare>
#include <optional>
#include <vector>

namespace tutti::launcher {

/// A federate to place, with what it needs of a host.
struct PlacementFederate {
  QString name;                ///< unique among the federates
  double cores = 1;            ///< processor cores, of all its instances together
  double memoryMb = 0;         ///< MB (10^6 bytes); 0: not known, and then not a need
  QStringList labels;          ///< the host must have all of them
  QString group;               ///< preferably on one host with others of the group; empty: none
  std::optional<QString> pin;  ///< the host it must be on
  QStringList apart;           ///< names of sets: no two federates of one set may share a host
  bool hasOwnNeeds = false;    ///< the composition names needs of it; for the sentences
};

/// A host with what it has and what others already use of it.
struct PlacementHost {
  QString name;         ///< unique among the hosts
  int cores = 0;        ///< 0: not known, and then no limit
  double memoryMb = 0;  ///< MB; 0: not known, and then no limit
  QStringList labels;
  double coresInUse = 0;
  double memoryInUseMb = 0;
};

/// What two federates send each other, both ways together.
struct Exchange {
  QString one;
  QString other;
  double weight = 0;  ///< in PlacementInput::weightUnit, to three decimals; up to 10^9
};

struct PlacementInput {
  std::vector<PlacementFederate> federates;
  std::vector<PlacementHost> hosts;
  std::vector<Exchange> exchanges;  ///< several of one pair add up; names of nobody are ignored
  QString weightUnit = QStringLiteral("messages/s");  ///< for the sentences
  int exactSteps = 500'000;  ///< steps that the exact search may take; 0: neighbourhood search only
};

/// What a placement costs, the most important first; less is better.
struct PlacementCost {
  int refused = 0;        ///< federates without a host
  qint64 between = 0;     ///< thousandths of the weight that goes from one host to another
  int splits = 0;         ///< for each group, the hosts it is on beyond the first
  qint64 unevenness = 0;  ///< sum over the hosts of (cores used)^2 / cores, in thousandths
  friend auto operator<=>(const PlacementCost&, const PlacementCost&) = default;
};

/// Where a federate goes, and why.
struct PlacedFederate {
  QString federate;
  QString host;
  QString reason;  ///< one sentence
};

enum class PlacementNeed { Pin, Labels, Apart, Memory, Cores };

/// A federate that no host can take beside the others, and what stands in its way on the host that
/// comes closest.
struct RefusedFederate {
  QString federate;
  PlacementNeed need = PlacementNeed::Cores;  ///< the first one unmet there, in the order above
  QString bestHost;     ///< comes closest; empty when there are no hosts, or the pin names none
  double lacking = 0;   ///< cores, or MB, that it has too few
  QStringList missing;  ///< labels it has not; for Apart: who of the same set is there
  QString reason;       ///< one sentence, with all of this
};

struct Placement {
  std::vector<PlacedFederate> placed;    ///< in the order of the input
  std::vector<RefusedFederate> refused;  ///< in the order of the input
  PlacementCost cost;
  double between = 0;  ///< weight that goes from one host to another, of
  double total = 0;    ///< the weight between all that are placed
  bool exact = false;  ///< proven: no placement costs less

  /// The host of a federate; empty when it was refused.
  [[nodiscard]] QString hostOf(const QString& federate) const;
};

/// A host for each federate: as few refusals as possible, then as little as possible between hosts,
/// then groups together, then the cores of the hosts evenly used. Needs, pins and sets are always
/// respected. The same input gives the same placement. Pure; any thread. Takes some tens of
/// milliseconds for 100 federates on 16 hosts, and the number of steps is bounded for any input.
Placement place(const PlacementInput& input);

}  // namespace tutti::launcher
