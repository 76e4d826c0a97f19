// SPDX-License-Identifier: GPL-3.0-or-later
// tst_host_storm [COUNT]: runs over four hosts of a lab, in which something is killed COUNT times
// (14), each kind of victim at least once: consoles, windows, supervisors, ssh at either end, sshd
// itself, RTI nodes, federates, hosts. After each kill another console attaches to the run, and is
// shown all that was shown before. Within 15 s after a run was ended, by the kill or else when it
// is told to, no process, memory or socket is left on any host or this machine; and all that was
// shown is in the log files of those hosts that have not lost their power.
#include <QElapsedTimer>

#include "tests/launcher/storm.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

namespace {

constexpr int hosts = 4;
int count = 14;

enum class Owner { Kept, NotKept, Window };

}  // namespace

class TestHostStorm : public QObject {
  Q_OBJECT

 private slots:
  void nothingIsLostAndNothingIsLeft() {
    Lab lab(hosts);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    while (kinds_.total() < count || !kinds_.allOccurred()) {
      auto owner = random_() % 3 == 0 ? Owner::NotKept : Owner::Kept;
      if (kinds_.of("window") * 14 <= kinds_.total()) owner = Owner::Window;
      history_.clear();
      run(lab, owner);
      if (QTest::currentTestFailed()) {
        qWarning("After: %s", qPrintable(history_.join(", ")));
        return;
      }
      qInfo("%d of %d in %.1f s: %s", kinds_.total(), count, slowest_ / 1e3,
            qPrintable(history_.join(", ")));
    }
    qInfo("Killed: %s. All gone after %.1f s at most; %lld lines were shown.",
          kinds_.text().constData(), slowest_ / 1e3, static_cast<long long>(shownLines_));
  }

 private:
  static QStringList federates() {
    return {"flow-north", "flow-south", "radar-west", "radar-east", "detector", "log"};
  }

  void run(Lab& lab, Owner owner) {
    const TuttiCall tutti(lab.root() + "/state");
    const QString file = lab.sampleWith(
        {{"radar-west", 1}, {"radar-east", 2}, {"detector", 3}, {"log", 3}, {"flow-north", 4}},
        false);
    QProcess console;
    begin(lab, console, owner, file);
    QTRY_VERIFY2_WITH_TIMEOUT(!tutti.id().isEmpty(), console.readAll(), stormMs);
    const QString id = tutti.id();
    auto watcher = std::make_unique<Watcher>(lab, id);
    std::unique_ptr<Watcher> own;  // The console that has taken the run over.
    QTRY_VERIFY2_WITH_TIMEOUT(watcher->areReady(federates()),
                              watcher->told() + console.readAll().right(500), stormMs);
    if (owner == Owner::Kept) QTRY_VERIFY_WITH_TIMEOUT(tutti.isKept(), stormMs);
    Shown shown;
    HeldHere held;
    const auto there = [&](const QString& host) { return hasSupervisor(lab, host); };
    QSet<int> powerless;
    QElapsedTimer sinceKill;
    bool ends = false;
    // Several kills a run, as long as it lasts.
    for (int kill = 0; kill < 4 && !ends && tutti.isGoing(); ++kill) {
      held.note(lab);
      QVERIFY(held.socketCount() > 0);
      shown.add(*watcher);
      const auto consolePid = (own ? own->process : console).processId();
      const Victim victim =
          kinds_.draw(victims(lab, owner, consolePid, watcher->process.processId()), random_);
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
      QTest::qWait(static_cast<int>(random_() % 1500));
      ends = victim.kind == "window" || victim.kind == "home node" ||
             victim.kind == "supervisor here" || (victim.kind == "console" && owner != Owner::Kept);
      repair(lab, victim, powerless);
      if (ends || QTest::currentTestFailed()) break;
      if (victim.kind == "console") {
        if (own) shown.add(*own);
        own = std::make_unique<Watcher>(lab, id, QStringList{"--own", "--keep"});
        attach(shown, *own, there);
      }
      shown.add(*watcher);
      watcher = std::make_unique<Watcher>(lab, id);
      attach(shown, *watcher, there);
      if (QTest::currentTestFailed()) return;
    }
    QProcess stop;
    if (!ends && tutti.isGoing()) {
      held.note(lab);
      sinceKill.start();
      if (owner != Owner::Window) tutti.begin(stop, {"stop", id});
    }
    // It shows what has ended until it is closed, and ends with it what has not.
    if (owner == Owner::Window) console.terminate();
    const auto left = [&] { return leftOnHosts(lab, hosts) + held.left() + commandsHere(lab); };
    const bool gone =
        QTest::qWaitFor([&] { return left().isEmpty(); },
                        static_cast<int>(std::max<qint64>(0, leftMs - sinceKill.elapsed())));
    QVERIFY2(gone, "after 15 s is left:\n" + left());
    console.waitForFinished(stormMs);
    slowest_ = std::max(slowest_, sinceKill.elapsed());
    shown.add(*watcher);
    if (own) shown.add(*own);
    QVERIFY2(shown.faults.isEmpty(), qPrintable(shown.faults.join('\n')));
    // Each host has something to lose.
    QCOMPARE(shown.lines.size(), hosts + 1);
    shownLines_ += shown.count();
    for (int host = 0; host <= hosts; ++host) {
      if (powerless.contains(host)) continue;
      const QString logs =
          host == 0 ? lab.root() + "/state/tutti/runs/" + id : logsOnHost(lab, host, id);
      const QString why = shown.missingIn(logs, host == 0 ? QString() : lab.host(host));
      QVERIFY2(why.isEmpty(), qPrintable(why));
    }
  }

  static void begin(const Lab& lab, QProcess& console, Owner owner, const QString& file) {
    auto environment = stormEnvironment(lab);
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    console.setProcessEnvironment(environment);
    console.setProcessChannelMode(QProcess::MergedChannels);
    // The hosts file is the one beside the composition.
    if (owner == Owner::Window)
      console.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti-console"), {"--run", file});
    else
      console.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
                    QStringList{"run", file, "--duration", "600"} +
                        (owner == Owner::Kept ? QStringList("--keep") : QStringList()));
    QVERIFY2(console.waitForStarted(), qPrintable(console.errorString()));
  }

  static QList<Victim> victims(const Lab& lab, Owner owner, qint64 console, qint64 watcher) {
    QList<Victim> result;
    const auto add = [&](const QString& kind, const QList<pid_t>& pids, int host = 0) {
      for (const pid_t pid : pids) result << Victim{kind, {pid}, host};
    };
    add(owner == Owner::Window ? "window" : "console", {static_cast<pid_t>(console)});
    add("watching console", {static_cast<pid_t>(watcher)});
    add("supervisor here", processesHere(lab, "bin/tutti-supervisor"));
    add("home node", processesHere(lab, "bin/tutti-rti "));
    add("federate here", processesHere(lab, "bin/components/"));
    add("ssh here", processesHere(lab, "ssh "));
    for (int host = 1; host <= hosts; ++host) {
      for (const pid_t pid : lab.processes(host, "tutti-supervisor"))
        add(isRelay(pid) ? "relay of a host" : "supervisor of a host", {pid}, host);
      add("node of a host", lab.processes(host, "tutti-rti "), host);
      add("federate of a host", lab.processes(host, "bin/components/"), host);
      add("connection of a host", lab.processes(host, "sshd: "), host);
      add("sshd of a host", listener(lab, host), host);
      result << Victim{"host", {}, host};
    }
    return result;
  }
  static QList<pid_t> listener(const Lab& lab, int host) {
    QList<pid_t> result;
    for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
      const QByteArray command = Lab::commandOf(name.toInt());
      if (command.startsWith("sshd: ") &&
          command.contains(' ' + lab.folder().toUtf8() + '/' + lab.host(host).toUtf8() + ".sshd "))
        result << name.toInt();
    }
    return result;
  }

  /// What the system would start again, and a host whose power comes back.
  static void repair(Lab& lab, const Victim& victim, QSet<int>& powerless) {
    if (victim.kind != "host" && victim.kind != "sshd of a host") return;
    if (anyProcessOf(lab, victim.host) == 0) {
      // The file systems of a host of the lab go with its last process, which its sshd may be.
      powerless << victim.host;
      QVERIFY2(lab.call({"start", lab.host(victim.host)}), qPrintable(lab.said()));
      return;
    }
    const QString own = lab.folder() + '/' + lab.host(victim.host);
    QVERIFY(executeOn(
        lab, victim.host,
        {"setsid", "-f", "sh", "-c",
         "exec /usr/sbin/sshd -D -e -f " + own + ".sshd < /dev/null >> " + own + ".log 2>&1"}));
    QTRY_VERIFY_WITH_TIMEOUT(!lab.ask(victim.host, "echo up").isEmpty(), stormMs);
  }

  static bool hasSupervisor(const Lab& lab, const QString& host) {
    if (host.isEmpty()) return !processesHere(lab, "bin/tutti-supervisor").isEmpty();
    for (int number = 1; number <= hosts; ++number) {
      if (lab.host(number) == host) return !supervisorsOf(lab, number).isEmpty();
    }
    return false;
  }

  Kinds kinds_{{"console", "watching console", "window", "supervisor here", "home node",
                "federate here", "ssh here", "supervisor of a host", "relay of a host",
                "node of a host", "federate of a host", "connection of a host", "sshd of a host",
                "host"}};
  std::mt19937 random_{QRandomGenerator::system()->generate()};
  QStringList history_;
  qint64 slowest_ = 0;  ///< ms
  qsizetype shownLines_ = 0;
};

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) > 0) {
    count = std::atoi(argv[1]);
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  QCoreApplication application(argc, argv);
  TestHostStorm test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_host_storm.moc"
