// SPDX-License-Identifier: Apache-2.0
// An operator has federates resign by the MOM (IEEE 1516.1-2010, 11.4).
#include <spdlog/spdlog.h>

#include "executive/executive.h"

namespace tutti::executive {

using namespace fabric;

Answer<Executive::Body> Executive::operateResign(ConnectionId id,
                                                 const OperateResignRequest& request) {
  settle();
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  auto told = found->second.execution->resignByMom(request);
  if (!told) return tl::unexpected(told.error());
  spdlog::info("process {} has {} of the federates of '{}' resign", connections_.at(id).pid,
               told->size(), request.federation);
  resigns_.begin(request.federation, found->second.number, std::move(*told));
  return Body{};
}

Answer<Executive::Body> Executive::listResigns(const FederationNameRequest& request) const {
  return Body{toWire(resigns_.of(request.federation)), {}, 0};
}

Answer<Executive::Body> Executive::resignRefused(Connection& connection,
                                                 const ResignRefused& refused) {
  const auto found = federations_.find(connection.federation);
  if (connection.federate == 0 || found == federations_.end()) return Body{};
  const std::string why = refused.why.substr(0, ResignRefused::longestText);
  spdlog::warn("federate '{}' (process {}) in '{}' was told to resign by the MOM and cannot: {}",
               found->second.execution->nameOf(connection.federate), connection.pid,
               connection.federation, why);
  resigns_.note(connection.federation, found->second.number, connection.federate,
                ResignState::Refused, why);
  return Body{};
}

void Executive::noteLeft(const std::string& federation, FederateNumber federate,
                         ResignState state) {
  const auto found = federations_.find(federation);
  if (found != federations_.end()) {
    resigns_.note(federation, found->second.number, federate, state);
  }
}

}  // namespace tutti::executive
