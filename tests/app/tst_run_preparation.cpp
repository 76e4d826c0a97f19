// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose Slurm job waits, and the job that replaces it: there is always one of the two,
// whichever of them fails.
#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>
#include <condition_variable>
#include <map>
#include <mutex>

#include "app/run_preparation.h"

using namespace tutti;
using app::RunPreparation;
using launcher::HostPreparation;
using launcher::LaunchPlan;
using launcher::PreflightCheck;
using launcher::QueuePlace;

namespace {

/// Slurm, as far as these tests need one: what becomes of each run is said by the test.
class Slurm {
 public:
  /// Threads that have been let go of still end in here.
  ~Slurm() { QThreadPool::globalInstance()->waitForDone(); }
  RunPreparation::Ways ways() {
    return {[this](LaunchPlan& plan, const std::stop_token& stop,
                   const std::function<void(const QueuePlace&)>& queue) {
              std::unique_lock lock(mutex_);
              queues_[plan.run] = queue;
              changed_.notify_all();
              changed_.wait(lock, stop, [&] { return ends_.contains(plan.run); });
              HostPreparation result;
              const QString why =
                  stop.stop_requested() ? QStringLiteral("stopped") : ends_[plan.run];
              if (stop.stop_requested()) stopped_ << plan.run;
              if (!why.isEmpty())
                result.checks.push_back(
                    {"nodes", PreflightCheck::Level::Error, "There are no nodes", why, {}, {}, {}});
              changed_.notify_all();
              return result;
            },
            [this](const launcher::Cluster&, qint64 job) -> tl::expected<void, composer::Error> {
              const std::lock_guard lock(mutex_);
              asked_ << job;
              if (!stuck_) return {};
              return tl::unexpected(composer::Error{{}, 0, {}, "It does not end.", {}});
            }};
  }
  /// That run's job has a number and waits, or not any more.
  void queue(const QString& run, qint64 job, bool waits = true) {
    std::function<void(const QueuePlace&)> told;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return queues_.contains(run); });
      told = queues_[run];
    }
    QueuePlace place;
    place.cluster = "hpc";
    place.partition = "sim";
    place.job = job;
    place.waits = waits;
    told(place);
  }
  /// Empty: it has its nodes, and its hosts are ready.
  void end(const QString& run, const QString& why = {}) {
    const std::lock_guard lock(mutex_);
    ends_[run] = why;
    changed_.notify_all();
  }
  QStringList stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }
  QList<qint64> askedWhetherGone() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  void setStuck() { stuck_ = true; }

 private:
  std::mutex mutex_;  ///< guards all below
  std::condition_variable_any changed_;
  std::map<QString, std::function<void(const QueuePlace&)>> queues_;
  std::map<QString, QString> ends_;
  QStringList stopped_;
  QList<qint64> asked_;
  bool stuck_ = false;
};

LaunchPlan plan(const QString& run, bool immediate = false) {
  LaunchPlan result;
  result.run = run;
  launcher::PlannedHost host;
  host.host.name = "hpc/sim/1";
  host.host.jobNode = launcher::JobNode{};
  host.host.jobNode->cluster = "hpc";
  host.host.jobNode->partition = "sim";
  host.host.jobNode->immediate = immediate;
  result.hosts.push_back(host);
  return result;
}

QString runOf(const QSignalSpy& prepared) {
  return prepared.isEmpty() ? QString() : prepared.front().at(0).value<LaunchPlan>().run;
}

}  // namespace

class TestRunPreparation : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theOldJobGoesWhenSlurmHasTheNewOne() {
    Slurm slurm;
    RunPreparation preparation(slurm.ways());
    QSignalSpy replaced(&preparation, &RunPreparation::replaced);
    QSignalSpy prepared(&preparation, &RunPreparation::prepared);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    QTRY_COMPARE(preparation.places().size(), 1U);
    QCOMPARE(preparation.submitted()->run, "old");
    preparation.replace(plan("new"));
    QVERIFY(preparation.isReplacing());
    // Not before: the new one has no number.
    QCOMPARE(preparation.places().front().job, 7);
    QVERIFY(slurm.stopped().isEmpty());
    slurm.queue("new", 8);
    QTRY_COMPARE(replaced.size(), 1);
    QCOMPARE(replaced.front().at(0).value<QList<qint64>>(), QList<qint64>{7});
    QTRY_COMPARE(slurm.stopped(), QStringList("old"));
    QTRY_COMPARE(slurm.askedWhetherGone(), QList<qint64>{7});
    QCOMPARE(preparation.places().front().job, 8);
    QCOMPARE(preparation.submitted()->run, "new");
    slurm.end("new");
    QTRY_COMPARE(runOf(prepared), "new");
    QVERIFY(!preparation.isActive());
    QCOMPARE(prepared.size(), 1);
  }

  void theOldJobStaysWhenTheNewOneIsRefused() {
    Slurm slurm;
    RunPreparation preparation(slurm.ways());
    QSignalSpy notReplaced(&preparation, &RunPreparation::notReplaced);
    QSignalSpy prepared(&preparation, &RunPreparation::prepared);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    QTRY_COMPARE(preparation.places().size(), 1U);
    preparation.replace(plan("new"));
    slurm.end("new", "the partition is down");
    QTRY_COMPARE(notReplaced.size(), 1);
    QVERIFY(notReplaced.front().at(0).toString().contains("the partition is down"));
    QCOMPARE(preparation.places().front().job, 7);
    QVERIFY(slurm.stopped().isEmpty());
    // And it can be tried again.
    preparation.replace(plan("newer"));
    QVERIFY(preparation.isReplacing());
    slurm.end("old");
    QTRY_COMPARE(runOf(prepared), "old");
  }

  void theOldJobRunsWhenItsTurnComesFirst() {
    Slurm slurm;
    RunPreparation preparation(slurm.ways());
    QSignalSpy notReplaced(&preparation, &RunPreparation::notReplaced);
    QSignalSpy prepared(&preparation, &RunPreparation::prepared);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    preparation.replace(plan("new"));
    slurm.end("old");
    QTRY_COMPARE(runOf(prepared), "old");
    QCOMPARE(notReplaced.size(), 1);
    QVERIFY(notReplaced.front().at(0).toString().contains("got its nodes"));
    QTRY_COMPARE(slurm.stopped(), QStringList("new"));
    QVERIFY(!preparation.isActive());
  }

  void theNewJobGoesOnWhenTheOldOneFails() {
    Slurm slurm;
    RunPreparation preparation(slurm.ways());
    QSignalSpy prepared(&preparation, &RunPreparation::prepared);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    preparation.replace(plan("new"));
    slurm.end("old", "somebody has cancelled it");
    QTRY_VERIFY(!preparation.isReplacing());
    QVERIFY(preparation.isActive());
    QVERIFY(prepared.isEmpty());
    slurm.queue("new", 8);
    QTRY_COMPARE(preparation.places().size(), 1U);
    slurm.end("new");
    QTRY_COMPARE(runOf(prepared), "new");
  }

  void anOldJobThatCannotBeCancelledIsSaid() {
    Slurm slurm;
    slurm.setStuck();
    RunPreparation preparation(slurm.ways());
    QSignalSpy notCancelled(&preparation, &RunPreparation::notCancelled);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    QTRY_COMPARE(preparation.places().size(), 1U);
    preparation.replace(plan("new"));
    slurm.queue("new", 8);
    QTRY_COMPARE(notCancelled.size(), 1);
    QCOMPARE(notCancelled.front().at(0).toString(), "hpc");
    QCOMPARE(notCancelled.front().at(1).toLongLong(), 7);
    QVERIFY(notCancelled.front().at(2).toString().contains("It does not end."));
    QCOMPARE(preparation.places().front().job, 8);
    preparation.stop();
    QTRY_COMPARE(slurm.stopped().size(), 2);
  }

  // Such a job may wait for ten seconds and then be refused.
  void aJobThatStartsNowOrNotAtAllCountsOnceItHasItsNodes() {
    Slurm slurm;
    RunPreparation preparation(slurm.ways());
    QSignalSpy notReplaced(&preparation, &RunPreparation::notReplaced);
    QSignalSpy replaced(&preparation, &RunPreparation::replaced);
    preparation.begin(plan("old"));
    slurm.queue("old", 7);
    QTRY_COMPARE(preparation.places().size(), 1U);
    preparation.replace(plan("refused", true));
    slurm.queue("refused", 8);
    slurm.end("refused", "not now");
    QTRY_COMPARE(notReplaced.size(), 1);
    QVERIFY(replaced.isEmpty());
    QVERIFY(slurm.stopped().isEmpty());
    preparation.replace(plan("taken", true));
    slurm.queue("taken", 9);
    slurm.queue("taken", 9, false);
    QTRY_COMPARE(replaced.size(), 1);
    preparation.stop();
    QTRY_COMPARE(slurm.stopped().size(), 2);
  }
};

QTEST_GUILESS_MAIN(TestRunPreparation)
#include "tst_run_preparation.moc"
