// SPDX-License-Identifier: Apache-2.0
#include "node/daemon.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "fabric/printable.h"

namespace tutti::node {

namespace fs = std::filesystem;

namespace {

/// A log that has grown past this is kept as .1 and begun anew.
constexpr std::uintmax_t longestLog = 4 << 20;

constexpr int reportDescriptor = 3;

/// The log, or /dev/null when there is no place for one: a node without a log is better than none.
int openLog(const std::string& nodeName) {
  const fs::path file = logFile(nodeName);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (const auto size = fs::file_size(file, error); !error && size > longestLog) {
    fs::rename(file, file.string() + ".1", error);
  }
  const int log =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  return log >= 0 ? log : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/// Leaves behind what belongs to the process that happened to need a node first.
void shedInheritance(const std::string& nodeName, int report) {
  ::dup2(report, reportDescriptor);
  ::close_range(reportDescriptor + 1, ~0U, 0);
  ::fcntl(reportDescriptor, F_SETFD, FD_CLOEXEC);

  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log = openLog(nodeName);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  if (nothing > reportDescriptor) ::close(nothing);
  if (log > reportDescriptor) ::close(log);

  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::umask(077);
  if (::chdir("/") != 0) std::perror("chdir");

  // A federate may be bound to one processor; the kernel leaves of "all" what is allowed.
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(static_cast<std::size_t>(cpu), &all);
  ::sched_setaffinity(0, sizeof all, &all);
}

/// A directory of this user that nobody else can write to or look into, and no symbolic link.
bool isPrivate(const fs::path& directory) {
  struct stat found{};
  return ::lstat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid() && (found.st_mode & 077) == 0;
}

fs::path chooseStateDirectory() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return fs::path(state) / "tutti";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return fs::path(home) / ".local" / "state" / "tutti";
  }
  if (const char* run = std::getenv("XDG_RUNTIME_DIR");
      run != nullptr && *run == '/' && isPrivate(run)) {
    return fs::path(run) / "tutti";
  }
  // Everybody may write to /tmp, and may have been there first.
  const std::string own = "/tmp/tutti-" + std::to_string(::geteuid());
  if ((::mkdir(own.c_str(), 0700) == 0 || errno == EEXIST) && isPrivate(own)) return own;
  std::string fresh = own + "-XXXXXX";
  return ::mkdtemp(fresh.data()) != nullptr ? fresh : "/dev/null/tutti";
}

int failed(const std::string& what) {
  std::fprintf(stderr, "tutti-rti: %s: %s\n", what.c_str(), std::strerror(errno));
  return 1;
}

}  // namespace

fs::path stateDirectory() {
  // Once: where nothing else is safe, a directory is made of which nobody could know the name.
  static const fs::path chosen = chooseStateDirectory();
  return chosen;
}

fs::path logFile(const std::string& nodeName) {
  std::string file = nodeName;
  std::replace(file.begin(), file.end(), '/', '_');
  return stateDirectory() / ("rti-" + file + ".log");
}

void renewLongLog(const std::string& nodeName) {
  struct stat information {};
  if (::fstat(STDERR_FILENO, &information) != 0 || !S_ISREG(information.st_mode) ||
      static_cast<std::uintmax_t>(information.st_size) <= longestLog) {
    return;
  }
  const int log = openLog(nodeName);
  if (log < 0) return;
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close(log);
}

int runDetached(const std::string& nodeName,
                const std::function<int(const std::function<void(const std::string&)>&)>& body) {
  const fs::path log = logFile(nodeName);  // before the fork, so that both say the same place
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failed("cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot start a process for the RTI node");
  if (child == 0) {
    ::setsid();
    // Once more, so that it can never get a terminal, and its starter need not wait for it.
    const pid_t grandchild = ::fork();
    if (grandchild != 0) ::_exit(grandchild < 0 ? 1 : 0);
    shedInheritance(nodeName, ends[1]);
    const int code = body([](const std::string& problem) {
      const std::string text = problem.empty() ? "ready" : problem;
      if (::write(reportDescriptor, text.data(), text.size()) < 0) std::perror("report");
      ::close(reportDescriptor);
    });
    std::fflush(nullptr);
    ::_exit(code);
  }
  ::close(ends[1]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  std::string report;
  char buffer[512];
  for (;;) {
    const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    report.append(buffer, static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  if (report == "ready") return 0;
  if (report.empty()) report = "the RTI node ended while it started; see " + log.string();
  std::fprintf(stderr, "tutti-rti: %s\n", fabric::printable(report).c_str());
  return 1;
}

}  // namespace tutti::node
