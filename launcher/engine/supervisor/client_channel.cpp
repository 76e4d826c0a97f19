// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/supervisor/client_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tutti::launcher {

namespace {

constexpr std::size_t chunk = 64 * 1024;

}  // namespace

void ClientChannel::close() {
  inOpen_ = outOpen_ = false;
  socket_.reset();
}

ClientChannel::Input ClientChannel::read(std::size_t longest,
                                         const std::function<void(std::string_view)>& take) {
  char buffer[chunk];
  const auto got = ::read(in_, buffer, sizeof buffer);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Input::Open;
  if (got <= 0) {
    inOpen_ = false;
    return Input::Ended;
  }
  std::size_t searchFrom = input_.size();
  input_.append(buffer, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  while (inOpen_) {
    const auto end = input_.find('\n', std::max(begin, searchFrom));
    if (end == std::string::npos) break;
    take(std::string_view(input_).substr(begin, end - begin));
    begin = end + 1;
  }
  input_.erase(0, begin);
  return input_.size() > longest ? Input::TooLong : Input::Open;
}

void ClientChannel::follow(std::uint64_t from, std::uint64_t stateAt, std::string state,
                           bool output) {
  follows_ = attached_ = true;
  next_ = from;
  stateAt_ = stateAt;
  state_ = std::move(state);
  wantsOutput_ = output;
}

bool ClientChannel::fill(const EventHistory& history) {
  buffer_.clear();
  sent_ = 0;
  buffer_.swap(told_);
  if (!buffer_.empty() || !follows_ || isOvertaken(history)) return !buffer_.empty();
  while (buffer_.size() < chunk) {
    if (next_ >= stateAt_ && !state_.empty()) buffer_ += std::exchange(state_, {});
    if (next_ >= history.next()) break;
    const auto& event = history.at(next_);
    const bool wanted = event.isOutput ? wantsOutput_ : next_ >= stateAt_;
    if (wanted) buffer_ += event.text;
    ++next_;
  }
  return !buffer_.empty();
}

bool ClientChannel::flush(const EventHistory& history) {
  while (outOpen_ && (sent_ < buffer_.size() || fill(history))) {
    // A pipe that polls writable takes this much without blocking, whatever its flags are.
    constexpr std::size_t atOnce = 4096;
    pollfd writable{out_, POLLOUT, 0};
    if (::poll(&writable, 1, 0) <= 0 || (writable.revents & POLLOUT) == 0) return true;
    const auto length = std::min(atOnce, buffer_.size() - sent_);
    const auto sent = ::write(out_, buffer_.data() + sent_, length);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return true;
    if (sent < 0) return false;
    sent_ += static_cast<std::size_t>(sent);
  }
  if (closing_ && !hasMore(history)) close();
  return true;
}

bool ClientChannel::hasMore(const EventHistory& history) const {
  return sent_ < buffer_.size() || !told_.empty() || !state_.empty() ||
         (follows_ && next_ < history.next() && !isOvertaken(history));
}

std::size_t ClientChannel::unread(const EventHistory& history) const {
  return buffer_.size() - sent_ + told_.size() + state_.size() +
         (follows_ ? history.bytesFrom(next_) : 0);
}

}  // namespace tutti::launcher
