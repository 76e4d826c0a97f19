// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>

#include "monitor/benchmarks/plan.h"

using namespace tutti::bench;

/// What the output of measuring programs says, against figures worked out by hand.
class TestBenchPlan : public QObject {
  Q_OBJECT

 private:
  static Measured read(Kind kind, const QByteArray& first, const QByteArray& second) {
    const Settings settings = usualSettings(kind);
    const auto measured =
        measuredOf(settings, linesOf(settings).front(), {parseReport(first), parseReport(second)});
    return measured ? *measured : Measured{{-1}, 0};
  }

 private slots:
  void roundTripsAreEachAMeasurement() {
    const Measured measured =
        read(Kind::Latency, "rti Tutti\nlost 1\nnanoseconds 1500 2500 500\n", "lost 2\n");
    QCOMPARE(measured.values, (std::vector<double>{1.5, 2.5, 0.5}));
    QCOMPARE(measured.lost, std::uint64_t{3});
  }

  void oneWayTimesComeFromTheReceiver() {
    const Measured measured =
        read(Kind::DmsoLatency, "lost 0\n", "lost 0\nnanoseconds 1000 3000\n");
    QCOMPARE(measured.values, (std::vector<double>{1, 3}));
    const Summary summary = summarize(measured.values);
    QCOMPARE(summary.mean, 2.0);
    QCOMPARE(summary.deviation, std::sqrt(2.0));
  }

  void eachCycleOfAStreamIsARateAndDropsAreAdded() {
    // Two cycles of 1000 sent: 999 intervals in 1 ms, then 498 in 2 ms with 501 dropped.
    const Measured measured = read(Kind::DmsoThroughput, "rti Tutti\n",
                                   "lost 0 501\nintervals 999 498\n"
                                   "receivenanoseconds 1000000 2000000\n");
    QCOMPARE(measured.values.size(), std::size_t{2});
    QCOMPARE(measured.values[0], 999'000.0);
    QCOMPARE(measured.values[1], 249'000.0);
    QCOMPARE(measured.lost, std::uint64_t{501});
  }

  void grantsAreThoseOfOneFederate() {
    const Measured measured =
        read(Kind::DmsoTimeAdvance, "grants 100\nlost 0\nnanoseconds 1000000 500000\n",
             "grants 100\nlost 0\nnanoseconds 7 7\n");
    QCOMPARE(measured.values, (std::vector<double>{100'000, 200'000}));
  }

  void aProgramThatSaidNothingHasNoResult_data() {
    QTest::addColumn<QByteArray>("output");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("no loss told") << QByteArray("nanoseconds 5\n");
    QTest::newRow("no times") << QByteArray("lost 0\n");
  }
  void aProgramThatSaidNothingHasNoResult() {
    QFETCH(QByteArray, output);
    const Settings settings = usualSettings(Kind::Latency);
    const auto measured =
        measuredOf(settings, linesOf(settings).front(), {parseReport(output), parseReport({})});
    QVERIFY(!measured.has_value());
    QVERIFY(measured.error().contains(QStringLiteral("--tools")));
  }

  void everyTransportIsALineAndTheRingIsTheLast() {
    Settings settings = usualSettings(Kind::Latency);
    settings.transports = {Transport::Reliable, Transport::BestEffort};
    const std::vector<Line> lines = linesOf(settings);
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[0].label, QStringLiteral("reliable"));
    QCOMPARE(lines[1].label, QStringLiteral("best effort"));
    QVERIFY(lines[2].yardstick);
  }

  void bothFederatesAreAskedForTheSame() {
    Settings settings = usualSettings(Kind::DmsoLatency);
    settings.designator = QStringLiteral("elsewhere");
    const std::vector<Program> programs =
        programsOf(settings, linesOf(settings).front(), 512, QStringLiteral("f"),
                   QStringLiteral("m.xml"), [](int number) { return number; });
    QCOMPARE(programs.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
      const QString line = programs[i].arguments.join(u' ');
      for (const char* each : {"--size 512", "--one-way 1", "--count 10000", "--rti elsewhere"}) {
        QVERIFY2(line.contains(QLatin1String(each)), qPrintable(line));
      }
      QVERIFY(line.endsWith(QStringLiteral("--cpu %1").arg(i)));
    }
  }
};

QTEST_GUILESS_MAIN(TestBenchPlan)
#include "tst_bench_plan.moc"
