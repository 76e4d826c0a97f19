// SPDX-License-Identifier: GPL-3.0-or-later
// A federate joins a running federation from the window, and leaves it: by mouse and by keyboard,
// with what is lost before the button. What the screen says is compared with what the kernel says.
#include <signal.h>

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTreeView>
#include <cerrno>

#include "app/console.h"
#include "app/finder.h"
#include "composer/model/document.h"
#include "composer/ui/compose_workspace.h"
#include "monitor/ui/federate_model.h"
#include "monitor/ui/run_workspace.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

namespace {

const QString radar = QStringLiteral("radar-west");

bool isAlive(qint64 pid) {
  return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH);
}

}  // namespace

class RunMembersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void oneJoinsAndLeavesByMouse() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runWithoutRadar(console));
    QVERIFY(console.run().missingFederates().isEmpty());
    QCOMPARE(rowOf(window, radar), -1);
    enableRadar(console);
    QCOMPARE(console.run().missingFederates(), QStringList{radar});
    // The banner says so on every page, with the button.
    theme::Banner* banner = window.banner();
    QTRY_VERIFY2(banner->isVisible() && banner->title().contains(radar + " is not in this run yet"),
                 qPrintable(banner->title()));
    shoot(window, "missing");
    press(*banner, QStringLiteral("Start %1 in this run").arg(radar));
    QTRY_VERIFY_WITH_TIMEOUT(console.run().federatesJoined() == 6, 40000);
    QVERIFY(console.run().missingFederates().isEmpty());
    QCOMPARE(console.run().federatesExpected(), 6);
    QTRY_VERIFY(rowOf(window, radar) >= 0);
    QTRY_COMPARE_WITH_TIMEOUT(condition(window, radar), monitor::FederateCondition::Running, 20000);
    const qint64 pid = console.run().current()->process(radar)->pid;
    QVERIFY(isAlive(pid));
    shoot(window, "joined");
    // What is lost is shown above the button.
    auto* page = window.findChild<monitor::RunWorkspace*>();
    page->showFederateMenu(radar, page->mapToGlobal(page->rect().center()));
    auto menu = [&] { return window.findChild<QMenu*>(QStringLiteral("federateMenu")); };
    QTRY_VERIFY(menu() && menu()->isVisible());
    QAction* remove = nullptr;
    for (QAction* one : menu()->actions()) {
      if (one->text().contains(QStringLiteral("Remove %1").arg(radar))) remove = one;
    }
    QVERIFY(remove);
    QTest::mouseClick(menu(), Qt::LeftButton, {}, menu()->actionGeometry(remove).center());
    auto* button = window.findChild<QPushButton*>(QStringLiteral("remove"));
    QTRY_VERIFY(button->isVisible());
    QVERIFY(isAlive(pid));
    // It is being watched, so that what would be lost is known.
    auto* losses = window.findChild<QWidget*>(QStringLiteral("factsIfItDies"));
    QTRY_VERIFY(losses->isVisible());
    shoot(window, "before-removal");
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 10000);
    QTRY_COMPARE_WITH_TIMEOUT(rowOf(window, radar), -1, 10000);
    QVERIFY(!console.run().current()->process(radar));
    QCOMPARE(console.run().phase(), Phase::Running);
    // The composition has it still: it may come back, if somebody wants that.
    QTRY_COMPARE(console.run().missingFederates(), QStringList{radar});
    shoot(window, "removed");
    end(console);
  }

  void oneJoinsAndLeavesByKeyboard() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runWithoutRadar(console));
    enableRadar(console);
    QTRY_COMPARE(console.run().missingFederates(), QStringList{radar});
    auto* menu = window.findChild<QMenu*>(QStringLiteral("missingMenu"));
    QTRY_VERIFY(menu->isEnabled());
    QCOMPARE(menu->actions().size(), 1);
    find(window, QStringLiteral("start radar-west in this run"));
    QTRY_VERIFY_WITH_TIMEOUT(console.run().federatesJoined() == 6, 40000);
    QTRY_VERIFY(!menu->isEnabled());
    QTRY_VERIFY(rowOf(window, radar) >= 0);
    const qint64 pid = console.run().current()->process(radar)->pid;
    find(window, QStringLiteral("remove radar-west from this run"));
    QTRY_VERIFY(QApplication::focusWidget() &&
                QApplication::focusWidget()->objectName() == QStringLiteral("remove"));
    QVERIFY(isAlive(pid));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 10000);
    QTRY_COMPARE_WITH_TIMEOUT(rowOf(window, radar), -1, 10000);
    end(console);
  }

  /// A box of the canvas that is not in the run has the action in its menu; others have not.
  void theCanvasOffersIt() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runWithoutRadar(console));
    enableRadar(console);
    auto* compose = window.findChild<composer::ComposeWorkspace*>();
    QMenu other;
    Q_EMIT compose->menuAboutToShow(&other, {QStringLiteral("radar-east")});
    QCOMPARE(other.actions().front()->objectName(), QStringLiteral("removeFromRun"));
    QMenu menu;
    Q_EMIT compose->menuAboutToShow(&menu, {radar, QStringLiteral("radar-east")});
    QVERIFY(!menu.actions().isEmpty());
    QCOMPARE(menu.actions().front()->objectName(), QStringLiteral("startInRun"));
    menu.actions().front()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().federatesJoined() == 6, 40000);
    // Back out of the run: the page Run says what is lost, above the button.
    QVERIFY(window.showPage(compose->id()));
    const qint64 pid = console.run().current()->process(radar)->pid;
    other.actions().front()->trigger();
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QTRY_VERIFY(QApplication::focusWidget() &&
                QApplication::focusWidget()->objectName() == QStringLiteral("remove"));
    QCOMPARE(window.findChild<monitor::RunWorkspace*>()->selected(), QStringLiteral("radar-east"));
    QMenu both;
    Q_EMIT compose->menuAboutToShow(&both, {radar, QStringLiteral("radar-east")});
    both.actions().front()->trigger();
    const auto accept = [&] {
      return window.findChild<QPushButton*>(QStringLiteral("federatesAccept"));
    };
    QTRY_VERIFY(accept() && accept()->isVisible());
    QVERIFY(isAlive(pid));
    QTest::mouseClick(accept(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 10000);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().federatesExpected(), 4, 10000);
    // They can come back.
    QTRY_COMPARE(console.run().missingFederates().size(), 2);
    end(console);
  }

  /// All, or several, are restarted and killed: what the kernel says of their processes.
  void allAreRestartedAndKilled() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runWithoutRadar(console));
    const auto pids = [&] {
      QHash<QString, qint64> result;
      for (const auto& each : console.run().current()->processes())
        if (!each.isNode) result.insert(each.id, each.pid);
      return result;
    };
    const auto before = pids();
    QCOMPARE(before.size(), 5);
    auto* restart = window.findChild<QAction*>(QStringLiteral("restartAll"));
    const auto* runMenu = window.findChild<QMenu*>(QStringLiteral("runMenu"));
    QVERIFY(restart && restart->isEnabled() && runMenu->actions().contains(restart));
    find(window, QStringLiteral("restart all"));
    const auto press = [&](const char* name) {
      const auto button = [&] { return window.findChild<QPushButton*>(QString::fromLatin1(name)); };
      QTRY_VERIFY(button() && button()->isVisible());
      for (const qint64 pid : pids()) QVERIFY(isAlive(pid));
      QTest::mouseClick(button(), Qt::LeftButton);
    };
    press("restartAllAccept");
    const auto allAreNew = [&] {
      const auto now = pids();
      for (auto each = before.cbegin(); each != before.cend(); ++each) {
        const auto* process = console.run().current()->process(each.key());
        if (now.value(each.key()) == each.value() || !process->alive() || isAlive(each.value()))
          return false;
      }
      return console.run().federatesJoined() == 5;
    };
    QTRY_VERIFY_WITH_TIMEOUT(allAreNew(), 60000);
    QCOMPARE(console.run().phase(), Phase::Running);
    QVERIFY(console.run().current()->deaths().empty());

    // Two of them by Ctrl and the keyboard, with what is lost first.
    const auto second = pids();
    auto* page = window.findChild<monitor::RunWorkspace*>();
    QTRY_VERIFY_WITH_TIMEOUT(rowOf(window, QStringLiteral("log")) >= 0, 10000);
    page->selectFederates({QStringLiteral("log"), QStringLiteral("detector")});
    auto* table = window.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    QCOMPARE(table->selectionModel()->selectedRows().size(), 2);
    page->askTo(monitor::FederateCommand::Restart, page->selection());
    press("federatesAccept");
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(second.value("log")) && !isAlive(second.value("detector")),
                             20000);
    const auto areBack = [&] {
      const auto now = pids();
      for (const char* name : {"log", "detector"}) {
        const auto id = QString::fromLatin1(name);
        if (now.value(id) == second.value(id) || !isAlive(now.value(id))) return false;
      }
      return console.run().federatesJoined() == 5;
    };
    QTRY_VERIFY_WITH_TIMEOUT(areBack(), 40000);
    for (const char* name : {"flow-north", "flow-south", "radar-east"})
      QCOMPARE(pids().value(QString::fromLatin1(name)), second.value(QString::fromLatin1(name)));

    const auto third = pids();
    auto* kill = window.findChild<QAction*>(QStringLiteral("killAll"));
    QVERIFY(kill->isEnabled() && runMenu->actions().contains(kill));
    kill->trigger();
    press("killAllAccept");
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 20000);
    for (const qint64 pid : third) QVERIFY(!isAlive(pid));
    QVERIFY(!kill->isEnabled() && !restart->isEnabled());
  }

  /// What has started and does not join is in the pill, the banner and the pane "Problems", with
  /// its log and its end.
  void oneThatNeverJoinsNeedsYou() {
    const QString catalog = home_.path(QStringLiteral("catalog"));
    write(catalog + QStringLiteral("/absent/component.json"),
          R"({"id": "absent", "name": "Absent", "version": "1.0", "api": "none",
              "ready": {"when": "joined"},
              "command": {"executable": "/bin/sleep", "arguments": [["1000"]]}})");
    const QString file = home_.path(QStringLiteral("absent.federation.json"));
    write(file, R"({"format": 1, "federation": "absent", "federates":
                    {"a": {"component": "absent", "name": "a-absent", "version": "1.0"}}})");
    qputenv("TUTTI_CATALOG", catalog.toUtf8());
    app::Console console({home_.settings(), true});
    qputenv("TUTTI_CATALOG", TUTTI_SOURCE_DIR "/resources/components");
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(file));
    QTRY_VERIFY2_WITH_TIMEOUT(console.run().whyNotRun().isEmpty(),
                              qPrintable(console.run().whyNotRun()), 10000);
    console.run().run();
    QVERIFY(window.showPage(QStringLiteral("run")));
    const QString absent = QStringLiteral("a-absent");
    const QString title = absent + QStringLiteral(" has started and is not ready");
    auto* pill = window.findChild<theme::StatePill*>(QStringLiteral("statePill"));
    QVERIFY(pill);
    QTRY_VERIFY_WITH_TIMEOUT(!console.run().troubles().isEmpty(), 30000);
    const auto first = console.run().troubles().front();
    QVERIFY2(first.title == title, qPrintable(first.title + u'\n' + first.detail));
    QTRY_COMPARE_WITH_TIMEOUT(pill->text(), QStringLiteral("1 not ready"), 20000);
    QTRY_VERIFY2(window.banner()->isVisible() && window.banner()->title() == title,
                 qPrintable(window.banner()->title()));
    const auto* pane = window.findChild<QWidget*>(QStringLiteral("runProblems"));
    QVERIFY(pane);
    const auto row = [&] {
      for (const auto* label : pane->findChildren<QLabel*>())
        if (label->isVisible() && label->text() == title) return true;
      return false;
    };
    QTRY_VERIFY(row());
    const auto button = [&](const QString& text) -> QPushButton* {
      for (auto* each : pane->findChildren<QPushButton*>())
        if (each->isVisible() && each->text() == text) return each;
      return nullptr;
    };
    shoot(window, "not-ready");
    QPushButton* log = button(QStringLiteral("Its log"));
    QPushButton* stop = button(QStringLiteral("Stop ") + absent);
    QVERIFY(log && stop);
    QTest::mouseClick(log, Qt::LeftButton);
    auto* subjects = window.findChild<QComboBox*>(QStringLiteral("logSubjects"));
    QVERIFY(subjects);
    QTRY_COMPARE(subjects->currentText(), absent);
    const qint64 pid = console.run().current()->process(absent)->pid;
    QVERIFY(isAlive(pid));
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 20000);
    QTRY_VERIFY_WITH_TIMEOUT(!row(), 10000);
    if (console.run().phase() != Phase::Ended) console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
  }

 private:
  static void write(const QString& path, const QByteArray& text) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }

  static bool runWithoutRadar(app::Console& console) {
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window) ||
        !window.openFile(composer::Catalog::federationsFolder() +
                         QStringLiteral("/air-traffic.federation.json")))
      return false;
    console.document().setEnabled({radar}, false);
    console.run().run();
    return window.showPage(QStringLiteral("run")) &&
           QTest::qWaitFor([&] { return console.run().logicalTime() > 1; }, 40000) &&
           console.run().federatesJoined() == 5;
  }
  static void enableRadar(app::Console& console) { console.document().setEnabled({radar}, true); }

  static void end(app::Console& console) {
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    QVERIFY(console.run().current()->deaths().empty());
  }

  static const QAbstractItemModel& rows(app::MainWindow& window) {
    return *window.findChild<QTreeView*>(QStringLiteral("federatesTable"))->model();
  }
  static int rowOf(app::MainWindow& window, const QString& name) {
    const auto& model = rows(window);
    const auto found = model.match(model.index(0, 0), Qt::DisplayRole, name, 1, Qt::MatchExactly);
    return found.isEmpty() ? -1 : found.front().row();
  }
  static monitor::FederateCondition condition(app::MainWindow& window, const QString& name) {
    return static_cast<monitor::FederateCondition>(rows(window)
                                                       .index(rowOf(window, name), 0)
                                                       .data(monitor::FederateModel::ConditionRole)
                                                       .toInt());
  }

  /// Ctrl+K, words, Enter.
  static void find(app::MainWindow& window, const QString& words) {
    window.activateWindow();
    window.findField()->open();
    QTest::keyClicks(window.findField(), words);
    auto* list = window.findField()->list();
    QTRY_VERIFY(list->model()->rowCount() > 0);
    QVERIFY2(list->model()->index(0, 0).data().toString().startsWith(words, Qt::CaseInsensitive),
             qPrintable(list->model()->index(0, 0).data().toString()));
    QTest::keyClick(window.findField(), Qt::Key_Return);
  }

  static void press(QWidget& banner, const QString& text) {
    for (auto* button : banner.findChildren<QPushButton*>()) {
      if (!button->isVisible() || button->text() != text) continue;
      QTest::mouseClick(button, Qt::LeftButton);
      return;
    }
    QFAIL(qPrintable(QStringLiteral("the banner has no button %1").arg(text)));
  }

  /// In both themes.
  static void shoot(app::MainWindow& window, const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QDir().mkpath(path);
    for (const bool dark : {false, true}) {
      window.setAppearance(dark ? theme::Appearance::Dark : theme::Appearance::Light);
      window.grab().save(QStringLiteral("%1/members-%2-%3.png")
                             .arg(path, QLatin1String(name),
                                  dark ? QStringLiteral("dark") : QStringLiteral("light")));
    }
    window.setAppearance(theme::Appearance::Light);
  }

  test::TestHome home_;
};

QTEST_MAIN(RunMembersTest)
#include "tst_run_members.moc"
