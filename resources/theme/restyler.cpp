// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/restyler.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QStyle>

namespace tutti::theme {

namespace {

/// So long one turn of the event loop may take.
constexpr qint64 turnMilliseconds = 4;

}  // namespace

Restyler::Restyler(QObject* parent) : QObject(parent) {
  connect(&idle_, &QTimer::timeout, this, &Restyler::proceed);
}

void Restyler::apply(QStyle* style) {
  // QApplication::setStyle() leaves out what has never been polished, and does not tell widgets of
  // it that have a style of their own: what is out of sight is made to look like both meanwhile.
  QWidgetList own;
  for (QWidget* widget : QApplication::allWidgets()) {
    if (widget->isVisible() || !widget->testAttribute(Qt::WA_WState_Polished)) continue;
    widget->setAttribute(Qt::WA_WState_Polished, false);
    waiting_.insert(widget, widget);
    order_.append(widget);
  }
  for (const QPointer<QWidget>& widget : std::as_const(waiting_)) {
    if (widget.isNull() || widget->testAttribute(Qt::WA_SetStyle)) continue;
    widget->setAttribute(Qt::WA_SetStyle);
    own << widget;
  }
  QApplication::setStyle(style);
  for (QWidget* widget : own) widget->setAttribute(Qt::WA_SetStyle, false);
  if (waiting_.isEmpty() || idle_.isActive()) return;
  qApp->installEventFilter(this);
  idle_.start(0);
}

void Restyler::finish() {
  while (!order_.isEmpty()) {
    if (QWidget* widget = order_.takeLast()) restyle(widget);
  }
  waiting_.clear();
  idle_.stop();
  qApp->removeEventFilter(this);
}

void Restyler::proceed() {
  QElapsedTimer turn;
  turn.start();
  while (!order_.isEmpty() && turn.elapsed() < turnMilliseconds) {
    if (QWidget* widget = order_.takeLast()) restyle(widget);
  }
  if (order_.isEmpty()) finish();
}

void Restyler::restyle(QWidget* widget) {
  // One that was shown meanwhile has had its turn.
  if (waiting_.remove(widget) == 0) return;
  // As QApplication::setStyle() does it with all. What the style knows of widgets is common to all
  // styles that read the sheet, so the new one undoes what the old one did.
  QStyle* style = widget->style();
  style->unpolish(widget);
  widget->setAttribute(Qt::WA_WState_Polished);
  style->polish(widget);
  QEvent event(QEvent::StyleChange);
  QCoreApplication::sendEvent(widget, &event);
  widget->update();
}

bool Restyler::eventFilter(QObject* watched, QEvent* event) {
  // About to be shown, or asked for its size.
  if (event->type() == QEvent::Polish) {
    const auto found = waiting_.constFind(watched);
    if (found != waiting_.constEnd() && !found->isNull()) {
      restyle(*found);
      return true;
    }
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace tutti::theme
