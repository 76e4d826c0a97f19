// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

/// Words as object models of all editions write them.
namespace tutti::omt {

/// Names of classes, attributes, parameters and rows. A class carries those of all above it.
inline constexpr std::size_t maxNameBytes = 1000;

/// Dimensions that all rows of a module use, and the bytes of their names: what stands once in a
/// file can be copied to each of many rows, so one of a few megabytes could ask for gigabytes.
inline constexpr std::size_t maxDimensionUses = 1'000'000;
inline constexpr std::size_t maxDimensionBytes = std::size_t{32} << 20;

/// Classes that may be nested; keeps the recursion of readers shallow, and stays below the 256
/// levels of elements of libxml2.
inline constexpr int maxClassDepth = 100;

inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

inline std::string trimmed(std::string_view text) {
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

/// Runs of blanks become one: how XML Schema reads a token.
inline std::string collapsed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!isBlank(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

inline bool sameIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) !=
        std::tolower(static_cast<unsigned char>(b[i]))) {
      return false;
    }
  }
  return true;
}

/// As much of a text in UTF-8 as a person needs to find the place.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

/// Whether a cell of an OMT table is empty: nothing, "NA" or "N/A".
inline bool meansNothing(std::string_view text) {
  return text.empty() || sameIgnoringCase(text, "NA") || sameIgnoringCase(text, "N/A");
}

}  // namespace tutti::omt
