// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QList>
#include <QWidget>

#include "resources/theme/state.h"

namespace tutti::app {

/// One page's button: icon, name on up to two lines, badge with the page's worst state.
class RailButton : public QAbstractButton {
  Q_OBJECT
 public:
  RailButton(const QString& title, const QString& iconName, QWidget* parent = nullptr);

  void setBadge(theme::State state, int count);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QStringList lines_;
  QString iconName_;
  theme::State badge_ = theme::State::Idle;
  int badgeCount_ = 0;
};

/// The column of pages at the left, 72 px.
class Rail : public QWidget {
  Q_OBJECT
 public:
  explicit Rail(QWidget* parent = nullptr);

  RailButton* addPage(const QString& title, const QString& iconName, const QString& toolTip);
  RailButton* button(int index) const { return buttons_.value(index); }
  void setCurrent(int index);

 Q_SIGNALS:
  void selected(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QList<RailButton*> buttons_;
};

}  // namespace tutti::app
