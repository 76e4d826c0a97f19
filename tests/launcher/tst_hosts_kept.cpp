// SPDX-License-Identifier: GPL-3.0-or-later
// A run over several hosts that goes on without its console: who finds it again, and what ends it.
#include <signal.h>

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/launcher/lab.h"
#include "tests/launcher/supervisor_client.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::Lab;

namespace {

constexpr int endMs = 60000;

}  // namespace

class TestHostsKept : public QObject {
  Q_OBJECT

 private slots:
  /// Its console is killed, and every SSH connection with it; the next finds it where it is.
  void aKeptRunSurvivesItsConsoleOnAllHosts_data() {
    QTest::addColumn<bool>("own");
    QTest::newRow("is taken over, then stopped") << true;
    QTest::newRow("is stopped by a command") << false;
  }
  void aKeptRunSurvivesItsConsoleOnAllHosts() {
    QFETCH(bool, own);
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, {"--duration", "600", "--keep"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QTRY_VERIFY_WITH_TIMEOUT(tuttiOf(lab).isKept(), endMs);
    QList<pid_t> radars;
    for (const int host : {1, 2}) radars += lab.processes(host, "/radar ");
    QCOMPARE(radars.size(), 2);
    run.kill();
    QVERIFY(run.waitForFinished(endMs));
    QTRY_VERIFY_WITH_TIMEOUT(tuttiOf(lab).isLeftAlone(), endMs);
    QHash<QString, QMap<qint64, QString>> lines;
    if (own) {
      for (int visit = 0; visit < 2; ++visit) {
        QProcess console;
        tuttiOf(lab).begin(console, {"attach", tuttiOf(lab).id(), "--own", "--keep", "--json"});
        QByteArray shown;
        // Until both hosts have told something new.
        const auto before = lines;
        QTRY_VERIFY2_WITH_TIMEOUT(
            [&] {
              shown += console.readAllStandardOutput();
              const auto now = outputOf(shown);
              return shown.count("\"event\":\"kept\"") >= 3 && !now[lab.host(1)].isEmpty() &&
                     !now[lab.host(2)].isEmpty();
            }(),
            shown.right(2000) + console.readAllStandardError(), endMs);
        console.kill();
        QVERIFY(console.waitForFinished(endMs));
        const auto now = outputOf(shown + console.readAllStandardOutput());
        for (auto host = now.begin(); host != now.end(); ++host) {
          // What was shown to the one before is told again, as it was.
          for (auto line = before[host.key()].begin(); line != before[host.key()].end(); ++line)
            QCOMPARE(now[host.key()].value(line.key()), line.value());
          lines[host.key()].insert(host.value());
        }
        QTRY_VERIFY_WITH_TIMEOUT(tuttiOf(lab).isLeftAlone(), endMs);
      }
    }
    for (const pid_t pid : std::as_const(radars)) QVERIFY2(alive(pid), Lab::commandOf(pid));
    const QByteArray stopped = tuttiOf(lab).call({"stop", tuttiOf(lab).id()});
    QVERIFY2(stopped.contains("has ended"), stopped);
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
    for (const pid_t pid : std::as_const(radars)) QVERIFY(!alive(pid));
    QVERIFY(!tuttiOf(lab).isGoing());
    const auto record = recordOf(lab);
    QCOMPARE(record["outcome"].toString(), "stopped");
    QCOMPARE(radarsIn(record), (QStringList{"exit code 0", "exit code 0"}));
  }

  /// One connection breaks while its console is there: it is sought again.
  void aConnectionOfAKeptRunIsMadeAnew() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, {"--duration", "600", "--keep"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QTRY_VERIFY_WITH_TIMEOUT(tuttiOf(lab).isKept(), endMs);
    const auto radars = lab.processes(1, "/radar ");
    for (const pid_t pid : lab.processes(1, "sshd: root@notty")) QCOMPARE(::kill(pid, SIGKILL), 0);
    QVERIFY2(awaitSaid(run, out, lab.host(1).toUtf8() + " does not answer"), out);
    QVERIFY2(awaitSaid(run, out, lab.host(1).toUtf8() + " answers again"), out);
    for (const pid_t pid : radars) QVERIFY(alive(pid));
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    out += run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
  }

  /// Nobody attends it: what ends it then, and what becomes of the other hosts.
  void aKeptRunThatNobodyAttendsEndsByItself_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("its time has passed") << "time";
    QTest::newRow("the supervisor of this machine is killed") << "home";
  }
  void aKeptRunThatNobodyAttendsEndsByItself() {
    QFETCH(QString, how);
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}},
          {"--duration", how == "time" ? "8" : "600", "--keep"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QTRY_VERIFY_WITH_TIMEOUT(tuttiOf(lab).isKept(), endMs);
    run.kill();
    QVERIFY(run.waitForFinished(endMs));
    if (how == "home") {
      const QString name = tuttiOf(lab).id();
      QVERIFY(!name.isEmpty());
      QCOMPARE(::kill(test::supervisorOf(name), SIGKILL), 0);
    }
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), endMs);
    QVERIFY(!tuttiOf(lab).isGoing());
    // Who asks next for past runs finds its outcome, and the logs of all hosts here.
    const QByteArray listed = tuttiOf(lab).call({"rerun", "--list"});
    const auto record = recordOf(lab);
    QVERIFY2(!record.isEmpty(), listed);
    QCOMPARE(record["outcome"].toString(), how == "time" ? "stopped" : "lost");
    QCOMPARE(record["stopReason"].toString(), how == "time" ? "its time has passed" : "");
    // Both other hosts have told how theirs ended: without the RTI, of one whose home was killed.
    const QString state = how == "time" ? "exit code 0" : "exit code 3";
    QCOMPARE(radarsIn(record), (QStringList{state, state}));
  }

 private:
  /// The sample with some federates on hosts of the lab.
  void start(QProcess& run, const Lab& lab, const QHash<QString, int>& places,
             const QStringList& options, bool required = true) {
    const QString file = lab.sampleWith(places, required);
    tuttiOf(lab).begin(run, QStringList{"run", file, "--hosts", lab.hostsFile()} + options);
  }

  static test::TuttiCall tuttiOf(const Lab& lab) { return test::TuttiCall(lab.root() + "/state"); }
  /// Of what `tutti attach --json` prints the lines of federates, by host and number.
  static QHash<QString, QMap<qint64, QString>> outputOf(const QByteArray& printed) {
    QHash<QString, QMap<qint64, QString>> result;
    for (const QByteArray& line : printed.split('\n')) {
      const auto event = QJsonDocument::fromJson(line).object();
      if (event["event"] != "output") continue;
      result[event["host"].toString()][event["n"].toInteger()] = event["line"].toString();
    }
    return result;
  }
  /// What is kept of the run of a lab, and whether the logs of both hosts are beside it.
  static QJsonObject recordOf(const Lab& lab) {
    const QDir runs(lab.root() + "/state/tutti/runs");
    const QDir folder(runs.filePath(runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0)));
    QFile file(folder.filePath("record.json"));
    if (!file.open(QIODevice::ReadOnly)) return {};
    auto record = QJsonDocument::fromJson(file.readAll()).object();
    for (const char* radar : {"radar-west", "radar-east"}) {
      QFile log(folder.filePath(QLatin1String(radar) + QLatin1String(".log")));
      if (!log.open(QIODevice::ReadOnly) || !log.readAll().contains("started as process"))
        return {};
    }
    return record;
  }
  /// States of the radars in a record, of both hosts.
  static QStringList radarsIn(const QJsonObject& record) {
    QStringList states;
    for (const auto& value : record["processes"].toArray()) {
      const auto one = value.toObject();
      if (one["id"].toString().startsWith("radar")) states << one["state"].toString();
    }
    return states;
  }
  /// Whether `text` is in what the run prints, before it ends.
  static bool awaitSaid(QProcess& run, QByteArray& out, const QByteArray& text) {
    QElapsedTimer timer;
    timer.start();
    while (!out.contains(text) && timer.elapsed() < endMs) {
      const bool over = run.state() == QProcess::NotRunning;
      run.waitForReadyRead(200);
      out += run.readAllStandardOutput() + run.readAllStandardError();
      if (over) break;
    }
    return out.contains(text);
  }

  /// Commands that are left on any host.
  static QByteArray leftOn(const Lab& lab) {
    QByteArray result;
    for (const int host : {1, 2}) {
      for (const pid_t pid : lab.processes(host)) {
        if (alive(pid)) result += Lab::commandOf(pid) + '\n';
      }
      for (const QByteArray& line : lab.ask(host, "ls /dev/shm").split('\n')) {
        if (!line.trimmed().isEmpty()) result += "/dev/shm/" + line + '\n';
      }
    }
    return result;
  }
};

QTEST_GUILESS_MAIN(TestHostsKept)
#include "tst_hosts_kept.moc"
