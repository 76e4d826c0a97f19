// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeInterval.h>

#include <cstdint>
#include <memory>

#include "api1516e/own_time_type.h"
#include "core/time_kind.h"

// Times and intervals of the API as the 64 bits that the core counts with. Objects of another class
// that says it is one of the two standard representations (a federate may have brought its own
// libfedtime1516e) are converted through their encoding, those of a representation of the
// federate's own by OwnTimeType.
namespace tutti::api1516e {

struct TimeType {
  core::TimeKind kind;
  const OwnTimeType* own = nullptr;
};

// False for an object of another time representation.
bool bitsOf(const rti1516e::LogicalTime& time, const TimeType& type, std::uint64_t& bits);
// Throw InvalidLogicalTime and InvalidLookahead for an object of another time representation.
std::uint64_t timeBits(const rti1516e::LogicalTime& time, const TimeType& type);
std::uint64_t intervalBits(const rti1516e::LogicalTimeInterval& interval, const TimeType& type);
// Throw RTIinternalError for a variable of another time representation.
void setTime(rti1516e::LogicalTime& time, std::uint64_t bits, const TimeType& type);
void setInterval(rti1516e::LogicalTimeInterval& interval, std::uint64_t bits, const TimeType& type);

}  // namespace tutti::api1516e
