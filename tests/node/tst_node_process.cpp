// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cstddef>
#include <random>

#include "ambassador.h"
#include "node_process.h"
#include "observe/node_client.h"

using namespace tutti::fabric;
using tutti::test::Ambassador;
using tutti::test::NoBody;
using tutti::test::NodeProcess;
using tutti::test::uniqueNode;

namespace {

/// Another process with a federate in it: this program, see main().
class FederateProcess {
 public:
  ~FederateProcess() {
    process_.kill();
    process_.waitForFinished(5000);
  }
  /// True once it has joined.
  bool start(const std::string& node, const std::string& name) {
    process_.start(QCoreApplication::applicationFilePath(),
                   {"--federate", QString::fromStdString(node), QString::fromStdString(name)});
    return process_.waitForReadyRead(10000) && process_.readAllStandardOutput() == "joined\n";
  }
  qint64 pid() const { return process_.processId(); }
  void kill() {
    process_.kill();
    process_.waitForFinished(5000);
  }

 private:
  QProcess process_;
};

/// A raw connection, for what no ambassador would send.
int rawConnection(const std::string& node) {
  const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const std::string path = "tutti/" + std::to_string(::getuid()) + "/" + node;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path + 1);
  ::connect(socket, reinterpret_cast<sockaddr*>(&address),
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size()));
  return socket;
}

bool nodeAnswers(const std::string& name) {
  auto client = tutti::observe::NodeClient::connect(name);
  return client && client->status().has_value();
}

/// Waits until the process has gone, or is only left to be reaped.
bool processGone(qint64 pid) {
  QElapsedTimer timer;
  timer.start();
  while (timer.elapsed() < 10000) {
    QFile file(QString("/proc/%1/stat").arg(pid));
    if (!file.open(QIODevice::ReadOnly)) return true;
    const QByteArray text = file.readAll();
    if (text.mid(text.lastIndexOf(')') + 2, 1) == "Z") return true;
    QTest::qWait(5);
  }
  return false;
}

}  // namespace

class TestNodeProcess : public QObject {
  Q_OBJECT

 private slots:
  void offTheLoopbackAddressAKeyIsNeeded() {
    NodeProcess node;
    const QString name = QString::fromStdString(uniqueNode("open"));
    for (const char* address : {"0.0.0.0:0", "[::]:0"}) {
      const auto refused = node.run({"--shm", name, "--listen", address});
      QCOMPARE(refused.code, 1);
      for (const char* next : {address, "--make-key", "--key-file", "--trusted-network"}) {
        QVERIFY2(refused.err.contains(next), qPrintable(refused.err));
      }
    }
    QVERIFY(!nodeAnswers(name.toStdString()));
  }
  void theLogOfARunningNodeIsBounded() {
    NodeProcess node;
    const std::string name = uniqueNode("log");
    QCOMPARE(node.run({"--daemon", "--shm", QString::fromStdString(name)}).code, 0);
    const QString file = node.statePath() + "/tutti/rti-" + QString::fromStdString(name) + ".log";
    auto asker = Ambassador::connect(name);
    QVERIFY(asker && asker->hello());
    constexpr qint64 most = 4 << 20;
    constexpr std::size_t line = 30000;
    // Each is refused with its name, in the log too.
    for (int i = 0; i < 400; ++i) {
      const auto refused = asker->ask(Request::DestroyFederation,
                                      FederationNameRequest{std::string(line, 'x')});
      QVERIFY(refused.answered && !refused.ok());
      QVERIFY(QFileInfo(file).size() < most + qint64(10 * line));
    }
    const QFileInfo before(file + ".1");
    QVERIFY(before.size() > most && before.size() < most + qint64(10 * line));
    const QFile::Permissions others = QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther |
                                      QFile::WriteOther;
    QVERIFY(!(QFile::permissions(file) & others) && !(before.permissions() & others));
    auto client = tutti::observe::NodeClient::connect(name);
    QVERIFY(client.has_value());
    const auto pid = client->status()->pid;
    QVERIFY(client->stop().has_value());
    QVERIFY(processGone(pid));
    QFile log(file);
    QVERIFY(log.open(QIODevice::ReadOnly));
    QVERIFY(log.readAll().contains("asks this node to stop"));
  }
  void otherUsersDoNotFillTheLog() {
    if (::geteuid() != 0) return;  // nobody else to be
    NodeProcess node;
    const std::string name = uniqueNode("others");
    QVERIFY(node.start(name));
    const pid_t other = ::fork();
    if (other == 0) {
      constexpr uid_t nobody = 65534;
      if (::setresuid(nobody, nobody, nobody) != 0) ::_exit(1);
      // The path has the user in it: it is of the node's.
      const std::string path = "tutti/0/" + name;
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::copy(path.begin(), path.end(), address.sun_path + 1);
      const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
      for (int i = 0; i < 2000; ++i) {
        const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), bytes) != 0) ::_exit(2);
        ::close(socket);
      }
      ::_exit(0);
    }
    int status = 0;
    QCOMPARE(::waitpid(other, &status, 0), other);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    QVERIFY(nodeAnswers(name));
    QTRY_COMPARE(node.log().count("is turned away"), 1);
    auto client = tutti::observe::NodeClient::connect(name);
    QVERIFY(client && client->status().has_value());
    QCOMPARE(node.log().count("is turned away"), 1);
  }
  void aKeyIsNamedByItsFileAlone() {
    NodeProcess node;
    const std::string name = uniqueNode("keyed");
    const QString file = node.statePath() + "/key";
    const auto made = node.run({"--make-key", file});
    QCOMPARE(made.code, 0);
    QFile key(file);
    QVERIFY(key.open(QIODevice::ReadOnly));
    const QString secret = QString::fromLatin1(key.readAll()).section(' ', 1).trimmed();
    QCOMPARE(secret.size(), 64);
    QVERIFY(!made.out.contains(secret) && !made.err.contains(secret));
    QCOMPARE(node.run({"--make-key", file}).code, 1);
    node.environment().insert("TUTTI_KEY_FILE", file);
    QVERIFY(node.start(name, {"--listen", "127.0.0.1:0"}));
    QTRY_VERIFY(node.log().contains("encrypted, if they have the key in '" + file + "'"));
    QVERIFY(!node.log().contains(secret));
    // Others may not read it.
    QVERIFY(key.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
    const auto refused = node.run({"--shm", "other", "--listen", "127.0.0.1:0"});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("chmod 600"), qPrintable(refused.err));
  }
  void twoThatStartAtOnceAreOneNode() {
    for (int round = 0; round < 5; ++round) {
      NodeProcess node;
      const std::string name = uniqueNode("race");
      const QStringList arguments{"--daemon", "--shm", QString::fromStdString(name)};
      std::vector<std::unique_ptr<QProcess>> starters;
      for (int i = 0; i < 4; ++i) {
        starters.push_back(std::make_unique<QProcess>());
        starters.back()->setProcessEnvironment(node.environment());
        starters.back()->start(tutti::test::nodeProgram(), arguments);
      }
      for (auto& starter : starters) {
        QVERIFY(starter->waitForFinished(20000));
        QCOMPARE(starter->exitCode(), 0);
      }
      // Everybody reaches the same one.
      auto client = tutti::observe::NodeClient::connect(name);
      QVERIFY(client.has_value());
      const auto status = client->status();
      QVERIFY(status.has_value());
      QVERIFY(status->pid > 0);
      QFile log(node.statePath() + "/tutti/rti-" + QString::fromStdString(name) + ".log");
      QVERIFY(log.open(QIODevice::ReadOnly));
      QCOMPARE(log.readAll().count("listens"), 1);
      QVERIFY(client->stop().has_value());
      QVERIFY(processGone(status->pid));
    }
  }

  void aSecondInTheForegroundSaysSo() {
    NodeProcess node;
    const std::string name = uniqueNode("taken");
    QVERIFY(node.start(name));
    const auto second = node.run({"--shm", QString::fromStdString(name)});
    QCOMPARE(second.code, 1);
    QVERIFY2(second.err.contains("another RTI node"), qPrintable(second.err));
    QVERIFY(nodeAnswers(name));
  }

  void aDaemonIsOnItsOwn() {
    NodeProcess node;
    const std::string name = uniqueNode("daemon");
    // Its starter's descriptors, session and directory are not its own.
    QTemporaryFile inherited;
    QVERIFY(inherited.open());
    const int kept = ::dup(inherited.handle());  // not close-on-exec
    QCOMPARE(node.run({"--daemon", "--shm", QString::fromStdString(name)}).code, 0);
    ::close(kept);
    auto client = tutti::observe::NodeClient::connect(name);
    QVERIFY(client.has_value());
    const int pid = client->status()->pid;
    QVERIFY(::getsid(pid) != ::getsid(0));
    QCOMPARE(QFile::symLinkTarget(QString("/proc/%1/cwd").arg(pid)), QString("/"));
    const QDir descriptors(QString("/proc/%1/fd").arg(pid));
    for (const QString& each : descriptors.entryList(QDir::AllEntries | QDir::System)) {
      const QString target = QFile::symLinkTarget(descriptors.filePath(each));
      QVERIFY2(!target.contains(inherited.fileName()), qPrintable(target));
    }
    QVERIFY(client->stop().has_value());
    QVERIFY(processGone(pid));
  }

  /// Federates that begin and end together all create and destroy; that one did it before is no
  /// reason to look at the log.
  void refusalsThatFederatesExpectAreNoWarnings() {
    NodeProcess node;
    const std::string name = uniqueNode("expected");
    QVERIFY(node.start(name));
    auto first = Ambassador::connect(name);
    auto second = Ambassador::connect(name);
    QVERIFY(first && first->hello() && second && second->hello());
    QVERIFY(!second->join("world", "early").ok());
    QVERIFY(first->create("world").ok());
    QCOMPARE(second->create("world").head.refusal, Refusal::FederationExecutionAlreadyExists);
    QVERIFY(first->join("world", "first").ok());
    QCOMPARE(second->destroy("world").head.refusal, Refusal::FederatesCurrentlyJoined);
    first.reset();
    QVERIFY(second->destroy("world").ok());
    QCOMPARE(second->destroy("world").head.refusal, Refusal::FederationExecutionDoesNotExist);

    const auto refusals = [&] {
      return node.log().split('\n').filter(QStringLiteral("is refused"));
    };
    QTRY_VERIFY(refusals().count() >= 4);
    const QStringList lines = refusals();
    // The level stands between the time and the node's name.
    const QString warning = QStringLiteral(" W [");
    QVERIFY2(lines.front().contains("Join") && lines.front().contains(warning),
             qPrintable(lines.front()));
    for (const QString& line : lines.mid(1)) {
      QVERIFY2(line.contains(" I [") && !line.contains(warning), qPrintable(line));
    }
  }

  void aLostFederateIsResigned() {
    NodeProcess node;
    const std::string name = uniqueNode("kill");
    QVERIFY(node.start(name));
    auto witness = Ambassador::connect(name);
    QVERIFY(witness && witness->hello());
    QVERIFY(witness->create("world").ok());
    QVERIFY(witness->join("world", "witness").ok());
    for (int round = 0; round < 3; ++round) {
      FederateProcess victim;
      QVERIFY(victim.start(name, "victim"));
      const auto joined = witness->waitFor(LogRecordType::FederateJoined);
      QVERIFY(joined.has_value());
      const auto number = joined->as<FederateJoinedRecord>().federate;
      victim.kill();
      const auto left = witness->waitFor(LogRecordType::FederateResigned);
      QVERIFY(left.has_value());
      QCOMPARE(left->as<FederateResignedRecord>().federate, number);
      QVERIFY(left->as<FederateResignedRecord>().lost);
    }
  }

  void aDeathIsSettledBeforeDestroyAndJoin() {
    NodeProcess node;
    const std::string name = uniqueNode("settle");
    QVERIFY(node.start(name));
    auto owner = Ambassador::connect(name);
    QVERIFY(owner && owner->hello());
    for (int round = 0; round < 50; ++round) {
      QVERIFY(owner->create("world").ok());
      auto guest = Ambassador::connect(name);
      QVERIFY(guest && guest->hello());
      QVERIFY(guest->join("world", "radar").ok());
      guest.reset();  // the node has not looked at its end yet
      if (round % 2 == 0) {
        auto next = Ambassador::connect(name);
        QVERIFY(next && next->hello());
        QVERIFY(next->join("world", "radar").ok());
        next.reset();
      }
      const auto destroyed = owner->destroy("world");
      QVERIFY2(destroyed.ok(), destroyed.head.message.c_str());
    }
  }

  void aDeathThatComesAfterTheQuestionCountsAsWell() {
    NodeProcess node;
    const std::string name = uniqueNode("late-death");
    QVERIFY(node.start(name));
    auto owner = Ambassador::connect(name);
    QVERIFY(owner && owner->hello());
    QVERIFY(owner->create("world").ok());
    auto guest = Ambassador::connect(name);
    QVERIFY(guest && guest->hello());
    QVERIFY(guest->join("world", "guest").ok());
    // The node finds the question first and the end of the guest's connection behind it: the one it
    // served last stands in front.
    QVERIFY(owner->ask<ListFederationsReply>(Request::ListFederations).ok());
    const auto pid = static_cast<pid_t>(node.process().processId());
    QCOMPARE(::kill(pid, SIGSTOP), 0);
    QVERIFY(owner->send(Request::DestroyFederation, FederationNameRequest{"world"}));
    guest.reset();
    QCOMPARE(::kill(pid, SIGCONT), 0);
    const auto destroyed = owner->answer<NoBody>();
    QVERIFY2(destroyed.ok(), destroyed.head.message.c_str());
  }

  void aLastRequestCountsBeforeTheEnd() {
    NodeProcess node;
    const std::string name = uniqueNode("last");
    QVERIFY(node.start(name));
    auto witness = Ambassador::connect(name);
    QVERIFY(witness && witness->hello());
    QVERIFY(witness->create("world").ok());
    QVERIFY(witness->join("world", "witness").ok());
    auto guest = Ambassador::connect(name);
    QVERIFY(guest && guest->hello());
    QVERIFY(guest->join("world", "guest").ok());
    QVERIFY(guest->send(Request::Resign, ResignRequest{5, false}));
    guest.reset();
    const auto left = witness->waitFor(LogRecordType::FederateResigned);
    QVERIFY(left.has_value());
    QVERIFY(!left->as<FederateResignedRecord>().lost);
  }

  void spinningEndsWithTheConnection() {
    NodeProcess node;
    const std::string name = uniqueNode("spin");
    QVERIFY(node.start(name));
    auto witness = Ambassador::connect(name);
    QVERIFY(witness && witness->hello());
    auto spinner = Ambassador::connect(name);
    QVERIFY(spinner && spinner->hello());
    QVERIFY(spinner->hostPage().processors >= 1);
    spinner->spinPage().spinning[0].fetch_or(1ULL << spinner->connection());
    QVERIFY(witness->spinPage().spinning[0].load() != 0);
    spinner.reset();
    QTRY_COMPARE(witness->spinPage().spinning[0].load(), std::uint64_t{0});
  }

  void garbageHarmsNobody() {
    NodeProcess node;
    const std::string name = uniqueNode("garbage");
    QVERIFY(node.start(name));
    auto witness = Ambassador::connect(name);
    QVERIFY(witness && witness->hello());
    QVERIFY(witness->create("world").ok());
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
      const int socket = rawConnection(name);
      Bytes bytes(random() % 200);
      for (auto& byte : bytes) byte = static_cast<std::byte>(random());
      if (round % 2 == 0 && bytes.size() >= 16) {
        // A true envelope around nonsense.
        const std::uint32_t head[4] = {0x54554d53, round % 4 == 0 ? 1U : 0U,
                                       static_cast<std::uint32_t>(bytes.size() - 16), 0};
        std::memcpy(bytes.data(), head, sizeof head);
      }
      ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (round % 3 != 0) {
        // Whatever it was: answered, or the connection ended. It never hangs.
        char buffer[4096];
        timeval limit{5, 0};
        ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        const auto got = ::recv(socket, buffer, sizeof buffer, 0);
        QVERIFY(got >= 0 || errno == ECONNRESET);
      }
      ::close(socket);
    }
    QVERIFY(witness->join("world", "still there").ok());
    QCOMPARE(node.process().state(), QProcess::Running);
  }

  void oneWhoTakesNoAnswersIsDropped() {
    NodeProcess node;
    const std::string name = uniqueNode("deaf");
    QVERIFY(node.start(name));
    auto witness = Ambassador::connect(name);
    QVERIFY(witness && witness->hello());
    auto deaf = Ambassador::connect(name);
    QVERIFY(deaf && deaf->hello());
    bool dropped = false;
    for (int i = 0; i < 100000 && !dropped; ++i) {
      dropped = !deaf->send(Request::ListFederations);
    }
    QVERIFY(dropped);
    QVERIFY(witness->create("world").ok());
  }

  void anotherLayoutIsRefused() {
    NodeProcess node;
    const std::string name = uniqueNode("layout");
    QVERIFY(node.start(name));
    auto other = Ambassador::connect(name);
    QVERIFY(other.has_value());
    HelloRequest hello;
    hello.layout = layoutVersion + 1;
    const auto refused = other->ask<HelloReply>(Request::Hello, hello);
    QVERIFY(refused.answered);
    QCOMPARE(refused.head.refusal, Refusal::Internal);
    const QString message = QString::fromStdString(refused.head.message);
    QVERIFY2(message.contains("layout version") && message.contains("one version of Tutti"),
             qPrintable(message));
  }

  void itLeavesAfterTheLastConnection() {
    NodeProcess node;
    const std::string name = uniqueNode("leave");
    QVERIFY(node.start(name));
    {
      auto first = Ambassador::connect(name);
      auto second = Ambassador::connect(name);
      QVERIFY(first && first->hello() && second && second->hello());
      QVERIFY(first->create("world").ok());
      QVERIFY(first->join("world", "a").ok());
      second.reset();
      QVERIFY(first->ask(Request::Resign, ResignRequest{}).ok());
      QVERIFY(first->destroy("world").ok());
      QCOMPARE(node.process().state(), QProcess::Running);
    }
    QVERIFY(node.process().waitForFinished(10000));
    QCOMPARE(node.process().exitCode(), 0);
    QVERIFY(!nodeAnswers(name));
  }

  void lookingAtItDoesNotEndIt() {
    NodeProcess node;
    const std::string name = uniqueNode("look");
    QVERIFY(node.start(name));
    for (int i = 0; i < 3; ++i) QVERIFY(nodeAnswers(name));
    auto first = Ambassador::connect(name);
    QVERIFY(first && first->hello());
  }

  void anExecutionOutlivesItsFederatesForAWhile() {
    NodeProcess node;
    const std::string name = uniqueNode("linger");
    QVERIFY(node.start(name, {"--linger", "1.5"}));
    {
      auto first = Ambassador::connect(name);
      QVERIFY(first && first->hello());
      QVERIFY(first->create("world").ok());
      QVERIFY(first->join("world", "a").ok());
    }
    {
      // Lost, but the execution is there for the next one.
      auto second = Ambassador::connect(name);
      QVERIFY(second && second->hello());
      QVERIFY(second->join("world", "a").ok());
    }
    QVERIFY(node.process().waitForFinished(20000));
    QCOMPARE(node.process().exitCode(), 0);
    const QString log = node.log();
    QVERIFY2(log.contains("'world' is destroyed"), qPrintable(log));
    QVERIFY2(log.contains("is lost"), qPrintable(log));
  }

  void stayKeepsIt() {
    NodeProcess node;
    const std::string name = uniqueNode("stay");
    QVERIFY(node.start(name, {"--stay"}));
    int connections = 0;
    for (int i = 0; i < 5; ++i) {
      auto first = Ambassador::connect(name);
      if (first && first->hello()) ++connections;
    }
    QCOMPARE(connections, 5);
    QVERIFY(nodeAnswers(name));
  }

  void stopAndSignalsEndIt_data() {
    QTest::addColumn<int>("signal");  // 0: --stop
    QTest::newRow("--stop") << 0;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
  }
  void stopAndSignalsEndIt() {
    QFETCH(int, signal);
    NodeProcess node;
    const std::string name = uniqueNode("stop");
    QVERIFY(node.start(name));
    auto federate = Ambassador::connect(name);
    QVERIFY(federate && federate->hello());
    QVERIFY(federate->create("world").ok());
    QVERIFY(federate->join("world", "a").ok());
    if (signal == 0) {
      QCOMPARE(node.run({"--stop", "--shm", QString::fromStdString(name)}).code, 0);
    } else {
      ::kill(static_cast<pid_t>(node.process().processId()), signal);
    }
    QVERIFY(node.process().waitForFinished(10000));
    QCOMPARE(node.process().exitStatus(), QProcess::NormalExit);
    QCOMPARE(node.process().exitCode(), 0);
    // Its federates see it at once, and what they share stays theirs to read.
    const auto end = federate->endpoint().receive(Endpoint::Clock::now() + Ambassador::patience);
    QVERIFY(!end.has_value());
    QCOMPARE(end.error().kind, EndpointError::Kind::Closed);
    QCOMPARE(federate->block->magic, FederateBlock::magicValue);
    const auto again = node.run({"--stop", "--shm", QString::fromStdString(name)});
    QCOMPARE(again.code, 1);
    QVERIFY2(again.err.contains("no RTI node"), qPrintable(again.err));
  }

  void statusShowsWhoIsOn() {
    NodeProcess node;
    const std::string name = uniqueNode("status");
    QVERIFY(node.start(name));
    auto radar = Ambassador::connect(name);
    QVERIFY(radar && radar->hello());
    QVERIFY(radar->create("world", {}, "HLAinteger64Time").ok());
    QVERIFY(radar->join("world", "radar-west", "sensor").ok());
    RegisterSynchronizationPointRequest point;
    point.label = "ready to run";
    QVERIFY(
        radar->ask<RegisterSynchronizationPointReply>(Request::RegisterSynchronizationPoint, point)
            .body.registered);

    const QStringList arguments{"--status", "--shm", QString::fromStdString(name)};
    const auto text = node.run(arguments);
    QCOMPARE(text.code, 0);
    for (const QString& part :
         {QString("'world'"), QString("radar-west"), QString("sensor"), QString("HLAinteger64Time"),
          QString::number(QCoreApplication::applicationPid()), QString("joined"),
          QString("'ready to run' waits for 1")}) {
      QVERIFY2(text.out.contains(part), qPrintable(text.out));
    }
    const auto json = node.run(arguments + QStringList{"--json"});
    QCOMPARE(json.code, 0);
    const auto document = QJsonDocument::fromJson(json.out.toUtf8());
    const auto first = document["nodes"][0];
    QCOMPARE(first["node"].toString(), QString::fromStdString(name));
    QCOMPARE(first["pid"].toInt(), static_cast<int>(node.process().processId()));
    QCOMPARE(first["federations"][0]["federates"][0]["name"].toString(), QString("radar-west"));
    QCOMPARE(first["federations"][0]["federates"][0]["state"].toString(), QString("joined"));

    // Without a name: all nodes of this user, this one among them.
    const auto all = node.run({"--status"});
    QVERIFY2(all.out.contains(QString::fromStdString(name)), qPrintable(all.out));

    const auto none = node.run({"--status", "--shm", "nobody-has-this-name"});
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains("no RTI node 'nobody-has-this-name'"), qPrintable(none.err));
  }

  void namesCannotSteerATerminal() {
    NodeProcess node;
    const std::string name = uniqueNode("names");
    QVERIFY(node.start(name));
    const std::string federation = "w\x1b]0;owned\x07\n2026-01-01 I fake line";
    // ESC and its 8-bit form, a line feed, what turns the direction of reading, and half a letter.
    const std::string federate = "r\x1b[2Ja\u009b31md\u202ea\nr \xc3";
    {
      auto radar = Ambassador::connect(name);
      QVERIFY(radar && radar->hello());
      QVERIFY(radar->create(federation).ok());
      QVERIFY(radar->join(federation, federate, "s\x1b[1m").ok());
      const QStringList arguments{"--status", "--shm", QString::fromStdString(name)};
      const auto text = node.run(arguments);
      const auto json = node.run(arguments + QStringList{"--json"});
      for (const QString& shown : {text.out, json.out}) {
        QVERIFY2(!shown.contains(QRegularExpression("[\\x{0}-\\x{9}\\x{b}-\\x{1f}\\x{7f}-\\x{9f}\\x{202e}]")),
                 qPrintable(shown));
      }
      QVERIFY2(text.out.contains("r\\u001b[2Ja\\u009b31md\\u202ea\\nr \\xc3"), qPrintable(text.out));
      const auto document = QJsonDocument::fromJson(json.out.toUtf8());
      QCOMPARE(document["nodes"][0]["federations"][0]["name"].toString().toStdString(), federation);
    }
    // The loss of the federate is logged, which names it.
    QTRY_VERIFY_WITH_TIMEOUT(node.log().contains("is lost"), 20'000);
    const QString log = node.log();
    QVERIFY2(!log.contains(QChar(0x1b)) && !log.contains("\n2026-01-01 I fake line"),
             qPrintable(log));
    QVERIFY2(log.contains("\\u001b]0;owned\\u0007\\n2026-01-01"), qPrintable(log));
  }

  void statusLeavesOutWhoLeftLongAgo() {
    NodeProcess node;
    const std::string name = uniqueNode("leavers");
    QVERIFY(node.start(name));
    auto stays = Ambassador::connect(name);
    QVERIFY(stays && stays->hello() && stays->create("world").ok());
    QVERIFY(stays->join("world", "stays").ok());
    for (int i = 1; i <= 20; ++i) {
      auto leaver = Ambassador::connect(name);
      QVERIFY(leaver && leaver->hello());
      QVERIFY(leaver->join("world", "leaver-" + std::to_string(i) + ".").ok());
      QVERIFY(leaver->ask<NoBody>(Request::Resign, ResignRequest{}).ok());
    }
    const QStringList arguments{"--status", "--shm", QString::fromStdString(name)};
    const auto text = node.run(arguments).out;
    QVERIFY2(text.contains("stays") && text.contains("leaver-20.") && text.contains("leaver-13.") &&
                 !text.contains("leaver-12.") && !text.contains("leaver-1."),
             qPrintable(text));
    QVERIFY2(text.contains("and 12 more that left earlier"), qPrintable(text));
    const auto json =
        QJsonDocument::fromJson(node.run(arguments + QStringList{"--json"}).out.toUtf8());
    const auto world = json["nodes"][0]["federations"][0];
    QCOMPARE(world["federates"].toArray().size(), 9);
    QCOMPARE(world["leftEarlier"].toInt(), 12);
  }

  /// Without a home the log goes where nobody else can have put something.
  void aLogWithoutAHomeIsPrivate_data() {
    QTest::addColumn<QString>("planted");
    QTest::newRow("nothing there") << "";
    QTest::newRow("a link") << "link";
    QTest::newRow("open to others") << "open";
  }
  void aLogWithoutAHomeIsPrivate() {
    QFETCH(QString, planted);
    const std::string name = uniqueNode("homeless");
    // A /tmp of its own; what it holds afterwards is printed, with rights and owners.
    const QString script = QStringLiteral(
        "mount -t tmpfs -o size=1m,mode=1777 none /tmp || exit 99\n"
        "[ -z '%1' ] || mkdir -m 777 /tmp/elsewhere\n"
        "[ '%1' = link ] && ln -s /tmp/elsewhere /tmp/tutti-0\n"
        "[ '%1' = open ] && mkdir -m 777 /tmp/tutti-0\n"
        "cd / && unset HOME XDG_STATE_HOME XDG_RUNTIME_DIR\n"
        "\"$1\" --daemon --shm \"$2\" && \"$1\" --stop --shm \"$2\"\n"
        "find /tmp -mindepth 1 -printf '%M %p\\n'").arg(planted);
    // Its programs are reachable through a descriptor, wherever they lie.
    QProcess process;
    process.start("unshare", {"--map-root-user", "--mount", "sh", "-c",
                              "exec 9< \"$1\"; shift; set -- /proc/self/fd/9 \"$@\"\n" + script, "sh",
                              tutti::test::nodeProgram(), QString::fromStdString(name)});
    QVERIFY(process.waitForFinished(20'000));
    const QString found = QString::fromUtf8(process.readAllStandardOutput());
    const QString said = found + QString::fromUtf8(process.readAllStandardError());
    const QRegularExpression log("^-rw------- (/tmp/tutti-0[^/]*)/rti-" +
                                     QRegularExpression::escape(QString::fromStdString(name)) + "\\.log$",
                                 QRegularExpression::MultilineOption);
    const auto match = log.match(found);
    QVERIFY2(match.hasMatch(), qPrintable(said));
    QVERIFY2(found.contains("drwx------ " + match.captured(1) + "\n"), qPrintable(said));
    QCOMPARE(match.captured(1) == "/tmp/tutti-0", planted.isEmpty());
  }

  void wrongUseIsExplained_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown") << QStringList{"--fast"} << "'--fast' is no option";
    QTest::newRow("no name") << QStringList{"--shm"} << "--shm needs a name";
    QTest::newRow("no number") << QStringList{"--linger", "long"} << "--linger needs a number";
    QTest::newRow("negative") << QStringList{"--linger", "-1"} << "--linger needs a number";
  }
  void wrongUseIsExplained() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, says);
    NodeProcess node;
    const auto ran = node.run(arguments);
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
  }

  void impossibleSettingsAreExplained() {
    NodeProcess node;
    node.environment().insert("TUTTI_MEMORY", "plenty");
    const auto memory = node.run({"--daemon", "--shm", QString::fromStdString(uniqueNode("env"))});
    QCOMPARE(memory.code, 1);
    QVERIFY2(memory.err.contains("TUTTI_MEMORY is 'plenty'"), qPrintable(memory.err));
    node.environment().remove("TUTTI_MEMORY");
    const auto name = node.run({"--daemon", "--shm", QString(200, 'x')});
    QCOMPARE(name.code, 1);
    QVERIFY2(name.err.contains("cannot name an RTI node"), qPrintable(name.err));
  }

  void theBudgetIsRefusedByName() {
    NodeProcess node;
    node.environment().insert("TUTTI_MEMORY", "2M");
    const std::string name = uniqueNode("budget");
    QVERIFY(node.start(name));
    auto federate = Ambassador::connect(name);
    QVERIFY(federate && federate->hello());
    QVERIFY(federate->create("world").ok());
    QVERIFY(federate->join("world", "greedy").ok());
    QVERIFY(federate->ask<AllocateReply>(Request::Allocate, AllocateRequest{65536, Purpose::Chunk})
                .ok());
    const auto refused =
        federate->ask<AllocateReply>(Request::Allocate, AllocateRequest{4 << 20, Purpose::Chunk});
    QCOMPARE(refused.head.refusal, Refusal::OutOfMemory);
    const QString message = QString::fromStdString(refused.head.message);
    QVERIFY2(message.contains("'greedy'") && message.contains("2 MiB") &&
                 message.contains("TUTTI_MEMORY"),
             qPrintable(message));
    QVERIFY(federate->ask(Request::Resign, ResignRequest{}).ok());
  }

  void modulesAreReadAndTheirFaultsNamed_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("refusal");
    QTest::addColumn<QByteArray>("says");
    const QByteArray head =
        "<?xml version=\"1.0\"?>\n<objectModel "
        "xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n";
    const QByteArray classA =
        "<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>A</name>"
        "<sharing>PublishSubscribe</sharing><attribute><name>x</name><order>Receive</order>"
        "<transportation>HLAreliable</transportation></attribute></objectClass></objectClass>"
        "</objects>";
    QTest::newRow("a module") << head + classA + "</objectModel>" << int(Refusal::None)
                              << QByteArray();
    QTest::newRow("not closed") << head + classA << int(Refusal::ErrorReadingFDD)
                                << QByteArray("test.xml:");
    QTest::newRow("no model") << QByteArray("Flight\nTrack\n") << int(Refusal::ErrorReadingFDD)
                              << QByteArray("test.xml");
    QTest::newRow("empty") << QByteArray() << int(Refusal::ErrorReadingFDD)
                           << QByteArray("test.xml");
  }
  void modulesAreReadAndTheirFaultsNamed() {
    QFETCH(QByteArray, content);
    QFETCH(int, refusal);
    QFETCH(QByteArray, says);
    NodeProcess node;
    const std::string name = uniqueNode("fom");
    QVERIFY(node.start(name));
    auto federate = Ambassador::connect(name);
    QVERIFY(federate && federate->hello());
    const auto* data = reinterpret_cast<const std::byte*>(content.constData());
    const ModuleBytes module{"test.xml", Bytes(data, data + content.size())};
    const auto created = federate->create("world", {module});
    QVERIFY(created.answered);
    QCOMPARE(static_cast<int>(created.head.refusal), refusal);
    QVERIFY2(QByteArray::fromStdString(created.head.message).contains(says),
             created.head.message.c_str());
    if (refusal == 0) {
      QVERIFY(federate->join("world", "a").ok());
      QVERIFY(federate->joined.modelBytes > 1000);  // with the MIM
      QVERIFY(federate->arena.at(federate->joined.model, federate->joined.modelBytes) != nullptr);
    }
  }

  void aLongModuleArrivesWhole() {
    NodeProcess node;
    const std::string name = uniqueNode("long");
    QVERIFY(node.start(name));
    auto federate = Ambassador::connect(name);
    QVERIFY(federate && federate->hello());
    QByteArray content =
        "<?xml version=\"1.0\"?>\n<objectModel "
        "xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n<!--";
    content += QByteArray(3 << 20, 'x') + "--><objects><objectClass><name>Wrong</name></objects>";
    const auto* data = reinterpret_cast<const std::byte*>(content.constData());
    const auto created =
        federate->create("world", {{"long.xml", Bytes(data, data + content.size())}});
    QVERIFY(created.answered);
    QCOMPARE(created.head.refusal, Refusal::ErrorReadingFDD);
    QVERIFY2(QString::fromStdString(created.head.message).contains("long.xml:3"),
             created.head.message.c_str());
  }

  void aKilledNodeLeavesNothing() {
    NodeProcess node;
    const std::string name = uniqueNode("killed");
    QVERIFY(node.start(name));
    auto federate = Ambassador::connect(name);
    QVERIFY(federate && federate->hello());
    node.process().kill();
    QVERIFY(node.process().waitForFinished(10000));
    QVERIFY(federate->endpoint().closedByPeer());
    // The name is free at once.
    NodeProcess next;
    QVERIFY(next.start(name));
    QVERIFY(nodeAnswers(name));
  }
};

/// "--federate NODE NAME": joins 'world' and stays until it is killed.
static int beFederate(const char* node, const char* name) {
  auto federate = Ambassador::connect(node);
  if (!federate || !federate->hello() || !federate->join("world", name).ok()) return 1;
  if (::write(STDOUT_FILENO, "joined\n", 7) != 7) return 1;
  for (;;) ::pause();
}

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--federate") return beFederate(argv[2], argv[3]);
  QCoreApplication application(argc, argv);
  TestNodeProcess test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_node_process.moc"
