// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Fixed-size values as octets in a given order, whatever the order of the machine.
namespace tutti::api1516e {

enum class Endian { kBig, kLittle };

template <class Unsigned>
constexpr Unsigned ordered(Unsigned value, Endian order) {
  constexpr bool kMachineIsLittle = std::endian::native == std::endian::little;
  if ((order == Endian::kLittle) == kMachineIsLittle || sizeof(Unsigned) == 1) return value;
  Unsigned result = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
    result = static_cast<Unsigned>((result << 8) | ((value >> (8 * i)) & 0xFF));
  }
  return result;
}

template <std::size_t kSize>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
  using Type = std::uint8_t;
};
template <>
struct UnsignedOfSize<2> {
  using Type = std::uint16_t;
};
template <>
struct UnsignedOfSize<4> {
  using Type = std::uint32_t;
};
template <>
struct UnsignedOfSize<8> {
  using Type = std::uint64_t;
};

// Writes sizeof(T) octets; `to` needs no alignment.
template <class T>
void store(void* to, T value, Endian order) {
  using Unsigned = typename UnsignedOfSize<sizeof(T)>::Type;
  const Unsigned bits = ordered(std::bit_cast<Unsigned>(value), order);
  std::memcpy(to, &bits, sizeof(bits));
}

// Reads sizeof(T) octets; `from` needs no alignment.
template <class T>
T load(const void* from, Endian order) {
  using Unsigned = typename UnsignedOfSize<sizeof(T)>::Type;
  Unsigned bits;
  std::memcpy(&bits, from, sizeof(bits));
  return std::bit_cast<T>(ordered(bits, order));
}

// The 64-bit FNV-1a hash: the same in every process and build.
inline std::uint64_t hashOf(const void* data, std::size_t size) {
  const auto* octets = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ octets[i]) * 1099511628211U;
  return hash;
}

}  // namespace tutti::api1516e
