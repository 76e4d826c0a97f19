// SPDX-License-Identifier: GPL-3.0-or-later
// IEEE 1516.1-2010, clause 11: the objects and reports of the MOM carry regions, so that a federate
// can have those of one federate or of one service group only.
#include "regions.h"
#include "watcher.h"

using namespace mom;

namespace {

/// A Watcher of a part, which also notes the regions that come with what it gets.
class Viewer : public regions::Noting<Watcher> {
 public:
  using Noting::Noting;
  ~Viewer() RTI_NOEXCEPT override { end(); }

  void move(const RegionHandle& region, const QString& dimension, unsigned long at) {
    regions::move(rti(), region, {{dimension, {at, at + 1}}});
  }
  RegionHandle point(const QString& dimension, unsigned long at) {
    return regions::make(rti(), {{dimension, {at, at + 1}}});
  }
  RegionHandle pointOf(const FederateHandle& federate) {
    return point("HLAfederate", rti().normalizeFederateHandle(federate));
  }
  void subscribeWith(const QString& interaction, const RegionHandle& region) {
    rti().subscribeInteractionClassWithRegions(interactionClass(interaction), {region});
  }
  /// What is reported of, and of whom; takes it away.
  QStringList taken(const QString& parameter) {
    pump();
    QStringList result;
    for (const Report& one : std::as_const(reports)) {
      result += parameter == "HLAfederate"
                    ? narrow(rti().getFederateName(
                          rti().decodeFederateHandle(data(one.values.value(parameter).mid(4)))))
                    : text(one.values.value(parameter));
    }
    reports.clear();
    return result;
  }
};

}  // namespace

class tst_mom_regions : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

 private slots:
  void init() { federation_ = uniqueName("mom"); }
  void objectOfOneFederate();
  void valuesOfOneFederate();
  void reportsOfOneFederate_data();
  void reportsOfOneFederate();
  void servicesOfOneGroup_data();
  void servicesOfOneGroup();
  void regionsAreConveyed();
};

void tst_mom_regions::objectOfOneFederate() {
  Member a("a"), b("b");
  Viewer viewer("viewer");
  for (Member* one : {&a, &b, static_cast<Member*>(&viewer)}) one->enter(federation_);
  const RegionHandle region = viewer.pointOf(a.handle());
  viewer.rti().subscribeObjectClassAttributesWithRegions(
      viewer.objectClass(federateClass),
      {{viewer.attributes(federateClass, federateAttributes), {region}}});
  QVERIFY(viewer.expect("discover"));
  const auto object = viewer.ask(a.handle());
  QVERIFY(object.isValid());
  // Of the others it hears nothing, whatever changes and whoever joins.
  viewer.known.clear();
  Member late("late");
  late.enter(federation_);
  for (Member* one : {&late, &b, &a}) one->regulate(1);
  AWAIT(viewer, viewer.known[object].value("HLAtimeRegulating") == integer(1u));
  QCOMPARE(viewer.known.size(), size_t{1});
  QCOMPARE(viewer.count("discover"), 1);
  // Until it looks at another one.
  viewer.move(region, "HLAfederate", viewer.rti().normalizeFederateHandle(b.handle()));
  QVERIFY(viewer.expect("discover", 2));
  viewer.known.clear();
  a.rti().disableTimeRegulation();
  b.rti().disableTimeRegulation();
  const auto other = viewer.ask(b.handle());
  QVERIFY(other.isValid() && other != object);
  QCOMPARE(viewer.known.size(), size_t{1});
  // One that is known is gone when its federate is.
  b.leave(NO_ACTION);
  QVERIFY(viewer.expect("remove"));
}

void tst_mom_regions::valuesOfOneFederate() {
  // Asked for with a region, only that federate's values come (9.13).
  Member a("a"), b("b");
  Viewer viewer("viewer");
  for (Member* one : {&a, &b, static_cast<Member*>(&viewer)}) one->enter(federation_);
  viewer.watch();
  QVERIFY(viewer.expect("discover", 4));
  const auto object = viewer.ask(a.handle());
  QVERIFY(viewer.ask({}).isValid());  // what came unasked has come before
  viewer.known.clear();
  viewer.rti().requestAttributeValueUpdateWithRegions(
      viewer.objectClass(federateClass),
      {{viewer.attributes(federateClass, {"HLAfederateName"}), {viewer.pointOf(b.handle())}}},
      VariableLengthData());
  viewer.rti().requestAttributeValueUpdateWithRegions(
      viewer.objectClass(federateClass),
      {{viewer.attributes(federateClass, {"HLAfederateType"}), {viewer.pointOf(a.handle())}}},
      VariableLengthData());
  AWAIT(viewer, viewer.known[object].contains("HLAfederateType"));
  QVERIFY(!viewer.known[object].contains("HLAfederateName"));
}

void tst_mom_regions::reportsOfOneFederate_data() {
  QTest::addColumn<QString>("asked");
  QTest::addColumn<QString>("reported");
  QTest::newRow("by the RTI") << request + "HLArequestPublications"
                              << report + "HLAreportInteractionPublication";
  QTest::newRow("by its library") << request + "HLArequestInteractionsSent"
                                  << report + "HLAreportInteractionsSent";
}

void tst_mom_regions::reportsOfOneFederate() {
  QFETCH(QString, asked);
  QFETCH(QString, reported);
  Member a("a"), b("b");
  Viewer viewer("viewer"), everything("everything");
  for (Member* one : {&a, &b, static_cast<Member*>(&viewer), static_cast<Member*>(&everything)}) {
    one->enter(federation_);
  }
  const RegionHandle region = viewer.pointOf(a.handle());
  viewer.subscribeWith(reported, region);
  everything.subscribeInteraction(reported);
  const auto tell = [&](Member& about) {
    viewer.tell(asked, about.handle());
    return everything.pumpUntil([&] {
      about.pump();
      return everything.taken("HLAfederate").contains(about.name());
    });
  };
  QVERIFY(tell(b));
  QVERIFY(tell(a));
  QVERIFY(viewer.pumpUntil([&] { return !viewer.reports.isEmpty(); }));
  QStringList about = viewer.taken("HLAfederate");
  about.removeDuplicates();  // some are in parts
  QCOMPARE(about, QStringList{"a"});
  viewer.rti().unsubscribeInteractionClassWithRegions(viewer.interactionClass(reported), {region});
  QVERIFY(tell(a));
  QCOMPARE(viewer.taken("HLAfederate"), QStringList());
}

void tst_mom_regions::servicesOfOneGroup_data() {
  QTest::addColumn<int>("group");
  QTest::addColumn<QString>("service");
  QTest::newRow("federation") << int{FEDERATION_MANAGEMENT} << "synchronizationPointAchieved";
  QTest::newRow("declaration") << int{DECLARATION_MANAGEMENT} << "publishInteractionClass";
  QTest::newRow("object") << int{OBJECT_MANAGEMENT} << "sendInteraction";
  QTest::newRow("ownership") << int{OWNERSHIP_MANAGEMENT} << "isAttributeOwnedByFederate";
  QTest::newRow("time") << int{TIME_MANAGEMENT} << "queryLookahead";
  QTest::newRow("regions") << int{DATA_DISTRIBUTION_MANAGEMENT} << "createRegion";
  QTest::newRow("support") << int{SUPPORT_SERVICES} << "getDimensionHandle";
}

void tst_mom_regions::servicesOfOneGroup() {
  QFETCH(int, group);
  QFETCH(QString, service);
  const QString invocation = report + "HLAreportServiceInvocation";
  Member other("other");
  Viewer viewer("viewer"), everything("everything");
  for (Member* one : {&other, static_cast<Member*>(&viewer), static_cast<Member*>(&everything)}) {
    one->enter(federation_);
  }
  viewer.subscribeWith(invocation,
                       viewer.point("HLAserviceGroup", viewer.rti().normalizeServiceGroup(
                                                           static_cast<ServiceGroup>(group))));
  everything.subscribeInteraction(invocation);
  viewer.tell(adjust + "HLAsetServiceReporting", other.handle(),
              {{"HLAreportingState", integer(1u)}});
  const auto message = other.interactionClass("Message");
  const auto area = other.rti().getDimensionHandle(L"Area");
  QVERIFY(everything.pumpUntil([&] {
    other.pump();
    other.rti().getDimensionName(area);
    return !everything.taken("HLAservice").isEmpty();
  }));
  viewer.taken("HLAservice");
  RTIambassador& rti = other.rti();
  HLAfloat64Interval lookahead;
  refusal([&] { rti.synchronizationPointAchieved(L"none"); });
  rti.publishInteractionClass(message);
  rti.sendInteraction(message, {}, VariableLengthData());
  refusal([&] { rti.isAttributeOwnedByFederate(ObjectInstanceHandle(), AttributeHandle()); });
  refusal([&] { rti.queryLookahead(lookahead); });
  rti.createRegion({area});
  rti.getDimensionHandle(L"Area");
  QStringList all;
  AWAIT(everything, (all += everything.taken("HLAservice"), all.contains("getDimensionHandle")));
  QVERIFY(all.contains(service) && all.size() >= 7);
  QCOMPARE(viewer.taken("HLAservice"), QStringList{service});
}

void tst_mom_regions::regionsAreConveyed() {
  Member other("other");
  Viewer viewer("viewer");
  viewer.enter(federation_, HLA_EVOKED, {},
               objectModelWith({{"conveyRegionDesignatorSets", true}}));
  other.enter(federation_);
  viewer.subscribe(federateClass, {"HLAfederateName"});
  QVERIFY(viewer.expect("discover", 2));
  viewer.pumpUntil([&] { return viewer.known.size() == 2; });
  const auto at = [&](const FederateHandle& federate) {
    const auto number = viewer.rti().normalizeFederateHandle(federate);
    return QString("HLAfederate[%1,%2)").arg(number).arg(number + 1);
  };
  viewer.sentRegions.sort();
  QCOMPARE(viewer.sentRegions, QStringList({at(viewer.handle()), at(other.handle())}));
  viewer.sentRegions.clear();
  const QString invocation = report + "HLAreportServiceInvocation";
  viewer.subscribeInteraction(invocation);
  viewer.tell(adjust + "HLAsetServiceReporting", other.handle(),
              {{"HLAreportingState", integer(1u)}});
  QVERIFY(viewer.pumpUntil([&] {
    other.pump();
    refusal([&] { other.send("Message", {}); });
    return !viewer.reports.isEmpty() &&
           text(viewer.reports.last().values.value("HLAservice")) == "sendInteraction";
  }));
  QCOMPARE(viewer.sentRegions.last(), at(other.handle()) + " HLAserviceGroup[2,3)");
}

CONFORMANCE_MAIN(tst_mom_regions)
#include "tst_mom_regions.moc"
