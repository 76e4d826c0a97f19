// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>
#include <cstdint>

#include "omt/object_model.h"

namespace tutti::fomedit {

/// What a row of the outline or a link stands for.
enum class ItemKind : std::uint8_t {
  None,
  ObjectClass,       ///< id: handle
  InteractionClass,  ///< id: handle
  DataType,          ///< id: position + 1 in ObjectModel::dataTypes()
  Dimension,         ///< id: handle
  Transportation,    ///< id: handle
  UpdateRate,        ///< id: position + 1
  SynchronizationPoint,
  Module,  ///< id: position + 1 in ObjectModel::modules()
  // Groups; id 0.
  DataTypes,
  MimDataTypes,
  Dimensions,
  Transportations,
  UpdateRates,
  SynchronizationPoints,
  Switches,
  Tags,
  Sharing,
  Services,  ///< that a module uses
  Notes
};

struct Item {
  ItemKind kind = ItemKind::None;
  std::uint32_t id = 0;
  bool isNull() const { return kind == ItemKind::None; }
  friend bool operator==(const Item&, const Item&) = default;
};

/// An object or interaction class.
inline bool isClass(const Item& item) {
  return item.kind == ItemKind::ObjectClass || item.kind == ItemKind::InteractionClass;
}
/// Whether others may refer to it.
inline bool hasUses(const Item& item) {
  return isClass(item) || item.kind == ItemKind::DataType || item.kind == ItemKind::Dimension ||
         item.kind == ItemKind::Transportation;
}

/// Names an item so that it is found again in another version of the model:
/// "object:HLAobjectRoot.Track", "datatype:GeoPosition", "switches:". Empty for a null item.
QString itemPath(const omt::ObjectModel& model, const Item& item);
/// The item of that path; a bare name ("Flight", "GeoPosition", "HLAobjectRoot.Track.Flight",
/// "Track.Flight") is looked for among classes, then datatypes, then dimensions. Null where the
/// model has none.
Item findItem(const omt::ObjectModel& model, const QString& path);

/// The name by which a person knows it: "Flight", "GeoPosition", "Switches".
QString itemName(const omt::ObjectModel& model, const Item& item);
/// Where it is defined; line 0 where that means nothing (groups).
omt::SourceLocation itemPlace(const omt::ObjectModel& model, const Item& item);

/// UTF-8 text of the object model as Qt's.
inline QString text(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// "RPR-Base_v2.0.xml:118": the file's name without its folder.
QString placeText(const omt::ObjectModel& model, const omt::SourceLocation& where);
QString placeText(const QString& file, int line);

}  // namespace tutti::fomedit

Q_DECLARE_METATYPE(tutti::fomedit::Item)
