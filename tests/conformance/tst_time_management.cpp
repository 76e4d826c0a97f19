// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 8: time regulation and constraint, advances, delivery by order. One test
// function for each service and callback, of its name.
#include <RTI/time/HLAinteger64Interval.h>

#include "member.h"

using namespace rti1516e;

class tst_time_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  using Time = HLAfloat64Time;
  using Interval = HLAfloat64Interval;

  /// A regulating sender and a constrained receiver of Message (receive order) and Event (timestamp
  /// order).
  struct Pair {
    Pair(const QString& federation, double lookahead);
    void event(const QByteArray& number, double time) {
      sender.send("Event", {{"number", number}}, time);
    }
    Member sender{"sender"}, receiver{"receiver"};
  };

  using Request = void (RTIambassador::*)(const LogicalTime&);
  /// What all four requests for an advance have in common.
  void requestIsRefused(Request request);

 private slots:
  void init() { federation_ = uniqueName("time"); }
  void enableTimeRegulation();
  void timeRegulationEnabled();
  void disableTimeRegulation();
  void enableTimeConstrained();
  void timeConstrainedEnabled();
  void disableTimeConstrained();
  void timeAdvanceRequest();
  void timeAdvanceRequestAvailable();
  void nextMessageRequest();
  void nextMessageRequestAvailable();
  void flushQueueRequest();
  void timeAdvanceGrant();
  void enableAsynchronousDelivery();
  void disableAsynchronousDelivery();
  void queryGALT();
  void queryLogicalTime();
  void queryLITS();
  void queryLookahead();
  void modifyLookahead();
  void retract();
  void retractADeletion();
  void requestRetraction();
  void changeAttributeOrderType();
  void changeInteractionOrderType();
  void integerTimes();
  void whatWaitsWhenConstrained();
  void aRegulatorThatLeavesHoldsNobody_data();
  void aRegulatorThatLeavesHoldsNobody();
  void removalsOfOneWhoLeftAreHeld_data();
  void removalsOfOneWhoLeftAreHeld();
};

tst_time_management::Pair::Pair(const QString& federation, double lookahead) {
  sender.enter(federation);
  receiver.enter(federation);
  sender.rti().disableInteractionRelevanceAdvisorySwitch();
  sender.publishInteraction("Message");
  sender.publishInteraction("Event");
  receiver.subscribeInteraction("Message");
  receiver.subscribeInteraction("Event");
  sender.regulate(lookahead);
  receiver.constrain();
  sender.take();
  receiver.take();
}

void tst_time_management::requestIsRefused(Request request) {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  REFUSES((rti.*request)(HLAinteger64Time(5)), InvalidLogicalTime);
  (rti.*request)(Time(5));
  REFUSES((rti.*request)(Time(6)), InTimeAdvancingState);
  QVERIFY(a.expect("granted 5"));
  REFUSES((rti.*request)(Time(4.5)), LogicalTimeAlreadyPassed);
  ACCEPTS((rti.*request)(Time(5)));  // the present time has not passed
  QVERIFY(a.expect("granted 5", 2));
  rti.enableTimeRegulation(Interval(1));
  REFUSES((rti.*request)(Time(6)), RequestForTimeRegulationPending);
  QVERIFY(a.expect("regulating"));
  rti.enableTimeConstrained();
  REFUSES((rti.*request)(Time(6)), RequestForTimeConstrainedPending);
  QVERIFY(a.expect("constrained"));
  ACCEPTS((rti.*request)(Time(6)));
  QVERIFY(a.expect("granted 6"));
}

// --- regulation ----------------------------------------------------------------------------------

void tst_time_management::enableTimeRegulation() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  REFUSES(rti.enableTimeRegulation(HLAinteger64Interval(1)), InvalidLookahead);
  REFUSES(rti.enableTimeRegulation(Interval(-1)), InvalidLookahead);
  rti.timeAdvanceRequest(Time(3));
  REFUSES(rti.enableTimeRegulation(Interval(1)), InTimeAdvancingState);
  QVERIFY(a.expect("granted 3"));
  rti.enableTimeRegulation(Interval(1));
  REFUSES(rti.enableTimeRegulation(Interval(1)), RequestForTimeRegulationPending);
  ACCEPTS(rti.enableTimeConstrained());  // both may be pending
  QVERIFY(a.expect("regulating 3"));
  QVERIFY(a.expect("constrained 3"));
  REFUSES(rti.enableTimeRegulation(Interval(1)), TimeRegulationAlreadyEnabled);

  // From then on nobody constrained advances past time + lookahead.
  b.constrain();
  b.rti().timeAdvanceRequest(Time(4));
  b.pump();
  QCOMPARE(b.count("granted"), 0);
  a.advance(3.5);
  QVERIFY(b.expect("granted 4"));
}

void tst_time_management::timeRegulationEnabled() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.rti().enableTimeRegulation(Interval(2));
  QVERIFY(a.expect("regulating 0"));
  QCOMPARE(a.take(), QStringList("regulating 0"));
  // Where a constrained federate is ahead, regulation begins at a time from which no message can
  // reach its past.
  a.advance(20);
  b.constrain();
  b.advance(10);
  c.rti().enableTimeRegulation(Interval(1));
  QVERIFY(c.expect("regulating"));
  // All of 10 was delivered to b: just after 9 is the earliest from which nothing comes at 10.
  const double begun = c.logicalTime();
  QVERIFY2(begun > 9 && begun + 1 > 10 && begun < 9.000001, qPrintable(c.log().constLast()));
  c.publishInteraction("Event");
  REFUSES(c.send("Event", {}, 10), InvalidLogicalTime);
  ACCEPTS(c.send("Event", {}, begun + 1));
  QCOMPARE(b.galt().toDouble(), 10.0);

  // Where more of the granted time may come, that is the bound itself.
  const QString other = uniqueName("time");
  Member d("d"), e("e");
  d.enter(other);
  e.enter(other);
  d.constrain();
  d.rti().timeAdvanceRequestAvailable(Time(10));
  QVERIFY(d.expect("granted 10"));
  e.rti().enableTimeRegulation(Interval(4));
  QVERIFY(e.expect("regulating 6"));
  QCOMPARE(e.logicalTime(), 6.0);
  QCOMPARE(d.galt(), QString("10"));
}

void tst_time_management::disableTimeRegulation() {
  Pair p(federation_, 1);
  REFUSES(p.receiver.rti().disableTimeRegulation(), TimeRegulationIsNotEnabled);
  p.event("1", 4);
  p.receiver.rti().timeAdvanceRequest(Time(100));
  QCOMPARE(p.receiver.take(), QStringList());
  p.sender.rti().disableTimeRegulation();
  // Nothing holds the receiver any more; what was sent before is still in timestamp order.
  QVERIFY(p.receiver.expect("granted 100"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @4 TSO", "granted 100"}));
  REFUSES(p.sender.rti().disableTimeRegulation(), TimeRegulationIsNotEnabled);
  ACCEPTS(p.event("2", 0.5));  // any time will do, in receive order
  p.receiver.rti().timeAdvanceRequest(Time(101));
  QVERIFY(p.receiver.expect("granted 101"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=2 @0.5 RO", "granted 101"}));
  ACCEPTS(p.sender.rti().enableTimeRegulation(Interval(1)));
}

// --- constraint ----------------------------------------------------------------------------------

void tst_time_management::enableTimeConstrained() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  rti.timeAdvanceRequest(Time(3));
  REFUSES(rti.enableTimeConstrained(), InTimeAdvancingState);
  QVERIFY(a.expect("granted 3"));
  rti.enableTimeConstrained();
  REFUSES(rti.enableTimeConstrained(), RequestForTimeConstrainedPending);
  ACCEPTS(rti.enableTimeRegulation(Interval(1)));  // both may be pending
  QVERIFY(a.expect("constrained 3"));
  QVERIFY(a.expect("regulating 3"));
  REFUSES(rti.enableTimeConstrained(), TimeConstrainedAlreadyEnabled);
  // From then on it advances no further than others let it.
  b.regulate(1);
  const double from = b.logicalTime();
  rti.timeAdvanceRequest(Time(from + 5));
  a.pump();
  QCOMPARE(a.count("granted"), 1);
  b.advance(from + 5);
  QVERIFY(a.expect("granted", 2));
}

void tst_time_management::timeConstrainedEnabled() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.rti().enableTimeConstrained();
  QVERIFY(b.expect("constrained 0"));
  b.rti().disableTimeConstrained();
  // Who is ahead of what others may still send becomes constrained once they have caught up.
  a.regulate(1);
  b.advance(5);
  b.clearLog();
  b.rti().enableTimeConstrained();
  b.pump();
  QCOMPARE(b.log(), QStringList());
  REFUSES(b.rti().timeAdvanceRequest(Time(6)), RequestForTimeConstrainedPending);
  a.advance(5);
  QVERIFY(b.expect("constrained 5"));
  QCOMPARE(b.log(), QStringList("constrained 5"));
}

void tst_time_management::disableTimeConstrained() {
  Pair p(federation_, 1);
  REFUSES(p.sender.rti().disableTimeConstrained(), TimeConstrainedIsNotEnabled);
  p.event("1", 5);
  p.event("2", 3);
  p.sender.send("Message", {{"text", "now"}});
  QCOMPARE(p.receiver.take(), QStringList());
  p.receiver.rti().disableTimeConstrained();
  // What was held back comes in receive order.
  QVERIFY(p.receiver.expect("receive", 3));
  QStringList got = p.receiver.take();
  got.sort();
  QCOMPARE(got, QStringList({"receive Event number=1 @5 RO", "receive Event number=2 @3 RO",
                             "receive Message text=now"}));
  p.receiver.rti().timeAdvanceRequest(Time(50));
  QVERIFY(p.receiver.expect("granted 50"));
  REFUSES(p.receiver.rti().disableTimeConstrained(), TimeConstrainedIsNotEnabled);
}

// --- advances ------------------------------------------------------------------------------------

void tst_time_management::timeAdvanceRequest() {
  requestIsRefused(&RTIambassador::timeAdvanceRequest);
  Pair p(uniqueName("time"), 1);
  p.event("1", 3);
  p.event("2", 3.5);
  p.event("3", 4);
  // Granted only when nothing of that time can come any more.
  p.receiver.rti().timeAdvanceRequest(Time(3.5));
  QCOMPARE(p.receiver.take(), QStringList());
  p.sender.advance(2.5);
  QCOMPARE(p.receiver.take(), QStringList());  // 3.5 may still be sent
  p.sender.advance(2.6);
  QVERIFY(p.receiver.expect("granted 3.5"));
  // All messages up to that time come first.
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @3 TSO",
                                           "receive Event number=2 @3.5 TSO", "granted 3.5"}));
  // With lookahead zero, who was granted by this service sends later messages only.
  Pair z(uniqueName("time"), 0);
  z.sender.advance(2);
  REFUSES(z.event("1", 2), InvalidLogicalTime);
  ACCEPTS(z.event("2", 2.25));
  z.receiver.advance(2);
  QCOMPARE(z.receiver.take(), QStringList("granted 2"));
}

void tst_time_management::timeAdvanceRequestAvailable() {
  requestIsRefused(&RTIambassador::timeAdvanceRequestAvailable);
  Pair p(uniqueName("time"), 1);
  p.event("1", 2);
  // Granted up to GALT itself: more messages of that time may follow.
  p.receiver.rti().timeAdvanceRequestAvailable(Time(2));
  QCOMPARE(p.receiver.take(), QStringList());
  p.sender.advance(1);
  QVERIFY(p.receiver.expect("granted 2"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @2 TSO", "granted 2"}));
  p.event("2", 2);
  QCOMPARE(p.receiver.take(), QStringList());
  p.receiver.rti().timeAdvanceRequestAvailable(Time(2));
  QVERIFY(p.receiver.expect("granted 2", 2));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=2 @2 TSO", "granted 2"}));
  // With lookahead zero, who was granted by this service may send at the granted time.
  Pair z(uniqueName("time"), 0);
  z.sender.rti().timeAdvanceRequestAvailable(Time(2));
  QVERIFY(z.sender.expect("granted 2"));
  ACCEPTS(z.event("1", 2));
  z.receiver.rti().timeAdvanceRequestAvailable(Time(2));
  QVERIFY(z.receiver.expect("granted 2"));
  QCOMPARE(z.receiver.take(), QStringList({"receive Event number=1 @2 TSO", "granted 2"}));
}

void tst_time_management::nextMessageRequest() {
  requestIsRefused(&RTIambassador::nextMessageRequest);
  Pair p(uniqueName("time"), 1);
  p.event("1", 4);
  p.event("2", 4);
  p.event("3", 6);
  p.receiver.rti().nextMessageRequest(Time(20));
  QCOMPARE(p.receiver.take(), QStringList());  // an earlier one may come
  p.sender.advance(3);
  QCOMPARE(p.receiver.take(), QStringList());  // another of 4 may come
  p.sender.advance(4);
  // Granted at the time of the next message, with all of that time.
  QVERIFY(p.receiver.expect("granted 4"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @4 TSO",
                                           "receive Event number=2 @4 TSO", "granted 4"}));
  // Without a message up to there, at the requested time.
  p.sender.advance(10);
  p.receiver.rti().nextMessageRequest(Time(5));
  QVERIFY(p.receiver.expect("granted 5"));
  QCOMPARE(p.receiver.take(), QStringList("granted 5"));
  p.receiver.rti().nextMessageRequest(Time(20));
  QVERIFY(p.receiver.expect("granted 6"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=3 @6 TSO", "granted 6"}));
  // With lookahead zero, later messages only.
  Pair z(uniqueName("time"), 0);
  z.sender.rti().nextMessageRequest(Time(2));
  QVERIFY(z.sender.expect("granted 2"));
  REFUSES(z.event("1", 2), InvalidLogicalTime);
}

void tst_time_management::nextMessageRequestAvailable() {
  requestIsRefused(&RTIambassador::nextMessageRequestAvailable);
  Pair p(uniqueName("time"), 1);
  p.event("1", 4);
  p.event("2", 6);
  p.receiver.rti().nextMessageRequestAvailable(Time(20));
  QCOMPARE(p.receiver.take(), QStringList());
  p.sender.advance(3);
  // Granted although another of 4 may come.
  QVERIFY(p.receiver.expect("granted 4"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @4 TSO", "granted 4"}));
  p.event("3", 4);
  p.receiver.rti().nextMessageRequestAvailable(Time(20));
  QVERIFY(p.receiver.expect("granted 4", 2));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=3 @4 TSO", "granted 4"}));
  // Without a message, at the requested time, up to GALT itself.
  p.receiver.rti().nextMessageRequestAvailable(Time(5));
  QCOMPARE(p.receiver.take(), QStringList());
  p.sender.advance(4);
  QVERIFY(p.receiver.expect("granted 5"));
  // With lookahead zero, a message at the granted time may be sent.
  Pair z(uniqueName("time"), 0);
  z.sender.rti().nextMessageRequestAvailable(Time(2));
  QVERIFY(z.sender.expect("granted 2"));
  ACCEPTS(z.event("1", 2));
}

void tst_time_management::flushQueueRequest() {
  requestIsRefused(&RTIambassador::flushQueueRequest);
  Pair p(uniqueName("time"), 1);
  p.event("1", 4);
  p.event("2", 9);
  p.event("3", 7);
  p.sender.send("Message", {{"text", "now"}});
  // Everything that waits comes now, in the order of its times, although earlier messages may still
  // follow; logical time goes as far as GALT.
  p.receiver.rti().flushQueueRequest(Time(20));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(
      p.receiver.take(),
      QStringList({"receive Message text=now", "receive Event number=1 @4 TSO",
                   "receive Event number=3 @7 TSO", "receive Event number=2 @9 TSO", "granted 1"}));
  QCOMPARE(p.receiver.logicalTime(), 1.0);
  p.event("4", 2);
  p.sender.advance(10);
  // No further than the earliest message that it delivers ...
  p.receiver.rti().flushQueueRequest(Time(20));
  QVERIFY(p.receiver.expect("granted 2"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=4 @2 TSO", "granted 2"}));
  // ... nor than what was asked for.
  p.receiver.rti().flushQueueRequest(Time(5));
  QVERIFY(p.receiver.expect("granted 5"));
  // The "next message" services find what is left: nothing.
  p.receiver.rti().nextMessageRequest(Time(8));
  QVERIFY(p.receiver.expect("granted 8"));
  QCOMPARE(p.receiver.take(), QStringList({"granted 5", "granted 8"}));
  // Nobody holds the one who is not constrained, and who may be granted less than it asked for
  // holds the others where it is.
  p.sender.rti().flushQueueRequest(Time(30));
  p.receiver.rti().timeAdvanceRequest(Time(25));
  QCOMPARE(p.receiver.take(), QStringList());
  QVERIFY(p.sender.expect("granted 30"));
  QVERIFY(p.receiver.expect("granted 25"));
}

void tst_time_management::timeAdvanceGrant() {
  Pair p(federation_, 1);
  // The time is the requested one, of the federation's type, and then the federate's.
  p.sender.rti().timeAdvanceRequest(Time(2.5));
  QCOMPARE(p.sender.logicalTime(), 0.0);
  QVERIFY(p.sender.expect("granted 2.5"));
  QCOMPARE(p.sender.logicalTime(), 2.5);
  // Messages in receive order that were held come before those in timestamp order, and these before
  // the grant; nothing comes after it.
  p.event("1", 3.5);
  p.sender.send("Message", {{"text", "first"}});
  p.sender.advance(5);
  QCOMPARE(p.receiver.take(), QStringList());
  p.receiver.rti().timeAdvanceRequest(Time(5));
  QVERIFY(p.receiver.expect("granted 5"));
  p.sender.send("Message", {{"text", "later"}});
  QCOMPARE(p.receiver.take(), QStringList({"receive Message text=first",
                                           "receive Event number=1 @3.5 TSO", "granted 5"}));
  // The next request may be made in the callback.
  double reached = 0;
  p.sender.onGrant = [&](double time) {
    reached = time;
    if (time < 8) p.sender.rti().timeAdvanceRequest(Time(time + 1));
  };
  p.sender.rti().timeAdvanceRequest(Time(6));
  AWAIT(p.sender, reached == 8);
}

// --- delivery ------------------------------------------------------------------------------------

void tst_time_management::enableAsynchronousDelivery() {
  Pair p(federation_, 1);
  p.sender.send("Message", {{"text", "1"}});
  p.event("2", 2);
  QCOMPARE(p.receiver.take(), QStringList());
  p.receiver.rti().enableAsynchronousDelivery();
  REFUSES(p.receiver.rti().enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  QVERIFY(p.receiver.expect("receive Message text=1"));
  p.sender.send("Message", {{"text", "3"}});
  // Receive order at once; timestamp order waits for its time all the same.
  QCOMPARE(p.receiver.take(), QStringList({"receive Message text=1", "receive Message text=3"}));
  ACCEPTS(p.sender.rti().enableAsynchronousDelivery());  // also who is not constrained
}

void tst_time_management::disableAsynchronousDelivery() {
  Pair p(federation_, 1);
  REFUSES(p.receiver.rti().disableAsynchronousDelivery(), AsynchronousDeliveryAlreadyDisabled);
  p.receiver.rti().enableAsynchronousDelivery();
  p.sender.send("Message", {{"text", "1"}});
  QCOMPARE(p.receiver.take(), QStringList("receive Message text=1"));
  p.receiver.rti().disableAsynchronousDelivery();
  p.sender.send("Message", {{"text", "2"}});
  QCOMPARE(p.receiver.take(), QStringList());
  // While it advances, messages in receive order come.
  p.receiver.rti().timeAdvanceRequest(Time(5));
  p.sender.send("Message", {{"text", "3"}});
  QCOMPARE(p.receiver.take(), QStringList({"receive Message text=2", "receive Message text=3"}));
  p.sender.advance(5);
  QVERIFY(p.receiver.expect("granted 5"));
  p.sender.send("Message", {{"text", "4"}});
  QCOMPARE(p.receiver.take(), QStringList("granted 5"));
  REFUSES(p.receiver.rti().disableAsynchronousDelivery(), AsynchronousDeliveryAlreadyDisabled);
}

// --- queries -------------------------------------------------------------------------------------

void tst_time_management::queryGALT() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  Time untouched(77);
  QVERIFY(!c.rti().queryGALT(untouched));  // nobody regulates
  QCOMPARE(untouched.getTime(), 77.0);
  c.regulate(1);
  QCOMPARE(c.galt(), QString("none"));  // oneself does not count
  a.regulate(2);
  b.regulate(5);
  QCOMPARE(c.galt(), QString("2"));
  a.advance(4);
  QCOMPARE(c.galt(), QString("5"));
  b.rti().timeAdvanceRequest(Time(3));  // granted or not: nothing before 8 comes from b
  QCOMPARE(c.galt(), QString("6"));
  a.rti().disableTimeRegulation();
  QCOMPARE(c.galt(), QString("8"));
  b.leave();
  QCOMPARE(c.galt(), QString("none"));
}

void tst_time_management::queryLogicalTime() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(a.logicalTime(), 0.0);
  a.rti().timeAdvanceRequest(Time(1.25));
  QCOMPARE(a.logicalTime(), 0.0);  // until the grant
  QVERIFY(a.expect("granted"));
  QCOMPARE(a.logicalTime(), 1.25);
  HLAinteger64Time wrong(3);
  REFUSES(a.rti().queryLogicalTime(wrong), RTIinternalError);
  QCOMPARE(wrong.getTime(), 3);
  a.rti().resignFederationExecution(NO_ACTION);
  a.join(federation_);
  QCOMPARE(a.logicalTime(), 0.0);
}

void tst_time_management::queryLITS() {
  Pair p(federation_, 2);
  QCOMPARE(p.sender.lits(), QString("none"));
  QCOMPARE(p.receiver.lits(), QString("2"));
  p.sender.advance(10);
  QCOMPARE(p.receiver.lits(), QString("12"));
  p.event("1", 14);
  QCOMPARE(p.receiver.lits(), QString("12"));
  p.sender.advance(20);
  QCOMPARE(p.receiver.lits(), QString("14"));  // in the queue
  QCOMPARE(p.receiver.galt(), QString("22"));
  p.sender.rti().disableTimeRegulation();
  QCOMPARE(p.receiver.lits(), QString("14"));  // also without GALT
  QCOMPARE(p.receiver.galt(), QString("none"));
  p.receiver.advance(15);
  QCOMPARE(p.receiver.lits(), QString("none"));
}

void tst_time_management::queryLookahead() {
  Member a("a");
  a.enter(federation_);
  Interval lookahead;
  REFUSES(a.rti().queryLookahead(lookahead), TimeRegulationIsNotEnabled);
  a.regulate(0.75);
  a.rti().queryLookahead(lookahead);
  QCOMPARE(lookahead.getInterval(), 0.75);
  HLAinteger64Interval wrong(3);
  REFUSES(a.rti().queryLookahead(wrong), RTIinternalError);
  a.rti().disableTimeRegulation();
  REFUSES(a.rti().queryLookahead(lookahead), TimeRegulationIsNotEnabled);
}

void tst_time_management::modifyLookahead() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Event");
  REFUSES(a.rti().modifyLookahead(Interval(1)), TimeRegulationIsNotEnabled);
  a.regulate(2);
  b.constrain();
  REFUSES(a.rti().modifyLookahead(HLAinteger64Interval(1)), InvalidLookahead);
  REFUSES(a.rti().modifyLookahead(Interval(-1)), InvalidLookahead);
  a.rti().timeAdvanceRequest(Time(1));
  REFUSES(a.rti().modifyLookahead(Interval(1)), InTimeAdvancingState);
  QVERIFY(a.expect("granted 1"));
  const auto actual = [&] {
    Interval lookahead;
    a.rti().queryLookahead(lookahead);
    return lookahead.getInterval();
  };
  // A longer one counts at once.
  a.rti().modifyLookahead(Interval(6));
  QCOMPARE(actual(), 6.0);
  QCOMPARE(b.galt(), QString("7"));
  REFUSES(a.send("Event", {}, 6.5), InvalidLogicalTime);
  // A shorter one as logical time comes closer to what was promised.
  a.rti().modifyLookahead(Interval(0.5));
  QCOMPARE(actual(), 6.0);
  REFUSES(a.send("Event", {}, 6.5), InvalidLogicalTime);
  a.advance(4);
  QCOMPARE(actual(), 3.0);
  QCOMPARE(b.galt(), QString("7"));
  REFUSES(a.send("Event", {}, 6.5), InvalidLogicalTime);
  ACCEPTS(a.send("Event", {}, 7));
  a.advance(6.75);
  QCOMPARE(actual(), 0.5);
  QCOMPARE(b.galt(), QString("7.25"));
  // To zero, where the promise still allows what it named.
  a.rti().modifyLookahead(Interval(0));
  QCOMPARE(actual(), 0.5);
  ACCEPTS(a.send("Event", {}, 7.25));
  a.advance(7.25);
  QCOMPARE(actual(), 0.0);
  REFUSES(a.send("Event", {}, 7.25), InvalidLogicalTime);
  ACCEPTS(a.send("Event", {}, 7.5));
  // Regulation that begins anew has promised nothing.
  a.rti().modifyLookahead(Interval(9));
  a.rti().disableTimeRegulation();
  a.regulate(1);
  QCOMPARE(actual(), 1.0);
}

// --- retraction ----------------------------------------------------------------------------------

void tst_time_management::retract() {
  Pair p(federation_, 1);
  RTIambassador& rti = p.sender.rti();
  REFUSES(rti.retract(MessageRetractionHandle()), InvalidMessageRetractionHandle);
  p.sender.publish("Vehicle", {"position", "track"});
  p.receiver.subscribe("Vehicle", {"position", "track"});
  const auto car = p.sender.registerNamed("Vehicle", "car");
  QCOMPARE(p.receiver.take().last(), QString("discover car as Vehicle"));
  const auto first = p.sender.send("Event", {{"number", "1"}}, 5);
  const auto second = p.sender.send("Event", {{"number", "2"}}, 5);
  // Of one update, the part in timestamp order.
  const auto third = p.sender.update(car, "Vehicle", {{"position", "1"}, {"track", "2"}}, 4);
  const auto unordered = p.sender.send("Message", {{"text", "now"}}, 5);
  QVERIFY(first.isValid() && second.isValid() && third.isValid());
  QVERIFY(!unordered.isValid());
  REFUSES(rti.retract(unordered), InvalidMessageRetractionHandle);
  p.receiver.regulate(0);
  REFUSES(p.receiver.rti().retract(first), InvalidMessageRetractionHandle);  // another's
  p.receiver.rti().disableTimeRegulation();
  p.receiver.take();
  // What was not delivered is never delivered, and nobody is told.
  ACCEPTS(rti.retract(first));
  ACCEPTS(rti.retract(third));
  REFUSES(rti.retract(first), MessageCanNoLongerBeRetracted);
  p.sender.advance(10);
  p.receiver.rti().nextMessageRequest(Time(6));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(p.receiver.take(),
           QStringList({"reflect car position=1 @4 RO", "receive Message text=now @5 RO",
                        "receive Event number=2 @5 TSO", "granted 5"}));
  // Only while its timestamp is later than logical time and lookahead, or than what was asked for.
  const auto fourth = p.sender.send("Event", {{"number", "4"}}, 12);
  const auto fifth = p.sender.send("Event", {{"number", "5"}}, 14);
  p.sender.advance(11);
  REFUSES(rti.retract(fourth), MessageCanNoLongerBeRetracted);
  rti.timeAdvanceRequest(Time(13));
  REFUSES(rti.retract(fifth), MessageCanNoLongerBeRetracted);
  QVERIFY(p.sender.expect("granted 13"));
  const auto sixth = p.sender.send("Event", {{"number", "6"}}, 20);
  rti.disableTimeRegulation();
  REFUSES(rti.retract(sixth), TimeRegulationIsNotEnabled);
}

void tst_time_management::retractADeletion() {
  Pair p(federation_, 1);
  RTIambassador& rti = p.sender.rti();
  p.sender.publish("Vehicle", {"position"});
  p.receiver.subscribe("Vehicle", {"position"});
  const auto car = p.sender.registerNamed("Vehicle", "car");
  ACCEPTS(rti.changeAttributeOrderType(
      car, p.sender.attributes("Vehicle", {"HLAprivilegeToDeleteObject"}), TIMESTAMP));
  p.receiver.take();
  auto deletion = rti.deleteObjectInstance(car, {}, Time(5));
  QVERIFY(deletion.isValid());
  REFUSES(p.sender.update(car, "Vehicle", {{"position", "1"}}), ObjectInstanceNotKnown);
  // Its name stays taken as long as it can come back.
  REFUSES(rti.registerObjectInstance(p.sender.objectClass("Vehicle"), L"car"),
          ObjectInstanceNameInUse);
  // Before it was removed: it never was away.
  ACCEPTS(rti.retract(deletion));
  ACCEPTS(p.sender.update(car, "Vehicle", {{"position", "1"}}));
  p.receiver.rti().enableAsynchronousDelivery();
  QVERIFY(p.receiver.expect("reflect car position=1"));
  QCOMPARE(p.receiver.take(), QStringList("reflect car position=1"));
  // After that: the federate that removed it is told, and discovers it again.
  deletion = rti.deleteObjectInstance(car, {}, Time(5));
  p.receiver.rti().flushQueueRequest(Time(1));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(p.receiver.take(), QStringList({"remove car @5 TSO", "granted 1"}));
  ACCEPTS(rti.retract(deletion));
  ACCEPTS(p.sender.update(car, "Vehicle", {{"position", "2"}}));
  QVERIFY(p.receiver.expect("reflect car position=2"));
  QCOMPARE(p.receiver.take(), QStringList({"retraction " + narrow(deletion.toString()),
                                           "discover car as Vehicle", "reflect car position=2"}));
  // When it can no longer come back, its name is free.
  rti.deleteObjectInstance(car, {}, Time(5));
  p.sender.advance(10);
  rti.reserveObjectInstanceName(L"car");
  QVERIFY(p.sender.expect("reserved car", 2));
  ACCEPTS(p.receiver.rti().reserveObjectInstanceName(L"car"));
  QVERIFY(p.receiver.expect("taken car"));
}

void tst_time_management::requestRetraction() {
  Pair p(federation_, 1);
  Member free("free");
  free.enter(federation_);
  free.subscribeInteraction("Event");
  const auto early = p.sender.send("Event", {{"number", "1"}}, 5);
  QVERIFY(free.expect("receive Event number=1 @5 RO"));
  // Who got it in receive order is told; who still waits for its time just never gets it.
  p.sender.rti().retract(early);
  QVERIFY(free.expect("retraction " + narrow(early.toString())));
  p.receiver.rti().flushQueueRequest(Time(2));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(p.receiver.take(), QStringList("granted 1"));
  // Who got it by a flush is told as well.
  const auto late = p.sender.send("Event", {{"number", "2"}}, 5);
  p.receiver.rti().flushQueueRequest(Time(2));
  QVERIFY(p.receiver.expect("granted 1", 2));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=2 @5 TSO", "granted 1"}));
  p.sender.rti().retract(late);
  QVERIFY(p.receiver.expect("retraction"));
  QCOMPARE(p.receiver.take(), QStringList("retraction " + narrow(late.toString())));
  // Who did not want it is not.
  Member idle("idle");
  idle.enter(federation_);
  idle.subscribeInteraction("Event");
  const auto unwanted = p.sender.send("Event", {{"number", "3"}}, 5);
  idle.rti().unsubscribeInteractionClass(idle.interactionClass("Event"));
  p.sender.rti().retract(unwanted);
  QCOMPARE(idle.take(), QStringList());
}

// --- order ---------------------------------------------------------------------------------------

void tst_time_management::changeAttributeOrderType() {
  Pair p(federation_, 1);
  RTIambassador& rti = p.sender.rti();
  p.sender.publish("Vehicle", {"position", "track"});
  p.receiver.subscribe("Vehicle", {"position", "track"});
  const auto position = p.sender.attributes("Vehicle", {"position"});
  const auto track = p.sender.attributes("Vehicle", {"track"});
  const auto car = p.sender.registerNamed("Vehicle", "car");
  const auto van = p.sender.registerNamed("Vehicle", "van");
  p.receiver.take();
  REFUSES(rti.changeAttributeOrderType(ObjectInstanceHandle(), position, TIMESTAMP),
          ObjectInstanceNotKnown);
  REFUSES(
      rti.changeAttributeOrderType(car, p.sender.attributes("Vehicle.Truck", {"load"}), TIMESTAMP),
      AttributeNotDefined);
  REFUSES(rti.changeAttributeOrderType(car, p.sender.attributes("Vehicle", {"fuel"}), TIMESTAMP),
          AttributeNotOwned);
  REFUSES(p.receiver.rti().changeAttributeOrderType(car, position, TIMESTAMP), AttributeNotOwned);
  ACCEPTS(rti.changeAttributeOrderType(car, position, TIMESTAMP));
  ACCEPTS(rti.changeAttributeOrderType(car, track, RECEIVE));
  ACCEPTS(rti.changeAttributeOrderType(car, {}, RECEIVE));
  // Of this instance only; without a time it is in receive order all the same.
  p.sender.update(car, "Vehicle", {{"position", "1"}, {"track", "2"}}, 3);
  p.sender.update(van, "Vehicle", {{"position", "3"}, {"track", "4"}}, 3);
  p.sender.update(car, "Vehicle", {{"position", "5"}});
  p.sender.advance(10);
  p.receiver.rti().timeAdvanceRequest(Time(4));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(p.receiver.take(),
           QStringList({"reflect car track=2 @3 RO", "reflect van position=3 @3 RO",
                        "reflect car position=5", "reflect car position=1 @3 TSO",
                        "reflect van track=4 @3 TSO", "granted 4"}));
}

void tst_time_management::changeInteractionOrderType() {
  Pair p(federation_, 1);
  RTIambassador& rti = p.sender.rti();
  const auto event = p.sender.interactionClass("Event");
  const auto message = p.sender.interactionClass("Message");
  REFUSES(rti.changeInteractionOrderType(InteractionClassHandle(), RECEIVE),
          InteractionClassNotDefined);
  REFUSES(p.receiver.rti().changeInteractionOrderType(event, RECEIVE),
          InteractionClassNotPublished);
  ACCEPTS(rti.changeInteractionOrderType(event, RECEIVE));
  ACCEPTS(rti.changeInteractionOrderType(message, TIMESTAMP));
  QVERIFY(!p.sender.send("Event", {{"number", "1"}}, 5).isValid());
  QVERIFY(p.sender.send("Message", {{"text", "2"}}, 5).isValid());
  p.sender.advance(10);
  p.receiver.rti().timeAdvanceRequest(Time(6));
  QVERIFY(p.receiver.expect("granted"));
  QCOMPARE(p.receiver.take(), QStringList({"receive Event number=1 @5 RO",
                                           "receive Message text=2 @5 TSO", "granted 6"}));
  // Who stops to publish the class and begins again sends it as the object model says.
  rti.unpublishInteractionClass(event);
  rti.publishInteractionClass(event);
  QVERIFY(p.sender.send("Event", {{"number", "3"}}, 20).isValid());
}

// --- further -------------------------------------------------------------------------------------

void tst_time_management::integerTimes() {
  Member a("a"), b("b");
  a.enterInteger(federation_);
  b.enterInteger(federation_);
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  const qint64 large = (Q_INT64_C(1) << 60) + 1;  // not a double
  a.rti().enableTimeRegulation(HLAinteger64Interval(1));
  QVERIFY(a.expect("regulating 0"));
  b.rti().enableTimeConstrained();
  QVERIFY(b.expect("constrained 0"));
  REFUSES(a.rti().timeAdvanceRequest(Time(1)), InvalidLogicalTime);
  REFUSES(a.rti().sendInteraction(a.interactionClass("Event"), {}, {}, Time(1)),
          InvalidLogicalTime);
  REFUSES(a.rti().sendInteraction(a.interactionClass("Event"), {}, {}, HLAinteger64Time(0)),
          InvalidLogicalTime);
  a.rti().sendInteraction(a.interactionClass("Event"), {}, {}, HLAinteger64Time(large));
  a.rti().timeAdvanceRequest(HLAinteger64Time(large));
  QVERIFY(a.expect("granted " + QString::number(large)));
  HLAinteger64Time time;
  QVERIFY(b.rti().queryGALT(time));
  QCOMPARE(time.getTime(), large + 1);
  QVERIFY(b.rti().queryLITS(time));
  QCOMPARE(time.getTime(), large);
  b.rti().nextMessageRequest(HLAinteger64Time(large + 5));
  QVERIFY(b.expect("granted " + QString::number(large)));
  QCOMPARE(b.take().mid(1), QStringList({QString("receive Event  @%1 TSO").arg(large),
                                         "granted " + QString::number(large)}));
  b.rti().queryLogicalTime(time);
  QCOMPARE(time.getTime(), large);
  HLAinteger64Interval lookahead;
  a.rti().queryLookahead(lookahead);
  QCOMPARE(lookahead.getInterval(), 1);
}

void tst_time_management::whatWaitsWhenConstrained() {
  // A message that has arrived but was not delivered when its receiver becomes constrained is
  // delivered in timestamp order, too.
  Pair pair(federation_, 1);
  Member& receiver = pair.receiver;
  receiver.rti().disableTimeConstrained();
  pair.event("2", 6);
  pair.event("1", 5);
  pair.sender.rti().registerFederationSynchronizationPoint(L"go", VariableLengthData());
  // Its announcement comes behind the messages, which are taken in with it.
  receiver.rti().getFederateName(receiver.handle());
  QCOMPARE(receiver.count("receive"), 0);
  receiver.constrain();
  receiver.rti().enableAsynchronousDelivery();
  QVERIFY(receiver.expect("announce go"));
  QCOMPARE(receiver.count("receive"), 0);
  QCOMPARE(receiver.lits(), QString("1"));  // the sender could still send one of 1
  pair.sender.rti().timeAdvanceRequest(HLAfloat64Time(10));
  receiver.rti().nextMessageRequest(HLAfloat64Time(20));
  QVERIFY(receiver.expect("granted 5"));
  QCOMPARE(receiver.linesWith("receive"), QStringList{"receive Event number=1 @5 TSO"});
  QCOMPARE(receiver.lits(), QString("6"));
  // No longer constrained, it gets them as they come.
  pair.event("3", 12);
  receiver.rti().nextMessageRequest(HLAfloat64Time(20));
  QVERIFY(receiver.expect("granted 6"));
  receiver.rti().disableTimeConstrained();
  receiver.rti().timeAdvanceRequest(HLAfloat64Time(15));
  QVERIFY(receiver.expect("granted 15"));
  QCOMPARE(receiver.linesWith("receive").last(), QString("receive Event number=3 @12 RO"));
}

void tst_time_management::aRegulatorThatLeavesHoldsNobody_data() {
  QTest::addColumn<bool>("dies");
  QTest::newRow("resigns") << false;
  QTest::newRow("dies") << true;
}

void tst_time_management::aRegulatorThatLeavesHoldsNobody() {
  QFETCH(bool, dies);
  Member b("b");
  b.enter(federation_);
  b.subscribeInteraction("Event");
  Mortal a("a", federation_);
  const auto event = a.rti().getInteractionClassHandle(L"Event");
  a.rti().publishInteractionClass(event);
  a.rti().enableTimeRegulation(Interval(1));
  HLAfloat64Interval lookahead;
  while (!refusal([&] { a.rti().queryLookahead(lookahead); }).isEmpty()) {
    a.rti().evokeCallback(0.01);
  }
  a.rti().sendInteraction(event, {}, {}, Time(3));
  b.constrain();
  b.take();
  b.rti().timeAdvanceRequest(Time(100));
  QCOMPARE(b.take(), QStringList());
  if (!dies) a.rti().resignFederationExecution(NO_ACTION);
  a.kill();
  QVERIFY(b.expect("granted 100"));
  QCOMPARE(b.take(), QStringList({"receive Event  @3 TSO", "granted 100"}));
}

void tst_time_management::removalsOfOneWhoLeftAreHeld_data() {
  QTest::addColumn<bool>("dies");
  QTest::newRow("resigns") << false;
  QTest::newRow("dies") << true;
}

// They are messages in receive order as any others.
void tst_time_management::removalsOfOneWhoLeftAreHeld() {
  QFETCH(bool, dies);
  Member b("b");
  b.enter(federation_);
  b.subscribe("Vehicle", {"position"});
  b.constrain();
  Mortal a("a", federation_);
  const auto vehicle = a.rti().getObjectClassHandle(L"Vehicle");
  a.rti().publishObjectClassAttributes(vehicle, {a.rti().getAttributeHandle(vehicle, L"position")});
  const auto car = a.rti().registerObjectInstance(vehicle);
  QVERIFY(b.expect("discover"));
  b.take();
  if (!dies) a.rti().resignFederationExecution(DELETE_OBJECTS_THEN_DIVEST);
  a.kill();
  QTRY_VERIFY(refusal([&] { b.rti().getFederateHandle(L"a"); }) == "NameNotFound");
  QCOMPARE(b.take(), QStringList());
  ACCEPTS(b.rti().getObjectInstanceName(car));  // known until its removal is delivered
  b.rti().timeAdvanceRequest(Time(1));
  QVERIFY(b.expect("granted"));
  const QStringList got = b.take();
  QCOMPARE(got.size(), 2);
  QVERIFY2(got[0].startsWith("remove"), qPrintable(got.join("; ")));
  REFUSES(b.rti().getObjectInstanceName(car), ObjectInstanceNotKnown);
}

CONFORMANCE_MAIN(tst_time_management)
#include "tst_time_management.moc"
