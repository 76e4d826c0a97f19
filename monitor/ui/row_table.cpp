// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/row_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <algorithm>

#include "resources/theme/delegates.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

int RowColumns::width(int column) const {
  const auto found = std::find_if(widths.begin(), widths.end(),
                                  [column](const Width& each) { return each.first == column; });
  return found == widths.end() ? 0 : found->second;
}

void setUpRows(QTreeView& table, const RowColumns& columns) {
  table.setRootIsDecorated(false);
  table.setItemsExpandable(false);
  table.setUniformRowHeights(true);
  table.setAllColumnsShowFocus(true);
  table.setMouseTracking(true);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.setItemDelegate(new theme::RowDelegate(&table, theme::height::kRow));
  QHeaderView* header = table.header();
  header->setProperty("sorts", true);
  header->setHighlightSections(false);
  header->setSectionsClickable(true);
  header->setSortIndicatorShown(true);
  header->setMinimumSectionSize(24);
  header->setStretchLastSection(false);
  header->setSectionResizeMode(QHeaderView::Fixed);
  header->setSectionResizeMode(columns.name, QHeaderView::Stretch);
  for (const auto& [column, width] : columns.widths) header->resizeSection(column, width);
  table.setSortingEnabled(true);
  table.setContextMenuPolicy(Qt::CustomContextMenu);
}

void fitColumns(QTreeView& table, const RowColumns& columns, int nameWidth, int absent) {
  int wanted = std::clamp(nameWidth, columns.leastName, columns.mostName);
  for (const auto& [column, width] : columns.widths) wanted += column == absent ? 0 : width;
  const int room = table.viewport()->width();
  for (const int column : columns.toGo) {
    const bool hide = wanted > room;
    if (hide) wanted -= columns.width(column);
    if (table.isColumnHidden(column) != hide) table.setColumnHidden(column, hide);
  }
}

int nameCellWidth(int textWidth) {
  constexpr int beside = 40;
  return textWidth + beside;
}

QLabel* makeNoMatch(const char* objectName) {
  QLabel* label = theme::makeLabel({}, "muted");
  label->setObjectName(QLatin1String(objectName));
  label->setAlignment(Qt::AlignCenter);
  label->setTextFormat(Qt::RichText);
  return label;
}

}  // namespace tutti::monitor
