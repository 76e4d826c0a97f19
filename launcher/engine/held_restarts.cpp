// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/held_restarts.h"

namespace tutti::launcher {

void HeldRestarts::begin(const Restart& restart) { held_.push_back({restart, restart.hosts}); }

std::vector<HeldRestarts::Restart> HeldRestarts::noteEnded(const QString& host,
                                                           const QString& key) {
  for (auto& one : held_) {
    if (one.restart.key == key) one.awaited.removeAll(host);
  }
  return takeEnded();
}

std::vector<HeldRestarts::Restart> HeldRestarts::noteLost(const QString& host) {
  for (auto& one : held_) one.awaited.removeAll(host);
  return takeEnded();
}

std::vector<HeldRestarts::Restart> HeldRestarts::takeEnded() {
  std::vector<Restart> result;
  std::erase_if(held_, [&](const Held& one) {
    if (!one.awaited.isEmpty()) return false;
    result.push_back(one.restart);
    return true;
  });
  return result;
}

}  // namespace tutti::launcher
