// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tutti::omt {

/// What one XML document may contain. Published object models stay far below: of 75, the largest
/// has 29 445 elements, 27 attributes on one of them, 11 levels and 14 kB of text in one element.
struct XmlLimits {
  std::size_t elements = 1'000'000;
  std::size_t attributes = 100;                          ///< of one element
  std::size_t depth = 250;                               ///< of elements; libxml2 stops at 256
  std::size_t namespaces = 100;                          ///< declared around one element
  std::size_t nameBytes = 1000;                          ///< of an element or attribute
  std::size_t valueBytes = std::size_t{1} << 20;         ///< of one attribute
  std::size_t elementTextBytes = std::size_t{8} << 20;   ///< directly in one element
};

/// Why a document is not read.
struct XmlExcess {
  int line = 0;  ///< from 1
  std::string message;
  std::string hint;
};

/// What a look over a document has found before a parser reads it.
struct XmlScan {
  std::optional<XmlExcess> excess;
  /// The bytes up to the first markup that is not well-formed and a little beyond: a parser comes
  /// to the same error there, and is not given what it would try to read behind it. The whole text
  /// when the scan has met none.
  std::size_t bytes = 0;
};

/// Walks over the tags of `text`, which is UTF-8, in a time that grows with its length only.
/// libxml2 compares each attribute of an element with all others of it, and each prefix with all
/// namespaces declared around it: a document of 2 MB keeps it busy for minutes. So these are
/// counted before. A document type with declarations of its own (entities, default attributes) is
/// an excess, too.
///
/// Nothing escapes the count: what is passed over without looking for tags (comments, CDATA,
/// processing instructions) begins and ends here as it does for the parser, or the scan ends there
/// as not well-formed; elsewhere every '<' is looked at.
XmlScan scanXml(std::string_view text, const XmlLimits& limits = {});

/// Where the first thing is that is no character of XML 1.0 (2.2) in UTF-8, such as a NUL; the
/// length of `text` when all are.
std::size_t charactersEnd(std::string_view text);

}  // namespace tutti::omt
