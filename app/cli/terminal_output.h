// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIODevice>
#include <cstdio>
#include <string>
#include <string_view>

#include "fabric/printable.h"

namespace tutti::app {

/// Standard output or error of a verb. Names, object models and what federates print come from
/// elsewhere: nothing of them steers the terminal. Whoever means to (a table that is redrawn)
/// writes to the terminal itself.
class TerminalOutput : public QIODevice {
 public:
  explicit TerminalOutput(std::FILE* file) : file_(file) { open(WriteOnly | Unbuffered); }

 protected:
  qint64 readData(char*, qint64) override { return -1; }
  qint64 writeData(const char* text, qint64 bytes) override {
    const std::string safe = fabric::printable(
        std::string_view(text, static_cast<std::size_t>(bytes)), fabric::Lines::Kept);
    const bool done =
        std::fwrite(safe.data(), 1, safe.size(), file_) == safe.size() && std::fflush(file_) == 0;
    return done ? bytes : -1;
  }

 private:
  std::FILE* file_;
};

}  // namespace tutti::app
