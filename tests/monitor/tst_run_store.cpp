// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>

#include "monitor/engine/recorder.h"
#include "monitor/engine/run_store.h"

using namespace tutti::monitor;

namespace {

RunRecord someRun() {
  RunRecord run;
  run.federation = QStringLiteral("air-traffic");
  run.designator = QStringLiteral("shm:run-1");
  run.command = QStringLiteral("tutti run air-traffic.federation.json");
  run.started = 1'700'000'000'000;
  return run;
}

int query(const QString& path, const QString& statement) {
  int result = -1;
  {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "look");
    database.setDatabaseName(path);
    if (database.open()) {
      QSqlQuery asked(statement, database);
      result = asked.next() ? asked.value(0).toInt() : -2;
    }
  }
  QSqlDatabase::removeDatabase("look");
  return result;
}

void execute(const QString& path, const QStringList& statements) {
  {
    QSqlDatabase database = QSqlDatabase::addDatabase("QSQLITE", "make");
    database.setDatabaseName(path);
    QVERIFY(database.open());
    for (const QString& statement : statements) {
      QSqlQuery asked(database);
      QVERIFY2(asked.exec(statement), qPrintable(statement));
    }
  }
  QSqlDatabase::removeDatabase("make");
}

}  // namespace

class TestRunStore : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  QString path(const char* name) const { return folder_.filePath(QString::fromLatin1(name)); }

 private slots:
  void whatWasWrittenIsRead() {
    auto store = RunStore::open(path("a/b/runs.sqlite"));
    QVERIFY2(store.has_value(), store ? "" : qPrintable(store.error().message));
    const RowId run = *(*store)->addRun(someRun());
    FederateRecord federate;
    federate.run = run;
    federate.name = QStringLiteral("radar-west");
    federate.pid = 42;
    const RowId id = *(*store)->addFederate(federate);
    QVERIFY((*store)->addSamples({{id, 1000, 0.5, 0.1, 1440, 0, 3, 128.4, 7.2},
                                  {id, 2000, unknown, unknown, unknown, 0, 0, unknown, 0}}));
    QVERIFY((*store)->addEvents(
        run, {{5, LogLevel::Error, QStringLiteral("radar-west"), QStringLiteral("died")}}));
    QVERIFY((*store)->addLogs(
        run, {{5, LogLevel::Info, QStringLiteral("rti"), QStringLiteral("ätsch €")},
              {6, LogLevel::Info, {}, {}}}));
    QVERIFY((*store)->endFederate(id, 3000, QStringLiteral("signal 9")));
    QVERIFY((*store)->endRun(run, 4000, QStringLiteral("stopped")));

    const auto runs = *(*store)->runs();
    QCOMPARE(runs.size(), std::size_t{1});
    QCOMPARE(runs[0].federation, QStringLiteral("air-traffic"));
    QCOMPARE(*runs[0].ended, Milliseconds{4000});
    const auto samples = *(*store)->samples(id);
    QCOMPARE(samples.size(), std::size_t{2});
    QCOMPARE(samples[0].logicalTime, 128.4);
    QVERIFY(std::isnan(samples[1].cpuUser));
    QCOMPARE((*(*store)->federates(run))[0].end, QStringLiteral("signal 9"));
    QCOMPARE((*(*store)->events(run))[0].level, LogLevel::Error);
    QCOMPARE((*(*store)->logs(run))[0].text, QStringLiteral("ätsch €"));
    QCOMPARE((*(*store)->logs(run, 1)).size(), std::size_t{1});
  }

  void benchmarksAreKeptAsTheyWerePrinted() {
    auto store = RunStore::open(path("bench.sqlite"));
    BenchmarkRecord result;
    result.at = 77;
    result.kind = QStringLiteral("latency");
    result.seed = 18'446'744'073'709'551'615ULL;
    result.repeats = 5;
    result.document = {{QStringLiteral("points"), 3.25}};
    const RowId id = *(*store)->addBenchmark(result);
    const auto all = *(*store)->benchmarks();
    QCOMPARE(all.size(), std::size_t{1});
    QCOMPARE(all[0].seed, result.seed);
    QCOMPARE(all[0].document, result.document);
    QVERIFY((*store)->removeBenchmark(id));
    QVERIFY((*store)->benchmarks()->empty());
  }

  void anOlderFileIsBroughtUpToDate() {
    const QString file = path("old.sqlite");
    {
      // Version 1 had no benchmarks; what it holds must stay.
      auto store = RunStore::open(file);
      QVERIFY((*store)->addRun(someRun()));
    }
    execute(file, {QStringLiteral("DROP TABLE benchmarks"), QStringLiteral("DROP TABLE exchanges"),
                   QStringLiteral("PRAGMA user_version=1")});
    auto store = RunStore::open(file);
    QVERIFY2(store.has_value(), store ? "" : qPrintable(store.error().message));
    QCOMPARE(query(file, QStringLiteral("PRAGMA user_version")), RunStore::schemaVersion);
    QCOMPARE((*store)->runs()->size(), std::size_t{1});
    QVERIFY((*store)->addBenchmark({}));
    QVERIFY((*store)->setExchanges(1, {{QStringLiteral("a"), QStringLiteral("b"), 1}}));
  }

  void aNewerFileIsRefusedAndLeftAlone() {
    const QString file = path("newer.sqlite");
    execute(file,
            {QStringLiteral("CREATE TABLE future(x)"), QStringLiteral("PRAGMA user_version=99")});
    const auto store = RunStore::open(file);
    QVERIFY(!store.has_value());
    QVERIFY(store.error().message.contains("newer Tutti (schema 99"));
    QCOMPARE(query(file, QStringLiteral("SELECT count(*) FROM sqlite_master")), 1);
  }

  void noPartOfAFailedMigrationStays() {
    const QString file = path("half.sqlite");
    // Schema 1 with a table in the way of step 2.
    execute(file, {QStringLiteral("CREATE TABLE benchmarks(mine)"),
                   QStringLiteral("PRAGMA user_version=1")});
    QVERIFY(!RunStore::open(file).has_value());
    QCOMPARE(query(file, QStringLiteral("PRAGMA user_version")), 1);
  }

  void aKilledWriterLosesNothingCommitted() {
    const QString file = path("killed.sqlite");
    int told[2];
    QCOMPARE(::pipe(told), 0);
    const pid_t writer = ::fork();
    if (writer == 0) {
      auto store = RunStore::open(file);
      const RowId run = store ? *(*store)->addRun(someRun()) : 0;
      for (int i = 1; run != 0; ++i) {
        if (!(*store)->addLogs(run, {{i, LogLevel::Info, QStringLiteral("x"), QString::number(i)}}))
          break;
        // Told only after the commit: what was told is what a person has seen.
        if (::write(told[1], &i, sizeof i) != sizeof i) break;
      }
      ::_exit(1);
    }
    ::close(told[1]);
    int last = 0;
    for (int i = 0; i < 50; ++i)
      QCOMPARE(::read(told[0], &last, sizeof last), ssize_t{sizeof last});
    QCOMPARE(::kill(writer, SIGKILL), 0);
    while (::read(told[0], &last, sizeof last) == sizeof last) {
    }
    ::close(told[0]);
    int status = 0;
    QCOMPARE(::waitpid(writer, &status, 0), writer);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    auto store = RunStore::open(file);
    QVERIFY(store.has_value());
    const auto runs = *(*store)->runs();
    const auto lines = *(*store)->logs(runs[0].id, 1'000'000);
    QVERIFY(static_cast<int>(lines.size()) >= last);
    QCOMPARE(lines[static_cast<std::size_t>(last) - 1].text, QString::number(last));
    QCOMPARE(
        query(file, QStringLiteral(
                        "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'")),
        1);
  }

  void runsOfADeadConsoleAreClosedAsLost() {
    auto store = RunStore::open(path("lost.sqlite"));
    RunRecord dead = someRun();
    const pid_t gone = ::fork();
    if (gone == 0) ::_exit(0);
    ::waitpid(gone, nullptr, 0);
    dead.writer = gone;
    RunRecord mine = someRun();
    mine.writer = ::getpid();
    QVERIFY((*store)->addRun(dead));
    QVERIFY((*store)->addRun(mine));
    QCOMPARE(*(*store)->closeLostRuns(99), 1);
    const auto runs = *(*store)->runs();
    QVERIFY(!runs[0].ended.has_value());
    QCOMPARE(runs[1].outcome, QStringLiteral("lost"));
  }

  void whatWasRecordedIsItsOwnersAlone() {
    const mode_t before = ::umask(0022);
    const QString file = path("private.sqlite");
    {
      auto store = RunStore::open(file);
      QVERIFY(store.has_value());
      QVERIFY((*store)->addRun(someRun()));
      for (const char* end : {"", "-wal", "-shm"}) {
        QFileInfo info(file + QLatin1String(end));
        QVERIFY2(info.exists(), end);
        QCOMPARE(info.permissions() & ~(QFile::ReadUser | QFile::WriteUser),
                 QFile::ReadOwner | QFile::WriteOwner);
      }
    }
    // One that an earlier version left open to others is closed to them.
    QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
    { QVERIFY(RunStore::open(file).has_value()); }
    QVERIFY((QFileInfo(file).permissions() & QFile::ReadOther) == 0);
    ::umask(before);
  }

  /// The disk is full for a moment, and the run ends just then or just after: its record says how.
  void aRunThatEndsWhileNothingCanBeWrittenIsNotLost_data() {
    QTest::addColumn<bool>("endsMeanwhile");
    QTest::newRow("just after") << false;
    QTest::newRow("meanwhile") << true;
  }
  void aRunThatEndsWhileNothingCanBeWrittenIsNotLost() {
    QFETCH(bool, endsMeanwhile);
    const QString file = path(endsMeanwhile ? "meanwhile.sqlite" : "after.sqlite");
    { QVERIFY(RunStore::open(file).has_value()); }
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 300'000;
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    {
      Recorder recorder(file);
      QSignalSpy started(&recorder, &Recorder::runStarted);
      QSignalSpy problems(&recorder, &Recorder::problemChanged);
      recorder.beginRun(someRun());
      QTRY_COMPARE_WITH_TIMEOUT(started.count(), 1, 30'000);
      QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
      for (int i = 0; i < 1000; ++i) {
        recorder.log({i, LogLevel::Info, QStringLiteral("radar"), QString(1000, u'x')});
      }
      QTRY_COMPARE_WITH_TIMEOUT(problems.count(), 1, 30'000);
      if (endsMeanwhile) {
        small.rlim_cur = 4096;  // not even the room that the lines did not take
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        recorder.endRun(QStringLiteral("finished"));
        recorder.finish();
        QVERIFY(!recorder.problem().isEmpty());
      }
      QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
      if (!endsMeanwhile) recorder.endRun(QStringLiteral("finished"));
    }
    std::signal(SIGXFSZ, ignored);
    auto store = RunStore::open(file);
    QVERIFY(store.has_value());
    const auto runs = (*store)->runs();
    QCOMPARE(runs->size(), std::size_t{1});
    QCOMPARE(runs->front().outcome, QStringLiteral("finished"));
  }

  void aFullDiskIsOneClearMessageAndGoesOn() {
    // No file of this process may grow beyond 300 kB: write(2) ends short, then fails, as on a full
    // disk.
    const QString file = path("full.sqlite");
    { QVERIFY(RunStore::open(file).has_value()); }
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 300'000;
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);

    Recorder recorder(file);
    QStringList problems;
    std::size_t lines = 0;
    connect(&recorder, &Recorder::problemChanged, &recorder,
            [&](const QString& text) { problems << text; });
    connect(&recorder, &Recorder::linesRecorded, &recorder,
            [&](const std::vector<LogRecord>& more) { lines += more.size(); });
    QSignalSpy started(&recorder, &Recorder::runStarted);
    recorder.beginRun(someRun());
    QTRY_COMPARE_WITH_TIMEOUT(started.count(), 1, 30'000);

    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const QString longLine(1000, QLatin1Char('x'));
    for (int i = 0; i < 1000; ++i) {
      recorder.log({i, LogLevel::Info, QStringLiteral("radar"), longLine});
    }
    QTRY_COMPARE_WITH_TIMEOUT(lines, std::size_t{1000}, 30'000);
    recorder.log({0, LogLevel::Info, QStringLiteral("radar"), QStringLiteral("still there")});
    QTRY_COMPARE_WITH_TIMEOUT(lines, std::size_t{1001}, 30'000);
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, ignored);

    QCOMPARE(problems.size(), 1);
    QVERIFY2(problems[0].contains(file) && problems[0].contains("no room is left"),
             qPrintable(problems[0]));
    // The file is whole, and can be written again.
    auto store = RunStore::open(file);
    QVERIFY(store.has_value());
    QVERIFY((*store)->addRun(someRun()));
    QCOMPARE(
        query(file, QStringLiteral(
                        "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'")),
        1);
  }
};

QTEST_GUILESS_MAIN(TestRunStore)
#include "tst_run_store.moc"
