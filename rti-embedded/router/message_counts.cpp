// SPDX-License-Identifier: Apache-2.0
#include "router/message_counts.h"

namespace tutti::router {

void MessageCounts::raise(NodeId from, NodeId to, std::uint64_t number) {
  Known& known = counts_[{from, to}];
  if (number <= known.number) return;
  known.number = number;
  known.change = ++changes_;
}

void MessageCounts::forget(NodeId node) {
  std::erase_if(counts_, [node](const auto& item) {
    return item.first.first == node || item.first.second == node;
  });
}

}  // namespace tutti::router
