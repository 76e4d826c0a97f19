// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "monitor/engine/sample_source.h"

/// A run as it is shown: what the readings mean. Values only; made by RunAnalysis, kept by Feed.
namespace tutti::monitor {

/// "Not known", for doubles that are shown: drawn as a gap or a dash, never as 0.
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// How a federate does, worst last.
enum class FederateCondition : std::uint8_t {
  Running,
  Held,        ///< has asked to advance beyond where the console lets time go (pause, step)
  Starting,    ///< its process runs and has not joined
  Resigned,    ///< left in order
  LostRti,     ///< the RTI node ended while it was joined; its process may still run
  Stopped,     ///< its process is stopped (SIGSTOP)
  OutOfReach,  ///< of another host, the link with which is suspect: what is known of it is old
  Late,        ///< no time request for max(1 s, 5 usual steps), while its process runs; or for so
               ///< long it has not taken a grant that others wait for
  Dead,        ///< its process ended without resigning, or the RTI lost it
};

/// It takes no part any more, whatever the reason.
inline bool isOver(FederateCondition condition) {
  return condition == FederateCondition::Resigned || condition == FederateCondition::LostRti ||
         condition == FederateCondition::Dead;
}

/// The last 60 values, one a second, oldest first; unknown where nothing could be read.
class History {
 public:
  static constexpr std::size_t size = 60;
  static constexpr double secondsPerValue = 1.0;

  History() { values_.fill(std::numeric_limits<float>::quiet_NaN()); }
  void push(double value) {
    values_[next_] = static_cast<float>(value);
    next_ = (next_ + 1) % size;
  }
  /// 0 is the oldest, size - 1 the newest.
  float at(std::size_t index) const { return values_[(next_ + index) % size]; }

 private:
  std::array<float, size> values_{};
  std::size_t next_ = 0;
};

struct FederateView {
  QString name;       ///< as the person wrote it; the id of a row
  QString component;  ///< with version where known
  QString host;
  std::uint32_t number = 0;  ///< handle; 0: not joined yet
  std::int64_t pid = 0;
  FederateCondition condition = FederateCondition::Starting;
  /// "late 1.4 s", "signal 9, 12 s ago", "waits for radar-west"; empty when there is nothing to
  /// say.
  QString detail;
  bool waiting = false;      ///< has asked to advance, and the grant is kept back
  bool waitsForPace = false;  ///< has asked for a time that the pace does not allow yet
  QString waitsFor;          ///< who keeps it back at the end of the chain
  double cpuUser = unknown;  ///< share of one processor, 0 to 1 (more with several threads)
  double cpuSystem = unknown;
  double residentBytes = unknown;
  double sentPerSecond = unknown;  ///< updates and interactions; 5 s mean
  double receivedPerSecond = unknown;
  double grantsPerSecond = unknown;
  double bytesSentPerSecond = unknown;
  double bytesReceivedPerSecond = unknown;
  std::uint64_t queued = 0;               ///< messages in its queues
  double queueFill = unknown;             ///< fullest way into it, 0 to 1
  double secondsSinceActivity = unknown;  ///< since its last service call or callback
  double secondsSinceRequest = unknown;   ///< since it last asked to advance or was granted
  double usualStepSeconds = unknown;      ///< wall clock between its grants
  bool timeManaged = false;
  TimeReading time;
  std::optional<double> galt;
  FederateCounters counters;
  std::vector<CallbackFault> faults;
  History cpu;
  History sent;
  History received;
  std::int64_t diedAtMonotonic = 0;  ///< ns; valid when Dead
};

struct LinkView {
  std::size_t sender = 0;  ///< index into Snapshot::federates
  std::size_t receiver = 0;
  double perSecond = 0;   ///< messages; 5 s mean
  double fill = unknown;  ///< of the ring, 0 to 1
};

/// A link with the RTI node of another host, or between those of two other hosts.
struct HostLinkView {
  /// Of a link between two others, the node at one end: then `peer` is at the other, and there is
  /// nothing to decide about it, for data goes past the home where it fails. Else empty.
  QString from;
  QString fromAddress;
  HostWay way = HostWay::Straight;
  double awaySeconds = 0;  ///< not straight for so long
  double ageSeconds = 0;   ///< of the older figures, which the two nodes tell once a second
  QString peer;  ///< name of the node there; may be empty
  QString address;
  bool toHome = false;
  bool suspect = false;
  double silentSeconds = 0;  ///< while suspect
  double leftSeconds = 0;    ///< while suspect: then it is lost
  double waitedSeconds = 0;  ///< of that an operator has added so much, this time
  double longestWaitSeconds = 0;  ///< so much may be added
  std::uint64_t suspicions = 0;
  std::uint64_t resumptions = 0;
  std::uint64_t keptBytes = 0;
  QStringList federates;      ///< behind it; towards the home, those here, which depend on it
  QStringList waitForAnswer;  ///< for one that depends on it
  QStringList waitForTime;    ///< for federates behind it, which cannot be heard
  int port = 0;               ///< where the home listens; 0: not known
  bool datagrams = false;     ///< best effort goes past it in datagrams, which count as well
  double messagesPerSecond = unknown;  ///< in both directions, 5 s mean; 0 while suspect
  double bytesPerSecond = unknown;     ///< likewise
  double roundTripSeconds = unknown;   ///< unknown while suspect
  double queueFill = unknown;          ///< what is kept, of what makes senders wait; 0 to 1
  double lost = unknown;               ///< deliveries of best effort
  History roundTrip;
};

/// How another host of the run is heard, as its supervisor and the link between the RTI nodes tell.
enum class HostReach : std::uint8_t {
  Here,      ///< this host
  Starting,  ///< its supervisor has not been heard yet
  Answers,
  Back,         ///< answers again since a few seconds
  Unreachable,  ///< not heard; what it runs goes on
  Lost,         ///< not heard for so long that it is given up
  Ended,        ///< all that ran there has ended
};

struct HostView {
  QString name;
  HostReach reach = HostReach::Here;
  double reachSeconds =
      unknown;                   ///< Unreachable: for so long; Lost: so long ago; Back: it was away
  double leftSeconds = unknown;  ///< Unreachable: then it is lost
  double load = unknown;         ///< runnable processes, mean of a minute; of other hosts
  QString nodeEnd;               ///< how its RTI node ended; empty: it has not
  QString fault;                 ///< made on purpose, to practise: "cable pulled"
  int processors = 1;
  double cpuUser = unknown;  ///< share of all processors, 0 to 1
  double cpuSystem = unknown;
  double memoryTotal = unknown;  ///< bytes
  double memoryUsed = unknown;
  double networkPerSecond = unknown;  ///< bytes
  double nodeCpu = unknown;           ///< of the RTI node, share of one processor
  double sharedBytes = unknown;       ///< memory the RTI uses for this federation
};

/// What is lost when a federate dies, or was lost when it did.
struct Consequences {
  struct Silent {
    QString federate;
    QStringList loses;  ///< classes
    QStringList keeps;
  };
  QString federate;
  std::uint64_t instances = 0;
  std::vector<OwnedInstances> byClass;  ///< empty when only the number is known
  QStringList unpublished;              ///< classes that nobody publishes then
  std::vector<Silent> silent;
  QStringList synchronizationPoints;  ///< that wait for it, and then no longer do
  bool regulating = false;
  std::optional<double> mayNextSend;
  std::optional<double> othersGalt;         ///< lowest GALT of the others now
  std::optional<double> othersGaltWithout;  ///< and without it; nothing: unbounded
  QStringList freed;                        ///< federates that wait for it now

  bool isHarmless() const { return instances == 0 && unpublished.isEmpty() && silent.empty(); }
};

struct Death {
  QString federate;
  std::int64_t atMonotonic = 0;  ///< ns
  QDateTime at;
  QString cause;          ///< "signal 9", "exit code 3", "connection lost"
  bool endKnown = false;  ///< its process was seen to end; else only its connection was
  Consequences lost;
};

/// Who holds time, when it stands.
struct TimeStanding {
  QString holder;
  FederateCondition condition = FederateCondition::Late;
  bool grantDue = false;  ///< it has asked, and does not take the grant
  double at = 0;          ///< logical time of the others
  double seconds = 0;     ///< how long nobody was granted
  double requested = unknown;
  double lookahead = 0;
  double bound = 0;  ///< nobody is granted beyond
  QStringList waiters;
};

struct Snapshot {
  std::int64_t monotonicNanoseconds = 0;
  std::uint64_t sequence = 0;  ///< counts samples
  QString federation;
  QString problem;        ///< why the readings are old; empty when they are fresh
  double ageSeconds = 0;  ///< of the readings
  bool held = false;      ///< paused or stepping: nobody is granted beyond `ceiling`
  double ceiling = unknown;
  HostView host;
  std::vector<HostView> otherHosts;  ///< of the run, besides this one
  std::vector<FederateView> federates;
  std::vector<LinkView> links;
  std::vector<HostLinkView> hostLinks;
  std::vector<HostLinkView> neighbourLinks;  ///< between two other hosts
  std::vector<Death> deaths;  ///< not dismissed; newest last
  std::optional<TimeStanding> standing;
  double logicalTime =
      unknown;  ///< lowest of the time-managed federates; after all left, how far they came
  double pace = unknown;              ///< reached, logical seconds a second; 5 s mean
  double wantedPace = 0;              ///< that the RTI keeps; 0: as fast as possible
  double updatesPerSecond = unknown;  ///< sent by all; 5 s mean
  int timeDecimals = 2;               ///< for logical times, from the smallest lookahead or step

  int count(FederateCondition condition) const {
    int result = 0;
    for (const FederateView& each : federates) result += each.condition == condition ? 1 : 0;
    return result;
  }
  const FederateView* find(const QString& name) const {
    for (const FederateView& each : federates) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
};

using SnapshotPointer = std::shared_ptr<const Snapshot>;

}  // namespace tutti::monitor
