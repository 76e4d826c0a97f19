// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_nodes.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <limits>
#include <mutex>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

namespace {

using Checks = std::vector<PreflightCheck>;

/// The plan's hosts in one partition, by number.
std::vector<PlannedHost*> nodesIn(LaunchPlan& plan, const QString& cluster,
                                  const QString& partition) {
  std::vector<PlannedHost*> result;
  for (auto& one : plan.hosts) {
    const auto& node = one.host.jobNode;
    if (node && node->cluster == cluster && node->partition == partition) result.push_back(&one);
  }
  std::sort(result.begin(), result.end(), [](const auto* a, const auto* b) {
    return a->host.jobNode->number < b->host.jobNode->number;
  });
  return result;
}

PreflightCheck refused(const QString& where, const QString& why, const QString& next) {
  return {QStringLiteral("nodes-") + where,
          PreflightCheck::Level::Error,
          QStringLiteral("There are no nodes of %1").arg(where),
          why + QStringLiteral(". ") + next,
          where,
          {},
          {{QStringLiteral("Copy the command that shows its nodes"),
            {},
            QStringLiteral("sinfo --partition=%1 --Node --long").arg(where.section(u'/', 1))}}};
}

// Not "bind", which std::bind would be taken for.
void give(const std::vector<PlannedHost*>& hosts, qint64 job, const QStringList& nodes) {
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i]->host.jobNode->job = job;
    hosts[i]->host.jobNode->node = nodes[qsizetype(i)];
  }
}

/// The names that were given, "slurm/sim/1 is n4".
QString boundTo(const std::vector<PlannedHost*>& hosts) {
  QStringList parts;
  for (const auto* one : hosts)
    parts << QStringLiteral("%1 is %2").arg(one->host.name, one->host.jobNode->node);
  return parts.join(QStringLiteral(", "));
}

/// " until 15:35, for 1 h 0 min"; empty when Slurm does not say, or the job has no limit.
QString untilText(const Cluster& cluster, qint64 id) {
  const auto jobs = askQueue(cluster);
  if (!jobs) return {};
  const QDateTime now = QDateTime::currentDateTime();
  for (const SlurmJob& job : *jobs) {
    const double left = job.id == id ? job.timeLeft(now) : std::numeric_limits<double>::quiet_NaN();
    if (std::isnan(left)) continue;
    const bool today = job.end.date() == now.date();
    return QStringLiteral(" until %1, for %2")
        .arg(job.end.toString(today ? QStringLiteral("HH:mm") : QStringLiteral("yyyy-MM-dd HH:mm")),
             durationText(std::ceil(left / 60) * 60));
  }
  return {};
}

}  // namespace

std::vector<Allocation::Request> requestsOf(const LaunchPlan& plan) {
  std::vector<Allocation::Request> requests;
  for (const auto& one : plan.hosts) {
    if (!one.host.jobNode) continue;
    const JobNode& node = *one.host.jobNode;
    auto known = std::find_if(requests.begin(), requests.end(), [&](const auto& each) {
      return each.cluster.name == node.cluster && each.partition == node.partition;
    });
    if (known == requests.end()) {
      Allocation::Request request;
      Cluster& cluster = request.cluster;
      cluster.name = node.cluster;
      cluster.destination = one.host.destination;
      cluster.identityFile = one.host.identityFile;
      cluster.knownHostsFile = one.host.knownHostsFile;
      cluster.port = one.host.port;
      cluster.configuration = node.configuration;
      cluster.account = node.account;
      cluster.qos = node.qos;
      cluster.timeLimit = node.timeLimit;
      cluster.saveBeforeLimit = node.saveBeforeLimit;
      cluster.continues = node.continues;
      cluster.immediate = node.immediate;
      cluster.exclusive = node.exclusive;
      request.partition = node.partition;
      request.nodes = 0;
      request.seconds = plan.stopAfter.value_or(0);
      known = requests.insert(requests.end(), request);
    }
    ++known->nodes;
    // All nodes of a job have the same: as much as the one that needs most.
    known->cores = std::max(known->cores, one.cores);
    known->memoryMb = std::max(known->memoryMb, one.memoryMb);
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i].name = QStringLiteral("tutti-%1.%2").arg(plan.run).arg(i + 1);
  return requests;
}

tl::expected<Allocations, Checks> bindNodes(LaunchPlan& plan,
                                            const std::function<void(const QString&)>& say,
                                            const std::stop_token& stop,
                                            const std::function<void(const QueuePlace&)>& queue) {
  const auto requests = requestsOf(plan);
  Allocations allocations;
  if (requests.empty()) return allocations;
  const auto where = [](const Allocation::Request& request) {
    return request.cluster.name + u'/' + request.partition;
  };
  if (const qint64 job = qEnvironmentVariable("SLURM_JOB_ID").toLongLong(); job > 0) {
    const QStringList nodes = nodesOfList(qEnvironmentVariable("SLURM_JOB_NODELIST"));
    qsizetype taken = 0;
    for (const auto& request : requests) {
      const auto hosts = nodesIn(plan, request.cluster.name, request.partition);
      if (taken + request.nodes > nodes.size())
        return tl::unexpected(Checks{refused(
            where(request),
            QStringLiteral(
                "This is inside the Slurm job %1, which has %2 nodes, and more are named")
                .arg(job)
                .arg(nodes.size()),
            QStringLiteral("Ask for as many nodes as the composition names, or start the run "
                           "outside of a job."))});
      give(hosts, job, nodes.mid(taken, request.nodes));
      // Slurm's commands are here, and slurmd has said where its configuration is.
      for (auto* one : hosts) {
        one->host.destination.clear();
        one->host.jobNode->configuration.clear();
        one->host.jobNode->withHome =
            one->host.jobNode->node == qEnvironmentVariable("SLURMD_NODENAME");
      }
      taken += request.nodes;
      if (say) say(QStringLiteral("Of this job %1: %2").arg(job).arg(boundTo(hosts)));
    }
    return allocations;
  }
  // A run may ask more than once, as a rerun does to see what has changed on the nodes, and what
  // ends the first job looks for a while whether one of its name comes back.
  static std::atomic<int> asked = 0;
  for (auto request : requests) {
    request.name = QStringLiteral("tutti-%1.%2").arg(plan.run).arg(++asked);
    allocations.push_back(std::make_shared<Allocation>(request));
  }
  std::mutex telling;
  const auto tell = [&](const QueuePlace& place) {
    const std::lock_guard guard(telling);
    if (queue) queue(place);
  };
  // All wait at once: their turns come independently.
  std::vector<std::future<tl::expected<Allocation::State, Agent::Loss>>> awaited;
  for (const auto& one : allocations)
    awaited.push_back(std::async(
        std::launch::async, [&say, &stop, &tell, one] { return one->await(say, stop, tell); }));
  Checks errors;
  for (std::size_t i = 0; i < awaited.size(); ++i) {
    const auto state = awaited[i].get();
    const auto& request = requests[i];
    if (!state) {
      errors.push_back(refused(where(request), state.error().why, state.error().next));
      // Without these the others are of no use.
      for (const auto& one : allocations) one->end();
      continue;
    }
    const auto hosts = nodesIn(plan, request.cluster.name, request.partition);
    give(hosts, state->job, state->nodes);
    if (say)
      say(QStringLiteral("Job %1 runs%2: %3")
              .arg(state->job)
              .arg(untilText(request.cluster, state->job), boundTo(hosts)));
  }
  if (!errors.empty()) return tl::unexpected(errors);
  return allocations;
}

}  // namespace tutti::launcher
