// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

/// What the monitor reads of a run, as plain values: the counters and time slots that the RTI keeps
/// in shared memory, and what the kernel knows of the processes. Reading never touches a federate.
namespace tutti::monitor {

/// Counters of one federate since it joined; they only grow, but for the queues.
struct FederateCounters {
  std::uint64_t updatesSent = 0;
  std::uint64_t reflectionsReceived = 0;
  std::uint64_t interactionsSent = 0;
  std::uint64_t interactionsReceived = 0;
  std::uint64_t instancesRegistered = 0;
  std::uint64_t instancesDeleted = 0;
  std::uint64_t instancesDiscovered = 0;
  std::uint64_t timeAdvanceGrants = 0;
  std::uint64_t bytesSent = 0;
  std::uint64_t bytesReceived = 0;
  std::uint64_t receiveOrderQueued = 0;    ///< messages that wait in it now
  std::uint64_t timestampOrderQueued = 0;  ///< messages that wait in it now
  std::uint64_t queuedBytes = 0;
  std::uint64_t bestEffortDropped = 0;
  std::uint64_t bestEffortLost = 0;  ///< between hosts
  std::uint64_t blockedNanoseconds = 0;   ///< spent waiting for room in a receiver's ring
  std::uint64_t lastCallNanoseconds = 0;  ///< CLOCK_MONOTONIC of its last service call; 0: none yet
};

/// How a federate stands to logical time (IEEE 1516.1-2010, 8). Times in the federation's unit.
struct TimeReading {
  enum class Advance : std::uint8_t {
    None,  ///< granted: it computes, and has not asked to advance
    TimeAdvanceRequest,
    TimeAdvanceRequestAvailable,
    NextMessageRequest,
    NextMessageRequestAvailable,
    FlushQueueRequest,
  };
  bool regulating = false;
  bool constrained = false;
  Advance advance = Advance::None;
  double logicalTime = 0;
  double requestedTime = 0;  ///< valid while advance is not None
  double lookahead = 0;
  bool exclusive = false;            ///< granted at zero lookahead: what it sends is strictly later
  std::optional<double> galt;        ///< as it computed it last, 8.16
  std::optional<double> leastStamp;  ///< least stamp among its undelivered messages
};

enum class Membership : std::uint8_t { Joined, Resigned, Lost };

/// An exception that a federate threw out of a callback; one of each callback and type.
struct CallbackFault {
  QString callback;  ///< "reflectAttributeValues"; empty: the RTI could not deliver callbacks
  QString type;      ///< "std::out_of_range"
  QString text;      ///< what it said the first time, in one line without control characters
  std::uint64_t count = 0;  ///< at least: the RTI tells the 1st, 10th, 100th ... time
  friend bool operator==(const CallbackFault&, const CallbackFault&) = default;
};

struct FederateReading {
  std::uint32_t number = 0;  ///< handle; never used again within a federation execution
  QString name;
  QString type;
  std::int64_t pid = 0;  ///< 0: not known (on another host)
  Membership membership = Membership::Joined;
  bool known = true;  ///< counters and time: as they are, or as it left them
  FederateCounters counters;
  TimeReading time;
  std::vector<CallbackFault> faults{};
};

/// What one federate has sent to one other, and how full the way is.
struct FlowReading {
  std::uint32_t sender = 0;
  std::uint32_t receiver = 0;
  std::uint64_t messages = 0;  ///< since the ring was made
  std::uint64_t queuedBytes = 0;
  std::uint64_t capacityBytes = 0;
};

/// The link of the RTI node that is read with the node of another host.
struct HostLinkReading {
  QString peer;         ///< name of the node there; may be empty
  QString address;      ///< "10.0.0.2:15165"
  bool toHome = false;  ///< that node decides; else the one that is read does
  bool suspect = false;              ///< what was sent is not acknowledged, and what needs it waits
  std::int64_t asOfNanoseconds = 0;  ///< CLOCK_MONOTONIC at which the node said so
  double silentSeconds = 0;          ///< while suspect: for so long nothing was acknowledged
  double leftSeconds = 0;            ///< while suspect: then it is lost
  double waitedSeconds = 0;          ///< of that an operator has added so much, this time
  double longestWaitSeconds = 0;     ///< so much may be added
  std::uint64_t suspicions = 0;      ///< so many so far
  std::uint64_t resumptions = 0;     ///< of them ended with a new connection
  std::uint64_t keptBytes = 0;       ///< sent, not acknowledged
  /// Federates behind it; towards the home, those of this host, which depend on it. Those of other
  /// federation executions are "NAME of EXECUTION".
  QStringList federates;
  QStringList waiting;  ///< those that wait for an answer that depends on it
  int port = 0;         ///< where the home listens; 0: not known
  bool datagrams = false;  ///< best effort goes past it in datagrams, which count below
  /// Sent and received by the node that is read, since the link began; nothing: not known.
  std::optional<std::uint64_t> messages;
  std::optional<std::uint64_t> bytes;
  std::optional<double> roundTripSeconds;       ///< TCP's smoothed one, as the kernel has it
  std::optional<std::uint64_t> keptLimitBytes;  ///< from so many kept on, senders wait
  std::optional<std::uint64_t> lost;            ///< deliveries of best effort, between the two nodes
};

/// How what is reliable gets from one of two other hosts to the other.
enum class HostWay : std::uint8_t {
  Straight,  ///< over a connection of their RTI nodes
  NotYet,    ///< past the home: there has been no such connection so far
  Broken,    ///< past the home: the connection has ended, and another is tried
};

/// The link between two other hosts, as their RTI nodes have told the one that is read.
struct NeighbourReading {
  /// One end; what it sends to the other.
  struct End {
    QString node;                      ///< its name; may be empty
    QString address;                   ///< "10.0.0.2:15165"
    bool told = false;                 ///< else nothing is known from this end
    std::int64_t asOfNanoseconds = 0;  ///< CLOCK_MONOTONIC at which these figures came, about
    std::uint64_t messages = 0;        ///< sent since the two know each other, with datagrams
    std::uint64_t bytes = 0;
  };
  std::array<End, 2> ends;  ///< by the name of the host
  HostWay way = HostWay::Straight;
  double awaySeconds = 0;       ///< not straight for so long, at the last of these figures
  std::uint64_t keptBytes = 0;  ///< at the end where more are kept
  std::optional<std::uint64_t> keptLimitBytes;  ///< there
  std::optional<double> roundTripSeconds;
  bool datagrams = false;
  std::optional<std::uint64_t> lost;
};

struct SynchronizationPoint {
  QString label;
  std::vector<std::uint32_t> waitingFor;  ///< federates that have not achieved it
};

/// Declarations in force (IEEE 1516.1-2010, 5), class names without their HLAobjectRoot prefix.
struct Declarations {
  QString federate;
  QStringList publishes;
  QStringList subscribes;
};

struct OwnedInstances {
  QString className;
  std::uint64_t owned = 0;  ///< registered by this federate
  std::uint64_t total = 0;  ///< of that class in the federation
};

struct Reading {
  std::int64_t monotonicNanoseconds = 0;  ///< CLOCK_MONOTONIC at which it was taken
  QString federation;
  std::int64_t nodePid = 0;
  std::uint64_t committedBytes = 0;  ///< shared memory in use by the federation
  bool held = false;                 ///< nobody is granted beyond `ceiling` (pause, step)
  bool paced = false;                ///< likewise, and `ceiling` moves on with the wall clock
  double ceiling = 0;                ///< valid while held or paced
  double pace = 0;                   ///< wanted, logical seconds per second; 0: as fast as possible
  std::vector<FederateReading> federates;
  std::vector<FlowReading> flows;
  std::vector<SynchronizationPoint> synchronizationPoints;
  std::vector<HostLinkReading> hostLinks{};
  std::vector<NeighbourReading> neighbourLinks{};
};

/// Where readings come from. Called from the feed's thread only.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  /// The federation as it is now. An error is one sentence for a person; the next call tries again.
  virtual tl::expected<Reading, QString> read() = 0;
  /// Asks again who is there. RunAnalysis calls it once a second, four times a second while a link
  /// between hosts is suspect, and before every read() until one has succeeded.
  virtual void refresh() {}
  /// Instances that the federate `number` owns now, by class; empty when that cannot be told.
  virtual std::vector<OwnedInstances> instancesOf(std::uint32_t /*number*/) { return {}; }
  /// Declarations as the RTI knows them; empty when that cannot be told.
  virtual std::vector<Declarations> declarations() { return {}; }
  /// Nobody is granted beyond `ceiling`, until time is released or this source goes. The error is
  /// one sentence for a person.
  virtual tl::expected<void, QString> holdTime(double /*ceiling*/) {
    return tl::unexpected(QStringLiteral("The time of this run cannot be held."));
  }
  virtual tl::expected<void, QString> releaseTime() { return {}; }
  /// Logical seconds per second, 0: as fast as possible; until somebody sets another.
  virtual tl::expected<void, QString> setPace(double /*perSecond*/) {
    return tl::unexpected(QStringLiteral("The pace of this run cannot be changed."));
  }
};

/// Processor time in clock ticks since start, and what the kernel says of a process.
struct ProcessReading {
  std::uint64_t userTicks = 0;
  std::uint64_t systemTicks = 0;
  std::uint64_t residentBytes = 0;
  char state = '?';  ///< as in /proc/PID/stat: R, S, D, T (stopped), Z (ended), ...
};

struct HostReading {
  std::uint64_t userTicks = 0;  ///< with nice
  std::uint64_t systemTicks = 0;
  std::uint64_t idleTicks = 0;        ///< with I/O wait
  std::uint64_t memoryTotal = 0;      ///< bytes
  std::uint64_t memoryAvailable = 0;  ///< bytes
  std::uint64_t networkBytes = 0;     ///< received and sent by all interfaces but lo, since boot
  int processors = 1;
};

/// What the kernel tells; a fake in tests.
class ProcessProbe {
 public:
  virtual ~ProcessProbe() = default;
  virtual std::int64_t monotonicNanoseconds() const = 0;
  virtual long ticksPerSecond() const = 0;
  /// Nothing when there is no such process (any more).
  virtual std::optional<ProcessReading> process(std::int64_t pid) const = 0;
  virtual HostReading host() const = 0;
  virtual QString hostName() const = 0;
};

/// Reads /proc of this machine.
std::unique_ptr<ProcessProbe> makeProcProbe();

}  // namespace tutti::monitor
