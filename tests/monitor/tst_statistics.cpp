// SPDX-License-Identifier: GPL-3.0-or-later
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>
#include <cmath>
#include <numeric>

#include "monitor/benchmarks/benchmark.h"
#include "monitor/benchmarks/options.h"
#include "monitor/benchmarks/runner.h"

using namespace tutti::bench;
using Verdict = Difference::Verdict;

Q_DECLARE_METATYPE(std::vector<double>)

class TestStatistics : public QObject {
  Q_OBJECT

 private slots:
  void summariesOfKnownValues() {
    // 1 to 10, shuffled: mean 5.5, sample SD sqrt(82.5 / 9), quantiles as R and NumPy give them.
    const Summary summary = summarize({7, 2, 10, 1, 5, 9, 3, 8, 4, 6});
    QCOMPARE(summary.count, std::uint64_t{10});
    QCOMPARE(summary.median, 5.5);
    QCOMPARE(summary.mean, 5.5);
    QCOMPARE(summary.deviation, std::sqrt(82.5 / 9));
    QCOMPARE(summary.p10, 1.9);
    QCOMPARE(summary.p90, 9.1);
    QCOMPARE(summary.p99, 9.91);
    QCOMPARE(summary.least, 1.0);
    QCOMPARE(summary.greatest, 10.0);
  }

  void jitterIsTheMeanChangeFromOneToTheNext() {
    // Changes of 2, 4 and 3.
    QCOMPARE(summarize({5, 7, 3, 6}).jitter, 3.0);
    QCOMPARE(summarize({5}).jitter, 0.0);
  }

  void theModeIsWhatMostAreNearlyAsLargeAs_data() {
    QTest::addColumn<std::vector<double>>("values");
    QTest::addColumn<double>("tolerance");
    QTest::addColumn<double>("mode");
    QTest::addColumn<int>("frequency");
    using Values = std::vector<double>;
    QTest::newRow("exact") << Values{3, 1, 3, 2} << 0.0 << 3.0 << 2;
    // Within 10 % of 10.5 are 10, 10.5, 11 and 11.5; of the others fewer.
    QTest::newRow("with tolerance") << Values{20, 10, 11, 5, 10.5, 11.5} << 0.1 << 10.5 << 4;
    QTest::newRow("of several the least") << Values{2, 2, 1, 1} << 0.0 << 1.0 << 2;
    QTest::newRow("one") << Values{7} << 0.05 << 7.0 << 1;
  }
  void theModeIsWhatMostAreNearlyAsLargeAs() {
    QFETCH(std::vector<double>, values);
    QFETCH(double, tolerance);
    QFETCH(double, mode);
    QFETCH(int, frequency);
    const Mode found = modeOf(values, tolerance);
    QCOMPARE(found.value, mode);
    QCOMPARE(found.frequency, static_cast<std::uint64_t>(frequency));
  }

  void oneValueHasNoSpreadAndNoneHasNothing() {
    const Summary one = summarize({4.5});
    QCOMPARE(one.median, 4.5);
    QCOMPARE(one.deviation, 0.0);
    const Summary none = summarize({});
    QCOMPARE(none.count, std::uint64_t{0});
    QVERIFY(std::isnan(none.median) && std::isnan(none.mean) && std::isnan(none.deviation));
  }

  void largeValuesKeepTheirSpread() {
    // The textbook case where the sum of squares loses every digit: variance 30.
    const Summary summary = summarize({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    QCOMPARE(summary.deviation, std::sqrt(30.0));
  }

  void aDistributionRisesToTheFinestShareThereIs() {
    std::vector<double> values(20'000);
    std::iota(values.begin(), values.end(), 1.0);
    const auto points = distribution(values);
    QCOMPARE(points.front().first, 0.0);
    QCOMPARE(points.back().first, 1 - 1e-4);
    for (std::size_t i = 1; i < points.size(); ++i) {
      QVERIFY(points[i].first > points[i - 1].first);
      QVERIFY(points[i].second >= points[i - 1].second);
    }
    // With 100 values nobody can know of the 99.99th percentile.
    values.resize(100);
    QCOMPARE(distribution(values).back().first, 0.99);
  }

  void aChangeInsideTheSpreadOfTheRepeatsIsNoise_data() {
    QTest::addColumn<std::vector<double>>("before");
    QTest::addColumn<std::vector<double>>("after");
    QTest::addColumn<bool>("lowerIsBetter");
    QTest::addColumn<int>("verdict");
    using Values = std::vector<double>;
    const Values five{0.70, 0.71, 0.72, 0.73, 0.74};
    QTest::newRow("faster") << five << Values{0.58, 0.59, 0.60, 0.61, 0.62} << true
                            << int(Verdict::Better);
    QTest::newRow("slower") << five << Values{0.8, 0.81, 0.82, 0.83, 0.84} << true
                            << int(Verdict::Worse);
    QTest::newRow("less of a rate")
        << five << Values{0.58, 0.59, 0.60, 0.61, 0.62} << false << int(Verdict::Worse);
    QTest::newRow("one repeat overlaps")
        << five << Values{0.58, 0.59, 0.60, 0.61, 0.70} << true << int(Verdict::Noise);
    QTest::newRow("equal") << five << five << true << int(Verdict::Noise);
    // All of 3 below all of 3 happens by chance in 2 of 20 cases.
    QTest::newRow("three and three prove nothing")
        << Values{3, 3, 3} << Values{1, 1, 1} << true << int(Verdict::TooFew);
    QTest::newRow("four and four do")
        << Values{3, 3, 3, 3} << Values{1, 1, 1, 1} << true << int(Verdict::Better);
    QTest::newRow("three and five do")
        << Values{3, 3, 3} << Values{1, 1, 1, 1, 1} << true << int(Verdict::Better);
    QTest::newRow("nothing to compare") << Values{} << five << true << int(Verdict::TooFew);
  }
  void aChangeInsideTheSpreadOfTheRepeatsIsNoise() {
    QFETCH(std::vector<double>, before);
    QFETCH(std::vector<double>, after);
    QFETCH(bool, lowerIsBetter);
    QFETCH(int, verdict);
    QCOMPARE(int(compare(before, after, lowerIsBetter).verdict), verdict);
  }

  void aChangeIsToldByTheMediansOfTheRepeats() {
    const Difference difference = compare({0.70, 0.71, 0.72}, {0.60, 0.61, 9}, true);
    QCOMPARE(difference.before, 0.71);
    QCOMPARE(difference.after, 0.61);
    QCOMPARE(difference.change, 0.61 / 0.71 - 1);
  }

  void aResultSurvivesItsDocument() {
    Result result;
    result.settings.kind = Kind::Latency;
    result.settings.sizes = {8, 128};
    result.settings.seed = 18'446'744'073'709'551'615ULL;
    result.settings.pinning = Pinning::OneCore;
    result.settings.wait = true;
    result.machine = {
        QStringLiteral("atlas"),     QStringLiteral("Xeon"),    2,   QStringLiteral("not shown"),
        QStringLiteral("Linux 6.1"), QStringLiteral("15.6 GB"), 0.25};
    result.rti = {QStringLiteral("OtherRTI"), QStringLiteral("3.2")};
    result.build = {QStringLiteral("0.1.0"), QStringLiteral("gcc 12"), QStringLiteral("Release")};
    result.at = QDateTime(QDate(2024, 11, 18), QTime(13, 20), Qt::UTC);
    Point point;
    point.size = 128;
    point.at = 128;
    point.summary = summarize({0.5, 0.6, 0.9});
    point.repeats = {{summarize({0.5, 0.6}), 0}, {summarize({0.9}), 1}};
    point.lost = 1;
    point.ratioToRing = std::numeric_limits<double>::quiet_NaN();
    point.distribution = distribution({0.5, 0.6, 0.9});
    result.series = {
        {QStringLiteral("tutti-shm"), QStringLiteral("Tutti, shared memory"), {point}}};

    const QByteArray text = QJsonDocument(toJson(result)).toJson();
    const auto read = resultFromJson(QJsonDocument::fromJson(text).object());
    QVERIFY2(read.has_value(), read ? "" : qPrintable(read.error()));
    QCOMPARE(QJsonDocument(toJson(*read)).toJson(), text);
    QCOMPARE(read->settings.seed, result.settings.seed);
    QVERIFY(std::isnan(read->series[0].points[0].ratioToRing));
    QCOMPARE(read->series[0].points[0].medians(), (std::vector<double>{0.55, 0.9}));
  }

  void strangersAndTheFutureAreRefused() {
    QVERIFY(!resultFromJson({}).has_value());
    QJsonObject document = toJson(Result{});
    document[QStringLiteral("version")] = 2;
    QVERIFY(resultFromJson(document).error().contains("newer Tutti"));
  }

  void theCommandLineMeasuresTheSame() {
    Settings settings = usualSettings(Kind::Latency);
    QCOMPARE(commandLine(settings).join(u' '),
             QStringLiteral("bench latency --repeats 5 --seed 1207"));
    settings = usualSettings(Kind::Throughput);
    settings.sizes = {8, 1024};
    settings.pinning = Pinning::OneCore;
    settings.repeats = 3;
    QCOMPARE(commandLine(settings).join(u' '),
             QStringLiteral("bench throughput --size 8,1024 --repeats 3 --seed 1207 --pin one"));
  }

  void aCommandLineIsReadAsTheSettingsThatWroteIt_data() {
    QTest::addColumn<int>("kind");
    for (const KindFacts& each : allKinds()) QTest::newRow(each.name) << int(each.kind);
  }
  void aCommandLineIsReadAsTheSettingsThatWroteIt() {
    QFETCH(int, kind);
    Settings settings = usualSettings(static_cast<Kind>(kind));
    const bool sequence = factsOf(settings.kind).sequence;
    settings.seed = 9'000'000'000;
    settings.pinning = Pinning::OneCore;
    settings.wait = true;
    settings.architectures = {QStringLiteral("centralized"), QStringLiteral("federated")};
    if (sequence) {
      settings.sequence = QStringLiteral("a b.tsf");
    } else {
      settings.hosts = {1, 3};
      settings.sizes = {64, 4096};
      settings.transports = {Transport::BestEffort};
      settings.lookaheads = {0.25, 2};
      settings.step = 0.5;
      settings.count = 123;
      settings.cycles = 2;
      settings.warmUp = 7;
      settings.repeats = 3;
      settings.ack = 16;
      settings.pairs = 5;
      settings.receivers = 6;
      settings.burst = 8;
      settings.crowds = 4;
      settings.instances = {10, 20};
      settings.federates = {2, 8};
      settings.fresh = true;
    }
    const QStringList line = commandLine(settings);
    QStringList words = line;
    Settings read = usualSettings(settings.kind);
    QCOMPARE(takeSettings(words, read), QString());
    QCOMPARE(words.join(u' '),
             QStringLiteral("bench ") + QString::fromLatin1(factsOf(settings.kind).command));
    QCOMPARE(commandLine(read), line);
    if (factsOf(settings.kind).axis == Axis::Lookahead) {
      QVERIFY(read.lookaheads == settings.lookaheads);
    }
    QVERIFY(read.architectures == settings.architectures);
    QVERIFY(read.hosts == settings.hosts);
    QCOMPARE(read.seed, settings.seed);
  }

  void anOptionThatCannotBeReadIsNamed_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("problem");
    QTest::addColumn<QString>("left");
    QTest::newRow("no number") << "--count many" << "--count cannot be \"many\"" << "";
    QTest::newRow("too large") << "--size 1k,65M" << "--size cannot be \"1k,65M\"" << "";
    QTest::newRow("no value") << "--hosts" << "--hosts has no value" << "";
    QTest::newRow("the first of two") << "--pin all --step x" << "--pin cannot be \"all\"" << "";
    QTest::newRow("others stay") << "dmso --seed=7 --json latency --wait" << ""
                                 << "dmso --json latency";
  }
  void anOptionThatCannotBeReadIsNamed() {
    QFETCH(QString, line);
    QFETCH(QString, problem);
    QFETCH(QString, left);
    QStringList words = line.split(u' ');
    Settings settings;
    QCOMPARE(takeSettings(words, settings), problem);
    QCOMPARE(words.join(u' '), left);
  }

  void anotherRtiIsInTheCommandLine() {
    Settings settings = usualSettings(Kind::RtibmOwot);
    settings.tools = QStringLiteral("/opt/bench");
    settings.designator = QStringLiteral("crcHost=here");
    settings.sequence = QStringLiteral("mine.tsf");
    QCOMPARE(commandLine(settings).join(u' '),
             QStringLiteral("bench rtibm --tools /opt/bench --rti crcHost=here --seed 1207 "
                            "--sequence mine.tsf"));
    settings = usualSettings(Kind::Latency);
    settings.tools = QStringLiteral("/opt/bench");
    QCOMPARE(commandLine(settings).join(u' '),
             QStringLiteral("bench latency --tools /opt/bench --repeats 5 --seed 1207"));
    Result result;
    result.settings = settings;
    QCOMPARE(resultFromJson(toJson(result))->settings.tools, settings.tools);
  }

  void settingsThatMakeNoSenseAreRefusedWithTheReason_data() {
    QTest::addColumn<int>("repeats");
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("count");
    QTest::newRow("no repeats") << 0 << 128 << 10;
    QTest::newRow("empty payload") << 5 << 0 << 10;
    QTest::newRow("one update") << 5 << 128 << 1;
  }
  void settingsThatMakeNoSenseAreRefusedWithTheReason() {
    QFETCH(int, repeats);
    QFETCH(int, size);
    QFETCH(int, count);
    Settings settings;
    settings.pinning = Pinning::OneCore;
    QCOMPARE(whyNot(settings), QString());
    settings.repeats = repeats;
    settings.sizes = {size};
    settings.count = static_cast<std::uint64_t>(count);
    QVERIFY(!whyNot(settings).isEmpty());
  }

  void anArchitectureThatIsNotThereIsRefusedByName() {
    Settings settings = usualSettings(Kind::Dbe);
    settings.pinning = Pinning::OneCore;
    settings.architectures = {QStringLiteral("flat")};
    QVERIFY(whyNot(settings).contains(QStringLiteral("\"flat\"")));
    QVERIFY(whyNot(settings).contains(QStringLiteral("decentralized")));
  }

  void aMissingProgramIsNamed() {
    Settings settings;
    settings.pinning = Pinning::OneCore;
    const auto result = runBenchmark(
        settings, Tools::beside(QStringLiteral("/nowhere")), [](const Progress&) {},
        [] { return false; });
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().kind, RunError::Kind::Missing);
    QVERIFY(result.error().message.contains(QStringLiteral("/nowhere/bench-ring")));
  }

  void theUsualSettingsOfAKindAreItsShortestCommandLine() {
    for (const KindFacts& each : allKinds()) {
      QCOMPARE(
          commandLine(usualSettings(each.kind)).join(u' '),
          QStringLiteral("bench %1%2 --seed 1207")
              .arg(QString::fromLatin1(each.command),
                   each.sequence
                       ? QString()
                       : QStringLiteral(" --repeats %1").arg(usualSettings(each.kind).repeats)));
      QCOMPARE(kindOf(kindName(each.kind)), std::optional(each.kind));
    }
  }

  void theStandardSuiteMeasuresSeveralSizes() {
    for (const Kind each : {Kind::Latency, Kind::Throughput}) {
      QCOMPARE(usualSettings(each).axis(), (std::vector<double>{8, 128, 1024, 65'536}));
    }
  }

  void aLookaheadOfAnOlderDocumentIsRead() {
    Result result;
    result.settings = usualSettings(Kind::TimeAdvance);
    Point point;
    point.summary = summarize({1e6});
    result.series = {{QStringLiteral("tutti-shm"), QStringLiteral("Tutti"), {point}}};
    QJsonObject document = toJson(result);
    QJsonObject settings = document[QStringLiteral("settings")].toObject();
    settings.remove(QStringLiteral("lookaheads"));
    settings[QStringLiteral("lookahead")] = 0.5;
    document[QStringLiteral("settings")] = settings;
    document.remove(QStringLiteral("rti"));
    QJsonArray series = document[QStringLiteral("series")].toArray();
    QJsonObject first = series[0].toObject();
    QJsonArray points = first[QStringLiteral("points")].toArray();
    QJsonObject old = points[0].toObject();
    old.remove(QStringLiteral("at"));
    first[QStringLiteral("points")] = QJsonArray{old};
    document[QStringLiteral("series")] = QJsonArray{first};
    const auto read = resultFromJson(document);
    QVERIFY2(read.has_value(), read ? "" : qPrintable(read.error()));
    QCOMPARE(read->settings.axis(), std::vector<double>{0.5});
    QVERIFY(read->series[0].at(0.5) != nullptr);
    QVERIFY(read->rti.isTutti());
  }

  void aOneWayTimeIsNeverOnAPlotOfRoundTrips() {
    // The classic tables are means of one way at 128 to 2048 bytes.
    for (const Reference& reference : publishedReferences()) {
      if (!reference.label.contains(QStringLiteral("CERTI")) &&
          !reference.label.contains(QStringLiteral("RTI-NG"))) {
        continue;
      }
      QVERIFY(reference.kind == Kind::DmsoLatency || reference.kind == Kind::DmsoTimeAdvance ||
              reference.kind == Kind::DmsoThroughput);
      QVERIFY(factsOf(reference.kind).means);
      QVERIFY(reference.source.contains(QStringLiteral("other hardware")));
      std::vector<double> places;
      for (const Reference::Point& point : reference.points) {
        places.push_back(point.at);
        QVERIFY(point.deviation > 0);
      }
      QCOMPARE(places, usualSettings(reference.kind).axis());
    }
  }

  void everyReferenceSaysWhereItIsFrom() {
    for (const Reference& reference : publishedReferences()) {
      QVERIFY(!reference.label.isEmpty() && !reference.source.isEmpty() &&
              !reference.points.empty());
    }
  }
};

QTEST_GUILESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
