// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

namespace tutti::pipes {

/// What the kernel knows of a TCP connection (tcp(7), TCP_INFO).
struct TcpState {
  bool isUnderWay = false;  ///< segments were sent that the other kernel has not acknowledged
  /// Nothing is under way although there is something to send and the other side has room for it:
  /// this host has no way to the other, as when its own interface is down.
  bool isHeldBack = false;
  std::chrono::milliseconds sinceAcknowledgement{0};  ///< since anything was acknowledged
  std::chrono::microseconds roundTrip{0};  ///< the kernel's smoothed one; 0: not measured yet
};

/// Nothing when the descriptor is no TCP connection. A kernel before Linux 5.4 does not tell what
/// is held back.
std::optional<TcpState> tcpStateOf(int descriptor);

}  // namespace tutti::pipes
