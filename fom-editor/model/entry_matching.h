// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <map>
#include <utility>
#include <vector>

#include "fom-editor/model/model_entries.h"

namespace tutti::fomedit {

/// How the entries of two models are paired.
struct MatchOptions {
  /// Pair what has gone with what is new where both are probably the same thing, renamed or moved.
  bool guess = true;
  /// A guess needs at least this score, of 1000.
  int threshold = 600;
  /// Guesses that somebody has refused: paths before and after.
  QList<std::pair<QString, QString>> refused;
};

/// A pair that was guessed.
struct Guess {
  int score = 0;   ///< of 1000
  QString reason;  ///< "same datatype, same semantics"
};

struct Matching {
  std::vector<int> afterOf;   ///< by index before: the index after, -1 for none
  std::vector<int> beforeOf;  ///< by index after
  QHash<int, Guess> guesses;  ///< by index before
  /// What top-level entries of another name are called after, by kind and name before.
  std::map<std::pair<EntryKind, QString>, QString> renames;
};

/// Pairs entries of equal paths, then guesses. Deterministic, and symmetric: with the models
/// exchanged the same pairs come out. What both models have from the MIM takes no part in guesses.
Matching matchEntries(const std::vector<Entry>& before, const std::vector<Entry>& after,
                      const MatchOptions& options);

/// Whether a property says the same in both models: references count as equal where they name
/// paired entries. Either may be null.
bool sameProperty(const EntryProperty* before, const EntryProperty* after,
                  const Matching& matching);

/// How alike two names are, 0 to 1000; symmetric, ignoring case.
int nameSimilarity(const QString& a, const QString& b);

}  // namespace tutti::fomedit
