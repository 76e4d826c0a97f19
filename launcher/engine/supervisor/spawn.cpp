// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tutti::launcher {
namespace {

/// What the child tells through the status pipe when it cannot become the program.
struct ChildReport {
  enum Stage : int { ChangeDirectory, Execute, Prepare };
  int stage = Execute;
  int error = 0;
};

std::string reason(int error) { return std::strerror(error); }

bool isFolder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

bool openPipe(Pipe& ends) {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return false;
  ends.read.reset(fds[0]);
  ends.write.reset(fds[1]);
  return true;
}

/// Out of the way of what a child gets as Plan::keyDescriptor.
bool moveFromKey(Descriptor& descriptor) {
  descriptor.reset(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, Plan::keyDescriptor + 1));
  return static_cast<bool>(descriptor);
}

std::vector<std::string> environmentOf(const PlannedProcess& process) {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!process.env.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : process.env) result.push_back(name + "=" + value);
  return result;
}

std::string searchPath(const PlannedProcess& process) {
  if (const auto own = process.env.find("PATH"); own != process.env.end()) return own->second;
  const char* inherited = std::getenv("PATH");
  return inherited != nullptr ? inherited : "/usr/local/bin:/usr/bin:/bin";
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Of the child's descriptors; survives execve().
bool passOn(int descriptor, int as) {
  if (descriptor == as) return ::fcntl(as, F_SETFD, 0) == 0;
  return ::dup2(descriptor, as) == as;
}

/// Runs in the child: only calls that are safe after fork(). Returns only if it does not succeed.
ChildReport becomeProgram(const PlannedProcess& process, const char* file, char* const* arguments,
                          char* const* environment, pid_t parent, int input, int out, int err,
                          int key, const rlimit& openFiles) {
  ::setpgid(0, 0);
  // The parent may have died before this call; then nobody will send the signal.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  if (!process.cwd.empty() && ::chdir(process.cwd.c_str()) != 0)
    return {ChildReport::ChangeDirectory, errno};
  if (::dup2(input, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
      ::dup2(err, STDERR_FILENO) < 0)
    return {ChildReport::Prepare, errno};
  ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  // The last of all: it may take the place of one of those above, which are copied by now.
  if (process.getsKey && !passOn(key, Plan::keyDescriptor)) return {ChildReport::Prepare, errno};
  ::setrlimit(RLIMIT_NOFILE, &openFiles);
  // Refused when it would raise the priority without the right to: then it keeps the inherited one.
  ::setpriority(PRIO_PROCESS, 0, process.nice);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(file, arguments, environment);
  return {ChildReport::Execute, errno};
}

SpawnError explain(const PlannedProcess& process, const std::string& file, ChildReport report) {
  SpawnError error{process.id + " did not start", file, reason(report.error), "", report.error};
  if (report.stage == ChildReport::ChangeDirectory) {
    error.where = process.cwd;
    error.why = "its working directory cannot be entered: " + reason(report.error);
    error.next = "Create the folder, or give the federate another working directory.";
  } else if (report.stage == ChildReport::Prepare) {
    error.next = "Close other programs, or raise the limit of open files.";
  } else if (report.error == ENOENT) {
    error.why = "the file is there, but its interpreter (the first line, or the loader) is not";
    error.next = "Install the interpreter, or build the component for this machine.";
  } else if (report.error == ENOEXEC) {
    error.why = "it is neither a program for this machine nor a script with a #! line";
    error.next = "Build the component for this machine, or add the #! line.";
  } else if (report.error == ETXTBSY) {
    error.why = "it is being written at this moment";
    error.next = "Start it again when the build has ended.";
  } else if (report.error == EACCES || report.error == EPERM) {
    error.why = "it may not be executed here: " + reason(report.error);
    error.next = "Check its rights (chmod +x), and that its file system is not mounted noexec.";
  } else {
    error.next = "Run the command by hand in a terminal to see more.";
  }
  return error;
}

}  // namespace

void Descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

tl::expected<std::string, SpawnError> findExecutable(const std::string& command,
                                                     const std::string& cwd,
                                                     const std::string& path) {
  SpawnError error{"", command, "", "", 0};
  const auto usable = [&](const std::string& file) {
    struct stat info {};
    if (::stat(file.c_str(), &info) != 0) {
      error.errorNumber = errno;
      return false;
    }
    if (S_ISDIR(info.st_mode)) {
      error.errorNumber = EISDIR;
      return false;
    }
    if (!S_ISREG(info.st_mode) || ::access(file.c_str(), X_OK) != 0) {
      error.errorNumber = EACCES;
      return false;
    }
    return true;
  };
  if (command.find('/') != std::string::npos) {
    auto file = command;
    if (file.front() != '/' && !cwd.empty()) file = cwd + "/" + command;
    error.where = file;
    if (usable(file)) return file;
    if (error.errorNumber == EISDIR) {
      error.why = "it is a folder, not a program";
      error.next = "Name the program in it.";
    } else if (error.errorNumber == EACCES && ::access(file.c_str(), F_OK) == 0) {
      error.why = "the file may not be executed: " + reason(EACCES);
      error.next = "Allow it: chmod +x " + file;
    } else {
      error.why = "there is no such file: " + reason(error.errorNumber);
      error.next = "Build or install the component, or correct its command.";
    }
    return tl::unexpected(error);
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    auto folder = path.substr(begin, end - begin);
    if (folder.empty()) folder = cwd.empty() ? "." : cwd;
    if (auto file = folder + "/" + command; usable(file)) return file;
    begin = end + 1;
  }
  error.errorNumber = ENOENT;
  error.why = "no folder of PATH has a program of that name (PATH is " + path + ")";
  error.next = "Build or install the component, or give the full path of its program.";
  return tl::unexpected(error);
}

tl::expected<Spawned, SpawnError> spawn(const PlannedProcess& process, const rlimit& openFiles,
                                        int key) {
  const auto notStarted = process.id + " did not start";
  if (!process.cwd.empty() && !isFolder(process.cwd)) {
    return tl::unexpected(
        SpawnError{notStarted, process.cwd, "its working directory does not exist",
                   "Create the folder, or give the federate another working directory.", ENOENT});
  }
  auto file = findExecutable(process.command.front(), process.cwd, searchPath(process));
  if (!file) {
    file.error().what = notStarted;
    return tl::unexpected(file.error());
  }
  Pipe out;
  Pipe err;
  Pipe status;
  const Descriptor input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!input || !openPipe(out) || !openPipe(err) || !openPipe(status) ||
      !moveFromKey(status.write)) {
    const int error = errno;
    return tl::unexpected(SpawnError{notStarted, *file, "no pipe for its output: " + reason(error),
                                     "Raise the limit of open files (ulimit -n).", error});
  }
  if (process.getsKey && key < 0) {
    return tl::unexpected(SpawnError{notStarted, *file, "it gets the run's key, and none was sent",
                                     "Start the run with tutti run, which sends it.", ENOKEY});
  }
  const auto environment = environmentOf(process);
  const auto environmentPointers = pointers(environment);
  const auto argumentPointers = pointers(process.command);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int error = errno;
    return tl::unexpected(SpawnError{notStarted, *file, "no new process: " + reason(error),
                                     "Raise the limit of processes (ulimit -u), or run fewer.",
                                     error});
  }
  if (pid == 0) {
    const auto report =
        becomeProgram(process, file->c_str(), argumentPointers.data(), environmentPointers.data(),
                      parent, input.get(), out.write.get(), err.write.get(), key, openFiles);
    [[maybe_unused]] const auto told = ::write(status.write.get(), &report, sizeof report);
    ::_exit(127);
  }
  status.write.reset();
  ChildReport report;
  ssize_t got = 0;
  do {
    got = ::read(status.read.get(), &report, sizeof report);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof report)) {
    // Reaped here, so that the supervisor's loop never sees it.
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return tl::unexpected(explain(process, *file, report));
  }
  for (const auto* end : {&out.read, &err.read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  return Spawned{pid, std::move(out.read), std::move(err.read)};
}

}  // namespace tutti::launcher
