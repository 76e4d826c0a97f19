// SPDX-License-Identifier: GPL-3.0-or-later
// tst_host_storm [COUNT]: kept runs over two hosts of a lab, in which something is killed COUNT
// times (6): the console, a supervisor, an ssh connection, an RTI node, a federate. Whatever it
// was, the run goes on or ends, what was shown is shown again to the next console, and within 15 s
// after its end no process, memory or socket is left on any host.
#include <signal.h>

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QTest>
#include <random>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::Lab;

namespace {

constexpr int endMs = 60000;
constexpr int leftMs = 15000;
int count = 6;

using Lines = QHash<QString, QMap<qint64, QString>>;

/// Of what `tutti attach --json` printed the lines of federates, by host and number.
Lines linesOf(const QByteArray& printed) {
  Lines result;
  for (const QByteArray& line : printed.split('\n')) {
    const auto event = QJsonDocument::fromJson(line).object();
    if (event["event"] == "output")
      result[event["host"].toString()][event["n"].toInteger()] = event["line"].toString();
  }
  return result;
}

}  // namespace

class TestHostStorm : public QObject {
  Q_OBJECT

 private slots:
  void nothingIsLostAndNothingIsLeft() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const auto tutti = tuttiOf(lab);
    std::mt19937 random(QRandomGenerator::system()->generate());
    const auto below = [&](qsizetype n) {
      return static_cast<qsizetype>(random() % static_cast<unsigned>(n));
    };
    const QString file = lab.sampleWith({{"radar-west", 1}, {"radar-east", 2}}, false);
    int killed = 0;
    while (killed < count) {
      Console console;
      tutti.begin(console.process,
                  {"run", file, "--hosts", lab.hostsFile(), "--duration", "600", "--keep"});
      QVERIFY2(console.says("running  6 of 6", endMs), console.shown);
      QTRY_VERIFY_WITH_TIMEOUT(tutti.isKept(), endMs);
      Lines shown;
      QStringList history;
      // Several kills a run, as long as it lasts.
      for (int kills = 0; kills < 4 && killed < count; ++kills) {
        const auto victim = chooseVictim(lab, console, below);
        history << victim.second;
        ++killed;
        if (victim.first > 0) ::kill(victim.first, SIGKILL);
        QTest::qWait(static_cast<int>(below(1500)));
        if (console.process.state() == QProcess::NotRunning || victim.second == "console") {
          console.process.waitForFinished(endMs);
          console.take();
          if (const QString why = compare(shown, console.shown); !why.isEmpty())
            QFAIL(qPrintable(history.join(", ") + ": " + why));
          if (!tutti.isGoing()) break;
          console.process.close();
          console.shown.clear();
          tutti.begin(console.process, {"attach", tutti.id(), "--own", "--keep", "--json"});
          if (!console.says("\"attached\"", endMs)) break;  // It ended just now.
        }
      }
      console.process.kill();
      console.process.waitForFinished(endMs);
      console.take();
      if (const QString why = compare(shown, console.shown); !why.isEmpty())
        QFAIL(qPrintable(history.join(", ") + ": " + why));
      if (tutti.isGoing()) tutti.call({"stop", tutti.id()});
      const bool gone = QTest::qWaitFor([&] { return leftOn(lab).isEmpty(); }, leftMs);
      QVERIFY2(gone, qPrintable("after " + history.join(", ") + " is left:\n" + leftOn(lab)));
      qInfo("%d of %d: %s", killed, count, qPrintable(history.join(", ")));
    }
  }

 private:
  struct Console {
    QProcess process;
    QByteArray shown;
    void take() { shown += process.readAllStandardOutput() + process.readAllStandardError(); }
    bool says(const QByteArray& text, int limitMs) {
      const bool over = QTest::qWaitFor(
          [&] {
            take();
            return shown.contains(text) || process.state() == QProcess::NotRunning;
          },
          limitMs);
      take();
      return over && shown.contains(text);
    }
  };

  static test::TuttiCall tuttiOf(const Lab& lab) { return test::TuttiCall(lab.root() + "/state"); }

  /// Processes of this machine that have the lab's state folder, and so are of this test's runs.
  static QList<pid_t> ownProcesses(const Lab& lab, const QByteArray& program) {
    QList<pid_t> result;
    for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
      QFile environment("/proc/" + name + "/environ");
      const pid_t pid = name.toInt();
      if (environment.open(QIODevice::ReadOnly) &&
          environment.readAll().contains("XDG_STATE_HOME=" + lab.root().toUtf8()) && alive(pid) &&
          Lab::commandOf(pid).contains(program))
        result << pid;
    }
    return result;
  }

  /// A process of the run and what it is.
  template <class Below>
  std::pair<pid_t, QString> chooseVictim(const Lab& lab, Console& console, Below&& below) const {
    QList<std::pair<pid_t, QString>> all{
        {static_cast<pid_t>(console.process.processId()), QStringLiteral("console")}};
    const auto add = [&](const QList<pid_t>& pids, const QString& what) {
      for (const pid_t pid : pids) all << std::pair{pid, what};
    };
    add(ownProcesses(lab, "bin/tutti-supervisor"), QStringLiteral("supervisor of this machine"));
    add(ownProcesses(lab, "tutti-rti "), QStringLiteral("home node"));
    for (const int host : {1, 2}) {
      add(lab.processes(host, "tutti-supervisor"), lab.host(host) + " supervisor");
      add(lab.processes(host, "tutti-rti "), lab.host(host) + " node");
      add(lab.processes(host, "/radar "), lab.host(host) + " federate");
      add(lab.processes(host, "sshd: root@notty"), lab.host(host) + " connection");
    }
    return all[below(all.size())];
  }

  /// Adds what was printed to what was shown before. Not empty: what does not fit, or is missing.
  static QString compare(Lines& before, const QByteArray& printed) {
    const auto now = linesOf(printed);
    for (auto host = now.begin(); host != now.end(); ++host) {
      const auto& lines = host.value();
      if (lines.isEmpty()) continue;
      for (auto line = before[host.key()].begin(); line != before[host.key()].end(); ++line) {
        if (line.key() > lines.lastKey()) break;
        if (lines.value(line.key()) != line.value())
          return QStringLiteral("line %1 of '%2' was \"%3\" and is \"%4\"")
              .arg(line.key())
              .arg(host.key(), line.value(), lines.value(line.key()));
      }
      before[host.key()].insert(lines);
    }
    return {};
  }

  /// What is left of runs on any host, and on this machine.
  static QByteArray leftOn(const Lab& lab) {
    QByteArray result;
    for (const int host : {1, 2}) {
      for (const pid_t pid : lab.processes(host)) {
        if (alive(pid)) result += Lab::commandOf(pid) + '\n';
      }
      for (const QByteArray& line :
           lab.ask(host, "ls /dev/shm; grep -ao '@tutti.*' /proc/net/unix").split('\n')) {
        if (!line.trimmed().isEmpty()) result += lab.host(host).toUtf8() + ": " + line + '\n';
      }
    }
    for (const pid_t pid : ownProcesses(lab, "/bin/")) result += Lab::commandOf(pid) + '\n';
    return result;
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
  TestHostStorm test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_host_storm.moc"
