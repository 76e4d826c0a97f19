// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

// The socket of a supervisor, at which further clients reach it: an abstract one of the user, so
// that nothing is left of it when the supervisor goes, however it does.

/// Its name, in the abstract namespace.
std::string runSocketName(const std::string& run);

/// Runs of this user that have a supervisor on this host (network namespace), sorted.
std::vector<std::string> runsHere();

/// Listens at an abstract socket; the error is why not.
tl::expected<Descriptor, std::string> listenAt(const std::string& name);

/// Whether a run may be called so: it names a folder.
bool isRunName(const std::string& name);

/// Whether this account listens at the other end of a connected socket: any may listen at any name.
bool isOfThisAccount(int socket);

/// Connects to one of this account; it blocks for 2 s at most.
tl::expected<Descriptor, std::string> connectTo(const std::string& name);

/// Passes lines on between a supervisor's socket and these descriptors until one side ends: for a
/// client at the far end of ssh. Exit codes: 0 the supervisor has ended the connection, 4 there is
/// no such run here; then `out` says so as an event "gone".
int relayTo(const std::string& run, int in, int out);

}  // namespace tutti::launcher
