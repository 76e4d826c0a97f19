// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/wire.h"

/// What linked nodes say to each other over connections of their own, and with their home about
/// that (docs/decisions/0020).
namespace tutti::router {

/// As the home counts its links; the home itself is 0.
using NodeId = std::uint64_t;

/// To a linked node: another one that it can be connected with, or itself.
struct NeighbourIntroduced {
  NodeId node = 0;
  bool own = false;        ///< it is the one that is told
  std::string host;        ///< where it listens, in numbers
  std::uint16_t port = 0;
  std::uint64_t token = 0;  ///< what it has to be shown
  template <class A>
  void fields(A& a) {
    a(node, own, host, port, token);
  }
};
struct NeighbourGone {
  NodeId node = 0;
  template <class A>
  void fields(A& a) {
    a(node);
  }
};
/// First on a connection between linked nodes, from both sides.
struct NeighbourHello {
  NodeId from = 0;
  std::uint64_t token = 0;  ///< of the one who is told
  template <class A>
  void fields(A& a) {
    a(from, token);
  }
};

/// So many messages one node has sent to another. To the home all that travel over the link are
/// counted, to others those of their stream (MessageStreams).
struct MessageCount {
  NodeId from = 0;
  NodeId to = 0;
  std::uint64_t number = 0;
  template <class A>
  void fields(A& a) {
    a(from, to, number);
  }
};
/// To the home: what follows comes of these. From the home: what follows may not be taken before
/// them.
struct MessagesKnown {
  std::vector<MessageCount> counts;
  template <class A>
  void fields(A& a) {
    a(counts);
  }
};

/// A part of a stream: this, then `messages` x | table changes 8 | bytes 4 | message |, where a
/// message is one over a link, and the sender's table changes have to be known first.
struct FrameHead {
  std::uint64_t first = 0;  ///< number of the first message
  std::uint64_t taken = 0;  ///< of the other direction: all up to this number
  std::vector<MessageCount> known;
  std::uint32_t messages = 0;
  template <class A>
  void fields(A& a) {
    a(first, taken, known, messages);
  }
  std::size_t bytes() const {
    constexpr std::size_t eachCount = 3 * sizeof(std::uint64_t);
    return 2 * sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t) + known.size() * eachCount;
  }
};
/// A frame that goes past the home. `node`: to whom, from there on: of whom.
struct FrameRelayed {
  NodeId node = 0;
  fabric::Bytes frame;
  template <class A>
  void fields(A& a) {
    a(node, frame);
  }
};
struct FramesTaken {
  std::uint64_t number = 0;
  template <class A>
  void fields(A& a) {
    a(number);
  }
};

}  // namespace tutti::router
