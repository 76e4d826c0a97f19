// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "fom-editor/model/model_rows.h"

namespace tutti::fomedit {

/// What in one module refers to a row by its name, with another name in its place. `before` and
/// `after` are the row with both names; of a class both full names, of a member its class may
/// differ too. References to subclasses of a class follow. The row itself is not touched.
Splices followReferences(const ModuleSource& source, const RowRef& before, const RowRef& after);

/// How many places of a module refer to a row.
int countReferences(const ModuleSource& source, const RowRef& row);

}  // namespace tutti::fomedit
