// SPDX-License-Identifier: GPL-3.0-or-later
// Two consoles on one composition, each a process of its own: the second says where the first is,
// both go on, and a console that was killed leaves nothing that speaks for it.
#include <signal.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QMenu>
#include <QProcess>
#include <QPushButton>
#include <QSysInfo>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cerrno>
#include <memory>

#include "app/console.h"
#include "app/pulse_bar.h"
#include "app/status_line.h"
#include "composer/model/presence.h"
#include "composer/model/recovery.h"
#include "launcher/engine/launch_plan.h"
#include "monitor/ui/federate_panel.h"
#include "monitor/ui/log_view.h"
#include "monitor/ui/run_workspace.h"
#include "observe/node_client.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

namespace {

/// With it and a file this program is a window that runs the file.
constexpr const char* runArgument = "--run-window";

QStringList presences() { return QDir(composer::Presence::folder()).entryList(QDir::Files); }

QStringList runFolders() {
  return QDir(launcher::runsFolder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
}

/// RTI nodes of runs whose folders are in this test's home: other tests may run theirs.
QStringList ownNodes() {
  QStringList nodes;
  for (const std::string& name : observe::runningNodes()) {
    const QString node = QString::fromStdString(name);
    if (runFolders().contains(node.mid(QStringLiteral("run-").size()))) nodes << node;
  }
  return nodes;
}

}  // namespace

class TwoConsolesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(home_.prepare());
    file_ = home_.path(QStringLiteral("air-traffic.federation.json"));
    QVERIFY(QFile::copy(
        QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json"),
        file_));
    QFile::setPermissions(file_, QFile::ReadOwner | QFile::WriteOwner);
  }

  void theSecondSaysWhereTheFirstIsAndBothRun() {
    QProcess first;
    startConsole(first, {QStringLiteral("--run"), file_});
    QTRY_COMPARE_WITH_TIMEOUT(presences().size(), 1, 20000);
    QTRY_COMPARE_WITH_TIMEOUT(ownNodes().size(), 1, 30000);

    auto console = open();
    theme::Banner* banner = console->window().banner();
    QVERIFY(banner->isVisible());
    QCOMPARE(banner->title(),
             QStringLiteral("air-traffic.federation.json is also open in another console, process "
                            "%1 on %2")
                 .arg(first.processId())
                 .arg(QSysInfo::machineHostName()));
    QVERIFY2(banner->detail().contains(QStringLiteral("saving is off here")),
             qPrintable(banner->detail()));

    // Nothing of the first is overwritten unasked.
    const QByteArray before = content();
    edit(*console);
    const auto refused = console->document().save();
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message().contains(QString::number(first.processId())),
             qPrintable(refused.error().message()));
    QCOMPARE(content(), before);

    console->run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console->run().phase(), Phase::Running, 30000);
    QCOMPARE(ownNodes().size(), 2);
    QCOMPARE(runFolders().size(), 2);
    QCOMPARE(first.state(), QProcess::Running);

    press(*banner, QStringLiteral("Edit here too"));
    QTRY_VERIFY(!banner->isVisible());
    QVERIFY(console->document().save().has_value());
    QVERIFY(content() != before);

    console->run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console->run().phase(), Phase::Ended, 10000);
    QCOMPARE(first.state(), QProcess::Running);
    QCOMPARE(ownNodes().size(), 1);
    first.terminate();
    QVERIFY(first.waitForFinished(10000));
    QTRY_COMPARE_WITH_TIMEOUT(ownNodes().size(), 0, 5000);
    console.reset();
    QCOMPARE(presences(), QStringList());
  }

  void theSecondWatchesTheRunOfTheFirst() {
    QProcess first;
    startConsole(first, {QStringLiteral("--run"), file_});
    QTRY_COMPARE_WITH_TIMEOUT(ownNodes().size(), 1, 30000);
    auto console = open(true);
    app::MainWindow& window = console->window();
    auto& run = console->run();
    watch(*console);
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Phase::Running, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(run.federatesJoined(), 6, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(run.logicalTime() > 1, 20000);
    QVERIFY(run.isWatched());
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QTRY_COMPARE(window.pulseBar()->pill()->text(), QStringLiteral("Watching"));
    QCOMPARE(window.statusLine()->commandLine(),
             QStringLiteral("tutti attach ") + run.current()->plan().run);

    // Nothing of it changes the run.
    QVERIFY(!run.canPause() && !run.canSave() && !run.canResign() && !run.canKeep());
    auto* page = window.findChild<monitor::RunWorkspace*>();
    QTRY_VERIFY(console->feed().current()->find(QStringLiteral("log")));
    page->askToEnd(QStringLiteral("log"));
    for (const char* name : {"stop", "kill", "restart", "remove"}) {
      auto* button = page->federatePanel()->findChild<QPushButton*>(QString::fromLatin1(name));
      QVERIFY2(button && !button->isVisible(), name);
    }
    run.killFederates({QStringLiteral("log")});
    run.stopFederates({QStringLiteral("log")});

    // Another pace is seen, and who watches is not offered to set one.
    auto* pace = window.findChild<app::PulseValue*>(QStringLiteral("pulsePace"));
    QTRY_VERIFY(run.wantedPace() > 0 && run.wantedPace() < 3);
    const auto setPace = [&](const char* wanted) {
      QProcess tutti;
      tutti.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                  {QStringLiteral("pace"), QString::fromLatin1(wanted), QStringLiteral("--rti"),
                   run.current()->plan().designator()});
      return tutti.waitForFinished(20000) && tutti.exitCode() == 0;
    };
    QVERIFY(setPace("3"));
    QTRY_COMPARE_WITH_TIMEOUT(run.wantedPace(), 3.0, 10000);
    QTRY_COMPARE(pace->accessibleName(), QStringLiteral("Pace of 3×"));
    QVERIFY(!window.findChild<QPushButton*>(QStringLiteral("paceButton"))->isVisible());
    QVERIFY(window.findChild<QAction*>(QStringLiteral("paceWhy"))->text().contains(u"Another"));

    // What happens is seen: its log, a death.
    QTRY_VERIFY_WITH_TIMEOUT(run.current()->process(QStringLiteral("log")) &&
                                 run.current()->process(QStringLiteral("log"))->alive(),
                             10000);
    const auto pid = static_cast<pid_t>(run.current()->process(QStringLiteral("log"))->pid);
    QCOMPARE(::kill(pid, SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(window.banner()->title().startsWith(QStringLiteral("log died")),
                             10000);
    const theme::RunTrouble trouble = run.troubles().front();
    for (const auto& action : trouble.actions)
      QVERIFY2(!action.text.contains(QStringLiteral("Restart")), qPrintable(action.text));
    const auto logs = page->findChildren<monitor::LogView*>();
    const auto hasLines = [&] {
      return std::any_of(logs.begin(), logs.end(),
                         [](monitor::LogView* log) { return log->model()->rowCount() > 6; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasLines(), 10000);
    shot(*console, "watching");

    // It is left, and goes on.
    auto* stop = window.pulseBar()->stopButton();
    QTRY_COMPARE(stop->text(), QStringLiteral("Stop watching"));
    QTest::mouseClick(stop, Qt::LeftButton);
    QCOMPARE(run.phase(), Phase::NotRunning);
    QVERIFY(!run.isWatched());
    QTest::qWait(500);
    QCOMPARE(ownNodes().size(), 1);
    QCOMPARE(first.state(), QProcess::Running);

    // So it does when the watching window is closed, without a question.
    watch(*console);
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Phase::Running, 30000);
    QVERIFY(window.close());
    console.reset();
    QCOMPARE(ownNodes().size(), 1);

    // When the run ends, the watcher says so.
    console = open();
    watch(*console);
    QTRY_COMPARE_WITH_TIMEOUT(console->run().phase(), Phase::Running, 30000);
    first.terminate();
    QVERIFY(first.waitForFinished(20000));
    QTRY_COMPARE_WITH_TIMEOUT(console->run().phase(), Phase::Ended, 20000);
    console->run().lookForRuns();
    QTRY_VERIFY_WITH_TIMEOUT(otherRun(*console).isEmpty(), 10000);
  }

  void oneThatWasKilledIsNotThereAnyMore() {
    QProcess first;
    startConsole(first, {file_});
    QTRY_COMPARE_WITH_TIMEOUT(presences().size(), 1, 20000);
    auto watching = open();
    QVERIFY(watching->window().banner()->isVisible());
    first.kill();
    QVERIFY(first.waitForFinished(10000));
    // Whoever still has it open is alone now, without being asked.
    QTRY_VERIFY_WITH_TIMEOUT(!watching->window().banner()->isVisible(), 5000);
    watching.reset();
    QCOMPARE(presences(), QStringList());

    startConsole(first, {file_});
    QTRY_COMPARE_WITH_TIMEOUT(presences().size(), 1, 20000);
    first.kill();
    QVERIFY(first.waitForFinished(10000));
    QCOMPARE(presences().size(), 1);
    // What it left speaks for nobody, and goes with the next one that opens the file.
    auto later = open();
    QVERIFY(!later->window().banner()->isVisible());
    QVERIFY(!later->document().alsoOpenIn());
    later.reset();
    QCOMPARE(presences(), QStringList());
  }

  void twoWaysToTheFileAreOneFile() {
    const QString link = home_.path(QStringLiteral("link.federation.json"));
    QVERIFY(QFile::link(file_, link));
    QProcess first;
    startConsole(first, {link});
    QTRY_COMPARE_WITH_TIMEOUT(presences().size(), 1, 20000);
    auto console = open();
    QVERIFY(console->window().banner()->isVisible());
    first.terminate();
    QVERIFY(first.waitForFinished(10000));
  }

  /// The window is killed in the middle of its run (by SIGKILL, so that it can do nothing about
  /// it): the run ends with it, and nothing of it is left. The window is this program, started
  /// again.
  void theRunOfAKilledWindowEnds() {
    const QStringList before = runFolders();
    QProcess window;
    window.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    window.start(QCoreApplication::applicationFilePath(),
                 {QString::fromLatin1(runArgument), file_});
    QVERIFY(window.waitForStarted(10000));
    // It says which processes its run has, once it runs.
    QTRY_VERIFY_WITH_TIMEOUT(window.canReadLine(), 60000);
    QList<pid_t> pids;
    for (const QByteArray& each : window.readLine().trimmed().split(' ')) pids << each.toInt();
    QVERIFY(pids.size() > 6);  // the node and the federates
    for (const pid_t pid : pids) QVERIFY(pid > 0 && ::kill(pid, 0) == 0);
    QElapsedTimer since;
    since.start();
    window.kill();
    QVERIFY(window.waitForFinished(10000));
    const auto left = [&] {
      return std::count_if(pids.begin(), pids.end(),
                           [](pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; });
    };
    QTRY_COMPARE_WITH_TIMEOUT(left(), 0, 15000);
    QTRY_COMPARE_WITH_TIMEOUT(ownNodes(), QStringList(), 15000);
    qInfo("from the kill until nothing is left: %.1f s",
          static_cast<double>(since.elapsed()) / 1000);
    QVERIFY(runFolders() != before);
  }

  void editsOfAKilledConsoleAreOffered() {
    // As a console writes them that is killed then: nobody holds the file.
    QDir().mkpath(composer::Recovery::folder());
    QByteArray edited = content();
    edited.replace("\"federation\": \"air-traffic", "\"federation\": \"recovered");
    QVERIFY(edited != content());
    QFile kept(composer::Recovery::folder() + QStringLiteral("/1-0.recovery.json"));
    QVERIFY(kept.open(QIODevice::WriteOnly));
    kept.write("{\"document\": \"" + file_.toUtf8() + "\", \"composition\": " + edited + "}");
    kept.close();

    app::Console console({home_.settings(), false});
    console.window().show();
    QVERIFY(QTest::qWaitForWindowExposed(&console.window()));
    QVERIFY(console.window().isStartPageShown());
    theme::Banner* banner = console.window().banner();
    QTRY_VERIFY(banner->isVisible());
    QCOMPARE(banner->title(),
             QStringLiteral("air-traffic.federation.json has edits that were not saved"));
    shot(console, "unsaved");
    press(*banner, QStringLiteral("Recover air-traffic.federation.json"));
    QCOMPARE(console.document().composition().settings.federation, QStringLiteral("recovered"));
    QVERIFY(console.document().isModified());
    QVERIFY(!console.window().isStartPageShown());
    QTRY_VERIFY(!banner->isVisible());
    console.document().undoStack().undo();
    QCOMPARE(console.document().composition().settings.federation, QStringLiteral("air-traffic"));
  }

 private:
  static void startConsole(QProcess& process, const QStringList& arguments) {
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-console"), arguments);
    QVERIFY(process.waitForStarted(10000));
  }

  std::unique_ptr<app::Console> open(bool records = false) {
    auto console = std::make_unique<app::Console>(app::Console::Options{home_.settings(), records});
    console->window().show();
    [&] { QVERIFY(QTest::qWaitForWindowExposed(&console->window())); }();
    [&] { QVERIFY(console->window().openFile(file_)); }();
    QTest::qWait(50);  // for the picture only
    shot(*console, "second-console");
    return console;
  }

  /// The run of another console of this test: other tests may run theirs. Empty: there is none.
  static QString otherRun(app::Console& console) {
    for (const auto& each : console.run().otherRuns()) {
      if (runFolders().contains(each.run)) return each.run;
    }
    return {};
  }
  /// As a person does by the menu.
  static void watch(app::Console& console) {
    console.run().lookForRuns();
    QTRY_VERIFY_WITH_TIMEOUT(!otherRun(console).isEmpty(), 10000);
    auto* menu = console.window().findChild<QMenu*>(QStringLiteral("watchMenu"));
    QVERIFY(menu && menu->isEnabled());
    const auto actions = menu->actions();
    const auto wanted = std::find_if(actions.begin(), actions.end(), [&](QAction* each) {
      return each->toolTip().contains(otherRun(console));
    });
    QVERIFY(wanted != actions.end());
    QVERIFY2((*wanted)->text().startsWith(QStringLiteral("Watch air-traffic\t6 federates")),
             qPrintable((*wanted)->text()));
    (*wanted)->trigger();
  }
  static void edit(app::Console& console) {
    console.document().setPace(console.document().composition().settings.pace + 1);
  }

  QByteArray content() const {
    QFile file(file_);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  static void press(theme::Banner& banner, const QString& text) {
    for (auto* button : banner.findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text() == text) {
        QTest::mouseClick(button, Qt::LeftButton);
        return;
      }
    }
    QFAIL(qPrintable(QStringLiteral("the banner has no button %1").arg(text)));
  }

  static void shot(app::Console& console, const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QDir().mkpath(path);
    console.window().grab().save(QStringLiteral("%1/%2.png").arg(path, QLatin1String(name)));
  }

  test::TestHome home_;
  QString file_;
};

namespace {

/// A window that runs `file`, says so on standard output, and goes on until it is killed.
int runWindow(QApplication& application, const QString& file) {
  app::Console console({QString(), false});
  console.window().show();
  if (!console.window().openFile(file)) return 2;
  QTimer asked;
  bool said = false;
  QObject::connect(&asked, &QTimer::timeout, [&] {
    if (console.run().phase() == Phase::NotRunning) console.run().run();
    if (said || console.run().phase() != Phase::Running) return;
    said = true;
    QByteArray pids;
    for (const launcher::ProcessStatus& process : console.run().current()->processes())
      pids += QByteArray::number(process.pid) + ' ';
    QFile out;
    if (out.open(stdout, QIODevice::WriteOnly)) out.write(pids.trimmed() + '\n');
  });
  asked.start(200);
  return application.exec();
}

}  // namespace

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = application.arguments();
  if (arguments.size() == 3 && arguments[1] == QLatin1String(runArgument))
    return runWindow(application, arguments[2]);
  TwoConsolesTest test;
  QTEST_SET_MAIN_SOURCE_PATH
  return QTest::qExec(&test, argc, argv);
}
#include "tst_two_consoles.moc"
