// SPDX-License-Identifier: Apache-2.0
#include "fabric/fork_guard.h"

namespace tutti::fabric {

// Never destroyed: a process may fork while it ends.
std::mutex& forkGuard() {
  static auto* const guard = new std::mutex;
  return *guard;
}

}  // namespace tutti::fabric
