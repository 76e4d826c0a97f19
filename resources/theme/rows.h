// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <functional>

namespace tutti::theme {

/// How high the rows of lists, tables and trees are. GUI thread only, like all of the theme.
enum class RowSize {
  Dense,  ///< 24 px in trees and logs, 28 in tables.
  Large,  ///< 36 px everywhere: for touch screens, and for whoever reads better with more room.
};

RowSize rowSize();
/// Every shown list, table and tree takes its new height when the event loop runs next.
void setRowSize(RowSize size);
/// What a row of `dense` px when dense is now. Rows that are higher than 36 anyway stay as they
/// are.
int rowHeight(int dense);
/// Calls `update` now and whenever the row size changes, as long as `context` lives.
void followRowSize(QObject* context, std::function<void()> update);

/// For lists with Qt's own look (check boxes): only the height is ours.
class PlainRowDelegate : public QStyledItemDelegate {
 public:
  explicit PlainRowDelegate(QObject* parent = nullptr);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace tutti::theme
