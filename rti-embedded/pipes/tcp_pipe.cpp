// SPDX-License-Identifier: Apache-2.0
#include "pipes/tcp_pipe.h"

#include <linux/sockios.h>
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

#include "pipes/tcp_socket.h"
#include "pipes/tcp_state.h"

namespace tutti::pipes {

using fabric::UniqueFd;
using Kind = PipeError::Kind;

namespace {

constexpr std::size_t longestGreeting = 4096 - sizeof(std::uint32_t);
/// As much as is read at once grows up to this while there is more.
constexpr std::size_t mostStep = 256 * 1024;
/// What a pipe takes without being counted; more is given back when it is not needed.
constexpr std::size_t freeOfCharge = 64 * 1024;
constexpr std::size_t keptBuffer = std::size_t{1} << 20;

bool looksLikeTls(const std::byte* first) {
  const auto type = std::to_integer<unsigned>(first[0]);
  return (type == 0x15 || type == 0x16) && std::to_integer<unsigned>(first[1]) == 3;
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

TcpPipe::TcpPipe(std::unique_ptr<Stream> stream, const Greeting& own, std::string remoteName,
                 MemoryAccount* memory)
    : stream_(std::move(stream)), remoteName_(std::move(remoteName)), charge_(memory, freeOfCharge) {
  send(fabric::toWire(own));
  greetingBytes_ = out_.size();
}

TcpPipe::~TcpPipe() = default;

tl::unexpected<PipeError> TcpPipe::noMemory() const {
  return failed(Kind::System,
                "is closed: the memory budget has no room for what waits here for it or from it; "
                "set TUTTI_MEMORY to more");
}

tl::unexpected<PipeError> TcpPipe::failed(Kind kind, const std::string& what) const {
  return tl::unexpected(PipeError{kind, "the connection to " + remoteName_ + " " + what});
}

tl::unexpected<PipeError> TcpPipe::hasEnded(const Stream::Error& error) const {
  const Kind kind = kindOf(error.number);
  // Whoever wants a key and sees none ends the connection without a word.
  const bool mayWantKey = !peer_ && kind == Kind::Closed && error.text.find(" key") == error.text.npos;
  return failed(kind, error.text + (mayWantKey ? " before it greeted. Is it no RTI node, or does one "
                                                 "side have a key (--key-file, TUTTI_KEY_FILE) and "
                                                 "the other none?"
                                               : ""));
}

tl::expected<std::unique_ptr<TcpPipe>, PipeError> TcpPipe::connect(const Address& address,
                                                                   const Greeting& own,
                                                                   Clock::time_point deadline,
                                                                   const ConnectionRules& rules) {
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
    setUpConnection(socket.get());
    auto pipe = std::make_unique<TcpPipe>(
        streamOver(std::move(socket), rules.security, Security::Side::Connects), own,
        address.text(), rules.memory);
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
                                                                 const Greeting& own,
                                                                 const ConnectionRules& rules) {
  UniqueFd socket(::socket(to.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || (::connect(socket.get(), to.get(), to.bytes()) != 0 && errno != EINPROGRESS)) {
    return tl::unexpected(PipeError{Kind::System, "no connection to the RTI node at " +
                                                      to.address().text() + ": " +
                                                      std::strerror(errno)});
  }
  setUpConnection(socket.get());
  return std::make_unique<TcpPipe>(
      streamOver(std::move(socket), rules.security, Security::Side::Connects), own,
      to.address().text(), rules.memory);
}

void TcpPipe::setPatience(std::chrono::milliseconds limit) {
  patience_ = limit;
  const auto kernels = static_cast<unsigned>(limit.count());
  ::setsockopt(descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kernels, sizeof kernels);
}

std::optional<SocketAddress> TcpPipe::remoteAddress() const {
  return SocketAddress::peerOf(descriptor());
}

std::optional<std::chrono::microseconds> TcpPipe::roundTrip() const {
  const auto state = tcpStateOf(descriptor());
  if (!state || state->roundTrip.count() == 0) return std::nullopt;
  return state->roundTrip;
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
  const std::size_t all = out_.size() + sizeof bytes + message.size();
  if (all > out_.capacity()) {
    const std::size_t grown = std::max(all, 2 * out_.capacity());
    // flush() says so: a message that is not sent ends the pipe.
    if (overdrawn_ || (overdrawn_ = !charge_.set(in_.size() + grown))) return;
    out_.reserve(grown);
  }
  out_.insert(out_.end(), head, head + sizeof bytes);
  out_.insert(out_.end(), message.begin(), message.end());
}

Outcome TcpPipe::flush() {
  if (overdrawn_) return noMemory();
  while (sent_ < out_.size()) {
    // The greeting by itself: the other side may hand the connection on when it has come.
    const std::size_t most = greetingBytes_ != 0 ? greetingBytes_ : out_.size() - sent_;
    const auto count = stream_->write(std::span(out_).subspan(sent_, most));
    if (!count) return hasEnded(count.error());
    if (*count == 0) break;
    sent_ += *count;
    greetingBytes_ -= std::min(greetingBytes_, *count);
    spoke_ = Clock::now();
  }
  if (sent_ == out_.size() && out_.capacity() > keptBuffer) {
    out_ = {};
    sent_ = 0;
    charge_.set(in_.size());
  }
  return {};
}

/// Exactly the greeting, so that what follows it makes the descriptor readable for the next owner,
/// and so that nobody takes more memory who has not greeted.
Outcome TcpPipe::receiveGreeting() {
  while (!peer_) {
    std::uint32_t bytes = 0;
    std::size_t whole = sizeof bytes;
    if (filled_ >= sizeof bytes) {
      std::memcpy(&bytes, in_.data(), sizeof bytes);
      if (bytes > longestGreeting) {
        return failed(Kind::Foreign,
                      looksLikeTls(in_.data())
                          ? "is closed: the RTI node there wants a key. Copy its key file here, and "
                            "name it with --key-file (for a federate: TUTTI_KEY_FILE)"
                          : "is closed: what is there is no RTI node");
      }
      whole += bytes;
      if (filled_ == whole) {
        if (auto done = greet(std::span(in_).subspan(sizeof bytes)); !done) return done;
        filled_ = 0;
        break;
      }
    }
    in_.resize(whole);
    const auto count = stream_->read(std::span(in_).subspan(filled_));
    if (!count) return hasEnded(count.error());
    if (*count == 0) break;
    filled_ += *count;
    heard_ = Clock::now();
  }
  return {};
}

tl::expected<bool, PipeError> TcpPipe::fill() {
  if (read_ == filled_) {
    read_ = filled_ = 0;
    if (in_.size() > keptBuffer) {
      in_ = {};
      charge_.set(out_.capacity());
    }
  }
  bool came = false;
  do {
    if (in_.size() - filled_ < step_ && read_ != 0) {
      std::memmove(in_.data(), in_.data() + read_, filled_ - read_);
      filled_ -= read_;
      read_ = 0;
    }
    if (in_.size() - filled_ < step_) {
      const std::size_t grown = std::max(in_.size() * 2, filled_ + step_);
      if (!charge_.set(grown + out_.capacity())) return noMemory();
      in_.resize(grown);
    }
    const auto count = stream_->read(std::span(in_).subspan(filled_));
    if (!count && came) break;  // what came before the end first
    if (!count) return hasEnded(count.error());
    if (*count == 0) break;
    filled_ += *count;
    if (filled_ == in_.size()) step_ = std::min(2 * step_, mostStep);
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
  if (!peer_) {
    if (auto greeted = receiveGreeting(); !greeted) return greeted;
    if (!peer_ || !stream_->holdsBytes()) return {};
  }
  if (auto more = fill(); !more) return tl::unexpected(more.error());
  return handOut(take);
}

Outcome TcpPipe::handOut(const Take& take) {
  while (filled_ - read_ >= sizeof(std::uint32_t)) {
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, in_.data() + read_, sizeof bytes);
    if (bytes > longestMessage_) {
      return failed(Kind::Foreign, "is closed: it brings what no RTI node sends");
    }
    if (filled_ - read_ - sizeof bytes < bytes) break;
    const std::span<const std::byte> message(in_.data() + read_ + sizeof bytes, bytes);
    if (bytes != 0 && !take) break;
    read_ += sizeof bytes + bytes;
    if (bytes != 0) take(message);
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
  // Otherwise it is the other node that does not read: it hangs.
  const auto state = tcpStateOf(descriptor());
  return state && (state->isUnderWay || state->isHeldBack) && state->sinceAcknowledgement > reach;
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

}  // namespace tutti::pipes
