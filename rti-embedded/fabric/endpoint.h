// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fabric/wire.h"

namespace tutti::fabric {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  /// A process that is forked while it is open here closes its copy. forkGuard() is held.
  static UniqueFd guarded(int fd);
  UniqueFd(UniqueFd&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), guarded_(std::exchange(other.guarded_, false)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
      guarded_ = std::exchange(other.guarded_, false);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_ = -1;
  bool guarded_ = false;
};

struct EndpointError {
  enum class Kind {
    Refused,  ///< nobody listens
    Closed,   ///< the other side is gone
    TimedOut,
    Denied,  ///< the peer is another user
    System,
  };
  Kind kind = Kind::System;
  std::string text;
};

/// A datagram with the descriptors that came with it.
struct Datagram {
  Bytes bytes;
  std::vector<UniqueFd> descriptors;
};

/// One end of a connection between a process and its RTI node: SOCK_SEQPACKET, close-on-exec.
/// Datagrams of any size: past 32 KiB the bytes travel in a memfd of their own. Not thread-safe.
class Endpoint {
 public:
  using Clock = std::chrono::steady_clock;

  Endpoint() = default;
  explicit Endpoint(UniqueFd socket) : socket_(std::move(socket)) {}

  /// Connects to the abstract socket `tutti/<uid>/<name>` of this user.
  static tl::expected<Endpoint, EndpointError> connect(std::string_view name);
  /// The same for this end, which is closed: while it waits, close() in a process that another
  /// thread forks closes that process's copy of the socket.
  tl::expected<void, EndpointError> open(std::string_view name);
  /// The listening socket of a node; Kind::Refused when another node has the name.
  static tl::expected<UniqueFd, EndpointError> listen(std::string_view name);
  /// The next connection on a listening socket; Denied when it is from another user.
  static tl::expected<Endpoint, EndpointError> accept(int listener);

  tl::expected<void, EndpointError> send(std::span<const std::byte> bytes,
                                         std::span<const int> descriptors = {});
  /// Waits until `deadline` for the next datagram.
  tl::expected<Datagram, EndpointError> receive(Clock::time_point deadline);

  /// True when the other side has closed; does not wait and takes nothing from the stream.
  bool closedByPeer() const;
  /// Process id of the peer when it connected (SO_PEERCRED); for display only.
  int peerPid() const;
  int descriptor() const { return socket_.get(); }
  explicit operator bool() const { return static_cast<bool>(socket_); }
  void close() { socket_.reset(); }

 private:
  UniqueFd socket_;
};

}  // namespace tutti::fabric
