// SPDX-License-Identifier: GPL-3.0-or-later
// A federate compiled against another vendor's copy of the standard's headers: its declarations
// come from the interface table (declarations.py), nothing of rti-embedded/include is seen here.
//
// usage: foreign_federate FEDERATION FOM-MODULE
//
// Two ambassadors of one process exchange what federates exchange. Each thing that is as it should
// be is a line of output; the first that is not ends it with exit code 1.
#include <rti1516e_from_table.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#ifdef HLA_SPECIFICATION_NAME
#error "a header of the RTI was included"
#endif

using namespace rti1516e;

// What federates written for C++11 repeat of the functions that they override.
#define FEDERATE_LIST THROWS((FederateInternalError))

namespace {

void shall(bool good, const char* what) {
  if (!good) {
    std::cerr << "not so: " << what << '\n';
    std::exit(1);
  }
  std::cout << what << '\n';
}

VariableLengthData data(const char* text) { return VariableLengthData(text, std::strlen(text)); }

std::string text(const VariableLengthData& data) {
  return std::string(static_cast<const char*>(data.data()), data.size());
}

// Overrides one of each kind of callback.
class Federate : public NullFederateAmbassador {
 public:
  Federate() : sent(0), received(0), granted(-1), events(0) {}

  void synchronizationPointRegistrationSucceeded(const std::wstring& label) FEDERATE_LIST override {
    registered = label;
  }
  void announceSynchronizationPoint(const std::wstring& label,
                                    const VariableLengthData& tag) FEDERATE_LIST override {
    announced = label;
    announcedTag = text(tag);
  }
  void federationSynchronized(const std::wstring& label,
                              const FederateHandleSet& failed) FEDERATE_LIST override {
    if (failed.empty()) synchronized = label;
  }
  void objectInstanceNameReservationSucceeded(const std::wstring& name) FEDERATE_LIST override {
    reserved = name;
  }
  void reportFederationExecutions(const FederationExecutionInformationVector& list)
      FEDERATE_LIST override {
    executions = list;
  }
  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle objectClass,
                              const std::wstring& instanceName,
                              FederateHandle producer) FEDERATE_LIST override {
    discovered = instance;
    discoveredClass = objectClass;
    discoveredName = instanceName;
    discoveredProducer = producer;
  }
  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData& tag, OrderType order,
                              TransportationType transportation,
                              SupplementalReflectInfo info) FEDERATE_LIST override {
    reflected = instance;
    reflectedValues = values;
    reflectedTag = text(tag);
    sent = order * 10 + transportation;
    reflectedFrom = info.producingFederate;
    regionsSent = info.hasSentRegions || !info.sentRegions.empty();
  }
  void receiveInteraction(InteractionClassHandle, const ParameterHandleValueMap& values,
                          const VariableLengthData&, OrderType, TransportationType,
                          const LogicalTime& time, OrderType order, MessageRetractionHandle,
                          SupplementalReceiveInfo info) FEDERATE_LIST override {
    ++events;
    received = order;
    eventValue = text(values.begin()->second);
    eventTime = time.toString();
    const HLAfloat64Time* number = dynamic_cast<const HLAfloat64Time*>(&time);
    eventNumber = number == nullptr ? -1 : number->getTime();
    retractable = true;
    eventFrom = info.producingFederate;
  }
  void timeRegulationEnabled(const LogicalTime&) FEDERATE_LIST override { regulating = true; }
  void timeConstrainedEnabled(const LogicalTime&) FEDERATE_LIST override { constrained = true; }
  void timeAdvanceGrant(const LogicalTime& time) FEDERATE_LIST override {
    granted = dynamic_cast<const HLAfloat64Time&>(time).getTime();
  }
  void provideAttributeValueUpdate(ObjectInstanceHandle instance,
                                   const AttributeHandleSet& attributes,
                                   const VariableLengthData&) FEDERATE_LIST override {
    asked = instance;
    askedFor = attributes;
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData& tag, OrderType,
                            SupplementalRemoveInfo) FEDERATE_LIST override {
    removed = instance;
    removedTag = text(tag);
    throw FederateInternalError(L"this one is the federate's own");
  }

  using NullFederateAmbassador::discoverObjectInstance;
  using NullFederateAmbassador::receiveInteraction;
  using NullFederateAmbassador::reflectAttributeValues;
  using NullFederateAmbassador::removeObjectInstance;

  std::wstring registered, announced, synchronized, reserved, discoveredName, eventTime;
  std::string announcedTag, reflectedTag, eventValue, removedTag;
  FederationExecutionInformationVector executions;
  ObjectInstanceHandle discovered, reflected, asked, removed;
  ObjectClassHandle discoveredClass;
  FederateHandle discoveredProducer, reflectedFrom, eventFrom;
  AttributeHandleValueMap reflectedValues;
  AttributeHandleSet askedFor;
  int sent, received;
  double granted, eventNumber = 0;
  int events;
  bool regulating = false, constrained = false, retractable = false, regionsSent = true;
};

// Delivers to both until something has happened.
class Turns {
 public:
  Turns(RTIambassador& a, RTIambassador& b) : a_(a), b_(b) {}
  template <class Condition>
  void until(Condition happened, const char* what) {
    for (int i = 0; i < 20000 && !happened(); ++i) {
      a_.evokeCallback(0.0);
      b_.evokeMultipleCallbacks(0.0005, 0.001);
    }
    shall(happened(), what);
  }

 private:
  RTIambassador& a_;
  RTIambassador& b_;
};

void run(const std::wstring& federation, const std::wstring& module) {
  Federate one, two;
  RTIambassadorFactory factory;
  std::auto_ptr<RTIambassador> a(factory.createRTIambassador());
  std::auto_ptr<RTIambassador> b(factory.createRTIambassador());
  bool refused = false;
  try {
    a->getObjectClassHandle(L"HLAobjectRoot");
  } catch (const FederateNotExecutionMember&) {
  } catch (const NotConnected& exception) {
    refused = !exception.what().empty();
  }
  shall(refused, "an exception is caught by its class");

  a->connect(one, HLA_EVOKED);
  b->connect(two, HLA_EVOKED, L"");
  a->createFederationExecution(federation, module, L"HLAfloat64Time");
  try {
    refused = false;
    b->createFederationExecution(federation, std::vector<std::wstring>(1, module));
  } catch (const Exception& exception) {
    refused = dynamic_cast<const FederationExecutionAlreadyExists*>(&exception) != nullptr;
  }
  shall(refused, "an exception is caught by its base");
  const FederateHandle first = a->joinFederationExecution(L"one", L"foreign", federation);
  b->joinFederationExecution(L"foreign", federation);
  Turns turns(*a, *b);
  shall(a->getFederateName(first) == L"one", "joined");

  a->listFederationExecutions();
  turns.until([&] { return !one.executions.empty(); }, "executions reported");
  bool listed = false;
  for (const FederationExecutionInformation& each : one.executions) {
    listed = listed || (each.federationExecutionName == federation &&
                        each.logicalTimeImplementationName == L"HLAfloat64Time");
  }
  shall(listed, "this one is among them");

  a->registerFederationSynchronizationPoint(L"ready", data("to go"));
  turns.until([&] { return one.announced == L"ready" && two.announced == L"ready"; }, "announced");
  shall(one.registered == L"ready" && two.announcedTag == "to go", "with its tag");
  a->synchronizationPointAchieved(L"ready");
  b->synchronizationPointAchieved(L"ready", true);
  turns.until([&] { return two.synchronized == L"ready"; }, "synchronized");

  const ObjectClassHandle vehicle = a->getObjectClassHandle(L"Vehicle");
  const AttributeHandle position = a->getAttributeHandle(vehicle, L"position");
  const AttributeHandle fuel = a->getAttributeHandle(vehicle, L"fuel");
  shall(a->getObjectClassName(vehicle) == L"HLAobjectRoot.Vehicle", "names and handles");
  AttributeHandleSet both;
  both.insert(position);
  both.insert(fuel);
  a->publishObjectClassAttributes(vehicle, both);
  b->subscribeObjectClassAttributes(vehicle, both);
  a->reserveObjectInstanceName(L"car");
  turns.until([&] { return one.reserved == L"car"; }, "name reserved");
  const ObjectInstanceHandle car = a->registerObjectInstance(vehicle, L"car");
  turns.until([&] { return two.discovered == car; }, "discovered");
  shall(two.discoveredClass == vehicle && two.discoveredName == L"car" &&
            two.discoveredProducer == first,
        "with its class, its name and its producer");

  HLAunicodeString string(L"Tutti");
  AttributeHandleValueMap values;
  values[position] = data("here");
  values[fuel] = string.encode();
  a->updateAttributeValues(car, values, data("tag"));
  turns.until([&] { return two.reflected == car; }, "reflected");
  HLAunicodeString decoded;
  decoded.decode(two.reflectedValues[fuel]);
  shall(two.reflectedValues.size() == 2 && text(two.reflectedValues[position]) == "here" &&
            decoded.get() == L"Tutti",
        "with its values");
  shall(two.reflectedTag == "tag" && two.sent == RECEIVE * 10 + RELIABLE &&
            two.reflectedFrom == first && !two.regionsSent,
        "and what accompanies them");

  b->requestAttributeValueUpdate(car, both, VariableLengthData());
  turns.until([&] { return one.asked == car; }, "asked for values");
  shall(one.askedFor == both, "of both attributes");

  const HLAfloat64Interval lookahead(0.5);
  a->enableTimeRegulation(lookahead);
  b->enableTimeConstrained();
  turns.until([&] { return one.regulating && two.constrained; }, "regulating and constrained");
  const InteractionClassHandle event = a->getInteractionClassHandle(L"Event");
  const ParameterHandle number = a->getParameterHandle(event, L"number");
  a->publishInteractionClass(event);
  b->subscribeInteractionClass(event);
  ParameterHandleValueMap parameters;
  parameters[number] = data("7");
  const HLAfloat64Time stamp(2.5);
  const MessageRetractionHandle retraction = a->sendInteraction(event, parameters, data(""), stamp);
  shall(retraction.isValid(), "sent in timestamp order");
  b->timeAdvanceRequest(HLAfloat64Time(3.0));
  a->timeAdvanceRequest(HLAfloat64Time(3.0));
  turns.until([&] { return one.granted == 3 && two.granted == 3; }, "granted");
  shall(two.events == 1 && two.received == TIMESTAMP && two.eventValue == "7" &&
            two.eventNumber == 2.5 && two.retractable && two.eventFrom == first,
        "received before that, in timestamp order");
  HLAfloat64Time now;
  b->queryLogicalTime(now);
  HLAfloat64Time galt;
  shall(now.getTime() == 3.0 && b->queryGALT(galt) && galt.getTime() == 3.5, "times are told");
  std::auto_ptr<LogicalTimeFactory> times(b->getTimeFactory());
  std::auto_ptr<LogicalTime> copy(times->decodeLogicalTime(stamp.encode()));
  shall(*copy == stamp && times->getName() == L"HLAfloat64Time", "times are encoded and decoded");
  std::auto_ptr<LogicalTimeFactory> integers(
      LogicalTimeFactoryFactory::makeLogicalTimeFactory(L"HLAinteger64Time"));
  shall(integers->makeEpsilon()->implementationName() == L"HLAinteger64Time",
        "the other library makes time factories");

  const VariableLengthData encoded = first.encode();
  shall(b->decodeFederateHandle(encoded) == first && encoded.size() == first.encodedLength(),
        "handles are encoded and decoded");
  std::wostringstream stream;
  stream << first << ' ' << stamp << ' ' << NotConnected(L"nobody");
  shall(!stream.str().empty(), "and written to a stream");

  b->enableAsynchronousDelivery();
  a->deleteObjectInstance(car, data("gone"));
  turns.until([&] { return two.removed == car; }, "removed, whatever the callback throws");
  shall(two.removedTag == "gone", "with its tag");
  b->resignFederationExecution(NO_ACTION);
  a->resignFederationExecution(CANCEL_THEN_DELETE_THEN_DIVEST);
  a->destroyFederationExecution(federation);
  a->disconnect();
  b->disconnect();
  shall(rtiName() == L"Tutti", "left");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string federation(argv[1]);
  const std::string module(argv[2]);
  try {
    run(std::wstring(federation.begin(), federation.end()),
        std::wstring(module.begin(), module.end()));
  } catch (const Exception& exception) {
    std::wcerr << L"not caught: " << exception << std::endl;
    return 1;
  }
  return 0;
}
