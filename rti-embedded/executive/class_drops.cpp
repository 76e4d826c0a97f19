// SPDX-License-Identifier: Apache-2.0
#include "executive/class_drops.h"

#include <map>

#include "omt/compact_model.h"

namespace tutti::executive {

using fabric::ClassCounts;
using fabric::ClassKey;
using fabric::DropStatus;

std::vector<DropStatus> dropsOf(const fabric::FederateBlock& page,
                                const fabric::Bytes& compactModel) {
  std::vector<DropStatus> result;
  constexpr auto relaxed = std::memory_order_relaxed;
  if (page.dropped.all.load(relaxed) == 0 && page.lost.all.load(relaxed) == 0) return result;
  std::map<ClassKey, DropStatus> byClass;
  DropStatus others;
  const auto gather = [&](const ClassCounts& counts, std::uint64_t DropStatus::*where) {
    others.*where = counts.others.load(relaxed);
    for (const ClassCounts::Entry& entry : counts.entries) {
      const ClassKey key = entry.key.load(std::memory_order_acquire);
      if (key != 0) byClass[key].*where = entry.count.load(relaxed);
    }
  };
  gather(page.dropped, &DropStatus::dropped);
  gather(page.lost, &DropStatus::lost);
  const auto model = omt::CompactModel::open(compactModel);
  for (auto& [key, one] : byClass) {
    one.interaction = fabric::isInteraction(key);
    if (model) {
      one.className = one.interaction ? model->interactionClassName({fabric::classOf(key)})
                                      : model->objectClassName({fabric::classOf(key)});
    }
    result.push_back(one);
  }
  if (others.dropped != 0 || others.lost != 0) result.push_back(others);
  return result;
}

}  // namespace tutti::executive
