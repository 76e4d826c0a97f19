// SPDX-License-Identifier: Apache-2.0
#include "common/text.h"

#include <cstdint>

namespace samples {

std::wstring widen(const std::string& utf8) {
  std::wstring wide;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto byte = static_cast<std::uint8_t>(utf8[i++]);
    const int more = byte < 0x80   ? 0
                     : byte < 0xC0 ? -1
                     : byte < 0xE0 ? 1
                     : byte < 0xF0 ? 2
                     : byte < 0xF8 ? 3
                                   : -1;
    std::uint32_t code = more == 0 ? byte : more > 0 ? byte & (0x3Fu >> more) : 0xFFFDu;
    for (int k = 0; k < more; ++k) {
      if (i >= utf8.size() || (static_cast<std::uint8_t>(utf8[i]) & 0xC0) != 0x80) {
        code = 0xFFFD;
        break;
      }
      code = (code << 6) | (static_cast<std::uint8_t>(utf8[i++]) & 0x3Fu);
    }
    wide += static_cast<wchar_t>(code);
  }
  return wide;
}

std::string narrow(const std::wstring& wide) {
  std::string utf8;
  const auto put = [&utf8](std::uint32_t byte) {
    utf8 += static_cast<char>(static_cast<std::uint8_t>(byte));
  };
  for (const wchar_t character : wide) {
    const auto code = static_cast<std::uint32_t>(character);
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xC0 | (code >> 6));
      put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      put(0xE0 | (code >> 12));
      put(0x80 | ((code >> 6) & 0x3F));
      put(0x80 | (code & 0x3F));
    } else {
      put(0xF0 | (code >> 18));
      put(0x80 | ((code >> 12) & 0x3F));
      put(0x80 | ((code >> 6) & 0x3F));
      put(0x80 | (code & 0x3F));
    }
  }
  return utf8;
}

}  // namespace samples
