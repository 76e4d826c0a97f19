// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/item_origins.h"

#include <algorithm>
#include <optional>

namespace tutti::fomedit {

namespace {

/// How the graph calls an item; nothing for what it does not know.
std::optional<std::pair<NameKind, QString>> nameOf(const omt::ObjectModel& model,
                                                   const Item& item) {
  switch (item.kind) {
    case ItemKind::ObjectClass:
      return std::pair(NameKind::ObjectClass, text(model.objectClass(item.id)->fullName));
    case ItemKind::InteractionClass:
      return std::pair(NameKind::InteractionClass, text(model.interactionClass(item.id)->fullName));
    case ItemKind::DataType:
      return std::pair(NameKind::DataType, itemName(model, item));
    case ItemKind::Dimension:
      return std::pair(NameKind::Dimension, itemName(model, item));
    case ItemKind::Transportation:
      return std::pair(NameKind::Transportation, itemName(model, item));
    default:
      return std::nullopt;
  }
}

}  // namespace

QList<Origin> originsOf(const omt::ObjectModel& model, const DependencyGraph& graph,
                        const Item& item) {
  const omt::SourceLocation place = itemPlace(model, item);
  if (place.line <= 0) return {};
  QList<Origin> origins{{text(model.fileOf(place)), place.line, true}};
  const auto name = nameOf(model, item);
  if (!name) return origins;
  QList<Origin> namers;
  for (const ModuleDependencies& module : graph.modules) {
    const bool isFirst = module.file == origins.front().file;
    const auto offer = std::find_if(module.offers.begin(), module.offers.end(), [&](const auto& o) {
      return o.kind == name->first && o.name == name->second;
    });
    if (offer != module.offers.end()) {
      if (!isFirst) origins.append({module.file, offer->line, true});
      continue;
    }
    // Of other kinds a need is a use.
    if (!isClass(item)) continue;
    const auto need = std::find_if(module.needs.begin(), module.needs.end(), [&](const auto& n) {
      return n.kind == name->first && n.name == name->second;
    });
    if (need == module.needs.end()) continue;
    if (isFirst) {
      origins.front().defines = false;
    } else {
      namers.append({module.file, need->line, false});
    }
  }
  return origins + namers;
}

}  // namespace tutti::fomedit
