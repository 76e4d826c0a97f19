// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "monitor/benchmarks/processes.h"
#include "monitor/benchmarks/runner.h"

using namespace tutti::bench;

/// Small measurements of every kind with the real programs: what was counted must be what was
/// asked for. How long it took is nobody's business here.
class TestBenchRun : public QObject {
  Q_OBJECT

 private:
  static Settings small(Kind kind) {
    Settings settings = usualSettings(kind);
    settings.count = 60;
    settings.warmUp = 20;
    settings.repeats = 2;
    settings.pinning = Pinning::Free;
    settings.wait = true;
    if (settings.cycles > 1) settings.cycles = 3;
    if (settings.sizes.size() > 1) settings.sizes.resize(2);
    settings.architectures.resize(1);
    settings.hosts.resize(1);
    if (settings.lookaheads.size() > 1) settings.lookaheads.resize(2);
    settings.pairs = std::min(settings.pairs, 3);
    settings.receivers = std::min(settings.receivers, 3);
    settings.burst = std::min(settings.burst, 10);
    if (settings.federates.size() > 1) settings.federates = {2, 6};
    if (!settings.instances.empty()) settings.instances = {40, 200};
    return settings;
  }
  static tl::expected<Result, RunError> measure(const Settings& settings) {
    return runBenchmark(
        settings, Tools::beside(QStringLiteral(TUTTI_BINARY_DIR "/bin")), [](const Progress&) {},
        [] { return false; });
  }

 private slots:
  void everyKindMeasuresWhatIsAskedFor_data() {
    QTest::addColumn<int>("kind");
    for (const KindFacts& each : allKinds()) {
      if (!each.sequence) QTest::newRow(each.name) << int(each.kind);
    }
  }
  void everyKindMeasuresWhatIsAskedFor() {
    QFETCH(int, kind);
    const Settings settings = small(static_cast<Kind>(kind));
    const auto result = measure(settings);
    QVERIFY2(result.has_value(), result ? "" : qPrintable(result.error().message));
    QCOMPARE(result->rti.name, QStringLiteral("Tutti"));
    QVERIFY(!result->rti.version.isEmpty());
    QVERIFY(result->machine.loadBefore >= 0 && result->machine.loadAfter >= 0);
    QCOMPARE(result->find(QStringLiteral("ring")) != nullptr,
             settings.kind != Kind::Oversubscribed);
    const bool times = factsOf(settings.kind).times;
    for (const Series& series : result->series) {
      QCOMPARE(series.points.size(), settings.axis().size());
      for (std::size_t i = 0; i < series.points.size(); ++i) {
        const Point& point = series.points[i];
        QCOMPARE(point.at, settings.axis()[i]);
        QCOMPARE(point.lost, std::uint64_t{0});
        QCOMPARE(point.repeats.size(), std::size_t{2});
        // Each message is a measurement, or each cycle, or each pair.
        const std::uint64_t each = settings.kind == Kind::Rtiperf
                                       ? static_cast<std::uint64_t>(settings.pairs)
                                   : times ? settings.count
                                           : static_cast<std::uint64_t>(settings.cycles);
        for (const Repeat& repeat : point.repeats) QCOMPARE(repeat.summary.count, each);
        QCOMPARE(point.summary.count, 2 * each);
        QVERIFY(point.summary.least > 0);
        QVERIFY(std::isfinite(point.ratioToRing));
        QCOMPARE(point.distribution.empty(), !times);
      }
    }
    QCOMPARE(result->series.back().points.front().ratioToRing, 1.0);
    const bool arguments = settings.kind == Kind::Latency || settings.kind == Kind::Sweep;
    QCOMPARE(std::isfinite(result->series.front().points.front().ratioToArguments), arguments);
    // What is stored can be read again.
    QVERIFY(resultFromJson(toJson(*result)).has_value());
  }

  void bestEffortIsALineOfItsOwn_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("round trip") << int(Kind::Dbe);
    QTest::newRow("stream") << int(Kind::DmsoThroughput);
  }
  void bestEffortIsALineOfItsOwn() {
    QFETCH(int, kind);
    Settings settings = small(static_cast<Kind>(kind));
    settings.sizes = {64};
    settings.transports = {Transport::Reliable, Transport::BestEffort};
    const auto result = measure(settings);
    QVERIFY2(result.has_value(), result ? "" : qPrintable(result.error().message));
    QCOMPARE(result->series.size(), std::size_t{3});
    QCOMPARE(result->series[1].label, QStringLiteral("Tutti, shared memory, best effort"));
    const Point& point = result->series[1].points.front();
    // What did not arrive is counted: nothing is missing from both.
    if (settings.kind == Kind::Dbe) {
      QCOMPARE(point.summary.count + point.lost, std::uint64_t{120});
    } else {
      QCOMPARE(point.summary.count, std::uint64_t{6});
    }
  }

  void architecturesAndHostsAreLinesOfTheirOwn() {
    Settings settings = small(Kind::Dbe);
    const Settings usual = usualSettings(Kind::Dbe);
    settings.sizes = {64};
    settings.architectures = usual.architectures;
    settings.hosts = usual.hosts;
    const auto result = measure(settings);
    QVERIFY2(result.has_value(), result ? "" : qPrintable(result.error().message));
    QStringList ids;
    for (const Series& series : result->series) {
      ids << series.id;
      QCOMPARE(series.points.front().summary.count, std::uint64_t{120});
      QCOMPARE(series.points.front().lost, std::uint64_t{0});
    }
    QCOMPARE(ids, QStringList({"rti/reliable", "rti/reliable/federated", "rti/reliable/centralized",
                               "rti/reliable/2 hosts", "rti/reliable/federated/2 hosts",
                               "rti/reliable/centralized/2 hosts", "ring", "tcp"}));
    QCOMPARE(result->series[4].label, QStringLiteral("Tutti, federated, 2 hosts"));
    // Between hosts the limit is that of a connection.
    const Point& far = result->series[3].points.front();
    const Point& wire = result->series[7].points.front();
    QCOMPARE(far.ratioToRing, far.summary.median / wire.summary.median);
    const auto again = resultFromJson(toJson(*result));
    QVERIFY(again.has_value());
    QVERIFY(again->settings.architectures == settings.architectures);
    QVERIFY(again->settings.hosts == settings.hosts);
  }

  void aFederationOfItsOwnForEachRoundTripGivesAsMany() {
    Settings settings = small(Kind::Sweep);
    settings.sizes = {32};
    settings.count = 3;
    settings.repeats = 1;
    settings.transports = {Transport::Reliable};
    settings.fresh = true;
    const auto result = measure(settings);
    QVERIFY2(result.has_value(), result ? "" : qPrintable(result.error().message));
    QCOMPARE(result->series.front().points.front().summary.count, std::uint64_t{3});
  }

  void aFederateThatCannotConnectSaysWhy() {
    Settings settings = small(Kind::Latency);
    settings.designator = QStringLiteral("shm:two words");
    const auto result = measure(settings);
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, RunError::Kind::Failed);
    QVERIFY2(result.error().message.startsWith(QStringLiteral("bench-latency ended early: ")),
             qPrintable(result.error().message));
  }

  void aProgramThatASignalEndsIsToldWithTheSignal() {
    QTemporaryDir folder;
    QFile program(folder.filePath(QStringLiteral("dies")));
    QVERIFY(program.open(QIODevice::WriteOnly));
    program.write("#!/bin/sh\nkill -SEGV $$\n");
    program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    program.close();
    Processes processes(folder.path(), Processes::newFederationName(), {});
    processes.start({QStringLiteral("dies"), {}});
    const auto reports = processes.finish([] { return false; }, 20);
    QVERIFY(!reports.has_value());
    QCOMPARE(reports.error().message, QStringLiteral("dies ended early: signal 11 (SIGSEGV)"));
  }
};

QTEST_GUILESS_MAIN(TestBenchRun)
#include "tst_bench_run.moc"
