// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

#include "fom-editor/model/comparison_rows.h"
#include "resources/theme/delegates.h"

namespace tutti::fomedit {

/// The colours of a mark; its sign and word tell it without.
theme::StateColors colorsOf(Mark mark, const theme::Palette& palette);
/// A mark's sign, drawn, on its tint.
void paintMark(QPainter& painter, const QRectF& rect, Mark mark, const theme::Palette& palette);

/// Name and value of an entry, hatched where the side has none, on the tint of its mark.
class ComparisonDelegate : public theme::RowDelegate {
  Q_OBJECT
 public:
  explicit ComparisonDelegate(QObject* parent = nullptr);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;

 private:
  void paintSide(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                 const QModelIndex& index, const theme::Palette& palette) const;
};

/// ComparisonRows with both sides equally wide and a gutter of 44 px between.
class ComparisonView : public QTreeView {
  Q_OBJECT
 public:
  explicit ComparisonView(QWidget* parent = nullptr);
  void setRows(ComparisonRows* rows);

 Q_SIGNALS:
  void currentRowChanged(int row);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
};

}  // namespace tutti::fomedit
