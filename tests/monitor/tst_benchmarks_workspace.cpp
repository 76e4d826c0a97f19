// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/resource.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProcess>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QTreeView>
#include <cmath>
#include <csignal>
#include <random>

#include "monitor/ui/bench_cost_plot.h"
#include "monitor/ui/benchmarks_workspace.h"
#include "resources/theme/delegates.h"
#include "resources/theme/exporter.h"
#include "resources/theme/plot.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/monitor/pictures.h"

using namespace tutti;
using namespace tutti::monitor;
using bench::Kind;

namespace {

/// A result as a machine could give it: `scale` times the usual, `noise` between repeats.
bench::Result someResult(Kind kind, double scale, double noise, const QDateTime& at, unsigned seed,
                         std::vector<int> sizes = {8, 32, 128, 512, 2048, 8192, 32768, 131072,
                                                   1048576}) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  bench::Result result;
  result.settings.kind = kind;
  result.settings.sizes = kind == Kind::TimeAdvance ? std::vector<int>{0} : std::move(sizes);
  result.settings.repeats = 5;
  result.settings.count = 10'000;
  result.machine = {QStringLiteral("atlas"),
                    QStringLiteral("Xeon 2.1 GHz"),
                    2,
                    QStringLiteral("performance"),
                    QStringLiteral("Linux 6.1"),
                    QStringLiteral("15.6 GB"),
                    0.12};
  result.build = {QStringLiteral("0.1.0"), QStringLiteral("gcc 12.2"), QStringLiteral("Release")};
  result.at = at;
  result.series = {{QStringLiteral("tutti-shm"), QStringLiteral("Tutti, shared memory"), {}},
                   {QStringLiteral("ring"), QStringLiteral("Bare ring"), {}}};
  for (const int size : result.settings.sizes) {
    double ringMedian = 0;
    for (const std::size_t which : {1U, 0U}) {
      bench::Point point;
      point.size = size;
      point.at = size;
      std::vector<double> all;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const double drift = 1 + noise * normal(random);
        std::vector<double> values;
        if (kind == Kind::Latency) {
          const double base = (which == 1 ? 0.5 : 1.1 * scale) + size / 6000.0;
          for (int i = 0; i < 2000; ++i) {
            values.push_back(base * drift *
                             (1 + 0.06 * std::abs(normal(random)) +
                              (i % 100 == 0 ? 1.5 * std::abs(normal(random)) : 0)));
          }
        } else if (kind == Kind::Throughput) {
          values = {(which == 1 ? 2.4e7 : 5e6 * scale) / (1 + size / 3000.0) * drift};
        } else {
          values = {(which == 1 ? 1.7e6 : 4.1e5 * scale) * drift};
        }
        bench::Repeat one;
        one.summary = bench::summarize(values);
        point.repeats.push_back(one);
        all.insert(all.end(), values.begin(), values.end());
      }
      point.summary = bench::summarize(all);
      if (kind == Kind::Latency) point.distribution = bench::distribution(all);
      if (which == 1) ringMedian = point.summary.median;
      point.ratioToRing = kind == Kind::Latency ? point.summary.median / ringMedian
                                                : ringMedian / point.summary.median;
      result.series[which].points.push_back(point);
    }
  }
  return result;
}

/// A result of any kind, as another RTI or ours could give it.
bench::Result anyResult(Kind kind, const QString& rti, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  const bench::KindFacts& facts = bench::factsOf(kind);
  bench::Result result = someResult(
      kind, 1, 0, QDateTime::currentDateTime().addSecs(-static_cast<int>(seed)), seed, {});
  result.settings = bench::usualSettings(kind);
  if (facts.sequence && facts.axis == bench::Axis::Instances) result.settings.federates = {1};
  result.rti = {rti, QStringLiteral("2.0")};
  result.series.clear();
  QStringList lines{QStringLiteral("rti/reliable")};
  if (result.settings.transports.size() > 1) lines << QStringLiteral("rti/best-effort");
  if (kind != Kind::Oversubscribed && !facts.sequence) lines << QStringLiteral("ring");
  std::vector<double> places = result.settings.axis();
  if (facts.sequence && facts.axis == bench::Axis::Instances) places = {1, 10, 100};
  for (const QString& line : lines) {
    const bool ring = line == QStringLiteral("ring");
    bench::Series series{line, ring ? QStringLiteral("Bare ring") : rti, {}};
    if (lines.size() > 2 && !ring)
      series.label +=
          line.endsWith(u't') ? QStringLiteral(", best effort") : QStringLiteral(", reliable");
    for (const double place : places) {
      bench::Point point;
      point.at = place;
      std::vector<double> all;
      for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<double> values;
        for (int i = 0; i < (facts.times ? 48 : 1); ++i) {
          const double base = facts.times ? 1 + place / 5000 : 4e6 / (1 + place / 5000);
          const double slower = ring ? 0.6 : scale;
          values.push_back((facts.times ? base * slower : base / slower) *
                           (1 + 0.05 * std::abs(normal(random))));
        }
        point.repeats.push_back({bench::summarize(values), 0});
        all.insert(all.end(), values.begin(), values.end());
      }
      point.summary = bench::summarize(all);
      if (facts.times && !facts.sequence) point.distribution = bench::distribution(all);
      point.ratioToRing = facts.sequence ? std::nan("") : ring ? 1 : scale / 0.6;
      if (facts.sequence) {
        point.mode = point.summary.median;
        point.frequency = 3;
      }
      if (bench::hasCosts(kind) && !ring) {
        point.costs = {{QStringLiteral("ns/update"), 400 * scale + 2e5 / place},
                       {QStringLiteral("ns/registered"), 2000 * scale + 3e6 / place},
                       {QStringLiteral("B/registered"), 290 + 2e6 / place},
                       {QStringLiteral("B/known"), 170 + 5e5 / place}};
      }
      series.points.push_back(point);
    }
    result.series.push_back(series);
  }
  return result;
}

RowId keep(RunStore& store, const bench::Result& result) {
  BenchmarkRecord record;
  record.at = result.at.toMSecsSinceEpoch();
  record.kind = bench::kindName(result.settings.kind);
  record.seed = result.settings.seed;
  record.repeats = result.settings.repeats;
  record.document = bench::toJson(result);
  return store.addBenchmark(record).value();
}

}  // namespace

class TestBenchmarksWorkspace : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;
  QTemporaryDir folder_;
  int files_ = 0;

  QString freshStore() { return folder_.filePath(QStringLiteral("store-%1.sqlite").arg(++files_)); }
  /// A stand-in for the command line tool.
  QString tool(const QString& body) {
    const QString path = folder_.filePath(QStringLiteral("tool-%1").arg(++files_));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write("#!/bin/sh\n" + body.toUtf8());
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    return path;
  }
  static QString sentenceOf(const BenchmarksWorkspace& page) {
    const auto* empty = page.findChild<theme::EmptyView*>(QStringLiteral("benchEmpty"));
    return empty->findChild<QLabel*>()->text();
  }
  void shoot(QWidget& page, const QString& name) {
    if (!monitor::test::keepsPictures()) return;
    QTest::qWait(400);
    monitor::test::keepPicture(page, name);
  }

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  void modelsKeepTheirPromises() {
    ShownModel shown;
    BenchTableModel table;
    CompareModel compare;
    QAbstractItemModelTester a(&shown, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester b(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester c(&compare, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QDateTime now = QDateTime::currentDateTime();
    const auto result =
        std::make_shared<StoredResult>(StoredResult{7, someResult(Kind::Latency, 1, 0.02, now, 1)});
    shown.setResults({result}, Kind::Latency);
    QCOMPARE(shown.series()[0].key, QStringLiteral("result/7"));
    QCOMPARE(shown.series()[1].what, ShownSeries::What::Ring);
    table.setSeries(shown.shown(), Kind::Latency);
    QCOMPARE(table.rowCount(), 18);
    QCOMPARE(table.index(0, BenchTableModel::Size).data().toString(), QStringLiteral("8\u202fB"));
    QVERIFY(table.index(1, BenchTableModel::Size).data().toString().isEmpty());
    // The ring is as far as itself from itself.
    QCOMPARE(table.index(1, BenchTableModel::Ratio).data(BenchTableModel::NumberRole).toDouble(),
             1.0);
    compare.setResults(result.get(), result.get());
    QCOMPARE(compare.index(0, CompareModel::Change).data().toString(), QStringLiteral("noise"));
    // Of the same minute: the heads would say the same.
    const StoredResult second{8, someResult(Kind::Latency, 1, 0.02, now, 2)};
    compare.setResults(result.get(), &second);
    const auto head = [&](int column) {
      return compare.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    };
    QVERIFY2(head(CompareModel::Before).endsWith(QStringLiteral(", 7")) &&
                 head(CompareModel::After).endsWith(QStringLiteral(", 8")),
             qPrintable(head(CompareModel::Before) + u' ' + head(CompareModel::After)));
    shown.setResults({}, Kind::Throughput);
    table.setSeries({}, Kind::Throughput);
    compare.setResults(nullptr, nullptr);
  }

  void whatWasSwitchedOffStaysOff() {
    ShownModel shown;
    const auto result = std::make_shared<StoredResult>(
        StoredResult{7, someResult(Kind::Latency, 1, 0.02, QDateTime::currentDateTime(), 1)});
    shown.setResults({result}, Kind::Latency);
    QVERIFY(shown.setData(shown.index(0), Qt::Unchecked, Qt::CheckStateRole));
    shown.setResults({result}, Kind::Latency);
    QVERIFY(!shown.series()[0].shown);
    QCOMPARE(shown.index(0).data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
  }

  void anEmptyPageSaysWhatWillBeHere() {
    BenchmarksWorkspace page(freshStore(), QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* empty = page.findChild<theme::EmptyView*>(QStringLiteral("benchEmpty"));
    QVERIFY(empty->isVisible());
    auto* button = page.findChild<QPushButton*>(QStringLiteral("emptyViewButton"));
    QTRY_COMPARE_WITH_TIMEOUT(button->text(), QStringLiteral("Run suite"), 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(button->isVisible(), 30'000);
    QVERIFY(button->property("role").toString() != QStringLiteral("primary"));
    QVERIFY(sentenceOf(page).startsWith("Nothing of this kind"));
    QVERIFY(page.commandLine().startsWith(
        "tutti bench latency --repeats 5 --seed 1207 && tutti bench throughput"));
    // How long it takes is told before it is started.
    const auto* suites = page.findChild<QListView*>(QStringLiteral("suites"))->model();
    QCOMPARE(suites->index(0, 0).data(theme::DetailRole).toString(),
             QStringLiteral("8 B to 64 KiB, grants; 1 to 2 min"));
    shoot(page, "bench-empty");
  }

  void storedResultsAreShownAndCompared() {
    const QString path = freshStore();
    {
      auto store = RunStore::open(path).value();
      const QDateTime now = QDateTime::currentDateTime();
      keep(*store, someResult(Kind::Latency, 1.3, 0.02, now.addDays(-2), 3));
      keep(*store, someResult(Kind::Latency, 1.0, 0.02, now.addSecs(-600), 4));
      keep(*store, someResult(Kind::Throughput, 1.0, 0.04, now.addSecs(-900), 5));
      keep(*store, someResult(Kind::Throughput, 1.05, 0.04, now.addSecs(-500), 6));
      keep(*store, someResult(Kind::TimeAdvance, 1.0, 0.03, now.addSecs(-800), 7));
      keep(*store, someResult(Kind::TimeAdvance, 1.1, 0.03, now.addSecs(-400), 8));
    }
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* table = page.findChild<QTreeView*>(QStringLiteral("benchTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 27,
                              30'000);  // nine sizes, two results and the ring
    auto* headline = page.findChild<QLabel*>(QStringLiteral("compareHeadline"));
    QVERIFY2(headline->text().contains("of 9 changes are significant"),
             qPrintable(headline->text()));
    QVERIFY2(headline->text().contains("faster"), qPrintable(headline->text()));
    shoot(page, "bench-latency");

    // A switched off series leaves table and plots.
    auto* list = page.findChild<QListView*>(QStringLiteral("shownSeries"));
    QVERIFY(list->model()->setData(list->model()->index(1, 0), Qt::Unchecked, Qt::CheckStateRole));
    QCOMPARE(table->model()->rowCount(), 18);

    page.showKind(Kind::Throughput);
    shoot(page, "bench-throughput");
    page.showKind(Kind::TimeAdvance);
    QCOMPARE(table->model()->rowCount(), 3);
    shoot(page, "bench-timeadvance");

    // The window's one filled button is Run in the pulse bar.
    for (const auto* button : page.findChildren<QPushButton*>())
      QVERIFY2(button->property("role").toString() != QStringLiteral("primary") ||
                   !button->isVisible(),
               qPrintable(button->text()));

    QTemporaryDir out;
    const auto files = page.exportInto(out.path());
    QVERIFY2(files.has_value(), files ? "" : qPrintable(files.error()));
    QCOMPARE(*files, 15);
    QCOMPARE(QDir(out.path()).entryList(QDir::Files).size(), 15);
    QFile csv(out.filePath(QStringLiteral("tutti-throughput.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QVERIFY(csv.readLine().contains("updates/s, result 4, atlas"));
    QCOMPARE(csv.readLine().trimmed(),
             QByteArray("Size,Series,Median,Mean,SD,Least,To ring,Lost,run,measured_at,build,seed,"
                        "machine,load"));
    // Each line says which result it is of; the ring is that of the newest.
    QList<QByteArray> runs;
    while (!csv.atEnd()) {
      const QByteArray line = csv.readLine().trimmed();
      QVERIFY2(line.endsWith(",0.1.0 Release gcc 12.2,1207,"
                             "\"atlas, 2 \u00d7 Xeon 2.1 GHz, governor performance\",0.12"),
               line.constData());
      runs << line.split(',').at(8);
      if (runs.size() == 3) break;
    }
    QCOMPARE(runs, (QList<QByteArray>{"4", "3", "4"}));
    QCOMPARE(page.kind(), Kind::TimeAdvance);
  }

  /// The page says what the command line says, and marks the bare limit as what it is.
  void aMachineThatChangedIsSaid() {
    const QString path = freshStore();
    const QDateTime now = QDateTime::currentDateTime();
    const std::vector<int> sizes{8, 128, 1024, 65'536};
    StoredResult before{1, someResult(Kind::Throughput, 1, 0.01, now.addDays(-1), 5, sizes)};
    StoredResult after{2, someResult(Kind::Throughput, 1.2, 0.01, now, 6, sizes)};
    for (bench::Point& point : after.result.series[1].points) {
      for (bench::Repeat& each : point.repeats) {
        each.summary = bench::summarize({each.summary.median * 1.66});
      }
    }
    before.result.machine.loadBefore = 6.5;
    before.result.machine.loadAfter = 3;
    {
      auto store = RunStore::open(path).value();
      keep(*store, before.result);
      keep(*store, after.result);
    }
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    page.showKind(Kind::Throughput);
    auto* headline = page.findChild<QLabel*>(QStringLiteral("compareHeadline"));
    const bench::Comparison said = bench::compareResults(before.result, after.result);
    QTRY_COMPARE_WITH_TIMEOUT(headline->text(), said.verdict, 30'000);
    QVERIFY2(said.verdict.endsWith("4 of 4 changes are significant, all worse."),
             qPrintable(said.verdict));
    auto* warning = page.findChild<QLabel*>(QStringLiteral("compareWarning"));
    QVERIFY(warning->isVisible());
    QCOMPARE(warning->text(), said.warning);
    QVERIFY(said.warning.contains("load 6.5 on 2 processors"));
    const auto* table = page.findChild<QTreeView*>(QStringLiteral("compareTable"))->model();
    QCOMPARE(table->rowCount(), 8);
    const auto text = [&](int row, int column) {
      return table->index(row, column).data().toString();
    };
    QVERIFY2(text(0, CompareModel::Before).endsWith(u'×'), qPrintable(text(0, 1)));
    QCOMPARE(table->index(0, 0).data(CompareModel::DifferenceRole).toInt(),
             int(bench::Difference::Verdict::Worse));
    QVERIFY(text(4, CompareModel::What).endsWith("bare ring"));
    QVERIFY2(text(4, CompareModel::Before).endsWith(u'M'), qPrintable(text(4, 1)));
    QVERIFY(text(4, CompareModel::Change).contains(u'%'));
    QCOMPARE(table->index(4, 0).data(CompareModel::DifferenceRole).toInt(),
             int(bench::Difference::Verdict::Noise));
    shoot(page, "bench-machine-changed");

    CompareModel compare;
    compare.setResults(&before, &after);
    const QString file = folder_.filePath(QStringLiteral("comparison.csv"));
    QVERIFY(theme::exportCsv(compare, QStringLiteral("Comparison"), file, CompareModel::NumberRole,
                             compare.origins())
                .has_value());
    QFile csv(file);
    QVERIFY(csv.open(QIODevice::ReadOnly));
    csv.readLine();
    QVERIFY(csv.readLine().trimmed().endsWith(
        ",judged,run_before,measured_at_before,build_before,seed_before,machine_before,"
        "load_before,run_after,measured_at_after,build_after,seed_after,machine_after,"
        "load_after"));
    QVERIFY(csv.readLine().contains(",ratio,1,"));
  }

  /// While other programs keep the processors busy the page says so, before anything is started.
  void otherWorkIsAWarningBeforeItStarts() {
    BenchmarksWorkspace page(freshStore(),
                             tool(QStringLiteral("echo 'warning Too much.' >&2; echo '{}'")));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* warning = page.findChild<QLabel*>(QStringLiteral("benchWarning"));
    std::vector<std::unique_ptr<QProcess>> others;
    for (int i = 0; i < 2 * QThread::idealThreadCount(); ++i) {
      others.push_back(std::make_unique<QProcess>());
      others.back()->start(QStringLiteral("/bin/sh"),
                           {QStringLiteral("-c"), QStringLiteral("while :; do :; done")});
      QVERIFY(others.back()->waitForStarted());
    }
    const bool said = QTest::qWaitFor([&] { return warning->isVisible(); }, 30'000);
    if (said) shoot(page, "bench-busy");
    for (auto& each : others) each->kill();
    for (auto& each : others) each->waitForFinished();
    QVERIFY(said);
    QVERIFY2(warning->text().startsWith("Other work keeps the processors busy: load "),
             qPrintable(warning->text()));
    // What the measuring program itself finds comes in its place.
    QSignalSpy finished(page.run(), &BenchRun::finished);
    page.runSuite();
    QCOMPARE(warning->text(), QString());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(warning->text(), QStringLiteral("Too much."));
  }

  void everyKindIsDrawnWithTwoRtisSideBySide_data() {
    QTest::addColumn<int>("kind");
    for (const bench::KindFacts& each : bench::allKinds()) {
      QTest::newRow(each.name) << int(each.kind);
    }
  }
  void everyKindIsDrawnWithTwoRtisSideBySide() {
    QFETCH(int, kind);
    const Kind which = static_cast<Kind>(kind);
    const QString path = freshStore();
    const bench::Result ours = anyResult(which, QStringLiteral("Tutti"), 1, 60);
    {
      auto store = RunStore::open(path).value();
      keep(*store, anyResult(which, QStringLiteral("OtherRTI"), 40, 600));
      keep(*store, ours);
    }
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    page.showKind(which);
    auto* table = page.findChild<QTreeView*>(QStringLiteral("benchTable"));
    int yardsticks = 0;
    for (const bench::Series& each : ours.series) yardsticks += each.isYardstick();
    const int lines = 2 * (static_cast<int>(ours.series.size()) - yardsticks) + yardsticks;
    const int places = static_cast<int>(ours.series.front().points.size());
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), lines * places, 30'000);
    auto* shown = page.findChild<QListView*>(QStringLiteral("shownSeries"));
    QStringList names;
    for (int row = 0; row < shown->model()->rowCount(); ++row) {
      names << shown->model()->index(row, 0).data().toString();
    }
    QVERIFY2(names.join(u'\n').contains(QStringLiteral("OtherRTI")), qPrintable(names.join(u'\n')));
    // What the classic papers printed stands on the plots of the DMSO suite only, without a line.
    const bool classic = which == Kind::DmsoLatency || which == Kind::DmsoTimeAdvance ||
                         which == Kind::DmsoThroughput;
    QCOMPARE(names.contains(QStringLiteral("SHM-CERTI")), classic);
    // The two are one machine, but not one RTI.
    auto* headline = page.findChild<QLabel*>(QStringLiteral("compareHeadline"));
    QVERIFY(!headline->text().isEmpty());
    CompareModel compare;
    const StoredResult theirs{1, anyResult(which, QStringLiteral("OtherRTI"), 40, 600)};
    const StoredResult stored{2, ours};
    compare.setResults(&theirs, &stored);
    QVERIFY(
        compare.comparison().circumstances.contains(QStringLiteral("RTI (OtherRTI and Tutti)")));
    QCOMPARE(compare.rowCount(), static_cast<int>(ours.series.size()) * places);
    shoot(page, "bench-kind-" + bench::kindName(which));
  }

  /// What each instance of a crowd costs: as lines over their number and in the table.
  void whatInstancesCostIsDrawnAndWritten() {
    const QString path = freshStore();
    const bench::Result result = anyResult(Kind::Clutter, QStringLiteral("Tutti"), 1, 60);
    keep(*RunStore::open(path).value(), result);
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* processor = page.findChild<CostPlot*>(QStringLiteral("processorPlot"));
    auto* memory = page.findChild<CostPlot*>(QStringLiteral("memoryPlot"));
    auto* spread = page.findChild<SpreadPlot*>(QStringLiteral("spreadPlot"));
    QVERIFY(processor->isHidden() && memory->isHidden() && !spread->isHidden());
    page.showKind(Kind::Clutter);
    QTRY_VERIFY_WITH_TIMEOUT(processor->isVisible() && memory->isVisible() && !spread->isVisible(),
                             30'000);
    QTRY_COMPARE_WITH_TIMEOUT(memory->plot()->graphCount(), 2, 30'000);
    QCOMPARE(processor->plot()->graphCount(), 2);
    const auto drawn = [](const CostPlot& plot, int graph) {
      std::vector<std::pair<double, double>> points;
      for (const QCPGraphData& each : *plot.plot()->graph(graph)->data()) {
        points.emplace_back(each.key, each.value);
      }
      return points;
    };
    const std::vector<bench::Point>& points = result.series.front().points;
    const auto costs = [&](const char* name) {
      std::vector<std::pair<double, double>> pairs;
      for (const bench::Point& each : points) {
        pairs.emplace_back(each.at, each.costs.at(QString::fromLatin1(name)));
      }
      return pairs;
    };
    QCOMPARE(points.size(), std::size_t{4});
    QCOMPARE(drawn(*processor, 0), costs("ns/update"));
    QCOMPARE(drawn(*processor, 1), costs("ns/registered"));
    QCOMPARE(drawn(*memory, 0), costs("B/registered"));
    QCOMPARE(drawn(*memory, 1), costs("B/known"));
    for (const CostPlot* plot : {processor, memory}) {
      QCOMPARE(plot->plot()->xAxis->scaleType(), QCPAxis::stLogarithmic);
      QVERIFY(plot->plot()->xAxis->range().contains(1000) &&
              plot->plot()->xAxis->range().contains(1e6));
    }
    const auto* table = page.findChild<QTreeView*>(QStringLiteral("benchTable"))->model();
    QStringList heads;
    for (int column = BenchTableModel::ColumnCount; column < table->columnCount(); ++column) {
      heads << table->headerData(column, Qt::Horizontal).toString();
    }
    QCOMPARE(heads, QStringList({"ns/update", "ns/new", "B/owned", "B/known"}));
    QCOMPARE(table->index(0, BenchTableModel::Size).data().toString(),
             QStringLiteral("1\u202f000"));
    QCOMPARE(table->index(0, BenchTableModel::ColumnCount + 2).data().toString(),
             QStringLiteral("2\u202f290"));
    // The ring has no instances.
    QCOMPARE(table->index(1, BenchTableModel::ColumnCount + 2).data().toString(),
             QStringLiteral("–"));
    QTemporaryDir out;
    QCOMPARE(page.exportInto(out.path()).value_or(0), 7);
    QVERIFY(QFile::exists(out.filePath(QStringLiteral("tutti-clutter-memory.svg"))));
    QFile csv(out.filePath(QStringLiteral("tutti-clutter.csv")));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    csv.readLine();
    QVERIFY(csv.readLine().trimmed().contains("Lost,ns/update,ns/new,B/owned,B/known,run,"));
    shoot(page, "bench-costs");
  }

  /// What has just been measured is compared with what was before, not with itself.
  void whatIsNewIsComparedWithWhatWasBefore() {
    const QString path = freshStore();
    const QString document = folder_.filePath(QStringLiteral("newest.json"));
    const QDateTime now = QDateTime::currentDateTime();
    const auto result = [&](int seconds) {
      return someResult(Kind::Latency, 1, 0.02, now.addSecs(seconds), 9, {128});
    };
    auto store = RunStore::open(path).value();
    keep(*store, result(-600));
    {
      QFile file(document);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QJsonDocument(bench::toJson(result(0))).toJson());
    }
    BenchmarksWorkspace page(path, tool(QStringLiteral("cat %1\n").arg(document)));
    page.resize(1368, 804);
    page.show();
    auto* before = page.findChild<QComboBox*>(QStringLiteral("compareBefore"));
    auto* after = page.findChild<QComboBox*>(QStringLiteral("compareAfter"));
    QTRY_COMPARE_WITH_TIMEOUT(after->count(), 1, 30'000);
    // The tool would store it.
    const RowId second = keep(*store, result(0));
    page.run()->start({bench::Settings{}});
    QTRY_COMPARE_WITH_TIMEOUT(after->count(), 2, 30'000);
    QCOMPARE(after->currentData().toLongLong(), second);
    QVERIFY(before->currentData().toLongLong() != second);
    // A choice stays when the page reads again.
    after->setCurrentIndex(1);
    emit after->activated(1);
    page.reload();
    QTRY_VERIFY_WITH_TIMEOUT(!page.isReading(), 30'000);
    QCOMPARE(after->currentIndex(), 1);
    QCOMPARE(before->currentData().toLongLong(), second);
  }

  /// Every line has its whole name in the table, with the time where two results are shown.
  void namesOfLinesAreNotCutOff() {
    const QString path = freshStore();
    {
      auto store = RunStore::open(path).value();
      for (const int days : {3, 0}) {
        bench::Result result = anyResult(Kind::Dbe, QStringLiteral("Tutti"), 1, 60);
        result.at = result.at.addDays(-days);
        const bench::Series line = result.series.front();
        const bench::Series ring = result.series.back();
        result.series.clear();
        for (const int hosts : {1, 2}) {
          for (const QString& way : bench::allArchitectures()) {
            result.series.push_back(line);
            result.series.back().id = QStringLiteral("rti/%1/%2").arg(way).arg(hosts);
            result.series.back().label =
                QStringLiteral("Tutti, %1, %2").arg(way, hosts > 1 ? "2 hosts" : "1 host");
          }
        }
        result.series.push_back(ring);
        keep(*store, result);
      }
    }
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    page.showKind(Kind::Dbe);
    auto* shown = page.findChild<QListView*>(QStringLiteral("shownSeries"));
    QTRY_VERIFY_WITH_TIMEOUT(shown->model()->rowCount() >= 13, 30'000);
    for (int row = 0; row < shown->model()->rowCount(); ++row) {
      shown->model()->setData(shown->model()->index(row, 0), Qt::Checked, Qt::CheckStateRole);
    }
    shoot(page, "bench-names");
    bool longest = false;
    for (const auto& [name, column] : {std::pair("benchTable", int(BenchTableModel::Series)),
                                       {"compareTable", int(CompareModel::What)}}) {
      auto* table = page.findChild<QTreeView*>(QString::fromLatin1(name));
      QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, 30'000);
      const QFontMetrics metrics(theme::textFont(theme::TextStyle::Table));
      for (int row = 0; row < table->model()->rowCount(); ++row) {
        const QString text = table->model()->index(row, column).data().toString();
        longest = longest || text.startsWith(QStringLiteral("decentralized, 2 hosts "));
        // The stroke before the name, and the edges of the cell.
        const int room = table->header()->sectionSize(column) -
                         (column == BenchTableModel::Series ? 24 : 0) - 16;
        QVERIFY2(metrics.horizontalAdvance(text) <= room,
                 qPrintable(QStringLiteral("%1: %2 px for %3")
                                .arg(text)
                                .arg(room)
                                .arg(metrics.horizontalAdvance(text))));
      }
    }
    QVERIFY(longest);
    // On a small screen, or one at 200 %: what is compared and how it changed stay readable, and no
    // title is cut.
    page.resize(830, 560);
    shoot(page, "bench-small");
    for (const char* name : {"benchTable", "compareTable"}) {
      auto* table = page.findChild<QTreeView*>(QString::fromLatin1(name));
      QTRY_VERIFY_WITH_TIMEOUT(table->header()->length() <= table->viewport()->width(), 5000);
      const int column =
          QByteArray(name) == "benchTable" ? int(BenchTableModel::Series) : int(CompareModel::What);
      QVERIFY2(
          table->header()->sectionSize(column) >= (name[0] == 'b' ? 190 : 140),
          qPrintable(QStringLiteral("%1: %2").arg(name).arg(table->header()->sectionSize(column))));
      for (int section = 0; section < table->header()->count(); ++section) {
        if (table->header()->isSectionHidden(section)) continue;
        const QString title = table->model()->headerData(section, Qt::Horizontal).toString();
        const int room = table->header()->sectionSize(section) - 12;
        QVERIFY2(QFontMetrics(table->header()->font()).horizontalAdvance(title) <= room,
                 qPrintable(QStringLiteral("%1 in %2 px").arg(title).arg(room)));
      }
    }
  }

  /// Fields and options are the settings of the command line; what cannot be measured is said.
  void everySettingIsChosen() {
    BenchmarksWorkspace page(freshStore(), QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* part = page.findChild<QComboBox*>(QStringLiteral("benchPart"));
    auto* options = page.findChild<QLineEdit*>(QStringLiteral("benchOptions"));
    auto* go = page.findChild<QPushButton*>(QStringLiteral("benchRun"));
    auto* problem = page.findChild<QLabel*>(QStringLiteral("benchChoiceProblem"));
    part->setCurrentIndex(1);
    emit part->activated(1);
    page.findChild<QComboBox*>(QStringLiteral("benchArchitecture"))->setCurrentIndex(4);
    page.findChild<QComboBox*>(QStringLiteral("benchHosts"))->setCurrentIndex(3);
    options->setText(QStringLiteral("--size 64,1k --wait"));
    QCOMPARE(page.commandLine(),
             QStringLiteral("tutti bench latency --size 64,1024 --repeats 5 --seed 1207 --wait "
                            "--architecture decentralized,federated,centralized --hosts 1,2"));
    QVERIFY(go->isEnabled() && !problem->isVisible());
    for (const auto& [text, says] : {std::pair("--size none", "--size cannot be \"none\""),
                                     {"--fast", "\"--fast\" is none of the options"},
                                     {"--hosts 20", "The number of hosts must be 1 to 16"}}) {
      options->setText(QString::fromLatin1(text));
      QVERIFY2(problem->isVisible() && problem->text().startsWith(QString::fromLatin1(says)),
               qPrintable(problem->text()));
      QVERIFY(!go->isEnabled());
      QCOMPARE(go->toolTip(), problem->text());
      QCOMPARE(page.commandLine(), QString());
      page.runSuite();
      QVERIFY(!page.run()->isRunning());
    }
    options->clear();
    QVERIFY(go->isEnabled() && !problem->isVisible());
    // Another suite has parts of its own.
    auto* suites = page.findChild<QListView*>(QStringLiteral("suites"));
    suites->setCurrentIndex(suites->model()->index(2, 0));
    QVERIFY(!part->isVisible());
  }

  void anotherRtiAndAnotherSequenceAreChosen() {
    QTemporaryDir programs;
    const QString sequence = folder_.filePath(QStringLiteral("my.tsf"));
    QVERIFY(QFile(sequence).open(QIODevice::WriteOnly));
    QSettings settings;
    settings.setValue(QStringLiteral("benchmarks/programs"),
                      QStringList{programs.path(), QStringLiteral("/nowhere")});
    settings.setValue(QStringLiteral("benchmarks/sequences"), QStringList{sequence});
    BenchmarksWorkspace page(freshStore(), QStringLiteral("/bin/false"));
    settings.clear();
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* rti = page.findChild<QComboBox*>(QStringLiteral("benchRti"));
    QCOMPARE(rti->count(), 3);  // Tutti, the folder that is there, and "Choose…"
    QVERIFY(!page.commandLine().contains(QStringLiteral("--tools")));
    rti->setCurrentIndex(1);
    QVERIFY(page.commandLine().contains(QStringLiteral("--tools ") + programs.path()));
    auto* file = page.findChild<QComboBox*>(QStringLiteral("benchSequence"));
    QVERIFY(!file->isVisible());
    auto* suites = page.findChild<QListView*>(QStringLiteral("suites"));
    suites->setCurrentIndex(suites->model()->index(3, 0));
    QCOMPARE(suites->currentIndex().data().toString(), QStringLiteral("RTIBM"));
    QVERIFY(file->isVisible());
    file->setCurrentIndex(1);
    QCOMPARE(page.commandLine(),
             QStringLiteral("tutti bench rtibm --tools %1 --seed 1207 --sequence %2")
                 .arg(programs.path(), sequence));
    QCOMPARE(page.kind(), Kind::RtibmOwot);
    shoot(page, "bench-chosen");
  }

  void aListOfResultsArrivesOneByOne() {
    const QString document = folder_.filePath(QStringLiteral("list.json"));
    {
      QJsonArray list;
      for (const Kind each : {Kind::RtibmOwot, Kind::RtibmRtol}) {
        list.append(bench::toJson(anyResult(each, QStringLiteral("Tutti"), 1, 5)));
      }
      QFile file(document);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QJsonDocument(list).toJson());
    }
    BenchRun run(tool(QStringLiteral("cat %1\n").arg(document)));
    QSignalSpy arrived(&run, &BenchRun::resultArrived);
    QSignalSpy finished(&run, &BenchRun::finished);
    run.start({bench::usualSettings(Kind::RtibmOwot)});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(finished[0][0].toString(), QString());
    QCOMPARE(arrived.count(), 2);
  }

  void aSuiteIsRunAsTheCommandLineShown() {
    const QString path = freshStore();
    const QString seen = folder_.filePath(QStringLiteral("seen"));
    const QString document = folder_.filePath(QStringLiteral("document.json"));
    {
      QFile file(document);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(QJsonDocument(bench::toJson(someResult(Kind::Latency, 1, 0.02,
                                                        QDateTime::currentDateTime(), 9, {128})))
                     .toJson());
    }
    BenchmarksWorkspace page(path,
                             tool(QStringLiteral("echo \"$@\" >> %1\n"
                                                 "echo 'progress 0 2 128 B, repeat 1 of 1' >&2\n"
                                                 "cat %2\n")
                                      .arg(seen, document)));
    page.resize(1368, 804);
    page.show();
    QSignalSpy arrived(page.run(), &BenchRun::resultArrived);
    QSignalSpy finished(page.run(), &BenchRun::finished);
    const QString promised = page.commandLine();
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("benchRun")), Qt::LeftButton);
    QVERIFY(page.findChild<QWidget*>(QStringLiteral("benchProgress"))->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QCOMPARE(arrived.count(), 3);
    QCOMPARE(finished[0][0].toString(), QString());
    QFile file(seen);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QStringList ran = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    for (QString& line : ran)
      line = QStringLiteral("tutti ") + line.remove(QStringLiteral(" --json --progress"));
    QCOMPARE(ran.join(QStringLiteral(" && ")), promised);
  }

  void whatWentWrongIsSaid_data() {
    QTest::addColumn<QString>("body");
    QTest::addColumn<QString>("says");
    QTest::newRow("an error in the document")
        << QStringLiteral("echo '{\"error\": \"bench-ring is missing\"}'; exit 1")
        << QStringLiteral("bench-ring is missing");
    QTest::newRow("words on standard error")
        << QStringLiteral("echo 'tutti: out of memory' >&2; exit 1")
        << QStringLiteral("out of memory");
    QTest::newRow("killed") << QStringLiteral("kill -9 $$") << QStringLiteral("ended early");
  }
  void whatWentWrongIsSaid() {
    QFETCH(QString, body);
    QFETCH(QString, says);
    BenchmarksWorkspace page(freshStore(), tool(body));
    page.resize(1368, 804);
    page.show();
    QSignalSpy finished(page.run(), &BenchRun::finished);
    page.runSuite();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    auto* problem = page.findChild<QLabel*>(QStringLiteral("benchProblem"));
    QVERIFY(problem->isVisible());
    QVERIFY2(problem->text().contains(says), qPrintable(problem->text()));
    QVERIFY(page.findChild<QPushButton*>(QStringLiteral("benchRun"))->isEnabled());
  }

  void aMissingToolIsNamed() {
    BenchRun run(QStringLiteral("/nowhere/tutti"));
    QSignalSpy finished(&run, &BenchRun::finished);
    run.start({bench::Settings{}});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QVERIFY(finished[0][0].toString().startsWith("/nowhere/tutti cannot be started"));
  }

  void cancelEndsItWithinASecondWithNothingLeft() {
    const QString pidFile = folder_.filePath(QStringLiteral("pid-%1").arg(++files_));
    // One that does not listen to SIGTERM.
    BenchRun run(tool(
        QStringLiteral("trap '' TERM\necho $$ > %1\nexec sleep 60 > /dev/null\n").arg(pidFile)));
    QSignalSpy finished(&run, &BenchRun::finished);
    run.start({bench::Settings{}, bench::Settings{}});
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(pidFile).size() > 0, 30'000);
    QFile file(pidFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const pid_t pid = file.readAll().trimmed().toInt();
    QCOMPARE(::kill(pid, 0), 0);
    run.cancel();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QVERIFY(!run.isRunning());
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0, 30'000);
  }

  // A click on Cancel is answered before the tool has ended.
  void waitingShowsTheTimeAndCancelIsAnswered() {
    BenchmarksWorkspace page(freshStore(), tool(QStringLiteral("trap '' TERM\n"
                                                               "exec sleep 60 > /dev/null\n")));
    page.resize(1368, 804);
    page.show();
    QSignalSpy finished(page.run(), &BenchRun::finished);
    auto* cancel = page.findChild<QPushButton*>(QStringLiteral("benchCancel"));
    auto* text = page.findChild<QLabel*>(QStringLiteral("benchProgressText"));
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("benchRun")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(text->isVisible() && text->text().endsWith(", 00:00:01"), 30'000);
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY2(text->text().startsWith(QStringLiteral("Cancelling, ")), qPrintable(text->text()));
    QVERIFY(!cancel->isEnabled());
    QCOMPARE(finished.count(), 0);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 30'000);
    QVERIFY(!page.findChild<QWidget*>(QStringLiteral("benchProgress"))->isVisible());
    // The next one can be cancelled again.
    QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("benchRun")), Qt::LeftButton);
    QVERIFY(cancel->isVisible() && cancel->isEnabled());
    cancel->click();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 30'000);
  }

  void aStoreThatCannotBeReadIsSaid() {
    BenchmarksWorkspace page(QStringLiteral("/proc/nowhere/runs.sqlite"),
                             QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QTRY_COMPARE_WITH_TIMEOUT(page.statusNotes(), QStringList{"Results cannot be read"}, 30'000);
  }

  /// While another program has it locked the window stays usable and says so; afterwards the
  /// results come by themselves.
  void aLockedStoreIsWaitedForBesideTheWindow() {
    const QString path = freshStore();
    keep(*RunStore::open(path).value(),
         someResult(Kind::Latency, 1.0, 0.02, QDateTime::currentDateTime(), 4));
    {
      QSqlDatabase other = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), "other");
      other.setDatabaseName(path);
      QVERIFY(other.open());
      for (const char* statement : {"PRAGMA locking_mode=EXCLUSIVE", "CREATE TABLE mine(x)"}) {
        QSqlQuery query(other);
        QVERIFY2(query.exec(QString::fromLatin1(statement)), statement);
      }
      BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
      page.resize(1368, 804);
      // Events are handled while it waits: a read in this thread would never be seen under way. On
      // a busy machine the first attempt may be over when the window is there.
      QStringList notes;
      QString sentence;
      QTimer look;
      connect(&look, &QTimer::timeout, &page, [&] {
        if (!page.isReading() || !sentence.isEmpty()) return;
        notes = page.statusNotes();
        sentence = sentenceOf(page);
        shoot(page, "bench-reading");
      });
      look.start(10);
      page.show();
      QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
      QTRY_VERIFY_WITH_TIMEOUT(!sentence.isEmpty(), 30'000);
      QCOMPARE(notes, QStringList{"Reading results"});
      QVERIFY2(sentence.startsWith("Reading the stored results"), qPrintable(sentence));
      QTRY_VERIFY_WITH_TIMEOUT(sentenceOf(page).contains("another program has locked it"), 30'000);
      QVERIFY(sentenceOf(page).contains(path));
      QCOMPARE(page.statusNotes(), QStringList{"Results cannot be read"});
      shoot(page, "bench-locked");
      auto* table = page.findChild<QTreeView*>(QStringLiteral("benchTable"));
      QCOMPARE(table->model()->rowCount(), 0);
      other.close();
      QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 18, 30'000);
      QCOMPARE(page.statusNotes(), QStringList{"Stored as result 1"});
    }
    QSqlDatabase::removeDatabase("other");
  }

  void aDamagedStoreIsSaid_data() {
    QTest::addColumn<qint64>("from");
    QTest::newRow("from its first byte") << qint64{0};
    QTest::newRow("behind its first page") << qint64{4096};
  }
  void aDamagedStoreIsSaid() {
    QFETCH(qint64, from);
    const QString path = freshStore();
    {
      auto store = RunStore::open(path).value();
      for (int i = 0; i < 20; ++i)
        keep(*store, someResult(Kind::Latency, 1.0, 0.02, QDateTime::currentDateTime(), 4));
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    const qint64 size = file.size();
    QVERIFY(size > 3 * 4096);
    QVERIFY(file.seek(from));
    file.write(QByteArray(static_cast<qsizetype>(size - from), '?'));
    file.close();
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    QTRY_COMPARE_WITH_TIMEOUT(page.statusNotes(), QStringList{"Results cannot be read"}, 30'000);
    QVERIFY2(sentenceOf(page).contains("the file is damaged"), qPrintable(sentenceOf(page)));
    QVERIFY(sentenceOf(page).contains(path));
    shoot(page, "bench-damaged");
    auto* button = page.findChild<QPushButton*>(QStringLiteral("emptyViewButton"));
    QCOMPARE(button->text(), QStringLiteral("Try again"));
    // Moved away, as it was said.
    QVERIFY(QFile::rename(path, path + QStringLiteral(".damaged")));
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(page.statusNotes(), QStringList(), 30'000);
    QVERIFY(sentenceOf(page).startsWith("Nothing of this kind"));
  }

  /// No file of this process may grow: as on a full disk.
  void aFullDiskIsSaid() {
    const QString path = freshStore();
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 0;
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &none), 0);
    BenchmarksWorkspace page(path, QStringLiteral("/bin/false"));
    page.resize(1368, 804);
    page.show();
    const auto said = [&] { return sentenceOf(page).contains("no room is left"); };
    const bool good = QTest::qWaitFor(said, 30'000);
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, ignored);
    QVERIFY2(good, qPrintable(sentenceOf(page)));
    QVERIFY(sentenceOf(page).contains(path));
  }
};

QTEST_MAIN(TestBenchmarksWorkspace)
#include "tst_benchmarks_workspace.moc"
