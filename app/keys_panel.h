// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace tutti::app {

/// All keys in one page, beside the window and not in its way (F1, Ctrl+/).
class KeysPanel : public QDialog {
  Q_OBJECT
 public:
  explicit KeysPanel(QWidget* parent = nullptr);
};

}  // namespace tutti::app
