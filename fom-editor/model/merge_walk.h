// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

#include "fom-editor/model/merge_matching.h"

namespace tutti::fomedit {

/// What changes in `ours`.
struct MergePlan {
  Splices splices;  ///< of the text of `ours`, not arranged
  std::vector<MergeConflict> conflicts;
  int taken = 0;  ///< changes of `theirs`
};

/// Walks over three versions. `theirsWins`: what conflicts is as `theirs` has it.
MergePlan planMerge(const Version& base, const Version& ours, const Version& theirs,
                    bool theirsWins);

/// Adds one, unless that many are listed that nobody resolves them one by one; then it says so.
void addConflict(std::vector<MergeConflict>& conflicts, MergeConflict conflict);

/// "<?xml ... ?>"; empty: none.
std::string_view xmlDeclarationOf(const ModuleSource& source);

}  // namespace tutti::fomedit
