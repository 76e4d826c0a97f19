// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <RTI/RangeBounds.h>

#include "member.h"

/// Regions of tests, made and told in few words.
namespace regions {

using namespace rti1516e;

/// Of dimensions by their names.
using Bounds = QList<QPair<QString, QPair<unsigned long, unsigned long>>>;

inline void set(RTIambassador& rti, const RegionHandle& region, const Bounds& bounds) {
  for (const auto& [name, range] : bounds) {
    rti.setRangeBounds(region, rti.getDimensionHandle(wide(name)),
                       RangeBounds(range.first, range.second));
  }
}
inline void move(RTIambassador& rti, const RegionHandle& region, const Bounds& bounds) {
  set(rti, region, bounds);
  rti.commitRegionModifications({region});
}
/// With these bounds, committed.
inline RegionHandle make(RTIambassador& rti, const Bounds& bounds) {
  DimensionHandleSet dimensions;
  for (const auto& [name, range] : bounds) dimensions.insert(rti.getDimensionHandle(wide(name)));
  const RegionHandle made = rti.createRegion(dimensions);
  move(rti, made, bounds);
  return made;
}
/// "X[0,5) Y[1,2)".
inline QString text(RTIambassador& rti, const RegionHandle& region) {
  QStringList parts;
  for (const DimensionHandle& one : rti.getDimensionHandleSet(region)) {
    const RangeBounds range = rti.getRangeBounds(region, one);
    parts << QString("%1[%2,%3)")
                 .arg(narrow(rti.getDimensionName(one)))
                 .arg(range.getLowerBound())
                 .arg(range.getUpperBound());
  }
  return parts.join(' ');
}
/// What a message was sent with, "X[0,5) Y[1,2); X[3,4)"; "none" when that is not conveyed.
template <class Info>
QString sentText(RTIambassador& rti, const Info& info) {
  if (!info.hasSentRegions) return "none";
  QStringList all;
  for (const RegionHandle& one : info.sentRegions) all << text(rti, one);
  all.sort();
  return all.join("; ");
}

/// A federate that also writes down what messages in receive order are sent with, as sentText().
template <class Base>
class Noting : public Base {
 public:
  using Base::Base;

  QStringList sentRegions;  ///< one line for each reflect and receive
  RegionHandleSet lastRegions;

  void reflectAttributeValues(ObjectInstanceHandle instance, const AttributeHandleValueMap& values,
                              const VariableLengthData& tag, OrderType sent, TransportationType how,
                              SupplementalReflectInfo info) override {
    note(info);
    Base::reflectAttributeValues(instance, values, tag, sent, how, info);
  }
  void receiveInteraction(InteractionClassHandle interaction, const ParameterHandleValueMap& values,
                          const VariableLengthData& tag, OrderType sent, TransportationType how,
                          SupplementalReceiveInfo info) override {
    note(info);
    Base::receiveInteraction(interaction, values, tag, sent, how, info);
  }
  using Base::receiveInteraction;
  using Base::reflectAttributeValues;

 private:
  template <class Info>
  void note(const Info& info) {
    if (info.hasSentRegions) lastRegions = info.sentRegions;
    sentRegions << sentText(this->rti(), info);
  }
};

}  // namespace regions
