// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>

#include <QtTest>
#include <atomic>
#include <bit>
#include <new>
#include <thread>

#include "ambassador.h"
#include "node_process.h"
#include "observe/observer.h"

using namespace tutti::fabric;
using tutti::observe::CounterValues;
using tutti::observe::FederateSample;
using tutti::observe::FederationSample;
using tutti::observe::LinkSample;
using tutti::observe::Observer;
using tutti::observe::Snapshot;
using tutti::test::Ambassador;
using tutti::test::NodeProcess;
using tutti::test::uniqueNode;

namespace {

/// A node, an execution 'world', and what a test needs of them.
struct Stage {
  explicit Stage(const char* stem, const std::string& time = {}) : name(uniqueNode(stem)) {
    ok = node.start(name);
    auto connected = ok ? Ambassador::connect(name) : std::nullopt;
    ok = connected && connected->hello() && connected->create("world", {}, time).ok();
    if (ok) creator = std::move(*connected);
  }
  Ambassador join(const std::string& federate, const std::string& type = "test") {
    auto ambassador = Ambassador::connect(name);
    if (!ambassador || !ambassador->hello() || !ambassador->join("world", federate, type).ok()) {
      qFatal("%s cannot join", federate.c_str());
    }
    return std::move(*ambassador);
  }

  NodeProcess node;
  std::string name;
  Ambassador creator;
  bool ok = false;
};

void write(TimeSlot& slot, std::uint32_t flags, TimeAdvance advance, std::uint64_t logical,
           std::uint64_t requested, std::uint64_t lookahead, std::uint64_t least,
           std::uint64_t galt) {
  const auto sequence = slot.sequence.load(std::memory_order_relaxed);
  TimeState& state = slot.states[(sequence + 1) & 1];
  state.flags.store(flags, std::memory_order_relaxed);
  state.advance.store(static_cast<std::uint32_t>(advance), std::memory_order_relaxed);
  state.logicalTime.store(logical, std::memory_order_relaxed);
  state.requestedTime.store(requested, std::memory_order_relaxed);
  state.lookahead.store(lookahead, std::memory_order_relaxed);
  state.leastStamp.store(least, std::memory_order_relaxed);
  state.galt.store(galt, std::memory_order_relaxed);
  slot.sequence.store(sequence + 1, std::memory_order_release);
}

const FederateSample* find(const Snapshot& snapshot, const std::string& name) {
  for (const FederationSample& federation : snapshot.federations) {
    for (const FederateSample& federate : federation.federates) {
      if (federate.name == name) return &federate;
    }
  }
  return nullptr;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

class TestObserver : public QObject {
  Q_OBJECT

 private slots:
  void designators_data() {
    QTest::addColumn<QString>("designator");
    QTest::addColumn<QString>("name");  // empty: refused
    QTest::newRow("scheme") << "shm:lab"
                            << "lab";
    QTest::newRow("bare") << "lab"
                          << "lab";
    QTest::newRow("empty") << ""
                           << "default";
    QTest::newRow("scheme alone") << "shm:"
                                  << "default";
    QTest::newRow("between hosts") << "tcp:host:4711"
                                   << "";
    QTest::newRow("other RTIs") << "rti://host"
                                << "";
  }
  void designators() {
    QFETCH(QString, designator);
    QFETCH(QString, name);
    const auto result = tutti::observe::nodeNameOf(designator.toStdString());
    QCOMPARE(QString::fromStdString(result.value_or("")), name);
  }

  void noNodeIsExplained() {
    const auto observer = Observer::connect("shm:nobody-has-this-name");
    QVERIFY(!observer.has_value());
    QVERIFY(QString::fromStdString(observer.error()).contains("'nobody-has-this-name'"));
  }

  void federatesAndTheirCounters() {
    Stage stage("counters");
    QVERIFY(stage.ok);
    Ambassador radar = stage.join("radar", "sensor");
    Ambassador log = stage.join("log");
    auto observer = Observer::connect("shm:" + stage.name);
    QVERIFY2(observer.has_value(), observer ? "" : observer.error().c_str());

    // Each counter gets a value of its own, written as the federate's library writes it.
    radar.block->lost.add(classKey(1, false), 7);
    auto* counter = &radar.block->counters.updatesSent;
    for (std::uint64_t i = 0; i < sizeof(Counters) / sizeof *counter; ++i) {
      counter[i].store(1000 + i, std::memory_order_relaxed);
    }
    QVERIFY(observer->refresh());
    const Snapshot snapshot = observer->sample();
    QVERIFY(snapshot.connected);
    QVERIFY2(snapshot.problem.empty(), snapshot.problem.c_str());
    QCOMPARE(snapshot.nodePid, static_cast<int>(stage.node.process().processId()));
    QVERIFY(snapshot.committedBytes > 0 && snapshot.committedBytes < snapshot.budgetBytes);
    QVERIFY(snapshot.monotonicNanoseconds > 0);
    QCOMPARE(snapshot.federations.size(), std::size_t{1});
    QCOMPARE(snapshot.federations[0].name, std::string("world"));
    QCOMPARE(snapshot.federations[0].federates.size(), std::size_t{2});
    const FederateSample* sample = find(snapshot, "radar");
    QVERIFY(sample != nullptr && sample->live);
    QCOMPARE(sample->type, std::string("sensor"));
    QCOMPARE(sample->pid, static_cast<int>(QCoreApplication::applicationPid()));
    QCOMPARE(sample->state, FederateState::Joined);
    const CounterValues& values = sample->counters;
    QCOMPARE(values.updatesSent, std::uint64_t{1000});
    QCOMPARE(values.reflectionsReceived, std::uint64_t{1001});
    QCOMPARE(values.interactionsSent, std::uint64_t{1002});
    QCOMPARE(values.interactionsReceived, std::uint64_t{1003});
    QCOMPARE(values.instancesRegistered, std::uint64_t{1004});
    QCOMPARE(values.instancesDeleted, std::uint64_t{1005});
    QCOMPARE(values.instancesDiscovered, std::uint64_t{1006});
    QCOMPARE(values.instancesRemoved, std::uint64_t{1007});
    QCOMPARE(values.timeAdvanceGrants, std::uint64_t{1008});
    QCOMPARE(values.callbacks, std::uint64_t{1009});
    QCOMPARE(values.bytesSent, std::uint64_t{1010});
    QCOMPARE(values.bytesReceived, std::uint64_t{1011});
    QCOMPARE(values.receiveOrderQueued, std::uint64_t{1012});
    QCOMPARE(values.timestampOrderQueued, std::uint64_t{1013});
    QCOMPARE(values.queuedBytes, std::uint64_t{1014});
    QCOMPARE(values.bestEffortDropped, std::uint64_t{1015});
    QCOMPARE(values.bestEffortLost, std::uint64_t{7});
    QCOMPARE(sample->drops.size(), std::size_t{1});
    QCOMPARE(sample->drops[0].className, std::string("HLAobjectRoot"));
    QCOMPARE(sample->drops[0].lost, std::uint64_t{7});
    QCOMPARE(values.blockedNanoseconds, std::uint64_t{1016});
    QCOMPARE(values.lastCallNanoseconds, std::uint64_t{1017});
    QCOMPARE(find(snapshot, "log")->counters.updatesSent, std::uint64_t{0});

    // A sample asks nobody: a node that does not run is not waited for.
    const auto requests = snapshot.requests;
    const auto pid = static_cast<pid_t>(stage.node.process().processId());
    QCOMPARE(::kill(pid, SIGSTOP), 0);
    radar.block->counters.updatesSent.store(5000);
    for (int i = 0; i < 100; ++i) (void)observer->sample();
    const Snapshot later = observer->sample();
    QCOMPARE(::kill(pid, SIGCONT), 0);
    QVERIFY(later.connected);
    QCOMPARE(find(later, "radar")->counters.updatesSent, std::uint64_t{5000});
    // Nor does a look count as a request of the federates.
    QVERIFY(observer->refresh());
    QCOMPARE(observer->sample().requests, requests);
    QVERIFY(log.block->doorbell.load() == 0U);
  }

  void times() {
    for (const bool integer : {false, true}) {
      Stage stage("time", integer ? "HLAinteger64Time" : "");
      QVERIFY(stage.ok);
      Ambassador radar = stage.join("radar");
      auto observer = Observer::connect(stage.name);
      QVERIFY(observer.has_value());
      const auto encoded = [&](double value) {
        return integer ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : bits(value);
      };
      const std::uint32_t type = integer ? timeFlag::integerTime : 0;

      auto sample = *find(observer->sample(), "radar");
      QVERIFY(!sample.time.regulating && !sample.time.constrained && !sample.time.galt);

      write(radar.block->time,
            type | timeFlag::regulating | timeFlag::constrained | timeFlag::galtValid |
                timeFlag::queueHasStamp | timeFlag::exclusive,
            TimeAdvance::NextMessageRequest, encoded(-12), encoded(40), encoded(3), encoded(17),
            encoded(25));
      sample = *find(observer->sample(), "radar");
      QVERIFY(sample.time.regulating && sample.time.constrained && sample.time.exclusive);
      QCOMPARE(sample.time.advance, TimeAdvance::NextMessageRequest);
      QCOMPARE(sample.time.logicalTime, -12.0);
      QCOMPARE(sample.time.requestedTime.value_or(0), 40.0);
      QCOMPARE(sample.time.lookahead.value_or(0), 3.0);
      QCOMPARE(sample.time.leastStamp.value_or(0), 17.0);
      QCOMPARE(sample.time.galt.value_or(0), 25.0);

      write(radar.block->time, type | timeFlag::constrained, TimeAdvance::None, encoded(40), 0, 0,
            0, 0);
      sample = *find(observer->sample(), "radar");
      QCOMPARE(sample.time.logicalTime, 40.0);
      QVERIFY(!sample.time.requestedTime && !sample.time.lookahead && !sample.time.galt &&
              !sample.time.leastStamp);
    }
  }

  void aTimeIsNeverTorn() {
    Stage stage("torn");
    QVERIFY(stage.ok);
    Ambassador radar = stage.join("radar");
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    std::atomic<bool> stop = false;
    std::thread writer([&] {
      for (double t = 1; !stop; t += 1) {
        write(radar.block->time, timeFlag::regulating, TimeAdvance::TimeAdvanceRequest, bits(t),
              bits(t + 1), bits(t + 2), 0, 0);
      }
    });
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
      const auto time = find(observer->sample(), "radar")->time;
      if (!time.regulating) continue;  // changed faster than it could be read
      ++read;
      if (*time.requestedTime != time.logicalTime + 1 || *time.lookahead != time.logicalTime + 2) {
        stop = true;
        writer.join();
        QFAIL("a time was read that never was");
      }
    }
    stop = true;
    writer.join();
    QVERIFY(read > 0);
  }

  void linksShowWhatWaits() {
    Stage stage("links");
    QVERIFY(stage.ok);
    Ambassador a = stage.join("a");
    Ambassador b = stage.join("b");
    const auto opened =
        a.ask<OpenRingReply>(Request::OpenRing, OpenRingRequest{b.joined.federate, 4096, 0});
    QVERIFY(opened.ok());
    auto* ring = a.arena.as<RingHeader>(opened.body.ring);
    ring->tail.store(1500);
    ring->head.store(500);
    ring->messages.store(12);
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    auto links = observer->sample().federations.at(0).links;
    QCOMPARE(links.size(), std::size_t{1});
    QCOMPARE(links[0].sender, a.joined.federate);
    QCOMPARE(links[0].receiver, b.joined.federate);
    QCOMPARE(links[0].messages, std::uint64_t{12});
    QCOMPARE(links[0].bytesWaiting, std::uint64_t{1000});
    QCOMPARE(links[0].capacityBytes, std::uint64_t{4096 - 256});

    // It grows: what waits in both counts until the receiver has moved.
    const auto larger = a.ask<OpenRingReply>(
        Request::OpenRing, OpenRingRequest{b.joined.federate, 16384, opened.body.ring});
    QVERIFY(larger.ok());
    auto* next = a.arena.as<RingHeader>(larger.body.ring);
    next->tail.store(300);
    next->messages.store(20);
    ring->successor.store(larger.body.ring);
    links = observer->sample().federations.at(0).links;
    QCOMPARE(links.size(), std::size_t{1});
    QCOMPARE(links[0].messages, std::uint64_t{20});
    QCOMPARE(links[0].bytesWaiting, std::uint64_t{1300});

    // The other way is another link; one who left has none.
    QVERIFY(
        b.ask<OpenRingReply>(Request::OpenRing, OpenRingRequest{a.joined.federate, 4096, 0}).ok());
    QCOMPARE(observer->sample().federations.at(0).links.size(), std::size_t{2});
  }

  void declarationsAndInstancesByClass() {
    Stage stage("classes");
    QVERIFY(stage.ok);
    Ambassador a = stage.join("a");
    Ambassador b = stage.join("b");
    // HLAmanager and below come with every model: handles 1 (the root), 2, 3 ...
    QVERIFY(
        a.ask(Request::DeclareObjectClass, DeclareObjectClassRequest{2, true, false, {1}}).ok());
    QVERIFY(
        b.ask(Request::DeclareObjectClass, DeclareObjectClassRequest{2, false, false, {1}}).ok());
    QVERIFY(b.ask(Request::DeclareInteractionClass,
                  DeclareInteractionClassRequest{2, true, true, false})
                .ok());
    const auto registerInstances = [](Ambassador& by, const std::vector<std::uint32_t>& classes,
                                      std::size_t deleted) {
      const auto table =
          by.ask<AllocateReply>(Request::Allocate, AllocateRequest{4096, Purpose::Instances});
      auto* block = new (by.arena.at(table.body.extent, sizeof(InstanceBlock))) InstanceBlock{};
      block->capacity = 64;
      auto* row = reinterpret_cast<InstanceRow*>(by.arena.at(
          table.body.extent + sizeof(InstanceBlock), classes.size() * sizeof(InstanceRow)));
      for (std::size_t i = 0; i < classes.size(); ++i, ++row) {
        row->objectClass.store(classes[i]);
        row->state.store(i < deleted ? 256 + InstanceRow::free : InstanceRow::alive);
      }
      block->used.store(static_cast<std::uint32_t>(classes.size()));
      by.block->instances.store(table.body.extent);
    };
    registerInstances(a, {2, 2, 2, 3, 2}, 1);
    registerInstances(b, {2, 2, 9999}, 0);

    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    const auto declared = observer->declarations("world");
    QCOMPARE(declared.size(), std::size_t{3});
    QCOMPARE(declared[0].federate, a.joined.federate);
    QVERIFY(declared[0].publish && !declared[0].interaction);
    QVERIFY2(declared[0].className.starts_with("HLAobjectRoot."), declared[0].className.c_str());
    QCOMPARE(declared[1].className, declared[0].className);
    QVERIFY(!declared[1].publish);
    QVERIFY(declared[2].interaction && declared[2].publish);
    QVERIFY(declared[2].className.starts_with("HLAinteractionRoot."));
    QVERIFY(observer->declarations("moon").empty());

    const auto instances = observer->instancesOf("world", a.joined.federate);
    QCOMPARE(instances.size(), std::size_t{2});
    QCOMPARE(instances[0].className, declared[0].className);
    QCOMPARE(instances[0].owned, std::uint64_t{3});
    QCOMPARE(instances[0].total, std::uint64_t{5});
    QCOMPARE(instances[1].owned, std::uint64_t{1});
    QCOMPARE(instances[1].total, std::uint64_t{1});
    QVERIFY(observer->instancesOf("world", 4711).empty());

    // Tables that lead nowhere or in circles give what can be read.
    auto* block = a.arena.as<InstanceBlock>(a.block->instances.load());
    block->next.store(a.block->instances.load());
    block->used.store(~0U);
    QVERIFY(observer->instancesOf("world", a.joined.federate).size() >= 2);
    a.block->instances.store(Offset{1} << 50);
    QVERIFY(observer->instancesOf("world", a.joined.federate).empty());
    a.block->instances.store(0);
  }

  void manySendersToOne() {
    Stage stage("many");
    QVERIFY(stage.ok);
    Ambassador sink = stage.join("sink");
    std::vector<Ambassador> senders;
    for (int i = 0; i < 150; ++i) {
      senders.push_back(stage.join(""));
      QVERIFY(
          senders.back()
              .ask<OpenRingReply>(Request::OpenRing, OpenRingRequest{sink.joined.federate, 4096, 0})
              .ok());
    }
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    QCOMPARE(observer->sample().federations.at(0).links.size(), std::size_t{150});
    QCOMPARE(observer->sample().federations.at(0).federates.size(), std::size_t{151});
  }

  void whoLeftIsShownAsSuch() {
    Stage stage("left");
    QVERIFY(stage.ok);
    Ambassador stays = stage.join("stays");
    Ambassador resigns = stage.join("resigns");
    auto dies = std::make_unique<Ambassador>(stage.join("dies"));
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    dies->block->counters.updatesSent.store(7);
    QVERIFY(resigns.ask(Request::Resign, ResignRequest{5, false}).ok());
    dies.reset();
    QVERIFY(stays.waitFor(LogRecordType::FederateResigned).has_value());
    QTRY_VERIFY(observer->refresh() &&
                find(observer->sample(), "dies")->state == FederateState::Lost);
    const Snapshot snapshot = observer->sample();
    QCOMPARE(find(snapshot, "resigns")->state, FederateState::Resigned);
    QVERIFY(!find(snapshot, "dies")->live);
    QVERIFY(find(snapshot, "stays")->live);
  }

  /// Also of those who came and went between two looks, and when the execution is destroyed.
  void whoLeftKeepsTheFiguresItLeftWith() {
    Stage stage("figures");
    QVERIFY(stage.ok);
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    const auto comeAndCount = [&](const char* name, std::uint64_t first, double time) {
      auto federate = std::make_unique<Ambassador>(stage.join(name));
      auto* counter = &federate->block->counters.updatesSent;
      for (std::uint64_t i = 0; i < sizeof(Counters) / sizeof *counter; ++i) {
        counter[i].store(first + i, std::memory_order_relaxed);
      }
      write(federate->block->time, timeFlag::regulating | timeFlag::constrained, TimeAdvance::None,
            bits(time), 0, bits(0.5), 0, 0);
      return federate;
    };
    auto resigns = comeAndCount("resigns", 100, 2.5);
    auto dies = comeAndCount("dies", 200, 7);
    QVERIFY(resigns->ask(Request::Resign, ResignRequest{5, false}).ok());
    dies.reset();
    // Nobody was looking while they were there.
    QVERIFY(find(observer->sample(), "resigns") == nullptr);
    const auto gone = [&] {
      if (!observer->refresh()) return false;
      const Snapshot now = observer->sample();
      const FederateSample* lost = find(now, "dies");
      return lost != nullptr && lost->state == FederateState::Lost;
    };
    QTRY_VERIFY(gone());
    const auto check = [](const FederateSample& sample, std::uint64_t first, double time) {
      QVERIFY(sample.last && !sample.live);
      QCOMPARE(sample.counters.updatesSent, first);
      QCOMPARE(sample.counters.reflectionsReceived, first + 1);
      QCOMPARE(sample.counters.timeAdvanceGrants, first + 8);
      QCOMPARE(sample.counters.lastCallNanoseconds, first + 17);
      QVERIFY(sample.time.regulating && sample.time.constrained);
      QCOMPARE(sample.time.logicalTime, time);
      QCOMPARE(sample.time.lookahead.value_or(0), 0.5);
    };
    Snapshot snapshot = observer->sample();
    check(*find(snapshot, "resigns"), 100, 2.5);
    check(*find(snapshot, "dies"), 200, 7);
    QVERIFY(snapshot.ended.empty());

    QVERIFY(stage.creator.destroy("world").ok());
    QVERIFY(observer->refresh());
    snapshot = observer->sample();
    QVERIFY(snapshot.federations.empty());
    QCOMPARE(snapshot.ended.size(), std::size_t{1});
    QCOMPARE(snapshot.ended[0].name, std::string("world"));
    QCOMPARE(snapshot.ended[0].federates.size(), std::size_t{2});
    check(snapshot.ended[0].federates[0], 100, 2.5);
    check(snapshot.ended[0].federates[1], 200, 7);

    // A new one of the name is another one.
    QVERIFY(stage.creator.create("world", {}, {}).ok());
    QVERIFY(observer->refresh());
    QVERIFY(observer->sample().federations.at(0).federates.empty());
  }

  void memoryThatIsSomethingElseGivesNoFigures() {
    Stage stage("reused");
    QVERIFY(stage.ok);
    Ambassador a = stage.join("a");
    Ambassador b = stage.join("b");
    const auto opened =
        a.ask<OpenRingReply>(Request::OpenRing, OpenRingRequest{b.joined.federate, 4096, 0});
    QVERIFY(opened.ok());
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    a.block->counters.updatesSent.store(77);
    QVERIFY(find(observer->sample(), "a")->live);

    // As when the pages were given to others between two refreshes.
    a.block->federate = 4711;
    QVERIFY(!find(observer->sample(), "a")->live);
    QCOMPARE(find(observer->sample(), "a")->counters.updatesSent, std::uint64_t{0});
    a.block->federate = a.joined.federate;
    a.block->magic = 0;
    QVERIFY(!find(observer->sample(), "a")->live);
    a.block->magic = FederateBlock::magicValue;

    auto* ring = a.arena.as<RingHeader>(opened.body.ring);
    ring->head.store(~std::uint64_t{0});
    QVERIFY(observer->sample().federations.at(0).links.at(0).bytesWaiting <= ring->capacity);
    ring->head.store(0);
    ring->successor.store(opened.body.ring);  // a circle
    QCOMPARE(observer->sample().federations.at(0).links.size(), std::size_t{1});
    ring->successor.store(0);

    auto* inbound = b.arena.as<InboundBlock>(opened.body.inboundBlock);
    for (const Offset nonsense :
         {Offset{1} << 50, Offset{12345}, ~Offset{7}, b.joined.block, Offset{4096}}) {
      inbound->entries[opened.body.entry].ring.store(nonsense);
      QVERIFY(observer->sample().federations.at(0).links.empty());
      inbound->next.store(nonsense);
      (void)observer->sample();
      inbound->next.store(0);
    }
    inbound->next.store(opened.body.inboundBlock);  // a circle
    (void)observer->sample();
    inbound->next.store(0);
  }

  void aNewExecutionOfTheNameIsANewOne() {
    Stage stage("again");
    QVERIFY(stage.ok);
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    for (std::uint64_t round = 1; round <= 3; ++round) {
      {
        Ambassador guest = stage.join("guest");
        guest.block->counters.updatesSent.store(round);
        QVERIFY(observer->refresh());
        QCOMPARE(find(observer->sample(), "guest")->counters.updatesSent, round);
        QVERIFY(guest.ask(Request::Resign, ResignRequest{5, false}).ok());
      }
      QVERIFY(stage.creator.destroy("world").ok());
      QVERIFY(stage.creator.create("world").ok());
    }
  }

  void aNodeThatHasGoneIsSaid() {
    Stage stage("gone");
    QVERIFY(stage.ok);
    Ambassador radar = stage.join("radar");
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    radar.block->counters.updatesSent.store(5);
    stage.node.process().kill();
    QVERIFY(stage.node.process().waitForFinished(10000));
    Snapshot snapshot = observer->sample();
    QVERIFY(!snapshot.connected);
    QVERIFY2(QString::fromStdString(snapshot.problem).contains("has gone"),
             snapshot.problem.c_str());
    // The figures are in memory that lives as long as somebody maps it.
    QCOMPARE(find(snapshot, "radar")->counters.updatesSent, std::uint64_t{5});
    QVERIFY(!observer->refresh());
    QVERIFY(!observer->connected());
    snapshot = observer->sample();
    QVERIFY(QString::fromStdString(snapshot.problem).contains("has gone"));
  }

  void aNodeThatDoesNotAnswerHoldsNobodyUp() {
    Stage stage("silent");
    QVERIFY(stage.ok);
    const Ambassador radar = stage.join("radar");
    auto observer = Observer::connect(stage.name);
    QVERIFY(observer.has_value());
    const auto node = static_cast<pid_t>(stage.node.process().processId());
    QCOMPARE(::kill(node, SIGSTOP), 0);
    const auto resume = qScopeGuard([node] { ::kill(node, SIGCONT); });
    // Asked in vain, and all goes on from memory.
    QVERIFY(observer->refreshWithin(std::chrono::milliseconds(0)));
    radar.block->counters.updatesSent.store(5);
    QVERIFY(observer->sample().connected);
    QCOMPARE(find(observer->sample(), "radar")->counters.updatesSent, std::uint64_t{5});
    // For long: it is said, and the figures stay.
    QTRY_VERIFY_WITH_TIMEOUT(observer->refreshWithin(std::chrono::milliseconds(1)) &&
                                 !observer->sample().connected,
                             30'000);
    const Snapshot silent = observer->sample();
    QVERIFY2(QString::fromStdString(silent.problem).contains("has not answered for "),
             silent.problem.c_str());
    radar.block->counters.updatesSent.store(6);
    QCOMPARE(find(silent, "radar")->counters.updatesSent, std::uint64_t{5});
    QCOMPARE(find(observer->sample(), "radar")->counters.updatesSent, std::uint64_t{6});
    // The answer that comes late is taken for what it is, also before one to something else.
    QCOMPARE(::kill(node, SIGCONT), 0);
    QVERIFY(observer->holdTime("world", 5).has_value());
    QVERIFY(observer->refresh());
    QVERIFY(observer->sample().connected);
    QCOMPARE(::kill(node, SIGSTOP), 0);
    QVERIFY(observer->refreshWithin(std::chrono::milliseconds(0)));
    QCOMPARE(::kill(node, SIGCONT), 0);
    const Ambassador display = stage.join("display");
    QTRY_VERIFY_WITH_TIMEOUT(observer->refreshWithin(std::chrono::milliseconds(1)) &&
                                 find(observer->sample(), "display") != nullptr,
                             30'000);
    QVERIFY(observer->sample().connected);
  }

  void itCanOnlyRead() {
    Stage stage("read");
    QVERIFY(stage.ok);
    auto client = tutti::observe::NodeClient::connect(stage.name);
    QVERIFY(client && client->hello("test"));
    const auto memory = client->observe("world");
    QVERIFY(memory.has_value());
    const tutti::fabric::ArenaMemory both{memory->published.get(), memory->shared.get(),
                                          memory->publishedBytes, memory->bytes};
    QVERIFY(!Arena::open(both, Mapping::Access::ReadWrite));
    QVERIFY(memory->map().has_value());
    const auto missing = client->observe("moon");
    QVERIFY(!missing.has_value());
    QVERIFY(QString::fromStdString(missing.error()).contains("'moon'"));
  }
};

QTEST_GUILESS_MAIN(TestObserver)
#include "tst_observer.moc"
