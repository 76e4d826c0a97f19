// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tutti::launcher {

/// File in a run's folder that is locked while the run goes on without its owner.
inline constexpr const char* keptMark = "kept";

/// Ending of the file beside the log of the first process of a plan, in which its supervisor
/// leaves the end of its part of a run: the events that a client hears that comes last.
inline constexpr const char* endOfRun = ".end";

}  // namespace tutti::launcher
