// SPDX-License-Identifier: GPL-3.0-or-later
// How long a window does not answer, seen from a thread of its own: it asks the GUI thread
// for an answer every few milliseconds. Knows nothing of the window's heartbeat.
#pragma once

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QFile>
#include <QThread>
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

namespace tutti::test {

class EventLoopProbe {
 public:
  using Clock = std::chrono::steady_clock;

  /// One question that was answered late or not, in milliseconds.
  struct Gap {
    double all = 0;  ///< from the question to the answer
    double own = 0;  ///< without the time the thread was ready to run and had no processor
  };

  struct Report {
    std::string phase;
    std::vector<Gap> gaps;

    double percentile(double share, double Gap::*part) const {
      if (gaps.empty()) return 0;
      std::vector<double> sorted;
      for (const Gap& gap : gaps) sorted.push_back(gap.*part);
      std::sort(sorted.begin(), sorted.end());
      return sorted[std::min(sorted.size() - 1,
                             static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
    }
    double largest(double Gap::*part) const { return percentile(1, part); }
    int over(double limit, double Gap::*part) const {
      return static_cast<int>(std::count_if(gaps.begin(), gaps.end(),
                                            [&](const Gap& gap) { return gap.*part > limit; }));
    }
  };

  /// `traceAbove`: where the GUI thread is after so many milliseconds is written to standard error
  /// (for whoever looks for the cause); 0: never.
  explicit EventLoopProbe(double traceAbove = 0)
      : traceAbove_(traceAbove),
        gui_(::pthread_self()),
        schedule_(QStringLiteral("/proc/self/task/%1/schedstat").arg(::syscall(SYS_gettid))) {
    if (traceAbove_ > 0) {
      std::array<void*, 1> warmUp{};
      ::backtrace(warmUp.data(), 1);
      ::signal(SIGUSR2, [](int) {
        std::array<void*, 64> frames{};
        const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
        ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, "--\n", 3);
      });
    }
    begin("start");
    thread_ = QThread::create([this] { run(); });
    thread_->start();
  }
  ~EventLoopProbe() {
    stop_ = true;
    // The thread may wait for an answer of this one.
    while (!thread_->wait(1)) QCoreApplication::processEvents();
    delete thread_;
  }

  /// What follows is reported under this name.
  void begin(const std::string& phase) {
    if (traceAbove_ > 0) qInfo("while: %s", phase.c_str());
    const std::lock_guard lock(mutex_);
    reports_.push_back({phase, {}});
  }
  std::vector<Report> reports() const {
    const std::lock_guard lock(mutex_);
    return reports_;
  }

 private:
  /// Nanoseconds that the GUI thread was ready and waited for a processor.
  double waitedNanoseconds() const {
    QFile file(schedule_);
    if (!file.open(QIODevice::ReadOnly)) return 0;
    return file.readAll().split(' ').value(1).toDouble();
  }

  void run() {
    std::binary_semaphore answered{0};
    while (!stop_) {
      const double waitedBefore = waitedNanoseconds();
      const auto asked = Clock::now();
      QMetaObject::invokeMethod(
          QCoreApplication::instance(), [&answered] { answered.release(); }, Qt::QueuedConnection);
      bool traced = traceAbove_ <= 0;
      while (!answered.try_acquire_for(std::chrono::milliseconds(1))) {
        const std::chrono::duration<double, std::milli> late = Clock::now() - asked;
        if (traced || late.count() < traceAbove_) continue;
        traced = true;
        ::pthread_kill(gui_, SIGUSR2);
      }
      const std::chrono::duration<double, std::milli> all = Clock::now() - asked;
      const double waited = (waitedNanoseconds() - waitedBefore) / 1e6;
      {
        const std::lock_guard lock(mutex_);
        reports_.back().gaps.push_back({all.count(), std::max(0.0, all.count() - waited)});
      }
      QThread::msleep(4);
    }
  }

  double traceAbove_;
  pthread_t gui_;
  QString schedule_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  ///< guards reports_
  std::vector<Report> reports_;
  QThread* thread_ = nullptr;
};

}  // namespace tutti::test
