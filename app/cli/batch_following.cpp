// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/batch_following.h"

#include <poll.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "app/cli/clusters_named.h"
#include "app/cli/run_follower.h"
#include "launcher/engine/kept_runs.h"

namespace tutti::app {

using composer::Error;
using launcher::AskedJobs;
using launcher::BatchJob;
using launcher::Cluster;
using launcher::FarRun;
using launcher::RelayLink;
using launcher::Run;
using launcher::SlurmJob;

namespace {

constexpr int shortestPollMs = 1000;
/// An answer of Slurm that took t is asked for again after so many t.
constexpr int pollFactor = 20;
constexpr int longestStopMs = 60'000;
/// Each look at the node is a step of the job: one that fails is taken again after as long, and
/// each time after 5/4 of that.
constexpr int shortestReachMs = 1000;
constexpr int longestReachMs = 30'000;
constexpr std::chrono::seconds whileItRuns{30};
const QString lastLines = QStringLiteral("20");

/// One job after the other, in this thread; Slurm and the node are asked in another one.
class JobFollower {
 public:
  JobFollower(Invocation& invocation, Cluster cluster, QStringList federates, QString pattern)
      : invocation_(invocation),
        cluster_(std::move(cluster)),
        federates_(std::move(federates)),
        pattern_(std::move(pattern)),
        ends_(signalsToEnd()) {}
  ~JobFollower() { ::close(ends_); }
  JobFollower(const JobFollower&) = delete;
  JobFollower& operator=(const JobFollower&) = delete;

  int follow(qint64 job) {
    submitted_ = launcher::submittedJob(job, cluster_);
    int code = Ok;
    for (qint64 each = job; each != 0;) {
      job_ = each;
      code = followOne();
      each = signal_ == 0 ? next_ : 0;
    }
    return code;
  }

 private:
  /// What `ask` answers in another thread; nothing: a signal came meanwhile.
  template <class Ask>
  auto patiently(const Ask& ask) -> std::optional<decltype(ask(std::stop_token{}))> {
    std::stop_source stop;
    auto answer = std::async(std::launch::async, [&] { return ask(stop.get_token()); });
    while (answer.wait_for(std::chrono::milliseconds(0)) != std::future_status::ready) {
      if (signalWithin(20)) stop.request_stop();
      if (signal_ != 0) break;
    }
    auto result = answer.get();
    if (signal_ != 0) return std::nullopt;
    return result;
  }

  bool signalWithin(int milliseconds) {
    pollfd readable{ends_, POLLIN, 0};
    if (signal_ == 0 && ::poll(&readable, 1, milliseconds) > 0) signal_ = takeSignal(ends_);
    return signal_ != 0;
  }

  /// The queue as it is now, after a pause since it was asked last. Nothing: a signal came.
  std::optional<tl::expected<AskedJobs, Error>> ask() {
    if (asked_.isValid() && signalWithin(int(std::max<qint64>(0, pauseMs_ - asked_.elapsed()))))
      return std::nullopt;
    QElapsedTimer took;
    took.start();
    auto answer =
        patiently([&](const std::stop_token& stop) { return launcher::askJobs(cluster_, stop); });
    pauseMs_ = std::max<qint64>(shortestPollMs, pollFactor * took.elapsed());
    asked_.start();
    return answer;
  }

  /// What is said of each of these is said when it changes.
  enum class About { Queue, Place, Reach, End };
  /// `same`: what has to differ for it to be said again; empty: the text.
  void tell(About about, const QString& state, const QString& text, const QString& same = {}) {
    QString& before = said_[about];
    if (const QString now = same.isEmpty() ? text : same; std::exchange(before, now) == now) return;
    if (!invocation_.json) {
      invocation_.err << QStringLiteral("job %1: %2").arg(job_).arg(text) << Qt::endl;
      return;
    }
    const QJsonObject event{{"event", "job"},
                            {"job", job_},
                            {"cluster", cluster_.name},
                            {"state", state},
                            {"text", text}};
    invocation_.out << QString::fromUtf8(QJsonDocument(event).toJson(QJsonDocument::Compact))
                    << Qt::endl;
  }

  int left() {
    tell(About::End, QStringLiteral("LEFT"), QStringLiteral("it is left alone, and goes on"));
    return Ok;
  }

  int followOne() {
    next_ = 0;
    folder_.clear();
    said_.clear();
    seen_.clear();
    reachMs_ = 0;
    bool found = false;
    std::optional<int> code;
    for (;;) {
      const auto asked = ask();
      if (!asked) return left();
      if (!*asked) {
        if (!wasThere_) return invocation_.fail(asked->error().message());
        tell(About::Queue, QStringLiteral("UNKNOWN"),
             QStringLiteral("the queue cannot be seen: %1").arg(asked->error().message()));
        continue;
      }
      const SlurmJob* job = (*asked)->find(job_);
      if (!found) {
        if (goesOnInAnother(**asked)) return Ok;
        if (const auto fault = launcher::faultOfJob(job_, cluster_, **asked, submitted_))
          return invocation_.fail(fault->message());
      }
      found = wasThere_ = true;
      if (job == nullptr || job->isOver()) return end(job, **asked, code);
      remember(**asked);
      if (code) continue;  // The run has ended, and its job does.
      // The time that is left is said once.
      tell(About::Place, job->state, launcher::stateText(*job, (*asked)->jobs),
           job->waits() ? QString() : job->state);
      if (!job->runs() || job->firstNode.isEmpty()) continue;
      if (reachMs_ > 0 && reached_.elapsed() < reachMs_) continue;
      code = followRun(*job);
      if (signal_ != 0) return left();
      if (unreachable_) return invocation_.fail(*unreachable_);
      reachMs_ = std::clamp(reachMs_ * 5 / 4, shortestReachMs, longestReachMs);
      reached_.start();
    }
  }

  /// Once this one is over, Slurm may not tell any more that they depended on it.
  void remember(const AskedJobs& asked) {
    const std::lock_guard guard(mutex_);
    for (const SlurmJob* each : asked.continuing(job_, submitted_)) {
      if (!seen_.contains(each->id)) seen_ << each->id;
    }
  }

  /// As long as `over` is not asked for. A submission's jobs are known by their script too.
  void rememberUntil(const std::stop_token& over) {
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    while (!submitted_ && !over.stop_requested()) {
      ended.wait_for(lock, over, whileItRuns, [] { return false; });
      if (over.stop_requested()) return;
      if (const auto asked = launcher::askJobs(cluster_, over)) remember(*asked);
    }
  }

  /// Slurm has forgotten a job that another one continues.
  bool goesOnInAnother(const AskedJobs& asked) {
    if (asked.find(job_) != nullptr) return false;
    const SlurmJob* known = asked.following(job_, submitted_);
    const qint64 last = std::max(known == nullptr ? 0 : known->id,
                                 submitted_ ? submitted_->jobs.back() : qint64(0));
    if (last <= job_) return false;
    next_ = last;
    tell(About::End, QStringLiteral("CONTINUED"),
         QStringLiteral("it ended a while ago, and job %1 continued it").arg(last));
    return true;
  }

  void endIfNoRelay(const launcher::Agent::Loss& loss) {
    if (launcher::needsInstallation(loss))
      unreachable_ = QStringLiteral("The run in job %1 cannot be followed: %2. %3")
                         .arg(job_)
                         .arg(loss.why, loss.next);
  }

  /// Follows the run in a job that runs, until one of them ends. Nothing: there is none (yet).
  std::optional<int> followRun(const SlurmJob& job) {
    const launcher::Host host = launcher::firstNodeOf(job, cluster_, submitted_);
    const auto runs =
        patiently([&](const std::stop_token& stop) { return launcher::runsOn(host, stop); });
    if (!runs) return std::nullopt;
    if (!*runs) {
      const auto& loss = runs->error();
      endIfNoRelay(loss);
      tell(About::Reach, job.state,
           QStringLiteral("its first node is not reached yet: %1. %2").arg(loss.why, loss.next));
      return std::nullopt;
    }
    const auto run = std::find_if((*runs)->begin(), (*runs)->end(),
                                  [&](const FarRun& each) { return each.job == job.id; });
    if (run == (*runs)->end()) {
      tell(About::Reach, job.state, QStringLiteral("its run is being prepared"));
      return std::nullopt;
    }
    const auto link = std::make_shared<RelayLink>(host, run->run);
    const auto plan = openLink(*link, ends_, signal_);
    if (!plan) {
      if (signal_ == 0) {
        endIfNoRelay(link->whyLost());
        tell(About::Reach, job.state,
             QStringLiteral("its run is not reached: ") + link->whyLost().why);
      }
      return std::nullopt;
    }
    folder_ = plan->folder;
    Run followed(*plan);
    QStringList federates;
    if (!federates_.isEmpty())
      federates = launcher::processesNamed(*plan, federates_).value_or(federates_);
    RunFollower follower(invocation_, federates, pattern_);
    follower.listenTo(followed);
    follower.listenTo(*link);
    followed.watchThrough(link);
    const std::jthread remembers([&](const std::stop_token& over) { rememberUntil(over); });
    signal_ = follower.follow(followed, ends_, [&](int /*number*/) { follower.leave(); });
    if (signal_ != 0) return Ok;
    return outcomeOf(invocation_, followed, signal_);
  }

  int end(const SlurmJob* job, const AskedJobs& asked, const std::optional<int>& code) {
    QString text = job == nullptr ? QStringLiteral("is over") : launcher::endText(*job);
    if (!folder_.isEmpty()) text += QStringLiteral("; logs, plans and record: %1").arg(folder_);
    if (job != nullptr && !job->output.isEmpty())
      text += QStringLiteral("; what it printed: %1").arg(job->output);
    tell(About::End, job == nullptr ? QStringLiteral("OVER") : job->state, text);
    if (const SlurmJob* next = asked.following(job_, submitted_, seen_)) {
      next_ = next->id;
      tell(About::End, QStringLiteral("CONTINUED"),
           QStringLiteral("job %1 continues it").arg(next_));
      return Ok;
    }
    if (submitted_ && asked.isOver(*submitted_)) launcher::noteJobOver(*submitted_);
    const bool inOrder = job != nullptr && job->state == QStringLiteral("COMPLETED");
    // Nobody was there to see why.
    if (!code && !inOrder && job != nullptr) showOutput(*job);
    // One that was not seen to the end has ended as its job says; one whose job was cancelled has
    // not ended as it should, whatever its federates say.
    if (job == nullptr) return code == Ok ? Ok : Findings;
    return inOrder && code != Findings ? Ok : Findings;
  }

  void showOutput(const SlurmJob& job) {
    if (invocation_.json || job.output.isEmpty()) return;
    const auto answer = patiently([&](const std::stop_token& stop) {
      return launcher::callSlurm(
          cluster_, {QStringLiteral("tail"), QStringLiteral("-n"), lastLines, job.output}, stop);
    });
    if (answer && *answer && (*answer)->exitCode == 0)
      invocation_.out << QString::fromUtf8((*answer)->output) << Qt::flush;
  }

  Invocation& invocation_;
  const Cluster cluster_;
  const QStringList federates_;
  const QString pattern_;
  const int ends_;
  int signal_ = 0;  ///< that has come
  std::optional<BatchJob> submitted_;
  qint64 job_ = 0;
  qint64 next_ = 0;                     ///< that continues it
  bool wasThere_ = false;               ///< Slurm has answered, and knew a job that is followed
  QList<qint64> seen_;                  ///< jobs that waited for this one
  std::mutex mutex_;                    ///< of seen_
  QElapsedTimer reached_;               ///< since its node was looked at last
  int reachMs_ = 0;                     ///< until it is again
  std::optional<QString> unreachable_;  ///< why it never will be
  QString folder_;                      ///< of the run, on its node
  std::map<About, QString> said_;
  QElapsedTimer asked_;
  qint64 pauseMs_ = 0;
};

}  // namespace

tl::expected<std::optional<JobWords>, QString> JobWords::take(Invocation& invocation) {
  const auto number = invocation.takeOption(QStringLiteral("--job"));
  if (!number) return std::nullopt;
  JobWords words;
  bool isNumber = false;
  words.job = number->toLongLong(&isNumber);
  if (!isNumber || words.job <= 0)
    return tl::unexpected(QStringLiteral("--job needs the number of a job"));
  words.hosts = invocation.takeOption(QStringLiteral("--hosts"));
  if (words.hosts && words.hosts->isEmpty())
    return tl::unexpected(QStringLiteral("--hosts needs a file"));
  words.cluster = invocation.takeOption(QStringLiteral("--cluster")).value_or(QString());
  return words;
}

int followJob(Invocation& invocation, const JobWords& words, const QStringList& federates,
              const QString& pattern) {
  const auto cluster = clusterOfJob(words.job, words.hosts, words.cluster);
  if (!cluster) return invocation.fail(cluster.error().message());
  return JobFollower(invocation, *cluster, federates, pattern).follow(words.job);
}

int stopJob(Invocation& invocation, const JobWords& words, bool now) {
  const auto cluster = clusterOfJob(words.job, words.hosts, words.cluster);
  if (!cluster) return invocation.fail(cluster.error().message());
  const auto done = launcher::stopBatchJob(words.job, *cluster, now);
  if (!done) return invocation.fail(done.error().message());
  const qint64 number = done->job;
  const bool wasOver = done->result == launcher::StopResult::WasOver;
  if (number != words.job && !invocation.json)
    invocation.err << QStringLiteral("Job %1 is over, and job %2 continues it: that one is ended.")
                          .arg(words.job)
                          .arg(number)
                   << Qt::endl;
  const auto say = [&](const QString& state, const QString& text) {
    if (invocation.json)
      invocation.print({{"job", number},
                        {"cluster", cluster->name.toStdString()},
                        {"state", state.toStdString()}});
    else
      invocation.out << QStringLiteral("Job %1 %2.").arg(number).arg(text) << Qt::endl;
  };
  QElapsedTimer clock;
  clock.start();
  for (;;) {
    const auto asked = launcher::askJobs(*cluster);
    const SlurmJob* job = asked ? asked->find(number) : nullptr;
    if (asked && (job == nullptr || job->isOver())) {
      if (const auto own = launcher::submittedJob(number, *cluster); own && asked->isOver(*own))
        launcher::noteJobOver(*own);
      say(job == nullptr ? QStringLiteral("OVER") : job->state,
          wasOver && job != nullptr
              ? QStringLiteral("was over already: it ") + launcher::endText(*job)
          : job == nullptr ? QStringLiteral("is over")
                           : launcher::endText(*job));
      return Ok;
    }
    if (clock.elapsed() > longestStopMs) break;
    ::poll(nullptr, 0, shortestPollMs);
  }
  const QString still =
      QStringLiteral("Job %1 has not ended within %2 s.").arg(number).arg(longestStopMs / 1000);
  invocation.err << still
                 << (done->result == launcher::StopResult::Asked
                         ? QStringLiteral(" tutti stop --job %1 --now ends it at once.").arg(number)
                         : QStringLiteral(" See tutti clusters queue --job %1.").arg(number))
                 << Qt::endl;
  return Findings;
}

QString lineOf(const launcher::ListedJob& listed) {
  return QStringLiteral("job %1 of %2  %3  %4")
      .arg(listed.job.id)
      .arg(listed.cluster, listed.federation, listed.text);
}

nlohmann::json asJson(const launcher::ListedJob& listed) {
  const SlurmJob& job = listed.job;
  const auto time = [](const QDateTime& at) {
    return at.isValid() ? nlohmann::json(at.toUTC().toString(Qt::ISODate).toStdString())
                        : nlohmann::json();
  };
  return {{"job", job.id},
          {"cluster", listed.cluster.toStdString()},
          {"partition", job.partition.toStdString()},
          {"federation", listed.federation.toStdString()},
          {"state", job.state.toStdString()},
          {"text", listed.text.toStdString()},
          {"firstNode", job.firstNode.toStdString()},
          {"start", time(job.start)},
          {"end", time(job.end)},
          {"output", job.output.toStdString()}};
}

}  // namespace tutti::app
