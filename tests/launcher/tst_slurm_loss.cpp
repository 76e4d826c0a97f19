// SPDX-License-Identifier: GPL-3.0-or-later
// What Slurm or somebody takes from a run while it goes: a node, the job by its time limit, for a
// job of higher rank, or with scancel. Each is said, and nothing is left.
#include <signal.h>

#include "tests/launcher/slurm_lab.h"

using namespace tutti::launcher;
using test::awaitSaid;
using test::SlurmLab;
using test::slurmMs;

class TestSlurmLoss : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
  }

  void whatIsTakenIsSaid_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QString>("said");
    QTest::newRow("cancelled") << "cancelled"
                               << "its job JOB was cancelled, and not by this run";
    QTest::newRow("preempted") << "preempted"
                               << "its job JOB was preempted";
    QTest::newRow("salloc killed") << "salloc"
                                   << "its job JOB was cancelled";
    QTest::newRow("time limit") << "limit"
                                << "its job JOB has reached its time limit";
  }
  void whatIsTakenIsSaid() {
    QFETCH(QString, fault);
    QFETCH(QString, said);
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRun(run, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    const auto jobs = lab.jobs();
    QCOMPARE(jobs.size(), 1);
    const QString job = QString::number(jobs.front());
    if (fault == "cancelled") {
      lab.slurm({"scancel", job});
    } else if (fault == "preempted") {
      QVERIFY(lab.occupy(2, lab.partition() + "-first") > 0);
    } else if (fault == "salloc") {
      const auto pids = test::commandsWith("salloc --job-name=tutti-", lab.partition().toUtf8());
      QVERIFY(!pids.isEmpty());
      for (const pid_t pid : pids) QVERIFY(::kill(pid, SIGKILL) == 0);
    } else {
      lab.slurm({"scontrol", "update", "JobId=" + job, "EndTime=now"});
    }
    QVERIFY2(awaitSaid(run, out, said.replace("JOB", job).toUtf8()), out);
    // It names the host as the composition does.
    QVERIFY2(out.contains("The host " + lab.node(1).toUtf8() + " is lost") ||
                 out.contains("The host " + lab.node(2).toUtf8() + " is lost"),
             out);
    QVERIFY(run.waitForFinished(slurmMs));
    QCOMPARE(run.exitCode(), 1);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void aNodeThatFailsTakesOnlyWhatRanThere() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRun(run, {"--duration", "300"}, false);
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QFile pid(lab.folder() + "/slurm/slurmd-" + lab.host(1) + ".pid");
    QVERIFY(pid.open(QIODevice::ReadOnly));
    QVERIFY(::kill(pid.readAll().trimmed().toInt(), SIGKILL) == 0);
    QVERIFY2(awaitSaid(run, out, "its node " + lab.host(1).toUtf8() + " has failed"), out);
    QVERIFY2(out.contains("The host " + lab.node(1).toUtf8() + " is lost"), out);
    QCOMPARE(run.state(), QProcess::Running);
    QVERIFY(!lab.processes(2, "/radar ").isEmpty());
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void nothingWaitsForAControllerThatIsGone() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRun(run, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    const QByteArray name = "--partition=" + lab.partition().toUtf8();
    QVERIFY(!test::commandsWith("salloc ", name).isEmpty());
    QFile pid(lab.folder() + "/slurm/slurmctld.pid");
    QVERIFY(pid.open(QIODevice::ReadOnly));
    QVERIFY(::kill(pid.readAll().trimmed().toInt(), SIGKILL) == 0);
    // What runs goes on without it, and ends in order.
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    QCOMPARE(run.exitCode(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(test::commandsWith("salloc ", name).isEmpty() &&
                                 test::commandsWith("bash -c name=", name).isEmpty(),
                             2 * slurmMs);
  }
};

QTEST_GUILESS_MAIN(TestSlurmLoss)
#include "tst_slurm_loss.moc"
