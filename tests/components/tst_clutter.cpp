// SPDX-License-Identifier: GPL-3.0-or-later
// A crowd of object instances on a street grid: what they do, who hears of whom, and what the RTI
// keeps of each.
#include <malloc.h>

#include <QtTest>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "clutter/crowd.h"
#include "observe/node_client.h"
#include "recorder.h"

using namespace rti1516e;
using namespace samples;

namespace {

/// A window of the area as shares of its sides: [west, east) and [south, north).
struct Window {
  double west, south, east, north;
  CellGrid::Bounds across(unsigned long span) const { return bounds(west, east, span); }
  CellGrid::Bounds along(unsigned long span) const { return bounds(south, north, span); }

 private:
  static CellGrid::Bounds bounds(double from, double to, unsigned long span) {
    return {static_cast<unsigned long>(from * static_cast<double>(span)),
            static_cast<unsigned long>(to * static_cast<double>(span))};
  }
};

bool overlap(CellGrid::Bounds a, CellGrid::Bounds b) { return a.from < b.to && b.from < a.to; }

class Member : public Recorder {
 public:
  explicit Member(const QString& name, const QString& federation) : Recorder(name) {
    quiet = true;
    connect();
    try {
      create(federation, {QString(TUTTI_SOURCE_DIR) + "/resources/components/clutter/Clutter.xml"});
    } catch (const FederationExecutionAlreadyExists&) {
    }
    join(federation);
    movement.resolve(rti());
  }
  void publish() {
    rti().publishObjectClassAttributes(movement.vehicle(), movement.attributes());
    rti().publishObjectClassAttributes(movement.person(), movement.attributes());
  }
  void look(const Window& at) {
    window = at;
    if (!region.isValid()) {
      region = movement.makeRegion(rti(), at.across(movement.span()), at.along(movement.span()));
      rti().subscribeObjectClassAttributesWithRegions(movement.all(), movement.with(region));
    } else {
      movement.setBounds(rti(), region, at.across(movement.span()), at.along(movement.span()));
    }
  }
  bool sees(const CellGrid& grid, std::size_t cell) const {
    const int column = static_cast<int>(cell) % grid.cells();
    const int row = static_cast<int>(cell) / grid.cells();
    return overlap(grid.bounds(column, movement.span()), window.across(movement.span())) &&
           overlap(grid.bounds(row, movement.span()), window.along(movement.span()));
  }
  /// Delivers what is there.
  void hear() {
    while (rti().evokeCallback(0.0)) {
    }
  }

  void discoverObjectInstance(ObjectInstanceHandle object, ObjectClassHandle,
                              const std::wstring&) RTI_NOEXCEPT override {
    noteDiscovery(object);
  }
  void discoverObjectInstance(ObjectInstanceHandle object, ObjectClassHandle, const std::wstring&,
                              FederateHandle) RTI_NOEXCEPT override {
    noteDiscovery(object);
  }
  void reflectAttributeValues(ObjectInstanceHandle object, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) RTI_NOEXCEPT override {
    ++reflections;
    MovementClass::State state;
    if (notes && movement.decode(values, state)) ++reflected[object];
  }

  MovementClass movement;
  RegionHandle region;
  Window window{};
  bool notes = true;  ///< writes down of whom it hears
  std::size_t discoveries = 0;
  std::size_t reflections = 0;
  std::set<ObjectInstanceHandle> known;
  std::map<ObjectInstanceHandle, int> reflected;

 private:
  void noteDiscovery(ObjectInstanceHandle object) {
    ++discoveries;
    if (notes) known.insert(object);
  }
};

/// A Crowd that tells where each of its instances is.
struct Streetful {
  Streetful(Member& member, const Streets::Settings& settings, int cells)
      : crowd(member.rti(), member.movement, settings, cells) {}
  std::size_t cellOf(std::size_t index) const {
    const auto place = crowd.streets().place(index);
    return crowd.grid().at(place.x, place.y);
  }
  Crowd crowd;
};

/// Bytes of this process's heap that are in use, with what the allocator adds to each.
std::size_t heap() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

}  // namespace

class tst_clutter : public QObject {
  Q_OBJECT

  OwnNode node_;
  QString federation_;

  /// Bytes of shared memory that the federation execution has.
  std::size_t shared() {
    auto client = tutti::observe::NodeClient::connect(node_.name().toStdString());
    const auto status = client->status();
    for (const auto& one : status->federations) {
      if (one.federation == federation_.toStdString()) return one.committedBytes;
    }
    return 0;
  }

 private slots:
  void init() { federation_ = uniqueName("clutter"); }

  void movementsFollowTheSeed() {
    const Streets::Settings settings{500, 50'000, 60, 4};
    Streets forwards(settings);
    Streets backwards(settings);
    Streets other({500, 50'000, 60, 5});
    int same = 0;
    for (int second = 0; second < 300; ++second) {
      for (std::size_t i = 0; i < 500; ++i) {
        forwards.move(i, 1000);
        backwards.move(499 - i, 1000);
        other.move(i, 1000);
        const auto place = forwards.place(i);
        QVERIFY(place.x >= 0 && place.x <= settings.side);
        QVERIFY(place.y >= 0 && place.y <= settings.side);
        QVERIFY2(place.x % Streets::kBlock == 0 || place.y % Streets::kBlock == 0,
                 "it has left the streets");
        QVERIFY(forwards.isVehicle(i) ? place.speed >= 80 : place.speed < 20);
      }
    }
    for (std::size_t i = 0; i < 500; ++i) {
      QCOMPARE(forwards.place(i).x, backwards.place(i).x);
      QCOMPARE(forwards.place(i).y, backwards.place(i).y);
      same += forwards.place(i).x == other.place(i).x && forwards.place(i).y == other.place(i).y;
    }
    QVERIFY(same < 5);
    QVERIFY(forwards.isVehicle(299) && !forwards.isVehicle(300));
  }

  void cellsDivideTheWholeArea() {
    const CellGrid grid(10'000, 7);
    QCOMPARE(grid.at(0, 0), std::size_t{0});
    QCOMPARE(grid.at(10'000, 10'000), grid.count() - 1);
    unsigned long end = 0;
    for (int line = 0; line < 7; ++line) {
      QCOMPARE(grid.bounds(line, 1'000'000).from, end);
      end = grid.bounds(line, 1'000'000).to;
    }
    QCOMPARE(end, 1'000'000ul);
  }

  // Against a model that looks at each update: who hears of an instance, and how often.
  void viewersHearOfTheirWindowsAndNothingElse() {
    Member first("first", federation_), second("second", federation_);
    first.publish();
    second.publish();
    constexpr int side = 20'000;
    Streetful crowds[] = {{first, {400, side, 80, 11}, 8}, {second, {300, side, 50, 12}, 5}};
    std::vector<std::unique_ptr<Member>> viewers;
    const auto join = [&](const Window& window) {
      viewers.push_back(
          std::make_unique<Member>(QString("viewer-%1").arg(viewers.size()), federation_));
      viewers.back()->look(window);
    };
    join({0.2, 0.3, 0.3, 0.4});
    join({0.0, 0.0, 1.0, 1.0});
    std::vector<std::map<ObjectInstanceHandle, int>> expected(4);
    std::vector<std::set<ObjectInstanceHandle>> mayKnow(4);
    for (Streetful& one : crowds) {
      while (one.crowd.enter(100)) {
      }
    }
    const auto noteSight = [&] {
      for (std::size_t v = 0; v < viewers.size(); ++v) {
        for (const Streetful& one : crowds) {
          for (std::size_t i = 0; i < one.crowd.size(); ++i) {
            if (viewers[v]->sees(one.crowd.grid(), one.cellOf(i))) {
              mayKnow[v].insert(one.crowd.object(i));
            }
          }
        }
      }
    };
    noteSight();
    int crossings = 0;
    for (int round = 0; round < 60; ++round) {
      if (round == 10) join({0.5, 0.5, 0.6, 0.6});  // late
      if (round == 20) viewers[0]->look({0.7, 0.1, 0.8, 0.2});
      if (round == 30) join({0.999, 0.999, 1.0, 1.0});
      if (round == 10 || round == 20 || round == 30) {
        noteSight();
        for (auto& viewer : viewers) viewer->hear();  // where it looks now, before they move on
      }
      for (Streetful& one : crowds) {
        for (std::size_t i = 0; i < one.crowd.size(); ++i) {
          const std::size_t before = one.cellOf(i);
          one.crowd.update(i, 5000);
          const std::size_t now = one.cellOf(i);
          crossings += before != now;
          for (std::size_t v = 0; v < viewers.size(); ++v) {
            if (viewers[v]->sees(one.crowd.grid(), now)) {
              ++expected[v][one.crowd.object(i)];
              mayKnow[v].insert(one.crowd.object(i));
            }
          }
        }
      }
      for (auto& viewer : viewers) viewer->hear();
      first.hear();
      second.hear();
      for (std::size_t v = 0; v < viewers.size(); ++v) {
        QVERIFY2(viewers[v]->reflected == expected[v],
                 qPrintable(QString("viewer %1, round %2: %3 "
                                    "of %4 instances")
                                .arg(v)
                                .arg(round)
                                .arg(viewers[v]->reflected.size())
                                .arg(expected[v].size())));
        QVERIFY2(viewers[v]->known == mayKnow[v],
                 qPrintable(QString("viewer %1, round %2: %3 and not %4 are known")
                                .arg(v)
                                .arg(round)
                                .arg(viewers[v]->known.size())
                                .arg(mayKnow[v].size())));
      }
    }
    QVERIFY(crossings > 1000);
    QVERIFY(viewers[0]->known.size() < 600);
    QCOMPARE(viewers[1]->known.size(), std::size_t{700});
    viewers.clear();
  }

  void aGeneratedNameFindsItsInstance() {
    Member first("first", federation_), viewer("viewer", federation_);
    first.publish();
    viewer.look({0.0, 0.0, 1.0, 1.0});
    Streetful crowd(first, {50, 20'000, 80, 11}, 8);
    crowd.crowd.enter(50);
    viewer.hear();
    for (std::size_t i = 0; i < 50; ++i) {
      const std::wstring name = first.rti().getObjectInstanceName(crowd.crowd.object(i));
      QVERIFY(name.starts_with(L"HLA"));
      QVERIFY(first.rti().getObjectInstanceHandle(name) == crowd.crowd.object(i));
      QCOMPARE(viewer.rti().getObjectInstanceName(crowd.crowd.object(i)), name);
      QVERIFY(viewer.rti().getObjectInstanceHandle(name) == crowd.crowd.object(i));
      const std::wstring wrong = name.substr(0, 3) + L"0" + name.substr(3);
      QVERIFY_EXCEPTION_THROWN(first.rti().getObjectInstanceHandle(wrong), ObjectInstanceNotKnown);
    }
  }

  // While a deletion may still be retracted the regions of what was deleted are kept.
  void whoTakesThePlaceOfADeletedOneIsSeenByItsOwnRegions() {
    Member owner("owner", federation_);
    owner.publish();
    owner.rti().enableTimeRegulation(HLAfloat64Interval(1));
    owner.hear();
    const MovementClass& movement = owner.movement;
    const CellGrid grid(100, 10);
    const RegionHandle region = movement.makeRegion(owner.rti(), grid.bounds(0, movement.span()),
                                                    grid.bounds(0, movement.span()));
    const auto deleted =
        owner.rti().registerObjectInstanceWithRegions(movement.vehicle(), movement.with(region));
    const auto deletion =
        owner.rti().deleteObjectInstance(deleted, VariableLengthData(), HLAfloat64Time(50));
    const auto everywhere = owner.rti().registerObjectInstance(movement.vehicle());
    Member far("far", federation_);
    far.look({0.9, 0.9, 1.0, 1.0});
    far.hear();
    QVERIFY(far.known == std::set<ObjectInstanceHandle>{everywhere});
    owner.rti().retract(deletion);
    Member near("near", federation_);
    near.look({0.0, 0.0, 0.1, 0.1});
    near.hear();
    far.hear();
    QVERIFY(near.known == (std::set<ObjectInstanceHandle>{deleted, everywhere}));
    QVERIFY(far.known == std::set<ObjectInstanceHandle>{everywhere});
  }

  void anInstanceCostsLittleAndOnlyWhoKnowsIt() {
    constexpr std::size_t instances = 100'000;
    constexpr std::size_t limit = 300;  // bytes
    Member owner("owner", federation_), everything("everything", federation_);
    Member corner("corner", federation_), bystander("bystander", federation_);
    everything.notes = corner.notes = false;
    owner.publish();
    Streetful crowd(owner, {instances, 100'000, 70, 3}, 40);
    corner.look({0.0, 0.0, 0.02, 0.02});
    // Tables, caches and the crowd's own memory are there from the first ones on.
    crowd.crowd.enter(5000);
    corner.hear();
    const std::size_t first = crowd.crowd.size();
    std::size_t heapBefore = heap(), sharedBefore = shared();
    while (crowd.crowd.enter(5000)) {
      corner.hear();
      bystander.hear();
    }
    corner.hear();
    const std::size_t more = instances - first;
    const std::size_t ofHeap = heap() - heapBefore, ofShared = shared() - sharedBefore;
    // It contains what the caller's own handles take, and what the corner knows.
    const double perOwned = static_cast<double>(ofHeap + ofShared) / static_cast<double>(more);
    qInfo("registered: %.1f bytes of heap and %.1f of shared memory for each",
          static_cast<double>(ofHeap) / static_cast<double>(more),
          static_cast<double>(ofShared) / static_cast<double>(more));
    QVERIFY2(perOwned < limit, qPrintable(QString::number(perOwned)));
    QVERIFY(corner.discoveries > 0 && corner.discoveries < instances / 500);

    heapBefore = heap(), sharedBefore = shared();
    everything.look({0.0, 0.0, 1.0, 1.0});
    everything.hear();
    QCOMPARE(everything.discoveries, instances);
    malloc_trim(0);
    const double perKnown =
        static_cast<double>(heap() - heapBefore + shared() - sharedBefore) / instances;
    qInfo("known: %.1f bytes for each", perKnown);
    QVERIFY2(perKnown < limit, qPrintable(QString::number(perKnown)));

    // Who comes late keeps as little of those elsewhere as who was there before: nothing.
    Member late("late", federation_);
    late.notes = false;
    heapBefore = heap(), sharedBefore = shared();
    late.look({0.98, 0.98, 1.0, 1.0});
    late.hear();
    QVERIFY(late.discoveries > 0 && late.discoveries < instances / 500);
    const std::size_t known = late.discoveries;
    QVERIFY2(heap() - heapBefore < known * limit + 32'768,
             qPrintable(QString::number(heap() - heapBefore)));
    QVERIFY2(shared() - sharedBefore < 65'536,
             qPrintable(QString::number(shared() - sharedBefore)));

    // Updates leave nothing behind, neither at who sends them nor at who hears them.
    for (std::size_t i = 0; i < instances; ++i) {
      crowd.crowd.update(i, 1);
      if (i % 1000 == 0) everything.hear();
    }
    everything.hear();
    corner.hear();
    late.hear();
    QCOMPARE(everything.reflections, instances);
    heapBefore = heap();
    for (std::size_t i = 0; i < instances; ++i) {
      crowd.crowd.update(i, 1);
      if (i % 1000 == 0) everything.hear();
    }
    everything.hear();
    corner.hear();
    late.hear();
    QVERIFY2(heap() < heapBefore + instances, qPrintable(QString::number(heap() - heapBefore)));
  }
};

QTEST_GUILESS_MAIN(tst_clutter)
#include "tst_clutter.moc"
