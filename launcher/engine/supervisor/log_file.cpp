// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/log_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tutti::launcher {

int LogFile::open(const std::string& path) {
  file_.reset(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!file_) return errno;
  const auto end = ::lseek(file_.get(), 0, SEEK_END);
  start_ = end > 0 ? static_cast<std::uint64_t>(end) : 0;
  return 0;
}

void LogFile::add(std::string_view line) {
  if (!file_ || failed_) return;
  if (!full_ && written_ + first_.size() + line.size() <= head_) {
    first_ += line;
    return;
  }
  full_ = true;
  last_ += line;
  lastDirty_ = true;
  if (last_.size() <= 2 * tail_) return;
  // Whole lines go, so many that half of what may be held is free again.
  const auto end = last_.find('\n', last_.size() - static_cast<std::size_t>(tail_));
  const auto gone = end == std::string::npos ? last_.size() : end + 1;
  leftOutBytes_ += gone;
  leftOutLines_ += static_cast<std::uint64_t>(
      std::count(last_.begin(), last_.begin() + static_cast<std::ptrdiff_t>(gone), '\n'));
  last_.erase(0, gone);
}

std::optional<LogFile::Clock::time_point> LogFile::dueAt() const {
  if (!lastDirty_ || failed_) return std::nullopt;
  return lastRewritten_ + rewriteEvery;
}

int LogFile::write(Clock::time_point now) {
  if (const int error = writeFirst(); error != 0) return error;
  if (!lastDirty_ || now < lastRewritten_ + rewriteEvery) return 0;
  lastRewritten_ = now;
  return rewriteLast();
}

int LogFile::flush() {
  if (const int error = writeFirst(); error != 0) return error;
  return lastDirty_ ? rewriteLast() : 0;
}

int LogFile::writeFirst() {
  if (failed_) return 0;
  std::string_view rest = first_;
  while (!rest.empty()) {
    const auto done = ::write(file_.get(), rest.data(), rest.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail(errno);
    written_ += static_cast<std::uint64_t>(done);
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  first_.clear();
  return 0;
}

int LogFile::rewriteLast() {
  if (failed_) return 0;
  lastDirty_ = false;
  std::string text;
  if (leftOutLines_ > 0) {
    text = "... " + std::to_string(leftOutLines_) + " lines, " +
           std::to_string((leftOutBytes_ + 1023) / 1024) +
           " KiB, are left out here: a log keeps the first and the last lines\n";
  }
  text += last_;
  std::uint64_t at = start_ + written_;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto done = ::pwrite(file_.get(), rest.data(), rest.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return fail(errno);
    at += static_cast<std::uint64_t>(done);
    rest.remove_prefix(static_cast<std::size_t>(done));
  }
  // What was there before may have been longer.
  return ::ftruncate(file_.get(), static_cast<off_t>(at)) == 0 ? 0 : fail(errno);
}

int LogFile::fail(int error) {
  failed_ = true;
  first_.clear();
  last_.clear();
  lastDirty_ = false;
  return error;
}

}  // namespace tutti::launcher
