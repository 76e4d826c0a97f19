// SPDX-License-Identifier: GPL-3.0-or-later
// The cable of a host of a run is cut, and an operator decides: tutti wait, and the host comes back
// after the grace; or tutti give-up, and the others go on without it.
#include <QRegularExpression>
#include <QTest>
#include <memory>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "observe/node_links.h"
#include "tests/launcher/lab_plans.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::endMs;
using test::Lab;

namespace {

const QString west = QStringLiteral("radar-west");
const QString east = QStringLiteral("radar-east");
/// Of the links of a run.
constexpr std::uint64_t graceMs = 15000;

}  // namespace

class TestHostsWait : public QObject {
  Q_OBJECT

 private slots:
  /// A cut that is longer than the grace costs nobody, as it is waited for.
  void theRunGoesOnAfterAWait() {
    begin(true);
    const auto before = lab_->processes(1, "/radar ");
    QCOMPARE(before.size(), 1);
    const QString node = findGoingRun(tutti_->id())->node;
    QVERIFY(lab_->call({"cut", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).suspect, endMs);
    const QByteArray waits = tutti_->call({"wait", tutti_->id(), lab_->host(1)});
    QVERIFY2(waits.contains(lab_->host(1).toUtf8() + " is waited for 60 s longer"), waits);
    // The node and the launcher would have lost it by now.
    constexpr std::uint64_t beyond = graceMs + 8000;
    QTRY_VERIFY2_WITH_TIMEOUT(!linkOf(node).suspect || linkOf(node).suspectMilliseconds > beyond,
                              shown_, endMs);
    QVERIFY(linkOf(node).suspect);
    QVERIFY(lab_->call({"mend", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).peer.size() > 0 && !linkOf(node).suspect, endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(said("answers again"), shown_, endMs);
    // It is the same process, still joined, and the federation hears of it.
    QCOMPARE(lab_->processes(1, "/radar "), before);
    const auto messages = linkOf(node).messagesReceived;
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).messagesReceived > messages + 20, endMs);
    QVERIFY2(!shown_.contains("is lost"), shown_);
    Run watcher(*findGoingRun(tutti_->id()));
    watcher.watch();
    QTRY_COMPARE_WITH_TIMEOUT(watcher.phase(), Run::Phase::Running, endMs);
    for (const auto& one : watcher.processes()) {
      QVERIFY2(one.state == ProcessStatus::State::Running, qPrintable(one.id));
    }
    endRun();
    QCOMPARE(run_.exitCode(), 0);
  }

  /// Not for as long as the run would wait for it while it goes on, even if it was told to.
  void aStopDoesNotWaitForIt() {
    begin(true);
    const QString node = findGoingRun(tutti_->id())->node;
    QVERIFY(lab_->call({"cut", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).suspect, endMs);
    const QByteArray waits = tutti_->call({"wait", tutti_->id(), lab_->host(1)});
    QVERIFY2(waits.contains(lab_->host(1).toUtf8() + " is waited for 60 s longer"), waits);
    QTRY_VERIFY2_WITH_TIMEOUT(said("does not answer"), shown_, endMs);
    run_.terminate();
    // Else it would not be lost before it was silent for the grace at least, or 75 s.
    QTRY_VERIFY2_WITH_TIMEOUT(said("nothing was heard from it for "), shown_, endMs);
    const auto lost = QRegularExpression("heard from it for (\\d+) s").match(shown_);
    QVERIFY2(lost.hasMatch() && lost.captured(1).toInt() < 15, shown_);
    QVERIFY(run_.state() == QProcess::NotRunning || run_.waitForFinished(endMs));
    QVERIFY(lab_->call({"mend", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(lab_->processes(1).isEmpty(), endMs);
  }

  /// It is lost long before the grace ends, and ends its federate when it is back.
  void aHostIsGivenUp() {
    begin(false);
    const auto before = lab_->processes(1, "/radar ");
    QCOMPARE(before.size(), 1);
    const QString node = findGoingRun(tutti_->id())->node;
    QVERIFY(lab_->call({"cut", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).suspect, endMs);
    const auto suspect = linkOf(node).suspectMilliseconds;
    const QByteArray gone = tutti_->call({"give-up", tutti_->id(), lab_->host(1)});
    QVERIFY2(gone.contains(lab_->host(1).toUtf8() + " is given up: federates lost: radar-west"),
             gone);
    QVERIFY2(suspect < graceMs, "the grace has done it");
    QTRY_VERIFY_WITH_TIMEOUT(linkOf(node).peer.empty(), endMs);
    // Nobody can tell it.
    QVERIFY(alive(before.front()));
    const QByteArray again = tutti_->call({"wait", tutti_->id(), lab_->host(1)});
    QVERIFY2(again.contains("has no link"), again);
    QVERIFY(lab_->call({"mend", lab_->host(1)}));
    QTRY_VERIFY_WITH_TIMEOUT(!alive(before.front()), endMs);
    // The others go on.
    QCOMPARE(run_.state(), QProcess::Running);
    QCOMPARE(lab_->processes(2, "/radar ").size(), 1);
    QVERIFY(!linkOf(node, 2).suspect);
    endRun();
  }

  void init() { shown_.clear(); }
  void cleanup() {
    if (!tutti_) return;
    lab_->call({"mend", lab_->host(1)});  // of a test that has failed before
    if (tutti_->isGoing()) tutti_->call({"stop", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), endMs);
    for (const int host : {1, 2}) {
      QTRY_VERIFY2_WITH_TIMEOUT(lab_->processes(host).isEmpty(),
                                Lab::commandOf(lab_->processes(host).value(0)), endMs);
    }
    lab_.reset();
    tutti_.reset();
  }

 private:
  /// The sample with a radar on each host of a new lab, where a host may be waited for; all run.
  void begin(bool required) {
    lab_ = std::make_unique<Lab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    qputenv("XDG_STATE_HOME", (lab_->root() + "/state").toUtf8());
    tutti_ = std::make_unique<test::TuttiCall>(lab_->root() + "/state");
    const QString file = lab_->sampleWith({{west, 1}, {east, 2}}, required);
    auto hosts = QJsonDocument::fromJson(test::content(lab_->hostsFile())).object();
    hosts["longestWait"] = 60;
    QFile out(lab_->hostsFile());
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(QJsonDocument(hosts).toJson());
    out.close();
    run_.setProcessChannelMode(QProcess::MergedChannels);
    tutti_->begin(run_, {"run", file, "--hosts", lab_->hostsFile(), "--duration", "600"});
    QTRY_VERIFY2_WITH_TIMEOUT(said("running  6 of 6"), shown_, endMs);
  }
  void endRun() {
    run_.terminate();
    QVERIFY(run_.waitForFinished(endMs));
  }
  bool said(const QByteArray& text) {
    shown_ += run_.readAllStandardOutput();
    return shown_.contains(text);
  }
  /// What the home of the run says of its link to a host; without a peer: there is none.
  tutti::fabric::LinkStatus linkOf(const QString& node, int host = 1) const {
    const auto links = tutti::observe::linksOf(node.toStdString());
    if (!links) return {};
    for (const auto& link : *links) {
      if (QString::fromStdString(link.peer).endsWith('.' + lab_->host(host))) return link;
    }
    return {};
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QProcess run_;
  QByteArray shown_;
};

QTEST_GUILESS_MAIN(TestHostsWait)
#include "tst_hosts_wait.moc"
