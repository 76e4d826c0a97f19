// SPDX-License-Identifier: GPL-3.0-or-later
// tutti-supervisor: starts, watches and ends the processes of one run. See README.md beside this
// file.
//
// Two processes: the worker does everything; the guardian above it only exists so that something is
// left to clean up when the worker is killed with SIGKILL.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "launcher/engine/supervisor/plan.h"
#include "launcher/engine/supervisor/process_tree.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "launcher/engine/supervisor/supervisor.h"

namespace {

using tutti::launcher::livingDescendants;
using tutti::launcher::signalProcess;

constexpr const char* usage =
    "Usage: tutti-supervisor [PLAN.json]\n"
    "       tutti-supervisor --attach RUN\n"
    "Starts the processes of a launch plan, tells about them on standard output and takes commands "
    "on\n"
    "standard input, both one JSON object a line. Without PLAN.json the first line is the plan.\n"
    "With --attach it passes lines on between them and the supervisor of a run on this host.\n"
    "The end of standard input, or SIGTERM, ends all it started. Exit codes: 0 nothing is left, 2 "
    "unusable\n"
    "plan, 3 something could not be ended, 4 no such run is here.\n";

/// Ends everything below this process. A subreaper inherits what its dead child leaves.
void sweep() {
  for (;;) {
    for (const auto& entry : livingDescendants(::getpid())) signalProcess(entry, SIGKILL);
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD) return;
    if (pid == 0) ::usleep(2000);
  }
}

int guard(pid_t worker, const sigset_t& handled) {
  // Only the worker may hold the client's pipes, so that their ends mean something.
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nowhere, STDIN_FILENO);
  ::dup2(nowhere, STDOUT_FILENO);
  ::prctl(PR_SET_NAME, "tutti-guardian");
  for (;;) {
    int signal = 0;
    ::sigwait(&handled, &signal);
    if (signal != SIGCHLD) {
      ::kill(worker, SIGTERM);
      continue;
    }
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid <= 0) break;
      if (pid != worker) continue;
      if (WIFSIGNALED(status)) sweep();
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) ::open("/dev/null", O_RDWR);
  }
  const std::string argument = argc > 1 ? argv[1] : "";
  if (argc == 3 && argument == "--attach")
    return tutti::launcher::relayTo(argv[2], STDIN_FILENO, STDOUT_FILENO);
  if (argc > 2 || argument == "--help" || argument == "-h") {
    (argc > 2 ? std::cerr : std::cout) << usage;
    return argc > 2 ? 2 : 0;
  }
  tutti::launcher::Plan plan;
  if (!argument.empty()) {
    std::ifstream file(argument);
    if (!file) {
      std::cerr << "tutti-supervisor: " << argument
                << " cannot be read. Name a launch plan (tutti run writes plan.json).\n";
      return 2;
    }
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    auto read = tutti::launcher::planFromText(text);
    if (!read) {
      std::cerr << "tutti-supervisor: " << argument << ": " << read.error().message << "\n";
      return 2;
    }
    plan = std::move(*read);
  }

  tutti::launcher::reserveDescriptors();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t handled;
  ::sigemptyset(&handled);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT})
    ::sigaddset(&handled, signal);
  ::sigprocmask(SIG_BLOCK, &handled, nullptr);
  const pid_t guardian = ::getpid();
  const pid_t worker = ::fork();
  if (worker < 0) {
    std::perror("tutti-supervisor: no new process");
    return 3;
  }
  if (worker > 0) return guard(worker, handled);

  // Without its guardian the worker still ends in order. fork() clears the subreaper mark.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != guardian) return 3;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();  // A Ctrl+C in the client's terminal is the client's to handle.
  tutti::launcher::Supervisor supervisor(STDIN_FILENO, STDOUT_FILENO);
  if (!argument.empty()) supervisor.usePlan(std::move(plan));
  return supervisor.run();
}
