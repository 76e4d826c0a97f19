// SPDX-License-Identifier: GPL-3.0-or-later
// run.sh of a folder of plans over several hosts, each with an sshd and nothing else of ours.
#include <signal.h>

#include <QTest>

#include "tests/launcher/lab_plans.h"

using namespace tutti::launcher::test;

class TestHostsScript : public QObject {
  Q_OBJECT

 private slots:
  void theScriptRunsTheFederationOnAllHosts() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    QProcess script;
    script.setProcessEnvironment(environmentOf(lab));
    script.start("dash", {folder + "/run.sh"});
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(1, "/radar ").isEmpty(), endMs);
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(2, "/radar ").isEmpty(), endMs);
    // The key is a file for the owner only, and in no command or environment.
    const auto node = lab.processes(1, "tutti-rti ");
    QCOMPARE(node.size(), 1);
    const QString keyFile = QString::fromUtf8(Lab::commandOf(node.front()))
                                .section("--key-file ", 1)
                                .section(' ', 0, 0);
    QCOMPARE(lab.ask(1, "stat -c %a " + keyFile).trimmed(), "600");
    const auto key = lab.ask(1, "cat " + keyFile).trimmed();
    QVERIFY2(key.startsWith("tutti-key-1 "), key);
    QVERIFY(!Lab::commandOf(node.front()).contains(key.mid(12)));
    script.terminate();
    QVERIFY(script.waitForFinished(endMs));
    const auto out = script.readAllStandardOutput() + script.readAllStandardError();
    QVERIFY2(script.exitCode() == 0, out);
    QVERIFY2(out.contains("it was asked to end") && out.contains("radar-west: exit code ") &&
                 out.contains("radar-east: exit code "),
             out);
    QVERIFY2(leftOn(lab).isEmpty(), leftOn(lab));
    QCOMPARE(lab.ask(1, "ls " + keyFile + " 2>/dev/null").trimmed(), "");
    // All exchanged data: the log has seen the plots of both radars.
    const auto logs = out.mid(out.indexOf("Logs: ") + 6);
    const auto log = content(QString::fromUtf8(logs.left(logs.indexOf('\n'))) + "/log.log");
    QVERIFY2(!log.isEmpty(), out);
  }

  void theScriptLeavesNothingOnAnyHost_data() {
    QTest::addColumn<int>("signal");
    QTest::addColumn<QString>("victim");
    QTest::newRow("Ctrl+C") << SIGINT << "script";
    QTest::newRow("SIGTERM") << SIGTERM << "script";
    QTest::newRow("killed") << SIGKILL << "script";
    QTest::newRow("connection") << SIGKILL << "connection";
    QTest::newRow("cable") << 0 << "cable";
  }
  void theScriptLeavesNothingOnAnyHost() {
    QFETCH(int, signal);
    QFETCH(QString, victim);
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    QProcess script;
    script.setProcessEnvironment(environmentOf(lab));
    script.start("dash", {folder + "/run.sh"});
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(1, "/radar ").isEmpty(), endMs);
    QTRY_VERIFY_WITH_TIMEOUT(!lab.processes(2, "/radar ").isEmpty(), endMs);
    if (victim == "script") {
      QVERIFY(::kill(static_cast<pid_t>(script.processId()), signal) == 0);
    } else if (victim == "connection") {
      const auto connections = lab.processes(1, "sshd: root@notty");
      QVERIFY(!connections.isEmpty());
      for (const pid_t pid : connections) QVERIFY(::kill(pid, signal) == 0);
    } else {
      QVERIFY(lab.call({"cut", lab.host(1)}));
    }
    // radar-west is required, so the end of its host is the run's.
    QVERIFY(script.waitForFinished(endMs));
    const auto out = script.readAllStandardOutput() + script.readAllStandardError();
    if (victim == "script" && signal != SIGKILL) QVERIFY2(script.exitCode() == 0, out);
    if (victim != "script") {
      QVERIFY2(script.exitCode() == 1, out);
      QVERIFY2(out.contains(lab.host(1).toUtf8() + " is lost"), out);
    }
    // A host that nobody reaches ends its part by itself.
    if (victim == "cable") QTRY_VERIFY_WITH_TIMEOUT(lab.processes(1, "/radar ").isEmpty(), endMs);
    if (victim == "cable") QVERIFY(lab.call({"mend", lab.host(1)}));
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
  }

  void theScriptStartsNothingWhenAHostLacksFiles() {
    Lab lab(2, {"--own-files", "--hide", TUTTI_BINARY_DIR});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString folder = planOn(lab);
    QVERIFY(!folder.isEmpty());
    QProcess script;
    script.setProcessEnvironment(environmentOf(lab));
    script.start("dash", {folder + "/run.sh"});
    QVERIFY(script.waitForFinished(endMs));
    QCOMPARE(script.exitCode(), 2);
    const auto said = script.readAllStandardError();
    for (const int host : {1, 2}) {
      QVERIFY2(said.contains(lab.host(host).toUtf8() + " lacks " TUTTI_BINARY_DIR), said);
      QVERIFY2(said.contains(lab.host(host).toUtf8() + " cannot be used"), said);
    }
    // sshd ends a session after its client.
    QTRY_VERIFY2_WITH_TIMEOUT(leftOn(lab).isEmpty(), leftOn(lab), 30000);
  }
};

QTEST_GUILESS_MAIN(TestHostsScript)
#include "tst_hosts_script.moc"
