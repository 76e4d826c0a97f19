// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/wire.h"
#include "pipes/session_pipe.h"

namespace tutti::node {

/// Makes links to the home for federates of a linked node that need one of their own (the
/// centralized architecture), and does not wait for them: each Hello that needs one is kept here
/// until its link is made, or has failed. They go to the address at which the node has found its
/// home, so no name is looked up again.
///
/// One thread. No call waits.
class HomeDialer {
 public:
  using ConnectionId = std::uint64_t;

  /// Links that are being made at the same time; the home lets no more than 64 wait.
  static constexpr std::size_t mostAtOnce = 16;
  /// So long a federate waits.
  static constexpr std::chrono::seconds patience{10};
  /// So long for one connection: TCP sends a lost first packet again only after 1, 3 and 7 s, a new
  /// connection does at once.
  static constexpr std::chrono::seconds attemptPatience{5};

  struct Services {
    /// Has the loop call ready() when the descriptor is readable; with `writes` also writable.
    std::function<void(int descriptor, ConnectionId)> watch;
    std::function<void(int descriptor, ConnectionId, bool writes)> watchWrites;
    std::function<void(int descriptor)> unwatch;
  };
  /// What has become of a Hello: the link, or why there is none.
  struct Dialled {
    ConnectionId connection = 0;
    fabric::Bytes hello;
    tl::expected<std::unique_ptr<pipes::Pipe>, std::string> link;
  };

  explicit HomeDialer(Services services) : services_(std::move(services)) {}

  /// `connection` has not begun before, or was forgotten.
  void begin(ConnectionId connection, fabric::Bytes hello, const pipes::SocketAddress& home,
             const pipes::Greeting& own, const pipes::ConnectionRules& rules);
  bool isWaiting(ConnectionId connection) const { return waiting_.contains(connection); }
  /// It has ended.
  void forget(ConnectionId connection);
  /// Something has come for it, or can leave.
  void ready(ConnectionId connection);
  void tick(pipes::Clock::time_point now);
  /// Those that have ended since, well or not.
  std::vector<Dialled> take();

 private:
  struct Waiting {
    fabric::Bytes hello;
    pipes::SocketAddress home;
    pipes::Greeting own;
    pipes::ConnectionRules rules;
    std::unique_ptr<pipes::TcpPipe> pipe;  ///< null: has not had its turn
    bool writes = false;
    pipes::Clock::time_point until;
    pipes::Clock::time_point attemptUntil;
  };
  using Item = std::map<ConnectionId, Waiting>::iterator;

  std::size_t dialling() const;
  void startNext(pipes::Clock::time_point now);
  void dial(Item item, pipes::Clock::time_point now);
  void proceed(Item item);
  void finish(Item item, tl::expected<std::unique_ptr<pipes::Pipe>, std::string> link);
  void fail(Item item, const std::string& why);

  Services services_;
  std::map<ConnectionId, Waiting> waiting_;  ///< connections count up: who came first is first
  std::vector<Dialled> done_;
};

}  // namespace tutti::node
