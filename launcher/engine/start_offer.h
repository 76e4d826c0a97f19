// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "launcher/engine/partition_spread.h"
#include "launcher/engine/slurm_forecast.h"

// The job that asks for less than the one that has to wait, and that Slurm would start now.
namespace tutti::launcher {

/// Slurm plans in steps: a start that is nearer than this is now.
constexpr qint64 startsNowSeconds = 60;
/// Whether a job with that forecast would start now.
bool startsNow(const JobForecast& forecast, const QDateTime& now);

/// Another job that waits for nodes of the offer.
struct NextTaker {
  qint64 job = 0;
  QDateTime start;  ///< as Slurm plans it
  friend bool operator==(const NextTaker&, const NextTaker&) = default;
};

struct StartOffer {
  Allocation::Request request;    ///< its time limit is that of its cluster
  JobForecast forecast;           ///< what `sbatch --test-only` said to it
  bool isShorter = false;         ///< it asks for less time than was asked for
  std::optional<NextTaker> next;  ///< who takes the nodes behind it; nothing: nobody is planned
  /// When its time limit ends it; invalid: the limit is the partition's own.
  [[nodiscard]] QDateTime end() const;
};

/// The same with no more time than the run needs; nothing when that is not less, or not known.
std::optional<Allocation::Request> withLessTime(const Allocation::Request& request);
/// For each number of nodes below that of `wanted` on which the federates of its partition fit, the
/// request that this would be; most nodes first. `offer`: the partition as it is known. Pure.
std::vector<Allocation::Request> withFewerNodes(const Allocation::Request& wanted,
                                                const std::vector<NodeFederate>& federates,
                                                const Partition& offer);

/// What Slurm says to a request; nothing: it does not answer.
using AskForecast = std::function<std::optional<JobForecast>(const Allocation::Request&)>;
/// Looks for the request that starts now: `wanted` with less time, else the one of `fewer` with
/// most nodes, with its whole time if that can be. At most 16 questions. What is offered was asked;
/// a larger one may have been missed. Nothing: none starts now.
std::optional<StartOffer> findOffer(const Allocation::Request& wanted,
                                    const std::vector<Allocation::Request>& fewer,
                                    const AskForecast& ask, const QDateTime& now);

/// Who is planned next on one of these nodes (a list as Slurm writes it), from the answer of
/// `squeue --format=%i|%S|%Y` for jobs that wait. Pure.
std::optional<NextTaker> nextOn(const QString& nodes, const QByteArray& squeue,
                                const QDateTime& now);

/// findOffer() of a cluster's Slurm, with who comes next. Nothing is submitted. Blocks; any thread.
std::optional<StartOffer> askOffer(const Allocation::Request& wanted,
                                   const std::vector<Allocation::Request>& fewer,
                                   const std::stop_token& stop = {});

/// "6 nodes for 30 min could start now"
QString offerTitle(const StartOffer& offer);
/// "They end at 14:46, before job 48201 takes them at 14:52. The run needs 87 of their 96 cores and
/// stops after 25 min."
QString offerReason(const StartOffer& offer, double coresNeeded, double coresOfNode,
                    const QDateTime& now);

}  // namespace tutti::launcher
