// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <vector>

#include "allocation_count.h"
#include "api1516e/attribute_map.h"

using namespace rti1516e;
using namespace tutti::api1516e;

namespace {

const char kOctets[] = "abcdefghijklmnopqrstuvwxyz";

// Values of one octet each: handle 1 is "a", handle 2 "b" ...; `shift` moves that.
std::vector<HandleValue> message(std::initializer_list<int> handles, int shift = 0) {
  std::vector<HandleValue> values;
  for (const int handle : handles) {
    values.push_back({std::uint64_t(handle), kOctets + handle - 1 + shift, 1});
  }
  return values;
}

template <class Map>
QByteArray text(const Map& map) {
  QByteArray result;
  for (const auto& [handle, data] : map) {
    result += QByteArray::number(qulonglong(value(handle))) +
              QByteArray(static_cast<const char*>(data.data()), int(data.size())) + ' ';
  }
  return result.trimmed();
}

}  // namespace

class AttributeMapTest : public QObject {
  Q_OBJECT

 private slots:
  void holdsTheMessage_data() {
    QTest::addColumn<std::vector<HandleValue>>("before");
    QTest::addColumn<std::vector<HandleValue>>("message");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("first") << message({}) << message({1, 2}) << QByteArray("1a 2b");
    QTest::newRow("same handles") << message({1, 2}, 5) << message({1, 2}) << QByteArray("1a 2b");
    QTest::newRow("fewer") << message({1, 2, 3}) << message({1, 3}) << QByteArray("1a 3c");
    QTest::newRow("a part at the front") << message({1, 2, 3}) << message({1}) << QByteArray("1a");
    QTest::newRow("more") << message({2}) << message({1, 2, 3}) << QByteArray("1a 2b 3c");
    QTest::newRow("others") << message({1, 2}) << message({3, 4}) << QByteArray("3c 4d");
    QTest::newRow("none") << message({1, 2}) << message({}) << QByteArray();
    QTest::newRow("descending") << message({1}) << message({3, 2, 1}) << QByteArray("1a 2b 3c");
    QTest::newRow("twice the same") << message({1, 2}) << message({1, 1}) << QByteArray("1a");
  }
  void holdsTheMessage() {
    QFETCH(std::vector<HandleValue>, before);
    QFETCH(std::vector<HandleValue>, message);
    QFETCH(QByteArray, expected);
    AttributeMapBuilder attributes;
    ParameterMapBuilder parameters;
    attributes.rebuild(before);
    parameters.rebuild(before);
    QCOMPARE(text(attributes.rebuild(message)), expected);
    QCOMPARE(text(parameters.rebuild(message)), expected);
  }

  void doesNotCopy() {
    AttributeMapBuilder builder;
    const AttributeHandleValueMap& map = builder.rebuild(message({1}));
    QVERIFY(map.begin()->second.data() == kOctets);
  }

  void copiesOutliveTheMessage() {
    AttributeMapBuilder builder;
    QByteArray octets("xyz");
    const HandleValue value{4, octets.constData(), 3};
    const AttributeHandleValueMap copy = builder.rebuild({&value, 1});
    octets.fill('#');
    QCOMPARE(text(copy), QByteArray("4xyz"));
  }

  void theSameHandlesAllocateNothing() {
    AttributeMapBuilder builder;
    const auto first = message({1, 2, 3});
    const auto second = message({1, 2, 3}, 7);
    const AttributeHandleValueMap& map = builder.rebuild(first);
    const long before = allocations;
    for (int i = 0; i < 100; ++i) builder.rebuild(i % 2 == 0 ? second : first);
    QCOMPARE(allocations.load(), before);
    QCOMPARE(text(map), QByteArray("1a 2b 3c"));
  }

  // Alternating sets of handles reuse the nodes of each other.
  void alternatingHandlesAllocateNothing() {
    AttributeMapBuilder builder;
    const auto first = message({1, 2, 3});
    const auto second = message({2, 9});
    for (int i = 0; i < 3; ++i) {
      builder.rebuild(first);
      builder.rebuild(second);
    }
    const long before = allocations;
    for (int i = 0; i < 100; ++i) builder.rebuild(i % 2 == 0 ? first : second);
    QCOMPARE(allocations.load(), before);
    QCOMPARE(text(builder.rebuild(second)), QByteArray("2b 9i"));
  }
};

QTEST_GUILESS_MAIN(AttributeMapTest)
#include "tst_attribute_map.moc"
