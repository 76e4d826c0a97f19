// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <optional>

#include "resources/theme/run_status.h"

namespace tutti::theme {
class Banner;
}

namespace tutti::app {

/// Which trouble the window's banner shows: the worst that was not dismissed, the others on a
/// click. One that was dismissed and comes back is news.
class TroubleBanner : public QObject {
  Q_OBJECT
 public:
  /// `troubles` gives all there are, worst first; `run` keeps which of them were dismissed,
  /// whatever they are about. It and `banner` outlive this.
  TroubleBanner(theme::Banner& banner, theme::RunStatus& run,
                std::function<QList<theme::RunTrouble>()> troubles, QObject* parent = nullptr);

  /// Asks anew what there is.
  void update();
  /// Before all others, until it is dismissed or withdrawn.
  void showError(const QString& title, const QString& detail);
  void withdrawError();
  bool isWanted() const { return !shownId_.isEmpty(); }

 private:
  void dismiss();

  theme::Banner& banner_;
  theme::RunStatus& run_;
  std::function<QList<theme::RunTrouble>()> troubles_;
  std::optional<theme::RunTrouble> error_;
  QString shownId_;
  int turn_ = 0;  ///< which of them is shown
};

}  // namespace tutti::app
