// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, 4.16 to 4.32: what has to hold for a federation execution that is saved or
// restored, whichever service was called.
#include "regions.h"
#include "saved_owner.h"

using namespace rti1516e;

class tst_saved_federation : public QObject {
  Q_OBJECT

  OwnSaves saves_;
  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("federation"); }
  void nothingElseGoesOn();
  void nobodyJoinsMeanwhile();
  void aFederateThatDiesEndsIt();
  void whatOneWhoDiesHasDoneMeanwhile();
  void endsOfSavesAreToldInTheirOrder();
  void messagesThatWaitAreSaved();
  void regionsAreSaved();
  void timeIsSaved();
  void howMessagesAreSentIsSaved();
  void advicesAreSaved();
  void aRetractionMeanwhileIsSaved();
  void namesAndSynchronizationPointsAreSaved();
  void instancesOfOneWhoLeftAreSaved();
  void removalsOfWhatIsNoLongerSubscribed();
  void theSaveCannotBeWritten();
  void byThreadsOfTheirOwn();
};

void tst_saved_federation::nothingElseGoesOn() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  b.rti().requestFederationSave(L"s");
  QVERIFY(b.expect("initiate save"));
  // a does not know yet and goes on; b gets that after the save.
  a.update(instance, "Vehicle", {{"position", "1"}});
  b.pump();
  QCOMPARE(b.count("reflect"), 0);
  REFUSES(b.publishInteraction("Message"), SaveInProgress);
  REFUSES(b.rti().subscribeObjectClassAttributes({}, {}, true, L"never"), SaveInProgress);
  REFUSES(b.rti().subscribeObjectClassAttributesWithRegions({}, {}, true, L"never"),
          SaveInProgress);
  REFUSES(b.rti().resignFederationExecution(static_cast<ResignAction>(99)), InvalidResignAction);
  b.rti().federateSaveBegun();
  b.rti().federateSaveComplete();
  a.willing = true;
  QVERIFY(all({&a, &b}, "saved"));
  QVERIFY(b.expect("reflect"));
  QVERIFY(b.log().indexOf("saved") < b.log().indexOf(QRegularExpression("reflect.*")));
}

void tst_saved_federation::nobodyJoinsMeanwhile() {
  Saver a("a"), late("late");
  a.enter(federation_);
  a.rti().requestFederationSave(L"s");
  late.connect();
  REFUSES(late.join(federation_), SaveInProgress);
  QVERIFY(a.expect("initiate save"));
  a.rti().federateSaveBegun();
  a.rti().federateSaveComplete();
  QVERIFY(a.expect("saved"));
  a.rti().requestFederationRestore(L"s");
  REFUSES(late.join(federation_), RestoreInProgress);
  QVERIFY(a.expect("initiate restore"));
  a.rti().federateRestoreComplete();
  REFUSES(late.join(federation_), RestoreInProgress);
  QVERIFY(a.expect("restored"));
  ACCEPTS(late.join(federation_));
}

void tst_saved_federation::aFederateThatDiesEndsIt() {
  Saver a("a");
  a.enter(federation_);
  {
    Mortal b("b", federation_);
    a.rti().requestFederationSave(L"s");
    QVERIFY(a.expect("initiate save"));
    b.kill();
    QVERIFY(a.expect("not saved 2"));
  }
  QVERIFY(save({&a}, L"alone"));
}

/// It comes before its end also for those who heard of neither before the save has ended.
void tst_saved_federation::whatOneWhoDiesHasDoneMeanwhile() {
  SavedOwner a("a"), b("b");
  auto dying = std::make_unique<SavedOwner>("dying");
  const QStringList traded{"position", "HLAprivilegeToDeleteObject"};
  for (SavedOwner* one : {&a, &b, dying.get()}) {
    one->enter(federation_);
    one->publish("Vehicle", traded);
    one->publishInteraction("Message");
  }
  b.subscribe("Vehicle", {"position"});
  dying->subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  QVERIFY(dying->expect("discover"));
  a.rti().unconditionalAttributeOwnershipDivestiture(car, a.attributes("Vehicle", traded));
  b.pump();

  b.rti().requestFederationSave(L"s");
  QVERIFY(a.expect("initiate save"));
  QVERIFY(b.expect("initiate save"));
  dying->rti().attributeOwnershipAcquisitionIfAvailable(car, dying->attributes("Vehicle", traded));
  dying->subscribeInteraction("Message");
  dying->kill();
  QVERIFY(a.expect("not saved 2"));
  QVERIFY(b.expect("not saved 2"));
  // The instance was its to delete, and nobody wants interactions of the class.
  QVERIFY(a.expect("remove"));
  QVERIFY(b.expect("remove"));
  QCOMPARE(a.count("on Message"), a.count("off Message"));
}

/// What was told of saves and restores that have ended.
static QStringList endsToldTo(const Saver& federate) {
  return federate.log().filter(QRegularExpression("^(not )?(saved|restored)"));
}

void tst_saved_federation::endsOfSavesAreToldInTheirOrder() {
  Saver a("a"), b("b");
  for (Saver* one : {&a, &b}) {
    one->willing = true;
    one->enter(federation_);
  }
  a.rti().requestFederationSave(L"first");
  QVERIFY(all({&a}, "initiate save first"));
  b.rti().evokeMultipleCallbacks(0.0, 0.001);
  QCOMPARE(b.count("initiate save first"), 1);
  QVERIFY(all({&a}, "saved"));
  QCOMPARE(endsToldTo(b), QStringList());
  // The next one is over before b has heard of the end of the first.
  a.willing = false;
  a.rti().requestFederationSave(L"second");
  QVERIFY(all({&a}, "initiate save second"));
  a.rti().abortFederationSave();
  QVERIFY(all({&a, &b}, "not saved"));
  QCOMPARE(endsToldTo(b), (QStringList{"saved", "not saved 5"}));
}

void tst_saved_federation::messagesThatWaitAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Event");
  a.publishInteraction("Message");
  b.subscribeInteraction("Event");
  b.subscribeInteraction("Message");
  a.regulate(1);
  b.constrain();
  // In timestamp order, and in receive order while asynchronous delivery is off.
  for (int time : {7, 3, 5}) a.send("Event", {{"number", QByteArray::number(time)}}, time);
  a.send("Message", {{"text", "held"}});
  b.pump();
  QCOMPARE(b.count("receive"), 0);
  QVERIFY(save({&a, &b}, L"s"));

  // They are delivered, and delivered again when the execution is restored.
  for (int round = 0; round < 2; ++round) {
    b.rti().timeAdvanceRequest(HLAfloat64Time(6));
    a.rti().timeAdvanceRequest(HLAfloat64Time(6));
    QVERIFY(turns({&a, &b}, [&] { return b.count("granted 6") == 1; }));
    QCOMPARE(b.count("receive"), 3);
    const QStringList received = b.linesWith("receive");
    QVERIFY2(received[0].contains("text=held"), qPrintable(received.join('\n')));
    QVERIFY2(received[1].contains("number=3") && received[1].contains("@3 TSO"),
             qPrintable(received.join('\n')));
    QVERIFY(received[2].contains("number=5"));
    if (round == 1) break;
    a.clearLog();
    b.clearLog();
    QVERIFY(restore({&a, &b}, L"s"));
    QCOMPARE(b.count("receive"), 0);
    QCOMPARE(b.logicalTime(), 0.0);
  }
}

void tst_saved_federation::regionsAreSaved() {
  Saver a("a"), b("b");
  for (Saver* one : {&a, &b}) one->enter(federation_, HLA_EVOKED, {}, modulePath("regions.xml"));
  const auto move = [](Saver& federate, const RegionHandle& region, unsigned long from) {
    regions::move(federate.rti(), region, {{"X", {from, from + 5}}});
  };
  const auto make = [&](Saver& federate, unsigned long from) {
    return regions::make(federate.rti(), {{"X", {from, from + 5}}});
  };
  a.publish("Thing", {"place"});
  a.rti().deleteRegion(make(a, 0));  // a gap in its table
  const RegionHandle at = make(a, 3);
  const RegionHandle seen = make(b, 0);
  b.rti().enableAttributeScopeAdvisorySwitch();
  b.rti().subscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                    {{b.attributes("Thing", {"place"}), {seen}}});
  const auto thing = a.rti().registerObjectInstanceWithRegions(
      a.objectClass("Thing"), {{a.attributes("Thing", {"place"}), {at}}});
  b.pump();
  QCOMPARE(b.count("discover"), 1);
  QVERIFY(save({&a, &b}, L"s"));

  const auto reflected = [&](const QByteArray& value) {
    b.clearLog();
    a.update(thing, "Thing", {{"place", value}});
    b.pump();
    return b.count("reflect");
  };
  move(a, at, 50);
  QCOMPARE(reflected("1"), 0);
  b.rti().unsubscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                      {{b.attributes("Thing", {"place"}), {seen}}});
  b.rti().deleteRegion(seen);
  QVERIFY(restore({&a, &b}, L"s"));

  QCOMPARE(a.rti().getRangeBounds(at, a.rti().getDimensionHandle(L"X")).getLowerBound(), 3ul);
  QCOMPARE(reflected("2"), 1);
  QCOMPARE(refusal([&] { b.rti().enableAttributeScopeAdvisorySwitch(); }),
           QString("AttributeScopeAdvisorySwitchIsOn"));
  QCOMPARE(refusal([&] { a.rti().deleteRegion(at); }),
           QString("RegionInUseForUpdateOrSubscription"));
  move(b, seen, 60);
  QCOMPARE(reflected("3"), 0);
  move(a, at, 62);
  QCOMPARE(reflected("4"), 1);
  const RegionHandle next = make(a, 0);
  QVERIFY(next != at);
}

void tst_saved_federation::timeIsSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.regulate(1);
  a.constrain();
  b.regulate(2);
  b.constrain();
  for (double time : {3.0, 4.0}) {
    a.rti().timeAdvanceRequest(HLAfloat64Time(time));
    b.rti().timeAdvanceRequest(HLAfloat64Time(time));
    QVERIFY(turns({&a, &b}, [&] { return a.logicalTime() == time && b.logicalTime() == time; }));
  }
  a.rti().enableAsynchronousDelivery();
  // a waits for a grant that b does not allow yet.
  a.rti().timeAdvanceRequest(HLAfloat64Time(8));
  a.pump();
  QCOMPARE(a.count("granted 8"), 0);
  QVERIFY(save({&a, &b}, L"s"));
  b.rti().timeAdvanceRequest(HLAfloat64Time(20));
  QVERIFY(turns({&a, &b}, [&] { return a.count("granted 8") == 1; }));
  a.clearLog();
  b.clearLog();

  QVERIFY(restore({&a, &b}, L"s"));
  QCOMPARE(a.logicalTime(), 4.0);
  QCOMPARE(b.logicalTime(), 4.0);
  QCOMPARE(b.galt(), "9");
  REFUSES(a.rti().timeAdvanceRequest(HLAfloat64Time(9)), InTimeAdvancingState);
  REFUSES(a.rti().enableAsynchronousDelivery(), AsynchronousDeliveryAlreadyEnabled);
  REFUSES(b.rti().timeAdvanceRequest(HLAfloat64Time(3)), LogicalTimeAlreadyPassed);
  a.pump();
  QCOMPARE(a.count("granted 8"), 0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(7));
  QVERIFY(turns({&a, &b}, [&] { return a.count("granted 8") == 1 && b.count("granted 7") == 1; }));
}

void tst_saved_federation::howMessagesAreSentIsSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "track"});
  b.subscribe("Vehicle", {"position", "track"});
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  const auto car = a.registerInstance("Vehicle");
  const auto position = a.attributes("Vehicle", {"position"});
  const auto message = a.interactionClass("Message");
  a.rti().requestAttributeTransportationTypeChange(car, position, BEST_EFFORT);
  a.rti().requestInteractionTransportationTypeChange(message, BEST_EFFORT);
  a.rti().changeAttributeOrderType(car, a.attributes("Vehicle", {"track"}), RECEIVE);
  QVERIFY(a.expect("changed", 2));
  QVERIFY(b.expect("discover"));
  a.regulate(1);
  b.constrain();
  const auto first = a.send("Event", {{"number", "1"}}, 5);
  const auto second = a.send("Event", {{"number", "2"}}, 5);
  QVERIFY(save({&a, &b}, L"sent"));
  // What happens after the save is undone by the restore.
  a.rti().retract(second);
  a.rti().requestAttributeTransportationTypeChange(car, position, RELIABLE);
  a.rti().changeAttributeOrderType(car, a.attributes("Vehicle", {"track"}), TIMESTAMP);
  a.rti().unpublishInteractionClass(message);
  QVERIFY(a.expect("changed", 3));
  QVERIFY(restore({&a, &b}, L"sent"));
  b.rti().queryAttributeTransportationType(car, a.attribute("Vehicle", "position"));
  b.rti().queryInteractionTransportationType(a.handle(), message);
  QVERIFY(b.expect("sent Message by a best effort"));
  QCOMPARE(b.count("sent "), 2);
  QVERIFY(b.linesWith("sent ").join(';').contains("position best effort"));
  // A message of before can be retracted, once.
  ACCEPTS(a.rti().retract(first));
  REFUSES(a.rti().retract(first), MessageCanNoLongerBeRetracted);
  b.details.clear();
  b.take();
  a.update(car, "Vehicle", {{"position", "1"}, {"track", "2"}}, 3);
  a.rti().timeAdvanceRequest(HLAfloat64Time(10));
  b.rti().timeAdvanceRequest(HLAfloat64Time(6));
  QVERIFY(turns({&a, &b}, [&] { return b.count("granted 6") == 1; }));
  QStringList got = b.details;
  got.sort();
  QCOMPARE(got, QStringList({"RO best effort @3 as RO from a", "RO reliable @3 as RO from a",
                             "TSO reliable @5 as TSO retractable from a"}));
  QCOMPARE(b.count("receive Event number=2 @5 TSO"), 1);
  QCOMPARE(b.count("receive Event number=1"), 0);
}

void tst_saved_federation::advicesAreSaved() {
  SavedOwner a("a");
  Saver b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position", "fuel", "track"});
  a.rti().enableAttributeRelevanceAdvisorySwitch();
  a.registerNamed("Vehicle", "car");
  const auto vehicle = b.objectClass("Vehicle");
  b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"position"}));
  b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"fuel"}), true, L"Slow");
  a.pump();
  QCOMPARE(a.count("on car"), 2);
  QVERIFY(save({&a, &b}, L"s"));
  // What changes after the save is undone by the restore.
  b.rti().unsubscribeObjectClass(vehicle);
  a.pump();
  QCOMPARE(a.count("off car"), 1);
  a.rti().disableAttributeRelevanceAdvisorySwitch();
  QVERIFY(restore({&a, &b}, L"s"));
  a.clearLog();
  REFUSES(a.rti().enableAttributeRelevanceAdvisorySwitch(), AttributeRelevanceAdvisorySwitchIsOn);
  a.pump();
  QCOMPARE(a.log(), QStringList());  // it has been told
  b.rti().subscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"fuel", "track"}), true,
                                         L"Fast");
  b.rti().unsubscribeObjectClassAttributes(vehicle, b.attributes("Vehicle", {"position"}));
  a.pump();
  QStringList told = a.log();
  told.sort();
  QCOMPARE(told, QStringList({"off car position", "on car fuel,track at Fast"}));
}

void tst_saved_federation::aRetractionMeanwhileIsSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  a.regulate(1);
  const auto event = a.send("Event", {{"number", "1"}}, 5);
  QVERIFY(b.expect("receive Event"));  // before its time: b is not constrained
  b.rti().requestFederationSave(L"s");
  QVERIFY(b.expect("initiate save"));
  // a does not know of the save yet.
  ACCEPTS(a.rti().retract(event));
  b.pump();
  b.rti().federateSaveBegun();
  b.rti().federateSaveComplete();
  b.pump();
  a.willing = true;
  QVERIFY(all({&a, &b}, "saved"));
  QVERIFY(b.expect("retract"));
  QVERIFY(b.log().indexOf("saved") < b.log().indexOf(QRegularExpression("retract.*")));
  // It was not told yet when the federation was saved.
  b.clearLog();
  QVERIFY(restore({&a, &b}, L"s"));
  QVERIFY(b.expect("retract"));
  QVERIFY(b.log().indexOf("restored") < b.log().indexOf(QRegularExpression("retract.*")));
  b.pump();
  QCOMPARE(b.count("retract"), 1);
}

void tst_saved_federation::namesAndSynchronizationPointsAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto truck = a.registerNamed("Vehicle", "truck");
  QVERIFY(b.expect("discover truck"));
  a.rti().reserveObjectInstanceName(L"spare");
  QVERIFY(a.pumpUntil([&] { return a.log().join(' ').contains("spare"); }));
  a.rti().registerFederationSynchronizationPoint(L"ready", data("go"));
  QVERIFY(all({&a, &b}, "announce ready"));
  a.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(save({&a, &b}, L"s"));

  b.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(all({&a, &b}, "synchronized ready"));
  a.rti().deleteObjectInstance(truck, data(""));
  QVERIFY(b.expect("remove truck"));
  a.rti().releaseObjectInstanceName(L"spare");
  a.rti().unpublishObjectClass(a.objectClass("Vehicle"));
  a.clearLog();
  b.clearLog();

  QVERIFY(restore({&a, &b}, L"s"));
  QCOMPARE(b.nameOfInstance(truck), "truck");
  QCOMPARE(b.count("discover"), 0);  // it was known, and is again
  a.update(truck, "Vehicle", {{"position", "9"}});
  QVERIFY(b.expect("reflect truck position=9"));
  b.rti().reserveObjectInstanceName(L"spare");
  QVERIFY(b.pumpUntil([&] { return b.log().join(' ').contains("spare"); }));
  ACCEPTS(a.rti().registerObjectInstance(a.objectClass("Vehicle"), L"spare"));
  QCOMPARE(b.count("announce"), 0);
  b.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(all({&a, &b}, "synchronized ready"));
  // A number that was used is not used again.
  const auto another = a.registerInstance("Vehicle");
  QVERIFY(another != truck);
}

void tst_saved_federation::instancesOfOneWhoLeftAreSaved() {
  Saver a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.subscribe("Vehicle", {"position"});
  a.publish("Vehicle", {"position"});
  const auto ship = a.registerNamed("Vehicle", "ship");
  QVERIFY(b.expect("discover ship"));
  a.rti().resignFederationExecution(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  QVERIFY(save({&b}, L"s"));
  b.clearLog();
  QVERIFY(restore({&b}, L"s"));
  QCOMPARE(b.nameOfInstance(ship), "ship");
  b.rti().reserveObjectInstanceName(L"ship");
  QVERIFY(b.pumpUntil([&] { return b.log().join(' ').contains("ship"); }));
  QCOMPARE(b.log().last(), "taken ship");
}

void tst_saved_federation::removalsOfWhatIsNoLongerSubscribed() {
  Saver a("a"), b("b"), c("c");
  for (Saver* one : {&a, &b, &c}) {
    one->enter(federation_, HLA_EVOKED, {}, modulePath("regions.xml"));
  }
  a.publish("Thing", {"place"});
  const auto thing = a.registerInstance("Thing");
  const auto known = b.objectClass("Thing");
  b.subscribe("Thing", {"place"});
  const AttributeHandleSetRegionHandleSetPairVector here{
      {c.attributes("Thing", {"place"}), {regions::make(c.rti(), {{"X", {0, 5}}})}}};
  c.rti().subscribeObjectClassAttributesWithRegions(known, here);
  for (Saver* one : {&b, &c}) QVERIFY(one->expect("discover"));
  b.rti().unsubscribeObjectClass(known);
  c.rti().unsubscribeObjectClassAttributesWithRegions(known, here);
  QVERIFY(save({&a, &b, &c}, L"s"));
  QVERIFY(restore({&a, &b, &c}, L"s"));
  a.rti().deleteObjectInstance(thing, data(""));
  for (Saver* one : {&b, &c}) QVERIFY(one->expect("remove"));
}

void tst_saved_federation::theSaveCannotBeWritten() {
  Saver a("a");
  a.enter(federation_);
  // A file where the node wants to make the directory of this federation execution.
  const QString place = saves_.path() + "/tutti/saves/" + federation_;
  QDir().mkpath(saves_.path() + "/tutti/saves");
  QFile obstacle(place);
  QVERIFY(obstacle.open(QIODevice::WriteOnly));
  obstacle.close();
  a.willing = true;
  a.rti().requestFederationSave(L"s");
  QVERIFY(a.expect("not saved 0"));
  QVERIFY(obstacle.remove());
  ACCEPTS(a.publishInteraction("Message"));
  QVERIFY(save({&a}, L"s"));
}

void tst_saved_federation::byThreadsOfTheirOwn() {
  // Callbacks come from threads, and calls from this one meanwhile.
  Saver a("a"), b("b");
  a.willing = b.willing = true;
  a.enter(federation_, HLA_IMMEDIATE);
  b.enter(federation_, HLA_IMMEDIATE);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto instance = a.registerInstance("Vehicle");
  const auto told = [&](Saver& one, const QString& line, int count) {
    return QTest::qWaitFor([&] { return one.count(line) == count; }, 10000);
  };
  QVERIFY(told(b, "discover", 1));
  for (int round = 1; round <= 20; ++round) {
    a.rti().requestFederationSave(L"s");
    while (b.count("saved") < round) {
      try {
        a.update(instance, "Vehicle", {{"position", "1"}});
      } catch (const SaveInProgress&) {
      }
    }
    QVERIFY(told(a, "saved", round));
    b.rti().requestFederationRestore(L"s");
    QVERIFY(told(a, "restored", round) && told(b, "restored", round));
    QVERIFY(b.rti().getObjectInstanceName(instance).starts_with(L"HLA"));
  }
  a.leave();
  b.leave();
}

CONFORMANCE_MAIN(tst_saved_federation)
#include "tst_saved_federation.moc"
