// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "executive/control_log.h"
#include "fabric/protocol_regions.h"
#include "fabric/wire.h"

namespace tutti::executive {

/// What one federate subscribes with regions (IEEE 1516.1-2010, 9.8 to 9.11), by class; the whole
/// set that holds. Plain values: a copy of them is a saved state.
struct RegionSubscriptions {
  std::map<std::uint32_t, fabric::ObjectClassRegionsRecord> objectClasses;
  std::map<std::uint32_t, fabric::InteractionClassRegionsRecord> interactions;

  /// The record of a request that changes something.
  std::optional<fabric::ObjectClassRegionsRecord> change(
      fabric::FederateNumber federate,
      const fabric::SubscribeObjectClassWithRegionsRequest& request) const;
  std::optional<fabric::InteractionClassRegionsRecord> change(
      fabric::FederateNumber federate,
      const fabric::SubscribeInteractionClassWithRegionsRequest& request) const;
  /// What holds once `record` stands in the log.
  void keep(const fabric::ObjectClassRegionsRecord& record);
  void keep(const fabric::InteractionClassRegionsRecord& record);

  void addTo(fabric::Bytes& snapshot) const;
};

}  // namespace tutti::executive
