// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tutti::omt {

/// An XML document while it is written: an element a line, two blanks a level. UTF-8.
class XmlOutput {
 public:
  /// Open until the end of its scope.
  class Element {
   public:
    Element(XmlOutput& xml, std::string_view name) : xml_(xml), name_(name) {
      xml_.begin(name_);
      xml_.text_ += ">\n";
      ++xml_.depth_;
    }
    /// With an XML attribute, unless that is empty.
    Element(XmlOutput& xml, std::string_view name, std::string_view attribute,
            std::string_view value)
        : xml_(xml), name_(name) {
      xml_.begin(name_);
      if (!value.empty()) xml_.attribute(attribute, value);
      xml_.text_ += ">\n";
      ++xml_.depth_;
    }
    ~Element() { xml_.end(name_); }
    Element(const Element&) = delete;
    Element& operator=(const Element&) = delete;

   private:
    XmlOutput& xml_;
    std::string name_;
  };

  /// Begins with that text: the declaration and, where the root element has XML attributes, its
  /// tag.
  explicit XmlOutput(std::string text, int depth = 1) : text_(std::move(text)), depth_(depth) {}

  /// A start tag up to its attributes; the caller ends it.
  void begin(std::string_view name) {
    indent();
    (text_ += '<') += name;
  }
  void attribute(std::string_view name, std::string_view value) {
    ((text_ += ' ') += name) += "=\"";
    text_ += escaped(value, true);
    text_ += '"';
  }
  void raw(std::string_view text) { text_ += text; }
  /// The inside of an element whose start tag the caller has written, and its end.
  void deeper() { ++depth_; }
  void end(std::string_view name) {
    --depth_;
    indent();
    ((text_ += "</") += name) += ">\n";
  }

  void element(std::string_view name, std::string_view content) {
    begin(name);
    text_ += '>';
    text_ += escaped(content, false);
    ((text_ += "</") += name) += ">\n";
  }
  /// Nothing where the content is empty.
  void optional(std::string_view name, std::string_view content) {
    if (!content.empty()) element(name, content);
  }

  /// What a parser reads as `text`, line ends included; in an attribute also tabs.
  static std::string escaped(std::string_view text, bool inAttribute) {
    std::string result;
    result.reserve(text.size());
    for (const char c : text) {
      switch (c) {
        case '<':
          result += "&lt;";
          break;
        case '>':
          result += "&gt;";
          break;
        case '&':
          result += "&amp;";
          break;
        case '"':
          result += "&quot;";
          break;
        case '\r':
          result += "&#13;";
          break;
        case '\n':
          result += inAttribute ? "&#10;" : "\n";
          break;
        case '\t':
          result += inAttribute ? "&#9;" : "\t";
          break;
        default:
          result += c;
      }
    }
    return result;
  }

  std::string take() { return std::move(text_); }

 private:
  void indent() { text_.append(2 * static_cast<std::size_t>(depth_), ' '); }

  std::string text_;
  int depth_;
};

}  // namespace tutti::omt
