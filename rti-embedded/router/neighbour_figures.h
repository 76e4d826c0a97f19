// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fabric/link_status.h"
#include "pipes/pipe.h"
#include "router/mesh_protocol.h"

/// What linked nodes count of the connections that they have with each other, told to their home,
/// so that whoever looks there sees the links between two other hosts as well.
namespace tutti::router {

/// One end of such a link, since the two nodes know each other. Only what this end sends: the other
/// end tells the rest.
struct NeighbourFigures {
  NodeId node = 0;  ///< the other end
  fabric::NeighbourWay way = fabric::NeighbourWay::NotYet;
  std::uint32_t awayMilliseconds = 0;       ///< while the way is not straight: for so long
  std::uint64_t messagesSent = 0;           ///< straight, acknowledged or not
  std::uint64_t bytesSent = 0;              ///< of those, with what frames them
  std::uint32_t keptBytes = 0;              ///< of those: not acknowledged
  std::uint32_t keptLimitBytes = 0;         ///< from so many kept on, senders wait
  std::uint32_t roundTripMicroseconds = 0;  ///< as the kernel has it; 0: not known
  bool datagrams = false;                   ///< best effort gets there in datagrams
  bool lossesKnown = false;                 ///< best effort is counted at all
  std::uint64_t datagramMessagesSent = 0;
  std::uint64_t datagramBytesSent = 0;
  std::uint32_t lost = 0;  ///< deliveries of best effort that failed, as far as this end knows
  template <class A>
  void fields(A& a) {
    a(node, way, awayMilliseconds, messagesSent, bytesSent, keptBytes, keptLimitBytes,
      roundTripMicroseconds, datagrams, lossesKnown, datagramMessagesSent, datagramBytesSent, lost);
  }
};

/// As far as a figure of 32 bits goes.
constexpr std::uint32_t capped(std::uint64_t value) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  return value < most ? static_cast<std::uint32_t>(value) : most;
}

/// LinkMessage::NeighboursTold, of a linked node, once a second: at most `mostTold` of its links,
/// of more others by turns, so that it stays below 1 KiB.
struct NeighboursTold {
  static constexpr std::size_t mostTold = 15;
  static constexpr std::chrono::seconds interval{1};
  std::vector<NeighbourFigures> links;
  template <class A>
  void fields(A& a) {
    a(links);
  }
};

/// The part of `all` that is told next, at most `mostTold`, in the order of the nodes and from the
/// one behind `last` on, which becomes the last of them.
NeighboursTold nextTold(std::vector<NeighbourFigures> all, NodeId& last);

/// What is shown of it: the end of a link at the node that has told `figures`.
fabric::NeighbourEnd endOf(const NeighbourFigures& figures, std::chrono::milliseconds age);

/// At the home: what its linked nodes have told last of the links between them. No sockets, no
/// clock. Not thread-safe.
class NeighbourTable {
 public:
  enum class Whose { Linked, Gone, Never };
  /// Of a number that a node names: a node that is linked now; one that was; or nobody's so far.
  using Look = std::function<Whose(NodeId)>;

  /// A node has told of its links. The error: why that is refused, and nothing of it is taken. Of
  /// a node that has just gone nothing is kept.
  tl::expected<void, std::string> take(NodeId from, const NeighboursTold& told, const Look& look,
                                       pipes::Clock::time_point now);
  /// Its link to the home has ended: its links with others have, too.
  void ended(NodeId node);

  struct Link {
    NodeId first = 0;
    NodeId second = 0;  ///< greater
    fabric::NeighbourEnd firstEnd, secondEnd;
  };
  /// Those of which at least one end has told, in the order of the nodes.
  std::vector<Link> links(pipes::Clock::time_point now) const;

 private:
  struct Told {
    NeighbourFigures figures;
    pipes::Clock::time_point at;
  };
  std::map<std::pair<NodeId, NodeId>, Told> told_;  ///< by who has told, and the other end
};

}  // namespace tutti::router
