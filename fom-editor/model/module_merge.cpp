// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "fom-editor/model/merge_contradictions.h"
#include "fom-editor/model/merge_markers.h"
#include "fom-editor/model/merge_walk.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using omt::collapsed;

/// `ours` with splices. Where its encoding lacks characters of theirs, the result is read again and
/// compared with what was planned.
tl::expected<ModuleSource, omt::Error> changed(const ModuleSource& ours, Splices splices,
                                               Meanings& meanings) {
  ModuleSource result = ours;
  if (const auto applied = result.apply(splices); !applied) {
    return tl::unexpected(applied.error());
  }
  arrange(splices, ours.text().size());
  const std::string planned = spliced(ours.text(), splices);
  if (planned == result.text()) return result;
  constexpr std::string_view utf8Mark = "\xEF\xBB\xBF";
  const auto plan = ModuleSource::parse(std::string(utf8Mark) + planned, ours.displayName());
  const auto written = ModuleSource::parse(result.bytes(), ours.displayName());
  if (!plan) return tl::unexpected(plan.error());
  if (!written) return tl::unexpected(written.error());
  if (meanings.of(*plan).front() == meanings.of(*written).front()) return result;
  omt::Error error;
  error.file = ours.displayName();
  error.line = 1;
  error.message = "Its encoding cannot say what the other version says.";
  error.hint = "Save it in UTF-8.";
  return tl::unexpected(error);
}

/// Comments within the first element, and where each stands first.
std::map<std::string, std::size_t> commentsOf(const ModuleSource& source) {
  std::map<std::string, std::size_t> comments;
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    for (const SourceRun& run : source.runs(id)) {
      if (run.kind != SourceRun::Kind::Other) continue;
      comments.try_emplace(collapsed(source.text(run.range)), run.range.begin);
    }
  }
  return comments;
}

}  // namespace

tl::expected<ModuleMerge, omt::Error> mergeModules(const ModuleSource& base,
                                                   const ModuleSource& ours,
                                                   const ModuleSource& theirs,
                                                   const MergeChoices& choices) {
  for (const ModuleSource* version : {&base, &ours, &theirs}) {
    if (!version->isFed()) continue;
    omt::Error error;
    error.file = version->displayName();
    error.line = 1;
    error.message = "It is of HLA 1.3; modules of IEEE 1516 are merged.";
    error.hint = "Convert all three versions to IEEE 1516 first, with tutti fom convert.";
    return tl::unexpected(error);
  }
  ModuleMerge result;
  const std::string before = base.bytes();
  const std::string mine = ours.bytes();
  const std::string other = theirs.bytes();
  if (before == other || mine == other || before == mine) {
    result.bytes = before == mine ? other : mine;
    result.marked = result.bytes;
    result.taken = before == mine && mine != other ? 1 : 0;
    return result;
  }
  for (const ModuleSource* version : {&base, &ours, &theirs}) {
    omt::Error error;
    error.file = version->displayName();
    error.line = 1;
    if (const ElementId id = findMixed(*version); id != noElement) {
      error.line = version->lineOf(id);
      error.message = "Text stands beside the elements of <" + omt::shortened(version->nameOf(id)) +
                      ">, as in no object model.";
      error.hint = "Delete it.";
      return tl::unexpected(error);
    }
    if (version->isOf2000() != ours.isOf2000()) {
      error.message = "It is of another edition of IEEE 1516 than " + ours.displayName() + '.';
      error.hint = "Merge modules of one edition.";
      return tl::unexpected(error);
    }
    if (prefixOf(*version, 0) != prefixOf(ours, 0)) {
      error.message = "Its elements have another prefix than those of " + ours.displayName() + '.';
      error.hint = "Write them with the same prefix.";
      return tl::unexpected(error);
    }
  }
  Meanings meanings;
  const Version b{base, meanings.of(base)};
  const Version o{ours, meanings.of(ours)};
  const Version t{theirs, meanings.of(theirs)};
  MergeConflicts moves(choices, " (moved)");
  RowDecisions rows = findMovesApart(base, ours, theirs, moves);
  // A choice about what only a result shows changes the walk, and that the result.
  MergeConflicts contradictions(choices, " (together)");
  std::optional<MergePlan> plan;
  std::optional<ModuleSource> made;
  for (;;) {
    plan.emplace(planMerge(b, o, t, choices, rows, MergeChoice::Ours));
    auto written = changed(ours, plan->splices, meanings);
    if (!written) return tl::unexpected(written.error());
    made = std::move(*written);
    // Decisions are only added, and there are as many as rows at most: this ends.
    const RowDecisions known = rows;
    rows.add(checkResult(*made, b, o, t, contradictions));
    if (rows == known) break;
  }
  const ModuleSource& merged = *made;
  result.bytes = merged.bytes();
  result.taken = plan->taken;
  MergeConflicts conflicts = plan->conflicts;
  conflicts.append(moves);
  conflicts.append(contradictions);
  std::string marked(merged.text());
  bool showsBoth = false;
  if (plan->conflicts.open() > 0) {
    MergePlan asTheirs = planMerge(b, o, t, choices, rows, MergeChoice::Theirs);
    const auto theirResult = changed(ours, asTheirs.splices, meanings);
    if (!theirResult) return tl::unexpected(theirResult.error());
    MergeConflicts ofTheirs(choices, " (together)");
    checkResult(*theirResult, b, o, t, ofTheirs);
    conflicts.append(ofTheirs);
    arrange(plan->splices, ours.text().size());
    arrange(asTheirs.splices, ours.text().size());
    marked = withMarkers(ours.text(), plan->splices, asTheirs.splices, newlineOf(ours));
    showsBoth = marked != spliced(ours.text(), plan->splices);
  }
  if (conflicts.open() == 0) checkWithRti(merged, ours, theirs, conflicts);
  result.open = conflicts.open();
  const std::size_t shown = showsBoth ? plan->conflicts.size() : 0;
  result.unlisted.assign(conflicts.unlisted().begin(), conflicts.unlisted().end());
  result.conflicts = conflicts.take();
  std::vector<MergeConflict> told;
  for (std::size_t i = shown; i < result.conflicts.size(); ++i) {
    if (!result.conflicts[i].chosen) told.push_back(result.conflicts[i]);
  }
  if (!told.empty()) {
    const std::string newline = newlineOf(ours);
    if (!marked.ends_with('\n') && !marked.ends_with('\r')) marked += newline;
    marked += toldConflicts(told, newline);
    result.toldAtEnd = static_cast<int>(told.size());
  }
  result.marked = result.open == 0 ? result.bytes : ours.bytesOf(marked);
  const auto commentsBefore = commentsOf(base);
  const auto commentsAfter = commentsOf(merged);
  for (const auto& [comment, at] : commentsOf(theirs)) {
    if (commentsBefore.contains(comment) || commentsAfter.contains(comment)) continue;
    result.commentsLeft.push_back(theirs.lineOf(at));
  }
  const std::string declared = collapsed(xmlDeclarationOf(theirs));
  if (declared != collapsed(xmlDeclarationOf(base)) &&
      declared != collapsed(xmlDeclarationOf(merged))) {
    result.commentsLeft.push_back(1);
  }
  std::sort(result.commentsLeft.begin(), result.commentsLeft.end());
  return result;
}

std::vector<MergeChange> changesTaken(const ModuleSource& base, const ModuleSource& ours,
                                      const ModuleSource& theirs) {
  Meanings meanings;
  const Version b{base, meanings.of(base)};
  const Version o{ours, meanings.of(ours)};
  const Version t{theirs, meanings.of(theirs)};
  return planMerge(b, o, t, {}, {}, MergeChoice::Ours).changes;
}

}  // namespace tutti::fomedit
