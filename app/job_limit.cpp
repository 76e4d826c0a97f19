// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/job_limit.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "launcher/engine/host_check.h"
#include "launcher/engine/plan_folder.h"
#include "launcher/engine/slurm.h"
#include "launcher/engine/slurm_nodes.h"
#include "monitor/engine/federation_saves.h"
#include "observe/node_client.h"

namespace tutti::app {

namespace {

using launcher::Cluster;
using monitor::SaveVerb;

constexpr std::chrono::milliseconds lookPause{100};
constexpr double askAgainSeconds = 30;
/// A save that is not done so long before the limit is aborted: its files have to be written.
constexpr double shortestRestSeconds = 10;
/// A job that ends so long before its limit has not been ended by it.
constexpr double limitSlackSeconds = 5;
constexpr std::chrono::seconds restorePatience{120};

void blockSignals() {
  // Signals are handled by the thread that waits for them.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

QString momentText(const QDateTime& moment) {
  const bool today = moment.date() == QDate::currentDate();
  return moment.toString(today ? QStringLiteral("HH:mm:ss") : QStringLiteral("yyyy-MM-dd HH:mm"));
}

double secondsUntil(const QDateTime& moment) {
  return static_cast<double>(QDateTime::currentDateTime().msecsTo(moment)) / 1000;
}

/// The clusters of the plan's jobs, and the jobs.
std::vector<std::pair<Cluster, qint64>> jobsOf(const launcher::LaunchPlan& plan) {
  std::vector<std::pair<Cluster, qint64>> result;
  for (const auto& request : launcher::requestsOf(plan)) {
    for (const auto& one : plan.hosts) {
      const auto& node = one.host.jobNode;
      if (!node || node->cluster != request.cluster.name || node->partition != request.partition)
        continue;
      if (node->job != 0) result.emplace_back(request.cluster, node->job);
      break;
    }
  }
  return result;
}

}  // namespace

LimitSave::LimitSave(launcher::LaunchPlan plan, int minutes, bool continues,
                     std::function<void(const QString&)> say)
    : plan_(std::move(plan)),
      minutes_(minutes),
      continues_(continues),
      say_(std::move(say)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

LimitSave::~LimitSave() {
  thread_.request_stop();
  thread_.join();
  if (result_.following == 0 || secondsUntil(result_.end) <= limitSlackSeconds) return;
  const auto cancelled = launcher::cancelJob(jobsOf(plan_).front().first, result_.following);
  say_(cancelled
           ? QStringLiteral("The following job %1 is cancelled: this one has ended before its "
                            "limit.")
                 .arg(result_.following)
           : cancelled.error().message());
}

LimitSave::Result LimitSave::result() const {
  const std::lock_guard guard(mutex_);
  return result_;
}

bool LimitSave::findEnd(const std::stop_token& stop) {
  Result found;
  for (const auto& [cluster, id] : jobsOf(plan_)) {
    const auto jobs = launcher::askQueue(cluster, stop);
    if (!jobs) continue;  // Slurm is asked again.
    for (const launcher::SlurmJob& job : *jobs) {
      if (job.id == id) ownComment_ = job.comment;
      if (job.id != id || !job.runs() || !job.end.isValid()) continue;
      if (found.job == 0 || job.end < found.end) {
        found.job = id;
        found.end = job.end;
      }
    }
  }
  if (found.job == 0) return false;
  const std::lock_guard guard(mutex_);
  result_.job = found.job;
  result_.end = found.end;
  return true;
}

void LimitSave::run(const std::stop_token& stop) {
  blockSignals();
  if (minutes_ == 0) return;
  std::optional<double> lead;
  QDateTime askAgain = QDateTime::currentDateTime();
  while (!stop.stop_requested()) {
    if (QDateTime::currentDateTime() >= askAgain) {
      askAgain = QDateTime::currentDateTime().addMSecs(qint64(1000 * askAgainSeconds));
      if (findEnd(stop) && !lead) {
        const double left = secondsUntil(result().end);
        // A run that ends by itself before the limit needs no save for it.
        if (plan_.stopAfter && *plan_.stopAfter <= left) return;
        lead = std::min(60.0 * minutes_, left / 2);
        say_(QStringLiteral("Job %1 ends at %2; the federation is saved at %3.")
                 .arg(result().job)
                 .arg(momentText(result().end),
                      momentText(result().end.addMSecs(-qint64(1000 * *lead)))));
      }
    }
    if (lead && secondsUntil(result().end) <= *lead) {
      save(stop, *lead);
      return;
    }
    std::this_thread::sleep_for(lookPause);
  }
}

void LimitSave::save(const std::stop_token& stop, double leadSeconds) {
  const auto label = QStringLiteral("before-limit-of-job-%1").arg(result().job);
  const double patience = std::max(leadSeconds - shortestRestSeconds, leadSeconds / 2);
  const auto saved = monitor::operateSave(
      plan_.node, plan_.federation, SaveVerb::Save, label,
      std::chrono::milliseconds(static_cast<qint64>(1000 * patience)), {}, stop);
  {
    const std::lock_guard guard(mutex_);
    if (saved)
      result_.label = label;
    else
      result_.problem = saved.error();
  }
  if (!saved) {
    say_(QStringLiteral("There is no save before the time limit of job %1, so that no job can "
                        "continue from one: %2")
             .arg(result().job)
             .arg(saved.error()));
    return;
  }
  say_(QStringLiteral("%1 is saved as '%2', before the time limit of its job.")
           .arg(plan_.federation, label));
  if (continues_) submitFollowing();
}

void LimitSave::submitFollowing() {
  const QString script = qEnvironmentVariable("TUTTI_JOB_SCRIPT");
  const QString own = qEnvironmentVariable("SLURM_JOB_ID");
  if (own.isEmpty()) return;  // This process outlives the job, and asks for another itself.
  const Result now = result();
  if (script.isEmpty()) {
    say_(QStringLiteral(
             "No job continues: the script of this job is not known. Submit it again with "
             "tutti run ... --restore %1, or write it with tutti clusters script.")
             .arg(now.label));
    return;
  }
  const Cluster cluster = jobsOf(plan_).front().first;
  QStringList words{QStringLiteral("sbatch"), QStringLiteral("--parsable"),
                    QStringLiteral("--dependency=afternotok:") + own,
                    QStringLiteral("--kill-on-invalid-dep=yes")};
  // Slurm drops the dependency when it is met. A comment of the script's own stays.
  words << QStringLiteral("--comment=") +
               launcher::commentOfContinuation(ownComment_, own.toLongLong());
  // That of the script is for its first start.
  if (cluster.immediate) words << QStringLiteral("--deadline=now+52weeks");
  const auto said = launcher::askSlurm(cluster, words + QStringList{script, now.label});
  const qint64 following = said ? said->split(';').front().trimmed().toLongLong() : 0;
  if (following == 0) {
    say_(QStringLiteral("No job continues from '%1': %2")
             .arg(now.label, said ? QString::fromLocal8Bit(*said) : said.error().message()));
    return;
  }
  {
    const std::lock_guard guard(mutex_);
    result_.following = following;
  }
  say_(QStringLiteral("Job %1 continues from it when this one has reached its limit.")
           .arg(following));
}

launcher::LaunchPlan continuation(const launcher::LaunchPlan& plan, double elapsed) {
  // As it was planned, with those who have come and without those who have gone since: the plan of
  // a run is settled for the hosts that it had.
  const auto kept = launcher::readPlanFolder(plan.folder);
  const launcher::LaunchPlan& planned = kept            ? kept->plan
                                        : plan.prepared ? plan.prepared->asPlanned
                                                        : plan;
  launcher::LaunchPlan result = planned.renewed(launcher::newRunIdentifier());
  result.prepared.reset();
  result.stopAfter = plan.stopAfter;
  if (result.stopAfter) *result.stopAfter -= elapsed;
  return result;
}

RestoreAtStart::RestoreAtStart(QString node, QString federation, QString label,
                               std::function<void(const QString&)> done)
    : node_(std::move(node)),
      federation_(std::move(federation)),
      label_(std::move(label)),
      done_(std::move(done)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void RestoreAtStart::run(const std::stop_token& stop) {
  blockSignals();
  // The hold ends with this connection, whatever comes of the restore.
  std::optional<observe::NodeClient> holder;
  bool held = false;
  while (!stop.stop_requested() && !(held && ready_)) {
    if (!holder || !holder->connected()) {
      held = false;
      auto client = observe::NodeClient::connect(node_.toStdString());
      if (client && client->hello("tutti run")) holder.emplace(std::move(*client));
    }
    // Refused until the execution is there. Its bits are those of time 0 of both standard types.
    if (holder && !held) held = holder->holdTime(federation_.toStdString(), 0).has_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (stop.stop_requested()) return;
  const auto restored = monitor::operateSave(node_, federation_, SaveVerb::Restore, label_,
                                             restorePatience, {}, stop);
  if (stop.stop_requested()) return;
  done_(restored ? QString() : restored.error());
}

}  // namespace tutti::app
