// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <map>

#include "federates/board.h"
#include "federates/role.h"

namespace federates {

void* openBoard(std::size_t bytes) {
  void* place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, boardDescriptor, 0);
  if (place == MAP_FAILED) {
    std::perror("rti_federate: no board");
    _exit(2);
  }
  // The descriptor is not for what this process starts (the RTI node).
  ::fcntl(boardDescriptor, F_SETFD, FD_CLOEXEC);
  return place;
}

std::optional<QString> Input::line() {
  for (;;) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      const QString result = QString::fromStdString(heard_.substr(0, end));
      heard_.erase(0, end + 1);
      return result;
    }
    char buffer[1024];
    const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (count <= 0) return std::nullopt;
    heard_.append(buffer, static_cast<std::size_t>(count));
  }
}

bool Input::ready() {
  if (heard_.find('\n') != std::string::npos) return true;
  pollfd waiting{STDIN_FILENO, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

void say(const QString& line) {
  const QByteArray bytes = line.toUtf8() + '\n';
  if (::write(STDOUT_FILENO, bytes.constData(), static_cast<std::size_t>(bytes.size())) < 0) {
    _exit(3);
  }
}

}  // namespace federates

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << QString::fromUtf8(argv[i]);
  while (!arguments.isEmpty() && arguments.first().startsWith("--")) {
    const QString option = arguments.takeFirst();
    if (option == "--close-input") ::close(STDIN_FILENO);
    if (option == "--ignore-children") ::signal(SIGCHLD, SIG_IGN);
  }
  const std::map<QString, federates::Role> roles{
      {"crowd", federates::runCrowd},     {"member", federates::runMember},
      {"sender", federates::runSender},   {"visitor", federates::runVisitor},
      {"stepped", federates::runStepped}, {"forker", federates::runForker},
      {"reader", federates::runReader},   {"listener", federates::runListener},
      {"survivor", federates::runSurvivor},
      {"victim", federates::runVictim},   {"busy", federates::runBusy},
      {"scribbler", federates::runScribbler}, {"starved", federates::runStarved},
      {"worker", federates::runWorker},   {"watcher", federates::runWatcher},
  };
  const auto role = arguments.isEmpty() ? roles.end() : roles.find(arguments.takeFirst());
  if (role == roles.end()) {
    std::fprintf(stderr, "rti_federate: a role is needed; see tests/rti/federates/README.md\n");
    return 2;
  }
  try {
    return role->second(arguments);
  } catch (const rti1516e::Exception& exception) {
    std::fprintf(stderr, "rti_federate: %ls\n", exception.what().c_str());
    federates::say("exception " + QString::fromStdWString(exception.what()));
    return 1;
  }
}
