// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/callbacks.h"
#include "core/chunk_pool.h"
#include "core/connection.h"
#include "core/fault.h"
#include "fabric/mapping.h"
#include "fabric/ring.h"

namespace tutti::core {

class LocalFederates;

/// The way from this federate to one other.
struct Link {
  FederateNumber receiver = 0;
  fabric::FederateBlock* block = nullptr;
  fabric::RingWriter ring;
  fabric::Offset ringOffset = 0;
  std::uint64_t extentBytes = 0;
  fabric::InboundBlock* inbound = nullptr;
  std::uint64_t readyBit = 0;
  std::uint64_t summaryBit = 0;
  std::uint64_t timestampedSent = 0;
  std::uint64_t lastChunk = 0;  ///< position behind the last record with a chunk; 0: none
  bool growthRefused = false;
  /// Rings that were replaced and are still being read; given back when drained.
  struct Former {
    fabric::RingWriter ring;
    fabric::Offset offset;
    std::uint64_t lastChunk;
  };
  std::vector<Former> former;
  /// What waits here for room, when the outbox spills; oldest first.
  struct Spilled {
    std::vector<std::byte> record;
    std::size_t chunk;  ///< or ChunkPool::none
    std::size_t bytes;  ///< of it and its chunk
  };
  std::deque<Spilled> spilled;
  std::size_t spilledBytes = 0;
  /// Best effort that found no room, by priority: updates, then interactions; oldest first.
  struct Kept {
    std::uint64_t order;
    std::vector<std::byte> record;
    std::size_t chunk;  ///< or ChunkPool::none
    std::size_t bytes;  ///< with the body
  };
  std::array<std::deque<Kept>, 2> kept;
  std::size_t keptBytes = 0;
  bool keeps() const { return !kept[0].empty() || !kept[1].empty(); }
  /// Large best effort bodies that its receiver has still to read, oldest first.
  struct Unread {
    std::uint64_t position;  ///< behind the record, in the ring
    std::size_t bytes;
  };
  std::deque<Unread> unread;
  std::size_t unreadBytes = 0;
  bool attention = false;  ///< more is to be done than to write: former rings, kept, or it spills
  bool special = false;    ///< it spills, or its receiver lives on another host
  FederateNumber via = 0;  ///< the router that takes what is for it; then there is no ring
};

/// Writes records into the rings of the receivers and keeps the chunks for large ones.
///
/// Reliable records wait for room: the ring grows up to a limit, then `whileBlocked` is called
/// again and again (it drains the rings of all federates of this process, so that two who block on
/// each other both go on, and tells when to give up). A receiver of the same process is never
/// waited for: its ring is emptied into its private queue, and the record put behind.
///
/// An outbox that spills (the MOM's) waits for nobody: what finds no room, at a ring or at a reader
/// of another host that is far behind, is kept until flush() finds some. Beyond 4 MiB for one
/// receiver only what tells of object instances and tables still is; the rest is dropped and
/// counted, and of an instance that is removed before its discovery was written nothing is told.
///
/// Best effort never waits. What finds no room is kept here until there is some: for each receiver
/// up to 4 MiB with the bodies in chunks, or one larger record. Beyond, the oldest update is
/// dropped, or when there is none the oldest interaction, and counted by class. There is no room in
/// a full ring, nor for a large body when its receiver has 4 MiB of such, or eight, to read.
class Outbox {
 public:
  struct Surroundings {
    Connection* connection = nullptr;
    const fabric::Arena* arena = nullptr;
    fabric::Counters* counters = nullptr;
    fabric::ClassCounts* dropped = nullptr;  ///< by class, what counters->bestEffortDropped says
    LocalFederates* neighbours = nullptr;    ///< federates of this process
    FederateNumber self = 0;
    /// Never wait for a receiver: what finds no room is kept here until flush().
    bool spills = false;
    /// Finds a member's page; null when it left.
    std::function<fabric::FederateBlock*(FederateNumber)> blockOf;
    /// False: give up, the receiver or the node is gone.
    std::function<bool(FederateNumber)> whileBlocked;
  };

  void open(Surroundings surroundings);
  void close();

  /// Sends one record, `head` with `body` behind it, to all of `receivers`. The bytes of the record
  /// are in `record`, which starts with its RecordHead. Throws RTIinternalError when memory is
  /// refused: for a chunk, then nobody got anything; for a ring, then all others got the message.
  void send(std::vector<std::byte>& record, std::span<const FederateNumber> receivers);

  /// Whether a record with a body of this size goes by a chunk.
  static constexpr bool needsChunk(std::size_t bodyBytes) {
    return sizeof(fabric::RecordHead) + bodyBytes > largestInRing;
  }
  /// A large body may be written where it stays: into the memory this returns, at once, followed by
  /// sendBody() with the same flags. Throws RTIinternalError when memory is refused, or above 4 GiB,
  /// which no head of a record could tell of; but best effort
  /// is dropped and counted, as long as it is its receivers' reading that would free some.
  std::span<std::byte> body(std::size_t bytes, std::uint8_t flags) {
    if (bytes > fabric::largestBody) {
      fail(Fault::RTIinternalError, "A message is limited to 4 GiB, with its tag and all values.");
    }
    return mayBeDropped(flags) ? droppableBody(bytes) : reliableBody(bytes);
  }
  /// Sends the body that was written last; `head.bytes` need not be set.
  void sendBody(fabric::RecordHead head, std::span<const FederateNumber> receivers);

  /// Sends to the router what concerns all other hosts, and none of their federates in particular.
  void sendToHosts(std::span<const std::byte> record, FederateNumber router);

  /// Everybody who was ever sent something.
  std::vector<FederateNumber> receivers() const;
  void forget(FederateNumber receiver);
  /// Writes what was spilled and finds room now. True when nothing is left.
  bool flush();
  /// Whether best effort waits for room; to be sent when there is a moment.
  bool keeps() const { return kept_ != 0; }
  void sendKept();
  /// What somebody else has written of the rings from here, or of how far they are read; else empty.
  std::string findDamage() const;
  /// Nothing more will be sent: what still finds no room is dropped.
  void dropKept();

 private:
  /// Records above this go to a chunk, once for all receivers.
  static constexpr std::size_t largestInRing = 1024;
  /// Bytes of chunks that receivers have not read yet, and the same in bodies of one size. Above
  /// both the sender of something reliable waits for them; best effort is kept, see above, when it
  /// is its receiver alone that has not read so many.
  static constexpr std::uint64_t largestUnread = std::uint64_t{4} << 20;
  static constexpr std::uint64_t leastUnreadBodies = 8;

  /// A timestamp-order message never is, however it is to be sent, or time could not advance past
  /// it.
  static bool mayBeDropped(std::uint8_t flags) {
    constexpr auto bestEffort = fabric::recordFlag::bestEffort;
    constexpr auto both = bestEffort | fabric::recordFlag::timestampOrder;
    return (flags & both) == bestEffort;
  }

  Link* link(FederateNumber receiver);
  /// Sends by `toOne` to each of `receivers` that is simply written to, and to the others as they
  /// need it. What fails for one receiver keeps none of the others from getting the message: the
  /// fault is thrown at last.
  template <class ToOne>
  [[gnu::always_inline]] void sendToEach(std::span<const FederateNumber> receivers,
                                         std::span<const std::byte> record, std::size_t chunk,
                                         ToOne toOne) {
    const auto toLink = [this, record, chunk, toOne](FederateNumber receiver) {
      Link* to = link(receiver);
      if (to == nullptr) return;  // it has left
      if (to->special) {
        sendSpecially(*to, record, chunk);
      } else {
        toOne(*to);
      }
    };
    auto next = receivers.begin();
    try {
      for (; next != receivers.end(); ++next) toLink(*next);
      if (!elsewhere_.empty()) sendElsewhere(record, chunk);
    } catch (const ServiceFault& fault) {
      sendToRest(fault, receivers, static_cast<std::size_t>(next - receivers.begin()), record,
                 chunk, toLink);
    } catch (...) {
      elsewhere_.clear();  // not the receivers of the next message
      throw;
    }
  }
  /// After a fault at receiver number `failed`, or, when there is none of this number, at those of
  /// other hosts.
  [[noreturn, gnu::cold]] void sendToRest(const ServiceFault& fault,
                                          std::span<const FederateNumber> receivers,
                                          std::size_t failed, std::span<const std::byte> record,
                                          std::size_t chunk,
                                          std::function<void(FederateNumber)> toLink);
  /// Sends to one that is not simply written to.
  void sendSpecially(Link& link, std::span<const std::byte> record, std::size_t chunk);
  /// Sends, once, to those of `elsewhere_`.
  void sendElsewhere(std::span<const std::byte> record, std::size_t chunk);
  /// False: it does not stand in the ring.
  bool write(Link& link, std::span<const std::byte> record, bool timestamped, bool bestEffort);
  enum class Written { InRing, Beside, Not };
  /// When the ring is full. Apart from write(), which would be slower for what it hardly ever does.
  [[gnu::noinline]] Written writeLater(Link& link, std::span<const std::byte> record,
                                       bool timestamped, bool bestEffort);
  void writeOrSpill(Link& link, std::span<const std::byte> record, std::size_t chunk);
  void spill(Link& link, std::span<const std::byte> record, std::size_t chunk);
  bool forgetSpilled(Link& link, std::span<const std::byte> removal);
  void flush(Link& link);
  void flushElsewhere(Link& link);
  void sendByRouter(std::span<const std::byte> record, std::size_t chunk);
  /// Has the node make the first ring. False: the receiver has left.
  bool openRing(Link& link);
  bool tryWriteSpilling(Link& link, std::span<const std::byte> record);
  bool grow(Link& link, std::size_t recordBytes, bool mayWait = true);
  void notify(Link& link);
  void tend(Link& link);
  void releaseFormer(Link& link);
  void noteUse(Link& link, ChunkPool& chunks, std::size_t chunk);
  bool passed(FederateNumber receiver, std::uint64_t position);
  std::size_t chunkFor(std::size_t bytes);
  std::span<std::byte> reliableBody(std::size_t bytes);
  bool awaitReaders();

  // outbox_best_effort.cpp
  /// A record that is not going to be in the ring of `link`.
  void countDropped(const Link& link, std::span<const std::byte> record);
  /// The same, for one receiver.
  void countDropped(std::span<const std::byte> record, std::uint64_t receivers = 1);
  void countDropped(fabric::RecordType type, std::span<const std::byte> body,
                    std::uint64_t receivers);
  std::span<const std::byte> bodyOf(std::span<const std::byte> record) const;
  std::span<std::byte> droppableBody(std::size_t bytes);
  void sendDroppableBody(std::span<const std::byte> record,
                         std::span<const FederateNumber> receivers);
  void writeDroppableBody(Link& link, std::span<const std::byte> record);
  bool hasRoomForBody(Link& link, std::size_t bytes);
  void noteBody(Link& link, std::size_t bytes);
  void keep(Link& link, std::span<const std::byte> record);
  void sendKept(Link& link, bool atLast = false);
  void dropOldest(Link& link);
  bool dropOldestOfAll();

  Surroundings around_;
  std::map<FederateNumber, std::unique_ptr<Link>> links_;
  std::vector<Link*> byNumber_;
  ChunkPool chunks_;
  ChunkPool droppable_;             ///< of best effort: who leaves that unread holds nobody up
  std::vector<std::byte> refused_;  ///< a body for which there was no memory
  std::vector<FederateNumber> elsewhere_;  ///< receivers on other hosts
  FederateNumber via_ = 0;                 ///< the router; 0: nothing was sent to it
  std::vector<std::byte> routed_;
  std::size_t kept_ = 0;  ///< records, of all links
  std::uint64_t keptOrder_ = 0;
  std::size_t written_ = 0;           ///< the chunk that body() gave; ChunkPool::none: refused_
  fabric::Offset writtenOffset_ = 0;  ///< where it lies
  std::size_t writtenBytes_ = 0;      ///< and how much of it
};

}  // namespace tutti::core
