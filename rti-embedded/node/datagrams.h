// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "pipes/address.h"
#include "pipes/datagram_wire.h"
#include "pipes/memory_account.h"
#include "router/best_effort.h"

namespace tutti::node {

/// How a node sends best effort to others.
struct DatagramOptions {
  /// False: over the links, as everything else.
  bool use = true;
  /// A group that all nodes linked to this one can be reached through at once.
  std::optional<pipes::Address> multicast;
  /// How long a small message may wait for others to share its datagram; from 0 to 100 ms.
  std::chrono::microseconds bundle{0};
  /// Nothing is sent or taken that is not sealed with keys agreed on over the links.
  bool sealed = false;
  /// Pays for messages of which only a part has come.
  pipes::MemoryAccount* memory = nullptr;
  /// A network that is worse than it is, for tests: pipes::Faults::parse().
  std::string faults;

  static constexpr std::uint16_t usualGroupPort = 7401;
  static constexpr std::chrono::microseconds longestBundle{100'000};

  /// From TUTTI_DATAGRAMS (0: none), TUTTI_MULTICAST, TUTTI_BUNDLE (microseconds) and
  /// TUTTI_WIRE_FAULTS, for nodes that federates start. The error says which is wrong, and how.
  static tl::expected<DatagramOptions, std::string> fromEnvironment();
};

/// `GROUP` or `GROUP:PORT`, an address in numbers.
tl::expected<pipes::Address, std::string> parseGroup(const std::string& text);
/// Microseconds.
tl::expected<std::chrono::microseconds, std::string> parseBundle(const std::string& text);

/// At the home: datagrams to the port at which it listens for links.
tl::expected<std::unique_ptr<router::BestEffort>, std::string> listenForDatagrams(
    const DatagramOptions& options, const pipes::Address& listensAt);
/// At a linked node, towards its home.
tl::expected<std::unique_ptr<router::BestEffort>, std::string> openDatagrams(
    const DatagramOptions& options, const pipes::Address& home);

}  // namespace tutti::node
