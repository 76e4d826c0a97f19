// SPDX-License-Identifier: GPL-3.0-or-later
// The Benchmarks page with the real tool and the real measuring programs: whatever the command line
// measures is measured from the page, comes out the same kind of result, and is in the run store.
#include <QComboBox>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "monitor/ui/benchmarks_workspace.h"
#include "resources/theme/theme.h"

using namespace tutti;
using namespace tutti::monitor;

class TestBenchPage : public QObject {
  Q_OBJECT

 private:
  static constexpr const char* tool = TUTTI_BINARY_DIR "/bin/tutti";
  std::unique_ptr<theme::Theme> theme_;
  QTemporaryDir folder_;

  /// What a result is of, without when and how fast it was: kind, settings, lines and places.
  static QJsonObject factsOf(const bench::Result& result) {
    QJsonObject facts = bench::toJson(result)[QStringLiteral("settings")].toObject();
    facts[QStringLiteral("kind")] = bench::kindName(result.settings.kind);
    QStringList lines;
    for (const bench::Series& series : result.series) {
      lines << series.id + u' ' + series.label;
      for (const bench::Point& point : series.points) {
        lines.back() += QStringLiteral(" %1:%2").arg(point.at).arg(point.repeats.size());
        for (const auto& [name, value] : point.costs) lines.back() += u' ' + name;
      }
    }
    facts[QStringLiteral("lines")] = lines.join(u'\n');
    return facts;
  }

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_DATA_HOME", folder_.path().toUtf8());
    theme_ = std::make_unique<theme::Theme>();
    theme_->apply(theme::Appearance::Light);
  }

  void whatTheCommandLineMeasuresThePageDoesToo_data() {
    QTest::addColumn<QString>("suite");
    QTest::addColumn<int>("part");
    QTest::addColumn<int>("architecture");
    QTest::addColumn<int>("hosts");
    QTest::addColumn<QString>("options");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* name, const char* suite, int part, const char* options,
                        const char* line, int architecture = 0, int hosts = 0) {
      QTest::newRow(name) << suite << part << architecture << hosts << options << line;
    };
    const char* small = "--count 60 --warm-up 20 --pin free --wait";
    row("latency", "Against the ring", 1, small, "latency");
    row("throughput", "Against the ring", 2, small, "throughput");
    row("timeadvance", "Time advance", 0, small, "timeadvance");
    row("dmso latency", "DMSO", 1, "--count 60 --warm-up 20 --size 128,512 --pin free --wait",
        "dmso latency");
    row("dmso timeadvance", "DMSO", 2, "--count 60 --warm-up 20 --cycles 2 --pin free --wait",
        "dmso timeadvance");
    row("dmso throughput", "DMSO", 3,
        "--count 60 --warm-up 20 --cycles 2 --size 128,1k --pin free --wait", "dmso throughput");
    row("sweep", "Round-trip sweep", 0, "--count 20 --warm-up 5 --size 8,64 --pin free --wait",
        "sweep");
    row("dbe, federated, two hosts", "DBE", 0,
        "--count 20 --warm-up 5 --size 64 --pin free --wait", "dbe --architecture federated "
        "--hosts 2", 2, 2);
    row("dbe, all architectures", "DBE", 0, "--count 20 --warm-up 5 --size 64 --pin free --wait",
        "dbe --hosts 1", 4, 1);
    row("rtiperf", "rtiperf", 0, "--count 20 --warm-up 5 --pairs 2", "rtiperf");
    row("fanout, centralized", "Many federates", 1, "--count 60 --warm-up 5 --receivers 2",
        "fanout --architecture centralized", 3);
    row("oversubscribed", "Many federates", 2, "--count 60 --warm-up 5 --burst 10 --federates 2,4",
        "oversubscribed");
    row("clutter", "Clutter", 0,
        "--count 200 --warm-up 20 --instances 40,200 --crowds 2 --receivers 2", "clutter");
    row("clutter, two hosts", "Clutter", 0,
        "--count 200 --warm-up 20 --instances 40 --crowds 2 --receivers 2", "clutter --hosts 2", 0,
        2);
    QFile sequence(folder_.filePath(QStringLiteral("small.tsf")));
    if (sequence.open(QIODevice::WriteOnly)) {
      sequence.write("samples = 2\nsample-size = 20\nfederation a\ntest OWOT\ntest RTIL\n");
    }
    const QByteArray file = "--pin free --wait --sequence " + sequence.fileName().toUtf8();
    row("rtibm", "RTIBM", 0, file.constData(), "rtibm");
    row("rtibm, federated", "RTIBM", 0, file.constData(), "rtibm --architecture federated", 2);
  }
  void whatTheCommandLineMeasuresThePageDoesToo() {
    QFETCH(QString, suite);
    QFETCH(int, part);
    QFETCH(int, architecture);
    QFETCH(int, hosts);
    QFETCH(QString, options);
    QFETCH(QString, line);
    BenchmarksWorkspace page({}, QString::fromUtf8(tool));
    page.resize(1368, 804);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* suites = page.findChild<QListView*>(QStringLiteral("suites"));
    const QModelIndexList found = suites->model()->match(suites->model()->index(0, 0),
                                                         Qt::DisplayRole, suite, 1,
                                                         Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    suites->setCurrentIndex(found.front());
    page.findChild<QSpinBox*>(QStringLiteral("benchRepeats"))->setValue(1);
    page.findChild<QComboBox*>(QStringLiteral("benchPart"))->setCurrentIndex(part);
    page.findChild<QComboBox*>(QStringLiteral("benchArchitecture"))->setCurrentIndex(architecture);
    page.findChild<QComboBox*>(QStringLiteral("benchHosts"))->setCurrentIndex(hosts);
    page.findChild<QLineEdit*>(QStringLiteral("benchOptions"))->setText(options);
    auto* problem = page.findChild<QLabel*>(QStringLiteral("benchChoiceProblem"));
    QVERIFY2(!problem->isVisible(), qPrintable(problem->text()));

    QTRY_VERIFY_WITH_TIMEOUT(!page.isReading(), 30'000);
    const auto before = RunStore::open().value()->benchmarks().value().size();
    QSignalSpy arrived(page.run(), &BenchRun::resultArrived);
    QSignalSpy finished(page.run(), &BenchRun::finished);
    auto* go = page.findChild<QPushButton*>(QStringLiteral("benchRun"));
    QVERIFY(go->isEnabled());
    QTest::mouseClick(go, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 120'000);
    QCOMPARE(finished[0][0].toString(), QString());
    QVERIFY(arrived.count() > 0);

    // In the store, newest first, under the kinds that arrived; and on the screen.
    const auto records = RunStore::open().value()->benchmarks().value();
    QCOMPARE(records.size(), before + static_cast<std::size_t>(arrived.count()));
    QTRY_VERIFY_WITH_TIMEOUT(
        page.findChild<QTreeView*>(QStringLiteral("benchTable"))->model()->rowCount() > 0, 30'000);

    // A person types the same.
    QProcess typed;
    const QString pieces =
        line + u' ' + options +
        (suite == QStringLiteral("RTIBM") ? QString() : QStringLiteral(" --repeats 1"));
    typed.start(QString::fromUtf8(tool), QProcess::splitCommand(QStringLiteral("bench ") + pieces +
                                                                QStringLiteral(" --json")));
    QVERIFY(typed.waitForFinished(120'000));
    QVERIFY2(typed.exitCode() == 0, typed.readAllStandardError().constData());
    const auto after = RunStore::open().value()->benchmarks().value();
    QCOMPARE(after.size(), records.size() + static_cast<std::size_t>(arrived.count()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(arrived.count()); ++i) {
      const auto byHand = bench::resultFromJson(after[i].document);
      const auto fromPage = bench::resultFromJson(records[i].document);
      QVERIFY(byHand && fromPage);
      QCOMPARE(after[i].kind, records[i].kind);
      QCOMPARE(factsOf(*fromPage), factsOf(*byHand));
    }
  }
};

QTEST_MAIN(TestBenchPage)
#include "tst_bench_page.moc"
