// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/launch_plan.h"
#include "launcher/engine/slurm.h"

// Runs as batch jobs of Slurm, which need no console: `tutti run` on the first node of the job.
//
// What a job needs is kept in a folder of its own:
//
//   launch.json, connections.json   the plans, as they were when it was submitted
//   job.sbatch                      the script, which `tutti run` submits again at a time limit
//   cluster.hosts.json              how the cluster is reached
//   jobs                            the number of the job, and of each that has continued it
//   FEDERATION-JOB.log              what `tutti run` has printed there
//   over                            none of them waits or runs any more
//   asked-to-stop                   numbers of jobs that were told to end
//
// What these jobs do, batch_queue.h asks Slurm.
namespace tutti::launcher {

/// A run that was submitted, as its folder has it.
struct BatchJob {
  QString folder;
  Cluster cluster;     ///< how it is reached; without partitions
  QList<qint64> jobs;  ///< the first one and those that have continued it; empty: not submitted
  QString federation;
  QString composition;  ///< its file; empty: never saved
  bool over = false;    ///< It was seen that none of them waits or runs.
  /// Of one that was submitted just now: what went wrong with it, in sentences. Without a job: it
  /// is not known whether Slurm has taken it.
  QString doubt;

  /// The script that each of its jobs runs.
  [[nodiscard]] QString script() const;
};

/// $XDG_STATE_HOME/tutti/jobs
QString jobsFolder();

/// What is submitted.
struct BatchRequest {
  LaunchPlan plan;       ///< It is not settled.
  QString architecture;  ///< Of all its federates; empty: none.
  QStringList options;   ///< Of `tutti run`, but --restore.
  QString restore;       ///< Label of a save that the first job begins with; empty: none.
  QString tutti;         ///< Path of the program, here and on the nodes.
  QString folder;        ///< Empty: one is made in jobsFolder(). It must have no job yet.
};

/// The files of a folder but "jobs" and those that come later, by name. Pure. The error says why
/// the plan's run cannot be a job.
tl::expected<std::map<QString, QByteArray>, composer::Error> filesOfBatchJob(
    const BatchRequest& request, const QString& folder);

/// Writes the folder and has sbatch take its script. Where the cluster has a login host, the files
/// that the run needs must be there at the same paths, which is asked first: nothing is copied.
/// The error says what is refused, and by whom; then no folder stays that was made here. Where
/// sbatch gave no clear answer the job may be queued: the folder stays, and `doubt` says so.
tl::expected<BatchJob, composer::Error> submitBatchJob(const BatchRequest& request,
                                                       const std::stop_token& stop = {});

tl::expected<BatchJob, composer::Error> readBatchJob(const QString& folder);
/// All in jobsFolder(), the newest first. Reads files only.
std::vector<BatchJob> submittedJobs(const QString& folder = jobsFolder());
/// The one with a job of that number, on that cluster (empty: any).
std::optional<BatchJob> submittedJob(qint64 job, const QString& cluster = {},
                                     const QString& folder = jobsFolder());
/// The one that was submitted to this very cluster: numbers and names of clusters repeat.
std::optional<BatchJob> submittedJob(qint64 job, const Cluster& cluster,
                                     const QString& folder = jobsFolder());
/// Both are reached in the same way, by the same name.
bool isSameCluster(const Cluster& one, const Cluster& other);

/// Notes in its folder that none of its jobs waits or runs any more, so that nobody asks again.
void noteJobOver(const BatchJob& job);
/// Notes, or looks, whether a job was asked to end in order.
void noteAskedToStop(const BatchJob& job, qint64 number);
bool wasAskedToStop(const BatchJob& job, qint64 number);

}  // namespace tutti::launcher
