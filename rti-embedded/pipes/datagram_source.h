// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pipes/datagram.h"
#include "pipes/memory_account.h"
#include "pipes/pipe.h"
#include "pipes/sequence_window.h"

namespace tutti::pipes {

/// Puts messages together from their fragments, in memory that is bounded whatever comes.
class Reassembly {
 public:
  /// Of incomplete messages in all; the one that has waited longest makes room.
  static constexpr std::size_t mostBytes = std::size_t{64} << 20;
  /// One of which nothing more has come for so long is given up.
  static constexpr std::chrono::milliseconds patience{1000};

  /// `memory` pays, and outlives this: what it refuses is dropped, as what the network loses.
  explicit Reassembly(std::size_t limit = mostBytes, MemoryAccount* memory = nullptr)
      : limit_(limit), charge_(memory) {}

  /// A fragment that came from `source`. The whole message, when this was its last part.
  std::optional<std::vector<std::byte>> add(std::uint64_t source, const FragmentHead& head,
                                            std::span<const std::byte> part, Clock::time_point now);
  void expire(Clock::time_point now);
  void forget(std::uint64_t source);

  std::size_t bytes() const { return bytes_; }
  /// Messages of which only a part came.
  std::uint64_t givenUp() const { return givenUp_; }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Partial {
    std::vector<std::byte> message;
    std::vector<bool> has;
    std::size_t missing = 0;
    std::uint32_t piece = 0;
    Clock::time_point last{};
    std::list<Key>::iterator age;
  };
  void giveUp(std::map<Key, Partial>::iterator partial);
  /// Has those that have waited longest make room for so much. False: that is not enough.
  bool makeRoom(std::size_t bytes);

  std::size_t limit_;
  Charge charge_;
  std::map<Key, Partial> partials_;
  std::list<Key> byAge_;  ///< who has waited longest first
  std::size_t bytes_ = 0;
  std::uint64_t givenUp_ = 0;
};

/// The receiving end of a DatagramPath: hands out each message once. What comes again, or so late
/// that it may have come before, is dropped.
class DatagramSource {
 public:
  /// `key` tells it from the other sources of the reassembly, which outlives it.
  DatagramSource(std::uint64_t key, Reassembly& reassembly) : key_(key), reassembly_(reassembly) {}
  ~DatagramSource() { reassembly_.forget(key_); }
  DatagramSource(const DatagramSource&) = delete;
  DatagramSource& operator=(const DatagramSource&) = delete;

  /// A Bundle or Fragment. False: it cannot be one.
  bool take(const DatagramHead& head, std::span<const std::byte> payload, Clock::time_point now,
            const Pipe::Take& take);

  std::uint64_t duplicates() const { return duplicates_; }
  std::uint64_t highest() const { return window_.highest(); }

 private:
  std::uint64_t key_;
  Reassembly& reassembly_;
  SequenceWindow window_;
  std::uint64_t duplicates_ = 0;
};

}  // namespace tutti::pipes
