// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/edited_items.h"

#include <QHash>

#include "fom-editor/model/item.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

/// What stands in a module for an item, by itemPath().
using Definitions = QHash<QString, std::string>;

void addClasses(const ModuleSource& source, ElementId parent, std::string_view element,
                const QString& above, Definitions& into) {
  for (const ElementId id : source.children(parent)) {
    if (source.nameOf(id) != element) continue;
    const QString path = above + text(rowName(source, id));
    std::string own(source.text(source.at(id).startTag));
    for (const ElementId part : source.children(id)) {
      if (source.nameOf(part) != element) own += source.text(source.at(part).whole);
    }
    into[path] += own;
    addClasses(source, id, element, path + u'.', into);
  }
}

Definitions definitionsOf(const ModuleSource& source) {
  Definitions all;
  for (const ElementId table : source.children(ModuleSource::root())) {
    const std::string_view name = source.nameOf(table);
    if (name == "objects") {
      addClasses(source, table, "objectClass", QStringLiteral("object:"), all);
    } else if (name == "interactions") {
      addClasses(source, table, "interactionClass", QStringLiteral("interaction:"), all);
    } else if (name == "dataTypes") {
      for (const ElementId kind : source.children(table)) {
        for (const ElementId row : source.children(kind)) {
          all[QStringLiteral("datatype:") + text(rowName(source, row))] +=
              source.text(source.at(row).whole);
        }
      }
    }
  }
  return all;
}

}  // namespace

QSet<QString> editedItems(const ModuleSource& saved, const ModuleSource& now) {
  const Definitions before = definitionsOf(saved);
  const Definitions after = definitionsOf(now);
  QSet<QString> edited;
  for (auto it = after.cbegin(); it != after.cend(); ++it) {
    const auto was = before.constFind(it.key());
    if (was == before.cend() || *was != *it) edited.insert(it.key());
  }
  return edited;
}

}  // namespace tutti::fomedit
