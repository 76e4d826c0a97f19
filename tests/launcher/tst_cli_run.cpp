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
    QVERIFY2(process.exitCode() == 0, qPrintable(out + process.readAllStandardError()));
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
    QTest::newRow("bad architecture")
        << QStringList{"run", "x", "--architecture", "flat"} << "--architecture is";
    QTest::newRow("bad duration") << QStringList{"run", "x", "--duration", "-1"} << "--duration";
    QTest::newRow("duration without value")
        << QStringList{"run", "x", "--duration"} << "--duration";
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
