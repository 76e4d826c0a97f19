// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipes/key_file.h"
#include "pipes/sequence_window.h"

namespace tutti::pipes {

/// Datagrams that only those who have the key can read or make: AES-256-GCM.
///
///   | head 32 | number 8 | payload, encrypted ... | tag 16 |
///
/// The head is a DatagramHead that everybody can read and nobody can change. `number` counts what
/// one sender has sealed with a key: it is the nonce, so that none is used twice, and a datagram
/// that comes again is not opened again.
///
/// The key is the one that two nodes, or all of a multicast group, were told over their links. Each
/// direction has its own, made from it and the tokens of sender and receiver.
namespace seal {
inline constexpr std::size_t numberBytes = sizeof(std::uint64_t);
inline constexpr std::size_t tagBytes = 16;
/// What sealing adds.
inline constexpr std::size_t overhead = numberBytes + tagBytes;
}  // namespace seal

struct CipherContext;
struct FreeCipherContext {
  void operator()(CipherContext* one) const;
};

/// Bytes of a key for datagrams, drawn anew for each pair of nodes; empty: none.
std::vector<std::byte> randomDatagramKey();

/// The sending end.
class Sealer {
 public:
  /// `key` has Key::bytes bytes.
  Sealer(std::span<const std::byte> key, std::uint64_t from, std::uint64_t to);

  /// The datagram, which begins with a head, sealed; it stays until the next call. Empty when that
  /// cannot be done.
  std::span<const std::byte> seal(std::span<const std::byte> datagram);

 private:
  std::unique_ptr<CipherContext, FreeCipherContext> cipher_;
  std::uint64_t number_ = 0;
  std::vector<std::byte> sealed_;
};

/// The receiving end.
class Opener {
 public:
  enum class Result { Opened, Forged, Repeated };

  Opener(std::span<const std::byte> key, std::uint64_t from, std::uint64_t to);

  /// On success `opened` is the datagram as it was before it was sealed, until the next call.
  Result open(std::span<const std::byte> datagram, std::span<const std::byte>& opened);

 private:
  std::unique_ptr<CipherContext, FreeCipherContext> cipher_;
  SequenceWindow window_;
  std::vector<std::byte> opened_;
};

}  // namespace tutti::pipes
