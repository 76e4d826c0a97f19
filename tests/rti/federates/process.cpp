// SPDX-License-Identifier: GPL-3.0-or-later
#include "federates/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <utility>

#include "observe/node_client.h"
#include "patience.h"

extern char** environ;

namespace federates {

using tutti::fabric::UniqueFd;

namespace {

char stateOf(pid_t pid) {
  QFile file(QString("/proc/%1/stat").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QByteArray line = file.readAll();
  const auto end = line.lastIndexOf(')');
  return end < 0 || end + 2 >= line.size() ? char{0} : line.at(end + 2);
}

}  // namespace

BoardMemory::BoardMemory(std::size_t bytes)
    : memory_(::memfd_create("tutti-test-board", MFD_CLOEXEC)), bytes_(bytes) {
  if (::ftruncate(memory_.get(), static_cast<off_t>(bytes)) != 0) qFatal("no memory for a board");
  place_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
  if (place_ == MAP_FAILED) qFatal("a board cannot be mapped");
}

BoardMemory::~BoardMemory() { ::munmap(place_, bytes_); }

Process::Process(const QStringList& arguments, const Options& options) {
  // A federate that died meanwhile is noticed by its missing answer.
  static const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  (void)ignored;
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) qFatal("no pipes");
  const UniqueFd childInput(in[0]);
  const UniqueFd childOutput(out[1]);
  input_ = UniqueFd(in[1]);
  output_ = UniqueFd(out[0]);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, childInput.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, childOutput.get(), STDOUT_FILENO);
  if (options.board >= 0) {
    posix_spawn_file_actions_adddup2(&actions, options.board, boardDescriptor);
  }

  QByteArrayList words{TUTTI_BINARY_DIR "/tests/rti_federate"};
  // The program does this to itself: the attributes of posix_spawn cannot.
  if (options.closeInput) words << "--close-input";
  if (options.ignoreChildren) words << "--ignore-children";
  for (const QString& argument : arguments) words << argument.toUtf8();
  std::vector<char*> argv;
  for (QByteArray& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  QByteArrayList variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const QByteArray variable(*one);
    const QByteArray name = variable.left(variable.indexOf('='));
    bool replaced = false;
    for (const QString& change : options.environment) {
      replaced = replaced || change.section('=', 0, 0).toUtf8() == name;
    }
    if (!replaced) variables << variable;
  }
  for (const QString& change : options.environment) {
    if (change.contains('=')) variables << change.toUtf8();
  }
  std::vector<char*> envp;
  for (QByteArray& variable : variables) envp.push_back(variable.data());
  envp.push_back(nullptr);

  sigset_t toDefault;
  sigemptyset(&toDefault);
  sigaddset(&toDefault, SIGPIPE);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &toDefault);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed = ::posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) qFatal("%s cannot be started: %s", argv[0], strerror(failed));
}

Process::~Process() { kill(); }

void Process::say(const QString& line) {
  const QByteArray bytes = line.toUtf8() + '\n';
  [[maybe_unused]] const auto written =
      ::write(input_.get(), bytes.constData(), static_cast<std::size_t>(bytes.size()));
}

std::optional<QString> Process::listen(int limitMilliseconds) {
  QElapsedTimer timer;
  timer.start();
  for (;;) {
    if (const auto end = heard_.indexOf('\n'); end >= 0) {
      const QString line = QString::fromUtf8(heard_.left(end));
      heard_.remove(0, end + 1);
      return line;
    }
    const auto left = patience * limitMilliseconds - timer.elapsed();
    pollfd waiting{output_.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) <= 0) return std::nullopt;
    char buffer[4096];
    const ssize_t count = ::read(output_.get(), buffer, sizeof buffer);
    if (count <= 0) return std::nullopt;
    heard_.append(buffer, count);
  }
}

QString Process::ask(const QString& line, int limitMilliseconds) {
  say(line);
  return listen(limitMilliseconds).value_or("(nothing)");
}

void Process::signal(int number) {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> Process::wait(int limitMilliseconds) {
  waitUntil(
      [&] {
        int status = 0;
        if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
        return status_.has_value();
      },
      limitMilliseconds);
  return status_;
}

void Process::kill() {
  if (status_) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) == pid_ && WIFSTOPPED(status)) {
  }
  status_ = status;
}

char Process::state() const { return stateOf(pid_); }

bool waitUntil(const std::function<bool()>& done, int limitMilliseconds) {
  QElapsedTimer timer;
  timer.start();
  while (!done()) {
    if (timer.elapsed() > patience * limitMilliseconds) return false;
    ::usleep(1000);
  }
  return true;
}

std::optional<tutti::fabric::StatusReply> nodeStatus(const QString& node) {
  auto status = tutti::observe::NodeClient::connect(node.toStdString()).and_then([](auto client) {
    return client.status();
  });
  if (!status) return std::nullopt;
  return std::move(*status);
}

QStringList joinedNames(const QString& node, const QString& federation) {
  QStringList names;
  const auto status = nodeStatus(node);
  if (!status) return names;
  for (const auto& execution : status->federations) {
    if (execution.federation != federation.toStdString()) continue;
    for (const auto& federate : execution.federates) {
      if (federate.state == static_cast<std::uint32_t>(tutti::fabric::FederateState::Joined)) {
        names << QString::fromStdString(federate.name);
      }
    }
  }
  names.sort();
  return names;
}

namespace {

/// Calls `visit(identity, text)` for each memfd of a process. The text is what /proc shows.
void visitMemory(pid_t pid, const std::function<void(const QString&, const QString&)>& visit) {
  const QString folder = QString("/proc/%1").arg(pid);
  const QDir descriptors(folder + "/fd");
  for (const QString& entry :
       descriptors.entryList(QDir::NoDotAndDotDot | QDir::System | QDir::Files | QDir::Hidden)) {
    const QByteArray path = (folder + "/fd/" + entry).toUtf8();
    char target[256] = {};
    if (::readlink(path.constData(), target, sizeof target - 1) <= 0) continue;
    if (!QByteArray(target).startsWith("/memfd:")) continue;
    struct stat information {};
    if (::stat(path.constData(), &information) != 0) continue;
    visit(QString("%1:%2 %3")
              .arg(major(information.st_dev), 2, 16, QChar('0'))
              .arg(minor(information.st_dev), 2, 16, QChar('0'))
              .arg(information.st_ino),
          target);
  }
  QFile maps(folder + "/maps");
  if (!maps.open(QIODevice::ReadOnly)) return;
  static const QRegularExpression line("^\\S+ \\S+ \\S+ (\\S+) (\\d+) +(/memfd:.*)$");
  for (const QByteArray& one : maps.readAll().split('\n')) {
    const auto match = line.match(QString::fromUtf8(one));
    if (match.hasMatch()) visit(match.captured(1) + ' ' + match.captured(2), match.captured(3));
  }
}

}  // namespace

QSet<QString> sharedMemoryOf(pid_t pid) {
  QSet<QString> found;
  visitMemory(pid, [&](const QString& identity, const QString& text) {
    if (text.startsWith("/memfd:tutti-") && !text.contains("board")) found.insert(identity);
  });
  return found;
}

QStringList holdersOf(const QSet<QString>& memory) {
  QStringList holders;
  for (const QString& entry : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    bool isNumber = false;
    const pid_t pid = entry.toInt(&isNumber);
    if (!isNumber) continue;
    QFile name(QString("/proc/%1/comm").arg(pid));
    const QString comm =
        name.open(QIODevice::ReadOnly) ? QString::fromUtf8(name.readAll()).trimmed() : QString("?");
    visitMemory(pid, [&](const QString& identity, const QString& text) {
      if (memory.contains(identity)) {
        holders << QString("%1 %2 %3").arg(pid).arg(comm, text);
      }
    });
  }
  holders.removeDuplicates();
  return holders;
}

qint64 processorTicks(pid_t pid) {
  QFile file(QString("/proc/%1/stat").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QByteArray text = file.readAll();
  const auto words = text.mid(text.lastIndexOf(')') + 2).split(' ');
  return words.value(11).toLongLong() + words.value(12).toLongLong();
}

bool isRunning(pid_t pid) {
  const char state = stateOf(pid);
  return state != 0 && state != 'Z';
}

}  // namespace federates
