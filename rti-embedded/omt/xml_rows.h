// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "omt/loss_report.h"
#include "omt/object_model.h"
#include "omt/xml_limits.h"
#include "omt/xml_output.h"

namespace tutti::omt {

/// The rows of the tables of an object model in XML: cells are elements of their row or, in 2000,
/// XML attributes. Empty cells are left out.
class XmlRows {
 public:
  struct Cell {
    std::string_view name;  ///< as 2010 calls it
    std::string text;
  };
  using Cells = std::vector<Cell>;

  XmlRows(Edition edition, std::string beginning, LossReport& report)
      : of2000_(edition == Edition::Ieee2000),
        of2025_(edition == Edition::Ieee2025),
        report_(report),
        xml_(std::move(beginning)) {}

  bool of2000() const { return of2000_; }
  bool of2025() const { return of2025_; }
  LossReport& report() { return report_; }
  XmlOutput& xml() { return xml_; }

  template <typename Content>
  void table(std::string_view name, Content&& content) {
    const XmlOutput::Element open(xml_, name);
    content();
  }

  /// What no reader takes is left out, and said.
  std::string fitting(std::string_view row, std::string_view cell, std::string text, int line) {
    const XmlLimits limits;
    const std::size_t most = of2000_ ? limits.valueBytes : limits.elementTextBytes;
    if (text.size() * 6 <= most) return text;  // "&quot;" is the longest that a character becomes
    if (XmlOutput::escaped(text, of2000_).size() <= most) return text;
    report_.lost("Texts longer than " + std::to_string(most >> 20) + " MiB", "left out",
                 std::string(row) + ' ' + std::string(cell), line);
    return {};
  }

  void attributes(std::string_view row, const Cells& cells, int line) {
    for (const Cell& cell : cells) {
      const std::string text = fitting(row, cell.name, cell.text, line);
      if (!text.empty()) xml_.attribute(nameIn2000(row, cell.name), unlikeTemplate(text));
    }
  }
  void elements(std::string_view row, const Cells& cells, int line) {
    for (const Cell& cell : cells) {
      xml_.optional(cell.name, fitting(row, cell.name, cell.text, line));
    }
  }

  /// A row with its cells, then what it contains, then cells that stand behind that.
  template <typename Content>
  void row(std::string_view name, const std::string& notes, int line, const Cells& cells,
           bool hasContent, Content&& content, const Cells& behind = {}) {
    if (of2000_) {
      xml_.begin(name);
      attributes(name, cells, line);
      attributes(name, behind, line);
      if (!notes.empty()) {
        xml_.attribute("nameNotes", unlikeTemplate(fitting(name, "notes", notes, line)));
      }
      if (!hasContent) {
        xml_.raw("/>\n");
        return;
      }
      xml_.raw(">\n");
      const Indented deeper(xml_, name);
      content();
      return;
    }
    const XmlOutput::Element open(xml_, name, of2025_ ? "noteReferences" : "notes",
                                  fitting(name, "notes", labels(notes), line));
    elements(name, cells, line);
    content();
    elements(name, behind, line);
  }
  void row(std::string_view name, const std::string& notes, int line, const Cells& cells) {
    row(name, notes, line, cells, false, [] {});
  }

  /// From 2010 on labels are XML names; those of HLA 1.3 are numbers.
  std::string label(const std::string& name) const {
    const bool isNumber = !name.empty() && name.front() >= '0' && name.front() <= '9';
    return !of2000_ && isNumber ? "note" + name : name;
  }

 private:
  /// The template of editors of 2000 has these words where nothing is given.
  static std::string unlikeTemplate(std::string text) {
    if (text == "nmtoken" || text == "nmtokens") text += ' ';
    return text;
  }

  /// How 2000 calls a cell.
  static std::string_view nameIn2000(std::string_view row, std::string_view cell) {
    if (row == "enumerator" && cell == "value") return "values";
    if (row == "note" && cell == "label") return "name";
    if (row == "transportation" && cell == "semantics") return "description";
    return cell;
  }

  /// The inside of a row whose start tag is written.
  class Indented {
   public:
    Indented(XmlOutput& xml, std::string_view name) : xml_(xml), name_(name) { xml_.deeper(); }
    ~Indented() { xml_.end(name_); }
    Indented(const Indented&) = delete;
    Indented& operator=(const Indented&) = delete;

   private:
    XmlOutput& xml_;
    std::string_view name_;
  };

  std::string labels(const std::string& names) const {
    std::string result;
    std::size_t start = 0;
    while ((start = names.find_first_not_of(' ', start)) != std::string::npos) {
      const std::size_t end = std::min(names.find(' ', start), names.size());
      if (!result.empty()) result += ' ';
      result += label(names.substr(start, end - start));
      start = end;
    }
    return result;
  }

  const bool of2000_;
  const bool of2025_;
  LossReport& report_;
  XmlOutput xml_;
};

}  // namespace tutti::omt
