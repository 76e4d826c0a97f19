// SPDX-License-Identifier: Apache-2.0
#include "pipes/datagram_wire.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/ip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tutti::pipes {

using fabric::UniqueFd;

namespace {

/// Room for bursts; what the system grants without privileges is less.
constexpr int wantedBuffer = 4 << 20;
constexpr std::size_t headersV4 = 28;
constexpr std::size_t headersV6 = 48;
constexpr std::size_t largestPayload = 65507;

std::string lastError() { return std::strerror(errno); }

void enlarge(int socket, int option, int forced) {
  if (::setsockopt(socket, SOL_SOCKET, forced, &wantedBuffer, sizeof wantedBuffer) == 0) return;
  ::setsockopt(socket, SOL_SOCKET, option, &wantedBuffer, sizeof wantedBuffer);
}

}  // namespace

// --- addresses -----------------------------------------------------------------------------------

SocketAddress::SocketAddress(const sockaddr* address, socklen_t bytes)
    : bytes_(std::min<socklen_t>(bytes, sizeof storage_)) {
  std::memcpy(&storage_, address, bytes_);
}

tl::expected<SocketAddress, std::string> SocketAddress::of(const Address& address, bool toListen) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = toListen ? AI_PASSIVE : 0;
  addrinfo* list = nullptr;
  const int error =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &list);
  if (error != 0) {
    return tl::unexpected("the host '" + address.host + "' of " + address.text() +
                          " is not known here (" + ::gai_strerror(error) + "); check the name");
  }
  const SocketAddress found(list->ai_addr, list->ai_addrlen);
  ::freeaddrinfo(list);
  return found;
}

std::optional<SocketAddress> SocketAddress::peerOf(int socket) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (::getpeername(socket, address, &bytes) != 0) return std::nullopt;
  return SocketAddress(address, bytes);
}

std::optional<SocketAddress> SocketAddress::ownOf(int socket) {
  sockaddr_storage storage{};
  socklen_t bytes = sizeof storage;
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (::getsockname(socket, address, &bytes) != 0) return std::nullopt;
  return SocketAddress(address, bytes);
}

bool SocketAddress::isLoopback() const {
  if (family() == AF_INET) {
    constexpr std::uint32_t network = 127;
    return ntohl(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr.s_addr) >> 24 == network;
  }
  return family() == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

bool SocketAddress::isMulticast() const {
  if (family() == AF_INET) {
    return IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_addr.s_addr));
  }
  return family() == AF_INET6 &&
         IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

std::uint16_t SocketAddress::port() const {
  return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port
                                    : reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
}

void SocketAddress::setPort(std::uint16_t port) {
  if (family() == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(&storage_)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(&storage_)->sin_port = htons(port);
  }
}

Address SocketAddress::address() const {
  char host[NI_MAXHOST];
  if (::getnameinfo(get(), bytes_, host, sizeof host, nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return {host, port()};
}

// --- UDP -----------------------------------------------------------------------------------------

UdpWire::UdpWire(UniqueFd socket) : socket_(std::move(socket)), buffer_(batch * largest) {
  enlarge(socket_.get(), SO_RCVBUF, SO_RCVBUFFORCE);
  enlarge(socket_.get(), SO_SNDBUF, SO_SNDBUFFORCE);
  int granted = 0;
  socklen_t bytes = sizeof granted;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &granted, &bytes);
  receiveBuffer_ = static_cast<std::size_t>(granted);
  if (const auto own = SocketAddress::ownOf(socket_.get())) address_ = *own;
  // What is too long for the way is refused, and then sent in smaller pieces: a datagram of which
  // the network loses a part is lost whole.
  const int v4 = IP_PMTUDISC_DO;
  ::setsockopt(socket_.get(), IPPROTO_IP, IP_MTU_DISCOVER, &v4, sizeof v4);
  if (address_.family() == AF_INET6) {
    const int v6 = IPV6_PMTUDISC_DO;
    ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &v6, sizeof v6);
  }
}

tl::expected<std::unique_ptr<UdpWire>, std::string> UdpWire::open(const SocketAddress& at,
                                                                  bool shared) {
  const auto refuse = [&] {
    return tl::unexpected("no datagrams at " + at.address().text() + ": " + lastError());
  };
  UniqueFd socket(::socket(at.family(), SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return refuse();
  const int on = 1;
  if (shared) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), at.get(), at.bytes()) != 0) return refuse();
  return std::unique_ptr<UdpWire>(new UdpWire(std::move(socket)));
}

tl::expected<std::unique_ptr<UdpWire>, std::string> UdpWire::bind(const SocketAddress& at) {
  return open(at, false);
}

tl::expected<SocketAddress, std::string> UdpWire::addressTowards(const SocketAddress& to) {
  // The system chooses the address; a connected socket receives from one host only, so it is used
  // for nothing else.
  const UniqueFd probe(::socket(to.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!probe || ::connect(probe.get(), to.get(), to.bytes()) != 0) {
    return tl::unexpected("no datagrams to " + to.address().text() + ": " + lastError());
  }
  auto own = SocketAddress::ownOf(probe.get());
  if (!own) return tl::unexpected("no datagrams to " + to.address().text() + ": " + lastError());
  own->setPort(0);
  return *own;
}

tl::expected<std::unique_ptr<UdpWire>, std::string> UdpWire::bindTowards(const SocketAddress& to) {
  const auto own = addressTowards(to);
  if (!own) return tl::unexpected(own.error());
  return open(*own, false);
}

tl::expected<std::unique_ptr<UdpWire>, std::string> UdpWire::joinGroup(const SocketAddress& group,
                                                                       const SocketAddress& own) {
  auto wire = open(group, true);
  if (!wire) return wire;
  const int socket = (*wire)->descriptor();
  int joined = -1;
  if (group.family() == AF_INET && own.family() == AF_INET) {
    ip_mreq request{};
    request.imr_multiaddr = reinterpret_cast<const sockaddr_in*>(group.get())->sin_addr;
    request.imr_interface = reinterpret_cast<const sockaddr_in*>(own.get())->sin_addr;
    joined = ::setsockopt(socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
  } else if (group.family() == AF_INET6) {
    ipv6_mreq request{};
    request.ipv6mr_multiaddr = reinterpret_cast<const sockaddr_in6*>(group.get())->sin6_addr;
    request.ipv6mr_interface = own.family() == AF_INET6
                                   ? reinterpret_cast<const sockaddr_in6*>(own.get())->sin6_scope_id
                                   : 0;
    joined = ::setsockopt(socket, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof request);
  } else {
    errno = EAFNOSUPPORT;
  }
  if (joined != 0) {
    return tl::unexpected("the multicast group " + group.address().text() + " cannot be joined: " +
                          lastError() + ". Check the group, and that this network has multicast");
  }
  return wire;
}

void UdpWire::sendGroupsThrough(const SocketAddress& own) {
  if (own.family() == AF_INET) {
    const in_addr through = reinterpret_cast<const sockaddr_in*>(own.get())->sin_addr;
    ::setsockopt(socket_.get(), IPPROTO_IP, IP_MULTICAST_IF, &through, sizeof through);
    const int hops = 1;
    ::setsockopt(socket_.get(), IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops);
  } else {
    const unsigned through = reinterpret_cast<const sockaddr_in6*>(own.get())->sin6_scope_id;
    ::setsockopt(socket_.get(), IPPROTO_IPV6, IPV6_MULTICAST_IF, &through, sizeof through);
  }
}

UdpWire::Sent UdpWire::send(const SocketAddress& to, std::span<const std::byte> datagram) {
  for (;;) {
    const ssize_t count = ::sendto(socket_.get(), datagram.data(), datagram.size(), MSG_NOSIGNAL,
                                   to.get(), to.bytes());
    if (count >= 0) return Sent::Yes;
    switch (errno) {
      case EINTR:
        continue;
      case EAGAIN:
      case ENOBUFS:
        return Sent::Full;
      case EMSGSIZE:
        return Sent::TooLong;
      case ECONNREFUSED:  // of an earlier one
        return Sent::Yes;
      default:
        return Sent::Failed;
    }
  }
}

std::optional<std::span<const std::byte>> UdpWire::receive() {
  if (next_ == received_.size()) {
    std::array<mmsghdr, batch> messages{};
    std::array<iovec, batch> parts{};
    for (std::size_t i = 0; i < batch; ++i) {
      parts[i] = {buffer_.data() + i * largest, largest};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(socket_.get(), messages.data(), batch, MSG_DONTWAIT, nullptr);
    next_ = 0;
    received_.clear();
    for (int i = 0; i < count; ++i) {
      received_.push_back(messages[static_cast<std::size_t>(i)].msg_len);
    }
    if (received_.empty()) return std::nullopt;
  }
  const std::size_t one = next_++;
  return std::span<const std::byte>(buffer_.data() + one * largest, received_[one]);
}

std::size_t UdpWire::largestTo(const SocketAddress& to) const {
  const std::size_t headers = to.family() == AF_INET6 ? headersV6 : headersV4;
  constexpr std::size_t ethernet = 1500;
  const UniqueFd probe(::socket(to.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  int mtu = 0;
  socklen_t bytes = sizeof mtu;
  const bool known = probe && !to.isMulticast() &&
                     ::connect(probe.get(), to.get(), to.bytes()) == 0 &&
                     ::getsockopt(probe.get(), to.family() == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP,
                                  to.family() == AF_INET6 ? IPV6_MTU : IP_MTU, &mtu, &bytes) == 0 &&
                     mtu > static_cast<int>(headers);
  return std::min((known ? static_cast<std::size_t>(mtu) : ethernet) - headers, largestPayload);
}

}  // namespace tutti::pipes
