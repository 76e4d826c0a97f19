// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::fabric {

/// A link with another node. A list of these stands behind the StatusReply in a node's answer.
struct LinkStatus {
  std::string node;                       ///< its address
  std::string peer;                       ///< its name; of another host
  bool toHome = false;                    ///< it decides; else this node does
  bool suspect = false;                   ///< nothing is acknowledged: what needs it waits
  std::uint64_t suspectMilliseconds = 0;  ///< for so long
  std::uint64_t graceMilliseconds = 0;    ///< so long after it became suspect it is lost
  std::uint64_t leftMilliseconds = 0;     ///< while it is suspect: of the grace
  std::uint64_t suspicions = 0;           ///< so many so far
  std::uint64_t resumptions = 0;          ///< new connections that have taken over
  std::uint64_t keptBytes = 0;            ///< sent, not acknowledged
  /// Those behind it; towards the home, those of this node, which depend on it.
  std::vector<std::string> federates;
  std::vector<std::string> waiting;       ///< those that wait for an answer that depends on it
  template <class A>
  void fields(A& a) {
    a(node, peer, toHome, suspect, suspectMilliseconds, graceMilliseconds, leftMilliseconds,
      suspicions, resumptions, keptBytes, federates, waiting);
  }
};

}  // namespace tutti::fabric
