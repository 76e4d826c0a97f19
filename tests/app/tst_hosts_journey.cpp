// SPDX-License-Identifier: GPL-3.0-or-later
// A run over several hosts in the real window: one click starts it, a death there is shown here, a
// host that does not answer is named and nothing starts, Stop leaves nothing on any host.
#include <signal.h>

#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QElapsedTimer>
#include <QListView>
#include <QMenu>
#include <QRegularExpression>
#include <QSysInfo>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <memory>

#include "app/console.h"
#include "app/finder.h"
#include "launcher/engine/supervisor/process_tree.h"
#include "monitor/ui/host_item.h"
#include "monitor/ui/run_workspace.h"
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

    // Processes of other hosts are none of this kernel's: their hosts say what they use.
    const auto view = [&](const char* name) {
      return console.feed().current()->find(QLatin1String(name));
    };
    QTRY_VERIFY(view("log") && !std::isnan(view("log")->cpuUser));
    QTRY_VERIFY_WITH_TIMEOUT(view("radar-west") && view("radar-west")->sentPerSecond > 0, 15000);
    QCOMPARE(view("radar-west")->pid, qint64(0));
    QCOMPARE(view("radar-west")->host, lab.host(1));
    agreesWithProc(console, lab);

    // Each host has its box, with what its supervisor and its RTI node tell.
    QVERIFY(console.window().showPage(QStringLiteral("run")));
    const QString here = QSysInfo::machineHostName();
    QStringList all{here, lab.host(1), lab.host(2)};
    all.sort();
    QTRY_COMPARE_WITH_TIMEOUT(hostBoxes(console).keys(), all, 10000);
    const QRegularExpression figures(
        QStringLiteral("\\d cores?, \\d+\\s%\\n[0-9.]+ of [0-9.]+\\sGB\\n\\d+\\s%, 1 joined\\n"
                       "Network .*, load "),
        QRegularExpression::UseUnicodePropertiesOption);
    QTRY_VERIFY2_WITH_TIMEOUT(figures.match(hostBoxes(console)[lab.host(1)]).hasMatch(),
                              qPrintable(hostBoxes(console)[lab.host(1)]), 15000);
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
      QVERIFY2(QTest::qWaitFor([&] { return left(lab, host).isEmpty(); }, 30000), left(lab, host));
    }
  }

  // What `tutti lab` does in a terminal, from the menu of a host's box, with the effect on screen.
  void faultsAreMadeAndMendedFromTheWindow() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), true});
    open(console, lab.sampleWith({{"radar-west", 1}, {"detector", 2}}, false));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 60000);
    QVERIFY(console.window().showPage(QStringLiteral("run")));
    const QString host = lab.host(1);
    const auto box = [&] { return hostBoxes(console)[host]; };
    QTRY_VERIFY_WITH_TIMEOUT(box().contains(QStringLiteral("1 joined")), 20000);
    QVERIFY(!box().contains(QStringLiteral("Practice fault")));

    QTRY_VERIFY_WITH_TIMEOUT(!hostMenu(console, host).isEmpty(), 20000);
    QCOMPARE(
        hostMenu(console, host),
        QStringList(
            {"Pull the cable of " + host + " | $ tutti lab cut " + host + name(lab),
             "Limit " + host + " to 10 Mbit/s | $ tutti lab slow " + host + " 10" + name(lab),
             "Lose 5 % of packets to " + host + " | $ tutti lab loss " + host + " 5" + name(lab),
             "Power off " + host +
                 ": all that runs there dies | $ tutti lab "
                 "kill " +
                 host + name(lab)}));
    // This machine is none of the lab's.
    QCOMPARE(hostMenu(console, QSysInfo::machineHostName()), QStringList());

    choose(console, host, QStringLiteral("Limit "));
    QTRY_VERIFY2_WITH_TIMEOUT(
        box().contains(QStringLiteral("Practice fault: limited to 10 Mbit/s")), qPrintable(box()),
        20000);
    QVERIFY(lab.call({"status"}));
    QVERIFY2(lab.said().contains("limited to 10 Mbit/s"), qPrintable(lab.said()));
    shot(console, "lab-slow");
    choose(console, host, QStringLiteral("End the rate limit"));
    QTRY_VERIFY_WITH_TIMEOUT(!box().contains(QStringLiteral("Practice fault")), 20000);
    QVERIFY(lab.call({"status"}));
    QVERIFY2(!lab.said().contains("limited"), qPrintable(lab.said()));

    // Also found by Ctrl+K.
    QList<theme::FindEntry> finds;
    console.runPage().provideFinds(finds);
    const auto cut = std::find_if(finds.begin(), finds.end(), [&](const theme::FindEntry& each) {
      return each.title == QStringLiteral("Pull the cable of ") + host;
    });
    QVERIFY(cut != finds.end());
    cut->activate();
    QTRY_VERIFY2_WITH_TIMEOUT(box().contains(QStringLiteral("Practice fault: cable pulled")) &&
                                  box().contains(QStringLiteral("unreachable ")),
                              qPrintable(box()), 30000);
    shot(console, "lab-cut");
    choose(console, host, QStringLiteral("Plug the cable"));
    QTRY_VERIFY2_WITH_TIMEOUT(!box().contains(QStringLiteral("Practice fault")) &&
                                  !box().contains(QStringLiteral("unreachable ")),
                              qPrintable(box()), 30000);
    QTRY_VERIFY2_WITH_TIMEOUT(!console.window().banner()->isVisible(),
                              qPrintable(console.window().banner()->title()), 30000);

    choose(console, host, QStringLiteral("Power off"));
    QTRY_VERIFY2_WITH_TIMEOUT(box().contains(QStringLiteral("Practice fault: powered off")),
                              qPrintable(box()), 20000);
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(1).size(), 0, 20000);
    QTRY_VERIFY_WITH_TIMEOUT(hostMenu(console, host).size() == 1, 20000);
    choose(console, host, QStringLiteral("Power on "));
    QTRY_VERIFY2_WITH_TIMEOUT(!box().contains(QStringLiteral("Practice fault")), qPrintable(box()),
                              20000);
    QVERIFY(lab.ask(1, QStringLiteral("hostname")).contains(host.toUtf8()));
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(
        console.run().phase() == Phase::Ended || console.run().phase() == Phase::NotRunning, 60000);
    // The host's sshd gives up a connection that was cut after 20 s.
    for (const int each : {1, 2})
      QVERIFY2(QTest::qWaitFor([&] { return left(lab, each).isEmpty(); }, 30000), left(lab, each));
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
    QTRY_VERIFY2_WITH_TIMEOUT(left(lab, 1).isEmpty(), left(lab, 1), 30000);
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
    QTRY_VERIFY2_WITH_TIMEOUT(left(lab, 1).isEmpty(), left(lab, 1), 30000);
  }

  /// By the menu of the federate, and back by Ctrl+K; a card shows the steps, and what has failed.
  void aFederateIsMoved() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), true});
    app::MainWindow& window = console.window();
    open(console, lab.sampleWith({{"radar-west", 1}, {"detector", 2}}, false));
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, 40000);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, 20000);
    QVERIFY(window.showPage(QStringLiteral("run")));
    const QString radar = QStringLiteral("radar-west");
    QTRY_VERIFY_WITH_TIMEOUT(console.feed().current()->find(radar), 15000);
    auto* page = window.findChild<monitor::RunWorkspace*>();
    page->showFederateMenu(radar, page->mapToGlobal(page->rect().center()));
    auto* moves = window.findChild<QMenu*>(QStringLiteral("moveMenu"));
    QVERIFY(moves);
    QStringList hosts;
    for (const QAction* one : moves->actions()) hosts << one->text();
    QCOMPARE(hosts, (QStringList{QStringLiteral("this machine"), lab.host(2)}));
    shot(console, "move-menu");
    moves->actions().back()->trigger();
    window.findChild<QMenu*>(QStringLiteral("federateMenu"))->close();
    const auto isMoving = [&] {
      const auto troubles = console.run().troubles();
      return std::any_of(troubles.begin(), troubles.end(), [](const auto& one) {
        return one.id == QStringLiteral("move/radar-west") &&
               one.detail.contains(QStringLiteral("of 7: "));
      });
    };
    QVERIFY(isMoving());
    // It is none that could be started meanwhile.
    QTRY_VERIFY_WITH_TIMEOUT(!isMoving() || console.run().missingFederates().contains(radar),
                             60000);
    QVERIFY(console.run().missingFederates().isEmpty());
    QStringList said;
    for (const auto& one : console.run().troubles()) said << one.title << one.detail;
    QVERIFY2(console.run().current()->process(radar)->host == lab.host(2),
             qPrintable(said.join(u'\n')));
    QCOMPARE(lab.processes(2, "/radar ").size(), 1);
    QVERIFY(lab.processes(1, "/radar ").isEmpty());
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 1, 20000);
    // Where it was is no host that it could go to, and its card says that it is there.
    QTRY_COMPARE_WITH_TIMEOUT(console.feed().current()->find(radar)->host, lab.host(2), 10000);
    QTRY_VERIFY(!QApplication::activePopupWidget());
    window.activateWindow();
    QTRY_VERIFY(window.isActiveWindow());
    window.findField()->open();
    QTRY_VERIFY(window.findField()->list());
    QTest::keyClicks(window.findField(), QStringLiteral("move radar-west to this machine"));
    auto* list = window.findField()->list();
    QTRY_VERIFY(list->model()->rowCount() > 0);
    QCOMPARE(list->model()->index(0, 0).data().toString(),
             QStringLiteral("Move radar-west to this machine"));
    QTest::keyClick(window.findField(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(isMoving(), 5000);
    shot(console, "move-card");
    QTRY_VERIFY_WITH_TIMEOUT(!isMoving(), 60000);
    QCOMPARE(console.run().current()->process(radar)->host, QString());
    // A host that is dead is no target; it is said, and nothing was stopped.
    const qint64 pid = console.run().current()->process(radar)->pid;
    QVERIFY(lab.call({"kill", lab.host(1)}));
    console.run().moveFederate(radar, lab.host(1));
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          const auto troubles = console.run().troubles();
          return std::any_of(troubles.begin(), troubles.end(), [&](const auto& one) {
            return one.title == QStringLiteral("radar-west was not moved to ") + lab.host(1);
          });
        }(),
        60000);
    QCOMPARE(console.run().current()->process(radar)->pid, pid);
    shot(console, "move-failed");
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().current()->isOver(), 60000);
  }

 private:
  /// What the first host says of radar-west is what /proc says of it here: hosts of the lab are of
  /// this kernel.
  static void agreesWithProc(app::Console& console, const Lab& lab) {
    const auto radar = launcher::processEntry(lab.processes(1, "/radar ").front());
    QVERIFY(radar);
    const QString id = QStringLiteral("radar-west");
    QJsonObject sample;
    QObject context;
    connect(console.run().current(), &launcher::Run::eventArrived, &context,
            [&](const QString& host, const QJsonObject& event) {
              if (host == lab.host(1) && event["event"] == QStringLiteral("sample")) sample = event;
            });
    // The first may have been on its way.
    QTRY_VERIFY_WITH_TIMEOUT(!sample.isEmpty(), 15000);
    const auto before = launcher::processEntry(radar->pid);
    const QJsonObject first = sample;
    QTRY_VERIFY_WITH_TIMEOUT(sample["at_ms"].toDouble() >= first["at_ms"].toDouble() + 1500, 15000);
    const auto after = launcher::processEntry(radar->pid);
    QVERIFY(before && after);
    const QJsonValue row = sample["processes"][id];
    const auto between = [](std::uint64_t least, qint64 said, std::uint64_t most) {
      return static_cast<qint64>(least) <= said && said <= static_cast<qint64>(most);
    };
    QVERIFY(between(before->userTicks, row[1].toInteger(-1), after->userTicks));
    QVERIFY(between(before->systemTicks, row[2].toInteger(-1), after->systemTicks));

    const auto view = [&] { return console.feed().current()->find(id); };
    QTRY_VERIFY_WITH_TIMEOUT(!std::isnan(view()->cpuUser) && !std::isnan(view()->cpuSystem), 15000);
    QTRY_COMPARE_WITH_TIMEOUT(
        view()->residentBytes,
        static_cast<double>(launcher::processEntry(radar->pid)->residentBytes), 15000);
    const auto areKnown = [&] {
      const auto now = console.feed().current();
      const auto& hosts = now->otherHosts;
      return hosts.size() == 2 && std::all_of(hosts.begin(), hosts.end(), [&](const auto& host) {
               return host.memoryTotal == now->host.memoryTotal &&
                      !std::isnan(host.networkPerSecond);
             });
    };
    QTRY_VERIFY_WITH_TIMEOUT(areKnown(), 15000);
  }

  static QString name(const Lab& lab) {
    return QStringLiteral(" --name ") + lab.host(1).chopped(1);
  }
  /// The menu of a host's box as a person opens it; null when there is none.
  static std::unique_ptr<QMenu> openHostMenu(app::Console& console, const QString& host) {
    auto* topology = console.window().findChild<monitor::TopologyView*>();
    for (QGraphicsItem* item : topology->scene()->items()) {
      auto* box = dynamic_cast<monitor::HostItem*>(item);
      if (!box || box->name() != host) continue;
      const QPoint at = topology->mapFromScene(box->mapToScene(QPointF(60, 20)));
      QContextMenuEvent event(QContextMenuEvent::Mouse, at, topology->viewport()->mapToGlobal(at));
      QApplication::sendEvent(topology->viewport(), &event);
    }
    auto* menu = console.runPage().findChild<QMenu*>(QStringLiteral("hostMenu"));
    if (menu) menu->setAttribute(Qt::WA_DeleteOnClose, false);
    return std::unique_ptr<QMenu>(menu);
  }
  static QStringList hostMenu(app::Console& console, const QString& host) {
    QStringList result;
    const auto menu = openHostMenu(console, host);
    if (!menu) return result;
    for (const QAction* action : menu->actions())
      if (!action->isSeparator())
        result << action->text() + QStringLiteral(" | ") + action->toolTip();
    return result;
  }
  /// Chooses the entry of the menu that begins so, when it is there.
  static void choose(app::Console& console, const QString& host, const QString& begin) {
    bool chosen = false;
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          if (chosen) return true;
          const auto menu = openHostMenu(console, host);
          if (!menu) return false;
          for (QAction* action : menu->actions()) {
            if (!action->text().startsWith(begin) || !action->isEnabled()) continue;
            action->trigger();
            chosen = true;
          }
          return chosen;
        }(),
        20000);
  }

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
      // A connection that nobody logged in on: ssh tried while the cable was out, and sshd hears of
      // its end when TCP sends that again.
      if (Lab::commandOf(pid).startsWith("sshd: [accepted]")) continue;
      const auto entry = launcher::processEntry(pid);
      if (entry && !entry->dead()) result += Lab::commandOf(pid) + '\n';
    }
    return result;
  }

  test::TestHome home_;
};

QTEST_MAIN(HostsJourneyTest)
#include "tst_hosts_journey.moc"
