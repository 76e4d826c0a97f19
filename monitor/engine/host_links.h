// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QMap>
#include <QString>
#include <array>
#include <deque>
#include <optional>
#include <vector>

#include "monitor/engine/run_store.h"
#include "monitor/engine/snapshot.h"
#include "monitor/engine/time_holder.h"

/// Links with RTI nodes of other hosts: who waits for one that is suspect, and how that reads.
namespace tutti::monitor {

/// The links of `reading` as of `now`. Who waits for time is read off the time slots: one that
/// waits to advance until a federate behind a suspect link has done so.
std::vector<HostLinkView> hostLinksOf(const Reading& reading, const TimeAnalysis& time,
                                      std::int64_t now);

/// The links between two other hosts as of `now`.
std::vector<HostLinkView> neighbourLinksOf(const Reading& reading, std::int64_t now);

/// Between two hosts of which neither is the one that is read.
bool isBetweenOthers(const HostLinkView& link);
/// Nothing is acknowledged on it: of one between others, its direct connection is broken.
bool isSilent(const HostLinkView& link);
/// So old are figures of which at least one end is not heard.
constexpr double oldSeconds = 5;

/// The joined federates of which nothing is heard, and for how many seconds: those behind a suspect
/// link; while the link to the home is suspect, those of all other hosts.
QHash<QString, double> outOfReach(const Reading& reading, const std::vector<HostLinkView>& links);

/// The host of the run that the link leads to, where the launcher named the node after it; else
/// empty.
QString hostBehind(const HostLinkView& link);

/// The same for the name of any node; empty where it is none of a run.
QString hostOfNode(const QString& node);

/// The run that the launcher named the node after, else empty.
QString runBehind(const HostLinkView& link);

/// "node 'b' at 10.0.0.2:15165", "the home, node 'a' at 10.0.0.1:7400"; without the name when that
/// is only the way to its home ("tcp-10.0.0.1:7400").
QString linkName(const HostLinkView& link);

/// All that wait for it, each once: for an answer, then for time.
QStringList waitingFor(const HostLinkView& link);

/// A longer list fits no screen.
constexpr qsizetype mostNames = 400;

/// "a", "a, b", "a, b and 12 more".
QString elidedNames(const QStringList& names, qsizetype most);

/// "Link to node 'b' at 10.0.0.2:15165 is suspect: nothing acknowledged for 3.2 s"
QString suspectTitle(const HostLinkView& link);
/// "Waiting for the link: radar, aircraft-2. In 11.8 s the federates behind it are resigned: a, b
/// and 12 more." Lists name `most` federates.
QString suspectDetail(const HostLinkView& link, qsizetype most, QChar between = u' ');

/// Host, node or address that the link leads to, the first that is known; "the home" before the last
/// two: "borea", "node 'b'", "the home, 10.0.0.1:7400".
QString linkEnd(const HostLinkView& link);
/// Likewise where a link between two others begins.
QString linkBegin(const HostLinkView& link);

/// What a person is told while links are suspect; of several in one, as they mostly have one cause.
struct SuspectLinks {
  std::vector<HostLinkView> links;  ///< the one that is lost first stands first
  QString title;
  QString detail;
  QString whole;  ///< each link with all names, in paragraphs
};
/// Nothing while none of `links` is suspect. `detail` names `most` federates in a list.
std::optional<SuspectLinks> suspectLinks(const std::vector<HostLinkView>& links, qsizetype most);

/// Means of what the nodes count, and the last minute of the round trips; by peer and address.
class HostLinkRates {
 public:
  /// The views in the order of the readings.
  void look(const Reading& reading, std::vector<HostLinkView>& links,
            std::vector<HostLinkView>& neighbours, std::int64_t now);

 private:
  /// What one node counts.
  class Meter {
   public:
    void add(std::int64_t at, std::uint64_t messages, std::uint64_t bytes);
    void clear() { points_.clear(); }
    /// Adds what there is by now to these, which may be unknown.
    void addRates(double& messages, double& bytes) const;

   private:
    struct Point {
      std::int64_t at = 0;
      std::uint64_t messages = 0;
      std::uint64_t bytes = 0;
    };
    std::deque<Point> points_;
  };
  struct Tracker {
    std::array<Meter, 2> meters;  ///< of the node that is read, or of both ends
    History roundTrip;
    std::int64_t historyAt = 0;
    bool seen = false;
  };
  Tracker& tracker(HostLinkView& link, std::int64_t now);

  QMap<QString, Tracker> trackers_;
};

/// Finds what has happened to links from one sample to the next.
class HostLinkWatch {
 public:
  /// Events that have no time yet: suspect, resumed, lost; of links between others, that the direct
  /// connection is broken and is there again. None of a sample that could not be read.
  std::vector<EventRecord> look(const Snapshot& snapshot);

 private:
  void lookBetween(const Snapshot& snapshot, std::vector<EventRecord>& events);

  QMap<QString, HostLinkView> last_;  ///< by address
  QMap<QString, double> broken_;      ///< links between others, by their ends: told, for so long
};

}  // namespace tutti::monitor
