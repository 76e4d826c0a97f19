// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>

#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <mutex>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using State = ProcessStatus::State;
using test::alive;

class TestRun : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    qputenv("XDG_STATE_HOME", folder_.filePath("state").toUtf8());
  }

  void goesThroughItsPhases() {
    Run run(plan({{"a", {"sleep"}}, {"b", {"sleep"}}}));
    QSignalSpy finished(&run, &Run::finished);
    QList<Run::Phase> phases;
    connect(&run, &Run::phaseChanged, this, [&](Run::Phase phase) { phases << phase; });
    QCOMPARE(run.elapsed(), 0.0);
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    for (const char* id : {"node", "a", "b"}) {
      QVERIFY(run.process(id)->state == State::Running);
      QVERIFY(alive(static_cast<pid_t>(run.process(id)->pid)));
    }
    run.stop();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(phases,
             (QList<Run::Phase>{Run::Phase::Preflight, Run::Phase::Starting, Run::Phase::Running,
                                Run::Phase::Stopping, Run::Phase::Ended}));
    QCOMPARE(run.outcome(), Run::Outcome::Clean);
    QVERIFY(run.deaths().empty());
    QVERIFY(run.elapsed() > 0);
    for (const auto& one : run.processes()) {
      QVERIFY(!alive(static_cast<pid_t>(one.pid)));
      QVERIFY(one.endAsked);
    }
    // The plan and the logs stay for whoever wants to look or to start it again.
    QVERIFY(LaunchPlan::load(run.plan().planFile()));
    QVERIFY(QFileInfo::exists(run.logFile("a")));
  }

  void aRunThatIsWatchedEndsAtItsStopTime() {
    const QString file = folder_.filePath("stop-time");
    LaunchPlan made = plan({{"a", {"ready-after", file}}, {"b", {"sleep"}}});
    for (auto& one : made.plan.processes) {
      if (one.id == "a") one.overLine = "ready";
    }
    made.stopAtLogicalTime = 12.5;
    Run run(made);
    int looks = 0;
    run.setLastLook([&](const std::function<void()>& goOn) {
      ++looks;
      // Nobody has been told to end yet.
      QVERIFY(run.process("b")->alive());
      goOn();
    });
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    QFile flag(file);
    QVERIFY(flag.open(QIODevice::WriteOnly));
    QTRY_COMPARE(run.phase(), Run::Phase::Ended);
    QCOMPARE(run.outcomeWord(), QStringLiteral("finished"));
    QCOMPARE(run.stopReason(), QStringLiteral("all federates have reached logical time 12.5"));
    QCOMPARE(looks, 1);
  }

  /// A watcher that never comes back does not keep the run from ending.
  void aLastLookThatNeverEndsIsNotWaitedFor() {
    Run run(plan({{"a", {"sleep"}}}));
    run.setLastLook([](const std::function<void()>&) {});
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    run.stop();
    QTRY_COMPARE(run.phase(), Run::Phase::Ended);
    QCOMPARE(run.outcome(), Run::Outcome::Clean);
  }

  void aKeptRunGoesOnAndIsTakenOver() {
    LaunchPlan made = plan({{"a", {"sleep"}}, {"b", {"exit", "0"}}, {"c", {"sleep"}}});
    QList<pid_t> pids;
    {
      Run run(made);
      run.start();
      QTRY_COMPARE(run.phase(), Run::Phase::Running);
      QTRY_VERIFY(run.process("b")->state == State::Exited);
      QVERIFY(keptRuns().empty());
      run.setKept(true);
      QTRY_VERIFY(run.isKept());
      for (const char* id : {"node", "a"}) pids << static_cast<pid_t>(run.process(id)->pid);
    }
    // Its window is gone, and it goes on.
    for (const pid_t pid : pids) QVERIFY(alive(pid));
    const auto kept = keptRuns();
    QCOMPARE(kept.size(), 1u);
    QCOMPARE(kept.front().plan.run, made.run);
    {
      Run again(kept.front().plan);
      QSignalSpy died(&again, &Run::processDied);
      again.attach();
      QTRY_COMPARE(again.phase(), Run::Phase::Running);
      QCOMPARE(static_cast<pid_t>(again.process("a")->pid), pids.last());
      QVERIFY(again.process("a")->state == State::Running);
      QVERIFY(again.process("b")->state == State::Exited);
      QCOMPARE(again.process("b")->exitCode, 0);
      QCOMPARE(died.size(), 0);
      QVERIFY(again.elapsed() > 0);
      // It is a window's run again: nobody else gets it, and it ends with it.
      QTRY_VERIFY(keptRuns().empty());
      again.killProcess("a");
      QTRY_VERIFY(again.process("a")->state == State::Signalled);
      QCOMPARE(died.size(), 0);
      again.restartProcess("a");
      QTRY_VERIFY(again.process("a")->state == State::Running);
      pids << static_cast<pid_t>(again.process("a")->pid);
    }
    for (const pid_t pid : pids) QTRY_VERIFY(!alive(pid));
    QTRY_VERIFY(!QFile::exists(made.folder + "/kept"));
  }

  void aKeptRunEndsByItself_data() {
    QTest::addColumn<QString>("how");
    QTest::newRow("all have ended") << "ended";
    QTest::newRow("a required one dies") << "died";
    QTest::newRow("its time has passed") << "time";
    QTest::newRow("it has come to its stop time") << "over";
    QTest::newRow("its supervisor is killed") << "killed";
  }
  void aKeptRunEndsByItself() {
    QFETCH(QString, how);
    const QString file = folder_.filePath("over-" + how);
    LaunchPlan made = plan({{"a", {"ready-after", file}}, {"b", {"sleep"}}});
    // As the RTI node says it; here one says so that can be told when.
    for (auto& one : made.plan.processes) {
      if (one.id == "a") one.overLine = "ready";
    }
    QList<pid_t> pids;
    pid_t supervisor = 0;
    {
      Run run(made);
      if (how == "time") run.setStopAfter(1.0);
      run.start();
      QTRY_COMPARE(run.phase(), Run::Phase::Running);
      for (const char* id : {"node", "a", "b"}) pids << static_cast<pid_t>(run.process(id)->pid);
      supervisor = processEntry(pids.front())->parent;
      run.setKept(true);
      QTRY_VERIFY(run.isKept());
    }
    QVERIFY(alive(pids.front()));
    if (how == "ended") {
      // As when a federate has done its work: no death, and not required for anything.
      ::kill(pids[1], SIGTERM);
      ::kill(pids[2], SIGTERM);
    }
    if (how == "over") {
      QFile flag(file);
      QVERIFY(flag.open(QIODevice::WriteOnly));
    }
    if (how == "died") ::kill(pids[1], SIGKILL);
    if (how == "killed") ::kill(supervisor, SIGKILL);
    for (const pid_t pid : pids) QTRY_VERIFY(!alive(pid));
    QTRY_VERIFY(!alive(supervisor));
    QTRY_VERIFY(keptRuns().empty());
    QVERIFY(!QFile::exists(made.folder + "/kept"));
  }

  void aRunThatHasEndedCannotBeTakenOver() {
    Run run(plan({{"a", {"sleep"}}}));
    run.attach();
    QTRY_COMPARE(run.phase(), Run::Phase::Failed);
    QCOMPARE(run.troubles().size(), 1u);
    QVERIFY2(run.troubles().front().what.contains("cannot be taken over"),
             qPrintable(run.troubles().front().message()));
  }

  void endsWhenAllHaveEnded() {
    Run run(plan({{"a", {"say", "hello", "exit", "0"}}}));
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.outcome(), Run::Outcome::Clean);
    QCOMPARE(run.stopReason(), "all federates have ended");
    QCOMPARE(run.process("a")->description(), "exit code 0");
    QStringList texts;
    for (const auto& line : run.lines("a")) {
      QVERIFY(line.time.isValid());
      texts << line.text;
    }
    QVERIFY(texts.contains("hello"));
  }

  void saysWhatHappenedWhenOneDied_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("required");
    QTest::addColumn<QString>("cause");
    QTest::newRow("signal, required") << QStringList{"die", "11"} << true << "signal 11 (SIGSEGV)";
    QTest::newRow("signal, not required")
        << QStringList{"die", "9"} << false << "signal 9 (SIGKILL)";
    QTest::newRow("exit code, required") << QStringList{"exit", "3"} << true << "exit code 3";
    QTest::newRow("exit code, not required") << QStringList{"exit", "3"} << false << "exit code 3";
  }
  void saysWhatHappenedWhenOneDied() {
    QFETCH(QStringList, arguments);
    QFETCH(bool, required);
    QFETCH(QString, cause);
    Run run(plan(
        {{"bad", QStringList{"say", "last words", "complain", "an error"} + arguments, required},
         {"good", {"sleep"}}}));
    QSignalSpy finished(&run, &Run::finished);
    QSignalSpy died(&run, &Run::processDied);
    run.start();
    QTRY_COMPARE(died.size(), 1);
    const auto& death = run.deaths().front();
    QCOMPARE(death.process.id, "bad");
    QCOMPARE(death.cause, cause);
    QVERIFY(death.when.isValid());
    QStringList texts;
    for (const auto& line : death.lastLines) texts << line.text;
    QVERIFY(texts.contains("last words"));
    QVERIFY(texts.contains("an error"));
    QFile log(death.logFile);
    QVERIFY(log.open(QIODevice::ReadOnly));
    QVERIFY(log.readAll().contains("last words"));
    if (!required) {
      QTRY_COMPARE(run.phase(), Run::Phase::Running);
      QVERIFY(run.process("good")->alive());
      run.stop();
    }
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.outcome(), Run::Outcome::FederateDied);
    QCOMPARE(run.stopReason(), required ? "bad died" : "asked");
    QCOMPARE(run.deaths().size(), std::size_t{1});
  }

  void aRequiredOneIsRestartedUntilItsLastTry() {
    LaunchPlan made = plan({{"a", {"say", "once more", "exit", "4"}}, {"b", {"sleep"}}});
    for (auto& one : made.plan.processes) {
      if (one.id == "a") one.restart = {RestartWhen::OnFailure, 2, 0.01};
    }
    Run run(made);
    QSignalSpy finished(&run, &Run::finished);
    QSignalSpy planned(&run, &Run::restartPlanned);
    QStringList said;
    connect(&run, &Run::restartPlanned, this, [&](const QString& id) {
      QCOMPARE(id, "a");
      QVERIFY(run.phase() != Run::Phase::Stopping);
      const auto* one = run.process("a");
      said << one->restartText(one->endedAt);
      QVERIFY2(one->description().startsWith("exit code 4, again in "),
               qPrintable(one->description()));
    });
    run.start();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(said, (QStringList{"again in 1 s, restart 1 of 2", "again in 1 s, restart 2 of 2"}));
    // Each death is listed; the run ends with the last.
    QCOMPARE(run.deaths().size(), 3u);
    for (const auto& death : run.deaths()) QCOMPARE(death.cause, "exit code 4");
    QCOMPARE(run.process("a")->description(), "exit code 4");
    QCOMPARE(run.process("a")->attempt, 3);
    QCOMPARE(run.stopReason(), "a died");
    QCOMPARE(run.outcome(), Run::Outcome::FederateDied);
    QCOMPARE(run.troubles().size(), 1u);
    QVERIFY2(run.troubles().front().message().contains("2 restarts in a row did not help"),
             qPrintable(run.troubles().front().message()));
  }

  void oneThatWaitsForItsRestartIsStoppedOrStarted() {
    LaunchPlan made = plan({{"a", {"exit", "4"}}, {"b", {"sleep"}}});
    for (auto& one : made.plan.processes) {
      if (one.id == "a") one.restart = {RestartWhen::Always, 5, 60};
    }
    Run run(made);
    run.start();
    QTRY_VERIFY(run.process("a")->restartAt.has_value());
    const auto* one = run.process("a");
    QCOMPARE(one->restartText(one->restartAt->addSecs(-60)), "again in 60 s, restart 1 of 5");
    run.restartProcess("a");
    QTRY_COMPARE(run.process("a")->attempt, 2);
    QTRY_VERIFY(run.process("a")->restartAt.has_value());
    QCOMPARE(run.process("a")->restart, 1);
    run.stopProcess("a");
    QTRY_VERIFY(!run.process("a")->restartAt.has_value());
    // It was asked to: the run goes on without it.
    QCOMPARE(run.phase(), Run::Phase::Running);
    QVERIFY(run.troubles().empty());
    run.stop();
    QTRY_COMPARE(run.phase(), Run::Phase::Ended);
  }

  void endsWhenItsNodeDies() {
    Run run(plan({{"a", {"sleep"}}}));
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    ::kill(static_cast<pid_t>(run.process("node")->pid), SIGKILL);
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.stopReason(), "the RTI node died");
    QCOMPARE(run.outcome(), Run::Outcome::FederateDied);
    QCOMPARE(run.deaths().front().process.id, "node");
  }

  void countsACrashWhileStopping() {
    LaunchPlan crashing = plan({});
    add(crashing, {"a", {}});
    crashing.plan.processes.back().command = {"/bin/sh", "-c",
                                              "trap 'ulimit -c 0; kill -SEGV $$' TERM; echo up; "
                                              "while :; do sleep 0.05; done"};
    Run run(crashing);
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_VERIFY(!run.lines("a").empty() && run.lines("a").back().text == "up");
    run.stop();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.outcome(), Run::Outcome::FederateDied);
    QCOMPARE(run.deaths().front().cause, "signal 11 (SIGSEGV)");
  }

  void stopsKillsAndRestartsOne() {
    Run run(plan({{"a", {"sleep"}}, {"b", {"sleep"}}}));
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    run.stopProcess("a");
    QTRY_VERIFY(run.process("a")->state == State::Signalled);
    QCOMPARE(run.process("a")->signal, SIGTERM);
    run.restartProcess("a");
    QTRY_VERIFY(run.process("a")->state == State::Running);
    QCOMPARE(run.process("a")->attempt, 2);
    const auto before = run.process("b")->pid;
    run.restartProcess("b");
    QTRY_VERIFY(run.process("b")->state == State::Running && run.process("b")->pid != before);
    run.killProcess("b");
    QTRY_VERIFY(run.process("b")->state == State::Signalled);
    QCOMPARE(run.process("b")->signal, SIGKILL);
    QVERIFY(run.deaths().empty());  // All of it was asked for.
    run.signalProcess("a", SIGSTOP);
    QTRY_COMPARE(processEntry(static_cast<pid_t>(run.process("a")->pid))->state, 'T');
    QCOMPARE(run.phase(), Run::Phase::Running);
  }

  void aTroubleIsToldInSentences_data() {
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("why");
    QTest::addColumn<QString>("next");
    QTest::addColumn<QString>("detail");
    QTest::newRow("the title names the place")
        << "lab1"
        << "the connection has ended"
        << "See whether the host is up."
        << "the connection has ended. See whether the host is up.";
    QTest::newRow("another place") << "/etc/x"
                                   << "it cannot be read."
                                   << "Make it readable."
                                   << "it cannot be read (/etc/x). Make it readable.";
    QTest::newRow("a place alone") << "/etc/x"
                                   << ""
                                   << ""
                                   << "/etc/x.";
    QTest::newRow("nothing") << ""
                             << ""
                             << ""
                             << "";
  }
  void aTroubleIsToldInSentences() {
    QFETCH(QString, where);
    QFETCH(QString, why);
    QFETCH(QString, next);
    const Trouble trouble{{}, QStringLiteral("The host lab1 is lost"), where, why, next};
    QTEST(trouble.detail(), "detail");
  }

  void aFederateIsKnownByItsProcessUnderAnyName() {
    Run run(plan({{"a", {"sleep"}}, {"b", {"sleep"}}}));
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    const auto processes = run.processByFederate(
        {{"a", 0, true}, {"named otherwise", run.process("b")->pid, true}, {"stranger", 1, true}});
    QCOMPARE(processes, (QHash<QString, QString>{{"a", "a"}, {"named otherwise", "b"}}));
    run.stop();
    QTRY_VERIFY(run.isOver());
  }

  void restartsTheOnlyOne() {
    Run run(plan({{"a", {"sleep"}}}));
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    run.restartProcess("a");
    QTRY_VERIFY(run.process("a")->state == State::Running && run.process("a")->attempt == 2);
    QCOMPARE(run.phase(), Run::Phase::Running);
  }

  void stopsAfterItsTime() {
    auto timed = plan({{"a", {"sleep"}}});
    timed.stopAfter = 0.05;
    Run run(timed);
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.stopReason(), "0.05 s have passed");
    QCOMPARE(run.outcome(), Run::Outcome::Clean);
  }

  void waitsUntilTheRtiShowsWhoJoined() {
    auto joining = plan({{"first", {"sleep"}}, {"second", {"sleep"}}});
    for (auto& federate : joining.federates) federate.joins = true;
    for (auto& process : joining.plan.processes) {
      if (process.id == "first" || process.id == "second")
        process.ready = {ReadyWhen::Told, "", 30};
      if (process.id == "second") process.waitFor.push_back("first");
    }
    std::mutex mutex;
    std::vector<JoinedFederate> joined;
    const auto join = [&](const QString& name, qint64 pid) {
      const std::lock_guard lock(mutex);
      joined.push_back({name, pid, true});
    };
    const auto done = qScopeGuard([] { QThreadPool::globalInstance()->waitForDone(); });
    Run run(joining);
    run.setJoinedSource([&]() -> std::optional<std::vector<JoinedFederate>> {
      const std::lock_guard lock(mutex);
      return joined;
    });
    run.start();
    QTRY_VERIFY(run.process("first")->state == State::Starting);
    QVERIFY(run.process("second")->state == State::Waiting);
    join("first", 0);
    QTRY_VERIFY(run.process("second")->state == State::Starting);
    QVERIFY(run.process("first")->state == State::Running);
    QCOMPARE(run.phase(), Run::Phase::Starting);
    // Under another name, but the same process.
    join("two", run.process("second")->pid);
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
  }

  void waitsUntilASynchronizationPointIsAchieved() {
    auto joining = plan({{"first", {"sleep"}}, {"second", {"sleep"}}});
    joining.federates.front().joins = true;
    joining.federates.front().point = "init";
    for (auto& process : joining.plan.processes) {
      if (process.id == "first") process.ready = {ReadyWhen::Told, "", 0.05};
      if (process.id == "second") process.waitFor.push_back("first");
    }
    std::mutex mutex;
    std::vector<JoinedFederate> joined;
    const auto show = [&](const QStringList& achieved) {
      const std::lock_guard lock(mutex);
      joined = {{"first", 0, true, achieved}};
    };
    const auto done = qScopeGuard([] { QThreadPool::globalInstance()->waitForDone(); });
    Run run(joining);
    run.setJoinedSource([&]() -> std::optional<std::vector<JoinedFederate>> {
      const std::lock_guard lock(mutex);
      return joined;
    });
    run.start();
    QTRY_VERIFY(run.process("first")->late);
    QCOMPARE(run.whyNotReady(*run.process("first")), "it has not joined test");
    show({"other"});
    QTRY_VERIFY(run.process("first")->joined);
    QVERIFY(run.process("first")->state == State::Starting);
    QCOMPARE(run.whyNotReady(*run.process("first")),
             "it has joined test and not achieved the synchronization point \"init\"");
    show({"other", "init"});
    QTRY_VERIFY(run.process("second")->state == State::Running);
    QVERIFY(run.process("first")->state == State::Running);
  }

  void saysWhoDidNotJoinInTime() {
    auto joining = plan({{"slow", {"sleep"}}});
    joining.federates.back().joins = true;
    joining.plan.processes.back().ready = {ReadyWhen::Told, "", 0.05};
    Run run(joining);
    run.setJoinedSource([] { return std::vector<JoinedFederate>(); });
    QSignalSpy troubled(&run, &Run::troubled);
    run.start();
    QTRY_COMPARE(troubled.size(), 1);
    QCOMPARE(run.troubles().front().what, "slow is not ready after 0.05 s");
    QVERIFY(run.troubles().front().why.contains("has not joined"));
    QCOMPARE(run.process("slow")->description(), "not ready in time");
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
  }

  void failsWithTheReasonWhenItCannotStart_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("text");
    QTest::newRow("missing program") << "program"
                                     << "/nowhere/program";
    QTest::newRow("no folder for logs") << "folder"
                                        << "cannot be written";
    QTest::newRow("node not ready") << "node"
                                    << "not ready after 0.05 s";
    QTest::newRow("node ends at once") << "node ends"
                                       << "";
  }
  void failsWithTheReasonWhenItCannotStart() {
    QFETCH(QString, what);
    QFETCH(QString, text);
    auto broken = plan({{"a", {"sleep"}}});
    auto& node = broken.plan.processes.front();
    if (what == "program") broken.plan.processes.back().command = {"/nowhere/program"};
    if (what == "folder") broken.folder = "/proc/nowhere";
    if (what == "node") {
      node.command = {test::fakeFederate.toStdString(), "sleep"};
      node.ready.timeoutSeconds = 0.05;
    }
    if (what == "node ends") node.command = {"/bin/false"};
    Run run(broken);
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(run.isOver());
    QVERIFY(run.outcome() != Run::Outcome::Clean);
    QString said;
    for (const auto& trouble : run.troubles()) said += trouble.message() + '\n';
    QVERIFY2(said.contains(text), qPrintable(said));
    QCOMPARE(run.process("a")->pid, 0);
    if (what == "node ends") QCOMPARE(run.deaths().front().process.id, "node");
  }

  void endsAllWhenItGoes() {
    const auto pids = folder_.filePath("gone");
    {
      Run run(plan({{"a", {"daemonize", pids}}}));
      run.start();
      QTRY_COMPARE(test::writtenPids(pids).size(), 3);
      for (const auto pid : test::writtenPids(pids)) QVERIFY(alive(pid));
    }
    for (const auto pid : test::writtenPids(pids)) QVERIFY(!alive(pid));
  }

  void saysWhenTheSupervisorWasKilled() {
    Run run(plan({{"a", {"sleep"}}}));
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    QTRY_COMPARE(run.phase(), Run::Phase::Running);
    const auto pid = static_cast<pid_t>(run.process("a")->pid);
    ::kill(processEntry(pid)->parent, SIGKILL);
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.phase(), Run::Phase::Failed);
    QCOMPARE(run.outcome(), Run::Outcome::SupervisorLost);
    QVERIFY(run.troubles().front().message().contains("killed"));
    QVERIFY(!alive(pid));
    QVERIFY(!run.process("a")->alive());
  }

  void stopsBeforeItStarted() {
    Run run(plan({{"a", {"sleep"}}}));
    QSignalSpy finished(&run, &Run::finished);
    run.start();
    run.stop();
    QTRY_COMPARE(finished.size(), 1);
    QCOMPARE(run.phase(), Run::Phase::Ended);
    QCOMPARE(run.process("a")->pid, 0);
  }

  void keepsTheNewestLines() {
    Run run(plan({{"a", {"flood"}}}));
    QSignalSpy dropped(&run, &Run::linesDropped);
    run.start();
    QTRY_VERIFY(!dropped.isEmpty());
    QTRY_VERIFY_WITH_TIMEOUT(run.lines("a").size() == 2000, 30000);
    QCOMPARE(run.lines("a", 3).size(), std::size_t{3});
    QVERIFY(run.lines("a", 1).front().text != "line 0");
  }

 private:
  struct Fake {
    QString id;
    QStringList arguments;
    bool required = true;
  };

  static void add(LaunchPlan& plan, const Fake& fake) {
    PlannedProcess process;
    process.id = fake.id.toStdString();
    process.command = {test::fakeFederate.toStdString()};
    for (const auto& argument : fake.arguments) process.command.push_back(argument.toStdString());
    process.logFile = (plan.folder + '/' + fake.id + ".log").toStdString();
    process.waitFor = {"node"};
    plan.plan.processes.push_back(process);
    plan.federates.push_back({fake.id, fake.id, "fake", "1.0", fake.required, false, {}});
  }

  LaunchPlan plan(const QList<Fake>& fakes) const {
    LaunchPlan result;
    result.run = newRunIdentifier();
    result.federation = "test";
    result.node = "run-" + result.run;
    result.nodeProcess = "node";
    result.folder = runsFolder() + '/' + result.run;
    result.plan.run = result.run.toStdString();
    result.plan.graceSeconds = 0.5;
    PlannedProcess node;
    node.id = "node";
    node.command = {test::fakeFederate.toStdString(), "say", "ready", "sleep"};
    node.ready = {ReadyWhen::Line, "ready", 5};
    node.stopLast = true;
    result.plan.processes.push_back(node);
    for (const auto& fake : fakes) add(result, fake);
    return result;
  }

  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
