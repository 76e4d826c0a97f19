// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <algorithm>
#include <optional>
#include <vector>

#include "launcher/engine/cluster_state.h"
#include "launcher/ui/queue_timeline.h"
#include "resources/theme/delegates.h"

namespace tutti::launcher {

/// Nodes of a partition by who has them.
struct NodeCounts {
  int idle = 0;
  int allocated = 0;  ///< ours included
  int ours = 0;       ///< of them, with a job of whoever asked
  int down = 0;
  int drained = 0;
  int unavailable = 0;
  [[nodiscard]] int all() const { return idle + allocated + down + drained + unavailable; }
  friend bool operator==(const NodeCounts&, const NodeCounts&) = default;
};
NodeCounts countNodes(const ClusterState& state, const QString& partition);
/// "8 idle, 19 allocated, 2 of them ours, 1 down, 2 drained"; what there is none of is left out.
QString nodeCountsText(const NodeCounts& counts);

/// "8 h", "2 d", "1 h 30 min"; "none" of 0, which is no limit.
QString limitText(int minutes);

/// A table that is read anew as a whole.
template <typename Row>
class RowsModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;
  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }

 protected:
  /// A selection stays while the rows are of the same things: `isSame(before, after)` for each.
  template <typename IsSame>
  void setRows(std::vector<Row> rows, IsSame isSame) {
    if (rows == rows_) return;
    if (std::equal(rows_.begin(), rows_.end(), rows.begin(), rows.end(), isSame)) {
      rows_ = std::move(rows);
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
      return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }

  std::vector<Row> rows_;
};

struct PartitionRow {
  Partition partition;
  NodeCounts counts;
  friend bool operator==(const PartitionRow&, const PartitionRow&) = default;
};

struct NodeRow {
  ClusterNode node;
  QString partitions;
  NodeUse use = NodeUse::Unavailable;
  NodeReason reason;
  std::optional<SlurmJob> job;
  bool ours = false;
  friend bool operator==(const NodeRow&, const NodeRow&) = default;
};

struct QueueRow {
  SlurmJob job;
  bool own = false;
  friend bool operator==(const QueueRow&, const QueueRow&) = default;
};

/// The partitions of a cluster; above several, a row of all, whose name is empty. Federates may be
/// dropped on a partition.
class PartitionsModel : public RowsModel<PartitionRow> {
  Q_OBJECT

 public:
  enum Column { Name, InUse, Idle, Limit, Columns };
  enum Role {
    CountsRole = Qt::UserRole + 1,  ///< NodeCounts
    NameRole,                       ///< QString: of the partition; empty: all
  };

  using RowsModel::RowsModel;
  void setState(const std::optional<ClusterState>& state);
  int rowOf(const QString& partition) const;

  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  /// Federates (ids) were dropped on that partition.
  void dropped(const QStringList& ids, const QString& partition);
};

/// The nodes of a partition, or of a whole cluster.
class NodesModel : public RowsModel<NodeRow> {
  Q_OBJECT

 public:
  enum Column { Name, Partitions, State, Reason, Since, Job, Cores, Memory, Columns };
  enum Role {
    UseRole = Qt::UserRole + 1,  ///< int: NodeUse
    OursRole,                    ///< bool: a job of whoever asked is there
    CaptionRole,                 ///< QString: two words for the second line of its box
  };

  using RowsModel::RowsModel;
  void setState(const std::optional<ClusterState>& state, const QString& partition);

  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] QString textOf(const NodeRow& row, int column) const;
};

/// The jobs of a partition, or of a whole cluster: those that run, then those that wait.
class QueueModel : public RowsModel<QueueRow> {
  Q_OBJECT

 public:
  /// Times is a picture, of which a table that is exported has Starts and Ends.
  enum Column { Position, Job, Name, User, Partition, Nodes, State, Starts, Ends, Times, Columns };
  enum Role {
    StartRole = Qt::UserRole + 1,  ///< QDateTime; invalid: none is planned
    EndRole,                       ///< QDateTime, at its limit; invalid: none
    IsOwnRole,                     ///< bool
    IdRole,                        ///< qint64
    BarRole,                       ///< QueueBar; nothing: there is none
    AxisRole,                      ///< QueueAxis, of all rows the same
  };

  using RowsModel::RowsModel;
  void setState(const std::optional<ClusterState>& state, const QString& partition,
                const QDateTime& now = QDateTime::currentDateTime());
  /// Moves the axis on; the bars are told to be drawn again once that can be seen.
  void setNow(const QDateTime& now);
  const QueueAxis& axis() const { return axis_; }
  int rowOf(qint64 job) const;
  int running() const { return running_; }
  int waiting() const { return static_cast<int>(rows_.size()) - running_; }

  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] QString textOf(const QueueRow& row, int number, int column) const;
  [[nodiscard]] QString tipOf(const QueueRow& row) const;
  [[nodiscard]] QueueAxis axisAt(const QDateTime& now) const;
  int running_ = 0;
  QueueAxis axis_;
};

}  // namespace tutti::launcher

Q_DECLARE_METATYPE(tutti::launcher::NodeCounts)
