// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <optional>
#include <vector>

#include "launcher/engine/cluster_state.h"
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

/// The partitions of a cluster; above several, a row of all, whose name is empty. Federates may be
/// dropped on a partition.
class PartitionsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, InUse, Idle, Limit, Columns };
  enum Role {
    CountsRole = Qt::UserRole + 1,  ///< NodeCounts
    NameRole,                       ///< QString: of the partition; empty: all
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setState(const std::optional<ClusterState>& state);
  int rowOf(const QString& partition) const;

  int rowCount(const QModelIndex& parent = {}) const override;
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

 private:
  struct Row {
    Partition partition;
    NodeCounts counts;
    friend bool operator==(const Row&, const Row&) = default;
  };
  std::vector<Row> rows_;
};

/// The nodes of a partition, or of a whole cluster.
class NodesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Partitions, State, Reason, Since, Job, Cores, Memory, Columns };
  enum Role {
    UseRole = Qt::UserRole + 1,  ///< int: NodeUse
    OursRole,                    ///< bool: a job of whoever asked is there
    CaptionRole,                 ///< QString: two words for the second line of its box
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setState(const std::optional<ClusterState>& state, const QString& partition);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    ClusterNode node;
    QString partitions;
    NodeUse use = NodeUse::Unavailable;
    NodeReason reason;
    std::optional<SlurmJob> job;
    bool ours = false;
    friend bool operator==(const Row&, const Row&) = default;
  };
  [[nodiscard]] QString textOf(const Row& row, int column) const;
  std::vector<Row> rows_;
};

/// The jobs of a partition, or of a whole cluster: those that run, then those that wait.
class QueueModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Position, Job, Name, User, Partition, Nodes, State, Starts, Ends, Columns };
  enum Role {
    StartRole = Qt::UserRole + 1,  ///< QDateTime; invalid: none is planned
    EndRole,                       ///< QDateTime, at its limit; invalid: none
    IsOwnRole,                     ///< bool
    IdRole,                        ///< qint64
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setState(const std::optional<ClusterState>& state, const QString& partition);
  int rowOf(qint64 job) const;
  int running() const { return running_; }
  int waiting() const { return static_cast<int>(rows_.size()) - running_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    SlurmJob job;
    bool own = false;
    friend bool operator==(const Row&, const Row&) = default;
  };
  [[nodiscard]] QString textOf(const Row& row, int number, int column) const;
  std::vector<Row> rows_;
  int running_ = 0;
};

}  // namespace tutti::launcher

Q_DECLARE_METATYPE(tutti::launcher::NodeCounts)
