// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fabric/protocol.h"

namespace tutti::node {

/// Who is on, for a person: the joined ones, and the last few of those that have left.
std::string statusText(fabric::StatusReply status);

/// The same for programs: {"nodes": [...]}, keys sorted.
std::string statusJson(std::vector<fabric::StatusReply> nodes);

}  // namespace tutti::node
