// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as batch jobs of a real Slurm: `tutti submit`, `tutti attach --job`, `tutti stop --job`. A
// job outlives who has submitted it, is followed without a lost line, and ends in order.
#include <signal.h>

#include <QJsonArray>
#include <QMap>
#include <QRegularExpression>

#include "launcher/engine/run_record.h"
#include "tests/launcher/slurm_lab.h"

using namespace tutti::launcher;
using test::awaitSaid;
using test::SlurmLab;
using test::slurmMs;

namespace {

/// What `tutti attach --job --json` has printed.
struct Told {
  QMap<QString, QMap<qint64, QJsonObject>> events;  ///< by host, by number
  int twice = 0;
  QMap<QString, qint64> next;  ///< from this one on all are told: before it only output
  QList<bool> connections;
  QStringList states;  ///< of the job
  QString text;        ///< the last that was said of it

  explicit Told(const QByteArray& printed) {
    for (const QByteArray& line : printed.split('\n')) {
      const auto event = QJsonDocument::fromJson(line).object();
      const QString host = event["host"].toString();
      if (event["event"] == "connection") connections << event["up"].toBool();
      if (event["event"] == "job") states << event["state"].toString();
      if (event["event"] == "job") text = event["text"].toString();
      if (event["event"] == "attached" && !next.contains(host))
        next[host] = event["next"].toInteger();
      const qint64 number = event["n"].toInteger();
      if (number == 0) continue;
      twice += events[host].contains(number) ? 1 : 0;
      events[host][number] = event;
    }
  }
  /// Whether every event of so many supervisors since they were attached is there once.
  bool isWhole(int supervisors) const {
    if (events.size() != supervisors || next.size() != supervisors || twice > 0) return false;
    for (auto host = events.begin(); host != events.end(); ++host) {
      for (qint64 number = next[host.key()]; number <= host->lastKey(); ++number) {
        if (!host->contains(number)) return false;
      }
    }
    return true;
  }
  QStringList linesOf(const QString& id) const {
    QStringList result;
    for (const auto& host : events) {
      for (const auto& event : host) {
        if (event["event"] == "output" && event["id"] == id) result << event["line"].toString();
      }
    }
    return result;
  }
  qint64 last(const QString& host) const {
    return events.contains(host) ? events[host].lastKey() : 0;
  }
};

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What a federate has written, as its log has it.
QStringList linesIn(const QString& log) {
  QStringList result;
  for (const QByteArray& line : contentOf(log).split('\n')) {
    const QList<QByteArray> words = line.split(' ');
    if (words.size() > 1 && (words[1] == "out" || words[1] == "err"))
      result << QString::fromUtf8(line.mid(words[0].size() + 5));
  }
  return result;
}

}  // namespace

class TestSlurmBatch : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (const QString why = test::noNamespaces(); !why.isEmpty()) QSKIP(qPrintable(why));
  }
  void init() {
    lab_ = std::make_unique<SlurmLab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    file_ = lab_->sampleAt({{"radar-west", lab_->node(1)},
                            {"flow-north", lab_->node(1)},
                            {"radar-east", lab_->node(2)},
                            {"detector", lab_->node(2)}});
  }
  void cleanup() {
    for (const int job : lab_->jobs(false)) lab_->slurm({"scancel", QString::number(job)});
    QTRY_VERIFY2_WITH_TIMEOUT(lab_->left(2).isEmpty(), lab_->left(2), slurmMs);
    lab_.reset();
    programs_.clear();
  }

  void aRunOutlivesWhoHasSubmittedIt() {
    QProcess shell;
    shell.setChildProcessModifier([] { ::setsid(); });
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", lab_->root() + "/state");
    shell.setProcessEnvironment(environment);
    shell.start(
        "sh", {"-c", "\"$@\"; exec sleep 1000", "sh", QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"),
               "submit", file_, "--hosts", lab_->hostsFile(), "--duration", "5"});
    QByteArray out;
    QVERIFY2(awaitSaid(shell, out, "tutti stop --job"), out);
    static const QRegularExpression number("Job ([0-9]+): air-traffic on 2 nodes of slurm/");
    const int job = number.match(QString::fromUtf8(out)).captured(1).toInt();
    QVERIFY2(job > 0, out);
    // The shell, its terminal's session and all in it.
    QCOMPARE(::kill(-pid_t(shell.processId()), SIGKILL), 0);
    QVERIFY(shell.waitForFinished(slurmMs));
    QCOMPARE(shell.exitStatus(), QProcess::CrashExit);
    // The composition and the hosts file are not read again.
    QVERIFY(QFile::remove(file_));
    QTRY_COMPARE_WITH_TIMEOUT(stateOf(job), QByteArray("COMPLETED"), slurmMs);
    const auto runs = pastRuns(lab_->root() + "/state/tutti/runs");
    QCOMPARE(runs.size(), std::size_t(1));
    const RunRecord& record = runs.front().record;
    QCOMPARE(record.outcome, "stopped");
    QVERIFY2(record.stopReason.contains("5 s have passed"), qPrintable(record.stopReason));
    QVERIFY2(record.troubles.isEmpty(), qPrintable(record.troubles.join('\n')));
    QCOMPARE(record.hosts.size(), std::size_t(3));
    for (const RecordedHost& host : record.hosts) QVERIFY(host.name.isEmpty() || host.logsFetched);
    int federates = 0;
    for (const RecordedProcess& process : record.processes) {
      if (process.id.startsWith("tutti-rti")) continue;
      ++federates;
      QCOMPARE(process.exitCode.value_or(-1), 0);
      QVERIFY2(!contentOf(runs.front().folder + '/' + process.id + ".log").isEmpty(),
               qPrintable(process.id));
    }
    QCOMPARE(federates, 6);
    // What it printed is beside its script.
    const QString printed = folderOf(job) + QStringLiteral("/air-traffic-%1.log").arg(job);
    QVERIFY2(contentOf(printed).contains("air-traffic ended after"), contentOf(printed));
    QVERIFY(contentOf(folderOf(job) + "/jobs").contains(QByteArray::number(job)));
  }

  /// Of both supervisors on the first node too: the home's and its own as a host.
  void stateAndLogAreComplete() {
    const int other = lab_->occupy(2, lab_->partition());
    QVERIFY(other > 0);
    const int job = submit({"--duration", "6"});
    QVERIFY(job > 0);
    QProcess attached;
    follow(attached, job, {"--json"});
    QByteArray out;
    const auto told = [&] { return Told(out += attached.readAllStandardOutput()); };
    QTRY_VERIFY2_WITH_TIMEOUT(told().text.startsWith("1st in the queue"), out, slurmMs);
    lab_->slurm({"scancel", QString::number(other)});
    QVERIFY(attached.waitForFinished(2 * slurmMs));
    const Told all = told();
    QVERIFY2(attached.exitCode() == 0, out.right(2000) + attached.readAllStandardError());
    QVERIFY2(
        all.isWhole(3),
        qPrintable(QString("%1 %2 %3").arg(all.events.size()).arg(all.next.size()).arg(all.twice)));
    QCOMPARE(all.states.first(), "PENDING");
    QCOMPARE(all.states.last(), "COMPLETED");
    QVERIFY2(all.text.contains(folderOf(job)), qPrintable(all.text));
    for (const auto& host : all.events) QCOMPARE(host.last()["event"].toString(), "ended");
    const auto runs = pastRuns(lab_->root() + "/state/tutti/runs");
    QCOMPARE(runs.size(), std::size_t(1));
    QVERIFY2(all.text.contains(runs.front().folder), qPrintable(all.text));
    for (const char* name : {"flow-south", "log", "radar-west", "detector"}) {
      QVERIFY2(!all.linesOf(name).isEmpty(), name);
      QCOMPARE(all.linesOf(name), linesIn(runs.front().folder + '/' + name + ".log"));
    }
  }

  void noLineIsLostOrToldTwice_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("its srun is killed here") << "srun";
    QTest::newRow("the relay is killed there") << "relay";
  }
  void noLineIsLostOrToldTwice() {
    QFETCH(QString, how);
    const int job = submit({});
    QProcess attached;
    follow(attached, job, {"--json"});
    QByteArray out;
    const auto told = [&] { return Told(out += attached.readAllStandardOutput()); };
    QTRY_VERIFY2_WITH_TIMEOUT(told().last("") > 5 && told().last(lab_->node(2)) > 5,
                              out.right(2000) + attached.readAllStandardError(), slurmMs);
    if (how == "srun") {
      const auto srun = test::commandsWith("srun ", "tutti-relay");
      QVERIFY(!srun.isEmpty());  // it has a process beside it
      for (const pid_t each : srun) ::kill(each, SIGKILL);
    } else {
      const auto relay = lab_->processes(1, "bin/tutti relay ");
      QCOMPARE(relay.size(), 1);
      QCOMPARE(::kill(relay.front(), SIGKILL), 0);
    }
    // It is said that it was lost, so that it was killed.
    QTRY_VERIFY2_WITH_TIMEOUT((told().connections == QList<bool>{false, true}), out.right(2000),
                              slurmMs);
    const Told then = told();
    QTRY_VERIFY2_WITH_TIMEOUT(told().last("") > then.last("") + 5, out.right(2000), slurmMs);
    QVERIFY(told().isWhole(3));
    QVERIFY2(stop(job, {}) == 0, said_);
    QVERIFY(attached.waitForFinished(slurmMs));
    const Told all = told();
    QVERIFY(all.isWhole(3));
    QCOMPARE(all.states.last(), "COMPLETED");
    const auto runs = pastRuns(lab_->root() + "/state/tutti/runs");
    QCOMPARE(runs.front().record.outcome, "stopped");
    for (const char* name : {"log", "radar-west", "detector"})
      QCOMPARE(all.linesOf(name), linesIn(runs.front().folder + '/' + name + ".log"));
  }

  /// By a real ssh, from a machine whose own Slurm commands are of no use: submitted, followed
  /// while the way to it breaks, and stopped, with all that it has written.
  void aJobBehindALoginHost() {
    lab_->reachThroughFirstHost();
    QVERIFY(hideSlurm());
    const int job = submit({});
    QVERIFY2(job > 0, said_);
    QProcess attached;
    follow(attached, job, {"--json"});
    QByteArray out;
    const auto told = [&] { return Told(out += attached.readAllStandardOutput()); };
    QTRY_VERIFY2_WITH_TIMEOUT(told().last("") > 5 && told().last(lab_->node(2)) > 5,
                              out.right(2000) + attached.readAllStandardError(), slurmMs);
    QCOMPARE(tutti({"clusters", "queue", "--hosts", lab_->hostsFile()}), 0);
    QVERIFY2(said_.contains(QByteArray::number(job)), said_);
    QList<pid_t> ways = test::commandsWith({}, "tutti-relay");
    ways.removeIf(
        [](pid_t pid) { return !test::Lab::commandOf(pid).split(' ').front().endsWith("ssh"); });
    QCOMPARE(ways.size(), 1);
    for (const pid_t each : ways) ::kill(each, SIGKILL);
    QTRY_VERIFY2_WITH_TIMEOUT((told().connections == QList<bool>{false, true}), out.right(2000),
                              slurmMs);
    const Told then = told();
    QTRY_VERIFY2_WITH_TIMEOUT(told().last("") > then.last("") + 5, out.right(2000), slurmMs);
    QVERIFY2(stop(job, {}) == 0 && said_.contains("has ended in order"), said_);
    QVERIFY(attached.waitForFinished(slurmMs));
    const Told all = told();
    QVERIFY(all.isWhole(3));
    QCOMPARE(all.states.last(), "COMPLETED");
    const auto runs = pastRuns(lab_->root() + "/state/tutti/runs");
    QCOMPARE(runs.size(), std::size_t(1));
    QCOMPARE(runs.front().record.outcome, "stopped");
    for (const RecordedHost& host : runs.front().record.hosts)
      QVERIFY(host.name.isEmpty() || host.logsFetched);
    for (const char* name : {"log", "flow-north", "radar-west", "radar-east", "detector"}) {
      QVERIFY2(!all.linesOf(name).isEmpty(), name);
      QCOMPARE(all.linesOf(name), linesIn(runs.front().folder + '/' + name + ".log"));
    }
    QCOMPARE(contentOf(lab_->root() + "/used-here"), QByteArray());
  }

  /// In the queue and running Ctrl+C leaves the job alone, and nothing stays on its node.
  void leavingLeavesTheJobAlone() {
    const int other = lab_->occupy(2, lab_->partition());
    const int job = submit({});
    for (const bool runs : {false, true}) {
      if (runs) lab_->slurm({"scancel", QString::number(other)});
      QProcess attached;
      follow(attached, job, {});
      QByteArray out;
      QVERIFY2(awaitSaid(attached, out, runs ? "radar-west" : "1st in the queue"), out);
      QCOMPARE(::kill(pid_t(attached.processId()), SIGINT), 0);
      QVERIFY(attached.waitForFinished(slurmMs));
      out += attached.readAll() + attached.readAllStandardError();
      QVERIFY2(attached.exitCode() == 0 && out.contains("left alone"), out);
      QCOMPARE(stateOf(job), QByteArray(runs ? "RUNNING" : "PENDING"));
    }
    QTRY_VERIFY_WITH_TIMEOUT(lab_->processes(1, "bin/tutti relay ").isEmpty(), slurmMs);
    // It is listed meanwhile; other tests on this machine may have runs, too.
    const auto listedOf = [&] {
      QJsonArray result;
      if (tutti({"attach", "--json"}) != 0) return result;
      for (const auto& each : QJsonDocument::fromJson(said_).array()) {
        if (each.toObject()["job"].toInt() == job) result << each;
      }
      return result;
    };
    const QJsonArray listed = listedOf();
    QCOMPARE(listed.size(), 1);
    QCOMPARE(listed[0].toObject()["job"].toInt(), job);
    QCOMPARE(listed[0].toObject()["federation"].toString(), "air-traffic");
    QCOMPARE(tutti({"clusters", "--hosts", lab_->hostsFile(), "--json"}), 0);
    const auto cluster =
        QJsonDocument::fromJson(said_).object()["clusters"].toArray()[0].toObject();
    QCOMPARE(cluster["runs"].toArray()[0].toObject()["state"].toString(), "RUNNING");
    QVERIFY(stop(job, {}) == 0);
    QVERIFY2(listedOf().isEmpty(), said_);
    QCOMPARE(tutti({"attach", "--json"}), 0);
  }

  void aJobIsStoppedInTheQueueAndRunning() {
    const int other = lab_->occupy(2, lab_->partition());
    const int queued = submit({});
    QProcess attached;
    follow(attached, queued, {});
    QByteArray out;
    QVERIFY2(awaitSaid(attached, out, "1st in the queue"), out);
    QVERIFY2(stop(queued, {}) == 0 && said_.contains("was cancelled"), said_);
    QVERIFY(attached.waitForFinished(slurmMs));
    out += attached.readAllStandardError();
    QVERIFY2(attached.exitCode() == 1 && out.contains("was cancelled"), out);
    lab_->slurm({"scancel", QString::number(other)});

    const int running = submit({});
    QTRY_VERIFY2_WITH_TIMEOUT(printedBy(running).contains("running  6 of 6"), printedBy(running),
                              slurmMs);
    QVERIFY2(stop(running, {}) == 0 && said_.contains("has ended in order"), said_);
    QCOMPARE(stateOf(running), QByteArray("COMPLETED"));
    QVERIFY2(printedBy(running).contains("(asked)"), printedBy(running));
    QVERIFY(stop(running, {}) == 0);
    QVERIFY2(said_.contains("was over already"), said_);
  }

  /// Its run hangs: it does not end when it is asked, and the second stop does not ask.
  void aRunThatHangsIsEndedBySlurm() {
    const int job = submit({});
    QTRY_VERIFY2_WITH_TIMEOUT(printedBy(job).contains("running  6 of 6"), printedBy(job), slurmMs);
    const auto runs = lab_->processes(1, "bin/tutti run ");
    QCOMPARE(runs.size(), 1);
    QCOMPARE(::kill(runs.front(), SIGSTOP), 0);
    QProcess first;
    lab_->start(first, {"stop", "--job", QString::number(job)});
    QTRY_VERIFY_WITH_TIMEOUT(
        contentOf(folderOf(job) + "/asked-to-stop").trimmed() == QByteArray::number(job), slurmMs);
    QCOMPARE(stateOf(job), QByteArray("RUNNING"));
    QVERIFY2(stop(job, {}) == 0 && said_.contains("was cancelled"), said_);
    QVERIFY(first.waitForFinished(slurmMs));
    QCOMPARE(stateOf(job), QByteArray("CANCELLED"));
  }

  void aJobThatIsCancelledByOthersIsSaid() {
    const int job = submit({});
    QProcess attached;
    follow(attached, job, {});
    QByteArray out;
    QVERIFY2(awaitSaid(attached, out, "radar-west"), out);
    lab_->slurm({"scancel", QString::number(job)});
    QVERIFY2(attached.waitForFinished(slurmMs), out);
    out += attached.readAll() + attached.readAllStandardError();
    QVERIFY2(attached.exitCode() == 1, out.right(3000));
    QVERIFY2(out.contains("was cancelled"), out.right(3000));
  }

  void otherJobsAreNotTouched() {
    QCOMPARE(tutti({"attach", "--job", "9999", "--hosts", lab_->hostsFile()}), 2);
    QVERIFY2(said_.contains("slurm knows no job 9999."), said_);
    const int held = lab_->occupy(1, lab_->partition());
    QCOMPARE(tutti({"stop", "--job", QString::number(held), "--hosts", lab_->hostsFile()}), 2);
    QVERIFY2(said_.contains("is no run of Tutti"), said_);
    const QString script = lab_->root() + "/other.sh";
    QFile file(script);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\nsleep 100\n");
    file.close();
    QFile::setPermissions(lab_->root(),
                          QFile::permissions(lab_->root()) | QFile::ExeOther | QFile::ReadOther);
    const int others = lab_->slurm({"sbatch", "--parsable", "--uid=nobody", "--chdir=/",
                                    "--output=/dev/null", "--hold", "--job-name=tutti-air", script})
                           .toInt();
    QVERIFY(others > 0);
    for (const char* verb : {"attach", "stop"}) {
      QCOMPARE(tutti({verb, "--job", QString::number(others), "--hosts", lab_->hostsFile()}), 2);
      QVERIFY2(said_.contains("is of nobody, not of root"), said_);
    }
    QCOMPARE(stateOf(held), QByteArray("RUNNING"));
    QCOMPARE(stateOf(others), QByteArray("PENDING"));
  }

  void whatSlurmRefusesIsSaid() {
    QFile hosts(lab_->hostsFile());
    QVERIFY(hosts.open(QIODevice::ReadOnly));
    auto document = QJsonDocument::fromJson(hosts.readAll()).object();
    auto clusters = document["clusters"].toObject();
    auto cluster = clusters["slurm"].toObject();
    cluster["account"] = "no_such_account";
    cluster["timeLimit"] = 100000;
    clusters["slurm"] = cluster;
    document["clusters"] = clusters;
    hosts.close();
    lab_->slurm({"scontrol", "update", "PartitionName=" + lab_->partition(), "State=DRAIN"});
    QVERIFY(hosts.open(QIODevice::WriteOnly | QIODevice::Truncate));
    hosts.write(QJsonDocument(document).toJson());
    hosts.close();
    QCOMPARE(tutti({"submit", file_, "--hosts", lab_->hostsFile()}), 2);
    QVERIFY2(said_.contains("Slurm on slurm does not take the job: ") &&
                 said_.contains("tutti clusters says what the cluster has"),
             said_);
    QVERIFY(QDir(lab_->root() + "/state/tutti/jobs").isEmpty());
    QVERIFY(lab_->jobs().isEmpty());
  }

  /// A run of a console that is to be kept leads here.
  void keepingLeadsToSubmitting() {
    QProcess run;
    lab_->start(run, {"run", file_, "--hosts", lab_->hostsFile(), "--keep", "--duration", "1"});
    QByteArray out;
    QVERIFY2(awaitSaid(run, out, "tutti submit " + file_.toUtf8()), out);
    QVERIFY(run.waitForFinished(slurmMs));
  }

 private:
  int tutti(const QStringList& arguments) {
    QProcess process;
    start(process, arguments);
    process.waitForFinished(2 * slurmMs);
    said_ = process.readAllStandardOutput() + process.readAllStandardError();
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  }
  int submit(const QStringList& options) {
    const int code =
        tutti(QStringList{"submit", file_, "--hosts", lab_->hostsFile(), "--json"} + options);
    if (code != 0) qWarning() << said_;
    return code == 0 ? QJsonDocument::fromJson(said_).object()["job"].toInt() : 0;
  }
  int stop(int job, const QStringList& options) {
    return tutti(QStringList{"stop", "--job", QString::number(job)} + options);
  }
  void follow(QProcess& process, int job, const QStringList& options) const {
    start(process, QStringList{"attach", "--job", QString::number(job)} + options);
  }
  void start(QProcess& process, const QStringList& arguments) const {
    if (programs_.isEmpty()) return lab_->start(process, arguments);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", lab_->root() + "/state");
    environment.insert("PATH", programs_ + ':' + environment.value("PATH"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(TUTTI_BINARY_DIR "/bin/tutti"), arguments);
  }
  /// From now on Slurm's commands fail here, and leave their names in the file "used-here".
  bool hideSlurm() {
    programs_ = lab_->root() + "/programs";
    if (!QDir().mkpath(programs_)) return false;
    for (const char* name : {"sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun", "sacct"}) {
      QFile file(programs_ + '/' + name);
      if (!file.open(QIODevice::WriteOnly)) return false;
      file.write("#!/bin/sh\necho \"$0\" >> '" + (lab_->root() + "/used-here").toUtf8() +
                 "'\nexit 1\n");
      if (!file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser)) return false;
    }
    return true;
  }
  QByteArray stateOf(int job) const {
    return lab_->slurm(
        {"squeue", "--noheader", "--states=all", "--format=%T", "--jobs=" + QString::number(job)});
  }
  /// Where the plans of the only submission with that job are.
  QString folderOf(int job) const {
    const QDir jobs(lab_->root() + "/state/tutti/jobs");
    for (const QString& name : jobs.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      const auto numbers = contentOf(jobs.filePath(name) + "/jobs").split('\n');
      if (numbers.contains(QByteArray::number(job))) return jobs.filePath(name);
    }
    return {};
  }
  QByteArray printedBy(int job) const {
    return contentOf(folderOf(job) + QStringLiteral("/air-traffic-%1.log").arg(job));
  }

  std::unique_ptr<SlurmLab> lab_;
  QString file_;
  QString programs_;  ///< a folder that is looked for programs first; empty: none
  QByteArray said_;
};

QTEST_GUILESS_MAIN(TestSlurmBatch)
#include "tst_slurm_batch.moc"
