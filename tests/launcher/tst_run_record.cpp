// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of a run, and what another look finds changed.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "launcher/engine/run_record.h"

using namespace tutti::launcher;

class TestRunRecord : public QObject {
  Q_OBJECT

 private slots:
  void readsWhatItWrites() {
    const auto record = full();
    QVERIFY(record.save(folder_.path()));
    const auto again = RunRecord::read(folder_.filePath(recordFile));
    QVERIFY2(again, qPrintable(again ? QString() : again.error().message()));
    QVERIFY(*again == record);
    QCOMPARE(again->toBytes(), record.toBytes());
    // One that goes on has neither end nor outcome.
    auto begun = record;
    begun.ended = {};
    begun.outcome.clear();
    QVERIFY(begun.save(folder_.path()));
    QVERIFY(!RunRecord::read(folder_.filePath(recordFile))->ended.isValid());
  }

  void refusesWhatIsNoRecord_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("not JSON") << QByteArray("{");
    QTest::newRow("list") << QByteArray("[]");
    QTest::newRow("no run") << QByteArray(R"({"format": 1})");
    QTest::newRow("later") << QByteArray(R"({"format": 2, "run": "x"})");
  }
  void refusesWhatIsNoRecord() {
    QFETCH(QByteArray, content);
    write("record.json", content);
    const auto record = RunRecord::read(folder_.filePath(recordFile));
    QVERIFY(!record);
    QVERIFY(record.error().message().contains(folder_.filePath(recordFile)));
  }

  /// A record that was damaged still tells what is left of it.
  void takesWhatIsOfAnotherTypeAsMissing() {
    write("record.json", R"({"format": 1, "run": "x", "elapsed": "long", "hosts": [7, {"name": 3}],
                             "files": {"a": 1}, "processes": [{"id": "p", "exitCode": 3}]})");
    const auto record = RunRecord::read(folder_.filePath(recordFile));
    QVERIFY(record);
    QCOMPARE(record->elapsed, 0.0);
    QCOMPARE(record->hosts.size(), 2U);
    QVERIFY(record->files.empty());
    QCOMPARE(record->processes.front().exitCode.value_or(0), 3);
  }

  void recordsTheFilesOfAPlan() {
    write("bin/program", "#!/bin/sh\n");
    QFile::setPermissions(folder_.filePath("bin/program"), QFile::Permissions(0x7755));
    write("bin/component.json", "{}");
    write("fom.xml", "<objectModel/>");
    LaunchPlan plan;
    for (const char* id : {"a", "b"}) {
      PlannedProcess process;
      process.id = id;
      process.command = {folder_.filePath("bin/program").toStdString()};
      process.cwd = folder_.filePath("bin").toStdString();
      plan.plan.processes.push_back(process);
    }
    PlannedProcess missing;
    missing.id = "c";
    missing.command = {"/nowhere/program"};
    plan.plan.processes.push_back(missing);
    plan.fomModules << folder_.filePath("fom.xml");
    const auto of = [&](const QString& path) {
      for (const auto& file : recordedFiles(plan)) {
        if (file.path == path) return file;
      }
      return RecordedFile();
    };
    const auto program = of(folder_.filePath("bin/program"));
    QVERIFY(program.role == RecordedFile::Role::Executable);
    QCOMPARE(program.processes, (QStringList{"a", "b"}));
    QCOMPARE(program.size, 10);
    QCOMPARE(program.sha256,
             QCryptographicHash::hash("#!/bin/sh\n", QCryptographicHash::Sha256).toHex());
    QVERIFY(of(folder_.filePath("bin/component.json")).role == RecordedFile::Role::Manifest);
    QVERIFY(of(folder_.filePath("fom.xml")).role == RecordedFile::Role::Module);
    QVERIFY(of("/nowhere/program").sha256.isEmpty());
    QCOMPARE(of("/nowhere/program").processes, QStringList("c"));
  }

  void librariesAreThoseThatAreNotTheSystems() {
    LaunchPlan plan;
    PlannedProcess process;
    process.id = "test";
    process.command = {QCoreApplication::applicationFilePath().toStdString()};
    plan.plan.processes.push_back(process);
    const auto files = recordedFiles(plan);
    for (const auto& file : files)
      QVERIFY2(!file.path.startsWith("/usr/lib") && !file.path.startsWith("/lib"),
               qPrintable(file.path));
    QVERIFY(!files.empty());
  }

  void findsWhatHasChanged() {
    const auto before = full();
    QVERIFY(changedFiles(before.files, before.files).empty());
    auto now = before.files;
    now[0].sha256 = QByteArray(64, 'f');
    now[0].size = 2500000;
    now[1].sha256.clear();
    now.erase(now.begin() + 2);
    now.push_back({"/x/new.so", RecordedFile::Role::Library, QByteArray(64, '2'), 10, {"a"}});
    QStringList said;
    for (const auto& change : changedFiles(before.files, now)) said << change.text();
    QCOMPARE(said,
             (QStringList{"changed  /x/a, executable of a, b and 1 more: ffffffff (2.5 MB), was "
                          "aaaaaaaa (1.2 MB)",
                          "gone     /x/b.so, library of a: was bbbbbbbb (20 bytes)",
                          "gone     /x/c.xml, FOM module: was cccccccc (30 bytes)",
                          "new      /x/new.so, library of a: 22222222 (10 bytes)"}));
  }

  void findsWhatIsOtherOfTheHosts() {
    const auto before = full().hosts;
    QVERIFY(changedHosts(before, before).empty());
    auto now = before;
    now[0].cores = 8;
    now[1].memoryMb = 1;  // what is available changes all the time
    now.push_back({"lab2", "me@lab2", "x86_64", "", 2, 4000, "", "", 0, 0, false, ""});
    QStringList said;
    for (const auto& change : changedHosts(before, now)) said << change.text();
    QCOMPARE(said, (QStringList{"host     this machine: cores 8, was 4",
                                "host     lab2: was not part of the run"}));
  }

  void listsPastRunsNewestFirst() {
    QTemporaryDir runs;
    auto record = full();
    for (const char* run : {"20250101-1", "20250103-3", "20250102-2"}) {
      record.run = run;
      QVERIFY(QDir(runs.path()).mkpath(run));
      QVERIFY(record.save(runs.filePath(run)));
    }
    QVERIFY(QDir(runs.path()).mkpath("20250104-without-a-record"));
    const QString held = runs.filePath("20250102-2");
    for (const char* name : {"plan.json", "launch.json", "connections.json"}) {
      QFile file(held + '/' + name);
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    QFile plan(held + "/plan.json");
    QVERIFY(plan.open(QIODevice::ReadOnly));
    QCOMPARE(::flock(plan.handle(), LOCK_SH | LOCK_NB), 0);
    QStringList seen;
    for (const auto& one : pastRuns(runs.path()))
      seen << one.record.run + (one.goesOn ? " goes on" : "") + (one.canRun ? " has plans" : "");
    QCOMPARE(seen, (QStringList{"20250103-3", "20250102-2 goes on has plans", "20250101-1"}));
    plan.close();
    QVERIFY(!pastRuns(runs.path())[1].goesOn);
  }

 private:
  void write(const QString& path, const QByteArray& content) {
    QDir().mkpath(QFileInfo(folder_.filePath(path)).path());
    QFile file(folder_.filePath(path));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
  }

  static RunRecord full() {
    using Role = RecordedFile::Role;
    const auto at = [](int second) { return QDateTime({2025, 1, 31}, {14, 2, second}, Qt::UTC); };
    RunRecord record;
    record.run = "20250131-140228-3f9c01ab";
    record.federation = "air";
    record.composition = "/x/air.federation.json";
    record.rerunOf = "20250130-1";
    record.version = "1.2";
    record.started = at(1);
    record.ended = at(9);
    record.outcome = "stopped";
    record.stopReason = "asked";
    record.elapsed = 7.5;
    record.hosts = {{"", "desk", "x86_64", "Linux", 4, 8000, "/runs/1", "", 0, 0, false, ""},
                    {"lab1", "me@lab1", "x86_64", "", 2, 4000, "/there", "/copies", 0.1, 0.05, true,
                     "one is too long"}};
    record.files = {{"/x/a", Role::Executable, QByteArray(64, 'a'), 1200000, {"a", "b", "c"}},
                    {"/x/b.so", Role::Library, QByteArray(64, 'b'), 20, {"a"}},
                    {"/x/c.xml", Role::Module, QByteArray(64, 'c'), 30, {}},
                    {"/x/component.json", Role::Manifest, QByteArray(64, 'd'), 40, {"a"}}};
    record.processes = {{"a", "", "exit code 0", 0, {}, 1, at(2), at(8)},
                        {"b", "lab1", "signal 9 (SIGKILL)", {}, 9, 2, at(3), at(7)}};
    record.changes = {{RunChange::Kind::Added, "c", "", at(3)},
                      {RunChange::Kind::Removed, "c", "", at(4)},
                      {RunChange::Kind::Moved, "c", "tower", at(4), ""},
                      {RunChange::Kind::Restarted, "b", "tower", at(6), "lab1", "lab1 is lost"},
                      {RunChange::Kind::Paced, "", "", at(7), "", "", 2.5}};
    record.troubles = QStringList{"b died."};
    return record;
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestRunRecord)
#include "tst_run_record.moc"
