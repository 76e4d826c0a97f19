// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tutti::fomedit {

/// In what characters a file is written.
enum class SourceEncoding : std::uint8_t {
  Utf8,
  Utf16LittleEndian,
  Utf16BigEndian,
  Latin1,      ///< ISO-8859-1
  Windows1252,  ///< as editors of Windows write it; its five unused bytes are refused
  Ascii         ///< US-ASCII, to 0x7F; a file with other bytes is refused
};

/// A file's text in UTF-8, and what is needed to write the same bytes again.
struct DecodedText {
  std::string text;  ///< without the byte-order mark
  SourceEncoding encoding = SourceEncoding::Utf8;
  bool byteOrderMark = false;
};

/// Decodes an XML document by its byte-order mark, its first characters or its XML declaration. The
/// error is a sentence. For each result encoded() gives `bytes` again.
tl::expected<DecodedText, std::string> decoded(std::string bytes);

/// The bytes of a file. Characters that the encoding does not have become '?'; withReferences()
/// avoids that.
std::string encoded(const DecodedText& source);

/// `text` (UTF-8) with a character reference such as &#8364; for each character that the encoding
/// does not have.
std::string withReferences(std::string_view text, SourceEncoding encoding);

}  // namespace tutti::fomedit
