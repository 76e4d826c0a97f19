// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/joint_restart.h"

#include <algorithm>
#include <utility>

namespace tutti::launcher {

void JointRestarts::begin(std::set<std::string> ids, std::string key, const void* holder) {
  // Without a key nobody could let it go on.
  const void* const held = key.empty() ? nullptr : holder;
  restarts_.push_back({std::move(ids), std::move(key), held});
}

void JointRestarts::release(const std::string& key) {
  for (auto& one : restarts_) {
    if (one.key == key) one.holder = nullptr;
  }
}

void JointRestarts::releaseOf(const void* holder) {
  for (auto& one : restarts_) {
    if (one.holder == holder) one.holder = nullptr;
  }
}

bool JointRestarts::holdsBack(const std::string& id) const {
  return std::any_of(restarts_.begin(), restarts_.end(),
                     [&](const Restart& one) { return one.ids.contains(id); });
}

bool JointRestarts::isDue(const std::set<std::string>& ending) const {
  return std::any_of(restarts_.begin(), restarts_.end(), [&](const Restart& one) {
    return one.hasEnded(ending) && !(one.isHeld() && one.told);
  });
}

std::vector<JointRestarts::Ended> JointRestarts::review(const std::set<std::string>& ending) {
  std::vector<Ended> result;
  for (auto& one : restarts_) {
    if (one.told || !one.isHeld() || !one.hasEnded(ending)) continue;
    one.told = true;
    result.push_back({one.key, one.ids});
  }
  std::erase_if(restarts_,
                [&](const Restart& one) { return !one.isHeld() && one.hasEnded(ending); });
  return result;
}

bool JointRestarts::Restart::hasEnded(const std::set<std::string>& ending) const {
  return std::none_of(ids.begin(), ids.end(),
                      [&](const std::string& id) { return ending.contains(id); });
}

}  // namespace tutti::launcher
