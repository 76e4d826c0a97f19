// SPDX-License-Identifier: GPL-3.0-or-later
// What takes rows away or puts them elsewhere.
#include <QSet>
#include <algorithm>

#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/fed_edits.h"
#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/model_references.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/note_table.h"

namespace tutti::fomedit {

namespace {

/// How often one module names a class, twice over.
constexpr int mostSteps = 1000;

QString counted(int count, const char* one, const char* many) {
  return count == 1 ? QStringLiteral("1 %1").arg(QLatin1String(one))
                    : QStringLiteral("%1 %2").arg(count).arg(QLatin1String(many));
}

QString lastOf(const QString& fullName) { return fullName.mid(fullName.lastIndexOf(u'.') + 1); }

bool isBelow(const QString& fullName, const QString& top) {
  return fullName == top || fullName.startsWith(top + u'.');
}

/// An element before all children of its parent.
Splices moveToFront(const ModuleSource& source, ElementId id) {
  const ElementId parent = source.at(id).parent;
  Splices splices = removeElement(source, id);
  const Splices added = addChildren(
      source, parent,
      {{noElement, std::string(source.nameOf(id)), source.at(id).firstChild == noElement,
        [&](const std::optional<std::string>& indent) {
          return copyOf(source, id, source, indent);
        }}});
  splices.insert(splices.end(), added.begin(), added.end());
  return splices;
}

}  // namespace

int ModelChanges::uses(const RowRef& row) const {
  int count = 0;
  for (const EditableModule& m : modules_) {
    if (m.source != nullptr) count += countReferences(*m.source, row);
  }
  return count;
}

QString ModelChanges::removalEffect(const RowRef& row) const {
  if (row.isClass()) {
    const bool isObject = row.kind == RowKind::ObjectClass;
    int subclasses = 0;
    int members = static_cast<int>(membersOf(modules_, isObject, row.name).size());
    QStringList open = subclassesOf(modules_, isObject, row.name);
    while (!open.isEmpty()) {
      const QString sub = open.takeLast();
      ++subclasses;
      members += static_cast<int>(membersOf(modules_, isObject, sub).size());
      open << subclassesOf(modules_, isObject, sub);
    }
    QStringList parts;
    if (subclasses > 0) parts << counted(subclasses, "subclass", "subclasses");
    if (members > 0) {
      parts << (isObject ? counted(members, "attribute", "attributes")
                         : counted(members, "parameter", "parameters"));
    }
    return parts.join(QStringLiteral(" and "));
  }
  if (row.kind == RowKind::Alternative || row.kind == RowKind::Field || row.isMember()) return {};
  const int used = uses(row);
  return used > 0 ? counted(used, "use", "uses") : QString();
}

ModelChanges::Result ModelChanges::remove(const QList<RowRef>& rows) const {
  if (rows.isEmpty()) return ModelEdit{};
  if (rows.size() == 1 && rows.front().kind == RowKind::Note) {
    return removeNote(*this, rows.front(), false);
  }
  std::vector<Splices> splices(static_cast<std::size_t>(modules_.size()));
  std::vector<QSet<ElementId>> removed(splices.size());
  for (const RowRef& row : rows) {
    if (row.kind == RowKind::Identification || row.kind == RowKind::TypeUse ||
        row.kind == RowKind::Switch) {
      return tl::unexpected(
          QStringLiteral("This row stays; clear its cell to say nothing about it."));
    }
    if (row.isClass() && superclassOf(row.name).isEmpty()) {
      return tl::unexpected(QStringLiteral("The root of the classes stays."));
    }
    const auto found = targets(row);
    if (!found) return tl::unexpected(found.error());
    for (const FoundRow& at : row.isClass() ? placesOf(modules_, row) : *found) {
      removed[static_cast<std::size_t>(at.module)].insert(at.element);
    }
  }
  EditDraft draft(modules_);
  for (int m = 0; m < modules_.size(); ++m) {
    const QSet<ElementId>& ids = removed[static_cast<std::size_t>(m)];
    Splices all;
    for (const ElementId id : ids) {
      // What stands within another one goes with it.
      ElementId up = sourceOf(m).at(id).parent;
      while (up != noElement && !ids.contains(up)) up = sourceOf(m).at(up).parent;
      if (up != noElement) continue;
      const Splices one = removeElement(sourceOf(m), id);
      all.insert(all.end(), one.begin(), one.end());
    }
    // What is bound to a routing space that goes is bound to none: it could not be read.
    QSet<std::size_t> words;
    for (const RowRef& row : rows) {
      if (row.kind != RowKind::RoutingSpace || ids.isEmpty()) continue;
      for (const ElementId use : usesOfSpace(sourceOf(m), row.name)) {
        for (const Splice& word : removeFedWord(sourceOf(m), use)) {
          if (words.contains(word.at)) continue;
          words.insert(word.at);
          all.push_back(word);
        }
      }
    }
    draft.apply(m, all);
  }
  const RowRef& first = rows.front();
  QString label = QStringLiteral("remove %1 %2").arg(wordOf(first.kind), shortName(first));
  if (rows.size() > 1) {
    label = QStringLiteral("remove %1 rows").arg(rows.size());
  } else if (const QString effect = removalEffect(first); !effect.isEmpty()) {
    label += first.isClass() ? QStringLiteral(" with %1").arg(effect)
                             : QStringLiteral(", which has %1").arg(effect);
  }
  const QString item = first.isClass() ? itemOf({first.kind, {}, superclassOf(first.name), -1, -1})
                       : first.kind == RowKind::DataType ? QStringLiteral("datatypes:")
                                                         : itemOf(first);
  return draft.edit(label.trimmed(), item);
}

ModelChanges::Result ModelChanges::move(const RowRef& row, int by) const {
  auto found = targets(row);
  if (!found) return tl::unexpected(found.error());
  if (row.kind == RowKind::Identification || row.kind == RowKind::TypeUse ||
      row.kind == RowKind::Switch) {
    return tl::unexpected(QStringLiteral("The order of these rows is the standard's."));
  }
  // The order of classes is that of the module that defines them.
  if (row.isClass()) found->resize(1);
  EditDraft draft(modules_);
  for (auto at = found->rbegin(); at != found->rend(); ++at) {
    const ModuleSource& source = draft.source(at->module);
    std::vector<ElementId> alike;
    const ElementId parent = source.at(at->element).parent;
    for (const ElementId c : source.children(parent)) {
      if (source.nameOf(c) == source.nameOf(at->element)) alike.push_back(c);
    }
    const auto here = std::find(alike.begin(), alike.end(), at->element) - alike.begin();
    const auto last = static_cast<std::ptrdiff_t>(alike.size()) - 1;
    const auto to = std::clamp<std::ptrdiff_t>(here + by, 0, last);
    if (to == here) continue;
    const ElementId neighbour = alike[static_cast<std::size_t>(to)];
    const ElementId behind = to > here ? neighbour : source.at(neighbour).previous;
    draft.apply(at->module, behind == noElement ? moveToFront(source, at->element)
                                                : moveElement(source, at->element, parent, behind));
  }
  return draft.edit(QStringLiteral("move %1").arg(shortName(row)), itemOf(row));
}

QString ModelChanges::reparentFault(const RowRef& row, const QString& superclass) const {
  const bool isObject = row.kind == RowKind::ObjectClass;
  const QString name = shortName(row);
  if (superclassOf(row.name).isEmpty()) {
    return QStringLiteral("The root of the classes stays where it is.");
  }
  if (isBelow(superclass, row.name)) {
    return QStringLiteral("%1 cannot be below itself or one of its subclasses.").arg(name);
  }
  const RowRef above{row.kind, {}, superclass, -1, -1};
  if (!isInMim(above) && placesOf(modules_, above).empty()) {
    return QStringLiteral("No open module has the class %1 any more.").arg(superclass);
  }
  const RowRef taken{row.kind, {}, superclass + u'.' + name, -1, -1};
  if (isInMim(taken) || !placesOf(modules_, taken).empty()) {
    return QStringLiteral("%1 has a subclass %2 already.").arg(lastOf(superclass), name);
  }
  // What it would inherit must not be there already, in it or below it.
  QStringList inherits = inherited(isObject, superclass);
  inherits << membersOf(modules_, isObject, superclass);
  for (const QString& member : inheritanceChange(row, superclass).gained) {
    const QString below = membersOf(modules_, isObject, row.name).contains(member)
                              ? row.name
                              : memberBelow(isObject, row.name, member);
    if (below.isEmpty()) continue;
    return QStringLiteral("%1 has the %2 %3, which it would inherit from %4 as well.")
        .arg(lastOf(below), wordOf(isObject ? RowKind::Attribute : RowKind::Parameter), member,
             lastOf(superclass));
  }
  return {};
}

ModelChanges::Inheritance ModelChanges::inheritanceChange(const RowRef& row,
                                                          const QString& superclass) const {
  const bool isObject = row.kind == RowKind::ObjectClass;
  const QStringList before = inherited(isObject, row.name);
  QStringList after = inherited(isObject, superclass);
  after << membersOf(modules_, isObject, superclass);
  Inheritance change;
  for (const QString& name : before) {
    if (!after.contains(name)) change.lost << name;
  }
  for (const QString& name : std::as_const(after)) {
    if (!before.contains(name)) change.gained << name;
  }
  return change;
}

QString ModelChanges::reparentEffect(const RowRef& row, const QString& superclass) const {
  const Inheritance change = inheritanceChange(row, superclass);
  const bool isObject = row.kind == RowKind::ObjectClass;
  const auto noun = [&](qsizetype count) {
    return isObject ? counted(static_cast<int>(count), "attribute", "attributes")
                    : counted(static_cast<int>(count), "parameter", "parameters");
  };
  QStringList parts;
  if (!change.lost.isEmpty()) {
    parts << QStringLiteral("loses %1").arg(noun(change.lost.size()));
  }
  if (!change.gained.isEmpty()) {
    parts << QStringLiteral("gains %1")
                 .arg(change.lost.isEmpty() ? noun(change.gained.size())
                                            : QString::number(change.gained.size()));
  }
  return parts.join(QStringLiteral(", "));
}

ModelChanges::Result ModelChanges::reparent(const RowRef& row, const QString& superclass) const {
  if (!row.isClass()) return tl::unexpected(QStringLiteral("Only classes have a superclass."));
  const auto found = targets(row);
  if (!found) return tl::unexpected(found.error());
  if (superclassOf(row.name) == superclass) return ModelEdit{};
  if (const QString fault = reparentFault(row, superclass); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  const RowRef above{row.kind, {}, superclass, -1, -1};
  const RowRef after{row.kind, {}, superclass + u'.' + shortName(row), -1, -1};
  EditDraft draft(modules_);
  for (int m = 0; m < modules_.size(); ++m) {
    if (modules_[m].source == nullptr) continue;
    // A module may name a class several times.
    for (int step = 0; step < mostSteps && draft.error().isEmpty(); ++step) {
      const std::vector<ElementId> places = placesOf(draft.source(m), row);
      if (places.empty()) break;
      const std::vector<ElementId> parents = placesOf(draft.source(m), above);
      if (!parents.empty()) {
        draft.apply(m, moveElement(draft.source(m), places.front(), parents.front()));
        continue;
      }
      const QString up = superclassOf(superclass);
      NewElement named{std::string(elementOf(row.kind, false)),
                       {},
                       {{"name", shortName(above).toStdString(), {}, {}}},
                       {}};
      if (definesByNaming(draft.source(m))) {
        return tl::unexpected(
            QStringLiteral("%1 has no class %2, and in its edition naming a class defines it.")
                .arg(modules_[m].name, shortName(above)));
      }
      const QString fault = addClassElement(draft, m, {row.kind, {}, up, -1, -1}, named);
      if (!fault.isEmpty()) return tl::unexpected(fault);
    }
    draft.apply(m, followReferences(draft.source(m), row, after));
  }
  QString label = QStringLiteral("move %1 below %2").arg(shortName(row), lastOf(superclass));
  if (const QString effect = reparentEffect(row, superclass); !effect.isEmpty()) {
    label += QStringLiteral(": %1").arg(effect);
  }
  return draft.edit(label, itemOf(after));
}

}  // namespace tutti::fomedit
