// SPDX-License-Identifier: GPL-3.0-or-later
// A run over several hosts, each with an sshd and nothing else of ours: the sample federation, what
// stops it before it starts, and what becomes of it when a host, its cable or a program there goes.
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

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestHostsRun : public QObject {
  Q_OBJECT

 private slots:
  void federatesOfSeveralHostsExchangeData() {
    Lab lab(4);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"flow-north", 1}, {"radar-west", 2}, {"radar-east", 3}, {"detector", 4}},
          {"--duration", "3", "--json"});
    for (const int host : {1, 2, 3, 4}) {
      QTRY_COMPARE_WITH_TIMEOUT(lab.processes(host, "bin/components/").size(), 1, endMs);
      // Its home is elsewhere.
      QCOMPARE(lab.processes(host, "tutti-rti ").size(), 1);
    }
    QVERIFY(run.waitForFinished(endMs));
    const QByteArray out = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QCOMPARE(result["outcome"].toString(), "stopped");
    QVERIFY2(result["deaths"].toArray().isEmpty() && result["troubles"].toArray().isEmpty(), out);
    const QHash<QString, QString> places{{"flow-north", lab.host(1)}, {"radar-west", lab.host(2)},
                                         {"radar-east", lab.host(3)}, {"detector", lab.host(4)},
                                         {"flow-south", ""},          {"log", ""}};
    int seen = 0;
    for (const auto& value : result["federates"].toArray()) {
      const auto one = value.toObject();
      const QString name = one["name"].toString();
      if (!places.contains(name)) continue;
      ++seen;
      QCOMPARE(one["host"].toString(), places[name]);
      QCOMPARE(one["state"].toString(), "exit code 0");
      QVERIFY2(one["joined"].toBool(), qPrintable(name));
      // Both flows register 200 instances each, one of them on this machine and one on a host.
      if (name.startsWith("radar") || name == "detector" || name == "log")
        QVERIFY2(one["instancesDiscovered"].toInt() >= 400, out);
    }
    QCOMPARE(seen, places.size());
    QVERIFY2(leftOn(lab, 4).isEmpty(), leftOn(lab, 4));
  }

  void whatHostsLackIsCopiedOnce() {
    Lab lab(1, {"--own-files", "--hide", TUTTI_BINARY_DIR});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QCOMPARE(lab.ask(1, "ls " TUTTI_BINARY_DIR).trimmed(), "");
    for (const bool first : {true, false}) {
      QProcess run;
      start(run, lab, {{"radar-west", 1}}, {"--duration", "1"});
      QVERIFY(run.waitForFinished(endMs));
      const QByteArray out = run.readAllStandardOutput();
      QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
      QVERIFY2(out.contains(" lacks ") == first, out);
    }
    // One that was changed there is copied again, and it alone.
    const QByteArray there = lab.ask(1, "find ~/.cache/tutti -name radar -type f -perm -u+x");
    QVERIFY2(!there.trimmed().isEmpty(), there);
    lab.ask(1, "echo broken > " + QString::fromUtf8(there.trimmed()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}}, {"--duration", "1"});
    QVERIFY(run.waitForFinished(endMs));
    const QByteArray out = run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QVERIFY2(out.contains(" lacks 1 file ("), out);
  }

  void nothingStartsAnywhereWhenOneHostLacksSomething_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<QStringList>("said");
    QTest::newRow("wrong key") << "wrong key"
                               << QStringList{"accepts none of the keys", "ssh-copy-id"};
    QTest::newRow("unknown host key")
        << "unknown" << QStringList{"host key is not known", "SHA256:"};
    QTest::newRow("changed host key")
        << "changed" << QStringList{"host key is another one", "SHA256:"};
    QTest::newRow("down") << "down" << QStringList{};
    QTest::newRow("cut") << "cut" << QStringList{};
    QTest::newRow("files") << "files" << QStringList{"lacks the component radar 1.4 (radar-east)"};
    QTest::newRow("full disk") << "full" << QStringList{"MB are free"};
  }
  void nothingStartsAnywhereWhenOneHostLacksSomething() {
    QFETCH(QString, fault);
    QFETCH(QStringList, said);
    const bool own = fault == "files" || fault == "full";
    Lab lab(2, own ? QStringList{"--own-files", "--hide", TUTTI_BINARY_DIR} : QStringList{});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString keys = lab.folder() + "/known_hosts";
    QStringList options{"--duration", "2"};
    // The second host is the one that lacks something.
    if (fault == "wrong key") {
      QProcess::execute("ssh-keygen",
                        {"-q", "-t", "ed25519", "-N", "", "-f", lab.folder() + "/other"});
      replace(lab.hostsFile(), "client_key", "other");
      said << QString();
    } else if (fault == "unknown") {
      const auto lines = content(keys).split('\n');
      write(keys, lines.value(0) + '\n');
    } else if (fault == "changed") {
      auto lines = content(keys).trimmed().split('\n');
      const QByteArray first = lines[0].split(' ').last();
      lines[1] = lines[1].left(lines[1].lastIndexOf(' ') + 1) + first;
      write(keys, lines.join('\n') + '\n');
    } else if (fault == "down") {
      QVERIFY(lab.call({"kill", lab.host(2)}));
    } else if (fault == "cut") {
      QVERIFY(lab.call({"cut", lab.host(2)}));
    } else if (fault == "files") {
      options << "--no-copy";
    } else if (fault == "full") {
      lab.ask(2, "mkdir -p ~/.cache/tutti; mount -t tmpfs -o size=1m none ~/.cache/tutti");
    }
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, options);
    QVERIFY(run.waitForFinished(endMs));
    const QString errors = QString::fromUtf8(run.readAllStandardError());
    QVERIFY2(run.exitCode() == 2, qPrintable(errors));
    QVERIFY2(errors.contains(lab.host(2)), qPrintable(errors));
    QVERIFY2(errors.contains("Nothing was started"), qPrintable(errors));
    for (const QString& part : std::as_const(said))
      QVERIFY2(errors.contains(part), qPrintable(errors));
    QVERIFY(lab.processes(1, "tutti-rti").isEmpty() && lab.processes(1, "/radar ").isEmpty());
  }

  void aCutOfSecondsEndsNothing() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, {"--duration", "14"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    QVERIFY(lab.call({"cut", lab.host(1)}));
    const bool heardOfIt = awaitSaid(run, out, lab.host(1).toUtf8() + " does not answer");
    QTest::qWait(2000);
    QVERIFY(lab.call({"mend", lab.host(1)}));
    QVERIFY2(heardOfIt, out);
    QVERIFY2(awaitSaid(run, out, lab.host(1).toUtf8() + " answers again"), out);
    QVERIFY(run.waitForFinished(endMs));
    out += run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QVERIFY2(leftOn(lab).isEmpty(), leftOn(lab));
  }

  /// However many federates a host has, one connection of ssh carries all of them.
  void manyFederatesOfAHostUseOneConnection() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString file = lab.sampleWith({{"radar-west", 1}});
    replace(file, R"("name": "radar-west")", R"("count": 20, "name": "radar-west")");
    QProcess run;
    startFile(run, lab, file, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  25 of 25"), out);
    QCOMPARE(lab.processes(1, "bin/components/").size(), 20);
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(1, "sshd: root@notty").size(), 1, endMs);
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    QVERIFY2(leftOn(lab, 1).isEmpty(), leftOn(lab, 1));
  }

  /// The disk for logs of one host is full: that is said with its name, and all go on.
  void aFullDiskForLogsIsSaid() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, {"--duration", "300"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    // No more room than what is used already.
    lab.ask(1,
            "cd ~/.local/state/tutti && head -c 1G /dev/zero > filler; "
            "mount -o remount,size=$(du -s --block-size=1k . | cut -f1)k . ; sync");
    const QByteArray filled = lab.ask(1, "df --output=avail ~/.local/state/tutti | tail -1");
    QCOMPARE(filled.trimmed(), "0");
    const auto tutti = tuttiOf(lab);
    // The page that the log ends in has some room left: each start writes its command line.
    const QByteArray expected = "the log of radar-west is incomplete (" + lab.host(1).toUtf8();
    for (int start = 0; start < 40 && !out.contains(expected); ++start) {
      const QByteArray said = tutti.call({"start", tutti.id(), "radar-west", "--restart"});
      QVERIFY2(said.contains("radar-west: "), said);
      out += run.readAllStandardOutput() + run.readAllStandardError();
    }
    QVERIFY2(awaitSaid(run, out, expected), out);
    QVERIFY2(awaitSaid(run, out, "No space left on device"), out);
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    out += run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0, out + run.readAllStandardError());
    QVERIFY2(leftOn(lab).isEmpty(), leftOn(lab));
  }

  void whatGoesIsSaidAndNothingIsLeft_data() {
    QTest::addColumn<QString>("victim");
    QTest::addColumn<bool>("required");
    QTest::addColumn<QStringList>("said");
    const auto row = [](const char* victim, const QStringList& said) {
      QTest::newRow(victim) << victim << false << said;
    };
    row("cable", {"HOST does not answer", "The host HOST is lost"});
    row("host", {"The host HOST is lost"});
    row("connection", {"The host HOST is lost", "the connection has ended"});
    row("supervisor", {"The host HOST is lost", "its supervisor was killed there"});
    row("node", {"HOST died"});
    QTest::newRow("host of one that is needed")
        << "host" << true
        << QStringList{"The host HOST is lost", "HOST is lost, and radar-west is needed"};
    QTest::newRow("node of one that is needed")
        << "node" << true
        << QStringList{"HOST died", "the RTI node of HOST died, and radar-west is needed"};
    QTest::newRow("console") << "console" << true << QStringList{};
  }
  void whatGoesIsSaidAndNothingIsLeft() {
    QFETCH(QString, victim);
    QFETCH(bool, required);
    QFETCH(QStringList, said);
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QProcess run;
    start(run, lab, {{"radar-west", 1}, {"radar-east", 2}}, {"--duration", "300"}, required);
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "running  6 of 6"), out);
    const auto there = lab.processes(1);
    QVERIFY(there.size() >= 4);
    if (victim == "cable") {
      QVERIFY(lab.call({"cut", lab.host(1)}));
    } else if (victim == "host") {
      QVERIFY(lab.call({"kill", lab.host(1)}));
    } else if (victim == "console") {
      run.kill();
    } else {
      const QByteArray program = victim == "node"         ? "tutti-rti "
                                 : victim == "connection" ? "sshd: root@notty"
                                                          : "tutti-supervisor";
      const auto victims = lab.processes(1, program);
      QVERIFY2(!victims.isEmpty(), program);
      for (const pid_t pid : victims) QVERIFY(::kill(pid, SIGKILL) == 0);
    }
    for (QString part : std::as_const(said)) {
      part.replace("HOST", lab.host(1));
      QVERIFY2(awaitSaid(run, out, part.toUtf8()), out);
    }
    if (victim == "console") {
      QVERIFY(run.waitForFinished(endMs));
    } else if (required) {
      QVERIFY2(run.waitForFinished(endMs), out);
      QCOMPARE(run.exitCode(), 1);
    } else {
      // The others go on: they are told of more than one grant more.
      QTest::qWait(1500);
      QCOMPARE(run.state(), QProcess::Running);
      QVERIFY(!lab.processes(2, "/radar ").isEmpty());
      run.terminate();
      QVERIFY(run.waitForFinished(endMs));
    }
    if (victim == "cable") QVERIFY(lab.call({"mend", lab.host(1)}));
    // What a host runs ends by itself when nobody is heard for the grace.
    QByteArray left;
    QTRY_VERIFY2_WITH_TIMEOUT((left = leftOn(lab)).isEmpty(), left, 60000);
    for (const pid_t pid : there) QVERIFY2(!alive(pid), Lab::commandOf(pid));
  }

 private:
  /// The sample with some federates on hosts of the lab.
  void start(QProcess& run, const Lab& lab, const QHash<QString, int>& places,
             const QStringList& options, bool required = true) {
    startFile(run, lab, lab.sampleWith(places, required), options);
  }
  static void startFile(QProcess& run, const Lab& lab, const QString& file,
                        const QStringList& options) {
    tuttiOf(lab).begin(run, QStringList{"run", file, "--hosts", lab.hostsFile()} + options);
  }

  static test::TuttiCall tuttiOf(const Lab& lab) { return test::TuttiCall(lab.root() + "/state"); }
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
  static QByteArray leftOn(const Lab& lab, int hosts = 2) {
    QByteArray result;
    for (int host = 1; host <= hosts; ++host) {
      for (const pid_t pid : lab.processes(host)) {
        if (alive(pid)) result += Lab::commandOf(pid) + '\n';
      }
      for (const QByteArray& line : lab.ask(host, "ls /dev/shm").split('\n')) {
        if (!line.trimmed().isEmpty()) result += "/dev/shm/" + line + '\n';
      }
    }
    return result;
  }

  static void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
      qFatal("%s cannot be written", qPrintable(path));
  }
  static void replace(const QString& path, const QByteArray& what, const QByteArray& by) {
    write(path, content(path).replace(what, by));
  }
};

QTEST_GUILESS_MAIN(TestHostsRun)
#include "tst_hosts_run.moc"
