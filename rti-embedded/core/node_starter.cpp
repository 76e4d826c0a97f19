// SPDX-License-Identifier: Apache-2.0
#include "core/node_starter.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "fabric/printable.h"

extern char** environ;

namespace tutti::core {
namespace {

std::string directoryOfLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&startNode), &info) == 0 || info.dli_fname == nullptr)
    return "";
  char* path = realpath(info.dli_fname, nullptr);
  if (path == nullptr) return "";
  std::string result(path);
  std::free(path);
  return result.substr(0, result.rfind('/'));
}

std::string findProgram() {
  if (const char* given = std::getenv("TUTTI_RTI_PROGRAM"); given != nullptr && *given != '\0') {
    return given;
  }
  const std::string beside = directoryOfLibrary();
  for (const std::string& candidate : {beside + "/tutti-rti", beside + "/../bin/tutti-rti",
                                       beside + "/../../bin/tutti-rti"}) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "tutti-rti";
}

/// A few lines at most, as one.
std::string readToEnd(int descriptor) {
  constexpr std::size_t enough = 2000;
  std::string text;
  char buffer[512];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  if (text.size() > enough) text.resize(enough);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return fabric::printable(text, fabric::Lines::Kept);
}

}  // namespace

std::optional<std::string> startNode(const std::string& name, const std::string& home) {
  const std::string program = findProgram();
  std::vector<std::string> words{program, "--daemon", "--shm", name};
  if (!home.empty()) words.insert(words.end(), {"--link", home});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  // What it says before it has a log of its own; a node that runs has closed its end.
  int said[2] = {-1, -1};
  const bool hears = pipe2(said, O_CLOEXEC) == 0;
  if (hears) posix_spawn_file_actions_adddup2(&actions, said[1], STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // The federate may block or ignore signals; the node starts with a clean slate.
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  std::string reason;
  if (hears) {
    close(said[1]);
    if (failed == 0) reason = readToEnd(said[0]);
    close(said[0]);
  }
  if (failed != 0) {
    return "The RTI node program " + program + " cannot be started: " + strerror(failed) +
           ". It belongs beside librti1516e.so; TUTTI_RTI_PROGRAM may name another place.";
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == ECHILD) return std::nullopt;  // the federate ignores SIGCHLD; connecting will tell
    if (errno != EINTR) break;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  const std::string why = reason.empty() ? "" : " It said: " + reason;
  if (!home.empty() && WIFEXITED(status)) {
    return "The RTI node of this host cannot be linked to the one at " + home +
           ". Is that running, started there with tutti-rti --shm NAME --listen HOST:PORT? If it has a "
           "key, TUTTI_KEY_FILE names a copy of that here." + why + " tutti-rti --shm " + name +
           " --link " + home + " shows more.";
  }
  return "The RTI node program " + program + " ended at once (" +
         (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                              : "exit code " + std::to_string(WEXITSTATUS(status))) +
         ")." + why + " tutti-rti --shm " + name + " shows more.";
}

}  // namespace tutti::core
