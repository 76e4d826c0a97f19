// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/records.h"
#include "core/regions.h"

namespace tutti::core {

/// The regions that a message was sent with, with the bounds of that moment: the last part of a
/// record with recordFlag::regions. The receiver decides by them whether the message is for it, and
/// can hand them to its federate (6.11).
///
///   SentRegionsHead
///   regions x {SentRegionHead, ranges x Range}
///   sets    x {count 4, count x index 4}       index of a region
///   items   x {set 4}                          of each value; 0: the default region, else set + 1
struct SentRegions {
  std::vector<std::pair<Region, Ranges>> regions;
  std::vector<std::vector<std::uint32_t>> sets;
  std::vector<std::uint32_t> setOfItem;

  bool empty() const { return sets.empty(); }
  void clear() {
    regions.clear();
    sets.clear();
    setOfItem.clear();
  }
  /// Adds a region unless it is there; gives its index.
  std::uint32_t indexOf(Region region, const Ranges& ranges);
  /// Adds a set of indices unless it is there; gives what setOfItem has to hold for it.
  std::uint32_t setOf(std::vector<std::uint32_t> indices);

  void write(RecordWriter& writer) const;
  /// False: the record is not whole.
  bool read(RecordReader& reader);
};

}  // namespace tutti::core
