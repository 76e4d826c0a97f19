// SPDX-License-Identifier: GPL-3.0-or-later
// Declaration and object management between federates of one process, driven by turns.
#include <QtTest>

#include "recorder.h"

using namespace rti1516e;

class tst_exchange : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("exchange"); }
  void reflectsWhatWasUpdated();
  void interactionsReachSubscribersOfAnySuperclass();
  void knownClassIsTheClosestSubscribedOne();
  void subscribedAttributesOnly();
  void unsubscribedHearNothing();
  void lateSubscriberDiscoversWhatIsThere();
  void deletedInstancesAreRemoved();
  void deletedInstancesAreRemovedAtThoseWhoUnsubscribed();
  void resigningDeletesInstances();
  void namesAreReservedOnce();
  void namedInstances();
  void requestedUpdatesAreProvided();
  void updateFromInsideAReflect();
  void interactionDoesNotOvertakeUpdates();
  void synchronizationComesBeforeWhatFollowsIt_data();
  void synchronizationComesBeforeWhatFollowsIt();
  void largeValues();
  void manyMoreThanARingHolds();
  void whatWasSentBeforeResignArrives();
  void advisories();
  void exceptions();
};

void tst_exchange::reflectsWhatWasUpdated() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto car = a.registerInstance("Vehicle");
  const QString name = QString::fromStdWString(a.rti().getObjectInstanceName(car));
  a.update(car, "Vehicle", {{"position", "here"}, {"fuel", "full"}});
  QVERIFY(b.expect("reflect"));
  QCOMPARE(b.log(), QStringList({"discover " + name + " as Vehicle",
                                 "reflect " + name + " position=here,fuel=full"}));
  QCOMPARE(QString::fromStdWString(b.rti().getObjectInstanceName(car)), name);
  QVERIFY(b.rti().getObjectInstanceHandle(name.toStdWString()) == car);
}

void tst_exchange::interactionsReachSubscribersOfAnySuperclass() {
  Recorder a("a"), b("b"), c("c");
  for (Recorder* r : {&a, &b, &c}) r->enter(federation_);
  a.publishInteraction("Message.Order");
  b.subscribeInteraction("Message");
  c.subscribeInteraction("Message.Order");
  a.send("Message.Order", {{"text", "go"}, {"urgency", "now"}});
  QVERIFY(b.expect("receive"));
  QVERIFY(c.expect("receive"));
  QCOMPARE(b.log(), QStringList({"receive Message text=go"}));
  QCOMPARE(c.log(), QStringList({"receive Order text=go,urgency=now"}));
}

void tst_exchange::knownClassIsTheClosestSubscribedOne() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle.Truck", {"position", "load"});
  b.subscribe("Vehicle", {"position"});
  const auto truck = a.registerInstance("Vehicle.Truck");
  a.update(truck, "Vehicle.Truck", {{"position", "p"}, {"load", "l"}});
  QVERIFY(b.expect("reflect"));
  QVERIFY(b.log().first().endsWith(" as Vehicle"));
  QVERIFY(b.log().last().endsWith(" position=p"));
  QVERIFY(b.rti().getKnownObjectClassHandle(truck) == b.objectClass("Vehicle"));
}

void tst_exchange::subscribedAttributesOnly() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel", "hint"});
  b.subscribe("Vehicle", {"fuel"});
  const auto car = a.registerInstance("Vehicle");
  a.update(car, "Vehicle", {{"position", "1"}});
  a.update(car, "Vehicle", {{"position", "2"}, {"fuel", "x"}, {"hint", "h"}});
  QVERIFY(b.expect("reflect"));
  b.pump();
  QCOMPARE(b.count("reflect"), 1);
  QVERIFY(b.log().last().endsWith(" fuel=x"));
}

void tst_exchange::unsubscribedHearNothing() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  a.update(car, "Vehicle", {{"position", "1"}});
  QVERIFY(b.expect("reflect"));
  a.update(car, "Vehicle", {{"position", "2"}});  // on its way when the subscription ends
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  a.update(car, "Vehicle", {{"position", "3"}});
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  a.send("Message", {{"text", "end"}});
  QVERIFY(b.expect("receive Message"));
  QCOMPARE(b.count("reflect"), 1);
}

void tst_exchange::lateSubscriberDiscoversWhatIsThere() {
  Recorder a("a");
  a.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publish("Vehicle.Truck", {"position"});
  for (int i = 0; i < 500; ++i) a.registerInstance(i % 2 ? "Vehicle" : "Vehicle.Truck");
  Recorder b("b");
  b.enter(federation_);
  b.subscribe("Vehicle.Truck", {"position"});
  QVERIFY(b.expect("discover", 250));
  b.pump();
  QCOMPARE(b.count("discover"), 250);
  b.subscribe("Vehicle", {"position"});
  QVERIFY(b.expect("discover", 500));
  b.pump();
  QCOMPARE(b.count("discover"), 500);
}

void tst_exchange::deletedInstancesAreRemoved() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  a.rti().deleteObjectInstance(car, VariableLengthData("bye", 3));
  QVERIFY(b.expect("remove"));
  QVERIFY(b.log().last().endsWith(" #bye"));
  QVERIFY_EXCEPTION_THROWN(b.rti().getObjectInstanceName(car), ObjectInstanceNotKnown);
  QVERIFY_EXCEPTION_THROWN(a.update(car, "Vehicle", {{"position", "1"}}), ObjectInstanceNotKnown);
  Recorder late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position"});
  a.registerInstance("Vehicle");
  QVERIFY(late.expect("discover"));
  late.pump();
  QCOMPARE(late.count("discover"), 1);
}

void tst_exchange::deletedInstancesAreRemovedAtThoseWhoUnsubscribed() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  a.rti().deleteObjectInstance(car, VariableLengthData());
  QVERIFY(b.expect("remove"));
}

void tst_exchange::resigningDeletesInstances() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribe("Vehicle", {"position"});
  a.publish("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  a.update(car, "Vehicle", {{"position", "last"}});
  QVERIFY_EXCEPTION_THROWN(a.rti().resignFederationExecution(NO_ACTION), FederateOwnsAttributes);
  a.rti().resignFederationExecution(DELETE_OBJECTS);
  QVERIFY(b.expect("remove"));
  QCOMPARE(b.log().size(), 3);
  QVERIFY(b.log()[1].endsWith("position=last"));
}

void tst_exchange::namesAreReservedOnce() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(a.expect("reserved Ada"));
  b.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(b.expect("taken Ada"));
  b.rti().reserveMultipleObjectInstanceName({L"Ada", L"Bob"});
  QVERIFY(b.expect("taken"));
  b.rti().reserveMultipleObjectInstanceName({L"Bob", L"Eve"});
  QVERIFY(b.expect("reserved 2 names"));
  a.rti().releaseObjectInstanceName(L"Ada");
  b.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(b.expect("reserved Ada"));
  QVERIFY_EXCEPTION_THROWN(a.rti().reserveObjectInstanceName(L"HLAx"), IllegalName);
  QVERIFY_EXCEPTION_THROWN(a.rti().releaseObjectInstanceName(L"Eve"),
                           ObjectInstanceNameNotReserved);
}

void tst_exchange::namedInstances() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto vehicle = a.objectClass("Vehicle");
  QVERIFY_EXCEPTION_THROWN(a.rti().registerObjectInstance(vehicle, L"Ada"),
                           ObjectInstanceNameNotReserved);
  a.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(a.expect("reserved Ada"));
  a.rti().registerObjectInstance(vehicle, L"Ada");
  QVERIFY(b.expect("discover Ada as Vehicle"));
  QVERIFY_EXCEPTION_THROWN(a.rti().registerObjectInstance(vehicle, L"Ada"),
                           ObjectInstanceNameInUse);
}

void tst_exchange::requestedUpdatesAreProvided() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto car = a.registerInstance("Vehicle");
  a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover", 2));
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"fuel"}),
                                      VariableLengthData("why", 3));
  QVERIFY(a.expect("provide"));
  QVERIFY(a.log().last().endsWith(" fuel #why"));
  b.rti().requestAttributeValueUpdate(b.objectClass("Vehicle"),
                                      b.attributes("Vehicle", {"position"}), VariableLengthData());
  QVERIFY(a.expect("provide", 3));
}

void tst_exchange::updateFromInsideAReflect() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  b.publish("Vehicle.Truck", {"load"});
  a.subscribe("Vehicle.Truck", {"load"});
  const auto car = a.registerInstance("Vehicle");
  const auto truck = b.registerInstance("Vehicle.Truck");
  b.onReflect = [&](auto, const auto&) { b.update(truck, "Vehicle.Truck", {{"load", "echo"}}); };
  a.update(car, "Vehicle", {{"position", "1"}});
  QVERIFY(b.expect("reflect"));
  QVERIFY(a.expect("reflect"));
  QVERIFY(a.log().last().endsWith("load=echo"));
}

void tst_exchange::interactionDoesNotOvertakeUpdates() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  const auto car = a.registerInstance("Vehicle");
  b.quiet = true;
  constexpr int burst = 20000;
  long seenAtInteraction = -1;
  b.onReceive = [&](auto, const auto&) { seenAtInteraction = b.reflections; };
  for (int i = 0; i < burst; ++i) a.update(car, "Vehicle", {{"position", QByteArray(64, 'x')}});
  a.send("Message", {{"text", "end"}});
  QVERIFY(b.pumpUntil([&] { return b.interactions == 1; }));
  QCOMPARE(seenAtInteraction, long{burst});
}

void tst_exchange::synchronizationComesBeforeWhatFollowsIt_data() {
  QTest::addColumn<int>("bytes");
  QTest::newRow("in the ring") << 10;
  QTest::newRow("in a chunk") << 100000;
}

/// Programs wait for federationSynchronized, then for data: one that synchronized earlier may have
/// sent it before the other one looks.
void tst_exchange::synchronizationComesBeforeWhatFollowsIt() {
  QFETCH(int, bytes);
  Recorder a("a"), b("b"), c("c");
  for (Recorder* one : {&a, &b, &c}) one->enter(federation_);
  for (Recorder* one : {&a, &c}) one->publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.quiet = true;
  QStringList order;
  b.onReceive = [&](auto, const ParameterHandleValueMap& values) {
    const auto& value = values.begin()->second;
    order << QString("message %1").arg(*static_cast<const char*>(value.data()));
    order << b.linesWith("synchronized");
  };
  a.rti().registerFederationSynchronizationPoint(L"point", VariableLengthData());
  for (Recorder* one : {&a, &b, &c}) QVERIFY(one->expect("announce point"));
  b.rti().synchronizationPointAchieved(L"point");
  const auto say = [bytes](char mark) { return QByteArray(bytes, mark); };
  c.send("Message", {{"text", say('1')}});
  c.rti().synchronizationPointAchieved(L"point");
  a.rti().synchronizationPointAchieved(L"point");
  QVERIFY(a.expect("synchronized point"));
  a.send("Message", {{"text", say('2')}});
  a.send("Message", {{"text", say('3')}});
  QVERIFY(b.pumpUntil([&] { return b.interactions == 3; }));
  const QString synchronized = b.linesWith("synchronized").value(0);
  QVERIFY(!synchronized.isEmpty());
  QCOMPARE(order, QStringList({"message 1", "message 2", synchronized, "message 3", synchronized}));
}

void tst_exchange::largeValues() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  QList<QByteArray> got;
  b.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    const auto& v = values.begin()->second;
    got.append(QByteArray(static_cast<const char*>(v.data()), static_cast<int>(v.size())));
  };
  QList<QByteArray> sent;
  for (const int size : {0, 1, 1000, 1024, 5000, 100000, 3000000, 20000000, 7}) {
    QByteArray value(size, '\0');
    for (int i = 0; i < size; ++i) value[i] = static_cast<char>(i * 31 + size);
    sent.append(value);
    a.update(car, "Vehicle", {{"position", value}});
  }
  QVERIFY(b.pumpUntil([&] { return got.size() == sent.size(); }));
  for (int i = 0; i < sent.size(); ++i) QVERIFY(got[i] == sent[i]);
}

void tst_exchange::manyMoreThanARingHolds() {
  // One thread drives both: the sender must not wait for a receiver that only it could run.
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  long expected = 0;
  bool inOrder = true;
  b.quiet = true;
  b.onReflect = [&](auto, const AttributeHandleValueMap& values) {
    long n = -1;
    std::memcpy(&n, values.begin()->second.data(), sizeof n);
    inOrder = inOrder && n == expected;
    ++expected;
  };
  constexpr long count = 60000;
  for (long i = 0; i < count; ++i) {
    QByteArray value(i % 50 == 0 ? 2000 : 100, '\0');
    std::memcpy(value.data(), &i, sizeof i);
    a.update(car, "Vehicle", {{"position", value}});
  }
  QVERIFY(b.pumpUntil([&] { return expected == count; }));
  QVERIFY(inOrder);
}

void tst_exchange::whatWasSentBeforeResignArrives() {
  Recorder b("b");
  b.enter(federation_);
  b.subscribeInteraction("Message");
  {
    Recorder a("a");
    a.enter(federation_);
    a.publishInteraction("Message");
    for (int i = 0; i < 1000; ++i) a.send("Message", {{"text", QByteArray::number(i)}});
    a.leave();
  }
  QVERIFY(b.expect("receive", 1000));
  QCOMPARE(b.log().last(), QString("receive Message text=999"));
}

void tst_exchange::advisories() {
  Recorder a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  a.pump();
  QCOMPARE(a.log(), QStringList());
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  QVERIFY(a.expect("start Vehicle"));
  QVERIFY(a.expect("on Message"));
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  QVERIFY(a.expect("stop Vehicle"));
  b.leave();
  QVERIFY(a.expect("off Message"));
}

void tst_exchange::exceptions() {
  Recorder a("a"), b("b");
  a.connect();
  QVERIFY_EXCEPTION_THROWN(a.objectClass("Vehicle"), FederateNotExecutionMember);
  QVERIFY_EXCEPTION_THROWN(a.join("nowhere"), FederationExecutionDoesNotExist);
  QVERIFY_EXCEPTION_THROWN(a.create(federation_, {"/no/such/file.xml"}), CouldNotOpenFDD);
  QVERIFY_EXCEPTION_THROWN(a.create(federation_, {testFom()}, "MyTime"),
                           CouldNotCreateLogicalTimeFactory);
  a.create(federation_, {testFom()});
  QVERIFY_EXCEPTION_THROWN(a.create(federation_, {testFom()}), FederationExecutionAlreadyExists);
  a.join(federation_);
  QVERIFY_EXCEPTION_THROWN(a.join(federation_), FederateAlreadyExecutionMember);
  QVERIFY_EXCEPTION_THROWN(a.rti().disconnect(), FederateIsExecutionMember);
  QVERIFY_EXCEPTION_THROWN(a.rti().destroyFederationExecution(federation_.toStdWString()),
                           FederatesCurrentlyJoined);
  Recorder twin("a");
  twin.connect();
  QVERIFY_EXCEPTION_THROWN(twin.join(federation_), FederateNameAlreadyInUse);
  b.enter(federation_);
  QVERIFY_EXCEPTION_THROWN(a.objectClass("Boat"), NameNotFound);
  QVERIFY_EXCEPTION_THROWN(a.attribute("Vehicle", "load"), NameNotFound);
  QVERIFY_EXCEPTION_THROWN(a.registerInstance("Vehicle"), ObjectClassNotPublished);
  QVERIFY_EXCEPTION_THROWN(a.send("Message", {}), InteractionClassNotPublished);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  QVERIFY_EXCEPTION_THROWN(a.update(car, "Vehicle", {{"fuel", "1"}}), AttributeNotOwned);
  AttributeHandleValueMap load;
  load[a.attribute("Vehicle.Truck", "load")] = VariableLengthData("1", 1);
  QVERIFY_EXCEPTION_THROWN(a.rti().updateAttributeValues(car, load, VariableLengthData()),
                           AttributeNotDefined);
  QVERIFY(b.expect("discover"));
  QVERIFY_EXCEPTION_THROWN(b.update(car, "Vehicle", {{"position", "1"}}), AttributeNotOwned);
  QVERIFY_EXCEPTION_THROWN(b.rti().deleteObjectInstance(car, VariableLengthData()),
                           DeletePrivilegeNotHeld);
  bool refused = false;
  b.onReflect = [&](auto, const auto&) {
    try {
      b.rti().evokeCallback(0.0);
    } catch (const CallNotAllowedFromWithinCallback&) {
      refused = true;
    }
  };
  a.update(car, "Vehicle", {{"position", "1"}});
  QVERIFY(b.expect("reflect"));
  QVERIFY(refused);
}

QTEST_GUILESS_MAIN(tst_exchange)
#include "tst_exchange.moc"
