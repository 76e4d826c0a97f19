// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QEventLoop>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>

#include "app/cli/verb.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"

namespace tutti::app {

/// A run that goes on, whoever has it, as the verbs attach, start, stop and kill reach it.
class RunReach {
 public:
  explicit RunReach(launcher::LaunchPlan plan) : plan_(std::move(plan)) {}

  /// Takes the run over; false when another program has it, or it has ended. Blocks until that is
  /// known. Its end is recorded unless it is kept.
  bool own(bool kept = false);
  /// Watches it; false when it has ended. Blocks until its state is known.
  bool watch();

  launcher::Run& run() { return *run_; }
  /// Waits, when this has the run and it has ended, until that is recorded with the logs of its
  /// hosts. Why something is missing; empty: nothing is.
  QString awaitRecord();
  /// Why it was not reached, sentences.
  QString why() const;

  static constexpr int longestMs = 30000;
  /// Waits until that holds, or the run is over, or so many ms have passed; false then.
  bool await(const std::function<bool()>& holds, int atMostMs = longestMs);

 private:
  void renew();
  bool reached();

  launcher::LaunchPlan plan_;
  std::unique_ptr<launcher::Run> run_;
  std::unique_ptr<launcher::RunRecording> recording_;
};

/// `tutti start|stop|kill RUN [FEDERATE|@GROUP ...]`.
int commandRun(Invocation& invocation, const QString& verb);

}  // namespace tutti::app
