// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

/// What datagrams between RTI nodes look like, little-endian:
///
///   | DatagramHead | payload ... |
///
/// Each node has drawn a token, which those linked to the same home know of each other. A datagram
/// names its sender by it and shows with its receiver's that it is meant for it; all others are
/// ignored, whoever sent them.
namespace tutti::pipes {

enum class DatagramKind : std::uint8_t {
  /// Is there a way? Padded to the size that is asked about; `sequence` comes back.
  Probe = 1,
  ProbeAnswer = 2,  ///< ProbeReport
  Bundle = 3,       ///< messages, each behind its length of 4 bytes
  Fragment = 4,     ///< FragmentHead, then a part of a message
  Ack = 5,          ///< everything up to `sequence` has come, or will not
};

namespace datagramFlag {
inline constexpr std::uint8_t group = 1;     ///< sent to the multicast group, or about what was
inline constexpr std::uint8_t wantsAck = 2;  ///< Bundle, Fragment
}  // namespace datagramFlag

struct DatagramHead {
  static constexpr std::uint32_t magicValue = 0x54555444;  // "TUTD"

  std::uint32_t magic = magicValue;
  std::uint8_t version = 1;
  DatagramKind kind{};
  std::uint8_t flags = 0;
  std::uint8_t reserved = 0;
  std::uint64_t token = 0;     ///< of the receiver, or of the group
  std::uint64_t from = 0;      ///< token of the sender
  std::uint64_t sequence = 0;  ///< counts Bundle and Fragment, per sender and receiver or group
};
static_assert(sizeof(DatagramHead) == 32);

struct ProbeReport {
  std::uint32_t bytes;   ///< the probe's size
  std::uint32_t window;  ///< bytes that may be on their way here
};

struct FragmentHead {
  std::uint64_t message;  ///< counts the messages in fragments
  std::uint32_t total;    ///< bytes of the message
  std::uint32_t offset;
  std::uint32_t piece;  ///< bytes of every fragment but the last
  std::uint32_t reserved;
};
static_assert(sizeof(FragmentHead) == 24);

/// What every IPv4 and IPv6 network carries in one piece.
inline constexpr std::size_t leastDatagram = 1200;
/// On an Ethernet.
inline constexpr std::size_t usualDatagram = 1452;
/// A message that may be sent in fragments; what is larger goes over the link.
inline constexpr std::size_t largestDatagramMessage = std::size_t{16} << 20;

}  // namespace tutti::pipes
