// SPDX-License-Identifier: GPL-3.0-or-later
// Federates of two hosts are restarted together: all end before the first starts, and they start in
// the plan's order. `ssh` is a script that executes here.
#include <signal.h>

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

#include "launcher/engine/held_restarts.h"
#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "tests/launcher/fake_ssh.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using State = ProcessStatus::State;

namespace {

constexpr int longMs = 60000;
const QString far = QStringLiteral("far");

}  // namespace

class TestRestartTogether : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    test::makeFakeSsh(folder_.filePath("bin"));
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
  }

  void hostsWaitForEachOther() {
    HeldRestarts held;
    held.begin({"one", {"", far}});
    held.begin({"two", {far, "farther"}});
    const auto keys = [](const std::vector<HeldRestarts::Restart>& restarts) {
      QStringList result;
      for (const auto& one : restarts) result << one.key + ':' + one.hosts.join(u',');
      return result;
    };
    QCOMPARE(keys(held.noteEnded(far, "one")), QStringList());
    QCOMPARE(keys(held.noteEnded(far, "one")), QStringList());
    QCOMPARE(keys(held.noteEnded("", "two")), QStringList());
    QCOMPARE(keys(held.noteEnded("", "one")), QStringList{"one:,far"});
    QCOMPARE(keys(held.noteEnded("farther", "two")), QStringList());
    // A host that is lost is not waited for.
    QCOMPARE(keys(held.noteLost(far)), QStringList{"two:far,farther"});
    QCOMPARE(keys(held.noteLost("farther")), QStringList());
  }

  void allEndBeforeTheFirstStarts_data() {
    QTest::addColumn<QString>("deafHost");
    QTest::newRow("the last one is here") << QString();
    QTest::newRow("the last one is elsewhere") << far;
  }
  /// Of each host one that ends at once, and one of them that does not end by itself. On both hosts
  /// one waits for the other host's.
  void allEndBeforeTheFirstStarts() {
    QFETCH(QString, deafHost);
    Run run(plan({{"first", {"sleep"}, far, {}, 0.5},
                  {"second", {"sleep"}, {}, {"first"}, 0.5},
                  {"third", {"sleep"}, far, {"second"}, 0},
                  {"deaf", {"ignore-term"}, deafHost, {}, 0},
                  {"here", {"sleep"}, {}, {}, 0},
                  {"there", {"sleep"}, far, {}, 0}}));
    note(run);
    run.start();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Run::Phase::Running, longMs);
    QTRY_VERIFY_WITH_TIMEOUT(!run.lines("deaf").empty() && run.lines("deaf").back().text == "deaf",
                             longMs);
    const auto before = static_cast<pid_t>(run.process("deaf")->pid);
    run.restartProcesses({"first", "second", "third", "deaf"});
    for (const char* id : {"first", "second", "third"})
      QTRY_VERIFY_WITH_TIMEOUT(run.process(id)->state == State::Waiting, longMs);
    // Both supervisors go on meanwhile, and start none of them.
    run.restartProcess("here");
    run.restartProcess("there");
    for (const char* id : {"here", "there"})
      QTRY_COMPARE_WITH_TIMEOUT(run.process(id)->attempt, 2, longMs);
    for (const char* id : {"first", "second", "third"}) QCOMPARE(run.process(id)->attempt, 1);
    QVERIFY(test::alive(before));
    QCOMPARE(::kill(before, SIGKILL), 0);
    for (const char* id : {"first", "second", "third", "deaf"})
      QTRY_VERIFY_WITH_TIMEOUT(
          run.process(id)->attempt == 2 && run.process(id)->state == State::Running, longMs);
    QVERIFY(at("signalled deaf 1") < at("started first 2"));
    QVERIFY(at("ready first 2") < at("started second 2"));
    QVERIFY(at("ready second 2") < at("started third 2"));
    QVERIFY(run.deaths().empty());  // All of it was asked for, or came of that.
    end(run);
  }

  /// Who waits for the others of its restart has been stopped for good when it is told to stop.
  void oneThatWaitsIsStopped() {
    Run run(plan({{"deaf", {"ignore-term"}, {}, {}, 0},
                  {"stays", {"sleep"}, {}, {}, 0},
                  {"leaves", {"sleep"}, {}, {}, 0}}));
    note(run);
    run.start();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Run::Phase::Running, longMs);
    QTRY_VERIFY_WITH_TIMEOUT(!run.lines("deaf").empty() && run.lines("deaf").back().text == "deaf",
                             longMs);
    run.restartProcesses({"deaf", "stays", "leaves"});
    for (const char* id : {"stays", "leaves"})
      QTRY_VERIFY_WITH_TIMEOUT(run.process(id)->state == State::Waiting, longMs);
    run.stopProcesses({"leaves"});
    QTRY_VERIFY_WITH_TIMEOUT(run.process("leaves")->state == State::Signalled, longMs);
    QCOMPARE(::kill(static_cast<pid_t>(run.process("deaf")->pid), SIGKILL), 0);
    for (const char* id : {"deaf", "stays"})
      QTRY_VERIFY_WITH_TIMEOUT(
          run.process(id)->attempt == 2 && run.process(id)->state == State::Running, longMs);
    QCOMPARE(run.process("leaves")->attempt, 1);
    QVERIFY(run.process("leaves")->state == State::Signalled);
    QCOMPARE(run.phase(), Run::Phase::Running);
    // Started again it is as any other.
    run.startProcesses({"leaves"});
    QTRY_COMPARE_WITH_TIMEOUT(run.process("leaves")->attempt, 2, longMs);
    QVERIFY(run.deaths().empty());
    end(run);
  }

  /// The supervisor of a host is told to end, by Slurm say, when a federate there has ended for the
  /// restart and waits for one of another host. Who waits for it does so no longer; a run that
  /// needs it ends.
  void aHostStopsMeanwhile_data() {
    QTest::addColumn<bool>("required");
    QTest::newRow("the run needs it") << true;
    QTest::newRow("the run does not need it") << false;
  }
  void aHostStopsMeanwhile() {
    QFETCH(bool, required);
    auto planned = plan({{"deaf", {"ignore-term"}, {}, {}, 0},
                         {"there", {"sleep"}, far, {}, 0.2},
                         {"after", {"sleep"}, {}, {"there"}, 0}},
                        required);
    // What has ended is not to hold the end of the run up.
    planned.plan.graceSeconds = 1;
    Run run(planned);
    note(run);
    run.start();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Run::Phase::Running, longMs);
    QTRY_VERIFY_WITH_TIMEOUT(!run.lines("deaf").empty() && run.lines("deaf").back().text == "deaf",
                             longMs);
    const auto deaf = static_cast<pid_t>(run.process("deaf")->pid);
    QCOMPARE(::kill(deaf, SIGSTOP), 0);
    run.restartProcesses({"deaf", "there", "after"});
    for (const char* id : {"there", "after"})
      QTRY_VERIFY_WITH_TIMEOUT(run.process(id)->state == State::Waiting, longMs);
    QVERIFY(supervisorThere_ > 0);
    QCOMPARE(::kill(supervisorThere_, SIGTERM), 0);
    if (required) {
      QTRY_VERIFY_WITH_TIMEOUT(run.isOver(), longMs);
      QCOMPARE(run.stopReason(), "there is ended on far, and is needed");
      return;
    }
    QTRY_COMPARE_WITH_TIMEOUT(run.process("there")->state, State::NotStarted, longMs);
    QTRY_COMPARE_WITH_TIMEOUT(run.process("deaf")->attempt, 2, longMs);
    QTRY_COMPARE_WITH_TIMEOUT(run.process("after")->state, State::NotStarted, longMs);
    QCOMPARE(run.phase(), Run::Phase::Running);
    end(run);
  }

  void aHostIsLostMeanwhile_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("its supervisor is killed") << SIGKILL;
    QTest::newRow("it is silent") << SIGSTOP;
  }
  /// Its federates are gone with it; the others do not wait for them.
  void aHostIsLostMeanwhile() {
    QFETCH(int, signal);
    auto launch =
        plan({{"deaf", {"ignore-term"}, far, {}, 0}, {"here", {"sleep"}, {}, {}, 0}}, false);
    launch.grace = 4;
    Run run(launch);
    note(run);
    run.start();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Run::Phase::Running, longMs);
    QTRY_VERIFY_WITH_TIMEOUT(!run.lines("deaf").empty() && run.lines("deaf").back().text == "deaf",
                             longMs);
    run.restartProcesses({"deaf", "here"});
    QTRY_VERIFY_WITH_TIMEOUT(run.process("here")->state == State::Waiting, longMs);
    QVERIFY(supervisorThere_ > 0);
    QCOMPARE(::kill(supervisorThere_, signal), 0);
    const auto goesOn = qScopeGuard([this] { ::kill(supervisorThere_, SIGCONT); });
    QTRY_COMPARE_WITH_TIMEOUT(run.process("here")->attempt, 2, longMs);
    QVERIFY(run.process("deaf")->state == State::Lost);
    // What is on a host that is lost is not waited for either when all are restarted.
    run.restartProcesses({"deaf", "here"});
    QTRY_COMPARE_WITH_TIMEOUT(run.process("here")->attempt, 3, longMs);
    QVERIFY(run.process("deaf")->state == State::Lost);
    end(run);
  }

 private:
  struct Fake {
    QString id;
    QStringList arguments;
    QString host;  ///< empty: this machine
    QStringList waitFor;
    double readyAfter = 0;  ///< s
  };

  LaunchPlan plan(const QList<Fake>& fakes, bool required = true) {
    LaunchPlan result;
    result.run = newRunIdentifier();
    result.federation = "test";
    result.node = "run-" + result.run;
    result.nodeProcess = "node";
    result.folder = runsFolder() + '/' + result.run;
    result.plan.run = result.run.toStdString();
    result.plan.graceSeconds = 600;
    PlannedHost host;
    host.host.name = host.host.destination = far;
    host.node = result.node + ".far";
    host.nodeProcess = "node far";
    host.folder = folder_.filePath("far");
    host.supervisor = test::supervisorProgram;
    result.hosts = {host};
    for (const char* id : {"node", "node far"}) {
      PlannedProcess node;
      node.id = id;
      node.command = {test::fakeFederate.toStdString(), "sleep"};
      node.stopLast = true;
      result.plan.processes.push_back(node);
    }
    for (const Fake& fake : fakes) {
      PlannedProcess process;
      process.id = fake.id.toStdString();
      process.command = {test::fakeFederate.toStdString()};
      for (const QString& word : fake.arguments) process.command.push_back(word.toStdString());
      for (const QString& id : fake.waitFor) process.waitFor.push_back(id.toStdString());
      if (fake.readyAfter > 0) {
        process.ready.when = ReadyWhen::Delay;
        process.ready.delaySeconds = fake.readyAfter;
      }
      process.startOrder = static_cast<int>(result.plan.processes.size());
      result.plan.processes.push_back(process);
      PlannedFederate federate;
      federate.name = federate.federate = fake.id;
      federate.component = "fake";
      federate.version = "1.0";
      federate.required = required;
      federate.host = fake.host;
      result.federates.push_back(federate);
    }
    return result;
  }

  /// All events of both hosts in the order they come, "started a 2", and the far supervisor.
  void note(Run& run) {
    told_.clear();
    attempts_.clear();
    supervisorThere_ = 0;
    connect(&run, &Run::eventArrived, this, [this](const QString& host, const QJsonObject& event) {
      const QString kind = event["event"].toString();
      if (kind == "hello" && host == far) supervisorThere_ = event["pid"].toInt();
      const QString id = event["id"].toString();
      if (kind == "started") attempts_[id] = event["attempt"].toInt();
      if (!id.isEmpty()) told_ << kind + ' ' + id + ' ' + QString::number(attempts_.value(id));
    });
  }
  /// -1 when it has not come.
  qsizetype at(const QString& event) const { return told_.indexOf(event); }

  static void end(Run& run) {
    run.kill();
    QTRY_VERIFY_WITH_TIMEOUT(run.isOver(), longMs);
  }

  QTemporaryDir folder_;
  QStringList told_;
  QHash<QString, int> attempts_;
  pid_t supervisorThere_ = 0;
};

QTEST_GUILESS_MAIN(TestRestartTogether)
#include "tst_restart_together.moc"
