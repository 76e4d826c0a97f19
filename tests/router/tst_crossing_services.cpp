// SPDX-License-Identifier: GPL-3.0-or-later
// One federate subscribes at the moment in which another, of another host, registers, deletes or
// moves what the first wants to hear of: of the two, one finds what the other has done.
#include <RTI/RangeBounds.h>

#include <QtTest>
#include <atomic>
#include <random>
#include <thread>

#include "recorder.h"

using namespace rti1516e;

namespace {

/// Calls both at the same time, each on a thread; one of them up to 100 µs later than the other.
template <class First, class Second>
void atTheSameTime(std::mt19937& random, const First& first, const Second& second) {
  std::atomic<int> ready{0};
  const auto start = [&ready](std::chrono::microseconds delay) {
    ++ready;
    while (ready < 2) std::this_thread::yield();
    const auto until = std::chrono::steady_clock::now() + delay;
    while (std::chrono::steady_clock::now() < until) {
    }
  };
  const auto delay = [&random] {
    return std::chrono::microseconds(random() % 2 == 0 ? 0 : random() % 100);
  };
  const auto before = delay(), after = delay();
  std::thread other([&] {
    start(after);
    second();
  });
  start(before);
  first();
  other.join();
}

}  // namespace

class tst_crossing_services : public QObject {
  Q_OBJECT

  static constexpr int rounds = 150;

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;
  std::mt19937 random_{1};

  void enter(Recorder& recorder, int host);
  /// One that registers things, and one that hears when all has come.
  void enterBoth(Recorder& acting, Recorder& subscribing);
  /// What `from` has sent to `to` so far has come; of each instance, all of it.
  static bool allHasCome(Recorder& from, Recorder& to);

 private slots:
  void initTestCase_data();
  void init();
  void cleanup();

  void registrationAndSubscription();
  void deletionAndSubscription();
  void regionMoveAndSubscription();
  void associationAndSubscription();
};

void tst_crossing_services::initTestCase_data() {
  QTest::addColumn<QByteArray>("architecture");
  QTest::addColumn<int>("acts");
  QTest::addColumn<int>("subscribes");
  const auto row = [](const char* architecture, int acts, int subscribes) {
    QTest::addRow("%s, from %d to %d", architecture, acts, subscribes)
        << QByteArray(architecture) << acts << subscribes;
  };
  row("decentralized", 0, 1);
  row("decentralized", 1, 0);
  row("decentralized", 1, 2);
  row("federated", 1, 1);
  row("centralized", 0, 0);
  row("centralized", 1, 2);
}

void tst_crossing_services::init() {
  nodes_ = std::make_unique<LinkedNodes>(uniqueName("cross"), 3);
  federation_ = uniqueName("cross");
}

void tst_crossing_services::cleanup() { nodes_.reset(); }

void tst_crossing_services::enter(Recorder& recorder, int host) {
  QFETCH_GLOBAL(QByteArray, architecture);
  qputenv("TUTTI_ARCHITECTURE", architecture);
  nodes_->connect(recorder, host);
  qunsetenv("TUTTI_ARCHITECTURE");
  try {
    recorder.create(federation_, {QString(TUTTI_SOURCE_DIR) + "/tests/conformance/regions.xml"});
  } catch (const FederationExecutionAlreadyExists&) {
  }
  recorder.join(federation_);
}

void tst_crossing_services::enterBoth(Recorder& acting, Recorder& subscribing) {
  QFETCH_GLOBAL(int, acts);
  QFETCH_GLOBAL(int, subscribes);
  enter(acting, acts);
  enter(subscribing, subscribes);
  acting.publish("Thing", {"track"});
  acting.publishInteraction("Shout");
  subscribing.subscribeInteraction("Shout");
}

/// 10 wide.
static void move(Recorder& recorder, const RegionHandle& region, unsigned long lower) {
  const DimensionHandle x = recorder.rti().getDimensionHandle(L"X");
  recorder.rti().setRangeBounds(region, x, RangeBounds(lower, lower + 10));
  recorder.rti().commitRegionModifications({region});
}

static RegionHandle makeRegion(Recorder& recorder, unsigned long lower) {
  const RegionHandle region =
      recorder.rti().createRegion({recorder.rti().getDimensionHandle(L"X")});
  move(recorder, region, lower);
  return region;
}

bool tst_crossing_services::allHasCome(Recorder& from, Recorder& to) {
  const int before = to.count("receive Shout");
  from.send("Shout", {{"word", "all"}});
  return to.expect("receive Shout", before + 1);
}

void tst_crossing_services::registrationAndSubscription() {
  Recorder a("a"), b("b");
  enterBoth(a, b);
  const auto thing = b.objectClass("Thing");
  for (int round = 1; round <= rounds; ++round) {
    atTheSameTime(
        random_, [&] { a.registerInstance("Thing"); },
        [&] { b.subscribe("Thing", {"track"}); });
    QVERIFY(allHasCome(a, b));
    QCOMPARE(b.count("discover"), round);
    b.rti().unsubscribeObjectClass(thing);
  }
}

void tst_crossing_services::deletionAndSubscription() {
  Recorder a("a"), b("b");
  enterBoth(a, b);
  const auto thing = b.objectClass("Thing");
  for (int round = 1; round <= rounds; ++round) {
    const auto car = a.registerInstance("Thing");
    atTheSameTime(
        random_, [&] { a.rti().deleteObjectInstance(car, VariableLengthData()); },
        [&] { b.subscribe("Thing", {"track"}); });
    QVERIFY(allHasCome(a, b));
    QCOMPARE(b.count("remove"), b.count("discover"));
    b.rti().unsubscribeObjectClass(thing);
  }
}

void tst_crossing_services::regionMoveAndSubscription() {
  Recorder a("a"), b("b");
  enterBoth(a, b);
  const auto track = a.attributes("Thing", {"track"});
  const auto thing = a.objectClass("Thing");
  const RegionHandle there = makeRegion(a, 100), view = makeRegion(b, 0);
  for (int round = 1; round <= rounds; ++round) {
    const auto instance = a.rti().registerObjectInstanceWithRegions(thing, {{track, {there}}});
    atTheSameTime(
        random_, [&] { move(a, there, 0); },
        [&] { b.rti().subscribeObjectClassAttributesWithRegions(thing, {{track, {view}}}); });
    QVERIFY(allHasCome(a, b));
    QCOMPARE(b.count("discover"), round);
    b.rti().unsubscribeObjectClass(thing);
    a.rti().deleteObjectInstance(instance, VariableLengthData());
    move(a, there, 100);
  }
}

void tst_crossing_services::associationAndSubscription() {
  Recorder a("a"), b("b");
  enterBoth(a, b);
  const auto track = a.attributes("Thing", {"track"});
  const auto thing = a.objectClass("Thing");
  const RegionHandle there = makeRegion(a, 100), here = makeRegion(a, 0), view = makeRegion(b, 0);
  for (int round = 1; round <= rounds; ++round) {
    const auto instance = a.rti().registerObjectInstanceWithRegions(thing, {{track, {there}}});
    atTheSameTime(
        random_, [&] { a.rti().associateRegionsForUpdates(instance, {{track, {here}}}); },
        [&] { b.rti().subscribeObjectClassAttributesWithRegions(thing, {{track, {view}}}); });
    QVERIFY(allHasCome(a, b));
    QCOMPARE(b.count("discover"), round);
    b.rti().unsubscribeObjectClass(thing);
    a.rti().deleteObjectInstance(instance, VariableLengthData());
  }
}

QTEST_GUILESS_MAIN(tst_crossing_services)
#include "tst_crossing_services.moc"
