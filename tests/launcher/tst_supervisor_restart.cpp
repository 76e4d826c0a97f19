// SPDX-License-Identifier: GPL-3.0-or-later
// Restarts that nobody asks for: when, how often, after how long, and what ends them.
#include <signal.h>

#include <QJsonArray>
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

/// Whether it has been started so often, now or in a while.
bool startsAgain(SupervisorClient& client, const QString& id, int attempt = 2) {
  return !client
              .waitFor(
                  [&](const QJsonObject& one) {
                    return one["event"] == "started" && one["id"] == id &&
                           one["attempt"].toInt() == attempt;
                  },
                  60000)
              .isEmpty();
}

/// Of the so-manyth event of that kind among all events; -1: there is none.
qsizetype indexOf(const SupervisorClient& client, const QString& event, const QString& id,
                  int number) {
  for (qsizetype index = 0; index < client.events.size(); ++index) {
    const auto& one = client.events[index];
    if (one["event"] == event && one["id"] == id && --number == 0) return index;
  }
  return -1;
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

  void noneStartsBeforeTheLastHasEnded_data() {
    QTest::addColumn<QString>("how");
    QTest::addColumn<double>("grace");
    // The last one ends long after the others, which would be there again by then.
    QTest::newRow("refuses to end, is killed after the grace") << "refuses" << 1.0;
    QTest::newRow("dies meanwhile") << "dies" << 600.0;
    QTest::newRow("is killed meanwhile") << "kill" << 600.0;
    QTest::newRow("is removed meanwhile") << "remove" << 600.0;
  }
  void noneStartsBeforeTheLastHasEnded() {
    QFETCH(QString, how);
    QFETCH(double, grace);
    SupervisorClient client;
    client.sendPlan(
        {planned("a", {"sleep"}, "never"),
         planned("b", {"sleep"}, "never", 5, 0.01, {{"wait_for", QJsonArray{"a"}}}),
         planned("deaf", {"ignore-term"}, "never"), planned("beside", {"sleep"}, "never")},
        grace);
    QVERIFY(!client.waitFor("output", "deaf").isEmpty());
    QVERIFY(!client.waitFor("started", "beside").isEmpty());
    const pid_t pid = client.all("started", "deaf").front()["pid"].toInt();
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a", "b", "deaf"}}});
    QVERIFY(!client.waitFor("signalled", "a").isEmpty());
    QVERIFY(!client.waitFor("signalled", "b").isEmpty());
    if (how != "refuses") {
      // Others start and end as ever, and the two wait.
      client.send({{"do", "restart"}, {"ids", QJsonArray{"beside"}}});
      QVERIFY(startsAgain(client, "beside"));
      QCOMPARE(client.all("started", "a").size(), 1);
      QCOMPARE(client.all("started", "b").size(), 1);
      if (how == "dies") {
        QCOMPARE(::kill(pid, SIGKILL), 0);
      } else {
        // It was told once, and that it shall be over at once is another word.
        client.send({{"do", how}, {"ids", QJsonArray{"deaf"}}, {"grace_s", 0}});
      }
    }
    QVERIFY(startsAgain(client, "a"));
    QVERIFY(startsAgain(client, "b"));
    const bool comesBack = how == "refuses" || how == "dies";
    if (comesBack) QVERIFY(startsAgain(client, "deaf"));
    QVERIFY(indexOf(client, "signalled", "deaf", 1) < indexOf(client, "started", "a", 2));
    QVERIFY(indexOf(client, "ready", "a", 2) < indexOf(client, "started", "b", 2));
    QCOMPARE(client.all("started", "deaf").size(), comesBack ? 2 : 1);
    // The next time is not held up by this one.
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a", "b"}}});
    QVERIFY(startsAgain(client, "b", 3));
    QVERIFY(indexOf(client, "signalled", "b", 2) < indexOf(client, "started", "a", 3));
  }

  /// A federate may be what its process has started.
  void whatIsLeftInAProcessGroupEndsFirstToo() {
    QTemporaryDir folder;
    const QString file = folder.filePath("pids");
    SupervisorClient client;
    client.sendPlan(
        {planned("a", {"sleep"}, "never"), planned("parent", {"daemonize", file}, "never")});
    QVERIFY(!client.waitFor("started", "parent").isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(test::writtenPids(file).size(), 3, 30000);
    const pid_t deafChild = test::writtenPids(file)[1];
    QVERIFY(alive(deafChild));
    // At once, so that it is the grace of what is left that is waited for, not a start of it.
    client.process.write(
        "{\"do\":\"restart\",\"ids\":[\"a\",\"parent\"]}\n{\"do\":\"stop\",\"id\":\"parent\"}\n");
    QVERIFY(startsAgain(client, "a"));
    QVERIFY(!alive(deafChild));
    QCOMPARE(client.all("started", "parent").size(), 1);
  }

  void aStartIsHeldUntilItIsReleased() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}, "never"), planned("b", {"sleep"}, "never"),
                     planned("beside", {"sleep"}, "never")});
    QVERIFY(!client.waitFor("started", "beside").isEmpty());
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a", "b"}}, {"hold", "k"}});
    const auto held = client.waitFor("held");
    QCOMPARE(held["hold"].toString(), "k");
    QCOMPARE(held["ids"].toArray(), (QJsonArray{"a", "b"}));
    QCOMPARE(client.all("signalled").size(), 2);
    client.send({{"do", "release"}, {"hold", "another"}});
    client.send({{"do", "restart"}, {"ids", QJsonArray{"beside"}}});
    QVERIFY(startsAgain(client, "beside"));
    QCOMPARE(client.all("started", "a").size(), 1);
    client.send({{"do", "release"}, {"hold", "k"}});
    QVERIFY(startsAgain(client, "a") && startsAgain(client, "b"));
    QCOMPARE(client.all("held").size(), 1);
    // Nothing runs on without them either.
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a", "b"}}, {"hold", "again"}});
    QVERIFY(!client.waitFor("held").isEmpty());
    client.send({{"do", "stop"}});
    QVERIFY(!client.waitFor("ended").isEmpty());
    QCOMPARE(client.all("started", "a").size(), 2);
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
