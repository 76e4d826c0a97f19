// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace tutti::pipes {

/// Which numbers of a sequence have come: each is new once. One that is so old that it may have come
/// before is not new.
class SequenceWindow {
 public:
  static constexpr std::uint64_t remembered = 16384;

  /// Numbers begin with 1.
  bool isNew(std::uint64_t number) const {
    if (number == 0) return false;
    if (number > highest_) return true;
    return highest_ - number < remembered && (seen_[wordOf(number)] & bitOf(number)) == 0;
  }
  void add(std::uint64_t number) {
    if (number > highest_) {
      // What lies between has not come yet.
      const std::uint64_t steps = std::min(number - highest_, remembered);
      for (std::uint64_t i = 0; i < steps; ++i) seen_[wordOf(number - i)] &= ~bitOf(number - i);
      highest_ = number;
    }
    seen_[wordOf(number)] |= bitOf(number);
  }
  std::uint64_t highest() const { return highest_; }

 private:
  static std::uint64_t bitOf(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }
  static std::uint64_t wordOf(std::uint64_t number) { return number % remembered / 64; }

  std::uint64_t highest_ = 0;
  std::array<std::uint64_t, remembered / 64> seen_{};  ///< of the last `remembered` numbers
};

}  // namespace tutti::pipes
