// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tutti::node {

/// Logs and saves: $XDG_STATE_HOME/tutti, else the same below ~/.local/state. Without a home it is
/// below $XDG_RUNTIME_DIR, else /tmp/tutti-UID, where that is private to this user, else a new
/// directory in /tmp. The same in every call.
std::filesystem::path stateDirectory();
/// rti-NAME.log in the state directory.
std::filesystem::path logFile(const std::string& nodeName);

/// Of a process that runDetached() has made: a log that has grown past 4 MiB is kept as .1, instead
/// of the one that was, and begun anew.
void renewLongLog(const std::string& nodeName);

/// Runs `body` in a process of its own: own session, nothing inherited but the environment, output
/// to the log of `nodeName`. `body` gets a function to call when it knows how the start went: with
/// "" when the node, this or another of the name, listens, else with what went wrong. Returns the
/// exit code for the calling process once that is known: 0, or 1 with the reason on standard error.
/// Does not return in the new process.
int runDetached(const std::string& nodeName,
                const std::function<int(const std::function<void(const std::string&)>&)>& body);

}  // namespace tutti::node
