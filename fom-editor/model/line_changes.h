// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringView>

namespace tutti::fomedit {

/// How a line of an edited text differs from the saved one.
enum class LineChange : std::uint8_t { Same, Changed, Added };

/// What became of each line of `now`. Lines that replace others are Changed, as many as there were
/// before, the rest of them Added.
struct LineChanges {
  QList<LineChange> lines;  ///< of `now`; empty where both are the same
  int changed = 0;          ///< Changed and Added
  int removed = 0;          ///< of `before`, without a line in their place
};
LineChanges lineChanges(QStringView before, QStringView now);

}  // namespace tutti::fomedit
