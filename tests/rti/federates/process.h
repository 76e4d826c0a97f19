// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <QSet>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <new>
#include <optional>

#include "fabric/endpoint.h"
#include "fabric/protocol.h"
#include "federates/board.h"

/// The test's side of its federate processes.
namespace federates {

/// Memory for a board, with a descriptor to hand on.
class BoardMemory {
 public:
  explicit BoardMemory(std::size_t bytes);
  ~BoardMemory();
  BoardMemory(const BoardMemory&) = delete;
  BoardMemory& operator=(const BoardMemory&) = delete;
  void* place() const { return place_; }
  int descriptor() const { return memory_.get(); }

 private:
  tutti::fabric::UniqueFd memory_;
  std::size_t bytes_;
  void* place_ = nullptr;
};

template <class Content>
class OwnBoardOf {
 public:
  OwnBoardOf() : board_(new (memory_.place()) Content{}) {}
  Content* operator->() const { return board_; }
  Content& operator*() const { return *board_; }
  int descriptor() const { return memory_.descriptor(); }

 private:
  BoardMemory memory_{sizeof(Content)};
  Content* board_;
};
using OwnBoard = OwnBoardOf<Board>;

/// A federate process (`rti_federate ROLE ...`), killed with this object at the latest, and by the
/// kernel when the thread that started it ends.
class Process {
 public:
  struct Options {
    int board = -1;               ///< descriptor of a board
    bool closeInput = false;      ///< start with standard input closed
    bool ignoreChildren = false;  ///< start with SIGCHLD ignored
    QStringList environment;      ///< NAME=value to add, NAME to take away
  };
  explicit Process(const QStringList& arguments) : Process(arguments, Options{}) {}
  Process(const QStringList& arguments, const Options& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void say(const QString& line);
  /// The next line it says; nothing when it ended or the limit passed.
  std::optional<QString> listen(int limitMilliseconds = 30000);
  /// Says `line` and returns the answer; "(nothing)" when there is none.
  QString ask(const QString& line, int limitMilliseconds = 60000);
  void signal(int number);
  /// Waits for its end. The status as of waitpid; nothing when the limit passed.
  std::optional<int> wait(int limitMilliseconds = 10000);
  /// SIGKILL, and waits until it is dead.
  void kill();
  bool ended() const { return status_.has_value(); }
  /// For a tracer: it was waited for elsewhere.
  void noteEnd(int status) { status_ = status; }
  /// The state letter of /proc/PID/stat: R, S, T (stopped) ...; 0 when there is no such process.
  char state() const;

 private:
  pid_t pid_ = -1;
  tutti::fabric::UniqueFd input_;
  tutti::fabric::UniqueFd output_;
  QByteArray heard_;
  std::optional<int> status_;
};

/// Waits until `done`, asking every millisecond; false when the limit passed.
bool waitUntil(const std::function<bool()>& done, int limitMilliseconds = 10000);

/// What a node says; nothing when it cannot be reached. Asking counts as one request.
std::optional<tutti::fabric::StatusReply> nodeStatus(const QString& node);
/// Names of those that are joined to the federation execution, by the node.
QStringList joinedNames(const QString& node, const QString& federation);

/// The identities (device and inode) of the memfds that a process has open or mapped.
QSet<QString> sharedMemoryOf(pid_t pid);
/// Processes of this user that still map or hold one of these, as "PID name memory".
QStringList holdersOf(const QSet<QString>& memory);
bool isRunning(pid_t pid);
/// Processor time of a process, in clock ticks (sysconf(_SC_CLK_TCK)); 0 when there is none.
qint64 processorTicks(pid_t pid);

}  // namespace federates
