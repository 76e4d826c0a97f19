// SPDX-License-Identifier: Apache-2.0
// Which instance attributes and interactions are within whose regions: when something is sent, when
// it arrives, and when regions move.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/federate.h"
#include "core/records.h"

namespace tutti::core {
namespace {

using fabric::RecordType;

std::int64_t nowNanoseconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

}  // namespace

// --- bounds --------------------------------------------------------------------------------------

const Ranges* Federate::boundsOf(Region region) {
  if (const auto own = regions_.find(region); own != regions_.end()) return &own->second.committed;
  const auto [place, isNew] = bounds_.try_emplace(region);
  if (isNew) {
    const auto creator = members_.find(fabric::regionCreator(region));
    Ranges ranges;
    if (creator != members_.end() && creator->first != self_ &&
        readRegion(*arena_, creator->second.block->regions.load(std::memory_order_acquire), region,
                   ranges)) {
      place->second = std::move(ranges);
    }
  }
  return place->second ? &*place->second : nullptr;
}

bool Federate::overlaps(Attribute attribute, const std::vector<Ranges>& updates,
                        const Ranges* subscribed) const {
  const omt::CompactModel& model = model_->compact();
  const auto available = model.attributeDimensions(attribute);
  const Realization wanted{available, subscribed};
  if (updates.empty()) return overlap(model, {available, nullptr}, wanted);
  return std::any_of(updates.begin(), updates.end(), [&](const Ranges& ranges) {
    return overlap(model, {available, &ranges}, wanted);
  });
}

// --- sending -------------------------------------------------------------------------------------

bool Federate::wants(const Declarations::DetailedRoute& route, int index, Attribute attribute,
                     const std::vector<Ranges>& updates, double& updateRate) {
  const auto place = static_cast<std::size_t>(index);
  if (index < 0 || place >= route.attributes.size()) return false;
  const Declarations::AttributeRoute& wanted = route.attributes[place];
  bool any = false;
  // Within several of its subscriptions, the fastest of their rates counts; 0 is all updates.
  const auto within = [&](double rate) {
    updateRate = !any ? rate : rate == 0 || updateRate == 0 ? 0 : std::max(rate, updateRate);
    any = true;
  };
  if (wanted.subscribed && overlaps(attribute, updates, nullptr)) within(wanted.updateRate);
  for (const auto& one : wanted.regions) {
    const Ranges* ranges = boundsOf(one.region);
    if (ranges != nullptr && overlaps(attribute, updates, ranges)) within(one.updateRate);
  }
  return any;
}

bool Federate::isDue(ObjectInstance instance, FederateNumber receiver, Attribute attribute,
                     double updateRate) {
  const std::int64_t now = nowNanoseconds();
  const auto interval = static_cast<std::int64_t>(std::min(1e9 / updateRate, 1e18));
  const auto [due, isFirst] = lastSent_[instance].try_emplace({receiver, attribute}, 0);
  if (!isFirst && now < due->second) return false;
  // Updates that come at just this rate all pass, however they vary: what was late may be made up
  // for by half an interval.
  due->second = (isFirst ? now : std::max(due->second, now - interval / 2)) + interval;
  return true;
}

void Federate::sendDetailed(const Known& known, std::span<const Value> values, unsigned kind,
                            bool reducible, const SendPart& sendPart) {
  bounds_.clear();
  const ObjectInstance instance = known.instance;
  const ObjectClass objectClass = known.registeredClass;
  const RangesOfAttributes ranges = updateRanges(known.regions.shown);
  static const std::vector<Ranges> defaultRegion;
  const auto updates = [&](Attribute attribute) -> const std::vector<Ranges>& {
    const auto found = ranges.find(attribute);
    return found == ranges.end() ? defaultRegion : found->second;
  };
  // Those who want the same part of it get one and the same record.
  std::map<std::vector<bool>, std::vector<FederateNumber>> groups;
  for (const auto& route : declarations_.detailedRoutes(objectClass, self_)) {
    std::vector<bool> wanted(values.size());
    bool any = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Attribute attribute = values[i].handle;
      double rate = 0;
      if (!wants(route, model_->indexOf(objectClass, attribute), attribute, updates(attribute),
                 rate)) {
        continue;
      }
      if (rate > 0 && reducible && !isDue(instance, route.receiver, attribute, rate)) continue;
      wanted[i] = any = true;
    }
    if (any) groups[std::move(wanted)].push_back(route.receiver);
  }
  for (const auto& [wanted, receivers] : groups) {
    std::vector<Value> part;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (wanted[i]) part.push_back(values[i]);
    }
    receivers_ = receivers;
    sendPart(part, kind, sentWith(known.regions.shown, part));
  }
}

/// Makes scopeGeneration_ that of the bounds and declarations of now.
void Federate::lookAtRegions() {
  if (watchedEpoch_ != declarations_.epoch()) {
    watchedEpoch_ = declarations_.epoch();
    regionWatch_.clear();
    for (const Region region : declarations_.regionsOfOthers(self_)) {
      const auto creator = members_.find(fabric::regionCreator(region));
      if (creator == members_.end()) continue;
      regionWatch_.add(region, creator->second.block->regions);
    }
    regionWatch_.changed(*arena_);
    ++scopeGeneration_;
  } else if (regionWatch_.changed(*arena_)) {
    ++scopeGeneration_;
  }
}

/// By the bounds and declarations of now.
const ScopedRoutes& Federate::scopedRoutes(RegionSet* set, ObjectClass objectClass) {
  lookAtRegions();
  RegionSet& of = set == nullptr ? noRegions_ : *set;
  auto routes = std::find_if(
      of.routes.begin(), of.routes.end(),
      [objectClass](const ScopedRoutes& one) { return one.objectClass == objectClass; });
  if (routes == of.routes.end()) {
    routes = of.routes.insert(of.routes.end(), {objectClass, 0, {}, false});
  }
  if (routes->generation != scopeGeneration_) workOut(of, *routes);
  return *routes;
}

void Federate::workOut(const RegionSet& set, ScopedRoutes& routes) {
  bounds_.clear();
  routes.generation = scopeGeneration_;
  routes.routes.clear();
  routes.rated = false;
  RangesOfAttributes updates = updateRanges(&set);
  for (const auto& route : declarations_.detailedRoutes(routes.objectClass, self_)) {
    AttributeSet wanted;
    for (const Attribute attribute : model_->objectClass(routes.objectClass).attributes) {
      const int index = model_->indexOf(routes.objectClass, attribute);
      double rate = 0;
      if (!wants(route, index, attribute, updates[attribute], rate)) continue;
      wanted.set(static_cast<std::size_t>(index));
      routes.rated = routes.rated || rate > 0;
    }
    if (!wanted.empty()) routes.routes.push_back({route.receiver, std::move(wanted)});
  }
}

/// Tells those for whom an instance has come within a region or left one that it has.
void Federate::tellScopeChange(const Known& known, const std::vector<ScopedRoutes::Route>& before) {
  const auto& after = scopedRoutes(known).routes;
  receivers_.clear();
  auto b = before.begin();
  auto a = after.begin();
  while (b != before.end() || a != after.end()) {
    if (a == after.end() || (b != before.end() && b->receiver < a->receiver)) {
      receivers_.push_back((b++)->receiver);
    } else if (b == before.end() || a->receiver < b->receiver) {
      receivers_.push_back((a++)->receiver);
    } else {
      if (a->attributes != b->attributes) receivers_.push_back(a->receiver);
      ++a;
      ++b;
    }
  }
  std::erase_if(receivers_,
                [this](FederateNumber receiver) { return !members_.contains(receiver); });
  sendDiscover(known.instance, known);
}

void Federate::sendDiscover(ObjectInstance instance, const Known& known) {
  if (receivers_.empty()) return;
  const std::string_view name = known.ownName();
  const std::vector<Attribute> owned = listOf(known.registeredClass, known.atFirst);
  RecordWriter writer(outgoing_);
  writer.put(DiscoverBody{instance, known.row, known.registeredClass,
                          static_cast<std::uint32_t>(name.size()),
                          static_cast<std::uint32_t>(owned.size())});
  writer.put(name.data(), name.size());
  writer.put(owned.data(), owned.size() * sizeof(Attribute));
  std::size_t regions = 0;
  if (known.regions.shown != nullptr) {
    for (const AttributeRegion& one : known.regions.shown->regions) writer.put(one);
    regions = known.regions.shown->regions.size();
  }
  writer.finish(RecordType::Discover, regions == 0 ? 0 : fabric::recordFlag::regions, regions,
                log_.applied, 0);
  outbox_.send(outgoing_, receivers_);
}

/// What a message with `values` of an instance that is updated with `set` says of regions; null:
/// nothing. Valid until the next message.
const SentRegions* Federate::sentWith(RegionSet* set, std::span<const Value> values) {
  if (set == nullptr) return nullptr;
  SentRegions& sent = set->sent;
  if (set->sentGeneration != boundsGeneration_) {
    set->sentGeneration = boundsGeneration_;
    sent.clear();
    set->setsOf.clear();
    for (auto one = set->regions.begin(); one != set->regions.end();) {
      const Attribute attribute = one->attribute;
      std::vector<std::uint32_t> indices;
      for (; one != set->regions.end() && one->attribute == attribute; ++one) {
        indices.push_back(sent.indexOf(one->region, regions_.at(one->region).committed));
      }
      set->setsOf.emplace_back(attribute, sent.setOf(std::move(indices)));
    }
  }
  sent.setOfItem.clear();
  bool any = false;
  for (const Value& value : values) {
    const auto found = std::find_if(set->setsOf.begin(), set->setsOf.end(),
                                    [&](const auto& one) { return one.first == value.handle; });
    sent.setOfItem.push_back(found == set->setsOf.end() ? 0 : found->second);
    any = any || sent.setOfItem.back() != 0;
  }
  return any ? &sent : nullptr;
}

SentRegions Federate::sentWith(const std::vector<Region>& regions) const {
  SentRegions sent;
  std::vector<std::uint32_t> indices;
  for (const Region region : regions) {
    indices.push_back(sent.indexOf(region, regions_.at(region).committed));
  }
  sent.setOf(std::move(indices));
  return sent;
}

void Federate::interactionReceivers(InteractionClass interactionClass, const SentRegions& sent) {
  const omt::CompactModel& model = model_->compact();
  bounds_.clear();
  receivers_.clear();
  for (const FederateNumber receiver : declarations_.interactionRoutes(interactionClass, self_)) {
    const InteractionClass as = declarations_.interactionSubscribedAt(receiver, interactionClass);
    const auto isWithin = [&](const Ranges* subscribed) {
      return std::any_of(sent.regions.begin(), sent.regions.end(), [&](const auto& one) {
        return overlap(model, {model.interactionDimensions(interactionClass), &one.second},
                       {model.interactionDimensions(as), subscribed});
      });
    };
    const auto* declared = declarations_.of(receiver);
    bool wanted = declared->subscribedInteractions.contains(as) && isWithin(nullptr);
    if (const auto* with = declarations_.interactionWithRegions(receiver, as); with && !wanted) {
      wanted = std::any_of(with->begin(), with->end(), [&](const fabric::SubscribedRegion& one) {
        const Ranges* ranges = boundsOf(one.region);
        return ranges != nullptr && isWithin(ranges);
      });
    }
    if (wanted) receivers_.push_back(receiver);
  }
}

// --- receiving -----------------------------------------------------------------------------------

bool Federate::isSubscribedInScope(ObjectClass objectClass, Attribute attribute,
                                   const std::vector<Ranges>& updates) {
  const int index = model_->indexOf(objectClass, attribute);
  if (index < 0) return false;
  if (declarations_.subscription(self_, objectClass)->test(static_cast<std::size_t>(index)) &&
      overlaps(attribute, updates, nullptr)) {
    return true;
  }
  const auto* with = declarations_.withRegions(self_, objectClass);
  if (with == nullptr) return false;
  const auto found = with->find(attribute);
  if (found == with->end()) return false;
  return std::any_of(
      found->second.begin(), found->second.end(), [&](const fabric::SubscribedRegion& one) {
        const auto own = regions_.find(one.region);
        return own != regions_.end() && overlaps(attribute, updates, &own->second.committed);
      });
}

std::optional<std::vector<Ranges>> Federate::rangesOf(std::span<const AttributeRegion> regions,
                                                      Attribute attribute) {
  std::vector<Ranges> ranges;
  bool any = false;
  for (const AttributeRegion& one : regions) {
    if (one.attribute != attribute) continue;
    any = true;
    if (const Ranges* bounds = boundsOf(one.region)) ranges.push_back(*bounds);
  }
  // A region that is gone meanwhile is within nothing; its owner tells what holds instead.
  if (any && ranges.empty()) return std::nullopt;
  return ranges;
}

std::vector<Ranges> Federate::rangesOf(const SentRegions& sent, std::uint32_t set) {
  std::vector<Ranges> ranges;
  if (set == 0 || set > sent.sets.size()) return ranges;
  for (const std::uint32_t index : sent.sets[set - 1]) ranges.push_back(sent.regions[index].second);
  return ranges;
}

bool Federate::isAnyInScope(ObjectClass objectClass, std::span<const AttributeRegion> regions) {
  if (regions.empty() && declarations_.withRegions(self_, objectClass) == nullptr) return true;
  bounds_.clear();
  for (const Attribute attribute : declarations_.allSubscribed(self_, objectClass)) {
    const auto ranges = rangesOf(regions, attribute);
    if (ranges && isSubscribedInScope(objectClass, attribute, *ranges)) return true;
  }
  return false;
}

bool Federate::isAnyInScope(ObjectClass objectClass, std::span<const Value> values,
                            const SentRegions& sent) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t set = i < sent.setOfItem.size() ? sent.setOfItem[i] : 0;
    if (isSubscribedInScope(objectClass, values[i].handle, rangesOf(sent, set))) return true;
  }
  return false;
}

/// Nothing for what was sent without regions: then no set is conveyed (6.11, 6.13; hasSentRegions
/// is false). An empty one would say that it was sent to nobody (9.12).
std::span<const Region> Federate::convey(const SentRegions& sent, std::uint32_t set) {
  conveyedNow_.clear();
  if (!conveysRegions() || set == 0 || set > sent.sets.size()) {
    return {};
  }
  for (const std::uint32_t index : sent.sets[set - 1]) {
    const auto& [region, ranges] = sent.regions[index];
    conveyedNow_.push_back(region);
    conveyed_[region] = ranges;
  }
  return conveyedNow_;
}

void Federate::keepInScope(ObjectClass objectClass) {
  sets_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::uint32_t set = i < sent_.setOfItem.size() ? sent_.setOfItem[i] : 0;
    if (!isSubscribedInScope(objectClass, values_[i].handle, rangesOf(sent_, set))) continue;
    values_[kept++] = values_[i];
    sets_.push_back(set);
  }
  values_.resize(kept);
}

void Federate::divideByRegions(ObjectInstance instance, ObjectClass objectClass,
                               MessageInfo& info) {
  if (!conveysRegions()) return;
  // Attributes that were sent with different regions are told apart (6.11): the first set now, the
  // others right behind it.
  std::vector<std::uint32_t> others = sets_;
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  for (auto set = others.rbegin(); set + 1 != others.rend(); ++set) {
    std::vector<Value> part;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (sets_[i] == *set) part.push_back(values_[i]);
    }
    queueReflect(instance, objectClass, part, info, *set);
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (sets_[i] == others.front()) values_[first++] = values_[i];
  }
  values_.resize(first);
  info.regions = convey(sent_, others.front());
}

void Federate::queueReflect(ObjectInstance instance, ObjectClass objectClass,
                            const std::vector<Value>& values, const MessageInfo& info,
                            std::uint32_t set) {
  struct Kept {
    std::vector<std::vector<std::byte>> bytes;
    std::vector<Value> values;
    std::vector<std::byte> tag;
    std::vector<Region> regions;
    MessageInfo info;
  };
  auto kept = std::make_shared<Kept>();
  kept->info = info;
  kept->tag.assign(info.tag.begin(), info.tag.end());
  kept->info.tag = kept->tag;
  for (const Value& value : values) {
    kept->bytes.emplace_back(value.bytes.begin(), value.bytes.end());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    kept->values.push_back({values[i].handle, kept->bytes[i]});
  }
  const auto regions = convey(sent_, set);
  kept->regions.assign(regions.begin(), regions.end());
  kept->info.regions = kept->regions;
  Queued item;
  item.call = [instance, objectClass, kept](Callbacks& c) {
    c.reflected(instance, objectClass, kept->values, kept->info);
  };
  queue_.push_front(std::move(item));
}

bool Federate::isInteractionInScope(InteractionClass sentClass, InteractionClass as,
                                    const SentRegions& sent) const {
  const auto* with = declarations_.interactionWithRegions(self_, as);
  if (sent.empty() && with == nullptr) return true;
  const omt::CompactModel& model = model_->compact();
  const auto isWithin = [&](const Ranges* subscribed) {
    const Realization wanted{model.interactionDimensions(as), subscribed};
    const auto available = model.interactionDimensions(sentClass);
    if (sent.empty()) return overlap(model, {available, nullptr}, wanted);
    return std::any_of(sent.regions.begin(), sent.regions.end(), [&](const auto& one) {
      return overlap(model, {available, &one.second}, wanted);
    });
  };
  const auto* own = declarations_.of(self_);
  if (own->subscribedInteractions.contains(as) && isWithin(nullptr)) return true;
  return with != nullptr &&
         std::any_of(with->begin(), with->end(), [&](const fabric::SubscribedRegion& one) {
           const auto region = regions_.find(one.region);
           return region != regions_.end() && isWithin(&region->second.committed);
         });
}

bool Federate::isRequestInScope(ObjectInstance instance, Attribute attribute,
                                const SentRegions& sent) const {
  std::vector<Ranges> updates;
  const auto known = instances_.find(instance);
  if (known != instances_.end() && known->second.regions.set != nullptr) {
    for (const AttributeRegion& one : known->second.regions.set->regions) {
      if (one.attribute == attribute) updates.push_back(regions_.at(one.region).committed);
    }
  }
  return std::any_of(sent.regions.begin(), sent.regions.end(),
                     [&](const auto& one) { return overlaps(attribute, updates, &one.second); });
}

// --- discovery and advisories --------------------------------------------------------------------

UpdateRegionsByInstance Federate::collectUpdateRegions(
    const std::function<bool(ObjectInstance)>& concerned) const {
  UpdateRegionsByInstance regions;
  for (const auto& [federate, member] : members_) {
    if (federate == self_) continue;
    const fabric::Offset first = member.block->updateRegions.load(std::memory_order_acquire);
    if (first == 0) continue;
    visitUpdateRegions(*arena_, first, [&](const ShownInstance& shown) {
      if (!concerned(shown.instance)) return;
      auto& all = regions[shown.instance];
      all.insert(all.end(), shown.regions.begin(), shown.regions.end());
    });
  }
  return regions;
}

void Federate::discoverInRegions() {
  regionsMoved_ = false;
  // Instances without update regions are within every region: they are known since the
  // subscription.
  discoverInTables(false);
}

/// Finds what others have registered and is within a subscription of this federate. Of the others'
/// instances it keeps nothing: there may be a million of them.
void Federate::discoverInTables(bool alsoWithoutRegions) {
  const Declarations::Federate* const own = declarations_.of(self_);
  if (own == nullptr) return;
  // What is registered behind these rows from now on: its registrant sees our subscription.
  std::map<FederateNumber, std::vector<bool>> withoutRegions;
  if (alsoWithoutRegions) {
    for (const auto& [federate, member] : members_) {
      if (federate == self_) continue;
      withoutRegions[federate].assign(instanceRows(*arena_, tableOf(federate)), true);
    }
    for (const auto& [federate, table] : adoptedTables_) {
      withoutRegions[federate].assign(instanceRows(*arena_, table), true);
    }
    if (forgotOwn_) withoutRegions[self_].assign(instanceRows(*arena_, tableOf(self_)), true);
  }
  std::set<ObjectClass> classes;
  for (const auto& [objectClass, declared] : own->subscribed) classes.insert(objectClass);
  for (const auto& [objectClass, attributes] : own->withRegions) classes.insert(objectClass);
  UpdateRegionsByInstance divided;  // whose attributes have several owners
  std::map<ObjectInstance, std::uint32_t> rows;
  for (const auto& [federate, member] : members_) {
    if (federate == self_) continue;
    const fabric::Offset first = member.block->updateRegions.load(std::memory_order_acquire);
    if (first == 0) continue;
    std::unordered_map<const AttributeRegions*, bool> within;
    const auto isWithin = [&](const AttributeRegions& regions) {
      const auto [place, isNew] = within.try_emplace(&regions, false);
      if (isNew) {
        place->second = std::any_of(classes.begin(), classes.end(), [&](ObjectClass objectClass) {
          return isAnyInScope(objectClass, regions);
        });
      }
      return place->second;
    };
    visitUpdateRegions(*arena_, first, [&](const ShownInstance& shown) {
      const FederateNumber registrant = registrantOf(shown.instance);
      if (alsoWithoutRegions) {
        const auto table = withoutRegions.find(registrant);
        if (table != withoutRegions.end() && shown.row < table->second.size() &&
            holdsInstance(*arena_, tableOf(registrant), shown.row, shown.instance)) {
          table->second[shown.row] = false;
        }
      }
      if (registrant != federate || traded_.contains(shown.instance)) {
        auto& all = divided[shown.instance];
        all.insert(all.end(), shown.regions.begin(), shown.regions.end());
        rows[shown.instance] = shown.row;
        return;
      }
      if (!isWithin(shown.regions) || instances_.contains(shown.instance)) return;
      const auto entry = findInstance(*arena_, tableOf(registrant), shown.row, shown.instance);
      if (entry) discoverFound(registrant, *entry, shown.regions);
    });
  }
  for (const auto& [instance, regions] : divided) {
    if (instances_.contains(instance)) continue;
    const FederateNumber registrant = registrantOf(instance);
    const auto entry = findInstance(*arena_, tableOf(registrant), rows.at(instance), instance);
    if (entry) discoverFound(registrant, *entry, regions);
  }
  for (const auto& [federate, isWithout] : withoutRegions) {
    visitInstances(*arena_, tableOf(federate), isWithout,
                   [&, registrant = federate](const InstanceEntry& entry) {
                     discoverFound(registrant, entry, {});
                   });
  }
}

void Federate::switchScopeAdvisory(bool on) {
  requireJoined();
  applyLog();
  if (scopeAdvisory_ == on) {
    fail(on ? Fault::AttributeScopeAdvisorySwitchIsOn : Fault::AttributeScopeAdvisorySwitchIsOff,
         on ? "The switch is already on." : "The switch is already off.");
  }
  scopeAdvisory_ = on;
  scopesChanged_ = true;
  interruptWait();
}

void Federate::refreshScopes() {
  scopesChanged_ = false;
  if (router_ != 0) showRegionTables();  // what a change of ownership has changed
  if (!scopeAdvisory_) return;
  const UpdateRegionsByInstance regions = collectUpdateRegions(
      [this](ObjectInstance instance) { return instances_.contains(instance); });
  bounds_.clear();
  struct Change {
    ObjectInstance instance;
    bool inScope;
    std::vector<Attribute> attributes;
  };
  std::vector<Change> changes;
  for (const auto& [instance, known] : instances_) {
    std::set<Attribute> now;
    const auto found = regions.find(instance);
    const std::span<const AttributeRegion> updates =
        found == regions.end() ? std::span<const AttributeRegion>() : found->second;
    for (const Attribute attribute : declarations_.allSubscribed(self_, known.objectClass)) {
      const FederateNumber owner = ownerOf(instance, known, attribute);
      if (owner == 0 || owner == self_) continue;
      const auto ranges = rangesOf(updates, attribute);
      if (ranges && isSubscribedInScope(known.objectClass, attribute, *ranges)) {
        now.insert(attribute);
      }
    }
    const auto told = inScope_.find(instance);
    static const std::set<Attribute> nothing;
    const std::set<Attribute>& before = told == inScope_.end() ? nothing : told->second;
    if (now == before) continue;
    for (const bool inScope : {true, false}) {
      const std::set<Attribute>& more = inScope ? now : before;
      const std::set<Attribute>& less = inScope ? before : now;
      Change change{instance, inScope, {}};
      std::set_difference(more.begin(), more.end(), less.begin(), less.end(),
                          std::back_inserter(change.attributes));
      if (!change.attributes.empty()) changes.push_back(std::move(change));
    }
    if (now.empty()) {
      inScope_.erase(instance);
    } else {
      inScope_[instance] = std::move(now);
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::pair(a.instance, a.inScope) < std::pair(b.instance, b.inScope);
  });
  // In front of updates that are there because of it.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    Queued item;
    item.call = [one = std::move(*change)](Callbacks& c) {
      c.scopeChanged(one.instance, one.attributes, one.inScope);
    };
    queue_.push_front(std::move(item));
  }
}

}  // namespace tutti::core
