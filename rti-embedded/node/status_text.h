// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fabric/protocol.h"

namespace tutti::node {

/// Who is on, for a person.
std::string statusText(fabric::StatusReply status);

/// The same for programs: {"nodes": [...]}, keys sorted.
std::string statusJson(const std::vector<fabric::StatusReply>& nodes);

}  // namespace tutti::node
