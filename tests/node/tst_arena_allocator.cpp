// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "executive/arena_allocator.h"
#include "executive/budget.h"

using tutti::executive::ArenaAllocator;
using tutti::executive::Budget;
using tutti::fabric::Offset;

namespace {

constexpr std::uint64_t MiB = 1 << 20;

/// What the kernel has put behind the memfds of an arena.
std::uint64_t backedBytes(const ArenaAllocator& arena) {
  std::uint64_t bytes = 0;
  for (const int descriptor : arena.descriptors()) {
    struct stat information {};
    if (::fstat(descriptor, &information) != 0) return 0;
    bytes += static_cast<std::uint64_t>(information.st_blocks) * 512;
  }
  return bytes;
}

bool isZero(const std::byte* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::byte value) { return value == std::byte{0}; });
}

}  // namespace

class TestArenaAllocator : public QObject {
  Q_OBJECT

 private slots:
  void budgetIsReadFromText_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<quint64>("bytes");  // 0: refused
    QTest::newRow("bytes") << QByteArray("2097152") << quint64(2 * MiB);
    QTest::newRow("K") << QByteArray("2048K") << quint64(2 * MiB);
    QTest::newRow("M") << QByteArray("512M") << quint64(512 * MiB);
    QTest::newRow("G") << QByteArray("2G") << quint64(2048 * MiB);
    QTest::newRow("lower case") << QByteArray("3m") << quint64(3 * MiB);
    QTest::newRow("too little") << QByteArray("64K") << quint64(0);
    QTest::newRow("zero") << QByteArray("0") << quint64(0);
    QTest::newRow("negative") << QByteArray("-1G") << quint64(0);
    QTest::newRow("no number") << QByteArray("lots") << quint64(0);
    QTest::newRow("unknown suffix") << QByteArray("5T") << quint64(0);
    QTest::newRow("suffix twice") << QByteArray("5GG") << quint64(0);
    QTest::newRow("fraction") << QByteArray("1.5G") << quint64(0);
    QTest::newRow("wraps around") << QByteArray("99999999999G") << quint64(0);
    QTest::newRow("more than 64 bits") << QByteArray("99999999999999999999") << quint64(0);
  }
  void budgetIsReadFromText() {
    QFETCH(QByteArray, text);
    QFETCH(quint64, bytes);
    const auto budget = Budget::parse(text.toStdString());
    QCOMPARE(budget.value_or(0), bytes);
    if (bytes == 0) QVERIFY(QString::fromStdString(budget.error()).contains(text));
  }

  void environmentSetsTheBudget() {
    qputenv("TUTTI_MEMORY", "7M");
    const auto budget = Budget::fromEnvironment();
    qunsetenv("TUTTI_MEMORY");
    QVERIFY(budget.has_value());
    QCOMPARE(budget->total(), 7 * MiB);
    const auto usual = Budget::fromEnvironment();
    QVERIFY(usual.has_value());
    QVERIFY(usual->total() >= MiB);
  }

  void aControlGroupLimitsTheBudget() {
    QTemporaryDir root;
    const auto write = [&](const QString& group, const QByteArray& most, const QByteArray& used) {
      QDir(root.path()).mkpath("." + group);
      for (const auto& [name, text] : {std::pair{"/memory.max", most}, {"/memory.current", used}}) {
        QFile file(root.path() + group + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text + "\n");
      }
    };
    constexpr auto unlimited = ~std::uint64_t{0};
    const auto left = [&](const char* groups) {
      return tutti::executive::controlGroupMemory(groups, root.path().toStdString());
    };
    QCOMPARE(left("0::/job/step\n"), unlimited);  // no such files
    write("/job/step", "max", "1000");
    QCOMPARE(left("0::/job/step\n"), unlimited);
    write("/job", "5000", "2000");
    QCOMPARE(left("0::/job/step\n"), std::uint64_t{3000});
    write("/job/step", "4000", "1500");
    QCOMPARE(left("1:cpu:/old\n0::/job/step\n"), std::uint64_t{2500});
    write("/job/step", "1000", "1500");
    QCOMPARE(left("0::/job/step\n"), std::uint64_t{0});
    QCOMPARE(left("1:memory:/job\n"), unlimited);
    QCOMPARE(left("0::/\n"), unlimited);
    QCOMPARE(left(""), unlimited);
    QCOMPARE(left("0::"), unlimited);
  }

  void extentsAreZeroPowersOfTwoApart() {
    Budget budget(16 * MiB);
    auto arena = ArenaAllocator::make(budget);
    QVERIFY(arena.has_value());
    std::map<Offset, std::uint64_t> extents;
    for (const std::uint64_t wanted : {1, 4096, 4097, 60000, 65536, 100000, 12, 1048576}) {
      const auto extent = (*arena)->allocate(wanted, 1, "a test");
      QVERIFY(extent.has_value());
      QVERIFY(extent->bytes >= wanted);
      QVERIFY(extent->bytes >= 4096);
      QCOMPARE(extent->bytes & (extent->bytes - 1), std::uint64_t{0});
      QCOMPARE(extent->offset % 4096, std::uint64_t{0});
      QVERIFY(extent->offset != 0);
      std::byte* data = (*arena)->at(extent->offset, extent->bytes);
      QVERIFY(data != nullptr);
      QVERIFY(isZero(data, extent->bytes));
      std::memset(data, 0xee, extent->bytes);
      extents.emplace(extent->offset, extent->bytes);
    }
    std::uint64_t end = 0;
    for (const auto& [offset, bytes] : extents) {
      QVERIFY(offset >= end);
      end = offset + bytes;
    }
    QVERIFY(end <= (*arena)->header().committed.load());
  }

  void freedExtentsJoinAndComeBackZero() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    std::vector<Offset> small;
    while (auto extent = (*arena)->allocate(4096, 1, "a test")) {
      std::memset((*arena)->at(extent->offset, 4096), 0xee, 4096);
      small.push_back(extent->offset);
    }
    QVERIFY(small.size() > 400);
    for (std::size_t i = 0; i < small.size(); i += 2) QVERIFY((*arena)->release(small[i]));
    QVERIFY(!(*arena)->allocate(8192, 1, "a test"));
    for (std::size_t i = 1; i < small.size(); i += 2) QVERIFY((*arena)->release(small[i]));
    const auto large = (*arena)->allocate(MiB, 1, "a test");
    QVERIFY(large.has_value());
    QVERIFY(isZero((*arena)->at(large->offset, MiB), MiB));
    QVERIFY(!(*arena)->release(small[1] + 1));
  }

  void memoryIsNeverTakenPastTheBudget() {
    Budget budget(3 * MiB + 4096);
    auto arena = ArenaAllocator::make(budget);
    QVERIFY(arena.has_value());
    std::uint64_t wanted = 4096;
    int refusals = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto extent = (*arena)->allocate(wanted, 1, "the rings of federate 'radar'");
      if (!extent) {
        ++refusals;
        const QString message = QString::fromStdString(extent.error());
        QVERIFY2(message.contains("the rings of federate 'radar'"), qPrintable(message));
        QVERIFY2(message.contains("3.0 MiB"), qPrintable(message));
        QVERIFY2(message.contains("TUTTI_MEMORY"), qPrintable(message));
        wanted = 4096;
      } else {
        // What is handed out can be touched: a SIGBUS ends this test.
        std::memset((*arena)->at(extent->offset, extent->bytes), 0x55, extent->bytes);
        wanted = wanted == 262144 ? 4096 : wanted * 2;
      }
      QVERIFY(budget.used() <= budget.total());
      QVERIFY(backedBytes(**arena) <= budget.total());
      QVERIFY((*arena)->committed() <= budget.total());
    }
    QVERIFY(refusals > 0);
    QVERIFY(!(*arena)->allocate(64 * MiB, 1, "far too much"));
    QVERIFY(!(*arena)->allocate(~std::uint64_t{0}, 1, "everything"));
    QVERIFY(backedBytes(**arena) <= budget.total());
  }

  void arenasShareTheBudget() {
    Budget budget(2 * MiB);
    auto first = ArenaAllocator::make(budget);
    auto second = ArenaAllocator::make(budget);
    QVERIFY((*first)->allocate(MiB, 1, "a test").has_value());
    QVERIFY(!(*second)->allocate(MiB, 1, "a test").has_value());
    first->reset();
    QVERIFY((*second)->allocate(MiB, 1, "a test").has_value());
    second->reset();
    QCOMPARE(budget.used(), std::uint64_t{0});
  }

  void retiredExtentsWaitForTheirRecord() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    const auto extent = (*arena)->allocate(MiB, 7, "a test");
    QVERIFY(extent.has_value());
    QCOMPARE((*arena)->ownedBy(7), std::vector<Offset>{extent->offset});
    QVERIFY((*arena)->retire(extent->offset, 42));
    QVERIFY(!(*arena)->retire(extent->offset, 43));
    QVERIFY((*arena)->ownedBy(7).empty());
    QVERIFY(!(*arena)->ownerOf(extent->offset).has_value());
    (*arena)->reclaim(41);
    QVERIFY((*arena)->hasRetired(42));
    QVERIFY(!(*arena)->hasRetired(41));
    QVERIFY(!(*arena)->allocate(MiB, 7, "a test").has_value());
    (*arena)->reclaim(42);
    QVERIFY(!(*arena)->hasRetired(42));
    const auto again = (*arena)->allocate(MiB, 8, "a test");
    QVERIFY(again.has_value());
    QCOMPARE(again->offset, extent->offset);
    QCOMPARE((*arena)->ownerOf(again->offset).value_or(0), 8U);
  }

  void nobodyCanResizeTheMemory() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    for (const int descriptor : (*arena)->descriptors()) {
      QVERIFY(::ftruncate(descriptor, 4096) != 0);
      QVERIFY(::ftruncate(descriptor, 256 * MiB) != 0);
      QVERIFY(::fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE) != 0);
    }
  }

  void observersCannotWrite() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    const auto descriptors = (*arena)->readOnlyDescriptors();
    for (const int descriptor : descriptors) {
      QCOMPARE(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
               MAP_FAILED);
    }
    auto memory = (*arena)->memory();
    memory.shared = descriptors[1];
    const auto mapped =
        tutti::fabric::Arena::open(memory, tutti::fabric::Mapping::Access::ReadOnly);
    QVERIFY2(mapped.has_value(), mapped ? "" : mapped.error().c_str());
  }

  /// Also not by a descriptor that is opened anew for writing, by a private way into the memory, or
  /// by write().
  void federatesCannotWriteWhatIsPublished() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    const int handedOut = (*arena)->descriptors()[0];
    const auto path = QByteArray("/proc/self/fd/") + QByteArray::number(handedOut);
    const tutti::fabric::UniqueFd again(::open(path.constData(), O_RDWR | O_CLOEXEC));
    for (const int descriptor : {handedOut, again.get()}) {
      QVERIFY(descriptor >= 0);
      QCOMPARE(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
               MAP_FAILED);
      QVERIFY(::pwrite(descriptor, "x", 1, 0) < 0);
      void* const readable = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
      QVERIFY(readable != MAP_FAILED);
      QVERIFY(::mprotect(readable, 4096, PROT_READ | PROT_WRITE) != 0);
      QCOMPARE(::munmap(readable, 4096), 0);
    }
    // The node goes on writing it, and in memory that is put there later.
    const auto extent = (*arena)->publish(100000, "a test");
    QVERIFY(extent.has_value());
    QVERIFY(extent->offset + extent->bytes <= (*arena)->publishedBytes());
    const auto federate = tutti::fabric::Arena::open((*arena)->memory());
    QVERIFY(federate.has_value());
    *(*arena)->at(extent->offset, 1) = std::byte{7};
    QCOMPARE(*federate->at(extent->offset, 1), std::byte{7});
    QVERIFY((*arena)->release(extent->offset));
  }

  void anotherLayoutIsRefusedByName() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    const auto memory = (*arena)->memory();
    QVERIFY(tutti::fabric::Arena::open(memory).has_value());
    (*arena)->header().version = 99;
    const auto other = tutti::fabric::Arena::open(memory);
    QVERIFY(!other.has_value());
    QVERIFY2(QString::fromStdString(other.error()).contains("version 99"), other.error().c_str());
    (*arena)->header().version = tutti::fabric::layoutVersion;
    (*arena)->header().magic = 1;
    QVERIFY(!tutti::fabric::Arena::open(memory).has_value());
    (*arena)->header().magic = tutti::fabric::ArenaHeader::magicValue;
    auto wrong = memory;
    wrong.bytes *= 2;
    QVERIFY(!tutti::fabric::Arena::open(wrong).has_value());
    wrong.bytes = 8;
    QVERIFY(!tutti::fabric::Arena::open(wrong).has_value());
    wrong = memory;
    wrong.publishedBytes -= 4096;
    QVERIFY(!tutti::fabric::Arena::open(wrong).has_value());
    tutti::fabric::UniqueFd unsealed(::memfd_create("unsealed", MFD_CLOEXEC));
    QVERIFY(::ftruncate(unsealed.get(), 4096) == 0);
    QVERIFY(!tutti::fabric::Arena::open({unsealed.get(), unsealed.get(), 4096, 8192}).has_value());
  }

  void addressesAreCheckedAgainstWhatIsBacked() {
    Budget budget(2 * MiB);
    auto arena = ArenaAllocator::make(budget);
    const auto& mapped = (*arena)->arena();
    QVERIFY((*arena)->allocate(4096, 1, "a test").has_value());
    const std::uint64_t end = (*arena)->header().committed.load();
    const std::uint64_t published = (*arena)->header().published.load();
    QVERIFY(mapped.at(published - 8, 8) != nullptr);
    QVERIFY(mapped.at(published - 8, 9) == nullptr);
    QVERIFY(mapped.at(mapped.firstShared() - 8, 16) == nullptr);
    QVERIFY(mapped.at(end - 8, 8) != nullptr);
    QVERIFY(mapped.at(end - 8, 9) == nullptr);
    QVERIFY(mapped.at(end, 1) == nullptr);
    QVERIFY(mapped.at(0, 8) == nullptr);
    QVERIFY(mapped.at(12, 8) == nullptr);
    QVERIFY(mapped.at(~std::uint64_t{7}, 8) == nullptr);
    QVERIFY(mapped.at(8, ~std::size_t{0}) == nullptr);
  }
};

QTEST_GUILESS_MAIN(TestArenaAllocator)
#include "tst_arena_allocator.moc"
