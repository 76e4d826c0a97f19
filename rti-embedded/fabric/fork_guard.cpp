// SPDX-License-Identifier: Apache-2.0
#include "fabric/fork_guard.h"

#include <unistd.h>

#include <algorithm>
#include <vector>

namespace tutti::fabric {
namespace {

// Never destroyed: a process may fork while it ends.
std::vector<int>& guarded() {
  static auto* const all = new std::vector<int>;
  return *all;
}

}  // namespace

std::mutex& forkGuard() {
  static auto* const guard = new std::mutex;
  return *guard;
}

void guardDescriptor(int fd) { guarded().push_back(fd); }

bool releaseDescriptor(int fd) {
  const auto found = std::find(guarded().begin(), guarded().end(), fd);
  if (found == guarded().end()) return false;
  guarded().erase(found);
  return true;
}

void closeGuardedDescriptors() noexcept {
  for (const int fd : guarded()) ::close(fd);
  guarded().clear();
}

}  // namespace tutti::fabric
