// SPDX-License-Identifier: Apache-2.0
#include <RTI/Exception.h>
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <typeinfo>

#include "api1516e/octets.h"
#include "api1516e/time_arithmetic.h"

namespace {

using namespace rti1516e;
namespace api = tutti::api1516e;
using api::Endian;

constexpr std::size_t kEncodedLength = 8;

template <class Number>
std::wstring text(Number value) {
  char buffer[40];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::wstring(buffer, end.ptr);
}

// The object as the time type it must be. Times of different implementations never mix.
template <class Wanted, class Problem, class Base>
const Wanted& as(const Base& object, const wchar_t* name) {
  if (typeid(object) == typeid(Wanted)) return static_cast<const Wanted&>(object);
  if (const auto* derived = dynamic_cast<const Wanted*>(&object)) return *derived;
  throw Problem(std::wstring(name) + L": got a value of " + object.implementationName() +
                L"; all federates use the time implementation of the federation execution");
}

double checkedTime(double value) {
  if (value != value) {
    throw InvalidLogicalTime(
        L"HLAfloat64Time: not a number is no time; check the computation before");
  }
  return value;
}
std::int64_t checkedTime(std::int64_t value) { return value; }

double checkedInterval(double value) {
  if (value != value) {
    throw InvalidLogicalTimeInterval(
        L"HLAfloat64Interval: not a number is no interval; check the computation before");
  }
  return value;
}
std::int64_t checkedInterval(std::int64_t value) { return value; }

template <class Number>
Number resultOf(std::optional<Number> result, const wchar_t* name, Number left,
                const wchar_t* operation, Number right) {
  if (result) return *result;
  throw IllegalTimeArithmetic(std::wstring(name) + L": " + text(left) + operation + text(right) +
                              L" is out of the range of times");
}

template <class Number>
Number decodedNumber(const wchar_t* name, const void* buffer, std::size_t size, bool exact) {
  if (buffer == nullptr || size < kEncodedLength || (exact && size != kEncodedLength)) {
    throw CouldNotDecode(std::wstring(name) + L": an encoded value has 8 octets, this has " +
                         std::to_wstring(size));
  }
  return api::load<Number>(buffer, Endian::kBig);
}

template <class Number>
Number decodedTime(const wchar_t* name, const void* buffer, std::size_t size, bool exact) {
  const auto value = decodedNumber<Number>(name, buffer, size, exact);
  if (api::isTime(value)) return value;
  throw CouldNotDecode(std::wstring(name) + L": the octets mean " + text(value) +
                       L", which is no time");
}

template <class Number>
Number decodedInterval(const wchar_t* name, const void* buffer, std::size_t size, bool exact) {
  const auto value = decodedNumber<Number>(name, buffer, size, exact);
  if (api::isInterval(value)) return value;
  throw CouldNotDecode(std::wstring(name) + L": the octets mean " + text(value) +
                       L", which is no interval");
}

template <class Number>
VariableLengthData encoded(Number value) {
  char octets[kEncodedLength];
  api::store(octets, value, Endian::kBig);
  return VariableLengthData(octets, sizeof(octets));
}

template <class Number>
std::size_t encodedInto(const wchar_t* name, Number value, void* buffer, std::size_t size) {
  if (buffer == nullptr || size < kEncodedLength) {
    throw CouldNotEncode(std::wstring(name) +
                         L": an encoded value needs 8 octets, the buffer has " +
                         std::to_wstring(size) + L"; ask encodedLength() first");
  }
  api::store(buffer, value, Endian::kBig);
  return kEncodedLength;
}

}  // namespace

// The value of a time lies in the bits of its implementation pointer, which is never followed: a
// time on the stack costs no allocation. Number is the type inside, Value the one of the API.
#define TUTTI_DEFINE_TIME(Prefix, Number, Value, ValueArgument, FINAL, EPSILON)                    \
  namespace rti1516e {                                                                             \
                                                                                                   \
  Prefix##Time::Prefix##Time() : _impl(std::bit_cast<Prefix##TimeImpl*>(Number{0})) {}             \
  Prefix##Time::Prefix##Time(ValueArgument value)                                                  \
      : _impl(std::bit_cast<Prefix##TimeImpl*>(checkedTime(Number{value}))) {}                     \
  Prefix##Time::Prefix##Time(const LogicalTime& value)                                             \
      : _impl(as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time")._impl) {}            \
  Prefix##Time::Prefix##Time(const Prefix##Time& value) : LogicalTime(), _impl(value._impl) {}     \
  Prefix##Time::~Prefix##Time() noexcept {}                                                        \
                                                                                                   \
  void Prefix##Time::setInitial() { setTime(Number{0}); }                                          \
  bool Prefix##Time::isInitial() const { return getTime() == Number{0}; }                          \
  void Prefix##Time::setFinal() { setTime(FINAL); }                                                \
  bool Prefix##Time::isFinal() const { return getTime() == FINAL; }                                \
                                                                                                   \
  LogicalTime& Prefix##Time::operator=(const LogicalTime& value) {                                 \
    _impl = as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time")._impl;                 \
    return *this;                                                                                  \
  }                                                                                                \
  Prefix##Time& Prefix##Time::operator=(const Prefix##Time& value) {                               \
    _impl = value._impl;                                                                           \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTime& Prefix##Time::operator+=(const LogicalTimeInterval& addend) {                       \
    const Number left = getTime();                                                                 \
    const Number right =                                                                           \
        as<Prefix##Interval, InvalidLogicalTimeInterval>(addend, L"" #Prefix "Interval")           \
            .getInterval();                                                                        \
    setTime(resultOf(api::plus(left, right), L"" #Prefix "Time", left, L" + ", right));            \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTime& Prefix##Time::operator-=(const LogicalTimeInterval& subtrahend) {                   \
    const Number left = getTime();                                                                 \
    const Number right =                                                                           \
        as<Prefix##Interval, InvalidLogicalTimeInterval>(subtrahend, L"" #Prefix "Interval")       \
            .getInterval();                                                                        \
    setTime(resultOf(api::minus(left, right), L"" #Prefix "Time", left, L" - ", right));           \
    return *this;                                                                                  \
  }                                                                                                \
  bool Prefix##Time::operator>(const LogicalTime& value) const {                                   \
    return getTime() > as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time").getTime();  \
  }                                                                                                \
  bool Prefix##Time::operator<(const LogicalTime& value) const {                                   \
    return getTime() < as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time").getTime();  \
  }                                                                                                \
  bool Prefix##Time::operator==(const LogicalTime& value) const {                                  \
    return getTime() == as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time").getTime(); \
  }                                                                                                \
  bool Prefix##Time::operator>=(const LogicalTime& value) const {                                  \
    return getTime() >= as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time").getTime(); \
  }                                                                                                \
  bool Prefix##Time::operator<=(const LogicalTime& value) const {                                  \
    return getTime() <= as<Prefix##Time, InvalidLogicalTime>(value, L"" #Prefix "Time").getTime(); \
  }                                                                                                \
                                                                                                   \
  VariableLengthData Prefix##Time::encode() const { return encoded(Number{getTime()}); }           \
  size_t Prefix##Time::encode(void* buffer, size_t bufferSize) const {                             \
    return encodedInto(L"" #Prefix "Time", Number{getTime()}, buffer, bufferSize);                 \
  }                                                                                                \
  size_t Prefix##Time::encodedLength() const { return kEncodedLength; }                            \
  void Prefix##Time::decode(const VariableLengthData& value) {                                     \
    setTime(decodedTime<Number>(L"" #Prefix "Time", value.data(), value.size(), true));            \
  }                                                                                                \
  void Prefix##Time::decode(void* buffer, size_t bufferSize) {                                     \
    setTime(decodedTime<Number>(L"" #Prefix "Time", buffer, bufferSize, false));                   \
  }                                                                                                \
  std::wstring Prefix##Time::toString() const { return text(getTime()); }                          \
  std::wstring Prefix##Time::implementationName() const { return L"" #Prefix "Time"; }             \
  Value Prefix##Time::getTime() const { return std::bit_cast<Number>(_impl); }                     \
  void Prefix##Time::setTime(Value value) {                                                        \
    _impl = std::bit_cast<Prefix##TimeImpl*>(checkedTime(Number{value}));                          \
  }                                                                                                \
  Prefix##Time::operator Value() const { return getTime(); }                                       \
                                                                                                   \
  Prefix##Interval::Prefix##Interval() : _impl(std::bit_cast<Prefix##IntervalImpl*>(Number{0})) {} \
  Prefix##Interval::Prefix##Interval(Value value)                                                  \
      : _impl(std::bit_cast<Prefix##IntervalImpl*>(checkedInterval(Number{value}))) {}             \
  Prefix##Interval::Prefix##Interval(const LogicalTimeInterval& value)                             \
      : _impl(as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")      \
                  ._impl) {}                                                                       \
  Prefix##Interval::Prefix##Interval(const Prefix##Interval& value)                                \
      : LogicalTimeInterval(), _impl(value._impl) {}                                               \
  Prefix##Interval::~Prefix##Interval() noexcept {}                                                \
                                                                                                   \
  void Prefix##Interval::setZero() { setInterval(Number{0}); }                                     \
  bool Prefix##Interval::isZero() const { return getInterval() == Number{0}; }                     \
  void Prefix##Interval::setEpsilon() { setInterval(EPSILON); }                                    \
  bool Prefix##Interval::isEpsilon() const { return getInterval() == EPSILON; }                    \
                                                                                                   \
  LogicalTimeInterval& Prefix##Interval::operator=(const LogicalTimeInterval& value) {             \
    _impl = as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")._impl; \
    return *this;                                                                                  \
  }                                                                                                \
  Prefix##Interval& Prefix##Interval::operator=(const Prefix##Interval& value) {                   \
    _impl = value._impl;                                                                           \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTimeInterval& Prefix##Interval::operator+=(const LogicalTimeInterval& addend) {           \
    const Number left = getInterval();                                                             \
    const Number right =                                                                           \
        as<Prefix##Interval, InvalidLogicalTimeInterval>(addend, L"" #Prefix "Interval")           \
            .getInterval();                                                                        \
    setInterval(resultOf(api::sum(left, right), L"" #Prefix "Interval", left, L" + ", right));     \
    return *this;                                                                                  \
  }                                                                                                \
  LogicalTimeInterval& Prefix##Interval::operator-=(const LogicalTimeInterval& subtrahend) {       \
    const Number left = getInterval();                                                             \
    const Number right =                                                                           \
        as<Prefix##Interval, InvalidLogicalTimeInterval>(subtrahend, L"" #Prefix "Interval")       \
            .getInterval();                                                                        \
    setInterval(                                                                                   \
        resultOf(api::difference(left, right), L"" #Prefix "Interval", left, L" - ", right));      \
    return *this;                                                                                  \
  }                                                                                                \
  bool Prefix##Interval::operator>(const LogicalTimeInterval& value) const {                       \
    return getInterval() >                                                                         \
           as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")         \
               .getInterval();                                                                     \
  }                                                                                                \
  bool Prefix##Interval::operator<(const LogicalTimeInterval& value) const {                       \
    return getInterval() <                                                                         \
           as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")         \
               .getInterval();                                                                     \
  }                                                                                                \
  bool Prefix##Interval::operator==(const LogicalTimeInterval& value) const {                      \
    return getInterval() ==                                                                        \
           as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")         \
               .getInterval();                                                                     \
  }                                                                                                \
  bool Prefix##Interval::operator>=(const LogicalTimeInterval& value) const {                      \
    return getInterval() >=                                                                        \
           as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")         \
               .getInterval();                                                                     \
  }                                                                                                \
  bool Prefix##Interval::operator<=(const LogicalTimeInterval& value) const {                      \
    return getInterval() <=                                                                        \
           as<Prefix##Interval, InvalidLogicalTimeInterval>(value, L"" #Prefix "Interval")         \
               .getInterval();                                                                     \
  }                                                                                                \
  void Prefix##Interval::setToDifference(const LogicalTime& minuend,                               \
                                         const LogicalTime& subtrahend) {                          \
    const Number left =                                                                            \
        as<Prefix##Time, InvalidLogicalTime>(minuend, L"" #Prefix "Time").getTime();               \
    const Number right =                                                                           \
        as<Prefix##Time, InvalidLogicalTime>(subtrahend, L"" #Prefix "Time").getTime();            \
    setInterval(                                                                                   \
        resultOf(api::difference(left, right), L"" #Prefix "Interval", left, L" - ", right));      \
  }                                                                                                \
                                                                                                   \
  VariableLengthData Prefix##Interval::encode() const { return encoded(Number{getInterval()}); }   \
  size_t Prefix##Interval::encode(void* buffer, size_t bufferSize) const {                         \
    return encodedInto(L"" #Prefix "Interval", Number{getInterval()}, buffer, bufferSize);         \
  }                                                                                                \
  size_t Prefix##Interval::encodedLength() const { return kEncodedLength; }                        \
  void Prefix##Interval::decode(const VariableLengthData& value) {                                 \
    setInterval(                                                                                   \
        decodedInterval<Number>(L"" #Prefix "Interval", value.data(), value.size(), true));        \
  }                                                                                                \
  void Prefix##Interval::decode(void* buffer, size_t bufferSize) {                                 \
    setInterval(decodedInterval<Number>(L"" #Prefix "Interval", buffer, bufferSize, false));       \
  }                                                                                                \
  std::wstring Prefix##Interval::toString() const { return text(getInterval()); }                  \
  std::wstring Prefix##Interval::implementationName() const { return L"" #Prefix "Time"; }         \
  Value Prefix##Interval::getInterval() const { return std::bit_cast<Number>(_impl); }             \
  void Prefix##Interval::setInterval(Value value) {                                                \
    _impl = std::bit_cast<Prefix##IntervalImpl*>(checkedInterval(Number{value}));                  \
  }                                                                                                \
  Prefix##Interval::operator Value() const { return getInterval(); }                               \
                                                                                                   \
  Prefix##TimeFactory::Prefix##TimeFactory() {}                                                    \
  Prefix##TimeFactory::~Prefix##TimeFactory() noexcept {}                                          \
  std::auto_ptr<Prefix##Time> Prefix##TimeFactory::makeLogicalTime(Value value) {                  \
    return std::auto_ptr<Prefix##Time>(new Prefix##Time(value));                                   \
  }                                                                                                \
  std::auto_ptr<LogicalTime> Prefix##TimeFactory::makeInitial() {                                  \
    return std::auto_ptr<LogicalTime>(new Prefix##Time);                                           \
  }                                                                                                \
  std::auto_ptr<LogicalTime> Prefix##TimeFactory::makeFinal() {                                    \
    return std::auto_ptr<LogicalTime>(new Prefix##Time(FINAL));                                    \
  }                                                                                                \
  std::auto_ptr<Prefix##Interval> Prefix##TimeFactory::makeLogicalTimeInterval(Value value) {      \
    return std::auto_ptr<Prefix##Interval>(new Prefix##Interval(value));                           \
  }                                                                                                \
  std::auto_ptr<LogicalTimeInterval> Prefix##TimeFactory::makeZero() {                             \
    return std::auto_ptr<LogicalTimeInterval>(new Prefix##Interval);                               \
  }                                                                                                \
  std::auto_ptr<LogicalTimeInterval> Prefix##TimeFactory::makeEpsilon() {                          \
    return std::auto_ptr<LogicalTimeInterval>(new Prefix##Interval(EPSILON));                      \
  }                                                                                                \
  std::auto_ptr<LogicalTime> Prefix##TimeFactory::decodeLogicalTime(                               \
      const VariableLengthData& encodedLogicalTime) {                                              \
    std::auto_ptr<LogicalTime> time(new Prefix##Time);                                             \
    time->decode(encodedLogicalTime);                                                              \
    return time;                                                                                   \
  }                                                                                                \
  std::auto_ptr<LogicalTime> Prefix##TimeFactory::decodeLogicalTime(void* buffer,                  \
                                                                    size_t bufferSize) {           \
    std::auto_ptr<LogicalTime> time(new Prefix##Time);                                             \
    time->decode(buffer, bufferSize);                                                              \
    return time;                                                                                   \
  }                                                                                                \
  std::auto_ptr<LogicalTimeInterval> Prefix##TimeFactory::decodeLogicalTimeInterval(               \
      const VariableLengthData& encodedValue) {                                                    \
    std::auto_ptr<LogicalTimeInterval> interval(new Prefix##Interval);                             \
    interval->decode(encodedValue);                                                                \
    return interval;                                                                               \
  }                                                                                                \
  std::auto_ptr<LogicalTimeInterval> Prefix##TimeFactory::decodeLogicalTimeInterval(               \
      void* buffer, size_t bufferSize) {                                                           \
    std::auto_ptr<LogicalTimeInterval> interval(new Prefix##Interval);                             \
    interval->decode(buffer, bufferSize);                                                          \
    return interval;                                                                               \
  }                                                                                                \
  std::wstring Prefix##TimeFactory::getName() const { return L"" #Prefix "Time"; }                 \
                                                                                                   \
  }  // namespace rti1516e

TUTTI_DEFINE_TIME(HLAfloat64, double, double, const double&, api::kFinalFloat64,
                  api::kEpsilonFloat64)
TUTTI_DEFINE_TIME(HLAinteger64, std::int64_t, Integer64, Integer64, api::kFinalInteger64,
                  api::kEpsilonInteger64)

namespace rti1516e {

std::auto_ptr<LogicalTimeFactory> HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(
    const std::wstring& implementationName) {
  if (implementationName.empty() || implementationName == HLAfloat64TimeName) {
    return std::auto_ptr<LogicalTimeFactory>(new HLAfloat64TimeFactory);
  }
  if (implementationName == HLAinteger64TimeName) {
    return std::auto_ptr<LogicalTimeFactory>(new HLAinteger64TimeFactory);
  }
  return std::auto_ptr<LogicalTimeFactory>();
}

}  // namespace rti1516e
