// SPDX-License-Identifier: GPL-3.0-or-later
// One, several, a group or all federates of the page Run are selected and acted upon, by mouse and
// by keyboard; what the page asks for is compared with what was pressed.
#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "monitor/ui/federate_model.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"
#include "tests/monitor/fake_run.h"
#include "tests/monitor/pictures.h"
#include "tests/monitor/scene.h"

using namespace tutti;
using namespace tutti::monitor;
using namespace tutti::monitor::test;

namespace {

struct Stage {
  explicit Stage(std::vector<Actor> actors)
      : clock(std::make_shared<SceneClock>(10)),
        scene(std::make_shared<Scene>(clock, QStringLiteral("air-traffic"), std::move(actors))),
        page(&feed, nullptr) {
    page.resize(1368, 804);
    page.show();
    feed.start([source = scene] { return source; }, clock);
  }
  QTreeView& table() { return *page.findChild<QTreeView*>(QStringLiteral("federatesTable")); }
  QModelIndex row(const QString& name) {
    const auto& model = *table().model();
    return model.match(model.index(0, 0), Qt::DisplayRole, name, 1, Qt::MatchExactly).value(0);
  }
  QString nameAt(int row) {
    return table().model()->index(row, 0).data(FederateModel::NameRole).toString();
  }
  void click(const QString& name, Qt::KeyboardModifiers modifiers = {}) {
    table().scrollTo(row(name));
    QTest::mouseClick(table().viewport(), Qt::LeftButton, modifiers,
                      table().visualRect(row(name)).center());
  }
  QMenu* menu() { return page.findChild<QMenu*>(QStringLiteral("federateMenu")); }
  QAction* item(const QString& text) {
    if (!menu()) return nullptr;
    for (QAction* each : menu()->actions())
      if (each->text() == text) return each;
    return nullptr;
  }
  QStringList items() {
    QStringList texts;
    for (QAction* each : menu()->actions()) texts << each->text();
    return texts;
  }
  QMessageBox* box() { return page.findChild<QMessageBox*>(QStringLiteral("federatesBox")); }
  QPushButton* accept() {
    return box()->findChild<QPushButton*>(QStringLiteral("federatesAccept"));
  }
  void shoot(const QString& name, QWidget* widget = nullptr) {
    if (!monitor::test::keepsPictures()) return;
    QTest::qWait(600);  // for the picture only
    monitor::test::keepPicture(widget ? *widget : page, name);
  }

  std::shared_ptr<SceneClock> clock;
  std::shared_ptr<Scene> scene;
  Feed feed;
  RunWorkspace page;
};

/// The first item of that kind and name, in the view's coordinates.
template <typename Box>
QPoint placeOf(const TopologyView& view, const QString& name, QPointF inside) {
  for (QGraphicsItem* each : view.scene()->items()) {
    const auto* box = dynamic_cast<Box*>(each);
    if (box && box->name() == name) return view.mapFromScene(box->pos() + inside);
  }
  return {-1, -1};
}

void rightClick(TopologyView& view, QPoint at) {
  QContextMenuEvent event(QContextMenuEvent::Mouse, at, view.viewport()->mapToGlobal(at));
  QApplication::sendEvent(view.viewport(), &event);
}

const QString north = QStringLiteral("flow-north");
const QString south = QStringLiteral("flow-south");
const QString east = QStringLiteral("radar-east");

}  // namespace

class TestRunSelection : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<theme::Theme> theme_;

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  void severalAreSelectedAndStopped_data() {
    QTest::addColumn<bool>("byKeyboard");
    QTest::newRow("by mouse") << false;
    QTest::newRow("by keyboard") << true;
  }
  void severalAreSelectedAndStopped() {
    QFETCH(bool, byKeyboard);
    Stage stage(airTraffic());
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 7, 30'000);
    stage.page.setDeclarations(airTrafficDeclarations());
    QSignalSpy stop(&stage.page, &RunWorkspace::stopRequested);
    stage.click(north);
    QCOMPARE(stage.page.selected(), north);
    QVERIFY(stage.page.federatePanel()->isVisible());
    stage.click(south, Qt::ControlModifier);
    stage.click(east, Qt::ControlModifier);
    QStringList both = stage.page.selection();
    both.sort();
    QCOMPARE(both, (QStringList{north, south, east}));
    QCOMPARE(stage.page.selected(), QString());
    // The pane says what is selected, not the last one.
    auto* facts = stage.page.findChild<QWidget*>(QStringLiteral("factsSelection"));
    QVERIFY(facts->isVisible());
    QVERIFY(!stage.page.federatePanel()->isVisible());
    QTRY_VERIFY2_WITH_TIMEOUT(
        facts->accessibleDescription().contains("Object instances of their own: 452"),
        qPrintable(facts->accessibleDescription()), 30'000);
    QVERIFY(facts->accessibleDescription().contains("Selected: 3"));
    stage.shoot(QStringLiteral("selection"));
    // It outlives the samples.
    const auto sequence = stage.feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->sequence > sequence + 12, 30'000);
    QCOMPARE(stage.page.selection().size(), 3);

    if (byKeyboard) {
      stage.table().setFocus();
      QTest::keyClick(&stage.table(), Qt::Key_Delete);
    } else {
      stage.page.showFederatesMenu(stage.page.selection(), stage.page.mapToGlobal(QPoint(99, 99)));
      QTRY_VERIFY(stage.menu() && stage.menu()->isVisible());
      stage.shoot(QStringLiteral("selection-menu"), stage.menu());
      for (const char* text : {"Stop 3 federates…", "Kill 3 federates…", "Restart 3 federates…",
                               "Remove 3 federates from this run…"})
        QVERIFY2(stage.item(QString::fromUtf8(text)), qPrintable(stage.items().join(u'\n')));
      // What is for one says so.
      QVERIFY(!stage.item(QStringLiteral("Move to another host"))->isEnabled());
      QCOMPARE(stage.item(QStringLiteral("Move to another host"))->toolTip(),
               QStringLiteral("Select one federate for this"));
      stage.item(QString::fromUtf8("Stop 3 federates…"))->trigger();
    }
    QTRY_VERIFY(stage.box() && stage.box()->isVisible());
    QCOMPARE(stop.count(), 0);
    const QString said = stage.box()->informativeText();
    for (const QString& name : {north, south, east})
      QVERIFY2(said.contains(name), qPrintable(said));
    QVERIFY2(said.contains("452 object instances"), qPrintable(said));
    QVERIFY2(said.contains("Without a publisher then: "), qPrintable(said));
    stage.shoot(QStringLiteral("selection-stop"), stage.box());
    QTest::mouseClick(stage.accept(), Qt::LeftButton);
    QCOMPARE(stop.count(), 1);
    QStringList stopped = stop.value(0).value(0).toStringList();
    stopped.sort();
    QCOMPARE(stopped, (QStringList{north, south, east}));
  }

  void allOfThreeHundredAreSelectedByAKey() {
    Stage stage(cityTraffic());
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 300, 30'000);
    QSignalSpy restart(&stage.page, &RunWorkspace::restartRequested);
    stage.table().setFocus();
    QTest::keyClick(&stage.table(), Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(stage.page.selection().size(), 300);
    QTRY_VERIFY(stage.page.findChild<QWidget*>(QStringLiteral("factsSelection"))->isVisible());
    stage.shoot(QStringLiteral("selection-300"));
    QTest::mouseClick(stage.page.findChild<QPushButton*>(QStringLiteral("restartSelected")),
                      Qt::LeftButton);
    QTRY_VERIFY(stage.box() && stage.box()->isVisible());
    QCOMPARE(stage.accept()->text(), QStringLiteral("Restart 300 federates"));
    stage.shoot(QStringLiteral("selection-300-restart"), stage.box());
    QTest::mouseClick(stage.accept(), Qt::LeftButton);
    QCOMPARE(restart.value(0).value(0).toStringList().size(), 300);
    // What a filter hides is not acted upon.
    auto* search = stage.page.findChild<QLineEdit*>(QStringLiteral("federateSearch"));
    search->setText(QStringLiteral("radar-00"));
    QCOMPARE(stage.page.selection().size(), 9);
    // One that is chosen then is one again.
    stage.click(QStringLiteral("radar-003"));
    QCOMPARE(stage.page.selected(), QStringLiteral("radar-003"));
  }

  // Row by row with the keyboard: each that is added keeps those before it.
  void shiftAndDownSelectRowByRow() {
    Stage stage(airTraffic());
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 7, 30'000);
    stage.table().sortByColumn(FederateModel::Name, Qt::AscendingOrder);
    QStringList wanted{stage.nameAt(0)};
    stage.click(wanted[0]);
    stage.table().setFocus();
    for (int row = 1; row <= 4; ++row) {
      QTest::keyClick(&stage.table(), Qt::Key_Down, Qt::ShiftModifier);
      wanted << stage.nameAt(row);
      QCOMPARE(stage.page.selection(), wanted);
      QCOMPARE(stage.table().selectionModel()->selectedRows().size(), wanted.size());
      QCOMPARE(stage.table().currentIndex().row(), row);
    }
    QTest::keyClick(&stage.table(), Qt::Key_Up, Qt::ShiftModifier);
    wanted.removeLast();
    QCOMPARE(stage.page.selection(), wanted);
  }

  void theTableStaysWhereItIsClicked() {
    Stage stage(cityTraffic());
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 300, 30'000);
    stage.table().sortByColumn(FederateModel::Name, Qt::AscendingOrder);
    QStringList wanted{stage.nameAt(0)};
    stage.click(wanted[0]);
    stage.table().scrollTo(stage.row(stage.nameAt(200)), QAbstractItemView::PositionAtTop);
    const int place = stage.table().verticalScrollBar()->value();
    QVERIFY(place > 0);
    for (const int row : {201, 202}) {
      wanted << stage.nameAt(row);
      stage.click(wanted.back(), Qt::ControlModifier);
      QCOMPARE(stage.page.selection(), wanted);
      QCOMPARE(stage.table().verticalScrollBar()->value(), place);
      QCOMPARE(stage.table().currentIndex().row(), row);
    }
  }

  void theCanvasHasTheMenuOfAFederateAndOfAGroup() {
    Stage stage(airTraffic());
    ComposedRun composed;
    composed.groups = {{north, QStringLiteral("flows")}, {south, QStringLiteral("flows")}};
    stage.page.setComposed(composed);
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 7, 30'000);
    TopologyView& topology = *stage.page.topology();
    QTRY_VERIFY_WITH_TIMEOUT(placeOf<FederateItem>(topology, east, {40, 20}).x() >= 0, 30'000);
    QSignalSpy hosts(&topology, &TopologyView::hostMenuRequested);
    QSignalSpy kill(&stage.page, &RunWorkspace::killRequested);
    rightClick(topology, placeOf<FederateItem>(topology, east, {40, 20}));
    QVERIFY(hosts.isEmpty());
    QTRY_VERIFY(stage.menu() && stage.menu()->isVisible());
    for (const char* text : {"Log of radar-east", "Stop or kill radar-east…", "Restart radar-east…",
                             "Remove radar-east from this run…"})
      QVERIFY2(stage.item(QString::fromUtf8(text)), qPrintable(stage.items().join(u'\n')));
    stage.shoot(QStringLiteral("canvas-federate-menu"), stage.menu());
    stage.menu()->close();
    QTRY_VERIFY(!stage.menu());

    rightClick(topology, placeOf<GroupItem>(topology, QStringLiteral("flows"), {60, 12}));
    QTRY_VERIFY(stage.menu() && stage.menu()->isVisible());
    stage.shoot(QStringLiteral("canvas-group-menu"), stage.menu());
    QAction* all = stage.item(QString::fromUtf8("Kill flows (2 federates)…"));
    QVERIFY2(all, qPrintable(stage.items().join(u'\n')));
    all->trigger();
    QTRY_VERIFY(stage.box() && stage.box()->isVisible());
    QTest::mouseClick(stage.accept(), Qt::LeftButton);
    QStringList killed = kill.value(0).value(0).toStringList();
    killed.sort();
    QCOMPARE(killed, (QStringList{north, south}));
    // Ctrl+K has it too.
    QList<theme::FindEntry> finds;
    stage.page.provideFinds(finds);
    const auto offered = [&](const QString& text) {
      return std::any_of(finds.begin(), finds.end(),
                         [&](const theme::FindEntry& each) { return each.title == text; });
    };
    QVERIFY(offered(QString::fromUtf8("Restart flows (2 federates)…")));
    QVERIFY(!offered(QStringLiteral("Move to another host")));
  }

  // Who has died in a selection is neither stopped nor killed, and can be dismissed with the
  // others.
  void theDeadAreLeftOutOfAStop() {
    Stage stage(airTraffic());
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 7, 30'000);
    stage.scene->dead = 2;
    stage.scene->deadFrom = stage.clock->seconds();
    QTRY_COMPARE_WITH_TIMEOUT(stage.feed.current()->find(east)->condition, FederateCondition::Dead,
                              30'000);
    stage.page.selectFederates({north, south, east});
    QSignalSpy kill(&stage.page, &RunWorkspace::killRequested);
    stage.page.askTo(FederateCommand::Kill, stage.page.selection());
    QTRY_VERIFY(stage.box());
    QCOMPARE(stage.accept()->text(), QStringLiteral("Kill 2 federates"));
    QTest::mouseClick(stage.accept(), Qt::LeftButton);
    QCOMPARE(kill.value(0).value(0).toStringList(), (QStringList{north, south}));
    stage.page.showFederatesMenu(stage.page.selection(), stage.page.mapToGlobal(QPoint(99, 99)));
    QTRY_VERIFY(stage.menu());
    stage.item(QStringLiteral("Dismiss radar-east"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(stage.feed.current()->find(east) == nullptr, 30'000);
    QTRY_COMPARE_WITH_TIMEOUT(stage.page.selection().size(), 2, 30'000);
  }

  // Another program's run is looked at only.
  void aWatchedRunIsNotChanged() {
    Stage stage(airTraffic());
    stage.page.setWatched(true);
    QTRY_COMPARE_WITH_TIMEOUT(stage.table().model()->rowCount(), 7, 30'000);
    stage.page.selectFederates({north, south});
    QTRY_VERIFY(stage.page.findChild<QWidget*>(QStringLiteral("factsSelection"))->isVisible());
    QVERIFY(!stage.page.findChild<QWidget*>(QStringLiteral("stopSelected"))->isVisible());
    stage.page.showFederatesMenu(stage.page.selection(), QPoint(99, 99));
    QVERIFY(!stage.menu());
    stage.table().setFocus();
    QTest::keyClick(&stage.table(), Qt::Key_Delete);
    QVERIFY(!stage.box());
  }
};

QTEST_MAIN(TestRunSelection)
#include "tst_run_selection.moc"
