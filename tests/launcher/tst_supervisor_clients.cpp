// SPDX-License-Identifier: GPL-3.0-or-later
// Further clients of a supervisor: they watch, command, come back where they were, and cannot hold
// it up.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QLocalSocket>
#include <QTest>

#include "launcher/engine/supervisor/event_history.h"
#include "launcher/engine/supervisor/plan.h"
#include "launcher/engine/supervisor/run_socket.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;
using test::SupervisorClient;

namespace {

/// A client at the socket of a run, and what it was told.
class Watcher {
 public:
  explicit Watcher(const QString& run) {
    socket.setSocketOptions(QLocalSocket::AbstractNamespaceOption);
    socket.connectToServer(QString::fromStdString(runSocketName(run.toStdString())));
    socket.waitForConnected(5000);
  }

  void send(const QJsonObject& line) {
    socket.write(QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n');
    socket.waitForBytesWritten(5000);
  }
  void attach(QJsonObject more = {}) {
    more["do"] = "attach";
    send(more);
  }

  void take() {
    socket.waitForReadyRead(10);
    buffer_ += socket.readAll();
    for (qsizetype end; (end = buffer_.indexOf('\n')) >= 0; buffer_.remove(0, end + 1))
      events << QJsonDocument::fromJson(buffer_.left(end)).object();
  }
  QList<QJsonObject> all(const QString& event, const QString& id = {}) const {
    QList<QJsonObject> result;
    for (const auto& one : events) {
      if (one["event"] == event && (id.isEmpty() || one["id"] == id)) result << one;
    }
    return result;
  }
  /// Whether there is one of these, now or in a while.
  bool hears(const QString& event, const QString& id = {}, qsizetype count = 1) {
    return QTest::qWaitFor(
        [&] {
          take();
          return all(event, id).size() >= count;
        },
        15000);
  }
  bool isClosed() {
    return QTest::qWaitFor(
        [&] {
          take();
          return socket.state() == QLocalSocket::UnconnectedState;
        },
        15000);
  }
  QList<qint64> numbers() const {
    QList<qint64> result;
    for (const auto& one : events) {
      if (one.contains("n")) result << one["n"].toInteger();
    }
    return result;
  }
  QStringList lines() const {
    QStringList result;
    for (const auto& one : all("output")) result << one["line"].toString();
    return result;
  }

  QLocalSocket socket;
  QList<QJsonObject> events;

 private:
  QByteArray buffer_;
};

QJsonObject planned(const QString& id, const QStringList& arguments, const QJsonObject& more = {}) {
  return SupervisorClient::planned(id, arguments, more);
}

QJsonObject shell(const QString& id, const QString& script) {
  return {{"id", id}, {"command", QJsonArray{"/bin/sh", "-c", script}}};
}

}  // namespace

class TestSupervisorClients : public QObject {
  Q_OBJECT

 private slots:
  void theHistoryForgetsTheOldestFirst() {
    EventHistory history(100);
    QCOMPARE(history.next(), 1u);
    QCOMPARE(history.first(), 1u);
    for (int i = 0; i < 10; ++i) history.add(std::string(30, 'x'), i % 2 == 0);
    QCOMPARE(history.next(), 11u);
    QCOMPARE(history.first(), 8u);
    QCOMPARE(history.bytesFrom(8), 90u);
    QCOMPARE(history.bytesFrom(1), 90u);
    QCOMPARE(history.bytesFrom(10), 30u);
    QCOMPARE(history.bytesFrom(11), 0u);
    QVERIFY(history.at(9).isOutput);
    // One that is larger than all that may be kept is kept until the next.
    history.add(std::string(200, 'y'), true);
    QCOMPARE(history.first(), 11u);
    QCOMPARE(history.bytesFrom(11), 200u);
  }

  void runsOfThisHostAreFound() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    const std::string run = client.runName().toStdString();
    const auto runs = runsHere();
    QCOMPARE(std::count(runs.begin(), runs.end(), run), 1);
    client.process.kill();
    client.process.waitForFinished();
    QTRY_VERIFY([&] {
      const auto left = runsHere();
      return std::count(left.begin(), left.end(), run) == 0;
    }());
  }

  /// A plan may be anybody's: it comes from other machines too.
  void aLongChainOfWaitsIsRead() {
    const auto chain = [](std::size_t length, const std::string& last) {
      std::string text = "{\"version\":1,\"run\":\"r\",\"processes\":[";
      for (std::size_t at = 0; at < length; ++at) {
        const std::string next = at + 1 < length ? std::to_string(at + 1) : last;
        text += (at == 0 ? "" : ",") + ("{\"id\":\"" + std::to_string(at)) +
                "\",\"command\":[\"x\"],\"wait_for\":[" + (next.empty() ? next : '"' + next + '"') +
                "]}";
      }
      return planFromText(text + "]}");
    };
    const auto whole = chain(10'000, "");
    QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
    const auto circle = chain(3, "1");
    QVERIFY(!circle);
    QVERIFY2(
        circle.error().message.find("cannot start: 1 waits for 2 waits for 1") != std::string::npos,
        circle.error().message.c_str());
    const auto tooLong = chain(300'000, "");
    QVERIFY(!tooLong);
    QVERIFY2(tooLong.error().message.find("more than 10000 processes") != std::string::npos,
             tooLong.error().message.c_str());
  }

  /// Every account can listen at every name.
  void namesThatLeadElsewhereAreNoRuns() {
    const std::string evil = "../../evil-" + std::to_string(::getpid());
    const auto listening = listenAt(runSocketName(evil));
    QVERIFY(listening);
    const std::string good = "good-" + std::to_string(::getpid());
    const auto other = listenAt(runSocketName(good));
    QVERIFY(other);
    const auto runs = runsHere();
    QCOMPARE(std::count(runs.begin(), runs.end(), good), 1);
    QCOMPARE(std::count(runs.begin(), runs.end(), evil), 0);
    for (const char* name : {"", ".", "..", ".a", "a/b"}) QVERIFY2(!isRunName(name), name);
  }

  /// The right account at the name of a run is taken, and another is not.
  void nobodyElsesSupervisorIsTaken() {
    if (::getuid() != 0) QSKIP("Only root can listen as somebody else.");
    const std::string name = runSocketName("else-" + std::to_string(::getpid()));
    int ready[2];
    QCOMPARE(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setuid(65534) != 0) ::_exit(1);
      const auto listening = listenAt(name);
      (void)!::write(ready[1], listening ? "y" : "n", 1);
      ::pause();
      ::_exit(0);
    }
    char answer = 0;
    QCOMPARE(::read(ready[0], &answer, 1), ssize_t(1));
    const auto connected = connectTo(name);
    const std::string why = connected ? std::string() : connected.error();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const int each : ready) ::close(each);
    QCOMPARE(answer, 'y');
    QVERIFY(!connected);
    QVERIFY2(why.find("another account") != std::string::npos, why.c_str());
  }

  /// One that takes nobody in any more holds nobody up.
  void aFullQueueHoldsNobodyUp() {
    const std::string name = runSocketName("full-" + std::to_string(::getpid()));
    const auto listening = listenAt(name);
    QVERIFY(listening);
    std::vector<Descriptor> waiting;
    bool refused = false;
    for (int count = 0; count < 64 && !refused; ++count) {
      auto one = connectTo(name);
      refused = !one;
      if (one) waiting.push_back(std::move(*one));
    }
    QVERIFY(refused);
    QVERIFY(!waiting.empty());
  }

  void aProcessComesToThePlanAndLeavesIt() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}), planned("rti", {"sleep"}, {{"stop_last", true}})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    Watcher watcher(client.runName());
    watcher.attach();
    QVERIFY(watcher.hears("attached"));
    const QJsonObject about{{"component", "radar"}};
    QJsonObject added = planned("b", {"sleep"}, {{"wait_for", QJsonArray{"a"}}});
    added["restart"] = QJsonObject{{"when", "always"}, {"backoff_s", 0}};
    watcher.send({{"do", "add"},
                  {"processes", QJsonArray{added}},
                  {"federates", QJsonObject{{"b", about}}}});
    const auto told = client.waitFor("added", "b");
    QCOMPARE(told["federate"].toObject(), about);
    QCOMPARE(told["process"].toObject(), added);
    const auto first = client.waitFor("started", "b");
    QVERIFY(!first.isEmpty());
    QVERIFY(watcher.hears("started", "b"));
    // Whoever comes later hears of it before anything that it did.
    Watcher later(client.runName());
    later.attach();
    QVERIFY(later.hears("attached"));
    QStringList kinds;
    for (const auto& one : later.events) {
      if (one["id"] == "b") kinds << one["event"].toString();
    }
    QCOMPARE(kinds.value(0), "added");
    // One that waits for it, and is removed with it: nobody waits for what is gone.
    watcher.send(
        {{"do", "add"},
         {"processes", QJsonArray{planned("c", {"sleep"}, {{"wait_for", QJsonArray{"b"}}})}}});
    QVERIFY(!client.waitFor("started", "c").isEmpty());
    watcher.send({{"do", "remove"}, {"ids", QJsonArray{"b"}}});
    QVERIFY(!client.waitFor("removed", "b").isEmpty());
    QVERIFY(!alive(first["pid"].toInt()));
    QCOMPARE(client.all("started", "b").size(), 1);
    watcher.send({{"do", "restart"}, {"ids", QJsonArray{"c"}}});
    QVERIFY(!client
                 .waitFor([](const QJsonObject& one) {
                   return one["event"] == "started" && one["id"] == "c" && one["attempt"] == 2;
                 })
                 .isEmpty());
    // The plan has it no more, and takes it again as a new one.
    watcher.send({{"do", "start"}, {"ids", QJsonArray{"b"}}});
    QVERIFY(watcher.hears("error", "b"));
    watcher.send({{"do", "add"}, {"processes", QJsonArray{added}}});
    QVERIFY(!client.waitFor("started", "b").isEmpty());
  }

  /// What a program that has gone holds starts without it, and what another one holds does not.
  void aHoldEndsWithItsClient() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}), planned("b", {"sleep"})});
    QVERIFY(!client.waitFor("started", "b").isEmpty());
    auto holder = std::make_unique<Watcher>(client.runName());
    holder->attach();
    QVERIFY(holder->hears("attached"));
    Watcher other(client.runName());
    other.attach();
    QVERIFY(other.hears("attached"));
    holder->send({{"do", "restart"}, {"ids", QJsonArray{"a"}}, {"hold", "gone"}});
    other.send({{"do", "restart"}, {"ids", QJsonArray{"b"}}, {"hold", "there"}});
    QVERIFY(other.hears("held", {}, 2));
    QCOMPARE(client.all("started").size(), 2);
    holder.reset();
    const auto starts = [&](const QString& id) {
      return !client
                  .waitFor([&](const QJsonObject& one) {
                    return one["event"] == "started" && one["id"] == id && one["attempt"] == 2;
                  })
                  .isEmpty();
    };
    QVERIFY(starts("a"));
    QCOMPARE(client.all("started", "b").size(), 1);
    other.send({{"do", "release"}, {"hold", "there"}});
    QVERIFY(starts("b"));
  }

  void whatDoesNotFitThePlanIsNotAdded_data() {
    QTest::addColumn<QJsonObject>("command");
    QTest::addColumn<QString>("why");
    const auto adding = [](const QJsonArray& processes) {
      return QJsonObject{{"do", "add"}, {"processes", processes}};
    };
    const auto fresh = planned("b", {"sleep"});
    QTest::newRow("none") << adding({}) << "names no processes";
    QTest::newRow("is there") << adding({fresh, planned("a", {"sleep"})})
                              << "a is in the run already";
    QTest::newRow("twice") << adding({fresh, fresh}) << "is listed twice";
    QTest::newRow("waits for nobody")
        << adding({fresh, planned("c", {"sleep"}, {{"wait_for", QJsonArray{"x"}}})})
        << "waits for \"x\", which is not in the plan";
    QTest::newRow("waits for itself")
        << adding({planned("b", {"sleep"}, {{"wait_for", QJsonArray{"c"}}}),
                   planned("c", {"sleep"}, {{"wait_for", QJsonArray{"b"}}})})
        << "cannot start: ";
    QTest::newRow("a node") << adding({fresh, planned("n", {"sleep"}, {{"stop_last", true}})})
                            << "n is no federate";
    QTest::newRow("misspelt") << adding({fresh, planned("c", {"sleep"}, {{"nise", 3}})}) << "nise";
  }
  void whatDoesNotFitThePlanIsNotAdded() {
    QFETCH(QJsonObject, command);
    QFETCH(QString, why);
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    client.send(command);
    const auto error = client.waitFor("error");
    QVERIFY2(error["why"].toString().contains(why), qPrintable(error["why"].toString()));
    // All or nothing, and nobody else is the worse for it.
    client.send({{"do", "restart"}, {"ids", QJsonArray{"a"}}});
    QVERIFY(!client
                 .waitFor([](const QJsonObject& one) {
                   return one["event"] == "started" && one["id"] == "a" && one["attempt"] == 2;
                 })
                 .isEmpty());
    QCOMPARE(client.all("added").size(), 0);
    QCOMPARE(client.all("started", "b").size(), 0);
  }

  void whoComesLaterHearsAllThatHappened() {
    SupervisorClient client;
    client.sendPlan(
        {planned("a", {"say", "one", "exit", "3"}), planned("b", {"say", "two", "sleep"})});
    QVERIFY(!client.waitFor("exited", "a").isEmpty());
    QVERIFY(!client.waitFor("output", "b").isEmpty());
    Watcher watcher(client.runName());
    watcher.attach();
    QVERIFY(watcher.hears("attached"));
    QCOMPARE(watcher.events.first()["event"].toString(), "hello");
    QVERIFY(watcher.events.first()["attended"].toBool());
    // What was written first, then the state. Between two processes there is no order.
    QStringList heard = watcher.lines();
    heard.sort();
    QCOMPARE(heard, (QStringList{"one", "two"}));
    QCOMPARE(watcher.all("started").size(), 2);
    QCOMPARE(watcher.all("exited", "a").first()["code"].toInt(), 3);
    QCOMPARE(watcher.all("exited", "b").size(), 0);
    client.send({{"do", "kill"}, {"id", "b"}});
    QVERIFY(watcher.hears("signalled", "b"));
    client.send({{"do", "stop"}});
    QVERIFY(watcher.hears("ended"));
    QVERIFY(watcher.isClosed());
  }

  void whoComesBackGoesOnWhereItWas() {
    SupervisorClient client;
    client.sendPlan({shell("a", "i=0; while :; do echo $i; i=$((i+1)); sleep 0.01; done")});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    QStringList lines;
    QList<qint64> numbers;
    for (int visit = 0; visit < 4; ++visit) {
      Watcher watcher(client.runName());
      watcher.attach(numbers.isEmpty() ? QJsonObject{} : QJsonObject{{"after", numbers.last()}});
      QVERIFY(watcher.hears("output", "a", 20));
      QCOMPARE(watcher.all("attached").first()["resumed"].toBool(), visit > 0);
      lines += watcher.lines();
      numbers += watcher.numbers();
      // While nobody watches, some more are written.
      const auto before = client.all("output").size();
      QTRY_VERIFY([&] {
        client.waitFor([](const QJsonObject&) { return false; }, 20);
        return client.all("output").size() > before + 5;
      }());
    }
    for (qsizetype i = 0; i < lines.size(); ++i) QCOMPARE(lines[i], QString::number(i));
    for (qsizetype i = 1; i < numbers.size(); ++i) QVERIFY(numbers[i] > numbers[i - 1]);
  }

  /// Its connection broke in the middle of what was written before it came.
  void whoLacksTheStateIsToldItAndNoLineTwice() {
    SupervisorClient client;
    client.sendPlan({shell("a", "for i in 0 1 2 3 4 5; do echo $i; done; exec sleep 60"),
                     shell("b", "exit 3")});
    QVERIFY(
        !client.waitFor([](const QJsonObject& event) { return event["line"] == "5"; }).isEmpty());
    QVERIFY(!client.waitFor("exited", "b").isEmpty());
    const QJsonObject line =
        client.waitFor([](const QJsonObject& event) { return event["line"] == "2"; });
    const qint64 third = line["n"].toInteger();
    Watcher watcher(client.runName());
    watcher.attach({{"after", third}, {"state", true}});
    QVERIFY(watcher.hears("attached"));
    QCOMPARE(watcher.lines(), (QStringList{"3", "4", "5"}));
    QCOMPARE(watcher.all("started").size(), 2);
    QCOMPARE(watcher.all("exited", "b").size(), 1);
    QVERIFY(watcher.all("missed").isEmpty());
    QVERIFY(watcher.all("attached").first()["next"].toInteger() > third);
  }

  void whatIsForgottenIsSaid() {
    SupervisorClient client;
    client.sendPlan({shell("a",
                           "l=$(head -c 15000 /dev/zero | tr '\\0' x); i=0; while [ $i -lt 700 ]; "
                           "do echo $i $l; i=$((i+1)); sleep 0.002; done; echo last; sleep 60")});
    // It reads all the time, so that nothing is left out.
    QVERIFY(!client.waitFor([](const QJsonObject& event) { return event["line"] == "last"; }, 60000)
                 .isEmpty());
    Watcher watcher(client.runName());
    watcher.attach({{"after", 2}});
    QVERIFY(watcher.hears("attached"));
    const auto missed = watcher.all("missed");
    QCOMPARE(missed.size(), 1);
    QCOMPARE(missed.first()["from"].toInteger(), 3);
    QVERIFY(missed.first()["why"].toString().contains("log"));
    // All after that is there.
    QCOMPARE(watcher.numbers().first(), missed.first()["to"].toInteger() + 1);
    QCOMPARE(watcher.lines().last(), "last");
    QCOMPARE(watcher.all("started", "a").size(), 1);
  }

  void commandsOfOthersAreFollowed() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}), planned("b", {"sleep"}), planned("c", {"sleep"}),
                     SupervisorClient::planned("node", {"sleep"}, {{"stop_last", true}})});
    QVERIFY(!client.waitFor("started", "node").isEmpty());
    Watcher watcher(client.runName());
    watcher.attach({{"output", false}});
    QVERIFY(watcher.hears("attached"));
    watcher.send({{"do", "stop"}, {"ids", QJsonArray{"a", "b"}}});
    QVERIFY(watcher.hears("done"));
    for (const char* id : {"a", "b"}) QVERIFY(client.waitFor("signalled", id)["asked"].toBool());
    watcher.send({{"do", "start"}, {"ids", QJsonArray{"a", "c"}}});
    QVERIFY(watcher.hears("started", "a", 2));
    watcher.send({{"do", "restart"}, {"id", "c"}});
    QVERIFY(watcher.hears("started", "c", 2));
    QVERIFY(watcher.all("signalled", "c").first()["restarts"].toBool());
    // All but the node, those that run too.
    watcher.send({{"do", "restart"}});
    for (const char* id : {"a", "c"}) QVERIFY(watcher.hears("started", id, 3));
    QVERIFY(watcher.hears("started", "b", 2));
    QCOMPARE(watcher.all("started", "node").size(), 1);
    watcher.send({{"do", "kill"}, {"ids", QJsonArray{"a"}}});
    QVERIFY(watcher.hears("signalled", "a", 3));
    QCOMPARE(watcher.all("signalled", "a").last()["signal"].toInt(), SIGKILL);
    // What it asks for in vain only it is told.
    watcher.send({{"do", "stop"}, {"ids", QJsonArray{"nobody"}}});
    QVERIFY(watcher.hears("error"));
    QVERIFY(client.all("error").isEmpty());
    watcher.send({{"do", "stop"}});
    QVERIFY(client.waitFor("stopping")["why"].toString().contains("asked by process"));
    QVERIFY(watcher.hears("ended"));
    QTRY_COMPARE_WITH_TIMEOUT(client.process.state(), QProcess::NotRunning, 15000);
    QCOMPARE(client.process.exitCode(), 0);
  }

  void onlyOneOwnsIt() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    const pid_t pid = client.waitFor("started", "a")["pid"].toInt();
    Watcher second(client.runName());
    second.attach({{"own", true}});
    QVERIFY(second.hears("busy"));
    QVERIFY(second.isClosed());
    Watcher watcher(client.runName());
    watcher.attach();
    QVERIFY(watcher.hears("attached"));
    for (const char* command : {"keep", "ready", "elsewhere"}) {
      watcher.send({{"do", command}, {"id", "a"}, {"on", true}, {"folder", "/tmp"}});
      QVERIFY(watcher.hears("error"));
      watcher.events.clear();
    }
    // The end of one that only watches means nothing, that of the owner all.
    watcher.socket.disconnectFromServer();
    QTest::qWait(100);
    QVERIFY(alive(pid));
    client.endInput();
    QVERIFY(!alive(pid));
  }

  void aMadClientIsLeftAlone() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    Watcher mad(client.runName());
    mad.socket.write(
        "\n\xff\xfe{]\n[1]\n\"do\"\n{}\n{\"do\":7}\n{\"do\":\"stop\",\"id\":{}}\n"
        "{\"do\":\"attach\",\"own\":\"x\",\"after\":-1,\"output\":[]}\n"
        "{\"do\":\"kill\",\"ids\":[1,{}],\"grace_s\":\"soon\"}\n"
        "{\"do\":\"signal\",\"id\":\"a\",\"signal\":[]}\n{\"do\":\"keep\",\"on\":1}\n");
    QVERIFY(mad.hears("error", {}, 6));
    Watcher endless(client.runName());
    const QByteArray part(256 * 1024, 'x');
    for (int i = 0; i < 8; ++i) {
      endless.socket.write(part);
      endless.socket.waitForBytesWritten(2000);
    }
    QVERIFY(endless.isClosed());
    // Half a hundred that say nothing are no more than half a hundred.
    std::vector<std::unique_ptr<Watcher>> silent;
    for (int i = 0; i < 50; ++i) silent.push_back(std::make_unique<Watcher>(client.runName()));
    client.send({{"do", "kill"}, {"id", "a"}});
    QVERIFY(!client.waitFor("signalled", "a").isEmpty());
  }

  void aSlowClientIsDropped() {
    SupervisorClient client;
    client.sendPlan({shell("a",
                           "l=$(head -c 15000 /dev/zero | tr '\\0' x); while :; do echo $l; "
                           "sleep 0.002; done")});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    Watcher slow(client.runName());
    slow.socket.setReadBufferSize(1);
    slow.attach();
    const auto dropped = client.waitFor(
        [](const QJsonObject& event) { return event["event"] == "client_dropped"; }, 60000);
    QCOMPARE(dropped["pid"].toInt(), static_cast<int>(::getpid()));
    QVERIFY(dropped["why"].toString().contains("slowly"));
    QVERIFY(!client.waitFor("output", "a").isEmpty());
    client.send({{"do", "kill"}, {"id", "a"}});
    QVERIFY(!client.waitFor("signalled", "a").isEmpty());
  }

  void theFarEndOfSshPassesAllOn() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"say", "hello", "sleep"})});
    QVERIFY(!client.waitFor("output", "a").isEmpty());
    QProcess relay;
    relay.start(test::supervisorProgram, {"--attach", client.runName()});
    relay.write("{\"do\":\"attach\"}\n{\"do\":\"kill\",\"id\":\"a\"}\n");
    QByteArray out;
    QTRY_VERIFY((out += relay.readAllStandardOutput()).contains("signalled"));
    QVERIFY2(out.contains("\"line\":\"hello\""), out);
    client.endInput();
    QVERIFY(relay.waitForFinished(10000));
    QCOMPARE(relay.exitCode(), 0);
    out += relay.readAllStandardOutput();
    QVERIFY2(out.contains("\"event\":\"ended\""), out);
    QProcess late;
    late.start(test::supervisorProgram, {"--attach", client.runName()});
    QVERIFY(late.waitForFinished(10000));
    QCOMPARE(late.exitCode(), 4);
    QVERIFY(late.readAllStandardOutput().contains("\"event\":\"gone\""));
  }
};

QTEST_GUILESS_MAIN(TestSupervisorClients)
#include "tst_supervisor_clients.moc"
