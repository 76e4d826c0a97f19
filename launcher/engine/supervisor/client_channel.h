// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "launcher/engine/supervisor/event_history.h"
#include "launcher/engine/supervisor/spawn.h"

namespace tutti::launcher {

/// A client of a supervisor: the lines it sends, and what it is told. It reads the supervisor's
/// history at its own pace, so that a slow client costs nothing but its own place in it; what is
/// meant for it alone goes ahead of that, between two events.
///
/// Nothing here blocks.
class ClientChannel {
 public:
  /// The process that started the supervisor, at its standard input and output.
  ClientChannel(int in, int out) : in_(in), out_(out), follows_(true), attached_(true) {}
  /// One that has connected to the supervisor's socket; `process` has done so.
  ClientChannel(Descriptor socket, pid_t process)
      : socket_(std::move(socket)), in_(socket_.get()), out_(socket_.get()), process_(process) {}

  /// For poll(): -1 when it is closed.
  int in() const { return inOpen_ ? in_ : -1; }
  int out() const { return outOpen_ ? out_ : -1; }
  /// Process number of a client of the socket; 0 of the one that started the supervisor.
  pid_t process() const { return process_; }
  bool inOpen() const { return inOpen_; }
  bool outOpen() const { return outOpen_; }
  /// It has been told the state, or is about to be.
  bool isAttached() const { return attached_; }
  void closeInput() { inOpen_ = false; }
  /// It is told no more, and its descriptors are closed if they are its own.
  void close();
  /// It is told what is left for it, and then no more.
  void closeWhenTold() { closing_ = true; }

  enum class Input { Open, Ended, TooLong };
  /// Reads what is there and passes on each line without its newline, as long as the channel is
  /// open. `longest`: bytes of a line.
  Input read(std::size_t longest, const std::function<void(std::string_view)>& take);

  /// Lines for this client alone, each with its newline.
  void tell(const std::string& lines) { told_ += lines; }
  /// From now on it is told the history from event `from` on; before event `stateAt` only what
  /// processes wrote, then `state`, then everything; without `output` nothing of what they wrote.
  void follow(std::uint64_t from, std::uint64_t stateAt, std::string state, bool output);

  /// Writes what can be written now. False when nobody reads there any more.
  bool flush(const EventHistory& history);
  bool hasMore(const EventHistory& history) const;
  /// It has asked for figures of the host and its processes, and has not taken that back.
  bool wantsSamples() const { return wantsSamples_; }
  void wantSamples(bool on) { wantsSamples_ = on; }
  /// Bytes that it has not read.
  std::size_t unread(const EventHistory& history) const;
  /// Likewise, of what is meant for it alone.
  std::size_t unreadOfItsOwn() const { return told_.size(); }
  /// Events that it has not read are kept no longer.
  bool isOvertaken(const EventHistory& history) const {
    return follows_ && next_ < history.first();
  }

 private:
  /// Makes the next bytes ready to be written; false when there are none.
  bool fill(const EventHistory& history);

  Descriptor socket_;
  int in_;
  int out_;
  pid_t process_ = 0;
  bool inOpen_ = true;
  bool outOpen_ = true;
  bool closing_ = false;
  std::string input_;   ///< The beginning of a line whose end has not come.
  std::string told_;    ///< Goes ahead of the history.
  std::string buffer_;  ///< Whole lines on their way.
  std::size_t sent_ = 0;
  bool follows_ = false;
  bool attached_ = false;
  bool wantsOutput_ = true;
  bool wantsSamples_ = false;
  std::uint64_t next_ = 1;  ///< Event that it is told next.
  std::uint64_t stateAt_ = 0;
  std::string state_;
};

}  // namespace tutti::launcher
