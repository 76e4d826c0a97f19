// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QJsonObject>
#include <QString>
#include <optional>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "monitor/benchmarks/statistics.h"

/// A benchmark: what is asked for, and what came out. `tutti bench --json` prints a Result as JSON,
/// the run store keeps the same document.
namespace tutti::bench {

enum class Kind {
  Latency,      ///< round trip of an attribute update, in µs
  Throughput,   ///< updates received, in 1/s
  TimeAdvance,  ///< time advance grants of one federate, in 1/s
};
QString kindName(Kind kind);  ///< as in the command line
std::optional<Kind> kindOf(const QString& name);
QString kindTitle(Kind kind);  ///< "Round trip of an attribute update"
QString unitOf(Kind kind);     ///< "µs", "updates/s", "grants/s"
bool lowerIsBetter(Kind kind);

enum class Pinning {
  OwnCores,  ///< each process on a processor of its own
  OneCore,   ///< both on the same
  Free,      ///< left to the kernel
};
QString pinningName(Pinning pinning);  ///< "own", "one", "free"
std::optional<Pinning> pinningOf(const QString& name);

struct Settings {
  Kind kind = Kind::Latency;
  std::vector<int> sizes{128};  ///< payload bytes, 1 to 64 Mi; ignored by TimeAdvance
  std::uint64_t count = 0;      ///< measured updates or grants a repeat; 0: the kind's default
  std::uint64_t warmUp = 1000;  ///< more before them, not measured
  int repeats = 5;              ///< each with new processes
  std::uint64_t seed = 1207;    ///< order of the measurements, bytes of the payload
  Pinning pinning = Pinning::OwnCores;
  bool wait = false;       ///< evokeCallback waits; else evokeMultipleCallbacks polls
  double lookahead = 0.1;  ///< TimeAdvance
  double step = 0.1;       ///< TimeAdvance

  std::uint64_t countOrDefault() const;
};

/// The command line that measures the same.
QStringList commandLine(const Settings& settings);

struct Repeat {
  Summary summary;         ///< of the single measurements; a rate is one measurement
  std::uint64_t lost = 0;  ///< updates missing or out of order
};

struct Point {
  int size = 0;     ///< bytes; 0 for TimeAdvance
  Summary summary;  ///< of all measurements of all repeats together
  std::vector<Repeat> repeats;
  std::uint64_t lost = 0;
  /// How many times the bare ring's time this takes, or the share of its rate: at least 1 is
  /// expected. Not a number without a ring.
  double ratioToRing = 0;
  std::vector<std::pair<double, double>> distribution;  ///< (share, value); only Latency

  /// Medians of the repeats: what comparisons use.
  std::vector<double> medians() const;
};

struct Series {
  QString id;     ///< "tutti-shm", "ring"
  QString label;  ///< "Tutti, shared memory", "Bare ring"
  std::vector<Point> points;

  const Point* at(int size) const;
};

struct Machine {
  QString host;
  QString processor;  ///< model name
  int processors = 0;
  QString
      governor;  ///< "performance"; "not shown" where the kernel does not tell (virtual machines)
  QString kernel;
  QString memory;   ///< "15.6 GB"
  double load = 0;  ///< mean number of runnable processes of the minute before

  bool isQuiet() const { return load < 0.5; }
  /// "atlas, 2 × Xeon ..., governor performance"
  QString line() const;
};
Machine thisMachine();

struct Build {
  QString version;
  QString compiler;
  QString type;  ///< "Release"
};
Build thisBuild();

struct Result {
  Settings settings;
  Machine machine;
  Build build;
  QDateTime at;
  std::vector<Series> series;  ///< Tutti first, the bare ring last

  const Series* find(const QString& id) const;
};

QJsonObject toJson(const Result& result);
/// An error is one sentence.
tl::expected<Result, QString> resultFromJson(const QJsonObject& document);

/// Figures that others published, for orientation: other hardware, not comparable with ours.
struct Reference {
  QString label;
  QString source;  ///< who measured what, where it is written
  Kind kind = Kind::Latency;
  std::vector<std::pair<int, double>> points;  ///< size, value in the kind's unit
};
const std::vector<Reference>& publishedReferences();

}  // namespace tutti::bench
