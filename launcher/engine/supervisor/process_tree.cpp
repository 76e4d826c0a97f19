// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

namespace tutti::launcher {
namespace {

const auto pageSize = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));

std::array<int, 4> reserved{-1, -1, -1, -1};

void openReserved() {
  for (int& fd : reserved) {
    if (fd < 0) fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

/// As long as there is one of these, what was kept aside is free to be opened.
class ReservedDescriptors {
 public:
  ReservedDescriptors() : used_(reserved.front() >= 0) {
    for (int& fd : reserved) {
      if (fd >= 0) ::close(fd);
      fd = -1;
    }
  }
  ~ReservedDescriptors() {
    if (used_) openReserved();
  }
  ReservedDescriptors(const ReservedDescriptors&) = delete;
  ReservedDescriptors& operator=(const ReservedDescriptors&) = delete;

 private:
  const bool used_;  ///< within another one there is nothing aside
};

std::string readSmallFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<std::size_t>(got));
  ::close(fd);
  return text;
}

/// Calls `visit` with every entry of a directory that is a number.
void eachNumber(const std::string& path, const std::function<void(pid_t)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    char* end = nullptr;
    const long value = std::strtol(entry->d_name, &end, 10);
    if (end != entry->d_name && *end == '\0' && value > 0) visit(static_cast<pid_t>(value));
  }
}

std::vector<pid_t> childrenFromTasks(pid_t pid) {
  std::vector<pid_t> result;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  // A child belongs to the thread that forked it, so every thread has a list of its own.
  eachNumber(tasks, [&](pid_t thread) {
    const auto text = readSmallFile(tasks + "/" + std::to_string(thread) + "/children");
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
      pid_t child = 0;
      const auto [next, error] = std::from_chars(at, end, child);
      if (error == std::errc()) result.push_back(child);
      at = next + 1;
    }
  });
  return result;
}

/// Kernels without CONFIG_PROC_CHILDREN have no such lists: then every process is asked for its
/// parent.
std::map<pid_t, std::vector<pid_t>> childrenFromParents() {
  std::map<pid_t, std::vector<pid_t>> result;
  eachNumber("/proc", [&](pid_t pid) {
    if (const auto entry = processEntry(pid)) result[entry->parent].push_back(pid);
  });
  return result;
}

bool tasksListChildren() {
  static const bool they =
      ::access(("/proc/self/task/" + std::to_string(::getpid()) + "/children").c_str(), R_OK) == 0;
  return they;
}

}  // namespace

void reserveDescriptors() { openReserved(); }

std::optional<ProcessEntry> processEntry(pid_t pid) {
  const ReservedDescriptors usable;
  const auto text = readSmallFile("/proc/" + std::to_string(pid) + "/stat");
  // The name stands in parentheses and may hold spaces and parentheses itself.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 >= text.size())
    return {};
  ProcessEntry entry;
  entry.pid = pid;
  entry.name = text.substr(open + 1, close - open - 1);
  entry.state = text[close + 2];
  const char* at = text.c_str() + close + 3;
  char* end = nullptr;
  constexpr int parentField = 4;
  constexpr int groupField = 5;
  constexpr int userField = 14;
  constexpr int systemField = 15;
  constexpr int userOfChildrenField = 16;
  constexpr int systemOfChildrenField = 17;
  constexpr int threadsField = 20;
  constexpr int startTimeField = 22;
  constexpr int residentField = 24;
  for (int field = parentField; field <= residentField; ++field) {
    const auto value = std::strtoull(at, &end, 10);  // Negative ones wrap; none is used here.
    if (end == at) return {};
    at = end;
    if (field == parentField) entry.parent = static_cast<pid_t>(value);
    if (field == groupField) entry.group = static_cast<pid_t>(value);
    if (field == threadsField) entry.threads = static_cast<int>(value);
    if (field == startTimeField) entry.startTicks = value;
    if (field == userField || field == userOfChildrenField) entry.userTicks += value;
    if (field == systemField || field == systemOfChildrenField) entry.systemTicks += value;
    if (field == residentField) entry.residentBytes = value * pageSize;
  }
  return entry;
}

std::vector<ProcessEntry> livingDescendants(pid_t root, const std::set<pid_t>& spare) {
  const ReservedDescriptors usable;
  const bool listed = tasksListChildren();
  std::map<pid_t, std::vector<pid_t>> parents;
  if (!listed) parents = childrenFromParents();
  std::vector<ProcessEntry> result;
  std::vector<pid_t> pending{root};
  std::set<pid_t> seen{root};
  while (!pending.empty()) {
    const pid_t pid = pending.back();
    pending.pop_back();
    const auto children = listed ? childrenFromTasks(pid) : parents[pid];
    for (const pid_t child : children) {
      if (spare.contains(child) || !seen.insert(child).second) continue;
      const auto entry = processEntry(child);
      if (!entry || entry->dead()) continue;
      result.push_back(*entry);
      pending.push_back(child);
    }
  }
  return result;
}

std::vector<std::vector<ProcessEntry>> processTrees(const std::vector<pid_t>& roots,
                                                    std::size_t most) {
  const ReservedDescriptors usable;
  std::vector<std::vector<ProcessEntry>> result(roots.size());
  // First the roots: what one of them has started takes no other's figures away.
  for (std::size_t index = 0; index < roots.size() && most > 0; ++index) {
    if (const auto entry = processEntry(roots[index])) {
      result[index].push_back(*entry);
      --most;
    }
  }
  if (!tasksListChildren()) return result;
  for (std::size_t index = 0; index < roots.size(); ++index) {
    auto& tree = result[index];
    // What one leaves of its share is there for those after it.
    std::size_t share = most / (roots.size() - index);
    most -= share;
    std::set<pid_t> seen{roots[index]};  // children of a thread that ends go to another one
    for (std::size_t at = 0; at < tree.size() && share > 0; ++at) {
      for (const pid_t child : childrenFromTasks(tree[at].pid)) {
        if (share == 0 || !seen.insert(child).second) continue;
        if (const auto entry = processEntry(child)) {
          tree.push_back(*entry);
          --share;
        }
      }
    }
    most += share;
  }
  return result;
}

bool signalProcess(const ProcessEntry& entry, int signal) {
  const ReservedDescriptors usable;
  // The descriptor pins whoever has the number now; the start time then shows whether that is still
  // the process that was meant.
  const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, entry.pid, 0));
  if (fd < 0) {
    if (errno != ENOSYS) return false;
    return ::kill(entry.pid, signal) == 0;
  }
  const auto now = processEntry(entry.pid);
  const bool same = now && now->startTicks == entry.startTicks;
  const bool sent = same && ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0) == 0;
  ::close(fd);
  return sent;
}

}  // namespace tutti::launcher
