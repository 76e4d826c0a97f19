// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "monitor/benchmarks/csv.h"
#include "monitor/benchmarks/sequence_runner.h"

using namespace tutti::bench;

/// RTIBM: the test-sequence file, what comes of its samples, and the whole with the real programs.
class TestRtibm : public QObject {
  Q_OBJECT

 private:
  static TestSequence parsed(const QString& text) {
    const auto sequence = parseSequence(text, QStringLiteral("a.tsf"));
    return sequence ? *sequence : TestSequence{};
  }

 private slots:
  void theShippedFileIsUnderstood() {
    const auto sequence =
        readSequence(QStringLiteral(TUTTI_SOURCE_DIR "/monitor/benchmarks/federates/rtibm.tsf"));
    QVERIFY2(sequence.has_value(), sequence ? "" : qPrintable(sequence.error()));
    QCOMPARE(sequence->federations.size(), std::size_t{3});
    QCOMPARE(sequence->federations[0].tests.size(), std::size_t{6});
    QCOMPARE(sequence->federations[2].tests[2].transport, Transport::BestEffort);
    QCOMPARE(sequence->federations[2].tests[2].instances, 100);
    QCOMPARE(sequence->modeTolerance, 0.05);
  }

  void aVariableHoldsInItsBlock() {
    const TestSequence sequence = parsed(QStringLiteral(
        "samples = 3 # comment\nfederation a\nbuffer = 64\ntest OWOT\ninstances = 1, 5\n"
        "test RTIL\nbuffer = 32\nfederation b\ntransport = best-effort\ntest OWIT\n"));
    QCOMPARE(sequence.federations.size(), std::size_t{2});
    const std::vector<SequenceTest>& a = sequence.federations[0].tests;
    QCOMPARE(a.size(), std::size_t{3});
    QCOMPARE(describe(a[1], 7),
             QStringLiteral("id=7 test=OWOT transport=reliable pairs=1 types=1 instances=5 "
                            "attributes=1 buffer=64 sample-size=2000 samples=3 data-threshold=1 "
                            "update-threshold=1"));
    QCOMPARE(a[2].kind, Kind::RtibmRtil);
    QCOMPARE(a[2].buffer, 32);
    QCOMPARE(a[2].instances, 1);
    QCOMPARE(sequence.federations[1].tests[0].buffer, 128);
    QCOMPARE(sequence.federations[1].tests[0].transport, Transport::BestEffort);
  }

  void aMistakeIsNamedWithItsPlaceAndWhatToDo_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown variable") << "federation a\nsize = 5\n"
                                      << "a.tsf:2: there is no variable \"size\". There are pairs";
    QTest::newRow("not a number")
        << "pairs = many\n"
        << "a.tsf:1: pairs cannot be \"many\". Write a number of 1 to 32.";
    QTest::newRow("one of a list") << "\nbuffer = 16, 3\n"
                                   << "a.tsf:2: buffer cannot be \"3\"";
    QTest::newRow("unknown test") << "federation a\ntest OWOL\n"
                                  << "a.tsf:2: there is no test \"OWOL\". There are OWOT";
    QTest::newRow("test without a federation") << "test OWOT\n"
                                               << "a.tsf:1: a test before the first federation";
    QTest::newRow("federation without a test") << "federation a\n\nfederation b\ntest OWOT\n"
                                               << "a.tsf:1: the federation \"a\" has no test";
    QTest::newRow("name twice") << "federation a\ntest OWOT\nfederation a\n"
                                << "a.tsf:3: there is a federation \"a\"";
    QTest::newRow("nothing") << "# empty\n"
                             << "there is no test";
    QTest::newRow("too many classes")
        << "federation a\ntest OWOT\npairs = 8\ntypes = 5\n"
        << "a.tsf:2: 8 pairs of 5 types need 40 classes, and there are 32";
    QTest::newRow("mixed transports") << "federation a\ntest OWOT\ntransport = best-effort\n"
                                      << "a.tsf:3: a test cannot have another transport";
    QTest::newRow("bundling") << "bundling = on\n"
                              << "a.tsf:1: bundling cannot be \"on\"";
    QTest::newRow("hosts") << "hosts = atlas\n"
                           << "a.tsf:1: hosts cannot be \"atlas\"";
    QTest::newRow("mixed hosts") << "federation a\ntest OWOT\nhosts = 2\n"
                                 << "a.tsf:3: a test cannot have other hosts";
    QTest::newRow("words") << "hello\n"
                           << "a.tsf:1: \"hello\" is not understood";
  }
  void aMistakeIsNamedWithItsPlaceAndWhatToDo() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto sequence = parseSequence(text, QStringLiteral("a.tsf"));
    QVERIFY(!sequence.has_value());
    QVERIFY2(sequence.error().contains(says), qPrintable(sequence.error()));
    QVERIFY(sequence.error().endsWith(u'.'));
  }

  void testsThatDifferInInstancesAreALine() {
    const TestSequence sequence =
        parsed(QStringLiteral("samples = 2\nsample-size = 10\nfederation a\ntest OWOT\n"
                              "instances = 1, 5\ntest RTIL\n"));
    const auto samples = samplesOf({1, 1, 0, 100, 10, 0,  //
                                    1, 2, 0, 300, 8,  2,  //
                                    2, 1, 0, 50,  10, 0,  //
                                    2, 2, 0, 51,  10, 0,  //
                                    3, 1, 0, 4,   10, 0,  //
                                    3, 2, 0, 6,   10, 0},
                                   0);
    QVERIFY(samples.has_value());
    Samples measured;
    measured.rti = {QStringLiteral("Tutti"), QStringLiteral("1")};
    measured.machine.loadBefore = 1.5;
    measured.samples = *samples;
    const auto results = resultsOf(sequence, measured, usualSettings(Kind::RtibmOwot));
    QCOMPARE(results.size(), std::size_t{2});
    QCOMPARE(results[0].settings.kind, Kind::RtibmOwot);
    QCOMPARE(results[0].series.size(), std::size_t{1});
    QCOMPARE(results[0].series[0].label, QStringLiteral("Tutti, reliable"));
    const std::vector<Point>& points = results[0].series[0].points;
    QCOMPARE(points.size(), std::size_t{2});
    QCOMPARE(points[0].at, 1.0);
    QCOMPARE(points[0].summary.mean, 200.0);
    QCOMPARE(points[0].lost, std::uint64_t{2});  // drops by instance count
    QCOMPARE(points[1].at, 5.0);
    QCOMPARE(points[1].lost, std::uint64_t{0});
    QCOMPARE(points[1].mode, 50.0);
    QCOMPARE(points[1].frequency, 2.0);
    QCOMPARE(points[1].repeats.size(), std::size_t{2});
    QCOMPARE(results[1].settings.kind, Kind::RtibmRtil);
    QCOMPARE(results[1].series[0].points[0].summary.mean, 5.0);

    // The load is that of before the measurement, not of when the result is made.
    QCOMPARE(results[0].machine.loadBefore, 1.5);

    const QStringList csv =
        csvOf(sequence, *samples,
              {{Kind::RtibmOwot, originOf(results[0], 7)}, {Kind::RtibmRtil, {}}})
            .split(u'\n');
    QVERIFY(csv[0].endsWith(QStringLiteral(",dropped,run,measured_at,build,seed,machine,load")));
    QCOMPARE(csv[2],
             QStringLiteral("a,OWOT,reliable,1,0,1,1,1,1,128,10,1,1,2,0,300,updates/s,8,2,") +
                 originOf(results[0], 7).join(u','));
    QCOMPARE(csv.size(), 8);  // head, six samples, the last line's end
  }

  void aLineIsNamedByWhatSetsItApart() {
    const TestSequence sequence =
        parsed(QStringLiteral("samples = 1\nfederation a\ntest RTOL\npairs = 1, 2\nbuffer = 64\n"));
    const auto samples = samplesOf({1, 1, 0, 5, 10, 0, 2, 1, 0, 5, 10, 0, 2, 1, 1, 5, 10, 0}, 0);
    Samples measured;
    measured.rti = {QStringLiteral("Tutti"), QStringLiteral("1")};
    measured.samples = *samples;
    const auto results = resultsOf(sequence, measured, usualSettings(Kind::RtibmRtol));
    QCOMPARE(results[0].series.size(), std::size_t{2});
    QCOMPARE(results[0].series[0].label, QStringLiteral("Tutti, reliable, 1 pair"));
    QCOMPARE(results[0].series[1].label, QStringLiteral("Tutti, reliable, 2 pairs"));
    QVERIFY(results[0].series[0].id.contains(QStringLiteral("64 B")));
  }

  void samplesMustBeWhole() {
    QVERIFY(!samplesOf({}, 0).has_value());
    QVERIFY(!samplesOf({1, 2, 3}, 0).has_value());
  }

  void everyTestCountsWhatWasSent_data() {
    QTest::addColumn<QString>("transport");
    QTest::addColumn<QString>("where");
    QTest::newRow("reliable") << "reliable"
                              << "hosts = local";
    QTest::newRow("best effort") << "best-effort"
                                 << "hosts = local";
    QTest::newRow("reliable, two hosts") << "reliable"
                                         << "hosts = 2";
    QTest::newRow("best effort, two hosts") << "best-effort"
                                            << "hosts = 2\nbundling = 200";
  }
  void everyTestCountsWhatWasSent() {
    QFETCH(QString, transport);
    QFETCH(QString, where);
    const TestSequence sequence =
        parsed(QStringLiteral("transport = %1\n%2\nsamples = 3\nsample-size = 40\npairs = 1, 2\n"
                              "types = 2\ninstances = 3\nattributes = 2\ndata-threshold = 8\n"
                              "update-threshold = 4\n"
                              "federation one\ntest OWOT\ntest RTOL\ntest OWIT\ntest RTIL\n"
                              "federation two\ntest RTOL\n")
                   .arg(transport, where));
    QCOMPARE(sequence.federations.size(), std::size_t{2});
    Settings settings = usualSettings(Kind::RtibmOwot);
    settings.pinning = Pinning::Free;
    settings.wait = true;
    const auto measured = runSequence(
        sequence, settings, Tools::beside(QStringLiteral(TUTTI_BINARY_DIR "/bin")),
        [](const Progress&) {}, [] { return false; });
    QVERIFY2(measured.has_value(), measured ? "" : qPrintable(measured.error().message));
    QCOMPARE(measured->rti.name, QStringLiteral("Tutti"));
    QVERIFY(measured->machine.loadBefore >= 0 && measured->machine.loadAfter >= 0);
    // Five tests, each with one and with two pairs, of three samples.
    QCOMPARE(measured->samples.size(), std::size_t{5 * (1 + 2) * 3});
    for (const Sample& each : measured->samples) {
      QCOMPARE(each.received + each.dropped, std::uint64_t{40});
      if (transport == QStringLiteral("reliable")) QCOMPARE(each.dropped, std::uint64_t{0});
      QVERIFY(each.value > 0);
    }
    QCOMPARE(resultsOf(sequence, *measured, settings).size(), std::size_t{4});
  }

  void aMissingProgramIsNamed() {
    const auto samples = runSequence(
        parsed(QStringLiteral("federation a\ntest OWOT\n")), usualSettings(Kind::RtibmOwot),
        Tools::beside(QStringLiteral("/nowhere")), [](const Progress&) {},
        [] { return false; });
    QVERIFY(!samples.has_value());
    QVERIFY(samples.error().message.contains(QStringLiteral("/nowhere/bench-rtibm")));
  }
};

QTEST_GUILESS_MAIN(TestRtibm)
#include "tst_rtibm.moc"
