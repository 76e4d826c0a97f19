// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace tutti::core {

/// A point of logical time as an unsigned number in the order of time, whatever the time type.
using TimeKey = std::uint64_t;

/// The two standard time representations: HLAfloat64Time and HLAinteger64Time (IEEE 1516.1-2010,
/// 12.3 and annex). Slots and records carry *bits* (of the double or the int64); the library
/// compares *keys*.
struct TimeKind {
  bool integer = false;

  static constexpr std::uint64_t sign = std::uint64_t{1} << 63;

  TimeKey key(std::uint64_t bits) const {
    if (integer) return bits ^ sign;
    bits = std::bit_cast<std::uint64_t>(std::bit_cast<double>(bits) + 0.0);  // -0 is 0
    return (bits & sign) != 0 ? ~bits : bits | sign;
  }
  std::uint64_t bits(TimeKey key) const {
    if (integer) return key ^ sign;
    return (key & sign) != 0 ? key & ~sign : ~key;
  }
  /// The time `interval` after `time`, both bits; past the end of time it is the last time.
  std::uint64_t add(std::uint64_t time, std::uint64_t interval) const {
    if (integer) {
      const auto a = std::bit_cast<std::int64_t>(time);
      const auto b = std::bit_cast<std::int64_t>(interval);
      std::int64_t sum = 0;
      if (__builtin_add_overflow(a, b, &sum)) sum = std::numeric_limits<std::int64_t>::max();
      return std::bit_cast<std::uint64_t>(sum);
    }
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(time) +
                                        std::bit_cast<double>(interval));
  }
  std::uint64_t subtract(std::uint64_t time, std::uint64_t interval) const {
    if (integer) return time - interval;
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(time) -
                                        std::bit_cast<double>(interval));
  }
  /// The interval from `earlier` to `later`, all bits.
  std::uint64_t distance(std::uint64_t earlier, std::uint64_t later) const {
    if (integer) return later - earlier;
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(later) -
                                        std::bit_cast<double>(earlier));
  }
  TimeKey keyAfter(TimeKey from, std::uint64_t interval) const {
    return key(add(bits(from), interval));
  }
  bool isZero(std::uint64_t interval) const {
    return integer ? interval == 0 : std::bit_cast<double>(interval) == 0.0;
  }
  std::uint64_t initialTime() const { return 0; }
};

/// The greatest time up to which something is known not to happen; `exclusive` means not at `key`
/// itself either. Later than every time: none().
struct TimeBound {
  TimeKey key = 0;
  bool exclusive = false;

  static constexpr TimeBound none() { return {~TimeKey{0}, true}; }
  bool isNone() const { return *this == none(); }
  friend constexpr bool operator==(const TimeBound&, const TimeBound&) = default;
  friend constexpr auto operator<=>(const TimeBound&, const TimeBound&) = default;
};

}  // namespace tutti::core
