// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <vector>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// What kind of row of an object model is meant.
enum class RowKind : std::uint8_t {
  None,
  ObjectClass,
  InteractionClass,
  Attribute,
  Parameter,
  DirectedInteraction,  ///< from 2025 on: an interaction class in the list of an object class
  DataType,
  Enumerator,
  Field,
  Alternative,
  Dimension,
  RoutingSpace,  ///< of HLA 1.3
  Transportation,
  UpdateRate,
  SynchronizationPoint,
  TypeUse,  ///< a datatype of time, or a user-supplied tag
  Switch,
  Identification,  ///< the cells that a module has once
  Keyword,
  Contact,
  Reference,
  UseHistory,
  Note
};

/// Names a row, independent of where it stands in the text of a module: it is found again after a
/// change.
struct RowRef {
  RowKind kind = RowKind::None;
  /// Full name of the class of a member or directed interaction; datatype of an enumerator, field.
  QString owner{};
  /// Full name of a class; of others their own; the element of a TypeUse, Switch; what the table
  /// shows of a row that is only a text, see isText().
  QString name{};
  int position = -1;  ///< among those of its kind in its datatype or module, where names may repeat
  int module = -1;    ///< identification, notes and new rows: of this module; -1: whoever has it

  bool isNull() const { return kind == RowKind::None; }
  bool isClass() const { return kind == RowKind::ObjectClass || kind == RowKind::InteractionClass; }
  bool isMember() const { return kind == RowKind::Attribute || kind == RowKind::Parameter; }
  bool isOfClass() const { return isMember() || kind == RowKind::DirectedInteraction; }
  bool isPart() const {
    return kind == RowKind::Enumerator || kind == RowKind::Field || kind == RowKind::Alternative;
  }
  /// Of rows without a name: a keyword is its value, a contact the person, a reference what it
  /// refers to, a use history all of its text.
  bool isText() const {
    return kind == RowKind::Keyword || kind == RowKind::Contact || kind == RowKind::Reference ||
           kind == RowKind::UseHistory;
  }
  friend bool operator==(const RowRef&, const RowRef&) = default;
};

/// "attribute", "synchronization point".
QString wordOf(RowKind kind);
/// The same, and of a TypeUse what it is about: "time representation", "user-supplied tag".
QString wordOf(const RowRef& row);
/// "Flight" for a class, the name for others; long texts are cut.
QString shortName(const RowRef& row);
/// "HLAobjectRoot.Track" of "HLAobjectRoot.Track.Flight"; empty for a root.
QString superclassOf(const QString& fullName);

/// A module that rows are looked up in, and that a change may go to.
struct EditableModule {
  const ModuleSource* source = nullptr;  ///< null: it cannot be edited, nor looked into
  QString name;                          ///< what messages call it
  QString readOnlyReason;                ///< why nothing is written to it; empty: it can be

  bool isWritable() const { return source != nullptr && readOnlyReason.isEmpty(); }
};
using EditableModules = QList<EditableModule>;

/// Where a row stands.
struct FoundRow {
  int module = 0;
  ElementId element = noElement;
};

/// The standard MIM as a source to look rows up in. Thread-safe.
const ModuleSource& mimSource();

/// All places of a row in one module; a class is also found where it is only named.
std::vector<ElementId> placesOf(const ModuleSource& source, const RowRef& row);
/// In all modules with a source, written to or not, or in row.module only.
std::vector<FoundRow> placesOf(const EditableModules& modules, const RowRef& row);
bool isInMim(const RowRef& row);

/// Whether naming a class defines it: editions before 2010 have no modules.
bool definesByNaming(const ModuleSource& source);

/// Whether a module defines the class whose element that is; else it only says where subclasses
/// belong (IEEE 1516.2-2010, Annex C).
bool definesClass(const ModuleSource& source, ElementId element);

/// The element of rows of a kind; of datatypes any of them. Synchronization points have another in
/// IEEE 1516-2000.
std::string_view elementOf(RowKind kind, bool of2000);
/// The tables around rows of a kind; empty for those within other rows.
std::vector<std::string_view> tablePath(RowKind kind);

/// Names of all rows of that kind in the modules and the MIM, without repetition, sorted. Of
/// classes full names.
QStringList namesOf(const EditableModules& modules, RowKind kind);
/// Attributes or parameters that modules and MIM give a class itself.
QStringList membersOf(const EditableModules& modules, bool isObject, const QString& fullName);
/// Full names of the direct subclasses.
QStringList subclassesOf(const EditableModules& modules, bool isObject, const QString& fullName);

}  // namespace tutti::fomedit
