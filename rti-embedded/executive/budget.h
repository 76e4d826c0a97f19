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

  /// TUTTI_MEMORY, else a quarter of the memory that is available now: to the machine, or to the
  /// control group of this process (a container, a cluster job) when that has less.
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

/// What a process of these control groups may still take, in bytes: `groups` is the content of
/// /proc/self/cgroup, `root` where the groups are mounted (version 2). 2^64 - 1 when there is no
/// limit.
std::uint64_t controlGroupMemory(std::string_view groups, const std::string& root);

/// "64 KiB", "1.5 GiB".
std::string bytesText(std::uint64_t bytes);

}  // namespace tutti::executive
