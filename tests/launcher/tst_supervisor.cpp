// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QLocalServer>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include "launcher/engine/supervisor/log_file.h"
#include "tests/launcher/supervisor_client.h"

using namespace tutti::launcher;
using test::alive;
using test::SupervisorClient;

namespace {

/// A run must have left nothing after this long, whatever ended it.
constexpr int endLimitMs = 3000;

QJsonObject planned(const QString& id, const QStringList& arguments, QJsonObject more = {}) {
  return SupervisorClient::planned(id, arguments, std::move(more));
}

}  // namespace

class TestSupervisor : public QObject {
  Q_OBJECT

 private slots:
  void init() { QVERIFY(folder_.isValid()); }

  void reportsHowAProcessEnds_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("event");
    QTest::addColumn<int>("number");
    for (const int code : {0, 1, 37, 127, 255})
      QTest::addRow("exit %d", code)
          << QStringList{"exit", QString::number(code)} << "exited" << code;
    for (const int signal : {SIGSEGV, SIGABRT, SIGKILL, SIGTERM, SIGUSR1})
      QTest::addRow("signal %d", signal)
          << QStringList{"die", QString::number(signal)} << "signalled" << signal;
  }
  void reportsHowAProcessEnds() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, event);
    QFETCH(int, number);
    SupervisorClient client;
    client.sendPlan({planned("a", arguments)});
    const auto end = client.waitFor(event, "a");
    QCOMPARE(end["event"].toString(), event);
    QCOMPARE(end[event == "exited" ? "code" : "signal"].toInt(-1), number);
    if (event == "signalled") {
      QCOMPARE(end["core"].toBool(true), false);
      QCOMPARE(end["name"].toString(), "SIG" + QString::fromLatin1(::sigabbrev_np(number)));
    }
    QCOMPARE(end["pid"].toInt(), client.all("started", "a").value(0)["pid"].toInt());
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    client.endInput();
    QCOMPARE(client.process.exitCode(), 0);
    QCOMPARE(client.events.last()["event"].toString(), "ended");
    QCOMPARE(client.events.last()["left"].toInt(-1), 0);
  }

  void saysWhetherACoreWasDumped() {
    SupervisorClient client;
    QJsonObject one = planned("a", {});
    one["command"] = QJsonArray{"/bin/sh", "-c", "ulimit -c unlimited 2>/dev/null; kill -SEGV $$"};
    one["cwd"] = folder_.path();
    client.sendPlan({one});
    const auto end = client.waitFor("signalled", "a");
    QCOMPARE(end["signal"].toInt(), SIGSEGV);
    QFile pattern("/proc/sys/kernel/core_pattern");
    QVERIFY(pattern.open(QIODevice::ReadOnly));
    const auto where = pattern.readAll().trimmed();
    // Elsewhere than in the working directory nobody but the kernel knows.
    if (where.startsWith('|') || where.contains('/')) return;
    const bool dumped =
        !QDir(folder_.path()).entryList({where.left(4) + "*"}, QDir::Files).isEmpty();
    QCOMPARE(end["core"].toBool(), dumped);
  }

  void saysWhyAProcessCannotStart_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("cwd");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("why");
    const auto in = [this](const char* name) { return folder_.filePath(name); };
    const auto write = [&](const char* name, const QByteArray& text, mode_t mode) {
      QFile file(in(name));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
      file.close();
      ::chmod(qPrintable(in(name)), mode);
    };
    write("plain.txt", "hello", 0644);
    write("no_format", QByteArray("\1\2\3\4no program", 14), 0755);
    write("no_interpreter", "#!/nowhere/interpreter\n", 0755);
    QTest::newRow("missing") << in("missing") << "" << in("missing") << "no such file";
    QTest::newRow("missing in PATH") << "no-such-program-anywhere"
                                     << ""
                                     << "no-such-program-anywhere"
                                     << "no folder of PATH";
    QTest::newRow("no right to execute")
        << in("plain.txt") << "" << in("plain.txt") << "may not be executed";
    QTest::newRow("a folder") << folder_.path() << "" << folder_.path() << "a folder";
    QTest::newRow("unknown format")
        << in("no_format") << "" << in("no_format") << "neither a program";
    QTest::newRow("missing interpreter")
        << in("no_interpreter") << "" << in("no_interpreter") << "interpreter";
    QTest::newRow("missing working directory")
        << "/bin/true" << in("nowhere") << in("nowhere") << "working directory does not exist";
  }
  void saysWhyAProcessCannotStart() {
    QFETCH(QString, program);
    QFETCH(QString, cwd);
    QFETCH(QString, where);
    QFETCH(QString, why);
    SupervisorClient client;
    client.sendPlan({QJsonObject{{"id", "broken"}, {"command", QJsonArray{program}}, {"cwd", cwd}},
                     planned("other", {"say", "here", "sleep"})});
    const auto error = client.waitFor("error", "broken");
    QCOMPARE(error["what"].toString(), "broken did not start");
    QCOMPARE(error["where"].toString(), where);
    QVERIFY2(error["why"].toString().contains(why), qPrintable(error["why"].toString()));
    QVERIFY(!error["next"].toString().isEmpty());
    QVERIFY(client.all("started", "broken").isEmpty());
    // The rest goes on.
    QVERIFY(!client.waitFor("output", "other").isEmpty());
  }

  void refusesAnUnusablePlan_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("why");
    QTest::newRow("not JSON") << QByteArray("{oops\n") << "not JSON";
    QTest::newRow("no version") << QByteArray("{\"processes\":[]}\n") << "version";
    QTest::newRow("later version")
        << QByteArray("{\"version\":2,\"processes\":[]}\n") << "version 2 is unknown";
    QTest::newRow("misspelt key")
        << QByteArray("{\"version\":1,\"processes\":[{\"id\":\"a\",\"comand\":[\"x\"]}]}\n")
        << "unknown key \"comand\"";
    QTest::newRow("no command") << QByteArray("{\"version\":1,\"processes\":[{\"id\":\"a\"}]}\n")
                                << "names no executable";
    QTest::newRow("twice")
        << QByteArray(
               "{\"version\":1,\"processes\":[{\"id\":\"a\",\"command\":[\"x\"]},"
               "{\"id\":\"a\",\"command\":[\"x\"]}]}\n")
        << "listed twice";
    QTest::newRow("waits for nobody") << QByteArray(
                                             "{\"version\":1,\"processes\":[{\"id\":\"a\","
                                             "\"command\":[\"x\"],\"wait_for\":[\"b\"]}]}\n")
                                      << "waits for \"b\"";
    QTest::newRow("circle") << QByteArray(
                                   "{\"version\":1,\"processes\":["
                                   "{\"id\":\"a\",\"command\":[\"x\"],\"wait_for\":[\"b\"]},"
                                   "{\"id\":\"b\",\"command\":[\"x\"],\"wait_for\":[\"a\"]}]}\n")
                            << "a waits for b waits for a";
    QTest::newRow("nothing") << QByteArray() << "ended before a plan came";
  }
  void refusesAnUnusablePlan() {
    QFETCH(QByteArray, line);
    QFETCH(QString, why);
    SupervisorClient client;
    client.process.write(line);
    client.endInput();
    const auto error = client.waitFor("error");
    QVERIFY2(error["why"].toString().contains(why), qPrintable(error["why"].toString()));
    QCOMPARE(client.process.exitCode(), 2);
  }

  void givesEachProcessItsSurroundings() {
    const int leaked = ::open("/dev/null", O_RDONLY);  // Not closed on exec: the supervisor has it.
    SupervisorClient client;
    client.sendPlan({planned("a", {"descriptors", "environment", "TUTTI_RTI", "exit", "0"},
                             {{"cwd", folder_.path()},
                              {"nice", 7},
                              {"env", QJsonObject{{"TUTTI_RTI", "shm:run-test"}}}})});
    QVERIFY(!client.waitFor("exited", "a").isEmpty());
    ::close(leaked);
    const auto lines = client.lines("a");
    // 3 is the list itself being read.
    QCOMPARE(lines.value(0).trimmed(), "descriptors 0 1 2 3");
    QCOMPARE(lines.value(1), "group own, nice 7, folder " + folder_.path());
    QCOMPARE(lines.value(2), "blocked 0, pipe signal default");
    QCOMPARE(lines.value(3), "TUTTI_RTI=shm:run-test");
  }

  void startsInOrderAndWaits() {
    const auto gate = folder_.filePath("gate");
    SupervisorClient client;
    client.sendPlan(
        {planned("last", {"sleep"}, {{"start_order", 3}}),
         planned("needs", {"sleep"}, {{"start_order", 1}, {"wait_for", QJsonArray{"server"}}}),
         planned("server", {"say", "starting", "ready-after", gate},
                 {{"start_order", 2}, {"ready", QJsonObject{{"when", "line"}, {"text", "ready"}}}}),
         planned("first", {"sleep"}, {{"start_order", 0}})});
    QVERIFY(!client.waitFor("started", "last").isEmpty());
    QVERIFY(!client.waitFor("output", "server").isEmpty());
    QVERIFY(client.all("started", "needs").isEmpty());
    QFile(gate).open(QIODevice::WriteOnly);
    QVERIFY(!client.waitFor("started", "needs").isEmpty());
    QStringList order;
    for (const auto& event : client.all("started")) order << event["id"].toString();
    QCOMPARE(order, QStringList({"first", "server", "last", "needs"}));
    QCOMPARE(client.all("ready", "server").size(), 1);
  }

  void waitsForASocket_data() {
    QTest::addColumn<bool>("abstract");
    QTest::newRow("abstract") << true;
    QTest::newRow("path") << false;
  }
  void waitsForASocket() {
    QFETCH(bool, abstract);
    const auto name =
        abstract ? QStringLiteral("tutti-test-%1").arg(::getpid()) : folder_.filePath("socket");
    SupervisorClient client;
    client.sendPlan({planned("server", {"sleep"},
                             {{"ready", QJsonObject{{"when", "socket"},
                                                    {"text", (abstract ? "@" : "") + name}}}}),
                     planned("user", {"sleep"}, {{"wait_for", QJsonArray{"server"}}})});
    QVERIFY(!client.waitFor("started", "server").isEmpty());
    QVERIFY(client.all("ready", "server").isEmpty());
    QLocalServer listener;
    if (abstract) listener.setSocketOptions(QLocalServer::AbstractNamespaceOption);
    QVERIFY2(listener.listen(name), qPrintable(listener.errorString()));
    QVERIFY(!client.waitFor("started", "user").isEmpty());
    QCOMPARE(client.all("ready", "server").size(), 1);
  }

  void waitsForAPort_data() {
    QTest::addColumn<QHostAddress>("address");
    QTest::newRow("IPv4") << QHostAddress(QHostAddress::LocalHost);
    QTest::newRow("IPv6") << QHostAddress(QHostAddress::LocalHostIPv6);
  }
  void waitsForAPort() {
    QFETCH(QHostAddress, address);
    // One that was free a moment ago.
    QTcpServer listener;
    if (!listener.listen(address)) QSKIP("this machine has no such loopback address");
    const auto port = listener.serverPort();
    listener.close();
    SupervisorClient client;
    client.sendPlan(
        {planned("server", {"sleep"},
                 {{"ready", QJsonObject{{"when", "port"}, {"text", QString::number(port)}}}}),
         planned("user", {"sleep"}, {{"wait_for", QJsonArray{"server"}}})});
    QVERIFY(!client.waitFor("started", "server").isEmpty());
    QVERIFY(client.all("ready", "server").isEmpty());
    QVERIFY2(listener.listen(address, port), qPrintable(listener.errorString()));
    QVERIFY(!client.waitFor("started", "user").isEmpty());
    QCOMPARE(client.all("ready", "server").size(), 1);
  }

  /// By the supervisor's own clock.
  void waitsForADelay() {
    SupervisorClient client;
    client.sendPlan({planned("server", {"sleep"},
                             {{"ready", QJsonObject{{"when", "delay"}, {"after_s", 0.2}}}}),
                     planned("user", {"sleep"}, {{"wait_for", QJsonArray{"server"}}})});
    QVERIFY(!client.waitFor("started", "user").isEmpty());
    const double waited = client.all("ready", "server").first()["time_ms"].toDouble() -
                          client.all("started", "server").first()["time_ms"].toDouble();
    QVERIFY2(waited >= 200 - 2, qPrintable(QString::number(waited)));
    QVERIFY(client.all("not_ready").isEmpty());
  }

  void saysWhoIsNotReadyAndGoesOnWhenTold() {
    SupervisorClient client;
    client.sendPlan({planned("slow", {"sleep"},
                             {{"ready", QJsonObject{{"when", "told"}, {"timeout_s", 0.05}}}}),
                     planned("user", {"sleep"}, {{"wait_for", QJsonArray{"slow"}}})});
    QVERIFY(!client.waitFor("not_ready", "slow").isEmpty());
    QVERIFY(client.all("started", "user").isEmpty());
    client.send({{"do", "ready"}, {"id", "slow"}});
    QVERIFY(!client.waitFor("started", "user").isEmpty());
  }

  void namesWhatOthersWaitedForInVain() {
    SupervisorClient client;
    client.sendPlan({planned("server", {"exit", "3"},
                             {{"ready", QJsonObject{{"when", "line"}, {"text", "ready"}}}}),
                     planned("b", {"sleep"}, {{"wait_for", QJsonArray{"server"}}}),
                     planned("c", {"sleep"}, {{"wait_for", QJsonArray{"b"}}})});
    QCOMPARE(client.waitFor("blocked", "b")["by"].toString(), "server");
    QCOMPARE(client.waitFor("blocked", "c")["by"].toString(), "b");
    QVERIFY(!client.waitFor("all_ended").isEmpty());
  }

  void stopsKillsSignalsAndRestartsOne() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}), planned("b", {"sleep"}), planned("c", {"sleep"})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    const auto pid = client.waitFor("started", "c")["pid"].toInt();
    client.send({{"do", "stop"}, {"id", "a"}});
    QCOMPARE(client.waitFor("signalled", "a")["signal"].toInt(), SIGTERM);
    client.send({{"do", "kill"}, {"id", "b"}});
    QCOMPARE(client.waitFor("signalled", "b")["signal"].toInt(), SIGKILL);
    client.send({{"do", "signal"}, {"id", "c"}, {"signal", "SIGSTOP"}});
    QTRY_COMPARE(processEntry(pid)->state, 'T');
    client.send({{"do", "signal"}, {"id", "c"}, {"signal", "CONT"}});
    QTRY_VERIFY(processEntry(pid)->state != 'T');
    client.send({{"do", "signal"}, {"id", "c"}, {"signal", SIGUSR1}});
    QCOMPARE(client.waitFor("signalled", "c")["signal"].toInt(), SIGUSR1);
    QVERIFY(!client.waitFor("all_ended").isEmpty());
    client.send({{"do", "start"}, {"id", "a"}});
    const auto again = client.waitFor("started", "a");
    QCOMPARE(again["attempt"].toInt(), 2);
    QVERIFY(alive(again["pid"].toInt()));
  }

  void refusesCommandsWithoutEffect_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("why");
    QTest::newRow("unknown id") << QByteArray(R"({"do":"kill","id":"z"})") << "no process";
    QTest::newRow("unknown verb") << QByteArray(R"({"do":"fly","id":"a"})") << "no such command";
    QTest::newRow("no signal") << QByteArray(R"({"do":"signal","id":"a","signal":"SIGNOPE"})")
                               << "no signal";
    QTest::newRow("running") << QByteArray(R"({"do":"start","id":"a"})") << "running already";
    QTest::newRow("no JSON") << QByteArray("stop it") << "not a JSON object";
    QTest::newRow("no object") << QByteArray("[1]") << "not a JSON object";
  }
  void refusesCommandsWithoutEffect() {
    QFETCH(QByteArray, line);
    QFETCH(QString, why);
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    QVERIFY(!client.waitFor("started", "a").isEmpty());
    client.process.write(line + "\n");
    const auto error = client.waitFor("error");
    QVERIFY2(error["why"].toString().contains(why), qPrintable(error["why"].toString()));
    QVERIFY(!error["next"].toString().isEmpty());
    QVERIFY(alive(client.all("started", "a").first()["pid"].toInt()));
  }

  void stopsGracefullyThenByForce() {
    SupervisorClient client;
    client.sendPlan({planned("deaf", {"ignore-term"}), planned("polite", {"sleep"})}, 0.2);
    QVERIFY(!client.waitFor("output", "deaf").isEmpty());
    client.send({{"do", "stop"}});
    QCOMPARE(client.waitFor("stopping")["why"].toString(), "asked");
    QCOMPARE(client.waitFor("signalled", "polite")["signal"].toInt(), SIGTERM);
    QCOMPARE(client.waitFor("signalled", "deaf")["signal"].toInt(), SIGKILL);
    QCOMPARE(client.waitFor("ended")["left"].toInt(-1), 0);
  }

  void endsAStoppedProcessInOrder() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"})});
    const auto pid = client.waitFor("started", "a")["pid"].toInt();
    ::kill(pid, SIGSTOP);
    QTRY_COMPARE(processEntry(pid)->state, 'T');
    client.send({{"do", "stop"}, {"grace_s", 60}});
    QCOMPARE(client.waitFor("signalled", "a")["signal"].toInt(), SIGTERM);
  }

  void stopsTheNodeLast() {
    SupervisorClient client;
    client.sendPlan({planned("rti", {"sleep"}, {{"stop_last", true}}),
                     planned("deaf", {"ignore-term"}, {{"wait_for", QJsonArray{"rti"}}})},
                    0.2);
    QVERIFY(!client.waitFor("output", "deaf").isEmpty());
    client.endInput();
    QStringList order;
    for (const auto& event : client.all("signalled")) order << event["id"].toString();
    QCOMPARE(order, QStringList({"deaf", "rti"}));
    QCOMPARE(client.all("signalled", "rti").value(0)["signal"].toInt(), SIGTERM);
  }

  void leavesNothing_data() {
    QTest::addColumn<QString>("how");
    for (const char* how :
         {"end of input", "SIGTERM", "SIGINT", "SIGHUP", "worker killed", "guardian killed"})
      QTest::newRow(how) << how;
  }
  void leavesNothing() {
    QFETCH(QString, how);
    const auto running = folder_.filePath("running " + how);
    const auto left = folder_.filePath("left " + how);
    const double grace = how == "end of input" ? 60 : 0.2;  // Unattended it is cut short.
    SupervisorClient client;
    client.sendPlan({planned("rti", {"ignore-term"}, {{"stop_last", true}}),
                     planned("a", {"daemonize", running}), planned("b", {"leave", left})},
                    grace);
    QTRY_COMPARE(test::writtenPids(running).size(), 3);
    QTRY_COMPARE(test::writtenPids(left).size(), 3);
    QVERIFY(!client.waitFor("exited", "b").isEmpty());
    const auto rti = client.all("started", "rti").value(0)["pid"].toInt();
    // Prove that there is something to clean up: children, and daemons nobody's parent leads to.
    QList<pid_t> victims{rti};
    for (const auto pid : test::writtenPids(running)) victims << pid;
    victims << test::writtenPids(left).at(2);
    for (const auto pid : victims) QVERIFY2(alive(pid), qPrintable(QString::number(pid)));
    for (const auto daemon : {test::writtenPids(running).at(2), test::writtenPids(left).at(2)})
      QCOMPARE(processEntry(daemon)->parent, client.worker());

    const auto guardian = static_cast<pid_t>(client.process.processId());
    const auto worker = client.worker();
    victims << guardian << worker;
    QElapsedTimer timer;
    timer.start();
    if (how == "end of input") client.process.closeWriteChannel();
    if (how == "SIGTERM") ::kill(guardian, SIGTERM);
    if (how == "SIGINT") ::kill(guardian, SIGINT);
    if (how == "SIGHUP") ::kill(worker, SIGHUP);
    if (how == "worker killed") ::kill(worker, SIGKILL);
    if (how == "guardian killed") ::kill(guardian, SIGKILL);
    const auto survivors = [&] {
      QList<pid_t> result;
      for (const auto pid : victims) {
        if (alive(pid)) result << pid;
      }
      return result;
    };
    QTRY_COMPARE_WITH_TIMEOUT(survivors(), QList<pid_t>{}, endLimitMs);
    if (how == "worker killed") {
      client.process.waitForFinished(5000);
      QCOMPARE(client.process.exitCode(), 128 + SIGKILL);
    }
  }

  void endsWhenNobodyReadsItsEvents() {
    const auto events = folder_.filePath("events");
    QCOMPARE(::mkfifo(qPrintable(events), 0600), 0);
    const auto pids = folder_.filePath("unread");
    QProcess supervisor;
    supervisor.start("/bin/sh", {"-c", "exec " + test::supervisorProgram + " > " + events});
    const int reader = ::open(qPrintable(events), O_RDONLY | O_CLOEXEC);
    QVERIFY(reader >= 0);
    supervisor.write(
        QJsonDocument(QJsonObject{{"version", 1},
                                  {"grace_s", 0.2},
                                  {"processes", QJsonArray{planned("a", {"daemonize", pids})}}})
            .toJson(QJsonDocument::Compact) +
        "\n");
    supervisor.waitForBytesWritten(5000);
    QTRY_COMPARE(test::writtenPids(pids).size(), 3);
    for (const auto pid : test::writtenPids(pids)) QVERIFY(alive(pid));
    ::close(reader);
    QVERIFY(supervisor.waitForFinished(endLimitMs));
    for (const auto pid : test::writtenPids(pids)) QVERIFY(!alive(pid));
  }

  void endsWhatAProcessLeavesInItsGroup() {
    const auto left = folder_.filePath("left-group");
    SupervisorClient client;
    client.sendPlan({planned("a", {"leave", left})});
    QVERIFY(!client.waitFor("exited", "a").isEmpty());
    const auto pids = test::writtenPids(left);
    QCOMPARE(pids.size(), 3);
    // The child is deaf to SIGTERM, so it takes the SIGKILL a second later; the daemon has left the
    // group and lives until the run ends.
    QTRY_VERIFY_WITH_TIMEOUT(!alive(pids.at(1)), 10000);
    QVERIFY(alive(pids.at(2)));
  }

  void startsManyQuickProcesses() {
    constexpr int many = 300;
    QJsonArray processes;
    for (int index = 0; index < many; ++index)
      processes << planned(QString::number(index), {"say", QStringLiteral("I am %1").arg(index),
                                                    "exit", QString::number(index % 200)});
    SupervisorClient client;
    client.sendPlan(processes);
    QVERIFY(
        !client.waitFor([](const QJsonObject& one) { return one["event"] == "all_ended"; }, 60000)
             .isEmpty());
    QCOMPARE(client.all("started").size(), many);
    for (int index = 0; index < many; ++index) {
      const auto id = QString::number(index);
      QCOMPARE(client.all("exited", id).size(), 1);
      QCOMPARE(client.all("exited", id).first()["code"].toInt(-1), index % 200);
      QCOMPARE(client.lines(id), QStringList("I am " + id));
    }
  }

  void keepsManyProcessesRunning() {
    constexpr int many = 300;
    QJsonArray processes;
    for (int index = 0; index < many; ++index)
      processes << planned(QString::number(index), {"sleep"});
    SupervisorClient client;
    client.sendPlan(processes);
    QVERIFY(!client.waitFor("started", QString::number(many - 1)).isEmpty());
    QVERIFY(client.all("error").isEmpty());
    QList<pid_t> pids;
    for (const auto& event : client.all("started")) pids << event["pid"].toInt();
    QCOMPARE(pids.size(), many);
    for (const auto pid : pids) QVERIFY(alive(pid));
    QVERIFY(client.endInput(endLimitMs) >= 0);
    for (const auto pid : pids) QVERIFY(!alive(pid));
  }

  void endsAllWithoutDescriptors() {
    const auto file = folder_.filePath("without descriptors");
    SupervisorClient client;
    client.sendPlan({planned("a", {"daemonize", file}), planned("b", {"exit", "0"})});
    QTRY_COMPARE(test::writtenPids(file).size(), 3);
    QVERIFY(!client.waitFor("exited", "b").isEmpty());
    rlim_t free = 0;
    const QString open = QStringLiteral("/proc/%1/fd/%2").arg(client.worker());
    while (QFileInfo(open.arg(free)).isSymLink()) ++free;
    const rlimit none{free, free};
    QCOMPARE(::prlimit(client.worker(), RLIMIT_NOFILE, &none, nullptr), 0);
    // Prove that there is none left.
    client.send({{"do", "start"}, {"id", "b"}});
    QVERIFY(client.waitFor("error", "b")["why"].toString().contains("open files"));
    QVERIFY(client.endInput(endLimitMs) >= 0);
    for (const auto pid : test::writtenPids(file)) QVERIFY(!alive(pid));
  }

  void doesNotBlockOnFloods() {
    const auto log = folder_.filePath("flood.log");
    SupervisorClient client;
    client.sendPlan({planned("flood", {"flood"}, {{"log_file", log}}),
                     planned("quiet", {"say", "one line", "sleep"})});
    QVERIFY(!client.waitFor("output", "quiet").isEmpty());
    const auto dropped = client.waitFor("dropped", "flood");
    QVERIFY(dropped["lines"].toDouble() > 0);
    // What was not shown is in the log, in order.
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readLine().contains(" tut started as process "));
    for (int line = 0; line < 2000; ++line)
      QVERIFY(file.readLine().endsWith(QByteArray(" out line ") + QByteArray::number(line) + "\n"));
    // Nobody reads for a while: the flood goes on, is counted, and commands are heard.
    const auto pid = client.all("started", "quiet").first()["pid"].toInt();
    client.send({{"do", "kill"}, {"id", "quiet"}});
    QTRY_VERIFY(!alive(pid));
    QVERIFY(!client.waitFor("signalled", "quiet").isEmpty());
    QVERIFY(client.endInput(endLimitMs) >= 0);
    QCOMPARE(client.events.last()["event"].toString(), "ended");
  }

  // Of a log too large for its file the first lines and the last ones are kept: why a process ended
  // is in what it said last.
  void aLogKeepsItsFirstAndItsLastLines() {
    const auto path = folder_.filePath("long.log");
    const std::uint64_t before = 7;
    {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("before\n");
    }
    LogFile log(1000, 500);
    QCOMPARE(log.open(path.toStdString()), 0);
    const auto line = [](int number) {
      return QByteArray("line ") + QByteArray::number(number) + "\n";
    };
    const auto content = [&] {
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    auto now = LogFile::Clock::now();
    for (int i = 0; i < 20; ++i) log.add(line(i).toStdString());
    QCOMPARE(log.write(now), 0);
    QVERIFY(!log.dueAt());
    QVERIFY(content().endsWith("line 18\nline 19\n"));
    for (int i = 20; i < 5000; ++i) log.add(line(i).toStdString());
    // While it goes on, the last lines come to the file at times...
    QVERIFY(log.dueAt());
    now = std::max(now, *log.dueAt());
    QCOMPARE(log.write(now), 0);
    QVERIFY(content().endsWith("line 4999\n"));
    QVERIFY(!log.dueAt());
    log.add("so many at once\n");
    QCOMPARE(log.write(now), 0);
    QVERIFY(content().endsWith("line 4999\n"));
    QVERIFY(log.dueAt());
    // ...and at the end.
    log.add("last words\n");
    QCOMPARE(log.flush(), 0);
    const QByteArray all = content();
    QVERIFY(all.startsWith("before\nline 0\nline 1\n"));
    QVERIFY(all.endsWith("so many at once\nlast words\n"));
    QVERIFY2(static_cast<std::uint64_t>(all.size()) < before + 1000 + 2 * 500 + 200,
             qPrintable(QString::number(all.size())));
    // Nothing is torn, and what is left out is counted.
    int expected = 0;
    int kept = 0;
    int leftOut = 0;
    for (const QByteArray& each : all.split('\n')) {
      if (each.startsWith("... ")) {
        leftOut = each.split(' ').value(1).toInt();
        QVERIFY2(each.contains("are left out here"), each.constData());
        expected += leftOut;
      } else if (each.startsWith("line ")) {
        QCOMPARE(each.mid(5).toInt(), expected++);
        ++kept;
      }
    }
    QVERIFY(leftOut > 4000);
    QCOMPARE(kept + leftOut, 5000);
  }

  void keepsLinesWholeInTheLog() {
    const auto log = folder_.filePath("sub/lines.log");
    SupervisorClient client;
    QJsonObject one{{"id", "a"}, {"log_file", log}};
    one["command"] = QJsonArray{
        "/bin/sh", "-c",
        "printf 'half'; sleep 0.05; printf ' whole\\r\\nerror\\n' >&2; printf ' line\\nno end'; "
        "printf '\\377\\n' >&2; exit 4"};
    client.sendPlan({one});
    QVERIFY(!client.waitFor("exited", "a").isEmpty());
    client.endInput();
    QVERIFY(client.lines("a").contains("half line"));
    QVERIFY(client.lines("a").contains("no end"));
    QVERIFY(client.lines("a").contains(" whole"));
    QVERIFY(client.lines("a").contains(QString(QChar::ReplacementCharacter)));
    QFile file(log);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto text = file.readAll();
    for (const char* line : {" out half line\n", " err  whole\n", " err error\n", " out no end\n",
                             " tut exited with code 4\n"})
      QVERIFY2(text.contains(line), line);
  }

  void saysWhenALogCannotBeWritten() {
    SupervisorClient client;
    client.sendPlan({planned("a", {"sleep"}, {{"log_file", "/proc/nowhere/a.log"}})});
    const auto error = client.waitFor("error", "a");
    QCOMPARE(error["where"].toString(), "/proc/nowhere/a.log");
    QVERIFY(error["why"].toString().contains("log cannot be written"));
    QVERIFY(!client.waitFor("all_ended").isEmpty());
  }

  void readsAPlanFromAFile() {
    const auto path = folder_.filePath("plan.json");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(QJsonObject{{"version", 1},
                                         {"run", "file"},
                                         {"processes", QJsonArray{planned("a", {"exit", "0"})}}})
                   .toJson());
    file.close();
    SupervisorClient client({path});
    QVERIFY(!client.waitFor("exited", "a").isEmpty());
    QCOMPARE(client.all("hello").first()["run"].toString(), "file");
  }

 private:
  QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestSupervisor)
#include "tst_supervisor.moc"
