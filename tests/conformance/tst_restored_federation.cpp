// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, 4.24 to 4.32: what has to hold for a federation execution that takes the place
// of another one, while its federates return to it and after.
#include <csignal>

#include "saved_owner.h"
#include "stopping_node.h"

using namespace rti1516e;

namespace {

/// Two vehicles of `a` that `b` knows, and of the truck b owns the track, are saved and restored; b
/// has returned, and a has not.
struct Returning {
  explicit Returning(const QString& federation) {
    for (SavedOwner* one : {&a, &b}) {
      one->enter(federation);
      one->publish("Vehicle", {"position", "fuel", "track"});
      one->subscribe("Vehicle", {"position", "fuel", "track"});
    }
    a.rti().unpublishObjectClassAttributes(a.objectClass("Vehicle"),
                                           a.attributes("Vehicle", {"track"}));
    car = a.registerNamed("Vehicle", "car");
    truck = a.registerNamed("Vehicle", "truck");
    b.expect("discover", 2);
    b.rti().attributeOwnershipAcquisition(truck, b.attributes("Vehicle", {"track"}), data(""));
    b.expect("acquired truck track");
  }
  bool returnOf(SavedOwner& first) {
    if (!save({&a, &b}, L"s")) return false;
    first.rti().requestFederationRestore(L"s");
    const bool returned = all({&a, &b}, "initiate restore") && first.expect("restored");
    first.clearLog();
    return returned;
  }
  AttributeHandle privilege() { return b.attribute("Vehicle", "HLAprivilegeToDeleteObject"); }

  SavedOwner a{"a"}, b{"b"};
  ObjectInstanceHandle car, truck;
};

}  // namespace

class tst_restored_federation : public QObject {
  Q_OBJECT

  OwnSaves saves_;
  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("restored"); }
  void nothingFromBeforeComesAfter();
  void aLaterNodeRestores();
  void aFailedRestoreChangesNothing();
  void whatWasDeclaredWhileOthersReturn();
  void whatWasToldWhileOthersReturn();
  void ownershipWhileOthersReturn();
  void whatIsDeletedWhileItsRegistrantReturns();
  void theStopTimeAndAPauseStay();
  void thePaceStaysAndNothingIsCaughtUp();
  void settingsAreRestored();
  void theRegistrantDoesNotReturn_data();
  void theRegistrantDoesNotReturn();
};

void tst_restored_federation::nothingFromBeforeComesAfter() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(save({&a, &b}, L"s"));
  b.willing = a.willing = false;
  b.rti().requestFederationRestore(L"s");
  for (int i = 0; i < 1000; ++i) a.send("Message", {{"text", "old"}});
  QVERIFY(all({&a, &b}, "initiate restore"));
  const int before = b.count("receive");
  a.rti().federateRestoreComplete();
  b.rti().federateRestoreComplete();
  QVERIFY(all({&a, &b}, "restored"));
  a.send("Message", {{"text", "new"}});
  QVERIFY(b.pumpUntil([&] { return b.log().last().contains("new"); }));
  QCOMPARE(b.count("receive"), before + 1);
}

void tst_restored_federation::aLaterNodeRestores() {
  FederateHandle handleOfB, handleOfGone;
  ObjectInstanceHandle instance;
  {
    Saver a("a"), b("b"), gone("gone");
    gone.enter(federation_);
    a.enter(federation_);
    b.enter(federation_);
    handleOfGone = gone.handle();
    gone.rti().resignFederationExecution(NO_ACTION);
    handleOfB = b.handle();
    a.publish("Vehicle", {"position"});
    b.subscribe("Vehicle", {"position"});
    instance = a.registerInstance("Vehicle");
    QVERIFY(b.expect("discover"));
    QVERIFY(save({&a, &b}, L"evening"));
    gone.rti().disconnect();
    a.leave(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
    b.leave(NO_ACTION);
  }
  // The node leaves with its last connection once no execution exists.
  const int pid = OwnNode::pidOf(node_.name());
  QVERIFY(pid > 0);
  QCOMPARE(::kill(pid, SIGKILL), 0);
  QTRY_VERIFY(OwnNode::pidOf(node_.name()) <= 0);

  // Joined the other way round, so that they first have other handles.
  Saver b("b"), a("a");
  b.enter(federation_);
  a.enter(federation_);
  QVERIFY(b.handle() != handleOfB);
  QVERIFY(restore({&a, &b}, L"evening"));
  QVERIFY(b.restoredHandle == handleOfB);
  // Who had left before the save is remembered.
  QCOMPARE(narrow(a.rti().getFederateName(handleOfGone)), QString("gone"));
  a.update(instance, "Vehicle", {{"position", "1"}});
  QVERIFY(b.pumpUntil([&] { return b.reflections == 1; }));
  QCOMPARE(b.count("discover"), 0);
  // The instance is a's again: it can be deleted.
  a.rti().deleteObjectInstance(instance, data(""));
  QVERIFY(b.expect("remove"));
}

void tst_restored_federation::aFailedRestoreChangesNothing() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = false;
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  a.rti().requestFederationRestore(L"s");
  a.update(instance, "Vehicle", {{"position", "1"}});
  QVERIFY(all({&a, &b}, "initiate restore"));
  a.rti().federateRestoreComplete();
  b.rti().federateRestoreNotComplete();
  QVERIFY(all({&a, &b}, "not restored 1"));
  a.update(instance, "Vehicle", {{"position", "2"}});
  QVERIFY(b.pumpUntil([&] { return b.reflections == 2; }));
}

void tst_restored_federation::whatWasDeclaredWhileOthersReturn() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.registerInstance("Vehicle");
  QVERIFY(save({&a, &b}, L"s"));
  a.willing = b.willing = true;
  b.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  // b is back before a has brought its instances, and subscribes.
  QVERIFY(b.expect("restored"));
  QCOMPARE(a.count("restored"), 0);
  b.subscribe("Vehicle", {"position"});
  b.pump();
  QVERIFY(turns({&a, &b}, [&] { return b.count("discover") == 1; }));
}

void tst_restored_federation::whatWasToldWhileOthersReturn() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  QVERIFY(save({&a, &b}, L"s"));
  b.rti().requestFederationRestore(L"s");
  QVERIFY(all({&a, &b}, "initiate restore"));
  QVERIFY(b.expect("restored"));
  QCOMPARE(a.count("restored"), 0);
  b.rti().registerFederationSynchronizationPoint(L"ready", data("now"));
  b.rti().synchronizationPointAchieved(L"ready");
  b.rti().requestFederationSave(L"again");
  QVERIFY(a.expect("announce ready"));
  QVERIFY(a.log().indexOf("restored") < a.log().indexOf(QRegularExpression("announce.*")));
  QVERIFY(turns({&a, &b}, [&] { return a.count("saved") == 2 && b.count("saved") == 2; }));
  a.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(all({&a, &b}, "synchronized ready"));
}

void tst_restored_federation::ownershipWhileOthersReturn() {
  // Of the truck something was traded before, of the car nothing.
  Returning t(federation_);
  SavedOwner &a = t.a, &b = t.b;
  const auto car = t.car, truck = t.truck;
  QVERIFY(t.returnOf(b));
  QCOMPARE(a.count("restored"), 0);
  for (const auto& instance : {car, truck}) {
    ACCEPTS(b.rti().attributeOwnershipAcquisition(instance, b.attributes("Vehicle", {"fuel"}),
                                                  data("")));
    ACCEPTS(b.rti().attributeOwnershipAcquisitionIfAvailable(
        instance, b.attributes("Vehicle", {"position"})));
  }
  ACCEPTS(b.rti().attributeOwnershipAcquisition(car, b.attributes("Vehicle", {"track"}), data("")));
  b.pump();
  QStringList told = b.log();
  told.sort();
  QCOMPARE(told, QStringList({"acquired car track", "unavailable car position",
                              "unavailable truck position"}));
  b.update(car, "Vehicle", {{"track", "1"}});
  // The owner is asked when it is back.
  QVERIFY(a.expect("asked", 2));
  QVERIFY(a.log().indexOf("restored") < a.log().indexOf(QRegularExpression("asked.*")));
  a.pump();
  QCOMPARE(a.linesWith("reflect"), QStringList{"reflect car track=1"});
  AttributeHandleSet divested;
  a.rti().attributeOwnershipDivestitureIfWanted(car, a.attributes("Vehicle", {"fuel"}), divested);
  QCOMPARE(divested.size(), size_t{1});
  QVERIFY(b.expect("acquired car fuel"));
  // What its owner has deleted since it returned is known until its removal is delivered, and no
  // longer acquired.
  const auto boat = a.registerNamed("Vehicle", "boat");
  QVERIFY(b.expect("discover boat"));
  a.rti().deleteObjectInstance(boat, data(""));
  ACCEPTS(b.rti().attributeOwnershipAcquisition(boat, b.attributes("Vehicle", {"fuel"}), data("")));
  QVERIFY(b.expect("remove boat"));
  QCOMPARE(b.count("acquired boat"), 0);
  REFUSES(b.rti().attributeOwnershipAcquisition(boat, b.attributes("Vehicle", {"fuel"}), data("")),
          ObjectInstanceNotKnown);
}

void tst_restored_federation::whatIsDeletedWhileItsRegistrantReturns() {
  Returning t(federation_);
  // b may delete the truck.
  t.a.rti().unconditionalAttributeOwnershipDivestiture(t.truck, {t.privilege()});
  t.b.rti().publishObjectClassAttributes(t.b.objectClass("Vehicle"), {t.privilege()});
  t.b.rti().attributeOwnershipAcquisition(t.truck, {t.privilege()}, data(""));
  QVERIFY(t.b.expect("acquired truck HLAprivilegeToDeleteObject"));
  QVERIFY(t.returnOf(t.b));
  t.b.rti().deleteObjectInstance(t.truck, data(""));
  REFUSES(t.b.rti().attributeOwnershipAcquisition(t.truck, t.b.attributes("Vehicle", {"fuel"}),
                                                  data("")),
          ObjectInstanceNotKnown);
  // Its name is free, and it does not come back with its registrant.
  t.b.rti().reserveObjectInstanceName(L"truck");
  QVERIFY(t.b.expect("reserved truck"));
  QVERIFY(t.a.expect("remove truck"));
  REFUSES(t.a.nameOfInstance(t.truck), ObjectInstanceNotKnown);
  Saver late("late");
  late.enter(federation_);
  late.subscribe("Vehicle", {"position", "fuel", "track"});
  late.pump();
  QCOMPARE(late.linesWith("discover"), QStringList{"discover car as Vehicle"});
}

void tst_restored_federation::theStopTimeAndAPauseStay() {
  const OwnNode node;
  StoppingNode stopping(node.name(), "5");
  QVERIFY(stopping.isReady());
  Saver a("a"), b("b");
  for (Saver* one : {&a, &b}) {
    one->enter(federation_);
    one->regulate(1);
    one->constrain();
  }
  const auto ask = [&](double time) {
    for (Saver* one : {&a, &b}) one->rti().timeAdvanceRequest(HLAfloat64Time(time));
  };
  ask(2);
  QVERIFY(all({&a, &b}, "granted 2"));
  QVERIFY(save({&a, &b}, L"s"));
  for (int round = 1; round <= 2; ++round) {
    ask(4);
    QVERIFY(all({&a, &b}, "granted 4", round));
    ask(7);
    AWAIT(a, (b.pump(), stopping.timesReached() == round));
    QCOMPARE(a.count("granted 7") + b.count("granted 7"), 0);
    // The second time it is paused when it is restored, and so it stays.
    if (round == 2) QVERIFY(stopping.hold(federation_, 3));
    QVERIFY(restore({&a, &b}, L"s"));
    QVERIFY(all({&a, &b}, "restored", round));
    QCOMPARE(a.logicalTime(), 2.0);
  }
  ask(3);
  QVERIFY(all({&a, &b}, "granted 3"));
  ask(4);
  stopping.pumpForLong({&a, &b});
  QCOMPARE(a.count("granted 4") + b.count("granted 4"), 4);
  QVERIFY(stopping.release(federation_));
  QVERIFY(all({&a, &b}, "granted 4", 3));
}

void tst_restored_federation::thePaceStaysAndNothingIsCaughtUp() {
  const OwnNode node;
  StoppingNode stopping(node.name(), "1000");
  QVERIFY(stopping.isReady());
  Saver a("a"), b("b");
  for (Saver* one : {&a, &b}) {
    one->enter(federation_);
    one->regulate(1);
    one->constrain();
  }
  const auto ask = [&](double time) {
    for (Saver* one : {&a, &b}) one->rti().timeAdvanceRequest(HLAfloat64Time(time));
  };
  ask(2);
  QVERIFY(all({&a, &b}, "granted 2"));
  QVERIFY(save({&a, &b}, L"s"));
  ask(40);
  QVERIFY(all({&a, &b}, "granted 40"));
  QVERIFY(stopping.setPace(federation_, 0.001));
  QVERIFY(restore({&a, &b}, L"s"));
  QVERIFY(all({&a, &b}, "restored"));
  // It has been at 40, but is at 2 again.
  ask(3);
  stopping.pumpForLong({&a, &b});
  QCOMPARE(a.count("granted 3") + b.count("granted 3"), 0);
  QVERIFY(stopping.setPace(federation_, 0));
  QVERIFY(all({&a, &b}, "granted 3"));
}

/// 4.24: each federate is set as it was, whatever it has changed since.
void tst_restored_federation::settingsAreRestored() {
  Saver a("a");
  a.enter(federation_);
  a.regulate(1);
  RTIambassador& rti = a.rti();
  const auto first = rti.getAutomaticResignDirective();
  const auto second = first == DELETE_OBJECTS ? NO_ACTION : DELETE_OBJECTS;
  rti.setAutomaticResignDirective(second);
  rti.enableAsynchronousDelivery();
  rti.disableObjectClassRelevanceAdvisorySwitch();
  rti.disableInteractionRelevanceAdvisorySwitch();
  rti.enableAttributeRelevanceAdvisorySwitch();
  rti.enableAttributeScopeAdvisorySwitch();
  QVERIFY(save({&a}, L"s"));
  rti.setAutomaticResignDirective(first);
  rti.disableAsynchronousDelivery();
  rti.enableObjectClassRelevanceAdvisorySwitch();
  rti.enableInteractionRelevanceAdvisorySwitch();
  rti.disableAttributeRelevanceAdvisorySwitch();
  rti.disableAttributeScopeAdvisorySwitch();
  rti.modifyLookahead(HLAfloat64Interval(5));
  QVERIFY(restore({&a}, L"s"));
  QCOMPARE(int{rti.getAutomaticResignDirective()}, int{second});
  REFUSES(rti.enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  REFUSES(rti.disableObjectClassRelevanceAdvisorySwitch(), ObjectClassRelevanceAdvisorySwitchIsOff);
  REFUSES(rti.disableInteractionRelevanceAdvisorySwitch(), InteractionRelevanceAdvisorySwitchIsOff);
  REFUSES(rti.enableAttributeRelevanceAdvisorySwitch(), AttributeRelevanceAdvisorySwitchIsOn);
  REFUSES(rti.enableAttributeScopeAdvisorySwitch(), AttributeScopeAdvisorySwitchIsOn);
  HLAfloat64Interval lookahead;
  rti.queryLookahead(lookahead);
  QCOMPARE(lookahead.getInterval(), 1.0);
}

void tst_restored_federation::theRegistrantDoesNotReturn_data() {
  QTest::addColumn<int>("action");
  QTest::addColumn<QStringList>("removed");
  QTest::newRow("delete") << int{DELETE_OBJECTS} << QStringList{"car", "truck"};
  QTest::newRow("divest") << int{UNCONDITIONALLY_DIVEST_ATTRIBUTES} << QStringList{};
  QTest::newRow("delete, then divest")
      << int{DELETE_OBJECTS_THEN_DIVEST} << QStringList{"car", "truck"};
  QTest::newRow("no action") << int{NO_ACTION} << QStringList{};
}

void tst_restored_federation::theRegistrantDoesNotReturn() {
  QFETCH(int, action);
  QFETCH(QStringList, removed);
  Returning t(federation_);
  t.a.rti().setAutomaticResignDirective(static_cast<ResignAction>(action));
  QVERIFY(t.returnOf(t.b));
  t.a.kill();
  QVERIFY(t.b.expect("remove", static_cast<int>(removed.size())));
  Saver late("late");
  late.connect();
  const auto joins = [&] {
    try {
      late.join(federation_);
      return true;
    } catch (const RestoreInProgress&) {
      return false;  // the node of the dead one has not told yet
    }
  };
  QVERIFY(QTest::qWaitFor(joins, 10000));
  t.b.pump();
  QStringList gone = t.b.linesWith("remove");
  gone.sort();
  QStringList wanted;
  for (const QString& name : removed) wanted << "remove " + name;
  QCOMPARE(gone, wanted);
  const auto reserve = [&](const QString& name) {
    t.b.rti().reserveObjectInstanceName(wide(name));
    t.b.pumpUntil([&] { return t.b.log().last().endsWith(name); });
    return t.b.log().last();
  };
  for (const QString name : {"car", "truck"}) {
    QCOMPARE(reserve(name), (removed.contains(name) ? "reserved " : "taken ") + name);
  }
  late.subscribe("Vehicle", {"position", "fuel", "track"});
  late.pump();
  if (!removed.isEmpty()) {
    QCOMPARE(late.count("discover"), 0);
    return;
  }
  // One that somebody owns a part of is discovered; one that nobody owns is when somebody does.
  QCOMPARE(late.linesWith("discover"), QStringList{"discover truck as Vehicle"});
  t.b.update(t.truck, "Vehicle", {{"track", "1"}});
  QVERIFY(late.expect("reflect truck track=1"));
  const auto fuel = t.b.attributes("Vehicle", {"fuel"});
  for (const auto& [name, instance] : {std::pair("car", t.car), std::pair("truck", t.truck)}) {
    QCOMPARE(t.b.nameOfInstance(instance), QString(name));
    ACCEPTS(t.b.rti().attributeOwnershipAcquisition(instance, fuel, data("")));
    QVERIFY(t.b.expect(QString("acquired %1 fuel").arg(name)));
  }
  QVERIFY(late.expect("discover car"));
  t.b.update(t.car, "Vehicle", {{"fuel", "2"}});
  QVERIFY(late.expect("reflect car fuel=2"));
  // Saved and restored once more they are what they are.
  QVERIFY(save({&t.b, &late}, L"later"));
  QVERIFY(restore({&t.b, &late}, L"later"));
  t.b.update(t.car, "Vehicle", {{"fuel", "3"}});
  QVERIFY(late.expect("reflect car fuel=3"));
}

CONFORMANCE_MAIN(tst_restored_federation)
#include "tst_restored_federation.moc"
