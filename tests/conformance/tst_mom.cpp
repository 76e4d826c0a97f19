// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the management object model. What it tells is compared with what the
// federates themselves know they did.
#include <RTI/encoding/BasicDataElements.h>

#include "member.h"

using namespace rti1516e;

namespace {

// --- values as the datatypes of the MIM say ------------------------------------------------------

quint32 integer(const QByteArray& octets, int at = 0) {
  quint32 value = 0;
  for (int i = 0; i < 4; ++i)
    value = (value << 8) | static_cast<quint8>(at + i < octets.size() ? octets[at + i] : 0);
  return value;
}

QByteArray integer(quint32 value) {
  QByteArray octets;
  for (int shift = 24; shift >= 0; shift -= 8) octets += static_cast<char>(value >> shift);
  return octets;
}

QByteArray octetsOf(const VariableLengthData& data) {
  return {static_cast<const char*>(data.data()), static_cast<qsizetype>(data.size())};
}

template <class Handle>
QByteArray encoded(const Handle& handle) {
  const QByteArray octets = octetsOf(handle.encode());
  return integer(static_cast<quint32>(octets.size())) + octets;
}

template <class Handle>
QByteArray encoded(const std::vector<Handle>& handles) {
  QByteArray octets = integer(static_cast<quint32>(handles.size()));
  for (const Handle& handle : handles) octets += encoded(handle);
  return octets;
}

QByteArray encodedText(const QString& text) {
  return octetsOf(HLAunicodeString(wide(text)).encode());
}

QByteArray encodedTime(double time) {
  const QByteArray octets = octetsOf(HLAfloat64Time(time).encode());
  return integer(static_cast<quint32>(octets.size())) + octets;
}

QString text(const QByteArray& octets) {
  HLAunicodeString string;
  string.decode(data(octets));
  return narrow(string.get());
}

/// HLAvariableArray of HLAunicodeString.
QStringList texts(const QByteArray& octets) {
  QStringList result;
  int at = 4;
  for (quint32 i = 0; i < integer(octets); ++i) {
    at = (at + 3) / 4 * 4;
    const int bytes = 4 + 2 * static_cast<int>(integer(octets, at));
    result += text(octets.mid(at, bytes));
    at += bytes;
  }
  return result;
}

/// HLAvariableArray of records that begin with a handle and end with 32 bits: "class 3, ...", with
/// the names that `name` gives.
QStringList counts(const QByteArray& octets,
                   const std::function<QString(const QByteArray&)>& name) {
  QStringList result;
  int at = 4;
  for (quint32 i = 0; i < integer(octets); ++i) {
    const int bytes = static_cast<int>(integer(octets, at));
    result +=
        name(octets.mid(at + 4, bytes)) + " " + QString::number(integer(octets, at + 4 + bytes));
    at += 8 + bytes;
  }
  return result;
}

const QString federateClass = "HLAmanager.HLAfederate";
const QString federationClass = "HLAmanager.HLAfederation";
const QString adjust = "HLAmanager.HLAfederate.HLAadjust.";
const QString request = "HLAmanager.HLAfederate.HLArequest.";
const QString report = "HLAmanager.HLAfederate.HLAreport.";
const QString service = "HLAmanager.HLAfederate.HLAservice.";
const QString ofFederation = "HLAmanager.HLAfederation.";

const QStringList federateAttributes{"HLAfederateHandle",
                                     "HLAfederateName",
                                     "HLAfederateType",
                                     "HLAfederateHost",
                                     "HLARTIversion",
                                     "HLAFOMmoduleDesignatorList",
                                     "HLAtimeConstrained",
                                     "HLAtimeRegulating",
                                     "HLAasynchronousDelivery",
                                     "HLAfederateState",
                                     "HLAtimeManagerState",
                                     "HLAlogicalTime",
                                     "HLAlookahead",
                                     "HLAGALT",
                                     "HLALITS",
                                     "HLAROlength",
                                     "HLATSOlength",
                                     "HLAreflectionsReceived",
                                     "HLAupdatesSent",
                                     "HLAinteractionsReceived",
                                     "HLAinteractionsSent",
                                     "HLAobjectInstancesThatCanBeDeleted",
                                     "HLAobjectInstancesUpdated",
                                     "HLAobjectInstancesReflected",
                                     "HLAobjectInstancesDeleted",
                                     "HLAobjectInstancesRemoved",
                                     "HLAobjectInstancesRegistered",
                                     "HLAobjectInstancesDiscovered",
                                     "HLAtimeGrantedTime",
                                     "HLAtimeAdvancingTime",
                                     "HLAconveyRegionDesignatorSets",
                                     "HLAconveyProducingFederate"};

const QStringList federationAttributes{"HLAfederationName",
                                       "HLAfederatesInFederation",
                                       "HLARTIversion",
                                       "HLAMIMdesignator",
                                       "HLAFOMmoduleDesignatorList",
                                       "HLAcurrentFDD",
                                       "HLAtimeImplementationName",
                                       "HLAlastSaveName",
                                       "HLAlastSaveTime",
                                       "HLAnextSaveName",
                                       "HLAnextSaveTime",
                                       "HLAautoProvide"};

/// Writes down what it is told of saves and restores, too.
class Saver : public Member {
 public:
  using Member::Member;
  ~Saver() RTI_NOEXCEPT override { end(); }
  void initiateFederateSave(const std::wstring& label) override {
    write("initiate save " + narrow(label));
  }
  void federationSaved() override { write("saved"); }
  void federationNotSaved(SaveFailureReason) override { write("not saved"); }
  void initiateFederateRestore(const std::wstring& label, const std::wstring&,
                               FederateHandle) override {
    write("initiate restore " + narrow(label));
  }
  void federationRestored() override { write("restored"); }
  void federationNotRestored(RestoreFailureReason) override { write("not restored"); }
};

/// Watches a federation through its MOM.
class Watcher : public Saver {
 public:
  struct Report {
    QString name;  ///< without HLAinteractionRoot.HLAmanager
    QMap<QString, QByteArray> values;
  };

  explicit Watcher(const QString& name = "watcher") : Saver(name) {
    quiet = true;
    onReflect = [this](ObjectInstanceHandle instance, const AttributeHandleValueMap& values) {
      const auto objectClass = rti().getKnownObjectClassHandle(instance);
      ++reflects[instance];
      for (const auto& [attribute, value] : values) {
        known[instance][narrow(rti().getAttributeName(objectClass, attribute))] = octetsOf(value);
      }
    };
    onReceive = [this](InteractionClassHandle interaction, const ParameterHandleValueMap& values) {
      Report one;
      one.name = narrow(rti().getInteractionClassName(interaction))
                     .remove("HLAinteractionRoot.HLAmanager.");
      for (const auto& [parameter, value] : values) {
        one.values[narrow(rti().getParameterName(interaction, parameter))] = octetsOf(value);
      }
      reports.append(one);
    };
  }
  ~Watcher() RTI_NOEXCEPT override { end(); }

  std::map<ObjectInstanceHandle, QMap<QString, QByteArray>> known;
  std::map<ObjectInstanceHandle, int> reflects;
  QList<Report> reports;

  void watch() {
    subscribe(federateClass, federateAttributes);
    subscribe(federationClass, federationAttributes);
    expect("discover");
  }
  /// Asks for all values and waits until those of `federate` are there; invalid: the federation's.
  ObjectInstanceHandle ask(const FederateHandle& federate) {
    known.clear();
    const QString& objectClassName = federate.isValid() ? federateClass : federationClass;
    const auto& names = federate.isValid() ? federateAttributes : federationAttributes;
    ObjectInstanceHandle found;
    QElapsedTimer asked;
    pumpUntil([&] {
      for (const auto& [instance, values] : known) {
        const QByteArray handle = values.value("HLAfederateHandle");
        if (federate.isValid() ? handle == encoded(federate)
                               : values.contains("HLAfederationName")) {
          if (values.size() == names.size()) found = instance;
        }
      }
      if (found.isValid()) return true;
      // The RTI may be about to register its objects.
      if (asked.isValid() && asked.elapsed() < 1000) return false;
      asked.start();
      rti().requestAttributeValueUpdate(objectClass(objectClassName),
                                        attributes(objectClassName, names), VariableLengthData());
      return false;
    });
    return found;
  }
  /// Sends an interaction of the MOM with a federate's handle and more parameters.
  void tell(const QString& interaction, const FederateHandle& federate,
            QList<QPair<QString, QByteArray>> values = {}) {
    publishInteraction(interaction);
    if (federate.isValid()) values.prepend({"HLAfederate", encoded(federate)});
    send(interaction, values);
  }
  /// Waits for the next report of this class, and takes it away; its values.
  QMap<QString, QByteArray> next(const QString& interaction,
                                 const std::function<void()>& also = {}) {
    QMap<QString, QByteArray> values;
    const bool came = pumpUntil([&] {
      if (also) also();
      for (int i = 0; i < reports.size(); ++i) {
        if ("HLAmanager." + reports[i].name != interaction) continue;
        values = reports.takeAt(i).values;
        return true;
      }
      return false;
    });
    if (!came) qWarning("no %s", qPrintable(interaction));
    return values;
  }
};

/// A federate that does a known number of things.
struct Scene {
  explicit Scene(const QString& federation) {
    worker.enter(federation);
    peer.enter(federation);
    worker.rti().disableObjectClassRelevanceAdvisorySwitch();
    worker.rti().disableInteractionRelevanceAdvisorySwitch();
    worker.publish("Vehicle", {"position", "hint"});
    worker.publish("Vehicle.Truck", {"position", "load"});
    worker.publishInteraction("Message");
    worker.publishInteraction("Hail");
    peer.subscribe("Vehicle", {"position", "hint"});
    peer.subscribeInteraction("Message");
    peer.subscribeInteraction("Hail");
    for (int i = 0; i < 3; ++i) trucks.push_back(worker.registerInstance("Vehicle.Truck"));
    car = worker.registerInstance("Vehicle");
    worker.update(trucks[0], "Vehicle.Truck", {{"position", "1"}});
    worker.update(trucks[0], "Vehicle.Truck", {{"position", "2"}});
    worker.update(trucks[1], "Vehicle.Truck", {{"position", "3"}});
    worker.update(car, "Vehicle", {{"hint", "4"}});
    worker.rti().deleteObjectInstance(trucks[1], VariableLengthData());
    for (int i = 0; i < 3; ++i) worker.send("Message", {{"text", "hello"}});
    worker.send("Hail", {});
    peer.expect("remove");
    peer.expect("receive Hail");
  }
  Saver worker{"worker"}, peer{"peer"};
  std::vector<ObjectInstanceHandle> trucks;
  ObjectInstanceHandle car;
};

}  // namespace

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
  void services();
  void ownership();
  void servicesOfSaves();
  void savesTellOfThemselves();
  void HLAresignFederationExecution();
  void manyFederates();
  void oneWhoDoesNotRead();
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
    brief.enter(federation_);
  }
  QVERIFY(watcher.expect("remove", number));
  QCOMPARE(watcher.count("discover"), 2 + number);
  QStringList told;
  for (const auto& [instance, values] : watcher.known) {
    const QByteArray name = values.value("HLAfederateName");
    if (name.isEmpty() || text(name) == "watcher") continue;
    told += text(name);
    QCOMPARE(text(values.value("HLAfederateType")), QString("test"));
    QVERIFY(!values.value("HLAfederateHandle").isEmpty());
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

void tst_mom::HLArequestPublications() {
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

void tst_mom::HLArequestSubscriptions() {
  Member other("other");
  other.enter(federation_);
  other.rti().subscribeObjectClassAttributes(other.objectClass("Vehicle"),
                                             other.attributes("Vehicle", {"fuel"}), false, L"Fast");
  other.rti().subscribeInteractionClass(other.interactionClass("Event"), false);
  other.subscribeInteraction("Message");
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(report + "HLAreportObjectClassSubscription");
  watcher.subscribeInteraction(report + "HLAreportInteractionSubscription");
  watcher.tell(request + "HLArequestSubscriptions", other.handle());
  const auto values = watcher.next(report + "HLAreportObjectClassSubscription");
  QCOMPARE(values.value("HLAnumberOfClasses"), integer(1u));
  QCOMPARE(values.value("HLAobjectClass"), encoded(watcher.objectClass("Vehicle")));
  QCOMPARE(values.value("HLAactive"), integer(0u));
  QCOMPARE(text(values.value("HLAmaxUpdateRate")), QString("Fast"));
  QCOMPARE(values.value("HLAattributeList"),
           encoded(std::vector<AttributeHandle>{watcher.attribute("Vehicle", "fuel")}));
  const auto interactions = watcher.next(report + "HLAreportInteractionSubscription");
  QCOMPARE(counts(interactions.value("HLAinteractionClassList"),
                  [&](const QByteArray& handle) {
                    return narrow(watcher.rti().getInteractionClassName(
                                      watcher.rti().decodeInteractionClassHandle(data(handle))))
                        .section('.', -1);
                  }),
           (QStringList{"Message 1", "Event 0"}));
}

void tst_mom::countsByClass_data() {
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

void tst_mom::countsByClass() {
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

void tst_mom::HLArequestObjectInstanceInformation() {
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

void tst_mom::HLArequestFOMmoduleData() {
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

void tst_mom::HLArequestMIMdata() {
  Watcher watcher;
  watcher.enter(federation_);
  watcher.subscribeInteraction(ofFederation + "HLAreport.HLAreportMIMdata");
  watcher.tell(ofFederation + "HLArequest.HLArequestMIMdata", {});
  const auto values = watcher.next(ofFederation + "HLAreport.HLAreportMIMdata");
  QVERIFY(text(values.value("HLAMIMdata")).contains("<name>HLAreportMIMdata</name>"));
}

void tst_mom::HLArequestSynchronizationPoints() {
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

void tst_mom::HLAreportFederateLost() {
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

void tst_mom::HLAreportMOMexception_data() {
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

void tst_mom::HLAreportMOMexception() {
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

void tst_mom::HLAsetServiceReporting() {
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

void tst_mom::callbacksAreServices() {
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

void tst_mom::HLAsetExceptionReporting() {
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

void tst_mom::services() {
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

void tst_mom::ownership() {
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

void tst_mom::servicesOfSaves() {
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

  // Restored, everything is counted from where it was; the MOM's objects are new ones.
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

void tst_mom::HLAresignFederationExecution() {
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

void tst_mom::oneWhoDoesNotRead() {
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

void tst_mom::nothingOfIt() {
  // A federation execution that does not use the MOM has no part of it: no thread, no member, no
  // record.
  const auto threads = [&] {
    return QDir(QString("/proc/%1/task").arg(OwnNode::pidOf(node_.name())))
        .entryList(QDir::Dirs | QDir::NoDotAndDotDot)
        .size();
  };
  {
    Scene scene(federation_);
    const int pid = OwnNode::pidOf(node_.name());
    QVERIFY(pid > 0);
    QTRY_COMPARE(threads(), 1);
    QCOMPARE(octetsOf(scene.peer.handle().encode()).back(),
             static_cast<char>(octetsOf(scene.worker.handle().encode()).back() + 1));
    // It begins with the first who is interested, and ends with the last federate.
    scene.peer.subscribe(federateClass, {"HLAfederateName"});
    QTRY_COMPARE(threads(), 2);
    QVERIFY(scene.peer.expect("discover HLA", 4 + 2));
  }
  QTRY_COMPARE(threads(), 1);
  Member member("member");
  member.connect();
  ACCEPTS(member.rti().destroyFederationExecution(wide(federation_)));
}

CONFORMANCE_MAIN(tst_mom)
#include "tst_mom.moc"
