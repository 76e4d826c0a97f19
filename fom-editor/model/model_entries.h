// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <vector>

#include "omt/object_model.h"

namespace tutti::fomedit {

/// What an entry is, in the order in which differences are listed.
enum class EntryKind : std::uint8_t {
  ObjectClass,
  Attribute,
  InteractionClass,
  Parameter,
  DataType,
  Field,
  Enumerator,
  Alternative,
  Dimension,
  Transportation,
  UpdateRate,
  SynchronizationPoint,
  Tag,
  Time,
  Switch,
  Note,
  Module  ///< identification of a module
};
inline constexpr int entryKindCount = static_cast<int>(EntryKind::Module) + 1;

/// "object class", "enumerator": as within a sentence.
QString kindName(EntryKind kind);
/// "Object classes", "Enumerators": a heading.
QString kindTitle(EntryKind kind);
/// Part of another entry: an attribute, parameter, field, enumerator or alternative.
bool isMember(EntryKind kind);

/// What a property decides.
enum class Significance : std::uint8_t {
  Text,       ///< for readers only: semantics, notes, identification
  Behaviour,  ///< what an RTI or a federate does: order, transportation, switches
  Bytes       ///< how values are encoded: datatypes, fields, enumerators
};

struct EntryProperty {
  QString name;   ///< "Datatype"
  QString value;  ///< white space simplified; empty where the model gives none ("NA" included)
  Significance significance = Significance::Behaviour;
  std::optional<EntryKind> refersTo;  ///< the value is the name of such an entry, or names
  QStringList names;                  ///< of a reference
};

/// One row of the tables of an object model.
struct Entry {
  EntryKind kind = EntryKind::ObjectClass;
  QString name;
  /// Names it within its kind: "HLAobjectRoot.Track.Flight.position", "GeoPosition.altitude".
  QString path;
  int parent = -1;            ///< index; -1 at the top
  std::vector<int> children;  ///< in the order of the file
  std::vector<EntryProperty> properties;
  QString file;  ///< as it was given; empty where it is not known
  int line = 0;  ///< from 1; 0 where it is not known
  bool ofMim = false;
  std::uint32_t id = 0;  ///< handle, or position + 1 in the model's table

  const EntryProperty* property(QStringView name) const;
  QString value(QStringView name) const;
  /// The path without the root class: "Track.Flight.position".
  QString shortPath() const;
  /// "Base.xml:118", empty where it is not known.
  QString place() const;
};

/// An object model as one tree of entries, all alike. Superclasses and datatypes precede what is
/// below them.
std::vector<Entry> entriesOf(const omt::ObjectModel& model);

}  // namespace tutti::fomedit
