// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/row_model.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

struct LinkRow {
  enum Column {
    Name,
    Transport,
    Rate,
    Bytes,
    Queue,
    RoundTrip,
    RoundTripLine,
    Lost,
    ColumnCount,
  };
  HostLinkView view;
  theme::SparkBuffer roundTrip;
};

/// The links between the RTI nodes of the hosts of a run: those of the node that is read, and those
/// of two others, of which it has been told.
class LinkModel : public RowModel<LinkRow, LinkRow::ColumnCount> {
  Q_OBJECT

 public:
  using Column = LinkRow::Column;
  using enum LinkRow::Column;
  /// Beside the roles of theme::Role.
  enum ExtraRole { SortRole = Qt::UserRole + 1, SilentRole, AddressRole };

  using RowModel::RowModel;

  void setSnapshot(const SnapshotPointer& snapshot);
  /// Links that are up, or have no answer.
  int count(bool silent) const;

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant text(const HostLinkView& view, int column) const;
  QString toolTip(const HostLinkView& view, int column) const;
  QString betweenTip(const HostLinkView& view, int column) const;

  QString here_;  ///< the host that is read
  theme::ColumnPrefix rates_;
};

/// Links without an answer first, then by the column that was chosen.
class LinkFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  enum class Show { All, Up, NoAnswer };

  explicit LinkFilter(QObject* parent = nullptr);
  void setShow(Show show);
  Show show() const { return show_; }
  /// Either end or the transport contains this.
  void setText(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  Show show_ = Show::All;
  QString text_;
};

}  // namespace tutti::monitor
