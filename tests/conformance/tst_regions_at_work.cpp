// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 9: what regions do to messages, discovery and ownership, whichever
// service was called.
#include "viewer.h"

using namespace viewing;

class tst_regions_at_work : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("regions"); }
  void overlaps_data();
  void overlaps();
  void sentRegionsAreConveyed();
  void sentRegionsAreNotConveyed();
  void movedRegionsDiscover();
  void movedBeforeTheDelivery_data();
  void movedBeforeTheDelivery();
  void lateSubscriberDiscoversWithin();
  void updateRatesReduceBestEffort();
  void passiveRegionsAskForNothing();
  void updatesAreRelevantWithin();
  void leaversTakeTheirRegions();
  void regionsGoWithOwnership();
};

void tst_regions_at_work::overlaps_data() {
  QTest::addColumn<QString>("attribute");
  QTest::addColumn<Bounds>("updates");
  QTest::addColumn<Bounds>("subscribed");
  QTest::addColumn<bool>("overlap");
  const auto row = [](const char* what, const char* attribute, const Bounds& updates,
                      const Bounds& subscribed, bool overlap) {
    QTest::newRow(what) << QString(attribute) << updates << subscribed << overlap;
  };
  row("equal", "place", {{"X", {5, 6}}}, {{"X", {5, 6}}}, true);
  row("upper bound is outside", "place", {{"X", {0, 5}}}, {{"X", {5, 6}}}, false);
  row("lower bound is inside", "place", {{"X", {0, 6}}}, {{"X", {5, 6}}}, true);
  row("touches from above", "place", {{"X", {6, 9}}}, {{"X", {5, 6}}}, false);
  row("within", "place", {{"X", {0, 1000}}}, {{"X", {5, 6}}}, true);
  row("both dimensions", "place", {{"X", {0, 5}}, {"Y", {0, 5}}}, {{"X", {4, 9}}, {"Y", {4, 9}}},
      true);
  row("one dimension apart", "place", {{"X", {0, 5}}, {"Y", {0, 5}}},
      {{"X", {4, 9}}, {"Y", {5, 9}}}, false);
  row("a dimension of one only", "place", {{"X", {0, 5}}, {"Y", {0, 5}}}, {{"X", {4, 9}}}, true);
  row("no dimension in common", "place", {{"X", {0, 1000}}}, {{"Y", {0, 1000}}}, false);
  row("default range, inside", "mark", {{"X", {0, 5}}}, {{"Band", {9, 20}}}, true);
  row("default range, outside", "mark", {{"X", {0, 5}}}, {{"Band", {10, 20}}}, false);
  row("default range of the subscriber", "mark", {{"Band", {0, 1}}}, {{"X", {0, 5}}}, true);
  row("default region of the updates", "place", {}, {{"X", {4, 9}}}, true);
  row("default region of the subscription", "place", {{"X", {4, 9}}}, {}, true);
  row("default regions", "place", {}, {}, true);
}

void tst_regions_at_work::overlaps() {
  QFETCH(QString, attribute);
  QFETCH(Bounds, updates);
  QFETCH(Bounds, subscribed);
  QFETCH(bool, overlap);
  Pair pair(federation_);
  if (subscribed.isEmpty()) {
    pair.viewer.subscribe("Thing", {attribute});
  } else {
    pair.viewer.subscribeWith({attribute}, {pair.viewer.region(subscribed)});
  }
  const auto thing = updates.isEmpty()
                         ? pair.owner.registerNamed("Thing", "one")
                         : pair.owner.thing("one", {attribute}, {pair.owner.region(updates)});
  pair.owner.update(thing, "Thing", {{attribute, "1"}});
  QCOMPARE(pair.viewer.take(),
           overlap ? QStringList({"discover one as Thing", "reflect one " + attribute + "=1"})
                   : QStringList());
}

void tst_regions_at_work::sentRegionsAreConveyed() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  b.subscribe("Thing", {"place", "mark", "label"});
  b.subscribeInteraction("Shout");
  const RegionHandle one = a.region({{"X", {1, 2}}, {"Y", {3, 4}}});
  const RegionHandle two = a.region({{"X", {5, 6}}});
  const auto thing = a.thing("one", {"place"}, {one, two});
  a.rti().associateRegionsForUpdates(thing, a.pair({"mark"}, {two}));
  a.update(thing, "Thing", {{"place", "1"}, {"mark", "2"}, {"label", "3"}});
  // Values that were sent with different regions come apart, each with its own.
  b.take();
  b.sentRegions.sort();
  QCOMPARE(b.sentRegions, QStringList({"X[1,2) Y[3,4); X[5,6)", "X[5,6)", "none"}));
  // What is sent without regions conveys no set of them: not an empty one, within which nothing
  // would be. The set is optional (6.11, 6.13), and the default region has no designator.
  b.sentRegions.clear();
  a.rti().unassociateRegionsForUpdates(thing, a.pair({"mark"}, {two}));
  a.update(thing, "Thing", {{"mark", "4"}});
  a.rti().sendInteraction(a.interactionClass("Shout"), {}, data(""));
  b.take();
  QCOMPARE(b.sentRegions, QStringList({"none", "none"}));
  b.sentRegions.clear();
  a.rti().sendInteractionWithRegions(a.interactionClass("Shout"), {}, {two}, data(""));
  // Moved after it was sent: conveyed is where it was.
  a.move(two, {{"X", {700, 800}}});
  b.take();
  QCOMPARE(b.sentRegions, lines("X[5,6)"));
  // They are another federate's regions.
  for (const RegionHandle& region : b.lastRegions) {
    REFUSES(b.rti().setRangeBounds(region, b.dimension("X"), RangeBounds(0, 1)),
            RegionNotCreatedByThisFederate);
    REFUSES(b.rti().getRangeBounds(region, b.dimension("Band")),
            RegionDoesNotContainSpecifiedDimension);
  }
}

void tst_regions_at_work::sentRegionsAreNotConveyed() {
  Pair pair(federation_, modelWith("conveyRegionDesignatorSets", false));
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  b.subscribe("Thing", {"place", "mark", "label"});
  b.take();
  const auto thing = a.thing("one", {"place"}, {a.region({{"X", {1, 2}}})});
  a.update(thing, "Thing", {{"place", "1"}, {"mark", "2"}, {"label", "3"}});
  QCOMPARE(b.take(), QStringList({"discover one as Thing", "reflect one place=1,mark=2,label=3"}));
  QCOMPARE(b.sentRegions, lines("none"));
}

void tst_regions_at_work::movedBeforeTheDelivery_data() {
  QTest::addColumn<bool>("delayed");
  QTest::newRow("evaluated when sent") << false;
  QTest::newRow("evaluated when delivered") << true;
}

/// With Delay Subscription Evaluation it is the region of when a message is delivered that counts.
void tst_regions_at_work::movedBeforeTheDelivery() {
  QFETCH(bool, delayed);
  Pair pair(federation_, delayed ? modelWith("delaySubscriptionEvaluation", true) : QString());
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  a.regulate(1);
  b.constrain();
  const RegionHandle view = b.region({{"X", {900, 1000}}});
  b.subscribeWith({"track"}, {view});
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Shout.Cry"), {view});
  const RegionHandle place = a.region({{"X", {5, 6}}});
  const auto thing = a.thing("one", {"track"}, {place});
  a.update(thing, "Thing", {{"track", "1"}}, 5);
  a.rti().sendInteractionWithRegions(a.interactionClass("Shout.Cry"), {}, {place}, data(""),
                                     HLAfloat64Time(6));
  b.take();
  b.move(view, {{"X", {0, 10}}});
  b.take();
  b.rti().timeAdvanceRequest(HLAfloat64Time(10));
  a.rti().timeAdvanceRequest(HLAfloat64Time(20));
  QVERIFY(b.expect("granted 10"));
  const QStringList got = b.linesWith("reflect") + b.linesWith("receive");
  QCOMPARE(got.size(), delayed ? 2 : 0);
  if (delayed) QCOMPARE(got.first(), QString("reflect one track=1 @5 TSO"));
}

void tst_regions_at_work::movedRegionsDiscover() {
  // Without any update: an instance is discovered once one of its attributes comes into scope.
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  const RegionHandle at = a.region({{"X", {5, 6}}});
  const RegionHandle seen = b.region({{"X", {50, 60}}});
  b.subscribeWith({"place"}, {seen});
  a.thing("one", {"place", "mark"}, {at});
  a.thing("two", {"place"}, {a.region({{"X", {100, 110}}})});
  QCOMPARE(b.take(), QStringList());
  a.move(at, {{"X", {55, 56}}});
  QCOMPARE(b.take(), lines("discover one as Thing"));
  b.move(seen, {{"X", {105, 106}}});
  QCOMPARE(b.take(), lines("discover two as Thing"));
  // Once discovered, an instance stays known.
  b.move(seen, {{"X", {500, 501}}});
  a.move(at, {{"X", {500, 501}}});
  QCOMPARE(b.take(), QStringList());
}

void tst_regions_at_work::lateSubscriberDiscoversWithin() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<unsigned long>(i);
    a.rti().registerObjectInstanceWithRegions(
        a.objectClass("Thing"), a.pair({"place", "mark"}, {a.region({{"X", {from, from + 1}}})}));
  }
  Viewer late("late");
  late.enterWith(federation_);
  late.subscribeWith({"place"}, {late.region({{"X", {50, 60}}})});
  late.take();
  QCOMPARE(late.count("discover"), 10);
  late.subscribe("Thing", {"mark"});
  late.take();
  QCOMPARE(late.count("discover"), 200);
}

void tst_regions_at_work::updateRatesReduceBestEffort() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  Viewer other("other");
  other.enterWith(federation_);
  other.subscribe("Thing", {"glow", "place"});
  b.rti().subscribeObjectClassAttributes(b.objectClass("Thing"),
                                         b.attributes("Thing", {"glow", "place"}), true, L"Slow");
  const auto thing = a.registerNamed("Thing", "one");
  // Between nodes a datagram is neither held until the instance is discovered nor in order with
  // what is reliable.
  QVERIFY(b.expect("discover one") && other.expect("discover one"));
  for (int i = 0; i < 10; ++i) {
    a.update(thing, "Thing", {{"glow", QByteArray::number(i)}, {"place", QByteArray::number(i)}});
  }
  QVERIFY(other.expect("reflect one glow", 10) && b.expect("reflect one glow"));
  b.take();
  // One update in 100 s, but of best effort only.
  QCOMPARE(b.linesWith("reflect one glow"), lines("reflect one glow=0"));
  QCOMPARE(b.count("reflect one place"), 10);
  // Subscribed again without a rate, each update comes.
  b.subscribe("Thing", {"glow"});
  b.take();
  a.update(thing, "Thing", {{"glow", "10"}});
  a.update(thing, "Thing", {{"glow", "11"}});
  QVERIFY(b.expect("reflect one glow", 3));
  QCOMPARE(b.take(), QStringList({"reflect one glow=10", "reflect one glow=11"}));
}

void tst_regions_at_work::passiveRegionsAskForNothing() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  a.rti().enableObjectClassRelevanceAdvisorySwitch();
  a.rti().enableInteractionRelevanceAdvisorySwitch();
  const RegionHandle one = b.region({{"X", {0, 1}}});
  const RegionHandle two = b.region({{"X", {1, 2}}});
  const auto thing = b.objectClass("Thing");
  b.rti().subscribeObjectClassAttributesWithRegions(thing, b.pair({"place"}, {one}), false);
  b.rti().subscribeObjectClassAttributes(thing, b.attributes("Thing", {"mark"}), false);
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Shout"), {one}, false);
  QCOMPARE(a.take(), QStringList());
  b.rti().subscribeObjectClassAttributesWithRegions(thing, b.pair({"place"}, {two}));
  QCOMPARE(a.take(), lines("start Thing"));
  b.rti().subscribeObjectClassAttributesWithRegions(thing, b.pair({"place"}, {two}), false);
  QCOMPARE(a.take(), lines("stop Thing"));
  // Passive for each attribute by itself.
  b.rti().subscribeObjectClassAttributes(thing, b.attributes("Thing", {"label"}));
  QCOMPARE(a.take(), lines("start Thing"));
  b.rti().subscribeObjectClassAttributes(thing, b.attributes("Thing", {"mark"}), false);
  QCOMPARE(a.take(), QStringList());
  b.rti().subscribeObjectClassAttributes(thing, b.attributes("Thing", {"label"}), false);
  QCOMPARE(a.take(), lines("stop Thing"));
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Shout"), {two});
  QStringList told = a.take();
  told.sort();
  QCOMPARE(told, QStringList({"on Cry", "on Shout"}));
}

/// 6.21, 6.22: an update is relevant to who would get it, and by the regions of both.
void tst_regions_at_work::updatesAreRelevantWithin() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  a.rti().enableAttributeRelevanceAdvisorySwitch();
  const RegionHandle seen = b.region({{"X", {50, 60}}});
  b.subscribeWith({"place", "mark"}, {seen});
  const RegionHandle at = a.region({{"X", {5, 6}}});
  const auto thing = a.thing("one", {"place"}, {at});
  // Of an attribute without regions all is within.
  QVERIFY(a.expect("on one"));
  a.take();
  QCOMPARE(a.linesWith("on"), lines("on one mark"));
  // The subscriber moves, without a message.
  b.move(seen, {{"X", {0, 10}}});
  b.pump();
  QVERIFY(a.expect("on one place"));
  QCOMPARE(a.take(), lines("on one place"));
  b.move(seen, {{"X", {50, 60}}});
  b.pump();
  QVERIFY(a.expect("off one place"));
  QCOMPARE(a.take(), lines("off one place"));
  // The owner moves.
  a.move(at, {{"X", {55, 56}}});
  QCOMPARE(a.take(), lines("on one place"));
  a.move(at, {{"X", {5, 6}}});
  QCOMPARE(a.take(), lines("off one place"));
  // What it updates with which regions changes.
  a.rti().associateRegionsForUpdates(thing, a.pair({"mark"}, {at}));
  QCOMPARE(a.take(), lines("off one mark"));
  a.rti().unassociateRegionsForUpdates(thing, a.pair({"mark", "place"}, {at}));
  QCOMPARE(a.take(), lines("on one mark,place"));
  a.rti().associateRegionsForUpdates(thing, a.pair({"mark", "place"}, {at}));
  QCOMPARE(a.take(), lines("off one mark,place"));
  // A passive subscription asks for nothing, wherever its region is; the rate is that of those
  // within.
  const RegionHandle near = b.region({{"X", {0, 10}}});
  b.rti().subscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                    b.pair({"mark"}, {near}), false);
  QCOMPARE(a.take(), QStringList());
  b.rti().subscribeObjectClassAttributesWithRegions(b.objectClass("Thing"),
                                                    b.pair({"mark"}, {near}), true);
  QCOMPARE(a.take(), lines("on one mark"));
  // Nor is it told again when nothing has changed.
  b.move(seen, {{"X", {70, 80}}});
  b.pump();
  QCOMPARE(a.take(), QStringList());
  b.leave(NO_ACTION);
  QVERIFY(a.expect("off one mark"));
}

void tst_regions_at_work::leaversTakeTheirRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  RegionHandle gone;
  {
    Mortal mortal("mortal", federation_);
    const auto x = mortal.rti().getDimensionHandle(L"X");
    gone = mortal.rti().createRegion({x});
    const auto thing = mortal.rti().getObjectClassHandle(L"Thing");
    mortal.rti().subscribeObjectClassAttributesWithRegions(
        thing, {{{mortal.rti().getAttributeHandle(thing, L"place")}, {gone}}});
    REFUSES(a.rti().deleteRegion(gone), RegionNotCreatedByThisFederate);
    mortal.kill();
  }
  AWAIT(a, refusal([&] { a.rti().deleteRegion(gone); }) == "InvalidRegion");
  Viewer& b = pair.viewer;
  b.subscribeWith({"place"}, {b.region({{"X", {0, 10}}})});
  const auto thing = a.thing("one", {"place"}, {a.region({{"X", {5, 6}}})});
  a.update(thing, "Thing", {{"place", "1"}});
  QCOMPARE(b.take(), QStringList({"discover one as Thing", "reflect one place=1"}));
  b.leave();
  ACCEPTS(a.update(thing, "Thing", {{"place", "2"}}));
}

void tst_regions_at_work::regionsGoWithOwnership() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer next("next");
  next.enterWith(federation_);
  next.publish("Thing", {"place"});
  next.subscribe("Thing", {"label"});
  Viewer& b = pair.viewer;
  b.subscribeWith({"place"}, {b.region({{"X", {0, 10}}})});
  const auto thing = a.thing("one", {"place"}, {a.region({{"X", {5, 6}}})});
  next.take();
  b.take();
  // What another federate than the owner associates has no effect yet.
  next.rti().associateRegionsForUpdates(thing,
                                        next.pair({"place"}, {next.region({{"X", {500, 600}}})}));
  a.update(thing, "Thing", {{"place", "1"}});
  QCOMPARE(b.take(), lines("reflect one place=1"));
  a.rti().unconditionalAttributeOwnershipDivestiture(thing, a.attributes("Thing", {"place"}));
  next.rti().attributeOwnershipAcquisitionIfAvailable(thing, next.attributes("Thing", {"place"}));
  AWAIT(next, next.rti().isAttributeOwnedByFederate(thing, next.attribute("Thing", "place")));
  next.update(thing, "Thing", {{"place", "2"}});
  QCOMPARE(b.take(), QStringList());
  const RegionHandle here = next.region({{"X", {1, 2}}});
  next.rti().associateRegionsForUpdates(thing, next.pair({"place"}, {here}));
  next.update(thing, "Thing", {{"place", "3"}});
  QCOMPARE(b.take(), lines("reflect one place=3"));
}

CONFORMANCE_MAIN(tst_regions_at_work)
#include "tst_regions_at_work.moc"
