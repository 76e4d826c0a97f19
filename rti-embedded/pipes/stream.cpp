// SPDX-License-Identifier: Apache-2.0
#include "pipes/stream.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace tutti::pipes {

tl::expected<std::size_t, Stream::Error> PlainStream::read(std::span<std::byte> to) {
  for (;;) {
    const ssize_t count = ::recv(socket_.get(), to.data(), to.size(), MSG_DONTWAIT);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0) return tl::unexpected(Error("was ended by the other side"));
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    return tl::unexpected(Error(std::string("has ended: ") + std::strerror(errno), errno));
  }
}

tl::expected<std::size_t, Stream::Error> PlainStream::write(std::span<const std::byte> bytes) {
  for (;;) {
    const ssize_t count =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      written_ += static_cast<std::uint64_t>(count);
      return static_cast<std::size_t>(count);
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
    return tl::unexpected(Error(std::string("has ended: ") + std::strerror(errno), errno));
  }
}

}  // namespace tutti::pipes
