// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/callbacks.h"
#include "fabric/mapping.h"
#include "fabric/ring.h"

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

  /// Counts a timestamp-order message of `source` as taken; after the time slot tells of it.
  void countTaken(Source* source);

  /// Moves all that has arrived into private queues, so that the senders find room.
  void makeRoom();

  /// For a sender of this process: empties its ring here. False: it has none here yet.
  bool emptyRingOf(FederateNumber sender);
  /// For a sender of this process: empties its ring and puts `record` behind.
  void append(FederateNumber sender, fabric::RingWriter& ring, std::span<const std::byte> record,
              bool timestamped);

  bool hasPending() const;

 private:
  void collectReady();
  void showPending();
  Source* sourceAt(std::size_t block, std::size_t entry);
  Source* sourceOf(FederateNumber sender);
  bool takeFromRing(Source& source, std::vector<std::byte>& record);
  void toQueue(Source& source);
  void copyOut(const fabric::RecordHead& head, std::vector<std::byte>& record);

  mutable std::mutex mutex_;  ///< guards everything below
  const fabric::Arena* arena_ = nullptr;
  fabric::FederateBlock* block_ = nullptr;
  std::vector<fabric::InboundBlock*> blocks_;
  std::vector<std::vector<std::unique_ptr<Source>>> sources_;
  std::deque<Source*> pending_;
  std::uint64_t brokenRings_ = 0;
};

}  // namespace tutti::core
