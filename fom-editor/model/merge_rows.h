// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <optional>
#include <vector>

#include "fom-editor/model/merge_session.h"

namespace tutti::fomedit {

/// The conflicts of a merge, one row each, in the order in which they were first seen.
class MergeRows : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { WhereColumn, BaseColumn, OursColumn, TheirsColumn, TakeColumn, ColumnCount };
  enum Role {
    ReasonRole = Qt::UserRole + 1,  ///< QString: why it is a conflict
    ChoiceRole,                     ///< int(MergeChoice); -1: it is open
    OfferedRole,                    ///< QList<int>: what can be chosen
    TakenRole                       ///< bool: the column's side is what was chosen
  };

  /// `session` outlives the rows.
  explicit MergeRows(MergeSession& session, QObject* parent = nullptr);

  const MergeConflict* conflict(int row) const;
  int rowOf(const QString& key) const;
  bool isOpen(int row) const;
  /// The next open conflict behind `row` (1) or before it (-1), round at the ends; the next of all
  /// where none is open; -1: there is none.
  int next(int row, int direction) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void adopt();

  MergeSession& session_;
  std::vector<MergeConflict> conflicts_;
};

/// "Ours", "Theirs", "Base", "Both", "Own value".
QString mergeChoiceTitle(MergeChoice choice);

/// Lines of a version around the place of a conflict.
struct MergeExcerpt {
  QString text;       ///< without the indentation that all lines have
  int firstLine = 0;  ///< of the file, from 1
  int marked = -1;    ///< line of the text, from 0; -1: none
  int column = 0;     ///< in that line, from 0: where the place begins
};

/// The declaration that a conflict is about as a version has it: the row with all its cells, at
/// most `mostLines` of it. Empty where the version has none.
MergeExcerpt excerptOf(const ModuleSource& source, const MergeSide& side, int mostLines = 60);

}  // namespace tutti::fomedit
