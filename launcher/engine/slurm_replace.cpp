// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/engine/slurm_replace.h"

#include <QElapsedTimer>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "launcher/engine/slurm.h"

namespace tutti::launcher {

using composer::Error;

namespace {

constexpr auto pause = std::chrono::milliseconds(500);
constexpr int untilOwnCancelMs = 8000;  ///< the guard of the job has five seconds

QString limitOf(const Allocation::Request& request) {
  const int minutes = minutesOf(request);
  return minutes == 0 ? QStringLiteral("the partition's") : durationText(60.0 * minutes);
}

QString orOwn(const QString& name) { return name.isEmpty() ? QStringLiteral("your own") : name; }

}  // namespace

QStringList requestChanges(const Allocation::Request& before, const Allocation::Request& after) {
  QStringList changes;
  const auto compare = [&](const QString& what, const QString& was, const QString& is,
                           const QString& verb = QStringLiteral("was")) {
    if (was != is) changes << QStringLiteral("%1 %2, %3 %4").arg(what, is, verb, was);
  };
  compare(QStringLiteral("partition"), before.partition, after.partition);
  compare(QStringLiteral("nodes"), QString::number(before.nodes), QString::number(after.nodes),
          QStringLiteral("were"));
  compare(QStringLiteral("cores of each node"), QString::number(before.cores, 'g', 4),
          QString::number(after.cores, 'g', 4), QStringLiteral("were"));
  compare(QStringLiteral("MB of each node"), QString::number(before.memoryMb, 'f', 0),
          QString::number(after.memoryMb, 'f', 0), QStringLiteral("were"));
  compare(QStringLiteral("time limit"), limitOf(before), limitOf(after));
  compare(QStringLiteral("account"), orOwn(before.cluster.account), orOwn(after.cluster.account));
  compare(QStringLiteral("quality of service"), orOwn(before.cluster.qos),
          orOwn(after.cluster.qos));
  const auto start = [](const Allocation::Request& request) {
    return request.cluster.immediate ? QStringLiteral("now or not at all")
                                     : QStringLiteral("in the queue");
  };
  compare(QStringLiteral("start"), start(before), start(after));
  const auto shared = [](const Allocation::Request& request) {
    return request.cluster.exclusive ? QStringLiteral("for this run alone")
                                     : QStringLiteral("shared");
  };
  compare(QStringLiteral("nodes"), shared(before), shared(after), QStringLiteral("were"));
  return changes;
}

tl::expected<void, Error> awaitGone(const Cluster& cluster, qint64 job, const std::stop_token& stop,
                                    int milliseconds) {
  QElapsedTimer timer;
  timer.start();
  const QString next =
      QStringLiteral("Cancel it: scancel %1 on the login host, or tutti clusters cancel %2 %1.")
          .arg(job)
          .arg(cluster.name);
  bool cancelled = false;
  Error last{
      {}, 0, {}, QStringLiteral("Job %1 of %2 is still there.").arg(job).arg(cluster.name), next};
  for (;;) {
    if (const auto jobs = askQueue(cluster, stop)) {
      const bool there = std::any_of(jobs->begin(), jobs->end(), [&](const SlurmJob& one) {
        return one.id == job && (one.waits() || one.runs());
      });
      if (!there) return {};
    } else {
      last = jobs.error();
      last.next = next;
    }
    if (stop.stop_requested() || timer.elapsed() >= milliseconds) return tl::unexpected(last);
    if (!cancelled && timer.elapsed() >= std::min(untilOwnCancelMs, milliseconds / 2)) {
      cancelled = true;
      if (const auto done = cancelJob(cluster, job, stop); !done) {
        last = done.error();
        last.next = next;
      }
    }
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace tutti::launcher
