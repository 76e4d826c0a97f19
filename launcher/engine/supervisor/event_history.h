// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace tutti::launcher {

/// What a supervisor has told, numbered from 1, so that each client reads on from where it was, at
/// its own pace, and one that comes back continues without loss and without doubles. Of limited
/// size: the oldest events are forgotten first.
class EventHistory {
 public:
  static constexpr std::size_t mostBytes = 8 * 1024 * 1024;

  explicit EventHistory(std::size_t most = mostBytes) : most_(most) {}

  struct Event {
    std::string text;         ///< One line of JSON with its newline.
    bool isOutput = false;    ///< It tells of what a process wrote, not of the state of anything.
    std::uint64_t begin = 0;  ///< Bytes of all events before it.
  };

  void add(std::string text, bool isOutput);

  /// Number that the next event gets.
  std::uint64_t next() const { return first_ + events_.size(); }
  /// Number of the oldest one that is kept; next() when none is.
  std::uint64_t first() const { return first_; }
  /// One of those that are kept.
  const Event& at(std::uint64_t number) const { return events_[number - first_]; }
  /// Size of those from `number` on that are kept.
  std::size_t bytesFrom(std::uint64_t number) const;

 private:
  std::size_t most_;
  std::uint64_t first_ = 1;
  std::uint64_t end_ = 0;  ///< Bytes of all events so far.
  std::deque<Event> events_;
};

}  // namespace tutti::launcher
