// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "pipes/datagram_wire.h"
#include "router/link_protocol.h"
#include "router/mesh_protocol.h"
#include "router/message_counts.h"

namespace tutti::router {

/// What the home does for connections between the nodes that are linked to it: introduces them to
/// each other, passes on what they have no connection for, and keeps what goes through it in order
/// with what does not (docs/decisions/0020).
class MeshHub {
 public:
  using Send = std::function<void(NodeId, std::span<const std::byte>)>;

  explicit MeshHub(Send send) : send_(std::move(send)) {}

  /// A node has said where it can be connected to. Before any of its messages is taken.
  void introduce(NodeId node, const pipes::SocketAddress& where, std::uint64_t token);
  void ended(NodeId node);
  bool isEmpty() const { return members_.empty(); }

  /// Whether the message of a link may be taken, as far as it says what has to come before.
  bool mayTake(std::span<const std::byte> message) const;
  /// A message of a link was taken.
  void taken(NodeId node);
  /// True: it concerned only this.
  bool take(NodeId from, const LinkHead& head, std::span<const std::byte> message);
  /// What is to be said to a node before the next message.
  std::optional<fabric::Bytes> before(NodeId node);

 private:
  struct Member {
    pipes::SocketAddress where;
    std::uint64_t token = 0;
    std::uint64_t taken = 0;  ///< messages over its link
    std::uint64_t told = 0;   ///< of what is known, by MessageCounts::since()
  };
  NeighbourIntroduced introductionOf(NodeId node, bool own) const;

  Send send_;
  std::map<NodeId, Member> members_;
  MessageCounts known_;
};

}  // namespace tutti::router
