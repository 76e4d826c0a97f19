// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/clusters_figures.h"

#include <QFileInfo>
#include <algorithm>

#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "composer/model/catalog.h"
#include "composer/model/composition.h"
#include "launcher/engine/cluster_state.h"
#include "launcher/engine/slurm_account.h"
#include "launcher/engine/slurm_nodes.h"
#include "launcher/engine/start_offer.h"

namespace tutti::app {

using namespace launcher;
using composer::Error;

namespace {

template <typename Value>
nlohmann::json orNull(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json timeJson(const QDateTime& at) {
  return at.isValid() ? nlohmann::json(at.toUTC().toString(Qt::ISODate).toStdString())
                      : nlohmann::json();
}

QString momentText(const QDateTime& at, const QDateTime& now) {
  const bool today = at.date() == now.date();
  return at.toString(today ? QStringLiteral("HH:mm") : QStringLiteral("yyyy-MM-dd HH:mm"));
}

/// The partition as Slurm knows it now; without nodes when it does not answer.
Partition partitionNow(const Cluster& cluster, const QString& name) {
  if (const auto state = askClusterState(cluster)) {
    for (const Partition& each : state->cluster.partitions) {
      if (each.name == name) return each;
    }
  }
  return {};
}

nlohmann::json offerJson(const StartOffer& offer, const QString& reason) {
  nlohmann::json next;
  if (offer.next) next = {{"job", offer.next->job}, {"start", timeJson(offer.next->start)}};
  return {{"nodes", offer.request.nodes},
          {"minutes", minutesOf(offer.request)},
          {"start", timeJson(offer.forecast.start)},
          {"end", timeJson(offer.end())},
          {"onNodes", offer.forecast.nodes.toStdString()},
          {"next", next},
          {"text", (offerTitle(offer) + QStringLiteral(". ") + reason).toStdString()}};
}

}  // namespace

int printAccount(Invocation& invocation, const Cluster& cluster) {
  const auto state = askClusterState(cluster);
  if (!state) return invocation.fail(state.error().message());
  const auto account = askAccount(cluster, state->user);
  if (!account) return invocation.fail(account.error().message());
  const auto jobs = std::count_if(state->jobs.begin(), state->jobs.end(), [&](const auto& job) {
    return state->isOwn(job) && !job.waits();
  });
  if (invocation.json) {
    invocation.print({{"cluster", cluster.name.toStdString()},
                      {"user", state->user.toStdString()},
                      {"keepsAccounts", account->isKept},
                      {"account", account->name.toStdString()},
                      {"hoursOf", account->areCoreHours ? "cores" : "nodes"},
                      {"hoursUsed", orNull(account->hoursUsed)},
                      {"hoursLimit", orNull(account->hoursLimit)},
                      {"jobsRunning", jobs},
                      {"jobsAtATime", orNull(account->jobsAtATime)},
                      {"fairShare", orNull(account->fairShare)},
                      {"fairShareRank", account->rank},
                      {"fairShareUsers", account->users}});
    return Ok;
  }
  QTextStream& out = invocation.out;
  if (!account->isKept) {
    out << cluster.name << " keeps no accounts: jobs are not charged. Jobs of " << state->user
        << " that run: " << jobs << Qt::endl;
    return Ok;
  }
  if (account->name.isEmpty()) {
    out << state->user << " has no account on " << cluster.name << ". Name one in the hosts file."
        << Qt::endl;
    return Findings;
  }
  out << cluster.name << ", account " << account->name << ", user " << state->user << '\n';
  if (account->hoursUsed)
    out << (account->areCoreHours ? "  Core hours used  " : "  Node hours used  ")
        << hoursText(*account->hoursUsed)
        << (account->hoursLimit ? QStringLiteral(" of ") + hoursText(*account->hoursLimit)
                                : QStringLiteral(", no limit"))
        << '\n';
  out << "  Jobs at a time   " << jobs
      << (account->jobsAtATime ? QStringLiteral(" of %1").arg(*account->jobsAtATime)
                               : QStringLiteral(", no limit"))
      << '\n';
  if (account->fairShare) out << "  Fair share       " << fairShareText(*account) << '\n';
  out.flush();
  return Ok;
}

int printStart(Invocation& invocation, const QString& file, const QString& hosts) {
  const auto input = readRunInput(file, hosts);
  if (!input) return invocation.fail(Error{{}, 0, {}, input.error(), {}}.message());
  const auto requests = requestsOf(input->plan);
  if (requests.empty())
    return invocation.fail(Error{file,
                                 0,
                                 {},
                                 QStringLiteral("No federate is placed on a node of a cluster."),
                                 QStringLiteral("Name CLUSTER/PARTITION/1 as the host of one.")}
                               .message());
  const auto composition = composer::Composition::load(file);
  if (!composition) return invocation.fail(composition.error().message());
  const QString described = hosts.isEmpty() ? hostsFileOf(file) : hosts;
  const auto deployment = Deployment::read(described);
  if (!deployment) return invocation.fail(deployment.error().message());
  const auto catalog = composer::Catalog::readDefault();
  const auto now = QDateTime::currentDateTime();
  nlohmann::json list = nlohmann::json::array();
  int result = Ok;
  for (const Allocation::Request& request : requests) {
    const QString where = request.cluster.name + u'/' + request.partition;
    const auto answer = forecast(request);
    if (!answer) {
      result = Findings;
      if (invocation.json)
        list.push_back({{"partition", where.toStdString()},
                        {"error", answer.error().message().toStdString()}});
      else
        invocation.err << where << ": " << answer.error().message() << Qt::endl;
      continue;
    }
    if (!answer->isAllowed) result = Findings;
    const Partition partition = partitionNow(request.cluster, request.partition);
    const auto federates =
        federatesIn(*composition, catalog, *deployment, request.cluster.name, request.partition);
    std::optional<StartOffer> offer;
    if (answer->isAllowed && !startsNow(*answer, now))
      offer = askOffer(request, withFewerNodes(request, federates, partition));
    double cores = 0;
    for (const NodeFederate& one : federates) cores += one.need.cores;
    const QString reason =
        offer ? offerReason(*offer, cores, offerOf(partition).cores, now) : QString();
    const auto hours = nodeHoursAtMost(request, partition);
    if (invocation.json) {
      list.push_back({{"partition", where.toStdString()},
                      {"nodes", request.nodes},
                      {"minutes", minutesOf(request)},
                      {"nodeHoursAtMost", orNull(hours)},
                      {"allowed", answer->isAllowed},
                      {"start", timeJson(answer->start)},
                      {"text", answer->words.toStdString()},
                      {"now", offer ? offerJson(*offer, reason) : nlohmann::json()}});
      continue;
    }
    invocation.out << where << ": ";
    if (!answer->isAllowed) {
      invocation.out << "Slurm does not give " << request.nodes << " nodes: " << answer->words
                     << Qt::endl;
      continue;
    }
    invocation.out << request.nodes << (request.nodes == 1 ? " node" : " nodes") << " could start "
                   << (startsNow(*answer, now)
                           ? QStringLiteral("now")
                           : QStringLiteral("about ") + momentText(answer->start, now));
    if (hours) invocation.out << ", at most " << hoursText(*hours) << " node hours";
    invocation.out << Qt::endl;
    if (offer)
      invocation.out << "  " << offerTitle(*offer) << ". " << reason
                     << " Spread the federates over so many nodes on the page Deploy." << Qt::endl;
  }
  if (invocation.json) invocation.print({{"jobs", list}});
  return result;
}

}  // namespace tutti::app
