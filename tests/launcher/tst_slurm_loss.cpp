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
                               << "job JOB was cancelled, and not by this run";
    QTest::newRow("preempted") << "preempted"
                               << "job JOB was preempted";
    QTest::newRow("salloc killed") << "salloc"
                                   << "job JOB was cancelled";
    QTest::newRow("guard of salloc killed") << "guard"
                                            << "job JOB was cancelled";
    QTest::newRow("time limit") << "limit"
                                << "job JOB has reached its time limit";
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
    } else if (fault == "salloc" || fault == "guard") {
      const auto pids =
          test::commandsWith(fault == "guard" ? "bash -c name=" : "salloc --job-name=tutti-",
                             lab.partition().toUtf8());
      QVERIFY(!pids.isEmpty());
      for (const pid_t pid : pids) QVERIFY(::kill(pid, SIGKILL) == 0);
    } else {
      lab.slurm({"scontrol", "update", "JobId=" + job, "EndTime=now"});
    }
    QVERIFY2(awaitSaid(run, out, said.replace("JOB", job).toUtf8()), out);
    // It names the hosts as the composition does, once.
    const QByteArray lost =
        "The hosts " + lab.node(1).toUtf8() + " and " + lab.node(2).toUtf8() + " are lost";
    QVERIFY2(out.contains(lost), out);
    QVERIFY(run.waitForFinished(slurmMs));
    QCOMPARE(run.exitCode(), 1);
    out += run.readAllStandardOutput() + run.readAllStandardError();
    QVERIFY2(out.count(" lost: ") == 1, out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void aNodeThatFailsTakesOnlyWhatRanThere() {
    SlurmLab lab(4);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRunOnFour(run, {"--duration", "300"}, false);
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QFile pid(lab.folder() + "/slurm/slurmd-" + lab.host(1) + ".pid");
    QVERIFY(pid.open(QIODevice::ReadOnly));
    QVERIFY(::kill(pid.readAll().trimmed().toInt(), SIGKILL) == 0);
    QVERIFY2(awaitSaid(run, out, "its node " + lab.host(1).toUtf8() + " has failed"), out);
    QVERIFY2(out.contains("The host " + lab.node(1).toUtf8() + " is lost"), out);
    QCOMPARE(run.state(), QProcess::Running);
    for (const int host : {2, 3, 4}) QCOMPARE(lab.processes(host, "bin/components/").size(), 1);
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    // Nobody waits for its logs; those of the others are here.
    out += run.readAllStandardOutput() + run.readAllStandardError();
    QVERIFY2(out.contains("The logs of " + lab.node(1).toUtf8() + " were not fetched: "),
             withoutTable(out).right(2000));
    for (const int host : {2, 3, 4})
      QVERIFY2(!out.contains("logs of " + lab.node(host).toUtf8()), withoutTable(out).right(2000));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(4).isEmpty(), lab.left(4), slurmMs);
  }

  /// Nodes that are lost one by one are each told of; what then takes the job names those that are
  /// left of it.
  void eachNodeOfAJobIsToldOfOnce() {
    SlurmLab lab(4);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRunOnFour(run, {"--duration", "300"}, false);
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    const auto jobs = lab.jobs();
    QCOMPARE(jobs.size(), 1);
    for (const int host : {1, 2}) {
      // The way to it; its supervisor ends by itself.
      const auto sruns = test::commandsWith("srun ", "--nodelist=" + lab.host(host).toUtf8());
      QVERIFY(!sruns.isEmpty());
      for (const pid_t pid : sruns) ::kill(pid, SIGKILL);
      QVERIFY2(awaitSaid(run, out, "The host " + lab.node(host).toUtf8() + " is lost"),
               withoutTable(out));
    }
    QCOMPARE(run.state(), QProcess::Running);
    lab.slurm({"scancel", QString::number(jobs.front())});
    QVERIFY2(awaitSaid(run, out, "was cancelled, and not by this run"), withoutTable(out));
    QVERIFY2(out.contains("The hosts " + lab.node(3).toUtf8() + " and " + lab.node(4).toUtf8() +
                          " are lost"),
             withoutTable(out));
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    out += run.readAllStandardOutput() + run.readAllStandardError();
    QVERIFY2(out.count(" lost: ") == 3, withoutTable(out));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(4).isEmpty(), lab.left(4), slurmMs);
  }

  /// With a spare node in the job its required federates are started again there, as steps.
  void aSpareNodeTakesWhatANodeThatFailsHad() {
    SlurmLab lab(3);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString file = lab.sampleAt({{"radar-west", lab.node(1)},
                                       {"flow-north", lab.node(1)},
                                       {"radar-east", lab.node(2)},
                                       {"detector", lab.node(2)}});
    edit(file, [](QJsonObject& document) {
      auto federates = document["federates"].toObject();
      for (auto one = federates.begin(); one != federates.end(); ++one) {
        auto federate = one.value().toObject();
        federate["restart"] = QJsonObject{{"when", "on-failure"}};
        one.value() = federate;
      }
      document["federates"] = federates;
    });
    edit(lab.hostsFile(), [](QJsonObject& document) {
      document["ifHostLost"] = "restart";
      auto clusters = document["clusters"].toObject();
      auto cluster = clusters["slurm"].toObject();
      cluster["spareNodes"] = 1;
      clusters["slurm"] = cluster;
      document["clusters"] = clusters;
    });
    QProcess script;
    const QString job = lab.root() + "/job.sbatch";
    lab.start(script, {"clusters", "script", file, "--hosts", lab.hostsFile(), "-o", job});
    QVERIFY(script.waitForFinished(slurmMs));
    QFile written(job);
    QVERIFY2(written.open(QIODevice::ReadOnly), script.readAllStandardError());
    QVERIFY(written.readAll().contains("#SBATCH --nodes=3\n"));
    QProcess run;
    lab.start(run, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QVERIFY2(out.contains(lab.node(3).toUtf8() + " is " + lab.host(3).toUtf8()), out);
    QVERIFY(lab.processes(3, "/radar ").isEmpty());
    QFile pid(lab.folder() + "/slurm/slurmd-" + lab.host(1) + ".pid");
    QVERIFY(pid.open(QIODevice::ReadOnly));
    QVERIFY(::kill(pid.readAll().trimmed().toInt(), SIGKILL) == 0);
    QVERIFY2(awaitSaid(run, out, "its node " + lab.host(1).toUtf8() + " has failed"), out);
    QVERIFY2(awaitSaid(run, out, "started again on " + lab.node(3).toUtf8() + " (spare)"),
             withoutTable(out).right(900));
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(3, "/radar ").size(), 1, slurmMs);
    QTRY_VERIFY_WITH_TIMEOUT(lab.processes(1, "/radar ").isEmpty(), slurmMs);
    out.clear();
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(3).isEmpty(), lab.left(3), slurmMs);
  }

  /// The guard of salloc and slurmctld killed at once, and slurmctld killed before it had saved
  /// that the job is over, because salloc or its guard had been killed.
  void aJobEndsThatTheControllerDoesNotKnowToBeOver_data() {
    QTest::addColumn<bool>("forgets");
    QTest::addColumn<bool>("guardDies");
    QTest::newRow("guard and controller killed") << false << true;
    QTest::newRow("salloc killed, controller forgets") << true << false;
    QTest::newRow("guard killed, controller forgets") << true << true;
  }
  void aJobEndsThatTheControllerDoesNotKnowToBeOver() {
    QFETCH(bool, forgets);
    QFETCH(bool, guardDies);
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QDateTime begun = QDateTime::currentDateTime();
    QProcess run;
    lab.startRun(run, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    const QByteArray name = lab.slurm({"squeue", "--noheader", "--format=%j"});
    const auto sallocs = test::commandsWith("salloc ", name);
    QCOMPARE(sallocs.size(), 1);
    // The shell that has started salloc, which is left to itself.
    const pid_t guard = SlurmLab::parentOf(sallocs.front());
    QVERIFY(test::commandsWith("bash -c name=", name).contains(guard));
    const QString state = lab.folder() + "/slurm/state";
    const QString kept = lab.folder() + "/slurm/kept";
    if (forgets) {
      // What slurmctld has saved of the job that runs.
      QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(state + "/job_state").lastModified() > begun, slurmMs);
      QCOMPARE(QProcess::execute("cp", {"-a", state, kept}), 0);
      QVERIFY(::kill(guardDies ? guard : sallocs.front(), SIGKILL) == 0);
      QTRY_VERIFY_WITH_TIMEOUT(lab.jobs().isEmpty(), slurmMs);
      killController(lab);
      QVERIFY(QDir(state).removeRecursively() && QDir().rename(kept, state));
    } else {
      killController(lab);
      QVERIFY(::kill(guard, SIGKILL) == 0);
    }
    startController(lab);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.jobs().isEmpty(), lab.slurm({"squeue"}), slurmMs);
    QTRY_VERIFY_WITH_TIMEOUT(test::commandsWith("bash -c name=", name).isEmpty() &&
                                 test::commandsWith("salloc ", name).isEmpty(),
                             3 * slurmMs);
    QVERIFY(lab.jobs().isEmpty());
    QVERIFY(run.state() == QProcess::NotRunning || run.waitForFinished(slurmMs));
    // Nobody is left who could end it: the controller has saved that it is over.
    killController(lab);
    startController(lab);
    QVERIFY2(lab.jobs().isEmpty(), lab.slurm({"squeue"}));
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
    killController(lab);
    // What runs goes on without it, and ends in order.
    run.terminate();
    QVERIFY(run.waitForFinished(slurmMs));
    QCOMPARE(run.exitCode(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(test::commandsWith("salloc ", name).isEmpty() &&
                                 test::commandsWith("bash -c name=", name).isEmpty(),
                             2 * slurmMs);
  }

 private:
  static void killController(const SlurmLab& lab) {
    QFile file(lab.folder() + "/slurm/slurmctld.pid");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const pid_t pid = file.readAll().trimmed().toInt();
    QVERIFY(::kill(pid, SIGKILL) == 0);
    QTRY_VERIFY(::kill(pid, 0) != 0);
  }

  /// Starts one that takes over the jobs of the one before.
  static void startController(const SlurmLab& lab) {
    QFile log(lab.folder() + "/slurm/slurmctld.log");
    QVERIFY(log.open(QIODevice::ReadOnly));
    log.readAll();
    QCOMPARE(QProcess::execute("slurmctld", {"-f", lab.configuration()}), 0);
    QTRY_VERIFY_WITH_TIMEOUT(lab.slurm({"scontrol", "ping"}).contains(" is UP"), slurmMs);
    QVERIFY(log.readAll().contains("Recovered JobId="));
  }

  /// What was said beside the figures of each second.
  static QByteArray withoutTable(const QByteArray& out) {
    QByteArray result;
    for (const QByteArray& line : out.split('\n')) {
      if (!line.contains("  running  ")) result += line + '\n';
    }
    return result;
  }

  template <class Change>
  static void edit(const QString& path, Change change) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    change(document);
    file.resize(0);
    file.write(QJsonDocument(document).toJson());
  }
};

QTEST_GUILESS_MAIN(TestSlurmLoss)
#include "tst_slurm_loss.moc"
