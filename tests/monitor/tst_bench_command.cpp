// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <memory>
#include <vector>

#include "monitor/benchmarks/benchmark.h"
#include "monitor/engine/run_store.h"

using namespace tutti::bench;

/// `tutti bench` as a person calls it.
class TestBenchCommand : public QObject {
  Q_OBJECT

 private:
  struct Called {
    int code = -1;
    QByteArray out;
    QByteArray err;
  };
  static Called call(const QString& line) {
    QProcess process;
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                  QStringList{QStringLiteral("bench")} + line.split(u' ', Qt::SkipEmptyParts));
    if (!process.waitForFinished(100'000)) process.kill();
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  }
  QTemporaryDir folder_;

  QString write(const QString& name, const QByteArray& text) {
    QFile file(folder_.filePath(name));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    return file.fileName();
  }

 private slots:
  void aSuiteIsAListOfResults() {
    const Called called = call(QStringLiteral(
        "dmso --json --no-store --count 20 --cycles 2 --repeats 1 --pin free --wait"));
    QVERIFY2(called.code == 0, called.err.constData());
    const QJsonArray results = QJsonDocument::fromJson(called.out).array();
    QStringList kinds;
    for (const QJsonValue& each : results) kinds << each[QStringLiteral("kind")].toString();
    QCOMPARE(kinds, (QStringList{"dmso-latency", "dmso-timeadvance", "dmso-throughput"}));
    const QJsonObject first = results[0].toObject();
    QCOMPARE(first[QStringLiteral("rti")][QStringLiteral("name")].toString(),
             QStringLiteral("Tutti"));
    for (const char* each : {"machine", "build", "settings", "series", "at"}) {
      QVERIFY2(first.contains(QLatin1String(each)), each);
    }
  }

  void oneOfASuiteIsOneResult() {
    const Called called = call(QStringLiteral(
        "dmso latency --size 32 --no-store --count 20 --repeats 1 --pin free --wait"));
    QVERIFY2(called.code == 0, called.err.constData());
    QVERIFY(called.out.contains("DMSO latency"));
    QVERIFY(called.out.contains("CLOCK_MONOTONIC"));
    QVERIFY(!called.out.contains("DMSO throughput"));
  }

  void everySampleOfRtibmIsARow() {
    const QString sequence = write(QStringLiteral("a.tsf"),
                                   "samples = 3\nsample-size = 20\nfederation a\ntest OWOT\n"
                                   "instances = 1, 2\ntest RTIL\n");
    const QString csv = folder_.filePath(QStringLiteral("a.csv"));
    qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("samples")).toLocal8Bit());
    const Called called =
        call(QStringLiteral("rtibm --pin free --wait --sequence %1 --csv %2").arg(sequence, csv));
    QVERIFY2(called.code == 0, called.err.constData());
    QVERIFY(called.out.contains("Frequency"));
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QList<QByteArray> rows = file.readAll().trimmed().split('\n');
    QCOMPARE(rows.size(), 1 + 3 * 3);
    QVERIFY(rows[1].startsWith("a,OWOT,reliable,1,0,1,1,1,1,128,20,1,1,1,0,"));
    QVERIFY(rows[9].startsWith("a,RTIL,"));
    // Each says which of the two stored results it is of, and by what that was measured.
    QVERIFY(rows[0].endsWith(",run,measured_at,build,seed,machine,load"));
    QVERIFY2(rows[1].contains(",20,0,1,20"),
             rows[1].constData());
    QVERIFY2(rows[9].contains(",20,0,2,20"), rows[9].constData());
    for (int row = 1; row < rows.size(); ++row) QVERIFY(rows[row].contains(",1207,\""));
  }

  void storedResultsAreListedAndCompared() {
    qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data")).toLocal8Bit());
    QVERIFY(call(QStringLiteral("list")).out.contains("Nothing has been measured yet"));
    const QString line = QStringLiteral("%1 --size 128 --count 20 --repeats 4 --pin free --wait");
    for (const char* kind : {"latency", "latency", "throughput"}) {
      const Called called = call(line.arg(QString::fromLatin1(kind)));
      QVERIFY2(called.code == 0, called.err.constData());
    }
    const QJsonArray stored =
        QJsonDocument::fromJson(call(QStringLiteral("list --json")).out).array();
    QCOMPARE(stored.size(), 3);
    QCOMPARE(stored[0][QStringLiteral("kind")].toString(), QStringLiteral("throughput"));

    // The same against itself is noise, whatever it was.
    const Called same = call(QStringLiteral("compare 1 1 --json"));
    const QJsonObject changes = QJsonDocument::fromJson(same.out).object();
    QCOMPARE(changes[QStringLiteral("changes")].toArray().size(), 3);
    for (const QJsonValue& each : changes[QStringLiteral("changes")].toArray()) {
      QCOMPARE(each[QStringLiteral("verdict")].toString(), QStringLiteral("noise"));
    }
    QVERIFY(!changes.contains(QStringLiteral("notTheSame")));
    QCOMPARE(changes[QStringLiteral("verdict")].toString(),
             QStringLiteral("No significant change."));
    QVERIFY(!changes[QStringLiteral("machineChanged")].toBool());
    QVERIFY(call(QStringLiteral("compare 1 2")).out.contains("Same host, seed and settings."));
    // The bare rings stand there as what they are.
    QStringList bases;
    for (const QJsonValue& each : changes[QStringLiteral("changes")].toArray()) {
      bases << each[QStringLiteral("basis")].toString();
    }
    QCOMPARE(bases, (QStringList{"value", "limit", "limit"}));

    QCOMPARE(call(QStringLiteral("compare 1")).code, 2);
    QVERIFY(call(QStringLiteral("compare 1 9")).err.contains("There is no result 9"));
    QVERIFY(call(QStringLiteral("compare 1 3")).err.contains("only results of one kind"));
  }

  /// What the command line and the page say, of a run under changing load: the ring of the later
  /// result is 66 % faster, the RTI 20 %.
  void aMachineThatChangedIsSaid() {
    qputenv("XDG_DATA_HOME", folder_.filePath(QStringLiteral("data-changed")).toLocal8Bit());
    auto store = tutti::monitor::RunStore::open().value();
    for (const auto& [rti, ring] : {std::pair(5e6, 50e6), {6e6, 83e6}}) {
      Result result;
      result.settings = usualSettings(Kind::Throughput);
      result.rti = {QStringLiteral("Tutti"), QStringLiteral("1")};
      result.machine.processors = 2;
      result.machine.loadBefore = rti == 5e6 ? 6.5 : 0.1;
      result.at = QDateTime::currentDateTime();
      for (const auto& [id, value] : {std::pair("rti/reliable", rti), {"ring", ring}}) {
        Point point;
        point.at = point.size = 128;
        for (const double drift : {0.98, 1.01, 1.0, 0.99, 1.02}) {
          point.repeats.push_back({summarize({value * drift}), 0});
        }
        result.series.push_back({QString::fromLatin1(id),
                                 value == ring ? QStringLiteral("Bare ring")
                                               : QStringLiteral("Tutti, shared memory"),
                                 {point}});
      }
      tutti::monitor::BenchmarkRecord record;
      record.at = result.at.toMSecsSinceEpoch();
      record.kind = kindName(result.settings.kind);
      record.document = toJson(result);
      QVERIFY(store->addBenchmark(record).has_value());
    }
    store.reset();
    const QByteArray said = call(QStringLiteral("compare 1 2")).out;
    for (const char* each :
         {"The machine changed: the bare ring is faster (rate +66 %). Judged by the ratio to the "
          "bare limit: 1 of 1 change is significant, worse.\n",
          "Other work kept the processors busy at the result before (load 6.5 on 2 processors).",
          "10.00 x", "13.83 x", "+38.3 %", "ratio of 5.00 M and 6.00 M", "not counted"}) {
      QVERIFY2(said.contains(each), said.constData());
    }
    QVERIFY2(!said.contains("faster."), said.constData());
    const QJsonObject json =
        QJsonDocument::fromJson(call(QStringLiteral("compare 1 2 --json")).out).object();
    QVERIFY(json[QStringLiteral("machineChanged")].toBool());
    const QJsonObject first = json[QStringLiteral("changes")][0].toObject();
    QCOMPARE(first[QStringLiteral("basis")].toString(), QStringLiteral("ratio"));
    QCOMPARE(first[QStringLiteral("verdict")].toString(), QStringLiteral("worse"));
    QCOMPARE(first[QStringLiteral("values")][QStringLiteral("after")].toDouble(), 6e6);
    QVERIFY(json[QStringLiteral("warning")].toString().contains(QStringLiteral("load 6.5")));
  }

  void otherWorkIsAWarningBeforeItStarts() {
    std::vector<std::unique_ptr<QProcess>> others;
    for (int i = 0; i < 2 * QThread::idealThreadCount(); ++i) {
      others.push_back(std::make_unique<QProcess>());
      others.back()->start(QStringLiteral("/bin/sh"),
                           {QStringLiteral("-c"), QStringLiteral("while :; do :; done")});
      QVERIFY(others.back()->waitForStarted());
    }
    const Called called = call(QStringLiteral(
        "latency --size 8 --count 20 --repeats 1 --pin free --wait --no-store --progress"));
    for (auto& each : others) each->kill();
    for (auto& each : others) each->waitForFinished();
    QVERIFY2(called.code == 0, called.err.constData());
    QVERIFY2(called.err.startsWith("warning Other work keeps the processors busy: load "),
             called.err.constData());
    QVERIFY(called.out.contains("(busy: expect noise)"));
  }

  void whatCannotBeMeasuredIsSaid_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("nothing") << "" << QByteArray("dmso latency");
    QTest::newRow("no such kind") << "speed" << QByteArray("name what to measure");
    QTest::newRow("architecture") << "dbe --architecture flat --pin free"
                                  << QByteArray("no architecture \"flat\"");
    QTest::newRow("architecture of another")
        << "latency --architecture federated --rti other --pin free" << QByteArray("of Tutti only");
    QTest::newRow("no hosts") << "latency --hosts 0 --pin free" << QByteArray("must be 1 to 16");
    QTest::newRow("too small for a stamp")
        << "dmso latency --size 8 --pin free" << QByteArray("16 bytes");
    QTest::newRow("odd federates")
        << "oversubscribed --federates 3 --pin free" << QByteArray("must be even");
    QTest::newRow("no pairs") << "rtiperf --pairs 0" << QByteArray("Pairs must be 1 to 512");
    QTest::newRow("no transport") << "sweep --transport fast"
                                  << QByteArray("--transport cannot be \"fast\"");
    QTest::newRow("samples of another") << "latency --csv a.csv" << QByteArray("are for rtibm");
    QTest::newRow("no sequence") << "rtibm --sequence /nowhere/a.tsf"
                                 << QByteArray("/nowhere/a.tsf cannot be read");
    QTest::newRow("wrong sequence")
        << QStringLiteral("rtibm --sequence %1").arg(write(QStringLiteral("b.tsf"), "pairs = 0\n"))
        << QByteArray("b.tsf:1: pairs cannot be \"0\"");
  }
  void whatCannotBeMeasuredIsSaid() {
    QFETCH(QString, line);
    QFETCH(QByteArray, says);
    const Called called = call(line);
    QCOMPARE(called.code, 2);
    QVERIFY2(called.err.contains(says), called.err.constData());
  }
};

QTEST_GUILESS_MAIN(TestBenchCommand)
#include "tst_bench_command.moc"
