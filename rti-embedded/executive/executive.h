// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
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

#include "executive/answer.h"
#include "executive/budget.h"
#include "executive/federation_execution.h"
#include "executive/host_memory.h"
#include "executive/model_source.h"
#include "executive/operated_resigns.h"
#include "executive/save_store.h"
#include "fabric/endpoint.h"
#include "fabric/protocol.h"

namespace tutti::executive {

/// All federation executions of a node, and who is connected to it: answers requests. Has no
/// socket; the node brings the bytes. Not thread-safe.
class Executive {
 public:
  using Clock = std::chrono::steady_clock;
  using ConnectionId = std::uint64_t;

  struct Options {
    std::string nodeName;
    /// How long an execution is kept that has no members and was not destroyed.
    std::chrono::milliseconds linger{60'000};
    /// No execution goes beyond this logical time.
    std::optional<double> stopTime;
    /// Units of logical time per second that each execution keeps at first; 0: as fast as possible.
    double pace = 0;
  };

  /// What to send back. `descriptors` are borrowed, valid until the next call.
  struct Reply {
    fabric::Bytes bytes;  ///< empty: nothing
    std::vector<int> descriptors;
    bool close = false;  ///< end the connection after sending
  };

  /// `models` outlives this.
  Executive(Options options, Budget budget, HostMemory host, ModelSource& models);

  /// Of all arenas of this node.
  Budget& budget() { return budget_; }
  Executive(const Executive&) = delete;  // executions refer to the budget in here
  Executive& operator=(const Executive&) = delete;

  /// Called before what depends on who is still there (25 in the rules of the RTI): has to report
  /// with closed() the connections that are known to have ended.
  void onSettle(std::function<void()> settle) { settle_ = std::move(settle); }

  /// Has something put into what is told of this node.
  void onStatus(std::function<void(fabric::StatusReply&)> complete) {
    completeStatus_ = std::move(complete);
  }

  /// Called, from tick(), once for each execution that has come to the stop time with all of its
  /// federates.
  void onStopTime(std::function<void(const std::string&)> reached) {
    stopTimeReached_ = std::move(reached);
  }

  /// Where saved federation executions are kept; without one every save fails. `store` outlives
  /// this.
  void keepSavesIn(SaveStore& store) { saves_ = &store; }

  ConnectionId opened(std::int32_t pid);
  /// A connection of the node itself, for the hidden member that serves the MOM of `federation`.
  ConnectionId openedForManagement(const std::string& federation);
  /// Federation executions whose MOM has to be served from now on. The connection is closed by
  /// takeDoomed() when it has to be no longer.
  std::set<std::string> takeManagementWanted() { return std::exchange(managementWanted_, {}); }
  /// A connection of another node, for a federate of its host.
  ConnectionId openedRemote(std::int32_t pid, const std::string& program, const std::string& host);
  /// Whose federate a connection is; no federation: nobody's.
  struct Membership {
    std::string federation;
    fabric::FederateNumber federate = 0;
  };
  Membership membership(ConnectionId connection) const;
  /// An execution, which its holder keeps in memory although it may have ended; null: there is none
  /// of that name. Its number differs from that of one that had the name before.
  std::shared_ptr<FederationExecution> execution(const std::string& federation) const;
  std::uint64_t executionNumber(const std::string& federation) const;
  /// The connection has ended: its federate, if any, is lost.
  void closed(ConnectionId connection);
  /// Answers one datagram. Never throws for what it contains.
  /// `read`: what modelWanted() has asked for; without it the model is read here and now.
  Reply answer(ConnectionId connection, std::span<const std::byte> datagram,
               const ModelRead* read = nullptr);
  /// The object model that has to be read before that request can be answered; nothing: none, or
  /// the request will be refused without.
  std::optional<ModelWanted> modelWanted(ConnectionId connection,
                                         std::span<const std::byte> datagram) const;
  /// Whether a pace has moved a ceiling of time since this was last asked.
  bool takeCeilingMoved() { return std::exchange(ceilingMoved_, false); }
  bool isOpen(ConnectionId connection) const { return connections_.contains(connection); }

  /// Does what is due: destroys executions that nobody came back to, frees memory.
  void tick(Clock::time_point now);
  /// When tick() has something to do next.
  std::optional<Clock::time_point> nextTick() const;

  std::size_t connectionCount() const { return connections_.size(); }
  /// Ends a federation execution whose shared memory somebody has damaged: its members lose their
  /// connections, nobody else does.
  void endDamaged(const std::string& federation, const std::string& what);
  bool hasFederations() const { return !federations_.empty(); }
  /// True once an ambassador has introduced itself.
  bool wasUsed() const { return wasUsed_; }
  bool stopRequested() const { return stopRequested_; }
  /// Connections that can no longer be served (their execution ran out of memory for its log).
  std::set<ConnectionId> takeDoomed() { return std::exchange(doomed_, {}); }

  fabric::StatusReply status() const;

 private:
  struct Federation {
    std::uint64_t number = 0;
    std::shared_ptr<FederationExecution> execution;
    /// Connections that created or joined it and are still open: they may come back.
    std::set<ConnectionId> holders;
    /// Whose hold on time it is; nobody's while time goes on.
    std::optional<ConnectionId> timeHolder;
    std::optional<Clock::time_point> emptySince;  ///< no members and no holders
    std::optional<Clock::time_point> atStopTimeSince;
    bool stopTimeTold = false;
    std::optional<Clock::time_point> paceLook;  ///< for followPace()
  };
  struct Connection {
    std::int32_t pid = 0;
    std::optional<std::uint32_t> index;  ///< its bit in the spin page, after Hello
    std::string program;
    std::string host;         ///< empty: this one
    bool management = false;  ///< the node's own
    bool remote = false;      ///< of another node
    std::string federation;   ///< joined to; empty: none
    fabric::FederateNumber federate = 0;
    // For a request that comes again.
    std::uint64_t lastNumber = 0;
    fabric::Request lastRequest{};
    fabric::Bytes lastReply;
  };
  struct Joined {
    FederationExecution& execution;
    fabric::FederateNumber federate;
  };
  /// The body of a reply, its descriptors and the log number to be applied.
  struct Body {
    fabric::Bytes bytes;
    std::vector<int> descriptors;
    fabric::LogNumber logTail = 0;
  };

  Answer<Body> dispatch(ConnectionId id, Connection& connection, fabric::Request request,
                        std::span<const std::byte> body);
  template <class Message, class Handler>
  Answer<Body> parsed(std::span<const std::byte> body, Handler&& handler);
  template <class Message, class Handler>
  Answer<Body> asMember(Connection& connection, std::span<const std::byte> body, Handler&& handler);

  Answer<Body> hello(Connection& connection, const fabric::HelloRequest& request);
  Answer<Body> create(ConnectionId id, const fabric::CreateFederationRequest& request);
  Answer<Body> destroy(const fabric::FederationNameRequest& request);
  Answer<Body> list() const;
  Answer<Body> join(ConnectionId id, const fabric::JoinRequest& request);
  Answer<Body> resign(Connection& connection, const fabric::ResignRequest& request);
  Answer<Body> callbackFault(Connection& connection, const fabric::CallbackFault& fault);
  Answer<Body> holdTime(ConnectionId id, const fabric::HoldTimeRequest& request);
  Answer<Body> setPace(ConnectionId id, const fabric::SetPaceRequest& request);
  void followPace(Clock::time_point now);
  // executive_save.cpp
  Answer<Body> savedState(Connection& connection, const fabric::SavedStateRequest& request);
  Answer<Body> requestRestore(Connection& connection, const fabric::RequestRestoreRequest& request);
  /// Why that save cannot be used with the federates that are joined; empty: the restore has begun.
  Answer<std::string> beginRestore(FederationExecution& execution, const std::string& label);
  Answer<Body> operateSave(ConnectionId id, const fabric::OperateSaveRequest& request);
  Answer<Body> listSaves(const fabric::FederationNameRequest& request) const;
  Answer<Body> restoreCompleted(Connection& connection, const fabric::CompletedRequest& request);
  Answer<std::unique_ptr<FederationExecution>> restored(const FederationExecution& execution);
  Answer<Body> enterRestored(Connection& connection);
  Answer<SavedExecution> readSave(const std::string& federation, const std::string& label) const;
  Answer<Body> observe(const fabric::FederationNameRequest& request);
  // executive_resign.cpp
  Answer<Body> operateResign(ConnectionId id, const fabric::OperateResignRequest& request);
  Answer<Body> listResigns(const fabric::FederationNameRequest& request) const;
  Answer<Body> resignRefused(Connection& connection, const fabric::ResignRefused& refused);
  // executive_adjust.cpp
  Answer<Body> operateAdjust(ConnectionId id, const fabric::OperateAdjustRequest& request);
  Answer<Body> listAdjustments(const fabric::FederationNameRequest& request) const;
  Answer<Body> modifyAttributeState(ConnectionId id,
                                    const fabric::ModifyAttributeStateRequest& request);
  Answer<Body> findOwner(const fabric::FindOwnerRequest& request) const;
  void noteLeft(const std::string& federation, fabric::FederateNumber federate,
                fabric::ResignState state);

  Answer<Body> dispatchManagement(Connection& connection, fabric::Request request,
                                  std::span<const std::byte> body);
  void endManagement(const std::string& federation);

  Answer<Joined> joined(Connection& connection);
  static tl::unexpected<Refused> noSuchFederation(const std::string& name);
  void settle();
  void lose(Connection& connection);
  void lookForStopTime(Clock::time_point now);
  void noteEmpty(const std::string& federation);
  /// Before it is destroyed: what its federates did stays known for those who watch.
  void keepEnded(const Federation& federation);
  void doom(const std::string& federation);

  Options options_;
  Budget budget_;
  HostMemory host_;
  ModelSource& models_;
  SaveStore* saves_ = nullptr;
  std::function<void()> settle_;
  std::function<void(fabric::StatusReply&)> completeStatus_;
  std::function<void(const std::string&)> stopTimeReached_;
  bool settling_ = false;
  const ModelRead* modelRead_ = nullptr;  ///< for the request that is being answered
  std::map<std::string, Federation> federations_;
  OperatedResigns resigns_;
  std::deque<fabric::FederationStatus> ended_;  ///< newest last, for display
  std::map<ConnectionId, Connection> connections_;
  std::set<std::uint32_t> usedIndices_;
  std::set<ConnectionId> doomed_;
  std::set<std::string> managementWanted_;
  ConnectionId lastConnection_ = 0;
  std::uint64_t lastFederation_ = 0;
  std::uint64_t requests_ = 0;
  bool wasUsed_ = false;
  bool stopRequested_ = false;
  std::optional<Clock::time_point> nextReclaim_;
  Clock::time_point nextLook_{};  ///< for the stop time
  bool ceilingMoved_ = false;
};

}  // namespace tutti::executive
