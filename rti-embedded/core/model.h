// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/callbacks.h"
#include "omt/compact_model.h"

namespace tutti::core {

/// A federation's object model as one federate's services look things up in it: a private copy of
/// the compact model that the node published, with tables indexed by handle for the ways that every
/// update takes. Immutable.
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
    std::span<const Attribute> attributes;  ///< inherited ones included, ascending
  };
  struct InteractionClassInfo {
    std::string name;
    InteractionClass parent = 0;
    bool timestampOrder = false;
    bool bestEffort = false;
  };

  /// Throws RTIinternalError when the bytes are not a compact model.
  explicit Model(std::span<const std::byte> compact);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const omt::CompactModel& compact() const { return compact_; }
  const omt::Switches& switches() const { return compact_.switches(); }

  bool hasObjectClass(ObjectClass c) const { return c != 0 && c < objectClasses_.size(); }
  bool hasInteractionClass(InteractionClass c) const {
    return c != 0 && c < interactionClasses_.size();
  }
  const ObjectClassInfo& objectClass(ObjectClass c) const { return objectClasses_[c]; }
  const InteractionClassInfo& interactionClass(InteractionClass c) const {
    return interactionClasses_[c];
  }
  bool hasAttribute(Attribute a) const { return a != 0 && a < attributes_.size(); }
  const AttributeInfo& attribute(Attribute a) const { return attributes_[a]; }
  Attribute privilegeToDelete() const { return privilegeToDelete_; }

  /// Place of `attribute` in its class's list; -1: not available there.
  int indexOf(ObjectClass objectClass, Attribute attribute) const {
    const auto& places = attributeIndex_[objectClass];
    return attribute < places.size() ? places[attribute] : -1;
  }
  bool hasParameter(InteractionClass interactionClass, Parameter parameter) const {
    return compact_.hasParameter(interactionClass, parameter);
  }

 private:
  std::vector<std::byte> bytes_;
  omt::CompactModel compact_;
  std::vector<ObjectClassInfo> objectClasses_;            // [0] unused
  std::vector<InteractionClassInfo> interactionClasses_;  // [0] unused
  std::vector<AttributeInfo> attributes_;                 // [0] unused
  std::vector<std::vector<std::int16_t>> attributeIndex_;
  Attribute privilegeToDelete_ = 0;
};

}  // namespace tutti::core
