// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

#include "fom-editor/model/merge_rows.h"
#include "resources/theme/delegates.h"

namespace tutti::fomedit {

/// A conflict: place and reason, what each version has with a check at what was chosen, and the
/// choices as buttons.
class ConflictDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit ConflictDelegate(QObject* parent = nullptr);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  /// Where the button of that choice is in a cell of the Take column; empty: it is not offered.
  static QRect buttonRect(const QRect& cell, const QModelIndex& index, MergeChoice choice);
  static int takeWidth();

 Q_SIGNALS:
  void chosen(const QModelIndex& index, tutti::fomedit::MergeChoice choice);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  static void paintButtons(QPainter& painter, const QRect& cell, const QModelIndex& index,
                           const theme::Palette& palette);
};

/// The conflicts of a merge. O, T, B and A take ours, theirs, base and both; E asks for an own
/// value; Del opens a conflict again.
class ConflictView : public QTreeView {
  Q_OBJECT
 public:
  explicit ConflictView(QWidget* parent = nullptr);
  void setRows(MergeRows* rows);

 Q_SIGNALS:
  void currentRowChanged(int row);
  void chosen(int row, tutti::fomedit::MergeChoice choice);
  void editRequested(int row);
  void reopened(int row);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

 private:
  bool take(MergeChoice choice);
};

}  // namespace tutti::fomedit
