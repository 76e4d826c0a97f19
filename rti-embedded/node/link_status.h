// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "fabric/link_status.h"
#include "fabric/protocol.h"
#include "pipes/pipe.h"
#include "router/best_effort.h"

namespace tutti::node {

/// Says in the log when a link has become suspect and when it goes on: once a minute at most, for a
/// network that loses a fifth of all packets makes a link suspect every few seconds.
class LinkWatch {
 public:
  /// What is to be said now; empty: nothing.
  struct News {
    bool suspect = false;
    std::string text;
  };
  std::optional<News> look(const pipes::Pipe& pipe, pipes::Clock::time_point now);

 private:
  std::optional<pipes::Clock::time_point> since_;
  std::optional<pipes::Clock::time_point> said_;
  bool isSaid_ = false;        ///< of this time
  std::uint64_t unsaid_ = 0;   ///< times since the last that was said
};

/// Without federates; nothing for a pipe within this process.
std::optional<fabric::LinkStatus> linkStatusOf(const pipes::Pipe& pipe,
                                               pipes::Clock::time_point now);

/// The request, if the datagram is an OperateLink.
std::optional<std::pair<fabric::RequestHead, fabric::OperateLinkRequest>> operateLinkOf(
    std::span<const std::byte> datagram);
/// What is said to it: to one that waits longer now.
fabric::Bytes answerToOperateLink(const fabric::RequestHead& head,
                                  const fabric::OperateLinkReply& reply);
/// Whether `request` may decide about the link with that pipe: empty, or why not.
std::string whyNotOperate(const pipes::Pipe& pipe, const fabric::OperateLinkRequest& request);

/// What goes past the link in datagrams.
void addTraffic(fabric::LinkStatus& status, const router::BestEffort* bestEffort,
                router::BestEffort::NodeId node);

/// "node 'b' at 10.0.0.2:15165"; without the name when that is only the way to its home.
std::string linkText(const std::string& peer, const std::string& address);

/// A member as `status` names it: "radar of world"; else "a federate of world".
std::string memberText(const fabric::StatusReply& status, const std::string& federation,
                       fabric::FederateNumber federate);

}  // namespace tutti::node
