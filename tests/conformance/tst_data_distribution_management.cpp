// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 9, and the services and callbacks of other clauses that are about
// regions, scopes and update rates. One test function for each, of its name.
#include "viewer.h"

using namespace viewing;

class tst_data_distribution_management : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("regions"); }
  void createRegion();
  void commitRegionModifications();
  void deleteRegion();
  void registerObjectInstanceWithRegions();
  void associateRegionsForUpdates();
  void unassociateRegionsForUpdates();
  void subscribeObjectClassAttributesWithRegions();
  void unsubscribeObjectClassAttributesWithRegions();
  void subscribeInteractionClassWithRegions();
  void unsubscribeInteractionClassWithRegions();
  void sendInteractionWithRegions();
  void requestAttributeValueUpdateWithRegions();
  void getDimensionHandleSet();
  void getRangeBounds();
  void setRangeBounds();
  void attributesInScope();
  void attributesOutOfScope();
  void enableAttributeScopeAdvisorySwitch();
  void disableAttributeScopeAdvisorySwitch();
  void getUpdateRateValueForAttribute();
};

void tst_data_distribution_management::createRegion() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  const RegionHandle region = a.rti().createRegion({a.dimension("X"), a.dimension("Y")});
  QVERIFY(region.isValid());
  QCOMPARE(a.text(region), QString("X[0,1000) Y[0,1000)"));
  const RegionHandle other = a.rti().createRegion({a.dimension("Band")});
  QVERIFY(other != region);
  QCOMPARE(a.text(other), QString("Band[0,100)"));
  QCOMPARE(a.text(a.rti().decodeRegionHandle(region.encode())), a.text(region));
  ACCEPTS(a.rti().createRegion({}));
  REFUSES(a.rti().createRegion({DimensionHandle()}), InvalidDimensionHandle);
}

void tst_data_distribution_management::commitRegionModifications() {
  Pair pair(federation_);
  const RegionHandle mine = pair.owner.region({{"X", {0, 10}}});
  const RegionHandle theirs = pair.viewer.region({{"X", {20, 30}}});
  pair.viewer.subscribeWith({"place"}, {theirs});
  const auto thing = pair.owner.thing("one", {"place"}, {mine});
  const auto seen = [&](const QByteArray& value) {
    pair.owner.update(thing, "Thing", {{"place", value}});
    return pair.viewer.take();
  };
  QCOMPARE(seen("1"), QStringList());
  // Set but not committed: nothing has moved.
  pair.owner.set(mine, {{"X", {15, 25}}});
  QCOMPARE(seen("2"), QStringList());
  pair.owner.rti().commitRegionModifications({mine});
  QCOMPARE(seen("3"), QStringList({"discover one as Thing", "reflect one place=3"}));
  pair.viewer.set(theirs, {{"X", {500, 600}}});
  QCOMPARE(seen("4"), lines("reflect one place=4"));
  pair.viewer.rti().commitRegionModifications({theirs});
  QCOMPARE(seen("5"), QStringList());

  RTIambassador& a = pair.owner.rti();
  ACCEPTS(a.commitRegionModifications({}));
  REFUSES(a.commitRegionModifications({theirs}), RegionNotCreatedByThisFederate);
  REFUSES(a.commitRegionModifications({RegionHandle()}), InvalidRegion);
  // Refused as a whole.
  pair.owner.set(mine, {{"X", {500, 600}}});
  REFUSES(a.commitRegionModifications({mine, theirs}), RegionNotCreatedByThisFederate);
  QCOMPARE(seen("6"), QStringList());
}

void tst_data_distribution_management::deleteRegion() {
  Pair pair(federation_);
  RTIambassador& a = pair.owner.rti();
  const RegionHandle region = pair.owner.region({{"X", {0, 10}}});
  const RegionHandle theirs = pair.viewer.region({{"X", {0, 10}}});
  a.deleteRegion(region);
  REFUSES(a.deleteRegion(region), InvalidRegion);
  REFUSES(a.deleteRegion(RegionHandle()), InvalidRegion);
  REFUSES(a.deleteRegion(theirs), RegionNotCreatedByThisFederate);
  const RegionHandle used = pair.owner.region({{"X", {0, 10}}});
  QVERIFY(used != region);
  const auto thing = pair.owner.thing("one", {"place"}, {used});
  REFUSES(a.deleteRegion(used), RegionInUseForUpdateOrSubscription);
  a.unassociateRegionsForUpdates(thing, pair.owner.pair({"place"}, {used}));
  pair.owner.subscribeWith({"mark"}, {used});
  REFUSES(a.deleteRegion(used), RegionInUseForUpdateOrSubscription);
  a.unsubscribeObjectClassAttributesWithRegions(pair.owner.objectClass("Thing"),
                                                pair.owner.pair({"mark"}, {used}));
  a.subscribeInteractionClassWithRegions(pair.owner.interactionClass("Shout"), {used});
  REFUSES(a.deleteRegion(used), RegionInUseForUpdateOrSubscription);
  a.unsubscribeInteractionClassWithRegions(pair.owner.interactionClass("Shout"), {used});
  a.associateRegionsForUpdates(thing, pair.owner.pair({"place"}, {used}));
  REFUSES(a.deleteRegion(used), RegionInUseForUpdateOrSubscription);
  a.deleteObjectInstance(thing, data(""));
  ACCEPTS(a.deleteRegion(used));
}

void tst_data_distribution_management::registerObjectInstanceWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  RTIambassador& rti = a.rti();
  const RegionHandle near = a.region({{"X", {0, 10}}});
  const RegionHandle far = a.region({{"X", {900, 1000}}});
  pair.viewer.subscribeWith({"place", "mark"}, {pair.viewer.region({{"X", {5, 15}}})});

  const auto inside = a.thing("inside", {"place"}, {near, far});
  const auto outside = a.thing("outside", {"place", "mark"}, {far});
  const auto half = a.thing("half", {"place"}, {far});  // mark: the default region
  QCOMPARE(pair.viewer.take(), QStringList({"discover inside as Thing", "discover half as Thing"}));
  for (const auto& thing : {inside, outside, half}) {
    a.update(thing, "Thing", {{"place", "1"}, {"mark", "2"}});
  }
  // "inside" sends its mark with the default region.
  QStringList got = pair.viewer.take();
  got.sort();
  QCOMPARE(got,
           QStringList({"reflect half mark=2", "reflect inside mark=2", "reflect inside place=1"}));

  // Without a name.
  pair.viewer.clearLog();
  pair.viewer.take();
  const auto unnamed =
      rti.registerObjectInstanceWithRegions(a.objectClass("Thing"), a.pair({"place"}, {near}));
  AWAIT(pair.viewer, pair.viewer.count("discover") == 1);
  QCOMPARE(pair.viewer.rti().getObjectInstanceHandle(rti.getObjectInstanceName(unnamed)), unnamed);

  const auto thingClass = a.objectClass("Thing");
  const RegionHandle theirs = pair.viewer.region({{"X", {0, 10}}});
  const RegionHandle wrong = a.region({{"Band", {0, 10}}});
  const auto tries = [&](const AttributeHandleSetRegionHandleSetPairVector& pairs) {
    rti.registerObjectInstanceWithRegions(thingClass, pairs);
  };
  REFUSES(rti.registerObjectInstanceWithRegions(ObjectClassHandle(), a.pair({"place"}, {near})),
          ObjectClassNotDefined);
  REFUSES(tries({{{AttributeHandle()}, {near}}}), AttributeNotDefined);
  REFUSES(rti.registerObjectInstanceWithRegions(a.objectClass("Thing.Special"),
                                                a.pair({"place"}, {near})),
          ObjectClassNotPublished);
  REFUSES(tries(a.pair({"place"}, {RegionHandle()})), InvalidRegion);
  REFUSES(tries(a.pair({"place"}, {theirs})), RegionNotCreatedByThisFederate);
  REFUSES(tries(a.pair({"place"}, {wrong})), InvalidRegionContext);
  REFUSES(tries(a.pair({"label"}, {near})), InvalidRegionContext);
  REFUSES(rti.registerObjectInstanceWithRegions(thingClass, a.pair({"place"}, {near}), L"inside"),
          ObjectInstanceNameInUse);
  REFUSES(rti.registerObjectInstanceWithRegions(thingClass, a.pair({"place"}, {near}), L"nobody"),
          ObjectInstanceNameNotReserved);
  rti.unpublishObjectClassAttributes(thingClass, a.attributes("Thing", {"mark"}));
  REFUSES(tries(a.pair({"mark"}, {near})), AttributeNotPublished);
  QCOMPARE(pair.viewer.take().filter("discover").size(), 1);
}

void tst_data_distribution_management::associateRegionsForUpdates() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  RTIambassador& rti = a.rti();
  const RegionHandle near = a.region({{"X", {0, 10}}});
  const RegionHandle far = a.region({{"X", {900, 1000}}});
  pair.viewer.subscribeWith({"place"}, {pair.viewer.region({{"X", {5, 15}}})});
  const auto thing = a.registerNamed("Thing", "one");
  const auto seen = [&](const QByteArray& value) {
    a.update(thing, "Thing", {{"place", value}});
    return pair.viewer.take();
  };
  QCOMPARE(seen("1"), QStringList({"discover one as Thing", "reflect one place=1"}));
  rti.associateRegionsForUpdates(thing, a.pair({"place"}, {far}));
  QCOMPARE(seen("2"), QStringList());
  // Regions add up.
  rti.associateRegionsForUpdates(thing, a.pair({"place"}, {near}));
  QCOMPARE(seen("3"), lines("reflect one place=3"));
  ACCEPTS(rti.associateRegionsForUpdates(thing, a.pair({"place"}, {})));
  ACCEPTS(rti.associateRegionsForUpdates(thing, {}));
  QCOMPARE(seen("4"), lines("reflect one place=4"));

  const RegionHandle theirs = pair.viewer.region({{"X", {0, 10}}});
  const RegionHandle wrong = a.region({{"Band", {0, 10}}});
  REFUSES(rti.associateRegionsForUpdates(ObjectInstanceHandle(), a.pair({"place"}, {near})),
          ObjectInstanceNotKnown);
  REFUSES(rti.associateRegionsForUpdates(thing, {{{AttributeHandle()}, {near}}}),
          AttributeNotDefined);
  REFUSES(rti.associateRegionsForUpdates(thing, a.pair({"place"}, {RegionHandle()})),
          InvalidRegion);
  REFUSES(rti.associateRegionsForUpdates(thing, a.pair({"place"}, {theirs})),
          RegionNotCreatedByThisFederate);
  REFUSES(rti.associateRegionsForUpdates(thing, a.pair({"place"}, {wrong})), InvalidRegionContext);
}

void tst_data_distribution_management::unassociateRegionsForUpdates() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  RTIambassador& rti = a.rti();
  const RegionHandle near = a.region({{"X", {0, 10}}});
  const RegionHandle far = a.region({{"X", {900, 1000}}});
  pair.viewer.subscribeWith({"place"}, {pair.viewer.region({{"X", {5, 15}}})});
  const auto thing = a.thing("one", {"place"}, {near, far});
  const auto seen = [&](const QByteArray& value) {
    a.update(thing, "Thing", {{"place", value}});
    return pair.viewer.take();
  };
  QCOMPARE(seen("1"), QStringList({"discover one as Thing", "reflect one place=1"}));
  rti.unassociateRegionsForUpdates(thing, a.pair({"place"}, {near}));
  QCOMPARE(seen("2"), QStringList());
  ACCEPTS(rti.unassociateRegionsForUpdates(thing, a.pair({"place"}, {near})));
  QCOMPARE(seen("3"), QStringList());
  // Without the last one it is the default region.
  rti.unassociateRegionsForUpdates(thing, a.pair({"place"}, {far}));
  QCOMPARE(seen("4"), lines("reflect one place=4"));

  const RegionHandle theirs = pair.viewer.region({{"X", {0, 10}}});
  REFUSES(rti.unassociateRegionsForUpdates(ObjectInstanceHandle(), a.pair({"place"}, {near})),
          ObjectInstanceNotKnown);
  REFUSES(rti.unassociateRegionsForUpdates(thing, {{{AttributeHandle()}, {near}}}),
          AttributeNotDefined);
  REFUSES(rti.unassociateRegionsForUpdates(thing, a.pair({"place"}, {RegionHandle()})),
          InvalidRegion);
  REFUSES(rti.unassociateRegionsForUpdates(thing, a.pair({"place"}, {theirs})),
          RegionNotCreatedByThisFederate);
}

void tst_data_distribution_management::subscribeObjectClassAttributesWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  const RegionHandle at5 = a.region({{"X", {5, 6}}});
  const auto thing = a.thing("one", {"place", "mark"}, {at5});
  const auto seen = [&](const QByteArray& value) {
    a.update(thing, "Thing", {{"place", value}, {"mark", value}});
    return b.take();
  };
  QCOMPARE(seen("1"), QStringList());
  // An instance that was there before is discovered.
  const RegionHandle low = b.region({{"X", {0, 10}}});
  b.subscribeWith({"place"}, {low});
  QCOMPARE(b.take(), lines("discover one as Thing"));
  QCOMPARE(seen("2"), lines("reflect one place=2"));
  // Subscriptions add up: by attribute and by region.
  const RegionHandle high = b.region({{"X", {90, 100}}});
  b.subscribeWith({"mark"}, {high});
  QCOMPARE(seen("3"), lines("reflect one place=3"));
  b.subscribeWith({"mark"}, {low});
  QCOMPARE(seen("4"), lines("reflect one place=4,mark=4"));
  a.move(at5, {{"X", {95, 96}}});
  QCOMPARE(seen("5"), lines("reflect one mark=5"));
  // The default region stands beside them.
  b.subscribe("Thing", {"place"});
  QCOMPARE(seen("6"), lines("reflect one place=6,mark=6"));
  b.rti().unsubscribeObjectClassAttributes(b.objectClass("Thing"),
                                           b.attributes("Thing", {"place"}));
  QCOMPARE(seen("7"), lines("reflect one mark=7"));

  RTIambassador& rti = b.rti();
  const auto thingClass = b.objectClass("Thing");
  const RegionHandle wrong = b.region({{"Band", {0, 10}}});
  ACCEPTS(rti.subscribeObjectClassAttributesWithRegions(thingClass, {}));
  ACCEPTS(rti.subscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {}), false));
  QCOMPARE(seen("8"), lines("reflect one mark=8"));
  REFUSES(
      rti.subscribeObjectClassAttributesWithRegions(ObjectClassHandle(), b.pair({"place"}, {low})),
      ObjectClassNotDefined);
  REFUSES(rti.subscribeObjectClassAttributesWithRegions(thingClass, {{{AttributeHandle()}, {low}}}),
          AttributeNotDefined);
  REFUSES(rti.subscribeObjectClassAttributesWithRegions(thingClass,
                                                        b.pair({"place"}, {RegionHandle()})),
          InvalidRegion);
  REFUSES(rti.subscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {at5})),
          RegionNotCreatedByThisFederate);
  REFUSES(rti.subscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {wrong})),
          InvalidRegionContext);
  REFUSES(rti.subscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {low}), true,
                                                        L"Never"),
          InvalidUpdateRateDesignator);
}

void tst_data_distribution_management::unsubscribeObjectClassAttributesWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  const auto thingClass = b.objectClass("Thing");
  const RegionHandle low = b.region({{"X", {0, 10}}});
  const RegionHandle wide = b.region({{"X", {0, 100}}});
  b.subscribeWith({"place", "mark"}, {low, wide});
  const auto thing = a.thing("one", {"place", "mark"}, {a.region({{"X", {5, 6}}})});
  const auto seen = [&](const QByteArray& value) {
    a.update(thing, "Thing", {{"place", value}, {"mark", value}});
    return b.take();
  };
  QCOMPARE(seen("1"), QStringList({"discover one as Thing", "reflect one place=1,mark=1"}));
  b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place", "mark"}, {low}));
  QCOMPARE(seen("2"), lines("reflect one place=2,mark=2"));
  b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {wide}));
  QCOMPARE(seen("3"), lines("reflect one mark=3"));
  // What was sent before is not delivered after.
  a.update(thing, "Thing", {{"mark", "4"}});
  b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"mark"}, {wide}));
  QCOMPARE(b.take(), QStringList());
  ACCEPTS(
      b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"mark"}, {wide})));
  // The default region is another subscription.
  b.subscribe("Thing", {"place"});
  b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {wide}));
  QCOMPARE(seen("5"), lines("reflect one place=5"));
  // Nothing is ended by empty sets.
  b.subscribeWith({"mark"}, {wide});
  ACCEPTS(b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, {}));
  ACCEPTS(b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"mark"}, {})));
  QCOMPARE(seen("6"), lines("reflect one place=6,mark=6"));
  b.rti().unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"mark"}, {wide}));
  // When the last subscription of a class has ended, the class above counts.
  const auto special = b.objectClass("Thing.Special");
  const RegionHandle far = b.region({{"X", {900, 1000}}});
  const AttributeHandleSetRegionHandleSetPairVector there{
      {b.attributes("Thing", {"place"}), {far}}};
  a.publish("Thing.Special", {"place"});
  b.rti().subscribeObjectClassAttributesWithRegions(special, there);
  a.rti().registerObjectInstanceWithRegions(
      a.objectClass("Thing.Special"),
      {{a.attributes("Thing", {"place"}), {a.region({{"X", {5, 6}}})}}});
  QCOMPARE(b.take(), QStringList());  // not within what is subscribed at its class
  b.rti().unsubscribeObjectClassAttributesWithRegions(special, there);
  QCOMPARE(b.take().size(), 1);

  RTIambassador& rti = b.rti();
  const RegionHandle theirs = a.region({{"X", {0, 10}}});
  REFUSES(rti.unsubscribeObjectClassAttributesWithRegions(ObjectClassHandle(),
                                                          b.pair({"place"}, {low})),
          ObjectClassNotDefined);
  REFUSES(
      rti.unsubscribeObjectClassAttributesWithRegions(thingClass, {{{AttributeHandle()}, {low}}}),
      AttributeNotDefined);
  REFUSES(rti.unsubscribeObjectClassAttributesWithRegions(thingClass,
                                                          b.pair({"place"}, {RegionHandle()})),
          InvalidRegion);
  REFUSES(rti.unsubscribeObjectClassAttributesWithRegions(thingClass, b.pair({"place"}, {theirs})),
          RegionNotCreatedByThisFederate);
}

void tst_data_distribution_management::subscribeInteractionClassWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  const RegionHandle low = b.region({{"X", {0, 10}}});
  const RegionHandle high = b.region({{"X", {90, 100}}});
  const RegionHandle from = a.region({{"X", {5, 6}}});
  const auto heard = [&](const QByteArray& word) {
    a.rti().sendInteractionWithRegions(a.interactionClass("Shout"),
                                       {{a.parameter("Shout", "word"), data(word)}}, {from},
                                       data(""));
    return b.take();
  };
  const auto shout = b.interactionClass("Shout");
  QCOMPARE(heard("1"), QStringList());
  b.rti().subscribeInteractionClassWithRegions(shout, {high});
  QCOMPARE(heard("2"), QStringList());
  b.rti().subscribeInteractionClassWithRegions(shout, {low}, false);
  QCOMPARE(heard("3"), lines("receive Shout word=3"));
  a.move(from, {{"X", {50, 60}}});
  QCOMPARE(heard("4"), QStringList());
  b.move(high, {{"X", {55, 56}}});
  QCOMPARE(heard("5"), lines("receive Shout word=5"));
  // Sent without regions, it is sent with the default region.
  a.send("Shout", {{"word", "6"}});
  QCOMPARE(b.take(), lines("receive Shout word=6"));

  RTIambassador& rti = b.rti();
  const RegionHandle wrong = b.region({{"Band", {0, 10}}});
  ACCEPTS(rti.subscribeInteractionClassWithRegions(shout, {}));
  REFUSES(rti.subscribeInteractionClassWithRegions(InteractionClassHandle(), {low}),
          InteractionClassNotDefined);
  REFUSES(rti.subscribeInteractionClassWithRegions(shout, {RegionHandle()}), InvalidRegion);
  REFUSES(rti.subscribeInteractionClassWithRegions(shout, {from}), RegionNotCreatedByThisFederate);
  REFUSES(rti.subscribeInteractionClassWithRegions(shout, {wrong}), InvalidRegionContext);
}

void tst_data_distribution_management::unsubscribeInteractionClassWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  const auto shout = b.interactionClass("Shout");
  const RegionHandle low = b.region({{"X", {0, 10}}});
  const RegionHandle wide = b.region({{"X", {0, 100}}});
  const RegionHandle from = a.region({{"X", {5, 6}}});
  b.rti().subscribeInteractionClassWithRegions(shout, {low, wide});
  const auto heard = [&](const QByteArray& word) {
    a.rti().sendInteractionWithRegions(a.interactionClass("Shout"),
                                       {{a.parameter("Shout", "word"), data(word)}}, {from},
                                       data(""));
    return b.take();
  };
  QCOMPARE(heard("1"), lines("receive Shout word=1"));
  b.rti().unsubscribeInteractionClassWithRegions(shout, {low});
  QCOMPARE(heard("2"), lines("receive Shout word=2"));
  b.rti().unsubscribeInteractionClassWithRegions(shout, {wide});
  QCOMPARE(heard("3"), QStringList());
  ACCEPTS(b.rti().unsubscribeInteractionClassWithRegions(shout, {wide}));
  RTIambassador& rti = b.rti();
  REFUSES(rti.unsubscribeInteractionClassWithRegions(InteractionClassHandle(), {low}),
          InteractionClassNotDefined);
  REFUSES(rti.unsubscribeInteractionClassWithRegions(shout, {RegionHandle()}), InvalidRegion);
  REFUSES(rti.unsubscribeInteractionClassWithRegions(shout, {from}),
          RegionNotCreatedByThisFederate);
}

void tst_data_distribution_management::sendInteractionWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  Viewer everywhere("everywhere");
  everywhere.enterWith(federation_);
  everywhere.subscribeInteraction("Shout");
  b.rti().subscribeInteractionClassWithRegions(b.interactionClass("Shout"),
                                               {b.region({{"X", {0, 10}}, {"Y", {0, 10}}})});
  const RegionHandle inside = a.region({{"X", {5, 6}}, {"Y", {5, 6}}});
  const RegionHandle outside = a.region({{"X", {5, 6}}, {"Y", {50, 60}}});
  const auto shout = a.interactionClass("Shout");
  const auto word = a.parameter("Shout", "word");
  RTIambassador& rti = a.rti();
  const auto heard = [&](const RegionHandleSet& regions, const QByteArray& text) {
    rti.sendInteractionWithRegions(shout, {{word, data(text)}}, regions, data("tag"));
    const QStringList all = everywhere.take();
    return all == lines("receive Shout word=" + text + " #tag") ? b.take() : all;
  };
  QCOMPARE(heard({inside}, "1"), lines("receive Shout word=1 #tag"));
  QCOMPARE(heard({outside}, "2"), QStringList());
  QCOMPARE(heard({inside, outside}, "3"), lines("receive Shout word=3 #tag"));
  // 9.12: no region overlaps nothing, not even the default region; it is no error.
  rti.sendInteractionWithRegions(shout, {{word, data("none")}}, {}, data("tag"));
  QCOMPARE(everywhere.take() + b.take(), QStringList());
  // A class below it arrives as the class that is subscribed; with a time, in timestamp order.
  a.regulate(1);
  b.constrain();
  b.take();
  const auto cry = a.interactionClass("Shout.Cry");
  QVERIFY(rti.sendInteractionWithRegions(cry, {{word, data("4")}}, {inside}, data(""),
                                         HLAfloat64Time(5))
              .isValid());
  rti.sendInteractionWithRegions(cry, {{word, data("5")}}, {outside}, data(""), HLAfloat64Time(6));
  b.rti().timeAdvanceRequest(HLAfloat64Time(10));
  a.rti().timeAdvanceRequest(HLAfloat64Time(20));
  QVERIFY(b.expect("granted 10"));
  QCOMPARE(b.take().filter("receive"), lines("receive Shout word=4 @5 TSO"));

  const RegionHandle theirs = b.region({{"X", {0, 10}}});
  const RegionHandle wrong = a.region({{"Band", {0, 10}}});
  REFUSES(rti.sendInteractionWithRegions(InteractionClassHandle(), {}, {inside}, data("")),
          InteractionClassNotDefined);
  REFUSES(
      rti.sendInteractionWithRegions(shout, {{ParameterHandle(), data("")}}, {inside}, data("")),
      InteractionParameterNotDefined);
  REFUSES(b.rti().sendInteractionWithRegions(shout, {}, {theirs}, data("")),
          InteractionClassNotPublished);
  REFUSES(rti.sendInteractionWithRegions(shout, {}, {RegionHandle()}, data("")), InvalidRegion);
  REFUSES(rti.sendInteractionWithRegions(shout, {}, {theirs}, data("")),
          RegionNotCreatedByThisFederate);
  REFUSES(rti.sendInteractionWithRegions(shout, {}, {wrong}, data("")), InvalidRegionContext);
  REFUSES(rti.sendInteractionWithRegions(cry, {}, {inside}, data(""), HLAfloat64Time(1)),
          InvalidLogicalTime);
  REFUSES(rti.sendInteractionWithRegions(cry, {}, {wrong}, data(""), HLAfloat64Time(1)),
          InvalidRegionContext);
}

void tst_data_distribution_management::requestAttributeValueUpdateWithRegions() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  a.thing("inside", {"place"}, {a.region({{"X", {5, 6}}})});
  a.thing("outside", {"place", "mark"}, {a.region({{"X", {50, 60}}})});
  a.take();
  const RegionHandle low = b.region({{"X", {0, 10}}});
  RTIambassador& rti = b.rti();
  const auto thingClass = b.objectClass("Thing");
  rti.requestAttributeValueUpdateWithRegions(thingClass, b.pair({"place", "mark"}, {low}),
                                             data("why"));
  // The mark of "inside" is updated with the default region.
  const QStringList asked = a.take();
  QCOMPARE(asked.size(), 1);
  QVERIFY(asked.first().startsWith("provide inside "));
  QVERIFY(asked.first().contains("place") && asked.first().contains("mark"));
  QVERIFY(asked.first().endsWith("#why"));
  rti.requestAttributeValueUpdateWithRegions(
      thingClass, b.pair({"place"}, {b.region({{"X", {400, 500}}})}), data(""));
  QCOMPARE(a.take(), QStringList());

  const RegionHandle theirs = a.region({{"X", {0, 10}}});
  const RegionHandle wrong = b.region({{"Band", {0, 10}}});
  REFUSES(rti.requestAttributeValueUpdateWithRegions(ObjectClassHandle(), b.pair({"place"}, {low}),
                                                     data("")),
          ObjectClassNotDefined);
  REFUSES(rti.requestAttributeValueUpdateWithRegions(thingClass, {{{AttributeHandle()}, {low}}},
                                                     data("")),
          AttributeNotDefined);
  REFUSES(rti.requestAttributeValueUpdateWithRegions(thingClass,
                                                     b.pair({"place"}, {RegionHandle()}), data("")),
          InvalidRegion);
  REFUSES(
      rti.requestAttributeValueUpdateWithRegions(thingClass, b.pair({"place"}, {theirs}), data("")),
      RegionNotCreatedByThisFederate);
  REFUSES(
      rti.requestAttributeValueUpdateWithRegions(thingClass, b.pair({"place"}, {wrong}), data("")),
      InvalidRegionContext);
}

void tst_data_distribution_management::getDimensionHandleSet() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  const DimensionHandleSet both{a.dimension("X"), a.dimension("Y")};
  const RegionHandle region = a.rti().createRegion(both);
  QVERIFY(a.rti().getDimensionHandleSet(region) == both);
  QVERIFY(a.rti().getDimensionHandleSet(a.rti().createRegion({})).empty());
  REFUSES(a.rti().getDimensionHandleSet(RegionHandle()), InvalidRegion);
  a.rti().deleteRegion(region);
  REFUSES(a.rti().getDimensionHandleSet(region), InvalidRegion);
}

void tst_data_distribution_management::getRangeBounds() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  const RegionHandle region = a.rti().createRegion({a.dimension("X")});
  QCOMPARE(a.text(region), QString("X[0,1000)"));
  // What was set last, committed or not.
  a.set(region, {{"X", {1, 2}}});
  QCOMPARE(a.text(region), QString("X[1,2)"));
  a.rti().commitRegionModifications({region});
  QCOMPARE(a.text(region), QString("X[1,2)"));
  REFUSES(a.rti().getRangeBounds(RegionHandle(), a.dimension("X")), InvalidRegion);
  REFUSES(a.rti().getRangeBounds(region, a.dimension("Y")), RegionDoesNotContainSpecifiedDimension);
  REFUSES(a.rti().getRangeBounds(region, DimensionHandle()),
          RegionDoesNotContainSpecifiedDimension);
}

void tst_data_distribution_management::setRangeBounds() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  RTIambassador& rti = a.rti();
  const auto x = a.dimension("X");
  const RegionHandle region = rti.createRegion({x});
  rti.setRangeBounds(region, x, RangeBounds(999, 1000));
  QCOMPARE(a.text(region), QString("X[999,1000)"));
  REFUSES(rti.setRangeBounds(region, x, RangeBounds(5, 5)), InvalidRangeBound);
  REFUSES(rti.setRangeBounds(region, x, RangeBounds(6, 5)), InvalidRangeBound);
  REFUSES(rti.setRangeBounds(region, x, RangeBounds(0, 1001)), InvalidRangeBound);
  REFUSES(rti.setRangeBounds(region, x, RangeBounds(0, (1ul << 32) + 1)), InvalidRangeBound);
  QCOMPARE(a.text(region), QString("X[999,1000)"));
  REFUSES(rti.setRangeBounds(region, a.dimension("Y"), RangeBounds(5, 5)),
          RegionDoesNotContainSpecifiedDimension);
  REFUSES(rti.setRangeBounds(RegionHandle(), x, RangeBounds(0, 1)), InvalidRegion);
  REFUSES(rti.setRangeBounds(pair.viewer.region({{"X", {0, 1}}}), x, RangeBounds(0, 1)),
          RegionNotCreatedByThisFederate);
}

void tst_data_distribution_management::attributesInScope() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  b.rti().enableAttributeScopeAdvisorySwitch();
  const RegionHandle seen = b.region({{"X", {0, 10}}});
  const RegionHandle at = a.region({{"X", {5, 6}}});
  const RegionHandle away = a.region({{"X", {50, 60}}});
  b.subscribeWith({"place", "mark"}, {seen});
  const auto thing = a.thing("one", {"place"}, {at});
  QCOMPARE(b.take(), QStringList({"discover one as Thing", "in scope one mark,place"}));
  a.move(at, {{"X", {20, 30}}});
  QCOMPARE(b.take(), lines("out of scope one place"));
  // By its owner's move, by the viewer's, by another region, by another subscription.
  a.move(at, {{"X", {9, 30}}});
  QCOMPARE(b.take(), lines("in scope one place"));
  b.move(seen, {{"X", {200, 300}}});
  QCOMPARE(b.take(), lines("out of scope one place"));
  b.move(seen, {{"X", {50, 51}}});
  QCOMPARE(b.take(), QStringList());
  a.rti().associateRegionsForUpdates(thing, a.pair({"place"}, {away}));
  QCOMPARE(b.take(), lines("in scope one place"));
  b.subscribe("Thing", {"label"});
  QCOMPARE(b.take(), lines("in scope one label"));
}

void tst_data_distribution_management::attributesOutOfScope() {
  Pair pair(federation_);
  Viewer& a = pair.owner;
  Viewer& b = pair.viewer;
  b.rti().enableAttributeScopeAdvisorySwitch();
  b.subscribe("Thing", {"place", "mark"});
  const auto thing = a.registerNamed("Thing", "one");
  QCOMPARE(b.take(), QStringList({"discover one as Thing", "in scope one mark,place"}));
  b.rti().unsubscribeObjectClassAttributes(b.objectClass("Thing"), b.attributes("Thing", {"mark"}));
  QCOMPARE(b.take(), lines("out of scope one mark"));
  a.rti().unpublishObjectClassAttributes(a.objectClass("Thing"), a.attributes("Thing", {"place"}));
  QCOMPARE(b.take(), lines("out of scope one place"));
  b.subscribe("Thing", {"track"});
  QCOMPARE(b.take(), lines("in scope one track"));
  a.rti().deleteObjectInstance(thing, data(""));
  QCOMPARE(b.take(), lines("remove one"));
}

void tst_data_distribution_management::enableAttributeScopeAdvisorySwitch() {
  Pair pair(federation_);
  Viewer& b = pair.viewer;
  b.subscribe("Thing", {"place"});
  pair.owner.registerNamed("Thing", "one");
  QCOMPARE(b.take(), lines("discover one as Thing"));
  b.rti().enableAttributeScopeAdvisorySwitch();
  QCOMPARE(b.take(), lines("in scope one place"));
  REFUSES(b.rti().enableAttributeScopeAdvisorySwitch(), AttributeScopeAdvisorySwitchIsOn);
  // The object model says how it begins.
  Viewer c("c");
  c.enterWith(uniqueName("switched"), modelWith("attributeScopeAdvisory", true));
  REFUSES(c.rti().enableAttributeScopeAdvisorySwitch(), AttributeScopeAdvisorySwitchIsOn);
}

void tst_data_distribution_management::disableAttributeScopeAdvisorySwitch() {
  Pair pair(federation_, modelWith("attributeScopeAdvisory", true));
  Viewer& b = pair.viewer;
  b.subscribe("Thing", {"place"});
  pair.owner.registerNamed("Thing", "one");
  QCOMPARE(b.take(), QStringList({"discover one as Thing", "in scope one place"}));
  b.rti().disableAttributeScopeAdvisorySwitch();
  pair.owner.registerNamed("Thing", "two");
  QCOMPARE(b.take(), lines("discover two as Thing"));
  REFUSES(b.rti().disableAttributeScopeAdvisorySwitch(), AttributeScopeAdvisorySwitchIsOff);
}

void tst_data_distribution_management::getUpdateRateValueForAttribute() {
  Pair pair(federation_);
  Viewer& b = pair.viewer;
  const auto rate = [&](const QString& name) {
    return b.rti().getUpdateRateValueForAttribute(b.rti().getObjectInstanceHandle(L"one"),
                                                  b.attribute("Thing", name));
  };
  b.rti().subscribeObjectClassAttributes(b.objectClass("Thing"), b.attributes("Thing", {"glow"}),
                                         true, L"Slow");
  b.subscribe("Thing", {"place"});
  const auto thing = pair.owner.registerNamed("Thing", "one");
  b.take();
  QCOMPARE(rate("glow"), 0.01);
  QCOMPARE(rate("place"), 0.0);
  QCOMPARE(rate("mark"), 0.0);
  b.rti().subscribeObjectClassAttributesWithRegions(
      b.objectClass("Thing"), b.pair({"glow"}, {b.region({{"X", {0, 10}}})}), true, L"Fast");
  QCOMPARE(rate("glow"), 20.0);
  REFUSES(
      b.rti().getUpdateRateValueForAttribute(ObjectInstanceHandle(), b.attribute("Thing", "glow")),
      ObjectInstanceNotKnown);
  REFUSES(b.rti().getUpdateRateValueForAttribute(thing, AttributeHandle()), AttributeNotDefined);
}

// --- semantics -----------------------------------------------------------------------------------

Q_DECLARE_METATYPE(Bounds)

CONFORMANCE_MAIN(tst_data_distribution_management)
#include "tst_data_distribution_management.moc"
