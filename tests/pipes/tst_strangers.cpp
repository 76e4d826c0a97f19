// SPDX-License-Identifier: GPL-3.0-or-later
// Who does not have the key gets nothing from a pipe or a datagram port, and takes little of it.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <random>
#include <thread>

#include "account.h"
#include "pipes/datagram_port.h"
#include "pipes/key_file.h"
#include "pipes/once_a_minute.h"
#include "pipes/seal.h"
#include "pipes/tcp_listener.h"

using namespace tutti;
using namespace tutti::pipes;
using fabric::Bytes;
using fabric::UniqueFd;
using test::Account;

namespace {

using SharedSecurity = std::shared_ptr<const Security>;

Greeting greetingOf(const char* node) {
  Greeting greeting;
  greeting.node = node;
  return greeting;
}

Clock::time_point soon() { return Clock::now() + std::chrono::seconds(20); }

Bytes bytesOf(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

UniqueFd rawConnection(const TcpListener& listener) {
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

/// Whether the other side has ended the connection, whatever it sent before.
bool isEnded(const UniqueFd& socket) {
  char bytes[4096];
  for (;;) {
    const ssize_t count = ::recv(socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count > 0) continue;
    return count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  }
}

struct Pair {
  std::unique_ptr<TcpPipe> first;
  std::unique_ptr<TcpPipe> second;
  std::string problem;  ///< of the first
  std::string refusal;  ///< of the listener
};

/// Connects to a listener that has other rules.
Pair pairOf(const SharedSecurity& connects, const SharedSecurity& accepts) {
  auto listener = TcpListener::listen({"127.0.0.1", 0}, {accepts, nullptr});
  if (!listener) qFatal("%s", listener.error().text.c_str());
  Pair pair;
  listener->onRefusal([&](const std::string& text) { pair.refusal = text; });
  std::atomic<bool> ended = false;
  std::thread other([&] {
    auto first = TcpPipe::connect(listener->address(), greetingOf("leaf"),
                                  Clock::now() + std::chrono::seconds(10), {connects, nullptr});
    if (first) {
      pair.first = std::move(*first);
    } else {
      pair.problem = first.error().text;
    }
    ended = true;
  });
  const auto end = soon();
  while (Clock::now() < end && !(pair.second && ended) && !(ended && !pair.problem.empty())) {
    if (auto pipe = listener->accept(greetingOf("home"))) pair.second = std::move(pipe);
  }
  other.join();
  return pair;
}

/// What was sent over it can be changed, repeated and sent by others.
class OpenWire final : public DatagramWire {
 public:
  Sent send(const SocketAddress&, std::span<const std::byte> datagram) override {
    sent.emplace_back(datagram.begin(), datagram.end());
    return Sent::Yes;
  }
  std::optional<std::span<const std::byte>> receive() override {
    if (came.empty()) return std::nullopt;
    now_ = std::move(came.front());
    came.pop_front();
    return now_;
  }
  int descriptor() const override { return -1; }
  std::size_t largestTo(const SocketAddress&) const override { return usualDatagram; }
  std::size_t receiveBuffer() const override { return 1 << 20; }
  const SocketAddress& address() const override { return address_; }

  std::vector<Bytes> sent;
  std::deque<Bytes> came;

 private:
  SocketAddress address_;
  Bytes now_;
};

}  // namespace

class tst_strangers : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }
  SharedSecurity key(const char* name) const {
    const std::string path = file(name);
    if (!QFile::exists(QString::fromStdString(path)) && !makeKeyFile(path)) return nullptr;
    auto security = Security::fromKeyFile(path);
    return security ? *security : nullptr;
  }
  /// An authority of its own and a certificate by it, which holds for this name.
  SharedSecurity certificate(const QString& name) const;

 private slots:
  void aKeyFileIsForItsOwnerAlone();
  void aKeyFileIsNeverOverwritten();
  void whatIsNoKeyFileIsRefused();
  void thoseWithTheKeyUnderstandEachOther_data();
  void thoseWithTheKeyUnderstandEachOther();
  void whoHasNoKeyIsTurnedAway_data();
  void whoHasNoKeyIsTurnedAway();
  void garbageForAKeyIsTurnedAway();
  void whoSaysNothingIsTurnedAwayInTime();
  void onlySoManyMayWait();
  void nobodyIsAcceptedWithoutDescriptors();
  void announcedLengthsTakeNoMemory();
  void whatIsSentCountsInTheBudget();
  void aRefusalIsToldOnceAMinute();
  void sealedDatagramsAreReadByNobodyElse();
  void changedAndRepeatedDatagramsAreIgnored();
};

void tst_strangers::aKeyFileIsForItsOwnerAlone() {
  const std::string path = file("owner");
  QVERIFY(makeKeyFile(path).has_value());
  struct stat information {};
  QCOMPARE(::stat(path.c_str(), &information), 0);
  QCOMPARE(information.st_mode & 07777, mode_t{0600});
  QVERIFY(Security::fromKeyFile(path).has_value());
  for (const mode_t mode : {0640, 0604, 0620, 0660}) {
    QCOMPARE(::chmod(path.c_str(), mode), 0);
    const auto refused = Security::fromKeyFile(path);
    QVERIFY(!refused);
    QVERIFY2(refused.error().find("chmod 600") != std::string::npos, refused.error().c_str());
  }
  QCOMPARE(::chmod(path.c_str(), 0600), 0);
  if (::geteuid() == 0) {
    QCOMPARE(::chown(path.c_str(), 12345, 12345), 0);
    const auto refused = Security::fromKeyFile(path);
    QVERIFY(!refused);
    QVERIFY2(refused.error().find("belongs to user 12345") != std::string::npos,
             refused.error().c_str());
  }
}

void tst_strangers::aKeyFileIsNeverOverwritten() {
  const std::string path = file("kept");
  QVERIFY(makeKeyFile(path).has_value());
  QFile before(QString::fromStdString(path));
  QVERIFY(before.open(QIODevice::ReadOnly));
  const QByteArray content = before.readAll();
  const auto again = makeKeyFile(path);
  QVERIFY(!again);
  QVERIFY(again.error().find("exists already") != std::string::npos);
  const std::string link = file("link");
  QCOMPARE(::symlink(file("elsewhere").c_str(), link.c_str()), 0);
  QVERIFY(!makeKeyFile(link));
  QVERIFY(!QFile::exists(QString::fromStdString(file("elsewhere"))));
  before.seek(0);
  QCOMPARE(before.readAll(), content);
}

void tst_strangers::whatIsNoKeyFileIsRefused() {
  const std::string path = file("broken");
  QVERIFY(makeKeyFile(path).has_value());
  QFile key(QString::fromStdString(path));
  QVERIFY(key.open(QIODevice::ReadWrite));
  const QByteArray whole = key.readAll();
  for (const QByteArray& wrong : {QByteArray(), QByteArray("secret\n"), whole.chopped(2),
                                  whole + whole, QByteArray(whole).replace(20, 1, "x")}) {
    key.resize(0);
    key.seek(0);
    key.write(wrong);
    key.flush();
    const auto refused = Security::fromKeyFile(path);
    QVERIFY(!refused);
    QVERIFY2(refused.error().find("holds no key") != std::string::npos, refused.error().c_str());
  }
  const auto missing = Security::fromKeyFile(file("nowhere"));
  QVERIFY(!missing);
  QVERIFY2(missing.error().find("--make-key") != std::string::npos, missing.error().c_str());
}

SharedSecurity tst_strangers::certificate(const QString& name) const {
  const auto at = [&](const char* what) { return folder_.filePath(name + what); };
  const auto run = [](const QStringList& words) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start("openssl", words);
    if (!process.waitForFinished(20000) || process.exitCode() != 0) {
      qFatal("openssl %s: %s", qPrintable(words.join(' ')), process.readAll().constData());
    }
  };
  run({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
       "-days", "2", "-subj", "/CN=" + name, "-keyout", at(".key"), "-out", at(".pem")});
  QFile::setPermissions(at(".key"), QFile::ReadOwner | QFile::WriteOwner);
  auto security = Security::fromCertificates(
      {at(".pem").toStdString(), at(".key").toStdString(), at(".pem").toStdString()});
  if (!security) qFatal("%s", security.error().c_str());
  return *security;
}

void tst_strangers::thoseWithTheKeyUnderstandEachOther_data() {
  QTest::addColumn<bool>("certificates");
  QTest::newRow("a key") << false;
  QTest::newRow("certificates") << true;
}

void tst_strangers::thoseWithTheKeyUnderstandEachOther() {
  QFETCH(bool, certificates);
  const SharedSecurity security = certificates ? certificate("ours") : key("ours");
  Pair pipes = pairOf(security, security);
  QVERIFY2(pipes.first && pipes.second, (pipes.problem + pipes.refusal).c_str());
  QCOMPARE(pipes.first->peer()->node, std::string("home"));
  QCOMPARE(pipes.second->peer()->node, std::string("leaf"));
  std::mt19937 random(7);
  std::vector<Bytes> sent;
  for (const std::size_t size : {1u, 100u, 16384u, 65536u, 5u << 20}) {
    for (int i = 0; i < 3; ++i) {
      Bytes message(size + random() % 5);
      for (auto& byte : message) byte = static_cast<std::byte>(random());
      pipes.first->send(message);
      pipes.second->send(message);
      sent.push_back(std::move(message));
    }
  }
  std::vector<Bytes> there, back;
  const auto end = soon();
  while ((there.size() < sent.size() || back.size() < sent.size()) && Clock::now() < end) {
    QVERIFY(pipes.first->flush() && pipes.second->flush());
    const auto into = [](std::vector<Bytes>& list) {
      return [&list](auto message) { list.emplace_back(message.begin(), message.end()); };
    };
    // As a node does: only when the descriptor says so.
    pollfd waiting[] = {{pipes.first->descriptor(), POLLIN, 0},
                        {pipes.second->descriptor(), POLLIN, 0}};
    ::poll(waiting, 2, 10);
    if (waiting[0].revents != 0) QVERIFY(pipes.first->receive(into(back)).has_value());
    if (waiting[1].revents != 0) QVERIFY(pipes.second->receive(into(there)).has_value());
  }
  QVERIFY(there == sent);
  QVERIFY(back == sent);
  pipes.first.reset();
  const auto ended = [&] {
    const auto received = pipes.second->receive([](auto) {});
    return !received && received.error().kind == PipeError::Kind::Closed;
  };
  QTRY_VERIFY(ended());
}

void tst_strangers::whoHasNoKeyIsTurnedAway_data() {
  QTest::addColumn<QString>("connects");
  QTest::addColumn<QString>("accepts");
  QTest::newRow("no key") << "" << "ours";
  QTest::newRow("another key") << "theirs" << "ours";
  QTest::newRow("a key where there is none") << "ours" << "";
  QTest::newRow("certificates for a key") << "certificate" << "ours";
  QTest::newRow("a key for certificates") << "ours" << "certificate";
  QTest::newRow("another authority") << "certificate" << "other certificate";
}

void tst_strangers::whoHasNoKeyIsTurnedAway() {
  QFETCH(QString, connects);
  QFETCH(QString, accepts);
  const auto security = [this](const QString& what) -> SharedSecurity {
    if (what.isEmpty()) return nullptr;
    if (what == "certificate") return certificate("first");
    if (what == "other certificate") return certificate("second");
    return key(what.toUtf8());
  };
  const Pair pipes = pairOf(security(connects), security(accepts));
  QVERIFY(!pipes.first);
  QVERIFY(!pipes.second);
  qInfo("connects: %s\naccepts: %s", pipes.problem.c_str(), pipes.refusal.c_str());
  QVERIFY(pipes.problem.find("key") != std::string::npos ||
          pipes.problem.find("certificate") != std::string::npos);
}

void tst_strangers::garbageForAKeyIsTurnedAway() {
  auto listener = TcpListener::listen({"127.0.0.1", 0}, {key("ours"), nullptr});
  QVERIFY(listener.has_value());
  std::mt19937 random(11);
  const auto garbage = [&](std::size_t bytes) {
    Bytes result(bytes);
    for (auto& byte : result) byte = static_cast<std::byte>(random());
    return result;
  };
  std::vector<Bytes> all{bytesOf("GET / HTTP/1.1\r\n\r\n"), garbage(100), garbage(20000)};
  // Looks like the first record of TLS, and never comes to its end.
  Bytes record = bytesOf(std::string_view("\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03", 11));
  const Bytes rest = garbage(0x4000);
  record.insert(record.end(), rest.begin(), rest.end());
  all.push_back(record);
  for (const Bytes& one : all) {
    const UniqueFd socket = rawConnection(*listener);
    QVERIFY(::send(socket.get(), one.data(), one.size(), MSG_NOSIGNAL) > 0);
    const auto end = Clock::now() + std::chrono::seconds(3);  // before it is a matter of patience
    bool ended = false;
    while (!ended && Clock::now() < end) {
      QVERIFY(!listener->accept(greetingOf("home")));
      ended = isEnded(socket);
    }
    QVERIFY(ended);
  }
  QCOMPARE(listener->waiting(), std::size_t{0});
}

void tst_strangers::whoSaysNothingIsTurnedAwayInTime() {
  auto listener = TcpListener::listen({"127.0.0.1", 0});
  QVERIFY(listener.has_value());
  std::string why;
  listener->onRefusal([&](const std::string& text) { why = text; });
  const UniqueFd silent = rawConnection(*listener);
  const UniqueFd slow = rawConnection(*listener);
  const Bytes greeting = fabric::toWire(greetingOf("slow"));
  say(slow, {std::byte{200}});
  const auto begin = Clock::now();
  // The listener alone says when something is due.
  while (!(isEnded(silent) && isEnded(slow)) && Clock::now() < soon()) {
    pollfd waiting{listener->descriptor(), POLLIN, 0};
    QVERIFY(::poll(&waiting, 1, 20000) == 1);
    QVERIFY(!listener->accept(greetingOf("home")));
  }
  QVERIFY(Clock::now() - begin >= TcpListener::patience - std::chrono::milliseconds(100));
  QVERIFY(why.find("within 5 s") != std::string::npos);
  QCOMPARE(listener->waiting(), std::size_t{0});
}

void tst_strangers::onlySoManyMayWait() {
  auto listener = TcpListener::listen({"127.0.0.1", 0}, {key("ours"), nullptr});
  QVERIFY(listener.has_value());
  std::vector<UniqueFd> strangers;
  for (std::size_t i = 0; i < TcpListener::mostWaiting + 40; ++i) {
    strangers.push_back(rawConnection(*listener));
    QVERIFY(strangers.back());
    QVERIFY(!listener->accept(greetingOf("home")));
    QVERIFY(listener->waiting() <= TcpListener::mostWaiting);
  }
  QTRY_COMPARE(listener->waiting(), TcpListener::mostWaiting);
  std::size_t ended = 0;
  for (const UniqueFd& one : strangers) ended += isEnded(one) ? 1 : 0;
  QCOMPARE(ended, std::size_t{40});
  // And a node still gets in.
  std::unique_ptr<TcpPipe> node;
  std::thread other([&, address = listener->address()] {
    auto pipe = TcpPipe::connect(address, greetingOf("leaf"), soon(), {key("ours"), nullptr});
    if (pipe) node = std::move(*pipe);
  });
  std::unique_ptr<TcpPipe> accepted;
  const auto end = soon();
  while (!accepted && Clock::now() < end) accepted = listener->accept(greetingOf("home"));
  other.join();
  QVERIFY(accepted && node);
}

void tst_strangers::nobodyIsAcceptedWithoutDescriptors() {
  auto listener = TcpListener::listen({"127.0.0.1", 0});
  QVERIFY(listener.has_value());
  std::string why;
  listener->onRefusal([&](const std::string& text) { why = text; });
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(rawConnection(*listener));
  rlimit before{};
  QCOMPARE(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd highest(::fcntl(0, F_DUPFD_CLOEXEC, 0));
  const rlimit none{rlim_t(highest.get()), before.rlim_max};
  QCOMPARE(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int i = 0; i < 100; ++i) {
    if (listener->accept(greetingOf("home"))) break;
  }
  // The descriptor is not readable while nothing can be accepted: no loop spins.
  pollfd waiting{listener->descriptor(), POLLIN, 0};
  const int ready = ::poll(&waiting, 1, 0);
  const std::size_t waitingThen = listener->waiting();
  QCOMPARE(::setrlimit(RLIMIT_NOFILE, &before), 0);
  QCOMPARE(ready, 0);
  QCOMPARE(waitingThen, std::size_t{0});
  QVERIFY2(why.find("have to wait") != std::string::npos, why.c_str());
  // Those who had to wait are accepted when there are descriptors again.
  const auto all = [&] {
    if (listener->accept(greetingOf("home"))) return false;
    return listener->waiting() == strangers.size();
  };
  QTRY_VERIFY(all());
}

void tst_strangers::announcedLengthsTakeNoMemory() {
  Account account(1 << 20);
  auto listener = TcpListener::listen({"127.0.0.1", 0}, {nullptr, &account});
  QVERIFY(listener.has_value());
  const UniqueFd socket = rawConnection(*listener);
  Bytes greeting = fabric::toWire(greetingOf("leaf"));
  const auto length = static_cast<std::uint32_t>(greeting.size());
  const auto* head = reinterpret_cast<const std::byte*>(&length);
  greeting.insert(greeting.begin(), head, head + sizeof length);
  say(socket, greeting);
  std::unique_ptr<TcpPipe> pipe;
  const auto end = soon();
  while (!pipe && Clock::now() < end) pipe = listener->accept(greetingOf("home"));
  QVERIFY(pipe);
  QCOMPARE(account.most, std::uint64_t{0});
  say(socket, {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x40}, std::byte{1}});
  for (int i = 0; i < 100; ++i) QVERIFY(pipe->receive([](auto) {}).has_value());
  QCOMPARE(account.most, std::uint64_t{0});
}

void tst_strangers::whatIsSentCountsInTheBudget() {
  constexpr std::uint64_t budget = 8 << 20;
  Account account(budget);
  auto listener = TcpListener::listen({"127.0.0.1", 0}, {nullptr, &account});
  QVERIFY(listener.has_value());
  std::unique_ptr<TcpPipe> sender, receiver;
  std::thread other([&, address = listener->address()] {
    auto pipe = TcpPipe::connect(address, greetingOf("leaf"), soon());
    if (pipe) sender = std::move(*pipe);
  });
  const auto end = soon();
  while (!receiver && Clock::now() < end) receiver = listener->accept(greetingOf("home"));
  other.join();
  QVERIFY(sender && receiver);
  // Fits, and is given back.
  sender->send(Bytes(2 << 20));
  std::size_t got = 0;
  while (got == 0 && Clock::now() < end) {
    QVERIFY(sender->flush().has_value());
    QVERIFY(receiver->receive([&](auto message) { got = message.size(); }).has_value());
  }
  QCOMPARE(got, std::size_t{2 << 20});
  QVERIFY(account.most > std::uint64_t{2 << 20});
  sender->send(Bytes(1));
  while (got != 1 && Clock::now() < end) {
    QVERIFY(sender->flush().has_value());
    QVERIFY(receiver->receive([&](auto message) { got = message.size(); }).has_value());
  }
  QVERIFY(account.used < (1 << 20));
  // Does not fit, and ends the connection.
  sender->send(Bytes(64 << 20));
  std::string why;
  while (why.empty() && Clock::now() < end) {
    if (!sender->flush()) break;
    if (auto received = receiver->receive([](auto) {}); !received) why = received.error().text;
  }
  QVERIFY2(why.find("TUTTI_MEMORY") != std::string::npos, why.c_str());
  QVERIFY(account.most <= budget);
  receiver.reset();
  QCOMPARE(account.used, std::uint64_t{0});
}

void tst_strangers::aRefusalIsToldOnceAMinute() {
  OnceAMinute told;
  const auto now = Clock::now();
  QVERIFY(told.mayTell("10.0.0.1", now));
  QVERIFY(!told.mayTell("10.0.0.1", now + std::chrono::seconds(59)));
  QVERIFY(told.mayTell("10.0.0.2", now));
  QVERIFY(told.mayTell("10.0.0.1", now + std::chrono::seconds(60)));
  std::size_t lines = 0;
  for (int i = 0; i < 10000; ++i) lines += told.mayTell("many " + std::to_string(i), now) ? 1 : 0;
  QVERIFY(lines <= OnceAMinute::mostNames);
  // The listener does so.
  auto listener = TcpListener::listen({"127.0.0.1", 0});
  QVERIFY(listener.has_value());
  int refusals = 0;
  listener->onRefusal([&](const std::string&) { ++refusals; });
  for (int i = 0; i < 50; ++i) {
    const UniqueFd socket = rawConnection(*listener);
    say(socket, bytesOf("GET / HTTP/1.1\r\n\r\n"));
    const auto end = soon();
    while (!isEnded(socket) && Clock::now() < end) (void)listener->accept(greetingOf("home"));
  }
  QCOMPARE(refusals, 1);
}

// --- datagrams -----------------------------------------------------------------------------------

namespace {

/// Two ports that know each other; what they send lies in their wires.
struct TwoPorts {
  std::array<OpenWire*, 2> wires{};
  std::array<std::unique_ptr<DatagramPort>, 2> ports;
  std::array<std::vector<Bytes>, 2> got;

  explicit TwoPorts(const Bytes& key = randomDatagramKey()) {
    for (std::size_t i = 0; i < 2; ++i) {
      auto wire = std::make_unique<OpenWire>();
      wires[i] = wire.get();
      DatagramPort::Options options;
      options.sealed = true;
      auto port = DatagramPort::make(std::move(wire), options);
      if (!port) qFatal("%s", port.error().c_str());
      ports[i] = std::move(*port);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      ports[i]->addPeer(1 - i, SocketAddress(), ports[1 - i]->token(), key);
    }
  }
  /// What one has sent arrives at the other.
  void pass(std::size_t from) {
    for (Bytes& one : wires[from]->sent) wires[1 - from]->came.push_back(std::move(one));
    wires[from]->sent.clear();
    take(1 - from);
  }
  void take(std::size_t at) {
    ports[at]->receive([&](DatagramPort::PeerId, std::span<const std::byte> message) {
      got[at].emplace_back(message.begin(), message.end());
    });
  }
  bool connected() {
    for (int i = 0; i < 20; ++i) {
      for (std::size_t each = 0; each < 2; ++each) {
        ports[each]->tick(Clock::now() + i * std::chrono::milliseconds(60));
        pass(each);
      }
    }
    return ports[0]->reaches(1) && ports[1]->reaches(0);
  }
};

}  // namespace

void tst_strangers::sealedDatagramsAreReadByNobodyElse() {
  TwoPorts two;
  QVERIFY(two.connected());
  const Bytes message = bytesOf("what nobody else shall read");
  two.ports[0]->send(1, message);
  two.ports[0]->flush();
  QCOMPARE(two.wires[0]->sent.size(), std::size_t{1});
  const Bytes& sealed = two.wires[0]->sent.front();
  QVERIFY(std::search(sealed.begin(), sealed.end(), message.begin(), message.begin() + 8) ==
          sealed.end());
  two.pass(0);
  QVERIFY(two.got[1] == std::vector<Bytes>{message});
  // One without the keys says the same things in vain.
  TwoPorts without{Bytes()};
  QVERIFY(!without.connected());
}

void tst_strangers::changedAndRepeatedDatagramsAreIgnored() {
  TwoPorts two;
  QVERIFY(two.connected());
  two.ports[0]->send(1, bytesOf("once"));
  two.ports[0]->flush();
  const Bytes sealed = two.wires[0]->sent.front();
  two.wires[0]->sent.clear();
  // Each bit changed.
  const auto before = two.ports[1]->figures();
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    Bytes changed = sealed;
    changed[bit / 8] ^= std::byte{1} << (bit % 8);
    two.wires[1]->came.push_back(changed);
    two.take(1);
  }
  // Cut, and longer.
  for (std::size_t bytes = 0; bytes < sealed.size(); ++bytes) {
    two.wires[1]->came.emplace_back(sealed.begin(), sealed.begin() + std::ptrdiff_t(bytes));
    two.take(1);
  }
  Bytes longer = sealed;
  longer.push_back({});
  two.wires[1]->came.push_back(longer);
  // Back to where it came from.
  two.wires[0]->came.push_back(sealed);
  two.take(0);
  two.take(1);
  QVERIFY(two.got[0].empty() && two.got[1].empty());
  QCOMPARE(two.ports[1]->figures().received, before.received);
  // As it is, once.
  for (int i = 0; i < 5; ++i) two.wires[1]->came.push_back(sealed);
  two.take(1);
  QVERIFY(two.got[1] == std::vector<Bytes>{bytesOf("once")});
  QCOMPARE(two.ports[1]->figures().received, before.received + 1);
}

QTEST_GUILESS_MAIN(tst_strangers)
#include "tst_strangers.moc"
