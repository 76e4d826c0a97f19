// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QSet>
#include <QString>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

/// The file or part of a file that each item of a model has. Names come from the items, so that
/// addresses outlive other changes of the model; of names that differ in case only, or in
/// characters that file names should not have, each gets a number.
class PageNames {
 public:
  explicit PageNames(const omt::ObjectModel& model);

  /// "object-HLAobjectRoot.Track.html", "tables.html#dimension-Sector"; empty: the item has none.
  QString of(const Item& item) const { return names_.value(itemPath(model_, item)); }

 private:
  void add(const Item& item, const QString& prefix, const QString& name, const QString& file);

  const omt::ObjectModel& model_;
  QHash<QString, QString> names_;  ///< by item path
  QSet<QString> taken_;            ///< in lower case
};

}  // namespace tutti::fomedit
