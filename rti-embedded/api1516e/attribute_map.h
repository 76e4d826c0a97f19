// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/Typedefs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "api1516e/handle_access.h"
#include "api1516e/variable_length_data_access.h"

namespace tutti::api1516e {

// One attribute or parameter of a received message: the value of its handle and where its octets
// are.
struct HandleValue {
  std::uint64_t handle = 0;
  const void* data = nullptr;
  std::size_t size = 0;
};

// Makes the map of a reflectAttributeValues or receiveInteraction callback out of a received
// message (IEEE 1516.1-2010, 6.11 and 6.13) again and again in the same map. The values borrow the
// message's memory; a federate that copies one gets its own octets. When the handles are those of
// the message before, in the same order, nothing is allocated and no tree is touched; otherwise
// nodes are taken from those that earlier maps had.
//
// Not thread-safe: one per ambassador, and per level where callbacks nest.
template <class Map>
class HandleValueMapBuilder {
 public:
  using Handle = typename Map::key_type;

  // The map of the values. It, and the memory the values point to, must stay unchanged until the
  // callback returned. Handles should ascend, as senders write them; other orders work, slower.
  const Map& rebuild(std::span<const HandleValue> values) {
    auto node = map_.begin();
    for (const HandleValue& value : values) {
      if (node == map_.end() || api1516e::value(node->first) != value.handle) {
        return rebuildNodes(values);
      }
      borrow(node->second, value.data, value.size);
      ++node;
    }
    if (node != map_.end()) return rebuildNodes(values);
    return map_;
  }

 private:
  const Map& rebuildNodes(std::span<const HandleValue> values) {
    spare_.reserve(spare_.size() + map_.size());
    while (!map_.empty()) spare_.push_back(map_.extract(map_.begin()));
    for (const HandleValue& value : values) {
      if (spare_.empty()) {
        const Handle handle = makeHandle<Handle>(value.handle);
        borrow(map_.try_emplace(map_.end(), handle)->second, value.data, value.size);
        continue;
      }
      auto node = std::move(spare_.back());
      spare_.pop_back();
      node.key() = makeHandle<Handle>(value.handle);
      borrow(node.mapped(), value.data, value.size);
      const std::size_t before = map_.size();
      const auto place = map_.insert(map_.end(), std::move(node));
      if (map_.size() == before) borrow(place->second, value.data, value.size);
    }
    return map_;
  }

  Map map_;
  std::vector<typename Map::node_type> spare_;
};

using AttributeMapBuilder = HandleValueMapBuilder<rti1516e::AttributeHandleValueMap>;
using ParameterMapBuilder = HandleValueMapBuilder<rti1516e::ParameterHandleValueMap>;

}  // namespace tutti::api1516e
