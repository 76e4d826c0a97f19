// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// What one version has at the place of a conflict.
struct MergeSide {
  std::string text;  ///< a value, "not there", or what was changed
  int line = 0;      ///< in its file, from 1; 0: it has no such place
};

/// Two changes of which only one can be in the result.
struct MergeConflict {
  std::string place;   ///< "object class HLAobjectRoot.Track, attribute position, dataType"
  std::string reason;  ///< one sentence without names of sides, the same when they are exchanged
  MergeSide base;
  MergeSide ours;
  MergeSide theirs;
};

/// A merged module.
struct ModuleMerge {
  std::string bytes;  ///< `ours` with the changes of `theirs`; at conflicts as `ours` has it
  /// Both sides at conflicts, between the lines that git writes; no XML then. Conflicts without a
  /// place of two texts are told in a comment between such lines behind all.
  std::string marked;
  std::vector<MergeConflict> conflicts;
  int toldAtEnd = 0;  ///< conflicts of that comment
  int taken = 0;      ///< changes of `theirs` that `ours` did not have
  /// Lines of `theirs` with comments within the first element, or an XML declaration, that are
  /// neither in `base` nor in the result.
  std::vector<int> commentsLeft;
};

/// Brings what changed from `base` to `theirs` into `ours`, whose bytes stay elsewhere. What
/// belongs together is found by its meaning: classes by their path, attributes, parameters,
/// datatypes and other rows by name or label, alternatives by enumerator, cells by the name of
/// their element or XML attribute. White space, comments and the order of rows (but for fields of
/// records) are no changes, unless a version has the bytes of `base`: then the result has those of
/// the other.
///
/// Conflicts: a value that both changed otherwise; what one removed and the other changed; what
/// both changed where a version has it more than once; rows that both added otherwise; rows that
/// both replaced by others or moved to other classes; an order of fields that both changed; a
/// definition that one removed and the other uses anew; enumerators that get one value; and a
/// result that the RTI refuses though it takes both. Exchanging the sides gives the same conflicts.
///
/// Error: the three cannot be merged at all, being of editions or prefixes that differ, or one
/// having text beside elements.
tl::expected<ModuleMerge, omt::Error> mergeModules(const ModuleSource& base,
                                                   const ModuleSource& ours,
                                                   const ModuleSource& theirs);

}  // namespace tutti::fomedit
