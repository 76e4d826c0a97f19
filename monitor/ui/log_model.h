// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractProxyModel>
#include <QAbstractTableModel>
#include <QHash>
#include <deque>

#include "monitor/engine/run_store.h"

namespace tutti::monitor {

/// The lines of a run, oldest first. A line that says the same as its sender's last one is counted
/// there instead ("x 117"); beyond `capacity` the oldest go (they stay in the store and the files).
class LogModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Time, Subject, Text, ColumnCount };
  enum ExtraRole { LevelRole = Qt::UserRole + 1, SubjectRole, CountRole };
  static constexpr int capacity = 20'000;

  explicit LogModel(QObject* parent = nullptr);

  void append(const std::vector<LogRecord>& lines);
  void clear();
  /// Lines a person counts as of `subject`; for its panel.
  QString textOf(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Line {
    LogRecord record;
    Milliseconds last = 0;  ///< of the newest that was folded into it
    int count = 1;
  };
  std::deque<Line> lines_;
  std::int64_t removed_ = 0;               ///< lines that went; row = number - removed_
  QHash<QString, std::int64_t> newestOf_;  ///< number of the newest line, by subject
};

/// The lines of a log that a person wants to see. Another filter is one reset, however many lines
/// come and go with it; what is appended is looked at once.
class LogFilter : public QAbstractProxyModel {
  Q_OBJECT

 public:
  explicit LogFilter(LogModel* model, QObject* parent = nullptr);
  void setLeast(LogLevel level);
  /// Empty: all.
  void setSubject(const QString& subject);
  void setText(const QString& text);
  QString subject() const { return subject_; }

  QModelIndex mapToSource(const QModelIndex& index) const override;
  QModelIndex mapFromSource(const QModelIndex& index) const override;
  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;

 private:
  bool accepts(int row) const;
  void filterAll();
  void fill();
  void append(int first, int last);
  void removeFront(int count);

  LogLevel least_ = LogLevel::Trace;
  QString subject_;
  QString text_;
  std::deque<std::int64_t> lines_;  ///< numbers of those shown; row in the log = number - removed_
  std::int64_t removed_ = 0;        ///< lines that went from the front of the log
};

}  // namespace tutti::monitor
