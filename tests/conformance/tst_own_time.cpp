// SPDX-License-Identifier: GPL-3.0-or-later
// Time management with time representations that a federate brings itself (IEEE 1516.1-2010, 12).
// This program defines what a federate's own libfedtime1516e does.
#include <RTI/LogicalTimeFactory.h>

#include "stopping_node.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace rti1516e;

namespace {

/// Whole seconds, as the text "day+second": an encoding of any length that is not in the order of
/// the times.
struct Calendar {
  using Number = std::int64_t;
  static constexpr const wchar_t* time = L"CalendarTime";
  static constexpr const wchar_t* interval = L"CalendarInterval";
  static constexpr Number epsilon = 1;
  static constexpr Number last = std::int64_t{86400} * 1000000;
  static QByteArray encode(Number n) {
    return QByteArray::number(qlonglong(n / 86400)) + "+" +
           QByteArray::number(qlonglong(n % 86400));
  }
  static Number decode(const QByteArray& text) {
    const auto parts = text.split('+');
    if (parts.size() != 2) throw CouldNotDecode(L"not a day and a second");
    return parts[0].toLongLong() * 86400 + parts[1].toLongLong();
  }
};

/// Doubles, least significant octet first, with an epsilon that is not their resolution.
struct Seconds {
  using Number = double;
  static constexpr const wchar_t* time = L"SecondsTime";
  static constexpr const wchar_t* interval = L"SecondsInterval";
  static constexpr Number epsilon = 1e-9;
  static constexpr Number last = 1e300;
  static QByteArray encode(Number n) {
    return QByteArray(reinterpret_cast<const char*>(&n), sizeof n);
  }
  static Number decode(const QByteArray& octets) {
    Number n = 0;
    if (octets.size() != sizeof n) throw CouldNotDecode(L"not 8 octets");
    std::memcpy(&n, octets.constData(), sizeof n);
    return n;
  }
};

VariableLengthData dataOf(const QByteArray& octets) { return data(octets); }
QByteArray octetsOf(const VariableLengthData& encoded) {
  return QByteArray(static_cast<const char*>(encoded.data()), static_cast<int>(encoded.size()));
}
size_t copyOut(const QByteArray& octets, void* buffer, size_t size) {
  if (size < static_cast<size_t>(octets.size())) throw CouldNotEncode(L"the buffer is too small");
  std::memcpy(buffer, octets.constData(), static_cast<size_t>(octets.size()));
  return static_cast<size_t>(octets.size());
}

template <class T>
class OwnInterval : public LogicalTimeInterval {
 public:
  using Number = typename T::Number;
  explicit OwnInterval(Number n = 0) : n_(n) {}
  Number number() const { return n_; }
  static Number of(const LogicalTimeInterval& other) {
    const auto* same = dynamic_cast<const OwnInterval*>(&other);
    if (same == nullptr) throw InvalidLogicalTimeInterval(L"an interval of another type");
    return same->n_;
  }
  void setZero() override { n_ = 0; }
  bool isZero() const override { return !(n_ < 0) && !(n_ > 0); }
  void setEpsilon() override { n_ = T::epsilon; }
  bool isEpsilon() const override { return !(n_ < T::epsilon) && !(n_ > T::epsilon); }
  LogicalTimeInterval& operator=(const LogicalTimeInterval& other) override {
    n_ = of(other);
    return *this;
  }
  LogicalTimeInterval& operator+=(const LogicalTimeInterval& other) override {
    if (of(other) > T::last - n_) throw IllegalTimeArithmetic(L"past the end of time");
    n_ += of(other);
    return *this;
  }
  LogicalTimeInterval& operator-=(const LogicalTimeInterval& other) override {
    n_ -= of(other);
    return *this;
  }
  bool operator>(const LogicalTimeInterval& other) const override { return n_ > of(other); }
  bool operator<(const LogicalTimeInterval& other) const override { return n_ < of(other); }
  bool operator==(const LogicalTimeInterval& other) const override {
    return !(*this < other) && !(*this > other);
  }
  bool operator>=(const LogicalTimeInterval& other) const override { return n_ >= of(other); }
  bool operator<=(const LogicalTimeInterval& other) const override { return n_ <= of(other); }
  void setToDifference(const LogicalTime& minuend, const LogicalTime& subtrahend) override;
  VariableLengthData encode() const override { return dataOf(T::encode(n_)); }
  size_t encode(void* buffer, size_t size) const override {
    return copyOut(T::encode(n_), buffer, size);
  }
  size_t encodedLength() const override { return static_cast<size_t>(T::encode(n_).size()); }
  void decode(const VariableLengthData& encoded) override { n_ = T::decode(octetsOf(encoded)); }
  void decode(void* buffer, size_t size) override {
    n_ = T::decode(QByteArray(static_cast<const char*>(buffer), static_cast<int>(size)));
  }
  std::wstring toString() const override { return wide(QString::number(n_)); }
  std::wstring implementationName() const override { return T::interval; }

 private:
  Number n_;
};

template <class T>
class OwnTime : public LogicalTime {
 public:
  using Number = typename T::Number;
  using Interval = OwnInterval<T>;
  explicit OwnTime(Number n = 0) : n_(n) {}
  Number number() const { return n_; }
  static Number of(const LogicalTime& other) {
    const auto* same = dynamic_cast<const OwnTime*>(&other);
    if (same == nullptr) throw InvalidLogicalTime(L"a time of another type");
    return same->n_;
  }
  void setInitial() override { n_ = 0; }
  bool isInitial() const override { return !(n_ < 0) && !(n_ > 0); }
  void setFinal() override { n_ = T::last; }
  bool isFinal() const override { return n_ >= T::last; }
  LogicalTime& operator=(const LogicalTime& other) override {
    n_ = of(other);
    return *this;
  }
  LogicalTime& operator+=(const LogicalTimeInterval& interval) override {
    if (Interval::of(interval) > T::last - n_) throw IllegalTimeArithmetic(L"past the end of time");
    n_ += Interval::of(interval);
    return *this;
  }
  LogicalTime& operator-=(const LogicalTimeInterval& interval) override {
    n_ -= Interval::of(interval);
    return *this;
  }
  bool operator>(const LogicalTime& other) const override { return n_ > of(other); }
  bool operator<(const LogicalTime& other) const override { return n_ < of(other); }
  bool operator==(const LogicalTime& other) const override {
    return !(*this < other) && !(*this > other);
  }
  bool operator>=(const LogicalTime& other) const override { return n_ >= of(other); }
  bool operator<=(const LogicalTime& other) const override { return n_ <= of(other); }
  VariableLengthData encode() const override { return dataOf(T::encode(n_)); }
  size_t encode(void* buffer, size_t size) const override {
    return copyOut(T::encode(n_), buffer, size);
  }
  size_t encodedLength() const override { return static_cast<size_t>(T::encode(n_).size()); }
  void decode(const VariableLengthData& encoded) override { n_ = T::decode(octetsOf(encoded)); }
  void decode(void* buffer, size_t size) override {
    n_ = T::decode(QByteArray(static_cast<const char*>(buffer), static_cast<int>(size)));
  }
  std::wstring toString() const override { return wide(QString::number(n_)); }
  std::wstring implementationName() const override { return T::time; }

 private:
  Number n_;
};

template <class T>
void OwnInterval<T>::setToDifference(const LogicalTime& minuend, const LogicalTime& subtrahend) {
  n_ = OwnTime<T>::of(minuend) - OwnTime<T>::of(subtrahend);
}

template <class T>
class OwnFactory : public LogicalTimeFactory {
  using TimePointer = std::auto_ptr<LogicalTime>;
  using IntervalPointer = std::auto_ptr<LogicalTimeInterval>;

 public:
  TimePointer makeInitial() override { return TimePointer(new OwnTime<T>); }
  TimePointer makeFinal() override { return TimePointer(new OwnTime<T>(T::last)); }
  IntervalPointer makeZero() override { return IntervalPointer(new OwnInterval<T>); }
  IntervalPointer makeEpsilon() override { return IntervalPointer(new OwnInterval<T>(T::epsilon)); }
  TimePointer decodeLogicalTime(const VariableLengthData& encoded) override {
    TimePointer time(new OwnTime<T>);
    time->decode(encoded);
    return time;
  }
  TimePointer decodeLogicalTime(void* buffer, size_t size) override {
    TimePointer time(new OwnTime<T>);
    time->decode(buffer, size);
    return time;
  }
  IntervalPointer decodeLogicalTimeInterval(const VariableLengthData& encoded) override {
    IntervalPointer interval(new OwnInterval<T>);
    interval->decode(encoded);
    return interval;
  }
  IntervalPointer decodeLogicalTimeInterval(void* buffer, size_t size) override {
    IntervalPointer interval(new OwnInterval<T>);
    interval->decode(buffer, size);
    return interval;
  }
  std::wstring getName() const override { return T::time; }
};

bool knowsOwnTimes = true;

}  // namespace

std::auto_ptr<LogicalTimeFactory> LogicalTimeFactoryFactory::makeLogicalTimeFactory(
    const std::wstring& name) {
  LogicalTimeFactory* factory = nullptr;
  if (knowsOwnTimes && name == Calendar::time) factory = new OwnFactory<Calendar>;
  if (knowsOwnTimes && name == Seconds::time) factory = new OwnFactory<Seconds>;
  return std::auto_ptr<LogicalTimeFactory>(factory);
}

class tst_own_time : public QObject {
  Q_OBJECT

  OwnNode node_;

  /// Times are `unit` apart.
  template <class T>
  void manages(typename T::Number unit);
  template <class T>
  void stops(typename T::Number unit);

 private slots:
  void cleanup() { knowsOwnTimes = true; }
  void textInWholeSeconds() { manages<Calendar>(40000); }
  void doublesWithACoarseEpsilon() { manages<Seconds>(0.1); }
  void textStopsAndPauses() { stops<Calendar>(40000); }
  void doublesStopAndPause() { stops<Seconds>(0.1); }
  void whoDoesNotKnowTheTypeCannotJoin();
  void createdByOneWhoDoesNotKnowTheType();
};

template <class T>
void tst_own_time::manages(typename T::Number unit) {
  using Time = OwnTime<T>;
  using Interval = OwnInterval<T>;
  const auto at = [&](int n) { return Time(n * unit); };
  const auto text = [&](int n) { return QString::number(n * unit); };
  const QString federation = uniqueName("own");
  Member a("a"), b("b");
  for (Member* m : {&a, &b}) {
    m->enter(federation, HLA_EVOKED, QString::fromWCharArray(T::time));
    m->rti().disableInteractionRelevanceAdvisorySwitch();
    QCOMPARE(narrow(m->rti().getTimeFactory()->getName()), QString::fromWCharArray(T::time));
  }
  a.publishInteraction("Event");
  b.subscribeInteraction("Event");
  const auto event = a.interactionClass("Event");
  REFUSES(a.rti().enableTimeRegulation(HLAfloat64Interval(1)), InvalidLookahead);
  REFUSES(a.rti().enableTimeRegulation(Interval(-unit)), InvalidLookahead);
  a.rti().enableTimeRegulation(Interval(2 * unit));
  QVERIFY(a.expect("regulating 0"));
  b.rti().enableTimeConstrained();
  QVERIFY(b.expect("constrained 0"));
  Time time;
  QVERIFY(b.rti().queryGALT(time));
  QCOMPARE(time.number(), 2 * unit);
  HLAfloat64Time wrong(3);
  REFUSES(b.rti().queryGALT(wrong), RTIinternalError);
  REFUSES(a.rti().sendInteraction(event, {}, {}, wrong), InvalidLogicalTime);
  REFUSES(a.rti().timeAdvanceRequest(wrong), InvalidLogicalTime);
  REFUSES(a.rti().sendInteraction(event, {}, {}, at(1)), InvalidLogicalTime);
  // In timestamp order, and with the times that were sent.
  a.rti().sendInteraction(event, {}, {}, at(9));
  a.rti().sendInteraction(event, {}, {}, at(10));  // another number of digits
  const auto retracted = a.rti().sendInteraction(event, {}, {}, at(5));
  a.rti().sendInteraction(event, {}, {}, at(3));
  a.rti().retract(retracted);
  a.rti().timeAdvanceRequest(at(7));
  QVERIFY(a.expect("granted " + text(7)));
  b.take();
  b.rti().nextMessageRequest(at(100));
  QVERIFY(b.expect("granted " + text(3)));
  b.rti().queryLogicalTime(time);
  QCOMPARE(time.number(), 3 * unit);
  QVERIFY(b.rti().queryLITS(time));
  QCOMPARE(time.number(), 9 * unit);
  b.rti().timeAdvanceRequest(at(10));
  QCOMPARE(b.take(), QStringList({"receive Event  @" + text(3) + " TSO", "granted " + text(3)}));
  a.rti().modifyLookahead(Interval(unit));
  a.rti().timeAdvanceRequest(at(20));
  QVERIFY(a.expect("granted " + text(20)));
  Interval lookahead;
  a.rti().queryLookahead(lookahead);
  QCOMPARE(lookahead.number(), unit);
  QVERIFY(b.expect("granted " + text(10)));
  QCOMPARE(b.take(), QStringList({"receive Event  @" + text(9) + " TSO",
                                  "receive Event  @" + text(10) + " TSO", "granted " + text(10)}));
  // To the end of time.
  a.rti().disableTimeRegulation();
  b.rti().timeAdvanceRequest(Time(T::last));
  QVERIFY(b.expect("granted " + QString::number(T::last)));
  b.rti().queryLogicalTime(time);
  QVERIFY(time.isFinal());
}

/// Nobody is granted beyond the stop time of the run, nor beyond a pause.
template <class T>
void tst_own_time::stops(typename T::Number unit) {
  const auto at = [&](int n) { return OwnTime<T>(n * unit); };
  const auto granted = [&](int n) { return "granted " + QString::number(n * unit); };
  const OwnNode node;
  StoppingNode stopping(node.name(), QString::number(5.5 * double(unit), 'g', 17));
  QVERIFY(stopping.isReady());
  const QString federation = uniqueName("stops");
  Member a("a"), b("b");
  for (Member* m : {&a, &b}) {
    m->enter(federation, HLA_EVOKED, QString::fromWCharArray(T::time));
    m->rti().enableTimeRegulation(OwnInterval<T>(unit));
    m->rti().enableTimeConstrained();
  }
  for (Member* m : {&a, &b}) QVERIFY(m->expect("regulating") && m->expect("constrained"));
  QVERIFY(stopping.hold(federation, 2.5 * double(unit)));
  a.rti().timeAdvanceRequest(at(5));
  b.rti().timeAdvanceRequest(at(3));
  stopping.pumpForLong({&a, &b});
  QCOMPARE(a.count("granted") + b.count("granted"), 0);
  QVERIFY(stopping.release(federation));
  QVERIFY(b.expect(granted(3)));
  b.rti().timeAdvanceRequest(at(5));
  QVERIFY(a.expect(granted(5)) && b.expect(granted(5)));
  QCOMPARE(stopping.timesReached(), 0);
  for (Member* m : {&a, &b}) m->rti().timeAdvanceRequest(at(6));
  AWAIT(a, (b.pump(), stopping.timesReached() == 1));
  stopping.pumpForLong({&a, &b});
  QCOMPARE(a.count("granted") + b.count("granted"), 3);
}

void tst_own_time::whoDoesNotKnowTheTypeCannotJoin() {
  const QString federation = uniqueName("own");
  Member a("a"), b("b");
  a.enter(federation, HLA_EVOKED, "CalendarTime");
  b.connect();
  knowsOwnTimes = false;
  REFUSES(b.join(federation), CouldNotCreateLogicalTimeFactory);
  knowsOwnTimes = true;
  ACCEPTS(b.join(federation));
}

void tst_own_time::createdByOneWhoDoesNotKnowTheType() {
  knowsOwnTimes = false;
  Member a("a");
  a.connect();
  REFUSES(a.create(uniqueName("own"), {modulePath("fom.xml")}, "CalendarTime"),
          CouldNotCreateLogicalTimeFactory);
  ACCEPTS(a.create(uniqueName("own"), {modulePath("fom.xml")}, "HLAinteger64Time"));
}

CONFORMANCE_MAIN(tst_own_time)
#include "tst_own_time.moc"
