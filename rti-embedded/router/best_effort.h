// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pipes/datagram_port.h"
#include "pipes/once_a_minute.h"
#include "pipes/session_pipe.h"
#include "router/best_effort_protocol.h"
#include "router/router.h"

namespace tutti::router {

/// Sends what is best effort straight to the nodes of its receivers, in datagrams, past the home;
/// whom no datagram reaches gets it over the links. Where datagrams have just ceased to get
/// through, as when a cable is cut, it is lost: behind a link that goes on later it would come long
/// after it was news. One per node, for all its executions, in the node's thread.
///
/// Every delivery that was tried and failed is counted once, by sender and class, and shown in the
/// sender's page on all hosts (docs/decisions/0017).
class BestEffort {
 public:
  using NodeId = pipes::DatagramPort::PeerId;
  using Send = std::function<void(Router::LinkId, std::span<const std::byte>)>;
  static constexpr NodeId home = 0;

  /// What waits for the way to one node to have room; beyond, the oldest is dropped.
  static constexpr std::size_t mostWaiting = std::size_t{16} << 20;
  /// What came before something that it needs; beyond, and after this time, it is dropped.
  static constexpr std::size_t mostEarly = std::size_t{32} << 20;
  static constexpr std::chrono::milliseconds earlyPatience{2000};
  /// Something that was sent so long before may be on its way still.
  static constexpr std::chrono::milliseconds underway{250};

  explicit BestEffort(std::unique_ptr<pipes::DatagramPort> port);
  ~BestEffort();

  /// Where messages over links go. A linked node has one link.
  void onSend(Send send, bool atHome) {
    send_ = std::move(send);
    atHome_ = atHome;
  }
  /// Those of the links: a way of datagrams that has been gone for longer will not come back, and
  /// the links are used. For the longest wait beyond the grace they are used when onAnswers() says
  /// that the other node is there: then it was nothing but datagrams that failed.
  void setGrace(std::chrono::milliseconds grace, std::chrono::milliseconds longestWait) {
    grace_ = grace;
    longestWait_ = longestWait;
  }
  /// Whether what is sent to that node in another way than by datagrams gets there now.
  void onAnswers(std::function<bool(NodeId)> answers) { answers_ = std::move(answers); }
  /// Who pays for what waits to be sent or delivered, and outlives this. When nobody does, that is
  /// as if there were no room for it. Before anything is sent or taken.
  void payFrom(pipes::MemoryAccount* memory) {
    memory_ = memory;
    earlyCharge_ = pipes::Charge(memory);
    streamsCharge_ = pipes::Charge(memory);
  }
  /// Called with a descriptor that has to be waited for as well, and then leads to ready().
  void onDescriptor(std::function<void(int)> watch) { watch_ = std::move(watch); }
  const pipes::DatagramPort& port() const { return *port_; }

  // At the home.
  /// All linked nodes are to be reached through this group as well. Before the first link.
  tl::expected<void, std::string> openGroup(const pipes::SocketAddress& group);
  /// A node has said where it receives datagrams.
  void introduce(Router::LinkId link, const pipes::SocketAddress& where, std::uint64_t token);
  void linkEnded(Router::LinkId link);
  void place(std::uint64_t execution, fabric::FederateNumber federate, Router::LinkId link);
  /// The link has a replica from now on.
  void openAt(Router::LinkId link, const Router& router);

  // At a linked node.
  void introduceHome(const pipes::SocketAddress& where, std::uint64_t token);

  // At both.
  void attach(Router& router);
  void detach(std::uint64_t execution);
  /// True: it was a message over a link that concerns only this.
  bool take(Router::LinkId from, const LinkHead& head, std::span<const std::byte> message);
  /// Datagrams have come. False: there may be more.
  bool ready();
  /// The timer's descriptor is readable.
  void timeout();
  /// At the end of a turn.
  void flush();
  void tick(pipes::Clock::time_point now);

  /// The nodes that are known, and how they are reached, for display.
  struct Way {
    NodeId node = 0;
    std::string address;
    bool direct = false;
    bool group = false;
    std::size_t datagramBytes = 0;
  };
  std::vector<Way> ways() const;

  /// What went between this node and another, since they know each other.
  struct Traffic {
    bool direct = false;
    std::uint64_t messagesSent = 0;
    std::uint64_t messagesReceived = 0;
    std::uint64_t bytesSent = 0;
    std::uint64_t bytesReceived = 0;
    /// Deliveries that failed, as far as this node knows: what it could not send there, what it has
    /// missed from there, and what the other has missed of this node's federates.
    std::uint64_t lost = 0;
  };
  /// Nothing: that node receives no datagrams.
  std::optional<Traffic> trafficWith(NodeId node) const;

 private:
  /// Deliveries of a class from a federate, in one execution.
  using Stream = std::tuple<std::uint64_t, fabric::FederateNumber, fabric::ClassKey>;
  struct Sent {
    std::uint64_t number = 0;    ///< of the next
    std::uint64_t reported = 0;  ///< to the receiving node
  };
  struct Node {
    pipes::SocketAddress where;
    std::uint64_t token = 0;
    std::map<Stream, Sent> sent;
    std::map<Stream, std::uint64_t> received;  ///< number of the next
    struct Report {
      pipes::Clock::time_point due;
      std::vector<ClassNumber> streams;
      pipes::Charge charge;
    };
    std::deque<Report> reports;
    Traffic traffic;  ///< without what the other has missed
  };
  struct Section {
    NodeId node = 0;
    std::vector<fabric::FederateNumber> receivers;
  };
  struct Waiting {
    std::uint64_t order = 0;
    std::uint64_t tableChanges = 0;
    Stream stream;
    std::shared_ptr<const fabric::Bytes> record;
    std::vector<Section> sections;
  };
  /// To one node, or to the group. Of what waits, the oldest of the lower priority goes first.
  struct Lane {
    std::array<std::deque<Waiting>, 2> waiting;  ///< by priority
    std::size_t bytes = 0;
    pipes::Charge charge = {};
    bool empty() const { return waiting[0].empty() && waiting[1].empty(); }
  };
  static constexpr NodeId groupLane = ~NodeId{0};

  /// What came too early.
  struct Early {
    NodeId from = 0;
    std::uint64_t tableChanges = 0;
    fabric::ClassKey classKey = 0;
    std::vector<fabric::FederateNumber> receivers;
    fabric::Bytes record;
    pipes::Clock::time_point since;
  };

  void send(const Router& router, fabric::FederateNumber sender, std::span<const std::byte> record,
            std::vector<fabric::FederateNumber>& receivers);
  void enqueue(NodeId lane, Waiting waiting);
  bool laneHasRoom(NodeId lane) const;
  /// No datagram gets there now, and behind a link what is sent would wait for the end of a cut.
  bool isCutOff(NodeId node) const;
  void transmit(NodeId lane, const Waiting& waiting);
  void proceed();
  void drop(const Waiting& waiting);
  void dropOldest(Lane& lane);

  enum class Residence { There, Elsewhere, Unknown };
  /// Whether a federate lives at that node.
  Residence residence(std::uint64_t execution, fabric::FederateNumber federate, NodeId node) const;
  void reportForeign(NodeId from, fabric::FederateNumber sender);
  void takeMessage(NodeId from, std::span<const std::byte> message);
  void deliver(NodeId from, Router& router, fabric::FederateNumber sender,
               fabric::ClassKey classKey, std::span<const fabric::FederateNumber> receivers,
               std::span<const std::byte> record);
  void retryEarly(pipes::Clock::time_point now);
  void forgetEarly(std::uint64_t execution);
  void missed(NodeId id, Node& node, const Stream& stream, std::uint64_t until);
  /// `node`: where it was to go, or came from.
  void countLost(NodeId node, const Stream& stream, std::uint64_t count);
  /// The number of a stream that another node has named; null: nobody pays for one more. What is
  /// sealed with the key of a federation may still be anything.
  std::uint64_t* paidNumber(std::map<Stream, std::uint64_t>& numbers, const Stream& stream);
  void payForStreams();
  void showLost(const Stream& stream);
  void sendReports(pipes::Clock::time_point now);
  void takeReports(pipes::Clock::time_point now);
  void addNode(NodeId id, const pipes::SocketAddress& where, std::uint64_t token,
               const fabric::Bytes& key);
  /// Empty unless datagrams are sealed.
  fabric::Bytes newKey() const;
  void removeNode(NodeId id);
  void takeIntroduction(const NodeIntroduced& node);
  NodeIntroduced introductionOf(NodeId id, bool own, const fabric::Bytes& key) const;
  void toLinks(Router::LinkId except, std::span<const std::byte> message);

  std::unique_ptr<pipes::DatagramPort> port_;
  std::chrono::milliseconds grace_ = pipes::SessionPipe::defaultGrace;
  std::chrono::milliseconds longestWait_{0};
  std::function<bool(NodeId)> answers_;
  Send send_;
  std::function<void(int)> watch_;
  bool atHome_ = false;
  std::optional<pipes::SocketAddress> group_;
  std::uint64_t groupToken_ = 0;
  fabric::Bytes groupKey_;
  /// At a linked node: the home, until the key that both have is known.
  std::optional<std::pair<pipes::SocketAddress, std::uint64_t>> homeWithoutKey_;
  std::map<NodeId, Node> nodes_;
  std::map<std::uint64_t, Router*> routers_;  ///< by execution
  std::map<std::pair<std::uint64_t, fabric::FederateNumber>, NodeId> places_;
  std::map<NodeId, Lane> lanes_;
  std::uint64_t order_ = 0;
  std::map<std::pair<std::uint64_t, fabric::FederateNumber>, std::deque<Early>> early_;
  std::size_t earlyBytes_ = 0;
  pipes::MemoryAccount* memory_ = nullptr;
  pipes::Charge earlyCharge_;
  pipes::Charge streamsCharge_;  ///< of `received` and `lost_`
  /// By where it was found; the own token stands for this node.
  std::map<std::uint64_t, std::map<Stream, std::uint64_t>> lost_;
  std::map<Stream, std::uint64_t> shown_;  ///< of all together
  std::set<Stream> lostSince_;             ///< what is to be told to the others
  pipes::Clock::time_point nextReports_{};
  pipes::OnceAMinute told_;
  fabric::Bytes message_;
};

}  // namespace tutti::router
