// SPDX-License-Identifier: Apache-2.0
#include "fabric/waiter.h"

#include <sched.h>

#include <algorithm>
#include <bit>

#include "fabric/futex.h"

namespace tutti::fabric {
namespace {

constexpr unsigned pollsPerYield = 16;
/// A yield that takes longer went to others who have work of their own.
constexpr std::chrono::milliseconds longestYield{1};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

bool Waiter::takeSpinPermit() {
  const std::uint32_t word = connection_ / 64;
  if (word >= SpinPage::spinWords) return false;
  const std::uint64_t own = std::uint64_t{1} << (connection_ % 64);
  // Somebody else may have set it: then no one else would ever take it back.
  if ((spin_->spinning[word].load(std::memory_order_relaxed) & own) != 0) returnSpinPermit();
  std::uint32_t spinning = 0;
  for (const auto& bits : spin_->spinning) {
    spinning += static_cast<std::uint32_t>(std::popcount(bits.load(std::memory_order_relaxed)));
  }
  if (spinning + 1 >= std::max<std::uint32_t>(page_->processors, 1)) return false;
  spin_->spinning[word].fetch_or(own, std::memory_order_relaxed);
  return true;
}

void Waiter::returnSpinPermit() {
  spin_->spinning[connection_ / 64].fetch_and(~(std::uint64_t{1} << (connection_ % 64)),
                                              std::memory_order_relaxed);
}

bool Waiter::rest(unsigned poll) {
  if (poll % pollsPerYield != pollsPerYield - 1) {
    pause();
    return true;
  }
  const auto before = std::chrono::steady_clock::now();
  sched_yield();
  return std::chrono::steady_clock::now() - before < longestYield;
}

bool Waiter::shouldYield() { return ++glances_ % pollsPerYield == 0; }

void Waiter::sleep(std::uint32_t doorbell, LogNumber applied,
                   std::chrono::steady_clock::time_point deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (now >= deadline) return;
  const auto limit = std::min<std::chrono::steady_clock::duration>(deadline - now, longestSleep_);

  // Whoever brings news stores it first and looks at `sleeping` after: one of us sees the other.
  block_->sleeping.store(1, std::memory_order_seq_cst);
  if (!hasNews(doorbell, applied)) {
    futexWait(block_->doorbell, doorbell,
              std::chrono::duration_cast<std::chrono::microseconds>(limit));
  }
  block_->sleeping.store(0, std::memory_order_relaxed);
  quiet_ = !hasNews(doorbell, applied);
}

}  // namespace tutti::fabric
