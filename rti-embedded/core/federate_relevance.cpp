// SPDX-License-Identifier: Apache-2.0
// Whether somebody wants updates of the attributes that this federate owns (IEEE 1516.1-2010, 6.21,
// 6.22, 10.35, 10.36): who subscribes them actively, with a region that overlaps one of those that
// they are updated with.
#include <algorithm>
#include <utility>

#include "core/federate.h"

namespace tutti::core {

void Federate::switchUpdateAdvisory(bool on) {
  requireJoined();
  applyLog();
  if (updateAdvisory_ == on) {
    fail(on ? Fault::AttributeRelevanceAdvisorySwitchIsOn
            : Fault::AttributeRelevanceAdvisorySwitchIsOff,
         on ? "The switch is already on." : "The switch is already off.");
  }
  updateAdvisory_ = on;
  // What changed while nobody was to be told.
  if (on) refreshUpdateAdvisories();
}

void Federate::refreshUpdateAdvisories() {
  advisedEpoch_ = declarations_.epoch();
  lookAtRegions();
  advisedGeneration_ = scopeGeneration_;
  std::vector<ObjectInstance> owned;
  for (const auto& [instance, known] : instances_) {
    if (!known.owned.empty()) owned.push_back(instance);
  }
  refreshUpdateAdvisories(std::move(owned));
}

void Federate::refreshUpdateAdvisories(std::vector<ObjectInstance> instances) {
  // The same for all instances of a class that are updated with the same regions.
  std::map<std::pair<ObjectClass, const RegionSet*>, std::vector<Declarations::Wanted>> wanted;
  std::sort(instances.begin(), instances.end());
  for (const ObjectInstance instance : instances) {
    const Known& known = instances_.at(instance);
    const auto [place, isNew] = wanted.try_emplace({known.registeredClass, known.regions.shown});
    if (isNew) place->second = activelyWanted(known);
    refreshUpdateAdvisory(instance, known, place->second);
  }
}

/// Regions of others move without a word: their owners look, when they have nothing else to do.
/// True: there is something to be told.
bool Federate::refreshMovedUpdateAdvisories() {
  if (!declarations_.anyDetail()) return false;
  lookAtRegions();
  if (advisedGeneration_ == scopeGeneration_) return false;
  const std::size_t before = queue_.size();
  refreshUpdateAdvisories();
  return queue_.size() != before;
}

std::vector<Declarations::Wanted> Federate::activelyWanted(const Known& known) {
  bounds_.clear();
  RangesOfAttributes updates = updateRanges(known.regions.shown);
  return declarations_.activelyWanted(
      known.registeredClass, self_, [&](Attribute attribute, Region region) {
        const Ranges* subscribed = region == 0 ? nullptr : boundsOf(region);
        if (region != 0 && subscribed == nullptr) return false;
        return overlaps(attribute, updates[attribute], subscribed);
      });
}

void Federate::refreshUpdateAdvisory(ObjectInstance instance, const Known& known) {
  refreshUpdateAdvisory(instance, known, activelyWanted(known));
}

void Federate::refreshUpdateAdvisory(ObjectInstance instance, const Known& known,
                                     const std::vector<Declarations::Wanted>& wanted) {
  auto& on = turnedOn_[instance];
  std::map<std::string, std::vector<Attribute>> turnOn;  // by update rate
  std::vector<Attribute> turnOff;
  const auto& all = model_->objectClass(known.registeredClass).attributes;
  for (std::size_t i = 0; i < all.size() && i < wanted.size(); ++i) {
    if (!known.owned.test(i)) continue;
    const auto told = on.find(all[i]);
    if (!wanted[i].wanted) {
      if (told == on.end()) continue;
      turnOff.push_back(all[i]);
      on.erase(told);
    } else if (told == on.end() || told->second != wanted[i].updateRate) {
      turnOn[wanted[i].updateRate].push_back(all[i]);
      on[all[i]] = wanted[i].updateRate;
    }
  }
  if (on.empty()) turnedOn_.erase(instance);
  if (!turnOff.empty()) {
    queueCall([instance, turnOff = std::move(turnOff)](Callbacks& c) {
      c.updatesRelevant(instance, turnOff, false, {});
    });
  }
  for (auto& [rate, attributes] : turnOn) {
    queueCall([instance, rate = rate, attributes = std::move(attributes)](Callbacks& c) {
      c.updatesRelevant(instance, attributes, true, rate);
    });
  }
}

SavedUpdateAdvisories Federate::savedUpdateAdvisories() const {
  SavedUpdateAdvisories saved;
  saved.on = updateAdvisory_;
  for (const auto& [instance, attributes] : turnedOn_) {
    for (const auto& [attribute, rate] : attributes) {
      saved.told.push_back({instance, attribute, rate});
    }
  }
  return saved;
}

void Federate::takeUpdateAdvisories(const SavedUpdateAdvisories& saved) {
  updateAdvisory_ = saved.on;
  for (const SavedTurnedOn& one : saved.told) {
    turnedOn_[one.instance][one.attribute] = one.updateRate;
  }
}

}  // namespace tutti::core
