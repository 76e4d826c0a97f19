// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the management object model. What the MOM lets a federate do for
// another.
#include "owner.h"
#include "watcher.h"

using namespace mom;

class tst_mom_services : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("mom"); }
  void services();
  void unconditionalDivestiture();
  void handlesMayComeAsEncoded();
  void HLAmodifyAttributeState_data();
  void HLAmodifyAttributeState();
  void servicesOfSaves();
  void HLAresignFederationExecution();
};

void tst_mom_services::services() {
  // What the watcher lets the other federate do shows in what that federate can do itself.
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  const auto tell = [&](const QString& name, const QList<QPair<QString, QByteArray>>& values) {
    watcher.tell(service + name, other.handle(), values);
  };
  const auto becomes = [&](const QString& wanted, const std::function<void()>& call) {
    return other.pumpUntil([&] { return refusal(call) == wanted; });
  };
  const QByteArray vehicle = encoded(other.objectClass("Vehicle"));
  const QByteArray position =
      encoded(std::vector<AttributeHandle>{other.attribute("Vehicle", "position")});
  const QByteArray message = encoded(other.interactionClass("Message"));

  tell("HLApublishObjectClassAttributes",
       {{"HLAobjectClass", vehicle}, {"HLAattributeList", position}});
  ObjectInstanceHandle instance;
  QVERIFY(becomes("", [&] { instance = other.registerInstance("Vehicle"); }));
  tell("HLAdeleteObjectInstance",
       {{"HLAobjectInstance", encoded(instance)}, {"HLAtag", integer(0u)}});
  QVERIFY(becomes("ObjectInstanceNotKnown", [&] { other.rti().getObjectInstanceName(instance); }));
  tell("HLAunpublishObjectClassAttributes",
       {{"HLAobjectClass", vehicle}, {"HLAattributeList", position}});
  QVERIFY(becomes("ObjectClassNotPublished",
                  [&] { other.rti().registerObjectInstance(other.objectClass("Vehicle")); }));

  tell("HLApublishInteractionClass", {{"HLAinteractionClass", message}});
  QVERIFY(becomes("", [&] { other.send("Message", {}); }));
  tell("HLAunpublishInteractionClass", {{"HLAinteractionClass", message}});
  QVERIFY(becomes("InteractionClassNotPublished", [&] { other.send("Message", {}); }));

  watcher.publishInteraction("Message");
  tell("HLAsubscribeInteractionClass",
       {{"HLAinteractionClass", message}, {"HLAactive", integer(1u)}});
  QVERIFY(other.pumpUntil([&] {
    watcher.send("Message", {});
    return other.count("receive") != 0;
  }));
  tell("HLAunsubscribeInteractionClass", {{"HLAinteractionClass", message}});
  watcher.publish("Vehicle", {"position"});
  const auto own = watcher.registerInstance("Vehicle");
  tell("HLAsubscribeObjectClassAttributes",
       {{"HLAobjectClass", vehicle}, {"HLAattributeList", position}, {"HLAactive", integer(1u)}});
  QVERIFY(other.expect("discover"));
  tell("HLAlocalDeleteObjectInstance", {{"HLAobjectInstance", encoded(own)}});
  QVERIFY(becomes("ObjectInstanceNotKnown", [&] { other.rti().getObjectInstanceName(own); }));
  tell("HLAunsubscribeObjectClassAttributes",
       {{"HLAobjectClass", vehicle}, {"HLAattributeList", position}});

  tell("HLAenableTimeRegulation", {{"HLAlookahead", encodedTime(3)}});
  QVERIFY(other.expect("regulating"));
  HLAfloat64Interval lookahead;
  other.rti().queryLookahead(lookahead);
  QCOMPARE(lookahead.getInterval(), 3.0);
  tell("HLAmodifyLookahead", {{"HLAlookahead", encodedTime(5)}});
  QVERIFY(other.pumpUntil([&] {
    other.rti().queryLookahead(lookahead);
    return lookahead.getInterval() == 5.0;
  }));
  tell("HLAenableTimeConstrained", {});
  QVERIFY(other.expect("constrained"));
  double at = 0;
  for (const char* name : {"HLAtimeAdvanceRequest", "HLAtimeAdvanceRequestAvailable",
                           "HLAnextMessageRequest", "HLAnextMessageRequestAvailable"}) {
    at += 2;
    tell(name, {{"HLAtimeStamp", encodedTime(at)}});
    QVERIFY2(other.pumpUntil([&] { return other.logicalTime() == at; }), name);
  }
  tell("HLAenableAsynchronousDelivery", {});
  QVERIFY(becomes("AsynchronousDeliveryAlreadyEnabled", [&] {
    other.rti().enableAsynchronousDelivery();
    other.rti().disableAsynchronousDelivery();
  }));
  tell("HLAdisableAsynchronousDelivery", {});
  tell("HLAdisableTimeRegulation", {});
  QVERIFY(becomes("TimeRegulationIsNotEnabled", [&] { other.rti().queryLookahead(lookahead); }));
  tell("HLAdisableTimeConstrained", {});

  watcher.rti().registerFederationSynchronizationPoint(L"ready", VariableLengthData());
  QVERIFY(other.expect("announce ready"));
  QVERIFY(watcher.expect("announce ready"));
  tell("HLAsynchronizationPointAchieved", {{"HLAlabel", encodedText("ready")}});
  watcher.rti().synchronizationPointAchieved(L"ready");
  QVERIFY(other.expect("synchronized ready"));
  for (const Watcher::Report& one : std::as_const(watcher.reports)) {
    qWarning("%s", qPrintable(text(one.values.value("HLAexception"))));
  }
  QVERIFY(watcher.reports.isEmpty());
}

void tst_mom_services::unconditionalDivestiture() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  const auto position = scene.worker.attribute("Vehicle.Truck", "position");
  watcher.tell(service + "HLAunconditionalAttributeOwnershipDivestiture", scene.worker.handle(),
               {{"HLAobjectInstance", encoded(scene.trucks[0])},
                {"HLAattributeList", encoded(std::vector<AttributeHandle>{position})}});
  AWAIT(scene.worker, !scene.worker.rti().isAttributeOwnedByFederate(scene.trucks[0], position));
  watcher.pump();
  QVERIFY(watcher.reports.isEmpty());
}

/// 11: HLAhandle is an array of octets, with their number before them. Many programs send what
/// encode() gives as it is; both are read.
void tst_mom_services::handlesMayComeAsEncoded() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  const auto position = scene.worker.attribute("Vehicle.Truck", "position");
  const auto load = scene.worker.attribute("Vehicle.Truck", "load");
  const auto owns = [&](AttributeHandle attribute) {
    return scene.worker.rti().isAttributeOwnedByFederate(scene.trucks[0], attribute);
  };
  QVERIFY(owns(position) && owns(load));
  const QString name = service + "HLAunconditionalAttributeOwnershipDivestiture";
  watcher.publishInteraction(name);
  watcher.send(name, {{"HLAfederate", octetsOf(scene.worker.handle().encode())},
                      {"HLAobjectInstance", octetsOf(scene.trucks[0].encode())},
                      {"HLAattributeList", integer(2u) + octetsOf(position.encode()) +
                                               octetsOf(load.encode())}});
  AWAIT(scene.worker, !owns(position) && !owns(load));
  watcher.pump();
  QVERIFY(watcher.reports.isEmpty());
  // Seven octets are neither.
  watcher.send(name, {{"HLAfederate", octetsOf(scene.worker.handle().encode()).left(7)},
                      {"HLAobjectInstance", octetsOf(scene.trucks[0].encode())},
                      {"HLAattributeList", integer(0u)}});
  QVERIFY(!watcher.next(report + "HLAreportMOMexception").isEmpty());
}

void tst_mom_services::HLAmodifyAttributeState_data() {
  // Who owned it, what the state of b is to be, who owns it after that, or what is wrong.
  QTest::addColumn<QString>("before");
  QTest::addColumn<bool>("owned");
  QTest::addColumn<QString>("after");
  QTest::newRow("given, unowned") << "" << true << "b";
  QTest::newRow("given, of another") << "a" << true << "b";
  QTest::newRow("given, of another who offers it") << "a offers" << true << "b";
  QTest::newRow("given, its own") << "b" << true << "b";
  QTest::newRow("given, being asked for") << "a, b asks" << true << "b";
  QTest::newRow("taken, unowned") << "" << false << "";
  QTest::newRow("taken, of another") << "a" << false << "a";
  QTest::newRow("taken, its own") << "b" << false << "";
  QTest::newRow("given, not published") << "unpublished" << true << "AttributeNotPublished";
  QTest::newRow("given, instance not known") << "unknown" << true << "ObjectInstanceNotKnown";
  QTest::newRow("taken, instance not known") << "unknown" << false << "ObjectInstanceNotKnown";
  QTest::newRow("given, of the RTI") << "RTI" << true << "ObjectClassNotPublished";
}

void tst_mom_services::HLAmodifyAttributeState() {
  QFETCH(QString, before);
  QFETCH(bool, owned);
  QFETCH(QString, after);
  Owner a("a"), b("b");
  for (Owner* one : {&a, &b}) {
    one->enter(federation_);
    one->publish("Vehicle", {"position", "fuel"});
    one->subscribe("Vehicle", {"position", "fuel"});
  }
  auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(b.expect("discover car"));
  auto fuel = a.attribute("Vehicle", "fuel");
  if (before.isEmpty() || before == "b") a.divest(car, {"fuel"});
  if (before == "b") {
    b.acquire(car, {"fuel"});
    QVERIFY(b.expect("acquired car fuel"));
  }
  if (before == "a offers") a.offer(car, {"fuel"});
  if (before.endsWith("asks")) {
    b.acquire(car, {"fuel"});
    QVERIFY(a.expect("asked car fuel"));
  }
  if (before == "unpublished") {
    b.rti().unpublishObjectClassAttributes(b.objectClass("Vehicle"), {fuel});
  }
  if (before == "unknown") b.rti().localDeleteObjectInstance(car);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  if (before == "RTI") {
    b.subscribe(federateClass, {"HLAfederateName"});
    QVERIFY(b.expect("discover", 2));
    car = b.rti().getObjectInstanceHandle(
        wide(b.linesWith("discover HLA").first().section(' ', 1, 1)));
    fuel = b.attribute(federateClass, "HLAfederateName");
  }
  for (Owner* one : {&a, &b}) {
    one->pump();
    one->clearLog();
  }
  watcher.tell(adjust + "HLAmodifyAttributeState", b.handle(),
               {{"HLAobjectInstance", encoded(car)},
                {"HLAattribute", encoded(fuel)},
                {"HLAattributeState", integer(owned ? 1u : 0u)}});
  // Behind it, so that it has acted when this comes.
  watcher.tell(request + "HLArequestObjectInstanceInformation", b.handle(),
               {{"HLAobjectInstance", encoded(car)}});
  watcher.subscribeInteraction(report + "HLAreportObjectInstanceInformation");
  watcher.tell(request + "HLArequestObjectInstanceInformation", b.handle(),
               {{"HLAobjectInstance", encoded(car)}});
  watcher.next(report + "HLAreportObjectInstanceInformation", [&] { b.pump(); });
  a.pump();
  QStringList problems;
  for (const Watcher::Report& one : std::as_const(watcher.reports)) {
    if (one.name.endsWith("MOMexception")) {
      problems << text(one.values.value("HLAexception")).section(':', 0, 0);
    }
  }
  if (after.endsWith("Known") || after.endsWith("Published")) {
    QCOMPARE(problems, QStringList{after});
    if (before == "unpublished") QVERIFY(a.owns(car, "fuel"));
    return;
  }
  QCOMPARE(problems, QStringList());
  QCOMPARE(a.owns(car, "fuel"), after == "a");
  QCOMPARE(b.owns(car, "fuel"), after == "b");
  // Neither is told; that it is there to be had, others are.
  QCOMPARE(b.log(), QStringList());
  QCOMPARE(a.log(),
           after.isEmpty() && before == "b" ? QStringList{"offered car fuel"} : QStringList());
  if (after == "b") {
    b.update(car, "Vehicle", {{"fuel", "1"}});
    QVERIFY(a.expect("reflect car fuel=1"));
    REFUSES(a.update(car, "Vehicle", {{"fuel", "2"}}), AttributeNotOwned);
    // What it had asked for is settled.
    ACCEPTS(b.divest(car, {"fuel"}));
    ACCEPTS(b.rti().resignFederationExecution(NO_ACTION));
  }
}

void tst_mom_services::servicesOfSaves() {
  // The MOM lets a federate take part in a save.
  Saver other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  const QStringList wanted{"HLAfederateSaveBegun", "HLAfederateSaveComplete"};
  for (const QString& name : wanted) watcher.publishInteraction(service + name);
  watcher.tell(service + "HLAfederateSaveBegun", other.handle());
  const auto refused = watcher.next(report + "HLAreportMOMexception", [&] { other.pump(); });
  QVERIFY2(text(refused.value("HLAexception")).startsWith("SaveNotInitiated"),
           qPrintable(text(refused.value("HLAexception"))));
  watcher.subscribe(federateClass, federateAttributes);
  const auto object = watcher.ask(other.handle());
  QVERIFY(object.isValid());
  watcher.rti().requestFederationSave(L"one");
  QVERIFY(other.expect("initiate save"));
  // The watcher has not been told yet and may send.
  watcher.send(service + "HLAfederateSaveBegun", {{"HLAfederate", encoded(other.handle())}});
  watcher.send(service + "HLAfederateSaveComplete",
               {{"HLAfederate", encoded(other.handle())}, {"HLAsuccessIndicator", integer(1u)}});
  QVERIFY(watcher.expect("initiate save"));
  watcher.rti().federateSaveBegun();
  watcher.rti().federateSaveComplete();
  AWAIT(other, (watcher.pump(), other.count("saved") + watcher.count("saved") == 2));
}

void tst_mom_services::HLAresignFederationExecution() {
  Member other("other");
  other.enter(federation_);
  other.publish("Depot", {"stock"});
  other.registerInstance("Depot");
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  watcher.subscribe("Depot", {"stock"});
  QVERIFY(watcher.expect("discover", 4));
  // 2: DeleteObjectInstances
  watcher.tell(service + "HLAresignFederationExecution", other.handle(),
               {{"HLAresignAction", integer(2u)}});
  QVERIFY(other.pumpUntil([&] {
    return refusal([&] { other.rti().getObjectClassHandle(L"Depot"); }) ==
           "FederateNotExecutionMember";
  }));
  QVERIFY(watcher.expect("remove", 2));
}

CONFORMANCE_MAIN(tst_mom_services)
#include "tst_mom_services.moc"
