// SPDX-License-Identifier: Apache-2.0
#include "fabric/printable.h"

#include <cstddef>

namespace tutti::fabric {
namespace {

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

Letter letterAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 && first < 0xf5   ? 4
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xc2 && first < 0xe0 ? 2
                                                            : 0;
  if (bytes == 0 || text.size() - at < bytes) return {};
  char32_t code = first & (0xff >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {};
    code = (code << 6) | (byte(at + i) & 0x3f);
  }
  const char32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

/// Control characters, line and paragraph separators, and what turns the direction of reading.
bool steers(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

void appendDigits(std::string& result, const char* prefix, char32_t value, int digits) {
  result += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
    result += "0123456789abcdef"[(value >> shift) & 0xf];
  }
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = letterAt(text, at);
    if (bytes == 0) {
      appendDigits(result, "\\x", static_cast<unsigned char>(text[at]), 2);
      ++at;
      continue;
    }
    const bool isLine = code == '\n' || code == '\t';
    if (!steers(code) || (isLine && lines == Lines::Kept)) {
      result += text.substr(at, bytes);
    } else if (isLine) {
      result += code == '\n' ? "\\n" : "\\t";
    } else {
      appendDigits(result, "\\u", code, 4);
    }
    at += bytes;
  }
  return result;
}

}  // namespace tutti::fabric
