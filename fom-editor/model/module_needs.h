// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/tables.h"

namespace tutti::fomedit {

/// What a module needs, by the module that defines it, and what it offers, with the modules that
/// use that. `file` is its display name. A row leads to the item; of a name that no module defines
/// to the module, and `where` is where it is used first.
Table needsAndOffers(const omt::ObjectModel& model, const DependencyGraph& graph,
                     const QString& file);

}  // namespace tutti::fomedit
