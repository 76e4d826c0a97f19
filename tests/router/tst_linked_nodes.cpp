// SPDX-License-Identifier: GPL-3.0-or-later
// One federation execution over several RTI nodes: what a federate sees does not depend on where
// the others are, and what ends on one host is known on the others.
#include <signal.h>

#include <QProcess>
#include <QTcpServer>
#include <QtTest>
#include <atomic>
#include <thread>
#include <vector>

#include "observe/observer.h"
#include "recorder.h"

using namespace rti1516e;

namespace {

/// Of a node that is gone the others know within 2 s, and have a moment to say so; of one that
/// hangs, later.
constexpr int knownAfter = 3000;
constexpr int hangsAfter = 15000;

QString said(const std::function<void()>& call) {
  try {
    call();
  } catch (const Exception& exception) {
    return QString::fromStdWString(exception.what());
  }
  return {};
}

}  // namespace

class tst_linked_nodes : public QObject {
  Q_OBJECT

  std::unique_ptr<LinkedNodes> nodes_;
  QString federation_;

  void enter(Recorder& recorder, int host) { nodes_->enter(recorder, host, federation_); }
  static void fromTo() {
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    QTest::newRow("from the home") << 0 << 1;
    QTest::newRow("to the home") << 1 << 0;
    QTest::newRow("past the home") << 1 << 2;
    QTest::newRow("on one linked host") << 1 << 1;
    QTest::newRow("at the home alone") << 0 << 0;
  }

 private slots:
  void init() {
    nodes_ = std::make_unique<LinkedNodes>(uniqueName("linked"), 3);
    federation_ = uniqueName("far");
  }
  void cleanup() { nodes_.reset(); }

  void anyHostCreatesAndJoins();
  void interactions_data() { fromTo(); }
  void interactions();
  void theHomeKnowsWhoHasGotHowMuch_data() { fromTo(); }
  void theHomeKnowsWhoHasGotHowMuch();
  void objects_data() { fromTo(); }
  void objects();
  void lateSubscriber_data() { fromTo(); }
  void lateSubscriber();
  void instancesFromBeforeTheFirstLink();
  void largeValues_data() { fromTo(); }
  void largeValues();
  void oneSendReachesAllHosts();
  void synchronizationPoints();
  void dataComesBeforeTheEnd();
  void ownershipMoves_data() { fromTo(); }
  void ownershipMoves();
  void aReaderThatStandsHoldsUpNobodyElse();
  void killedFederate();
  void killedFederatesResignAsTheObjectModelSays();
  void killedHome();
  void killedLinkedNode();
  void killedLinkedNodeThatHadAsked();
  void stoppedHome();
  void stoppedLinkedNode();
  void aHangGoesBy();
  void regions_data() { fromTo(); }
  void regions();
  void nobodyListens();
  void noNodeListens();
};

void tst_linked_nodes::anyHostCreatesAndJoins() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  for (Recorder* r : {&a, &b, &c}) {
    for (const Recorder* other : {&a, &b, &c}) {
      QVERIFY(r->rti().getFederateName(other->handle()) == other->name().toStdWString());
    }
  }
  QVERIFY_EXCEPTION_THROWN(b.create(federation_, {testFom()}), FederationExecutionAlreadyExists);
  Recorder again("a");
  nodes_->connect(again, 2);
  QVERIFY_EXCEPTION_THROWN(again.join(federation_), FederateNameAlreadyInUse);
  QVERIFY_EXCEPTION_THROWN(b.rti().destroyFederationExecution(federation_.toStdWString()),
                           FederatesCurrentlyJoined);
  a.leave();
  c.leave();
  b.rti().resignFederationExecution(NO_ACTION);
  b.rti().destroyFederationExecution(federation_.toStdWString());
  QVERIFY_EXCEPTION_THROWN(again.join(federation_), FederationExecutionDoesNotExist);
}

void tst_linked_nodes::interactions() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  enter(a, from);
  enter(b, to);
  a.publishInteraction("Message");
  // It acts on every send that starts after the service returned.
  b.subscribeInteraction("Message");
  for (int i = 0; i < 1000; ++i) a.send("Message", {{"text", QByteArray::number(i)}});
  QVERIFY(b.expect("receive Message", 1000));
  const QStringList lines = b.linesWith("receive Message");
  for (int i = 0; i < 1000; ++i) QCOMPARE(lines[i], QString("receive Message text=%1").arg(i));
}

void tst_linked_nodes::theHomeKnowsWhoHasGotHowMuch() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  enter(a, from);
  enter(b, to);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  for (int i = 0; i < 1000; ++i) a.send("Message", {{"text", "something"}});
  QVERIFY(b.expect("receive Message", 1000));
  const auto visit = nodes_->visit(0);
  auto observer = tutti::observe::Observer::connect(nodes_->nodeName(0).toStdString());
  QVERIFY2(observer, observer ? "" : observer.error().c_str());
  const auto messages = [&](const std::string& sender, const std::string& receiver) {
    observer->refresh();
    const auto sample = observer->sample();
    std::map<tutti::fabric::FederateNumber, std::string> names;
    std::uint64_t result = 0;
    for (const auto& federation : sample.federations) {
      if (federation.name != federation_.toStdString()) continue;
      for (const auto& one : federation.federates) names[one.number] = one.name;
      for (const auto& link : federation.links) {
        if (names[link.sender] == sender && names[link.receiver] == receiver)
          result += link.messages;
      }
    }
    return result;
  };
  // Records that tell of the interaction class or an end may be among them, and no other data.
  QTRY_VERIFY2_WITH_TIMEOUT(messages("a", "b") >= 1000 && messages("a", "b") < 1020,
                            qPrintable(QString::number(messages("a", "b"))), 30000);
  QVERIFY(messages("b", "a") < 20);
}

void tst_linked_nodes::objects() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  enter(a, from);
  enter(b, to);
  a.publish("Vehicle", {"position", "fuel"});
  b.subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  a.update(car, "Vehicle", {{"position", "here"}, {"fuel", "9"}});
  QVERIFY(b.expect("reflect"));
  QCOMPARE(b.count("discover"), 1);
  QVERIFY(b.log().last().contains("position=here") && !b.log().last().contains("fuel"));
  a.rti().deleteObjectInstance(car, VariableLengthData());
  QVERIFY(b.expect("remove"));
  QCOMPARE(b.log().size(), 3);
}

void tst_linked_nodes::lateSubscriber() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b"), c("c");
  enter(a, from);
  a.publish("Vehicle", {"position"});
  std::vector<ObjectInstanceHandle> cars;
  for (int i = 0; i < 300; ++i) cars.push_back(a.registerInstance("Vehicle"));
  for (int i = 0; i < 100; ++i) a.rti().deleteObjectInstance(cars[i], VariableLengthData());
  enter(b, to);
  b.subscribe("Vehicle", {"position"});
  QVERIFY(b.expect("discover", 200));
  // One who has left: its instances are there still, for whoever cares for them.
  a.leave(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  b.publish("Vehicle", {"position"});
  const auto position = b.attributes("Vehicle", {"position"});
  for (std::size_t i = 100; i < cars.size(); ++i) {
    b.rti().attributeOwnershipAcquisitionIfAvailable(cars[i], position);
  }
  QVERIFY(b.pumpUntil(
      [&] { return b.rti().isAttributeOwnedByFederate(cars.back(), *position.begin()); }));
  enter(c, to);
  c.subscribe("Vehicle", {"position"});
  QVERIFY(c.expect("discover", 200));
  c.pumpUntil([&] { return c.count("discover") > 200; }, 100);
  QCOMPARE(c.count("discover"), 200);
}

void tst_linked_nodes::instancesFromBeforeTheFirstLink() {
  Recorder a("a"), b("b");
  enter(a, 0);
  a.publish("Vehicle", {"position"});
  const auto first = a.registerInstance("Vehicle");
  a.registerInstance("Vehicle");
  a.rti().deleteObjectInstance(first, VariableLengthData());
  enter(b, 1);
  b.subscribe("Vehicle", {"position"});
  QVERIFY(b.expect("discover"));
  a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover", 2));
}

void tst_linked_nodes::largeValues() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  enter(a, from);
  enter(b, to);
  a.publishInteraction("Message");
  b.subscribeInteraction("Message");
  b.quiet = true;
  QList<QByteArray> sent, got;
  b.onReceive = [&](auto, const ParameterHandleValueMap& values) {
    const VariableLengthData& value = values.begin()->second;
    got.push_back(QByteArray(static_cast<const char*>(value.data()), qsizetype(value.size())));
  };
  for (const int size : {1000, 1024, 5000, 70'000, 1'000'000, 20'000'000, 10}) {
    sent.push_back(QByteArray(size, char('a' + sent.size())));
    a.send("Message", {{"text", sent.last()}});
  }
  QVERIFY(b.pumpUntil([&] { return got.size() == sent.size(); }));
  QVERIFY(got == sent);
}

void tst_linked_nodes::oneSendReachesAllHosts() {
  Recorder a("a"), b0("b0"), b1("b1"), c1("c1"), b2("b2");
  enter(a, 1);
  enter(b0, 0);
  enter(b1, 1);
  enter(c1, 1);
  enter(b2, 2);
  a.publishInteraction("Message");
  for (Recorder* r : {&b0, &b1, &c1, &b2}) r->subscribeInteraction("Message");
  for (int i = 0; i < 100; ++i) a.send("Message", {{"text", QByteArray(500, 'x')}});
  for (Recorder* r : {&b0, &b1, &c1, &b2}) {
    QVERIFY2(r->expect("receive Message", 100), qPrintable(r->name()));
    QCOMPARE(r->count("receive Message"), 100);
  }
}

void tst_linked_nodes::synchronizationPoints() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 0);
  enter(b, 1);
  enter(c, 2);
  b.rti().registerFederationSynchronizationPoint(L"ready", VariableLengthData());
  for (Recorder* r : {&a, &b, &c}) QVERIFY(r->expect("announce ready"));
  for (Recorder* r : {&a, &b, &c}) r->rti().synchronizationPointAchieved(L"ready");
  for (Recorder* r : {&a, &b, &c}) QVERIFY(r->expect("synchronized ready"));
}

// What was sent before arrives before what the sender did then, wherever the receiver is.
void tst_linked_nodes::dataComesBeforeTheEnd() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  a.publish("Vehicle", {"position"});
  for (Recorder* r : {&b, &c}) r->subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  for (int i = 0; i < 500; ++i) a.update(car, "Vehicle", {{"position", QByteArray(200, 'x')}});
  a.leave(DELETE_OBJECTS);
  for (Recorder* r : {&b, &c}) {
    QVERIFY(r->expect("remove"));
    QCOMPARE(r->count("reflect"), 500);
    QVERIFY(r->log().last().startsWith("remove"));
  }
}

void tst_linked_nodes::ownershipMoves() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  enter(a, from);
  enter(b, to);
  for (Recorder* r : {&a, &b}) {
    r->publish("Vehicle", {"position"});
    r->subscribe("Vehicle", {"position"});
  }
  const auto car = a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  const auto position = a.attributes("Vehicle", {"position"});
  a.rti().unconditionalAttributeOwnershipDivestiture(car, position);
  QVERIFY_EXCEPTION_THROWN(a.update(car, "Vehicle", {{"position", "x"}}), AttributeNotOwned);
  b.rti().attributeOwnershipAcquisitionIfAvailable(car, position);
  QVERIFY(b.pumpUntil([&] { return b.rti().isAttributeOwnedByFederate(car, *position.begin()); }));
  b.update(car, "Vehicle", {{"position", "from b"}});
  QVERIFY(a.expect("reflect"));
  QVERIFY(a.log().last().contains("position=from b"));
  b.leave(UNCONDITIONALLY_DIVEST_ATTRIBUTES);
  a.rti().attributeOwnershipAcquisitionIfAvailable(car, position);
  QVERIFY(a.pumpUntil([&] { return a.rti().isAttributeOwnedByFederate(car, *position.begin()); }));
}

void tst_linked_nodes::aReaderThatStandsHoldsUpNobodyElse() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 2);
  a.publishInteraction("Message");
  a.publishInteraction("Event");
  b.subscribeInteraction("Message");
  c.subscribeInteraction("Event");
  b.quiet = true;
  // More than any ring and pipe holds.
  constexpr int count = 10000;
  std::thread sender([&] {
    const QByteArray text(20'000, 'x');
    for (int i = 0; i < count; ++i) a.send("Message", {{"text", text}});
  });
  Recorder d("d");
  enter(d, 1);
  d.publishInteraction("Event");
  d.send("Event", {{"number", "1"}});
  const bool others = c.expect("receive Event");
  const bool all = b.pumpUntil([&] { return b.interactions == count; }, 30000);
  sender.join();
  QVERIFY(others);
  QVERIFY(all);
}

void tst_linked_nodes::killedFederate() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 2);
  enter(c, 0);
  a.publish("Vehicle", {"position"});
  for (Recorder* r : {&b, &c}) r->subscribe("Vehicle", {"position"});
  const auto car = a.registerInstance("Vehicle");
  a.rti().setAutomaticResignDirective(DELETE_OBJECTS_THEN_DIVEST);
  for (int i = 0; i < 100; ++i) a.update(car, "Vehicle", {{"position", "x"}});
  a.kill();
  for (Recorder* r : {&b, &c}) {
    QVERIFY(r->expect("remove"));
    QCOMPARE(r->count("reflect"), 100);
  }
}

void tst_linked_nodes::killedFederatesResignAsTheObjectModelSays() {
  Recorder a("a"), b("b");
  for (Recorder* r : {&b, &a}) {
    nodes_->connect(*r, r == &a ? 1 : 0);
    if (r == &b) r->create(federation_, {QString(TUTTI_SOURCE_DIR) + "/tests/conformance/fom.xml"});
    r->join(federation_);
  }
  QCOMPARE(a.rti().getAutomaticResignDirective(), b.rti().getAutomaticResignDirective());
  QVERIFY(a.rti().getAutomaticResignDirective() == DELETE_OBJECTS_THEN_DIVEST);
  a.publish("Vehicle", {"position"});
  b.subscribe("Vehicle", {"position"});
  a.registerInstance("Vehicle");
  QVERIFY(b.expect("discover"));
  a.kill();
  QVERIFY(b.expect("remove"));
}

void tst_linked_nodes::killedHome() {
  Recorder a("a"), b("b");
  enter(a, 1);
  enter(b, 2);
  ::kill(static_cast<pid_t>(nodes_->homePid()), SIGKILL);
  for (Recorder* r : {&a, &b}) QVERIFY(r->expect("lost", 1, knownAfter));
  QVERIFY_EXCEPTION_THROWN(a.publishInteraction("Message"), NotConnected);
}

void tst_linked_nodes::killedLinkedNode() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 0);
  enter(b, 1);
  enter(c, 2);
  a.publishInteraction("Message");
  c.subscribeInteraction("Message");
  a.rti().enableTimeConstrained();
  b.rti().enableTimeRegulation(HLAfloat64Interval(1.0));
  QVERIFY(b.expect("regulating"));
  QVERIFY(a.expect("constrained"));
  a.rti().timeAdvanceRequest(HLAfloat64Time(5));
  a.pumpUntil([] { return false; }, 50);
  QCOMPARE(a.count("granted"), 0);
  ::kill(OwnNode::pidOf(nodes_->nodeName(1)), SIGKILL);
  QVERIFY(b.expect("lost", 1, knownAfter));
  // The others go on, and no longer wait for who was there.
  QVERIFY(a.expect("granted 5", 1, knownAfter));
  a.send("Message", {{"text", "still here"}});
  QVERIFY(c.expect("receive Message"));
  // A new node takes the place, and the federate joins again.
  b.kill();
  Recorder again("b");
  enter(again, 1);
  again.subscribeInteraction("Message");
  a.send("Message", {{"text", "welcome back"}});
  QVERIFY(again.expect("receive Message text=welcome back"));
}

// A node that hangs: nothing ends there, it is only silent.
// The home finds many requests of a dead node: the answer to one of the first fails while the
// others are still being read.
void tst_linked_nodes::killedLinkedNodeThatHadAsked() {
  constexpr int askers = 12;
  Recorder a("a"), c("c");
  enter(a, 0);
  enter(c, 2);
  a.publishInteraction("Message");
  c.subscribeInteraction("Message");
  for (int round = 1; round <= 3; ++round) {
    std::vector<std::unique_ptr<Recorder>> dying;
    for (int i = 0; i < askers; ++i) {
      dying.push_back(std::make_unique<Recorder>(QString("asker %1 %2").arg(round).arg(i)));
      enter(*dying.back(), 1);
    }
    const int node = OwnNode::pidOf(nodes_->nodeName(1));
    const auto home = static_cast<pid_t>(nodes_->homePid());
    ::kill(home, SIGSTOP);
    std::atomic<int> asking{0}, refused{0};
    std::vector<std::thread> threads;
    for (const auto& one : dying) {
      threads.emplace_back([&] {
        ++asking;
        try {
          one->publishInteraction("Message");
        } catch (const Exception&) {
          ++refused;
        }
      });
    }
    while (asking < askers) std::this_thread::yield();
    QTest::qWait(200);  // for the requests to come to the home's socket
    ::kill(node, SIGKILL);
    for (std::thread& thread : threads) thread.join();
    ::kill(home, SIGCONT);
    // Nobody was answered: all the requests were on their way when their node died.
    QCOMPARE(refused.load(), askers);
    a.send("Message", {{"text", QByteArray::number(round)}});
    QVERIFY(c.expect("receive Message", round));
    for (const auto& one : dying) one->kill();
  }
  QCOMPARE(a.count("lost") + c.count("lost"), 0);
}

void tst_linked_nodes::stoppedHome() {
  Recorder a("a");
  enter(a, 1);
  ::kill(static_cast<pid_t>(nodes_->homePid()), SIGSTOP);
  const bool known = a.expect("lost", 1, hangsAfter);
  ::kill(static_cast<pid_t>(nodes_->homePid()), SIGCONT);
  QVERIFY(known);
}

void tst_linked_nodes::stoppedLinkedNode() {
  Recorder a("a"), b("b");
  enter(a, 0);
  enter(b, 1);
  b.publish("Vehicle", {"position"});
  a.subscribe("Vehicle", {"position"});
  b.rti().setAutomaticResignDirective(DELETE_OBJECTS_THEN_DIVEST);
  b.registerInstance("Vehicle");
  QVERIFY(a.expect("discover"));
  const int node = OwnNode::pidOf(nodes_->nodeName(1));
  ::kill(node, SIGSTOP);
  const bool known = a.expect("remove", 1, hangsAfter);
  ::kill(node, SIGCONT);
  QVERIFY(known);
  // It is told what the others think of it.
  QVERIFY(b.expect("lost", 1, knownAfter));
}

// A node that does not run for longer than a cut cable would be borne, but comes back: its host
// answers for it, and its federates have one another meanwhile.
void tst_linked_nodes::aHangGoesBy() {
  Recorder a("a"), b("b"), c("c");
  enter(a, 1);
  enter(b, 1);
  enter(c, 0);
  a.publishInteraction("Message");
  for (Recorder* r : {&b, &c}) r->subscribeInteraction("Message");
  a.send("Message", {{"text", "0"}});
  for (Recorder* r : {&b, &c}) QVERIFY(r->expect("receive Message"));
  const int node = OwnNode::pidOf(nodes_->nodeName(1));
  ::kill(node, SIGSTOP);
  // For 3 s, also where each step takes longer than it should: after 10 s the link would be lost.
  QElapsedTimer hang;
  hang.start();
  // Few enough for the rings that there are: a larger one would be asked of the node.
  constexpr int most = 15;
  int sent = 0;
  bool heard = true;
  while (heard && sent < most && hang.elapsed() < 3000) {
    a.send("Message", {{"text", QByteArray::number(++sent)}});
    heard = b.expect("receive Message", sent + 1, 5000);
    c.pumpFor(200);
  }
  const int arrived = c.count("receive Message");
  ::kill(node, SIGCONT);
  QVERIFY(heard);
  QVERIFY(arrived <= 2);  // it really hung
  QVERIFY(c.expect("receive Message", sent + 1));
  const QStringList lines = c.linesWith("receive Message");
  for (int i = 0; i <= sent; ++i) QCOMPARE(lines[i], QString("receive Message text=%1").arg(i));
  for (Recorder* r : {&a, &b, &c}) QCOMPARE(r->count("lost"), 0);
}

// A viewer and what it may see, with regions that were there before the other's host.
void tst_linked_nodes::regions() {
  QFETCH(int, from);
  QFETCH(int, to);
  Recorder a("a"), b("b");
  const auto begin = [&](Recorder& r, int host) {
    nodes_->connect(r, host);
    try {
      r.create(federation_, {QString(TUTTI_SOURCE_DIR) + "/tests/conformance/regions.xml"});
    } catch (const FederationExecutionAlreadyExists&) {
    }
    r.join(federation_);
  };
  const auto regionAt = [](Recorder& r, unsigned long lower) {
    const DimensionHandle x = r.rti().getDimensionHandle(L"X");
    const RegionHandle region = r.rti().createRegion({x});
    r.rti().setRangeBounds(region, x, RangeBounds(lower, lower + 10));
    r.rti().commitRegionModifications({region});
    return region;
  };
  const auto moveTo = [](Recorder& r, const RegionHandle& region, unsigned long lower) {
    r.rti().setRangeBounds(region, r.rti().getDimensionHandle(L"X"),
                           RangeBounds(lower, lower + 10));
    r.rti().commitRegionModifications({region});
  };
  begin(a, from);
  a.publish("Thing", {"track"});
  const auto track = a.attributes("Thing", {"track"});
  const RegionHandle there = regionAt(a, 100);
  const auto thing =
      a.rti().registerObjectInstanceWithRegions(a.objectClass("Thing"), {{track, {there}}});
  begin(b, to);
  const RegionHandle view = regionAt(b, 0);
  b.rti().subscribeObjectClassAttributesWithRegions(b.objectClass("Thing"), {{track, {view}}});
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Shout"), {view});
  a.publishInteraction("Shout");
  const auto shout = [&](const RegionHandle& region, const char* word) {
    a.rti().sendInteractionWithRegions(
        a.interactionClass("Shout"),
        {{a.parameter("Shout", "word"), VariableLengthData(word, std::strlen(word))}}, {region},
        VariableLengthData());
  };
  const RegionHandle near = regionAt(a, 5);
  // Out of sight: nothing comes but what is within.
  a.update(thing, "Thing", {{"track", "unseen"}});
  shout(there, "unheard");
  shout(near, "first");
  QVERIFY(b.expect("receive Shout word=first"));
  QCOMPARE(b.count("discover"), 0);
  QCOMPARE(b.count("receive Shout"), 1);
  // The viewer moves there: at once, for whatever is sent from now on.
  moveTo(b, view, 95);
  a.update(thing, "Thing", {{"track", "seen"}});
  QVERIFY(b.expect("reflect"));
  QCOMPARE(b.count("discover"), 1);
  QVERIFY(b.log().last().contains("track=seen"));
  // What it sees moves away.
  moveTo(a, there, 300);
  a.update(thing, "Thing", {{"track", "gone"}});
  shout(there, "unheard");
  moveTo(a, near, 100);
  shout(near, "second");
  QVERIFY(b.expect("receive Shout word=second"));
  QCOMPARE(b.count("reflect"), 1);
  QCOMPARE(b.count("receive Shout"), 2);
  // Its region is known here by its name, until it is deleted.
  QCOMPARE(b.rti().getRangeBounds(near, b.rti().getDimensionHandle(L"X")).getLowerBound(), 100ul);
  a.rti().unassociateRegionsForUpdates(thing, {{track, {there}}});
  a.update(thing, "Thing", {{"track", "everywhere"}});
  QVERIFY(b.expect("reflect", 2));
  a.rti().deleteRegion(there);
  QVERIFY_EXCEPTION_THROWN(a.rti().getDimensionHandleSet(there), InvalidRegion);
}

void tst_linked_nodes::nobodyListens() {
  QTcpServer nobody;
  QVERIFY(nobody.listen(QHostAddress::LocalHost));
  const QString address = QString("127.0.0.1:%1").arg(nobody.serverPort());
  nobody.close();
  qputenv("TUTTI_RTI", ("tcp:" + address).toUtf8());
  Recorder a("a");
  const QString text = said([&] { a.connect(); });
  qunsetenv("TUTTI_RTI");
  QVERIFY2(text.contains(address) && text.contains("--listen"), qPrintable(text));
}

// Something that is no RTI node.
void tst_linked_nodes::noNodeListens() {
  QTcpServer other;
  QVERIFY(other.listen(QHostAddress::LocalHost));
  qputenv("TUTTI_RTI", QString("tcp:127.0.0.1:%1").arg(other.serverPort()).toUtf8());
  Recorder a("a");
  const QString text = said([&] { a.connect(); });
  qunsetenv("TUTTI_RTI");
  QVERIFY2(text.contains("--listen"), qPrintable(text));
}

QTEST_GUILESS_MAIN(tst_linked_nodes)
#include "tst_linked_nodes.moc"
