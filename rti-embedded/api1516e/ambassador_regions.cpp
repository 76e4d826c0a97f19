// SPDX-License-Identifier: Apache-2.0
// Data distribution management (9) and the support services of regions, scopes and update rates.
#include <RTI/RangeBounds.h>

#include <string>
#include <vector>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_service.h"
#include "api1516e/text.h"

namespace tutti::api1516e {
namespace {

using namespace rti1516e;

/// Handles of classes, attributes and dimensions have 32 bits; 0 names none.
template <class Handle>
std::uint32_t number(const Handle& handle) {
  const std::uint64_t n = value(handle);
  return n <= 0xffffffffu ? static_cast<std::uint32_t>(n) : 0;
}

std::span<const std::byte> bytes(const VariableLengthData& data) {
  return {static_cast<const std::byte*>(data.data()), data.size()};
}

std::vector<core::Region> regionsOf(const RegionHandleSet& handles) {
  std::vector<core::Region> regions;
  for (const RegionHandle& handle : handles) regions.push_back(value(handle));
  return regions;
}

std::vector<core::AttributesWithRegions> pairsOf(
    const AttributeHandleSetRegionHandleSetPairVector& pairs) {
  std::vector<core::AttributesWithRegions> result;
  for (const auto& [attributes, regions] : pairs) {
    core::AttributesWithRegions& pair = result.emplace_back();
    for (const AttributeHandle& attribute : attributes)
      pair.attributes.push_back(number(attribute));
    pair.regions = regionsOf(regions);
  }
  return result;
}

}  // namespace

// --- regions -------------------------------------------------------------------------------------

RegionHandle Ambassador::createRegion(const DimensionHandleSet& theDimensions) {
  return service(given(theDimensions), [&] {
    std::vector<core::Dimension> dimensions;
    for (const DimensionHandle& handle : theDimensions) dimensions.push_back(number(handle));
    return makeHandle<RegionHandle>(federate_.createRegion(std::move(dimensions)));
  });
}

void Ambassador::commitRegionModifications(const RegionHandleSet& theRegionHandleSet) {
  service(given(theRegionHandleSet),
          [&] { federate_.commitRegions(regionsOf(theRegionHandleSet)); });
}

void Ambassador::deleteRegion(const RegionHandle& theRegion) {
  service(given(theRegion), [&] { federate_.deleteRegion(value(theRegion)); });
}

DimensionHandleSet Ambassador::getDimensionHandleSet(RegionHandle theRegionHandle) {
  return service(given(theRegionHandle), [&] {
    DimensionHandleSet set;
    for (const core::Dimension dimension : federate_.regionDimensions(value(theRegionHandle))) {
      set.insert(makeHandle<DimensionHandle>(dimension));
    }
    return set;
  });
}

RangeBounds Ambassador::getRangeBounds(RegionHandle theRegionHandle,
                                       DimensionHandle theDimensionHandle) {
  return service(given(theRegionHandle, theDimensionHandle), [&] {
    const core::Range range =
        federate_.rangeBounds(value(theRegionHandle), number(theDimensionHandle));
    return RangeBounds(range.lower, range.upper);
  });
}

void Ambassador::setRangeBounds(RegionHandle theRegionHandle, DimensionHandle theDimensionHandle,
                                const RangeBounds& theRangeBounds) {
  service(given(theRegionHandle, theDimensionHandle, theRangeBounds), [&] {
    federate_.setRangeBounds(value(theRegionHandle), number(theDimensionHandle),
                             theRangeBounds.getLowerBound(), theRangeBounds.getUpperBound());
  });
}

// --- updates -------------------------------------------------------------------------------------

ObjectInstanceHandle Ambassador::registerObjectInstanceWithRegions(
    ObjectClassHandle theClass, const AttributeHandleSetRegionHandleSetPairVector& regions) {
  return service(given(theClass, regions), [&] {
    return makeHandle<ObjectInstanceHandle>(
        federate_.registerInstanceWithRegions(number(theClass), pairsOf(regions), nullptr));
  });
}

ObjectInstanceHandle Ambassador::registerObjectInstanceWithRegions(
    ObjectClassHandle theClass, const AttributeHandleSetRegionHandleSetPairVector& regions,
    const std::wstring& theObjectInstanceName) {
  return service(given(theClass, regions, theObjectInstanceName), [&] {
    const std::string name = toUtf8(theObjectInstanceName);
    return makeHandle<ObjectInstanceHandle>(
        federate_.registerInstanceWithRegions(number(theClass), pairsOf(regions), &name));
  });
}

void Ambassador::associateRegionsForUpdates(
    ObjectInstanceHandle theObject, const AttributeHandleSetRegionHandleSetPairVector& regions) {
  service(given(theObject, regions),
          [&] { federate_.associateRegions(value(theObject), pairsOf(regions)); });
}

void Ambassador::unassociateRegionsForUpdates(
    ObjectInstanceHandle theObject, const AttributeHandleSetRegionHandleSetPairVector& regions) {
  service(given(theObject, regions),
          [&] { federate_.unassociateRegions(value(theObject), pairsOf(regions)); });
}

// --- subscriptions -------------------------------------------------------------------------------

void Ambassador::subscribeObjectClassAttributesWithRegions(
    ObjectClassHandle theClass, const AttributeHandleSetRegionHandleSetPairVector& regions,
    bool active, const std::wstring& updateRateDesignator) {
  service(given(theClass, regions, active, updateRateDesignator), [&] {
    federate_.requireJoined();
    const std::string rate = toUtf8(updateRateDesignator);
    if (!rate.empty() && federate_.model().compact().updateRate(rate) == 0.0) {
      throw InvalidUpdateRateDesignator(L"The object model has no update rate '" +
                                        updateRateDesignator + L"'.");
    }
    federate_.subscribeWithRegions(number(theClass), pairsOf(regions), active, rate);
  });
}

void Ambassador::unsubscribeObjectClassAttributesWithRegions(
    ObjectClassHandle theClass, const AttributeHandleSetRegionHandleSetPairVector& regions) {
  service(given(theClass, regions),
          [&] { federate_.unsubscribeWithRegions(number(theClass), pairsOf(regions)); });
}

void Ambassador::subscribeInteractionClassWithRegions(InteractionClassHandle theClass,
                                                      const RegionHandleSet& regions, bool active) {
  service(given(theClass, regions, active), [&] {
    federate_.subscribeInteractionWithRegions(number(theClass), regionsOf(regions), active);
  });
}

void Ambassador::unsubscribeInteractionClassWithRegions(InteractionClassHandle theClass,
                                                        const RegionHandleSet& regions) {
  service(given(theClass, regions), [&] {
    federate_.unsubscribeInteractionWithRegions(number(theClass), regionsOf(regions));
  });
}

// --- interactions and requests -------------------------------------------------------------------

void Ambassador::sendInteractionWithRegions(InteractionClassHandle theInteraction,
                                            const ParameterHandleValueMap& theParameterValues,
                                            const RegionHandleSet& regions,
                                            const VariableLengthData& tag) {
  service(given(theInteraction, theParameterValues, regions, tag), [&] {
    takeValues(theParameterValues);
    const auto list = regionsOf(regions);
    federate_.send(number(theInteraction), values_, bytes(tag), nullptr, &list);
  });
}

MessageRetractionHandle Ambassador::sendInteractionWithRegions(
    InteractionClassHandle theInteraction, const ParameterHandleValueMap& theParameterValues,
    const RegionHandleSet& regions, const VariableLengthData& tag, const LogicalTime& theTime) {
  return service(given(theInteraction, theParameterValues, regions, tag, theTime), [&] {
    takeValues(theParameterValues);
    std::uint64_t time = 0;
    const std::uint64_t* stamp = stampOf(theTime, time);
    const auto list = regionsOf(regions);
    return makeHandle<MessageRetractionHandle>(
        federate_.send(number(theInteraction), values_, bytes(tag), stamp, &list));
  });
}

void Ambassador::requestAttributeValueUpdateWithRegions(
    ObjectClassHandle theClass, const AttributeHandleSetRegionHandleSetPairVector& regions,
    const VariableLengthData& tag) {
  service(given(theClass, regions, tag), [&] {
    federate_.requestClassUpdateWithRegions(number(theClass), pairsOf(regions), bytes(tag));
  });
}

// --- scopes and rates ----------------------------------------------------------------------------

double Ambassador::getUpdateRateValueForAttribute(ObjectInstanceHandle theObject,
                                                  AttributeHandle theAttribute) {
  return service(given(theObject, theAttribute),
                 [&] { return federate_.updateRate(value(theObject), number(theAttribute)); });
}

void Ambassador::enableAttributeScopeAdvisorySwitch() {
  service([&] { federate_.switchScopeAdvisory(true); });
}

void Ambassador::disableAttributeScopeAdvisorySwitch() {
  service([&] { federate_.switchScopeAdvisory(false); });
}

}  // namespace tutti::api1516e
