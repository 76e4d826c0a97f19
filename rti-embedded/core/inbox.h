// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/callbacks.h"
#include "core/recycler.h"
#include "fabric/mapping.h"
#include "fabric/ring.h"
#include "fabric/waiter.h"

namespace tutti::core {

/// Takes records out of the rings of one federate.
///
/// Mostly one thread reads. A federate of the same process that finds its ring to us full may empty
/// it into the ring's private queue from its own thread (see LocalFederates), and so may we while
/// we wait for room ourselves: what lies in that queue is read before what lies in the ring.
class Inbox {
 public:
  struct Source;

  Inbox();
  ~Inbox();
  void open(const fabric::Arena& arena, fabric::FederateBlock& block);
  void close();

  /// Copies the next record into `record` (head first; the payload of a chunk included). False when
  /// there is none.
  bool next(std::vector<std::byte>& record, FederateNumber& sender, Source*& source);

  /// The same, but leaves the body of a record with a chunk where it is: `record` then is its head
  /// and a ChunkReference. The chunk stays as it is until release(), which has to come before the
  /// next record.
  bool nextInPlace(std::vector<std::byte>& record, FederateNumber& sender, Source*& source);
  /// Whether `record` is one whose body stands in a chunk.
  static bool isReference(std::span<const std::byte> record);
  /// The body of a record, in its chunk or behind its head; empty when the chunk cannot be.
  std::span<const std::byte> bodyOf(std::span<const std::byte> record) const;
  /// Makes a record with a chunk whole; the chunk is no longer needed for it.
  void makeWhole(std::vector<std::byte>& record) const;
  /// The chunk of the last record from nextInPlace() is read no longer.
  void release();
  /// That chunk becomes memory of this process alone, at the same place, until the arena is
  /// unmapped: the senders may use theirs again.
  void keepChunk();

  /// Counts a timestamp-order message of `source` as taken; after the time slot tells of it.
  void countTaken(Source* source);

  /// Moves all that has arrived into private queues, so that the senders find room.
  void makeRoom();

  /// For a sender of this process: empties its ring here. False: it has none here yet.
  bool emptyRingOf(FederateNumber sender);
  /// For a sender of this process: empties its ring and puts `record` behind.
  void append(FederateNumber sender, fabric::RingWriter& ring, std::span<const std::byte> record,
              bool timestamped);

  /// True when something has arrived that no ready bit tells of.
  bool hasNews() const {
    return hasPending_.load(std::memory_order_acquire) || watched().hasNews();
  }

  /// The ring that a federate reads again and again is watched: its sender need not set ready bits,
  /// which cost both of them several cache misses a message.
  fabric::WatchedTail watched() const {
    return {watchedTail_.load(std::memory_order_acquire),
            watchedPosition_.load(std::memory_order_acquire)};
  }
  /// Before the federate sleeps, when no ring may be watched, until wakeUp(). False: something has
  /// arrived just now.
  bool prepareSleep();
  void wakeUp();
  /// A sender has left; its rings are freed when the log is said to be applied.
  void forget(FederateNumber sender);

  /// What was found, while reading, to be no ring or no record: nothing more is read there. Else empty.
  std::string damage() const;
  /// The same, and of each ring looks whether somebody else has written how far it is read.
  std::string findDamage();

 private:
  void noteDamage(FederateNumber sender, const char* what);
  void addPending(Source* source);
  void watch(Source& source);
  void unwatch();
  void dropWatch();
  void collect();
  void collectReady();
  void showPending();
  Source* sourceAt(std::size_t block, std::size_t entry);
  Source* sourceOf(FederateNumber sender);
  bool takeFromRing(Source& source, std::vector<std::byte>& record, bool inPlace);
  void toQueue(Source& source);
  bool take(std::vector<std::byte>& record, FederateNumber& sender, Source*& source, bool inPlace);

  mutable std::mutex mutex_;  ///< guards everything below
  const fabric::Arena* arena_ = nullptr;
  fabric::FederateBlock* block_ = nullptr;
  std::vector<fabric::InboundBlock*> blocks_;
  std::vector<std::vector<std::unique_ptr<Source>>> sources_;
  Recycler memory_;
  std::pmr::deque<Source*> pending_{&memory_};
  std::atomic<bool> hasPending_{false};  ///< pending_ is not empty
  bool asleep_ = false;
  Source* watchedSource_ = nullptr;
  std::atomic<const std::atomic<std::uint64_t>*> watchedTail_{nullptr};  ///< of its ring
  std::atomic<std::uint64_t> watchedPosition_{0};                        ///< read up to there
  Source* lastSource_ = nullptr;  ///< was read last; only to be compared
  unsigned visits_ = 0;           ///< of it in a row, each of which read all there was
  /// What nextInPlace() gave: where to say, and how, that its chunk has been read.
  struct {
    Source* source = nullptr;
    fabric::RingHeader* ring = nullptr;
    std::uint64_t position = 0;
    std::span<std::byte> chunk;
  } inPlace_;
  std::string damage_;
};

}  // namespace tutti::core
