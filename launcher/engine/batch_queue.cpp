// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/batch_queue.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "launcher/engine/slurm_account.h"

namespace tutti::launcher {

namespace {

using composer::Error;

const QString namePrefix = QStringLiteral("tutti-");
constexpr std::chrono::seconds longestOfList{10};
/// Slurm forgets a job sooner after its end.
constexpr qint64 longestKeptS = 24 * 60 * 60;

QString jobText(qint64 job, const Cluster& cluster) {
  return QStringLiteral("job %1 of %2").arg(job).arg(cluster.name);
}

/// Later versions of Slurm tell a script with its arguments.
bool runsScript(const SlurmJob& job, const QString& script) {
  return !script.isEmpty() && (job.script == script || job.script.startsWith(script + u' '));
}

bool isOf(const SlurmJob& job, const BatchJob& submitted) {
  return submitted.jobs.contains(job.id) || runsScript(job, submitted.script());
}

/// One that was taken out of the queue again continues nothing.
bool neverRan(const SlurmJob& job) {
  return (job.isOver() && !job.start.isValid() && job.nodes.isEmpty()) ||
         (job.state == QStringLiteral("CANCELLED") && job.nodes.isEmpty());
}

}  // namespace

const SlurmJob* AskedJobs::find(qint64 job) const {
  const auto found =
      std::find_if(jobs.begin(), jobs.end(), [&](const SlurmJob& each) { return each.id == job; });
  return found == jobs.end() ? nullptr : &*found;
}

bool AskedJobs::isOwnRun(const SlurmJob& job) const {
  return job.isBatch && job.user == user && job.name.startsWith(namePrefix);
}

bool AskedJobs::isMarked(const SlurmJob& each, qint64 job) const {
  return isOwnRun(each) && continuedJobs(each.comment).contains(job);
}

bool AskedJobs::isAfter(const SlurmJob& each, qint64 job) const {
  std::set<qint64> looked;
  std::vector<qint64> open(each.after.begin(), each.after.end());
  while (!open.empty()) {
    const qint64 one = open.back();
    open.pop_back();
    if (one == job) return true;
    if (!looked.insert(one).second) continue;
    if (const SlurmJob* before = find(one))
      open.insert(open.end(), before->after.begin(), before->after.end());
  }
  return false;
}

std::vector<const SlurmJob*> AskedJobs::continuing(qint64 job,
                                                   const std::optional<BatchJob>& submitted,
                                                   const QList<qint64>& seen) const {
  const SlurmJob* known = find(job);
  const bool over = known == nullptr || known->isOver();
  const auto continues = [&](const SlurmJob& each) {
    if (seen.contains(each.id) || isMarked(each, job)) return true;
    if (submitted && over) return isOf(each, *submitted);
    if (!isAfter(each, job)) return false;
    // A job of something else may wait for this one too. A script that a person has submitted is
    // known to its own run by the path of slurmd's copy: what stays the same is the name.
    return submitted ? isOf(each, *submitted) : known != nullptr && each.name == known->name;
  };
  std::vector<const SlurmJob*> result;
  for (const SlurmJob& each : jobs) {
    if (each.id > job && isOwnRun(each) && !neverRan(each) && continues(each))
      result.push_back(&each);
  }
  std::sort(result.begin(), result.end(),
            [](const SlurmJob* one, const SlurmJob* other) { return one->id < other->id; });
  return result;
}

const SlurmJob* AskedJobs::following(qint64 job, const std::optional<BatchJob>& submitted,
                                     const QList<qint64>& seen) const {
  const auto all = continuing(job, submitted, seen);
  return all.empty() ? nullptr : all.back();
}

bool AskedJobs::isOver(const BatchJob& submitted) const {
  bool known = false;
  for (const SlurmJob& job : jobs) {
    if (!isOwnRun(job) || !isOf(job, submitted)) continue;
    if (!job.isOver()) return false;
    known = true;
  }
  if (known) return true;
  // Another cluster of that name may have been asked.
  const QFileInfo folder(submitted.folder);
  const QFileInfo numbers(QDir(submitted.folder).filePath(QStringLiteral("jobs")));
  return std::max(folder.lastModified(), numbers.lastModified())
             .secsTo(QDateTime::currentDateTime()) > longestKeptS;
}

tl::expected<AskedJobs, Error> askJobs(const Cluster& cluster, const std::stop_token& stop) {
  auto jobs = askQueue(cluster, stop);
  if (!jobs) return tl::unexpected(jobs.error());
  const auto user = askSlurm(cluster, {QStringLiteral("id"), QStringLiteral("-un")}, stop);
  if (!user) return tl::unexpected(user.error());
  return AskedJobs{std::move(*jobs), QString::fromUtf8(*user).trimmed()};
}

std::optional<Error> faultOfJob(qint64 job, const Cluster& cluster, const AskedJobs& asked,
                                const std::optional<BatchJob>& submitted) {
  const auto fault = [](const QString& what, const QString& next) {
    return Error{{}, 0, {}, what, next};
  };
  const SlurmJob* known = asked.find(job);
  if (known == nullptr && submitted)
    return fault(QStringLiteral("%1 knows its job %2 no longer: it ended a while ago.")
                     .arg(cluster.name)
                     .arg(job),
                 QStringLiteral("What it printed is in %1, its run in %2.")
                     .arg(submitted->folder, runsFolder()));
  if (known == nullptr)
    return fault(QStringLiteral("%1 knows no job %2.").arg(cluster.name).arg(job),
                 QStringLiteral("tutti attach lists those of yours that wait or run; of one that "
                                "ended a while ago sacct -j %1 says more.")
                     .arg(job));
  if (known->user != asked.user)
    return fault(QStringLiteral("The %1 is of %2, not of %3.")
                     .arg(jobText(job, cluster), known->user, asked.user),
                 QStringLiteral("Only the account that has submitted it can watch or stop it."));
  if (!known->name.startsWith(namePrefix))
    return fault(
        QStringLiteral("The %1, %2, is no run of Tutti.").arg(jobText(job, cluster), known->name),
        QStringLiteral("tutti clusters queue --job %1 shows it, and tutti clusters cancel "
                       "%1 ends it.")
            .arg(job));
  if (!known->isBatch)
    return fault(QStringLiteral("The %1 holds nodes for a run whose console is elsewhere.")
                     .arg(jobText(job, cluster)),
                 QStringLiteral("Follow or stop the run on the machine of its console: tutti "
                                "attach, tutti stop."));
  return std::nullopt;
}

Host firstNodeOf(const SlurmJob& job, const Cluster& cluster,
                 const std::optional<BatchJob>& submitted) {
  Host host = cluster.loginHost();
  host.name = QStringLiteral("job %1").arg(job.id);
  JobNode node;
  node.cluster = cluster.name;
  node.partition = job.partition;
  node.configuration = cluster.configuration;
  node.job = job.id;
  node.node = job.firstNode;
  host.jobNode = node;
  if (submitted) host.extra = submitted->cluster.extra;
  return host;
}

QString endText(const SlurmJob& job) {
  if (job.state == QStringLiteral("COMPLETED")) return QStringLiteral("has ended in order");
  if (job.state == QStringLiteral("TIMEOUT")) return QStringLiteral("has reached its time limit");
  if (job.state == QStringLiteral("CANCELLED")) return QStringLiteral("was cancelled");
  if (job.state == QStringLiteral("FAILED"))
    return job.exitCode > 0 ? QStringLiteral("has ended with exit code %1").arg(job.exitCode)
                            : QStringLiteral("was ended by a signal");
  if (job.state == QStringLiteral("NODE_FAIL")) return QStringLiteral("has lost its first node");
  if (job.state == QStringLiteral("PREEMPTED"))
    return QStringLiteral("was preempted by a job of higher rank");
  if (job.state == QStringLiteral("OUT_OF_MEMORY"))
    return QStringLiteral("has needed more memory than it had");
  if (job.state == QStringLiteral("DEADLINE"))
    return QStringLiteral("could not start in time any more");
  return QStringLiteral("has ended (%1)").arg(job.state.toLower());
}

tl::expected<Stopped, Error> stopBatchJob(qint64 job, const Cluster& cluster, bool now,
                                          const std::stop_token& stop) {
  const auto submitted = submittedJob(job, cluster);
  const auto asked = askJobs(cluster, stop);
  if (!asked) return tl::unexpected(asked.error());
  const auto fault = faultOfJob(job, cluster, *asked, submitted);
  const SlurmJob* known = asked->find(job);
  const bool goesOn = submitted || asked->following(job, submitted) != nullptr;
  if (fault && (known != nullptr || !goesOn)) return tl::unexpected(*fault);
  // The run may go on in another job.
  if (known == nullptr || known->isOver()) {
    const auto all = asked->continuing(job, submitted);
    const auto next =
        std::find_if(all.begin(), all.end(), [](const SlurmJob* each) { return !each->isOver(); });
    if (next != all.end()) known = *next;
  }
  if (known == nullptr) return tl::unexpected(*fault);
  if (known->isOver()) return Stopped{StopResult::WasOver, job};
  // First, so that it does not start when this one ends.
  for (const SlurmJob* each : asked->continuing(known->id, submitted)) {
    if (!each->waits()) continue;
    if (const auto done = cancelJob(cluster, each->id, stop); !done)
      return tl::unexpected(done.error());
  }
  const bool again = submitted && wasAskedToStop(*submitted, known->id);
  if (known->waits() || now || again) {
    if (const auto done = cancelJob(cluster, known->id, stop); !done)
      return tl::unexpected(done.error());
    if (known->waits()) return Stopped{StopResult::Cancelled, known->id};
    // Its run may have submitted another job meanwhile.
    const auto later = askJobs(cluster, stop);
    if (!later) return tl::unexpected(later.error());
    for (const SlurmJob* each : later->continuing(known->id, submitted)) {
      if (each->isOver() || asked->find(each->id) != nullptr) continue;
      if (const auto done = cancelJob(cluster, each->id, stop); !done)
        return tl::unexpected(done.error());
    }
    return Stopped{StopResult::Cancelled, known->id};
  }
  const auto told = askSlurm(cluster,
                             {QStringLiteral("scancel"), QStringLiteral("--signal=TERM"),
                              QStringLiteral("--batch"), QString::number(known->id)},
                             stop);
  if (!told) return tl::unexpected(told.error());
  if (submitted) noteAskedToStop(*submitted, known->id);
  return Stopped{StopResult::Asked, known->id};
}

std::vector<ListedJob> listedJobs(const Cluster& cluster, const AskedJobs& asked) {
  std::vector<ListedJob> result;
  const auto submitted = submittedJobs();
  for (const SlurmJob& job : asked.jobs) {
    if (!asked.isOwnRun(job) || job.isOver()) continue;
    const auto own = std::find_if(submitted.begin(), submitted.end(), [&](const BatchJob& each) {
      return isSameCluster(each.cluster, cluster) && isOf(job, each);
    });
    result.push_back({cluster.name, job, stateText(job, asked.jobs),
                      own == submitted.end() ? job.name.mid(namePrefix.size()) : own->federation});
  }
  return result;
}

OwnBatchJobs ownBatchJobs() {
  OwnBatchJobs result;
  std::vector<Cluster> clusters;
  const auto submitted = submittedJobs();
  for (const BatchJob& each : submitted) {
    const bool known = std::any_of(clusters.begin(), clusters.end(), [&](const Cluster& one) {
      return isSameCluster(one, each.cluster);
    });
    if (!each.over && !known) clusters.push_back(each.cluster);
  }
  for (const Cluster& cluster : clusters) {
    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any ended;
    const std::jthread limit([&](const std::stop_token& over) {
      std::unique_lock lock(mutex);
      ended.wait_for(lock, over, longestOfList, [] { return false; });
      stop.request_stop();
    });
    const auto asked = askJobs(cluster, stop.get_token());
    if (!asked) {
      result.errors.push_back(asked.error());
      continue;
    }
    for (auto& one : listedJobs(cluster, *asked)) result.jobs.push_back(std::move(one));
    for (const BatchJob& each : submitted) {
      if (each.over || !isSameCluster(each.cluster, cluster)) continue;
      if (asked->isOver(each)) noteJobOver(each);
    }
  }
  return result;
}

}  // namespace tutti::launcher
