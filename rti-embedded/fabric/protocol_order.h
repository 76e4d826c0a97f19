// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "fabric/protocol.h"

/// Changes of transportation (IEEE 1516.1-2010, 6.23 to 6.30): everybody may ask who uses which.
namespace tutti::fabric {

/// Of an instance's attributes, by their owner.
struct AttributeTransportationRequest {
  std::uint64_t instance = 0;
  std::vector<std::uint32_t> attributes;
  bool bestEffort = false;
  bool ends = false;  ///< from here on as the object model says; no attributes: all of them
  template <class A>
  void fields(A& a) {
    a(instance, attributes, bestEffort, ends);
  }
};
struct AttributeTransportationRecord {
  FederateNumber federate = 0;
  AttributeTransportationRequest change;
  template <class A>
  void fields(A& a) {
    a(federate, change);
  }
};

/// Of what one federate sends of an interaction class.
struct InteractionTransportationRequest {
  std::uint32_t interactionClass = 0;
  bool bestEffort = false;
  bool ends = false;
  template <class A>
  void fields(A& a) {
    a(interactionClass, bestEffort, ends);
  }
};
struct InteractionTransportationRecord {
  FederateNumber federate = 0;
  InteractionTransportationRequest change;
  template <class A>
  void fields(A& a) {
    a(federate, change);
  }
};

/// What those records amount to: where transportation is not the object model's.
class Transportations {
 public:
  struct OfAttribute {
    FederateNumber federate = 0;  ///< who changed it; nobody else's updates are meant
    bool bestEffort = false;
  };

  void apply(const AttributeTransportationRecord& record) {
    const AttributeTransportationRequest& change = record.change;
    if (change.ends && change.attributes.empty()) attributes_.erase(change.instance);
    for (const std::uint32_t attribute : change.attributes) {
      if (change.ends) {
        end(change.instance, attribute);
      } else {
        attributes_[change.instance][attribute] = {record.federate, change.bestEffort};
      }
    }
  }
  void apply(const InteractionTransportationRecord& record) {
    const std::pair key(record.federate, record.change.interactionClass);
    if (record.change.ends) {
      interactions_.erase(key);
    } else {
      interactions_[key] = record.change.bestEffort;
    }
  }
  /// The attribute changes its owner.
  void end(std::uint64_t instance, std::uint32_t attribute) {
    const auto found = attributes_.find(instance);
    if (found == attributes_.end()) return;
    found->second.erase(attribute);
    if (found->second.empty()) attributes_.erase(found);
  }
  void left(FederateNumber federate) {
    for (auto instance = attributes_.begin(); instance != attributes_.end();) {
      std::erase_if(instance->second,
                    [&](const auto& one) { return one.second.federate == federate; });
      instance = instance->second.empty() ? attributes_.erase(instance) : std::next(instance);
    }
    std::erase_if(interactions_, [&](const auto& one) { return one.first.first == federate; });
  }
  void clear() {
    attributes_.clear();
    interactions_.clear();
  }

  /// Null: as the object model says.
  const OfAttribute* ofAttribute(std::uint64_t instance, std::uint32_t attribute) const {
    const auto found = attributes_.find(instance);
    if (found == attributes_.end()) return nullptr;
    const auto one = found->second.find(attribute);
    return one == found->second.end() ? nullptr : &one->second;
  }
  const bool* ofInteraction(FederateNumber federate, std::uint32_t interactionClass) const {
    const auto found = interactions_.find({federate, interactionClass});
    return found == interactions_.end() ? nullptr : &found->second;
  }
  bool has(std::uint64_t instance) const { return attributes_.contains(instance); }

  /// The records that lead here.
  template <class F, class G>
  void visit(F&& attributeRecord, G&& interactionRecord) const {
    for (const auto& [instance, attributes] : attributes_) {
      for (const auto& [attribute, one] : attributes) {
        attributeRecord(AttributeTransportationRecord{
            one.federate, {instance, {attribute}, one.bestEffort, false}});
      }
    }
    for (const auto& [key, bestEffort] : interactions_) {
      interactionRecord(
          InteractionTransportationRecord{key.first, {key.second, bestEffort, false}});
    }
  }

 private:
  std::map<std::uint64_t, std::map<std::uint32_t, OfAttribute>> attributes_;
  std::map<std::pair<FederateNumber, std::uint32_t>, bool> interactions_;
};

}  // namespace tutti::fabric
