// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <atomic>
#include <thread>

#include "executive/arena_allocator.h"
#include "executive/control_log.h"
#include "fake_models.h"
#include "log_reader.h"

using namespace tutti::fabric;
using tutti::executive::ArenaAllocator;
using tutti::executive::Budget;
using tutti::executive::ControlLog;
using tutti::test::bytesOf;
using tutti::test::LogReader;
using tutti::test::ReadRecord;

namespace {

constexpr std::uint64_t MiB = 1 << 20;
constexpr auto announced = LogRecordType::SynchronizationPointAnnounced;

SynchronizationPointAnnouncedRecord record(const std::string& label, std::size_t tagBytes = 0) {
  return {label, Bytes(tagBytes, std::byte{0x41}), {1, 2, 3}};
}

FederateResignedRecord resigned(FederateNumber federate) {
  FederateResignedRecord result;
  result.federate = federate;
  return result;
}

}  // namespace

class TestControlLog : public QObject {
  Q_OBJECT

  /// A federate's page in the arena.
  static FederateBlock& makeBlock(ArenaAllocator& arena) {
    const auto extent = arena.allocate(sizeof(FederateBlock), 1, "a test");
    return *new (arena.at(extent->offset, sizeof(FederateBlock))) FederateBlock{};
  }

 private slots:
  void recordsAreReadInOrderAcrossBlocks() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    QVERIFY(log.has_value());
    QVERIFY(log->append(announced, record("join")).has_value());
    FederateBlock& block = makeBlock(**arena);
    log->addReader(1, block);
    LogReader reader((*arena)->arena(), log->end());
    std::vector<std::size_t> sizes;
    std::size_t seen = 0;
    // Sizes around the end of a block, so that every distance to it occurs.
    for (std::size_t i = 0; i < 4000; ++i) {
      sizes.push_back((i * 37) % 301);
      const auto number = log->append(announced, record(std::to_string(i), sizes.back()));
      QVERIFY(number.has_value());
      QCOMPARE(*number, static_cast<LogNumber>(i + 2));
      if (i % 97 != 0) continue;
      for (const ReadRecord& each : reader.read(&block)) {
        const auto value = each.as<SynchronizationPointAnnouncedRecord>();
        QCOMPARE(value.label, std::to_string(seen));
        QCOMPARE(value.tag.size(), sizes[seen]);
        ++seen;
      }
    }
    seen += reader.read().size();
    QCOMPARE(seen, sizes.size());
  }

  void aLargeRecordGetsABlockOfItsOwn() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    LogReader reader((*arena)->arena(), log->end());
    QVERIFY(log->append(announced, record("before")).has_value());
    QVERIFY(log->append(announced, record("large", 3 * MiB)).has_value());
    QVERIFY(log->append(announced, record("after")).has_value());
    const auto records = reader.read();
    QCOMPARE(records.size(), std::size_t{3});
    QCOMPARE(records[1].as<SynchronizationPointAnnouncedRecord>().tag.size(), std::size_t{3 * MiB});
    QCOMPARE(records[2].as<SynchronizationPointAnnouncedRecord>().label, std::string("after"));
  }

  void aReaderMayBeginAtTheEnd() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    for (int i = 0; i < 3000; ++i) {
      QVERIFY(log->append(announced, record("x", 40)).has_value());
      LogReader reader((*arena)->arena(), log->end());
      QVERIFY(reader.read().empty());
      QVERIFY(log->append(announced, record("y", 24)).has_value());
      QCOMPARE(reader.read().size(), std::size_t{1});
    }
  }

  void blocksGoBehindTheSlowestReader() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    QVERIFY(log->append(announced, record("join")).has_value());
    FederateBlock& fast = makeBlock(**arena);
    FederateBlock& slow = makeBlock(**arena);
    log->addReader(1, fast);
    log->addReader(2, slow);
    LogReader fastReader((*arena)->arena(), log->end());
    LogReader slowReader((*arena)->arena(), log->end());
    const auto write = [&](int records) {
      for (int i = 0; i < records; ++i)
        QVERIFY(log->append(announced, record("x", 1000)).has_value());
    };
    write(1000);
    QCOMPARE(fastReader.read(&fast).size(), std::size_t{1000});
    log->reclaim();
    QVERIFY(log->blockCount() > 10);  // the slow one has not read any
    QCOMPARE(slowReader.read(&slow).size(), std::size_t{1000});
    log->reclaim();
    QVERIFY(log->blockCount() <= 2);

    // With readers that follow, a long log takes no more memory.
    const auto committed = (*arena)->committed();
    for (int i = 0; i < 100; ++i) {
      write(100);
      fastReader.read(&fast);
      slowReader.read(&slow);
    }
    QVERIFY((*arena)->committed() <= committed + 4 * ControlLog::blockBytes);

    // One who left no longer holds anything.
    write(1000);
    fastReader.read(&fast);
    log->removeReader(2);
    log->reclaim();
    QVERIFY(log->blockCount() <= 2);
    QCOMPARE(log->applied(), log->tail());
  }

  void everyReaderIsRung() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    QVERIFY(log->append(announced, record("join")).has_value());
    FederateBlock& awake = makeBlock(**arena);
    FederateBlock& sleeper = makeBlock(**arena);
    log->addReader(1, awake);
    log->addReader(2, sleeper);
    sleeper.sleeping.store(1);
    const auto before = awake.doorbell.load();
    QVERIFY(log->append(announced, record("news")).has_value());
    QVERIFY(awake.doorbell.load() != before);
    QVERIFY(sleeper.doorbell.load() != 0U);
    QCOMPARE(sleeper.sleeping.load(), 0U);
  }

  void aDeathIsToldWhenMemoryIsUsedUp() {
    Budget budget(MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    QVERIFY(log->append(announced, record("join")).has_value());
    FederateBlock& stuck = makeBlock(**arena);
    log->addReader(1, stuck);  // reads nothing, so that nothing is freed
    LogReader reader((*arena)->arena(), log->end());
    std::size_t written = 0;
    QString message;
    for (;;) {
      const auto number = log->append(announced, record("x", 1000));
      if (!number) {
        message = QString::fromStdString(number.error());
        break;
      }
      ++written;
    }
    QVERIFY2(message.contains("control log") && message.contains("TUTTI_MEMORY"),
             qPrintable(message));
    for (FederateNumber federate = 1; federate <= 500; ++federate) {
      QVERIFY(log->append(LogRecordType::FederateResigned, resigned(federate),
                          ControlLog::Urgency::Urgent)
                  .has_value());
    }
    QCOMPARE(reader.read(&stuck).size(), written + 500);
    // And once it has read on, there is room again for everything.
    QVERIFY(log->append(announced, record("x", 1000)).has_value());
  }

  void aThreadThatReadsAlongSeesEveryRecord() {
    Budget budget(64 * MiB);
    auto arena = ArenaAllocator::make(budget);
    auto log = ControlLog::make(**arena);
    QVERIFY(log->append(announced, record("join")).has_value());
    FederateBlock& block = makeBlock(**arena);
    log->addReader(1, block);
    constexpr std::size_t total = 20000;
    std::atomic<bool> wrong = false;
    // On the same mapping, as thread checkers see it.
    std::thread federate([&, reader = LogReader((*arena)->arena(), log->end())]() mutable {
      std::size_t next = 0;
      while (next < total && !wrong) {
        for (const ReadRecord& each : reader.read(&block)) {
          if (each.as<SynchronizationPointAnnouncedRecord>().label != std::to_string(next++)) {
            wrong = true;
          }
        }
      }
    });
    for (std::size_t i = 0; i < total; ++i) {
      if (!log->append(announced, record(std::to_string(i), i % 50))) wrong = true;
    }
    federate.join();
    QVERIFY(!wrong);
  }
};

QTEST_GUILESS_MAIN(TestControlLog)
#include "tst_control_log.moc"
