// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "pipes/datagram.h"
#include "pipes/datagram_wire.h"
#include "pipes/pipe.h"

namespace tutti::pipes {

/// The sending end of a way to one node, or to all of a multicast group: bundles small messages,
/// takes large ones apart, and keeps no more on its way than the receivers have room for.
///
/// What is lost is not sent again. The window only keeps a burst from flooding the receiver's
/// socket: now and then a datagram asks to be acknowledged; when nothing of that comes for a while,
/// what was on its way counts as gone.
class DatagramPath {
 public:
  using Transmit = std::function<DatagramWire::Sent(std::span<const std::byte>)>;

  DatagramPath(DatagramHead head, Transmit transmit);

  /// From now on datagrams are so large, with everything.
  void setLargest(std::size_t bytes) { largest_ = bytes; }
  std::size_t largest() const { return largest_; }
  /// Bundles leave so long after their first message; 0: with flush().
  void setDeadline(std::chrono::microseconds deadline) { deadline_ = deadline; }

  /// Who acknowledges, and how much may be on its way there.
  void setReceiver(std::uint64_t receiver, std::size_t window);
  void removeReceiver(std::uint64_t receiver) { acknowledged_.erase(receiver); }

  /// False: what was sent before still waits for room. Then send() is not to be called.
  bool hasRoom() const { return fragments_.message.empty() && !stuck_; }
  /// Puts a message, of at most largestDatagramMessage bytes, into the bundle, or sends it in
  /// fragments.
  void send(std::span<const std::byte> message, Clock::time_point now);
  /// At the end of a turn: the bundle leaves unless it may wait.
  void flush(Clock::time_point now);
  /// What has become due or has found room leaves.
  void proceed(Clock::time_point now);
  void acknowledged(std::uint64_t receiver, std::uint64_t sequence);

  /// When proceed() is to be called at the latest; nothing: not needed.
  std::optional<Clock::time_point> due() const;

  std::uint64_t sentDatagrams() const { return sequence_; }

 private:
  bool transmit(DatagramKind kind, std::vector<std::byte>& datagram, Clock::time_point now);
  bool sendBundle(Clock::time_point now);
  void divide(std::span<const std::byte> message);
  bool sendFragments(Clock::time_point now);
  bool hasWindow(Clock::time_point now);

  DatagramHead head_;
  Transmit transmit_;
  std::size_t largest_ = leastDatagram;
  std::chrono::microseconds deadline_{0};

  std::vector<std::byte> bundle_;  ///< room for the head, then messages
  Clock::time_point bundleSince_{};
  struct {
    std::vector<std::byte> message;
    std::uint64_t number = 0;
    std::size_t piece = 0;
    std::size_t sent = 0;
  } fragments_;
  std::vector<std::byte> datagram_;
  bool stuck_ = false;  ///< the bundle waits for room
  bool full_ = false;   ///< the wire took nothing more

  std::uint64_t sequence_ = 0;  ///< of the last datagram
  std::uint64_t sent_ = 0;      ///< bytes
  std::uint64_t marked_ = 0;    ///< sent_ when acknowledgement was asked for last
  struct Mark {
    std::uint64_t sequence;
    std::uint64_t sent;
    Clock::time_point at;
  };
  std::deque<Mark> marks_;
  std::map<std::uint64_t, std::uint64_t> acknowledged_;  ///< bytes, by receiver
  std::map<std::uint64_t, std::size_t> windows_;
  std::chrono::milliseconds patience_{firstPatience};
  Clock::time_point retryAt_{};

  static constexpr std::chrono::milliseconds firstPatience{20};
  static constexpr std::chrono::milliseconds longestPatience{320};
};

}  // namespace tutti::pipes
