// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/VariableLengthData.h>

#include <QTest>
#include <cstring>

#include "allocation_count.h"
#include "api1516e/variable_length_data_access.h"

using rti1516e::VariableLengthData;

namespace {

QByteArray octets(const VariableLengthData& data) {
  return QByteArray(static_cast<const char*>(data.data()), static_cast<int>(data.size()));
}

int released = 0;
void* releasedMemory = nullptr;
void release(void* memory) {
  ++released;
  releasedMemory = memory;
}

}  // namespace

class VariableLengthDataTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    released = 0;
    releasedMemory = nullptr;
  }

  void startsEmpty() {
    const VariableLengthData data;
    QCOMPARE(data.size(), size_t(0));
    const VariableLengthData copy(data);
    QCOMPARE(copy.size(), size_t(0));
    const VariableLengthData nothing(nullptr, 0);
    QCOMPARE(nothing.size(), size_t(0));
  }

  void copiesWhatItIsGiven() {
    char text[] = "abc";
    VariableLengthData data(text, 3);
    text[0] = 'x';
    QCOMPARE(octets(data), QByteArray("abc"));
    data.setData(text, 2);
    text[1] = 'y';
    QCOMPARE(octets(data), QByteArray("xb"));
    data.setData("a longer text than there was before", 35);
    QCOMPARE(octets(data), QByteArray("a longer text than there was before"));
    data.setData(nullptr, 0);
    QCOMPARE(data.size(), size_t(0));
  }

  // A part of the own octets may become the value.
  void takesPartOfItself() {
    VariableLengthData data("0123456789", 10);
    data.setData(static_cast<const char*>(data.data()) + 4, 3);
    QCOMPARE(octets(data), QByteArray("456"));
    const VariableLengthData& self = data;
    data = self;
    QCOMPARE(octets(data), QByteArray("456"));
    auto* taken = new char[4]{'a', 'b', 'c', 'd'};
    data.takeDataPointer(taken, 4);
    data.setData(taken + 1, 2);
    QCOMPARE(octets(data), QByteArray("bc"));
  }

  void copiesAreDeep_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("copied") << 0;
    QTest::newRow("borrowed") << 1;
    QTest::newRow("taken") << 2;
  }
  void copiesAreDeep() {
    QFETCH(int, kind);
    char text[] = "abc";
    VariableLengthData original("before", 6);
    if (kind == 0) original.setData(text, 3);
    if (kind == 1) original.setDataPointer(text, 3);
    if (kind == 2) original.takeDataPointer(text, 3, release);

    const VariableLengthData constructed(original);
    VariableLengthData assigned("something else", 14);
    assigned = original;
    text[0] = 'x';
    original.setData("zzz", 3);
    QCOMPARE(octets(constructed), QByteArray("abc"));
    QCOMPARE(octets(assigned), QByteArray("abc"));
    QVERIFY(constructed.data() != assigned.data());
    QCOMPARE(released, kind == 2 ? 1 : 0);
  }

  void borrows() {
    char text[] = "abc";
    VariableLengthData data;
    data.setDataPointer(text, 3);
    QVERIFY(data.data() == text);
    text[1] = 'x';
    QCOMPARE(octets(data), QByteArray("axc"));
    data.setData("own", 3);
    QCOMPARE(QByteArray(text), QByteArray("axc"));
  }

  void releasesWhatItTookOnce_data() {
    QTest::addColumn<int>("next");
    QTest::newRow("destroyed") << 0;
    QTest::newRow("set") << 1;
    QTest::newRow("set empty") << 2;
    QTest::newRow("borrowing") << 3;
    QTest::newRow("taking again") << 4;
    QTest::newRow("assigned") << 5;
    QTest::newRow("set longer than before") << 6;
  }
  void releasesWhatItTookOnce() {
    QFETCH(int, next);
    char memory[8] = {};
    char other[8] = {};
    {
      VariableLengthData data;
      data.takeDataPointer(memory, 8, release);
      QVERIFY(data.data() == memory);
      QCOMPARE(released, 0);
      if (next == 1) data.setData("a", 1);
      if (next == 2) data.setData(nullptr, 0);
      if (next == 3) data.setDataPointer(other, 8);
      if (next == 4) data.takeDataPointer(other, 8, [](void*) {});
      if (next == 5) data = VariableLengthData("b", 1);
      if (next == 6) data.setData(QByteArray(1000, 'c').constData(), 1000);
      if (next != 0) {
        QCOMPARE(released, 1);
        QVERIFY(releasedMemory == memory);
      }
    }
    QCOMPARE(released, 1);
    QVERIFY(releasedMemory == memory);
  }

  // Without a function the memory is an array of char; the address sanitizer would report another
  // way of freeing it, or none.
  void deletesArrays() {
    VariableLengthData data;
    data.takeDataPointer(new char[3]{'a', 'b', 'c'}, 3);
    QCOMPARE(octets(data), QByteArray("abc"));
  }

  void repointsWithoutAllocating() {
    const char first[] = "first";
    const char second[] = "second";
    VariableLengthData data;
    tutti::api1516e::borrow(data, first, 5);
    const long before = allocations;
    for (int i = 0; i < 100; ++i) {
      tutti::api1516e::borrow(data, i % 2 == 0 ? second : first, i % 2 == 0 ? 6 : 5);
    }
    QCOMPARE(allocations.load(), before);
    QVERIFY(data.data() == first);
    QCOMPARE(data.size(), size_t(5));
    tutti::api1516e::borrow(data, second, 6);
    QCOMPARE(octets(data), QByteArray("second"));
  }

  void borrowingReleasesWhatWasTaken() {
    char memory[1] = {};
    VariableLengthData data;
    data.takeDataPointer(memory, 1, release);
    tutti::api1516e::borrow(data, "x", 1);
    QCOMPARE(released, 1);
    QCOMPARE(octets(data), QByteArray("x"));
  }

  void setsAgainWithoutAllocating() {
    VariableLengthData data("0123456789", 10);
    const VariableLengthData other("abcdef", 6);
    const long before = allocations;
    for (int i = 0; i < 100; ++i) {
      data.setData("98765", 5);
      data = other;
    }
    QCOMPARE(allocations.load(), before);
    QCOMPARE(octets(data), QByteArray("abcdef"));
  }
};

QTEST_GUILESS_MAIN(VariableLengthDataTest)
#include "tst_variable_length_data.moc"
