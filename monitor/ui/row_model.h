// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QString>
#include <memory>
#include <vector>

#include "monitor/engine/snapshot.h"
#include "resources/theme/delegates.h"

namespace tutti::monitor {

/// The last values of a history, as a line; a short one starts with its first value, not with gaps.
void copyHistory(const History& from, theme::SparkBuffer& to);

/// What the models of the page Run have in common: rows that are updated in place, so that a row
/// keeps its place, its selection and its index as long as what it shows is there. A `Row` has a
/// `view`; `columns` are the model's.
template <class Row, int columns>
class RowModel : public QAbstractTableModel {
 public:
  using View = decltype(Row::view);
  using QAbstractTableModel::QAbstractTableModel;

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : columns;
  }

 protected:
  const std::vector<std::unique_ptr<Row>>& rows() const { return rows_; }
  const Row& row(const QModelIndex& index) const {
    return *rows_[static_cast<std::size_t>(index.row())];
  }
  /// Row by row: what is gone goes, what is there is filled anew, what is new comes last.
  template <class Id, class Fill>
  void updateRows(const std::vector<const View*>& views, Id&& idOf, Fill&& fill) {
    QHash<QString, const View*> news;
    for (const View* each : views) news.insert(idOf(*each), each);
    for (int at = rowCount() - 1; at >= 0; --at) {
      Row& known = *rows_[static_cast<std::size_t>(at)];
      if (const View* view = news.take(idOf(known.view))) {
        known.view = *view;
        fill(known);
        continue;
      }
      beginRemoveRows({}, at, at);
      rows_.erase(rows_.begin() + at);
      endRemoveRows();
    }
    if (news.isEmpty()) return;
    beginInsertRows({}, rowCount(), rowCount() + static_cast<int>(news.size()) - 1);
    for (const View* each : views) {
      if (news.remove(idOf(*each)) == 0) continue;
      rows_.push_back(std::make_unique<Row>());
      rows_.back()->view = *each;
      fill(*rows_.back());
    }
    endInsertRows();
  }
  void emitAllChanged() {
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
  }

 private:
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace tutti::monitor
