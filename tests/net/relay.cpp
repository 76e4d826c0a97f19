// SPDX-License-Identifier: GPL-3.0-or-later
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <deque>
#include <random>
#include <thread>
#include <utility>

#include "network.h"

namespace tutti::test {

using Clock = std::chrono::steady_clock;
using fabric::UniqueFd;

class Relay::Worker {
 public:
  Worker(std::vector<Ends> cables, Cable cable, unsigned seed)
      : cables_(std::move(cables)),
        cable_(cable),
        random_(seed),
        timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)),
        stop_(::eventfd(0, EFD_CLOEXEC)),
        thread_([this] { run(); }) {}
  ~Worker() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }
  Counts counts() const { return {passed_.load(), dropped_.load()}; }

 private:
  struct Frame {
    Clock::time_point due;
    int to;
    std::vector<char> bytes;
  };

  void run() {
    std::vector<pollfd> polls{{stop_.get(), POLLIN, 0}, {timer_.get(), POLLIN, 0}};
    for (const Ends& one : cables_) {
      polls.push_back({one.host.get(), POLLIN, 0});
      polls.push_back({one.bridge.get(), POLLIN, 0});
    }
    for (;;) {
      setTimer();
      if (::poll(polls.data(), polls.size(), -1) < 0) continue;
      if (polls[0].revents != 0) return;
      std::uint64_t expirations = 0;
      [[maybe_unused]] const auto read = ::read(timer_.get(), &expirations, sizeof expirations);
      for (const Ends& one : cables_) {
        take(one.host.get(), one.bridge.get());
        take(one.bridge.get(), one.host.get());
      }
      passOn();
    }
  }

  void take(int from, int to) {
    constexpr int mostInARow = 64;
    for (int i = 0; i < mostInARow; ++i) {
      const ssize_t count = ::read(from, buffer_.data(), buffer_.size());
      if (count <= 0) return;
      if (std::uniform_int_distribution<int>(0, 999)(random_) < cable_.lossPermille) {
        ++dropped_;
        continue;
      }
      // The same delay for all: they are due in this order.
      underWay_.push_back(
          {Clock::now() + cable_.delay, to, {buffer_.data(), buffer_.data() + count}});
    }
  }

  void passOn() {
    while (!underWay_.empty() && underWay_.front().due <= Clock::now()) {
      const Frame& frame = underWay_.front();
      // A device that is down takes none: the cable is cut.
      if (::write(frame.to, frame.bytes.data(), frame.bytes.size()) > 0) ++passed_;
      underWay_.pop_front();
    }
  }

  void setTimer() {
    itimerspec when{};
    if (!underWay_.empty()) {
      const auto due = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           underWay_.front().due.time_since_epoch())
                           .count();
      when.it_value.tv_sec = due / 1'000'000'000;
      when.it_value.tv_nsec = due % 1'000'000'000;
    }
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  }

  std::vector<Ends> cables_;
  Cable cable_;
  std::mt19937 random_;
  UniqueFd timer_;
  UniqueFd stop_;
  std::array<char, 70'000> buffer_{};
  std::deque<Frame> underWay_;
  std::atomic<std::uint64_t> passed_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::thread thread_;
};

Relay::Relay(std::vector<Ends> cables, Cable cable, unsigned seed)
    : worker_(std::make_unique<Worker>(std::move(cables), cable, seed)) {}
Relay::~Relay() = default;
Relay::Counts Relay::counts() const { return worker_->counts(); }

}  // namespace tutti::test
