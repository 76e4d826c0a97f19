// SPDX-License-Identifier: GPL-3.0-or-later
// What FED files of HLA 1.3 take of a change, and what they refuse.
#include <QFileInfo>
#include <algorithm>

#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/fed_source.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/module_edits.h"
#include "omt/words.h"

namespace tutti::fomedit {

namespace {

bool isNone(const QString& value) { return value.isEmpty() || value == u"–" || value == u"NA"; }

QStringList listed(const QString& text) {
  QStringList names;
  for (const QString& part : text.split(u',')) {
    if (!part.trimmed().isEmpty()) names << part.trimmed();
  }
  return names;
}

}  // namespace

bool ModelChanges::isAnyFed() const {
  return std::any_of(modules_.begin(), modules_.end(), [](const EditableModule& m) {
    return m.source != nullptr && m.source->isFed();
  });
}

std::optional<CellEditor> ModelChanges::fedEditorOf(const RowRef& row, const QString& cell) const {
  using Kind = CellEditor::Kind;
  if (!isAnyFed() || row.kind == RowKind::Switch || row.kind == RowKind::TypeUse) {
    return std::nullopt;
  }
  const std::vector<FoundRow> found = targets(row).value_or(std::vector<FoundRow>());
  const auto isFed = [&](const FoundRow& f) { return sourceOf(f.module).isFed(); };
  const auto at = std::find_if(found.begin(), found.end(), isFed);
  if (at == found.end()) return std::nullopt;
  const bool only = std::all_of(found.begin(), found.end(), isFed);
  if (!fedHas(row.kind, cell)) return only ? std::optional(CellEditor{}) : std::nullopt;
  if (cell == u"transportation") {
    return CellEditor{Kind::Choice,
                      {QString::fromUtf8(omt::reliableName.data()),
                       QString::fromUtf8(omt::bestEffortName.data())}};
  }
  if (cell == u"dimensions" && isFed(found.front())) {
    return CellEditor{Kind::Choice, routingSpacesOf(sourceOf(at->module))};
  }
  return std::nullopt;
}

QString ModelChanges::faultInFed(const RowRef& row, const QString& cell,
                                 const QString& value) const {
  if (!isAnyFed() || row.kind == RowKind::Switch || row.kind == RowKind::TypeUse) return {};
  const std::vector<FoundRow> found = targets(row).value_or(std::vector<FoundRow>());
  const auto isFed = [&](const FoundRow& f) { return sourceOf(f.module).isFed(); };
  if (found.empty() || std::none_of(found.begin(), found.end(), isFed)) return {};
  if (!fedHas(row.kind, cell)) {
    return std::all_of(found.begin(), found.end(), isFed) ? whyNotInFed(row.kind, cell) : QString();
  }
  if (cell != u"dimensions" || isNone(value)) return {};
  for (const FoundRow& at : found) {
    if (const auto written = dimensionsAt(at, found.front(), value); !written) {
      return written.error();
    }
  }
  return {};
}

tl::expected<QString, QString> ModelChanges::dimensionsAt(const FoundRow& at,
                                                          const FoundRow& meantIn,
                                                          const QString& value) const {
  const ModuleSource& meant = sourceOf(meantIn.module);
  const ModuleSource& source = sourceOf(at.module);
  if (isNone(value)) return value;
  if (meant.isFed()) {
    for (const ModuleSource* fed : {&meant, &source}) {
      if (!fed->isFed() || routingSpacesOf(*fed).contains(value)) continue;
      return tl::unexpected(
          QStringLiteral("There is no routing space %1. Add it to the dimensions first.")
              .arg(value));
    }
    return source.isFed() ? value : dimensionsOfSpace(meant, value).join(QStringLiteral(", "));
  }
  if (!source.isFed()) return value;
  const QStringList names = listed(value);
  QString space = spaceWithDimensions(source, names);
  if (!space.isEmpty()) return space;
  return tl::unexpected(
      QStringLiteral("%1 defines it too and has no routing space with the dimensions %2 and no "
                     "others. Choose all dimensions of one of its spaces, or add the space first.")
          .arg(QFileInfo(modules_[at.module].name).fileName(), names.join(QStringLiteral(", "))));
}

tl::expected<QString, QString> ModelChanges::nameForFed(const FoundRow& at,
                                                        const QString& name) const {
  const ModuleSource& source = sourceOf(at.module);
  if (!source.isFed() || source.nameOf(at.element) != "dimension") return name;
  const QString space = QString::fromStdString(rowName(source, source.at(at.element).parent));
  const QString begin = space + u'_';
  if (name.startsWith(begin) && name.size() > begin.size()) return name.mid(begin.size());
  return tl::unexpected(
      QStringLiteral("It is a dimension of the routing space %1: its name begins with %2.")
          .arg(space, begin));
}

tl::expected<QList<QPair<RowRef, RowRef>>, QString> ModelChanges::dimensionsOfRenamed(
    const std::vector<FoundRow>& spaces, const QString& before, const QString& after) const {
  QStringList names;
  for (const FoundRow& at : spaces) names << dimensionsOfSpace(sourceOf(at.module), before);
  names.removeDuplicates();
  // None becomes what another is called until that has its new name.
  const bool grow = after.size() > before.size();
  std::sort(names.begin(), names.end(), [&](const QString& a, const QString& b) {
    return grow ? a.size() > b.size() : a.size() < b.size();
  });
  QList<QPair<RowRef, RowRef>> renamed;
  for (const QString& name : names) {
    const RowRef from{RowKind::Dimension, {}, name, -1, -1};
    const RowRef to{RowKind::Dimension, {}, after + name.mid(before.size()), -1, -1};
    if (!names.contains(to.name) && !placesOf(modules_, to).empty()) {
      return tl::unexpected(
          QStringLiteral("There is a dimension %1 already, which %2 would become.")
              .arg(to.name, name));
    }
    renamed << QPair(from, to);
  }
  return renamed;
}

QString ModelChanges::addFedDimension(EditDraft& draft, int module, const QString& name) const {
  const ModuleSource& source = draft.source(module);
  const QStringList spaces = routingSpacesOf(source);
  const QString space = spaceOfDimension(spaces, name);
  if (space.isEmpty()) {
    return spaces.isEmpty()
               ? QStringLiteral("A dimension of HLA 1.3 is one of a routing space: add that first.")
               : QStringLiteral(
                     "A dimension of HLA 1.3 is one of a routing space, whose name stands "
                     "before it: %1_%2.")
                     .arg(spaces.front(), name);
  }
  const std::vector<ElementId> places =
      placesOf(source, {RowKind::RoutingSpace, {}, space, -1, -1});
  if (places.empty()) return QStringLiteral("The routing space %1 is gone.").arg(space);
  draft.apply(
      module,
      addElement(
          source, places.front(),
          {"dimension", {}, {{"name", name.mid(space.size() + 1).toStdString(), {}, {}}}, {}}));
  return draft.error();
}

}  // namespace tutti::fomedit
