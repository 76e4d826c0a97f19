// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/merge_choices.h"

#include <algorithm>
#include <utility>

namespace tutti::fomedit {

namespace {

/// Conflicts that are listed; nobody resolves as many one by one.
constexpr std::size_t mostConflicts = 1000;

}  // namespace

bool MergeConflict::offers(MergeChoice choice) const {
  return std::find(offered.begin(), offered.end(), choice) != offered.end();
}

const char* mergeChoiceName(MergeChoice choice) {
  switch (choice) {
    case MergeChoice::Ours:
      return "ours";
    case MergeChoice::Theirs:
      return "theirs";
    case MergeChoice::Base:
      return "base";
    case MergeChoice::Both:
      return "both";
    case MergeChoice::Edited:
      break;
  }
  return "edited";
}

std::optional<MergeDecision> MergeConflicts::add(MergeConflict conflict) {
  if (conflict.key.empty()) {
    conflict.key = conflict.place + mark_;
    const int before = places_[conflict.key]++;
    if (before > 0) conflict.key += " (" + std::to_string(before + 1) + ')';
  }
  const auto own = choices_->byKey.find(conflict.key);
  const bool hasOwn = own != choices_->byKey.end() && conflict.offers(own->second.choice);
  if (hasOwn) {
    conflict.chosen = own->second;
  } else if (choices_->rest && conflict.offers(*choices_->rest)) {
    conflict.chosen = MergeDecision{*choices_->rest, {}};
  }
  const std::optional<MergeDecision> chosen = conflict.chosen;
  found_.try_emplace({conflict.place, conflict.reason}, chosen);
  if (!chosen) ++open_;
  const bool isNamed = hasOwn || choices_->listed.contains(conflict.key) ||
                       choices_->listed.contains(conflict.place);
  if (isNamed || withoutOwn_ < mostConflicts) {
    if (!isNamed) ++withoutOwn_;
    list_.push_back(std::move(conflict));
  } else if (!chosen) {
    addUnlisted(conflict.key);
  }
  return chosen;
}

std::optional<MergeDecision> MergeConflicts::addOnce(MergeConflict conflict) {
  const auto known = found_.find({conflict.place, conflict.reason});
  return known == found_.end() ? add(std::move(conflict)) : known->second;
}

void MergeConflicts::addUnlisted(const std::string& key) {
  unlisted_.insert(key);
  if (!std::exchange(more_, true)) {
    list_.push_back({"the module", "There are more conflicts.", {}, {}, {}});
  }
}

void MergeConflicts::append(const MergeConflicts& others) {
  for (const MergeConflict& c : others.list_) {
    if (!c.key.empty()) addOnce(c);
  }
  for (const std::string& key : others.unlisted_) {
    if (unlisted_.contains(key)) continue;
    ++open_;
    addUnlisted(key);
  }
}

void RowDecisions::add(const RowDecisions& more) {
  keepOurs.insert(more.keepOurs.begin(), more.keepOurs.end());
  dropOurs.insert(more.dropOurs.begin(), more.dropOurs.end());
  takeTheirs.insert(more.takeTheirs.begin(), more.takeTheirs.end());
  leaveTheirs.insert(more.leaveTheirs.begin(), more.leaveTheirs.end());
}

}  // namespace tutti::fomedit
