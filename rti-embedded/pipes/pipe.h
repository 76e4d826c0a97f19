// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "fabric/layout.h"

namespace tutti::pipes {

using Clock = std::chrono::steady_clock;

/// Who is at the other end of a pipe: what a node says first.
struct Greeting {
  static constexpr std::uint32_t magicValue = 0x54555450;  // "TUTP"
  static constexpr std::uint16_t currentVersion = 7;

  std::uint32_t magic = magicValue;
  std::uint16_t version = currentVersion;
  std::uint32_t layout = fabric::layoutVersion;  ///< of shared memory: both ends copy it
  std::string node;                              ///< for display
  std::uint16_t datagramPort = 0;                ///< where it receives datagrams; 0: nowhere
  std::uint16_t neighbourPort = 0;               ///< where others linked to its home can connect
  std::uint64_t token = 0;                       ///< what both have to show
  template <class A>
  void fields(A& a) {
    a(magic, version, layout, node, datagramPort, neighbourPort, token);
  }
};

struct PipeError {
  enum class Kind {
    Refused,      ///< nobody listens there
    Closed,       ///< the other side has ended the connection: its process, or it said so
    CutOff,       ///< the other host acknowledges nothing; the connection may still go on
    Unreachable,  ///< this host has ended the connection, because the other does not answer
    Silent,       ///< nothing was heard of the other side for too long
    Foreign,      ///< what came is not of an RTI node, or of another version
    System,
  };
  Kind kind = Kind::System;
  std::string text;  ///< what, where, why, what next
};
/// Of a pipe that outlives its connections (SessionPipe).
struct SessionState {
  /// Nothing that was sent is acknowledged since then, so that it may be lost; nothing: the other
  /// side is there.
  std::optional<Clock::time_point> suspectSince;
  std::chrono::milliseconds grace{0};        ///< so long after that it is lost, with `waited`
  std::chrono::milliseconds waited{0};       ///< of it: what waitLonger() has added this time
  std::chrono::milliseconds longestWait{0};  ///< so much that may be
  std::uint64_t suspicions = 0;              ///< so many so far
  std::uint64_t resumptions = 0;             ///< so many of them ended with a new connection
  /// Messages, and bytes of them with their lengths, that were put into the session and have come
  /// out of it since it began; what is sent again counts once.
  std::uint64_t messagesSent = 0;
  std::uint64_t messagesReceived = 0;
  std::uint64_t bytesSent = 0;
  std::uint64_t bytesReceived = 0;
};
using Outcome = tl::expected<void, PipeError>;

class SocketAddress;

/// A connection between two RTI nodes: messages of any size, in order, each once. No call waits.
/// After an error the pipe is of no more use, but for CutOff from tick(). Not thread-safe.
class Pipe {
 public:
  /// Longest message; a longer one is taken for garbage.
  static constexpr std::size_t largestMessage = std::size_t{1} << 30;
  /// A side that has nothing to say says so this often.
  static constexpr std::chrono::milliseconds heartbeat{200};
  /// A host that does not acknowledge anything for so long is down or out of reach.
  static constexpr std::chrono::milliseconds reach{1400};
  /// A node that does not say anything for so long hangs, though its host is there.
  static constexpr std::chrono::milliseconds patience{10'000};

  using Take = std::function<void(std::span<const std::byte>)>;

  virtual ~Pipe() = default;

  /// Puts a message behind those that wait to be sent. They leave with flush(), as many at a time
  /// as the wire takes.
  virtual void send(std::span<const std::byte> message) = 0;
  virtual Outcome flush() = 0;
  /// Reads once what has come, and hands every message that is now whole to `take`: what is left
  /// makes the descriptor readable again. Without `take` they stay.
  virtual Outcome receive(const Take& take) = 0;
  /// To be called at least every `heartbeat`: keeps the connection alive, and finds it dead.
  virtual Outcome tick(Clock::time_point now) = 0;

  /// Bytes that wait to be sent; of a pipe that outlives its connections, or to be acknowledged.
  virtual std::size_t queuedBytes() const = 0;
  /// Whether flush() can go on as soon as the descriptor is writable. Not the same as having queued
  /// bytes: while keys are being agreed on, they may wait for the other side.
  virtual bool wantsWrite() const { return queuedBytes() != 0; }
  /// What the other side said first; nothing before that has come.
  virtual const std::optional<Greeting>& peer() const = 0;
  /// Readable when there is something to receive; writable when flush() can go on.
  virtual int descriptor() const = 0;
  /// For display.
  virtual std::string remoteName() const = 0;
  /// Nothing where the other end is in this process.
  virtual std::optional<SocketAddress> remoteAddress() const;
  /// How long a segment and its acknowledgement took lately, as the kernel has it (TCP_INFO);
  /// nothing: it is not known, or no connection.
  virtual std::optional<std::chrono::microseconds> roundTrip() const { return std::nullopt; }
  /// Nothing: its end is that of a connection.
  virtual std::optional<SessionState> session() const { return std::nullopt; }
  /// While it is suspect: it is lost so much later, as far as the longest wait allows. What was
  /// added.
  virtual std::chrono::milliseconds waitLonger(std::chrono::milliseconds) {
    return std::chrono::milliseconds(0);
  }
  /// A message that is longer is taken for garbage; until now, one above `largestMessage`.
  virtual void limitMessages(std::size_t) {}
};

/// Takes what came before the end of a pipe, however that was noticed.
void receiveRest(Pipe& pipe, const Pipe::Take& take);

}  // namespace tutti::pipes
