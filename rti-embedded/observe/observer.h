// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/layout.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"
#include "observe/node_client.h"
#include "observe/snapshot.h"
#include "omt/compact_model.h"

namespace tutti::observe {

/// Watches an RTI node from outside: who is there from the node, all figures from the memory that
/// the federates keep them in, mapped for reading only. No federate is asked, woken or delayed.
///
/// Not thread-safe; used by one thread. Everything that is read is checked: a federate that has
/// left, or memory in use for something else meanwhile, gives no figures, never wrong ones.
class Observer {
 public:
  /// `designator`: shm:NAME or NAME. The error is a sentence for a person.
  static tl::expected<Observer, std::string> connect(std::string_view designator,
                                                     const std::string& program = "observer");

  /// Asks the node who is there; call it once or twice a second. False when the node is gone, and
  /// then sample() says so; connect anew to follow a new node of the name.
  bool refresh();
  /// The same without waiting longer than `wait` for a node that is stopped or busy: then all is as
  /// at the last one, and the next call takes the answer up. While none has come for
  /// NodeClient::patience, sample() says so.
  bool refreshWithin(std::chrono::milliseconds wait);

  /// What holds now, of those that were there at the last refresh(). Reads memory only (10 Hz).
  Snapshot sample() const;

  bool connected() const { return problem_.empty(); }

  /// Pauses a federation: no federate is granted beyond `ceiling`, in the units of Snapshot, until
  /// it is released or this observer goes. Raising it lets exactly the grants up to it pass. One
  /// that was being granted at this moment still is. The error is a sentence for a person.
  tl::expected<void, std::string> holdTime(const std::string& federation, double ceiling);
  tl::expected<void, std::string> releaseTime(const std::string& federation);
  /// Units of logical time per second of wall clock, from 0.000001 to 1e12; 0: as fast as possible.
  /// It holds until somebody sets another one, whatever becomes of this observer.
  tl::expected<void, std::string> setPace(const std::string& federation, double perSecond);

  /// What was declared at the last refresh(); empty for an unknown federation.
  std::vector<DeclarationSample> declarations(const std::string& federation) const;

  /// The live object instances by class, of classes of which the federate has any. Walks the
  /// instance tables of all: for once or twice a second. Empty for one who is not joined.
  std::vector<InstanceSample> instancesOf(const std::string& federation,
                                          fabric::FederateNumber federate) const;

 private:
  /// An execution whose memory is mapped.
  struct Watched {
    fabric::Arena arena;
    fabric::Offset modelAt = 0;
    std::unique_ptr<fabric::Bytes> modelBytes;  ///< a copy: the model may be replaced at any time
    std::optional<omt::CompactModel> model;
  };

  Observer() = default;

  /// What refresh() returns when the connection has ended.
  bool failed(const std::string& why);
  void take(NodeStatus node);
  void readModel(Watched& watched, const fabric::FederationStatus& status);
  const fabric::FederationStatus* find(const std::string& federation) const;

  FederateSample sampleFederate(const fabric::Arena* arena,
                                const fabric::FederateStatus& status) const;
  /// Those that end on another host, as its node has told.
  void addFlows(const fabric::FederationStatus& status, FederationSample& sample) const;
  void sampleLinks(const fabric::Arena& arena, const fabric::FederateStatus& receiver,
                   std::vector<LinkSample>& links) const;

  NodeClient client_;
  fabric::StatusReply status_;
  std::vector<fabric::LinkStatus> links_;
  std::vector<fabric::NeighbourLinkStatus> neighbours_;
  std::vector<fabric::FlowStatus> flows_;
  std::int64_t linksAt_ = 0;                  ///< ns
  std::map<std::uint64_t, Watched> watched_;  ///< by number of the execution
  std::string mapProblem_;                    ///< of the last one that could not be mapped
  std::string problem_;
  std::string silence_;  ///< that it does not answer; empty: it does, or has little time so far
};

}  // namespace tutti::observe
