// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 7: who owns which attribute of an object instance, and how that changes.
// One test function for each service and callback, of its name; tst_ownership_effects is about what
// other services have to do with ownership.
#include "trio.h"

using namespace rti1516e;

using Lines = QStringList;

class tst_ownership_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// What the table lists for a service of an instance and attributes, in the order of the checks.
  void refusesUnknown(Owner& federate, ObjectInstanceHandle known,
                      const std::function<void(ObjectInstanceHandle, AttributeHandleSet)>& call);

 private slots:
  void init() { federation_ = uniqueName("ownership"); }
  void unconditionalAttributeOwnershipDivestiture();
  void negotiatedAttributeOwnershipDivestiture();
  void requestAttributeOwnershipAssumption();
  void requestDivestitureConfirmation();
  void confirmDivestiture();
  void attributeOwnershipAcquisitionNotification();
  void attributeOwnershipAcquisition();
  void attributeOwnershipAcquisitionIfAvailable();
  void attributeOwnershipUnavailable();
  void requestAttributeOwnershipRelease();
  void attributeOwnershipReleaseDenied();
  void attributeOwnershipDivestitureIfWanted();
  void cancelNegotiatedAttributeOwnershipDivestiture();
  void cancelAttributeOwnershipAcquisition();
  void confirmAttributeOwnershipAcquisitionCancellation();
  void queryAttributeOwnership();
  void informAttributeOwnership();
  void attributeIsNotOwned();
  void attributeIsOwnedByRTI();
  void isAttributeOwnedByFederate();

  void turnUpdatesOnForObjectInstance();
  void turnUpdatesOffForObjectInstance();
  void enableAttributeRelevanceAdvisorySwitch();
  void disableAttributeRelevanceAdvisorySwitch();
};

void tst_ownership_management::refusesUnknown(
    Owner& federate, ObjectInstanceHandle known,
    const std::function<void(ObjectInstanceHandle, AttributeHandleSet)>& call) {
  const auto load = federate.attributes("Vehicle.Truck", {"load"});
  REFUSES(call(ObjectInstanceHandle(), load), ObjectInstanceNotKnown);
  REFUSES(call(known, load), AttributeNotDefined);
  REFUSES(call(known, {AttributeHandle()}), AttributeNotDefined);
  ACCEPTS(call(known, {}));  // nothing is asked for
}

// --- divestiture ---------------------------------------------------------------------------------

void tst_ownership_management::unconditionalAttributeOwnershipDivestiture() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().unconditionalAttributeOwnershipDivestiture(instance, attributes);
  });
  REFUSES(t.b.divest(t.car, {"fuel"}), AttributeNotOwned);
  REFUSES(t.a.divest(t.car, {"fuel", "track"}), AttributeNotOwned);
  QVERIFY(t.a.owns(t.car, "fuel"));  // a refused request changes nothing
  t.a.divest(t.car, {"fuel"});
  QVERIFY(!t.a.owns(t.car, "fuel"));
  QVERIFY(t.a.owns(t.car, "position"));
  REFUSES(t.a.update(t.car, "Vehicle", {{"fuel", "1"}}), AttributeNotOwned);
  ACCEPTS(t.a.update(t.car, "Vehicle", {{"position", "1"}}));
  REFUSES(t.a.divest(t.car, {"fuel"}), AttributeNotOwned);
  QCOMPARE(t.b.take(), Lines({"reflect car position=1", "offered car fuel"}));
  // Who waits for it gets it without further ado.
  t.b.acquire(t.car, {"position"}, "please");
  t.c.acquire(t.car, {"position"}, "me too");
  QCOMPARE(t.a.take(), Lines({"asked car position #please", "asked car position #me too"}));
  t.a.divest(t.car, {"position"});
  QCOMPARE(t.b.take(), Lines({"acquired car position", "asked car position #me too"}));
  QVERIFY(t.b.owns(t.car, "position"));
  QCOMPARE(t.c.take(), Lines({"reflect car position=1", "offered car fuel"}));
}

void tst_ownership_management::negotiatedAttributeOwnershipDivestiture() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().negotiatedAttributeOwnershipDivestiture(instance, attributes, {});
  });
  REFUSES(t.b.offer(t.car, {"fuel"}), AttributeNotOwned);
  REFUSES(t.a.offer(t.car, {"fuel", "track"}), AttributeNotOwned);
  t.a.offer(t.car, {"fuel"}, "for free");
  REFUSES(t.a.offer(t.car, {"fuel", "position"}), AttributeAlreadyBeingDivested);
  QVERIFY(t.a.owns(t.car, "fuel"));  // until somebody takes it
  ACCEPTS(t.a.update(t.car, "Vehicle", {{"fuel", "1"}}));
  QCOMPARE(t.b.take(), Lines({"reflect car fuel=1", "offered car fuel #for free"}));
  QCOMPARE(t.c.take(), Lines({"reflect car fuel=1", "offered car fuel #for free"}));
  QCOMPARE(t.a.take(), Lines());
  t.b.acquireIfAvailable(t.car, {"fuel"});
  QCOMPARE(t.a.take(), Lines("confirm car fuel"));
  t.a.confirm(t.car, {"fuel"}, "yours");
  QCOMPARE(t.b.take(), Lines("acquired car fuel #yours"));
  QVERIFY(t.b.owns(t.car, "fuel"));
  // Where somebody waits already, there is nothing to be offered.
  t.c.acquire(t.car, {"position"}, "now");
  t.a.offer(t.car, {"position"});
  QCOMPARE(t.a.take(), Lines({"asked car position #now", "confirm car position"}));
  QCOMPARE(t.b.take(), Lines());
}

void tst_ownership_management::requestAttributeOwnershipAssumption() {
  Trio t(federation_);
  Owner d("d");  // knows the car, publishes nothing
  d.enter(federation_);
  d.subscribe("Vehicle", {"position"});
  QCOMPARE(d.take(), Lines("discover car as Vehicle"));
  t.a.offer(t.car, {"fuel", "position"}, "both");
  QCOMPARE(t.b.take(), Lines("offered car fuel,position #both"));
  QCOMPARE(t.a.take(), Lines());
  QCOMPARE(d.take(), Lines());
  // Each is offered what it publishes, when it does.
  d.publish("Vehicle", {"fuel"});
  QCOMPARE(d.take(), Lines("offered car fuel #both"));
  // What somebody has taken is no longer offered.
  t.b.acquireIfAvailable(t.car, {"position"});
  t.a.pump();
  t.a.confirm(t.car, {"position"});
  QCOMPARE(t.b.take(), Lines("acquired car position"));
  QCOMPARE(t.c.take(), Lines("offered car fuel #both"));
  d.publish("Vehicle", {"position"});
  QCOMPARE(d.take(), Lines());
  // Offered anew by its new owner; the privilege to delete can be given like any other.
  t.b.divest(t.car, {"position"});
  QCOMPARE(t.c.take(), Lines("offered car position"));
  QCOMPARE(d.take(), Lines("offered car position"));
  t.a.offer(t.car, {"HLAprivilegeToDeleteObject"});
  QCOMPARE(t.c.take(), Lines("offered car HLAprivilegeToDeleteObject"));
}

void tst_ownership_management::requestDivestitureConfirmation() {
  Trio t(federation_);
  t.a.offer(t.car, {"fuel", "position"});
  t.b.acquireIfAvailable(t.car, {"fuel"});
  QCOMPARE(t.a.take(), Lines("confirm car fuel"));
  t.c.acquire(t.car, {"fuel", "position"}, "tag");
  // Once for each attribute: that more than one waits makes no difference.
  QCOMPARE(t.a.take(), Lines("confirm car position"));
  QCOMPARE(t.b.take(), Lines());
  QVERIFY(t.a.owns(t.car, "fuel"));
}

void tst_ownership_management::confirmDivestiture() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().confirmDivestiture(instance, attributes, {});
  });
  REFUSES(t.b.confirm(t.car, {"fuel"}), AttributeNotOwned);
  t.a.offer(t.car, {"fuel"});
  REFUSES(t.a.confirm(t.car, {"fuel", "track"}), AttributeNotOwned);
  REFUSES(t.a.confirm(t.car, {"fuel", "position"}), AttributeDivestitureWasNotRequested);
  REFUSES(t.a.confirm(t.car, {"fuel"}), NoAcquisitionPending);
  t.b.acquireIfAvailable(t.car, {"fuel"});
  t.c.acquire(t.car, {"fuel"}, "next");
  t.a.confirm(t.car, {"fuel"}, "tag");
  QVERIFY(!t.a.owns(t.car, "fuel"));
  REFUSES(t.a.confirm(t.car, {"fuel"}), AttributeNotOwned);
  QCOMPARE(t.a.take(), Lines());  // the question came too late
  // First come, first served; the next one asks the new owner.
  QCOMPARE(t.b.take(), Lines({"acquired car fuel #tag", "asked car fuel #next"}));
  QVERIFY(t.b.owns(t.car, "fuel"));
  // Who has withdrawn gets nothing.
  t.a.offer(t.car, {"position"});
  t.c.acquire(t.car, {"position"});
  QCOMPARE(t.a.take(), Lines("confirm car position"));
  t.c.rti().cancelAttributeOwnershipAcquisition(t.car, t.c.of({"position"}));
  REFUSES(t.a.confirm(t.car, {"position"}), NoAcquisitionPending);
  QVERIFY(t.a.owns(t.car, "position"));
}

// --- acquisition ---------------------------------------------------------------------------------

void tst_ownership_management::attributeOwnershipAcquisitionNotification() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel", "position"}, "request");
  t.a.pump();
  QCOMPARE(t.a.divestIfWanted(t.car, {"fuel", "position"}), Lines({"fuel", "position"}));
  // It is an owner from the callback on, not before.
  QVERIFY(!t.b.owns(t.car, "fuel"));
  REFUSES(t.b.update(t.car, "Vehicle", {{"fuel", "1"}}), AttributeNotOwned);
  QCOMPARE(t.b.take(), Lines("acquired car fuel,position"));
  QVERIFY(t.b.owns(t.car, "fuel"));
  ACCEPTS(t.b.update(t.car, "Vehicle", {{"fuel", "1"}}));
  QCOMPARE(t.a.take(), Lines({"asked car fuel,position #request", "reflect car fuel=1"}));
  // The tag is that of the confirmation.
  t.b.offer(t.car, {"fuel"}, "offer");
  t.c.acquire(t.car, {"fuel"}, "request");
  t.b.confirm(t.car, {"fuel"}, "confirmation");
  t.c.take();
  QCOMPARE(t.c.linesWith("acquired"), Lines("acquired car fuel #confirmation"));
}

void tst_ownership_management::attributeOwnershipAcquisition() {
  Trio t(federation_);
  Owner d("d");
  d.enter(federation_);
  d.subscribe("Vehicle", {"position", "fuel"});
  d.take();
  refusesUnknown(t.b, t.car, [&](auto instance, const auto& attributes) {
    t.b.rti().attributeOwnershipAcquisition(instance, attributes, {});
  });
  REFUSES(t.a.acquire(t.car, {"fuel", "track"}), FederateOwnsAttributes);
  REFUSES(d.acquire(t.car, {"fuel"}), ObjectClassNotPublished);
  d.publish("Vehicle", {"position"});
  REFUSES(d.acquire(t.car, {"position", "fuel"}), AttributeNotPublished);
  REFUSES(t.b.acquire(t.car, {"track"}), AttributeNotPublished);
  QCOMPARE(t.a.take(), Lines());
  // What is owned has to be given; what is not is taken at once.
  t.b.acquire(t.car, {"fuel"}, "one");
  QCOMPARE(t.a.take(), Lines("asked car fuel #one"));
  QCOMPARE(t.b.take(), Lines());
  t.a.divest(t.car, {"position"});
  t.b.acquire(t.car, {"position"}, "two");
  QCOMPARE(t.b.take(), Lines("acquired car position"));
  QCOMPARE(t.a.take(), Lines());
  // Asked again: the newer tag counts.
  t.b.acquire(t.car, {"fuel"}, "again");
  QCOMPARE(t.a.take(), Lines("asked car fuel #again"));
  t.a.divest(t.car, {"fuel"});
  QCOMPARE(t.b.take(), Lines("acquired car fuel"));
}

void tst_ownership_management::attributeOwnershipAcquisitionIfAvailable() {
  Trio t(federation_);
  Owner d("d");
  d.enter(federation_);
  d.subscribe("Vehicle", {"position", "fuel"});
  d.take();
  refusesUnknown(t.b, t.car, [&](auto instance, const auto& attributes) {
    t.b.rti().attributeOwnershipAcquisitionIfAvailable(instance, attributes);
  });
  REFUSES(t.a.acquireIfAvailable(t.car, {"fuel", "track"}), FederateOwnsAttributes);
  REFUSES(d.acquireIfAvailable(t.car, {"fuel"}), ObjectClassNotPublished);
  REFUSES(t.b.acquireIfAvailable(t.car, {"fuel", "track"}), AttributeNotPublished);
  t.a.divest(t.car, {"position"});
  t.b.take();
  t.b.acquireIfAvailable(t.car, {"fuel", "position"});
  QCOMPARE(t.b.take(), Lines({"acquired car position", "unavailable car fuel"}));
  QCOMPARE(t.a.take(), Lines());  // its owner is not asked
  // While it is being divested it is to be had.
  t.a.offer(t.car, {"fuel"});
  t.b.acquireIfAvailable(t.car, {"fuel"});
  REFUSES(t.b.acquireIfAvailable(t.car, {"fuel"}), AttributeAlreadyBeingAcquired);
  t.c.acquire(t.car, {"fuel"});
  REFUSES(t.c.acquireIfAvailable(t.car, {"fuel"}), AttributeAlreadyBeingAcquired);
  // The willing one may become more than that.
  ACCEPTS(t.b.acquire(t.car, {"fuel"}, "serious"));
  QCOMPARE(t.a.take(), Lines("confirm car fuel"));
  t.a.rti().cancelNegotiatedAttributeOwnershipDivestiture(t.car, t.a.of({"fuel"}));
  QCOMPARE(t.a.take(), Lines({"asked car fuel #serious", "asked car fuel"}));
}

void tst_ownership_management::attributeOwnershipUnavailable() {
  Trio t(federation_);
  t.b.acquireIfAvailable(t.car, {"fuel", "position"});
  QCOMPARE(t.b.take(), Lines("unavailable car fuel,position"));
  // That was the answer: it may be asked for again.
  ACCEPTS(t.b.acquireIfAvailable(t.car, {"fuel"}));
  QCOMPARE(t.b.take(), Lines("unavailable car fuel"));
  // The second in line gets nothing when the first was served.
  t.a.offer(t.car, {"fuel"});
  t.b.acquireIfAvailable(t.car, {"fuel"});
  t.c.acquireIfAvailable(t.car, {"fuel"});
  t.a.confirm(t.car, {"fuel"});
  QCOMPARE(t.b.take(), Lines({"acquired car fuel"}));
  QCOMPARE(t.c.take(), Lines({"unavailable car fuel"}));
}

void tst_ownership_management::requestAttributeOwnershipRelease() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel", "position"}, "b");
  t.c.acquire(t.car, {"fuel"}, "c");
  QCOMPARE(t.a.take(), Lines({"asked car fuel,position #b", "asked car fuel #c"}));
  QCOMPARE(t.a.owned(t.car, {"fuel", "position"}), Lines({"fuel", "position"}));
  QCOMPARE(t.b.take() + t.c.take(), Lines());
  // An owner that is no longer one when the question comes is not asked.
  t.a.divest(t.car, {"fuel", "position"});
  t.b.take();
  t.c.acquire(t.car, {"position"}, "late");
  t.b.divest(t.car, {"position"});
  QCOMPARE(t.b.take(), Lines());
}

void tst_ownership_management::attributeOwnershipReleaseDenied() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().attributeOwnershipReleaseDenied(instance, attributes);
  });
  REFUSES(t.b.rti().attributeOwnershipReleaseDenied(t.car, t.b.of({"fuel"})), AttributeNotOwned);
  ACCEPTS(t.a.rti().attributeOwnershipReleaseDenied(t.car, t.a.of({"fuel"})));  // nobody has asked
  t.b.acquire(t.car, {"fuel", "position"});
  t.c.acquire(t.car, {"fuel"});
  t.a.rti().attributeOwnershipReleaseDenied(t.car, t.a.of({"fuel"}));
  QCOMPARE(t.b.take(), Lines("unavailable car fuel"));
  QCOMPARE(t.c.take(), Lines("unavailable car fuel"));
  // Those requests have ended, the other one has not.
  QCOMPARE(t.a.divestIfWanted(t.car, {"fuel", "position"}), Lines("position"));
  QCOMPARE(t.b.take(), Lines("acquired car position"));
  ACCEPTS(t.c.acquire(t.car, {"fuel"}));
}

void tst_ownership_management::attributeOwnershipDivestitureIfWanted() {
  Trio t(federation_);
  AttributeHandleSet divested;
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().attributeOwnershipDivestitureIfWanted(instance, attributes, divested);
  });
  REFUSES(t.b.divestIfWanted(t.car, {"fuel"}), AttributeNotOwned);
  divested = t.a.of({"fuel"});
  t.a.rti().attributeOwnershipDivestitureIfWanted(t.car, t.a.of({"fuel"}), divested);
  QVERIFY(divested.empty());
  QVERIFY(t.a.owns(t.car, "fuel"));
  t.b.acquire(t.car, {"fuel"}, "b");
  t.c.acquire(t.car, {"fuel"}, "c");
  t.a.rti().attributeOwnershipDivestitureIfWanted(t.car, t.a.of({"fuel", "position"}), divested);
  QVERIFY(divested == t.a.of({"fuel"}));
  QVERIFY(!t.a.owns(t.car, "fuel"));
  QVERIFY(t.a.owns(t.car, "position"));
  QCOMPARE(t.b.take(), Lines({"acquired car fuel", "asked car fuel #c"}));
  QCOMPARE(t.b.divestIfWanted(t.car, {"fuel"}), Lines("fuel"));
  QCOMPARE(t.c.take(), Lines("acquired car fuel"));
}

// --- cancellation --------------------------------------------------------------------------------

void tst_ownership_management::cancelNegotiatedAttributeOwnershipDivestiture() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().cancelNegotiatedAttributeOwnershipDivestiture(instance, attributes);
  });
  REFUSES(t.b.keep(t.car, {"fuel"}), AttributeNotOwned);
  REFUSES(t.a.keep(t.car, {"fuel"}), AttributeDivestitureWasNotRequested);
  t.a.offer(t.car, {"fuel"});
  REFUSES(t.a.keep(t.car, {"fuel", "position"}), AttributeDivestitureWasNotRequested);
  t.b.acquireIfAvailable(t.car, {"fuel"});
  t.a.keep(t.car, {"fuel"});
  QVERIFY(t.a.owns(t.car, "fuel"));
  QCOMPARE(t.b.take(), Lines("unavailable car fuel"));
  REFUSES(t.a.keep(t.car, {"fuel"}), AttributeDivestitureWasNotRequested);
  // Taken back before anybody was told: there is no offer any more.
  QCOMPARE(t.c.take(), Lines());
  ACCEPTS(t.a.offer(t.car, {"fuel"}, "once more"));
  QCOMPARE(t.c.take(), Lines("offered car fuel #once more"));
}

void tst_ownership_management::cancelAttributeOwnershipAcquisition() {
  Trio t(federation_);
  refusesUnknown(t.a, t.car, [&](auto instance, const auto& attributes) {
    t.a.rti().cancelAttributeOwnershipAcquisition(instance, attributes);
  });
  REFUSES(t.a.cancel(t.car, {"fuel"}), AttributeAlreadyOwned);
  REFUSES(t.b.cancel(t.car, {"fuel"}), AttributeAcquisitionWasNotRequested);
  t.a.offer(t.car, {"position"});
  t.b.acquireIfAvailable(t.car, {"position"});
  // Willing is not the same as requesting.
  REFUSES(t.b.cancel(t.car, {"position"}), AttributeAcquisitionWasNotRequested);
  t.b.acquire(t.car, {"fuel"});
  t.b.cancel(t.car, {"fuel"});
  QCOMPARE(t.b.take(), Lines("cancelled car fuel"));
  QCOMPARE(t.a.divestIfWanted(t.car, {"fuel"}), Lines());
  REFUSES(t.b.cancel(t.car, {"fuel"}), AttributeAcquisitionWasNotRequested);
  // Too late: it is given already, and the notification on its way is the answer.
  t.b.acquire(t.car, {"fuel"});
  t.a.divest(t.car, {"fuel"});
  ACCEPTS(t.b.cancel(t.car, {"fuel"}));
  QCOMPARE(t.b.take(), Lines("acquired car fuel"));
  QVERIFY(t.b.owns(t.car, "fuel"));
  REFUSES(t.b.cancel(t.car, {"fuel"}), AttributeAlreadyOwned);
}

void tst_ownership_management::confirmAttributeOwnershipAcquisitionCancellation() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel", "position"});
  t.b.rti().cancelAttributeOwnershipAcquisition(t.car, t.b.of({"fuel", "position"}));
  QCOMPARE(t.b.take(), Lines("cancelled car fuel,position"));
  // The offer that was held back for the one in line goes to the others again.
  t.b.take();
  t.a.offer(t.car, {"fuel"}, "tag");
  t.b.acquire(t.car, {"fuel"});
  t.c.take();
  t.b.rti().cancelAttributeOwnershipAcquisition(t.car, t.b.of({"fuel"}));
  QCOMPARE(t.c.take(), Lines("offered car fuel #tag"));
}

// --- queries -------------------------------------------------------------------------------------

void tst_ownership_management::queryAttributeOwnership() {
  Trio t(federation_);
  const auto fuel = t.a.attribute("Vehicle", "fuel");
  REFUSES(t.b.rti().queryAttributeOwnership(ObjectInstanceHandle(), fuel), ObjectInstanceNotKnown);
  REFUSES(t.b.rti().queryAttributeOwnership(t.car, AttributeHandle()), AttributeNotDefined);
  REFUSES(t.b.rti().queryAttributeOwnership(t.car, t.b.attribute("Vehicle.Truck", "load")),
          AttributeNotDefined);
  t.b.rti().queryAttributeOwnership(t.car, fuel);
  t.b.rti().queryAttributeOwnership(t.car, t.b.attribute("Vehicle", "track"));
  QCOMPARE(t.b.take(), Lines({"owner car fuel a", "unowned car track"}));
  t.a.rti().queryAttributeOwnership(t.car, fuel);
  QCOMPARE(t.a.take(), Lines("owner car fuel a"));
}

void tst_ownership_management::informAttributeOwnership() {
  Trio t(federation_);
  t.b.acquire(t.car, {"fuel"});
  t.a.divest(t.car, {"fuel"});
  const auto fuel = t.a.attribute("Vehicle", "fuel");
  t.c.rti().queryAttributeOwnership(t.car, fuel);
  QCOMPARE(t.c.take(), Lines("owner car fuel b"));
  t.a.rti().queryAttributeOwnership(t.car, t.a.attribute("Vehicle", "position"));
  QCOMPARE(t.a.linesWith("owner"), Lines());  // by callback
  t.a.take();
  QCOMPARE(t.a.linesWith("owner"), Lines("owner car position a"));
}

void tst_ownership_management::attributeIsNotOwned() {
  Trio t(federation_);
  t.a.divest(t.car, {"fuel"});
  const auto fuel = t.a.attribute("Vehicle", "fuel");
  t.a.rti().queryAttributeOwnership(t.car, fuel);
  t.b.rti().queryAttributeOwnership(t.car, fuel);
  QCOMPARE(t.a.take(), Lines("unowned car fuel"));
  QCOMPARE(t.b.take(), Lines({"offered car fuel", "unowned car fuel"}));
}

void tst_ownership_management::attributeIsOwnedByRTI() {
  // What the RTI itself keeps, the objects of the MOM, is no federate's and nobody's to have.
  const QString federateClass = "HLAmanager.HLAfederate";
  Owner a("a");
  a.enter(federation_);
  a.subscribe(federateClass, {"HLAfederateName"});
  QVERIFY(a.expect("discover"));
  Owner b("b");  // joins when the objects are there
  b.enter(federation_);
  b.subscribe(federateClass, {"HLAfederateName"});
  QVERIFY(a.expect("discover", 2));
  QVERIFY(b.expect("discover", 2));
  const QString name = a.linesWith("discover").first().section(' ', 1, 1);
  const auto instance = a.rti().getObjectInstanceHandle(wide(name));
  const Lines attributes{"HLAfederateName", "HLAlogicalTime", "HLAprivilegeToDeleteObject"};
  a.publish(federateClass, {"HLAfederateName"});
  for (Owner* m : {&a, &b}) {
    m->pump();
    m->clearLog();
    Lines wanted;
    for (const QString& attribute : attributes) {
      m->rti().queryAttributeOwnership(instance, m->attribute(federateClass, attribute));
      QVERIFY(
          !m->rti().isAttributeOwnedByFederate(instance, m->attribute(federateClass, attribute)));
      wanted << "RTI's " + name + " " + attribute;
    }
    QCOMPARE(m->linesWith("RTI's"), Lines());  // by callback
    m->pump();
    QCOMPARE(m->linesWith("RTI's"), wanted);
    QCOMPARE(m->count("owner") + m->count("unowned"), 0);
  }
  a.rti().attributeOwnershipAcquisitionIfAvailable(
      instance, a.attributes(federateClass, {"HLAfederateName"}));
  QVERIFY(a.expect("unavailable " + name + " HLAfederateName"));
  REFUSES(a.rti().deleteObjectInstance(instance, VariableLengthData()), DeletePrivilegeNotHeld);
}

void tst_ownership_management::isAttributeOwnedByFederate() {
  Trio t(federation_);
  const auto fuel = t.a.attribute("Vehicle", "fuel");
  REFUSES(t.a.rti().isAttributeOwnedByFederate(ObjectInstanceHandle(), fuel),
          ObjectInstanceNotKnown);
  REFUSES(t.a.rti().isAttributeOwnedByFederate(t.car, AttributeHandle()), AttributeNotDefined);
  REFUSES(t.a.rti().isAttributeOwnedByFederate(t.car, t.a.attribute("Vehicle.Truck", "load")),
          AttributeNotDefined);
  QVERIFY(t.a.rti().isAttributeOwnedByFederate(t.car, fuel));
  QVERIFY(!t.a.rti().isAttributeOwnedByFederate(t.car, t.a.attribute("Vehicle", "track")));
  QVERIFY(!t.b.rti().isAttributeOwnedByFederate(t.car, fuel));
  QVERIFY(t.a.owns(t.car, "HLAprivilegeToDeleteObject"));
}

// --- relevance of attributes (6.21, 6.22, 10.35, 10.36) ------------------------------------------

void tst_ownership_management::turnUpdatesOnForObjectInstance() {
  Owner a("a"), b("b"), c("c");
  for (Owner* m : {&a, &b, &c}) m->enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  a.rti().enableAttributeRelevanceAdvisorySwitch();
  const auto car = a.registerNamed("Vehicle", "car");
  QCOMPARE(a.take().last(), QString("reserved car"));  // nobody wants it
  const auto vehicle = b.objectClass("Vehicle");
  b.rti().subscribeObjectClassAttributes(vehicle, b.of({"position"}), false);  // nor this
  b.rti().subscribeObjectClassAttributes(vehicle, b.of({"fuel"}), true, L"Slow");
  QCOMPARE(a.take(), Lines("on at Slow car fuel"));
  c.rti().subscribeObjectClassAttributes(vehicle, c.of({"position", "fuel"}), true, L"Fast");
  QCOMPARE(a.take(), Lines("on at Fast car fuel,position"));
  c.subscribe("Vehicle", {"fuel"});
  QCOMPARE(a.take(), Lines("on car fuel"));
  // From the start, and for who acquires.
  a.registerNamed("Vehicle", "other");
  QVERIFY(a.expect("on car fuel"));
  QCOMPARE(a.take().mid(1), Lines({"on other fuel", "on at Fast other position"}));
  c.take();
  c.publish("Vehicle", {"position"});
  c.rti().enableAttributeRelevanceAdvisorySwitch();
  a.divest(car, {"position"});
  c.acquire(car, {"position"});
  QVERIFY(c.expect("acquired car position"));
  QCOMPARE(c.linesWith("on"), Lines());  // b wants it passively only
  b.subscribe("Vehicle", {"position"});
  QVERIFY(c.expect("on car position"));
}

void tst_ownership_management::turnUpdatesOffForObjectInstance() {
  Trio t(federation_);
  t.a.rti().enableAttributeRelevanceAdvisorySwitch();
  QCOMPARE(t.a.take(), Lines("on car fuel,position"));
  t.b.rti().unsubscribeObjectClass(t.b.objectClass("Vehicle"));
  QCOMPARE(t.a.take(), Lines());  // c still wants it
  t.c.rti().unsubscribeObjectClassAttributes(t.c.objectClass("Vehicle"), t.c.of({"fuel"}));
  QCOMPARE(t.a.take(), Lines("off car fuel"));
  t.c.leave(CANCEL_THEN_DELETE_THEN_DIVEST);
  QVERIFY(t.a.expect("off car position"));
  QCOMPARE(t.b.linesWith("off"), Lines());
}

void tst_ownership_management::enableAttributeRelevanceAdvisorySwitch() {
  Trio t(federation_);
  QCOMPARE(t.a.take(), Lines());  // off as the object model says
  ACCEPTS(t.a.rti().enableAttributeRelevanceAdvisorySwitch());
  REFUSES(t.a.rti().enableAttributeRelevanceAdvisorySwitch(), AttributeRelevanceAdvisorySwitchIsOn);
  QCOMPARE(t.a.take(), Lines("on car fuel,position"));
}

void tst_ownership_management::disableAttributeRelevanceAdvisorySwitch() {
  Trio t(federation_);
  REFUSES(t.a.rti().disableAttributeRelevanceAdvisorySwitch(),
          AttributeRelevanceAdvisorySwitchIsOff);
  t.a.rti().enableAttributeRelevanceAdvisorySwitch();
  t.a.take();
  ACCEPTS(t.a.rti().disableAttributeRelevanceAdvisorySwitch());
  for (Owner* m : {&t.b, &t.c}) m->rti().unsubscribeObjectClass(m->objectClass("Vehicle"));
  QCOMPARE(t.a.take(), Lines());
  // Told when the switch is on again.
  t.a.rti().enableAttributeRelevanceAdvisorySwitch();
  QCOMPARE(t.a.take(), Lines("off car fuel,position"));
}

CONFORMANCE_MAIN(tst_ownership_management)
#include "tst_ownership_management.moc"
