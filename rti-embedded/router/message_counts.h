// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "router/mesh_protocol.h"

namespace tutti::router {

/// How many messages each node is known to have sent to each other one, and since when that is
/// known: so that each is told only what is new to him.
class MessageCounts {
 public:
  void raise(NodeId from, NodeId to, std::uint64_t number);
  void forget(NodeId node);

  /// What has been raised since `told`, of what `concerns(count)`; `told` is then up to date.
  template <class Concerns>
  std::vector<MessageCount> since(std::uint64_t& told, Concerns&& concerns) const {
    std::vector<MessageCount> result;
    if (told == changes_) return result;
    for (const auto& [way, known] : counts_) {
      const MessageCount count{way.first, way.second, known.number};
      if (known.change > told && concerns(count)) result.push_back(count);
    }
    told = changes_;
    return result;
  }

 private:
  struct Known {
    std::uint64_t number = 0;
    std::uint64_t change = 0;
  };
  std::map<std::pair<NodeId, NodeId>, Known> counts_;
  std::uint64_t changes_ = 0;
};

}  // namespace tutti::router
