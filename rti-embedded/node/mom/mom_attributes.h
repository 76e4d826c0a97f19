// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node/mom/mom_endpoint.h"
#include "omt/object_model.h"

namespace tutti::node {

/// An attribute of HLAmanager.HLAfederate and how its value comes about. An empty optional: there
/// is none now.
struct MomEndpoint::FederateAttribute {
  std::string_view name;
  omt::UpdateType type;
  std::optional<Octets> (*value)(MomEndpoint&, FederateObject&);
};

struct MomEndpoint::FederationAttribute {
  std::string_view name;
  omt::UpdateType type;
  std::optional<Octets> (*value)(MomEndpoint&);
};

}  // namespace tutti::node
