// SPDX-License-Identifier: GPL-3.0-or-later
// A run over several hosts in the real window: one click starts it, a death there is shown here, a
// host that does not answer is named and nothing starts, Stop leaves nothing on any host.
#include <signal.h>

#include <QDir>
#include <QElapsedTimer>
#include <QSysInfo>
#include <QTest>
#include <cmath>

#include "app/console.h"
#include "launcher/engine/supervisor/process_tree.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"
#include "tests/launcher/lab.h"

using namespace tutti;
using launcher::test::Lab;
using Phase = theme::RunStatus::Phase;

class HostsJourneyTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void oneClickRunsOnAllHosts() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), true});
    open(console, lab.sampleWith({{"radar-west", 1}, {"detector", 2}}, false));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 40000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 2, 20000);
    QCOMPARE(lab.processes(1, "/radar ").size(), 1);
    QCOMPARE(lab.processes(2, "/conflict-detector ").size(), 1);
    const launcher::Run* run = console.run().current();
    QCOMPARE(run->process(QStringLiteral("radar-west"))->host, lab.host(1));
    QCOMPARE(run->hosts().size(), std::size_t(2));
    for (const auto& host : run->hosts()) QCOMPARE(host.state, launcher::HostStatus::State::Up);

    // Processes of other hosts are none of this kernel's: their share is not known, and not 0.
    const auto view = [&](const char* name) {
      return console.feed().current()->find(QLatin1String(name));
    };
    QTRY_VERIFY(view("log") && !std::isnan(view("log")->cpuUser));
    QTRY_VERIFY_WITH_TIMEOUT(view("radar-west") && view("radar-west")->sentPerSecond > 0, 15000);
    QCOMPARE(view("radar-west")->pid, qint64(0));
    QVERIFY(std::isnan(view("radar-west")->cpuUser));
    QCOMPARE(view("radar-west")->host, lab.host(1));

    // Each host has its box, with what its supervisor and its RTI node tell.
    QVERIFY(console.window().showPage(QStringLiteral("run")));
    const QString here = QSysInfo::machineHostName();
    QStringList all{here, lab.host(1), lab.host(2)};
    all.sort();
    QTRY_COMPARE_WITH_TIMEOUT(hostBoxes(console).keys(), all, 10000);
    QTRY_VERIFY_WITH_TIMEOUT(
        hostBoxes(console)[lab.host(1)].contains(QStringLiteral("load ")) &&
            hostBoxes(console)[lab.host(1)].contains(QStringLiteral("1 joined")),
        15000);
    QVERIFY(hostBoxes(console)[here].contains(QStringLiteral("executive")));
    QTest::qWait(600);  // for the picture: values are shown twice a second
    shot(console, "hosts");

    // A cut names the host, and goes by.
    QVERIFY(lab.call({"cut", lab.host(2)}));
    // Before the link is suspect, whoever is behind it may be late.
    QTRY_VERIFY2_WITH_TIMEOUT(
        console.window().banner()->isVisible() &&
            console.window().banner()->title().contains(QStringLiteral("host ") + lab.host(2)),
        qPrintable(console.window().banner()->title()), 15000);
    QTRY_VERIFY_WITH_TIMEOUT(
        hostBoxes(console)[lab.host(2)].contains(QStringLiteral("unreachable ")), 15000);
    QVERIFY(!hostBoxes(console)[lab.host(1)].contains(QStringLiteral("unreachable ")));
    shot(console, "hosts-cut");
    QVERIFY(lab.call({"mend", lab.host(2)}));
    QTRY_VERIFY_WITH_TIMEOUT(!console.window().banner()->isVisible(), 15000);
    QTRY_VERIFY_WITH_TIMEOUT(
        !hostBoxes(console)[lab.host(2)].contains(QStringLiteral("unreachable ")), 15000);

    // What dies there is dead here, with how.
    const pid_t victim = lab.processes(1, "/radar ").front();
    QCOMPARE(::kill(victim, SIGKILL), 0);
    // The RTI may tell of the lost connection before the supervisor there does of the signal.
    const auto said = [&] { return console.window().banner()->title(); };
    QTRY_VERIFY2_WITH_TIMEOUT(console.window().banner()->isVisible() &&
                                  said().contains(QStringLiteral("radar-west")) &&
                                  said().contains(QStringLiteral("SIGKILL")),
                              qPrintable(said()), 15000);
    QCOMPARE(console.run().phase(), Phase::Running);

    console.run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Ended, 20000);
    // Once is enough: afterwards the logs are fetched over a connection of their own.
    for (const int host : {1, 2}) {
      QVERIFY2(QTest::qWaitFor([&] { return left(lab, host).isEmpty(); }, 15000), left(lab, host));
    }
  }

  void aHostThatDoesNotAnswerIsNamedAndNothingStarts() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console, lab.sampleWith({{"radar-west", 1}, {"detector", 2}}));
    QVERIFY(lab.call({"kill", lab.host(2)}));
    console.run().run();
    QTRY_VERIFY_WITH_TIMEOUT(console.window().banner()->isVisible(), 30000);
    const QString said = console.window().banner()->title();
    QVERIFY2(said.contains(lab.host(2)) && said.contains(QStringLiteral("nothing was started")),
             qPrintable(said));
    QCOMPARE(console.run().phase(), Phase::NotRunning);
    QVERIFY(!console.run().current());
    QCOMPARE(left(lab, 1), QByteArray());
  }

  void stopEndsTheQuestionsAtOnce() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console, lab.sampleWith({{"radar-west", 1}}));
    QVERIFY(lab.call({"cut", lab.host(1)}));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Starting, 20000);
    console.run().stop();
    QCOMPARE(console.run().phase(), Phase::NotRunning);
    QVERIFY(lab.call({"mend", lab.host(1)}));
    QTest::qWait(1500);
    QCOMPARE(console.run().phase(), Phase::NotRunning);
    QCOMPARE(left(lab, 1), QByteArray());
  }

 private:
  /// What stands in the box of each host, by its name.
  static QMap<QString, QString> hostBoxes(app::Console& console) {
    QMap<QString, QString> result;
    auto* topology = console.window().findChild<monitor::TopologyView*>();
    for (QGraphicsItem* item : topology->scene()->items())
      if (auto* host = dynamic_cast<monitor::HostItem*>(item))
        result.insert(host->name(), host->texts().join(u'\n'));
    return result;
  }

  static void shot(app::Console& console, const char* name) {
    const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
    QVERIFY(QDir().mkpath(path));
    QVERIFY(console.window().grab().save(
        QStringLiteral("%1/journey-%2.png").arg(path, QLatin1String(name))));
  }

  static void open(app::Console& console, const QString& file) {
    app::MainWindow& window = console.window();
    window.setWindowState(Qt::WindowNoState);
    window.resize(1440, 900);
    window.show();
    if (!QTest::qWaitForWindowExposed(&window) || !window.openFile(file))
      qFatal("%s is not opened", qPrintable(file));
  }

  static QByteArray left(const Lab& lab, int host) {
    QByteArray result;
    for (const pid_t pid : lab.processes(host)) {
      const auto entry = launcher::processEntry(pid);
      if (entry && !entry->dead()) result += Lab::commandOf(pid) + '\n';
    }
    return result;
  }

  test::TestHome home_;
};

QTEST_MAIN(HostsJourneyTest)
#include "tst_hosts_journey.moc"
