// SPDX-License-Identifier: GPL-3.0-or-later
// A host is lost in a run over several hosts: required federates are started again on a spare, and
// join under their names; when no spare takes them, the run ends and says why.
#include <signal.h>

#include <QTest>
#include <memory>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "launcher/engine/run_record.h"
#include "tests/launcher/lab_plans.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::endMs;
using test::Lab;

namespace {

const QString west = QStringLiteral("radar-west");
const QString east = QStringLiteral("radar-east");
/// A silence of 15 s, then the RTI's own.
constexpr int lossMs = 120000;

}  // namespace

class TestHostsSpare : public QObject {
  Q_OBJECT

 private slots:
  /// The whole way, watched by a second client: the host's cable is cut, so that its processes live
  /// on; the spare takes the federate; the host comes back and has ended its own.
  void itComesBackOnTheSpare() {
    begin(3, {{west, 1}, {east, 2}});
    spares({3});
    QProcess run;
    QVERIFY2(start(run), shown_);
    Run watcher(*findGoingRun(tutti_->id()));
    watcher.watch();
    QTRY_COMPARE_WITH_TIMEOUT(watcher.phase(), Run::Phase::Running, endMs);
    const auto before = lab_->processes(1, "/radar ");
    QCOMPARE(before.size(), 1);
    // All that it needs is there: its RTI node too.
    QCOMPARE(lab_->processes(3, "tutti-rti ").size(), 1);
    QVERIFY(lab_->processes(3, "/radar ").isEmpty());
    QVERIFY(lab_->call({"cut", lab_->host(1)}));
    const QByteArray told = lab_->host(1).toUtf8() + " is lost: radar-west started again on " +
                            lab_->host(3).toUtf8() + " (spare)";
    QTRY_VERIFY2_WITH_TIMEOUT(said(run, told), shown_, lossMs);
    QTRY_VERIFY_WITH_TIMEOUT(isRunning(watcher, west, 3), endMs);
    QVERIFY(said(watcher, told));
    QCOMPARE(watcher.changes().size(), std::size_t(1));
    const RunChange change = watcher.changes().front();
    QVERIFY(change.kind == RunChange::Kind::Restarted);
    QCOMPARE(change.federate, west);
    QCOMPARE(change.from, lab_->host(1));
    QCOMPARE(change.host, lab_->host(3));
    QVERIFY2(change.why.contains(lab_->host(1) + " is lost: ") &&
                 change.why.contains("the only spare host"),
             qPrintable(change.why));
    QCOMPARE(lab_->processes(3, "/radar ").size(), 1);
    // One that had been joined there could not join again, and the run would have ended.
    QVERIFY(watcher.process(west)->joined || watcher.process(west)->attempt == 1);
    QVERIFY(lab_->call({"mend", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(!alive(before.front()), endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(lab_->processes(1, "/radar ").isEmpty(), "a second copy runs", endMs);
    QVERIFY(isRunning(watcher, west, 3));
    QCOMPARE(run.state(), QProcess::Running);
    const QString folder = watcher.plan().folder;
    endRun(run);
    const auto record = RunRecord::read(folder + "/record.json");
    QVERIFY(record.has_value());
    QCOMPARE(record->changes.size(), std::size_t(1));
    QVERIFY(record->changes.front() == change);
    QVERIFY(record->troubles.join(u'\n').contains(QString::fromUtf8(told)));
    // It starts anew where it was last, and the host that was lost is the spare.
    const auto plan = LaunchPlan::load(folder + "/launch.json");
    QVERIFY(plan.has_value());
    QCOMPARE(plan->federate(west)->host, lab_->host(3));
    QVERIFY(!plan->host(lab_->host(3))->spare && plan->host(lab_->host(1))->spare);
    QVERIFY(lab_->call({"kill", lab_->host(1)}));
    const QByteArray again = tutti_->call({"rerun", "--duration", "2"});
    QVERIFY2(again.contains(lab_->host(1).toUtf8() + " is a spare: the run starts without it") &&
                 again.contains("2 s have passed"),
             again);
  }

  void twoHostsAndOneSpare_data() {
    QTest::addColumn<int>("memory");
    QTest::addColumn<bool>("takesBoth");
    // Each needs 40 MB.
    QTest::newRow("it has room for both") << 80 << true;
    QTest::newRow("it has room for one") << 79 << false;
  }
  void twoHostsAndOneSpare() {
    QFETCH(int, memory);
    QFETCH(bool, takesBoth);
    begin(3, {{west, 1}, {east, 2}});
    spares({3}, memory);
    QProcess run;
    QVERIFY2(start(run), shown_);
    QVERIFY(lab_->call({"kill", lab_->host(1)}));
    QVERIFY(lab_->call({"kill", lab_->host(2)}));
    if (takesBoth) {
      QTRY_COMPARE_WITH_TIMEOUT(lab_->processes(3, "/radar ").size(), 2, lossMs);
      QTRY_VERIFY2_WITH_TIMEOUT(
          said(run, "is lost: radar-east started again on " + lab_->host(3).toUtf8()), shown_,
          endMs);
      endRun(run);
      return;
    }
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, lossMs);
    QVERIFY2(said(run, "No spare host takes radar-") && shown_.contains("1 MB too few"), shown_);
    QCOMPARE(run.exitCode(), 1);
  }

  /// It is lost before anybody needs it, which ends nothing; or after it was needed, where the
  /// second spare takes what it had; then none is left.
  void aSpareIsLostToo() {
    begin(4, {{west, 1}, {east, 2}});
    spares({3, 4});
    QProcess run;
    QVERIFY2(start(run), shown_);
    QVERIFY(lab_->call({"kill", lab_->host(1)}));
    const auto first = [&] {
      return !lab_->processes(3, "/radar ").isEmpty()   ? 3
             : !lab_->processes(4, "/radar ").isEmpty() ? 4
                                                        : 0;
    };
    QTRY_VERIFY2_WITH_TIMEOUT(first() != 0, shown_, lossMs);
    const int taken = first();
    const int other = 7 - taken;
    QTRY_VERIFY2_WITH_TIMEOUT(said(run, "running  6 of 6 federates"), shown_, endMs);
    QVERIFY(lab_->call({"kill", lab_->host(taken)}));
    QTRY_COMPARE_WITH_TIMEOUT(lab_->processes(other, "/radar ").size(), 1, lossMs);
    QTRY_VERIFY2_WITH_TIMEOUT(
        said(run, lab_->host(taken).toUtf8() + " is lost: radar-west started again on " +
                      lab_->host(other).toUtf8()),
        shown_, endMs);
    QVERIFY(lab_->call({"kill", lab_->host(other)}));
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, lossMs);
    QVERIFY2(said(run, lab_->host(other).toUtf8() +
                           " is lost, and radar-west is needed. No spare host is left"),
             shown_);
  }

  void anIdleSpareEndsNothing() {
    begin(3, {{west, 1}, {east, 2}});
    spares({3});
    QProcess run;
    QVERIFY2(start(run), shown_);
    QVERIFY(lab_->call({"kill", lab_->host(3)}));
    QTRY_VERIFY2_WITH_TIMEOUT(said(run, "The host " + lab_->host(3).toUtf8() + " is lost"), shown_,
                              lossMs);
    QCOMPARE(run.state(), QProcess::Running);
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    QCOMPARE(run.exitCode(), 0);
  }

  /// A policy of "never" is the last word.
  void whoIsNeverStartedAgainEndsTheRun() {
    begin(3, {{west, 1}, {east, 2}}, {east});
    spares({3});
    QProcess run;
    QVERIFY2(start(run), shown_);
    QVERIFY(lab_->call({"kill", lab_->host(1)}));
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, lossMs);
    QVERIFY2(said(run, "radar-west is not started again, as its restart policy is \"never\""),
             shown_);
    // It could have been known before.
    const QByteArray planned = tutti_->call({"plan", file_, "--hosts", lab_->hostsFile()});
    QVERIFY2(planned.contains("Their restart policy is \"never\": radar-west"), planned);
  }

  /// Its console is killed with the host: whoever takes the run over has the federate come back.
  void theConsoleIsKilledInTheMiddle() {
    begin(3, {{west, 1}, {east, 2}});
    spares({3});
    QProcess run;
    QVERIFY2(start(run, {"--keep"}), shown_);
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isKept(), endMs);
    QVERIFY(lab_->call({"kill", lab_->host(1)}));
    run.kill();
    QVERIFY(run.waitForFinished(endMs));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isLeftAlone(), endMs);
    QVERIFY(lab_->processes(3, "/radar ").isEmpty());
    QProcess owner;
    owner.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(owner, {"attach", tutti_->id(), "--own", "--keep"});
    QTRY_COMPARE_WITH_TIMEOUT(lab_->processes(3, "/radar ").size(), 1, lossMs);
    QTRY_VERIFY2_WITH_TIMEOUT(
        said(owner, "is lost: radar-west started again on " + lab_->host(3).toUtf8()), shown_,
        endMs);
    // And the next one finds it there.
    owner.kill();
    QVERIFY(owner.waitForFinished(endMs));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isLeftAlone(), endMs);
    Run last(*findGoingRun(tutti_->id()));
    last.attach();
    QTRY_COMPARE_WITH_TIMEOUT(last.phase(), Run::Phase::Running, lossMs);
    QVERIFY(isRunning(last, west, 3));
    last.stop();
    QTRY_VERIFY_WITH_TIMEOUT(last.isOver(), endMs);
  }

  void init() { shown_.clear(); }
  void cleanup() {
    if (!tutti_) return;
    if (tutti_->isGoing()) tutti_->call({"stop", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), endMs);
    for (int host = 1; host <= hosts_; ++host) {
      QTRY_VERIFY2_WITH_TIMEOUT(lab_->processes(host).isEmpty(),
                                Lab::commandOf(lab_->processes(host).value(0)), endMs);
    }
    lab_.reset();
    tutti_.reset();
  }

 private:
  /// The sample with these federates, all of them required, on the hosts of a new lab; `again` are
  /// started again when they fail, by default all of these.
  void begin(int hosts, const QHash<QString, int>& places, QStringList again = {}) {
    hosts_ = hosts;
    lab_ = std::make_unique<Lab>(hosts);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    qputenv("XDG_STATE_HOME", (lab_->root() + "/state").toUtf8());
    tutti_ = std::make_unique<test::TuttiCall>(lab_->root() + "/state");
    file_ = lab_->sampleWith(places);
    if (again.isEmpty()) again = places.keys();
    edit(file_, [&](QJsonObject& document) {
      auto federates = document["federates"].toObject();
      for (auto one = federates.begin(); one != federates.end(); ++one) {
        auto federate = one.value().toObject();
        if (!again.contains(federate["name"].toString())) continue;
        federate["restart"] = QJsonObject{{"when", "on-failure"}};
        one.value() = federate;
      }
      document["federates"] = federates;
    });
  }

  void spares(const QList<int>& those, int memory = 0) {
    edit(lab_->hostsFile(), [&](QJsonObject& document) {
      document["ifHostLost"] = "restart";
      auto hosts = document["hosts"].toObject();
      for (const int number : those) {
        auto host = hosts[lab_->host(number)].toObject();
        host["spare"] = true;
        if (memory > 0) host["memory"] = memory;
        hosts[lab_->host(number)] = host;
      }
      document["hosts"] = hosts;
    });
  }

  template <class Change>
  static void edit(const QString& path, Change change) {
    auto document = QJsonDocument::fromJson(test::content(path)).object();
    change(document);
    QFile out(path);
    if (out.open(QIODevice::WriteOnly)) out.write(QJsonDocument(document).toJson());
  }

  bool start(QProcess& run, const QStringList& options = {}) {
    run.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(
        run,
        QStringList{"run", file_, "--hosts", lab_->hostsFile(), "--duration", "600"} + options);
    return QTest::qWaitFor([&] { return said(run, "running  6 of 6"); }, endMs);
  }
  void endRun(QProcess& run) {
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
    shown_ += run.readAllStandardOutput();
  }
  bool said(QProcess& run, const QByteArray& text) {
    shown_ += run.readAllStandardOutput();
    return shown_.contains(text);
  }
  static bool said(const Run& run, const QByteArray& text) {
    for (const auto& trouble : run.troubles()) {
      if (trouble.message().contains(QString::fromUtf8(text))) return true;
    }
    return false;
  }
  bool isRunning(const Run& run, const QString& federate, int host) const {
    const auto* process = run.process(federate);
    return process != nullptr && process->host == lab_->host(host) &&
           process->state == ProcessStatus::State::Running;
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QString file_;
  QByteArray shown_;
  int hosts_ = 0;
};

QTEST_GUILESS_MAIN(TestHostsSpare)
#include "tst_hosts_spare.moc"
