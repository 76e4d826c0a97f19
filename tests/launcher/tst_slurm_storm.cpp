// SPDX-License-Identifier: GPL-3.0-or-later
// tst_slurm_storm [COUNT]: runs over two nodes of a Slurm cluster, of each of which something is
// killed, COUNT times (3): the console, salloc, a supervisor, a step, an RTI node, a federate,
// slurmd. Whatever it was, the run ends when it is asked to, and no process, memory or job of it is
// left on any node.
#include <signal.h>

#include <QRandomGenerator>
#include <random>

#include "tests/launcher/slurm_lab.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::awaitSaid;
using test::Lab;
using test::SlurmLab;
using test::slurmMs;

namespace {

int count = 3;

struct Victim {
  pid_t pid = 0;
  QString what;
  int host = 0;  ///< 0: this machine
};

/// What of the run can be killed now.
QList<Victim> victimsOf(const SlurmLab& lab, const QProcess& console) {
  QList<Victim> result{{static_cast<pid_t>(console.processId()), QStringLiteral("console"), 0}};
  const QByteArray state = "XDG_STATE_HOME=" + lab.root().toUtf8();
  for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
    QFile environment("/proc/" + name + "/environ");
    const pid_t pid = name.toInt();
    if (pid == result.front().pid || !environment.open(QIODevice::ReadOnly) ||
        !environment.readAll().contains(state) || !alive(pid))
      continue;
    const QByteArray command = Lab::commandOf(pid);
    for (const char* what : {"tutti-supervisor", "tutti-rti ", "salloc ", "srun "}) {
      if (command.left(command.indexOf(' ') + 1).contains(what) &&
          !lab.processes(1).contains(pid) && !lab.processes(2).contains(pid))
        result << Victim{pid, QString::fromLatin1(what).trimmed(), 0};
    }
  }
  for (const int host : {1, 2}) {
    for (const char* what : {"tutti-supervisor", "tutti-rti", "/radar", "slurmstepd"}) {
      for (const pid_t pid : lab.processes(host)) {
        if (Lab::commandOf(pid).left(200).contains(what))
          result << Victim{pid, lab.host(host) + ' ' + QLatin1String(what), host};
      }
    }
    QFile pid(lab.folder() + "/slurm/slurmd-" + lab.host(host) + ".pid");
    if (pid.open(QIODevice::ReadOnly))
      result << Victim{pid.readAll().trimmed().toInt(), lab.host(host) + " slurmd", host};
  }
  return result;
}

}  // namespace

class TestSlurmStorm : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
  }

  void nothingIsLeftOfAnyRun() {
    SlurmLab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    std::mt19937 random(QRandomGenerator::system()->generate());
    for (int killed = 1; killed <= count; ++killed) {
      QProcess run;
      lab.startRun(run, {"--duration", "600"}, false);
      QByteArray out;
      QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
      QCOMPARE(lab.jobs().size(), 1);
      const auto victims = victimsOf(lab, run);
      const Victim victim = victims[static_cast<qsizetype>(random()) % victims.size()];
      QVERIFY2(::kill(victim.pid, SIGKILL) == 0, qPrintable(victim.what));
      QTest::qWait(static_cast<int>(random() % 1500));

      if (run.state() == QProcess::Running) {
        run.terminate();
        QVERIFY2(run.waitForFinished(slurmMs), qPrintable(victim.what));
      }
      const auto left = [&] { return lab.left(2) + remains(lab); };
      const bool gone = QTest::qWaitFor([&] { return left().isEmpty(); }, slurmMs);
      QVERIFY2(gone, qPrintable("after " + victim.what + " is left:\n" + left()));
      qInfo("%d of %d: %s", killed, count, qPrintable(victim.what));
      repair(lab, victim);
    }
  }

 private:
  /// Shared memory on the nodes.
  static QByteArray remains(const SlurmLab& lab) {
    QByteArray result;
    for (const int host : {1, 2}) {
      for (const QByteArray& line : lab.ask(host, "ls /dev/shm").split('\n')) {
        if (!line.trimmed().isEmpty()) result += lab.host(host).toUtf8() + ": " + line + '\n';
      }
    }
    return result;
  }

  /// A node whose slurmd was killed is started anew. Slurm sets nodes aside after steps that died.
  static void repair(SlurmLab& lab, const Victim& victim) {
    if (victim.what.endsWith("slurmd")) {
      QVERIFY(lab.call({"kill", lab.host(victim.host)}));
      QVERIFY2(lab.call({"start", lab.host(victim.host)}), qPrintable(lab.said()));
    }
    const auto idle = [&] {
      for (const int host : {1, 2})
        lab.slurm({"scontrol", "update", "NodeName=" + lab.host(host), "State=RESUME"});
      return lab.slurm({"sinfo", "--noheader", "--partition=" + lab.partition(), "--states=idle",
                        "--format=%D"}) == "2";
    };
    QTRY_VERIFY_WITH_TIMEOUT(idle(), slurmMs);
  }
};

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) > 0) {
    count = std::atoi(argv[1]);
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  QCoreApplication application(argc, argv);
  TestSlurmStorm test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_slurm_storm.moc"
