// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QDockWidget>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QList>
#include <QPointer>
#include <QWidget>

#include "resources/theme/state.h"

class QAction;
class QButtonGroup;
class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace tutti::theme {

/// A label with one of the style sheet's text roles ("caption", "heading", "muted", ...).
QLabel* makeLabel(const QString& text, const char* role, QWidget* parent = nullptr);
/// A label of one line that elides instead of being clipped; the whole text is its tool tip.
class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(const char* role, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
};

/// A tool tip that is broken into lines; Qt shows plain text of any length in one.
QString wrappedTip(const QString& text);

/// Changes a dynamic property after the first show, with the repolish that it needs.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

/// Icon and word on the state's tint: "Running", "Time stands". A button, so that it can be
/// clicked and focused; does nothing by itself.
class StatePill : public QAbstractButton {
  Q_OBJECT
 public:
  explicit StatePill(QWidget* parent = nullptr);
  StatePill(State state, const QString& text, QWidget* parent = nullptr);

  State state() const { return state_; }
  void setState(State state, const QString& text);
  /// 24 px high with a 12 px font instead of 18 and 11.
  void setLarge(bool large);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  State state_ = State::Idle;
  bool large_ = false;
};

/// One line across the page, 40 px: icon, what happened, why, actions, dismiss.
class Banner : public QFrame {
  Q_OBJECT
 public:
  explicit Banner(QWidget* parent = nullptr);

  /// `tip`: what the two leave out; empty: nothing.
  void setMessage(State state, const QString& title, const QString& detail,
                  const QString& tip = {});
  /// "1 more: detector died"; empty hides the link.
  void setMore(const QString& text);
  /// Replaces the buttons; the actions' owner keeps them.
  void setActions(const QList<QAction*>& actions);
  State state() const { return state_; }
  QString title() const;
  QString detail() const;

 Q_SIGNALS:
  void moreClicked();
  void dismissed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  State state_ = State::Info;
  QLabel* title_;
  QLabel* detail_;
  QPushButton* more_;
  QHBoxLayout* buttons_;
  QToolButton* close_;
};

/// What a view shows when it holds nothing: one sentence, at most one button that fills it.
class EmptyView : public QWidget {
  Q_OBJECT
 public:
  explicit EmptyView(const QString& sentence, QWidget* parent = nullptr);

  void setSentence(const QString& sentence);
  void setDetail(const QString& detail);
  /// The button; call again to rename it.
  QPushButton* setButton(const QString& text, bool primary = false);

 Q_SIGNALS:
  void buttonClicked();

 private:
  QLabel* sentence_;
  QLabel* detail_;
  QPushButton* button_ = nullptr;
};

/// Two to five exclusive choices in one frame, 24 px. Left and Right move, Tab leaves.
class SegmentedControl : public QWidget {
  Q_OBJECT
 public:
  explicit SegmentedControl(const QStringList& segments = {}, QWidget* parent = nullptr);

  void setSegments(const QStringList& segments);
  int count() const { return static_cast<int>(segments_.size()); }
  int currentIndex() const { return current_; }
  void setCurrentIndex(int index);
  QString text(int index) const { return segments_.value(index); }
  void setText(int index, const QString& text);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 Q_SIGNALS:
  void currentIndexChanged(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QList<int> edges() const;
  int indexAt(int x) const;

  QStringList segments_;
  int current_ = 0;
  int hovered_ = -1;
};

/// A line edit with a magnifier, a clear button and its shortcut shown at the right while empty.
/// Escape clears it, then gives the focus back to `setFocusTarget`.
class SearchField : public QLineEdit {
  Q_OBJECT
 public:
  explicit SearchField(const QString& placeholder, const QString& shortcutHint = {},
                       QWidget* parent = nullptr);
  void setFocusTarget(QWidget* target) { target_ = target; }
  QWidget* focusTarget() const { return target_; }

 Q_SIGNALS:
  /// Down or Return: go to the list this field filters.
  void leftDownward();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QString hint_;
  QPointer<QWidget> target_;
};

/// Title bar of every dock, 28 px: title, caption, whatever the pane adds, float, close.
class DockTitleBar : public QWidget {
  Q_OBJECT
 public:
  explicit DockTitleBar(QDockWidget* dock);

  /// "3 folders, 27 components", muted, after the title.
  void setCaption(const QString& caption);
  QString caption() const;
  /// Puts a widget (pill, segmented control, field) after the caption.
  void addWidget(QWidget* widget);
  /// A 20 px tool button at the right, before float and close.
  QToolButton* addAction(QAction* action);
  using QWidget::addAction;
  /// The title when it is not the dock's window title ("flow-north" for "Properties").
  void setTitle(const QString& title);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void updateButtons();

  QDockWidget* dock_;
  QLabel* title_;
  ElidedLabel* caption_;
  QHBoxLayout* extras_;
  QHBoxLayout* tools_;
  QToolButton* float_;
  QToolButton* close_;
};

/// A 20 px square tool button without a frame, for title bars and rows.
QToolButton* smallButton(const QString& iconName, const QString& toolTip,
                         QWidget* parent = nullptr);

/// A one-pixel line between groups.
QFrame* rule(QWidget* parent = nullptr);

/// True while the focus came to this widget, or to another of its window, by keyboard: only then a
/// ring helps; after a click it is known where one is.
bool hasVisibleFocus(const QWidget* widget);

/// Draws the 2 px focus ring just inside `rect`.
void paintFocusRing(QPainter& painter, const QRectF& rect, qreal radius, const Palette& palette);

}  // namespace tutti::theme
