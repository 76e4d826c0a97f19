// SPDX-License-Identifier: Apache-2.0
#include <RTI/RangeBounds.h>

#include <string>
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_service.h"
#include "api1516e/text.h"
#include "api1516e/time_conversion.h"

namespace tutti::api1516e {
namespace {

using namespace rti1516e;

template <class Handle>
std::uint32_t number(const Handle& handle) {
  const std::uint64_t n = value(handle);
  return n <= 0xffffffffu ? static_cast<std::uint32_t>(n) : 0;
}

template <class Set>
std::vector<std::uint32_t> numbers(const Set& handles) {
  std::vector<std::uint32_t> out;
  out.reserve(handles.size());
  for (const auto& handle : handles) out.push_back(number(handle));
  return out;
}

std::span<const std::byte> bytes(const VariableLengthData& data) {
  return {static_cast<const std::byte*>(data.data()), data.size()};
}

const omt::CompactModel& compact(core::Federate& federate) { return federate.model().compact(); }

}  // namespace

// --- federation management -----------------------------------------------------------------------

void Ambassador::registerFederationSynchronizationPoint(const std::wstring& label,
                                                        const VariableLengthData& tag) {
  service(given(label, tag),
          [&] { federate_.registerSynchronizationPoint(toUtf8(label), bytes(tag), nullptr); });
}

void Ambassador::registerFederationSynchronizationPoint(const std::wstring& label,
                                                        const VariableLengthData& tag,
                                                        const FederateHandleSet& set) {
  service(given(label, tag, set), [&] {
    federate_.requireJoined();
    // One that has resigned is known: the registration fails, which a callback says (4.12).
    for (const FederateHandle& federate : set) {
      if (federate_.wasJoined(number(federate))) continue;
      throw InvalidFederateHandle(L"The synchronization set holds the handle " +
                                  federate.toString() + L", which no federate was ever given.");
    }
    const auto federates = numbers(set);
    federate_.registerSynchronizationPoint(toUtf8(label), bytes(tag), &federates);
  });
}

void Ambassador::synchronizationPointAchieved(const std::wstring& label, bool successfully) {
  service(given(label, successfully),
          [&] { federate_.synchronizationPointAchieved(toUtf8(label), successfully); });
}

// --- declaration management ----------------------------------------------------------------------

void Ambassador::publishObjectClassAttributes(ObjectClassHandle theClass,
                                              const AttributeHandleSet& attributes) {
  service(given(theClass, attributes),
          [&] { federate_.publishObjectClass(number(theClass), numbers(attributes)); });
}

void Ambassador::unpublishObjectClass(ObjectClassHandle theClass) {
  service(given(theClass), [&] { federate_.unpublishObjectClass(number(theClass), nullptr); });
}

void Ambassador::unpublishObjectClassAttributes(ObjectClassHandle theClass,
                                                const AttributeHandleSet& attributes) {
  service(given(theClass, attributes), [&] {
    const auto list = numbers(attributes);
    federate_.unpublishObjectClass(number(theClass), &list);
  });
}

void Ambassador::publishInteractionClass(InteractionClassHandle theInteraction) {
  service(given(theInteraction),
          [&] { federate_.publishInteractionClass(number(theInteraction), true); });
}

void Ambassador::unpublishInteractionClass(InteractionClassHandle theInteraction) {
  service(given(theInteraction),
          [&] { federate_.publishInteractionClass(number(theInteraction), false); });
}

void Ambassador::subscribeObjectClassAttributes(ObjectClassHandle theClass,
                                                const AttributeHandleSet& attributes, bool active,
                                                const std::wstring& updateRateDesignator) {
  service(given(theClass, attributes, active, updateRateDesignator), [&] {
    federate_.requireJoined();
    const std::string rate = toUtf8(updateRateDesignator);
    if (!rate.empty() && compact(federate_).updateRate(rate) == 0.0) {
      throw InvalidUpdateRateDesignator(L"The object model has no update rate '" +
                                        updateRateDesignator + L"'.");
    }
    federate_.subscribeObjectClass(number(theClass), numbers(attributes), active, rate);
  });
}

void Ambassador::unsubscribeObjectClass(ObjectClassHandle theClass) {
  service(given(theClass), [&] { federate_.unsubscribeObjectClass(number(theClass), nullptr); });
}

void Ambassador::unsubscribeObjectClassAttributes(ObjectClassHandle theClass,
                                                  const AttributeHandleSet& attributes) {
  service(given(theClass, attributes), [&] {
    const auto list = numbers(attributes);
    federate_.unsubscribeObjectClass(number(theClass), &list);
  });
}

void Ambassador::subscribeInteractionClass(InteractionClassHandle theClass, bool active) {
  service(given(theClass, active),
          [&] { federate_.subscribeInteractionClass(number(theClass), true, active); });
}

void Ambassador::unsubscribeInteractionClass(InteractionClassHandle theClass) {
  service(given(theClass),
          [&] { federate_.subscribeInteractionClass(number(theClass), false, true); });
}

// --- object management ---------------------------------------------------------------------------

void Ambassador::reserveObjectInstanceName(const std::wstring& name) {
  service(given(name), [&] { federate_.reserveNames({toUtf8(name)}, true); });
}

void Ambassador::releaseObjectInstanceName(const std::wstring& name) {
  service(given(name), [&] { federate_.releaseNames({toUtf8(name)}); });
}

void Ambassador::reserveMultipleObjectInstanceName(const std::set<std::wstring>& names) {
  service(given(names), [&] {
    std::vector<std::string> list;
    for (const std::wstring& name : names) list.push_back(toUtf8(name));
    federate_.reserveNames(list, false);
  });
}

void Ambassador::releaseMultipleObjectInstanceName(const std::set<std::wstring>& names) {
  service(given(names), [&] {
    std::vector<std::string> list;
    for (const std::wstring& name : names) list.push_back(toUtf8(name));
    federate_.releaseNames(list);
  });
}

ObjectInstanceHandle Ambassador::registerObjectInstance(ObjectClassHandle theClass) {
  return service(given(theClass), [&] {
    return makeHandle<ObjectInstanceHandle>(federate_.registerInstance(number(theClass), nullptr));
  });
}

ObjectInstanceHandle Ambassador::registerObjectInstance(ObjectClassHandle theClass,
                                                        const std::wstring& name) {
  return service(given(theClass, name), [&] {
    const std::string text = toUtf8(name);
    return makeHandle<ObjectInstanceHandle>(federate_.registerInstance(number(theClass), &text));
  });
}

void Ambassador::takeValues(const AttributeHandleValueMap& values) {
  values_.clear();
  for (const auto& [handle, data] : values) values_.push_back({number(handle), bytes(data)});
}

void Ambassador::takeValues(const ParameterHandleValueMap& values) {
  values_.clear();
  for (const auto& [handle, data] : values) values_.push_back({number(handle), bytes(data)});
}

TimeType Ambassador::timeType() const { return {federate_.timeKind(), ownTime_.load()}; }

const std::uint64_t* Ambassador::stampOf(const LogicalTime& time, std::uint64_t& bits) {
  return bitsOf(time, timeType(), bits) ? &bits : core::Federate::wrongTime();
}

void Ambassador::updateAttributeValues(ObjectInstanceHandle theObject,
                                       const AttributeHandleValueMap& theAttributeValues,
                                       const VariableLengthData& tag) {
  service(given(theObject, theAttributeValues, tag), [&] {
    takeValues(theAttributeValues);
    federate_.update(value(theObject), values_, bytes(tag), nullptr);
  });
}

MessageRetractionHandle Ambassador::updateAttributeValues(
    ObjectInstanceHandle theObject, const AttributeHandleValueMap& theAttributeValues,
    const VariableLengthData& tag, const LogicalTime& theTime) {
  return service(given(theObject, theAttributeValues, tag, theTime), [&] {
    takeValues(theAttributeValues);
    std::uint64_t time = 0;
    const std::uint64_t* stamp = stampOf(theTime, time);
    return makeHandle<MessageRetractionHandle>(
        federate_.update(value(theObject), values_, bytes(tag), stamp));
  });
}

void Ambassador::sendInteraction(InteractionClassHandle theInteraction,
                                 const ParameterHandleValueMap& theParameterValues,
                                 const VariableLengthData& tag) {
  service(given(theInteraction, theParameterValues, tag), [&] {
    takeValues(theParameterValues);
    federate_.send(number(theInteraction), values_, bytes(tag), nullptr);
  });
}

MessageRetractionHandle Ambassador::sendInteraction(
    InteractionClassHandle theInteraction, const ParameterHandleValueMap& theParameterValues,
    const VariableLengthData& tag, const LogicalTime& theTime) {
  return service(given(theInteraction, theParameterValues, tag, theTime), [&] {
    takeValues(theParameterValues);
    std::uint64_t time = 0;
    const std::uint64_t* stamp = stampOf(theTime, time);
    return makeHandle<MessageRetractionHandle>(
        federate_.send(number(theInteraction), values_, bytes(tag), stamp));
  });
}

void Ambassador::deleteObjectInstance(ObjectInstanceHandle theObject,
                                      const VariableLengthData& tag) {
  service(given(theObject, tag),
          [&] { federate_.deleteInstance(value(theObject), bytes(tag), nullptr); });
}

MessageRetractionHandle Ambassador::deleteObjectInstance(ObjectInstanceHandle theObject,
                                                         const VariableLengthData& tag,
                                                         const LogicalTime& theTime) {
  return service(given(theObject, tag, theTime), [&] {
    std::uint64_t time = 0;
    const std::uint64_t* stamp = stampOf(theTime, time);
    return makeHandle<MessageRetractionHandle>(
        federate_.deleteInstance(value(theObject), bytes(tag), stamp));
  });
}

void Ambassador::localDeleteObjectInstance(ObjectInstanceHandle theObject) {
  service(given(theObject), [&] { federate_.localDelete(value(theObject)); });
}

void Ambassador::requestAttributeValueUpdate(ObjectInstanceHandle theObject,
                                             const AttributeHandleSet& attributes,
                                             const VariableLengthData& tag) {
  service(given(theObject, attributes, tag),
          [&] { federate_.requestUpdate(value(theObject), numbers(attributes), bytes(tag)); });
}

void Ambassador::requestAttributeValueUpdate(ObjectClassHandle theClass,
                                             const AttributeHandleSet& attributes,
                                             const VariableLengthData& tag) {
  service(given(theClass, attributes, tag),
          [&] { federate_.requestClassUpdate(number(theClass), numbers(attributes), bytes(tag)); });
}

// --- time management -----------------------------------------------------------------------------

void Ambassador::enableTimeRegulation(const LogicalTimeInterval& theLookahead) {
  service(given(theLookahead), [&] {
    federate_.requireCanRegulate();
    federate_.enableTimeRegulation(lookaheadBits(theLookahead));
  });
}

std::uint64_t Ambassador::lookaheadBits(const LogicalTimeInterval& lookahead) {
  const TimeType type = timeType();
  const std::uint64_t bits = intervalBits(lookahead, type);
  if (type.kind.key(bits) < type.kind.key(0)) throw InvalidLookahead(L"The lookahead is negative.");
  return bits;
}

void Ambassador::disableTimeRegulation() {
  service([&] { federate_.disableTimeRegulation(); });
}

void Ambassador::enableTimeConstrained() {
  service([&] { federate_.enableTimeConstrained(); });
}

void Ambassador::disableTimeConstrained() {
  service([&] { federate_.disableTimeConstrained(); });
}

namespace {

const char* nameOf(fabric::TimeAdvance how) {
  switch (how) {
    case fabric::TimeAdvance::TimeAdvanceRequest:
      return "timeAdvanceRequest";
    case fabric::TimeAdvance::TimeAdvanceRequestAvailable:
      return "timeAdvanceRequestAvailable";
    case fabric::TimeAdvance::NextMessageRequest:
      return "nextMessageRequest";
    case fabric::TimeAdvance::NextMessageRequestAvailable:
      return "nextMessageRequestAvailable";
    case fabric::TimeAdvance::FlushQueueRequest:
    case fabric::TimeAdvance::None:
      break;
  }
  return "flushQueueRequest";
}

}  // namespace

void Ambassador::request(fabric::TimeAdvance how, const LogicalTime& time) {
  const auto call = [&] {
    federate_.requireTimeGranted();
    federate_.requestTime(how, timeBits(time, timeType()));
  };
  service(given(time), call, nameOf(how));
}

void Ambassador::timeAdvanceRequest(const LogicalTime& theTime) {
  request(fabric::TimeAdvance::TimeAdvanceRequest, theTime);
}

void Ambassador::timeAdvanceRequestAvailable(const LogicalTime& theTime) {
  request(fabric::TimeAdvance::TimeAdvanceRequestAvailable, theTime);
}

void Ambassador::nextMessageRequest(const LogicalTime& theTime) {
  request(fabric::TimeAdvance::NextMessageRequest, theTime);
}

void Ambassador::nextMessageRequestAvailable(const LogicalTime& theTime) {
  request(fabric::TimeAdvance::NextMessageRequestAvailable, theTime);
}

void Ambassador::flushQueueRequest(const LogicalTime& theTime) {
  request(fabric::TimeAdvance::FlushQueueRequest, theTime);
}

void Ambassador::enableAsynchronousDelivery() {
  service([&] { federate_.setAsynchronousDelivery(true); });
}

void Ambassador::disableAsynchronousDelivery() {
  service([&] { federate_.setAsynchronousDelivery(false); });
}

bool Ambassador::queryGALT(LogicalTime& theTime) {
  return service([&] {
    const auto galt = federate_.queryGALT();
    if (galt) setTime(theTime, *galt, timeType());
    return galt.has_value();
  });
}

bool Ambassador::queryLITS(LogicalTime& theTime) {
  return service([&] {
    const auto lits = federate_.queryLITS();
    if (lits) setTime(theTime, *lits, timeType());
    return lits.has_value();
  });
}

void Ambassador::queryLogicalTime(LogicalTime& theTime) {
  service([&] { setTime(theTime, federate_.queryLogicalTime(), timeType()); });
}

void Ambassador::queryLookahead(LogicalTimeInterval& interval) {
  service([&] { setInterval(interval, federate_.queryLookahead(), timeType()); });
}

void Ambassador::modifyLookahead(const LogicalTimeInterval& theLookahead) {
  service(given(theLookahead), [&] {
    federate_.requireCanModifyLookahead();
    federate_.modifyLookahead(lookaheadBits(theLookahead));
  });
}

// --- support services ----------------------------------------------------------------------------

ResignAction Ambassador::getAutomaticResignDirective() {
  return service([&] { return static_cast<ResignAction>(federate_.automaticResignAction()); });
}

void Ambassador::setAutomaticResignDirective(ResignAction resignAction) {
  service(given(resignAction), [&] {
    federate_.requireMember();
    if (resignAction < UNCONDITIONALLY_DIVEST_ATTRIBUTES || resignAction > NO_ACTION) {
      throw InvalidResignAction(L"There is no such resign action.");
    }
    federate_.setAutomaticResignAction(static_cast<std::uint32_t>(resignAction));
  });
}

FederateHandle Ambassador::getFederateHandle(const std::wstring& theName) {
  return service(given(theName), [&] {
    const auto federate = federate_.federateByName(toUtf8(theName));
    if (!federate) throw NameNotFound(L"No federate '" + theName + L"' is joined.");
    return makeHandle<FederateHandle>(*federate);
  });
}

std::wstring Ambassador::getFederateName(FederateHandle theHandle) {
  return service(given(theHandle), [&] {
    federate_.model();
    if (!theHandle.isValid()) throw InvalidFederateHandle(L"The federate handle is invalid.");
    const std::string name = federate_.federateName(number(theHandle));
    if (name.empty()) {
      throw FederateHandleNotKnown(L"No federate with handle " + theHandle.toString() +
                                   L" is joined, or was since this federate joined.");
    }
    return fromUtf8(name);
  });
}

ObjectClassHandle Ambassador::getObjectClassHandle(const std::wstring& theName) {
  return service(given(theName), [&] {
    const auto found = compact(federate_).objectClass(toUtf8(theName));
    if (found == 0) throw NameNotFound(L"The object model has no object class '" + theName + L"'.");
    return makeHandle<ObjectClassHandle>(found);
  });
}

std::wstring Ambassador::getObjectClassName(ObjectClassHandle theHandle) {
  return service(given(theHandle), [&] {
    const auto& model = federate_.model();
    if (!model.hasObjectClass(number(theHandle))) {
      throw InvalidObjectClassHandle(L"The object model has no object class with handle " +
                                     theHandle.toString() + L".");
    }
    return fromUtf8(model.objectClass(number(theHandle)).name);
  });
}

ObjectClassHandle Ambassador::getKnownObjectClassHandle(ObjectInstanceHandle theObject) {
  return service(given(theObject), [&] {
    return makeHandle<ObjectClassHandle>(federate_.knownClass(value(theObject)));
  });
}

ObjectInstanceHandle Ambassador::getObjectInstanceHandle(const std::wstring& theName) {
  return service(given(theName), [&] {
    return makeHandle<ObjectInstanceHandle>(federate_.instanceByName(toUtf8(theName)));
  });
}

std::wstring Ambassador::getObjectInstanceName(ObjectInstanceHandle theHandle) {
  return service(given(theHandle),
                 [&] { return fromUtf8(federate_.instanceName(value(theHandle))); });
}

AttributeHandle Ambassador::getAttributeHandle(ObjectClassHandle whichClass,
                                               const std::wstring& theName) {
  return service(given(whichClass, theName), [&] {
    const auto& model = federate_.model();
    if (!model.hasObjectClass(number(whichClass))) {
      throw InvalidObjectClassHandle(L"The object model has no object class with handle " +
                                     whichClass.toString() + L".");
    }
    const auto found = model.compact().attribute(number(whichClass), toUtf8(theName));
    if (found == 0) {
      throw NameNotFound(L"Object class " + fromUtf8(model.objectClass(number(whichClass)).name) +
                         L" has no attribute '" + theName + L"'.");
    }
    return makeHandle<AttributeHandle>(found);
  });
}

std::wstring Ambassador::getAttributeName(ObjectClassHandle whichClass, AttributeHandle theHandle) {
  return service(given(whichClass, theHandle), [&] {
    const auto& model = federate_.model();
    if (!model.hasObjectClass(number(whichClass))) {
      throw InvalidObjectClassHandle(L"The object model has no object class with handle " +
                                     whichClass.toString() + L".");
    }
    if (!model.hasAttribute(number(theHandle))) {
      throw InvalidAttributeHandle(L"The object model has no attribute with handle " +
                                   theHandle.toString() + L".");
    }
    if (model.indexOf(number(whichClass), number(theHandle)) < 0) {
      throw AttributeNotDefined(L"Attribute " + fromUtf8(model.attribute(number(theHandle)).name) +
                                L" is not available at that object class.");
    }
    return fromUtf8(model.attribute(number(theHandle)).name);
  });
}

double Ambassador::getUpdateRateValue(const std::wstring& designator) {
  return service(given(designator), [&] {
    const double rate = compact(federate_).updateRate(toUtf8(designator));
    if (rate == 0.0) {
      throw InvalidUpdateRateDesignator(L"The object model has no update rate '" + designator +
                                        L"'.");
    }
    return rate;
  });
}

InteractionClassHandle Ambassador::getInteractionClassHandle(const std::wstring& theName) {
  return service(given(theName), [&] {
    const auto found = compact(federate_).interactionClass(toUtf8(theName));
    if (found == 0) {
      throw NameNotFound(L"The object model has no interaction class '" + theName + L"'.");
    }
    return makeHandle<InteractionClassHandle>(found);
  });
}

std::wstring Ambassador::getInteractionClassName(InteractionClassHandle theHandle) {
  return service(given(theHandle), [&] {
    const auto& model = federate_.model();
    if (!model.hasInteractionClass(number(theHandle))) {
      throw InvalidInteractionClassHandle(
          L"The object model has no interaction class with handle " + theHandle.toString() + L".");
    }
    return fromUtf8(model.interactionClass(number(theHandle)).name);
  });
}

ParameterHandle Ambassador::getParameterHandle(InteractionClassHandle whichClass,
                                               const std::wstring& theName) {
  return service(given(whichClass, theName), [&] {
    const auto& model = federate_.model();
    if (!model.hasInteractionClass(number(whichClass))) {
      throw InvalidInteractionClassHandle(
          L"The object model has no interaction class with handle " + whichClass.toString() + L".");
    }
    const auto found = model.compact().parameter(number(whichClass), toUtf8(theName));
    if (found == 0) {
      throw NameNotFound(L"Interaction class " +
                         fromUtf8(model.interactionClass(number(whichClass)).name) +
                         L" has no parameter '" + theName + L"'.");
    }
    return makeHandle<ParameterHandle>(found);
  });
}

std::wstring Ambassador::getParameterName(InteractionClassHandle whichClass,
                                          ParameterHandle theHandle) {
  return service(given(whichClass, theHandle), [&] {
    const auto& model = federate_.model();
    if (!model.hasInteractionClass(number(whichClass))) {
      throw InvalidInteractionClassHandle(
          L"The object model has no interaction class with handle " + whichClass.toString() + L".");
    }
    const std::string name(model.compact().parameterName(number(theHandle)));
    if (name.empty()) {
      throw InvalidParameterHandle(L"The object model has no parameter with handle " +
                                   theHandle.toString() + L".");
    }
    if (!model.hasParameter(number(whichClass), number(theHandle))) {
      throw InteractionParameterNotDefined(L"Parameter " + fromUtf8(name) +
                                           L" is not available at that interaction class.");
    }
    return fromUtf8(name);
  });
}

OrderType Ambassador::getOrderType(const std::wstring& orderName) {
  return service(given(orderName), [&] {
    federate_.model();
    if (orderName == L"Receive") return RECEIVE;
    if (orderName == L"TimeStamp") return TIMESTAMP;
    throw InvalidOrderName(L"'" + orderName + L"' is no order: there are Receive and TimeStamp.");
  });
}

std::wstring Ambassador::getOrderName(OrderType orderType) {
  return service(given(orderType), [&]() -> std::wstring {
    federate_.model();
    if (orderType == RECEIVE) return L"Receive";
    if (orderType == TIMESTAMP) return L"TimeStamp";
    throw InvalidOrderType(L"There is no such order type.");
  });
}

TransportationType Ambassador::getTransportationType(const std::wstring& transportationName) {
  return service(given(transportationName), [&] {
    federate_.model();
    if (transportationName == L"HLAreliable") return RELIABLE;
    if (transportationName == L"HLAbestEffort") return BEST_EFFORT;
    throw InvalidTransportationName(L"'" + transportationName +
                                    L"' is no transportation: there are HLAreliable and "
                                    L"HLAbestEffort.");
  });
}

std::wstring Ambassador::getTransportationName(TransportationType transportationType) {
  return service(given(transportationType), [&]() -> std::wstring {
    federate_.model();
    if (transportationType == RELIABLE) return L"HLAreliable";
    if (transportationType == BEST_EFFORT) return L"HLAbestEffort";
    throw InvalidTransportationType(L"There is no such transportation type.");
  });
}

DimensionHandleSet Ambassador::getAvailableDimensionsForClassAttribute(ObjectClassHandle theClass,
                                                                       AttributeHandle theHandle) {
  return service(given(theClass, theHandle), [&] {
    const auto& model = federate_.model();
    if (!model.hasObjectClass(number(theClass))) {
      throw InvalidObjectClassHandle(L"The object model has no object class with handle " +
                                     theClass.toString() + L".");
    }
    if (!model.hasAttribute(number(theHandle))) {
      throw InvalidAttributeHandle(L"The object model has no attribute with handle " +
                                   theHandle.toString() + L".");
    }
    if (model.indexOf(number(theClass), number(theHandle)) < 0) {
      throw AttributeNotDefined(L"That attribute is not available at that object class.");
    }
    DimensionHandleSet set;
    for (const auto d : model.compact().attributeDimensions(number(theHandle))) {
      set.insert(makeHandle<DimensionHandle>(d));
    }
    return set;
  });
}

DimensionHandleSet Ambassador::getAvailableDimensionsForInteractionClass(
    InteractionClassHandle theClass) {
  return service(given(theClass), [&] {
    const auto& model = federate_.model();
    if (!model.hasInteractionClass(number(theClass))) {
      throw InvalidInteractionClassHandle(
          L"The object model has no interaction class with handle " + theClass.toString() + L".");
    }
    DimensionHandleSet set;
    for (const auto d : model.compact().interactionDimensions(number(theClass))) {
      set.insert(makeHandle<DimensionHandle>(d));
    }
    return set;
  });
}

DimensionHandle Ambassador::getDimensionHandle(const std::wstring& theName) {
  return service(given(theName), [&] {
    const auto found = compact(federate_).dimension(toUtf8(theName));
    if (found == 0) throw NameNotFound(L"The object model has no dimension '" + theName + L"'.");
    return makeHandle<DimensionHandle>(found);
  });
}

std::wstring Ambassador::getDimensionName(DimensionHandle theHandle) {
  return service(given(theHandle), [&] {
    const std::string name(compact(federate_).dimensionName(number(theHandle)));
    if (name.empty()) {
      throw InvalidDimensionHandle(L"The object model has no dimension with handle " +
                                   theHandle.toString() + L".");
    }
    return fromUtf8(name);
  });
}

unsigned long Ambassador::getDimensionUpperBound(DimensionHandle theHandle) {
  return service(given(theHandle), [&]() -> unsigned long {
    const auto& model = compact(federate_);
    if (model.dimensionName(number(theHandle)).empty()) {
      throw InvalidDimensionHandle(L"The object model has no dimension with handle " +
                                   theHandle.toString() + L".");
    }
    return model.dimensionUpperBound(number(theHandle));
  });
}

unsigned long Ambassador::normalizeFederateHandle(FederateHandle theFederateHandle) {
  return service(given(theFederateHandle), [&]() -> unsigned long {
    // Also of one that has resigned: regions made for it stay right.
    if (!federate_.wasJoined(number(theFederateHandle))) {
      throw InvalidFederateHandle(L"No federate was ever given the handle " +
                                  theFederateHandle.toString() + L".");
    }
    return number(theFederateHandle);
  });
}

unsigned long Ambassador::normalizeServiceGroup(ServiceGroup theServiceGroup) {
  return service(given(theServiceGroup), [&]() -> unsigned long {
    federate_.model();
    if (theServiceGroup < FEDERATION_MANAGEMENT || theServiceGroup > SUPPORT_SERVICES) {
      throw InvalidServiceGroup(L"There is no such service group.");
    }
    return static_cast<unsigned long>(theServiceGroup);
  });
}

void Ambassador::enableObjectClassRelevanceAdvisorySwitch() {
  service([&] {
    federate_.requireJoined();
    if (federate_.isAdvisoryOn(true)) {
      throw ObjectClassRelevanceAdvisorySwitchIsOn(L"The switch is already on.");
    }
    federate_.setAdvisory(true, true);
  });
}

void Ambassador::disableObjectClassRelevanceAdvisorySwitch() {
  service([&] {
    federate_.requireJoined();
    if (!federate_.isAdvisoryOn(true)) {
      throw ObjectClassRelevanceAdvisorySwitchIsOff(L"The switch is already off.");
    }
    federate_.setAdvisory(true, false);
  });
}

void Ambassador::enableInteractionRelevanceAdvisorySwitch() {
  service([&] {
    federate_.requireJoined();
    if (federate_.isAdvisoryOn(false)) {
      throw InteractionRelevanceAdvisorySwitchIsOn(L"The switch is already on.");
    }
    federate_.setAdvisory(false, true);
  });
}

void Ambassador::disableInteractionRelevanceAdvisorySwitch() {
  service([&] {
    federate_.requireJoined();
    if (!federate_.isAdvisoryOn(false)) {
      throw InteractionRelevanceAdvisorySwitchIsOff(L"The switch is already off.");
    }
    federate_.setAdvisory(false, false);
  });
}

FederateHandle Ambassador::decodeFederateHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<FederateHandle>(encoded);
  });
}
ObjectClassHandle Ambassador::decodeObjectClassHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<ObjectClassHandle>(encoded);
  });
}
InteractionClassHandle Ambassador::decodeInteractionClassHandle(
    const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<InteractionClassHandle>(encoded);
  });
}
ObjectInstanceHandle Ambassador::decodeObjectInstanceHandle(
    const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<ObjectInstanceHandle>(encoded);
  });
}
AttributeHandle Ambassador::decodeAttributeHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<AttributeHandle>(encoded);
  });
}
ParameterHandle Ambassador::decodeParameterHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<ParameterHandle>(encoded);
  });
}
DimensionHandle Ambassador::decodeDimensionHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<DimensionHandle>(encoded);
  });
}
MessageRetractionHandle Ambassador::decodeMessageRetractionHandle(
    const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<MessageRetractionHandle>(encoded);
  });
}
RegionHandle Ambassador::decodeRegionHandle(const VariableLengthData& encoded) const {
  return service(given(encoded), [&] {
    federate_.model();
    return decodeHandle<RegionHandle>(encoded);
  });
}

}  // namespace tutti::api1516e
