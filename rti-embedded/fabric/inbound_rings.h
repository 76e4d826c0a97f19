// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "fabric/layout.h"
#include "fabric/mapping.h"

/// The rings into a federate, as others than their writers and their reader look at them. All of it
/// lies in memory that others may write: no walk is longer than there could be steps.
namespace tutti::fabric {

/// Rings that lead from one to the next while a receiver does not read: all but the first few are
/// larger than 1 MiB.
inline constexpr int longestChain = 1 << 16;

/// The ring that the writer of `ring` writes to by now; null when the chain of its successors has
/// no end, which somebody has written wrongly.
inline const RingHeader* lastOfChain(const Arena& arena, const RingHeader& ring) {
  const RingHeader* last = &ring;
  for (int rings = 0; rings < longestChain; ++rings) {
    const auto* next = arena.as<RingHeader>(last->successor.load(std::memory_order_acquire));
    if (next == nullptr) return last;
    last = next;
  }
  return nullptr;
}

/// Calls `visit(sender, sent, taken)` for each ring into a federate: messages in timestamp order
/// that its sender has written to it and its rings so far, and that the reader has taken. Where
/// that cannot be known, one more is sent than taken. Ends when `visit` returns true, and returns
/// that.
template <class Visit>
bool anyInbound(const Arena& arena, const FederateBlock& block, Visit&& visit) {
  const InboundBlock* inbound = &block.inbound;
  std::size_t left = arena.whole().size() / sizeof(InboundBlock);
  while (inbound != nullptr && left-- != 0) {
    for (const InboundEntry& entry : inbound->entries) {
      const FederateNumber sender = entry.sender.load(std::memory_order_acquire);
      if (sender == 0) continue;
      const auto* read = arena.as<RingHeader>(entry.ring.load(std::memory_order_acquire));
      if (read == nullptr) continue;
      const RingHeader* written = lastOfChain(arena, *read);
      // In this order: what is sent before may be taken meanwhile, not the other way round.
      const std::uint64_t sent =
          written != nullptr ? written->timestampedSent.load(std::memory_order_acquire) : 0;
      const std::uint64_t taken = read->timestampedTaken.load(std::memory_order_acquire);
      if (visit(sender, written != nullptr ? sent : taken + 1, taken)) return true;
    }
    inbound = arena.as<InboundBlock>(inbound->next.load(std::memory_order_acquire));
  }
  return false;
}

/// Calls `visit(sender, messages)` for each ring into a federate: messages of any order that its
/// sender has written to it and its rings so far. Those of which that cannot be known are left out.
template <class Visit>
void eachInbound(const Arena& arena, const FederateBlock& block, Visit&& visit) {
  const InboundBlock* inbound = &block.inbound;
  std::size_t left = arena.whole().size() / sizeof(InboundBlock);
  while (inbound != nullptr && left-- != 0) {
    for (const InboundEntry& entry : inbound->entries) {
      const FederateNumber sender = entry.sender.load(std::memory_order_acquire);
      if (sender == 0) continue;
      const auto* read = arena.as<RingHeader>(entry.ring.load(std::memory_order_acquire));
      if (read == nullptr) continue;
      if (const RingHeader* written = lastOfChain(arena, *read); written != nullptr)
        visit(sender, written->messages.load(std::memory_order_relaxed));
    }
    inbound = arena.as<InboundBlock>(inbound->next.load(std::memory_order_acquire));
  }
}

}  // namespace tutti::fabric
