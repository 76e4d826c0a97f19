// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <array>
#include <cstring>
#include <vector>

#include "core/fault.h"
#include "core/inbox.h"
#include "core/outbox.h"
#include "executive/arena_allocator.h"
#include "executive/inbound_directory.h"
#include "fabric/inbound_rings.h"
#include "fabric/ring.h"

using namespace tutti::fabric;
using tutti::core::Inbox;
using tutti::executive::ArenaAllocator;
using tutti::executive::Budget;
using tutti::executive::InboundDirectory;

namespace {

constexpr FederateNumber publisher = 1;
constexpr FederateNumber subscriber = 2;
constexpr std::uint64_t MiB = 1 << 20;

/// The memory of a federation execution with a ring into one federate, whose sender is played here.
struct Pair {
  explicit Pair(std::uint64_t memory = 16 * MiB) : budget(memory) {
    arena = std::move(*ArenaAllocator::make(budget));
    const auto page = arena->allocate(sizeof(FederateBlock), subscriber, "a test");
    block = new (arena->at(page->offset, sizeof(FederateBlock))) FederateBlock{};
    directory.emplace(*arena, subscriber, page->offset);
    const auto* place = *directory->open(publisher, pageBytes);
    offset = place->rings.back();
    ring = ringAt(arena->arena(), offset);
    inbox.open(arena->arena(), *block);
  }
  ~Pair() { inbox.close(); }

  /// Writes `bytes` at the start of the ring and makes them known.
  void putRaw(std::span<const std::byte> bytes) {
    std::memcpy(reinterpret_cast<std::byte*>(ring.header) + ringHeaderBytes, bytes.data(),
                bytes.size());
    ring.header->tail.store(roundUp8(bytes.size()));
    tell();
  }
  /// What a publisher does that finds the subscriber awake.
  void tell() {
    block->inbound.ready.fetch_or(1);
    block->readySummary.fetch_or(1);
  }

  Budget budget;
  std::unique_ptr<ArenaAllocator> arena;
  FederateBlock* block = nullptr;
  std::optional<InboundDirectory> directory;
  Offset offset = 0;
  RingPlace ring;
  Inbox inbox;
};

std::vector<std::byte> record(std::uint32_t bytes, std::uint8_t flags = 0) {
  RecordHead head{};
  head.bytes = bytes;
  head.type = RecordType::Update;
  head.flags = flags;
  std::vector<std::byte> result(std::max<std::size_t>(bytes, sizeof head));
  std::memcpy(result.data(), &head, sizeof head);
  return result;
}

}  // namespace

class TestRing : public QObject {
  Q_OBJECT

  /// As anyInbound() tells of the one ring into the subscriber.
  static std::pair<std::uint64_t, std::uint64_t> sentAndTaken(const Pair& pair) {
    std::pair<std::uint64_t, std::uint64_t> result;
    int rings = 0;
    anyInbound(pair.arena->arena(), *pair.block,
               [&](FederateNumber, std::uint64_t sent, std::uint64_t taken) {
                 result = {sent, taken};
                 ++rings;
                 return false;
               });
    if (rings != 1) result = {};
    return result;
  }

 private slots:
  void messagesBehindAnyNumberOfRingsAreOnTheirWay() {
    Pair pair(64 * MiB);
    pair.ring.header->timestampedTaken.store(5);
    RingHeader* last = pair.ring.header;
    for (int rings = 2; rings <= 100; ++rings) {
      const Offset offset = pair.directory->replace(publisher, pageBytes).value()->rings.back();
      last->successor.store(offset);
      last = ringAt(pair.arena->arena(), offset).header;
      last->timestampedSent.store(5);
    }
    QCOMPARE(sentAndTaken(pair), std::pair(std::uint64_t{5}, std::uint64_t{5}));
    last->timestampedSent.store(6);
    QCOMPARE(sentAndTaken(pair), std::pair(std::uint64_t{6}, std::uint64_t{5}));
  }
  void ofAChainWithoutEndAMessageIsOnItsWay() {
    Pair pair;
    pair.ring.header->timestampedTaken.store(5);
    pair.ring.header->timestampedSent.store(5);
    QCOMPARE(sentAndTaken(pair), std::pair(std::uint64_t{5}, std::uint64_t{5}));
    pair.ring.header->successor.store(pair.offset);
    QCOMPARE(sentAndTaken(pair), std::pair(std::uint64_t{6}, std::uint64_t{5}));
  }
  void aListOfRingsWithoutEndIsLeft() {
    Pair pair;
    pair.block->inbound.next.store(0);
    const Offset again = static_cast<Offset>(reinterpret_cast<std::byte*>(&pair.block->inbound) -
                                             pair.arena->arena().whole().data());
    pair.block->inbound.next.store(again);
    std::size_t seen = 0;
    const bool found = anyInbound(pair.arena->arena(), *pair.block,
                                  [&](FederateNumber, std::uint64_t, std::uint64_t) {
                                    ++seen;
                                    return false;
                                  });
    QVERIFY(!found);
    QVERIFY(seen > 1);
  }
  void aRecordShorterThanItsHeadIsNotDelivered() {
    for (std::uint32_t bytes = 0; bytes < sizeof(RecordHead); ++bytes) {
      Pair pair;
      pair.putRaw(record(bytes));
      std::vector<std::byte> taken;
      FederateNumber from = 0;
      Inbox::Source* source = nullptr;
      QVERIFY2(!pair.inbox.next(taken, from, source), qPrintable(QString::number(bytes)));
    }
    Pair pair;
    pair.putRaw(record(sizeof(RecordHead)));
    std::vector<std::byte> taken;
    FederateNumber from = 0;
    Inbox::Source* source = nullptr;
    QVERIFY(pair.inbox.next(taken, from, source));
    QCOMPARE(taken.size(), sizeof(RecordHead));
    QCOMPARE(from, publisher);
  }

  void aRecordThatPassesTheEndOfTheRingBreaksIt() {
    for (const std::uint32_t bytes : {4000U, 0x7fffffffU, 0xfffffff0U, 0xffffffffU}) {
      Pair pair;
      auto raw = record(sizeof(RecordHead));
      std::memcpy(raw.data(), &bytes, sizeof bytes);
      pair.putRaw(raw);
      RingReader reader(pair.ring);
      QVERIFY(reader.peek().empty());
      QVERIFY(reader.broken());
      // What is written later is not looked at.
      pair.ring.header->tail.store(128);
      QVERIFY(reader.peek().empty());
    }
  }

  void aTailBeyondTheRingBreaksIt() {
    Pair pair;
    pair.ring.header->tail.store(1 << 30);
    RingReader reader(pair.ring);
    QVERIFY(reader.peek().empty());
    QVERIFY(reader.broken());
  }

  void aRingIsOneOnlyWhereItsMemoryIs() {
    Pair pair;
    RingHeader& header = *pair.ring.header;
    const std::uint32_t capacity = header.capacity;
    QVERIFY(ringAt(pair.arena->arena(), pair.offset));
    for (const std::uint32_t wrong : {0U, 8U, capacity - 1, 1U << 30, 0xffffffffU}) {
      header.capacity = wrong;
      QVERIFY2(!ringAt(pair.arena->arena(), pair.offset), qPrintable(QString::number(wrong)));
    }
    header.capacity = capacity;
    header.magic = 1;
    QVERIFY(!ringAt(pair.arena->arena(), pair.offset));
    QVERIFY(!ringAt(pair.arena->arena(), pair.arena->size()));
  }

  /// Of a reference to more than a head can tell of: 4 GiB less 23 bytes, with its head, are 1 byte
  /// when counted with 32 bits.
  void aBodyOfFourGibibytesIsNotCopied() {
    Pair pair(std::uint64_t{5} << 30);
    pair.arena->header().committed.store(pair.arena->size());  // is not there, and must not be read
    auto taken = record(sizeof(RecordHead), recordFlag::chunk);
    const ChunkReference reference{pageBytes, 0xffffffff - 22};
    const auto* bytes = reinterpret_cast<const std::byte*>(&reference);
    taken.insert(taken.end(), bytes, bytes + sizeof reference);
    pair.inbox.makeWhole(taken);
    QCOMPARE(taken.size(), sizeof(RecordHead));
    QVERIFY(!Inbox::isReference(taken));
  }

  void aMessageOfFourGibibytesIsRefusedBeforeItIsSent() {
    tutti::core::Outbox outbox;
    for (const std::uint8_t flags : {std::uint8_t{0}, recordFlag::bestEffort}) {
      QVERIFY_THROWS_EXCEPTION(tutti::core::ServiceFault, outbox.body(largestBody + 1, flags));
    }
  }

  /// A publisher has set the ready bits and seen the subscriber awake, and another federate of the
  /// subscriber's process took them from there just when the subscriber looked, before it slept.
  void aReceiverThatSleepsIsWokenForWhatAnotherThreadTookIn() {
    Pair pair;
    pair.putRaw(record(sizeof(RecordHead)));
    const std::uint32_t doorbell = pair.block->doorbell.load();
    pair.block->sleeping.store(1);
    QVERIFY(pair.inbox.emptyRingOf(publisher));
    QCOMPARE(pair.block->sleeping.load(), 0U);
    QVERIFY(pair.block->doorbell.load() != doorbell);
    QVERIFY(pair.block->readySummary.load() != 0);

    pair.inbox.makeRoom();
    QVERIFY(pair.block->readySummary.load() != 0);
  }
};

QTEST_GUILESS_MAIN(TestRing)
#include "tst_ring.moc"
