// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of hosts that lie, or change while they are read.
#include <QDir>
#include <QFile>
#include <QLockFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/plan_hosts.h"
#include "launcher/engine/run_record.h"
#include "tests/launcher/fake_ssh.h"

using namespace tutti::launcher;

namespace {

/// A run on this machine and on one host, whose folder of logs is `there`.
struct Fetched {
  QTemporaryDir folder;
  QString there = folder.filePath("there");
  RunRecord record;
  LaunchPlan plan;

  explicit Fetched(const QString& host) {
    record.run = QStringLiteral("20261126-080000-0badcafe");
    plan.folder = folder.filePath("here");
    QDir().mkpath(plan.folder);
    QDir().mkpath(there);
    PlannedHost planned;
    planned.host.name = host;
    planned.host.destination = host;
    planned.folder = there;
    plan.hosts.push_back(planned);
    RecordedHost recorded;
    recorded.name = host;
    recorded.folder = there;
    record.hosts = {{}, recorded};
  }
  /// A federate of the plan, where it runs.
  void addFederate(const QString& name, const QString& host) {
    PlannedProcess process;
    process.id = name.toStdString();
    process.logFile = logFileIn(there, name).toStdString();
    plan.plan.processes.push_back(process);
    PlannedFederate federate;
    federate.name = name;
    federate.host = host;
    plan.federates.push_back(federate);
  }
  /// What is missing, sentences.
  QString fetch() {
    fetchRunLogs(record, plan, {60000, 30000});
    return record.hosts[1].logProblem;
  }
  static void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path));
    file.write(content);
  }
  void writeHere(const QString& name, const QByteArray& content) const {
    write(plan.folder + '/' + name, content);
  }
  void writeThere(const QString& name, const QByteArray& content) const {
    write(there + '/' + name, content);
  }
  QByteArray here(const QString& name) const {
    QFile file(plan.folder + '/' + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  QStringList files() const {
    return QDir(plan.folder)
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
  }
};

bool isPrintable(const QString& text) {
  return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isPrint(); });
}

}  // namespace

class TestLogFetch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { test::makeFakeSsh(programs_.path()); }

  void namesAreThoseOfLogs_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isLog");
    for (const char* process : {"radar-west", "Über/Turm 1", "../x", "a\nb", "-", "100 %~_"})
      QTest::newRow(process) << QFileInfo(logFileIn("/", process)).fileName() << true;
    QTest::newRow("of a host") << "radar.tower-2.log" << true;
    for (const char* other : {".log", "..log", ".a.log", "a.log.part", "a", "a.LOG", "a/b.log",
                              "a\n.log", "a.log\n", "\x1b[2J.log", "ä.log", "a\\.log", "a:.log"})
      QTest::newRow(other) << QString(other) << false;
    QTest::newRow("NUL") << QStringLiteral("launch.json") + QChar(0) + ".log" << false;
    QTest::newRow("long") << QString(300, 'a') + ".log" << false;
  }
  void namesAreThoseOfLogs() {
    QFETCH(QString, name);
    QFETCH(bool, isLog);
    QCOMPARE(isLogName(name), isLog);
  }

  /// Its name for a log would be another file of the run, which a rerun executes.
  void aHostNamesNoOtherFile_data() {
    QTest::addColumn<QByteArray>("name");  // as printf has it
    QTest::newRow("NUL") << QByteArray("launch.json\\0.log");
    QTest::newRow("hidden") << QByteArray(".hidden.log");
    QTest::newRow("folder") << QByteArray("../here/a.log");
    QTest::newRow("control characters") << QByteArray("a\\033[2Jb.log");
    QTest::newRow("no log") << QByteArray("launch.json");
    QTest::newRow("part") << QByteArray("a.log.part");
  }
  void aHostNamesNoOtherFile() {
    QFETCH(QByteArray, name);
    Fetched run("names");
    run.writeHere("launch.json", "plan\n");
    lies("names", "printf 'log 9 " + name + "\\nlog 3 b.log\\nlisted\\n'\n" + "printf 'log 0 9 " +
                      name + "\\nsomething'\n" + "echo $mark; echo end\n");
    const QString problem = run.fetch();
    QVERIFY2(!problem.isEmpty() && isPrintable(problem), qPrintable(problem));
    QVERIFY(!run.record.hosts[1].logsFetched);
    QCOMPARE(run.here("launch.json"), "plan\n");
    QCOMPARE(run.files(), QStringList{"launch.json"});
    for (const auto& log : run.record.hosts[1].logs) QCOMPARE(log.name, "b.log");
  }

  /// A file there that is no log keeps no log from coming.
  void whatIsNoLogIsLeftOut() {
    Fetched run("other");
    run.writeThere("a.log", "one\n");
    run.writeThere("b:1.log", "two\n");
    const QString problem = run.fetch();
    QCOMPARE(problem,
             "1 file in other:" + run.there + " has a name that Tutti gives no log: not fetched.");
    QCOMPARE(run.files(), QStringList{"a.log"});
  }

  void aNameMayBeginWithSpaces() {
    Fetched run("spaces");
    const QString name = QFileInfo(logFileIn("/", "  radar  west ")).fileName();
    run.writeThere(name, "one\n");
    run.writeThere("z.log", "last\n");
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.here(name), "one\n");
    QCOMPARE(run.files(), (QStringList{name, "z.log"}));
  }

  void whatAHostSaysIsPrintable() {
    Fetched run("loud");
    lies("loud", "printf 'no \\033]0;x\\007 \\302\\233way\\n' >&2; exit 3\n");
    const QString problem = run.fetch();
    QVERIFY2(problem.contains("no ?]0;x? ?way") && isPrintable(problem), qPrintable(problem));
  }

  /// Nothing comes that was not asked for: there was no room for it, or it has come already.
  void whatWasNotAskedForIsNotTaken_data() {
    QTest::addColumn<QByteArray>("answers");
    QTest::addColumn<QStringList>("files");
    const QByteArray small = "printf 'log 0 3 a.log\\nabc'; echo $mark\n";
    QTest::newRow("no room")
        << small + "printf 'log 0 8796093022208 big.log\\n'; head -c 100000 /dev/zero\n"
        << QStringList{"a.log"};
    QTest::newRow("again") << small + "printf 'log 0 3 a.log\\nxyz'; echo $mark; echo end\n"
                           << QStringList{"a.log"};
    QTest::newRow("unknown") << small + "printf 'log 0 3 c.log\\nxyz'; echo $mark; echo end\n"
                             << QStringList{"a.log"};
    QTest::newRow("longer") << QByteArray("printf 'log 0 6 a.log\\nabcdef'; echo $mark; echo end\n")
                            << QStringList();
    QTest::newRow("from its middle")
        << QByteArray("printf 'log 2 3 a.log\\nc'; echo $mark; echo end\n") << QStringList();
    QTest::newRow("not what was asked for") << QByteArray("echo end\n") << QStringList();
  }
  void whatWasNotAskedForIsNotTaken() {
    QFETCH(QByteArray, answers);
    QFETCH(QStringList, files);
    Fetched run("liar");
    lies("liar",
         "printf 'log 3 a.log\\nlog 8796093022208 big.log\\nlisted\\n'; read -r asked\n" + answers);
    const QString problem = run.fetch();
    QVERIFY2(problem.contains("its answer is not understood"), qPrintable(problem));
    QVERIFY2(problem.contains("no room for 1 log"), qPrintable(problem));
    QCOMPARE(run.files(), files);
    if (!files.isEmpty()) QCOMPARE(run.here("a.log"), "abc");
  }

  /// The last log has become shorter while it was read: what follows is none of its bytes.
  void aLogCutShortIsNotTakenForLonger_data() {
    QTest::addColumn<QByteArray>("size");
    QTest::newRow("more is missing than follows") << QByteArray("200");
    QTest::newRow("as much is missing as follows") << QByteArray("45");  // mark and "end" in lines
    QTest::newRow("less is missing than follows") << QByteArray("20");
  }
  void aLogCutShortIsNotTakenForLonger() {
    QFETCH(QByteArray, size);
    Fetched run("short");
    run.writeHere("b.log.part", "one\n");
    lies("short", "printf 'log 3 a.log\\nlog " + size +
                      " b.log\\nlisted\\n'; read -r asked; read -r asked\n"
                      "printf 'log 0 3 a.log\\nabc'; echo $mark\n"
                      "printf 'log 4 " +
                      size + " b.log\\ntwo\\n'; echo $mark; echo end\n");
    const QString problem = run.fetch();
    QVERIFY2(problem.contains("b.log has changed there meanwhile"), qPrintable(problem));
    QVERIFY2(!problem.contains("exit code"), qPrintable(problem));
    QCOMPARE(run.files(), (QStringList{"a.log", "b.log.part"}));
    QCOMPARE(run.here("b.log.part"), "one\n");
  }

  /// A connection that breaks has told the truth until then.
  void whatCameBeforeABreakStays() {
    Fetched run("breaks");
    lies("breaks",
         "printf 'log 200 b.log\\nlisted\\n'; read -r asked\n"
         "printf 'log 0 200 b.log\\ntwo\\n'; exit 255\n");
    const QString problem = run.fetch();
    QVERIFY2(problem.contains("connection ended"), qPrintable(problem));
    QCOMPARE(run.here("b.log.part"), "two\n");
  }

  /// A part of it that is left from before is in nobody's way.
  void aLogThatHasGrownIsContinuedInPlaceOfAnOldPart() {
    Fetched run("grows");
    run.record.hosts[1].logs = {{"a.log", "a.log", 4}};
    run.writeHere("a.log", "one\n");
    run.writeHere("a.log.part", "zero and more than that\n");
    run.writeThere("a.log", "one\ntwo\n");
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.files(), QStringList{"a.log"});
    QCOMPARE(run.here("a.log"), "one\ntwo\n");
  }

  /// A federate that was moved away from this machine has left a log here.
  void aLogOfThisMachineIsKept_data() {
    QTest::addColumn<bool>("isRecorded");
    QTest::newRow("as the record says") << true;
    QTest::newRow("of which the record says nothing") << false;
  }
  void aLogOfThisMachineIsKept() {
    QFETCH(bool, isRecorded);
    Fetched run("tower");
    run.addFederate("radar", "tower");
    run.addFederate("scope", "tower");
    if (isRecorded) {
      run.record.processes.resize(2);
      run.record.processes[0].id = "radar";
      run.record.processes[0].host = "tower";
      run.record.processes[1].id = "scope";
      run.record.processes[1].host = "tower";
      run.record.changes = {{RunChange::Kind::Moved, "radar", "tower", {}, {}}};
    }
    run.writeHere("radar.log", "here\n");
    run.writeThere("radar.log", "there\n");
    run.writeThere("radar.tower.log", "there too\n");
    run.writeThere("scope.log", "there\n");
    for (int time = 0; time < 2; ++time) {
      QCOMPARE(run.fetch(), QString());
      QCOMPARE(run.here("radar.log"), "here\n");
      QList<QByteArray> contents{run.here("radar.tower.log"),
                                 run.here("radar.tower.2.log") + run.here("radar.tower.tower.log")};
      std::sort(contents.begin(), contents.end());
      QCOMPARE(contents, (QList<QByteArray>{"there\n", "there too\n"}));
      QCOMPARE(run.here("scope.log"), "there\n");
      QCOMPARE(run.files().size(), 4);
    }
  }

  /// The program that fetched it was killed before it could record that.
  void aLogThatWasFetchedIsNotTakenForOneOfThisMachine() {
    Fetched run("tower");
    run.addFederate("radar", "tower");
    run.record.processes.resize(1);
    run.record.processes[0].id = "radar";
    run.record.processes[0].host = "tower";
    run.writeHere("radar.log", "one\n");
    run.writeThere("radar.log", "one\ntwo\n");
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.files(), QStringList{"radar.log"});
    QCOMPARE(run.here("radar.log"), "one\ntwo\n");
  }

  void onlyOneProgramFetches() {
    Fetched run("tower");
    run.writeThere("radar.log", "one\n");
    const auto before = run.record;
    QLockFile other(run.plan.folder + "/logs.lock");
    QVERIFY(other.tryLock(0));
    QCOMPARE(fetchRunLogs(run.record, run.plan), FetchedLogs::Busy);
    QCOMPARE(run.record, before);
    other.unlock();
    QCOMPARE(fetchRunLogs(run.record, run.plan), FetchedLogs::Tried);
    QCOMPARE(run.here("radar.log"), "one\n");
  }

  /// What was written to the record while logs came stays.
  void theOutcomeOfTheRunStays() {
    Fetched run("tower");
    run.writeThere("radar.log", "one\n");
    QVERIFY(run.record.save(run.plan.folder));
    auto ended = run.record;
    ended.outcome = "stopped";
    ended.ended = QDateTime::fromMSecsSinceEpoch(1700000000000);
    ended.troubles = {"a trouble"};
    QCOMPARE(run.fetch(), QString());
    QVERIFY(ended.save(run.plan.folder));
    QVERIFY(saveLogs(run.record, run.plan.folder));
    ended.hosts[1].logs = {{"radar.log", "radar.log", 4}};
    ended.hosts[1].logsFetched = true;
    const auto read = RunRecord::read(run.plan.folder + "/record.json");
    QVERIFY(read && *read == ended);
  }

  /// What a record names that was written before names were looked at.
  void aRecordNamesNoOtherFile() {
    Fetched run("names");
    run.record.hosts[1].logs = {{"a.log", "a.log", 1},
                                {"b.log", QStringLiteral("launch.json") + QChar(0) + ".log", 1},
                                {"\x1b[2J.log", "c.log", 1}};
    QVERIFY(run.record.save(run.plan.folder));
    const auto read = RunRecord::read(run.plan.folder + "/record.json");
    QVERIFY(read);
    QCOMPARE(read->hosts[1].logs, std::vector<RecordedLog>({{"a.log", "a.log", 1}}));
  }

 private:
  /// What the host does after it has said $mark.
  void lies(const QString& host, const QByteArray& script) const {
    QDir().mkpath(programs_.filePath(host));
    const QString liar = programs_.filePath(host + "/liar");
    Fetched::write(liar, "#!/bin/sh\nmark=${1##* }; echo $mark\n" + script);
    QFile::setPermissions(liar, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }

  QTemporaryDir programs_;
};

QTEST_GUILESS_MAIN(TestLogFetch)
#include "tst_log_fetch.moc"
