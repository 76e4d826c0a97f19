// SPDX-License-Identifier: GPL-3.0-or-later
// A federate of the centralized architecture needs a link of its own to the home of a linked node.
// While it is made, however long that takes, the node serves all others.
#include <netinet/in.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QFile>
#include <QtTest>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "ambassador.h"
#include "node/node.h"
#include "node_process.h"

using namespace tutti::fabric;
using namespace std::chrono_literals;
using tutti::node::HomeDialer;
using tutti::node::Node;
using tutti::node::NodeOptions;
using tutti::test::NoBody;
using tutti::test::Outcome;
using tutti::test::requestBytes;
using tutti::test::takeApart;

namespace {

constexpr std::uint32_t loopback = 0x7f000001;

sockaddr_in addressOf(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(loopback);
  return address;
}

/// A connection that is made, or is still being made.
UniqueFd connectTo(std::uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in to = addressOf(port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0 &&
      errno != EINPROGRESS) {
    qFatal("cannot connect: %s", std::strerror(errno));
  }
  return socket;
}

/// Connections to a port that have asked and got no answer yet, as the kernel says.
int pendingTo(std::uint16_t port) {
  QFile file("/proc/self/net/tcp");
  if (!file.open(QIODevice::ReadOnly)) qFatal("the kernel does not show connections");
  const QByteArray remote = QString::asprintf("0100007F:%04X", port).toLatin1();
  int count = 0;
  for (const QByteArray& line : file.readAll().split('\n')) {
    const auto words = line.simplified().split(' ');
    constexpr const char* synSent = "02";
    if (words.size() > 3 && words[2] == remote && words[3] == synSent) ++count;
  }
  return count;
}

/// Stands between a linked node and its home. Closed, it leaves new connections unanswered, and
/// those that it has passes on all the same.
class Gate {
 public:
  explicit Gate(std::uint16_t home)
      : home_(home),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    sockaddr_in own = addressOf(0);
    socklen_t bytes = sizeof own;
    // One that is not accepted fills the queue.
    if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own), bytes) != 0 ||
        ::listen(listener_.get(), 0) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &bytes) != 0) {
      qFatal("cannot listen: %s", std::strerror(errno));
    }
    port_ = ntohs(own.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~Gate() {
    ends_ = true;
    wake();
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

  /// Returns how many connections of the test are pending now; the next one will be, too.
  int close() {
    open_ = false;
    while (!standsClosed_) wake();
    do {
      fill_.push_back(connectTo(port_));
    } while (pendingTo(port_) == 0);
    return pendingTo(port_);
  }
  void open() {
    fill_.clear();
    ::listen(listener_.get(), 128);  // so that none of a burst has to ask again
    open_ = true;
    wake();
  }
  /// From now on connections are refused.
  void refuse() {
    refuses_ = true;
    while (listener_) wake();
    fill_.clear();
  }

 private:
  struct Way {
    UniqueFd from, to;
    QByteArray toHome, toNode;
    bool ended = false;
  };

  void wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto put = ::write(wake_.get(), &one, sizeof one);
    std::this_thread::yield();
  }

  static void carry(int from, int to, QByteArray& waiting, bool& ended) {
    char bytes[65536];
    if (waiting.isEmpty()) {
      const ssize_t count = ::recv(from, bytes, sizeof bytes, MSG_DONTWAIT);
      if (count == 0 || (count < 0 && errno != EAGAIN)) ended = true;
      if (count > 0) waiting.append(bytes, count);
    }
    const ssize_t sent = ::send(to, waiting.constData(), static_cast<std::size_t>(waiting.size()),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) waiting.remove(0, sent);
  }

  void run() {
    std::vector<std::unique_ptr<Way>> ways;
    while (!ends_) {
      std::vector<pollfd> polls{{wake_.get(), POLLIN, 0}};
      if (refuses_) listener_.reset();
      if (open_ && listener_) polls.push_back({listener_.get(), POLLIN, 0});
      standsClosed_ = !open_;
      for (const auto& way : ways) {
        const auto events = [](const QByteArray& in, const QByteArray& out) {
          return static_cast<short>((in.isEmpty() ? POLLIN : 0) | (out.isEmpty() ? 0 : POLLOUT));
        };
        polls.push_back({way->from.get(), events(way->toHome, way->toNode), 0});
        polls.push_back({way->to.get(), events(way->toNode, way->toHome), 0});
      }
      ::poll(polls.data(), polls.size(), -1);
      std::uint64_t count = 0;
      [[maybe_unused]] const auto got = ::read(wake_.get(), &count, sizeof count);
      for (const auto& way : ways) {
        carry(way->from.get(), way->to.get(), way->toHome, way->ended);
        carry(way->to.get(), way->from.get(), way->toNode, way->ended);
      }
      std::erase_if(ways, [](const auto& way) { return way->ended; });
      while (open_ && listener_) {
        UniqueFd came(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!came) break;
        ways.push_back(std::make_unique<Way>());
        ways.back()->from = std::move(came);
        ways.back()->to = connectTo(home_);
      }
    }
  }

  std::uint16_t home_;
  UniqueFd listener_;
  UniqueFd wake_;
  std::uint16_t port_ = 0;
  std::vector<UniqueFd> fill_;
  std::atomic<bool> open_ = true;
  std::atomic<bool> standsClosed_ = false;
  std::atomic<bool> refuses_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

/// A node that a thread of its own serves.
class Served {
 public:
  explicit Served(const NodeOptions& options)
      : name_(options.name), stop_(::eventfd(0, EFD_CLOEXEC)) {
    auto made = Node::listen(options);
    if (!made) qFatal("no node: %s", made.error().text.c_str());
    node_ = std::move(*made);
    thread_ = std::thread([this] { node_->serve(stop_.get()); });
  }
  ~Served() { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    if (::write(stop_.get(), &one, sizeof one) != sizeof one) qFatal("cannot stop a node");
    thread_.join();
    node_.reset();
  }
  const std::string& name() const { return name_; }
  const tutti::pipes::Address& address() const { return *node_->address(); }

 private:
  std::string name_;
  UniqueFd stop_;
  std::unique_ptr<Node> node_;
  std::thread thread_;
};

/// A home, a gate before it, and a node that is linked to it through the gate.
struct World {
  World() {
    NodeOptions atHome;
    atHome.name = tutti::test::uniqueNode("home");
    atHome.listenAt = tutti::pipes::Address{"127.0.0.1", 0};
    home.emplace(atHome);
    gate.emplace(home->address().port);
    NodeOptions linked;
    linked.name = tutti::test::uniqueNode("linked");
    linked.linkTo = tutti::pipes::Address{"localhost", gate->port()};
    linked.datagrams.use = false;
    linked.mesh = false;
    leaf.emplace(linked);
  }
  /// A federate's process of the linked node's host.
  Endpoint connect() {
    auto endpoint = Endpoint::connect(leaf->name());
    if (!endpoint) qFatal("%s", endpoint.error().text.c_str());
    return std::move(*endpoint);
  }

  std::optional<Served> home;
  std::optional<Gate> gate;
  std::optional<Served> leaf;
};

template <class Message>
void send(Endpoint& endpoint, Request request, std::uint64_t number, const Message& message) {
  if (!endpoint.send(requestBytes(request, number, message))) qFatal("cannot send");
}

Outcome<NoBody> receive(Endpoint& endpoint) {
  auto answer = endpoint.receive(Endpoint::Clock::now() + 20s);
  if (!answer) qFatal("%s", answer.error().text.c_str());
  return takeApart<NoBody>(answer->bytes);
}

bool isAnswered(const Endpoint& endpoint) {
  pollfd event{endpoint.descriptor(), POLLIN, 0};
  return ::poll(&event, 1, 0) > 0;
}

HelloRequest centralized() {
  HelloRequest hello;
  hello.architecture = Architecture::Centralized;
  return hello;
}

}  // namespace

class tst_connecting_cells : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { spdlog::set_level(spdlog::level::off); }

  void othersAreServedMeanwhile();
  void manyAtOnce();
  void whatEndsMeanwhile();
  void aHomeThatRefusesIsNamed();
  void aHomeThatDoesNotAnswerIsNamed();
};

void tst_connecting_cells::othersAreServedMeanwhile() {
  World world;
  const int own = world.gate->close();
  Endpoint far = world.connect();
  send(far, Request::Hello, 1, centralized());
  QTRY_COMPARE(pendingTo(world.gate->port()), own + 1);
  // A newcomer, and what it asks the home.
  Endpoint near = world.connect();
  send(near, Request::Hello, 1, HelloRequest{});
  QVERIFY(receive(near).ok());
  for (std::uint64_t number = 2; number < 50; ++number) {
    send(near, Request::ListFederations, number, NoBody{});
    QCOMPARE(receive(near).head.number, number);
  }
  QCOMPARE(pendingTo(world.gate->port()), own + 1);
  QVERIFY(!isAnswered(far));
  world.gate->open();
  QVERIFY(receive(far).ok());
  send(far, Request::ListFederations, 2, NoBody{});
  QVERIFY(receive(far).ok());
}

void tst_connecting_cells::manyAtOnce() {
  World world;
  const int own = world.gate->close();
  constexpr std::size_t many = 2 * HomeDialer::mostAtOnce + 5;
  std::vector<Endpoint> all;
  for (std::size_t i = 0; i < many; ++i) {
    all.push_back(world.connect());
    send(all.back(), Request::Hello, 1, centralized());
  }
  // No more at a time than the home lets wait; each of the others has its turn.
  const int most = own + static_cast<int>(HomeDialer::mostAtOnce);
  QTRY_COMPARE(pendingTo(world.gate->port()), most);
  Endpoint near = world.connect();
  send(near, Request::Hello, 1, HelloRequest{});
  QVERIFY(receive(near).ok());
  QCOMPARE(pendingTo(world.gate->port()), most);
  world.gate->open();
  for (Endpoint& one : all) {
    const auto answer = receive(one);
    QVERIFY2(answer.ok(), answer.head.message.c_str());
    send(one, Request::ListFederations, 2, NoBody{});
    QVERIFY(receive(one).ok());
  }
}

void tst_connecting_cells::whatEndsMeanwhile() {
  World world;
  const int own = world.gate->close();
  Endpoint stays = world.connect();
  send(stays, Request::Hello, 1, centralized());
  {
    Endpoint dies = world.connect();
    send(dies, Request::Hello, 1, centralized());
    QTRY_COMPARE(pendingTo(world.gate->port()), own + 2);
  }
  QTRY_COMPARE(pendingTo(world.gate->port()), own + 1);
  // One that does not wait for its answer is closed.
  Endpoint hasty = world.connect();
  send(hasty, Request::Hello, 1, centralized());
  send(hasty, Request::ListFederations, 2, NoBody{});
  QVERIFY(!hasty.receive(Endpoint::Clock::now() + 20s).has_value());
  QTRY_COMPARE(pendingTo(world.gate->port()), own + 1);
  // The node itself.
  world.leaf->stop();
  QCOMPARE(pendingTo(world.gate->port()), own);
  QVERIFY(!stays.receive(Endpoint::Clock::now() + 20s).has_value());
}

void tst_connecting_cells::aHomeThatRefusesIsNamed() {
  World world;
  world.gate->refuse();
  Endpoint far = world.connect();
  send(far, Request::Hello, 1, centralized());
  const auto answer = receive(far);
  QVERIFY(answer.head.refusal == Refusal::Internal);
  const QString text = QString::fromStdString(answer.head.message);
  QVERIFY2(text.contains(QString("127.0.0.1:%1").arg(world.gate->port())) &&
               text.contains("refused") && text.contains("centralized"),
           qPrintable(text));
  // It costs nobody else anything.
  Endpoint near = world.connect();
  send(near, Request::Hello, 1, HelloRequest{});
  QVERIFY(receive(near).ok());
  send(near, Request::ListFederations, 2, NoBody{});
  QVERIFY(receive(near).ok());
}

void tst_connecting_cells::aHomeThatDoesNotAnswerIsNamed() {
  World world;
  const int own = world.gate->close();
  Endpoint far = world.connect();
  send(far, Request::Hello, 1, centralized());
  QTRY_COMPARE(pendingTo(world.gate->port()), own + 1);
  const auto answer = receive(far);
  QVERIFY(answer.head.refusal == Refusal::Internal);
  const QString text = QString::fromStdString(answer.head.message);
  QVERIFY2(text.contains("does not answer") && text.contains("firewall"), qPrintable(text));
  QTRY_COMPARE(pendingTo(world.gate->port()), own);
  world.gate->open();
  Endpoint again = world.connect();
  send(again, Request::Hello, 1, centralized());
  QVERIFY(receive(again).ok());
}

QTEST_GUILESS_MAIN(tst_connecting_cells)
#include "tst_connecting_cells.moc"
