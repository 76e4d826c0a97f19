// SPDX-License-Identifier: Apache-2.0
#include "omt/xml_limits.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "omt/text.h"

namespace tutti::omt {

namespace {

/// A parser looks at least this far beyond the place that it reports.
constexpr std::size_t lookahead = 512;

bool endsName(char c) { return isBlank(c) || c == '/' || c == '>' || c == '=' || c == '<'; }

/// Bytes of the character of XML 1.0 (2.2) that `text` begins with, in UTF-8; 0: there is none.
std::size_t characterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || isBlank(text.front()) ? 1 : 0;
  if (first >= 0xC2 && first < 0xE0) return continues(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0) {
    if (!continues(1) || !continues(2)) return 0;
    const unsigned code = ((first & 0x0FU) << 12) | ((byte(1) & 0x3FU) << 6) | (byte(2) & 0x3FU);
    return code < 0x800 || (code >= 0xD800 && code < 0xE000) || code > 0xFFFD ? 0 : 3;
  }
  if (first >= 0xF0 && first < 0xF5) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    return (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F) ? 0 : 4;
  }
  return 0;
}

class Scanner {
 public:
  Scanner(std::string_view text, const XmlLimits& limits)
      : whole_(text), text_(text.substr(0, charactersEnd(text))), limits_(limits) {}

  XmlScan scan() {
    while (!ended_ && at_ < text_.size()) {
      const std::size_t tag = std::min(text_.find('<', at_), text_.size());
      addText(tag - at_);
      at_ = tag;
      if (at_ < text_.size()) readMarkup();
    }
    XmlScan result;
    result.excess = std::move(excess_);
    const bool cut = malformed_ || text_.size() < whole_.size();
    result.bytes = cut ? std::min(whole_.size(), at_ + lookahead) : whole_.size();
    return result;
  }

 private:
  /// An element that has begun and not ended.
  struct Open {
    std::size_t textBytes = 0;
    std::size_t namespaces = 0;
  };

  bool startsWith(std::string_view mark) const { return text_.substr(at_, mark.size()) == mark; }

  void exceed(std::string message, std::string hint) {
    if (excess_) return;
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    excess_ = XmlExcess{1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
                        std::move(message), std::move(hint)};
    ended_ = true;
  }

  /// The parser stops at this tag and says why.
  void stopHere() {
    malformed_ = true;
    ended_ = true;
  }

  void addText(std::size_t bytes) {
    if (open_.empty()) return;
    open_.back().textBytes += bytes;
    if (open_.back().textBytes <= limits_.elementTextBytes) return;
    exceed("An element contains more than " + std::to_string(limits_.elementTextBytes >> 20) +
               " MiB of text.",
           "Shorten it.");
  }

  /// Passes over what a parser takes as a whole; beyond 10 MB libxml2 would read tags in it.
  void skipPast(std::string_view mark) {
    const std::size_t start = at_;
    const std::size_t end = text_.find(mark, at_);
    at_ = end == std::string_view::npos ? text_.size() : end + mark.size();
    if (at_ - start <= limits_.elementTextBytes) return;
    at_ = start;
    exceed("A comment or a section of text is longer than " +
               std::to_string(limits_.elementTextBytes >> 20) + " MiB.",
           "Shorten it.");
  }

  void readMarkup() {
    const std::size_t start = at_;
    if (startsWith("<!--")) {
      at_ += 4;
      skipPast("-->");
    } else if (startsWith("<![CDATA[") && !open_.empty()) {
      at_ += 9;
      skipPast("]]>");
      addText(at_ - start);
    } else if (startsWith("<?")) {
      readInstruction();
    } else if (startsWith("<!DOCTYPE") && elements_ == 0) {
      readDocumentType();
    } else if (startsWith("</")) {
      readEndTag();
    } else if (startsWith("<!") || at_ + 1 == text_.size() || endsName(text_[at_ + 1])) {
      stopHere();
    } else {
      readStartTag();
    }
  }

  void readInstruction() {
    const std::size_t start = at_;
    at_ += 2;
    const std::string_view target = readName();
    if (excess_) return;
    if (target.empty()) return stopHere();
    if (start == 0 && target == "xml") {
      // A parser looks for the end of a wrong declaration in another way.
      const std::size_t end = text_.find_first_of("<>", at_);
      if (end == std::string_view::npos || text_[end] == '<' || text_[end - 1] != '?') {
        at_ = std::min(end, text_.size());
        return stopHere();
      }
    }
    skipPast("?>");
  }

  /// Entities multiply what is read; default attributes are added to each element of a name.
  void readDocumentType() {
    char quote = 0;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '<') return stopHere();
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (quote == 0 && c == '>') {
        ++at_;
        return;
      } else if (c == '[') {
        const bool entities = text_.find("<!ENTITY", at_) != std::string_view::npos;
        exceed(entities ? "The file declares XML entities, which are not expanded."
                        : "The document type has declarations of its own, which are not read.",
               entities ? "Write their text where they are used." : "Delete the document type.");
        return;
      }
    }
  }

  void readEndTag() {
    at_ += 2;
    readName();
    if (excess_) return;
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != '>') return stopHere();
    ++at_;
    if (open_.empty()) return stopHere();
    namespaces_ -= open_.back().namespaces;
    open_.pop_back();
  }

  std::string_view readName() {
    const std::size_t start = at_;
    while (at_ < text_.size() && !endsName(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (name.size() > limits_.nameBytes) {
      exceed("A name of " + std::to_string(name.size()) + " bytes begins with " + shortened(name) +
                 "; " + std::to_string(limits_.nameBytes) + " are read.",
             "Shorten it.");
    }
    return name;
  }

  /// False: no blank was there.
  bool skipBlanks() {
    const std::size_t start = at_;
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    return at_ > start;
  }

  void readStartTag() {
    const std::size_t start = at_++;
    const std::string_view name = readName();
    if (excess_) return;
    if (++elements_ > limits_.elements) {
      exceed("The file has more than " + std::to_string(limits_.elements) + " elements.",
             "Split it into modules.");
      return;
    }
    Open element;
    std::size_t attributes = 0;
    for (;;) {
      const bool separated = skipBlanks();
      if (at_ >= text_.size()) return stopHere();
      if (text_[at_] == '>') {
        ++at_;
        break;
      }
      if (startsWith("/>")) {
        at_ += 2;
        namespaces_ -= element.namespaces;
        return;
      }
      if (!separated || !readAttribute(element)) {
        if (!excess_) stopHere();
        return;
      }
      if (++attributes > limits_.attributes) {
        at_ = start;
        exceed("<" + shortened(name) + "> has more than " + std::to_string(limits_.attributes) +
                   " XML attributes.",
               "No element of IEEE 1516.2 has as many; export the file again.");
        return;
      }
    }
    open_.push_back(element);
    if (open_.size() > limits_.depth) {
      exceed("Elements are nested more than " + std::to_string(limits_.depth) + " deep.",
             "No object model needs as many levels; export the file again.");
    }
  }

  /// False: it is not well-formed, or an excess.
  bool readAttribute(Open& element) {
    const std::string_view name = readName();
    if (excess_ || name.empty()) return false;
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != '=') return false;
    ++at_;
    skipBlanks();
    if (at_ >= text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return false;
    const std::size_t start = at_ + 1;
    const std::size_t end = text_.find(text_[at_], start);
    const std::string_view value = text_.substr(start, end - start);
    if (const std::size_t mark = value.find('<'); mark != std::string_view::npos) {
      at_ = start + mark;
      return false;
    }
    if (end == std::string_view::npos) {
      at_ = text_.size();
      return false;
    }
    if (value.size() > limits_.valueBytes) {
      exceed("The XML attribute " + shortened(name) + " is longer than " +
                 std::to_string(limits_.valueBytes >> 20) + " MiB.",
             "Shorten it.");
      return false;
    }
    at_ = end + 1;
    if (name != "xmlns" && !name.starts_with("xmlns:")) return true;
    ++element.namespaces;
    if (++namespaces_ <= limits_.namespaces) return true;
    exceed("More than " + std::to_string(limits_.namespaces) +
               " XML namespaces are declared around one element.",
           "Declare those that are used, on the first element.");
    return false;
  }

  std::string_view whole_;
  std::string_view text_;  ///< up to the first thing that is no character
  const XmlLimits& limits_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
  std::size_t namespaces_ = 0;  ///< that hold at this place
  std::vector<Open> open_;
  bool malformed_ = false;
  bool ended_ = false;
  std::optional<XmlExcess> excess_;
};

}  // namespace

std::size_t charactersEnd(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t bytes = characterBytes(text.substr(at));
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

XmlScan scanXml(std::string_view text, const XmlLimits& limits) {
  return Scanner(text, limits).scan();
}

}  // namespace tutti::omt
