// SPDX-License-Identifier: Apache-2.0
#include "pipes/pipe.h"

#include <poll.h>

#include "pipes/datagram_wire.h"

namespace tutti::pipes {

std::optional<SocketAddress> Pipe::remoteAddress() const { return std::nullopt; }

void receiveRest(Pipe& pipe, const Pipe::Take& take) {
  constexpr int mostReads = 1024;
  pollfd waiting{pipe.descriptor(), POLLIN, 0};
  for (int i = 0; i < mostReads; ++i) {
    if (::poll(&waiting, 1, 0) <= 0 || (waiting.revents & POLLIN) == 0) return;
    if (!pipe.receive(take)) return;
  }
}

}  // namespace tutti::pipes
