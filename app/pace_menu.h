// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QActionGroup>
#include <QMenu>
#include <QString>

#include "resources/theme/run_status.h"

namespace tutti::app {

/// "2×"
QString paceText(double perSecond);

/// The paces of a running federation to choose from: the Run menu, the toolbar and the finder show
/// the same one.
class PaceMenu : public QMenu {
  Q_OBJECT
 public:
  /// `run` outlives the menu.
  explicit PaceMenu(theme::RunStatus* run, QWidget* parent);

  /// Checks the pace that holds, and says why none can be chosen.
  void refresh();

 private:
  void add(double perSecond, const QString& text);
  /// Any other, in a dialog.
  void ask();

  theme::RunStatus* run_;
  QActionGroup* choices_;
  QAction* other_;
  QAction* why_;
};

}  // namespace tutti::app
