// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QThread>
#include <atomic>

#include "monitor/engine/death_events.h"
#include "monitor/engine/feed.h"
#include "tests/monitor/fake_run.h"

using namespace tutti::monitor;
using namespace tutti::monitor::test;

class TestFeed : public QObject {
  Q_OBJECT

 private:
  std::shared_ptr<FakeProbe> probe_;
  std::shared_ptr<FakeSource> source_;
  std::unique_ptr<RunAnalysis> analysis_;

  /// Samples for `seconds` at 10 Hz; `each` changes the counters before every sample.
  Snapshot run(
      double seconds, const std::function<void()>& each = [] {}) {
    Snapshot last;
    for (int i = 0; i < static_cast<int>(seconds * 10 + 0.5); ++i) {
      probe_->advance(0.1);
      each();
      last = analysis_->step();
    }
    return last;
  }

 private slots:
  void init() {
    probe_ = std::make_shared<FakeProbe>();
    source_ = std::make_shared<FakeSource>(probe_);
    analysis_ = std::make_unique<RunAnalysis>(source_, probe_);
  }

  void ratesAreFiveSecondMeans() {
    source_->add(QStringLiteral("flow"));
    const Snapshot steady = run(10, [&] {
      auto& counters = source_->at("flow").counters;
      counters.updatesSent += 140;
      counters.interactionsSent += 4;
      counters.reflectionsReceived += 7;
      counters.timeAdvanceGrants += 2;
    });
    const FederateView* flow = steady.find("flow");
    QVERIFY(flow);
    QCOMPARE(flow->sentPerSecond, 1440.0);
    QCOMPARE(flow->receivedPerSecond, 70.0);
    QCOMPARE(flow->grantsPerSecond, 20.0);
    QCOMPARE(steady.updatesPerSecond, 1440.0);

    // 2.5 s of silence leave half of the window.
    QCOMPARE(run(2.5).find("flow")->sentPerSecond, 720.0);
    QCOMPARE(run(2.5).find("flow")->sentPerSecond, 0.0);
  }

  void aRestoredFederationCountsAnew() {
    source_->add(QStringLiteral("flow"));
    source_->add(QStringLiteral("radar"));
    source_->reading.flows = {{1, 2, 0, 0, 1000}};
    const auto step = [&] {
      auto& flow = source_->at("flow");
      flow.counters.updatesSent += 100;
      flow.counters.timeAdvanceGrants += 1;
      for (const char* name : {"flow", "radar"}) {
        source_->at(name).time.regulating = true;
        source_->at(name).time.logicalTime += 1;
      }
      source_->reading.flows[0].messages += 100;
    };
    const Snapshot before = run(10, step);
    QCOMPARE(before.find("flow")->sentPerSecond, 1000.0);
    QCOMPARE(before.pace, 10.0);
    // Back to what it was at a save: counters of a new execution, and an earlier time.
    source_->at("flow").counters = {};
    source_->reading.flows[0].messages = 0;
    for (const char* name : {"flow", "radar"}) source_->at(name).time.logicalTime = 3;
    const Snapshot after = run(2, step);
    QCOMPARE(after.find("flow")->sentPerSecond, 1000.0);
    QCOMPARE(after.find("flow")->grantsPerSecond, 10.0);
    QCOMPARE(after.links[0].perSecond, 1000.0);
    QCOMPARE(after.pace, 10.0);
    QVERIFY(after.find("flow")->usualStepSeconds < 1);
  }

  void whoseProcessEndedHasLeftEvenWhenTheNodeIsGone() {
    source_->add(QStringLiteral("flow"));
    source_->add(QStringLiteral("radar"));
    source_->add(QStringLiteral("log"));
    QCOMPARE(run(2).find("flow")->condition, FederateCondition::Running);
    analysis_->noteEnd("flow", {.exitCode = 0, .signal = 0, .asked = true});
    analysis_->noteEnd("radar", {.exitCode = 0, .signal = 9, .asked = false});
    source_->failure = QStringLiteral("the node has ended");
    const Snapshot after = run(0.1);
    QCOMPARE(after.find("flow")->condition, FederateCondition::Resigned);
    QVERIFY(std::isnan(after.find("flow")->sentPerSecond));
    QCOMPARE(after.find("radar")->condition, FederateCondition::Dead);
    QCOMPARE(after.deaths.size(), 1u);
    // Nothing is known of the end of this one.
    QVERIFY(after.find("log")->condition != FederateCondition::Resigned);
  }

  /// After the death of the RTI node federates end in order, or not yet: they did not resign.
  void whoWasJoinedWhenTheNodeDiedHasLostTheRti() {
    source_->add(QStringLiteral("quick"));
    source_->add(QStringLiteral("slow"));
    source_->add(QStringLiteral("before"));
    run(1);
    source_->at("before").membership = Membership::Resigned;
    run(1);
    source_->failure = QStringLiteral("the node has ended");
    // The end of one may be known before that of the node.
    analysis_->noteEnd("quick", {.exitCode = 0, .signal = 0, .asked = false});
    QCOMPARE(run(0.1).find("quick")->condition, FederateCondition::Resigned);
    analysis_->noteNodeEnd();
    analysis_->noteEnd("slow", {.exitCode = 0, .signal = 0, .asked = true});
    const Snapshot after = run(0.5);
    for (const char* name : {"quick", "slow"}) {
      QCOMPARE(after.find(name)->condition, FederateCondition::LostRti);
      QCOMPARE(after.find(name)->detail, QStringLiteral("lost the RTI"));
      QVERIFY(std::isnan(after.find(name)->sentPerSecond));
    }
    QCOMPARE(after.find("before")->condition, FederateCondition::Resigned);
    QVERIFY(after.deaths.empty());
    analysis_->dismiss(QStringLiteral("slow"));
    QVERIFY(!run(0.1).find("slow"));
  }

  /// A federate that joined, worked and left between two samples.
  void whoWasNeverSeenJoinedHasItsFigures_data() {
    QTest::addColumn<Membership>("membership");
    QTest::addColumn<FederateCondition>("condition");
    QTest::newRow("resigned") << Membership::Resigned << FederateCondition::Resigned;
    QTest::newRow("lost") << Membership::Lost << FederateCondition::Dead;
  }
  void whoWasNeverSeenJoinedHasItsFigures() {
    QFETCH(Membership, membership);
    QFETCH(FederateCondition, condition);
    analysis_->setRoster({{"flow", "flow 1.0", "atlas", 4711}});
    probe_->processes[4711] = {0, 0, 10'000'000, 'S'};
    QCOMPARE(run(1).find("flow")->number, 0u);
    FederateReading& flow = source_->add(QStringLiteral("flow"), 4711);
    flow.number = 3;
    manageTime(flow, 12.5, 0.5);
    flow.counters.updatesSent = 40;
    flow.counters.timeAdvanceGrants = 25;
    flow.membership = membership;
    // One that is not of this run stays unknown.
    source_->add(QStringLiteral("stranger")).membership = membership;
    const Snapshot after = run(0.1);
    const FederateView* view = after.find("flow");
    QCOMPARE(view->condition, condition);
    QCOMPARE(view->number, 3u);
    QVERIFY(view->timeManaged);
    QCOMPARE(view->counters.updatesSent, std::uint64_t{40});
    QCOMPARE(view->counters.timeAdvanceGrants, std::uint64_t{25});
    QCOMPARE(after.logicalTime, 12.5);
    QVERIFY(after.find("stranger") == nullptr);
    QCOMPARE(after.deaths.size(), membership == Membership::Lost ? 1u : 0u);

    // Its name is not its next one's past.
    FederateReading& next = source_->add(QStringLiteral("flow"), 4712);
    next.number = 9;
    next.counters.updatesSent = 2;
    QCOMPARE(run(0.1).find("flow")->counters.updatesSent, std::uint64_t{2});
  }

  void pauseHoldsAtTheLeastTimeAndAStepLetsTheNextGrantsPass() {
    manageTime(source_->add(QStringLiteral("flow")), 2.0, 0.5);
    manageTime(source_->add(QStringLiteral("radar")), 1.5, 0.5);
    source_->add(QStringLiteral("log"));
    QVERIFY(!run(1).held);
    QVERIFY(analysis_->control(TimeControl::Pause));
    Snapshot held = run(0.1);
    QVERIFY(held.held);
    QCOMPARE(held.ceiling, 1.5);
    // Nobody has asked yet: a step has nothing to let through.
    QCOMPARE(held.find("flow")->condition, FederateCondition::Running);
    QVERIFY(analysis_->control(TimeControl::Step));
    QCOMPARE(source_->reading.ceiling, 1.5);

    auto& flow = source_->at("flow").time;
    flow.advance = TimeReading::Advance::TimeAdvanceRequest;
    flow.requestedTime = 3.0;
    auto& radar = source_->at("radar").time;
    radar.advance = TimeReading::Advance::NextMessageRequest;
    radar.requestedTime = 9.0;
    radar.leastStamp = 2.25;
    held = run(0.1);
    QCOMPARE(held.find("flow")->condition, FederateCondition::Held);
    QCOMPARE(held.find("flow")->detail, QStringLiteral("asks for 3.00"));
    QCOMPARE(held.find("log")->condition, FederateCondition::Running);
    QVERIFY(analysis_->control(TimeControl::Step));
    QCOMPARE(source_->reading.ceiling, 2.25);
    // Granted its message, it asks again, with nothing before 9 in its queue.
    radar.logicalTime = 2.25;
    radar.leastStamp.reset();
    run(0.1);
    QVERIFY(analysis_->control(TimeControl::Step));
    QCOMPARE(source_->reading.ceiling, 3.0);
    // Time that is held for long stands because somebody wants it to: nobody is late.
    held = run(30);
    QVERIFY(!held.standing);
    QCOMPARE(held.count(FederateCondition::Late), 0);
    QVERIFY(analysis_->control(TimeControl::Resume));
    QVERIFY(!run(0.1).held);
  }

  void aSlowPaceIsNobodysFault() {
    manageTime(source_->add(QStringLiteral("flow")), 2.0, 0.5);
    manageTime(source_->add(QStringLiteral("radar")), 2.0, 0.5);
    run(1);
    QVERIFY(analysis_->setPace(0.1));
    source_->reading.ceiling = 2.4;
    // The radar waits for the flow, and the flow for the pace alone: its grant is due but for that.
    for (const char* name : {"flow", "radar"}) {
      auto& time = source_->at(name).time;
      time.advance = TimeReading::Advance::TimeAdvanceRequest;
      time.requestedTime = name == QByteArray("flow") ? 3.0 : 5.0;
    }
    run(0.5);
    const Snapshot paced = run(30);
    QCOMPARE(paced.wantedPace, 0.1);
    QVERIFY(!paced.held && !paced.standing);
    QCOMPARE(paced.count(FederateCondition::Late), 0);
    QCOMPARE(paced.find("flow")->detail, QStringLiteral("waits for the pace, 0.1×"));
    // Once the pace lets it, who does not take its grant holds time.
    source_->reading.ceiling = 3;
    run(0.5);
    const Snapshot due = run(30);
    QCOMPARE(due.find("flow")->condition, FederateCondition::Late);
  }

  void whereNobodyTakesPartInTimeThereIsNothingToHold() {
    source_->add(QStringLiteral("log"));
    run(1);
    const auto refused = analysis_->control(TimeControl::Pause);
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().contains("logical time"), qPrintable(refused.error()));
    QVERIFY(!source_->reading.held);
  }

  void aStoppedFederatesRateFallsToZeroAndItsAgeGrows() {
    source_->add(QStringLiteral("radar"), 4711);
    run(6, [&] { source_->at("radar").counters.updatesSent += 30; });
    probe_->processes[4711].state = 'T';
    const Snapshot soon = run(1);
    QCOMPARE(soon.find("radar")->condition, FederateCondition::Stopped);
    QVERIFY(soon.find("radar")->sentPerSecond > 0);
    const Snapshot later = run(6);
    QCOMPARE(later.find("radar")->sentPerSecond, 0.0);
    QCOMPARE(later.find("radar")->secondsSinceActivity, 7.0);
    QCOMPARE(run(3).find("radar")->secondsSinceActivity, 10.0);

    probe_->processes[4711].state = 'R';
    const Snapshot again = run(2, [&] { source_->at("radar").counters.updatesSent += 30; });
    QCOMPARE(again.find("radar")->condition, FederateCondition::Running);
    QCOMPARE(again.find("radar")->secondsSinceActivity, 0.0);
  }

  void aFederateIsLateAfterOneSecondOrFiveUsualSteps_data() {
    QTest::addColumn<double>("step");
    QTest::addColumn<double>("limit");
    QTest::newRow("fast steps: 1 s") << 0.1 << 1.0;
    QTest::newRow("slow steps: 5 of them") << 0.8 << 4.0;
  }
  void aFederateIsLateAfterOneSecondOrFiveUsualSteps() {
    QFETCH(double, step);
    QFETCH(double, limit);
    manageTime(source_->add(QStringLiteral("radar")), 0, 0.1);
    const int ticks = static_cast<int>(step * 10 + 0.5);
    int tick = 0;
    const Snapshot busy = run(20 * step, [&] {
      if (++tick % ticks != 0) return;
      ++source_->at("radar").counters.timeAdvanceGrants;
      source_->at("radar").time.logicalTime += 0.1;
    });
    QCOMPARE(busy.find("radar")->condition, FederateCondition::Running);
    QVERIFY(std::abs(busy.find("radar")->usualStepSeconds - step) < 0.05);
    QCOMPARE(run(limit - 0.1).find("radar")->condition, FederateCondition::Running);
    const Snapshot late = run(0.4);
    QCOMPARE(late.find("radar")->condition, FederateCondition::Late);
    QVERIFY(late.find("radar")->detail.startsWith("late "));
  }

  void whoWaitsForAGrantIsNotLate() {
    auto& radar = source_->add(QStringLiteral("radar"));
    manageTime(radar, 1, 0.1);
    radar.counters.timeAdvanceGrants = 10;
    request(radar, 2);
    QCOMPARE(run(30).find("radar")->condition, FederateCondition::Running);
  }

  void nobodyIsLateWhileThePersonHoldsTime() {
    auto& radar = source_->add(QStringLiteral("radar"));
    manageTime(radar, 1, 0.1);
    radar.counters.timeAdvanceGrants = 10;
    source_->reading.held = true;
    const Snapshot held = run(30);
    QCOMPARE(held.find("radar")->condition, FederateCondition::Running);
    QVERIFY(!held.standing);
  }

  void timeThatStandsNamesItsHolder() {
    for (const char* name : {"north", "south", "west"}) {
      manageTime(source_->add(QString::fromLatin1(name)), 128.4, 0.1);
      source_->at(QString::fromLatin1(name)).counters.timeAdvanceGrants = 100;
    }
    int tick = 0;
    // Everybody steps three times a second, then west stops asking.
    run(6, [&] {
      if (++tick % 3 != 0) return;
      for (auto& each : source_->reading.federates) {
        ++each.counters.timeAdvanceGrants;
        each.time.logicalTime += 0.1;
      }
    });
    const double stood = source_->at("west").time.logicalTime;
    for (const char* name : {"north", "south"}) {
      request(source_->at(QString::fromLatin1(name)), stood + 0.2);
    }
    QVERIFY(!run(1).standing);
    const Snapshot standing = run(2);
    QVERIFY(standing.standing.has_value());
    QCOMPARE(standing.standing->holder, QStringLiteral("west"));
    QCOMPARE(standing.standing->waiters, QStringList({"north", "south"}));
    QCOMPARE(standing.standing->at, stood);
    QCOMPARE(standing.standing->bound, stood + 0.1);
    QVERIFY(standing.standing->seconds > 2.5);
    QCOMPARE(standing.find("west")->condition, FederateCondition::Late);
    QCOMPARE(standing.find("north")->waitsFor, QStringLiteral("west"));
    QCOMPARE(standing.find("north")->detail, QStringLiteral("waits for west"));
  }

  void whoIsStoppedWithItsGrantDueHoldsTime() {
    for (const char* name : {"radar", "flow"}) {
      manageTime(source_->add(QString::fromLatin1(name)), 18, 1);
      source_->at(QString::fromLatin1(name)).counters.timeAdvanceGrants = 100;
    }
    run(1);
    // It has asked for 19 and may have it; the process is stopped just then.
    request(source_->at("radar"), 19);
    source_->at("flow").time.logicalTime = 19;
    request(source_->at("flow"), 20);
    probe_->processes[source_->at("radar").pid].state = 'T';
    QVERIFY(!run(0.8).standing);
    const Snapshot standing = run(2);
    QVERIFY(standing.standing.has_value());
    QCOMPARE(standing.standing->holder, QStringLiteral("radar"));
    QCOMPARE(standing.standing->condition, FederateCondition::Stopped);
    QVERIFY(standing.standing->grantDue);
    QCOMPARE(standing.standing->waiters, QStringList{"flow"});
    // The same where the process runs and evokes no callbacks: then it is late.
    probe_->processes[source_->at("radar").pid].state = 'S';
    QCOMPARE(run(1.2).find("radar")->condition, FederateCondition::Late);
  }

  void aGrantThatIsDueForAnInstantHoldsNobody() {
    for (const char* name : {"radar", "flow"}) {
      manageTime(source_->add(QString::fromLatin1(name)), 18, 1);
      source_->at(QString::fromLatin1(name)).counters.timeAdvanceGrants = 100;
    }
    request(source_->at("flow"), 20);
    // For long the radar computes; as soon as it has asked, it is not the one who holds time.
    QCOMPARE(run(5).standing->holder, QStringLiteral("radar"));
    request(source_->at("radar"), 19);
    const Snapshot asked = run(0.1);
    QVERIFY(!asked.standing);
    QCOMPARE(asked.find("radar")->condition, FederateCondition::Running);
  }

  void whoTakesEachGrantHoldsNobodyHoweverOftenOneIsDue() {
    for (const char* name : {"radar", "flow"})
      manageTime(source_->add(QString::fromLatin1(name)), 18, 1);
    // Seen just before its grant in every sample, and it goes on.
    const Snapshot seen = run(5, [&] {
      FederateReading& radar = source_->at("radar");
      ++radar.counters.timeAdvanceGrants;
      radar.time.logicalTime += 0.01;
      request(radar, radar.time.logicalTime + 0.01);
      request(source_->at("flow"), 25);
    });
    QVERIFY(!seen.standing);
    QCOMPARE(seen.find("radar")->condition, FederateCondition::Running);
  }

  void aDeathStaysOnScreenWithWhatItTook() {
    auto& detector = source_->add(QStringLiteral("detector"), 55);
    detector.counters.instancesRegistered = 3;
    source_->owned[detector.number] = {{QStringLiteral("Conflict"), 3, 0}};
    source_->add(QStringLiteral("display"));
    source_->declared = {
        {QStringLiteral("detector"), {QStringLiteral("Conflict")}, {}},
        {QStringLiteral("display"), {}, {QStringLiteral("Conflict"), QStringLiteral("Flight")}}};
    run(3, [&] { source_->at("detector").counters.updatesSent += 5; });

    source_->at("detector").membership = Membership::Lost;
    probe_->processes.remove(55);
    Snapshot after = run(0.2);
    QCOMPARE(after.find("detector")->condition, FederateCondition::Dead);
    QCOMPARE(after.deaths.size(), std::size_t{1});
    QCOMPARE(after.deaths.front().lost.instances, std::uint64_t{3});
    QCOMPARE(after.deaths.front().lost.unpublished, QStringList{"Conflict"});
    QCOMPARE(after.deaths.front().lost.silent.size(), std::size_t{1});
    QCOMPARE(aftermath(after.deaths.front().lost),
             QStringLiteral("3 Conflict instances are gone and nobody publishes Conflict; "
                            "display hears no more of it."));
    // The supervisor's word comes later and is believed.
    analysis_->noteEnd(QStringLiteral("detector"), {0, 9, false});
    after = run(12);
    QCOMPARE(after.deaths.front().cause, QStringLiteral("signal 9 (SIGKILL)"));
    QCOMPARE(after.find("detector")->detail, QStringLiteral("signal 9, 12 s"));
    QVERIFY(std::isnan(after.find("detector")->sentPerSecond));

    analysis_->dismiss(QStringLiteral("detector"));
    after = run(0.1);
    QVERIFY(!after.find("detector"));
    QVERIFY(after.deaths.empty());
  }

  // Whoever watches the process and the samples tell of one death, in any order and more than once.
  void aDeathIsOneEventWithItsCauseAndWhatItTook() {
    Death death;
    death.federate = QStringLiteral("radar");
    death.cause = QStringLiteral("connection lost");
    DeathEvents events;
    events.sampled(death, 1000);
    QVERIFY(events.take(1000, false).empty());
    events.processDied(990, death.federate, QStringLiteral("signal 9"), 1100);
    auto told = events.take(1100, false);
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].text, QStringLiteral("died: signal 9. Nothing was lost to the others."));
    QCOMPARE(told[0].at, 990);
    events.sampled(death, 1200);
    QVERIFY(events.take(9000, true).empty());

    // The process first; what the monitor knows of its end says more.
    events.forget(death.federate);
    events.processDied(2000, death.federate, QStringLiteral("signal 9"), 2000);
    QVERIFY(events.take(2100, false).empty());
    death.cause = QStringLiteral("killed here");
    death.endKnown = true;
    events.sampled(death, 2200);
    told = events.take(2200, false);
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told[0].text.startsWith(QStringLiteral("died: killed here. ")),
             qPrintable(told[0].text));

    // One of them alone is waited for, not for ever.
    events.processDied(5000, QStringLiteral("node"), QStringLiteral("exit code 3"), 5000);
    QVERIFY(events.take(5000 + DeathEvents::patience - 1, false).empty());
    told = events.take(5000 + DeathEvents::patience, false);
    QCOMPARE(told.size(), std::size_t(1));
    QCOMPARE(told[0].text, QStringLiteral("died: exit code 3"));
    events.processDied(7000, QStringLiteral("other"), QStringLiteral("exit code 4"), 7000);
    QCOMPARE(events.take(7000, true).size(), std::size_t(1));
  }

  void aRestartedFederateIsNoLongerDead() {
    source_->add(QStringLiteral("detector"), 55);
    run(1);
    source_->at("detector").membership = Membership::Lost;
    QCOMPARE(run(1).find("detector")->condition, FederateCondition::Dead);
    source_->add(QStringLiteral("detector"), 56);
    const Snapshot again =
        run(1, [&] { source_->reading.federates.back().counters.updatesSent += 10; });
    QCOMPARE(again.federates.size(), std::size_t{1});
    QCOMPARE(again.find("detector")->condition, FederateCondition::Running);
    QCOMPARE(again.find("detector")->pid, std::int64_t{56});
    QCOMPARE(again.find("detector")->sentPerSecond, 100.0);
    QVERIFY(again.deaths.empty());
  }

  void whoWasStoppedByThePersonDidNotDie() {
    source_->add(QStringLiteral("display"), 60);
    run(1);
    analysis_->noteEnd(QStringLiteral("display"), {0, 15, true});
    source_->at("display").membership = Membership::Lost;
    const Snapshot after = run(1);
    QCOMPARE(after.find("display")->condition, FederateCondition::Resigned);
    QVERIFY(after.deaths.empty());
  }

  void whoWasKilledByThePersonDiedAllTheSame() {
    source_->add(QStringLiteral("display"), 60);
    run(1);
    analysis_->noteEnd(QStringLiteral("display"), {0, 9, true, true});
    source_->at("display").membership = Membership::Lost;
    const Snapshot after = run(1);
    QCOMPARE(after.find("display")->condition, FederateCondition::Dead);
    QCOMPARE(after.deaths.size(), std::size_t{1});
    QCOMPARE(after.deaths.front().cause, QStringLiteral("killed here (signal 9, SIGKILL)"));
  }

  void aProcessThatEndsBeforeItJoinsIsDeadToo() {
    analysis_->setRoster({{QStringLiteral("radar"), QStringLiteral("radar 1.4"), {}, 70}});
    QCOMPARE(run(1).find("radar")->condition, FederateCondition::Starting);
    analysis_->noteEnd(QStringLiteral("radar"), {3, 0, false});
    const Snapshot after = run(1);
    QCOMPARE(after.find("radar")->condition, FederateCondition::Dead);
    QCOMPARE(after.deaths.front().cause, QStringLiteral("exit code 3"));
  }

  void processorTimeIsReadPerProcess() {
    source_->add(QStringLiteral("flow"), 80);
    const Snapshot busy = run(4, [&] {
      probe_->processes[80].userTicks += 3;  // of 10 ticks in 0.1 s
      probe_->processes[80].systemTicks += 1;
      probe_->hostNow.userTicks += 5;
      probe_->hostNow.idleTicks += 15;
    });
    QVERIFY(std::abs(busy.find("flow")->cpuUser - 0.3) < 0.01);
    QVERIFY(std::abs(busy.find("flow")->cpuSystem - 0.1) < 0.01);
    QCOMPARE(busy.host.cpuUser, 0.25);
    QCOMPARE(busy.host.memoryUsed, 2e9);
  }

  void aSourceThatFailsKeepsTheLastPictureWithItsAge() {
    source_->add(QStringLiteral("flow"));
    run(2, [&] { source_->at("flow").counters.updatesSent += 10; });
    source_->failure = QStringLiteral("The RTI node of shm:run does not answer.");
    const Snapshot old = run(3);
    QCOMPARE(old.problem, source_->failure);
    QCOMPARE(old.ageSeconds, 3.0);
    QVERIFY(old.find("flow"));
    QVERIFY(std::isnan(old.find("flow")->sent.at(History::size - 1)));
  }

  void historiesHoldTheLastMinute() {
    source_->add(QStringLiteral("flow"));
    int tick = 0;
    const Snapshot after =
        run(70, [&] { source_->at("flow").counters.updatesSent += tick++ < 500 ? 10 : 20; });
    const History& sent = after.find("flow")->sent;
    QCOMPARE(sent.at(History::size - 1), 200.0f);
    QCOMPARE(sent.at(0), 100.0f);
  }

  void linksCarryRatesAndFill() {
    source_->add(QStringLiteral("flow"));
    source_->add(QStringLiteral("radar"));
    source_->reading.flows = {{1, 2, 0, 620, 1000}};
    const Snapshot after = run(6, [&] { source_->reading.flows[0].messages += 25; });
    QCOMPARE(after.links.size(), std::size_t{1});
    QCOMPARE(after.links[0].perSecond, 250.0);
    QCOMPARE(after.find("radar")->queueFill, 0.62);
  }

  void theFeedSamplesInAThreadOfItsOwn() {
    source_->add(QStringLiteral("flow"));
    Feed feed;
    QSignalSpy sampled(&feed, &Feed::sampled);
    feed.watch(QStringLiteral("flow"));
    feed.start([source = source_] { return source; }, probe_);
    QTRY_VERIFY_WITH_TIMEOUT(feed.current()->find(QStringLiteral("flow")) != nullptr, 30'000);
    QTRY_VERIFY_WITH_TIMEOUT(feed.watched().has_value(), 30'000);
    QVERIFY(sampled.count() > 0);
    feed.stop();
    const auto sequence = feed.current()->sequence;
    QCoreApplication::processEvents();
    QCOMPARE(feed.current()->sequence, sequence);
    feed.clear();
    QVERIFY(feed.current()->federates.empty());
  }

  /// Whoever hears of the last sample may start the next run at once, and look at it.
  void aRunMayBeStartedFromTheLastSampleOfAnother() {
    source_->add(QStringLiteral("flow"));
    std::atomic<int> reads = 0;
    source_->beforeRead = [&](Reading&) { ++reads; };
    const auto start = [this](Feed& feed) {
      feed.start([source = source_] { return source; }, probe_);
    };
    Feed feed;
    start(feed);
    QTRY_VERIFY_WITH_TIMEOUT(feed.current()->find(QStringLiteral("flow")) != nullptr, 30'000);
    bool sampledAgain = false;
    const auto connection = connect(&feed, &Feed::sampled, &feed, [&] {
      if (feed.isSampling() || sampledAgain) return;
      reads = 0;
      start(feed);
      // Not by its signals: this thread is busy here, the sampling one is not.
      QElapsedTimer patience;
      patience.start();
      while (reads < 3 && patience.elapsed() < 20'000) QThread::msleep(1);
      sampledAgain = reads >= 3;
    });
    feed.stop();
    disconnect(connection);
    QVERIFY(sampledAgain);
    feed.stop();
  }

  void theFeedTellsOfADeathOnce() {
    source_->add(QStringLiteral("flow"));
    std::atomic<bool> dead = false;
    source_->beforeRead = [&](Reading& reading) {
      if (dead) reading.federates[0].membership = Membership::Lost;
    };
    Feed feed;
    QStringList died;
    connect(&feed, &Feed::federateDied, &feed, [&](const Death& death) { died << death.federate; });
    feed.start([source = source_] { return source; }, probe_);
    QTRY_VERIFY_WITH_TIMEOUT(feed.current()->find(QStringLiteral("flow")) != nullptr, 30'000);
    dead = true;
    QTRY_COMPARE_WITH_TIMEOUT(died, QStringList{"flow"}, 30'000);
    const auto sequence = feed.current()->sequence;
    QTRY_VERIFY_WITH_TIMEOUT(feed.current()->sequence > sequence + 2, 30'000);
    QCOMPARE(died, QStringList{"flow"});
    feed.stop();
  }
};

QTEST_GUILESS_MAIN(TestFeed)
#include "tst_feed.moc"
