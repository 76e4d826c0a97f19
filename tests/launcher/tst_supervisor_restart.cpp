// SPDX-License-Identifier: GPL-3.0-or-later
// Restarts that nobody asks for: when, how often, after how long, and what ends them.
#include <signal.h>

#include <QTemporaryDir>
#include <QTest>

#include "launcher/engine/supervisor/restart_schedule.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using namespace std::chrono_literals;
using test::alive;
using test::SupervisorClient;

namespace {

QJsonObject planned(const QString& id, const QStringList& arguments, const QString& when,
                    int limit = 5, double backoff = 0.01, QJsonObject more = {}) {
  more["restart"] = QJsonObject{{"when", when}, {"limit", limit}, {"backoff_s", backoff}};
  return SupervisorClient::planned(id, arguments, std::move(more));
}

}  // namespace

class TestSupervisorRestart : public QObject {
  Q_OBJECT

 private slots:
  void theWaitDoublesUpToAMinute() {
    RestartSchedule schedule({RestartWhen::OnFailure, 9, 1.5});
    QList<qint64> waits;
    while (const auto restart = schedule.afterEnd(true, 0ms)) {
      waits << restart->wait.count();
      QCOMPARE(restart->number, waits.size());
    }
    QCOMPARE(waits, (QList<qint64>{1500, 3000, 6000, 12000, 24000, 48000, 60000, 60000, 60000}));
    QVERIFY(schedule.gaveUp());
  }

  void restartsThatHelpedAreForgotten() {
    RestartSchedule schedule({RestartWhen::OnFailure, 2, 1});
    QVERIFY(schedule.afterEnd(true, 0ms));
    QCOMPARE(schedule.afterEnd(true, RestartSchedule::helped - 1ms)->number, 2);
    QCOMPARE(schedule.afterEnd(true, RestartSchedule::helped)->number, 1);
    QVERIFY(schedule.afterEnd(true, 0ms));
    QVERIFY(!schedule.afterEnd(true, 0ms));
    schedule.reset();
    QCOMPARE(schedule.afterEnd(true, 0ms)->number, 1);
  }

  void restartsAsOftenAsAllowed_data() {
    QTest::addColumn<QString>("when");
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("starts");
    QTest::newRow("never, failing") << "never" << QStringList{"exit", "3"} << 1;
    QTest::newRow("on failure, exit code") << "on-failure" << QStringList{"exit", "3"} << 4;
    QTest::newRow("on failure, signal") << "on-failure" << QStringList{"die", "11"} << 4;
    QTest::newRow("on failure, exit code 0") << "on-failure" << QStringList{"exit", "0"} << 1;
    QTest::newRow("always, exit code 0") << "always" << QStringList{"exit", "0"} << 4;
    QTest::newRow("always, failing") << "always" << QStringList{"exit", "3"} << 4;
  }
  void restartsAsOftenAsAllowed() {
    QFETCH(QString, when);
    QFETCH(QStringList, arguments);
    QFETCH(int, starts);
    SupervisorClient client;
    client.sendPlan({planned("a", arguments, when, 3)});
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    QCOMPARE(client.all("started", "a").size(), starts);
    QCOMPARE(client.all("restarting", "a").size(), starts - 1);
    QCOMPARE(client.all("gave_up", "a").size(), starts > 1 ? 1 : 0);
    const auto ends = client.all("exited", "a") + client.all("signalled", "a");
    QCOMPARE(ends.size(), starts);
    for (int index = 0; index < starts; ++index) {
      QCOMPARE(ends[index]["attempt"].toInt(), index + 1);
      QCOMPARE(ends[index]["restarts"].toBool(), index + 1 < starts);
      if (index == 0) continue;
      const auto restart = client.all("restarting", "a")[index - 1];
      QCOMPARE(restart["attempt"].toInt(), index);
      QCOMPARE(restart["of"].toInt(), 3);
    }
  }

  /// By the supervisor's own clock: no restart comes before its time.
  void waitsLongerEachTime() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"exit", "1"}, "on-failure", 3, 0.1)});
    QVERIFY(!client.waitFor("gave_up", "a").isEmpty());
    const auto restarts = client.all("restarting", "a");
    const auto starts = client.all("started", "a");
    QCOMPARE(starts.size(), 4);
    double expected = 0.1;
    for (int index = 0; index < 3; ++index, expected *= 2) {
      QCOMPARE(restarts[index]["in_s"].toDouble(), expected);
      const double waited =
          starts[index + 1]["time_ms"].toDouble() - restarts[index]["time_ms"].toDouble();
      // Wall clock against steady clock, each cut to milliseconds.
      QVERIFY2(waited >= 1000 * expected - 2, qPrintable(QString::number(waited)));
    }
  }

  void anEndThatWasAskedForIsLeft_data() {
    QTest::addColumn<QString>("command");
    QTest::newRow("stop") << "stop";
    QTest::newRow("kill") << "kill";
  }
  void anEndThatWasAskedForIsLeft() {
    QFETCH(QString, command);
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}, "always")});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    client.send({{"do", command}, {"id", "a"}});
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    QVERIFY(client.all("restarting").isEmpty());
  }

  /// Restarted together, one that waits for another waits for the new one, not for that which ends.
  void whoWaitsIsRestartedAfterTheOther() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}, "never", 5, 0.01,
                             {{"ready", QJsonObject{{"when", "delay"}, {"after_s", 0.5}}}}),
                     planned("b", {"sleep"}, "never", 5, 0.01, {{"wait_for", QJsonArray{"a"}}})});
    QVERIFY(!client.waitFor("started", "b").isEmpty());
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a", "b"}}});
    QVERIFY(!client
                 .waitFor([](const QJsonObject& event) {
                   return event["event"] == "started" && event["id"] == "b" &&
                          event["attempt"].toInt() == 2;
                 })
                 .isEmpty());
    QCOMPARE(client.all("started", "a").size(), 2);
    QCOMPARE(client.all("ready", "a").size(), 2);
  }

  void theWaitCanBeEnded_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"stop", "kill", "start", "stop all", "end of input"})
      QTest::newRow(command) << command;
  }
  void theWaitCanBeEnded() {
    QFETCH(QString, command);
    SupervisorClient client;
    // It would wait for a minute.
    client.sendPlan({planned("a", {"exit", "1"}, "on-failure", 5, 60)});
    QVERIFY(!client.waitFor("restarting", "a").isEmpty());
    if (command == "end of input") {
      QVERIFY(client.endInput() >= 0);
    } else if (command == "stop all") {
      client.send({{"do", "stop"}});
    } else {
      client.send({{"do", command}, {"id", "a"}});
    }
    if (command == "start") {
      QVERIFY(!client
                   .waitFor([](const QJsonObject& event) {
                     return event["event"] == "started" && event["attempt"].toInt() == 2;
                   })
                   .isEmpty());
      // It is the first of a row again.
      QCOMPARE(client.waitFor("restarting", "a")["attempt"].toInt(), 1);
      return;
    }
    const auto gaveUp = client.waitFor("gave_up", "a");
    QVERIFY2(!gaveUp["why"].toString().isEmpty(), qPrintable(command));
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    QCOMPARE(client.all("started", "a").size(), 1);
  }

  void nobodyIsRestartedWithoutItsNode() {
    SupervisorClient client;
    auto node = SupervisorClient::planned("node", {"sleep"}, {{"stop_last", true}});
    client.sendPlan(
        {node, planned("a", {"sleep"}, "always", 5, 0, {{"wait_for", QJsonArray{"node"}}})});
    const pid_t pid = client.waitFor("started", "a")["pid"].toInt();
    QCOMPARE(::kill(client.all("started", "node").first()["pid"].toInt(), SIGKILL), 0);
    QVERIFY(!client.waitFor("signalled", "node").isEmpty());
    QCOMPARE(::kill(pid, SIGKILL), 0);
    QVERIFY(client.waitFor("gave_up", "a")["why"].toString().contains("node"));
    QCOMPARE(client.all("started", "a").size(), 1);
  }

  void whatAnAttemptLeavesIsGoneBeforeTheNext() {
    QTemporaryDir folder;
    const QString file = folder.filePath("pids");
    SupervisorClient client;
    client.sendPlan({planned("a", {"leave", file}, "always", 1, 0)});
    QVERIFY(!client
                 .waitFor([](const QJsonObject& event) {
                   return event["event"] == "started" && event["attempt"].toInt() == 2;
                 })
                 .isEmpty());
    // The child shares the group of its attempt; both attempts have left one, both are deaf.
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    QVERIFY(client.endInput() >= 0);
    QCOMPARE(client.events.last()["left"].toInt(-1), 0);
  }

  /// A federate that is made to resign ends with an error, as a rule: that was asked for.
  void noPolicyBringsBackOneThatResigns() {
    SupervisorClient client;
    const QTemporaryDir folder;
    const QString file = folder.filePath("go");
    client.sendPlan({planned("a", {"ready-after", file}, "always"),
                     planned("b", {"exit", "3"}, "always", 5, 50)});
    QVERIFY(!client.waitFor("restarting", "b").isEmpty());
    client.send({{"do", "resign"}, {"ids", QJsonArray{"a", "b"}}});
    QVERIFY(!client.waitFor("gave_up", "b").isEmpty());
    const auto pid = client.waitFor("started", "a")["pid"].toInt();
    QVERIFY(::kill(pid, SIGKILL) == 0);
    const auto end = client.waitFor("signalled", "a");
    QVERIFY(end["asked"].toBool() && !end["restarts"].toBool());
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    QVERIFY(client.all("restarting", "a").isEmpty());
    // Started again by somebody, it is as it was.
    client.send({{"do", "start"}, {"id", "b"}});
    QVERIFY(!client.waitFor("restarting", "b").isEmpty());
  }

  void oneThatRemainsIsRestarted() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}, "on-failure")});
    const auto pid = client.waitFor("started", "a")["pid"].toInt();
    client.send({{"do", "resign"}, {"id", "a"}});
    client.send({{"do", "remains"}, {"id", "a"}});
    client.send({{"do", "signal"}, {"id", "a"}, {"signal", "SIGKILL"}});
    const auto end = client.waitFor("signalled", "a");
    QCOMPARE(end["pid"].toInt(), pid);
    QVERIFY(!end["asked"].toBool() && !end["resigned"].toBool());
    QVERIFY(!client.waitFor("restarting", "a").isEmpty());
  }

  void oneThatHasResignedHasTimeAndIsToldToEnd() {
    SupervisorClient client;
    client.sendPlan(
        {planned("a", {"sleep"}, "always"), planned("deaf", {"ignore-term"}, "always")});
    QVERIFY(!client.waitFor("output", "deaf").isEmpty());
    const auto started = client.waitFor("started", "a");
    client.send({{"do", "resign"}, {"ids", QJsonArray{"a", "deaf"}}});
    client.send({{"do", "resigned"}, {"ids", QJsonArray{"a", "deaf"}}});
    const auto resigned = client.waitFor("resigned", "a");
    const double grace = resigned["ends_in_s"].toDouble();
    QVERIFY(grace > 0);
    const auto end = client.waitFor(
        [](const QJsonObject& one) { return one["event"] == "signalled" && one["id"] == "a"; },
        60000);
    QCOMPARE(end["signal"].toInt(), SIGTERM);
    QVERIFY(end["asked"].toBool() && end["resigned"].toBool() && !end["restarts"].toBool());
    const double had = end["time_ms"].toDouble() - resigned["time_ms"].toDouble();
    QVERIFY2(had >= 1000 * grace - 2, qPrintable(QString::number(had)));
    // Nothing kills it but a stop.
    QVERIFY(client.all("signalled", "deaf").isEmpty());
    client.send({{"do", "stop"}, {"grace_s", 0.1}});
    QCOMPARE(client.waitFor("signalled", "deaf")["signal"].toInt(), SIGKILL);
  }
};

QTEST_GUILESS_MAIN(TestSupervisorRestart)
#include "tst_supervisor_restart.moc"
