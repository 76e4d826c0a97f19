// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "monitor/engine/consequences.h"
#include "monitor/engine/host_links.h"
#include "monitor/engine/host_watch.h"
#include "monitor/engine/sample_source.h"
#include "monitor/engine/snapshot.h"
#include "monitor/engine/time_control.h"

namespace tutti::monitor {

/// A federate as the launcher knows it, before and beside what the RTI knows.
struct RosterEntry {
  QString name;  ///< federate name; joins the two
  QString component;
  QString host;
  std::int64_t pid = 0;
};

/// How a process ended, as its supervisor saw it.
struct ProcessEnd {
  int exitCode = 0;
  int signal = 0;      ///< 0: it exited by itself
  bool asked = false;  ///< the person stopped it: no death
  /// The person killed this one, which left it no time to resign: it is dead, whoever asked.
  bool killed = false;
};

/// Turns readings into snapshots: rates, conditions, who holds time, what died with whom.
/// Not thread-safe; one per run. The clock is the readings' own, so a test can make time.
class RunAnalysis {
 public:
  /// Rates are means over this.
  static constexpr double rateSeconds = 5.0;

  RunAnalysis(std::shared_ptr<SampleSource> source, std::shared_ptr<ProcessProbe> probe);

  /// Federates that are to come or were started; a name that is missing here and not joined is
  /// forgotten. Call again whenever the launcher's list changes.
  void setRoster(std::vector<RosterEntry> roster);
  /// Hosts of the run besides this one; call again whenever one has changed.
  void setHosts(const std::vector<RosterHost>& hosts);
  /// What another host says of itself and its processes; about once a second.
  void noteSample(const HostSample& sample);
  void noteEnd(const QString& federate, const ProcessEnd& end);
  /// The RTI node ended unasked: whoever was joined, or left since it answers no more, has lost it.
  void noteNodeEnd();
  /// Takes a dead or resigned federate off the screen.
  void dismiss(const QString& federate);
  /// What publishes and subscribes, for a source that cannot tell.
  void setDeclarations(std::vector<Declarations> declarations);

  /// Holds time, lets it go on by one step, or lets it go on. The error is one sentence for a
  /// person; then nothing has changed.
  tl::expected<void, QString> control(TimeControl control);
  /// Logical seconds per second, 0: as fast as possible.
  tl::expected<void, QString> setPace(double perSecond) { return source_->setPace(perSecond); }

  /// Takes one sample. Expected ten times a second; any other pace only makes it coarser.
  Snapshot step();
  /// The next sample asks anew who is there and who has left, not only once a second.
  void refreshNext() { refreshedAt_ = 0; }
  /// For a federate of the last sample; nothing when it is not joined.
  std::optional<Consequences> consequences(const QString& federate) const;

 private:
  struct Point {
    std::int64_t at = 0;
    double sent = 0, received = 0, grants = 0, bytesSent = 0, bytesReceived = 0;
  };
  struct Tracker {
    FederateView view;
    std::deque<Point> points;  ///< of the last rateSeconds
    std::uint64_t lastGrants = 0;
    FederateCounters lastCounters;
    std::int64_t lastRequest = 0;   ///< ns; seen to ask or to be granted
    std::int64_t lastActivity = 0;  ///< ns
    std::int64_t dueSince = 0;      ///< ns; others wait while it does not take its grant; 0: no
    std::int64_t pacedSince = 0;    ///< it waits for the pace; 0: it does not
    std::int64_t cpuAt = 0;
    ProcessReading cpu;
    char processState = '?';
    bool processGone = false;
    bool joined = false;
    bool leftUnread = false;  ///< it left when the RTI could no longer tell how
    bool rostered = false;
    std::optional<ProcessEnd> end;
    std::vector<OwnedInstances> owned;
    std::uint64_t order = 0;
  };
  /// A link's count now and at the start of the window, which moves on in half seconds.
  struct Flow {
    static constexpr std::size_t points = 11;
    std::array<std::pair<std::int64_t, std::uint64_t>, points> ring{};
    std::size_t used = 0;
    std::size_t next = 0;
    std::uint64_t seen = 0;  ///< sequence of the last reading with it
  };

  Tracker& trackerFor(const QString& name);
  void probeProcesses(std::int64_t now);
  void sampleHost(std::int64_t now);
  /// Federates of other hosts, as those say.
  void takeSamples(std::int64_t now);
  void follow(Tracker& tracker, const FederateReading& reading, std::int64_t now);
  void decideConditions(Snapshot& snapshot, const TimeAnalysis& time, std::int64_t now);
  void findStanding(Snapshot& snapshot, const TimeAnalysis& time, std::int64_t now);
  /// Takes over with which figures a federate left, also when it was never seen joined.
  void settle(const FederateReading& reading, std::int64_t now);
  static bool endedBadly(const Tracker& tracker);
  /// In order, as somebody wished: no death.
  static bool endWasAsked(const Tracker& tracker);
  void leave(Tracker& tracker, bool crashed, std::int64_t now);
  /// As from now on, with figures that nobody can tell any more.
  static void part(Tracker& tracker, FederateCondition condition);
  void bury(Tracker& tracker, std::int64_t now);
  void updateLinks(Snapshot& snapshot, std::int64_t now);
  void refreshOwned();
  std::vector<Declarations> declarations() const;
  std::size_t indexInReading(const QString& name) const;

  std::shared_ptr<SampleSource> source_;
  std::shared_ptr<ProcessProbe> probe_;
  std::map<QString, Tracker> trackers_;
  std::uint64_t nextOrder_ = 1;
  std::uint64_t sequence_ = 0;
  Reading reading_;  ///< the last good one
  QHash<QString, std::size_t> readingIndex_;
  TimeAnalysis time_;  ///< of reading_
  std::vector<Declarations> composed_;
  std::vector<Declarations> declared_;
  std::vector<Death> deaths_;
  std::unordered_map<std::uint64_t, Flow> flows_;        ///< by sender and receiver
  std::vector<LinkView> links_;                          ///< as of the last update
  std::vector<std::pair<std::uint32_t, double>> fills_;  ///< index, fullest way into it
  std::vector<std::uint32_t> linkNumbers_;               ///< of the snapshot's federates then
  HostView host_;
  HostWatch hosts_;
  HostSamples samples_;  ///< of the other hosts
  HostLinkRates linkRates_;
  HostReading lastHost_;
  std::int64_t hostAt_ = 0;
  ProcessReading nodeCpu_;
  std::int64_t refreshedAt_ = 0;
  bool unread_ = true;  ///< the last reading failed
  bool linksSuspect_ = false;  ///< one at least, in the last sample
  std::int64_t historyAt_ = 0;
  std::size_t nextProbe_ = 0;
  QString nextOwned_;  ///< the federate whose instances were counted last
  std::int64_t declaredAt_ = 0;
  // Standing of time: when the lowest logical time last moved, and how often it does.
  double lowestTime_ = unknown;
  std::int64_t timeMovedAt_ = 0;
  double usualTimeStep_ = unknown;
  int decimals_ = 2;  ///< for logical times
  std::deque<std::pair<std::int64_t, double>> pacePoints_;
};

}  // namespace tutti::monitor
