// SPDX-License-Identifier: GPL-3.0-or-later
// A federate moves to another host of a running federation, which goes on from the logical time of
// the save: what moves, what is refused before anything is stopped, and what is undone.
#include <signal.h>

#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <memory>

#include "launcher/engine/run_record.h"
#include "tests/launcher/lab_plans.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;
using test::endMs;
using test::Lab;

namespace {

const QString radar = QStringLiteral("radar-west");

}  // namespace

class TestHostsMove : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    lab_ = std::make_unique<Lab>(2);
    QVERIFY2(lab_->isUp(), qPrintable(lab_->said()));
    tutti_ = std::make_unique<test::TuttiCall>(lab_->root() + "/state");
    shown_.clear();
  }
  void cleanup() {
    if (tutti_->isGoing()) tutti_->call({"stop", tutti_->id()});
    QTRY_VERIFY_WITH_TIMEOUT(!tutti_->isGoing(), endMs);
    QTRY_VERIFY2_WITH_TIMEOUT(test::leftOn(*lab_).isEmpty(), test::leftOn(*lab_), endMs);
    lab_.reset();
  }

  void itGoesOnThereAndComesBack() {
    QProcess run;
    QVERIFY(start(run));
    QTRY_VERIFY2_WITH_TIMEOUT(latestTime(run) > 1, shown_, endMs);
    const QList<pid_t> before = radars(1);
    QCOMPARE(before.size(), 1);
    move({radar, lab_->host(2)}, 0);
    QVERIFY2(said_.contains(radar.toUtf8() + " runs on " + lab_->host(2).toUtf8() +
                            " now, and on " + lab_->host(1).toUtf8() + " no more"),
             said_);
    QVERIFY(!alive(before.front()));
    QVERIFY(radars(1).isEmpty());
    QCOMPARE(radars(2).size(), 2);
    // Every federate goes on from the same save, and the moved one knows what it knew there.
    const QByteArray restored = "restored from 'move-radar-west', at logical time ";
    for (const char* other : {"flow-north", "detector", "log", "flow-south"})
      QTRY_VERIFY2_WITH_TIMEOUT(lines(other).contains(restored), lines(other), endMs);
    const QByteArray moved = partAfter(logOn(2, radar), restored);
    QVERIFY2(!moved.isEmpty(), logOn(2, radar));
    QVERIFY2(moved.startsWith(partAfter(lines("detector"), restored).split(' ').front()), moved);
    const double at = moved.split(' ').front().toDouble();
    // Whoever takes part in time holds it back, so it goes on for all of them.
    QTRY_VERIFY2_WITH_TIMEOUT(latestTime(run) > at + 1, shown_, endMs);
    // And nothing is done twice: time was held from before the save on.
    const QStringList again = timesAfterLaterOnes(lines("log"));
    QVERIFY2(again.isEmpty(),
             qPrintable(again.join(QStringLiteral(", ")) + QStringLiteral("; ") + lines("log")));
    // To the machine of the console, which has no ssh and paths of its own, and on to the first.
    move({radar, "here", tutti_->id()}, 0);
    QCOMPARE(radars(2).size(), 1);
    move({radar, lab_->host(1)}, 0);
    QCOMPARE(radars(1).size(), 1);
    move({radar, lab_->host(1)}, 2);
    QVERIFY2(said_.contains("radar-west is on " + lab_->host(1).toUtf8() + " already"), said_);
    endRun(run, 0);
    const auto record = RunRecord::read(folder_ + "/record.json");
    QVERIFY(record.has_value());
    QStringList changes;
    for (const auto& change : record->changes) {
      if (change.kind == RunChange::Kind::Moved) changes << change.from + ">" + change.host;
      QCOMPARE(change.federate, radar);
    }
    QCOMPARE(changes, (QStringList{lab_->host(1) + ">" + lab_->host(2), lab_->host(2) + ">",
                                   ">" + lab_->host(1)}));
    // It starts anew as it was, on the host that it was on last.
    const auto plan = QJsonDocument::fromJson(test::content(folder_ + "/launch.json"));
    QHash<QString, QString> hosts;
    for (const auto& value : plan["launch"]["federates"].toArray())
      hosts[value.toObject()["name"].toString()] = value.toObject()["host"].toString();
    QCOMPARE(hosts.size(), 6);
    QCOMPARE(hosts[radar], lab_->host(1));
    said_ = tutti_->call({"rerun", "--changes"});
    QVERIFY2(said_.contains("radar-west was moved to " + lab_->host(1).toUtf8()) &&
                 said_.contains("Nothing has changed since"),
             said_);
  }

  /// Where nobody has the run, the command holds it meanwhile, and writes its record.
  void oneOfARunThatWasLeftAlone() {
    QProcess run;
    QVERIFY(start(run, {"--keep"}));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isKept(), endMs);
    run.kill();
    QVERIFY(run.waitForFinished(endMs));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isLeftAlone(), endMs);
    move({radar, lab_->host(2)}, 0);
    QCOMPARE(radars(2).size(), 2);
    QTRY_VERIFY_WITH_TIMEOUT(tutti_->isLeftAlone(), endMs);
    const auto record = RunRecord::read(folder_ + "/record.json");
    QVERIFY(record.has_value() && !record->changes.empty());
    QVERIFY(record->changes.back().kind == RunChange::Kind::Moved);
    // While it was moved the run would not have ended with it; afterwards it does again.
    const auto plan = QJsonDocument::fromJson(test::content(folder_ + "/launch.json"));
    bool isRequired = false;
    for (const auto& value : plan["launch"]["federates"].toArray()) {
      const auto one = value.toObject();
      if (one["name"].toString() == radar) isRequired = one["required"].toBool();
    }
    QVERIFY(isRequired);
    QCOMPARE(record->changes.back().host, lab_->host(2));
    // Whoever comes now finds it where it is.
    const auto listed =
        QJsonDocument::fromJson(tutti_->call({"start", tutti_->id(), radar, "--json"}));
    const auto found = listed["federates"][0];
    QCOMPARE(found["host"].toString(), lab_->host(2));
    QCOMPARE(found["state"].toString(), "running");
  }

  void oneThatCannotSaveIsRefused() {
    QFile from(QStringLiteral(TUTTI_SOURCE_DIR "/resources/federations/ping-pong.federation.json"));
    QVERIFY(from.open(QIODevice::ReadOnly));
    auto document = QJsonDocument::fromJson(from.readAll()).object();
    auto federates = document["federates"].toObject();
    int number = 0;
    QString first;
    for (auto one = federates.begin(); one != federates.end(); ++one) {
      auto federate = one.value().toObject();
      if (first.isEmpty()) first = federate["name"].toString();
      federate["host"] = lab_->host(++number % 2 + 1);
      // It goes on for as long as the test needs it.
      if (federate["component"] == "ping") federate["parameters"] = QJsonObject{{"count", 1000000}};
      one.value() = federate;
    }
    document["federates"] = federates;
    QFile to(lab_->folder() + "/ping.federation.json");
    QVERIFY(to.open(QIODevice::WriteOnly));
    to.write(QJsonDocument(document).toJson());
    to.close();
    QProcess run;
    QVERIFY(start(run, {}, to.fileName(), 2));
    const auto before = lab_->processes(2, "/ping ") + lab_->processes(2, "/pong ");
    QCOMPARE(before.size(), 1);
    move({first, lab_->host(1)}, 2);
    QVERIFY2(said_.contains("cannot save and restore. Its manifest, ") &&
                 said_.contains("component.json"),
             said_);
    QVERIFY(alive(before.front()));
    move({first, "nowhere"}, 2);
    QVERIFY2(said_.contains("nowhere is no host of the run"), said_);
    endRun(run, 0);
  }

  /// It has lost its power: the federate has never left where it is.
  void aHostThatIsDeadIsNoTarget() {
    QProcess run;
    QVERIFY(start(run, {}, lab_->sampleWith({{radar, 1}, {"radar-east", 2}}, false)));
    const auto before = radars(1);
    QVERIFY(lab_->call({"kill", lab_->host(2)}));
    move({radar, lab_->host(2)}, -1);
    QVERIFY2(code_ != 0 && said_.contains(lab_->host(2).toUtf8()), said_);
    QCOMPARE(radars(1), before);
    QVERIFY(lab_->call({"start", lab_->host(2)}));
    endRun(run, 1);
  }

  /// It is killed while the federation is being saved, so that there is nothing to be moved.
  void itIsKilledBeforeItIsStopped() {
    QProcess run;
    QVERIFY(start(run, {}, lab_->sampleWith({{radar, 1}, {"radar-east", 2}}, false)));
    const auto other = radars(2);
    QCOMPARE(other.size(), 1);
    // Until this one goes on, nobody has saved.
    QCOMPARE(::kill(other.front(), SIGSTOP), 0);
    QProcess mover;
    tutti_->begin(mover, {"move", radar, lab_->host(2), tutti_->id()});
    QByteArray said;
    QTRY_VERIFY2_WITH_TIMEOUT((said += mover.readAllStandardOutput()).contains("Save the"), said,
                              endMs);
    QCOMPARE(::kill(radars(1).front(), SIGKILL), 0);
    QTRY_COMPARE_WITH_TIMEOUT(mover.state(), QProcess::NotRunning, endMs);
    QCOMPARE(::kill(other.front(), SIGCONT), 0);
    QCOMPARE(mover.exitCode(), 1);
    said = mover.readAllStandardError();
    QVERIFY2(said.contains("was not moved") && said.contains("resigned or died meanwhile"), said);
    QCOMPARE(radars(2), other);
    endRun(run, 1);
  }

  /// Though the run needs it: it goes back to where it was, and all go on from the save.
  void itIsKilledWhereItShouldGoOn() {
    QProcess run;
    QVERIFY(start(run));
    const auto others = radars(2);
    const pid_t flow = pidOf("flow-north");
    QProcess mover;
    QVERIFY(moveUntilItIsThere(mover, flow, others));
    for (const pid_t pid : radars(2)) {
      if (!others.contains(pid)) QCOMPARE(::kill(pid, SIGKILL), 0);
    }
    QCOMPARE(::kill(flow, SIGCONT), 0);
    QTRY_COMPARE_WITH_TIMEOUT(mover.state(), QProcess::NotRunning, endMs);
    const QByteArray said = mover.readAllStandardOutput() + mover.readAllStandardError();
    QVERIFY2(mover.exitCode() == 1 &&
                 said.contains("could not be moved to " + lab_->host(2).toUtf8()) &&
                 said.contains("It is on " + lab_->host(1).toUtf8() + " again"),
             said);
    QCOMPARE(radars(1).size(), 1);
    QCOMPARE(radars(2), others);
    goesOnAfterItsReturn(run);
    endRun(run, 1);
  }

  /// The other host loses its power after the federate has left the first.
  void theHostDiesMeanwhile() {
    QProcess run;
    QVERIFY(start(run, {}, lab_->sampleWith({{radar, 1}, {"radar-east", 2}}, false)));
    const auto others = radars(2);
    const pid_t flow = pidOf("flow-north");
    QProcess mover;
    QVERIFY(moveUntilItIsThere(mover, flow, others));
    QVERIFY(lab_->call({"kill", lab_->host(2)}));
    QCOMPARE(::kill(flow, SIGCONT), 0);
    QTRY_COMPARE_WITH_TIMEOUT(mover.state(), QProcess::NotRunning, 2 * endMs);
    const QByteArray said = mover.readAllStandardOutput() + mover.readAllStandardError();
    QCOMPARE(mover.exitCode(), 1);
    // The one that died with the host was saved too, so that nobody can be what it was.
    QVERIFY2(said.contains("could not be moved to " + lab_->host(2).toUtf8()) &&
                 said.contains("It runs there without what it knew") &&
                 said.contains("tutti restore air-traffic --from move-radar-west"),
             said);
    QCOMPARE(radars(1).size(), 1);
    QVERIFY(lab_->call({"start", lab_->host(2)}));
    endRun(run, 1);
  }

 private:
  /// Of the times that the federate `log` says it has come to, those that it was beyond already.
  static QStringList timesAfterLaterOnes(const QByteArray& lines) {
    static const QRegularExpression said(QStringLiteral("time +([0-9.]+) s +flights"));
    QStringList result;
    double latest = 0;
    int count = 0;
    for (auto match = said.globalMatch(QString::fromUtf8(lines)); match.hasNext(); ++count) {
      const double time = match.next().captured(1).toDouble();
      if (time < latest) result << QStringLiteral("%1 after %2").arg(time).arg(latest);
      latest = std::max(latest, time);
    }
    return count > 0 ? result : QStringList{QStringLiteral("it has said no time")};
  }
  bool start(QProcess& run, const QStringList& options = {}, QString file = {}, int federates = 6) {
    if (file.isEmpty()) file = lab_->sampleWith({{radar, 1}, {"radar-east", 2}});
    tutti_->begin(
        run, QStringList{"run", file, "--hosts", lab_->hostsFile(), "--duration", "600"} + options);
    const QByteArray all = QStringLiteral("running  %1 of %1").arg(federates).toUtf8();
    const bool runs = QTest::qWaitFor(
        [&] {
          shown_ += run.readAllStandardOutput();
          return shown_.contains(all) || run.state() == QProcess::NotRunning;
        },
        endMs);
    folder_ = lab_->root() + "/state/tutti/runs/" + tutti_->id();
    if (!runs || run.state() != QProcess::Running)
      qWarning("%s", (shown_ + run.readAllStandardError()).constData());
    return runs && run.state() == QProcess::Running;
  }

  /// Of this test's run, others of this machine go on beside it. `code` -1: whatever.
  void move(QStringList words, int code) {
    QProcess process;
    if (words.size() == 2) words << tutti_->id();
    tutti_->begin(process, QStringList{"move"} + words);
    QVERIFY(process.waitForFinished(2 * endMs));
    said_ = process.readAllStandardOutput() + process.readAllStandardError();
    code_ = process.exitCode();
    if (code >= 0) QVERIFY2(code_ == code, said_);
  }

  void endRun(QProcess& run, int code) {
    tutti_->call({"stop", tutti_->id()});
    QTRY_COMPARE_WITH_TIMEOUT(run.state(), QProcess::NotRunning, endMs);
    if (code >= 0) QVERIFY2(run.exitCode() == code, shown_ + run.readAll());
  }

  pid_t pidOf(const QString& federate) const {
    const auto printed =
        QJsonDocument::fromJson(tutti_->call({"start", tutti_->id(), federate, "--json"}));
    return printed["federates"][0]["pid"].toInt();
  }

  /// Moves the radar to the second host, where it joins and is not restored: one that takes part in
  /// that, `held`, is stopped once all are saved, and has to be continued.
  bool moveUntilItIsThere(QProcess& mover, pid_t held, const QList<pid_t>& before) {
    QByteArray said;
    tutti_->begin(mover, {"move", radar, lab_->host(2), tutti_->id()});
    return held > 0 &&
           QTest::qWaitFor(
               [&] { return (said += mover.readAllStandardOutput()).contains("Bring the"); },
               endMs) &&
           ::kill(held, SIGSTOP) == 0 &&
           QTest::qWaitFor([&] { return radars(2).size() > before.size(); }, endMs);
  }

  void goesOnAfterItsReturn(QProcess& run) {
    const QByteArray restored = "restored from 'move-radar-west', at logical time ";
    QTRY_VERIFY2_WITH_TIMEOUT(lines("detector").contains(restored), lines("detector"), endMs);
    const double at = partAfter(lines("detector"), restored).split(' ').front().toDouble();
    QTRY_VERIFY2_WITH_TIMEOUT(latestTime(run) > at + 1, shown_, endMs);
  }

  QList<pid_t> radars(int host) const { return lab_->processes(host, "/radar "); }

  /// The log of a federate of this machine.
  QByteArray lines(const QString& federate) const {
    return test::content(folder_ + '/' + federate + ".log");
  }
  QByteArray logOn(int host, const QString& federate) const {
    return lab_->ask(host, "cat ~/.local/state/tutti/runs/*/" + federate + ".log");
  }
  /// What follows the last `text`.
  static QByteArray partAfter(const QByteArray& all, const QByteArray& text) {
    const auto at = all.lastIndexOf(text);
    return at < 0 ? QByteArray() : all.mid(at + text.size());
  }
  /// What the owner of the run has said last of the time of all.
  double latestTime(QProcess& run) {
    shown_ += run.readAllStandardOutput();
    return partAfter(shown_.left(shown_.lastIndexOf("  out ")), "  time ").toDouble();
  }

  std::unique_ptr<Lab> lab_;
  std::unique_ptr<test::TuttiCall> tutti_;
  QString folder_;
  QByteArray shown_;
  QByteArray said_;
  int code_ = 0;
};

QTEST_GUILESS_MAIN(TestHostsMove)
#include "tst_hosts_move.moc"
