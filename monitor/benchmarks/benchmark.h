// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <limits>
#include <map>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "monitor/benchmarks/statistics.h"

/// A benchmark: what is asked for, and what came out. `tutti bench --json` prints a Result as JSON,
/// the run store keeps the same document.
namespace tutti::bench {

enum class Kind {
  Latency,          ///< round trip of an attribute update, in µs
  Throughput,       ///< updates received, in 1/s
  TimeAdvance,      ///< time advance grants of one federate, in 1/s
  DmsoLatency,      ///< one-way time of an attribute update, in µs
  DmsoTimeAdvance,  ///< time advance requests of one federate granted, in 1/s
  DmsoThroughput,   ///< updates received, in 1/s
  Sweep,            ///< round trip over all sizes and transports, in µs
  Dbe,              ///< round trip with a short acknowledgement, in µs
  Rtiperf,          ///< round trip of each of many pairs at once, in µs
  Fanout,           ///< updates received by each of several subscribers, in 1/s
  Oversubscribed,   ///< callbacks of all of many federates on two processors, in 1/s
  Clutter,          ///< updates of all instances of a crowd, which few look at, in 1/s
  // RTIBM, each by a test-sequence file:
  RtibmOwot,  ///< attribute updates received, in 1/s
  RtibmOwit,  ///< interactions received, in 1/s
  RtibmRtol,  ///< round trip of attribute updates, in µs
  RtibmRtil,  ///< round trip of interactions, in µs
};

/// What the points of a kind differ in: the horizontal axis of its plot.
enum class Axis { Size, Lookahead, Federates, Instances };

/// What is true of every measurement of a kind.
struct KindFacts {
  Kind kind = Kind::Latency;
  const char* name = "";     ///< in documents: "dmso-latency"
  const char* command = "";  ///< in the command line, after "bench": "dmso latency"
  const char* title = "";    ///< "Round trip of an attribute update"
  const char* unit = "";     ///< "µs", "updates/s", "grants/s"
  const char* counted = "";  ///< what Settings::count counts: "updates"
  const char* note = "";     ///< a sentence on how it is measured; may be empty
  bool times = true;         ///< each message is one measurement, and lower is better; else a rate
  bool means = false;        ///< its figure is the mean, with the SD; else the median
  Axis axis = Axis::Size;
  bool sequence = false;  ///< of a test-sequence file, see sequence_runner.h
};
const std::vector<KindFacts>& allKinds();
const KindFacts& factsOf(Kind kind);

/// What a measurement takes besides its figure: the entries of Point::costs.
struct CostFacts {
  const char* name = "";    ///< in documents, with its unit: "ns/update"
  const char* column = "";  ///< head of a column: "B/owned"
  const char* line = "";    ///< in a plot: "owned"
  const char* what = "";    ///< a sentence on what was counted and how
  bool bytes = false;       ///< else nanoseconds
};
/// In the order in which they are shown; not every kind has them.
const std::vector<CostFacts>& allCosts();
/// Whether points of this kind have costs.
bool hasCosts(Kind kind);

QString kindName(Kind kind);  ///< as in documents
std::optional<Kind> kindOf(const QString& name);
QString kindTitle(Kind kind);
QString unitOf(Kind kind);
bool lowerIsBetter(Kind kind);

enum class Pinning {
  OwnCores,  ///< each process on a processor of its own
  OneCore,   ///< both on the same
  Free,      ///< left to the kernel
};
QString pinningName(Pinning pinning);  ///< "own", "one", "free"
std::optional<Pinning> pinningOf(const QString& name);

/// How the updates travel (IEEE 1516.1-2010, 6.1.6).
enum class Transport { Reliable, BestEffort };
QString transportName(Transport transport);  ///< "reliable", "best-effort"
std::optional<Transport> transportOf(const QString& name);

/// The ways of Tutti's messages, the usual one first.
const QStringList& allArchitectures();

struct Settings {
  Kind kind = Kind::Latency;
  std::vector<int> sizes{128};          ///< payload bytes, 1 to 64 Mi; of kinds with Axis::Size
  std::vector<double> lookaheads{0.1};  ///< above 0; of kinds with Axis::Lookahead
  std::vector<int> federates{2};        ///< even, 2 to 1024; of kinds with Axis::Federates
  std::vector<int> instances{};         ///< of Clutter: in all, 1 to 10 million
  std::vector<Transport> transports{Transport::Reliable};  ///< one line each
  std::uint64_t count = 10'000;                            ///< measured updates or grants a cycle
  std::uint64_t warmUp = 1000;  ///< more before the first cycle, not measured
  int cycles = 1;               ///< one after the other in one federation execution
  int repeats = 5;              ///< each with new processes
  std::uint64_t seed = 1207;    ///< order of the measurements, bytes of the payload
  Pinning pinning = Pinning::OwnCores;
  bool wait = false;   ///< evokeCallback waits; else evokeMultipleCallbacks polls
  double step = 0.1;   ///< of kinds with Axis::Lookahead: each request asks for so much more
  int ack = 0;         ///< bytes of the answer of a round trip; 0: as many as there
  bool fresh = false;  ///< each measured round trip has a federation execution of its own
  int pairs = 1;       ///< Rtiperf: of federates that do not hear each other
  int crowds = 8;      ///< Clutter: federates that register the instances
  int receivers = 1;   ///< Fanout: subscribers
  int burst = 1;       ///< Oversubscribed: updates of a frame
  QString sequence;    ///< RTIBM: the test-sequence file; empty: the one that is shipped
  /// Of Tutti: the way that messages take; one line each.
  std::vector<QString> architectures{QStringLiteral("decentralized")};
  /// Of Tutti: RTI nodes that are linked to each other, as on so many hosts, with the federates on
  /// them by turns; 1 to 16, one line each.
  std::vector<int> hosts{1};
  QString tools;  ///< folder of the measuring programs, built for an RTI; empty: those of Tutti
  QString designator;  ///< local settings designator of `connect`; empty: the RTI's own default

  /// How many processes there are at once at most.
  int processes() const;
  /// The points that are measured, on the kind's axis.
  std::vector<double> axis() const;
};

/// What is measured of a kind when nothing else is asked for.
Settings usualSettings(Kind kind);

/// The command line that measures the same.
QStringList commandLine(const Settings& settings);

struct Repeat {
  Summary summary;         ///< of the single measurements; a rate is one measurement
  std::uint64_t lost = 0;  ///< updates missing or out of order
};

struct Point {
  double at = 0;    ///< on the kind's axis: bytes, or the lookahead
  int size = 0;     ///< bytes; 0 on other axes
  Summary summary;  ///< of all measurements of all repeats together
  std::vector<Repeat> repeats;
  std::uint64_t lost = 0;
  /// How many times the bare ring's time this takes, or the share of its rate: at least 1 is
  /// expected. Not a number without a ring. Between hosts: of the bare TCP connection.
  /// Where there is no ring, against the first point of its own line.
  double ratioToRing = 0;
  /// The same against a ring with which the standard API's arguments are built.
  double ratioToArguments = std::numeric_limits<double>::quiet_NaN();
  /// RTIBM: the value that most samples are nearly as large as, and how many of them are; not a
  /// number elsewhere.
  double mode = std::numeric_limits<double>::quiet_NaN();
  double frequency = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<double, double>> distribution;  ///< (share, value); only of times
  std::map<QString, double> costs;                      ///< means of what Measured::costs says

  /// Medians of the repeats: what comparisons use.
  std::vector<double> medians() const;
};

struct Series {
  /// "rti/reliable", "rti/best-effort/federated/2 hosts", "ring", "ring/arguments", "tcp"; once
  /// "tutti-shm"
  QString id;
  QString label;  ///< "Tutti, shared memory", "Bare ring"
  std::vector<Point> points;

  bool isYardstick() const {
    return id.startsWith(QLatin1String("ring")) || id == QLatin1String("tcp");
  }
  const Point* at(double place) const;
};

struct Machine {
  QString host;
  QString processor;  ///< model name
  int processors = 0;
  QString
      governor;  ///< "performance"; "not shown" where the kernel does not tell (virtual machines)
  QString kernel;
  QString memory;   ///< "15.6 GB"
  double load = 0;  ///< mean number of runnable processes of the minute before, also of our own
  /// Load of other work right before the first and right after the last measurement: mean number
  /// of runnable processes. Not a number in results that were stored before this was recorded.
  double loadBefore = std::numeric_limits<double>::quiet_NaN();
  double loadAfter = std::numeric_limits<double>::quiet_NaN();

  /// The load of other work that is known: the higher of before and after, or else `load`.
  double otherLoad() const;
  /// Whether other work may have changed the result.
  bool isBusy() const;
  /// "atlas, 2 × Xeon ..., governor performance"
  QString line() const;
  /// "0.12 before, 0.30 after"
  QString loadLine() const;
};
Machine thisMachine();

/// Whether `load` is above half a processor for each processor.
bool isBusy(double load, int processors);
/// "load 3.2 on 2 processors"
QString loadText(double load, int processors);

struct Build {
  QString version;
  QString compiler;
  QString type;  ///< "Release"
};
Build thisBuild();

/// The run-time infrastructure that was measured, as it names itself.
struct Rti {
  QString name;
  QString version;
  bool isTutti() const { return name == QLatin1String("Tutti"); }
};

struct Result {
  Settings settings;
  Rti rti;
  Machine machine;
  Build build;
  QDateTime at;
  std::vector<Series> series;  ///< the RTI's first, its yardsticks last

  const Series* find(const QString& id) const;
};

QJsonObject toJson(const Result& result);
/// An error is one sentence.
tl::expected<Result, QString> resultFromJson(const QJsonObject& document);

/// Figures that others published, for orientation: other hardware, not comparable with ours.
struct Reference {
  struct Point {
    double at = 0;  ///< on the kind's axis
    double value = 0;
    double deviation = 0;  ///< standard deviation; not a number where it was not published
  };
  QString label;
  QString source;  ///< who measured what, where it is written
  Kind kind = Kind::Latency;
  std::vector<Point> points;  ///< in the kind's unit
};
const std::vector<Reference>& publishedReferences();

}  // namespace tutti::bench
