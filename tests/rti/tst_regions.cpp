// SPDX-License-Identifier: GPL-3.0-or-later
// Regions that move: several federates at random against a reference that looks at each point, and
// what a fast mover costs.
#include <RTI/RangeBounds.h>

#include <QtTest>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "observe/node_client.h"
#include "recorder.h"

using namespace rti1516e;

namespace {

constexpr std::array dimensionNames{"X", "Y", "Band"};
enum DimensionIndex : std::size_t { X, Y, Band };
constexpr std::array attributeNames{"place", "mark"};
constexpr std::size_t attributeCount = attributeNames.size();

/// 1 unless the environment asks for more; the federates are on them by turns.
int hosts() { return std::max(1, qEnvironmentVariableIntValue("TUTTI_TEST_HOSTS")); }

/// Bounds of a region in the dimensions that it has.
using Box = std::array<std::optional<std::pair<unsigned, unsigned>>, 3>;

/// Dimensions of an attribute in regions.xml.
std::vector<std::size_t> available(std::size_t attribute) {
  return attribute == 0 ? std::vector<std::size_t>{X, Y} : std::vector<std::size_t>{X, Band};
}

/// Whether a point of the dimension lies within a region; nothing: the region does not have it.
std::optional<bool> holds(const Box* box, std::size_t dimension, unsigned point) {
  if (box == nullptr) return true;
  if ((*box)[dimension]) {
    return point >= (*box)[dimension]->first && point < (*box)[dimension]->second;
  }
  if (dimension != Band) return std::nullopt;  // Excluded
  return point < 10;                           // by default [0..10)
}

/// IEEE 1516.1-2010, 9.1.2, point by point. Null: the default region.
bool overlap(const Box* a, const Box* b, std::size_t attribute) {
  if (a == nullptr && b == nullptr) return true;
  bool inCommon = false;
  for (const std::size_t dimension : available(attribute)) {
    bool common = false, met = false;
    for (unsigned point = 0; point < 20; ++point) {
      const auto inA = holds(a, dimension, point), inB = holds(b, dimension, point);
      common = inA && inB;
      met = met || (common && *inA && *inB);
    }
    if (!common) continue;
    inCommon = true;
    if (!met) return false;
  }
  return inCommon;
}

class Mover : public Recorder {
 public:
  struct Own {
    RegionHandle handle;
    Box box;
    bool fits(std::size_t attribute) const {
      const auto dimensions = available(attribute);
      for (std::size_t d = 0; d < box.size(); ++d) {
        if (box[d] && std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) {
          return false;
        }
      }
      return true;
    }
  };
  struct Instance {
    ObjectInstanceHandle handle;
    std::array<std::set<std::size_t>, attributeCount> regions;  ///< by index
  };

  explicit Mover(const QString& name) : Recorder(name) {
    quiet = true;
    onReceive = [this](auto, const ParameterHandleValueMap&) { ++heard; };
  }
  ~Mover() RTI_NOEXCEPT override { end(); }

  std::vector<Own> regions;
  std::vector<Instance> instances;
  std::array<std::set<std::size_t>, attributeCount> subscribed;  ///< by index of the region
  std::array<bool, attributeCount> everywhere{};                 ///< with the default region

  // What the RTI told.
  std::map<ObjectInstanceHandle, std::set<std::size_t>> reflected;
  std::set<ObjectInstanceHandle> known;
  std::map<ObjectInstanceHandle, std::set<std::size_t>> inScope;
  std::set<ObjectInstanceHandle> shouldBeKnown;
  int heard = 0;

  ObjectClassHandle thing;
  std::array<AttributeHandle, attributeCount> attribute;
  std::array<DimensionHandle, 3> dimension;

  void begin(const QString& federation) {
    connect();
    try {
      create(federation, {QString(TUTTI_SOURCE_DIR) + "/tests/conformance/regions.xml"});
    } catch (const FederationExecutionAlreadyExists&) {
    }
    join(federation);
    thing = objectClass("Thing");
    for (std::size_t a = 0; a < attributeCount; ++a) {
      attribute[a] = Recorder::attribute("Thing", attributeNames[a]);
    }
    for (std::size_t d = 0; d < dimension.size(); ++d) {
      dimension[d] = rti().getDimensionHandle(QString(dimensionNames[d]).toStdWString());
    }
    publish("Thing", {"place", "mark"});
    publishInteraction("Shout");
    subscribeInteraction("Shout");
    rti().enableAttributeScopeAdvisorySwitch();
  }

  AttributeHandleSetRegionHandleSetPairVector pair(std::size_t a, std::size_t region) const {
    return {{{attribute[a]}, {regions[region].handle}}};
  }
  void make(const Box& box) {
    DimensionHandleSet set;
    for (std::size_t d = 0; d < box.size(); ++d) {
      if (box[d]) set.insert(dimension[d]);
    }
    regions.push_back({rti().createRegion(set), box});
    move({regions.size() - 1});
  }
  /// Makes the boxes known.
  void move(const std::vector<std::size_t>& which) {
    RegionHandleSet set;
    for (const std::size_t one : which) {
      for (std::size_t d = 0; d < dimension.size(); ++d) {
        const auto& range = regions[one].box[d];
        if (range) {
          rti().setRangeBounds(regions[one].handle, dimension[d],
                               RangeBounds(range->first, range->second));
        }
      }
      set.insert(regions[one].handle);
    }
    rti().commitRegionModifications(set);
  }

  /// By the reference: whether an attribute of an instance of `owner` is in scope here.
  bool wants(const Mover& owner, const Instance& instance, std::size_t a) const {
    std::vector<const Box*> updates;
    for (const std::size_t one : instance.regions[a]) updates.push_back(&owner.regions[one].box);
    if (updates.empty()) updates.push_back(nullptr);
    std::vector<const Box*> mine;
    for (const std::size_t one : subscribed[a]) mine.push_back(&regions[one].box);
    if (everywhere[a]) mine.push_back(nullptr);
    for (const Box* u : updates) {
      for (const Box* s : mine) {
        if (overlap(u, s, a)) return true;
      }
    }
    return false;
  }

  void discoverObjectInstance(ObjectInstanceHandle instance, ObjectClassHandle, const std::wstring&,
                              FederateHandle) override {
    known.insert(instance);
  }
  void removeObjectInstance(ObjectInstanceHandle instance, const VariableLengthData&, OrderType,
                            SupplementalRemoveInfo) override {
    known.erase(instance);
    inScope.erase(instance);
  }
  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData&, OrderType, TransportationType,
                              SupplementalReflectInfo) override {
    ++reflections;
    for (const auto& [handle, value] : values) reflected[instance].insert(indexOf(handle));
  }
  void attributesInScope(ObjectInstanceHandle instance, const AttributeHandleSet& set) override {
    for (const auto& handle : set) inScope[instance].insert(indexOf(handle));
  }
  void attributesOutOfScope(ObjectInstanceHandle instance, const AttributeHandleSet& set) override {
    for (const auto& handle : set) inScope[instance].erase(indexOf(handle));
  }

 private:
  std::size_t indexOf(const AttributeHandle& handle) const {
    return handle == attribute[0] ? 0 : 1;
  }
};

/// Until all have heard one another: then all has come that was sent before, from whatever host.
bool settle(const std::vector<std::unique_ptr<Mover>>& movers) {
  const int others = static_cast<int>(movers.size()) - 1;
  for (const auto& mover : movers) mover->send("Shout", {{"word", "now"}});
  return std::all_of(movers.begin(), movers.end(), [&](const auto& mover) {
    const bool all = mover->pumpUntil([&] { return mover->heard >= others; });
    mover->heard -= others;
    mover->pump();
    return all;
  });
}

QString text(const std::set<std::size_t>& attributes) {
  QStringList names;
  for (const std::size_t a : attributes) names << attributeNames[a];
  return names.isEmpty() ? QString("nothing") : names.join(',');
}

}  // namespace

class tst_regions : public QObject {
  Q_OBJECT

  OwnNode node_;

 private slots:
  void randomMoves_data();
  void randomMoves();
  void movesAtTheSameTime_data();
  void movesAtTheSameTime();
  void boundsAreNeverTorn();
  void aFastViewerCostsNothing();
};

void tst_regions::randomMoves_data() {
  QTest::addColumn<unsigned>("seed");
  for (unsigned seed = 1; seed <= 6; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void tst_regions::randomMoves() {
  QFETCH(unsigned, seed);
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const QString federation = uniqueName("moves");
  std::vector<std::unique_ptr<Mover>> movers;
  for (int i = 0; i < 4; ++i) {
    movers.push_back(std::make_unique<Mover>(QString("mover %1").arg(i)));
    movers.back()->begin(federation);
  }
  const auto range = [&] {
    const unsigned lower = static_cast<unsigned>(below(14));
    return std::pair(lower, lower + 1 + static_cast<unsigned>(below(5)));
  };
  const std::vector<std::vector<std::size_t>> shapes{{X}, {X, Y}, {Y}, {Band}, {X, Band}};
  for (auto& mover : movers) {
    for (int i = 0; i < 6; ++i) {
      Box box;
      for (const std::size_t d : shapes[below(shapes.size())]) box[d] = range();
      mover->make(box);
    }
  }
  // A region of `mover` that may be used with the attribute.
  const auto regionFor = [&](Mover& mover, std::size_t a) -> std::optional<std::size_t> {
    for (int i = 0; i < 20; ++i) {
      const std::size_t region = below(mover.regions.size());
      if (mover.regions[region].fits(a)) return region;
    }
    return std::nullopt;
  };

  for (int step = 0; step < 1200; ++step) {
    Mover& mover = *movers[below(movers.size())];
    const std::size_t a = below(attributeCount);
    QString did;
    const Mover::Instance* updated = nullptr;
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        did = "move";
        std::vector<std::size_t> moved{below(mover.regions.size())};
        if (below(3) == 0) moved.push_back(below(mover.regions.size()));
        for (const std::size_t one : moved) {
          for (auto& bounds : mover.regions[one].box) {
            if (bounds) bounds = range();
          }
        }
        mover.move(moved);
        break;
      }
      case 3: {
        did = "subscribe";
        const auto region = regionFor(mover, a);
        if (!region || !mover.subscribed[a].insert(*region).second) continue;
        mover.rti().subscribeObjectClassAttributesWithRegions(mover.thing, mover.pair(a, *region));
        break;
      }
      case 4: {
        did = "unsubscribe";
        if (mover.subscribed[a].empty()) continue;
        const std::size_t region = *mover.subscribed[a].begin();
        mover.subscribed[a].erase(region);
        mover.rti().unsubscribeObjectClassAttributesWithRegions(mover.thing, mover.pair(a, region));
        break;
      }
      case 5: {
        did = "register or delete";
        if (mover.instances.size() > 4) {
          mover.rti().deleteObjectInstance(mover.instances.front().handle, VariableLengthData());
          const ObjectInstanceHandle gone = mover.instances.front().handle;
          mover.instances.erase(mover.instances.begin());
          for (auto& other : movers) other->shouldBeKnown.erase(gone);
          break;
        }
        Mover::Instance instance;
        AttributeHandleSetRegionHandleSetPairVector pairs;
        for (std::size_t one = 0; one < attributeCount; ++one) {
          const auto region = regionFor(mover, one);
          if (!region || below(4) == 0) continue;
          instance.regions[one].insert(*region);
          pairs.push_back(mover.pair(one, *region).front());
        }
        instance.handle = mover.rti().registerObjectInstanceWithRegions(mover.thing, pairs);
        mover.instances.push_back(instance);
        break;
      }
      case 6: {
        did = "associate";
        const auto region = regionFor(mover, a);
        if (mover.instances.empty() || !region) continue;
        auto& instance = mover.instances[below(mover.instances.size())];
        instance.regions[a].insert(*region);
        mover.rti().associateRegionsForUpdates(instance.handle, mover.pair(a, *region));
        break;
      }
      case 7: {
        did = "unassociate";
        if (mover.instances.empty()) continue;
        auto& instance = mover.instances[below(mover.instances.size())];
        if (instance.regions[a].empty()) continue;
        const std::size_t region = *instance.regions[a].begin();
        instance.regions[a].erase(region);
        mover.rti().unassociateRegionsForUpdates(instance.handle, mover.pair(a, region));
        break;
      }
      case 8: {
        did = "default region";
        if (below(3) != 0) continue;
        mover.everywhere[a] = !mover.everywhere[a];
        if (mover.everywhere[a]) {
          mover.rti().subscribeObjectClassAttributes(mover.thing, {mover.attribute[a]});
        } else {
          mover.rti().unsubscribeObjectClassAttributes(mover.thing, {mover.attribute[a]});
        }
        break;
      }
      default: {
        did = "update";
        if (mover.instances.empty()) continue;
        updated = &mover.instances[below(mover.instances.size())];
        mover.rti().updateAttributeValues(updated->handle,
                                          {{mover.attribute[0], VariableLengthData()},
                                           {mover.attribute[1], VariableLengthData()}},
                                          VariableLengthData());
      }
    }
    if (hosts() > 1) QVERIFY(settle(movers));
    for (auto& other : movers) other->pump();

    for (auto& viewer : movers) {
      const QString where = QString("step %1, %2 by %3, seen by %4: ")
                                .arg(step)
                                .arg(did, mover.name(), viewer->name());
      for (auto& owner : movers) {
        if (owner == viewer) continue;
        for (const auto& instance : owner->instances) {
          std::set<std::size_t> expected;
          for (std::size_t one = 0; one < attributeCount; ++one) {
            if (viewer->wants(*owner, instance, one)) expected.insert(one);
          }
          if (!expected.empty()) viewer->shouldBeKnown.insert(instance.handle);
          const auto& told = viewer->inScope[instance.handle];
          QVERIFY2(told == expected,
                   qPrintable(where + text(told) + " in scope, not " + text(expected)));
          const auto& got = viewer->reflected[instance.handle];
          const std::set<std::size_t> due = updated == &instance ? expected : decltype(expected)();
          QVERIFY2(got == due, qPrintable(where + text(got) + " reflected, not " + text(due)));
        }
      }
      QVERIFY2(viewer->known == viewer->shouldBeKnown,
               qPrintable(where + QString("%1 instances known, not %2")
                                      .arg(viewer->known.size())
                                      .arg(viewer->shouldBeKnown.size())));
      viewer->reflected.clear();
    }
  }
}

void tst_regions::movesAtTheSameTime_data() {
  QTest::addColumn<unsigned>("seed");
  for (unsigned seed = 1; seed <= 10; ++seed) QTest::addRow("seed %u", seed) << seed;
}

// Each moves what it sees and what it is seen with while the others do: whoever is within in the
// end is known, and told to be in scope.
void tst_regions::movesAtTheSameTime() {
  QFETCH(unsigned, seed);
  const QString federation = uniqueName("together");
  std::vector<std::unique_ptr<Mover>> movers;
  for (int i = 0; i < 4; ++i) {
    movers.push_back(std::make_unique<Mover>(QString("mover %1").arg(i)));
    Mover& mover = *movers.back();
    mover.begin(federation);
    for (int region = 0; region < 3; ++region) {
      mover.make({std::pair{0u, 1u}, std::pair{0u, 1u}, std::nullopt});
    }
    mover.subscribed[0].insert(0);
    mover.rti().subscribeObjectClassAttributesWithRegions(mover.thing, mover.pair(0, 0));
    for (const std::size_t region : {1u, 2u}) {
      Mover::Instance instance;
      instance.regions[0].insert(region);
      instance.handle =
          mover.rti().registerObjectInstanceWithRegions(mover.thing, mover.pair(0, region));
      mover.instances.push_back(instance);
    }
  }
  const auto roam = [seed](Mover& mover, unsigned number) {
    std::mt19937 random(seed * 100 + number);
    for (int step = 0; step < 60; ++step) {
      const std::size_t region = random() % mover.regions.size();
      for (auto& bounds : mover.regions[region].box) {
        const unsigned lower = static_cast<unsigned>(random() % 12);
        if (bounds) bounds = std::pair(lower, lower + 4);
      }
      mover.move({region});
      if (random() % 3 == 0) mover.pump();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < movers.size(); ++i) {
    threads.emplace_back([&, i] { roam(*movers[i], i); });
  }
  for (std::thread& thread : threads) thread.join();
  QVERIFY(settle(movers));
  for (auto& mover : movers) mover->pump();
  for (const auto& viewer : movers) {
    for (const auto& owner : movers) {
      if (owner == viewer) continue;
      for (const auto& instance : owner->instances) {
        std::set<std::size_t> expected;
        if (viewer->wants(*owner, instance, 0)) expected.insert(0);
        const auto& told = viewer->inScope[instance.handle];
        const QString where = QString("%1 of %2: ").arg(viewer->name(), owner->name());
        QVERIFY2(told == expected,
                 qPrintable(where + text(told) + " in scope, not " + text(expected)));
        QVERIFY2(expected.empty() || viewer->known.contains(instance.handle),
                 qPrintable(where + "not known"));
      }
    }
  }
}

void tst_regions::boundsAreNeverTorn() {
  // A region that is at one of two places, never between them, while others read its bounds.
  const QString federation = uniqueName("torn");
  Mover viewer("viewer"), sender("sender");
  viewer.begin(federation);
  sender.begin(federation);
  viewer.make({std::pair{0u, 5u}, std::pair{0u, 5u}, std::nullopt});
  viewer.rti().subscribeObjectClassAttributesWithRegions(viewer.thing, viewer.pair(0, 0));
  sender.make({std::pair{0u, 5u}, std::pair{10u, 15u}, std::nullopt});
  const auto thing =
      sender.rti().registerObjectInstanceWithRegions(sender.thing, sender.pair(0, 0));
  std::atomic<bool> done{false};
  std::thread moving([&] {
    for (unsigned i = 1; !done; ++i) {
      const unsigned at = i % 2 == 0 ? 0 : 10;
      viewer.regions[0].box = {std::pair{at, at + 5}, std::pair{at, at + 5}, std::nullopt};
      viewer.move({0});
    }
  });
  for (int i = 0; i < 20000; ++i) {
    sender.rti().updateAttributeValues(thing, {{sender.attribute[0], VariableLengthData()}},
                                       VariableLengthData());
  }
  done = true;
  moving.join();
  viewer.pump();
  QCOMPARE(viewer.reflections, 0L);
  QVERIFY(viewer.known.empty());
}

void tst_regions::aFastViewerCostsNothing() {
  const QString federation = uniqueName("fast");
  Mover viewer("viewer"), sender("sender");
  viewer.begin(federation);
  sender.begin(federation);
  viewer.make({std::pair{0u, 5u}, std::pair{0u, 5u}, std::nullopt});
  viewer.rti().subscribeObjectClassAttributesWithRegions(viewer.thing, viewer.pair(0, 0));
  sender.make({std::pair{3u, 4u}, std::pair{3u, 4u}, std::nullopt});
  const auto thing =
      sender.rti().registerObjectInstanceWithRegions(sender.thing, sender.pair(0, 0));
  const auto status = [&] {
    auto client = tutti::observe::NodeClient::connect(node_.name().toStdString());
    return client ? client->status() : decltype(client->status()){tl::unexpect, client.error()};
  };
  const auto round = [&](unsigned at) {
    viewer.regions[0].box = {std::pair{at, at + 5}, std::pair{at, at + 5}, std::nullopt};
    viewer.move({0});
    sender.rti().updateAttributeValues(thing, {{sender.attribute[0], VariableLengthData()}},
                                       VariableLengthData());
    if (at % 4 == 0) viewer.pump();
  };
  for (unsigned i = 0; i < 100; ++i) round(i % 10);
  const auto before = status();
  QVERIFY(before);
  for (unsigned i = 0; i < 100000; ++i) round(i % 10);
  const auto after = status();
  QVERIFY(after);
  QCOMPARE(after->federations.front().logNumber, before->federations.front().logNumber);
  QCOMPARE(after->federations.front().committedBytes, before->federations.front().committedBytes);
  QCOMPARE(after->requests, before->requests);
  viewer.pump();
  // What was sent within is decided on again where the viewer is when it arrives.
  QVERIFY(viewer.reflections >= 10000);
}

QTEST_GUILESS_MAIN(tst_regions)
#include "tst_regions.moc"
