// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

#include "launcher/ui/matrix_model.h"
#include "resources/theme/delegates.h"

namespace tutti::launcher {

/// A count in a box whose left edge is the darker the more there are; a zero has no box. Only
/// figures can be typed.
class MatrixCellDelegate : public theme::RowDelegate {
  Q_OBJECT

 public:
  explicit MatrixCellDelegate(QObject* parent = nullptr) : RowDelegate(parent, 26) {}
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
  void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// The cores that are used of each node, below the columns of a matrix.
class MatrixFoot : public QWidget {
  Q_OBJECT

 public:
  MatrixFoot(QTreeView* view, MatrixModel* model);
  void refresh();
  /// "Cores of 16: 89 of 128, node 1 12, node 2 12"
  QString text() const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  double mostOn(const MatrixColumn& column) const;
  QTreeView* view_;
  MatrixModel* model_;
};

/// Groups of federates against the numbered nodes of a partition. Counts are typed into the cells
/// or cells dragged; Ctrl+Left and Ctrl+Right send one federate on, with Shift all of the cell.
/// Of more nodes than there is room for, a column has several; Space or a click on its head shows
/// each of them.
class MatrixView : public QWidget {
  Q_OBJECT

 public:
  explicit MatrixView(QWidget* parent = nullptr);

  void setMatrix(const PlacementMatrix& matrix);
  const PlacementMatrix& matrix() const { return matrix_; }
  MatrixModel* model() const { return model_; }
  QTreeView* view() const;
  MatrixFoot* foot() const { return foot_; }
  /// Ids of the federates in the selected cells.
  QStringList selection() const;
  void setCurrent(const QString& federate);
  void select(const QStringList& federates);
  void selectAll();
  /// Shows single nodes of the range that this column is, or ranges again.
  void toggleRange(int section);

 Q_SIGNALS:
  void selectionChanged();
  /// The only federate of the current cell.
  void currentChanged(const QString& federate);
  void countEntered(const QString& rowKey, const std::vector<int>& nodes, int count);
  /// To one of the nodes: where the fewest cores are in use.
  void moveRequested(const QStringList& federates, const std::vector<int>& nodes);
  void pinRequested(const QStringList& federates, bool pinned);
  void menuRequested(const QPoint& globalPosition);
  void activated(const QString& federate);

 private:
  class Tree;
  void layOut();
  void fitColumns();
  void sendOn(int direction, bool all);

  PlacementMatrix matrix_;
  MatrixModel* model_;
  Tree* tree_;
  MatrixFoot* foot_;
  int open_ = 0;  ///< a node of the range that is shown as single nodes; 0: none
};

}  // namespace tutti::launcher
