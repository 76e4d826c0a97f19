// SPDX-License-Identifier: Apache-2.0
// Retraction, order and transportation (IEEE 1516.1-2010, 6.23 to 6.30, 8.21 to 8.24).
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_callback.h"
#include "api1516e/ambassador_service.h"

namespace tutti::api1516e {
namespace {

using namespace rti1516e;

template <class Handle>
std::uint32_t number(const Handle& handle) {
  const std::uint64_t n = value(handle);
  return n <= 0xffffffffu ? static_cast<std::uint32_t>(n) : 0;
}

std::vector<std::uint32_t> numbers(const AttributeHandleSet& handles) {
  std::vector<std::uint32_t> out;
  for (const AttributeHandle& handle : handles) out.push_back(number(handle));
  return out;
}

// The services that take an order list no exception for one that is none.
bool isTimestampOrder(OrderType type) {
  if (type == TIMESTAMP) return true;
  if (type == RECEIVE) return false;
  throw RTIinternalError(L"There is no such order type: it is RECEIVE or TIMESTAMP.");
}

TransportationType transportation(bool bestEffort) { return bestEffort ? BEST_EFFORT : RELIABLE; }

}  // namespace

bool Ambassador::isBestEffort(TransportationType type) {
  federate_.requireJoined();
  if (type == BEST_EFFORT) return true;
  if (type == RELIABLE) return false;
  throw InvalidTransportationType(
      L"There is no such transportation type: it is RELIABLE or BEST_EFFORT.");
}

void Ambassador::retract(MessageRetractionHandle theHandle) {
  service(given(theHandle), [&] { federate_.retract(value(theHandle)); });
}

void Ambassador::changeAttributeOrderType(ObjectInstanceHandle theObject,
                                          const AttributeHandleSet& theAttributes,
                                          OrderType theType) {
  service(given(theObject, theAttributes, theType), [&] {
    federate_.changeAttributeOrder(value(theObject), numbers(theAttributes),
                                   isTimestampOrder(theType));
  });
}

void Ambassador::changeInteractionOrderType(InteractionClassHandle theClass, OrderType theType) {
  service(given(theClass, theType),
          [&] { federate_.changeInteractionOrder(number(theClass), isTimestampOrder(theType)); });
}

// --- transportation ------------------------------------------------------------------------------

void Ambassador::requestAttributeTransportationTypeChange(ObjectInstanceHandle theObject,
                                                          const AttributeHandleSet& theAttributes,
                                                          TransportationType theType) {
  service(given(theObject, theAttributes, theType), [&] {
    federate_.changeAttributeTransportation(value(theObject), numbers(theAttributes),
                                            isBestEffort(theType));
  });
}

void Ambassador::queryAttributeTransportationType(ObjectInstanceHandle theObject,
                                                  AttributeHandle theAttribute) {
  service(given(theObject, theAttribute),
          [&] { federate_.queryAttributeTransportation(value(theObject), number(theAttribute)); });
}

void Ambassador::requestInteractionTransportationTypeChange(InteractionClassHandle theClass,
                                                            TransportationType theType) {
  service(given(theClass, theType), [&] {
    federate_.changeInteractionTransportation(number(theClass), isBestEffort(theType));
  });
}

void Ambassador::queryInteractionTransportationType(FederateHandle theFederate,
                                                    InteractionClassHandle theInteraction) {
  service(given(theFederate, theInteraction), [&] {
    federate_.queryInteractionTransportation(number(theFederate), number(theInteraction));
  });
}

// --- callbacks -----------------------------------------------------------------------------------

void Ambassador::retractionRequested(std::uint64_t message) {
  callback([&](auto& federate) {
    federate.requestRetraction(makeHandle<MessageRetractionHandle>(message));
  });
}

void Ambassador::attributeTransportationChanged(core::ObjectInstance instance,
                                                std::span<const core::Attribute> attributes,
                                                bool bestEffort) {
  AttributeHandleSet set;
  for (const core::Attribute a : attributes) set.insert(makeHandle<AttributeHandle>(a));
  callback([&](auto& federate) {
    federate.confirmAttributeTransportationTypeChange(makeHandle<ObjectInstanceHandle>(instance),
                                                      set, transportation(bestEffort));
  });
}

void Ambassador::attributeTransportationReported(core::ObjectInstance instance,
                                                 core::Attribute attribute, bool bestEffort) {
  callback([&](auto& federate) {
    federate.reportAttributeTransportationType(makeHandle<ObjectInstanceHandle>(instance),
                                               makeHandle<AttributeHandle>(attribute),
                                               transportation(bestEffort));
  });
}

void Ambassador::interactionTransportationChanged(core::InteractionClass interactionClass,
                                                  bool bestEffort) {
  callback([&](auto& federate) {
    federate.confirmInteractionTransportationTypeChange(
        makeHandle<InteractionClassHandle>(interactionClass), transportation(bestEffort));
  });
}

void Ambassador::interactionTransportationReported(core::FederateNumber federateNumber,
                                                   core::InteractionClass interactionClass,
                                                   bool bestEffort) {
  callback([&](auto& federate) {
    federate.reportInteractionTransportationType(
        makeHandle<FederateHandle>(federateNumber),
        makeHandle<InteractionClassHandle>(interactionClass), transportation(bestEffort));
  });
}

}  // namespace tutti::api1516e
