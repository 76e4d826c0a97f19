// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 4: connections, federation executions, membership, synchronization
// points. One test function for each service and callback, of its name.
#include <QDir>
#include <QUrl>
#include <csignal>

#include "member.h"

using namespace rti1516e;

class tst_federation_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;
  QString fom_ = modulePath("fom.xml");

 private slots:
  void init() { federation_ = uniqueName("federation"); }
  void connect();
  void disconnect();
  void connectionLost();
  void createFederationExecution();
  void createFederationExecutionWithMIM();
  void createWithAnEmptyMimDesignator();
  void createWithAMimThatAddsToTheRootClass();
  void moduleDesignators_data();
  void moduleDesignators();
  void objectModelErrorsSayWhere_data();
  void objectModelErrorsSayWhere();
  void destroyFederationExecution();
  void listFederationExecutions();
  void reportFederationExecutions();
  void joinFederationExecution();
  void joinWithFurtherModules();
  void resignFederationExecution();
  void resignActions_data();
  void resignActions();
  void registerFederationSynchronizationPoint();
  void synchronizationPointRegistrationSucceeded();
  void synchronizationPointRegistrationFailed();
  void announceSynchronizationPoint();
  void synchronizationPointAchieved();
  void aPointIsAchievedOnce();
  void federationSynchronized();
  void synchronizationWithoutThoseWhoLeft_data();
  void synchronizationWithoutThoseWhoLeft();
};

// --- connections ---------------------------------------------------------------------------------

void tst_federation_management::connect() {
  NullFederateAmbassador callbacks;
  const std::unique_ptr<RTIambassador> rti(RTIambassadorFactory().createRTIambassador().release());
  REFUSES(rti->connect(callbacks, static_cast<CallbackModel>(7)), UnsupportedCallbackModel);
  REFUSES(rti->listFederationExecutions(), NotConnected);
  rti->connect(callbacks, HLA_EVOKED);
  ACCEPTS(rti->listFederationExecutions());
  REFUSES(rti->connect(callbacks, HLA_EVOKED), AlreadyConnected);
  REFUSES(rti->connect(callbacks, HLA_IMMEDIATE), AlreadyConnected);
  rti->disconnect();
  ACCEPTS(rti->connect(callbacks, HLA_IMMEDIATE));
  rti->disconnect();

  // Where TUTTI_RTI is not set, the designator counts.
  const QByteArray kept = qgetenv("TUTTI_RTI");
  const auto restore = qScopeGuard([&] { qputenv("TUTTI_RTI", kept); });
  qunsetenv("TUTTI_RTI");
  REFUSES(rti->connect(callbacks, HLA_EVOKED, L"tcp:somewhere"), InvalidLocalSettingsDesignator);
  REFUSES(rti->connect(callbacks, HLA_EVOKED, L"shm:two words"), InvalidLocalSettingsDesignator);
  ACCEPTS(rti->connect(callbacks, HLA_EVOKED, wide(QString::fromUtf8(kept))));
  Member other("other");
  qputenv("TUTTI_RTI", kept);
  other.enter(federation_);
  ACCEPTS(rti->joinFederationExecution(L"same node", wide(federation_)));
  rti->resignFederationExecution(NO_ACTION);
  rti->disconnect();
}

void tst_federation_management::disconnect() {
  Member a("a");
  a.enter(federation_);
  REFUSES(a.rti().disconnect(), FederateIsExecutionMember);
  a.rti().resignFederationExecution(NO_ACTION);
  ACCEPTS(a.rti().disconnect());
  REFUSES(a.rti().listFederationExecutions(), NotConnected);
  REFUSES(a.join(federation_), NotConnected);
  ACCEPTS(a.rti().disconnect());  // the standard has no exception for it
  ACCEPTS(a.connect());

  Member b("b");
  b.enter(federation_);
  b.subscribeInteraction("Message");
  a.join(federation_);
  a.publishInteraction("Message");
  QString inCallback;
  b.onReceive = [&](auto, const auto&) { inCallback = refusal([&] { b.rti().disconnect(); }); };
  a.send("Message", {});
  AWAIT(b, !inCallback.isEmpty());
  QCOMPARE(inCallback, QString("CallNotAllowedFromWithinCallback"));
}

void tst_federation_management::connectionLost() {
  Member a("a");
  a.enter(federation_);
  const int pid = OwnNode::pidOf(node_.name());
  QVERIFY(pid > 0);
  QCOMPARE(::kill(pid, SIGKILL), 0);
  QVERIFY(a.expect("lost "));
  QVERIFY2(a.log().constLast().contains(node_.name()), qPrintable(a.log().constLast()));
  REFUSES(a.objectClass("Vehicle"), NotConnected);
  REFUSES(a.rti().resignFederationExecution(NO_ACTION), NotConnected);
  REFUSES(a.rti().listFederationExecutions(), NotConnected);
  // The federate may begin anew with the same ambassador.
  a.enter(federation_);
  QVERIFY(a.objectClass("Vehicle").isValid());
}

// --- federation executions -----------------------------------------------------------------------

void tst_federation_management::createFederationExecution() {
  Member a("a");
  REFUSES(RTIambassadorFactory().createRTIambassador()->createFederationExecution(wide(federation_),
                                                                                  wide(fom_)),
          NotConnected);
  a.connect();
  const auto create = [&](const QString& name, const std::vector<std::wstring>& modules,
                          const std::wstring& time = L"") {
    a.rti().createFederationExecution(wide(name), modules, time);
  };
  const std::wstring malformed = wide(fileWith("malformed.xml", "<objectModel><objects>"));
  REFUSES(create(federation_, {L"/no/such/module.xml"}), CouldNotOpenFDD);
  REFUSES(create(federation_, {malformed}), ErrorReadingFDD);
  REFUSES(create(federation_, {wide(fom_), wide(modulePath("conflict.xml"))}), InconsistentFDD);
  REFUSES(create(federation_, {wide(fom_)}, L"StardateTime"), CouldNotCreateLogicalTimeFactory);
  REFUSES(a.join(federation_), FederationExecutionDoesNotExist);

  create(federation_, {wide(fom_), wide(modulePath("boats.xml"))});
  REFUSES(create(federation_, {wide(fom_)}), FederationExecutionAlreadyExists);
  a.join(federation_);
  QVERIFY(a.objectClass("Vehicle.Truck").isValid());
  QVERIFY(a.objectClass("Vehicle.Boat").isValid());
  QVERIFY(a.objectClass("HLAmanager.HLAfederate").isValid());  // of the standard MIM
  QCOMPARE(narrow(a.rti().getTimeFactory()->getName()), QString("HLAfloat64Time"));

  // The form with one module.
  Member b("b");
  b.connect();
  const QString other = uniqueName("federation");
  REFUSES(b.rti().createFederationExecution(wide(other), malformed), ErrorReadingFDD);
  b.rti().createFederationExecution(wide(other), wide(fom_), L"HLAinteger64Time");
  REFUSES(b.rti().createFederationExecution(wide(other), wide(fom_)),
          FederationExecutionAlreadyExists);
  b.join(other);
  QVERIFY(b.objectClass("Vehicle.Truck").isValid());
  REFUSES(b.objectClass("Vehicle.Boat"), NameNotFound);
  QCOMPARE(narrow(b.rti().getTimeFactory()->getName()), QString("HLAinteger64Time"));
}

void tst_federation_management::createFederationExecutionWithMIM() {
  const std::wstring name = wide(federation_);
  const std::wstring mim = wide(QString(TUTTI_SOURCE_DIR) + "/rti-embedded/omt/standard_mim.xml");
  const std::vector<std::wstring> modules{wide(fom_)};
  Member a("a");
  a.connect();
  REFUSES(a.rti().createFederationExecutionWithMIM(name, modules, L"HLAstandardMIM"),
          DesignatorIsHLAstandardMIM);
  REFUSES(a.rti().createFederationExecutionWithMIM(name, modules, L"/no/such/mim.xml"),
          CouldNotOpenMIM);
  REFUSES(a.rti().createFederationExecutionWithMIM(name, modules,
                                                   wide(fileWith("mim.xml", "no object model"))),
          ErrorReadingMIM);
  REFUSES(a.rti().createFederationExecutionWithMIM(name, {L"/no/such/module.xml"}, mim),
          CouldNotOpenFDD);
  REFUSES(a.rti().createFederationExecutionWithMIM(
              name, {wide(fom_), wide(modulePath("conflict.xml"))}, mim),
          InconsistentFDD);
  REFUSES(a.rti().createFederationExecutionWithMIM(name, modules, mim, L"StardateTime"),
          CouldNotCreateLogicalTimeFactory);
  a.rti().createFederationExecutionWithMIM(name, modules, mim, L"HLAinteger64Time");
  REFUSES(a.rti().createFederationExecutionWithMIM(name, modules, mim),
          FederationExecutionAlreadyExists);
  a.join(federation_);
  QVERIFY(a.objectClass("HLAmanager.HLAfederate").isValid());
  QVERIFY(a.objectClass("Vehicle").isValid());
  QCOMPARE(narrow(a.rti().getTimeFactory()->getName()), QString("HLAinteger64Time"));
}

/// Programs pass on what the user has given, which may be nothing (4.5: the MIM is optional).
void tst_federation_management::createWithAnEmptyMimDesignator() {
  Member a("a");
  a.connect();
  ACCEPTS(a.rti().createFederationExecutionWithMIM(wide(federation_), {wide(fom_)}, L""));
  a.join(federation_);
  QVERIFY(a.objectClass("HLAmanager.HLAfederate").isValid());
  QVERIFY(a.objectClass("Vehicle").isValid());
}

/// As NATO's NETN MIM does.
void tst_federation_management::createWithAMimThatAddsToTheRootClass() {
  QFile file(QString(TUTTI_SOURCE_DIR) + "/rti-embedded/omt/standard_mim.xml");
  QVERIFY(file.open(QIODevice::ReadOnly));
  QByteArray text = file.readAll();
  const auto at = text.indexOf("</attribute>");
  QVERIFY(at > 0);
  text.insert(at + 12,
              "<attribute><name>UniqueId</name><dataType>HLAopaqueData</dataType><updateType>Static"
              "</updateType><ownership>NoTransfer</ownership><sharing>PublishSubscribe</sharing>"
              "<transportation>HLAreliable</transportation><order>Receive</order></attribute>");
  const std::wstring mim = wide(fileWith("netn-mim.xml", text));
  Member a("a");
  Member b("b");
  a.connect();
  ACCEPTS(a.rti().createFederationExecutionWithMIM(wide(federation_), {wide(fom_)}, mim));
  a.join(federation_);
  b.connect();
  b.join(federation_, {fom_});
  QCOMPARE(a.attribute("Vehicle", "UniqueId"), a.attribute("HLAobjectRoot", "UniqueId"));
  a.publish("Vehicle.Truck", {"UniqueId", "load"});
  b.subscribe("HLAobjectRoot", {"UniqueId"});
  const ObjectInstanceHandle truck = a.registerInstance("Vehicle.Truck");
  QVERIFY(b.expect("discover "));
  a.rti().updateAttributeValues(truck, {{a.attribute("Vehicle.Truck", "UniqueId"), data("u")},
                                        {a.attribute("Vehicle.Truck", "load"), data("l")}},
                                VariableLengthData());
  QVERIFY(b.expect("reflect "));
  QVERIFY2(b.log().constLast().contains("UniqueId"), qPrintable(b.log().constLast()));
  // The instances of the MOM have it too, without a value.
  b.subscribe("HLAmanager.HLAfederate", {"HLAfederateName", "UniqueId"});
  QVERIFY(b.expect("discover ", 3));
}

void tst_federation_management::moduleDesignators_data() {
  QTest::addColumn<QString>("designator");
  QFile file(fom_);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QString path = fileWith("100% of it.xml", file.readAll());
  const QString encoded = QString::fromUtf8(QUrl::toPercentEncoding(path, "/"));
  QVERIFY(encoded.endsWith("100%25%20of%20it.xml"));
  QTest::newRow("path") << path;
  QTest::newRow("relative path") << QDir::current().relativeFilePath(path);
  QTest::newRow("URL") << "file://" + encoded;
  QTest::newRow("URL with this host") << "file://localhost" + encoded;
  QTest::newRow("URL without a host") << "file:" + encoded;
  QTest::newRow("URL that is not encoded") << "file://" + path;
}

/// A module is a file as the federate's own process sees it, by its path or its URL.
void tst_federation_management::moduleDesignators() {
  QFETCH(QString, designator);
  Member a("a");
  a.connect();
  a.create(federation_, {designator});
  a.join(federation_);
  QVERIFY(a.objectClass("Vehicle.Truck").isValid());
}

void tst_federation_management::objectModelErrorsSayWhere_data() {
  QTest::addColumn<QString>("module");
  QTest::addColumn<QStringList>("places");
  QTest::newRow("not there") << "/no/such/module.xml" << QStringList{"/no/such/module.xml"};
  QTest::newRow("malformed") << fileWith("cut.xml", "<objectModel>\n<objects>\n</objectModel>\n")
                             << QStringList{"/cut\\.xml:3\\b"};
  QTest::newRow("no object model")
      << fileWith("page.xml", "\n<html/>\n") << QStringList{"/page\\.xml:2\\b"};
  QTest::newRow("contradicts another")
      << modulePath("conflict.xml") << QStringList{"/conflict\\.xml:17\\b", "\\bfom\\.xml:\\d+"};
}

/// By whichever service: the file, and the line where there is one; of two that do not go together,
/// both.
void tst_federation_management::objectModelErrorsSayWhere() {
  QFETCH(QString, module);
  QFETCH(QStringList, places);
  Member a("a"), b("b");
  a.enter(federation_);
  b.connect();
  const auto reason = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const Exception& exception) {
      return narrow(exception.what());
    }
    return QString("nothing was thrown");
  };
  const std::wstring name = wide(federation_ + "-2");
  const std::wstring mim = wide(QString(TUTTI_SOURCE_DIR) + "/rti-embedded/omt/standard_mim.xml");
  const std::vector<std::wstring> both{wide(fom_), wide(module)};
  QStringList reasons{
      reason([&] { b.rti().createFederationExecution(name, both); }),
      reason([&] { b.rti().createFederationExecutionWithMIM(name, both, mim); }),
      reason([&] { b.join(federation_, {module}); }),
  };
  if (!module.endsWith("conflict.xml")) {
    reasons << reason([&] { b.rti().createFederationExecution(name, wide(module)); })
            << reason([&] {
                 b.rti().createFederationExecutionWithMIM(name, {wide(fom_)}, wide(module));
               });
  }
  for (const QString& text : reasons) {
    for (const QString& place : places) {
      QVERIFY2(text.contains(QRegularExpression(place)), qPrintable(text));
    }
  }
}

void tst_federation_management::destroyFederationExecution() {
  Member a("a"), b("b");
  a.connect();
  REFUSES(a.rti().destroyFederationExecution(wide(federation_)), FederationExecutionDoesNotExist);
  a.create(federation_, {fom_});
  b.enter(federation_);
  REFUSES(a.rti().destroyFederationExecution(wide(federation_)), FederatesCurrentlyJoined);
  b.leave();
  a.rti().destroyFederationExecution(wide(federation_));
  REFUSES(a.join(federation_), FederationExecutionDoesNotExist);
  REFUSES(a.rti().destroyFederationExecution(wide(federation_)), FederationExecutionDoesNotExist);

  // A federate that died is no member any more.
  a.create(federation_, {fom_});
  {
    Mortal mortal("mortal", federation_);
    mortal.kill();
  }
  ACCEPTS(a.rti().destroyFederationExecution(wide(federation_)));
}

void tst_federation_management::listFederationExecutions() {
  const QString other = uniqueName("federation");
  Member a("a");
  REFUSES(RTIambassadorFactory().createRTIambassador()->listFederationExecutions(), NotConnected);
  a.connect();
  a.create(federation_, {fom_});
  a.create(other, {fom_}, "HLAinteger64Time");
  a.rti().listFederationExecutions();  // joined to none
  QVERIFY(a.expect("executions reported"));
  QVERIFY(a.log().contains("execution " + federation_ + " HLAfloat64Time"));
  QVERIFY(a.log().contains("execution " + other + " HLAinteger64Time"));
  a.clearLog();
  a.join(federation_);
  a.rti().listFederationExecutions();
  QVERIFY(a.expect("executions reported"));
  QVERIFY(a.log().contains("execution " + other + " HLAinteger64Time"));
}

void tst_federation_management::reportFederationExecutions() {
  Member a("a");
  a.connect();
  a.create(federation_, {fom_});
  a.pump();
  QCOMPARE(a.count("executions reported"), 0);  // only who asks is told
  a.rti().listFederationExecutions();
  QVERIFY(a.expect("executions reported"));
  QCOMPARE(a.count("execution " + federation_), 1);
  a.rti().destroyFederationExecution(wide(federation_));
  a.rti().listFederationExecutions();
  QVERIFY(a.expect("executions reported", 2));
  QCOMPARE(a.count("execution " + federation_), 1);
}

// --- membership ----------------------------------------------------------------------------------

void tst_federation_management::joinFederationExecution() {
  Member a("a"), twin("a");
  REFUSES(RTIambassadorFactory().createRTIambassador()->joinFederationExecution(L"type",
                                                                                wide(federation_)),
          NotConnected);
  a.connect();
  REFUSES(a.join(federation_), FederationExecutionDoesNotExist);
  REFUSES(a.rti().joinFederationExecution(L"type", wide(federation_)),
          FederationExecutionDoesNotExist);
  a.create(federation_, {fom_});
  REFUSES(a.join(federation_, {"/no/such/module.xml"}), CouldNotOpenFDD);
  REFUSES(a.join(federation_, {fileWith("malformed.xml", "<objectModel>")}), ErrorReadingFDD);
  REFUSES(a.join(federation_, {modulePath("conflict.xml")}), InconsistentFDD);
  REFUSES(a.objectClass("Vehicle"), FederateNotExecutionMember);
  a.join(federation_);
  QVERIFY(a.handle().isValid());
  QCOMPARE(narrow(a.rti().getFederateName(a.handle())), QString("a"));
  REFUSES(a.join(federation_), FederateAlreadyExecutionMember);
  REFUSES(a.rti().joinFederationExecution(L"type", wide(federation_)),
          FederateAlreadyExecutionMember);
  twin.connect();
  REFUSES(twin.join(federation_), FederateNameAlreadyInUse);

  // Without a name the RTI makes one.
  const auto unnamed = twin.rti().joinFederationExecution(L"type", wide(federation_));
  QVERIFY(unnamed != a.handle());
  const std::wstring made = twin.rti().getFederateName(unnamed);
  QVERIFY(!made.empty() && made != L"a");
  QVERIFY(a.rti().getFederateHandle(made) == unnamed);

  // Of two executions at one node, each has its own names.
  Member elsewhere("a");
  ACCEPTS(elsewhere.enter(uniqueName("federation")));
}

void tst_federation_management::joinWithFurtherModules() {
  Member a("a"), b("b"), c("c");
  a.enter(federation_);
  a.publish("Vehicle", {"position"});
  const auto vehicle = a.objectClass("Vehicle");
  const auto position = a.attribute("Vehicle", "position");
  REFUSES(a.objectClass("Vehicle.Boat"), NameNotFound);
  b.connect();
  b.join(federation_, {modulePath("boats.xml")});
  QVERIFY(b.objectClass("Vehicle.Boat").isValid());
  QVERIFY(b.parameter("Docked", "quay").isValid());
  // Who joined before knows the new classes too, by the same handles, and keeps the old ones.
  QVERIFY(a.objectClass("Vehicle.Boat") == b.objectClass("Vehicle.Boat"));
  QVERIFY(a.attribute("Vehicle.Boat", "draught") == b.attribute("Vehicle.Boat", "draught"));
  QVERIFY(a.attribute("Vehicle.Boat", "position") == position);
  QVERIFY(a.objectClass("Vehicle") == vehicle && b.objectClass("Vehicle") == vehicle);
  QVERIFY(a.interactionClass("Docked") == b.interactionClass("Docked"));
  // The same module again changes nothing.
  c.connect();
  c.join(federation_, {modulePath("boats.xml")});
  QVERIFY(c.objectClass("Vehicle.Boat") == a.objectClass("Vehicle.Boat"));

  a.subscribe("Vehicle", {"position"});
  b.publish("Vehicle.Boat", {"position", "draught"});
  const auto boat = b.registerInstance("Vehicle.Boat");
  b.update(boat, "Vehicle.Boat", {{"position", "at sea"}, {"draught", "2"}});
  QVERIFY(a.expect("reflect"));
  QVERIFY(a.log().constLast().endsWith(" position=at sea"));
  a.subscribe("Vehicle.Boat", {"draught"});
  c.subscribe("Vehicle.Boat", {"draught"});
  b.update(boat, "Vehicle.Boat", {{"draught", "3"}});
  QVERIFY(c.expect("reflect"));
  QVERIFY(c.log().constLast().endsWith(" draught=3"));
}

void tst_federation_management::resignFederationExecution() {
  Member a("a"), b("b");
  a.connect();
  REFUSES(a.rti().resignFederationExecution(NO_ACTION), FederateNotExecutionMember);
  b.enter(federation_);
  a.join(federation_);
  REFUSES(a.rti().resignFederationExecution(static_cast<ResignAction>(42)), InvalidResignAction);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  a.send("Message", {{"text", "farewell"}});
  a.rti().resignFederationExecution(NO_ACTION);
  REFUSES(a.rti().resignFederationExecution(NO_ACTION), FederateNotExecutionMember);
  REFUSES(a.send("Message", {}), FederateNotExecutionMember);
  QVERIFY(b.expect("receive Message text=farewell"));  // sent before, so it arrives
  REFUSES(b.rti().getFederateHandle(L"a"), NameNotFound);

  // The name is free again; what was declared before counts no more.
  a.join(federation_);
  REFUSES(a.registerInstance("Vehicle"), ObjectClassNotPublished);
  b.publishInteraction("Message");
  a.subscribeInteraction("Message");
  QString inCallback;
  a.onReceive = [&](auto, const auto&) {
    inCallback = refusal([&] { a.rti().resignFederationExecution(NO_ACTION); });
  };
  b.send("Message", {});
  AWAIT(a, !inCallback.isEmpty());
  QCOMPARE(inCallback, QString("CallNotAllowedFromWithinCallback"));
  ACCEPTS(a.rti().resignFederationExecution(CANCEL_PENDING_OWNERSHIP_ACQUISITIONS));
}

void tst_federation_management::resignActions_data() {
  QTest::addColumn<int>("action");
  QTest::addColumn<QString>("refused");
  QTest::addColumn<bool>("removes");
  QTest::newRow("unconditionally divest") << int{UNCONDITIONALLY_DIVEST_ATTRIBUTES} << "" << false;
  QTest::newRow("delete objects") << int{DELETE_OBJECTS} << "" << true;
  QTest::newRow("cancel pending acquisitions")
      << int{CANCEL_PENDING_OWNERSHIP_ACQUISITIONS} << "FederateOwnsAttributes" << false;
  QTest::newRow("delete, then divest") << int{DELETE_OBJECTS_THEN_DIVEST} << "" << true;
  QTest::newRow("cancel, delete, divest") << int{CANCEL_THEN_DELETE_THEN_DIVEST} << "" << true;
  QTest::newRow("no action") << int{NO_ACTION} << "FederateOwnsAttributes" << false;
}

void tst_federation_management::resignActions() {
  QFETCH(int, action);
  QFETCH(QString, refused);
  QFETCH(bool, removes);
  Member a("a"), b("b"), late("late");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  a.update(car, "Vehicle", {{"position", "last"}});
  QCOMPARE(refusal([&] { a.rti().resignFederationExecution(static_cast<ResignAction>(action)); }),
           refused);
  if (!refused.isEmpty()) {  // it stays joined, and may do what is needed
    QCOMPARE(narrow(b.rti().getFederateName(b.rti().getFederateHandle(L"a"))), QString("a"));
    a.rti().deleteObjectInstance(car, {});
    ACCEPTS(a.rti().resignFederationExecution(static_cast<ResignAction>(action)));
    QCOMPARE(b.take(),
             QStringList({"discover car as Vehicle", "reflect car position=last", "remove car"}));
    return;
  }
  QStringList expected{"discover car as Vehicle", "reflect car position=last"};
  if (removes) expected << "remove car";
  QCOMPARE(b.take(), expected);
  late.enter(federation_);
  late.subscribe("Vehicle", {"position"});
  QCOMPARE(late.take(), QStringList());  // of what nobody owns nothing is discovered (6.9)
  if (removes) {
    late.rti().reserveObjectInstanceName(L"car");  // the name is free again
    QVERIFY(late.expect("reserved car"));
  } else {
    QVERIFY(b.rti().getObjectInstanceHandle(L"car") == car);
    ACCEPTS(b.rti().requestAttributeValueUpdate(car, b.attributes("Vehicle", {"position"}), {}));
    late.rti().reserveObjectInstanceName(L"car");
    QVERIFY(late.expect("taken car"));
  }
}

// --- synchronization points ----------------------------------------------------------------------

void tst_federation_management::registerFederationSynchronizationPoint() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.rti().registerFederationSynchronizationPoint(L"everyone", data("why"));
  QCOMPARE(a.take(), QStringList({"registered everyone", "announce everyone why"}));
  QCOMPARE(b.take(), QStringList({"announce everyone why"}));
  // Only the federates of the set are told; the registrant need not be one.
  a.rti().registerFederationSynchronizationPoint(L"some", {}, {b.handle(), c.handle()});
  QCOMPARE(a.take(), QStringList({"registered some"}));
  QCOMPARE(b.take(), QStringList({"announce some"}));
  QCOMPARE(c.take(), QStringList({"announce everyone why", "announce some"}));
  // An empty set means everyone.
  b.rti().registerFederationSynchronizationPoint(L"all", {}, {});
  QCOMPARE(b.take(), QStringList({"registered all", "announce all"}));
  QCOMPARE(c.take(), QStringList({"announce all"}));
  REFUSES(a.rti().registerFederationSynchronizationPoint(L"bad", {}, {FederateHandle()}),
          InvalidFederateHandle);
  // Nor a handle that was given in another federation execution only.
  Member elsewhere("elsewhere");
  const QString other = uniqueName("elsewhere");
  elsewhere.enter(other);
  while (!(c.handle() < elsewhere.handle())) {
    elsewhere.rti().resignFederationExecution(NO_ACTION);
    elsewhere.join(other);
  }
  REFUSES(a.rti().registerFederationSynchronizationPoint(L"bad", {}, {elsewhere.handle()}),
          InvalidFederateHandle);
  a.pump();
  QCOMPARE(a.count("refused"), 0);
}

void tst_federation_management::synchronizationPointRegistrationSucceeded() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.rti().registerFederationSynchronizationPoint(L"ready", {}, {b.handle()});
  QVERIFY(a.expect("registered ready"));
  QCOMPARE(a.take(), QStringList({"registered ready"}));
  QCOMPARE(b.take(), QStringList({"announce ready"}));
}

void tst_federation_management::synchronizationPointRegistrationFailed() {
  Member a("a"), b("b"), gone("gone");
  a.enter(federation_);
  b.enter(federation_);
  gone.enter(federation_);
  const auto former = gone.handle();
  gone.leave();
  const QString notUnique =
      QString::number(SynchronizationPointFailureReason::SYNCHRONIZATION_POINT_LABEL_NOT_UNIQUE);
  const QString notJoined =
      QString::number(SynchronizationPointFailureReason::SYNCHRONIZATION_SET_MEMBER_NOT_JOINED);
  a.rti().registerFederationSynchronizationPoint(L"ready", {});
  b.rti().registerFederationSynchronizationPoint(L"ready", {});
  QVERIFY(b.expect("refused ready"));
  QCOMPARE(b.take(), QStringList({"announce ready", "refused ready " + notUnique}));
  b.rti().registerFederationSynchronizationPoint(L"other", {}, {a.handle(), former});
  QVERIFY(b.expect("refused other"));
  QCOMPARE(b.take(), QStringList({"refused other " + notJoined}));
  QCOMPARE(a.take(), QStringList({"registered ready", "announce ready"}));
  // Once everyone has achieved it, the label may be used again.
  a.rti().synchronizationPointAchieved(L"ready");
  b.rti().synchronizationPointAchieved(L"ready");
  b.rti().registerFederationSynchronizationPoint(L"ready", {});
  QVERIFY(b.expect("registered ready"));
}

void tst_federation_management::announceSynchronizationPoint() {
  Member a("a"), late("late"), outside("outside");
  a.enter(federation_);
  a.rti().registerFederationSynchronizationPoint(L"start", data("go"));
  a.rti().registerFederationSynchronizationPoint(L"mine", {}, {a.handle()});
  late.enter(federation_);
  // Who joins before it is reached belongs to it, unless it has a set.
  QVERIFY(late.expect("announce start go"));
  a.rti().synchronizationPointAchieved(L"start");
  a.rti().synchronizationPointAchieved(L"mine");
  QVERIFY(a.expect("synchronized mine"));
  QCOMPARE(a.count("synchronized start"), 0);
  late.rti().synchronizationPointAchieved(L"start");
  QVERIFY(a.expect("synchronized start"));
  QCOMPARE(late.take(), QStringList({"announce start go", "synchronized start"}));
  outside.enter(federation_);
  QCOMPARE(outside.take(), QStringList());
}

void tst_federation_management::synchronizationPointAchieved() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  REFUSES(a.rti().synchronizationPointAchieved(L"never"), SynchronizationPointLabelNotAnnounced);
  a.rti().registerFederationSynchronizationPoint(L"mine", {}, {a.handle()});
  REFUSES(b.rti().synchronizationPointAchieved(L"mine"), SynchronizationPointLabelNotAnnounced);
  a.rti().synchronizationPointAchieved(L"mine");
  QVERIFY(a.expect("synchronized mine"));
  REFUSES(a.rti().synchronizationPointAchieved(L"mine"), SynchronizationPointLabelNotAnnounced);
  a.rti().registerFederationSynchronizationPoint(L"ours", {});
  a.rti().synchronizationPointAchieved(L"ours", true);
  a.pump();
  QCOMPARE(a.count("synchronized ours"), 0);
  b.rti().synchronizationPointAchieved(L"ours", false);
  QVERIFY(a.expect("synchronized ours"));
  QCOMPARE(a.log().constLast(), QString("synchronized ours !b"));
}

/// 4.14: what a federate has said of a point stands; there is no exception for saying it again.
void tst_federation_management::aPointIsAchievedOnce() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.rti().registerFederationSynchronizationPoint(L"ours", {});
  ACCEPTS(a.rti().synchronizationPointAchieved(L"ours", false));
  ACCEPTS(a.rti().synchronizationPointAchieved(L"ours", true));
  ACCEPTS(b.rti().synchronizationPointAchieved(L"ours", true));
  ACCEPTS(b.rti().synchronizationPointAchieved(L"ours", false));
  for (Member* m : {&a, &b, &c}) m->pump();
  QCOMPARE(a.count("synchronized"), 0);  // c has not achieved it
  c.rti().synchronizationPointAchieved(L"ours");
  for (Member* m : {&a, &b, &c}) QVERIFY(m->expect("synchronized ours"));
  QCOMPARE(c.log().constLast(), QString("synchronized ours !a"));
}

void tst_federation_management::federationSynchronized() {
  Member a("a"), b("b"), c("c");
  for (Member* m : {&a, &b, &c}) m->enter(federation_);
  a.publishInteraction("Message");
  c.subscribeInteraction("Message");
  a.rti().registerFederationSynchronizationPoint(L"point", {});
  for (Member* m : {&a, &b, &c}) QVERIFY(m->expect("announce point"));
  b.rti().synchronizationPointAchieved(L"point", false);
  c.rti().synchronizationPointAchieved(L"point");
  a.send("Message", {{"text", "before"}});
  a.rti().synchronizationPointAchieved(L"point", false);
  for (Member* m : {&a, &b, &c}) {
    QVERIFY(m->expect("synchronized point"));
    QVERIFY(m->log().constLast() == "synchronized point !a !b");
  }
  // What was sent before is delivered before.
  QCOMPARE(c.take(), QStringList({"announce point", "receive Message text=before",
                                  "synchronized point !a !b"}));
}

void tst_federation_management::synchronizationWithoutThoseWhoLeft_data() {
  QTest::addColumn<bool>("dies");
  QTest::newRow("one resigns") << false;
  QTest::newRow("one dies") << true;
}

void tst_federation_management::synchronizationWithoutThoseWhoLeft() {
  QFETCH(bool, dies);
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  Mortal c("c", federation_);
  a.rti().registerFederationSynchronizationPoint(L"everyone", {});
  a.rti().registerFederationSynchronizationPoint(L"set", {}, {a.handle(), c.handle()});
  for (const wchar_t* label : {L"everyone", L"set"}) a.rti().synchronizationPointAchieved(label);
  b.rti().synchronizationPointAchieved(L"everyone");
  a.pump();
  QCOMPARE(a.count("synchronized"), 0);
  if (!dies) c.rti().resignFederationExecution(NO_ACTION);
  c.kill();
  QVERIFY(a.expect("synchronized", 2));
  QVERIFY(a.log().contains("synchronized everyone"));
  QVERIFY(a.log().contains("synchronized set"));
  QVERIFY(b.expect("synchronized everyone"));
}

CONFORMANCE_MAIN(tst_federation_management)
#include "tst_federation_management.moc"
