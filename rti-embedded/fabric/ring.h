// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fabric/layout.h"

/// The two ends of a one-to-one ring.
///
/// Writer: payload first, then `tail`, so a reader never sees half a record and a writer killed in
/// between leaves nothing. Reader: copies a record out, then moves `head`, so the writer never
/// overwrites what is still read. Both keep the other's position in private memory and load it
/// again only when the ring looks full or empty.
///
/// A large body lies in a chunk beside the ring. The reader may pass one such record, go on, and
/// still read its chunk: `chunkInUse` tells which, `chunkHead` what of the others is free again.
///
/// A record, at a multiple of 8 bytes:
///
///   | bytes 4 | type 1 | flags 1 | count 2 | log number 8 | stamp 8 | body ... | padding to 8 |
namespace tutti::fabric {

enum class RecordType : std::uint8_t {
  Padding = 0,  ///< to the end of the ring
  Moved = 1,    ///< the writer goes on in RingHeader::successor
  Update = 2,
  Interaction = 3,
  Discover = 4,
  Remove = 5,
  RequestUpdate = 6,
  RequestClassUpdate = 7,
  Retract = 20,  ///< the message of this serial number is taken back
  // To a router only: what its sender has changed in its tables, for those of other hosts.
  TableRow = 30,
  TableRegion = 31,
  TableUpdateRegion = 32,
};

namespace recordFlag {
inline constexpr std::uint8_t stamped = 1;  ///< `stamp` is valid: a time was given
/// Sent in timestamp order: the record ends with its serial number at its sender, 8 bytes.
inline constexpr std::uint8_t timestampOrder = 2;
inline constexpr std::uint8_t bestEffort = 4;
inline constexpr std::uint8_t chunk = 8;  ///< the body is a ChunkReference
/// Update, Interaction, RequestClassUpdate: ends with the regions it was sent with. Discover:
/// `count` regions that the instance is updated with follow the name.
inline constexpr std::uint8_t regions = 16;
inline constexpr std::uint8_t fromRti = 128;  ///< a report of the MOM: it has no producing federate
}  // namespace recordFlag

/// A record to a router names after its body (or the ChunkReference) those who are to get it, and
/// their count, each 4 bytes.
struct RecordHead {
  std::uint32_t bytes;  ///< with this head, without the padding
  RecordType type;
  std::uint8_t flags;
  std::uint16_t count;  ///< attributes or parameters
  LogNumber logNumber;  ///< what the sender had applied
  std::uint64_t stamp;
};
static_assert(sizeof(RecordHead) == 24);

/// Body of a record whose real body lies in a chunk of its publisher.
struct ChunkReference {
  Offset offset;
  std::uint64_t bytes;
};

inline constexpr std::size_t roundUp8(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

class RingWriter {
 public:
  RingWriter() = default;
  /// `header` must be checked to have `capacity` bytes of memory behind it.
  RingWriter(RingHeader* header, std::uint32_t capacity)
      : header_(header),
        data_(reinterpret_cast<std::byte*>(header) + ringHeaderBytes),
        capacity_(capacity),
        tail_(header->tail.load(std::memory_order_relaxed)),
        head_(header->head.load(std::memory_order_acquire)),
        at_(tail_ % capacity) {}

  explicit operator bool() const { return header_ != nullptr; }
  RingHeader& header() const { return *header_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint64_t tail() const { return tail_; }

  /// The largest record that is sure to fit into an empty ring, wherever its end is.
  std::size_t largestRecord() const { return capacity_ / 2 - sizeof(RecordHead); }

  /// Copies a whole record in. False: no room now. `timestamped` counts it as a timestamp-order
  /// message, before it becomes visible.
  bool tryWrite(std::span<const std::byte> record, bool timestamped) {
    const std::size_t need = roundUp8(record.size());
    std::size_t toEnd = capacity_ - at_;
    const std::size_t skip = toEnd < need ? toEnd : 0;
    if (!hasRoom(need + skip)) return false;
    if (skip != 0) {
      auto& padding = *reinterpret_cast<std::uint32_t*>(data_ + at_);
      padding = static_cast<std::uint32_t>(skip);
      data_[at_ + 4] = std::byte{0};  // RecordType::Padding
      tail_ += skip;
      at_ = 0;
    }
    std::memcpy(data_ + at_, record.data(), record.size());
    tail_ += need;
    at_ += need;
    if (at_ == capacity_) at_ = 0;
    if (timestamped) {
      header_->timestampedSent.store(header_->timestampedSent.load(std::memory_order_relaxed) + 1,
                                     std::memory_order_relaxed);
    }
    header_->messages.store(header_->messages.load(std::memory_order_relaxed) + 1,
                            std::memory_order_relaxed);
    // Sequentially consistent: what follows is a look at the receiver's ready bit, see
    // Outbox::notify.
    header_->tail.store(tail_, std::memory_order_seq_cst);
    return true;
  }

  /// Whether tryWrite() of a record of this size would find room now.
  bool fits(std::size_t bytes) {
    const std::size_t need = roundUp8(bytes);
    const std::size_t toEnd = capacity_ - at_;
    return hasRoom(need + (toEnd < need ? toEnd : 0));
  }

  /// True when the reader has passed `position`.
  bool passed(std::uint64_t position) {
    if (head_ < position) head_ = header_->head.load(std::memory_order_acquire);
    return head_ >= position;
  }

  /// True when the reader has done with the chunk of the record that ends at `position`.
  bool chunkPassed(std::uint64_t position) const {
    return header_->chunkHead.load(std::memory_order_acquire) >= position &&
           header_->chunkInUse.load(std::memory_order_acquire) != position;
  }
  /// True when it has done with all chunks, of which that of the record ending at `last` came last.
  bool chunksPassed(std::uint64_t last) const {
    return header_->chunkHead.load(std::memory_order_acquire) >= last &&
           header_->chunkInUse.load(std::memory_order_acquire) == 0;
  }

 private:
  bool hasRoom(std::size_t need) {
    if (tail_ + need - head_ <= capacity_) return true;
    head_ = header_->head.load(std::memory_order_acquire);
    return tail_ + need - head_ <= capacity_;
  }

  RingHeader* header_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t head_ = 0;
  std::uint64_t at_ = 0;  ///< tail_ % capacity_
};

class RingReader {
 public:
  RingReader() = default;
  RingReader(RingHeader* header, std::uint32_t capacity)
      : header_(header),
        data_(reinterpret_cast<std::byte*>(header) + ringHeaderBytes),
        capacity_(capacity),
        head_(header->head.load(std::memory_order_relaxed)),
        published_(head_),
        tail_(head_),
        at_(head_ % capacity) {}

  explicit operator bool() const { return header_ != nullptr; }
  RingHeader& header() const { return *header_; }

  /// The next record in place, or null when there is none; `broken` when the ring's content is
  /// implausible (its writer is not to be trusted any more). The record stays valid until
  /// advance().
  const RecordHead* peek() {
    for (;;) {
      if (head_ == tail_) {
        // Sequentially consistent, after the ready bit was cleared: see Outbox::notify.
        tail_ = header_->tail.load(std::memory_order_seq_cst);
        if (head_ == tail_) return nullptr;
        if (tail_ - head_ > capacity_) return fail();
      }
      const auto* record = reinterpret_cast<const RecordHead*>(data_ + at_);
      const std::uint64_t bytes = roundUp8(record->bytes);
      if (bytes < 8 || bytes > capacity_ - at_ || bytes > tail_ - head_) return fail();
      if (record->type == RecordType::Padding) {
        step(bytes);
        continue;
      }
      if (bytes < sizeof(RecordHead)) return fail();
      return record;
    }
  }

  /// Passes the record that peek() gave. Its place is given back to the writer when a quarter of
  /// the ring is free or nothing is left, so that the writer's cache line is not touched every
  /// time.
  void advance() {
    const auto* record = reinterpret_cast<const RecordHead*>(data_ + at_);
    step(roundUp8(record->bytes));
    if (head_ == tail_ || head_ - published_ >= capacity_ / 4) publish();
  }

  /// Behind the last record passed.
  std::uint64_t position() const { return head_; }

  void publish() {
    if (published_ == head_) return;
    published_ = head_;
    header_->head.store(head_, std::memory_order_release);
  }

  bool broken() const { return broken_; }

 private:
  void step(std::uint64_t bytes) {
    head_ += bytes;
    at_ += bytes;
    if (at_ == capacity_) at_ = 0;
  }
  const RecordHead* fail() {
    broken_ = true;
    head_ = tail_ = header_->tail.load(std::memory_order_acquire);
    at_ = head_ % capacity_;
    publish();
    return nullptr;
  }

  RingHeader* header_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t head_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t at_ = 0;  ///< head_ % capacity_
  bool broken_ = false;
};

}  // namespace tutti::fabric
