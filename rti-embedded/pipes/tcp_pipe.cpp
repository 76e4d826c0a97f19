// SPDX-License-Identifier: Apache-2.0
#include "pipes/tcp_pipe.h"

#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tutti::pipes {

using fabric::UniqueFd;
using Kind = PipeError::Kind;

namespace {

constexpr std::size_t longestGreeting = 4096;
constexpr std::size_t readStep = 256 * 1024;

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

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

void setUp(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // A few segments that were lost are sent again at even intervals, not ever later: a link that is
  // up again is used again at once.
  ::setsockopt(socket, IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, &on, sizeof on);
  // isCutOff() is sooner in what it can tell.
  const unsigned patience = Pipe::patience.count();
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
}

/// What the error of a connection says about the other side. That its host does not answer says
/// nothing about its process.
Kind kindOf(int error) {
  switch (error) {
    case ECONNREFUSED:
      return Kind::Refused;
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case EHOSTDOWN:
    case ENETUNREACH:
    case ENETDOWN:
      return Kind::Unreachable;
    default:
      return Kind::Closed;
  }
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

/// The error of a connection attempt that has ended; 0: it succeeded.
int connectError(int socket) {
  int error = 0;
  socklen_t bytes = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes);
  return error;
}

bool waitFor(int socket, short events, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{socket, events, 0};
    const int count = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (count > 0) return true;
    if (count < 0 && errno != EINTR) return false;
  }
}

}  // namespace

TcpPipe::TcpPipe(std::unique_ptr<Stream> stream, const Greeting& own, std::string remoteName)
    : stream_(std::move(stream)), remoteName_(std::move(remoteName)) {
  send(fabric::toWire(own));
}

tl::unexpected<PipeError> TcpPipe::failed(Kind kind, const std::string& what) const {
  return tl::unexpected(PipeError{kind, "the connection to " + remoteName_ + " " + what});
}

tl::expected<std::unique_ptr<TcpPipe>, PipeError> TcpPipe::connect(const Address& address,
                                                                   const Greeting& own,
                                                                   Clock::time_point deadline) {
  auto list = resolve(address, false);
  if (!list) return tl::unexpected(list.error());
  int problem = ETIMEDOUT;
  for (const addrinfo* one = list->get(); one != nullptr; one = one->ai_next) {
    UniqueFd socket(
        ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one->ai_protocol));
    if (!socket) {
      problem = errno;
      continue;
    }
    if (::connect(socket.get(), one->ai_addr, one->ai_addrlen) != 0) {
      problem = errno;
      if (problem != EINPROGRESS) continue;
      problem = waitFor(socket.get(), POLLOUT, deadline) ? connectError(socket.get()) : ETIMEDOUT;
      if (problem != 0) continue;
    }
    setUp(socket.get());
    auto pipe = std::make_unique<TcpPipe>(std::make_unique<PlainStream>(std::move(socket)), own,
                                          address.text());
    if (auto flushed = pipe->flush(); !flushed) return tl::unexpected(flushed.error());
    while (!pipe->peer_) {
      const short events = pipe->wantsWrite() ? POLLIN | POLLOUT : POLLIN;
      if (!waitFor(pipe->descriptor(), events, deadline)) {
        return pipe->failed(Kind::Silent,
                            "was made, but nothing there answers as an RTI node does; check the "
                            "port");
      }
      // Nothing but the greeting: what follows it is for the owner of the pipe.
      if (auto greeted = pipe->receive({}); !greeted) return tl::unexpected(greeted.error());
      if (auto flushed = pipe->flush(); !flushed) return tl::unexpected(flushed.error());
    }
    return pipe;
  }
  const bool refused = problem == ECONNREFUSED;
  return tl::unexpected(PipeError{
      refused ? Kind::Refused : Kind::System,
      "no connection to the RTI node at " + address.text() + ": " + std::strerror(problem) +
          ". Start it there with tutti-rti --shm NAME --listen HOST:PORT, and check that a "
          "firewall lets the port pass"});
}

tl::expected<std::unique_ptr<TcpPipe>, PipeError> TcpPipe::begin(const SocketAddress& to,
                                                                 const Greeting& own) {
  UniqueFd socket(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || (::connect(socket.get(), to.get(), to.bytes()) != 0 && errno != EINPROGRESS)) {
    return tl::unexpected(PipeError{Kind::System, "no connection to the RTI node at " +
                                                      to.address().text() + ": " +
                                                      std::strerror(errno)});
  }
  setUp(socket.get());
  return std::make_unique<TcpPipe>(std::make_unique<PlainStream>(std::move(socket)), own,
                                   to.address().text());
}

void TcpPipe::setPatience(std::chrono::milliseconds limit) {
  patience_ = limit;
  const auto kernels = static_cast<unsigned>(limit.count());
  ::setsockopt(descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kernels, sizeof kernels);
}

std::optional<SocketAddress> TcpPipe::remoteAddress() const {
  return SocketAddress::peerOf(descriptor());
}

void TcpPipe::send(std::span<const std::byte> message) {
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  } else if (sent_ > (std::size_t{1} << 20) && sent_ > out_.size() / 2) {
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
  }
  const auto bytes = static_cast<std::uint32_t>(message.size());
  const auto* head = reinterpret_cast<const std::byte*>(&bytes);
  out_.insert(out_.end(), head, head + sizeof bytes);
  out_.insert(out_.end(), message.begin(), message.end());
}

Outcome TcpPipe::flush() {
  while (sent_ < out_.size()) {
    const auto count = stream_->write(std::span(out_).subspan(sent_));
    if (!count) return failed(kindOf(count.error().number), count.error().text);
    if (*count == 0) break;
    sent_ += *count;
    spoke_ = Clock::now();
  }
  return {};
}

tl::expected<bool, PipeError> TcpPipe::fill() {
  if (read_ == filled_) read_ = filled_ = 0;
  bool came = false;
  do {
    if (in_.size() - filled_ < readStep) {
      if (read_ != 0) {
        std::memmove(in_.data(), in_.data() + read_, filled_ - read_);
        filled_ -= read_;
        read_ = 0;
      }
      if (in_.size() - filled_ < readStep) in_.resize(std::max(2 * in_.size(), filled_ + readStep));
    }
    const auto count = stream_->read(std::span(in_).subspan(filled_));
    if (!count && came) break;  // what came before the end first
    if (!count) return failed(kindOf(count.error().number), count.error().text);
    if (*count == 0) break;
    filled_ += *count;
    heard_ = Clock::now();
    came = true;
  } while (stream_->holdsBytes());
  return came;
}

Outcome TcpPipe::greet(std::span<const std::byte> message) {
  Greeting greeting;
  // What comes behind these may be another version's.
  fabric::WireReader reader(message);
  reader(greeting.magic, greeting.version, greeting.layout, greeting.node);
  if (reader.failed() || greeting.magic != Greeting::magicValue) {
    return failed(Kind::Foreign, "is closed: what is there is no RTI node");
  }
  if (greeting.version != Greeting::currentVersion || greeting.layout != fabric::layoutVersion) {
    return failed(Kind::Foreign,
                  "is closed: the RTI node '" + greeting.node + "' there is of another version (" +
                      std::to_string(greeting.version) + "." + std::to_string(greeting.layout) +
                      ", this one " + std::to_string(Greeting::currentVersion) + "." +
                      std::to_string(fabric::layoutVersion) +
                      "); use one version of Tutti on all hosts");
  }
  reader(greeting.datagramPort, greeting.neighbourPort, greeting.token);
  if (reader.failed()) return failed(Kind::Foreign, "is closed: what is there is no RTI node");
  peer_ = std::move(greeting);
  return {};
}

Outcome TcpPipe::receive(const Take& take) {
  if (auto more = fill(); !more) return tl::unexpected(more.error());
  return handOut(take);
}

Outcome TcpPipe::handOut(const Take& take) {
  while (filled_ - read_ >= sizeof(std::uint32_t)) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, in_.data() + read_, sizeof bytes);
    if (bytes > (peer_ ? longestMessage_ : longestGreeting)) {
      return failed(Kind::Foreign, peer_ ? "is closed: it brings what no RTI node sends"
                                         : "is closed: what is there is no RTI node");
    }
    if (filled_ - read_ - sizeof bytes < bytes) break;
    const std::span<const std::byte> message(in_.data() + read_ + sizeof bytes, bytes);
    if (peer_ && bytes != 0 && !take) break;
    read_ += sizeof bytes + bytes;
    if (!peer_) {
      if (auto greeted = greet(message); !greeted) return greeted;
    } else if (bytes != 0) {
      take(message);
    }
  }
  return {};
}

/// True when something was sent, and nothing has come from the other host since for longer than
/// `reach`. Both kernels answer whether or not a node gets to run; what a lossy network has lost
/// does not matter as long as anything of what is sent all the time arrives.
bool TcpPipe::isCutOff(Clock::time_point now) {
  int unacknowledged = 0;
  if (::ioctl(descriptor(), SIOCOUTQ, &unacknowledged) != 0) return false;
  const std::uint64_t acknowledged = stream_->written() - static_cast<std::uint64_t>(unacknowledged);
  if (unacknowledged == 0 || acknowledged != acknowledged_) {
    acknowledged_ = acknowledged;
    waitsSince_ = now;
    return false;
  }
  if (now - waitsSince_ <= reach) return false;
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (::getsockopt(descriptor(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return false;
  // With nothing under way it is the other node that does not read: it hangs.
  return info.tcpi_unacked != 0 && info.tcpi_last_ack_recv > reach.count();
}

Outcome TcpPipe::tick(Clock::time_point now) {
  if (isCutOff(now)) {
    return failed(Kind::CutOff,
                  "is given up: the other host is down, or out of reach (no answer "
                  "for " +
                      std::to_string(reach.count()) + " ms)");
  }
  // What came while this process itself did not run counts as heard.
  const bool wasAway = now - ticked_ > patience_ / 2;
  ticked_ = now;
  if (wasAway) heard_ = std::max(heard_, now - patience_ / 2);
  if (now - heard_ > patience_) {
    char byte = 0;
    if (::recv(descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
      heard_ = now;
    } else {
      return failed(Kind::Silent, "is given up: nothing was heard for " +
                                      std::to_string(patience_.count()) +
                                      " ms. The RTI node there hangs");
    }
  }
  if (now - spoke_ >= heartbeat && queuedBytes() == 0) send({});
  return flush();
}

// --- listening -----------------------------------------------------------------------------------

tl::expected<TcpListener, PipeError> TcpListener::listen(const Address& address) {
  auto list = resolve(address, true);
  if (!list) return tl::unexpected(list.error());
  const addrinfo& one = **list;
  const auto refuse = [&](int error) {
    const char* next = error == EADDRINUSE ? "; another program listens there, choose another port"
                       : error == EADDRNOTAVAIL ? "; it is no address of this machine"
                                                : "";
    return tl::unexpected(PipeError{
        Kind::System, "cannot listen at " + address.text() + ": " + std::strerror(error) + next});
  };
  UniqueFd socket(
      ::socket(one.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, one.ai_protocol));
  if (!socket) return refuse(errno);
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), one.ai_addr, one.ai_addrlen) != 0) return refuse(errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return refuse(errno);

  TcpListener listener;
  listener.address_ = address;
  sockaddr_storage bound{};
  socklen_t bytes = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &bytes) == 0) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&bound);
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&bound);
    listener.address_.port = ntohs(bound.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
  }
  listener.socket_ = std::move(socket);
  return listener;
}

std::unique_ptr<TcpPipe> TcpListener::accept(const Greeting& own) {
  sockaddr_storage peer{};
  socklen_t bytes = sizeof peer;
  UniqueFd socket(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &bytes,
                            SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return nullptr;
  setUp(socket.get());
  return std::make_unique<TcpPipe>(std::make_unique<PlainStream>(std::move(socket)), own,
                                   nameOf(reinterpret_cast<sockaddr*>(&peer), bytes));
}

}  // namespace tutti::pipes
