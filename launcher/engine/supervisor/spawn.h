// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "launcher/engine/supervisor/plan.h"

namespace tutti::launcher {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// Why a process could not be started: what, where, why and what to do next.
struct SpawnError {
  std::string what;   ///< "radar-west did not start"
  std::string where;  ///< The file or folder it is about.
  std::string why;
  std::string next;
  int errorNumber = 0;  ///< errno of the failed call.
};

struct Spawned {
  pid_t pid = 0;
  Descriptor out;  ///< Read ends, not blocking.
  Descriptor err;
};

/// Starts one process: own process group, standard input from /dev/null, no other descriptor open
/// but `key` as Plan::keyDescriptor if the process gets it,
/// default signal handling, nothing blocked, the plan's niceness and the given limit of open files.
/// It dies with the calling thread (PR_SET_PDEATHSIG), also when that one dies while this runs.
/// Returns when the executable runs or it is known why not.
tl::expected<Spawned, SpawnError> spawn(const PlannedProcess& process, const rlimit& openFiles,
                                        int key = -1);

/// The file that a command's first word stands for: itself, relative to `cwd` when it is a relative
/// path, else looked up in `path` (as in PATH).
tl::expected<std::string, SpawnError> findExecutable(const std::string& command,
                                                     const std::string& cwd,
                                                     const std::string& path);

}  // namespace tutti::launcher
