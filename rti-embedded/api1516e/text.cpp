// SPDX-License-Identifier: Apache-2.0
#include "api1516e/text.h"

#include <cstdint>

namespace tutti::api1516e {
namespace {

constexpr std::uint32_t replacement = 0xFFFD;

}  // namespace

std::string toUtf8(std::wstring_view text) {
  std::string out;
  out.reserve(text.size());
  for (const wchar_t character : text) {
    auto code = static_cast<std::uint32_t>(character);
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = replacement;
    if (code < 0x80) {
      out += static_cast<char>(code);
      continue;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    const std::uint32_t lead[] = {0, 0xC0, 0xE0, 0xF0};
    out += static_cast<char>(lead[more] | (code >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) {
      out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
    }
  }
  return out;
}

std::wstring fromUtf8(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    if (first < 0x80) {
      out += static_cast<wchar_t>(first);
      continue;
    }
    const int more = first >= 0xF0 && first < 0xF8   ? 3
                     : first >= 0xE0 && first < 0xF0 ? 2
                     : first >= 0xC2 && first < 0xE0 ? 1
                                                     : 0;
    std::uint32_t code = more == 3 ? first & 0x07u : more == 2 ? first & 0x0Fu : first & 0x1Fu;
    bool whole = more != 0;
    for (int k = 0; k < more; ++k) {
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
        whole = false;
        break;
      }
      code = (code << 6) | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
    }
    if (!whole || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = replacement;
    out += static_cast<wchar_t>(code);
  }
  return out;
}

}  // namespace tutti::api1516e
