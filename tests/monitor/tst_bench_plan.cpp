// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>

#include "monitor/benchmarks/federates/options.h"
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

  void aPairsMeanIsOneMeasurement() {
    Settings settings = usualSettings(Kind::Rtiperf);
    settings.pairs = 2;
    const std::vector<Line> lines = linesOf(settings);
    const auto measured =
        measuredOf(settings, lines.front(),
                   {parseReport("lost 0\nnanoseconds 1000 3000\n"), parseReport("lost 0\n"),
                    parseReport("lost 1\nnanoseconds 5000\n"), parseReport("lost 0\n")});
    QVERIFY(measured.has_value());
    QCOMPARE(measured->values, (std::vector<double>{2, 5}));
    QCOMPARE(measured->lost, std::uint64_t{1});
    QCOMPARE(programsOf(settings, lines.front(), 128, {}, {}, [](int) { return -1; }).size(),
             std::size_t{4});
  }

  void theSlowestSubscriberIsTheRateOfACycle() {
    Settings settings = usualSettings(Kind::Fanout);
    settings.cycles = 2;
    const auto measured =
        measuredOf(settings, linesOf(settings).front(),
                   {parseReport("rti Tutti\n"),
                    parseReport("lost 0 0\nintervals 10 10\nreceivenanoseconds 1000 4000\n"),
                    parseReport("lost 2 0\nintervals 10 10\nreceivenanoseconds 2000 2000\n")});
    QVERIFY(measured.has_value());
    QCOMPARE(measured->values.size(), std::size_t{2});
    QCOMPARE(measured->values[0], 5e6);
    QCOMPARE(measured->values[1], 2.5e6);
    QCOMPARE(measured->lost, std::uint64_t{2});
  }

  void callbacksOfAllCountFromTheFirstStartToTheLastEnd() {
    const Measured measured =
        read(Kind::Oversubscribed, "callbacks 300\nlost 0\nstart 1000\nend 2000\n",
             "callbacks 200\nlost 0\nstart 1500\nend 3000\n");
    QCOMPARE(measured.values.size(), std::size_t{1});
    QCOMPARE(measured.values[0], 500 / 2e-6);
  }

  void whatDoesNotArriveIsCounted_data() {
    QTest::addColumn<QList<int>>("arrived");
    QTest::addColumn<int>("sent");
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("missing");
    QTest::newRow("all") << QList<int>{1, 2, 3, 4} << 4 << 16 << 0;
    QTest::newRow("a gap") << QList<int>{1, 4, 5} << 5 << 16 << 2;
    QTest::newRow("the end") << QList<int>{1, 2} << 5 << 16 << 3;
    QTest::newRow("the beginning") << QList<int>{3, 4} << 4 << 16 << 2;
    QTest::newRow("nothing") << QList<int>{} << 3 << 16 << 3;
    // Three came, of which one too late: wrong, though all are there.
    QTest::newRow("out of order") << QList<int>{1, 3, 2} << 3 << 16 << 1;
    QTest::newRow("short payloads") << QList<int>{1, 2, 3} << 3 << 1 << 0;
  }
  void whatDoesNotArriveIsCounted() {
    QFETCH(QList<int>, arrived);
    QFETCH(int, sent);
    QFETCH(int, size);
    QFETCH(int, missing);
    Counter counter;
    std::vector<unsigned char> payload(static_cast<std::size_t>(size));
    for (const int number : arrived) {
      writeSequence(payload.data(), payload.size(), static_cast<std::uint64_t>(number));
      counter.hear(payload.data(), payload.size(), payload.size());
    }
    QCOMPARE(counter.missing(static_cast<std::uint64_t>(sent)),
             static_cast<std::uint64_t>(missing));
  }

  void aNumberAndAStampSurviveThePayload() {
    std::vector<unsigned char> payload = makePayload(stampedSize, 7);
    QCOMPARE(makePayload(stampedSize, 7), payload);
    writeSequence(payload.data(), payload.size(), 0x1234'5678'9abc);
    writeStamp(payload.data(), payload.size(), 42);
    QCOMPARE(readSequence(payload.data(), payload.size()), std::uint64_t{0x1234'5678'9abc});
    QCOMPARE(readStamp(payload.data(), payload.size()), std::uint64_t{42});
    QCOMPARE(truncated(300, 1), std::uint64_t{44});
    QCOMPARE(truncated(300, 8), std::uint64_t{300});
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
    QCOMPARE(lines.size(), std::size_t{4});
    QCOMPARE(lines[0].label, QStringLiteral("reliable"));
    QCOMPARE(lines[1].label, QStringLiteral("best effort"));
    QCOMPARE(lines[2].id, QStringLiteral("ring/arguments"));
    QCOMPARE(lines[3].id, QStringLiteral("ring"));
    QVERIFY(lines[2].yardstick && lines[3].yardstick);
  }

  void bothFederatesAreAskedForTheSame() {
    Settings settings = usualSettings(Kind::DmsoLatency);
    settings.designator = QStringLiteral("elsewhere");
    const std::vector<Program> programs =
        programsOf(settings, linesOf(settings).front(), 512, QStringLiteral("f"),
                   QStringLiteral("/folder"), [](int number) { return number; });
    QCOMPARE(programs.size(), std::size_t{2});
    for (std::size_t i = 0; i < 2; ++i) {
      const QString line = programs[i].arguments.join(u' ');
      for (const char* each : {"--size 512", "--fom /folder/bench.xml", "--one-way 1",
                               "--count 10000", "--rti elsewhere"}) {
        QVERIFY2(line.contains(QLatin1String(each)), qPrintable(line));
      }
      QVERIFY(line.contains(QStringLiteral("--cpu %1").arg(i)));
    }
  }
};

QTEST_GUILESS_MAIN(TestBenchPlan)
#include "tst_bench_plan.moc"
