// SPDX-License-Identifier: Apache-2.0
#include "fabric/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "fabric/layout.h"

namespace tutti::fabric {

namespace {

// The kernel reads the word itself: it must be nothing but the number.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

std::uint32_t* address(std::atomic<std::uint32_t>& word) {
  return reinterpret_cast<std::uint32_t*>(&word);
}

}  // namespace

void futexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
               std::chrono::microseconds limit) {
  if (limit.count() <= 0) return;
  timespec time{};
  time.tv_sec = static_cast<std::time_t>(limit.count() / 1'000'000);
  time.tv_nsec = static_cast<long>(limit.count() % 1'000'000) * 1000;
  ::syscall(SYS_futex, address(word), FUTEX_WAIT, expected, &time, nullptr, 0);
}

void futexWake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, address(word), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void ringDoorbell(FederateBlock& block) {
  block.doorbell.fetch_add(1, std::memory_order_seq_cst);
  wakeIfSleeping(block);
}

void wakeIfSleeping(FederateBlock& block) {
  if (block.sleeping.load(std::memory_order_seq_cst) == 0) return;
  if (block.sleeping.exchange(0, std::memory_order_seq_cst) == 0) return;
  // The sleeper may still be on its way into the kernel: the changed word turns it back.
  block.doorbell.fetch_add(1, std::memory_order_seq_cst);
  futexWake(block.doorbell);
}

}  // namespace tutti::fabric
