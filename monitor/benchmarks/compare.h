// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "monitor/benchmarks/benchmark.h"

/// Two results of one kind against each other.
///
/// The bare limit that was measured beside each line is the control of the comparison: no change of
/// the RTI can move it. Where it differs between the two results beyond its noise, the machine has
/// changed, and the values of the RTI cannot be compared as they are. The ratio of the RTI to the
/// bare limit can: repeat by repeat both were measured in turn, within seconds of each other. Where
/// the limit has become twice as fast or slow, not even that: what a call of the RTI costs beside
/// the ring does not change in the same proportion.
namespace tutti::bench {

/// What became of one point of one line.
struct Change {
  /// What `difference` is of.
  enum class Basis {
    Value,      ///< the medians of the repeats, in the kind's unit
    Ratio,      ///< how many times the bare limit: less is better
    Limit,      ///< the medians of a bare limit, which is shown and never counted
    NotJudged,  ///< the machine changed too much, or one of the results has no bare limit here
  };
  double at = 0;  ///< on the kind's axis
  QString line;   ///< "best effort", "bare ring", or the RTI's name where it has one line
  Basis basis = Basis::Value;
  bool isControl = false;  ///< of a bare limit that no code of the RTI is in
  Difference difference;
  std::vector<double> before;  ///< of each repeat, what `basis` says
  std::vector<double> after;
  Difference values;  ///< of the medians of the repeats, whatever is judged

  bool isJudged() const { return basis == Basis::Value || basis == Basis::Ratio; }
  /// Judged, and not noise.
  bool isSignificant() const;
  /// Of a control: it differs beyond its noise, so the machine has changed.
  bool hasMoved() const;
};

/// "value", "ratio", "limit", "not judged": in files.
const char* basisName(Change::Basis basis);

struct Comparison {
  /// Of the points that both have, in the order of the result after.
  std::vector<Change> changes;
  bool machineChanged = false;  ///< a control differs beyond its noise
  bool changedTooMuch = false;  ///< and somewhere so far that not even ratios are judged
  /// "2 of 5 changes are significant, all faster.", or first that the machine changed, by how much,
  /// and that ratios are judged; or why nothing can be said.
  QString verdict;
  /// Which of the results was measured beside other work, and beside how much; else empty.
  QString warning;
  /// "Same host, seed and settings." or what differs, and what the bare limit says.
  QString circumstances;
};

/// Both must be of one kind.
Comparison compareResults(const Result& before, const Result& after);

/// In what else the two differ, besides the build that may be the reason to compare: "host",
/// "seed", "settings", "RTI (A and B)", "build type".
QStringList otherDifferences(const Result& before, const Result& after);

}  // namespace tutti::bench
