// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <span>

#include "fom-editor/model/checks/checked_module.h"

namespace tutti::fomedit {

/// What other RTIs refuse, or take for something else, although this one loads it; findings of
/// Level::Strict. Each rule was read in the source or in a report of the RTI that Finding::source
/// names; docs/decisions/0030 lists them. `modules` in the order in which they are given to an RTI;
/// `model`: merged from them. Only modules of IEEE 1516-2010 and later.
QList<Finding> stricterRtiFindings(std::span<const CheckedModule> modules,
                                   const omt::ObjectModel& model);

}  // namespace tutti::fomedit
