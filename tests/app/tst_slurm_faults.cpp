// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong with nodes of a Slurm, in the real window: one message each, with the name of the
// node or of the cluster, why and what to do; what still can run goes on.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>

#include "app/console.h"
#include "resources/theme/run_status.h"
#include "tests/app/shown_problems.h"
#include "tests/app/test_home.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti;
using launcher::test::SlurmLab;
using launcher::test::slurmMs;
using test::isHostOnScreen;
using test::problemsOf;
using test::problemsOnScreen;
using HostState = launcher::HostStatus::State;
using Phase = theme::RunStatus::Phase;

class SlurmFaultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    if (const QString why = launcher::test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
    QVERIFY(home_.prepare());
    // Federates on nodes keep their part of a save below the home folder.
    qputenv("HOME", home_.path(QStringLiteral("home")).toUtf8());
    QVERIFY(QDir().mkpath(home_.path(QStringLiteral("home"))));
  }

  /// The partition takes no jobs, which the checks before did not know yet.
  void aRefusedJobStartsNothing() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console, lab);
    QTRY_VERIFY_WITH_TIMEOUT(
        console.run().whyNotRun().isEmpty() && !console.run().isAwaitingChecks(), slurmMs);
    lab.slurm({"scontrol", "update", "partitionname=" + lab.partition(), "state=drain"});
    QCOMPARE(lab.slurm({"sinfo", "--noheader", "--partition=" + lab.partition(), "--format=%a"}),
             "drain");
    console.run().run();
    QTRY_VERIFY_WITH_TIMEOUT(!problemsOf(console).isEmpty(), slurmMs);
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::NotRunning, slurmMs);
    const QStringList all = problemsOf(console);
    QVERIFY2(all.size() == 1, qPrintable(all.join(u'\n')));
    const QString title = QStringLiteral("There are no nodes of slurm/%1, so nothing was started")
                              .arg(lab.partition());
    QVERIFY2(all[0].startsWith(title), qPrintable(all[0]));
    QVERIFY2(all[0].contains(QStringLiteral("not available")) &&
                 all[0].contains(QStringLiteral("name another partition")),
             qPrintable(all[0]));
    qInfo("%s", qPrintable(all[0]));
    QTRY_COMPARE(problemsOnScreen(console), all);
    QCOMPARE(lab.jobs(false), QList<int>());
    QVERIFY2(lab.left(2).isEmpty(), lab.left(2));
    // As soon as it takes jobs again, it runs.
    lab.slurm({"scontrol", "update", "partitionname=" + lab.partition(), "state=up"});
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    QCOMPARE(problemsOf(console), QStringList());
    end(console, lab);
  }

  void whatSlurmTakesIsToldOnceAndTheRestGoesOn_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("state");  ///< as Slurm says: of the job, or of the first node
    QTest::addColumn<QString>("why");
    QTest::addColumn<QString>("next");
    QTest::newRow("preempted") << "preempted"
                               << "PREEMPTED"
                               << "was preempted"
                               << "waits in the queue until nodes are free";
    QTest::newRow("time limit") << "limit"
                                << "TIMEOUT"
                                << "has reached its time limit"
                                << "\"timeLimit\"";
    QTest::newRow("node failed") << "node"
                                 << "down"
                                 << "has failed"
                                 << "scontrol show node NODE";
    QTest::newRow("cancelled") << "cancel"
                               << "CANCELLED"
                               << "was cancelled, and not by this run"
                               << "scancel";
  }
  void whatSlurmTakesIsToldOnceAndTheRestGoesOn() {
    QFETCH(QString, fault);
    QFETCH(QString, state);
    QFETCH(QString, why);
    QFETCH(QString, next);
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    app::Console console({home_.settings(), false});
    open(console, lab);
    console.run().run();
    QTRY_COMPARE_WITH_TIMEOUT(console.run().phase(), Phase::Running, slurmMs);
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > 1, slurmMs);
    QCOMPARE(problemsOf(console), QStringList());
    const QString job = QString::number(lab.jobs().value(0));
    const bool isOneNode = fault == QStringLiteral("node");
    if (isOneNode) {
      QFile pid(lab.folder() + "/slurm/slurmd-" + lab.host(1) + ".pid");
      QVERIFY(pid.open(QIODevice::ReadOnly));
      QCOMPARE(::kill(pid.readAll().trimmed().toInt(), SIGKILL), 0);
      lab.slurm({"scontrol", "update", "nodename=" + lab.host(1), "state=down", "reason=test"});
    } else if (fault == QStringLiteral("preempted")) {
      QVERIFY(lab.occupy(2, lab.partition() + "-first") > 0);
    } else if (fault == QStringLiteral("limit")) {
      lab.slurm({"scontrol", "update", "JobId=" + job, "EndTime=now"});
    } else {
      lab.slurm({"scancel", job});
    }
    const auto stateThere = [&] {
      return isOneNode ? lab.slurm({"sinfo", "--noheader", "--nodes=" + lab.host(1), "--format=%T"})
                       : lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T",
                                    "--jobs=" + job});
    };
    QTRY_VERIFY2_WITH_TIMEOUT(stateThere().startsWith(state.toUtf8()), stateThere(), slurmMs);
    // All that is told of it is told after the RTI has seen it too.
    const auto isLost = [&](const QString& name) {
      const auto& hosts = console.run().current()->hosts();
      return std::any_of(hosts.begin(), hosts.end(), [&](const auto& each) {
        return each.name == name &&
               (each.state == HostState::Lost || each.state == HostState::Ended);
      });
    };
    QTRY_VERIFY_WITH_TIMEOUT(isLost(lab.node(1)) && (isOneNode || isLost(lab.node(2))), slurmMs);
    QTRY_VERIFY2_WITH_TIMEOUT(problemsOf(console).size() == 1, qPrintable(listed(console)),
                              slurmMs);
    const double at = console.run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().logicalTime() > at + 3, slurmMs);
    const QStringList all = problemsOf(console);
    QVERIFY2(all.size() == 1, qPrintable(listed(console)));
    for (QString part : {why, next}) {
      part.replace(QStringLiteral("NODE"), lab.host(1));
      QVERIFY2(all[0].contains(part), qPrintable(all[0]));
    }
    QVERIFY2(all[0].contains(isOneNode ? lab.host(1) : job), qPrintable(all[0]));
    QVERIFY2(all[0].contains(lab.node(1)), qPrintable(all[0]));
    QCOMPARE(all[0].contains(lab.node(2)), !isOneNode);
    qInfo("%s", qPrintable(all[0]));
    QTRY_COMPARE(problemsOnScreen(console), all);
    if (isOneNode) QVERIFY2(isHostOnScreen(console, lab.node(1)), "no host");
    // What still can run does, and nothing else.
    QTRY_VERIFY_WITH_TIMEOUT(lab.processes(1, "/radar ").isEmpty(), slurmMs);
    if (isOneNode)
      QCOMPARE(lab.processes(2, "/radar ").size(), 1);
    else
      QTRY_VERIFY_WITH_TIMEOUT(lab.processes(2, "/radar ").isEmpty(), slurmMs);
    QCOMPARE(console.run().phase(), Phase::Running);
    end(console, lab);
  }

 private:
  static QString listed(app::Console& console) {
    return problemsOf(console).join(QStringLiteral("\n---\n"));
  }

  static void end(app::Console& console, const SlurmLab& lab) {
    console.run().stop();
    QTRY_VERIFY_WITH_TIMEOUT(console.run().current()->isOver(), slurmMs);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  /// The sample with a radar on each of two nodes, which the run does not need.
  static void open(app::Console& console, const SlurmLab& lab) {
    app::MainWindow& window = console.window();
    window.resize(1440, 900);
    window.show();
    const QString file = lab.sampleAt(
        {{QStringLiteral("radar-west"), lab.node(1)}, {QStringLiteral("radar-east"), lab.node(2)}},
        false);
    if (!QTest::qWaitForWindowExposed(&window) || !window.openFile(file))
      qFatal("%s is not opened", qPrintable(file));
  }

  test::TestHome home_;
};

QTEST_MAIN(SlurmFaultsTest)
#include "tst_slurm_faults.moc"
