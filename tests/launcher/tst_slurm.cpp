// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on nodes of a real Slurm: the sample federation in the steps of a job, the queue, what Slurm
// refuses, and that no job stays.
#include <signal.h>

#include <QJsonDocument>
#include <QJsonObject>

#include "tests/launcher/slurm_lab.h"

using namespace tutti::launcher;
using test::awaitSaid;
using test::SlurmLab;
using test::slurmMs;

class TestSlurm : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
  }

  void federatesOfAJobExchangeData_data() {
    QTest::addColumn<bool>("throughLogin");
    QTest::newRow("Slurm's client here") << false;
    QTest::newRow("through the login host") << true;
  }
  void federatesOfAJobExchangeData() {
    QFETCH(bool, throughLogin);
    SlurmLab lab(4);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    if (throughLogin) lab.reachThroughFirstHost();
    QProcess run;
    lab.startRunOnFour(run, {"--duration", "2", "--json"});
    for (const int host : {1, 2, 3, 4})
      QTRY_COMPARE_WITH_TIMEOUT(lab.processes(host, "bin/components/").size(), 1, slurmMs);
    QCOMPARE(lab.jobs().size(), 1);
    const QByteArray steps = lab.slurm({"squeue", "--steps", "--noheader", "--format=%N"});
    for (const int host : {1, 2, 3, 4}) QVERIFY2(steps.contains(lab.host(host).toUtf8()), steps);
    QVERIFY(run.waitForFinished(slurmMs));
    const QByteArray out = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QVERIFY2(result["deaths"].toArray().isEmpty() && result["troubles"].toArray().isEmpty(), out);
    int seen = 0;
    for (const auto& value : result["federates"].toArray()) {
      const auto one = value.toObject();
      if (!one["host"].toString().startsWith("slurm/")) continue;
      ++seen;
      if (one["node"].toBool()) continue;
      QCOMPARE(one["state"].toString(), "exit code 0");
      if (!one["name"].toString().startsWith("flow"))
        QVERIFY2(one["instancesDiscovered"].toInt() >= 400, out);
    }
    QCOMPARE(seen, 8);  // four federates and four RTI nodes
    // The job was held until their logs were here.
    const auto hosts = result["hosts"].toArray();
    QCOMPARE(hosts.size(), 4);
    for (const auto& one : hosts) QVERIFY2(one.toObject()["logsFetched"].toBool(), out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(4).isEmpty(), lab.left(4), slurmMs);
  }

  void whatNodesLackIsCopiedThroughAStep() {
    SlurmLab lab(2, {"--own-files", "--hide", TUTTI_BINARY_DIR});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    lab.startRun(run, {"--duration", "1"});
    QVERIFY(run.waitForFinished(slurmMs));
    const QByteArray out = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QVERIFY2(out.contains(lab.node(1).toUtf8() + " lacks "), out);
  }

  void waitsInTheQueue() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = lab.occupy(2, lab.partition());
    QVERIFY(other > 0);
    QProcess run;
    lab.startRun(run, {"--duration", "1"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "1st in the queue"), out);
    // The other job's limit is known, so its end is.
    QVERIFY2(awaitSaid(run, out, "starts about "), out);
    QProcess queue;
    lab.start(queue, {"clusters", "queue", "--hosts", lab.hostsFile()});
    QVERIFY(queue.waitForFinished(slurmMs));
    const QByteArray said = queue.readAllStandardOutput();
    QVERIFY2(said.contains("1st in the queue") && said.contains(" left\n"), said);
    QProcess cancel;
    lab.start(cancel, {"clusters", "cancel", QString::number(other), "--hosts", lab.hostsFile()});
    QVERIFY(cancel.waitForFinished(slurmMs));
    QVERIFY2(cancel.exitCode() == 0, cancel.readAllStandardError());
    QVERIFY2(awaitSaid(run, out, lab.node(2).toUtf8() + " is " + lab.host(2).toUtf8()), out);
    QVERIFY(run.waitForFinished(slurmMs));
    out += run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void noJobStays_data() {
    QTest::addColumn<bool>("inQueue");
    QTest::addColumn<int>("signal");
    QTest::newRow("asked to stop in the queue") << true << SIGTERM;
    QTest::newRow("killed in the queue") << true << SIGKILL;
    QTest::newRow("the guard of salloc killed in the queue") << true << 0;
    QTest::newRow("asked to stop") << false << SIGTERM;
    QTest::newRow("killed") << false << SIGKILL;
  }
  void noJobStays() {
    QFETCH(bool, inQueue);
    QFETCH(int, signal);
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const int other = inQueue ? lab.occupy(2, lab.partition()) : 0;
    QProcess run;
    lab.startRun(run, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, inQueue ? "in the queue" : "running  6 of 6"), out);
    QCOMPARE(lab.jobs().size(), 1);
    if (signal == 0) {
      // Guards of the jobs of other labs look for a minute whether their jobs stay away.
      const auto guards = test::commandsWith(
          "bash -c name=", lab.slurm({"squeue", "--noheader", "--format=%j", "--states=PENDING"}));
      QCOMPARE(guards.size(), 1);
      QVERIFY(::kill(guards.front(), SIGKILL) == 0);
    } else {
      QVERIFY(::kill(static_cast<pid_t>(run.processId()), signal) == 0);
    }
    QVERIFY(run.waitForFinished(slurmMs));
    if (!inQueue && signal == SIGTERM) QCOMPARE(run.exitCode(), 0);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
    if (inQueue) QCOMPARE(lab.jobs(false), QList<int>{other});
  }

  void saysWhatSlurmRefuses_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QStringList>("said");
    QTest::newRow("more nodes than there are")
        << "nodes" << QStringList{"There are no nodes of slurm/", "tutti clusters"};
    QTest::newRow("more time than jobs get")
        << "time" << QStringList{"would never start", "so much time"};
    QTest::newRow("no such partition") << "partition" << QStringList{"has no partition \"none\""};
    QTest::newRow("not a number") << "number" << QStringList{"is not the number of a node"};
    QTest::newRow("no configuration")
        << "configuration" << QStringList{"cannot be read", "\"configuration\""};
    QTest::newRow("no controller") << "controller" << QStringList{"Unable to contact slurm"};
  }
  void saysWhatSlurmRefuses() {
    QFETCH(QString, fault);
    QFETCH(QStringList, said);
    SlurmLab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QString first = lab.node(1);
    QString second = lab.node(1);
    if (fault == "nodes") second = lab.node(2);
    if (fault == "partition") first = "slurm/none/1";
    if (fault == "number") first = "slurm/" + lab.partition() + "/first";
    if (fault == "time") lab.editCluster([](QJsonObject& cluster) { cluster["timeLimit"] = 3000; });
    if (fault == "configuration")
      lab.editCluster(
          [](QJsonObject& cluster) { cluster["configuration"] = "/nowhere/slurm.conf"; });
    if (fault == "controller") {
      QFile pid(lab.folder() + "/slurm/slurmctld.pid");
      QVERIFY(pid.open(QIODevice::ReadOnly));
      QVERIFY(::kill(pid.readAll().trimmed().toInt(), SIGKILL) == 0);
    }
    QProcess run;
    lab.start(run, {"run", lab.sampleAt({{"radar-west", first}, {"radar-east", second}}), "--hosts",
                    lab.hostsFile(), "--duration", "1"});
    QVERIFY(run.waitForFinished(slurmMs));
    const QString errors = QString::fromUtf8(run.readAllStandardError());
    QVERIFY2(run.exitCode() == 2, qPrintable(errors));
    for (const QString& part : std::as_const(said))
      QVERIFY2(errors.contains(part), qPrintable(errors));
    if (fault != "controller")
      QTRY_VERIFY2_WITH_TIMEOUT(lab.left(1).isEmpty(), lab.left(1), slurmMs);
  }

  void aRunStartsNowOrNotAtAll() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    lab.editCluster(
        [](QJsonObject& cluster) { cluster["immediate"] = cluster["exclusive"] = true; });
    const int other = lab.occupy(1, lab.partition());
    QVERIFY(other > 0);
    QProcess refused;
    lab.startRun(refused, {"--duration", "1"});
    QVERIFY(refused.waitForFinished(slurmMs));
    const QByteArray errors = refused.readAllStandardError();
    QCOMPARE(refused.exitCode(), 2);
    QVERIFY2(errors.contains("There are no nodes of " + lab.node(1).chopped(2).toUtf8()), errors);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
    lab.slurm({"scancel", QString::number(other)});
    QTRY_VERIFY_WITH_TIMEOUT(lab.jobs(false).isEmpty(), slurmMs);
    QProcess taken;
    lab.startRun(taken, {"--duration", "3"});
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(2, "/radar ").isEmpty(), slurmMs);
    // Whole nodes: no other job gets a core of them.
    const QByteArray shared = lab.slurm({"squeue", "--noheader", "--format=%j %h"});
    QVERIFY2(shared.contains(" NO"), shared);
    QVERIFY(taken.waitForFinished(slurmMs));
    QVERIFY2(taken.exitCode() == 0, taken.readAllStandardError());
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void figuresOfAStartAndAnAccountAreShown() {
    SlurmLab lab(3);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    lab.editCluster([](QJsonObject& cluster) { cluster["timeLimit"] = 30; });
    const QString file = lab.sampleAt(
        {{"radar-west", lab.node(1)}, {"radar-east", lab.node(2)}, {"detector", lab.node(3)}});
    const auto ask = [&](const QStringList& words) {
      QProcess tutti;
      lab.start(tutti, QStringList{"clusters"} + words + QStringList{"--hosts", lab.hostsFile()});
      tutti.waitForFinished(slurmMs);
      return tutti.readAllStandardOutput() + tutti.readAllStandardError();
    };
    QByteArray said = ask({"account"});
    QVERIFY2(said.contains("slurm keeps no accounts: jobs are not charged."), said);
    auto json = QJsonDocument::fromJson(ask({"account", "--json"})).object();
    QCOMPARE(json["keepsAccounts"], false);
    QVERIFY(json["hoursUsed"].isNull() && json["jobsAtATime"].isNull());
    said = ask({"start", file});
    QVERIFY2(said.contains(": 3 nodes could start now, at most 1.5 node hours"), said);
    // Two of the three nodes are free.
    QVERIFY(lab.occupy(1, lab.partition()) > 0);
    json = QJsonDocument::fromJson(ask({"start", file, "--json"}))
               .object()["jobs"]
               .toArray()
               .at(0)
               .toObject();
    QCOMPARE(json["nodes"].toInt(), 3);
    QVERIFY(json["allowed"].toBool());
    QCOMPARE(json["nodeHoursAtMost"].toDouble(), 1.5);
    QCOMPARE(json["now"].toObject()["nodes"].toInt(), 2);
    QCOMPARE(json["now"].toObject()["minutes"].toInt(), 30);
    said = ask({"start", file});
    QVERIFY2(said.contains("3 nodes could start about ") &&
                 said.contains("2 nodes for 30 min could start now. They end at "),
             said);
    // Nothing was submitted.
    QVERIFY(lab.jobs().isEmpty());
  }

  void aScriptRunsWithoutAConsole() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString composition = lab.sampleAt(
        {{"radar-west", lab.node(1)}, {"radar-east", lab.node(2)}, {"log", lab.node(2)}});
    stopAtLogicalTime(composition, 3);
    const QString script = lab.root() + "/job.sbatch";
    QProcess write;
    lab.start(write, {"clusters", "script", composition, "--hosts", lab.hostsFile(), "-o", script});
    QVERIFY(write.waitForFinished(slurmMs));
    QVERIFY2(write.exitCode() == 0, write.readAllStandardError());
    const QString log = lab.root() + "/air.log";
    const QByteArray job = lab.slurm({"sbatch", "--parsable", "--output=" + log, script});
    QVERIFY(job.toInt() > 0);
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(2, "/radar ").isEmpty(), slurmMs);
    const auto state = [&] {
      return lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T", "--jobs=" + job});
    };
    QTRY_VERIFY_WITH_TIMEOUT(
        state() != "PENDING" && state() != "RUNNING" && state() != "COMPLETING", slurmMs);
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray out = file.readAll();
    QVERIFY2(state() == "COMPLETED", out);
    QVERIFY2(out.contains(lab.node(2).toUtf8() + " is " + lab.host(2).toUtf8()), out);
    QVERIFY2(out.contains("all federates have reached logical time 3"), out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void placesAtLaunchOnNodesOfAJob_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("nodes of a partition") << "partition";
    QTest::newRow("inside of a job") << "job";
    QTest::newRow("by the script for sbatch") << "script";
  }
  void placesAtLaunchOnNodesOfAJob() {
    QFETCH(QString, how);
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString composition = lab.sampleToPlace(0.25);
    stopAtLogicalTime(composition, 3);
    QStringList run{"run", composition, "--hosts", lab.hostsFile(), "--place"};
    QByteArray out;
    if (how != "partition") {
      const QString script = lab.root() + "/place.sh";
      const QString log = lab.root() + "/place.log";
      QStringList sbatch{"sbatch", "--parsable", "--output=" + log};
      if (how == "script") {
        QProcess write;
        lab.start(write, {"clusters", "script", composition, "--hosts", lab.hostsFile(), "--place",
                          "--partition", "slurm/" + lab.partition(), "-o", script});
        QVERIFY(write.waitForFinished(slurmMs));
        QVERIFY2(write.exitCode() == 0, write.readAllStandardError());
      } else {
        QFile file(script);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\nexec '" TUTTI_BINARY_DIR "/bin/tutti' " + run.join(u' ').toUtf8() +
                   '\n');
        file.close();
        sbatch << "--nodes=2"
               << "--cpus-per-task=2"
               << "--partition=" + lab.partition();
      }
      const QByteArray job = lab.slurm(sbatch + QStringList{script});
      QVERIFY(job.toInt() > 0);
      const auto state = [&] {
        return lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T", "--jobs=" + job});
      };
      QTRY_VERIFY_WITH_TIMEOUT(
          state() != "PENDING" && state() != "RUNNING" && state() != "COMPLETING", slurmMs);
      QFile written(log);
      QVERIFY(written.open(QIODevice::ReadOnly));
      out = written.readAll();
      QVERIFY2(state() == "COMPLETED", out);
    } else {
      QProcess process;
      lab.start(process, run + QStringList{"--partition", "slurm/" + lab.partition()});
      QVERIFY(process.waitForFinished(slurmMs));
      out = process.readAllStandardOutput();
      QVERIFY2(process.exitCode() == 0, out + process.readAllStandardError());
    }
    // Two nodes, because the radars are to be kept apart.
    QVERIFY2(out.contains("6 federates on 2 hosts, 0 refused; "), out);
    QVERIFY2(out.contains(lab.node(2).toUtf8() + " is " + lab.host(2).toUtf8()), out);
    QVERIFY2(out.contains("all federates have reached logical time 3"), out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  /// What `tutti plan -o` writes for nodes of a cluster: a job of its own, and no script that would
  /// reach them by ssh.
  void aPlanFolderRunsAsAJobAndByLaunch() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString composition =
        lab.sampleAt({{"radar-west", lab.node(1)}, {"radar-east", lab.node(2)}});
    stopAtLogicalTime(composition, 3);
    const QString folder = lab.root() + "/plans";
    QProcess plan;
    lab.start(plan, {"plan", composition, "--hosts", lab.hostsFile(), "-o", folder});
    QVERIFY(plan.waitForFinished(slurmMs));
    QVERIFY2(plan.exitCode() == 0, plan.readAllStandardOutput() + plan.readAllStandardError());

    QProcess script;
    script.start("sh", {folder + "/run.sh"});
    QVERIFY(script.waitForFinished(slurmMs));
    QCOMPARE(script.exitCode(), 2);
    const QByteArray why = script.readAllStandardError();
    QVERIFY2(why.contains("Slurm job") && why.contains("sbatch job.sbatch"), why);

    const QString log = lab.root() + "/job.log";
    const QByteArray job = lab.slurm(
        {"sbatch", "--parsable", "--chdir=" + folder, "--output=" + log, folder + "/job.sbatch"});
    QVERIFY(job.toInt() > 0);
    const auto state = [&] {
      return lab.slurm({"squeue", "--noheader", "--states=all", "--format=%T", "--jobs=" + job});
    };
    QTRY_VERIFY_WITH_TIMEOUT(
        state() != "PENDING" && state() != "RUNNING" && state() != "COMPLETING", slurmMs);
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray out = file.readAll();
    QVERIFY2(state() == "COMPLETED", out);
    QVERIFY2(out.contains(lab.node(2).toUtf8() + " is " + lab.host(2).toUtf8()), out);
    QVERIFY2(out.contains("all federates have reached logical time 3"), out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);

    QProcess launch;
    lab.start(launch, {"launch", folder});
    QVERIFY(launch.waitForFinished(slurmMs));
    out = launch.readAllStandardOutput() + launch.readAllStandardError();
    QVERIFY2(launch.exitCode() == 0, out);
    QVERIFY2(out.contains(lab.node(2).toUtf8() + " is " + lab.host(2).toUtf8()), out);
    QTRY_VERIFY2_WITH_TIMEOUT(lab.left(2).isEmpty(), lab.left(2), slurmMs);
  }

  void clustersAreShown() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QVERIFY(lab.occupy(1, lab.partition()) > 0);
    QProcess clusters;
    lab.start(clusters, {"clusters", "--hosts", lab.hostsFile(), "--json"});
    QVERIFY(clusters.waitForFinished(slurmMs));
    const QByteArray out = clusters.readAllStandardOutput();
    QVERIFY2(clusters.exitCode() == 0, out + clusters.readAllStandardError());
    const auto cluster =
        QJsonDocument::fromJson(out).object()["clusters"].toArray().at(0).toObject();
    QCOMPARE(cluster["name"].toString(), "slurm");
    const auto partitions = cluster["partitions"].toArray();
    QCOMPARE(partitions.size(), 2);
    QStringList states;
    for (const auto& node : partitions.at(0).toObject()["nodes"].toArray())
      states << node.toObject()["name"].toString() + ' ' + node.toObject()["state"].toString();
    QCOMPARE(states, (QStringList{lab.host(1) + " allocated", lab.host(2) + " idle"}));
  }

 private:
  static void stopAtLogicalTime(const QString& composition, double time) {
    QFile file(composition);
    if (!file.open(QIODevice::ReadOnly)) qFatal("the composition cannot be read");
    auto document = QJsonDocument::fromJson(file.readAll()).object();
    document["stop"] = QJsonObject{{"logicalTime", time}};
    file.close();
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("it cannot be written");
    file.write(QJsonDocument(document).toJson());
  }
};

QTEST_GUILESS_MAIN(TestSlurm)
#include "tst_slurm.moc"
