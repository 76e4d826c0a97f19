// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/fed_edits.h"

#include <algorithm>
#include <array>

#include "fom-editor/model/fed_source.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using omt::isBlank;

constexpr std::array<std::string_view, 4> cells{"name", "transportation", "order", "dimensions"};

std::size_t rankOf(std::string_view cell) {
  return static_cast<std::size_t>(std::find(cells.begin(), cells.end(), cell) - cells.begin());
}

bool isCell(const ModuleSource& source, ElementId id) {
  const SourceElement& e = source.at(id);
  return e.startTag.size() == 0;
}

/// As a word, or in quotes where it is none. What no quotes can hold is left out: a quotation mark.
std::string wordOf(std::string_view value) {
  std::string word;
  bool quote = value.empty() || value.front() == '[';
  for (const char c : value) {
    if (c == '"') continue;
    quote = quote || isBlank(c) || c == '\f' || c == '\v' || c == '(' || c == ')' || c == ';';
    word += c == '\n' || c == '\r' ? ' ' : c;
  }
  return quote || word.empty() ? '"' + word + '"' : word;
}

/// A word of FED in the letters that the file has it in: as it is elsewhere, else as others are.
std::string spelled(const ModuleSource& source, std::string_view word) {
  bool upper = false;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const std::string_view cell = source.nameOf(id);
    if (cell != "transportation" && cell != "order") continue;
    const std::string_view other = source.text(source.at(id).content);
    if (omt::sameIgnoringCase(other, word)) return std::string(other);
    upper = upper || (!other.empty() && other.front() >= 'A' && other.front() <= 'Z');
  }
  std::string result(word);
  if (upper) {
    for (char& c : result) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  }
  return result;
}

std::string cellText(const ModuleSource& source, std::string_view cell, std::string_view value) {
  if (cell == "transportation" || cell == "order") {
    return wordOf(spelled(source, valueInFed(cell, value)));
  }
  return wordOf(value);
}

/// What a list of that element begins with, as the file writes others.
std::string headOf(const ModuleSource& source, std::string_view element) {
  std::string_view head = element;
  if (element == "objectClass" || element == "interactionClass") head = "class";
  if (element == "modelIdentification") head = "Federation";
  bool capital = false;
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    if (isCell(source, id)) continue;
    const std::string_view other = source.text(source.at(id).name);
    if (omt::sameIgnoringCase(other, head)) return std::string(other);
    capital = capital || (source.nameOf(id) != "modelIdentification" && !other.empty() &&
                          other.front() >= 'A' && other.front() <= 'Z');
  }
  std::string result(head);
  if (capital && result.front() >= 'a') result.front() = static_cast<char>(result.front() - 32);
  return result;
}

/// Whether the file closes lists on lines of their own.
bool closesOnOwnLine(const ModuleSource& source) {
  const std::string_view text = source.text();
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    const SourceElement& e = source.at(id);
    if (isCell(source, id) ||
        text.substr(e.whole.begin, e.whole.size()).find('\n') == std::string_view::npos) {
      continue;
    }
    std::size_t at = e.content.end;
    while (at > 0 && isBlank(text[at - 1]) && text[at - 1] != '\n' && text[at - 1] != '\r') --at;
    return at > 0 && (text[at - 1] == '\n' || text[at - 1] == '\r');
  }
  return true;
}

/// Behind a comment, where only blanks are before it on the line; else `at`.
std::size_t behindComment(std::string_view text, std::size_t at) {
  std::size_t place = at;
  while (place < text.size() && isBlank(text[place]) && text[place] != '\n' &&
         text[place] != '\r') {
    ++place;
  }
  if (place >= text.size() || text[place] != ';') return at;
  return std::min(text.find_first_of("\r\n", place), text.size());
}

std::optional<std::string> childIndent(const ModuleSource& source, ElementId parent,
                                       std::string_view element, const std::string& unit) {
  bool hasLists = false;
  std::optional<std::string> any;
  for (const ElementId c : source.children(parent)) {
    if (isCell(source, c)) continue;
    hasLists = true;
    const auto own = indentOf(source, c);
    if (own && source.nameOf(c) == element) return own;
    if (own && !any) any = own;
  }
  if (any) return any;
  const bool lines =
      source.text(source.at(parent).whole).find_first_of("\r\n") != std::string_view::npos;
  if (hasLists && !lines) return std::nullopt;
  // Where the parent is not the first on its line, the line says how far in it is.
  const std::string_view text = source.text();
  std::size_t begin = source.at(parent).whole.begin;
  while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r') --begin;
  std::size_t end = begin;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
  return std::string(text.substr(begin, end - begin)) + unit;
}

Splice replacedWord(const ModuleSource& source, ElementId word, const std::string& written) {
  const SourceElement& e = source.at(word);
  const bool quoted = e.whole != e.content;
  if (quoted && !written.starts_with('"')) return {e.content.begin, e.content.size(), written};
  return {e.whole.begin, e.whole.size(), written};
}

Splice removedWord(const ModuleSource& source, ElementId word) {
  const SourceElement& e = source.at(word);
  const std::string_view text = source.text();
  std::size_t begin = e.whole.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  // The first on its line keeps its indentation for what follows.
  if (begin > 0 && (text[begin - 1] == '\n' || text[begin - 1] == '\r')) begin = e.whole.begin;
  return {begin, e.whole.end - begin, std::string(blankInstead(text, begin, e.whole.end))};
}

}  // namespace

Splices setFedCell(const ModuleSource& source, ElementId row, std::string_view cell,
                   std::string_view value) {
  const std::size_t rank = rankOf(cell);
  if (rank == cells.size() || isCell(source, row)) return {};
  const std::string_view element = source.nameOf(row);
  const bool delivered = element == "attribute" || element == "interactionClass";
  if (cell != "name" && !delivered) return {};
  const std::string written =
      cell == "name" ? wordOf(nameInFed(value)) : cellText(source, cell, value);
  if (const ElementId old = source.child(row, cell); old != noElement) {
    return {replacedWord(source, old, written)};
  }
  if (element == "objectModel" || element == "spaces" || element == "objects" ||
      element == "interactions") {
    return {};
  }
  // Only the second part of a list is its name, and without one nothing else is read.
  if (cell != "name" && source.child(row, "name") == noElement) return {};
  std::size_t at = source.at(row).startTag.end;
  for (const ElementId c : source.children(row)) {
    if (rankOf(source.nameOf(c)) < rank) at = source.at(c).whole.end;
  }
  const std::string_view text = source.text();
  const bool joined = at < text.size() && !endsFedWord(text[at]);
  return {{at, 0, ' ' + written + (joined ? " " : "")}};
}

Splices removeFedCell(const ModuleSource& source, ElementId row, std::string_view cell) {
  Splices splices;
  if (cell == "name" || rankOf(cell) == cells.size()) return splices;
  for (const ElementId word : source.children(row)) {
    const std::string_view name = source.nameOf(word);
    if (isCell(source, word) && (name == cell || name == earlierCell(cell))) {
      splices.push_back(removedWord(source, word));
    }
  }
  return splices;
}

Splices setFedWord(const ModuleSource& source, ElementId word, std::string_view value) {
  if (!isCell(source, word)) return {};
  return {replacedWord(source, word, wordOf(value))};
}

Splices removeFedWord(const ModuleSource& source, ElementId word) {
  if (!isCell(source, word)) return {};
  const std::string_view name = source.nameOf(word);
  const bool earlier = std::any_of(
      cells.begin(), cells.end(), [&](std::string_view cell) { return earlierCell(cell) == name; });
  if (earlier) return {removedWord(source, word)};
  return removeFedCell(source, source.at(word).parent, name);
}

std::string_view blankInstead(std::string_view text, std::size_t begin, std::size_t end) {
  // A quotation mark before it may be of a word that goes as well.
  const bool apart = begin == 0 || (text[begin - 1] != '"' && endsFedWord(text[begin - 1]));
  return apart || end >= text.size() || endsFedWord(text[end]) ? "" : " ";
}

std::string fedText(const ModuleSource& source, const NewElement& element,
                    const std::optional<std::string>& indent, const std::string& unit) {
  std::string text = '(' + headOf(source, element.name);
  const bool delivered = element.name == "attribute" || element.name == "interactionClass";
  const auto value = [&](std::string_view cell) -> std::string {
    for (const NewElement& child : element.children) {
      if (child.name == cell) return child.text;
    }
    return {};
  };
  const std::string name = value("name");
  if (!name.empty()) text += ' ' + wordOf(nameInFed(name));
  if (delivered) {
    const bool root = name == "HLAinteractionRoot";
    for (const std::string_view cell : {"transportation", "order", "dimensions"}) {
      std::string word = value(cell);
      if (root && cell == "transportation") word = "HLAbestEffort";
      if (root && cell == "order") word = "Receive";
      if (word.empty() || word == "NA") continue;
      if (cell == "transportation" && valueInFed(cell, word) == word) word = "HLAreliable";
      text += ' ' + cellText(source, cell, word);
    }
  }
  const std::string newline = newlineOf(source);
  bool lists = false;
  for (const NewElement& child : element.children) {
    static constexpr std::array<std::string_view, 8> known{
        "objectClass", "interactionClass", "attribute", "parameter",
        "space",       "dimension",        "objects",   "interactions"};
    if (std::find(known.begin(), known.end(), child.name) == known.end()) continue;
    if (child.children.empty()) continue;
    lists = true;
    std::optional<std::string> inner;
    if (indent) inner = *indent + unit;
    text += inner ? newline + *inner : std::string(" ");
    text += fedText(source, child, inner, unit);
  }
  if (lists && indent && closesOnOwnLine(source)) text += newline + *indent;
  return text + ')';
}

Splices addFedLists(const ModuleSource& source, ElementId parent,
                    const std::vector<Addition>& additions, const std::string& unit) {
  if (isCell(source, parent)) return {};
  const SourceElement& p = source.at(parent);
  const std::string_view text = source.text();
  const std::string newline = newlineOf(source);
  bool hasLists = false;
  std::size_t behindWords = p.startTag.end;
  for (const ElementId c : source.children(parent)) {
    hasLists = hasLists || !isCell(source, c);
    if (!hasLists) behindWords = source.at(c).whole.end;
  }
  Splices splices;
  for (const Addition& a : additions) {
    const auto indent = childIndent(source, parent, a.element, unit);
    std::size_t at = a.after == noElement ? behindWords : source.at(a.after).whole.end;
    at = std::max(at, behindWords);
    if (!indent) {
      splices.push_back({at, 0, ' ' + a.write(indent)});
      continue;
    }
    at = behindComment(text, at);
    splices.push_back({at, 0, newline + *indent + a.write(indent)});
  }
  // The first lists of a list, whose parenthesis is closed on the same line.
  if (!hasLists && !splices.empty() && splices.back().inserted.starts_with(newline)) {
    std::size_t end = splices.back().at;
    while (end < p.content.end && (text[end] == ' ' || text[end] == '\t')) ++end;
    if (end == p.content.end && closesOnOwnLine(source)) {
      std::size_t begin = p.whole.begin;
      while (begin > 0 && text[begin - 1] != '\n' && text[begin - 1] != '\r') --begin;
      std::size_t blanks = begin;
      while (blanks < text.size() && (text[blanks] == ' ' || text[blanks] == '\t')) ++blanks;
      splices.push_back({end, 0, newline + std::string(text.substr(begin, blanks - begin))});
    }
  }
  return splices;
}

std::string copyOfFed(const ModuleSource& from, ElementId id,
                      const std::optional<std::string>& indent) {
  const std::string_view text = from.text(from.at(id).whole);
  const auto own = indentOf(from, id);
  if (!own || !indent || *own == *indent) return std::string(text);
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    std::size_t next = end;
    while (next < text.size() && (text[next] == '\r' || text[next] == '\n')) ++next;
    std::string_view line = text.substr(at, next - at);
    if (at > 0 && line.starts_with(*own)) {
      line.remove_prefix(own->size());
      result += *indent;
    }
    result += line;
    at = next;
  }
  return result;
}

}  // namespace tutti::fomedit
