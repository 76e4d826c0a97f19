// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTextStream>
#include <nlohmann/json.hpp>
#include <optional>
#include <tl/expected.hpp>

#include "app/cli/placement_text.h"
#include "app/cli/verb.h"
#include "launcher/engine/launch_placement.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::app {

/// `--place` of the verbs that make a plan of a composition, with what narrows it down.
struct PlaceOptions {
  bool declared = false;  ///< --declared: not by the rates that a run has measured
  QString cluster{};      ///< of --partition CLUSTER/PARTITION; empty: on hosts
  QString partition{};
  int nodes = 0;  ///< --nodes; 0: as few as all fit on
  /// Inside of a Slurm job its nodes are the hosts, unless the run is to be another job's.
  bool inThisJob = true;

  /// Takes them out of the arguments; nothing: --place is not among them. The error says which is
  /// wrong.
  static tl::expected<std::optional<PlaceOptions>, QString> take(Invocation& invocation);
};

/// How the federates of a composition came to their hosts at a launch.
struct PlacedLaunch {
  launcher::LaunchPlacement found;
  MeasuredRates measured;

  [[nodiscard]] nlohmann::json toJson() const;
  void print(QTextStream& out) const;
  /// Keeps in a plan of the composition why each federate is where it is.
  void record(launcher::LaunchPlan& plan) const;
  /// Each federate that no host takes, with the need that is not met; a line each.
  [[nodiscard]] QString refusals() const;
};

/// Places the federates of the composition in `file` that have no host yet. `hostsFile` is empty:
/// the one beside the composition. With refusals no federate is placed. The error says why there is
/// no placement at all.
tl::expected<PlacedLaunch, QString> placeAtLaunch(const composer::Composition& composition,
                                                  const composer::Catalog& catalog,
                                                  const QString& file, const QString& hostsFile,
                                                  const PlaceOptions& options);

}  // namespace tutti::app
