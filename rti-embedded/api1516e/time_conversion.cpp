// SPDX-License-Identifier: Apache-2.0
#include "api1516e/time_conversion.h"

#include <RTI/Exception.h>
#include <RTI/VariableLengthData.h>
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>

#include <bit>
#include <cstring>
#include <string>
#include <typeinfo>

namespace tutti::api1516e {
namespace {

// Mostly it is just that class, which is found out without a walk up its bases.
template <class Standard, class Value>
Standard* as(Value& value) {
  if (typeid(value) == typeid(Standard)) return static_cast<Standard*>(&value);
  return dynamic_cast<Standard*>(&value);
}

// Their names begin alike for times and intervals.
template <class Value>
bool isOfKind(const Value& value, core::TimeKind kind) {
  return value.implementationName().starts_with(kind.integer ? L"HLAinteger64" : L"HLAfloat64");
}

std::wstring timeName(const TimeType& type) {
  if (type.own != nullptr) return type.own->callbackTime().implementationName();
  return type.kind.integer ? L"HLAinteger64Time" : L"HLAfloat64Time";
}

[[noreturn]] void refuseVariable(const std::wstring& given, const TimeType& type) {
  throw rti1516e::RTIinternalError(L"A variable of " + given +
                                   L" was given for the result; this federation execution uses " +
                                   timeName(type) + L".");
}

// Both standard representations are encoded as 8 octets, most significant first.
template <class Encodable>
bool encodedBits(const Encodable& value, core::TimeKind kind, std::uint64_t& bits) {
  if (!isOfKind(value, kind)) return false;
  const rti1516e::VariableLengthData data = value.encode();
  if (data.size() != sizeof bits) return false;
  std::memcpy(&bits, data.data(), sizeof bits);
  bits = __builtin_bswap64(bits);
  return true;
}

template <class Decodable>
void decodeBits(Decodable& value, std::uint64_t bits, const TimeType& type) {
  if (!isOfKind(value, type.kind)) refuseVariable(value.implementationName(), type);
  bits = __builtin_bswap64(bits);
  value.decode(rti1516e::VariableLengthData(&bits, sizeof bits));
}

}  // namespace

bool bitsOf(const rti1516e::LogicalTime& time, const TimeType& type, std::uint64_t& bits) {
  if (type.own != nullptr) return type.own->bitsOf(time, bits);
  const core::TimeKind kind = type.kind;
  if (kind.integer) {
    if (const auto* own = as<const rti1516e::HLAinteger64Time>(time)) {
      bits = std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(own->getTime()));
      return true;
    }
  } else if (const auto* own = as<const rti1516e::HLAfloat64Time>(time)) {
    bits = std::bit_cast<std::uint64_t>(own->getTime());
    return true;
  }
  return encodedBits(time, kind, bits);
}

std::uint64_t timeBits(const rti1516e::LogicalTime& time, const TimeType& type) {
  std::uint64_t bits = 0;
  if (bitsOf(time, type, bits)) return bits;
  throw rti1516e::InvalidLogicalTime(L"A time of " + time.implementationName() +
                                     L" was given; this federation execution uses " +
                                     timeName(type) + L".");
}

std::uint64_t intervalBits(const rti1516e::LogicalTimeInterval& interval, const TimeType& type) {
  std::uint64_t bits = 0;
  if (type.own != nullptr) {
    if (type.own->bitsOf(interval, bits)) return bits;
    throw rti1516e::InvalidLookahead(L"An interval of " + interval.implementationName() + L", " +
                                     interval.toString() +
                                     L", was given; this federation execution uses " +
                                     timeName(type) + L", in whole numbers of its epsilon.");
  }
  const core::TimeKind kind = type.kind;
  if (kind.integer) {
    if (const auto* own = as<const rti1516e::HLAinteger64Interval>(interval)) {
      return std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(own->getInterval()));
    }
  } else if (const auto* own = as<const rti1516e::HLAfloat64Interval>(interval)) {
    return std::bit_cast<std::uint64_t>(own->getInterval());
  }
  if (encodedBits(interval, kind, bits)) return bits;
  throw rti1516e::InvalidLookahead(L"An interval of " + interval.implementationName() +
                                   L" was given; this federation execution uses " + timeName(type) +
                                   L".");
}

void setTime(rti1516e::LogicalTime& time, std::uint64_t bits, const TimeType& type) {
  if (type.own != nullptr) {
    if (!type.own->set(time, bits)) refuseVariable(time.implementationName(), type);
    return;
  }
  if (type.kind.integer) {
    if (auto* own = as<rti1516e::HLAinteger64Time>(time)) {
      own->setTime(std::bit_cast<std::int64_t>(bits));
      return;
    }
  } else if (auto* own = as<rti1516e::HLAfloat64Time>(time)) {
    own->setTime(std::bit_cast<double>(bits));
    return;
  }
  decodeBits(time, bits, type);
}

void setInterval(rti1516e::LogicalTimeInterval& interval, std::uint64_t bits,
                 const TimeType& type) {
  if (type.own != nullptr) {
    if (!type.own->set(interval, bits)) refuseVariable(interval.implementationName(), type);
    return;
  }
  if (type.kind.integer) {
    if (auto* own = as<rti1516e::HLAinteger64Interval>(interval)) {
      own->setInterval(std::bit_cast<std::int64_t>(bits));
      return;
    }
  } else if (auto* own = as<rti1516e::HLAfloat64Interval>(interval)) {
    own->setInterval(std::bit_cast<double>(bits));
    return;
  }
  decodeBits(interval, bits, type);
}

}  // namespace tutti::api1516e
