// SPDX-License-Identifier: Apache-2.0
#include "core/model.h"

#include "core/fault.h"

namespace tutti::core {
namespace {

omt::CompactModel openModel(std::span<const std::byte> bytes) {
  auto model = omt::CompactModel::open(bytes);
  if (!model) {
    fail(Fault::RTIinternalError,
         "The object model that the RTI node published cannot be read: " + model.error());
  }
  return std::move(*model);
}

}  // namespace

Model::Model(std::span<const std::byte> compact)
    : bytes_(compact.begin(), compact.end()), compact_(openModel(bytes_)) {
  objectClasses_.resize(compact_.objectClassCount() + 1);
  interactionClasses_.resize(compact_.interactionClassCount() + 1);
  attributes_.resize(compact_.attributeCount() + 1);
  attributeIndex_.resize(objectClasses_.size());
  for (Attribute a = 1; a < attributes_.size(); ++a) {
    attributes_[a] = {std::string(compact_.attributeName(a)),
                      compact_.attributeOrder(a) == omt::OrderType::TimeStamp,
                      !compact_.isReliable(compact_.attributeTransportation(a))};
  }
  for (ObjectClass c = 1; c < objectClasses_.size(); ++c) {
    objectClasses_[c] = {std::string(compact_.objectClassName(c)), compact_.objectClassParent(c),
                         compact_.attributes(c)};
    auto& places = attributeIndex_[c];
    std::int16_t index = 0;
    for (const Attribute a : objectClasses_[c].attributes) {
      if (places.size() <= a) places.resize(a + 1, -1);
      places[a] = index++;
    }
  }
  for (InteractionClass c = 1; c < interactionClasses_.size(); ++c) {
    interactionClasses_[c] = {std::string(compact_.interactionClassName(c)),
                              compact_.interactionClassParent(c),
                              compact_.interactionOrder(c) == omt::OrderType::TimeStamp,
                              !compact_.isReliable(compact_.interactionTransportation(c))};
  }
  privilegeToDelete_ =
      compact_.attribute(compact_.objectClass("HLAobjectRoot"), "HLAprivilegeToDeleteObject");
}

}  // namespace tutti::core
