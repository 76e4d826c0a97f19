// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "launcher/engine/preflight.h"
#include "resources/theme/state.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace tutti::theme {
class ProgressLine;
}

namespace tutti::launcher {

/// The pre-flight checks: how many stop the run, then each with what was found and its fixes.
class PreflightPanel : public QWidget {
  Q_OBJECT

 public:
  /// More checks that failed than this are counted, not listed; the Problems list has them all.
  static constexpr int mostShown = 60;

  explicit PreflightPanel(QWidget* parent = nullptr);

  void setChecks(const std::vector<PreflightCheck>& checks);
  void setChecking(bool checking);
  const std::vector<PreflightCheck>& checks() const { return checks_; }
  /// Something that takes time and is not over: "Copying 33 files (52 MB) to lab1"; empty: nothing.
  void setProgress(const QString& what);
  /// "1 thing stops the run", "Ready to run".
  QString headline() const;

 Q_SIGNALS:
  void checkAgainRequested();
  void cancelRequested();
  void writePlanRequested();
  void fixRequested(const tutti::launcher::PreflightFix& fix);
  /// A federate (id) that a check is about.
  void federateRequested(const QString& id);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void rebuild();
  void showState();
  void showHeadline();
  QWidget* row(const PreflightCheck& check, bool primary);

  std::vector<PreflightCheck> checks_;
  theme::State state_ = theme::State::Idle;
  QLabel* icon_;
  QLabel* headline_;
  QLabel* summary_;
  QPushButton* again_;
  QPushButton* write_;
  theme::ProgressLine* progress_;
  int errors_ = 0;
  QScrollArea* scroll_;
  QWidget* list_ = nullptr;
  bool known_ = false;  ///< checks_ has been set
  bool stale_ = false;  ///< the list is to be made again when it is seen
};

}  // namespace tutti::launcher
