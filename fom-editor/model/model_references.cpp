// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_references.h"

#include <functional>
#include <optional>

#include "fom-editor/model/fed_edits.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/note_table.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

/// The value of a reference with the new name; nothing where it refers to something else.
using NewValue = std::function<std::optional<std::string>(const std::string&)>;

/// Where names of a kind stand: as a whole cell, or within a list of names.
bool isReference(const ModuleSource& source, RowKind kind, std::string_view row,
                 std::string_view cell, bool isAttribute) {
  switch (kind) {
    case RowKind::DataType:
      return cell == "dataType" || cell == "representation";
    case RowKind::Dimension:
      return isAttribute ? cell == "dimensions" && row != "objectModel"
                         : cell == "dimension" || cell == "dimensions";
    case RowKind::Transportation:
      return cell == "transportation";
    case RowKind::Note:
      return isAttribute && isNoteReference(source, cell);
    case RowKind::ObjectClass:
      return cell == "referenceClass";
    case RowKind::InteractionClass:
      return row == "directedInteraction" && cell == "name";
    case RowKind::Attribute:
      return cell == "referencedAttribute";
    case RowKind::Enumerator:
      return row == "alternative" && cell == "enumerator";
    default:
      return false;
  }
}

bool isSeparator(RowKind kind, char c) {
  if (omt::isBlank(c) || c == ',') return true;
  return kind == RowKind::Enumerator && (c == '[' || c == ']');
}

/// `list` with one name in it replaced.
std::optional<std::string> inList(RowKind kind, const std::string& list, const std::string& from,
                                  const std::string& to) {
  std::string result;
  bool found = false;
  std::size_t at = 0;
  while (at < list.size()) {
    const bool range = kind == RowKind::Enumerator && list.compare(at, 2, "..") == 0;
    if (range || isSeparator(kind, list[at])) {
      const std::size_t length = range ? 2 : 1;
      result += list.substr(at, length);
      at += length;
      continue;
    }
    std::size_t end = at;
    while (end < list.size() && !isSeparator(kind, list[end]) &&
           !(kind == RowKind::Enumerator && list.compare(end, 2, "..") == 0)) {
      ++end;
    }
    const std::string word = list.substr(at, end - at);
    found = found || word == from;
    result += word == from ? to : word;
    at = end;
  }
  return found ? std::optional(result) : std::nullopt;
}

/// Classes are referred to by full names, with or without the root, or by their last part.
std::optional<std::string> asClass(const std::string& value, const std::string& from,
                                   const std::string& to) {
  const auto replaced = [&](const std::string& old,
                            const std::string& now) -> std::optional<std::string> {
    if (old.empty()) return std::nullopt;
    if (value == old) return now;
    if (value.starts_with(old + '.')) return now + value.substr(old.size());
    return std::nullopt;
  };
  const auto withoutRoot = [](const std::string& name) {
    const std::size_t dot = name.find('.');
    return dot == std::string::npos ? std::string() : name.substr(dot + 1);
  };
  const auto last = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  if (const auto full = replaced(from, to)) return full;
  if (const auto part = replaced(withoutRoot(from), withoutRoot(to))) return part;
  if (value == last(from)) return last(to);
  return std::nullopt;
}

/// Calls `visit(element, row name, cell name, is an XML attribute, value)` for all cells.
template <typename Visit>
void eachCell(const ModuleSource& source, Visit visit) {
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    const SourceElement& e = source.at(id);
    if (e.firstChild == noElement && !e.isEmptyTag()) {
      visit(id, source.nameOf(e.parent), source.nameOf(id), std::string_view(),
            omt::collapsed(source.rawText(id)));
    }
    for (const SourceAttribute& a : source.attributes(id)) {
      visit(id, source.nameOf(id), source.text(a.name), source.text(a.name),
            omt::collapsed(source.resolved(a.value)));
    }
  }
}

/// Enumerators are named by the alternatives of variant records with that discriminant.
bool isAbout(const ModuleSource& source, const RowRef& row, ElementId id, bool isAttribute) {
  if (row.kind == RowKind::Enumerator) {
    const ElementId alternative = isAttribute ? id : source.at(id).parent;
    const ElementId record = source.at(alternative).parent;
    return record != noElement &&
           cellOf(source, record, "dataType").value_or("") == row.owner.toStdString();
  }
  if (row.kind == RowKind::Attribute) {
    const ElementId type = isAttribute ? id : source.at(id).parent;
    const std::string of = cellOf(source, type, "referenceClass").value_or("");
    return asClass(of, row.owner.toStdString(), row.owner.toStdString()).has_value();
  }
  return true;
}

template <typename Found>
void eachReference(const ModuleSource& source, const RowRef& before, const RowRef& after,
                   Found found) {
  const std::string from = before.name.toStdString();
  const std::string to = after.name.toStdString();
  if (from.empty()) return;
  if (source.isFed()) {
    // A FED file refers to nothing else by name.
    if (before.kind != RowKind::RoutingSpace) return;
    for (const ElementId id : usesOfSpace(source, before.name)) found(id, {}, to);
    return;
  }
  const bool list = before.kind == RowKind::Dimension || before.kind == RowKind::Note ||
                    before.kind == RowKind::Enumerator;
  eachCell(source, [&](ElementId id, std::string_view row, std::string_view cell,
                       std::string_view attribute, const std::string& value) {
    if (value.empty() || !isReference(source, before.kind, row, cell, !attribute.empty())) return;
    // The name of a row itself is no reference.
    if (before.kind == RowKind::Dimension && attribute.empty() && cell == "dimension" &&
        row == "dimensions" && source.at(source.at(id).parent).parent == ModuleSource::root()) {
      return;
    }
    std::optional<std::string> now;
    if (before.isClass()) {
      now = asClass(value, from, to);
    } else if (list) {
      now = inList(before.kind, value, from, to);
    } else if (value == from) {
      now = to;
    }
    if (now && isAbout(source, before, id, !attribute.empty())) found(id, attribute, *now);
  });
}

}  // namespace

Splices followReferences(const ModuleSource& source, const RowRef& before, const RowRef& after) {
  Splices splices;
  eachReference(
      source, before, after, [&](ElementId id, std::string_view attribute, const std::string& now) {
        const Splices more = source.isFed()      ? setFedWord(source, id, now)
                             : attribute.empty() ? replaceContent(source, id, escapedText(now))
                                                 : setAttribute(source, id, attribute, now);
        splices.insert(splices.end(), more.begin(), more.end());
      });
  return splices;
}

int countReferences(const ModuleSource& source, const RowRef& row) {
  int count = 0;
  eachReference(source, row, row,
                [&](ElementId, std::string_view, const std::string&) { ++count; });
  return count;
}

}  // namespace tutti::fomedit
