// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 10 and the handle and time services of the C++ API: names and handles,
// advisory switches, delivery of callbacks. One test function for each service, of its name.
#include <atomic>
#include <thread>

#include "member.h"

using namespace rti1516e;

class tst_support_services : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// `decode` gives back the handle that was encoded, and refuses other octets.
  template <class Handle>
  void decodes(RTIambassador& rti, const Handle& handle,
               Handle (RTIambassador::*decode)(const VariableLengthData&) const);

 private slots:
  void init() { federation_ = uniqueName("support"); }
  void getAutomaticResignDirective();
  void setAutomaticResignDirective();
  void getFederateHandle();
  void getFederateName();
  void theNameOfAFederateThatHasResigned();
  void getObjectClassHandle();
  void getObjectClassName();
  void getKnownObjectClassHandle();
  void getObjectInstanceHandle();
  void getObjectInstanceName();
  void getAttributeHandle();
  void getAttributeName();
  void getUpdateRateValue();
  void getInteractionClassHandle();
  void getInteractionClassName();
  void getParameterHandle();
  void getParameterName();
  void getOrderType();
  void getOrderName();
  void getTransportationType();
  void getTransportationName();
  void getAvailableDimensionsForClassAttribute();
  void getAvailableDimensionsForInteractionClass();
  void getDimensionHandle();
  void getDimensionName();
  void getDimensionUpperBound();
  void normalizeFederateHandle();
  void normalizeServiceGroup();
  void enableObjectClassRelevanceAdvisorySwitch();
  void disableObjectClassRelevanceAdvisorySwitch();
  void enableInteractionRelevanceAdvisorySwitch();
  void disableInteractionRelevanceAdvisorySwitch();
  void evokeCallback();
  void evokeMultipleCallbacks();
  void enableCallbacks();
  void disableCallbacks();
  void immediateCallbacks();
  void getTimeFactory();
  void decodeFederateHandle();
  void decodeObjectClassHandle();
  void decodeInteractionClassHandle();
  void decodeObjectInstanceHandle();
  void decodeAttributeHandle();
  void decodeParameterHandle();
  void decodeDimensionHandle();
  void decodeMessageRetractionHandle();
  void decodeRegionHandle();
};

// --- resign directive ----------------------------------------------------------------------------

void tst_support_services::getAutomaticResignDirective() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  // At first that of the object model; then each federate has its own.
  QCOMPARE(a.rti().getAutomaticResignDirective(), DELETE_OBJECTS_THEN_DIVEST);
  a.rti().setAutomaticResignDirective(NO_ACTION);
  QCOMPARE(a.rti().getAutomaticResignDirective(), NO_ACTION);
  QCOMPARE(b.rti().getAutomaticResignDirective(), DELETE_OBJECTS_THEN_DIVEST);
}

void tst_support_services::setAutomaticResignDirective() {
  Member b("b");
  b.enter(federation_);
  REFUSES(b.rti().setAutomaticResignDirective(static_cast<ResignAction>(42)), InvalidResignAction);
  b.subscribe("Vehicle", {"position"});
  const auto publish = [](Mortal& mortal) {
    RTIambassador& rti = mortal.rti();
    const auto vehicle = rti.getObjectClassHandle(L"Vehicle");
    rti.publishObjectClassAttributes(vehicle, {rti.getAttributeHandle(vehicle, L"position")});
    return rti.registerObjectInstance(vehicle);
  };
  // What it says is done for a federate that is lost.
  Mortal leaves("leaves", federation_), deletes("deletes", federation_);
  leaves.rti().setAutomaticResignDirective(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  deletes.rti().setAutomaticResignDirective(DELETE_OBJECTS);
  const auto left = publish(leaves);
  const auto deleted = publish(deletes);
  QVERIFY(b.expect("discover", 2));
  leaves.kill();
  deletes.kill();
  QVERIFY(b.expect("remove"));
  AWAIT(b, refusal([&] { b.rti().getFederateHandle(L"leaves"); }) == "NameNotFound");
  b.pump();
  QCOMPARE(b.count("remove"), 1);
  ACCEPTS(b.rti().getObjectInstanceName(left));
  REFUSES(b.rti().getObjectInstanceName(deleted), ObjectInstanceNotKnown);
}

// --- federates -----------------------------------------------------------------------------------

void tst_support_services::getFederateHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  REFUSES(a.rti().getFederateHandle(L"b"), NameNotFound);
  b.enter(federation_);
  QVERIFY(a.rti().getFederateHandle(L"b") == b.handle());
  QVERIFY(b.rti().getFederateHandle(L"b") == b.handle());
  b.rti().resignFederationExecution(NO_ACTION);
  REFUSES(a.rti().getFederateHandle(L"b"), NameNotFound);
  b.join(federation_);
  QVERIFY(a.rti().getFederateHandle(L"b") == b.handle());
}

void tst_support_services::getFederateName() {
  Member a("a"), b(QString::fromUtf8("bé"));
  a.enter(federation_);
  b.enter(federation_);
  QCOMPARE(narrow(a.rti().getFederateName(b.handle())), b.name());
  QCOMPARE(narrow(a.rti().getFederateName(a.handle())), QString("a"));
  REFUSES(a.rti().getFederateName(FederateHandle()), InvalidFederateHandle);
  Member elsewhere("elsewhere");
  const QString other = uniqueName("support");
  elsewhere.enter(other);
  for (int i = 0; i < 3; ++i) {
    elsewhere.rti().resignFederationExecution(NO_ACTION);
    elsewhere.join(other);
  }
  REFUSES(a.rti().getFederateName(elsewhere.handle()), FederateHandleNotKnown);
}

/// 10.5: what a federate has sent may arrive after it resigned, with its handle as the producer.
void tst_support_services::theNameOfAFederateThatHasResigned() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const FederateHandle handle = b.handle();
  b.rti().resignFederationExecution(NO_ACTION);
  QCOMPARE(narrow(a.rti().getFederateName(handle)), QString("b"));
  Member c("b");  // the name is free again, the handle is not
  c.enter(federation_);
  QVERIFY(c.handle() != handle);
  QCOMPARE(narrow(a.rti().getFederateName(c.handle())), QString("b"));
  // Nobody who joins later has met it.
  REFUSES(c.rti().getFederateName(handle), FederateHandleNotKnown);
}

// --- object classes, instances, attributes -------------------------------------------------------

void tst_support_services::getObjectClassHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto truck = a.rti().getObjectClassHandle(L"HLAobjectRoot.Vehicle.Truck");
  QVERIFY(truck.isValid());
  QVERIFY(a.rti().getObjectClassHandle(L"Vehicle.Truck") == truck);  // the root may be left out
  QVERIFY(b.rti().getObjectClassHandle(L"Vehicle.Truck") == truck);
  QVERIFY(a.rti().getObjectClassHandle(L"HLAobjectRoot").isValid());
  QVERIFY(a.rti().getObjectClassHandle(L"Vehicle") != truck);
  for (const wchar_t* none : {L"", L"Boat", L"Truck", L"Vehicle.", L"vehicle"}) {
    REFUSES(a.rti().getObjectClassHandle(none), NameNotFound);
  }
}

void tst_support_services::getObjectClassName() {
  Member a("a");
  a.enter(federation_);
  const auto nameOf = [&](const QString& name) {
    return narrow(a.rti().getObjectClassName(a.objectClass(name)));
  };
  QCOMPARE(nameOf("Vehicle.Truck"), QString("HLAobjectRoot.Vehicle.Truck"));
  QCOMPARE(nameOf("HLAobjectRoot"), QString("HLAobjectRoot"));
  REFUSES(a.rti().getObjectClassName(ObjectClassHandle()), InvalidObjectClassHandle);
}

void tst_support_services::getKnownObjectClassHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle.Truck", {"load", "position"});
  b.subscribe("Vehicle", {"position"});
  const auto truck = a.registerInstance("Vehicle.Truck");
  QVERIFY(a.rti().getKnownObjectClassHandle(truck) == a.objectClass("Vehicle.Truck"));
  REFUSES(b.rti().getKnownObjectClassHandle(truck), ObjectInstanceNotKnown);
  QVERIFY(b.expect("discover"));
  QVERIFY(b.rti().getKnownObjectClassHandle(truck) == b.objectClass("Vehicle"));
  REFUSES(b.rti().getKnownObjectClassHandle(ObjectInstanceHandle()), ObjectInstanceNotKnown);
}

void tst_support_services::getObjectInstanceHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  QVERIFY(a.rti().getObjectInstanceHandle(L"car") == car);
  REFUSES(b.rti().getObjectInstanceHandle(L"car"), ObjectInstanceNotKnown);
  QVERIFY(b.expect("discover car"));
  QVERIFY(b.rti().getObjectInstanceHandle(L"car") == car);
  a.rti().deleteObjectInstance(car, {});
  REFUSES(a.rti().getObjectInstanceHandle(L"car"), ObjectInstanceNotKnown);
  QVERIFY(b.expect("remove car"));
  REFUSES(b.rti().getObjectInstanceHandle(L"car"), ObjectInstanceNotKnown);
}

void tst_support_services::getObjectInstanceName() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerNamed("Vehicle", "car");
  const auto unnamed = a.rti().registerObjectInstance(a.objectClass("Vehicle"));
  QCOMPARE(narrow(a.rti().getObjectInstanceName(car)), QString("car"));
  REFUSES(b.rti().getObjectInstanceName(car), ObjectInstanceNotKnown);
  QVERIFY(b.expect("discover", 2));
  QCOMPARE(narrow(b.rti().getObjectInstanceName(car)), QString("car"));
  QVERIFY(b.rti().getObjectInstanceName(unnamed) == a.rti().getObjectInstanceName(unnamed));
  REFUSES(a.rti().getObjectInstanceName(ObjectInstanceHandle()), ObjectInstanceNotKnown);
}

void tst_support_services::getAttributeHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto vehicle = a.objectClass("Vehicle");
  const auto truck = a.objectClass("Vehicle.Truck");
  const auto position = rti.getAttributeHandle(vehicle, L"position");
  QVERIFY(position.isValid());
  QVERIFY(rti.getAttributeHandle(truck, L"position") == position);  // inherited
  QVERIFY(b.rti().getAttributeHandle(truck, L"position") == position);
  QVERIFY(rti.getAttributeHandle(vehicle, L"fuel") != position);
  QVERIFY(rti.getAttributeHandle(vehicle, L"HLAprivilegeToDeleteObject").isValid());
  REFUSES(rti.getAttributeHandle(vehicle, L"load"), NameNotFound);
  REFUSES(rti.getAttributeHandle(truck, L"Position"), NameNotFound);
  REFUSES(rti.getAttributeHandle(ObjectClassHandle(), L"position"), InvalidObjectClassHandle);
}

void tst_support_services::getAttributeName() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto load = a.attribute("Vehicle.Truck", "load");
  const auto position = a.attribute("Vehicle", "position");
  QCOMPARE(narrow(rti.getAttributeName(a.objectClass("Vehicle.Truck"), load)), QString("load"));
  QCOMPARE(narrow(rti.getAttributeName(a.objectClass("Vehicle.Truck"), position)),
           QString("position"));
  REFUSES(rti.getAttributeName(a.objectClass("Vehicle"), load), AttributeNotDefined);
  REFUSES(rti.getAttributeName(a.objectClass("Vehicle"), AttributeHandle()),
          InvalidAttributeHandle);
  REFUSES(rti.getAttributeName(ObjectClassHandle(), position), InvalidObjectClassHandle);
}

void tst_support_services::getUpdateRateValue() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(a.rti().getUpdateRateValue(L"Slow"), 0.5);
  QCOMPARE(a.rti().getUpdateRateValue(L"Fast"), 20.0);
  REFUSES(a.rti().getUpdateRateValue(L"Never"), InvalidUpdateRateDesignator);
}

// --- interaction classes, parameters -------------------------------------------------------------

void tst_support_services::getInteractionClassHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto order = a.rti().getInteractionClassHandle(L"HLAinteractionRoot.Message.Order");
  QVERIFY(order.isValid());
  QVERIFY(a.rti().getInteractionClassHandle(L"Message.Order") == order);
  QVERIFY(b.rti().getInteractionClassHandle(L"Message.Order") == order);
  QVERIFY(a.rti().getInteractionClassHandle(L"Message") != order);
  for (const wchar_t* none : {L"", L"Order", L"Vehicle", L"message"}) {
    REFUSES(a.rti().getInteractionClassHandle(none), NameNotFound);
  }
}

void tst_support_services::getInteractionClassName() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(narrow(a.rti().getInteractionClassName(a.interactionClass("Message.Order"))),
           QString("HLAinteractionRoot.Message.Order"));
  REFUSES(a.rti().getInteractionClassName(InteractionClassHandle()), InvalidInteractionClassHandle);
}

void tst_support_services::getParameterHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto message = a.interactionClass("Message");
  const auto order = a.interactionClass("Message.Order");
  const auto text = rti.getParameterHandle(message, L"text");
  QVERIFY(text.isValid());
  QVERIFY(rti.getParameterHandle(order, L"text") == text);
  QVERIFY(b.rti().getParameterHandle(order, L"text") == text);
  REFUSES(rti.getParameterHandle(message, L"urgency"), NameNotFound);
  REFUSES(rti.getParameterHandle(InteractionClassHandle(), L"text"), InvalidInteractionClassHandle);
}

void tst_support_services::getParameterName() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto text = a.parameter("Message", "text");
  const auto urgency = a.parameter("Message.Order", "urgency");
  QCOMPARE(narrow(rti.getParameterName(a.interactionClass("Message.Order"), text)),
           QString("text"));
  QCOMPARE(narrow(rti.getParameterName(a.interactionClass("Message.Order"), urgency)),
           QString("urgency"));
  REFUSES(rti.getParameterName(a.interactionClass("Message"), urgency),
          InteractionParameterNotDefined);
  REFUSES(rti.getParameterName(a.interactionClass("Message"), ParameterHandle()),
          InvalidParameterHandle);
  REFUSES(rti.getParameterName(InteractionClassHandle(), text), InvalidInteractionClassHandle);
}

// --- orders, transportations ---------------------------------------------------------------------

void tst_support_services::getOrderType() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(a.rti().getOrderType(L"Receive"), RECEIVE);
  QCOMPARE(a.rti().getOrderType(L"TimeStamp"), TIMESTAMP);
  REFUSES(a.rti().getOrderType(L"Random"), InvalidOrderName);
}

void tst_support_services::getOrderName() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(narrow(a.rti().getOrderName(RECEIVE)), QString("Receive"));
  QCOMPARE(narrow(a.rti().getOrderName(TIMESTAMP)), QString("TimeStamp"));
  REFUSES(a.rti().getOrderName(static_cast<OrderType>(9)), InvalidOrderType);
}

void tst_support_services::getTransportationType() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(a.rti().getTransportationType(L"HLAreliable"), RELIABLE);
  QCOMPARE(a.rti().getTransportationType(L"HLAbestEffort"), BEST_EFFORT);
  REFUSES(a.rti().getTransportationType(L"Pigeon"), InvalidTransportationName);
}

void tst_support_services::getTransportationName() {
  Member a("a");
  a.enter(federation_);
  QCOMPARE(narrow(a.rti().getTransportationName(RELIABLE)), QString("HLAreliable"));
  QCOMPARE(narrow(a.rti().getTransportationName(BEST_EFFORT)), QString("HLAbestEffort"));
  REFUSES(a.rti().getTransportationName(static_cast<TransportationType>(9)),
          InvalidTransportationType);
}

// --- dimensions ----------------------------------------------------------------------------------

void tst_support_services::getAvailableDimensionsForClassAttribute() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto vehicle = a.objectClass("Vehicle");
  const DimensionHandleSet area{rti.getDimensionHandle(L"Area")};
  const auto zone = a.attribute("Vehicle", "zone");
  QVERIFY(rti.getAvailableDimensionsForClassAttribute(vehicle, zone) == area);
  QVERIFY(rti.getAvailableDimensionsForClassAttribute(a.objectClass("Vehicle.Truck"), zone) ==
          area);
  QVERIFY(
      rti.getAvailableDimensionsForClassAttribute(vehicle, a.attribute("Vehicle", "fuel")).empty());
  REFUSES(rti.getAvailableDimensionsForClassAttribute(ObjectClassHandle(), zone),
          InvalidObjectClassHandle);
  REFUSES(rti.getAvailableDimensionsForClassAttribute(vehicle, AttributeHandle()),
          InvalidAttributeHandle);
  REFUSES(
      rti.getAvailableDimensionsForClassAttribute(vehicle, a.attribute("Vehicle.Truck", "load")),
      AttributeNotDefined);
}

void tst_support_services::getAvailableDimensionsForInteractionClass() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  const DimensionHandleSet area{rti.getDimensionHandle(L"Area")};
  QVERIFY(rti.getAvailableDimensionsForInteractionClass(a.interactionClass("Hail")) == area);
  QVERIFY(rti.getAvailableDimensionsForInteractionClass(a.interactionClass("Message")).empty());
  REFUSES(rti.getAvailableDimensionsForInteractionClass(InteractionClassHandle()),
          InvalidInteractionClassHandle);
}

void tst_support_services::getDimensionHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  const auto area = a.rti().getDimensionHandle(L"Area");
  QVERIFY(area.isValid());
  QVERIFY(b.rti().getDimensionHandle(L"Area") == area);
  QVERIFY(a.rti().getDimensionHandle(L"HLAfederate") != area);
  REFUSES(a.rti().getDimensionHandle(L"Volume"), NameNotFound);
}

void tst_support_services::getDimensionName() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  for (const wchar_t* name : {L"Area", L"HLAfederate", L"HLAserviceGroup"}) {
    QCOMPARE(narrow(rti.getDimensionName(rti.getDimensionHandle(name))), narrow(name));
  }
  REFUSES(rti.getDimensionName(DimensionHandle()), InvalidDimensionHandle);
}

void tst_support_services::getDimensionUpperBound() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  QCOMPARE(rti.getDimensionUpperBound(rti.getDimensionHandle(L"Area")), 1000ul);
  QCOMPARE(rti.getDimensionUpperBound(rti.getDimensionHandle(L"HLAserviceGroup")), 7ul);
  REFUSES(rti.getDimensionUpperBound(DimensionHandle()), InvalidDimensionHandle);
}

void tst_support_services::normalizeFederateHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto bound = rti.getDimensionUpperBound(rti.getDimensionHandle(L"HLAfederate"));
  const auto mine = rti.normalizeFederateHandle(a.handle());
  const auto theirs = rti.normalizeFederateHandle(b.handle());
  QVERIFY(mine != theirs);
  QVERIFY(mine < bound && theirs < bound);
  QCOMPARE(b.rti().normalizeFederateHandle(a.handle()), mine);
  REFUSES(rti.normalizeFederateHandle(FederateHandle()), InvalidFederateHandle);
  // One that joins later has a handle of its own, which is none until then.
  Member c("c"), elsewhere("elsewhere");
  const QString other = uniqueName("support");
  elsewhere.enter(other);
  c.enter(federation_);
  while (!(c.handle() < elsewhere.handle())) {
    elsewhere.rti().resignFederationExecution(NO_ACTION);
    elsewhere.join(other);
  }
  const FederateHandle next = elsewhere.handle();
  REFUSES(rti.normalizeFederateHandle(next), InvalidFederateHandle);
  // Who has resigned was a federate, also for those who did not meet it.
  const auto former = c.handle();
  const auto formers = rti.normalizeFederateHandle(former);
  c.rti().resignFederationExecution(NO_ACTION);
  QCOMPARE(rti.normalizeFederateHandle(former), formers);
  REFUSES(rti.normalizeFederateHandle(next), InvalidFederateHandle);
  Member d("d");
  d.enter(federation_);
  QCOMPARE(d.rti().normalizeFederateHandle(former), formers);
  QVERIFY(d.handle() == next);
  QVERIFY(rti.normalizeFederateHandle(next) != formers);
  // The RTI's own member, which serves the MOM, has a handle among them and is no federate.
  const VariableLengthData encoded = next.encode();
  QByteArray octets(static_cast<const char*>(encoded.data()), qsizetype(encoded.size()));
  std::set<FederateHandle> federates;
  a.publishInteraction("Message");
  for (char number = octets.back(); number > 0; --number) {
    octets.back() = number;
    const FederateHandle handle = rti.decodeFederateHandle(data(octets));
    if (refusal([&] { rti.normalizeFederateHandle(handle); }).isEmpty()) {
      federates.insert(handle);
      continue;
    }
    REFUSES(rti.normalizeFederateHandle(handle), InvalidFederateHandle);
    REFUSES(rti.getFederateName(handle), FederateHandleNotKnown);
    REFUSES(rti.queryInteractionTransportationType(handle, a.interactionClass("Message")),
            RTIinternalError);
  }
  QCOMPARE(federates, (std::set<FederateHandle>{a.handle(), b.handle(), former, next}));
}

void tst_support_services::normalizeServiceGroup() {
  Member a("a");
  a.enter(federation_);
  RTIambassador& rti = a.rti();
  const auto bound = rti.getDimensionUpperBound(rti.getDimensionHandle(L"HLAserviceGroup"));
  std::set<unsigned long> values;
  for (int group = FEDERATION_MANAGEMENT; group <= SUPPORT_SERVICES; ++group) {
    const auto normalized = rti.normalizeServiceGroup(static_cast<ServiceGroup>(group));
    QVERIFY(normalized < bound);
    values.insert(normalized);
  }
  QCOMPARE(values.size(), size_t{7});
  REFUSES(rti.normalizeServiceGroup(static_cast<ServiceGroup>(7)), InvalidServiceGroup);
}

// --- advisory switches ---------------------------------------------------------------------------

void tst_support_services::enableObjectClassRelevanceAdvisorySwitch() {
  Member a("a"), b("b");
  const QString off = objectModelWith({{"objectClassRelevanceAdvisory", false}});
  a.enter(federation_, HLA_EVOKED, {}, off);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publish("Depot", {"stock"});
  b.subscribe("Vehicle", {"position"});
  QCOMPARE(a.take(), QStringList());  // off at first, as the object model says
  a.rti().enableObjectClassRelevanceAdvisorySwitch();
  REFUSES(a.rti().enableObjectClassRelevanceAdvisorySwitch(),
          ObjectClassRelevanceAdvisorySwitchIsOn);
  QCOMPARE(a.take(), QStringList("start Vehicle"));  // what it was not told meanwhile
  b.subscribe("Depot", {"stock"});
  QVERIFY(a.expect("start Depot"));
  b.rti().unsubscribeObjectClass(b.objectClass("Depot"));
  QVERIFY(a.expect("stop Depot"));
}

void tst_support_services::disableObjectClassRelevanceAdvisorySwitch() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  a.rti().disableObjectClassRelevanceAdvisorySwitch();
  REFUSES(a.rti().disableObjectClassRelevanceAdvisorySwitch(),
          ObjectClassRelevanceAdvisorySwitchIsOff);
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  QCOMPARE(a.take(), QStringList("on Message"));  // the other switch is not concerned
}

void tst_support_services::enableInteractionRelevanceAdvisorySwitch() {
  Member a("a"), b("b");
  const QString off = objectModelWith({{"interactionRelevanceAdvisory", false}});
  a.enter(federation_, HLA_EVOKED, {}, off);
  b.enter(federation_);
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  b.subscribeInteraction("Message");
  QCOMPARE(a.take(), QStringList());
  a.rti().enableInteractionRelevanceAdvisorySwitch();
  REFUSES(a.rti().enableInteractionRelevanceAdvisorySwitch(),
          InteractionRelevanceAdvisorySwitchIsOn);
  QCOMPARE(a.take(), QStringList("on Message"));
  b.subscribeInteraction("Event");
  QVERIFY(a.expect("on Event"));
  b.rti().unsubscribeInteractionClass(b.interactionClass("Event"));
  QVERIFY(a.expect("off Event"));
}

void tst_support_services::disableInteractionRelevanceAdvisorySwitch() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  a.rti().disableInteractionRelevanceAdvisorySwitch();
  REFUSES(a.rti().disableInteractionRelevanceAdvisorySwitch(),
          InteractionRelevanceAdvisorySwitchIsOff);
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  QCOMPARE(a.take(), QStringList("start Vehicle"));
}

// --- callbacks -----------------------------------------------------------------------------------

void tst_support_services::evokeCallback() {
  Member a("a"), b("b");
  QVERIFY(!RTIambassadorFactory().createRTIambassador()->evokeCallback(0));
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(!b.rti().evokeCallback(0));
  for (const char* text : {"1", "2", "3"}) a.send("Message", {{"text", text}});
  QCOMPARE(b.log(), QStringList());  // not before the federate asks
  QVERIFY(b.rti().evokeCallback(0));
  QCOMPARE(b.count("receive"), 1);
  QVERIFY(b.rti().evokeCallback(0));
  QCOMPARE(b.count("receive"), 2);
  b.rti().evokeCallback(60);  // one is there: it does not wait
  QCOMPARE(b.count("receive"), 3);
  QVERIFY(!b.rti().evokeCallback(0));
  QString nested;
  b.onReceive = [&](auto, const auto&) {
    nested = refusal([&] { b.rti().evokeCallback(0); });
    b.publishInteraction("Message");  // services may be called, in a callback
  };
  a.send("Message", {});
  QVERIFY(b.expect("receive", 4));
  QCOMPARE(nested, QString("CallNotAllowedFromWithinCallback"));
}

void tst_support_services::evokeMultipleCallbacks() {
  Member a("a"), b("b");
  QVERIFY(!RTIambassadorFactory().createRTIambassador()->evokeMultipleCallbacks(0, 0));
  a.enter(federation_);
  b.enter(federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  for (int i = 0; i < 100; ++i) a.send("Message", {});
  QVERIFY(!b.rti().evokeMultipleCallbacks(0, 60));  // all are made, none is left
  QCOMPARE(b.count("receive"), 100);
  // At most as long as it is given: at least one, and it tells that more are there.
  a.send("Message", {});
  a.send("Message", {});
  QVERIFY(b.rti().evokeMultipleCallbacks(0, 0));
  QCOMPARE(b.count("receive"), 101);
  QVERIFY(!b.rti().evokeMultipleCallbacks(0, 60));
  QCOMPARE(b.count("receive"), 102);
  QString nested;
  b.onReceive = [&](auto, const auto&) {
    nested = refusal([&] { b.rti().evokeMultipleCallbacks(0, 0); });
  };
  a.send("Message", {});
  b.rti().evokeMultipleCallbacks(0, 60);
  QCOMPARE(nested, QString("CallNotAllowedFromWithinCallback"));
}

void tst_support_services::enableCallbacks() {
  Member a("a"), b("b"), c("c");
  a.enter(federation_);
  b.enter(federation_);
  c.enter(federation_, HLA_IMMEDIATE);
  a.publishInteraction("Message");
  for (Member* m : {&b, &c}) {
    m->subscribeInteraction("Message");
    m->rti().disableCallbacks();
  }
  a.send("Message", {{"text", "1"}});
  a.send("Message", {{"text", "2"}});
  b.pump();
  for (Member* m : {&b, &c}) {
    m->rti().enableCallbacks();
    ACCEPTS(m->rti().enableCallbacks());
  }
  b.pump();
  QCOMPARE(b.log(), QStringList({"receive Message text=1", "receive Message text=2"}));
  QTRY_COMPARE(c.log(), QStringList({"receive Message text=1", "receive Message text=2"}));
}

void tst_support_services::disableCallbacks() {
  Member a("a"), b("b"), c("c");
  a.enter(federation_);
  b.enter(federation_);
  c.enter(federation_, HLA_IMMEDIATE);
  a.publishInteraction("Message");
  for (Member* m : {&b, &c}) {
    m->subscribeInteraction("Message");
    m->rti().disableCallbacks();
    ACCEPTS(m->rti().disableCallbacks());
  }
  a.send("Message", {{"text", "held"}});
  b.pump();
  QVERIFY(!b.rti().evokeCallback(0));
  // Who evokes in a loop waits meanwhile as without a callback, and goes on when they are enabled.
  QElapsedTimer timer;
  timer.start();
  QVERIFY(!b.rti().evokeCallback(0.05));
  QVERIFY(!b.rti().evokeMultipleCallbacks(0.05, 0.1));
  QVERIFY(timer.elapsed() >= 99);
  QCOMPARE(b.log(), QStringList());
  std::thread enabling([&] { b.rti().enableCallbacks(); });
  b.rti().evokeCallback(60);
  enabling.join();
  QCOMPARE(b.log(), QStringList("receive Message text=held"));
  // In the immediate model too: nothing came when all that was sent later has arrived elsewhere.
  Member d("d");
  d.enter(federation_);
  d.subscribeInteraction("Message");
  a.send("Message", {{"text", "held too"}});
  QVERIFY(d.expect("receive"));
  QCOMPARE(c.log(), QStringList());
  c.rti().enableCallbacks();
  QTRY_COMPARE(c.count("receive"), 2);
}

void tst_support_services::immediateCallbacks() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_, HLA_IMMEDIATE);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  a.subscribeInteraction("Message");
  b.rti().disableInteractionRelevanceAdvisorySwitch();
  b.publishInteraction("Message");
  std::atomic<bool> otherThread = false;
  const auto here = std::this_thread::get_id();
  b.onReflect = [&](auto, const auto&) {
    otherThread = std::this_thread::get_id() != here;
    b.send("Message", {{"text", "seen"}});
  };
  const auto car = a.registerNamed("Vehicle", "car");
  a.update(car, "Vehicle", {{"position", "1"}});
  QVERIFY(a.expect("receive Message text=seen"));  // b has not been asked to evoke
  QVERIFY(otherThread);
  QTRY_COMPARE(b.log(), QStringList({"discover car as Vehicle", "reflect car position=1"}));
  b.leave();
  a.update(car, "Vehicle", {{"position", "2"}});
  QCOMPARE(b.count("reflect"), 1);
}

// --- times ---------------------------------------------------------------------------------------

void tst_support_services::getTimeFactory() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enterInteger(uniqueName("support"));
  const auto floats = a.rti().getTimeFactory();
  QCOMPARE(narrow(floats->getName()), QString("HLAfloat64Time"));
  QVERIFY(dynamic_cast<HLAfloat64Time*>(floats->makeInitial().get()) != nullptr);
  QVERIFY(floats->makeInitial()->isInitial());
  const auto integers = b.rti().getTimeFactory();
  QCOMPARE(narrow(integers->getName()), QString("HLAinteger64Time"));
  QVERIFY(dynamic_cast<HLAinteger64Time*>(integers->makeFinal().get()) != nullptr);
  // Its times are those of the services.
  const std::unique_ptr<LogicalTime> time(b.rti().getTimeFactory()->makeInitial().release());
  b.rti().timeAdvanceRequest(HLAinteger64Time(12));
  QVERIFY(b.expect("granted 12"));
  b.rti().queryLogicalTime(*time);
  QCOMPARE(narrow(time->toString()), narrow(HLAinteger64Time(12).toString()));
}

// --- handles -------------------------------------------------------------------------------------

template <class Handle>
void tst_support_services::decodes(RTIambassador& rti, const Handle& handle,
                                   Handle (RTIambassador::*decode)(const VariableLengthData&)
                                       const) {
  QVERIFY(handle.isValid());
  const VariableLengthData encoded = handle.encode();
  QVERIFY((rti.*decode)(encoded) == handle);
  for (const VariableLengthData& octets :
       {VariableLengthData(), data("x"), VariableLengthData(encoded.data(), encoded.size() - 1),
        data(QByteArray(static_cast<qsizetype>(encoded.size()) + 1, 'x'))}) {
    REFUSES((rti.*decode)(octets), CouldNotDecode);
  }
  rti.resignFederationExecution(DELETE_OBJECTS);
  REFUSES((rti.*decode)(encoded), FederateNotExecutionMember);
}

void tst_support_services::decodeFederateHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  decodes(a.rti(), b.handle(), &RTIambassador::decodeFederateHandle);
}

void tst_support_services::decodeObjectClassHandle() {
  Member a("a");
  a.enter(federation_);
  decodes(a.rti(), a.objectClass("Vehicle"), &RTIambassador::decodeObjectClassHandle);
}

void tst_support_services::decodeInteractionClassHandle() {
  Member a("a");
  a.enter(federation_);
  decodes(a.rti(), a.interactionClass("Message"), &RTIambassador::decodeInteractionClassHandle);
}

void tst_support_services::decodeObjectInstanceHandle() {
  Member a("a"), b("b");
  a.enter(federation_);
  b.enter(federation_);
  b.publish("Vehicle", {"position"});
  a.subscribe("Vehicle", {"position"});
  const auto car = b.registerNamed("Vehicle", "car");
  QVERIFY(a.expect("discover car"));
  QCOMPARE(a.nameOfInstance(a.rti().decodeObjectInstanceHandle(car.encode())), QString("car"));
  decodes(a.rti(), car, &RTIambassador::decodeObjectInstanceHandle);
}

void tst_support_services::decodeAttributeHandle() {
  Member a("a");
  a.enter(federation_);
  decodes(a.rti(), a.attribute("Vehicle", "fuel"), &RTIambassador::decodeAttributeHandle);
}

void tst_support_services::decodeParameterHandle() {
  Member a("a");
  a.enter(federation_);
  decodes(a.rti(), a.parameter("Message", "text"), &RTIambassador::decodeParameterHandle);
}

void tst_support_services::decodeDimensionHandle() {
  Member a("a");
  a.enter(federation_);
  decodes(a.rti(), a.rti().getDimensionHandle(L"Area"), &RTIambassador::decodeDimensionHandle);
}

void tst_support_services::decodeMessageRetractionHandle() {
  Member a("a");
  a.enter(federation_);
  a.publishInteraction("Event");
  a.regulate(1);
  const auto handle =
      a.rti().sendInteraction(a.interactionClass("Event"), {}, {}, HLAfloat64Time(1));
  decodes(a.rti(), handle, &RTIambassador::decodeMessageRetractionHandle);
}

void tst_support_services::decodeRegionHandle() {
  Member a("a");
  a.enter(federation_);
  // Nothing makes regions yet: the octets stand for one of a later version.
  const QByteArray octets = QByteArray::fromHex("0000000000000007");
  decodes(a.rti(), a.rti().decodeRegionHandle(data(octets)), &RTIambassador::decodeRegionHandle);
}

CONFORMANCE_MAIN(tst_support_services)
#include "tst_support_services.moc"
