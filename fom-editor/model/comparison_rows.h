// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <array>
#include <memory>
#include <vector>

#include "fom-editor/model/model_comparer.h"

namespace tutti::fomedit {

/// Which differences are shown.
struct ComparisonFilter {
  std::array<bool, markCount> marks{true, true, true, true, true};
  int kind = -1;                ///< an EntryKind; -1: all
  bool onTheWire = false;       ///< only what values are mistaken by
  bool onlyDifferences = true;  ///< and what is above them
  QString text;                 ///< in the path, ignoring case
  bool operator==(const ComparisonFilter&) const = default;
};

/// Both trees of a comparison side by side, a line each entry: the model before, the mark, the
/// model after.
class ComparisonRows : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { BeforeColumn, MarkColumn, AfterColumn };
  enum Role {
    DifferenceRole = Qt::UserRole + 1,  ///< int, -1 where both are equal
    MarkRole,                           ///< int, -1 where both are equal
    DepthRole,                          ///< int
    KindRole,                           ///< int
    MissingRole,                        ///< bool: this side has no such entry, or not here
    DetailRole,                         ///< QString at the right: "HLAinteger32BE"
    WireRole,                           ///< bool
    HeadingRole                         ///< bool: "Datatypes"
  };
  using QAbstractTableModel::QAbstractTableModel;

  void setComparison(std::shared_ptr<const Comparison> comparison);
  void setFilter(const ComparisonFilter& filter);
  const ComparisonFilter& filter() const { return filter_; }
  /// Differences that the filter lets through.
  int shownDifferences() const { return static_cast<int>(hits_.size()); }
  /// Which of them the row is, from 1; 0 where it is none.
  int numberOf(int row) const;
  /// The row of the next difference in that direction, round at the ends; -1 where there is none.
  int nextDifference(int row, int direction) const;
  /// The row of a difference; -1 where the filter hides it.
  int rowOf(int difference) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Line {
    int row = -1;  ///< in ModelDifference::rows; -1: the heading of `kind`
    EntryKind kind = EntryKind::ObjectClass;
  };
  void choose();
  bool isHit(const DifferenceRow& row) const;
  const ModelDifference& difference() const { return comparison_->report.difference; }
  QString textOf(const Entry& entry, bool detail) const;

  std::shared_ptr<const Comparison> comparison_;
  ComparisonFilter filter_;
  std::vector<Line> lines_;
  std::vector<int> hits_;  // positions in lines_, ascending
};

}  // namespace tutti::fomedit
