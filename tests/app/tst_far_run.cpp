// SPDX-License-Identifier: GPL-3.0-or-later
// A run of another machine, watched from the real window by keyboard and mouse over a real sshd:
// its state, log and figures; the connection is lost and comes again; the run does not notice.
// TUTTI_SHOTS=FOLDER keeps pictures, TUTTI_APPEARANCE=dark in dark.
#include <signal.h>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/console.h"
#include "app/far_run_dialog.h"
#include "app/finder.h"
#include "app/pulse_bar.h"
#include "app/status_line.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/log_view.h"
#include "monitor/ui/run_workspace.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"
#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti;
using launcher::test::alive;
using launcher::test::Lab;
using Phase = theme::RunStatus::Phase;

namespace {

constexpr int longestMs = 30000;

}  // namespace

class FarRunTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void itIsWatchedByKeyboardAndMouse() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString file = lab.sampleWith({});
    const QString program = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti");
    QProcess remote;
    startOn(lab, remote,
            program + QStringLiteral(" run ") + file + QStringLiteral(" --duration 600"));
    QByteArray out;
    QTRY_VERIFY2_WITH_TIMEOUT(
        (out += remote.readAllStandardOutput() + remote.readAllStandardError())
            .contains("running  6 of 6"),
        out, longestMs);

    app::Console console({home_.settings(), true});
    if (qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark"))
      console.theme().apply(theme::Appearance::Dark);
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.openFile(file));
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));

    // Ctrl+K, "another machine", Return.
    QTest::keyClick(window.focusWidget() ? window.focusWidget() : &window, Qt::Key_K,
                    Qt::ControlModifier);
    QTRY_VERIFY(window.findField()->hasFocus());
    QTest::keyClicks(window.findField(), QStringLiteral("another machine"));
    QTest::keyClick(window.findField(), Qt::Key_Return);
    auto* dialog = window.findChild<app::FarRunDialog*>();
    QTRY_VERIFY(dialog && dialog->isVisible());
    QVERIFY(!dialog->isModal());
    auto* machine = dialog->findChild<QComboBox*>(QStringLiteral("farMachine"));
    auto* problem = dialog->findChild<QLabel*>(QStringLiteral("farProblem"));
    auto* runs = dialog->findChild<QTreeWidget*>(QStringLiteral("farRuns"));
    auto* watch = dialog->findChild<QPushButton*>(QStringLiteral("farWatch"));
    QTRY_VERIFY(machine->lineEdit()->hasFocus());
    QTRY_VERIFY2(machine->findText(lab.host(1)) >= 0, "the hosts of the file are offered");

    // One that is not there, then the one of the hosts file.
    QTest::keyClicks(machine->lineEdit(), QStringLiteral("nobody.invalid"));
    QTest::keyClick(machine->lineEdit(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible(), longestMs);
    QVERIFY2(problem->text().startsWith(QStringLiteral("nobody.invalid: its name is not known")),
             qPrintable(problem->text()));
    QVERIFY(!watch->isEnabled());
    shot(*dialog, "far-problem");
    machine->setFocus();
    machine->lineEdit()->selectAll();
    QTest::keyClicks(machine->lineEdit(), lab.host(1));
    QTest::keyClick(machine->lineEdit(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(runs->topLevelItemCount(), 1, longestMs);
    QVERIFY(!problem->isVisible());
    QCOMPARE(runs->topLevelItem(0)->text(0), QStringLiteral("air-traffic"));
    const QString id = runs->topLevelItem(0)->text(1);
    QTRY_VERIFY(watch->isEnabled());
    shot(*dialog, "far-runs");
    QTest::mouseClick(watch, Qt::LeftButton);

    // State, log, figures: as of a run here.
    auto& run = console.run();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Phase::Running, longestMs);
    QVERIFY(!dialog->isVisible());
    QVERIFY(run.isWatched());
    QCOMPARE(window.currentPage()->id(), QStringLiteral("run"));
    QTRY_COMPARE(window.pulseBar()->pill()->text(), QStringLiteral("Watching"));
    QTRY_COMPARE_WITH_TIMEOUT(run.federatesJoined(), 6, longestMs);
    QTRY_VERIFY_WITH_TIMEOUT(run.logicalTime() > 1, longestMs);
    QCOMPARE(window.statusLine()->commandLine(),
             QStringLiteral("tutti attach --on %1 %2").arg(lab.host(1), id));
    QVERIFY2(run.runName().contains(lab.host(1)), qPrintable(run.runName()));
    const auto view = [&] { return console.feed().current()->find(QStringLiteral("radar-west")); };
    QTRY_VERIFY_WITH_TIMEOUT(view() && view()->sentPerSecond > 0, longestMs);
    // What only the kernel there can tell.
    QTRY_VERIFY_WITH_TIMEOUT(view() && !std::isnan(view()->cpuUser), longestMs);
    QCOMPARE(view()->host, lab.host(1));
    QVERIFY(view()->pid > 0);
    QCOMPARE(console.feed().current()->host.name, lab.host(1));
    QVERIFY(!run.canPause() && !run.canSave() && !run.canResign() && !run.canKeep());
    auto* page = window.findChild<monitor::RunWorkspace*>();
    const auto logs = page->findChildren<monitor::LogView*>();
    const auto lines = [&] {
      int most = 0;
      for (monitor::LogView* log : logs) most = std::max(most, log->model()->rowCount());
      return most;
    };
    QTRY_VERIFY_WITH_TIMEOUT(lines() > 6, longestMs);
    shot(window, "far-watched");

    // Its cable is out for some seconds.
    QVERIFY(lab.call({QStringLiteral("cut"), lab.host(1)}));
    QTRY_VERIFY2_WITH_TIMEOUT(isBanner(window, lab.host(1) + QStringLiteral(" is not heard")),
                              qPrintable(window.banner()->title()), longestMs);
    shot(window, "far-silent");
    QVERIFY(lab.call({QStringLiteral("mend"), lab.host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(!window.banner()->isVisible(), longestMs);
    const double then = run.logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(run.logicalTime() > then + 1, longestMs);

    // The connection breaks, and a click makes it anew. sshd is stopped, so that it does not come
    // by itself first.
    const auto relay = lab.processes(1, "tutti relay ");
    QCOMPARE(relay.size(), 1);
    const pid_t sshd = listener(lab);
    QVERIFY(sshd > 0);
    QCOMPARE(::kill(sshd, SIGSTOP), 0);
    QCOMPARE(::kill(relay.front(), SIGKILL), 0);
    const QString lost = QStringLiteral("Connection to %1 lost").arg(lab.host(1));
    QTRY_VERIFY2_WITH_TIMEOUT(isBanner(window, lost), qPrintable(window.banner()->title()),
                              longestMs);
    QTRY_VERIFY2_WITH_TIMEOUT(
        window.banner()->detail().contains(QStringLiteral("Next attempt in ")),
        qPrintable(window.banner()->detail()), longestMs);
    QTest::qWait(600);  // for the picture: values are shown twice a second
    shot(window, "far-lost");
    QCOMPARE(::kill(sshd, SIGCONT), 0);
    QTRY_VERIFY_WITH_TIMEOUT(
        press(*window.banner(), QStringLiteral("Connect now")) || !window.banner()->isVisible(),
        longestMs);
    QTRY_VERIFY_WITH_TIMEOUT(!window.banner()->isVisible(), longestMs);
    // It was not a number meanwhile.
    QTRY_VERIFY_WITH_TIMEOUT(run.logicalTime() > then + 2, longestMs);

    // It is left, and goes on; nothing stays there.
    QTest::mouseClick(window.pulseBar()->stopButton(), Qt::LeftButton);
    QCOMPARE(run.phase(), Phase::NotRunning);
    QVERIFY(!run.isWatched());
    QTRY_VERIFY_WITH_TIMEOUT(lab.processes(1, "tutti relay ").isEmpty(), 8000);
    QCOMPARE(remote.state(), QProcess::Running);
  }

 private:
  static void startOn(const Lab& lab, QProcess& process, const QString& command) {
    QFile subnet(lab.folder() + QStringLiteral("/subnet"));
    QVERIFY(subnet.open(QIODevice::ReadOnly));
    process.start(
        QStringLiteral("ssh"),
        {QStringLiteral("-T"), QStringLiteral("-o"), QStringLiteral("BatchMode=yes"),
         QStringLiteral("-o"), QStringLiteral("IdentitiesOnly=yes"), QStringLiteral("-o"),
         QStringLiteral("UserKnownHostsFile=") + lab.folder() + QStringLiteral("/known_hosts"),
         QStringLiteral("-i"), lab.folder() + QStringLiteral("/client_key"),
         QString::fromUtf8(subnet.readAll().trimmed()) + QStringLiteral(".1"), command});
    QVERIFY(process.waitForStarted());
  }
  /// The sshd of the host that takes connections.
  static pid_t listener(const Lab& lab) {
    QProcess ip;
    ip.start(QStringLiteral("ip"), {QStringLiteral("netns"), QStringLiteral("pids"), lab.host(1)});
    ip.waitForFinished(10000);
    for (const QByteArray& word : ip.readAllStandardOutput().split('\n')) {
      if (Lab::commandOf(word.toInt()).contains("-f " + lab.folder().toUtf8())) return word.toInt();
    }
    return 0;
  }
  static bool isBanner(app::MainWindow& window, const QString& title) {
    return window.banner()->isVisible() && window.banner()->title() == title;
  }
  static bool press(theme::Banner& banner, const QString& text) {
    for (auto* button : banner.findChildren<QPushButton*>()) {
      if (!button->isVisible() || button->text() != text) continue;
      QTest::mouseClick(button, Qt::LeftButton);
      return true;
    }
    return false;
  }
  static void shot(QWidget& widget, const char* name) {
    const QString into = qEnvironmentVariable("TUTTI_SHOTS");
    if (!into.isEmpty())
      widget.grab().save(QStringLiteral("%1/%2.png").arg(into, QLatin1String(name)));
  }

  test::TestHome home_;
};

QTEST_MAIN(FarRunTest)
#include "tst_far_run.moc"
