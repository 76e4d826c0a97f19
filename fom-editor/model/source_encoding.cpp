// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/source_encoding.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "omt/text.h"
#include "omt/xml_limits.h"

namespace tutti::fomedit {

namespace {

constexpr std::string_view utf8Mark = "\xEF\xBB\xBF";
constexpr char32_t surrogates = 0xD800;
constexpr char32_t surrogatesEnd = 0xE000;

/// Characters of the bytes 0x80 to 0x9F of Windows-1252; 0: unused.
constexpr std::array<char16_t, 32> windows1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void append(std::string& text, char32_t c) {
  const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) {
    add(c);
  } else if (c < 0x800) {
    add(0xC0U | (c >> 6U));
    add(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    add(0xE0U | (c >> 12U));
    add(0x80U | ((c >> 6U) & 0x3FU));
    add(0x80U | (c & 0x3FU));
  } else {
    add(0xF0U | (c >> 18U));
    add(0x80U | ((c >> 12U) & 0x3FU));
    add(0x80U | ((c >> 6U) & 0x3FU));
    add(0x80U | (c & 0x3FU));
  }
}

/// The character that well-formed UTF-8 begins with; takes it away.
char32_t takeCharacter(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t c = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes && i < text.size(); ++i) {
    c = (c << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  text.remove_prefix(std::min(bytes, text.size()));
  return c;
}

/// The byte that stands for a character in an encoding of one byte each.
std::optional<unsigned char> byteOf(char32_t c, SourceEncoding encoding) {
  if (c < 0x80) return static_cast<unsigned char>(c);
  if (encoding == SourceEncoding::Ascii) return std::nullopt;
  if (c >= 0xA0 && c < 0x100) return static_cast<unsigned char>(c);
  if (encoding == SourceEncoding::Latin1) {
    if (c < 0x100) return static_cast<unsigned char>(c);
    return std::nullopt;
  }
  const auto found = std::find(windows1252.begin(), windows1252.end(), c);
  if (found == windows1252.end()) return std::nullopt;
  return static_cast<unsigned char>(0x80 + (found - windows1252.begin()));
}

bool isWide(SourceEncoding encoding) {
  return encoding == SourceEncoding::Utf16LittleEndian ||
         encoding == SourceEncoding::Utf16BigEndian;
}

/// False: it ends within a character, or half of a pair stands alone.
bool decodeUtf16(std::string_view bytes, SourceEncoding encoding, std::string& text) {
  if (bytes.size() % 2 != 0) return false;
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return encoding == SourceEncoding::Utf16LittleEndian
               ? static_cast<char32_t>(first | (second << 8U))
               : static_cast<char32_t>((first << 8U) | second);
  };
  text.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    char32_t c = unit(at);
    if (c >= surrogates && c < surrogatesEnd) {
      at += 2;
      if (c >= 0xDC00 || at >= bytes.size()) return false;
      const char32_t low = unit(at);
      if (low < 0xDC00 || low >= surrogatesEnd) return false;
      c = 0x10000 + ((c - surrogates) << 10U) + (low - 0xDC00);
    }
    append(text, c);
  }
  return true;
}

bool decodeBytes(std::string_view bytes, SourceEncoding encoding, std::string& text) {
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char byte : bytes) {
    char32_t c = static_cast<unsigned char>(byte);
    if (encoding == SourceEncoding::Windows1252 && c >= 0x80 && c < 0xA0) c = windows1252[c - 0x80];
    if (c == 0 || (encoding == SourceEncoding::Ascii && c >= 0x80)) return false;
    append(text, c);
  }
  return true;
}

/// What the XML declaration says; empty: nothing.
std::string declaredEncoding(std::string_view text) {
  if (!text.starts_with("<?xml")) return {};
  text = text.substr(0, text.find("?>"));
  const std::size_t key = text.find("encoding");
  if (key == std::string_view::npos) return {};
  text.remove_prefix(key);
  const std::size_t begin = text.find_first_of("\"'");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find(text[begin], begin + 1);
  if (end == std::string_view::npos) return {};
  return std::string(text.substr(begin + 1, end - begin - 1));
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view n) { return omt::sameIgnoringCase(n, name); });
}

}  // namespace

tl::expected<DecodedText, std::string> decoded(std::string bytes) {
  DecodedText result;
  std::string_view rest = bytes;
  const auto wide = [&](SourceEncoding encoding,
                        bool mark) -> tl::expected<DecodedText, std::string> {
    result.encoding = encoding;
    result.byteOrderMark = mark;
    if (mark) rest.remove_prefix(2);
    if (!decodeUtf16(rest, encoding, result.text)) {
      return tl::unexpected(std::string("The file is not in UTF-16 to its end."));
    }
    return std::move(result);
  };
  using namespace std::string_view_literals;
  if (rest.starts_with("\xFF\xFE"sv)) return wide(SourceEncoding::Utf16LittleEndian, true);
  if (rest.starts_with("\xFE\xFF"sv)) return wide(SourceEncoding::Utf16BigEndian, true);
  if (rest.starts_with("<\0?\0"sv)) return wide(SourceEncoding::Utf16LittleEndian, false);
  if (rest.starts_with("\0<\0?"sv)) return wide(SourceEncoding::Utf16BigEndian, false);
  if (rest.starts_with(utf8Mark)) {
    result.byteOrderMark = true;
    bytes.erase(0, utf8Mark.size());
    result.text = std::move(bytes);
    return result;
  }
  const std::string name = declaredEncoding(rest);
  if (isOneOf(name, {"", "UTF-8", "UTF8"})) {
    result.text = std::move(bytes);
    return result;
  }
  if (isOneOf(name, {"ISO-8859-1", "ISO8859-1", "ISO_8859-1", "Latin1", "Latin-1"})) {
    result.encoding = SourceEncoding::Latin1;
  } else if (isOneOf(name, {"windows-1252", "CP1252"})) {
    result.encoding = SourceEncoding::Windows1252;
  } else if (isOneOf(name, {"US-ASCII", "ASCII"})) {
    result.encoding = SourceEncoding::Ascii;
  } else {
    return tl::unexpected("The file is in " + omt::shortened(name) + ", which is not edited.");
  }
  // As the RTI's reader takes it, which warns: other bytes than those of ASCII are UTF-8.
  if (result.encoding == SourceEncoding::Ascii && std::any_of(rest.begin(), rest.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x80;
      })) {
    result.encoding = SourceEncoding::Utf8;
    result.text = std::move(bytes);
    return result;
  }
  if (!decodeBytes(rest, result.encoding, result.text)) {
    return tl::unexpected("The file is not in " + name + " to its end.");
  }
  return result;
}

tl::expected<DecodedText, std::string> decodedFed(std::string bytes) {
  auto result = decoded(std::move(bytes));
  if (!result || result->encoding != SourceEncoding::Utf8) return result;
  std::size_t end = omt::charactersEnd(result->text);
  if (end < result->text.size() && static_cast<unsigned char>(result->text[end]) >= 0x80) {
    std::string text;
    if (!decodeBytes(result->text, SourceEncoding::Latin1, text)) {
      return tl::unexpected(std::string("The file has a byte 0, which is no text."));
    }
    result->text = std::move(text);
    result->encoding = SourceEncoding::Latin1;
    end = omt::charactersEnd(result->text);
  }
  // The RTI does not read it either.
  if (end < result->text.size()) {
    return tl::unexpected("The file has a byte " +
                          std::to_string(static_cast<unsigned char>(result->text[end])) +
                          ", which is no text.");
  }
  return result;
}

std::string encoded(const DecodedText& source) {
  std::string bytes;
  std::string_view rest = source.text;
  if (source.encoding == SourceEncoding::Utf8) {
    if (source.byteOrderMark) bytes = utf8Mark;
    bytes += rest;
    return bytes;
  }
  if (!isWide(source.encoding)) {
    bytes.reserve(rest.size());
    // A FED file may begin with the mark of UTF-8 and not be in it.
    if (source.byteOrderMark) bytes = utf8Mark;
    while (!rest.empty()) {
      bytes += static_cast<char>(byteOf(takeCharacter(rest), source.encoding).value_or('?'));
    }
    return bytes;
  }
  bytes.reserve(2 * rest.size() + 2);
  const auto addUnit = [&](char32_t unit) {
    const char high = static_cast<char>(unit >> 8U);
    const char low = static_cast<char>(unit & 0xFFU);
    const bool little = source.encoding == SourceEncoding::Utf16LittleEndian;
    bytes += little ? low : high;
    bytes += little ? high : low;
  };
  if (source.byteOrderMark) addUnit(0xFEFF);
  while (!rest.empty()) {
    const char32_t c = takeCharacter(rest);
    if (c < 0x10000) {
      addUnit(c);
    } else {
      addUnit(surrogates + ((c - 0x10000) >> 10U));
      addUnit(0xDC00 + ((c - 0x10000) & 0x3FFU));
    }
  }
  return bytes;
}

ReferenceWriter::ReferenceWriter(std::string_view document, SourceEncoding encoding)
    : document_(document), encoding_(encoding) {
  constexpr std::string_view opening = "<![CDATA[";
  std::size_t at = document.find('<');
  const auto pass = [&](std::string_view mark) {
    const std::size_t end = document.find(mark, at);
    return end == std::string_view::npos ? document.size() : end;
  };
  // Only markup begins with '<': in text and values it is written as a reference.
  while (at < document.size()) {
    const std::string_view rest = document.substr(at);
    std::size_t end = at + 1;
    if (rest.starts_with("<!--")) {
      end = pass("-->");
    } else if (rest.starts_with("<?")) {
      end = pass("?>");
    } else if (rest.starts_with(opening)) {
      end = pass("]]>");
      cdata_.push_back({at + opening.size(), end});
    }
    at = document.find('<', end);
  }
}

bool ReferenceWriter::isInCData(std::size_t at) const {
  const auto next =
      std::upper_bound(cdata_.begin(), cdata_.end(), at,
                       [](std::size_t place, const Section& s) { return place < s.begin; });
  return next != cdata_.begin() && at < std::prev(next)->end;
}

bool ReferenceWriter::hasAll(std::string_view text, SourceEncoding encoding) {
  if (encoding == SourceEncoding::Utf8 || isWide(encoding)) return true;
  while (!text.empty()) {
    if (!byteOf(takeCharacter(text), encoding)) return false;
  }
  return true;
}

std::string ReferenceWriter::written(std::size_t begin, std::size_t end) const {
  std::string_view rest = document_.substr(begin, end - begin);
  if (hasAll(rest, encoding_)) return std::string(rest);
  std::string result;
  while (!rest.empty()) {
    const std::size_t at = end - rest.size();
    const char32_t c = takeCharacter(rest);
    if (byteOf(c, encoding_)) {
      append(result, c);
      continue;
    }
    const bool split = isInCData(at);
    if (split) result += "]]>";
    result += "&#" + std::to_string(static_cast<std::uint32_t>(c)) + ';';
    if (split) result += "<![CDATA[";
  }
  return result;
}

}  // namespace tutti::fomedit
