// SPDX-License-Identifier: GPL-3.0-or-later
#include <QJsonDocument>
#include <QTemporaryFile>
#include <QTest>
#include <cmath>

#include "monitor/benchmarks/compare.h"
#include "monitor/benchmarks/csv.h"
#include "monitor/benchmarks/load.h"

using namespace tutti::bench;
using Basis = Change::Basis;
using Verdict = Difference::Verdict;

/// Two results against each other, with the bare limit as the control.
class TestBenchCompare : public QObject {
  Q_OBJECT

 private:
  using Values = std::vector<double>;

  static Series line(const QString& id, const QString& label,
                     const std::vector<std::pair<double, Values>>& points) {
    Series series{id, label, {}};
    for (const auto& [at, repeats] : points) {
      Point point;
      point.at = at;
      point.size = static_cast<int>(at);
      for (const double value : repeats) point.repeats.push_back({summarize({value}), 0});
      point.summary = summarize(repeats);
      series.points.push_back(point);
    }
    return series;
  }
  static Series rti(const Values& repeats) {
    return line(QStringLiteral("rti/reliable"), QStringLiteral("Tutti, shared memory"),
                {{128, repeats}});
  }
  static Series ring(const Values& repeats) {
    return line(QStringLiteral("ring"), QStringLiteral("Bare ring"), {{128, repeats}});
  }
  static Series arguments(const Values& repeats) {
    return line(QStringLiteral("ring/arguments"), QStringLiteral("Ring and API arguments"),
                {{128, repeats}});
  }
  static Result result(Kind kind, std::vector<Series> series) {
    Result result;
    result.settings = usualSettings(kind);
    result.rti = {QStringLiteral("Tutti"), QStringLiteral("1")};
    result.machine.host = QStringLiteral("atlas");
    result.machine.processors = 2;
    result.machine.loadBefore = result.machine.loadAfter = 0.1;
    result.series = std::move(series);
    return result;
  }
  /// `value` with the noise of five repeats, 1 % each.
  static Values around(double value) {
    return {value * 0.98, value * 1.01, value, value * 0.99, value * 1.02};
  }
  static const Change& changeOf(const Comparison& comparison, const QString& name) {
    for (const Change& each : comparison.changes) {
      if (each.line == name) return each;
    }
    qFatal("There is no line %s", qPrintable(name));
  }

 private slots:
  void theMachineIsTakenOutOfTheComparison_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("rtiBefore");
    QTest::addColumn<double>("rtiAfter");
    QTest::addColumn<double>("ringBefore");
    QTest::addColumn<double>("ringAfter");
    QTest::addColumn<int>("basis");
    QTest::addColumn<int>("verdict");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, Kind kind, double rtiBefore, double rtiAfter,
                        double ringBefore, double ringAfter, Basis basis, Verdict verdict,
                        const char* says) {
      QTest::newRow(name) << int(kind) << rtiBefore << rtiAfter << ringBefore << ringAfter
                          << int(basis) << int(verdict) << QString::fromUtf8(says);
    };
    // The report of a run under changing load: all three lines were "faster", the ratio was worse.
    row("rate of the ring up by 66 %, the RTI's by less", Kind::Throughput, 5e6, 6e6, 50e6, 83e6,
        Basis::Ratio, Verdict::Worse,
        "The machine changed: the bare ring is faster (rate +66 %). Judged by the ratio to the "
        "bare limit: 1 of 1 change is significant, worse.");
    row("time of the ring down by 40 %, the RTI's by less", Kind::Latency, 1, 0.8, 0.5, 0.3,
        Basis::Ratio, Verdict::Worse,
        "The machine changed: the bare ring is faster (time \u221240 %). Judged by the ratio to "
        "the bare limit: 1 of 1 change is significant, worse.");
    row("both by as much", Kind::Latency, 1, 0.6, 0.5, 0.3, Basis::Ratio, Verdict::Noise,
        "The machine changed: the bare ring is faster (time \u221240 %). Judged by the ratio to "
        "the bare limit: no significant change.");
    row("the RTI by more", Kind::Latency, 1, 0.4, 0.5, 0.3, Basis::Ratio, Verdict::Better,
        "The machine changed: the bare ring is faster (time \u221240 %). Judged by the ratio to "
        "the bare limit: 1 of 1 change is significant, better.");
    row("a slower machine hides a gain", Kind::Latency, 1, 1, 0.5, 0.6, Basis::Ratio,
        Verdict::Better,
        "The machine changed: the bare ring is slower (time +20 %). Judged by the ratio to the "
        "bare limit: 1 of 1 change is significant, better.");
    row("rates: both by as much", Kind::Throughput, 5e6, 4e6, 50e6, 40e6, Basis::Ratio,
        Verdict::Noise,
        "The machine changed: the bare ring is slower (rate \u221220 %). Judged by the ratio to "
        "the bare limit: no significant change.");
    row("the ring as before", Kind::Latency, 1, 0.8, 0.5, 0.505, Basis::Value, Verdict::Better,
        "1 of 1 change is significant, faster.");
    row("the ring as before, a rate", Kind::Throughput, 5e6, 4e6, 50e6, 50e6, Basis::Value,
        Verdict::Worse, "1 of 1 change is significant, lower.");
    row("nothing", Kind::Latency, 1, 1.01, 0.5, 0.5, Basis::Value, Verdict::Noise,
        "No significant change.");
  }
  void theMachineIsTakenOutOfTheComparison() {
    QFETCH(int, kind);
    QFETCH(double, rtiBefore);
    QFETCH(double, rtiAfter);
    QFETCH(double, ringBefore);
    QFETCH(double, ringAfter);
    QFETCH(int, basis);
    QFETCH(int, verdict);
    QFETCH(QString, says);
    const Kind of = static_cast<Kind>(kind);
    const Comparison comparison = compareResults(
        result(of, {rti(around(rtiBefore)), arguments(around(ringBefore)),
                    ring(around(ringBefore))}),
        result(of,
               {rti(around(rtiAfter)), arguments(around(ringBefore)), ring(around(ringAfter))}));
    QCOMPARE(comparison.verdict, says);
    QCOMPARE(comparison.machineChanged, static_cast<Basis>(basis) == Basis::Ratio);
    QCOMPARE(comparison.changes.size(), std::size_t{3});
    const Change& change = changeOf(comparison, QStringLiteral("Tutti"));
    QCOMPARE(int(change.basis), basis);
    QCOMPARE(int(change.difference.verdict), verdict);
    QCOMPARE(change.values.before, rtiBefore);
    QCOMPARE(change.values.after, rtiAfter);
    // Both limits are shown, whatever they did, and not counted.
    for (const char* name : {"bare ring", "ring and API arguments"}) {
      const Change& limit = changeOf(comparison, QString::fromLatin1(name));
      QCOMPARE(int(limit.basis), int(Basis::Limit));
      QVERIFY(!limit.isSignificant());
    }
    QCOMPARE(comparison.warning, QString());
    QCOMPARE(comparison.circumstances.contains(QStringLiteral("inside its noise")),
             !comparison.machineChanged);
  }

  void aRatioIsMadeRepeatByRepeat() {
    // Rates: how many times the bare limit, so less is better as it is of times.
    const Comparison comparison =
        compareResults(result(Kind::Throughput, {rti({10, 20, 10, 20}), ring({20, 60, 40, 40})}),
                       result(Kind::Throughput, {rti({10, 16, 10, 16}), ring({62, 90, 70, 80})}));
    const Change& change = changeOf(comparison, QStringLiteral("Tutti"));
    QCOMPARE(change.before, (Values{2, 3, 4, 2}));
    QCOMPARE(change.after, (Values{6.2, 5.625, 7, 5}));
    QCOMPARE(change.difference.before, 2.5);
    QCOMPARE(change.difference.after, 5.9125);
    QCOMPARE(int(change.difference.verdict), int(Verdict::Worse));
  }

  /// Of the RTI the repeats are exactly alike, of the limit they are not: what the limit's noise
  /// makes of the ratio is no change of the RTI.
  void theNoiseOfTheLimitIsInTheRatio() {
    const Comparison comparison =
        compareResults(result(Kind::Latency, {rti({1, 1, 1, 1}), ring({0.4, 0.5, 0.6, 0.7})}),
                       result(Kind::Latency, {rti({2, 2, 2, 2}), ring({0.8, 0.9, 1.0, 1.1})}));
    QVERIFY(comparison.machineChanged);
    QCOMPARE(int(changeOf(comparison, QStringLiteral("Tutti")).difference.verdict),
             int(Verdict::Noise));
  }

  void aLimitThatOverlapsOrHasFewRepeatsSaysNothing() {
    const Comparison overlap = compareResults(
        result(Kind::Latency, {rti(around(1)), ring({0.3, 0.5, 0.5, 0.5, 0.5})}),
        result(Kind::Latency, {rti(around(0.8)), ring({0.3, 0.3, 0.3, 0.3, 0.3})}));
    QVERIFY(!overlap.machineChanged);
    QCOMPARE(overlap.verdict, QStringLiteral("1 of 1 change is significant, faster."));
    QVERIFY(overlap.circumstances.contains(QStringLiteral("inside its noise (\u221240 %)")));
    const Comparison few =
        compareResults(result(Kind::Latency, {rti({3, 3, 3}), ring({3, 3, 3})}),
                       result(Kind::Latency, {rti({1, 1, 1}), ring({1, 1, 1})}));
    QVERIFY(!few.machineChanged);
    QCOMPARE(few.verdict,
             QStringLiteral("Too few repeats to tell a change from noise: 4 of each are needed."));
  }

  /// Where the machine changed at one size it changed at all: their values are not compared either.
  void oneMovedLimitMakesAllRatios() {
    const auto of = [&](double ringAtThousand) {
      return result(Kind::Latency,
                    {line(QStringLiteral("rti/reliable"), QStringLiteral("Tutti"),
                          {{128, around(1)}, {1024, around(2)}}),
                     line(QStringLiteral("ring"), QStringLiteral("Bare ring"),
                          {{128, around(0.5)}, {1024, around(ringAtThousand)}})});
    };
    const Comparison comparison = compareResults(of(1), of(0.5));
    QCOMPARE(comparison.verdict,
             QStringLiteral("The machine changed: the bare ring is faster (time \u221250 %). "
                            "Judged by the ratio to the bare limit: 1 of 2 changes is "
                            "significant, worse."));
    QCOMPARE(int(comparison.changes[0].basis), int(Basis::Ratio));
    QCOMPARE(int(comparison.changes[0].difference.verdict), int(Verdict::Noise));
    QCOMPARE(int(comparison.changes[1].difference.verdict), int(Verdict::Worse));
  }

  /// Ratios to a limit that is another machine's are not judged, better or worse.
  void aLimitTwiceAsFastOrSlowLeavesNothingToJudge_data() {
    QTest::addColumn<double>("factor");
    QTest::addColumn<bool>("isJudged");
    QTest::newRow("2.4 times the time") << 2.4 << false;
    QTest::newRow("1.8 times the time") << 1.8 << true;
    QTest::newRow("0.6 of the time") << 0.6 << true;
    QTest::newRow("0.4 of the time") << 0.4 << false;
  }
  void aLimitTwiceAsFastOrSlowLeavesNothingToJudge() {
    QFETCH(double, factor);
    QFETCH(bool, isJudged);
    const auto comparison = compareResults(
        result(Kind::Latency, {rti(around(2.0)), ring(around(1.0))}),
        result(Kind::Latency, {rti(around(1.4 * factor)), ring(around(factor))}));
    QVERIFY(comparison.machineChanged);
    QCOMPARE(comparison.changedTooMuch, !isJudged);
    QCOMPARE(changeOf(comparison, "Tutti").isSignificant(), isJudged);
    QCOMPARE(comparison.verdict.contains("That is too much to judge anything"), !isJudged);
    QVERIFY2(comparison.verdict.startsWith("The machine changed: the bare ring is "),
             qPrintable(comparison.verdict));
  }

  void linesBetweenHostsHaveTheConnectionAsLimit() {
    const auto of = [&](double near, double far, double bareRing, double tcp) {
      return result(
          Kind::Dbe,
          {rti(around(near)),
           line(QStringLiteral("rti/reliable/2 hosts"), QStringLiteral("Tutti, 2 hosts"),
                {{128, around(far)}}),
           ring(around(bareRing)),
           line(QStringLiteral("tcp"), QStringLiteral("Bare TCP connection"),
                {{128, around(tcp)}})});
    };
    const Comparison comparison = compareResults(of(1, 100, 0.5, 50), of(1, 50, 0.5, 25));
    QCOMPARE(comparison.verdict,
             QStringLiteral("The machine changed: the bare TCP connection is faster (time "
                            "\u221250 %). Judged by the ratio to the bare limit: no significant "
                            "change."));
    QCOMPARE(changeOf(comparison, QStringLiteral("2 hosts")).difference.before, 2.0);
    QCOMPARE(changeOf(comparison, QStringLiteral("Tutti")).difference.before, 2.0);
  }

  void aResultWithoutALimitIsComparedAndSaysSo() {
    const Result old =
        result(Kind::Latency, {line(QStringLiteral("tutti-shm"),
                                    QStringLiteral("Tutti, shared memory"), {{128, around(1)}})});
    const Result now = result(Kind::Latency, {rti(around(0.5)), ring(around(0.3))});
    const Comparison comparison = compareResults(old, now);
    QVERIFY(!comparison.machineChanged);
    QCOMPARE(comparison.changes.size(), std::size_t{1});
    QCOMPARE(comparison.verdict, QStringLiteral("1 of 1 change is significant, faster."));
    QVERIFY2(comparison.circumstances.contains(QStringLiteral("bare limit was not measured")),
             qPrintable(comparison.circumstances));
  }

  void aPlaceWithoutALimitIsNotJudgedOnAMachineThatChanged() {
    const auto of = [&](double scale, bool whole) {
      Values repeats = around(0.5 * scale);
      if (!whole) repeats.pop_back();  // one repeat of the ring is missing
      return result(Kind::Latency, {rti(around(scale)), ring(repeats)});
    };
    const Comparison comparison = compareResults(of(1, true), of(0.6, false));
    QVERIFY(comparison.machineChanged);
    const Change& change = changeOf(comparison, QStringLiteral("Tutti"));
    QCOMPARE(int(change.basis), int(Basis::NotJudged));
    QVERIFY(!change.isSignificant());
    QVERIFY(comparison.verdict.endsWith(QStringLiteral("a result has no bare limit.")));
  }

  void otherSettingsMayHaveMovedTheLimit() {
    Result before = result(Kind::Latency, {rti(around(1)), ring(around(0.5))});
    before.settings.pinning = Pinning::OneCore;
    const Comparison comparison =
        compareResults(before, result(Kind::Latency, {rti(around(0.5)), ring(around(0.25))}));
    QVERIFY(comparison.verdict.startsWith(
        QStringLiteral("The machine or the settings changed: the bare ring is faster")));
    QVERIFY(comparison.circumstances.startsWith(QStringLiteral("Not the same: settings.")));
  }

  void nothingInCommonIsSaid() {
    const Result one = result(Kind::Latency, {rti(around(1))});
    Result other = result(Kind::Latency, {ring(around(1))});
    QCOMPARE(compareResults(one, other).verdict,
             QStringLiteral("These two results have nothing in common."));
    QVERIFY(compareResults(one, other).changes.empty());
    QCOMPARE(compareResults(other, other).verdict,
             QStringLiteral("These two results have nothing in common but the bare limit."));
  }

  void loadOfOtherWorkIsInTheVerdict_data() {
    QTest::addColumn<double>("before");  // of the first result: before it, after it
    QTest::addColumn<double>("after");
    QTest::addColumn<double>("average");  // of the minute before, in old results the only one
    QTest::addColumn<QString>("says");
    const double none = std::nan("");
    QTest::newRow("quiet") << 0.2 << 0.4 << 0.1 << "";
    QTest::newRow("half a processor each") << 1.0 << 1.0 << 0.1 << "";
    QTest::newRow("before") << 1.1 << 0.0 << 0.1 << "result before (load 1.1 on 2 processors)";
    QTest::newRow("after") << 0.0 << 3.2 << 0.1 << "result before (load 3.2 on 2 processors)";
    QTest::newRow("own work of the minute before") << 0.1 << 0.2 << 2.4 << "";
    QTest::newRow("old and quiet") << none << none << 0.9 << "";
    QTest::newRow("old and busy") << none << none << 7.5
                                  << "result before (load 7.5 on 2 processors)";
  }
  void loadOfOtherWorkIsInTheVerdict() {
    QFETCH(double, before);
    QFETCH(double, after);
    QFETCH(double, average);
    QFETCH(QString, says);
    Result busy = result(Kind::Latency, {rti(around(1)), ring(around(0.5))});
    const Result quiet = busy;
    busy.machine.loadBefore = before;
    busy.machine.loadAfter = after;
    busy.machine.load = average;
    // It is kept with the result.
    const auto stored = resultFromJson(QJsonDocument::fromJson(
                                           QJsonDocument(toJson(busy)).toJson())
                                           .object());
    QVERIFY(stored.has_value());
    QCOMPARE(stored->machine.loadLine(), busy.machine.loadLine());
    const QString warning = compareResults(*stored, quiet).warning;
    QCOMPARE(warning.isEmpty(), says.isEmpty());
    QVERIFY2(warning.contains(says), qPrintable(warning));
    QCOMPARE(stored->machine.isBusy(), !says.isEmpty());
    // The same of the other one, and of both.
    const QString other = QString(says).replace(QStringLiteral("before"), QStringLiteral("after"));
    QVERIFY(compareResults(quiet, *stored).warning.contains(other));
    QCOMPARE(compareResults(*stored, *stored).warning.count(QStringLiteral(" and the ")),
             says.isEmpty() ? 0 : 1);
  }

  void aBusyMachineIsAWarning() {
    QCOMPARE(loadWarning(1.0, 2), QString());
    QCOMPARE(loadWarning(0.5, 1), QString());
    QVERIFY(loadWarning(0.6, 1).contains(QStringLiteral("load 0.6 on 1 processor.")));
    QVERIFY(loadWarning(3.21, 2).contains(QStringLiteral("load 3.2 on 2 processors")));
    QCOMPARE(loadWarning(std::nan(""), 2), QString());
  }

  void runnableProcessesOfOthersAreCounted() {
    QTemporaryFile file;
    QVERIFY(file.open());
    LoadMeter meter(3, file.fileName());
    QVERIFY(std::isnan(meter.mean()));
    meter.look();
    QVERIFY(std::isnan(meter.mean()));  // empty: the kernel does not tell
    for (const int runnable : {9, 4, 1, 5}) {
      file.resize(0);
      file.seek(0);
      file.write(QByteArray("0.20 0.18 0.12 ") + QByteArray::number(runnable) + "/80 11206\n");
      file.flush();
      meter.look();
    }
    // The reader itself is one of them; the first look is forgotten.
    QVERIFY(meter.isFull());
    QCOMPARE(meter.mean(), (3 + 0 + 4) / 3.0);
  }

  void everyLineOfAFileSaysWhichResultItIsOf() {
    Result of = result(Kind::Latency, {});
    of.machine = {QStringLiteral("atlas"), QStringLiteral("Xeon \"E5\""), 2,
                  QStringLiteral("performance"), QString(), QString(), 0.25};
    of.build = {QStringLiteral("0.1.0"), QStringLiteral("gcc 12"), QStringLiteral("Release")};
    of.settings.seed = 18'446'744'073'709'551'615ULL;
    of.at = QDateTime(QDate(2024, 11, 18), QTime(13, 20), Qt::UTC);
    QCOMPARE(originHeads().join(u','), QStringLiteral("run,measured_at,build,seed,machine,load"));
    QCOMPARE(originOf(of, 7).join(u','),
             QStringLiteral("7,2024-11-18T13:20:00Z,0.1.0 Release gcc 12,18446744073709551615,"
                            "\"atlas, 2 \u00d7 Xeon \"\"E5\"\", governor performance\",0.25"));
    QCOMPARE(originOf(of, 0).front(), QString());
  }
};

QTEST_GUILESS_MAIN(TestBenchCompare)
#include "tst_bench_compare.moc"
