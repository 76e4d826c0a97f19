// SPDX-License-Identifier: Apache-2.0
// An operator adjusts switches, reports, report periods and who owns what by the MOM (IEEE
// 1516.1-2010, 11.4).
#include <spdlog/spdlog.h>

#include "executive/executive.h"

namespace tutti::executive {

using namespace fabric;

Answer<Executive::Body> Executive::operateAdjust(ConnectionId id,
                                                 const OperateAdjustRequest& request) {
  settle();
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  if (auto done = found->second.execution->adjustByMom(request); !done) {
    return tl::unexpected(done.error());
  }
  spdlog::info("process {} adjusts what the MOM of '{}' reports and conveys",
               connections_.at(id).pid, request.federation);
  return Body{};
}

Answer<Executive::Body> Executive::listAdjustments(const FederationNameRequest& request) const {
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  return Body{toWire(found->second.execution->adjustments()), {}, 0};
}

Answer<Executive::Body> Executive::modifyAttributeState(
    ConnectionId id, const ModifyAttributeStateRequest& request) {
  settle();
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  if (auto done = found->second.execution->modifyAttributeState(request); !done) {
    return tl::unexpected(done.error());
  }
  spdlog::info("process {} has '{}' of '{}' {} attribute '{}' of '{}'", connections_.at(id).pid,
               request.federate, request.federation, request.owned ? "own" : "not own",
               request.attribute, request.instance);
  return Body{};
}

Answer<Executive::Body> Executive::findOwner(const FindOwnerRequest& request) const {
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  const auto reply = found->second.execution->findOwner(request);
  if (!reply) return tl::unexpected(reply.error());
  return Body{toWire(*reply), {}, 0};
}

}  // namespace tutti::executive
