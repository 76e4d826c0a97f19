// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti run` and `tutti plan` as a person or a script calls them, with components that need no
// RTI.
#include <signal.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;

class TestCliRun : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    component("good", R"("arguments": [["say", "up", "sleep"]])");
    component("quick", R"("arguments": [["say", "done", "exit", "0"]])");
    component("bad", R"("arguments": [["say", "last words", "die", "11"]])");
    component("failing", R"("arguments": [["exit", "3"]])");
    component("deaf", R"("arguments": [["ignore-term"]])");
    component(
        "daemon", R"("arguments": [["daemonize", "{file}"]])",
        QStringLiteral(R"(, "parameters": [{"name": "file", "kind": "text", "default": "%1"}])")
            .arg(pidFile()));
    component("unbuilt", R"("arguments": [])", {}, QStringLiteral("not-there"));
  }

  void endsCleanly_data() {
    QTest::addColumn<QStringList>("components");
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("why");
    QTest::newRow("duration") << QStringList{"good", "good"} << QStringList{"--duration", "0.2"}
                              << "0.2 s have passed";
    QTest::newRow("all ended") << QStringList{"quick"} << QStringList{}
                               << "all federates have ended";
    QTest::newRow("deaf") << QStringList{"deaf"} << QStringList{"--duration=0.1"}
                          << "0.1 s have passed";
  }
  void endsCleanly() {
    QFETCH(QStringList, components);
    QFETCH(QStringList, options);
    QFETCH(QString, why);
    QProcess process;
    run(process, QStringList{"run", composition(components)} + options);
    QVERIFY(process.waitForFinished(20000));
    const auto out = QString::fromUtf8(process.readAllStandardOutput());
    const auto complaints = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(process.exitCode() == 0 && complaints.isEmpty(), qPrintable(out + complaints));
    QVERIFY2(out.contains("(" + why + ")"), qPrintable(out));
    QVERIFY(!out.contains(u'\x1b'));  // No terminal, no escape sequences.
  }

  void saysWhoDied_data() {
    QTest::addColumn<QString>("component");
    QTest::addColumn<QString>("cause");
    QTest::newRow("signal") << "bad"
                            << "signal 11 (SIGSEGV)";
    QTest::newRow("exit code") << "failing"
                               << "exit code 3";
  }
  void saysWhoDied() {
    QFETCH(QString, component);
    QFETCH(QString, cause);
    QProcess process;
    run(process, {"run", composition({component, "good"}), "--duration", "20"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 1);
    const auto out = QString::fromUtf8(process.readAllStandardOutput());
    QVERIFY2(out.contains(cause), qPrintable(out));
    QVERIFY(out.contains(QStringLiteral("a-%1 died").arg(component)));
    if (component == "bad") QVERIFY(out.contains("last words"));
  }

  /// It runs and runs, and nobody ever sees it in the federation.
  void saysWhoNeverJoined() {
    file("components/absent/component.json",
         QStringLiteral(R"({"id": "absent", "name": "absent", "version": "1.0", "api": "none",
                            "ready": {"when": "joined"},
                            "command": {"executable": "%1", "arguments": [["sleep"]]}})")
             .arg(test::fakeFederate)
             .toUtf8());
    QProcess process;
    run(process, {"run", composition({"absent", "good"}), "--duration", "0.2"});
    QVERIFY(process.waitForFinished(30000));
    const auto out = QString::fromUtf8(process.readAllStandardOutput());
    QVERIFY2(process.exitCode() == 1, qPrintable(out));
    QVERIFY2(out.contains("a-absent is not ready after 10 s"), qPrintable(out));
    QVERIFY2(out.contains("it has not joined test"), qPrintable(out));
  }

  void printsOneJsonValue() {
    QProcess process;
    run(process, {"run", composition({"bad", "good"}), "--json"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 1);
    QJsonParseError error;
    const auto result = QJsonDocument::fromJson(process.readAllStandardOutput(), &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(result["outcome"].toString(), "federate died");
    QCOMPARE(result["stopReason"].toString(), "a-bad died");
    const auto death = result["deaths"].toArray().first().toObject();
    QCOMPARE(death["name"].toString(), "a-bad");
    QCOMPARE(death["lastLines"].toArray().first().toString().section(' ', 0, 0), "started");
    QVERIFY(death["lastLines"].toArray().contains("last words"));
    QVERIFY(QFile::exists(death["log"].toString()));
    QCOMPARE(result["federates"].toArray().size(), 3);
  }

  void refusesWhatCannotRun_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("nothing") << QStringList{"run"} << "name one composition";
    QTest::newRow("no file") << QStringList{"run", "/nowhere/x.federation.json"}
                             << "/nowhere/x.federation.json";
    QTest::newRow("unknown option") << QStringList{"run", "--fast"} << "--fast";
    QTest::newRow("unknown option behind the file")
        << QStringList{"run", "x", "--fast"} << "there is no option --fast";
    QTest::newRow("bad architecture")
        << QStringList{"run", "x", "--architecture", "flat"} << "--architecture is";
    QTest::newRow("bad duration") << QStringList{"run", "x", "--duration", "-1"} << "--duration";
    QTest::newRow("duration without value")
        << QStringList{"run", "x", "--duration"} << "--duration";
    QTest::newRow("a way to place without placing")
        << QStringList{"run", "x", "--nodes", "2"} << "say how to --place";
    QTest::newRow("half a partition")
        << QStringList{"run", "x", "--place", "--partition", "sim"} << "CLUSTER/PARTITION";
    QTest::newRow("no number of nodes")
        << QStringList{"run", "x", "--place", "--partition", "c/sim", "--nodes", "0"}
        << "--nodes is a whole number";
    QTest::newRow("nodes of what")
        << QStringList{"run", "x", "--place", "--nodes", "2"} << "--nodes are those of";
    QTest::newRow("a plan is placed")
        << QStringList{"run", file("placed-plan.json", R"({"version":1,"processes":[]})"),
                       "--place"}
        << "is a launch plan, whose federates have their hosts";
    QTest::newRow("no hosts to place on")
        << QStringList{"run", composition({"quick"}, "no-hosts"), "--place", "--hosts",
                       file("none.hosts.json", "{}")}
        << "describes no hosts";
    QTest::newRow("no host has it")
        << QStringList{"run", needing("too-much", 9), "--place", "--hosts",
                       file("desk.hosts.json", R"({"hosts": {"desk": {"cores": 4}}})")}
        << "a-quick cannot be placed. It needs 9 cores (as the composition says); desk comes "
           "closest and has 5 cores too few (4 of its 4 cores left).\nNothing was started.";
    QTest::newRow("unknown component")
        << QStringList{"run", composition({"nowhere"}, "unknown")} << "nowhere";
    QTest::newRow("no executable")
        << QStringList{"run", composition({"unbuilt"}, "unbuilt")} << "not-there";
    QTest::newRow("broken file") << QStringList{"run", file("broken.federation.json", "{")}
                                 << "broken.federation.json";
    QTest::newRow("broken plan") << QStringList{"run", file("broken-plan.json",
                                                            R"({"version":1,"processes":[{}]})")}
                                 << "process 1";
  }
  void refusesWhatCannotRun() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    QProcess process;
    run(process, arguments);
    QVERIFY(process.waitForFinished(20000));
    const auto text = QString::fromUtf8(process.readAllStandardError());
    QCOMPARE(process.exitCode(), 2);
    QVERIFY2(text.contains(said), qPrintable(text));
    QVERIFY(process.readAllStandardOutput().isEmpty());
    // The same, for a machine.
    QProcess machine;
    run(machine, arguments + QStringList("--json"));
    QVERIFY(machine.waitForFinished(20000));
    QCOMPARE(machine.exitCode(), 2);
    const auto json = QJsonDocument::fromJson(machine.readAllStandardOutput()).object();
    QVERIFY(json["error"].toString().contains(said));
  }

  void whereEachWasPlacedIsSaidAndKept() {
    const QString composition = needing("placing", 3);
    const QStringList arguments{composition, "--place", "--hosts",
                                file("desk.hosts.json", R"({"hosts": {"desk": {"cores": 4}}})")};
    QFile before(composition);
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    QProcess process;
    run(process, QStringList{"run"} + arguments);
    QVERIFY(process.waitForFinished(20000));
    const auto out = QString::fromUtf8(process.readAllStandardOutput());
    QVERIFY2(process.exitCode() == 0, qPrintable(out + process.readAllStandardError()));
    QVERIFY2(
        out.startsWith("a-quick  desk  desk is the only host.\n1 federate on 1 host, 0 refused;"),
        qPrintable(out));
    QProcess machine;
    run(machine, QStringList{"run"} + arguments + QStringList{"--json"});
    QVERIFY(machine.waitForFinished(20000));
    const auto result = QJsonDocument::fromJson(machine.readAllStandardOutput()).object();
    const auto placed = result["placement"].toObject()["placed"].toArray();
    QCOMPARE(placed.size(), 1);
    QCOMPARE(placed[0].toObject()["host"].toString(), "desk");
    QFile plan(result["folder"].toString() + "/plan.json");
    QVERIFY(plan.open(QIODevice::ReadOnly));
    QVERIFY(plan.readAll().contains("\"placed_because\": \"desk is the only host.\""));
    QFile after(composition);
    QVERIFY(after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), bytes);

    // A plan of it is the same, and one that cannot be is not written.
    QProcess planning;
    run(planning, QStringList{"plan"} + arguments + QStringList{"-o", folder_.filePath("a.json")});
    QVERIFY(planning.waitForFinished(20000));
    const auto planned = planning.readAllStandardOutput();
    QVERIFY2(planning.exitCode() == 0, planned);
    QVERIFY2(planned.contains("a-quick  desk  desk is the only host."), planned);
    QVERIFY(QFileInfo::exists(folder_.filePath("a.json")));
    QProcess refused;
    run(refused, {"plan", needing("placing", 5), "--place", "--hosts", arguments.back(), "-o",
                  folder_.filePath("b.json"), "--json"});
    QVERIFY(refused.waitForFinished(20000));
    QCOMPARE(refused.exitCode(), 1);
    const auto checks = QJsonDocument::fromJson(refused.readAllStandardOutput()).object();
    const auto first = checks["preflight"].toArray().first().toObject();
    QCOMPARE(first["title"].toString(), "a-quick cannot be placed");
    QVERIFY(first["detail"].toString().contains("desk comes closest and has 1 core too few"));
    QCOMPARE(checks["placement"].toObject()["refused"].toArray().size(), 1);
    QVERIFY(!QFileInfo::exists(folder_.filePath("b.json")));
  }

  void stopsOnSignals_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("hang-up") << SIGHUP;
  }
  void stopsOnSignals() {
    QFETCH(int, signal);
    QProcess process;
    const auto pids = start(process);
    ::kill(static_cast<pid_t>(process.processId()), signal);
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitCode(), 0);
    for (const auto pid : pids) QVERIFY(!alive(pid));
    QVERIFY(process.readAllStandardOutput().contains("ended after"));
  }

  void leavesNothingWhenKilled() {
    QProcess process;
    const auto pids = start(process);
    for (const auto pid : pids) QVERIFY(alive(pid));
    process.kill();
    QVERIFY(process.waitForFinished(5000));
    const auto anyAlive = [&] {
      return std::any_of(pids.begin(), pids.end(), [](pid_t pid) { return alive(pid); });
    };
    QTRY_VERIFY_WITH_TIMEOUT(!anyAlive(), 3000);
  }

  void keepsATableUpToDateInATerminal() {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.start("script", {"-qec",
                             QStringLiteral("stty cols 100 rows 20; '%1' run '%2' --duration 1.2")
                                 .arg(program_, composition({"good", "quick"})),
                             "/dev/null"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 0);
    const auto out = QString::fromUtf8(process.readAllStandardOutput());
    QVERIFY2(out.contains(QRegularExpression("\x1b\\[\\d+A\x1b\\[J")), qPrintable(out));
    QVERIFY(out.contains(QRegularExpression("a-good +running")));
    QVERIFY(out.contains(QRegularExpression("a-quick +ended")));
    // No line is wider than the terminal, else going up would miss lines.
    for (auto line : out.split("\r\n")) {
      line.remove(QRegularExpression("\x1b\\[[0-9;]*[A-Za-z]"));
      if (!line.startsWith("Logs") && !line.contains("ended after"))
        QVERIFY2(line.size() <= 100, qPrintable(line));
    }
  }

  void runsAPlanAgain() {
    const auto plan = folder_.filePath("again.json");
    QProcess planning;
    run(planning, {"plan", composition({"quick"}), "--output", plan});
    QVERIFY(planning.waitForFinished(20000));
    const auto shown = QString::fromUtf8(planning.readAllStandardOutput());
    QVERIFY2(planning.exitCode() == 0, qPrintable(shown));
    QVERIFY(shown.contains("Executables present"));
    QVERIFY(shown.contains("fake_federate say done exit 0"));
    for (int again = 0; again < 2; ++again) {
      QProcess process;
      run(process, {"run", plan, "--json"});
      QVERIFY(process.waitForFinished(20000));
      QCOMPARE(process.exitCode(), 0);
      const auto result = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
      QCOMPARE(result["stopReason"].toString(), "all federates have ended");
    }
  }

  /// As it was written by hand, or by a version that did not name the node's process.
  void runsAPlanThatDoesNotNameItsNode() {
    const auto plan = folder_.filePath("nameless.json");
    QProcess planning;
    run(planning, {"plan", composition({"quick"}), "--output", plan});
    QVERIFY(planning.waitForFinished(20000));
    QFile stored(plan);
    QVERIFY(stored.open(QIODevice::ReadWrite));
    auto json = QJsonDocument::fromJson(stored.readAll()).object();
    auto launch = json["launch"].toObject();
    QVERIFY(!launch.take("node_process").isUndefined());
    json["launch"] = launch;
    stored.resize(0);
    stored.write(QJsonDocument(json).toJson());
    stored.close();
    QProcess process;
    run(process, {"run", plan, "--json"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 0);
  }

  /// What is kept of the run is on a disk that is full: it is said, and the run goes on to its end.
  void saysWhatAFullDiskTakes_data() {
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QStringList>("said");
    QTest::newRow("record") << "XDG_DATA_HOME" << QStringList{"The run is not recorded", "full.disk"};
    QTest::newRow("logs") << "XDG_STATE_HOME"
                          << QStringList{"The launch plan cannot be written", "the run goes on",
                                         "the log of a-quick is incomplete",
                                         "No space left on device"};
  }
  void saysWhatAFullDiskTakes() {
    QFETCH(QString, variable);
    QFETCH(QStringList, said);
    const auto disk = folder_.filePath("full.disk");
    QVERIFY(QDir().mkpath(disk));
    QProcess process;
    auto variables = environment();
    variables.insert(variable, disk);
    process.setProcessEnvironment(variables);
    process.setProcessChannelMode(QProcess::MergedChannels);
    // A disk of 64 KiB of its own, without a byte left.
    process.start("unshare",
                  {"--map-root-user", "--mount", "sh", "-c",
                   "mount -t tmpfs -o size=64k none \"$1\" || exit 99\n"
                   "mkdir -p \"$1/tutti/runs\" || exit 99\n"
                   "head -c 1000000 /dev/zero > \"$1/fill\" 2> /dev/null && exit 99\n"
                   "shift; exec \"$@\"",
                   "sh", disk, program_, "run", composition({"quick", "good"}), "--duration", "1"});
    QVERIFY(process.waitForFinished(30000));
    const auto out = QString::fromUtf8(process.readAll());
    QVERIFY2(process.exitCode() == 0, qPrintable(out));
    for (const auto& text : said) QVERIFY2(out.contains(text), qPrintable(out));
  }

  void namesCannotSteerATerminal() {
    const auto name = QStringLiteral("\x1b[2Jsteering\u009b31m");
    QProcess process;
    run(process, {"plan", composition({name}, "steering")});
    QVERIFY(process.waitForFinished(20000));
    const auto said = QString::fromUtf8(process.readAllStandardOutput() +
                                        process.readAllStandardError());
    QVERIFY2(said.contains("steering"), qPrintable(said));
    QVERIFY2(!said.contains(u'\x1b') && !said.contains(QChar(0x9b)), qPrintable(said));
    QVERIFY2(said.contains("\\u001b[2J"), qPrintable(said));
  }

  void saysOnceAndRightlyWhatCannotBe_data() {
    QTest::addColumn<QString>("prepare");
    QTest::addColumn<QStringList>("said");
    QTest::addColumn<QString>("why");
    QTest::newRow("read-only home")
        << "mount -t tmpfs none \"$1\" && mount -o remount,ro \"$1\" || exit 99; export HOME=\"$1\";"
           "unset XDG_STATE_HOME XDG_DATA_HOME"
        << QStringList{"Logs cannot be written"} << "Read-only file system";
    // Nothing that is inherited takes a descriptor.
    QTest::newRow("no descriptors for the supervisor")
        << "for one in /proc/self/fd/*; do one=${one##*/}; ((one > 2)) && eval \"exec $one>&-\"; done;"
           "export QT_NO_GLIB=1; ulimit -n 20"
        << QStringList{"The run did not start"}
        << "open files";
  }
  void saysOnceAndRightlyWhatCannotBe() {
    QFETCH(QString, prepare);
    QFETCH(QStringList, said);
    QFETCH(QString, why);
    const auto home = folder_.filePath("home");
    QVERIFY(QDir().mkpath(home));
    for (const bool quiet : {false, true}) {
      QProcess process;
      process.setProcessEnvironment(environment());
      process.setProcessChannelMode(QProcess::MergedChannels);
      QStringList arguments{"--map-root-user", "--mount", "bash", "-c",
                            prepare + "\nshift; exec \"$@\"", "bash", home, program_, "run",
                            composition({"good"}), "--duration", "0.2"};
      if (quiet) arguments << "--quiet";
      process.start("unshare", arguments);
      QVERIFY(process.waitForFinished(30000));
      const auto out = QString::fromUtf8(process.readAll());
      QVERIFY2(process.exitCode() != 0 && process.exitCode() != 99, qPrintable(out));
      for (const auto& text : said) QVERIFY2(out.count(text) == 1, qPrintable(out));
      QVERIFY2(out.contains(why), qPrintable(out));
      QVERIFY2(!out.contains("No such file"), qPrintable(out));
    }
  }

  void planSaysWhatStandsInTheWay() {
    QProcess process;
    run(process, {"plan", composition({"unbuilt"}), "--json"});
    QVERIFY(process.waitForFinished(20000));
    QCOMPARE(process.exitCode(), 1);
    const auto result = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
    QCOMPARE(result["mayRun"].toBool(true), false);
    QVERIFY(
        result["preflight"].toArray().first().toObject()["title"].toString().contains("not-there"));
  }

 private:
  QString pidFile() const { return folder_.filePath("pids"); }

  QString file(const QString& name, const QByteArray& content) const {
    const auto path = folder_.filePath(name);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile output(path);
    if (output.open(QIODevice::WriteOnly)) output.write(content);
    return path;
  }

  void component(const QString& id, const QByteArray& command, const QString& more = {},
                 const QString& executable = test::fakeFederate) const {
    file("components/" + id + "/component.json",
         QStringLiteral(R"({"id": "%1", "name": "%1", "version": "1.0", "api": "none",
                            "ready": {"when": "started"},
                            "command": {"executable": "%2", %3}%4})")
             .arg(id, executable, QString::fromUtf8(command), more)
             .toUtf8());
  }

  QString composition(const QStringList& components, const QString& name = "test") const {
    QJsonObject federates;
    for (const auto& one : components) {
      const auto id = QStringLiteral("f%1").arg(federates.size());
      QString federate = "a-" + one;
      if (components.count(one) > 1) federate += QString::number(federates.size());
      federates[id] = QJsonObject{{"component", one}, {"name", federate}, {"version", "1.0"}};
    }
    return file(
        name + ".federation.json",
        QJsonDocument(QJsonObject{{"format", 1}, {"federation", name}, {"federates", federates}})
            .toJson());
  }

  /// A composition of one federate that needs so many cores.
  QString needing(const QString& name, int cores) const {
    const QJsonObject federate{{"component", "quick"},
                               {"name", "a-quick"},
                               {"version", "1.0"},
                               {"resources", QJsonObject{{"cores", cores}}}};
    return file(name + ".federation.json",
                QJsonDocument(
                    QJsonObject{{"federation", name}, {"federates", QJsonObject{{"f0", federate}}}})
                    .toJson());
  }

  QProcessEnvironment environment() const {
    auto result = QProcessEnvironment::systemEnvironment();
    result.insert("TUTTI_CATALOG", folder_.filePath("components"));
    result.insert("XDG_STATE_HOME", folder_.filePath("state"));
    result.insert("XDG_DATA_HOME", folder_.filePath("data"));
    result.insert("TERM", "xterm");
    return result;
  }

  void run(QProcess& process, const QStringList& arguments) const {
    process.setProcessEnvironment(environment());
    process.start(program_, arguments);
    QVERIFY(process.waitForStarted());
  }

  /// A run whose federate has left a deaf daemon behind; all process ids of it.
  QList<pid_t> start(QProcess& process) const {
    QFile::remove(pidFile());
    run(process, {"run", composition({"daemon"}), "--quiet"});
    [&] { QTRY_COMPARE_WITH_TIMEOUT(test::writtenPids(pidFile()).size(), 3, 15000); }();
    auto pids = test::writtenPids(pidFile());
    if (pids.isEmpty()) return {};
    // The node of the run is a child of the same supervisor.
    const auto supervisor = processEntry(pids.front())->parent;
    for (const auto& entry : livingDescendants(supervisor)) pids << entry.pid;
    pids << supervisor << processEntry(supervisor)->parent;
    return pids;
  }

  const QString program_ = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti");
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
