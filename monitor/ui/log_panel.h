// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

#include "monitor/ui/log_model.h"

namespace tutti::theme {
class SearchField;
}
class QComboBox;
class QPlainTextEdit;

namespace tutti::monitor {

/// A view of the log: stays at the newest line while it is there; a click on a name selects.
class LogView : public QTreeView {
  Q_OBJECT

 public:
  explicit LogView(LogModel* model, QWidget* parent = nullptr);
  LogFilter* filter() const { return filter_; }
  /// For a view of one federate only.
  void hideSubjects();
  /// Makes room for the longest of these names, within reason.
  void fitSubjects(const QStringList& subjects);

 signals:
  void subjectActivated(const QString& subject);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void copySelection();
  LogModel* model_;
  LogFilter* filter_;
  bool atEnd_ = true;
};

/// The dock's content: the view, above it what is shown, and below it the selected line in full.
class LogPanel : public QWidget {
  Q_OBJECT

 public:
  explicit LogPanel(LogModel* model, QWidget* parent = nullptr);
  LogView* view() const { return view_; }
  /// For the dock's title bar.
  QComboBox* levels() const { return levels_; }
  QComboBox* subjects() const { return subjects_; }
  theme::SearchField* search() const { return search_; }
  void setSearchVisible(bool visible);
  /// Federates and other senders that can be chosen.
  void setSubjects(const QStringList& subjects);
  /// Shows one sender's lines only; empty: all.
  void showSubject(const QString& subject);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showWhole();
  void fitWhole();

  LogView* view_;
  QPlainTextEdit* whole_;
  QComboBox* levels_;
  QComboBox* subjects_;
  theme::SearchField* search_;
};

}  // namespace tutti::monitor
