// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tutti::executive {

/// How much memory all arenas of a node may take together. Not thread-safe.
class Budget {
 public:
  explicit Budget(std::uint64_t bytes) : total_(bytes) {}

  /// TUTTI_MEMORY, else a quarter of the memory that is available now.
  static tl::expected<Budget, std::string> fromEnvironment();

  /// "512M", "2G", "65536"; binary multiples. The error names what was given.
  static tl::expected<std::uint64_t, std::string> parse(std::string_view text);

  /// Takes all of it or nothing. The error names `purpose`, the budget and what is used.
  tl::expected<void, std::string> take(std::uint64_t bytes, std::string_view purpose);
  void giveBack(std::uint64_t bytes);

  std::uint64_t total() const { return total_; }
  std::uint64_t used() const { return used_; }
  std::uint64_t left() const { return total_ - used_; }

 private:
  std::uint64_t total_;
  std::uint64_t used_ = 0;
};

/// "64 KiB", "1.5 GiB".
std::string bytesText(std::uint64_t bytes);

}  // namespace tutti::executive
