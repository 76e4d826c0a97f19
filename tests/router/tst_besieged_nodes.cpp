// SPDX-License-Identifier: GPL-3.0-or-later
// Strangers at the port where nodes listen for others: they get nothing, take little, and the
// federates go on. And who is linked may ask what a federate of another host needs, and no more.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QtTest>
#include <atomic>
#include <random>
#include <thread>

#include "federates/process.h"
#include "observe/node_client.h"
#include "pipes/datagram.h"
#include "pipes/session_pipe.h"
#include "recorder.h"
#include "router/link_protocol.h"

using namespace rti1516e;
using tutti::fabric::Bytes;
using tutti::fabric::Request;
using tutti::fabric::UniqueFd;
using tutti::observe::NodeClient;

namespace {

constexpr int messages = 300;

sockaddr_in addressOf(const QString& text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(text.section(':', 1).toUShort());
  ::inet_pton(AF_INET, qPrintable(text.section(':', 0, 0)), &address.sin_addr);
  return address;
}

UniqueFd rawConnection(const QString& address) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = addressOf(address);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return {};
  return socket;
}

/// Memory of a process that is its own, in KiB.
qint64 memoryOf(qint64 pid) {
  QFile file(QString("/proc/%1/status").arg(pid));
  if (!file.open(QIODevice::ReadOnly)) qFatal("no process %lld", static_cast<long long>(pid));
  for (const QByteArray& line : file.readAll().split('\n')) {
    if (line.startsWith("RssAnon:")) return line.mid(8).trimmed().split(' ').first().toLongLong();
  }
  qFatal("no memory is shown");
}

/// The address sanitizer takes more for each piece of memory, and keeps some of what is freed.
#if defined(__SANITIZE_ADDRESS__)
constexpr qint64 memoryFactor = 4;
#else
constexpr qint64 memoryFactor = 1;
#endif

int descriptorsOf(qint64 pid) {
  return static_cast<int>(QDir(QString("/proc/%1/fd").arg(pid)).entryList().size());
}

/// Connects again and again, holds as many connections as it gets, says what nobody expects, and
/// sends datagrams.
class Siege {
 public:
  explicit Siege(QString address) : address_(std::move(address)), thread_([this] { run(); }) {}
  ~Siege() {
    ended_ = true;
    thread_.join();
  }
  int connections() const { return connections_; }

 private:
  void run() {
    std::mt19937 random(3);
    const UniqueFd datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in to = addressOf(address_);
    std::vector<UniqueFd> held;
    while (!ended_) {
      held.push_back(rawConnection(address_));
      if (held.back()) ++connections_;
      Bytes bytes(random() % 3 == 0 ? 0 : random() % 6000);
      for (auto& one : bytes) one = static_cast<std::byte>(random());
      if (random() % 3 == 0 && bytes.size() > 8) {
        const std::uint32_t greatLength = 1 << 30;
        std::memcpy(bytes.data(), &greatLength, sizeof greatLength);
      }
      if (held.back() && !bytes.empty()) {
        ::send(held.back().get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      }
      tutti::pipes::DatagramHead head;
      head.kind = static_cast<tutti::pipes::DatagramKind>(random() % 7);
      head.token = random();
      bytes.resize(std::max(bytes.size(), sizeof head));
      std::memcpy(bytes.data(), &head, sizeof head);
      ::sendto(datagrams.get(), bytes.data(), std::min<std::size_t>(bytes.size(), 1400),
               MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), sizeof to);
      if (held.size() > 150) held.erase(held.begin(), held.begin() + 50);
      std::this_thread::yield();
    }
  }

  QString address_;
  std::atomic<bool> ended_ = false;
  std::atomic<int> connections_ = 0;
  std::thread thread_;
};

}  // namespace

class tst_besieged_nodes : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;

  void open(bool key) {
    if (key) {
      qputenv("TUTTI_TEST_KEY", "1");
    } else {
      qunsetenv("TUTTI_TEST_KEY");
    }
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("besieged"), 2, std::nullopt);
    federation_ = uniqueName("far");
  }
  bool nodeAnswers() {
    auto client = NodeClient::connect(nodes_->nodeName(0).toStdString());
    return client && client->status().has_value();
  }

 private slots:
  void initTestCase() {
    // The address sanitizer keeps what is freed, 256 MiB of it if it is not told otherwise.
    qputenv("ASAN_OPTIONS", qgetenv("ASAN_OPTIONS") + ":quarantine_size_mb=4");
  }
  void cleanup() {
    nodes_.reset();
    qunsetenv("TUTTI_TEST_KEY");
    qunsetenv("TUTTI_MEMORY");
  }
  void onlyWhatALinkedFederateNeedsIsAnswered();
  void federatesGoOn_data();
  void federatesGoOn();
  void withoutDescriptorsLocalFederatesConnect();
  void aNodeThatDoesNotReadFillsNoMoreThanTheBudget();
  void whoFillsTheBudgetOfItsNodeLosesItsConnection();
};

void tst_besieged_nodes::onlyWhatALinkedFederateNeedsIsAnswered() {
  using namespace tutti;
  open(false);
  Recorder a("a");
  nodes_->enter(a, 0, federation_);
  pipes::Greeting greeting;
  greeting.node = "stranger";
  const QString address = nodes_->address();
  auto link = pipes::SessionPipe::connect(
      {address.section(':', 0, 0).toStdString(), address.section(':', 1).toUShort()}, greeting,
      pipes::Clock::now() + std::chrono::seconds(10));
  QVERIFY(link.has_value());
  std::vector<router::Forwarded> answers;
  const auto turn = [&] {
    (void)(*link)->tick(pipes::Clock::now());
    (void)(*link)->flush();
    return (*link)
        ->receive([&](auto message) {
          router::LinkHead head;
          router::Forwarded answer;
          if (router::readLinkHead(message, head) &&
              head.kind == router::LinkMessage::RequestAnswered &&
              fabric::fromWire(message.subspan(router::linkHeadBytes), answer)) {
            answers.push_back(std::move(answer));
          }
        })
        .has_value();
  };
  std::uint64_t number = 0;
  const auto ask = [&](Request request, const Bytes& body) {
    fabric::RequestHead head;
    head.request = request;
    head.number = ++number;
    Bytes datagram = fabric::toWire(head);
    datagram.insert(datagram.end(), body.begin(), body.end());
    (*link)->send(router::linkMessage(router::LinkMessage::RequestMade, 0,
                                      router::Forwarded{1, datagram, false}));
  };
  const std::string federation = federation_.toStdString();
  const std::vector<std::pair<Request, Bytes>> forbidden{
      {Request::Stop, {}},
      {Request::Status, {}},
      {Request::Hello, fabric::toWire(fabric::HelloRequest{})},
      {Request::Observe, fabric::toWire(fabric::FederationNameRequest{federation})},
      {Request::HoldTime, fabric::toWire(fabric::HoldTimeRequest{federation, true, 1})},
      {Request::SetPace, fabric::toWire(fabric::SetPaceRequest{federation, 1})},
      {Request::OperateResign,
       fabric::toWire(fabric::OperateResignRequest{federation, {}, false, 0})},
      {Request::OperateAdjust,
       fabric::toWire(fabric::OperateAdjustRequest{
           federation, {}, fabric::adjustment::autoProvide, fabric::adjustment::autoProvide, 0})},
      {Request::OperateLink,
       fabric::toWire(fabric::OperateLinkRequest{"10.0.0.1:7400", 1, true, 0})},
      {Request::OpenRing, fabric::toWire(fabric::OpenRingRequest{1, 4096, 0})},
      {Request::Allocate, fabric::toWire(fabric::AllocateRequest{1 << 20})},
      {Request::Free, fabric::toWire(fabric::FreeRequest{4096})},
      {Request::MomAttach, {}},
      {Request::MomCommand, {}}};
  // Before anybody has been introduced: no answer at all.
  for (const auto& [request, body] : forbidden) ask(request, body);
  (*link)->send(router::linkMessage(
      router::LinkMessage::ConnectionOpened, 0,
      router::ConnectionOpened{1, 4711, "stranger", "elsewhere"}));
  ask(Request::ListFederations, {});
  QTRY_VERIFY(turn() && !answers.empty());
  QCOMPARE(answers.size(), std::size_t{1});
  answers.clear();
  for (const auto& [request, body] : forbidden) ask(request, body);
  QTRY_VERIFY(turn() && answers.size() == forbidden.size());
  for (const auto& answer : answers) {
    fabric::ReplyHead head;
    fabric::WireReader reader(answer.datagram);
    reader(head);
    QVERIFY(head.refusal == fabric::Refusal::Internal);
    QVERIFY2(head.message.find("not accepted from another host") != std::string::npos,
             head.message.c_str());
  }
  QVERIFY(nodeAnswers());
  // What a federate of another host needs is answered.
  answers.clear();
  ask(Request::ListFederations, {});
  QTRY_VERIFY(turn() && answers.size() == 1);
}

void tst_besieged_nodes::federatesGoOn_data() {
  QTest::addColumn<bool>("key");
  QTest::newRow("with a key") << true;
  QTest::newRow("over the loopback device, without") << false;
}

void tst_besieged_nodes::federatesGoOn() {
  QFETCH(bool, key);
  open(key);
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.publishInteraction("Message");
  a.subscribeInteraction("Message");
  const qint64 before = memoryOf(nodes_->homePid());
  constexpr qint64 mostKilobytes = 16 * 1024 * memoryFactor;
  {
    Siege siege(nodes_->address());
    for (int i = 0; i < messages || siege.connections() < 500; ++i) {
      a.send("Message", {{"text", QByteArray::number(i)}});
      QVERIFY(b.expect("receive Message", i + 1));
      b.send("Message", {{"text", QByteArray::number(i)}});
      QVERIFY(a.expect("receive Message", i + 1));
      QVERIFY2(memoryOf(nodes_->homePid()) - before < mostKilobytes,
               qPrintable(QString::number(memoryOf(nodes_->homePid()) - before)));
    }
    // A federate comes in the middle of it, on both hosts.
    Recorder c("c"), d("d");
    nodes_->enter(c, 0, federation_);
    nodes_->enter(d, 1, federation_);
    qInfo("%d connections, %lld KiB more", siege.connections(),
          static_cast<long long>(memoryOf(nodes_->homePid()) - before));
  }
  const QStringList lines = b.linesWith("receive Message");
  for (int i = 0; i < lines.size(); ++i) {
    QCOMPARE(lines[i], QString("receive Message text=%1").arg(i));
  }
  // Those who still wait are turned away.
  const int usual = descriptorsOf(nodes_->homePid());
  QVERIFY(usual < 100);
}

void tst_besieged_nodes::withoutDescriptorsLocalFederatesConnect() {
  open(true);
  Recorder a("a");
  nodes_->enter(a, 0, federation_);
  const auto home = static_cast<pid_t>(nodes_->homePid());
  rlimit before{};
  QCOMPARE(::prlimit(home, RLIMIT_NOFILE, nullptr, &before), 0);
  const rlimit few{rlim_t(descriptorsOf(home) + 12), before.rlim_max};
  QCOMPARE(::prlimit(home, RLIMIT_NOFILE, &few, nullptr), 0);
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 40; ++i) strangers.push_back(rawConnection(nodes_->address()));
  QTRY_VERIFY(descriptorsOf(home) >= int(few.rlim_cur) - 3);
  // It does not spin: most of a second is left to others.
  const qint64 ticks = federates::processorTicks(home);
  QTest::qWait(1000);
  QVERIFY(federates::processorTicks(home) - ticks < ::sysconf(_SC_CLK_TCK) / 2);
  // Federates of its host find room.
  Recorder b("b");
  nodes_->enter(b, 0, federation_);
  b.publishInteraction("Message");
  a.subscribeInteraction("Message");
  b.send("Message", {{"text", "here"}});
  QVERIFY(a.expect("receive Message"));
  QCOMPARE(::prlimit(home, RLIMIT_NOFILE, &before, nullptr), 0);
}

/// It is no stranger, but stands still for a while: its senders wait, and then all arrives.
void tst_besieged_nodes::aNodeThatDoesNotReadFillsNoMoreThanTheBudget() {
  constexpr qint64 mostKilobytes = 24 * 1024 * memoryFactor;
  constexpr int many = 1500;
  qputenv("TUTTI_MEMORY", "48M");
  open(false);
  Recorder b("b");
  nodes_->enter(b, 1, federation_);
  b.subscribe("Vehicle", {"position"});
  b.quiet = true;
  void* const shared = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  QVERIFY(shared != MAP_FAILED);
  auto& sent = *new (shared) std::atomic<int>(0);
  int go[2], ready[2];
  QCOMPARE(::pipe(go), 0);
  QCOMPARE(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Recorder a("a");
    nodes_->enter(a, 0, federation_);
    a.publish("Vehicle", {"position"});
    const auto car = a.registerInstance("Vehicle");
    char byte = '!';
    if (::write(ready[1], &byte, 1) != 1 || ::read(go[0], &byte, 1) != 1) ::_exit(1);
    for (int i = 0; i < many; ++i) {
      a.update(car, "Vehicle", {{"position", QByteArray(64 * 1024, 'x')}});
      ++sent;
    }
    if (::read(go[0], &byte, 1) != 1) ::_exit(1);
    ::_exit(0);
  }
  char byte = '!';
  QCOMPARE(::read(ready[0], &byte, 1), ssize_t{1});
  const qint64 before = memoryOf(nodes_->homePid());
  const int standing = nodes_->nodePid(1);
  QCOMPARE(::kill(standing, SIGSTOP), 0);
  QCOMPARE(::write(go[1], &byte, 1), ssize_t{1});
  // Until the sender waits.
  for (int last = -1; last != sent || last == 0;) {
    last = sent;
    QTest::qWait(500);
  }
  const qint64 more = memoryOf(nodes_->homePid()) - before;
  const int waits = sent;
  QCOMPARE(::kill(standing, SIGCONT), 0);
  qInfo("%d of %d are sent, %lld KiB more in the home", waits, many,
        static_cast<long long>(more));
  QVERIFY(waits < many);
  QVERIFY2(more < mostKilobytes, qPrintable(QString::number(more)));
  QVERIFY(b.pumpUntil([&] { return b.reflections == many; }));
  QCOMPARE(b.rti().getFederateName(b.rti().getFederateHandle(L"b")), std::wstring(L"b"));
  QCOMPARE(::write(go[1], &byte, 1), ssize_t{1});
  int status = 0;
  QCOMPARE(::waitpid(child, &status, 0), child);
  QCOMPARE(status, 0);
  for (const int one : {go[0], go[1], ready[0], ready[1]}) ::close(one);
}

/// What a federate that shares no memory registers does not fit beside another execution in the budget
/// of its node: that connection ends, and the node serves all others.
void tst_besieged_nodes::whoFillsTheBudgetOfItsNodeLosesItsConnection() {
  open(false);
  qputenv("TUTTI_MEMORY", "48M");
  Recorder filler("filler"), watcher("watcher"), neighbour("neighbour"), crowd("crowd");
  nodes_->enter(filler, 1, uniqueName("filled"));
  nodes_->enter(neighbour, 1, federation_);
  nodes_->enter(watcher, 0, federation_);
  qputenv("TUTTI_ARCHITECTURE", "federated");
  nodes_->enter(crowd, 1, federation_);
  qunsetenv("TUTTI_ARCHITECTURE");
  // What it has registered stays: to delete it would take memory too.
  crowd.rti().setAutomaticResignDirective(NO_ACTION);
  const int node = nodes_->nodePid(1);
  filler.publish("Vehicle", {"position"});
  neighbour.publish("Vehicle", {"position"});
  neighbour.subscribe("Vehicle", {"position"});
  const auto car = neighbour.registerInstance("Vehicle");
  crowd.publish("Vehicle", {"position"});
  // A table grows a little before it is full: that of the crowd has grown when it has so many, and the
  // copy that the node keeps of it for others has not.
  constexpr int grown = 131'000;
  const auto last = crowd.registerInstance("Vehicle");
  int registered = 1;
  for (int batch = 1; registered < grown; ++batch) {
    for (int i = 0; i < 1000 && registered < grown; ++i, ++registered) {
      crowd.registerInstance("Vehicle");
    }
    crowd.update(last, "Vehicle", {{"position", "so far"}});
    QVERIFY(neighbour.pumpUntil([&] { return neighbour.reflections == batch; }));
  }
  const auto fill = [&filler] {
    for (int i = 0; i < 1'000'000; ++i) filler.registerInstance("Vehicle");
  };
  QVERIFY_EXCEPTION_THROWN(fill(), RTIinternalError);
  QString refusal;
  try {
    for (; registered < 2 * grown && crowd.count("lost") == 0; ++registered) {
      crowd.registerInstance("Vehicle");
      if (registered % 1000 == 0) crowd.pump();
    }
  } catch (const Exception& e) {
    refusal = QString::fromStdWString(e.what());
  }
  qInfo("after %d instances: %s", registered, qPrintable(refusal));
  QVERIFY(crowd.expect("lost"));
  QCOMPARE(nodes_->nodePid(1), node);
  // Those beside it go on.
  watcher.subscribe("Vehicle", {"position"});
  neighbour.update(car, "Vehicle", {{"position", "here"}});
  QVERIFY(watcher.pumpUntil([&] { return watcher.reflections == 1; }));
  for (Recorder* one : {&filler, &neighbour, &watcher}) {
    one->pump();
    QCOMPARE(one->count("lost"), 0);
  }
}

QTEST_GUILESS_MAIN(tst_besieged_nodes)
#include "tst_besieged_nodes.moc"
