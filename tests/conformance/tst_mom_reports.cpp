// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the management object model. What the MOM reports when it is asked
// to, and of what happens.
#include "regions.h"
#include "watcher.h"

using namespace mom;

class tst_mom_reports : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("mom"); }
  void HLArequestPublications();
  void HLArequestSubscriptions();
  void countsByClass_data();
  void countsByClass();
  void HLArequestObjectInstanceInformation();
  void HLArequestFOMmoduleData();
  void HLArequestMIMdata();
  void HLArequestSynchronizationPoints();
  void HLAreportFederateLost();
  void HLAreportMOMexception_data();
  void HLAreportMOMexception();
  void HLAsetServiceReporting();
  void callbacksAreServices();
  void HLAsetExceptionReporting();
  void oneWhoDoesNotRead();
};

void tst_mom_reports::HLArequestPublications() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportObjectClassPublication");
  watcher.subscribeInteraction(report + "HLAreportInteractionPublication");
  watcher.tell(request + "HLArequestPublications", scene.worker.handle());
  QMap<QByteArray, QByteArray> published;
  for (int i = 0; i < 2; ++i) {
    const auto values = watcher.next(report + "HLAreportObjectClassPublication");
    QCOMPARE(values.value("HLAfederate"), encoded(scene.worker.handle()));
    QCOMPARE(values.value("HLAnumberOfClasses"), integer(2u));
    published[values.value("HLAobjectClass")] = values.value("HLAattributeList");
  }
  const auto list = [&](const QString& objectClass, const QStringList& names) {
    std::vector<AttributeHandle> handles;
    for (const AttributeHandle& handle : watcher.attributes(objectClass, names)) {
      handles.push_back(handle);
    }
    return encoded(handles);
  };
  QCOMPARE(published[encoded(watcher.objectClass("Vehicle"))],
           list("Vehicle", {"HLAprivilegeToDeleteObject", "position", "hint"}));
  QCOMPARE(published[encoded(watcher.objectClass("Vehicle.Truck"))],
           list("Vehicle.Truck", {"HLAprivilegeToDeleteObject", "position", "load"}));
  const auto interactions = watcher.next(report + "HLAreportInteractionPublication");
  QCOMPARE(interactions.value("HLAinteractionClassList"),
           encoded(std::vector<InteractionClassHandle>{watcher.interactionClass("Message"),
                                                       watcher.interactionClass("Hail")}));

  // One who publishes nothing.
  watcher.tell(request + "HLArequestPublications", scene.peer.handle());
  const auto none = watcher.next(report + "HLAreportObjectClassPublication");
  QCOMPARE(none.value("HLAnumberOfClasses"), integer(0u));
  QVERIFY(!none.contains("HLAobjectClass"));
}

void tst_mom_reports::HLArequestSubscriptions() {
  Member other("other");
  other.enter(federation_);
  other.rti().subscribeObjectClassAttributes(other.objectClass("Vehicle"),
                                             other.attributes("Vehicle", {"fuel"}), false, L"Fast");
  other.rti().subscribeInteractionClass(other.interactionClass("Event"), false);
  other.subscribeInteraction("Message");
  // With regions.
  const RegionHandle region = regions::make(other.rti(), {{"Area", {1, 5}}});
  other.rti().subscribeObjectClassAttributesWithRegions(
      other.objectClass("Vehicle.Truck"), {{other.attributes("Vehicle.Truck", {"zone"}), {region}}},
      true, L"Slow");
  other.rti().subscribeInteractionClassWithRegions(other.interactionClass("Hail"), {region}, false);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportObjectClassSubscription");
  watcher.subscribeInteraction(report + "HLAreportInteractionSubscription");
  watcher.tell(request + "HLArequestSubscriptions", other.handle());
  const auto values = watcher.next(report + "HLAreportObjectClassSubscription");
  QCOMPARE(values.value("HLAnumberOfClasses"), integer(2u));
  QCOMPARE(values.value("HLAobjectClass"), encoded(watcher.objectClass("Vehicle")));
  QCOMPARE(values.value("HLAactive"), integer(0u));
  QCOMPARE(text(values.value("HLAmaxUpdateRate")), QString("Fast"));
  QCOMPARE(values.value("HLAattributeList"),
           encoded(std::vector<AttributeHandle>{watcher.attribute("Vehicle", "fuel")}));
  const auto more = watcher.next(report + "HLAreportObjectClassSubscription");
  QCOMPARE(more.value("HLAobjectClass"), encoded(watcher.objectClass("Vehicle.Truck")));
  QCOMPARE(more.value("HLAactive"), integer(1u));
  QCOMPARE(text(more.value("HLAmaxUpdateRate")), QString("Slow"));
  QCOMPARE(more.value("HLAattributeList"),
           encoded(std::vector<AttributeHandle>{watcher.attribute("Vehicle.Truck", "zone")}));
  const auto interactions = watcher.next(report + "HLAreportInteractionSubscription");
  QCOMPARE(counts(interactions.value("HLAinteractionClassList"),
                  [&](const QByteArray& handle) {
                    return narrow(watcher.rti().getInteractionClassName(
                                      watcher.rti().decodeInteractionClassHandle(data(handle))))
                        .section('.', -1);
                  }),
           (QStringList{"Message 1", "Event 0", "Hail 0"}));
}

void tst_mom_reports::countsByClass_data() {
  QTest::addColumn<QString>("asked");
  QTest::addColumn<QString>("told");
  QTest::addColumn<bool>("ofPeer");
  QTest::addColumn<QString>("parameter");
  QTest::addColumn<QStringList>("reliable");
  QTest::addColumn<QStringList>("bestEffort");
  const QString byClass = "HLAobjectInstanceCounts";
  QTest::newRow("can be deleted") << "HLArequestObjectInstancesThatCanBeDeleted"
                                  << "HLAreportObjectInstancesThatCanBeDeleted" << false << byClass
                                  << QStringList{"Vehicle 1", "Truck 2"} << QStringList();
  QTest::newRow("updated") << "HLArequestObjectInstancesUpdated"
                           << "HLAreportObjectInstancesUpdated" << false << byClass
                           << QStringList{"Vehicle 1", "Truck 2"} << QStringList();
  QTest::newRow("reflected") << "HLArequestObjectInstancesReflected"
                             << "HLAreportObjectInstancesReflected" << true << byClass
                             << QStringList{"Vehicle 1", "Truck 2"} << QStringList();
  QTest::newRow("updates") << "HLArequestUpdatesSent"
                           << "HLAreportUpdatesSent" << false << "HLAupdateCounts"
                           << QStringList{"Truck 3"} << QStringList{"Vehicle 1"};
  QTest::newRow("reflections") << "HLArequestReflectionsReceived"
                               << "HLAreportReflectionsReceived" << true << "HLAreflectCounts"
                               << QStringList{"Truck 3"} << QStringList{"Vehicle 1"};
  QTest::newRow("interactions sent")
      << "HLArequestInteractionsSent"
      << "HLAreportInteractionsSent" << false << "HLAinteractionCounts" << QStringList{"Message 3"}
      << QStringList{"Hail 1"};
  QTest::newRow("interactions received")
      << "HLArequestInteractionsReceived"
      << "HLAreportInteractionsReceived" << true << "HLAinteractionCounts"
      << QStringList{"Message 3"} << QStringList{"Hail 1"};
}

void tst_mom_reports::countsByClass() {
  QFETCH(QString, asked);
  QFETCH(QString, told);
  QFETCH(bool, ofPeer);
  QFETCH(QString, parameter);
  QFETCH(QStringList, reliable);
  QFETCH(QStringList, bestEffort);
  Scene scene(federation_);
  Member& other = ofPeer ? scene.peer : scene.worker;
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + told);
  watcher.tell(request + asked, other.handle());
  const auto name = [&](const QByteArray& handle) {
    if (parameter == "HLAinteractionCounts") {
      return narrow(watcher.rti().getInteractionClassName(
                        watcher.rti().decodeInteractionClassHandle(data(handle))))
          .section('.', -1);
    }
    return narrow(watcher.rti().getObjectClassName(
                      watcher.rti().decodeObjectClassHandle(data(handle))))
        .section('.', -1);
  };
  auto values = watcher.next(report + told, [&] { other.pump(); });
  QCOMPARE(values.value("HLAfederate"), encoded(other.handle()));
  QCOMPARE(counts(values.value(parameter), name), reliable);
  if (parameter == "HLAobjectInstanceCounts") return;
  QCOMPARE(text(values.value("HLAtransportation")), QString("HLAreliable"));
  values = watcher.next(report + told, [&] { other.pump(); });
  QCOMPARE(text(values.value("HLAtransportation")), QString("HLAbestEffort"));
  QCOMPARE(counts(values.value(parameter), name), bestEffort);
}

void tst_mom_reports::HLArequestObjectInstanceInformation() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportObjectInstanceInformation");
  const auto ask = [&](Member& of, const ObjectInstanceHandle& instance) {
    watcher.tell(request + "HLArequestObjectInstanceInformation", of.handle(),
                 {{"HLAobjectInstance", encoded(instance)}});
    return watcher.next(report + "HLAreportObjectInstanceInformation", [&] { of.pump(); });
  };
  const QByteArray truck = encoded(watcher.objectClass("Vehicle.Truck"));
  auto values = ask(scene.worker, scene.trucks[0]);
  QCOMPARE(values.value("HLAobjectInstance"), encoded(scene.trucks[0]));
  QCOMPARE(values.value("HLAregisteredClass"), truck);
  QCOMPARE(values.value("HLAknownClass"), truck);
  QCOMPARE(integer(values.value("HLAownedInstanceAttributeList")), 3u);
  values = ask(scene.peer, scene.trucks[0]);
  QCOMPARE(values.value("HLAregisteredClass"), truck);
  QCOMPARE(values.value("HLAknownClass"), encoded(watcher.objectClass("Vehicle")));
  QCOMPARE(values.value("HLAownedInstanceAttributeList"), integer(0u));
  values = ask(scene.peer, scene.trucks[1]);  // deleted
  QVERIFY(!values.contains("HLAknownClass"));
}

void tst_mom_reports::HLArequestFOMmoduleData() {
  Watcher watcher;
  Member other("other");
  watcher.enter(federation_);
  other.connect();
  other.join(federation_, {modulePath("boats.xml")});
  const auto content = [](const QString& file) {
    QFile source(modulePath(file));
    return source.open(QIODevice::ReadOnly) ? QString::fromUtf8(source.readAll()) : QString();
  };
  watcher.subscribeInteraction(report + "HLAreportFOMmoduleData");
  watcher.subscribeInteraction(ofFederation + "HLAreport.HLAreportFOMmoduleData");
  watcher.tell(request + "HLArequestFOMmoduleData", other.handle(),
               {{"HLAFOMmoduleIndicator", integer(0u)}});
  auto values = watcher.next(report + "HLAreportFOMmoduleData");
  QCOMPARE(values.value("HLAFOMmoduleIndicator"), integer(0u));
  QCOMPARE(text(values.value("HLAFOMmoduleData")), content("boats.xml"));
  for (const quint32 index : {0u, 1u}) {
    watcher.tell(ofFederation + "HLArequest.HLArequestFOMmoduleData", {},
                 {{"HLAFOMmoduleIndicator", integer(index)}});
    values = watcher.next(ofFederation + "HLAreport.HLAreportFOMmoduleData");
    QCOMPARE(values.value("HLAFOMmoduleIndicator"), integer(index));
    QCOMPARE(text(values.value("HLAFOMmoduleData")), content(index == 0 ? "fom.xml" : "boats.xml"));
  }
}

void tst_mom_reports::HLArequestMIMdata() {
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(ofFederation + "HLAreport.HLAreportMIMdata");
  watcher.tell(ofFederation + "HLArequest.HLArequestMIMdata", {});
  const auto values = watcher.next(ofFederation + "HLAreport.HLAreportMIMdata");
  QVERIFY(text(values.value("HLAMIMdata")).contains("<name>HLAreportMIMdata</name>"));
}

void tst_mom_reports::HLArequestSynchronizationPoints() {
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(ofFederation + "HLAreport.HLAreportSynchronizationPoints");
  watcher.subscribeInteraction(ofFederation + "HLAreport.HLAreportSynchronizationPointStatus");
  other.rti().registerFederationSynchronizationPoint(L"all here", VariableLengthData());
  QVERIFY(other.expect("announce all here"));
  other.rti().synchronizationPointAchieved(L"all here");
  watcher.tell(ofFederation + "HLArequest.HLArequestSynchronizationPoints", {});
  const auto values = watcher.next(ofFederation + "HLAreport.HLAreportSynchronizationPoints");
  QCOMPARE(texts(values.value("HLAsyncPoints")), QStringList{"all here"});
  watcher.tell(ofFederation + "HLArequest.HLArequestSynchronizationPointStatus", {});
  const auto status = watcher.next(ofFederation + "HLAreport.HLAreportSynchronizationPointStatus");
  QCOMPARE(text(status.value("HLAsyncPointName")), QString("all here"));
  // 2: MovingToSynchPoint, 3: WaitingForRestOfFederation. Nobody waits for the RTI's own part.
  QCOMPARE(counts(status.value("HLAsyncPointFederates"),
                  [&](const QByteArray& handle) {
                    return narrow(watcher.rti().getFederateName(
                        watcher.rti().decodeFederateHandle(data(handle))));
                  }),
           (QStringList{"other 3", "watcher 2"}));
  watcher.rti().synchronizationPointAchieved(L"all here");
  QVERIFY(watcher.expect("synchronized all here"));
}

void tst_mom_reports::HLAreportFederateLost() {
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  watcher.subscribeInteraction(report + "HLAreportFederateLost");
  FederateHandle handle;
  ObjectInstanceHandle object;
  {
    Mortal mortal("mortal", federation_);
    handle = mortal.handle();
    object = watcher.ask(handle);
    QVERIFY(object.isValid());
    mortal.kill();
  }
  const auto values = watcher.next(report + "HLAreportFederateLost");
  QCOMPARE(values.value("HLAfederate"), encoded(handle));
  QCOMPARE(text(values.value("HLAfederateName")), QString("mortal"));
  QCOMPARE(values.value("HLAtimeStamp"), encodedTime(0));
  QVERIFY(!text(values.value("HLAfaultDescription")).isEmpty());
  QVERIFY(watcher.expect("remove"));
  // A resign is no loss.
  {
    Member other("other");
    other.enter(federation_);
  }
  QVERIFY(watcher.expect("remove", 2));
  QVERIFY(watcher.reports.isEmpty());
}

void tst_mom_reports::HLAreportMOMexception_data() {
  QTest::addColumn<QString>("interaction");
  QTest::addColumn<bool>("withFederate");
  QTest::addColumn<QString>("parameter");
  QTest::addColumn<QByteArray>("value");
  QTest::addColumn<bool>("parameterError");
  QTest::addColumn<QString>("exception");
  QTest::newRow("no federate") << request + "HLArequestPublications" << false << "" << QByteArray()
                               << true << "HLAfederate";
  QTest::newRow("no period") << adjust + "HLAsetTiming" << true << "" << QByteArray() << true
                             << "HLAreportPeriod";
  QTest::newRow("a period of two octets") << adjust + "HLAsetTiming" << true << "HLAreportPeriod"
                                          << QByteArray("ab") << true << "HLAreportPeriod";
  QTest::newRow("a module that is not there")
      << request + "HLArequestFOMmoduleData" << true << "HLAFOMmoduleIndicator" << integer(77u)
      << true << "77";
  QTest::newRow("no label") << service + "HLAsynchronizationPointAchieved" << true << ""
                            << QByteArray() << true << "HLAlabel";
  QTest::newRow("not announced") << service + "HLAsynchronizationPointAchieved" << true
                                 << "HLAlabel" << encodedText("nowhere") << false
                                 << "SynchronizationPointLabelNotAnnounced";
  QTest::newRow("not regulating") << service + "HLAdisableTimeRegulation" << true << ""
                                  << QByteArray() << false << "TimeRegulationIsNotEnabled";
}

void tst_mom_reports::HLAreportMOMexception() {
  QFETCH(QString, interaction);
  QFETCH(bool, withFederate);
  QFETCH(QString, parameter);
  QFETCH(QByteArray, value);
  QFETCH(bool, parameterError);
  QFETCH(QString, exception);
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  QList<QPair<QString, QByteArray>> values;
  if (!parameter.isEmpty()) values.append({parameter, value});
  watcher.tell(interaction, withFederate ? other.handle() : FederateHandle(), values);
  const auto told = watcher.next(report + "HLAreportMOMexception", [&] { other.pump(); });
  QCOMPARE(told.value("HLAfederate"), encoded(withFederate ? other.handle() : watcher.handle()));
  QCOMPARE(text(told.value("HLAservice")), "HLAinteractionRoot." + interaction);
  QCOMPARE(told.value("HLAparameterError"), integer(parameterError ? 1u : 0u));
  QVERIFY2(text(told.value("HLAexception")).contains(exception),
           qPrintable(text(told.value("HLAexception"))));
}

void tst_mom_reports::HLAsetServiceReporting() {
  const QString invocation = report + "HLAreportServiceInvocation";
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(invocation);
  const auto setReporting = [&](quint32 on) {
    watcher.tell(adjust + "HLAsetServiceReporting", other.handle(),
                 {{"HLAreportingState", integer(on)}});
  };
  setReporting(1);
  // From some moment on, each service is reported, with numbers from 0.
  QVERIFY(other.pumpUntil([&] {
    other.publishInteraction("Message");
    watcher.pump();
    return !watcher.reports.isEmpty();
  }));
  auto values = watcher.next(invocation);
  QCOMPARE(values.value("HLAserialNumber"), integer(0u));
  watcher.reports.clear();
  other.rti().publishObjectClassAttributes(other.objectClass("Depot"),
                                           other.attributes("Depot", {"stock"}));
  const auto instance = other.rti().registerObjectInstance(other.objectClass("Depot"));
  REFUSES(other.rti().deleteObjectInstance(ObjectInstanceHandle(), data("why")),
          ObjectInstanceNotKnown);
  const auto named = [&](const QString& name) {
    for (;;) {
      const auto one = watcher.next(invocation);
      if (one.isEmpty() || text(one.value("HLAservice")) == name) return one;
    }
  };
  values = named("publishObjectClassAttributes");
  QCOMPARE(values.value("HLAfederate"), encoded(other.handle()));
  QCOMPARE(values.value("HLAsuccessIndicator"), integer(1u));
  QCOMPARE(texts(values.value("HLAsuppliedArguments")),
           (QStringList{narrow(other.objectClass("Depot").toString()),
                        "{" + narrow(other.attribute("Depot", "stock").toString()) + "}"}));
  QCOMPARE(values.value("HLAreturnedArguments"), integer(0u));
  QCOMPARE(text(values.value("HLAexception")), QString());
  const quint32 number = integer(values.value("HLAserialNumber"));
  values = watcher.next(invocation);
  QCOMPARE(integer(values.value("HLAserialNumber")), number + 1);
  values = named("registerObjectInstance");
  QCOMPARE(texts(values.value("HLAreturnedArguments")), QStringList{narrow(instance.toString())});
  values = named("deleteObjectInstance");
  QCOMPARE(values.value("HLAsuccessIndicator"), integer(0u));
  QCOMPARE(texts(values.value("HLAsuppliedArguments")).value(1), QString("776879"));
  QVERIFY(text(values.value("HLAexception")).startsWith("ObjectInstanceNotKnown"));

  // One whose services are reported cannot subscribe the reports, and the other way round.
  REFUSES(other.subscribeInteraction(invocation), FederateServiceInvocationsAreBeingReportedViaMOM);
  watcher.subscribeInteraction(report + "HLAreportMOMexception");
  watcher.tell(adjust + "HLAsetServiceReporting", watcher.handle(),
               {{"HLAreportingState", integer(1u)}});
  QVERIFY(!watcher.next(report + "HLAreportMOMexception").isEmpty());

  setReporting(0);
  QVERIFY(other.pumpUntil([&] {
    watcher.pump();
    watcher.reports.clear();
    other.publishInteraction("Event");
    watcher.pump();
    return watcher.reports.isEmpty();
  }));
  ACCEPTS(other.subscribeInteraction(invocation));
}

void tst_mom_reports::callbacksAreServices() {
  const QString invocation = report + "HLAreportServiceInvocation";
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(invocation);
  watcher.publish("Depot", {"stock"});
  other.subscribe("Depot", {"stock"});
  watcher.tell(adjust + "HLAsetServiceReporting", other.handle(),
               {{"HLAreportingState", integer(1u)}});
  const auto depot = watcher.registerInstance("Depot");
  QStringList told;
  QMap<QString, QStringList> arguments;
  QVERIFY(watcher.pumpUntil([&] {
    watcher.update(depot, "Depot", {{"stock", "5"}});
    other.pump();
    for (const auto& one : std::as_const(watcher.reports)) {
      told += text(one.values.value("HLAservice"));
      arguments[told.last()] = texts(one.values.value("HLAsuppliedArguments"));
    }
    watcher.reports.clear();
    return told.contains("reflectAttributeValues");
  }));
  QCOMPARE(arguments["reflectAttributeValues"].value(0), narrow(depot.toString()));
  QCOMPARE(arguments["reflectAttributeValues"].value(1),
           "{" + narrow(watcher.attribute("Depot", "stock").toString()) + "=35}");
}

void tst_mom_reports::HLAsetExceptionReporting() {
  const QString exception = report + "HLAreportException";
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(exception);
  watcher.tell(adjust + "HLAsetExceptionReporting", other.handle(),
               {{"HLAreportingState", integer(1u)}});
  QVERIFY(other.pumpUntil([&] {
    refusal([&] { other.send("Message", {}); });
    watcher.pump();
    return !watcher.reports.isEmpty();
  }));
  const auto values = watcher.next(exception);
  QCOMPARE(values.value("HLAfederate"), encoded(other.handle()));
  QCOMPARE(text(values.value("HLAservice")), QString("sendInteraction"));
  QVERIFY(text(values.value("HLAexception")).startsWith("InteractionClassNotPublished"));
  // What succeeds is no exception.
  watcher.pump();
  watcher.reports.clear();
  other.publishInteraction("Message");
  other.send("Message", {});
  refusal([&] { other.send("Event", {}); });
  QVERIFY(!watcher.next(exception).isEmpty());
  QVERIFY(watcher.reports.isEmpty());
}

void tst_mom_reports::oneWhoDoesNotRead() {
  // A federate that subscribes and then does something else for long holds up nobody, and misses
  // nothing.
  Watcher sleeper("sleeper"), watcher;
  sleeper.enter(federation_);
  watcher.enter(federation_);
  for (Watcher* one : {&sleeper, &watcher}) {
    one->subscribeInteraction(report + "HLAreportInteractionPublication");
  }
  constexpr int number = 2000;
  watcher.publishInteraction(request + "HLArequestPublications");
  for (int i = 0; i < number; ++i) {
    watcher.tell(request + "HLArequestPublications", watcher.handle());
    watcher.pump();
  }
  AWAIT(watcher, watcher.reports.size() == number);
  AWAIT(sleeper, sleeper.reports.size() == number);
}

CONFORMANCE_MAIN(tst_mom_reports)
#include "tst_mom_reports.moc"
