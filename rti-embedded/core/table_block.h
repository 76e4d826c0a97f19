// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/connection.h"
#include "core/fault.h"
#include "core/instance_table.h"
#include "fabric/mapping.h"

namespace tutti::core {

inline Allocate memoryOf(Connection& connection) {
  return [&connection](const fabric::AllocateRequest& request) {
    return connection.ask<fabric::AllocateReply>(fabric::Request::Allocate, request);
  };
}

/// Asks for the next, larger block of a table of regions. Throws RTIinternalError when memory is
/// refused.
template <class Block>
std::pair<Block*, fabric::AllocateReply> allocateBlock(const Allocate& memory,
                                                       const fabric::Arena& arena,
                                                       std::uint64_t& nextBytes,
                                                       std::uint64_t atLeast) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 20;
  const auto reply =
      memory(fabric::AllocateRequest{std::max(nextBytes, atLeast), fabric::Purpose::Regions});
  auto* block =
      arena.at(reply.extent, reply.bytes) != nullptr ? arena.as<Block>(reply.extent) : nullptr;
  if (block == nullptr || reply.bytes < atLeast) {
    fail(Fault::RTIinternalError, "The RTI node gave memory outside of the shared memory.");
  }
  nextBytes = std::min(std::max(nextBytes, atLeast) * 2, largest);
  return {block, reply};
}

}  // namespace tutti::core
