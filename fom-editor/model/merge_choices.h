// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fom-editor/model/module_merge.h"

namespace tutti::fomedit {

/// The conflicts of a merge as they are found, each with what was chosen for it. At most 1000 that
/// have no choice of their own and are not MergeChoices::listed are listed, and then one that says
/// that there are more.
class MergeConflicts {
 public:
  /// `mark` tells keys of one place apart that are found in different ways: " (moved)".
  explicit MergeConflicts(const MergeChoices& choices, std::string mark = {})
      : choices_(&choices), mark_(std::move(mark)) {}

  /// Lists a conflict. Gives what was chosen for it.
  std::optional<MergeDecision> add(MergeConflict conflict);
  /// The same, unless one of that place and reason is listed.
  std::optional<MergeDecision> addOnce(MergeConflict conflict);
  /// Lists what another found, with its keys.
  void append(const MergeConflicts& others);
  int open() const { return open_; }
  std::size_t size() const { return list_.size(); }
  std::vector<MergeConflict> take() { return std::move(list_); }
  /// Keys of open conflicts that are not listed.
  const std::set<std::string>& unlisted() const { return unlisted_; }
  const std::vector<MergeConflict>& list() const { return list_; }

 private:
  void addUnlisted(const std::string& key);

  const MergeChoices* choices_;
  std::string mark_;
  std::vector<MergeConflict> list_;
  std::map<std::string, int> places_;  ///< how often each was found
  std::map<std::pair<std::string, std::string>, std::optional<MergeDecision>>
      found_;  ///< by place and reason
  std::set<std::string> unlisted_;
  std::size_t withoutOwn_ = 0;  ///< listed without a choice of their own
  int open_ = 0;
  bool more_ = false;
};

/// What becomes of rows because of choices about conflicts that are found beside the walk.
struct RowDecisions {
  std::set<ElementId> keepOurs;     ///< rows of ours stay, though theirs has removed them
  std::set<ElementId> dropOurs;     ///< rows that ours has added go
  std::set<ElementId> takeTheirs;   ///< rows of theirs come back, though ours has removed them
  std::set<ElementId> leaveTheirs;  ///< rows that theirs has added are not taken

  void add(const RowDecisions& more);
  bool operator==(const RowDecisions&) const = default;
};

}  // namespace tutti::fomedit
