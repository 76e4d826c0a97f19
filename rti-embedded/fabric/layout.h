// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// What lies in the memory that the processes of one host share.
///
/// The RTI node makes one *arena* per federation execution, and a *host page* and a *spin page*. An
/// arena is mapped whole by every joined federate, as two memfds one behind the other:
///
///   | published: header, control log, object models, snapshots | shared: pages, rings, tables, chunks |
///   0                                                     firstShared                             size
///
/// The published part and the host page are written by the node alone and mapped read-only by all
/// others; the kernel refuses them any other mapping (docs/decisions/0023). Only what the header says
/// is backed by memory may be touched: it is the one word that everybody trusts. Everything in an
/// arena is found by its offset from its start. Only the node allocates: in extents, whose sizes are
/// powers of two of at least 4096 bytes.
///
/// Each word has a single writer unless its comment says otherwise, so that a process killed between
/// any two instructions leaves nothing half done that others rely on. There are no locks and no
/// reference counts. What federates may write, any of them may write wrongly: an offset, length or
/// index read from the shared part is read once and checked before use, also by the node.
namespace tutti::fabric {

inline constexpr std::uint32_t layoutVersion = 7;
inline constexpr std::size_t cacheLine = 64;
inline constexpr std::size_t pageBytes = 4096;

/// Offset in the arena; 0 means none.
using Offset = std::uint64_t;
/// Number of a record of the control log; the first one is 1.
using LogNumber = std::uint64_t;
/// Handle of a joined federate, from 1; never used again within a federation execution.
using FederateNumber = std::uint32_t;
/// An object or interaction class.
using ClassKey = std::uint32_t;
constexpr ClassKey classKey(std::uint32_t handle, bool interaction) {
  return (handle << 1) | (interaction ? 1u : 0u);
}
constexpr bool isInteraction(ClassKey key) { return (key & 1) != 0; }
constexpr std::uint32_t classOf(ClassKey key) { return key >> 1; }
/// Handle of a region: its creator and a number of that federate; see region_layout.h.
using RegionNumber = std::uint64_t;

// --- host page -----------------------------------------------------------------------------------

/// One page for all processes that are connected to a node, which alone writes it.
struct HostPage {
  static constexpr std::uint32_t magicValue = 0x54554850;  // "TUHP"

  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t processors;  ///< logical processors the node may use; at most this - 1 spin
  std::uint32_t reserved;
};

/// What those processes write for each other. Connection c owns bit c of `spinning`; the node clears
/// it when the connection ends. Connections past the last bit never spin. Wrong bits let federates
/// sleep that could poll, or poll that should sleep, until their owners or the node put them right.
struct SpinPage {
  static constexpr std::size_t spinWords = 16;

  std::atomic<std::uint64_t> spinning[spinWords];
};

// --- arena ---------------------------------------------------------------------------------------

/// Whose ceiling of time there is.
namespace ceilingOf {
inline constexpr std::uint32_t hold = 1;      ///< somebody has paused the federation, or steps it
inline constexpr std::uint32_t stopTime = 2;  ///< the run ends there
/// Set beside them where times are of a federate's own representation: the ceiling is a double, in
/// the numbers that its times become, which only the federates know to be integers or not.
inline constexpr std::uint32_t inOwnTimes = 4;
inline constexpr std::uint32_t pace = 8;  ///< it moves on with the wall clock
}  // namespace ceilingOf

/// The bits of the last integer time at or before `time`, within the range of such times.
inline std::uint64_t integerTimeAt(double time) {
  constexpr double most = 9.2e18;
  if (std::isnan(time)) return std::bit_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
  return std::bit_cast<std::uint64_t>(
      static_cast<std::int64_t>(std::floor(std::clamp(time, -most, most))));
}

/// At the start of the published part: only the node writes.
struct ArenaHeader {
  static constexpr std::uint32_t magicValue = 0x54554152;  // "TUAR"

  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t size;                    ///< bytes mapped, backed or not
  std::uint64_t firstShared;             ///< where the part begins that federates may write
  std::atomic<std::uint64_t> published;  ///< the part in front of it is backed up to here
  std::atomic<std::uint64_t> committed;  ///< and it is, from its beginning, up to here
  /// Number of the newest log record; node, sequentially consistent.
  alignas(cacheLine) std::atomic<LogNumber> logTail;
  /// No federate is granted beyond this while `ceilingActive` is not 0; node.
  alignas(cacheLine) std::atomic<std::uint64_t> ceiling;
  std::atomic<std::uint32_t> ceilingActive;  ///< ceilingOf; 0: there is none
  /// Units of logical time per second that the federation execution is to keep, bits of a double;
  /// 0: as fast as possible. For those who look on; it stays during a hold.
  std::atomic<std::uint64_t> pace;
};

// --- control log ---------------------------------------------------------------------------------

/// A part of the control log: the header, then records one behind the other.
struct LogBlock {
  std::atomic<Offset> next;  ///< set before the EndOfBlock record that leads there
  std::uint64_t bytes;       ///< of the block with this header
};

/// Head of a control record; the body follows, laid out as in protocol.h.
///
///   | bytes 4 | type 2 | version 2 | number 8 | body ... padding to 8 |
struct LogRecord {
  std::uint32_t bytes;  ///< with this head and the padding
  std::uint16_t type;   ///< LogRecordType
  std::uint16_t version;
  LogNumber number;
};

/// Where a reader stands in the log: the place of the next record to be read.
struct LogPosition {
  Offset block = 0;
  std::uint64_t at = sizeof(LogBlock);  ///< from the block's start
  LogNumber applied = 0;                ///< number of the last record read
};

// --- rings ---------------------------------------------------------------------------------------

/// One-to-one ring: header, then `capacity` bytes of records. Positions only grow. A record never
/// wraps: what is left at the end is skipped by a Padding record. See ring.h.
struct RingHeader {
  static constexpr std::uint32_t magicValue = 0x54555247;  // "TURG"

  std::uint32_t magic;     // written by the node before the ring is announced
  std::uint32_t capacity;  // bytes behind this header, a multiple of 64
  FederateNumber sender;
  FederateNumber receiver;

  /// Written by the sender.
  alignas(cacheLine) std::atomic<std::uint64_t> tail;
  std::atomic<std::uint64_t> timestampedSent;  ///< timestamp-order messages written, before tail
  std::atomic<std::uint64_t> messages;         ///< messages written, for the monitor
  std::atomic<Offset> successor;               ///< the larger ring that follows, before the Moved record

  /// Written by the receiver.
  alignas(cacheLine) std::atomic<std::uint64_t> head;
  std::atomic<std::uint64_t> timestampedTaken;  ///< taken into the receiver's time slot
  /// No chunk of a record in front of this is read any more, but for one: of the record that ends at
  /// chunkInUse (0: of none).
  std::atomic<std::uint64_t> chunkHead;
  std::atomic<std::uint64_t> chunkInUse;

  /// 1 while the receiver looks at `tail` by itself, and needs no ready bit. Written by the receiver,
  /// seldom, so that the sender has it in its cache.
  alignas(cacheLine) std::atomic<std::uint32_t> watched;
};
inline constexpr std::size_t ringHeaderBytes = 256;
static_assert(sizeof(RingHeader) <= ringHeaderBytes);

struct InboundEntry {
  std::atomic<Offset> ring;             ///< the ring to be read first; node, then the receiver on Moved
  std::atomic<FederateNumber> sender;   ///< node; 0: free
  std::uint32_t reserved;
};

/// 64 inbound rings of a federate; more of them are chained.
struct InboundBlock {
  static constexpr std::size_t entryCount = 64;

  /// Bit i: entries[i] has news. Set by the sender of entry i (and by the node when it died),
  /// cleared by the receiver before it looks.
  std::atomic<std::uint64_t> ready;
  std::atomic<Offset> next;  ///< node
  std::uint64_t reserved[6];
  InboundEntry entries[entryCount];
};

// --- object instances ----------------------------------------------------------------------------

/// A set of attributes: this, then `count` handles (uint32), ascending. Never changed once a row
/// refers to it, so that many do.
struct OwnedAttributes {
  std::uint32_t count;
};

/// One object instance, in the table of the federate that registered it. A reader takes `state`,
/// then the rest, then `state` again: equal and alive means the row is true.
struct InstanceRow {
  static constexpr std::uint64_t phaseMask = 0xff;
  static constexpr std::uint64_t free = 0;
  static constexpr std::uint64_t alive = 1;

  std::atomic<std::uint64_t> state;  ///< phase, and above it a number that grows with each change
  std::atomic<std::uint64_t> handle;
  std::atomic<std::uint32_t> objectClass;
  std::atomic<std::uint32_t> nameBytes;  ///< UTF-8
  std::atomic<Offset> name;              ///< 0: the generated name
  std::atomic<Offset> owned;  ///< OwnedAttributes: what its registrant owned at first; 0: nothing
};

struct InstanceBlock {
  std::atomic<Offset> next;
  std::uint32_t capacity;            ///< rows
  std::atomic<std::uint32_t> used;   ///< rows ever used
  std::uint64_t reserved[6];
  // InstanceRow rows[capacity]
};

// --- time ----------------------------------------------------------------------------------------

/// How a federate stands to logical time.
enum class TimeAdvance : std::uint32_t {
  None = 0,                          ///< granted
  TimeAdvanceRequest = 1,            ///< 8.8
  TimeAdvanceRequestAvailable = 2,   ///< 8.9
  NextMessageRequest = 3,            ///< 8.10
  NextMessageRequestAvailable = 4,   ///< 8.11
  FlushQueueRequest = 5,             ///< 8.12
};

namespace timeFlag {
inline constexpr std::uint32_t regulating = 1;
inline constexpr std::uint32_t constrained = 2;
inline constexpr std::uint32_t regulationPending = 4;
inline constexpr std::uint32_t constrainedPending = 8;
inline constexpr std::uint32_t integerTime = 16;   ///< HLAinteger64Time, else HLAfloat64Time
inline constexpr std::uint32_t queueHasStamp = 32; ///< `leastStamp` is valid
/// Granted by TAR or NMR with zero lookahead: what it sends is strictly later than its bound.
inline constexpr std::uint32_t exclusive = 64;
inline constexpr std::uint32_t galtValid = 128;    ///< `galt` is valid (for the monitor only)
/// Granted by TAR or NMR: no message of its logical time can come any more.
inline constexpr std::uint32_t strict = 256;
inline constexpr std::uint32_t hasFloor = 512;     ///< `outputFloor` is valid
}  // namespace timeFlag

/// One version of a time slot. Times are the bits of a double, or an int64, as `flags` says.
struct TimeState {
  std::atomic<std::uint32_t> flags;
  std::atomic<std::uint32_t> advance;  ///< TimeAdvance
  std::atomic<std::uint64_t> logicalTime;
  std::atomic<std::uint64_t> requestedTime;
  std::atomic<std::uint64_t> lookahead;
  std::atomic<std::uint64_t> leastStamp;  ///< least stamp among undelivered messages in its queue
  std::atomic<std::uint64_t> galt;        ///< as last computed by the federate, for the monitor
  std::atomic<std::uint64_t> outputFloor; ///< nothing earlier is sent, whatever the lookahead

  /// Calls `visit` for each word, in this order.
  template <class Self, class Visit>
  static void eachWord(Self& self, Visit&& visit) {
    visit(self.flags);
    visit(self.advance);
    visit(self.logicalTime);
    visit(self.requestedTime);
    visit(self.lookahead);
    visit(self.leastStamp);
    visit(self.galt);
    visit(self.outputFloor);
  }
};
static_assert(sizeof(TimeState) == 56, "eachWord() visits all of it");

/// The time slot of a federate. The writer fills states[(sequence + 1) & 1], then adds 1 to
/// sequence; a reader takes states[sequence & 1] and looks at sequence again. A writer killed in
/// between leaves the older, still true state.
struct alignas(cacheLine) TimeSlot {
  std::atomic<std::uint64_t> sequence;
  TimeState states[2];
};

// --- federate ------------------------------------------------------------------------------------

enum class FederateState : std::uint32_t { Free = 0, Joined = 1, Resigned = 2, Lost = 3 };

/// What a federate counts; single writer, relaxed. The source of every gauge of the monitor.
struct Counters {
  std::atomic<std::uint64_t> updatesSent;           ///< updateAttributeValues calls
  std::atomic<std::uint64_t> reflectionsReceived;   ///< reflectAttributeValues callbacks
  std::atomic<std::uint64_t> interactionsSent;
  std::atomic<std::uint64_t> interactionsReceived;
  std::atomic<std::uint64_t> instancesRegistered;
  std::atomic<std::uint64_t> instancesDeleted;
  std::atomic<std::uint64_t> instancesDiscovered;
  std::atomic<std::uint64_t> instancesRemoved;
  std::atomic<std::uint64_t> timeAdvanceGrants;
  std::atomic<std::uint64_t> callbacks;
  std::atomic<std::uint64_t> bytesSent;             ///< record bytes, once per receiver
  std::atomic<std::uint64_t> bytesReceived;
  std::atomic<std::uint64_t> receiveOrderQueued;    ///< messages now in the private queue
  std::atomic<std::uint64_t> timestampOrderQueued;  ///< messages now in the timestamp-order queue
  std::atomic<std::uint64_t> queuedBytes;           ///< of both
  std::atomic<std::uint64_t> bestEffortDropped;
  std::atomic<std::uint64_t> blockedNanoseconds;    ///< spent waiting for room in a ring
  std::atomic<std::uint64_t> lastCallNanoseconds;   ///< CLOCK_MONOTONIC_COARSE of the last service call or evoke
  std::atomic<std::uint64_t> instancesUpdated;      ///< that were updated at least once
  std::atomic<std::uint64_t> instancesReflected;    ///< that were reflected at least once
  std::atomic<std::uint64_t> instancesDeletable;    ///< whose privilege to delete is owned now
  std::atomic<std::uint64_t> advancingNanoseconds;  ///< spent in the time advancing state, until ...
  std::atomic<std::uint64_t> advancingSince;        ///< ... the request now waited for; 0: none
  std::atomic<std::uint64_t> leastQueuedStamp;      ///< while timestampOrderQueued is not 0

  /// Calls `visit` for each word, in this order.
  template <class Self, class Visit>
  static void eachWord(Self& self, Visit&& visit) {
    visit(self.updatesSent);
    visit(self.reflectionsReceived);
    visit(self.interactionsSent);
    visit(self.interactionsReceived);
    visit(self.instancesRegistered);
    visit(self.instancesDeleted);
    visit(self.instancesDiscovered);
    visit(self.instancesRemoved);
    visit(self.timeAdvanceGrants);
    visit(self.callbacks);
    visit(self.bytesSent);
    visit(self.bytesReceived);
    visit(self.receiveOrderQueued);
    visit(self.timestampOrderQueued);
    visit(self.queuedBytes);
    visit(self.bestEffortDropped);
    visit(self.blockedNanoseconds);
    visit(self.lastCallNanoseconds);
    visit(self.instancesUpdated);
    visit(self.instancesReflected);
    visit(self.instancesDeletable);
    visit(self.advancingNanoseconds);
    visit(self.advancingSince);
    visit(self.leastQueuedStamp);
  }
};
static_assert(sizeof(Counters) == 24 * sizeof(std::uint64_t), "eachWord() visits all of it");

/// Something counted by class, for as many classes as there is room; single writer, relaxed.
struct ClassCounts {
  static constexpr std::size_t entryCount = 24;
  struct Entry {
    std::atomic<std::uint64_t> count;
    std::atomic<ClassKey> key;  ///< 0: free; written last
    std::uint32_t reserved;
  };
  std::atomic<std::uint64_t> all;
  std::atomic<std::uint64_t> others;  ///< of classes for which there was no entry
  Entry entries[entryCount];

  void add(ClassKey key, std::uint64_t amount) {
    const auto increase = [amount](std::atomic<std::uint64_t>& count) {
      count.store(count.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    };
    increase(all);
    for (Entry& entry : entries) {
      const ClassKey has = entry.key.load(std::memory_order_relaxed);
      if (has != 0 && has != key) continue;
      increase(entry.count);
      if (has == 0) entry.key.store(key, std::memory_order_release);
      return;
    }
    increase(others);
  }
  /// Calls `visit` for each word, in this order.
  template <class Self, class Visit>
  static void eachWord(Self& self, Visit&& visit) {
    visit(self.all);
    visit(self.others);
    for (auto& entry : self.entries) {
      visit(entry.count);
      visit(entry.key);
    }
  }
};

/// What a federate has switched on, for the MOM; single writer: the federate.
namespace federateSwitch {
inline constexpr std::uint32_t asynchronousDelivery = 1;
inline constexpr std::uint32_t conveyRegionDesignatorSets = 2;
inline constexpr std::uint32_t conveyProducingFederate = 4;
inline constexpr std::uint32_t serviceReporting = 8;
inline constexpr std::uint32_t exceptionReporting = 16;
}  // namespace federateSwitch

/// The page of one joined federate, at the start of an extent of 4096 bytes.
struct FederateBlock {
  static constexpr std::uint32_t magicValue = 0x54554644;  // "TUFD"

  std::uint32_t magic;
  FederateNumber federate;
  std::uint32_t connection;           ///< its bit in the spin page
  std::atomic<std::uint32_t> state;   ///< FederateState; node
  /// rti1516e::ResignAction taken when it is lost (10.3); node at join, then the federate.
  std::atomic<std::uint32_t> automaticResignAction;
  /// 0: it lives on this host. Else this page stands in for it here, written by the node; what is
  /// sent to it goes to the router, which is the member of this number. Set before the page is
  /// announced.
  FederateNumber via;
  /// 1 while a federate of another host reads so slowly that its host has no room left for it; node.
  std::atomic<std::uint32_t> congested;

  /// Bit b: inbound block b % 64 has a ready bit. Set by senders, cleared by the federate.
  alignas(cacheLine) std::atomic<std::uint64_t> readySummary;
  /// Futex word (process-shared): whoever has news that is not in a ring adds 1, and wakes.
  std::atomic<std::uint32_t> doorbell;
  /// 1 while the federate is about to sleep or sleeps on `doorbell`. Whoever wakes it stores 0.
  std::atomic<std::uint32_t> sleeping;
  /// 1 while the federate waits for a grant: changed time slots ring its doorbell.
  std::atomic<std::uint32_t> waitsForTime;

  /// Log records applied; the node frees what every federate has passed.
  alignas(cacheLine) std::atomic<LogNumber> appliedLog;
  std::atomic<Offset> instances;  ///< first InstanceBlock, 0: none registered
  std::atomic<Offset> regions;        ///< first RegionBlock, 0: none created
  std::atomic<Offset> updateRegions;  ///< first UpdateRegionBlock, 0: never used
  std::atomic<std::uint32_t> switches;  ///< federateSwitch

  TimeSlot time;
  alignas(cacheLine) Counters counters;
  alignas(cacheLine) InboundBlock inbound;

  /// Best effort of this federate that never arrived, once per receiver: what it dropped itself
  /// (Counters::bestEffortDropped, by class); ...
  ClassCounts dropped;
  ClassCounts lost;  ///< ... and what was lost between hosts; node
};
/// In the extent of a page that stands in for a federate of another host: a RingHeader without a
/// ring, the first of its inbound directory. Its counts differ while a timestamp-order message to
/// that federate may be on its way; the directory goes on in that of the router.
inline constexpr std::size_t standInRing = 3072;
static_assert(sizeof(FederateBlock) <= standInRing);
static_assert(standInRing + ringHeaderBytes <= pageBytes);

static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tutti::fabric
