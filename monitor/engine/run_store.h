// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <tl/expected.hpp>
#include <vector>

class QSqlDatabase;

/// What a run left behind: SQLite in WAL mode, so that a process killed at any moment loses nothing
/// that was committed, and others may read while it writes.
namespace tutti::monitor {

/// Times are milliseconds since 1970-01-01 UTC.
using Milliseconds = std::int64_t;
using RowId = std::int64_t;

enum class LogLevel : std::uint8_t { Trace, Debug, Info, Warning, Error };

struct RunRecord {
  RowId id = 0;
  QString federation;
  QString composition;  ///< path of the file, may be empty
  QString designator;   ///< "shm:NAME"
  QString host;
  QString build;
  QString command;          ///< command line that does the same
  std::int64_t writer = 0;  ///< process that records it
  Milliseconds started = 0;
  std::optional<Milliseconds> ended;
  QString outcome;  ///< "stopped", "finished", "lost"; empty while it runs
};

struct FederateRecord {
  RowId id = 0;
  RowId run = 0;
  QString name;
  QString component;
  QString host;
  std::int64_t pid = 0;
  Milliseconds started = 0;
  std::optional<Milliseconds> ended;
  QString end;  ///< "resigned", "signal 9", "exit code 3"
};

/// One a second and federate. Unknown values are NaN and stored as NULL.
struct SampleRecord {
  RowId federate = 0;
  Milliseconds at = 0;
  double cpuUser = 0;  ///< share of one processor
  double cpuSystem = 0;
  double sentPerSecond = 0;
  double receivedPerSecond = 0;
  double queued = 0;
  double logicalTime = 0;
  double grantsPerSecond = 0;
};

struct EventRecord {
  Milliseconds at = 0;
  LogLevel level = LogLevel::Info;
  QString subject;  ///< federate, host or "rti"
  QString text;
};

struct LogRecord {
  Milliseconds at = 0;
  LogLevel level = LogLevel::Info;
  QString subject;
  QString text;
};

/// What one federate sent to another, as a mean over the time in which that was sampled.
struct ExchangeRecord {
  QString sender;
  QString receiver;
  double perSecond = 0;  ///< messages
};

struct MeasuredExchanges {
  RowId run = 0;
  std::vector<ExchangeRecord> exchanges;
};

/// One benchmark run: what was measured, where and how. Details are JSON as `tutti bench --json`
/// prints them, so a stored result and a printed one are the same document.
struct BenchmarkRecord {
  RowId id = 0;
  Milliseconds at = 0;
  QString kind;  ///< "latency", "throughput", "timeadvance"
  QString build;
  QString machine;  ///< one line
  std::uint64_t seed = 0;
  int repeats = 0;
  QJsonObject document;
};

/// What went wrong, for a person.
struct StoreError {
  enum class Kind : std::uint8_t {
    Other,
    Full,     ///< the disk (or a quota) is
    Locked,   ///< by another program, longer than was waited
    Damaged,  ///< the file is no database, or is damaged
  };
  QString message;
  Kind kind = Kind::Other;
};
template <class T>
using StoreResult = tl::expected<T, StoreError>;

/// One connection to runs.sqlite, for one thread. Every call that writes is one transaction: when
/// it returned, a killed process loses nothing of it.
class RunStore {
 public:
  static constexpr int schemaVersion = 3;

  /// $XDG_DATA_HOME/tutti/runs.sqlite, by default ~/.local/share/tutti/runs.sqlite.
  static QString defaultPath();

  /// Opens or makes the file, and brings an older schema up to date. A file of a newer Tutti is
  /// refused: it is left as it is. `patience`: how long each call waits where another program has
  /// locked the file.
  static StoreResult<std::unique_ptr<RunStore>> open(
      const QString& path = defaultPath(),
      std::chrono::milliseconds patience = std::chrono::seconds(5));
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  QString path() const { return path_; }
  /// Bytes of the file and its log.
  std::int64_t sizeBytes() const;

  StoreResult<RowId> addRun(const RunRecord& run);
  StoreResult<void> endRun(RowId run, Milliseconds at, const QString& outcome);
  /// Runs without an end whose writer is gone: ended "lost" at their last sample. Returns how many.
  StoreResult<int> closeLostRuns(Milliseconds now);
  StoreResult<RowId> addFederate(const FederateRecord& federate);
  StoreResult<void> endFederate(RowId federate, Milliseconds at, const QString& how);
  StoreResult<void> addSamples(const std::vector<SampleRecord>& samples);
  /// In place of what was there of these pairs.
  StoreResult<void> setExchanges(RowId run, const std::vector<ExchangeRecord>& exchanges);
  StoreResult<void> addEvents(RowId run, const std::vector<EventRecord>& events);
  StoreResult<void> addLogs(RowId run, const std::vector<LogRecord>& lines);
  StoreResult<RowId> addBenchmark(const BenchmarkRecord& result);
  StoreResult<void> removeBenchmark(RowId id);

  /// Newest first.
  StoreResult<std::vector<RunRecord>> runs(int limit = 100) const;
  StoreResult<std::vector<FederateRecord>> federates(RowId run) const;
  StoreResult<std::vector<SampleRecord>> samples(RowId federate) const;
  /// Of the newest run of the composition (path of its file) that has some; run 0: there is none.
  StoreResult<MeasuredExchanges> lastExchanges(const QString& composition) const;
  StoreResult<std::vector<EventRecord>> events(RowId run) const;
  StoreResult<std::vector<LogRecord>> logs(RowId run, int limit = 10'000) const;
  /// Newest first.
  StoreResult<std::vector<BenchmarkRecord>> benchmarks(int limit = 200) const;

 private:
  explicit RunStore(QString path);
  StoreResult<void> prepareSchema();

  QString path_;
  QString connection_;
};

}  // namespace tutti::monitor
