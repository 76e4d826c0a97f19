// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 5: publication and subscription, and the advisories that follow from
// them. One test function for each service and callback, of its name.
#include "member.h"

using namespace rti1516e;

class tst_declaration_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("declarations"); }
  void publishObjectClassAttributes();
  void unpublishObjectClass();
  void unpublishObjectClassAttributes();
  void publishInteractionClass();
  void unpublishInteractionClass();
  void subscribeObjectClassAttributes();
  void unsubscribeObjectClass();
  void unsubscribeObjectClassAttributes();
  void subscribeInteractionClass();
  void unsubscribeInteractionClass();
  void startRegistrationForObjectClass();
  void stopRegistrationForObjectClass();
  void turnInteractionsOn();
  void turnInteractionsOff();
  void passiveSubscriptions();
};

void tst_declaration_management::publishObjectClassAttributes() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto vehicle = a.objectClass("Vehicle");
  REFUSES(a.rti().publishObjectClassAttributes(ObjectClassHandle(), {}), ObjectClassNotDefined);
  REFUSES(a.rti().publishObjectClassAttributes(vehicle, {AttributeHandle()}), AttributeNotDefined);
  REFUSES(a.rti().publishObjectClassAttributes(vehicle, a.attributes("Vehicle.Truck", {"load"})),
          AttributeNotDefined);
  REFUSES(a.registerInstance("Vehicle"), ObjectClassNotPublished);
  a.rti().publishObjectClassAttributes(vehicle, {});  // nothing is published by that
  REFUSES(a.registerInstance("Vehicle"), ObjectClassNotPublished);

  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto first = a.registerInstance("Vehicle");
  ACCEPTS(a.update(first, "Vehicle", {{"position", "1"}}));
  REFUSES(a.update(first, "Vehicle", {{"fuel", "1"}}), AttributeNotOwned);
  // A class alone: neither its superclass nor its subclasses are published by it.
  REFUSES(a.registerInstance("Vehicle.Truck"), ObjectClassNotPublished);
  // Further attributes add to those published before.
  a.publish("Vehicle", {"fuel"});
  const auto second = a.registerInstance("Vehicle");
  ACCEPTS(a.update(second, "Vehicle", {{"position", "2"}, {"fuel", "2"}}));
  // The privilege to delete comes with the class (5.2).
  ACCEPTS(a.rti().deleteObjectInstance(second, {}));
  b.pump();
  QCOMPARE(b.count("discover"), 2);
  QCOMPARE(b.count("reflect"), 2);
  QCOMPARE(b.count("remove"), 1);
  // Inherited attributes are published with a subclass.
  a.publish("Vehicle.Truck", {"position", "load"});
  const auto truck = a.registerInstance("Vehicle.Truck");
  ACCEPTS(a.update(truck, "Vehicle.Truck", {{"position", "3"}, {"load", "3"}}));
}

void tst_declaration_management::unpublishObjectClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribe("Vehicle", {"position", "fuel"});
  REFUSES(a.rti().unpublishObjectClass(ObjectClassHandle()), ObjectClassNotDefined);
  ACCEPTS(a.rti().unpublishObjectClass(a.objectClass("Vehicle")));  // was not published
  a.publish("Vehicle", {"position", "fuel"});
  a.publish("Vehicle.Truck", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  const auto truck = a.registerNamed("Vehicle.Truck", "truck");
  a.rti().unpublishObjectClass(a.objectClass("Vehicle"));
  REFUSES(a.registerInstance("Vehicle"), ObjectClassNotPublished);
  // What is no longer published is no longer owned, the privilege to delete included (5.3).
  REFUSES(a.update(car, "Vehicle", {{"position", "1"}}), AttributeNotOwned);
  REFUSES(a.rti().deleteObjectInstance(car, {}), DeletePrivilegeNotHeld);
  // The subclass is published as before.
  ACCEPTS(a.update(truck, "Vehicle.Truck", {{"position", "2"}}));
  ACCEPTS(a.registerInstance("Vehicle.Truck"));
  b.pump();
  QCOMPARE(b.linesWith("reflect"), QStringList("reflect truck position=2"));
  QCOMPARE(b.count("remove"), 0);  // the instance lives on without an owner
  QVERIFY(b.rti().getObjectInstanceHandle(L"car") == car);
  // Publishing again does not bring the ownership back.
  a.publish("Vehicle", {"position"});
  REFUSES(a.update(car, "Vehicle", {{"position", "3"}}), AttributeNotOwned);
  a.rti().deleteObjectInstance(truck, {});
  a.rti().unpublishObjectClass(a.objectClass("Vehicle.Truck"));
  ACCEPTS(a.rti().resignFederationExecution(NO_ACTION));  // owns nothing any more
}

void tst_declaration_management::unpublishObjectClassAttributes() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto vehicle = a.objectClass("Vehicle");
  REFUSES(a.rti().unpublishObjectClassAttributes(ObjectClassHandle(), {}), ObjectClassNotDefined);
  REFUSES(a.rti().unpublishObjectClassAttributes(vehicle, a.attributes("Vehicle.Truck", {"load"})),
          AttributeNotDefined);
  ACCEPTS(a.rti().unpublishObjectClassAttributes(vehicle, a.attributes("Vehicle", {"hint"})));
  a.publish("Vehicle", {"position", "fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  a.rti().unpublishObjectClassAttributes(vehicle, a.attributes("Vehicle", {"fuel"}));
  ACCEPTS(a.update(car, "Vehicle", {{"position", "1"}}));
  REFUSES(a.update(car, "Vehicle", {{"position", "2"}, {"fuel", "2"}}), AttributeNotOwned);
  QVERIFY(b.expect("reflect car position=1"));
  // An empty set is no class: nothing ends.
  ACCEPTS(a.rti().unpublishObjectClassAttributes(vehicle, {}));
  ACCEPTS(a.update(car, "Vehicle", {{"position", "1"}}));
  QVERIFY(b.expect("reflect car position=1", 2));
  const auto next = a.registerInstance("Vehicle");
  REFUSES(a.update(next, "Vehicle", {{"fuel", "3"}}), AttributeNotOwned);
  // With the last attribute the class is no longer published.
  a.rti().unpublishObjectClassAttributes(vehicle, a.attributes("Vehicle", {"position"}));
  REFUSES(a.registerInstance("Vehicle"), ObjectClassNotPublished);
  REFUSES(a.update(car, "Vehicle", {{"position", "4"}}), AttributeNotOwned);
  b.pump();
  QCOMPARE(b.count("reflect"), 2);
}

void tst_declaration_management::publishInteractionClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribeInteraction("Message");
  REFUSES(a.rti().publishInteractionClass(InteractionClassHandle()), InteractionClassNotDefined);
  REFUSES(a.send("Message", {}), InteractionClassNotPublished);
  a.publishInteraction("Message");
  ACCEPTS(a.publishInteraction("Message"));
  ACCEPTS(a.send("Message", {{"text", "1"}}));
  REFUSES(a.send("Message.Order", {}), InteractionClassNotPublished);
  a.publishInteraction("Message.Order");
  ACCEPTS(a.send("Message.Order", {{"text", "2"}, {"urgency", "now"}}));
  QCOMPARE(b.take(), QStringList({"receive Message text=1", "receive Message text=2"}));
}

void tst_declaration_management::unpublishInteractionClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribeInteraction("Message");
  REFUSES(a.rti().unpublishInteractionClass(InteractionClassHandle()), InteractionClassNotDefined);
  ACCEPTS(a.rti().unpublishInteractionClass(a.interactionClass("Message")));
  a.publishInteraction("Message");
  a.publishInteraction("Message.Order");
  a.send("Message", {{"text", "1"}});
  a.rti().unpublishInteractionClass(a.interactionClass("Message"));
  REFUSES(a.send("Message", {}), InteractionClassNotPublished);
  ACCEPTS(a.send("Message.Order", {{"text", "2"}}));
  QCOMPARE(b.take(), QStringList({"receive Message text=1", "receive Message text=2"}));
}

void tst_declaration_management::subscribeObjectClassAttributes() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto vehicle = b.objectClass("Vehicle");
  REFUSES(b.rti().subscribeObjectClassAttributes(ObjectClassHandle(), {}), ObjectClassNotDefined);
  REFUSES(b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle.Truck", {"load"})),
          AttributeNotDefined);
  REFUSES(b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"position"}),
                                                 true, L"Sometimes"),
          InvalidUpdateRateDesignator);
  a.publish("Vehicle", {"position", "fuel"});
  a.publish("Vehicle.Truck", {"position", "load"});
  a.publish("Depot", {"stock"});
  const auto car = a.registerNamed("Vehicle", "car");
  b.rti().subscribeObjectClassAttributes(vehicle, {});  // nothing is subscribed by that
  QCOMPARE(b.take(), QStringList());

  // What is there is discovered, instances of subclasses too, each as the subscribed class.
  const auto truck = a.registerNamed("Vehicle.Truck", "truck");
  a.registerNamed("Depot", "depot");
  b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"position"}), true,
                                         L"Fast");
  QStringList discovered = b.take();
  discovered.sort();
  QCOMPARE(discovered, QStringList({"discover car as Vehicle", "discover truck as Vehicle"}));
  a.update(car, "Vehicle", {{"position", "1"}, {"fuel", "1"}});
  a.update(truck, "Vehicle.Truck", {{"position", "2"}, {"load", "2"}});
  QCOMPARE(b.take(), QStringList({"reflect car position=1", "reflect truck position=2"}));
  // Further attributes add to those subscribed before.
  b.subscribe("Vehicle", {"fuel"});
  a.update(car, "Vehicle", {{"position", "3"}, {"fuel", "3"}});
  QCOMPARE(b.take(), QStringList({"reflect car position=3,fuel=3"}));
  // A subscription of the subclass counts for what is discovered from then on (known class, 6.9).
  b.subscribe("Vehicle.Truck", {"load"});
  a.update(truck, "Vehicle.Truck", {{"position", "4"}, {"load", "4"}});
  QCOMPARE(b.take(), QStringList({"reflect truck position=4"}));
  const auto later = a.registerNamed("Vehicle.Truck", "later");
  a.update(later, "Vehicle.Truck", {{"position", "5"}, {"load", "5"}});
  QCOMPARE(b.take(), QStringList({"discover later as Truck", "reflect later load=5"}));
}

void tst_declaration_management::unsubscribeObjectClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(b.rti().unsubscribeObjectClass(ObjectClassHandle()), ObjectClassNotDefined);
  ACCEPTS(b.rti().unsubscribeObjectClass(b.objectClass("Vehicle")));
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  a.update(car, "Vehicle", {{"position", "1"}});
  QCOMPARE(b.take(), QStringList({"discover car as Vehicle", "reflect car position=1"}));
  a.update(car, "Vehicle", {{"position", "2"}});  // on its way when the subscription ends
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  a.update(car, "Vehicle", {{"position", "3"}});
  a.registerNamed("Vehicle", "other");
  QCOMPARE(b.take(), QStringList());
  QCOMPARE(b.nameOfInstance(car), QString("car"));  // known all the same
  b.subscribe("Vehicle", {"position"});
  a.update(car, "Vehicle", {{"position", "4"}});
  QCOMPARE(b.take(), QStringList({"discover other as Vehicle", "reflect car position=4"}));
}

void tst_declaration_management::unsubscribeObjectClassAttributes() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto vehicle = b.objectClass("Vehicle");
  REFUSES(b.rti().unsubscribeObjectClassAttributes(ObjectClassHandle(), {}), ObjectClassNotDefined);
  REFUSES(
      b.rti().unsubscribeObjectClassAttributes(vehicle, b.attributes("Vehicle.Truck", {"load"})),
      AttributeNotDefined);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position", "fuel"});
  const auto car = a.registerNamed("Vehicle", "car");
  ACCEPTS(b.rti().unsubscribeObjectClassAttributes(vehicle, {}));  // an empty set ends nothing
  a.update(car, "Vehicle", {{"position", "0"}});
  QCOMPARE(b.take(), QStringList({"discover car as Vehicle", "reflect car position=0"}));
  b.rti().unsubscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"fuel", "hint"}));
  a.update(car, "Vehicle", {{"position", "1"}, {"fuel", "1"}});
  a.update(car, "Vehicle", {{"fuel", "2"}});
  QCOMPARE(b.take(), QStringList("reflect car position=1"));
  b.rti().unsubscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"position"}));
  a.update(car, "Vehicle", {{"position", "3"}});
  a.registerNamed("Vehicle", "other");
  QCOMPARE(b.take(), QStringList());  // with the last attribute, discoveries end too
}

void tst_declaration_management::subscribeInteractionClass() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  REFUSES(b.rti().subscribeInteractionClass(InteractionClassHandle()), InteractionClassNotDefined);
  a.publishInteraction("Message");
  a.publishInteraction("Message.Order");
  a.send("Message", {{"text", "too early"}});
  b.subscribeInteraction("Message");
  c.subscribeInteraction("Message.Order");
  a.send("Message", {{"text", "1"}});
  a.send("Message.Order", {{"text", "2"}, {"urgency", "now"}});
  // One of a subclass comes as the closest subscribed class, with the parameters of that (6.13).
  QCOMPARE(b.take(), QStringList({"receive Message text=1", "receive Message text=2"}));
  QCOMPARE(c.take(), QStringList({"receive Order text=2,urgency=now"}));
  b.subscribeInteraction("Message.Order");
  a.send("Message.Order", {{"text", "3"}, {"urgency", "soon"}});
  QCOMPARE(b.take(), QStringList({"receive Order text=3,urgency=soon"}));  // once, not twice
  // Who sends does not receive what it sends itself.
  a.subscribeInteraction("Message");
  a.send("Message", {{"text", "4"}});
  QCOMPARE(a.take().filter("receive"), QStringList());
}

void tst_declaration_management::unsubscribeInteractionClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(b.rti().unsubscribeInteractionClass(InteractionClassHandle()),
          InteractionClassNotDefined);
  ACCEPTS(b.rti().unsubscribeInteractionClass(b.interactionClass("Message")));
  a.publishInteraction("Message");
  a.publishInteraction("Message.Order");
  b.subscribeInteraction("Message");
  b.subscribeInteraction("Message.Order");
  a.send("Message", {{"text", "1"}});
  QCOMPARE(b.take(), QStringList("receive Message text=1"));
  a.send("Message", {{"text", "2"}});  // on its way when the subscription ends
  b.rti().unsubscribeInteractionClass(b.interactionClass("Message"));
  a.send("Message", {{"text", "3"}});
  a.send("Message.Order", {{"text", "4"}});
  QCOMPARE(b.take(), QStringList("receive Order text=4"));
}

// --- advisories ----------------------------------------------------------------------------------

void tst_declaration_management::startRegistrationForObjectClass() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle.Truck", {"position"});
  b.publish("Vehicle.Truck", {"load"});
  a.subscribe("Depot", {"stock"});
  QCOMPARE(a.take(), QStringList());
  b.subscribe("Vehicle.Truck", {"load"});  // nothing that a publishes
  QCOMPARE(a.take(), QStringList());
  QCOMPARE(b.take(), QStringList());  // one's own subscription is of no interest
  b.subscribe("Vehicle", {"position"});
  QCOMPARE(a.take(), QStringList("start Truck"));
  b.subscribe("Vehicle.Truck", {"position"});
  QCOMPARE(a.take(), QStringList());  // told once
  // What is published while somebody is interested already.
  b.publish("Depot", {"stock"});
  QCOMPARE(b.take(), QStringList("start Depot"));
}

void tst_declaration_management::stopRegistrationForObjectClass() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position"});
  c.subscribe("Vehicle", {"fuel"});
  QCOMPARE(a.take(), QStringList("start Vehicle"));
  b.rti().unsubscribeObjectClass(b.objectClass("Vehicle"));
  QCOMPARE(a.take(), QStringList());
  c.leave();
  QCOMPARE(a.take(), QStringList("stop Vehicle"));
  b.subscribe("Vehicle", {"position"});
  QCOMPARE(a.take(), QStringList("start Vehicle"));
}

void tst_declaration_management::turnInteractionsOn() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Message.Order");
  a.subscribeInteraction("Message.Order");
  QCOMPARE(a.take(), QStringList());
  b.subscribeInteraction("Event");
  QCOMPARE(a.take(), QStringList());
  b.subscribeInteraction("Message");  // of a superclass
  QCOMPARE(a.take(), QStringList("on Order"));
  b.subscribeInteraction("Message.Order");
  QCOMPARE(a.take(), QStringList());
  a.publishInteraction("Event");
  QCOMPARE(a.take(), QStringList("on Event"));
}

void tst_declaration_management::turnInteractionsOff() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  c.subscribeInteraction("Message");
  QCOMPARE(a.take(), QStringList("on Message"));
  b.rti().unsubscribeInteractionClass(b.interactionClass("Message"));
  QCOMPARE(a.take(), QStringList());
  c.leave();
  QCOMPARE(a.take(), QStringList("off Message"));
}

void tst_declaration_management::passiveSubscriptions() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.rti().subscribeObjectClassAttributes(b.objectClass("Vehicle"),
                                         b.attributes("Vehicle", {"position"}), false);
  b.rti().subscribeInteractionClass(b.interactionClass("Message"), false);
  const auto car = a.registerNamed("Vehicle", "car");
  a.update(car, "Vehicle", {{"position", "1"}});
  a.send("Message", {{"text", "1"}});
  // All is delivered, but nobody is told of the interest.
  QCOMPARE(b.take(), QStringList({"discover car as Vehicle", "reflect car position=1",
                                  "receive Message text=1"}));
  QCOMPARE(a.take(), QStringList("reserved car"));
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  QCOMPARE(a.take(), QStringList({"start Vehicle", "on Message"}));
  b.rti().subscribeObjectClassAttributes(b.objectClass("Vehicle"),
                                         b.attributes("Vehicle", {"position"}), false);
  b.rti().subscribeInteractionClass(b.interactionClass("Message"), false);
  QCOMPARE(a.take(), QStringList({"stop Vehicle", "off Message"}));
}

CONFORMANCE_MAIN(tst_declaration_management)
#include "tst_declaration_management.moc"
