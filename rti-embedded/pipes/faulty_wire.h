// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "pipes/datagram_wire.h"

namespace tutti::pipes {

/// How a bad network is imitated: each datagram that is sent is lost, sent twice, or sent behind
/// some of its successors, in so many of a thousand cases. The same seed does the same.
struct Faults {
  std::uint64_t seed = 1;
  unsigned loss = 0;
  unsigned duplicate = 0;
  unsigned reorder = 0;

  /// `loss=50,duplicate=10,reorder=20,seed=7`, each of them optional, the first three from 0 to
  /// 1000. The error says what is wrong.
  static tl::expected<Faults, std::string> parse(std::string_view text);
};

/// A wire with faults in what is sent over it.
class FaultyWire final : public DatagramWire {
 public:
  FaultyWire(std::unique_ptr<DatagramWire> wire, const Faults& faults)
      : wire_(std::move(wire)), faults_(faults), random_(faults.seed) {}

  Sent send(const SocketAddress& to, std::span<const std::byte> datagram) override;
  std::optional<std::span<const std::byte>> receive() override { return wire_->receive(); }
  int descriptor() const override { return wire_->descriptor(); }
  std::size_t largestTo(const SocketAddress& to) const override { return wire_->largestTo(to); }
  std::size_t receiveBuffer() const override { return wire_->receiveBuffer(); }
  const SocketAddress& address() const override { return wire_->address(); }

  std::uint64_t lost() const { return lost_; }

 private:
  bool happens(unsigned permille) { return random_() % 1000 < permille; }

  /// One that its successors overtake.
  struct Late {
    SocketAddress to;
    std::vector<std::byte> datagram;
    unsigned behind;  ///< so many more
  };
  std::unique_ptr<DatagramWire> wire_;
  Faults faults_;
  std::mt19937_64 random_;
  std::deque<Late> late_;
  std::uint64_t lost_ = 0;
};

}  // namespace tutti::pipes
