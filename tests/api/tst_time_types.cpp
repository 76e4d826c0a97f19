// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <QTest>
#include <cstring>
#include <limits>
#include <sstream>

#include "api1516e/time_arithmetic.h"
#include "api1516e/time_factories.h"

using namespace rti1516e;

namespace {

QByteArray hex(const VariableLengthData& data) {
  return QByteArray(static_cast<const char*>(data.data()), static_cast<int>(data.size())).toHex();
}

VariableLengthData octets(const char* text) {
  const QByteArray bytes = QByteArray::fromHex(text);
  return VariableLengthData(bytes.constData(), static_cast<size_t>(bytes.size()));
}

const double kLargest = std::numeric_limits<double>::max();
const double kSmallest = std::numeric_limits<double>::denorm_min();
const double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();
const Integer64 kLast = std::numeric_limits<Integer64>::max();

}  // namespace

// The two standard time implementations (IEEE 1516.1-2010, clause 12).
class TimeTypesTest : public QObject {
  Q_OBJECT

 private slots:
  void float64Limits() {
    HLAfloat64Time time;
    QVERIFY(time.isInitial() && !time.isFinal());
    QCOMPARE(time.getTime(), 0.0);
    time.setFinal();
    QVERIFY(time.isFinal() && !time.isInitial());
    QCOMPARE(time.getTime(), kLargest);
    time.setInitial();
    QVERIFY(time.isInitial());
    HLAfloat64Interval interval;
    QVERIFY(interval.isZero() && !interval.isEpsilon());
    interval.setEpsilon();
    QVERIFY(interval.isEpsilon() && !interval.isZero());
    interval.setZero();
    QVERIFY(interval.isZero());
  }

  void float64Sums_data() {
    QTest::addColumn<double>("time");
    QTest::addColumn<double>("interval");
    QTest::addColumn<bool>("exists");
    QTest::addColumn<double>("sum");
    QTest::newRow("plain") << 1.5 << 0.25 << true << 1.75;
    QTest::newRow("zero") << 1.5 << 0.0 << true << 1.5;
    QTest::newRow("epsilon at the start") << 0.0 << kSmallest << true << kSmallest;
    QTest::newRow("epsilon is the next double")
        << 1.0 << kSmallest << true << 1.0 + std::numeric_limits<double>::epsilon();
    QTest::newRow("a lookahead too small to count") << 1e17 << 1.0 << true << 100000000000000016.0;
    QTest::newRow("negative") << 1.5 << -0.5 << true << 1.0;
    QTest::newRow("negative too small to count") << 1e17 << -1.0 << true << 99999999999999984.0;
    QTest::newRow("to the final time") << 0.0 << kLargest << true << kLargest;
    QTest::newRow("before the initial time") << 1.0 << -1.5 << false << 0.0;
    QTest::newRow("before the initial time by epsilon") << 0.0 << -kSmallest << false << 0.0;
    QTest::newRow("beyond the final time") << kLargest << kLargest << false << 0.0;
    QTest::newRow("beyond the final time by epsilon") << kLargest << kSmallest << false << 0.0;
    QTest::newRow("infinite") << 1.0 << kInfinity << false << 0.0;
  }
  void float64Sums() {
    QFETCH(double, time);
    QFETCH(double, interval);
    QFETCH(bool, exists);
    QFETCH(double, sum);
    HLAfloat64Time result(time);
    if (exists) {
      result += HLAfloat64Interval(interval);
      QVERIFY(result.getTime() == sum);
      QVERIFY(tutti::api1516e::plus(time, interval) == sum);
      HLAfloat64Time other(time);
      other -= HLAfloat64Interval(-interval);
      QVERIFY(other == result);
    } else {
      QVERIFY_EXCEPTION_THROWN(result += HLAfloat64Interval(interval), IllegalTimeArithmetic);
      QVERIFY_EXCEPTION_THROWN(result -= HLAfloat64Interval(-interval), IllegalTimeArithmetic);
      QVERIFY(result.getTime() == time);
      QVERIFY(!tutti::api1516e::plus(time, interval));
      QVERIFY(!tutti::api1516e::minus(time, -interval));
    }
  }

  void integer64Sums_data() {
    QTest::addColumn<qint64>("time");
    QTest::addColumn<qint64>("interval");
    QTest::addColumn<bool>("exists");
    QTest::addColumn<qint64>("sum");
    QTest::newRow("plain") << qint64(5) << qint64(3) << true << qint64(8);
    QTest::newRow("negative") << qint64(5) << qint64(-3) << true << qint64(2);
    QTest::newRow("to the final time") << qint64(1) << qint64(kLast - 1) << true << qint64(kLast);
    QTest::newRow("beyond") << qint64(kLast) << qint64(1) << false << qint64(0);
    QTest::newRow("before") << qint64(2) << qint64(-3) << false << qint64(0);
  }
  void integer64Sums() {
    QFETCH(qint64, time);
    QFETCH(qint64, interval);
    QFETCH(bool, exists);
    QFETCH(qint64, sum);
    HLAinteger64Time result(time);
    if (exists) {
      result += HLAinteger64Interval(interval);
      QCOMPARE(result.getTime(), Integer64(sum));
      result -= HLAinteger64Interval(interval);
      QCOMPARE(result.getTime(), Integer64(time));
    } else {
      QVERIFY_EXCEPTION_THROWN(result += HLAinteger64Interval(interval), IllegalTimeArithmetic);
      QVERIFY_EXCEPTION_THROWN(result -= HLAinteger64Interval(-interval), IllegalTimeArithmetic);
      QCOMPARE(result.getTime(), Integer64(time));
    }
    HLAinteger64Time least(0);
    QVERIFY_EXCEPTION_THROWN(least -= HLAinteger64Interval(std::numeric_limits<Integer64>::min()),
                             IllegalTimeArithmetic);
  }

  void intervalsAddAndSubtract() {
    HLAfloat64Interval real(1.5);
    real += HLAfloat64Interval(0.5);
    QCOMPARE(real.getInterval(), 2.0);
    real -= HLAfloat64Interval(3.0);
    QCOMPARE(real.getInterval(), -1.0);
    real.setInterval(kLargest);
    QVERIFY_EXCEPTION_THROWN(real += HLAfloat64Interval(kLargest), IllegalTimeArithmetic);
    real.setToDifference(HLAfloat64Time(5.0), HLAfloat64Time(3.5));
    QCOMPARE(real.getInterval(), 1.5);

    HLAinteger64Interval whole(kLast);
    QVERIFY_EXCEPTION_THROWN(whole += HLAinteger64Interval(1), IllegalTimeArithmetic);
    whole.setToDifference(HLAinteger64Time(5), HLAinteger64Time(7));
    QCOMPARE(whole.getInterval(), Integer64(-2));
  }

  void comparisons() {
    const HLAfloat64Time early(1.0);
    const HLAfloat64Time late(2.0);
    QVERIFY(early < late && early <= late && !(early > late) && !(early >= late));
    QVERIFY(!(early == late) && early == HLAfloat64Time(1.0) && early <= HLAfloat64Time(1.0) &&
            early >= HLAfloat64Time(1.0));
    const HLAinteger64Interval small(1);
    const HLAinteger64Interval large(2);
    QVERIFY(small < large && small <= large && !(small > large) && !(small >= large));
    QVERIFY(!(small == large) && small == HLAinteger64Interval(1));
    // Neighbouring integers that a double could not tell apart.
    QVERIFY(HLAinteger64Time(kLast - 1) < HLAinteger64Time(kLast));
  }

  void implementationsDoNotMix() {
    HLAfloat64Time real(1.0);
    const HLAinteger64Time whole(1);
    QVERIFY_EXCEPTION_THROWN(static_cast<LogicalTime&>(real) = whole, InvalidLogicalTime);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Time{static_cast<const LogicalTime&>(whole)},
                             InvalidLogicalTime);
    const LogicalTime& other = whole;
    QVERIFY_EXCEPTION_THROWN((void)(real < other), InvalidLogicalTime);
    QVERIFY_EXCEPTION_THROWN((void)(real == other), InvalidLogicalTime);
    QVERIFY_EXCEPTION_THROWN(real += HLAinteger64Interval(1), InvalidLogicalTimeInterval);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Interval().setToDifference(real, whole), InvalidLogicalTime);
    QCOMPARE(real.getTime(), 1.0);
  }

  void notANumberIsNoTime() {
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Time{kNan}, InvalidLogicalTime);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Time().setTime(kNan), InvalidLogicalTime);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Interval{kNan}, InvalidLogicalTimeInterval);
    QVERIFY(!tutti::api1516e::isTime(kNan));
    QVERIFY(!tutti::api1516e::isTime(kInfinity));
    QVERIFY(!tutti::api1516e::isTime(-1.0));
  }

  void copies() {
    HLAfloat64Time a(1.0);
    HLAfloat64Time b(a);
    b.setTime(2.0);
    QCOMPARE(a.getTime(), 1.0);
    a = b;
    QCOMPARE(a.getTime(), 2.0);
    static_cast<LogicalTime&>(a) = HLAfloat64Time(3.0);
    QCOMPARE(double(a), 3.0);
  }

  // Times of a class derived from a standard one are of that implementation.
  void derivedTimes() {
    struct Mine : HLAfloat64Time {
      using HLAfloat64Time::HLAfloat64Time;
    };
    const Mine mine(4.0);
    HLAfloat64Time time;
    static_cast<LogicalTime&>(time) = mine;
    QCOMPARE(time.getTime(), 4.0);
  }

  void encodings() {
    QCOMPARE(hex(HLAfloat64Time(1.0).encode()), QByteArray("3ff0000000000000"));
    QCOMPARE(hex(HLAfloat64Interval(-2.5).encode()), QByteArray("c004000000000000"));
    QCOMPARE(hex(HLAinteger64Time(0x0102030405060708).encode()), QByteArray("0102030405060708"));
    QCOMPARE(hex(HLAinteger64Interval(-1).encode()), QByteArray("ffffffffffffffff"));
    QCOMPARE(HLAfloat64Time().encodedLength(), size_t(8));
    QCOMPARE(HLAinteger64Interval().encodedLength(), size_t(8));

    char buffer[10];
    std::memset(buffer, '#', sizeof(buffer));
    QCOMPARE(HLAinteger64Time(258).encode(buffer, sizeof(buffer)), size_t(8));
    QCOMPARE(QByteArray(buffer, 10).toHex(), QByteArray("00000000000001022323"));
    QVERIFY_EXCEPTION_THROWN(HLAinteger64Time(1).encode(buffer, 7), CouldNotEncode);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64Interval(1).encode(nullptr, 8), CouldNotEncode);

    HLAfloat64Time real;
    real.decode(octets("3ff8000000000000"));
    QCOMPARE(real.getTime(), 1.5);
    HLAinteger64Time whole;
    whole.decode(buffer, 10);
    QCOMPARE(whole.getTime(), Integer64(258));
  }

  void refusesOctetsThatAreNoTime_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("none") << QByteArray("");
    QTest::newRow("too few") << QByteArray("3ff00000000000");
    QTest::newRow("too many") << QByteArray("3ff000000000000000");
    QTest::newRow("not a number") << QByteArray("7ff8000000000000");
    QTest::newRow("infinity") << QByteArray("7ff0000000000000");
    QTest::newRow("negative") << QByteArray("bff0000000000000");
  }
  void refusesOctetsThatAreNoTime() {
    QFETCH(QByteArray, text);
    HLAfloat64Time time(7.0);
    QVERIFY_EXCEPTION_THROWN(time.decode(octets(text)), CouldNotDecode);
    QVERIFY_EXCEPTION_THROWN(HLAfloat64TimeFactory().decodeLogicalTime(octets(text)),
                             CouldNotDecode);
    QCOMPARE(time.getTime(), 7.0);
    char buffer[4] = {};
    QVERIFY_EXCEPTION_THROWN(time.decode(buffer, sizeof(buffer)), CouldNotDecode);
    HLAinteger64Time whole;
    QVERIFY_EXCEPTION_THROWN(whole.decode(octets("8000000000000000")), CouldNotDecode);
  }

  void texts() {
    QCOMPARE(HLAfloat64Time(1.5).toString(), std::wstring(L"1.5"));
    QCOMPARE(HLAinteger64Time(42).toString(), std::wstring(L"42"));
    QCOMPARE(HLAfloat64Interval(0.1).toString(), std::wstring(L"0.1"));
    QCOMPARE(HLAfloat64Time().implementationName(), std::wstring(L"HLAfloat64Time"));
    QCOMPARE(HLAinteger64Interval().implementationName(), std::wstring(L"HLAinteger64Time"));
    std::wostringstream stream;
    stream << HLAfloat64Time(2.25) << L' ' << HLAinteger64Interval(3);
    QCOMPARE(stream.str(), std::wstring(L"2.25 3"));
  }

  void factories() {
    HLAfloat64TimeFactory real;
    QVERIFY(real.makeInitial()->isInitial());
    QVERIFY(real.makeFinal()->isFinal());
    QVERIFY(real.makeZero()->isZero());
    QVERIFY(real.makeEpsilon()->isEpsilon());
    QCOMPARE(real.makeLogicalTime(1.5)->getTime(), 1.5);
    QCOMPARE(real.makeLogicalTimeInterval(0.5)->getInterval(), 0.5);
    QCOMPARE(real.decodeLogicalTime(octets("3ff8000000000000"))->toString(), std::wstring(L"1.5"));
    QCOMPARE(real.decodeLogicalTimeInterval(octets("bff0000000000000"))->toString(),
             std::wstring(L"-1"));
    HLAinteger64TimeFactory whole;
    QCOMPARE(whole.makeEpsilon()->toString(), std::wstring(L"1"));
    QVERIFY(whole.makeFinal()->isFinal());
    QCOMPARE(whole.makeLogicalTime(9)->getTime(), Integer64(9));
    char nine[8] = {0, 0, 0, 0, 0, 0, 0, 9};
    QCOMPARE(whole.decodeLogicalTime(nine, 8)->toString(), std::wstring(L"9"));
    QCOMPARE(whole.decodeLogicalTimeInterval(nine, 8)->toString(), std::wstring(L"9"));
    QVERIFY_EXCEPTION_THROWN(whole.decodeLogicalTimeInterval(nine, 7), CouldNotDecode);
  }

  void factoriesByName_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("factory");
    QTest::newRow("default") << ""
                             << "HLAfloat64Time";
    QTest::newRow("float64") << "HLAfloat64Time"
                             << "HLAfloat64Time";
    QTest::newRow("integer64") << "HLAinteger64Time"
                               << "HLAinteger64Time";
    QTest::newRow("unknown") << "MyTime" << QString();
  }
  void factoriesByName() {
    QFETCH(QString, name);
    QFETCH(QString, factory);
    const auto made = HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(name.toStdWString());
    QCOMPARE(made.get() == nullptr, factory.isNull());
    if (made.get()) QCOMPARE(QString::fromStdWString(made->getName()), factory);
    const auto own = tutti::api1516e::makeTimeFactory(name.toStdWString());
    QCOMPARE(own == nullptr, factory.isNull());
    if (own) QCOMPARE(QString::fromStdWString(own->getName()), factory);
  }
};

QTEST_GUILESS_MAIN(TimeTypesTest)
#include "tst_time_types.moc"
