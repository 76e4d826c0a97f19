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

fabric::ResignsReply OperatedResigns::of(const std::string& federation) const {
  const auto found = last_.find(federation);
  if (found == last_.end()) return {};
  return {found->second.number, found->second.parts};
}

}  // namespace tutti::executive
