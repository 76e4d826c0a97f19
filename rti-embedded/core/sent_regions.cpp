// SPDX-License-Identifier: Apache-2.0
#include "core/sent_regions.h"

#include <algorithm>

namespace tutti::core {
namespace {

struct SentRegionsHead {
  std::uint32_t regions;
  std::uint32_t sets;
  std::uint32_t items;
};
struct SentRegionHead {
  Region region;
  std::uint32_t ranges;
  std::uint32_t reserved;
};

std::uint32_t count(std::size_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

std::uint32_t SentRegions::indexOf(Region region, const Ranges& ranges) {
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (regions[i].first == region) return count(i);
  }
  regions.emplace_back(region, ranges);
  return count(regions.size() - 1);
}

std::uint32_t SentRegions::setOf(std::vector<std::uint32_t> indices) {
  if (indices.empty()) return 0;
  std::sort(indices.begin(), indices.end());
  const auto found = std::find(sets.begin(), sets.end(), indices);
  if (found != sets.end()) return count(static_cast<std::size_t>(found - sets.begin())) + 1;
  sets.push_back(std::move(indices));
  return count(sets.size());
}

void SentRegions::write(RecordWriter& writer) const {
  writer.put(SentRegionsHead{count(regions.size()), count(sets.size()), count(setOfItem.size())});
  for (const auto& [region, ranges] : regions) {
    writer.put(SentRegionHead{region, count(ranges.size()), 0});
    for (const Range& range : ranges) writer.put(range);
  }
  for (const auto& set : sets) {
    writer.put(count(set.size()));
    for (const std::uint32_t index : set) writer.put(index);
  }
  for (const std::uint32_t set : setOfItem) writer.put(set);
}

bool SentRegions::read(RecordReader& reader) {
  clear();
  SentRegionsHead head{};
  reader.take(head);
  // Grows as it is read: a false count costs no memory.
  for (std::uint32_t i = 0; i < head.regions && !reader.failed(); ++i) {
    SentRegionHead one{};
    reader.take(one);
    auto& [region, ranges] = regions.emplace_back(one.region, Ranges{});
    for (std::uint32_t j = 0; j < one.ranges && !reader.failed(); ++j) {
      reader.take(ranges.emplace_back());
    }
  }
  for (std::uint32_t i = 0; i < head.sets && !reader.failed(); ++i) {
    std::uint32_t size = 0;
    reader.take(size);
    auto& set = sets.emplace_back();
    for (std::uint32_t j = 0; j < size && !reader.failed(); ++j) {
      std::uint32_t index = 0;
      reader.take(index);
      if (index >= regions.size()) return false;
      set.push_back(index);
    }
  }
  for (std::uint32_t i = 0; i < head.items && !reader.failed(); ++i) {
    std::uint32_t set = 0;
    reader.take(set);
    if (set > sets.size()) return false;
    setOfItem.push_back(set);
  }
  return !reader.failed();
}

}  // namespace tutti::core
