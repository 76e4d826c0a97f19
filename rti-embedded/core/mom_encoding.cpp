// SPDX-License-Identifier: Apache-2.0
#include "core/mom_encoding.h"

#include <algorithm>
#include <limits>

namespace tutti::core::mom {
namespace {

template <class T>
void append(Octets& out, T value) {
  for (std::size_t i = sizeof(T); i-- > 0;) {
    out.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
  }
}

template <class T>
T load(std::span<const std::byte> octets) {
  T value = 0;
  for (const std::byte octet : octets)
    value = static_cast<T>((value << 8) | std::to_integer<T>(octet));
  return value;
}

void pad(Octets& out) {
  while (out.size() % 4 != 0) out.push_back(std::byte{0});
}

/// Invalid sequences become U+FFFD.
std::u16string toUtf16(std::string_view utf8) {
  std::u16string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto first = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = first < 0x80    ? 1
                               : first >= 0xf0 ? 4
                               : first >= 0xe0 ? 3
                               : first >= 0xc0 ? 2
                                               : 0;
    char32_t code = first < 0x80 ? first : first & (0xffu >> (length + 1));
    bool whole = length != 0 && i + length <= utf8.size();
    for (std::size_t k = 1; whole && k < length; ++k) {
      const auto next = static_cast<unsigned char>(utf8[i + k]);
      whole = (next & 0xc0) == 0x80;
      code = (code << 6) | (next & 0x3f);
    }
    if (!whole || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      out.push_back(u'\xfffd');
      ++i;
      continue;
    }
    if (code >= 0x10000) {
      out.push_back(static_cast<char16_t>(0xd800 + ((code - 0x10000) >> 10)));
      out.push_back(static_cast<char16_t>(0xdc00 + ((code - 0x10000) & 0x3ff)));
    } else {
      out.push_back(static_cast<char16_t>(code));
    }
    i += length;
  }
  return out;
}

void appendUtf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t octet) { out.push_back(static_cast<char>(octet)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

}  // namespace

Octets integer32(std::uint32_t value) {
  Octets out;
  append(out, value);
  return out;
}

Octets count(std::uint64_t value) {
  constexpr std::uint64_t greatest = std::numeric_limits<std::int32_t>::max();
  return integer32(static_cast<std::uint32_t>(std::min(value, greatest)));
}

Octets text(std::string_view utf8) {
  const std::u16string units = toUtf16(utf8);
  Octets out;
  out.reserve(4 + 2 * units.size());
  append(out, static_cast<std::uint32_t>(units.size()));
  for (const char16_t unit : units) append(out, static_cast<std::uint16_t>(unit));
  return out;
}

Octets handle(std::uint64_t value) {
  Octets out;
  append(out, std::uint32_t{8});
  append(out, value);
  return out;
}

Octets time(std::uint64_t bits) { return handle(bits); }

Octets noTime() { return integer32(0); }

Octets opaque(std::span<const std::byte> octets) {
  Octets out;
  append(out, static_cast<std::uint32_t>(octets.size()));
  out.insert(out.end(), octets.begin(), octets.end());
  return out;
}

Octets list(std::span<const Octets> elements) {
  Octets out;
  append(out, static_cast<std::uint32_t>(elements.size()));
  for (const Octets& element : elements) {
    pad(out);
    out.insert(out.end(), element.begin(), element.end());
  }
  return out;
}

Octets record(const Octets& first, const Octets& second) {
  Octets out = first;
  pad(out);
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

std::span<const std::byte> Decoder::take(std::size_t wanted) {
  if (!ok || wanted > rest.size()) {
    ok = false;
    return {};
  }
  const auto result = rest.first(wanted);
  rest = rest.subspan(wanted);
  return result;
}

std::uint32_t Decoder::integer32() { return load<std::uint32_t>(take(4)); }

std::string Decoder::text() {
  const std::size_t units = integer32();
  const auto octets = take(2 * units);
  std::string out;
  for (std::size_t i = 0; i + 1 < octets.size(); i += 2) {
    char32_t code = load<std::uint16_t>(octets.subspan(i, 2));
    if (code >= 0xd800 && code < 0xdc00 && i + 3 < octets.size()) {
      const char32_t low = load<std::uint16_t>(octets.subspan(i + 2, 2));
      if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        i += 2;
      }
    }
    appendUtf8(out, code);
  }
  return out;
}

std::uint64_t Decoder::countedOctets() {
  if (integer32() != 8) ok = false;
  return load<std::uint64_t>(take(8));
}

// Eight octets are no HLAhandle of this RTI, which has its number of octets before them.
std::uint64_t Decoder::handle() {
  return rest.size() == 8 ? load<std::uint64_t>(take(8)) : countedOctets();
}

std::vector<std::uint64_t> Decoder::handles() {
  std::vector<std::uint64_t> result;
  const std::uint32_t elements = integer32();
  const bool bare = rest.size() == std::size_t{8} * elements;
  for (std::uint32_t i = 0; i < elements && ok; ++i) {
    result.push_back(bare ? load<std::uint64_t>(take(8)) : countedOctets());
  }
  return result;
}

std::uint64_t Decoder::time() { return handle(); }

Octets Decoder::opaque() {
  const auto octets = take(integer32());
  return {octets.begin(), octets.end()};
}

}  // namespace tutti::core::mom
