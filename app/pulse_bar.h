// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "resources/theme/run_status.h"
#include "resources/theme/widgets.h"

class QHBoxLayout;
class QMenu;
class QPushButton;

namespace tutti::app {

/// A label over a value, 34 px. The value's room is reserved from the widest text of its format, so
/// that nothing moves while numbers change.
class PulseValue : public QWidget {
  Q_OBJECT
 public:
  PulseValue(const QString& label, const QString& widest, const QString& source,
             QWidget* parent = nullptr);

  void setLabel(const QString& label);
  void setValue(const QString& value, bool stale = false);
  QString value() const { return value_; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString label_;
  QString value_;
  QString widest_;
  bool stale_ = false;
};

/// The composition's name and file, and a menu to open another. Elides the file's folder.
class CompositionButton : public QAbstractButton {
  Q_OBJECT
 public:
  explicit CompositionButton(QWidget* parent = nullptr);

  void setComposition(const QString& name, const QString& detail);
  void setMenu(QMenu* menu);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString detail_;
  QMenu* menu_ = nullptr;
};

/// The bar that answers in two seconds what runs, whether it is healthy and what needs somebody.
/// The same in every workspace.
class PulseBar : public QWidget {
  Q_OBJECT
 public:
  /// `status` outlives the bar.
  explicit PulseBar(theme::RunStatus* status, QWidget* parent = nullptr);

  CompositionButton* composition() const { return composition_; }
  void setComposition(const QString& name, const QString& path);
  /// Shown while nothing runs.
  void setCounts(int federates, int hosts);

  theme::StatePill* pill() const { return pill_; }
  QPushButton* runButton() const { return run_; }
  QPushButton* stopButton() const { return stop_; }
  /// What else can be done with a run, behind a button beside Stop.
  void setRunMenu(QMenu* menu);
  /// The paces to choose from, behind a button beside Step.
  void setPaceMenu(QMenu* menu);
  QPushButton* reason() const { return reason_; }

 public Q_SLOTS:
  /// Stops the run; a job that waits in a queue is cancelled only after a question.
  void askToStop();

 Q_SIGNALS:
  /// The pill was clicked: show what is wrong.
  void pillClicked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void refreshValues();
  void refreshQueued();
  void fitValues();

  theme::RunStatus* status_;
  QTimer refresh_;
  QTimer waitingTicks_;
  QString name_;
  QString path_;
  int federates_ = 0;
  int hosts_ = 0;

  CompositionButton* composition_;
  theme::StatePill* pill_;
  PulseValue* job_;
  PulseValue* waiting_;
  PulseValue* starts_;
  PulseValue* nodes_;
  PulseValue* time_;
  PulseValue* pace_;
  PulseValue* elapsed_;
  PulseValue* joined_;
  PulseValue* updates_;
  PulseValue* hostCount_;
  PulseValue* lastRun_;
  QPushButton* reason_;
  QString reasonIcon_;  ///< the one it has
  QLabel* ready_;
  QPushButton* run_;
  QPushButton* pause_;
  QPushButton* step_;
  QPushButton* paceButton_;
  QPushButton* stop_;
  QPushButton* more_;
};

}  // namespace tutti::app
