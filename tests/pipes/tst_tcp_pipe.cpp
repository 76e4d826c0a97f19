// SPDX-License-Identifier: GPL-3.0-or-later
// Pipes between nodes: whole messages or a clean end, whatever the other side does.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "pipes/tcp_listener.h"

using namespace tutti;
using namespace tutti::pipes;
using fabric::Bytes;
using fabric::UniqueFd;
using Kind = PipeError::Kind;

namespace {

constexpr std::chrono::milliseconds shortPatience{1500};

Greeting greetingOf(const char* node) {
  Greeting greeting;
  greeting.node = node;
  return greeting;
}

Bytes bytesOf(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

Clock::time_point soon() { return Clock::now() + std::chrono::seconds(10); }

/// Receives until `done`, or an error, which is returned.
template <class Done>
Outcome pump(Pipe& pipe, std::vector<Bytes>& into, const Done& done) {
  const auto end = soon();
  while (!done() && Clock::now() < end) {
    auto got =
        pipe.receive([&](auto message) { into.emplace_back(message.begin(), message.end()); });
    if (!got) return got;
    if (auto ticked = pipe.tick(Clock::now()); !ticked) return ticked;
    pollfd waiting{pipe.descriptor(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
  }
  return {};
}

/// A plain socket to the listener: what is no RTI node.
UniqueFd stranger(const TcpListener& listener) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(listener.address().port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return {};
  return socket;
}

void say(const UniqueFd& socket, const Bytes& bytes) {
  QCOMPARE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), ssize_t(bytes.size()));
}

Bytes framed(const Bytes& message) {
  const auto bytes = static_cast<std::uint32_t>(message.size());
  Bytes frame(sizeof bytes + message.size());
  std::memcpy(frame.data(), &bytes, sizeof bytes);
  std::copy(message.begin(), message.end(), frame.begin() + sizeof bytes);
  return frame;
}

struct Pair {
  std::unique_ptr<TcpPipe> first;
  std::unique_ptr<TcpPipe> second;
};

}  // namespace

class tst_tcp_pipe : public QObject {
  Q_OBJECT

  std::optional<TcpListener> listener_;

  std::unique_ptr<TcpPipe> accepted() {
    std::unique_ptr<TcpPipe> pipe;
    const auto end = soon();
    while (!pipe && Clock::now() < end) pipe = listener_->accept(greetingOf("home"));
    return pipe;
  }
  /// Why the next connection is turned away.
  std::string refusal() {
    std::string why;
    listener_->onRefusal([&](const std::string& text) { why = text; });
    const auto end = soon();
    while (why.empty() && Clock::now() < end) {
      if (listener_->accept(greetingOf("home"))) return "it is accepted";
    }
    return why;
  }
  Pair pair() {
    Pair result;
    // The greeting of the other side is waited for: it has to be sent meanwhile.
    std::unique_ptr<TcpPipe> second;
    std::thread other([&] { second = accepted(); });
    auto first = TcpPipe::connect(listener_->address(), greetingOf("leaf"), soon());
    other.join();
    if (first) result.first = std::move(*first);
    result.second = std::move(second);
    return result;
  }

 private slots:
  void init() {
    auto listener = TcpListener::listen({"127.0.0.1", 0});
    QVERIFY(listener.has_value());
    QVERIFY(listener->address().port != 0);
    listener_ = std::move(*listener);
  }
  void addresses_data();
  void addresses();
  void messagesOfAnySizeArriveWholeAndInOrder();
  void bothKnowWhoIsThere();
  void anEndIsTold();
  void aHalfMessageIsNotDelivered();
  void silenceEndsIt();
  void heartbeatsKeepItAlive();
  void garbageIsTurnedAway_data();
  void garbageIsTurnedAway();
  void anotherVersionIsTurnedAway();
  void nobodyListens();
  void aTakenPortIsTold();
};

void tst_tcp_pipe::addresses_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("host");
  QTest::addColumn<int>("port");
  QTest::newRow("host and port") << "10.0.0.7:7400"
                                 << "10.0.0.7" << 7400;
  QTest::newRow("name") << "node3:1"
                        << "node3" << 1;
  QTest::newRow("port alone is this machine") << "7400"
                                              << "127.0.0.1" << 7400;
  QTest::newRow("empty host is this machine") << ":7400"
                                              << "127.0.0.1" << 7400;
  QTest::newRow("IPv6") << "[::1]:7400"
                        << "::1" << 7400;
  QTest::newRow("no port") << "10.0.0.7:"
                           << "" << -1;
  QTest::newRow("nothing") << ""
                           << "" << -1;
  QTest::newRow("port too large") << "a:70000"
                                  << "" << -1;
  QTest::newRow("IPv6 without brackets") << "::1:7400"
                                         << "" << -1;
  QTest::newRow("slash") << "a/b:7"
                         << "" << -1;
}

void tst_tcp_pipe::addresses() {
  QFETCH(QString, text);
  QFETCH(QString, host);
  QFETCH(int, port);
  const auto address = parseAddress(text.toStdString());
  QCOMPARE(address.has_value(), port >= 0);
  if (!address) {
    QVERIFY(address.error().find("HOST:PORT") != std::string::npos);
    return;
  }
  QCOMPARE(QString::fromStdString(address->host), host);
  QCOMPARE(int(address->port), port);
  QVERIFY(parseAddress(address->text()) == *address);
}

void tst_tcp_pipe::messagesOfAnySizeArriveWholeAndInOrder() {
  Pair pipes = pair();
  QVERIFY(pipes.first && pipes.second);
  std::mt19937 random(7);
  std::vector<Bytes> sent;
  for (const std::size_t size : {1u, 3u, 100u, 65536u, 1u << 20, 5u << 20}) {
    for (int i = 0; i < 3; ++i) {
      Bytes message(size + random() % 5);
      for (auto& byte : message) byte = static_cast<std::byte>(random());
      pipes.first->send(message);
      sent.push_back(std::move(message));
    }
  }
  std::vector<Bytes> got;
  const auto pumped = pump(*pipes.second, got, [&] {
    pipes.first->flush();
    return got.size() == sent.size();
  });
  QVERIFY(pumped.has_value());
  QVERIFY(got == sent);
  QCOMPARE(pipes.first->queuedBytes(), std::size_t(0));
}

void tst_tcp_pipe::bothKnowWhoIsThere() {
  Pair pipes = pair();
  QVERIFY(pipes.first && pipes.second);
  std::vector<Bytes> got;
  QVERIFY(pump(*pipes.second, got, [&] { return pipes.second->peer().has_value(); }));
  QCOMPARE(pipes.first->peer()->node, std::string("home"));
  QCOMPARE(pipes.second->peer()->node, std::string("leaf"));
  QVERIFY(got.empty());
}

void tst_tcp_pipe::anEndIsTold() {
  Pair pipes = pair();
  QVERIFY(pipes.first && pipes.second);
  pipes.first->send(bytesOf("last words"));
  QVERIFY(pipes.first->flush());
  pipes.first.reset();
  std::vector<Bytes> got;
  const auto ended = pump(*pipes.second, got, [] { return false; });
  QVERIFY(!ended);
  QCOMPARE(ended.error().kind, Kind::Closed);
  QVERIFY(got == std::vector<Bytes>{bytesOf("last words")});
}

void tst_tcp_pipe::aHalfMessageIsNotDelivered() {
  const UniqueFd socket = stranger(*listener_);
  // Byte by byte: nothing depends on how the stream is cut.
  std::unique_ptr<TcpPipe> pipe;
  for (const std::byte byte : framed(fabric::toWire(greetingOf("leaf")))) {
    QVERIFY(!pipe);
    say(socket, {byte});
    pipe = listener_->accept(greetingOf("home"));
  }
  if (!pipe) pipe = accepted();
  QVERIFY(pipe);
  Bytes frames = framed(bytesOf("whole"));
  Bytes half = framed(bytesOf("this one never comes to its end"));
  half.resize(half.size() / 2);
  frames.insert(frames.end(), half.begin(), half.end());
  std::vector<Bytes> got;
  for (const std::byte byte : frames) {
    say(socket, {byte});
    const auto received =
        pipe->receive([&](auto message) { got.emplace_back(message.begin(), message.end()); });
    QVERIFY(received.has_value());
  }
  ::shutdown(socket.get(), SHUT_WR);
  const auto ended = pump(*pipe, got, [] { return false; });
  QVERIFY(!ended);
  QCOMPARE(ended.error().kind, Kind::Closed);
  QVERIFY(got == std::vector<Bytes>{bytesOf("whole")});
}

void tst_tcp_pipe::silenceEndsIt() {
  const UniqueFd socket = stranger(*listener_);
  say(socket, framed(fabric::toWire(greetingOf("leaf"))));
  auto pipe = accepted();
  QVERIFY(pipe);
  pipe->setPatience(shortPatience);
  std::vector<Bytes> got;
  const auto ended = pump(*pipe, got, [] { return false; });
  QVERIFY(!ended);
  QCOMPARE(ended.error().kind, Kind::Silent);
  QVERIFY(pipe->peer().has_value());
}

void tst_tcp_pipe::heartbeatsKeepItAlive() {
  Pair pipes = pair();
  QVERIFY(pipes.first && pipes.second);
  std::vector<Bytes> got;
  pipes.second->setPatience(shortPatience);
  const auto end = Clock::now() + 2 * shortPatience;
  const auto pumped = pump(*pipes.second, got, [&] {
    if (!pipes.first->tick(Clock::now())) return false;
    return Clock::now() > end;
  });
  QVERIFY(pumped.has_value());
  QVERIFY(Clock::now() > end);
  QVERIFY(got.empty());
}

void tst_tcp_pipe::garbageIsTurnedAway_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::newRow("a browser") << QByteArray("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  QTest::newRow("a frame of something else") << QByteArray("\x04\0\0\0abcd", 8);
  QTest::newRow("a heartbeat first") << QByteArray("\0\0\0\0", 4);
  QTest::newRow("a great length") << QByteArray("\xff\xff\xff\x7f", 4);
}

void tst_tcp_pipe::garbageIsTurnedAway() {
  QFETCH(QByteArray, bytes);
  const UniqueFd socket = stranger(*listener_);
  say(socket, bytesOf({bytes.data(), static_cast<std::size_t>(bytes.size())}));
  QVERIFY(refusal().find("no RTI node") != std::string::npos);
}

void tst_tcp_pipe::anotherVersionIsTurnedAway() {
  const UniqueFd socket = stranger(*listener_);
  Greeting other = greetingOf("old");
  ++other.layout;
  say(socket, framed(fabric::toWire(other)));
  QVERIFY(refusal().find("another version") != std::string::npos);
}

void tst_tcp_pipe::nobodyListens() {
  const Address address = listener_->address();
  listener_.reset();
  const auto pipe = TcpPipe::connect(address, greetingOf("leaf"), soon());
  QVERIFY(!pipe);
  QCOMPARE(pipe.error().kind, Kind::Refused);
  QVERIFY(pipe.error().text.find(address.text()) != std::string::npos);
  QVERIFY(pipe.error().text.find("--listen") != std::string::npos);
}

void tst_tcp_pipe::aTakenPortIsTold() {
  const auto again = TcpListener::listen(listener_->address());
  QVERIFY(!again);
  QVERIFY(again.error().text.find("another program listens there") != std::string::npos);
}

QTEST_GUILESS_MAIN(tst_tcp_pipe)
#include "tst_tcp_pipe.moc"
