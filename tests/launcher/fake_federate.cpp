// SPDX-License-Identifier: GPL-3.0-or-later
// A program that behaves, or misbehaves, as its arguments say, for the tests of the launcher.
//   exit CODE | die SIGNAL | sleep | ignore-term | flood | say TEXT... | environment NAME... |
//   descriptors daemonize FILE      a child and a double-forked daemon of its own session, both
//   deaf to SIGTERM;
//                       FILE gets "SELF CHILD DAEMON" (process ids), then this process sleeps
//   leave FILE          the same, but this process exits with 0 and leaves them behind
//   ready-after FILE    prints "ready" once FILE exists, then sleeps
//   flag FILE           creates FILE, then sleeps
//   listen              listens at a free port of loopback, prints "port N", then sleeps
//   beside ...          a child does what follows, this process waits for its end and sleeps
//   argument `say X`s before one of the others are printed first; so is `burn SECONDS`: it uses
//   processor time until it has used so much
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

extern char** environ;

namespace {

[[noreturn]] void sleepForever() {
  for (;;) ::pause();
}

[[noreturn]] void deafSleep() {
  ::signal(SIGTERM, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  sleepForever();
}

/// Starts a deaf child and a deaf daemon that nobody can trace to this process by its parent.
void leaveOthers(const char* file) {
  const pid_t child = ::fork();
  if (child == 0) deafSleep();
  int ends[2];
  if (::pipe(ends) != 0) std::exit(99);
  const pid_t between = ::fork();
  if (between == 0) {
    ::setsid();
    const pid_t daemon = ::fork();
    if (daemon == 0) {
      // As a daemon does: no descriptor of its ancestors stays open.
      ::close_range(0, ~0U, 0);
      deafSleep();
    }
    if (::write(ends[1], &daemon, sizeof daemon) != sizeof daemon) ::_exit(99);
    ::_exit(0);
  }
  pid_t daemon = 0;
  if (::read(ends[0], &daemon, sizeof daemon) != sizeof daemon) std::exit(99);
  ::waitpid(between, nullptr, 0);
  const std::string unfinished = std::string(file) + ".new";
  FILE* out = std::fopen(unfinished.c_str(), "w");
  std::fprintf(out, "%d %d %d", ::getpid(), child, daemon);
  std::fclose(out);
  std::filesystem::rename(unfinished, file);
}

/// The port at which it listens from now on; 0: it cannot.
int listenSomewhere() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::bind(fd, any, size) != 0 || ::listen(fd, 1) != 0) return 0;
  return ::getsockname(fd, any, &size) == 0 ? ntohs(address.sin_port) : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::size_t at = 0;
  const auto next = [&] { return at < words.size() ? words[at++] : std::string(); };
  for (;;) {
    const auto verb = next();
    if (verb.empty()) return 0;
    if (verb == "say") {
      std::puts(next().c_str());
      std::fflush(stdout);
    } else if (verb == "complain") {
      std::fputs((next() + "\n").c_str(), stderr);
    } else if (verb == "burn") {
      const double seconds = std::atof(next().c_str());
      while (static_cast<double>(std::clock()) / CLOCKS_PER_SEC < seconds) {
      }
    } else if (verb == "beside") {
      const pid_t child = ::fork();
      if (child == 0) continue;
      ::waitpid(child, nullptr, 0);
      sleepForever();
    } else if (verb == "exit") {
      return std::atoi(next().c_str());
    } else if (verb == "die") {
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      const int number = std::atoi(next().c_str());
      ::signal(number, SIG_DFL);  // a sanitizer's handler would make an exit of it
      ::raise(number);
      sleepForever();
    } else if (verb == "listen") {
      std::printf("port %d\n", listenSomewhere());
      std::fflush(stdout);
      sleepForever();
    } else if (verb == "sleep") {
      sleepForever();
    } else if (verb == "ignore-term") {
      ::signal(SIGTERM, SIG_IGN);
      std::puts("deaf");
      std::fflush(stdout);
      sleepForever();
    } else if (verb == "flood") {
      for (unsigned long line = 0;; ++line) std::printf("line %lu\n", line);
    } else if (verb == "environment") {
      const auto name = next();
      const char* value = std::getenv(name.c_str());
      std::printf("%s=%s\n", name.c_str(), value != nullptr ? value : "(unset)");
    } else if (verb == "descriptors") {
      std::string list;
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        list += entry.path().filename().string() + " ";
      std::printf("descriptors %s\n", list.c_str());
      std::printf("group %s, nice %d, folder %s\n", ::getpgrp() == ::getpid() ? "own" : "shared",
                  ::getpriority(PRIO_PROCESS, 0), std::filesystem::current_path().c_str());
      sigset_t blocked;
      ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
      struct sigaction pipe {};
      ::sigaction(SIGPIPE, nullptr, &pipe);
      std::printf("blocked %d, pipe signal %s\n", ::sigismember(&blocked, SIGTERM),
                  pipe.sa_handler == SIG_DFL ? "default" : "ignored");
    } else if (verb == "daemonize") {
      leaveOthers(next().c_str());
      sleepForever();
    } else if (verb == "leave") {
      leaveOthers(next().c_str());
      return 0;
    } else if (verb == "flag") {
      const auto file = next();
      std::fclose(std::fopen(file.c_str(), "w"));
      sleepForever();
    } else if (verb == "ready-after") {
      const auto file = next();
      while (::access(file.c_str(), F_OK) != 0) ::usleep(2000);
      std::puts("ready");
      std::fflush(stdout);
      sleepForever();
    } else {
      std::fprintf(stderr, "fake_federate: unknown '%s'\n", verb.c_str());
      return 98;
    }
  }
}
