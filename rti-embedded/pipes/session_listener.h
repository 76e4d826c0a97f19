// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "pipes/session_pipe.h"
#include "pipes/tcp_listener.h"

namespace tutti::pipes {

/// Listens for other nodes, and brings their further connections to the sessions they belong to.
/// A connection may wait so long, and so many at a time may wait, to say which session it is of.
class SessionListener {
 public:
  static constexpr std::chrono::seconds helloPatience{5};
  static constexpr std::size_t mostWaiting = 64;
  static constexpr std::size_t longestHello = 4096;

  /// `memory` pays for what the sessions keep, and outlives them. `longestWait`: SessionPipe's.
  SessionListener(TcpListener listener, std::chrono::milliseconds grace,
                  MemoryAccount* memory = nullptr,
                  std::chrono::milliseconds longestWait = std::chrono::milliseconds(0));
  /// Without a socket: connections come by take().
  explicit SessionListener(std::chrono::milliseconds grace, MemoryAccount* memory = nullptr,
                           std::chrono::milliseconds longestWait = std::chrono::milliseconds(0));

  /// Serves the connections that wait. The next new session; nothing: there is none.
  std::unique_ptr<SessionPipe> accept(const Greeting& own, Clock::time_point now);
  /// A connection that was accepted elsewhere.
  void take(std::unique_ptr<Pipe> pipe, Clock::time_point now);
  /// To be called a few times a second: closes those that have waited for too long.
  void tick(Clock::time_point now);

  /// With the port that was found when none was asked for.
  const Address& address() const { return listener_->address(); }
  /// Readable when accept() has something to do.
  int descriptor() const { return events_.get(); }
  std::chrono::milliseconds grace() const { return grace_; }
  std::chrono::milliseconds longestWait() const { return longestWait_; }
  /// Ends connections that have not said which session they are of, to have their descriptors.
  /// False: there were none.
  bool turnAwayWaiting(const std::string& why);
  bool hasWaiting() const { return !waiting_.empty(); }

 private:
  struct Waiting {
    std::unique_ptr<Pipe> pipe;
    Clock::time_point since;
  };
  /// Outlives this: sessions take themselves out.
  using Sessions = std::map<std::uint64_t, SessionPipe*>;

  /// False: it has nothing more to say, and is closed.
  bool serve(Waiting& waiting, Clock::time_point now);
  bool begin(Waiting& waiting, const SessionHello& hello, std::vector<fabric::Bytes>& behind,
             Clock::time_point now);
  void unwatch(const Pipe& pipe);

  std::optional<TcpListener> listener_;
  fabric::UniqueFd events_;
  std::chrono::milliseconds grace_;
  std::chrono::milliseconds longestWait_;
  MemoryAccount* memory_ = nullptr;
  std::vector<Waiting> waiting_;
  std::deque<std::unique_ptr<SessionPipe>> begun_;
  std::shared_ptr<Sessions> sessions_ = std::make_shared<Sessions>();
};

}  // namespace tutti::pipes
