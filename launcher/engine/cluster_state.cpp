// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/cluster_state.h"

#include <QStringList>
#include <algorithm>
#include <set>

#include "launcher/engine/hosts_import.h"
#include "launcher/engine/slurm_json.h"

namespace tutti::launcher {

namespace {

using composer::Error;
using composer::Json;

constexpr qsizetype longestReason = 1000;

QDateTime dateOf(double seconds) {
  return seconds > 0 && seconds < 1e11 ? QDateTime::fromSecsSinceEpoch(qint64(seconds))
                                       : QDateTime{};
}

/// 22.05 says it of each node, later versions of each row of nodes, in an object.
std::map<QString, NodeReason> reasonsOf(const Json& root) {
  std::map<QString, NodeReason> reasons;
  for (const char* list : {"nodes", "sinfo"}) {
    const auto rows = root.find(list);
    if (rows == root.end() || !rows->is_array()) continue;
    for (const Json& row : *rows) {
      if (!row.is_object()) continue;
      NodeReason reason;
      QStringList names;
      const auto told = row.find("reason");
      if (told != row.end() && told->is_object()) {
        reason = {textIn(*told, "description").left(longestReason), textIn(*told, "user"),
                  dateOf(numberIn(*told, "time"))};
      } else {
        reason = {textIn(row, "reason").left(longestReason), textIn(row, "reason_set_by_user"),
                  dateOf(numberIn(row, "reason_changed_at"))};
      }
      const auto nodes = row.find("nodes");
      if (nodes != row.end() && nodes->is_object())
        names = textsIn(*nodes, "nodes");
      else
        names << textIn(row, "name");
      if (reason.text.isEmpty()) continue;
      for (const QString& name : std::as_const(names)) reasons[name] = reason;
    }
  }
  return reasons;
}

}  // namespace

NodeUse nodeUse(const QString& state) {
  const QStringList words = state.toLower().split(u'+');
  const auto has = [&](std::initializer_list<const char*> any) {
    return std::any_of(any.begin(), any.end(),
                       [&](const char* word) { return words.contains(QLatin1String(word)); });
  };
  if (has({"down", "fail", "failing", "error", "not_responding", "no_respond", "power_down"}))
    return NodeUse::Down;
  if (has({"drain", "drained", "draining"})) return NodeUse::Drained;
  if (has({"allocated", "mixed", "completing", "alloc", "mix"})) return NodeUse::Allocated;
  if (has({"maint", "maintenance", "reserved", "reboot", "rebooting"})) return NodeUse::Unavailable;
  return has({"idle"}) ? NodeUse::Idle : NodeUse::Unavailable;
}

QString nodeUseText(NodeUse use) {
  switch (use) {
    case NodeUse::Idle:
      return QStringLiteral("idle");
    case NodeUse::Allocated:
      return QStringLiteral("allocated");
    case NodeUse::Down:
      return QStringLiteral("down");
    case NodeUse::Drained:
      return QStringLiteral("drained");
    case NodeUse::Unavailable:
      break;
  }
  return QStringLiteral("not available");
}

std::vector<ClusterNode> ClusterState::nodesOf(const QString& partition) const {
  std::vector<ClusterNode> result;
  std::set<QString> seen;
  for (const Partition& each : cluster.partitions) {
    if (!partition.isEmpty() && each.name != partition) continue;
    for (const ClusterNode& node : each.nodes) {
      if (seen.insert(node.name).second) result.push_back(node);
    }
  }
  std::sort(result.begin(), result.end(),
            [](const ClusterNode& a, const ClusterNode& b) { return a.name < b.name; });
  return result;
}

const SlurmJob* ClusterState::jobOn(const QString& node) const {
  const SlurmJob* found = nullptr;
  for (const SlurmJob& job : jobs) {
    if (!job.runs() || !job.nodes.contains(node)) continue;
    // One's own is what one looks for.
    if (found == nullptr || (isOwn(job) && !isOwn(*found))) found = &job;
  }
  return found;
}

std::vector<SlurmJob> ClusterState::jobsOf(const QString& partition) const {
  std::vector<SlurmJob> result;
  for (const SlurmJob& job : jobs) {
    if (!job.waits() && (partition.isEmpty() || job.partition == partition)) result.push_back(job);
  }
  std::sort(result.begin(), result.end(), [](const SlurmJob& a, const SlurmJob& b) {
    return a.end != b.end ? a.end < b.end : a.id < b.id;
  });
  const auto waiting = queueOf(jobs, partition);
  result.insert(result.end(), waiting.begin(), waiting.end());
  return result;
}

tl::expected<ClusterState, Error> clusterStateOf(const Cluster& known, const QByteArray& sinfo,
                                                 const QByteArray& partitions,
                                                 const QByteArray& squeue) {
  auto cluster = clusterOfSinfo(sinfo, partitions);
  if (!cluster) return tl::unexpected(cluster.error());
  auto jobs = jobsOfSqueue(squeue);
  if (!jobs) return tl::unexpected(jobs.error());
  ClusterState state;
  state.cluster = known;
  state.cluster.partitions = std::move(cluster->partitions);
  if (const auto source = answerOf(QStringLiteral("sinfo"), sinfo))
    state.reasons = reasonsOf(source->root());
  static const QStringList current{QStringLiteral("PENDING"), QStringLiteral("RUNNING"),
                                   QStringLiteral("CONFIGURING"), QStringLiteral("COMPLETING"),
                                   QStringLiteral("SUSPENDED")};
  // squeue also tells of jobs that have ended a short time ago.
  for (SlurmJob& job : *jobs) {
    if (current.contains(job.state)) state.jobs.push_back(std::move(job));
  }
  return state;
}

tl::expected<ClusterState, Error> askClusterState(const Cluster& known,
                                                  const std::stop_token& stop) {
  const auto ask = [&](const QStringList& words) { return askSlurm(known, words, stop); };
  const auto sinfo = ask({QStringLiteral("sinfo"), QStringLiteral("--json")});
  if (!sinfo) return tl::unexpected(sinfo.error());
  const auto partitions = ask(
      {QStringLiteral("sinfo"), QStringLiteral("--noheader"), QStringLiteral("--format=%R|%a|%l")});
  if (!partitions) return tl::unexpected(partitions.error());
  const auto squeue = ask({QStringLiteral("squeue"), QStringLiteral("--json")});
  if (!squeue) return tl::unexpected(squeue.error());
  auto state = clusterStateOf(known, *sinfo, *partitions, *squeue);
  // Without it no job is shown as one's own, and all else is as it is.
  const auto user = ask({QStringLiteral("id"), QStringLiteral("-un")});
  if (state && user) state->user = QString::fromUtf8(*user).trimmed();
  return state;
}

}  // namespace tutti::launcher
