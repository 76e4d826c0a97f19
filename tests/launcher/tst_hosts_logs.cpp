// SPDX-License-Identifier: GPL-3.0-or-later
// The logs of a run on other hosts come whole into its folder here, at the run's end or later.
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>

#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <future>
#include <stop_token>

#include "launcher/engine/fetch_logs.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/run_record.h"
#include "tests/launcher/lab_plans.h"

using namespace tutti::launcher;
using namespace tutti::launcher::test;

namespace {

const QString folderThere = QStringLiteral("/root/logs");

/// A run that was on hosts of the lab, as far as its logs are concerned.
struct Fetched {
  RunRecord record;
  LaunchPlan plan;

  Fetched(const Lab& lab, std::initializer_list<int> hosts, const QString& there = folderThere) {
    const auto deployment = Deployment::read(lab.hostsFile());
    if (!deployment) qFatal("%s", qPrintable(deployment.error().message()));
    record.run = QStringLiteral("20261126-080000-0badcafe");
    record.hosts.push_back({});
    plan.folder = lab.root() + QStringLiteral("/here");
    if (!QDir().mkpath(plan.folder)) qFatal("no folder");
    for (const int number : hosts) {
      PlannedHost planned;
      planned.host = *deployment->host(lab.host(number));
      planned.folder = there;
      plan.hosts.push_back(planned);
      RecordedHost recorded;
      recorded.name = planned.host.name;
      recorded.folder = there;
      record.hosts.push_back(recorded);
    }
  }
  /// A federate of the plan, where it runs.
  void addFederate(const QString& name, const QString& host) {
    PlannedProcess process;
    process.id = name.toStdString();
    process.logFile = (folderThere + '/' + name + ".log").toStdString();
    plan.plan.processes.push_back(process);
    PlannedFederate federate;
    federate.name = name;
    federate.host = host;
    plan.federates.push_back(federate);
  }
  /// What is missing of the logs of a host, sentences.
  QString fetch(const LogLimits& limits = {}, const std::stop_token& stop = {},
                LogProgress* progress = nullptr) {
    fetchRunLogs(record, plan, limits, stop, progress);
    const auto& host = record.hosts[1];
    if (host.logsFetched != host.logProblem.isEmpty()) qFatal("the record contradicts itself");
    return host.logProblem;
  }
  QByteArray here(const QString& file) const { return content(plan.folder + '/' + file); }
  /// All that is in the folder, hidden files too.
  QStringList files() const {
    return QDir(plan.folder)
        .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot, QDir::Name);
  }
  qint64 sizeOf(const QString& log) const {
    for (const auto& one : record.hosts[1].logs) {
      if (one.name == log) return one.size;
    }
    return -1;
  }
};

/// Bytes that a host has sent since it was made.
qint64 sentBy(const Lab& lab, int host) {
  return lab.ask(host, "cat /sys/class/net/eth0/statistics/tx_bytes").trimmed().toLongLong();
}

}  // namespace

class TestHostsLogs : public QObject {
  Q_OBJECT

 private slots:
  void logsComeWholeHoweverLongTheyAre() {
    Lab lab(1, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched run(lab, {1});
    lab.ask(1,
            "mkdir -p /root/logs; cd /root/logs; echo short > a.log; : > 'b c.log'; "
            "{ echo first; head -c 20000000 /dev/urandom | base64; echo last; } > d.log; "
            "echo other > e.txt");
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.files(), (QStringList{"a.log", "b c.log", "d.log"}));
    QCOMPARE(run.here("a.log"), "short\n");
    const auto whole = run.here("d.log");
    QVERIFY(whole.size() > 20000000 && whole.startsWith("first\n") && whole.endsWith("\nlast\n"));
    QCOMPARE(run.sizeOf("d.log"), whole.size());
    QCOMPARE(lab.ask(1, "sha256sum < /root/logs/d.log").left(64),
             QCryptographicHash::hash(whole, QCryptographicHash::Sha256).toHex());
    // One that has grown there is continued, one that has become another is fetched anew, and one
    // that has gone there is still here.
    lab.ask(1,
            "cd /root/logs; echo more >> d.log; echo another > a.log; rm 'b c.log'; "
            "echo new > f.log");
    const qint64 before = sentBy(lab, 1);
    QCOMPARE(run.fetch(), QString());
    QVERIFY(before > 0 && sentBy(lab, 1) - before < 5000000);
    QCOMPARE(run.here("d.log"), whole + "more\n");
    QCOMPARE(run.here("a.log"), "another\n");
    QCOMPARE(run.files(), (QStringList{"a.log", "b c.log", "d.log", "f.log"}));
    // The record keeps what it knows.
    QVERIFY(run.record.save(run.plan.folder));
    const auto read = RunRecord::read(run.plan.folder + "/record.json");
    QVERIFY(read);
    QCOMPARE(read->hosts, run.record.hosts);
  }

  void whatIsInterruptedGoesOnWhereItStopped() {
    Lab lab(1, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched run(lab, {1});
    lab.ask(1,
            "mkdir -p /root/logs; cd /root/logs; echo short > a.log; "
            "head -c 40000000 /dev/urandom > big.log");
    QVERIFY(lab.call({"slow", lab.host(1), "40"}));
    LogProgress progress;
    std::stop_source stop;
    auto fetching =
        std::async(std::launch::async, [&] { return run.fetch({}, stop.get_token(), &progress); });
    QTRY_VERIFY_WITH_TIMEOUT(progress.here > 5000000, endMs);
    stop.request_stop();
    const QString problem = fetching.get();
    QVERIFY2(problem.contains("given up") && problem.contains(lab.host(1) + ":/root/logs") &&
                 problem.contains("tutti logs " + run.record.run + " --fetch"),
             qPrintable(problem));
    // Nothing half written is taken for whole, and nothing of what came is lost.
    QCOMPARE(run.files(), (QStringList{"a.log", "big.log.part"}));
    const auto part = run.here("big.log.part").size();
    QVERIFY(part > 4000000 && part < 40000000);
    QCOMPARE(logHere(run.plan.folder, {"big.log", "big.log", 40000000}).size, part);
    QVERIFY(!logHere(run.plan.folder, {"big.log", "big.log", 40000000}).whole);
    // A line that is too slow holds nobody up, and is continued likewise.
    const QString slow = run.fetch({2000, 15000});
    QVERIFY2(slow.contains("within 2 s"), qPrintable(slow));
    const auto second = run.here("big.log.part").size();
    QVERIFY2(second >= part, qPrintable(QString::number(second)));
    QVERIFY(lab.call({"slow", lab.host(1), "0"}));
    const qint64 before = sentBy(lab, 1);
    QCOMPARE(run.fetch(), QString());
    QVERIFY(before > 0 && sentBy(lab, 1) - before < 40000000 - second + 4000000);
    QCOMPARE(run.files(), (QStringList{"a.log", "big.log"}));
    QCOMPARE(lab.ask(1, "sha256sum < /root/logs/big.log").left(64),
             QCryptographicHash::hash(run.here("big.log"), QCryptographicHash::Sha256).toHex());
  }

  /// Its beginning here is no longer the beginning of the file there.
  void aPartOfAnotherFileIsNotContinued() {
    Lab lab(1, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched run(lab, {1});
    lab.ask(1, "mkdir -p /root/logs; echo 'one two three' > /root/logs/a.log");
    QFile part(run.plan.folder + "/a.log.part");
    QVERIFY(part.open(QIODevice::WriteOnly));
    part.write("one 2");
    part.close();
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.here("a.log"), "one two three\n");
    QCOMPARE(run.files(), QStringList{"a.log"});
  }

  void whatCannotBeFetchedIsSaidWithThePlaceWhereItIs() {
    Lab lab(2, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched nowhere(lab, {1}, "/root/nowhere");
    const QString none = nowhere.fetch();
    QVERIFY2(none.contains("could not be fetched: there is no folder /root/nowhere"),
             qPrintable(none));
    QVERIFY(!none.contains("--fetch"));
    // One host does not answer: the logs of the other come.
    lab.ask(2, "mkdir -p /root/logs; echo two > /root/logs/two.log");
    QVERIFY(lab.call({"cut", lab.host(1)}));
    Fetched cut(lab, {1, 2});
    const QString silent = cut.fetch({20000, 8000});
    QVERIFY2(silent.contains("The logs of " + lab.host(1) + " could not be fetched: ") &&
                 silent.contains("They are in " + lab.host(1) + ":/root/logs") &&
                 silent.contains("--fetch"),
             qPrintable(silent));
    QVERIFY(cut.record.hosts[2].logsFetched);
    QCOMPARE(cut.here("two.log"), "two\n");
    // A log that has gone before it was whole here.
    QVERIFY(lab.call({"mend", lab.host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(lab.ask(1, "mkdir -p /root/logs; echo up").contains("up"), endMs);
    cut.record.hosts[1].logs = {{"gone.log", "gone.log", 7}};
    const QString gone = cut.fetch();
    QVERIFY2(gone.contains("No longer in " + lab.host(1) + ":/root/logs") &&
                 gone.contains("gone.log") && !gone.contains("--fetch"),
             qPrintable(gone));
  }

  void aFullDiskHereLeavesOutWhatDoesNotFit() {
    Lab lab(1, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched run(lab, {1});
    lab.ask(1,
            "mkdir -p /root/logs; cd /root/logs; echo short > a.log; "
            "head -c 6000000 /dev/urandom > big.log");
    const QByteArray folder = QFile::encodeName(run.plan.folder);
    QCOMPARE(::mount("none", folder.constData(), "tmpfs", 0, "size=2m"), 0);
    const QString problem = run.fetch();
    const auto files = run.files();
    const auto small = run.here("a.log");
    ::umount(folder.constData());
    QVERIFY2(
        problem.contains("has no room for 1 log") && problem.contains(lab.host(1) + ":/root/logs"),
        qPrintable(problem));
    QCOMPARE(files, QStringList{"a.log"});
    QCOMPARE(small, "short\n");
    // There is room now.
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.here("big.log").size(), 6000000);
  }

  /// A federate that was moved has left a log on each host.
  void twoLogsOfOneNameAreBothKept() {
    Lab lab(2, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    Fetched run(lab, {1, 2});
    run.addFederate("radar", lab.host(2));
    for (const int host : {1, 2})
      lab.ask(host,
              QStringLiteral("mkdir -p /root/logs; echo on %1 > /root/logs/radar.log").arg(host));
    for (int time = 0; time < 2; ++time) {
      QCOMPARE(run.fetch(), QString());
      QCOMPARE(run.here("radar.log"), "on 2\n");
      QCOMPARE(run.here("radar." + lab.host(1) + ".log"), "on 1\n");
      QCOMPARE(run.files().size(), 2);
    }
  }

  /// Hosts may share the file system that has the folders of runs.
  void nothingIsCopiedWithinOneFolder() {
    Lab lab(1);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    QTemporaryDir both(QStringLiteral(TUTTI_BINARY_DIR "/logs-XXXXXX"));
    QVERIFY(both.isValid());
    Fetched run(lab, {1}, both.path());
    run.plan.folder = both.path();
    QFile log(both.filePath("a.log"));
    QVERIFY(log.open(QIODevice::WriteOnly));
    log.write("shared\n");
    log.close();
    QCOMPARE(lab.ask(1, "cat " + both.path() + "/a.log"), "shared\n");
    QCOMPARE(run.fetch(), QString());
    QCOMPARE(run.files(), QStringList{"a.log"});
    QCOMPARE(run.sizeOf("a.log"), 7);
  }

  /// `tutti logs` says what is missing, and gets it, also after it was killed.
  void theCommandListsAndFetches() {
    Lab lab(2, {"--own-files"});
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const QString plans = planOn(lab);
    QVERIFY(!plans.isEmpty());
    QProcess run;
    run.setProcessEnvironment(environmentOf(lab));
    run.start(tuttiProgram, {"launch", plans, "--duration", "1", "--json"});
    QVERIFY(run.waitForFinished(endMs));
    const auto result = QJsonDocument::fromJson(run.readAllStandardOutput()).object();
    const QString folder = result["folder"].toString();
    const QString id = result["run"].toString();
    QVERIFY2(!id.isEmpty(), run.readAllStandardError());
    QCOMPARE(tutti(lab, {"logs"}), 0);
    for (const QString& part : {id, QString("tutti-rti.log"), QString("radar-west.log"),
                                QString("radar-east.log"), lab.host(1), lab.host(2)})
      QVERIFY2(out_.contains(part.toUtf8()), out_);
    QVERIFY2(!out_.contains("not here"), out_);
    // As if the line had been too slow at the end.
    auto record = RunRecord::read(folder + "/record.json");
    QVERIFY(record);
    for (auto& host : record->hosts) {
      if (host.name != lab.host(1)) continue;
      lab.ask(1, "head -c 30000000 /dev/urandom >> " + host.folder + "/radar-west.log");
      host.logsFetched = false;
      host.logProblem = "Not yet.";
    }
    QVERIFY(record->save(folder));
    QVERIFY(QFile::remove(folder + "/radar-west.log"));
    QCOMPARE(tutti(lab, {"logs", id.left(15)}), 1);
    QVERIFY2(out_.contains("not here") && err_.contains("Not yet."), out_ + err_);
    QVERIFY(lab.call({"slow", lab.host(1), "40"}));
    QProcess killed;
    killed.setProcessEnvironment(environmentOf(lab));
    killed.start(tuttiProgram, {"logs", id, "--fetch"});
    const QString part = folder + "/radar-west.log.part";
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo(part).size() > 2000000, endMs);
    // Another one is told so, and waits for nothing.
    QCOMPARE(tutti(lab, {"logs", id, "--fetch"}), 1);
    QVERIFY2(err_.contains("another program is fetching them"), err_);
    killed.kill();
    QVERIFY(killed.waitForFinished(endMs));
    QCOMPARE(tutti(lab, {"logs", id}), 1);
    QVERIFY2(err_.contains("Not yet.") && !err_.contains("another program"), err_);
    // Its folder, however it is written: somebody who holds its plan would write its outcome.
    QFile held(folder + "/plan.json");
    QVERIFY(held.open(QIODevice::ReadOnly));
    QCOMPARE(::flock(held.handle(), LOCK_SH | LOCK_NB), 0);
    for (const QString& named : {folder, folder + "/", folder + "/.", folder + "/../" + id}) {
      QCOMPARE(tutti(lab, {"logs", named, "--fetch"}), 1);
      QVERIFY2(err_.contains("goes on"), err_);
    }
    held.close();
    const qint64 came = QFileInfo(part).size();
    QVERIFY(came < 30000000 && !QFile::exists(folder + "/radar-west.log"));
    QVERIFY(lab.call({"slow", lab.host(1), "0"}));
    const qint64 before = sentBy(lab, 1);
    QCOMPARE(tutti(lab, {"logs", id, "--fetch", "--json"}), 0);
    QVERIFY(sentBy(lab, 1) - before < 30000000 - came + 4000000);
    const auto said = QJsonDocument::fromJson(out_).object();
    QVERIFY2(said["missing"].toArray().isEmpty() && said["run"] == id, out_);
    bool found = false;
    for (const auto& value : said["logs"].toArray()) {
      const auto log = value.toObject();
      QVERIFY2(log["whole"].toBool() && log["here"] == log["size"], out_);
      if (log["log"] == "radar-west.log") {
        found = log["host"] == lab.host(1) && log["size"].toInteger() > 30000000;
      }
    }
    QVERIFY2(found, out_);
    QVERIFY(!QFile::exists(part) && !QFile::exists(folder + "/logs.lock"));
    QVERIFY(content(folder + "/radar-west.log").size() > 30000000);
    QCOMPARE(tutti(lab, {"logs", "nowhere"}), 2);
    QCOMPARE(tutti(lab, {"logs", "--fetch", "--what"}), 2);
  }

 private:
  int tutti(const Lab& lab, const QStringList& arguments) {
    QProcess process;
    process.setProcessEnvironment(environmentOf(lab));
    process.start(tuttiProgram, arguments);
    if (!process.waitForFinished(2 * endMs)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }

  QByteArray out_;
  QByteArray err_;
};

QTEST_GUILESS_MAIN(TestHostsLogs)
#include "tst_hosts_logs.moc"
