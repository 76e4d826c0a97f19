// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <span>

#include "fom-editor/model/checks/checked_module.h"

namespace tutti::fomedit {

/// What the schemas cannot say, of all modules together:
/// - names that the standard does not allow (IEEE 1516.2-2010, 3.3.1) and encodings that are not
///   given, datatypes that contain themselves (Level::Complete);
/// - modules whose classes need each other in a circle (Level::Strict);
/// - as hints of style (Finding::isStyle): names that differ in case only, datatypes that nobody
///   uses, and those that two modules define alike.
QList<Finding> modelFindings(std::span<const CheckedModule> modules, const omt::ObjectModel& model);

/// Gives findings of merge() and of the reader about this module their fixes, by what stands at
/// their lines: a dimension without upper bound, an attribute or parameter that is inherited. None
/// where a line has several of them, as the findings have no column.
void addFixesOfMerging(const CheckedModule& module, QList<Finding>& findings);

}  // namespace tutti::fomedit
