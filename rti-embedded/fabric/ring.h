// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "fabric/layout.h"
#include "fabric/mapping.h"

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
/// The largest body, in a chunk, whose length with a head is a number of 32 bits.
inline constexpr std::uint64_t largestBody = 0xffffffff - sizeof(RecordHead);

/// Body of a record whose real body lies in a chunk of its publisher.
struct ChunkReference {
  Offset offset;
  std::uint64_t bytes;
};

inline constexpr std::size_t roundUp8(std::size_t n) { return (n + 7) & ~std::size_t{7}; }

/// A ring in an arena, checked: its memory is there, and `capacity` is the number that was checked.
struct RingPlace {
  RingHeader* header = nullptr;  ///< null: there is no ring
  std::uint32_t capacity = 0;

  explicit operator bool() const { return header != nullptr; }
};

/// Everyone may write the header, so `capacity` is read once.
inline RingPlace ringAt(const Arena& arena, Offset offset) {
  auto* header = arena.as<RingHeader>(offset);
  if (header == nullptr || header->magic != RingHeader::magicValue) return {};
  const auto capacity = std::atomic_ref(header->capacity).load(std::memory_order_relaxed);
  if (capacity == 0 || capacity % 64 != 0 ||
      arena.at(offset, ringHeaderBytes + std::size_t{capacity}) == nullptr) {
    return {};
  }
  return {header, capacity};
}

class RingWriter {
 public:
  RingWriter() = default;
  explicit RingWriter(RingPlace place)
      : header_(place.header),
        data_(reinterpret_cast<std::byte*>(place.header) + ringHeaderBytes),
        capacity_(place.capacity),
        tail_(place.header->tail.load(std::memory_order_relaxed) / 8 * 8),
        head_(place.header->head.load(std::memory_order_acquire)),
        at_(tail_ % place.capacity) {}

  explicit operator bool() const { return header_ != nullptr; }
  RingHeader& header() const { return *header_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint64_t tail() const { return tail_; }
  /// False: somebody else has written the tail, or the reader's head is none that it could have.
  bool isPlausible() const {
    const std::uint64_t head = header_->head.load(std::memory_order_relaxed);
    return header_->tail.load(std::memory_order_relaxed) == tail_ && tail_ - head <= capacity_;
  }

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

/// Everything in the ring was written by another process, which may be at fault: a record is within
/// the ring, whatever stands there, and its length is read once.
class RingReader {
 public:
  RingReader() = default;
  explicit RingReader(RingPlace place)
      : header_(place.header),
        data_(reinterpret_cast<std::byte*>(place.header) + ringHeaderBytes),
        capacity_(place.capacity),
        head_(place.header->head.load(std::memory_order_relaxed) / 8 * 8),
        published_(head_),
        tail_(head_),
        at_(head_ % place.capacity) {}

  explicit operator bool() const { return header_ != nullptr; }
  RingHeader& header() const { return *header_; }

  /// The next record in place, which has at least a RecordHead; empty when there is none. Once the
  /// ring's content is implausible it is `broken`, and gives nothing more. The record stays where it
  /// is until advance().
  std::span<const std::byte> peek() {
    for (;;) {
      if (head_ == tail_) {
        // Sequentially consistent, after the ready bit was cleared: see Outbox::notify.
        tail_ = header_->tail.load(std::memory_order_seq_cst);
        if (head_ == tail_) return {};
        if (tail_ - head_ > capacity_) return fail();
      }
      auto* record = reinterpret_cast<RecordHead*>(data_ + at_);
      const std::uint64_t bytes = std::atomic_ref(record->bytes).load(std::memory_order_relaxed);
      step_ = roundUp8(bytes);
      if (step_ > capacity_ - at_ || step_ > tail_ - head_) return fail();
      if (record->type == RecordType::Padding) {
        if (step_ == 0) return fail();
        step();
        continue;
      }
      if (bytes < sizeof(RecordHead)) return fail();
      return {data_ + at_, bytes};
    }
  }

  /// Passes the record that peek() gave.
  void advance() {
    step();
    // Its place is given back to the writer when a quarter of the ring is free or nothing is left,
    // so that the writer's cache line is not touched every time.
    if (head_ == tail_ || head_ - published_ >= capacity_ / 4) publish();
  }

  /// Behind the last record passed.
  std::uint64_t position() const { return head_; }
  /// False: somebody else has written the place up to which this has read.
  bool headIsOwn() const { return header_->head.load(std::memory_order_relaxed) == published_; }

  void publish() {
    if (published_ == head_) return;
    published_ = head_;
    header_->head.store(head_, std::memory_order_release);
  }

  bool broken() const { return broken_; }

 private:
  void step() {
    head_ += step_;
    at_ += step_;
    if (at_ == capacity_) at_ = 0;
  }
  std::span<const std::byte> fail() {
    broken_ = true;
    tail_ = head_;
    capacity_ = 0;  // whatever comes is more than that
    return {};
  }

  RingHeader* header_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint64_t capacity_ = 0;
  std::uint64_t head_ = 0;
  std::uint64_t published_ = 0;
  std::uint64_t tail_ = 0;
  std::uint64_t at_ = 0;    ///< head_ % capacity_
  std::uint64_t step_ = 0;  ///< of the record that peek() gave, with its padding
  bool broken_ = false;
};

}  // namespace tutti::fabric
