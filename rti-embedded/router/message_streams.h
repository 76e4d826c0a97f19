// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "pipes/memory_account.h"
#include "router/mesh_protocol.h"
#include "router/message_counts.h"

namespace tutti::router {

/// What linked nodes send each other past their home, in causal order with what goes through it.
///
/// To each other node goes one stream of numbered messages, in frames that may take any way, twice
/// too; they are taken by number, each once. A frame says how many messages its sender knows to
/// have been sent to whom, and is taken when those to this node have been. The same is said to the
/// home before whatever comes of it, and by the home (docs/decisions/0020, where it is shown that
/// nobody waits for ever). No sockets here. Not thread-safe.
class MessageStreams {
 public:
  enum class Arrival { Early, Ready, Late };
  /// Whether the log and the sender's table are here that a message was sent with; Late: nobody
  /// needs it any more.
  using Judge = std::function<Arrival(std::span<const std::byte> message, std::uint64_t changes)>;
  using Take = std::function<void(NodeId from, std::span<const std::byte> message)>;
  struct Frame {
    std::uint64_t last = 0;  ///< number of its last message
    std::uint32_t messages = 0;
    fabric::Bytes bytes;
  };

  static constexpr NodeId home = 0;
  /// A frame that has come to this size is followed by another.
  static constexpr std::size_t fullFrame = std::size_t{1} << 20;

  MessageStreams(Judge judge, Take take) : judge_(std::move(judge)), take_(std::move(take)) {}

  /// Who pays for frames that wait to be taken, and outlives this.
  void payFrom(pipes::MemoryAccount* memory) { charge_ = pipes::Charge(memory); }
  /// Which of the nodes this one is. Before all else.
  void setOwn(NodeId own) { own_ = own; }
  NodeId own() const { return own_; }

  /// Behind all that was put before for that node.
  void put(NodeId to, std::uint64_t tableChanges, std::span<const std::byte> message);
  /// The next part of what was put; nothing: it is all gone.
  std::optional<Frame> nextFrame(NodeId to);
  bool hasUnsent() const;

  /// A message travels to the home.
  void sentToHome() { ++toHome_; }
  /// What the home has to know before the next.
  std::vector<MessageCount> newsForHome();

  /// A frame has come, whichever way, and says up to which number its sender has taken what this
  /// one has sent. Nothing: it cannot be read. Throws std::bad_alloc when nobody pays for it.
  std::optional<std::uint64_t> arrived(NodeId from, std::span<const std::byte> frame);
  /// Takes what has nothing to wait for. True: there was something.
  bool proceed();
  /// Whether so much has been taken, as far as it concerns this node.
  bool has(const std::vector<MessageCount>& counts) const;
  /// The number of the last message of that node that was taken.
  std::uint64_t taken(NodeId from) const;
  /// Nothing more will come of that node: nobody waits for it.
  void end(NodeId node);

 private:
  struct Outgoing {
    std::uint64_t put = 0;     ///< number of the last
    std::uint64_t sealed = 0;  ///< of the last that is in a frame
    std::uint32_t openMessages = 0;
    fabric::Bytes open;  ///< those that are in none yet
    std::deque<Frame> frames;
    std::uint64_t told = 0;  ///< of what is known, by MessageCounts::since()
  };
  struct Arrived {
    fabric::Bytes bytes;
    FrameHead head;
    std::size_t at = 0;       ///< of the next message
    std::uint32_t taken = 0;  ///< so many have been
  };
  struct Incoming {
    std::uint64_t taken = 0;
    std::uint64_t inOrder = 0;                ///< number of the last in `waiting`
    std::deque<Arrived> waiting;              ///< without a gap
    std::map<std::uint64_t, Arrived> behind;  ///< a gap, by the first number
  };

  void noteOwn();
  void seal(NodeId to, Outgoing& stream);
  void sealAll();
  bool take(NodeId from, Incoming& stream);

  Judge judge_;
  Take take_;
  NodeId own_ = 0;
  std::map<NodeId, Outgoing> outgoing_;
  std::map<NodeId, Incoming> incoming_;
  std::set<NodeId> ended_;
  pipes::Charge charge_;
  MessageCounts known_;
  std::uint64_t toHome_ = 0;
  std::uint64_t toldHome_ = 0;
};

}  // namespace tutti::router
