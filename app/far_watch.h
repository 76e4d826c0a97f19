// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>

#include "launcher/engine/relay_link.h"
#include "monitor/engine/far_sample.h"
#include "resources/theme/run_status.h"

namespace tutti::app {

/// The way of the window to a run on another machine: the connection, the figures that come over
/// it, and what a person is told while it is lost. All on the window's thread.
class FarWatch : public QObject {
  Q_OBJECT
 public:
  explicit FarWatch(QObject* parent = nullptr);

  /// Connects to a run there; opened() or failed() tells what has come of it. What was before ends.
  void open(const launcher::Host& host, const QString& run);
  /// Whether somebody can see the figures: else they come once a second.
  void setSeen(bool seen);
  /// Nothing of another machine is watched any more.
  void leave();

  /// Null while leave() holds.
  const std::shared_ptr<launcher::RelayLink>& link() const { return link_; }
  const std::shared_ptr<monitor::FarSamples>& samples() const { return samples_; }
  /// What a person calls the machine; empty while leave() holds.
  QString machine() const { return link_ ? link_->host().name : QString(); }
  QList<theme::RunTrouble> troubles() const;

 Q_SIGNALS:
  void opened(const tutti::launcher::LaunchPlan& plan);
  /// Why the run cannot be watched, a sentence and what to do.
  void failed(const QString& what, const QString& next);
  /// troubles() changed.
  void changed();

 private:
  void noteState();

  std::shared_ptr<launcher::RelayLink> link_;
  std::shared_ptr<monitor::FarSamples> samples_;
  bool opened_ = false;
  bool seen_ = true;
  QTimer countdown_;  ///< to the next attempt, as it is shown
};

}  // namespace tutti::app
