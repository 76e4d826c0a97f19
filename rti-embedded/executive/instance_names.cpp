// SPDX-License-Identifier: Apache-2.0
#include "executive/instance_names.h"

namespace tutti::executive {

using fabric::FederateNumber;

std::vector<std::string> InstanceNames::taken(const std::vector<std::string>& names) const {
  std::set<std::string> found;
  for (const std::string& name : names) {
    if (holders_.contains(name)) found.insert(name);
  }
  return {found.begin(), found.end()};
}

void InstanceNames::reserve(FederateNumber federate, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    holders_.insert_or_assign(name, federate);
    held_[federate].insert(name);
  }
}

const std::string* InstanceNames::notHeld(FederateNumber federate,
                                          const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    const auto found = holders_.find(name);
    if (found == holders_.end() || found->second != federate) return &name;
  }
  return nullptr;
}

void InstanceNames::release(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = holders_.find(name);
    if (found == holders_.end()) continue;
    held_[found->second].erase(name);
    holders_.erase(found);
  }
}

void InstanceNames::left(FederateNumber federate, const std::set<std::string>& inUse) {
  const auto held = held_.extract(federate);
  if (held.empty()) return;
  for (const std::string& name : held.mapped()) {
    if (inUse.contains(name)) {
      holders_.insert_or_assign(name, 0);
      held_[0].insert(name);
    } else {
      holders_.erase(name);
    }
  }
}

}  // namespace tutti::executive
