// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "launcher/ui/cluster_models.h"

class QLabel;
class QListView;

namespace tutti::launcher {

/// The jobs of whoever asks, in two lines each: what runs, then what waits.
class OwnJobsModel : public RowsModel<QueueRow> {
  Q_OBJECT

 public:
  enum Role {
    IdRole = Qt::UserRole + 1,  ///< qint64
  };

  using RowsModel::RowsModel;
  void setState(const std::optional<ClusterState>& state);
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  /// Nothing: there is no such row.
  std::optional<SlurmJob> job(const QModelIndex& index) const;

 private:
  std::vector<SlurmJob> all_;  ///< of the cluster, which places are of
};

/// Those jobs as a pane.
class OwnJobsPane : public QWidget {
  Q_OBJECT

 public:
  explicit OwnJobsPane(QWidget* parent = nullptr);

  void setState(const std::optional<ClusterState>& state);
  int count() const { return model_->rowCount(); }
  /// What can be done with the selected job: its context menu.
  void setActions(const QList<QAction*>& actions);
  /// The selected job; nothing: none is.
  std::optional<SlurmJob> current() const;

 Q_SIGNALS:
  void jobChosen(qint64 job);
  /// current() is another, or is in another state.
  void currentChanged();

 private:
  OwnJobsModel* model_;
  QListView* list_;
  QLabel* empty_;
};

}  // namespace tutti::launcher
