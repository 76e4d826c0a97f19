// SPDX-License-Identifier: GPL-3.0-or-later
// A federate joins a running federation on another host of it, and leaves it there; those of other
// hosts are made to resign.
#include <signal.h>

#include <QDirIterator>
#include <QTest>
#include <algorithm>

#include "launcher/engine/kept_runs.h"
#include "launcher/engine/run.h"
#include "tests/launcher/lab_plans.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::endMs;
using test::Lab;

class TestHostsChanges : public QObject {
  Q_OBJECT

 private slots:
  void oneJoinsOnAnotherHostAndLeavesIt() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const test::TuttiCall tutti(lab.root() + "/state");
    const QString file = compose(lab, {});
    QProcess run;
    tutti.begin(run, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += run.readAllStandardOutput()).contains("running  5 of 5"),
                              shown + run.readAllStandardError(), endMs);
    const QString id = tutti.id();
    QCOMPARE(lab.processes(1, "/radar ").size(), 1);
    // On a host that the run uses: its component is there or is copied there.
    compose(lab, {{"radar-east", 1}});
    QByteArray said = tutti.call({"start", id, "radar-east"});
    QVERIFY2(said.contains("radar-east: "), said);
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(1, "/radar ").size(), 2, endMs);
    QTRY_VERIFY2_WITH_TIMEOUT((shown += run.readAllStandardOutput()).contains("running  6 of 6"),
                              shown, endMs);
    said = tutti.call({"stop", id, "radar-east", "--remove"});
    QVERIFY2(said.contains("radar-east: removed"), said);
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(1, "/radar ").size(), 1, endMs);
    // On one that it does not use it cannot.
    compose(lab, {{"radar-east", 2}});
    said = tutti.call({"start", id, "radar-east"});
    QVERIFY2(said.contains("radar-east is placed on " + lab.host(2).toUtf8() +
                           ", which is no host of the run: it uses this machine, " +
                           lab.host(1).toUtf8()),
             said);
    said = tutti.call({"stop", id});
    QVERIFY2(said.contains("has ended"), said);
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(lab).isEmpty(), test::leftOn(lab), endMs);
  }

  /// By another program than the one that has the run: none starts, on any host, before the last
  /// has ended.
  void allAreRestartedTogether() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const test::TuttiCall tutti(lab.root() + "/state");
    const QString file = lab.sampleWith({{"radar-west", 1}, {"radar-east", 2}});
    QProcess run;
    tutti.begin(run, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += run.readAllStandardOutput()).contains("running  6 of 6"),
                              shown + run.readAllStandardError(), endMs);
    const QString id = tutti.id();
    const QByteArray said = tutti.call({"start", id, "--restart"});
    QVERIFY2(said.count(": running\n") + said.count(": starting\n") == 6, said);
    QVERIFY2(tutti.call({"stop", id}).contains("has ended"), shown);
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, endMs);
    // Its end has brought the logs of all hosts here; the clock is the same on all.
    QByteArray lastEnd, firstStart;
    int federates = 0;
    QDirIterator logs(lab.root() + "/state/tutti/runs/" + id, {"*.log"}, QDir::Files,
                      QDirIterator::Subdirectories);
    while (logs.hasNext()) {
      QList<QByteArray> starts, ends;
      for (const QByteArray& line : test::content(logs.next()).split('\n')) {
        const QByteArray time = line.left(line.indexOf(' '));
        if (line.contains(" tut started as process ")) starts << time;
        if (line.contains(" tut exited ") || line.contains(" tut ended by ")) ends << time;
      }
      if (starts.size() < 2) continue;  // an RTI node
      ++federates;
      lastEnd = std::max(lastEnd, ends.front());
      firstStart = firstStart.isEmpty() ? starts[1] : std::min(firstStart, starts[1]);
    }
    QCOMPARE(federates, 6);
    QVERIFY2(lastEnd <= firstStart, lastEnd + " after " + firstStart);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(lab).isEmpty(), test::leftOn(lab), endMs);
  }

  /// A host is told to end what runs there, which the run does not need but who watches believes it
  /// does: whoever has the run decides.
  void whoWatchesStopsNothing() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const test::TuttiCall tutti(lab.root() + "/state");
    const QString file = lab.sampleWith({{"radar-west", 1}, {"radar-east", 2}}, false);
    QProcess run;
    tutti.begin(run, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += run.readAllStandardOutput()).contains("running  6 of 6"),
                              shown + run.readAllStandardError(), endMs);
    auto plan = findGoingRun(tutti.id(), lab.root() + "/state/tutti/runs");
    QVERIFY(plan.has_value());
    for (auto& one : plan->federates) one.required = true;
    Run watcher(*plan);
    watcher.watch();
    QTRY_COMPARE_WITH_TIMEOUT(watcher.phase(), Run::Phase::Running, endMs);
    int told = 0;
    connect(&watcher, &Run::troubled, this, [&](const Trouble& trouble) {
      told += trouble.what == "The supervisor of " + lab.host(1) + " ends what runs there" ? 1 : 0;
    });
    for (const pid_t pid : lab.processes(1, "tutti-supervisor")) {
      if (!Lab::commandOf(pid).contains(" --attach")) QCOMPARE(::kill(pid, SIGTERM), 0);
    }
    QTRY_COMPARE_WITH_TIMEOUT(told, 1, endMs);
    QCOMPARE(watcher.phase(), Run::Phase::Running);
    // The commands of the watcher would have been obeyed before this one.
    const auto starts = [&] { return watcher.process("radar-east")->attempt; };
    watcher.restartProcess("radar-east");
    QTRY_COMPARE_WITH_TIMEOUT(starts(), 2, endMs);
    QCOMPARE(run.state(), QProcess::Running);
    run.terminate();
    QVERIFY(run.waitForFinished(endMs));
  }

  void federatesOfOtherHostsResign() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    const test::TuttiCall tutti(lab.root() + "/state");
    const QString file = lab.sampleWith({{"radar-west", 1}, {"radar-east", 2}});
    QProcess run;
    run.setProcessChannelMode(QProcess::MergedChannels);
    tutti.begin(run, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += run.readAllStandardOutput()).contains("running  6 of 6"),
                              shown, endMs);
    const QString id = tutti.id();
    const auto radars = lab.processes(1, "/radar ");
    QCOMPARE(radars.size(), 1);
    QVERIFY(::kill(radars.front(), SIGSTOP) == 0);
    const QByteArray said = tutti.call({"resign", id, "--timeout", "5"});
    QVERIFY2(said.contains("5 of 6 federates of air-traffic have resigned: ") &&
                 said.contains("has not resigned: radar-west"),
             said);
    // The one of the second host was reached there, and its process has ended.
    QTRY_COMPARE_WITH_TIMEOUT(lab.processes(2, "/radar ").size(), 0, endMs);
    QCOMPARE(run.state(), QProcess::Running);
    QVERIFY(::kill(radars.front(), SIGCONT) == 0);
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, endMs);
    shown += run.readAllStandardOutput();
    QVERIFY2(run.exitCode() == 0 && !shown.contains("died"), shown);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(lab).isEmpty(), test::leftOn(lab), endMs);
  }

  /// Of what is added to several hosts at once one host takes its own, and another refuses: nothing
  /// stays, and nobody waits for what never comes.
  void allAreAddedOrNone() {
    Lab lab(2);
    QVERIFY2(lab.isUp(), qPrintable(lab.said()));
    qputenv("XDG_STATE_HOME", (lab.root() + "/state").toUtf8());
    const test::TuttiCall tutti(lab.root() + "/state");
    const QString file = compose(lab, {});
    QProcess owner;
    tutti.begin(owner, {"run", file, "--hosts", lab.hostsFile(), "--duration", "600"});
    QByteArray shown;
    QTRY_VERIFY2_WITH_TIMEOUT((shown += owner.readAllStandardOutput()).contains("running  5 of 5"),
                              shown + owner.readAllStandardError(), endMs);
    const auto plan = findGoingRun(tutti.id());
    QVERIFY2(plan, qPrintable(plan ? QString() : plan.error()));
    Run run(*plan);
    run.watch();
    QTRY_COMPARE_WITH_TIMEOUT(run.phase(), Run::Phase::Running, endMs);
    const auto sleeper = [](const QString& name, const QString& host) {
      Addition one;
      one.federate.name = one.federate.federate = name;
      one.federate.host = host;
      one.federate.required = false;
      one.process.id = name.toStdString();
      one.process.command = {"/bin/sleep", "600"};
      return one;
    };
    Addition waits = sleeper("waits-here", {});
    waits.process.waitFor = {"there"};
    Addition refused = sleeper("there", lab.host(1));
    refused.process.stopLast = true;  // no federate does
    run.add({sleeper("here", {}), waits, refused});
    QTRY_VERIFY_WITH_TIMEOUT(!run.troubles().empty() && !run.isTakingBack(), endMs);
    QStringList said;
    for (const auto& trouble : run.troubles()) said << trouble.message();
    QVERIFY2(said.join(u'\n').contains("None of here, waits-here, there was added to the run (" +
                                       lab.host(1) + "): there is no federate"),
             qPrintable(said.join(u'\n')));
    for (const char* name : {"here", "waits-here", "there"}) QVERIFY(run.process(name) == nullptr);
    QTRY_COMPARE_WITH_TIMEOUT(tutti.run()["federates"].toInt(), 5, endMs);
    // Those that fit are all added, and nobody minds the ones before.
    run.add({sleeper("here", {}), sleeper("there", lab.host(1))});
    QTRY_VERIFY_WITH_TIMEOUT(run.process("here") && run.process("there"), endMs);
    QVERIFY(!run.isTakingBack());
    // Another client that adds the same ones is refused on both hosts, and takes nothing away.
    Run other(*plan);
    other.watch();
    QTRY_COMPARE_WITH_TIMEOUT(other.phase(), Run::Phase::Running, endMs);
    other.add({sleeper("here", {}), sleeper("there", lab.host(1))});
    QTRY_VERIFY_WITH_TIMEOUT(other.troubles().size() >= 2 && !other.isTakingBack(), endMs);
    QTRY_VERIFY_WITH_TIMEOUT(run.process("here")->alive() && run.process("there")->alive(), endMs);
    tutti.call({"stop", tutti.id()});
    QTRY_COMPARE_WITH_TIMEOUT(owner.state(), QProcess::NotRunning, endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(lab).isEmpty(), test::leftOn(lab), endMs);
  }

 private:
  /// The sample with radar-west on the first host, and radar-east only where `places` says.
  static QString compose(const Lab& lab, QHash<QString, int> places) {
    const bool both = places.contains("radar-east");
    places["radar-west"] = 1;
    const QString file = lab.sampleWith(places, false);
    if (both) return file;
    auto document = QJsonDocument::fromJson(test::content(file)).object();
    auto federates = document["federates"].toObject();
    federates.remove("radar-east");
    document["federates"] = federates;
    QFile out(file);
    if (out.open(QIODevice::WriteOnly)) out.write(QJsonDocument(document).toJson());
    return file;
  }
};

QTEST_GUILESS_MAIN(TestHostsChanges)
#include "tst_hosts_changes.moc"
