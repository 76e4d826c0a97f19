// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pipes/memory_account.h"
#include "pipes/security.h"

namespace tutti::pipes {

/// What holds for the connections of a node with others.
struct ConnectionRules {
  /// What both sides have to prove; null: nothing, and nothing is encrypted.
  std::shared_ptr<const Security> security;
  /// Pays for what waits to be sent or taken, beyond a little; outlives the connections. Null:
  /// nobody does.
  MemoryAccount* memory = nullptr;
};

}  // namespace tutti::pipes
