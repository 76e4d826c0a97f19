// SPDX-License-Identifier: Apache-2.0
// The time types that federates used before the standard had its own, by their historic names: as
// numbers they are HLAfloat64Time and HLAfloat64Interval, and every service takes and gives them as
// such. All of it is in this header, so the libraries export nothing for it.

#ifndef RTI_RTI1516fedTime_h
#define RTI_RTI1516fedTime_h

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeInterval.h>
#include <RTI/SpecificConfig.h>
#include <RTI/time/HLAfloat64Interval.h>
#include <RTI/time/HLAfloat64Time.h>

#include <limits>
#include <type_traits>

// The API prescribes exception lists, which later language versions deprecate.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// A time of 64-bit floating point. Initial: 0. Final: the largest finite double.
class RTI1516fedTime : public rti1516e::HLAfloat64Time {
 public:
  RTI1516fedTime() {}
  RTI1516fedTime(double value) : rti1516e::HLAfloat64Time(value) {}
  RTI1516fedTime(const rti1516e::LogicalTime& value) : rti1516e::HLAfloat64Time(value) {}
  RTI1516fedTime(const RTI1516fedTime& value) : rti1516e::HLAfloat64Time(value) {}
  virtual ~RTI1516fedTime() RTI_NOEXCEPT {}

  RTI1516fedTime& operator=(const RTI1516fedTime& value) {
    setTime(value.getTime());
    return *this;
  }
  RTI1516fedTime& operator=(double value) {
    setTime(value);
    return *this;
  }
  virtual rti1516e::LogicalTime& operator=(const rti1516e::LogicalTime& value)
      RTI_THROW((rti1516e::InvalidLogicalTime)) {
    return rti1516e::HLAfloat64Time::operator=(value);
  }
  virtual rti1516e::HLAfloat64Time& operator=(const rti1516e::HLAfloat64Time& value)
      RTI_THROW((rti1516e::InvalidLogicalTime)) {
    return rti1516e::HLAfloat64Time::operator=(value);
  }

  double getFedTime() const { return getTime(); }
  // True for the final time.
  bool isInfinity() const { return isFinal(); }

#if __cplusplus >= 202002L
  using rti1516e::HLAfloat64Time::operator==;
  // C++20 finds value == *this just as good as *this == value; this decides.
  template <class Same>
  requires std::is_same_v<Same, RTI1516fedTime>
  bool operator==(const Same& value) const {
    return operator==(static_cast<const rti1516e::LogicalTime&>(value));
  }
#endif
};

// A distance of RTI1516fedTime.
class RTI1516fedTimeInterval : public rti1516e::HLAfloat64Interval {
 public:
  RTI1516fedTimeInterval() {}
  RTI1516fedTimeInterval(double value) : rti1516e::HLAfloat64Interval(value) {}
  RTI1516fedTimeInterval(const rti1516e::LogicalTimeInterval& value)
      : rti1516e::HLAfloat64Interval(value) {}
  RTI1516fedTimeInterval(const RTI1516fedTimeInterval& value)
      : rti1516e::HLAfloat64Interval(value) {}
  virtual ~RTI1516fedTimeInterval() RTI_NOEXCEPT {}

  RTI1516fedTimeInterval& operator=(const RTI1516fedTimeInterval& value) {
    setInterval(value.getInterval());
    return *this;
  }
  RTI1516fedTimeInterval& operator=(double value) {
    setInterval(value);
    return *this;
  }
  virtual rti1516e::LogicalTimeInterval& operator=(const rti1516e::LogicalTimeInterval& value)
      RTI_THROW((rti1516e::InvalidLogicalTimeInterval)) {
    return rti1516e::HLAfloat64Interval::operator=(value);
  }
  virtual rti1516e::HLAfloat64Interval& operator=(const rti1516e::HLAfloat64Interval& value)
      RTI_THROW((rti1516e::InvalidLogicalTimeInterval)) {
    return rti1516e::HLAfloat64Interval::operator=(value);
  }

  // The distance from 1 to the next double. What setEpsilon() means is smaller.
  double getEpsilon() const { return std::numeric_limits<double>::epsilon(); }

#if __cplusplus >= 202002L
  using rti1516e::HLAfloat64Interval::operator==;
  template <class Same>
  requires std::is_same_v<Same, RTI1516fedTimeInterval>
  bool operator==(const Same& value) const {
    return operator==(static_cast<const rti1516e::LogicalTimeInterval&>(value));
  }
#endif
};

// Some programs look for them beside the rest of the API.
namespace rti1516e {
using ::RTI1516fedTime;
using ::RTI1516fedTimeInterval;
}  // namespace rti1516e

#pragma GCC diagnostic pop

#endif
