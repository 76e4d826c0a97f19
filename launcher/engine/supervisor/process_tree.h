// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tutti::launcher {

/// A process as /proc shows it. The start time tells it from a later process with the same number.
struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';  ///< The letter of proc(5), of the main thread.
  int threads = 0;   ///< Counts an ended main thread as long as another one runs.
  std::uint64_t startTicks = 0;
  /// Processor time in clock ticks: its own, and that of children which ended and were waited for.
  std::uint64_t userTicks = 0;
  std::uint64_t systemTicks = 0;
  std::uint64_t residentBytes = 0;
  std::string name;  ///< At most 15 characters.

  /// A zombie is dead, unless only its main thread has ended.
  bool dead() const { return state == 'X' || (state == 'Z' && threads <= 1); }
};

/// Keeps descriptors aside, so that the functions below also see and signal processes when this
/// process has no others left. Once, in a process that has one thread.
void reserveDescriptors();

/// Nothing when there is no such process (any more).
std::optional<ProcessEntry> processEntry(pid_t pid);

/// The living descendants of `root`, without `root`, without zombies, and without the trees that
/// start at a process of `spare`. A process forked while this reads may be missing: whoever must be
/// sure repeats until waitpid() says that there is no child left, which for a subreaper means that
/// there is no descendant either.
std::vector<ProcessEntry> livingDescendants(pid_t root, const std::set<pid_t>& spare = {});

/// For each of `roots` that is there itself and its descendants, zombies as well, whose time would
/// otherwise be missing until somebody waits for them; a parent is read before its children, so
/// that no time is counted twice. At most `most` of all, 0 or more of each root. Where the kernel
/// does not list children (no CONFIG_PROC_CHILDREN) only the roots.
std::vector<std::vector<ProcessEntry>> processTrees(const std::vector<pid_t>& roots,
                                                    std::size_t most);

/// Sends a signal to exactly the process that `entry` describes, never to a later one that was
/// given its number. False when it is gone or belongs to another user.
bool signalProcess(const ProcessEntry& entry, int signal);

}  // namespace tutti::launcher
