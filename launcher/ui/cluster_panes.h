// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>

#include "launcher/engine/cluster_state.h"
#include "resources/theme/delegates.h"

class QAction;
class QAbstractItemModel;
class QDockWidget;
class QLabel;
class QListView;
class QPushButton;
class QTreeView;

namespace tutti::theme {
class Workspace;
}

namespace tutti::launcher {

struct ClusterView;
class ClusterWatch;
class NodesModel;
class PartitionsModel;
class QueueModel;
class QueueView;

/// A node as a box: its name, who has it, and its state by icon, border and colour. Of hundreds of
/// nodes each is a mark alone, whose tip has the rest.
class NodeBoxDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  static bool isMark(const QModelIndex& index);
  static void paintMark(QPainter& painter, const QRectF& place, NodeUse use, bool ours,
                        const theme::Palette& palette);
};

/// What Slurm says of the cluster that is looked at, as three panes of a page: partitions, nodes,
/// queue. They are there as long as the hosts file has a cluster. Each table can be exported.
class ClusterPanes : public QObject {
  Q_OBJECT

 public:
  ClusterPanes(theme::Workspace* page, ClusterWatch* watch);

  QDockWidget* partitionsDock() const { return partitionsDock_; }
  QDockWidget* nodesDock() const { return nodesDock_; }
  QDockWidget* queueDock() const { return queueDock_; }
  QTreeView* partitionsView() const { return partitionsView_; }
  PartitionsModel* partitions() const { return partitions_; }

  /// Shows a cluster, all of it. With an unknown name the first one.
  void show(const QString& cluster);
  QString cluster() const { return cluster_; }
  /// Empty: all of the cluster.
  QString partition() const { return partition_; }
  void setPartition(const QString& partition);
  /// Another pane that is there only with a cluster.
  void follow(QDockWidget* dock);
  /// Brings nodes and queue to the front.
  void raise();
  /// Selects a job in the queue, where all partitions are shown if it is of another.
  void showJob(qint64 job);

  /// What is said about the answer itself: how old it is, or why there is none and what to do.
  QString notice() const;
  /// Writes a table; false with `why` when the file cannot be written.
  bool exportTable(const QAbstractItemModel& model, const QString& what, const QString& file,
                   QString* why) const;

 Q_SIGNALS:
  void partitionChanged(const QString& partition);
  void failed(const QString& title, const QString& detail);
  void done(const QString& text);

 private:
  void buildPartitions();
  void buildNodes();
  void buildQueue();
  void addExport(QDockWidget* dock, const QString& name, const QString& text, const QString& what,
                 QAbstractItemModel* model);
  void followClusters();
  void refresh();
  void showNotice();
  void showCaptions(const ClusterView* view);

  theme::Workspace* page_;
  ClusterWatch* watch_;
  PartitionsModel* partitions_;
  NodesModel* nodes_;
  QueueModel* queue_;
  QString cluster_;
  QString partition_;
  QTreeView* partitionsView_ = nullptr;
  QListView* nodesView_ = nullptr;
  QueueView* queueView_ = nullptr;
  QWidget* notice_ = nullptr;
  QLabel* noticeText_ = nullptr;
  QPushButton* noticeAgain_ = nullptr;
  QLabel* nodesFoot_ = nullptr;
  QLabel* nodesEmpty_ = nullptr;
  QLabel* queueEmpty_ = nullptr;
  QDockWidget* partitionsDock_ = nullptr;
  QDockWidget* nodesDock_ = nullptr;
  QDockWidget* queueDock_ = nullptr;
  QList<QDockWidget*> docks_;
  bool shown_ = true;
  QTimer ages_;
};

}  // namespace tutti::launcher
