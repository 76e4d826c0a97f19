// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "monitor/ui/log_view.h"

namespace tutti::theme {
class SearchField;
}
class QComboBox;
class QPlainTextEdit;

namespace tutti::monitor {

/// The dock's content: the view, above it what is shown, and below it the selected line in full if
/// its row cannot show all of it.
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
