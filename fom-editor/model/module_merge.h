// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// What one version has at the place of a conflict.
struct MergeSide {
  std::string text;               ///< a value, "not there", or what was changed
  int line = 0;                   ///< in its file, from 1; 0: it has no such place
  ElementId element = noElement;  ///< what it is about; none: the text has to do
};

/// What the result has at a conflict.
enum class MergeChoice : std::uint8_t {
  Ours,    ///< as `ours` has it
  Theirs,  ///< as `theirs` has it
  Base,    ///< as it was before both changed it
  Both,    ///< what both have, side by side; where the result contradicts itself: as it is
  Edited   ///< a value that neither has
};

/// What a person decided about one conflict.
struct MergeDecision {
  MergeChoice choice = MergeChoice::Ours;
  std::string text{};  ///< the value of MergeChoice::Edited
  bool operator==(const MergeDecision&) const = default;
};

/// Decisions about conflicts. One that a conflict does not offer leaves it open.
struct MergeChoices {
  std::map<std::string, MergeDecision> byKey;  ///< by MergeConflict::key
  std::optional<MergeChoice> rest;             ///< of all that are not in byKey
  std::set<std::string> listed{};              ///< keys or places of conflicts to list in any case
  bool operator==(const MergeChoices&) const = default;
};

/// Two changes of which only one can be in the result.
struct MergeConflict {
  std::string place;   ///< "object class HLAobjectRoot.Track, attribute position, dataType"
  std::string reason;  ///< one sentence without names of sides, the same when they are exchanged
  MergeSide base;
  MergeSide ours;
  MergeSide theirs;
  std::vector<MergeChoice> offered{};  ///< what can be chosen; empty: nothing
  std::string key{};  ///< names it among the conflicts of three versions, whatever is chosen
  std::optional<MergeDecision> chosen{};  ///< none: it is open

  bool offers(MergeChoice choice) const;
};

/// A change that one version has and the other does not.
struct MergeChange {
  std::string place;  ///< as in MergeConflict
  std::string text;   ///< "added", "Length -> Speed"
  int line = 0;       ///< of the version that has it, from 1; 0: it removed something
};

/// A merged module.
struct ModuleMerge {
  std::string bytes;  ///< `ours` with the changes of `theirs`; at open conflicts as `ours` has it
  /// Both sides at open conflicts, between the lines that git writes; no XML then. Conflicts
  /// without a place of two texts are told in a comment between such lines behind all.
  std::string marked;
  std::vector<MergeConflict> conflicts;  ///< also those for which something was chosen
  int open = 0;                          ///< conflicts for which nothing was chosen
  std::vector<std::string> unlisted;     ///< keys of open ones that are too many to be listed
  int toldAtEnd = 0;                     ///< conflicts of that comment
  int taken = 0;                         ///< changes of `theirs` that `ours` did not have
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
/// `choices` decide about conflicts; these stay listed. A choice may bring other conflicts, such as
/// a result that the RTI refuses.
///
/// Error: the three cannot be merged at all, being of editions or prefixes that differ, or one
/// having text beside elements.
tl::expected<ModuleMerge, omt::Error> mergeModules(const ModuleSource& base,
                                                   const ModuleSource& ours,
                                                   const ModuleSource& theirs,
                                                   const MergeChoices& choices = {});

/// What a merge takes of `theirs` without a conflict, at most 1000 changes. With exchanged sides it
/// is what the result has of `ours` alone.
std::vector<MergeChange> changesTaken(const ModuleSource& base, const ModuleSource& ours,
                                      const ModuleSource& theirs);

/// "ours", "theirs", "base", "both", "edited": as the command line has them.
const char* mergeChoiceName(MergeChoice choice);

}  // namespace tutti::fomedit
