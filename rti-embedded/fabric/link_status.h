// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  std::vector<std::string> waiting;  ///< those that wait for an answer that depends on it
  std::uint64_t listenPort = 0;      ///< where the home listens; 0: not known
  /// Put into the link and come out of it since it began, by this node; bytes with what frames
  /// them.
  std::uint64_t messagesSent = 0;
  std::uint64_t messagesReceived = 0;
  std::uint64_t bytesSent = 0;
  std::uint64_t bytesReceived = 0;
  std::uint64_t roundTripMicroseconds = 0;  ///< as the kernel has it; 0: not known
  std::uint64_t keptLimitBytes = 0;         ///< from so many kept on, senders wait; 0: not known
  /// Best effort between the two nodes, past the link.
  bool datagrams = false;  ///< they get through; else it goes over the link
  std::uint64_t datagramMessagesSent = 0;
  std::uint64_t datagramMessagesReceived = 0;
  std::uint64_t datagramBytesSent = 0;
  std::uint64_t datagramBytesReceived = 0;
  std::uint64_t waitedMilliseconds = 0;       ///< of the grace: by operators, this time
  std::uint64_t longestWaitMilliseconds = 0;  ///< so much of that there may be
  bool lossesKnown = false;                   ///< best effort to that node is counted at all
  std::uint64_t lost = 0;  ///< deliveries of best effort to that node or from it that failed
  template <class A>
  void fields(A& a) {
    a(node, peer, toHome, suspect, suspectMilliseconds, graceMilliseconds, leftMilliseconds,
      suspicions, resumptions, keptBytes, federates, waiting, listenPort, messagesSent,
      messagesReceived, bytesSent, bytesReceived, roundTripMicroseconds, keptLimitBytes, datagrams,
      datagramMessagesSent, datagramMessagesReceived, datagramBytesSent, datagramBytesReceived,
      waitedMilliseconds, longestWaitMilliseconds, lossesKnown, lost);
  }
};

/// How what is reliable gets from one linked node to another.
enum class NeighbourWay : std::uint8_t {
  Straight,  ///< over a connection of the two
  NotYet,    ///< past the home: there has been no such connection so far
  Broken,    ///< past the home: the connection has ended, and another is tried
};

/// What one of two nodes that are linked to the same home counts of the link between them, since
/// they know each other: what it sends, and what it measures.
struct NeighbourEnd {
  bool told = false;                  ///< else nothing is known from this end
  std::uint64_t ageMilliseconds = 0;  ///< of these figures; more than some seconds: it is not heard
  NeighbourWay way = NeighbourWay::NotYet;
  std::uint64_t awayMilliseconds = 0;  ///< not straight for so long, when these figures were told
  std::uint64_t messagesSent = 0;      ///< straight to the other node, with datagrams
  std::uint64_t bytesSent = 0;         ///< of those, with what frames them
  std::uint64_t keptBytes = 0;         ///< sent, not acknowledged
  std::uint64_t keptLimitBytes = 0;    ///< from so many kept on, senders wait; 0: not known
  std::uint64_t roundTripMicroseconds = 0;  ///< as the kernel has it; 0: not known
  bool datagrams = false;                   ///< best effort gets there in datagrams
  bool lossesKnown = false;                 ///< best effort is counted at all
  std::uint64_t lost = 0;  ///< deliveries of best effort that failed, as far as this end knows
  template <class A>
  void fields(A& a) {
    a(told, ageMilliseconds, way, awayMilliseconds, messagesSent, bytesSent, keptBytes,
      keptLimitBytes, roundTripMicroseconds, datagrams, lossesKnown, lost);
  }
};

/// A link between two nodes that are linked to the same home; data goes over it past the home. A
/// list of these stands behind that of LinkStatus: at the home all, as the linked nodes have told
/// about once a second; at a linked node its own, of which it knows its own end, the first.
struct NeighbourLinkStatus {
  std::string node, peer;            ///< address and name of the first; no address: this node
  std::string otherNode, otherPeer;  ///< of the second; no name: not known
  NeighbourEnd end, otherEnd;
  template <class A>
  void fields(A& a) {
    a(node, peer, otherNode, otherPeer, end, otherEnd);
  }
};

/// Messages from one federate to another that lives on another host than the home, whose node has
/// counted them and told the home about once a second. A list of these stands behind that of
/// NeighbourLinkStatus at the home: the `most` that have the most messages. The home makes it at
/// most once a second: a count is up to 2 s old, plus the way, and older of a node whose link is
/// suspect or whose changed counts do not all fit in what it may tell at once.
struct FlowStatus {
  static constexpr std::size_t most = 4096;
  std::uint64_t execution = 0;  ///< FederationStatus::execution
  std::uint32_t sender = 0;     ///< number; of any host
  std::uint32_t receiver = 0;
  std::uint64_t messages = 0;  ///< since the way between the two was opened
  template <class A>
  void fields(A& a) {
    a(execution, sender, receiver, messages);
  }
};

/// An operator at the node's host decides about a link that is suspect: the node waits longer, or
/// takes the link for lost now. A link that goes on, or is suspect anew, is left as it is: who
/// decided did not know of it.
struct OperateLinkRequest {
  std::string node;             ///< as LinkStatus has it
  std::uint64_t suspicion = 0;  ///< LinkStatus::suspicions, as it was decided about
  bool giveUp = false;
  std::uint64_t milliseconds = 0;  ///< to wait longer
  template <class A>
  void fields(A& a) {
    a(node, suspicion, giveUp, milliseconds);
  }
};

struct OperateLinkReply {
  std::uint64_t addedMilliseconds = 0;  ///< less than was asked for, when that is the longest wait
  std::uint64_t leftMilliseconds = 0;   ///< until it is lost
  template <class A>
  void fields(A& a) {
    a(addedMilliseconds, leftMilliseconds);
  }
};

}  // namespace tutti::fabric
