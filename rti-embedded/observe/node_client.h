// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/link_status.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"
#include "fabric/protocol_mom.h"
#include "fabric/protocol_save.h"

namespace tutti::observe {

/// The NAME of a designator `shm:NAME`; a bare NAME is taken as it is, "" is "default". The error
/// says which other forms cannot be observed.
tl::expected<std::string, std::string> nodeNameOf(std::string_view designator);

/// Names of the RTI nodes of this user on this host, sorted; from /proc/net/unix.
std::vector<std::string> runningNodes();

/// The memory of a federation execution, for reading only.
struct ObservedMemory {
  fabric::UniqueFd published;
  fabric::UniqueFd shared;
  std::uint64_t publishedBytes = 0;
  std::uint64_t bytes = 0;

  tl::expected<fabric::Arena, std::string> map() const {
    return fabric::Arena::open({published.get(), shared.get(), publishedBytes, bytes},
                               fabric::Mapping::Access::ReadOnly);
  }
};

/// What a node says of itself.
struct NodeStatus {
  fabric::StatusReply status;
  std::vector<fabric::LinkStatus> links;                  ///< with nodes of other hosts
  std::vector<fabric::NeighbourLinkStatus> neighbours{};  ///< of those with each other
  std::vector<fabric::FlowStatus> flows{};  ///< to federates of other hosts, at their home
};

/// A connection to a node by one who joins nothing. Not thread-safe. Errors are sentences for a
/// person; after one that ends the connection, connected() is false.
class NodeClient {
 public:
  /// How long an answer is waited for; the node answers in microseconds unless it is stopped.
  static constexpr std::chrono::milliseconds patience{2000};

  NodeClient() = default;

  static tl::expected<NodeClient, std::string> connect(const std::string& nodeName);

  /// Needed before observe(); `program` is named in the node's log.
  tl::expected<void, std::string> hello(const std::string& program);
  tl::expected<fabric::StatusReply, std::string> status();
  tl::expected<NodeStatus, std::string> statusAndLinks();
  /// The same for one who has no time: asks, unless that is under way, and waits no longer than
  /// `wait`. Nothing: no answer yet; the next call takes it up.
  tl::expected<std::optional<NodeStatus>, std::string> statusWithin(std::chrono::milliseconds wait);
  /// Since when that has been under way.
  std::optional<fabric::Endpoint::Clock::time_point> askedSince() const;
  /// The execution's arena, for reading only.
  tl::expected<ObservedMemory, std::string> observe(const std::string& federation);
  /// No federate is granted beyond `ceiling` (as ArenaHeader::ceiling), until it is
  /// released or this connection ends; without a ceiling time goes on. After hello().
  tl::expected<void, std::string> holdTime(const std::string& federation,
                                           std::optional<std::uint64_t> ceiling);
  /// Units of logical time per second, from 0.000001 to 1e12; 0: as fast as possible. It stays when
  /// this connection ends. After hello().
  tl::expected<void, std::string> setPace(const std::string& federation, double perSecond);
  /// Has the federation execution saved or restored under `label` (IEEE 1516.1-2010, 4.16, 4.24),
  /// or what is going on ended (4.21, 4.30). Returns when it has begun; saves() tells how it goes.
  /// It ends only when every federate has done its part. After hello().
  tl::expected<void, std::string> operateSave(const std::string& federation,
                                              fabric::SaveAction action,
                                              const std::string& label = {});
  /// What can be restored, also of an execution that does not exist now; the save or restore that
  /// is going on; what came of the last one. After hello().
  tl::expected<fabric::SavesReply, std::string> saves(const std::string& federation);
  /// Tells federates to resign, by the MOM (11.4); returns when they have been told, and resigns()
  /// tells how it goes. A federate that hangs resigns when it goes on. After hello().
  tl::expected<void, std::string> operateResign(const fabric::OperateResignRequest& request);
  /// What came of the last one, also of an execution that has ended since. After hello().
  tl::expected<fabric::ResignsReply, std::string> resigns(const std::string& federation);
  /// Adjusts switches, reports and report periods by the MOM (11.4); returns when the federates
  /// have been told, and adjustments() tells who has done it. After hello().
  tl::expected<void, std::string> operateAdjust(const fabric::OperateAdjustRequest& request);
  /// What holds now. After hello().
  tl::expected<fabric::AdjustmentsReply, std::string> adjustments(const std::string& federation);
  /// Has a federate own an instance attribute, or no longer, by the MOM (11.4); returns when it has
  /// been told, and findOwner() tells whether it has done it. After hello().
  tl::expected<void, std::string> modifyAttributeState(
      const fabric::ModifyAttributeStateRequest& request);
  tl::expected<fabric::FindOwnerReply, std::string> findOwner(
      const fabric::FindOwnerRequest& request);
  /// Decides about a link that is suspect. A node does that for its own links: the home's for those
  /// with all others, a linked one's for that with the home. After hello().
  tl::expected<fabric::OperateLinkReply, std::string> operateLink(
      const fabric::OperateLinkRequest& request);
  /// Returns when all is on its host that federates of other hosts have sent and shown by now, and
  /// the other way round. After hello().
  tl::expected<void, std::string> confirm(const std::string& federation);
  /// Ends the node; returns when it has gone.
  tl::expected<void, std::string> stop();

  bool connected() const { return static_cast<bool>(endpoint_) && !endpoint_.closedByPeer(); }
  const std::string& nodeName() const { return nodeName_; }

 private:
  template <class Message>
  tl::expected<fabric::Datagram, std::string> ask(fabric::Request request, const Message& message,
                                                  std::size_t& bodyAt);
  template <class Message>
  tl::expected<void, std::string> send(fabric::Request request, const Message& message);
  /// What answers the request that was sent last.
  tl::expected<fabric::Datagram, std::string> check(fabric::Datagram answer, std::size_t& bodyAt);
  tl::expected<NodeStatus, std::string> readStatus(const fabric::Datagram& answer,
                                                   std::size_t bodyAt) const;
  /// Nothing more can be understood on this connection.
  tl::unexpected<std::string> lost(const std::string& why);

  fabric::Endpoint endpoint_;
  std::string nodeName_;
  std::uint64_t lastNumber_ = 0;
  std::optional<fabric::Endpoint::Clock::time_point> statusAsked_;  ///< and not answered
};

}  // namespace tutti::observe
