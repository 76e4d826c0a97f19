// SPDX-License-Identifier: Apache-2.0
// Data distribution management: what this federate says of regions (9, 10.28 to 10.30).
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/federate.h"
#include "core/saved_federate.h"

namespace tutti::core {
namespace {

using fabric::Request;

std::string nameOf(Region region) {
  return "Region " + std::to_string(region) + " (of federate " +
         std::to_string(fabric::regionCreator(region)) + ")";
}

bool holds(std::span<const Dimension> dimensions, Dimension dimension) {
  return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
}

bool lower(const fabric::SubscribedRegion& a, const fabric::SubscribedRegion& b) {
  return a.region < b.region;
}

/// Adds a region to a subscription, or changes how it is subscribed.
void put(Declarations::Regions& regions, const fabric::SubscribedRegion& region) {
  const auto place = std::lower_bound(regions.begin(), regions.end(), region, lower);
  if (place != regions.end() && place->region == region.region) {
    *place = region;
  } else {
    regions.insert(place, region);
  }
}

void take(Declarations::Regions& regions, const std::vector<Region>& without) {
  std::erase_if(regions, [&](const fabric::SubscribedRegion& one) {
    return std::find(without.begin(), without.end(), one.region) != without.end();
  });
}

}  // namespace

// --- regions -------------------------------------------------------------------------------------

Region Federate::createRegion(std::vector<Dimension> dimensions) {
  requireJoined();
  applyLog();
  std::sort(dimensions.begin(), dimensions.end());
  dimensions.erase(std::unique(dimensions.begin(), dimensions.end()), dimensions.end());
  const omt::CompactModel& model = model_->compact();
  Ranges ranges;
  for (const Dimension dimension : dimensions) {
    if (model.dimensionName(dimension).empty()) {
      fail(Fault::InvalidDimensionHandle, "Dimension " + std::to_string(dimension) +
                                              " is not in the object model of '" + federation_ +
                                              "'.");
    }
    ranges.push_back({dimension, 0, model.dimensionUpperBound(dimension)});
  }
  const Region region = regionTable_.add(ranges, model.dimensionCount());
  regions_[region] = {ranges, ranges, {}};
  unshown_.push_back({region, 0});
  tellThenApplyLog();
  return region;
}

Region Federate::requireRegion(Region region) {
  Ranges ranges;
  const auto creator = members_.find(fabric::regionCreator(region));
  const auto isShown = [&](const Member& one) {
    return readRegion(*arena_, one.block->regions.load(std::memory_order_acquire), region, ranges);
  };
  bool known = regions_.contains(region) || conveyed_.contains(region);
  if (!known && creator != members_.end() && creator->first != self_) {
    known = isShown(creator->second);
    if (!known && creator->second.block->via != 0) {
      confirmTables();  // its creator may have told of it on another way than through the RTI
      const auto still = members_.find(fabric::regionCreator(region));
      known = still != members_.end() && isShown(still->second);
    }
  }
  if (!known) {
    fail(Fault::InvalidRegion, nameOf(region) + " does not exist: it was deleted, or its creator " +
                                   "has left, or there never was one.");
  }
  return region;
}

void Federate::requireOwnRegion(Region region) {
  if (regions_.contains(requireRegion(region))) return;
  fail(Fault::RegionNotCreatedByThisFederate,
       nameOf(region) + " was created by another federate: use one of your own.");
}

void Federate::requireOwnRegions(const std::vector<AttributesWithRegions>& regions) {
  for (const AttributesWithRegions& pair : regions) {
    for (const Region region : pair.regions) requireRegion(region);
  }
  for (const AttributesWithRegions& pair : regions) {
    for (const Region region : pair.regions) requireOwnRegion(region);
  }
}

void Federate::checkRegionContext(ObjectClass objectClass,
                                  const std::vector<AttributesWithRegions>& regions) const {
  for (const AttributesWithRegions& pair : regions) {
    for (const Attribute attribute : pair.attributes) {
      const auto available = model_->compact().attributeDimensions(attribute);
      for (const Region region : pair.regions) {
        for (const Range& range : regions_.at(region).committed) {
          if (holds(available, range.dimension)) continue;
          fail(Fault::InvalidRegionContext,
               nameOf(region) + " has the dimension " +
                   std::string(model_->compact().dimensionName(range.dimension)) +
                   ", which attribute " + model_->attribute(attribute).name + " of " +
                   model_->objectClass(objectClass).name +
                   " does not have: see the dimensions of the attribute in the object model.");
        }
      }
    }
  }
}

void Federate::checkRegionContext(InteractionClass interactionClass,
                                  const std::vector<Region>& regions) const {
  const auto available = model_->compact().interactionDimensions(interactionClass);
  for (const Region region : regions) {
    for (const Range& range : regions_.at(region).committed) {
      if (holds(available, range.dimension)) continue;
      fail(Fault::InvalidRegionContext,
           nameOf(region) + " has the dimension " +
               std::string(model_->compact().dimensionName(range.dimension)) +
               ", which interaction class " + model_->interactionClass(interactionClass).name +
               " does not have: see its dimensions in the object model.");
    }
  }
}

void Federate::deleteRegion(Region region) {
  requireJoined();
  applyLog();
  requireOwnRegion(region);
  const OwnRegion& own = regions_.at(region);
  if (!own.sets.empty()) {
    fail(Fault::RegionInUseForUpdateOrSubscription,
         nameOf(region) + " is associated with attributes of object instance " +
             std::to_string((*own.sets.begin())->members.front()) + ": unassociate it first.");
  }
  if (declarations_.usesRegion(self_, region)) {
    fail(Fault::RegionInUseForUpdateOrSubscription,
         nameOf(region) + " is part of a subscription: unsubscribe it first.");
  }
  unshown_.push_back({region, 0});
  regionTable_.remove(region);
  regions_.erase(region);
  tellThenApplyLog();
}

std::vector<Dimension> Federate::regionDimensions(Region region) {
  requireJoined();
  applyLog();
  std::vector<Dimension> dimensions;
  const auto add = [&](const Ranges& ranges) {
    for (const Range& range : ranges) dimensions.push_back(range.dimension);
  };
  requireRegion(region);
  bounds_.clear();
  if (const Ranges* ranges = boundsOf(region)) {
    add(*ranges);
  } else {
    add(conveyed_.at(region));
  }
  return dimensions;
}

Range Federate::rangeBounds(Region region, Dimension dimension) {
  requireJoined();
  applyLog();
  requireRegion(region);
  bounds_.clear();
  const Ranges* ranges = nullptr;
  if (const auto own = regions_.find(region); own != regions_.end()) {
    ranges = &own->second.pending;
  } else if (const auto sent = conveyed_.find(region); sent != conveyed_.end()) {
    ranges = &sent->second;  // as it was sent with the newest message
  } else {
    ranges = boundsOf(region);
  }
  if (ranges != nullptr) {
    for (const Range& range : *ranges) {
      if (range.dimension == dimension) return range;
    }
  }
  fail(Fault::RegionDoesNotContainSpecifiedDimension,
       nameOf(region) + " does not have dimension " + std::to_string(dimension) + ".");
}

void Federate::setRangeBounds(Region region, Dimension dimension, std::uint64_t lowerBound,
                              std::uint64_t upperBound) {
  requireJoined();
  applyLog();
  requireOwnRegion(region);
  Ranges& ranges = regions_.at(region).pending;
  const auto range = std::find_if(ranges.begin(), ranges.end(),
                                  [&](const Range& r) { return r.dimension == dimension; });
  if (range == ranges.end()) {
    fail(Fault::RegionDoesNotContainSpecifiedDimension,
         nameOf(region) + " does not have dimension " + std::to_string(dimension) + ".");
  }
  const std::uint32_t most = model_->compact().dimensionUpperBound(dimension);
  if (lowerBound >= upperBound || upperBound > most) {
    fail(Fault::InvalidRangeBound,
         "[" + std::to_string(lowerBound) + ", " + std::to_string(upperBound) +
             ") is no range of dimension " +
             std::string(model_->compact().dimensionName(dimension)) +
             ": the lower bound has to be below the upper one, and that at most " +
             std::to_string(most) + ".");
  }
  range->lower = static_cast<std::uint32_t>(lowerBound);
  range->upper = static_cast<std::uint32_t>(upperBound);
}

void Federate::commitRegions(const std::vector<Region>& regions) {
  requireJoined();
  applyLog();
  for (const Region region : regions) requireRegion(region);
  for (const Region region : regions) requireOwnRegion(region);
  std::set<RegionSet*> moved;
  bool subscribed = false;
  for (const Region region : regions) {
    const OwnRegion& own = regions_.at(region);
    if (own.pending == own.committed) continue;
    moved.insert(own.sets.begin(), own.sets.end());
    subscribed = subscribed || declarations_.usesRegion(self_, region);
  }
  // Instances of one class that are updated with the same have the same routes.
  std::map<std::pair<RegionSet*, ObjectClass>, std::vector<ScopedRoutes::Route>> before;
  const auto forMembers = [&](const auto& act) {
    for (const RegionSet* set : moved) {
      for (const ObjectInstance instance : set->members) {
        const auto known = instances_.find(instance);
        if (known != instances_.end()) act(known->second);
      }
    }
  };
  for (RegionSet* set : moved) ++set->references;  // what the log tells may end one
  forMembers([&](const Known& known) {
    const auto [place, isNew] = before.try_emplace({known.regions.shown, known.registeredClass});
    if (isNew) place->second = scopedRoutes(known).routes;
  });
  for (const Region region : regions) {
    OwnRegion& own = regions_.at(region);
    if (own.pending == own.committed) continue;
    regionTable_.commit(region, own.pending);
    own.committed = own.pending;
    unshown_.push_back({region, 0});
  }
  // Of updates only those of the sets that moved are concerned.
  if (advisedGeneration_ == scopeGeneration_++) advisedGeneration_ = scopeGeneration_;
  ++boundsGeneration_;
  const bool anyMoved = !unshown_.empty();
  tellThenApplyLog();
  // Updates that are sent from now on are for the new bounds, wherever they are sent from, and of
  // two who move at the same time one sees the other: who subscribes, as he looks only now.
  if (anyMoved && subscribed) confirmTables();
  forMembers([&](const Known& known) {
    const auto routes = before.find({known.regions.shown, known.registeredClass});
    if (routes != before.end()) tellScopeChange(known, routes->second);
  });
  if (updateAdvisory_) {
    std::vector<ObjectInstance> members;
    forMembers([&](const Known& known) { members.push_back(known.instance); });
    refreshUpdateAdvisories(std::move(members));
  }
  for (RegionSet* set : moved) regionSets_.release(set);
  if (subscribed) {
    // What came within is found when callbacks are next delivered, however often this moved.
    regionsMoved_ = scopesChanged_ = true;
    interruptWait();
  }
}

// --- updates -------------------------------------------------------------------------------------

ObjectInstance Federate::registerInstanceWithRegions(
    ObjectClass objectClass, const std::vector<AttributesWithRegions>& regions,
    const std::string* name) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, {});
  for (const AttributesWithRegions& pair : regions) checkObjectClass(objectClass, pair.attributes);
  const auto* own = declarations_.of(self_);
  if (own == nullptr || !own->published.contains(objectClass)) {
    fail(Fault::ObjectClassNotPublished, "This federate does not publish object class " +
                                             model_->objectClass(objectClass).name + ".");
  }
  const auto& published = own->published.at(objectClass).attributes;
  for (const AttributesWithRegions& pair : regions) {
    for (const Attribute attribute : pair.attributes) {
      if (std::find(published.begin(), published.end(), attribute) != published.end()) continue;
      fail(Fault::AttributeNotPublished, "This federate does not publish attribute " +
                                             model_->attribute(attribute).name + " of " +
                                             model_->objectClass(objectClass).name + ".");
    }
  }
  requireOwnRegions(regions);
  checkRegionContext(objectClass, regions);
  return registerInstance(objectClass, name, &regions);
}

AttributeRegions Federate::regionsOf(const Known& known) {
  return known.regions.set == nullptr ? AttributeRegions() : known.regions.set->regions;
}

/// While another federate owns an attribute, its regions count and not ours.
AttributeRegions Federate::ofOwned(const Known& known, const AttributeRegions& regions) const {
  AttributeRegions owned;
  for (const AttributeRegion& one : regions) {
    const int index = model_->indexOf(known.registeredClass, one.attribute);
    if (index >= 0 && known.owned.test(static_cast<std::size_t>(index))) owned.push_back(one);
  }
  return owned;
}

/// Of a known instance, or of one whose deletion may still be retracted.
Federate::Known* Federate::associated(ObjectInstance instance) {
  if (const auto known = instances_.find(instance); known != instances_.end()) {
    return &known->second;
  }
  const auto deleted =
      std::find_if(deleted_.begin(), deleted_.end(),
                   [instance](const Deleted& one) { return one.instance == instance; });
  return deleted == deleted_.end() ? nullptr : &deleted->known;
}

void Federate::join(RegionSet& set, Known& known) {
  known.regions.place = static_cast<std::uint32_t>(set.members.size());
  set.members.push_back(known.instance);
  if (set.members.size() > 1) return;
  for (const AttributeRegion& one : set.regions) {
    if (const auto own = regions_.find(one.region); own != regions_.end()) {
      own->second.sets.insert(&set);
    }
  }
}

void Federate::leave(RegionSet& set, const Known& known) {
  const ObjectInstance last = set.members.back();
  set.members.pop_back();
  if (last != known.instance) {
    set.members[known.regions.place] = last;
    associated(last)->regions.place = known.regions.place;
  }
  if (!set.members.empty()) return;
  for (const AttributeRegion& one : set.regions) {
    if (const auto own = regions_.find(one.region); own != regions_.end()) {
      own->second.sets.erase(&set);
    }
  }
}

/// From now on `known` is updated with these regions. Throws RTIinternalError when memory is
/// refused; then nothing has changed.
void Federate::associate(Known& known, const AttributeRegions& regions) {
  UpdateRegions& now = known.regions;
  RegionSet* const set = regionSets_.take(regions);
  RegionSet* const shown = regionSets_.take(ofOwned(known, regions));
  if (shown != nullptr) {
    try {
      const std::uint32_t setRow = regionSets_.rowOf(*shown);
      if (now.row == UpdateRegionTable::none) {
        now.row = regionSets_.table().add(known.instance, setRow, known.row);
      } else {
        regionSets_.table().change(now.row, setRow, known.row);
      }
    } catch (...) {
      regionSets_.release(shown);
      regionSets_.release(set);
      throw;
    }
  } else if (now.row != UpdateRegionTable::none) {
    regionSets_.table().remove(now.row);
    now.row = UpdateRegionTable::none;
  }
  if (set != now.set) {
    if (now.set != nullptr) leave(*now.set, known);
    if (set != nullptr) join(*set, known);
  }
  regionSets_.release(std::exchange(now.shown, shown));
  regionSets_.release(std::exchange(now.set, set));
}

void Federate::dropAssociations(Known& known) {
  if (!inScope_.empty()) inScope_.erase(known.instance);
  if (!lastSent_.empty()) lastSent_.erase(known.instance);
  if (known.regions.set == nullptr) return;
  associate(known, {});
  if (router_ != 0) showRegionTables();
}

Federate::RangesOfAttributes Federate::updateRanges(const RegionSet* set) const {
  RangesOfAttributes ranges;
  if (set == nullptr) return ranges;
  for (const AttributeRegion& one : set->regions) {
    ranges[one.attribute].push_back(regions_.at(one.region).committed);
  }
  return ranges;
}

void Federate::changeAssociations(ObjectInstance instance,
                                  const std::vector<AttributesWithRegions>& regions,
                                  bool associates) {
  Known& known = knownInstance(instance);
  const std::vector<ScopedRoutes::Route> before = scopedRoutes(known).routes;
  AttributeRegions all = regionsOf(known);
  for (const AttributesWithRegions& pair : regions) {
    if (associates) {
      add(all, pair);
    } else {
      remove(all, pair);
    }
  }
  associate(known, all);
  tellThenApplyLog();
  const auto still = instances_.find(instance);
  if (still == instances_.end()) return;
  if (updateAdvisory_) refreshUpdateAdvisory(instance, still->second);
  tellScopeChange(still->second, before);
}

void Federate::associateRegions(ObjectInstance instance,
                                const std::vector<AttributesWithRegions>& regions) {
  requireJoined();
  applyLog();
  const Known& known = knownInstance(instance);
  for (const AttributesWithRegions& pair : regions) {
    checkObjectClass(known.objectClass, pair.attributes);
  }
  requireOwnRegions(regions);
  checkRegionContext(known.objectClass, regions);
  changeAssociations(instance, regions, true);
}

void Federate::unassociateRegions(ObjectInstance instance,
                                  const std::vector<AttributesWithRegions>& regions) {
  requireJoined();
  applyLog();
  const Known& known = knownInstance(instance);
  for (const AttributesWithRegions& pair : regions) {
    checkObjectClass(known.objectClass, pair.attributes);
  }
  requireOwnRegions(regions);
  changeAssociations(instance, regions, false);
}

// --- subscriptions -------------------------------------------------------------------------------

void Federate::declareRegions(ObjectClass objectClass,
                              const std::map<Attribute, Declarations::Regions>& regions) {
  fabric::SubscribeObjectClassWithRegionsRequest request;
  request.objectClass = objectClass;
  for (const auto& [attribute, list] : regions) {
    if (!list.empty()) request.attributes.push_back({attribute, list});
  }
  connection_.tell(Request::SubscribeObjectClassWithRegions, request);
  applyLog();
}

void Federate::declareInteractionRegions(InteractionClass interactionClass,
                                         const Declarations::Regions& regions) {
  connection_.tell(Request::SubscribeInteractionClassWithRegions,
                   fabric::SubscribeInteractionClassWithRegionsRequest{interactionClass, regions});
  applyLog();
}

void Federate::subscribeWithRegions(ObjectClass objectClass,
                                    const std::vector<AttributesWithRegions>& regions, bool active,
                                    const std::string& updateRate) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, {});
  for (const AttributesWithRegions& pair : regions) checkObjectClass(objectClass, pair.attributes);
  requireOwnRegions(regions);
  checkRegionContext(objectClass, regions);
  std::map<Attribute, Declarations::Regions> all;
  if (const auto* now = declarations_.withRegions(self_, objectClass)) all = *now;
  for (const AttributesWithRegions& pair : regions) {
    for (const Attribute attribute : pair.attributes) {
      for (const Region region : pair.regions) put(all[attribute], {region, !active, updateRate});
    }
  }
  declareRegions(objectClass, all);
  discoverExisting(objectClass);
}

void Federate::unsubscribeWithRegions(ObjectClass objectClass,
                                      const std::vector<AttributesWithRegions>& regions) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, {});
  for (const AttributesWithRegions& pair : regions) checkObjectClass(objectClass, pair.attributes);
  requireOwnRegions(regions);
  const auto* now = declarations_.withRegions(self_, objectClass);
  if (now == nullptr) return;
  std::map<Attribute, Declarations::Regions> rest = *now;
  for (const AttributesWithRegions& pair : regions) {
    for (const Attribute attribute : pair.attributes) {
      if (rest.contains(attribute)) take(rest.at(attribute), pair.regions);
    }
  }
  declareRegions(objectClass, rest);
  // When that was the last of it, the next class above counts (6.9).
  const ObjectClass closest = declarations_.subscribedAt(self_, objectClass);
  if (closest != 0 && closest != objectClass) discoverExisting(objectClass);
}

void Federate::subscribeInteractionWithRegions(InteractionClass interactionClass,
                                               const std::vector<Region>& regions, bool active) {
  requireJoined();
  applyLog();
  checkInteractionClass(interactionClass);
  requireOwnRegions({{{}, regions}});
  checkRegionContext(interactionClass, regions);
  checkServicesNotReported(interactionClass);
  Declarations::Regions all;
  if (const auto* now = declarations_.interactionWithRegions(self_, interactionClass)) all = *now;
  for (const Region region : regions) put(all, {region, !active, {}});
  declareInteractionRegions(interactionClass, all);
}

void Federate::unsubscribeInteractionWithRegions(InteractionClass interactionClass,
                                                 const std::vector<Region>& regions) {
  requireJoined();
  applyLog();
  checkInteractionClass(interactionClass);
  requireOwnRegions({{{}, regions}});
  const auto* now = declarations_.interactionWithRegions(self_, interactionClass);
  if (now == nullptr) return;
  Declarations::Regions rest = *now;
  take(rest, regions);
  declareInteractionRegions(interactionClass, rest);
}

void Federate::requestClassUpdateWithRegions(ObjectClass objectClass,
                                             const std::vector<AttributesWithRegions>& regions,
                                             std::span<const std::byte> tag) {
  requireJoined();
  applyLog();
  checkObjectClass(objectClass, {});
  for (const AttributesWithRegions& pair : regions) checkObjectClass(objectClass, pair.attributes);
  requireOwnRegions(regions);
  checkRegionContext(objectClass, regions);
  for (const AttributesWithRegions& pair : regions) {
    if (!pair.regions.empty()) requestClassUpdate(objectClass, pair.attributes, tag, &pair.regions);
  }
}

double Federate::updateRate(ObjectInstance instance, Attribute attribute) {
  requireMember();
  applyLog();
  if (!model_->hasAttribute(attribute)) {
    fail(Fault::AttributeNotDefined,
         "The object model has no attribute with handle " + std::to_string(attribute) + ".");
  }
  const Known& known = knownInstance(instance);
  checkObjectClass(known.objectClass, {attribute});
  // Subscribed in several ways, the fastest counts: each update, or else the highest rate.
  double fastest = 0;
  bool each = false;
  const auto wanted = [&](const std::string& designator) {
    if (designator.empty()) {
      each = true;
    } else {
      fastest = std::max(fastest, model_->compact().updateRate(designator));
    }
  };
  if (const auto* own = declarations_.of(self_)) {
    if (const auto found = own->subscribed.find(known.objectClass);
        found != own->subscribed.end()) {
      const auto& attributes = found->second.attributes;
      if (std::find(attributes.begin(), attributes.end(), attribute) != attributes.end()) {
        wanted(found->second.updateRate(attribute));
      }
    }
  }
  if (const auto* with = declarations_.withRegions(self_, known.objectClass)) {
    if (const auto found = with->find(attribute); found != with->end()) {
      for (const auto& one : found->second) wanted(one.updateRate);
    }
  }
  return each ? 0 : fastest;
}

// --- save and restore ----------------------------------------------------------------------------

namespace {

std::vector<SavedRange> saved(const Ranges& ranges) {
  std::vector<SavedRange> list;
  for (const Range& range : ranges) list.push_back({range.dimension, range.lower, range.upper});
  return list;
}

Ranges restored(const std::vector<SavedRange>& list) {
  Ranges ranges;
  for (const SavedRange& one : list) ranges.push_back({one.dimension, one.lower, one.upper});
  return ranges;
}

}  // namespace

SavedRegions Federate::savedRegions() const {
  SavedRegions s;
  for (const auto& [region, own] : regions_) {
    s.own.push_back({region, saved(own.pending), saved(own.committed)});
  }
  for (const auto& [region, ranges] : conveyed_) s.conveyed.push_back({region, saved(ranges), {}});
  const auto keepRegions = [&s](const Known& known) {
    std::map<Attribute, std::vector<Region>> regions;
    for (const AttributeRegion& one : regionsOf(known))
      regions[one.attribute].push_back(one.region);
    for (auto& [attribute, list] : regions) {
      s.associations.push_back({known.instance, attribute, std::move(list)});
    }
  };
  for (const auto& [instance, known] : instances_) keepRegions(known);
  for (const Deleted& one : deleted_) keepRegions(one.known);
  s.scopeAdvisory = scopeAdvisory_;
  for (const auto& [instance, attributes] : inScope_) {
    s.inScope.push_back({instance, {attributes.begin(), attributes.end()}});
  }
  return s;
}

void Federate::takeRegions(const SavedRegions& s) {
  for (const SavedRegion& one : s.own) {
    const Ranges committed = restored(one.committed);
    regionTable_.place(one.region, committed, model_->compact().dimensionCount());
    regions_[one.region] = {restored(one.pending), committed, {}};
    unshown_.push_back({one.region, 0});
  }
  for (const SavedRegion& one : s.conveyed) conveyed_[one.region] = restored(one.pending);
  ++scopeGeneration_;
  ++boundsGeneration_;
  std::map<ObjectInstance, AttributeRegions> associations;
  for (const SavedAssociation& one : s.associations) {
    for (const Region region : one.regions) {
      if (regions_.contains(region)) {
        associations[one.instance].push_back({one.attribute, 0, region});
      }
    }
  }
  for (auto& [instance, regions] : associations) {
    std::sort(regions.begin(), regions.end());
    if (Known* known = associated(instance)) associate(*known, regions);
  }
  scopeAdvisory_ = s.scopeAdvisory;
  for (const SavedScope& one : s.inScope) {
    inScope_[one.instance].insert(one.attributes.begin(), one.attributes.end());
  }
  regionsMoved_ = scopesChanged_ = true;
}

}  // namespace tutti::core
