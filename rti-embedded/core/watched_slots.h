// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::core {

/// The time slots of a few others as they were last read, for a federate that polls: it sees a
/// change by itself, and nobody has to ring its doorbell. May be looked at without the federate's
/// lock while the arena stays mapped.
struct WatchedSlots {
  static constexpr std::size_t most = 16;

  std::array<const std::atomic<std::uint64_t>*, most> slots;
  std::array<std::uint64_t, most> sequences;
  std::size_t count = 0;

  void add(const std::atomic<std::uint64_t>& slot, std::uint64_t sequence) {
    slots[count] = &slot;
    sequences[count++] = sequence;
  }
  bool hasNews() const {
    for (std::size_t i = 0; i < count; ++i) {
      if (slots[i]->load(std::memory_order_acquire) != sequences[i]) return true;
    }
    return false;
  }
};

}  // namespace tutti::core
