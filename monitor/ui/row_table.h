// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <utility>

class QLabel;
class QTreeView;

namespace tutti::monitor {

/// What the tables of the page Run have in common: rows of one height that are sorted by a click on
/// a title, a name that takes the room that is left, and columns that go where there is none.
struct RowColumns {
  using Width = std::pair<int, int>;  ///< of a column, in pixels
  int name = 0;                       ///< the column that stretches
  int leastName = 0;
  int mostName = 0;
  std::span<const Width> widths;  ///< of the others
  std::span<const int> toGo;      ///< in this order; nothing scrolls sideways

  int width(int column) const;
};

/// Before its delegates are set; the model has been.
void setUpRows(QTreeView& table, const RowColumns& columns);
/// Hides columns until the name gets what it wants: `nameWidth`, or what is without bounds too
/// little or too much. `absent` is not there for a reason of its own; -1: none is.
void fitColumns(QTreeView& table, const RowColumns& columns, int nameWidth, int absent = -1);
/// So wide is a cell of a name that is so wide: with padding, icon, and the space after it.
int nameCellWidth(int textWidth);
/// In place of a table without rows.
QLabel* makeNoMatch(const char* objectName);

}  // namespace tutti::monitor
