// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QTest>

#include "launcher/ui/deploy_workspace.h"

namespace tutti::launcher::test {

/// The page Deploy in a window of the console's size.
struct DeployWindow {
  explicit DeployWindow(composer::Document* document, const QSize& size = QSize(1368, 804)) {
    page = new DeployWorkspace(document, &frame);
    frame.setCentralWidget(page);
    frame.resize(size);
    frame.show();
    page->setActive(true);
    shown = QTest::qWaitForWindowExposed(&frame, 20000);
  }

  template <typename T>
  T* find(const char* name) const {
    T* widget = page->findChild<T*>(QString::fromLatin1(name));
    if (widget == nullptr) qFatal("no widget %s", name);
    return widget;
  }

  QMainWindow frame;
  DeployWorkspace* page = nullptr;
  bool shown = false;
};

}  // namespace tutti::launcher::test
