// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>

#include "launcher/ui/placement_matrix.h"

namespace tutti::launcher {

/// A placement matrix as a tree: rows that open into their federates, then one of the RTI nodes.
/// Counts of groups can be typed and cells dragged; the model itself moves nothing.
class MatrixModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Head { Group, Federates, Need, Heads };
  enum Role {
    ShareRole = Qt::UserRole + 1,  ///< double, 0 to 1 of the row's largest count; absent: no box
    IdsRole,                       ///< QStringList: of the federates that the cell has
    KeyRole,                       ///< QString: of the row
  };

  using QAbstractItemModel::QAbstractItemModel;
  void setMatrix(PlacementMatrix matrix, std::vector<MatrixColumn> columns);
  const PlacementMatrix& matrix() const { return matrix_; }
  const std::vector<MatrixColumn>& columns() const { return columns_; }
  /// Null: a head.
  const MatrixColumn* columnAt(int section) const;
  /// Null: the RTI nodes.
  const MatrixRow* rowAt(const QModelIndex& index) const;
  /// Of a row that is opened; null: the row itself.
  const MatrixFederate* federateAt(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& federate) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  /// So many of the row shall be on each of the nodes.
  void countEntered(const QString& rowKey, const std::vector<int>& nodes, int count);
  void dropped(const QStringList& ids, const std::vector<int>& nodes);

 private:
  QString textAt(const QModelIndex& index) const;
  /// What a screen reader says.
  QString readAt(const QModelIndex& index) const;
  QString tipAt(const QModelIndex& index) const;
  QStringList idsAt(const QModelIndex& index) const;
  std::pair<int, int> leastAndMost(const MatrixRow& row, const MatrixColumn& column) const;

  PlacementMatrix matrix_;
  std::vector<MatrixColumn> columns_;
};

}  // namespace tutti::launcher
