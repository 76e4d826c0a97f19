// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "executive/arena_allocator.h"
#include "fabric/layout.h"

namespace tutti::executive {

/// The rings into one federate and where they stand in its inbound directory (fabric/layout.h).
/// Each sender has one entry, whose ring it may replace by a larger one. Not thread-safe.
class InboundDirectory {
 public:
  struct Place {
    fabric::Offset block = 0;
    std::uint32_t blockIndex = 0;  ///< in the chain
    std::uint32_t entry = 0;
    std::vector<fabric::Offset> rings;  ///< oldest first; the sender fills the last one
    std::set<fabric::Offset> freed;     ///< by the sender, and the receiver may still be at them
  };

  /// `block` is the FederateBlock of `receiver`.
  InboundDirectory(ArenaAllocator& arena, fabric::FederateNumber receiver, fabric::Offset block);

  /// The place of a sender's rings; null when it has none.
  const Place* find(fabric::FederateNumber sender) const;
  /// A first ring from `sender`. Every word of it is set before it can be found.
  tl::expected<const Place*, std::string> open(fabric::FederateNumber sender, std::uint64_t bytes);
  /// A further ring behind the newest. The entry is left to the receiver.
  tl::expected<const Place*, std::string> replace(fabric::FederateNumber sender,
                                                  std::uint64_t bytes);
  /// The sender no longer needs a ring that it replaced; false when it is none of those. Freeing one
  /// again changes nothing. It is retired with the record `next`, once the receiver has moved its
  /// entry on: that is the last it does to a ring it leaves. Others may be looking at its counts
  /// (8.16) until they apply a record.
  bool free(fabric::FederateNumber sender, fabric::Offset ring, fabric::LogNumber next);

  /// Sets the ready bits of `sender`, as it would do itself, and wakes the receiver.
  void announce(fabric::FederateNumber sender) const;

  /// The sender has left: its rings are retired with the record `number`; its entry is cleared
  /// when clear() is called with a number up to which every federate has applied the log. clear()
  /// also retires, with the record `next`, what was freed and is now left.
  void retire(fabric::FederateNumber sender, fabric::LogNumber number);
  void clear(fabric::LogNumber applied, fabric::LogNumber next);
  bool hasLeftovers() const { return !leaving_.empty() || !freedBy_.empty(); }

  /// All senders that have a ring here.
  std::vector<fabric::FederateNumber> senders() const;

 private:
  struct Leaving {
    fabric::LogNumber number = 0;
    std::uint32_t index = 0;
  };

  tl::expected<fabric::Offset, std::string> makeRing(fabric::FederateNumber sender,
                                                     std::uint64_t bytes);
  /// Index of a free entry, counted over all blocks.
  tl::expected<std::uint32_t, std::string> takeEntry();
  fabric::InboundEntry& entry(std::uint32_t index) const;
  void retireFreed(Place& place, fabric::LogNumber next);

  ArenaAllocator& arena_;
  fabric::FederateNumber receiver_;
  fabric::Offset federateBlock_;
  std::vector<fabric::Offset> blocks_;  ///< of the chain, the one inside the FederateBlock first
  std::vector<fabric::Offset> spare_;   ///< room for blocks in an extent made for the last one
  std::uint32_t used_ = 0;              ///< entries ever used
  std::set<std::uint32_t> freeEntries_;
  std::unordered_map<fabric::FederateNumber, Place> places_;
  std::vector<Leaving> leaving_;
  std::set<fabric::FederateNumber> freedBy_;  ///< senders whose Place::freed is not empty
};

}  // namespace tutti::executive
