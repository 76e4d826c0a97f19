// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "fom-editor/model/merge_choices.h"
#include "fom-editor/model/merge_matching.h"

namespace tutti::fomedit {

/// What changes in `ours`.
struct MergePlan {
  Splices splices;  ///< of the text of `ours`, not arranged
  MergeConflicts conflicts;
  int taken = 0;                     ///< changes of `theirs`
  std::vector<MergeChange> changes;  ///< the first of them
};

/// Walks over three versions. What is open is as the version `open` has it, Ours or Theirs.
MergePlan planMerge(const Version& base, const Version& ours, const Version& theirs,
                    const MergeChoices& choices, const RowDecisions& rows, MergeChoice open);

/// "<?xml ... ?>"; empty: none.
std::string_view xmlDeclarationOf(const ModuleSource& source);

}  // namespace tutti::fomedit
