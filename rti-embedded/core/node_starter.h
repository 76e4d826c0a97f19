// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tutti::core {

/// Starts `tutti-rti --daemon --shm NAME [--link HOME]` and waits until it listens. The
/// program is TUTTI_RTI_PROGRAM, else beside this library, else in ../bin of it, else in the PATH.
/// Returns what went wrong and what to do.
std::optional<std::string> startNode(const std::string& name, const std::string& home);

}  // namespace tutti::core
