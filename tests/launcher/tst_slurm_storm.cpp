// SPDX-License-Identifier: GPL-3.0-or-later
// tst_slurm_storm [COUNT [KIND,KIND...]]: runs over four nodes of a Slurm cluster, in which
// something is killed COUNT times (14), each kind of victim at least once: consoles, salloc and its
// guard, srun, supervisors, steps, RTI nodes, federates, slurmd, slurmctld, nodes. With kinds,
// victims of these are killed in each run, in this order, to find out what a storm has met. After
// each kill another console attaches to the run, and is shown all that was shown before. Within 15
// s after a run was ended, by the kill or else when it is told to, no process, memory, socket or
// job is left on any node or this machine; only where something of Slurm itself was killed its job
// may be COMPLETING for longer, until the slurmd of each node has answered. All that was shown is
// in the log files of nodes that have not lost their power. slurmd and slurmctld are started again
// at once, as a system does it: a job ends when they have answered.
#include <QElapsedTimer>

#include "tests/launcher/slurm_lab.h"
#include "tests/launcher/storm.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

namespace {

constexpr int nodes = 4;
/// For a job that has ended, to Slurm, after a slurmd or the controller was killed.
constexpr int longestCompletingMs = 180000;
int count = 14;
/// In each run, in this order; empty: at random.
QStringList order;

}  // namespace

class TestSlurmStorm : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
  }

  void nothingIsLostAndNothingIsLeft() {
    SlurmLab lab(nodes);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    while (kinds_.total() < count || (order.isEmpty() && !kinds_.allOccurred())) {
      history_.clear();
      run(lab);
      if (QTest::currentTestFailed()) {
        qWarning("After: %s", qPrintable(history_.join(", ")));
        return;
      }
      qInfo("%d of %d in %.1f s: %s", kinds_.total(), count, last_ / 1e3,
            qPrintable(history_.join(", ")));
      awaitIdle(lab);
      if (QTest::currentTestFailed()) return;
    }
    qInfo(
        "Killed: %s. All gone after %.1f s at most, jobs that were completing after %.1f s; "
        "%lld lines were shown.",
        kinds_.text().constData(), slowest_ / 1e3, completing_ / 1e3,
        static_cast<long long>(shownLines_));
  }

 private:
  void run(SlurmLab& lab) {
    const TuttiCall tutti(lab.root() + "/state");
    QProcess console;
    console.setProcessEnvironment(stormEnvironment(lab));
    console.setProcessChannelMode(QProcess::MergedChannels);
    const QString file = lab.sampleAt({{"radar-west", lab.node(1)},
                                       {"radar-east", lab.node(2)},
                                       {"detector", lab.node(3)},
                                       {"log", lab.node(3)},
                                       {"flow-north", lab.node(4)}},
                                      false);
    console.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                  {"run", file, "--duration", "600"});
    QTRY_VERIFY2_WITH_TIMEOUT(!tutti.id().isEmpty(), console.readAll(), stormMs);
    const QString id = tutti.id();
    QCOMPARE(lab.jobs().size(), 1);
    auto watcher = std::make_unique<Watcher>(lab, id);
    const QStringList federates{"flow-north", "flow-south", "radar-west",
                                "radar-east", "detector",   "log"};
    QTRY_VERIFY2_WITH_TIMEOUT(watcher->areReady(federates),
                              watcher->told() + console.readAll().right(500), stormMs);
    Shown shown;
    HeldHere held;
    const auto watched = [&](const QString& host) { return hasSupervisor(lab, host); };
    QSet<int> powerless;
    QElapsedTimer sinceKill;
    bool ends = false;
    bool slurmsOwnTime = false;
    // Several kills a run, as long as it lasts.
    for (int kill = 0; kill < 4 && !ends && tutti.isGoing(); ++kill) {
      held.note(lab);
      QVERIFY(held.socketCount() > 0);
      shown.add(*watcher);
      const auto there = victims(lab, console.processId(), watcher->process.processId());
      if (!order.isEmpty() && kill == order.size()) break;
      const Victim victim =
          order.isEmpty() ? kinds_.draw(there, random_) : anyOf(there, order[kill], random_);
      history_ << victim.kind + (victim.host > 0 ? ' ' + lab.host(victim.host) : QString());
      sinceKill.start();
      if (victim.pids.isEmpty()) {
        QVERIFY2(lab.call({"kill", lab.host(victim.host)}), qPrintable(lab.said()));
        QCOMPARE(anyProcessOf(lab, victim.host), 0);
        powerless << victim.host;
      } else {
        const QByteArray why = strike(victim.pids);
        QVERIFY2(why.isEmpty(), why);
      }
      kinds_.count(victim.kind);
      slurmsOwnTime |= victim.kind.startsWith("slurm") || victim.kind == "node";
      QTest::qWait(static_cast<int>(random_() % 1500));
      ends = victim.kind == "console" || victim.kind == "home node" ||
             victim.kind == "supervisor here";
      repair(lab, victim);
      if (ends || QTest::currentTestFailed()) break;
      // Slurm 22.05 gives a job no more steps after slurmctld was killed ("Memory required by task
      // is not available", with --mem=0 too), which a console needs to attach to its nodes: those
      // that have the run keep it.
      if (victim.kind == "slurmctld") {
        QVERIFY(tutti.isGoing() && !watcher->isOver() && console.state() == QProcess::Running);
        break;
      }
      shown.add(*watcher);
      watcher = std::make_unique<Watcher>(lab, id);
      attach(shown, *watcher, watched);
      if (QTest::currentTestFailed()) return;
    }
    if (!ends && tutti.isGoing()) {
      held.note(lab);
      sinceKill.start();
      console.terminate();
    }
    const auto left = [&] {
      QByteArray result = leftOnHosts(lab, nodes) + held.left() + commandsHere(lab);
      for (const QByteArray& job :
           lab.slurm({"squeue", "--noheader", "--format=%j %T"}).split('\n')) {
        if (job.startsWith("tutti-") && !(slurmsOwnTime && job.endsWith(" COMPLETING")))
          result += job + '\n';
      }
      return result;
    };
    const bool gone =
        QTest::qWaitFor([&] { return left().isEmpty(); },
                        static_cast<int>(std::max<qint64>(0, leftMs - sinceKill.elapsed())));
    QVERIFY2(gone, "after 15 s is left:\n" + left());
    console.waitForFinished(stormMs);
    last_ = sinceKill.elapsed();
    QVERIFY2(QTest::qWaitFor([&] { return lab.jobs().isEmpty(); }, longestCompletingMs),
             lab.slurm({"squeue"}));
    completing_ = std::max(completing_, sinceKill.elapsed());
    slowest_ = std::max(slowest_, last_);
    shown.add(*watcher);
    QVERIFY2(shown.faults.isEmpty(), qPrintable(shown.faults.join('\n')));
    // Each node has something to lose.
    QCOMPARE(shown.lines.size(), nodes + 1);
    shownLines_ += shown.count();
    for (int host = 0; host <= nodes; ++host) {
      if (powerless.contains(host)) continue;
      const QString logs =
          host == 0 ? lab.root() + "/state/tutti/runs/" + id : logsOnHost(lab, host, id);
      const QString why = shown.missingIn(logs, host == 0 ? QString() : lab.node(host));
      QVERIFY2(why.isEmpty(), qPrintable(why));
    }
  }

  static pid_t pidIn(const SlurmLab& lab, const QString& name) {
    QFile file(lab.folder() + "/slurm/" + name + ".pid");
    return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toInt() : 0;
  }

  static QList<Victim> victims(const SlurmLab& lab, qint64 console, qint64 watcher) {
    QList<Victim> result;
    const auto add = [&](const QString& kind, const QList<pid_t>& pids, int host = 0) {
      for (const pid_t pid : pids) result << Victim{kind, {pid}, host};
    };
    add("console", {static_cast<pid_t>(console)});
    add("watching console", {static_cast<pid_t>(watcher)});
    add("supervisor here", processesHere(lab, "bin/tutti-supervisor"));
    add("home node", processesHere(lab, "bin/tutti-rti "));
    add("salloc", processesHere(lab, "salloc "));
    add("guard of salloc", processesHere(lab, "bash "));
    add("srun", processesHere(lab, "srun "));
    add("slurmctld", {pidIn(lab, "slurmctld")});
    for (int host = 1; host <= nodes; ++host) {
      add("supervisor of a node", supervisorsOf(lab, host), host);
      add("RTI node of a node", lab.processes(host, "tutti-rti "), host);
      add("federate of a node", lab.processes(host, "bin/components/"), host);
      add("slurmstepd", lab.processes(host, "slurmstepd: "), host);
      add("slurmd", {pidIn(lab, "slurmd-" + lab.host(host))}, host);
      result << Victim{"node", {}, host};
    }
    return result;
  }

  /// What the system would start again, and a node whose power comes back.
  static void repair(SlurmLab& lab, const Victim& victim) {
    if (victim.kind == "slurmctld") {
      QCOMPARE(QProcess::execute("slurmctld", {"-f", lab.configuration()}), 0);
      QTRY_VERIFY_WITH_TIMEOUT(lab.slurm({"scontrol", "ping"}).contains(" is UP"), stormMs);
    } else if (victim.kind == "slurmd" && anyProcessOf(lab, victim.host) != 0) {
      QVERIFY(executeOn(lab, victim.host,
                        {"slurmd", "-N", lab.host(victim.host), "-f", lab.configuration()}));
    } else if (victim.kind == "slurmd" || victim.kind == "node") {
      QVERIFY2(lab.call({"start", lab.host(victim.host)}), qPrintable(lab.said()));
    }
  }

  static bool hasSupervisor(const SlurmLab& lab, const QString& host) {
    if (host.isEmpty()) return !processesHere(lab, "bin/tutti-supervisor").isEmpty();
    for (int number = 1; number <= nodes; ++number) {
      if (lab.node(number) == host) return !supervisorsOf(lab, number).isEmpty();
    }
    return false;
  }

  /// Slurm sets nodes aside after steps that died.
  static void awaitIdle(const SlurmLab& lab) {
    const auto idle = [&] {
      for (int host = 1; host <= nodes; ++host)
        lab.slurm({"scontrol", "update", "NodeName=" + lab.host(host), "State=RESUME"});
      return lab.slurm({"sinfo", "--noheader", "--partition=" + lab.partition(), "--states=idle",
                        "--format=%D"}) == QByteArray::number(nodes);
    };
    QTRY_VERIFY_WITH_TIMEOUT(idle(), stormMs);
  }

  Kinds kinds_{{"console", "watching console", "supervisor here", "home node", "salloc",
                "guard of salloc", "srun", "slurmctld", "supervisor of a node",
                "RTI node of a node", "federate of a node", "slurmstepd", "slurmd", "node"}};
  std::mt19937 random_{QRandomGenerator::system()->generate()};
  QStringList history_;
  qint64 last_ = 0;        ///< ms
  qint64 slowest_ = 0;     ///< ms
  qint64 completing_ = 0;  ///< ms; until no job was left in any state
  qsizetype shownLines_ = 0;
};

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) > 0) {
    count = std::atoi(argv[1]);
    if (argc > 2 && argv[2][0] != '-') order = QString::fromLocal8Bit(argv[2]).split(u',');
    const int taken = order.isEmpty() ? 1 : 2;
    argv[taken] = argv[0];
    argc -= taken;
    argv += taken;
  }
  QCoreApplication application(argc, argv);
  TestSlurmStorm test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_slurm_storm.moc"
