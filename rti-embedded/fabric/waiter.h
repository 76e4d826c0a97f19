// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "fabric/layout.h"

namespace tutti::fabric {

/// Waits for news of one federate: a ready ring, its doorbell, or the log.
///
/// It polls, yields the processor every 16th time, and sleeps on the doorbell when nothing came. At
/// most `processors - 1` waiters of a host poll at a time, by their bits in the host page; the
/// others go to sleep after a short try. Two pollers on one core would cost a scheduler slice
/// (8 ms) a turn; a wake across cores costs 60 to 100 us. One thread at a time.
class Waiter {
 public:
  Waiter() = default;
  Waiter(HostPage* page, std::uint32_t connection, FederateBlock* block, const ArenaHeader* arena)
      : page_(page), connection_(connection), block_(block), arena_(arena) {}

  /// The doorbell's value; take it before looking for news, give it to wait() when there was none.
  std::uint32_t doorbell() const { return block_->doorbell.load(std::memory_order_acquire); }

  bool hasNews(std::uint32_t doorbell, LogNumber applied) const {
    return block_->readySummary.load(std::memory_order_acquire) != 0 ||
           block_->doorbell.load(std::memory_order_acquire) != doorbell ||
           arena_->logTail.load(std::memory_order_acquire) != applied;
  }

  /// For a caller that polls by itself and found nothing: gives the processor away every 16th time,
  /// so that whoever it waits for can run on the same core.
  void glance();

  /// Returns at news, at the deadline, or after 100 ms, whichever is first. True: news.
  bool wait(std::uint32_t doorbell, LogNumber applied,
            std::chrono::steady_clock::time_point deadline);

 private:
  bool poll(std::uint32_t doorbell, LogNumber applied);
  bool takeSpinPermit();
  void returnSpinPermit();

  HostPage* page_ = nullptr;
  std::uint32_t connection_ = 0;
  FederateBlock* block_ = nullptr;
  const ArenaHeader* arena_ = nullptr;
  unsigned glances_ = 0;
  bool quiet_ = false;  ///< the last wait ended without news: do not poll again
};

}  // namespace tutti::fabric
