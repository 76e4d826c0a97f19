// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QString>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

/// Who uses something.
struct ModelUse {
  QString what;  ///< "Track.position"
  QString as;    ///< "attribute"
  Item item;     ///< the class, datatype or dimension
};

/// Who uses which datatype, dimension and transportation type, of the whole model at once.
class ModelUses {
 public:
  explicit ModelUses(const omt::ObjectModel& model);
  /// In the order of the model.
  const QList<ModelUse>& of(ItemKind kind, const QString& name) const;

 private:
  void add(ItemKind kind, const std::string& name, const QString& what, const QString& as,
           const Item& item);

  QHash<QString, QList<ModelUse>> types_;
  QHash<QString, QList<ModelUse>> dimensions_;
  QHash<QString, QList<ModelUse>> transportations_;
};

}  // namespace tutti::fomedit
