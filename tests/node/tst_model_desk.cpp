// SPDX-License-Identifier: GPL-3.0-or-later
// Object models are read beside the thread that serves: whoever needs none is answered meanwhile.
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <QtTest>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "../pipes/account.h"
#include "ambassador.h"
#include "fake_models.h"
#include "node/model_desk.h"
#include "node/node.h"
#include "node_process.h"
#include "observe/node_client.h"

using namespace tutti::fabric;
using namespace std::chrono_literals;
using tutti::executive::Answer;
using tutti::executive::Budget;
using tutti::executive::Executive;
using tutti::executive::FederationModel;
using tutti::executive::HostMemory;
using tutti::executive::ModelRead;
using tutti::node::ModelDesk;
using tutti::test::FakeModelSource;
using tutti::test::NoBody;
using tutti::test::Outcome;
using tutti::test::requestBytes;
using tutti::test::takeApart;

namespace {

/// Models whose reading goes on for as long as the test wants.
class SlowModels final : public tutti::executive::ModelSource {
 public:
  Answer<std::shared_ptr<const FederationModel>> create(
      const std::vector<ModuleBytes>& modules, const std::vector<ModuleBytes>& mim) override {
    {
      std::unique_lock lock(mutex_);
      ++begun_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return allowed_ > 0; });
      --allowed_;
    }
    if (!modules.empty() && modules.front().name == "huge") throw std::bad_alloc();
    return models_.create(modules, mim);
  }

  /// Readings that may end from now on.
  void allow(int count = 1) {
    const std::lock_guard lock(mutex_);
    allowed_ += count;
    changed_.notify_all();
  }
  bool awaitBegun(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return begun_ >= count; });
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  FakeModelSource models_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int allowed_ = 0;
};

/// An executive with its desk, and connections without sockets.
struct Host {
  explicit Host(std::chrono::milliseconds linger = 60s)
      : executive({"test", linger, std::nullopt}, Budget(64 << 20), *HostMemory::make(), models) {}
  ~Host() { models.allow(1000); }

  Executive::ConnectionId client() {
    const auto id = executive.opened(4711);
    executive.answer(id, requestBytes(Request::Hello, 1, HelloRequest{}));
    return id;
  }

  /// As a node has a request answered; the answer is noted as "NAME refusal".
  template <class Message>
  void ask(const std::string& name, Executive::ConnectionId id, Request request,
           const Message& message) {
    const Bytes datagram = requestBytes(request, ++number, message);
    const auto finish = [this, name, id](const Bytes& bytes, const ModelRead* read) {
      const auto outcome =
          takeApart<NoBody>(executive.answer(id, bytes, read).bytes);
      const Refusal refusal = outcome.head.refusal;
      answers << QString::fromStdString(name) + (refusal == Refusal::None ? "" : " refused");
      refusals.push_back(refusal);
    };
    if (!desk.takes(id, datagram, finish)) finish(datagram, nullptr);
  }
  void create(const std::string& name, Executive::ConnectionId id, const std::string& federation,
              const std::string& module = "m") {
    ask(name, id, Request::CreateFederation,
        CreateFederationRequest{federation, {{module, {}}}, {}, {}});
  }
  void join(const std::string& name, Executive::ConnectionId id, const std::string& federation,
            const std::vector<ModuleBytes>& modules = {}) {
    ask(name, id, Request::Join, JoinRequest{federation, name, "test", modules});
  }
  void destroy(const std::string& name, Executive::ConnectionId id,
               const std::string& federation) {
    ask(name, id, Request::DestroyFederation, FederationNameRequest{federation});
  }

  bool awaitAnswers(int count) {
    QElapsedTimer timer;
    timer.start();
    while (answers.size() < count && timer.elapsed() < 20000) {
      pollfd event{desk.descriptor(), POLLIN, 0};
      if (::poll(&event, 1, 1000) > 0) desk.ready();
    }
    return answers.size() == count;
  }

  SlowModels models;
  Executive executive;
  ModelDesk desk{executive, models};
  std::uint64_t number = 1;
  QStringList answers;
  std::vector<Refusal> refusals;
};

}  // namespace

class TestModelDesk : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { spdlog::set_level(spdlog::level::off); }

  void othersAreAnsweredWhileAModelIsRead() {
    Host host;
    const auto a = host.client();
    const auto b = host.client();
    host.create("a creates", a, "world");
    QVERIFY(host.models.awaitBegun(1));
    QVERIFY(host.desk.isWaiting(a));
    host.ask("b lists", b, Request::ListFederations, NoBody{});
    QCOMPARE(host.answers, QStringList{"b lists"});
    host.models.allow();
    QVERIFY(host.awaitAnswers(2));
    QCOMPARE(host.answers.last(), QString("a creates"));
    QCOMPARE(host.desk.waitingCount(), std::size_t{0});
  }

  void whatConcernsOneExecutionKeepsItsOrder() {
    Host host;
    const auto a = host.client();
    const auto b = host.client();
    const auto c = host.client();
    const auto d = host.client();
    host.create("a", a, "world");
    host.create("b", b, "world");  // exists by then: nothing is read for it
    host.join("c", c, "world");
    host.destroy("d", d, "world");
    host.destroy("another", host.client(), "elsewhere");
    QCOMPARE(host.answers, QStringList{"another refused"});
    host.models.allow();
    QVERIFY(host.awaitAnswers(5));
    QCOMPARE(host.answers,
             (QStringList{"another refused", "a", "b refused", "c", "d refused"}));
    QCOMPARE(host.refusals[2], Refusal::FederationExecutionAlreadyExists);
    QCOMPARE(host.refusals[4], Refusal::FederatesCurrentlyJoined);
    QCOMPARE(host.models.begun(), 1);
  }

  void twoExecutionsAreReadForAtATime() {
    Host host;
    for (const char* name : {"one", "two", "three"}) host.create(name, host.client(), name);
    QVERIFY(host.models.awaitBegun(2));
    QCOMPARE(host.desk.waitingCount(), std::size_t{3});
    host.models.allow();
    QVERIFY(host.awaitAnswers(1));
    QVERIFY(host.models.awaitBegun(3));
    host.models.allow(2);
    QVERIFY(host.awaitAnswers(3));
  }

  void whatWaitsCountsInTheBudget() {
    tutti::test::Account account{8192};
    Host host;
    host.desk.payFrom(&account);
    const std::vector<ModuleBytes> large{{"large", Bytes(5000)}};
    host.create("a", host.client(), "world");
    QVERIFY(host.models.awaitBegun(1));
    const auto b = host.client();
    host.join("b", b, "world", large);
    QVERIFY(host.desk.isWaiting(b));
    QVERIFY(account.used > 5000);
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, host.join("c", host.client(), "world", large));
    QCOMPARE(host.desk.waitingCount(), std::size_t{2});
    host.executive.closed(b);
    host.models.allow();
    QVERIFY(host.awaitAnswers(1));
    QCOMPARE(account.used, std::uint64_t{0});
  }

  void whoDiesWhileItsModelIsReadIsForgotten() {
    Host host;
    const auto a = host.client();
    host.create("a", a, "world", "first");
    QVERIFY(host.models.awaitBegun(1));
    const auto b = host.client();
    host.create("b", b, "world", "second");
    host.executive.closed(a);
    host.models.allow(2);
    QVERIFY(host.awaitAnswers(1));
    QCOMPARE(host.answers, QStringList{"b"});
    QVERIFY(!host.desk.isWaiting(a));
    // What was read for the dead one was not taken for b's.
    QCOMPARE(host.models.begun(), 2);
    const auto status = host.executive.status();
    QCOMPARE(status.federations.size(), std::size_t{1});
    QVERIFY(status.federations[0].modules.back() == "second");
  }

  void anExecutionThatEndsWhileAJoinIsReadForIsMissed() {
    Host host(0ms);
    const auto a = host.client();
    host.create("a", a, "world");
    QVERIFY(host.models.awaitBegun(1));
    host.models.allow();
    QVERIFY(host.awaitAnswers(1));
    const auto b = host.client();
    host.join("b", b, "world", {{"more", {}}});
    QVERIFY(host.desk.isWaiting(b));
    host.executive.closed(a);
    host.executive.tick(Executive::Clock::now() + 1s);
    QVERIFY(!host.executive.hasFederations());
    QVERIFY(host.awaitAnswers(2));
    QCOMPARE(host.refusals.back(), Refusal::FederationExecutionDoesNotExist);
  }

  void joinersWithOtherModulesAllCount() {
    Host host;
    host.create("a", host.client(), "world");
    host.models.allow();
    QVERIFY(host.awaitAnswers(1));
    for (int i = 0; i < 5; ++i) {
      const std::string name = "j" + std::to_string(i);
      host.join(name, host.client(), "world", {{name, {}}});
    }
    QVERIFY(host.awaitAnswers(6));
    QCOMPARE(host.answers.filter("refused"), QStringList());
    QCOMPARE(host.executive.status().federations[0].modules.size(), std::size_t{7});
  }

  void aModelForWhichThereIsNoMemoryIsRefused() {
    Host host;
    host.create("a", host.client(), "world", "huge");
    host.models.allow();
    QVERIFY(host.awaitAnswers(1));
    QCOMPARE(host.refusals[0], Refusal::OutOfMemory);
  }

  /// The same at a node, over its socket.
  void aNodeAnswersOthersWhileAModelIsRead() {
    SlowModels models;
    const std::string name = tutti::test::uniqueNode("desk");
    tutti::node::NodeOptions options;
    options.name = name;
    options.models = &models;
    auto node = tutti::node::Node::listen(options);
    QVERIFY(node.has_value());
    const UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
    std::thread thread([&] { (*node)->serve(stop.get()); });
    const auto end = qScopeGuard([&] {
      models.allow(1000);
      const std::uint64_t one = 1;
      QCOMPARE(::write(stop.get(), &one, sizeof one), ssize_t{sizeof one});
      thread.join();
    });
    const auto connect = [&] {
      auto endpoint = Endpoint::connect(name);
      if (!endpoint) qFatal("%s", endpoint.error().text.c_str());
      return std::move(*endpoint);
    };
    const auto send = [](Endpoint& endpoint, Request request, std::uint64_t number,
                         const auto& message) {
      if (!endpoint.send(requestBytes(request, number, message))) qFatal("cannot send");
    };
    const auto receive = [](Endpoint& endpoint) {
      auto answer = endpoint.receive(Endpoint::Clock::now() + 20s);
      if (!answer) qFatal("%s", answer.error().text.c_str());
      return takeApart<NoBody>(answer->bytes);
    };
    Endpoint a = connect();
    send(a, Request::Hello, 1, HelloRequest{});
    receive(a);
    send(a, Request::CreateFederation, 2, CreateFederationRequest{"world", {{"m", {}}}, {}, {}});
    QVERIFY(models.awaitBegun(1));
    // A newcomer, and one after the other of its requests.
    Endpoint b = connect();
    send(b, Request::Hello, 1, HelloRequest{});
    QVERIFY(receive(b).answered);
    for (std::uint64_t number = 2; number < 50; ++number) {
      send(b, Request::ListFederations, number, NoBody{});
      QCOMPARE(receive(b).head.number, number);
    }
    // One that dies while it waits leaves nothing behind.
    {
      Endpoint dead = connect();
      send(dead, Request::Hello, 1, HelloRequest{});
      receive(dead);
      send(dead, Request::CreateFederation, 2, CreateFederationRequest{"dead", {}, {}, {}});
      QVERIFY(models.awaitBegun(2));
    }
    // One that does not wait for its answer is closed.
    Endpoint hasty = connect();
    send(hasty, Request::Hello, 1, HelloRequest{});
    receive(hasty);
    send(hasty, Request::CreateFederation, 2, CreateFederationRequest{"world", {}, {}, {}});
    send(hasty, Request::ListFederations, 3, NoBody{});
    QVERIFY(!hasty.receive(Endpoint::Clock::now() + 20s).has_value());
    models.allow(2);
    const auto created = receive(a);
    QVERIFY2(created.ok(), created.head.message.c_str());
    auto client = tutti::observe::NodeClient::connect(name);
    QVERIFY(client.has_value());
    const auto status = client->status();
    QVERIFY(status.has_value());
    QCOMPARE(status->federations.size(), std::size_t{1});
    QCOMPARE(status->federations[0].federation, std::string("world"));
  }
};

QTEST_GUILESS_MAIN(TestModelDesk)
#include "tst_model_desk.moc"
