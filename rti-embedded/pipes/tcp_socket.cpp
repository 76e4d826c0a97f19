// SPDX-License-Identifier: Apache-2.0
#include "pipes/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cstring>

namespace tutti::pipes {

using Kind = PipeError::Kind;

tl::expected<Addresses, PipeError> resolve(const Address& address, bool toListen) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = toListen ? AI_PASSIVE : 0;
  addrinfo* list = nullptr;
  const int error =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  if (error != 0) {
    return tl::unexpected(PipeError{Kind::System, "the host '" + address.host + "' of " +
                                                      address.text() + " is not known here (" +
                                                      ::gai_strerror(error) + "); check the name"});
  }
  return Addresses(list);
}

void setUpConnection(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A few segments that were lost are sent again at even intervals, not ever later: a link that is
  // up again is used again at once.
  ::setsockopt(socket, IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, &on, sizeof on);
  // isCutOff() is sooner in what it can tell.
  const unsigned patience = Pipe::patience.count();
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

std::string nameOf(const sockaddr* address, socklen_t bytes) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(address, bytes, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "an unknown host";
  }
  const bool brackets = std::strchr(host, ':') != nullptr;
  return (brackets ? "[" + std::string(host) + "]" : host) + ":" + port;
}

}  // namespace tutti::pipes
