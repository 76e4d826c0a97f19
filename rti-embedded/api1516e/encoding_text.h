// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/encoding/EncodingConfig.h>
#include <RTI/encoding/EncodingExceptions.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// wchar_t holds a whole character here; HLAunicodeString holds UTF-16 code units, big-endian.
// Surrogates that stand alone pass unchanged in both directions, so that nothing is lost.
namespace tutti::api1516e {

// The number of UTF-16 code units of a text.
inline std::size_t utf16Length(const std::wstring& text) {
  std::size_t length = text.size();
  for (const wchar_t character : text) {
    if (static_cast<std::uint32_t>(character) > 0xFFFF) ++length;
  }
  return length;
}

// Appends the text, or throws EncoderException for a character beyond Unicode.
inline void appendUtf16(const wchar_t* type, const std::wstring& text,
                        std::vector<rti1516e::Octet>& to) {
  const auto append = [&to](std::uint32_t unit) {
    to.push_back(static_cast<rti1516e::Octet>(unit >> 8));
    to.push_back(static_cast<rti1516e::Octet>(unit & 0xFF));
  };
  for (const wchar_t character : text) {
    const auto code = static_cast<std::uint32_t>(character);
    if (code > 0x10FFFF) {
      throw rti1516e::EncoderException(std::wstring(type) + L": " + std::to_wstring(code) +
                                       L" is no Unicode character");
    }
    if (code <= 0xFFFF) {
      append(code);
    } else {
      append(0xD800 + ((code - 0x10000) >> 10));
      append(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
}

// Sets the text from `units` code units at `data`.
inline void readUtf16(const rti1516e::Octet* data, std::size_t units, std::wstring& text) {
  const auto unit = [data](std::size_t i) {
    return static_cast<std::uint32_t>((static_cast<unsigned char>(data[2 * i]) << 8) |
                                      static_cast<unsigned char>(data[2 * i + 1]));
  };
  std::wstring result;
  result.reserve(units);
  for (std::size_t i = 0; i < units; ++i) {
    std::uint32_t code = unit(i);
    const bool high = code >= 0xD800 && code <= 0xDBFF;
    if (high && i + 1 < units && unit(i + 1) >= 0xDC00 && unit(i + 1) <= 0xDFFF) {
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(i + 1) - 0xDC00);
      ++i;
    }
    result.push_back(static_cast<wchar_t>(code));
  }
  text = std::move(result);
}

}  // namespace tutti::api1516e
