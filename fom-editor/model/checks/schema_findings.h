// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QSet>

#include "fom-editor/model/checks/checked_module.h"

namespace tutti::fomedit {

/// What the schemas of the module's edition have against it: the DIF schema at Level::Complete,
/// what the OMT schema adds at Level::Described. Nothing for editions without a schema.
///
/// `definedElsewhere` are names of datatypes, dimensions and transportation types of all modules.
/// The OMT schema looks for them in the same file, so a module of several never passes it; such
/// names are one finding of the module, not one each.
QList<Finding> schemaFindings(const CheckedModule& module, const QSet<QString>& definedElsewhere);

}  // namespace tutti::fomedit
