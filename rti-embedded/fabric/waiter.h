// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "fabric/layout.h"

namespace tutti::fabric {

/// The end of a ring that its receiver watches: news when `tail` is not `position`.
struct WatchedTail {
  const std::atomic<std::uint64_t>* tail = nullptr;  ///< null: no ring is watched
  std::uint64_t position = 0;

  bool hasNews() const {
    return tail != nullptr && tail->load(std::memory_order_acquire) != position;
  }
};

/// Waits for news of one federate: a ready ring, its doorbell, or the log.
///
/// No wake is lost between a waiter W and whoever brings news, N:
///
///   1. W stores 1 to `sleeping`.            3. N stores its news: a ready bit, or the log's tail.
///   2. W looks for news; none: it sleeps.   4. N loads `sleeping`; 1: it changes `doorbell` and wakes.
///
/// All four are sequentially consistent, so they have one order. If N's load (4) came before W's
/// store (1) and saw 0, then the news (3) came before W's look (2), which finds it. Otherwise N sees
/// 1. W may not be in the kernel yet then; there it is turned back, as `doorbell` is not what W took
/// before it looked. With acquire loads in step 2 a processor may look before the others can see
/// step 1, and both sides miss each other. On x86 these loads are plain moves all the same, and the
/// fence between 3 and 4 is the locked instruction by which N sets the bit or changes the doorbell.
///
/// It polls, yields the processor every 16th time, and sleeps on the doorbell when nothing came. At
/// most `processors - 1` waiters of a host poll at a time, by their bits in the spin page; the
/// others go to sleep after a short try. Two pollers on one core would cost a scheduler slice
/// (8 ms) a turn; a wake across cores costs 60 to 100 us. One thread at a time.
class Waiter {
 public:
  Waiter() = default;
  /// `longestSleep` bounds a sleep whose waker was killed before it could wake.
  Waiter(const HostPage* page, SpinPage* spin, std::uint32_t connection, FederateBlock* block,
         const ArenaHeader* arena, std::chrono::microseconds longestSleep = std::chrono::milliseconds(100))
      : page_(page),
        spin_(spin),
        connection_(connection),
        block_(block),
        arena_(arena),
        longestSleep_(longestSleep) {}

  /// The doorbell's value; take it before looking for news, give it to wait() when there was none.
  std::uint32_t doorbell() const { return block_->doorbell.load(std::memory_order_acquire); }

  bool hasNews(std::uint32_t doorbell, LogNumber applied) const {
    return block_->readySummary.load(std::memory_order_seq_cst) != 0 ||
           block_->doorbell.load(std::memory_order_seq_cst) != doorbell ||
           arena_->logTail.load(std::memory_order_seq_cst) != applied;
  }

  /// For a caller that polls by itself and found nothing: true every 16th time, when it should give
  /// the processor away, so that whoever it waits for can run on the same core.
  bool shouldYield();

  /// Polls for a while, also for whatever else `moreNews` looks at; not at all when the last sleep
  /// ended without news. True: news.
  template <class MoreNews>
  bool poll(std::uint32_t doorbell, LogNumber applied, MoreNews&& moreNews) {
    if (quiet_) return false;
    bool permit = false;
    bool news = false;
    for (unsigned i = 0; i < (permit ? pollsWithPermit : pollsWithout); ++i) {
      news = moreNews() || hasNews(doorbell, applied);
      if (news) break;
      if (!permit && i >= pollsBeforePermit && i % pollsBeforePermit == 0)
        permit = takeSpinPermit();
      if (!rest(i)) break;
    }
    if (permit) returnSpinPermit();
    return news;
  }

  /// Returns at news, at the deadline, or after the longest sleep, whichever is first. No ring may be watched.
  void sleep(std::uint32_t doorbell, LogNumber applied,
             std::chrono::steady_clock::time_point deadline);

 private:
  static constexpr unsigned pollsWithPermit = 2000;
  static constexpr unsigned pollsWithout = 256;
  static constexpr unsigned pollsBeforePermit = 32;

  /// False: the machine is busy. Who sleeps is woken before those who keep it so; who yields waits
  /// for all of them, each time.
  static bool rest(unsigned poll);
  bool takeSpinPermit();
  void returnSpinPermit();

  const HostPage* page_ = nullptr;
  SpinPage* spin_ = nullptr;
  std::uint32_t connection_ = 0;
  FederateBlock* block_ = nullptr;
  const ArenaHeader* arena_ = nullptr;
  std::chrono::microseconds longestSleep_{};
  unsigned glances_ = 0;
  bool quiet_ = false;  ///< the last wait ended without news: do not poll again
};

}  // namespace tutti::fabric
