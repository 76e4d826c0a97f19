// SPDX-License-Identifier: GPL-3.0-or-later
// What linked nodes send each other does not go through their home, and what a federate sees is in
// the same order as if it did.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

#include "fabric/endpoint.h"
#include "pipes/tcp_pipe.h"
#include "recorder.h"
#include "router/link_protocol.h"
#include "router/mesh_protocol.h"

using namespace rti1516e;
using tutti::fabric::UniqueFd;

namespace {

/// A way to a port of this machine on which everything takes its time, in both directions.
class SlowWay {
 public:
  SlowWay(std::uint16_t to, std::chrono::milliseconds delay) : to_(to), delay_(delay) {
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in own = at(0);
    socklen_t bytes = sizeof own;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&own), bytes);
    ::listen(listener_.get(), SOMAXCONN);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &bytes);
    port_ = ntohs(own.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~SlowWay() {
    ended_ = true;
    thread_.join();
  }
  std::uint16_t port() const { return port_; }
  std::size_t passed() const { return passed_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    Clock::time_point due;
    QByteArray bytes;
  };
  struct Connection {
    std::array<UniqueFd, 2> ends;
    std::array<std::deque<Piece>, 2> on;  ///< from that end to the other
    bool open = true;
  };
  static sockaddr_in at(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  void accept() {
    Connection connection;
    connection.ends[0] = UniqueFd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    connection.ends[1] = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in there = at(to_);
    ::connect(connection.ends[1].get(), reinterpret_cast<const sockaddr*>(&there), sizeof there);
    connections_.push_back(std::move(connection));
  }
  void move(Connection& connection, std::size_t from) {
    char bytes[65536];
    const ssize_t count = ::recv(connection.ends[from].get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count == 0) connection.open = false;
    if (count > 0) connection.on[from].push_back({Clock::now() + delay_, {bytes, count}});
    auto& waiting = connection.on[from];
    while (!waiting.empty() && waiting.front().due <= Clock::now()) {
      const QByteArray piece = waiting.front().bytes;
      waiting.pop_front();
      ::send(connection.ends[1 - from].get(), piece.data(), std::size_t(piece.size()),
             MSG_NOSIGNAL);
      passed_ += std::size_t(piece.size());
    }
  }
  void run() {
    while (!ended_) {
      std::vector<pollfd> polls{{listener_.get(), POLLIN, 0}};
      for (const Connection& one : connections_) {
        for (const UniqueFd& end : one.ends) polls.push_back({end.get(), POLLIN, 0});
      }
      ::poll(polls.data(), polls.size(), 2);
      if ((polls[0].revents & POLLIN) != 0) accept();
      for (Connection& one : connections_) {
        for (std::size_t from = 0; from < 2; ++from) move(one, from);
      }
      std::erase_if(connections_, [](const Connection& one) { return !one.open; });
    }
  }

  std::uint16_t to_;
  std::chrono::milliseconds delay_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::vector<Connection> connections_;
  std::atomic<bool> ended_ = false;
  std::atomic<std::size_t> passed_ = 0;
  std::thread thread_;
};

/// Ports at which a process listens for TCP connections.
QList<std::uint16_t> portsOf(int pid) {
  QStringList sockets;
  const QDir descriptors(QString("/proc/%1/fd").arg(pid));
  for (const QFileInfo& one :
       descriptors.entryInfoList(QDir::System | QDir::Files | QDir::NoDotAndDotDot)) {
    char target[64] = {};
    if (::readlink(one.filePath().toUtf8().constData(), target, sizeof target - 1) > 0) {
      sockets << QString::fromUtf8(target);
    }
  }
  QList<std::uint16_t> ports;
  QFile table(QString("/proc/%1/net/tcp").arg(pid));
  if (!table.open(QIODevice::ReadOnly)) return ports;
  for (const QByteArray& line : table.readAll().split('\n')) {
    const QStringList words = QString::fromUtf8(line).split(' ', Qt::SkipEmptyParts);
    constexpr int inode = 9;
    if (words.size() <= inode || words[3] != "0A") continue;
    if (!sockets.contains("socket:[" + words[inode] + "]")) continue;
    ports << words[1].section(':', 1).toUShort(nullptr, 16);
  }
  return ports;
}

}  // namespace

class tst_mesh : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  std::unique_ptr<SlowWay> slow_;
  QString federation_;

  void enter(Recorder& recorder, int host) { nodes_->enter(recorder, host, federation_); }
  /// At host 2, whose way to the home and back is slow.
  void enterSlow(Recorder& recorder) {
    if (!slow_) {
      const auto port = nodes_->address().section(':', -1).toUShort();
      slow_ = std::make_unique<SlowWay>(port, std::chrono::milliseconds(100));
    }
    nodes_->connectAt(recorder, 2,
                      QString("tcp:127.0.0.1:%1/%2").arg(slow_->port()).arg(nodes_->nodeName(2)));
    recorder.join(federation_);
  }

 private slots:
  void init() {
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("mesh"), 3);
    federation_ = uniqueName("straight");
  }
  void cleanup() {
    nodes_.reset();
    slow_.reset();
  }

  void dataFlowsWhileTheHomeStands();
  void instancesWithASlowHome();
  void ownershipWithASlowHome();
  void synchronizationWithASlowHome();
  void aNodeThatHangs();
  void aNodeIsKilledWhileItSends();
  void strangersAreRefused();
  void theHomeKnowsWhatTheLinkCarries();
};

/// What the node of a host says of the link between those of hosts 1 and 2: what each of the ends
/// that it knows has sent, by the name of the node. Nothing: it knows of no such link.
QMap<QString, QJsonObject> linkEndsAt(const LinkedNodes& nodes, int host) {
  QMap<QString, QJsonObject> ends;
  const auto status = QJsonDocument::fromJson(nodes.status(host, {"--json"})).object();
  const QJsonArray links = status["nodes"].toArray().first().toObject()["neighbourLinks"].toArray();
  if (links.size() > 1) qFatal("there are but two linked nodes");
  for (const auto& link : links) {
    for (const auto& end : link.toObject()["ends"].toArray()) {
      if (end.toObject()["told"].toBool()) ends[end.toObject()["peer"].toString()] = end.toObject();
    }
  }
  return ends;
}

void tst_mesh::dataFlowsWhileTheHomeStands() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  for (Recorder* r : {&a, &b}) {
    r->publish("Vehicle", {"position"});
    r->publishInteraction("Message");
  }
  for (Recorder* r : {&a, &b, &c}) {
    r->subscribe("Vehicle", {"position"});
    r->subscribeInteraction("Message");
  }
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  QVERIFY(nodes_->untilStraight(a, b));
  ::kill(pid_t(nodes_->homePid()), SIGSTOP);
  a.clearLog();
  for (int i = 0; i < 1000; ++i) {
    a.update(car, "Vehicle", {{"position", QByteArray::number(i)}});
    b.send("Message", {{"text", QByteArray::number(i)}});
  }
  const bool arrived = b.expect("reflect", 1000, 5000) && a.expect("receive Message", 1000, 5000);
  const int atHome = c.count("reflect");
  ::kill(pid_t(nodes_->homePid()), SIGCONT);
  QVERIFY(arrived);
  QCOMPARE(atHome, 0);
  QVERIFY(c.expect("reflect", 1000));
  const QStringList lines = b.linesWith("reflect");
  for (int i = 0; i < 1000; ++i) QVERIFY(lines[i].contains(QString("position=%1").arg(i)));
  a.rti().deleteObjectInstance(car, VariableLengthData());
  QVERIFY(b.expect("remove"));
}

// Of what the home passes on late nothing is known at first: data waits for it.
void tst_mesh::instancesWithASlowHome() {
  Recorder a("a"), b("b");
  enter(a, 1);
  enterSlow(b);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  b.subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  for (int i = 0; i < 100; ++i) {
    const auto car = a.registerInstance("Vehicle");
    for (int n = 0; n < 3; ++n) a.update(car, "Vehicle", {{"position", QByteArray::number(n)}});
    a.rti().deleteObjectInstance(car, VariableLengthData());
  }
  QVERIFY(b.expect("remove", 100));
  const QStringList log = b.log();
  QCOMPARE(log.size(), 500);
  for (int i = 0; i < 500; ++i) {
    const QString kind = i % 5 == 0 ? "discover" : i % 5 == 4 ? "remove" : "reflect";
    QVERIFY2(log[i].startsWith(kind), qPrintable(log[i]));
  }
  QVERIFY(slow_->passed() > 1000);
}

// Who has given away an attribute reflects what its new owner sends.
void tst_mesh::ownershipWithASlowHome() {
  Recorder a("a"), b("b");
  enter(a, 1);
  enterSlow(b);
  for (Recorder* r : {&a, &b}) {
    r->publish("Vehicle", {"position"});
    r->subscribe("Vehicle", {"position"});
  }
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  const auto car = b.registerInstance("Vehicle");
  QVERIFY(a.expect("discover"));
  const auto position = a.attributes("Vehicle", {"position"});
  Recorder* owner = &b;
  Recorder* other = &a;
  for (int round = 0; round < 4; ++round) {
    other->clearLog();
    other->rti().attributeOwnershipAcquisition(car, position, VariableLengthData());
    // At the slow host it takes its time to return; the other one learns of it at once.
    std::thread divests(
        [&] { owner->rti().unconditionalAttributeOwnershipDivestiture(car, position); });
    const bool got = other->pumpUntil(
        [&] { return other->rti().isAttributeOwnedByFederate(car, *position.begin()); });
    other->update(car, "Vehicle", {{"position", QByteArray::number(round)}});
    divests.join();
    QVERIFY(got);
    QVERIFY(owner->expect("reflect"));
    QVERIFY(owner->log().filter("reflect").last().contains(QString("position=%1").arg(round)));
    owner->clearLog();
    std::swap(owner, other);
  }
}

// What somebody sends because he was told something does not come before others can be told.
void tst_mesh::synchronizationWithASlowHome() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(c, 0);
  enterSlow(b);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  for (int round = 0; round < 3; ++round) {
    const std::wstring label = std::to_wstring(round);
    c.rti().registerFederationSynchronizationPoint(label, VariableLengthData());
    for (Recorder* r : {&a, &b, &c}) QVERIFY(r->expect(QString("announce %1").arg(round)));
    for (Recorder* r : {&a, &b}) r->rti().synchronizationPointAchieved(label);
    b.clearLog();
    std::thread last([&] { c.rti().synchronizationPointAchieved(label); });
    const bool told = a.expect(QString("synchronized %1").arg(round));
    a.send("Message", {{"text", "go"}});
    const bool arrived = b.expect("receive Message");
    b.pump();
    const int known = b.count("synchronized");
    last.join();
    QVERIFY(told && arrived);
    QCOMPARE(known, 1);
  }
}

// A node that does not get to run for a while misses nothing, and nothing comes to it twice.
void tst_mesh::aNodeThatHangs() {
  Recorder a("a"), b("b");
  enter(a, 1);
  enter(b, 2);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  const auto send = [&](int from) {
    for (int i = from; i < from + 1000; ++i) a.send("Message", {{"text", QByteArray::number(i)}});
  };
  const int node = nodes_->nodePid(2);
  ::kill(node, SIGSTOP);
  send(0);
  // Until the other one thinks that it will not come back, on that way.
  b.pumpFor(6500);
  QCOMPARE(b.count("receive Message"), 0);
  ::kill(node, SIGCONT);
  send(1000);
  QVERIFY(b.expect("receive Message", 2000));
  const QStringList lines = b.linesWith("receive Message");
  for (int i = 0; i < 2000; ++i) QCOMPARE(lines[i], QString("receive Message text=%1").arg(i));
}

void tst_mesh::aNodeIsKilledWhileItSends() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  a.publish("Vehicle", {"position"});
  a.publishInteraction("Message");
  for (Recorder* r : {&b, &c}) r->subscribe("Vehicle", {"position"});
  b.subscribeInteraction("Message");
  a.rti().setAutomaticResignDirective(DELETE_OBJECTS_THEN_DIVEST);
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(nodes_->untilStraight(a, b));
  for (int i = 0; i < 5000; ++i) a.update(car, "Vehicle", {{"position", QByteArray::number(i)}});
  ::kill(nodes_->nodePid(1), SIGKILL);
  // All that arrives comes before the end, without a gap.
  for (Recorder* r : {&b, &c}) {
    QVERIFY(r->expect("remove"));
    r->pumpUntil([] { return false; }, 100);
    QVERIFY(r->log().last().startsWith("remove"));
    const QStringList lines = r->linesWith("reflect");
    for (int i = 0; i < lines.size(); ++i) {
      QVERIFY(lines[i].contains(QString("position=%1").arg(i)));
    }
  }
  // And nobody waits for what will never come.
  b.publishInteraction("Message");
  c.subscribeInteraction("Message");
  b.send("Message", {{"text", "still here"}});
  QVERIFY(c.expect("receive Message"));
}

// Who was not introduced by the home says nothing here.
void tst_mesh::strangersAreRefused() {
  using namespace tutti;
  Recorder a("a"), b("b");
  enter(a, 1);
  enter(b, 2);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  QVERIFY(nodes_->untilStraight(a, b));
  const auto ports = portsOf(nodes_->nodePid(2));
  QCOMPARE(ports.size(), 1);
  fabric::RecordHead record{};
  record.bytes = sizeof record;
  fabric::Bytes frame = fabric::toWire(router::FrameHead{1, 0, {}, 1});
  fabric::WireWriter writer(frame);
  writer(std::uint64_t{0}, std::uint32_t{sizeof record});
  frame.resize(frame.size() + sizeof record);
  fabric::Bytes unasked = router::linkMessage(router::LinkMessage::Frame, 0);
  unasked.insert(unasked.end(), frame.begin(), frame.end());
  for (const fabric::Bytes& said :
       {router::linkMessage(router::LinkMessage::NeighbourHello, 0,
                            router::NeighbourHello{1, 4711}),
        unasked, fabric::Bytes(3)}) {
    auto pipe = pipes::TcpPipe::connect({"127.0.0.1", ports.first()}, {},
                                        pipes::Clock::now() + std::chrono::seconds(5));
    QVERIFY(pipe.has_value());
    (*pipe)->send(said);
    QVERIFY((*pipe)->flush().has_value());
    QTRY_VERIFY(!(*pipe)->receive([](auto) {}).has_value());
  }
  a.send("Message", {{"text", "still straight"}});
  QVERIFY(b.expect("receive Message"));
  QVERIFY(nodes_->untilStraight(a, b));
}

// Data between two linked nodes passes by the home, which is told how much it is all the same.
void tst_mesh::theHomeKnowsWhatTheLinkCarries() {
  // The home lets go of a node that hangs after its grace, and until then all must have been seen.
  const QByteArray options = qgetenv("TUTTI_TEST_HOME");
  qputenv("TUTTI_TEST_HOME", options + " --grace 40");
  nodes_.reset();
  nodes_ = std::make_unique<LinkedNodes>(uniqueName("mesh"), 3);
  qputenv("TUTTI_TEST_HOME", options);
  Recorder a("a"), b("b");
  enter(a, 1);
  enter(b, 2);
  for (Recorder* r : {&a, &b}) {
    r->publishInteraction("Message");
    r->subscribeInteraction("Message");
  }
  QVERIFY(nodes_->untilStraight(a, b));
  const QString nodeOfA = nodes_->nodeName(1), nodeOfB = nodes_->nodeName(2);
  const auto sent = [&](int atHost, const QString& node) {
    return linkEndsAt(*nodes_, atHost).value(node)["messagesSent"].toInteger(-1);
  };
  const auto agrees = [&](int host, const QString& node, qint64 least) {
    const auto own = sent(host, node);
    return own >= least && sent(0, node) == own;
  };
  b.clearLog();
  for (int i = 0; i < 3000; ++i) a.send("Message", {{"text", QByteArray(100, 'x')}});
  QVERIFY(b.expect("receive Message", 3000));
  QTRY_VERIFY_WITH_TIMEOUT(agrees(1, nodeOfA, 3000) && agrees(2, nodeOfB, 0), 30'000);
  const auto ends = linkEndsAt(*nodes_, 0);
  QCOMPARE(ends.size(), 2);
  QVERIFY(ends[nodeOfA]["bytesSent"].toInteger() >= 300'000);
  QVERIFY(ends[nodeOfA]["messagesSent"].toInteger() >
          ends[nodeOfB]["messagesSent"].toInteger() + 2000);
  for (const QJsonObject& end : ends) {
    QCOMPARE(end["way"].toString(), "direct");
    QVERIFY(end["roundTripMicroseconds"].toInteger() > 0);
    QVERIFY(end["node"].toString().startsWith("127.0.0.1:"));
  }
  QVERIFY2(nodes_->status(0).contains("link between node '" + nodeOfA.toUtf8()), nodes_->status(0));

  // A node that hangs: its figures are old, and the other's connection breaks.
  const int node = nodes_->nodePid(2);
  const qint64 before = sent(0, nodeOfA);
  ::kill(node, SIGSTOP);
  const auto broken = [&] {
    const auto now = linkEndsAt(*nodes_, 0);
    return now[nodeOfA]["way"].toString() == "broken" &&
           now[nodeOfB]["ageMilliseconds"].toInteger() > 3000 &&
           now[nodeOfA]["ageMilliseconds"].toInteger() <
               now[nodeOfB]["ageMilliseconds"].toInteger();
  };
  const bool isShown = QTest::qWaitFor(broken, 30'000);
  const auto last = linkEndsAt(*nodes_, 0)[nodeOfB];
  ::kill(node, SIGCONT);
  QVERIFY(isShown);
  QCOMPARE(last["way"].toString(), "direct");
  // Another connection, and the counts go on.
  QTRY_COMPARE_WITH_TIMEOUT(linkEndsAt(*nodes_, 0)[nodeOfA]["way"].toString(), "direct", 30'000);
  QVERIFY(nodes_->untilStraight(a, b));
  b.clearLog();
  for (int i = 0; i < 100; ++i) a.send("Message", {{"text", "more"}});
  QVERIFY(b.expect("receive Message", 100));
  QTRY_VERIFY_WITH_TIMEOUT(agrees(1, nodeOfA, before + 100), 30'000);

  // What is gone has no links.
  ::kill(node, SIGKILL);
  QTRY_VERIFY_WITH_TIMEOUT(linkEndsAt(*nodes_, 0).isEmpty(), 60'000);
  QTRY_VERIFY_WITH_TIMEOUT(linkEndsAt(*nodes_, 1).isEmpty(), 60'000);
}

QTEST_GUILESS_MAIN(tst_mesh)
#include "tst_mesh.moc"
