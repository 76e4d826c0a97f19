// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/checked_module.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

/// The row of a table, or the class, that an element is or is in; noElement: none.
ElementId rowOf(const ModuleSource& source, ElementId id) {
  while (id != noElement && id != ModuleSource::root()) {
    const ElementId parent = source.at(id).parent;
    const std::string_view above = parent == noElement ? "" : source.nameOf(parent);
    const std::string_view name = source.nameOf(id);
    if (isClassElement(name) || isDataTypeRow(source, id)) return id;
    if (source.at(parent).parent == ModuleSource::root() &&
        (above == "dimensions" || above == "transportations" || above == "updateRates" ||
         above == "synchronizations")) {
      return id;
    }
    id = parent;
  }
  return noElement;
}

}  // namespace

bool isClassElement(std::string_view element) {
  return element == "objectClass" || element == "interactionClass";
}

bool isDataTypeRow(const ModuleSource& source, ElementId id) {
  const ElementId table = source.at(id).parent;
  if (table == noElement || source.at(table).parent == noElement) return false;
  return isKnownIn(source.nameOf(table), source.nameOf(id)) &&
         source.nameOf(source.at(table).parent) == "dataTypes";
}

bool isScaffolding(const ModuleSource& source, ElementId classElement) {
  for (const std::string_view defines :
       {"sharing", "attribute", "parameter", "transportation", "order"}) {
    if (source.child(classElement, defines) != noElement) return false;
    if (source.attribute(classElement, defines)) return false;
  }
  return true;
}

std::string fullNameOf(const ModuleSource& source, ElementId classElement) {
  const bool isObject = source.nameOf(classElement) == "objectClass";
  const std::string_view root = isObject ? omt::objectRootName : omt::interactionRootName;
  std::string name;
  for (ElementId id = classElement; id != noElement && isClassElement(source.nameOf(id));
       id = source.at(id).parent) {
    const std::string own = rowName(source, id);
    name = name.empty() ? own : own + '.' + name;
  }
  if (name != root && !name.starts_with(std::string(root) + '.')) {
    name = std::string(root) + '.' + name;
  }
  return name;
}

QString itemOf(const ModuleSource& source, ElementId id) {
  const ElementId row = rowOf(source, id);
  if (row == noElement) return {};
  const std::string_view element = source.nameOf(row);
  if (element == "objectClass") {
    return QStringLiteral("object:") + text(fullNameOf(source, row));
  }
  if (element == "interactionClass") {
    return QStringLiteral("interaction:") + text(fullNameOf(source, row));
  }
  const QString name = text(rowName(source, row));
  if (isDataTypeRow(source, row)) return QStringLiteral("datatype:") + name;
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kinds{
      {{"dimension", "dimension:"},
       {"transportation", "transportation:"},
       {"updateRate", "updaterate:"},
       {"synchronizationPoint", "syncpoint:"},
       {"synchronization", "syncpoint:"}}};
  for (const auto& [named, prefix] : kinds) {
    if (element == named) return QLatin1String(prefix) + name;
  }
  return {};
}

QString subjectOf(const ModuleSource& source, ElementId id) {
  const ElementId row = rowOf(source, id);
  if (row == noElement) return tag(source.nameOf(id));
  QString name = text(rowName(source, row));
  if (name.isEmpty()) name = QStringLiteral("a nameless ") + tag(source.nameOf(row));
  for (ElementId at = id; at != row; at = source.at(at).parent) {
    const std::string_view element = source.nameOf(at);
    if (element != "attribute" && element != "parameter" && element != "field" &&
        element != "enumerator" && element != "alternative") {
      continue;
    }
    std::string cell = rowName(source, at);
    if (element == "alternative" && omt::meansNothing(cell)) {
      cell = cellOf(source, at, "enumerator").value_or("");
    }
    const QString own = text(cell);
    return own.isEmpty() ? name : name + u'.' + own;
  }
  return name;
}

Finding findingAt(const CheckedModule& module, ElementId id, Level level, const QString& rule,
                  const QString& text, const QString& hint) {
  Finding f;
  f.level = level;
  f.rule = rule;
  f.text = text;
  f.hint = hint;
  f.file = module.path;
  f.line = module.source.lineOf(id);
  f.column = module.source.columnOf(module.source.at(id).whole.begin);
  f.item = itemOf(module.source, id);
  return f;
}

std::vector<ElementId> elementsOf(const ModuleSource& source, std::string_view element) {
  std::vector<ElementId> found;
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    if (source.nameOf(id) == element) found.push_back(id);
  }
  return found;
}

bool holdsNothing(const ModuleSource& source, ElementId id) {
  const std::string_view content = source.text(source.at(id).content);
  return std::all_of(content.begin(), content.end(), omt::isBlank) && source.attributes(id).empty();
}

Fix deletionOf(const ModuleSource& source, ElementId id, const QString& name) {
  const bool nothing = holdsNothing(source, id);
  return makeFix(
      nothing
          ? QStringLiteral("Delete the empty %1").arg(name)
          : QStringLiteral("Delete the %1 with its comments, texts and XML attributes").arg(name),
      removeElement(source, id), nothing);
}

QString tag(std::string_view element) { return u'<' + text(element) + u'>'; }

}  // namespace tutti::fomedit
