// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_needs.h"

#include <QFileInfo>
#include <algorithm>
#include <map>

#include "fom-editor/model/module_names.h"

namespace tutti::fomedit {

namespace {

Item itemOf(const omt::ObjectModel& model, NameKind kind, const QString& name) {
  switch (kind) {
    case NameKind::ObjectClass:
      return findItem(model, QStringLiteral("object:") + name);
    case NameKind::InteractionClass:
      return findItem(model, QStringLiteral("interaction:") + name);
    case NameKind::DataType:
      return findItem(model, QStringLiteral("datatype:") + name);
    case NameKind::Dimension:
      return findItem(model, QStringLiteral("dimension:") + name);
    case NameKind::Transportation:
      return findItem(model, QStringLiteral("transportation:") + name);
  }
  return {};
}

/// Full names without the root, which says nothing.
QString shown(NameKind kind, const QString& name) {
  const bool isClass = kind == NameKind::ObjectClass || kind == NameKind::InteractionClass;
  return isClass && name.contains(u'.') ? name.section(u'.', 1) : name;
}

TableRow section(const QString& title) {
  TableRow row;
  row.cells << title;
  row.isSection = true;
  return row;
}

}  // namespace

Table needsAndOffers(const omt::ObjectModel& model, const DependencyGraph& graph,
                     const QString& file) {
  Table table;
  table.title = QStringLiteral("%1, needs and offers").arg(QFileInfo(file).fileName());
  table.headers << QStringLiteral("Name") << QStringLiteral("Kind") << QStringLiteral("Used in");
  table.linkColumn = 0;
  table.empty = QStringLiteral("%1 needs nothing of other modules and offers them nothing.")
                    .arg(QFileInfo(file).fileName());
  const auto own = std::find_if(graph.modules.begin(), graph.modules.end(),
                                [&](const auto& module) { return module.file == file; });
  if (own == graph.modules.end()) return table;
  QStringList files;
  for (const ModuleDependencies& module : graph.modules.mid(1)) files << module.file;
  const QStringList names = QStringList(QStringLiteral("MIM")) + shortModuleNames(files);
  // Of a module that is left out the model has no places.
  const auto placeIn = [&](const QString& of, int line) {
    omt::SourceLocation where{};
    for (std::size_t i = 0; i < model.modules().size(); ++i) {
      if (text(model.modules()[i].file) == of) {
        where.module = static_cast<std::uint32_t>(i);
        where.line = line;
      }
    }
    return where;
  };
  Item itself;
  for (std::size_t i = 0; i < model.modules().size(); ++i) {
    if (text(model.modules()[i].file) == file) {
      itself = {ItemKind::Module, static_cast<std::uint32_t>(i + 1)};
    }
  }

  // Names that nobody defines first, then by module, the MIM last: it says least.
  std::map<int, QList<const ModuleNeed*>> needs;
  for (const ModuleNeed& need : own->needs) {
    const int rank = need.provider == 0 ? static_cast<int>(graph.modules.size()) : need.provider;
    needs[rank].append(&need);
  }
  for (const auto& [rank, list] : needs) {
    const bool missing = rank == ModuleNeed::nobody;
    const QString provider =
        missing ? QString() : QFileInfo(graph.modules[list.front()->provider].file).fileName();
    table.rows << section(
        missing ? QStringLiteral("Needs %1 that no module defines")
                      .arg(list.size() == 1 ? QStringLiteral("1 name")
                                            : QStringLiteral("%1 names").arg(list.size()))
                : QStringLiteral("Needs %1 of %2").arg(list.size()).arg(provider));
    for (const ModuleNeed* need : list) {
      TableRow row;
      row.cells << shown(need->kind, need->name) << kindName(need->kind)
                << QStringLiteral("line %1").arg(need->line);
      row.link = missing ? itself : itemOf(model, need->kind, need->name);
      row.where = placeIn(file, need->line);
      row.toolTip = need->name;
      table.rows << row;
    }
  }

  std::map<std::pair<NameKind, QString>, QStringList> users;
  std::map<std::pair<NameKind, QString>, QStringList> places;
  for (qsizetype i = 1; i < graph.modules.size(); ++i) {
    const ModuleDependencies& module = graph.modules[i];
    if (module.file == file) continue;
    for (const ModuleNeed& need : module.needs) {
      users[{need.kind, need.name}] << names[i];
      places[{need.kind, need.name}] << placeText(module.file, need.line);
    }
  }
  QList<TableRow> used;
  QList<TableRow> unused;
  for (const ModuleOffer& offer : own->offers) {
    const QStringList of = users[{offer.kind, offer.name}];
    QString by = of.mid(0, 3).join(QStringLiteral(", "));
    if (of.size() > 3) by += QStringLiteral(" and %1 more").arg(of.size() - 3);
    TableRow row;
    row.cells << shown(offer.kind, offer.name) << kindName(offer.kind)
              << (of.isEmpty() ? QStringLiteral("–") : by);
    row.link = itemOf(model, offer.kind, offer.name);
    row.where = placeIn(file, offer.line);
    row.toolTip = (QStringList(offer.name) + places[{offer.kind, offer.name}]).join(u'\n');
    (of.isEmpty() ? unused : used) << row;
  }
  if (!used.isEmpty()) {
    table.rows << section(QStringLiteral("Offers %1 that other modules use").arg(used.size()))
               << used;
  }
  if (!unused.isEmpty()) {
    table.rows << section(QStringLiteral("Offers %1 that no other module uses").arg(unused.size()))
               << unused;
  }
  return table;
}

}  // namespace tutti::fomedit
