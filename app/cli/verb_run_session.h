// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <tl/expected.hpp>

#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"

namespace tutti::app {

/// What the verbs that start a run have in common.
struct RunOptions {
  std::optional<double> seconds;         ///< --duration, instead of the plan's
  bool copy = true;                      ///< not --no-copy: hosts get the files that they lack
  bool table = true;                     ///< not --quiet
  bool record = true;                    ///< not --no-record: the run store keeps a record
  bool keep = false;                     ///< --keep: the run goes on when this process ends unasked
  std::optional<int> saveBeforeLimit{};  ///< --save-before-limit, minutes, instead of the cluster's
  bool continues = false;                ///< --continue, also when the cluster does not say so
  QString restore{};                     ///< --restore: label of a save that the run begins with
  QString rerunOf{};                     ///< the run that is started again
  nlohmann::json more{};                 ///< members of the JSON value besides those of the run

  /// Takes them out of the arguments. The error says which is wrong.
  static tl::expected<RunOptions, QString> take(Invocation& invocation);
};

/// Prepares the hosts, starts the run, shows it until it ends, and says what came of it; the exit
/// code of `tutti run`.
int startRun(Invocation& invocation, RunInput input, const RunOptions& options);

}  // namespace tutti::app
