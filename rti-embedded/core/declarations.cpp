// SPDX-License-Identifier: Apache-2.0
#include "core/declarations.h"

#include <algorithm>
#include <utility>

namespace tutti::core {
namespace {

bool anyActive(const Declarations::Regions& regions) {
  return std::any_of(regions.begin(), regions.end(),
                     [](const fabric::SubscribedRegion& one) { return !one.passive; });
}

}  // namespace

void Declarations::changed() {
  ++epoch_;
  objectRoutes_.clear();
  detailedRoutes_.clear();
  needsDetail_.clear();
  interactionRoutes_.clear();
  subscriptions_.clear();
}

void Declarations::declareObjectClass(FederateNumber federate, ObjectClass objectClass,
                                      bool publish, ClassDeclaration declaration) {
  auto& entry = federates_[federate];
  auto& classes = publish ? entry.published : entry.subscribed;
  if (declaration.attributes.empty()) {
    classes.erase(objectClass);
  } else {
    if (!declaration.updateRates.empty()) anyDetail_ = true;
    classes[objectClass] = std::move(declaration);
  }
  // What ends was there, before this federate joined perhaps.
  if (!publish) entry.onceSubscribed.insert(objectClass);
  changed();
}

void Declarations::declareInteractionClass(FederateNumber federate,
                                           InteractionClass interactionClass, bool publish,
                                           bool active, bool passive) {
  auto& entry = federates_[federate];
  auto& classes = publish ? entry.publishedInteractions : entry.subscribedInteractions;
  if (active) {
    classes[interactionClass] = {passive};
  } else {
    classes.erase(interactionClass);
  }
  changed();
}

void Declarations::declareRegions(FederateNumber federate, ObjectClass objectClass,
                                  const std::vector<fabric::RegionsOfAttribute>& attributes) {
  auto& entry = federates_[federate];
  if (attributes.empty()) {
    entry.withRegions.erase(objectClass);
  } else {
    auto& class_ = entry.withRegions[objectClass];
    class_.clear();
    for (const auto& one : attributes) class_[one.attribute] = one.regions;
    entry.onceSubscribed.insert(objectClass);
    anyDetail_ = true;
  }
  changed();
}

void Declarations::declareRegions(FederateNumber federate, InteractionClass interactionClass,
                                  const Regions& regions) {
  auto& entry = federates_[federate];
  if (regions.empty()) {
    entry.interactionsWithRegions.erase(interactionClass);
  } else {
    entry.interactionsWithRegions[interactionClass] = regions;
  }
  changed();
}

void Declarations::remove(FederateNumber federate) {
  federates_.erase(federate);
  changed();
}

void Declarations::clear() {
  federates_.clear();
  anyDetail_ = false;
  changed();
}

const Declarations::Federate* Declarations::of(FederateNumber federate) const {
  const auto found = federates_.find(federate);
  return found == federates_.end() ? nullptr : &found->second;
}

const std::vector<Declarations::ObjectRoute>& Declarations::objectRoutes(ObjectClass objectClass,
                                                                         FederateNumber self) {
  const auto [place, isNew] = objectRoutes_.try_emplace(objectClass);
  if (!isNew) return place->second;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self || declared.subscribed.empty()) continue;
    ObjectRoute route{federate, {}};
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      const auto found = declared.subscribed.find(c);
      if (found == declared.subscribed.end()) continue;
      for (const Attribute attribute : found->second.attributes) {
        if (const int index = model_->indexOf(objectClass, attribute); index >= 0) {
          route.attributes.set(static_cast<std::size_t>(index));
        }
      }
    }
    if (!route.attributes.empty()) place->second.push_back(std::move(route));
  }
  return place->second;
}

bool Declarations::ClassDeclaration::isPassive(Attribute attribute) const {
  return passive || std::find(passiveAttributes.begin(), passiveAttributes.end(), attribute) !=
                        passiveAttributes.end();
}

std::string Declarations::ClassDeclaration::updateRate(Attribute attribute) const {
  const auto found = std::find(attributes.begin(), attributes.end(), attribute);
  const auto index = static_cast<std::size_t>(found - attributes.begin());
  return index < updateRates.size() ? updateRates[index] : std::string();
}

bool Declarations::needsDetail(ObjectClass objectClass, FederateNumber self) {
  const auto [place, isNew] = needsDetail_.try_emplace(objectClass, false);
  if (!isNew) return place->second;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      const auto found = declared.subscribed.find(c);
      if (declared.withRegions.contains(c) ||
          (found != declared.subscribed.end() && !found->second.updateRates.empty())) {
        place->second = true;
        return true;
      }
    }
  }
  return false;
}

const std::vector<Declarations::DetailedRoute>& Declarations::detailedRoutes(
    ObjectClass objectClass, FederateNumber self) {
  const auto [place, isNew] = detailedRoutes_.try_emplace(objectClass);
  if (!isNew) return place->second;
  const auto rateOf = [this](const std::string& designator) {
    return designator.empty() ? 0.0 : model_->compact().updateRate(designator);
  };
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    DetailedRoute route{federate, {}};
    bool any = false;
    const auto routeOf = [&](Attribute attribute) -> AttributeRoute* {
      const int index = model_->indexOf(objectClass, attribute);
      if (index < 0) return nullptr;
      route.attributes.resize(model_->objectClass(objectClass).attributes.size());
      any = true;
      return &route.attributes[static_cast<std::size_t>(index)];
    };
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      if (const auto found = declared.subscribed.find(c); found != declared.subscribed.end()) {
        for (const Attribute attribute : found->second.attributes) {
          AttributeRoute* to = routeOf(attribute);
          if (to == nullptr) continue;
          const double rate = rateOf(found->second.updateRate(attribute));
          // Subscribed twice, at this class and above it: the faster rate, and 0 is the fastest.
          const bool slower =
              to->subscribed && (to->updateRate == 0 || (rate != 0 && rate < to->updateRate));
          if (!slower) to->updateRate = rate;
          to->subscribed = true;
        }
      }
      const auto found = declared.withRegions.find(c);
      if (found == declared.withRegions.end()) continue;
      for (const auto& [attribute, regions] : found->second) {
        AttributeRoute* to = routeOf(attribute);
        if (to == nullptr) continue;
        for (const auto& one : regions) to->regions.push_back({one.region, rateOf(one.updateRate)});
      }
    }
    if (any) place->second.push_back(std::move(route));
  }
  return place->second;
}

const std::map<Attribute, Declarations::Regions>* Declarations::withRegions(
    FederateNumber federate, ObjectClass objectClass) const {
  const Federate* declared = of(federate);
  if (declared == nullptr) return nullptr;
  const auto found = declared->withRegions.find(objectClass);
  return found == declared->withRegions.end() ? nullptr : &found->second;
}

std::vector<Attribute> Declarations::allSubscribed(FederateNumber federate,
                                                   ObjectClass objectClass) const {
  std::set<Attribute> all;
  if (const Federate* declared = of(federate)) {
    if (const auto found = declared->subscribed.find(objectClass);
        found != declared->subscribed.end()) {
      all.insert(found->second.attributes.begin(), found->second.attributes.end());
    }
    if (const auto found = declared->withRegions.find(objectClass);
        found != declared->withRegions.end()) {
      for (const auto& [attribute, regions] : found->second) all.insert(attribute);
    }
  }
  return {all.begin(), all.end()};
}

const Declarations::Regions* Declarations::interactionWithRegions(
    FederateNumber federate, InteractionClass interactionClass) const {
  const Federate* declared = of(federate);
  if (declared == nullptr) return nullptr;
  const auto found = declared->interactionsWithRegions.find(interactionClass);
  return found == declared->interactionsWithRegions.end() ? nullptr : &found->second;
}

std::set<fabric::RegionNumber> Declarations::regionsOfOthers(FederateNumber self) const {
  std::set<fabric::RegionNumber> all;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (const auto& [objectClass, attributes] : declared.withRegions) {
      for (const auto& [attribute, regions] : attributes) {
        for (const auto& one : regions) all.insert(one.region);
      }
    }
  }
  return all;
}

bool Declarations::usesRegion(FederateNumber federate, fabric::RegionNumber region) const {
  const Federate* declared = of(federate);
  if (declared == nullptr) return false;
  const auto holds = [region](const Regions& regions) {
    return std::any_of(regions.begin(), regions.end(),
                       [region](const auto& one) { return one.region == region; });
  };
  for (const auto& [objectClass, attributes] : declared->withRegions) {
    for (const auto& [attribute, regions] : attributes) {
      if (holds(regions)) return true;
    }
  }
  return std::any_of(declared->interactionsWithRegions.begin(),
                     declared->interactionsWithRegions.end(),
                     [&](const auto& item) { return holds(item.second); });
}

const std::vector<FederateNumber>& Declarations::interactionRoutes(
    InteractionClass interactionClass, FederateNumber self) {
  const auto [place, isNew] = interactionRoutes_.try_emplace(interactionClass);
  if (!isNew) return place->second;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    if (interactionSubscribedAt(federate, interactionClass) != 0) place->second.push_back(federate);
  }
  return place->second;
}

std::vector<FederateNumber> Declarations::onceSubscribed(ObjectClass objectClass,
                                                         FederateNumber self) const {
  std::vector<FederateNumber> result;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self || declared.onceSubscribed.empty()) continue;
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      if (!declared.onceSubscribed.contains(c)) continue;
      result.push_back(federate);
      break;
    }
  }
  return result;
}

ObjectClass Declarations::subscribedAt(FederateNumber federate, ObjectClass objectClass) const {
  const Federate* declared = of(federate);
  if (declared == nullptr) return 0;
  for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
    if (declared->subscribes(c)) return c;
  }
  return 0;
}

InteractionClass Declarations::interactionSubscribedAt(FederateNumber federate,
                                                       InteractionClass interactionClass) const {
  const Federate* declared = of(federate);
  if (declared == nullptr) return 0;
  for (InteractionClass c = interactionClass; c != 0; c = model_->interactionClass(c).parent) {
    if (declared->subscribesInteraction(c)) return c;
  }
  return 0;
}

const AttributeSet* Declarations::subscription(FederateNumber federate, ObjectClass objectClass) {
  const auto [place, isNew] = subscriptions_.try_emplace({federate, objectClass});
  if (isNew) {
    if (const Federate* declared = of(federate)) {
      const auto found = declared->subscribed.find(objectClass);
      if (found != declared->subscribed.end()) {
        for (const Attribute attribute : found->second.attributes) {
          const int index = model_->indexOf(objectClass, attribute);
          if (index >= 0) place->second.set(static_cast<std::size_t>(index));
        }
      }
    }
  }
  return &place->second;
}

bool Declarations::registrationRelevant(ObjectClass objectClass, FederateNumber self) const {
  const Federate* own = of(self);
  if (own == nullptr || !own->published.contains(objectClass)) return false;
  const std::vector<Attribute>& published = own->published.at(objectClass).attributes;
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      const auto isPublished = [&](Attribute attribute) {
        return std::find(published.begin(), published.end(), attribute) != published.end();
      };
      if (const auto found = declared.subscribed.find(c); found != declared.subscribed.end()) {
        for (const Attribute attribute : found->second.attributes) {
          if (!found->second.isPassive(attribute) && isPublished(attribute)) return true;
        }
      }
      const auto found = declared.withRegions.find(c);
      if (found == declared.withRegions.end()) continue;
      for (const auto& [attribute, regions] : found->second) {
        if (isPublished(attribute) && anyActive(regions)) return true;
      }
    }
  }
  return false;
}

std::vector<Declarations::Wanted> Declarations::activelyWanted(
    ObjectClass objectClass, FederateNumber self,
    const std::function<bool(Attribute, fabric::RegionNumber)>& isWithin) const {
  std::vector<Wanted> result(model_->objectClass(objectClass).attributes.size());
  const auto add = [&](Attribute attribute, const std::string& rate) {
    const int index = model_->indexOf(objectClass, attribute);
    if (index < 0) return;
    Wanted& one = result[static_cast<std::size_t>(index)];
    const bool faster =
        !one.wanted || rate.empty() ||
        (!one.updateRate.empty() &&
         model_->compact().updateRate(rate) > model_->compact().updateRate(one.updateRate));
    if (faster) one.updateRate = rate;
    one.wanted = true;
  };
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
      if (const auto found = declared.subscribed.find(c); found != declared.subscribed.end()) {
        for (const Attribute attribute : found->second.attributes) {
          if (!found->second.isPassive(attribute) && isWithin(attribute, 0))
            add(attribute, found->second.updateRate(attribute));
        }
      }
      const auto with = declared.withRegions.find(c);
      if (with == declared.withRegions.end()) continue;
      for (const auto& [attribute, regions] : with->second) {
        for (const auto& one : regions) {
          if (!one.passive && isWithin(attribute, one.region)) add(attribute, one.updateRate);
        }
      }
    }
  }
  return result;
}

bool Declarations::interactionRelevant(InteractionClass interactionClass,
                                       FederateNumber self) const {
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (InteractionClass c = interactionClass; c != 0; c = model_->interactionClass(c).parent) {
      const auto found = declared.subscribedInteractions.find(c);
      if (found != declared.subscribedInteractions.end() && !found->second.passive) return true;
      const auto some = declared.interactionsWithRegions.find(c);
      if (some != declared.interactionsWithRegions.end() && anyActive(some->second)) return true;
    }
  }
  return false;
}

}  // namespace tutti::core
