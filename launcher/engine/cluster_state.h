// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <map>
#include <stop_token>
#include <tl/expected.hpp>
#include <vector>

#include "composer/model/error.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/slurm.h"

// What a Slurm cluster has and does at one moment: nodes with their states, and all jobs.
namespace tutti::launcher {

/// Whether a job could get a node, as an operator sees it.
enum class NodeUse {
  Idle,
  Allocated,    ///< wholly or partly
  Down,         ///< failed, or does not answer
  Drained,      ///< takes no new job, by an administrator's word
  Unavailable,  ///< reserved, in maintenance, or in a state that is not known
};

/// Of Slurm's word for a node's state with its flags, "idle+drain".
NodeUse nodeUse(const QString& state);
/// "idle", "allocated", "down", "drained", "not available"
QString nodeUseText(NodeUse use);

/// Why a node is down or drained, as whoever set it says.
struct NodeReason {
  QString text;
  QString by;
  QDateTime since;  ///< invalid: not known
  friend bool operator==(const NodeReason&, const NodeReason&) = default;
};

struct ClusterState {
  Cluster cluster;                        ///< with its partitions as they are now
  std::map<QString, NodeReason> reasons;  ///< by node, of those that have one
  std::vector<SlurmJob> jobs;             ///< that wait or run
  QString user;                           ///< who asked, on the login host; empty: not known

  /// Nodes of a partition; of all, each once, when empty. By name.
  [[nodiscard]] std::vector<ClusterNode> nodesOf(const QString& partition) const;
  /// The running job that has the node; null: none, or several are possible.
  [[nodiscard]] const SlurmJob* jobOn(const QString& node) const;
  [[nodiscard]] bool isOwn(const SlurmJob& job) const {
    return !user.isEmpty() && job.user == user;
  }
  /// Jobs of a partition (empty: of all): those that run by the end of their limit, then those that
  /// wait by their place.
  [[nodiscard]] std::vector<SlurmJob> jobsOf(const QString& partition) const;

  friend bool operator==(const ClusterState&, const ClusterState&) = default;
};

/// From the answers of `sinfo --json`, `sinfo --format=%R|%a|%l` and `squeue --json`. Pure.
tl::expected<ClusterState, composer::Error> clusterStateOf(const Cluster& known,
                                                           const QByteArray& sinfo,
                                                           const QByteArray& partitions,
                                                           const QByteArray& squeue);

/// Asks a cluster's login host, or Slurm here. Blocks, up to a minute when the controller is gone
/// and `stop` is not asked for; any thread.
tl::expected<ClusterState, composer::Error> askClusterState(const Cluster& known,
                                                            const std::stop_token& stop = {});

}  // namespace tutti::launcher
