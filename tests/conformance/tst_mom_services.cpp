// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the management object model. What the MOM lets a federate do for
// another.
#include "watcher.h"

using namespace mom;

class tst_mom_services : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("mom"); }
  void services();
  void ownership();
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

void tst_mom_services::ownership() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  const auto position = scene.worker.attribute("Vehicle.Truck", "position");
  const auto owns = [&](bool wanted) {
    return scene.worker.pumpUntil([&] {
      return scene.worker.rti().isAttributeOwnedByFederate(scene.trucks[0], position) == wanted;
    });
  };
  watcher.tell(service + "HLAunconditionalAttributeOwnershipDivestiture", scene.worker.handle(),
               {{"HLAobjectInstance", encoded(scene.trucks[0])},
                {"HLAattributeList", encoded(std::vector<AttributeHandle>{position})}});
  QVERIFY(owns(false));
  const auto modify = [&](quint32 state) {
    watcher.tell(adjust + "HLAmodifyAttributeState", scene.worker.handle(),
                 {{"HLAobjectInstance", encoded(scene.trucks[0])},
                  {"HLAattribute", encoded(position)},
                  {"HLAattributeState", integer(state)}});
  };
  modify(1);
  QVERIFY(owns(true));
  modify(0);
  QVERIFY(owns(false));
  watcher.pump();
  QVERIFY(watcher.reports.isEmpty());
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
