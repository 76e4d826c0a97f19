// SPDX-License-Identifier: Apache-2.0
#include "executive/operated_resigns.h"

#include <algorithm>
#include <utility>

namespace tutti::executive {

using fabric::ResignState;

void OperatedResigns::begin(const std::string& federation, std::uint64_t execution,
                            std::vector<fabric::ResignPart> parts) {
  last_[federation] = {++count_, execution, std::move(parts)};
  if (last_.size() <= mostFederations) return;
  last_.erase(std::min_element(last_.begin(), last_.end(), [](const auto& a, const auto& b) {
    return a.second.number < b.second.number;
  }));
}

void OperatedResigns::note(const std::string& federation, std::uint64_t execution,
                           fabric::FederateNumber federate, ResignState state,
                           const std::string& why) {
  const auto found = last_.find(federation);
  if (found == last_.end() || found->second.execution != execution) return;
  for (fabric::ResignPart& part : found->second.parts) {
    if (part.federate != federate) continue;
    if (part.state == ResignState::Awaited || part.state == ResignState::Refused) {
      part.state = state;
      part.why = why;
    }
  }
}

void OperatedResigns::restored(const std::string& federation, std::uint64_t before,
                               std::uint64_t after,
                               const std::vector<fabric::RestoredIdentity>& identities) {
  const auto found = last_.find(federation);
  if (found == last_.end() || found->second.execution != before) return;
  found->second.execution = after;
  for (fabric::ResignPart& part : found->second.parts) {
    const auto same = std::find_if(identities.begin(), identities.end(), [&](const auto& identity) {
      return identity.before == part.federate;
    });
    // Who has left before is nobody's of those that come now.
    part.federate = same == identities.end() ? 0 : same->after;
  }
}

fabric::ResignsReply OperatedResigns::of(const std::string& federation) const {
  const auto found = last_.find(federation);
  if (found == last_.end()) return {};
  return {found->second.number, found->second.parts};
}

}  // namespace tutti::executive
