// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "pipes/connection_rules.h"
#include "pipes/tcp_pipe.h"

namespace tutti::pipes {

/// Listens for other nodes.
///
/// A connection waits in here until the other side has proved that it belongs to this node, if that
/// is asked for, and has greeted. Until then it has 5 s, and the listener keeps no more than 4 KiB of
/// what it sends. Of more than 64 that wait the oldest is turned away: a node needs a few round
/// trips, whoever only takes up room stays longest. When the process has no descriptor left, those
/// that wait are turned away too, and then nobody is accepted for a moment.
class TcpListener {
 public:
  static constexpr std::size_t mostWaiting = 64;
  static constexpr std::chrono::seconds patience{5};
  /// Between two attempts without a descriptor.
  static constexpr std::chrono::milliseconds retryAfter{200};

  /// The error tells when the address belongs to somebody else, or not to this machine.
  static tl::expected<TcpListener, PipeError> listen(const Address& address,
                                                     const ConnectionRules& rules = {});
  TcpListener(TcpListener&&) noexcept;
  TcpListener& operator=(TcpListener&&) noexcept;
  ~TcpListener();

  /// Is told why connections are turned away, once a minute for each address they come from.
  void onRefusal(std::function<void(const std::string&)> tell);

  /// The next connection whose other side has greeted; nothing: there is none now.
  std::unique_ptr<TcpPipe> accept(const Greeting& own);
  /// Connections that have not greeted.
  std::size_t waiting() const;
  /// Ends them, to have their descriptors. False: there were none.
  bool turnAwayWaiting(const std::string& why);
  /// With the port that was found when none was asked for.
  const Address& address() const;
  /// Readable when accept() has something to do; not the descriptor of a socket.
  int descriptor() const;

 private:
  class Door;
  explicit TcpListener(std::unique_ptr<Door> door);

  std::unique_ptr<Door> door_;
};

}  // namespace tutti::pipes
