// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <atomic>
#include <chrono>
#include <thread>

#include "fabric/futex.h"
#include "fabric/waiter.h"

using namespace tutti::fabric;
using Clock = std::chrono::steady_clock;

class TestWaiter : public QObject {
  Q_OBJECT

 private slots:
  void noWakeIsLost_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("a ready bit") << 0;
    QTest::newRow("the doorbell") << 1;
    QTest::newRow("a record of the log") << 2;
  }
  /// A sleep without a limit ends by its wake alone: a lost one would leave both threads waiting.
  void noWakeIsLost() {
    QFETCH(int, kind);
    constexpr std::uint64_t rounds = 20000;
    HostPage host{};
    SpinPage spin{};
    FederateBlock block{};
    ArenaHeader arena{};
    std::atomic<std::uint64_t> brought{0};
    std::atomic<std::uint64_t> seen{0};
    std::atomic<bool> given{false};  // up

    std::thread waiting([&] {
      constexpr std::chrono::hours never{24};
      Waiter waiter(&host, &spin, 0, &block, &arena, never);
      LogNumber applied = 0;
      for (std::uint64_t round = 1; round <= rounds && !given; ++round) {
        for (;;) {
          const std::uint32_t doorbell = waiter.doorbell();
          applied = arena.logTail.load();
          block.readySummary.exchange(0);
          if (brought.load(std::memory_order_relaxed) >= round || given) break;
          waiter.sleep(doorbell, applied, Clock::now() + never);
        }
        seen.store(round);
      }
    });

    std::uint64_t asleep = 0;
    std::uint64_t awake = 0;
    std::thread bringing([&] {
      for (std::uint64_t round = 1; round <= rounds && !given; ++round) {
        while (seen.load() + 1 < round && !given) std::this_thread::yield();
        // From at once to when the other is surely in the kernel.
        for (std::uint64_t i = 0; i < round % 64 * 16; ++i) {
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
        if (round % 16 == 0) {
          while (block.sleeping.load() == 0 && !given) std::this_thread::yield();
        }
        ++(block.sleeping.load(std::memory_order_relaxed) != 0 ? asleep : awake);
        brought.store(round, std::memory_order_relaxed);
        if (kind == 0) {
          block.readySummary.fetch_or(1, std::memory_order_seq_cst);
          wakeIfSleeping(block);
        } else {
          if (kind == 2) arena.logTail.store(round, std::memory_order_seq_cst);
          ringDoorbell(block);
        }
      }
    });

    const bool all = QTest::qWaitFor([&] { return seen.load() == rounds; }, 90000);
    given = true;
    ringDoorbell(block);
    waiting.join();
    bringing.join();
    QVERIFY2(all, qPrintable(QStringLiteral("after %1 rounds a wake was lost").arg(seen.load())));
    QVERIFY2(asleep > rounds / 32 && awake + asleep == rounds,
             qPrintable(QStringLiteral("%1 of %2 found it asleep").arg(asleep).arg(rounds)));
  }

  void aSleepEndsAfterItsLimit() {
    HostPage host{};
    SpinPage spin{};
    FederateBlock block{};
    ArenaHeader arena{};
    Waiter waiter(&host, &spin, 0, &block, &arena, std::chrono::milliseconds(1));
    waiter.sleep(waiter.doorbell(), 0, Clock::now() + std::chrono::hours(1));
    QCOMPARE(block.sleeping.load(), 0U);
  }
};

QTEST_GUILESS_MAIN(TestWaiter)
#include "tst_waiter.moc"
