// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/callbacks.h"
#include "core/model.h"

namespace tutti::core {

/// Set of attributes of one object class, by their index in it.
class AttributeSet {
 public:
  void set(std::size_t index) {
    if (words_.size() <= index / 64) words_.resize(index / 64 + 1);
    words_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  void reset(std::size_t index) {
    if (index / 64 < words_.size()) words_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  }
  bool test(std::size_t index) const {
    return index / 64 < words_.size() && ((words_[index / 64] >> (index % 64)) & 1) != 0;
  }
  void clear() {
    for (auto& word : words_) word = 0;
  }
  bool empty() const {
    for (const auto word : words_) {
      if (word != 0) return false;
    }
    return true;
  }
  bool intersects(const AttributeSet& other) const {
    const std::size_t n = words_.size() < other.words_.size() ? words_.size() : other.words_.size();
    for (std::size_t i = 0; i < n; ++i) {
      if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
  }
  /// True when every member is in `other`.
  bool within(const AttributeSet& other) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::uint64_t theirs = i < other.words_.size() ? other.words_[i] : 0;
      if ((words_[i] & ~theirs) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Who publishes and subscribes what in a federation execution, as the control log tells, and the
/// ways that updates and interactions take from here.
class Declarations {
 public:
  struct ClassDeclaration {
    std::vector<Attribute> attributes;
    bool passive = false;
  };
  struct InteractionDeclaration {
    bool passive = false;
  };
  struct Federate {
    std::map<ObjectClass, ClassDeclaration> published;
    std::map<ObjectClass, ClassDeclaration> subscribed;
    std::set<ObjectClass> onceSubscribed;
    std::map<InteractionClass, InteractionDeclaration> publishedInteractions;
    std::map<InteractionClass, InteractionDeclaration> subscribedInteractions;
  };
  struct ObjectRoute {
    FederateNumber receiver;
    AttributeSet attributes;  ///< subscribed at the class or at any of its superclasses
  };

  void setModel(const Model* model) {
    model_ = model;
    changed();
  }

  void declareObjectClass(FederateNumber federate, ObjectClass objectClass, bool publish,
                          bool passive, std::vector<Attribute> attributes);
  void declareInteractionClass(FederateNumber federate, InteractionClass interactionClass,
                               bool publish, bool active, bool passive);
  void remove(FederateNumber federate);
  void clear();

  const Federate* of(FederateNumber federate) const;

  /// Who wants updates of instances registered at `objectClass`, but for `self`. Valid until the
  /// next change.
  const std::vector<ObjectRoute>& objectRoutes(ObjectClass objectClass, FederateNumber self);
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

  std::uint64_t epoch() const { return epoch_; }

 private:
  void changed();

  const Model* model_ = nullptr;
  std::map<FederateNumber, Federate> federates_;
  std::unordered_map<ObjectClass, std::vector<ObjectRoute>> objectRoutes_;
  std::unordered_map<InteractionClass, std::vector<FederateNumber>> interactionRoutes_;
  std::map<std::pair<FederateNumber, ObjectClass>, AttributeSet> subscriptions_;
  std::uint64_t epoch_ = 1;
};

}  // namespace tutti::core
