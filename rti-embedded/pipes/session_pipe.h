// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "pipes/datagram_wire.h"
#include "pipes/kept_stream.h"
#include "pipes/session_protocol.h"
#include "pipes/tcp_pipe.h"

namespace tutti::pipes {

/// A pipe that outlives its connections: a numbered session of two nodes (session_protocol.h).
///
/// What was sent is kept until the other side has acknowledged it. When nothing is acknowledged any
/// more (Pipe::reach) the session is *suspect*: the side that made the connection makes others, and
/// the first that is answered takes over, unless the old one goes on before, in both directions.
/// What was not acknowledged is sent again; nothing is lost, doubled or reordered. The session ends
///   - when the other process has ended, as its kernel says by closing the connection, or by
///     refusing or not knowing a further one (Kind::Closed, Refused);
///   - when it has been suspect for longer than the grace (Kind::CutOff), and what waitLonger() adds;
///   - when the other host is there, but its node says nothing for Pipe::patience (Kind::Silent).
///
/// queuedBytes() counts what is kept: a sender that stops at a limit of it bounds the memory.
class SessionPipe final : public Pipe {
 public:
  static constexpr std::chrono::milliseconds defaultGrace{15'000};
  /// Federates wait no longer than 60 s for an answer.
  static constexpr std::chrono::milliseconds longestGrace{45'000};
  /// Of waitLonger().
  static constexpr std::chrono::milliseconds mostLongestWait{120'000};
  /// Between two attempts to make a new connection, while the session is suspect; so long each is
  /// waited for, and so many at a time. A round trip of 200 ms with a fifth of the packets lost
  /// takes one of a few.
  static constexpr std::chrono::milliseconds dialInterval{500};
  static constexpr std::chrono::milliseconds dialPatience{3000};
  static constexpr std::size_t mostConnections = 8;

  /// Begins another connection to the same node, without waiting.
  using Dial = std::function<tl::expected<std::unique_ptr<Pipe>, PipeError>()>;

  /// Connects, waits until `deadline` for the other's greeting, and begins a session.
  static tl::expected<std::unique_ptr<SessionPipe>, PipeError> connect(const Address& address,
                                                                       const Greeting& own,
                                                                       Clock::time_point deadline,
                                                                       const ConnectionRules& rules = {});
  /// The same over a connection that the other side has greeted on.
  static tl::expected<std::unique_ptr<SessionPipe>, PipeError> over(
      std::unique_ptr<TcpPipe> first, const Greeting& own, const ConnectionRules& rules = {});
  /// The side that dials; `first` has the other's greeting. Time is what tick() says.
  SessionPipe(std::unique_ptr<Pipe> first, Dial dial, Clock::time_point now);
  /// The side that listens, which SessionListener makes.
  SessionPipe(std::unique_ptr<Pipe> first, const SessionHello& hello,
              std::chrono::milliseconds grace, std::chrono::milliseconds longestWait,
              Clock::time_point now);
  ~SessionPipe() override;
  SessionPipe(const SessionPipe&) = delete;
  SessionPipe& operator=(const SessionPipe&) = delete;

  void send(std::span<const std::byte> message) override;
  Outcome flush() override;
  Outcome receive(const Take& take) override;
  Outcome tick(Clock::time_point now) override;
  std::size_t queuedBytes() const override { return kept_.bytes(); }
  const std::optional<Greeting>& peer() const override { return peer_; }
  /// Stays the same, whatever the connections are, and is readable when flush() can go on, too.
  int descriptor() const override { return events_.get(); }
  bool wantsWrite() const override { return false; }
  std::string remoteName() const override { return remoteName_; }
  std::optional<SocketAddress> remoteAddress() const override { return remoteAddress_; }
  std::optional<SessionState> session() const override {
    return SessionState{suspectSince_,  limit(),       waited_,           longestWait_,
                        suspicions_,    resumptions_,  messagesSent_,     messagesReceived_,
                        kept_.end(),    received_};
  }
  std::optional<std::chrono::microseconds> roundTrip() const override;
  std::optional<Clock::time_point> suspectSince() const { return suspectSince_; }
  std::chrono::milliseconds grace() const { return grace_; }
  std::chrono::milliseconds waitLonger(std::chrono::milliseconds by) override;
  /// Who pays for what is kept here beyond 64 KiB, and outlives this. Once it refuses, the session
  /// ends.
  void payFrom(MemoryAccount* memory);
  /// Instead of Pipe::patience.
  void setPatience(std::chrono::milliseconds limit) { patience_ = limit; }

  // For SessionListener.
  std::uint64_t number() const { return session_; }
  const SessionSecret& secret() const { return secret_; }
  /// A further connection of the session, after its SessionHello was found right.
  void attach(std::unique_ptr<Pipe> pipe, const SessionHello& hello);
  /// What came behind the SessionHello of the newest connection.
  Outcome takeEarly(std::span<const fabric::Bytes> messages);
  void onEnd(std::function<void()> ended) { ended_ = std::move(ended); }

 private:
  struct Connection {
    std::unique_ptr<Pipe> pipe;
    std::uint32_t attempt = 0;
    bool answered = false;  ///< D: its SessionAnswer has come
    bool begun = false;     ///< the other's SessionBegin has come
    std::uint64_t nextIn = 0;   ///< position of the byte that comes next
    std::uint64_t nextOut = 0;  ///< of the one that is put into it next
    Clock::time_point since;
    bool writes = false;
    bool over = false;  ///< to be closed
  };

  bool dials() const { return dial_ != nullptr; }
  bool goesOn() const;
  /// So long after it became suspect it is lost.
  std::chrono::milliseconds limit() const {
    return grace_ + (dials() ? longestWait_ : waited_);
  }
  Connection& add(std::unique_ptr<Pipe> pipe, std::uint32_t attempt);
  void say(Connection& connection, const SessionHello& hello);
  void answer(Connection& connection);
  void use(Connection& connection);
  Outcome read(Connection& connection, const Take& take);
  Outcome takeFrame(Connection& connection, std::span<const std::byte> frame, const Take& take);
  Outcome takeAnswer(Connection& connection, std::span<const std::byte> frame);
  Outcome takeBegin(Connection& connection, std::span<const std::byte> frame);
  Outcome takePiece(Connection& connection, std::span<const std::byte> frame, const Take& take);
  Outcome flushOne(Connection& connection);
  void feed(Connection& connection);
  void acknowledge();
  /// What the end of one connection means for the session.
  Outcome ended(Connection& connection, const PipeError& error);
  Outcome garbage() const;
  Outcome noMemory() const;
  bool takeAcknowledged(std::uint64_t position);
  void endBefore(const Connection& connection);
  void dropUnanswered();
  void closeThoseOver();
  Outcome dialAgain();
  void watchWrites(Connection& connection);

  fabric::UniqueFd events_;  ///< epoll: ready when one of the connections is
  Dial dial_;
  std::function<void()> ended_;
  std::uint64_t session_ = 0;
  SessionSecret secret_;
  SessionSecret theirs_;  ///< of the side that listens
  bool isKnown_ = false;  ///< D: L has answered
  std::chrono::milliseconds grace_ = defaultGrace;
  std::chrono::milliseconds longestWait_{0};
  std::chrono::milliseconds waited_{0};  ///< this time
  std::chrono::milliseconds patience_ = patience;
  std::optional<Greeting> peer_;
  std::string remoteName_;
  std::optional<SocketAddress> remoteAddress_;

  std::vector<std::unique_ptr<Connection>> connections_;
  Connection* current_ = nullptr;  ///< over which is sent; null: none is left
  std::uint32_t attempts_ = 0;
  Clock::time_point nextDial_{};

  KeptStream kept_;
  StreamReader reader_;
  Charge charge_;  ///< for both
  bool overdrawn_ = false;
  std::vector<fabric::Bytes> early_;  ///< whole messages that nobody has taken yet
  std::uint64_t received_ = 0;
  std::uint64_t reported_ = 0;  ///< of it, to the other side
  fabric::Bytes frame_;

  Clock::time_point now_;
  Clock::time_point heard_;
  Clock::time_point spoke_;
  bool hasHeard_ = false;
  bool hasSpoken_ = false;
  std::optional<Clock::time_point> suspectSince_;
  std::uint32_t suspectAttempt_ = 0;       ///< the connection it was sent over then; 0: none
  bool heardSince_ = false;
  std::uint64_t acknowledgedBefore_ = 0;
  std::uint64_t suspicions_ = 0;
  std::uint64_t resumptions_ = 0;
  std::uint64_t messagesSent_ = 0;
  std::uint64_t messagesReceived_ = 0;
};

}  // namespace tutti::pipes
