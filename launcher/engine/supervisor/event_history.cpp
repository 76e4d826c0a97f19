// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/event_history.h"

#include <algorithm>
#include <utility>

namespace tutti::launcher {

void EventHistory::add(std::string text, bool isOutput) {
  const auto size = text.size();
  events_.push_back({std::move(text), isOutput, end_});
  end_ += size;
  while (events_.size() > 1 && end_ - events_.front().begin > most_) {
    events_.pop_front();
    ++first_;
  }
}

std::size_t EventHistory::bytesFrom(std::uint64_t number) const {
  if (number >= next()) return 0;
  return static_cast<std::size_t>(end_ - at(std::max(number, first_)).begin);
}

}  // namespace tutti::launcher
