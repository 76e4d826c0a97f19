// SPDX-License-Identifier: Apache-2.0
#include "pipes/session_listener.h"

#include <sys/epoll.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace tutti::pipes {

using fabric::Bytes;

namespace {

/// A connection ends with the session, or when the session has another.
constexpr std::chrono::hours untilTheSessionEnds{1};

void watch(int events, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  ::epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event);
}

}  // namespace

SessionListener::SessionListener(std::chrono::milliseconds grace, MemoryAccount* memory,
                                 std::chrono::milliseconds longestWait)
    : events_(::epoll_create1(EPOLL_CLOEXEC)),
      grace_(grace),
      longestWait_(longestWait),
      memory_(memory) {}

SessionListener::SessionListener(TcpListener listener, std::chrono::milliseconds grace,
                                 MemoryAccount* memory, std::chrono::milliseconds longestWait)
    : SessionListener(grace, memory, longestWait) {
  listener_ = std::move(listener);
  watch(events_.get(), listener_->descriptor());
}

void SessionListener::unwatch(const Pipe& pipe) {
  ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, pipe.descriptor(), nullptr);
}

void SessionListener::take(std::unique_ptr<Pipe> pipe, Clock::time_point now) {
  if (waiting_.size() >= mostWaiting) return;  // it is closed, and may try again
  pipe->limitMessages(longestHello);
  if (!pipe->flush()) return;
  watch(events_.get(), pipe->descriptor());
  waiting_.push_back({std::move(pipe), now});
}

std::unique_ptr<SessionPipe> SessionListener::accept(const Greeting& own, Clock::time_point now) {
  while (listener_) {
    auto pipe = listener_->accept(own);
    if (!pipe) break;
    pipe->setPatience(untilTheSessionEnds);
    take(std::move(pipe), now);
  }
  std::erase_if(waiting_, [&](Waiting& one) { return !serve(one, now); });
  if (begun_.empty()) return nullptr;
  auto session = std::move(begun_.front());
  begun_.pop_front();
  return session;
}

bool SessionListener::serve(Waiting& waiting, Clock::time_point now) {
  std::optional<SessionHello> hello;
  std::vector<Bytes> behind;
  bool readable = true;
  const auto received = waiting.pipe->receive([&](auto message) {
    if (hello) {
      behind.emplace_back(message.begin(), message.end());
      return;
    }
    readable = fabric::fromWire(message, hello.emplace());
    waiting.pipe->limitMessages(Pipe::largestMessage);
  });
  if (!received || !readable || !waiting.pipe->flush()) return false;
  return !hello || begin(waiting, *hello, behind, now);
}

bool SessionListener::begin(Waiting& waiting, const SessionHello& hello,
                            std::vector<Bytes>& behind, Clock::time_point now) {
  const auto found = sessions_->find(hello.session);
  if (found != sessions_->end() && hello.secret.matches(found->second->secret())) {
    unwatch(*waiting.pipe);
    found->second->attach(std::move(waiting.pipe), hello);
    (void)found->second->takeEarly(behind);
    return false;
  }
  if (found == sessions_->end() && !hello.known) {
    unwatch(*waiting.pipe);
    auto session =
        std::make_unique<SessionPipe>(std::move(waiting.pipe), hello, grace_, longestWait_, now);
    session->payFrom(memory_);
    if (!session->takeEarly(behind)) return false;
    (*sessions_)[hello.session] = session.get();
    session->onEnd([sessions = sessions_, number = hello.session] { sessions->erase(number); });
    begun_.push_back(std::move(session));
    return false;
  }
  waiting.pipe->send(fabric::toWire(SessionAnswer{}));
  (void)waiting.pipe->flush();
  return false;
}

bool SessionListener::turnAwayWaiting(const std::string& why) {
  const bool any = !waiting_.empty();
  waiting_.clear();
  return (listener_ && listener_->turnAwayWaiting(why)) || any;
}

void SessionListener::tick(Clock::time_point now) {
  std::erase_if(waiting_, [&](const Waiting& one) { return now - one.since > helloPatience; });
}

}  // namespace tutti::pipes
