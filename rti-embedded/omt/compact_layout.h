// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// Layout of the compact form of an object model. All numbers are little-endian 32-bit words; all
/// offsets count bytes from the start, so the form may lie anywhere.
///
///   word 0  magic "TOMC"          word 3  switches, a bit each in the order of Switches
///   word 1  layout version        word 4  automatic resign action
///   word 2  length in bytes       word 5  first of the table entries (offset, count of rows)
///
/// Rows are words; a name is two words (offset in Strings, length). Members and dimensions are runs
/// in Lists.
namespace tutti::omt::compact {

inline constexpr std::uint32_t magic = 0x434D4F54;  // "TOMC"
inline constexpr std::uint32_t layoutVersion = 1;

enum Table : std::uint32_t {
  Strings,             // count is bytes
  Lists,               // handle
  ObjectClasses,       // name, name, parent, first member, members
  Attributes,          // name, name, class, order, transportation, first dimension, dimensions
  InteractionClasses,  // name, name, parent, first member, members, order, transportation,
                       // first dimension, dimensions
  Parameters,          // name, name, class
  Dimensions,          // name, name, upper bound (0: the RTI decides), default lower, default upper
  Transportations,     // name, name, reliable
  UpdateRates,         // name, name, low and high word of an IEEE 754 double
  TimeTypes,           // name, name: time stamp, lookahead
  TableCount
};

/// Words in a row; Strings counts bytes instead.
inline constexpr std::array<std::uint32_t, TableCount> rowWords{0, 1, 5, 7, 9, 3, 5, 3, 4, 2};

inline constexpr std::size_t headerWords = 5 + 2 * TableCount;

}  // namespace tutti::omt::compact
