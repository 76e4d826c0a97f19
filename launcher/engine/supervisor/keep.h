// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tutti::launcher {

/// File in a run's folder that is locked while the run is kept without its window.
inline constexpr const char* keptMark = "kept";

/// Name, in the abstract namespace, of the socket at which a kept run takes a client.
std::string keptSocketName(const std::string& run);

}  // namespace tutti::launcher
