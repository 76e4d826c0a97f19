// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 8: what holds between a request of time management and its callback.
// Both may be far apart: the RTI may have decided long before the federate evokes.
#include "saver.h"

using namespace rti1516e;

class tst_time_states : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// One that regulates with lookahead 1, and one that is constrained; the first sends Events.
  struct Pair {
    explicit Pair(const QString& federation) {
      sender.enter(federation);
      receiver.enter(federation);
      sender.publishInteraction("Event");
      receiver.subscribeInteraction("Event");
    }
    void begin() {
      sender.regulate(1);
      receiver.constrain();
    }
    Member sender{"sender"}, receiver{"receiver"};
  };

 private slots:
  void init() { federation_ = uniqueName("states"); }
  void timestampsBeforeRegulationIsEnabled();
  void logicalTimeAdvancesWithTheGrant_data();
  void logicalTimeAdvancesWithTheGrant();
  void logicalTimeAdvancesWithRegulation();
  void constrainedEndsWhileItWaits_data();
  void constrainedEndsWhileItWaits();
  void pendingRequestsRefuseOthers();
  void theOrderDoesNotChangeTheTransportation();
};

/// 8.2, 8.23: until the callback a federate is not time-regulating; what it sends is in receive
/// order, whatever its time, so nothing of it is too late for anybody.
void tst_time_states::timestampsBeforeRegulationIsEnabled() {
  Pair t(federation_);
  t.receiver.constrain();
  t.receiver.rti().enableAsynchronousDelivery();
  t.receiver.advance(20);
  t.sender.rti().enableTimeRegulation(HLAfloat64Interval(1));
  QVERIFY(!t.sender.send("Event", {{"number", "1"}}, 3).isValid());
  REFUSES(t.sender.rti().requestFederationSave(L"s", HLAfloat64Time(30)), FederateUnableToUseTime);
  REFUSES(t.sender.rti().disableTimeRegulation(), TimeRegulationIsNotEnabled);
  QVERIFY(t.receiver.expect("receive Event number=1 @3 RO"));
  QCOMPARE(t.receiver.details.last(), QString("RO reliable @3 as RO from sender"));
  QVERIFY(t.sender.expect("regulating 19"));
  REFUSES(t.sender.send("Event", {{"number", "2"}}, 19), InvalidLogicalTime);
  QVERIFY(t.sender.send("Event", {{"number", "3"}}, 21).isValid());
}

void tst_time_states::logicalTimeAdvancesWithTheGrant_data() {
  QTest::addColumn<QString>("advance");
  QTest::addColumn<double>("granted");
  for (const char* to : {"TAR", "TARA"}) QTest::newRow(to) << to << 10.0;
  for (const char* to : {"NMR", "NMRA", "FQR"}) QTest::newRow(to) << to << 5.0;
}

/// 8.13, 8.18: the logical time is the old one while messages of the advance are delivered.
void tst_time_states::logicalTimeAdvancesWithTheGrant() {
  QFETCH(QString, advance);
  QFETCH(double, granted);
  Pair t(federation_);
  t.begin();
  t.sender.send("Event", {{"number", "1"}}, 5);
  t.sender.rti().timeAdvanceRequest(HLAfloat64Time(advance == "FQR" ? 4 : 20));
  QVERIFY(t.sender.expect("granted"));
  QList<double> inside;
  t.receiver.onReceive = [&](auto, const auto&) { inside << t.receiver.logicalTime(); };
  t.receiver.onGrant = [&](double) { inside << t.receiver.logicalTime(); };
  const HLAfloat64Time to(10);
  if (advance == "TAR") t.receiver.rti().timeAdvanceRequest(to);
  if (advance == "TARA") t.receiver.rti().timeAdvanceRequestAvailable(to);
  if (advance == "NMR") t.receiver.rti().nextMessageRequest(to);
  if (advance == "NMRA") t.receiver.rti().nextMessageRequestAvailable(to);
  if (advance == "FQR") t.receiver.rti().flushQueueRequest(to);
  QCOMPARE(t.receiver.logicalTime(), 0.0);
  QVERIFY(t.receiver.expect("granted"));
  QCOMPARE(inside, QList<double>({0.0, granted}));
  QCOMPARE(t.receiver.logicalTime(), granted);
}

/// 8.3: where regulation begins later than the federate is, it is there with the callback.
void tst_time_states::logicalTimeAdvancesWithRegulation() {
  Pair t(federation_);
  t.receiver.constrain();
  t.receiver.advance(20);
  t.sender.rti().enableTimeRegulation(HLAfloat64Interval(1));
  QCOMPARE(t.sender.logicalTime(), 0.0);
  QVERIFY(t.sender.expect("regulating 19"));
  QCOMPARE(t.sender.logicalTime(), 19.0);
}

void tst_time_states::constrainedEndsWhileItWaits_data() {
  QTest::addColumn<bool>("regulating");
  QTest::newRow("not regulating") << false;
  QTest::newRow("regulating") << true;
}

/// 8.7: nothing holds an advance any more that was waited for, and what waited for it comes.
void tst_time_states::constrainedEndsWhileItWaits() {
  QFETCH(bool, regulating);
  Pair t(federation_);
  t.begin();
  if (regulating) t.receiver.regulate(3);
  t.sender.send("Event", {{"number", "1"}}, 5);
  t.sender.send("Event", {{"number", "2"}}, 50);
  t.receiver.rti().timeAdvanceRequest(HLAfloat64Time(10));
  t.receiver.pump();
  QCOMPARE(t.receiver.count("granted"), 0);
  t.receiver.rti().disableTimeConstrained();
  t.receiver.rti().evokeMultipleCallbacks(0.0, 1.0);
  QCOMPARE(t.receiver.count("granted 10"), 1);
  QCOMPARE(t.receiver.linesWith("receive"),
           QStringList({"receive Event number=1 @5 RO", "receive Event number=2 @50 RO"}));
  QCOMPARE(t.receiver.galt(), QString("1"));
}

/// 8.2, 8.5, 8.8 to 8.12: one thing at a time.
void tst_time_states::pendingRequestsRefuseOthers() {
  Pair t(federation_);
  Member& one = t.receiver;
  const HLAfloat64Time later(10);
  const HLAfloat64Interval lookahead(1);
  one.rti().enableTimeRegulation(lookahead);
  REFUSES(one.rti().enableTimeRegulation(lookahead), RequestForTimeRegulationPending);
  REFUSES(one.rti().timeAdvanceRequest(later), RequestForTimeRegulationPending);
  REFUSES(one.rti().modifyLookahead(lookahead), TimeRegulationIsNotEnabled);
  ACCEPTS(one.rti().enableTimeConstrained());
  REFUSES(one.rti().enableTimeConstrained(), RequestForTimeConstrainedPending);
  REFUSES(one.rti().flushQueueRequest(later), RequestForTimeConstrainedPending);
  QVERIFY(one.expect("regulating") && one.expect("constrained"));
  REFUSES(one.rti().enableTimeRegulation(lookahead), TimeRegulationAlreadyEnabled);
  REFUSES(one.rti().enableTimeConstrained(), TimeConstrainedAlreadyEnabled);
  // Whether or not it can be granted at once, the federate waits until it is told.
  one.rti().timeAdvanceRequest(later);
  REFUSES(one.rti().timeAdvanceRequest(later), InTimeAdvancingState);
  REFUSES(one.rti().nextMessageRequestAvailable(later), InTimeAdvancingState);
  REFUSES(one.rti().modifyLookahead(lookahead), InTimeAdvancingState);
  ACCEPTS(one.rti().disableTimeRegulation());
  REFUSES(one.rti().enableTimeRegulation(lookahead), InTimeAdvancingState);
  QVERIFY(one.expect("granted 10"));
  REFUSES(one.rti().timeAdvanceRequest(HLAfloat64Time(9.5)), LogicalTimeAlreadyPassed);
  ACCEPTS(one.rti().timeAdvanceRequest(later));
  QVERIFY(one.expect("granted 10", 2));
}

/// 6.11, 6.13: order and transportation are two things; nothing in timestamp order is lost.
void tst_time_states::theOrderDoesNotChangeTheTransportation() {
  Pair t(federation_);
  t.begin();
  t.sender.publish("Vehicle", {"hint"});
  t.sender.publishInteraction("Hail");
  t.receiver.subscribe("Vehicle", {"hint"});
  t.receiver.subscribeInteraction("Hail");
  const auto car = t.sender.registerNamed("Vehicle", "car");
  QVERIFY(t.receiver.expect("discover car"));
  t.receiver.details.clear();
  t.sender.rti().changeAttributeOrderType(car, t.sender.attributes("Vehicle", {"hint"}), TIMESTAMP);
  t.sender.rti().changeInteractionOrderType(t.sender.interactionClass("Hail"), TIMESTAMP);
  // More than a ring holds.
  constexpr int number = 1500;
  const AttributeHandleValueMap hint{
      {t.sender.attribute("Vehicle", "hint"), data(QByteArray(1000, 'h'))}};
  for (int i = 0; i < number; ++i) {
    t.sender.rti().updateAttributeValues(car, hint, {}, HLAfloat64Time(5));
  }
  QVERIFY(t.sender.send("Hail", {}, 6).isValid());
  t.sender.rti().timeAdvanceRequest(HLAfloat64Time(20));
  t.receiver.rti().timeAdvanceRequest(HLAfloat64Time(10));
  QVERIFY(t.receiver.expect("granted 10"));
  QCOMPARE(t.receiver.reflections, long{number});
  QCOMPARE(t.receiver.details.first(),
           QString("TSO best effort @5 as TSO retractable from sender"));
  QCOMPARE(t.receiver.details.last(), QString("TSO best effort @6 as TSO retractable from sender"));
}

CONFORMANCE_MAIN(tst_time_states)
#include "tst_time_states.moc"
