// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <optional>
#include <vector>

#include "launcher/engine/kept_runs.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// The runs of this machine that this window does not have: those that go on without a window, each
/// a trouble with its buttons, and those that another program has. Looked for in threads of Qt's
/// pool; all members are called from the window's thread.
class GoingRuns : public QObject {
  Q_OBJECT
 public:
  using OtherRun = theme::RunStatus::OtherRun;
  using QObject::QObject;

  /// Of those that another program has; `own` is none of them.
  void lookForOthers(const QString& own);
  void lookForKept();
  /// It was taken over.
  void forgetKept(const QString& run);

  /// As last looked for, oldest first.
  const QList<OtherRun>& others() const { return others_; }
  /// Of one of others(); nothing: it is none of them.
  std::optional<launcher::LaunchPlan> planOf(const QString& run) const;
  /// Of those without a window.
  QList<theme::RunTrouble> troubles() const;

 Q_SIGNALS:
  void keptChanged();
  void othersChanged();
  /// A run without a window is to be taken over.
  void attachRequested(const tutti::launcher::LaunchPlan& plan);
  /// Likewise, only to be stopped.
  void stopRequested(const tutti::launcher::LaunchPlan& plan);

 private:
  std::vector<launcher::KeptRun> kept_;
  std::vector<launcher::LaunchPlan> plans_;  ///< of others_
  QList<OtherRun> others_;
};

}  // namespace tutti::app
