// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <utility>

namespace tutti::app {

/// Runs `work` in a thread of the pool and hands its result to `then` on the window's thread, if
/// `owner` is still there.
template <class Work, class Then>
void inPool(QObject* owner, Work work, Then then) {
  QThreadPool::globalInstance()->start(
      [owner = QPointer<QObject>(owner), work = std::move(work), then = std::move(then)] {
        auto result = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [owner, then, result = std::move(result)] {
              if (owner) then(result);
            },
            Qt::QueuedConnection);
      });
}

}  // namespace tutti::app
