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
#include <vector>

#include "executive/executive.h"
#include "node/link_status.h"
#include "node/model_desk.h"
#include "pipes/memory_account.h"
#include "pipes/session_listener.h"
#include "router/best_effort.h"
#include "router/mesh_hub.h"
#include "router/neighbour_figures.h"
#include "router/ring_watch.h"
#include "router/router.h"

namespace tutti::node {

/// What the parts of a node that concern other hosts need of it.
struct NodeServices {
  using ConnectionId = executive::Executive::ConnectionId;
  /// Has the loop call back when the descriptor is readable, or with `writes` also writable.
  std::function<void(int descriptor, std::uint64_t id)> watch;
  std::function<void(int descriptor, std::uint64_t id, bool writes)> watchWrites;
  /// Sends an answer to a process of this host; closes the connection afterwards if asked.
  std::function<void(ConnectionId, const fabric::Bytes&, std::span<const int>, bool close)> answer;
  /// Readable when a router has news.
  int routerEvents = -1;
  /// Where requests wait for an object model; null: they do not.
  ModelDesk* desk = nullptr;
  /// Pays for what waits here; null: nobody does.
  pipes::MemoryAccount* memory = nullptr;
  /// Events of pipes have these ids, counted up.
  std::uint64_t firstPipe = 0;
};

/// Bytes of records that may be put into one of so many links, in which so much waits. 0: rings are
/// left as they are, and their senders wait, until there is less: above 32 MiB, or above the link's
/// share of half of what is left of the memory budget.
std::size_t roomIn(std::size_t queuedBytes, std::size_t links, const pipes::MemoryAccount* memory);

/// What is said to a request that goes no further.
fabric::Bytes answerTo(const fabric::RequestHead& head, fabric::Refusal refusal,
                       const std::string& message);
/// What an answer that has to wait takes of the memory budget, and what is said instead to who asks
/// on and on without waiting for answers when it has no room: then the connection ends.
std::uint64_t heldAnswerBytes(std::span<const std::byte> answer);
fabric::Bytes noRoomToHold(std::span<const std::byte> answer);
/// What is said to a request when the budget has no room to keep it until an object model is read.
fabric::Bytes noRoomToWait(const fabric::RequestHead& head);

/// The side of a node at which others are linked: its executive decides for their federates too. A
/// federate of another host has a connection of the executive like one of this host; what it asks
/// comes over the link of its node, and with the link all its connections end.
///
/// A request is answered when every linked node that has a replica of the execution has what the
/// request changed: a declaration acts on every send that starts after the service returned, on
/// whatever host, and a new subscriber finds all instances in the tables.
class Home {
 public:
  using ConnectionId = executive::Executive::ConnectionId;

  Home(executive::Executive& executive, std::string nodeName, NodeServices services);

  /// Lets nodes of other hosts be linked.
  void listen(pipes::SessionListener listener) { listener_ = std::move(listener); }
  const pipes::SessionListener* listener() const { return listener_ ? &*listener_ : nullptr; }
  /// Best effort goes in datagrams to the nodes that are linked from now on; outlives this.
  void useDatagrams(router::BestEffort& bestEffort);
  /// Nodes that are linked from now on are told of each other, to be connected.
  void useMesh() { usesMesh_ = true; }
  /// Datagrams have been delivered.
  void lookForCongestion();
  void accept();
  /// No descriptor is left: those of connections that have not shown who they are become free.
  /// False: there are none.
  bool makeRoom();
  /// A linked node; the number of its pipe.
  std::uint64_t add(std::unique_ptr<pipes::Pipe> pipe);
  void ready(std::uint64_t pipe);

  /// Before the executive hears of a connection that belongs to an execution: what its federates
  /// have sent is on its way.
  void beforeRequest(ConnectionId connection);
  void beforeEnd(ConnectionId connection);
  /// True: the request is none for the executive, and is dealt with.
  bool takesOver(ConnectionId connection, std::span<const std::byte> datagram);
  /// True: the answer waits for others. After the executive has answered.
  bool holds(ConnectionId connection, const executive::Executive::Reply& reply);
  /// After the executive was called.
  void afterRequest() { release(); }
  /// True: the connection is of another host, and is told to end.
  bool end(ConnectionId connection);
  /// Routers have news.
  void route();
  /// A ceiling of time has moved by itself: the linked nodes are told at once.
  void followTime() { release(); }
  void tick(pipes::Clock::time_point now);
  /// Not later than this, route() or tick() is to be called again; nothing: by events alone.
  std::optional<std::chrono::milliseconds> nextLook() const;
  bool hasLinks() const { return !links_.empty(); }
  /// A process of this host, `pid`, decides about a link that is suspect: the answer; nothing: the
  /// datagram is another request. A link that is given up goes with afterRequest().
  std::optional<fabric::Bytes> operateLink(std::span<const std::byte> datagram, std::int32_t pid);
  /// How the linked nodes are reached.
  std::vector<fabric::LinkStatus> describeLinks(const fabric::StatusReply& status) const;
  /// The links that those have with each other, as they have told.
  std::vector<fabric::NeighbourLinkStatus> describeNeighbours() const;
  /// What federates of the linked nodes have got from whom, as those have told. The list is made at
  /// most once a second, however many ask, and may name federates that have left since.
  const std::vector<fabric::FlowStatus>& describeFlows(pipes::Clock::time_point now);

 private:
  struct Link {
    std::unique_ptr<pipes::Pipe> pipe;
    LinkWatch watch;
    std::map<std::uint64_t, ConnectionId> connections;  ///< by the linked node's numbers
    std::set<std::uint64_t> executions;                 ///< with a replica there
    bool writes = false;                                ///< waits until it can write
    bool greeted = false;
    bool hearsPlaces = false;        ///< is told who lives at which node
    bool givenUp = false;            ///< by an operator: what it still says does not count
    std::deque<fabric::Bytes> held;  ///< came before what has led to it
    pipes::Charge charge;            ///< for those
    /// When it was found to have ended with messages that still wait.
    std::optional<pipes::Clock::time_point> endedAt;
  };
  /// An execution with federates of other hosts.
  struct Linked {
    std::string name;
    /// Kept until this node has dealt with its end, which may come within any request.
    std::shared_ptr<executive::FederationExecution> execution;
    std::unique_ptr<router::Router> router;
    std::unique_ptr<router::RingWatch> watch;
    fabric::LogPosition log;  ///< passed on up to here
    std::uint64_t ceiling = 0;
    std::uint32_t ceilingActive = 0;
    std::uint64_t pace = 0;
    bool again = false;  ///< the router has more to do
  };
  /// An answer that waits.
  struct Held {
    ConnectionId connection = 0;
    fabric::Bytes bytes;
    std::vector<fabric::UniqueFd> descriptors;
    bool close = false;
    std::uint64_t execution = 0;
    std::uint64_t number = 0;  ///< of the log, or of a barrier
    bool isBarrier = false;
    std::set<std::uint64_t> waitsFor;  ///< links
    pipes::Charge charge;
  };

  Linked* linkedOf(const std::string& federation);
  tl::expected<Linked*, std::string> open(const std::string& federation);
  void openAt(std::uint64_t link, Linked& linked, std::uint64_t number, bool restored = false);
  /// An execution was restored: those who were linked to the one before are to the new one.
  void reopen(const std::string& federation, const std::set<std::uint64_t>& links);
  void take(std::uint64_t link, std::span<const std::byte> message);
  void takeNeighbours(std::uint64_t link, const router::NeighboursTold& told);
  void request(std::uint64_t link, const router::Forwarded& forwarded);
  void answer(std::uint64_t link, ConnectionId connection, const router::Forwarded& forwarded,
              const executive::ModelRead* read);
  void send(std::uint64_t link, std::span<const std::byte> message);
  void greet(std::uint64_t id, Link& link);
  /// A message has come over a link: it is taken when all is here that has led to it.
  void arrive(std::uint64_t id, std::span<const std::byte> message);
  void takeNext(std::uint64_t id, std::span<const std::byte> message);
  void proceed();
  bool isWaiting(std::uint64_t id) const;
  /// Of a link that has ended: does away with what waits for longer than it could have to.
  void giveUpWaiting(Link& link, pipes::Clock::time_point now) const;
  void deliver(ConnectionId connection, const fabric::Bytes& bytes,
               std::span<const int> descriptors, bool close);
  void hold(Held held, Linked& linked, std::uint64_t number, ConnectionId connection);
  void passed(std::uint64_t link, std::uint64_t execution, std::uint64_t number, bool isBarrier);
  void release();
  /// Passes on what the executive has changed.
  void follow();
  std::vector<std::string> behind(const Link& link, const fabric::StatusReply& status) const;
  void passOnLog(Linked& linked, std::uint64_t number);
  void pump(Linked& linked);
  void pumpAll(Linked& linked);
  void drop(std::uint64_t link, const std::string& why);
  void tellPlace(std::uint64_t link, const Linked& linked, fabric::FederateNumber federate);
  void flush();

  executive::Executive& executive_;
  std::optional<pipes::SessionListener> listener_;
  pipes::Greeting greeting_;
  NodeServices services_;
  std::map<std::uint64_t, Link> links_;
  std::uint64_t lastLink_ = 0;
  router::BestEffort* bestEffort_ = nullptr;
  bool usesMesh_ = false;
  router::MeshHub mesh_{[this](std::uint64_t link, auto message) { send(link, message); }};
  router::NeighbourTable neighbours_;
  std::map<ConnectionId, std::pair<std::uint64_t, std::uint64_t>> remote_;  ///< link, its number
  std::map<std::uint64_t, Linked> linked_;  ///< by the number of the execution
  std::vector<Held> held_;
  std::map<ConnectionId, std::string>
      asks_;  ///< whose request is being answered, and its execution
  std::map<std::uint64_t, std::string> failed_;  ///< links to be dropped, and why
  bool reading_ = false;                         ///< from a link, which may not go meanwhile
  std::uint64_t lastBarrier_ = 0;
  pipes::Clock::time_point nextFigures_{};
  std::vector<fabric::FlowStatus> flows_;  ///< as they were a second before nextFlows_
  pipes::Clock::time_point nextFlows_{};
};

}  // namespace tutti::node
