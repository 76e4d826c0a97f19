// SPDX-License-Identifier: GPL-3.0-or-later
// The sample federation for real: its components, the RTI, the supervisor, the command line.
#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "observe/observer.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;

namespace {

/// What a stopped run may take to be gone.
constexpr int goneMs = 3000;
constexpr int joinMs = 30000;

QByteArray content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Every living process whose command, environment or shared memory names the run's node, found
/// without the help of anything that is being tested.
QStringList traces(const QByteArray& node) {
  QStringList result;
  for (const auto& pid : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    bool isNumber = false;
    const auto number = pid.toInt(&isNumber);
    if (!isNumber || !alive(number)) continue;
    const auto folder = "/proc/" + pid;
    for (const char* part : {"/cmdline", "/environ", "/maps"}) {
      if (content(folder + part).contains(node))
        result << pid + part + ": " + content(folder + "/cmdline").replace('\0', ' ');
    }
  }
  if (content("/proc/net/unix").contains(node)) result << "its socket";
  for (const auto& file : QDir("/dev/shm").entryList(QDir::Files)) {
    if (file.contains(QString::fromUtf8(node))) result << "/dev/shm/" + file;
  }
  return result;
}

}  // namespace

class TestSampleRun : public QObject {
  Q_OBJECT

 private slots:
  void exchangesDataAndEndsInOrder_data() {
    QTest::addColumn<QString>("architecture");
    for (const char* one : {"decentralized", "federated", "centralized"})
      QTest::newRow(one) << QString::fromLatin1(one);
  }
  void exchangesDataAndEndsInOrder() {
    QFETCH(QString, architecture);
    const QStringList federates{"flow-north", "flow-south", "radar-east",
                                "radar-west", "detector",   "log"};
    QProcess process;
    start(process, "air-traffic", {"--json", "--duration", "4", "--architecture", architecture});
    const auto node = nodeOfRun();
    QVERIFY(!node.isEmpty());
    QVERIFY2(process.waitForFinished(60000), "the run does not end");
    const auto out = process.readAllStandardOutput();
    QVERIFY2(process.exitCode() == 0, out + process.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QCOMPARE(result["outcome"].toString(), "stopped");
    QVERIFY2(result["deaths"].toArray().isEmpty() && result["troubles"].toArray().isEmpty(), out);
    QMap<QString, QJsonObject> byName;
    for (const auto& one : result["federates"].toArray())
      byName[one.toObject()["name"].toString()] = one.toObject();
    double sent = 0;
    double received = 0;
    for (const auto& name : federates) {
      const auto one = byName[name];
      QVERIFY2(one["joined"].toBool(), qPrintable(name));
      QCOMPARE(one["state"].toString(), "exit code 0");
      sent += one["updatesSent"].toDouble() + one["interactionsSent"].toDouble();
      received += one["reflectionsReceived"].toDouble() + one["interactionsReceived"].toDouble();
    }
    QVERIFY2(sent > 0 && received > 0, out);
    for (const char* flow : {"flow-north", "flow-south"}) {
      QCOMPARE(byName[flow]["instancesRegistered"].toInt(), 200);
      QVERIFY(byName[flow]["updatesSent"].toDouble() >= 200);
      QVERIFY(byName[flow]["timeAdvanceGrants"].toDouble() >= 1);
    }
    for (const char* listener : {"radar-east", "radar-west", "detector", "log"}) {
      QVERIFY2(byName[listener]["instancesDiscovered"].toInt() >= 400, listener);
      QVERIFY2(byName[listener]["reflectionsReceived"].toDouble() >= 400, listener);
    }
    QCOMPARE(traces(node), QStringList());
  }

  /// Exactly there: their steps of 1 s lead none of them to 2.5, and beyond it nobody goes.
  void stopsAtItsLogicalTime() {
    QFile from(TUTTI_SOURCE_DIR "/resources/federations/air-traffic.federation.json");
    QVERIFY(from.open(QIODevice::ReadOnly));
    auto document = QJsonDocument::fromJson(from.readAll()).object();
    document["stop"] = QJsonObject{{"logicalTime", 2.5}};
    QTemporaryDir folder;
    QFile to(folder.filePath("stops.federation.json"));
    QVERIFY(to.open(QIODevice::WriteOnly));
    to.write(QJsonDocument(document).toJson());
    to.close();
    QProcess process;
    startFile(process, to.fileName(), {"--json"});
    QVERIFY(process.waitForFinished(60000));
    const auto out = process.readAllStandardOutput();
    QVERIFY2(process.exitCode() == 0, out + process.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QCOMPARE(result["outcome"].toString(), "finished");
    QCOMPARE(result["stopReason"].toString(), "all federates have reached logical time 2.5");
    QCOMPARE(result["logicalTime"].toDouble(), 2.0);
    int seen = 0;
    for (const auto& one : result["federates"].toArray()) {
      if (one.toObject()["node"].toBool()) continue;
      QCOMPARE(one.toObject()["logicalTime"].toDouble(), 2.0);
      ++seen;
    }
    QCOMPARE(seen, 6);
  }

  void endsByItselfWhenItsFederatesDo() {
    QProcess process;
    start(process, "ping-pong", {"--json"});
    const auto node = nodeOfRun();
    QVERIFY(process.waitForFinished(60000));
    const auto out = process.readAllStandardOutput();
    QVERIFY2(process.exitCode() == 0, out + process.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QCOMPARE(result["outcome"].toString(), "finished");
    QString log;
    for (const auto& one : result["federates"].toArray()) {
      if (one.toObject()["name"] == "ping") log = one.toObject()["log"].toString();
    }
    QVERIFY2(content(log).contains("1000 round trips"), content(log));
    QCOMPARE(traces(node), QStringList());
    // All that it did is told, however short it was and whether or not a sample saw it: what one
    // sent the other got.
    double sent = 0;
    double received = 0;
    for (const auto& one : result["federates"].toArray()) {
      if (one.toObject()["node"].toBool()) continue;
      QVERIFY2(one.toObject()["joined"].toBool(), out);
      QVERIFY2(one.toObject()["interactionsSent"].toInt() >= 1000, out);
      sent += one.toObject()["interactionsSent"].toDouble();
      received += one.toObject()["interactionsReceived"].toDouble();
    }
    QCOMPARE(sent, received);
  }

  void leavesNothing_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("Ctrl+C") << "SIGINT";
    QTest::newRow("client killed") << "SIGKILL";
    QTest::newRow("supervisor killed") << "supervisor";
    QTest::newRow("node killed") << "node";
  }
  void leavesNothing() {
    QFETCH(QString, how);
    QProcess process;
    start(process, "air-traffic", {"--quiet", "--no-record"});
    const auto node = nodeOfRun();
    // The RTI itself says that all are there: something will be left if nobody cleans up.
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    QVERIFY(traces(node).size() >= 7);
    const auto supervisor = supervisorWorker(process.processId());
    QVERIFY(supervisor > 0);
    const auto client = static_cast<pid_t>(process.processId());
    if (how == "SIGINT") ::kill(client, SIGINT);
    if (how == "SIGKILL") ::kill(client, SIGKILL);
    if (how == "supervisor") ::kill(supervisor, SIGKILL);
    if (how == "node") ::kill(nodeProcess(supervisor), SIGKILL);
    QTRY_COMPARE_WITH_TIMEOUT(traces(node), QStringList(), goneMs);
    QTRY_COMPARE_WITH_TIMEOUT(process.state(), QProcess::NotRunning, 10000);
    if (how == "SIGINT") QCOMPARE(process.exitCode(), 0);
    if (how == "supervisor" || how == "node") QCOMPARE(process.exitCode(), 1);
    const auto said = QString::fromUtf8(process.readAllStandardOutput());
    if (how == "node") QVERIFY2(said.contains("the RTI node died"), qPrintable(said));
    if (how == "supervisor") {
      QVERIFY2(said.contains("somebody killed it"), qPrintable(said));
      QVERIFY2(said.contains("air-traffic lost its supervisor after"), qPrintable(said));
    }
  }

  void goesOnWithoutOneThatIsNotRequired() {
    QProcess process;
    start(process, "air-traffic", {"--no-record"});
    const auto node = nodeOfRun();
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    const auto log = federateProcess(supervisorWorker(process.processId()), "traffic-log");
    QVERIFY(log > 0);
    ::kill(log, SIGKILL);
    // The RTI resigns it; the others stay.
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 5, 10000);
    QTRY_VERIFY_WITH_TIMEOUT((said_ += QString::fromUtf8(process.readAllStandardOutput()))
                                 .contains("log died: signal 9 (SIGKILL)"),
                             10000);
    QCOMPARE(process.state(), QProcess::Running);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitCode(), 1);
    QCOMPARE(traces(node), QStringList());
  }

  void saysWhoHoldsTimeAndWhoLostTheRti() {
    QProcess process;
    start(process, "air-traffic", {"--no-record"});
    const auto node = nodeOfRun();
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    const auto supervisor = supervisorWorker(process.processId());
    QString said;
    const auto says = [&](const QString& text) {
      said += QString::fromUtf8(process.readAllStandardOutput());
      return said.contains(text);
    };
    QTRY_VERIFY_WITH_TIMEOUT(says("  time 3"), joinMs);
    QVERIFY2(!says("Time stands"), qPrintable(said));
    const auto flow = federateProcess(supervisor, "aircraft-flow");
    QVERIFY(flow > 0);
    ::kill(flow, SIGSTOP);
    QTRY_VERIFY_WITH_TIMEOUT(says("Time stands at"), 10000);
    QTRY_VERIFY2(says("its process is stopped (SIGSTOP), its lookahead is 1.00; "), qPrintable(said));
    QCOMPARE(said.count("Time stands at"), 1);
    QVERIFY2(said.contains(QRegularExpression("Time stands at [0-9.]+: flow-(north|south) has held")),
             qPrintable(said));
    ::kill(flow, SIGCONT);
    QTRY_VERIFY2(says("Time goes on."), qPrintable(said));
    said.clear();
    ::kill(nodeProcess(supervisor), SIGKILL);
    QVERIFY(process.waitForFinished(10000));
    QVERIFY(!says("resigned"));
    // One died, and none of those who ended with an exit code of their own because of it.
    QCOMPARE(said.count(" died at "), 1);
    QCOMPARE(process.exitCode(), 1);
    for (const char* federate : {"flow-north", "flow-south", "radar-east", "radar-west", "detector",
                                 "log"}) {
      const QRegularExpression line(QString("^%1 +lost the RTI ").arg(federate),
                                    QRegularExpression::MultilineOption);
      QVERIFY2(said.contains(line), qPrintable(said));
    }
    QCOMPARE(traces(node), QStringList());
  }

  void endsAtTheLogicalTimeOfTheComposition() {
    QTemporaryDir folder;
    auto composition = QJsonDocument::fromJson(content(samplePath("air-traffic"))).object();
    composition["stop"] = QJsonObject{{"logicalTime", 3.0}};
    QFile file(folder.filePath("short.federation.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(composition).toJson());
    file.close();
    QProcess process;
    startFile(process, file.fileName(), {"--json", "--no-record"});
    const auto node = nodeOfRun();
    QVERIFY2(process.waitForFinished(60000), "the run does not end");
    const auto out = process.readAllStandardOutput();
    QVERIFY2(process.exitCode() == 0, out + process.readAllStandardError());
    const auto result = QJsonDocument::fromJson(out).object();
    QCOMPARE(result["outcome"].toString(), "finished");
    QCOMPARE(result["stopReason"].toString(), "all federates have reached logical time 3");
    int managed = 0;
    for (const auto& one : result["federates"].toArray()) {
      if (!one.toObject().contains("logicalTime")) continue;
      ++managed;
      QVERIFY2(one.toObject()["logicalTime"].toDouble() >= 3.0, out);
    }
    QVERIFY(managed > 0);
    QCOMPARE(traces(node), QStringList());
  }

  void pauseHoldsAndStepsUntilItsProcessIsGone() {
    QProcess process;
    start(process, "air-traffic", {"--quiet", "--no-record"});
    const auto node = nodeOfRun();
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    auto observer = tutti::observe::Observer::connect(node.toStdString());
    QVERIFY(observer.has_value());
    QTRY_VERIFY_WITH_TIMEOUT(leastTime(*observer) > 1, joinMs);

    QProcess pause;
    pause.start(TUTTI_BINARY_DIR "/bin/tutti", {"pause", "air-traffic", "--rti", "shm:" + node});
    QTRY_VERIFY_WITH_TIMEOUT(observer->refresh() && observer->sample().federations.front().held,
                             20000);
    QTRY_VERIFY_WITH_TIMEOUT(
        (said_ += QString::fromUtf8(pause.readAllStandardOutput())).contains("is held at"), 10000);
    // All who take part in time wait by now, and nobody gets on while the real time does.
    QTRY_VERIFY_WITH_TIMEOUT(allWait(*observer), 10000);
    const double held = leastTime(*observer);
    const auto grants = allGrants(*observer);
    QTest::qWait(500);
    QCOMPARE(leastTime(*observer), held);
    QCOMPARE(allGrants(*observer), grants);
    pause.write("\n");
    QTRY_VERIFY_WITH_TIMEOUT(allGrants(*observer) > grants, 10000);
    QTRY_VERIFY_WITH_TIMEOUT(allWait(*observer), 10000);
    QVERIFY(observer->sample().federations.front().held);
    // Whoever holds time may die: it goes on.
    const double stepped = leastTime(*observer);
    pause.kill();
    QVERIFY(pause.waitForFinished(10000));
    QTRY_VERIFY_WITH_TIMEOUT(leastTime(*observer) > stepped + 1, 10000);
    QVERIFY(!observer->sample().federations.front().held);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitCode(), 0);
    observer = tl::unexpected(std::string());
    QCOMPARE(traces(node), QStringList());
  }

  void thePaceChangesWhileItRunsAndStaysWithoutWhoSetIt() {
    QProcess process;
    start(process, "air-traffic", {"--quiet", "--no-record"});
    const auto node = nodeOfRun();
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    auto observer = tutti::observe::Observer::connect(node.toStdString());
    QVERIFY(observer.has_value());
    QTRY_VERIFY_WITH_TIMEOUT(leastTime(*observer) > 1, joinMs);
    const auto pace = [&](const QStringList& words) {
      QProcess tutti;
      tutti.start(TUTTI_BINARY_DIR "/bin/tutti",
                  QStringList{"pace"} + words + QStringList{"--rti", "shm:" + node});
      if (!tutti.waitForFinished(20000)) return QString("no end");
      return QString::number(tutti.exitCode()) + u' ' +
             QString::fromUtf8(tutti.readAllStandardOutput() + tutti.readAllStandardError());
    };
    // The composition says nothing, which is real time; the RTI keeps it.
    QCOMPARE(pace({}), "0 air-traffic goes at 1× real time.\n");
    QCOMPARE(pace({"air-traffic", "0.001"}),
             "0 air-traffic goes on at 0.001× real time, before 1× real time.\n");
    observer->refresh();
    QCOMPARE(observer->sample().federations.front().pace, 0.001);
    QTRY_VERIFY_WITH_TIMEOUT(allWait(*observer), 10000);
    const double slow = leastTime(*observer);
    const auto grants = allGrants(*observer);
    QTest::qWait(500);
    QCOMPARE(leastTime(*observer), slow);
    QCOMPARE(allGrants(*observer), grants);
    for (const char* wrong : {"0", "1e13", "nan", "quick"}) {
      const QString said = pace({"air-traffic", wrong});
      QVERIFY2(said.startsWith("2 ") && said.contains("is no pace"), qPrintable(said));
    }
    observer->refresh();
    QCOMPARE(observer->sample().federations.front().pace, 0.001);
    QVERIFY(pace({"max"}).startsWith("0 air-traffic goes on as fast as possible"));
    QTRY_VERIFY_WITH_TIMEOUT(leastTime(*observer) > slow + 60, 10000);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitCode(), 0);
    observer = tl::unexpected(std::string());
    QCOMPARE(traces(node), QStringList());
  }

  void endsWhenARequiredOneDies() {
    // The sample goes on without any of its federates; here its detector is required.
    QTemporaryDir folder;
    auto composition = QJsonDocument::fromJson(content(samplePath("air-traffic"))).object();
    auto federates = composition["federates"].toObject();
    auto detector = federates["detector"].toObject();
    QCOMPARE(detector["required"].toBool(true), false);
    detector["required"] = true;
    federates["detector"] = detector;
    composition["federates"] = federates;
    QFile file(folder.filePath("strict.federation.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(composition).toJson());
    file.close();

    QProcess process;
    startFile(process, file.fileName(), {"--quiet", "--no-record"});
    const auto node = nodeOfRun();
    QTRY_COMPARE_WITH_TIMEOUT(joined(node), 6, joinMs);
    ::kill(federateProcess(supervisorWorker(process.processId()), "conflict-detector"), SIGSEGV);
    QVERIFY(process.waitForFinished(10000));
    QCOMPARE(process.exitCode(), 1);
    const auto said = QString::fromUtf8(process.readAllStandardOutput());
    QVERIFY2(said.contains("detector died") && said.contains("signal 11 (SIGSEGV)"),
             qPrintable(said));
    QCOMPARE(traces(node), QStringList());
  }

 private:
  template <class Each>
  static void forTimeManaged(tutti::observe::Observer& observer, Each&& each) {
    observer.refresh();
    for (const auto& federation : observer.sample().federations) {
      for (const auto& one : federation.federates) {
        if (one.live && (one.time.regulating || one.time.constrained)) each(one);
      }
    }
  }
  /// Of those that take part in time; -1 while nobody does.
  static double leastTime(tutti::observe::Observer& observer) {
    double least = -1;
    forTimeManaged(observer, [&](const auto& one) {
      if (least < 0 || one.time.logicalTime < least) least = one.time.logicalTime;
    });
    return least;
  }
  static std::uint64_t allGrants(tutti::observe::Observer& observer) {
    std::uint64_t all = 0;
    forTimeManaged(observer, [&](const auto& one) { all += one.counters.timeAdvanceGrants; });
    return all;
  }
  static bool allWait(tutti::observe::Observer& observer) {
    bool wait = true;
    forTimeManaged(observer, [&](const auto& one) { wait = wait && one.time.requestedTime; });
    return wait;
  }

  static QString samplePath(const QString& sample) {
    return TUTTI_SOURCE_DIR "/resources/federations/" + sample + ".federation.json";
  }

  void start(QProcess& process, const QString& sample, const QStringList& options) {
    startFile(process, samplePath(sample), options);
  }

  void startFile(QProcess& process, const QString& file, const QStringList& options) {
    state_ = std::make_unique<QTemporaryDir>();
    said_.clear();
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_STATE_HOME", state_->path());
    environment.insert("XDG_DATA_HOME", state_->path());
    environment.remove("TUTTI_RTI");
    process.setProcessEnvironment(environment);
    process.start(TUTTI_BINARY_DIR "/bin/tutti", QStringList{"run", file} + options);
    QVERIFY(process.waitForStarted());
  }

  /// "run-<id>", once the run has written its plan.
  QByteArray nodeOfRun() const {
    QByteArray node;
    const auto read = [&] {
      QDir runs(state_->filePath("tutti/runs"));
      for (const auto& run : runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const auto plan = QJsonDocument::fromJson(content(runs.filePath(run + "/plan.json")));
        node = plan["launch"]["node"].toString().toUtf8();
      }
      return !node.isEmpty();
    };
    [&] { QTRY_VERIFY_WITH_TIMEOUT(read(), 10000); }();
    return node;
  }

  /// How many federates the node says are joined; -1: there is no node.
  static int joined(const QByteArray& node) {
    QProcess status;
    status.start(TUTTI_BINARY_DIR "/bin/tutti-rti", {"--status", "--json", "--shm", node});
    status.waitForFinished(5000);
    const auto document = QJsonDocument::fromJson(status.readAllStandardOutput());
    const auto nodes = document.isArray() ? document.array() : document["nodes"].toArray();
    if (nodes.isEmpty()) return -1;
    int count = 0;
    for (const auto& federation : nodes.first()["federations"].toArray()) {
      for (const auto& federate : federation.toObject()["federates"].toArray())
        count += federate.toObject()["state"].toString() == "joined" ? 1 : 0;
    }
    return count;
  }

  static pid_t supervisorWorker(qint64 client) {
    pid_t worker = 0;
    for (const auto& entry : livingDescendants(static_cast<pid_t>(client))) {
      if (entry.name == "tutti-superviso") worker = entry.pid;
    }
    return worker;
  }

  static pid_t federateProcess(pid_t supervisor, const QByteArray& program) {
    for (const auto& entry : livingDescendants(supervisor)) {
      if (content(QStringLiteral("/proc/%1/cmdline").arg(entry.pid))
              .split('\0')
              .first()
              .endsWith("/" + program))
        return entry.pid;
    }
    return 0;
  }
  static pid_t nodeProcess(pid_t supervisor) { return federateProcess(supervisor, "tutti-rti"); }

  std::unique_ptr<QTemporaryDir> state_;
  QString said_;
};

QTEST_GUILESS_MAIN(TestSampleRun)
#include "tst_sample_run.moc"
