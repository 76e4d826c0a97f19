// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti plan -o FOLDER`, `tutti launch FOLDER` and the scripts of the folder, as a person or a
// script calls them.
#include <signal.h>

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;

namespace {

constexpr int endMs = 60000;

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace

class TestCliLaunch : public QObject {
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
    component("environment",
              R"("arguments": [["environment", "TUTTI_RTI", "environment", "QUOTED", "exit", "0"]],
                                "environment": {"QUOTED": "so $HOME; `x` 'y'"})");
  }

  void twoPlansOfOneCompositionAreTheSameBytes() {
    const auto first = plan({"good", "quick"}, "first");
    const auto second = plan({"good", "quick"}, "second");
    const auto names = QDir(first).entryList(QDir::Files);
    QCOMPARE(names, (QStringList{"connections.json", "job.sbatch", "launch.json", "README.txt",
                                 "run.sh"}));
    for (const QString& name : names)
      QCOMPARE(content(first + '/' + name), content(second + '/' + name));
    // Of plans that are there the same scripts are written.
    const auto scripts = content(first + "/run.sh");
    QVERIFY(QFile::remove(first + "/run.sh"));
    QProcess again;
    run(again, {"plan", first, "-o", first});
    QVERIFY(again.waitForFinished(endMs));
    QVERIFY2(again.exitCode() == 0, again.readAllStandardError());
    QCOMPARE(content(first + "/run.sh"), scripts);
  }

  void planSaysWhichHostCoordinates() {
    const QString sentence = "This machine coordinates: all of the run is here.";
    for (const bool json : {false, true}) {
      QProcess process;
      run(process, QStringList{"plan", composition({"good"})} +
                       (json ? QStringList{"--json"} : QStringList()));
      QVERIFY(process.waitForFinished(endMs));
      const auto out = process.readAllStandardOutput();
      const auto value = QJsonDocument::fromJson(out).object();
      QVERIFY2(
          json ? value["coordination"] == sentence : out.contains('\n' + sentence.toUtf8() + '\n'),
          out);
    }
  }

  void launchEndsAsRunDoes_data() {
    QTest::addColumn<QStringList>("components");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("all end") << QStringList{"quick", "quick"} << 0 << "finished";
    QTest::newRow("duration") << QStringList{"good", "deaf"} << 0 << "stopped";
    QTest::newRow("died") << QStringList{"bad", "good"} << 1 << "federate died";
    QTest::newRow("exit code") << QStringList{"failing", "good"} << 1 << "federate died";
  }
  void launchEndsAsRunDoes() {
    QFETCH(QStringList, components);
    QFETCH(int, code);
    QFETCH(QString, outcome);
    const QString folder = plan(components, QTest::currentDataTag());
    for (const QStringList& arguments : {QStringList{"launch", folder},
                                         {"run", composition(components)},
                                         {"run", folder + "/launch.json"}}) {
      QProcess process;
      run(process, arguments + QStringList{"--duration", "0.3", "--json"});
      QVERIFY(process.waitForFinished(endMs));
      const auto out = process.readAllStandardOutput();
      QVERIFY2(process.exitCode() == code, out);
      QCOMPARE(QJsonDocument::fromJson(out).object()["outcome"].toString(), outcome);
    }
  }

  void refusesWhatIsNoFolderOfPlans_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("nothing") << QStringList{"launch"} << "name one folder";
    QTest::newRow("nowhere") << QStringList{"launch", "/nowhere"}
                             << "/nowhere/launch.json is not there";
    QTest::newRow("a composition")
        << QStringList{"launch", composition({"good"})} << "tutti run FILE";
    QTest::newRow("option") << QStringList{"launch", "x", "--fast"} << "there is no option --fast";
    QTest::newRow("duration") << QStringList{"launch", "x", "--duration", "0"} << "--duration";
    QTest::newRow("plan of nothing") << QStringList{"plan", "/nowhere"} << "/nowhere";
    QTest::newRow("plan to nowhere")
        << QStringList{"plan", composition({"good"}), "-o", "/proc/nowhere"} << "cannot be made";
  }
  void refusesWhatIsNoFolderOfPlans() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    QProcess process;
    run(process, arguments);
    QVERIFY(process.waitForFinished(endMs));
    const auto text = QString::fromUtf8(process.readAllStandardError());
    QCOMPARE(process.exitCode(), 2);
    QVERIFY2(text.contains(said), qPrintable(text));
  }

  void aContradictionStartsNothing() {
    const QString folder = plan({"good"}, "contradiction");
    auto bytes = content(folder + "/connections.json");
    QVERIFY(bytes.contains("\"node\": \"tutti-rti\""));
    bytes.replace("\"node\": \"tutti-rti\"", "\"node\": \"another\"");
    file("contradiction/connections.json", bytes);
    const auto before = QDir(folder_.filePath("state/tutti/runs")).entryList();
    QProcess process;
    run(process, {"launch", folder});
    QVERIFY(process.waitForFinished(endMs));
    QCOMPARE(process.exitCode(), 2);
    const auto said = process.readAllStandardError();
    QVERIFY2(said.contains("connections.json:7 ") && said.contains("contradict") &&
                 said.contains("launch.json"),
             said);
    QCOMPARE(QDir(folder_.filePath("state/tutti/runs")).entryList(), before);
  }

  void aRunLeavesItsRecordAndIsStartedAgain() {
    // A run store of its own: the newest run is the one of this test.
    auto variables = environment();
    variables.insert("XDG_STATE_HOME", folder_.filePath("again"));
    const auto call = [&](const QStringList& arguments, int code) {
      QProcess process;
      process.setProcessEnvironment(variables);
      process.start(program_, arguments);
      if (!process.waitForFinished(endMs) || process.exitCode() != code)
        qWarning("%d: %s", process.exitCode(), process.readAllStandardError().constData());
      return process.exitCode() == code ? process.readAllStandardOutput() : QByteArray();
    };
    QVERIFY(call({"rerun", "--list"}, 0).contains("No run has left a record"));
    component("changing", R"("arguments": [["say", "x", "exit", "0"]])", {},
              folder_.filePath("changing"));
    QVERIFY(QFile::copy(test::fakeFederate, folder_.filePath("changing")));
    const auto first =
        QJsonDocument::fromJson(call({"run", composition({"changing", "failing"}), "--json"}, 1))
            .object();
    const QString folder = first["folder"].toString();
    const auto record = QJsonDocument::fromJson(content(folder + "/record.json")).object();
    QCOMPARE(record["run"].toString(), first["run"].toString());
    QCOMPARE(record["outcome"].toString(), "federate died");
    QVERIFY(record["version"].toString() != "" && record["ended"].toString() != "");
    QHash<QString, int> codes;
    for (const auto& value : record["processes"].toArray())
      codes[value.toObject()["id"].toString()] = value.toObject()["exitCode"].toInt(-1);
    QCOMPARE(codes.value("a-failing"), 3);
    // The other one may have been told to end first.
    QVERIFY(codes.contains("a-changing"));
    QVERIFY(call({"rerun", "--list"}, 0).contains(first["run"].toString().toUtf8()));
    // Nothing has changed, and it ends as before.
    QVERIFY(call({"rerun", "--changes"}, 0).contains("Nothing has changed"));
    const auto again = QJsonDocument::fromJson(call({"rerun", "--json"}, 1)).object();
    QCOMPARE(again["rerunOf"].toString(), first["run"].toString());
    QVERIFY(again["changes"].toArray().isEmpty());
    QVERIFY(again["run"].toString() != first["run"].toString());
    for (const char* name : {"launch.json", "connections.json"})
      QCOMPARE(content(again["folder"].toString() + '/' + name), content(folder + '/' + name));
    // Another program in its place is named, with both check sums.
    {
      QFile program(folder_.filePath("changing"));
      QVERIFY(program.open(QIODevice::Append) && program.write("more") == 4);
    }
    const auto said = call({"rerun", first["run"].toString(), "--changes"}, 1);
    QVERIFY2(said.contains("changed  " + folder_.filePath("changing").toUtf8() +
                           ", executable of a-changing: ") &&
                 said.contains(", was "),
             said);
    const auto changed = QJsonDocument::fromJson(call({"rerun", folder, "--json"}, 1)).object();
    QCOMPARE(changed["outcome"].toString(), "federate died");
    const auto change = changed["changes"].toArray().first().toObject();
    QCOMPARE(change["kind"].toString(), "changed");
    QCOMPARE(change["now"]["size"].toInt(), change["before"]["size"].toInt() + 4);
    QVERIFY(change["now"]["sha256"].toString() != change["before"]["sha256"].toString());
  }

  void refusesToStartAgain_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("unknown") << QStringList{"1999"} << "There is no run 1999";
    QTest::newRow("folder") << QStringList{"/proc"} << "/proc/record.json";
    QTest::newRow("option") << QStringList{"--again"} << "there is no option --again";
    QTest::newRow("two") << QStringList{"a", "b"} << "at most one run";
    QTest::newRow("list of one") << QStringList{"a", "--list"} << "--list takes nothing else";
  }
  void refusesToStartAgain() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    QProcess process;
    run(process, QStringList{"rerun"} + arguments);
    QVERIFY(process.waitForFinished(endMs));
    QCOMPARE(process.exitCode(), 2);
    const auto text = QString::fromUtf8(process.readAllStandardError());
    QVERIFY2(text.contains(said), qPrintable(text));
  }

  void theScriptIsFreeOfFindings() {
    if (QStandardPaths::findExecutable("shellcheck").isEmpty())
      QSKIP("shellcheck is not installed");
    const QString folder = plan({"environment", "daemon", "good"}, "checked");
    QProcess check;
    check.start("shellcheck", {"--shell=sh", folder + "/run.sh", folder + "/job.sbatch"});
    QVERIFY(check.waitForFinished(endMs));
    QVERIFY2(check.exitCode() == 0, check.readAllStandardOutput());
  }

  void theScriptEndsAsRunDoes_data() {
    QTest::addColumn<QStringList>("components");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("said");
    QTest::newRow("all end") << QStringList{"quick", "quick"} << 0 << "all federates have ended";
    QTest::newRow("time") << QStringList{"good", "deaf"} << 0 << "1 s have passed";
    QTest::newRow("died") << QStringList{"bad", "good"} << 1 << "a-bad ended with exit code 139";
    QTest::newRow("exit code") << QStringList{"failing", "good"} << 1
                               << "a-failing ended with exit code 3";
  }
  void theScriptEndsAsRunDoes() {
    QFETCH(QStringList, components);
    QFETCH(int, code);
    QFETCH(QString, said);
    const QString folder = plan(components, QTest::currentDataTag());
    QProcess script;
    start(script, folder, {"1"});
    QVERIFY(script.waitForFinished(endMs));
    const auto out = script.readAllStandardOutput() + script.readAllStandardError();
    QVERIFY2(script.exitCode() == code, out);
    QVERIFY2(out.contains(said.toUtf8()), out);
    QVERIFY2(left().isEmpty(), left());
  }

  void theScriptGivesEachItsEnvironmentAndLog() {
    const QString folder = plan({"environment", "quick"}, "environment");
    QProcess script;
    start(script, folder, {});
    QVERIFY(script.waitForFinished(endMs));
    QVERIFY2(script.exitCode() == 0, script.readAllStandardError());
    const auto log = content(folder_.filePath("logs/a-environment.log"));
    QVERIFY2(log.contains("TUTTI_RTI=shm:script-"), log);
    QVERIFY2(log.contains("QUOTED=so $HOME; `x` 'y'"), log);
    QVERIFY(content(folder_.filePath("logs/a-quick.log")).contains("done"));
    QVERIFY(content(folder_.filePath("logs/tutti-rti.log")).contains("ready"));
  }

  void theScriptStartsNothingWhenSomethingIsMissing() {
    component("vanishing", R"("arguments": [["sleep"]])", {}, folder_.filePath("vanishing"));
    file("vanishing", "#!/bin/sh\n");
    QFile::setPermissions(folder_.filePath("vanishing"), QFile::Permissions(0x7755));
    const QString folder = plan({"vanishing", "good"}, "missing");
    QVERIFY(QFile::remove(folder_.filePath("vanishing")));
    QProcess script;
    start(script, folder, {});
    QVERIFY(script.waitForFinished(endMs));
    QCOMPARE(script.exitCode(), 2);
    const auto said = script.readAllStandardError();
    QVERIFY2(said.contains("this machine lacks " + folder_.filePath("vanishing").toUtf8()), said);
    QVERIFY(!QFile::exists(folder_.filePath("logs/a-good.log")));
    QVERIFY2(left().isEmpty(), left());
  }

  void theScriptLeavesNothing_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("hang-up") << SIGHUP;
    QTest::newRow("killed") << SIGKILL;
  }
  void theScriptLeavesNothing() {
    QFETCH(int, signal);
    const QString folder = plan({"daemon", "good"}, "leaving");
    QFile::remove(pidFile());
    QProcess script;
    start(script, folder, {});
    QTRY_COMPARE_WITH_TIMEOUT(test::writtenPids(pidFile()).size(), 3, endMs);
    const auto pids = test::writtenPids(pidFile());
    for (const pid_t pid : pids) QVERIFY(alive(pid));
    const auto all = left();
    QVERIFY2(all.contains("tutti-rti --shm script-") && all.contains("tail"), all);
    ::kill(static_cast<pid_t>(script.processId()), signal);
    QVERIFY(script.waitForFinished(endMs));
    if (signal != SIGKILL) QCOMPARE(script.exitCode(), 0);
    // What a killed script leaves ends when its parts see that it is gone.
    if (signal == SIGKILL)
      QTRY_VERIFY2_WITH_TIMEOUT(left().isEmpty(), left(), endMs);
    else
      QVERIFY2(left().isEmpty(), left());
    for (const pid_t pid : pids) QVERIFY(!alive(pid));
    QVERIFY(QDir(folder_.filePath("tmp")).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot));
  }

  void theJobEndsWithItsSignal() {
    const QString folder = plan({"good"}, "job");
    QDir(folder_.filePath("logs")).removeRecursively();
    QProcess job;
    job.setProcessEnvironment(environment());
    job.setWorkingDirectory(folder);
    job.start("sh", {"job.sbatch"});
    const auto log = folder_.filePath("logs/a-good.log");
    QTRY_VERIFY_WITH_TIMEOUT(content(log).contains("up"), endMs);
    job.terminate();
    QVERIFY(job.waitForFinished(endMs));
    QVERIFY2(job.exitCode() == 0, job.readAllStandardError());
    QVERIFY2(job.readAllStandardOutput().contains("it was asked to end"), "no summary");
    QVERIFY2(left().isEmpty(), left());
  }

 private:
  QString pidFile() const { return folder_.filePath("pids"); }

  QString file(const QString& name, const QByteArray& bytes) const {
    const auto path = folder_.filePath(name);
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile output(path);
    if (output.open(QIODevice::WriteOnly)) output.write(bytes);
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

  QString composition(const QStringList& components) const {
    QJsonObject federates;
    for (const auto& one : components) {
      const auto id = QStringLiteral("f%1").arg(federates.size());
      QString federate = "a-" + one;
      if (components.count(one) > 1) federate += QString::number(federates.size());
      federates[id] = QJsonObject{{"component", one}, {"name", federate}, {"version", "1.0"}};
    }
    return file(
        "test.federation.json",
        QJsonDocument(QJsonObject{{"format", 1}, {"federation", "test"}, {"federates", federates}})
            .toJson());
  }

  QProcessEnvironment environment() const {
    auto result = QProcessEnvironment::systemEnvironment();
    result.insert("TUTTI_CATALOG", folder_.filePath("components"));
    result.insert("XDG_STATE_HOME", folder_.filePath("state"));
    result.insert("XDG_DATA_HOME", folder_.filePath("data"));
    result.insert("TUTTI_LOGS", folder_.filePath("logs"));
    result.insert("TMPDIR", folder_.filePath("tmp"));
    return result;
  }

  void run(QProcess& process, const QStringList& arguments) const {
    process.setProcessEnvironment(environment());
    process.start(program_, arguments);
    QVERIFY(process.waitForStarted());
  }

  /// A folder of plans for a federation of these components.
  QString plan(const QStringList& components, const QString& name) const {
    const QString folder = folder_.filePath(QString(name).replace(' ', '-'));
    QProcess process;
    run(process, {"plan", composition(components), "-o", folder});
    if (!process.waitForFinished(endMs) || process.exitCode() != 0)
      qFatal("%s", process.readAll().constData());
    return folder;
  }

  void start(QProcess& script, const QString& folder, const QStringList& arguments) {
    QDir(folder_.filePath("logs")).removeRecursively();
    QDir().mkpath(folder_.filePath("tmp"));
    script.setProcessEnvironment(environment());
    // As a job of its own: a signal to the script is none to what it has started.
    script.start("dash", QStringList{folder + "/run.sh"} + arguments);
    QVERIFY(script.waitForStarted());
  }

  /// Processes that have the folder of this test in their environment or command, but this one.
  QByteArray left() const {
    QByteArray result;
    for (const QString& name : QDir("/proc").entryList({"[0-9]*"}, QDir::Dirs)) {
      const pid_t pid = name.toInt();
      if (pid == ::getpid() || !alive(pid)) continue;
      const QByteArray mine = folder_.path().toUtf8();
      if (!content("/proc/" + name + "/environ").contains(mine)) continue;
      result += content("/proc/" + name + "/cmdline").replace('\0', ' ') + '\n';
    }
    return result;
  }

  const QString program_ = QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti");
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestCliLaunch)
#include "tst_cli_launch.moc"
