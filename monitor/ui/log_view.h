// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPersistentModelIndex>
#include <QTableView>

#include "monitor/ui/log_model.h"

namespace tutti::monitor {

/// A view of the log: stays at the newest line while it is there; a click on a name selects. A row
/// is as high as its text needs, up to `mostLines` lines. Only rows in sight are measured, so that
/// neither the number of lines nor a change of the width costs anything: what is not in sight has
/// the height of one line until it is.
class LogView : public QTableView {
  Q_OBJECT

 public:
  static constexpr int mostLines = 8;

  explicit LogView(LogModel* model, QWidget* parent = nullptr);
  LogFilter* filter() const { return filter_; }
  /// For a view of one federate only.
  void hideSubjects();
  /// Makes room for the longest of these names, within reason.
  void fitSubjects(const QStringList& subjects);
  /// Whether a row does not show all of its text: that has more lines.
  bool isCut(const QModelIndex& index) const;

  void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

 signals:
  void subjectActivated(const QString& subject);

 protected:
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void updateGeometries() override;

 private:
  void copySelection();
  /// Gives the rows in sight the height they need; the line in the middle stays where it is, or the
  /// last one while the view follows the log.
  void fitRows();
  int wantedHeight(int row) const;
  int lineCount(const QModelIndex& index) const;
  void follow();

  LogModel* model_;
  LogFilter* filter_;
  QPersistentModelIndex looked_;  ///< in the log, while the filter changes
  bool atEnd_ = true;
  bool fitting_ = false;
};

}  // namespace tutti::monitor
