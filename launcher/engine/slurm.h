// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/other_program.h"

// What Slurm says of a cluster and its queue: sinfo and squeue, with --json, of 22.05 and later.
// What they answer is others' and is bounded. Asking blocks; any thread.
namespace tutti::launcher {

/// A job as squeue knows it.
struct SlurmJob {
  qint64 id = 0;
  QString name;
  QString user;
  QString partition;
  QString state;      ///< Slurm's word, in upper case: "PENDING", "RUNNING", "NODE_FAIL" ...
  QString reason;     ///< why it waits, Slurm's word: "Resources", "Priority"; empty: none
  QStringList nodes;  ///< that it has
  int nodeCount = 0;
  int timeLimit = 0;  ///< minutes; 0: none
  double priority = 0;
  QDateTime submitted;
  QDateTime start;       ///< of one that waits: as Slurm estimates it, invalid when it does not
  QDateTime end;         ///< of one that runs: its time limit
  QList<qint64> after;   ///< jobs that it waits for, by number
  QString comment;       ///< whatever who has submitted it has put there
  bool isBatch = false;  ///< It is a script's; else salloc or srun hold it.
  QString script;        ///< path that sbatch was given; empty: none
  QString output;        ///< file of what its script prints, absolute; empty: not known
  QString firstNode;     ///< where its script runs; empty: not yet
  int exitCode = 0;      ///< of its script, once it has ended; -1: a signal ended it

  [[nodiscard]] bool waits() const { return state == QStringLiteral("PENDING"); }
  [[nodiscard]] bool runs() const { return state == QStringLiteral("RUNNING"); }
  /// It neither waits nor runs, nor does it begin or end just now.
  [[nodiscard]] bool isOver() const;
  /// Seconds until its limit; not a number when it does not run or has none.
  [[nodiscard]] double timeLeft(const QDateTime& now) const;
  friend bool operator==(const SlurmJob&, const SlurmJob&) = default;
};

/// The jobs that one continues, as its comment says, the last of them first: a run that goes on in
/// another job after its time limit marks it so, which Slurm keeps as long as the job. A dependency
/// Slurm drops when it is met.
QList<qint64> continuedJobs(const QString& comment);
/// The comment of the job that continues `job`, whose own is `comment`, which is kept.
QString commentOfContinuation(const QString& comment, qint64 job);

/// The answer of `squeue --json`: all jobs, also those that have ended a short time ago.
tl::expected<std::vector<SlurmJob>, composer::Error> jobsOfSqueue(const QByteArray& json);

/// Those of a partition (empty: of all) that wait, the next one first.
std::vector<SlurmJob> queueOf(const std::vector<SlurmJob>& jobs, const QString& partition);

/// "4th": a place in the queue.
QString ordinal(int number);

/// Where a job of ours is in the queue, as Slurm has just said.
struct QueuePlace {
  QString cluster;
  QString partition;
  qint64 job = 0;
  int nodes = 0;      ///< that it asks for
  bool waits = true;  ///< false: it has its nodes, or is over
  int place = 0;      ///< from 1; 0: not known
  QString reason;     ///< why it waits, Slurm's word; empty: none
  QDateTime since;    ///< it was submitted
  QDateTime start;    ///< as Slurm plans it; invalid: it plans none yet
  friend bool operator==(const QueuePlace&, const QueuePlace&) = default;
};
QueuePlace placeOf(const SlurmJob& job, const std::vector<SlurmJob>& jobs, const QDateTime& now);

/// "4th in the queue, starts about 15:35 (Resources)", of one that waits among all jobs.
QString waitText(const SlurmJob& job, const std::vector<SlurmJob>& jobs, const QDateTime& now);

/// "runs on n1, n2, 50 min left", its place in the queue, or Slurm's word for its state.
QString stateText(const SlurmJob& job, const std::vector<SlurmJob>& jobs);

/// Why a job with that reason will never start as it is, one sentence; empty when it may.
QString neverStarts(const QString& reason);

/// The nodes of a list as Slurm writes it, "n[1-3,7],login": at most 10 000; empty when it is not
/// understood.
QStringList nodesOfList(const QString& list);

/// "1 h 5 min", "40 s"
QString durationText(double seconds);

/// Why commands of Slurm cannot be given here for that cluster: its configuration cannot be read,
/// for which Slurm would look for a minute. Nothing when they can, or are given on a login host.
std::optional<composer::Error> faultOfConfiguration(const Cluster& cluster);

/// How a command of Slurm ended on that cluster's login host. An error when it could not be given:
/// there is no such program, the login host does not let us in, or it takes longer than a minute.
tl::expected<ProgramAnswer, composer::Error> callSlurm(const Cluster& cluster,
                                                       const QStringList& words,
                                                       const std::stop_token& stop = {});
/// What a command of Slurm answers; also an error when it failed, with Slurm's own words.
tl::expected<QByteArray, composer::Error> askSlurm(const Cluster& cluster, const QStringList& words,
                                                   const std::stop_token& stop = {});
tl::expected<std::vector<SlurmJob>, composer::Error> askQueue(const Cluster& cluster,
                                                              const std::stop_token& stop = {});
tl::expected<void, composer::Error> cancelJob(const Cluster& cluster, qint64 job,
                                              const std::stop_token& stop = {});

}  // namespace tutti::launcher
