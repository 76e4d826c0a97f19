// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace tutti::fomedit {

/// In what characters a file is written.
enum class SourceEncoding : std::uint8_t {
  Utf8,
  Utf16LittleEndian,
  Utf16BigEndian,
  Latin1,       ///< ISO-8859-1
  Windows1252,  ///< as editors of Windows write it; its five unused bytes are refused
  Ascii         ///< US-ASCII, to 0x7F; a file that says so and has other bytes is taken as UTF-8
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

/// Decodes a FED file of HLA 1.3, which says nothing of its encoding, by the rule of the RTI's
/// reader: a byte-order mark counts; a file that is not in UTF-8 is in Latin-1 as a whole.
tl::expected<DecodedText, std::string> decodedFed(std::string bytes);

/// The bytes of a file. Characters that the encoding does not have become '?'; a ReferenceWriter
/// avoids that.
std::string encoded(const DecodedText& source);

/// Writes a character reference such as &#8364; for each character that an encoding does not have.
/// A CDATA section, in which that would be text, ends before and begins anew behind it. In comments
/// and instructions, which say nothing of the model, it is text.
class ReferenceWriter {
 public:
  /// `document` (UTF-8, well-formed but for marker lines) has to live on.
  ReferenceWriter(std::string_view document, SourceEncoding encoding);

  /// The bytes [begin, end) of the document, in UTF-8.
  std::string written(std::size_t begin, std::size_t end) const;

  /// Whether the encoding has all characters of a text.
  static bool hasAll(std::string_view text, SourceEncoding encoding);

 private:
  struct Section {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  bool isInCData(std::size_t at) const;

  std::string_view document_;
  SourceEncoding encoding_;
  std::vector<Section> cdata_;  ///< in order
};

}  // namespace tutti::fomedit
