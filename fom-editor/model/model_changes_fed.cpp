// SPDX-License-Identifier: GPL-3.0-or-later
// What FED files of HLA 1.3 take of a change, and what they refuse.
#include <algorithm>

#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/fed_source.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/module_edits.h"
#include "omt/words.h"

namespace tutti::fomedit {

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
  const std::vector<FoundRow> found = placesOf(modules_, row);
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
  const std::vector<FoundRow> found = placesOf(modules_, row);
  const auto isFed = [&](const FoundRow& f) { return sourceOf(f.module).isFed(); };
  if (found.empty() || std::none_of(found.begin(), found.end(), isFed)) return {};
  if (!fedHas(row.kind, cell)) {
    return std::all_of(found.begin(), found.end(), isFed) ? whyNotInFed(row.kind, cell) : QString();
  }
  const bool none = value.isEmpty() || value == u"–" || value == u"NA";
  if (cell != u"dimensions" || none || !isFed(found.front())) return {};
  for (const FoundRow& f : found) {
    if (!isFed(f) || routingSpacesOf(sourceOf(f.module)).contains(value)) continue;
    return QStringLiteral("There is no routing space %1. Add it to the dimensions first.")
        .arg(value);
  }
  return {};
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
