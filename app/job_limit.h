// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QString>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "launcher/engine/launch_plan.h"

namespace tutti::app {

/// Saves the federation of a run before the Slurm job that it runs in reaches its time limit, in a
/// thread of its own.
///
/// 1. It asks the queue when the jobs of the plan end, again twice a minute: the first of them
/// counts.
/// 2. So many minutes before, or in the middle of the time that is left where that is less, it has
///    the federation saved as "before-limit-of-job-JOB", until shortly before the limit.
/// 3. Inside a job that continues, it then submits the script of that job again (TUTTI_JOB_SCRIPT),
///    to start when this job is over, and to restore that save; nobody may be left to do it then.
class LimitSave {
 public:
  struct Result {
    qint64 job = 0;        ///< whose limit comes first; 0: none has one
    QDateTime end;         ///< of that
    QString label;         ///< of the save; empty: there is none, or not yet
    QString problem;       ///< why not
    qint64 following = 0;  ///< job that waits to continue from it
  };

  /// `minutes`: 0: there is no save. `say` gets sentences, from the thread.
  LimitSave(launcher::LaunchPlan plan, int minutes, bool continues,
            std::function<void(const QString&)> say);
  /// Ends what goes on. A following job is cancelled unless the limit has come.
  ~LimitSave();

  [[nodiscard]] Result result() const;

 private:
  void run(const std::stop_token& stop);
  bool findEnd(const std::stop_token& stop);
  void save(const std::stop_token& stop, double leadSeconds);
  void submitFollowing();

  const launcher::LaunchPlan plan_;
  const int minutes_;
  const bool continues_;
  const std::function<void(const QString&)> say_;
  QString ownComment_;        ///< of the job that it runs in; of the thread
  mutable std::mutex mutex_;  ///< guards result_
  Result result_;
  std::jthread thread_;
};

/// The plan by which a run goes on in another job: on nodes that are not bound yet, for what is
/// left of its time after `elapsed` seconds.
launcher::LaunchPlan continuation(const launcher::LaunchPlan& plan, double elapsed);

/// Restores a federation before it goes on: holds its logical time from its first moment, restores
/// it once it is told that all federates are ready, and lets time go on.
class RestoreAtStart {
 public:
  /// `done` gets a sentence that says why it was not restored, empty when it was, from the thread.
  RestoreAtStart(QString node, QString federation, QString label,
                 std::function<void(const QString&)> done);
  ~RestoreAtStart() = default;
  void allAreReady() { ready_ = true; }

 private:
  void run(const std::stop_token& stop);

  const QString node_;
  const QString federation_;
  const QString label_;
  const std::function<void(const QString&)> done_;
  std::atomic<bool> ready_ = false;
  std::jthread thread_;
};

}  // namespace tutti::app
