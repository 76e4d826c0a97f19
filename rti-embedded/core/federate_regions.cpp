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
  applyLog();  // after the table: a router reads it, or is seen here
  showRegionTables();
  return region;
}

Region Federate::requireRegion(Region region) {
  Ranges ranges;
  const auto creator = members_.find(fabric::regionCreator(region));
  const bool known =
      regions_.contains(region) || conveyed_.contains(region) ||
      (creator != members_.end() && creator->first != self_ &&
       readRegion(*arena_, creator->second.block->regions.load(std::memory_order_acquire), region,
                  ranges));
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
  if (!own.updates.empty()) {
    fail(Fault::RegionInUseForUpdateOrSubscription,
         nameOf(region) + " is associated with attributes of object instance " +
             std::to_string(*own.updates.begin()) + ": unassociate it first.");
  }
  if (declarations_.usesRegion(self_, region)) {
    fail(Fault::RegionInUseForUpdateOrSubscription,
         nameOf(region) + " is part of a subscription: unsubscribe it first.");
  }
  unshown_.push_back({region, 0});
  regionTable_.remove(region);
  regions_.erase(region);
  applyLog();
  showRegionTables();
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
  std::set<ObjectInstance> updated;
  bool subscribed = false;
  for (const Region region : regions) {
    const OwnRegion& own = regions_.at(region);
    if (own.pending == own.committed) continue;
    updated.insert(own.updates.begin(), own.updates.end());
    subscribed = subscribed || declarations_.usesRegion(self_, region);
  }
  std::map<ObjectInstance, RangesOfAttributes> before;
  for (const ObjectInstance instance : updated) before[instance] = updateRanges(instance);
  for (const Region region : regions) {
    OwnRegion& own = regions_.at(region);
    if (own.pending == own.committed) continue;
    regionTable_.commit(region, own.pending);
    own.committed = own.pending;
    unshown_.push_back({region, 0});
  }
  applyLog();  // after the bounds: one of us and a new subscriber sees the other
  if (!unshown_.empty()) {
    showRegionTables();
    // Updates that are sent from now on are for the new bounds, wherever they are sent from, and of
    // two who move at the same time one sees the other: who subscribes, as he looks only now.
    if (subscribed) confirmTables();
  }
  for (const auto& [instance, ranges] : before) {
    tellScopeChange(instance, ranges, updateRanges(instance));
  }
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

void Federate::showAssociations(ObjectInstance instance, UpdateAssociations& associations,
                                std::uint32_t row) {
  // While another federate owns an attribute, its regions count and not ours. An instance that is
  // being registered is not known yet: what it is associated with is published, so it is owned.
  const auto known = instances_.find(instance);
  const auto isOwned = [&](Attribute attribute) {
    if (known == instances_.end()) return true;
    const int index = model_->indexOf(known->second.registeredClass, attribute);
    return index >= 0 && known->second.owned.test(static_cast<std::size_t>(index));
  };
  // First what is new: an attribute without any region would count as updated with the default one.
  std::set<Region> used;
  for (const auto& [attribute, regions] : associations.regions) {
    used.insert(regions.begin(), regions.end());
    if (!isOwned(attribute)) continue;
    for (const Region region : regions) {
      const auto [place, isNew] = associations.rows.try_emplace({attribute, region}, 0);
      if (!isNew) continue;
      try {
        place->second = updateRegionTable_.add({instance, region, attribute, row});
        unshown_.push_back({0, place->second});
      } catch (...) {
        associations.rows.erase(place);
        throw;
      }
    }
  }
  std::erase_if(associations.rows, [&](const auto& shown) {
    const auto& [attribute, region] = shown.first;
    const auto found = associations.regions.find(attribute);
    const bool holds = found != associations.regions.end() && found->second.contains(region);
    if (holds && isOwned(attribute)) return false;
    unshown_.push_back({0, shown.second});
    updateRegionTable_.remove(shown.second);
    return true;
  });
  for (auto& [region, own] : regions_) {
    if (used.contains(region)) {
      own.updates.insert(instance);
    } else {
      own.updates.erase(instance);
    }
  }
}

void Federate::moveAssociations(ObjectInstance instance, UpdateAssociations& associations,
                                std::uint32_t row) {
  for (auto& [what, shown] : associations.rows) {
    const std::uint32_t before = shown;
    shown = updateRegionTable_.add({instance, what.second, what.first, row});
    updateRegionTable_.remove(before);
    unshown_.push_back({0, shown});
    unshown_.push_back({0, before});
  }
}

void Federate::dropAssociations(ObjectInstance instance) {
  if (!inScope_.empty()) inScope_.erase(instance);
  if (!lastSent_.empty()) lastSent_.erase(instance);
  if (updateAssociations_.empty()) return;
  const auto found = updateAssociations_.find(instance);
  if (found == updateAssociations_.end()) return;
  for (const auto& [what, row] : found->second.rows) {
    updateRegionTable_.remove(row);
    unshown_.push_back({0, row});
  }
  for (const auto& [attribute, regions] : found->second.regions) {
    for (const Region region : regions) regions_.at(region).updates.erase(instance);
  }
  updateAssociations_.erase(found);
  if (router_ != 0) showRegionTables();
}

Federate::RangesOfAttributes Federate::updateRanges(ObjectInstance instance) const {
  RangesOfAttributes ranges;
  const auto found = updateAssociations_.find(instance);
  if (found == updateAssociations_.end()) return ranges;
  const auto known = instances_.find(instance);
  for (const auto& [attribute, regions] : found->second.regions) {
    if (known != instances_.end()) {
      const int index = model_->indexOf(known->second.registeredClass, attribute);
      if (index < 0 || !known->second.owned.test(static_cast<std::size_t>(index))) continue;
    }
    auto& list = ranges[attribute];
    for (const Region region : regions) list.push_back(regions_.at(region).committed);
  }
  return ranges;
}

void Federate::changeAssociations(ObjectInstance instance,
                                  const std::vector<AttributesWithRegions>& regions,
                                  bool associate) {
  const RangesOfAttributes before = updateRanges(instance);
  UpdateAssociations& associations = updateAssociations_[instance];
  for (const AttributesWithRegions& pair : regions) {
    for (const Attribute attribute : pair.attributes) {
      for (const Region region : pair.regions) {
        if (associate) {
          associations.regions[attribute].insert(region);
        } else if (const auto found = associations.regions.find(attribute);
                   found != associations.regions.end()) {
          found->second.erase(region);
          if (found->second.empty()) associations.regions.erase(found);
        }
      }
    }
  }
  showAssociations(instance, associations, instances_.at(instance).row);
  if (associations.regions.empty()) updateAssociations_.erase(instance);
  applyLog();  // after the rows: one of us and a new subscriber sees the other
  showRegionTables();
  tellScopeChange(instance, before, updateRanges(instance));
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
  for (const auto& [instance, associations] : updateAssociations_) {
    for (const auto& [attribute, regions] : associations.regions) {
      s.associations.push_back({instance, attribute, {regions.begin(), regions.end()}});
    }
  }
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
  for (const SavedAssociation& one : s.associations) {
    auto& regions = updateAssociations_[one.instance].regions[one.attribute];
    for (const Region region : one.regions) {
      if (regions_.contains(region)) regions.insert(region);
    }
  }
  for (auto& [instance, associations] : updateAssociations_) {
    const auto known = instances_.find(instance);
    showAssociations(instance, associations, known == instances_.end() ? 0 : known->second.row);
  }
  scopeAdvisory_ = s.scopeAdvisory;
  for (const SavedScope& one : s.inScope) {
    inScope_[one.instance].insert(one.attributes.begin(), one.attributes.end());
  }
  regionsMoved_ = scopesChanged_ = true;
}

}  // namespace tutti::core
