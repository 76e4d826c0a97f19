// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/engine/run_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QAtomicInt>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QStandardPaths>
#include <QVariant>
#include <algorithm>
#include <cmath>
#include <csignal>

namespace tutti::monitor {
namespace {

constexpr int sqliteBusy = 5;         // SQLITE_BUSY
constexpr int sqliteLocked = 6;       // SQLITE_LOCKED
constexpr int sqliteIoError = 10;     // SQLITE_IOERR, also when a write was cut short
constexpr int sqliteCorrupt = 11;     // SQLITE_CORRUPT
constexpr int sqliteFull = 13;        // SQLITE_FULL
constexpr int sqliteNoDatabase = 26;  // SQLITE_NOTADB

/// Each step leads from its index to the next version. Steps are never edited once released.
const std::vector<QStringList>& migrations() {
  static const std::vector<QStringList> steps{
      {
          // 0 -> 1: runs
          QStringLiteral(
              "CREATE TABLE runs(id INTEGER PRIMARY KEY, federation TEXT NOT NULL,"
              " composition TEXT NOT NULL, designator TEXT NOT NULL, host TEXT NOT NULL,"
              " build TEXT NOT NULL, command TEXT NOT NULL, writer INTEGER NOT NULL,"
              " started_ms INTEGER NOT NULL, ended_ms INTEGER, outcome TEXT NOT NULL DEFAULT '')"),
          QStringLiteral("CREATE TABLE federates(id INTEGER PRIMARY KEY,"
                         " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
                         " name TEXT NOT NULL, component TEXT NOT NULL, host TEXT NOT NULL,"
                         " pid INTEGER NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER,"
                         " how_it_ended TEXT NOT NULL DEFAULT '')"),
          QStringLiteral("CREATE INDEX federates_run ON federates(run)"),
          QStringLiteral("CREATE TABLE samples("
                         " federate INTEGER NOT NULL REFERENCES federates(id) ON DELETE CASCADE,"
                         " at_ms INTEGER NOT NULL, cpu_user REAL, cpu_system REAL, sent REAL,"
                         " received REAL, queued REAL, logical_time REAL, grants REAL,"
                         " PRIMARY KEY(federate, at_ms)) WITHOUT ROWID"),
          QStringLiteral("CREATE TABLE events(id INTEGER PRIMARY KEY,"
                         " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
                         " at_ms INTEGER NOT NULL, level INTEGER NOT NULL, subject TEXT NOT NULL,"
                         " text TEXT NOT NULL)"),
          QStringLiteral("CREATE INDEX events_run ON events(run)"),
          QStringLiteral("CREATE TABLE logs(id INTEGER PRIMARY KEY,"
                         " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
                         " at_ms INTEGER NOT NULL, level INTEGER NOT NULL, subject TEXT NOT NULL,"
                         " text TEXT NOT NULL)"),
          QStringLiteral("CREATE INDEX logs_run ON logs(run)"),
      },
      {
          // 1 -> 2: benchmark results
          QStringLiteral("CREATE TABLE benchmarks(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL,"
                         " kind TEXT NOT NULL, build TEXT NOT NULL, machine TEXT NOT NULL,"
                         " seed TEXT NOT NULL, repeats INTEGER NOT NULL, document TEXT NOT NULL)"),
      },
      {
          // 2 -> 3: what federates sent to each other
          QStringLiteral("CREATE TABLE exchanges("
                         " run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,"
                         " sender TEXT NOT NULL, receiver TEXT NOT NULL, rate REAL NOT NULL,"
                         " PRIMARY KEY(run, sender, receiver)) WITHOUT ROWID"),
      },
  };
  return steps;
}

StoreError errorOf(const QSqlError& error, const QString& path, const QString& what) {
  using Kind = StoreError::Kind;
  const auto told = [](Kind kind, const QString& message) {
    StoreError result;
    result.kind = kind;
    result.message = message;
    return result;
  };
  switch (error.nativeErrorCode().toInt() & 0xff) {
    case sqliteFull:
    case sqliteIoError:
      return told(Kind::Full,
                  QStringLiteral("%1 cannot be written: no room is left for %2. Free some space or "
                                 "move the file; what runs goes on, and recording resumes by "
                                 "itself.")
                      .arg(path, what));
    case sqliteBusy:
    case sqliteLocked:
      return told(Kind::Locked,
                  QStringLiteral("%1 cannot be used for %2: another program has locked it (fuser "
                                 "%1 names it). End that program, or wait for it.")
                      .arg(path, what));
    case sqliteCorrupt:
    case sqliteNoDatabase:
      return told(Kind::Damaged,
                  QStringLiteral("%1 cannot be used for %2: the file is damaged (%3). Move it away "
                                 "to start afresh; sqlite3 %1 .recover shows what can be saved of "
                                 "it.")
                      .arg(path, what, error.databaseText()));
    default:
      return told(
          Kind::Other,
          QStringLiteral("%1 cannot be used for %2: %3.").arg(path, what, error.databaseText()));
  }
}

QVariant known(double value) { return std::isnan(value) ? QVariant() : QVariant(value); }
double orUnknown(const QVariant& value) {
  return value.isNull() ? std::numeric_limits<double>::quiet_NaN() : value.toDouble();
}
/// SQL has no place for a null string here; Qt would store NULL for one.
QString text(const QString& value) { return value.isNull() ? QStringLiteral("") : value; }
std::optional<Milliseconds> optionalTime(const QVariant& value) {
  return value.isNull() ? std::nullopt : std::optional<Milliseconds>(value.toLongLong());
}

/// Begins a transaction, and takes it back unless it was committed.
class Transaction {
 public:
  explicit Transaction(QSqlDatabase database) : database_(std::move(database)) {
    // IMMEDIATE: a second writer waits at the start, where it may, and never fails half way.
    QSqlQuery query(database_);
    open_ = query.exec(QStringLiteral("BEGIN IMMEDIATE"));
    if (!open_) error_ = query.lastError();
  }
  ~Transaction() {
    if (open_) QSqlQuery(database_).exec(QStringLiteral("ROLLBACK"));
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool isOpen() const { return open_; }
  bool commit() {
    QSqlQuery query(database_);
    if (!query.exec(QStringLiteral("COMMIT"))) {
      error_ = query.lastError();
      return false;
    }
    open_ = false;
    return true;
  }
  QSqlError error() const { return error_; }

 private:
  QSqlDatabase database_;
  bool open_ = false;
  QSqlError error_;
};

/// What was recorded is its owner's alone, in the file and in those that SQLite keeps beside it,
/// which get the rights of the file when SQLite makes them.
void keepPrivate(const QString& path) {
  // O_EXCL: closing a descriptor of a file in use would give up SQLite's locks on it.
  const int made = ::open(QFile::encodeName(path).constData(),
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0) ::close(made);
  for (const QString& file : {path, path + QStringLiteral("-wal"), path + QStringLiteral("-shm")})
    QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner);
}

}  // namespace

QString RunStore::defaultPath() {
  // GenericDataLocation: the same file for the window and the command line, whatever they are
  // called.
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
         QStringLiteral("/tutti/runs.sqlite");
}

RunStore::RunStore(QString path) : path_(std::move(path)) {
  static QAtomicInt next;
  connection_ = QStringLiteral("tutti-run-store-%1").arg(next.fetchAndAddRelaxed(1));
}

RunStore::~RunStore() {
  if (QSqlDatabase::contains(connection_)) {
    QSqlDatabase::database(connection_, false).close();
    QSqlDatabase::removeDatabase(connection_);
  }
}

StoreResult<std::unique_ptr<RunStore>> RunStore::open(const QString& path,
                                                      std::chrono::milliseconds patience) {
  const QDir folder = QFileInfo(path).absoluteDir();
  if (!folder.mkpath(QStringLiteral("."))) {
    return tl::unexpected(StoreError{
        QStringLiteral("The folder %1 for run records cannot be made. Check its rights, or set "
                       "XDG_DATA_HOME to another place.")
            .arg(folder.absolutePath())});
  }
  keepPrivate(path);
  std::unique_ptr<RunStore> store(new RunStore(path));
  {
    QSqlDatabase database =
        QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), store->connection_);
    database.setDatabaseName(path);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(patience.count()));
    if (!database.open()) {
      return tl::unexpected(errorOf(database.lastError(), path, QStringLiteral("run records")));
    }
    QSqlQuery query(database);
    // NORMAL: a commit is in the kernel, so it outlives this process; it is on the disk at the next
    // checkpoint, so a power cut may take the last seconds, never the file.
    for (const char* pragma :
         {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=NORMAL", "PRAGMA foreign_keys=ON"}) {
      if (!query.exec(QString::fromLatin1(pragma))) {
        return tl::unexpected(errorOf(query.lastError(), path, QStringLiteral("run records")));
      }
    }
  }
  if (auto prepared = store->prepareSchema(); !prepared) return tl::unexpected(prepared.error());
  return store;
}

StoreResult<void> RunStore::prepareSchema() {
  QSqlDatabase database = QSqlDatabase::database(connection_, false);
  const auto version = [&]() -> int {
    QSqlQuery query(database);
    return query.exec(QStringLiteral("PRAGMA user_version")) && query.next()
               ? query.value(0).toInt()
               : -1;
  };
  const auto refused = [&](int found) {
    return StoreError{
        QStringLiteral("%1 was written by a newer Tutti (schema %2; this one knows %3). "
                       "Use the newer one, or move the file away to start afresh.")
            .arg(path_)
            .arg(found)
            .arg(schemaVersion)};
  };
  const int before = version();
  if (before == schemaVersion) return {};
  if (before > schemaVersion) return tl::unexpected(refused(before));
  Transaction transaction(database);
  if (!transaction.isOpen()) {
    return tl::unexpected(errorOf(transaction.error(), path_, QStringLiteral("its schema")));
  }
  // Again, now that nobody else can write: another process may just have migrated.
  int at = version();
  if (at > schemaVersion) return tl::unexpected(refused(at));
  QSqlQuery query(database);
  for (; at < schemaVersion; ++at) {
    for (const QString& statement : migrations()[static_cast<std::size_t>(at)]) {
      if (!query.exec(statement)) {
        return tl::unexpected(errorOf(query.lastError(), path_, QStringLiteral("its schema")));
      }
    }
  }
  if (!query.exec(QStringLiteral("PRAGMA user_version=%1").arg(schemaVersion)) ||
      !transaction.commit()) {
    return tl::unexpected(errorOf(query.lastError(), path_, QStringLiteral("its schema")));
  }
  return {};
}

std::int64_t RunStore::sizeBytes() const {
  return QFileInfo(path_).size() + QFileInfo(path_ + QStringLiteral("-wal")).size();
}

namespace {

/// Runs one statement for each row, all in one transaction.
template <class Rows, class Bind>
StoreResult<RowId> insertAll(const QString& connection, const QString& path, const QString& what,
                             const QString& statement, const Rows& rows, Bind&& bind) {
  QSqlDatabase database = QSqlDatabase::database(connection, false);
  Transaction transaction(database);
  if (!transaction.isOpen()) return tl::unexpected(errorOf(transaction.error(), path, what));
  QSqlQuery query(database);
  if (!query.prepare(statement)) return tl::unexpected(errorOf(query.lastError(), path, what));
  RowId last = 0;
  for (const auto& row : rows) {
    bind(query, row);
    if (!query.exec()) return tl::unexpected(errorOf(query.lastError(), path, what));
    last = query.lastInsertId().toLongLong();
  }
  query.finish();
  if (!transaction.commit()) return tl::unexpected(errorOf(transaction.error(), path, what));
  return last;
}

StoreResult<void> withoutValue(StoreResult<RowId> result) {
  if (!result) return tl::unexpected(result.error());
  return {};
}

template <class T, class Read>
StoreResult<std::vector<T>> select(const QString& connection, const QString& path,
                                   const QString& statement, const QVariantList& values,
                                   Read&& read) {
  QSqlQuery query(QSqlDatabase::database(connection, false));
  query.setForwardOnly(true);
  bool good = query.prepare(statement);
  for (const QVariant& value : values) query.addBindValue(value);
  good = good && query.exec();
  if (!good) return tl::unexpected(errorOf(query.lastError(), path, QStringLiteral("reading")));
  std::vector<T> result;
  while (query.next()) result.push_back(read(query));
  // A damaged page, or a lock, may show in the middle: a part is not all.
  if (query.lastError().isValid())
    return tl::unexpected(errorOf(query.lastError(), path, QStringLiteral("reading")));
  return result;
}

}  // namespace

StoreResult<RowId> RunStore::addRun(const RunRecord& run) {
  return insertAll(
      connection_, path_, QStringLiteral("the run's record"),
      QStringLiteral("INSERT INTO runs(federation, composition, designator, host, build,"
                     " command, writer, started_ms) VALUES(?,?,?,?,?,?,?,?)"),
      std::vector<const RunRecord*>{&run}, [](QSqlQuery& query, const RunRecord* row) {
        query.addBindValue(text(row->federation));
        query.addBindValue(text(row->composition));
        query.addBindValue(text(row->designator));
        query.addBindValue(text(row->host));
        query.addBindValue(text(row->build));
        query.addBindValue(text(row->command));
        query.addBindValue(static_cast<qlonglong>(row->writer));
        query.addBindValue(static_cast<qlonglong>(row->started));
      });
}

StoreResult<void> RunStore::endRun(RowId run, Milliseconds at, const QString& outcome) {
  return withoutValue(insertAll(connection_, path_, QStringLiteral("the run's end"),
                                QStringLiteral("UPDATE runs SET ended_ms=?, outcome=? WHERE id=?"),
                                std::vector<RowId>{run}, [&](QSqlQuery& query, RowId id) {
                                  query.addBindValue(static_cast<qlonglong>(at));
                                  query.addBindValue(text(outcome));
                                  query.addBindValue(static_cast<qlonglong>(id));
                                }));
}

StoreResult<int> RunStore::closeLostRuns(Milliseconds now) {
  struct Open {
    RowId run;
    std::int64_t writer;
  };
  const auto open = select<Open>(
      connection_, path_, QStringLiteral("SELECT id, writer FROM runs WHERE ended_ms IS NULL"), {},
      [](QSqlQuery& query) {
        return Open{query.value(0).toLongLong(), query.value(1).toLongLong()};
      });
  if (!open) return tl::unexpected(open.error());
  std::vector<RowId> lost;
  for (const Open& each : *open) {
    const bool alive = each.writer > 0 && ::kill(static_cast<pid_t>(each.writer), 0) == 0;
    if (!alive) lost.push_back(each.run);
  }
  if (lost.empty()) return 0;
  auto closed = insertAll(
      connection_, path_, QStringLiteral("the ends of lost runs"),
      QStringLiteral(
          "UPDATE runs SET outcome='lost', ended_ms=coalesce((SELECT max(at_ms) FROM samples"
          " JOIN federates ON federates.id=samples.federate WHERE federates.run=runs.id), ?)"
          " WHERE id=?"),
      lost, [&](QSqlQuery& query, RowId id) {
        query.addBindValue(static_cast<qlonglong>(now));
        query.addBindValue(static_cast<qlonglong>(id));
      });
  if (!closed) return tl::unexpected(closed.error());
  return static_cast<int>(lost.size());
}

StoreResult<RowId> RunStore::addFederate(const FederateRecord& federate) {
  return insertAll(
      connection_, path_, QStringLiteral("a federate's record"),
      QStringLiteral("INSERT INTO federates(run, name, component, host, pid, started_ms)"
                     " VALUES(?,?,?,?,?,?)"),
      std::vector<const FederateRecord*>{&federate},
      [](QSqlQuery& query, const FederateRecord* row) {
        query.addBindValue(static_cast<qlonglong>(row->run));
        query.addBindValue(text(row->name));
        query.addBindValue(text(row->component));
        query.addBindValue(text(row->host));
        query.addBindValue(static_cast<qlonglong>(row->pid));
        query.addBindValue(static_cast<qlonglong>(row->started));
      });
}

StoreResult<void> RunStore::endFederate(RowId federate, Milliseconds at, const QString& how) {
  return withoutValue(
      insertAll(connection_, path_, QStringLiteral("a federate's end"),
                QStringLiteral("UPDATE federates SET ended_ms=?, how_it_ended=? WHERE id=?"),
                std::vector<RowId>{federate}, [&](QSqlQuery& query, RowId id) {
                  query.addBindValue(static_cast<qlonglong>(at));
                  query.addBindValue(text(how));
                  query.addBindValue(static_cast<qlonglong>(id));
                }));
}

StoreResult<void> RunStore::addSamples(const std::vector<SampleRecord>& samples) {
  return withoutValue(insertAll(
      connection_, path_, QStringLiteral("samples"),
      QStringLiteral("INSERT OR REPLACE INTO samples(federate, at_ms, cpu_user, cpu_system, sent,"
                     " received, queued, logical_time, grants) VALUES(?,?,?,?,?,?,?,?,?)"),
      samples, [](QSqlQuery& query, const SampleRecord& row) {
        query.addBindValue(static_cast<qlonglong>(row.federate));
        query.addBindValue(static_cast<qlonglong>(row.at));
        for (const double value :
             {row.cpuUser, row.cpuSystem, row.sentPerSecond, row.receivedPerSecond, row.queued,
              row.logicalTime, row.grantsPerSecond}) {
          query.addBindValue(known(value));
        }
      }));
}

StoreResult<void> RunStore::setExchanges(RowId run, const std::vector<ExchangeRecord>& exchanges) {
  return withoutValue(insertAll(
      connection_, path_, QStringLiteral("what federates exchanged"),
      QStringLiteral(
          "INSERT OR REPLACE INTO exchanges(run, sender, receiver, rate) VALUES(?,?,?,?)"),
      exchanges, [&](QSqlQuery& query, const ExchangeRecord& row) {
        query.addBindValue(static_cast<qlonglong>(run));
        query.addBindValue(text(row.sender));
        query.addBindValue(text(row.receiver));
        query.addBindValue(row.perSecond);
      }));
}

StoreResult<void> RunStore::addEvents(RowId run, const std::vector<EventRecord>& events) {
  return withoutValue(insertAll(
      connection_, path_, QStringLiteral("events"),
      QStringLiteral("INSERT INTO events(run, at_ms, level, subject, text) VALUES(?,?,?,?,?)"),
      events, [&](QSqlQuery& query, const EventRecord& row) {
        query.addBindValue(static_cast<qlonglong>(run));
        query.addBindValue(static_cast<qlonglong>(row.at));
        query.addBindValue(static_cast<int>(row.level));
        query.addBindValue(text(row.subject));
        query.addBindValue(text(row.text));
      }));
}

StoreResult<void> RunStore::addLogs(RowId run, const std::vector<LogRecord>& lines) {
  return withoutValue(insertAll(
      connection_, path_, QStringLiteral("log lines"),
      QStringLiteral("INSERT INTO logs(run, at_ms, level, subject, text) VALUES(?,?,?,?,?)"), lines,
      [&](QSqlQuery& query, const LogRecord& row) {
        query.addBindValue(static_cast<qlonglong>(run));
        query.addBindValue(static_cast<qlonglong>(row.at));
        query.addBindValue(static_cast<int>(row.level));
        query.addBindValue(text(row.subject));
        query.addBindValue(text(row.text));
      }));
}

StoreResult<RowId> RunStore::addBenchmark(const BenchmarkRecord& result) {
  return insertAll(
      connection_, path_, QStringLiteral("a benchmark result"),
      QStringLiteral("INSERT INTO benchmarks(at_ms, kind, build, machine, seed, repeats,"
                     " document) VALUES(?,?,?,?,?,?,?)"),
      std::vector<const BenchmarkRecord*>{&result},
      [](QSqlQuery& query, const BenchmarkRecord* row) {
        query.addBindValue(static_cast<qlonglong>(row->at));
        query.addBindValue(text(row->kind));
        query.addBindValue(text(row->build));
        query.addBindValue(text(row->machine));
        query.addBindValue(QString::number(row->seed));
        query.addBindValue(row->repeats);
        query.addBindValue(
            QString::fromUtf8(QJsonDocument(row->document).toJson(QJsonDocument::Compact)));
      });
}

StoreResult<void> RunStore::removeBenchmark(RowId id) {
  return withoutValue(insertAll(
      connection_, path_, QStringLiteral("removing a result"),
      QStringLiteral("DELETE FROM benchmarks WHERE id=?"), std::vector<RowId>{id},
      [](QSqlQuery& query, RowId row) { query.addBindValue(static_cast<qlonglong>(row)); }));
}

StoreResult<std::vector<RunRecord>> RunStore::runs(int limit) const {
  return select<RunRecord>(
      connection_, path_,
      QStringLiteral("SELECT id, federation, composition, designator, host, build, command, writer,"
                     " started_ms, ended_ms, outcome FROM runs ORDER BY id DESC LIMIT ?"),
      {limit}, [](QSqlQuery& query) {
        RunRecord row;
        row.id = query.value(0).toLongLong();
        row.federation = query.value(1).toString();
        row.composition = query.value(2).toString();
        row.designator = query.value(3).toString();
        row.host = query.value(4).toString();
        row.build = query.value(5).toString();
        row.command = query.value(6).toString();
        row.writer = query.value(7).toLongLong();
        row.started = query.value(8).toLongLong();
        row.ended = optionalTime(query.value(9));
        row.outcome = query.value(10).toString();
        return row;
      });
}

StoreResult<std::vector<FederateRecord>> RunStore::federates(RowId run) const {
  return select<FederateRecord>(
      connection_, path_,
      QStringLiteral(
          "SELECT id, run, name, component, host, pid, started_ms, ended_ms, how_it_ended"
          " FROM federates WHERE run=? ORDER BY id"),
      {static_cast<qlonglong>(run)}, [](QSqlQuery& query) {
        FederateRecord row;
        row.id = query.value(0).toLongLong();
        row.run = query.value(1).toLongLong();
        row.name = query.value(2).toString();
        row.component = query.value(3).toString();
        row.host = query.value(4).toString();
        row.pid = query.value(5).toLongLong();
        row.started = query.value(6).toLongLong();
        row.ended = optionalTime(query.value(7));
        row.end = query.value(8).toString();
        return row;
      });
}

StoreResult<std::vector<SampleRecord>> RunStore::samples(RowId federate) const {
  return select<SampleRecord>(
      connection_, path_,
      QStringLiteral("SELECT federate, at_ms, cpu_user, cpu_system, sent, received, queued,"
                     " logical_time, grants FROM samples WHERE federate=? ORDER BY at_ms"),
      {static_cast<qlonglong>(federate)}, [](QSqlQuery& query) {
        SampleRecord row;
        row.federate = query.value(0).toLongLong();
        row.at = query.value(1).toLongLong();
        row.cpuUser = orUnknown(query.value(2));
        row.cpuSystem = orUnknown(query.value(3));
        row.sentPerSecond = orUnknown(query.value(4));
        row.receivedPerSecond = orUnknown(query.value(5));
        row.queued = orUnknown(query.value(6));
        row.logicalTime = orUnknown(query.value(7));
        row.grantsPerSecond = orUnknown(query.value(8));
        return row;
      });
}

namespace {
template <class T>
T lineOf(QSqlQuery& query) {
  T row;
  row.at = query.value(0).toLongLong();
  row.level = static_cast<LogLevel>(query.value(1).toInt());
  row.subject = query.value(2).toString();
  row.text = query.value(3).toString();
  return row;
}
}  // namespace

StoreResult<MeasuredExchanges> RunStore::lastExchanges(const QString& composition) const {
  MeasuredExchanges result;
  const auto newest = select<RowId>(
      connection_, path_,
      QStringLiteral("SELECT id FROM runs WHERE composition=? AND"
                     " EXISTS(SELECT 1 FROM exchanges WHERE run=runs.id) ORDER BY id DESC LIMIT 1"),
      {text(composition)}, [](QSqlQuery& query) { return query.value(0).toLongLong(); });
  if (!newest) return tl::unexpected(newest.error());
  if (newest->empty()) return result;
  result.run = newest->front();
  auto rows = select<ExchangeRecord>(
      connection_, path_,
      QStringLiteral("SELECT sender, receiver, rate FROM exchanges WHERE run=?"),
      {static_cast<qlonglong>(result.run)}, [](QSqlQuery& query) {
        return ExchangeRecord{query.value(0).toString(), query.value(1).toString(),
                              query.value(2).toDouble()};
      });
  if (!rows) return tl::unexpected(rows.error());
  result.exchanges = std::move(*rows);
  return result;
}

StoreResult<std::vector<EventRecord>> RunStore::events(RowId run) const {
  return select<EventRecord>(
      connection_, path_,
      QStringLiteral("SELECT at_ms, level, subject, text FROM events WHERE run=? ORDER BY id"),
      {static_cast<qlonglong>(run)}, lineOf<EventRecord>);
}

StoreResult<std::vector<LogRecord>> RunStore::logs(RowId run, int limit) const {
  auto newestFirst = select<LogRecord>(
      connection_, path_,
      QStringLiteral(
          "SELECT at_ms, level, subject, text FROM logs WHERE run=? ORDER BY id DESC LIMIT ?"),
      {static_cast<qlonglong>(run), limit}, lineOf<LogRecord>);
  if (newestFirst) std::reverse(newestFirst->begin(), newestFirst->end());
  return newestFirst;
}

StoreResult<std::vector<BenchmarkRecord>> RunStore::benchmarks(int limit) const {
  return select<BenchmarkRecord>(
      connection_, path_,
      QStringLiteral(
          "SELECT id, at_ms, kind, build, machine, seed, repeats, document FROM benchmarks"
          " ORDER BY id DESC LIMIT ?"),
      {limit}, [](QSqlQuery& query) {
        BenchmarkRecord row;
        row.id = query.value(0).toLongLong();
        row.at = query.value(1).toLongLong();
        row.kind = query.value(2).toString();
        row.build = query.value(3).toString();
        row.machine = query.value(4).toString();
        row.seed = query.value(5).toString().toULongLong();
        row.repeats = query.value(6).toInt();
        row.document = QJsonDocument::fromJson(query.value(7).toString().toUtf8()).object();
        return row;
      });
}

}  // namespace tutti::monitor
