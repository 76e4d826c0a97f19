// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose Slurm job waits, and the job that replaces it: there is always one of the two,
// whichever of them fails.
#include <signal.h>

#include <QFile>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <condition_variable>
#include <map>
#include <mutex>

#include "app/run_preparation.h"
#include "app/save_control.h"

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
              result.allocations = std::exchange(given_, {});
              if (!why.isEmpty())
                result.checks.push_back(
                    {"nodes", PreflightCheck::Level::Error, "There are no nodes", why, {}, {}, {}});
              changed_.notify_all();
              return result;
            },
            [this](const launcher::Cluster&, qint64 job,
                   const std::stop_token& stop) -> tl::expected<void, composer::Error> {
              std::unique_lock lock(mutex_);
              asked_ << job;
              changed_.notify_all();
              if (silent_) changed_.wait(lock, stop, [] { return false; });
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
  /// It does not say whether a job is gone.
  void setSilent() { silent_ = true; }
  /// What a run gets.
  void give(const launcher::Allocations& allocations) { given_ = allocations; }

 private:
  std::mutex mutex_;  ///< guards all below
  std::condition_variable_any changed_;
  std::map<QString, std::function<void(const QueuePlace&)>> queues_;
  std::map<QString, QString> ends_;
  QStringList stopped_;
  QList<qint64> asked_;
  bool stuck_ = false;
  bool silent_ = false;
  launcher::Allocations given_;
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

  // The guard of a job ends only when scancel does.
  void nobodyWaitsForSlurmToTakeNodesBack_data() {
    QTest::addColumn<bool>("isStale");
    QTest::newRow("of a run that is over") << false;
    QTest::newRow("of a run that was let go of") << true;
  }
  void nobodyWaitsForSlurmToTakeNodesBack() {
    QFETCH(bool, isStale);
    QTemporaryDir folder;
    const auto program = [&](const QString& name, const QByteArray& text) {
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("#!/bin/sh\ncd " + folder.path().toUtf8() + "\n" + text);
      file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
    };
    program("salloc", "trap 'exit 0' TERM\nwhile [ ! -e go ]; do sleep 0.05; done\n");
    program("squeue", "[ -e go ] || echo 7\n");
    program("scontrol", "");
    program("scancel", "echo asked > asked\nwhile [ ! -e go ]; do sleep 0.05; done\n");
    const auto back = qScopeGuard([path = qgetenv("PATH")] { qputenv("PATH", path); });
    qputenv("PATH", (folder.path() + ':' + qEnvironmentVariable("PATH")).toUtf8());

    launcher::Allocation::Request request;
    request.cluster.name = "hpc";
    request.partition = "sim";
    request.name = "stand-in";
    Slurm slurm;
    slurm.give({std::make_shared<launcher::Allocation>(request)});
    const auto* threads = QThreadPool::globalInstance();
    RunPreparation preparation(slurm.ways());
    QSignalSpy prepared(&preparation, &RunPreparation::prepared);
    preparation.begin(plan("one"));
    slurm.queue("one", 7);
    if (isStale) {
      preparation.stop();
      QTRY_VERIFY(QFile::exists(folder.filePath("asked")));
    } else {
      slurm.end("one");
      QTRY_COMPARE(prepared.size(), 1);
      QTRY_COMPARE(threads->activeThreadCount(), 0);
      prepared.clear();
    }
    // The window has let go, and is here, while another thread waits for Slurm, which says nothing.
    QVERIFY(threads->activeThreadCount() > 0);
    QTRY_VERIFY(QFile::exists(folder.filePath("asked")));
    QFile go(folder.filePath("go"));
    QVERIFY(go.open(QIODevice::WriteOnly));
    QTRY_COMPARE_WITH_TIMEOUT(threads->activeThreadCount(), 0, 20000);
  }

  // An ssh that does not end when it is told to.
  void nobodyWaitsForSshToEnd() {
    QTemporaryDir folder;
    QFile ssh(folder.filePath("ssh"));
    QVERIFY(ssh.open(QIODevice::WriteOnly));
    ssh.write("#!/bin/sh\ntrap '' TERM\necho $$ > " + folder.filePath("pid.new").toUtf8() +
              "\nmv " + folder.filePath("pid.new").toUtf8() + ' ' +
              folder.filePath("pid").toUtf8() + "\nwhile :; do sleep 0.05; done\n");
    ssh.close();
    ssh.setPermissions(ssh.permissions() | QFile::ExeOwner | QFile::ExeUser);
    const auto back = qScopeGuard([path = qgetenv("PATH")] { qputenv("PATH", path); });
    qputenv("PATH", (folder.path() + ':' + qEnvironmentVariable("PATH")).toUtf8());
    launcher::Host host;
    host.name = host.destination = "far";
    pid_t pid = 0;
    {
      launcher::Agent agent("far");
      agent.startOn(host, "true", 60);
      QTRY_VERIFY(QFile::exists(folder.filePath("pid")));
      QFile file(folder.filePath("pid"));
      QVERIFY(file.open(QIODevice::ReadOnly));
      pid = file.readAll().trimmed().toInt();
      QVERIFY(pid > 0);
      agent.leave();
    }
    QCOMPARE(::kill(pid, 0), 0);  // left behind, as it is
    QTRY_VERIFY_WITH_TIMEOUT(::kill(pid, 0) != 0, 20000);
  }

  void aRunGoesOnFromItsNewestSave_data() {
    QTest::addColumn<QStringList>("saves");  // in their order, a figure is the minute
    QTest::addColumn<QString>("known");
    QTest::addColumn<QString>("newest");
    const QString limit = "before-limit";
    QTest::newRow("the only one") << QStringList{"before-limit 20"} << limit << limit;
    QTest::newRow("one behind it")
        << QStringList{"by-hand 25", "before-limit 20", "old 3"} << limit << "by-hand";
    QTest::newRow("one before it") << QStringList{"by-hand 5", "before-limit 20"} << limit << limit;
    QTest::newRow("not listed yet") << QStringList{"by-hand 5"} << limit << limit;
    QTest::newRow("none known") << QStringList{"a 1", "b 7", "c 3"} << ""
                                << "b";
    QTest::newRow("none") << QStringList{} << ""
                          << "";
  }
  void aRunGoesOnFromItsNewestSave() {
    QFETCH(QStringList, saves);
    QFETCH(QString, known);
    QList<theme::RunStatus::KeptSave> kept;
    for (const QString& one : saves)
      kept << theme::RunStatus::KeptSave{
          one.section(' ', 0, 0), 1,
          QDateTime(QDate(2026, 11, 25), QTime(12, one.section(' ', 1).toInt()))};
    QTEST(app::newestSave(kept, known), "newest");
  }

  void aWindowThatClosesDoesNotWaitForAnOldJob() {
    Slurm slurm;
    slurm.setSilent();
    {
      RunPreparation preparation(slurm.ways());
      preparation.begin(plan("old"));
      slurm.queue("old", 7);
      QTRY_COMPARE(preparation.places().size(), 1U);
      preparation.replace(plan("new"));
      slurm.queue("new", 8);
      QTRY_COMPARE(slurm.askedWhetherGone(), QList<qint64>{7});
    }
    // All threads end, though nobody has said that the job is gone.
    QVERIFY(QThreadPool::globalInstance()->waitForDone(20000));
  }
};

QTEST_GUILESS_MAIN(TestRunPreparation)
#include "tst_run_preparation.moc"
