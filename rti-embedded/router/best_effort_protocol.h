// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/wire.h"

/// What nodes say to each other about best effort: over links, reliably, who is where and how much
/// was sent; in datagrams, the messages themselves.
namespace tutti::router {

/// To a linked node: another one that it can send datagrams to, or itself; then the key is the one
/// that it has with the home.
struct NodeIntroduced {
  std::uint64_t node = 0;  ///< as the home counts its links; the home is 0
  bool own = false;        ///< it is the one that is told
  std::string host;        ///< where it receives datagrams, in numbers
  std::uint16_t port = 0;
  std::uint64_t token = 0;
  std::string groupHost;  ///< the multicast group of all of them; empty: there is none
  std::uint16_t groupPort = 0;
  std::uint64_t groupToken = 0;
  fabric::Bytes key;       ///< of datagrams between it and the one that is told; empty: not sealed
  fabric::Bytes groupKey;  ///< of datagrams to the group
  template <class A>
  void fields(A& a) {
    a(node, own, host, port, token, groupHost, groupPort, groupToken, key, groupKey);
  }
};
struct NodeGone {
  std::uint64_t node = 0;
  template <class A>
  void fields(A& a) {
    a(node);
  }
};
/// To a linked node: at which other one a federate is reached directly.
struct FederateAt {
  fabric::FederateNumber federate = 0;
  std::uint64_t node = 0;
  template <class A>
  void fields(A& a) {
    a(federate, node);
  }
};

/// Messages of one class from one federate.
struct ClassNumber {
  std::uint64_t execution = 0;
  fabric::FederateNumber sender = 0;
  fabric::ClassKey classKey = 0;
  std::uint64_t number = 0;
  template <class A>
  void fields(A& a) {
    a(execution, sender, classKey, number);
  }
};
/// What one node has sent to another in datagrams, so that it knows what it has missed although
/// nothing followed. The home passes it on.
struct BestEffortSent {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::vector<ClassNumber> streams;
  template <class A>
  void fields(A& a) {
    a(from, to, streams);
  }
};
/// What was lost on the way to a node, or in it, from the beginning; for all to be shown.
struct BestEffortLost {
  std::uint64_t origin = 0;  ///< tells the nodes apart
  std::vector<ClassNumber> lost;
  template <class A>
  void fields(A& a) {
    a(origin, lost);
  }
};
/// How many changes of its table each federate has told of by now.
struct TableCounts {
  std::vector<fabric::FederateNumber> federates;
  std::vector<std::uint64_t> counts;
  template <class A>
  void fields(A& a) {
    a(federates, counts);
  }
};

/// A message in a datagram: this, `sections` x (BestEffortSection, its receivers), the record.
struct BestEffortHead {
  std::uint64_t execution;
  std::uint64_t tableChanges;  ///< of the sender, which the receiver has to know first
  fabric::FederateNumber sender;
  fabric::ClassKey classKey;
  std::uint32_t sections;
  std::uint32_t reserved;
};
/// For one node. Deliveries of a class from a federate to a node are counted without gaps, so that
/// the node knows how many it has missed.
struct BestEffortSection {
  std::uint64_t token;
  std::uint64_t number;  ///< of the first
  std::uint32_t receivers;
  std::uint32_t reserved;
};

}  // namespace tutti::router
