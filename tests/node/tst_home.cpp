// SPDX-License-Identifier: GPL-3.0-or-later
// What links of other nodes may say and do to the home, over pipes without a wire.
#include <spdlog/spdlog.h>

#include <QtTest>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "../pipes/account.h"
#include "ambassador.h"
#include "executive/executive.h"
#include "fake_models.h"
#include "node/home.h"

using namespace tutti;
using namespace std::chrono_literals;
using executive::Executive;
using fabric::Bytes;
using fabric::Refusal;
using fabric::Request;
using router::linkMessage;
using router::LinkMessage;
using test::requestBytes;

namespace {

/// The home's end of a pipe. What the linked node says is put into `said`.
class Said final : public pipes::Pipe {
 public:
  explicit Said(std::string name) : name_(std::move(name)) {
    greeting_->node = name_;
    greeting_->neighbourPort = 7;  // it takes part in the mesh
    greeting_->token = 1;
  }
  void send(std::span<const std::byte> message) override {
    heard.emplace_back(message.begin(), message.end());
  }
  pipes::Outcome flush() override { return {}; }
  pipes::Outcome receive(const Take& take) override {
    while (!said.empty()) {
      const Bytes message = std::move(said.front());
      said.pop_front();
      if (take) take(message);
    }
    if (!ended) return {};
    return tl::unexpected(pipes::PipeError{pipes::PipeError::Kind::Closed, "it has ended"});
  }
  pipes::Outcome tick(pipes::Clock::time_point) override { return {}; }
  std::size_t queuedBytes() const override { return 0; }
  const std::optional<pipes::Greeting>& peer() const override { return greeting_; }
  int descriptor() const override { return -1; }
  std::string remoteName() const override { return name_; }
  std::optional<pipes::SocketAddress> remoteAddress() const override {
    const auto address = pipes::SocketAddress::of({"127.0.0.1", 7});
    return address ? std::optional(*address) : std::nullopt;
  }

  pipes::Greeting& greeting() { return *greeting_; }

  std::deque<Bytes> said;
  std::vector<Bytes> heard;
  bool ended = false;
  /// As long as the home has it.
  std::shared_ptr<int> life = std::make_shared<int>();

 private:
  std::string name_;
  std::optional<pipes::Greeting> greeting_{std::in_place};
};

struct World {
  World()
      : executive({"home", 60s, std::nullopt}, executive::Budget(64 << 20),
                  *executive::HostMemory::make(), models),
        events(*router::RingWatch::events()),
        home(executive, "home", services()) {
    home.useMesh();
    local = executive.opened(1);
    ask(Request::Hello, fabric::HelloRequest{});
    ask(Request::CreateFederation, fabric::CreateFederationRequest{"world", {}, {}, {}});
  }

  node::NodeServices services() {
    node::NodeServices result;
    result.watch = [](int, std::uint64_t) {};
    result.watchWrites = [](int, std::uint64_t, bool) {};
    result.answer = [](auto, const Bytes&, std::span<const int>, bool) {};
    result.routerEvents = events.get();
    result.firstPipe = 1000;
    result.memory = &account;
    return result;
  }
  template <class Message>
  test::Outcome<test::NoBody> ask(Request request, const Message& message) {
    const auto reply = executive.answer(local, requestBytes(request, ++number, message));
    return test::takeApart<test::NoBody>(reply.bytes);
  }
  std::size_t members() {
    std::size_t count = 0;
    const auto status = executive.status();
    for (const auto& federate : status.federations.at(0).federates) {
      if (federate.state == static_cast<std::uint32_t>(fabric::FederateState::Joined)) ++count;
    }
    return count;
  }
  /// A linked node; the pipe lives as long as the home has it.
  std::pair<std::uint64_t, Said*> link(const std::string& name,
                                       const pipes::DatagramPort* datagrams = nullptr) {
    auto pipe = std::make_unique<Said>(name);
    Said* said = pipe.get();
    if (datagrams != nullptr) {
      said->greeting().datagramPort = datagrams->address().port();
      said->greeting().token = datagrams->token();
    }
    return {home.add(std::move(pipe)), said};
  }

  test::Account account{1 << 20};
  test::FakeModelSource models;
  Executive executive;
  fabric::UniqueFd events;
  node::Home home;
  Executive::ConnectionId local = 0;
  std::uint64_t number = 0;
};

Bytes opens(std::uint64_t connection) {
  return linkMessage(LinkMessage::ConnectionOpened, 0,
                     router::ConnectionOpened{connection, 4711, "far", "there"});
}

template <class Message>
Bytes asks(std::uint64_t connection, Request request, std::uint64_t number,
           const Message& message) {
  return linkMessage(LinkMessage::RequestMade, 0,
                     router::Forwarded{connection, requestBytes(request, number, message), false});
}

std::unique_ptr<pipes::DatagramPort> datagramPort() {
  auto wire = pipes::UdpWire::bind(*pipes::SocketAddress::of({"127.0.0.1", 0}));
  if (!wire) qFatal("%s", wire.error().c_str());
  auto port = pipes::DatagramPort::make(std::move(*wire), {});
  if (!port) qFatal("%s", port.error().c_str());
  return std::move(*port);
}

fabric::JoinRequest joinOf(const std::string& name) { return {"world", name, "test", {}}; }

fabric::RecordHead updateRecord() {
  fabric::RecordHead record{};
  record.type = fabric::RecordType::Update;
  record.bytes = sizeof record;
  return record;
}

/// With a linked node that sends datagrams, where federate a lives.
struct DatagramWorld : World {
  explicit DatagramWorld(pipes::MemoryAccount* memory = nullptr) {
    bestEffort.payFrom(memory);
    home.useDatagrams(bestEffort);
    const auto [a, said] = link("a", portOfA.get());
    said->said.push_back(opens(7));
    said->said.push_back(asks(7, Request::Join, 2, joinOf("a")));
    home.ready(a);
    home.afterRequest();
    portOfA->addPeer(homePeer, bestEffort.port().address(), bestEffort.port().token());
  }
  void turn() {
    home.tick(pipes::Clock::now());
    portOfA->receive([](auto, auto) {});
    portOfA->tick(pipes::Clock::now());
    bestEffort.ready();
  }
  bool isReached() const { return portOfA->reaches(homePeer); }
  std::optional<fabric::FederateStatus> statusOf(const std::string& name) {
    const auto status = executive.status();
    for (const auto& one : status.federations.at(0).federates) {
      if (one.name == name) return one;
    }
    return std::nullopt;
  }
  /// The message of that number of a federate, for itself.
  void send(const std::string& name, std::uint64_t messageNumber,
            const fabric::RecordHead& record) {
    const fabric::FederateNumber sender = statusOf(name)->federate;
    Bytes message;
    const auto append = [&message](const auto& value) {
      const auto bytes = std::as_bytes(std::span(&value, 1));
      message.insert(message.end(), bytes.begin(), bytes.end());
    };
    append(router::BestEffortHead{executive.executionNumber("world"), 0, sender,
                                  fabric::ClassKey{1}, 1, 0});
    append(router::BestEffortSection{bestEffort.port().token(), messageNumber, 1, 0});
    append(sender);
    append(record);
    portOfA->send(homePeer, message);
  }
  /// So many of its messages are shown as lost between hosts.
  std::uint64_t lost(const std::string& name) {
    std::uint64_t result = 0;
    const auto status = statusOf(name);
    for (const auto& drop : status->drops) result += drop.lost;
    return result;
  }

  static constexpr pipes::DatagramPort::PeerId homePeer = 0;
  std::unique_ptr<pipes::DatagramPort> portOfA = datagramPort();
  router::BestEffort bestEffort{datagramPort()};
};

}  // namespace

class tst_home : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { spdlog::set_level(spdlog::level::off); }

  /// While a request of a linked node that has died is taken, which waited for others, a federate
  /// of this host is found dead.
  void deathsWhileWhatWaitedIsTaken() {
    World world;
    const auto [a, saidByA] = world.link("a");
    const auto [b, saidByB] = world.link("b");
    for (Said* said : {saidByA, saidByB}) {
      said->said.push_back(opens(7));
      said->said.push_back(asks(7, Request::Hello, 1, fabric::HelloRequest{}));
    }
    world.home.ready(a);
    world.home.ready(b);
    // Of b two messages have come, and the join waits for a third.
    const std::uint64_t ofB = b - 1000;
    saidByA->said.push_back(
        linkMessage(LinkMessage::MessagesKnown, 0, router::MessagesKnown{{{ofB, 0, 3}}}));
    saidByA->said.push_back(asks(7, Request::Join, 2, joinOf("far")));
    saidByA->ended = true;
    world.home.ready(a);
    QCOMPARE(world.members(), std::size_t{0});

    bool died = false;
    world.executive.onSettle([&] {
      if (std::exchange(died, true)) return;
      world.home.beforeEnd(world.local);
      world.executive.closed(world.local);
      world.home.afterRequest();
    });
    saidByB->said.push_back(linkMessage(LinkMessage::LogApplied, 99, router::NumberBody{1}));
    world.home.ready(b);
    QVERIFY(died);
    // It was taken, and with its link the federate has gone.
    const auto federates = world.executive.status().federations.at(0).federates;
    QCOMPARE(federates.size(), std::size_t{1});
    QCOMPARE(federates[0].name, std::string("far"));
    QCOMPARE(world.members(), std::size_t{0});
    QVERIFY(world.home.hasLinks());
  }

  void aConnectionIsOpenedOnce() {
    World world;
    const auto [a, said] = world.link("a");
    said->said.push_back(opens(7));
    said->said.push_back(asks(7, Request::Hello, 1, fabric::HelloRequest{}));
    said->said.push_back(asks(7, Request::Join, 2, joinOf("far")));
    world.home.ready(a);
    QCOMPARE(world.members(), std::size_t{1});
    said->said.push_back(opens(7));
    world.home.ready(a);
    // That is no node of this version: its link ends, and all that came over it.
    QVERIFY(!world.home.hasLinks());
    QCOMPARE(world.members(), std::size_t{0});
    QVERIFY(world.ask(Request::DestroyFederation, fabric::FederationNameRequest{"world"}).ok());
  }

  /// A node says that something must come first, and sends on while it does not.
  void messagesThatWaitCountInTheBudget() {
    World world;
    const auto [a, saidByA] = world.link("a");
    const auto [b, saidByB] = world.link("b");
    const std::weak_ptr<int> lifeOfA = saidByA->life, lifeOfB = saidByB->life;
    for (const std::uint64_t id : {a, b}) world.home.ready(id);
    const auto waitsForB = [b = b - 1000](std::uint64_t number) {
      return linkMessage(LinkMessage::MessagesKnown, 0, router::MessagesKnown{{{b, 0, number}}});
    };
    const auto someBytes = [](std::size_t bytes) {
      return linkMessage(LinkMessage::RequestMade, 0, router::Forwarded{7, Bytes(bytes), false});
    };
    saidByB->said.push_back(opens(6));  // says who b is
    world.home.ready(b);
    saidByA->said.push_back(waitsForB(2));
    for (int i = 0; i < 10; ++i) saidByA->said.push_back(someBytes(50'000));
    world.home.ready(a);
    QVERIFY(world.account.used >= 500'000);
    // It comes, and all is taken.
    saidByB->said.push_back(opens(7));
    world.home.ready(b);
    QCOMPARE(world.account.used, std::uint64_t{0});
    saidByA->said.push_back(waitsForB(1000));
    for (int i = 0; i < 100; ++i) saidByA->said.push_back(someBytes(50'000));
    world.home.ready(a);
    QVERIFY(lifeOfA.expired());
    QVERIFY(!lifeOfB.expired());
    QVERIFY(world.account.most <= world.account.total);
    QCOMPARE(world.account.used, std::uint64_t{0});
  }

  /// A node has said that something must come first that nobody has sent, and is gone.
  void itsEndDoesNotWaitForEver() {
    World world;
    const auto [a, saidByA] = world.link("a");
    const auto [b, saidByB] = world.link("b");
    const std::weak_ptr<int> lifeOfA = saidByA->life;
    saidByB->said.push_back(opens(6));
    world.home.ready(b);
    saidByA->said.push_back(opens(7));
    saidByA->said.push_back(asks(7, Request::Hello, 1, fabric::HelloRequest{}));
    saidByA->said.push_back(asks(7, Request::Join, 2, joinOf("far")));
    world.home.ready(a);
    QCOMPARE(world.members(), std::size_t{1});
    saidByA->said.push_back(
        linkMessage(LinkMessage::MessagesKnown, 0, router::MessagesKnown{{{b - 1000, 0, 1000}}}));
    saidByA->ended = true;
    const auto start = pipes::Clock::now();
    world.home.ready(a);
    // As long as a link may be out of reach, what is waited for may come.
    for (const auto passed : {0s, 50s}) {
      world.home.tick(start + passed);
      QVERIFY(!lifeOfA.expired());
      QCOMPARE(world.members(), std::size_t{1});
    }
    world.home.tick(start + 70s);
    QVERIFY(lifeOfA.expired());
    QCOMPARE(world.members(), std::size_t{0});
    QCOMPARE(world.account.used, std::uint64_t{0});
  }

  /// One node does not say that it has the log, and a federate of another asks and asks.
  void answersThatWaitCountInTheBudget() {
    World world;
    const auto [a, saidByA] = world.link("a");
    const auto [b, saidByB] = world.link("b");
    for (Said* said : {saidByA, saidByB}) {
      said->said.push_back(opens(7));
      said->said.push_back(asks(7, Request::Hello, 1, fabric::HelloRequest{}));
      said->said.push_back(asks(7, Request::Join, 2, joinOf(said->remoteName())));
      world.home.ready(said == saidByA ? a : b);
    }
    QCOMPARE(world.members(), std::size_t{2});
    constexpr int many = 20'000;
    for (int i = 0; i < many; ++i) {
      saidByB->said.push_back(
          asks(7, Request::RegisterSynchronizationPoint, 3 + i,
               fabric::RegisterSynchronizationPointRequest{std::to_string(i), {}, true, {}}));
    }
    world.home.ready(b);
    QVERIFY(world.account.most > world.account.total / 2);
    QVERIFY(world.account.most <= world.account.total);
    // It has been told, and is no member any more; its node is linked still, and nothing is kept.
    router::LinkHead head;
    router::Forwarded last;
    fabric::ReplyHead reply;
    for (const Bytes& message : saidByB->heard) {
      if (!router::readLinkHead(message, head)) continue;
      if (head.kind != LinkMessage::RequestAnswered) continue;
      QVERIFY(fabric::fromWire(std::span(message).subspan(router::linkHeadBytes), last));
      fabric::WireReader(last.datagram)(reply);
    }
    QVERIFY(last.close);
    QVERIFY(reply.refusal == Refusal::OutOfMemory);
    QVERIFY(reply.number > 2 && reply.number < many);
    QVERIFY2(reply.message.find("TUTTI_MEMORY") != std::string::npos, reply.message.c_str());
    QCOMPARE(world.members(), std::size_t{1});
    QCOMPARE(world.account.used, std::uint64_t{0});
  }

  /// In datagrams too: what comes in the name of others is neither delivered nor counted.
  void aNodeSendsBestEffortOfItsOwnFederates() {
    DatagramWorld world;
    const auto [b, saidByB] = world.link("b");
    saidByB->said.push_back(opens(7));
    saidByB->said.push_back(asks(7, Request::Join, 2, joinOf("b")));
    world.home.ready(b);
    QVERIFY(world.ask(Request::Join, joinOf("local")).ok());
    world.home.afterRequest();
    QTRY_VERIFY((world.turn(), world.isReached()));
    // Four before it are missing: so it shows whether it was taken.
    for (const char* name : {"b", "local", "a"}) world.send(name, 4, updateRecord());
    world.portOfA->flush();
    QTRY_COMPARE((world.turn(), world.lost("a")), std::uint64_t{4});
    QCOMPARE(world.lost("b"), std::uint64_t{0});
    QCOMPARE(world.lost("local"), std::uint64_t{0});
  }

  /// Of what comes before what it needs no more is kept than somebody pays for; the rest is lost.
  void bestEffortThatWaitsCountsInTheBudget() {
    test::Account account{2 << 10};
    DatagramWorld world(&account);
    QTRY_VERIFY((world.turn(), world.isReached()));
    fabric::RecordHead record = updateRecord();
    record.logNumber = 1'000'000;
    constexpr std::uint64_t many = 100;
    for (std::uint64_t i = 0; i < many; ++i) world.send("a", i, record);
    world.portOfA->flush();
    QTRY_VERIFY((world.turn(), world.lost("a") > 0));
    QVERIFY(account.most > account.total / 2);
    QVERIFY(account.most <= account.total);
    // What was kept is given up as well after a while.
    QTRY_COMPARE((world.turn(), world.lost("a")), many);
    // The number of the one stream stays, for as long as its node does.
    constexpr std::uint64_t bytesOfStream = 96;
    QCOMPARE(account.used, bytesOfStream);
  }

  /// What two linked nodes tell of the link between them is there until one of them is gone, with
  /// the names that this node knows.
  void linksOfOtherNodesAreShown() {
    World world;
    std::map<std::string, std::pair<std::uint64_t, Said*>> nodes;
    for (const char* name : {"a", "b", "c"}) nodes[name] = world.link(name);
    const auto tells = [&](const std::string& who, const std::string& of, std::uint64_t messages) {
      router::NeighbourFigures figures;
      figures.node = nodes[of].first - 1000;
      figures.messagesSent = messages;
      figures.datagramMessagesSent = 1;
      nodes[who].second->said.push_back(
          linkMessage(LinkMessage::NeighboursTold, 0, router::NeighboursTold{{figures}}));
      world.home.ready(nodes[who].first);
    };
    QVERIFY(world.home.describeNeighbours().empty());
    tells("b", "a", 70);
    tells("a", "b", 30);
    tells("c", "b", 5);
    tells("b", "a", 77);
    const auto links = world.home.describeNeighbours();
    QCOMPARE(links.size(), std::size_t{2});
    QCOMPARE(links[0].peer + links[0].otherPeer, std::string("ab"));
    QCOMPARE(links[0].end.messagesSent, std::uint64_t{31});
    QCOMPARE(links[0].otherEnd.messagesSent, std::uint64_t{78});
    QCOMPARE(links[1].peer + links[1].otherPeer, std::string("bc"));
    QVERIFY(!links[1].end.told && links[1].otherEnd.told);
    // With a its rows go, and what b tells of it afterwards was on its way.
    nodes["a"].second->ended = true;
    world.home.ready(nodes["a"].first);
    tells("b", "a", 80);
    QCOMPARE(world.home.describeNeighbours().size(), std::size_t{1});
    QCOMPARE(world.home.describeNeighbours()[0].otherPeer, std::string("c"));
    QVERIFY(world.home.hasLinks());
  }

  void aNodeTellsOnlyOfItsOwnLinks_data() {
    QTest::addColumn<QString>("lie");
    for (const char* lie : {"none", "itself", "the home", "one that never was", "one twice",
                            "too many", "a way that is none", "a count that cannot be", "garbage"})
      QTest::newRow(lie) << lie;
  }
  void aNodeTellsOnlyOfItsOwnLinks() {
    QFETCH(QString, lie);
    World world;
    const auto [a, saidByA] = world.link("a");
    std::vector<std::uint64_t> others;
    for (int i = 0; i < 20; ++i) others.push_back(world.link("b").first - 1000);
    const std::weak_ptr<int> life = saidByA->life;
    router::NeighboursTold told;
    const auto tell = [&](std::uint64_t node) -> router::NeighbourFigures& {
      router::NeighbourFigures& figures = told.links.emplace_back();
      figures.node = node;
      return figures;
    };
    router::NeighbourFigures& first = tell(others[0]);
    if (lie == "itself") first.node = a - 1000;
    if (lie == "the home") first.node = 0;
    if (lie == "one that never was") first.node = 4711;
    if (lie == "a way that is none") first.way = static_cast<fabric::NeighbourWay>(3);
    if (lie == "a count that cannot be") first.bytesSent = ~std::uint64_t{0};
    if (lie == "one twice") tell(others[0]);
    if (lie == "too many")
      for (std::size_t i = 1; i <= router::NeighboursTold::mostTold; ++i) tell(others[i]);
    Bytes message = linkMessage(LinkMessage::NeighboursTold, 0, told);
    if (lie == "garbage") message.resize(message.size() - 1);
    saidByA->said.push_back(message);
    world.home.ready(a);
    QCOMPARE(life.expired(), lie != "none");
    QCOMPARE(world.home.describeNeighbours().empty(), lie != "none");
    QVERIFY(world.home.hasLinks());
  }

  /// At most 1 KiB a second, and each link has its turn.
  void manyLinksAreToldByTurns() {
    std::vector<router::NeighbourFigures> all(40);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].node = 100 - i;
    std::set<router::NodeId> named;
    router::NodeId last = 0;
    for (int turn = 0; turn < 3; ++turn) {
      const auto told = router::nextTold(all, last);
      QCOMPARE(told.links.size(), router::NeighboursTold::mostTold);
      QVERIFY(linkMessage(LinkMessage::NeighboursTold, 0, told).size() <= 1024);
      for (const auto& one : told.links) named.insert(one.node);
    }
    QCOMPARE(named.size(), all.size());
    QVERIFY(router::nextTold({}, last).links.empty());
  }

  /// What federates of other hosts have got, as their nodes tell, as long as both ends are there.
  void theHomeShowsWhoHasGotHowMuchElsewhere() {
    World world;
    const auto [a, saidByA] = world.link("a");
    saidByA->said.push_back(opens(7));
    saidByA->said.push_back(asks(7, Request::Join, 2, joinOf("there")));
    world.home.ready(a);
    QVERIFY(world.ask(Request::Join, joinOf("here")).ok());
    world.home.afterRequest();
    std::map<std::string, fabric::FederateNumber> numbers;
    const auto status = world.executive.status().federations.at(0);
    for (const auto& one : status.federates) numbers[one.name] = one.federate;
    const std::uint64_t execution = world.executive.executionNumber("world");
    const auto tell = [&, said = saidByA, link = a](router::FlowsTold told) {
      said->said.push_back(linkMessage(LinkMessage::FlowsTold, execution, told));
      world.home.ready(link);
    };
    auto now = pipes::Clock::now();
    QVERIFY(world.home.describeFlows(now).empty());
    tell({{{numbers["here"], numbers["there"], 30}, {4711, numbers["there"], 9}}});
    // Counts only grow: what is told late is not taken back.
    tell({{{numbers["here"], numbers["there"], 20}}});
    // However many ask, the list is made once a second.
    now += std::chrono::milliseconds(999);
    QVERIFY(world.home.describeFlows(now).empty());
    now += std::chrono::milliseconds(1);
    const auto flows = world.home.describeFlows(now);
    QCOMPARE(flows.size(), std::size_t{1});
    QCOMPARE(flows[0].execution, status.execution);
    QCOMPARE(flows[0].sender, numbers["here"]);
    QCOMPARE(flows[0].receiver, numbers["there"]);
    QCOMPARE(flows[0].messages, std::uint64_t{30});
    saidByA->ended = true;
    world.home.ready(a);
    QVERIFY(world.home.describeFlows(now + std::chrono::seconds(1)).empty());
  }

  void aNodeTellsNoFlowsThatCannotBe_data() {
    QTest::addColumn<QString>("lie");
    for (const char* lie : {"none", "too many", "a count that cannot be", "garbage"})
      QTest::newRow(lie) << lie;
  }
  void aNodeTellsNoFlowsThatCannotBe() {
    QFETCH(QString, lie);
    World world;
    const auto [a, saidByA] = world.link("a");
    saidByA->said.push_back(opens(7));
    saidByA->said.push_back(asks(7, Request::Join, 2, joinOf("there")));
    world.home.ready(a);
    const std::weak_ptr<int> life = saidByA->life;
    const std::uint64_t execution = world.executive.executionNumber("world");
    router::FlowsTold told;
    told.flows.push_back({4711, 4712, 5});
    if (lie == "too many") told.flows.resize(router::FlowsTold::mostTold + 1, told.flows[0]);
    if (lie == "a count that cannot be") told.flows[0].messages = ~std::uint64_t{0};
    Bytes message = linkMessage(LinkMessage::FlowsTold, execution, told);
    if (lie == "garbage") message.resize(message.size() - 1);
    saidByA->said.push_back(message);
    world.home.ready(a);
    QCOMPARE(life.expired(), lie != "none");
  }

  void aNodeSpeaksForItsOwnFederates_data() {
    QTest::addColumn<QString>("whose");
    QTest::addColumn<bool>("stays");
    QTest::newRow("its own") << "a" << true;
    QTest::newRow("of another node") << "b" << false;
    QTest::newRow("of the home's host") << "local" << false;
    QTest::newRow("of nobody any more") << "nobody" << true;
  }
  void aNodeSpeaksForItsOwnFederates() {
    QFETCH(QString, whose);
    QFETCH(bool, stays);
    enum { data, tableChange, sent, taken, page, figures, flows, congestion, tables, all };
    for (int kind = 0; kind < all; ++kind) {
      World world;
      const auto [a, saidByA] = world.link("a");
      const auto [b, saidByB] = world.link("b");
      for (Said* said : {saidByA, saidByB}) {
        said->said.push_back(opens(7));
        said->said.push_back(asks(7, Request::Join, 2, joinOf(said->remoteName())));
        world.home.ready(said == saidByA ? a : b);
      }
      QVERIFY(world.ask(Request::Join, joinOf("local")).ok());
      world.home.afterRequest();
      fabric::FederateNumber federate = 99;
      const auto status = world.executive.status().federations.at(0);
      for (const auto& one : status.federates) {
        if (one.name == whose.toStdString()) federate = one.federate;
      }
      const std::uint64_t execution = world.executive.executionNumber("world");
      const std::weak_ptr<int> lifeOfA = saidByA->life, lifeOfB = saidByB->life;
      const auto says = [&](LinkMessage message, const auto& body) {
        saidByA->said.push_back(linkMessage(message, execution, body));
      };
      router::States states;
      if (kind == data || kind == tableChange) {
        fabric::RecordHead head{};
        head.type = kind == data ? fabric::RecordType::Update : fabric::RecordType::TableRow;
        Bytes record(sizeof head + 64);
        head.bytes = static_cast<std::uint32_t>(record.size());
        std::memcpy(record.data(), &head, sizeof head);
        Bytes message;
        router::writeData(message, execution, federate, {}, record);
        saidByA->said.push_back(message);
      } else if (kind == sent) {
        states.sent.push_back({federate, 2, 5});
        says(LinkMessage::States, states);
      } else if (kind == taken) {
        states.taken.push_back({2, federate, 5});
        says(LinkMessage::States, states);
      } else if (kind == page) {
        states.pages.emplace_back().federate = federate;
        says(LinkMessage::States, states);
      } else if (kind == figures) {
        says(LinkMessage::Figures, router::Figures{{{federate, {1, 2, 3}}}});
      } else if (kind == flows) {
        says(LinkMessage::FlowsTold, router::FlowsTold{{{2, federate, 5}}});
      } else if (kind == congestion) {
        says(LinkMessage::Congestion, router::Congestion{federate, true});
      } else {
        says(LinkMessage::TableCountsShown, router::TableCounts{{federate}, {7}});
      }
      world.home.ready(a);
      QVERIFY2(lifeOfA.expired() != stays, qPrintable(QString::number(kind)));
      QVERIFY(!lifeOfB.expired());
      QCOMPARE(world.members(), std::size_t{stays ? 3u : 2u});
    }
  }
};

QTEST_GUILESS_MAIN(tst_home)
#include "tst_home.moc"
