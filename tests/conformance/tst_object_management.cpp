// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 6: names, object instances, updates, interactions, requests. One test
// function for each service and callback, of its name.
#include "member.h"

using namespace rti1516e;

class tst_object_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// A time-regulating sender with lookahead 1, a constrained receiver and a free one.
  struct TimedTrio {
    explicit TimedTrio(const QString& federation, const QString& objectModel = {});
    Member sender{"sender"}, constrained{"constrained"}, free{"free"};
  };

 private slots:
  void init() { federation_ = uniqueName("objects"); }
  void reserveObjectInstanceName();
  void objectInstanceNameReservationSucceeded();
  void objectInstanceNameReservationFailed();
  void releaseObjectInstanceName();
  void reserveMultipleObjectInstanceName();
  void multipleObjectInstanceNameReservationSucceeded();
  void multipleObjectInstanceNameReservationFailed();
  void releaseMultipleObjectInstanceName();
  void registerObjectInstance();
  void discoverObjectInstance();
  void updateAttributeValues();
  void updatesByOrderAndTransportation();
  void reflectAttributeValues();
  void sendInteraction();
  void receiveInteraction();
  void deleteObjectInstance();
  void removeObjectInstance();
  void localDeleteObjectInstance();
  void requestAttributeValueUpdate();
  void provideAttributeValueUpdate();
  void requestAttributeTransportationTypeChange();
  void confirmAttributeTransportationTypeChange();
  void queryAttributeTransportationType();
  void reportAttributeTransportationType();
  void requestInteractionTransportationTypeChange();
  void confirmInteractionTransportationTypeChange();
  void queryInteractionTransportationType();
  void reportInteractionTransportationType();
  void autoProvide();
  void delayedSubscriptions_data();
  void delayedSubscriptions();
  void delayedSubscriptionsAndDeletion_data() { delayedSubscriptions_data(); }
  void delayedSubscriptionsAndDeletion();
  void delayedSubscriptionsAndTime_data() { delayedSubscriptions_data(); }
  void delayedSubscriptionsAndTime();
  void producersAreNotConveyed();
};

tst_object_management::TimedTrio::TimedTrio(const QString& federation, const QString& objectModel) {
  for (Member* m : {&sender, &constrained, &free}) {
    m->enter(federation, HLA_EVOKED, {}, objectModel);
  }
  sender.regulate(1);
  constrained.constrain();
  for (Member* m : {&constrained, &free}) {
    m->subscribe("Vehicle", {"position", "track"});
    m->subscribeInteraction("Message");
    m->subscribeInteraction("Event");
    m->details.clear();
    m->take();
  }
  sender.rti().disableObjectClassRelevanceAdvisorySwitch();
  sender.rti().disableInteractionRelevanceAdvisorySwitch();
  sender.publish("Vehicle", {"position", "track"});
  sender.publishInteraction("Message");
  sender.publishInteraction("Event");
}

// --- names ---------------------------------------------------------------------------------------

void tst_object_management::reserveObjectInstanceName() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().reserveObjectInstanceName(L"HLAanything"), IllegalName);
  REFUSES(a.rti().reserveObjectInstanceName(L""), IllegalName);
  a.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(a.expect("reserved Ada"));
  a.publish("Vehicle", {"position"});
  b.publish("Vehicle", {"position"});
  REFUSES(b.rti().registerObjectInstance(b.objectClass("Vehicle"), L"Ada"),
          ObjectInstanceNameNotReserved);
  ACCEPTS(a.rti().registerObjectInstance(a.objectClass("Vehicle"), L"Ada"));
  // Names need not be Latin.
  const QString name = QString::fromUtf8("Ωμέγα-車");
  b.registerNamed("Vehicle", name);
  a.subscribe("Vehicle", {"position"});
  QVERIFY(a.expect("discover " + name + " as Vehicle"));
}

void tst_object_management::objectInstanceNameReservationSucceeded() {
  Member a("a");
  a.enter(federation_);
  a.rti().reserveObjectInstanceName(L"Ada");
  a.rti().reserveObjectInstanceName(L"Bob");
  QVERIFY(a.expect("reserved", 2));
  QCOMPARE(a.take(), QStringList({"reserved Ada", "reserved Bob"}));
}

void tst_object_management::objectInstanceNameReservationFailed() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().reserveObjectInstanceName(L"Ada");
  b.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(b.expect("taken Ada"));
  a.rti().reserveObjectInstanceName(L"Ada");  // also one's own
  QVERIFY(a.expect("taken Ada"));
  QCOMPARE(a.take(), QStringList({"reserved Ada", "taken Ada"}));
  QCOMPARE(b.take(), QStringList("taken Ada"));
  // With its holder the reservation goes.
  a.leave();
  b.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(b.expect("reserved Ada"));
}

void tst_object_management::releaseObjectInstanceName() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().releaseObjectInstanceName(L"Ada"), ObjectInstanceNameNotReserved);
  a.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(a.expect("reserved Ada"));
  REFUSES(b.rti().releaseObjectInstanceName(L"Ada"), ObjectInstanceNameNotReserved);
  a.rti().releaseObjectInstanceName(L"Ada");
  REFUSES(a.rti().releaseObjectInstanceName(L"Ada"), ObjectInstanceNameNotReserved);
  b.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(b.expect("reserved Ada"));
  b.publish("Vehicle", {"position"});
  b.rti().registerObjectInstance(b.objectClass("Vehicle"), L"Ada");
  REFUSES(b.rti().releaseObjectInstanceName(L"Ada"), ObjectInstanceNameNotReserved);  // in use
}

void tst_object_management::reserveMultipleObjectInstanceName() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().reserveMultipleObjectInstanceName({}), NameSetWasEmpty);
  REFUSES(a.rti().reserveMultipleObjectInstanceName({L"Ada", L"HLAbob"}), IllegalName);
  b.rti().reserveObjectInstanceName(L"Ada");  // not taken by the refused call
  QVERIFY(b.expect("reserved Ada"));
  a.rti().reserveMultipleObjectInstanceName({L"Bob", L"Eve"});
  QVERIFY(a.expect("reserved 2 names"));
  a.publish("Vehicle", {"position"});
  for (const wchar_t* name : {L"Bob", L"Eve"}) {
    ACCEPTS(a.rti().registerObjectInstance(a.objectClass("Vehicle"), name));
  }
}

void tst_object_management::multipleObjectInstanceNameReservationSucceeded() {
  Member a("a");
  a.enter(federation_);
  a.rti().reserveMultipleObjectInstanceName({L"Ada", L"Bob", L"Eve"});
  QVERIFY(a.expect("reserved 3 names"));
  QCOMPARE(a.take(), QStringList("reserved 3 names"));
}

void tst_object_management::multipleObjectInstanceNameReservationFailed() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().reserveObjectInstanceName(L"Ada");
  b.rti().reserveMultipleObjectInstanceName({L"Ada", L"Bob"});
  QVERIFY(b.expect("taken 2 names"));
  a.rti().reserveObjectInstanceName(L"Bob");  // all or none: Bob is free
  QVERIFY(a.expect("reserved Bob"));
}

void tst_object_management::releaseMultipleObjectInstanceName() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().reserveMultipleObjectInstanceName({L"Ada", L"Bob", L"Eve"});
  QVERIFY(a.expect("reserved 3 names"));
  REFUSES(a.rti().releaseMultipleObjectInstanceName({L"Ada", L"Zoe"}),
          ObjectInstanceNameNotReserved);
  b.rti().reserveObjectInstanceName(L"Ada");  // the refused call released nothing
  QVERIFY(b.expect("taken Ada"));
  a.rti().releaseMultipleObjectInstanceName({L"Ada", L"Bob"});
  ACCEPTS(a.rti().releaseMultipleObjectInstanceName({}));  // the standard has no exception for it
  b.rti().reserveMultipleObjectInstanceName({L"Ada", L"Bob"});
  QVERIFY(b.expect("reserved 2 names"));
  b.rti().reserveObjectInstanceName(L"Eve");
  QVERIFY(b.expect("taken Eve"));
}

// --- instances -----------------------------------------------------------------------------------

void tst_object_management::registerObjectInstance() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto vehicle = a.objectClass("Vehicle");
  REFUSES(a.rti().registerObjectInstance(ObjectClassHandle()), ObjectClassNotDefined);
  REFUSES(a.rti().registerObjectInstance(vehicle), ObjectClassNotPublished);
  REFUSES(a.rti().registerObjectInstance(ObjectClassHandle(), L"Ada"), ObjectClassNotDefined);
  REFUSES(a.rti().registerObjectInstance(vehicle, L"Ada"), ObjectClassNotPublished);
  a.publish("Vehicle", {"position"});
  b.publish("Vehicle", {"position"});
  const auto first = a.rti().registerObjectInstance(vehicle);
  const auto second = a.rti().registerObjectInstance(vehicle);
  const auto others = b.rti().registerObjectInstance(vehicle);
  QCOMPARE((std::set{first, second, others}).size(), size_t{3});
  // Names that the RTI makes are different from each other and from all that can be reserved.
  QVERIFY(a.nameOfInstance(first) != a.nameOfInstance(second));
  QVERIFY(a.nameOfInstance(first) != b.nameOfInstance(others));
  for (const auto& instance : {first, second}) {
    QVERIFY(a.nameOfInstance(instance).startsWith("HLA"));
  }
  QVERIFY(a.rti().getKnownObjectClassHandle(first) == vehicle);

  REFUSES(a.rti().registerObjectInstance(vehicle, L"Ada"), ObjectInstanceNameNotReserved);
  a.rti().reserveObjectInstanceName(L"Ada");
  QVERIFY(a.expect("reserved Ada"));
  const auto ada = a.rti().registerObjectInstance(vehicle, L"Ada");
  QCOMPARE(a.nameOfInstance(ada), QString("Ada"));
  REFUSES(a.rti().registerObjectInstance(vehicle, L"Ada"), ObjectInstanceNameInUse);
  b.subscribe("Vehicle", {"position"});
  QVERIFY(b.expect("discover Ada as Vehicle"));
  QCOMPARE(b.count("discover"), 3);  // not its own
}

void tst_object_management::discoverObjectInstance() {
  Member a("a"), b("b"), late("late");
  const QString silent = objectModelWith({{"conveyProducingFederate", false}});
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publish("Vehicle.Truck", {"position", "load"});
  b.subscribe("Vehicle", {"position"});
  b.subscribe("Vehicle.Truck", {"load"});
  const auto car = a.registerNamed("Vehicle", "car");
  const auto truck = a.registerNamed("Vehicle.Truck", "truck");
  QVERIFY(b.expect("discover", 2));
  QCOMPARE(b.log(), QStringList({"discover car as Vehicle", "discover truck as Truck"}));
  QCOMPARE(b.details, QStringList({"from a", "from a"}));
  QVERIFY(b.rti().getObjectInstanceHandle(L"truck") == truck);
  QVERIFY(b.rti().getKnownObjectClassHandle(truck) == b.objectClass("Vehicle.Truck"));
  // Who comes late discovers what is there, as what it subscribes, and not what is gone.
  a.rti().deleteObjectInstance(car, {});
  late.enter(federation_);
  late.subscribe("Vehicle", {"position"});
  QVERIFY(late.expect("discover"));
  QCOMPARE(late.take(), QStringList("discover truck as Vehicle"));
  QVERIFY(late.rti().getKnownObjectClassHandle(truck) == late.objectClass("Vehicle"));
  // An instance without an owner of what b subscribes at its class: an update of something else,
  // which b subscribes at the class above, does not make b know it.
  a.rti().unpublishObjectClassAttributes(a.objectClass("Vehicle.Truck"),
                                         a.attributes("Vehicle.Truck", {"load"}));
  const auto empty = a.registerNamed("Vehicle.Truck", "empty");
  b.clearLog();
  b.take();
  a.update(empty, "Vehicle.Truck", {{"position", "1"}});
  QVERIFY(late.expect("reflect empty position=1"));
  QCOMPARE(b.take(), QStringList());

  // Where the object model does not convey producers, the form without one is used.
  const QString quiet = uniqueName("objects");
  Member c("c"), d("d");
  c.enter(quiet, HLA_EVOKED, {}, silent);
  d.enter(quiet);
  c.publish("Vehicle", {"position"});
  d.subscribe("Vehicle", {"position"});
  c.registerNamed("Vehicle", "car");
  QVERIFY(d.expect("discover car as Vehicle"));
  QCOMPARE(d.details, QStringList(""));
}

void tst_object_management::updateAttributeValues() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "track"});
  b.subscribe("Vehicle", {"position", "track", "fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover car"));
  b.take();
  const auto map = [&](const QString& objectClass, const QString& attribute) {
    return AttributeHandleValueMap{{a.attribute(objectClass, attribute), data("1")}};
  };
  RTIambassador& rti = a.rti();
  const HLAfloat64Time five(5);
  REFUSES(rti.updateAttributeValues(ObjectInstanceHandle(), {}, {}), ObjectInstanceNotKnown);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle.Truck", "load"), {}), AttributeNotDefined);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle", "fuel"), {}), AttributeNotOwned);
  REFUSES(rti.updateAttributeValues(ObjectInstanceHandle(), {}, {}, five), ObjectInstanceNotKnown);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle.Truck", "load"), {}, five),
          AttributeNotDefined);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle", "fuel"), {}, five), AttributeNotOwned);
  REFUSES(b.rti().updateAttributeValues(car, map("Vehicle", "position"), {}), AttributeNotOwned);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle", "track"), {}, HLAinteger64Time(5)),
          InvalidLogicalTime);
  ACCEPTS(rti.updateAttributeValues(car, {}, {}));
  QCOMPARE(b.take(), QStringList());

  rti.updateAttributeValues(car, map("Vehicle", "position"), data("tag"));
  QCOMPARE(b.take(), QStringList("reflect car position=1 #tag"));
  // Who does not regulate may use any time; the message is in receive order and not retractable.
  QVERIFY(!rti.updateAttributeValues(car, map("Vehicle", "track"), {}, five).isValid());
  QCOMPARE(b.take(), QStringList("reflect car track=1 @5 RO"));

  a.regulate(2);
  REFUSES(rti.updateAttributeValues(car, map("Vehicle", "track"), {}, HLAfloat64Time(1.5)),
          InvalidLogicalTime);
  QVERIFY(rti.updateAttributeValues(car, map("Vehicle", "track"), {}, HLAfloat64Time(2)).isValid());
  QVERIFY(
      !rti.updateAttributeValues(car, map("Vehicle", "position"), {}, HLAfloat64Time(2)).isValid());
  // While a request is out, the requested time counts.
  rti.timeAdvanceRequest(HLAfloat64Time(10));
  REFUSES(rti.updateAttributeValues(car, map("Vehicle", "track"), {}, HLAfloat64Time(11)),
          InvalidLogicalTime);
  ACCEPTS(rti.updateAttributeValues(car, map("Vehicle", "track"), {}, HLAfloat64Time(12)));
  QCOMPARE(b.take(), QStringList({"reflect car track=1 @2 RO", "reflect car position=1 @2 RO",
                                  "reflect car track=1 @12 RO"}));
}

void tst_object_management::updatesByOrderAndTransportation() {
  // One update of attributes of different order and transportation is delivered in parts that each
  // have one of them (6.1.2: passels).
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel", "track", "hint"});
  b.subscribe("Vehicle", {"position", "fuel", "track", "hint"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover"));
  const auto received = [&] {
    QStringList lines;
    const QStringList got = b.take();
    for (int i = 0; i < got.size(); ++i) {
      lines << got[i] + " | " + b.details[b.details.size() - got.size() + i];
    }
    lines.sort();
    return lines;
  };
  b.take();
  a.update(car, "Vehicle", {{"position", "1"}, {"fuel", "2"}, {"track", "3"}, {"hint", "4"}});
  // Without a time, all goes in receive order: only the transportation differs.
  QStringList untimed = received();
  QCOMPARE(untimed.filter("hint=4"), QStringList("reflect car hint=4 | RO best effort from a"));
  QCOMPARE(untimed.filter("position=1,fuel=2").filter("RO reliable from a").size(), 1);
  QVERIFY(!untimed.filter("track=3").isEmpty());

  a.regulate(1);
  a.update(car, "Vehicle", {{"position", "1"}, {"fuel", "2"}, {"track", "3"}, {"hint", "4"}}, 6);
  QCOMPARE(received(),
           QStringList({"reflect car hint=4 @6 RO | RO best effort @6 as RO from a",
                        "reflect car position=1,fuel=2 @6 RO | RO reliable @6 as RO from a",
                        "reflect car track=3 @6 RO | TSO reliable @6 as RO retractable from a"}));
  // Each subscriber gets of each part what it subscribes.
  b.rti().unsubscribeObjectClassAttributes(b.objectClass("Vehicle"),
                                           b.attributes("Vehicle", {"fuel", "track"}));
  a.update(car, "Vehicle", {{"position", "5"}, {"fuel", "6"}, {"track", "7"}, {"hint", "8"}}, 7);
  QCOMPARE(received(), QStringList({"reflect car hint=8 @7 RO | RO best effort @7 as RO from a",
                                    "reflect car position=5 @7 RO | RO reliable @7 as RO from a"}));
}

void tst_object_management::reflectAttributeValues() {
  TimedTrio t(federation_);
  const auto car = t.sender.registerNamed("Vehicle", "car");
  QVERIFY(t.free.expect("discover"));
  QVERIFY(t.constrained.expect("discover"));
  for (Member* m : {&t.free, &t.constrained}) {
    m->take();
    m->details.clear();
  }
  t.sender.update(car, "Vehicle", {{"position", "1"}});         // no time
  t.sender.update(car, "Vehicle", {{"position", "2"}}, 4);      // a time, in receive order
  t.sender.update(car, "Vehicle", {{"track", "3"}}, 5);         // in timestamp order
  t.sender.update(car, "Vehicle", {{"track", "4"}}, 3);         // an earlier one
  t.sender.update(car, "Vehicle", {{"track", "too late"}}, 9);  // beyond what is asked for
  // Who is not constrained gets all at once, in the order it was sent.
  QVERIFY(t.free.expect("reflect car track=too late"));
  QCOMPARE(t.free.take(), QStringList({"reflect car position=1", "reflect car position=2 @4 RO",
                                       "reflect car track=3 @5 RO", "reflect car track=4 @3 RO",
                                       "reflect car track=too late @9 RO"}));
  QCOMPARE(t.free.details.mid(0, 4),
           QStringList({"RO reliable from sender", "RO reliable @4 as RO from sender",
                        "TSO reliable @5 as RO retractable from sender",
                        "TSO reliable @3 as RO retractable from sender"}));
  // A constrained federate gets those in receive order while it advances, and those in timestamp
  // order by their times with the grant that covers them.
  QCOMPARE(t.constrained.take(), QStringList());
  t.sender.advance(7);
  t.constrained.rti().timeAdvanceRequest(HLAfloat64Time(6));
  QVERIFY(t.constrained.expect("granted"));
  QCOMPARE(t.constrained.take(),
           QStringList({"reflect car position=1", "reflect car position=2 @4 RO",
                        "reflect car track=4 @3 TSO", "reflect car track=3 @5 TSO", "granted 6"}));
  QCOMPARE(t.constrained.details,
           QStringList({"RO reliable from sender", "RO reliable @4 as RO from sender",
                        "TSO reliable @3 as TSO retractable from sender",
                        "TSO reliable @5 as TSO retractable from sender"}));
  t.sender.advance(20);
  t.constrained.advance(10);
  QCOMPARE(t.constrained.take(), QStringList({"reflect car track=too late @9 TSO", "granted 10"}));
  // Nobody reflects its own updates.
  t.sender.subscribe("Vehicle", {"position"});
  t.sender.update(car, "Vehicle", {{"position", "5"}});
  QCOMPARE(t.sender.take().filter("reflect"), QStringList());
}

// --- interactions --------------------------------------------------------------------------------

void tst_object_management::sendInteraction() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribeInteraction("Message");
  b.subscribeInteraction("Event");
  const auto message = a.interactionClass("Message");
  const auto event = a.interactionClass("Event");
  const ParameterHandleValueMap foreign{{a.parameter("Event", "number"), data("1")}};
  const ParameterHandleValueMap numbered = foreign;
  const HLAfloat64Time five(5);
  RTIambassador& rti = a.rti();
  REFUSES(rti.sendInteraction(InteractionClassHandle(), {}, {}), InteractionClassNotDefined);
  REFUSES(rti.sendInteraction(message, {}, {}), InteractionClassNotPublished);
  REFUSES(rti.sendInteraction(InteractionClassHandle(), {}, {}, five), InteractionClassNotDefined);
  REFUSES(rti.sendInteraction(event, {}, {}, five), InteractionClassNotPublished);
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  REFUSES(rti.sendInteraction(message, foreign, {}), InteractionParameterNotDefined);
  REFUSES(rti.sendInteraction(message, foreign, {}, five), InteractionParameterNotDefined);
  REFUSES(rti.sendInteraction(event, {}, {}, HLAinteger64Time(5)), InvalidLogicalTime);
  QCOMPARE(b.take(), QStringList());

  rti.sendInteraction(message, {{a.parameter("Message", "text"), data("hello")}}, data("tag"));
  rti.sendInteraction(message, {}, {});  // parameters may be left out
  QVERIFY(!rti.sendInteraction(event, numbered, {}, five).isValid());
  QCOMPARE(b.take(), QStringList({"receive Message text=hello #tag", "receive Message ",
                                  "receive Event number=1 @5 RO"}));
  a.regulate(2);
  REFUSES(rti.sendInteraction(event, {}, {}, HLAfloat64Time(1)), InvalidLogicalTime);
  QVERIFY(rti.sendInteraction(event, numbered, {}, HLAfloat64Time(2)).isValid());
  QVERIFY(!rti.sendInteraction(message, {}, {}, HLAfloat64Time(2)).isValid());
  QCOMPARE(b.take(), QStringList({"receive Event number=1 @2 RO", "receive Message  @2 RO"}));
}

void tst_object_management::receiveInteraction() {
  TimedTrio t(federation_);
  t.sender.send("Message", {{"text", "1"}});
  t.sender.send("Message", {{"text", "2"}}, 4);
  t.sender.send("Event", {{"number", "3"}}, 5);
  t.sender.send("Event", {{"number", "4"}}, 3);
  t.sender.send("Event", {{"number", "5"}});  // without a time it goes in receive order
  QVERIFY(t.free.expect("receive", 5));
  QCOMPARE(t.free.take(), QStringList({"receive Message text=1", "receive Message text=2 @4 RO",
                                       "receive Event number=3 @5 RO",
                                       "receive Event number=4 @3 RO", "receive Event number=5"}));
  QCOMPARE(
      t.free.details,
      QStringList({"RO reliable from sender", "RO reliable @4 as RO from sender",
                   "TSO reliable @5 as RO retractable from sender",
                   "TSO reliable @3 as RO retractable from sender", "RO reliable from sender"}));
  QCOMPARE(t.constrained.take(), QStringList());
  t.sender.advance(7);
  t.constrained.rti().timeAdvanceRequest(HLAfloat64Time(6));
  QVERIFY(t.constrained.expect("granted"));
  QCOMPARE(t.constrained.take(),
           QStringList({"receive Message text=1", "receive Message text=2 @4 RO",
                        "receive Event number=5", "receive Event number=4 @3 TSO",
                        "receive Event number=3 @5 TSO", "granted 6"}));
  QCOMPARE(t.constrained.details.mid(3),
           QStringList({"TSO reliable @3 as TSO retractable from sender",
                        "TSO reliable @5 as TSO retractable from sender"}));
  // By best effort.
  t.sender.publishInteraction("Hail");
  t.free.subscribeInteraction("Hail");
  t.sender.send("Hail", {});
  QVERIFY(t.free.expect("receive Hail"));
  QCOMPARE(t.free.details.constLast(), QString("RO best effort from sender"));
}

// --- deletion ------------------------------------------------------------------------------------

void tst_object_management::deleteObjectInstance() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  const auto other = a.registerNamed("Vehicle", "other");
  const auto third = a.registerNamed("Vehicle", "third");
  QVERIFY(b.expect("discover", 3));
  b.take();
  RTIambassador& rti = a.rti();
  REFUSES(rti.deleteObjectInstance(ObjectInstanceHandle(), {}), ObjectInstanceNotKnown);
  REFUSES(rti.deleteObjectInstance(ObjectInstanceHandle(), {}, HLAfloat64Time(5)),
          ObjectInstanceNotKnown);
  REFUSES(b.rti().deleteObjectInstance(car, {}), DeletePrivilegeNotHeld);
  REFUSES(b.rti().deleteObjectInstance(car, {}, HLAfloat64Time(5)), DeletePrivilegeNotHeld);
  REFUSES(rti.deleteObjectInstance(car, {}, HLAinteger64Time(5)), InvalidLogicalTime);
  rti.deleteObjectInstance(car, data("done"));
  REFUSES(rti.deleteObjectInstance(car, {}), ObjectInstanceNotKnown);
  REFUSES(a.update(car, "Vehicle", {{"position", "1"}}), ObjectInstanceNotKnown);
  QVERIFY(!rti.deleteObjectInstance(other, {}, HLAfloat64Time(5)).isValid());
  QCOMPARE(b.take(), QStringList({"remove car #done", "remove other @5 RO"}));
  // The name can be reserved again.
  b.rti().reserveObjectInstanceName(L"car");
  QVERIFY(b.expect("reserved car"));
  a.regulate(2);
  REFUSES(rti.deleteObjectInstance(third, {}, HLAfloat64Time(1)), InvalidLogicalTime);
  QVERIFY(rti.deleteObjectInstance(third, {}, HLAfloat64Time(2)).isValid());
  QVERIFY(b.expect("remove third @2 RO"));
}

void tst_object_management::removeObjectInstance() {
  TimedTrio t(federation_);
  std::vector<ObjectInstanceHandle> cars;
  for (const QString name : {"one", "two", "three"}) {
    cars.push_back(t.sender.registerNamed("Vehicle", name));
  }
  Member other("other");  // does not regulate
  other.enter(federation_);
  other.publish("Vehicle", {"position"});
  const auto four = other.registerNamed("Vehicle", "four");
  for (Member* m : {&t.free, &t.constrained}) {
    QVERIFY(m->expect("discover", 4));
    m->take();
    m->details.clear();
  }
  t.sender.update(cars[1], "Vehicle", {{"track", "last"}}, 4);
  t.sender.rti().deleteObjectInstance(cars[1], data("two"), HLAfloat64Time(5));
  t.sender.rti().deleteObjectInstance(cars[0], data("one"));
  t.sender.rti().deleteObjectInstance(cars[2], {}, HLAfloat64Time(90));
  other.rti().deleteObjectInstance(four, data("four"), HLAfloat64Time(3));
  QVERIFY(t.free.expect("remove", 4));
  QCOMPARE(t.free.take(),
           QStringList({"reflect two track=last @4 RO", "remove two #two @5 RO", "remove one #one",
                        "remove three @90 RO", "remove four #four @3 RO"}));
  QCOMPARE(t.free.details.mid(1),
           QStringList({"TSO @5 as RO retractable from sender", "RO from sender",
                        "TSO @90 as RO retractable from sender", "RO @3 as RO from other"}));
  REFUSES(t.free.rti().getObjectInstanceName(cars[0]), ObjectInstanceNotKnown);

  QCOMPARE(t.constrained.take(), QStringList());
  t.sender.advance(7);
  t.constrained.rti().timeAdvanceRequest(HLAfloat64Time(6));
  QVERIFY(t.constrained.expect("granted"));
  QCOMPARE(t.constrained.take(),
           QStringList({"remove one #one", "remove four #four @3 RO",
                        "reflect two track=last @4 TSO", "remove two #two @5 TSO", "granted 6"}));
  QCOMPARE(t.constrained.details, QStringList({"RO from sender", "RO @3 as RO from other",
                                               "TSO reliable @4 as TSO retractable from sender",
                                               "TSO @5 as TSO retractable from sender"}));
  QCOMPARE(t.constrained.nameOfInstance(cars[2]), QString("three"));  // until time 90
  // Also who no longer subscribes is told that an instance it knows is gone.
  t.constrained.rti().unsubscribeObjectClass(t.constrained.objectClass("Vehicle"));
  t.sender.advance(100);
  t.constrained.rti().timeAdvanceRequest(HLAfloat64Time(95));
  QVERIFY(t.constrained.expect("remove three @90 TSO"));
}

void tst_object_management::localDeleteObjectInstance() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  c.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover car"));
  b.take();
  REFUSES(b.rti().localDeleteObjectInstance(ObjectInstanceHandle()), ObjectInstanceNotKnown);
  REFUSES(a.rti().localDeleteObjectInstance(car), FederateOwnsAttributes);
  b.rti().localDeleteObjectInstance(car);
  REFUSES(b.rti().getObjectInstanceName(car), ObjectInstanceNotKnown);
  REFUSES(b.rti().localDeleteObjectInstance(car), ObjectInstanceNotKnown);
  // The others are not concerned, and it may be discovered anew.
  a.update(car, "Vehicle", {{"position", "1"}});
  QCOMPARE(c.take(), QStringList({"discover car as Vehicle", "reflect car position=1"}));
  QCOMPARE(b.take(), QStringList({"discover car as Vehicle", "reflect car position=1"}));
}

// --- requests ------------------------------------------------------------------------------------

void tst_object_management::requestAttributeValueUpdate() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  c.publish("Vehicle.Truck", {"fuel", "load"});
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto vehicle = b.objectClass("Vehicle");
  const auto position = b.attributes("Vehicle", {"position"});
  const auto load = b.attributes("Vehicle.Truck", {"load"});
  const auto car = a.registerNamed("Vehicle", "car");
  a.registerNamed("Vehicle", "other");
  c.registerNamed("Vehicle.Truck", "truck");
  QVERIFY(b.expect("discover", 3));
  for (Member* m : {&a, &b, &c}) m->take();
  REFUSES(b.rti().requestAttributeValueUpdate(ObjectInstanceHandle(), position, {}),
          ObjectInstanceNotKnown);
  REFUSES(b.rti().requestAttributeValueUpdate(car, load, {}), AttributeNotDefined);
  REFUSES(b.rti().requestAttributeValueUpdate(ObjectClassHandle(), position, {}),
          ObjectClassNotDefined);
  REFUSES(b.rti().requestAttributeValueUpdate(vehicle, load, {}), AttributeNotDefined);

  // Of one instance: its owner is asked for what it owns of it.
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"position", "fuel", "hint"}),
                                      data("why"));
  QCOMPARE(a.take(), QStringList("provide car position,fuel #why"));
  QCOMPARE(c.take(), QStringList());
  // Of a class: of all its instances and those of its subclasses.
  b.rti().requestAttributeValueUpdate(vehicle, b.attributes("Vehicle", {"position", "fuel"}), {});
  QStringList asked = a.take();
  asked.sort();
  QCOMPARE(asked, QStringList({"provide car position,fuel", "provide other position,fuel"}));
  QCOMPARE(c.take(), QStringList("provide truck fuel"));
  QCOMPARE(b.take(), QStringList());
}

void tst_object_management::provideAttributeValueUpdate() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  b.subscribe("Vehicle", {"position", "fuel"});
  QVERIFY(b.expect("discover"));
  a.onProvide = [&](ObjectInstanceHandle instance, const AttributeHandleSet& attributes) {
    AttributeHandleValueMap values;
    for (const auto& attribute : attributes) values[attribute] = data("now");
    a.rti().updateAttributeValues(instance, values, data("asked"));
  };
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"fuel"}), data("please"));
  QVERIFY(a.expect("provide car fuel #please"));
  QVERIFY(b.expect("reflect car fuel=now #asked"));
  // A request reaches a constrained federate also between its advances.
  a.constrain();
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"position"}), {});
  QVERIFY(a.expect("provide car position"));
  // What is no longer owned cannot be asked for.
  a.rti().unpublishObjectClassAttributes(a.objectClass("Vehicle"),
                                         a.attributes("Vehicle", {"fuel"}));
  b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"position", "fuel"}), {});
  a.clearLog();
  QVERIFY(a.expect("provide"));
  QCOMPARE(a.log(), QStringList("provide car position"));
}

void tst_object_management::delayedSubscriptions_data() {
  QTest::addColumn<bool>("delayed");
  QTest::newRow("evaluated when sent") << false;
  QTest::newRow("evaluated when delivered") << true;
}

/// The switch Delay Subscription Evaluation: which subscription counts for a message in timestamp
/// order, that of when it was sent or that of when it is delivered.
void tst_object_management::delayedSubscriptions() {
  QFETCH(bool, delayed);
  Member a("a"), b("b");
  a.enter(federation_, HLA_EVOKED, {},
          delayed ? objectModelWith({{"delaySubscriptionEvaluation", true}}) : QString());
  b.enter(federation_);
  a.publish("Vehicle", {"track", "position"});
  a.publishInteraction("Event");
  a.regulate(1);
  b.constrain();
  const auto car = a.registerNamed("Vehicle", "car");
  a.update(car, "Vehicle", {{"track", "early"}, {"position", "at once"}}, 5);
  a.send("Event", {{"number", "1"}}, 6);
  b.take();
  b.subscribe("Vehicle", {"track", "position"});
  b.subscribeInteraction("Event");
  QVERIFY(b.expect("discover car as Vehicle"));
  a.update(car, "Vehicle", {{"track", "late"}}, 7);
  const auto delivered = [&](double to) {
    b.clearLog();
    b.rti().timeAdvanceRequest(HLAfloat64Time(to));
    a.advance(to + 10);
    return b.expect("granted") ? b.log() : QStringList("no grant");
  };
  QStringList expected{"reflect car track=late @7 TSO", "granted 10"};
  if (delayed) {
    expected =
        QStringList{"reflect car track=early @5 TSO", "receive Event number=1 @6 TSO"} + expected;
  }
  QCOMPARE(delivered(10), expected);
  // What is no longer subscribed is not delivered in any case (5.7, 5.9).
  a.update(car, "Vehicle", {{"track", "unwanted"}}, 25);
  a.send("Event", {{"number", "2"}}, 26);
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  b.rti().unsubscribeInteractionClass(b.interactionClass("Event"));
  QCOMPARE(delivered(30), QStringList("granted 30"));
}

/// The same of an instance that is deleted in timestamp order: until its removal is delivered it
/// exists for a federate, also for one that has not known it.
void tst_object_management::delayedSubscriptionsAndDeletion() {
  QFETCH(bool, delayed);
  Member a("a"), b("b"), c("c");
  a.enter(federation_, HLA_EVOKED, {},
          delayed ? objectModelWith({{"delaySubscriptionEvaluation", true}}) : QString());
  b.enter(federation_);
  c.enter(federation_);
  a.publish("Vehicle", {"track", "position"});
  c.subscribe("Vehicle", {"track"});
  a.regulate(1);
  b.constrain();
  c.constrain();
  const auto car = a.registerNamed("Vehicle", "car");
  const auto nameless = a.registerInstance("Vehicle");
  a.update(car, "Vehicle", {{"track", "last"}}, 8);
  for (const auto& instance : {car, nameless}) {
    a.rti().deleteObjectInstance(instance, data("gone"), HLAfloat64Time(10));
  }
  // Its deletion cannot be taken back any more, and at b it has not been delivered.
  a.advance(40);
  b.take();
  b.subscribe("Vehicle", {"track"});
  b.pump();
  const QString named = delayed ? "discover car as Vehicle" : "";
  QCOMPARE(b.linesWith("discover car").value(0), named);
  QCOMPARE(b.count("discover"), delayed ? 2 : 0);
  QVERIFY(c.expect("discover", 2));
  for (Member* one : {&b, &c}) {
    one->clearLog();
    one->rti().timeAdvanceRequest(HLAfloat64Time(20));
    QVERIFY(one->expect("granted 20"));
    const QStringList got = one->log();
    if (one == &b && !delayed) {
      QCOMPARE(got, QStringList("granted 20"));
      continue;
    }
    QCOMPARE(got.size(), 4);
    QCOMPARE(got.first(), QString("reflect car track=last @8 TSO"));
    QCOMPARE(one->count("remove car #gone @10 TSO"), 1);
    QCOMPARE(one->count("remove"), 2);
    REFUSES(one->rti().getObjectInstanceName(car), ObjectInstanceNotKnown);
  }
  // Then it is gone for who comes later.
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  b.clearLog();
  b.subscribe("Vehicle", {"track"});
  b.pump();
  QCOMPARE(b.log(), QStringList());
}

/// Which messages are delivered is not known until they are. What a federate may send follows from
/// what it may receive next, and others rely on it: so until then each message counts, for LITS
/// (8.20) and for the next message that a request asks for (8.10). The grant then comes at the time
/// of a message that turned out not to be wanted, and the federate asks again.
void tst_object_management::delayedSubscriptionsAndTime() {
  QFETCH(bool, delayed);
  Member a("a"), b("b");
  a.enter(federation_, HLA_EVOKED, {},
          delayed ? objectModelWith({{"delaySubscriptionEvaluation", true}}) : QString());
  b.enter(federation_);
  a.publishInteraction("Event");
  a.regulate(1);
  b.constrain();
  a.send("Event", {{"number", "1"}}, 5);
  a.send("Event", {{"number", "2"}}, 15);
  a.advance(40);
  b.pump();
  HLAfloat64Time time;
  QVERIFY(b.rti().queryLITS(time));
  QCOMPARE(time.getTime(), delayed ? 5.0 : 41.0);
  b.clearLog();
  b.rti().nextMessageRequest(HLAfloat64Time(30));
  QVERIFY(b.expect("granted"));
  QCOMPARE(b.log(), QStringList(delayed ? "granted 5" : "granted 30"));
  if (!delayed) return;
  b.clearLog();
  b.rti().nextMessageRequest(HLAfloat64Time(30));
  b.subscribeInteraction("Event");
  QVERIFY(b.expect("granted"));
  QCOMPARE(b.log(), QStringList({"receive Event number=2 @15 TSO", "granted 15"}));
  b.clearLog();
  b.rti().nextMessageRequest(HLAfloat64Time(30));
  QVERIFY(b.expect("granted"));
  QCOMPARE(b.log(), QStringList("granted 30"));
}

void tst_object_management::autoProvide() {
  const QString providing = objectModelWith({{"autoProvide", true}});
  Member a("a"), b("b"), late("late");
  a.enter(federation_, HLA_EVOKED, {}, providing);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover"));
  b.pump();
  QVERIFY(a.expect("provide car position"));
  QCOMPARE(a.count("provide"), 1);
  // For each who discovers it, also later.
  a.onProvide = [&](auto, const auto&) { a.update(car, "Vehicle", {{"position", "here"}}); };
  late.enter(federation_);
  late.subscribe("Vehicle", {"position"});
  QVERIFY(late.expect("discover"));
  late.pump();
  QVERIFY(a.expect("provide car position", 2));
  QVERIFY(late.expect("reflect car position=here"));
}

void tst_object_management::producersAreNotConveyed() {
  TimedTrio t(federation_, objectModelWith({{"conveyProducingFederate", false}}));
  const auto car = t.sender.registerNamed("Vehicle", "car");
  QVERIFY(t.free.expect("discover"));
  t.sender.update(car, "Vehicle", {{"position", "1"}});
  t.sender.update(car, "Vehicle", {{"track", "1"}}, 2);
  t.sender.send("Message", {});
  t.sender.rti().deleteObjectInstance(car, {});
  QVERIFY(t.free.expect("remove"));
  QCOMPARE(t.free.details, QStringList({"", "RO reliable", "TSO reliable @2 as RO retractable",
                                        "RO reliable", "RO"}));
}

// --- transportation ------------------------------------------------------------------------------

void tst_object_management::requestAttributeTransportationTypeChange() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  a.publish("Vehicle", {"position", "hint"});
  b.subscribe("Vehicle", {"position", "hint"});
  const auto car = a.registerNamed("Vehicle", "car");
  const auto van = a.registerNamed("Vehicle", "van");
  const auto position = a.attributes("Vehicle", {"position"});
  QVERIFY(b.expect("discover", 2));
  a.take();
  b.take();
  b.details.clear();
  REFUSES(rti.requestAttributeTransportationTypeChange(ObjectInstanceHandle(), position, RELIABLE),
          ObjectInstanceNotKnown);
  REFUSES(rti.requestAttributeTransportationTypeChange(car, a.attributes("Vehicle.Truck", {"load"}),
                                                       RELIABLE),
          AttributeNotDefined);
  REFUSES(rti.requestAttributeTransportationTypeChange(car, a.attributes("Vehicle", {"fuel"}),
                                                       RELIABLE),
          AttributeNotOwned);
  REFUSES(b.rti().requestAttributeTransportationTypeChange(car, position, RELIABLE),
          AttributeNotOwned);
  REFUSES(rti.requestAttributeTransportationTypeChange(car, position,
                                                       static_cast<TransportationType>(7)),
          InvalidTransportationType);
  ACCEPTS(rti.requestAttributeTransportationTypeChange(car, position, BEST_EFFORT));
  REFUSES(rti.requestAttributeTransportationTypeChange(car, position, RELIABLE),
          AttributeAlreadyBeingChanged);
  ACCEPTS(rti.requestAttributeTransportationTypeChange(van, position, BEST_EFFORT));
  // It holds from its confirmation on, for this instance.
  a.update(car, "Vehicle", {{"position", "1"}});
  QCOMPARE(a.take(),
           QStringList({"changed car position best effort", "changed van position best effort"}));
  a.update(car, "Vehicle", {{"position", "2"}});
  ACCEPTS(rti.requestAttributeTransportationTypeChange(
      car, a.attributes("Vehicle", {"position", "hint"}), RELIABLE));
  QVERIFY(a.expect("changed car position,hint reliable"));
  a.update(car, "Vehicle", {{"position", "3"}, {"hint", "4"}});
  QVERIFY(b.expect("reflect car position=3,hint=4"));
  QCOMPARE(b.details,
           QStringList({"RO reliable from a", "RO best effort from a", "RO reliable from a"}));
}

void tst_object_management::confirmAttributeTransportationTypeChange() {
  Member a("a");
  a.enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  a.take();
  // Also when nothing changes; nothing for no attributes.
  a.rti().requestAttributeTransportationTypeChange(
      car, a.attributes("Vehicle", {"position", "fuel"}), RELIABLE);
  a.rti().requestAttributeTransportationTypeChange(car, {}, BEST_EFFORT);
  QVERIFY(a.expect("changed"));
  QCOMPARE(a.take(), QStringList("changed car position,fuel reliable"));
}

void tst_object_management::queryAttributeTransportationType() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "hint"});
  b.subscribe("Vehicle", {"position", "hint"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover"));
  REFUSES(b.rti().queryAttributeTransportationType(ObjectInstanceHandle(),
                                                   a.attribute("Vehicle", "hint")),
          ObjectInstanceNotKnown);
  REFUSES(b.rti().queryAttributeTransportationType(car, a.attribute("Vehicle.Truck", "load")),
          AttributeNotDefined);
  b.rti().queryAttributeTransportationType(car, a.attribute("Vehicle", "hint"));
  QVERIFY(b.expect("sent car hint best effort"));
}

void tst_object_management::reportAttributeTransportationType() {
  Member a("a"), b("b"), c("c");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "hint"});
  b.subscribe("Vehicle", {"position", "hint"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover"));
  a.rti().requestAttributeTransportationTypeChange(car, a.attributes("Vehicle", {"position"}),
                                                   BEST_EFFORT);
  QVERIFY(a.expect("changed"));
  // To everybody who knows the instance, whenever it joined; the owner need not run.
  c.enter(federation_);
  c.subscribe("Vehicle", {"position"});
  QVERIFY(c.expect("discover"));
  for (Member* m : {&a, &b, &c}) {
    m->rti().queryAttributeTransportationType(car, a.attribute("Vehicle", "position"));
    m->rti().queryAttributeTransportationType(car, a.attribute("Vehicle", "fuel"));
    QVERIFY(m->expect("sent car position best effort"));
    QVERIFY(m->expect("sent car fuel reliable"));
  }
}

void tst_object_management::requestInteractionTransportationTypeChange() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto message = a.interactionClass("Message");
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  REFUSES(rti.requestInteractionTransportationTypeChange(InteractionClassHandle(), RELIABLE),
          InteractionClassNotDefined);
  REFUSES(b.rti().requestInteractionTransportationTypeChange(message, RELIABLE),
          InteractionClassNotPublished);
  REFUSES(
      rti.requestInteractionTransportationTypeChange(message, static_cast<TransportationType>(7)),
      InvalidTransportationType);
  ACCEPTS(rti.requestInteractionTransportationTypeChange(message, BEST_EFFORT));
  REFUSES(rti.requestInteractionTransportationTypeChange(message, RELIABLE),
          InteractionClassAlreadyBeingChanged);
  a.send("Message", {{"text", "1"}});
  QVERIFY(a.expect("changed Message best effort"));
  a.send("Message", {{"text", "2"}});
  // Who stops to publish the class and begins again sends it as the object model says.
  rti.unpublishInteractionClass(message);
  rti.publishInteractionClass(message);
  a.send("Message", {{"text", "3"}});
  QVERIFY(b.expect("receive Message text=3"));
  QCOMPARE(b.details,
           QStringList({"RO reliable from a", "RO best effort from a", "RO reliable from a"}));
}

void tst_object_management::confirmInteractionTransportationTypeChange() {
  Member a("a");
  a.enter(federation_);
  a.publishInteraction("Hail");
  a.take();
  a.rti().requestInteractionTransportationTypeChange(a.interactionClass("Hail"), RELIABLE);
  QVERIFY(a.expect("changed"));
  QCOMPARE(a.take(), QStringList("changed Hail reliable"));
  ACCEPTS(a.rti().requestInteractionTransportationTypeChange(a.interactionClass("Hail"), RELIABLE));
}

void tst_object_management::queryInteractionTransportationType() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().queryInteractionTransportationType(b.handle(), InteractionClassHandle()),
          InteractionClassNotDefined);
  REFUSES(a.rti().queryInteractionTransportationType(FederateHandle(), a.interactionClass("Hail")),
          RTIinternalError);
  a.rti().queryInteractionTransportationType(b.handle(), a.interactionClass("Hail"));
  QVERIFY(a.expect("sent Hail by b best effort"));
}

void tst_object_management::reportInteractionTransportationType() {
  Member a("a"), b("b"), c("c");
  a.enter(federation_);
  b.enter(federation_);
  const auto message = a.interactionClass("Message");
  a.publishInteraction("Message");
  a.rti().requestInteractionTransportationTypeChange(message, BEST_EFFORT);
  QVERIFY(a.expect("changed"));
  c.enter(federation_);
  // Of the federate that is asked about.
  for (Member* m : {&a, &b, &c}) {
    m->rti().queryInteractionTransportationType(a.handle(), message);
    m->rti().queryInteractionTransportationType(b.handle(), message);
    QVERIFY(m->expect("sent Message by a best effort"));
    QVERIFY(m->expect("sent Message by b reliable"));
  }
  a.rti().unpublishInteractionClass(message);
  b.rti().queryInteractionTransportationType(a.handle(), message);
  QVERIFY(b.expect("sent Message by a reliable"));
}

CONFORMANCE_MAIN(tst_object_management)
#include "tst_object_management.moc"
