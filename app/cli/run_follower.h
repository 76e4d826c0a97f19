// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEventLoop>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <functional>

#include "app/cli/verb.h"
#include "launcher/engine/relay_link.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"

namespace tutti::app {

/// Prints what a run tells until it ends or this process is told to leave it.
class RunFollower {
 public:
  RunFollower(Invocation& invocation, QStringList federates, QString pattern);

  void listenTo(launcher::Run& run);
  /// Tells of the connection to another machine.
  void listenTo(launcher::RelayLink& link);

  /// Returns when the run has ended, or when a signal came, whose number it returns.
  int follow(const launcher::Run& run, int ends, const std::function<void(int)>& signalled);
  void leave() { loop_.quit(); }

  /// Returns when what is kept of a run that has ended is complete; a signal ends fetching logs.
  void await(launcher::RunRecording& recording, int ends);

 private:
  void tellOf(const launcher::RelayLink& link);
  /// Once when what runs there is not seen any more, and when it is again.
  void tellOf(const launcher::HostStatus& host);
  bool concerns(const QString& id) const { return federates_.isEmpty() || federates_.contains(id); }
  void printEvent(const QString& host, const QJsonObject& event);
  void print(const QJsonObject& event);
  void printLine(const launcher::LogLine& line);

  Invocation& invocation_;
  QStringList federates_;
  QString pattern_;
  QEventLoop loop_;
  bool up_ = true;
  QStringList unseen_;  ///< hosts
};

/// What SIGINT, SIGTERM and SIGHUP come to instead of ending this process: a signalfd.
int signalsToEnd();
/// The number of the signal that has come to it; 0: none.
int takeSignal(int ends);

/// Opens a connection to a run and waits for its plan. Nothing: a signal came, whose number is in
/// `signal`, or it was closed, and link.whyLost() says why.
std::optional<launcher::LaunchPlan> openLink(launcher::RelayLink& link, int ends, int& signal);

/// How the run was when it was left, as the exit code; says so.
int outcomeOf(Invocation& invocation, const launcher::Run& followed, int signal);

}  // namespace tutti::app
