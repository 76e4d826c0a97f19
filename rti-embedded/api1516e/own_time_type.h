// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/LogicalTimeFactory.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace tutti::api1516e {

// A time representation that a federate brings with its own LogicalTimeFactory (IEEE 1516.1-2010,
// 12): how its times and intervals become the 64 bits that the core counts with, and back. Which
// way is found once, by trying, and is the same in every process with the same library:
//
// - Where its encoding is that of a number (an integer of 32 or 64 bits, a double, in either order
// of
//   octets), those bits are it.
// - Any other time is the number of epsilons from the initial time, found by the type's own sums
// and
//   comparisons. Epsilon is the smallest interval there is, so each time is a whole number of them;
//   one that is not, or that lies 2^63 epsilons away, is refused as InvalidLogicalTime (but for the
//   final time).
//
// Immutable after make(); the classes of the federate are called from any thread that calls a
// service.
class OwnTimeType {
 public:
  // Null when no library of this process knows the name.
  static std::unique_ptr<OwnTimeType> make(const std::wstring& name);

  // Whether the bits are those of an int64, else of a double.
  bool integer() const { return form_ != Form::Float64BE && form_ != Form::Float64LE; }

  // False for an object of another representation, or one without a number.
  bool bitsOf(const rti1516e::LogicalTime& time, std::uint64_t& bits) const;
  bool bitsOf(const rti1516e::LogicalTimeInterval& interval, std::uint64_t& bits) const;
  // False for an object of another representation.
  bool set(rti1516e::LogicalTime& time, std::uint64_t bits) const;
  bool set(rti1516e::LogicalTimeInterval& interval, std::uint64_t bits) const;

  // What the federate is given in callbacks; used by the thread that delivers them.
  rti1516e::LogicalTime& callbackTime() const { return *callbackTime_; }

 private:
  enum class Form {
    Integer64BE,
    Integer64LE,
    Integer32BE,
    Integer32LE,
    Float64BE,
    Float64LE,
    Epsilons
  };

  explicit OwnTimeType(std::unique_ptr<rti1516e::LogicalTimeFactory> factory);
  bool describes(Form form) const;
  template <class Value>
  static bool numberOf(const Value& value, Form form, std::uint64_t& bits);
  template <class Value>
  static void fromNumber(Value& value, Form form, std::uint64_t bits);
  template <class Value>
  bool countEpsilons(const Value& value, std::unique_ptr<Value> from, std::unique_ptr<Value> next,
                     std::uint64_t& count) const;

  std::unique_ptr<rti1516e::LogicalTime> initial() const;
  std::unique_ptr<rti1516e::LogicalTimeInterval> zero() const;

  std::unique_ptr<rti1516e::LogicalTimeFactory> factory_;
  std::vector<std::unique_ptr<rti1516e::LogicalTimeInterval>> powers_;  // 2^k epsilons
  std::unique_ptr<rti1516e::LogicalTime> callbackTime_;
  std::wstring timeName_, intervalName_;
  Form form_ = Form::Epsilons;
};

}  // namespace tutti::api1516e

#pragma GCC diagnostic pop
