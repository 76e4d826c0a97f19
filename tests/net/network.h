// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/endpoint.h"

/// Hosts on one machine: network namespaces on a bridge, with cables that delay, lose and break.
namespace tutti::test {

/// What every cable between a host and the bridge does in each direction.
struct Cable {
  std::chrono::microseconds delay{0};
  int lossPermille = 0;
  bool isPerfect() const { return delay.count() == 0 && lossPermille == 0; }
};

/// Makes a TAP device of that name in the network namespace of the calling thread; it goes with its
/// last descriptor. Ends the test program when it cannot.
fabric::UniqueFd tap(const QByteArray& name);

/// Passes frames between pairs of TAP devices, later or not at all: a delaying, lossy cable for
/// kernels without one. A thread of its own.
class Relay {
 public:
  struct Ends {
    fabric::UniqueFd host;    ///< the TAP device in a host
    fabric::UniqueFd bridge;  ///< the one that is a port of the bridge
  };
  Relay(std::vector<Ends> cables, Cable cable, unsigned seed);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  struct Counts {
    std::uint64_t passed = 0;
    std::uint64_t dropped = 0;  ///< lost on purpose
  };
  Counts counts() const;

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

/// Hosts 0, 1, ... with the addresses 10.77.0.1, 10.77.0.2, ...
///
/// Each is a network namespace, with a mount namespace whose /dev/shm and /tmp are its own: no
/// path socket, abstract socket or shared memory object is seen by two of them. They have no name:
/// the kernel takes them away with the last process that is in one or holds this object, however
/// it ends. Needs root, ip (iproute2) and, for cables that are not perfect, /dev/net/tun.
class Network {
 public:
  /// Ends the test program with what is missing: such tests are not skipped in silence.
  explicit Network(int hosts, Cable cable = {}, unsigned seed = 1);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  int hosts() const { return static_cast<int>(hosts_.size()); }
  static QString address(int host) { return QString("10.77.0.%1").arg(host + 1); }

  /// While it lives the calling thread is on that host, and so is what it starts; sockets and
  /// files that it opens stay there.
  class Visit {
   public:
    Visit(const Network& network, int host) : Visit(network.hosts_.at(std::size_t(host))) {}
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    friend class Network;
    struct Place {
      fabric::UniqueFd net, mounts;
    };
    explicit Visit(const Place& place);
    Place before_;
    fabric::UniqueFd directory_;
  };

  /// Cuts the cable of a host at the bridge, and joins it again.
  void cut(int host);
  void join(int host);

  /// Takes the interface of a host down, which leaves it without any route, and up again.
  void takeDown(int host);
  void bringUp(int host);

  /// From now on nothing passes between these two, whatever they exchange with others.
  void separate(int one, int other);
  void unite(int one, int other);

  const Cable& cable() const { return cable_; }
  Relay::Counts counts() const { return relay_ ? relay_->counts() : Relay::Counts{}; }

 private:
  using Place = Visit::Place;
  static Place makePlace(bool ownMounts);
  static void run(const Place& place, const QStringList& commands);

  Cable cable_;
  Place bridge_;
  std::vector<Place> hosts_;
  std::unique_ptr<Relay> relay_;
};

}  // namespace tutti::test
