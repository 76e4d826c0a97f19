// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace tutti::pipes {

/// Lets something be said once a minute about each of those who cause it, so that nobody fills a
/// log. Of very many at once, those that do not fit are said nothing of.
class OnceAMinute {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t mostNames = 256;

  bool mayTell(const std::string& name, Clock::time_point now = Clock::now()) {
    std::erase_if(until_, [now](const auto& item) { return item.second <= now; });
    if (until_.contains(name) || until_.size() >= mostNames) return false;
    until_[name] = now + std::chrono::minutes(1);
    return true;
  }

 private:
  std::map<std::string, Clock::time_point> until_;
};

}  // namespace tutti::pipes
