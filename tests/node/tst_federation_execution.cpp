// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <algorithm>
#include <map>
#include <set>

#include "executive/federation_execution.h"
#include "executive/save_restore.h"
#include "fake_models.h"
#include "log_reader.h"

using namespace tutti::fabric;
using tutti::executive::Answer;
using tutti::executive::Budget;
using tutti::executive::FederationExecution;
using tutti::executive::Joiner;
using tutti::executive::SaveRestore;
using tutti::test::FakeModelSource;
using tutti::test::LogReader;
using tutti::test::ReadRecord;
using tutti::test::textOf;
using Numbers = std::vector<FederateNumber>;

namespace {

constexpr std::uint64_t MiB = 1 << 20;

/// A federate as far as the executive sees it: its page, and what it read of the log.
struct Federate {
  JoinReply join;
  FederateBlock* block = nullptr;
  LogReader reader;
  std::vector<ReadRecord> snapshot;

  FederateNumber number() const { return join.federate; }
  std::vector<ReadRecord> read() { return reader.read(block); }
};

template <class Record>
std::vector<Record> only(const std::vector<ReadRecord>& records, LogRecordType type) {
  std::vector<Record> result;
  for (const ReadRecord& each : records) {
    if (each.type == type) result.push_back(each.as<Record>());
  }
  return result;
}

/// One execution with a budget and models of its own.
struct World {
  explicit World(std::uint64_t bytes = 64 * MiB, std::uint32_t resignAction = 4) : budget(bytes) {
    models.action = resignAction;
    auto model = models.create({}, {});
    auto created = FederationExecution::create("world", "HLAfloat64Time", *model, budget);
    if (created) execution = std::move(*created);
  }

  Answer<JoinReply> tryJoin(const std::string& name, const std::string& type = "test",
                            const std::vector<ModuleBytes>& modules = {}) {
    JoinRequest request;
    request.federation = "world";
    request.federateName = name;
    request.federateType = type;
    request.modules = modules;
    return execution->join(request, Joiner{1000, 0});
  }

  Federate join(const std::string& name, const std::string& type = "test",
                const std::vector<ModuleBytes>& modules = {}) {
    auto reply = tryJoin(name, type, modules);
    if (!reply) qFatal("%s", reply.error().message.c_str());
    const Arena& arena = execution->arena().arena();
    return Federate{*reply, arena.as<FederateBlock>(reply->block),
                    LogReader(arena, {reply->logBlock, reply->logAt, reply->logNumber}),
                    tutti::test::readSnapshot(arena, reply->snapshot, reply->snapshotBytes)};
  }

  const Arena& arena() const { return execution->arena().arena(); }

  /// An instance table with live instances of these names ("": generated).
  void registerInstances(Federate& federate, const std::vector<std::string>& names) {
    const auto table =
        execution->allocate(federate.number(), {64 + 40 * names.size(), Purpose::Instances});
    const auto text = execution->allocate(federate.number(), {4096, Purpose::Names});
    auto* block = new (arena().at(table->extent, sizeof(InstanceBlock))) InstanceBlock{};
    block->capacity = static_cast<std::uint32_t>(names.size());
    block->used.store(block->capacity);
    auto* row = reinterpret_cast<InstanceRow*>(
        arena().at(table->extent + sizeof(InstanceBlock), names.size() * sizeof(InstanceRow)));
    Offset at = text->extent;
    for (const std::string& name : names) {
      row->handle.store(federate.number());
      if (!name.empty()) {
        std::memcpy(arena().at(at, name.size()), name.data(), name.size());
        row->name.store(at);
        row->nameBytes.store(static_cast<std::uint32_t>(name.size()));
        at += 64;
      }
      row->state.store(InstanceRow::alive);
      ++row;
    }
    federate.block->instances.store(table->extent);
  }

  RegisterSynchronizationPointReply point(Federate& by, const std::string& label,
                                          const Numbers& set = {}) {
    RegisterSynchronizationPointRequest request;
    request.label = label;
    request.everyone = set.empty();
    request.set = set;
    return *execution->registerSynchronizationPoint(by.number(), request);
  }
  Answer<void> achieve(Federate& by, const std::string& label, bool successfully = true) {
    return execution->synchronizationPointAchieved(by.number(), {label, successfully});
  }

  Budget budget;
  FakeModelSource models;
  std::unique_ptr<FederationExecution> execution;
};

}  // namespace

class TestFederationExecution : public QObject {
  Q_OBJECT

 private slots:
  // --- 4.19 save ---------------------------------------------------------------------------------

  void aStateOfASaveThatHasEndedIsLeft() {
    SaveRestore steps;
    steps.initiateSave("evening", {1, 2});
    QVERIFY(steps.saveBegun(1).has_value());
    QVERIFY(steps.saveBegun(2).has_value());
    QVERIFY(steps.saveCompleted(1).has_value());
    steps.endSave();  // federate 2 has died
    QVERIFY(!steps.saved(1, {}));

    // Nor is it taken for that of another save.
    steps.initiateSave("night", {1});
    QVERIFY(!steps.saved(1, {}));
    QVERIFY(steps.saveBegun(1).has_value());
    QVERIFY(!steps.saved(1, {}));
    QVERIFY(steps.saveCompleted(1).has_value());
    QVERIFY(steps.saved(1, {}));
  }

  // --- 4.9 join ----------------------------------------------------------------------------------

  void aJoinIsToldToAll() {
    World world;
    Federate first = world.join("radar", "sensor");
    QCOMPARE(first.snapshot.size(), std::size_t{1});
    QCOMPARE(first.snapshot[0].as<FederateJoinedRecord>().name, std::string("radar"));
    QCOMPARE(first.snapshot[0].number, LogNumber{0});
    QVERIFY(first.read().empty());
    QCOMPARE(first.block->federate, first.number());
    QCOMPARE(first.block->state.load(), static_cast<std::uint32_t>(FederateState::Joined));

    Federate second = world.join("log", "logger");
    const auto news = only<FederateJoinedRecord>(first.read(), LogRecordType::FederateJoined);
    QCOMPARE(news.size(), std::size_t{1});
    QCOMPARE(news[0].federate, second.number());
    QCOMPARE(news[0].block, second.join.block);
    QCOMPARE(news[0].type, std::string("logger"));
    QCOMPARE(second.snapshot.size(), std::size_t{2});
    QVERIFY(second.read().empty());
  }

  void namesOfFederatesAreUnique() {
    World world;
    Federate first = world.join("radar");
    const auto refused = world.tryJoin("radar");
    QVERIFY(!refused);
    QCOMPARE(refused.error().refusal, Refusal::FederateNameAlreadyInUse);
    QVERIFY(QString::fromStdString(refused.error().message).contains("'radar'"));
    QVERIFY(first.read().empty());

    // Made names avoid those that are taken, also by hand.
    Federate named = world.join("sensor-4");
    std::set<std::string> names{"radar", "sensor-4"};
    for (int i = 0; i < 5; ++i) {
      QVERIFY(names.insert(world.join("", "sensor").join.federateName).second);
    }
    QVERIFY(world.execution->resign(first.number(), {}).has_value());
    QVERIFY(world.tryJoin("radar").has_value());
  }

  void numbersOfFederatesAreNeverUsedAgain() {
    World world;
    std::set<FederateNumber> numbers;
    for (int i = 0; i < 100; ++i) {
      Federate federate = world.join("radar");
      QVERIFY(federate.number() != 0);
      QVERIFY(numbers.insert(federate.number()).second);
      world.execution->lose(federate.number());
    }
    QVERIFY(!world.execution->hasMembers());
  }

  void modulesOfAJoinExtendTheModel() {
    World world;
    Federate first = world.join("a");
    const auto oldModel = first.join.model;
    QCOMPARE(
        textOf(world.arena().at(first.join.model, first.join.modelBytes), first.join.modelBytes),
        std::string("MIM\n"));
    Federate second = world.join("b", "test", {{"radar.xml", {}}});
    const auto extended = only<ModelExtendedRecord>(first.read(), LogRecordType::ModelExtended);
    QCOMPARE(extended.size(), std::size_t{1});
    QVERIFY(extended[0].model != oldModel);
    QCOMPARE(textOf(world.arena().at(extended[0].model, extended[0].bytes), extended[0].bytes),
             std::string("MIM\nradar.xml\n"));
    QCOMPARE(second.join.model, extended[0].model);
    QVERIFY(only<ModelExtendedRecord>(second.read(), LogRecordType::ModelExtended).empty());

    // The same module once more changes nothing; a broken one refuses the join alone.
    Federate third = world.join("c", "test", {{"radar.xml", {}}});
    QVERIFY(only<ModelExtendedRecord>(first.read(), LogRecordType::ModelExtended).empty());
    const auto refused = world.tryJoin("d", "test", {{"bad.xml", tutti::test::bytesOf("broken")}});
    QVERIFY(!refused);
    QCOMPARE(refused.error().refusal, Refusal::ErrorReadingFDD);
    QVERIFY(first.read().empty());
  }

  void aJoinerLearnsThePresentState() {
    World world;
    Federate a = world.join("a");
    Federate gone = world.join("gone");
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{5, true, false, {1, 2}})
                .has_value());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{5, true, false, {2}})
                .has_value());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{6, false, true, {9}})
                .has_value());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{7, false, true, {9}})
                .has_value());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{7, false, true, {}})
                .has_value());
    QVERIFY(
        world.execution->declare(a.number(), DeclareInteractionClassRequest{3, true, true, false})
            .has_value());
    QVERIFY(world.execution->declare(gone.number(), DeclareObjectClassRequest{5, true, false, {1}})
                .has_value());
    world.registerInstances(gone, {"kept"});
    QVERIFY(world.execution->resign(gone.number(), {0, false}).has_value());

    Federate late = world.join("late");
    const auto joined = only<FederateJoinedRecord>(late.snapshot, LogRecordType::FederateJoined);
    QCOMPARE(joined.size(), std::size_t{2});
    const auto declared =
        only<ObjectClassDeclaredRecord>(late.snapshot, LogRecordType::ObjectClassDeclared);
    QCOMPARE(declared.size(), std::size_t{3});
    // What is subscribed no more: instances of it may be known still.
    QCOMPARE(declared[0].objectClass, 7U);
    QVERIFY(!declared[0].publish && declared[0].attributes.empty());
    QCOMPARE(declared[1].objectClass, 5U);
    QVERIFY(declared[1].publish);
    QCOMPARE(declared[1].attributes, std::vector<std::uint32_t>{2});
    QCOMPARE(declared[2].objectClass, 6U);
    QVERIFY(!declared[2].publish && declared[2].passive);
    QCOMPARE(
        only<InteractionClassDeclaredRecord>(late.snapshot, LogRecordType::InteractionClassDeclared)
            .size(),
        std::size_t{1});
    const auto adopted =
        only<InstancesAdoptedRecord>(late.snapshot, LogRecordType::InstancesAdopted);
    QCOMPARE(adopted.size(), std::size_t{1});
    QCOMPARE(adopted[0].federate, gone.number());
    QVERIFY(world.arena().as<InstanceBlock>(adopted[0].instances) != nullptr);
  }

  void declaringTheSameAgainIsNoRecord() {
    World world;
    Federate a = world.join("a");
    const DeclareObjectClassRequest request{5, true, false, {1, 2}};
    QVERIFY(world.execution->declare(a.number(), request).has_value());
    QCOMPARE(a.read().size(), std::size_t{1});
    QVERIFY(world.execution->declare(a.number(), request).has_value());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{8, true, false, {}})
                .has_value());
    QVERIFY(
        world.execution->declare(a.number(), DeclareInteractionClassRequest{8, false, false, false})
            .has_value());
    QVERIFY(a.read().empty());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{5, true, false, {}})
                .has_value());
    const auto ended =
        only<ObjectClassDeclaredRecord>(a.read(), LogRecordType::ObjectClassDeclared);
    QCOMPARE(ended.size(), std::size_t{1});
    QVERIFY(ended[0].attributes.empty());
  }

  void aRefusedJoinTakesNothing() {
    World world(MiB);
    std::vector<Federate> federates;
    for (;;) {
      auto reply = world.tryJoin("", "a type that takes some room in each snapshot");
      if (!reply) {
        QCOMPARE(reply.error().refusal, Refusal::OutOfMemory);
        QVERIFY(QString::fromStdString(reply.error().message).contains("TUTTI_MEMORY"));
        break;
      }
      federates.push_back(
          {*reply,
           world.arena().as<FederateBlock>(reply->block),
           LogReader(world.arena(), {reply->logBlock, reply->logAt, reply->logNumber}),
           {}});
    }
    QVERIFY(federates.size() > 5);
    const auto tail = world.execution->logTail();
    for (int i = 0; i < 50; ++i) QVERIFY(!world.tryJoin("", "x"));
    QCOMPARE(world.execution->logTail(), tail);
    // Once the joined have read what they were given, there is room again.
    for (Federate& federate : federates) federate.read();
    QVERIFY(world.tryJoin("", "x").has_value());
  }

  void threeHundredMeetEachOther() {
    // Each opens a ring to each: 89 700 rings of 4 KiB.
    World world(std::uint64_t{512} * MiB);
    std::vector<Federate> federates;
    for (int i = 0; i < 300; ++i) federates.push_back(world.join("", "f"));
    for (Federate& federate : federates) federate.read();
    for (Federate& sender : federates) {
      for (Federate& receiver : federates) {
        if (&sender == &receiver) continue;
        const auto ring = world.execution->openRing(sender.number(), {receiver.number(), 4096, 0});
        QVERIFY2(ring.has_value(), ring ? "" : ring.error().message.c_str());
      }
    }
    // Every receiver finds all others along its directory.
    for (Federate& receiver : federates) {
      std::set<FederateNumber> senders;
      for (Offset at = receiver.join.block + offsetof(FederateBlock, inbound); at != 0;) {
        const auto* block = world.arena().as<InboundBlock>(at);
        QVERIFY(block != nullptr);
        for (const auto& entry : block->entries) {
          if (entry.sender.load() != 0) senders.insert(entry.sender.load());
        }
        at = block->next.load();
      }
      QCOMPARE(senders.size(), std::size_t{299});
    }
  }

  // --- 4.11 to 4.15 synchronization points -------------------------------------------------------

  void synchronizationPoints_data() {
    // Steps: "p" registers for everyone, "pAB" for A and B, "A+" achieves, "A-" achieves without
    // success, "A!" is lost, "A." resigns, "D^" joins. Then whom the point was synchronized for and
    // who failed; "open" when it is still open.
    QTest::addColumn<QString>("steps");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("all achieve") << "p A+ B+ C+"
                                 << "ABC|";
    QTest::newRow("one is missing") << "p A+ B+"
                                    << "open";
    QTest::newRow("some fail") << "p A- B+ C-"
                               << "ABC|AC";
    QTest::newRow("only a set") << "pAB A+ B+"
                                << "AB|";
    QTest::newRow("set still waits") << "pAB A+"
                                     << "open";
    QTest::newRow("the first achievement counts") << "p A- A+ B+ C+"
                                                  << "ABC|A";
    QTest::newRow("death completes") << "p A+ B+ C!"
                                     << "AB|";
    QTest::newRow("resign completes") << "p A+ B+ C."
                                      << "AB|";
    QTest::newRow("death of one of two missing") << "p A+ C!"
                                                 << "open";
    QTest::newRow("who failed and left is not counted") << "p A+ C- C! B+"
                                                        << "AB|";
    QTest::newRow("who achieved and left is not in the set") << "p C+ C. A+ B+"
                                                             << "AB|";
    QTest::newRow("late joiner belongs to everyone") << "p A+ B+ D^ C+"
                                                     << "open";
    QTest::newRow("late joiner achieves") << "p A+ B+ D^ C+ D+"
                                          << "ABCD|";
    QTest::newRow("late joiner does not belong to a set") << "pAB A+ D^ B+"
                                                          << "AB|";
    QTest::newRow("late joiner is lost") << "p A+ B+ D^ C+ D!"
                                         << "ABC|";
    QTest::newRow("all of a set die") << "pBC B! C!"
                                      << "|";
    QTest::newRow("the one who registered leaves") << "pBC A! B+ C+"
                                                   << "BC|";
  }
  void synchronizationPoints() {
    QFETCH(QString, steps);
    QFETCH(QString, outcome);
    World world;
    std::map<QChar, Federate> federates;
    std::map<FederateNumber, QChar> letters;
    const auto join = [&](QChar letter) {
      Federate federate = world.join(QString(letter).toStdString());
      letters[federate.number()] = letter;
      federates.emplace(letter, std::move(federate));
    };
    for (const QChar letter : QStringLiteral("ABC")) join(letter);
    Federate watcher = world.join("watcher");
    const auto text = [&](const Numbers& numbers) {
      QString result;
      for (const auto number : numbers) {
        if (letters.contains(number)) result += letters[number];
      }
      std::sort(result.begin(), result.end());
      return result;
    };
    Numbers everyone;
    bool watcherBelongs = false;
    for (const QString& step : steps.split(' ')) {
      if (step.startsWith('p')) {
        Numbers set;
        for (const QChar letter : step.mid(1)) set.push_back(federates.at(letter).number());
        QVERIFY(world.point(federates.at('A'), "p", set).registered);
        watcherBelongs = set.empty();
        if (watcherBelongs) QVERIFY(world.achieve(watcher, "p").has_value());
        continue;
      }
      const QChar letter = step[0];
      if (step[1] == '^') {
        join(letter);
        continue;
      }
      Federate& federate = federates.at(letter);
      switch (step[1].toLatin1()) {
        case '+':
          QVERIFY(world.achieve(federate, "p").has_value());
          break;
        case '-':
          QVERIFY(world.achieve(federate, "p", false).has_value());
          break;
        case '!':
          QVERIFY(world.execution->lose(federate.number()));
          break;
        case '.':
          QVERIFY(world.execution->resign(federate.number(), {}).has_value());
          break;
      }
    }
    const auto synchronized =
        only<FederationSynchronizedRecord>(watcher.read(), LogRecordType::FederationSynchronized);
    if (outcome == "open") {
      QVERIFY(synchronized.empty());
      QVERIFY(!world.execution->status().synchronizationPoints.empty());
      return;
    }
    QCOMPARE(synchronized.size(), std::size_t{1});
    QCOMPARE(text(synchronized[0].set) + "|" + text(synchronized[0].failed), outcome);
    QVERIFY(world.execution->status().synchronizationPoints.empty());
    // Whoever asks later is told who achieved it, if anybody did.
    QString achieved;
    for (const auto& point : world.execution->status().synchronized) {
      QCOMPARE(point.label, "p");
      QVERIFY(point.waitingFor.empty());
      achieved += text(point.achieved);
    }
    QString successful = outcome.section('|', 0, 0);
    for (const QChar failed : outcome.section('|', 1)) successful.remove(failed);
    QCOMPARE(achieved, successful);
  }

  void theLastSynchronizedPointsAreKnown() {
    World world;
    Federate a = world.join("a");
    const auto pass = [&](const std::string& label) {
      QVERIFY(world.point(a, label).registered);
      QVERIFY(world.achieve(a, label).has_value());
    };
    pass("again");
    for (std::size_t i = 1; i < tutti::executive::SynchronizationPoints::closedKept; ++i)
      pass("p" + std::to_string(i));
    pass("again");
    const auto before = world.execution->status().synchronized;
    QCOMPARE(before.size(), tutti::executive::SynchronizationPoints::closedKept);
    QCOMPARE(before.back().label, "again");
    QCOMPARE(before.front().label, "p1");
    pass("new");
    const auto after = world.execution->status().synchronized;
    QCOMPARE(after.size(), before.size());
    QCOMPARE(after.back().label, "new");
    QCOMPARE(after.front().label, "p2");
    QCOMPARE(after.back().achieved, Numbers{a.number()});
  }

  void aLabelIsUniqueWhileItIsOpen() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QVERIFY(world.point(a, "start").registered);
    const auto second = world.point(b, "start");
    QVERIFY(!second.registered);
    QCOMPARE(second.reason, 0U);  // SYNCHRONIZATION_POINT_LABEL_NOT_UNIQUE
    QVERIFY(world.achieve(a, "start").has_value());
    QVERIFY(world.achieve(b, "start").has_value());
    QVERIFY(world.point(b, "start").registered);
  }

  void aSetMustBeJoined() {
    World world;
    Federate a = world.join("a");
    const auto reply = world.point(a, "start", {a.number(), 99});
    QVERIFY(!reply.registered);
    QCOMPARE(reply.reason, 1U);  // SYNCHRONIZATION_SET_MEMBER_NOT_JOINED
    QVERIFY(a.read().empty());
  }

  void onlyWhatIsAnnouncedCanBeAchieved() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QCOMPARE(world.achieve(a, "start").error().refusal,
             Refusal::SynchronizationPointLabelNotAnnounced);
    QVERIFY(world.point(a, "start", {a.number()}).registered);
    QCOMPARE(world.achieve(b, "start").error().refusal,
             Refusal::SynchronizationPointLabelNotAnnounced);
    QVERIFY(world.achieve(a, "start").has_value());
  }

  void aLateJoinerFindsOpenPoints() {
    World world;
    Federate a = world.join("a");
    QVERIFY(world.point(a, "for all").registered);
    QVERIFY(world.point(a, "for a", {a.number()}).registered);
    Federate late = world.join("late");
    for (const auto& point : only<SynchronizationPointAnnouncedRecord>(
             late.snapshot, LogRecordType::SynchronizationPointAnnounced)) {
      const bool belongs =
          std::find(point.set.begin(), point.set.end(), late.number()) != point.set.end();
      QCOMPARE(belongs, point.label == "for all");
    }
    QVERIFY(world.achieve(late, "for all").has_value());
    QVERIFY(!world.achieve(late, "for a").has_value());
  }

  // --- 6.2 to 6.7 names
  // ---------------------------------------------------------------------------

  void namesAreReservedAllOrNone() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QVERIFY(world.execution->reserveNames(a.number(), {{"one", "two"}}).reserved);
    const auto reply = world.execution->reserveNames(b.number(), {{"two", "three", "one"}});
    QVERIFY(!reply.reserved);
    QCOMPARE(reply.taken, (std::vector<std::string>{"one", "two"}));
    QVERIFY(world.execution->reserveNames(b.number(), {{"three"}}).reserved);
    QVERIFY(!world.execution->reserveNames(a.number(), {{"one"}}).reserved);  // also one's own
    QVERIFY(world.execution->reserveNames(a.number(), {{"four", "four"}}).reserved);
  }

  void onlyTheHolderReleasesNames() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QVERIFY(world.execution->reserveNames(a.number(), {{"one", "two"}}).reserved);
    QCOMPARE(world.execution->releaseNames(b.number(), {{"one"}}).error().refusal,
             Refusal::ObjectInstanceNameNotReserved);
    QCOMPARE(world.execution->releaseNames(a.number(), {{"one", "never"}}).error().refusal,
             Refusal::ObjectInstanceNameNotReserved);
    QVERIFY(!world.execution->reserveNames(b.number(), {{"one"}}).reserved);
    QVERIFY(world.execution->releaseNames(a.number(), {{"one"}}).has_value());
    QVERIFY(world.execution->reserveNames(b.number(), {{"one"}}).reserved);
  }

  void namesOfOneWhoLeft_data() {
    QTest::addColumn<bool>("lost");
    QTest::addColumn<bool>("deletes");
    QTest::addColumn<bool>("usedIsFree");
    QTest::newRow("resigned, deleting") << false << true << true;
    QTest::newRow("resigned, instances stay") << false << false << false;
    QTest::newRow("lost, deleting") << true << true << true;
    QTest::newRow("lost, instances stay") << true << false << false;
  }
  void namesOfOneWhoLeft() {
    QFETCH(bool, lost);
    QFETCH(bool, deletes);
    QFETCH(bool, usedIsFree);
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QVERIFY(world.execution->reserveNames(a.number(), {{"used", "unused"}}).reserved);
    world.registerInstances(a, {"used", ""});
    if (lost) {
      a.block->automaticResignAction.store(deletes ? 1 : 0);
      QVERIFY(world.execution->lose(a.number()));
    } else {
      QVERIFY(world.execution->resign(a.number(), {deletes ? 1U : 0U, deletes}).has_value());
    }
    const auto left = only<FederateResignedRecord>(b.read(), LogRecordType::FederateResigned);
    QCOMPARE(left.size(), std::size_t{1});
    QCOMPARE(left[0].lost, lost);
    QCOMPARE(left[0].deletesObjects, deletes);
    QVERIFY(world.execution->reserveNames(b.number(), {{"unused"}}).reserved);
    QCOMPARE(world.execution->reserveNames(b.number(), {{"used"}}).reserved, usedIsFree);
    Federate late = world.join("late");
    QCOMPARE(only<InstancesAdoptedRecord>(late.snapshot, LogRecordType::InstancesAdopted).size(),
             std::size_t{usedIsFree ? 0U : 1U});
  }

  // --- 4.10 resign, and loss
  // ----------------------------------------------------------------------

  void automaticResignAction_data() {
    QTest::addColumn<quint32>("action");
    QTest::addColumn<bool>("deletes");
    QTest::newRow("UNCONDITIONALLY_DIVEST_ATTRIBUTES") << 0U << false;
    QTest::newRow("DELETE_OBJECTS") << 1U << true;
    QTest::newRow("CANCEL_PENDING_OWNERSHIP_ACQUISITIONS") << 2U << false;
    QTest::newRow("DELETE_OBJECTS_THEN_DIVEST") << 3U << true;
    QTest::newRow("CANCEL_THEN_DELETE_THEN_DIVEST") << 4U << true;
    QTest::newRow("NO_ACTION") << 5U << false;
    QTest::newRow("nonsense in memory") << 4711U << false;
  }
  void automaticResignAction() {
    QFETCH(quint32, action);
    QFETCH(bool, deletes);
    World world(64 * MiB, action);  // as the FOM's switches say
    Federate a = world.join("a");
    Federate b = world.join("b");
    QCOMPARE(a.block->automaticResignAction.load(), action);
    QVERIFY(world.execution->lose(a.number()));
    const auto left = only<FederateResignedRecord>(b.read(), LogRecordType::FederateResigned);
    QCOMPARE(left.size(), std::size_t{1});
    QVERIFY(left[0].lost);
    QCOMPARE(left[0].deletesObjects, deletes);
  }

  void aDeathIsSeenInEveryDirectory() {
    World world;
    Federate victim = world.join("victim");
    std::vector<Federate> others;
    std::vector<OpenRingReply> rings;
    for (int i = 0; i < 5; ++i) {
      others.push_back(world.join(""));
      const auto ring =
          world.execution->openRing(victim.number(), {others.back().number(), 4096, 0});
      QVERIFY(ring.has_value());
      rings.push_back(*ring);
    }
    Federate stranger = world.join("stranger");
    stranger.block->sleeping.store(1);
    others[0].block->sleeping.store(1);
    QVERIFY(world.execution->lose(victim.number()));
    QCOMPARE(victim.block->state.load(), static_cast<std::uint32_t>(FederateState::Lost));
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto* inbound = world.arena().as<InboundBlock>(rings[i].inboundBlock);
      QVERIFY((inbound->ready.load() & (1ULL << rings[i].entry)) != 0);
      QVERIFY((others[i].block->readySummary.load() & (1ULL << rings[i].blockIndex)) != 0);
      QVERIFY(others[i].block->doorbell.load() != 0U);
    }
    QCOMPARE(others[0].block->sleeping.load(), 0U);
    QCOMPARE(stranger.block->sleeping.load(), 0U);  // the log rings everybody
    QCOMPARE(stranger.block->readySummary.load(), std::uint64_t{0});
  }

  void memoryOfOneWhoLeftWaitsForTheSlowest() {
    World world(4 * MiB);
    Federate stays = world.join("stays");
    Federate slow = world.join("slow");
    Federate leaver = world.join("leaver");
    stays.read();
    slow.read();
    const auto to = world.execution->openRing(leaver.number(), {stays.number(), 4096, 0});
    const auto from = world.execution->openRing(stays.number(), {leaver.number(), 4096, 0});
    const auto chunk = world.execution->allocate(leaver.number(), {MiB, Purpose::Chunk});
    QVERIFY(to && from && chunk);
    std::memset(world.arena().at(chunk->extent, MiB), 0x5a, MiB);
    QVERIFY(world.execution->lose(leaver.number()));

    // Everything of it can still be read, and is not handed out again...
    stays.read();
    world.execution->reclaim();
    const auto* header = world.arena().as<RingHeader>(to->ring);
    QCOMPARE(header->magic, RingHeader::magicValue);
    QCOMPARE(world.arena().as<InboundBlock>(to->inboundBlock)->entries[to->entry].sender.load(),
             leaver.number());
    QCOMPARE(static_cast<int>(*world.arena().at(chunk->extent, 1)), 0x5a);
    std::set<Offset> given;
    while (auto extent = world.execution->allocate(stays.number(), {4096, Purpose::Chunk})) {
      given.insert(extent->extent);
    }
    for (const Offset used : {to->ring, from->ring, leaver.join.block, chunk->extent}) {
      QVERIFY(!given.contains(used));
    }
    // ... until the slowest has applied the record of the loss.
    slow.read();
    world.execution->reclaim();
    QCOMPARE(world.arena().as<InboundBlock>(to->inboundBlock)->entries[to->entry].sender.load(),
             0U);
    while (auto extent = world.execution->allocate(stays.number(), {4096, Purpose::Chunk})) {
      given.insert(extent->extent);
    }
    for (const Offset used : {to->ring, from->ring, leaver.join.block, chunk->extent}) {
      QVERIFY(given.contains(used));
    }
  }

  void comingAndGoingLeaksNothing() {
    World world(8 * MiB);
    Federate stays = world.join("stays");
    std::uint64_t committed = 0;
    for (int round = 0; round < 600; ++round) {
      Federate guest = world.join("guest");
      QVERIFY(world.execution->openRing(guest.number(), {stays.number(), 4096, 0}).has_value());
      QVERIFY(world.execution->openRing(stays.number(), {guest.number(), 16384, 0}).has_value());
      QVERIFY(world.execution->allocate(guest.number(), {65536, Purpose::Chunk}).has_value());
      guest.read();
      stays.read();
      if (round % 2 == 0) {
        QVERIFY(world.execution->lose(guest.number()));
      } else {
        QVERIFY(world.execution->resign(guest.number(), {1, true}).has_value());
      }
      stays.read();
      if (round == 20) committed = world.execution->arena().committed();
    }
    QCOMPARE(world.execution->arena().committed(), committed);
    QCOMPARE(world.execution->status().federates.size(), std::size_t{513});  // one and the last 512
  }

  void adoptedTablesSurvive() {
    World world(4 * MiB);
    Federate a = world.join("a");
    Federate b = world.join("b");
    world.registerInstances(a, {"ship"});
    const Offset table = a.block->instances.load();
    QVERIFY(world.execution->resign(a.number(), {0, false}).has_value());
    b.read();
    world.execution->reclaim();
    while (world.execution->allocate(b.number(), {4096, Purpose::Chunk})) {
    }
    const auto* row = reinterpret_cast<const InstanceRow*>(
        world.arena().at(table + sizeof(InstanceBlock), sizeof(InstanceRow)));
    QCOMPARE(row->state.load(), InstanceRow::alive);
    QCOMPARE(textOf(world.arena().at(row->name.load(), 4), 4), std::string("ship"));
  }

  void aBrokenTableHarmsNobody_data() {
    QTest::addColumn<quint64>("table");
    QTest::newRow("outside") << (quint64(1) << 40);
    QTest::newRow("not aligned") << quint64(12345);
    QTest::newRow("somebody else's") << quint64(4096);
    QTest::newRow("last address") << (~quint64(7));
    QTest::newRow("a circle") << quint64(0);
  }
  void aBrokenTableHarmsNobody() {
    QFETCH(quint64, table);
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    world.registerInstances(a, {"one"});
    if (table == 0) {
      const Offset own = a.block->instances.load();
      auto* block = world.arena().as<InstanceBlock>(own);
      block->next.store(own);
      block->used.store(0xffffffff);
    } else {
      a.block->instances.store(table);
    }
    QVERIFY(world.execution->resign(a.number(), {0, false}).has_value());
    QCOMPARE(b.read().size(), std::size_t{1});
  }

  // --- rings and memory
  // ---------------------------------------------------------------------------

  void aRingKeepsItsPlaceWhenItGrows() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    const auto first = world.execution->openRing(a.number(), {b.number(), 4000, 0});
    QVERIFY(first.has_value());
    const auto* ring = world.arena().as<RingHeader>(first->ring);
    QCOMPARE(ring->magic, RingHeader::magicValue);
    QCOMPARE(ring->sender, a.number());
    QCOMPARE(ring->receiver, b.number());
    QCOMPARE(ring->capacity, 4096U - 256U);
    auto& entry = world.arena().as<InboundBlock>(first->inboundBlock)->entries[first->entry];
    QCOMPARE(entry.ring.load(), first->ring);
    QCOMPARE(entry.sender.load(), a.number());

    // Asking again gives the same one.
    QCOMPARE(world.execution->openRing(a.number(), {b.number(), 4000, 0})->ring, first->ring);

    const auto second = world.execution->openRing(a.number(), {b.number(), 65536, first->ring});
    QVERIFY(second.has_value());
    QVERIFY(second->ring != first->ring);
    QCOMPARE(second->entry, first->entry);
    QCOMPARE(second->inboundBlock, first->inboundBlock);
    QCOMPARE(entry.ring.load(), first->ring);  // the receiver moves it
    QCOMPARE(world.arena().as<RingHeader>(second->ring)->capacity, 65536U - 256U);
    QVERIFY(!world.execution->openRing(a.number(), {b.number(), 65536, first->ring}));

    QVERIFY(!world.execution->free(b.number(), {first->ring}));   // not the receiver's
    QVERIFY(!world.execution->free(a.number(), {second->ring}));  // the newest
    QVERIFY(world.execution->free(a.number(), {first->ring}).has_value());
    QVERIFY(world.execution->free(a.number(), {first->ring}).has_value());  // once more
  }

  void freeingARingWhoseReceiverWasBuriedIsDone_data() {
    QTest::addColumn<bool>("killed");
    QTest::newRow("killed") << true;
    QTest::newRow("resigned") << false;
  }

  void freeingARingWhoseReceiverWasBuriedIsDone() {
    QFETCH(bool, killed);
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    Federate c = world.join("c");
    const auto first = world.execution->openRing(a.number(), {b.number(), 4096, 0});
    const auto second = world.execution->openRing(a.number(), {b.number(), 16384, first->ring});
    const auto other = world.execution->openRing(a.number(), {c.number(), 4096, 0});
    QVERIFY(first && second && other);
    if (killed) {
      QVERIFY(world.execution->lose(b.number()));
    } else {
      QVERIFY(world.execution->resign(b.number(), {5, false}).has_value());
    }
    // The sender has not applied the record of that: its memory is given to nobody.
    for (int i = 0; i < 2; ++i) {
      QVERIFY(world.execution->free(a.number(), {first->ring}).has_value());
      QVERIFY(world.execution->free(a.number(), {second->ring}).has_value());
    }
    const auto taken = world.execution->allocate(c.number(), {4096, Purpose::Chunk});
    QVERIFY(taken && taken->extent != first->ring && taken->extent != second->ring);
    // A larger ring is refused by the reason that the sender acts on.
    QCOMPARE(world.execution->openRing(a.number(), {b.number(), 65536, second->ring})
                 .error()
                 .refusal,
             Refusal::FederateNotExecutionMember);
    // What is in use stays somebody's.
    QVERIFY(!world.execution->free(a.number(), {other->ring}));
    QVERIFY(!world.execution->free(a.number(), {taken->extent}));
  }

  void aFormerRingGoesWhenNobodyLooksAtIt() {
    World world(4 * MiB);
    Federate a = world.join("a");
    Federate b = world.join("b");
    Federate bystander = world.join("bystander");
    const auto first = world.execution->openRing(a.number(), {b.number(), 4096, 0});
    const auto second = world.execution->openRing(a.number(), {b.number(), 16384, first->ring});
    QVERIFY(first && second);
    QVERIFY(world.execution->free(a.number(), {first->ring}).has_value());
    auto& entry = world.arena().as<InboundBlock>(first->inboundBlock)->entries[first->entry];
    const auto isKept = [&] {
      world.execution->reclaim();
      return world.arena().as<RingHeader>(first->ring)->magic == RingHeader::magicValue;
    };
    const auto takeEverything = [&] {
      std::vector<Offset> taken;
      while (auto extent = world.execution->allocate(b.number(), {4096, Purpose::Chunk})) {
        taken.push_back(extent->extent);
      }
      const bool had = std::count(taken.begin(), taken.end(), first->ring) != 0;
      for (const Offset extent : taken) {
        if (!world.execution->free(b.number(), {extent})) qFatal("not freed");
      }
      return had;
    };
    // The receiver has not moved on, though its sender saw that all was read.
    for (Federate* each : {&a, &b, &bystander}) each->read();
    QVERIFY(!takeEverything());
    QVERIFY(isKept());
    // It has; but a bystander may just be reading the ring's counts.
    entry.ring.store(second->ring);
    QVERIFY(!takeEverything());
    QVERIFY(world.execution->declare(a.number(), DeclareObjectClassRequest{1, true, false, {1}})
                .has_value());
    a.read();
    b.read();
    QVERIFY(!takeEverything());
    bystander.read();
    QVERIFY(takeEverything());
    QVERIFY(!world.execution->hasLeftovers());
  }

  void ringsThatMakeNoSense() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    QCOMPARE(world.execution->openRing(a.number(), {77, 4096, 0}).error().refusal,
             Refusal::FederateNotExecutionMember);
    QCOMPARE(world.execution->openRing(a.number(), {a.number(), 4096, 0}).error().refusal,
             Refusal::Internal);
    QCOMPARE(world.execution->openRing(a.number(), {b.number(), 4096, 8192}).error().refusal,
             Refusal::Internal);
    QCOMPARE(world.execution->openRing(a.number(), {b.number(), ~0ULL, 0}).error().refusal,
             Refusal::OutOfMemory);
    QVERIFY(world.execution->lose(b.number()));
    QCOMPARE(world.execution->openRing(a.number(), {b.number(), 4096, 0}).error().refusal,
             Refusal::FederateNotExecutionMember);
  }

  void theNumberOfARefusedJoinIsUsedAgain() {
    World world(4 * MiB);
    Federate a = world.join("a");
    std::vector<Offset> taken;
    while (auto extent = world.execution->allocate(a.number(), {4096, Purpose::Chunk})) {
      taken.push_back(extent->extent);
    }
    QCOMPARE(world.tryJoin("b").error().refusal, Refusal::OutOfMemory);
    for (const Offset extent : taken) QVERIFY(world.execution->free(a.number(), {extent}));
    Federate c = world.join("c");
    QCOMPARE(c.number(), a.number() + 1);
  }

  void memoryBelongsToWhoAskedForIt() {
    World world;
    Federate a = world.join("a");
    Federate b = world.join("b");
    const auto extent = world.execution->allocate(a.number(), {5000, Purpose::Chunk});
    QVERIFY(extent.has_value());
    QCOMPARE(extent->bytes, std::uint64_t{8192});
    QCOMPARE(world.execution->free(b.number(), {extent->extent}).error().refusal,
             Refusal::Internal);
    QCOMPARE(world.execution->free(a.number(), {extent->extent + 8}).error().refusal,
             Refusal::Internal);
    QCOMPARE(world.execution->free(a.number(), {a.join.block}).error().refusal, Refusal::Internal);
    QVERIFY(world.execution->free(a.number(), {extent->extent}).has_value());
    QVERIFY(world.execution->free(a.number(), {extent->extent}).has_value());  // once more
    QCOMPARE(world.execution->allocate(a.number(), {0, Purpose::Chunk}).error().refusal,
             Refusal::Internal);
    QCOMPARE(world.execution->allocate(a.number(), {8, static_cast<Purpose>(99)}).error().refusal,
             Refusal::Internal);
    const auto tooMuch = world.execution->allocate(a.number(), {~0ULL, Purpose::Chunk});
    QCOMPARE(tooMuch.error().refusal, Refusal::OutOfMemory);
    QVERIFY(QString::fromStdString(tooMuch.error().message).contains("'a'"));
  }

  void statusTellsWhoIsThere() {
    World world;
    Federate a = world.join("a", "sensor");
    Federate b = world.join("b");
    QVERIFY(world.point(a, "start").registered);
    QVERIFY(world.achieve(a, "start").has_value());
    Federate c = world.join("c");
    QVERIFY(world.execution->lose(c.number()));
    const auto status = world.execution->status();
    QCOMPARE(status.federates.size(), std::size_t{3});
    QCOMPARE(status.federates[0].name, std::string("a"));
    QCOMPARE(status.federates[0].type, std::string("sensor"));
    QCOMPARE(status.federates[0].pid, 1000);
    QCOMPARE(status.federates[2].state, static_cast<std::uint32_t>(FederateState::Lost));
    QCOMPARE(status.synchronizationPoints.size(), std::size_t{1});
    QCOMPARE(status.synchronizationPoints[0].waitingFor, Numbers{b.number()});
    QCOMPARE(status.synchronizationPoints[0].achieved, Numbers{a.number()});
    QVERIFY(status.synchronized.empty());
    QCOMPARE(status.logNumber, world.execution->logTail());
  }
};

QTEST_GUILESS_MAIN(TestFederationExecution)
#include "tst_federation_execution.moc"
