// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/callbacks.h"
#include "omt/compact_model.h"

namespace tutti::core {

/// A federation's object model as one federate looks things up in it: plain tables indexed by
/// handle, made once from the compact model that the node published. Immutable.
class Model {
 public:
  struct AttributeInfo {
    std::string name;
    bool timestampOrder = false;
    bool bestEffort = false;
  };
  struct ObjectClassInfo {
    std::string name;  ///< with the root: HLAobjectRoot.A.B
    ObjectClass parent = 0;
    std::vector<Attribute> attributes;  ///< inherited ones included, ascending
    std::unordered_map<std::string, Attribute> attributeByName;
  };
  struct InteractionClassInfo {
    std::string name;
    InteractionClass parent = 0;
    bool timestampOrder = false;
    bool bestEffort = false;
    std::vector<Parameter> parameters;  ///< inherited ones included, ascending
    std::unordered_map<std::string, Parameter> parameterByName;
  };
  struct DimensionInfo {
    std::string name;
    std::uint64_t upperBound = 0;
  };
  struct Switches {
    bool autoProvide = false;
    bool conveyProducingFederate = false;
    bool attributeScopeAdvisory = false;
    bool attributeRelevanceAdvisory = false;
    bool objectClassRelevanceAdvisory = false;
    bool interactionRelevanceAdvisory = false;
    std::uint32_t automaticResignAction = 0;  ///< rti1516e::ResignAction
  };

  /// Throws RTIinternalError when the bytes are not a compact model.
  explicit Model(std::span<const std::byte> compact);

  bool hasObjectClass(ObjectClass c) const { return c != 0 && c < objectClasses_.size(); }
  bool hasInteractionClass(InteractionClass c) const {
    return c != 0 && c < interactionClasses_.size();
  }
  const ObjectClassInfo& objectClass(ObjectClass c) const { return objectClasses_[c]; }
  const InteractionClassInfo& interactionClass(InteractionClass c) const {
    return interactionClasses_[c];
  }
  const AttributeInfo& attribute(Attribute a) const { return attributes_[a]; }
  bool hasAttribute(Attribute a) const { return a != 0 && a < attributes_.size(); }
  bool hasParameter(Parameter p) const { return p != 0 && p < parameters_.size(); }
  const std::string& parameterName(Parameter p) const { return parameters_[p]; }

  /// Place of `attribute` in its class's list; -1: not available there.
  int indexOf(ObjectClass objectClass, Attribute attribute) const {
    const auto& places = attributeIndex_[objectClass];
    return attribute < places.size() ? places[attribute] : -1;
  }
  bool hasParameter(InteractionClass interactionClass, Parameter parameter) const {
    const auto& places = parameterIndex_[interactionClass];
    return parameter < places.size() && places[parameter] >= 0;
  }

  /// 0 when there is none; the root prefix may be left out (10.2, 10.4 ...).
  ObjectClass objectClassByName(std::string_view name) const;
  InteractionClass interactionClassByName(std::string_view name) const;

  const Switches& switches() const { return switches_; }
  Attribute privilegeToDelete() const { return privilegeToDelete_; }
  const std::vector<DimensionInfo>& dimensions() const { return dimensions_; }
  const std::unordered_map<std::string, double>& updateRates() const { return updateRates_; }

 private:
  std::vector<ObjectClassInfo> objectClasses_;            // [0] unused
  std::vector<InteractionClassInfo> interactionClasses_;  // [0] unused
  std::vector<AttributeInfo> attributes_;                 // [0] unused
  std::vector<std::string> parameters_;                   // [0] unused
  std::vector<std::vector<std::int16_t>> attributeIndex_;
  std::vector<std::vector<std::int16_t>> parameterIndex_;
  std::unordered_map<std::string, ObjectClass> objectClassByName_;
  std::unordered_map<std::string, InteractionClass> interactionClassByName_;
  std::vector<DimensionInfo> dimensions_;
  std::unordered_map<std::string, double> updateRates_;
  Switches switches_;
  Attribute privilegeToDelete_ = 0;
};

}  // namespace tutti::core
