// SPDX-License-Identifier: GPL-3.0-or-later
// `tutti attach`, `start`, `stop` and `kill` against a run that another process has, or nobody.
#include <signal.h>

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "launcher/engine/run.h"
#include "launcher/engine/run_recording.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "tests/launcher/supervisor_client.h"
#include "tests/launcher/tutti_call.h"

using namespace tutti::launcher;
using test::alive;

namespace {

/// The lines of one federate by number of their event.
QMap<qint64, QString> linesOf(const QByteArray& out, const QString& id) {
  QMap<qint64, QString> result;
  for (const QByteArray& line : out.split('\n')) {
    const auto event = QJsonDocument::fromJson(line).object();
    if (event["event"] == "output" && event["id"] == id)
      result[event["n"].toInteger()] = event["line"].toString();
  }
  return result;
}

}  // namespace

class TestCliAttach : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    QVERIFY(folder_.isValid());
    run_ = QStringLiteral("planned-%1").arg(++count_);
  }
  void cleanup() {
    endRunsLeft();
    QTRY_VERIFY2_WITH_TIMEOUT(runsLeft().isEmpty(), qPrintable(runsLeft().join(' ')), 20000);
  }

  void listsTheRunsThereAre() {
    QProcess owner;
    QVERIFY(start(owner));
    QVERIFY(call({"attach"}) == 0);
    QVERIFY2(out_.contains(run_.toUtf8() + "  test  3 federates, 1 host  attended\n"), out_);
    QVERIFY(call({"attach", "--json"}) == 0);
    bool seen = false;
    for (const auto& value : QJsonDocument::fromJson(out_).array()) {
      const auto one = value.toObject();
      if (one["run"] != run_) continue;
      seen = true;
      QCOMPARE(one["federation"].toString(), "test");
      QCOMPARE(one["federates"].toInt(), 3);
      QCOMPARE(one["attended"].toBool(), true);
      QCOMPARE(one["kept"].toBool(), false);
    }
    QVERIFY2(seen, out_);
  }

  void someOrAllAreCommanded() {
    QProcess owner;
    QVERIFY(start(owner));
    QCOMPARE(call({"stop", run_, "@site"}), 0);
    QCOMPARE(out_, "b: signal 15 (SIGTERM)\nc: signal 15 (SIGTERM)\n");
    QCOMPARE(call({"start", run_, "b"}), 0);
    QCOMPARE(out_, "b: running\n");
    QCOMPARE(call({"kill", run_, "a", "--json"}), 0);
    const auto killed = QJsonDocument::fromJson(out_).object();
    QCOMPARE(killed["done"].toBool(), true);
    QCOMPARE(killed["federates"].toArray().size(), 1);
    QCOMPARE(killed["federates"].toArray()[0].toObject()["state"].toString(), "signal 9 (SIGKILL)");
    QCOMPARE(call({"start", run_}), 0);
    QCOMPARE(out_, "a: running\nb: running\nc: running\n");
    QCOMPARE(call({"start", run_, "b", "--restart", "--json"}), 0);
    QCOMPARE(QJsonDocument::fromJson(out_)["federates"].toArray()[0].toObject()["starts"].toInt(),
             3);
    // Its owner does not take any of it for a death.
    QCOMPARE(owner.state(), QProcess::Running);
    QCOMPARE(call({"stop", run_}), 0);
    QVERIFY2(out_.startsWith("test has ended"), out_);
    QVERIFY(owner.waitForFinished(20000));
    const QByteArray said = owner.readAllStandardOutput();
    QVERIFY2(owner.exitCode() == 0, said);
    QVERIFY2(said.contains("asked by process"), said);
  }

  void aRunIsKilled() {
    QProcess owner;
    QVERIFY(start(owner));
    QCOMPARE(call({"kill", run_}), 0);
    QVERIFY(owner.waitForFinished(20000));
    QVERIFY(!isGoing());
  }

  void whatIsNotThereIsSaid_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("no run named") << QStringList{"stop"} << "name a run";
    QTest::newRow("no such run") << QStringList{"stop", "nowhere"} << "There is no run \"nowhere\"";
    QTest::newRow("no such federate") << QStringList{"kill", "RUN", "x"}
                                      << "has no federate or group \"x\"; it has @site, a, b, c";
    QTest::newRow("no such group") << QStringList{"stop", "RUN", "@x"} << "group \"@x\"";
    QTest::newRow("no such option") << QStringList{"start", "RUN", "--fast"} << "no option --fast";
    QTest::newRow("attach, no such run") << QStringList{"attach", "nowhere"} << "There is no run";
    QTest::newRow("owned by another")
        << QStringList{"attach", "RUN", "--own"} << "another program has it";
    QTest::newRow("keep what is watched")
        << QStringList{"attach", "RUN", "--keep"} << "--keep is for --own";
  }
  void whatIsNotThereIsSaid() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    QProcess owner;
    QVERIFY(start(owner));
    arguments.replaceInStrings("RUN", run_);
    QCOMPARE(call(arguments), 2);
    QVERIFY2(err_.contains(said.toUtf8()), err_);
    QCOMPARE(owner.state(), QProcess::Running);
  }

  void whoAttachesFollowsToTheEnd() {
    QProcess owner;
    QVERIFY(start(owner));
    QProcess watcher;
    begin(watcher, {"attach", run_, "a", "--grep", "7"});
    QByteArray shown;
    QTRY_VERIFY_WITH_TIMEOUT((shown += watcher.readAllStandardOutput()).contains("a | 17\n"),
                             20000);
    QVERIFY2(shown.contains("a | 7\n") && !shown.contains("| 8\n") && !shown.contains(" b "),
             shown);
    // It does not hold the run up, and leaves it alone.
    watcher.terminate();
    QVERIFY(watcher.waitForFinished(10000));
    QCOMPARE(watcher.exitCode(), 0);
    QVERIFY(watcher.readAllStandardError().contains("goes on"));
    QVERIFY(isGoing());
    begin(watcher, {"attach", run_, "--json"});
    QVERIFY(watcher.waitForReadyRead(20000));
    QCOMPARE(call({"stop", run_}), 0);
    QVERIFY(watcher.waitForFinished(20000));
    QCOMPARE(watcher.exitCode(), 0);
    const QByteArray all = watcher.readAllStandardOutput();
    QVERIFY2(all.contains("\"event\":\"ended\""), all.right(500));
    QVERIFY(!linesOf(all, "a").isEmpty());
  }

  /// Of all that was shown nothing is missing, whoever is killed when.
  void noLineIsLostWhenTheOwnerIsKilled() {
    QProcess first;
    QVERIFY(start(first, {"--keep"}));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_.isKept(), 20000);
    first.kill();
    QVERIFY(first.waitForFinished(10000));
    QMap<qint64, QString> lines;
    for (int visit = 0; visit < 3; ++visit) {
      QTRY_VERIFY_WITH_TIMEOUT(tutti_.isLeftAlone(), 20000);
      QProcess owner;
      begin(owner, {"attach", run_, "--own", "--keep", "--json"});
      QByteArray shown;
      const auto before = lines.isEmpty() ? 0 : lines.lastKey();
      QTRY_VERIFY_WITH_TIMEOUT(
          [&] {
            shown += owner.readAllStandardOutput();
            const auto now = linesOf(shown, "a");
            return shown.contains("\"kept\"") && !now.isEmpty() && now.lastKey() > before + 20;
          }(),
          20000);
      owner.kill();
      QVERIFY(owner.waitForFinished(10000));
      lines.insert(linesOf(shown + owner.readAllStandardOutput(), "a"));
    }
    const auto texts = lines.values();
    for (qsizetype i = 0; i < texts.size(); ++i) QCOMPARE(texts[i], QString::number(i));
    QCOMPARE(call({"stop", run_}), 0);
    QTRY_VERIFY(!isGoing());
  }

  /// A hang-up of its terminal leaves a run alone that is to go on.
  void aHangUpLeavesAKeptRun() {
    QProcess owner;
    QVERIFY(start(owner, {"--keep"}));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_.isKept(), 20000);
    ::kill(static_cast<pid_t>(owner.processId()), SIGHUP);
    QVERIFY(owner.waitForFinished(10000));
    QTRY_VERIFY_WITH_TIMEOUT(tutti_.isLeftAlone(), 20000);
    QCOMPARE(call({"stop", run_, "a"}), 0);
    QVERIFY(isGoing());
    QCOMPARE(call({"stop", run_.chopped(1)}), 0);
    QVERIFY(!isGoing());
  }

  /// Whoever ended a run, and whether anybody saw it: its record says how.
  void howARunEndedIsRecorded_data() {
    QTest::addColumn<QString>("how");
    QTest::addColumn<bool>("kept");
    QTest::addColumn<bool>("seen");  // by the command that ended it
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<QString>("state");  // of federate a
    QTest::newRow("stopped") << "stop" << true << true << "stopped"
                             << "asked"
                             << "signal 15 (SIGTERM)";
    QTest::newRow("killed") << "kill" << true << true << "stopped"
                            << "asked"
                            << "signal 9 (SIGKILL)";
    QTest::newRow("taken over, then stopped") << "own" << true << true << "stopped"
                                              << "asked"
                                              << "signal 15 (SIGTERM)";
    QTest::newRow("taken over, then stopped before it is told what runs")
        << "own at once" << true << true << "stopped"
        << "asked"
        << "signal 15 (SIGTERM)";
    QTest::newRow("by itself: a required federate died")
        << "die" << true << false << "federate died"
        << "a died"
        << "signal 9 (SIGKILL)";
    QTest::newRow("its program was killed") << "console" << false << false << "stopped"
                                            << "the program that had it has ended"
                                            << "signal 15 (SIGTERM)";
    QTest::newRow("its supervisor was killed") << "supervisor" << true << false << "lost"
                                               << ""
                                               << "lost with its host";
  }
  void howARunEndedIsRecorded() {
    QFETCH(QString, how);
    QFETCH(bool, kept);
    QFETCH(bool, seen);
    QFETCH(QString, outcome);
    QFETCH(QString, reason);
    QFETCH(QString, state);
    QProcess owner;
    QVERIFY(start(owner, kept ? QStringList{"--keep"} : QStringList()));
    const QString folder = tutti_.run()["folder"].toString();
    QVERIFY(!folder.isEmpty());
    QCOMPARE(recordIn(folder)["outcome"].toString(), "");
    QCOMPARE(call({"rerun", "--list"}), 0);
    QVERIFY2(out_.contains(run_.toUtf8() + "  running"), out_);
    if (kept) QTRY_VERIFY_WITH_TIMEOUT(tutti_.isKept(), 20000);
    owner.kill();
    QVERIFY(owner.waitForFinished(10000));
    if (kept) QTRY_VERIFY_WITH_TIMEOUT(tutti_.isLeftAlone(), 20000);
    if (how == "stop" || how == "kill") {
      QCOMPARE(call({how, run_}), 0);
    } else if (how == "own") {
      QProcess next;
      begin(next, {"attach", run_, "--own"});
      QVERIFY(next.waitForReadyRead(20000));
      next.terminate();
      QVERIFY(next.waitForFinished(20000));
    } else if (how == "own at once") {
      const auto plan = LaunchPlan::load(folder + "/plan.json");
      QVERIFY(plan.has_value());
      Run next(*plan);
      RunRecording recording(next);
      next.attach();
      next.stop(reason);
      QTRY_VERIFY_WITH_TIMEOUT(recording.isOver(), 20000);
    } else if (how == "die") {
      QCOMPARE(::kill(pidOf(folder + "/a.log"), SIGKILL), 0);
    } else if (how == "supervisor") {
      QCOMPARE(::kill(test::supervisorOf(run_), SIGKILL), 0);
    }
    QTRY_VERIFY_WITH_TIMEOUT(!isGoing(), 20000);
    if (seen) QCOMPARE(recordIn(folder)["outcome"].toString(), outcome);
    QCOMPARE(call({"rerun", "--list"}), 0);
    QVERIFY2(out_.contains(run_.toUtf8() + "  " + outcome.toUtf8() + ' '), out_);
    const auto record = recordIn(folder);
    QCOMPARE(record["outcome"].toString(), outcome);
    QCOMPARE(record["stopReason"].toString(), reason);
    QVERIFY(record["ended"].toString() > record["started"].toString());
    QStringList states;
    for (const auto& value : record["processes"].toArray()) {
      if (value.toObject()["id"] == "a") states << value.toObject()["state"].toString();
    }
    QCOMPARE(states, QStringList(state));
    // What was completed stays as it is.
    QCOMPARE(call({"rerun", "--list"}), 0);
    QCOMPARE(recordIn(folder), record);
  }

 private:
  static QJsonObject recordIn(const QString& folder) {
    QFile file(folder + "/record.json");
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                          : QJsonObject();
  }
  /// Of the process that a log says was started last.
  static pid_t pidOf(const QString& log) {
    static const QByteArray mark = "started as process ";
    QFile file(log);
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray text = file.readAll();
    const auto at = text.lastIndexOf(mark);
    return at < 0 ? 0 : text.mid(at + mark.size(), 20).split(':').front().toInt();
  }
  void begin(QProcess& process, const QStringList& arguments) const {
    tutti_.begin(process, arguments);
  }
  int call(const QStringList& arguments) {
    QProcess process;
    begin(process, arguments);
    if (!process.waitForFinished(60000)) return -1;
    out_ = process.readAllStandardOutput();
    err_ = process.readAllStandardError();
    return process.exitCode();
  }
  bool isGoing() const {
    const auto runs = runsHere();
    return std::count(runs.begin(), runs.end(), run_.toStdString()) > 0;
  }
  /// The runs of this test that go on, also such as it does not know by name.
  QStringList runsLeft() const {
    const QDir kept(folder_.filePath("state/tutti/runs"));
    QStringList result;
    for (const std::string& each : runsHere()) {
      if (kept.exists(QString::fromStdString(each))) result << QString::fromStdString(each);
    }
    return result;
  }
  /// Whatever a test that failed has left; `tutti` itself may be what is broken.
  void endRunsLeft() const {
    for (const QString& run : runsLeft()) {
      if (const pid_t supervisor = test::supervisorOf(run); supervisor > 0)
        ::kill(supervisor, SIGTERM);
    }
  }

  /// `tutti run` of a launch plan with a, which counts, and b and c in a group; true when all run.
  bool start(QProcess& owner, const QStringList& options = {}) {
    const QString folder = folder_.filePath("state/tutti/runs/" + run_);
    const auto process = [&](const QString& id, const QJsonArray& command, QJsonObject more = {}) {
      more["id"] = id;
      more["command"] = command;
      more["log_file"] = folder + '/' + id + ".log";
      return more;
    };
    const auto federate = [](const QString& name, const QString& group) {
      return QJsonObject{{"name", name}, {"federate", name}, {"group", group}};
    };
    const QJsonObject plan{
        {"version", 1},
        {"run", run_},
        {"processes",
         QJsonArray{process("node", {test::fakeFederate, "say", "ready", "sleep"},
                            {{"stop_last", true},
                             {"ready", QJsonObject{{"when", "line"}, {"text", "ready"}}}}),
                    process("a", {"/bin/sh", "-c",
                                  "i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done"}),
                    process("b", {test::fakeFederate, "sleep"}),
                    process("c", {test::fakeFederate, "sleep"})}},
        {"launch", QJsonObject{{"federation", "test"},
                               {"node", "run-" + run_},
                               {"node_process", "node"},
                               {"folder", folder},
                               {"federates", QJsonArray{federate("a", ""), federate("b", "site"),
                                                        federate("c", "site")}}}}};
    QFile file(folder_.filePath(run_ + ".json"));
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(QJsonDocument(plan).toJson());
    file.close();
    begin(owner, QStringList{"run", file.fileName(), "--no-record"} + options);
    QByteArray shown;
    const bool runs = QTest::qWaitFor(
        [&] {
          shown += owner.readAllStandardOutput();
          return shown.contains("running  3 of 3") || owner.state() == QProcess::NotRunning;
        },
        30000);
    if (!shown.contains("running  3 of 3"))
      qWarning("%s", (shown + owner.readAllStandardError()).constData());
    // The run of a plan gets an identifier of its own.
    run_ = tutti_.id();
    return runs && shown.contains("running  3 of 3");
  }

  QTemporaryDir folder_;
  test::TuttiCall tutti_{folder_.filePath("state")};
  QString run_;
  int count_ = 0;
  QByteArray out_;
  QByteArray err_;
};

QTEST_GUILESS_MAIN(TestCliAttach)
#include "tst_cli_attach.moc"
