// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QHash>
#include <QStringList>

#include "launcher/ui/host_watch.h"
#include "resources/theme/delegates.h"

class QMimeData;

namespace tutti::launcher {

class ClusterWatch;
struct ClusterView;

/// What the enabled federates of a composition need of a host together.
struct HostNeeds {
  double cores = 0;
  double memoryMb = 0;
  int federates = 0;  ///< processes
  friend bool operator==(const HostNeeds&, const HostNeeds&) = default;
};

/// Federates on their way from one host to another: their ids.
QMimeData* mimeOfFederates(const QStringList& ids);
QStringList federatesOfMime(const QMimeData* mime);
QStringList mimeTypesOfFederates();

/// This machine, the hosts of a HostWatch, then its Slurm clusters. Federates may be dropped on
/// hosts.
class HostsModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role {
    KeyRole = Qt::UserRole + 1,  ///< QString: HostView::key
    IsHostRole,                  ///< bool: federates may be placed on it
    PillRole,                    ///< QString: "Reachable, 0.4 s"; its state is theme::StateRole
    ReasonRole,                  ///< QString: why there are no figures; empty: there are
    CoresRole,                   ///< HostsModel::Bar
    MemoryRole,                  ///< likewise
    ClusterRole,                 ///< QString: name of the cluster; empty: it is a host
  };
  /// Amounts in one unit, and the figure beside them.
  struct Bar {
    QString label;
    double used = 0;
    double wanted = 0;
    double total = 0;  ///< 0: not known
    QString text;
    bool over = false;  ///< more is wanted than there is
  };

  HostsModel(HostWatch* watch, ClusterWatch* clusters, QObject* parent = nullptr);

  void setNeeds(const QHash<QString, HostNeeds>& needs);
  HostNeeds needsOf(const QString& key) const { return needs_.value(key); }
  int rowOf(const QString& key) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QStringList mimeTypes() const override;
  Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 Q_SIGNALS:
  /// Federates (ids) were dropped on the host of that key.
  void dropped(const QStringList& ids, const QString& key);

 private:
  void rebuild();
  bool isSpare(const HostView& host) const;
  QVariant hostData(const HostView& host, int role) const;
  QVariant clusterData(const ClusterView& view, int role) const;

  HostWatch* watch_;
  ClusterWatch* watchedClusters_;
  int hosts_ = 0;
  int clusters_ = 0;
  QHash<QString, HostNeeds> needs_;
};

/// A host: icon, name, state, and bars of cores and memory; in one line when there are many.
class HostRowDelegate : public theme::RowDelegate {
  Q_OBJECT

 public:
  static constexpr int manyHosts = 8;  ///< from here on rows are lower

  explicit HostRowDelegate(QObject* parent = nullptr);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
};

}  // namespace tutti::launcher

Q_DECLARE_METATYPE(tutti::launcher::HostsModel::Bar)
