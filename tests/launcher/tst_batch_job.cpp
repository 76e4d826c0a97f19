// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as batch jobs: what is written, submitted, found again and ended. sbatch, squeue, scancel,
// id and ssh are scripts here.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "launcher/engine/batch_queue.h"
#include "launcher/engine/plan_folder.h"

using namespace tutti::launcher;

namespace {

LaunchPlan planOf(int nodes, const QString& destination = {}) {
  LaunchPlan plan;
  plan.run = "r1";
  plan.federation = "air traffic";
  plan.composition = "/sims/air.federation.json";
  plan.node = "run-r1";
  plan.nodeProcess = "tutti-rti";
  plan.folder = "/nowhere/r1";
  plan.plan.run = "r1";
  PlannedProcess node;
  node.id = "tutti-rti";
  node.command = {"/bin/true", "--shm", "run-r1"};
  plan.plan.processes = {node};
  for (int number = 1; number <= nodes; ++number) {
    PlannedHost host;
    host.host.name = QStringLiteral("hpc/sim/%1").arg(number);
    host.host.destination = destination;
    host.host.jobNode = JobNode{"hpc", "sim", number, {}, {}, {}, 30, 0, {}};
    host.node = QStringLiteral("run-r1.hpc-sim-%1").arg(number);
    host.nodeProcess = host.node;
    PlannedProcess its = node;
    its.id = host.node.toStdString();
    its.command.back() = its.id;
    plan.plan.processes.push_back(its);
    plan.hosts.push_back(host);
  }
  return plan;
}

BatchRequest requestOf(int nodes = 2, const QString& destination = {}) {
  BatchRequest request;
  request.plan = planOf(nodes, destination);
  request.tutti = "/bin/sh";
  return request;
}

Cluster hpc() {
  Cluster cluster;
  cluster.name = "hpc";
  return cluster;
}

QByteArray jobJson(int id, const QByteArray& state, const QByteArray& name = "tutti-air",
                   const QByteArray& user = "me", const QByteArray& more = {}) {
  return "{\"job_id\":" + QByteArray::number(id) + ",\"job_state\":\"" + state + "\",\"name\":\"" +
         name + "\",\"user_name\":\"" + user +
         "\",\"partition\":\"sim\",\"batch_flag\":true,\"nodes\":\"n[1-2]\",\"batch_host\":\"n1\"" +
         (more.isEmpty() ? "" : "," + more) + "}";
}

QByteArray after(int id) {
  return "\"dependency\":\"afternotok:" + QByteArray::number(id) + "(unfulfilled)\"";
}

}  // namespace

class TestBatchJob : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    root_ = std::make_unique<QTemporaryDir>();
    QVERIFY(root_->isValid());
    if (path_.isEmpty()) path_ = qgetenv("PATH");
    QVERIFY(QDir(root_->path()).mkdir("bin"));
    qputenv("PATH", root_->filePath("bin").toUtf8() + ':' + path_);
    qputenv("XDG_STATE_HOME", root_->filePath("state").toUtf8());
    program("id", "echo me");
    program("scancel", "echo \"$*\" >> cancelled");
    queue({});
  }
  void cleanup() { qputenv("PATH", path_); }

  void theScriptNeedsNothingOfWhoSubmits() {
    const auto files = filesOfBatchJob(requestOf(), "/home/me/my 100% jobs");
    QVERIFY2(files, qPrintable(files ? QString() : files.error().message()));
    const QByteArray script = files->at("job.sbatch");
    for (const QByteArray& line :
         {QByteArray("#SBATCH --job-name=tutti-air-traffic"), QByteArray("#SBATCH --nodes=2"),
          QByteArray("#SBATCH --chdir=\"/home/me/my 100% jobs\""),
          QByteArray("#SBATCH --output=\"/home/me/my 100%% jobs/air-traffic-%j.log\""),
          QByteArray("#SBATCH --no-requeue"),
          QByteArray("export TUTTI_JOB_SCRIPT='/home/me/my 100% jobs/job.sbatch'"),
          "export XDG_STATE_HOME=" + root_->filePath("state").toUtf8(),
          QByteArray("echo \"$SLURM_JOB_ID\" >> '/home/me/my 100% jobs/jobs'"),
          QByteArray("exec /bin/sh run '/home/me/my 100% jobs/launch.json' "
                     "${1:+--restore \"$1\"}")})
      QVERIFY2(script.contains('\n' + line + '\n'), script + "\nlacks " + line);
    // The plan is as it was then, and of no run yet.
    const auto plan = LaunchPlan::fromBytes(files->at("launch.json"));
    QVERIFY(plan);
    QCOMPARE(plan->run, QString(runOfFiles));
    QCOMPARE(plan->hosts.size(), std::size_t(2));
    QVERIFY(files->contains("connections.json") && !files->contains("run.sh"));
    QVERIFY(!filesOfBatchJob(requestOf(0), "/home/me"));
    QVERIFY(!filesOfBatchJob(requestOf(), "/home/\"me"));
  }

  void aJobIsFoundByItsNumber() {
    program("sbatch", "echo \"$*\" > submitted; echo '12;hpc'");
    auto request = requestOf();
    request.restore = "noon";
    const auto job = submitBatchJob(request);
    QVERIFY2(job, qPrintable(job ? QString() : job.error().message()));
    QCOMPARE(job->jobs, QList<qint64>{12});
    QCOMPARE(job->federation, "air traffic");
    QCOMPARE(job->composition, "/sims/air.federation.json");
    QCOMPARE(content("bin/submitted"), "--parsable " + job->script().toUtf8() + " noon\n");
    QVERIFY(job->folder.startsWith(jobsFolder()));
    // The script of a job that continues it adds its number.
    append(job->folder + "/jobs", "12\n15\n");
    const auto found = submittedJob(15);
    QVERIFY(found);
    QCOMPARE(found->folder, job->folder);
    QCOMPARE(found->jobs, (QList<qint64>{12, 15}));
    QCOMPARE(found->cluster.name, "hpc");
    QVERIFY(!submittedJob(15, "other") && !submittedJob(13));
    // A folder that a person has named is found too, and used once.
    request.folder = root_->filePath("mine");
    program("sbatch", "echo 20");
    QVERIFY(submitBatchJob(request));
    QCOMPARE(submittedJob(20)->folder, request.folder);
    const auto again = submitBatchJob(request);
    QVERIFY(!again);
    QVERIFY2(again.error().message().contains("submitted before"),
             qPrintable(again.error().message()));
    QVERIFY(QFileInfo::exists(request.folder + "/job.sbatch"));
  }

  void whatIsRefusedLeavesNothing_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("said");
    QTest::newRow("partition") << QByteArray(
                                      "echo 'sbatch: error: invalid partition specified: sim' >&2; "
                                      "echo 'sbatch: error: Batch job submission failed: Invalid "
                                      "partition name specified' >&2; exit 1")
                               << "Slurm on hpc does not take the job: Batch job submission "
                                  "failed: Invalid partition name specified. tutti clusters says";
    QTest::newRow("no controller")
        << QByteArray(
               "echo 'sbatch: error: Batch job submission failed: Unable to contact slurm "
               "controller (connect failure)' >&2; exit 1")
        << "scontrol ping";
  }
  void whatIsRefusedLeavesNothing() {
    QFETCH(QByteArray, script);
    QFETCH(QString, said);
    program("sbatch", script);
    const auto job = submitBatchJob(requestOf());
    QVERIFY(!job);
    QVERIFY2(job.error().message().contains(said), qPrintable(job.error().message()));
    QVERIFY(QDir(jobsFolder()).isEmpty());
    QVERIFY(submittedJobs().empty());
  }

  void whatMayBeQueuedKeepsItsFolder_data() {
    QTest::addColumn<QByteArray>("script");
    QTest::addColumn<QString>("said");
    QTest::newRow("no number") << QByteArray("echo Submitted") << "exit code 0 and no number";
    QTest::newRow("timed out")
        << QByteArray(
               "echo 'sbatch: error: Batch job submission failed: Socket timed out on send/recv "
               "operation' >&2; exit 1")
        << "Socket timed out";
    QTest::newRow("killed") << QByteArray("kill -9 $$") << "sbatch";
  }
  /// The job would begin in it.
  void whatMayBeQueuedKeepsItsFolder() {
    QFETCH(QByteArray, script);
    QFETCH(QString, said);
    program("sbatch", script);
    const auto job = submitBatchJob(requestOf());
    QVERIFY2(job, qPrintable(job ? QString() : job.error().message()));
    QVERIFY(job->jobs.isEmpty());
    QVERIFY2(job->doubt.contains("It is not known whether Slurm on hpc has taken the job") &&
                 job->doubt.contains(said) && job->doubt.contains("squeue --me") &&
                 job->doubt.contains(job->folder),
             qPrintable(job->doubt));
    QVERIFY(QFileInfo::exists(job->script()));
    QVERIFY(submittedJobs().empty());
    // Its script adds the number once it starts.
    append(job->folder + "/jobs", "31\n");
    QCOMPARE(submittedJob(31)->folder, job->folder);
  }

  /// The number that Slurm has told is not read back.
  void aNumberThatIsNotNotedIsTold() {
    auto request = requestOf();
    request.folder = root_->filePath("mine");
    program("sbatch", "mkdir ../mine/jobs; echo 12");
    const auto job = submitBatchJob(request);
    QVERIFY2(job, qPrintable(job ? QString() : job.error().message()));
    QCOMPARE(job->jobs, QList<qint64>{12});
    QVERIFY2(job->doubt.contains("mine/jobs cannot be written"), qPrintable(job->doubt));
  }

  /// Nothing is copied: what the login host lacks is said.
  void aLoginHostNeedsTheFiles() {
    program("sbatch", "echo 7");
    program("ssh", "for last; do :; done; exec sh -c \"$last\"");
    const auto job = submitBatchJob(requestOf(2, "login"));
    QVERIFY2(job, qPrintable(job ? QString() : job.error().message()));
    QCOMPARE(job->jobs, QList<qint64>{7});
    QCOMPARE(job->cluster.destination, "login");
    auto request = requestOf(2, "login");
    request.plan.fomModules << "/no/such/module.xml";
    const auto refused = submitBatchJob(request);
    QVERIFY(!refused);
    const QString why = refused.error().message();
    QVERIFY2(why.contains("login host login of hpc lacks 1 of the 4 files") &&
                 why.contains("/no/such/module.xml") && why.contains("Log in there"),
             qPrintable(why));
    QCOMPARE(submittedJobs().size(), std::size_t(1));
  }

  void aRunIsAskedToEndBeforeItIsEnded() {
    program("sbatch", "echo 7");
    const auto job = submitBatchJob(requestOf());
    QVERIFY(job);
    const QByteArray script = "\"command\":\"" + job->script().toUtf8() + "\"";
    queue({jobJson(7, "RUNNING", "tutti-air", "me", script),
           jobJson(9, "PENDING", "tutti-air", "me", script + ',' + after(7)),
           jobJson(10, "PENDING")});
    QCOMPARE(stopBatchJob(7, hpc(), false).value().result, StopResult::Asked);
    // What would continue it is taken out of the queue first, and nothing else.
    QCOMPARE(content("bin/cancelled"), QByteArray("9\n--signal=TERM --batch 7\n"));
    QFile::remove(root_->filePath("bin/cancelled"));
    queue({jobJson(7, "RUNNING", "tutti-air", "me", script)});
    QCOMPARE(stopBatchJob(7, hpc(), false).value().result, StopResult::Cancelled);
    QCOMPARE(content("bin/cancelled"), QByteArray("7\n"));
    queue({jobJson(8, "RUNNING")});
    QCOMPARE(stopBatchJob(8, hpc(), true).value().result, StopResult::Cancelled);
    queue({jobJson(8, "PENDING")});
    QCOMPARE(stopBatchJob(8, hpc(), false).value().result, StopResult::Cancelled);
    queue({jobJson(8, "COMPLETED")});
    QCOMPARE(stopBatchJob(8, hpc(), false).value().result, StopResult::WasOver);
    QCOMPARE(content("bin/cancelled"), QByteArray("7\n8\n8\n"));
  }

  void otherJobsAreLeftAlone_data() {
    QTest::addColumn<QByteArray>("job");
    QTest::addColumn<QString>("said");
    QTest::newRow("unknown") << jobJson(6, "RUNNING") << "hpc knows no job 5.";
    QTest::newRow("another's") << jobJson(5, "RUNNING", "tutti-air", "you")
                               << "The job 5 of hpc is of you, not of me.";
    QTest::newRow("not Tutti's") << jobJson(5, "RUNNING", "solver")
                                 << "The job 5 of hpc, solver, is no run of Tutti.";
    QTest::newRow("of a console") << jobJson(5, "RUNNING").replace("true", "false")
                                  << "holds nodes for a run whose console is elsewhere";
  }
  void otherJobsAreLeftAlone() {
    QFETCH(QByteArray, job);
    QFETCH(QString, said);
    queue({job});
    const auto stopped = stopBatchJob(5, hpc(), true);
    QVERIFY(!stopped);
    QVERIFY2(stopped.error().message().contains(said), qPrintable(stopped.error().message()));
    QVERIFY(!stopped.error().next.isEmpty());
    QVERIFY(!QFile::exists(root_->filePath("bin/cancelled")));
    const auto asked = askJobs(hpc());
    QVERIFY(asked);
    // Of those that have other numbers only one's own scripts are listed.
    QCOMPARE(listedJobs(hpc(), *asked).size(), std::size_t(said.contains("knows no") ? 1 : 0));
  }

  /// A person has submitted one script twice.
  void twoJobsOfOneScriptAreNoContinuation() {
    const QByteArray script = "\"command\":\"/home/me/air.sh\"";
    const auto two = [&](const QByteArray& state) {
      return QList{jobJson(100, state, "tutti-air", "me", script),
                   jobJson(101, "PENDING", "tutti-air", "me", script).replace("n[1-2]", ""),
                   jobJson(102, "RUNNING", "tutti-air", "me", script)};
    };
    for (const char* state : {"RUNNING", "TIMEOUT"}) {
      queue(two(state));
      const auto asked = askJobs(hpc());
      QVERIFY(asked);
      QVERIFY(!asked->following(100, {}));
    }
    queue(two("RUNNING"));
    QCOMPARE(stopBatchJob(100, hpc(), true).value().result, StopResult::Cancelled);
    QCOMPARE(content("bin/cancelled"), QByteArray("100\n"));
  }

  /// Its run has submitted slurmd's copy of the script.
  void aContinuationByHandIsKnownByWhatItWaitsFor() {
    const auto of = [](const QByteArray& script) { return "\"command\":\"" + script + "\""; };
    const QByteArray copy = of("/var/spool/slurmd/job00100/slurm_script noon");
    const QByteArray last = of("/var/spool/slurmd/job00103/slurm_script two");
    const auto first = [&](const QByteArray& state) {
      return jobJson(100, state, "tutti-air", "me", of("/home/me/air.sh"));
    };
    queue({first("RUNNING"), jobJson(103, "PENDING", "tutti-air", "me", copy + ',' + after(100)),
           jobJson(104, "PENDING", "tutti-air", "me", last + ',' + after(103)),
           jobJson(105, "PENDING", "tutti-other", "me", copy + ',' + after(100))});
    const auto asked = askJobs(hpc());
    QVERIFY(asked);
    QVERIFY(asked->following(100, {}));
    QCOMPARE(asked->following(100, {})->id, 104);
    QCOMPARE(stopBatchJob(100, hpc(), false).value().result, StopResult::Asked);
    QCOMPARE(content("bin/cancelled"), QByteArray("103\n104\n--signal=TERM --batch 100\n"));
    // Once it is over Slurm says no more that the other one waited for it.
    queue({first("TIMEOUT"), jobJson(103, "RUNNING", "tutti-air", "me", copy)});
    const auto later = askJobs(hpc());
    QVERIFY(later);
    QVERIFY(!later->following(100, {}));
    QVERIFY(later->following(100, {}, {103}));
    QCOMPARE(later->following(100, {}, {103})->id, 103);
  }

  /// Its run has marked it: Slurm has dropped the dependency, and nobody has seen it.
  void aContinuationByHandIsKnownByItsComment() {
    const auto marked = [](const QByteArray& text) { return "\"comment\":\"" + text + "\""; };
    const QByteArray next =
        jobJson(104, "RUNNING", "tutti-air", "me", marked("of the chair tutti-continues=103+100"));
    const QList<QByteArray> others{
        jobJson(105, "RUNNING", "tutti-air", "you", marked("tutti-continues=100")),
        jobJson(106, "RUNNING", "other", "me", marked("tutti-continues=100")),
        jobJson(107, "RUNNING", "tutti-air", "me", marked("tutti-continues=1000+x+100"))};
    // Slurm knows the first one still, or no longer.
    for (const auto& before : {QList{jobJson(100, "TIMEOUT")}, QList<QByteArray>()}) {
      queue(before + others + QList{next});
      QFile::remove(root_->filePath("bin/cancelled"));
      const auto asked = askJobs(hpc());
      QVERIFY(asked);
      for (const int job : {100, 103}) {
        QVERIFY(asked->following(job, {}));
        QCOMPARE(asked->following(job, {})->id, 104);
      }
      QVERIFY(!asked->following(104, {}));
      const auto done = stopBatchJob(100, hpc(), true);
      QVERIFY2(done, qPrintable(done ? QString() : done.error().message()));
      QCOMPARE(done->job, 104);
      QCOMPARE(content("bin/cancelled"), QByteArray("104\n"));
    }
  }

  void whoMarksAJobKeepsItsComment() {
    QCOMPARE(commentOfContinuation({}, 7), "tutti-continues=7");
    QCOMPARE(commentOfContinuation("of the chair", 7), "of the chair tutti-continues=7");
    QCOMPARE(commentOfContinuation("of the chair tutti-continues=7", 9),
             "of the chair tutti-continues=9+7");
    QString many;
    for (int job = 1; job <= 100; ++job) many = commentOfContinuation(many, job);
    QCOMPARE(continuedJobs(many).size(), 20);
    QCOMPARE(continuedJobs(many).front(), 100);
    QCOMPARE(continuedJobs("tutti-continues=-1 xtutti-continues=3 tutti-continues=4+4+y+5"),
             QList<qint64>{4});
  }

  void theJobThatContinuesIsKnownByItsSubmission() {
    const auto of = [](const QByteArray& script) { return "\"command\":\"" + script + "\""; };
    BatchJob own;
    own.folder = "/j";
    own.jobs = {7};
    queue({jobJson(7, "TIMEOUT", "tutti-air", "me", of("/j/job.sbatch")),
           jobJson(8, "RUNNING", "tutti-air", "me", of("/other/job.sbatch")),
           jobJson(9, "PENDING", "tutti-air", "you", of("/j/job.sbatch")),
           jobJson(11, "PENDING", "tutti-air", "me", of("/j/job.sbatch noon")),
           jobJson(12, "CANCELLED", "tutti-air", "me", of("/j/job.sbatch")).replace("n[1-2]", "")});
    const auto asked = askJobs(hpc());
    QVERIFY(asked);
    QVERIFY(asked->following(7, own));
    QCOMPARE(asked->following(7, own)->id, 11);
    QVERIFY(!asked->following(11, own));
    QVERIFY(!asked->following(7, {}));
  }

  /// The run goes on in another job, which is meant.
  void theJobThatContinuesIsStopped() {
    program("sbatch", "echo 7");
    const auto job = submitBatchJob(requestOf());
    QVERIFY(job);
    const QByteArray script = "\"command\":\"" + job->script().toUtf8() + " noon\"";
    const QByteArray next = jobJson(9, "RUNNING", "tutti-air", "me", script);
    // Slurm knows the first one still, or no longer.
    for (const auto& all : {QList{jobJson(7, "TIMEOUT"), next}, QList{next}}) {
      queue(all);
      QFile::remove(root_->filePath("bin/cancelled"));
      const auto done = stopBatchJob(7, hpc(), true);
      QVERIFY2(done, qPrintable(done ? QString() : done.error().message()));
      QCOMPARE(done->result, StopResult::Cancelled);
      QCOMPARE(done->job, 9);
      QCOMPARE(content("bin/cancelled"), QByteArray("9\n"));
      const auto asked = askJobs(hpc());
      QVERIFY(asked && !asked->isOver(*job));
    }
  }

  /// The run has submitted another job while it was cancelled.
  void aLateContinuationIsCancelledToo() {
    program("sbatch", "echo 7");
    const auto job = submitBatchJob(requestOf());
    QVERIFY(job);
    const QByteArray script = "\"command\":\"" + job->script().toUtf8() + "\"";
    const auto answer = [](const QList<QByteArray>& jobs) {
      return "echo '{\"jobs\":[" + jobs.join(',') + "]}'";
    };
    program("squeue", "if [ -e cancelled ]; then " +
                          answer({jobJson(7, "CANCELLED", "tutti-air", "me", script),
                                  jobJson(9, "PENDING", "tutti-air", "me", script)}) +
                          "; else " + answer({jobJson(7, "RUNNING", "tutti-air", "me", script)}) +
                          "; fi");
    QCOMPARE(stopBatchJob(7, hpc(), true).value().result, StopResult::Cancelled);
    QCOMPARE(content("bin/cancelled"), QByteArray("7\n9\n"));
  }

  /// Numbers and names of clusters repeat.
  void anotherClusterKnowsNothingOfASubmission() {
    program("sbatch", "echo 7");
    const auto job = submitBatchJob(requestOf());
    QVERIFY(job);
    QVERIFY(submittedJob(7, hpc()));
    Cluster other = hpc();
    other.destination = "login";
    QVERIFY(!submittedJob(7, other));
    other = hpc();
    other.configuration = "/etc/other/slurm.conf";
    QVERIFY(!submittedJob(7, other));
    // A queue without any of its jobs proves nothing until Slurm has had the time to forget them.
    queue({});
    QVERIFY(askJobs(hpc()).value().jobs.empty());
    QVERIFY(!askJobs(hpc())->isOver(*job));
    QVERIFY(ownBatchJobs().jobs.empty());
    QVERIFY(!submittedJob(7)->over);
    queue({jobJson(7, "COMPLETED")});
    QVERIFY(askJobs(hpc())->isOver(*job));
    QVERIFY(ownBatchJobs().errors.empty());
    QVERIFY(submittedJob(7)->over);
  }

  void whatSlurmTellsOfAScriptIsRead() {
    const QByteArray more =
        "\"standard_output\":\"%x-%j 100%%.log\",\"current_working_directory\":\"/home/me\","
        "\"command\":\"/j/job.sbatch\"";
    const auto jobs = jobsOfSqueue(
        "{\"jobs\":[" + jobJson(5, "FAILED", "tutti-air", "me", more + ",\"exit_code\":256") + ',' +
        jobJson(6, "FAILED", "tutti-air", "me",
                "\"standard_output\":\"/tmp/%N\",\"exit_code\":{\"status\":[\"ERROR\"],"
                "\"return_code\":{\"set\":true,\"infinite\":false,\"number\":2},"
                "\"signal\":{\"id\":{\"set\":false,\"number\":0},\"name\":\"\"}}") +
        ',' + jobJson(7, "FAILED", "tutti-air", "me", "\"exit_code\":15") + "]}");
    QVERIFY(jobs);
    QCOMPARE((*jobs)[0].output, "/home/me/tutti-air-5 100%.log");
    QCOMPARE((*jobs)[0].firstNode, "n1");
    QCOMPARE(endText((*jobs)[0]), "has ended with exit code 1");
    QCOMPARE((*jobs)[1].output, "");
    QCOMPARE(endText((*jobs)[1]), "has ended with exit code 2");
    QCOMPARE(endText((*jobs)[2]), "was ended by a signal");
  }

 private:
  void program(const QString& name, const QByteArray& text) const {
    QFile file(root_->filePath("bin/" + name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\ncd " + root_->filePath("bin").toUtf8() + "\n" + text + "\n");
    file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
  }
  void queue(const QList<QByteArray>& jobs) const {
    program("squeue", "cat <<'END'\n{\"jobs\":[" + jobs.join(',') + "]}\nEND");
  }
  QByteArray content(const QString& name) const {
    QFile file(root_->filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  static void append(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::Append));
    file.write(text);
  }

  std::unique_ptr<QTemporaryDir> root_;
  QByteArray path_;
};

QTEST_GUILESS_MAIN(TestBatchJob)
#include "tst_batch_job.moc"
