// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executive/federation_execution.h"
#include "pipes/memory_account.h"
#include "pipes/pipe.h"
#include "router/router.h"

namespace tutti::node {

/// The cells of a linked node (Node::Cell), which hear of the home through it: data between them
/// goes no farther than here, while whatever is asked goes to the home and back.
///
/// The nodes are a tree then. Everybody passes on what he hears in the order in which he heard it,
/// so that all still hear of a cause before its effect. What the home waits for at a link,
/// acknowledgements and barriers, is waited for here at the cells behind it. One thread.
class Relay {
 public:
  using ConnectionId = std::uint64_t;
  using CellId = router::Router::LinkId;  ///< from 1; 0 is the link to the home

  /// The linked node, as its cells need it.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual ConnectionId openedBehind(std::int32_t pid, const std::string& program,
                                      const std::string& host) = 0;
    virtual void closed(ConnectionId connection) = 0;
    virtual void forward(ConnectionId connection, std::span<const std::byte> datagram) = 0;
    /// Null: there is none here.
    virtual router::Router* routerOf(std::uint64_t execution) = 0;
    /// Cells have come closer to the end of the log.
    virtual void caughtUp(std::uint64_t execution) = 0;
    virtual void barrierPassed(std::uint64_t execution, std::uint64_t barrier) = 0;
    virtual void answered(const router::Forwarded& answer) = 0;
  };

  /// `memory` pays for answers that wait, and outlives this.
  Relay(Owner& owner, pipes::MemoryAccount* memory) : owner_(owner), memory_(memory) {}

  CellId add(std::unique_ptr<pipes::Pipe> pipe);
  /// A cell has sent something, or has ended.
  void ready(CellId cell);
  void send(CellId cell, std::span<const std::byte> message);
  void flush();

  bool isBehind(ConnectionId connection) const { return connections_.contains(connection); }
  /// The home has placed a federate of a cell, which gets a replica unless it has one; or prepared
  /// its joining. False: the connection belongs to no cell.
  bool place(router::Router& router, const router::FederatePlaced& placed);
  bool prepareJoin(std::uint64_t execution, const router::JoinPrepared& prepared);
  /// An execution was restored: gives each cell that one of `behind` lives in a replica, to return
  /// to. Before anything else is done with the router.
  void openRestored(router::Router& router, std::span<const executive::ReturningFederate> behind);
  /// To all cells with a replica of the execution, as it came.
  void passOn(std::uint64_t execution, std::span<const std::byte> message);
  void executionClosed(std::uint64_t execution);

  /// Up to where all cells have the log of an execution; nothing: there are none.
  std::optional<fabric::LogNumber> applied(std::uint64_t execution) const;
  /// False: no cell has to pass it.
  bool setBarrier(std::uint64_t execution, std::uint64_t barrier);
  /// Before a request is forwarded that is answered when all slots have been seen.
  void confirm(ConnectionId connection, std::uint64_t execution);
  /// True: the answer waits until the cells have what the asker may rely on; Owner::answered() is
  /// called then.
  bool holds(const router::Forwarded& answer, std::uint64_t execution, fabric::LogNumber tail);
  /// False: the connection belongs to no cell.
  bool answer(const router::Forwarded& answer);
  void forget(ConnectionId connection);

 private:
  struct Cell {
    std::unique_ptr<pipes::Pipe> pipe;
    std::map<std::uint64_t, ConnectionId> connections;   ///< by the cell's numbers
    std::map<std::uint64_t, fabric::LogNumber> applied;  ///< by execution
    bool failed = false;                                 ///< it ends, for want of memory
  };
  struct Behind {
    CellId cell = 0;
    std::uint64_t theirs = 0;
  };
  struct Barrier {
    std::uint64_t execution = 0;
    std::uint64_t number = 0;
    ConnectionId asker = 0;  ///< of an answer that waits for it; 0: the home has set it
    std::set<CellId> waitsFor;
  };
  struct Held {
    router::Forwarded answer;
    std::uint64_t execution = 0;
    fabric::LogNumber number = 0;
    std::set<CellId> waitsFor;
    pipes::Charge charge = {};
  };

  void take(CellId cell, std::span<const std::byte> message);
  void open(CellId cell, router::Router& router, const executive::ReplicaStart& start);
  std::set<CellId> othersWith(std::uint64_t execution, ConnectionId asker) const;
  void drop(CellId cell);
  void passed(CellId cell, std::uint64_t execution, std::uint64_t number);
  void release();

  Owner& owner_;
  pipes::MemoryAccount* memory_;
  std::map<CellId, Cell> cells_;
  CellId lastCell_ = 0;
  std::map<ConnectionId, Behind> connections_;
  std::vector<Barrier> barriers_;
  std::uint64_t lastBarrier_ = 0;
  std::vector<Held> held_;
};

}  // namespace tutti::node
