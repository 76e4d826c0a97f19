// SPDX-License-Identifier: GPL-3.0-or-later
// Links between hosts outlive cuts and lossy networks: nothing is lost, doubled or reordered, all
// calls return, and who waits is named meanwhile.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <thread>

#include "core/connection.h"
#include "cutter.h"
#include "fabric/protocol_save.h"
#include "federates/process.h"
#include "observe/node_client.h"
#include "observe/node_links.h"
#include "recorder.h"

using namespace rti1516e;
using tutti::test::Cable;
using tutti::test::Cutter;

namespace {

constexpr Cable shortCable{std::chrono::microseconds(100), 0};
constexpr int hosts = 3;

/// What is said of the link between two nodes; nothing: there is none, or the node is busy.
std::optional<tutti::fabric::LinkStatus> linkAt(const LinkedNodes& nodes, int host,
                                                const QString& contains = {}) {
  const auto visit = nodes.visit(host);
  const auto links = tutti::observe::linksOf(nodes.nodeName(host).toStdString());
  if (!links) return std::nullopt;
  for (const auto& link : *links) {
    if (QString::fromStdString(link.node).contains(contains)) return link;
  }
  return std::nullopt;
}

bool names(const std::vector<std::string>& those, const QString& name) {
  return std::find(those.begin(), those.end(), name.toStdString()) != those.end();
}

/// A federate that sends numbered messages to all others, and finds itself what is lost, doubled or
/// out of order.
struct Talker {
  explicit Talker(int which) : recorder(QString("t%1").arg(which)), number(which) {
    recorder.quiet = true;
  }
  Recorder recorder;
  int number;
  std::atomic<std::uint64_t> sent = 0;
  std::vector<std::uint64_t> heard;  ///< by sender: the newest
  QString fault;
  qint64 longestCall = 0;  ///< of a request to the home, milliseconds

  void begin(int talkers) {
    heard.assign(static_cast<std::size_t>(talkers), 0);
    recorder.publishInteraction("Message");
    recorder.subscribeInteraction("Message");
    const ParameterHandle text = recorder.parameter("Message", "text");
    recorder.onReceive = [this, text](auto, const ParameterHandleValueMap& values) {
      const auto value = values.find(text);
      if (value == values.end()) return;
      std::uint64_t message[2];
      std::memcpy(message, value->second.data(), sizeof message);
      std::uint64_t& last = heard.at(message[0]);
      if (message[1] != last + 1 && fault.isEmpty()) {
        fault = QString("%1 heard %2 of %3 after %4")
                    .arg(number)
                    .arg(message[1])
                    .arg(message[0])
                    .arg(last);
      }
      last = message[1];
    };
  }
  void send(std::size_t bytes) {
    QByteArray message(static_cast<qsizetype>(bytes), 'x');
    const std::uint64_t numbers[2] = {static_cast<std::uint64_t>(number), sent + 1};
    std::memcpy(message.data(), numbers, sizeof numbers);
    recorder.send("Message", {{"text", message}});
    ++sent;
  }
  /// Something that only the home can answer.
  void ask() {
    QElapsedTimer timer;
    timer.start();
    const InteractionClassHandle event = recorder.interactionClass("Event");
    recorder.rti().subscribeInteractionClass(event);
    recorder.rti().unsubscribeInteractionClass(event);
    longestCall = std::max(longestCall, timer.elapsed());
  }
};

}  // namespace

class tst_cuts : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;
  std::vector<std::unique_ptr<Talker>> talkers_;
  QString said_;

  void makeHosts(int count, Cable cable, const char* homeOptions = "") {
    qputenv("TUTTI_TEST_HOME", homeOptions);
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("cut"), count, cable);
    qunsetenv("TUTTI_TEST_HOME");
    federation_ = uniqueName("cuts");
  }
  void makeTalkers(int count) {
    for (int i = 0; i < count; ++i) {
      talkers_.push_back(std::make_unique<Talker>(i));
      nodes_->enter(talkers_.back()->recorder, i % nodes_->hosts(), federation_);
    }
    for (auto& talker : talkers_) talker->begin(count);
  }
  /// Each on a thread of its own until `done`; then until all have heard all, which is true if they
  /// have within the limit. Asks the home now and then.
  bool talk(const std::function<bool()>& done, std::size_t bytes, int pauseMilliseconds,
            int limitMilliseconds) {
    std::atomic<bool> stops = false;
    std::atomic<std::size_t> quiet = 0;
    std::atomic<bool> all = true;
    std::vector<std::thread> threads;
    for (auto& one : talkers_) {
      threads.emplace_back([&, talker = one.get()] {
        try {
          for (int turn = 0; !stops; ++turn) {
            talker->send(bytes);
            if (turn % 20 == 0) talker->ask();
            talker->recorder.pumpFor(pauseMilliseconds);
            if (!talker->fault.isEmpty()) break;
          }
          if (!talker->fault.isEmpty()) all = false;
          ++quiet;
          const bool heard = talker->recorder.pumpUntil(
              [&] {
                if (!talker->fault.isEmpty() || !all) return true;
                if (quiet != talkers_.size()) return false;
                return std::all_of(talkers_.begin(), talkers_.end(), [&](const auto& other) {
                  return other.get() == talker ||
                         talker->heard[static_cast<std::size_t>(other->number)] == other->sent;
                });
              },
              limitMilliseconds);
          if (!heard) all = false;
        } catch (const Exception& e) {
          talker->fault = QString("%1: ").arg(talker->number) + QString::fromStdWString(e.what());
          all = false;
          ++quiet;
        }
      });
    }
    federates::waitUntil([&] { return done() || !all; }, 100'000'000);
    stops = true;
    for (auto& thread : threads) thread.join();
    return all;
  }
  /// What an operator at that host asks of its node; nothing: it refuses, and said_ has why.
  std::optional<tutti::fabric::OperateLinkReply> operate(
      int host, const tutti::fabric::OperateLinkRequest& request) {
    const auto visit = nodes_->visit(host);
    auto client = tutti::observe::NodeClient::connect(nodes_->nodeName(host).toStdString());
    if (!client || !client->hello("operator")) return std::nullopt;
    const auto answer = client->operateLink(request);
    said_ = answer ? QString() : QString::fromStdString(answer.error());
    return answer ? std::optional(*answer) : std::nullopt;
  }
  std::optional<tutti::fabric::LinkStatus> suspectLink(int host, const QString& contains = {}) {
    std::optional<tutti::fabric::LinkStatus> link;
    federates::waitUntil([&] {
      link = linkAt(*nodes_, host, contains);
      return link && link->suspect;
    });
    return link && link->suspect ? link : std::nullopt;
  }
  QString faults() const {
    QStringList lines;
    for (const auto& talker : talkers_) {
      if (!talker->fault.isEmpty()) lines << talker->fault;
      if (talker->recorder.count("lost") != 0) lines << talker->recorder.name() + " is lost";
    }
    return lines.join("; ");
  }
  /// How often the links of the home were suspect, and went on over new connections.
  std::pair<std::uint64_t, std::uint64_t> suspicions() const {
    const auto visit = nodes_->visit(0);
    const auto links = tutti::observe::linksOf(nodes_->nodeName(0).toStdString());
    std::pair<std::uint64_t, std::uint64_t> result{0, 0};
    if (!links) return result;
    for (const auto& link : *links) {
      result.first += link.suspicions;
      result.second += link.resumptions;
    }
    return result;
  }
  void tell(const char* what) const {
    std::uint64_t sent = 0;
    qint64 longest = 0;
    for (const auto& talker : talkers_) {
      sent += talker->sent;
      longest = std::max(longest, talker->longestCall);
    }
    const auto [suspect, resumed] = suspicions();
    qInfo("%s: %llu messages sent, each to %zu others; links suspect %llu times, %llu of them "
          "resumed over a new connection; the longest call took %lld ms",
          what, static_cast<unsigned long long>(sent), talkers_.size() - 1,
          static_cast<unsigned long long>(suspect), static_cast<unsigned long long>(resumed),
          static_cast<long long>(longest));
  }

 private slots:
  void cleanup() {
    talkers_.clear();
    nodes_.reset();
  }

  void whoWaitsIsNamed_data();
  void whoWaitsIsNamed();
  void theGraceEnds();
  void aWaitExtendsTheGrace();
  void aCallOutlivesItsLimit();
  void aHostIsGivenUp();
  void theHomeIsGivenUp();
  void anInterfaceThatIsDown_data();
  void anInterfaceThatIsDown();
  void timeWaits();
  void bestEffortIsNotLate_data();
  void bestEffortIsNotLate();
  void onlyDatagramsFail_data();
  void onlyDatagramsFail();
  void randomCuts();
  void twelveFederatesOverALossyNetwork();
};

void tst_cuts::whoWaitsIsNamed_data() {
  QTest::addColumn<bool>("fromHost");
  QTest::addColumn<bool>("toHost");
  QTest::newRow("both ways") << true << true;
  QTest::newRow("from the linked host") << true << false;
  QTest::newRow("to the linked host") << false << true;
}

void tst_cuts::whoWaitsIsNamed() {
  QFETCH(bool, fromHost);
  QFETCH(bool, toHost);
  makeHosts(hosts, shortCable);
  Recorder a("a"), b("b"), c("c");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  nodes_->enter(c, 2, federation_);
  a.publishInteraction("Message");
  for (Recorder* r : {&b, &c}) r->subscribeInteraction("Message");
  b.publishInteraction("Event");
  // Not c: what a sends after it has heard of b comes to c behind what b has sent to c before, and
  // that is cut off.
  a.subscribeInteraction("Event");
  b.send("Event", {{"number", "0"}});
  QVERIFY(a.expect("receive Event"));

  tutti::test::block(*nodes_->network(), 1, fromHost, toHost);
  constexpr int count = 500;
  for (int i = 0; i < count; ++i) {
    a.send("Message", {{"text", QByteArray::number(i)}});
    b.send("Event", {{"number", QByteArray::number(i + 1)}});
  }
  // A call that needs the home waits for it.
  std::atomic<bool> returned = false;
  std::thread call([&] {
    b.rti().registerFederationSynchronizationPoint(L"together", VariableLengthData());
    returned = true;
  });
  const QString bName = "b of " + federation_;
  const bool told = federates::waitUntil([&] {
    const auto there = linkAt(*nodes_, 1);
    return there && there->suspect && there->toHome && names(there->waiting, bName) &&
           names(there->federates, bName);
  });
  const auto fromHome = [&] {
    const auto here = linkAt(*nodes_, 0, "10.77.0.2");
    return here && here->suspect && names(here->federates, bName) &&
           here->suspectMilliseconds >= 1400 && here->graceMilliseconds == 15000 &&
           here->leftMilliseconds < 15000 && here->leftMilliseconds > 0;
  };
  const bool toldHere = federates::waitUntil(fromHome);
  const QString text = QString::fromUtf8(nodes_->status(0));
  // Data between those who reach each other goes on.
  const bool othersGoOn = c.expect("receive Message", count);
  const bool returnedEarly = returned;
  tutti::test::block(*nodes_->network(), 1, false, false);
  call.join();
  QVERIFY(told);
  QVERIFY(toldHere);
  for (const QString& part :
       {"link to node '" + nodes_->nodeName(1) + "' at 10.77.0.2:",
        QString("is suspect: nothing acknowledged for "), "federates behind it: " + bName,
        QString(" s they are resigned")}) {
    QVERIFY2(text.contains(part), qPrintable(part + " is missing in\n" + text));
  }
  QVERIFY(!returnedEarly);
  QVERIFY(othersGoOn);
  for (Recorder* r : {&a, &b, &c}) QVERIFY(r->expect("announce together"));
  QVERIFY(b.expect("receive Message", count));
  QVERIFY(a.expect("receive Event", count + 1));
  const QStringList events = a.linesWith("receive Event");
  for (int i = 0; i <= count; ++i) QCOMPARE(events[i], QString("receive Event number=%1").arg(i));
  for (Recorder* r : {&a, &c}) QCOMPARE(r->count("lost"), 0);
  const QStringList lines = b.linesWith("receive Message");
  for (int i = 0; i < count; ++i) QCOMPARE(lines[i], QString("receive Message text=%1").arg(i));
  QCOMPARE(b.count("lost"), 0);
  QVERIFY(federates::waitUntil([&] {
    const auto after = linkAt(*nodes_, 1);
    return after && !after->suspect && after->suspicions > 0;
  }));
}

void tst_cuts::theGraceEnds() {
  makeHosts(hosts, shortCable, "--grace 2");
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  b.publish("Vehicle", {"position"});
  a.subscribe("Vehicle", {"position"});
  b.rti().setAutomaticResignDirective(DELETE_OBJECTS);
  b.registerInstance("Vehicle");
  QVERIFY(a.expect("discover"));
  tutti::test::block(*nodes_->network(), 1, true, true);
  QElapsedTimer timer;
  timer.start();
  // Suspect first, and nobody is resigned.
  QVERIFY(federates::waitUntil([&] {
    const auto link = linkAt(*nodes_, 0);
    return link && link->suspect && link->graceMilliseconds == 2000;
  }));
  a.pump();
  QCOMPARE(a.count("remove"), 0);
  // A call that waits for the home ends with an error, not never.
  QVERIFY_EXCEPTION_THROWN(b.publishInteraction("Message"), Exception);
  QVERIFY(timer.elapsed() >= 2000);
  QVERIFY(b.expect("lost"));
  QVERIFY(a.expect("remove"));
  QVERIFY(timer.elapsed() >= 3000);
  QVERIFY(!linkAt(*nodes_, 0));
}

// An operator has the home wait for a host: after a cut that was longer than the grace its
// federates have missed nothing. The home decides alone: nobody can tell the host meanwhile.
void tst_cuts::aWaitExtendsTheGrace() {
  makeHosts(hosts, shortCable, "--grace 5 --longest-wait 60");
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.publishInteraction("Event");
  a.subscribeInteraction("Event");
  const auto before = linkAt(*nodes_, 0);
  QVERIFY(before && before->roundTripMicroseconds > 0 && before->messagesSent > 0 &&
          before->messagesReceived > 0);
  QVERIFY2(!operate(0, {before->node, before->suspicions, true, 0}), "given up while it answers");
  tutti::test::block(*nodes_->network(), 1, true, true);
  QElapsedTimer cut;
  cut.start();
  const auto link = suspectLink(0);
  QVERIFY(link);
  QCOMPARE(link->graceMilliseconds, std::uint64_t(5000));
  QVERIFY(!operate(0, {link->node, link->suspicions + 1, false, 30'000}));  // of another time
  const auto waits = operate(0, {link->node, link->suspicions, false, 30'000});
  QVERIFY2(waits, qPrintable(said_));
  QCOMPARE(waits->addedMilliseconds, std::uint64_t(30'000));
  // By two operators, or twice: no longer than the longest wait.
  const auto again = operate(0, {link->node, link->suspicions, false, 60'000});
  QVERIFY(again && again->addedMilliseconds == 30'000);
  QVERIFY(!operate(0, {link->node, link->suspicions, false, 60'000}));
  QVERIFY2(said_.contains("--longest-wait"), qPrintable(said_));
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    a.send("Message", {{"text", QByteArray::number(i)}});
    b.send("Event", {{"number", QByteArray::number(i)}});
  }
  // Without the wait both would be over by now.
  const bool beyond = federates::waitUntil([&] {
    const auto here = linkAt(*nodes_, 0);
    const auto there = linkAt(*nodes_, 1);
    return here && here->suspectMilliseconds > 8000 && there && there->suspectMilliseconds > 8000;
  });
  tutti::test::block(*nodes_->network(), 1, false, false);
  QVERIFY(beyond && cut.elapsed() > 8000);
  QVERIFY(b.expect("receive Message", count));
  QVERIFY(a.expect("receive Event", count));
  QCOMPARE(a.count("lost") + b.count("lost"), 0);
  QVERIFY(federates::waitUntil([&] {
    const auto after = linkAt(*nodes_, 0);
    return after && !after->suspect && after->waitedMilliseconds == 0;
  }));
}

// A call that needs the home takes longer than a federate waits for an answer as a rule, because an
// operator has the home wait for the host: it returns when the host is back.
void tst_cuts::aCallOutlivesItsLimit() {
  makeHosts(hosts, shortCable, "--grace 2 --longest-wait 60");
  Recorder b("b");
  nodes_->enter(b, 1, federation_);
  constexpr std::chrono::milliseconds limit(1000);
  tutti::core::Connection connection;
  {
    const auto visit = nodes_->visit(1);
    connection.open(tutti::core::parseDesignator(nodes_->designator(1).toStdString()));
  }
  connection.setAnswerLimit(limit);
  tutti::test::block(*nodes_->network(), 1, true, true);
  const auto link = suspectLink(0, "10.77.0.2");
  QVERIFY(link);
  QVERIFY2(operate(0, {link->node, link->suspicions, false, 60'000}), qPrintable(said_));
  QString fault;
  QElapsedTimer timer;
  std::atomic<qint64> took = -1;
  std::thread call([&] {
    // The node is asked again while it waits, at an abstract socket of its host.
    const auto visit = nodes_->visit(1);
    timer.start();
    try {
      connection.tell(tutti::fabric::Request::ListFederations, tutti::fabric::NoArguments{});
    } catch (const tutti::core::ServiceFault& thrown) {
      fault = QString::fromStdString(thrown.text);
    }
    took = timer.elapsed();
  });
  // Beyond its limit, and beyond the grace.
  const bool beyond = federates::waitUntil(
      [&] {
        const auto there = linkAt(*nodes_, 1);
        return took >= 0 || (there && there->suspectMilliseconds > 8000);
      },
      30'000);
  const bool isPending = took < 0;
  tutti::test::block(*nodes_->network(), 1, false, false);
  call.join();
  QVERIFY(beyond);
  QVERIFY2(fault.isEmpty(), qPrintable(fault));
  QVERIFY(isPending);
  QVERIFY(took > 2 * limit.count());
  QVERIFY(!connection.lost());
  QCOMPARE(b.count("lost"), 0);
}

// An operator takes a host for lost: the others go on at once, and its federates lose their
// connection when it is back.
void tst_cuts::aHostIsGivenUp() {
  makeHosts(hosts, shortCable, "--grace 45 --longest-wait 60");
  Recorder a("a"), b("b"), c("c");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  nodes_->enter(c, 2, federation_);
  b.publish("Vehicle", {"position"});
  c.subscribe("Vehicle", {"position"});
  b.rti().setAutomaticResignDirective(DELETE_OBJECTS);
  b.registerInstance("Vehicle");
  QVERIFY(c.expect("discover"));
  a.rti().enableTimeConstrained();
  b.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(b.expect("regulating"));
  QVERIFY(a.expect("constrained"));
  tutti::test::block(*nodes_->network(), 1, true, true);
  QElapsedTimer cut;
  cut.start();
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  const auto link = suspectLink(0, "10.77.0.2");
  QVERIFY(link);
  a.pump();
  QCOMPARE(a.count("granted"), 0);
  QVERIFY2(operate(0, {link->node, link->suspicions, true, 0}), qPrintable(said_));
  const bool goesOn = a.expect("granted 5") && c.expect("remove");
  const qint64 after = cut.elapsed();
  b.pump();
  const int lostEarly = b.count("lost");
  const bool twice = operate(0, {link->node, link->suspicions, true, 0}).has_value();
  const QString twiceSaid = said_;
  tutti::test::block(*nodes_->network(), 1, false, false);
  QVERIFY(goesOn);
  QVERIFY2(after < 45'000, "the grace has done it");
  QCOMPARE(lostEarly, 0);  // nobody can tell it
  QVERIFY(!twice);
  QVERIFY2(twiceSaid.contains("there is no link to"), qPrintable(twiceSaid));
  QVERIFY(b.expect("lost"));
  QCOMPARE(a.count("lost") + c.count("lost"), 0);
}

// The home's own host is out of reach: at the linked host its federates are let go at once.
void tst_cuts::theHomeIsGivenUp() {
  makeHosts(hosts, shortCable, "--grace 45 --longest-wait 60");
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  tutti::test::block(*nodes_->network(), 1, true, true);
  const auto link = suspectLink(1);
  QVERIFY(link && link->toHome);
  // It waits for as long as the home might anyway.
  QCOMPARE(link->graceMilliseconds, std::uint64_t(105'000));
  const auto wait = operate(1, {link->node, link->suspicions, false, 60'000});
  QVERIFY(wait && wait->addedMilliseconds == 0 && wait->leftMilliseconds > 60'000);
  const bool done = operate(1, {link->node, link->suspicions, true, 0}).has_value();
  const bool lost = b.expect("lost");
  tutti::test::block(*nodes_->network(), 1, false, false);
  QVERIFY2(done, qPrintable(said_));
  QVERIFY(lost);
  QCOMPARE(a.count("lost"), 0);
}

// The greatest available logical time waits for what is cut off, and goes on behind it.
void tst_cuts::timeWaits() {
  makeHosts(hosts, shortCable);
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  b.publishInteraction("Event");
  a.subscribeInteraction("Event");
  a.rti().enableTimeConstrained();
  b.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(b.expect("regulating"));
  QVERIFY(a.expect("constrained"));
  tutti::test::block(*nodes_->network(), 1, true, true);
  b.send("Event", {{"number", "4"}}, 4.0);
  b.rti().timeAdvanceRequest(HLAfloat64Time(10));
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  QVERIFY(federates::waitUntil([&] {
    const auto link = linkAt(*nodes_, 0);
    return link && link->suspect;
  }));
  a.pumpFor(1000);
  QCOMPARE(a.count("granted"), 0);
  tutti::test::block(*nodes_->network(), 1, false, false);
  QVERIFY(a.expect("granted 5"));
  QVERIFY(a.expect("receive Event"));
  QVERIFY(a.log().last().startsWith("granted"));
  QVERIFY(b.expect("granted 10"));
}

void tst_cuts::anInterfaceThatIsDown_data() {
  QTest::addColumn<int>("host");
  QTest::newRow("of the home") << 0;
  QTest::newRow("of a linked host") << 1;
}

// Its host sends nothing that could remain without an answer, and cannot make connections.
void tst_cuts::anInterfaceThatIsDown() {
  QFETCH(int, host);
  makeHosts(hosts, {});
  Recorder a("a"), b("b");
  nodes_->enter(a, 0, federation_);
  nodes_->enter(b, 1, federation_);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.publishInteraction("Event");
  a.subscribeInteraction("Event");
  a.send("Message", {{"text", "before"}});
  b.send("Event", {{"number", "before"}});
  QVERIFY(a.expect("receive Event"));
  QVERIFY(b.expect("receive Message"));
  const auto pumpFor = [&](int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) {
      for (Recorder* r : {&a, &b}) r->pumpFor(10);
    }
  };
  // Nothing is under way then.
  pumpFor(500);
  QElapsedTimer down;
  down.start();
  nodes_->network()->takeDown(host);
  constexpr int count = 20;
  for (int i = 0; i < count; ++i) {
    a.send("Message", {{"text", QByteArray::number(i)}});
    b.send("Event", {{"number", QByteArray::number(i)}});
  }
  const bool named = federates::waitUntil([&] {
    const auto here = linkAt(*nodes_, 0, "10.77.0.2");
    const auto there = linkAt(*nodes_, 1);
    return here && here->suspect && there && there->suspect;
  }, 6000);
  // Longer than a node may be silent that hangs, and shorter than the grace.
  pumpFor(static_cast<int>(13'000 - down.elapsed()));
  const int lost = a.count("lost") + b.count("lost");
  nodes_->network()->bringUp(host);
  QVERIFY(named);
  QCOMPARE(lost, 0);
  QVERIFY(federates::waitUntil([&] {
    pumpFor(10);
    return a.count("receive Event") == count + 1 && b.count("receive Message") == count + 1;
  }, 20'000));
  for (const Recorder* r : {&a, &b}) {
    const QStringList heard = r->linesWith("receive ");
    for (int i = 0; i < count; ++i)
      QVERIFY2(heard[i + 1].contains(QString("=%1").arg(i)), qPrintable(heard[i + 1]));
  }
}

void tst_cuts::bestEffortIsNotLate_data() {
  QTest::addColumn<int>("host");
  QTest::addColumn<bool>("waits");
  QTest::newRow("from the home") << 0 << false;
  QTest::newRow("from a linked host") << 2 << false;
  QTest::newRow("from the home, beyond the grace") << 0 << true;
  QTest::newRow("from a linked host, beyond the grace") << 2 << true;
}

namespace {

/// Sends numbered best effort updates to another, and remembers which have come.
struct Hints {
  Recorder& from;
  Recorder& to;
  ObjectInstanceHandle car{};
  int sent = 0;
  std::vector<int> heard;

  Hints(Recorder& sender, Recorder& receiver) : from(sender), to(receiver) {
    from.publish("Vehicle", {"hint"});
    to.subscribe("Vehicle", {"hint"});
    to.quiet = true;
    to.onReflect = [this](auto, const AttributeHandleValueMap& values) {
      const VariableLengthData& value = values.begin()->second;
      heard.push_back(
          QByteArray(static_cast<const char*>(value.data()), qsizetype(value.size())).toInt());
    };
    car = from.registerInstance("Vehicle");
  }
  void send() {
    from.update(car, "Vehicle", {{"hint", QByteArray::number(sent++)}});
    for (Recorder* r : {&from, &to}) r->pumpFor(5);
  }
  void sendFor(int milliseconds) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < milliseconds) send();
  }
  bool sendUntil(const std::function<bool()>& done) {
    return federates::waitUntil([&] {
      send();
      return done();
    });
  }
};

/// Whether datagrams get from a host to the one at 10.77.0.2.
bool datagramsReach(const LinkedNodes& nodes, int host) {
  for (const auto& node :
       QJsonDocument::fromJson(nodes.status(host, {"--json"})).object()["nodes"].toArray()) {
    for (const auto& to : node.toObject()["bestEffortTo"].toArray()) {
      if (to.toObject()["node"].toString().startsWith("10.77.0.2:")) {
        return to.toObject()["datagrams"].toBool();
      }
    }
  }
  return false;
}

}  // namespace

// Of what is best effort nothing comes after the cut that was sent in it, and all of it is counted;
// however long the cut is that an operator has waited for.
void tst_cuts::bestEffortIsNotLate() {
  QFETCH(int, host);
  QFETCH(bool, waits);
  makeHosts(hosts, shortCable, waits ? "--grace 2 --longest-wait 60" : "");
  Recorder a("a"), b("b");
  nodes_->enter(a, host, federation_);
  nodes_->enter(b, 1, federation_);
  Hints hints(a, b);
  // Until datagrams get there: then nothing is sent but them.
  QVERIFY(federates::waitUntil([&] { return datagramsReach(*nodes_, host); }));
  hints.sendFor(500);
  tutti::test::block(*nodes_->network(), 1, true, true);
  if (waits) {
    const auto link = suspectLink(0, "10.77.0.2");
    QVERIFY(link);
    QVERIFY2(operate(0, {link->node, link->suspicions, false, 60'000}), qPrintable(said_));
  }
  // No answer to a probe for 2 s tells that there is no way.
  hints.sendFor(3000);
  const int unreachable = hints.sent;
  hints.sendFor(waits ? 5000 : 3000);
  const int last = hints.sent - 1;
  const auto link = linkAt(*nodes_, 1);
  tutti::test::block(*nodes_->network(), 1, false, false);
  QVERIFY(link && link->suspect);
  hints.sendFor(3000);
  const auto& heard = hints.heard;
  QVERIFY(federates::waitUntil([&] {
    for (Recorder* r : {&a, &b}) r->pumpFor(5);
    const auto drops = nodes_->dropsAt(host, "a", "HLAobjectRoot.Vehicle");
    return drops.dropped + drops.lost + static_cast<qint64>(heard.size()) == hints.sent;
  }));
  QVERIFY(std::is_sorted(heard.begin(), heard.end()));
  QVERIFY(heard.front() < unreachable);
  QVERIFY(heard.back() > last);
  const auto late = std::count_if(heard.begin(), heard.end(), [&](int number) {
    return number >= unreachable && number <= last;
  });
  QVERIFY2(late == 0, qPrintable(QString("%1 of %2").arg(late).arg(last - unreachable + 1)));
}

void tst_cuts::onlyDatagramsFail_data() {
  QTest::addColumn<int>("host");
  QTest::newRow("from the home") << 0;
  QTest::newRow("from a linked host") << 2;
  QTest::newRow("to the home") << 1;
}

// Where datagrams get through no more and the links go on, best effort takes the links after the
// grace, for however much longer an operator might have them waited for.
void tst_cuts::onlyDatagramsFail() {
  QFETCH(int, host);
  makeHosts(hosts, shortCable, "--grace 2 --longest-wait 120");
  Recorder a("a"), b("b");
  nodes_->enter(a, host, federation_);
  nodes_->enter(b, host == 1 ? 0 : 1, federation_);
  Hints hints(a, b);
  const int asked = host == 1 ? 0 : host;  // the home says it of both directions
  QVERIFY(federates::waitUntil([&] { return datagramsReach(*nodes_, asked); }));
  QVERIFY(hints.sendUntil([&] { return !hints.heard.empty(); }));
  {
    const auto visit = nodes_->visit(1);
    QProcess ip;
    ip.start("ip", {"rule", "add", "pref", "1", "ipproto", "udp", "blackhole"});
    QVERIFY2(ip.waitForFinished(20000) && ip.exitCode() == 0, ip.readAllStandardError());
  }
  // What is sent meanwhile is lost, and then the rest comes over the links.
  QVERIFY(hints.sendUntil([&] { return !datagramsReach(*nodes_, asked); }));
  const auto before = hints.heard.size();
  QVERIFY(hints.sendUntil([&] { return hints.heard.size() > before + 20; }));
  QVERIFY(hints.heard.at(before) > static_cast<int>(before));
  QVERIFY(!datagramsReach(*nodes_, asked));
  QVERIFY(std::is_sorted(hints.heard.begin(), hints.heard.end()));
  QCOMPARE(a.count("lost") + b.count("lost"), 0);
  for (const int at : {0, 1}) {
    const auto link = linkAt(*nodes_, at, at == 0 ? "10.77.0.2" : "");
    QVERIFY(link && link->suspicions == 0);
  }
}

// TUTTI_CUTS=300: so many, of 0.1 to 14 s.
void tst_cuts::randomCuts() {
  const int wanted = qEnvironmentVariableIsSet("TUTTI_CUTS")
                         ? qEnvironmentVariableIntValue("TUTTI_CUTS")
                         : 5;
  Cutter::Options options;
  if (qEnvironmentVariableIsSet("TUTTI_CUTS")) {
    options.longest = std::chrono::milliseconds(14'000);
    // Two long cuts of one link that leave no time for a new connection between them are a longer
    // one than the grace bears.
    options.pause = std::chrono::milliseconds(4000);
  }
  options.seed = static_cast<unsigned>(std::max(1, qEnvironmentVariableIntValue("TUTTI_SEED")));
  makeHosts(hosts, shortCable);
  makeTalkers(2 * hosts);
  std::optional<Cutter> cutter;
  cutter.emplace(*nodes_->network(), options);
  const bool all = talk(
      [&] {
        if (cutter && cutter->cuts() >= wanted) {
          qInfo("%d cuts, of %lld s together", cutter->cuts(),
                static_cast<long long>(cutter->together().count() / 1000));
          cutter.reset();
        }
        return !cutter;
      },
      200, 5, 30'000);
  cutter.reset();
  QVERIFY2(faults().isEmpty(), qPrintable(faults()));
  QVERIFY(all);
  QVERIFY(suspicions().first > 0);
  tell("cuts");
}

// 200 ms and a tenth of all packets lost there and back; TUTTI_LOSSY="SECONDS PERCENT": others.
void tst_cuts::twelveFederatesOverALossyNetwork() {
  const QStringList words = qEnvironmentVariable("TUTTI_LOSSY", "10 10").split(' ');
  const double loss = words.value(1, "10").toDouble() / 100;
  // Each way leads over two cables.
  Cable cable{std::chrono::milliseconds(50), static_cast<int>(1000 * (1 - std::sqrt(1 - loss)))};
  makeHosts(4, cable);
  makeTalkers(12);
  QElapsedTimer timer;
  timer.start();
  const bool all = talk([&] { return timer.elapsed() > 1000 * words[0].toInt(); }, 100, 500,
                        120'000);
  QVERIFY2(faults().isEmpty(), qPrintable(faults()));
  QVERIFY(all);
  QVERIFY(nodes_->network()->counts().dropped > 0);
  tell("lossy network");
}

QTEST_GUILESS_MAIN(tst_cuts)
#include "tst_cuts.moc"
