// SPDX-License-Identifier: GPL-3.0-or-later
// Datagrams between nodes: a message arrives whole and once or not at all, whatever the network
// does to the datagrams.
#include <poll.h>

#include <QtTest>
#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include "account.h"
#include "pipes/datagram_port.h"
#include "pipes/faulty_wire.h"

using namespace tutti::pipes;
using tutti::fabric::Bytes;

namespace {

SocketAddress loopback(std::uint16_t port = 0) {
  return *SocketAddress::of(Address{"127.0.0.1", port});
}

/// Lets no datagram above a size pass, and does not say so.
class NarrowWire final : public DatagramWire {
 public:
  NarrowWire(std::unique_ptr<DatagramWire> wire, std::size_t most)
      : wire_(std::move(wire)), most_(most) {}
  Sent send(const SocketAddress& to, std::span<const std::byte> datagram) override {
    return datagram.size() > most_ ? Sent::Yes : wire_->send(to, datagram);
  }
  std::optional<std::span<const std::byte>> receive() override { return wire_->receive(); }
  int descriptor() const override { return wire_->descriptor(); }
  std::size_t largestTo(const SocketAddress&) const override { return 9000; }
  std::size_t receiveBuffer() const override { return wire_->receiveBuffer(); }
  const SocketAddress& address() const override { return wire_->address(); }

 private:
  std::unique_ptr<DatagramWire> wire_;
  std::size_t most_;
};

std::unique_ptr<DatagramWire> udp() {
  auto wire = UdpWire::bind(loopback());
  if (!wire) qFatal("%s", wire.error().c_str());
  return std::move(*wire);
}

/// Each test is made with plain and with sealed datagrams.
bool sealed() { return *static_cast<bool*>(QTest::qGlobalData("sealed", qMetaTypeId<bool>())); }

/// What any two ports were told of each other.
Bytes keyOf(std::size_t one, std::size_t other) {
  const auto number = static_cast<unsigned char>(16 * std::min(one, other) + std::max(one, other));
  return Bytes(Key::bytes, std::byte{number});
}

std::unique_ptr<DatagramPort> portOver(std::unique_ptr<DatagramWire> wire,
                                       DatagramPort::Options options = {}) {
  options.sealed = sealed();
  auto port = DatagramPort::make(std::move(wire), options);
  if (!port) qFatal("%s", port.error().c_str());
  return std::move(*port);
}

/// Ports that know each other: port i is peer i of the others.
struct Net {
  std::vector<std::unique_ptr<DatagramPort>> ports;
  std::vector<std::vector<Bytes>> got;

  void add(std::unique_ptr<DatagramPort> port) {
    ports.push_back(std::move(port));
    got.emplace_back();
  }
  void introduce() {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      for (std::size_t j = 0; j < ports.size(); ++j) {
        if (i != j) ports[i]->addPeer(j, ports[j]->address(), ports[j]->token(), keyOf(i, j));
      }
    }
  }
  void openGroup() {
    const std::uint64_t token = DatagramPort::randomToken();
    static std::uint16_t nextPort = static_cast<std::uint16_t>(20000 + getpid() % 20000);
    const auto group = *SocketAddress::of(Address{"239.255.77.1", ++nextPort});
    for (auto& port : ports) {
      auto wire = UdpWire::joinGroup(group, loopback());
      if (!wire) qFatal("%s", wire.error().c_str());
      port->openGroup(std::move(*wire), group, token, keyOf(7, 7));
    }
  }
  void turn() {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i]->receive([&](DatagramPort::PeerId, std::span<const std::byte> message) {
        got[i].emplace_back(message.begin(), message.end());
      });
      ports[i]->timeout();
      ports[i]->tick(Clock::now());
    }
  }
  template <class Done>
  bool until(const Done& done, std::chrono::milliseconds limit = std::chrono::seconds(20)) {
    const auto end = Clock::now() + limit;
    while (!done()) {
      if (Clock::now() > end) return false;
      turn();
    }
    return true;
  }
  bool connected() {
    return until([&] {
      for (std::size_t i = 0; i < ports.size(); ++i) {
        for (std::size_t j = 0; j < ports.size(); ++j) {
          if (i == j) continue;
          if (!ports[i]->reaches(j)) return false;
          if (ports[i]->hasGroup() && !ports[i]->groupReaches(j)) return false;
        }
      }
      return true;
    });
  }
  /// Sends when there is room.
  void send(std::size_t from, std::size_t to, const Bytes& message) {
    QVERIFY(until([&] { return ports[from]->hasRoom(to); }));
    ports[from]->send(to, message);
  }
  /// Nothing more comes.
  void settle(std::size_t to) {
    std::size_t before = got[to].size();
    auto quietSince = Clock::now();
    int quietTurns = 0;  // time alone passes also while this process waits for a processor
    until([&] {
      if (got[to].size() != before) {
        quietSince = Clock::now();
        quietTurns = 0;
      }
      before = got[to].size();
      return ++quietTurns > 200 && Clock::now() - quietSince > std::chrono::milliseconds(150);
    });
  }
};

/// A message that shows its number, and whether it is whole.
Bytes message(std::uint32_t number, std::size_t bytes) {
  Bytes result(std::max(bytes, sizeof number));
  std::mt19937 random(number);
  for (std::byte& one : result) one = static_cast<std::byte>(random());
  std::memcpy(result.data(), &number, sizeof number);
  return result;
}
std::uint32_t numberOf(const Bytes& message) {
  std::uint32_t number = 0;
  std::memcpy(&number, message.data(), sizeof number);
  return number;
}

Faults faults(const char* text) {
  auto parsed = Faults::parse(text);
  if (!parsed) qFatal("%s", parsed.error().c_str());
  return *parsed;
}

}  // namespace

class tst_datagram_port : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase_data() {
    QTest::addColumn<bool>("sealed");
    QTest::newRow("plain") << false;
    QTest::newRow("sealed") << true;
  }
  void whatIsSentArrives_data();
  void whatIsSentArrives();
  void aBadNetwork_data();
  void aBadNetwork();
  void fragmentsAreLost();
  void incompleteMessagesTakeBoundedMemory();
  void incompleteMessagesCountInTheBudget();
  void incompleteMessagesAreGivenUp();
  void aFragmentThatCannotBeIsIgnored_data();
  void aFragmentThatCannotBeIsIgnored();
  void smallMessagesShareADatagram();
  void aBundleWaitsForItsDeadline();
  void strangersAreIgnored();
  void aBlockedWayIsFoundOut();
  void aWayThatEndsIsFoundOut();
  void aLossyWayIsKept();
  void theSizeOfTheWayIsFound();
  void aGroupGetsOneDatagram();
  void aGroupWithoutAWayToOne();
  void faultsAreParsed_data();
  void faultsAreParsed();
};

void tst_datagram_port::whatIsSentArrives_data() {
  QTest::addColumn<qsizetype>("bytes");
  QTest::addColumn<int>("count");
  QTest::newRow("small") << qsizetype{20} << 20000;
  QTest::newRow("just a datagram") << qsizetype{1400} << 2000;
  QTest::newRow("64 KiB") << qsizetype{65536} << 100;
  QTest::newRow("1 MiB") << (qsizetype{1} << 20) << 10;
  QTest::newRow("16 MiB") << (qsizetype{16} << 20) << 2;
}

void tst_datagram_port::whatIsSentArrives() {
  QFETCH(qsizetype, bytes);
  QFETCH(int, count);
  Net net;
  net.add(portOver(udp()));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  for (int i = 0; i < count; ++i) {
    net.send(0, 1, message(static_cast<std::uint32_t>(i), static_cast<std::size_t>(bytes)));
    if (i % 16 == 0) {
      net.ports[0]->flush();
      net.turn();
    }
  }
  net.ports[0]->flush();
  QVERIFY(net.until([&] { return net.got[1].size() == static_cast<std::size_t>(count); }));
  for (int i = 0; i < count; ++i) {
    const auto number = static_cast<std::uint32_t>(i);
    QVERIFY(net.got[1][number] == message(number, static_cast<std::size_t>(bytes)));
  }
  QCOMPARE(net.ports[1]->figures().duplicates, std::uint64_t{0});
  QCOMPARE(net.ports[1]->figures().strange, std::uint64_t{0});
}

void tst_datagram_port::aBadNetwork_data() {
  QTest::addColumn<QByteArray>("how");
  QTest::addColumn<bool>("loses");
  for (int seed = 1; seed <= 3; ++seed) {
    const QByteArray number = QByteArray::number(seed);
    QTest::addRow("reorders, seed %d", seed) << "reorder=200,seed=" + number << false;
    QTest::addRow("duplicates, seed %d", seed) << "duplicate=300,seed=" + number << false;
    QTest::addRow("loses, seed %d", seed) << "loss=100,seed=" + number << true;
    QTest::addRow("does all, seed %d", seed)
        << "loss=50,duplicate=200,reorder=200,seed=" + number << true;
  }
}

void tst_datagram_port::aBadNetwork() {
  QFETCH(QByteArray, how);
  QFETCH(bool, loses);
  Net net;
  net.add(portOver(std::make_unique<FaultyWire>(udp(), faults(how))));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  std::mt19937 random(7);
  std::map<std::uint32_t, std::size_t> sizes;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    sizes[i] = i % 50 == 0 ? 5000 + random() % 200000 : 8 + random() % 1300;
    net.send(0, 1, message(i, sizes[i]));
    net.ports[0]->flush();
  }
  // What was kept behind by the wire comes with these.
  for (std::uint32_t i = 2000; i < 2020; ++i) {
    sizes[i] = 8;
    net.send(0, 1, message(i, sizes[i]));
    net.ports[0]->flush();
  }
  net.settle(1);
  std::map<std::uint32_t, int> times;
  for (const Bytes& one : net.got[1]) {
    const std::uint32_t number = numberOf(one);
    ++times[number];
    QVERIFY(sizes.contains(number));
    QVERIFY(one == message(number, sizes[number]));
  }
  for (const auto& [number, count] : times) QCOMPARE(count, 1);
  if (loses) {
    QVERIFY(times.size() < sizes.size());
    QVERIFY(times.size() > sizes.size() / 2);
  } else {
    for (std::uint32_t i = 0; i < 2000; ++i) {
      if (!times.contains(i)) QFAIL(qPrintable(QString("message %1 is missing").arg(i)));
    }
  }
}

void tst_datagram_port::fragmentsAreLost() {
  constexpr std::size_t large = std::size_t{1} << 20;
  Net net;
  // On the loopback device datagrams are long: the narrow wire makes many of a message.
  net.add(portOver(std::make_unique<NarrowWire>(
      std::make_unique<FaultyWire>(udp(), faults("loss=1,seed=3")), usualDatagram)));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.until(
      [&] { return net.ports[0]->reaches(1) && net.ports[0]->largestTo(1) == usualDatagram; }));
  for (std::uint32_t i = 0; i < 20; ++i) {
    net.send(0, 1, message(i, large));
    net.turn();
  }
  QVERIFY(net.until([&] { return net.ports[0]->hasRoom(1); }));
  net.settle(1);
  const std::size_t whole = net.got[1].size();
  QVERIFY(whole > 0 && whole < 20);
  for (const Bytes& one : net.got[1]) QVERIFY(one == message(numberOf(one), large));
  QVERIFY(net.until([&] { return net.ports[1]->figures().incomplete == 20 - whole; }));
}

void tst_datagram_port::incompleteMessagesTakeBoundedMemory() {
  Reassembly reassembly(1000000);
  const auto now = Clock::now();
  const Bytes part(1000);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    QVERIFY(!reassembly.add(1, {i, 100000, 0, 1000, 0}, part, now));
    QVERIFY(reassembly.bytes() <= 1000000);
  }
  QCOMPARE(reassembly.givenUp(), std::uint64_t{90});
  // The youngest are there still, and become whole.
  for (std::uint32_t offset = 1000; offset < 99000; offset += 1000) {
    QVERIFY(!reassembly.add(1, {100, 100000, offset, 1000, 0}, part, now));
  }
  const auto whole = reassembly.add(1, {100, 100000, 99000, 1000, 0}, part, now);
  QVERIFY(whole);
  QCOMPARE(whole->size(), std::size_t{100000});
  reassembly.forget(1);
  QCOMPARE(reassembly.bytes(), std::size_t{0});
}

void tst_datagram_port::incompleteMessagesCountInTheBudget() {
  tutti::test::Account account(350'000);
  const auto now = Clock::now();
  const Bytes part(1000);
  {
    Reassembly reassembly(1000000, &account);
    for (std::uint64_t i = 1; i <= 10; ++i) reassembly.add(1, {i, 100000, 0, 1000, 0}, part, now);
    QCOMPARE(account.used, std::uint64_t{300'000});
    QCOMPARE(reassembly.givenUp(), std::uint64_t{7});
    // Others take all there is: what comes is lost, and nothing else happens.
    QVERIFY(account.take(50'000));
    reassembly.forget(1);
    QVERIFY(account.take(250'001));
    QVERIFY(!reassembly.add(1, {11, 100000, 0, 1000, 0}, part, now));
    QCOMPARE(reassembly.bytes(), std::size_t{0});
    QCOMPARE(reassembly.givenUp(), std::uint64_t{8});
    account.giveBack(300'001);
    // One that becomes whole is given back.
    QVERIFY(!reassembly.add(1, {12, 2000, 0, 1000, 0}, part, now));
    QVERIFY(reassembly.add(1, {12, 2000, 1000, 1000, 0}, part, now));
    QCOMPARE(account.used, std::uint64_t{0});
    reassembly.add(1, {13, 2000, 0, 1000, 0}, part, now);
  }
  QCOMPARE(account.used, std::uint64_t{0});
}

void tst_datagram_port::incompleteMessagesAreGivenUp() {
  Reassembly reassembly;
  const auto start = Clock::now();
  const Bytes part(1000);
  reassembly.add(1, {1, 3000, 0, 1000, 0}, part, start);
  reassembly.add(1, {2, 3000, 0, 1000, 0}, part, start);
  const auto later = start + Reassembly::patience - std::chrono::milliseconds(1);
  reassembly.add(1, {1, 3000, 1000, 1000, 0}, part, later);
  reassembly.expire(start + Reassembly::patience);
  QCOMPARE(reassembly.givenUp(), std::uint64_t{1});
  QVERIFY(reassembly.add(1, {1, 3000, 2000, 1000, 0}, part, later));
  QCOMPARE(reassembly.bytes(), std::size_t{0});
}

void tst_datagram_port::aFragmentThatCannotBeIsIgnored_data() {
  QTest::addColumn<quint32>("total");
  QTest::addColumn<quint32>("offset");
  QTest::addColumn<quint32>("piece");
  QTest::newRow("of nothing") << 0u << 0u << 1000u;
  QTest::newRow("in pieces of nothing") << 3000u << 0u << 0u;
  QTest::newRow("behind the end") << 3000u << 3000u << 1000u;
  QTest::newRow("between pieces") << 3000u << 500u << 1000u;
  QTest::newRow("of another size") << 3000u << 0u << 999u;
  QTest::newRow("larger than any") << 0xffffffffu << 0u << 1000u;
  QTest::newRow("near the largest number") << 0xffffffffu << 0xfffffff0u << 16u;
}

void tst_datagram_port::aFragmentThatCannotBeIsIgnored() {
  QFETCH(quint32, total);
  QFETCH(quint32, offset);
  QFETCH(quint32, piece);
  Reassembly reassembly;
  QVERIFY(!reassembly.add(1, {1, total, offset, piece, 0}, Bytes(1000), Clock::now()));
  QCOMPARE(reassembly.bytes(), std::size_t{0});
}

void tst_datagram_port::smallMessagesShareADatagram() {
  Net net;
  net.add(portOver(udp()));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  for (std::uint32_t i = 0; i < 50; ++i) net.ports[0]->send(1, message(i, 100));
  net.ports[0]->flush();
  QVERIFY(net.until([&] { return net.got[1].size() == 50; }));
  QCOMPARE(net.ports[0]->figures().sent, std::uint64_t{1});
}

void tst_datagram_port::aBundleWaitsForItsDeadline() {
  Net net;
  net.add(portOver(udp(), {std::chrono::milliseconds(200)}));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  const auto start = Clock::now();
  for (std::uint32_t i = 0; i < 10; ++i) {
    net.ports[0]->send(1, message(i, 100));
    net.ports[0]->flush();
  }
  pollfd timer{net.ports[0]->timerDescriptor(), POLLIN, 0};
  QCOMPARE(::poll(&timer, 1, 10000), 1);
  QVERIFY(Clock::now() - start >= std::chrono::milliseconds(200));
  QVERIFY(net.until([&] { return net.got[1].size() == 10; }));
  QCOMPARE(net.ports[0]->figures().sent, std::uint64_t{1});
}

void tst_datagram_port::strangersAreIgnored() {
  Net net;
  net.add(portOver(udp()));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  const auto stranger = udp();
  const auto say = [&](DatagramHead head, std::size_t more) {
    std::vector<std::byte> datagram(sizeof head + more);
    std::memcpy(datagram.data(), &head, sizeof head);
    stranger->send(net.ports[1]->address(), datagram);
  };
  DatagramHead head;
  head.kind = DatagramKind::Bundle;
  head.sequence = 1;
  head.from = net.ports[0]->token();
  say(head, 20);  // not for it
  head.token = net.ports[1]->token();
  head.from = 12345;
  say(head, 20);  // of nobody
  head.from = net.ports[0]->token();
  head.magic = 7;
  say(head, 20);
  head.magic = DatagramHead::magicValue;
  head.version = 9;
  say(head, 20);
  stranger->send(net.ports[1]->address(), std::vector<std::byte>(5));
  QVERIFY(net.until([&] { return net.ports[1]->figures().strange == 5; }));
  QVERIFY(net.got[1].empty());
  net.ports[0]->send(1, message(1, 100));
  net.ports[0]->flush();
  QVERIFY(net.until([&] { return net.got[1].size() == 1; }));
}

void tst_datagram_port::aBlockedWayIsFoundOut() {
  Net net;
  net.add(portOver(std::make_unique<FaultyWire>(udp(), faults("loss=1000"))));
  net.add(portOver(udp()));
  net.introduce();
  // Either needs the other's answers.
  QVERIFY(!net.until([&] { return net.ports[0]->reaches(1) || net.ports[1]->reaches(0); },
                     std::chrono::milliseconds(500)));
}

void tst_datagram_port::aWayThatEndsIsFoundOut() {
  Net net;
  net.add(portOver(udp()));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  net.ports[1]->removePeer(0);  // it no longer answers
  QVERIFY(net.until([&] { return !net.ports[0]->reaches(1); }));
  net.introduce();
  QVERIFY(net.connected());
}

/// Loses so many datagrams in a row when told to.
class LosingWire final : public DatagramWire {
 public:
  LosingWire(std::unique_ptr<DatagramWire> wire, int& left) : wire_(std::move(wire)), left_(left) {}
  Sent send(const SocketAddress& to, std::span<const std::byte> datagram) override {
    if (left_ == 0) return wire_->send(to, datagram);
    --left_;
    return Sent::Yes;
  }
  std::optional<std::span<const std::byte>> receive() override { return wire_->receive(); }
  int descriptor() const override { return wire_->descriptor(); }
  std::size_t largestTo(const SocketAddress& to) const override { return wire_->largestTo(to); }
  std::size_t receiveBuffer() const override { return wire_->receiveBuffer(); }
  const SocketAddress& address() const override { return wire_->address(); }

 private:
  std::unique_ptr<DatagramWire> wire_;
  int& left_;
};

// Where a fifth is lost either way, one question in three gets no answer, and now and then many in a row.
void tst_datagram_port::aLossyWayIsKept() {
  Net net;
  int left = 0;
  net.add(portOver(std::make_unique<LosingWire>(udp(), left)));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.connected());
  left = 16;  // questions and answers
  QVERIFY(net.until([&] { return left == 0 || !net.ports[0]->reaches(1); }));
  QVERIFY(net.ports[0]->reaches(1));
  // Then the next is answered in time.
  QVERIFY(!net.until([&] { return !net.ports[0]->reaches(1); }, DatagramPort::patience));
}

void tst_datagram_port::theSizeOfTheWayIsFound() {
  Net net;
  net.add(portOver(std::make_unique<NarrowWire>(udp(), leastDatagram)));
  net.add(portOver(udp()));
  net.introduce();
  QVERIFY(net.until([&] { return net.ports[0]->reaches(1); }));
  QCOMPARE(net.ports[0]->largestTo(1), leastDatagram);
  net.ports[0]->send(1, message(1, 100000));
  QVERIFY(net.until([&] { return net.got[1].size() == 1; }));
  QVERIFY(net.got[1][0] == message(1, 100000));
}

void tst_datagram_port::aGroupGetsOneDatagram() {
  Net net;
  for (int i = 0; i < 4; ++i) net.add(portOver(udp()));
  net.introduce();
  net.openGroup();
  QVERIFY(net.connected());
  net.ports[0]->sendToGroup(message(1, 500));
  net.ports[0]->flush();
  const auto allHave = [&](std::size_t count) {
    return net.until([&] {
      return net.got[1].size() == count && net.got[2].size() == count && net.got[3].size() == count;
    });
  };
  QVERIFY(allHave(1));
  QCOMPARE(net.ports[0]->figures().sent, std::uint64_t{1});
  QVERIFY(net.got[0].empty());
  net.ports[0]->sendToGroup(message(2, std::size_t{1} << 20));
  QVERIFY(allHave(2));
  QVERIFY(net.got[3][1] == message(2, std::size_t{1} << 20));
}

void tst_datagram_port::aGroupWithoutAWayToOne() {
  Net net;
  for (int i = 0; i < 3; ++i) net.add(portOver(udp()));
  net.openGroup();
  net.introduce();
  QVERIFY(net.connected());
  net.ports[2]->openGroup(udp(), loopback(), 1);  // hears no more of it
  QVERIFY(net.until([&] { return !net.ports[0]->groupReaches(2); }));
  QVERIFY(net.ports[0]->groupReaches(1));
  QVERIFY(net.ports[0]->reaches(2));
}

void tst_datagram_port::faultsAreParsed_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<bool>("right");
  QTest::newRow("all") << QByteArray("loss=50,duplicate=10,reorder=20,seed=7") << true;
  QTest::newRow("none") << QByteArray() << true;
  QTest::newRow("one") << QByteArray("loss=1000") << true;
  QTest::newRow("too many") << QByteArray("loss=1001") << false;
  QTest::newRow("no number") << QByteArray("loss=x") << false;
  QTest::newRow("no value") << QByteArray("loss") << false;
  QTest::newRow("another") << QByteArray("delay=5") << false;
}

void tst_datagram_port::faultsAreParsed() {
  QFETCH(QByteArray, text);
  QFETCH(bool, right);
  const auto parsed = Faults::parse(std::string_view(text.constData(), std::size_t(text.size())));
  QCOMPARE(parsed.has_value(), right);
  if (!right) QVERIFY(parsed.error().find("loss=50") != std::string::npos);
}

QTEST_GUILESS_MAIN(tst_datagram_port)
#include "tst_datagram_port.moc"
