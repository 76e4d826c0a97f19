// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace tutti::fabric {

/// Held over each fork() of a federate's process, and wherever a descriptor or a mapping is made
/// until it is where the child closes it, or marked so that the child does not get it. Held for
/// moments only, never while something is waited for.
std::mutex& forkGuard();

/// A descriptor that is open for moments only, and has nobody in a forked child to close it: by
/// UniqueFd::guarded(). The three while forkGuard() is held.
void guardDescriptor(int fd);
/// False: the child has closed it already.
bool releaseDescriptor(int fd);
/// In the child, at once.
void closeGuardedDescriptors() noexcept;

}  // namespace tutti::fabric
