// SPDX-License-Identifier: Apache-2.0
// The pace of federation executions: what an operator asks for, and when to look.
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <bit>

#include "executive/executive.h"

namespace tutti::executive {

using namespace fabric;

Answer<Executive::Body> Executive::setPace(ConnectionId id, const SetPaceRequest& request) {
  const auto found = federations_.find(request.federation);
  if (found == federations_.end()) return noSuchFederation(request.federation);
  const double pace = std::bit_cast<double>(request.pace);
  if (request.pace != 0) {
    if (const std::string wrong = Pace::whatIsWrong(pace); !wrong.empty()) {
      return refuse(Refusal::Internal,
                    "the pace of '" + request.federation + "' was not changed: " + wrong);
    }
  }
  Federation& federation = found->second;
  const bool changes = federation.execution->pace() != pace;
  federation.execution->keepPace(pace, Clock::now());
  federation.paceLook = Clock::time_point{};
  if (!changes) return Body{};
  spdlog::info("process {} sets the pace of '{}' to {}", connections_.at(id).pid,
               request.federation, pace > 0 ? fmt::format("{}", pace) : "as fast as possible");
  return Body{};
}

void Executive::followPace(Clock::time_point now) {
  for (auto& [name, federation] : federations_) {
    if (!federation.paceLook || now < *federation.paceLook) continue;
    const auto look = federation.execution->followPace(now);
    federation.paceLook = look.next;
    ceilingMoved_ = ceilingMoved_ || look.moved;
    // Nobody is there: the next one to join is looked for.
    if (federation.paceLook && !federation.execution->hasMembers()) federation.paceLook.reset();
  }
}

}  // namespace tutti::executive
