// SPDX-License-Identifier: GPL-3.0-or-later
// tutti clusters: what Slurm clusters have and who waits for it, now.
#include <QCoreApplication>
#include <QFileInfo>
#include <QThread>
#include <algorithm>
#include <cmath>
#include <map>

#include "app/cli/batch_following.h"
#include "app/cli/clusters_figures.h"
#include "app/cli/clusters_named.h"
#include "app/cli/verb.h"
#include "app/cli/verb_run_input.h"
#include "composer/model/command_line.h"
#include "composer/model/json_fields.h"
#include "launcher/engine/hosts.h"
#include "launcher/engine/hosts_import.h"
#include "launcher/engine/slurm.h"
#include "launcher/engine/slurm_script.h"

namespace {

using namespace tutti::app;
using namespace tutti::launcher;
using tutti::composer::Error;
using tutti::composer::stringsJson;

const QString verb = QStringLiteral("clusters");
constexpr unsigned long watchSeconds = 2;

/// "2 idle, 1 down", the most frequent state first.
QString statesOf(const Partition& partition) {
  std::map<QString, int> counts;
  for (const ClusterNode& node : partition.nodes) ++counts[node.state];
  std::vector<std::pair<QString, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  QStringList parts;
  for (const auto& [state, count] : sorted) parts << QStringLiteral("%1 %2").arg(count).arg(state);
  return parts.join(QStringLiteral(", "));
}

void print(QTextStream& out, const Cluster& cluster) {
  for (const Partition& partition : cluster.partitions) {
    out << cluster.name << '/' << partition.name << ": " << partition.state << ", jobs of "
        << (partition.timeLimit > 0
                ? QStringLiteral("up to ") + durationText(60.0 * partition.timeLimit)
                : QStringLiteral("any time"))
        << ", nodes: " << (partition.nodes.empty() ? QStringLiteral("none") : statesOf(partition))
        << '\n';
    qsizetype width = 0;
    for (const ClusterNode& node : partition.nodes) width = std::max(width, node.name.size());
    for (const ClusterNode& node : partition.nodes) {
      out << "  " << node.name.leftJustified(width + 2) << node.state.leftJustified(12) << "  "
          << node.cores << " cores  " << QString::number(node.memoryMb, 'f', 0) << " MB";
      if (!node.labels.isEmpty()) out << "  " << node.labels.join(QStringLiteral(", "));
      out << '\n';
    }
  }
  out.flush();
}

nlohmann::json asJson(const Cluster& cluster) {
  nlohmann::json partitions = nlohmann::json::array();
  for (const Partition& partition : cluster.partitions) {
    nlohmann::json nodes = nlohmann::json::array();
    for (const ClusterNode& node : partition.nodes)
      nodes.push_back({{"name", node.name.toStdString()},
                       {"state", node.state.toStdString()},
                       {"cores", node.cores},
                       {"memory", node.memoryMb},
                       {"labels", stringsJson(node.labels)}});
    partitions.push_back({{"name", partition.name.toStdString()},
                          {"state", partition.state.toStdString()},
                          {"timeLimit", partition.timeLimit},
                          {"nodes", nodes}});
  }
  return {{"name", cluster.name.toStdString()},
          {"destination", cluster.destination.toStdString()},
          {"partitions", partitions}};
}

nlohmann::json asJson(const SlurmJob& job) {
  const auto time = [](const QDateTime& at) {
    return at.isValid() ? nlohmann::json(at.toUTC().toString(Qt::ISODate).toStdString())
                        : nlohmann::json();
  };
  nlohmann::json after = nlohmann::json::array();
  for (const qint64 each : job.after) after.push_back(each);
  const double left = job.timeLeft(QDateTime::currentDateTime());
  return {{"job", job.id},
          {"name", job.name.toStdString()},
          {"user", job.user.toStdString()},
          {"partition", job.partition.toStdString()},
          {"state", job.state.toStdString()},
          {"reason", job.reason.toStdString()},
          {"nodes", stringsJson(job.nodes)},
          {"nodeCount", job.nodeCount},
          {"timeLimit", job.timeLimit},
          {"submitted", time(job.submitted)},
          {"start", time(job.start)},
          {"end", time(job.end)},
          {"after", after},
          {"secondsLeft", std::isnan(left) ? nlohmann::json() : nlohmann::json(left)}};
}

int show(Invocation& invocation, const std::optional<QString>& file) {
  if (!invocation.arguments.isEmpty())
    return invocation.usage(
        verb, QStringLiteral("\"%1\" is not understood").arg(invocation.arguments.join(u' ')));
  const auto clusters = clustersOf(file);
  if (!clusters) return invocation.fail(clusters.error().message());
  nlohmann::json list = nlohmann::json::array();
  int result = Ok;
  for (const Cluster& known : *clusters) {
    const auto cluster = askSinfo(known);
    // One that does not answer does not hide the others.
    if (!cluster) {
      result = Findings;
      if (invocation.json)
        list.push_back({{"name", known.name.toStdString()},
                        {"error", cluster.error().message().toStdString()}});
      else
        invocation.err << known.name << ": " << cluster.error().message() << Qt::endl;
      continue;
    }
    const auto asked = askJobs(known);
    const auto runs = asked ? listedJobs(known, *asked) : std::vector<ListedJob>();
    if (!asked) {
      result = Findings;
      invocation.err << known.name << ": " << asked.error().message() << Qt::endl;
    }
    if (invocation.json) {
      list.push_back(asJson(*cluster));
      auto& own = list.back()["runs"] = nlohmann::json::array();
      for (const ListedJob& each : runs) own.push_back(tutti::app::asJson(each));
    } else {
      print(invocation.out, *cluster);
      for (const ListedJob& each : runs) invocation.out << lineOf(each) << Qt::endl;
    }
  }
  if (invocation.json) invocation.print({{"clusters", list}});
  return result;
}

int queue(Invocation& invocation, const std::optional<QString>& file) {
  const auto wanted = invocation.takeOption(QStringLiteral("--job"));
  const bool watch = invocation.takeFlag(QStringLiteral("--watch"));
  bool isNumber = true;
  const qint64 id = wanted ? wanted->toLongLong(&isNumber) : 0;
  if (!isNumber || (wanted && id <= 0))
    return invocation.usage(verb, QStringLiteral("--job needs the number of a job"));
  if (watch && (invocation.json || !wanted))
    return invocation.usage(verb, QStringLiteral("--watch goes with --job, and not with --json"));
  if (invocation.arguments.size() > 1)
    return invocation.usage(verb, QStringLiteral("name one cluster"));
  const auto cluster = clusterCalled(file, invocation.arguments.value(0));
  if (!cluster) return invocation.fail(cluster.error().message());
  QString said;
  for (;;) {
    const auto jobs = askQueue(*cluster);
    if (!jobs) return invocation.fail(jobs.error().message());
    std::vector<SlurmJob> shown;
    for (const SlurmJob& job : *jobs) {
      if (wanted ? job.id == id : job.waits() || job.runs()) shown.push_back(job);
    }
    if (wanted && shown.empty())
      return invocation.fail(
          Error{{},
                0,
                {},
                QStringLiteral("%1 knows no job %2.").arg(cluster->name).arg(id),
                QStringLiteral("It may have ended a while ago: sacct -j %1.").arg(id)}
              .message());
    if (invocation.json) {
      nlohmann::json list = nlohmann::json::array();
      for (const SlurmJob& job : shown) {
        list.push_back(asJson(job));
        list.back()["text"] = stateText(job, *jobs).toStdString();
      }
      invocation.print({{"cluster", cluster->name.toStdString()}, {"jobs", list}});
      return Ok;
    }
    for (const SlurmJob& job : shown) {
      const QString text =
          QStringLiteral("%1  %2  %3  %4  %5")
              .arg(QString::number(job.id).rightJustified(6), job.partition.leftJustified(10),
                   job.user.leftJustified(8), job.name.leftJustified(20), stateText(job, *jobs));
      if (text != said) invocation.out << text << Qt::endl;
      said = text;
    }
    if (!watch || !(shown.front().waits() || shown.front().runs())) {
      if (shown.empty()) invocation.out << "No job waits or runs on " << cluster->name << Qt::endl;
      return Ok;
    }
    QThread::sleep(watchSeconds);
  }
}

int cancel(Invocation& invocation, const std::optional<QString>& file) {
  if (invocation.arguments.isEmpty() || invocation.arguments.size() > 2)
    return invocation.usage(verb, QStringLiteral("name the job to cancel"));
  bool isNumber = false;
  const qint64 id = invocation.arguments.back().toLongLong(&isNumber);
  if (!isNumber || id <= 0)
    return invocation.usage(
        verb, QStringLiteral("\"%1\" is not the number of a job").arg(invocation.arguments.back()));
  const auto cluster = clusterCalled(
      file, invocation.arguments.size() == 2 ? invocation.arguments.front() : QString{});
  if (!cluster) return invocation.fail(cluster.error().message());
  if (const auto done = cancelJob(*cluster, id); !done)
    return invocation.fail(done.error().message());
  if (invocation.json)
    invocation.print({{"cluster", cluster->name.toStdString()}, {"cancelled", id}});
  else
    invocation.out << "Job " << id << " of " << cluster->name << " is cancelled." << Qt::endl;
  return Ok;
}

/// Writes what sbatch runs a composition with, without a console.
int script(Invocation& invocation, const std::optional<QString>& hosts) {
  const auto output = invocation.takeOption(QStringLiteral("-o"));
  auto place = PlaceOptions::take(invocation);
  if (!place) return invocation.usage(verb, place.error());
  if (*place) (*place)->inThisJob = false;
  if (invocation.arguments.size() != 1 || !output || output->isEmpty())
    return invocation.usage(verb, QStringLiteral("script needs a composition and -o FILE"));
  const QString composition = QFileInfo(invocation.arguments.front()).absoluteFilePath();
  const auto input = readRunInput(composition, hosts.value_or(QString{}), *place);
  if (!input) return invocation.fail(Error{{}, 0, {}, input.error(), {}}.message());
  QStringList command{QCoreApplication::applicationFilePath(), QStringLiteral("run"), composition};
  if (hosts) command << QStringLiteral("--hosts") << QFileInfo(*hosts).absoluteFilePath();
  // The job places them anew, on the nodes that it has.
  if (*place) command << QStringLiteral("--place");
  if (*place && (*place)->declared) command << QStringLiteral("--declared");
  const auto text = sbatchScript(input->plan, command);
  if (!text) return invocation.fail(text.error().message());
  if (const auto saved = tutti::composer::replaceFile(*output, *text); !saved)
    return invocation.fail(saved.error().message());
  if (invocation.json)
    invocation.print({{"file", output->toStdString()},
                      {"placement", input->placed ? input->placed->toJson() : nlohmann::json()}});
  else
    invocation.out << "Wrote " << *output << ". Submit it on the login host: sbatch "
                   << tutti::composer::shellQuoted(*output) << Qt::endl;
  return Ok;
}

int account(Invocation& invocation, const std::optional<QString>& file) {
  if (invocation.arguments.size() > 1)
    return invocation.usage(verb, QStringLiteral("name one cluster"));
  const auto cluster = clusterCalled(file, invocation.arguments.value(0));
  if (!cluster) return invocation.fail(cluster.error().message());
  return printAccount(invocation, *cluster);
}

int start(Invocation& invocation, const std::optional<QString>& hosts) {
  if (invocation.arguments.size() != 1)
    return invocation.usage(verb, QStringLiteral("start needs a composition"));
  return printStart(invocation, QFileInfo(invocation.arguments.front()).absoluteFilePath(),
                    hosts ? QFileInfo(*hosts).absoluteFilePath() : QString());
}

int run(Invocation& invocation) {
  const auto file = invocation.takeOption(QStringLiteral("--hosts"));
  if (file && file->isEmpty())
    return invocation.usage(verb, QStringLiteral("--hosts needs a file"));
  const QString what = invocation.arguments.value(0);
  if (what == QStringLiteral("queue") || what == QStringLiteral("cancel")) {
    invocation.arguments.removeFirst();
    return what == QStringLiteral("queue") ? queue(invocation, file) : cancel(invocation, file);
  }
  if (what == QStringLiteral("script")) {
    invocation.arguments.removeFirst();
    return script(invocation, file);
  }
  if (what == QStringLiteral("account") || what == QStringLiteral("start")) {
    invocation.arguments.removeFirst();
    return what == QStringLiteral("account") ? account(invocation, file) : start(invocation, file);
  }
  return show(invocation, file);
}

const RegisterVerb registered{
    {verb,
     QStringLiteral(
         "[--hosts FILE] | queue [CLUSTER] [--job JOB [--watch]] | cancel [CLUSTER] JOB | "
         "account [CLUSTER] | start COMPOSITION | script COMPOSITION [--place [--declared] "
         "--partition CLUSTER/PARTITION [--nodes N]] -o FILE"),
     QStringLiteral("Show what Slurm clusters have, and their queues"),
     QStringLiteral(
         "Shows the partitions and nodes of the clusters of a hosts file as Slurm knows them now; "
         "without\n"
         "--hosts FILE, those of the cluster that this machine belongs to. Below them your runs "
         "that wait or run\n"
         "as jobs (tutti submit).\n"
         "  queue        the jobs that wait, with place and estimated start, and those that run, "
         "with the\n"
         "               time that they have left\n"
         "    --job JOB  that one alone; with --watch a line whenever something is new, until it "
         "has ended\n"
         "  cancel JOB   ends a job, in the queue or running\n"
         "  account      hours used and left, jobs at a time and fair share, where the cluster "
         "keeps "
         "accounts\n"
         "  start        when Slurm would start the nodes that the composition names, and the "
         "smaller job that could\n"
         "               start now; nothing is submitted\n"
         "  script       writes a script for sbatch that runs the composition on the nodes that it "
         "names, without\n"
         "               a console; federates without a host are on the first one\n"
         "    --place    asks for as many nodes as a placement on the partition needs, or N; the "
         "job "
         "places those\n"
         "               that name no host anew, on the nodes that it gets\n"
         "Exit code 1: a cluster does not answer; 2: Slurm refused, or the file cannot be read."),
     &run}};

}  // namespace
