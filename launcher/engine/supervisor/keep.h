// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace tutti::launcher {

/// File in a run's folder that is locked while the run goes on without its owner.
inline constexpr const char* keptMark = "kept";

}  // namespace tutti::launcher
