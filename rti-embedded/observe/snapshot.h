// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/link_status.h"

/// A look at a node, as plain values. Times are seconds for HLAfloat64Time and units for
/// HLAinteger64Time; "monotonic" times are nanoseconds of CLOCK_MONOTONIC.
namespace tutti::observe {

/// What a federate counts (fabric::Counters); since it joined, but for what is in queues now.
struct CounterValues {
  std::uint64_t updatesSent = 0;
  std::uint64_t reflectionsReceived = 0;
  std::uint64_t interactionsSent = 0;
  std::uint64_t interactionsReceived = 0;
  std::uint64_t instancesRegistered = 0;
  std::uint64_t instancesDeleted = 0;
  std::uint64_t instancesDiscovered = 0;
  std::uint64_t instancesRemoved = 0;
  std::uint64_t timeAdvanceGrants = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t bytesSent = 0;
  std::uint64_t bytesReceived = 0;
  std::uint64_t receiveOrderQueued = 0;
  std::uint64_t timestampOrderQueued = 0;
  std::uint64_t queuedBytes = 0;
  std::uint64_t bestEffortDropped = 0;
  std::uint64_t bestEffortLost = 0;  ///< between hosts
  std::uint64_t blockedNanoseconds = 0;
  std::uint64_t lastCallNanoseconds = 0;  ///< monotonic; 0: none yet
};

/// How a federate stands to logical time (IEEE 1516.1-2010, 8).
struct TimeValues {
  bool regulating = false;
  bool constrained = false;
  bool regulationPending = false;
  bool constrainedPending = false;
  bool exclusive = false;  ///< granted at zero lookahead: what it sends is strictly later
  fabric::TimeAdvance advance = fabric::TimeAdvance::None;
  double logicalTime = 0;
  std::optional<double> requestedTime;  ///< while it waits for a grant
  std::optional<double> lookahead;      ///< of a regulating federate
  std::optional<double> galt;           ///< as it computed it last (8.16)
  std::optional<double> leastStamp;     ///< least stamp among its undelivered messages
};

/// Best effort of a federate that never arrived, once per receiver.
struct DropSample {
  std::string className;  ///< "HLAobjectRoot.A.B"; empty: of classes that are not told apart
  bool interaction = false;
  std::uint64_t dropped = 0;  ///< by the federate itself, for want of room
  std::uint64_t lost = 0;     ///< between hosts
};

/// An exception out of a callback of the federate, or, with no callback named, why the RTI could
/// not deliver one; one of each callback and type.
struct CallbackFaultSample {
  std::string callback;  ///< "reflectAttributeValues"
  std::string type;      ///< of the exception
  std::string text;
  std::uint64_t count = 0;  ///< at least: told the 1st, 10th, 100th ... time
};

struct FederateSample {
  fabric::FederateNumber number = 0;
  std::string name;
  std::string type;
  std::int32_t pid = 0;
  fabric::FederateState state = fabric::FederateState::Joined;
  bool live = false;  ///< counters and time were read now
  bool last = false;  ///< it has left: counters and time are what it left with
  CounterValues counters;
  TimeValues time;
  std::vector<DropSample> drops;              ///< as of the last refresh
  std::vector<CallbackFaultSample> faults{};  ///< as of the last refresh
};

/// The way from one federate to another. At the home also those that end on another host: of them
/// messages only, as the other node counted them up to 2 s ago, or longer ago while its link is
/// suspect (FlowStatus). Snapshots within a second may show the same counts of these.
struct LinkSample {
  fabric::FederateNumber sender = 0;
  fabric::FederateNumber receiver = 0;
  std::uint64_t messages = 0;      ///< written since it was opened
  std::uint64_t bytesWaiting = 0;  ///< written and not yet read
  /// Of the rings that are not yet read to their end; 0: not known.
  std::uint64_t capacityBytes = 0;
};

struct SynchronizationPointSample {
  std::string label;
  std::vector<fabric::FederateNumber> waitingFor;  ///< empty when it was synchronized
  std::vector<fabric::FederateNumber> achieved{};  ///< successfully
};

/// A class that a federate publishes or subscribes (IEEE 1516.1-2010, 5).
struct DeclarationSample {
  fabric::FederateNumber federate = 0;
  std::string className;     ///< "HLAobjectRoot.A.B"
  bool interaction = false;  ///< an interaction class, else an object class
  bool publish = false;      ///< else subscribes
};

/// Object instances of one class.
struct InstanceSample {
  std::string className;    ///< "HLAobjectRoot.A.B"
  std::uint64_t owned = 0;  ///< registered by the federate that was asked for, and not deleted
  std::uint64_t total = 0;  ///< by all joined federates
};

struct FederationSample {
  std::string name;
  std::string timeImplementation;
  std::vector<std::string> modules;
  std::uint64_t logNumber = 0;
  std::uint64_t committedBytes = 0;  ///< shared memory it has
  bool held = false;                 ///< no grant beyond `ceiling` (pause, step)
  bool paced = false;                ///< likewise, and it moves on with the wall clock
  double ceiling = 0;
  double pace = 0;  ///< wanted, units of logical time per second; 0: as fast as possible
  std::vector<FederateSample> federates;  ///< joined ones, then those that left last
  std::vector<LinkSample> links;
  std::vector<SynchronizationPointSample> synchronizationPoints;
  std::vector<SynchronizationPointSample> synchronized{};  ///< the last ones, each label once
};

struct Snapshot {
  std::int64_t monotonicNanoseconds = 0;
  std::string nodeName;
  std::int32_t nodePid = 0;
  bool connected = false;
  std::string problem;  ///< why it is not connected or not complete; one sentence, empty: nothing
  /// Answered by the node since it started; without those of observers, as this one.
  std::uint64_t requests = 0;
  std::uint64_t budgetBytes = 0;
  std::uint64_t committedBytes = 0;
  std::uint32_t connections = 0;
  std::vector<FederationSample> federations;
  std::vector<fabric::LinkStatus> nodeLinks;  ///< with nodes of other hosts, at the last refresh
  std::vector<fabric::NeighbourLinkStatus> neighbourLinks{};  ///< of those with each other
  std::int64_t nodeLinksNanoseconds = 0;  ///< CLOCK_MONOTONIC at which those were read
  /// The last executions that were destroyed, oldest first: their names, and who was in them.
  std::vector<FederationSample> ended;
};

}  // namespace tutti::observe
