// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "pipes/connection_rules.h"
#include "pipes/datagram_wire.h"
#include "pipes/once_a_minute.h"
#include "pipes/tcp_listener.h"
#include "router/link_protocol.h"
#include "router/mesh_protocol.h"
#include "router/message_streams.h"
#include "router/neighbour_figures.h"
#include "router/router.h"

namespace tutti::router {

/// The connections of a linked node with the others that are linked to its home: data between them
/// goes straight, and past the home as long as there is no connection. Nothing depends on one: when
/// it breaks, what was not acknowledged goes past the home, and later another is tried.
///
/// In which order things are taken, MessageStreams says. One per node, in the node's thread.
class Mesh {
 public:
  struct Services {
    /// Has the loop call ready() when the descriptor is readable, or with `writes` also writable.
    std::function<void(int descriptor, std::uint64_t id)> watch;
    std::function<void(int descriptor, std::uint64_t id, bool writes)> watchWrites;
    /// Events have these ids, counted up.
    std::uint64_t firstId = 0;
    /// What the connections need to prove, and whose memory they take.
    pipes::ConnectionRules rules;
  };

  /// A connection over which nothing was heard, or nothing useful, is closed after this time: there
  /// is another way.
  static constexpr std::chrono::seconds patience{5};
  /// Between two attempts.
  static constexpr std::chrono::seconds retryAfter{2};
  /// What a node has sent directly is waited for so long when it is gone from the home.
  static constexpr std::chrono::seconds lastWords{2};
  /// So much is taken before it is acknowledged at once; else with tick().
  static constexpr std::uint64_t mostUnreported = 16;

  /// Listens on the address of this host from which `home` is reached.
  static tl::expected<std::unique_ptr<Mesh>, std::string> open(const pipes::Address& home,
                                                               std::string nodeName,
                                                               Services services);
  Mesh(pipes::TcpListener listener, std::string nodeName, Services services);

  std::uint16_t port() const { return listener_.address().port; }
  /// As TcpListener::turnAwayWaiting().
  bool makeRoom() {
    return listener_.turnAwayWaiting("this process has no descriptor left for it");
  }
  /// What others have to show; the home has been told, and tells those it introduces.
  void setToken(std::uint64_t token) { token_ = token; }
  /// Messages over the link to the home, which calls sentToHome() for each.
  void onSend(std::function<void(std::span<const std::byte>)> toHome) {
    toHome_ = std::move(toHome);
  }
  MessageStreams& streams() { return *streams_; }
  /// Before anything is sent or taken.
  void useStreams(MessageStreams::Judge judge,
                  std::function<void(std::span<const std::byte>)> take);

  /// Who pays for what waits to be acknowledged or taken, and outlives this. After useStreams().
  void payFrom(pipes::MemoryAccount* memory) {
    charge_ = pipes::Charge(memory);
    streams_->payFrom(memory);
  }

  /// Where a federate of an execution is reached.
  void place(std::uint64_t execution, fabric::FederateNumber federate, NodeId node);
  void forget(std::uint64_t execution);
  /// Takes the record for those of the receivers that it can reach out of the list.
  void send(const Router& router, fabric::FederateNumber sender, std::span<const std::byte> record,
            std::vector<fabric::FederateNumber>& receivers);

  /// A message of the home that concerns only this; it is not to wait behind others. False: it
  /// cannot be read.
  bool take(const LinkHead& head, std::span<const std::byte> message);
  /// A descriptor is ready. As take() and tick(): throws std::bad_alloc when nobody pays for what
  /// has come.
  void ready(std::uint64_t id);
  /// At the end of a turn: all that was put leaves.
  void flush();
  void tick(pipes::Clock::time_point now);
  /// Over a connection of the two, which has answered lately.
  bool reaches(NodeId node) const;
  /// Whether something is on its way that would be lost if this node ended now.
  bool hasUndelivered() const;
  /// Bytes that wait to be sent to a node, or to be acknowledged by it; of the one with most.
  std::size_t queuedBytes() const;
  std::size_t peers() const { return peers_.size(); }
  /// What this node counts of its links with the others; without limits of queues and datagrams.
  std::vector<NeighbourFigures> figures(pipes::Clock::time_point now) const;
  /// What that node is called, and where it is reached; the first empty as long as it is not known.
  std::pair<std::string, std::string> nameOf(NodeId node) const;

 private:
  struct Line {
    std::unique_ptr<pipes::Pipe> pipe;
    NodeId node = 0;  ///< 0: it has not said who it is
    bool heard = false;  ///< has shown our token
    bool said = false;   ///< has been shown its own
    bool writes = false;
    std::string failure;
    pipes::Clock::time_point since;
    bool isOpen() const;
  };
  struct Peer {
    pipes::SocketAddress where;
    std::uint64_t token = 0;
    std::uint64_t line = 0;  ///< 0: none
    std::deque<MessageStreams::Frame> unacknowledged;
    std::size_t unacknowledgedBytes = 0;
    std::uint64_t reported = 0;  ///< to it, as taken
    pipes::Clock::time_point nextTry{};
    bool gone = false;
    pipes::Clock::time_point waitUntil{};  ///< when it is gone
    std::string name;                      ///< as it has said; empty: it has not
    bool wasReached = false;
    pipes::Clock::time_point away = pipes::Clock::now();  ///< while no line is open: since then
    std::uint64_t messagesSent = 0;                       ///< over lines
    std::uint64_t bytesSent = 0;
  };

  void introduced(const NeighbourIntroduced& node);
  void gone(NodeId node);
  void connect(NodeId node, Peer& peer);
  void accept();
  std::uint64_t add(std::unique_ptr<pipes::TcpPipe> pipe, NodeId node);
  void attach(std::uint64_t id, Line& line);
  void sayHello(Line& line, const Peer& peer);
  Line* openLine(const Peer& peer);
  void takeFrom(std::uint64_t id, std::span<const std::byte> message);
  void receive(std::uint64_t id, Line& line);
  void acknowledged(Peer& peer, std::uint64_t number);
  void report(NodeId node, Peer& peer, std::uint64_t least);
  void transmit(NodeId node, Peer& peer, MessageStreams::Frame frame);
  void flush(std::uint64_t id, Line& line);
  /// Ends the connections that have failed.
  void reap();
  void end(std::uint64_t id);
  void forgetPeer(NodeId node);
  bool maySpeak(NodeId from, std::span<const std::byte> message);

  pipes::TcpListener listener_;
  pipes::Greeting greeting_;
  Services services_;
  std::uint64_t token_ = 0;
  std::function<void(std::span<const std::byte>)> toHome_;
  std::unique_ptr<MessageStreams> streams_;
  std::map<std::uint64_t, Line> lines_;  ///< by the id of events
  std::uint64_t lastLine_ = 0;
  std::map<NodeId, Peer> peers_;
  std::set<NodeId> gone_;
  std::map<std::pair<std::uint64_t, fabric::FederateNumber>, NodeId> places_;
  pipes::Charge charge_;  ///< for what is not acknowledged
  pipes::OnceAMinute told_;
  fabric::Bytes message_;
  std::vector<std::pair<NodeId, std::vector<fabric::FederateNumber>>> sections_;
};

}  // namespace tutti::router
