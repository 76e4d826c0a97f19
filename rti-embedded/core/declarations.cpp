// SPDX-License-Identifier: Apache-2.0
#include "core/declarations.h"

#include <algorithm>
#include <utility>

namespace tutti::core {

void Declarations::changed() {
  ++epoch_;
  objectRoutes_.clear();
  interactionRoutes_.clear();
  subscriptions_.clear();
}

void Declarations::declareObjectClass(FederateNumber federate, ObjectClass objectClass,
                                      bool publish, bool passive,
                                      std::vector<Attribute> attributes) {
  auto& entry = federates_[federate];
  auto& classes = publish ? entry.published : entry.subscribed;
  if (attributes.empty()) {
    classes.erase(objectClass);
  } else {
    classes[objectClass] = {std::move(attributes), passive};
    if (!publish) entry.onceSubscribed.insert(objectClass);
  }
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

void Declarations::remove(FederateNumber federate) {
  federates_.erase(federate);
  changed();
}

void Declarations::clear() {
  federates_.clear();
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
  if (declared == nullptr || declared->subscribed.empty()) return 0;
  for (ObjectClass c = objectClass; c != 0; c = model_->objectClass(c).parent) {
    if (declared->subscribed.contains(c)) return c;
  }
  return 0;
}

InteractionClass Declarations::interactionSubscribedAt(FederateNumber federate,
                                                       InteractionClass interactionClass) const {
  const Federate* declared = of(federate);
  if (declared == nullptr || declared->subscribedInteractions.empty()) return 0;
  for (InteractionClass c = interactionClass; c != 0; c = model_->interactionClass(c).parent) {
    if (declared->subscribedInteractions.contains(c)) return c;
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
      const auto found = declared.subscribed.find(c);
      if (found == declared.subscribed.end() || found->second.passive) continue;
      const std::vector<Attribute>& wanted = found->second.attributes;
      if (std::find_first_of(published.begin(), published.end(), wanted.begin(), wanted.end()) !=
          published.end()) {
        return true;
      }
    }
  }
  return false;
}

bool Declarations::interactionRelevant(InteractionClass interactionClass,
                                       FederateNumber self) const {
  for (const auto& [federate, declared] : federates_) {
    if (federate == self) continue;
    for (InteractionClass c = interactionClass; c != 0; c = model_->interactionClass(c).parent) {
      const auto found = declared.subscribedInteractions.find(c);
      if (found != declared.subscribedInteractions.end() && !found->second.passive) return true;
    }
  }
  return false;
}

}  // namespace tutti::core
