// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStatusBar>

class QLabel;
class QToolButton;

namespace tutti::app {

class Heartbeat;

/// The bar at the foot of the window: the command line with the same result as what is shown, with
/// copy; at the right the page's notes, whether the composition is saved, and how long the event
/// loop was away.
class StatusLine : public QStatusBar {
  Q_OBJECT
 public:
  explicit StatusLine(Heartbeat* heartbeat, QWidget* parent = nullptr);

  void setCommandLine(const QString& line);
  QString commandLine() const { return commandLine_; }
  void setNotes(const QStringList& notes);
  void setSaveState(const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void elide();

  QString commandLine_;
  QLabel* prompt_;
  QLabel* line_;
  QToolButton* copy_;
  QLabel* notes_;
  QLabel* saved_;
  QLabel* gap_;
};

}  // namespace tutti::app
