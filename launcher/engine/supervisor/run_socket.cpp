// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/run_socket.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

namespace tutti::launcher {

namespace {

std::string prefix() { return "tutti-run/" + std::to_string(::getuid()) + "/"; }

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

std::optional<Address> addressOf(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.name.sun_path) return std::nullopt;
  std::memcpy(address.name.sun_path + 1, name.data(), name.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

/// Writes all of it, waiting as long as that takes; false when nobody reads there any more.
bool writeAll(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const auto done = ::write(fd, bytes, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) {
      pollfd writable{fd, POLLOUT, 0};
      ::poll(&writable, 1, 1000);
      continue;
    }
    if (done <= 0) return false;
    bytes += done;
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

}  // namespace

std::string runSocketName(const std::string& run) { return prefix() + run; }

bool isRunName(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

bool isOfThisAccount(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::getuid();
}

std::vector<std::string> runsHere() {
  std::vector<std::string> result;
  std::ifstream sockets("/proc/net/unix");
  const std::string mark = " @" + prefix();
  for (std::string line; std::getline(sockets, line);) {
    const auto at = line.find(mark);
    if (at == std::string::npos) continue;
    // Any account can listen at any name: these become parts of paths.
    const std::string run = line.substr(at + mark.size());
    if (isRunName(run)) result.push_back(run);
  }
  std::sort(result.begin(), result.end());
  // A listening socket and each of its connections are a line of their own.
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

tl::expected<Descriptor, std::string> listenAt(const std::string& name) {
  const auto address = addressOf(name);
  if (!address) return tl::unexpected(std::string("its name is too long: ") + name);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address->name), address->length) !=
          0 ||
      ::listen(socket.get(), 16) != 0) {
    return tl::unexpected(std::string("the socket @") + name + ": " + std::strerror(errno));
  }
  return socket;
}

tl::expected<Descriptor, std::string> connectTo(const std::string& name) {
  const auto address = addressOf(name);
  if (!address) return tl::unexpected(std::string("its name is too long: ") + name);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // One that is stopped takes nobody in any more, and others wait in line.
  const timeval longest{2, 0};
  if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  if (!socket || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address->name),
                           address->length) != 0) {
    return tl::unexpected(std::string("the socket @") + name + ": " + std::strerror(errno));
  }
  if (!isOfThisAccount(socket.get()))
    return tl::unexpected(std::string("the socket @") + name + " is of another account");
  const timeval forever{0, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof forever);
  return socket;
}

int relayTo(const std::string& run, int in, int out) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto socket = connectTo(runSocketName(run));
  if (!socket) {
    const nlohmann::json event = {
        {"event", "gone"}, {"run", run}, {"why", "no supervisor of this run is on this host"}};
    const auto line = event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
    writeAll(out, line.data(), line.size());
    return 4;
  }
  char buffer[65536];
  int from = in;
  for (;;) {
    pollfd polled[] = {{from, POLLIN, 0}, {socket->get(), POLLIN, 0}, {out, 0, 0}};
    if (::poll(polled, 3, -1) < 0 && errno != EINTR) return 0;
    if ((polled[2].revents & (POLLERR | POLLHUP)) != 0) return 0;
    if (polled[1].revents != 0) {
      const auto got = ::read(socket->get(), buffer, sizeof buffer);
      if (got <= 0 || !writeAll(out, buffer, static_cast<std::size_t>(got))) return 0;
    }
    if (polled[0].revents != 0) {
      const auto got = ::read(in, buffer, sizeof buffer);
      if (got > 0 && !writeAll(socket->get(), buffer, static_cast<std::size_t>(got))) return 0;
      if (got <= 0) {
        // The supervisor hears of it; how it ends the run is still passed on.
        ::shutdown(socket->get(), SHUT_WR);
        from = -1;
      }
    }
  }
}

}  // namespace tutti::launcher
