// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/layout.h"
#include "fabric/wire.h"

/// Requests and records of data distribution management (IEEE 1516.1-2010, 9), part of protocol.h.
/// What stands here are subscriptions only: the bounds of regions and the regions of updates are
/// read from shared memory, see region_layout.h.
namespace tutti::fabric {

/// A region that a subscription is limited to.
struct SubscribedRegion {
  RegionNumber region = 0;
  bool passive = false;
  std::string updateRate;  ///< designator; empty: each update is wanted
  template <class A>
  void fields(A& a) {
    a(region, passive, updateRate);
  }
  friend bool operator==(const SubscribedRegion&, const SubscribedRegion&) = default;
};

struct RegionsOfAttribute {
  std::uint32_t attribute = 0;
  std::vector<SubscribedRegion> regions;  ///< ascending
  template <class A>
  void fields(A& a) {
    a(attribute, regions);
  }
  friend bool operator==(const RegionsOfAttribute&, const RegionsOfAttribute&) = default;
};

/// All that holds with regions after the call, for this class; beside it may stand a subscription
/// without regions, which is that with the default region (9.1.1).
struct SubscribeObjectClassWithRegionsRequest {
  std::uint32_t objectClass = 0;
  std::vector<RegionsOfAttribute> attributes;  ///< ascending, none without a region
  template <class A>
  void fields(A& a) {
    a(objectClass, attributes);
  }
};

struct SubscribeInteractionClassWithRegionsRequest {
  std::uint32_t interactionClass = 0;
  std::vector<SubscribedRegion> regions;  ///< ascending
  template <class A>
  void fields(A& a) {
    a(interactionClass, regions);
  }
};

struct ObjectClassRegionsRecord {
  FederateNumber federate = 0;
  std::uint32_t objectClass = 0;
  std::vector<RegionsOfAttribute> attributes;  ///< what holds from here on; empty: nothing
  template <class A>
  void fields(A& a) {
    a(federate, objectClass, attributes);
  }
};

struct InteractionClassRegionsRecord {
  FederateNumber federate = 0;
  std::uint32_t interactionClass = 0;
  std::vector<SubscribedRegion> regions;  ///< what holds from here on; empty: nothing
  template <class A>
  void fields(A& a) {
    a(federate, interactionClass, regions);
  }
};

}  // namespace tutti::fabric
