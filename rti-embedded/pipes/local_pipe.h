// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fabric/wire.h"
#include "pipes/memory_account.h"
#include "pipes/pipe.h"

namespace tutti::pipes {

/// One end of a pipe whose both ends are in one process and served by one thread.
///
/// What was sent and is not received yet is paid for; when nobody pays, the end that sends is of no
/// more use.
///
/// It has no descriptor: the end that is told something calls back, from within the other's
/// flush(). An end that is destroyed ends the connection; the other still receives what came
/// before.
class LocalPipe final : public Pipe {
 public:
  /// `memory` outlives both.
  static std::pair<std::unique_ptr<LocalPipe>, std::unique_ptr<LocalPipe>> pair(
      const Greeting& greeting, MemoryAccount* memory = nullptr);
  ~LocalPipe() override;

  /// Called when there is something to receive where there was nothing. Not to receive at once.
  void onArrival(std::function<void()> arrived) { arrived_ = std::move(arrived); }

  void send(std::span<const std::byte> message) override;
  Outcome flush() override;
  Outcome receive(const Take& take) override;
  Outcome tick(Clock::time_point now) override;
  /// Also counts what the other end has not received yet.
  std::size_t queuedBytes() const override;
  const std::optional<Greeting>& peer() const override { return peer_; }
  int descriptor() const override { return -1; }
  std::string remoteName() const override { return "this host"; }

 private:
  LocalPipe(Greeting greeting, MemoryAccount* memory)
      : peer_(std::move(greeting)), charge_(memory) {}
  void arrived();

  std::optional<Greeting> peer_;
  LocalPipe* other_ = nullptr;  ///< null: it has ended
  std::function<void()> arrived_;
  fabric::Bytes out_;       ///< messages, each behind its length
  fabric::Bytes in_;        ///< likewise
  fabric::Bytes received_;  ///< its storage is used again
  Charge charge_;           ///< for what the other end has not received
  bool overdrawn_ = false;
};

}  // namespace tutti::pipes
