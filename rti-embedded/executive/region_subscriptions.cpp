// SPDX-License-Identifier: Apache-2.0
#include "executive/region_subscriptions.h"

namespace tutti::executive {

using namespace fabric;

std::optional<ObjectClassRegionsRecord> RegionSubscriptions::change(
    FederateNumber federate, const SubscribeObjectClassWithRegionsRequest& request) const {
  const auto found = objectClasses.find(request.objectClass);
  const bool same = found == objectClasses.end() ? request.attributes.empty()
                                                 : found->second.attributes == request.attributes;
  if (same) return std::nullopt;
  return ObjectClassRegionsRecord{federate, request.objectClass, request.attributes};
}

std::optional<InteractionClassRegionsRecord> RegionSubscriptions::change(
    FederateNumber federate, const SubscribeInteractionClassWithRegionsRequest& request) const {
  const auto found = interactions.find(request.interactionClass);
  const bool same = found == interactions.end() ? request.regions.empty()
                                                : found->second.regions == request.regions;
  if (same) return std::nullopt;
  return InteractionClassRegionsRecord{federate, request.interactionClass, request.regions};
}

void RegionSubscriptions::keep(const ObjectClassRegionsRecord& record) {
  if (record.attributes.empty()) {
    objectClasses.erase(record.objectClass);
  } else {
    objectClasses.insert_or_assign(record.objectClass, record);
  }
}

void RegionSubscriptions::keep(const InteractionClassRegionsRecord& record) {
  if (record.regions.empty()) {
    interactions.erase(record.interactionClass);
  } else {
    interactions.insert_or_assign(record.interactionClass, record);
  }
}

void RegionSubscriptions::addTo(Bytes& snapshot) const {
  for (const auto& [key, record] : objectClasses) {
    encodeRecord(snapshot, LogRecordType::ObjectClassRegions, 0, toWire(record));
  }
  for (const auto& [key, record] : interactions) {
    encodeRecord(snapshot, LogRecordType::InteractionClassRegions, 0, toWire(record));
  }
}

}  // namespace tutti::executive
