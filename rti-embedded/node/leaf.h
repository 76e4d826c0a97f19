// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "executive/executive.h"
#include "node/home.h"
#include "node/relay.h"
#include "pipes/datagram_wire.h"
#include "pipes/pipe.h"
#include "router/mesh.h"
#include "router/ring_watch.h"
#include "router/router.h"

namespace tutti::node {

/// The side of a node that is linked to another one, its home: it decides on no federation
/// execution. What a federate of this host asks goes to the home, but for memory; each execution
/// that one of them has joined has a replica here.
class Leaf : private Relay::Owner {
 public:
  using ConnectionId = executive::Executive::ConnectionId;

  /// `executive` serves this host: introductions, the host page and the memory budget.
  Leaf(executive::Executive& executive, std::unique_ptr<pipes::Pipe> pipe, NodeServices services);

  /// Best effort goes in datagrams from now on; outlives this.
  void useDatagrams(router::BestEffort& bestEffort);
  /// Data for other linked nodes goes straight to them from now on, as far as they can be reached;
  /// outlives this. Before anything is sent.
  void useMesh(router::Mesh& mesh);
  /// Datagrams have been delivered.
  void lookForCongestion();
  int descriptor() const { return pipe_->descriptor(); }
  /// Where the home was found; nothing: in this process.
  std::optional<pipes::SocketAddress> homeAddress() const { return pipe_->remoteAddress(); }
  /// A cell that is linked to this node; the number of its pipe.
  std::uint64_t addCell(std::unique_ptr<pipes::Pipe> pipe);

  /// A datagram of a process of this host; it is answered now or later.
  void request(ConnectionId connection, std::int32_t pid, std::span<const std::byte> datagram);
  /// Its connection has ended.
  void closed(ConnectionId connection) override;

  /// The home has sent something, or a cell.
  void ready(std::uint64_t pipe);
  /// A connection with another linked node has.
  void neighbourReady(std::uint64_t id);
  /// Routers have news.
  void route();
  void tick(pipes::Clock::time_point now);
  std::optional<std::chrono::milliseconds> nextLook() const;
  /// Whether something is on its way that would be lost if this node ended now.
  bool hasUndelivered() const;
  /// How the home is reached.
  std::vector<fabric::LinkStatus> describeLink(const fabric::StatusReply& status) const;
  /// How other nodes that are linked to the same home are reached; of each this node's end.
  std::vector<fabric::NeighbourLinkStatus> describeNeighbours(const std::string& ownName) const;
  /// Why the link is of no more use; empty: it is.
  const std::string& failure() const { return failure_; }

 private:
  struct Replica {
    std::unique_ptr<executive::FederationExecution> execution;
    std::unique_ptr<router::Router> router;
    std::unique_ptr<router::RingWatch> watch;
    std::map<fabric::FederateNumber, router::FederatePlaced>
        placed;                  ///< whom the home has placed here or behind
    fabric::LogNumber told = 0;  ///< LogApplied
    bool again = false;
  };
  struct Connection {
    std::int32_t pid = 0;
    std::uint64_t execution = 0;
    fabric::FederateNumber federate = 0;  ///< 0: not joined
    std::optional<fabric::JoinReply> joining;
    bool returning = false;  ///< has asked to enter what was restored
    bool waits = false;      ///< for an answer of the home
  };

  void endDamaged();
  void operateLink(ConnectionId connection, std::int32_t pid, std::span<const std::byte> datagram);
  ConnectionId openedBehind(std::int32_t pid, const std::string& program,
                            const std::string& host) override;
  void forward(ConnectionId connection, std::span<const std::byte> datagram) override;
  router::Router* routerOf(std::uint64_t execution) override;
  void caughtUp(std::uint64_t execution) override;
  void barrierPassed(std::uint64_t execution, std::uint64_t barrier) override;
  void answered(const router::Forwarded& answer) override;

  void receive();
  void take(std::span<const std::byte> message);
  /// A message of the home: it is taken when all is here that has led to it.
  void arrive(std::span<const std::byte> message);
  bool mayTake(std::span<const std::byte> message);
  /// Takes what has waited for others.
  void proceed();
  router::MessageStreams::Arrival judge(std::span<const std::byte> message,
                                        std::uint64_t tableChanges);
  void takeStraight(std::span<const std::byte> message);
  void tickMesh(pipes::Clock::time_point now);
  std::vector<router::NeighbourFigures> neighbours(pipes::Clock::time_point now) const;
  void tellHome(pipes::Clock::time_point now);
  /// After something has come.
  void finishTurn();
  bool takeForReplica(const router::LinkHead& head, std::span<const std::byte> message);
  bool openReplica(const router::LinkHead& head, std::span<const std::byte> body);
  void comesBack(const executive::ReturningFederate& federate, std::uint64_t execution);
  bool applyRecord(Replica& replica, const router::LogRecordAppended& record);
  void acknowledge(std::uint64_t number, Replica& replica);
  void returned(const router::Forwarded& forwarded, Connection& asker);
  void serveHere(ConnectionId connection, const fabric::RequestHead& head,
                 std::span<const std::byte> body);
  template <class Result>
  void reply(ConnectionId connection, const fabric::RequestHead& head, const Result& result,
             fabric::LogNumber tail);
  void status(ConnectionId connection, std::span<const std::byte> datagram);
  void observe(ConnectionId connection, const fabric::RequestHead& head,
               std::span<const std::byte> body);
  void send(std::span<const std::byte> message);
  std::size_t room() const;
  void pump(Replica& replica);
  void pumpAll(Replica& replica);
  void flush();
  void fail(const std::string& why);
  void failNoMemory();

  executive::Executive& executive_;
  std::unique_ptr<pipes::Pipe> pipe_;
  LinkWatch watch_;
  NodeServices services_;
  std::map<std::uint64_t, Replica> replicas_;  ///< by the home's number of the execution
  std::map<ConnectionId, Connection> connections_;
  ConnectionId lastBehind_;
  Relay relay_;
  router::BestEffort* bestEffort_ = nullptr;
  router::Mesh* mesh_ = nullptr;
  std::deque<fabric::Bytes> held_;  ///< of the home: came before what has led to it
  pipes::Charge charge_;            ///< for those
  std::set<std::uint64_t> closed_;  ///< executions that have ended
  bool writes_ = false;
  std::string failure_;
  pipes::Clock::time_point nextFigures_{};
  pipes::Clock::time_point nextTold_{};
  router::NodeId lastTold_ = 0;  ///< of the neighbours
};

}  // namespace tutti::node
