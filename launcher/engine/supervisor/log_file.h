// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// What one process wrote, in a file of limited size: its first lines and its last ones. Why a
/// process ended is in its last words, what it was started with in its first; what is left out is
/// between them, and counted.
///
///     first lines, at most `head` bytes
///     one line: how much is left out
///     last lines, at most twice `tail` bytes
///
/// The last lines are held in memory and put behind the first ones once in `rewriteEvery`, and by
/// flush(): a file of limited size cannot be appended to.
class LogFile {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t head = 63 * 1024 * 1024;
  static constexpr std::uint64_t tail = 1024 * 1024;
  static constexpr std::chrono::milliseconds rewriteEvery{500};

  explicit LogFile(std::uint64_t headBytes = head, std::uint64_t tailBytes = tail)
      : head_(headBytes), tail_(tailBytes) {}

  /// Opens the file behind what it holds; returns errno, 0 when it is open.
  int open(const std::string& path);
  bool isOpen() const { return static_cast<bool>(file_); }

  /// Takes a line with its newline; write() writes it.
  void add(std::string_view line);
  /// Of the lines not written yet, so that much is held of the first ones.
  std::size_t pending() const { return first_.size(); }
  /// Writes what is due; returns errno of the first failure. After one nothing more is written.
  int write(Clock::time_point now);
  /// Writes everything.
  int flush();
  /// When write() has something to do that it has not done yet.
  std::optional<Clock::time_point> dueAt() const;

 private:
  int writeFirst();
  int rewriteLast();
  int fail(int error);

  std::uint64_t head_;
  std::uint64_t tail_;
  Descriptor file_;
  std::uint64_t start_ = 0;    ///< what the file held when it was opened
  std::uint64_t written_ = 0;  ///< of the first lines
  bool full_ = false;          ///< the first lines are complete
  bool failed_ = false;
  std::string first_;  ///< not written yet
  std::string last_;   ///< at most twice `tail_`, whole lines
  std::uint64_t leftOutBytes_ = 0;
  std::uint64_t leftOutLines_ = 0;
  bool lastDirty_ = false;
  Clock::time_point lastRewritten_{};
};

}  // namespace tutti::launcher
