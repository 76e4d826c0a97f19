// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the management object model. The objects of the MOM and what
// concerns it as a whole: what it tells is compared with what the federates themselves know they
// did.
#include "patience.h"
#include "watcher.h"

using namespace mom;

class tst_mom : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("mom"); }
  void discover();
  void briefFederates();
  void federateAttributesAreTrue();
  void timeAttributesAreTrue();
  void federationAttributesAreTrue();
  void conditionsAreTold();
  void HLAsetTiming();
  void HLAsetSwitches();
  void savesTellOfThemselves();
  void timedSavesTellTheirTimes();
  void objectsAreSaved();
  void manyFederates();
  void nothingOfIt();
};

void tst_mom::discover() {
  Watcher watcher;
  Member early("early");
  early.enter(federation_);
  watcher.enter(federation_);
  watcher.watch();
  QVERIFY(watcher.expect("discover", 3));
  const QStringList lines = watcher.linesWith("discover HLA");
  QCOMPARE(lines.size(), 3);
  QCOMPARE(lines.filter("as HLAobjectRoot.HLAmanager.HLAfederation").size() +
                   lines.filter("HLAfederation").size() >
               0,
           true);
  // The RTI is no federate: nobody has produced these objects.
  QVERIFY(watcher.details.filter("from").isEmpty());
  // It is not among the federates either.
  REFUSES(watcher.rti().getFederateHandle(L"HLAmanager"), NameNotFound);
  {
    Member late("late");
    late.enter(federation_);
    QVERIFY(watcher.expect("discover", 4));
  }
  QVERIFY(watcher.expect("remove HLA", 1));
  // A second watcher finds what is there.
  Watcher second("second");
  second.enter(federation_);
  second.watch();
  QVERIFY(second.expect("discover", 4));
}

void tst_mom::briefFederates() {
  // Who is gone before the MOM looks was there nevertheless.
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  QVERIFY(watcher.expect("discover", 2));
  constexpr int number = 50;
  QStringList wanted;
  for (int i = 0; i < number; ++i) {
    // It is busy while they come and go.
    watcher.tell(ofFederation + "HLArequest.HLArequestMIMdata", {});
    watcher.tell(ofFederation + "HLArequest.HLArequestMIMdata", {});
    wanted += "brief " + QString::number(i);
    Member brief(wanted.last());
    brief.connect();
    brief.join(federation_, {modulePath("boats.xml")});
    brief.regulate(2);
    brief.publishInteraction("Message");
    brief.send("Message", {{"text", "hello"}});
    brief.rti().enableAsynchronousDelivery();
  }
  QVERIFY(watcher.expect("remove", number));
  QCOMPARE(watcher.count("discover"), 2 + number);
  QStringList told, all = federateAttributes;
  all.sort();
  for (const auto& [instance, values] : watcher.known) {
    const QByteArray name = values.value("HLAfederateName");
    if (name.isEmpty() || text(name) == "watcher") continue;
    told += text(name);
    // All its attributes are told, and what changes with a condition as it was when it left.
    QStringList attributes = values.keys();
    attributes.sort();
    QCOMPARE(attributes, all);
    QCOMPARE(text(values.value("HLAfederateType")), QString("test"));
    QCOMPARE(texts(values.value("HLAFOMmoduleDesignatorList")),
             QStringList{modulePath("boats.xml")});
    QCOMPARE(values.value("HLAtimeRegulating"), integer(1u));
    QCOMPARE(values.value("HLAtimeConstrained"), integer(0u));
    QCOMPARE(values.value("HLAasynchronousDelivery"), integer(1u));
    QCOMPARE(values.value("HLAfederateState"), integer(1u));
  }
  told.sort();
  wanted.sort();
  QCOMPARE(told, wanted);
  QCOMPARE(watcher.count("remove"), number);
}

void tst_mom::federateAttributesAreTrue() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  const auto worker = watcher.ask(scene.worker.handle());
  QVERIFY(worker.isValid());
  const auto values = watcher.known[worker];
  QCOMPARE(values.value("HLAfederateHandle"), encoded(scene.worker.handle()));
  QCOMPARE(text(values.value("HLAfederateName")), QString("worker"));
  QCOMPARE(text(values.value("HLAfederateType")), QString("test"));
  QCOMPARE(text(values.value("HLAfederateHost")), QSysInfo::machineHostName());
  QCOMPARE(text(values.value("HLARTIversion")), narrow(rtiName()) + " " + narrow(rtiVersion()));
  QCOMPARE(texts(values.value("HLAFOMmoduleDesignatorList")), QStringList());
  const auto number = [&](const char* name) {
    return values.value(name).size() == 4 ? static_cast<int>(integer(values.value(name))) : -1;
  };
  QCOMPARE(number("HLAtimeConstrained"), 0);
  QCOMPARE(number("HLAtimeRegulating"), 0);
  QCOMPARE(number("HLAasynchronousDelivery"), 0);
  QCOMPARE(number("HLAfederateState"), 1);  // ActiveFederate
  QCOMPARE(number("HLAtimeManagerState"), 0);
  QCOMPARE(values.value("HLAlogicalTime"), encodedTime(0));
  QCOMPARE(values.value("HLAGALT"), integer(quint32{0}));  // there is none
  QCOMPARE(values.value("HLALITS"), integer(quint32{0}));
  QCOMPARE(number("HLAROlength"), 0);
  QCOMPARE(number("HLATSOlength"), 0);
  QCOMPARE(number("HLAreflectionsReceived"), 0);
  QCOMPARE(number("HLAupdatesSent"), 4);
  QCOMPARE(number("HLAinteractionsReceived"), 0);
  QCOMPARE(number("HLAinteractionsSent"), 4);
  QCOMPARE(number("HLAobjectInstancesThatCanBeDeleted"), 3);
  QCOMPARE(number("HLAobjectInstancesUpdated"), 3);
  QCOMPARE(number("HLAobjectInstancesReflected"), 0);
  QCOMPARE(number("HLAobjectInstancesDeleted"), 1);
  QCOMPARE(number("HLAobjectInstancesRemoved"), 0);
  QCOMPARE(number("HLAobjectInstancesRegistered"), 4);
  QCOMPARE(number("HLAobjectInstancesDiscovered"), 0);
  QVERIFY(number("HLAtimeGrantedTime") >= 0);
  QCOMPARE(number("HLAtimeAdvancingTime"), 0);
  QCOMPARE(number("HLAconveyRegionDesignatorSets"), 0);
  QCOMPARE(number("HLAconveyProducingFederate"), 1);

  const auto peer = watcher.ask(scene.peer.handle());
  const auto seen = [&](const char* name) {
    return static_cast<int>(integer(watcher.known[peer].value(name)));
  };
  QCOMPARE(seen("HLAreflectionsReceived"), scene.peer.count("reflect"));
  QCOMPARE(seen("HLAinteractionsReceived"), 4);
  QCOMPARE(seen("HLAobjectInstancesReflected"), 3);
  QCOMPARE(seen("HLAobjectInstancesRemoved"), 1);
  QCOMPARE(seen("HLAobjectInstancesDiscovered"), 4);
  QCOMPARE(seen("HLAobjectInstancesRegistered"), 0);
}

void tst_mom::timeAttributesAreTrue() {
  Member regulating("regulating"), constrained("constrained");
  regulating.enter(federation_);
  constrained.enter(federation_);
  regulating.publishInteraction("Event");
  constrained.subscribeInteraction("Event");
  regulating.regulate(2);
  constrained.constrain();
  constrained.rti().enableAsynchronousDelivery();
  regulating.send("Event", {{"number", "1"}}, 7);
  regulating.advance(3);
  constrained.advance(4);

  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  const auto first = watcher.known[watcher.ask(regulating.handle())];
  QCOMPARE(first.value("HLAtimeRegulating"), integer(1u));
  QCOMPARE(first.value("HLAtimeConstrained"), integer(0u));
  QCOMPARE(first.value("HLAlogicalTime"), encodedTime(regulating.logicalTime()));
  QCOMPARE(first.value("HLAlookahead"), encodedTime(2));
  QCOMPARE(first.value("HLAGALT"), integer(0u));
  const auto second = watcher.known[watcher.ask(constrained.handle())];
  QCOMPARE(second.value("HLAtimeRegulating"), integer(0u));
  QCOMPARE(second.value("HLAtimeConstrained"), integer(1u));
  QCOMPARE(second.value("HLAasynchronousDelivery"), integer(1u));
  QCOMPARE(second.value("HLAtimeManagerState"), integer(0u));
  QCOMPARE(second.value("HLAlogicalTime"), encodedTime(4));
  QCOMPARE(second.value("HLAGALT"), encodedTime(constrained.galt().toDouble()));
  QCOMPARE(second.value("HLALITS"), encodedTime(constrained.lits().toDouble()));
  QCOMPARE(second.value("HLATSOlength"), integer(1u));
  // One that does not regulate has no lookahead: no octets in the array.
  QCOMPARE(second.value("HLAlookahead"), integer(0u));

  constrained.rti().timeAdvanceRequest(HLAfloat64Time(100));
  const auto object = watcher.ask(constrained.handle());
  AWAIT(watcher,
        watcher.known[object].value("HLAtimeManagerState") == integer(1u));  // TimeAdvancing
}

void tst_mom::federationAttributesAreTrue() {
  Watcher watcher;
  Member other("other");
  watcher.enter(federation_);
  other.connect();
  other.join(federation_, {modulePath("boats.xml")});
  watcher.watch();
  const auto values = watcher.known[watcher.ask({})];
  QCOMPARE(values.size(), federationAttributes.size());
  QCOMPARE(text(values.value("HLAfederationName")), federation_);
  QCOMPARE(values.value("HLAfederatesInFederation"),
           encoded(std::vector<FederateHandle>{watcher.handle(), other.handle()}));
  QCOMPARE(text(values.value("HLAMIMdesignator")), QString("HLAstandardMIM"));
  QCOMPARE(texts(values.value("HLAFOMmoduleDesignatorList")),
           (QStringList{modulePath("fom.xml"), modulePath("boats.xml")}));
  QCOMPARE(text(values.value("HLAtimeImplementationName")), QString("HLAfloat64Time"));
  QCOMPARE(text(values.value("HLAlastSaveName")), QString());
  QCOMPARE(text(values.value("HLAnextSaveName")), QString());
  QCOMPARE(values.value("HLAautoProvide"), integer(0u));

  // The FDD is an object model with which a federation execution can be made.
  const QString fdd = text(values.value("HLAcurrentFDD"));
  const QString file = fileWith(uniqueName("fdd") + ".xml", fdd.toUtf8());
  Member again("again");
  again.enter(uniqueName("fdd"), HLA_EVOKED, {}, file);
  ACCEPTS(again.objectClass("Vehicle.Truck"));
  for (const char* name : {"Vehicle", "Vehicle.Truck", "Depot"}) {
    QCOMPARE(again.objectClass(name).encode().size(), watcher.objectClass(name).encode().size());
  }
  ACCEPTS(again.parameter("Message.Order", "urgency"));
  QVERIFY(fdd.contains("Fast"));

  const auto modules = watcher.known[watcher.ask(other.handle())];
  QCOMPARE(texts(modules.value("HLAFOMmoduleDesignatorList")),
           QStringList{modulePath("boats.xml")});

  // Of modules that are the same, the first is told.
  QFile boats(modulePath("boats.xml"));
  QVERIFY(boats.open(QIODevice::ReadOnly));
  const QString same = fileWith("same-boats.xml", boats.readAll());
  Member twice("twice");
  twice.connect();
  twice.join(federation_, {same, modulePath("boats.xml"), same});
  const auto once = watcher.known[watcher.ask(twice.handle())];
  QCOMPARE(texts(once.value("HLAFOMmoduleDesignatorList")), QStringList{same});
}

void tst_mom::conditionsAreTold() {
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  const auto object = watcher.ask(other.handle());
  const auto federation = watcher.ask({});
  watcher.known.clear();
  other.regulate(1);
  AWAIT(watcher, watcher.known[object].value("HLAtimeRegulating") == integer(1u));
  other.constrain();
  AWAIT(watcher, watcher.known[object].value("HLAtimeConstrained") == integer(1u));
  other.rti().enableAsynchronousDelivery();
  AWAIT(watcher, watcher.known[object].value("HLAasynchronousDelivery") == integer(1u));
  other.rti().disableTimeRegulation();
  AWAIT(watcher, watcher.known[object].value("HLAtimeRegulating") == integer(0u));
  // Periodic and static attributes stay untold.
  QVERIFY(!watcher.known[object].contains("HLAlogicalTime"));
  QVERIFY(!watcher.known[object].contains("HLAfederateName"));
  {
    Member third("third");
    third.enter(federation_);
    AWAIT(watcher, watcher.known[federation].value("HLAfederatesInFederation") ==
                       encoded(std::vector<FederateHandle>{other.handle(), watcher.handle(),
                                                           third.handle()}));
  }
  AWAIT(watcher, watcher.known[federation].value("HLAfederatesInFederation") ==
                     encoded(std::vector<FederateHandle>{other.handle(), watcher.handle()}));
}

void tst_mom::HLAsetTiming() {
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  const auto object = watcher.ask(other.handle());
  other.regulate(1);
  other.advance(12);
  watcher.known.clear();
  watcher.tell(adjust + "HLAsetTiming", other.handle(), {{"HLAreportPeriod", integer(1u)}});
  AWAIT(watcher, watcher.known[object].value("HLAlogicalTime") == encodedTime(12));
  // What was asked for before has come by the next period.
  watcher.known.clear();
  AWAIT(watcher, watcher.known[object].contains("HLAupdatesSent"));
  QVERIFY(!watcher.known[object].contains("HLAfederateName"));
  other.advance(13);
  AWAIT(watcher, watcher.known[object].value("HLAlogicalTime") == encodedTime(13));
}

void tst_mom::HLAsetSwitches() {
  Member other("other");
  other.enter(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  const auto object = watcher.ask(other.handle());
  const auto federation = watcher.ask({});
  QVERIFY(object.isValid() && federation.isValid());
  watcher.tell(adjust + "HLAsetSwitches", other.handle(),
               {{"HLAconveyProducingFederate", integer(0u)},
                {"HLAconveyRegionDesignatorSets", integer(1u)}});
  AWAIT(watcher,
        (other.pump(), watcher.known[object].value("HLAconveyProducingFederate") == integer(0u)));
  QCOMPARE(watcher.known[object].value("HLAconveyRegionDesignatorSets"), integer(1u));
  // The federate no longer hears who produced an instance.
  other.subscribe("Depot", {"stock"});
  watcher.publish("Depot", {"stock"});
  watcher.registerInstance("Depot");
  QVERIFY(other.expect("discover"));
  QVERIFY(other.details.filter("from watcher").isEmpty());

  // Auto provide for everybody, from now on and for those who join later.
  watcher.tell(ofFederation + "HLAadjust.HLAsetSwitches", {}, {{"HLAautoProvide", integer(1u)}});
  AWAIT(watcher, watcher.known[federation].value("HLAautoProvide") == integer(1u));
  bool provided = false;
  watcher.onProvide = [&](ObjectInstanceHandle, const AttributeHandleSet&) { provided = true; };
  Member late("late");
  late.enter(federation_);
  late.subscribe("Depot", {"stock"});
  AWAIT(watcher, (late.pump(), provided));
}

void tst_mom::savesTellOfThemselves() {
  Scene scene(federation_);
  Watcher watcher;
  watcher.enter(federation_);
  watcher.watch();
  auto federation = watcher.ask({});
  const auto all = [&](const std::function<void(Member&)>& call) {
    for (Member* one : {static_cast<Member*>(&scene.worker), static_cast<Member*>(&scene.peer),
                        static_cast<Member*>(&watcher)}) {
      call(*one);
    }
  };
  scene.worker.rti().requestFederationSave(L"harvest");
  all([](Member& one) { QVERIFY(one.expect("initiate save")); });
  all([](Member& one) { one.rti().federateSaveBegun(); });
  all([](Member& one) { one.rti().federateSaveComplete(); });
  all([](Member& one) { QVERIFY(one.expect("saved")); });
  AWAIT(watcher, text(watcher.known[federation].value("HLAlastSaveName")) == "harvest");
  // It had no time: no octets in the array.
  QCOMPARE(watcher.known[watcher.ask({})].value("HLAlastSaveTime"), integer(0u));
  QCOMPARE(watcher.known[federation].value("HLAnextSaveTime"), integer(0u));

  // Restored, everything is counted from where it was.
  scene.worker.update(scene.trucks[0], "Vehicle.Truck", {{"position", "9"}});
  scene.worker.rti().requestFederationRestore(L"harvest");
  all([](Member& one) { QVERIFY(one.expect("initiate restore")); });
  all([](Member& one) { one.rti().federateRestoreComplete(); });
  all([](Member& one) { QVERIFY(one.expect("restored")); });
  QMap<QString, QByteArray> values;
  AWAIT(watcher, (values = watcher.known[watcher.ask(scene.worker.handle())],
                  values.value("HLAupdatesSent") == integer(4u)));
  QCOMPARE(text(values.value("HLAfederateName")), QString("worker"));
  QCOMPARE(values.value("HLAinteractionsSent"), integer(4u));
  QCOMPARE(values.value("HLAobjectInstancesThatCanBeDeleted"), integer(3u));
  QCOMPARE(values.value("HLAobjectInstancesUpdated"), integer(3u));
  watcher.subscribeInteraction(report + "HLAreportUpdatesSent");
  watcher.tell(request + "HLArequestUpdatesSent", scene.worker.handle());
  const auto counted = watcher.next(report + "HLAreportUpdatesSent", [&] { scene.worker.pump(); });
  QCOMPARE(counts(counted.value("HLAupdateCounts"), [](const auto&) { return QString("Truck"); }),
           QStringList{"Truck 3"});
}

void tst_mom::timedSavesTellTheirTimes() {
  Saver clock("clock");
  Watcher watcher;
  clock.enter(federation_);
  watcher.enter(federation_);
  watcher.watch();
  clock.regulate(1);
  const auto federation = watcher.ask({});
  clock.rti().requestFederationSave(L"at five", HLAfloat64Time(5));
  AWAIT(watcher, watcher.known[federation].value("HLAnextSaveTime") == encodedTime(5));
  AWAIT(watcher, text(watcher.known[federation].value("HLAnextSaveName")) == "at five");
  clock.rti().timeAdvanceRequest(HLAfloat64Time(6));
  for (Member* one : {static_cast<Member*>(&clock), static_cast<Member*>(&watcher)}) {
    QVERIFY(one->expect("initiate save"));
    one->rti().federateSaveBegun();
  }
  for (Member* one : {static_cast<Member*>(&clock), static_cast<Member*>(&watcher)}) {
    one->rti().federateSaveComplete();
  }
  AWAIT(watcher, watcher.known[federation].value("HLAlastSaveTime") == encodedTime(5));
  AWAIT(watcher, text(watcher.known[federation].value("HLAlastSaveName")) == "at five");
  AWAIT(watcher, watcher.known[federation].value("HLAnextSaveTime") == integer(0u));
  QCOMPARE(text(watcher.known[federation].value("HLAnextSaveName")), QString());
}

void tst_mom::objectsAreSaved() {
  // In the restored execution the MOM's objects are the same, and known.
  Saver worker("worker"), former("former");
  Watcher watcher;
  for (Saver* one : {&worker, &former, static_cast<Saver*>(&watcher)}) one->enter(federation_);
  watcher.watch();
  former.subscribe(federateClass, {"HLAfederateName"});
  const auto object = watcher.ask(worker.handle());
  QVERIFY(object.isValid());
  QVERIFY(former.expect("discover", 3));
  watcher.tell(adjust + "HLAsetTiming", worker.handle(), {{"HLAreportPeriod", integer(1u)}});
  AWAIT(watcher, (watcher.known.clear(), watcher.reflects[object] >= 3));
  QVERIFY(save({&worker, &former, &watcher}, L"harvest"));
  watcher.tell(adjust + "HLAsetTiming", worker.handle(), {{"HLAreportPeriod", integer(0u)}});
  QVERIFY(restore({&worker, &former, &watcher}, L"harvest"));
  QVERIFY(watcher.ask(worker.handle()) == object);
  QCOMPARE(watcher.count("discover"), 4);
  QCOMPARE(former.count("discover"), 3);
  QCOMPARE(watcher.count("remove"), 0);
  // Its periodic attributes come again without being asked for.
  watcher.known.clear();
  const int before = watcher.reflects[object];
  AWAIT(watcher, watcher.reflects[object] >= before + 2);
  QVERIFY(watcher.known[object].contains("HLAlogicalTime"));
  worker.leave(NO_ACTION);
  QVERIFY(watcher.expect("remove"));
  QVERIFY(former.expect("remove"));
  REFUSES(watcher.rti().getObjectInstanceName(object), ObjectInstanceNotKnown);
}

void tst_mom::manyFederates() {
  // Traffic goes on while all of them watch.
  constexpr int number = 30;
  std::vector<std::unique_ptr<Watcher>> all;
  for (int i = 0; i < number; ++i) {
    all.push_back(std::make_unique<Watcher>("federate " + QString::number(i)));
    all.back()->enter(federation_);
    all.back()->rti().disableInteractionRelevanceAdvisorySwitch();
    all.back()->publishInteraction("Message");
    all.back()->subscribeInteraction("Message");
    all.back()->watch();
  }
  const auto heard = [](const Watcher& one) {
    return std::count_if(one.reports.begin(), one.reports.end(),
                         [](const auto& report) { return report.name.endsWith("Message"); });
  };
  for (int round = 0; round < 10; ++round) {
    for (auto& one : all) {
      one->send("Message", {{"text", "hello"}});
      one->pump();
    }
  }
  for (auto& one : all) {
    AWAIT(*one, heard(*one) == 10 * (number - 1));
    one->pumpUntil([&] { return one->count("discover") == number + 1; });
    QCOMPARE(one->count("discover"), number + 1);
  }
  Watcher& last = *all.back();
  const auto object = last.ask(all.front()->handle());
  QCOMPARE(last.known[object].value("HLAinteractionsSent"), integer(10u));
  QCOMPARE(last.known[object].value("HLAinteractionsReceived"), integer(10u * (number - 1)));
}

void tst_mom::nothingOfIt() {
  // A federation execution that does not use the MOM has no part of it: no thread, no member, no
  // record.
  const auto threads = [&] {
    return QDir(QString("/proc/%1/task").arg(OwnNode::pidOf(node_.name())))
        .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
        .size();
  };
  // A sanitizer has threads of its own, which come and go.
  const bool exact = patience == 1;
  qsizetype during = 0;
  {
    Scene scene(federation_);
    const int pid = OwnNode::pidOf(node_.name());
    QVERIFY(pid > 0);
    if (exact) QTRY_COMPARE(threads(), 1);
    QCOMPARE(octetsOf(scene.peer.handle().encode()).back(),
             static_cast<char>(octetsOf(scene.worker.handle().encode()).back() + 1));
    // It begins with the first who is interested, and ends with the last federate.
    scene.peer.subscribe(federateClass, {"HLAfederateName"});
    if (exact) QTRY_COMPARE(threads(), 2);
    QVERIFY(scene.peer.expect("discover HLA", 4 + 2));
    during = threads();
  }
  QTRY_VERIFY(threads() < during);
  if (exact) QTRY_COMPARE(threads(), 1);
  Member member("member");
  member.connect();
  ACCEPTS(member.rti().destroyFederationExecution(wide(federation_)));
}

CONFORMANCE_MAIN(tst_mom)
#include "tst_mom.moc"
