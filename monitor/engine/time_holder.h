// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "monitor/engine/sample_source.h"

/// Who holds logical time back: read off the time slots, never asked of a federate.
namespace tutti::monitor {

/// A federate's lower bound on what it may still send, IEEE 1516.1-2010, 8.1.
struct OutputBound {
  double time = 0;
  bool strict = false;  ///< what it sends is strictly later than `time`
};

/// Nothing for a federate that does not regulate. `galt` is what the federate itself waits for; it
/// matters to the three services that may be granted earlier than asked (8.10, 8.11, 8.12).
std::optional<OutputBound> outputBound(const TimeReading& time, std::optional<double> galt);

/// One federate that waits for a grant, and who keeps it waiting.
struct Wait {
  std::size_t waiter = 0;  ///< index into Reading::federates
  std::size_t cause = 0;   ///< the regulating federate whose bound is lowest
  std::size_t root = 0;    ///< where the chain of causes ends: a federate that nobody keeps waiting
};

/// A federate that others wait for, directly or through others, while nobody keeps it waiting: it
/// has not asked to advance, or has and does not take the grant that is due.
struct Holder {
  std::size_t federate = 0;
  /// It has asked. For an instant that is so before each grant; one whose process is stopped, or
  /// that evokes no callbacks, stays so.
  bool grantDue = false;
  std::vector<std::size_t> waiters;  ///< direct and indirect, in order
  OutputBound bound;
};

struct TimeAnalysis {
  std::vector<Wait> waits;
  /// Those that have not asked before those whose grant is due; then most waiters first, then the
  /// lowest bound.
  std::vector<Holder> holders;
  /// Greatest available logical time of each federate; nothing where nobody regulates but itself.
  std::vector<std::optional<double>> galt;
};

/// Only joined federates take part. O(n log n) for n federates that regulate or wait.
TimeAnalysis analyseTime(const std::vector<FederateReading>& federates);

}  // namespace tutti::monitor
