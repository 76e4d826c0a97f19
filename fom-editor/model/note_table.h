// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <string_view>

#include "fom-editor/model/model_changes.h"
#include "fom-editor/model/tables.h"

/// The notes table of a module (IEEE 1516.2-2010, 4.15) and what refers to its notes. A reference
/// is a list of labels in an XML attribute: "notes" in IEEE 1516-2010, "noteReferences" in 2025; in
/// 2000 each cell of a row has one of its own, such as "nameNotes". Labels are of one module.
namespace tutti::fomedit {

/// Whether an XML attribute of that name refers to notes.
bool isNoteReference(const ModuleSource& source, std::string_view attribute);

/// Where a note is referred to.
struct NoteUse {
  QString subject;  ///< "Track.position", "GeoPosition.latitude"
  QString cell;     ///< "semantics" where a cell refers to it; empty: the whole row
  QString item;     ///< itemPath() of the class, datatype or table row; may be empty
  int line = 0;
  friend bool operator==(const NoteUse&, const NoteUse&) = default;
};

struct NoteEntry {
  QString label;
  QString semantics;
  int line = 0;
  bool isMissing = false;  ///< it is referred to, and the module has no such note
  QList<NoteUse> uses;
  friend bool operator==(const NoteEntry&, const NoteEntry&) = default;
};

/// In the order of the table; missing ones last.
QList<NoteEntry> notesOf(const ModuleSource& source);
/// Labels in the order of the table.
QStringList noteLabels(const ModuleSource& source);
/// The labels that a row refers to; those of its cells are not among them but in IEEE 1516-2000.
QStringList noteReferences(const ModuleSource& source, ElementId row);

/// The notes of all modules of a merged model.
Table notesTable(const omt::ObjectModel& model);

/// The first place of a row that a change of its references is about; element noElement: none.
FoundRow noteReferrer(const ModelChanges& changes, const RowRef& row);
/// Plans that a row refers to these notes of its module, in their order there.
ModelChanges::Result setNoteReferences(const ModelChanges& changes, const RowRef& row,
                                       const QStringList& labels);
/// Plans that a note goes. Where something refers to it: with the references, or an error that says
/// so.
ModelChanges::Result removeNote(const ModelChanges& changes, const RowRef& note,
                                bool withReferences);

}  // namespace tutti::fomedit
