// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/wire.h"
#include "pipes/address.h"
#include "pipes/connection_rules.h"
#include "pipes/datagram_wire.h"
#include "pipes/pipe.h"
#include "pipes/stream.h"

namespace tutti::pipes {

/// A pipe over one TCP connection.
///
///   | bytes 4 | message ... |     little-endian; a length of 0 is a heartbeat
///
/// The first message of each side is its Greeting. Until the other's has come, and been found of
/// this version, nothing else is accepted and no length above that of a greeting believed.
class TcpPipe final : public Pipe {
 public:
  /// Connects, and waits until `deadline` for the other's greeting.
  static tl::expected<std::unique_ptr<TcpPipe>, PipeError> connect(const Address& address,
                                                                   const Greeting& own,
                                                                   Clock::time_point deadline,
                                                                   const ConnectionRules& rules = {});
  /// Connects and does not wait: the pipe fails later if nobody answers there.
  static tl::expected<std::unique_ptr<TcpPipe>, PipeError> begin(const SocketAddress& to,
                                                                 const Greeting& own,
                                                                 const ConnectionRules& rules = {});
  /// A connection that was accepted, or made. `memory` pays for what waits in it beyond 64 KiB.
  TcpPipe(std::unique_ptr<Stream> stream, const Greeting& own, std::string remoteName,
          MemoryAccount* memory = nullptr);
  ~TcpPipe() override;

  void send(std::span<const std::byte> message) override;
  Outcome flush() override;
  Outcome receive(const Take& take) override;
  Outcome tick(Clock::time_point now) override;
  std::size_t queuedBytes() const override { return out_.size() - sent_; }
  const std::optional<Greeting>& peer() const override { return peer_; }
  bool wantsWrite() const override { return stream_->wantsWrite(queuedBytes() != 0); }
  int descriptor() const override { return stream_->descriptor(); }
  std::string remoteName() const override { return remoteName_; }
  std::optional<SocketAddress> remoteAddress() const override;
  std::optional<std::chrono::microseconds> roundTrip() const override;
  void limitMessages(std::size_t bytes) override { longestMessage_ = bytes; }
  /// Instead of Pipe::patience; also how long this kernel tries to reach the other.
  void setPatience(std::chrono::milliseconds limit);

 private:
  static constexpr std::size_t leastStep = 4096;

  tl::unexpected<PipeError> failed(PipeError::Kind kind, const std::string& what) const;
  /// Reads what has come. True: something has.
  tl::expected<bool, PipeError> fill();
  Outcome receiveGreeting();
  Outcome handOut(const Take& take);
  tl::unexpected<PipeError> noMemory() const;
  tl::unexpected<PipeError> hasEnded(const Stream::Error& error) const;
  Outcome greet(std::span<const std::byte> message);
  bool isCutOff(Clock::time_point now);

  std::unique_ptr<Stream> stream_;
  std::string remoteName_;
  std::optional<Greeting> peer_;
  fabric::Bytes in_;
  std::size_t read_ = 0;    ///< of in_: handed out
  std::size_t filled_ = 0;  ///< of in_: come in
  std::size_t step_ = leastStep;  ///< read at once
  fabric::Bytes out_;
  std::size_t sent_ = 0;            ///< of out_
  std::size_t longestMessage_ = largestMessage;
  std::size_t greetingBytes_ = 0;   ///< of the own greeting that have not left
  Charge charge_;  ///< for both buffers
  bool overdrawn_ = false;
  std::uint64_t acknowledged_ = 0;  ///< bytes of the stream, by the other host
  Clock::time_point waitsSince_ = Clock::now();
  std::chrono::milliseconds patience_ = patience;
  Clock::time_point heard_ = Clock::now();
  Clock::time_point spoke_ = Clock::now();
  Clock::time_point ticked_ = Clock::now();
};

}  // namespace tutti::pipes
