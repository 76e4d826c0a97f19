// SPDX-License-Identifier: Apache-2.0
// What travels past the links: best effort in datagrams.
#include <algorithm>
#include <cstring>

#include "router/router.h"

namespace tutti::router {

using fabric::FederateNumber;

std::size_t Router::takeDirectly(FederateNumber sender, std::span<const FederateNumber> receivers,
                                 std::span<const std::byte> record) {
  refreshPages();
  StandIn* own = standIn(sender);
  if (own == nullptr) return 0;  // it has left; nothing of it is delivered any more
  std::size_t dropped = 0;
  std::map<LinkId, std::vector<FederateNumber>> further;
  for (const FederateNumber receiver : receivers) {
    const Page* to = page(receiver);
    if (to == nullptr) continue;
    if (to->remote()) {
      // It is in a cell of this node; what came past the home never goes back to it.
      const auto found = home_.find(receiver);
      if (found != home_.end() && found->second != 0) further[found->second].push_back(receiver);
    } else if (congested_.contains(receiver)) {
      ++dropped;
    } else {
      own->deliver(*to, record);
    }
  }
  for (const auto& [link, those] : further) sendData(link, sender, those, record);
  return dropped;
}

bool Router::isMember(FederateNumber federate) {
  refreshPages();
  return page(federate) != nullptr;
}

bool Router::isTooEarly(FederateNumber sender, std::uint64_t tableChanges,
                        std::span<const std::byte> record) {
  fabric::RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  if (head.logNumber > execution_.logTail()) return true;
  // Of one who has left nothing more is to come, and nothing of it delivered.
  return isMember(sender) && tableChanges > this->tableChanges(sender);
}

std::uint64_t Router::tableChanges(FederateNumber federate) const {
  const auto found = tableChanges_.find(federate);
  return found == tableChanges_.end() ? 0 : found->second;
}

bool Router::showLost(FederateNumber sender, fabric::ClassKey classKey, std::uint64_t more) {
  refreshPages();
  const Page* shown = page(sender);
  if (shown == nullptr) return false;
  shown->block->lost.add(classKey, more);
  return true;
}

}  // namespace tutti::router
