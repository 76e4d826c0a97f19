// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QEvent>
#include <QStringList>
#include <QWidget>
#include <utility>

namespace tutti::test {

/// Every window that has to be answered before anything else can be done, by name, while this
/// lives.
class DialogWatch : public QObject {
 public:
  DialogWatch() { qApp->installEventFilter(this); }
  /// Those since the last call.
  QStringList take() { return std::exchange(seen_, {}); }

  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Show && watched->isWidgetType()) {
      const auto* widget = static_cast<QWidget*>(watched);
      if (widget->isWindow() && widget->isModal())
        seen_ << (widget->objectName().isEmpty() ? widget->windowTitle() : widget->objectName());
    }
    return false;
  }

 private:
  QStringList seen_;
};

}  // namespace tutti::test
