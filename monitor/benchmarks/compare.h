// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <vector>

#include "monitor/benchmarks/benchmark.h"

/// Two results of one kind against each other.
namespace tutti::bench {

/// What became of one point of one line.
struct Change {
  double at = 0;  ///< on the kind's axis
  QString line;   ///< "best effort", "bare ring", or the RTI's name where it has one line
  Difference difference;
  std::vector<double> before;  ///< medians of the repeats
  std::vector<double> after;
};

/// Of the points that both have, in the order of `after`. Both must be of one kind.
std::vector<Change> changesOf(const Result& before, const Result& after);

/// In what else the two differ, besides the build that may be the reason to compare: "machine",
/// "seed", "settings", "RTI (A and B)", "build type".
QStringList otherDifferences(const Result& before, const Result& after);

/// "2 of 5 changes are real, all faster." or why nothing can be said; empty without changes.
QString headlineOf(const std::vector<Change>& changes, Kind kind);

}  // namespace tutti::bench
