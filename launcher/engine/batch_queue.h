// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "launcher/engine/batch_job.h"

// What Slurm says of the runs that are batch jobs, and how they are ended. All that asks Slurm
// blocks, for up to a minute each time; any thread.
namespace tutti::launcher {

/// What Slurm says of jobs, and who asks.
struct AskedJobs {
  std::vector<SlurmJob> jobs;  ///< Of everybody, also those that have ended a short time ago.
  QString user;                ///< On the login host; never empty.

  /// Null: Slurm knows none of that number.
  [[nodiscard]] const SlurmJob* find(qint64 job) const;
  /// A script of Tutti's that this account has submitted.
  [[nodiscard]] bool isOwnRun(const SlurmJob& job) const;
  /// A script of this account's that says in its comment that it continues that job.
  [[nodiscard]] bool isMarked(const SlurmJob& each, qint64 job) const;
  /// It waits for that job, or for one that does.
  [[nodiscard]] bool isAfter(const SlurmJob& each, qint64 job) const;
  /// The jobs that continue `job`, or wait to, by number: those that are marked so, also when Slurm
  /// has forgotten `job`, and those that Slurm says depend on it. Slurm may say that no longer once
  /// it is over: then also those of its submission, and `seen`, which depended on it before. Two
  /// jobs of one script of a person's are no continuation.
  [[nodiscard]] std::vector<const SlurmJob*> continuing(qint64 job,
                                                        const std::optional<BatchJob>& submitted,
                                                        const QList<qint64>& seen = {}) const;
  /// The last of them. Null: none.
  [[nodiscard]] const SlurmJob* following(qint64 job, const std::optional<BatchJob>& submitted,
                                          const QList<qint64>& seen = {}) const;
  /// No job of that submission waits or runs: Slurm says so, or knows none of them and has had a
  /// day to forget them.
  [[nodiscard]] bool isOver(const BatchJob& submitted) const;
};
tl::expected<AskedJobs, composer::Error> askJobs(const Cluster& cluster,
                                                 const std::stop_token& stop = {});

/// Why that job cannot be watched or stopped as a run, or nothing. `submitted`: what this account
/// has kept of it.
std::optional<composer::Error> faultOfJob(qint64 job, const Cluster& cluster,
                                          const AskedJobs& asked,
                                          const std::optional<BatchJob>& submitted);

/// The first node of a running job as a host, for RelayLink and runsOn().
Host firstNodeOf(const SlurmJob& job, const Cluster& cluster,
                 const std::optional<BatchJob>& submitted);

/// How a job has ended, a part of a sentence: "ended in order", "has reached its time limit".
QString endText(const SlurmJob& job);

/// What came of a wish to stop.
enum class StopResult {
  Cancelled,  ///< It waited, or was ended at once.
  Asked,      ///< Its run was told to end in order; how long that takes is the run's.
  WasOver,
};
struct Stopped {
  StopResult result = StopResult::WasOver;
  qint64 job = 0;  ///< The one that was meant, or the one that continues it.
};
/// Ends a run in a job, and takes the job that would continue it out of the queue. Of a job that is
/// over the one that continues it is ended. One that runs is asked to end in order, unless `now` is
/// set or it has been asked before: then Slurm ends it.
tl::expected<Stopped, composer::Error> stopBatchJob(qint64 job, const Cluster& cluster, bool now,
                                                    const std::stop_token& stop = {});

/// A run in a job, for lists.
struct ListedJob {
  QString cluster;
  SlurmJob job;
  QString text;  ///< where it is: "2nd in the queue", "runs on n1, n2, 50 min left"
  QString federation;
};
/// This account's runs that wait or run as jobs on that cluster.
std::vector<ListedJob> listedJobs(const Cluster& cluster, const AskedJobs& asked);
/// Those of all clusters for which a submitted job is not known to be over. The errors are of
/// clusters that do not answer within 10 s.
struct OwnBatchJobs {
  std::vector<ListedJob> jobs;
  std::vector<composer::Error> errors;
};
OwnBatchJobs ownBatchJobs();

}  // namespace tutti::launcher
