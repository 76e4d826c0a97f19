// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of a pace, with a clock of the test's own.
#include <QtTest>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "executive/pace.h"
#include "fabric/pace_range.h"

using tutti::executive::Pace;
using namespace std::chrono_literals;

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

/// A federation of one regulating federate, as the node sees it.
struct Federation {
  Pace pace;
  Pace::Clock::time_point now{};
  double logical = 0;
  std::optional<double> asks;
  bool begun = false;

  explicit Federation(double perSecond) : pace(perSecond) {}

  Pace::Clock::time_point look() {
    Pace::Standing standing{true, begun || asks, logical, {}};
    if (asks && *asks > pace.ceiling()) standing.targets.push_back(*asks);
    const auto next = pace.look(standing, now);
    if (asks && *asks <= pace.ceiling()) {
      logical = *asks;
      asks.reset();
      begun = true;
    }
    return next;
  }
  /// Asks for steps of `step` at once whenever it is granted. How far it comes within `time`.
  double run(Pace::Clock::duration time, double step) {
    const auto end = now + time;
    while (now < end) {
      if (!asks) asks = logical + step;
      // What it asks for up to the ceiling it is granted without waiting.
      while (asks && *asks <= pace.ceiling()) {
        logical = *asks;
        asks = logical + step;
        begun = true;
      }
      const auto next = look();
      now = std::min(std::max(next, now + 1ms), end);
    }
    do look();
    while (asks = logical + step, *asks <= pace.ceiling());
    return logical;
  }
};

}  // namespace

class tst_pace : public QObject {
  Q_OBJECT

 private slots:
  void nobodyIsGrantedBeforeTheFirstLook() { QCOMPARE(Pace(1).ceiling(), never); }

  void aTimeIsGrantedWhenItIsDue_data() {
    QTest::addColumn<double>("pace");
    QTest::addColumn<double>("step");
    QTest::newRow("real time") << 1.0 << 1.0;
    QTest::newRow("slow motion") << 0.1 << 0.25;
    QTest::newRow("many steps within a look") << 50.0 << 0.01;
    QTest::newRow("long steps") << 2.0 << 10.0;
  }
  void aTimeIsGrantedWhenItIsDue() {
    QFETCH(double, pace);
    QFETCH(double, step);
    Federation one(pace);
    one.asks = step;
    one.look();
    // No earlier than due, and less than a look and a step behind.
    for (int i = 1; i <= 100; ++i) {
      const double reached = one.run(1s, step);
      QVERIFY2(reached <= pace * i + 1e-9, qPrintable(QString::number(reached)));
      QVERIFY2(reached >= pace * (i - 0.011) - step, qPrintable(QString::number(reached)));
    }
  }

  /// A federate that could not be read may be there: what it was let go on to it keeps.
  void whatCannotBeReadHasNotGone() {
    Federation one(1);
    one.asks = 1;
    one.look();
    one.now += 2s;
    one.look();
    const double before = one.pace.ceiling();
    QVERIFY(before >= 1);
    Pace::Standing unread;
    unread.whole = false;
    const auto next = one.pace.look(unread, one.now);
    QCOMPARE(one.pace.ceiling(), before);
    QVERIFY(next > one.now && next < one.now + Pace::looks);
    one.pace.look({}, one.now);
    QCOMPARE(one.pace.ceiling(), never);
  }

  void theNextLookIsWhenTheNextTimeIsDue() {
    Federation one(1);
    one.asks = 1;
    one.look();
    one.now += 993ms;
    const auto next = one.look();
    QVERIFY(next - one.now >= 7ms && next - one.now < 8ms);
    one.now = next;
    one.look();
    QCOMPARE(one.logical, 1.0);
    // Nobody asks: as often as ever.
    QCOMPARE(one.look() - one.now, Pace::Clock::duration(Pace::looks));
  }

  void whoHasNotBegunEarnsNothing() {
    Federation one(1);
    for (int i = 0; i < 1000; ++i, one.now += 100ms) one.look();
    const double reached = one.run(1s, 0.1);
    QVERIFY2(reached <= 1.0 + 0.1, qPrintable(QString::number(reached)));
  }

  void aPauseEarnsNothing() {
    Federation one(1);
    const double before = one.run(2s, 0.1);
    one.pace.suspend(one.now);
    one.now += 1h;
    one.pace.resume(one.now);
    one.look();
    QVERIFY(one.logical <= before + 0.1 + 1e-9);
    const double after = one.run(1s, 0.1);
    QVERIFY2(after <= before + 1.1 + 1e-9, qPrintable(QString::number(after)));
    QVERIFY(after >= before + 0.8);
  }

  void aStepDuringAPauseIsWhereItGoesOn() {
    Federation one(1);
    one.run(2s, 0.5);
    one.pace.suspend(one.now);
    one.logical = 40;  // as far as steps have led it
    one.asks.reset();
    one.now += 10s;
    one.pace.resume(one.now);
    const double reached = one.run(2s, 0.5);
    QVERIFY2(reached > 41 && reached <= 42, qPrintable(QString::number(reached)));
  }

  void anotherPaceHoldsFromNowOn() {
    Federation one(1);
    QVERIFY(one.run(10s, 0.1) <= 10.0);
    one.pace.change(5, one.now);
    const double faster = one.run(10s, 0.1);
    QVERIFY2(faster > 59 && faster <= 60, qPrintable(QString::number(faster)));
    one.pace.change(0.5, one.now);
    const double slower = one.run(10s, 0.1);
    QVERIFY2(slower > 64 && slower <= 65, qPrintable(QString::number(slower)));
  }

  void whoWasLateCatchesUpNoMoreThanTheSlack() {
    Federation one(2);
    const double before = one.run(5s, 0.01);
    one.asks.reset();  // it computes, or is stopped, for a minute
    for (int i = 0; i < 6000; ++i, one.now += 10ms) one.look();
    const double after = one.run(1s, 0.01);
    // A second, and half a second of what it missed, at 2.
    QVERIFY2(after <= before + 2 * 1.5 + 0.05, qPrintable(QString::number(after)));
    QVERIFY2(after >= before + 2, qPrintable(QString::number(after)));
  }

  void whoIsAlwaysLateIsNotSlowedDown() {
    // Two seconds of work for each second of logical time.
    Federation one(1);
    one.run(1s, 1);
    double reached = one.logical;
    for (int i = 0; i < 20; ++i) {
      one.asks.reset();
      for (int k = 0; k < 200; ++k, one.now += 10ms) one.look();
      one.asks = one.logical + 1;
      one.look();
      QCOMPARE(one.logical, ++reached);
    }
  }

  void aPauseKeepsTheWayToTheNextGrant() {
    Federation one(1);
    one.asks = 10;
    one.look();
    // Paused after each 9 of 10 s: still it arrives.
    for (int i = 0; i < 2; ++i) {
      for (int k = 0; k < 450; ++k, one.now += 10ms) one.look();
      QCOMPARE(one.logical, 0.0);
      one.pace.suspend(one.now);
      one.now += 1h;
      one.pace.resume(one.now);
      // Neither does a person who moves a slider keep it from arriving.
      one.pace.change(1, one.now);
    }
    one.now += 1010ms;
    one.look();
    QCOMPARE(one.logical, 10.0);
  }

  void whatIsGrantedAlreadyIsNotWaitedForAgain() {
    // The pace is set while they are apart: the foremost goes on from where it is.
    Pace pace(0.01);
    Pace::Clock::time_point now{};
    pace.look({true, true, 104.9, {105}}, now);
    now += 10s;
    pace.look({true, true, 104.9, {105}}, now);
    QVERIFY2(pace.ceiling() >= 105, qPrintable(QString::number(pace.ceiling())));
  }

  void noneIsHeldLongerThanItsTimeIsNotDue_data() {
    QTest::addColumn<double>("pace");
    QTest::addColumn<QList<double>>("steps");  // as multiples of the slack, at the pace
    int row = 0;
    for (const double pace : {0.01, 0.1, 1.0, 50.0}) {
      for (const QList<double>& steps :
           {QList<double>{0.1}, {1, 1}, {10, 1}, {0.1, 10}, {0.02, 2, 7}, {3, 3.5, 0.3}}) {
        QTest::addRow("%d: pace %g", ++row, pace) << pace << steps;
      }
    }
  }
  /// Federates of several step lengths, one that stays behind and comes on now and then, pauses and
  /// changes of the pace. Against a clock that stands in pauses.
  void noneIsHeldLongerThanItsTimeIsNotDue() {
    QFETCH(double, pace);
    QFETCH(QList<double>, steps);
    const double slack = 0.5 * pace;
    std::mt19937 random(1207);
    Pace kept(pace);
    Pace::Clock::time_point now{};
    struct Federate {
      double step, logical = 0, target = 0;
    };
    std::vector<Federate> federates;
    for (const double step : steps) federates.push_back({step * slack, 0, step * slack});
    double laggard = 0;
    double dueNow = 0;  // by this test's own reckoning
    bool paused = false;
    const auto foremost = [&] {
      double result = laggard;
      for (const Federate& each : federates) result = std::max(result, each.logical);
      return result;
    };
    for (int i = 0; i < 20000; ++i) {
      if (!paused) {
        Pace::Standing standing{true, true, foremost(), {}};
        for (const Federate& each : federates) {
          if (each.target > kept.ceiling()) standing.targets.push_back(each.target);
        }
        kept.look(standing, now);
      }
      for (Federate& each : federates) {
        // At once again, but a finite number of times.
        for (int k = 0; k < 1000 && each.target <= kept.ceiling(); ++k) {
          QVERIFY2(each.target <= dueNow + 1e-9 * std::max(1.0, dueNow),
                   qPrintable(QStringLiteral("%1 granted at %2").arg(each.target).arg(dueNow)));
          each.logical = each.target;
          each.target += each.step;
        }
        // Nobody is overdue by more than a look or two.
        QVERIFY2(each.target > dueNow - 0.03 * pace,
                 qPrintable(
                     QStringLiteral("%1 of %2 at %3").arg(each.target).arg(each.step).arg(dueNow)));
      }
      if (random() % 500 == 0) laggard += std::min(slack, foremost() - laggard);
      if (random() % 300 == 0) {
        paused = !paused;
        if (paused) {
          kept.suspend(now);
        } else {
          kept.resume(now);
        }
      }
      if (random() % 200 == 0) kept.change(pace, now);
      const auto passes = std::chrono::milliseconds(1 + random() % 10);
      now += passes;
      if (!paused) dueNow += pace * std::chrono::duration<double>(passes).count();
    }
    QVERIFY(foremost() > 0);
  }

  void whoComesBackAfterAllLeftBeginsAnew() {
    Federation one(1);
    one.run(10s, 1);
    one.pace.look({}, one.now);
    QCOMPARE(one.pace.ceiling(), never);
    one.now += 100s;
    one.logical = 0;
    one.begun = false;
    one.asks.reset();
    QVERIFY(one.run(3s, 1) <= 3.0);
  }

  void whatIsNoPaceIsRefused_data() {
    QTest::addColumn<double>("pace");
    QTest::addColumn<bool>("good");
    QTest::newRow("real time") << 1.0 << true;
    QTest::newRow("slowest") << tutti::fabric::slowestPace << true;
    QTest::newRow("fastest") << tutti::fabric::fastestPace << true;
    QTest::newRow("zero") << 0.0 << false;
    QTest::newRow("negative") << -1.0 << false;
    QTest::newRow("too slow") << 1e-7 << false;
    QTest::newRow("too fast") << 2e12 << false;
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << false;
    QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN() << false;
  }
  void whatIsNoPaceIsRefused() {
    QFETCH(double, pace);
    QTEST(Pace::whatIsWrong(pace).empty(), "good");
  }
};

QTEST_GUILESS_MAIN(tst_pace)
#include "tst_pace.moc"
