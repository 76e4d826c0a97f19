// SPDX-License-Identifier: GPL-3.0-or-later
// Pause, step and resume: an observer holds the time of a federation.
#include <RTI/time/HLAinteger64Interval.h>

#include <QtTest>
#include <memory>
#include <optional>
#include <vector>

#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;
using tutti::observe::Observer;

namespace {

/// Two federates that regulate and are constrained, and whoever holds them.
struct Pair {
  explicit Pair(const QString& node, const QString& time = QStringLiteral("HLAfloat64Time"))
      : federation(uniqueName("held")), integer(time == "HLAinteger64Time") {
    for (Recorder* r : {&a, &b}) {
      r->enter(federation, HLA_EVOKED, time);
      if (integer) {
        r->rti().enableTimeRegulation(HLAinteger64Interval(1));
      } else {
        r->rti().enableTimeRegulation(HLAfloat64Interval(1.0));
      }
      r->rti().enableTimeConstrained();
    }
    ready = a.expect("regulating") && b.expect("regulating") && a.expect("constrained") &&
            b.expect("constrained");
    auto connected = Observer::connect(node.toStdString());
    if (connected) observer.emplace(std::move(*connected));
    ready = ready && observer.has_value();
  }

  void advance(Recorder& r, double to) {
    if (integer) {
      r.rti().timeAdvanceRequest(HLAinteger64Time(static_cast<Integer64>(to)));
    } else {
      r.rti().timeAdvanceRequest(HLAfloat64Time(to));
    }
  }
  bool hold(double ceiling) {
    return observer->holdTime(federation.toStdString(), ceiling).has_value();
  }
  /// As everybody sees it in shared memory.
  bool isHeld() {
    observer->refresh();
    for (const auto& each : observer->sample().federations) {
      if (each.name == federation.toStdString()) return each.held;
    }
    return false;
  }
  bool release() { return observer->releaseTime(federation.toStdString()).has_value(); }
  /// As often as a grant could need, and more: a federate looks again on its own after 64 rests.
  void pumpForLong() {
    for (int i = 0; i < 200; ++i) {
      a.pump();
      b.pump();
    }
  }
  int grants() const { return a.count("granted") + b.count("granted"); }

  QString federation;
  bool integer;
  Recorder a{"a"};
  Recorder b{"b"};
  std::optional<Observer> observer;
  bool ready = false;
};

}  // namespace

class tst_hold : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void nobodyIsGrantedBeyondTheCeiling_data();
  void nobodyIsGrantedBeyondTheCeiling();
  void nextMessageIsGrantedUpToTheCeiling();
  void oneWithoutTimeManagementIsHeldToo();
  void whoJoinsLaterIsHeldToo();
  void theHoldEndsWithItsHolder();
  void theLastOneToAskHolds();
  void otherFederationsGoOn();
  void sleepersAreWokenByTheRelease();
  void anUnknownFederationIsRefused();
};

void tst_hold::nobodyIsGrantedBeyondTheCeiling_data() {
  QTest::addColumn<QString>("time");
  QTest::newRow("float") << "HLAfloat64Time";
  QTest::newRow("integer") << "HLAinteger64Time";
}

void tst_hold::nobodyIsGrantedBeyondTheCeiling() {
  QFETCH(QString, time);
  Pair pair(node_.name(), time);
  QVERIFY(pair.ready);
  QVERIFY(pair.hold(0));
  QVERIFY(pair.isHeld());
  pair.advance(pair.a, 2);
  pair.advance(pair.b, 3);
  pair.pumpForLong();
  QCOMPARE(pair.grants(), 0);
  // A step to 2 grants who asked for 2, and nobody else.
  QVERIFY(pair.hold(2));
  QVERIFY(pair.a.expect("granted 2"));
  pair.advance(pair.a, 4);
  pair.pumpForLong();
  QCOMPARE(pair.grants(), 1);
  QVERIFY(pair.hold(3));
  QVERIFY(pair.b.expect("granted 3"));
  pair.advance(pair.b, 4);
  pair.pumpForLong();
  QCOMPARE(pair.grants(), 2);
  QVERIFY(pair.release());
  QVERIFY(pair.a.expect("granted 4"));
  QVERIFY(pair.b.expect("granted 4"));
  QVERIFY(!pair.isHeld());
}

void tst_hold::nextMessageIsGrantedUpToTheCeiling() {
  Pair pair(node_.name());
  QVERIFY(pair.ready);
  pair.a.publishInteraction("Event");
  pair.b.subscribeInteraction("Event");
  QVERIFY(pair.hold(2));
  pair.a.send("Event", {{"number", "early"}}, 1.5);
  pair.a.send("Event", {{"number", "late"}}, 2.5);
  pair.advance(pair.a, 2);
  pair.b.rti().nextMessageRequest(HLAfloat64Time(9.0));
  QVERIFY(pair.b.expect("granted 1.5"));
  QVERIFY(pair.a.expect("granted 2"));
  pair.advance(pair.a, 8);
  pair.b.rti().nextMessageRequest(HLAfloat64Time(9.0));
  pair.pumpForLong();
  QCOMPARE(pair.b.count("granted"), 1);
  QCOMPARE(pair.b.count("receive"), 1);
  QVERIFY(pair.hold(2.5));
  QVERIFY(pair.b.expect("granted 2.5"));
  QCOMPARE(pair.b.count("receive"), 2);
}

void tst_hold::oneWithoutTimeManagementIsHeldToo() {
  const QString federation = uniqueName("free");
  Recorder alone("alone");
  alone.enter(federation);
  auto observer = Observer::connect(node_.name().toStdString());
  QVERIFY(observer.has_value());
  QVERIFY(observer->holdTime(federation.toStdString(), 1).has_value());
  alone.rti().timeAdvanceRequest(HLAfloat64Time(5));
  for (int i = 0; i < 200; ++i) alone.pump();
  QCOMPARE(alone.count("granted"), 0);
  QVERIFY(observer->releaseTime(federation.toStdString()).has_value());
  QVERIFY(alone.expect("granted 5"));
}

void tst_hold::whoJoinsLaterIsHeldToo() {
  Pair pair(node_.name());
  QVERIFY(pair.ready);
  QVERIFY(pair.hold(1));
  // Wherever they are: with several nodes, on each of them.
  std::vector<std::unique_ptr<Recorder>> late;
  for (const char* name : {"c", "d", "e", "f"}) {
    late.push_back(std::make_unique<Recorder>(name));
    late.back()->enter(pair.federation);
    late.back()->rti().timeAdvanceRequest(HLAfloat64Time(5));
  }
  for (int i = 0; i < 200; ++i) {
    for (const auto& one : late) one->pump();
  }
  for (const auto& one : late) QCOMPARE(one->count("granted"), 0);
  QVERIFY(pair.release());
  for (const auto& one : late) QVERIFY(one->expect("granted 5"));
}

void tst_hold::theHoldEndsWithItsHolder() {
  Pair pair(node_.name());
  QVERIFY(pair.ready);
  QVERIFY(pair.hold(0));
  pair.advance(pair.a, 2);
  pair.advance(pair.b, 2);
  pair.pumpForLong();
  QCOMPARE(pair.grants(), 0);
  pair.observer.reset();
  QVERIFY(pair.a.expect("granted 2"));
  QVERIFY(pair.b.expect("granted 2"));
}

void tst_hold::theLastOneToAskHolds() {
  Pair pair(node_.name());
  QVERIFY(pair.ready);
  QVERIFY(pair.hold(0));
  auto second = Observer::connect(node_.name().toStdString());
  QVERIFY(second.has_value());
  QVERIFY(second->holdTime(pair.federation.toStdString(), 0).has_value());
  // The first one leaves; the federation is the second one's.
  pair.observer.reset();
  pair.advance(pair.a, 2);
  pair.advance(pair.b, 2);
  pair.pumpForLong();
  QCOMPARE(pair.grants(), 0);
  QVERIFY(second->releaseTime(pair.federation.toStdString()).has_value());
  QVERIFY(pair.a.expect("granted 2"));
}

void tst_hold::otherFederationsGoOn() {
  Pair held(node_.name());
  Pair free(node_.name());
  QVERIFY(held.ready && free.ready);
  QVERIFY(held.hold(0));
  for (Recorder* r : {&free.a, &free.b}) free.advance(*r, 2);
  QVERIFY(free.a.expect("granted 2"));
  QVERIFY(free.b.expect("granted 2"));
}

void tst_hold::sleepersAreWokenByTheRelease() {
  const QString federation = uniqueName("asleep");
  Recorder alone("alone");
  alone.enter(federation, HLA_IMMEDIATE);
  auto observer = Observer::connect(node_.name().toStdString());
  QVERIFY(observer.has_value());
  QVERIFY(observer->holdTime(federation.toStdString(), 1).has_value());
  alone.rti().timeAdvanceRequest(HLAfloat64Time(5));
  QVERIFY(observer->releaseTime(federation.toStdString()).has_value());
  QTRY_COMPARE(alone.count("granted 5"), 1);
}

void tst_hold::anUnknownFederationIsRefused() {
  auto observer = Observer::connect(node_.name().toStdString());
  QVERIFY(observer.has_value());
  const auto held = observer->holdTime("moon", 1);
  QVERIFY(!held.has_value());
  QVERIFY(QString::fromStdString(held.error()).contains("'moon'"));
}

QTEST_GUILESS_MAIN(tst_hold)
#include "tst_hold.moc"
