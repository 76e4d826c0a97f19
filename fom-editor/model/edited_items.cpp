// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/edited_items.h"

#include "fom-editor/model/item.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

void addClasses(const ModuleSource& source, ElementId parent, std::string_view element,
                const QString& above, ItemDefinitions& into) {
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

}  // namespace

ItemDefinitions itemDefinitions(const ModuleSource& source) {
  ItemDefinitions all;
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

QSet<QString> editedItems(const ItemDefinitions& saved, const ItemDefinitions& now) {
  QSet<QString> edited;
  for (auto it = now.cbegin(); it != now.cend(); ++it) {
    const auto was = saved.constFind(it.key());
    if (was == saved.cend() || *was != *it) edited.insert(it.key());
  }
  return edited;
}

QSet<QString> editedItems(const ModuleSource& saved, const ModuleSource& now) {
  return editedItems(itemDefinitions(saved), itemDefinitions(now));
}

}  // namespace tutti::fomedit
