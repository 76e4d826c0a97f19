// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/home_port.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <QStandardPaths>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "composer/model/command_line.h"
#include "launcher/engine/plan_hosts.h"

namespace tutti::launcher {

namespace {

using Level = PreflightCheck::Level;

/// A socket of that kind at the address, or the error number of why not.
tl::expected<Descriptor, int> boundSocket(const sockaddr_storage& address, socklen_t length,
                                          int kind) {
  Descriptor socket(::socket(address.ss_family, kind | SOCK_CLOEXEC, 0));
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return tl::unexpected(errno);
  return socket;
}

/// The right to use a port for a run, held by the name of a socket without a file: such names are
/// those of the network namespace, as ports are.
tl::expected<Descriptor, int> reservePort(int port) {
  const std::string name = "tutti-home-port-" + std::to_string(port);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0)
    return tl::unexpected(errno);
  return socket;
}

/// "sudo ss -ltnup ..." of the ports that were tried
QString commandThatShowsUsers(const ListenAddress& listen) {
  return QStringLiteral("ss -ltunp 'sport >= :%1 and sport <= :%2'")
      .arg(listen.firstPort)
      .arg(listen.lastPort);
}

}  // namespace

HomePort::HomePort(const ListenAddress& listen) {
  check_.id = QStringLiteral("port");
  check_.level = Level::Error;
  const QString name = listen.address.isEmpty() ? QStringLiteral("0.0.0.0") : listen.address;
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(name.toUtf8().constData(), nullptr, &hints, &found);
  if (failed != 0) {
    check_.title = QStringLiteral("The address %1 of the home is not known").arg(name);
    check_.detail = QStringLiteral("%1.").arg(QString::fromLocal8Bit(::gai_strerror(failed)));
  } else {
    sockaddr_storage address{};
    std::memcpy(&address, found->ai_addr, found->ai_addrlen);
    const socklen_t length = found->ai_addrlen;
    ::freeaddrinfo(found);
    int why = 0;
    for (int port = listen.firstPort; port <= listen.lastPort && port_ == 0; ++port) {
      // The port stands at the same place in both kinds of address.
      reinterpret_cast<sockaddr_in*>(&address)->sin_port = htons(static_cast<quint16>(port));
      auto tcp = boundSocket(address, length, SOCK_STREAM);
      const auto udp = boundSocket(address, length, SOCK_DGRAM);
      auto reserved = reservePort(port);
      if (reserved && tcp && udp && ::listen(tcp->get(), SOMAXCONN) == 0) {
        port_ = static_cast<quint16>(port);
        listener_ = std::move(*tcp);
        reservation_ = std::move(*reserved);
      } else {
        why = !tcp ? tcp.error() : !udp ? udp.error() : !reserved ? reserved.error() : errno;
        if (why == EADDRNOTAVAIL) break;
      }
    }
    if (port_ != 0) {
      check_.level = Level::Passed;
      check_.title = QStringLiteral("A port is free for the home");
      check_.detail = QStringLiteral("%1, for TCP and UDP").arg(port_);
      return;
    }
    if (why == EADDRNOTAVAIL) {
      check_.title = QStringLiteral("%1 is no address of this machine").arg(name);
      check_.detail = QStringLiteral("The home cannot listen there.");
      check_.fixes.push_back(
          {QStringLiteral("Copy the command that shows the addresses"), {}, "ip -brief address"});
      return;
    }
    const bool one = listen.firstPort == listen.lastPort;
    check_.title = QStringLiteral("No port is free for the home");
    check_.detail = (one ? QStringLiteral("%1 cannot be used: %3.")
                         : QStringLiteral("None from %1 to %2 can be used; the last one: %3."))
                        .arg(listen.firstPort)
                        .arg(listen.lastPort)
                        .arg(qt_error_string(why));
    check_.fixes.push_back({QStringLiteral("Copy the command that shows who uses them"),
                            {},
                            commandThatShowsUsers(listen)});
  }
  check_.fixes.push_back(
      {QStringLiteral("Choose another address or port in connections.json"), {}, {}});
}

QString commandThatOpens(quint16 port) {
  const auto isThere = [](const char* program) {
    return !QStandardPaths::findExecutable(QLatin1String(program)).isEmpty();
  };
  if (isThere("firewall-cmd"))
    return QStringLiteral("sudo firewall-cmd --add-port=%1/tcp --add-port=%1/udp").arg(port);
  if (isThere("ufw")) return QStringLiteral("sudo ufw allow %1").arg(port);
  return {};
}

}  // namespace tutti::launcher
