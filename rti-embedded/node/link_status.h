// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "fabric/link_status.h"
#include "fabric/protocol.h"
#include "pipes/pipe.h"

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

/// "node 'b' at 10.0.0.2:15165"; without the name when that is only the way to its home.
std::string linkText(const std::string& peer, const std::string& address);

/// A member as `status` names it: "radar of world"; else "a federate of world".
std::string memberText(const fabric::StatusReply& status, const std::string& federation,
                       fabric::FederateNumber federate);

}  // namespace tutti::node
