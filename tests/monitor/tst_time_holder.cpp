// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <random>

#include "monitor/engine/consequences.h"
#include "monitor/engine/time_holder.h"
#include "tests/monitor/fake_run.h"

using namespace tutti::monitor;
using namespace tutti::monitor::test;
using Advance = TimeReading::Advance;

namespace {

FederateReading federate(const char* name, double time, double lookahead) {
  FederateReading result;
  result.name = QString::fromLatin1(name);
  manageTime(result, time, lookahead);
  return result;
}

/// The greatest fixed point of the bounds, by plain iteration from above.
std::vector<double> boundsByIteration(const std::vector<FederateReading>& federates) {
  std::vector<double> bound(federates.size(), 1e9);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < federates.size(); ++i) {
      double galt = 1e9;
      for (std::size_t j = 0; j < federates.size(); ++j) {
        if (j != i) galt = std::min(galt, bound[j]);
      }
      const double next = outputBound(federates[i].time, galt)->time;
      if (next < bound[i]) {
        bound[i] = next;
        changed = true;
      }
    }
  }
  return bound;
}

}  // namespace

class TestTimeHolder : public QObject {
  Q_OBJECT

 private slots:
  void aFederateThatComputesHoldsThoseBeyondItsLookahead() {
    std::vector<FederateReading> all{federate("west", 128.4, 0.1), federate("north", 128.4, 0.1),
                                     federate("near", 128.4, 0.1)};
    request(all[1], 128.6);
    request(all[2], 128.45);
    const TimeAnalysis time = analyseTime(all);
    QCOMPARE(time.holders.size(), std::size_t{1});
    QCOMPARE(time.holders[0].federate, std::size_t{0});
    QCOMPARE(time.holders[0].waiters, std::vector<std::size_t>{1});
    QCOMPARE(time.holders[0].bound.time, 128.5);
    QCOMPARE(*time.galt[1], 128.5);
  }

  void aRequestAtTheBoundWaitsUnlessAvailableOrStrict_data() {
    QTest::addColumn<int>("advance");
    QTest::addColumn<double>("lookahead");
    QTest::addColumn<bool>("exclusive");
    QTest::addColumn<bool>("waits");
    QTest::newRow("TAR") << int(Advance::TimeAdvanceRequest) << 1.0 << false << true;
    QTest::newRow("TARA") << int(Advance::TimeAdvanceRequestAvailable) << 1.0 << false << false;
    QTest::newRow("NMR") << int(Advance::NextMessageRequest) << 1.0 << false << true;
    QTest::newRow("NMRA") << int(Advance::NextMessageRequestAvailable) << 1.0 << false << false;
    QTest::newRow("TAR, other exclusive")
        << int(Advance::TimeAdvanceRequest) << 0.0 << true << false;
  }
  void aRequestAtTheBoundWaitsUnlessAvailableOrStrict() {
    QFETCH(int, advance);
    QFETCH(double, lookahead);
    QFETCH(bool, exclusive);
    QFETCH(bool, waits);
    std::vector<FederateReading> all{federate("other", 4, lookahead), federate("me", 4, 1)};
    all[0].time.exclusive = exclusive;
    request(all[1], 4 + lookahead, static_cast<Advance>(advance));
    QCOMPARE(!analyseTime(all).waits.empty(), waits);
  }

  void whoWaitsItselfIsNotTheCause() {
    // b's own bound, 8, lies below c's request too; but b waits for a like c does.
    std::vector<FederateReading> all{federate("a", 1, 1), federate("b", 1, 5), federate("c", 1, 9)};
    request(all[1], 3);
    request(all[2], 20);
    const TimeAnalysis time = analyseTime(all);
    QCOMPARE(time.holders.size(), std::size_t{1});
    QCOMPARE(time.holders[0].federate, std::size_t{0});
    QCOMPARE(time.holders[0].waiters, (std::vector<std::size_t>{1, 2}));
    for (const Wait& wait : time.waits) QCOMPARE(wait.root, std::size_t{0});
  }

  void whoDoesNotTakeItsGrantHoldsTheOthers() {
    // Nothing keeps "stopped" from 18 to 19; "other" waits for what it may send after that.
    std::vector<FederateReading> all{federate("stopped", 18, 1), federate("other", 19, 1)};
    request(all[0], 19);
    request(all[1], 20);
    TimeAnalysis time = analyseTime(all);
    QCOMPARE(time.holders.size(), std::size_t{1});
    QCOMPARE(time.holders[0].federate, std::size_t{0});
    QVERIFY(time.holders[0].grantDue);
    QCOMPARE(time.holders[0].bound.time, 20.0);
    QCOMPARE(time.waits[0].root, std::size_t{0});
    // One that has not even asked comes first.
    all.push_back(federate("computes", 18.5, 1));
    request(all[1], 21);
    time = analyseTime(all);
    QCOMPARE(time.holders[0].federate, std::size_t{2});
    QVERIFY(!time.holders[0].grantDue);
  }

  void aNextMessageIsDueAsSoonAsNothingCanComeBefore() {
    std::vector<FederateReading> all{federate("reader", 10, 1), federate("other", 10, 3)};
    request(all[0], 100, Advance::NextMessageRequest);
    request(all[1], 12);
    // Nothing before 12.5 is to be expected: the message at 11 may be delivered and granted.
    all[0].time.leastStamp = 11;
    const TimeAnalysis time = analyseTime(all);
    QVERIFY(std::none_of(time.waits.begin(), time.waits.end(),
                         [](const Wait& wait) { return wait.waiter == 0; }));
  }

  void whoResignedOrDiedHoldsNobody() {
    std::vector<FederateReading> all{federate("gone", 1, 0.1), federate("me", 5, 0.1)};
    all[0].membership = Membership::Lost;
    request(all[1], 6);
    const TimeAnalysis time = analyseTime(all);
    QVERIFY(time.holders.empty());
    QVERIFY(!time.galt[1].has_value());
  }

  void whoOnlyListensHoldsNobody() {
    std::vector<FederateReading> all{federate("log", 1, 0.1), federate("me", 5, 0.1)};
    all[0].time.regulating = false;
    request(all[1], 6);
    QVERIFY(analyseTime(all).holders.empty());
  }

  void nextMessageRequestsAreBoundByTheOthers() {
    // Both ask for the next message up to 100; nothing is queued. Neither may send before its
    // own grant, which is at least the other's bound: 10 + 1.
    std::vector<FederateReading> all{federate("a", 10, 1), federate("b", 10, 2),
                                     federate("c", 10, 1)};
    request(all[0], 100, Advance::NextMessageRequest);
    request(all[1], 100, Advance::NextMessageRequest);
    const TimeAnalysis time = analyseTime(all);
    QCOMPARE(*time.galt[0], 11.0);
    QCOMPARE(*time.galt[1], 11.0);
    QCOMPARE(*time.galt[2], 12.0);
    QCOMPARE(time.holders.size(), std::size_t{1});
    QCOMPARE(time.holders[0].federate, std::size_t{2});
  }

  void boundsAreTheGreatestFixedPoint() {
    std::mt19937 random(1207);
    const auto pick = [&](int from, int to) {
      return std::uniform_int_distribution<int>(from, to)(random);
    };
    for (int round = 0; round < 500; ++round) {
      std::vector<FederateReading> all;
      for (int i = 0; i < pick(2, 8); ++i) {
        all.push_back(federate("x", pick(0, 10), pick(0, 3)));
        const auto advance = static_cast<Advance>(pick(0, 5));
        if (advance != Advance::None) {
          request(all.back(), all.back().time.logicalTime + pick(0, 20), advance);
          if (pick(0, 1) == 1)
            all.back().time.leastStamp = all.back().time.logicalTime + pick(0, 9);
        }
      }
      const std::vector<double> expected = boundsByIteration(all);
      const TimeAnalysis time = analyseTime(all);
      for (std::size_t i = 0; i < all.size(); ++i) {
        double galt = 1e9;
        for (std::size_t j = 0; j < all.size(); ++j) {
          if (j != i) galt = std::min(galt, expected[j]);
        }
        QCOMPARE(*time.galt[i], galt);
      }
    }
  }

  void theConsequencesNameWhatWouldBeFreed() {
    Reading reading;
    reading.federates = {federate("west", 128.4, 0.1), federate("north", 128.4, 0.1),
                         federate("south", 128.4, 0.3)};
    for (std::uint32_t i = 0; i < 3; ++i) reading.federates[i].number = i + 1;
    reading.federates[0].counters.instancesRegistered = 5;
    reading.federates[0].counters.instancesDeleted = 2;
    reading.synchronizationPoints = {{QStringLiteral("ready"), {1, 2}}};
    request(reading.federates[1], 128.6);
    request(reading.federates[2], 128.6);
    const TimeAnalysis time = analyseTime(reading.federates);
    const Consequences lost = consequencesOf(
        reading, 0, time,
        {{QStringLiteral("west"), {QStringLiteral("Plot"), QStringLiteral("Flight")}, {}},
         {QStringLiteral("south"), {QStringLiteral("Flight")}, {QStringLiteral("Plot")}}},
        {});
    QCOMPARE(lost.instances, std::uint64_t{3});
    QCOMPARE(lost.unpublished, QStringList{"Plot"});
    QCOMPARE(lost.silent.size(), std::size_t{1});
    QCOMPARE(lost.silent[0].federate, QStringLiteral("south"));
    QCOMPARE(lost.synchronizationPoints, QStringList{"ready"});
    QCOMPARE(*lost.mayNextSend, 128.5);
    QCOMPARE(*lost.othersGalt, 128.5);
    QCOMPARE(*lost.othersGaltWithout, 128.7);
    QCOMPARE(lost.freed, QStringList({"north", "south"}));
    QCOMPARE(headline(lost), QStringLiteral("3 objects vanish; Plot loses its only publisher. "
                                            "north and south no longer wait for it."));
  }

  void aHarmlessEndSaysSo() {
    Reading reading;
    reading.federates = {federate("log", 1, 0)};
    reading.federates[0].time.regulating = false;
    const Consequences lost = consequencesOf(reading, 0, analyseTime(reading.federates), {}, {});
    QVERIFY(lost.isHarmless());
    QCOMPARE(headline(lost), QStringLiteral("Nothing is lost to the others."));
  }
};

QTEST_GUILESS_MAIN(TestTimeHolder)
#include "tst_time_holder.moc"
