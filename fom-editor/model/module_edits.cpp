// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_edits.h"

#include <algorithm>
#include <array>
#include <map>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/fed_edits.h"
#include "fom-editor/model/fed_source.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using omt::collapsed;
using omt::isBlank;

bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

bool isAllBlank(std::string_view text) { return std::all_of(text.begin(), text.end(), isBlank); }

std::size_t lineBegin(std::string_view text, std::size_t at) {
  while (at > 0 && !isLineEnd(text[at - 1])) --at;
  return at;
}

std::size_t lineEnd(std::string_view text, std::size_t at) {
  while (at < text.size() && !isLineEnd(text[at])) ++at;
  return at;
}

/// Behind the line's end, which may be CR LF.
std::size_t nextLine(std::string_view text, std::size_t at) {
  at = lineEnd(text, at);
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] == '\n') ++at;
  return at;
}

/// Where the blanks before a place begin, on its line: lines may be as long as the module.
std::size_t blanksBegin(std::string_view text, std::size_t at) {
  while (at > 0 && isBlank(text[at - 1]) && !isLineEnd(text[at - 1])) --at;
  return at;
}

/// The blanks before a place, when nothing else is before it on its line.
std::optional<std::string> indentAt(const ModuleSource& source, std::size_t at) {
  const std::size_t begin = blanksBegin(source.text(), at);
  if (begin > 0 && !isLineEnd(source.text()[begin - 1])) return std::nullopt;
  return std::string(source.text({begin, at}));
}

/// By how much children stand further in than their parents, mostly.
std::string indentUnit(const ModuleSource& source) {
  constexpr std::size_t most = 2000;
  std::map<std::string, int> seen;
  const std::size_t count = std::min(source.elements().size(), most);
  for (ElementId id = 0; id < count; ++id) {
    const ElementId parent = source.at(id).parent;
    if (parent == noElement) continue;
    const auto inner = indentOf(source, id);
    const auto outer = indentOf(source, parent);
    if (!inner || !outer || inner->size() <= outer->size() || !inner->starts_with(*outer)) continue;
    ++seen[inner->substr(outer->size())];
  }
  const auto best = std::max_element(
      seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return best == seen.end() ? "  " : best->first;
}

/// Whether the cells of such elements stand on the line of their row, as the first that the file
/// has.
bool isWrittenOnOneLine(const ModuleSource& source, std::string_view name) {
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    const ElementId first = source.at(id).firstChild;
    if (first == noElement || source.nameOf(id) != name) continue;
    return !indentOf(source, first);
  }
  return false;
}

/// `text` with the line ends of the file.
std::string withLineEnds(std::string_view text, const std::string& newline) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!isLineEnd(text[i])) {
      result += text[i];
      continue;
    }
    result += newline;
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return result;
}

/// Writes new elements as a file writes its own.
class Writer {
 public:
  Writer(const ModuleSource& source, ElementId parent)
      : source_(source),
        newline_(newlineOf(source)),
        unit_(indentUnit(source)),
        prefix_(prefixOf(source, parent)) {}

  std::string write(const NewElement& e, const std::optional<std::string>& indent) const {
    NewElement element = e;
    if (source_.isOf2000()) becomeOf2000(element);
    std::string text = '<' + prefix_ + element.name;
    for (const auto& [name, value] : element.attributes) {
      text += ' ' + name + "=\"" + escapedValue(value, '"') + '"';
    }
    if (element.text.empty() && element.children.empty()) return text + "/>";
    text += '>' + withLineEnds(escapedText(element.text), newline_);
    std::optional<std::string> inner;
    if (indent && !isWrittenOnOneLine(source_, element.name)) inner = *indent + unit_;
    for (const NewElement& child : element.children) {
      if (inner) text += newline_ + *inner;
      text += write(child, inner);
    }
    if (inner && !element.children.empty()) text += newline_ + *indent;
    return text + "</" + prefix_ + element.name + '>';
  }

 private:
  static bool isCell(const NewElement& e) { return e.children.empty() && e.attributes.empty(); }

  static void becomeOf2000(NewElement& row) {
    std::vector<NewElement> rows;
    for (NewElement& child : row.children) {
      std::string value = child.text;
      const bool list = child.name == "dimensions" && row.name != "objectModel";
      for (const NewElement& d : child.children) {
        if (list) value += (value.empty() ? "" : " ") + d.text;
      }
      if (!list && !isCell(child)) {
        rows.push_back(std::move(child));
      } else {
        row.attributes.emplace_back(nameIn2000(row.name, child.name), std::move(value));
      }
    }
    row.children = std::move(rows);
  }

  const ModuleSource& source_;
  std::string newline_;
  std::string unit_;
  std::string prefix_;
};

/// Behind blanks and comments up to the line's end, where nothing else is on the rest of the line.
std::size_t behindLine(const ModuleSource& source, std::size_t at, std::size_t limit) {
  const std::string_view text = source.text();
  const std::size_t end = std::min(lineEnd(text, at), limit);
  std::size_t place = at;
  while (place < end) {
    if (isBlank(text[place])) {
      ++place;
    } else if (text.substr(place).starts_with("<!--")) {
      const std::size_t close = text.find("-->", place);
      if (close == std::string_view::npos || close + 3 > end) return at;
      place = close + 3;
    } else {
      return at;
    }
  }
  return end == lineEnd(text, at) ? end : at;
}

/// Indentations of new children of one parent.
class Indents {
 public:
  Indents(const ModuleSource& source, ElementId parent) : source_(source), parent_(parent) {
    for (ElementId c = source.at(parent).firstChild; c != noElement; c = source.at(c).next) {
      const auto own = indentOf(source, c);
      if (own && !any_) any_ = own;
      ofAlike_.try_emplace(source.nameOf(c), own);
    }
    const auto outer = indentOf(source, parent);
    if (outer) inner_ = *outer + indentUnit(source);
    const std::string_view content = source.text(source.at(parent).content);
    hasLines_ = content.find_first_of("\r\n") != std::string_view::npos;
  }

  /// None: it stands on the line of others.
  std::optional<std::string> of(const Addition& addition) const {
    if (const auto it = ofAlike_.find(addition.element); it != ofAlike_.end()) return it->second;
    const ElementId neighbour =
        addition.after != noElement ? addition.after : source_.at(parent_).firstChild;
    if (neighbour != noElement && addition.isCell) return indentOf(source_, neighbour);
    if (any_) return any_;
    if (neighbour != noElement && !hasLines_) return std::nullopt;
    return inner_;
  }

 private:
  const ModuleSource& source_;
  ElementId parent_;
  std::map<std::string_view, std::optional<std::string>> ofAlike_;  ///< of the first of each name
  std::optional<std::string> any_;    ///< of the first child on a line of its own
  std::optional<std::string> inner_;  ///< of the first child, where the parent has its own line
  bool hasLines_ = false;
};

/// Children for a parent that has none: in the place of its blanks.
Splices fillEmpty(const ModuleSource& source, ElementId parent,
                  const std::vector<Addition>& additions) {
  const SourceElement& p = source.at(parent);
  const std::string newline = newlineOf(source);
  const std::string outer = indentOf(source, parent).value_or("");
  const Indents indents(source, parent);
  std::string text;
  bool lines = false;
  for (const Addition& a : additions) {
    const auto indent = indents.of(a);
    if (indent) text += newline + *indent;
    lines = lines || indent.has_value();
    text += a.write(indent);
  }
  if (p.isEmptyTag()) {
    const std::string_view tag = source.text(p.startTag);
    std::size_t end = tag.size() - 2;
    while (isBlank(tag[end - 1])) --end;
    if (lines) text += newline + outer;
    return {{p.startTag.begin + end, tag.size() - end,
             '>' + text + "</" + std::string(source.text(p.name)) + '>'}};
  }
  const std::string_view content = source.text(p.content);
  std::size_t kept = content.size();
  while (kept > 0 && isBlank(content[kept - 1])) --kept;
  if (lines) text += newline + outer;
  return {{p.content.begin + kept, content.size() - kept, text}};
}

}  // namespace

std::optional<std::string> indentOf(const ModuleSource& source, ElementId id) {
  return indentAt(source, source.at(id).whole.begin);
}

std::string newlineOf(const ModuleSource& source) {
  const std::string_view text = source.text();
  const std::size_t at = text.find_first_of("\r\n");
  if (at == std::string_view::npos || text[at] == '\n') return "\n";
  return at + 1 < text.size() && text[at + 1] == '\n' ? "\r\n" : "\r";
}

std::string prefixOf(const ModuleSource& source, ElementId id) {
  const std::string_view name = source.text(source.at(id).name);
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? std::string() : std::string(name.substr(0, colon + 1));
}

std::string escapedText(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += text[i];
    }
  }
  return result;
}

std::string escapedValue(std::string_view value, char quote) {
  std::string result;
  for (const char c : value) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\r':
        result += "&#13;";
        break;
      case '\t':
        result += "&#9;";
        break;
      case '"':
        result += quote == '"' ? "&quot;" : "\"";
        break;
      case '\'':
        result += quote == '\'' ? "&apos;" : "'";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::optional<std::string> cellOf(const ModuleSource& source, ElementId row,
                                  std::string_view cell) {
  if (const ElementId child = source.child(row, cell); child != noElement) {
    return collapsed(source.rawText(child));
  }
  for (const std::string_view name : {nameIn2000(source.nameOf(row), cell), cell}) {
    if (const auto a = source.attribute(row, name)) return collapsed(source.resolved(a->value));
  }
  return std::nullopt;
}

std::string rowName(const ModuleSource& source, ElementId row) {
  if (source.isFed()) return fedRowName(source, row);
  return cellOf(source, row, nameCellOf(source.nameOf(row), source.isOf2000())).value_or("");
}

ElementId findRow(const ModuleSource& source, ElementId parent, std::string_view element,
                  std::string_view name) {
  if (parent == noElement) return noElement;
  ElementId c = source.at(parent).firstChild;
  while (c != noElement && (source.nameOf(c) != element || rowName(source, c) != name)) {
    c = source.at(c).next;
  }
  return c;
}

ElementId findTable(const ModuleSource& source, const std::vector<std::string_view>& path) {
  ElementId at = ModuleSource::root();
  for (const std::string_view name : path) {
    at = source.child(at, name);
    if (at == noElement) break;
  }
  return at;
}

ElementId findClass(const ModuleSource& source, bool isObject, std::string_view fullName) {
  const std::string_view element = isObject ? "objectClass" : "interactionClass";
  ElementId at = findTable(source, {isObject ? "objects" : "interactions"});
  while (at != noElement && !fullName.empty()) {
    const std::size_t dot = std::min(fullName.find('.'), fullName.size());
    at = findRow(source, at, element, fullName.substr(0, dot));
    fullName.remove_prefix(std::min(dot + 1, fullName.size()));
  }
  return at;
}

Splices replaceContent(const ModuleSource& source, ElementId id, std::string content) {
  const SourceElement& e = source.at(id);
  if (source.isFed()) {
    // Only words have content, and their rows know how they are written.
    return e.parent == noElement || e.startTag.size() > 0
               ? Splices()
               : setFedCell(source, e.parent, source.nameOf(id), content);
  }
  content = withLineEnds(content, newlineOf(source));
  if (e.isEmptyTag()) {
    if (content.empty()) return {};
    const std::string_view tag = source.text(e.startTag);
    std::size_t end = tag.size() - 2;
    while (isBlank(tag[end - 1])) --end;
    return {{e.startTag.begin + end, tag.size() - end,
             '>' + content + "</" + std::string(source.text(e.name)) + '>'}};
  }
  Splices splices;
  bool written = false;
  for (const SourceRun& run : source.runs(id)) {
    if (run.kind == SourceRun::Kind::Other) continue;
    ByteRange range = run.range;
    if (run.kind == SourceRun::Kind::Text) {
      if (isAllBlank(source.text(range))) continue;
      while (isBlank(source.text()[range.begin])) ++range.begin;
      while (isBlank(source.text()[range.end - 1])) --range.end;
    }
    splices.push_back({range.begin, range.size(), written ? std::string() : content});
    written = true;
  }
  if (!written && !content.empty()) splices.push_back({e.content.begin, 0, content});
  return splices;
}

Splices setAttribute(const ModuleSource& source, ElementId id, std::string_view name,
                     std::string_view value) {
  if (source.isFed()) return {};
  if (const auto a = source.attribute(id, name)) {
    const char quote = source.text()[a->value.end];
    return {{a->value.begin, a->value.size(), escapedValue(value, quote)}};
  }
  const std::vector<SourceAttribute> all = source.attributes(id);
  const std::size_t at = all.empty() ? source.at(id).name.end : all.back().whole.end;
  return {{at, 0, ' ' + std::string(name) + "=\"" + escapedValue(value, '"') + '"'}};
}

Splices removeAttribute(const ModuleSource& source, ElementId id, std::string_view name) {
  const auto a = source.attribute(id, name);
  if (!a) return {};
  std::size_t begin = a->whole.begin;
  while (isBlank(source.text()[begin - 1])) --begin;
  return {{begin, a->whole.end - begin, {}}};
}

Splices setCell(const ModuleSource& source, ElementId row, std::string_view cell,
                std::string_view value) {
  if (source.isFed()) return setFedCell(source, row, cell, value);
  if (const ElementId child = source.child(row, cell); child != noElement) {
    return replaceContent(source, child, escapedText(value));
  }
  const std::string_view old = nameIn2000(source.nameOf(row), cell);
  for (const std::string_view name : {old, cell}) {
    if (source.attribute(row, name)) return setAttribute(source, row, name, value);
  }
  if (source.isOf2000()) return setAttribute(source, row, old, value);
  return addElement(source, row, {std::string(cell), std::string(value), {}, {}});
}

Splices removeCell(const ModuleSource& source, ElementId row, std::string_view cell) {
  if (source.isFed()) return removeFedCell(source, row, cell);
  if (const ElementId child = source.child(row, cell); child != noElement) {
    return removeElement(source, child);
  }
  const std::string_view old = nameIn2000(source.nameOf(row), cell);
  return removeAttribute(source, row, source.attribute(row, old) ? old : cell);
}

ElementId placeInOrder(const ModuleSource& source, ElementId parent, std::string_view element) {
  if (source.isFed() && element == "spaces") {
    // Before the classes that are bound to them.
    ElementId last = noElement;
    for (const ElementId c : source.children(parent)) {
      if (source.nameOf(c) == "objects" || source.nameOf(c) == "interactions") break;
      last = c;
    }
    return last;
  }
  const std::string_view name = source.nameOf(parent);
  const std::size_t rank = rankIn(name, element);
  ElementId last = noElement;
  ElementId alike = noElement;
  bool before = true;
  for (ElementId c = source.at(parent).firstChild; c != noElement; c = source.at(c).next) {
    if (source.nameOf(c) == element) alike = c;
    if (rankIn(name, source.nameOf(c)) > rank) before = false;
    if (before) last = c;
  }
  return alike != noElement ? alike : last;
}

Splices addChildren(const ModuleSource& source, ElementId parent,
                    const std::vector<Addition>& additions) {
  if (additions.empty()) return {};
  if (source.isFed()) return addFedLists(source, parent, additions, indentUnit(source));
  const SourceElement& p = source.at(parent);
  if (p.firstChild == noElement) return fillEmpty(source, parent, additions);
  Splices splices;
  const std::string newline = newlineOf(source);
  const Indents indents(source, parent);
  for (const Addition& a : additions) {
    const auto indent = indents.of(a);
    std::size_t at = a.after == noElement ? p.startTag.end : source.at(a.after).whole.end;
    if (!indent) {
      splices.push_back({at, 0, a.write(indent)});
      continue;
    }
    at = behindLine(source, at, p.content.end);
    std::string text = newline + *indent + a.write(indent);
    splices.push_back({at, 0, std::move(text)});
  }
  // The last child on the line of the end tag: that one goes to its own line.
  const std::size_t end = p.content.end;
  const auto last = std::find_if(splices.rbegin(), splices.rend(), [&](const Splice& s) {
    return s.at == end && s.inserted.starts_with(newline);
  });
  if (last != splices.rend()) {
    splices.push_back({end, 0, newline + indentOf(source, parent).value_or("")});
  }
  return splices;
}

Splices addElement(const ModuleSource& source, ElementId parent, const NewElement& element,
                   ElementId after) {
  if (after == noElement) after = placeInOrder(source, parent, element.name);
  if (source.isFed()) {
    const std::string unit = indentUnit(source);
    return addFedLists(source, parent,
                       {{after, element.name, false,
                         [&](const std::optional<std::string>& indent) {
                           return fedText(source, element, indent, unit);
                         }}},
                       unit);
  }
  const Writer writer(source, parent);
  return addChildren(
      source, parent,
      {{after, element.name, element.children.empty(),
        [&](const std::optional<std::string>& indent) { return writer.write(element, indent); }}});
}

Splices addToTable(const ModuleSource& source, const std::vector<std::string_view>& path,
                   const NewElement& row) {
  ElementId at = ModuleSource::root();
  std::size_t depth = 0;
  while (depth < path.size()) {
    const ElementId table = source.child(at, path[depth]);
    if (table == noElement) break;
    at = table;
    ++depth;
  }
  NewElement element = row;
  for (std::size_t i = path.size(); i > depth; --i) {
    element = {std::string(path[i - 1]), {}, {std::move(element)}, {}};
  }
  return addElement(source, at, element);
}

Splices removeElement(const ModuleSource& source, ElementId id) {
  const SourceElement& e = source.at(id);
  if (e.parent == noElement) return {};
  if (source.isFed() && e.startTag.size() == 0) {
    return removeFedWord(source, id);
  }
  const std::string_view text = source.text();
  const std::size_t begin = blanksBegin(text, e.whole.begin);
  std::size_t end = e.whole.end;
  while (end < text.size() && isBlank(text[end]) && !isLineEnd(text[end])) ++end;
  if (begin > 0 && isLineEnd(text[begin - 1]) && end < text.size() && isLineEnd(text[end])) {
    return {{begin, nextLine(text, end) - begin, {}}};
  }
  const std::string_view between =
      source.isFed() ? blankInstead(text, e.whole.begin, e.whole.end) : std::string_view();
  return {{e.whole.begin, e.whole.size(), std::string(between)}};
}

std::string copyOf(const ModuleSource& from, ElementId id, const ModuleSource& to,
                   const std::optional<std::string>& indent) {
  if (from.isFed()) return copyOfFed(from, id, indent);
  const SourceElement& e = from.at(id);
  const auto own = indentOf(from, id);
  Splices splices;
  const auto reindent = [&](ByteRange gap) {
    if (!own || !indent || *own == *indent) return;
    for (const SourceRun& run : from.runs(gap)) {
      if (run.kind != SourceRun::Kind::Text || !isAllBlank(from.text(run.range))) continue;
      const std::size_t begin = lineBegin(from.text(), run.range.end);
      if (begin <= run.range.begin) continue;  // no line begins here
      if (from.text({begin, run.range.end}).starts_with(*own)) {
        splices.push_back({begin - e.whole.begin, own->size(), *indent});
      }
    }
  };
  std::vector<ElementId> open{id};
  while (!open.empty()) {
    const SourceElement& at = from.at(open.back());
    open.pop_back();
    if (at.firstChild == noElement) continue;
    std::size_t begin = at.content.begin;
    for (ElementId c = at.firstChild; c != noElement; c = from.at(c).next) {
      reindent({begin, from.at(c).whole.begin});
      begin = from.at(c).whole.end;
      open.push_back(c);
    }
    reindent({begin, at.content.end});
  }
  const std::string_view text = from.text(e.whole);
  arrange(splices, text.size());
  return withLineEnds(spliced(text, splices), newlineOf(to));
}

Splices moveElement(const ModuleSource& source, ElementId id, ElementId parent, ElementId after) {
  const SourceElement& e = source.at(id);
  const ByteRange to = source.at(parent).whole;
  if (e.parent == noElement || after == id) return {};
  if (source.isFed() && (e.startTag.size() == 0 || source.at(parent).startTag.size() == 0)) {
    return {};  // a word belongs to its list
  }
  if (to.begin >= e.whole.begin && to.end <= e.whole.end) return {};
  if (after == noElement) after = placeInOrder(source, parent, source.nameOf(id));
  if (after == id) after = e.previous;
  if (parent == e.parent && after == e.previous) return {};
  Splices splices = removeElement(source, id);
  const Splices added =
      addChildren(source, parent,
                  {{after, std::string(source.nameOf(id)), e.firstChild == noElement,
                    [&](const std::optional<std::string>& indent) {
                      return copyOf(source, id, source, indent);
                    }}});
  splices.insert(splices.end(), added.begin(), added.end());
  return splices;
}

namespace {

/// Where names of rows of one kind are used: as the text of cells, or in lists of names.
struct References {
  std::vector<std::string_view> cells;
  std::vector<std::string_view> lists;  ///< XML attributes with several names
};

References referencesTo(const ModuleSource& source, ElementId row) {
  const std::string_view element = source.nameOf(row);
  const ElementId parent = source.at(row).parent;
  const std::string_view table = parent == noElement ? "" : source.nameOf(parent);
  if (isKnownIn("dataTypes", table)) return {{"dataType", "representation"}, {}};
  if (element == "dimension" && table == "dimensions" &&
      source.at(parent).parent == ModuleSource::root()) {
    return {{"dimension"}, {"dimensions"}};
  }
  if (element == "transportation" && table == "transportations") return {{"transportation"}, {}};
  if (element == "note" && table == "notes") return {{}, {"notes"}};
  return {};
}

std::string withName(std::string_view list, std::string_view from, std::string_view to) {
  std::string result;
  while (!list.empty()) {
    const std::size_t blank = std::min(list.find_first_not_of(" ,\t\r\n"), list.size());
    result += list.substr(0, blank);
    list.remove_prefix(blank);
    const std::size_t end = std::min(list.find_first_of(" ,\t\r\n"), list.size());
    result += list.substr(0, end) == from ? to : list.substr(0, end);
    list.remove_prefix(end);
  }
  return result;
}

}  // namespace

Splices renameRow(const ModuleSource& source, ElementId row, std::string_view name) {
  const std::string before = rowName(source, row);
  const std::string_view cell = nameCellOf(source.nameOf(row), source.isOf2000());
  Splices splices = setCell(source, row, cell, name);
  if (before.empty() || before == name) return splices;
  const References references = referencesTo(source, row);
  if (references.cells.empty() && references.lists.empty()) return splices;
  const auto add = [&](const Splices& more) {
    splices.insert(splices.end(), more.begin(), more.end());
  };
  const auto isOne = [](const std::vector<std::string_view>& names, std::string_view one) {
    return std::find(names.begin(), names.end(), one) != names.end();
  };
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    if (id != row && source.at(id).firstChild == noElement &&
        isOne(references.cells, source.nameOf(id)) && collapsed(source.rawText(id)) == before) {
      add(replaceContent(source, id, escapedText(name)));
    }
    for (const SourceAttribute& a : source.attributes(id)) {
      const std::string_view attribute = source.text(a.name);
      const std::string value = source.resolved(a.value);
      if (isOne(references.cells, attribute) && collapsed(value) == before) {
        add(setAttribute(source, id, attribute, name));
      } else if (isOne(references.lists, attribute)) {
        const std::string after = withName(value, before, name);
        if (after != value) add(setAttribute(source, id, attribute, after));
      }
    }
  }
  return splices;
}

}  // namespace tutti::fomedit
