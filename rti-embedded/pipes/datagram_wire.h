// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/endpoint.h"
#include "pipes/address.h"

namespace tutti::pipes {

/// Where datagrams are sent: an IPv4 or IPv6 address with its port.
class SocketAddress {
 public:
  SocketAddress() = default;
  SocketAddress(const sockaddr* address, socklen_t bytes);
  /// `host` may be a name; it is looked up, which can take a while. The error says what is wrong.
  static tl::expected<SocketAddress, std::string> of(const Address& address, bool toListen = false);
  /// The other end of a connected socket, or its own; nothing when it has none.
  static std::optional<SocketAddress> peerOf(int socket);
  static std::optional<SocketAddress> ownOf(int socket);

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t bytes() const { return bytes_; }
  int family() const { return storage_.ss_family; }
  bool isMulticast() const;
  /// Reached from this host only.
  bool isLoopback() const;
  std::uint16_t port() const;
  void setPort(std::uint16_t port);
  /// Host and port as numbers.
  Address address() const;

 private:
  sockaddr_storage storage_{};
  socklen_t bytes_ = 0;
};

/// What carries datagrams: each arrives once, several times, late or not at all. No call waits.
class DatagramWire {
 public:
  enum class Sent {
    Yes,      ///< it is on its way, or lost
    Full,     ///< nothing more can be sent just now
    TooLong,  ///< the way there carries smaller ones only
    Failed,   ///< there is no way there
  };

  virtual ~DatagramWire() = default;
  virtual Sent send(const SocketAddress& to, std::span<const std::byte> datagram) = 0;
  /// The next that has come; it stays until the next call. Nothing: there is none.
  virtual std::optional<std::span<const std::byte>> receive() = 0;
  /// Readable when there is something to receive.
  virtual int descriptor() const = 0;
  /// The largest datagram that goes there in one piece, as far as this host knows.
  virtual std::size_t largestTo(const SocketAddress& to) const = 0;
  /// Bytes that can lie here unread.
  virtual std::size_t receiveBuffer() const = 0;
  /// Where it is bound.
  virtual const SocketAddress& address() const = 0;
};

/// A UDP socket.
class UdpWire final : public DatagramWire {
 public:
  /// Bound there; port 0 stands for any that is free.
  static tl::expected<std::unique_ptr<UdpWire>, std::string> bind(const SocketAddress& at);
  /// The address of this host from which `to` is reached, with port 0.
  static tl::expected<SocketAddress, std::string> addressTowards(const SocketAddress& to);
  /// Bound to that, at any free port.
  static tl::expected<std::unique_ptr<UdpWire>, std::string> bindTowards(const SocketAddress& to);
  /// Receives what is sent to a multicast group, on the network of `own`. Several sockets of a host
  /// can.
  static tl::expected<std::unique_ptr<UdpWire>, std::string> joinGroup(const SocketAddress& group,
                                                                       const SocketAddress& own);
  /// What is sent to multicast groups leaves through the network of `own`, and no router passes it
  /// on.
  void sendGroupsThrough(const SocketAddress& own);

  Sent send(const SocketAddress& to, std::span<const std::byte> datagram) override;
  std::optional<std::span<const std::byte>> receive() override;
  int descriptor() const override { return socket_.get(); }
  std::size_t largestTo(const SocketAddress& to) const override;
  std::size_t receiveBuffer() const override { return receiveBuffer_; }
  const SocketAddress& address() const override { return address_; }

 private:
  explicit UdpWire(fabric::UniqueFd socket);
  static tl::expected<std::unique_ptr<UdpWire>, std::string> open(const SocketAddress& at,
                                                                  bool shared);

  static constexpr std::size_t batch = 16;
  static constexpr std::size_t largest = 65536;

  fabric::UniqueFd socket_;
  SocketAddress address_;
  std::size_t receiveBuffer_ = 0;
  std::vector<std::byte> buffer_;      ///< `batch` datagrams
  std::vector<std::size_t> received_;  ///< their sizes
  std::size_t next_ = 0;               ///< of received_
};

}  // namespace tutti::pipes
