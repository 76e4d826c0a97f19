// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QHash>
#include <QList>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <stop_token>

#include "launcher/engine/joined.h"
#include "monitor/engine/federation_resign.h"
#include "resources/theme/run_status.h"

namespace tutti::launcher {
class Run;
}

namespace tutti::app {

/// Has all federates of a run resign by the MOM, in a thread of Qt's pool. What goes on for longer
/// than half a second, and who has not resigned, is a trouble of the run. All on the window's
/// thread.
class ResignControl : public QObject {
  Q_OBJECT
 public:
  explicit ResignControl(QObject* parent = nullptr);
  ~ResignControl() override;

  /// The run that goes on; null: none does. It lives until another is set. Forgets what was before.
  void setRun(launcher::Run* run);
  bool isBusy() const { return busy_; }
  void begin();
  QList<theme::RunTrouble> troubles() const;

 Q_SIGNALS:
  /// isBusy() or troubles() changed.
  void changed();
  /// All have resigned, in a sentence.
  void done(const QString& what);

 private:
  void expect(const std::vector<launcher::JoinedFederate>& joined);
  void tellWhenAwaited();
  void tellFederates();
  void end(const tl::expected<monitor::ResignProgress, QString>& result);

  launcher::Run* run_ = nullptr;
  int number_ = 0;  ///< of the operation: what comes of an earlier one is dropped
  bool busy_ = false;
  QStringList processes_;              ///< of the federates that have been told
  QHash<QString, QString> processOf_;  ///< of each of them, by the federate's name
  monitor::ResignProgress progress_;
  QString failure_;  ///< nobody was told
  QElapsedTimer since_;
  QTimer late_;         ///< it takes long enough to be shown
  QTimer supervisors_;  ///< have to hear of it first
  std::stop_source stop_{std::nostopstate};
};

}  // namespace tutti::app
