// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Values of the MOM as the datatypes of the MIM say (IEEE 1516.1-2010, 11; IEEE
/// 1516.2-2010, 4.13.9).
namespace tutti::core::mom {

using Octets = std::vector<std::byte>;

/// HLAinteger32BE: HLAcount, HLAindex, HLAseconds, HLAmsec, HLAboolean and the enumerations.
Octets integer32(std::uint32_t value);
inline Octets boolean(bool value) { return integer32(value ? 1 : 0); }
/// Numbers past what HLAcount can say stay at its greatest.
Octets count(std::uint64_t value);
/// HLAunicodeString of UTF-8.
Octets text(std::string_view utf8);
/// HLAhandle: an encoded handle as octets.
Octets handle(std::uint64_t value);
/// HLAlogicalTime, HLAtimeInterval: an encoded time as octets; none: no octets.
Octets time(std::uint64_t bits);
Octets noTime();
/// HLAopaqueData.
Octets opaque(std::span<const std::byte> octets);
/// HLAvariableArray of encoded elements whose octet boundary is 4.
Octets list(std::span<const Octets> elements);
/// HLAfixedRecord of two fields whose octet boundary is 4.
Octets record(const Octets& first, const Octets& second);

/// Reads one value; `ok` turns false when the octets are not such a value.
struct Decoder {
  std::span<const std::byte> rest;
  bool ok = true;

  std::uint32_t integer32();
  std::string text();
  /// HLAhandle, or the octets that encode() of a handle gives, which others send as they are.
  std::uint64_t handle();
  /// HLAvariableArray of one or the other.
  std::vector<std::uint64_t> handles();
  /// The octets of an encoded time as bits, with or without their number before them.
  std::uint64_t time();
  Octets opaque();

 private:
  std::span<const std::byte> take(std::size_t count);
  std::uint64_t countedOctets();
};

}  // namespace tutti::core::mom
