// SPDX-License-Identifier: Apache-2.0
#include "pipes/tcp_state.h"

// Not <netinet/tcp.h>, whose tcp_info ends before the window.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>

namespace tutti::pipes {

std::optional<TcpState> tcpStateOf(int descriptor) {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return std::nullopt;
  TcpState state;
  state.isUnderWay = info.tcpi_unacked != 0;
  state.sinceAcknowledgement = std::chrono::milliseconds(info.tcpi_last_ack_recv);
  state.roundTrip = std::chrono::microseconds(info.tcpi_rtt);
  const bool knowsWindow = bytes >= offsetof(tcp_info, tcpi_snd_wnd) + sizeof info.tcpi_snd_wnd;
  // A kernel may keep less than a full segment until there is room for one.
  state.isHeldBack = knowsWindow && !state.isUnderWay && info.tcpi_notsent_bytes != 0 &&
                     info.tcpi_snd_wnd >= std::min(info.tcpi_notsent_bytes, info.tcpi_snd_mss);
  return state;
}

}  // namespace tutti::pipes
