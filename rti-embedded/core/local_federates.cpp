// SPDX-License-Identifier: Apache-2.0
#include "core/local_federates.h"

#include <map>
#include <mutex>
#include <utility>

#include "core/inbox.h"

namespace tutti::core {
namespace {

struct Registry {
  std::mutex mutex;  ///< guards inboxes; held while one of them is used, so none goes meanwhile
  std::map<std::pair<std::string, FederateNumber>, Inbox*> inboxes;
};

/// Never destroyed: federates may outlive static destructors. Made with the library, so that no
/// fork() finds it half made.
Registry* instance = new Registry;

Registry& registry() { return *instance; }

}  // namespace

void LocalFederates::join(const std::string& execution, FederateNumber self, Inbox& inbox) {
  execution_ = execution;
  self_ = self;
  const std::lock_guard guard(registry().mutex);
  registry().inboxes[{execution_, self_}] = &inbox;
}

void LocalFederates::leave() {
  if (self_ == 0) return;
  const std::lock_guard guard(registry().mutex);
  registry().inboxes.erase({execution_, self_});
  self_ = 0;
}

void LocalFederates::forget() noexcept { instance = new Registry; }

void LocalFederates::makeRoom() {
  const std::lock_guard guard(registry().mutex);
  for (const auto& [federate, inbox] : registry().inboxes) inbox->makeRoom();
}

bool LocalFederates::empty(FederateNumber receiver, FederateNumber sender) {
  const std::lock_guard guard(registry().mutex);
  const auto found = registry().inboxes.find({execution_, receiver});
  return found != registry().inboxes.end() && found->second->emptyRingOf(sender);
}

bool LocalFederates::append(FederateNumber receiver, FederateNumber sender,
                            fabric::RingWriter& ring, std::span<const std::byte> record,
                            bool timestamped) {
  const std::lock_guard guard(registry().mutex);
  const auto found = registry().inboxes.find({execution_, receiver});
  if (found == registry().inboxes.end()) return false;
  found->second->append(sender, ring, record, timestamped);
  return true;
}

}  // namespace tutti::core
