// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>

#include "fom-editor/model/item.h"
#include "fom-editor/model/module_dependencies.h"

namespace tutti::fomedit {

/// A module that states an item.
struct Origin {
  QString file;  ///< display name
  int line = 0;
  bool defines = true;  ///< false: it only names it, as a class that its own are below
  bool operator==(const Origin&) const = default;
};

/// The modules that an item of the merged model comes from: first the one whose definition counts,
/// then others that define it, then those that only name it. Of the graph's modules some may have
/// been left out of the model: those that contradict. Empty where the model has no place for it.
QList<Origin> originsOf(const omt::ObjectModel& model, const DependencyGraph& graph,
                        const Item& item);

}  // namespace tutti::fomedit
