// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "executive/federation_execution.h"
#include "fabric/layout.h"
#include "fabric/protocol.h"
#include "fabric/ring.h"
#include "fabric/wire.h"

/// What RTI nodes say to each other over a pipe.
///
/// The *home* node decides on its federation executions; nodes linked to it hold replicas. Each
/// message is | kind 2 | execution 8 | body |, where the execution goes by the home's number of it
/// (0: none). All are in one order per link, and the home passes on what it hears in the order in
/// which it heard it: whoever is told something has been told everything that led to it.
namespace tutti::router {

enum class LinkMessage : std::uint16_t {
  // To the home
  ConnectionOpened = 1,
  ConnectionClosed = 2,
  RequestMade = 3,
  LogApplied = 4,
  BarrierPassed = 5,
  // From the home
  RequestAnswered = 20,
  ExecutionOpened = 21,  ///< ReplicaStart
  ExecutionClosed = 22,  ///< no body
  FederatePlaced = 23,   ///< before the record of its joining
  LogRecordAppended = 24,
  ModelReplaced = 25,  ///< instead of a ModelExtended record: the model's bytes
  JoinPrepared = 26,   ///< behind the record of the joining, before the answer
  RowFreed = 27,
  CeilingChanged = 28,
  TablePlaced = 30,  ///< of one who leaves before it has returned to what was restored
  BarrierSet = 29,   ///< to be passed when all that was published before is on its way
  // Both
  Data =
      40,  ///< a record of a ring; also the changes of tables, which are for nobody in particular
  States = 41,
  Figures = 42,
  Congestion = 43,
  TableCountsShown = 44,  ///< TableCounts
  FlowsTold = 45,         ///< to the home
  // About best effort in datagrams: best_effort_protocol.h
  NodeIntroduced = 50,
  NodeGone = 51,
  FederateAt = 52,
  BestEffortSent = 53,
  BestEffortLost = 54,
  // About connections between linked nodes, and on them: mesh_protocol.h
  NeighbourIntroduced = 60,
  NeighbourGone = 61,
  MessagesKnown = 62,
  FrameRelayed = 63,
  NeighbourHello = 64,
  Frame = 65,
  FramesTaken = 66,
  NeighboursTold = 67,  ///< to the home: neighbour_figures.h
};

inline constexpr std::size_t linkHeadBytes = 10;

/// Connections of cells behind a linked node have numbers that none of its own comes to.
inline constexpr std::uint64_t firstBehind = std::uint64_t{1} << 40;

struct LinkHead {
  LinkMessage kind{};
  std::uint64_t execution = 0;
};

inline fabric::Bytes linkMessage(LinkMessage kind, std::uint64_t execution) {
  fabric::Bytes bytes;
  fabric::WireWriter writer(bytes);
  writer(kind, execution);
  return bytes;
}
template <class Body>
fabric::Bytes linkMessage(LinkMessage kind, std::uint64_t execution, const Body& body) {
  fabric::Bytes bytes = linkMessage(kind, execution);
  fabric::WireWriter writer(bytes);
  writer(body);
  return bytes;
}
/// False when it is too short to be one.
inline bool readLinkHead(std::span<const std::byte> message, LinkHead& head) {
  fabric::WireReader reader(message);
  reader(head.kind, head.execution);
  return !reader.failed();
}

struct ConnectionOpened {
  std::uint64_t connection = 0;  ///< as the linked node counts them
  std::int32_t pid = 0;
  std::string program;
  std::string host;
  template <class A>
  void fields(A& a) {
    a(connection, pid, program, host);
  }
};
struct ConnectionClosed {
  std::uint64_t connection = 0;
  template <class A>
  void fields(A& a) {
    a(connection);
  }
};
/// A datagram of a federate, or the answer to it, as on its own connection.
struct Forwarded {
  std::uint64_t connection = 0;
  fabric::Bytes datagram;
  bool close = false;  ///< answers only
  template <class A>
  void fields(A& a) {
    a(connection, datagram, close);
  }
};
struct NumberBody {  // LogApplied, BarrierSet, BarrierPassed
  std::uint64_t number = 0;
  template <class A>
  void fields(A& a) {
    a(number);
  }
};
struct FederatePlaced {
  fabric::FederateNumber federate = 0;
  std::uint64_t connection = 0;  ///< of the node that is told; who is not placed lives elsewhere
  std::uint32_t automaticResignAction = 0;  ///< as the object model says
  template <class A>
  void fields(A& a) {
    a(federate, connection, automaticResignAction);
  }
};
struct LogRecordAppended {
  std::uint16_t type = 0;
  fabric::LogNumber number = 0;
  fabric::Bytes body;
  template <class A>
  void fields(A& a) {
    a(type, number, body);
  }
};
struct ModelReplaced {
  fabric::LogNumber number = 0;
  fabric::Bytes compact;
  template <class A>
  void fields(A& a) {
    a(number, compact);
  }
};
struct JoinPrepared {
  std::uint64_t connection = 0;
  fabric::JoinReply reply;
  fabric::Bytes snapshot;
  template <class A>
  void fields(A& a) {
    a(connection, reply, snapshot);
  }
};
struct RowFreed {
  std::uint64_t instance = 0;
  std::uint32_t row = 0;
  template <class A>
  void fields(A& a) {
    a(instance, row);
  }
};
struct TablePlaced {
  fabric::FederateNumber federate = 0;
  std::vector<executive::SavedInstance> instances;
  template <class A>
  void fields(A& a) {
    a(federate, instances);
  }
};
struct CeilingChanged {
  std::uint64_t ceiling = 0;
  std::uint32_t active = 0;
  std::uint64_t pace = 0;  ///< ArenaHeader::pace
  template <class A>
  void fields(A& a) {
    a(ceiling, active, pace);
  }
};

/// What a page shows of a federate, as it was at one moment.
struct PageState {
  fabric::FederateNumber federate = 0;
  std::vector<std::uint64_t> time;  ///< TimeState::eachWord
  fabric::LogNumber appliedLog = 0;
  std::uint32_t automaticResignAction = 0;
  std::uint32_t switches = 0;
  template <class A>
  void fields(A& a) {
    a(federate, time, appliedLog, automaticResignAction, switches);
  }
};
/// Timestamp-order messages from one federate to another.
struct ChannelCount {
  fabric::FederateNumber from = 0;
  fabric::FederateNumber to = 0;
  std::uint64_t count = 0;
  template <class A>
  void fields(A& a) {
    a(from, to, count);
  }
};
/// What has changed at federates of one host. A count of messages taken is not newer than the
/// receiver's page, and one of messages sent not older than the sender's; the messages themselves
/// were sent before. To be taken over in this order.
struct States {
  std::vector<ChannelCount> sent;
  std::vector<PageState> pages;
  std::vector<ChannelCount> taken;
  template <class A>
  void fields(A& a) {
    a(sent, pages, taken);
  }
};
struct FederateFigures {
  fabric::FederateNumber federate = 0;
  std::vector<std::uint64_t> words;  ///< Counters::eachWord
  template <class A>
  void fields(A& a) {
    a(federate, words);
  }
};
struct Figures {
  std::vector<FederateFigures> federates;
  template <class A>
  void fields(A& a) {
    a(federates);
  }
};
/// Messages of any order that a federate has got from another, since the way between them was
/// opened.
struct FlowCount {
  fabric::FederateNumber sender = 0;
  fabric::FederateNumber receiver = 0;
  std::uint64_t messages = 0;
  template <class A>
  void fields(A& a) {
    a(sender, receiver, messages);
  }
};
/// LinkMessage::FlowsTold, of a linked node, once a second, for display: what has changed for
/// federates behind it. At most `mostTold`, of more others by turns, so that it stays below 8 KiB.
struct FlowsTold {
  static constexpr std::size_t mostTold = 500;
  std::vector<FlowCount> flows;
  template <class A>
  void fields(A& a) {
    a(flows);
  }
};
struct Congestion {
  fabric::FederateNumber federate = 0;
  bool congested = false;
  template <class A>
  void fields(A& a) {
    a(federate, congested);
  }
};

/// Data: | sender 4 | count 4 | receivers 4 each | record ... |
inline void writeData(fabric::Bytes& message, std::uint64_t execution,
                      fabric::FederateNumber sender,
                      std::span<const fabric::FederateNumber> receivers,
                      std::span<const std::byte> record) {
  fabric::WireWriter writer(message);
  writer(LinkMessage::Data, execution, sender, static_cast<std::uint32_t>(receivers.size()));
  for (const fabric::FederateNumber receiver : receivers) writer(receiver);
  message.insert(message.end(), record.begin(), record.end());
}
/// `receivers` may be null. False: it cannot be read.
inline bool readData(std::span<const std::byte> body, fabric::FederateNumber& sender,
                     std::vector<fabric::FederateNumber>* receivers,
                     std::span<const std::byte>& record) {
  std::uint32_t count = 0;
  if (body.size() < sizeof sender + sizeof count) return false;
  std::memcpy(&sender, body.data(), sizeof sender);
  std::memcpy(&count, body.data() + sizeof sender, sizeof count);
  body = body.subspan(sizeof sender + sizeof count);
  if (body.size() / sizeof(fabric::FederateNumber) < count) return false;
  if (receivers != nullptr) {
    receivers->resize(count);
    if (count != 0) {
      std::memcpy(receivers->data(), body.data(), count * sizeof(fabric::FederateNumber));
    }
  }
  record = body.subspan(count * sizeof(fabric::FederateNumber));
  fabric::RecordHead head;
  if (record.size() < sizeof head) return false;
  std::memcpy(&head, record.data(), sizeof head);
  return head.bytes == record.size();
}

}  // namespace tutti::router
