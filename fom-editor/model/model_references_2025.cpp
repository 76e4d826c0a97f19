// SPDX-License-Identifier: GPL-3.0-or-later
// What only IEEE 1516-2025 has: reference datatypes and directed interactions.
#include <QFileInfo>
#include <algorithm>

#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

QString lastOf(const QString& fullName) { return fullName.mid(fullName.lastIndexOf(u'.') + 1); }

QString notBefore2025(const RowRef& row) {
  return row.kind == RowKind::DirectedInteraction
             ? QStringLiteral(
                   "Directed interactions are of IEEE 1516-2025: no module of that edition that "
                   "can "
                   "be edited defines %1. \"tutti fom convert\" makes one.")
                   .arg(lastOf(row.owner))
             : QStringLiteral(
                   "Reference datatypes are of IEEE 1516-2025: no module of that edition can be "
                   "edited. \"tutti fom convert\" makes one.");
}

}  // namespace

QStringList ModelChanges::classesNamed(RowKind kind, const QString& name) const {
  QStringList found;
  if (name.isEmpty()) return found;
  const QStringList all = namesOf(modules_, kind);
  if (all.contains(name)) return {name};
  for (const QString& full : all) {
    if (full.endsWith(u'.' + name)) found << full;
  }
  return found;
}

QStringList ModelChanges::attributesOfClass(const QString& name) const {
  const QStringList classes = classesNamed(RowKind::ObjectClass, name);
  if (classes.size() != 1) return {};
  QStringList names = membersOf(modules_, true, classes.front());
  names << inherited(true, classes.front());
  return names;
}

QString ModelChanges::faultOfDirected(const RowRef& row, const QString& name) const {
  const QStringList meant = classesNamed(RowKind::InteractionClass, name);
  if (meant.isEmpty()) {
    return QStringLiteral("There is no interaction class %1. Add it first.").arg(name);
  }
  if (meant.size() > 1) {
    return QStringLiteral("%1 may be %2: write the full name.")
        .arg(name, meant.join(QStringLiteral(" or ")));
  }
  for (const EditableModule& module : modules_) {
    if (module.source == nullptr) continue;
    RowRef all{RowKind::ObjectClass, {}, row.owner, -1, -1};
    for (const ElementId c : placesOf(*module.source, all)) {
      for (const ElementId child : module.source->children(c)) {
        if (module.source->nameOf(child) != "directedInteraction") continue;
        const QString other = QString::fromStdString(rowName(*module.source, child));
        if (other != row.name && classesNamed(RowKind::InteractionClass, other) == meant) {
          return QStringLiteral("%1 is directed to instances of %2 already.")
              .arg(lastOf(name), lastOf(row.owner));
        }
      }
    }
  }
  return {};
}

QString ModelChanges::faultOfReference(const RowRef& row, const QString& cell,
                                       const QString& value) const {
  const bool isClass = cell == u"referenceClass";
  if (value.isEmpty()) {
    return isClass ? QStringLiteral("A reference datatype needs the class that it refers to.")
                   : QStringLiteral("A reference datatype needs the attribute that it refers to.");
  }
  if (isClass) {
    const QStringList meant = classesNamed(RowKind::ObjectClass, value);
    if (meant.isEmpty()) return QStringLiteral("There is no object class %1.").arg(value);
    if (meant.size() == 1) return {};
    return QStringLiteral("%1 may be %2: write the full name.")
        .arg(value, meant.join(QStringLiteral(" or ")));
  }
  const QString of = this->cell(row, QStringLiteral("referenceClass"));
  if (classesNamed(RowKind::ObjectClass, of).size() != 1) {
    return QStringLiteral("Name the referenced class first.");
  }
  if (attributesOfClass(of).contains(value)) return {};
  return QStringLiteral("%1 has no attribute %2.").arg(lastOf(of), value);
}

bool ModelChanges::isOnlyIn2025(const RowRef& row, const QString& cell) {
  static const QStringList switches{
      QStringLiteral("nonRegulatedGrant"), QStringLiteral("allowRelaxedDDM"),
      QStringLiteral("advisoriesUseKnownClass"), QStringLiteral("sendServiceReportsToFile")};
  return cell == u"valueRequired" || (row.kind == RowKind::ObjectClass && cell == u"dimensions") ||
         (row.kind == RowKind::Switch && switches.contains(row.name));
}

QString ModelChanges::faultBefore2025(const RowRef& row, const QString& cell,
                                      const std::vector<FoundRow>& found) const {
  if (row.kind == RowKind::Switch && row.name == u"conveyProducingFederate" && !found.empty() &&
      sourceOf(found.front().module).isOf2025()) {
    return QStringLiteral("IEEE 1516-2025 has no such switch.");
  }
  if (!isOnlyIn2025(row, cell)) return {};
  if (std::any_of(found.begin(), found.end(),
                  [&](const FoundRow& f) { return sourceOf(f.module).isOf2025(); })) {
    return {};
  }
  return QStringLiteral("That is of IEEE 1516-2025, and %1 is a module of another edition.")
      .arg(QFileInfo(modules_[found.front().module].name).fileName());
}

Splices ModelChanges::setInputDataType(const ModuleSource& source, ElementId dimension,
                                       const QString& value) {
  const std::string name = value.toStdString();
  if (source.child(dimension, "dataType") != noElement) {
    return name.empty() ? removeCell(source, dimension, "dataType")
                        : ::tutti::fomedit::setCell(source, dimension, "dataType", name);
  }
  const ElementId list = source.child(dimension, "inputDataTypes");
  if (list == noElement) {
    if (name.empty()) return {};
    return addElement(source, dimension, {"inputDataTypes", {}, {{"dataType", name, {}, {}}}, {}});
  }
  if (!name.empty()) return ::tutti::fomedit::setCell(source, list, "dataType", name);
  // All of them: the next would be the first, which the cell shows.
  Splices splices;
  for (const ElementId c : source.children(list)) {
    if (source.nameOf(c) != "dataType") continue;
    const Splices one = removeElement(source, c);
    splices.insert(splices.end(), one.begin(), one.end());
  }
  return splices;
}

tl::expected<int, QString> ModelChanges::moduleOf2025(const RowRef& row) const {
  const auto takes = [&](int m) { return isWritable(m) && sourceOf(m).isOf2025(); };
  if (row.module >= 0) {
    if (takes(row.module)) return row.module;
    const auto module = moduleFor(row);
    return tl::unexpected(module ? notBefore2025(row) : module.error());
  }
  if (takes(preferred_)) return preferred_;
  for (int m = 0; m < modules_.size(); ++m) {
    if (takes(m)) return m;
  }
  return tl::unexpected(notBefore2025(row));
}

ModelChanges::Result ModelChanges::addDirected(const RowRef& row, const QList<NewCell>& cells,
                                               int after) const {
  const RowRef owner{RowKind::ObjectClass, {}, row.owner, -1, -1};
  const auto owners = targets(owner);
  if (!owners) return tl::unexpected(owners.error());
  // One module says it for all: their lists are joined.
  const auto at = std::find_if(owners->begin(), owners->end(), [&](const FoundRow& f) {
    return isWritable(f.module) && sourceOf(f.module).isOf2025();
  });
  if (at == owners->end()) return tl::unexpected(notBefore2025(row));
  NewElement added{"directedInteraction", {}, {}, {}};
  added.children.push_back({"name", row.name.toStdString(), {}, {}});
  QString sharing = QStringLiteral("PublishSubscribe");
  for (const NewCell& cell : cells) {
    if (cell.first == u"sharing") sharing = cell.second;
  }
  added.children.push_back({"sharing", sharing.toStdString(), {}, {}});
  EditDraft draft(modules_);
  const ModuleSource& source = draft.source(at->module);
  int position = 0;
  ElementId behind = noElement;
  for (const ElementId c : source.children(at->element)) {
    if (source.nameOf(c) == "directedInteraction" && position++ == after) behind = c;
  }
  draft.apply(at->module, addElement(source, at->element, added, behind));
  return draft.edit(QStringLiteral("direct %1 to %2").arg(lastOf(row.name), lastOf(row.owner)),
                    itemOf(row));
}

ModelChanges::Result ModelChanges::addReferenceDataType(const QString& name, int module) const {
  const RowRef row{RowKind::DataType, {}, name, -1, module};
  if (const QString fault = faultOfName(row, name); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  const auto to = moduleOf2025(row);
  if (!to) return tl::unexpected(to.error());
  // Complete as it stands: any instance, by what the standard's attribute of all of them is.
  const NewElement added{"referenceDataType",
                         {},
                         {{"name", name.toStdString(), {}, {}},
                          {"representation", "HLAtoken", {}, {}},
                          {"referenceClass", "HLAobjectRoot", {}, {}},
                          {"referencedAttribute", "HLAprivilegeToDeleteObject", {}, {}},
                          {"semantics", "-", {}, {}}},
                         {}};
  EditDraft draft(modules_);
  draft.apply(*to, addToTable(draft.source(*to), {"dataTypes", "referenceDataTypes"}, added));
  return draft.edit(QStringLiteral("add reference datatype %1").arg(name) + inFile(*to),
                    itemOf(row));
}

}  // namespace tutti::fomedit
