// SPDX-License-Identifier: GPL-3.0-or-later
// What a supervisor does as one of several of a run: the key, processes elsewhere, silence.
#include <signal.h>
#include <unistd.h>

#include <QTest>

#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;
using test::SupervisorClient;

namespace {

QJsonObject planned(const QString& id, const QStringList& arguments, QJsonObject more = {}) {
  return SupervisorClient::planned(id, arguments, std::move(more));
}

QJsonObject planOf(const QJsonArray& processes, QJsonObject more = {}) {
  static int count = 0;
  more["version"] = 1;
  more["run"] = QStringLiteral("channel-%1-%2").arg(::getpid()).arg(++count);
  more["processes"] = processes;
  return more;
}

}  // namespace

class TestSupervisorChannel : public QObject {
  Q_OBJECT

 private slots:
  void theKeyIsReadByWhoGetsItAndByNobodyElse() {
    SupervisorClient client;
    client.send({{"do", "key"}, {"key", "tutti-key-1 0123456789\n"}});
    const QJsonArray command{"/bin/sh", "-c",
                             "read -r line < /proc/self/fd/3 && echo \"$line\" && "
                             "stat -L -c '%a %u' /proc/self/fd/3; cat /proc/self/fd/3"};
    // Its error goes nowhere: the two streams of a process come in no order between them.
    const QJsonArray nosy{"/bin/sh", "-c", "cat /proc/self/fd/3 2> /dev/null || echo none"};
    client.send(planOf({QJsonObject{{"id", "node"}, {"command", command}, {"gets_key", true}},
                        QJsonObject{{"id", "nosy"}, {"command", nosy}}}));
    QVERIFY(!client.waitFor("exited", "node").isEmpty());
    QVERIFY(!client.waitFor("exited", "nosy").isEmpty());
    const QStringList lines = client.lines("node");
    QCOMPARE(lines.value(0), QStringLiteral("tutti-key-1 0123456789"));
    QCOMPARE(lines.value(1), QStringLiteral("600 %1").arg(::getuid()));
    // Each opening reads it from the start, as the RTI node's does.
    QCOMPARE(lines.value(2), QStringLiteral("tutti-key-1 0123456789"));
    QCOMPARE(client.lines("nosy"), QStringList{"none"});
  }

  void whoGetsAKeyDoesNotStartWithoutOne() {
    SupervisorClient client;
    client.send(planOf({planned("node", {"sleep"}, {{"gets_key", true}})}));
    const auto error = client.waitFor("error", "node");
    QVERIFY2(error["why"].toString().contains("key"), qPrintable(error["why"].toString()));
    QVERIFY(client.all("started").isEmpty());
  }

  void waitsForWhatIsElsewhere() {
    SupervisorClient client;
    client.send(planOf({planned("east", {"sleep"}, {{"wait_for", QJsonArray{"home"}}}),
                        planned("here", {"sleep"})},
                       {{"elsewhere", QJsonArray{"home"}}}));
    QVERIFY(!client.waitFor("started", "here").isEmpty());
    client.send({{"do", "elsewhere"}, {"id", "nobody"}, {"state", "ready"}});
    client.send({{"do", "elsewhere"}, {"id", "home"}, {"state", "awaited"}});
    QTest::qWait(100);
    QVERIFY(client.all("started", "east").isEmpty());
    client.send({{"do", "elsewhere"}, {"id", "home"}, {"state", "ready"}});
    QVERIFY(!client.waitFor("started", "east").isEmpty());
  }

  void whatWaitsInVainForElsewhereIsSaidAndGetsAnotherChance() {
    SupervisorClient client;
    client.send(planOf({planned("east", {"sleep"}, {{"wait_for", QJsonArray{"home"}}}),
                        planned("here", {"sleep"})},
                       {{"elsewhere", QJsonArray{"home"}}}));
    client.send({{"do", "elsewhere"}, {"id", "home"}, {"state", "never"}});
    QCOMPARE(client.waitFor("blocked", "east")["by"].toString(), QStringLiteral("home"));
    client.send({{"do", "elsewhere"}, {"id", "home"}, {"state", "ready"}});
    QVERIFY(!client.waitFor("started", "east").isEmpty());
  }

  /// One that was elsewhere is started here: whoever waits for it goes on to wait, for that one.
  void oneThatWasElsewhereComesHere() {
    SupervisorClient client;
    client.send(planOf({planned("waits", {"sleep"}, {{"wait_for", QJsonArray{"other"}}}),
                        planned("here", {"sleep"})},
                       {{"elsewhere", QJsonArray{"other"}}}));
    QVERIFY(!client.waitFor("started", "here").isEmpty());
    const QJsonObject ready{{"when", "told"}};
    client.send({{"do", "add"},
                 {"processes", QJsonArray{planned("other", {"sleep"}, {{"ready", ready}})}}});
    QVERIFY(!client.waitFor("started", "other").isEmpty());
    QVERIFY(client.all("started", "waits").isEmpty());
    client.send({{"do", "ready"}, {"id", "other"}});
    QVERIFY(!client.waitFor("started", "waits").isEmpty());
  }

  void thoseThatStopLastAreHeld() {
    SupervisorClient client;
    client.send(
        planOf({planned("node", {"sleep"}, {{"stop_last", true}}), planned("one", {"sleep"})}));
    const pid_t node = client.waitFor("started", "node")["pid"].toInt();
    QVERIFY(!client.waitFor("started", "one").isEmpty());
    client.send({{"do", "stop"}, {"hold_last", true}});
    QVERIFY(!client.waitFor("signalled", "one").isEmpty());
    QTest::qWait(200);
    QVERIFY(alive(node));
    QVERIFY(client.all("signalled", "node").isEmpty());
    client.send({{"do", "stop"}});
    QVERIFY(!client.waitFor("signalled", "node").isEmpty());
    QCOMPARE(client.waitFor("ended")["left"].toInt(-1), 0);
  }

  void aHeldStopEndsWithItsClient() {
    SupervisorClient client;
    client.send(
        planOf({planned("node", {"sleep"}, {{"stop_last", true}}), planned("one", {"sleep"})}));
    QVERIFY(!client.waitFor("started", "one").isEmpty());
    client.send({{"do", "stop"}, {"hold_last", true}});
    QVERIFY(!client.waitFor("signalled", "one").isEmpty());
    QVERIFY(client.endInput() >= 0);
    QVERIFY(!client.all("signalled", "node").isEmpty());
  }

  void aClientThatIsSilentHasGone() {
    SupervisorClient client;
    client.send(planOf({planned("one", {"sleep"})}, {{"silence_s", 0.6}}));
    const pid_t one = client.waitFor("started", "one")["pid"].toInt();
    for (int beat = 0; beat < 8; ++beat) {
      QTest::qWait(200);
      client.send({{"do", "alive"}});
    }
    QVERIFY(alive(one));
    QVERIFY(client.all("stopping").isEmpty());
    QVERIFY(client.waitFor("alive")["load"].isDouble());
    // The channel stays open: it is the silence that ends it.
    QVERIFY(client.process.waitForFinished(15000));
    QVERIFY(!alive(one));
    QCOMPARE(client.process.exitCode(), 0);
  }

  /// A host that is cut off has lost its RTI node: a federate that does not mind that goes on
  /// elsewhere as a new copy, and the old one does not stay for the rest of a long silence.
  void withoutItsNodeItWaitsNoLonger() {
    SupervisorClient client;
    client.send(planOf({planned("node", {"sleep"}, {{"stop_last", true}}),
                        planned("deaf", {"ignore-term"}, {{"wait_for", QJsonArray{"node"}}})},
                       {{"silence_s", 3600}, {"grace_s", 3600}}));
    const pid_t node = client.waitFor("started", "node")["pid"].toInt();
    const pid_t deaf = client.waitFor("started", "deaf")["pid"].toInt();
    QVERIFY(node > 0 && deaf > 0);
    QCOMPARE(::kill(node, SIGKILL), 0);
    QVERIFY(!client.waitFor("signalled", "node").isEmpty());
    // With a client that is there it is for that one to say what becomes of the others.
    for (int beat = 0; beat < 5; ++beat) {
      client.send({{"do", "alive"}});
      QVERIFY(!client.waitFor("alive").isEmpty());
    }
    QVERIFY(alive(deaf));
    QVERIFY(client.all("stopping").isEmpty());
    QVERIFY(client.process.waitForFinished(30000));
    QVERIFY(!alive(deaf));
    QCOMPARE(client.process.exitCode(), 0);
  }
};

QTEST_GUILESS_MAIN(TestSupervisorChannel)
#include "tst_supervisor_channel.moc"
