// SPDX-License-Identifier: Apache-2.0
#include "omt/loss_report.h"

namespace tutti::omt {

void LossReport::add(Loss::Kind kind, std::string_view what, std::string_view became,
                     std::string_view name, int line) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(kind)));
  (key += what) += '\0';
  key += became;
  const auto [found, isNew] = index_.try_emplace(std::move(key), losses_.size());
  if (isNew && losses_.size() == maxLosses) {
    index_.erase(found);
    ++losses_.back().count;
    return;
  }
  if (isNew && losses_.size() + 1 == maxLosses) {
    losses_.push_back({Loss::Kind::Lost, "More", "not told one by one", {}, 0});
    index_.erase(found);
    ++losses_.back().count;
    return;
  }
  if (isNew) losses_.push_back({kind, std::string(what), std::string(became), {}, 0});
  Loss& loss = losses_[found->second];
  ++loss.count;
  if (loss.places.size() < maxPlaces) loss.places.push_back({std::string(name), line});
}

}  // namespace tutti::omt
