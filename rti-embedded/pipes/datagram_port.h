// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "pipes/datagram.h"
#include "pipes/datagram_path.h"
#include "pipes/datagram_source.h"
#include "pipes/datagram_wire.h"
#include "pipes/pipe.h"
#include "pipes/seal.h"

namespace tutti::pipes {

/// What a node sends and receives in datagrams: ways to other nodes, directly to each of them, and
/// to all of them at once when there is a multicast group. Messages arrive whole, once or not at
/// all, in any order. No call waits. Not thread-safe.
///
/// Whether there is a way is found out by probes: until the first answer, and when none has come
/// for a while, reaches() says no, and what is to be sent takes another way. The probes also find
/// the largest datagram that gets through.
class DatagramPort {
 public:
  using PeerId = std::uint64_t;
  using Take = std::function<void(PeerId, std::span<const std::byte>)>;

  /// Without an answer for so long there is no way.
  static constexpr std::chrono::milliseconds patience{2000};
  static constexpr std::chrono::milliseconds probeInterval{300};

  struct Options {
    /// How long a small message may wait for others to share its datagram; 0: until flush().
    std::chrono::microseconds deadline{0};
    /// Nothing is sent or taken but what is sealed with the keys given to addPeer() and openGroup().
    bool sealed = false;
    /// Pays for messages of which only a part has come, and outlives the port.
    MemoryAccount* memory = nullptr;
  };

  /// Fails when the system has no timer left.
  static tl::expected<std::unique_ptr<DatagramPort>, std::string> make(
      std::unique_ptr<DatagramWire> wire, const Options& options);

  /// What others show that they were told of this node.
  std::uint64_t token() const { return token_; }
  const SocketAddress& address() const { return wire_->address(); }
  static std::uint64_t randomToken();

  /// `key`: what both were told over their links; of a port that seals nothing, it is not used.
  void addPeer(PeerId peer, const SocketAddress& where, std::uint64_t token,
               std::span<const std::byte> key = {});
  void removePeer(PeerId peer);
  /// From now on there is a group: `wire` receives what is sent to it.
  void openGroup(std::unique_ptr<DatagramWire> wire, const SocketAddress& group,
                 std::uint64_t token, std::span<const std::byte> key = {});
  bool isSealed() const { return options_.sealed; }
  bool hasGroup() const { return group_ != nullptr; }

  bool reaches(PeerId peer) const;
  /// There was a way, and it has been gone for less than `grace`: it may come back.
  bool isInterrupted(PeerId peer, std::chrono::milliseconds grace) const;
  /// Through the multicast group.
  bool groupReaches(PeerId peer) const;

  /// False: what was sent before waits for room, and nothing more can be put behind it.
  bool hasRoom(PeerId peer) const;
  bool groupHasRoom() const;
  /// A message of at most largestDatagramMessage bytes, while there is room.
  void send(PeerId peer, std::span<const std::byte> message);
  void sendToGroup(std::span<const std::byte> message);
  /// At the end of a turn: what need not wait longer leaves.
  void flush();

  /// Reads what has come, up to a bound: what is left makes the descriptor readable again. False:
  /// there may be more.
  bool receive(const Take& take);
  /// The timer has come: what waited for room or for its deadline leaves.
  void timeout();
  /// To be called a few times a second: probes.
  void tick(Clock::time_point now);

  int descriptor() const { return wire_->descriptor(); }
  /// -1 without a group. Only once openGroup() was called.
  int groupDescriptor() const { return group_ ? group_->wire->descriptor() : -1; }
  int timerDescriptor() const { return timer_.get(); }

  struct Figures {
    std::uint64_t sent = 0;        ///< datagrams with data
    std::uint64_t received = 0;    ///< datagrams of known nodes
    std::uint64_t strange = 0;     ///< of anybody else, forged, or garbage
    std::uint64_t duplicates = 0;  ///< came again, or much too late
    std::uint64_t incomplete = 0;  ///< messages of which only a part came
  };
  Figures figures() const;
  /// The largest datagram to that peer.
  std::size_t largestTo(PeerId peer) const;

 private:
  /// Whether there is a way, and for what size, by asking again and again.
  struct Prober {
    std::vector<std::size_t> sizes;  ///< to be tried, largest first
    std::size_t at = 0;
    unsigned unanswered = 0;
    std::optional<Clock::time_point> answered;
    Clock::time_point next{};
    bool works(Clock::time_point now) const { return answered && now - *answered < patience; }
  };
  struct Peer {
    SocketAddress where;
    std::uint64_t token = 0;
    Prober direct;
    Prober viaGroup;
    std::unique_ptr<DatagramPath> path;
    std::unique_ptr<DatagramSource> source;
    std::unique_ptr<DatagramSource> groupSource;
    std::unique_ptr<Sealer> sealer;  ///< null: nothing is sealed
    std::unique_ptr<Opener> opener;
    std::unique_ptr<Opener> groupOpener;
    bool works = false;
    bool groupWorks = false;
    std::uint64_t duplicates = 0;
  };
  struct Group {
    std::unique_ptr<DatagramWire> wire;
    SocketAddress where;
    std::uint64_t token = 0;
    std::vector<std::byte> key;
    std::unique_ptr<Sealer> sealer;
    std::unique_ptr<DatagramPath> path;
    Prober prober;  ///< of the group; who answers is in Peer::viaGroup
  };

  DatagramPort(std::unique_ptr<DatagramWire> wire, const Options& options);
  void take(std::span<const std::byte> datagram, bool fromGroup, Clock::time_point now,
            const Take& take);
  /// Sealed, if there is a sealer.
  DatagramWire::Sent transmit(const SocketAddress& where, Sealer* sealer,
                              std::span<const std::byte> datagram);
  /// What sealing adds to each datagram.
  std::size_t overhead() const { return options_.sealed ? seal::overhead : 0; }
  void makeGroupOpener(Peer& peer);
  void probe(const SocketAddress& where, Sealer* sealer, DatagramHead head, std::size_t bytes);
  void answer(Peer& peer, const DatagramHead& probe, std::size_t bytes);
  void answered(Peer& peer, const DatagramHead& head, std::span<const std::byte> payload,
                Clock::time_point now);
  bool drain(DatagramWire& wire, bool isGroup, const Take& take);
  void sendAcks();
  void startSources(PeerId id, Peer& peer);
  void fitGroup();
  void arm();

  std::unique_ptr<DatagramWire> wire_;
  Options options_;
  fabric::UniqueFd timer_;
  std::uint64_t token_;
  Reassembly reassembly_;
  std::map<PeerId, Peer> peers_;
  std::map<std::uint64_t, PeerId> byToken_;
  std::unique_ptr<Group> group_;
  std::optional<Clock::time_point> armed_;
  /// To be acknowledged: the highest sequence, by peer and whether of the group.
  std::map<std::pair<PeerId, bool>, std::uint64_t> acks_;
  Figures figures_;
};

}  // namespace tutti::pipes
