// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <vector>

#include "monitor/engine/snapshot.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

/// The links of the RTI node that is read with those of other hosts, as rows that are updated in
/// place.
class LinkModel : public QAbstractTableModel {
  Q_OBJECT

 public:
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
  /// Beside the roles of theme::Role.
  enum ExtraRole { SortRole = Qt::UserRole + 1, SuspectRole, AddressRole };

  using QAbstractTableModel::QAbstractTableModel;

  void setSnapshot(const SnapshotPointer& snapshot);
  /// Links that are up, or have no answer.
  int count(bool suspect) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    HostLinkView view;
    theme::SparkBuffer roundTrip;
  };
  void fill(Row& row, const HostLinkView& view);
  QVariant text(const HostLinkView& view, int column) const;
  QString toolTip(const HostLinkView& view, int column) const;

  std::vector<std::unique_ptr<Row>> rows_;
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
