// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>

#include "monitor/engine/snapshot.h"
#include "monitor/ui/row_model.h"
#include "resources/theme/format.h"

namespace tutti::monitor {

struct FederateRow {
  enum Column {
    Name,
    Host,
    CpuLine,
    Cpu,
    SentLine,
    Sent,
    ReceivedLine,
    Received,
    Queue,
    Time,
    Grants,
    Condition,
    ColumnCount,
  };
  FederateView view;
  theme::SparkBuffer cpu, sent, received;
};

/// The federates of a run as rows, by name.
class FederateModel : public RowModel<FederateRow, FederateRow::ColumnCount> {
  Q_OBJECT

 public:
  using Column = FederateRow::Column;
  using enum FederateRow::Column;
  /// Beside the roles of theme::Role.
  enum ExtraRole { SortRole = Qt::UserRole + 1, ConditionRole, NameRole };

  using RowModel::RowModel;

  /// All of them have left: the columns of rates show what was sent, received and granted in all.
  bool isOver() const { return over_; }

  /// Takes a snapshot over: one dataChanged for all, insertions and removals row by row.
  void setSnapshot(const SnapshotPointer& snapshot);
  int rowOf(const QString& federate) const;
  const FederateView* federate(int row) const;

  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant toolTip(const FederateRow& row, int column) const;
  static QString accessibleText(const FederateView& view);

  int decimals_ = 2;
  bool stale_ = false;
  bool over_ = false;
  double age_ = 0;
  theme::ColumnPrefix sentPrefix_;
  theme::ColumnPrefix receivedPrefix_;
};

/// Filters by what needs someone and by text; sorts by column, and by default by what needs you.
class FederateFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  enum class Show { All, NeedsYou, Late, Dead };

  explicit FederateFilter(QObject* parent = nullptr);
  void setShow(Show show);
  Show show() const { return show_; }
  /// Name, host or component contain this.
  void setText(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  Show show_ = Show::All;
  QString text_;
};

}  // namespace tutti::monitor
