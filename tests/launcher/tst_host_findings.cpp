// SPDX-License-Identifier: GPL-3.0-or-later
// What the answer of one host means for a run: each thing that can be wrong with it, alone.
#include <unistd.h>

#include <QSysInfo>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "launcher/engine/host_files.h"
#include "launcher/engine/host_findings.h"
#include "launcher/engine/port_use.h"
#include "tests/launcher/fake_ssh.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using Level = PreflightCheck::Level;

class TestHostFindings : public QObject {
  Q_OBJECT

 private slots:
  void whatIsWrongIsSaidAlone_data() {
    QTest::addColumn<QString>("fault");
    QTest::addColumn<Level>("level");
    QTest::addColumn<QString>("title");
    QTest::addColumn<QString>("detail");
    const auto row = [](const char* fault, Level level, const char* title, const char* detail) {
      QTest::newRow(fault) << fault << level << title << detail;
    };
    row("nothing", Level::Passed, "", "");
    row("machine", Level::Error, "lab1 is another kind of machine", "It is sparc64");
    row("memory", Level::Warning, "Little memory on lab1", "ask for 2000 MB, and 1000 MB are");
    row("cores", Level::Warning, "ask for more cores", "They ask for 8 of 4");
    row("disk", Level::Error, "Little room on lab1", "where 5 MB are free");
    row("clock", Level::Warning, "The clock of lab1 is 3.00 s ahead", "known to within 0.100 s");
    row("home", Level::Error, "lab1 does not reach the home", "Connection refused");
  }
  void whatIsWrongIsSaidAlone() {
    QFETCH(QString, fault);
    QFETCH(Level, level);
    QFETCH(QString, title);
    QFETCH(QString, detail);
    HostReport report = healthy();
    PlannedHost planned;
    planned.memoryMb = 500;
    planned.cores = 2;
    if (fault == "machine") report.machine = "sparc64";
    if (fault == "memory") planned.memoryMb = 2000, report.memoryAvailableMb = 1000;
    if (fault == "cores") planned.cores = 8;
    if (fault == "disk") report.bytesToCopy = 10'000'000, report.diskFreeMb = 5;
    if (fault == "clock") report.clockAheadSeconds = 3, report.clockUncertainSeconds = 0.1;
    if (fault == "home") report.reachesHome = false, report.whyNotHome = "Connection refused";
    int wrong = 0;
    for (const auto& check : stateOfHost(report, planned, "10.0.0.1:14321")) {
      if (check.level == Level::Passed) continue;
      ++wrong;
      QCOMPARE(check.level, level);
      QVERIFY2(check.title.contains(title), qPrintable(check.title));
      QVERIFY2(check.detail.contains(detail), qPrintable(check.detail));
      QVERIFY(!check.fixes.empty());
    }
    QCOMPARE(wrong, fault == "nothing" ? 0 : 1);
  }

  /// An object model that the host has with another content is named as one, by its check sum.
  void aModuleThatDiffersIsNoOtherFile() {
    HostFiles files;
    files.files["/fom/Air.xml"] = {"aa", 2'000'000};
    files.files["/bin/radar"] = {"bb", 1'000'000};
    files.modules = {"/fom/Air.xml"};
    HostReport report = healthy();
    report.toCopy = {"/fom/Air.xml"};
    const auto checks = filesOfHost(report, files, Level::Error);
    QCOMPARE(checks.size(), 1U);
    QVERIFY2(checks[0].id.startsWith("modules"), qPrintable(checks[0].id));
    QCOMPARE(checks[0].title, "FOM modules are missing on lab1, or others than here");
    QVERIFY2(checks[0].detail.contains("1 file by check sum (SHA-256): /fom/Air.xml"),
             qPrintable(checks[0].detail));
    QVERIFY(checks[0].level == Level::Error);
    for (const auto& [bytes, text] : {std::pair{600, "It has 600 bytes and"},
                                      {24'000, "It has 24 kB and"},
                                      {1'300'000, "It has 1.3 MB and"}}) {
      files.files["/fom/Air.xml"].size = bytes;
      const QString detail = filesOfHost(report, files, Level::Error)[0].detail;
      QVERIFY2(detail.contains(text), qPrintable(detail));
    }
    // Of many the first two.
    for (const char* path : {"/fom/B.xml", "/fom/C.xml", "/fom/D.xml"}) {
      files.files[path] = {"cc", 1000};
      files.modules << path;
      report.toCopy << path;
    }
    const QString detail = filesOfHost(report, files, Level::Error)[0].detail;
    QVERIFY2(detail.contains(": /fom/Air.xml, /fom/B.xml and 2 more. They have 1.3 MB and"),
             qPrintable(detail));
  }

  /// A host that lacks a component: which, who needs it, and how much that is.
  void aMissingComponentIsNamedWithItsFederates() {
    HostFiles files;
    files.files["/c/radar/radar"] = {"aa", 1'000'000};
    files.files["/c/radar/component.json"] = {"bb", 1000};
    files.files["/lib/libgreet.so"] = {"cc", 2000};
    for (const char* path : {"/c/radar/radar", "/c/radar/component.json"})
      files.uses[path] = {{"radar-west", "radar 1.2"}, {"radar-east", "radar 1.2"}};
    files.uses["/lib/libgreet.so"] = {{"radar-west", ""}, {"radar-east", ""}};
    files.files["/lib/libfmt.so"] = {"dd", 2000};  // of Tutti's programs alone
    files.libraries = {"/lib"};
    HostReport report = healthy();
    report.folder = "/copies";
    report.toCopy = {"/c/radar/component.json", "/c/radar/radar", "/lib/libfmt.so",
                     "/lib/libgreet.so"};
    auto checks = filesOfHost(report, files, Level::Error);
    QCOMPARE(checks.size(), 2U);
    QCOMPARE(checks[0].title, "lab1 lacks the component radar 1.2 (radar-west, radar-east)");
    QCOMPARE(checks[0].detail,
             "2 files by check sum (SHA-256): /c/radar/component.json, /c/radar/radar. They have "
             "1.0 MB and can be copied to /copies.");
    QCOMPARE(checks[1].title, "Shared libraries are missing on lab1, or others than here");
    QVERIFY2(checks[1].detail.endsWith("Needed by radar-west, radar-east."),
             qPrintable(checks[1].detail));
    for (const auto& check : checks) QVERIFY(!check.fixes.empty());
    // It is there, and not the same by check sum.
    report.toCopy = report.differing = QStringList{"/c/radar/radar"};
    checks = filesOfHost(report, files, Level::Error);
    QCOMPARE(checks.size(), 1U);
    QCOMPARE(checks[0].title,
             "lab1 has other files of the component radar 1.2 (radar-west, radar-east) than here");
    // Of many, the first few.
    report.differing.clear();
    for (int i = 0; i < 9; ++i) {
      files.uses["/c/radar/radar"].push_back({QStringLiteral("r%1").arg(i), "radar 1.2"});
      files.uses["/c/radar/radar"].push_back({"d", QStringLiteral("d%1 1").arg(i)});
    }
    checks = filesOfHost(report, files, Level::Error);
    QCOMPARE(checks[0].title, "lab1 lacks the components d0 1 (d), d1 1 (d), d2 1 (d), 7 more");
    QVERIFY2(checks[0].detail.contains("\nradar 1.2: radar-west, radar-east, r0,"),
             qPrintable(checks[0].detail));
  }

  void everyFindingOfFilesAndOfTheWayHasAFix() {
    Host host;
    host.name = host.destination = "lab1";
    HostReport report = healthy();
    report.reached = false;
    report.loss = {"lab1", "it does not answer", "See whether it is switched on."};
    for (const auto& check :
         {unreachedHost(report, host),
          unreadFile("lab1",
                     {"/c/radar", 0, {}, "/c/radar cannot be read: denied.", "Correct it."}),
          unreadFile("lab1",
                     {{}, 0, {}, "The program tutti-supervisor is not there.", "Build it."}),
          failedCopy(host, "2 files (1.0 MB)", {"/copies", "no room", "Make room."})}) {
      QVERIFY2(!check.fixes.empty() && !check.fixes.front().command.isEmpty(),
               qPrintable(check.title));
      QVERIFY2(!check.title.endsWith('.'), qPrintable(check.title));
    }
  }

  /// The host itself says which of the ports that federates need are taken, and by what.
  void aHostSaysWhichPortsAreTaken() {
    QTemporaryDir folder;
    test::makeFakeSsh(folder.filePath("programs"));  // a host that is this machine
    QTcpServer listener;
    QVERIFY(listener.listen(QHostAddress::LocalHostIPv6) ||
            listener.listen(QHostAddress::LocalHost));
    QTcpServer other;
    QVERIFY(other.listen(QHostAddress::LocalHost));
    const quint16 free = other.serverPort();
    other.close();
    // Who listens elsewhere than where a federate is looked for is in nobody's way.
    QTcpServer aside;
    QVERIFY(aside.listen(QHostAddress("127.0.0.2")));
    QTcpServer anywhere;
    QVERIFY(anywhere.listen(QHostAddress::Any));
    QVERIFY(!listenerAt(aside.serverPort()));
    QVERIFY(listenerAt(anywhere.serverPort()));
    QVERIFY(listenerAt(listener.serverPort()));
    Host host;
    host.name = host.destination = "lab1";
    QVERIFY(askHost(host, HostFiles{}, {}, 0, {}, {aside.serverPort()}).taken.empty());
    QCOMPARE(askHost(host, HostFiles{}, {}, 0, {}, {anywhere.serverPort()}).taken.size(), 1U);
    const HostReport report = askHost(host, HostFiles{}, {}, 0, {}, {free, listener.serverPort()});
    QVERIFY2(report.reached, qPrintable(report.loss.why));
    QCOMPARE(report.taken.size(), 1U);
    const QString holder = report.taken.at(listener.serverPort()).program;
    QVERIFY2(holder.contains(QString::number(::getpid())), qPrintable(holder));

    const LaunchPlan plan = viewersAt({free, listener.serverPort()}, "lab1");
    const auto checks = portsOfHost(report, host, plan);
    QCOMPARE(checks.size(), 1U);
    QCOMPARE(checks[0].title,
             QStringLiteral("Port %1 of viewer-%1 is taken on lab1").arg(listener.serverPort()));
    QVERIFY2(checks[0].detail.startsWith(holder + " listens there already"),
             qPrintable(checks[0].detail));
    QVERIFY(checks[0].level == Level::Error && !checks[0].fixes.empty());
    HostReport nothing = report;
    nothing.taken.clear();
    QVERIFY(portsOfHost(nothing, host, plan).front().level == Level::Passed);
  }

  /// Ports of a run of this account that goes on: one finding says which run it is, and how it
  /// ends.
  void theRunThatHoldsPortsIsNamedOnce_data() {
    QTest::addColumn<bool>("hasPlan");
    QTest::newRow("with its plan") << true;
    QTest::newRow("of which nothing is kept") << false;
  }
  void theRunThatHoldsPortsIsNamedOnce() {
    QFETCH(bool, hasPlan);
    QTemporaryDir state;
    qputenv("XDG_STATE_HOME", state.path().toUtf8());
    test::SupervisorClient supervisor;
    const QString run = supervisor.runName();
    if (hasPlan) {
      LaunchPlan plan = viewersAt({}, {});
      plan.run = run;
      plan.plan.run = run.toStdString();
      plan.federation = "air";
      plan.folder = runsFolder() + u'/' + run;
      QVERIFY(plan.save());
    }
    // The second one listens in a child of the federate.
    using test::SupervisorClient;
    supervisor.sendPlan({SupervisorClient::planned("one", {"listen"}),
                         SupervisorClient::planned("two", {"beside", "listen"})});
    std::set<quint16> ports;
    for (const char* id : {"one", "two"}) {
      const auto line = supervisor.waitFor("output", id)["line"].toString();
      QVERIFY2(line.startsWith("port "), qPrintable(line));
      ports.insert(line.mid(5).toUShort());
    }
    QTcpServer stranger;
    QVERIFY(stranger.listen(QHostAddress::LocalHost));
    ports.insert(stranger.serverPort());
    QCOMPARE(ports.size(), 3U);

    const auto checks = portChecks(preflightOfPlan(viewersAt(ports, {}), MachineState::now()));
    QCOMPARE(checks.size(), 2U);
    const auto& held = checks[runThatHolds(checks[0]).isEmpty() ? 1 : 0];
    const auto& taken = checks[runThatHolds(checks[0]).isEmpty() ? 0 : 1];
    QVERIFY2(taken.title.startsWith(QStringLiteral("Port %1 of").arg(stranger.serverPort())),
             qPrintable(taken.title));
    ports.erase(stranger.serverPort());
    QCOMPARE(runThatHolds(held), run);
    QCOMPARE(held.level, Level::Error);
    QCOMPARE(held.title,
             QStringLiteral("Ports %1, %2 of viewer-%1, viewer-%2 are held by the run %3 on this "
                            "machine")
                 .arg(*ports.begin())
                 .arg(*ports.rbegin())
                 .arg(run));
    QVERIFY2(held.detail.startsWith(
                 hasPlan ? "It is a run of this account, of the federation air, and goes on: "
                         : "It is a run of this account, and goes on: "),
             qPrintable(held.detail));
    QCOMPARE(held.fixes.front().command, "tutti stop " + run);
  }

  /// A host says of whoever listens which RTI node its environment names, also for a child of a
  /// federate.
  void aHostSaysOfWhichRunAHolderIs() {
    QTemporaryDir folder;
    test::makeFakeSsh(folder.filePath("programs"));
    using test::SupervisorClient;
    SupervisorClient supervisor;
    supervisor.sendPlan(
        {SupervisorClient::planned("one", {"beside", "listen"},
                                   {{"env", QJsonObject{{"TUTTI_RTI", "shm:run-7"}}}}),
         SupervisorClient::planned("two", {"listen"})});
    std::map<QString, quint16> ports;
    for (const char* id : {"one", "two"}) {
      const auto line = supervisor.waitFor("output", id)["line"].toString();
      QVERIFY2(line.startsWith("port "), qPrintable(line));
      ports[id] = line.mid(5).toUShort();
    }
    Host host;
    host.name = host.destination = "lab1";
    const HostReport report = askHost(host, HostFiles{}, {}, 0, {}, {ports["one"], ports["two"]});
    QVERIFY2(report.reached, qPrintable(report.loss.why));
    QCOMPARE(report.taken.size(), 2U);
    QCOMPARE(report.taken.at(ports["one"]).designator, "shm:run-7");
    QCOMPARE(report.taken.at(ports["two"]).designator, qEnvironmentVariable("TUTTI_RTI"));
    for (const auto& [port, holder] : report.taken)
      QVERIFY2(holder.program.startsWith("fake_federate ("), qPrintable(holder.program));
  }

  /// On another host it is what the holder's environment says of its RTI node: another program has
  /// the port that a federate of a going run is planned for, as its own has died.
  void theRunThatHoldsPortsOfAHostIsNamedOnce() {
    Host host;
    host.name = host.destination = "lab1";
    HostReport report = healthy();
    report.taken = {{5000, {"java (7)", 0, "shm:run-2-lab1"}},
                    {5001, {"viewer (8)", 0, "shm:run-2-lab1"}},
                    {5002, {"nginx (9)", 0, {}}},
                    {5003, {"viewer (10)", 0, "shm:run-1-lab1"}}};
    GoingRun run;
    run.plan = viewersAt({5001, 5002, 5003}, "node-a");
    run.plan.run = "20250131-140228-00000002";
    PlannedHost planned;
    planned.host = host;
    planned.host.name = "node-a";  // another hosts file calls it so
    planned.node = "run-2-lab1";
    run.plan.hosts = {planned};
    const LaunchPlan plan = viewersAt({5000, 5001, 5002, 5003}, "lab1");
    const auto checks = portsOfHost(report, host, plan, {run});
    QCOMPARE(checks.size(), 3U);
    QCOMPARE(checks[0].title, "Port 5002 of viewer-5002 is taken on lab1");
    QVERIFY2(checks[0].detail.startsWith("nginx (9) listens"), qPrintable(checks[0].detail));
    QCOMPARE(checks[1].title, "Port 5003 of viewer-5003 is taken on lab1");
    QCOMPARE(checks[2].title,
             "Ports 5000, 5001 of viewer-5000, viewer-5001 are held by the run "
             "20250131-140228-00000002 on lab1");
    QCOMPARE(checks[2].id, "ports-lab1");
    QCOMPARE(runThatHolds(checks[2]), run.plan.run);
    // A host of the same name elsewhere is another one.
    run.plan.hosts[0].host.destination = "lab1.example.org";
    QCOMPARE(portsOfHost(report, host, plan, {run}).size(), 4U);
  }

 private:
  /// Federates that are ready when they listen at these ports.
  static LaunchPlan viewersAt(const std::set<quint16>& ports, const QString& host) {
    LaunchPlan plan;
    plan.folder = runsFolder() + QStringLiteral("/next");
    for (const quint16 port : ports) {
      const QString name = QStringLiteral("viewer-%1").arg(port);
      PlannedProcess process;
      process.id = name.toStdString();
      process.command = {"/bin/true"};
      process.ready.when = ReadyWhen::Port;
      process.ready.text = std::to_string(port);
      plan.plan.processes.push_back(process);
      PlannedFederate federate;
      federate.name = name;
      federate.host = host;
      plan.federates.push_back(federate);
    }
    return plan;
  }

  static std::vector<PreflightCheck> portChecks(std::vector<PreflightCheck> checks) {
    std::erase_if(checks, [](const PreflightCheck& check) { return check.id != "ports"; });
    return checks;
  }

  static HostReport healthy() {
    HostReport report;
    report.host = "lab1";
    report.reached = true;
    report.machine = QSysInfo::currentCpuArchitecture();
    report.cores = 4;
    report.memoryAvailableMb = report.memoryTotalMb = 8000;
    report.diskFreeMb = report.logDiskFreeMb = 50000;
    report.reachesHome = true;
    return report;
  }
};

QTEST_GUILESS_MAIN(TestHostFindings)
#include "tst_host_findings.moc"
