// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

// The arithmetic of the two standard time implementations (IEEE 1516.1-2010, clause 12), for the
// classes of the API and for whoever computes with plain numbers; both must agree to the last bit.
// A time is never before its initial value, 0, nor past its final one. No result means: there is no
// such time (IllegalTimeArithmetic).
namespace tutti::api1516e {

inline constexpr double kFinalFloat64 = std::numeric_limits<double>::max();
inline constexpr double kEpsilonFloat64 = std::numeric_limits<double>::denorm_min();
inline constexpr std::int64_t kFinalInteger64 = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kEpsilonInteger64 = 1;

inline bool isTime(double time) { return time >= 0.0 && time <= kFinalFloat64; }
inline bool isTime(std::int64_t time) { return time >= 0; }

// Intervals may be negative, as differences are; a lookahead may not.
inline bool isInterval(double interval) {
  return interval >= -kFinalFloat64 && interval <= kFinalFloat64;
}
inline bool isInterval(std::int64_t) { return true; }

// time + interval. A positive interval always leads to a later time, a negative one to an earlier:
// where the sum would round to `time`, it is the neighbouring double.
inline std::optional<double> plus(double time, double interval) {
  double sum = time + interval;
  if (sum == time && interval != 0.0 && time > 0.0) {
    // The doubles from 0 on are in the order of their bits.
    const auto bits = std::bit_cast<std::uint64_t>(time);
    sum = std::bit_cast<double>(interval > 0.0 ? bits + 1 : bits - 1);
  }
  if (!isTime(sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::int64_t> plus(std::int64_t time, std::int64_t interval) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(time, interval, &sum) || !isTime(sum)) return std::nullopt;
  return sum;
}

// time - interval, by the same rules.
inline std::optional<double> minus(double time, double interval) { return plus(time, -interval); }

inline std::optional<std::int64_t> minus(std::int64_t time, std::int64_t interval) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(time, interval, &difference) || !isTime(difference)) {
    return std::nullopt;
  }
  return difference;
}

// Sums and differences of intervals, and the interval between two times.
inline std::optional<double> sum(double left, double right) {
  const double result = left + right;
  if (!isInterval(result)) return std::nullopt;
  return result;
}

inline std::optional<std::int64_t> sum(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(left, right, &result)) return std::nullopt;
  return result;
}

inline std::optional<double> difference(double left, double right) { return sum(left, -right); }

inline std::optional<std::int64_t> difference(std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(left, right, &result)) return std::nullopt;
  return result;
}

}  // namespace tutti::api1516e
