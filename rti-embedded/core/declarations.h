// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/attribute_set.h"
#include "core/callbacks.h"
#include "core/model.h"
#include "fabric/protocol_regions.h"

namespace tutti::core {

/// Who publishes and subscribes what in a federation execution, as the control log tells, and the
/// ways that updates and interactions take from here.
class Declarations {
 public:
  struct ClassDeclaration {
    std::vector<Attribute> attributes;
    bool passive = false;                        ///< all attributes are
    std::vector<Attribute> passiveAttributes{};  ///< or these, when not all are
    std::vector<std::string> updateRates{};      ///< designators, one for each; empty: none

    bool isPassive(Attribute attribute) const;
    /// Empty: each update is wanted.
    std::string updateRate(Attribute attribute) const;
  };
  using Regions = std::vector<fabric::SubscribedRegion>;  ///< ascending
  struct InteractionDeclaration {
    bool passive = false;
  };
  struct Federate {
    std::map<ObjectClass, ClassDeclaration> published;
    std::map<ObjectClass, ClassDeclaration> subscribed;
    std::set<ObjectClass> onceSubscribed;
    std::map<InteractionClass, InteractionDeclaration> publishedInteractions;
    std::map<InteractionClass, InteractionDeclaration> subscribedInteractions;
    /// What is subscribed with regions, beside that with the default region (9.8, 9.10).
    std::map<ObjectClass, std::map<Attribute, Regions>> withRegions;
    std::map<InteractionClass, Regions> interactionsWithRegions;

    bool subscribes(ObjectClass objectClass) const {
      return subscribed.contains(objectClass) || withRegions.contains(objectClass);
    }
    bool subscribesInteraction(InteractionClass c) const {
      return subscribedInteractions.contains(c) || interactionsWithRegions.contains(c);
    }
  };
  struct ObjectRoute {
    FederateNumber receiver;
    AttributeSet attributes;  ///< subscribed at the class or at any of its superclasses
  };
  /// What one federate wants of one attribute, at the class or at any of its superclasses.
  struct AttributeRoute {
    bool subscribed = false;  ///< with the default region
    double updateRate = 0;    ///< per second; 0: each update
    struct WithRegion {
      fabric::RegionNumber region;
      double updateRate;
    };
    std::vector<WithRegion> regions;
  };
  /// An ObjectRoute with regions and update rates.
  struct DetailedRoute {
    FederateNumber receiver;
    std::vector<AttributeRoute> attributes;  ///< by index in the class
  };

  void setModel(const Model* model) {
    model_ = model;
    changed();
  }

  void declareObjectClass(FederateNumber federate, ObjectClass objectClass, bool publish,
                          ClassDeclaration declaration);
  void declareInteractionClass(FederateNumber federate, InteractionClass interactionClass,
                               bool publish, bool active, bool passive);
  void declareRegions(FederateNumber federate, ObjectClass objectClass,
                      const std::vector<fabric::RegionsOfAttribute>& attributes);
  void declareRegions(FederateNumber federate, InteractionClass interactionClass,
                      const Regions& regions);
  void remove(FederateNumber federate);
  void clear();

  const Federate* of(FederateNumber federate) const;

  /// Who wants updates of instances registered at `objectClass`, but for `self`. Valid until the
  /// next change.
  const std::vector<ObjectRoute>& objectRoutes(ObjectClass objectClass, FederateNumber self);
  /// The same in detail, and with those who subscribe with regions.
  const std::vector<DetailedRoute>& detailedRoutes(ObjectClass objectClass, FederateNumber self);
  /// Whether anyone but `self` subscribes the class or a superclass with regions or update rates:
  /// then objectRoutes() tells too little.
  bool needsDetail(ObjectClass objectClass, FederateNumber self);
  /// False: needsDetail() is false for all classes. Costs one load.
  bool anyDetail() const { return anyDetail_; }
  /// Who subscribes the class or a superclass of it, or once did: whoever may know its instances.
  std::vector<FederateNumber> onceSubscribed(ObjectClass objectClass, FederateNumber self) const;
  const std::vector<FederateNumber>& interactionRoutes(InteractionClass interactionClass,
                                                       FederateNumber self);

  /// The closest class, from `objectClass` upwards, that `federate` subscribes; 0: none (6.9).
  ObjectClass subscribedAt(FederateNumber federate, ObjectClass objectClass) const;
  InteractionClass interactionSubscribedAt(FederateNumber federate,
                                           InteractionClass interactionClass) const;
  /// What `federate` subscribes at exactly this class.
  const AttributeSet* subscription(FederateNumber federate, ObjectClass objectClass);

  /// Whether someone other than `self` actively subscribes, at the class or above it, an attribute
  /// that `self` publishes at the class (5.10: registration of instances is of use).
  bool registrationRelevant(ObjectClass objectClass, FederateNumber self) const;
  bool interactionRelevant(InteractionClass interactionClass, FederateNumber self) const;
  /// By index in the class: whether someone other than `self` actively subscribes the attribute
  /// there or above (6.21), and the designator of the fastest rate; empty: each update. Of the
  /// subscriptions only those count that `isWithin`: an attribute, and the region that it is
  /// subscribed with; 0: the default region.
  struct Wanted {
    bool wanted = false;
    std::string updateRate;
  };
  std::vector<Wanted> activelyWanted(
      ObjectClass objectClass, FederateNumber self,
      const std::function<bool(Attribute, fabric::RegionNumber)>& isWithin) const;

  /// The attributes that `federate` subscribes at exactly this class, with whatever regions.
  std::vector<Attribute> allSubscribed(FederateNumber federate, ObjectClass objectClass) const;
  /// What `federate` subscribes with regions at exactly this class; null: nothing.
  const std::map<Attribute, Regions>* withRegions(FederateNumber federate,
                                                  ObjectClass objectClass) const;
  const Regions* interactionWithRegions(FederateNumber federate,
                                        InteractionClass interactionClass) const;
  /// Regions that others than `self` have subscribed instances with.
  std::set<fabric::RegionNumber> regionsOfOthers(FederateNumber self) const;
  /// Whether `federate` has subscribed anything with this region.
  bool usesRegion(FederateNumber federate, fabric::RegionNumber region) const;

  std::uint64_t epoch() const { return epoch_; }

 private:
  void changed();

  const Model* model_ = nullptr;
  std::map<FederateNumber, Federate> federates_;
  std::unordered_map<ObjectClass, std::vector<ObjectRoute>> objectRoutes_;
  std::unordered_map<ObjectClass, std::vector<DetailedRoute>> detailedRoutes_;
  std::unordered_map<ObjectClass, bool> needsDetail_;
  bool anyDetail_ = false;
  std::unordered_map<InteractionClass, std::vector<FederateNumber>> interactionRoutes_;
  std::map<std::pair<FederateNumber, ObjectClass>, AttributeSet> subscriptions_;
  std::uint64_t epoch_ = 1;
};

}  // namespace tutti::core
