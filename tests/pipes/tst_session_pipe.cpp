// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions between nodes outlive their connections: whatever is cut, and wherever in the stream,
// nothing is lost, doubled or reordered; only a process that ends, or the grace, ends one.
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <array>
#include <limits>
#include <random>

#include "account.h"
#include "pipes/session_listener.h"

using namespace tutti;
using namespace tutti::pipes;
using namespace std::chrono_literals;
using fabric::Bytes;
using fabric::UniqueFd;
using test::Account;
using Kind = PipeError::Kind;

namespace {

constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
enum Direction { ToListener, ToDialer };

Greeting greetingOf(const char* node) {
  Greeting greeting;
  greeting.node = node;
  return greeting;
}

/// A connection whose bytes the test passes on, or not: a cable that can be cut after any byte.
class Line {
 public:
  Line() {
    for (int side = 0; side < 2; ++side) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
        qFatal("no sockets");
      }
      outer_[side] = UniqueFd(ends[0]);
      inner_[side] = UniqueFd(ends[1]);
    }
  }
  UniqueFd takeEnd(int side) { return std::move(outer_[side]); }

  /// So many more bytes pass in that direction.
  std::array<std::size_t, 2> left{all, all};
  /// What is sent in that direction lies with its sender, whose kernel will send it again some time.
  std::array<bool, 2> waits{};
  /// Ended by the kernels, because the other side did not answer.
  bool timedOut = false;

  bool isCut() const { return left[0] == 0 || left[1] == 0; }
  void join() { left = {all, all}; }
  void pass() {
    for (int from = 0; from < 2; ++from) pass(from);
  }
  std::uint64_t passed(int direction) const { return passed_[direction]; }

 private:
  void pass(int from) {
    if (waits[from]) return;
    Bytes& pending = pending_[from];
    std::array<std::byte, 65536> buffer;
    while (left[from] != 0 && pending.empty() && !ended_[from]) {
      const ssize_t count =
          ::read(inner_[from].get(), buffer.data(), std::min(buffer.size(), left[from]));
      if (count < 0) return;
      if (count == 0) {
        ended_[from] = true;
        ::shutdown(inner_[1 - from].get(), SHUT_WR);
        return;
      }
      passed_[from] += static_cast<std::uint64_t>(count);
      if (left[from] != all) left[from] -= static_cast<std::size_t>(count);
      pending.assign(buffer.begin(), buffer.begin() + count);
      deliver(from);
    }
    deliver(from);
  }
  void deliver(int from) {
    Bytes& pending = pending_[from];
    if (pending.empty()) return;
    const ssize_t count =
        ::send(inner_[1 - from].get(), pending.data(), pending.size(), MSG_NOSIGNAL);
    if (count > 0) pending.erase(pending.begin(), pending.begin() + count);
    if (count < 0 && errno != EAGAIN) pending.clear();
  }

  UniqueFd outer_[2];  ///< by direction, of the side that sends so
  UniqueFd inner_[2];
  Bytes pending_[2];
  bool ended_[2] = {};
  std::uint64_t passed_[2] = {};
};

/// One end of a line. Time is the test's: what is cut for longer than Pipe::reach is found cut off.
class LineEnd final : public Pipe {
 public:
  LineEnd(std::shared_ptr<Line> line, int side, const char* node)
      : line_(std::move(line)),
        pipe_(std::make_unique<PlainStream>(line_->takeEnd(side)), greetingOf(node), "there") {}

  void send(std::span<const std::byte> message) override { pipe_.send(message); }
  Outcome flush() override { return line_->timedOut ? timedOut() : pipe_.flush(); }
  Outcome receive(const Take& take) override {
    return line_->timedOut ? timedOut() : pipe_.receive(take);
  }
  Outcome tick(Clock::time_point now) override {
    if (line_->timedOut) return timedOut();
    if (!line_->isCut()) cutSince_.reset();
    if (line_->isCut() && !cutSince_) cutSince_ = now;
    if (cutSince_ && now - *cutSince_ > reach) {
      return tl::unexpected(PipeError{Kind::CutOff, "cut off"});
    }
    return pipe_.flush();
  }
  std::size_t queuedBytes() const override { return pipe_.queuedBytes(); }
  const std::optional<Greeting>& peer() const override { return pipe_.peer(); }
  int descriptor() const override { return pipe_.descriptor(); }
  std::string remoteName() const override { return "there"; }

 private:
  static Outcome timedOut() {
    return tl::unexpected(PipeError{Kind::Unreachable, "timed out"});
  }
  std::shared_ptr<Line> line_;
  TcpPipe pipe_;
  std::optional<Clock::time_point> cutSince_;
};

/// Two nodes, and the lines between them.
class World {
 public:
  explicit World(std::chrono::milliseconds grace = SessionPipe::defaultGrace,
                 std::chrono::milliseconds longestWait = std::chrono::milliseconds(0))
      : grace_(grace), longestWait_(longestWait) {
    listener.emplace(grace, nullptr, longestWait);
    auto line = newLine();
    auto first = std::make_unique<LineEnd>(line, ToListener, "leaf");
    for (int i = 0; i < 10 && !first->peer(); ++i) {
      [[maybe_unused]] const auto flushed = first->flush();
      line->pass();
      [[maybe_unused]] const auto received = first->receive({});
    }
    if (!first->peer()) qFatal("no greeting");
    dialer = std::make_unique<SessionPipe>(std::move(first), [this] { return dial(); }, now);
    // Up to here nothing of it has left.
  }

  struct Side {
    std::vector<Bytes> got;
    std::optional<PipeError> error;
  };
  Side atDialer, atListener;
  std::unique_ptr<SessionPipe> dialer, accepted;
  std::optional<SessionListener> listener;
  std::vector<std::shared_ptr<Line>> lines;
  Clock::time_point now{};
  /// What becomes of a new line; null or false from a refusing host.
  std::function<bool(Line&)> onLine;
  bool refuses = false;
  std::size_t mostQueued = 0;

  void restartListener() {
    accepted.reset();
    listener.emplace(grace_, nullptr, longestWait_);
  }
  void step() {
    now += 50ms;
    turn(dialer, atDialer, true);
    listener->tick(now);
    if (auto session = listener->accept(greetingOf("home"), now)) {
      if (accepted) qFatal("a second session");
      accepted = std::move(session);
    }
    turn(accepted, atListener, true);
    // Several rounds: nothing depends on how many turns a round trip takes.
    for (int i = 0; i < 3; ++i) {
      for (std::size_t n = 0; n < lines.size(); ++n) lines[n]->pass();
      turn(dialer, atDialer, false);
      if (auto session = listener->accept(greetingOf("home"), now)) accepted = std::move(session);
      turn(accepted, atListener, false);
    }
  }
  template <class Done>
  bool until(const Done& done, std::chrono::milliseconds limit = 60s) {
    const auto end = now + limit;
    while (!done() && now < end && !atDialer.error && !atListener.error) step();
    return done();
  }
  bool failed() const { return atDialer.error || atListener.error; }
  QString errors() const {
    return QString::fromStdString((atDialer.error ? "dialer: " + atDialer.error->text : "") +
                                  (atListener.error ? " listener: " + atListener.error->text : ""));
  }

 private:
  std::shared_ptr<Line> newLine() {
    auto line = std::make_shared<Line>();
    lines.push_back(line);
    listener->take(std::make_unique<LineEnd>(line, ToDialer, "home"), now);
    return line;
  }
  tl::expected<std::unique_ptr<Pipe>, PipeError> dial() {
    if (refuses) return tl::unexpected(PipeError{Kind::Refused, "refused"});
    auto line = newLine();
    if (onLine && !onLine(*line)) {
      return tl::unexpected(PipeError{Kind::System, "no way there"});
    }
    return std::unique_ptr<Pipe>(std::make_unique<LineEnd>(line, ToListener, "leaf"));
  }
  void turn(std::unique_ptr<SessionPipe>& pipe, Side& side, bool ticks) {
    if (!pipe || side.error) return;
    const auto keep = [&](const Outcome& outcome) {
      if (!outcome && !side.error) side.error = outcome.error();
    };
    if (ticks) keep(pipe->tick(now));
    if (!side.error) {
      keep(pipe->receive([&](auto m) { side.got.emplace_back(m.begin(), m.end()); }));
    }
    if (!side.error) keep(pipe->flush());
    mostQueued = std::max(mostQueued, pipe->queuedBytes());
  }
  std::chrono::milliseconds grace_;
  std::chrono::milliseconds longestWait_;
};

Bytes messageOf(std::uint32_t number, std::size_t bytes) {
  Bytes message(sizeof number + bytes);
  std::memcpy(message.data(), &number, sizeof number);
  for (std::size_t i = 0; i < bytes; ++i) {
    message[sizeof number + i] = static_cast<std::byte>(number * 31 + i * 7);
  }
  return message;
}

/// Sends numbered messages both ways and knows what has to arrive.
struct Talk {
  std::vector<Bytes> sent[2];
  void say(SessionPipe& pipe, int direction, std::size_t bytes) {
    auto& those = sent[direction];
    those.push_back(messageOf(static_cast<std::uint32_t>(those.size()), bytes));
    pipe.send(those.back());
  }
  bool arrived(const World& world) const {
    return world.atListener.got.size() >= sent[ToListener].size() &&
           world.atDialer.got.size() >= sent[ToDialer].size();
  }
  bool isRight(const World& world) const {
    return world.atListener.got == sent[ToListener] && world.atDialer.got == sent[ToDialer];
  }
};

}  // namespace

class tst_session_pipe : public QObject {
  Q_OBJECT

 private slots:
  void messagesOfAnySizeArriveWholeAndInOrder();
  void aCutAfterAnyByteLosesNothing_data();
  void aCutAfterAnyByteLosesNothing();
  void aSecondCutAfterAnyByteLosesNothing();
  void aLongMessageGetsThroughManyShortConnections();
  void whatIsKeptCountsInTheBudget();
  void whatIsKeptGrowsInBlocks();
  void halfAMessageCountsInTheBudget();
  void randomHistories();
  void whatIsKeptIsBounded();
  void aCutIsNoEndBeforeTheGrace();
  void aWaitExtendsTheGrace();
  void withoutAWaitTheGraceEnds();
  void whatWasSentAndHasComeIsCounted();
  void theOldConnectionMayGoOn();
  void oneDirectionOfTheOldConnectionIsNotEnough_data();
  void oneDirectionOfTheOldConnectionIsNotEnough();
  void theFirstConnectionMayComeSecond();
  void aTimeOutOfAConnectionIsNoDeath();
  void theEndOfTheProcessIsTheEndAtOnce();
  void anEndOfTheProcessDuringACutIsFoundByDialling();
  void aNodeThatWasStartedAnewDoesNotKnowTheSession();
  void strangersCannotResumeASession();
  void whoSaysNothingIsClosed();
  void silenceOfTheNodeEndsIt();
};

void tst_session_pipe::messagesOfAnySizeArriveWholeAndInOrder() {
  World world;
  Talk talk;
  for (const std::size_t size : {0u, 1u, 3u, 100u, 16384u, 65536u, 1u << 20, 5u << 20}) {
    talk.say(*world.dialer, ToListener, size);
  }
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  for (const std::size_t size : {5u << 20, 7u, 100000u}) {
    talk.say(*world.accepted, ToDialer, size);
  }
  QVERIFY(world.until([&] { return talk.arrived(world); }));
  QVERIFY(talk.isRight(world));
  QVERIFY(world.until([&] {
    return world.dialer->queuedBytes() == 0 && world.accepted->queuedBytes() == 0;
  }));
  QCOMPARE(world.dialer->peer()->node, std::string("home"));
  QCOMPARE(world.accepted->peer()->node, std::string("leaf"));
  QCOMPARE(world.lines.size(), std::size_t(1));
}

void tst_session_pipe::aCutAfterAnyByteLosesNothing_data() {
  QTest::addColumn<int>("direction");
  QTest::addColumn<bool>("both");
  QTest::newRow("to the listener") << int(ToListener) << false;
  QTest::newRow("to the dialer") << int(ToDialer) << false;
  QTest::newRow("both ways") << int(ToListener) << true;
}

void tst_session_pipe::aCutAfterAnyByteLosesNothing() {
  QFETCH(int, direction);
  QFETCH(bool, both);
  std::size_t cuts = 0;
  for (std::size_t at = 0;; ++at) {
    World world;
    Talk talk;
    Line& first = *world.lines.front();
    if (both) first.left = {at, at};
    first.left[direction] = at;
    for (int i = 0; i < 5; ++i) talk.say(*world.dialer, ToListener, 20);
    // If its beginning was cut, the session begins with another connection.
    QVERIFY2(world.until([&] { return world.accepted != nullptr; }), qPrintable(world.errors()));
    for (int i = 0; i < 5; ++i) talk.say(*world.accepted, ToDialer, 20);
    const bool arrived = world.until([&] { return talk.arrived(world); });
    QVERIFY2(arrived && talk.isRight(world),
             qPrintable(QString("cut after %1: %2").arg(at).arg(world.errors())));
    for (int i = 0; i < 3; ++i) world.step();
    QVERIFY(talk.isRight(world));
    if (world.lines.size() == 1) break;  // all of it has passed before
    ++cuts;
  }
  QVERIFY2(cuts > 100, qPrintable(QString::number(cuts)));
}

// The connection that resumes the session is cut as well.
void tst_session_pipe::aSecondCutAfterAnyByteLosesNothing() {
  for (const int direction : {int(ToListener), int(ToDialer)}) {
    std::size_t cuts = 0;
    for (std::size_t at = 0; at < 400; ++at) {
      World world;
      Talk talk;
      world.onLine = [&](Line& line) {
        if (world.lines.size() == 2) line.left[direction] = at;
        return true;
      };
      QVERIFY(world.until([&] { return world.accepted != nullptr; }));
      for (int i = 0; i < 5; ++i) {
        talk.say(*world.dialer, ToListener, 20);
        talk.say(*world.accepted, ToDialer, 20);
      }
      world.lines.front()->left = {40, 60};
      const bool arrived = world.until([&] { return talk.arrived(world); });
      QVERIFY2(arrived && talk.isRight(world),
               qPrintable(QString("cut after %1: %2").arg(at).arg(world.errors())));
      // It goes on for more than what was under way.
      for (int i = 0; i < 80; ++i) world.step();
      talk.say(*world.dialer, ToListener, 20);
      talk.say(*world.accepted, ToDialer, 20);
      QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
      QVERIFY(talk.isRight(world));
      if (world.lines.size() > 2) ++cuts;
    }
    QVERIFY2(cuts > 100, qPrintable(QString::number(cuts)));
  }
}

// No connection lives long enough for the whole of it.
void tst_session_pipe::aLongMessageGetsThroughManyShortConnections() {
  World world;
  Talk talk;
  world.onLine = [&](Line& line) {
    line.left[ToListener] = 100'000;
    return true;
  };
  world.lines.front()->left[ToListener] = 100'000;
  talk.say(*world.dialer, ToListener, 1 << 20);
  QVERIFY2(world.until([&] { return talk.arrived(world); }, 10min), qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
  QVERIFY(world.lines.size() > 10);
}

void tst_session_pipe::randomHistories() {
  const int seeds = qEnvironmentVariableIsSet("TUTTI_TEST_SEEDS")
                        ? qEnvironmentVariableIntValue("TUTTI_TEST_SEEDS")
                        : 200;
  std::size_t connections = 0;
  std::size_t cuts = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
    World world;
    Talk talk;
    const auto spoil = [&](Line& line) {
      // A cut in one direction or both, here or after some bytes.
      for (auto& left : line.left) {
        if (chance(60)) left = chance(30) ? 0 : random() % (chance(50) ? 300 : 100'000);
      }
      ++cuts;
    };
    world.onLine = [&](Line& line) {
      if (chance(60)) spoil(line);
      return !chance(10);
    };
    QVERIFY(world.until([&] { return world.accepted != nullptr; }));
    for (int i = 0; i < 400; ++i) {
      for (const int direction : {int(ToListener), int(ToDialer)}) {
        SessionPipe& pipe = direction == ToListener ? *world.dialer : *world.accepted;
        if (chance(30) && pipe.queuedBytes() < 300'000) {
          talk.say(pipe, direction, chance(3) ? random() % 200'000 : random() % 100);
        }
      }
      for (auto& line : world.lines) {
        if (chance(1)) {
          if (line->isCut()) {
            line->join();
          } else {
            spoil(*line);
          }
        }
      }
      world.step();
      QVERIFY2(!world.failed(),
               qPrintable(QString("seed %1: %2").arg(seed).arg(world.errors())));
    }
    // It may not be lost by chance alone: from now on there is a way.
    world.onLine = nullptr;
    const bool arrived = world.until([&] { return talk.arrived(world); });
    QVERIFY2(arrived && talk.isRight(world),
             qPrintable(QString("seed %1: %2").arg(seed).arg(world.errors())));
    for (int i = 0; i < 10; ++i) world.step();
    QVERIFY2(talk.isRight(world), qPrintable(QString("seed %1").arg(seed)));
    connections += world.lines.size();
  }
  qInfo("%d histories: %zu connections, %zu cuts", seeds, connections, cuts);
  QVERIFY(connections > std::size_t(2 * seeds));
}

void tst_session_pipe::whatIsKeptIsBounded() {
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  constexpr std::size_t limit = 1 << 20;
  constexpr std::size_t bytes = 10'000;
  // The cut lasts; the sender stops as nodes do.
  world.lines.front()->left[ToListener] = 50'000;
  for (int i = 0; i < 200; ++i) {
    while (world.dialer->queuedBytes() < limit) talk.say(*world.dialer, ToListener, bytes);
    world.onLine = [](Line&) { return false; };
    world.step();
  }
  QVERIFY(world.dialer->suspectSince().has_value());
  QVERIFY(world.mostQueued >= limit);
  QVERIFY(world.mostQueued < limit + 2 * bytes);
  world.onLine = nullptr;
  QVERIFY(world.until([&] { return talk.arrived(world); }));
  QVERIFY(talk.isRight(world));
  QVERIFY(world.until([&] { return world.dialer->queuedBytes() == 0; }));
}

void tst_session_pipe::aCutIsNoEndBeforeTheGrace() {
  World world(5s);
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  QVERIFY(world.until([&] { return world.dialer->grace() == 5s; }));
  const auto cutAt = world.now;
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line&) { return false; };
  QVERIFY(world.until(
      [&] { return world.dialer->suspectSince() && world.accepted->suspectSince(); }));
  QVERIFY(world.now - cutAt >= Pipe::reach);
  QVERIFY(world.now - cutAt < Pipe::reach + 500ms);
  const auto suspect = world.now;
  // Each side by itself.
  while (!world.failed()) world.step();
  QVERIFY(world.now - suspect >= 4900ms);
  QVERIFY(world.now - suspect < 5500ms);
  world.step();
  QVERIFY(world.atDialer.error && world.atListener.error);
  for (const auto* side : {&world.atDialer, &world.atListener}) {
    QCOMPARE(side->error->kind, Kind::CutOff);
    QVERIFY(side->error->text.find("--grace") != std::string::npos);
  }
}

// An operator has the listening side wait longer, the other side waits that long by itself: after a
// cut that was longer than the grace nothing is lost.
void tst_session_pipe::aWaitExtendsTheGrace() {
  World world(5s, 20s);
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  QVERIFY(world.until([&] { return world.dialer->grace() == 5s; }));
  QCOMPARE(world.accepted->waitLonger(10s), 0ms);  // it is not suspect
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line&) { return false; };
  QVERIFY(
      world.until([&] { return world.dialer->suspectSince() && world.accepted->suspectSince(); }));
  const auto suspect = world.now;
  for (int i = 0; i < 5; ++i) {
    talk.say(*world.dialer, ToListener, 100);
    talk.say(*world.accepted, ToDialer, 100);
  }
  // Twice: as far as the longest wait allows.
  QCOMPARE(world.accepted->waitLonger(15s), 15'000ms);
  QCOMPARE(world.accepted->waitLonger(15s), 5000ms);
  QCOMPARE(world.accepted->waitLonger(15s), 0ms);
  QCOMPARE(world.accepted->session()->grace, 25'000ms);
  QCOMPARE(world.dialer->waitLonger(15s), 0ms);  // it waits for the longest anyway
  QCOMPARE(world.dialer->session()->grace, 25'000ms);
  while (!world.failed() && world.now - suspect < 24s) world.step();
  QVERIFY2(!world.failed(), qPrintable(world.errors()));
  world.onLine = nullptr;
  QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
  QVERIFY(world.until([&] { return !world.accepted->suspectSince(); }));
  // The next time counts anew.
  QCOMPARE(world.accepted->session()->waited, 0ms);
  QCOMPARE(world.accepted->session()->grace, 5000ms);
}

// The side that nobody can tell waits longer than the other, and hears at once when it is back.
void tst_session_pipe::withoutAWaitTheGraceEnds() {
  World world(5s, 20s);
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  QVERIFY(world.until([&] { return world.dialer->grace() == 5s; }));
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line&) { return false; };
  QVERIFY(
      world.until([&] { return world.dialer->suspectSince() && world.accepted->suspectSince(); }));
  const auto suspect = world.now;
  while (!world.failed()) world.step();
  QVERIFY(world.now - suspect < 5500ms);
  QVERIFY(world.atListener.error && !world.atDialer.error);
  QCOMPARE(world.atListener.error->kind, Kind::CutOff);
  world.accepted.reset();
  world.atListener.error.reset();
  world.onLine = nullptr;
  QVERIFY(world.until([&] { return world.atDialer.error.has_value(); }, 2s));
  QCOMPARE(world.atDialer.error->kind, Kind::Closed);
  QVERIFY(world.atDialer.error->text.find("does not know this link") != std::string::npos);
}

// Also over a cut: what is sent again counts once.
void tst_session_pipe::whatWasSentAndHasComeIsCounted() {
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  for (int i = 0; i < 3; ++i) talk.say(*world.dialer, ToListener, 100);
  talk.say(*world.accepted, ToDialer, 100'000);
  world.lines.front()->left = {150, 150};
  QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
  QVERIFY(world.dialer->session()->resumptions > 0);
  const auto dialer = *world.dialer->session();
  const auto listener = *world.accepted->session();
  QCOMPARE(dialer.messagesSent, std::uint64_t(3));
  QCOMPARE(listener.messagesReceived, std::uint64_t(3));
  QCOMPARE(dialer.bytesSent, std::uint64_t(3 * (4 + 4 + 100)));
  QCOMPARE(listener.bytesReceived, dialer.bytesSent);
  QCOMPARE(listener.messagesSent, std::uint64_t(1));
  QCOMPARE(dialer.messagesReceived, std::uint64_t(1));
  QCOMPARE(dialer.bytesReceived, listener.bytesSent);
}

void tst_session_pipe::theOldConnectionMayGoOn() {
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line& line) {
    line.left = {0, 0};
    return true;
  };
  talk.say(*world.dialer, ToListener, 100);
  talk.say(*world.accepted, ToDialer, 100);
  QVERIFY(world.until([&] { return world.dialer->suspectSince() && world.lines.size() > 3; }));
  world.lines.front()->join();
  QVERIFY(world.until([&] { return !world.dialer->suspectSince() && talk.arrived(world); }));
  QVERIFY(talk.isRight(world));
  // None is tried any more.
  const std::size_t tried = world.lines.size();
  for (int i = 0; i < 100; ++i) world.step();
  QCOMPARE(world.lines.size(), tried);
  QVERIFY(!world.failed());
}

// The listening side hears of the session over the second connection, which the other side closes
// when the first one goes on: not the end of its process.
void tst_session_pipe::oneDirectionOfTheOldConnectionIsNotEnough_data() {
  QTest::addColumn<int>("direction");
  QTest::newRow("to the listener") << int(ToListener);
  QTest::newRow("to the dialer") << int(ToDialer);
}

/// After a cut each kernel sends again when its own time has come, which is up to as long after the
/// cut as that has lasted. Until then its side is not heard, though the other direction goes on.
void tst_session_pipe::oneDirectionOfTheOldConnectionIsNotEnough() {
  QFETCH(int, direction);
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  Line& first = *world.lines.front();
  first.left = {0, 0};
  world.onLine = [](Line&) { return false; };
  talk.say(*world.dialer, ToListener, 20);
  talk.say(*world.accepted, ToDialer, 20);
  const auto cutEnds = world.now + 7s;
  QVERIFY(!world.until([&] { return world.now >= cutEnds && talk.arrived(world); }, 7s));
  QVERIFY(world.dialer->suspectSince().has_value());
  first.join();
  first.waits[direction] = true;
  world.onLine = nullptr;
  QVERIFY2(world.until([&] { return talk.arrived(world); }, 5s), qPrintable(world.errors()));
  QVERIFY(world.until([&] {
    return !world.dialer->suspectSince() && !world.accepted->suspectSince();
  }));
  // As long as it is not sent again, and after.
  QVERIFY(!world.until([&] { return world.failed(); }, 20s));
  first.waits[direction] = false;
  QVERIFY(!world.until([&] { return world.failed(); }, 20s));
  QVERIFY2(talk.isRight(world), qPrintable(world.errors()));
}

void tst_session_pipe::theFirstConnectionMayComeSecond() {
  World world;
  Talk talk;
  world.lines.front()->left[ToListener] = 0;
  world.onLine = [](Line& line) {
    line.left[ToDialer] = 0;
    return true;
  };
  talk.say(*world.dialer, ToListener, 100);
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  QVERIFY(world.lines.size() > 1);
  talk.say(*world.accepted, ToDialer, 100);
  world.lines.front()->join();
  QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
  for (int i = 0; i < 20; ++i) world.step();
  QVERIFY2(!world.failed(), qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
}

void tst_session_pipe::aTimeOutOfAConnectionIsNoDeath() {
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  talk.say(*world.dialer, ToListener, 100);
  world.lines.front()->left = {0, 0};
  world.lines.front()->timedOut = true;
  QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
  QVERIFY(world.until([&] { return !world.dialer->suspectSince(); }, 1s));
}

void tst_session_pipe::theEndOfTheProcessIsTheEndAtOnce() {
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  const auto before = world.now;
  world.accepted->send(messageOf(7, 10));
  QVERIFY(world.accepted->flush());
  world.accepted.reset();
  QVERIFY(world.until([&] { return world.atDialer.error.has_value(); }));
  QCOMPARE(world.atDialer.error->kind, Kind::Closed);
  QVERIFY(world.now - before <= 100ms);
  QCOMPARE(world.atDialer.got.size(), std::size_t(1));  // its last words

  World other;
  QVERIFY(other.until([&] { return other.accepted != nullptr; }));
  other.dialer.reset();
  QVERIFY(other.until([&] { return other.atListener.error.has_value(); }));
  QCOMPARE(other.atListener.error->kind, Kind::Closed);
}

void tst_session_pipe::anEndOfTheProcessDuringACutIsFoundByDialling() {
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line&) { return false; };
  QVERIFY(world.until([&] { return world.dialer->suspectSince().has_value(); }));
  world.accepted.reset();
  world.refuses = true;
  QVERIFY(world.until([&] { return world.atDialer.error.has_value(); }, 1s));
  QCOMPARE(world.atDialer.error->kind, Kind::Refused);
}

void tst_session_pipe::aNodeThatWasStartedAnewDoesNotKnowTheSession() {
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  world.lines.front()->left = {0, 0};
  world.onLine = [](Line&) { return false; };
  QVERIFY(world.until([&] { return world.dialer->suspectSince().has_value(); }));
  world.restartListener();
  world.onLine = nullptr;
  QVERIFY(world.until([&] { return world.atDialer.error.has_value(); }, 2s));
  QCOMPARE(world.atDialer.error->kind, Kind::Closed);
  QVERIFY(world.atDialer.error->text.find("does not know this link") != std::string::npos);
}

void tst_session_pipe::strangersCannotResumeASession() {
  World world;
  Talk talk;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  for (const bool isNew : {false, true}) {
    auto line = std::make_shared<Line>();
    LineEnd stranger(line, ToListener, "stranger");
    world.listener->take(std::make_unique<LineEnd>(line, ToDialer, "home"), world.now);
    world.lines.push_back(line);
    SessionSecret guessed = world.accepted->secret();
    guessed.low ^= 1;
    stranger.send(fabric::toWire(
        SessionHello{world.accepted->number(), guessed, !isNew, isNew ? 1u : 2u, 0}));
    std::optional<SessionAnswer> answer;
    bool ended = false;
    const auto serve = [&] {
      [[maybe_unused]] const auto flushed = stranger.flush();
      ended = !stranger.receive([&](auto message) {
        SessionAnswer one;
        if (!answer && fabric::fromWire(message, one)) answer = one;
      });
      return ended;
    };
    QVERIFY(world.until([&] { return serve(); }));
    QVERIFY(answer.has_value());
    QVERIFY(!answer->accepted);
    QCOMPARE(answer->received, std::uint64_t(0));
  }
  talk.say(*world.dialer, ToListener, 100);
  talk.say(*world.accepted, ToDialer, 100);
  QVERIFY(world.until([&] { return talk.arrived(world); }));
  QVERIFY(talk.isRight(world));
}

void tst_session_pipe::whoSaysNothingIsClosed() {
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  std::vector<std::unique_ptr<LineEnd>> silent;
  constexpr std::size_t count = SessionListener::mostWaiting + 10;
  const auto closed = [&] {
    return std::count_if(silent.begin(), silent.end(),
                         [](const auto& one) { return !one->receive([](auto) {}); });
  };
  for (std::size_t i = 0; i < count; ++i) {
    auto line = std::make_shared<Line>();
    silent.push_back(std::make_unique<LineEnd>(line, ToListener, "stranger"));
    world.listener->take(std::make_unique<LineEnd>(line, ToDialer, "home"), world.now);
    world.lines.push_back(line);
  }
  world.step();
  QCOMPARE(closed(), 10);  // those that found no room
  const auto since = world.now;
  QVERIFY(world.until([&] { return closed() == static_cast<std::ptrdiff_t>(count); }));
  QVERIFY(world.now - since <= SessionListener::helloPatience + 200ms);
  QVERIFY(!world.failed());
}

// Its host acknowledges, but the node does not come to speak.
void tst_session_pipe::silenceOfTheNodeEndsIt() {
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  const auto silent = std::move(world.accepted);
  const auto before = world.now;
  QVERIFY(world.until([&] { return world.atDialer.error.has_value(); }));
  QCOMPARE(world.atDialer.error->kind, Kind::Silent);
  QVERIFY(world.now - before > Pipe::patience);
  QVERIFY(!world.dialer->suspectSince());
}

void tst_session_pipe::whatIsKeptCountsInTheBudget() {
  constexpr std::uint64_t budget = 8 << 20;
  Account account(budget);
  World world;
  world.dialer->payFrom(&account);
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  Talk talk;
  talk.say(*world.dialer, ToListener, 1000);
  QVERIFY(world.until([&] { return talk.arrived(world); }));
  QCOMPARE(account.most, std::uint64_t{0});
  // Out of reach: what is sent is kept, and paid for until it has arrived.
  world.lines.back()->left = {0, 0};
  for (int i = 0; i < 3; ++i) talk.say(*world.dialer, ToListener, 1 << 20);
  world.step();
  QVERIFY(account.used >= std::uint64_t{3 << 20} - 64 * 1024);
  world.lines.back()->join();
  QVERIFY2(world.until([&] { return talk.arrived(world) && world.dialer->queuedBytes() == 0; }),
           qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
  QVERIFY(account.used < (1 << 20));
  // More than there is: the session ends, and says why.
  world.lines.back()->left = {0, 0};
  for (int i = 0; i < 64; ++i) talk.say(*world.dialer, ToListener, 1 << 20);
  world.step();
  QVERIFY(world.atDialer.error);
  QVERIFY2(world.atDialer.error->text.find("TUTTI_MEMORY") != std::string::npos,
           qPrintable(world.errors()));
  QVERIFY(account.most <= budget);
  world.dialer.reset();
  QCOMPARE(account.used, std::uint64_t{0});
}

/// Also where little is left of the budget: storage that grew by what each message needs was copied
/// with each, and a node that kept megabytes did nothing else.
void tst_session_pipe::whatIsKeptGrowsInBlocks() {
  constexpr std::uint64_t budget = 3 << 20;
  Account account(budget);
  World world;
  world.dialer->payFrom(&account);
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  world.lines.back()->left = {0, 0};
  Talk talk;
  std::uint64_t growths = 0;
  for (std::uint64_t paid = 0; account.used < budget * 9 / 10;) {
    talk.say(*world.dialer, ToListener, 100);
    if (std::exchange(paid, account.used) != account.used) ++growths;
  }
  QVERIFY(talk.sent[ToListener].size() > 10'000);
  QVERIFY2(growths <= budget / KeptStream::blockBytes, qPrintable(QString::number(growths)));
}

/// A message is announced by its length, and comes in pieces.
void tst_session_pipe::halfAMessageCountsInTheBudget() {
  constexpr std::uint64_t budget = 8 << 20;
  Account account(budget);
  World world;
  QVERIFY(world.until([&] { return world.accepted != nullptr; }));
  world.accepted->payFrom(&account);
  Talk talk;
  talk.say(*world.dialer, ToListener, 3 << 20);
  QVERIFY2(world.until([&] { return talk.arrived(world); }), qPrintable(world.errors()));
  QVERIFY(talk.isRight(world));
  QVERIFY(account.most >= std::uint64_t{3 << 20} - 64 * 1024);
  QCOMPARE(account.used, std::uint64_t{0});
  talk.say(*world.dialer, ToListener, 64 << 20);
  QVERIFY(!world.until([&] { return talk.arrived(world); }));
  QVERIFY(world.atListener.error);
  QVERIFY2(world.atListener.error->text.find("TUTTI_MEMORY") != std::string::npos,
           qPrintable(world.errors()));
  QVERIFY(account.most <= budget);
  world.accepted.reset();
  QCOMPARE(account.used, std::uint64_t{0});
}

QTEST_GUILESS_MAIN(tst_session_pipe)
#include "tst_session_pipe.moc"
