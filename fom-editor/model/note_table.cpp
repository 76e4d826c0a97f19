// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/note_table.h"

#include <QFileInfo>
#include <QHash>
#include <QSet>
#include <algorithm>
#include <map>

#include "fom-editor/model/checks/checked_module.h"
#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

QStringList listed(const std::string& labels) {
  QString all = text(labels).simplified();
  all.replace(u',', u' ');
  return all.split(u' ', Qt::SkipEmptyParts);
}

std::vector<ElementId> noteRows(const ModuleSource& source) {
  std::vector<ElementId> rows;
  for (const ElementId table : source.children(ModuleSource::root())) {
    if (source.nameOf(table) != "notes") continue;
    for (const ElementId row : source.children(table)) {
      if (source.nameOf(row) == "note") rows.push_back(row);
    }
  }
  return rows;
}

/// What is said of the cell that has the reference; empty: of the whole row.
QString cellOfReference(const ModuleSource& source, ElementId id, std::string_view attribute) {
  if (source.isOf2000()) {
    constexpr std::string_view suffix = "Notes";
    return attribute.ends_with(suffix) ? text(attribute.substr(0, attribute.size() - suffix.size()))
                                       : QString();
  }
  const SourceElement& e = source.at(id);
  return e.firstChild == noElement && !e.isEmptyTag() ? text(source.nameOf(id)) : QString();
}

/// Replaces a list of labels, or removes it where none is left.
Splices writeLabels(const ModuleSource& source, ElementId id, std::string_view attribute,
                    const QStringList& labels) {
  return labels.isEmpty() ? removeAttribute(source, id, attribute)
                          : setAttribute(source, id, attribute, labels.join(u' ').toStdString());
}

void append(Splices& all, const Splices& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace

bool isNoteReference(const ModuleSource& source, std::string_view attribute) {
  return attribute == "notes" || attribute == "noteReferences" ||
         (source.isOf2000() && attribute.ends_with("Notes"));
}

QStringList noteLabels(const ModuleSource& source) {
  QStringList labels;
  QSet<QString> seen;
  for (const ElementId row : noteRows(source)) {
    const QString label = text(rowName(source, row));
    if (label.isEmpty() || seen.contains(label)) continue;
    seen.insert(label);
    labels << label;
  }
  return labels;
}

QStringList noteReferences(const ModuleSource& source, ElementId row) {
  QStringList labels;
  if (row == noElement) return labels;
  for (const SourceAttribute& a : source.attributes(row)) {
    if (!isNoteReference(source, source.text(a.name))) continue;
    for (const QString& label : listed(source.resolved(a.value))) {
      if (!labels.contains(label)) labels << label;
    }
  }
  return labels;
}

QList<NoteEntry> notesOf(const ModuleSource& source) {
  QList<NoteEntry> notes;
  QHash<QString, qsizetype> places;
  for (const ElementId row : noteRows(source)) {
    NoteEntry note;
    note.label = text(rowName(source, row));
    const ElementId semantics = source.child(row, "semantics");
    note.semantics = semantics != noElement ? text(source.rawText(semantics)).simplified()
                                            : text(cellOf(source, row, "semantics").value_or(""));
    note.line = source.lineOf(row);
    if (!places.contains(note.label)) places.insert(note.label, notes.size());
    notes << note;
  }
  for (ElementId id = 1; id < source.elements().size(); ++id) {
    for (const SourceAttribute& a : source.attributes(id)) {
      const std::string_view name = source.text(a.name);
      if (!isNoteReference(source, name)) continue;
      const NoteUse use{subjectOf(source, id), cellOfReference(source, id, name),
                        itemOf(source, id), source.lineOf(id)};
      for (const QString& label : listed(source.resolved(a.value))) {
        if (!places.contains(label)) {
          places.insert(label, notes.size());
          notes << NoteEntry{label, {}, use.line, true, {}};
        }
        notes[places[label]].uses << use;
      }
    }
  }
  return notes;
}

Table notesTable(const omt::ObjectModel& model) {
  Table table;
  table.title = QStringLiteral("Notes");
  table.headers << QStringLiteral("Module") << QStringLiteral("Note")
                << QStringLiteral("Semantics");
  table.empty = QStringLiteral("No module has notes.");
  for (const omt::Note& note : model.notes()) {
    TableRow row;
    row.cells << placeText(model, {note.where.module, 0}) << text(note.label)
              << text(note.semantics).simplified();
    row.where = note.where;
    table.rows << row;
  }
  return table;
}

FoundRow noteReferrer(const ModelChanges& changes, const RowRef& row) {
  const EditableModules& modules = changes.modules();
  const std::vector<FoundRow> places = placesOf(modules, row);
  if (places.empty()) return {0, noElement};
  if (row.isClass()) {
    for (const FoundRow& place : places) {
      if (definesClass(*modules[place.module].source, place.element)) return place;
    }
  }
  return places.front();
}

ModelChanges::Result setNoteReferences(const ModelChanges& changes, const RowRef& row,
                                       const QStringList& labels) {
  if (const QString reason = changes.readOnlyReason(row); !reason.isEmpty()) {
    return tl::unexpected(reason);
  }
  const FoundRow at = noteReferrer(changes, row);
  const EditableModules& modules = changes.modules();
  if (at.element == noElement) {
    return tl::unexpected(QStringLiteral("The row is not there any more."));
  }
  const ModuleSource& source = *modules[at.module].source;
  const QStringList known = noteLabels(source);
  const QStringList before = noteReferences(source, at.element);
  for (const QString& label : labels) {
    if (known.contains(label) || before.contains(label)) continue;
    return tl::unexpected(
        QStringLiteral("%1 has no note %2. Notes are of the module whose rows refer to them.")
            .arg(QFileInfo(modules[at.module].name).fileName(), label));
  }
  QStringList added = labels;
  Splices splices;
  struct List {
    std::string name;
    QStringList before;
    QStringList now;
  };
  std::vector<List> lists;
  for (const SourceAttribute& a : source.attributes(at.element)) {
    const std::string_view name = source.text(a.name);
    if (!isNoteReference(source, name)) continue;
    List list{std::string(name), listed(source.resolved(a.value)), {}};
    for (const QString& label : std::as_const(list.before)) {
      if (labels.contains(label) && !list.now.contains(label)) list.now << label;
      added.removeAll(label);
    }
    lists.push_back(std::move(list));
  }
  if (!added.isEmpty()) {
    const char* usual = source.isOf2000()   ? "nameNotes"
                        : source.isOf2025() ? "noteReferences"
                                            : "notes";
    auto to = std::find_if(lists.begin(), lists.end(), [&](const List& list) {
      return !source.isOf2000() || list.name == usual;
    });
    if (to == lists.end()) to = lists.insert(lists.end(), List{usual, {}, {}});
    for (const QString& label : std::as_const(added)) {
      if (!to->now.contains(label)) to->now << label;
    }
  }
  for (const List& list : lists) {
    if (list.now != list.before)
      append(splices, writeLabels(source, at.element, list.name, list.now));
  }
  EditDraft draft(modules);
  if (!splices.empty()) draft.apply(at.module, splices);
  return draft.edit(QStringLiteral("set notes of %1").arg(shortName(row)));
}

ModelChanges::Result removeNote(const ModelChanges& changes, const RowRef& note,
                                bool withReferences) {
  if (const QString reason = changes.readOnlyReason(note); !reason.isEmpty()) {
    return tl::unexpected(reason);
  }
  // A label may stand several times in a module: all its rows are planned on one text.
  std::map<int, std::vector<ByteRange>> rows;
  for (const FoundRow& at : placesOf(changes.modules(), note)) {
    rows[at.module].push_back(changes.modules()[at.module].source->at(at.element).whole);
  }
  EditDraft draft(changes.modules());
  int uses = 0;
  for (const auto& [module, gone] : rows) {
    const ModuleSource& source = *changes.modules()[module].source;
    Splices splices;
    for (ElementId id = 1; id < source.elements().size(); ++id) {
      const ByteRange whole = source.at(id).whole;
      const auto row = std::find_if(gone.begin(), gone.end(), [&](const ByteRange& each) {
        return whole.begin >= each.begin && whole.begin < each.end;
      });
      if (row != gone.end()) {
        if (whole.begin == row->begin) append(splices, removeElement(source, id));
        continue;
      }
      for (const SourceAttribute& a : source.attributes(id)) {
        const std::string_view name = source.text(a.name);
        if (!isNoteReference(source, name)) continue;
        QStringList labels = listed(source.resolved(a.value));
        if (labels.removeAll(note.name) == 0) continue;
        ++uses;
        append(splices, writeLabels(source, id, name, labels));
      }
    }
    draft.apply(module, splices);
  }
  if (uses > 0 && !withReferences) {
    return tl::unexpected(
        QStringLiteral("Note %1 is used in %2. Remove it on the page Notes, with its references, "
                       "or take it out of them first.")
            .arg(note.name,
                 uses == 1 ? QStringLiteral("1 place") : QStringLiteral("%1 places").arg(uses)));
  }
  const QString label = QStringLiteral("remove note %1").arg(note.name);
  return draft.edit(uses == 0   ? label
                    : uses == 1 ? label + QStringLiteral(" with its reference")
                                : label + QStringLiteral(" with %1 references").arg(uses));
}

}  // namespace tutti::fomedit
