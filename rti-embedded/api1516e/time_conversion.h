// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeInterval.h>

#include <cstdint>
#include <memory>

#include "core/time_kind.h"

// Times and intervals of the API as the 64 bits that the core counts with, for the two standard
// representations. Objects of another class that says it is one of them (a federate may have
// brought its own libfedtime1516e) are converted through their encoding.
namespace tutti::api1516e {

// False for an object of another time representation.
bool bitsOf(const rti1516e::LogicalTime& time, core::TimeKind kind, std::uint64_t& bits);
// Throw InvalidLogicalTime and InvalidLookahead for an object of another time representation.
std::uint64_t timeBits(const rti1516e::LogicalTime& time, core::TimeKind kind);
std::uint64_t intervalBits(const rti1516e::LogicalTimeInterval& interval, core::TimeKind kind);
void setTime(rti1516e::LogicalTime& time, std::uint64_t bits, core::TimeKind kind);
void setInterval(rti1516e::LogicalTimeInterval& interval, std::uint64_t bits, core::TimeKind kind);

}  // namespace tutti::api1516e
