// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 7: what other services have to do with ownership.
#include "trio.h"

using namespace rti1516e;

using Lines = QStringList;

class tst_ownership_effects : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("ownership"); }
  void updatesGoFromTheOwner();
  void requestsGoToTheOwners();
  void deletedByAnotherThanItsRegistrant();
  void deletedByOneWhoCameLater();
  void discoveredOnceSomebodyElseOwns();
  void deletedLocallyWhenNothingIsOwned();
  void rediscoveredAtTheNextOccasion_data();
  void rediscoveredAtTheNextOccasion();
  void unpublishingDivests();
  void resigning_data();
  void resigning();
  void aDeathGivesWhatItOwned();
  void orphansAreAcquired();
  void lateJoinersKnowTheOwners();
  void offersForOneWhoComesLater();
};

void tst_ownership_effects::updatesGoFromTheOwner() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel"});
  t.a.update(t.car, "Vehicle", {{"fuel", "a"}, {"position", "a"}});
  t.a.divest(t.car, {"fuel"});
  t.b.pump();
  ACCEPTS(t.b.update(t.car, "Vehicle", {{"fuel", "b"}}));
  REFUSES(t.b.update(t.car, "Vehicle", {{"fuel", "b"}, {"position", "b"}}), AttributeNotOwned);
  ACCEPTS(t.a.update(t.car, "Vehicle", {{"position", "a2"}}));
  QCOMPARE(t.a.linesWith("reflect"), Lines());
  QVERIFY(t.a.expect("reflect"));
  QCOMPARE(t.a.linesWith("reflect"), Lines("reflect car fuel=b"));
  t.b.take();
  QCOMPARE(t.b.linesWith("reflect"),
           Lines({"reflect car position=a,fuel=a", "reflect car position=a2"}));
  t.c.take();
  QCOMPARE(t.c.linesWith("reflect").size(), 3);
}

void tst_ownership_effects::requestsGoToTheOwners() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel"});
  t.a.divest(t.car, {"fuel"});
  t.b.take();
  t.a.take();
  t.c.rti().requestAttributeValueUpdate(t.car, t.c.of({"fuel", "position", "track"}), data("x"));
  QCOMPARE(t.a.take(), Lines("provide car position #x"));
  QCOMPARE(t.b.take(), Lines("provide car fuel #x"));
  t.c.rti().requestAttributeValueUpdate(t.c.objectClass("Vehicle"), t.c.of({"fuel", "position"}),
                                        {});
  QCOMPARE(t.a.take(), Lines("provide car position"));
  QCOMPARE(t.b.take(), Lines("provide car fuel"));
  // The registrant asks like any other.
  t.a.rti().requestAttributeValueUpdate(t.car, t.a.of({"fuel"}), {});
  QCOMPARE(t.b.take(), Lines("provide car fuel"));
}

void tst_ownership_effects::deletedByAnotherThanItsRegistrant() {
  Trio t(federation_);
  t.b.acquire(t.car, {"HLAprivilegeToDeleteObject"});
  t.c.acquire(t.car, {"fuel"});
  t.a.divest(t.car, {"HLAprivilegeToDeleteObject"});
  t.b.take();
  t.a.take();
  REFUSES(t.a.rti().deleteObjectInstance(t.car, {}), DeletePrivilegeNotHeld);
  ACCEPTS(t.b.rti().deleteObjectInstance(t.car, data("bye")));
  REFUSES(t.b.rti().getObjectInstanceName(t.car), ObjectInstanceNotKnown);
  QCOMPARE(t.a.take(), Lines("remove car #bye"));
  QCOMPARE(t.c.take(), Lines("remove car #bye"));
  REFUSES(t.a.update(t.car, "Vehicle", {{"position", "1"}}), ObjectInstanceNotKnown);
  // Nobody finds it, and its name is free, for its registrant too.
  Owner late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position", "fuel"});
  QCOMPARE(late.take(), Lines());
  const auto other = t.a.registerNamed("Vehicle", "car");
  QVERIFY(other != t.car);
  QCOMPARE(late.take(), Lines("discover car as Vehicle"));
  ACCEPTS(t.a.rti().deleteObjectInstance(other, {}));
}

void tst_ownership_effects::deletedByOneWhoCameLater() {
  // Whoever knows the instance is told, though it has not subscribed it since before that one came.
  Trio t(federation_);
  t.b.rti().unsubscribeObjectClass(t.b.objectClass("Vehicle"));
  t.c.rti().unsubscribeObjectClass(t.c.objectClass("Vehicle"));
  Owner late("late");
  late.enter(federation_);
  late.publish("Vehicle", {"position"});
  late.subscribe("Vehicle", {"position"});
  QVERIFY(late.expect("discover car"));
  late.acquire(t.car, {"HLAprivilegeToDeleteObject"});
  t.a.divest(t.car, {"HLAprivilegeToDeleteObject"});
  QVERIFY(late.expect("acquired car"));
  ACCEPTS(late.rti().deleteObjectInstance(t.car, data("bye")));
  QVERIFY(t.b.expect("remove car"));
  QVERIFY(t.c.expect("remove car"));
}

void tst_ownership_effects::discoveredOnceSomebodyElseOwns() {
  Owner a("a"), b("b"), c("c");
  for (Owner* m : {&a, &b, &c}) m->enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  b.publish("Vehicle", {"fuel"});
  c.subscribe("Vehicle", {"fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  // Nobody owns what c has subscribed; what nobody owns is offered to who publishes it.
  QCOMPARE(c.take(), Lines());
  QCOMPARE(b.take(), Lines({"discover car as Vehicle", "offered car fuel"}));
  b.acquireIfAvailable(car, {"fuel"});
  QCOMPARE(b.take(), Lines("acquired car fuel"));
  QCOMPARE(c.take(), Lines("discover car as Vehicle"));
  b.update(car, "Vehicle", {{"fuel", "1"}});
  QCOMPARE(c.take(), Lines("reflect car fuel=1"));
}

void tst_ownership_effects::deletedLocallyWhenNothingIsOwned() {
  Trio t(federation_);
  REFUSES(t.a.rti().localDeleteObjectInstance(ObjectInstanceHandle()), ObjectInstanceNotKnown);
  REFUSES(t.a.rti().localDeleteObjectInstance(t.car), FederateOwnsAttributes);
  t.b.acquire(t.car, {"fuel"});
  REFUSES(t.b.rti().localDeleteObjectInstance(t.car), OwnershipAcquisitionPending);
  t.a.divest(t.car, {"fuel"});
  REFUSES(t.b.rti().localDeleteObjectInstance(t.car), OwnershipAcquisitionPending);
  t.b.take();
  REFUSES(t.b.rti().localDeleteObjectInstance(t.car), FederateOwnsAttributes);
  t.b.divest(t.car, {"fuel"});
  ACCEPTS(t.b.rti().localDeleteObjectInstance(t.car));
  REFUSES(t.b.acquire(t.car, {"fuel"}), ObjectInstanceNotKnown);
  // Its registrant too, when it owns nothing any more; it discovers it again with an owner.
  t.a.divest(t.car, {"position", "HLAprivilegeToDeleteObject"});
  t.a.take();
  ACCEPTS(t.a.rti().localDeleteObjectInstance(t.car));
  // Its name is that of the instance all the same.
  REFUSES(t.a.rti().registerObjectInstance(t.a.objectClass("Vehicle"), L"car"),
          ObjectInstanceNameInUse);
  REFUSES(t.a.rti().releaseObjectInstanceName(L"car"), ObjectInstanceNameNotReserved);
  t.c.acquire(t.car, {"position"});
  t.c.take();
  QCOMPARE(t.a.take().value(0), QString("discover car as Vehicle"));
}

void tst_ownership_effects::rediscoveredAtTheNextOccasion_data() {
  QTest::addColumn<bool>("registrant");
  QTest::addColumn<QString>("occasion");
  for (const bool registrant : {false, true}) {
    for (const char* occasion : {"update", "subscription", "transfer"}) {
      QTest::addRow("%s by %s", occasion, registrant ? "its registrant" : "another")
          << registrant << occasion;
    }
  }
}

/// 6.16: after its local deletion, as if it had never been discovered.
void tst_ownership_effects::rediscoveredAtTheNextOccasion() {
  QFETCH(bool, registrant);
  QFETCH(QString, occasion);
  Trio t(federation_);
  t.a.divest(t.car, {"position", "fuel", "HLAprivilegeToDeleteObject"});
  t.c.acquire(t.car, {"position"});
  QVERIFY(t.c.expect("acquired car position"));
  Owner& one = registrant ? t.a : t.b;
  one.take();
  ACCEPTS(one.rti().localDeleteObjectInstance(t.car));
  QCOMPARE(one.take(), Lines());
  REFUSES(one.rti().getObjectInstanceHandle(L"car"), ObjectInstanceNotKnown);
  Lines wanted{"discover car as Vehicle", "offered car HLAprivilegeToDeleteObject,fuel"};
  if (occasion == "update") {
    t.c.update(t.car, "Vehicle", {{"position", "1"}});
    wanted.insert(1, "reflect car position=1");
  } else if (occasion == "subscription") {
    one.subscribe("Vehicle", {"position"});
  } else {
    t.c.acquire(t.car, {"fuel"});
    wanted[1] = "offered car HLAprivilegeToDeleteObject";
  }
  QCOMPARE(one.take(), wanted);
  QCOMPARE(one.nameOfInstance(t.car), QString("car"));
}

void tst_ownership_effects::unpublishingDivests() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel"});
  REFUSES(t.b.rti().unpublishObjectClass(t.b.objectClass("Vehicle")), OwnershipAcquisitionPending);
  REFUSES(t.b.rti().unpublishObjectClassAttributes(t.b.objectClass("Vehicle"), t.b.of({"fuel"})),
          OwnershipAcquisitionPending);
  ACCEPTS(
      t.b.rti().unpublishObjectClassAttributes(t.b.objectClass("Vehicle"), t.b.of({"position"})));
  // To the one in line, else to nobody.
  t.a.rti().unpublishObjectClassAttributes(t.a.objectClass("Vehicle"), t.a.of({"fuel"}));
  QVERIFY(!t.a.owns(t.car, "fuel"));
  QVERIFY(t.a.owns(t.car, "position"));
  QCOMPARE(t.b.take(), Lines("acquired car fuel"));
  t.a.rti().unpublishObjectClass(t.a.objectClass("Vehicle"));
  QCOMPARE(t.a.owned(t.car, {"fuel", "position", "HLAprivilegeToDeleteObject"}), Lines());
  REFUSES(t.a.rti().deleteObjectInstance(t.car, {}), DeletePrivilegeNotHeld);
  QCOMPARE(t.c.take(), Lines("offered car HLAprivilegeToDeleteObject,position"));
  // Who was only willing is no longer in line.
  t.b.offer(t.car, {"fuel"});
  t.c.acquireIfAvailable(t.car, {"fuel"});
  t.c.rti().unpublishObjectClass(t.c.objectClass("Vehicle"));
  REFUSES(t.b.confirm(t.car, {"fuel"}), NoAcquisitionPending);
}

void tst_ownership_effects::resigning_data() {
  QTest::addColumn<int>("action");
  QTest::addColumn<QString>("whilePending");
  QTest::addColumn<QString>("whileOwning");
  QTest::addColumn<QString>("ownsCar");  ///< what becomes of a car of which it owns all
  QTest::newRow("unconditionally divest")
      << int{UNCONDITIONALLY_DIVEST_ATTRIBUTES} << "OwnershipAcquisitionPending"
      << ""
      << "offered";
  QTest::newRow("delete objects") << int{DELETE_OBJECTS} << "OwnershipAcquisitionPending"
                                  << "FederateOwnsAttributes"
                                  << "remove";
  QTest::newRow("cancel pending acquisitions") << int{CANCEL_PENDING_OWNERSHIP_ACQUISITIONS} << ""
                                               << "FederateOwnsAttributes"
                                               << "";
  QTest::newRow("delete, then divest")
      << int{DELETE_OBJECTS_THEN_DIVEST} << "OwnershipAcquisitionPending"
      << ""
      << "remove";
  QTest::newRow("cancel, delete, divest") << int{CANCEL_THEN_DELETE_THEN_DIVEST} << ""
                                          << ""
                                          << "remove";
  QTest::newRow("no action") << int{NO_ACTION} << "OwnershipAcquisitionPending"
                             << "FederateOwnsAttributes"
                             << "";
}

void tst_ownership_effects::resigning() {
  QFETCH(int, action);
  QFETCH(QString, whilePending);
  QFETCH(QString, whileOwning);
  QFETCH(QString, ownsCar);
  const auto how = static_cast<ResignAction>(action);
  {
    Trio t(federation_);  // b seeks
    t.b.acquire(t.car, {"fuel"});
    QCOMPARE(refusal([&] { t.b.rti().resignFederationExecution(how); }), whilePending);
    if (whilePending.isEmpty()) QCOMPARE(t.a.divestIfWanted(t.car, {"fuel"}), Lines());
  }
  {
    Trio t(uniqueName("ownership"));  // b owns a part, without the privilege to delete
    t.b.acquire(t.car, {"fuel"});
    t.a.divest(t.car, {"fuel"});
    t.b.take();
    QCOMPARE(refusal([&] { t.b.rti().resignFederationExecution(how); }), whileOwning);
    if (whileOwning.isEmpty()) {
      QCOMPARE(t.c.take(), Lines("offered car fuel"));
      QCOMPARE(t.a.take().last(), QString("offered car fuel"));
      t.c.acquireIfAvailable(t.car, {"fuel"});
      QCOMPARE(t.c.take(), Lines("acquired car fuel"));
    }
  }
  {
    const QString federation = uniqueName("ownership");
    Trio t(federation);  // a owns all of one, and has given away another
    const auto lost = t.a.registerNamed("Vehicle", "lost");
    for (Owner* m : {&t.b, &t.c}) m->take();
    t.b.acquire(lost, {"position", "fuel", "HLAprivilegeToDeleteObject"});
    t.a.divest(lost, {"position", "fuel", "HLAprivilegeToDeleteObject"});
    t.b.take();
    const QString refused = refusal([&] { t.a.rti().resignFederationExecution(how); });
    if (ownsCar.isEmpty()) {
      QCOMPARE(refused, QString("FederateOwnsAttributes"));
      return;
    }
    QCOMPARE(refused, QString());
    const QStringList seen = t.c.take();
    QCOMPARE(seen, ownsCar == "remove"
                       ? Lines("remove car")
                       : Lines("offered car HLAprivilegeToDeleteObject,fuel,position"));
    // Registered by the leaver, but not its own.
    ACCEPTS(t.b.update(lost, "Vehicle", {{"position", "on"}}));
    QCOMPARE(t.c.take(), Lines("reflect lost position=on"));
    Owner late("late");
    late.enter(federation);
    late.subscribe("Vehicle", {"position", "fuel"});
    QCOMPARE(late.take(), Lines("discover lost as Vehicle"));
    QCOMPARE(late.details, QStringList("from a"));  // its name is still known
    ACCEPTS(t.b.rti().deleteObjectInstance(lost, {}));
    QCOMPARE(late.take(), Lines("remove lost"));
  }
}

void tst_ownership_effects::aDeathGivesWhatItOwned() {
  Trio t(federation_);
  {
    Mortal mortal("mortal", federation_);
    auto& rti = mortal.rti();
    rti.setAutomaticResignDirective(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
    const auto vehicle = rti.getObjectClassHandle(L"Vehicle");
    const auto fuel = rti.getAttributeHandle(vehicle, L"fuel");
    rti.publishObjectClassAttributes(vehicle, {fuel});
    rti.subscribeObjectClassAttributes(vehicle, t.a.of({"position", "fuel"}));
    rti.evokeMultipleCallbacks(0.0, 1.0);
    rti.attributeOwnershipAcquisition(t.car, {fuel}, {});
    t.a.divest(t.car, {"fuel"});
    rti.evokeMultipleCallbacks(0.0, 1.0);
    QVERIFY(rti.isAttributeOwnedByFederate(t.car, fuel));
    // In the middle of a negotiation: it is in line for one, gives another, one waits for it.
    t.a.offer(t.car, {"position"});
    t.b.acquire(t.car, {"fuel"}, "b");
    rti.negotiatedAttributeOwnershipDivestiture(t.car, {fuel}, {});
    mortal.kill();
  }
  QVERIFY(t.b.expect("acquired car fuel"));
  // On another host this is known a moment later.
  const auto fuel = t.c.attribute("Vehicle", "fuel");
  QVERIFY(t.c.pumpUntil([&] {
    t.c.rti().queryAttributeOwnership(t.car, fuel);
    return t.c.count("owner car fuel b") != 0;
  }));
  REFUSES(t.a.confirm(t.car, {"position"}), NoAcquisitionPending);
}

void tst_ownership_effects::orphansAreAcquired() {
  Trio t(federation_);
  t.a.update(t.car, "Vehicle", {{"position", "last"}});
  t.a.leave(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  QCOMPARE(t.b.take(), Lines({"reflect car position=last",
                              "offered car HLAprivilegeToDeleteObject,fuel,position"}));
  t.b.acquireIfAvailable(t.car, {"position", "HLAprivilegeToDeleteObject"});
  t.c.acquire(t.car, {"fuel"});
  QCOMPARE(t.b.take(), Lines("acquired car HLAprivilegeToDeleteObject,position"));
  QVERIFY(t.c.expect("acquired car fuel"));
  Owner late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position"});
  QCOMPARE(late.take(), Lines("discover car as Vehicle"));
  t.b.update(t.car, "Vehicle", {{"position", "mine"}});
  QCOMPARE(late.take(), Lines("reflect car position=mine"));
  ACCEPTS(t.b.rti().deleteObjectInstance(t.car, {}));
  QCOMPARE(late.take(), Lines("remove car"));
  late.rti().reserveObjectInstanceName(L"car");
  QVERIFY(late.expect("reserved car"));
}

void tst_ownership_effects::lateJoinersKnowTheOwners() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel"});
  t.a.divest(t.car, {"fuel"});
  t.b.take();
  t.a.offer(t.car, {"position"}, "still");
  Owner late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position", "fuel"});
  late.publish("Vehicle", {"position"});
  QCOMPARE(late.take(), Lines({"discover car as Vehicle", "offered car position #still"}));
  late.rti().queryAttributeOwnership(t.car, late.attribute("Vehicle", "fuel"));
  QCOMPARE(late.take(), Lines("owner car fuel b"));
  late.rti().requestAttributeValueUpdate(t.car, late.of({"fuel"}), {});
  QVERIFY(t.b.expect("provide car fuel"));
}

void tst_ownership_effects::offersForOneWhoComesLater() {
  Owner a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  b.publish("Vehicle", {"fuel", "track"});
  b.subscribe("Vehicle", {"position"});
  QCOMPARE(b.take(), Lines({"discover car as Vehicle", "offered car fuel,track"}));
  b.acquire(car, {"fuel"});
  QCOMPARE(b.take(), Lines("acquired car fuel"));
  b.publish("Vehicle", {"hint"});
  QCOMPARE(b.take(), Lines("offered car hint"));
}

CONFORMANCE_MAIN(tst_ownership_effects)
#include "tst_ownership_effects.moc"
