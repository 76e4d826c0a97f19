// SPDX-License-Identifier: Apache-2.0
// Ownership management (IEEE 1516.1-2010, 7) and the relevance of attributes (6.21, 6.22).
#include <utility>

#include "api1516e/ambassador.h"
#include "api1516e/ambassador_callback.h"
#include "api1516e/ambassador_service.h"
#include "api1516e/text.h"

namespace tutti::api1516e {

using namespace rti1516e;

namespace {

std::uint32_t number(const AttributeHandle& handle) {
  const std::uint64_t n = value(handle);
  return n <= 0xffffffffu ? static_cast<std::uint32_t>(n) : 0;
}

std::vector<core::Attribute> numbers(const AttributeHandleSet& handles) {
  std::vector<core::Attribute> out;
  out.reserve(handles.size());
  for (const AttributeHandle& handle : handles) out.push_back(number(handle));
  return out;
}

AttributeHandleSet handles(std::span<const core::Attribute> attributes) {
  AttributeHandleSet set;
  for (const core::Attribute a : attributes) set.insert(makeHandle<AttributeHandle>(a));
  return set;
}

ObjectInstanceHandle handle(core::ObjectInstance instance) {
  return makeHandle<ObjectInstanceHandle>(instance);
}

std::span<const std::byte> bytes(const VariableLengthData& data) {
  return {static_cast<const std::byte*>(data.data()), data.size()};
}

}  // namespace

void Ambassador::unconditionalAttributeOwnershipDivestiture(
    ObjectInstanceHandle theObject, const AttributeHandleSet& theAttributes) {
  service(given(theObject, theAttributes),
          [&] { federate_.unconditionalDivestiture(value(theObject), numbers(theAttributes)); });
}

void Ambassador::negotiatedAttributeOwnershipDivestiture(
    ObjectInstanceHandle theObject, const AttributeHandleSet& theAttributes,
    const VariableLengthData& theUserSuppliedTag) {
  service(given(theObject, theAttributes, theUserSuppliedTag), [&] {
    federate_.negotiatedDivestiture(value(theObject), numbers(theAttributes),
                                    bytes(theUserSuppliedTag));
  });
}

void Ambassador::confirmDivestiture(ObjectInstanceHandle theObject,
                                    const AttributeHandleSet& confirmedAttributes,
                                    const VariableLengthData& theUserSuppliedTag) {
  service(given(theObject, confirmedAttributes, theUserSuppliedTag), [&] {
    federate_.confirmDivestiture(value(theObject), numbers(confirmedAttributes),
                                 bytes(theUserSuppliedTag));
  });
}

void Ambassador::attributeOwnershipAcquisition(ObjectInstanceHandle theObject,
                                               const AttributeHandleSet& desiredAttributes,
                                               const VariableLengthData& theUserSuppliedTag) {
  service(given(theObject, desiredAttributes, theUserSuppliedTag), [&] {
    federate_.acquire(value(theObject), numbers(desiredAttributes), bytes(theUserSuppliedTag));
  });
}

void Ambassador::attributeOwnershipAcquisitionIfAvailable(
    ObjectInstanceHandle theObject, const AttributeHandleSet& desiredAttributes) {
  service(given(theObject, desiredAttributes),
          [&] { federate_.acquireIfAvailable(value(theObject), numbers(desiredAttributes)); });
}

void Ambassador::attributeOwnershipReleaseDenied(ObjectInstanceHandle theObject,
                                                 const AttributeHandleSet& theAttributes) {
  service(given(theObject, theAttributes),
          [&] { federate_.denyRelease(value(theObject), numbers(theAttributes)); });
}

void Ambassador::attributeOwnershipDivestitureIfWanted(ObjectInstanceHandle theObject,
                                                       const AttributeHandleSet& theAttributes,
                                                       AttributeHandleSet& theDivestedAttributes) {
  service(given(theObject, theAttributes), [&] {
    theDivestedAttributes =
        handles(federate_.divestIfWanted(value(theObject), numbers(theAttributes)));
  });
}

void Ambassador::cancelNegotiatedAttributeOwnershipDivestiture(
    ObjectInstanceHandle theObject, const AttributeHandleSet& theAttributes) {
  service(given(theObject, theAttributes),
          [&] { federate_.cancelNegotiatedDivestiture(value(theObject), numbers(theAttributes)); });
}

void Ambassador::cancelAttributeOwnershipAcquisition(ObjectInstanceHandle theObject,
                                                     const AttributeHandleSet& theAttributes) {
  service(given(theObject, theAttributes),
          [&] { federate_.cancelAcquisition(value(theObject), numbers(theAttributes)); });
}

void Ambassador::queryAttributeOwnership(ObjectInstanceHandle theObject,
                                         AttributeHandle theAttribute) {
  service(given(theObject, theAttribute),
          [&] { federate_.queryOwnership(value(theObject), number(theAttribute)); });
}

bool Ambassador::isAttributeOwnedByFederate(ObjectInstanceHandle theObject,
                                            AttributeHandle theAttribute) {
  return service(given(theObject, theAttribute),
                 [&] { return federate_.owns(value(theObject), number(theAttribute)); });
}

void Ambassador::enableAttributeRelevanceAdvisorySwitch() {
  service([&] { federate_.switchUpdateAdvisory(true); });
}

void Ambassador::disableAttributeRelevanceAdvisorySwitch() {
  service([&] { federate_.switchUpdateAdvisory(false); });
}

// --- callbacks -----------------------------------------------------------------------------------

void Ambassador::updatesRelevant(core::ObjectInstance instance,
                                 std::span<const core::Attribute> attributes, bool relevant,
                                 const std::string& updateRate) {
  callback([&](auto& federate) {
    if (!relevant) {
      federate.turnUpdatesOffForObjectInstance(handle(instance), handles(attributes));
    } else if (updateRate.empty()) {
      federate.turnUpdatesOnForObjectInstance(handle(instance), handles(attributes));
    } else {
      federate.turnUpdatesOnForObjectInstance(handle(instance), handles(attributes),
                                              fromUtf8(updateRate));
    }
  });
}

void Ambassador::ownershipOffered(core::ObjectInstance instance,
                                  std::span<const core::Attribute> attributes,
                                  std::span<const std::byte> tag) {
  callback([&](auto& federate) {
    federate.requestAttributeOwnershipAssumption(handle(instance), handles(attributes),
                                                 tagObject(tag));
  });
}

void Ambassador::divestitureConfirmationRequested(core::ObjectInstance instance,
                                                  std::span<const core::Attribute> attributes) {
  callback([&](auto& federate) {
    federate.requestDivestitureConfirmation(handle(instance), handles(attributes));
  });
}

void Ambassador::ownershipAcquired(core::ObjectInstance instance,
                                   std::span<const core::Attribute> attributes,
                                   std::span<const std::byte> tag) {
  callback([&](auto& federate) {
    federate.attributeOwnershipAcquisitionNotification(handle(instance), handles(attributes),
                                                       tagObject(tag));
  });
}

void Ambassador::ownershipUnavailable(core::ObjectInstance instance,
                                      std::span<const core::Attribute> attributes) {
  callback([&](auto& federate) {
    federate.attributeOwnershipUnavailable(handle(instance), handles(attributes));
  });
}

void Ambassador::ownershipReleaseRequested(core::ObjectInstance instance,
                                           std::span<const core::Attribute> attributes,
                                           std::span<const std::byte> tag) {
  callback([&](auto& federate) {
    federate.requestAttributeOwnershipRelease(handle(instance), handles(attributes),
                                              tagObject(tag));
  });
}

void Ambassador::acquisitionCancelled(core::ObjectInstance instance,
                                      std::span<const core::Attribute> attributes) {
  callback([&](auto& federate) {
    federate.confirmAttributeOwnershipAcquisitionCancellation(handle(instance),
                                                              handles(attributes));
  });
}

void Ambassador::ownershipInformed(core::ObjectInstance instance, core::Attribute attribute,
                                   core::FederateNumber owner) {
  const auto which = makeHandle<AttributeHandle>(attribute);
  callback([&](auto& federate) {
    if (owner == 0) {
      federate.attributeIsNotOwned(handle(instance), which);
    } else if (owner == fabric::ownedByRti) {
      federate.attributeIsOwnedByRTI(handle(instance), which);
    } else {
      federate.informAttributeOwnership(handle(instance), which, makeHandle<FederateHandle>(owner));
    }
  });
}

}  // namespace tutti::api1516e
