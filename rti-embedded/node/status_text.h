// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fabric/link_status.h"
#include "fabric/protocol.h"

namespace tutti::node {

/// What a node says of itself.
struct NodeStatus {
  fabric::StatusReply status;
  std::vector<fabric::LinkStatus> links;
  std::vector<fabric::NeighbourLinkStatus> neighbours{};
};

/// Who is on, for a person: the joined ones, and the last few of those that have left.
std::string statusText(NodeStatus node);

/// The same for programs: {"nodes": [...]}, keys sorted.
std::string statusJson(std::vector<NodeStatus> nodes);

}  // namespace tutti::node
