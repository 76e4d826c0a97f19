// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "executive/executive.h"
#include "fabric/endpoint.h"
#include "node/datagrams.h"
#include "node/fom_model_source.h"
#include "node/home.h"
#include "node/home_dialer.h"
#include "node/leaf.h"
#include "node/model_desk.h"
#include "node/mom/mom_services.h"
#include "node/save_directory.h"
#include "pipes/once_a_minute.h"

namespace tutti::node {

struct NodeOptions {
  std::string name = "default";
  /// How long an execution without members is kept that nobody destroyed.
  std::chrono::milliseconds linger{60'000};
  /// Leave when nobody connects within this time after the start; nothing: wait for ever.
  std::optional<std::chrono::milliseconds> firstConnection;
  /// Nobody is granted a logical time beyond this; the run ends there.
  std::optional<double> stopTime;
  /// Units of logical time per second that are granted at most; 0: as fast as possible.
  double pace = 0;
  /// Called once an execution has come to it with all of its federates.
  std::function<void(const std::string& federation)> stopTimeReached;
  /// Do not leave after the last connection: serve until stopped.
  bool stay = false;
  /// Where other nodes can link themselves to this one. It then stays.
  std::optional<pipes::Address> listenAt;
  /// The node that this one is linked to; it decides nothing itself.
  std::optional<pipes::Address> linkTo;
  /// What other nodes and this one have to prove to each other, and what encrypts what they say.
  std::shared_ptr<const pipes::Security> security;
  /// Listening without it off the loopback address is refused unless this says that every host that
  /// can reach the address is trusted.
  bool trustedNetwork = false;
  /// How best effort goes to other nodes.
  DatagramOptions datagrams;
  /// Nodes that are linked to the same one send each other data straight (TUTTI_MESH=0: they do
  /// not), when the one they are linked to wants it too.
  bool mesh = true;
  /// Where object models come from, which outlives the node; null: from FOM modules.
  executive::ModelSource* models = nullptr;
  /// How long a linked node may be out of reach before its federates are lost.
  std::chrono::milliseconds grace = pipes::SessionPipe::defaultGrace;
  /// With `listenAt`: so much longer an operator may have it wait for another host.
  std::chrono::milliseconds longestWait{0};
};

/// The RTI node of a host: accepts connections and has the executive answer them, one request at a
/// time in order of arrival, but for those that wait at the ModelDesk. The connections themselves
/// tell who is alive. One thread.
class Node {
  struct Made {};  // only listen() can call the constructor

 public:
  struct Error {
    bool nameTaken = false;  ///< another node has the name
    std::string text;
  };

  /// The node listens when this returns.
  static tl::expected<std::unique_ptr<Node>, Error> listen(const NodeOptions& options);

  Node(Made, const NodeOptions& options, executive::Budget budget, executive::HostMemory host,
       fabric::UniqueFd listener);

  /// Where other nodes find this one, with the port that was found; null: nowhere.
  const pipes::Address* address() const {
    return isListening() ? &home_->listener()->address() : nullptr;
  }

  /// Serves until nobody needs it, it is asked to stop, or `stopDescriptor` becomes readable.
  void serve(int stopDescriptor);

 private:
  using Executive = executive::Executive;
  using Id = Executive::ConnectionId;
  static constexpr Id listenerId = 0;  // connections begin at 1
  static constexpr Id stopId = ~Id{0};
  static constexpr Id firstPipeId = Id{1} << 62;
  static constexpr Id pipeListenerId = firstPipeId - 1;
  static constexpr Id routerId = firstPipeId - 2;
  static constexpr Id deskId = firstPipeId - 3;
  // The sockets and the timer of datagrams, far beyond any number of pipes.
  static constexpr Id datagramsId = firstPipeId + (Id{1} << 40);
  static constexpr Id datagramTimerId = datagramsId + 1;
  // Connections with other linked nodes, and where they are accepted.
  static constexpr Id firstNeighbourId = firstPipeId + (Id{1} << 41);
  // Two of each cell, by the connection of its federate: its pipe, and its routers.
  static constexpr Id firstCellId = Id{1} << 63;

  /// A federate whose messages all go through this node or its home has a linked node of its own,
  /// within this process: nobody shares memory with it but that.
  struct Cell {
    fabric::UniqueFd routerEvents;
    std::unique_ptr<Leaf> leaf;
  };

  void watch(int descriptor, Id id);
  void watchWrites(int descriptor, Id id, bool writes);
  HomeDialer::Services dialerServices();
  tl::expected<void, Error> openPipes();
  bool isListening() const { return home_ && home_->listener() != nullptr; }
  tl::expected<void, std::string> openRouterEvents();
  tl::expected<void, std::string> openHome();
  /// `greeting`: what this node says first.
  tl::expected<std::unique_ptr<pipes::Pipe>, std::string> linkToHome(
      const pipes::Greeting& greeting);
  /// Without datagrams best effort goes over the links.
  void openDatagrams();
  void handleDatagrams(Id id);
  void openMesh();
  pipes::Greeting greeting() const;
  /// Who passes on what a connection asks; null: the executive of this node answers. A Hello may
  /// ask for a cell; the error says why there is none.
  tl::expected<Leaf*, std::string> linkedFor(Id id, std::span<const std::byte> datagram);
  /// True: the datagram waits until the connection has a link of its own to the home.
  bool dialsFor(Id id, std::span<const std::byte> datagram);
  /// Answers those whose links to the home have been made, or have failed.
  void takeDialled();
  tl::expected<void, std::string> makeLocalCell(Id id);
  /// `pipe`: to its home.
  tl::expected<void, std::string> makeCell(Id id, std::unique_ptr<pipes::Pipe> pipe);
  void handleCell(Id id);
  void closeIfFailed(Id connection);
  void endCell(Id id);
  void tickCells(Executive::Clock::time_point now);
  void serveLocalPipes();
  /// When pipes and routers want to be looked at again; nothing: by events alone.
  std::optional<std::chrono::milliseconds> nextLook() const;
  NodeServices services();
  /// For connections with other nodes.
  pipes::ConnectionRules rules() { return {options_.security, &memory_}; }
  void handle(Id id);
  void handlePipe(Id id);
  void handleRouters();
  void tickPipes();
  bool linkHasFailed() const { return leaf_ && !leaf_->failure().empty(); }
  void addLinks(std::span<const std::byte> datagram, fabric::Bytes& answer) const;
  /// False: the connection was closed.
  bool answer(Id id, const fabric::Bytes& bytes, std::span<const int> descriptors, bool close);
  void acceptOne();
  /// Answers one datagram of the connection. False when there was none, or the connection ended.
  bool serveOne(Id id);
  /// Always false.
  bool closeHasty(Id id, std::int32_t pid);
  bool answerHere(Id id, const fabric::Bytes& datagram, const executive::ModelRead* read);
  void close(Id id);
  /// Notices connections that have ended, after answering what they had still asked.
  void settle();
  /// Serves the MOM of a federation execution from now on.
  void startMom(const std::string& federation);
  bool mayLeave();
  int waitMilliseconds() const;

  /// What other nodes send, and is sent to them, is paid for by the budget of this one.
  class Memory final : public pipes::MemoryAccount {
   public:
    explicit Memory(executive::Budget& budget) : budget_(budget) {}
    /// An eighth of the budget is for this alone from now on: federates that have taken all the
    /// rest do not end the links.
    void reserve() {
      if (reserved_ == 0 && budget_.take(budget_.total() / 8, "messages of other nodes")) {
        reserved_ = budget_.total() / 8;
      }
    }
    bool take(std::uint64_t bytes) override {
      const std::uint64_t more = beyond(used_ + bytes) - beyond(used_);
      if (more != 0 && !budget_.take(more, "messages of other nodes")) return false;
      used_ += bytes;
      return true;
    }
    void giveBack(std::uint64_t bytes) override {
      budget_.giveBack(beyond(used_) - beyond(used_ - bytes));
      used_ -= bytes;
    }
    std::uint64_t left() const override {
      return budget_.left() + (reserved_ > used_ ? reserved_ - used_ : 0);
    }

   private:
    std::uint64_t beyond(std::uint64_t bytes) const {
      return bytes > reserved_ ? bytes - reserved_ : 0;
    }
    executive::Budget& budget_;
    std::uint64_t reserved_ = 0;
    std::uint64_t used_ = 0;
  };

  NodeOptions options_;
  FomModelSource models_;
  SaveDirectory saves_;
  Executive executive_;
  Memory memory_{executive_.budget()};
  pipes::OnceAMinute refused_;
  ModelDesk desk_;
  fabric::UniqueFd listener_;
  fabric::UniqueFd epoll_;
  /// Given up for a moment when the process has no descriptor left, to turn a caller away.
  fabric::UniqueFd reserve_;
  std::map<Id, fabric::Endpoint> endpoints_;
  std::map<Id, std::string> momServed_;  ///< connections of MOM threads, by federation execution
  Id serving_ = 0;
  Executive::Clock::time_point started_ = Executive::Clock::now();
  MomServices mom_;
  fabric::UniqueFd routerEvents_;
  std::unique_ptr<Home> home_;
  std::unique_ptr<router::Mesh> mesh_;
  std::unique_ptr<Leaf> leaf_;
  std::unique_ptr<router::BestEffort> bestEffort_;
  HomeDialer dialer_{dialerServices()};
  std::map<Id, Cell> cells_;
  std::vector<Cell> endedCells_;  ///< until nobody is within them any more
  std::vector<Id> arrivals_;      ///< pipes within this process that have brought something
  Executive::Clock::time_point nextPipeTick_{};
};

}  // namespace tutti::node
