// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tutti::fabric {

/// Sleeps while `word` is `expected`, at most `limit`; may wake early. Shared between processes:
/// the kernel finds the word by its page, not by its address in one process.
void futexWait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
               std::chrono::microseconds limit);

/// Wakes everyone who sleeps on `word`.
void futexWake(std::atomic<std::uint32_t>& word);

struct FederateBlock;

/// Tells a federate that something outside its rings has changed (log, time slots): adds 1 to its
/// doorbell and wakes it if it sleeps.
void ringDoorbell(FederateBlock& block);

/// Wakes a federate that sleeps; after a ready bit was set.
void wakeIfSleeping(FederateBlock& block);

}  // namespace tutti::fabric
