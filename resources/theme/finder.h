// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <functional>

namespace tutti::theme {

/// One thing the Ctrl+K field can jump to.
struct FindEntry {
  QString title;     ///< What is matched and shown: "radar-west".
  QString detail;    ///< Second, muted: "radar 1.4, atlas". Matched with less weight.
  QString kind;      ///< "Action", "Federate", "Class", "Component", "Host", "Composition".
  QString iconName;  ///< See icons.h.
  QString shortcut;  ///< Of an action; may be empty.
  std::function<void()> activate;
};

/// Collects entries when the field opens; called on the window's thread, must return within 50 ms
/// at 10 000 entries.
using FindProvider = std::function<void(QList<FindEntry>& into)>;

}  // namespace tutti::theme
