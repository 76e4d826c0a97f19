// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "monitor/engine/sample_source.h"

namespace tutti::monitor {

/// What a person asks of the time of a run.
enum class TimeControl {
  Pause,   ///< nobody is granted any more
  Step,    ///< exactly those grants that are next; a run that goes on is paused
  Resume,  ///< time goes on
};

/// Whether a federate takes part in logical time: regulating, constrained, or one that advances.
bool managesTime(const FederateReading& federate);

/// Whether a federate has asked for a time that the pace does not allow yet.
bool waitsForPace(const Reading& reading, const FederateReading& federate);

/// Up to where grants are let through by a pause: the least logical time of those that take part
/// in time, so that none passes. Nothing when nobody takes part.
std::optional<double> pauseCeiling(const Reading& reading);

/// The next ceiling of a paused run: the least time beyond the present one that somebody waits for
/// (a next message's stamp counts before the time asked for). Nothing when nobody waits.
std::optional<double> stepCeiling(const Reading& reading);

}  // namespace tutti::monitor
