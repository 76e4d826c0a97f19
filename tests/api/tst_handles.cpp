// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/Exception.h>
#include <RTI/Handle.h>

#include <QTest>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "api1516e/handle_access.h"

using namespace rti1516e;
using tutti::api1516e::decodeHandle;
using tutti::api1516e::makeHandle;
using tutti::api1516e::value;

namespace {

QByteArray hex(const VariableLengthData& data) {
  return QByteArray(static_cast<const char*>(data.data()), static_cast<int>(data.size())).toHex();
}

template <class Handle>
void checkHandle(const wchar_t* name) {
  const Handle none;
  QVERIFY(!none.isValid());
  QCOMPARE(value(none), std::uint64_t(0));
  QVERIFY(none == Handle() && !(none != Handle()));
  QCOMPARE(none.toString(), std::wstring(name) + L"(invalid)");

  const auto seven = makeHandle<Handle>(7);
  const auto eight = makeHandle<Handle>(8);
  const auto large = makeHandle<Handle>(0xFEDCBA9876543210U);
  QVERIFY(seven.isValid());
  QCOMPARE(value(large), std::uint64_t(0xFEDCBA9876543210U));
  QVERIFY(seven == makeHandle<Handle>(7) && seven != eight && !(seven == eight));
  QVERIFY(seven < eight && !(eight < seven) && !(seven < seven));
  QVERIFY(eight < large && none < seven);  // unsigned, the invalid one first
  QCOMPARE(seven.hash(), makeHandle<Handle>(7).hash());
  QVERIFY(seven.hash() != eight.hash());
  QCOMPARE(seven.toString(), std::wstring(name) + L"(7)");
  std::wostringstream stream;
  stream << seven;
  QCOMPARE(stream.str(), seven.toString());

  Handle copy(seven);
  QVERIFY(copy == seven);
  copy = eight;
  QVERIFY(copy == eight && seven != eight);
  const Handle& self = copy;
  copy = self;
  QVERIFY(copy == eight);
  copy = Handle();
  QVERIFY(!copy.isValid());

  QCOMPARE(large.encodedLength(), size_t(8));
  QCOMPARE(hex(large.encode()), QByteArray("fedcba9876543210"));
  VariableLengthData data("longer than a handle", 20);
  large.encode(data);
  QCOMPARE(hex(data), QByteArray("fedcba9876543210"));
  char buffer[10];
  std::memset(buffer, '#', sizeof(buffer));
  QCOMPARE(seven.encode(buffer, sizeof(buffer)), size_t(8));
  QCOMPARE(QByteArray(buffer, 10).toHex(), QByteArray("00000000000000072323"));
  QVERIFY_EXCEPTION_THROWN(seven.encode(buffer, 7), CouldNotEncode);
  QVERIFY_EXCEPTION_THROWN(seven.encode(nullptr, 8), CouldNotEncode);

  QVERIFY(decodeHandle<Handle>(large.encode()) == large);
  QVERIFY_EXCEPTION_THROWN(decodeHandle<Handle>(none.encode()), CouldNotDecode);
  QVERIFY_EXCEPTION_THROWN(decodeHandle<Handle>(VariableLengthData()), CouldNotDecode);
  QVERIFY_EXCEPTION_THROWN(decodeHandle<Handle>(VariableLengthData(buffer, 7)), CouldNotDecode);
  QVERIFY_EXCEPTION_THROWN(decodeHandle<Handle>(VariableLengthData(buffer, 9)), CouldNotDecode);
}

}  // namespace

class HandlesTest : public QObject {
  Q_OBJECT

 private slots:
  void federate() { checkHandle<FederateHandle>(L"FederateHandle"); }
  void objectClass() { checkHandle<ObjectClassHandle>(L"ObjectClassHandle"); }
  void interactionClass() { checkHandle<InteractionClassHandle>(L"InteractionClassHandle"); }
  void objectInstance() { checkHandle<ObjectInstanceHandle>(L"ObjectInstanceHandle"); }
  void attribute() { checkHandle<AttributeHandle>(L"AttributeHandle"); }
  void parameter() { checkHandle<ParameterHandle>(L"ParameterHandle"); }
  void dimension() { checkHandle<DimensionHandle>(L"DimensionHandle"); }
  void messageRetraction() { checkHandle<MessageRetractionHandle>(L"MessageRetractionHandle"); }
  void region() { checkHandle<RegionHandle>(L"RegionHandle"); }

  void orderedContainers() {
    std::set<AttributeHandle> set;
    for (const std::uint64_t number : {3U, 1U, 2U, 3U}) {
      set.insert(makeHandle<AttributeHandle>(number));
    }
    std::vector<std::uint64_t> order;
    for (const AttributeHandle& handle : set) order.push_back(value(handle));
    QCOMPARE(order, (std::vector<std::uint64_t>{1, 2, 3}));
  }

  // Threads make, copy and drop equal handles and copies of a shared one at the same time. Under
  // the thread sanitizer a shared implementation with a plain counter would be reported here.
  void manyThreads() {
    const auto shared = makeHandle<ObjectInstanceHandle>(42);
    std::vector<std::thread> threads;
    std::vector<std::uint64_t> sums(4);
    for (size_t thread = 0; thread < sums.size(); ++thread) {
      threads.emplace_back([&shared, &sum = sums[thread]] {
        std::map<ObjectInstanceHandle, std::uint64_t> seen;
        for (std::uint64_t i = 1; i <= 2000; ++i) {
          const ObjectInstanceHandle copy(shared);
          ++seen[copy];
          ++seen[makeHandle<ObjectInstanceHandle>(i % 50 + 1)];
        }
        for (const auto& [handle, count] : seen) sum += value(handle) * count;
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::uint64_t expected = 42 * 2000;
    for (std::uint64_t i = 1; i <= 2000; ++i) expected += i % 50 + 1;
    for (const std::uint64_t sum : sums) QCOMPARE(sum, expected);
  }
};

QTEST_GUILESS_MAIN(HandlesTest)
#include "tst_handles.moc"
