// SPDX-License-Identifier: Apache-2.0
#include "fabric/endpoint.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <mutex>

#include "fabric/fork_guard.h"

namespace tutti::fabric {

namespace {

constexpr std::chrono::seconds connectPatience{30};

/// Goes ahead of every datagram. A payload that is too long for one travels in a memfd, which is
/// then the last descriptor.
struct Envelope {
  static constexpr std::uint32_t magicValue = 0x54554d53;  // "TUMS"
  static constexpr std::uint32_t inMemory = 1;

  std::uint32_t magic = magicValue;
  std::uint32_t flags = 0;
  std::uint64_t bytes = 0;  ///< of the payload, without this envelope
};

constexpr std::size_t maxInline = 32 * 1024;
constexpr std::size_t maxPayload = std::size_t{256} << 20;
constexpr std::size_t maxDescriptors = 8;

EndpointError systemError(const std::string& what, int error) {
  EndpointError result;
  if (error == EPIPE || error == ECONNRESET || error == ENOTCONN) {
    result.kind = EndpointError::Kind::Closed;
  } else if (error == EAGAIN || error == EWOULDBLOCK) {
    result.kind = EndpointError::Kind::TimedOut;
  } else if (error == ECONNREFUSED || error == EADDRINUSE) {
    result.kind = EndpointError::Kind::Refused;
  }
  result.text = what + ": " + std::strerror(error);
  return result;
}

EndpointError brokenMessage(const std::string& why) {
  return {EndpointError::Kind::System, "a message of the RTI connection is malformed: " + why};
}

struct Address {
  sockaddr_un value{};
  socklen_t length = 0;
};

tl::expected<Address, EndpointError> addressOf(std::string_view name) {
  const std::string path = "tutti/" + std::to_string(::getuid()) + "/" + std::string(name);
  Address address;
  address.value.sun_family = AF_UNIX;
  // The first byte stays 0: an abstract name, which ends with the socket and needs no file.
  if (name.empty() || path.size() + 1 > sizeof address.value.sun_path) {
    return tl::unexpected(EndpointError{
        EndpointError::Kind::System,
        "'" + std::string(name) + "' cannot name an RTI node: use 1 to " +
            std::to_string(sizeof address.value.sun_path - 1 - (path.size() - name.size())) +
            " bytes"});
  }
  std::copy(path.begin(), path.end(), address.value.sun_path + 1);
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  return address;
}

/// The address as the socket functions want it.
const sockaddr* plain(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.value);
}

/// Abstract names have no permissions: whoever is at the other end is asked of the kernel.
tl::expected<void, EndpointError> checkPeer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return tl::unexpected(systemError("asking who is at the other end of a connection", errno));
  }
  if (peer.uid != ::getuid()) {
    return tl::unexpected(EndpointError{EndpointError::Kind::Denied,
                                        "process " + std::to_string(peer.pid) +
                                            " at the other end of a connection belongs to user " +
                                            std::to_string(peer.uid) + ", not to this one"});
  }
  return {};
}

/// A sealed memfd with these bytes: the reader sees exactly what was sent.
tl::expected<UniqueFd, EndpointError> memoryWith(std::span<const std::byte> bytes) {
  UniqueFd memory;
  {
    const std::lock_guard guard(forkGuard());
    memory = UniqueFd::guarded(::memfd_create("tutti-message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  }
  if (!memory) return tl::unexpected(systemError("making memory for a long message", errno));
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(memory.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return tl::unexpected(systemError("writing a long message", errno));
    done += static_cast<std::size_t>(count);
  }
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return memory;
}

tl::expected<Bytes, EndpointError> readMemory(int descriptor, std::uint64_t bytes) {
  struct stat information {};
  if (::fstat(descriptor, &information) != 0 || !S_ISREG(information.st_mode) ||
      static_cast<std::uint64_t>(information.st_size) != bytes) {
    return tl::unexpected(brokenMessage("its memory is not as long as it says"));
  }
  Bytes content(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        ::pread(descriptor, content.data() + done, bytes - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return tl::unexpected(brokenMessage("its memory ends early"));
    done += static_cast<std::size_t>(count);
  }
  return content;
}

}  // namespace

UniqueFd UniqueFd::guarded(int fd) {
  UniqueFd result(fd);
  if (fd < 0) return result;
  guardDescriptor(fd);
  result.guarded_ = true;
  return result;
}

int UniqueFd::release() {
  if (std::exchange(guarded_, false)) {
    const std::lock_guard guard(forkGuard());
    releaseDescriptor(fd_);
  }
  return std::exchange(fd_, -1);
}

void UniqueFd::reset() {
  if (fd_ < 0) return;
  if (!std::exchange(guarded_, false)) {
    ::close(std::exchange(fd_, -1));
    return;
  }
  const std::lock_guard guard(forkGuard());
  const int fd = std::exchange(fd_, -1);
  if (releaseDescriptor(fd)) ::close(fd);
}

tl::expected<Endpoint, EndpointError> Endpoint::connect(std::string_view name) {
  Endpoint endpoint;
  if (auto opened = endpoint.open(name); !opened) return tl::unexpected(opened.error());
  return endpoint;
}

tl::expected<void, EndpointError> Endpoint::open(std::string_view name) {
  const auto address = addressOf(name);
  if (!address) return tl::unexpected(address.error());
  {
    const std::lock_guard guard(forkGuard());
    socket_ = UniqueFd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (socket_ && socket_.get() <= STDERR_FILENO) {
      // A federate without standard input or output would talk into the connection.
      socket_ = UniqueFd(::fcntl(socket_.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    }
  }
  if (!socket_) return tl::unexpected(systemError("making a socket", errno));
  // A node that hangs accepts nobody: once as many wait as can, the next one would for ever.
  timeval patience{connectPatience.count(), 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  int result = 0;
  do {
    result = ::connect(socket_.get(), plain(*address), address->length);
  } while (result != 0 && errno == EINTR);
  const int failure = errno;
  patience = {};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (result != 0) {
    const int why = failure == EAGAIN ? ETIMEDOUT : failure;
    close();
    return tl::unexpected(
        systemError("connecting to the RTI node '" + std::string(name) + "'", why));
  }
  auto same = checkPeer(socket_.get());
  if (!same) close();
  return same;
}

tl::expected<UniqueFd, EndpointError> Endpoint::listen(std::string_view name) {
  const auto address = addressOf(name);
  if (!address) return tl::unexpected(address.error());
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return tl::unexpected(systemError("making a socket", errno));
  const std::string what = "listening as RTI node '" + std::string(name) + "'";
  if (::bind(socket.get(), plain(*address), address->length) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0) {
    return tl::unexpected(systemError(what, errno));
  }
  return socket;
}

tl::expected<Endpoint, EndpointError> Endpoint::accept(int listener) {
  // Not blocking, so that one client that does not read its answers cannot hold up the node.
  UniqueFd socket;
  do {
    socket = UniqueFd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  } while (!socket && (errno == EINTR || errno == ECONNABORTED));
  if (!socket) return tl::unexpected(systemError("accepting a connection", errno));
  if (auto same = checkPeer(socket.get()); !same) return tl::unexpected(same.error());
  return Endpoint(std::move(socket));
}

tl::expected<void, EndpointError> Endpoint::send(std::span<const std::byte> bytes,
                                                 std::span<const int> descriptors) {
  if (!socket_) return tl::unexpected(EndpointError{EndpointError::Kind::Closed, "not connected"});
  if (bytes.size() > maxPayload || descriptors.size() >= maxDescriptors) {
    return tl::unexpected(EndpointError{EndpointError::Kind::System,
                                        "a message of " + std::to_string(bytes.size()) +
                                            " bytes is longer than the RTI connection carries (" +
                                            std::to_string(maxPayload) + ")"});
  }
  Envelope envelope;
  envelope.bytes = bytes.size();
  std::array<int, maxDescriptors> passed{};
  std::copy(descriptors.begin(), descriptors.end(), passed.begin());
  std::size_t passedCount = descriptors.size();
  UniqueFd memory;
  if (bytes.size() > maxInline) {
    auto made = memoryWith(bytes);
    if (!made) return tl::unexpected(made.error());
    memory = std::move(*made);
    envelope.flags = Envelope::inMemory;
    passed[passedCount++] = memory.get();
    bytes = {};
  }

  std::array<iovec, 2> parts{};
  parts[0] = {&envelope, sizeof envelope};
  parts[1] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * maxDescriptors)> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (passedCount != 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(sizeof(int) * passedCount);
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int) * passedCount);
    std::memcpy(CMSG_DATA(head), passed.data(), sizeof(int) * passedCount);
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return tl::unexpected(systemError("sending over the RTI connection", errno));
  return {};
}

namespace {

/// As recvmsg(), without waiting. The descriptors are guarded from the moment that they are here.
ssize_t receiveMessage(int socket, msghdr& message, std::vector<UniqueFd>& descriptors) {
  const std::lock_guard guard(forkGuard());
  const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (count < 0) return count;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t descriptorCount = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < descriptorCount; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      descriptors.push_back(UniqueFd::guarded(descriptor));
    }
  }
  return count;
}

}  // namespace

tl::expected<Datagram, EndpointError> Endpoint::receive(Clock::time_point deadline) {
  if (!socket_) return tl::unexpected(EndpointError{EndpointError::Kind::Closed, "not connected"});
  std::array<std::byte, maxInline> inlined;
  Envelope envelope;
  std::array<iovec, 2> parts{};
  parts[0] = {&envelope, sizeof envelope};
  parts[1] = {inlined.data(), inlined.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int) * maxDescriptors)> control;
  msghdr message{};
  Datagram datagram;
  ssize_t count = 0;
  for (;;) {
    message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    count = receiveMessage(socket_.get(), message, datagram.descriptors);
    if (count >= 0) break;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return tl::unexpected(systemError("receiving over the RTI connection", errno));
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) {
      return tl::unexpected(EndpointError{EndpointError::Kind::TimedOut,
                                          "no answer over the RTI connection in time"});
    }
    pollfd waiting{socket_.get(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
  }

  if (count == 0) {
    return tl::unexpected(
        EndpointError{EndpointError::Kind::Closed, "the other end of the RTI connection closed"});
  }
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return tl::unexpected(brokenMessage("it is longer than agreed"));
  }
  const auto received = static_cast<std::size_t>(count);
  if (received < sizeof envelope || envelope.magic != Envelope::magicValue ||
      envelope.flags > Envelope::inMemory) {
    return tl::unexpected(brokenMessage("it does not begin as one of Tutti's"));
  }
  if (envelope.bytes > maxPayload) {
    return tl::unexpected(
        brokenMessage("it says to be " + std::to_string(envelope.bytes) + " bytes long"));
  }
  if (envelope.flags == Envelope::inMemory) {
    if (datagram.descriptors.empty()) return tl::unexpected(brokenMessage("its memory is missing"));
    auto content = readMemory(datagram.descriptors.back().get(), envelope.bytes);
    if (!content) return tl::unexpected(content.error());
    datagram.bytes = std::move(*content);
    datagram.descriptors.pop_back();
    return datagram;
  }
  if (received - sizeof envelope != envelope.bytes) {
    return tl::unexpected(brokenMessage("it is not as long as it says"));
  }
  datagram.bytes.assign(inlined.begin(),
                        inlined.begin() + static_cast<std::ptrdiff_t>(envelope.bytes));
  return datagram;
}

bool Endpoint::closedByPeer() const {
  pollfd state{socket_.get(), POLLRDHUP, 0};
  if (::poll(&state, 1, 0) < 0) return false;
  return (state.revents & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
}

int Endpoint::peerPid() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return 0;
  return peer.pid;
}

}  // namespace tutti::fabric
