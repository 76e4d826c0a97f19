// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "fabric/layout.h"
#include "fabric/mapping.h"
#include "fabric/protocol.h"
#include "observe/node_client.h"
#include "observe/snapshot.h"

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

  /// What holds now, of those that were there at the last refresh(). Reads memory only (10 Hz).
  Snapshot sample() const;

  bool connected() const { return problem_.empty(); }

 private:
  Observer() = default;

  FederateSample sampleFederate(const fabric::Arena* arena,
                                const fabric::FederateStatus& status) const;
  void sampleLinks(const fabric::Arena& arena, const fabric::FederateStatus& receiver,
                   std::vector<LinkSample>& links) const;

  NodeClient client_;
  fabric::StatusReply status_;
  std::map<std::uint64_t, fabric::Arena> arenas_;  ///< by number of the execution
  std::string mapProblem_;                         ///< of the last one that could not be mapped
  std::string problem_;
};

}  // namespace tutti::observe
