// SPDX-License-Identifier: Apache-2.0
#include "router/mesh_hub.h"

#include <algorithm>

namespace tutti::router {

namespace {

constexpr NodeId home = 0;

}  // namespace

NeighbourIntroduced MeshHub::introductionOf(NodeId node, bool own) const {
  const Member& member = members_.at(node);
  const auto address = member.where.address();
  return {node, own, address.host, address.port, member.token};
}

void MeshHub::introduce(NodeId node, const pipes::SocketAddress& where, std::uint64_t token) {
  Member& member = members_[node];
  member.where = where;
  member.token = token;
  const auto tell = [&](NodeId to, const NeighbourIntroduced& one) {
    send_(to, linkMessage(LinkMessage::NeighbourIntroduced, 0, one));
  };
  tell(node, introductionOf(node, true));
  for (const auto& [other, one] : members_) {
    if (other == node) continue;
    tell(other, introductionOf(node, false));
    tell(node, introductionOf(other, false));
  }
}

void MeshHub::ended(NodeId node) {
  if (members_.erase(node) == 0) return;
  known_.forget(node);
  for (const auto& [other, member] : members_) {
    send_(other, linkMessage(LinkMessage::NeighbourGone, 0, NeighbourGone{node}));
  }
}

bool MeshHub::mayTake(std::span<const std::byte> message) const {
  LinkHead head;
  MessagesKnown known;
  if (!readLinkHead(message, head) || head.kind != LinkMessage::MessagesKnown ||
      !fabric::fromWire(message.subspan(linkHeadBytes), known)) {
    return true;
  }
  return std::all_of(known.counts.begin(), known.counts.end(), [&](const MessageCount& count) {
    const auto from = members_.find(count.from);
    // Of one that is gone all has been taken that there will be.
    return count.to != home || from == members_.end() || count.number <= from->second.taken;
  });
}

void MeshHub::taken(NodeId node) {
  if (const auto found = members_.find(node); found != members_.end()) ++found->second.taken;
}

bool MeshHub::take(NodeId from, const LinkHead& head, std::span<const std::byte> message) {
  const auto body = message.subspan(linkHeadBytes);
  if (head.kind == LinkMessage::MessagesKnown) {
    MessagesKnown known;
    if (!fabric::fromWire(body, known)) return true;
    for (const MessageCount& count : known.counts) {
      if (members_.contains(count.from) && members_.contains(count.to)) {
        known_.raise(count.from, count.to, count.number);
      }
    }
    return true;
  }
  if (head.kind != LinkMessage::FrameRelayed) return false;
  FrameRelayed relayed;
  if (!fabric::fromWire(body, relayed)) return true;
  const NodeId to = std::exchange(relayed.node, from);
  if (members_.contains(to)) send_(to, linkMessage(LinkMessage::FrameRelayed, 0, relayed));
  return true;
}

std::optional<fabric::Bytes> MeshHub::before(NodeId node) {
  const auto found = members_.find(node);
  if (found == members_.end()) return std::nullopt;
  auto counts = known_.since(found->second.told,
                             [node](const MessageCount& count) { return count.to == node; });
  if (counts.empty()) return std::nullopt;
  return linkMessage(LinkMessage::MessagesKnown, 0, MessagesKnown{std::move(counts)});
}

}  // namespace tutti::router
