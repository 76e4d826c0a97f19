// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>
#include <stop_token>

#include "monitor/engine/federation_saves.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// Saves and restores the federation of a run, one at a time, in a thread of Qt's pool. What goes
/// on for longer than half a second, and what has failed, is a trouble of the run. All on the
/// window's thread.
class SaveControl : public QObject {
  Q_OBJECT
 public:
  explicit SaveControl(QObject* parent = nullptr);
  /// Aborts what goes on.
  ~SaveControl() override;

  /// Whose saves they are; empty: no federation runs. Forgets what failed before.
  void setFederation(const QString& node, const QString& federation);
  bool isBusy() const { return busy_; }
  const QList<theme::RunStatus::KeptSave>& saves() const { return saves_; }
  /// Asks the RTI node for them anew; savesChanged() tells.
  void refresh();
  /// Only while it is not busy. `label` of a save: empty takes the time of now.
  void begin(monitor::SaveVerb verb, const QString& label = {});
  QList<theme::RunTrouble> troubles() const;

 Q_SIGNALS:
  /// isBusy() or troubles() changed.
  void changed();
  void savesChanged();
  /// It came to a good end, in a sentence.
  void done(const QString& what);

 private:
  void show(const monitor::SaveProgress& progress);
  void end(const tl::expected<void, QString>& outcome);

  QString node_;
  QString federation_;
  QList<theme::RunStatus::KeptSave> saves_;
  bool busy_ = false;
  monitor::SaveVerb verb_{};
  QString label_;
  QElapsedTimer since_;
  QTimer late_;  ///< it takes long enough to be shown
  monitor::SaveProgress progress_;
  std::stop_source abort_{std::nostopstate};
  QString failure_;
  int failures_ = 0;
};

/// Label of the one that was saved last; `known` when there is none, or none that is later.
QString newestSave(const QList<theme::RunStatus::KeptSave>& saves, const QString& known);

}  // namespace tutti::app
