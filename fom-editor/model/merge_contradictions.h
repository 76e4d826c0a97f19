// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fom-editor/model/merge_choices.h"
#include "fom-editor/model/merge_matching.h"

/// Conflicts that no place of two texts shows: each change is fine alone.
namespace tutti::fomedit {

/// An element with text beside its elements, which no object model has; noElement: there is none.
ElementId findMixed(const ModuleSource& source);
/// Rows that both have moved, to different places. Gives what the choices make of them.
RowDecisions findMovesApart(const ModuleSource& base, const ModuleSource& ours,
                            const ModuleSource& theirs, MergeConflicts& conflicts);
/// What contradicts itself in a result although it does in neither side. Gives what the choices
/// make of it: the walk has to know that.
RowDecisions checkResult(const ModuleSource& result, const Version& base, const Version& ours,
                         const Version& theirs, MergeConflicts& conflicts);
/// What the RTI refuses though it takes both sides.
void checkWithRti(const ModuleSource& result, const ModuleSource& ours, const ModuleSource& theirs,
                  MergeConflicts& conflicts);

}  // namespace tutti::fomedit
