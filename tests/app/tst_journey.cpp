// SPDX-License-Identifier: GPL-3.0-or-later
// One way through the whole console with a real run: the sample is opened and run with one click,
// gauges move, a stopped federate shows as stopped, a killed one as dead, and nothing is left. What
// the screen says is compared with what the kernel says.
#include <signal.h>

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <algorithm>
#include <cerrno>
#include <memory>

#include "app/console.h"
#include "app/measured_exchanges.h"
#include "app/pulse_bar.h"
#include "app/start_page.h"
#include "app/status_line.h"
#include "composer/model/document.h"
#include "monitor/engine/run_store.h"
#include "monitor/ui/federate_model.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_workspace.h"
#include "resources/theme/widgets.h"
#include "tests/app/dialog_watch.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

namespace {

bool isAlive(qint64 pid) {
  return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH);
}

/// State letter of /proc/PID/stat, the independent source.
char stateOf(qint64 pid) {
  QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) return '-';
  const QByteArray text = file.readAll();
  return text.mid(text.lastIndexOf(')') + 2, 1).at(0);
}

}  // namespace

class JourneyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(home_.prepare());
    dialogs_ = std::make_unique<test::DialogWatch>();
  }
  // Whatever a run, its federates and its files do: nothing asks before a person can go on. The two
  // questions there are follow from the person's own click.
  void cleanup() { QCOMPARE(dialogs_->take(), QStringList()); }
  void cleanupTestCase() { dialogs_.reset(); }

  void theSampleRunsWithOneClickAndEndsCleanly() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.isStartPageShown());
    auto* go = window.findChild<QPushButton*>(QStringLiteral("runSample"));
    QVERIFY(go);
    QElapsedTimer since;
    since.start();
    QTest::mouseClick(go, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QCOMPARE(console.run().federatesExpected(), 6);

    // Gauges move: time advances and updates flow.
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 2, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().updatesPerSecond() > 50, 20000);
    qInfo("from the click until gauges move: %.1f s", static_cast<double>(since.elapsed()) / 1000);
    auto* time = window.findChild<app::PulseValue*>(QStringLiteral("pulseTime"));
    auto* joined = window.findChild<app::PulseValue*>(QStringLiteral("pulseFederates"));
    QTRY_VERIFY(time->value() != QStringLiteral("–"));
    QTRY_COMPARE(joined->value(), QStringLiteral("6 of 6"));
    QCOMPARE(window.pulseBar()->pill()->state(), theme::State::Running);
    shot(window, "running");

    // Pause holds time for all, a step lets some of it pass, and then it goes on.
    auto* pause = window.findChild<QPushButton*>(QStringLiteral("pauseButton"));
    auto* step = window.findChild<QPushButton*>(QStringLiteral("stepButton"));
    QTRY_VERIFY(pause->isVisible() && step->isVisible());
    QTest::mouseClick(pause, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Paused, 10000);
    QTRY_COMPARE(window.pulseBar()->pill()->state(), theme::State::Paused);
    QCOMPARE(pause->text(), QStringLiteral("Resume"));
    const auto grants = [&console] {
      std::uint64_t all = 0;
      for (const auto& each : console.feed().current()->federates)
        all += each.counters.timeAdvanceGrants;
      return all;
    };
    const auto everybodyHeld = [&console] {
      const auto& federates = console.feed().current()->federates;
      return std::all_of(federates.begin(), federates.end(), [](const auto& each) {
        return !each.timeManaged || each.condition == monitor::FederateCondition::Held;
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(everybodyHeld(), 10000);
    const double heldAt = console.run().logicalTime();
    const std::uint64_t before = grants();
    QTest::qWait(500);
    QCOMPARE(console.run().logicalTime(), heldAt);
    QCOMPARE(grants(), before);
    shot(window, "paused");
    QTest::mouseClick(step, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(grants() > before, 10000);
    QTRY_VERIFY_WITH_TIMEOUT(everybodyHeld(), 10000);
    QCOMPARE(console.run().phase(), Phase::Paused);
    QTest::keyClick(&window, Qt::Key_F6);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 10000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > heldAt + 1, 10000);

    // The pace, from real time to much faster, while it runs.
    auto* pace = window.findChild<QPushButton*>(QStringLiteral("paceButton"));
    auto* paces = window.findChild<QMenu*>(QStringLiteral("paceMenu"));
    const auto choose = [&](const char* name) {
      QTest::mouseClick(pace, Qt::LeftButton);
      QTRY_VERIFY(paces->isVisible());
      auto* one = paces->findChild<QAction*>(QString::fromLatin1(name));
      QTest::mouseClick(paces, Qt::LeftButton, {}, paces->actionGeometry(one).center());
    };
    QTRY_COMPARE(pace->text(), QStringLiteral("Pace 1×"));
    const double paced = console.run().logicalTime();
    choose("pace100");
    QTRY_COMPARE_WITH_TIMEOUT(pace->text(), QStringLiteral("Pace 100×"), 10000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > paced + 60, 20000);
    shot(window, "paced");
    choose("pace1");
    QTRY_COMPARE_WITH_TIMEOUT(pace->text(), QStringLiteral("Pace 1×"), 10000);

    // A federate that is stopped: the kernel says T, the screen says so, its rate falls to 0.
    launcher::Run* run = console.run().current();
    QVERIFY(run);
    const QString stopped = QStringLiteral("flow-south");
    const qint64 pid = run->process(stopped)->pid;
    QVERIFY(isAlive(pid));
    QCOMPARE(::kill(static_cast<pid_t>(pid), SIGSTOP), 0);
    QTRY_COMPARE_WITH_TIMEOUT(stateOf(pid), 'T', 2000);
    const auto view = [&console, &stopped] { return console.feed().current()->find(stopped); };
    QTRY_VERIFY_WITH_TIMEOUT(view() && view()->sentPerSecond == 0, 15000);
    const double age = view()->secondsSinceActivity;
    QTRY_VERIFY_WITH_TIMEOUT(view()->secondsSinceActivity > age + 1, 10000);
    QTRY_VERIFY_WITH_TIMEOUT(window.banner()->isVisible(), 15000);
    QVERIFY2(
        window.banner()->title().contains(stopped) || window.banner()->detail().contains(stopped),
        qPrintable(window.banner()->title()));
    shot(window, "stopped");
    QCOMPARE(::kill(static_cast<pid_t>(pid), SIGCONT), 0);
    QTRY_VERIFY_WITH_TIMEOUT(view() && view()->sentPerSecond > 0, 15000);

    // One that is killed is gone for the kernel and dead on the screen.
    const QString victim = QStringLiteral("log");
    const qint64 killed = run->process(victim)->pid;
    QCOMPARE(::kill(static_cast<pid_t>(killed), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(killed), 5000);
    QTRY_VERIFY_WITH_TIMEOUT(
        console.feed().current()->find(victim) &&
            console.feed().current()->find(victim)->condition == monitor::FederateCondition::Dead,
        5000);
    QTRY_VERIFY_WITH_TIMEOUT(
        window.banner()->isVisible() && window.banner()->title().contains(victim), 5000);
    shot(window, "died");

    QList<qint64> pids;
    for (const launcher::ProcessStatus& process : run->processes()) pids << process.pid;
    auto* stop = window.findChild<QPushButton*>(QStringLiteral("stopButton"));
    QVERIFY(stop->isVisible());
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    for (const qint64 one : pids) QVERIFY2(!isAlive(one), qPrintable(QString::number(one)));
    QVERIFY(window.findChild<QPushButton*>(QStringLiteral("runButton"))->isVisible());

    // What the federates sent each other is kept, for placing them on hosts.
    const auto measured = [&console] {
      const auto last =
          app::lastExchanges(console.document().path(), console.document().composition());
      for (const launcher::Exchange& each : last.exchanges) {
        if (each.one == "flow-north" && each.other == "radar-west") return each.weight;
      }
      return 0.0;
    };
    QTRY_VERIFY_WITH_TIMEOUT(measured() > 1, 10000);
  }

  /// What the pages Compose and Run show as command line says and does the same as the window.
  void theShownCommandLinesDoTheSame_data() {
    QTest::addColumn<bool>("isBroken");
    QTest::newRow("a composition that runs") << false;
    QTest::newRow("one with a mistake") << true;
  }
  void theShownCommandLinesDoTheSame() {
    QFETCH(bool, isBroken);
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    // A copy that ends by itself.
    composer::Document& document = console.document();
    QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                            QStringLiteral("/air-traffic.federation.json")));
    document.setStop(3, std::nullopt);
    if (isBroken) {
      const auto& federates = document.composition().federates;
      const auto radar = std::find_if(federates.begin(), federates.end(), [](const auto& one) {
        return one.second.name == QStringLiteral("radar-west");
      });
      QVERIFY(radar != federates.end());
      document.setParameter(radar->first, QStringLiteral("range"), {});
    }
    const QString file = home_.path(isBroken ? QStringLiteral("broken.federation.json")
                                             : QStringLiteral("short.federation.json"));
    QVERIFY(document.saveAs(file).has_value());
    QTRY_VERIFY_WITH_TIMEOUT(!document.isChecking(), 20000);

    QVERIFY(window.showPage(QStringLiteral("compose")));
    const Said checked = execute(window.statusLine()->commandLine());
    QCOMPARE(checked.code, isBroken ? 1 : 0);
    for (const composer::Finding& finding : document.findings())
      if (finding.severity == composer::Severity::Error)
        QVERIFY2(checked.text.contains(finding.text), qPrintable(checked.text));
    QCOMPARE(composer::canRun(document.findings()), !isBroken);

    QVERIFY(window.showPage(QStringLiteral("run")));
    const Said run = execute(window.statusLine()->commandLine());
    console.run().run();
    if (isBroken) {
      QVERIFY(run.code != 0);
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::NotRunning, 20000);
      QVERIFY(!console.run().current());
      return;
    }
    QVERIFY2(run.code == 0, qPrintable(run.text));
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 30000);
    QCOMPARE(console.run().current()->outcome(), launcher::Run::Outcome::Clean);
    QCOMPARE(console.run().current()->stopReason(), QStringLiteral("3 s have passed"));
    QVERIFY2(!run.text.contains(QStringLiteral("died")), qPrintable(run.text));
  }

  void aFederateIsKilledFromTheTable_data() {
    QTest::addColumn<bool>("byKeyboard");
    QTest::newRow("by mouse") << false;
    QTest::newRow("by keyboard") << true;
  }
  /// From its row to the button that ends it, with what is lost in between; it is marked dead with
  /// the reason, and the others go on.
  void aFederateIsKilledFromTheTable() {
    QFETCH(bool, byKeyboard);
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runSample(console));
    const QString victim = QStringLiteral("radar-east");
    const qint64 pid = console.run().current()->process(victim)->pid;
    QVERIFY(isAlive(pid));
    auto* table = window.findChild<QTreeView*>(QStringLiteral("federatesTable"));
    const auto row = [&] {
      const auto found = table->model()->match(table->model()->index(0, 0), Qt::DisplayRole, victim,
                                               1, Qt::MatchExactly);
      return found.isEmpty() ? QModelIndex() : found.front();
    };
    QTRY_VERIFY_WITH_TIMEOUT(row().isValid(), 10000);
    auto* kill = window.findChild<QPushButton*>(QStringLiteral("kill"));
    QVERIFY(!kill->isVisible());
    QElapsedTimer sinceKill;
    if (byKeyboard) {
      window.activateWindow();
      table->setFocus();
      QTRY_VERIFY(table->hasFocus());
      QTest::keyClick(table, Qt::Key_Home);
      for (int i = 0; i < 10 && table->currentIndex().row() != row().row(); ++i)
        QTest::keyClick(table, Qt::Key_Down);
      QCOMPARE(table->currentIndex().row(), row().row());
      QTest::keyClick(table, Qt::Key_Delete);
      QTRY_COMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("stop"));
      QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      QCOMPARE(QApplication::focusWidget(), kill);
      shot(window, "before-kill");
      QVERIFY(isAlive(pid));
      sinceKill.start();
      QTest::keyClick(kill, Qt::Key_Space);
    } else {
      const QPoint at = table->viewport()->mapTo(&window, table->visualRect(row()).center());
      QTest::mouseClick(window.windowHandle(), Qt::RightButton, {}, at);
      auto menu = [&] { return window.findChild<QMenu*>(QStringLiteral("federateMenu")); };
      QTRY_VERIFY(menu() && menu()->isVisible());
      shot(window, "menu");
      menu()->grab().save(QStringLiteral(TUTTI_BINARY_DIR "/screenshots/journey-menu.png"));
      QAction* end = menu()->actions().back();
      QVERIFY2(end->text().contains(victim), qPrintable(end->text()));
      QTest::mouseClick(menu(), Qt::LeftButton, {}, menu()->actionGeometry(end).center());
      QTRY_VERIFY(kill->isVisible());
      QVERIFY(isAlive(pid));
      sinceKill.start();
      QTest::mouseClick(kill, Qt::LeftButton);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(pid), 5000);
    const auto condition = [&] {
      return static_cast<monitor::FederateCondition>(
          row().data(monitor::FederateModel::ConditionRole).toInt());
    };
    while (condition() != monitor::FederateCondition::Dead && sinceKill.elapsed() < 30'000)
      QTest::qWait(1);
    QCOMPARE(condition(), monitor::FederateCondition::Dead);
    qInfo("killed, and marked as dead %lld ms later", sinceKill.elapsed());
    QVERIFY2(row().data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("dead")),
             qPrintable(row().data(Qt::AccessibleTextRole).toString()));
    auto* card = window.findChild<QWidget*>(QStringLiteral("deathCard"));
    QTRY_VERIFY(card->isVisible());
    // The RTI may tell of the lost connection before the supervisor does of the signal.
    const auto said = [card] { return card->findChild<QLabel*>()->text(); };
    QTRY_VERIFY2(said().contains(victim) && said().contains(QStringLiteral("killed here")),
                 qPrintable(said()));
    QTRY_VERIFY2(window.banner()->title().contains(QStringLiteral("signal 9")),
                 qPrintable(window.banner()->title()));
    shot(window, byKeyboard ? "killed-by-keyboard" : "killed-by-mouse");
    // The others go on.
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 2, 20000);
    QTRY_COMPARE(console.run().federatesJoined(), 5);
    QCOMPARE(console.run().phase(), Phase::Running);
    // Supervisor, RTI node and monitor have all seen it end: in the log it is one line. The button
    // leads there.
    press(*card, QStringLiteral("Log"));
    auto* log = window.findChild<monitor::LogPanel*>();
    QCOMPARE(log->subjects()->currentData().toString(), victim);
    QVERIFY(log->isVisible() && log->view()->model()->rowCount() > 0);
    log->showSubject({});
    const QAbstractItemModel& lines = *log->view()->model();
    QTRY_COMPARE(linesWith(lines, {QStringLiteral("died")}).size(), 1);
    const QStringList ends = linesWith(
        lines, {QStringLiteral("died"), QStringLiteral("SIGKILL"), QStringLiteral("is lost")});
    QVERIFY2(ends.size() == 1 && ends.front().contains(QStringLiteral("signal 9")),
             qPrintable(ends.join(u'\n')));
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    for (const launcher::ProcessStatus& process : console.run().current()->processes())
      QVERIFY(!isAlive(process.pid));
  }

  /// The RTI node is killed: the run ends, the window says what happened and what to do, and
  /// nothing is left.
  void aKilledNodeEndsTheRunWithTheReason() {
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    QVERIFY(runSample(console));
    launcher::Run* run = console.run().current();
    QList<qint64> pids;
    for (const launcher::ProcessStatus& process : run->processes()) pids << process.pid;
    const launcher::ProcessStatus* node = run->process(run->plan().nodeProcess);
    QVERIFY(node && node->isNode && isAlive(node->pid));
    QCOMPARE(::kill(static_cast<pid_t>(node->pid), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    for (const qint64 one : pids) QVERIFY2(!isAlive(one), qPrintable(QString::number(one)));
    theme::Banner* banner = window.banner();
    QTRY_VERIFY(banner->isVisible());
    QTest::qWait(1500);
    shot(window, "node-killed");
    QVERIFY2(banner->title().contains(QStringLiteral("RTI node")), qPrintable(banner->title()));
    QVERIFY2(banner->title().contains(QStringLiteral("signal 9")), qPrintable(banner->title()));
    QVERIFY2(banner->detail().contains(QStringLiteral("run again")), qPrintable(banner->detail()));
    QCOMPARE(run->stopReason(), QStringLiteral("the RTI node died"));
    // What was said is done: it runs again.
    press(*banner, QStringLiteral("Run again"));
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, 20000);
    QTRY_VERIFY(!banner->isVisible());
  }

  void aSuiteIsMeasuredWithOneClick() {
    app::Console console({home_.settings(), false});
    app::MainWindow& window = console.window();
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.showPage(QStringLiteral("benchmarks")));
    auto* suites = window.findChild<QListView*>(QStringLiteral("suites"));
    auto* repeats = window.findChild<QSpinBox*>(QStringLiteral("benchRepeats"));
    auto* go = window.findChild<QPushButton*>(QStringLiteral("benchRun"));
    QVERIFY(suites && repeats && go);
    // The shortest one: grants of two federates.
    const int last = suites->model()->rowCount() - 1;
    QCOMPARE(suites->model()->index(last, 0).data().toString(), QStringLiteral("Time advance"));
    suites->setCurrentIndex(suites->model()->index(last, 0));
    repeats->setValue(1);
    QVERIFY(go->isVisible() && go->isEnabled());
    QTest::mouseClick(go, Qt::LeftButton);
    QVERIFY(!go->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(go->isEnabled(), 240000);
    auto* problem = window.findChild<QLabel*>(QStringLiteral("benchProblem"));
    QVERIFY2(!problem->isVisible(), qPrintable(problem->text()));
    // It is in the store, which is where the page has it from.
    const auto store = monitor::RunStore::open();
    QVERIFY(store.has_value());
    const auto results = (*store)->benchmarks();
    QVERIFY(results.has_value());
    QCOMPARE(results->size(), 1u);
    QTRY_VERIFY(window.findChild<QTreeView*>(QStringLiteral("benchTable"))->model()->rowCount() >
                0);
    shot(window, "measured");
  }

  void aRunThatIsKeptIsWatchedAgain() {
    QList<qint64> pids;
    {
      app::Console console({home_.settings(), true});
      app::MainWindow& window = console.window();
      window.show();
      QVERIFY(window.openFile(composer::Catalog::federationsFolder() +
                              QStringLiteral("/air-traffic.federation.json")));
      console.run().run();
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
      for (const launcher::ProcessStatus& process : console.run().current()->processes())
        pids << process.pid;
      // Closing asks; leaving the window open changes nothing.
      answer(QStringLiteral("leaveStay"));
      window.close();
      QVERIFY(window.isVisible());
      QCOMPARE(console.run().phase(), Phase::Running);
      answer(QStringLiteral("leaveKeep"));
      window.close();
      QTRY_VERIFY_WITH_TIMEOUT(!window.isVisible(), 10000);
      QVERIFY(console.run().isKept());
      QCOMPARE(dialogs_->take(), QStringList({"leaveRun", "leaveRun"}));
    }
    for (const qint64 one : pids) QVERIFY(isAlive(one));

    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.isStartPageShown());
    theme::Banner* banner = window.banner();
    QTRY_VERIFY_WITH_TIMEOUT(banner->isVisible(), 10000);
    QCOMPARE(banner->title(), QStringLiteral("air-traffic keeps running without a window"));
    shot(window, "kept");
    press(*banner, QStringLiteral("Watch air-traffic"));
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 10000);
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QTRY_COMPARE_WITH_TIMEOUT(console.run().federatesJoined(), 6, 10000);
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 1, 10000);
    for (const launcher::ProcessStatus& process : console.run().current()->processes())
      QVERIFY(pids.contains(process.pid));
    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 10000);
    for (const qint64 one : pids) QVERIFY(!isAlive(one));
  }

  void closingTheWindowEndsTheRun() {
    QList<qint64> pids;
    {
      app::Console console({home_.settings(), false});
      console.window().show();
      QVERIFY(console.window().openFile(composer::Catalog::federationsFolder() +
                                        QStringLiteral("/air-traffic.federation.json")));
      console.run().run();
      QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 30000);
      for (const launcher::ProcessStatus& process : console.run().current()->processes())
        pids << process.pid;
      QVERIFY(pids.size() >= 3);
      for (const qint64 one : pids) QVERIFY(isAlive(one));
    }
    for (const qint64 one : pids) QTRY_VERIFY_WITH_TIMEOUT(!isAlive(one), 3000);
  }

 private:
  /// Opens the sample in the window of a console, runs it, and shows it on Run.
  static bool runSample(app::Console& console) {
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window) ||
        !window.openFile(composer::Catalog::federationsFolder() +
                         QStringLiteral("/air-traffic.federation.json")))
      return false;
    console.run().run();
    return window.showPage(QStringLiteral("run")) &&
           QTest::qWaitFor([&] { return console.run().logicalTime() > 2; }, 40000);
  }

  /// Presses a button of the question that is about to be asked.
  static void answer(const QString& button) {
    QTimer::singleShot(100, qApp, [button] {
      QWidget* question = QApplication::activeModalWidget();
      QVERIFY(question);
      auto* choice = question->findChild<QPushButton*>(button);
      QVERIFY(choice);
      question->grab().save(QStringLiteral(TUTTI_BINARY_DIR "/screenshots/leave.png"));
      QTest::mouseClick(choice, Qt::LeftButton);
    });
  }

  struct Said {
    int code = -1;
    QString text;
  };
  /// As a person would type it.
  static Said execute(const QString& line) {
    QProcess shell;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("PATH"), QStringLiteral(TUTTI_BINARY_DIR "/bin:") +
                                                   environment.value(QStringLiteral("PATH")));
    shell.setProcessEnvironment(environment);
    shell.setProcessChannelMode(QProcess::MergedChannels);
    shell.start(QStringLiteral("bash"), {QStringLiteral("-c"), line});
    if (!shell.waitForFinished(60000)) return {-1, line + QStringLiteral(" does not end")};
    return {shell.exitCode(), QString::fromUtf8(shell.readAll())};
  }

  /// Those lines of a log that say one of `words`.
  static QStringList linesWith(const QAbstractItemModel& log, const QStringList& words) {
    QStringList result;
    for (int row = 0; row < log.rowCount(); ++row) {
      const QString text = log.index(row, monitor::LogModel::Text).data().toString();
      if (std::any_of(words.begin(), words.end(),
                      [&](const QString& word) { return text.contains(word); }))
        result << text;
    }
    return result;
  }

  static void press(QWidget& banner, const QString& text) {
    for (auto* button : banner.findChildren<QPushButton*>()) {
      if (!button->isVisible() || button->text() != text) continue;
      QTest::mouseClick(button, Qt::LeftButton);
      return;
    }
    QFAIL(qPrintable(QStringLiteral("the banner has no button %1").arg(text)));
  }

  static void shot(app::MainWindow& window, const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QDir().mkpath(path);
    window.grab().save(QStringLiteral("%1/journey-%2.png").arg(path, QLatin1String(name)));
  }

  test::TestHome home_;
  std::unique_ptr<test::DialogWatch> dialogs_;
};

QTEST_MAIN(JourneyTest)
#include "tst_journey.moc"
