// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "monitor/engine/log_line.h"
#include "monitor/ui/federate_model.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/federate_table.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/link_model.h"
#include "monitor/ui/log_model.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/time_axis.h"
#include "monitor/ui/topology_layout.h"
#include "monitor/ui/topology_view.h"
#include "monitor/ui/view_text.h"
#include "resources/theme/exporter.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/monitor/fake_run.h"
#include "tests/monitor/pictures.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

/// A workspace on a scene, with all it needs.
struct Stage {
  Stage(std::vector<Actor> actors, double speed, const QString& name,
        const std::function<void(Scene&)>& prepare = {})
      : clock(std::make_shared<SceneClock>(speed)),
        scene(std::make_shared<Scene>(clock, name, std::move(actors))),
        page(&feed, nullptr) {
    if (prepare) prepare(*scene);
    page.resize(1368, 804);
    page.show();
    feed.start([source = scene] { return source; }, clock);
  }
  const FederateView* view(const QString& name) const { return feed.current()->find(name); }
  void shoot(const QString& name) { monitor::test::keepPicture(page, name); }

  std::shared_ptr<SceneClock> clock;
  std::shared_ptr<Scene> scene;
  Feed feed;
  RunWorkspace page;
};

SnapshotPointer snapshotOf(const std::vector<FederateView>& federates) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->federates = federates;
  return snapshot;
}

FederateView someFederate(const QString& name) {
  FederateView view;
  view.name = name;
  view.host = QStringLiteral("atlas");
  view.condition = FederateCondition::Running;
  view.sentPerSecond = 1440;
  return view;
}

/// Names of the boxes of one kind on the canvas.
template <typename Box>
QStringList boxes(const TopologyView& topology) {
  QStringList result;
  for (QGraphicsItem* item : topology.scene()->items())
    if (auto* box = dynamic_cast<Box*>(item)) result << box->name();
  result.sort();
  return result;
}

QStringList names(const QAbstractItemModel& model) {
  QStringList result;
  for (int row = 0; row < model.rowCount(); ++row) result << model.index(row, 0).data().toString();
  return result;
}

}  // namespace

class TestRunWorkspace : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  // Models

  void rowsAreUpdatedInPlace() {
    FederateModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setSnapshot(snapshotOf({someFederate("a"), someFederate("b"), someFederate("c")}));
    const QPersistentModelIndex b = model.index(1, 0);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setSnapshot(snapshotOf({someFederate("a"), someFederate("b"), someFederate("c")}));
    QCOMPARE(changed.count(), 1);
    model.setSnapshot(snapshotOf({someFederate("b"), someFederate("d")}));
    QCOMPARE(names(model), QStringList({"b", "d"}));
    QVERIFY(b.isValid());
    QCOMPARE(b.row(), 0);
    model.setSnapshot(snapshotOf({}));
    QCOMPARE(model.rowCount(), 0);
  }

  void whatNeedsYouStandsFirst() {
    FederateView late = someFederate("late");
    late.condition = FederateCondition::Late;
    FederateView dead = someFederate("dead");
    dead.condition = FederateCondition::Dead;
    FederateModel model;
    FederateFilter filter;
    QAbstractItemModelTester tester(&filter,
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    filter.setSourceModel(&model);
    filter.sort(FederateModel::Condition);
    model.setSnapshot(snapshotOf({someFederate("z"), late, someFederate("a"), dead}));
    QCOMPARE(names(filter), QStringList({"dead", "late", "z", "a"}));
    filter.setShow(FederateFilter::Show::NeedsYou);
    QCOMPARE(names(filter), QStringList({"dead", "late"}));
    filter.setShow(FederateFilter::Show::Dead);
    QCOMPARE(names(filter), QStringList({"dead"}));
    filter.setShow(FederateFilter::Show::All);
    filter.setText(QStringLiteral("LAT"));
    QCOMPARE(names(filter), QStringList{"late"});
  }

  void everyNumberNamesItsSource() {
    FederateModel model;
    FederateView view = someFederate("radar");
    view.timeManaged = true;
    view.cpuUser = view.cpuSystem = 0.1;
    model.setSnapshot(snapshotOf({view}));
    for (const int column : {FederateModel::Cpu, FederateModel::Sent, FederateModel::Received,
                             FederateModel::Queue, FederateModel::Time, FederateModel::Grants}) {
      const QString tip = model.index(0, column).data(Qt::ToolTipRole).toString();
      QVERIFY2(tip.contains("/proc") || tip.contains("counter") || tip.contains("ring") ||
                   tip.contains("time slot"),
               qPrintable(tip));
    }
  }

  void unknownValuesAreNotZero() {
    FederateModel model;
    FederateView view = someFederate("radar");
    view.sentPerSecond = unknown;
    view.receivedPerSecond = 0;
    model.setSnapshot(snapshotOf({view}));
    QVERIFY(!model.index(0, FederateModel::Sent).data().isValid());
    QVERIFY(model.index(0, FederateModel::Received).data().toString().startsWith("0"));
  }

  void identicalLinesFold() {
    LogModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto line = [](const char* from, const char* text, Milliseconds at) {
      return LogRecord{at, LogLevel::Info, QString::fromLatin1(from), QString::fromLatin1(text)};
    };
    model.append({line("a", "same", 1), line("b", "other", 2), line("a", "same", 3)});
    model.append({line("a", "same", 4), line("a", "new", 5), line("a", "same", 6)});
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.index(0, LogModel::Text).data().toString(), QStringLiteral("same  × 3"));
    QCOMPARE(model.index(3, LogModel::Text).data().toString(), QStringLiteral("same"));
  }

  void theLogKeepsTheNewestLines() {
    LogModel model;
    std::vector<LogRecord> lines;
    for (int i = 0; i < LogModel::capacity + 500; ++i) {
      lines.push_back({i, LogLevel::Info, QStringLiteral("x"), QString::number(i)});
    }
    model.append(lines);
    QCOMPARE(model.rowCount(), LogModel::capacity);
    model.append({{0, LogLevel::Error, QStringLiteral("x"), QStringLiteral("last")}});
    QCOMPARE(model.rowCount(), LogModel::capacity);
    QCOMPARE(model.index(model.rowCount() - 1, LogModel::Text).data().toString(),
             QStringLiteral("last"));
    QCOMPARE(model.index(0, LogModel::Text).data().toString(), QStringLiteral("501"));
    // Folding still finds its line after the oldest went.
    model.append({{0, LogLevel::Error, QStringLiteral("x"), QStringLiteral("last")}});
    QCOMPARE(model.index(model.rowCount() - 1, 0).data(LogModel::CountRole).toInt(), 2);
  }

  void theLogFiltersByLevelSenderAndText() {
    LogModel model;
    LogFilter filter(&model);
    QAbstractItemModelTester tester(&filter,
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.append({{1, LogLevel::Info, QStringLiteral("a"), QStringLiteral("joined")},
                  {2, LogLevel::Error, QStringLiteral("b"), QStringLiteral("died")},
                  {3, LogLevel::Warning, QStringLiteral("a"), QStringLiteral("late")}});
    filter.setLeast(LogLevel::Warning);
    QCOMPARE(filter.rowCount(), 2);
    filter.setSubject(QStringLiteral("a"));
    QCOMPARE(filter.rowCount(), 1);
    filter.setLeast(LogLevel::Trace);
    filter.setText(QStringLiteral("JOIN"));
    QCOMPARE(filter.rowCount(), 1);

    // What comes and what goes is filtered as well, and a line that folds is told of.
    QSignalSpy changed(&filter, &QAbstractItemModel::dataChanged);
    std::vector<LogRecord> lines;
    for (int i = 0; i < LogModel::capacity; ++i) {
      const QString text = QStringLiteral("%1 %2").arg(
          i % 2 == 0 ? QStringLiteral("join") : QStringLiteral("part"), QString::number(i));
      lines.push_back({i, LogLevel::Info, QStringLiteral("a"), text});
    }
    const LogRecord last = lines[lines.size() - 2];
    lines.pop_back();
    model.append(lines);
    QCOMPARE(filter.rowCount(), LogModel::capacity / 2);
    QCOMPARE(filter.index(0, LogModel::Text).data().toString(), QStringLiteral("join 0"));
    QCOMPARE(filter.index(filter.rowCount() - 1, LogModel::Text).data().toString(), last.text);
    model.append({last});
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed.front().front().toModelIndex().row(), filter.rowCount() - 1);
    const QModelIndex there = filter.mapToSource(filter.index(1, LogModel::Text));
    QCOMPARE(there.data().toString(), QStringLiteral("join 2"));
    QCOMPARE(filter.mapFromSource(there).row(), 1);
    filter.setText({});
    QCOMPARE(filter.rowCount(), model.rowCount());
    model.clear();
    QCOMPARE(filter.rowCount(), 0);
  }

  void linesOfTheNodeHaveTheirOwnLevel_data() {
    QTest::addColumn<bool>("isError");
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("level");
    QTest::addColumn<QString>("text");
    const auto level = [](LogLevel one) { return static_cast<int>(one); };
    QTest::newRow("information") << true
                                 << "2026-11-23 14:02:28.914 I [4711] federate 3 'radar' joins"
                                 << level(LogLevel::Info) << "federate 3 'radar' joins";
    QTest::newRow("warning") << true << "2026-11-23 14:02:28.914 W [4711] federate 3 is lost"
                             << level(LogLevel::Warning) << "federate 3 is lost";
    QTest::newRow("error") << true << "2026-11-23 14:02:28.914 E [4711] no memory left"
                           << level(LogLevel::Error) << "no memory left";
    QTest::newRow("a federate's error") << true << "cannot read airports.csv"
                                        << level(LogLevel::Warning) << "cannot read airports.csv";
    QTest::newRow("a federate's output")
        << false << "2026-11-23 14:02:28.914 E [4711] as printed" << level(LogLevel::Info)
        << "2026-11-23 14:02:28.914 E [4711] as printed";
  }
  void linesOfTheNodeHaveTheirOwnLevel() {
    QFETCH(bool, isError);
    QFETCH(QString, line);
    const LogRecord record = logRecordOf(42, QStringLiteral("rti"), isError, line);
    QTEST(static_cast<int>(record.level), "level");
    QTEST(record.text, "text");
    QCOMPARE(record.at, 42);
    QCOMPARE(record.subject, QStringLiteral("rti"));
  }

  // At 1440 px as in a wide window: a row is as high as its text needs, and no line is cut.
  void rowsOfTheLogShowAllOfTheirText() {
    LogModel model;
    LogPanel panel(&model);
    panel.resize(386, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel, 30'000));
    const QString text = QStringLiteral(
        "federate 5 of process 4711 (resources/components/conflict-detector) is lost: its "
        "connection ended without a resign from 'air-traffic'");
    LogView& view = *panel.view();
    model.append({{1, LogLevel::Info, QStringLiteral("rti"), text},
                  {2, LogLevel::Info, QStringLiteral("radar"), QStringLiteral("ready")}});
    QTRY_VERIFY(view.rowHeight(0) > 2 * view.rowHeight(1));
    QCOMPARE(view.rowHeight(1), 24);
    const int room = view.columnWidth(LogModel::Text) - 16;
    const QFontMetrics metrics(theme::textFont(theme::TextStyle::Table));
    const auto tall = [&](const QString& one) {
      return metrics.boundingRect(0, 0, room, 10'000, Qt::TextWordWrap, one).height();
    };
    QVERIFY2(view.rowHeight(0) >= tall(text), qPrintable(QString::number(view.rowHeight(0))));
    auto* whole = panel.findChild<QPlainTextEdit*>(QStringLiteral("logWhole"));
    view.setCurrentIndex(view.model()->index(0, 0));
    QVERIFY(whole && !whole->isVisible());
    if (qEnvironmentVariableIsSet("TUTTI_SHOTS"))
      panel.grab().save(qEnvironmentVariable("TUTTI_SHOTS") + QStringLiteral("/log-rows.png"));

    // With room for it, it is one line.
    panel.resize(1200, 260);
    QTRY_COMPARE(view.rowHeight(0), 24);
    panel.resize(386, 260);
    QTRY_VERIFY(view.rowHeight(0) > 48);

    // Of one sender only: its name leaves the room to what it says.
    const int before = view.rowHeight(0);
    panel.showSubject(QStringLiteral("rti"));
    QVERIFY(view.isColumnHidden(LogModel::Subject));
    QTRY_VERIFY(view.rowHeight(0) < before);
    panel.subjects()->setCurrentIndex(0);
    QVERIFY(!view.isColumnHidden(LogModel::Subject));

    // The view follows the log to the end of its last line, and stays where a person has gone.
    for (int i = 0; i < 40; ++i)
      model.append({{3 + i, LogLevel::Info, QStringLiteral("rti"), text + QString::number(i)}});
    const auto isLastInSight = [&] {
      const QRect last = view.visualRect(view.model()->index(view.model()->rowCount() - 1, 0));
      return last.height() > 48 && last.bottom() <= view.viewport()->height();
    };
    QTRY_VERIFY(isLastInSight());
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum() / 2);
    QTRY_VERIFY(!isLastInSight());
    const int read = view.rowAt(view.viewport()->height() / 2);
    model.append({{99, LogLevel::Info, QStringLiteral("radar"), QStringLiteral("gone")}});
    QCoreApplication::processEvents();
    QCOMPARE(view.rowAt(view.viewport()->height() / 2), read);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_End);
    QCOMPARE(view.currentIndex().row(), view.model()->rowCount() - 1);
    QTRY_VERIFY(view.visualRect(view.currentIndex()).bottom() <= view.viewport()->height());
  }

  // More lines than a row has are below the rows when it is selected, readable without the mouse.
  void aLongSelectedLineIsShownInFull() {
    LogModel model;
    LogPanel panel(&model);
    panel.resize(386, 320);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel, 30'000));
    QStringList words;
    for (int i = 0; i < 60; ++i) words << QStringLiteral("word-%1").arg(i);
    const QString text = words.join(u' ');
    model.append({{1, LogLevel::Info, QStringLiteral("rti"), text},
                  {2, LogLevel::Info, QStringLiteral("radar"), QStringLiteral("ready")}});
    auto* whole = panel.findChild<QPlainTextEdit*>(QStringLiteral("logWhole"));
    QVERIFY(whole && !whole->isVisible());
    LogView& view = *panel.view();
    QTRY_COMPARE(view.rowHeight(0), 24 + (LogView::mostLines - 1) * 16);
    view.setCurrentIndex(view.model()->index(0, 0));
    QVERIFY(whole->isVisible());
    QCOMPARE(whole->toPlainText(), text);
    if (qEnvironmentVariableIsSet("TUTTI_SHOTS"))
      panel.grab().save(qEnvironmentVariable("TUTTI_SHOTS") + QStringLiteral("/log-whole.png"));
    view.setCurrentIndex(view.model()->index(1, 0));
    QVERIFY(!whole->isVisible());
  }

  // A log of any length costs what is in sight: the other rows are not measured.
  void theLogStaysFluid() {
    LogModel model;
    LogPanel panel(&model);
    panel.resize(386, 260);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel, 30'000));
    LogView& view = *panel.view();
    QElapsedTimer since;
    double longest = 0;
    const auto measured = [&](const auto& work) {
      since.start();
      work();
      QCoreApplication::processEvents();
      longest = std::max(longest, static_cast<double>(since.nsecsElapsed()) / 1e6);
    };
    constexpr int lines = 100'000;
    constexpr int chunk = 500;
    for (int i = 0; i < lines; i += chunk) {
      std::vector<LogRecord> some;
      for (int k = i; k < i + chunk; ++k)
        some.push_back(
            {k, LogLevel::Info, QStringLiteral("flow-%1").arg(k % 7),
             QStringLiteral("time %1 s, 400 flights updated, 3 conflicts, and more words "
                            "than fit into one line")
                 .arg(k)});
      measured([&] { model.append(some); });
    }
    const double appended = std::exchange(longest, 0);
    QCOMPARE(view.model()->rowCount(), LogModel::capacity);
    const auto tallRows = [&] {
      int count = 0;
      for (int row = 0; row < view.model()->rowCount(); ++row) count += view.rowHeight(row) > 24;
      return count;
    };
    QVERIFY2(tallRows() < LogModel::capacity / 20, qPrintable(QString::number(tallRows())));
    for (int step = 0; step < 50; ++step)
      measured([&] { view.verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub); });
    const double scrolled = std::exchange(longest, 0);
    for (const int width : {420, 500, 386}) measured([&] { panel.resize(width, 260); });
    const double resized = std::exchange(longest, 0);
    measured([&] { view.filter()->setText(QStringLiteral("7")); });
    measured([&] { view.filter()->setText({}); });
    measured([&] { panel.showSubject(QStringLiteral("flow-3")); });
    measured([&] { panel.showSubject(QString()); });
    qInfo(
        "longest of %d lines: append %d %.1f ms, scroll a page %.1f ms, resize %.1f ms, "
        "filter %.1f ms",
        lines, chunk, appended, scrolled, resized, longest);
  }

  // Who watches the process and the samples both see a federate die: it is one event, with what was
  // lost.
  void aDeathIsOneEvent() {
    QTemporaryDir folder;
    Recorder recorder(folder.filePath(QStringLiteral("runs.sqlite")));
    QStringList errors;
    QStringList others;
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    QTRY_VERIFY_WITH_TIMEOUT(stage.view("detector") != nullptr, 30'000);
    connect(&recorder, &Recorder::eventsRecorded, &recorder,
            [&](const std::vector<EventRecord>& events) {
              for (const EventRecord& one : events) {
                if (one.subject != QStringLiteral("detector")) continue;
                (one.level == LogLevel::Error ? errors : others) << one.text;
              }
            });
    recorder.attach(&stage.feed);
    recorder.beginRun({});
    QTRY_VERIFY_WITH_TIMEOUT(others.contains(QStringLiteral("joined")), 30'000);
    stage.scene->dead = 4;
    stage.scene->deadFrom = stage.clock->seconds();
    QTRY_VERIFY_WITH_TIMEOUT(!stage.feed.current()->deaths.empty(), 30'000);
    recorder.died(1, QStringLiteral("detector"), QStringLiteral("signal 9 (SIGKILL)"));
    QTRY_VERIFY_WITH_TIMEOUT(!errors.isEmpty(), 30'000);
    const auto sequence = stage.feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->sequence > sequence + 10, 30'000);
    QCOMPARE(errors.size(), 1);
    QVERIFY2(errors.first().startsWith(QStringLiteral("died: signal 9 (SIGKILL). 3 ")),
             qPrintable(errors.first()));
    QCOMPARE(others, QStringList{QStringLiteral("joined")});
    recorder.endRun(QStringLiteral("stopped"));
    recorder.attach(nullptr);
  }

  void linkWidthsFollowTheRate_data() {
    QTest::addColumn<double>("rate");
    QTest::addColumn<double>("width");
    QTest::newRow("none") << 0.0 << 1.5;
    QTest::newRow("ten") << 10.0 << 1.5;
    QTest::newRow("thousand") << 1000.0 << 3.7;
    QTest::newRow("clamped") << 1e9 << 7.0;
  }
  void linkWidthsFollowTheRate() {
    QFETCH(double, rate);
    QFETCH(double, width);
    QCOMPARE(linkWidth(rate), width);
  }

  void sendersStandLeftOfTheirReceivers() {
    // 0 -> 1 -> 2, 0 -> 2, 3 alone, and a loop back 2 -> 0.
    std::vector<LayoutNode> nodes(4, {QSizeF(100, 40), {}});
    nodes[0].to = {1, 2};
    nodes[1].to = {2};
    nodes[2].to = {0};
    const auto places = layoutByFlow(nodes, 50, 20);
    QVERIFY(places[0].x() < places[1].x());
    QVERIFY(places[1].x() < places[2].x());
    QVERIFY(places[3].y() >= places[0].y() + 40);
    QCOMPARE(layoutByFlow(nodes, 50, 20), places);
  }

  void boxesNeverOverlap() {
    std::vector<LayoutNode> nodes;
    for (std::size_t i = 0; i < 60; ++i) {
      nodes.push_back({QSizeF(140 + static_cast<double>(i % 3) * 20, 48), {}});
      for (std::size_t j = 1; j < 4; ++j) nodes.back().to.push_back((i * 7 + j * 13) % 60);
    }
    const auto places = layoutByFlow(nodes, 96, 22);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (std::size_t j = i + 1; j < nodes.size(); ++j) {
        QVERIFY(!QRectF(places[i], nodes[i].size).intersects(QRectF(places[j], nodes[j].size)));
      }
    }
  }

  void aWayBendsRoundWhatStandsBetween() {
    const QRectF between(100, -40, 80, 100);
    const QPainterPath free = wayAround({0, 0}, {300, 0}, {QRectF(100, 50, 80, 40)});
    QCOMPARE(free.boundingRect().height(), 0.0);
    const QPainterPath bent = wayAround({0, 0}, {300, 0}, {between});
    for (double share = 0; share <= 1; share += 0.01) {
      QVERIFY2(!between.contains(bent.pointAtPercent(share)), qPrintable(QString::number(share)));
    }
    QCOMPARE(bent.currentPosition(), QPointF(300, 0));
  }

  void groupsTakeTheShapeThatShowsThemLargest() {
    // The same federates in a flat and in a high view: neither leaves most of it empty.
    std::vector<FederateView> federates;
    for (int i = 0; i < 300; ++i) {
      FederateView view = someFederate(QStringLiteral("x-%1").arg(i));
      view.component = i < 200 ? QStringLiteral("radar") : i < 260 ? "flow" : "log";
      federates.push_back(view);
    }
    for (const QSize size : {QSize(1070, 280), QSize(1070, 240), QSize(500, 700)}) {
      TopologyView view;
      view.resize(size);
      view.show();
      QVERIFY(QTest::qWaitForWindowExposed(&view, 30'000));
      view.setSnapshot(snapshotOf(federates), true);
      const QSizeF content = view.contentRect().size() * view.zoom();
      QVERIFY2(content.width() > 0.85 * size.width() || content.height() > 0.85 * size.height(),
               qPrintable(QStringLiteral("%1 x %2").arg(content.width()).arg(content.height())));
      QVERIFY2(view.zoom() > 0.55, qPrintable(QString::number(view.zoom())));
    }
  }

  void namesAreNeverCut() {
    FederateTable table;
    table.resize(690, 260);
    table.show();
    FederateView longest = someFederate("radar-frankfurt-main-1");
    table.setSnapshot(snapshotOf({someFederate("a"), longest}));
    auto* tree = table.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QCoreApplication::processEvents();
    const int room = tree->columnWidth(FederateModel::Name);
    const int name = QFontMetrics(theme::textFont(theme::TextStyle::Table, QFont::Medium))
                         .horizontalAdvance(longest.name);
    QVERIFY2(room >= name + 36, qPrintable(QStringLiteral("%1 for %2").arg(room).arg(name)));
    QVERIFY(tree->isColumnHidden(FederateModel::ReceivedLine));
    QCOMPARE(tree->horizontalScrollBar()->maximum(), 0);
  }

  // The page

  void anEmptyPageSaysWhatWillBeHere() {
    Feed feed;
    RunWorkspace page(&feed, nullptr);
    page.resize(1368, 804);
    page.show();
    page.setRunnable(QStringLiteral("air-traffic"), {});
    QVERIFY(QTest::qWaitForWindowExposed(&page, 30'000));
    auto* empty = page.findChild<theme::EmptyView*>(QStringLiteral("runEmpty"));
    QVERIFY(empty && empty->isVisible());
    QSignalSpy run(&page, &RunWorkspace::runRequested);
    auto* button = empty->findChild<QPushButton*>();
    QVERIFY(button && button->isEnabled());
    QCOMPARE(button->text(), QStringLiteral("Run air-traffic"));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(run.count(), 1);

    // What cannot run says why, and the same button leads to where that is mended.
    page.setRunnable(QStringLiteral("air-traffic"), QStringLiteral("Run needs a federate"));
    QVERIFY(button->isEnabled());
    QCOMPARE(button->text(), QStringLiteral("Show what it needs"));
    const auto labels = empty->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->isVisible() && label->text() == QStringLiteral("Run needs a federate");
    }));
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(run.count(), 2);
    const QString folder = qEnvironmentVariable("TUTTI_SHOTS");
    if (!folder.isEmpty()) page.grab().save(folder + QStringLiteral("/run-empty.png"));
  }

  void aRunShowsItsFederates() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    stage.page.setDeclarations(airTrafficDeclarations());
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 7, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(
        stage.view("flow-north") && stage.view("flow-north")->sentPerSecond > 1000, 30'000);
    QVERIFY(stage.page.troubles().isEmpty());
    QCOMPARE(stage.page.badge().count, 0);
    stage.shoot("run-quiet");

    // A click in the table selects everywhere.
    stage.page.select(QStringLiteral("radar-west"));
    QCOMPARE(stage.page.topology()->selected(), QStringLiteral("radar-west"));
    QCOMPARE(stage.page.federatePanel()->federate(), QStringLiteral("radar-west"));
    QCOMPARE(table->currentIndex().data(FederateModel::NameRole).toString(),
             QStringLiteral("radar-west"));
  }

  void whatNeedsYouIsSaidEverywhere() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    stage.page.setDeclarations(airTrafficDeclarations());
    QTRY_VERIFY_WITH_TIMEOUT(
        stage.clock->seconds() > (qEnvironmentVariableIsSet("TUTTI_SHOTS") ? 75 : 12), 30'000);
    stage.page.select(QStringLiteral("flow-north"));
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.watched().has_value(), 30'000);
    const double now = stage.clock->seconds();
    stage.scene->dead = 4;
    stage.scene->deadFrom = now;
    QTRY_COMPARE_WITH_TIMEOUT(stage.view("detector")->condition, FederateCondition::Dead, 30'000);
    stage.feed.noteEnd(QStringLiteral("detector"), {0, 9, false});
    stage.scene->late = 3;
    stage.scene->lateFrom = stage.clock->seconds();
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->standing.has_value(), 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(stage.page.troubles().value(0).pill, QStringLiteral("Time stands"),
                              30'000);
    QCOMPARE(stage.page.troubles().size(), 2);
    QVERIFY(stage.page.troubles()[0].title.contains("radar-west has held it for"));
    QVERIFY(stage.page.troubles()[1].title.startsWith("detector died"));
    QCOMPARE(stage.page.badge().state, theme::State::Dead);
    QCOMPARE(stage.page.badge().count, 2);

    auto* card = stage.page.findChild<DeathCard*>();
    QVERIFY(card->isVisible());
    stage.page.log({{QDateTime::currentMSecsSinceEpoch(), LogLevel::Error,
                     QStringLiteral("detector"), QStringLiteral("killed by signal 9 (SIGKILL)")},
                    {QDateTime::currentMSecsSinceEpoch() + 2, LogLevel::Info, QStringLiteral("rti"),
                     QStringLiteral("detector lost, resigned for it")},
                    {QDateTime::currentMSecsSinceEpoch() + 37, LogLevel::Warning,
                     QStringLiteral("display"), QStringLiteral("Conflict has no publisher left")},
                    {QDateTime::currentMSecsSinceEpoch() + 88, LogLevel::Info,
                     QStringLiteral("recorder"), QStringLiteral("412 MB recorded, 0 lost")},
                    {QDateTime::currentMSecsSinceEpoch() + 588, LogLevel::Info,
                     QStringLiteral("recorder"), QStringLiteral("412 MB recorded, 0 lost")}});
    stage.page.federatePanel()->showPage(FederatePanel::Page::IfItDies);
    QTest::qWait(700);
    stage.shoot("run-7-dies");
    stage.page.federatePanel()->showPage(FederatePanel::Page::Now);
    QTest::qWait(700);
    stage.shoot("run-7-now");
    stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("topologyViews"))
        ->setCurrentIndex(1);
    stage.page.federatePanel()->showPage(FederatePanel::Page::Time);
    QTest::qWait(700);
    stage.shoot("run-7-flow");
    stage.page.select({});
    stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("topologyViews"))
        ->setCurrentIndex(2);
    QTest::qWait(700);
    stage.shoot("run-7-needs");

    // Dismissed, it is gone everywhere.
    QSignalSpy restart(&stage.page, &RunWorkspace::restartRequested);
    QTest::mouseClick(card->findChild<QPushButton*>(QStringLiteral("deathRestart")),
                      Qt::LeftButton);
    QCOMPARE(restart.value(0).value(0).toString(), QStringLiteral("detector"));
    QTest::mouseClick(card->findChild<QAbstractButton*>(QStringLiteral("dismissDeath")),
                      Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(stage.view("detector") == nullptr, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(!card->isVisible(), 30'000);
  }

  // However many have died, it is one line, which leads to all of them.
  void severalDeathsAreOneLine() {
    auto snapshot = std::make_shared<Snapshot>();
    for (const char* name : {"vehicle-1", "vehicle-2", "vehicle-3"}) {
      FederateView view = someFederate(QString::fromLatin1(name));
      view.condition = FederateCondition::Dead;
      snapshot->federates.push_back(view);
      Death death;
      death.federate = view.name;
      death.cause = QStringLiteral("signal 9 (SIGKILL)");
      death.lost.instances = 2;
      snapshot->deaths.push_back(death);
    }
    QStringList shown;
    const auto note = [&](const QString& what) { shown << what; };
    const auto troubles = troublesOf(*snapshot, note, note, note);
    QCOMPARE(troubles.size(), 1);
    QVERIFY2(troubles[0].title.startsWith(QStringLiteral("3 federates died")),
             qPrintable(troubles[0].title));
    QVERIFY2(troubles[0].detail.contains(QStringLiteral("6 object instances are gone")),
             qPrintable(troubles[0].detail));
    QCOMPARE(troubles[0].pill, QStringLiteral("3 dead"));
    troubles[0].actions.front().run();
    QCOMPARE(shown, QStringList{QStringLiteral("needs:dead")});
  }

  void exceptionsOutOfCallbacksAreShown() {
    const QString text =
        QStringLiteral("map::at: no track of aircraft 4711 in the sector north-west");
    for (const theme::Appearance look : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme::Theme theme;
      theme.apply(look);
      Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"), [&](Scene& scene) {
        scene.faults = {{QStringLiteral("reflectAttributeValues"),
                         QStringLiteral("std::out_of_range"), text, 1000},
                        {QStringLiteral("timeAdvanceGrant"),
                         QStringLiteral("rti1516e::FederateInternalError"),
                         {},
                         1}};
      });
      const QString name = stage.scene->firstName();
      QTRY_VERIFY_WITH_TIMEOUT(stage.view(name) != nullptr, 30'000);
      stage.page.select(name);
      stage.page.federatePanel()->showPage(FederatePanel::Page::Now);
      auto* facts = stage.page.federatePanel()->findChild<QWidget*>(QStringLiteral("factsNow"));
      QTRY_VERIFY_WITH_TIMEOUT(facts->accessibleDescription().contains("Exceptions in callbacks"),
                               30'000);
      const QString shown = facts->accessibleDescription();
      for (const QString& part :
           {QStringLiteral("reflectAttributeValues"), QStringLiteral("std::out_of_range: ") + text,
            QStringLiteral("timeAdvanceGrant"), QStringLiteral("rti1516e::FederateInternalError")})
        QVERIFY2(shown.contains(part), qPrintable(shown));
      QTest::qWait(300);
      stage.shoot(look == theme::Appearance::Light ? "faults-light" : "faults-dark");
    }
    theme::Theme theme;
    theme.apply(theme::Appearance::Light);
  }

  void exceptionsOutOfCallbacksAreRecordedOnce() {
    QTemporaryDir folder;
    Recorder recorder(folder.filePath(QStringLiteral("runs.sqlite")));
    QStringList texts;
    connect(&recorder, &Recorder::eventsRecorded, &recorder,
            [&](const std::vector<EventRecord>& events) {
              for (const EventRecord& one : events) texts << one.text;
            });
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"), [&](Scene& scene) {
      scene.faults = {{QStringLiteral("timeAdvanceGrant"), QStringLiteral("std::out_of_range"),
                       QStringLiteral("map::at"), 10}};
    });
    recorder.attach(&stage.feed);
    recorder.beginRun({});
    const QString wanted =
        QStringLiteral("threw out of its callback timeAdvanceGrant: std::out_of_range: map::at");
    QTRY_VERIFY_WITH_TIMEOUT(texts.contains(wanted), 30'000);
    const auto sequence = stage.feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->sequence > sequence + 20, 30'000);
    QCOMPARE(texts.count(wanted), 1);
    recorder.endRun(QStringLiteral("stopped"));
    recorder.attach(nullptr);
  }

  void stoppingGoesByWhatWouldBeLost() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    stage.page.setDeclarations(airTrafficDeclarations());
    QTRY_VERIFY_WITH_TIMEOUT(stage.view("flow-north") != nullptr, 30'000);
    stage.page.select(QStringLiteral("flow-north"));
    FederatePanel* panel = stage.page.federatePanel();
    QSignalSpy stop(&stage.page, &RunWorkspace::stopRequested);
    QTest::mouseClick(panel->findChild<QPushButton*>(QStringLiteral("toStop")), Qt::LeftButton);
    QCOMPARE(panel->page(), FederatePanel::Page::IfItDies);
    QCOMPARE(stop.count(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(panel->findChild<QWidget*>(QStringLiteral("factsIfItDies"))
                                 ->accessibleDescription()
                                 .contains("240 objects vanish; Airport loses its only publisher"),
                             30'000);
    QTest::mouseClick(panel->findChild<QPushButton*>(QStringLiteral("stop")), Qt::LeftButton);
    QCOMPARE(stop.value(0).value(0).toString(), QStringLiteral("flow-north"));
    QSignalSpy kill(&stage.page, &RunWorkspace::killRequested);
    QTest::mouseClick(panel->findChild<QPushButton*>(QStringLiteral("kill")), Qt::LeftButton);
    QCOMPARE(kill.value(0).value(0).toString(), QStringLiteral("flow-north"));
  }

  void aFilterWithoutHitsSaysSoAndClears() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 7, 30'000);
    stage.page.focusFilter();
    auto* search = stage.page.findChild<theme::SearchField*>(QStringLiteral("federateSearch"));
    search->setText(QStringLiteral("rdr"));
    auto* none = stage.page.findChild<QLabel*>(QStringLiteral("noFederateMatches"));
    QVERIFY(none->isVisible());
    QVERIFY(none->text().contains("No federate matches “rdr”"));
    emit none->linkActivated({});
    QVERIFY(!none->isVisible());
    QCOMPARE(table->model()->rowCount(), 7);
  }

  // In a run of many the composition's groups are the boxes, and what is in none of them stands by
  // component. All open and close at once.
  void groupsOfTheCompositionAreGroupsOfTheRun() {
    Stage stage(cityTraffic(), 10, QStringLiteral("city-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 300, 30'000);
    TopologyView* topology = stage.page.topology();
    const QStringList components = topology->groups();
    QVERIFY(!components.isEmpty());
    ComposedRun composed;
    int grouped = 0;
    for (const FederateView& each : stage.feed.current()->federates) {
      if (each.component != components.first()) continue;
      composed.groups.insert(
          each.name, grouped++ % 2 == 0 ? QStringLiteral("North") : QStringLiteral("South"));
    }
    QVERIFY(grouped > 1);
    stage.page.setComposed(composed);
    QStringList expected = components.mid(1) << QStringLiteral("North") << QStringLiteral("South");
    expected.sort();
    QCOMPARE(topology->groups(), expected);

    auto* expand = stage.page.findChild<QToolButton*>(QStringLiteral("runExpandAllButton"));
    auto* collapse = stage.page.findChild<QToolButton*>(QStringLiteral("runCollapseAllButton"));
    QVERIFY(expand && collapse);
    QTRY_VERIFY(expand->isVisible() && expand->isEnabled());
    QVERIFY(!collapse->isEnabled());
    QTest::mouseClick(expand, Qt::LeftButton);
    for (const QString& group : expected) QVERIFY(topology->isGroupOpen(group));
    QVERIFY(!expand->isEnabled());
    stage.shoot("run-300-open");
    QTest::mouseClick(collapse, Qt::LeftButton);
    for (const QString& group : expected) QVERIFY(!topology->isGroupOpen(group));
    QCOMPARE(topology->groups(), expected);
    stage.shoot("run-300-groups");
  }

  // Groups are boxes in a small run as well: open as they are in the composition, or closed with a
  // cell for each federate.
  void groupsOfASmallRunOpenAndClose() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 7, 30'000);
    TopologyView* topology = stage.page.topology();
    QVERIFY(topology->groups().isEmpty());
    ComposedRun composed;
    // A group may have the name of a federate.
    const QString radars = QStringLiteral("display");
    const QString analysis = QStringLiteral("Analysis");
    for (const char* name : {"radar-east", "radar-west"})
      composed.groups.insert(QString::fromLatin1(name), radars);
    composed.groups.insert(QStringLiteral("detector"), analysis);
    composed.collapsed.insert(analysis);
    stage.page.setComposed(composed);
    QVERIFY(!topology->isGrouped());
    QCOMPARE(topology->groups(), QStringList({analysis, radars}));
    QVERIFY(topology->isGroupOpen(radars) && !topology->isGroupOpen(analysis));
    QStringList shown = boxes<FederateItem>(*topology);
    QCOMPARE(shown, QStringList({"display", "flow-north", "flow-south", "radar-east", "radar-west",
                                 "recorder"}));
    QCOMPARE(boxes<GroupItem>(*topology), QStringList({analysis, radars}));
    stage.shoot("run-groups");

    // With the keyboard: to the closed group, and open it.
    topology->setFocus();
    auto* expand = stage.page.findChild<QToolButton*>(QStringLiteral("runExpandAllButton"));
    QTRY_VERIFY(expand->isVisible() && expand->isEnabled());
    QTest::mouseClick(expand, Qt::LeftButton);
    QVERIFY(topology->isGroupOpen(analysis));
    QVERIFY(boxes<FederateItem>(*topology).contains(QStringLiteral("detector")));
    stage.page.select(QStringLiteral("detector"));
    QTest::keyClick(topology, Qt::Key_Minus);
    QVERIFY(!topology->isGroupOpen(analysis));

    // What flows to and from a closed group is that of its federates.
    stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("topologyViews"))
        ->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(topology->bundles() > 1, 30'000);
    QCOMPARE(boxes<GroupItem>(*topology), QStringList({analysis, radars}));
    // Two flows to the radars and the display; radars and Analysis to who hears them.
    QCOMPARE(topology->bundles(), 9);
    stage.shoot("run-groups-flow");
  }

  // A run over several hosts has a box for each: with its RTI node, its federates, its state, and
  // the links between the nodes.
  void hostsOfTheRunStandInBoxesOfTheirOwn() {
    const QStringList borea{QStringLiteral("radar-east"), QStringLiteral("radar-west")};
    const QStringList cirrus{QStringLiteral("display"), QStringLiteral("recorder")};
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"), [&](Scene& scene) {
      HostLinkReading link;
      link.peer = QStringLiteral("run-7.borea");
      link.address = QStringLiteral("10.0.0.2:15165");
      link.federates = borea;
      scene.hostLinks.push_back(link);
      link.peer = QStringLiteral("run-7.cirrus");
      link.address = QStringLiteral("10.0.0.3:15165");
      link.federates = cirrus;
      scene.hostLinks.push_back(link);
      scene.grace = 150;
    });
    std::vector<RosterEntry> roster;
    for (const Actor& actor : airTraffic()) {
      const QString host = borea.contains(actor.name)    ? QStringLiteral("borea")
                           : cirrus.contains(actor.name) ? QStringLiteral("cirrus")
                                                         : QStringLiteral("atlas");
      roster.push_back({actor.name, actor.component, host, 0});
    }
    stage.feed.setRoster(roster);
    RosterHost up;
    up.state = RosterHost::State::Up;
    up.load = 0.42;
    std::vector<RosterHost> hosts(2, up);
    hosts[0].name = QStringLiteral("borea");
    hosts[1].name = QStringLiteral("cirrus");
    stage.feed.setHosts(hosts);
    TopologyView& topology = *stage.page.topology();
    QTRY_COMPARE_WITH_TIMEOUT(boxes<HostItem>(topology), QStringList({"atlas", "borea", "cirrus"}),
                              30'000);
    const auto texts = [&](const char* host) {
      for (QGraphicsItem* item : topology.scene()->items())
        if (auto* box = dynamic_cast<HostItem*>(item); box && box->name() == QLatin1String(host))
          return box->texts().join(u'|').replace(QChar(0x202f), u' ');
      return QString();
    };
    QTRY_VERIFY2(texts("borea").contains("load 0.42") && texts("borea").contains("2 joined"),
                 qPrintable(texts("borea")));
    QVERIFY(texts("atlas").contains("executive") && !texts("borea").contains("executive"));
    // Each federate is inside its host, and no host on another.
    std::map<QString, QRectF> places;
    for (QGraphicsItem* item : topology.scene()->items())
      if (auto* box = dynamic_cast<HostItem*>(item))
        places[box->name()] = QRectF(box->pos(), box->size());
    for (QGraphicsItem* item : topology.scene()->items()) {
      if (auto* box = dynamic_cast<FederateItem*>(item)) {
        const QString host = stage.view(box->name())->host;
        QVERIFY2(places[host].contains(QRectF(box->pos(), box->size())), qPrintable(box->name()));
      }
    }
    for (const auto& [name, place] : places)
      for (const auto& [other, there] : places) QVERIFY(name == other || !place.intersects(there));
    // The messages from host to host are added up, in both directions: four flows to the radars,
    // and what the radars send to the detector.
    const auto labels = [&] {
      QStringList all;
      for (QGraphicsItem* item : topology.scene()->items())
        if (auto* label = dynamic_cast<RateItem*>(item))
          all << label->lines().join(u'|').replace(QChar(0x202f), u' ');
      all.sort();
      return all;
    };
    QTRY_VERIFY2(labels().size() == 3 && labels().filter(QStringLiteral("6.36 k")).size() == 1,
                 qPrintable(labels().join(u'\n')));
    stage.shoot("run-hosts");

    // Cut off: the link says so, its federates are neither late nor dead, and the host is said to
    // be unreachable; lost after the grace.
    stage.scene->suspectFrom = stage.clock->seconds();
    QTRY_VERIFY2(texts("borea").contains("unreachable ") && texts("borea").contains("lost in "),
                 qPrintable(texts("borea")));
    QVERIFY(texts("borea").contains("Their state is not known until borea answers."));
    QVERIFY(!texts("cirrus").contains("unreachable"));
    QCOMPARE(stage.view("radar-east")->condition, FederateCondition::OutOfReach);
    QTRY_VERIFY2(labels().filter(QStringLiteral("no answer")).size() >= 1 &&
                     labels().filter(QStringLiteral("kept")).size() == 1,
                 qPrintable(labels().join(u'\n')));
    stage.shoot("run-hosts-unreachable");
    stage.scene->suspectUntil = stage.clock->seconds();
    QTRY_VERIFY2(texts("borea").contains("back after "), qPrintable(texts("borea")));
    stage.shoot("run-hosts-back");
    QTRY_VERIFY2(!texts("borea").contains("back after "), qPrintable(texts("borea")));
    hosts[0].state = RosterHost::State::Lost;
    hosts[0].nodeEnd = QStringLiteral("signal 9 (SIGKILL)");
    stage.feed.setHosts(hosts);
    QTRY_VERIFY2(texts("borea").contains("lost ") && texts("borea").contains("signal 9"),
                 qPrintable(texts("borea")));
    stage.shoot("run-hosts-lost");
  }

  // Links with other hosts are a table: those without an answer first, with a tint; each number
  // says where it comes from, and one that is not known is a dash.
  void linksToOtherHostsAreATable() {
    Stage stage(airTraffic(), 1, QStringLiteral("air-traffic"), [&](Scene& scene) {
      const QString hosts[] = {QStringLiteral("delta"), QStringLiteral("borea"),
                               QStringLiteral("cirrus")};
      for (int i = 0; i < 3; ++i) {
        HostLinkReading link;
        link.peer = QStringLiteral("run-7.") + hosts[i];
        link.address = QStringLiteral("10.0.0.%1:40112").arg(i + 2);
        link.port = 15164;
        link.keptLimitBytes = 100'000;
        link.keptBytes = static_cast<std::uint64_t>(i) * 1000;
        if (i != 1) link.lost = 14 * i;
        link.datagrams = i == 2;
        scene.hostLinks.push_back(link);
      }
      scene.hostLinks[0].federates = QStringList{QStringLiteral("radar-west")};
      scene.linkRate = 2880;
    });
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("linksTable"));
    auto* model = qobject_cast<QSortFilterProxyModel*>(table->model());
    QAbstractItemModelTester tester(model->sourceModel(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_COMPARE_WITH_TIMEOUT(model->rowCount(), 3, 30'000);
    auto* dock = stage.page.findChild<QDockWidget*>(QStringLiteral("runLinks"));
    QVERIFY(!dock->isHidden());
    dock->raise();
    const auto cell = [&](int row, int column, int role = Qt::DisplayRole) {
      return model->index(row, column).data(role);
    };
    const auto text = [&](int row, int column) {
      return cell(row, column).toString().replace(QChar(0x202f), u' ');
    };
    QCOMPARE(names(*model),
             QStringList({QString::fromUtf8("atlas – borea"), QString::fromUtf8("atlas – cirrus"),
                          QString::fromUtf8("atlas – delta")}));
    QCOMPARE(text(0, LinkModel::Transport), QStringLiteral("TCP 15164"));
    QCOMPARE(text(1, LinkModel::Transport), QStringLiteral("TCP 15164, UDP"));
    QTRY_VERIFY_WITH_TIMEOUT(text(2, LinkModel::Rate) == QStringLiteral("2.88 k"), 30'000);
    QCOMPARE(text(0, LinkModel::Rate), QStringLiteral("1.44 k"));
    QVERIFY2(text(2, LinkModel::Bytes).startsWith(QStringLiteral("51")) &&
                 text(2, LinkModel::Bytes).endsWith(QStringLiteral(" kB/s")),
             qPrintable(text(2, LinkModel::Bytes)));
    QCOMPARE(text(1, LinkModel::Queue), QStringLiteral("2 %"));
    QVERIFY(text(0, LinkModel::RoundTrip).endsWith(QStringLiteral(" ms")));
    QCOMPARE(text(1, LinkModel::Lost), QStringLiteral("28"));
    QCOMPARE(text(2, LinkModel::Lost), QStringLiteral("0"));
    QVERIFY(!cell(0, LinkModel::Lost).isValid());  // a dash
    for (int column = 0; column < LinkModel::ColumnCount; ++column)
      QVERIFY(!cell(0, column, Qt::ToolTipRole).toString().isEmpty());
    auto* up = stage.page.findChild<theme::StatePill*>(QStringLiteral("pillLinksUp"));
    auto* silent = stage.page.findChild<theme::StatePill*>(QStringLiteral("pillLinksNoAnswer"));
    QCOMPARE(up->text(), QStringLiteral("3 up"));
    QVERIFY(!silent->isVisibleTo(up->parentWidget()));
    stage.shoot("run-links");

    stage.scene->suspectFrom = stage.clock->seconds();
    QTRY_COMPARE_WITH_TIMEOUT(text(0, LinkModel::Name), QString::fromUtf8("atlas – delta"), 30'000);
    QVERIFY(cell(0, LinkModel::Name, theme::TintRole).isValid());
    QVERIFY(!cell(1, LinkModel::Name, theme::TintRole).isValid());
    QTRY_VERIFY_WITH_TIMEOUT(text(0, LinkModel::RoundTrip).endsWith(QStringLiteral(" s ago")),
                             30'000);
    QCOMPARE(text(0, LinkModel::Rate), QStringLiteral("0.00 k"));
    QVERIFY(cell(0, LinkModel::Name, Qt::AccessibleTextRole)
                .toString()
                .contains(QStringLiteral("no answer for ")));
    QCOMPARE(up->text(), QStringLiteral("2 up"));
    QCOMPARE(silent->text(), QStringLiteral("1 no answer"));
    // Whatever they are sorted by.
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      table->sortByColumn(LinkModel::Rate, order);
      QCOMPARE(text(0, LinkModel::Name), QString::fromUtf8("atlas – delta"));
      QCOMPARE(text(order == Qt::AscendingOrder ? 1 : 2, LinkModel::Name),
               QString::fromUtf8("atlas – cirrus"));
    }
    stage.shoot("run-links-no-answer");
    QTest::mouseClick(silent, Qt::LeftButton);
    QCOMPARE(names(*model), QStringList{QString::fromUtf8("atlas – delta")});
    QTest::mouseClick(silent, Qt::LeftButton);
    QCOMPARE(model->rowCount(), 3);
    stage.page.findChild<QLineEdit*>(QStringLiteral("linkSearch"))->setText(QStringLiteral("udp"));
    QCOMPARE(names(*model), QStringList{QString::fromUtf8("atlas – cirrus")});

    // As a file: numbers, and nothing for what is not known.
    stage.page.findChild<QLineEdit*>(QStringLiteral("linkSearch"))->clear();
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("links.csv"));
    QVERIFY(theme::exportCsv(*model, QStringLiteral("Links"), path, LinkModel::SortRole));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
    QCOMPARE(lines.at(1), QStringLiteral("Link,Transport,Rate /s,Bytes,Queue,Round trip,Lost"));
    const QStringList borea = lines.filter(QStringLiteral("borea"));
    QVERIFY2(borea.size() == 1 && borea.front().endsWith(u','), qPrintable(lines.join(u'\n')));
  }

  // A link of the data flow says which classes it carries, and how many messages a second.
  void linksOfTheDataFlowNameTheirClasses() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 7, 30'000);
    ComposedRun composed;
    composed.classes.push_back(
        {QStringLiteral("Flight"), {QStringLiteral("flow-north")}, {QStringLiteral("radar-west")}});
    composed.classes.push_back({QStringLiteral("Weather"),
                                {QStringLiteral("flow-north")},
                                {QStringLiteral("radar-west")}});
    composed.classes.push_back(
        {QStringLiteral("Flight"), {QStringLiteral("flow-south")}, {QStringLiteral("radar-west")}});
    stage.page.setComposed(composed);
    stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("topologyViews"))
        ->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(stage.page.topology()->bundles() > 1, 30'000);
    QStringList chips;
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          chips.clear();
          for (QGraphicsItem* item : stage.page.topology()->scene()->items())
            if (auto* rate = dynamic_cast<RateItem*>(item))
              chips << rate->lines().join(QStringLiteral(" | "));
          return std::any_of(chips.begin(), chips.end(), [](const QString& chip) {
            return chip.startsWith(QStringLiteral("Flight +1 | ")) && chip.endsWith("/s");
          });
        }(),
        30'000);
    QVERIFY2(std::any_of(chips.begin(), chips.end(),
                         [](const QString& chip) { return chip.startsWith("Flight | "); }),
             qPrintable(chips.join(u'\n')));
    stage.shoot("run-flow-classes");

    // The classes give the order of the boxes: links without one, as requests make them, do not.
    ComposedRun few;
    few.classes.push_back({QStringLiteral("RadarPlot"),
                           {QStringLiteral("radar-west")},
                           {QStringLiteral("recorder")}});
    stage.page.setComposed(few);
    const auto place = [&](const char* name) {
      for (QGraphicsItem* item : stage.page.topology()->scene()->items())
        if (auto* federate = dynamic_cast<FederateItem*>(item))
          if (federate->name() == QLatin1String(name)) return federate->pos();
      return QPointF(-1, -1);
    };
    QVERIFY(place("radar-west").x() < place("recorder").x());
    QCOMPARE(place("radar-west").y(), place("recorder").y());
    // What no class leads to or from stands below.
    QVERIFY(place("flow-north").y() > place("radar-west").y());
    QVERIFY(place("display").y() > place("radar-west").y());
    QVERIFY(stage.page.topology()->bundles() > 3);
  }

  void threeHundredFederatesStayFluid() {
    Stage stage(cityTraffic(), 10, QStringLiteral("city-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 300, 30'000);
    QVERIFY(stage.page.topology()->isGrouped());
    if (qEnvironmentVariableIsSet("TUTTI_SHOTS")) {
      QTRY_VERIFY_WITH_TIMEOUT(stage.clock->seconds() > 75, 30'000);
      stage.scene->dead = 130;
      stage.scene->deadFrom = stage.clock->seconds();
      QTest::qWait(900);
      stage.shoot("run-300-hosts");
      stage.page.select(QStringLiteral("vehicle-053"));
    }
    stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("topologyViews"))
        ->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(stage.page.topology()->bundles() > 5, 30'000);
    QTest::qWait(500);
    stage.shoot("run-300-flow");

    // How long the event loop is away while 300 federates are sampled and painted ten times a
    // second. What a slow or busy machine makes of it is printed; the test wants the picture to go
    // on.
    std::vector<double> gaps;
    QElapsedTimer since;
    QTimer beat;
    beat.setTimerType(Qt::PreciseTimer);
    beat.setInterval(1);
    connect(&beat, &QTimer::timeout, this, [&] {
      gaps.push_back(static_cast<double>(since.nsecsElapsed()) / 1e6 - 1);
      since.restart();
    });
    since.start();
    beat.start();
    const auto first = stage.feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->sequence >= first + 30, 30'000);
    beat.stop();
    std::sort(gaps.begin(), gaps.end());
    QVERIFY(!gaps.empty());
    qInfo(
        "event loop gaps with 300 federates: median %.2f ms, p99 %.2f ms, greatest %.2f ms of %zu",
        gaps[gaps.size() / 2], gaps[gaps.size() * 99 / 100], gaps.back(), gaps.size());
  }

  void amongThreeHundredTheDeadOneIsTwoClicksAway() {
    Stage stage(cityTraffic(), 10, QStringLiteral("city-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 300, 30'000);
    stage.scene->dead = 130;
    stage.scene->deadFrom = stage.clock->seconds();
    auto* show = stage.page.findChild<theme::SegmentedControl*>(QStringLiteral("federateShow"));
    QTRY_COMPARE_WITH_TIMEOUT(show->text(3), QStringLiteral("Dead 1"), 30'000);
    const QString dead = stage.feed.current()->deaths.front().federate;

    // The last segment, then the only row that is left.
    QTest::mouseClick(show, Qt::LeftButton, {}, {show->width() - 8, show->height() / 2});
    QTRY_COMPARE(table->model()->rowCount(), 1);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(table->model()->index(0, 0)).center());
    QCOMPARE(stage.page.selected(), dead);
    QCOMPARE(stage.page.federatePanel()->federate(), dead);
    QVERIFY(stage.page.federatePanel()->isVisible());
    QTRY_COMPARE(stage.page.federatePanel()->findChild<QTabBar*>()->tabText(4),
                 QStringLiteral("Lost"));

    // Without the mouse: the next problem, from wherever one is.
    stage.page.select({});
    stage.page.showNextProblem(1);
    QCOMPARE(stage.page.selected(), dead);
  }

  void everythingIsExported() {
    Stage stage(airTraffic(), 10, QStringLiteral("air-traffic"));
    auto* table = stage.page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 7, 30'000);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("f.csv"));
    QVERIFY(theme::exportCsv(*table->model(), QStringLiteral("Federates, run 42"), path,
                             FederateModel::SortRole));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 9);
    QCOMPARE(lines[0], QStringLiteral("# Federates, run 42"));
    QVERIFY(lines[1].startsWith("Federate,Host,CPU,Sent /s"));
    QVERIFY(std::any_of(lines.begin(), lines.end(),
                        [](const QString& line) { return line.startsWith("flow-north,atlas,"); }));
    for (const char* ending : {"svg", "png"}) {
      const QString picture = folder.filePath(QStringLiteral("t.") + QString::fromLatin1(ending));
      QVERIFY(theme::exportPicture(
          QStringLiteral("Topology"), {400, 300}, picture, [&](QPainter& painter) {
            stage.page.topology()->renderAll(painter, QRectF(0, 0, 400, 300));
          }));
      QVERIFY(QFileInfo(picture).size() > 1000);
    }
    QVERIFY(theme::exportPicture(QStringLiteral("T"), {10, 10}, QStringLiteral("/nowhere/x.png"),
                                 [](QPainter&) {})
                .error()
                .contains("/nowhere/x.png cannot be written"));

    // All of a run at once, each table with the federation and the run in its title.
    Recorder recorder(folder.filePath(QStringLiteral("runs.sqlite")));
    RunWorkspace page(&stage.feed, &recorder);
    page.resize(1368, 804);
    page.show();
    recorder.beginRun({});
    QTRY_VERIFY_WITH_TIMEOUT(recorder.runId() != 0, 30'000);
    page.beginRun(QStringLiteral("air-traffic"));
    auto* rows = page.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QTRY_COMPARE_WITH_TIMEOUT(rows->model()->rowCount(), 7, 30'000);
    QTemporaryDir out;
    const auto files = page.exportInto(out.path());
    QVERIFY2(files.has_value(), files ? "" : qPrintable(files.error()));
    QCOMPARE(QDir(out.path()).entryList(QDir::Files, QDir::Name),
             (QStringList{"air-traffic-federates.csv", "air-traffic-log.csv",
                          "air-traffic-plot-values.csv", "air-traffic-plots.png",
                          "air-traffic-plots.svg", "air-traffic-time.png", "air-traffic-time.svg",
                          "air-traffic-topology.png", "air-traffic-topology.svg"}));
    QCOMPARE(*files, 9);
    const QString run = QStringLiteral(", air-traffic, run %1, ").arg(recorder.runId());
    for (const char* kind : {"federates", "log", "plot-values"}) {
      QFile written(out.filePath(QStringLiteral("air-traffic-%1.csv").arg(QLatin1String(kind))));
      QVERIFY(written.open(QIODevice::ReadOnly));
      const QString title = QString::fromUtf8(written.readLine());
      QVERIFY2(title.startsWith(u'#') && title.contains(run), qPrintable(title));
    }
    QVERIFY(!page.exportInto(QStringLiteral("/nowhere")).has_value());
    recorder.endRun(QStringLiteral("stopped"));
  }

  // The sentence about who holds time never covers the marks it speaks of.
  void aSentenceOnTheTimeAxisCoversNoMark_data() {
    QTest::addColumn<QList<QPointF>>("marks");  // from, to
    QTest::addColumn<double>("from");
    QTest::addColumn<double>("length");
    QTest::newRow("right of the marks") << QList<QPointF>{{200, 260}, {300, 302}} << 310.0 << 200.0;
    QTest::newRow("left of them") << QList<QPointF>{{700, 760}, {790, 798}} << 492.0 << 200.0;
    QTest::newRow("in the widest gap, cut")
        << QList<QPointF>{{180, 300}, {450, 790}} << 308.0 << 134.0;
    QTest::newRow("nowhere") << QList<QPointF>{{140, 900}} << 150.0 << 0.0;
  }
  void aSentenceOnTheTimeAxisCoversNoMark() {
    QFETCH(QList<QPointF>, marks);
    QFETCH(double, from);
    QFETCH(double, length);
    std::vector<TimeAxis::Span> spans;
    for (const QPointF& mark : marks) spans.push_back({mark.x(), mark.y()});
    const TimeAxis::Span place = TimeAxis::notePlace(spans, 200, 150, 800);
    QCOMPARE(place.from, from);
    QCOMPARE(place.length(), length);
    for (const TimeAxis::Span& mark : spans) {
      QVERIFY(place.length() == 0 || place.to <= mark.from || place.from >= mark.to);
    }
  }

  void theTimeAxisStandsStillBetweenSteps() {
    TimeAxis axis;
    axis.resize(800, 160);
    FederateView view = someFederate("radar");
    view.timeManaged = true;
    view.time.regulating = true;
    view.time.lookahead = 0.1;
    view.time.logicalTime = 128.4;
    auto snapshot = snapshotOf({view});
    axis.setSnapshot(snapshot);
    const double from = axis.from();
    view.time.logicalTime = 128.41;
    axis.setSnapshot(snapshotOf({view}));
    QCOMPARE(axis.from(), from);
    view.time.logicalTime = 140;
    axis.setSnapshot(snapshotOf({view}));
    QVERIFY(axis.from() > from);
    QVERIFY(axis.from() <= 140 && axis.to() >= 140.1);
  }
};

QTEST_MAIN(TestRunWorkspace)
#include "tst_run_workspace.moc"
