// SPDX-License-Identifier: GPL-3.0-or-later
#include <spdlog/spdlog.h>

#include <QtTest>
#include <memory>
#include <random>

#include "ambassador.h"
#include "executive/executive.h"
#include "fake_models.h"

using namespace tutti::fabric;
using namespace std::chrono_literals;
using tutti::executive::Budget;
using tutti::executive::Executive;
using tutti::executive::HostMemory;
using tutti::test::FakeModelSource;
using tutti::test::NoBody;
using tutti::test::Outcome;
using tutti::test::requestBytes;
using tutti::test::takeApart;

namespace {

/// An executive, and connections to it without sockets.
struct Host {
  explicit Host(std::uint64_t budget = 64 << 20, std::chrono::milliseconds linger = 60s)
      : executive({"test", linger, std::nullopt}, Budget(budget), *HostMemory::make(), models) {}

  struct Client {
    Executive::ConnectionId id = 0;
    std::uint64_t number = 0;
    std::uint32_t connection = 0;
  };

  Client client(bool greets = true) {
    Client result{executive.opened(4711), 0, 0};
    if (greets) {
      result.connection = ask<HelloReply>(result, Request::Hello, HelloRequest{}).body.connection;
    }
    return result;
  }

  template <class Body = NoBody, class Message = NoBody>
  Outcome<Body> ask(Client& client, Request request, const Message& message = {}) {
    const auto reply = executive.answer(client.id, requestBytes(request, ++client.number, message));
    return takeApart<Body>(reply.bytes);
  }

  Outcome<NoBody> create(Client& client, const std::string& name = "world",
                         const std::string& time = {}) {
    return ask(client, Request::CreateFederation, CreateFederationRequest{name, {}, {}, time});
  }
  Outcome<JoinReply> join(Client& client, const std::string& federate = {},
                          const std::string& federation = "world") {
    return ask<JoinReply>(client, Request::Join, JoinRequest{federation, federate, "test", {}});
  }
  Outcome<NoBody> destroy(Client& client, const std::string& name = "world") {
    return ask(client, Request::DestroyFederation, FederationNameRequest{name});
  }

  FakeModelSource models;
  Executive executive;
};

}  // namespace

class TestExecutive : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { spdlog::set_level(spdlog::level::off); }

  void executionsHaveUniqueNames() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    QCOMPARE(host.create(client).head.refusal, Refusal::FederationExecutionAlreadyExists);
    QVERIFY(host.create(client, "other", "HLAinteger64Time").ok());
    const auto list = host.ask<ListFederationsReply>(client, Request::ListFederations);
    QCOMPARE(list.body.federations.size(), std::size_t{2});
    QCOMPARE(list.body.federations[0].timeImplementation, std::string("HLAinteger64Time"));
    QCOMPARE(list.body.federations[1].timeImplementation, std::string("HLAfloat64Time"));
  }

  void timeImplementations_data() {
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<bool>("known");
    QTest::newRow("default") << QByteArray("") << true;
    QTest::newRow("float") << QByteArray("HLAfloat64Time") << true;
    QTest::newRow("integer") << QByteArray("HLAinteger64Time") << true;
    QTest::newRow("other") << QByteArray("LunarTime") << false;
    QTest::newRow("case counts") << QByteArray("hlafloat64time") << false;
  }
  void timeImplementations() {
    QFETCH(QByteArray, name);
    QFETCH(bool, known);
    Host host;
    auto client = host.client();
    const auto outcome = host.create(client, "world", name.toStdString());
    QCOMPARE(outcome.ok(), known);
    if (!known) {
      QCOMPARE(outcome.head.refusal, Refusal::CouldNotCreateLogicalTimeFactory);
      QVERIFY(QByteArray::fromStdString(outcome.head.message).contains(name));
    }
  }

  void joinedFederatesKeepAnExecution() {
    Host host;
    auto a = host.client();
    auto b = host.client();
    QVERIFY(host.create(a).ok());
    QCOMPARE(host.join(b, "radar", "elsewhere").head.refusal,
             Refusal::FederationExecutionDoesNotExist);
    QVERIFY(host.join(b, "radar").ok());
    QCOMPARE(host.join(b, "again").head.refusal, Refusal::FederateAlreadyExecutionMember);
    const auto refused = host.destroy(a);
    QCOMPARE(refused.head.refusal, Refusal::FederatesCurrentlyJoined);
    QVERIFY(QByteArray::fromStdString(refused.head.message).contains("'radar'"));
    QVERIFY(host.ask(b, Request::Resign, ResignRequest{5, false}).ok());
    QVERIFY(host.destroy(a).ok());
    QCOMPARE(host.destroy(a).head.refusal, Refusal::FederationExecutionDoesNotExist);
  }

  void servicesOfMembersNeedAMember() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    const auto refusal = [&](Request request, const auto& message) {
      return host.ask(client, request, message).head.refusal;
    };
    const auto expected = Refusal::FederateNotExecutionMember;
    QCOMPARE(refusal(Request::Resign, ResignRequest{}), expected);
    QCOMPARE(refusal(Request::DeclareObjectClass, DeclareObjectClassRequest{}), expected);
    QCOMPARE(refusal(Request::DeclareInteractionClass, DeclareInteractionClassRequest{}), expected);
    QCOMPARE(refusal(Request::RegisterSynchronizationPoint, RegisterSynchronizationPointRequest{}),
             expected);
    QCOMPARE(refusal(Request::SynchronizationPointAchieved, SynchronizationPointAchievedRequest{}),
             expected);
    QCOMPARE(refusal(Request::ReserveNames, NamesRequest{}), expected);
    QCOMPARE(refusal(Request::ReleaseNames, NamesRequest{}), expected);
    QCOMPARE(refusal(Request::OpenRing, OpenRingRequest{}), expected);
    QCOMPARE(refusal(Request::Allocate, AllocateRequest{}), expected);
    QCOMPARE(refusal(Request::Free, FreeRequest{}), expected);
  }

  void theReplyNamesTheLogToApply() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    const auto joined = host.join(client);
    QCOMPARE(joined.head.logTail, joined.body.logNumber);
    const auto declared = host.ask(client, Request::DeclareObjectClass,
                                   DeclareObjectClassRequest{1, true, false, {1}});
    QCOMPARE(declared.head.logTail, joined.head.logTail + 1);
  }

  void aRequestThatComesAgainActsOnce() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    const auto bytes =
        requestBytes(Request::Join, ++client.number, JoinRequest{"world", "radar", "test", {}});
    const auto first = host.executive.answer(client.id, bytes);
    const auto second = host.executive.answer(client.id, bytes);
    QCOMPARE(second.bytes, first.bytes);
    QCOMPARE(second.descriptors, first.descriptors);
    QCOMPARE(host.executive.status().federations[0].federates.size(), std::size_t{1});
    const auto names = requestBytes(Request::ReserveNames, ++client.number, NamesRequest{{"one"}});
    QVERIFY(
        takeApart<ReserveNamesReply>(host.executive.answer(client.id, names).bytes).body.reserved);
    QVERIFY(
        takeApart<ReserveNamesReply>(host.executive.answer(client.id, names).bytes).body.reserved);
  }

  void otherVersionsAreRefusedByName() {
    Host host;
    auto client = host.client(false);
    HelloRequest hello;
    hello.layout = 99;
    const auto layout = host.ask(client, Request::Hello, hello);
    QCOMPARE(layout.head.refusal, Refusal::Internal);
    QVERIFY(QByteArray::fromStdString(layout.head.message).contains("99"));
    QCOMPARE(host.ask(client, Request::ListFederations).head.refusal, Refusal::Internal);

    RequestHead head;
    head.version = 77;
    head.request = Request::Hello;
    const auto reply = host.executive.answer(client.id, toWire(head));
    QVERIFY(reply.close);
    const auto outcome = takeApart<NoBody>(reply.bytes);
    QVERIFY(QByteArray::fromStdString(outcome.head.message).contains("77"));
  }

  void garbageIsAnsweredOrEndsItsConnection() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    QVERIFY(host.join(client).ok());
    QVERIFY(host.executive.answer(client.id, Bytes{}).close);
    QVERIFY(host.executive.answer(client.id, Bytes(7, std::byte{1})).close);
    std::mt19937 random(1);
    for (int round = 0; round < 20000; ++round) {
      RequestHead head;
      // All requests but those that end the sample, with whatever body.
      do {
        head.request = static_cast<Request>(random() % 20);
      } while (head.request == Request::Resign);
      head.number = ++client.number;
      Bytes bytes = toWire(head);
      const std::size_t length = random() % 64;
      for (std::size_t i = 0; i < length; ++i)
        bytes.push_back(static_cast<std::byte>(random() % 4));
      const auto reply = host.executive.answer(client.id, bytes);
      QVERIFY(takeApart<NoBody>(reply.bytes).head.number == head.number);
    }
    auto other = host.client();
    QVERIFY(host.join(other, "after all that").ok());
  }

  void messagesCutOffAreRefused() {
    Host host;
    auto client = host.client();
    QVERIFY(host.create(client).ok());
    QVERIFY(host.join(client).ok());
    RegisterSynchronizationPointRequest request{
        "label", tutti::test::bytesOf("tag"), false, {1, 2}};
    const auto whole =
        requestBytes(Request::RegisterSynchronizationPoint, ++client.number, request);
    const std::size_t headBytes = toWire(RequestHead{}).size();
    for (std::size_t length = headBytes; length < whole.size(); ++length) {
      const auto reply = host.executive.answer(client.id, std::span(whole).first(length));
      QCOMPARE(takeApart<NoBody>(reply.bytes).head.refusal, Refusal::Internal);
      client.number += 1;
      // The next one is another request, not the same again.
      host.ask(client, Request::ListFederations);
    }
  }

  void theEndOfAConnectionIsALoss() {
    Host host;
    auto a = host.client();
    auto b = host.client();
    QVERIFY(host.create(a).ok());
    QVERIFY(host.join(a, "a").ok());
    QVERIFY(host.join(b, "b").ok());
    host.executive.closed(b.id);
    const auto status = host.executive.status();
    QCOMPARE(status.federations[0].federates.size(), std::size_t{2});
    QCOMPARE(status.federations[0].federates[1].name, std::string("b"));
    QCOMPARE(status.federations[0].federates[1].state,
             static_cast<std::uint32_t>(FederateState::Lost));
    QVERIFY(host.executive.answer(b.id, toWire(RequestHead{})).close);
  }

  void deathsAreSettledBeforeWhatDependsOnThem_data() {
    QTest::addColumn<int>("request");
    QTest::newRow("destroy") << static_cast<int>(Request::DestroyFederation);
    QTest::newRow("join") << static_cast<int>(Request::Join);
    QTest::newRow("names") << static_cast<int>(Request::ReserveNames);
  }
  void deathsAreSettledBeforeWhatDependsOnThem() {
    QFETCH(int, request);
    Host host;
    auto a = host.client();
    auto dead = host.client();
    QVERIFY(host.create(a).ok());
    QVERIFY(host.join(dead, "radar").ok());
    QVERIFY(host.ask<ReserveNamesReply>(dead, Request::ReserveNames, NamesRequest{{"one"}})
                .body.reserved);
    int settled = 0;
    host.executive.onSettle([&] {
      ++settled;
      host.executive.closed(dead.id);
    });
    switch (static_cast<Request>(request)) {
      case Request::DestroyFederation:
        QVERIFY(host.destroy(a).ok());
        break;
      case Request::Join:
        QVERIFY(host.join(a, "radar").ok());
        break;
      default: {
        auto b = host.client();
        QVERIFY(host.join(b, "other").ok());
        QVERIFY(host.ask<ReserveNamesReply>(b, Request::ReserveNames, NamesRequest{{"one"}})
                    .body.reserved);
      }
    }
    QVERIFY(settled >= 1);
  }

  void connectionsGetTheLowestFreeBit() {
    Host host;
    auto a = host.client();
    auto b = host.client();
    QCOMPARE(a.connection, 0U);
    QCOMPARE(b.connection, 1U);
    host.executive.closed(a.id);
    QCOMPARE(host.client().connection, 0U);
    QCOMPARE(host.client().connection, 2U);
  }

  void anAbandonedExecutionGoesAfterItsTime() {
    Host host(64 << 20, 50ms);
    auto creator = host.client();
    auto guest = host.client();
    QVERIFY(host.create(creator).ok());
    QVERIFY(host.join(guest).ok());
    const auto later = [](std::chrono::milliseconds time) {
      return Executive::Clock::now() + time;
    };
    host.executive.closed(creator.id);
    host.executive.tick(later(1h));
    QVERIFY(host.executive.hasFederations());  // it has a member
    QVERIFY(host.ask(guest, Request::Resign, ResignRequest{}).ok());
    host.executive.tick(later(1h));
    QVERIFY(host.executive.hasFederations());  // one who was there may come back
    host.executive.closed(guest.id);
    QVERIFY(host.executive.nextTick().has_value());
    host.executive.tick(later(0ms));
    QVERIFY(host.executive.hasFederations());
    host.executive.tick(later(60ms));
    QVERIFY(!host.executive.hasFederations());
  }

  void federatesAreToldWithTheirHosts() {
    Host host;
    auto here = host.client();
    Host::Client there{host.executive.openedRemote(4712, "radar at 10.0.0.2", "bridge"), 0, 0};
    QVERIFY(host.create(here).ok());
    QVERIFY(host.join(here, "here").ok());
    QVERIFY(host.join(there, "there").ok());
    std::map<std::string, std::string> hosts;
    for (const auto& one : host.executive.execution("world")->momInformation().federates) {
      hosts[one.name] = one.host;
    }
    const std::map<std::string, std::string> expected{{"here", ""}, {"there", "bridge"}};
    QVERIFY(hosts == expected);
  }

  void aJoinSavesAnAbandonedExecution() {
    Host host(64 << 20, 50ms);
    auto creator = host.client();
    QVERIFY(host.create(creator).ok());
    host.executive.closed(creator.id);
    auto late = host.client();
    QVERIFY(host.join(late).ok());
    host.executive.tick(Executive::Clock::now() + 1h);
    QVERIFY(host.executive.hasFederations());
  }

  void destroyedExecutionsGiveTheirMemoryBack() {
    Host host(2 << 20);
    auto client = host.client();
    for (int round = 0; round < 50; ++round) {
      QVERIFY(host.create(client).ok());
      QVERIFY(host.join(client).ok());
      QVERIFY(host.ask(client, Request::Resign, ResignRequest{}).ok());
      QVERIFY(host.destroy(client).ok());
    }
    QCOMPARE(host.executive.status().committedBytes, std::uint64_t{0});
    std::string refused;
    for (int i = 0; i < 50 && refused.empty(); ++i) {
      const auto outcome = host.create(client, "world " + std::to_string(i));
      if (outcome.head.refusal == Refusal::OutOfMemory) refused = outcome.head.message;
    }
    QVERIFY(QByteArray::fromStdString(refused).contains("TUTTI_MEMORY"));
    QVERIFY(host.executive.status().committedBytes <= host.executive.status().budgetBytes);
  }
};

QTEST_GUILESS_MAIN(TestExecutive)
#include "tst_executive.moc"
