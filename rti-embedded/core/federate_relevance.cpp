// SPDX-License-Identifier: Apache-2.0
// Whether somebody wants updates of the attributes that this federate owns (IEEE 1516.1-2010, 6.21,
// 6.22, 10.35, 10.36).
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
  std::map<ObjectClass, std::vector<Declarations::Wanted>> wanted;
  std::vector<ObjectInstance> owned;
  for (const auto& [instance, known] : instances_) {
    if (!known.owned.empty()) owned.push_back(instance);
  }
  std::sort(owned.begin(), owned.end());
  for (const ObjectInstance instance : owned) {
    const Known& known = instances_.at(instance);
    const auto [place, isNew] = wanted.try_emplace(known.registeredClass);
    if (isNew) place->second = declarations_.activelyWanted(known.registeredClass, self_);
    refreshUpdateAdvisory(instance, known, place->second);
  }
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
