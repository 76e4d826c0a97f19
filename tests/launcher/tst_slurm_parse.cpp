// SPDX-License-Identifier: GPL-3.0-or-later
// What Slurm's answers are taken for, of 22.05 as it gave them and of later versions as they are
// documented, and how commands get to the nodes of a job.
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "composer/model/json_source.h"
#include "launcher/engine/hosts_import.h"
#include "launcher/engine/slurm.h"
#include "launcher/engine/slurm_allocation.h"
#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/slurm_replace.h"
#include "launcher/engine/slurm_script.h"
#include "launcher/engine/slurm_step.h"

using namespace tutti::launcher;

namespace {

std::vector<SlurmJob> recorded() {
  QFile file(QStringLiteral(TUTTI_SOURCE_DIR "/tests/launcher/squeue-22.05.json"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("squeue-22.05.json cannot be read");
  const auto jobs = jobsOfSqueue(file.readAll());
  if (!jobs) qFatal("%s", qPrintable(jobs.error().message()));
  return *jobs;
}

const SlurmJob& called(const std::vector<SlurmJob>& jobs, const QString& name) {
  for (const SlurmJob& each : jobs) {
    if (each.name == name) return each;
  }
  qFatal("no job %s", qPrintable(name));
}

Host jobHost(const QString& destination = {}) {
  Host host;
  host.name = "hpc/sim/2";
  host.destination = destination;
  host.jobNode = JobNode{"hpc", "sim", 2, {}, {}, {}, 0, 12, "n7"};
  return host;
}

}  // namespace

class TestSlurmParse : public QObject {
  Q_OBJECT

 private slots:
  void jobsAreRead() {
    const auto jobs = recorded();
    const SlurmJob& running = called(jobs, "running");
    QVERIFY(running.runs() && !running.waits());
    QCOMPARE(running.nodes, (QStringList{"lab1", "lab2"}));
    QCOMPARE(running.timeLimit, 30);
    QCOMPARE(running.user, "root");
    QCOMPARE(running.timeLeft(running.end.addSecs(-90)), 90.0);
    QCOMPARE(running.timeLeft(running.end.addSecs(90)), 0.0);
    const SlurmJob& waiting = called(jobs, "waiting");
    QVERIFY(waiting.waits());
    QCOMPARE(waiting.reason, "Resources");
    QCOMPARE(waiting.nodeCount, 3);
    // When the job that has the nodes is over at the latest.
    QCOMPARE(waiting.start, running.end);
    QVERIFY(std::isnan(waiting.timeLeft(waiting.start)));
    QVERIFY(!called(jobs, "never").start.isValid());
    QCOMPARE(called(jobs, "gone").state, "CANCELLED");
  }

  void theQueueIsInOrder() {
    const auto jobs = recorded();
    QStringList names;
    for (const SlurmJob& each : queueOf(jobs, "lab")) names << each.name;
    QCOMPARE(names, (QStringList{"waiting", "never", "second"}));
    QVERIFY(queueOf(jobs, "other").empty());
  }

  void waitingIsSaid() {
    const auto jobs = recorded();
    const SlurmJob& second = called(jobs, "second");
    const QDateTime now = second.start.addSecs(-60);
    const bool today = second.start.date() == now.date();
    QCOMPARE(waitText(second, jobs, now),
             QStringLiteral("3rd in the queue, starts about %1 (Priority)")
                 .arg(second.start.toString(today ? "HH:mm" : "yyyy-MM-dd HH:mm")));
    // An estimate that has passed says nothing.
    QCOMPARE(waitText(second, jobs, second.start.addSecs(60)), "3rd in the queue (Priority)");
    const SlurmJob& never = called(jobs, "never");
    QCOMPARE(waitText(never, jobs, now), "2nd in the queue (PartitionNodeLimit)");
    QVERIFY(!neverStarts(never.reason).isEmpty());
    QVERIFY(neverStarts("Resources").isEmpty() && neverStarts("Priority").isEmpty());
  }

  void laterVersionsAreRead() {
    const auto jobs = jobsOfSqueue(R"({"jobs":[
      {"job_id":7,"name":"a","user_name":"me","partition":"sim,long","job_state":["PENDING"],
       "state_reason":"Priority","nodes":"","node_count":{"set":true,"infinite":false,"number":2},
       "time_limit":{"set":true,"infinite":false,"number":90},
       "priority":{"set":true,"infinite":false,"number":5},
       "start_time":{"set":false,"infinite":false,"number":0},"submit_time":{"set":true,"number":1700000000}},
      {"job_id":8,"job_state":["RUNNING"],"nodes":"n[08-10]","partition":"long",
       "time_limit":{"set":true,"infinite":true,"number":0},
       "end_time":{"set":true,"infinite":false,"number":1700003600}}],"errors":[]})");
    QVERIFY2(jobs, qPrintable(jobs ? QString{} : jobs.error().message()));
    QCOMPARE(jobs->at(0).nodeCount, 2);
    QCOMPARE(jobs->at(0).timeLimit, 90);
    QVERIFY(!jobs->at(0).start.isValid());
    QCOMPARE(queueOf(*jobs, "long").size(), 1U);
    QCOMPARE(jobs->at(1).nodes, (QStringList{"n08", "n09", "n10"}));
    QVERIFY(std::isnan(jobs->at(1).timeLeft(QDateTime::fromSecsSinceEpoch(1700000000))));

    const auto cluster = clusterOfSinfo(R"({"sinfo":[
      {"node":{"state":["IDLE"]},"nodes":{"total":2,"nodes":["n1","n2"]},"cpus":{"minimum":8,"maximum":8},
       "memory":{"minimum":1000,"maximum":1000},"features":{"total":"gpu,avx2"},"partition":{"name":"sim"}},
      {"node":{"state":["DOWN","DRAIN"]},"nodes":{"nodes":["n3"]},"cpus":{"minimum":4},
       "memory":{"minimum":500},"features":{"total":""},"partition":{"name":"sim"}}],"errors":[]})",
                                        "sim|up|1:00:00\n");
    QVERIFY2(cluster, qPrintable(cluster ? QString{} : cluster.error().message()));
    QCOMPARE(cluster->partitions.size(), 1U);
    const Partition& sim = cluster->partitions.front();
    QCOMPARE(sim.timeLimit, 60);
    QStringList nodes;
    for (const ClusterNode& node : sim.nodes)
      nodes << QStringLiteral("%1 %2 %3 %4")
                   .arg(node.name, node.state)
                   .arg(node.cores)
                   .arg(node.labels.join(','));
    QCOMPARE(nodes, (QStringList{"n1 idle 8 avx2,gpu", "n2 idle 8 avx2,gpu", "n3 down+drain 4 "}));
  }

  void whatIsNoAnswerIsRefused_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("said");
    QTest::newRow("empty") << QByteArray() << "squeue --json";
    QTest::newRow("text") << QByteArray("slurm_load_jobs error") << "squeue --json";
    QTest::newRow("no jobs") << QByteArray("{}") << "no list \"jobs\"";
    QTest::newRow("a job that is none") << QByteArray(R"({"jobs":[1]})") << "not an object";
    QTest::newRow("failed") << QByteArray(R"({"jobs":[],"errors":[{"error":"no controller"}]})")
                            << "squeue failed: no controller.";
  }
  void whatIsNoAnswerIsRefused() {
    QFETCH(QByteArray, json);
    QFETCH(QString, said);
    const auto jobs = jobsOfSqueue(json);
    QVERIFY(!jobs);
    QVERIFY2(jobs.error().message().contains(said), qPrintable(jobs.error().message()));
  }

  void nodeLists_data() {
    QTest::addColumn<QString>("list");
    QTest::addColumn<QStringList>("nodes");
    QTest::newRow("none") << "" << QStringList{};
    QTest::newRow("one") << "n1" << QStringList{"n1"};
    QTest::newRow("ranges") << "n[1-3,07],login" << QStringList{"n1", "n2", "n3", "n07", "login"};
    QTest::newRow("digits") << "r1-[008-010]" << QStringList{"r1-008", "r1-009", "r1-010"};
    QTest::newRow("backwards") << "n[3-1]" << QStringList{};
    QTest::newRow("open") << "n[1-3" << QStringList{};
    QTest::newRow("no number") << "n[a-b]" << QStringList{};
    QTest::newRow("too many") << "n[1-1000000]" << QStringList{};
    QTest::newRow("an option") << "--wrap=x" << QStringList{};
    QTest::newRow("two brackets") << "a[1-2]b[3-4]" << QStringList{};
  }
  void nodeLists() {
    QFETCH(QString, list);
    QFETCH(QStringList, nodes);
    QCOMPARE(nodesOfList(list), nodes);
  }

  void durations() {
    QCOMPARE(durationText(59.9), "59 s");
    QCOMPARE(durationText(60), "1 min");
    QCOMPARE(durationText(3900), "1 h 5 min");
    QCOMPARE(durationText(3 * 86400), "3 d 0 h");
  }

  void commandsBecomeSteps() {
    const QStringList here = stepWords(jobHost(), "exec it 'now'");
    QCOMPARE(here.front(), "srun");
    QVERIFY(here.contains("--jobid=12") && here.contains("--nodelist=n7") &&
            here.contains("--overlap"));
    QCOMPARE(here.mid(here.size() - 3), (QStringList{"/bin/sh", "-c", "exec it 'now'"}));
    Host there = jobHost("me@login");
    there.jobNode->configuration = "/etc/other slurm.conf";
    const QStringList through = stepWords(there, "exec it 'now'");
    QCOMPARE(through.front(), "ssh");
    QVERIFY(through.contains("me@login"));
    // One word, which the login shell reads.
    QVERIFY2(through.back().startsWith("exec env 'SLURM_CONF=/etc/other slurm.conf' srun "),
             qPrintable(through.back()));
    QVERIFY2(through.back().endsWith(R"(/bin/sh -c 'exec it '\''now'\''')"),
             qPrintable(through.back()));
  }

  void endsOfStepsAreSaid_data() {
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QString>("why");
    // As srun 22.05 wrote them.
    QTest::newRow("time limit")
        << QByteArray(
               "slurmstepd-n7: error: *** STEP 12.1 ON n7 CANCELLED AT 2026-11-24T11:14:23 "
               "DUE TO TIME LIMIT ***\nsrun: error: n7: task 0: Terminated\n")
        << "job 12 has reached its time limit";
    QTest::newRow("preempted")
        << QByteArray(
               "srun: Job step aborted: Waiting up to 4 seconds for job step to finish.\n"
               "slurmstepd-n7: error: *** STEP 12.1 ON n7 CANCELLED AT 2026-11-24T11:13:35 "
               "DUE TO PREEMPTION ***\nsrun: error: n7: task 0: Terminated\n")
        << "job 12 was preempted: Slurm gave the nodes to a job of higher rank";
    QTest::newRow("node failed") << QByteArray("srun: error: Node failure on n7\n")
                                 << "its node n7 has failed: Slurm does not hear it any more";
    QTest::newRow("cancelled")
        << QByteArray(
               "slurmstepd-n7: error: *** STEP 12.0 ON n7 CANCELLED AT "
               "2026-11-24T11:26:43 ***\nsrun: error: n7: task 0: Terminated\n")
        << "job 12 was cancelled, and not by this run";
    QTest::newRow("over")
        << QByteArray(
               "srun: error: Unable to confirm allocation for job 12: Invalid job id "
               "specified\nsrun: Check SLURM_JOB_ID environment variable.\n")
        << "job 12 is over";
    QTest::newRow("killed") << QByteArray("srun: error: n7: task 0: Killed\n")
                            << "its step of job 12 on n7 has ended (n7: task 0: Killed)";
  }
  void endsOfStepsAreSaid() {
    QFETCH(QByteArray, words);
    QFETCH(QString, why);
    const auto loss = stepLoss(jobHost(), words, 143, true);
    QCOMPARE(loss.why, why);
    QCOMPARE(loss.bySlurm, words.contains("CANCELLED") || words.contains("Node failure"));
    QCOMPARE(loss.where, "hpc/sim/2");
    QVERIFY(!loss.next.isEmpty());
  }

  void abstractNodesAreFound() {
    const auto source = tutti::composer::JsonSource::parse(
        R"({"hosts":{"a/b/c":{"destination":"x"}},
            "clusters":{"hpc":{"destination":"me@login","account":"p1","timeLimit":30,
                               "partitions":{"sim":{}}},"new":{}}})",
        {});
    QVERIFY(source);
    const auto deployment = Deployment::fromSource(*source);
    QVERIFY2(deployment, qPrintable(deployment ? QString{} : deployment.error().message()));
    const auto node = deployment->jobNode("hpc/sim/3");
    QVERIFY(node && *node);
    QCOMPARE((*node)->name, "hpc/sim/3");
    QCOMPARE((*node)->destination, "me@login");
    QCOMPARE((*node)->jobNode->number, 3);
    QCOMPARE((*node)->jobNode->account, "p1");
    QVERIFY(!(*node)->isThisMachine());
    // Its partitions are not known yet.
    const auto unlisted = deployment->jobNode("new/any/1");
    QVERIFY(unlisted && *unlisted && !(*unlisted)->isThisMachine());
    for (const char* wrong : {"hpc/none/1", "hpc/sim/0", "hpc/sim/x", "hpc/sim/"}) {
      const auto refused = deployment->jobNode(QLatin1String(wrong));
      QVERIFY2(refused && !*refused, wrong);
    }
    for (const char* other : {"a/b/c", "hpc", "hpc/sim", "other/sim/1", "", "/sim/1"})
      QVERIFY2(!deployment->jobNode(QLatin1String(other)), other);
    // What was read is written.
    const auto again = tutti::composer::JsonSource::parse(deployment->toBytes(), {})
                           .and_then(&Deployment::fromSource);
    QVERIFY(again && again->clusters == deployment->clusters);
  }

  void oneJobIsAskedForEachPartition() {
    LaunchPlan plan;
    plan.run = "r1";
    plan.stopAfter = 600;
    const auto add = [&](const QString& partition, int number, double cores, double memoryMb) {
      PlannedHost host;
      host.host = jobHost();
      host.host.jobNode->partition = partition;
      host.host.jobNode->number = number;
      host.host.jobNode->qos = "fast";
      host.cores = cores;
      host.memoryMb = memoryMb;
      plan.hosts.push_back(host);
    };
    add("sim", 2, 0.5, 100);
    add("long", 1, 0, 0);
    add("sim", 1, 2.5, 50);
    const auto requests = requestsOf(plan);
    QCOMPARE(requests.size(), 2U);
    QVERIFY(requests[0].name != requests[1].name);
    QCOMPARE(sallocOptions(requests[0]),
             (QStringList{"--partition=sim", "--nodes=2", "--ntasks-per-node=1", "--no-kill",
                          "--cpus-per-task=3", "--mem=96", "--time=15", "--qos=fast"}));
    QCOMPARE(sallocOptions(requests[1]),
             (QStringList{"--partition=long", "--nodes=1", "--ntasks-per-node=1", "--no-kill",
                          "--time=15", "--qos=fast"}));
    const auto two = sbatchScript(plan, {"tutti"});
    QVERIFY(!two);
    QVERIFY2(two.error().message().contains("hpc/sim and hpc/long"),
             qPrintable(two.error().message()));
    plan.hosts.erase(plan.hosts.begin() + 1);
    plan.federation = "air 100%";
    const auto one = sbatchScript(plan, {"tutti", "run", "my air.json"});
    QVERIFY2(one, qPrintable(one ? QString{} : one.error().message()));
    QVERIFY2(one->startsWith("#!/bin/bash\n#SBATCH --job-name=tutti-air-100-\n#SBATCH --partition="
                             "sim\n#SBATCH --nodes=2\n"),
             *one);
    QVERIFY2(one->contains("\n#SBATCH --output=air-100--%j.log\n"), *one);
    // Submitted again with the label of a save it goes on from there.
    QVERIFY2(one->endsWith("\nexport TUTTI_JOB_SCRIPT=$0\nexec tutti run 'my air.json' "
                           "${1:+--restore \"$1\"}\n"),
             *one);
    // What salloc does with --immediate, sbatch does with a deadline.
    QVERIFY2(!one->contains("deadline") && !one->contains("exclusive"), *one);
    for (auto& host : plan.hosts)
      host.host.jobNode->immediate = host.host.jobNode->exclusive = true;
    const auto now = sbatchScript(plan, {"tutti"});
    QVERIFY(now);
    QVERIFY2(now->contains("\n#SBATCH --exclusive\n") && now->contains("\n#SBATCH --time=15\n") &&
                 now->contains("\n#SBATCH --deadline=now+16minutes\n") &&
                 !now->contains("--immediate"),
             *now);
    plan.stopAfter.reset();
    const auto unlimited = sbatchScript(plan, {"tutti"});
    QVERIFY2(unlimited && !unlimited->contains("#SBATCH --deadline") &&
                 unlimited->contains("a script needs a time limit"),
             *unlimited);
    plan.hosts.clear();
    QVERIFY(!sbatchScript(plan, {"tutti"}));
  }

  void whatAnotherRequestChangesIsSaid() {
    Allocation::Request before;
    before.partition = "sim";
    before.nodes = 8;
    before.cores = 12;
    before.cluster.timeLimit = 60;
    before.cluster.account = "simlab";
    QCOMPARE(requestChanges(before, before), QStringList());
    auto after = before;
    after.nodes = 6;
    after.cores = 14.5;
    after.cluster.timeLimit = 0;
    after.cluster.account.clear();
    after.cluster.immediate = true;
    QCOMPARE(
        requestChanges(before, after),
        QStringList({"nodes 6, were 8", "cores of each node 14.5, were 12",
                     "time limit the partition's, was 1 h 0 min", "account your own, was simlab",
                     "start now or not at all, was in the queue"}));
  }

  // Programs in the place of Slurm's: a job that ends by itself, on being cancelled, or never.
  void aJobThatIsReplacedIsWaitedFor_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("gone");
    QTest::newRow("it ends by itself") << "ends" << true;
    QTest::newRow("nobody else cancels it") << "cancelled" << true;
    QTest::newRow("it cannot be cancelled") << "stays" << false;
    QTest::newRow("Slurm does not answer") << "silent" << false;
  }
  void aJobThatIsReplacedIsWaitedFor() {
    QFETCH(QString, kind);
    QFETCH(bool, gone);
    QTemporaryDir folder;
    const auto program = [&](const QString& name, const QByteArray& text) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("#!/bin/sh\ncd " + folder.path().toUtf8() + "\n" + text);
      file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
    };
    program("squeue", R"sh(echo asked >> asked
kind=$(cat kind)
if [ "$kind" = silent ]; then echo "slurm_load_jobs error: Unable to contact slurm controller" >&2; exit 1; fi
if [ -e gone ] || { [ "$kind" = ends ] && [ $(wc -l < asked) -ge 2 ]; }
then echo '{"jobs":[{"job_id":8,"job_state":"RUNNING"},{"job_id":7,"job_state":"CANCELLED"}]}'
else echo '{"jobs":[{"job_id":7,"job_state":"PENDING"}]}'; fi
)sh");
    program("scancel", R"sh(echo "$*" >> cancelled
if grep -q stays kind; then echo "scancel: error: Kill job error on job id 7: Access denied" >&2; exit 1; fi
if grep -q cancelled kind; then : > gone; fi
exit 0
)sh");
    {
      QFile file(folder.filePath("kind"));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(kind.toUtf8());
    }
    const auto back = qScopeGuard([path = qgetenv("PATH")] { qputenv("PATH", path); });
    qputenv("PATH", (folder.path() + ':' + qEnvironmentVariable("PATH")).toUtf8());
    Cluster cluster;
    cluster.name = "hpc";
    const auto result = awaitGone(cluster, 7, {}, kind == "ends" ? 60000 : 3000);
    QCOMPARE(result.has_value(), gone);
    QFile cancelled(folder.filePath("cancelled"));
    QCOMPARE(cancelled.open(QIODevice::ReadOnly), kind != "ends");
    if (gone) return;
    const QString why = result.error().message();
    QVERIFY2(why.contains("tutti clusters cancel hpc 7"), qPrintable(why));
    if (kind == "stays") QVERIFY2(why.contains("Access denied"), qPrintable(why));
  }
};

QTEST_GUILESS_MAIN(TestSlurmParse)
#include "tst_slurm_parse.moc"
