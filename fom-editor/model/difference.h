// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <array>
#include <memory>
#include <vector>

#include "fom-editor/model/entry_matching.h"
#include "fom-editor/model/model_entries.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

/// What became of an entry.
enum class Mark : std::uint8_t { Added, Removed, Renamed, Moved, Changed };
inline constexpr int markCount = 5;
/// "added", "renamed".
QString markName(Mark mark);
/// One character that tells marks apart without colour: + − → ⇄ ~.
QChar markSign(Mark mark);

/// A property whose value is another.
struct PropertyChange {
  QString name;    ///< "Datatype", "Name", "Superclass", "Order of fields"
  QString before;  ///< empty where there was none
  QString after;
  Significance significance = Significance::Behaviour;
  bool operator==(const PropertyChange&) const = default;
};

/// One entry that is not the same in both models. What is added or removed with its members is one
/// difference; members that are paired with others elsewhere have their own.
struct Difference {
  EntryKind kind = EntryKind::ObjectClass;
  Mark mark = Mark::Changed;         ///< the first of: added, removed, moved, renamed, changed
  bool renamed = false;              ///< the name is another
  bool moved = false;                ///< the class above it, or the class that has it, is another
  int before = -1;                   ///< index in ModelDifference::before; -1 for what is added
  int after = -1;                    ///< likewise; -1 for what is removed
  int score = 0;                     ///< of 1000, of a guess; 0 where nothing was guessed
  QString reason;                    ///< of a guess: "same members, similar name"
  QList<PropertyChange> properties;  ///< all that changed, Name and place included

  bool changed() const;  ///< something besides name and place
};

struct DifferenceOptions {
  MatchOptions matching;
  /// What both models have from their MIM takes part; otherwise only what modules define.
  bool withMim = false;
};

/// A line of both trees side by side, each entry below what is above it.
struct DifferenceRow {
  int before = -1;
  int after = -1;
  int depth = 0;
  int difference = -1;  ///< index in ModelDifference::differences; -1: equal
  /// Of what moved: the line at the place before, `after` is -1 then although it is paired.
  bool movedAway = false;
};

/// Two object models and how they differ. A value; the models themselves may go.
struct ModelDifference {
  std::vector<Entry> before;
  std::vector<Entry> after;
  Matching matching;
  std::vector<Difference> differences;  ///< in the order of the tables, each before its members
  std::vector<DifferenceRow> rows;      ///< all entries; without the MIM's when those were left out

  bool isEmpty() const { return differences.empty(); }
  int count(Mark mark) const;
  int count(EntryKind kind, Mark mark) const;
  const Entry& entryOf(const Difference& difference) const;
  /// "Track.Flight.position", the path after, of what is removed the one before.
  QString pathOf(const Difference& difference) const;
  /// "12 added, 3 removed, 1 renamed, 0 moved, 5 changed"; "no differences".
  QString summary() const;
  /// "Flight.position", "1 of 3 attributes": what an added or removed entry brings along.
  QString detailOf(const Difference& difference) const;
};

/// Compares what two models define. Pure; thread-safe; under a second for models of 10 000 entries.
/// White space, the order of rows (but for the fields of a record) and the file that a definition
/// stands in are no differences; a reference to a datatype that was renamed is none either.
ModelDifference differenceOf(const omt::ObjectModel& before, const omt::ObjectModel& after,
                             const DifferenceOptions& options = {});
ModelDifference differenceOf(std::vector<Entry> before, std::vector<Entry> after,
                             const DifferenceOptions& options = {});

}  // namespace tutti::fomedit
