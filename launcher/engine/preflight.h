// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "composer/model/catalog.h"
#include "composer/model/checks.h"
#include "composer/model/composition.h"
#include "launcher/engine/launch_plan.h"

namespace tutti::launcher {

/// What a person can do about a check that did not pass.
struct PreflightFix {
  QString label;                      ///< Verb and object: "Disable radar-west".
  std::optional<composer::Fix> edit;  ///< An edit of the composition, one undoable step.
  QString command;                    ///< Else: a shell command to copy.
  /// Else: what the page Deploy does itself: a word with what it acts on, "copy lab1". The words
  /// are copy, elsewhere, ask, settings (of a host; of this machine when none is named), add-host,
  /// add-spare, ask-cluster, allocation (of a cluster), leave, here and show (of a federate's id).
  QString action{};
  friend bool operator==(const PreflightFix&, const PreflightFix&) = default;
};

/// One thing that was looked at before a run.
struct PreflightCheck {
  enum class Level { Passed, Warning, Error };  ///< An error stops the run.
  QString id;  ///< Stable: "executables", "fom", "node", "memory" ...
  Level level = Level::Passed;
  QString title;          ///< "Executables present", "radar 1.4 is missing"; without full stop.
  QString detail;         ///< What was found, with figures; what follows from it.
  QString where;          ///< File, or file:line; may be empty.
  QStringList federates;  ///< Ids of the composition's federates it is about.
  std::vector<PreflightFix> fixes;
  friend bool operator==(const PreflightCheck&, const PreflightCheck&) = default;
};

/// What this machine has, as /proc tells.
struct MachineState {
  int cores = 0;             ///< That this process may use.
  double load = 0;           ///< Runnable processes, mean of the last minute.
  double memoryTotalMb = 0;  ///< MB (10^6 bytes).
  double memoryAvailableMb = 0;
  QString name;  ///< Host name.
  static MachineState now();
};

/// Checks that need the launch plan only: programs and folders present, the node's name free,
/// memory and disk. Blocking for some milliseconds; any thread.
std::vector<PreflightCheck> preflightOfPlan(const LaunchPlan& plan, const MachineState& machine);

/// All checks of a composition, errors first, then warnings, then what passed; `findings` are those
/// of composer::checkComposition. Any thread.
std::vector<PreflightCheck> preflight(const composer::Composition& composition,
                                      const composer::Catalog& catalog,
                                      const std::vector<composer::Finding>& findings,
                                      const LaunchPlan::Options& options,
                                      const MachineState& machine);

/// A port at which these federates (names) are to listen is taken on a host (empty: this machine)
/// by `holder`, "nginx (812)"; empty: it is not known by whom.
PreflightCheck takenPort(const LaunchPlan& plan, quint16 port, const QStringList& federates,
                         const QString& host, const QString& holder);

/// Where tutti-supervisor is missing: what names its folder.
std::vector<PreflightFix> fixesOfMissingSupervisor();

/// True when none is an error.
bool mayRun(const std::vector<PreflightCheck>& checks);

/// True when something accepts on the socket of the RTI node of that name.
bool nodeAnswers(const QString& node);

}  // namespace tutti::launcher
